"""Shell: file, text, archive, git and process tasks in a home, done with commands that run in a sandbox."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import AgentGymError, TaskError
from agentgym.core.generated import object_schema, path_to
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.sandbox import find_backing
from agentgym.envs._kit.sandbox.images import check_daemon
from agentgym.envs._kit.sandbox.instances import ALONE, GIVEN
from agentgym.envs._kit.sandbox.world import ProgramEnv
from agentgym.envs._kit.tools import FINISH, Toolbox, ToolConfig, ToolState
from agentgym.envs._kit.tools.answers import misfit, right
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.code import SHELL
from agentgym.envs.code._shell.book import BOOK, Kind
from agentgym.envs.code._shell.container import BOXED, SUBMIT, Boxed, check_image, gold_commands, judged
from agentgym.envs.code._shell.instances import Instance, read_instances
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


@dataclass(frozen=True)
class Config(ToolConfig):
    """The keyword arguments of `ShellEnv`."""

    instances: Path | None = path_to("a file of InterCode or a folder of Terminal-Bench", shapes_tasks=False)


class ShellEnv(ProgramEnv):
    """Do file, text, archive, git and process tasks with commands of bash that run in a sandbox.

    Description: a home of some eighty files made from a seed: logs of services, tables, notes, pictures with copies,
    settings, source code, archives (nested and damaged ones too), a Git repository with branches, scripts that wait for
    signals. A task asks for a number, a name or a list, or for a change: each of a hundred kinds is another
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
        instances: Path of a file of InterCode's Bash part (records with `query` and `gold`), of a task's folder of
            Terminal-Bench (`task.yaml`, `Dockerfile`, `run-tests.sh`, `tests`, `solution.sh`), or of a folder of such
            files or folders. They are played in place of the homes, whatever the split, in their images of Docker,
            without a network, with `bash` and `submit`; the image of a task of Terminal-Bench is built from its folder.
            InterCode's reward is its own: a third each for the paths that changed, for what they hold, and for how
            alike the last outputs are; success where all are full. Terminal-Bench's is 1 where all tests pass, which
            are laid in the container when the episode is over. Each command is played in a new container after those
            before it, so that a state follows from its commands; what they read from a clock is not repeatable. There
            is an oracle where the gold answer is known, and no expert. None: the homes.
        budget: Commands that may be run; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the kinds of task are those of InterCode's Bash part (Yang et al. 2023, arXiv:2306.14898) and of
    Terminal-Bench. Differences: generated homes, answers worked out without running a command, a new shell for each
    command, reward for the whole state and none for likeness to it.
    """

    card = SHELL
    toolbox = TOOLBOX
    config = Config()
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
        self._instances: Mapping[str, Instance] | None = None
        if self.config.instances is None:
            self.metadata = {**self.metadata, "sandbox": find_backing().name}  # type: ignore[misc]
            check_programs(os.getpid())
            return
        self._instances = read_instances(self.config.instances)
        check_daemon()
        self.metadata = {**self.metadata, "sandbox": "images of Docker"}  # type: ignore[misc]
        self.toolbox = BOXED  # type: ignore[misc]
        self.grammar = BOXED.grammar

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split; instances where they are given."""
        known = self._instances
        if known is None:
            return super().tasks(split)
        return FiniteTaskSet(split, list(known), lambda name: Task(name, split, known[name].task, {"instance": name}))

    # Tasks.

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A kind of task, a seed of a home that has something for it, and a wording.

        Args:
            config: Not read.
            rng: Draws kind and seed, anew until they make a task, and then the wording.
        """
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
        if self._instances is not None:
            raise TaskError(GIVEN)
        _posed(spec)

    def _kind(self, spec: Spec) -> str:
        if self._instances is not None:
            return self._instances[spec["instance"]].kind
        return _posed(spec).kind.name

    # Play.

    def _reset(self, task: Task) -> str:
        if self._instances is not None:
            instance = self._instances[task.spec["instance"]]
            check_image(instance)
            self._state = ToolState(Boxed(instance))
            return task.instruction
        self._posed = _posed(task.spec)
        self._state = ToolState(Machine(Tree(self._posed.begin.files)))
        return task.instruction

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        if self._instances is not None:
            return self._judged()
        posed, kind = self._posed, self._posed.kind.answer
        answer = arguments.get("answer", DONE if kind == "state" else None)
        wrong = misfit(kind, answer)
        if wrong:
            return self.refuse(wrong)
        solved = (kind == "state" or right(kind, answer, posed.answer)) and done(posed, self._state.data.tree.entries)
        event = {"type": "tool_call", "tool": FINISH.name, "arguments": dict(arguments)}
        return Outcome(
            "That is right." if solved else "That is not right.",
            reward=float(solved), terminated=True, success=solved, events=(event,), metrics=self._counted(),
            costs={"duration": 1.0},
        )  # fmt: skip

    def _judged(self) -> Outcome:
        """The end of an instance."""
        ended = judged(self._state.data.instance, self._state.data.commands)
        said = ", ".join(f"{name} {value:.2f}" for name, value in ended.parts.items())
        return Outcome(
            f"Judged: {said}.", reward=ended.score, terminated=True, success=ended.solved, progress=ended.score,
            events=({"type": "tool_call", "tool": SUBMIT.name, "arguments": {}},), metrics=self._counted(),
            costs={"duration": 1.0},
        )  # fmt: skip

    @property
    def _machine(self) -> Machine | Boxed:
        found: Machine | Boxed = self._state.data
        return found

    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        return {"commands": self._state.calls, "failed_commands": self._machine.failed, "lost": lost}

    def _key_state(self) -> Any:
        if isinstance(self._machine, Boxed):
            return [self._machine.instance.name, self._machine.commands]
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
        if self._instances is not None:
            return self._gold()
        commands = self._posed.kind.commands(self._posed.arguments)
        return self._next(commands) or self._final(DONE if self._posed.answer is None else self._posed.answer)

    def _gold(self) -> str:
        """The next action of who knows the gold answer of an instance."""
        boxed = self._state.data
        commands = gold_commands(boxed.instance)
        if not commands:
            raise AgentGymError(f"{boxed.instance.name} comes without a solution, so there is no oracle for it")
        done_so_far = len(boxed.commands)
        if done_so_far < len(commands):
            return written((BASH.name, {"command": commands[done_so_far]}))
        return written((SUBMIT.name, {}))

    def _expert(self) -> str:
        if self._instances is not None:
            raise AgentGymError(ALONE.format("expert"))
        found = read(self.task.instruction)
        if found is None:
            return self._final(DONE)
        commands = found[0].commands(found[1])
        return self._next(commands) or self._final(self._said_at_last(found[0], commands))

    def _reference(self) -> Any:
        """The answer, and the gold commands."""
        if self._instances is not None:
            return {"commands": list(self._state.data.instance.gold)}
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
