"""Instances in the format of SWE-bench or SWE-smith, from a file or a folder, in their images of Docker.

A record holds `instance_id`, `repo`, `problem_statement`, `patch`, `FAIL_TO_PASS` and `PASS_TO_PASS` (lists, or lists
as JSON text). One of SWE-bench also has `base_commit` and `test_patch`, and its `patch` mends; one of SWE-smith has
neither, and its `patch` breaks the repository that is in the image. `image_name` names the image, `test_cmd` the
command that runs tests, `workdir` where the repository is in the image; all three may be left out.
"""

from __future__ import annotations

import io
import re
import shlex
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from agentgym.core.errors import DataError, EngineFailure
from agentgym.core.json_text import read_json
from agentgym.envs._kit.sandbox.images import PLACE, run_in_image
from agentgym.envs._kit.sandbox.instances import PASSING, read_statuses, record_files
from agentgym.envs.code._repair.judge import Tested

PYTEST = "python -m pytest -rA --tb=short -p no:cacheprovider"
TESTBED = "/testbed"
OFFICIAL = "swebench/sweb.eval.x86_64.{}:latest"  # the name of an image of SWE-bench, of an instance
SECONDS = 1_800.0  # real ones for a run of tests, as in SWE-bench's own harness
LARGEST_FILE = 400_000  # bytes of a file that is shown
LONGEST_PRINTED, MOST_FAILED = 3_000, 40
REMEMBERED = 8  # repositories
ENTERED = "cd {workdir} && git config --global --add safe.directory {workdir} && git checkout -q -f {commit}"
PACKED = f"git ls-files -z | tar --null -T - -cf {PLACE}/files.tar"
TOUCHED = re.compile(r"^\+\+\+ b/(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        name: Its id.
        repository: Owner and name.
        issue: What is reported.
        commit: At which it begins; `HEAD` for that of the image.
        breaks: The patch that makes it faulty; empty where it is faulty at the commit.
        mends: The patch that mends it; empty where that is `breaks`, taken back.
        tests: The patch that brings the hidden tests; may be empty.
        failing: Names of tests that fail and must pass.
        passing: Names of tests that pass and must still pass.
        image, command, workdir: In what and how the tests are run.
    """

    name: str
    repository: str
    issue: str
    commit: str
    breaks: str
    mends: str
    tests: str
    failing: tuple[str, ...]
    passing: tuple[str, ...]
    image: str
    command: str
    workdir: str


@lru_cache(REMEMBERED)
def read_instances(path: Path) -> Mapping[str, Instance]:
    """Instances by their ids.

    Args:
        path: Of a file of JSON or JSON Lines, or of a folder with such files.

    Raises:
        DataError: if there is none, or one lacks something.
    """
    found: dict[str, Instance] = {}
    for file, records in record_files(path):
        for record in records:
            instance = _instance(record, file)
            if instance.name in found:
                raise DataError(f"{file}: the instance {instance.name!r} is there twice; leave one out")
            found[instance.name] = instance
    if not found:
        raise DataError(f"{path} holds no instances; give a file of JSON or JSON Lines in SWE-bench's format")
    return found


def _instance(record: Any, file: Path) -> Instance:
    if not isinstance(record, dict) or not isinstance(record.get("instance_id"), str):
        raise DataError(f"{file}: an instance must be an object with instance_id, got {str(record)[:60]}")
    name = record["instance_id"]

    def text(key: str, default: str | None = None) -> str:
        """The text under a `key`; where it is missing or null, the `default`, without which it must be there."""
        value = record.get(key, default)
        value = default if value is None else value
        if not isinstance(value, str):
            raise DataError(f"{file}: {name} must have {key} as text, got {str(value)[:40]!r}")
        return value

    smith = not record.get("test_patch") and not record.get("base_commit")
    patch = text("patch")
    workdir = text("workdir", TESTBED)
    if not PurePosixPath(workdir).is_absolute():
        raise DataError(f"{file}: workdir of {name} must be an absolute path, got {workdir[:60]!r}")
    if smith and not record.get("image_name"):
        raise DataError(f"{file}: {name} has neither base_commit nor image_name; give the name of its image")
    commit = text("base_commit", "HEAD") or "HEAD"
    if not re.fullmatch(r"[0-9a-fA-F]{7,64}|HEAD", commit):
        raise DataError(f"{file}: base_commit of {name} must be a commit, got {commit[:60]!r}")
    return Instance(
        name, text("repo", ""), text("problem_statement", ""), commit, patch if smith else "", "" if smith else patch,
        text("test_patch", ""), _names(record, "FAIL_TO_PASS", file), _names(record, "PASS_TO_PASS", file),
        text("image_name", "") or OFFICIAL.format(name.lower().replace("__", "_1776_")), text("test_cmd", PYTEST),
        workdir,
    )  # fmt: skip


def _names(record: Mapping[str, Any], key: str, file: Path) -> tuple[str, ...]:
    """Names of tests: a list, or one as JSON text."""
    value = record.get(key)
    if isinstance(value, str):
        try:
            value = read_json(value)
        except ValueError:
            value = None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise DataError(f"{file}: {key} of {record['instance_id']} must be a list of names of tests")
    return tuple(value)


def _entered(instance: Instance) -> list[str]:
    """Commands that bring the repository to where the instance begins."""
    lines = ["set -e", ENTERED.format(workdir=shlex.quote(instance.workdir), commit=instance.commit)]
    return [*lines, f"git apply {PLACE}/breaks.diff"] if instance.breaks else lines


def _given(instance: Instance) -> dict[str, bytes]:
    patches = {"breaks.diff": instance.breaks, "mends.diff": instance.mends, "tests.diff": instance.tests}
    return {name: text.encode() for name, text in patches.items() if text}


@lru_cache(REMEMBERED)
def repository_of(instance: Instance, mended: bool = False) -> Mapping[str, str]:
    """Texts of the repository by path, as the instance begins, or as its gold patch leaves it.

    Args:
        instance: Whose.
        mended: Whether with the gold patch.

    Raises:
        EngineFailure: if the image cannot be run, or a patch does not fit.
    """
    lines = _entered(instance)
    if mended:
        lines.append(
            f"git apply {'-R ' if instance.breaks else ''}{PLACE}/{'breaks' if instance.breaks else 'mends'}.diff"
        )
        lines.append("git add -A -N .")
    left = run_in_image(instance.image, "\n".join([*lines, PACKED]), _given(instance), SECONDS, (f"{PLACE}/files.tar",))
    data = left.files.get(f"{PLACE}/files.tar")
    if left.code or data is None:
        raise EngineFailure(f"the repository of {instance.name} cannot be read: {left.output[-300:].strip()}")
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for entry in archive:
            file = archive.extractfile(entry) if entry.isfile() and entry.size <= LARGEST_FILE else None
            try:
                found[entry.name] = "" if file is None else file.read().decode("utf8")
            except UnicodeDecodeError:
                continue
            if file is None:
                del found[entry.name]
    return found


@dataclass(frozen=True)
class ImageBench:
    """Runs the tests of an instance in its image."""

    instance: Instance

    def test(self, files: Mapping[str, str], words: Sequence[str]) -> Tested:
        """Run the tests on files as they are now.

        Args:
            files: All of them.
            words: Parts of names of the tests to run; all if there are none.
        """
        chosen = f" -k {shlex.quote(' or '.join(words))}" if words else ""
        output, stopped = self._run(files, f"{self.instance.command}{chosen}", hidden=False)
        statuses = read_statuses(output)
        failed = [(name, "") for name, status in statuses.items() if status not in PASSING and status[0] in "FE"]
        return Tested(len(statuses), tuple(failed[:MOST_FAILED]), output[-LONGEST_PRINTED:], stopped)

    def judge(self, files: Mapping[str, str]) -> Mapping[str, bool]:
        """Whether each of the hidden tests passes.

        Args:
            files: All of them, as they are at the end.
        """
        touched = " ".join(shlex.quote(path) for path in TOUCHED.findall(self.instance.tests) if path.endswith(".py"))
        output, _ = self._run(files, f"{self.instance.command} {touched}".rstrip(), hidden=True)
        statuses = read_statuses(output)
        return {name: statuses.get(name) in PASSING for name in (*self.instance.failing, *self.instance.passing)}

    def _run(self, files: Mapping[str, str], command: str, hidden: bool) -> tuple[str, str]:
        """What a command writes in the repository as it is now, and why it was stopped if it was."""
        instance = self.instance
        begun = repository_of(instance)
        changed = {path: text for path, text in files.items() if begun.get(path) != text}
        given = _given(instance) | {f"changed/{path}": text.encode() for path, text in changed.items()}
        lines = _entered(instance)
        if changed:
            lines.append(f"cp -r {PLACE}/changed/. .")
        if hidden and instance.tests:
            there = [shlex.quote(path) for path in TOUCHED.findall(instance.tests) if path in begun]
            lines += [f"git checkout -q {instance.commit} -- {path}" for path in there]
            lines.append(f"git apply {PLACE}/tests.diff")
        begin = "[ ! -f /opt/miniconda3/bin/activate ] || . /opt/miniconda3/bin/activate testbed"
        left = run_in_image(instance.image, "\n".join([begin, *lines, "set +e", command]), given, SECONDS)
        stopped = f"the tests were stopped after {SECONDS:.0f} seconds" if left.code == -1 else ""
        return left.output, stopped
