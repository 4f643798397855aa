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
from agentgym.core.rng import stream_seed
from agentgym.vector.base import Begun, LaneVectorEnv, Played, Shape
from agentgym.vector.memory import held_mib, require_proc
from agentgym.vector.pool import START_LIMIT, Broken, WorkerProcess
from agentgym.vector.worker import CLOSE_LIMIT, EnvFactory, Raised, WorkerError

WATCH = 0.25  # seconds between two looks at the memory
BLANK: Mapping[str, Any] = {"task_id": "", "split": "", "instruction": "", "progress": 0.0, "metrics": {}, "costs": {}}


class ProcessVectorEnv(LaneVectorEnv):
    """Lanes in processes of their own; see `LaneVectorEnv` for what is common to all vectors.

    When a lane's process ends, does not answer a step or a reset within `step_timeout`, or holds more than
    `memory_limit`, its episode ends there: `truncated`, reward 0, and `infos["failure"]` says what happened. The
    process is ended with all that it started, and the lane's next reset begins in a new one, with a seed that follows
    from the lane's last one. `respawns` counts them. A lane that is over the limit when its episode ends is replaced
    without a failure, and its generator goes on in the new process. Should the new process fail as well, the first
    observation of the episode says so and its first step is `truncated`.

    An exception that the environment raises is raised here, after all lanes have answered.

    Args:
        factory: How each lane is made.
        num_envs: How many.
        autoreset_mode: What follows an episode's end.
        step_timeout: Seconds for an answer to a step or a reset; None waits for ever.
        memory_limit: MiB that the process of a lane may hold together with those it started; None for no limit.
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
        for name, value in (("step_timeout", step_timeout), ("memory_limit", memory_limit)):
            if value is not None and not value > 0:
                raise ConfigError(f"{name} must be above 0 or None, got {value!r}")
        if memory_limit is not None:
            require_proc()
        self._factory, self._timeout, self._limit = factory, step_timeout, memory_limit
        self._workers: list[WorkerProcess | None] = [None] * num_envs
        self._looked = 0.0
        self.respawns = np.zeros(num_envs, np.int64)
        self._seed: list[int | None] = [None] * num_envs
        self._due: list[int | None] = [None] * num_envs  # seed of the first reset in a new process
        self._failed: list[str] = [""] * num_envs  # why an episode that has just begun cannot be played
        self._infos: list[dict[str, Any]] = [dict(BLANK) for _ in range(num_envs)]
        self._heavy: set[int] = set()  # lanes to be replaced at their next reset
        started = self._start(range(num_envs))
        for lane in range(num_envs):
            if isinstance(started[lane], Exception):
                self.close_extras()
                broken = isinstance(started[lane], Broken)
                raise WorkerError(f"environment {lane}: {started[lane]}") if broken else started[lane]
        first = Shape(*started[0])
        super().__init__(num_envs, first, autoreset_mode, spec)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every lane, or read an attribute; what comes back is a copy.

        Raises:
            ConfigError: if a lane's process is gone; reset it first.
        """
        return tuple(self._everywhere([("call", (name, args, kwargs))] * self.num_envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute: one value for all lanes, or a list or tuple with one for each. New processes lack it."""
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
        self, lanes: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None
    ) -> list[Begun]:
        self._replace_heavy(lanes)
        gone = [lane for lane in lanes if self._workers[lane] is None]
        started = self._start(gone)
        questions = {}
        for lane, seed in zip(lanes, seeds, strict=True):
            if seed is None and lane in gone:
                seed = self._due[lane]
            if seed is not None:
                self._seed[lane] = seed
            self._due[lane] = None
            if self._workers[lane] is not None:
                questions[lane] = ("reset", (seed, None if options is None else dict(options)))
        answers: dict[int, Any] = {**started, **self._gather(questions)}
        self._raise_errors({lane: answers[lane] for lane in questions})
        return [self._as_begun(lane, answers[lane]) for lane in lanes]

    def _as_begun(self, lane: int, answer: Any) -> Begun:
        if isinstance(answer, Exception):
            self._failed[lane] = str(answer)
            return self._failure(lane, str(answer))
        self._failed[lane] = ""
        shown, info = answer
        self._infos[lane] = info
        return shown, info

    def _step(self, lanes: Sequence[int], actions: Sequence[Any]) -> list[Played]:
        answers: dict[int, Any] = {lane: Broken(self._failed[lane]) for lane in lanes if self._failed[lane]}
        said = zip(lanes, actions, strict=True)
        answers |= self._gather({lane: ("step", action) for lane, action in said if lane not in answers})
        self._raise_errors(answers)
        played = []
        for lane in lanes:
            answer = answers[lane]
            if isinstance(answer, Broken):
                shown, info = self._failure(lane, str(answer))
                answer = (shown, 0.0, False, True, info)
            self._infos[lane] = answer[4]
            played.append(answer)
        return played

    def _start(self, lanes: Sequence[int]) -> dict[int, Any]:
        """Make the environments of some lanes; by lane, their shape, or the exception that prevented it."""
        for lane in lanes:
            self._workers[lane] = WorkerProcess(self._factory)
        answers = self._collect(lanes, START_LIMIT)
        for lane, answer in answers.items():
            if isinstance(answer, Raised):
                answers[lane] = answer.error(lane)
                self._drop(lane)
        return answers

    def _gather(self, questions: Mapping[int, tuple[str, Any]]) -> dict[int, Any]:
        """Ask each lane, and what each answered: its answer, `Raised`, or `Broken`."""
        answers: dict[int, Any] = {}
        for lane, (command, arguments) in questions.items():
            try:
                self._worker(lane).ask(command, arguments)
            except Broken as broken:
                answers[lane] = self._drop(lane, broken)
        return answers | self._collect([lane for lane in questions if lane not in answers], self._timeout)

    def _collect(self, lanes: Sequence[int], seconds: float | None) -> dict[int, Any]:
        """The answers of lanes that were asked; those that break or take too long are ended."""
        answers: dict[int, Any] = {}
        waiting: dict[Any, int] = {self._worker(lane).pipe: lane for lane in lanes}
        until = None if seconds is None else time.monotonic() + seconds
        try:
            while waiting:
                left = None if until is None else max(0.0, until - time.monotonic())
                pause = left if self._limit is None else min(WATCH, WATCH if left is None else left)
                for pipe in wait(list(waiting), pause):
                    lane = waiting.pop(pipe)
                    try:
                        answers[lane] = self._worker(lane).answer()
                    except Broken as broken:
                        answers[lane] = self._drop(lane, broken)
                if until is not None and waiting and time.monotonic() >= until:
                    for lane in waiting.values():
                        answers[lane] = self._drop(lane, Broken(f"it did not answer within {seconds:g} seconds"))
                    waiting = {}
                self._look(waiting, answers)
        except BaseException:
            for lane in waiting.values():  # an answer that comes later would be taken for that of another question
                self._drop(lane, Broken("the program was interrupted while it worked"))
            raise
        return answers

    def _look(self, waiting: dict[Any, int], answers: dict[int, Any]) -> None:
        """Now and then, end the lanes that hold too much memory; note those that are done for replacement."""
        if self._limit is None:
            return
        ended = [lane for lane, answer in answers.items() if _is_end(answer)]
        self._heavy.update(lane for lane in ended if self._held(lane) > self._limit)
        if time.monotonic() - self._looked < WATCH:
            return
        self._looked = time.monotonic()
        pipes = {lane: pipe for pipe, lane in waiting.items()}
        for lane in [*pipes, *(lane for lane in answers if lane not in ended)]:
            held = self._held(lane)
            if held > self._limit:
                waiting.pop(pipes.get(lane), None)
                answers[lane] = self._drop(lane, Broken(f"it held {held:.0f} MiB, the limit is {self._limit:g} MiB"))

    def _held(self, lane: int) -> float:
        worker = self._workers[lane]
        return 0.0 if worker is None else held_mib(worker.process.pid)

    def _replace_heavy(self, lanes: Sequence[int]) -> None:
        """New processes for lanes whose episode ended over the memory limit; their generators go on there."""
        heavy = [lane for lane in lanes if lane in self._heavy and self._workers[lane] is not None]
        self._heavy -= set(lanes)
        if not heavy:
            return
        generators = self._gather(dict.fromkeys(heavy, ("generator", None)))
        for lane in heavy:
            self._drop(lane)
        started = self._start(heavy)
        moved = [
            lane for lane in heavy if isinstance(generators[lane], dict) and not isinstance(started[lane], Exception)
        ]
        self._gather({lane: ("generator", generators[lane]) for lane in moved})
        for lane in moved:
            self._due[lane] = None

    def _everywhere(self, questions: Sequence[tuple[str, Any]]) -> list[Any]:
        gone = [lane for lane, worker in enumerate(self._workers) if worker is None]
        if gone:
            raise ConfigError(f"the processes of lanes {gone} are gone; reset them first")
        answers = self._gather(dict(enumerate(questions)))
        self._raise_errors(answers)
        for lane, answer in answers.items():
            if isinstance(answer, Broken):
                raise ConfigError(f"environment {lane} failed while it was asked: {answer}; reset it")
        return [answers[lane] for lane in range(self.num_envs)]

    def _worker(self, lane: int) -> WorkerProcess:
        worker = self._workers[lane]
        assert worker is not None, f"lane {lane} has no process"
        return worker

    def _drop(self, lane: int, broken: Broken | None = None) -> Broken | None:
        """End the process of a lane; the next reset begins another."""
        self._worker(lane).end()
        self._workers[lane] = None
        self.respawns[lane] += 1
        seed = self._seed[lane]
        if seed is not None:
            self._due[lane] = stream_seed("vector.respawn", seed, int(self.respawns[lane]))
        return broken

    def _failure(self, lane: int, reason: str) -> Begun:
        """What a lane shows when its environment failed."""
        last = self._infos[lane]
        fresh = {"success": False, "action_valid": True, "error": "", "failure": reason, "events": []}
        zeros = {key: dict.fromkeys(last.get(key, {}), 0.0) for key in ("metrics", "costs")}
        info = {**BLANK, **last, **fresh, **zeros}
        if isinstance(self.single_observation_space, Text):
            text = f"The environment failed: {reason}"
            space = self.single_observation_space
            return space.fit(text) if isinstance(space, UnicodeText) else text, info
        shown = self._shown[lane]  # numbers cannot tell of a failure: they stay as they were
        if shown is None:
            shown = create_empty_array(self.single_observation_space, n=None)  # type: ignore[arg-type]
        return shown, info

    @staticmethod
    def _raise_errors(answers: Mapping[int, Any]) -> None:
        for lane, answer in answers.items():
            if isinstance(answer, Raised):
                raise answer.error(lane)


def _is_end(answer: Any) -> bool:
    """Whether an answer to a step says that the episode is over."""
    return isinstance(answer, tuple) and len(answer) == 5 and bool(answer[2] or answer[3])
