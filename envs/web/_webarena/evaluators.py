"""WebArena's evaluators: `string_match`, `url_match` and `program_html`, whose product is the score (0 or 1).

Zhou et al. 2024, arXiv:2307.13854. The verdicts are those of the published evaluators; `strict` closes what they let
pass.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import ParseResult, parse_qs, urlparse

from agentgym.core.tasks import Spec
from agentgym.core.text_model import TextModel
from agentgym.envs.web._browser.judge import offers_several, says_the_same
from agentgym.envs.web._webarena.helpers import AS_LOCATOR, AS_URL, View, read_helper

UNACHIEVABLE = "N/A"
OR = " |OR| "
ARRANGING = {"notice", "sort", "down", "period"}  # keys of addresses that say how something is shown, and not what
# Where a tokenizer of the Penn Treebank's kind ends one token and begins the next, around a single letter or digit.
APART = r"\s;@#$%&?!*()\[\]{}<>\"«»“”‘’„`"
BEFORE = re.compile(rf"(?:^|[{APART}']|\.\.|--)\Z")
AFTER = re.compile(
    rf"(?:$|[{APART}]|[:,](?:\D|$)|\.[\])}}>\"'»”’]*(?:\s|$)|\.\.|--|'(?:[smd]?(?:\s|$)|ll\b|re\b|ve\b))"
)


@dataclass(frozen=True)
class Rules:
    """How a task is judged.

    Args:
        addresses: Address by site name, for the helpers that ask a site.
        model: Compares answers in `fuzzy_match`, and reasons why a task cannot be done. Without one, a fuzzy answer
            must have nearly the same words and the same numbers, and no reason is accepted in place of `N/A`.
        strict: Whether an address must be the reference's host and path, not merely hold it, and have no filter more;
            and an answer that offers several things to choose from is wrong.
    """

    addresses: Mapping[str, str] = field(default_factory=dict)
    model: TextModel | None = None
    strict: bool = False


def evaluate(config: Spec, answer: str, view: View, rules: Rules) -> bool:
    """Whether all evaluators of a config hold.

    Args:
        config: The task's record, with addresses put in.
        answer: What the agent said when it stopped; empty for nothing.
        view: The browser as the agent left it.
        rules: How it is judged.
    """
    given = config["eval"]
    kinds = {
        "string_match": lambda: answers_match(config, answer, rules),
        "url_match": lambda: url_matches(given["reference_url"], view.url, strict=rules.strict),
        "program_html": lambda: all(_target_holds(target, view, rules) for target in given["program_html"]),
    }
    return all(kinds[kind]() for kind in given["eval_types"])


def clean(text: str) -> str:
    """A text without surrounding space and one pair of quotes, in lower case."""
    text = text.strip()
    for quote in ("'", '"'):
        if text.startswith(quote) and text.endswith(quote):
            return text[1:-1].lower()
    return text.lower()


def includes(text: str, wanted: str, *, alone: bool = False) -> bool:
    """Whether a text holds another.

    Args:
        text: What is searched.
        wanted: What must stand in it.
        alone: Whether a single character must be a word of its own.
    """
    text, wanted = clean(text), clean(wanted)
    if not alone or len(wanted) != 1:
        return wanted in text
    places = [match.start() for match in re.finditer(re.escape(wanted), text)]
    return any(_ends_before(text[:at], wanted) and AFTER.match(text, at + 1) for at in places)


def _ends_before(head: str, following: str) -> bool:
    """Whether what stands before a character ends a token: a comma or colon does, but not before a digit."""
    return bool(BEFORE.search(head)) or (head.endswith((",", ":")) and not following.isdigit())


def answers_match(config: Spec, answer: str, rules: Rules) -> bool:
    """`string_match`: exact, every phrase included, or the same in other words.

    Args:
        config: The task's, with the reference answers.
        answer: What the agent said.
        rules: How strictly texts are compared, and who judges other words.
    """
    said = clean(answer)
    for kind, wanted in config["eval"]["reference_answers"].items():
        if kind == "exact_match":
            right = clean(said) == clean(wanted)
        elif kind == "must_include":
            right = all(includes(said, one, alone=len(wanted) == 1) for one in wanted)
            right = right and not (rules.strict and offers_several(answer, [clean(one) for one in wanted]))
        elif wanted == UNACHIEVABLE:
            right = clean(said) == clean(UNACHIEVABLE) or _same_reason(config, said, rules.model)
        else:
            right = all(says_the_same(rules.model, str(config["intent"]), one, said) for one in wanted)
        if not right:
            return False
    return True


def _same_reason(config: Spec, said: str, model: TextModel | None) -> bool:
    if model is None or not said:
        return False
    reason = config["eval"].get("string_note") or config.get("string_note", "")
    return says_the_same(model, f"Why can this not be done: {config['intent']}", str(reason), said)


def url_matches(reference: str, url: str, *, strict: bool = False) -> bool:
    """`url_match`: some reference's host and path stand in the address, and it has one of the values of each query key.

    Args:
        reference: Addresses with ` |OR| ` between them.
        url: The last page's.
        strict: Whether host and path must be equal, and no other key may narrow down what the page shows.
    """
    wanted = [urlparse(one.rstrip("/")) for one in reference.split(OR)]
    here = urlparse(url.rstrip("/"))
    if strict:
        there = any(_place(one).rstrip("/") == _place(here).rstrip("/") for one in wanted)
    else:
        there = any(_place(one) in _place(here) for one in wanted)
    values: dict[str, set[str]] = {}
    for one in wanted:
        for key, found in parse_qs(one.query).items():
            values.setdefault(key, set()).update(found)
    given = parse_qs(here.query)
    named = all(possible & set(given.get(key, ())) for key, possible in values.items())
    if strict:  # a filter more, or one twice, shows something else
        named = named and all(
            set(found) <= values[key] if key in values else not _narrows(key, found) for key, found in given.items()
        )
    return there and named


def _narrows(key: str, values: Sequence[str]) -> bool:
    """Whether a key of an address leaves out something that its page would show without it."""
    return key not in ARRANGING and not (key == "page" and set(values) == {"1"})


def _place(url: ParseResult) -> str:
    return url.netloc + url.path


def _target_holds(target: Spec, view: View, rules: Rules) -> bool:
    """Open the page of a target, read what its locator finds there, and compare."""
    url, locator = str(target["url"]), str(target["locator"]).strip()
    called = read_helper(url, AS_URL) if url.startswith("func") else None
    if called is not None:
        arguments = [argument.replace("__last_url__", view.url) for argument in called.arguments]
        url = AS_URL[called.name][1](view, rules.addresses, *arguments)
    if url != "last":
        view.open(url)
    return contents_hold(target["required_contents"], html.unescape(_read(target, locator, view, rules)))


def _read(target: Spec, locator: str, view: View, rules: Rules) -> str:
    if not locator:
        return view.content()
    called = read_helper(locator, AS_LOCATOR)
    if called is not None:
        return AS_LOCATOR[called.name][1](view, rules.addresses, *called.arguments)
    for script in target.get("prep_actions", ()):
        if view.evaluate(script) is None:
            break
    return view.evaluate(locator) or ""


def contents_hold(wanted: Mapping[str, Any], found: str) -> bool:
    """Whether what a locator found is what a target requires: equal, or holding one of the alternatives of every entry.

    Args:
        wanted: `exact_match` or `must_include`.
        found: What the page shows there.
    """
    if "exact_match" in wanted:
        return clean(found) == clean(wanted["exact_match"])
    entries: Sequence[str] = wanted["must_include"]
    return all(any(includes(found, one) for one in entry.split(OR)) for entry in entries)
