"""Living things with their genera and families, minerals, and stars."""

from __future__ import annotations

from agentgym.envs._kit.encyclopedia import names
from agentgym.envs._kit.encyclopedia.geography import tongue_of
from agentgym.envs._kit.encyclopedia.knowledge_base import World

ANIMALS = ("mammal", "bird", "fish", "beetle", "butterfly", "reptile")
PLANTS = ("herb", "shrub", "tree", "grass")
PLURALS = {"fish": "fishes", "butterfly": "butterflies", "grass": "grasses"}
LENGTHS = {"mammal": (8, 240), "bird": (9, 130), "fish": (5, 160), "beetle": (3, 70), "butterfly": (18, 110),
           "reptile": (9, 150)}  # fmt: skip


def plural(kind: str) -> str:
    """Several of a class of living things."""
    return PLURALS.get(kind, f"{kind}s")


def build_nature(world: World) -> None:
    """Families first, then their genera, then the species of these."""
    rng = world.rng
    classes = (*ANIMALS, *PLANTS)
    for place in range(max(len(classes), world.counts["family"])):
        _family(world, classes[place % len(classes)])
    for place in range(world.counts["genus"]):
        families = world.of["family"]
        _genus(world, families[place] if place < len(families) else rng.pick(families))
    for kind in ("animal", "plant"):
        genera = [each for each in world.of["genus"] if (world.facts[each]["class"] in ANIMALS) == (kind == "animal")]
        for place in range(world.counts[kind]):
            _species(world, kind, genera[place] if place < len(genera) else rng.pick(genera))
    _meals(world)
    for _ in range(world.counts["mineral"]):
        _mineral(world)
    for _ in range(world.counts["star"]):
        _star(world)


def _describer(world: World, kind: str, first: int, country: int = -1) -> tuple[int, int]:
    """Who described something, and when."""
    rng = world.rng
    occupations = ("zoologist", "physician") if kind in ANIMALS else ("botanist", "physician")
    for _ in range(6):
        year = rng.whole(first, 1975)
        found = world.person(occupations, year, country)
        if found is not None:
            return found, year
    found = rng.pick(world.people[occupations[0]])[1]
    return found, world.year(found, "born") + 29


def _family(world: World, kind: str) -> None:
    rng = world.rng
    name = world.fresh(lambda: names.family(names.genus(rng), kind in ANIMALS))
    describer, year = _describer(world, kind, 1750)
    mark = world.word(f"family.mark.{kind if kind in ANIMALS else 'plant'}")
    world.add("family", name, "family", feature=mark, describer=describer, year=str(year), plural=plural(kind),
              school=world.pick("university"), **{"class": kind})  # fmt: skip


def _genus(world: World, family: int) -> None:
    rng = world.rng
    kind = str(world.facts[family]["class"])
    name = world.fresh(lambda: names.genus(rng))
    describer, year = _describer(world, kind, 1760)
    base = world.word(f"base.{kind}")
    thing = world.add("genus", name, "genus", family=family, describer=describer, year=str(year),
                      plural=plural(kind), base=base, **{"class": kind})  # fmt: skip
    if rng.chance(0.5):
        world.facts[thing]["place"] = world.pick("town")
    world.link(family, "genera", thing)
    world.facts[family]["count"] = str(int(str(world.facts[family].get("count", "0"))) + 1)


def _species(world: World, kind: str, genus: int) -> None:
    rng, of = world.rng, world.facts[genus]
    sort, base = str(of["class"]), str(of["base"])
    describer, year = _describer(world, sort, world.year(genus, "year"))
    region = world.pick("region")
    namesake = None
    draw = rng.unit()
    traits = world.words[f"trait.{kind}"]
    if draw < 0.25:
        namesake = rng.pick((world.pick("region"), world.local("mountain", world.country(region)), describer))
        named = world.facts[namesake].get("family", world.names[namesake])
        common, epithet = f"{named} {base}", names.latinised(str(named))
        if isinstance(world.facts[namesake].get("family"), str):
            common = f"{named}'s {base}"
    elif draw < 0.4:
        country = world.country(region)
        common = f"{world.facts[country]['adjective']} {base}"
        epithet = names.latinised(str(world.facts[country]["adjective"]))
    else:
        trait = rng.pick(traits)
        common, epithet = f"{trait} {base}", world.words[f"latin.{kind}"][traits.index(trait)]
    if common.lower() in world._taken:
        other = rng.pick([trait for trait in traits if not common.startswith(trait)])
        common = f"{other} {common[0].lower() + common[1:] if draw >= 0.4 else common}"
    latin = f"{world.names[genus][0]}. {epithet}"
    second = world.pick("region")
    facts = {"class": sort, "latin": latin, "regions": tuple(sorted({region, second})), "plural": plural(sort)}
    thing = world.add(kind, common[0].upper() + common[1:], str(latin), genus=genus, family=of["family"],
                      describer=describer, year=str(year), **facts)  # type: ignore[arg-type]  # fmt: skip
    own = world.facts[thing]
    own["common"] = common
    if kind == "animal":
        low, high = LENGTHS[sort]
        own["length"] = f"{rng.whole(low, high)} {'millimetres' if sort in ('beetle', 'butterfly') else 'centimetres'}"
        own["part"] = world.word(f"animal.part.{sort}")
    else:
        own["growth"] = sort
        metres = {"tree": (3, 40), "shrub": (1, 4)}.get(sort)
        own["length"] = f"{rng.whole(*metres)} metres" if metres else f"{rng.whole(6, 120)} centimetres"
    if namesake is not None:
        own["namesake"] = namesake
    world.link(describer, "species", thing)
    world.link(genus, "species", thing)
    of["count"] = str(int(str(of.get("count", "0"))) + 1)
    if kind == "plant":
        world.set(region, plant=thing)
        if rng.chance(0.3):
            world.set(thing, garden=world.pick("town"), grown=str(rng.whole(year, 1990)))


