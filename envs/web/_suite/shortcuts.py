"""Players of WebSuite that do not do the task: they look once, or not at all, and say what such answers look like.

They read the instruction and the page, as every agent does, and what train tasks are answered with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote_plus, urlsplit

from agentgym.core.tasks import Spec
from agentgym.envs.web._sites.plans import NUMBERED
from agentgym.envs.web._suite.drafts import HINTS, Step

SEARCHES = {"forum.test": "/search?q=", "forge.test": "/explore?q=", "tracker.test": "/go?q=",
            "shop.test": "/search?q=", "backoffice.test": "/products?name=", "map.test": "/search?q="}  # fmt: skip
VALUES = {  # what an answer of a kind looks like on a page
    "number": r"\b\d+\b", "amount": r"\$[\d,]+\.\d\d", "date": r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b",
    "day": r"\b\d{4}-\d\d-\d\d\b", "key": r"\b[A-Z]{3}-\d+\b",
}  # fmt: skip
NAMED = (
    r"“([^”]+)”",
    r"\b([a-z0-9]+/[a-z0-9-]+)\b",
    r"\b([A-Z]{3}-\d+)\b",
    r"\b(\d{7})\b",
    r"the [a-z ]+ ([A-Z][\w' ]+)",
)


def commonest(specs: Iterable[Spec]) -> Mapping[str, str]:
    """What tasks are answered with most often, by the kind of answer.

    Args:
        specs: Of train tasks.
    """
    seen: dict[str, Counter[str]] = {}
    for spec in specs:
        wanted = (spec["eval"]["reference_answers"] or {}).get("exact_match")
        if wanted is not None:
            seen.setdefault(kind_of(spec["intent"]), Counter())[wanted] += 1
    return {kind: min(counts, key=lambda one: (-counts[one], one)) for kind, counts in seen.items()}


def kind_of(intent: str) -> str:
    """Which kind of answer an instruction asks for, a key of `HINTS`; empty for none.

    Args:
        intent: The instruction.
    """
    return next((kind for kind, words in HINTS.items() if intent.endswith(words)), "")


def about(intent: str) -> str:
    """What an instruction names: what stands in quotes, a project, a ticket, an order, or else a name.

    Args:
        intent: The instruction.
    """
    return next((found[1].strip() for test in NAMED if (found := re.search(test, intent))), "")


def usual_answer(intent: str, lines: Sequence[str], steps: Sequence[Step], usual: Mapping[str, str], start: str) -> str:
    """Say at once what such tasks are answered with most often.

    Args:
        intent: The instruction.
        lines: The outline of the page.
        steps: What was done in this episode, in order.
        usual: The commonest answer by its kind; see `commonest`.
        start: Address at which the task begins.
    """
    return _said(usual.get(kind_of(intent), ""))


def front_page(intent: str, lines: Sequence[str], steps: Sequence[Step], usual: Mapping[str, str], start: str) -> str:
    """Say the first thing on the first page that looks like an answer.

    `intent`, `lines`, `steps`, `usual` and `start` are those of `usual_answer`.
    """
    return _said(_value(intent, lines, ""))


def first_result(intent: str, lines: Sequence[str], steps: Sequence[Step], usual: Mapping[str, str], start: str) -> str:
    """Search for what the instruction names, open the first result, and say the first thing like an answer.

    `intent`, `lines`, `steps`, `usual` and `start` are those of `usual_answer`.
    """
    named = about(intent)
    if not steps:
        host = urlsplit(start).netloc
        return f"goto http://{host}{SEARCHES[host]}{quote_plus(named)}"
    if len(steps) == 1:
        for line in lines:
            found = NUMBERED.match(line)
            if found and found[2].startswith("link") and named.split(" ")[0].lower() in found[2].lower():
                return f"click [{found[1]}]"
    return _said(_value(intent, lines, named))


def _value(intent: str, lines: Sequence[str], named: str) -> str:
    """What looks like an answer, after what was looked for where that stands on the page."""
    texts = [found[2] if (found := NUMBERED.match(line)) else line for line in lines]
    begin = next((at for at, text in enumerate(texts) if named and named in text), -1) + 1
    test = VALUES.get(kind_of(intent))
    if test is None:
        said = re.findall(r'"([^"]+)"', " ".join(texts[begin:])) if kind_of(intent) else []
        return said[0] if said else ""
    return next((found[0] for text in texts[begin:] if (found := re.search(test, text))), "")


def _said(answer: str) -> str:
    plain = answer.replace("[", "").replace("]", "").strip()
    return f"stop [{plain}]" if plain else "stop"


SHORTCUTS: Mapping[str, Callable[..., str]] = {
    "usual answer": usual_answer,
    "front page": front_page,
    "first result": first_result,
}
