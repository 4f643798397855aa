"""What people make: schools, companies, papers, clubs, orchestras, societies, prizes, buildings, ships and theories."""

from __future__ import annotations

from agentgym.envs._kit.encyclopedia.geography import thousands
from agentgym.envs._kit.encyclopedia.knowledge_base import END, World
from agentgym.envs._kit.encyclopedia.people import SCHOLARS, SUBJECTS, WRITERS

PRODUCTS = ("locomotives", "pianos", "optical glass", "chocolate", "steam ploughs", "paper", "porcelain", "bicycles",
            "matches", "cables", "clocks", "machine tools", "paints", "rubber boots", "canned fish")  # fmt: skip
BUILDINGS = ("bridge", "castle", "cathedral", "museum", "library", "lighthouse", "railway station", "observatory",
             "opera house", "abbey", "town hall", "theatre", "concert hall", "zoo")  # fmt: skip
TREASURES = ("a sword without a hilt", "nine painted panels", "the oldest map of the coast", "a bell of the year 1311",
             "a collection of masks", "a carved ivory comb", "letters of three queens", "a stuffed whale",
             "the first printed grammar", "a crown of iron", "two globes", "an organ of 4000 pipes")  # fmt: skip
PAPERS = ("Courier", "Messenger", "Morning Post", "Gazette", "Evening Star", "Observer", "Herald", "Tribune", "Mirror")
CLUBS = ("United", "Rovers", "Athletic", "Wanderers", "City", "Sporting", "Hotspur", "Albion")
MARKETS = ("forty countries", "the whole continent", "its own country and two others", "all ports of the northern sea")


def build_institutions(world: World) -> None:
    """What has a seat in a town, in an order in which the one can refer to the other."""
    for kind, make in (
        ("building", _building), ("university", _university), ("company", _company), ("publisher", _publisher),
        ("newspaper", _newspaper), ("club", _club), ("orchestra", _orchestra), ("society", _society),
        ("award", _award), ("theory", _theory), ("ship", _ship),
    ):  # fmt: skip
        for _ in range(world.counts[kind]):
            make(world)


def _seat(world: World) -> tuple[int, int, str]:
    """A town, most often a large one, its country, and its name."""
    rng = world.rng
    town = world.number(world.pick("region"), "capital") if rng.chance(0.55) else world.pick("town")
    return town, world.country(town), world.names[town]