def _meals(world: World) -> None:
    """Who eats whom, visits whom and stands on whose arms."""
    rng = world.rng
    by_class: dict[str, list[int]] = {}
    for thing in world.of["animal"]:
        by_class.setdefault(str(world.facts[thing]["class"]), []).append(thing)
    insects = by_class.get("butterfly", []) + by_class.get("beetle", [])
    for thing in world.of["animal"]:
        sort = str(world.facts[thing]["class"])
        if sort in ("bird", "mammal", "reptile", "fish") and rng.chance(0.45):
            prey = rng.pick(insects if sort in ("reptile", "fish") else by_class["fish"] + by_class["mammal"] + insects)
            if "hunter" not in world.facts[thing]:
                world.set(thing, prey=prey)
                world.set(prey, hunter=thing)
        if sort in ("butterfly", "beetle") and rng.chance(0.6):
            plant = world.pick("plant")
            world.set(thing, host=plant)
            world.set(plant, visitor=thing)
        if rng.chance(0.15) and world.of["zoo"]:
            zoo = world.pick("zoo")
            world.set(thing, zoo=zoo, bred=str(rng.whole(max(1890, world.year(zoo, "built")), 1995)))
        if sort in ("mammal", "bird") and rng.chance(0.08):
            world.set(thing, arms=world.pick("town"))
    _dwellings(world, by_class)


def _dwellings(world: World, by_class: dict[str, list[int]]) -> None:
    """What lives in waters, on islands and mountains, and on the arms of countries."""
    rng = world.rng
    for country in world.of["country"]:
        world.set(country, beast=rng.pick(by_class["mammal"] + by_class["bird"]))
    for water in (*world.of["river"], *world.of["lake"]):
        if rng.chance(0.6):
            world.set(water, fish=rng.pick(by_class["fish"]))
    for island in world.of["island"]:
        world.set(island, bird=rng.pick(by_class["bird"]))
        lighthouse = world.local("lighthouse", world.country(island)) if world.of["lighthouse"] else None
        if lighthouse is not None:
            world.set(island, lighthouse=lighthouse, lit=world.facts[lighthouse]["built"])
    for mountain in world.of["mountain"]:
        if rng.chance(0.6):
            world.set(mountain, plant=world.pick("plant"))


def _mineral(world: World) -> None:
    rng = world.rng
    place = rng.pick((*world.of["mountain"], *world.of["region"]))
    country = world.country(place)
    year = rng.whole(1740, 1965)
    describer = world.person(("geologist", "chemist"), year, country)
    namesake = world.person(("geologist", "chemist", "explorer", "poet"), year - 10)
    called = str(world.facts[namesake]["family"]) if namesake is not None else tongue_of(world, place).stem(rng)
    thing = world.add("mineral", called.rstrip("aeiou") + "ite", "mineral", place=place, country=country,
                      year=str(year), colour=world.word("colour"))  # fmt: skip
    if describer is not None:
        world.facts[thing]["describer"] = describer
        world.link(describer, "minerals", thing)
    if namesake is not None:
        world.facts[thing]["namesake"] = namesake
        world.link(namesake, "honours", thing)
    if len(world.of["mineral"]) > 1:
        world.set(thing, other=rng.pick(world.of["mineral"][:-1]))
    if rng.chance(0.4):
        world.set(thing, museum=world.local("museum", country))
    if world.kinds[place] == "mountain":
        world.set(place, mineral=thing, closed=str(rng.whole(1850, 1990)))


def _star(world: World) -> None:
    rng = world.rng
    year = rng.whole(1660, 1975)
    discoverer = world.person(("astronomer",), year)
    if discoverer is None:
        discoverer = rng.pick(world.people["astronomer"])[1]
        year = world.year(discoverer, "born") + 29
    sort = rng.pick(("double star", "comet", "asteroid", "nebula", "variable star"))
    family = world.facts[discoverer]["family"]
    namesake = None
    if sort == "asteroid":
        namesake = rng.pick((world.pick("person"), world.pick("town")))
        named = str(world.facts[namesake].get("family", world.names[namesake]))
        name = f"{len(world.of['star']) + rng.whole(20, 900)} {named}"
    else:
        name = f"{family}'s {'Star' if sort.endswith('star') else sort.title()}"
    far = sort in ("comet", "asteroid")
    thing = world.add("star", name, str(year), discoverer=discoverer, year=str(year), sort=sort,
                      unit="minutes" if far else "years", magnitude=f"{rng.whole(20, 170) / 10:.1f}")  # fmt: skip
    world.link(discoverer, "bodies", thing)
    if namesake is not None:
        world.facts[thing]["namesake"] = namesake
        if world.kinds[namesake] == "person":
            world.link(namesake, "honours", thing)
    observatory = world.local("observatory", world.country(discoverer)) if world.of["observatory"] else None
    if observatory is not None and world.year(observatory, "built") <= year:
        world.facts[thing]["observatory"] = observatory
        world.link(observatory, "deeds", thing)
    computer = world.person(("mathematician", "astronomer"), year + 1)
    if sort == "comet" and computer is not None and computer != discoverer:
        world.set(thing, computer=computer, back=str(year + rng.whole(20, 140)))
