"""Continents, countries, regions, towns, waters, mountains and islands."""

from __future__ import annotations

from agentgym.envs._kit.encyclopedia import names
from agentgym.envs._kit.encyclopedia.knowledge_base import CONTINENTS, COUNTRIES, World
from agentgym.envs._kit.encyclopedia.names import TONGUES, Tongue

SIZES = ((900, "village"), (9_000, "small town"), (60_000, "town"), (10**9, "city"))


def tongue_of(world: World, thing: int) -> Tongue:
    """The tongue of the country in which `thing`, a number of `world`, lies."""
    return TONGUES[world.country(thing) % len(TONGUES)]


def thousands(number: int) -> str:
    """A number with a comma every three digits."""
    return f"{number:,}"


def build_land(world: World) -> None:
    """Everything that stands on a map, with what lies beside it."""
    rng = world.rng
    for _ in range(CONTINENTS):
        name = world.fresh(lambda: rng.pick(TONGUES).stem(rng) + rng.pick(("elia", "andra", "oria")))
        world.add("continent", name, "continent")
    for place in range(COUNTRIES):
        _country(world, world.of["continent"][place % CONTINENTS])
    for place in range(world.counts["region"]):
        _region(world, world.of["country"][place % COUNTRIES])
    for place in range(world.counts["town"]):
        regions = world.of["region"]
        _town(world, regions[place] if place < len(regions) else rng.pick(regions))
    for kind, make in (("mountain", _mountain), ("lake", _lake), ("river", _river), ("island", _island)):
        for _ in range(world.counts[kind]):
            make(world, world.pick("region"))
    _surroundings(world)


def _country(world: World, continent: int) -> None:
    rng = world.rng
    tongue = TONGUES[len(world.names) % len(TONGUES)]
    name, adjective, language = names.country(tongue, rng)
    while name.lower() in world._taken:
        name, adjective, language = names.country(tongue, rng)
    founded = rng.whole(880, 1520)
    people = f"{rng.whole(12, 560) / 10:.1f} million"
    area = f"{thousands(rng.whole(20, 700) * 1000)} square kilometres"
    thing = world.add("country", name, "country", continent=continent, adjective=adjective, language=language,
                      founded=str(founded), population=people, area=area, currency=world.word("currency"))  # fmt: skip
    world.facts[thing]["country"] = thing
    world.link(continent, "countries", thing)


def _region(world: World, country: int) -> None:
    rng, tongue = world.rng, tongue_of(world, country)
    stem = tongue.stem(rng)
    forms = (f"{stem} Valley", f"Upper {stem}", f"{stem}mark", f"Lower {stem}", f"{stem} Coast", f"{stem}shire")
    name = world.fresh(lambda: rng.pick((*forms, f"{tongue.stem(rng)} Coast")))
    thing = world.add("region", name, f"region of {world.names[country]}", country=country)
    world.facts[thing]["population"] = thousands(rng.whole(90, 4000) * 1000)
    world.link(country, "regions", thing)


def _town(world: World, region: int) -> None:
    rng, tongue = world.rng, tongue_of(world, region)
    name = world.fresh(lambda: tongue.town(rng))
    first = "capital" not in world.facts[region]
    people = int(10 ** (rng.unit() * 2.6 + (4.6 if first else 2.3)))
    founded = rng.whole(760, 1650)
    mention = founded + rng.whole(3, 90)
    facts: dict[str, int | str] = {
        "size": next(word for most, word in SIZES if people < most),
        "population": thousands(people),
        "founded": str(founded),
        "mention": str(mention),
    }
    if rng.chance(0.5):
        facts["market"] = str(mention + rng.whole(10, 200))
    if rng.chance(0.35):
        facts["fire"] = str(rng.whole(1500, 1900))
    if rng.chance(0.5):
        facts["rail"] = str(rng.whole(1846, 1912))
    thing = world.add("town", name, world.names[region], country=world.country(region), region=region, **facts)
    if first:
        world.facts[region]["capital"] = thing
        world.set(world.country(region), capital=thing)
    else:
        world.link(region, "towns" if people > 9000 else "villages", thing)


def _mountain(world: World, region: int) -> None:
    rng, tongue = world.rng, tongue_of(world, region)
    stem = tongue.stem(rng)
    name = world.fresh(lambda: rng.pick((f"Mount {tongue.stem(rng)}", f"{stem} Peak", f"{stem}horn",
                                         f"{tongue.stem(rng)} Tooth", f"Great {stem}")))  # fmt: skip
    height = rng.whole(900, 5200)
    thing = world.add("mountain", name, "mountain", country=world.country(region), region=region,
                      height=thousands(height), town=_town_in(world, region))  # fmt: skip
    world.set(region, mountain=thing)
    if rng.chance(0.7):
        world.facts[thing]["marked"] = str(rng.whole(1860, 1980))


