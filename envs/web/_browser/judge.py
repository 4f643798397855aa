"""Outcome judges: whether an episode in a browser did what was asked, by rules or by a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from rapidfuzz import fuzz

from agentgym.core.text_model import Message, TextModel
from agentgym.core.verdict import QUOTED, TRIES, ask_verdict, closing_object, quoted

QUOTES = ('"', "'")
LONGEST, LONGEST_ACTION = 4000, 1000  # characters of an answer and of an action that a model is shown
SAME = 90.0  # of 100: from here on two texts say the same words, whatever their order
ALTERNATIVES = re.compile(r"\bor\b|[;|\n]|\s/\s", re.IGNORECASE)
SPOKEN = re.compile(r'(Player|World): (".*")')  # a line of the record of the wrapper JudgeReward
VALUE = re.compile(r"[^\w\s]*\d[\d.,:/-]*[^\w\s]*(?:\s[^\W\d]\w*)?")  # a number, with its unit or without

# The texts or the values of an attribute of what a CSS selector finds, on the page of an address, or on the last page.
Look = Callable[[str, str, str], Sequence[str]]


@dataclass(frozen=True)
class Evidence:
    """What a judge may look at when the agent stops.

    Attributes:
        instruction: What was asked.
        answer: What the agent said at the end.
        infeasible: Whether it said that the task cannot be done.
        url: Address of the last page.
        text: Visible text of the last page, without what stands in its fields: that may be the agent's own.
        events: Every record of the episode, such as navigations, submissions and downloads.
        actions: What was done, as canonical JSON.
        look: Looks at a page of the site; see `Look`.
        states: What the sites of this process say of themselves, by host.
    """

    instruction: str
    answer: str
    infeasible: bool
    url: str
    text: str
    events: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    actions: Sequence[str] = ()
    look: Look | None = None
    states: Mapping[str, Any] = field(default_factory=dict)


class OutcomeJudge(Protocol):
    """Decides whether a task was done."""

    def judge(self, evidence: Evidence) -> bool:
        """Whether the evidence shows that the task was done."""


class RuleJudge:
    """Rules that must all hold, after WebArena's programmatic evaluators.

    Each check is one of

    - `{"answer": "text"}`: the answer is this, but for case, surrounding space and one pair of quotes;
    - `{"answer_includes": ["text", ...]}`: the answer holds every text; a single character must stand alone, and an
      answer that offers several things to choose from is none;
    - `{"answer_fuzzy": "text"}`: the answer says the same in other words: to the model where there is one, otherwise in
      nearly the same words, in any order;
    - `{"url": "http://host/path?key=value"}`: host and path of the last page are exactly these, and each key named here
      has this value there;
    - `{"page_includes": ["text", ...]}`: the last page shows every text; what stands in a field does not count;
    - `{"page": {"url": "...", "select": "css", "attribute": "href", "includes": "text"}}`: on the page of the address,
      which is opened anew, or on the last page where none is given, something that the selector finds has this text, or
      this attribute as the site wrote it, in part (`includes`) or altogether (`equals`); with neither, it is there;
    - `{"state": {"host": "shop.test", "path": "orders/0/total", "equals": 3}}`: the site of this process at that host,
      whose method `state` gives plain data, has this value there;
    - `{"event": {"type": "download", "name": "a.csv"}}`: some record of the episode has all of these values;
    - `{"infeasible": true}`: the agent said that the task cannot be done. Without this check, saying so fails.

    Args:
        checks: The checks.
        model: Compares answers for `answer_fuzzy`.
    """

    def __init__(self, checks: Sequence[Mapping[str, Any]], model: TextModel | None = None):
        self._model = model
        self._checks = [dict(check) for check in checks]
        self._feasible = not any("infeasible" in check for check in self._checks)

    def judge(self, evidence: Evidence) -> bool:
        """Whether all checks hold; without checks nothing is ever right."""
        if not self._checks or (evidence.infeasible and self._feasible):
            return False
        return all(self._holds(name, wanted, evidence) for check in self._checks for name, wanted in check.items())

    def _holds(self, name: str, wanted: Any, evidence: Evidence) -> bool:
        if name == "answer_fuzzy":
            return says_the_same(self._model, evidence.instruction, wanted, evidence.answer)
        return JUDGED[name](wanted, evidence)


CHECKS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "answer_includes": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "answer_fuzzy": {"type": "string", "minLength": 1},
        "url": {"type": "string"},
        "page": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("url", "select", "attribute", "includes", "equals")},
            "required": ["select"],
            "additionalProperties": False,
        },
        "state": {
            "type": "object",
            "properties": {"host": {"type": "string"}, "path": {"type": "string"}, "equals": {}},
            "required": ["host", "path", "equals"],
            "additionalProperties": False,
        },
        "page_includes": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "event": {"type": "object", "required": ["type"]},
        "infeasible": {"type": "boolean"},
    },
    "additionalProperties": False,
}


def _answer_includes(wanted: Sequence[str], evidence: Evidence) -> bool:
    answer, texts = _clean(evidence.answer), [_clean(text) for text in wanted]
    return all(_includes(answer, text) for text in texts) and not offers_several(evidence.answer, texts)


def offers_several(answer: str, wanted: Sequence[str]) -> bool:
    """Whether an answer lists things to choose from, only some of which are wanted.

    Alternatives stand between `or`, semicolons, bars, slashes or lines. In a list with commas they are bare values
    beside a wanted value, or more words than are wanted.

    Args:
        answer: What was said.
        wanted: What it must hold, in lower case.
    """
    parts = [_clean(part) for part in ALTERNATIVES.split(answer) if part.strip()]
    if len(parts) > 1 and any(not any(_includes(part, text) for text in wanted) for part in parts):
        return True
    listed = [_clean(part) for part in re.split(r",\s+|\sand\s", answer) if part.strip()]
    others = [part for part in listed if not any(_includes(part, text) for text in wanted)]
    if any(VALUE.fullmatch(text) for text in wanted) and any(VALUE.fullmatch(part) for part in others):
        return True
    return len([part for part in others if len(part.split()) <= 3]) > max(1, len(wanted))


def _page_includes(wanted: Sequence[str], evidence: Evidence) -> bool:
    shown = " ".join(evidence.text.split()).lower()
    return all(" ".join(text.split()).lower() in shown for text in wanted)


def _event(wanted: Mapping[str, Any], evidence: Evidence) -> bool:
    return any(all(event.get(key) == value for key, value in wanted.items()) for event in evidence.events)


def _page(wanted: Mapping[str, str], evidence: Evidence) -> bool:
    if evidence.look is None:
        return False
    found = [
        _clean(text) for text in evidence.look(wanted.get("url", ""), wanted["select"], wanted.get("attribute", ""))
    ]
    if "equals" in wanted:
        return _clean(wanted["equals"]) in found
    return any(_clean(wanted.get("includes", "")) in text for text in found)


def _state(wanted: Mapping[str, Any], evidence: Evidence) -> bool:
    value = evidence.states.get(wanted["host"])
    for key in filter(None, wanted["path"].split("/")):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, (list, tuple)) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False
    return bool(value == wanted["equals"]) and isinstance(value, bool) == isinstance(wanted["equals"], bool)


JUDGED: dict[str, Callable[[Any, Evidence], bool]] = {
    "answer": lambda wanted, evidence: _clean(evidence.answer) == _clean(wanted),
    "answer_includes": _answer_includes,
    "url": lambda wanted, evidence: _same_page(wanted, evidence.url),
    "page_includes": _page_includes,
    "page": _page,
    "state": _state,
    "event": _event,
    "infeasible": lambda wanted, evidence: evidence.infeasible == wanted,
}


def _clean(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES:
        text = text[1:-1]
    return " ".join(text.lower().split())


def _includes(answer: str, text: str) -> bool:
    return text in re.findall(r"\w+", answer) if len(text) == 1 else text in answer


def _same_page(wanted: str, url: str) -> bool:
    """Equal host and path; a prefix or a part of the address is not enough."""
    there, here = urlsplit(wanted), urlsplit(url)
    if (there.netloc.lower(), there.path.rstrip("/")) != (here.netloc.lower(), here.path.rstrip("/")):
        return False
    given = parse_qs(here.query)
    return all(set(values) & set(given.get(key, ())) for key, values in parse_qs(there.query).items())


PROMPT = """You judge whether a web agent did what it was asked. Answer with one JSON object, {{"done": true}} or
{{"done": false}}, and nothing else. {quoted}

