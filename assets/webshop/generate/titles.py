"""Marketplace titles: brand and type first, then features, audience and use in any order."""

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

    def list_front(self, k: int) -> list[str]:
        """Up to k adjectives, taken out of the stock."""
        taken, self.front = self.front[:k], self.front[k:]
        return taken

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


def _core(parts: _Parts, k: int) -> str:
    """Owner, up to k adjectives and the noun, without repeated words."""
    words = parts.noun
    for adjective in reversed(parts.list_front(k)):
        if not set(_WORD.findall(adjective.lower())) & set(_WORD.findall(words.lower())):
            words = f"{adjective} {words}"
    return f"{parts.owner} {words}".strip()


def title_parts(draft: Draft, draw: Draw) -> tuple[str, list[str]]:
    """The start of the family's titles, and three to five fragments that follow it, in an order of each version's own.

    Args:
        draft: What the versions share.
        draw: Where chance comes from.
    """
    p = _Parts(draft, draw)
    head = f"{p.brand} {_core(p, draw.between(0, 1))}"
    with_ = f"with {p.with_[0]}" if p.with_ else ""
    offered = [*p.tail, with_, p.purpose(), *p.front, *p.more, *p.with_[1:], *p.uses]
    fragments: list[str] = []
    for fragment in offered:
        said = " ".join((head, *fragments))
        length = len(said) + len(fragment) + 2 * len(fragments) + 4
        if fragment and length <= LIMIT and len(fragments) < 5 and _adds(fragment, set(_WORD.findall(said.lower()))):
            fragments.append(fragment)
    return head, fragments
