"""Arithmetic in words: formulas over whole numbers, read by a parser, valued exactly, and found by search.

Nothing is evaluated: a formula is cut into tokens, which are read in one pass, and computed exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

OPERATORS = "+-*/"
LONGEST = 200  # characters of a formula
DEEPEST = 20  # brackets inside brackets
LARGEST = 10**6  # a number in a formula
_TOKEN = re.compile(r"\s*(?:(\d+)|([-+*/()]))", re.ASCII)
_TOKENS = re.compile(r"\d+|[-+*/()]", re.ASCII)
_SPELT = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")"})


class FormulaError(ValueError):
    """A text is no formula; the message says what is wrong and where, in one clause."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read.

    Attributes:
        value: What it comes to, exactly.
        numbers: The numbers in it, in the order they stand.
        operators: The operators in it, in the order they stand.
    """

    value: Fraction
    numbers: tuple[int, ...]
    operators: tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Numbers, operators and brackets of a text; typographic signs become plain ones.

    Raises:
        FormulaError: if something else stands in it, or it is too long.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"it has {len(text)} characters, at most {LONGEST} are read")
    plain = (text if text.isascii() and "[" not in text and "]" not in text else text.translate(_SPELT)).strip()
    found, place = _TOKENS.findall(plain), 0
    if "".join(found) != "".join(plain.split()):  # something else stands in it; find out what
        while (match := _TOKEN.match(plain, place)) is not None:
            place = match.end()
        raise FormulaError(f"{plain[place:].lstrip()[0]!r} is neither a whole number nor one of + - * / ( )")
    for number, token in enumerate(found):
        if len(token) > 1:
            if len(token) > 7 or int(token) > LARGEST:
                raise FormulaError(f"a number in it is larger than {LARGEST}")
            found[number] = str(int(token))
    return found


def parse(text: str | Sequence[str]) -> Formula:
    """Read a formula given as text, or as its tokens.

    Products and quotients come before sums and differences, each from left to right; there are no signs, so `-3` is no
    number.

    Raises:
        FormulaError: if it is none, or divides by zero.
    """
    found = tokens(text) if isinstance(text, str) else list(text)
    if not found:
        raise FormulaError("it is empty")
    above, below = _ratio(found)
    numbers = tuple([int(token) for token in found if token.isdigit()])
    return Formula(Fraction(above, below), numbers, tuple([token for token in found if token in OPERATORS]))


def _ratio(found: Sequence[str]) -> tuple[int, int]:
    """What tokens come to, as numerator and denominator, which need not be in lowest terms.

    One pass: a sum so far, the product that will be added to it, and the same of each bracket that is still open.
    """
    outer: list[tuple[int, int, int, int, bool]] = []
    above, below, over, under, divide, needed = 0, 1, 1, 1, False, True
    for token in found:
        if needed and token.isdigit():
            number, unit = int(token), 1
        elif needed:
            if token != "(":
                raise FormulaError(f"{token!r} stands where a number or an opening bracket should be")
            if len(outer) == DEEPEST:
                raise FormulaError(f"it has more than {DEEPEST} brackets inside each other")
            outer.append((above, below, over, under, divide))
            above, below, over, under, divide = 0, 1, 1, 1, False
            continue
        elif token in "+-":
            above, below = above * under + over * below, below * under
            over, under, divide, needed = 1 if token == "+" else -1, 1, False, True
            continue
        elif token in "*/":
            divide, needed = token == "/", True
            continue
        elif token == ")" and outer:
            number, unit = above * under + over * below, below * under
            above, below, over, under, divide = outer.pop()
        else:
            wrong = "a bracket is not closed" if outer else f"{token!r} stands where an operator or the end should be"
            raise FormulaError(wrong)
        if divide and number == 0:
            raise FormulaError("it divides by zero")
        over, under = (over * unit, under * number) if divide else (over * number, under * unit)
        needed = False
    if needed:
        raise FormulaError("a number or an opening bracket is missing at its end")
    if outer:
        raise FormulaError("a bracket is not closed")
    return above * under + over * below, below * under


@dataclass(frozen=True, slots=True)
class _Term:
    """A formula found by search: its text, and how tightly it binds (0 sum, 1 product, 2 number)."""

    text: str
    binds: int


def solve(numbers: Sequence[int], target: int, operators: str = OPERATORS) -> str:
    """A formula that uses each of the `numbers` exactly once and comes to `target`; empty if there is none.

    Only the given `operators`, of `+-*/`, stand in it.
    """
    term = _reach(tuple(sorted(numbers)), operators).get(Fraction(target))
    return term.text if term else ""


def solvable(numbers: Sequence[int], target: int, operators: str = OPERATORS) -> bool:
    """Whether the `numbers`, each used exactly once with the `operators`, can come to `target`.

    It is quicker than finding all that they can come to.
    """
    return _meets(tuple(sorted(numbers)), target, operators)


def find(numbers: Sequence[int], target: int, operators: str = OPERATORS) -> str:
    """As `solve`, with the same `numbers`, `target` and `operators`, but from the target down.

    So six numbers take a fraction of a second. The formula may be another one.
    """
    term = _find(tuple(sorted(numbers)), Fraction(target), operators)
    return term.text if term else ""


@lru_cache(maxsize=16_384)
def _find(numbers: tuple[int, ...], wanted: Fraction, operators: str) -> _Term | None:
    if len(numbers) <= 4:  # all that four numbers can come to is some thousand values, and serves every target
        return _reach(numbers, operators).get(wanted)
    for one, other in _parts(numbers):
        for value, term in _reach(one, operators).items():
            for need in _needs(value, wanted, operators):
                rest = _find(other, need, operators)
                if rest is not None:
                    return dict(_joined(value, term, need, rest, operators))[wanted]
    return None


@lru_cache(maxsize=4096)
def _meets(numbers: tuple[int, ...], target: int, operators: str) -> bool:
    if len(numbers) == 1:
        return numbers[0] == target
    wanted = Fraction(target)
    return any(
        need in right
        for left, right in _splits(numbers, operators)
        for value in left
        for need in _needs(value, wanted, operators)
    )


def _needs(value: Fraction, wanted: Fraction, operators: str) -> Iterator[Fraction]:
    """What the other side must come to, so that an operator between the two gives `wanted`."""
    if "+" in operators:
        yield wanted - value
    if "-" in operators:
        yield value - wanted
        yield value + wanted
    if "*" in operators and value:
        yield wanted / value
    if "/" in operators and value:
        yield wanted * value
        if wanted:
            yield value / wanted


def _splits(numbers: tuple[int, ...], operators: str) -> Iterator[tuple[dict[Fraction, _Term], dict[Fraction, _Term]]]:
    """Every way to part the numbers in two, as what each part can come to."""
    for one, other in _parts(numbers):
        yield _reach(one, operators), _reach(other, operators)


def _parts(numbers: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every way to part the numbers in two, the smaller part first; mirror images are left out."""
    places = range(len(numbers))
    seen = set()
    for size in range(1, len(numbers) // 2 + 1):
        for chosen in combinations(places, size):
            one = tuple(numbers[place] for place in chosen)
            other = tuple(numbers[place] for place in places if place not in chosen)
            if (one, other) not in seen and (other, one) not in seen:
                seen.add((one, other))
                yield one, other


@lru_cache(maxsize=4096)
def _reach(numbers: tuple[int, ...], operators: str) -> dict[Fraction, _Term]:
    """Everything that the numbers, each used once, can come to, with one formula for it."""
    if len(numbers) == 1:
        return {Fraction(numbers[0]): _Term(str(numbers[0]), 2)}
    found: dict[Fraction, _Term] = {}
    for left, right in _splits(numbers, operators):
        for one, term in left.items():
            for other, second in right.items():
                for value, joined in _joined(one, term, other, second, operators):
                    found.setdefault(value, joined)
    return found


def _joined(
    one: Fraction, left: _Term, other: Fraction, right: _Term, operators: str
) -> Iterator[tuple[Fraction, _Term]]:
    if "+" in operators:
        yield one + other, _Term(f"{left.text}+{right.text}", 0)
    if "-" in operators:
        yield one - other, _Term(f"{left.text}-{_within(right, 1)}", 0)
        yield other - one, _Term(f"{right.text}-{_within(left, 1)}", 0)
    if "*" in operators:
        yield one * other, _Term(f"{_within(left, 1)}*{_within(right, 1)}", 1)
    if "/" in operators:
        if other:
            yield one / other, _Term(f"{_within(left, 1)}/{_within(right, 2)}", 1)
        if one:
            yield other / one, _Term(f"{_within(right, 1)}/{_within(left, 2)}", 1)


def _within(term: _Term, binds: int) -> str:
    """The term's text, in brackets if it binds more loosely than its place asks."""
    return term.text if term.binds >= binds else f"({term.text})"
