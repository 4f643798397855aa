"""Golden records: panels of generated worlds, panel checksums, hashes of transcripts, and versions of engines.

A record is written once for a version of an id. When a later change alters a transcript or a checksum, the check fails:
either the change is a mistake, or the id needs a new version.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest, open_env
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.golden_record import Record
from agentgym.conformance.worker import Witness
from agentgym.conformance.workers import WitnessProcesses
from agentgym.core import ConfigError, DataError

PARTS = ("checksums", "transcripts", "engines")  # of a record; the last of worlds that a package of others plays


@dataclass(frozen=True, slots=True)
class Update:
    """What `update` wrote.

    Attributes:
        files: The files, panels first.
        changed: Names of checksums, transcripts and engines that differ from the record before; a released id with
            changes needs a new version.
    """

    files: tuple[Path, ...]
    changed: tuple[str, ...]


def update(env_id: str, folder: str | Path | None = None) -> Update:
    """Write the fixed panels of a generated world and the golden record of any world.

    Args:
        env_id: An id, with its module prefix if it is a third party's.
        folder: Where the folders `panels` and `golden` stand. By default the package's own assets, which is right for
            this package's ids only.

    Raises:
        ConfigError: if a third party's id comes without a folder.
    """
    with open_env(env_id) as env:
        target = _folder(env, folder)
        written = []
        seeds = _fresh(env, panels=True)["panels"]
        if seeds is not None:
            path = target / "panels" / f"{env.card.name}.json"
            _write(
                path,
                "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(seeds[key])}" for key in sorted(seeds)) + "\n}\n",
            )
            written.append(path)
        found = _fresh(env, golden="all")["golden"]
        path = target / "golden" / f"{env.card.name}.json"
        before = read(path) if path.exists() else {}
        _write(path, json.dumps(found, sort_keys=True, indent=1) + "\n")
        return Update((*written, path), tuple(differences(before, found)) if before else ())


def verify(env_id: str, folder: str | Path | None = None) -> list[str]:
    """Names of checksums, transcripts and engines that differ from the golden record; empty if all are equal.

    Args:
        env_id: An id, with its module prefix if it is a third party's.
        folder: Where the folder `golden` stands, as for `update`.

    Raises:
        DataError: if there is no record.
        ConfigError: if a third party's id comes without a folder.
    """
    with open_env(env_id) as env:
        expected = read(_folder(env, folder) / "golden" / f"{env.card.name}.json")
        return differences(expected, _fresh(env, golden="all")["golden"])


def read(path: Path) -> Record:
    """A golden record.

    Raises:
        DataError: if it is missing or no record.
    """
    if not path.exists():
        raise DataError(f"there is no golden record {path}; write it with  agentgym golden --update ID")
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        if isinstance(found, dict) and set(PARTS[:2]) <= set(found) <= set(PARTS):
            return found
    except ValueError:
        pass
    raise DataError(f"{path} is no golden record; write it anew with  agentgym golden --update ID")


def differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Names, such as `transcripts oracle/val/0`, of what differs or stands in one record only.

    Args:
        expected: A record.
        found: Another.
    """
    names = []
    for part in PARTS:
        one, other = expected.get(part, {}), found.get(part, {})
        names += [f"{part} {name}" for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    return names


def golden(env: EnvUnderTest) -> str:
    """A10: panel checksums, transcripts and engines equal the golden record of this version of the id."""
    if not env.ours:
        raise NotApplicable("third parties keep records of their own: agentgym.conformance.golden.verify")
    path = _folder(env, None) / "golden" / f"{env.card.name}.json"
    if not path.exists():
        raise Violation(f"there is no golden record {path.name}.", f"run  agentgym golden --update {env.name}.")
    wrong = differences(read(path), env.workers.answer(0)["golden"])
    if wrong:
        raise Violation(
            f"{len(wrong)} entries differ from the golden record, first {wrong[0]}.",
            f"undo the change, or register a new version of {env.name}; unreleased: agentgym golden --update.",
        )
    return f"{len(read(path)['checksums'])} checksums, {len(read(path)['transcripts'])} transcripts"


def _fresh(env: EnvUnderTest, **job: Any) -> dict[str, Any]:
    """One job in a process of its own: records are cached where they were read, and just written ones must be read."""
    with tempfile.TemporaryDirectory(prefix="golden-", dir=env.folder) as folder:
        workers = WitnessProcesses(env.prefixed, env.kwargs, Path(folder), Witness)
        workers.start(0, **job)
        return workers.answer(0)


def _folder(env: EnvUnderTest, folder: str | Path | None) -> Path:
    if folder is not None:
        return Path(folder)
    if not env.ours:
        raise ConfigError(f"{env.name} is no id of this package; say in which folder its golden records stand")
    return Path(str(files("agentgym.assets")))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf8")
