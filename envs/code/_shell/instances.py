"""Instances in the formats of InterCode's Bash part and of Terminal-Bench, from a file or a folder.

InterCode's file is a list of records with `query` (the task) and `gold` (a command, or a list of them); `image_name`
may name the image, which is `intercode-nl2bash` otherwise. A task of Terminal-Bench is a folder with `task.yaml`
(`instruction`, `parser_name`, `max_test_timeout_sec`), a `Dockerfile`, `run-tests.sh`, `tests/` and `solution.sh`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError, require
from agentgym.envs._kit.sandbox.instances import record_files

INTERCODE = "intercode-nl2bash"  # the name of the image that InterCode builds
TASK, DOCKERFILE, SOLUTION, RUNNER, TESTS = "task.yaml", "Dockerfile", "solution.sh", "run-tests.sh", "tests"
COMPOSED = ("docker-compose.yaml", "docker-compose.yml")
LARGEST_TASK = 1_000_000  # bytes of a file that describes a task
TEST_SECONDS, LONGEST_TEST = 60.0, 7_200.0  # real ones for the tests, where a task says nothing, and at most
REMEMBERED = 8


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        name: Its id.
        task: What is asked, in words.
        kind: The file, or the category, that it belongs to.
        gold: Commands that do it; none where that is not known.
        image: Name of the image; empty where it is built from `folder`.
        folder: Of a task of Terminal-Bench; None for one of InterCode.
        seconds: Real ones for its tests.
    """

    name: str
    task: str
    kind: str
    gold: tuple[str, ...]
    image: str = ""
    folder: Path | None = None
    seconds: float = TEST_SECONDS


@lru_cache(REMEMBERED)
def read_instances(path: Path) -> Mapping[str, Instance]:
    """Instances by their ids.

    Args:
        path: Of a file of InterCode or a folder of such files, of a task's folder of Terminal-Bench, or of a folder of
            such folders.

    Raises:
        DataError: if there is none, or one lacks something.
    """
    described = sorted(path.rglob(TASK)) if path.is_dir() else []
    if described:
        tasks = [_task(file, path) for file in described]
    else:
        listed = list(record_files(path))
        tasks = [_record(each, at, file) for file, records in listed for at, each in enumerate(records)]
    found = {each.name: each for each in tasks}
    if not found:
        raise DataError(f"{path} holds no instances; give a file of InterCode's Bash part, or folders with {TASK}")
    if len(found) < len(tasks):
        raise DataError(f"{path}: two instances have the same name; rename a file or a folder")
    return found


def _record(record: Any, at: int, file: Path) -> Instance:
    """An instance of InterCode."""
    gold = record.get("gold") if isinstance(record, dict) else None
    gold = [gold] if isinstance(gold, str) else gold
    if not isinstance(gold, list) or not gold or not all(isinstance(each, str) and each.strip() for each in gold):
        raise DataError(f"{file}: record {at} must have gold, a command or a list of them, got {str(record)[:60]}")
    query, image = record.get("query"), record.get("image_name", INTERCODE)
    for name, value in (("query", query), ("image_name", image)):
        if not isinstance(value, str) or not value.strip():
            raise DataError(f"{file}: record {at} must have {name} as text, got {str(value)[:40]!r}")
    return Instance(f"{file.stem}-{at}", query, file.stem, tuple(gold), image)


def _task(file: Path, path: Path) -> Instance:
    """An instance of Terminal-Bench."""
    folder, said = file.parent, _yaml(file)
    task, parser = said.get("instruction"), said.get("parser_name", "pytest")
    if not isinstance(task, str) or not task.strip():
        raise DataError(f"{file} must have instruction as text, got {str(task)[:40]!r}")
    if parser != "pytest":
        raise DataError(f"{file} asks for the parser {str(parser)[:40]!r}; only pytest's summary is read here")
    seconds = said.get("max_test_timeout_sec", TEST_SECONDS)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= LONGEST_TEST:
        raise DataError(f"{file}: max_test_timeout_sec must be from 0 to {LONGEST_TEST:.0f}, got {str(seconds)[:40]!r}")
    for name in (DOCKERFILE, RUNNER):
        if not (folder / name).is_file():
            raise DataError(f"{folder} has no {name}, which a task of Terminal-Bench needs here")
    for name in COMPOSED:
        services = _yaml(folder / name).get("services") if (folder / name).is_file() else None
        if isinstance(services, dict) and len(services) > 1:
            raise DataError(f"{folder} needs {len(services)} containers; only tasks with one are played here")
    solution = folder / SOLUTION
    gold = (solution.read_text("utf8"),) if solution.is_file() else ()
    name = folder.relative_to(path).as_posix() if folder != path else folder.name
    return Instance(name, task.strip(), str(said.get("category", "")), gold, "", folder, float(seconds))


def _yaml(file: Path) -> Mapping[str, Any]:
    """The table that a file of YAML holds; no tags that make objects, no aliases that multiply."""
    yaml = require("yaml", extra="docker", purpose="tasks of Terminal-Bench")
    try:
        if file.stat().st_size > LARGEST_TASK:
            raise DataError(f"{file} has more than {LARGEST_TASK} bytes")
        text = file.read_text("utf8")
        if any(isinstance(each, yaml.AliasToken) for each in yaml.scan(text, Loader=yaml.SafeLoader)):
            raise DataError(f"{file} has aliases; write out what they stand for")
        found = yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise DataError(f"{file} cannot be read as YAML: {' '.join(str(error).split())[:120]}") from error
    if not isinstance(found, dict):
        raise DataError(f"{file} must hold a table, got {str(found)[:40]!r}")
    return found


def judging_files(instance: Instance) -> Mapping[str, bytes]:
    """What is laid in the container when the episode is over: contents by path below `/tests`.

    Args:
        instance: Of Terminal-Bench.

    Raises:
        DataError: if one cannot be read.
    """
    folder = instance.folder
    assert folder is not None
    try:
        files = {RUNNER: (folder / RUNNER).read_bytes()}
        inner = folder / TESTS
        return files | {
            each.relative_to(inner).as_posix(): each.read_bytes() for each in sorted(inner.rglob("*")) if each.is_file()
        }
    except OSError as error:
        raise DataError(f"{folder}: its tests cannot be read: {error}") from error


def built_from(instance: Instance) -> tuple[str, ...]:
    """Paths of the files of a task's folder that its image may be made of: all but its tests and its solution.

    Args:
        instance: Of Terminal-Bench.
    """
    folder = instance.folder
    assert folder is not None
    files = (each.relative_to(folder) for each in sorted(folder.rglob("*")) if each.is_file())
    return tuple(each.as_posix() for each in files if each.parts[0] != TESTS and each.name not in (RUNNER, SOLUTION))
