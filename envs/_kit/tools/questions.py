"""Questions from typed templates: wordings to draw from, the gold program of each, and a reader of questions.

A template is a program: a Python generator that yields calls `(tool, arguments)`, is sent their results, and returns
the answer (None for a task that is done by changing something). Played against the world's data it gives the gold
calls; played against what an agent has seen it gives the next call of an expert. So the two never disagree on what a
question means, and the expert knows nothing that was not shown to it: it reads the template and its arguments out of
the question's words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from agentgym.core.errors import GrammarError
from agentgym.envs._kit.tools.answers import ASKED, LISTS
from agentgym.envs._kit.tools.functions import Toolbox, ToolError

SLOT = re.compile(r"\{(\w+)\}")
TRIES = 10  # draws of arguments for a template before it counts as one that does not fit the data
MOST_CALLS = 30  # of a gold program
MOST_NAMES = 8  # of an answer that is a list
ARTICLED = ("United ", "Netherlands")  # how the names of countries begin that have an article in a sentence

Request = tuple[str, dict[str, Any]]
Program = Generator[Request, Any, Any]


class Unfit(Exception):
    """A program raises it where its arguments make no good question of the data: nothing found, or a tie."""


class Slot(NamedTuple):
    """An argument of questions.

    Attributes:
        pattern: Regular expression of its text.
        read: Text to value.
        pick: Draws a value, given a generator, the world's data and the arguments drawn before; None if there is none.
    """

    pattern: str
    read: Callable[[str], Any]
    pick: Callable[[np.random.Generator, Any, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Template:
    """A kind of question.

    Attributes:
        name: Of the computation.
        answer: Type of the answer, a key of `answers.ASKED`.
        hops: How many kinds of thing must be looked up one after the other, 1 to 4.
        wordings: Ways to say it, each with all slots in braces.
        program: Given the slots by name, yields calls and returns the answer.
    """

    name: str
    answer: str
    hops: int
    wordings: tuple[str, ...]
    program: Callable[..., Program]

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots, in the order of the first wording."""
        return tuple(dict.fromkeys(SLOT.findall(self.wordings[0])))


@dataclass(frozen=True)
class Trace:
    """A program played to its end: calls, the text of their results, and what it returned."""

    calls: tuple[Request, ...]
    texts: tuple[str, ...]
    answer: Any


@dataclass
class Book:
    """All templates of a world.

    Attributes:
        slots: By name, in the order in which they are drawn.
        templates: By name.
    """

    slots: Mapping[str, Slot]
    templates: dict[str, Template] = field(default_factory=dict)

    def ask(self, answer: str, hops: int, *wordings: str) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
        """A decorator that puts a program into the book under its name without underscores in front.

        Args:
            answer: Type of the answer.
            hops: As in `Template`.
            wordings: As in `Template`.

        Raises:
            GrammarError: if the wordings have different slots, or unknown ones.
        """

        def put(program: Callable[..., Program]) -> Callable[..., Program]:
            made = Template(program.__name__.lstrip("_"), answer, hops, wordings, program)
            for wording in wordings:
                if set(SLOT.findall(wording)) != set(made.slots) or not set(made.slots) <= set(self.slots):
                    raise GrammarError(f"the wordings of {made.name} must have the same known slots: {wording!r}")
            if made.name in self.templates or answer not in ASKED:
                raise GrammarError(f"{made.name!r} is in the book already, or answers with an unknown type {answer!r}")
            self.templates[made.name] = made
            return program

        return put

    def draw(self, template: Template, rng: np.random.Generator, data: Any) -> dict[str, Any] | None:
        """Arguments of a template; None if the data have nothing for a slot.

        Args:
            template: One of the book's.
            rng: Draws them.
            data: The world's.
        """
        found: dict[str, Any] = {}
        for name in (name for name in self.slots if name in template.slots):
            value = self.slots[name].pick(rng, data, found)
            if value is None:
                return None
            found[name] = value
        return found

    def word(self, template: Template, wording: int, arguments: Mapping[str, Any]) -> str:
        """A question in words, with a sentence on the type of its answer.

        Args:
            template: One of the book's.
            wording: Any whole number; each stands for a way to say it.
            arguments: Values of the slots.
        """
        endings = ASKED[template.answer]
        number, ending = wording % len(template.wordings), wording // len(template.wordings) % len(endings)
        return f"{template.wordings[number].format(**arguments)} {endings[ending]}"

    @cached_property
    def _patterns(self) -> list[tuple[Template, re.Pattern[str]]]:
        found = []
        for template in self.templates.values():
            ending = "|".join(map(re.escape, ASKED[template.answer]))
            for wording in template.wordings:
                parts = SLOT.split(wording)
                shown = "".join(
                    re.escape(part) if at % 2 == 0
                    else f"(?P={part})" if part in parts[1:at:2]
                    else f"(?P<{part}>{self.slots[part].pattern})"
                    for at, part in enumerate(parts)
                )  # fmt: skip
                found.append((template, re.compile(f"{shown} (?:{ending})")))
        return found

    def read(self, question: str) -> list[tuple[Template, dict[str, Any]]]:
        """Every way to read a question: template and arguments, from its words alone."""
        found: list[tuple[Template, dict[str, Any]]] = []
        for template, pattern in self._patterns:
            match = pattern.fullmatch(question)
            if match:
                found.append((template, {name: self.slots[name].read(match[name]) for name in template.slots}))
        return found


