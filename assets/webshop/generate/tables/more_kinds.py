"""Kinds that are told in a few lines, for categories whose makers, features and talk stand in other modules."""

from dataclasses import replace
from pathlib import Path

from agentgym.assets.webshop.generate.model import Category, Kind

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


def with_more_kinds(categories: tuple[Category, ...]) -> tuple[Category, ...]:
    """The categories with the kinds of `more_kinds.txt` behind their own.

    Args:
        categories: Every category of the shop.

    Raises:
        KeyError: if a row names no category, or an attribute that its category does not know.
    """
    text = (Path(__file__).parent / "more_kinds.txt").read_text(encoding="utf8")
    rows = [line.split("|") for line in text.splitlines() if not line.startswith("#")]
    more: dict[str, list[Kind]] = {category.path: [] for category in categories}
    for end, *row in rows:
        category = next(each for each in categories if each.path.endswith(end))
        kind = _kind(row, category.department)
        for name in (name.strip() for group in kind.attributes.split(",") for name in group.split("|")):
            category.shape(name)
        more[category.path].append(kind)
    return tuple(replace(each, kinds=(*each.kinds, *more[each.path])) for each in categories)
