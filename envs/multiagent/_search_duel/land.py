"""An invented land: people, towns, firms, works, rivers and mountains, and what is true of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PERSON, TOWN, FIRM, BOOK, PAINTING, RIVER, MOUNTAIN, FESTIVAL, YEAR = (
    "person", "town", "firm", "book", "painting", "river", "mountain", "festival", "number",
)  # fmt: skip
SIZES = {PERSON: 90, TOWN: 36, FIRM: 32, BOOK: 36, PAINTING: 26, RIVER: 14, MOUNTAIN: 10, FESTIVAL: 16}


@dataclass(frozen=True, slots=True)
class Relation:
    """A property that each thing of a kind has once.

    Attributes:
        noun: Its name in questions.
        head, tail: The kinds it leads from and to.
        others: Other names it is known by.
        phrases: Sentences that say it, with `{h}` and `{t}`.
    """

    noun: str
    head: str
    tail: str
    others: tuple[str, ...]
    phrases: tuple[str, ...]


RELATIONS: tuple[Relation, ...] = (
    Relation("birthplace", PERSON, TOWN, ("place of birth", "home town"), (
        "{h} was born in {t}.", "{t} is where {h} came into the world.", "The birthplace of {h} was {t}.",
        "{h}, a child of {t}, left early and came back late.")),
    Relation("teacher", PERSON, PERSON, ("master", "mentor"), (
        "{h} learnt the craft from {t}.", "{t} was the teacher of {h}.", "{h} spent six years as a pupil of {t}.",
        "As a mentor {t} was feared, most of all by {h}, who was the only pupil.")),
    Relation("spouse", PERSON, PERSON, ("wife", "husband"), (
        "{h} was married to {t}.", "{h} and {t} were wed in spring.", "The spouse of {h} was {t}.",
        "{t} and {h} kept house together as a couple for thirty years.")),
    Relation("employer", PERSON, FIRM, ("workplace",), (
        "{h} worked for {t}.", "{t} was the employer of {h}.", "{h} drew wages from {t} for decades.",
        "On the books of {t} stands the name of {h}.")),
    Relation("year of birth", PERSON, YEAR, ("birth year",), (
        "{h} was born in the year {t}.", "The year of birth of {h} was {t}.", "{h} first saw the light in {t}.")),
    Relation("mayor", TOWN, PERSON, ("head of the council",), (
        "{t} was mayor of {h}.", "The people of {h} chose {t} as their mayor.", "{h} was governed by {t}, its mayor.",
        "In the town hall of {h} sat {t}, at the head of the council.")),
    Relation("river", TOWN, RIVER, ("stream",), (
        "{h} lies on the {t}.", "The {t} flows through {h}.", "The bridges of {h} cross the {t}, its only river.")),
    Relation("year of foundation", TOWN, YEAR, ("founding year",), (
        "{h} was founded in {t}.", "The charter of {h} is of {t}.", "{h} counts its years from {t}.")),
    Relation("founder", FIRM, PERSON, ("creator",), (
        "{h} was founded by {t}.", "{t} set up {h} with borrowed money.", "The founder of {h} was {t}.",
        "{h} began in the kitchen of {t}.")),
    Relation("headquarters", FIRM, TOWN, ("seat", "head office"), (
        "{h} has its seat in {t}.", "The headquarters of {h} are in {t}.", "{t} is home to {h}.",
        "From its head office in {t}, {h} sends goods to every port.")),
    Relation("author", BOOK, PERSON, ("writer",), (
        "{h} was written by {t}.", "{t} is the author of {h}.", "{t} wrote {h} in one winter.",
        "{h} came from the pen of {t}.")),
    Relation("publisher", BOOK, FIRM, ("printer",), (
        "{h} was published by {t}.", "{t} printed {h} at its own risk.", "The publisher of {h} was {t}.")),
    Relation("painter", PAINTING, PERSON, ("artist",), (
        "{h} was painted by {t}.", "{t} is the painter of {h}.", "{t} finished {h} in a rented attic.",
        "{h} is from the hand of {t}.")),
    Relation("owner", PAINTING, FIRM, ("holder",), (
        "{h} belongs to {t}.", "{t} is the owner of {h}.", "{h} hangs in the boardroom of {t}, which bought it.")),
    Relation("source", RIVER, MOUNTAIN, ("spring",), (
        "The {h} rises on {t}.", "The source of the {h} is on {t}.", "Snow of {t} feeds the {h}.")),
    Relation("height", MOUNTAIN, YEAR, ("altitude",), (
        "{h} is {t} metres high.", "The height of {h} is {t} metres.", "{h} was measured at {t} metres.")),
    Relation("venue", FESTIVAL, TOWN, ("place",), (
        "{h} is held in {t}.", "{t} hosts {h} every year.", "The venue of {h} is {t}.")),
    Relation("patron", FESTIVAL, PERSON, ("sponsor",), (
        "{h} was paid for by {t}.", "{t} was the patron of {h}.", "Without {t}, the sponsor, there would be no {h}.")),
)  # fmt: skip
RELATED = "; ".join(
    f"{', '.join(relation.noun for relation in RELATIONS if relation.head == kind)} of a {kind}"
    for kind in dict.fromkeys(relation.head for relation in RELATIONS)
)  # the relations in words, by the kind of thing that has them

ASIDES = (
    "{a} and {b} are named together in an old ballad.",
    "A song about {a} is still sung in {c}.",
    "A bundle of papers on {a}, kept by {b}, was lost in a fire.",
    "Some claim that {a} brought trouble upon {b}; nothing proves it.",
    "An old guidebook names {a} and {b} on one page.",
    "{b} once wrote to the newspapers about {a}.",
    "Of {a} little more is known before the long drought.",
    "A drawing in the school of {c} shows {a}.",
    "In {c} a street is named after {a}.",
    "Nobody in {c} would speak ill of {a}.",
    "{b} is often, and wrongly, mentioned in connection with {a}.",
    "Travellers from {c} told many stories of {a}.",
)
ONSETS = ("Br", "K", "Th", "M", "V", "Dr", "L", "Sk", "Or", "An", "El", "Ul", "G", "Pr", "St", "H", "N", "R", "T", "Wy")
VOWELS = ("a", "e", "i", "o", "u", "ae", "ei", "ou")
CODAS = ("n", "r", "l", "m", "sk", "nd", "th", "ss", "rn", "lm", "v", "k", "dra", "len", "mor", "vin", "bet", "gar")
TOWNS = ("stead", "ford", "wick", "haven", "mere", "burg", "holm", "gate", "by", "ton")
FIRMS = ("{} Works", "{} & Sons", "{} Mills", "{} Press", "House of {}", "{} Trading", "{} Foundry", "{} Brothers")
ADJECTIVES = (
    "Silent", "Last", "Burning", "Hollow", "Second", "Quiet", "Broken", "Golden", "Distant", "Narrow", "Winter",
    "Blind", "Borrowed", "Patient", "Salt", "Paper",
)  # fmt: skip
THINGS = (
    "Orchard", "Harbour", "Ladder", "Mirror", "Garden", "Letter", "Tower", "Window", "Ferry", "Lantern", "Field",
    "Clock", "Meadow", "Needle", "Bridge", "Cellar",
)  # fmt: skip
FEASTS = ("Feast", "Fair", "Games", "Regatta", "Procession", "Night")


def _word(rng: np.random.Generator) -> str:
    return "".join(group[int(rng.integers(len(group)))] for group in (ONSETS, VOWELS, CODAS))


def _name(kind: str, rng: np.random.Generator) -> str:
    word = _word(rng)
    if kind == PERSON:
        return f"{word} {_word(rng)}"
    if kind == TOWN:
        return word + TOWNS[int(rng.integers(len(TOWNS)))]
    if kind == FIRM:
        return FIRMS[int(rng.integers(len(FIRMS)))].format(word)
    if kind in (BOOK, PAINTING):
        adjective, thing = ADJECTIVES[int(rng.integers(len(ADJECTIVES)))], THINGS[int(rng.integers(len(THINGS)))]
        return f"The {adjective} {thing}" if kind == BOOK else f"{thing} at {word}"
    if kind == FESTIVAL:
        return f"{word} {FEASTS[int(rng.integers(len(FEASTS)))]}"
    return f"{word} Water" if kind == RIVER else f"Mount {word}"


@dataclass(frozen=True, slots=True)
class Fact:
    """That a relation leads from a thing to another, both by name, and in whose document it is said."""

    head: str
    relation: str
    tail: str
    place: str


@dataclass(frozen=True, slots=True)
class Land:
    """Names by kind, the kind of each name, and all facts."""

    names: dict[str, list[str]]
    kinds: dict[str, str]
    facts: tuple[Fact, ...]


def build(rng: np.random.Generator) -> Land:
    """A land by chance; each fact is said in one document, of the thing it is about or of the thing it leads to."""
    names: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for kind, size in SIZES.items():
        names[kind] = []
        while len(names[kind]) < size:
            name = _name(kind, rng)
            if name.lower() not in {each.lower() for each in kinds}:
                kinds[name] = kind
                names[kind].append(name)
    facts: list[Fact] = []
    for relation in RELATIONS:
        for head, tail in _pairs(relation, names, rng):
            there = relation.tail != YEAR and rng.random() < 0.5
            facts.append(Fact(head, relation.noun, tail, tail if there else head))
    return Land(names, kinds, tuple(facts))


def _pairs(relation: Relation, names: dict[str, list[str]], rng: np.random.Generator) -> list[tuple[str, str]]:
    heads = names[relation.head]
    if relation.noun == "spouse":
        order = [heads[place] for place in rng.permutation(len(heads))]
        couples = list(zip(order[::2], order[1::2], strict=False))
        return [*couples, *((other, one) for one, other in couples)]
    if relation.tail == YEAR:
        low, high = (600, 4_200) if relation.head == MOUNTAIN else (1_500, 1_950)
        return [(head, str(int(rng.integers(low, high)))) for head in heads]
    tails = names[relation.tail]
    pairs = []
    for head in heads:
        tail = tails[int(rng.integers(len(tails)))]
        while tail == head:
            tail = tails[int(rng.integers(len(tails)))]
        pairs.append((head, tail))
    return pairs
