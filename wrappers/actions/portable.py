"""Actions in words that hold on other pages: elements by role and name in place of their numbers, texts left open."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPEN = "<text>"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_LINE = re.compile(rf"^\s*\[(\d+)\] ([a-z]\w*(?: {_QUOTED})?)", re.MULTILINE)  # of an outline of a page
_SAID = re.compile(rf"\[(\d+)\]|(?<=\s)({_QUOTED})")
_PLACE = re.compile(rf"{OPEN}|<([a-z]\w*(?: {_QUOTED})?)>")
TEXTS = re.compile(_QUOTED)


def portable(action: str, observation: str) -> tuple[str, tuple[str, ...]] | None:
    """An action without what changes from page to page and from task to task.

    `click [15]` becomes `click <button "Home">`, and `fill [42] "Ann"` becomes `fill <searchbox "Name"> <text>`. Of
    elements alike on a page only the first can be told by its name.

    Args:
        action: As it was said.
        observation: What was seen before it.

    Returns:
        The words, and the texts that were left out of them, as they were quoted; None if the action names an element
        that its name does not tell, or in a form of words in which elements cannot be told.
    """
    elements = _elements(observation)
    firsts = {name: number for number, name in reversed(elements.items())}
    texts: list[str] = []
    lost = False

    def replace(match: re.Match[str]) -> str:
        nonlocal lost
        if match[2] is not None:
            texts.append(match[2])
            return OPEN
        name = elements.get(match[1], "")
        lost = lost or firsts.get(name) != match[1]
        return f"<{name}>"

    if "<" in action or "\n" in action.strip():
        return None
    words = " ".join(_SAID.sub(replace, action).split())
    calls = bool(elements) and "(" in _PLACE.sub("", words)  # click('15'): a number that does not stand in brackets
    return None if lost or calls or not words else (words, tuple(texts))


def located(step: str, observation: str, texts: Sequence[str]) -> str | None:
    """The action that a step in portable words is on a page.

    Args:
        step: As `portable` gives it.
        observation: The page.
        texts: For the open places, in quotes, in their order.

    Returns:
        The action; None if an element of that name is not there.
    """
    firsts = {name: number for number, name in reversed(_elements(observation).items())}
    rest = iter(texts)
    found = [firsts.get(match[1], "") if match[1] is not None else next(rest) for match in _PLACE.finditer(step)]
    if not all(found):
        return None
    each = iter(found)
    return _PLACE.sub(lambda match: next(each) if match[1] is None else f"[{next(each)}]", step)


def tried(step: str) -> str:
    """An action of the form of a step, for a grammar to read."""
    return _PLACE.sub(lambda match: '"text"' if match[1] is None else "[1]", step)


def shown(step: str) -> str:
    """A step as a reader sees it: the marks around elements left out."""
    return _PLACE.sub(lambda match: match[1] or OPEN, step)


def count_open(steps: Sequence[str]) -> int:
    """How many texts steps leave open."""
    return sum(match[1] is None for step in steps for match in _PLACE.finditer(step))


def _elements(observation: str) -> dict[str, str]:
    """Role and name of the elements of an outline, by number, in their order."""
    return {match[1]: match[2] for match in _LINE.finditer(observation)}
