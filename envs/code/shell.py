"""Shell: file, text, archive, git and process tasks in a home, done with commands that run in a sandbox."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.sandbox import find_backing
from agentgym.envs._kit.sandbox.world import ProgramEnv
from agentgym.envs._kit.tools import FINISH, Toolbox, ToolConfig, ToolState
from agentgym.envs._kit.tools.answers import misfit, right
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.code import SHELL
from agentgym.envs.code._shell.book import BOOK, Kind
from agentgym.envs.code._shell.machine import BASH, HOME, Machine, Tree, check_programs
from agentgym.envs.code._shell.tasks import Posed, done, pose, read

SEEDS, WORDINGS, ATTEMPTS = 2**31, 9, 50
DONE = "done"  # the answer after a change
TOOLBOX = Toolbox(
    (BASH,),
    FINISH,
    f"You work in the home folder {HOME} of a Linux machine, where the first command begins. Paths in a task are below "
    "it. You answer a question about what is there, or change it as asked and nothing else.",
)


class ShellEnv(ProgramEnv):
    """Do file, text, archive, git and process tasks with commands of bash that run in a sandbox.

    Description: a home of some eighty files made from a seed: logs of services, tables, notes, pictures with copies,
    settings, source code, archives (nested and damaged ones too), a Git repository with branches, scripts that wait for
    signals. A task asks for a number, a name or a list, or for a change: each of some ninety kinds is another
    computation, said in nine ways or more.

    Observation: the task; then what a command wrote as JSON, `{"output": ...}`, with `error` if it failed or was
    stopped, `warnings` if it did not and wrote to the error stream, and `status` if its exit status is not 0.

    Actions: `{"name": "bash", "arguments": {"command": "ls -l"}}` runs a command in bash. Each is a new shell: the
    folder in which the last one ended is kept, variables and running programs are not; of files, those below the home.
    `{"name": "finish", "arguments": {"answer": "done"}}` ends the episode with the answer of a question, or with "done"
    after a change.

    Reward: 1 at `finish` (success) for the right answer, with the home left as it was, or for a home that is as it
    should be; 0 otherwise. The whole home counts: content, names, links, permissions; of what is new only whether it is
    a program, of archives what they hold, of a repository its branches, tags, commits, index and configuration. A
    command that ends its sandbox ends the episode without reward. There is no progress on the way.

    Splits: `train` without end, `val` and `test` 100 tasks each. No task with the same arguments is in two splits, in
    whatever words.

    Oracle: plays the gold commands of the task's kind, and gives the answer that was worked out apart from them.
    Expert: reads kind and arguments from the task's words, plays the commands, and answers what the last one printed.

    Commands run in bubblewrap or in Docker, whichever the machine has, within limits of time (4 seconds of computing),
    memory (256 MiB), processes, files and output, without a network. `metadata["sandbox"]` names it. What was changed
    gets a time that follows from the turn; the names and dates of Git's commits are given. What a command itself reads
    from the clock, of process numbers or from the kernel's source of chance is not repeatable. A command that is
    stopped because it takes too long, too much memory or writes too much leaves the home as it was.

    Args:
        budget: Commands that may be run; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the kinds of task are those of InterCode's Bash part (Yang et al. 2023, arXiv:2306.14898) and of
    Terminal-Bench. Differences: generated homes, answers worked out without running a command, a new shell for each
    command, reward for the whole state and none for likeness to it.
    """

    card = SHELL
    toolbox = TOOLBOX
    config = ToolConfig()
    action_length = 8_000
    _state: ToolState
    task_schema: ClassVar[Spec] = object_schema(
        {
            "kind": {"type": "string", "maxLength": 60, "description": "what is asked"},
            "seed": {"type": "integer", "minimum": 0, "maximum": SEEDS - 1, "description": "of the home"},
            "wording": {"type": "integer", "minimum": 0, "maximum": WORDINGS - 1, "description": "how it is said"},
        }
    )

    def _configured(self) -> None:
        self.metadata = {**self.metadata, "sandbox": find_backing().name}  # type: ignore[misc]
        check_programs(os.getpid())

    # Tasks.

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A kind of task, a seed of a home that has something for it, and a wording."""
        names = list(BOOK.templates)
        for _ in range(ATTEMPTS):
            name, seed = names[int(rng.integers(len(names)))], int(rng.integers(SEEDS))
            if pose(name, seed) is not None:
                return {"kind": name, "seed": seed, "wording": int(rng.integers(WORDINGS))}
        raise AssertionError(f"{ATTEMPTS} draws in a row made no task")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        posed = _posed(spec)
        return BOOK.word(posed.kind, spec["wording"], posed.arguments)

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The task without its wording, whatever the home: no two splits ask the same."""
        posed = _posed(spec)
        return json_key([posed.kind.name, dict(posed.arguments)])

    def check_task(self, spec: Spec) -> None:
        """The kind must exist, and the seed make a task of it."""
        _posed(spec)

    def _kind(self, spec: Spec) -> str:
        return _posed(spec).kind.name

    # Play.

    def _reset(self, task: Task) -> str:
        self._posed = _posed(task.spec)
        self._state = ToolState(Machine(Tree(self._posed.begin.files)))
        return task.instruction

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        posed, answer = self._posed, arguments.get("answer", DONE)
        kind = posed.kind.answer
        wrong = misfit(kind, answer)
        if wrong:
            return self.refuse(wrong)
        solved = (kind == "state" or right(kind, answer, posed.answer)) and done(posed, self._machine.tree.entries)
        event = {"type": "tool_call", "tool": FINISH.name, "arguments": dict(arguments)}
        return Outcome(
            "That is right." if solved else "That is not right.",
            reward=float(solved), terminated=True, success=solved, events=(event,), metrics=self._counted(),
            costs={"duration": 1.0},
        )  # fmt: skip

    @property
    def _machine(self) -> Machine:
        found: Machine = self._state.data
        return found

    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        return {"commands": self._state.calls, "failed_commands": self._machine.failed, "lost": lost}

    def _key_state(self) -> Any:
        return [super()._key_state(), self._state.calls]  # it is told at the end

    def _next(self, commands: list[str]) -> str | None:
        """The first of some commands that was not run yet; None if all were."""
        made = [call for call, _ in self._state.seen]
        for command in commands:
            said = written((BASH.name, {"command": command}))
            if said not in made:
                return said
            made = made[made.index(said) + 1 :]
        return None

    def _said_at_last(self, kind: Kind, commands: list[str]) -> Any:
        """The answer that the last command printed."""
        call = written((BASH.name, {"command": commands[-1]}))
        text = next(text for made, text in reversed(self._state.seen) if made == call)
        lines = str(json.loads(text)["output"]).splitlines()
        if kind.answer == "state":
            return DONE
        return lines if kind.answer == "list" else lines[-1] if lines else "0"

    def _final(self, answer: Any) -> str:
        return written((FINISH.name, {"answer": answer}))

    def _oracle(self) -> str:
        commands = self._posed.kind.commands(self._posed.arguments)
        return self._next(commands) or self._final(DONE if self._posed.answer is None else self._posed.answer)

    def _expert(self) -> str:
        found = read(self.task.instruction)
        if found is None:
            return self._final(DONE)
        commands = found[0].commands(found[1])
        return self._next(commands) or self._final(self._said_at_last(found[0], commands))

    def _reference(self) -> Any:
        """The answer, and the gold commands."""
        return {"answer": self._posed.answer, "commands": self._posed.kind.commands(self._posed.arguments)}


def _posed(spec: Spec) -> Posed:
    found = pose(spec["kind"], spec["seed"])
    if found is None:
        known = ", ".join(list(BOOK.templates)[:3])
        raise TaskError(
            f"{spec['kind'][:40]!r} makes no task with seed {spec['seed']}; take another seed, or another kind such as "
            f"{known}"
        )
    return found
