"""Tasks from templates: how arguments are drawn, written and read, and what a task asks of a home."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.core.errors import GrammarError
from agentgym.envs._kit.tools import Book, Slot, Unfit, pick
from agentgym.envs._kit.tools.questions import SLOT, Template
from agentgym.envs.code._shell import words
from agentgym.envs.code._shell.home import Home

PLAIN, PLACE, SPACED, COUNT = r"[\w.-]+", r"[\w.-]+(?:/[\w.-]+)+", r'[^"]+', r"\d+"
LEAST = 3  # of an answer that is a number: 1 and 2 are guessed
Said = Mapping[str, Any]


@dataclass(frozen=True)
class Kind(Template):
    """A kind of task.

    Its `program` is given a home of its own and the arguments, and returns the answer, or changes the home into what it
    should be. It looks at the files itself and runs nothing.

    Attributes:
        gold: Commands that do the task, with slots in braces; they know nothing but the arguments.
    """

    gold: tuple[str, ...] = ()

    def commands(self, arguments: Said) -> list[str]:
        """The commands with the arguments in them, each as one word of bash."""

        def word(match: re.Match[str]) -> str:
            return shlex.quote(str(arguments[match[1]])) if match[1] in arguments else match[0]

        return [SLOT.sub(word, each) for each in self.gold]


class ShellBook(Book):
    """All kinds of task."""

    def task(
        self, answer: str, gold: str | Sequence[str], *wordings: str
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator that puts a function into the book under its name without underscores in front.

        Args:
            answer: Type of the answer.
            gold: As in `Kind`; a text for one command.
            wordings: Ways to say it, each with the same slots.

        Raises:
            GrammarError: if there is only one wording, or the slots of a command are not those of the words.
        """
        commands = (gold,) if isinstance(gold, str) else tuple(gold)

        def put(function: Callable[..., Any]) -> Callable[..., Any]:
            self.ask(answer, 1, *wordings)(function)
            made = self.templates[function.__name__.lstrip("_")]
            self.templates[made.name] = Kind(made.name, answer, 1, wordings, function, commands)
            named = {name for each in commands for name in SLOT.findall(each) if name in self.slots}
            if len(set(wordings)) < 3 or not named <= set(made.slots):
                raise GrammarError(f"{made.name} needs three wordings, and commands with their slots: {sorted(named)}")
            return function

        return put


def kind_of(name: str) -> Kind | None:
    """The kind of a name; None if there is none."""
    found = BOOK.templates.get(name)
    return found if isinstance(found, Kind) else None


def counted(number: float) -> float:
    """A number that is no guess.

    Raises:
        Unfit: if it is below 3.
    """
    if number < LEAST:
        raise Unfit
    return number


def differing(values: Sequence[Any]) -> list[Any]:
    """The different values, in order.

    Raises:
        Unfit: if there are fewer than two.
    """
    found = sorted(set(values))
    if len(found) < 2:
        raise Unfit
    return found


def _of(values: Sequence[Any], pattern: str = PLAIN, read: Callable[[str], Any] = str) -> Slot:
    return Slot(pattern, read, lambda rng, home, said: pick(rng, values))


def _file(folder: str, ending: str, pattern: str = PLACE) -> Slot:
    """A file below a folder; one that was named before is not taken again."""

    def draw(rng: np.random.Generator, home: Home, said: Said) -> Any:
        """A file of `home`, drawn by `rng`, that was not `said` before."""
        found = [path for path in home.under(folder, ending) if path not in said.values() and home.holds(path)]
        return pick(rng, found)

    return Slot(pattern, str, draw)


def _folder(above: str, pattern: str = PLACE) -> Slot:
    """A folder directly below another one."""

    def draw(rng: np.random.Generator, home: Home, said: Said) -> Any:
        """A folder of `home`, drawn by `rng`, that was not `said` before."""
        size = above.count("/") + 1
        found = {"/".join(path.split("/")[: size + 1]) for path in home.under(above) if path.count("/") > size}
        return pick(rng, sorted(found - set(map(str, said.values()))))

    return Slot(pattern, str, draw)


def _field(name: str) -> Slot:
    """A value of a column of the table that was named."""

    def draw(rng: np.random.Generator, home: Home, said: Said) -> Any:
        """A value in the table of `home` that was `said`, drawn by `rng`."""
        return pick(rng, sorted({row[name] for row in home.rows(said.get("table") or said["staff"])}))

    return Slot(PLAIN, str, draw)


def _found(slot: str, expression: str, pattern: str = PLAIN, folder: bool = False) -> Slot:
    """A text that stands in what was named.

    Args:
        slot: What was named before: a file, or a folder of which a file is drawn.
        expression: Finds it, as its only group.
        pattern: Of its words.
        folder: Whether a folder was named.
    """

    def draw(rng: np.random.Generator, home: Home, said: Said) -> Any:
        """A text in the files of `home` that were `said`, drawn by `rng`, and not said itself."""
        texts = [home.text(path) for path in (home.under(said[slot], ".py") if folder else [said[slot]])]
        found = {each for text in texts for each in re.findall(expression, text, re.MULTILINE)}
        return pick(rng, sorted(found - set(said.values())))

    return Slot(pattern, str, draw)


