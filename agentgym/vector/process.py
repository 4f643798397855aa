"""Environments each in a process of its own, for engines: time limits, memory limits, recovery from crashes."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from typing import Any

import numpy as np
from gymnasium.spaces import Text
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import create_empty_array

from agentgym.core import ConfigError, UnicodeText
from agentgym.core.checks import LARGEST_MEMORY, check_limit
from agentgym.core.rng import stream_seed
from agentgym.vector.base import BaseVectorEnv, Begun, Played, Shape
from agentgym.vector.memory import held_mib, require_proc
from agentgym.vector.pool import PENDING, START_LIMIT, Broken, WorkerProcess
from agentgym.vector.worker import CLOSE_LIMIT, EnvFactory, Raised, WorkerError

WATCH = 0.25  # seconds between two looks at the memory
BLANK: Mapping[str, Any] = {"task_id": "", "split": "", "instruction": "", "progress": 0.0, "metrics": {}, "costs": {}}


class ProcessVectorEnv(BaseVectorEnv):
    """Environments in processes of their own; see `BaseVectorEnv` for what is common to all vectors.

    When an environment's process ends, does not answer a step or a reset within `step_timeout`, or holds more than
    `memory_limit`, its episode ends there: `truncated`, reward 0, and `infos["failure"]` says what happened. The
    process is ended with all that it started, and the environment's next reset begins in a new one, with a seed that
    follows from the environment's last one. `respawns` counts them. An environment that is over the limit when its
    episode ends is replaced without a failure, and its generator goes on in the new process. Should the new process
    fail as well, the first observation of the episode says so and its first step is `truncated`.

    An exception that the environment raises is raised here, after all environments have answered.

    Args:
        factory: How each environment is made.
        num_envs: How many.
        autoreset_mode: What follows an episode's end.
        step_timeout: Seconds for an answer to a step or a reset; None waits for ever.
        memory_limit: MiB that the process of an environment may hold together with those it started; None for no limit.
        spec: Specification of the vector environment.
    """

    def __init__(
        self,
        factory: EnvFactory,
        num_envs: int,
        autoreset_mode: AutoresetMode,
        step_timeout: float | None,
        memory_limit: float | None,
        spec: Any = None,
    ):
        if os.name != "posix":
            raise ConfigError("environments in processes of their own need a POSIX system; use 'sync'")
        if step_timeout is not None:
            check_limit("step_timeout", step_timeout, "seconds")
        if memory_limit is not None:
            check_limit("memory_limit", memory_limit, "MiB", LARGEST_MEMORY)
            require_proc()
        self._factory, self._timeout, self._limit = factory, step_timeout, memory_limit
        self._workers: list[WorkerProcess | None] = [None] * num_envs
        self._looked = 0.0
        self.respawns = np.zeros(num_envs, np.int64)
        self._seed: list[int | None] = [None] * num_envs
        self._due: list[int | None] = [None] * num_envs  # seed of the first reset in a new process
        self._failed: list[str] = [""] * num_envs  # why an episode that has just begun cannot be played
        self._infos: list[dict[str, Any]] = [dict(BLANK) for _ in range(num_envs)]
        self._heavy: set[int] = set()  # environments to be replaced at their next reset
        started = self._start(range(num_envs))
        for index in range(num_envs):
            if isinstance(started[index], Exception):
                self.close_extras()
                broken = isinstance(started[index], Broken)
                raise WorkerError(f"environment {index}: {started[index]}") if broken else started[index]
        first = Shape(*started[0])
        super().__init__(num_envs, first, autoreset_mode, spec)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute; what comes back is a copy.

        Raises:
            ConfigError: if an environment's process is gone; reset it first.
        """
        return tuple(self._everywhere([("call", (name, args, kwargs))] * self.num_envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment, or of the wrapper that has it. A process started again lacks it.

        Args:
            name: Of the attribute.
            values: One value for all, or a list or tuple with one for each; they are pickled.
        """
        self._everywhere([("set", (name, value)) for value in self._values(values)])

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment; a process that takes more than 5 seconds is ended."""
        workers = [worker for worker in self._workers if worker is not None]
        for worker in workers:
            with contextlib.suppress(Broken):
                worker.ask("close", None)
        until = time.monotonic() + CLOSE_LIMIT
        for worker in workers:
            worker.end(max(0.0, until - time.monotonic()))
        self._workers = [None] * len(self._workers)

    def __del__(self) -> None:
        if not self.closed:
            for worker in getattr(self, "_workers", ()):
                if worker is not None:
                    worker.end()

    def _reset(
        self, indices: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None
    ) -> list[Begun]:
        self._replace_heavy(indices)
        gone = [index for index in indices if self._workers[index] is None]
        started = self._start(gone)
        questions = {}
        for index, seed in zip(indices, seeds, strict=True):
            if seed is None and index in gone:
                seed = self._due[index]
            if seed is not None:
                self._seed[index] = seed
            self._due[index] = None
            if self._workers[index] is not None:
                questions[index] = ("reset", (seed, None if options is None else dict(options)))
        answers: dict[int, Any] = {**started, **self._gather(questions)}
        self._raise_errors({index: answers[index] for index in questions})
        return [self._as_begun(index, answers[index]) for index in indices]

    def _as_begun(self, index: int, answer: Any) -> Begun:
        if isinstance(answer, Exception):
            self._failed[index] = str(answer)
            return self._failure(index, str(answer))
        self._failed[index] = ""
        shown, info = answer
        self._infos[index] = info
        return shown, info

    def _step(self, indices: Sequence[int], actions: Sequence[Any]) -> list[Played]:
        answers: dict[int, Any] = {index: Broken(self._failed[index]) for index in indices if self._failed[index]}
        said = zip(indices, actions, strict=True)
        answers |= self._gather({index: ("step", action) for index, action in said if index not in answers})
        self._raise_errors(answers)
        played = []
        for index in indices:
            answer = answers[index]
            if isinstance(answer, Broken):
                shown, info = self._failure(index, str(answer))
                answer = (shown, 0.0, False, True, info)
            self._infos[index] = answer[4]
            played.append(answer)
        return played

    def _start(self, indices: Sequence[int]) -> dict[int, Any]:
        """Make some environments; by index, their shape, or the exception that prevented it."""
        for index in indices:
            self._workers[index] = WorkerProcess(self._factory)
        answers = self._collect(indices, START_LIMIT)
        for index, answer in answers.items():
            if isinstance(answer, Raised):
                answers[index] = answer.error(index)
                self._drop(index)
        return answers

    def _gather(self, questions: Mapping[int, tuple[str, Any]]) -> dict[int, Any]:
        """Ask each environment, and what each answered: its answer, `Raised`, or `Broken`."""
        answers: dict[int, Any] = {}
        for index, (command, arguments) in questions.items():
            try:
                self._worker(index).ask(command, arguments)
            except Broken as broken:
                answers[index] = self._drop(index, broken)
        return answers | self._collect([index for index in questions if index not in answers], self._timeout)

    def _collect(self, indices: Sequence[int], seconds: float | None) -> dict[int, Any]:
        """The answers of environments that were asked; those that break or take too long are ended."""
        answers: dict[int, Any] = {}
        waiting: dict[Any, int] = {self._worker(index).pipe: index for index in indices}
        until = None if seconds is None else time.monotonic() + seconds
        try:
            while waiting:
                left = None if until is None else max(0.0, until - time.monotonic())
                pause = left if self._limit is None else min(WATCH, WATCH if left is None else left)
                for pipe in wait(list(waiting), pause):
                    index = waiting[pipe]
                    try:
                        answer = self._worker(index).take()
                    except Broken as broken:
                        answer = self._drop(index, broken)
                    if answer is not PENDING:
                        del waiting[pipe]
                        answers[index] = answer
                if until is not None and waiting and time.monotonic() >= until:
                    for index in waiting.values():
                        answers[index] = self._drop(index, Broken(f"it did not answer within {seconds:g} seconds"))
                    waiting = {}
                self._look(waiting, answers)
        except BaseException:
            for index in waiting.values():  # an answer that comes later would be taken for that of another question
                self._drop(index, Broken("the program was interrupted while it worked"))
            raise
        return answers

    def _look(self, waiting: dict[Any, int], answers: dict[int, Any]) -> None:
        """Now and then, end the environments that hold too much memory; note those that are done for replacement."""
        if self._limit is None:
            return
        ended = [index for index, answer in answers.items() if _is_end(answer)]
        self._heavy.update(index for index in ended if self._held(index) > self._limit)
        if time.monotonic() - self._looked < WATCH:
            return
        self._looked = time.monotonic()
        pipes = {index: pipe for pipe, index in waiting.items()}
        for index in [*pipes, *(index for index in answers if index not in ended)]:
            held = self._held(index)
            if held > self._limit:
                waiting.pop(pipes.get(index), None)
                answers[index] = self._drop(index, Broken(f"it held {held:.0f} MiB, the limit is {self._limit:g} MiB"))

    def _held(self, index: int) -> float:
        worker = self._workers[index]
        return 0.0 if worker is None else held_mib(worker.process.pid)

    def _replace_heavy(self, indices: Sequence[int]) -> None:
        """New processes for environments whose episode ended over the memory limit; their generators go on there."""
        heavy = [index for index in indices if index in self._heavy and self._workers[index] is not None]
        self._heavy -= set(indices)
        if not heavy:
            return
        generators = self._gather(dict.fromkeys(heavy, ("generator", None)))
        for index in heavy:
            self._drop(index)
        started = self._start(heavy)
        moved = [
            index
            for index in heavy
            if isinstance(generators[index], dict) and not isinstance(started[index], Exception)
        ]
        self._gather({index: ("generator", generators[index]) for index in moved})
        for index in moved:
            self._due[index] = None

    def _everywhere(self, questions: Sequence[tuple[str, Any]]) -> list[Any]:
        gone = [index for index, worker in enumerate(self._workers) if worker is None]
        if gone:
            raise ConfigError(f"the processes of environments {gone} are gone; reset them first")
        answers = self._gather(dict(enumerate(questions)))
        self._raise_errors(answers)
        for index, answer in answers.items():
            if isinstance(answer, Broken):
                raise ConfigError(f"environment {index} failed while it was asked: {answer}; reset it")
        return [answers[index] for index in range(self.num_envs)]

    def _worker(self, index: int) -> WorkerProcess:
        worker = self._workers[index]
        assert worker is not None, f"environment {index} has no process"
        return worker

    def _drop(self, index: int, broken: Broken | None = None) -> Broken | None:
        """End the process of an environment; the next reset begins another."""
        self._worker(index).end()
        self._workers[index] = None
        self.respawns[index] += 1
        seed = self._seed[index]
        if seed is not None:
            self._due[index] = stream_seed("vector.respawn", seed, int(self.respawns[index]))
        return broken

    def _failure(self, index: int, reason: str) -> Begun:
        """What an environment shows when its environment failed."""
        last = self._infos[index]
        fresh = {"success": False, "action_valid": True, "error": "", "failure": reason, "events": []}
        zeros = {key: dict.fromkeys(last.get(key, {}), 0.0) for key in ("metrics", "costs")}
        info = {**BLANK, **last, **fresh, **zeros}
        if isinstance(self.single_observation_space, Text):
            text = f"The environment failed: {reason}"
            space = self.single_observation_space
            return space.fit(text) if isinstance(space, UnicodeText) else text, info
        shown = self._shown[index]  # numbers cannot tell of a failure: they stay as they were
        if shown is None:
            shown = create_empty_array(self.single_observation_space, n=None)  # type: ignore[arg-type]
        return shown, info

    @staticmethod
    def _raise_errors(answers: Mapping[int, Any]) -> None:
        for index, answer in answers.items():
            if isinstance(answer, Raised):
                raise answer.error(index)


def _is_end(answer: Any) -> bool:
    """Whether an answer to a step says that the episode is over."""
    return isinstance(answer, tuple) and len(answer) == 5 and bool(answer[2] or answer[3])
