"""Marketplace titles: brand, type, features, audience, use and quantity, in the orders that sellers use."""

from __future__ import annotations

import re

from agentgym.assets.webshop.generate.draft import Draft
from agentgym.assets.webshop.generate.model import Draw

LIMIT = 190
"""Longest title in characters; marketplaces cut at about 200."""

_SMALL = frozenset(("and", "of", "for", "with", "to", "in", "or", "by", "a", "the"))
_UPPER = frozenset(("usb", "uv", "4k", "bpa", "tv", "led", "gmo", "hdmi", "tb", "gb", "xl"))
_WORD = re.compile(r"[a-z0-9']+")
_THING = re.compile(
    r"(pockets?|collar|cuffs|hem|buttons|belt|straps?|handles?|lids?|drawers?|doors?|pump|dropper|display|microphone|battery|cable|hinges?|"
    r"panels?|lights?|switch|ports?|base|ties|hooks|loop|tips?|clasp|receiver|reader|ethernet|sleeve|pads|headrest|casters|divider|groove|"
    r"shams|pillowcases|sizes|lip|holder|strap|trimmer|plug|arm|frame|edges?|brush|wand|clip|level|button|hood|waist|toe|cord|mouth|outlets|"
    r"ottoman|keycaps|finish|laces|stitching|sensor|lock|clearance|stand|seat|compartment|holes|chain|seeds|petals|butter|oil|box|corners)$",
    re.IGNORECASE,
)
"""Details that end so name a thing, which a title can offer `with`."""


def headline(phrase: str) -> str:
    """Title case as sellers write it: `usb port` to `USB Port`, `easy to clean` to `Easy to Clean`."""
    words = []
    for i, word in enumerate(phrase.split(" ")):
        if word.strip("()") in _UPPER:
            words.append(word.upper())
        elif i and word in _SMALL:
            words.append(word)
        elif word == "mah":
            words.append("mAh")
        else:
            first = 1 if word[:1] == "(" else 0
            words.append(word[:first] + word[first : first + 1].upper() + word[first + 1 :])
    return " ".join(words)


def quantity(draft: Draft, draw: Draw) -> str:
    """A size or pack of the product as a title ends with it, empty if it states none.

    Args:
        draft: The product's facts.
        draw: Where chance comes from.
    """
    for name in draw.sample(["item package quantity", "size", "capacity"], 3):
        values = draft.options.get(name)
        if values is None or (name == "size" and draft.category.department == "fashion"):
            continue
        value = headline(draw.pick(values))
        if value == "Pack of 1":
            return ""
        if value.startswith("Pack of ") and draw.chance(0.3):
            return f"{value[8:]} Pack"
        return f"({value})" if draw.chance(0.4) and "(" not in value else value
    return ""


class _Parts:
    """Fragments of one title, each used at most once."""

    def __init__(self, draft: Draft, draw: Draw) -> None:
        kind, category = draft.kind, draft.category
        self.draw = draw
        self.brand = draft.brand
        self.noun = draft.noun
        owner = kind.audience.replace("'s", "").capitalize()
        possessive = f"{owner}'s" if draw.chance(0.6) else f"{owner}s"
        self.owner = possessive if owner else ""
        self.for_owner = f"for {owner}" if owner else ""
        self.front: list[str] = []
        self.with_ = [d for d in draft.details if _THING.search(d) and not d.startswith(("With ", "For ", "No "))]
        self.more = [d for d in draft.details if d not in self.with_ and not d.startswith("With ")]
        self.fors: list[str] = []
        for attribute in draft.attributes:
            shape = category.shape(attribute)
            text = headline(attribute)
            if shape in ("is", "of", "cut"):
                self.front.append(text if draw.chance(0.93) else re.sub(r" Free$", "-Free", text))
            elif shape in ("a", "has"):
                self.with_.append(text)
            else:
                self.fors.append(text)
        self.uses = draw.sample(draft.uses, draw.between(1, 3))
        self.tail = [
            f"with {d[5:]}" for d in draft.details if d.startswith("With ") and " with " not in self.noun.lower()
        ][:1]
        self.quantity = quantity(draft, draw) if draw.chance(0.55) else ""
        color = draft.options.get("color")
        self.color = headline(draw.pick(color)) if color and "|" not in color[0] and draw.chance(0.22) else ""

    def list_front(self, k: int) -> list[str]:
        """Up to k adjectives, taken out of the stock."""
        taken, self.front = self.front[:k], self.front[k:]
        return taken

    def rest(self, k: int) -> list[str]:
        """Up to k of the remaining features, in the order sellers would list them."""
        pool = self.draw.sample(self.front + self.with_ + self.more, k)
        return pool

    def purpose(self) -> str:
        """`for Gym, Work and Travel` or `for Dry Skin`."""
        if self.fors and self.draw.chance(0.7):
            return f"for {self.fors[0]}"
        if len(self.uses) < 2:
            return f"for {self.uses[0]}" if self.uses else ""
        joint = self.draw.pick([" and ", " & "])
        return f"for {', '.join(self.uses[:-1])}{joint}{self.uses[-1]}"


