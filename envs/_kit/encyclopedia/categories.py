"""The tree of categories: from the main topics down to lists of articles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agentgym.envs._kit.encyclopedia.knowledge_base import World
from agentgym.envs._kit.encyclopedia.species import ANIMALS, PLANTS, plural

ROOT = "Main topics"
YEARS = ("born", "year", "begin", "founded", "built", "launched")
SPECIAL = {
    "symphony": "symphonies", "poem": "collections of poems", "treatise": "scientific books",
    "star": "celestial bodies", "club": "football clubs", "society": "learned societies",
    "university": "universities", "company": "companies", "library": "libraries", "abbey": "abbeys",
    "theory": "theories and laws", "treaty": "treaties", "country": "countries", "novel": "novels", "award": "prizes",
    "publisher": "publishing houses",
}  # fmt: skip
TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Geography", ("continent", "country", "region", "town", "river", "lake", "mountain", "island")),
    ("People", ()),
    ("Arts", ("novel", "poem", "play", "painting", "symphony", "opera", "film")),
    ("Nature", (*ANIMALS, *PLANTS, "genus", "family", "mineral")),
    ("Science", ("theory", "treatise", "star")),
    ("History", ("war", "battle", "treaty", "expedition", "disaster")),
    ("Society", ("university", "company", "publisher", "newspaper", "club", "orchestra", "society", "award")),
    ("Buildings and ships", ("ship",)),
)
BY_PLACE = ("region", "town", "river", "lake", "mountain", "island", "company", "newspaper", "club")


@dataclass
class Category:
    """A category.

    Attributes:
        title: Without the word `Category`.
        members: Articles that are filed under it.
        all: These and the articles of the categories below.
        subs: Places of its subcategories in the list.
        parent: Place of the category around it, -1 for the root.
    """

    title: str
    members: list[int] = field(default_factory=list)
    all: list[int] = field(default_factory=list)
    subs: list[int] = field(default_factory=list)
    parent: int = -1


def many(sort: str) -> str:
    """The word for several of a sort of thing."""
    if sort in SPECIAL:
        return SPECIAL[sort]
    if sort in (*ANIMALS, *PLANTS):
        return plural(sort)
    if sort == "genus":
        return "genera"
    return sort[:-1] + "ies" if sort.endswith("y") else f"{sort}s"


def century(year: int) -> str:
    """The century of a year in words, such as `18th century`."""
    number = (year - 1) // 100 + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
    return f"{number}{ending} century"


def build_categories(world: World, most: int) -> list[Category]:
    """The tree over the things of `world`, root first; a category of more than `most` articles is divided."""
    tree = [Category(ROOT)]
    sorts: dict[str, list[int]] = {}
    for thing, kind in enumerate(world.kinds):
        sorts.setdefault(_sort(world, thing, kind), []).append(thing)
    used = {sort for _, group in TOPICS for sort in group}
    rest = [sort for sort in sorts if sort not in used]
    for topic, group in TOPICS:
        place = _under(tree, 0, topic)
        members: Sequence[str] = group
        if topic == "People":
            members = sorted(sort for sort in rest if world.kinds[sorts[sort][0]] == "person")
        elif topic == "Buildings and ships":
            members = [*sorted(sort for sort in rest if world.kinds[sorts[sort][0]] == "building"), *group]
        for sort in members:
            if sort in sorts:
                _divide(world, tree, place, sort, sorts[sort], most)
                tree[place].all += sorts[sort]
    return tree


def _sort(world: World, thing: int, kind: str) -> str:
    """What an article is filed under: its kind, or something finer."""
    slot = {"person": "occupation", "building": "sort", "animal": "class", "plant": "class"}.get(kind)
    return str(world.facts[thing][slot]) if slot else kind


def _under(tree: list[Category], parent: int, title: str) -> int:
    place = len(tree)
    tree.append(Category(title, parent=parent))
    tree[parent].subs.append(place)
    return place


def _divide(world: World, tree: list[Category], parent: int, sort: str, things: list[int], most: int) -> None:
    """A category for a sort of thing, with others below it if it is large."""
    title = many(sort)
    place = _under(tree, parent, title[0].upper() + title[1:])
    _fill(world, tree, place, title, things, most, _ways(world, sort))


def _ways(world: World, sort: str) -> list[Callable[[int], str]]:
    """How a sort of thing is divided: what a thing's category is called, at the first level and at the next."""
    if sort in (*ANIMALS, *PLANTS, "genus"):
        return [lambda thing: f"of the family {world.names[world.number(thing, 'family')]}"]
    if sort in BY_PLACE:
        ways: list[Callable[[int], str]] = [lambda thing: f"of {world.names[world.country(thing)]}"]
        if sort == "town":
            ways.append(lambda thing: f"of {world.titles[world.number(thing, 'region')]}")
        return ways
    return [
        lambda thing: f"of the {century(_year(world, thing))}",
        lambda thing: f"of the {_year(world, thing) // 10 * 10}s",
    ]


def _fill(
    world: World, tree: list[Category], place: int, title: str, things: list[int], most: int,
    ways: Sequence[Callable[[int], str]],
) -> None:  # fmt: skip
    """Put things into a category, or into others below it."""
    tree[place].all = things
    if len(things) <= most or not ways:
        tree[place].members = things
        return
    groups: dict[str, list[int]] = {}
    for thing in things:
        groups.setdefault(f"{title} {ways[0](thing)}", []).append(thing)
    for label in sorted(groups):
        _fill(world, tree, _under(tree, place, label[0].upper() + label[1:]), title, groups[label], most, ways[1:])


def _year(world: World, thing: int) -> int:
    facts = world.facts[thing]
    return int(str(next(facts[slot] for slot in YEARS if slot in facts)))
