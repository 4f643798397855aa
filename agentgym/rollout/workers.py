"""Environments in other processes: several in each, with time limits, memory limits and recovery.

A process that hangs, ends by itself or grows too large is replaced. What its other environments had played is played
again in the new one, which by the contract of an environment leads to the same states; the episode that did it fails.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from agentgym.core import AgentGymError, ConfigError, Driver, Snapshot, StepResult, drive
from agentgym.rollout.env_pool import EnvBackend, Question
from agentgym.rollout.records import (
    HEARD,
    WORDS,
    EpisodeSpec,
    GameStep,
    RecordOptions,
    act,
    adopt,
    begin,
    failed_step,
)
from agentgym.vector.memory import held_mib, require_proc
from agentgym.vector.pool import START_LIMIT, Broken, WorkerProcess
from agentgym.vector.process import WATCH
from agentgym.vector.worker import EnvFactory, Raised

AHEAD = 4  # questions a process may have before it answers; its pipe holds only so much


@dataclass(frozen=True)
class Workers:
    """How environments run in other processes.

    Attributes:
        processes: How many.
        timeout: Seconds for an answer to a step or a reset, after which the episode fails.
        memory: MiB that a process may hold together with those it started; None for no limit.
    """

    processes: int = 2
    timeout: float = 60.0
    memory: float | None = None

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise ConfigError(f"processes must be at least 1, got {self.processes}")
        if not self.timeout > 0:
            raise ConfigError(f"timeout must be above 0 seconds, got {self.timeout!r}")
        if self.memory is not None:
            if not self.memory > 0:
                raise ConfigError(f"memory must be above 0 MiB, got {self.memory!r}")
            require_proc()

    def start(self, factory: EnvFactory, players: Sequence[str]) -> WorkerBackend:
        """Start the processes.

        Args:
            factory: Makes an environment.
            players: Its players.
        """
        return WorkerBackend(self, factory, players)


@dataclass(frozen=True)
class _HostFactory:
    """Makes a host where it is unpickled and called."""

    factory: EnvFactory

    def __call__(self) -> _Host:
        return _Host(self.factory)


class _Host:
    """In its own process, the environments of some places; what it can do is called by name."""

    def __init__(self, factory: EnvFactory):
        self._factory = factory
        self._drivers: dict[int, Driver] = {}

    def begin(self, place: int, spec: EpisodeSpec, options: RecordOptions) -> GameStep:
        """Reset the environment of a place."""
        return _slim(begin(self._driver(place), spec, options), options)

    def act(self, place: int, actions: Mapping[str, str], options: RecordOptions) -> GameStep:
        """Play one step."""
        return _slim(act(self._drivers[place], actions, options), options)

    def ask(self, place: int, player: str, name: str, arguments: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        """The answer to a question about a player, and the states of the generators among its arguments."""
        answer = self._drivers[place].ask(name, player, *arguments)
        return answer, [each.bit_generator.state for each in arguments if isinstance(each, np.random.Generator)]

    def result(self, place: int, player: str) -> StepResult:
        """What a player got last."""
        return self._drivers[place].result(player)

    def save(self, place: int) -> Snapshot:
        """The state of a place."""
        return self._drivers[place].snapshot()

    def adopt(self, place: int, saved: Snapshot, seed: int) -> str:
        """Put a place into a state, with a generator of its own."""
        return adopt(self._driver(place), saved, seed)

    def close(self) -> None:
        """Close every environment."""
        for driver in self._drivers.values():
            driver.close()

    def _driver(self, place: int) -> Driver:
        if place not in self._drivers:
            self._drivers[place] = drive(self._factory())
        return self._drivers[place]


@dataclass
class _Log:
    """How an environment got where it is: its start, or a state and the seed of its generator; then its actions."""

    origin: EpisodeSpec | tuple[Snapshot, int]
    actions: list[Mapping[str, str]] = field(default_factory=list)


@dataclass
class _Question:
    place: int
    method: str
    arguments: tuple[Any, ...]
    patience: int = 1  # times it may be asked again because the process had grown too large before


@dataclass
class WorkerChannel:
    """A process, what it is to be asked, and what it has been asked without having answered yet."""

    worker: WorkerProcess | None = None
    todo: deque[_Question] = field(default_factory=deque)
    asked: deque[_Question] = field(default_factory=deque)
    until: float = 0.0  # when the answer under way is overdue

    def take_back(self) -> None:
        """Ask again what was not answered."""
        self.todo.extendleft(reversed(self.asked))
        self.asked.clear()


class WorkerBackend(EnvBackend):
    """An `EnvBackend` in other processes; see `Workers`.

    Args:
        options: How many, and their limits.
        factory: Makes an environment.
        players: Its players.

    Attributes:
        respawns: Processes that were started again.
    """

    def __init__(self, options: Workers, factory: EnvFactory, players: Sequence[str]):
        self._options, self._factory, self._players = options, factory, tuple(players)
        self._channels = [WorkerChannel() for _ in range(options.processes)]
        self._logs: dict[int, _Log] = {}
        self._lost: dict[int, str] = {}  # why the environment of a place could not be brought back
        self._looked = 0.0
        self.respawns = 0

    def begin(self, specs: Sequence[EpisodeSpec], options: RecordOptions) -> list[GameStep]:
        """Reset the environments of places 0, 1, ..., one a spec."""
        self._logs, self._lost = {}, {}
        for channel in self._channels:
            if self._heavy(channel):
                self._drop(channel)
        answers = self._ask([_Question(place, "begin", (spec, options)) for place, spec in enumerate(specs)])
        found = []
        for place, spec in enumerate(specs):
            step = self._stepped(answers[place], spec)
            if step.to_act:
                self._logs[place] = _Log(spec)
            found.append(step)
        return found

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions) -> list[GameStep]:
        """Play one step in each of some places."""
        answers = self._ask([_Question(place, "act", (actions, options)) for place, actions in moves])
        found = []
        for place, actions in moves:
            step = self._stepped(answers[place], None)
            if step.to_act:
                self._logs[place].actions.append(actions)
            else:
                self._logs.pop(place, None)
            found.append(step)
        return found

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """Call methods that are asked of a player; where the environment breaks, "", and its next step fails."""
        found = []
        for place, player, name, arguments in questions:
            answer = self._ask([_Question(place, "ask", (player, name, arguments))])[place]
            if isinstance(answer, Broken):
                self._lost[place] = str(answer)
                found.append("")
                continue
            value, states = answer
            generators = (each for each in arguments if isinstance(each, np.random.Generator))
            for generator, state in zip(generators, states, strict=True):
                generator.bit_generator.state = state
            found.append(value)
        return found

    def results(self, places: Sequence[tuple[int, str]]) -> list[StepResult]:
        """What some players got from the last reset or step of their place."""
        found = []
        for place, player in places:
            answer = self._ask([_Question(place, "result", (player,))])[place]
            if isinstance(answer, Broken):
                answer = failed_step(str(answer), [player], None).results[player]
            found.append(answer)
        return found

    def copy(self, pairs: Sequence[tuple[int, int, int]]) -> list[str]:
        """Put copies into other places, with generators of their own."""
        saved = self._ask([_Question(source, "save", ()) for source in sorted({source for source, _, _ in pairs})])
        states = {target: (saved[source], seed) for source, target, seed in pairs}
        failures = {target: str(state) for target, (state, _) in states.items() if isinstance(state, Broken)}
        wanted = {target: state for target, state in states.items() if target not in failures}
        answers = self._ask([_Question(target, "adopt", state) for target, state in wanted.items()])
        for target, state in wanted.items():
            failures[target] = str(answers[target])  # of `Broken`, its reason; otherwise what `adopt` returns
            if not failures[target]:
                self._logs[target] = _Log(state)
        return [failures.get(target, "") for _, target, _ in pairs]

    def close(self) -> None:
        """End every process."""
        for channel in self._channels:
            if channel.worker is not None:
                channel.worker.end()
                channel.worker = None
        self._logs, self._lost = {}, {}

    def __del__(self) -> None:
        for channel in getattr(self, "_channels", ()):
            if channel.worker is not None:
                channel.worker.end()

    def _ask(self, questions: Sequence[_Question]) -> dict[int, Any]:
        """The answer of each place, or `Broken`; exceptions of an environment are raised here."""
        answers: dict[int, Any] = {}
        for question in questions:
            self._channels[question.place % len(self._channels)].todo.append(question)
        try:
            while any(channel.todo or channel.asked for channel in self._channels):
                for channel in self._channels:
                    self._feed(channel, answers)
                self._gather(
                    {channel.worker.pipe: channel for channel in self._channels if channel.worker and channel.asked},
                    answers,
                )
                self._look(answers)
        except BaseException:
            self._interrupt()
            raise
        return answers

    def _gather(self, busy: dict[Connection, WorkerChannel], answers: dict[int, Any]) -> None:
        """Take what has been answered; blame who is overdue."""
        for pipe in wait(list(busy), WATCH):
            assert isinstance(pipe, Connection)
            channel = busy.pop(pipe)
            assert channel.worker is not None
            try:
                answer = channel.worker.answer()
            except Broken as broken:
                self._blame(channel, str(broken), answers)
                continue
            question = channel.asked.popleft()
            if isinstance(answer, Raised):
                raise answer.error(question.place)
            answers[question.place] = answer
            channel.until = time.monotonic() + self._options.timeout
        for channel in busy.values():
            if time.monotonic() >= channel.until:
                self._blame(channel, self._overdue, answers)

    @property
    def _overdue(self) -> str:
        return f"it did not answer within {self._options.timeout:g} seconds"

    def _feed(self, channel: WorkerChannel, answers: dict[int, Any]) -> None:
        """Send a process what it may be asked ahead of its answers."""
        while channel.todo and len(channel.asked) < AHEAD:
            question = channel.todo.popleft()
            if question.place in self._lost and question.method != "begin":
                answers[question.place] = Broken(self._lost[question.place])
                continue
            worker = self._started(channel)
            if not channel.asked:
                channel.until = time.monotonic() + self._options.timeout
            try:
                worker.ask("call", (question.method, (question.place, *question.arguments), {}))
            except Broken as broken:
                if channel.asked:  # the pipe may still hold answers; who is to blame is seen when it has been read
                    channel.todo.appendleft(question)
                    return
                channel.asked.append(question)
                self._blame(channel, str(broken), answers)
                continue
            channel.asked.append(question)

    def _blame(self, channel: WorkerChannel, reason: str, answers: dict[int, Any]) -> None:
        """The question under way broke the process: it fails, the others are asked again in a new process."""
        guilty = channel.asked.popleft()
        answers[guilty.place] = Broken(reason)
        self._logs.pop(guilty.place, None)
        channel.take_back()
        self._replace(channel)

    def _look(self, answers: dict[int, Any]) -> None:
        """Now and then, replace processes that hold too much memory; who is over the limit again at once, fails."""
        if self._options.memory is None or time.monotonic() - self._looked < WATCH:
            return
        self._looked = time.monotonic()
        for channel in self._channels:
            if not channel.asked or not self._heavy(channel):
                continue
            assert channel.worker is not None
            if channel.asked[0].patience:
                channel.asked[0].patience -= 1
                channel.take_back()
                self._replace(channel)
            else:
                held = held_mib(channel.worker.process.pid)
                self._blame(channel, f"it held {held:.0f} MiB, the limit is {self._options.memory:g} MiB", answers)

    def _replace(self, channel: WorkerChannel) -> None:
        """Play again, in a new process, what the environments of a process had played."""
        self._drop(channel)
        own = [place for place in self._logs if self._channels[place % len(self._channels)] is channel]
        for place in own:
            log = self._logs[place]
            first = ("begin", (log.origin, WORDS)) if isinstance(log.origin, EpisodeSpec) else ("adopt", log.origin)
            try:
                self._alone(channel, place, *first)
                for actions in log.actions:
                    self._alone(channel, place, "act", (actions, WORDS))
            except Broken as broken:
                del self._logs[place]
                self._lost[place] = f"it could not be brought back after its process was replaced: {broken}"
                self._replace(channel)
                return

    def _alone(self, channel: WorkerChannel, place: int, method: str, arguments: tuple[Any, ...]) -> None:
        """Ask one question and wait."""
        worker = self._started(channel)
        worker.ask("call", (method, (place, *arguments), {}))
        if not worker.pipe.poll(self._options.timeout):
            raise Broken(self._overdue)
        answer = worker.answer()
        if isinstance(answer, Raised):
            raise answer.error(place)

    def _started(self, channel: WorkerChannel) -> WorkerProcess:
        """The process of a channel, started if there is none."""
        if channel.worker is None:
            worker = channel.worker = WorkerProcess(_HostFactory(self._factory))
            try:
                if not worker.pipe.poll(START_LIMIT):
                    raise Broken(f"it did not answer within {START_LIMIT:g} seconds")
                answer = worker.answer()
            except Broken as broken:
                raise AgentGymError(f"a process for environments did not start: {broken}") from None
            if isinstance(answer, Raised):
                raise answer.error(0)
        return channel.worker

    def _heavy(self, channel: WorkerChannel) -> bool:
        limit, worker = self._options.memory, channel.worker
        return limit is not None and worker is not None and held_mib(worker.process.pid) > limit

    def _drop(self, channel: WorkerChannel) -> None:
        if channel.worker is not None:
            channel.worker.end()
            channel.worker = None
            self.respawns += 1

    def _interrupt(self) -> None:
        """Answers still to come would be taken for those of later questions."""
        for channel in self._channels:
            channel.todo.clear()
            if channel.asked:
                channel.asked.clear()
                self._drop(channel)
        self._logs = {}

    def _stepped(self, answer: Any, spec: EpisodeSpec | None) -> GameStep:
        """An answer, or what a broken environment shows in its place."""
        return answer if isinstance(answer, GameStep) else failed_step(str(answer), self._players, spec)


def _slim(step: GameStep, options: RecordOptions) -> GameStep:
    """Without what nobody reads, so that the pipe carries less."""
    if not options.infos:
        for player, result in step.results.items():
            heard = {key: result.info[key] for key in HEARD if key in result.info}
            step.results[player] = replace(result, info=heard)
    return step