Task: {instruction}
The agent's answer: {answer}
Actions: {actions}
Address of the last page: {url}
Text of the last page:
{text}"""


COMPARE = """You compare an answer with the right one. Answer with one JSON object, {{"same": true}} if it says the
same, or {{"same": false}} if it says something else, less, or several things to choose from, and nothing else. {quoted}

Question: {question}
Right answer: {wanted}
Answer: {answer}"""


def says_the_same(model: TextModel | None, question: str, wanted: str, answer: str) -> bool:
    """Whether an answer says the same as the right one in other words.

    Args:
        model: Decides. Without one, an answer in nearly the same words, in any order, with the same numbers does.
        question: What was asked.
        wanted: The right answer.
        answer: The one given.
    """
    said, right = _clean(answer), _clean(wanted)
    if said == right:
        return True
    if not said:
        return False
    if model is None:
        return fuzz.token_sort_ratio(said, right) >= SAME and re.findall(r"\d+", said) == re.findall(r"\d+", right)

    def asked(of_agent: bool) -> str:
        shown = quoted(answer[:LONGEST]) if of_agent else "(none)"
        return COMPARE.format(quoted=QUOTED, question=quoted(question), wanted=quoted(wanted), answer=shown)

    return _ask(model, asked, "same")


class ModelJudge:
    """Asks a language model, as PAE does (Zhou et al. 2024, arXiv:2412.13194).

    All that the agent wrote stands in the question as one line of JSON, cut to a bounded length. Words of an agent that
    keep the model from a verdict are no success and void nothing; see `ask_verdict`.

    Args:
        model: Any text model; calls are recorded and replayed as everywhere.
        longest: Characters of the page that it is shown.
    """

    def __init__(self, model: TextModel, longest: int = 6000):
        self._model = model
        self._longest = longest

    def judge(self, evidence: Evidence) -> bool:
        """Whether the model says that the task was done.

        Raises:
            EndpointError: if it answers in other words than the JSON it was asked for, whatever the agent did.
        """

        def asked(of_agent: bool) -> str:
            did = [each[:LONGEST_ACTION] for each in evidence.actions[-30:]] if of_agent else []
            return PROMPT.format(
                quoted=QUOTED,
                instruction=quoted(evidence.instruction),
                answer=quoted(evidence.answer[:LONGEST]) if of_agent and evidence.answer else "(none)",
                actions=quoted("; ".join(did)) if did else "(none)",
                url=quoted(evidence.url[:LONGEST_ACTION]) if of_agent else "(none)",
                text=quoted(evidence.text[: self._longest]) if of_agent else "(none)",
            )

        return _ask(self._model, asked, "done")


def _ask(model: TextModel, prompt: Callable[[bool], str], key: str) -> bool:
    """A model's verdict, which is no where the agent's own words keep it from one."""

    def about(of_agent: bool) -> list[Message]:
        return [{"role": "user", "content": prompt(of_agent)}]

    def read(text: str) -> bool | None:
        return closing_object(text, key)

    what = f'{{"{key}": true}} or {{"{key}": false}}'
    return bool(ask_verdict(model, about, read, seeds=range(TRIES), what=what).value)


def complete(model: TextModel, prompt: str) -> str:
    """The answer of `model` to `prompt`, which is all that it is told."""
    return model.complete([{"role": "user", "content": prompt}]).text


def spoken(record: str) -> Iterator[tuple[str, str]]:
    """Who said what, in order: `Player` or `World`, and the words.

    Args:
        record: What the wrapper JudgeReward shows its judge after the task.
    """
    for line in record.splitlines():
        if match := SPOKEN.fullmatch(line):
            yield match[1], json.loads(match[2])
