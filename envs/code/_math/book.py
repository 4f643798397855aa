"""Problems from typed generators: a function that computes the answer, slots that its arguments come from, and words.

The function is at once the gold answer, computed here, and the gold program, whose source is what a player sends to the
tool. So the two cannot differ, and no answer depends on where programs run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from agentgym.core.errors import GrammarError

Answer = int | Fraction
SLOT = re.compile(r"\{(\w+)\}")
LEAST, LONGEST = 10, 10**15  # of an answer that is a whole number
LEAST_PART = 7  # of the denominator of one that is a fraction
ENDINGS = {
    "whole": ("Answer with a whole number.", "Give the answer as an integer.", "What is it, as a whole number?"),
    "fraction": (
        "Answer with a fraction a/b in lowest terms.",
        "Give the exact value as a fraction such as 3/8.",
        "Write the exact answer as a/b, fully reduced.",
    ),
}


class Slot(Protocol):
    """A kind of argument."""

    @property
    def pattern(self) -> str:
        """Regular expression of its words."""

    def draw(self, rng: np.random.Generator) -> Any:
        """A value, plain data."""

    def words(self, value: Any) -> str:
        """A value in words."""

    def read(self, text: str) -> Any:
        """The value of words."""


@dataclass(frozen=True)
class Int:
    """A whole number from `low` to `high`."""

    low: int
    high: int
    pattern: str = r"\d+"

    def draw(self, rng: np.random.Generator) -> int:
        """A value."""
        return int(rng.integers(self.low, self.high + 1))

    def words(self, value: int) -> str:
        """Its digits."""
        return str(value)

    def read(self, text: str) -> int:
        """The number of digits."""
        return int(text)


@dataclass(frozen=True)
class Ints:
    """So many whole numbers from `low` to `high`, all different if they are to be."""

    count: int
    low: int
    high: int
    different: bool = False
    pattern: str = r"-?\d+(?:, -?\d+)+"

    def draw(self, rng: np.random.Generator) -> list[int]:
        """A value."""
        found = rng.choice(np.arange(self.low, self.high + 1), self.count, replace=not self.different)
        return [int(each) for each in found]

    def words(self, value: Sequence[int]) -> str:
        """The numbers with commas."""
        return ", ".join(map(str, value))

    def read(self, text: str) -> list[int]:
        """The numbers in a text."""
        return [int(each) for each in text.split(", ")]


@dataclass(frozen=True)
class Points:
    """So many different points with coordinates from 0 to `most`."""

    count: int
    most: int
    pattern: str = r"\(\d+, \d+\)(?:, \(\d+, \d+\))*"

    def draw(self, rng: np.random.Generator) -> list[list[int]]:
        """A value."""
        side = self.most + 1
        return [[int(at) // side, int(at) % side] for at in rng.choice(side * side, self.count, replace=False)]

    def words(self, value: Sequence[Sequence[int]]) -> str:
        """The points in brackets."""
        return ", ".join(f"({x}, {y})" for x, y in value)

    def read(self, text: str) -> list[list[int]]:
        """The points in a text."""
        return [[int(x), int(y)] for x, y in re.findall(r"\((\d+), (\d+)\)", text)]


@dataclass(frozen=True)
class Edges:
    """A connected graph: so many nodes from 1, so many edges, with weights up to `heaviest` if that is above 0."""

    nodes: int
    count: int
    heaviest: int = 0
    pattern: str = r"\d+-\d+(?: \(\d+\))?(?:, \d+-\d+(?: \(\d+\))?)*"

    def draw(self, rng: np.random.Generator) -> list[list[int]]:
        """A value: a tree drawn at random, and other edges."""
        order = [int(each) + 1 for each in rng.permutation(self.nodes)]
        pairs = {tuple(sorted((node, order[int(rng.integers(at))]))) for at, node in enumerate(order) if at}
        rest = [(a, b) for a in range(1, self.nodes + 1) for b in range(a + 1, self.nodes + 1) if (a, b) not in pairs]
        more = rng.permutation(len(rest))[: self.count - len(pairs)]
        found = sorted([*pairs, *(rest[int(at)] for at in more)])
        weight = [[int(rng.integers(1, self.heaviest + 1))] if self.heaviest else [] for _ in found]
        return [[*pair, *extra] for pair, extra in zip(found, weight, strict=True)]

    def words(self, value: Sequence[Sequence[int]]) -> str:
        """The edges, each with its weight in brackets if it has one."""
        return ", ".join(f"{a}-{b}" + "".join(f" ({each})" for each in rest) for a, b, *rest in value)

    def read(self, text: str) -> list[list[int]]:
        """The edges in a text."""
        return [[int(number) for number in re.findall(r"\d+", part)] for part in text.split(", ")]


@dataclass(frozen=True)
class Problem:
    """A kind of problem.

    Attributes:
        name: Of the computation.
        topic: One of seven.
        wordings: Ways to ask it, each with all slots in braces.
        slots: By the name of an argument.
        function: Arguments to the answer; None where they make no problem worth asking.
    """

    name: str
    topic: str
    wordings: tuple[str, ...]
    slots: Mapping[str, Slot]
    function: Callable[..., Answer | None]

    @cached_property
    def source(self) -> str:
        """The function without what stands above it and around it."""
        text = inspect.getsource(self.function)
        return text[text.index("def ") :].replace(" -> Answer | None", "").replace(" -> Answer", "").rstrip()

    def program(self, arguments: Mapping[str, Any]) -> str:
        """The gold program: the function, and a line that prints what it gives."""
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        return f"{self.source}\n\nprint({self.function.__name__}({given}))\n"

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        """Arguments."""
        return {name: slot.draw(rng) for name, slot in self.slots.items()}

    def solve(self, arguments: Mapping[str, Any]) -> Answer | None:
        """The answer; None if it would be too easy to guess."""
        found = self.function(**arguments)
        if found is None:
            return None
        if isinstance(found, Fraction) and found.denominator > 1:
            fits = found.denominator >= LEAST_PART and max(abs(found.numerator), found.denominator) < LONGEST
            return found if fits else None
        whole = int(found)
        return whole if LEAST <= whole < LONGEST and whole not in _numbers(arguments) else None

    def word(self, wording: int, arguments: Mapping[str, Any], answer: Answer) -> str:
        """A problem in words.

        Args:
            wording: Any whole number; each stands for a way to say it.
            arguments: Values of the slots.
            answer: The answer, which decides what kind of number is asked for.
        """
        endings = ENDINGS["fraction" if isinstance(answer, Fraction) else "whole"]
        number, ending = wording % len(self.wordings), wording // len(self.wordings) % len(endings)
        shown = {name: slot.words(arguments[name]) for name, slot in self.slots.items()}
        return f"{self.wordings[number].format(**shown)} {endings[ending]}"

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        """How its words are read."""
        ending = "|".join(re.escape(each) for kind in ENDINGS.values() for each in kind)
        found = []
        for wording in self.wordings:
            parts, known, shown = SLOT.split(wording), set[str](), ""
            for at, part in enumerate(parts):
                named = f"(?P={part})" if part in known else f"(?P<{part}>{self.slots[part].pattern})" if at % 2 else ""
                known |= {part} if at % 2 else set()
                shown += named if at % 2 else re.escape(part)
            found.append(re.compile(f"{shown} (?:{ending})"))
        return found

    def read(self, question: str) -> dict[str, Any] | None:
        """Arguments from the words of a question; None if it is of another kind."""
        for pattern in self.patterns:
            match = pattern.fullmatch(question)
            if match:
                return {name: slot.read(match[name]) for name, slot in self.slots.items()}
        return None


def _numbers(value: Any) -> set[int]:
    """Every number in arguments: an answer that is among them could be guessed."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return {number for each in value for number in _numbers(each)}
    return {value}


@dataclass
class Book:
    """All problems, by name."""

    problems: dict[str, Problem] = field(default_factory=dict)

    def topic(self, topic: str) -> Callable[..., Callable[[Callable[..., Answer | None]], Callable[..., Any]]]:
        """What puts the functions of a module into the book; see `problem`."""

        def problem(*wordings: str, **slots: Slot) -> Callable[[Callable[..., Answer | None]], Callable[..., Any]]:
            def put(function: Callable[..., Answer | None]) -> Callable[..., Any]:
                made = Problem(function.__name__.lstrip("_"), topic, wordings, slots, function)
                wrong = [each for each in wordings if set(SLOT.findall(each)) != set(slots)]
                if wrong or made.name in self.problems or set(slots) != set(inspect.signature(function).parameters):
                    raise GrammarError(f"the problem {made.name} is there twice, or its slots do not fit: {wrong}")
                self.problems[made.name] = made
                return function

            return put

        return problem


BOOK = Book()