def _town_in(world: World, region: int) -> int:
    """A town of a region."""
    facts = world.facts[region]
    held = facts.get("towns", ())
    assert isinstance(held, tuple)
    return world.rng.pick((world.number(region, "capital"), *held))


def _lake(world: World, region: int) -> None:
    rng, tongue = world.rng, tongue_of(world, region)
    name = world.fresh(lambda: f"{rng.pick(('Lake', 'Long', 'Lake'))} {tongue.stem(rng)}")
    name = f"{name} Lake" if name.startswith("Long") else name
    thing = world.add("lake", name, "lake", country=world.country(region), region=region)
    towns = sorted({_town_in(world, region) for _ in range(2)})
    if len(towns) == 2:
        world.facts[thing]["towns"] = tuple(towns)
    world.set(region, lake=thing)


def _river(world: World, region: int) -> None:
    rng, tongue = world.rng, tongue_of(world, region)
    country = world.country(region)
    name = world.fresh(lambda: tongue.stem(rng) + rng.pick(("", "a", "e", "ach", "o")))
    thing = world.add("river", name, "river", country=country, region=region, length=str(rng.whole(40, 1300)))
    for _ in range(rng.whole(2, 4)):
        town = _town_in(world, world.local("region", country))
        if "river" not in world.facts[town]:
            world.facts[town]["river"] = thing
            world.link(thing, "towns", town)
    if rng.chance(0.5):
        world.set(thing, gorge=_town_in(world, region))
    earlier = world.near["river", country]
    if len(earlier) > 2 and rng.chance(0.6):
        larger = rng.pick(earlier[:-1])
        world.facts[thing]["larger"] = larger
        world.set(larger, tributary=thing)
    else:
        mountain = world.facts[region].get("mountain")
        lake = world.local("lake", country)
        world.set(thing, mountain=mountain, mouth=lake)
    world.set(region, river=thing)


def _island(world: World, region: int) -> None:
    rng, tongue = world.rng, tongue_of(world, region)
    name = world.fresh(lambda: rng.pick((f"{tongue.stem(rng)} Island", f"Isle of {tongue.stem(rng)}")))
    thing = world.add("island", name, "island", country=world.country(region), region=region,
                      population=str(rng.whole(20, 6000)), town=_town_in(world, region))  # fmt: skip
    world.set(world.country(region), island=thing)


def _surroundings(world: World) -> None:
    """What lies beside what, now that everything is on the map."""
    rng = world.rng
    for country in world.of["country"]:
        continent = world.number(country, "continent")
        others = [other for other in world.of["country"] if world.facts[other]["continent"] == continent]
        for other in rng.some([other for other in others if other != country], 2):
            world.link(country, "neighbours", other)
            world.link(other, "neighbours", country)
        mountain = max(
            world.near["mountain", country] or [world.pick("mountain")], key=lambda each: _height(world, each)
        )
        world.set(country, mountain=mountain, height=world.facts[mountain]["height"])
        rivers = world.near["river", country] or world.of["river"]
        world.set(country, river=max(rivers, key=lambda each: int(str(world.facts[each]["length"]))))
    for continent in world.of["continent"]:
        facts = world.facts[continent]
        homes = [each for each in world.of["country"] if world.facts[each]["continent"] == continent]
        top = max(homes, key=lambda each: _height(world, world.number(each, "mountain")))
        facts.update(count=str(len(homes)), mountain=world.facts[top]["mountain"], river=world.facts[homes[0]]["river"])
    for region in world.of["region"]:
        others = [each for each in world.near["region", world.country(region)] if each != region]
        world.set(region, neighbour=rng.pick(others) if others else None)
    for town in world.of["town"]:
        near = world.pick("town") if rng.chance(0.03) else _town_in(world, world.number(town, "region"))
        world.set(town, near=near)
        if rng.chance(0.25):
            twin = world.pick("town")
            if "twin" not in world.facts[twin] and twin != town and "twin" not in world.facts[town]:
                year = str(rng.whole(1950, 1995))
                world.set(town, twin=twin, twinned=year)
                world.set(twin, twin=town, twinned=year)


def _height(world: World, mountain: int) -> int:
    return int(str(world.facts[mountain]["height"]).replace(",", ""))
