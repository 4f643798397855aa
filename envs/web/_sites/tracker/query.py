"""The query language of the project tracker, such as `project = ATL AND priority in (Major, Critical) ORDER BY due`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from agentgym.envs.web._sites.reading import holds, is_day
from agentgym.envs.web._sites.tracker.history import POINTS, PRIORITIES, STATES, TYPES

TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(!=|!~|<=|>=|[=<>~(),])|([^\s"=<>~!(),]+))')
LONGEST, DEEPEST = 1000, 12  # characters, brackets
PRIORITY = "CASE tickets.priority " + " ".join(f"WHEN '{one}' THEN {n}" for n, one in enumerate(PRIORITIES)) + " END"
STATE = "CASE tickets.state " + " ".join(f"WHEN '{one}' THEN {n}" for n, one in enumerate(STATES)) + " END"
ANY_OF = "EXISTS (SELECT 1 FROM {} AND lower({}) IN ({}))"
FIELDS = {  # name of a field: what it is in SQL
    "project": "projects.key", "type": "tickets.type", "priority": "tickets.priority", "state": "tickets.state",
    "resolution": "tickets.resolution", "assignee": "assignees.name", "reporter": "reporters.name",
    "sprint": "sprints.name", "version": "versions.name", "component": "components.name",
    "parent": "projects.key || '-' || parents.number", "key": "projects.key || '-' || tickets.number",
    "title": "tickets.title", "text": "tickets.title || ' ' || tickets.body", "points": "tickets.points",
    "votes": "tickets.votes", "created": "tickets.created", "updated": "tickets.updated",
    "resolved": "tickets.resolved", "due": "tickets.due",
}  # fmt: skip
MANY = {  # fields with several values: their table, and the column
    "label": ("labels WHERE ticket = tickets.id", "label"),
    "watcher": ("watchers JOIN users ON users.id = watchers.user WHERE ticket = tickets.id", "users.name"),
    "commenter": ("comments JOIN users ON users.id = comments.author WHERE ticket = tickets.id", "users.name"),
}
DATES, NUMBERS, TEXTS = ("created", "updated", "resolved", "due"), ("points", "votes"), ("title", "text")
RANKED = {"priority": (PRIORITY, PRIORITIES), "state": (STATE, STATES)}
CHOICES = {"type": TYPES, "priority": PRIORITIES, "state": STATES}
WORDS = ("and", "or", "not", "in", "is", "empty", "order", "by", "asc", "desc")


class QueryError(Exception):
    """A query that cannot be read: what is wrong and what was expected."""


@dataclass
class Query:
    """A query in SQL.

    Attributes:
        where: A condition.
        given: What it asks for.
        order: The order of what is found.
    """

    where: str = "1"
    given: list[Any] = field(default_factory=list)
    order: str = "tickets.created DESC, tickets.id DESC"


@dataclass(frozen=True)
class _Token:
    """A word, a sign, or a text in quotes."""

    text: str
    kind: str

    def says(self, *words: str) -> bool:
        """Whether it is one of some words of the language, or signs."""
        return self.kind != "text" and self.text.lower() in words


END = _Token("the end", "end")


def read_query(text: str, user: str) -> Query:
    """A query of a visitor.

    Args:
        text: As it was written; empty for all tickets.
        user: Who is meant by `me`; empty for a guest.

    Raises:
        QueryError: if it cannot be read.
    """
    if len(text) > LONGEST:
        raise QueryError(f"A query has at most {LONGEST} characters.")
    return _Reader(_tokens(text), user).read()


def _tokens(text: str) -> list[_Token]:
    found, at, text = [], 0, text.strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise QueryError(f"“{text[at:].strip()[:20]}” cannot be read; a text in quotes ends with a quote.")
        quoted, sign, word = match.groups()
        kind = "text" if quoted is not None else "sign" if sign else "word"
        found.append(_Token(re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else sign or word, kind))
        at = match.end()
    return found


def quoted(value: str) -> str:
    """A value as a query writes it: in quotes where it is more than one word, or a word of the language."""
    plain = re.fullmatch(r'[^\s"=<>~!(),]+', value) and value.lower() not in (*WORDS, "me")
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Reader:
    """Reads tokens by descent: `OR` binds least, then `AND`, then `NOT`."""

    def __init__(self, tokens: list[_Token], user: str):
        self._tokens, self._at, self._user = tokens, 0, user
        self._given: list[Any] = []

    def read(self) -> Query:
        found = Query()
        if self._here is not END and not self._here.says("order"):
            found.where = self._either(0)
        if self._here.says("order"):
            found.order = self._order()
        if self._here is not END:
            raise QueryError(f"Expected AND, OR or ORDER BY in place of “{self._here.text}”.")
        found.given = self._given
        return found

    @property
    def _here(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else END

    def _next(self) -> _Token:
        here = self._here
        self._at += 1
        return here

    def _expect(self, *words: str) -> _Token:
        if not self._here.says(*words):
            wanted = " or ".join(word.upper() for word in words)
            raise QueryError(f"Expected {wanted} in place of “{self._here.text}”.")
        return self._next()

    def _either(self, depth: int) -> str:
        parts = [self._both(depth)]
        while self._here.says("or"):
            self._next()
            parts.append(self._both(depth))
        return f"({' OR '.join(parts)})"

    def _both(self, depth: int) -> str:
        parts = [self._one(depth)]
        while self._here.says("and"):
            self._next()
            parts.append(self._one(depth))
        return " AND ".join(parts)

    def _one(self, depth: int) -> str:
        if depth > DEEPEST:
            raise QueryError(f"A query has at most {DEEPEST} brackets within each other.")
        if self._here.says("not"):
            self._next()
            return f"NOT ({self._one(depth + 1)})"
        if self._here.says("("):
            self._next()
            inside = self._either(depth + 1)
            self._expect(")")
            return inside
        return self._test()

    def _test(self) -> str:
        name = self._field(*FIELDS, *MANY)
        if self._here.says("is"):
            return self._emptiness(name)
        sign = self._next().text.lower()
        if sign == "not":
            self._expect("in")
            return self._among(name, self._values(name), inside=False)
        if sign == "in":
            return self._among(name, self._values(name), inside=True)
        if sign in ("=", "!="):
            return self._among(name, [self._value(name)], inside=sign == "=")
        if sign in ("~", "!~"):
            return self._similar(name, inside=sign == "~")
        if sign in ("<", "<=", ">", ">="):
            return self._compared(name, sign)
        raise QueryError(f"Expected =, !=, ~, !~, <, <=, >, >=, IN or IS after {name} in place of “{sign}”.")

    def _field(self, *names: str) -> str:
        token = self._next()
        if token.kind != "word" or token.text.lower() not in names:
            raise QueryError(f"“{token.text}” is no field; fields are {', '.join(sorted(names))}.")
        return token.text.lower()

    def _value(self, name: str) -> str:
        token = self._next()
        if token.kind in ("end", "sign") or token.says(*WORDS):
            raise QueryError(f"Expected a value for {name} in place of “{token.text}”.")
        if token.says("me") and name in ("assignee", "reporter", "watcher", "commenter"):
            if not self._user:
                raise QueryError("“me” is nobody before you have signed in.")
            return self._user
        if name in CHOICES and token.text.lower() not in map(str.lower, CHOICES[name]):
            raise QueryError(f"There is no {name} “{token.text}”; choose among {', '.join(CHOICES[name])}.")
        if name in DATES and not is_day(token.text):
            raise QueryError(f"“{token.text}” is no date for {name}; write it like 2026-03-01.")
        if name in NUMBERS and not (token.text.isascii() and token.text.isdigit() and len(token.text) < 7):
            raise QueryError(f"“{token.text}” is no number for {name}; write it like {POINTS[3]}.")
        return token.text

    def _values(self, name: str) -> list[str]:
        self._expect("(")
        found = [self._value(name)]
        while self._expect(",", ")").text == ",":
            found.append(self._value(name))
        return found

    def _emptiness(self, name: str) -> str:
        self._next()
        inside = not self._here.says("not")
        if not inside:
            self._next()
        self._expect("empty")
        if name in MANY:
            test = f"NOT EXISTS (SELECT 1 FROM {MANY[name][0]})"
        else:
            nothing = "0" if name in NUMBERS else "''"
            test = f"coalesce({FIELDS[name]}, {nothing}) = {nothing}"
        return test if inside else f"NOT ({test})"

    def _among(self, name: str, values: list[str], *, inside: bool) -> str:
        gaps = ",".join("?" * len(values))
        if name in NUMBERS:
            self._given += [int(one) for one in values]
            test = f"{FIELDS[name]} IN ({gaps})"
        else:
            self._given += [one.lower() for one in values]
            if name in MANY:
                test = ANY_OF.format(*MANY[name], gaps)
            else:
                what = f"substr({FIELDS[name]}, 1, 10)" if name in DATES else f"lower(coalesce({FIELDS[name]}, ''))"
                test = f"{what} IN ({gaps})"
        return test if inside else f"NOT ({test})"

    def _similar(self, name: str, *, inside: bool) -> str:
        if name not in TEXTS:
            raise QueryError(f"~ and !~ are for {' and '.join(TEXTS)}; use = or != for {name}.")
        self._given.append(self._value(name))
        return f"{'' if inside else 'NOT '}{holds(FIELDS[name])}"

    def _compared(self, name: str, sign: str) -> str:
        if name in RANKED:
            ranks, names = RANKED[name]
            self._given.append([one.lower() for one in names].index(self._value(name).lower()))
            return f"({ranks}) {sign} ?"
        if name not in (*DATES, *NUMBERS):
            fit = ", ".join((*DATES, *NUMBERS, *RANKED))
            raise QueryError(f"{sign} is for {fit}; use = or != for {name}.")
        value = self._value(name)
        if name in NUMBERS:
            self._given.append(int(value))
            return f"{FIELDS[name]} {sign} ?"
        self._given.append(value)
        return f"({FIELDS[name]} != '' AND substr({FIELDS[name]}, 1, 10) {sign} ?)"

    def _order(self) -> str:
        self._next()
        self._expect("by")
        parts = []
        while True:
            name = self._field(*FIELDS)
            what = RANKED[name][0] if name in RANKED else FIELDS[name]
            down = self._next().text.lower() == "desc" if self._here.says("asc", "desc") else False
            last = f"({what}) IS NULL OR ({what}) = ''"  # what has no value comes last
            parts.append(f"{last}, {what} {'DESC' if down else 'ASC'}")
            if not self._here.says(","):
                return ", ".join([*parts, "tickets.id"])
            self._next()
