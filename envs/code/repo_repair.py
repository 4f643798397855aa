"""RepoRepair: a small library has several faults, an issue tells of what they do, and hidden tests decide."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from agentgym.assets.repositories import (
    SPLITS,
    Repair,
    broken,
    load_answers,
    load_repairs,
    load_repository,
)
from agentgym.core.errors import AgentGymError, TaskError
from agentgym.core.generated import object_schema, path_to
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.sandbox import find_backing
from agentgym.envs._kit.sandbox.images import check_daemon
from agentgym.envs._kit.sandbox.instances import ALONE, GIVEN
from agentgym.envs._kit.sandbox.world import ProgramEnv
from agentgym.envs._kit.tools import ToolConfig, ToolState
from agentgym.envs._kit.tools.files import Tree
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.code import REPO_REPAIR
from agentgym.envs.code._repair import players
from agentgym.envs.code._repair.instances import ImageBench, Instance, read_instances, repository_of
from agentgym.envs.code._repair.issue import WORDINGS, issue
from agentgym.envs.code._repair.judge import Tested, run_cases, run_tests
from agentgym.envs.code._repair.workspace import MOST_NEW, SUBMIT, TOOLBOX, Workspace


@dataclass(frozen=True)
class Config(ToolConfig):
    """The keyword arguments of `RepoRepairEnv`."""

    instances: Path | None = path_to("a file or a folder of instances in SWE-bench's format", shapes_tasks=False)


@dataclass(frozen=True)
class OwnBench:
    """Runs the tests of one of our repositories in the sandbox."""

    def test(self, files: Mapping[str, str], words: Sequence[str]) -> Tested:
        """Run the tests on files as they are now.

        Args:
            files: All of them.
            words: Parts of names of the tests to run; all if there are none.
        """
        return run_tests(files, words)


class RepoRepairEnv(ProgramEnv):
    """Repair a small library in which several faults act together, after an issue was reported.

    Description: twelve libraries written for this world (intervals, formulas, book-keeping, templates, patches,
    units, search and others) of a few hundred lines in several modules, with a README and tests. Two to four faults
    were put in by operators on the syntax tree: ends of ranges, conditions, orders, arguments, variables, steps
    left out. Each breaks a hidden test of its own, and one that another fault breaks too: mending one alone leaves
    it failing. An issue tells what somebody saw, in many wordings: what was run, what came out, what was expected;
    nothing of where it comes from.

    Observation: the issue; then the result of a call as JSON: files, lines with numbers, what tests say.

    Actions: one tool call: `list_files`, `view`, `search`, `replace` (a text that stands in the file once),
    `edit_lines`, `create`, `run_tests`, or `submit`, which ends the episode, such as
    `{"name": "view", "arguments": {"path": "README.md"}}`.

    Reward: 1 at `submit` if all hidden tests pass (success): those that failed, and those that did not. Otherwise 0.
    `metrics` and `progress` say at the end which share was repaired, and `regressions` what was broken.

    Hidden tests are a few lines each, played in the sandbox; what they give is compared outside, and no right value is
    ever in the sandbox. So changed or deleted tests, a `conftest.py`, a `sitecustomize.py`, a program that ends itself
    with status 0, or forged output gain nothing. Code that ends its sandbox ends the episode without reward.

    Splits: by repository, and by the set of operators: no repository and no mix of operators is in two splits.

    Oracle: puts the lines back. Expert: knows the libraries by heart, as their author, and not what is wrong: it lists
    the files, runs the tests, looks at the files, and mends what differs from what it knows.

    Args:
        instances: Path of a file of JSON or JSON Lines, or of a folder of such files, with instances of SWE-bench or
            SWE-smith, which are played in place of the libraries, whatever the split. Each runs in its image of Docker
            (`image_name`, or SWE-bench's own), without a network; `test_cmd` says how its tests are run, if not by
            pytest. There a repository's code and its tests share a process, as in SWE-bench's harness, so that forged
            output is not told apart. There is an oracle, and no expert. None: the libraries.
        budget: Tool calls that may be made; then only `submit` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: repairs judged by tests as in SWE-bench (Jimenez et al. 2024, arXiv:2310.06770), faults made from sound code
    as in SWE-smith (Yang et al. 2025, arXiv:2504.21798). Differences: libraries of our own, several faults at once,
    values compared outside the process that runs the code.
    """

    card = REPO_REPAIR
    toolbox = TOOLBOX
    config = Config()
    action_length = 20_000
    _state: ToolState
    task_schema: ClassVar[Spec] = object_schema(
        {
            "repair": {"type": "string", "maxLength": 60, "description": "the repository and its faults, by name"},
            "wording": {"type": "integer", "minimum": 0, "maximum": WORDINGS - 1, "description": "of the issue"},
        }
    )

    def _configured(self) -> None:
        self._instances: Mapping[str, Instance] | None = None
        if self.config.instances is None:
            self.metadata = {**self.metadata, "sandbox": find_backing().name}  # type: ignore[misc]
        else:
            self._instances = read_instances(self.config.instances)
            check_daemon()
            self.metadata = {**self.metadata, "sandbox": "images of Docker"}  # type: ignore[misc]

    # Tasks.

    def tasks(self, split: str) -> TaskSet:
        """The repairs of a split's repositories, each with one wording; instances where they are given."""
        known = self._instances
        if known is not None:
            return FiniteTaskSet(
                split, list(known), lambda name: Task(name, split, known[name].issue, {"instance": name})
            )
        names = [name for name, repair in load_repairs().items() if repair.repository in SPLITS[split]]
        return FiniteTaskSet(split, names, lambda name: self._task_of(name, split))

    def _task_of(self, name: str, split: str) -> Task:
        spec = {"repair": name, "wording": zlib.crc32(name.encode()) % WORDINGS}
        return Task(name, split, self.instruction(spec), spec)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The issue."""
        return issue(_repair(spec), spec["wording"])

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The repository and its faults, whatever the wording."""
        repair = _repair(spec)
        return json_key([repair.repository, [[each.path, each.first, each.faulty] for each in repair.faults]])

    def check_task(self, spec: Spec) -> None:
        """The repair must exist."""
        if self._instances is not None:
            raise TaskError(GIVEN)
        _repair(spec)

    def _kind(self, spec: Spec) -> str:
        if self._instances is not None:
            return self._instances[spec["instance"]].repository
        return _repair(spec).repository

    # Play.

    def _reset(self, task: Task) -> str:
        if self._instances is not None:
            instance = self._instances[task.spec["instance"]]
            bench = ImageBench(instance)
            files = repository_of(instance)
            self._state = ToolState(Workspace(Tree(files), bench, most_files=len(files) + MOST_NEW))
            return f"Repository: {instance.repository}\n\n{task.instruction}"
        self._repair = repair = _repair(task.spec)
        self._sound = load_repository(repair.repository)
        self._state = ToolState(Workspace(Tree(broken(self._sound.files, repair.faults)), OwnBench()))
        return f"Repository: {repair.repository}\n\n{task.instruction}"

    @property
    def _workspace(self) -> Workspace:
        found: Workspace = self._state.data
        return found

    def _judged(self) -> tuple[list[bool], set[int]]:
        """Whether each hidden test passes now, and which of them failed when the episode began."""
        bench, files = self._workspace.bench, self._workspace.tree.files
        if isinstance(bench, ImageBench):
            return [*bench.judge(files).values()], {*range(len(bench.instance.failing))}
        given, answers = run_cases(self._sound, files), load_answers(self._sound.name)
        return [said == answer for (said, _), answer in zip(given, answers, strict=True)], {*self._repair.failing}

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        right, failed = self._judged()
        repaired = sum(right[at] for at in failed) / len(failed)
        regressions = sum(not ok for at, ok in enumerate(right) if at not in failed)
        solved = all(right)
        event = {"type": "tool_call", "tool": SUBMIT.name, "arguments": dict(arguments)}
        said = "All hidden tests pass." if solved else f"{right.count(False)} of {len(right)} hidden tests fail."
        metrics = {**self._counted(), "repaired": repaired, "regressions": regressions}
        return Outcome(
            said, reward=float(solved), terminated=True, success=solved, progress=repaired, events=(event,),
            metrics=metrics, costs={"duration": 1.0},
        )  # fmt: skip

    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        return {"runs": self._workspace.runs, "edits": self._workspace.edits, "lost": lost}

    def _key_state(self) -> Any:
        state, work = self._state, self._workspace
        limited = state.calls if self.config.budget is not None else 0
        return [dict(work.tree.files), work.runs, work.edits, limited]  # both counts are told at the end

    def _sound_files(self) -> Mapping[str, str]:
        bench = self._workspace.bench
        return repository_of(bench.instance, mended=True) if isinstance(bench, ImageBench) else self._sound.files

    def _oracle(self) -> str:
        return written(players.mended(self._workspace.tree.files, self._sound_files()))

    def _expert(self) -> str:
        if self._instances is not None:
            raise AgentGymError(ALONE.format("expert"))
        return written(players.known_by_heart(self._state.seen, self._sound.files, self.task.instruction))

    def _shortcut(self, name: str) -> str:
        if self._instances is not None:
            raise AgentGymError(ALONE.format("shortcut"))
        seen, package = self._state.seen, self._sound.name
        if name == "empty_tests":
            return written(players.empty_tests(seen, self._workspace.tree.files))
        return written(players.quits(seen, package) if name == "quit" else players.first_frame(seen, package))

    def _reference(self) -> Any:
        """The lines that are wrong, and what they should be; of an instance the gold patch."""
        bench = self._workspace.bench
        if isinstance(bench, ImageBench):
            return {"patch": bench.instance.mends, "reverse": bench.instance.breaks}
        return {
            "faults": [
                {"path": each.path, "line": each.first, "sound": list(each.sound), "faulty": list(each.faulty)}
                for each in self._repair.faults
            ]
        }


def _repair(spec: Spec) -> Repair:
    found = load_repairs().get(spec["repair"])
    if found is None:
        known = ", ".join(list(load_repairs())[:3])
        raise TaskError(f"there is no repair {spec['repair'][:40]!r}; there are {known} and so on")
    return found