def _adds(fragment: str, used: set[str]) -> bool:
    """Whether a fragment says a word that the title does not say yet."""
    return bool(set(_WORD.findall(fragment.lower())) - used - _SMALL)


def _assemble(head: str, fragments: list[str], separator: str) -> str:
    """Join head and those fragments that add a word, as long as the title stays within the limit."""
    title = head
    for fragment in fragments:
        said = set(_WORD.findall(title.lower()))
        if not fragment or not _adds(fragment, said):
            continue
        plain = fragment.startswith(("for ", "with ", "(", "With "))
        longer = title + (" " if plain and separator != " | " else separator) + fragment
        if len(longer) <= LIMIT:
            title = longer
    return title


def _core(parts: _Parts, k: int) -> str:
    """Owner, up to k adjectives and the noun, without repeated words."""
    words = parts.noun
    for adjective in reversed(parts.list_front(k)):
        if not set(_WORD.findall(adjective.lower())) & set(_WORD.findall(words.lower())):
            words = f"{adjective} {words}"
    return f"{parts.owner} {words}".strip()


def write_title(draft: Draft, draw: Draw) -> str:
    """One title in one of seven orders.

    Args:
        draft: The product's facts.
        draw: Where chance comes from.
    """
    p = _Parts(draft, draw)
    style = draw.weighted({"plain": 5, "with": 4, "dash": 3, "pipe": 2, "pack first": 2, "owner last": 3, "short": 2})
    if style == "pack first" and not p.quantity:
        style = "with"
    if style == "short":
        title = _assemble(f"{p.brand} {_core(p, 2)}", [p.quantity, p.purpose()], ", ")
    elif style == "plain":
        head = f"{p.brand} {_core(p, draw.between(1, 2))}"
        title = _assemble(head, [*p.tail, p.purpose(), *p.rest(draw.between(2, 4)), p.quantity, p.color], ", ")
    elif style == "with":
        head = f"{p.brand} {_core(p, draw.between(1, 3))}"
        joined = " and ".join((p.with_ or [t[5:] for t in p.tail])[:2])
        title = _assemble(
            head,
            [f"with {joined}" if joined else "", p.purpose(), *p.front[:2], *p.more[:1], p.quantity, p.color],
            ", ",
        )
    elif style == "dash":
        head = f"{p.brand} {_core(p, 1)}"
        title = _assemble(head, [*p.tail, *p.rest(3), p.purpose(), p.quantity], " - ")
    elif style == "pipe":
        title = _assemble(f"{p.brand} {_core(p, 1)}", [*p.rest(3), p.purpose(), p.quantity], " | ")
    elif style == "pack first":
        amount = p.quantity.strip("()") if p.quantity.count("(") == 1 and p.quantity.startswith("(") else p.quantity
        head = f"{p.brand} {_core(p, 2)}, {amount}"
        title = _assemble(head, [*p.rest(3), p.purpose()], ", ")
    else:
        owner, p.owner = p.for_owner, ""
        head = f"{p.brand} {_core(p, draw.between(1, 2))}"
        title = _assemble(f"{head} {owner}".strip(), [*p.tail, *p.rest(draw.between(2, 4)), p.quantity], ", ")
    return title
