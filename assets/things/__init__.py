"""Things, and which of many yes-or-no questions are true of them: what Twenty Questions is played over.

`questions.txt` words the questions in many ways, `asides.txt` holds words that may be left over beside one,
`things.txt` says what is true of each thing; they say in their heads how they are written. The answer to a question
about size, colour and the like is that of a common member of its kind.

Licence: the tables were written for this project as a list of facts and are under the MIT licence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from agentgym.core.errors import DataError

__all__ = ["CHECKSUMS", "Question", "Thing", "load_asides", "load_questions", "load_things"]

CHECKSUMS = {
    "asides.txt": "4e2a7112b63e7269b4d5979f4bfedcc517c668b4911948dd88f99b52cdce7833",
    "questions.txt": "6a2bc0ebf5ac305f064f925a5c79a65bb9b79dc8662a9bf738cc4b1e6c33de53",
    "things.txt": "ba45206477a0ab660b86d085ceada0ca16a46e6af896efe103f8586b1d899f96",
}
"""SHA-256 of each table; `sha256sum assets/things/*.txt` computes them anew."""


@dataclass(frozen=True, slots=True)
class Question:
    """A fact that may be asked for.

    Attributes:
        key: Its name.
        text: The question as the game words it.
        same: Other ways to ask it.
        opposite: Ways to ask for the opposite.
        rule: The facts from which it follows: groups of which one is true, and after a `-` those that are not; empty
            for a fact of its own.
    """

    key: str
    text: str
    same: tuple[str, ...]
    opposite: tuple[str, ...]
    rule: tuple[str, ...]

    def follows(self, true: Collection[str]) -> bool:
        """Whether a fact with a rule is true where these facts are."""
        return all(
            (part[1:] not in true) if part[0] == "-" else any(key in true for key in part.split("/"))
            for part in self.rule
        )


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to guess: its name, other names, and the keys of the questions that are true of it."""

    name: str
    others: tuple[str, ...]
    true: frozenset[str]


def _lines(name: str) -> list[str]:
    """The lines of a table without comments and blanks.

    Raises:
        DataError: if it is missing or does not match its checksum.
    """
    try:
        data = resources.files(__name__).joinpath(name).read_bytes()
    except FileNotFoundError:
        raise DataError(f"the table {name} is missing from the installation; reinstall agentgym-suite") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != CHECKSUMS[name]:
        raise DataError(
            f"the table {name} has SHA-256 {digest[:12]}…, expected {CHECKSUMS[name][:12]}…; reinstall agentgym-suite"
        )
    lines = [line.strip() for line in data.decode("utf8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


@cache
def load_asides() -> frozenset[str]:
    """Words, brought to the form in which questions are compared, that say nothing of their own beside a way to ask.

    Raises:
        DataError: if the table is missing or damaged.
    """
    return frozenset(word for line in _lines("asides.txt") for word in line.split())


@cache
def load_questions() -> tuple[Question, ...]:
    """Every question, in the order of the table.

    Raises:
        DataError: if the table is missing or damaged.
    """
    questions = []
    for line in _lines("questions.txt"):
        key, text, ways, *rule = (part.strip() for part in line.split("|"))
        said = [way.strip() for way in ways.split(";") if way.strip()]
        same = tuple(way for way in said if way[0] != "!")
        questions.append(
            Question(
                key,
                text,
                same,
                tuple(way[1:] for way in said if way[0] == "!"),
                tuple(" ".join(rule).lstrip("= ").split()),
            )
        )
    return tuple(questions)


@cache
def load_things() -> tuple[Thing, ...]:
    """Every thing, in the order of the table.

    Raises:
        DataError: if a table is missing or damaged, or a fact has no question.
    """
    known = {question.key for question in load_questions() if not question.rule}
    ruled = [question for question in load_questions() if question.rule]
    things, group = [], frozenset[str]()
    lines = _lines("things.txt")
    more = _more(lines, known)
    for line in lines:
        if line[0] == "+":
            continue
        names, _, facts = line.partition(":") if line[0] != "[" else ("", "", line[1:-1])
        said = facts.split()
        if strange := sorted({fact.lstrip("-") for fact in said} - known):
            raise DataError(f"the things table uses {strange[0]!r}, which no question of questions.txt asks for")
        true = (frozenset() if line[0] == "[" else group) | {fact for fact in said if fact[0] != "-"}
        true -= {fact[1:] for fact in said if fact[0] == "-"}
        if line[0] == "[":
            group = true
            continue
        name, *others = (part.strip() for part in names.split(","))
        true |= more.pop(name, frozenset())
        true |= {question.key for question in ruled if question.follows(true)}
        things.append(Thing(name, tuple(others), true))
    if more:
        raise DataError(f"the things table gives more facts of {min(more)!r}, which is no thing of it")
    return tuple(things)


def _more(lines: Iterable[str], known: Collection[str]) -> dict[str, frozenset[str]]:
    """Facts by name of the thing, from the lines that give the things of one fact."""
    more: dict[str, frozenset[str]] = {}
    for line in lines:
        if line[0] == "+":
            key, _, names = line[1:].partition(":")
            if key not in known:
                raise DataError(f"the things table uses {key!r}, which no question of questions.txt asks for")
            for name in names.split(";"):
                more[name.strip()] = more.get(name.strip(), frozenset()) | {key}
    return more
