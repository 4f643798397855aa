"""Small libraries with tests, and repairs: ways in which they were broken, each with what fails then.

A repository is a text file: `==> path` begins a file, and `==> cases` the hidden cases. These begin with what all of
them need; `== title` begins a case, whose last line is an expression. What a case gives in the sound repository is
recorded among the repairs; so a case says what is asked, and the answer stands apart from it.

Licence: the libraries were written for this project and are under the MIT licence. What breaks them, and checks what
fails, stands in `envs/code/_repair/generate/` of the repository and is not installed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from agentgym.assets.repositories.checksum import CHECKSUM
from agentgym.core.errors import DataError

__all__ = [
    "SPLITS",
    "Case",
    "Fault",
    "Repair",
    "Repository",
    "broken",
    "load_answers",
    "load_repairs",
    "load_repository",
]

SPLITS: Mapping[str, Sequence[str]] = {
    "train": ("spanner", "tempo", "settle", "wayfind", "stencil", "patchwork", "gauge", "quarry", "tabula"),
    "val": ("ledger",),
    "test": ("reckon", "textile"),
}
"""Names of the repositories of each split."""

_FILE, _CASES, _NEW_FILE, _NEW_CASE = "repairs.json.gz", "cases", "==> ", "== "


@dataclass(frozen=True)
class Case:
    """A few lines of Python, of which the last is an expression, with what they are about."""

    title: str
    code: str


@dataclass(frozen=True, eq=False)
class Repository:
    """A library.

    Attributes:
        name: Of its package.
        files: Text by path.
        prelude: What every case begins with.
        cases: Hidden ones.
        digest: SHA-256 of all of it.
    """

    name: str
    files: Mapping[str, str]
    prelude: str
    cases: tuple[Case, ...]
    digest: str


@dataclass(frozen=True)
class Fault:
    """One change that breaks a repository.

    Attributes:
        operator: What was done.
        path: In which file.
        first: Number of the first line that is changed, from 1, in the sound file.
        sound: The lines as they should be.
        faulty: The lines as they are.
    """

    operator: str
    path: str
    first: int
    sound: tuple[str, ...]
    faulty: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Repair:
    """A task: a repository with several faults.

    Attributes:
        name: Of the repair.
        repository: Of the repository.
        faults: What is wrong.
        failing: Numbers of the cases that give something else than they should.
        quoted: Numbers of cases that the issue tells of, with what they give.
        visible: How many of the repository's own tests fail.
    """

    name: str
    repository: str
    faults: tuple[Fault, ...]
    failing: tuple[int, ...]
    quoted: tuple[tuple[int, str], ...]
    visible: int


def _text(name: str) -> bytes:
    return resources.files(__name__).joinpath(name).read_bytes()


@cache
def load_repository(name: str) -> Repository:
    """A repository.

    Raises:
        DataError: if it is missing, or has no cases.
    """
    try:
        data = _text(f"{name}.txt")
    except FileNotFoundError:
        raise DataError(f"the repository {name[:40]!r} is not among the assets; reinstall agentgym-suite") from None
    sections: dict[str, list[str]] = {}
    here: list[str] = []
    for line in data.decode("utf8").splitlines():
        if line.startswith(_NEW_FILE):
            here = sections.setdefault(line.removeprefix(_NEW_FILE).strip(), [])
        else:
            here.append(line)
    prelude, cases = _cases(sections.pop(_CASES, []))
    if not cases:
        raise DataError(f"the repository {name} has no cases; reinstall agentgym-suite")
    files = {path: "".join(f"{line}\n" for line in lines) for path, lines in sections.items()}
    return Repository(name, files, prelude, cases, hashlib.sha256(data).hexdigest())


def _cases(lines: Sequence[str]) -> tuple[str, tuple[Case, ...]]:
    """What cases begin with, and the cases."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if line.startswith(_NEW_CASE):
            parts.append((line.removeprefix(_NEW_CASE).strip(), []))
        else:
            parts[-1][1].append(line)
    texts = [(title, "\n".join(code).strip("\n")) for title, code in parts]
    return texts[0][1], tuple(Case(title, code) for title, code in texts[1:])


@cache
def _record() -> dict[str, Any]:
    data = _text(_FILE)
    if hashlib.sha256(data).hexdigest() != CHECKSUM:
        raise DataError(f"{_FILE} is not the file that was shipped; reinstall agentgym-suite")
    try:
        record: dict[str, Any] = json.loads(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"{_FILE} cannot be read ({error}); reinstall agentgym-suite") from error
    for name, known in record["repositories"].items():
        if load_repository(name).digest != known["digest"]:
            raise DataError(
                f"the repository {name} was changed after its repairs were made; run  "
                "python -m agentgym.envs.code._repair.generate.build"
            )
    return record


@cache
def load_answers(name: str) -> tuple[str, ...]:
    """What each case of a repository gives where it is sound."""
    return tuple(_record()["repositories"][name]["answers"])


@cache
def load_repairs() -> Mapping[str, Repair]:
    """Every repair by its name.

    Raises:
        DataError: if the file is damaged, or a repository was changed since.
    """
    found = {}
    for name, repository, faults, failing, quoted, visible in _record()["repairs"]:
        made = tuple(Fault(kind, path, at, tuple(old), tuple(new)) for kind, path, at, old, new in faults)
        quotes = tuple((case, got) for case, got in quoted)
        found[name] = Repair(name, repository, made, tuple(failing), quotes, visible)
    return found


def broken(files: Mapping[str, str], faults: Sequence[Fault]) -> dict[str, str]:
    """The files of a repository with faults, which change different lines of them.

    Args:
        files: Of the sound repository.
        faults: Any number.
    """
    found = dict(files)
    for fault in sorted(faults, key=lambda fault: -fault.first):
        lines = found[fault.path].splitlines(keepends=True)
        last = fault.first - 1 + len(fault.sound)
        lines[fault.first - 1 : last] = [f"{line}\n" for line in fault.faulty]
        found[fault.path] = "".join(lines)
    return found