def _target(ending: str) -> Slot:
    """A path that is free."""

    def draw(rng: np.random.Generator, home: Home, said: Said) -> str:
        """A path of two words and a number, drawn by `rng`; whether it is in `home` or was `said` is left to chance."""
        return f"{pick(rng, words.VERBS)}ed/{pick(rng, words.NOUNS)}-{int(rng.integers(10, 999))}{ending}"

    return Slot(PLACE, str, draw)


def _number(low: int, high: int) -> Slot:
    return Slot(COUNT, int, lambda rng, home, said: int(rng.integers(low, high + 1)))


def _key(rng: np.random.Generator, home: Home, said: Said) -> Any:
    part = home.text(said["ini"]).partition(f"[{said['section']}]\n")[2].partition("\n\n")[0]
    return pick(rng, re.findall(r"^(\w+) =", part, re.MULTILINE))


def _json_key(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, sorted(set(re.findall(r'^    "(\w+)"', home.text(said["json"]), re.MULTILINE))))


def _repo(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, sorted(home.repositories))


def _branch(rng: np.random.Generator, home: Home, said: Said) -> Any:
    names = [name.removeprefix("refs/heads/") for name in home.repositories[said["repo"]].refs]
    return pick(rng, sorted({*names} - {"main", *map(str, said.values())}))


def _subject(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, [each.subject for each in home.repositories[said["repo"]].history("main")[1:-1]])


def _author(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, sorted({each.author.capitalize() for each in home.repositories[said["repo"]].commits.values()}))


def _tracked(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, sorted({*home.repositories[said["repo"]].tip("main").files} - {"README.md"}))


def _job(signals: bool) -> Slot:
    def draw(rng: np.random.Generator, home: Home, said: Said) -> Any:
        """A script of `home` that does or does not trap signals, drawn by `rng`, whatever was `said`."""
        return pick(rng, [path for path in home.under("jobs", ".sh") if ("trap" in home.text(path)) == signals])

    return Slot(PLACE, str, draw)


def _signal(rng: np.random.Generator, home: Home, said: Said) -> Any:
    return pick(rng, re.findall(r"^trap 'say \w+' (\w+)$", home.text(said["waiting"]), re.MULTILINE))


BOOK = ShellBook({
    "log": _file("logs", ".log"), "other_log": _file("logs", ".log"), "packed": _file("logs/old", ".gz"),
    "level": _of(words.LEVELS), "user": _of(words.PEOPLE), "status": _of(words.STATUSES, COUNT, int),
    "url": _of(words.PATHS, r"/\w+"), "hour": _number(8, 20), "table": _file("data", ".csv"),
    "staff": _file("data", ".tsv"), "region": _field("region"), "product": _field("product"),
    "customer": _field("customer"), "team": _field("team"), "city": _field("city"), "n": _number(12, 60),
    "mode": _of((700, 711, 744, 750, 755, 770), COUNT, int),
    "rank": _number(2, 12), "project": _folder("projects"), "person": _of(words.PEOPLE[:8]),
    "function": _found("project", r"^def (\w+)", folder=True), "module": _of(words.MODULES),
    "fresh": _of([f"{verb}_{noun}" for verb in words.VERBS for noun in words.NOUNS]),
    "ini": _file("settings", ".ini"), "section": _found("ini", r"^\[(\w+)\]$"), "key": Slot(PLAIN, str, _key),
    "any_key": _of(words.KEYS), "value": _number(9_001, 99_999), "env": _file("settings", ".env"),
    "variable": _found("env", r"^(\w+)="),
    "json": _file("settings", ".json"), "json_key": Slot(PLAIN, str, _json_key),
    "note": _file("notes", "", SPACED), "noun": _of(words.NOUNS), "other_noun": _of(words.NOUNS),
    "items": _file("lists", ".txt"), "other_items": _file("lists", ".txt"), "trip": _folder("pictures", SPACED),
    "archive": _file("downloads", ".tar.gz"), "nested": _file("downloads", ".tar"), "repo": Slot(PLACE, str, _repo),
    "branch": Slot(r"[\w/-]+", str, _branch), "subject": Slot(SPACED, str, _subject),
    "author": Slot(r"\w+", str, _author),
    "tracked": Slot(r"[\w./-]+", str, _tracked), "waiting": _job(True), "signal": Slot(r"[A-Z0-9]+", str, _signal),
    "working": _job(False), "text": _target(".txt"), "csv": _target(".csv"), "tsv": _target(".tsv"),
    "tar": _target(".tar.gz"), "folder": _target(""),
    "fresh_branch": _of([f"{verb}-{thing}" for verb in words.FUNCTIONS for thing in words.THINGS]),
})  # fmt: skip
