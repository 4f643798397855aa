"""Formulas: a parser of its own over numbers, cells, ranges, four operations and a few functions; nothing is evaluated
as code. One pass over the tokens, so time grows with the formula's length and the cells it names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError

DEEPEST, LARGEST, DIGITS = 24, 10.0**12, 4  # brackets inside each other; of a value; decimals that are kept
TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,12}(?:\.\d{1,8})?)(?![\w.])|(?P<cells>[A-Za-z]\d{1,3}(?::[A-Za-z]\d{1,3})?)(?!\w)"
    r"|(?P<name>[A-Za-z]{2,12})(?=\s*\()|(?P<sign>[-+*/(),]))"
)
Values = Sequence[float]


def _mean(values: Values) -> float:
    if not values:
        raise ToolError("AVERAGE needs at least one number; the cells hold none.")
    return math.fsum(values) / len(values)


def _minus(values: Values) -> float:
    return values[0] - math.fsum(values[1:]) if values else 0.0


def _absolute(values: Values) -> float:
    if len(values) != 1:
        raise ToolError(f"ABS takes one number, got {len(values)}; write it like =ABS(B2-C2).")
    return abs(values[0])


def _rounded(values: Values) -> float:
    if len(values) != 2 or values[1] not in range(9):
        raise ToolError("ROUND takes a number and how many decimals, 0 to 8; write it like =ROUND(B2*1.1, 2).")
    return round(values[0], int(values[1]))


FUNCTIONS: dict[str, Callable[[Values], float]] = {
    "SUM": math.fsum,
    "AVERAGE": _mean,
    "COUNT": lambda values: float(len(values)),
    "MAX": lambda values: max(values, default=0.0),
    "MIN": lambda values: min(values, default=0.0),
    "MINUS": _minus,
    "PRODUCT": math.prod,
    "ABS": _absolute,
    "ROUND": _rounded,
}


def kept(value: float) -> int | float:
    """A number as a cell keeps it: rounded to four decimals, whole where it is.

    Raises:
        ToolError: if it is too large.
    """
    if not abs(value) <= LARGEST:  # nor NaN
        raise ToolError(f"The result is too large; values go up to {LARGEST:.0e}.")
    rounded = round(float(value), DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded


def compute(text: str, cells: Callable[[str], Values]) -> int | float:
    """The value of a formula.

    Args:
        text: Without the equals sign in front.
        cells: The numbers in a cell (`B2`) or range (`B2:D9`).

    Raises:
        ToolError: if it is no formula, divides by zero, or nests too deep.
    """
    return kept(_Parser(text, cells).whole())


class _Parser:
    def __init__(self, text: str, cells: Callable[[str], Values]):
        self._cells, self._text, self._at, self._depth = cells, text, 0, 0
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if match is None:
                raise self._wrong(f"{shorten(text[at:].strip(), 20)!r} has no place in it")
            self._tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
            at = match.end()

    def _wrong(self, why: str) -> ToolError:
        return ToolError(
            f"{shorten(self._text, 40)!r} is no formula: {why}; use numbers, cells, + - * / ( ) and "
            f"{', '.join(FUNCTIONS)}, such as =SUM(B2:B9)*2."
        )

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, sign: str) -> None:
        if self._peek() != sign:
            raise self._wrong(f"{sign!r} is missing")
        self._at += 1

    def whole(self) -> float:
        value = self._sum()
        if self._at < len(self._tokens):
            raise self._wrong(f"{self._peek()!r} has no place in it")
        return value

    def _sum(self) -> float:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} brackets or signs inside each other")
        value = self._product()
        while self._peek() in ("+", "-"):
            sign = self._peek()
            self._at += 1
            other = self._product()
            value = value + other if sign == "+" else value - other
        self._depth -= 1
        return value

    def _product(self) -> float:
        value = self._factor()
        while self._peek() in ("*", "/"):
            sign = self._peek()
            self._at += 1
            other = self._factor()
            if sign == "/" and other == 0:
                raise self._wrong("it divides by zero")
            value = value * other if sign == "*" else value / other
        return value

    def _factor(self) -> float:
        sign = 1
        while self._peek() == "-":
            sign, self._at = -sign, self._at + 1
        if self._at >= len(self._tokens):
            raise self._wrong("something is missing at its end")
        kind, said = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return sign * float(said)
        if kind == "cells":
            return sign * self._cell(said)
        if kind == "name":
            return sign * self._call(said.upper())
        if said != "(":
            raise self._wrong(f"{said!r} has no place in it")
        value = self._sum()
        self._take(")")
        return sign * value

    def _cell(self, said: str) -> float:
        values = self._cells(said)
        if ":" in said or len(values) != 1:
            raise self._wrong(f"{said} is no single number")
        return values[0]

    def _call(self, name: str) -> float:
        if name not in FUNCTIONS:
            raise self._wrong(f"there is no function {shorten(name, 12)}")
        self._take("(")
        values: list[float] = []
        while True:
            kind, said = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
            after = self._tokens[self._at + 1][1] if self._at + 1 < len(self._tokens) else ""
            if kind == "cells" and after in (",", ")"):
                values += self._cells(said)
                self._at += 1
            else:
                values.append(self._sum())
            if self._peek() != ",":
                break
            self._at += 1
        self._take(")")
        return FUNCTIONS[name](values)
