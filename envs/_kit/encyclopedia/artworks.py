"""Books, plays, pictures, music and films, by people who lived to make them."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.envs._kit.encyclopedia.knowledge_base import Fact, World
from agentgym.envs._kit.encyclopedia.people import SCHOLARS, SUBJECTS, WRITERS

FROM = {"film": 1912, "opera": 1680, "symphony": 1760, "novel": 1700}
MAKERS = {
    "novel": ("author", ("novelist",)), "poem": ("author", ("poet",)), "play": ("author", ("playwright",)),
    "painting": ("painter", ("painter",)), "symphony": ("composer", ("composer",)),
    "opera": ("composer", ("composer",)), "film": ("director", ("film director",)), "treatise": ("author", SCHOLARS),
}  # fmt: skip
SOURCES = ("novel", "play", "poem")


def build_works(world: World) -> None:
    """Every work, what it is based on and what it led to."""
    for kind in MAKERS:
        for _ in range(world.counts[kind]):
            _work(world, kind)


def _title(world: World, kind: str, maker: int, year: int) -> str:
    rng, word = world.rng, world.word
    place = world.names[world.local("town", world.country(maker))]
    forms: Sequence[str] = (
        f"The {word('title.adjective')} {word('title.noun')}",
        f"The {word('title.noun')} of {place}",
        f"{word('title.plural')} of {word('title.time')}",
        f"The {word('title.noun')} and the {word('title.noun')}",
        f"{word('title.adjective')} {word('title.plural')}",
        f"A {word('title.noun')} in {place}",
    )
    if kind == "painting":
        forms = (*forms[:2], f"View of {place}", f"{word('title.plural')} near {place}", f"{place} in {word('month')}")
    if kind == "symphony":
        forms = (f"Symphony No. {rng.whole(1, 9)} ({world.facts[maker]['family']})", forms[0], f"{place} Symphony")
    if kind == "treatise":
        field = SUBJECTS[str(world.facts[maker]["occupation"])]
        forms = (
            f"The {place} Lectures",
            f"Elements of {field.title()}",
            f"Letters on {field.title()}",
            f"On {word('title.plural')} and {word('title.plural')}",
            f"A Treatise on the {word('title.noun')}",
        )
    return rng.pick(forms)


def _work(world: World, kind: str) -> None:
    slot, occupations = MAKERS[kind]
    maker, year = _maker(world, occupations, FROM.get(kind, 1600))
    name = world.fresh(lambda: _title(world, kind, maker, year))
    country = world.country(maker)
    about: dict[str, Fact] = {slot: maker, "year": str(year), "country": country}
    thing = world.add(kind, name, f"{kind} by {world.facts[maker]['family']}", **about)
    world.link(maker, "works", thing)
    PARTS[kind](world, thing, year, country)


def _maker(world: World, occupations: Sequence[str], first: int) -> tuple[int, int]:
    rng = world.rng
    for _ in range(6):
        year = rng.whole(first, 1990)
        found = world.person(occupations, year)
        if found is not None:
            return found, year
    late = [each for word in occupations for each in world.people[word] if each[0] + 29 >= first] or [
        world.people[occupations[0]][-1]
    ]
    found = rng.pick(late)[1]
    return found, world.year(found, "born") + 29


def _earlier(world: World, kinds: Sequence[str], year: int, slot: str = "year") -> int | None:
    """Something of these kinds that was there before a year, or None."""
    for _ in range(4):
        thing = world.pick(world.rng.pick([kind for kind in kinds if world.of[kind]]))
        if world.year(thing, slot) < year:
            return thing
    return None


def _novel(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    place = world.local("town", country)
    if rng.chance(0.5):
        background = _earlier(world, ("war",), year, "end")
        if background is not None:
            world.set(thing, background=background, setting=place)
            world.set(background, work=thing)
    else:
        mountain = rng.chance(0.3)
        scene = world.local("mountain", country) if mountain else place
        world.set(thing, scene=scene)
        if mountain:
            world.set(scene, work=thing)
    publisher = _earlier(world, ("publisher",), year, "founded")
    if publisher is not None:
        world.set(thing, publisher=publisher)
        world.link(publisher, "books", thing)
    _honoured(world, thing, "author", year, country)


def _honoured(world: World, thing: int, slot: str, year: int, country: int) -> None:
    """A dedication, and a prize of the right field."""
    rng = world.rng
    maker = world.number(thing, slot)
    if rng.chance(0.4):
        world.set(thing, dedicated=world.person((*WRITERS, "politician", "physician"), year, country))
    award = world.facts[maker].get("award")
    if isinstance(award, int) and world.year(maker, "awarded") >= year and rng.chance(0.5):
        world.set(thing, award=award)


def _poem(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    world.set(thing, place=rng.pick((world.local("river", country), world.local("town", country))))
    world.set(thing, creature=world.pick(rng.pick(("animal", "plant"))) if rng.chance(0.6) else None)
    world.set(thing, composer=world.person(("composer",), year + 20, country) if rng.chance(0.5) else None)
    publisher = _earlier(world, ("publisher",), year, "founded")
    if publisher is not None:
        world.set(thing, publisher=publisher)
        world.link(publisher, "books", thing)


def _step(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    world.set(thing, town=world.local("town", country))
    subject = _earlier(world, ("war", "disaster"), year, "begin") if rng.chance(0.5) else None
    world.set(thing, subject=subject)
    if subject is not None and world.kinds[subject] == "disaster":
        world.set(subject, work=thing)
    world.set(thing, banned=world.pick("country") if rng.chance(0.3) else None)
    actor = world.person(("actor",), year, country)
    if actor is not None:
        world.set(thing, actor=actor)


def _painting(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    draw = rng.unit()
    if draw < 0.3:
        sitter = world.person(("general", "politician", "poet", "singer", "philosopher"), year, country)
        world.set(thing, sitter=sitter)
        if sitter is not None:
            world.set(sitter, portrait=thing)
    elif draw < 0.6:
        world.set(thing, place=rng.pick((world.local("town", country), world.local("lake", country))))
    else:
        battle = _earlier(world, ("battle",), year)
        if battle is not None and rng.chance(0.5):
            world.set(thing, battle=battle)
            world.set(battle, painting=thing)
        else:
            world.set(thing, scene=world.word("scene.painting"))
    museum = world.local("museum", country)
    world.set(thing, museum=museum, bought=str(max(year, world.year(museum, "built")) + rng.whole(1, 9)))
    if rng.chance(0.2):
        world.set(thing, stolen=str(rng.whole(1900, 1995)))


def _symphony(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    orchestra = _earlier(world, ("orchestra",), year, "founded")
    if orchestra is not None:
        world.set(thing, orchestra=orchestra)
        world.link(orchestra, "pieces", thing)
    world.set(thing, place=rng.pick((world.local("town", country), world.local("mountain", country))))
    world.set(thing, subject=_earlier(world, ("battle", "disaster"), year) if rng.chance(0.5) else None)
    world.set(thing, key=world.word("symphony.key"))
    world.set(country, composer=world.number(thing, "composer"))


def _opera(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    world.set(thing, house=world.local("opera house", country))
    source = _earlier(world, ("novel", "play"), year)
    if source is not None:
        world.set(thing, source=source)
        if world.kinds[source] == "play":
            world.set(source, opera=thing)
    else:
        world.set(thing, poet=world.person(("poet",), year, country))
    world.set(thing, singer=world.person(("singer",), year, country))
    if rng.chance(0.5):
        world.set(thing, revived=str(year + rng.whole(3, 9)))


def _film(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    source = _earlier(world, ("novel",), year) if rng.chance(0.6) else None
    world.set(thing, source=source)
    if source is not None:
        world.set(source, film=thing)
    actors = [each for each in (world.person(("actor",), year, country) for _ in range(3)) if each is not None]
    for actor in sorted(set(actors)):
        world.link(thing, "actors", actor)
        world.link(actor, "films", thing)
    world.set(thing, place=world.local("town", country), minutes=world.word("film.minutes"))
    world.set(thing, composer=world.person(("composer",), year, country))
    _honoured(world, thing, "director", year, country)


def _treatise(world: World, thing: int, year: int, country: int) -> None:
    rng = world.rng
    author = world.number(thing, "author")
    field = SUBJECTS[str(world.facts[author]["occupation"])]
    world.set(thing, field=field)
    theories = [each for each in world.near[field, 0] if world.year(each, "year") <= year]
    if theories:
        theory = rng.pick(theories)
        world.set(thing, theory=theory)
        world.set(theory, book=thing)
    world.set(thing, school=world.local("university", country))
    world.set(thing, rival=_earlier(world, ("treatise",), year))
    if field == "biology":
        world.set(thing, creatures=rng.some(world.of["animal"], 2))
    if rng.chance(0.4):
        world.set(thing, translated=str(year + rng.whole(2, 40)))


PARTS = {"novel": _novel, "poem": _poem, "play": _step, "painting": _painting, "symphony": _symphony,
         "opera": _opera, "film": _film, "treatise": _treatise}  # fmt: skip
