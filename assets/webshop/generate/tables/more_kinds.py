"""Kinds that are told in a few lines, for categories whose makers, features and talk stand in other modules."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from agentgym.assets.webshop.generate.model import Category, Kind, Shape

_DETAILS = {
    "fashion": {
        "Pre-Shrunk": "Washed once at the mill, so it keeps its measures.",
        "Reinforced Seams": "Seams are sewn twice where they take the strain.",
        "Printed Label": "A printed label in place of one that scratches.",
        "Two Tone": "Two tones that go with what you have.",
    },
    "beauty": {
        "Gift Box": "Comes in a gift box with a ribbon.",
        "Made in Small Batches": "Mixed in small batches and dated on the bottom.",
        "Starter Set": "A set for those who begin, with a leaflet.",
        "Sealed Lid": "The lid is sealed for the journey.",
    },
    "electronics": {
        "Spare Screws": "A bag of spare screws is in the box.",
        "Status Light": "A small light says what it is doing.",
        "Metal Housing": "The housing is metal, not painted plastic.",
        "Printed Manual": "A printed manual that people can read.",
    },
    "garden": {
        "Felt Pads": "Felt pads for the floor are in the bag.",
        "Two Tier": "Two tiers, of which the lower one holds more.",
        "Rounded Corners": "Corners are rounded where knees pass.",
        "Matte Finish": "A matte finish that hides fingerprints.",
    },
    "grocery": {
        "Party Size": "Enough for a table of eight.",
        "Family Recipe": "Made by a recipe that three generations have kept.",
        "Slow Roasted": "Roasted slowly in small drums.",
        "Gift Basket": "Packed in a basket with paper straw.",
    },
}
_ABOUT = (
    "What you see is what comes, {brand} does not send surprises.",
    "{This} {does} what {it} {is} for.",
    "We asked those who use it every day, and made {this} as they said.",
)
_PRAISE = ("Does what it should.", "Just as pictured.", "I would take it again.", "Good work for the money.")
_GRIPES = ("Smaller than I had thought.", "Came later than promised.")


def _kind(row: list[str], department: str) -> Kind:
    """A kind from the fields of a row behind the path of its category."""
    query, titles, path, price = row[:4]
    attributes, options, uses, number = "|".join(row[4:-3]), row[-3], row[-2], row[-1]
    return Kind(
        query=query,
        titles=titles,
        noun=titles.split("; ")[0].lower(),
        path=path,
        price=float(price),
        attributes=attributes.replace(",", ", "),
        options=dict(part.split("=") for part in options.split(";")),
        details=_DETAILS[department],
        uses=uses,
        about=_ABOUT,
        praise=_PRAISE,
        gripes=_GRIPES,
        plural=number == "plural",
        mass=number == "mass",
    )


_STATED: dict[Shape, str] = {
    "is": "{This} {is} NAME.",
    "for": "{This} {is} made for NAME.",
    "cut": "{This} {has} the NAME that it says.",
    "a": "{This} {has} the NAME that it says.",
    "has": "{This} {has} NAME.",
    "of": "{This} {is} made of NAME.",
}
"""What is said of an attribute without a sentence of its own, by shape."""


def _lines(name: str) -> list[str]:
    """The lines of a table beside this module, without comments."""
    text = (Path(__file__).parent / name).read_text(encoding="utf8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def _names(kind: Kind) -> Iterator[str]:
    """The attributes that a kind may have."""
    for group in kind.attributes.split(","):
        yield from (name.strip().lstrip("!") for name in group.split("|"))


def _features_of_all(categories: tuple[Category, ...]) -> dict[str, tuple[Shape, tuple[str, ...]]]:
    """Attribute to shape and sentences: of every category, and of `asked.txt`."""
    known: dict[str, tuple[Shape, tuple[str, ...]]] = {}
    asked = dict(line.split(": ", 1) for line in _lines("asked.txt"))
    for shape, names in ((shape, asked[shape]) for shape in _STATED):
        known |= {name: (shape, (_STATED[shape].replace("NAME", name),)) for name in names.split(", ")}
    for category in categories:
        for shape, table in category.features.items():
            known |= {name: (shape, sentences) for name, sentences in table.items()}
    return known


def _with_features(category: Category, known: Mapping[str, tuple[Shape, tuple[str, ...]]]) -> Category:
    """The category, its features extended by those that its kinds may have and it does not know."""
    features: dict[Shape, dict[str, tuple[str, ...]]] = {shape: dict(own) for shape, own in category.features.items()}
    own = {name for table in features.values() for name in table}
    for name in (name for kind in category.kinds for name in _names(kind)):
        if name not in own:
            shape, sentences = known[name]
            features.setdefault(shape, {})[name] = sentences
            own.add(name)
    return replace(category, features=features)


def with_more_kinds(categories: tuple[Category, ...]) -> tuple[Category, ...]:
    """The categories with the kinds of `more_kinds.txt` behind their own.

    Args:
        categories: Every category of the shop.

    Raises:
        KeyError: if a row names an attribute that neither a category nor `asked.txt` knows.
    """
    known = _features_of_all(categories)
    more: dict[str, list[Kind]] = {category.path: [] for category in categories}
    for end, *row in (line.split("|") for line in _lines("more_kinds.txt")):
        category = next(each for each in categories if each.path.endswith(end))
        more[category.path].append(_kind(row, category.department))
    return tuple(_with_features(replace(each, kinds=(*each.kinds, *more[each.path])), known) for each in categories)