render = json.JSONEncoder(ensure_ascii=False).encode  # the result of a tool as an agent reads it


def written(request: Request) -> str:
    """A call as the action that makes it."""
    return render({"name": request[0], "arguments": request[1]})


def play(program: Program, toolbox: Toolbox, data: Any) -> Trace:
    """Play a program against the world's data, which it may change.

    Args:
        program: Not yet begun.
        toolbox: The world's tools.
        data: What they read and change.

    Raises:
        Unfit: if the program finds nothing, ties, is refused by a tool, or needs too many calls.
    """
    calls: list[Request] = []
    texts: list[str] = []
    try:
        request = next(program)
        while True:
            if len(calls) >= MOST_CALLS:
                raise Unfit
            value = toolbox.run(request[0], data, request[1])
            calls.append(request)
            texts.append(render(value))
            request = program.send(value)
    except StopIteration as end:
        return Trace(tuple(calls), tuple(texts), end.value)
    except ToolError as error:
        raise Unfit from error


def proceed(program: Program, seen: Sequence[tuple[str, str]]) -> tuple[Request | None, Any]:
    """The next call of a program for somebody who has seen some results.

    Args:
        program: Not yet begun.
        seen: Calls as `written` with their results, in order; calls that the program does not make are passed over.

    Returns:
        The first call whose result was not seen in its turn, and None; or None and what the program returned.

    Raises:
        Unfit: if what was seen makes no sense to the program.
    """
    try:
        request, told = next(program), iter(seen)
        while True:
            said = written(request)
            text = next((text for call, text in told if call == said), None)
            if text is None:
                return request, None
            request = program.send(json.loads(text))
    except StopIteration as end:
        return None, end.value
    except (ValueError, KeyError, TypeError, IndexError) as error:  # a result that was altered on its way
        raise Unfit from error


def presentable(kind: str, answer: Any) -> bool:
    """Whether an answer makes a question worth asking: an amount above 0, a reading, a name, a list of a few names.

    Args:
        kind: Its type.
        answer: What a program returned.
    """
    if kind == "number":
        return answer is not None and answer > 0
    if kind == "reading":
        return answer is not None
    if kind in LISTS:
        return isinstance(answer, list) and 1 <= len(answer) <= MOST_NAMES
    return bool(answer) or kind == "state"


def one(found: Sequence[Any]) -> Any:
    """The only member of a sequence; a question whose answer is a tie is not asked.

    Raises:
        Unfit: if there are none or several.
    """
    if len(found) != 1:
        raise Unfit
    return found[0]


def best(values: Mapping[str, Any], sign: int = 1, among: int = 1) -> str:
    """The key of the greatest value, with `sign=-1` of the least; a question whose answer is a tie is not asked.

    Args:
        values: By key.
        sign: Which end.
        among: How many values there must be, from 1.

    Raises:
        Unfit: if there are fewer, or a tie.
    """
    if len(values) < among:
        raise Unfit
    top = max(values.values()) if sign > 0 else min(values.values())
    return str(one([key for key, value in values.items() if value == top]))


def several(count: int, least: int = 2) -> int:
    """A count that is not too small: where 1 is the usual answer, nobody need count.

    Args:
        count: The answer.
        least: What it must be.

    Raises:
        Unfit: if it is less.
    """
    if count < least:
        raise Unfit
    return count


def in_a_sentence(country: str) -> str:
    """The name of a country as a sentence has it, such as "the United Kingdom"."""
    return f"the {country}" if country.startswith(ARTICLED) else country


def by_itself(country: str) -> str:
    """The name of a country that stands in a sentence, as a list has it."""
    return country.removeprefix("the ")


def pick(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    """One of some values, as a slot draws it; None if there are none.

    Args:
        rng: Draws it.
        values: To draw from.
    """
    return values[int(rng.integers(len(values)))] if values else None