def _building(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    number = len(world.of["building"])
    sort = BUILDINGS[number] if number < len(BUILDINGS) else rng.pick(BUILDINGS)  # at least one of each
    built = rng.whole({"railway station": 1850, "museum": 1780, "zoo": 1820}.get(sort, 1600), 1960)
    namesake = world.person((*WRITERS, "general", "politician", "painter"), built - 40, country)
    called = f"{world.facts[namesake]['family']!s} " if namesake is not None and rng.chance(0.5) else f"{name} "
    sort_word = sort.title()
    thing = world.add("building", called + sort_word, name, town=town, country=country, built=str(built), sort=sort)
    if namesake is not None and called != f"{name} ":
        world.link(namesake, "honours", thing)
    architect = world.person(("architect", "engineer"), built, country)
    if architect is not None:
        world.facts[thing]["architect"] = architect
        world.link(architect, "buildings", thing)
    else:
        world.set(thing, builder=world.person(("general", "politician"), built, country))
    river = world.facts[town].get("river")
    if sort == "bridge" and isinstance(river, int):
        world.facts[thing]["river"] = river
        world.set(river, bridge=thing, year=str(built))
    if sort in ("museum", "library", "abbey", "castle"):
        world.facts[thing]["treasures"] = " and ".join(rng.some(TREASURES, 2))
    if sort in ("cathedral", "abbey"):
        world.set(thing, buried=world.person(("general", "politician", "composer"), built + 60, country))
    world.link(town, "buildings", thing)
    world.near[sort, country].append(thing)
    world.of[sort].append(thing)


def _university(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1340, 1890)
    thing = world.add("university", f"University of {name}", name, town=town, country=country, founded=str(founded))
    facts = world.facts[thing]
    facts["students"] = thousands(rng.whole(9, 400) * 100)
    facts["subjects"] = " and ".join(rng.some(world.words["field"], 2))
    world.set(thing, founder=world.person(("politician", "general", "philosopher"), founded, country))
    built = rng.whole(max(founded, 1650), 1960)
    architect = world.person(("architect",), built, country)
    if architect is not None:
        world.set(thing, architect=architect, built=str(built))
    world.set(town, university=thing, opened=str(founded))
    world.set(country, university=thing)


def _company(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1780, 1930)
    founder = world.person(("engineer", "chemist", "politician", "physicist"), founded, country)
    called = str(world.facts[founder]["family"]) if founder is not None else name
    sort = rng.pick(("Works", "& Sons", "Company", "Brothers", "Manufacture"))
    thing = world.add("company", f"{called} {sort}", name, town=town, country=country, founded=str(founded),
                      product=(product := rng.pick(PRODUCTS)), branch=product)  # fmt: skip
    world.facts[thing]["markets"] = rng.pick(MARKETS)
    world.facts[thing]["staff"] = thousands(rng.whole(4, 900) * 10)
    if founder is not None:
        world.facts[thing]["founder"] = founder
        world.link(founder, "founded", thing)
    river = world.facts[town].get("river")
    if isinstance(river, int):
        world.set(thing, river=river, works=str(min(END, founded + rng.whole(2, 50))))
    if rng.chance(0.4):
        world.set(thing, strike=str(rng.whole(max(1870, founded), 1980)))
    others = [each for each in world.of["company"][:-1] if world.facts[each]["product"] == product]
    world.set(thing, rival=rng.pick(others) if others else None)
    world.set(world.number(town, "region"), company=thing, year=str(founded))


def _publisher(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1680, 1920)
    founder = world.person(("publisher",), founded, country)
    called = str(world.facts[founder]["family"]) if founder is not None else name
    thing = world.add("publisher", f"{called} {rng.pick(('Press', 'House', 'Verlag', 'Books'))}", name, town=town,
                      country=country, founded=str(founded))  # fmt: skip
    if founder is not None:
        world.link(founder, "founded", thing)


def _newspaper(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1720, 1930)
    thing = world.add("newspaper", f"{name} {rng.pick(PAPERS)}", name, town=town, country=country,
                      founded=str(founded), copies=thousands(rng.whole(3, 600) * 1000))  # fmt: skip
    begin = founded + rng.whole(5, 40)
    editor = world.person(("publisher", "novelist", "historian", "politician"), begin, country)
    if editor is not None:
        world.set(thing, editor=editor, begin=str(begin))
        world.set(editor, employer=thing)
    if rng.chance(0.3):
        world.set(thing, closed=str(rng.whole(founded, 1945)))
    world.set(town, paper=thing)


def _club(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1870, 1930)
    ground = rng.pick(("Mill Lane", "Castle Field", "River Road", "Tannery Ground", "Northern Meadow", "Old Quarry"))
    thing = world.add("club", f"{name} {rng.pick(CLUBS)}", name, town=town, country=country, founded=str(founded),
                      ground=ground, colours=world.word("club.colours"))  # fmt: skip
    if rng.chance(0.5):
        world.set(thing, titles=str(rng.whole(2, 17)), last=str(rng.whole(1945, END)))
    others = world.near["club", country][:-1]
    if others:
        rival = rng.pick(others)
        world.set(thing, rival=rival)
        world.set(rival, rival=thing)
    for year in (founded + 5, founded + 20, founded + 35, 1968):
        player = world.person(("footballer",), year, country)
        if player is not None:
            world.link(thing, "players", player)
            world.link(player, "clubs", thing)
    world.set(town, club=thing)


def _orchestra(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1800, 1935)
    title = f"{name} {rng.pick(('Philharmonic', 'Symphony Orchestra', 'Chamber Orchestra'))}"
    thing = world.add("orchestra", title, name, town=town, country=country, founded=str(founded))
    world.set(thing, hall=world.local("concert hall", country))
    for year in (founded + 10, founded + 40, 1970):
        conductor = world.person(("conductor",), year, country)
        if conductor is not None:
            world.link(thing, "conductors", conductor)
            world.set(conductor, orchestra=thing)
    world.set(town, orchestra=thing)


def _society(world: World) -> None:
    rng = world.rng
    town, country, name = _seat(world)
    founded = rng.whole(1660, 1900)
    field = rng.pick(("Natural History", "Letters", "Exploration", "Sciences", "Antiquities", "Useful Arts"))
    thing = world.add("society", f"{name} Society of {field}", name, town=town, country=country, founded=str(founded))
    president = world.person((*SCHOLARS, "explorer"), founded + 1, country)
    if president is not None:
        world.set(thing, president=president)
        world.link(president, "founded", thing)


def _award(world: World) -> None:
    rng = world.rng
    founded = rng.whole(1760, 1950)
    occupation = world.word("occupation")
    namesake = world.person((occupation,), founded - 30)
    giver = world.pick("society")
    called = str(world.facts[namesake]["family"]) if namesake is not None else world.names[giver]
    thing = world.add("award", f"{called} {rng.pick(('Prize', 'Medal', 'Award'))}", occupation, giver=giver,
                      founded=str(founded), field=f"the work of a {occupation}")  # fmt: skip
    world.set(giver, award=thing)
    if namesake is not None:
        world.facts[thing]["namesake"] = namesake
        world.link(namesake, "honours", thing)
    for year in sorted({rng.whole(founded, END) for _ in range(5)}):
        winner = world.person((occupation,), year)
        if winner is not None and "award" not in world.facts[winner]:
            world.set(winner, award=thing, awarded=str(year))
            world.link(thing, "winners", winner)


def _theory(world: World) -> None:
    rng = world.rng
    occupation = rng.pick(("physicist", "chemist", "mathematician", "zoologist", "botanist", "geologist", "economist"))
    field = SUBJECTS[occupation]
    year = rng.whole(1640, 1980)
    finder = world.person((occupation,), year)
    if finder is None:
        finder = rng.pick(world.people[occupation])[1]
        year = world.year(finder, "born") + 29
    sort = world.word(f"theory.sort.{field}")
    thing = world.add("theory", f"{world.facts[finder]['family']}'s {sort}", field, finder=finder, field=field,
                      year=str(year), sort=sort, statement=world.word(f"theory.statement.{field}"))  # fmt: skip
    world.link(finder, "theories", thing)
    tester = world.person((occupation, "engineer"), year + 12)
    school = world.pick("university")
    if tester is not None and tester != finder:
        world.set(thing, tester=tester, school=school)
    doubter = world.person(("philosopher", occupation), year + 3)
    if doubter is not None and doubter != finder and rng.chance(0.5):
        world.set(thing, doubter=doubter, settled=str(min(END, year + rng.whole(12, 80))))
    others = [each for each in world.of["theory"][:-1] if world.facts[each]["field"] == field]
    if others and rng.chance(0.5):
        world.set(thing, wider=rng.pick(others))
    world.near[field, 0].append(thing)


def _ship(world: World) -> None:
    rng = world.rng
    builder = world.pick("company")
    launched = rng.whole(world.year(builder, "founded"), 1960)
    country = world.country(builder)
    namesake = world.person(("general", "explorer", "politician", "singer"), launched - 20, country)
    called = world.names[namesake] if namesake is not None else world.names[world.local("town", country)]
    sort = "barque" if launched < 1860 else "steamer" if launched < 1925 else "motor ship"
    thing = world.add("ship", f"SS {called}" if sort == "steamer" else f"{called}", "ship", builder=builder,
                      launched=str(launched), sort=sort, length=str(rng.whole(28, 190)), country=country)  # fmt: skip
    world.link(builder, "ship", None)
    world.set(builder, ship=thing)
    if namesake is not None:
        world.facts[thing]["namesake"] = namesake
        world.link(namesake, "honours", thing)
    world.set(thing, port=world.local("town", country), other_port=world.pick("town"))
    if rng.chance(0.5):
        island = world.pick("island")
        lost = str(min(END, launched + rng.whole(1, 40)))
        world.set(thing, island=island, lost=lost)
        world.set(island, ship=thing, wreck=lost)
    else:
        world.set(thing, broken=str(min(END, launched + rng.whole(20, 50))))
