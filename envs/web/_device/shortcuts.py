"""Players of phone and desktop that do not do the task: they look once, or not at all, and say what looks right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from agentgym.core.tasks import Spec
from agentgym.envs.web._device.drafts import HINTS
from agentgym.envs.web._sites.plans import NUMBERED, Step, in_words

VALUES = {  # what an answer of a kind looks like on a screen
    "number": r"\b\d+\b", "phone": r"\b555-\d+\b", "date": r"\b\d{4}-\d\d-\d\d\b", "time": r"\b\d\d:\d\d\b",
    "size": r"\b\d+(?:\.\d)? [KMG]B\b", "name": r"[A-Z]\w+ [A-Z]\w+", "text": r"[^\"]+",
}  # fmt: skip
WORDS = {  # which app an instruction speaks of
    "Calendar": r"event|calendar|invit", "Notes": r"\bnote|\blist\b", "Clock": r"alarm|timer|world clock",
    "Messages": r"messag|wrote|conversation|text ", "Files": r"\bfile|folder|\bbin\b|\.\w{3,4}\b",
    "Contacts": r"contact|phone|birthday|email|company", "Settings": r"",
}  # fmt: skip
NAMED = (r"“([^”]+)”", r"\bfile (\S.*?\.\w{3,4})\b", r"\b([A-Z]\w+ [A-Z]\w+)\b")
Usual = Mapping[str, str]


def kind_of(instruction: str) -> str:
    """Which kind of answer an instruction asks for, a key of `HINTS`; empty for none."""
    return next((kind for kind, words in HINTS.items() if instruction.endswith(words)), "")


def commonest(specs: Iterable[Spec]) -> Usual:
    """What tasks are answered with most often, by the kind of answer.

    Args:
        specs: Of train tasks.
    """
    seen: dict[str, Counter[str]] = {}
    for spec in specs:
        if spec["answer"]:
            seen.setdefault(kind_of(spec["instruction"]), Counter())[spec["answer"]] += 1
    return {kind: min(counts, key=lambda one: (-counts[one], one)) for kind, counts in seen.items()}


def usual_answer(instruction: str, lines: Sequence[str], steps: Sequence[Step], usual: Usual, opening: Step) -> str:
    """Say at once what such tasks are answered with most often.

    Args:
        instruction: The task in words.
        lines: The outline of the screen.
        steps: What was done in this episode, in order.
        usual: The commonest answer by its kind; see `commonest`.
        opening: The step that opens the app of which the instruction speaks.
    """
    return _said(usual.get(kind_of(instruction), ""))


def first_screen(instruction: str, lines: Sequence[str], steps: Sequence[Step], usual: Usual, opening: Step) -> str:
    """Open the app that the instruction speaks of, and say the first thing on it that looks like an answer.

    `instruction`, `lines`, `steps`, `usual` and `opening` are those of `usual_answer`.
    """
    return in_words(opening, lines) if not steps else _said(_value(instruction, lines, ""))


def first_result(instruction: str, lines: Sequence[str], steps: Sequence[Step], usual: Usual, opening: Step) -> str:
    """Search for what the instruction names, open the first result, and press its last button or say a value.

    `instruction`, `lines`, `steps`, `usual` and `opening` are those of `usual_answer`.
    """
    named = next((found[1] for test in NAMED if (found := re.search(test, instruction))), "")
    field = next((found[2] for line in lines if (found := NUMBERED.match(line)) and "searchbox" in found[2]), "")
    head = re.match(r'\w+ "[^"]*"', field)
    if not steps:
        return in_words(opening, lines)
    if len(steps) == 1 and head and named:
        return in_words(["fill", head[0], named], lines)
    if len(steps) == 2:
        return in_words(["click", 'button "Search"'], lines)
    if len(steps) == 3:
        own = _numbered(lines, f'link "{named}"')
        return f"click [{own}]" if own else "stop"
    if kind_of(instruction) or len(steps) > 4:
        return _said(_value(instruction, lines, named))
    own = next((found[1] for line in lines[::-1] if (found := NUMBERED.match(line)) and
                re.match(r"(button|switch) ", found[2]) and not re.search("Back|Home|Recent|Show|Mini|Maxi|Close",
                found[2])), "")  # fmt: skip
    return f"click [{own}]" if own else "stop"


def app_named(instruction: str) -> str:
    """The app that an instruction seems to speak of."""
    return next(app for app, test in WORDS.items() if re.search(test, instruction))


def _numbered(lines: Sequence[str], head: str) -> str:
    return next((found[1] for line in lines if (found := NUMBERED.match(line)) and found[2].startswith(head)), "")


def _value(instruction: str, lines: Sequence[str], named: str) -> str:
    """What looks like an answer, after what was looked for where that stands on the screen."""
    texts = [found[2] if (found := NUMBERED.match(line)) else line for line in lines]
    begin = next((at for at, text in enumerate(texts) if named and named in text), -1) + 1
    test = VALUES.get(kind_of(instruction))
    quoted = [piece for text in texts[begin:] for piece in re.findall(r'"([^"]+)"', text)]
    return next((found[0] for text in quoted if (found := re.search(test, text))), "") if test else ""


def _said(answer: str) -> str:
    plain = answer.replace("[", "").replace("]", "").strip()
    return f"stop [{plain}]" if plain else "stop"


SHORTCUTS: Mapping[str, Callable[..., str]] = {
    "usual answer": usual_answer,
    "first screen": first_screen,
    "first result": first_result,
}
