"""Linear temporal logic on finite traces: a parser, and progression through one step at a time.

Formulas are nested tuples of text, so they are plain data: `("atom", name, ((field, value), ...))`, `("not", atom)`,
`("and", ...)`, `("or", ...)`, `("next", f)`, `("weak", f)`, `("until", f, g)`, `("release", f, g)`, `("true",)`,
`("false",)`. They are in negation normal form: `F f` is `true U f`, `G f` is `false R f`.

Source: De Giacomo and Vardi, Linear Temporal Logic and Linear Dynamic Logic on Finite Traces, IJCAI 2013; Bacchus and
Kabanza, Planning for Temporally Extended Goals, 1998, for progression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from agentgym.core import GrammarError
from agentgym.core.grammar import shorten

Formula = tuple[Any, ...]
Holds = Callable[[str, tuple[tuple[str, Any], ...]], bool]  # whether an atom with fields holds in a step
TRUE: Formula = ("true",)
FALSE: Formula = ("false",)
MORE: Formula = ("until", TRUE, TRUE)  # there is a further step
DONE: Formula = ("release", FALSE, FALSE)  # there is none
LONGEST, DEEPEST, LARGEST = 2_000, 40, 20_000  # characters of a formula, its nesting, parts of a progressed one
TOKEN = re.compile(r'\s*(->|[()!&|=,]|"[^"\n]*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*)')
DUAL = {"and": "or", "or": "and", "next": "weak", "weak": "next", "until": "release", "release": "until"}
PREFIX = {"X": "next", "N": "weak"}
HELP = "write events, !, &, |, ->, X (next), N (next, if any), F (once), G (always), U (until), R (release), W (unless)"


def parse(text: str) -> Formula:
    """The formula of a text.

    Loosest first: `->` (to the right), `|`, `&`, then `U`, `R`, `W` (to the right), then `!`, `X`, `N`, `F`, `G`. An
    atom is a name, which may ask for fields: `craft(item="stick", number=4)`.

    Raises:
        GrammarError: with the place.
    """
    if len(text) > LONGEST:
        raise GrammarError(f"a formula has at most {LONGEST} characters, this one {len(text)}")
    return _Parser(text).whole()


def negate(formula: Formula) -> Formula:
    """The negation, pushed down to the atoms."""
    kind = formula[0]
    if kind == "true":
        return FALSE
    if kind == "false":
        return TRUE
    if kind == "atom":
        return ("not", formula)
    if kind == "not":
        return formula[1]
    parts = [negate(part) for part in formula[1:]]
    return join(DUAL[kind], parts) if kind in ("and", "or") else (DUAL[kind], *parts)


def join(kind: str, parts: list[Formula]) -> Formula:
    """The conjunction or disjunction of formulas: flat, sorted, without doubles, contradictions and absorbed parts.

    Args:
        kind: `and` or `or`.
        parts: Formulas in negation normal form; none give `true` for `and`, `false` for `or`.
    """
    neutral, absorbing = (TRUE, FALSE) if kind == "and" else (FALSE, TRUE)
    found: set[Formula] = set()
    for part in parts:
        found.update(part[1:] if part[0] == kind else (part,))
    found.discard(neutral)
    if absorbing in found or any(part[0] == "not" and part[1] in found for part in found):
        return absorbing
    if len(found) > 1:
        other = "or" if kind == "and" else "and"
        found = {part for part in found if part[0] != other or not found.intersection(part[1:])}
    if len(found) < 2:
        return next(iter(found), neutral)
    return (kind, *sorted(found, key=repr))


def progress(formula: Formula, holds: Holds) -> Formula:
    """What the rest of the trace must satisfy after a step; `true` and `false` are verdicts that nothing can change.

    Args:
        formula: What the trace had to satisfy from this step on.
        holds: Whether an atom, of a name and fields, holds in this step.

    Raises:
        GrammarError: if that has grown beyond use.
    """
    known: dict[Formula, Formula] = {}

    def after(part: Formula) -> Formula:
        if part not in known:
            known[part] = _progress(part, holds, after)
        return known[part]

    result = after(formula)
    if size(result) > LARGEST:
        raise GrammarError(f"what is left of a rule has grown beyond {LARGEST} parts; write it more simply")
    return result


def _progress(part: Formula, holds: Holds, after: Callable[[Formula], Formula]) -> Formula:
    kind = part[0]
    if kind in ("true", "false"):
        return part
    if kind == "atom":
        return TRUE if holds(part[1], part[2]) else FALSE
    if kind == "not":
        return FALSE if holds(part[1][1], part[1][2]) else TRUE
    if kind in ("and", "or"):
        return join(kind, [after(one) for one in part[1:]])
    if kind == "next":
        return join("and", [MORE, part[1]])
    if kind == "weak":
        return join("or", [DONE, part[1]])
    first, second = after(part[1]), after(part[2])
    if kind == "until":
        return join("or", [second, join("and", [first, part])])
    return join("and", [second, join("or", [first, part])])


def empty(formula: Formula) -> bool:
    """Whether nothing more is needed: the value of what is left when the trace ends."""
    kind = formula[0]
    if kind == "and":
        return all(empty(part) for part in formula[1:])
    if kind == "or":
        return any(empty(part) for part in formula[1:])
    return kind in ("true", "not", "weak", "release")


def atoms(formula: Formula) -> Iterator[Formula]:
    """Every atom, left to right."""
    if formula[0] == "atom":
        yield formula
        return
    for part in formula[1:]:
        if isinstance(part, tuple):
            yield from atoms(part)


@lru_cache(maxsize=1_024)
def size(formula: Formula) -> int:
    """The number of parts."""
    if formula[0] == "atom":
        return 1
    return 1 + sum(size(part) for part in formula[1:])


class _Parser:
    """Recursive descent; every method takes as many tokens as it can."""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.tokens: list[tuple[str, int]] = []
        end = len(text.rstrip())
        place = 0
        while place < end:
            match = TOKEN.match(text, place)
            if match is None:
                raise GrammarError(f"a rule cannot be read at {shorten(text[place:])!r}; {HELP}")
            self.tokens.append((match[1], match.start(1)))
            place = match.end()

    def whole(self) -> Formula:
        formula = self._implies(0)
        if self._peek():
            raise self._wrong("the end")
        return formula

    def _implies(self, depth: int) -> Formula:
        if depth > DEEPEST:
            raise GrammarError(f"a rule is nested more than {DEEPEST} deep")
        left = self._several("|", "or", depth)
        if not self._take("->"):
            return left
        return join("or", [negate(left), self._implies(depth + 1)])

    def _several(self, sign: str, kind: str, depth: int) -> Formula:
        inner = (lambda: self._several("&", "and", depth)) if sign == "|" else (lambda: self._until(depth))
        parts = [inner()]
        while self._take(sign):
            parts.append(inner())
        return join(kind, parts)

    def _until(self, depth: int) -> Formula:
        if depth > DEEPEST:
            raise GrammarError(f"a rule is nested more than {DEEPEST} deep")
        left = self._unary(depth)
        if self._take("U"):
            return ("until", left, self._until(depth + 1))
        if self._take("R"):
            return ("release", left, self._until(depth + 1))
        if self._take("W"):
            right = self._until(depth + 1)
            return ("release", right, join("or", [left, right]))
        return left

    def _unary(self, depth: int) -> Formula:
        if depth > DEEPEST:
            raise GrammarError(f"a rule is nested more than {DEEPEST} deep")
        if self._take("!"):
            return negate(self._unary(depth + 1))
        if self._take("F"):
            return ("until", TRUE, self._unary(depth + 1))
        if self._take("G"):
            return ("release", FALSE, self._unary(depth + 1))
        for sign, kind in PREFIX.items():
            if self._take(sign):
                return (kind, self._unary(depth + 1))
        if self._take("("):
            inner = self._implies(depth + 1)
            self._need(")")
            return inner
        return self._atom()

    def _atom(self) -> Formula:
        name = self._peek()
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in ("U", "R", "W"):
            raise self._wrong("an event")
        self.at += 1
        if name in ("true", "false"):
            return (name,)
        fields: list[tuple[str, Any]] = []
        if self._take("("):
            while True:
                field = self._peek()
                if not re.fullmatch(r"[A-Za-z_]\w*", field):
                    raise self._wrong("the name of a field")
                self.at += 1
                self._need("=")
                fields.append((field, self._value()))
                if not self._take(","):
                    break
            self._need(")")
        return ("atom", name, tuple(sorted(fields)))

    def _value(self) -> Any:
        token = self._peek()
        if token.startswith('"'):
            value: Any = token[1:-1]
        elif token in ("true", "false"):
            value = token == "true"
        elif re.fullmatch(r"-?\d+(\.\d+)?", token) and len(token) < 20:
            value = float(token) if "." in token else int(token)
        else:
            raise self._wrong('a value ("text", a number, true or false)')
        self.at += 1
        return value

    def _peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _take(self, sign: str) -> bool:
        found = self._peek() == sign
        self.at += found
        return found

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise self._wrong(repr(sign))

    def _wrong(self, expected: str) -> GrammarError:
        place = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text)
        found = shorten(self.text[place:]) or "the end"
        return GrammarError(f"a rule needs {expected} at character {place + 1}, where {found!r} stands; {HELP}")


def matches(events: list[Mapping[str, Any]], name: str, fields: tuple[tuple[str, Any], ...]) -> bool:
    """Whether one of a step's events is of a type and has the fields; true is not 1.

    Args:
        events: What the step reports under `info["events"]`.
        name: The type.
        fields: Names with the values they must have; an event may have others besides.
    """
    return any(
        event.get("type") == name and all(field in event and _equal(event[field], value) for field, value in fields)
        for event in events
    )


def _equal(value: Any, wanted: Any) -> bool:
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)
