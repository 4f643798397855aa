"""Environments in other processes: several in each, with time limits, memory limits and recovery.

A process that hangs, ends by itself or grows too large is replaced. What its other environments had played is played
again in the new one, which by the contract of an environment leads to the same states; the episode that did it fails.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from agentgym.core import AgentGymError, ConfigError, Snapshot, StepResult
from agentgym.core.checks import LARGEST_MEMORY, check_limit
from agentgym.rollout.env_pool import EnvBackend, Question
from agentgym.rollout.host import HostFactory
from agentgym.rollout.places import Facts, told_of
from agentgym.rollout.records import WORDS, EpisodeSpec, GameStep, RecordOptions, failed_step
from agentgym.vector.memory import held_mib, require_proc
from agentgym.vector.pool import PENDING, START_LIMIT, Broken, WorkerLost, WorkerProcess
from agentgym.vector.process import WATCH
from agentgym.vector.ray_workers import RayWorker
from agentgym.vector.worker import EnvFactory, Raised

FAILED_STARTS = 3  # processes that may fail to start one after the other, once one has started
AHEAD = 4  # questions a process may have before it answers; its pipe holds only so much


@dataclass(frozen=True)
class Workers:
    """How environments run in other processes.

    Attributes:
        processes: How many.
        timeout: Seconds for an answer to a step or a reset, after which the episode fails.
        episode_timeout: Seconds that the environment of an episode may take for all its answers together, after which
            the episode fails; what policies take does not count. None for no limit.
        memory: MiB that a process may hold together with those it started; None for no limit.
        ray: Whether they are actors on a cluster of Ray; see `agentgym.vector.ray_workers`. Where one is lost, its
            environments are brought back in another; the episode whose answer was under way fails only if that is lost
            again.
    """

    processes: int = 2
    timeout: float = 60.0
    memory: float | None = None
    episode_timeout: float | None = None
    ray: bool = False

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise ConfigError(f"processes must be at least 1, got {self.processes}")
        check_limit("timeout", self.timeout, "seconds")
        if self.episode_timeout is not None:
            check_limit("episode_timeout", self.episode_timeout, "seconds")
        if self.memory is not None:
            check_limit("memory", self.memory, "MiB", LARGEST_MEMORY)
            require_proc()
            if self.ray:
                raise ConfigError(
                    "memory is watched on this machine alone, and actors of Ray are elsewhere; leave it out"
                )

    def start(self, name: str, factory: EnvFactory, *, contain: bool) -> WorkerBackend:
        """Start the processes.

        Args:
            name: Of the world.
            factory: Makes an environment.
            contain: Whether an exception of an environment fails its episode, and not the call.
        """
        return WorkerBackend(self, name, factory, contain=contain)


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
    patience: int = 1  # times it may be asked again because the process had grown too large before, or was lost
    of_place: bool = True  # whether the method takes the place

    @property
    def call(self) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        """What a process is asked."""
        return self.method, (self.place, *self.arguments) if self.of_place else self.arguments, {}


@dataclass
class WorkerChannel:
    """A process, what it is to be asked, and what it has been asked without having answered yet."""

    worker: WorkerProcess | None = None
    todo: deque[_Question] = field(default_factory=deque)
    asked: deque[_Question] = field(default_factory=deque)
    since: float = 0.0  # when the answer under way was begun

    def take_back(self) -> None:
        """Ask again what was not answered."""
        self.todo.extendleft(reversed(self.asked))
        self.asked.clear()


class WorkerBackend(EnvBackend):
    """An `EnvBackend` in other processes; see `Workers`.

    Args:
        options: How many, and their limits.
        name: Of the world.
        factory: Makes an environment.
        contain: Whether an exception of an environment fails its episode, and not the call.

    Attributes:
        respawns: Processes that were started again.
    """

    def __init__(self, options: Workers, name: str, factory: EnvFactory, *, contain: bool):
        self._options, self._name, self._factory = options, name, HostFactory(factory, contain)
        self._contain, self._started_once, self._failed_starts = contain, False, 0
        self._players: tuple[str, ...] = ()
        self._channels = [WorkerChannel() for _ in range(options.processes)]
        self._logs: dict[int, _Log] = {}
        self._lost: dict[int, str] = {}  # why the environment of a place could not be brought back
        self._spent: dict[int, float] = {}  # seconds that the environment of a place has taken for its episode
        self._sent: dict[int, EpisodeSpec | None] = {}  # by place that was told something, where its episode begins
        self._answers: dict[int, Any] = {}  # by place, until who asked takes them
        self._looked = self._listened = 0.0
        self.respawns = 0

    def facts(self) -> Facts:
        """What is the same in every place."""
        facts: Facts = self._first("facts")
        self._players = facts.players
        return facts

    def task_ids(self, count: int | None) -> list[str]:
        """Ids of the first tasks of the split; of all if `count` is None."""
        ids: list[str] = self._first("task_ids", count)
        return ids

    def _first(self, method: str, *arguments: Any) -> Any:
        """What the environment of place 0 answers before anything is played.

        Raises:
            AgentGymError: if it breaks.
        """
        self._spent = {}
        answer = self._ask([_Question(0, method, arguments, of_place=False)])[0]
        if isinstance(answer, Broken):
            raise AgentGymError(f"{self._name} cannot be played: when it was made, {answer}")
        return answer

    def begin(
        self, specs: Sequence[EpisodeSpec], options: RecordOptions, places: Sequence[int] | None = None
    ) -> list[GameStep]:
        """Reset `places`, one of `specs` each, with the `options` of a step; None begins a new batch in all of them."""
        if places is None:
            places = range(len(specs))
            self._logs, self._lost, self._spent = {}, {}, {}
            for channel in self._channels:
                if self._heavy(channel):
                    self._drop(channel)
        for place in places:
            self._forget(place)
        begun = list(zip(places, specs, strict=True))
        answers = self._ask([_Question(place, "begin", (spec, options)) for place, spec in begun])
        return [self._stepped(answers[place], spec) for place, spec in begun]

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions) -> list[GameStep]:
        """Play one step for each of `moves` (place, actions), with the `options` of the step; processes at a time."""
        answers = self._ask([_Question(place, "act", (actions, options)) for place, actions in moves])
        return [self._stepped(answers[place], None) for place, _ in moves]

    def send(self, place: int, told: EpisodeSpec | Mapping[str, str], options: RecordOptions) -> None:
        """Queue what a `place` is `told` with the `options` of the step; its process takes it once it is free."""
        begun = isinstance(told, EpisodeSpec)
        if begun:
            self._forget(place)
        self._sent[place] = told if isinstance(told, EpisodeSpec) else None
        channel = self._channels[place % len(self._channels)]
        channel.todo.append(_Question(place, "begin" if begun else "act", (told, options)))
        self._feed(channel)

    def heard(self, seconds: float) -> list[tuple[int, GameStep]]:
        """What places have answered to `send`; see `EnvBackend.heard`."""
        now = time.monotonic()
        for channel in self._channels:  # while nobody listened, nobody was late
            channel.since = min(now, channel.since + now - self._listened)
        until, left = now + seconds, 0.0  # what has come already is taken without a wait
        while self._sent:
            self._serve(left)
            found = [place for place in self._answers if place in self._sent]
            left = min(until - time.monotonic(), WATCH)
            if found or left <= 0:
                return [(place, self._stepped(self._answers.pop(place), self._sent.pop(place))) for place in found]
        return []

    def _forget(self, place: int) -> None:
        """An episode begins anew in a place."""
        for kept in (self._logs, self._lost, self._spent):
            kept.pop(place, None)

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """Call methods that are asked of a player; where the environment breaks, "", and its next step fails."""
        found = []
        for place, player, name, arguments in questions:
            answer = self._ask([_Question(place, "ask", (player, name, arguments))])[place]
            if isinstance(answer, Broken):
                self._lose(place, answer)
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
                self._lose(place, answer)
                answer = failed_step(str(answer), [player], None).results[player]
            found.append(answer)
        return found

    def copy(self, pairs: Sequence[tuple[int, int, int]]) -> list[str]:
        """Put copies into other places, with generators of their own."""
        saved = self._ask([_Question(source, "save", ()) for source in sorted({source for source, _, _ in pairs})])
        for source, answer in saved.items():
            if isinstance(answer, Broken):
                self._lose(source, answer)
        states = {target: (saved[source], seed) for source, target, seed in pairs}
        failures = {target: str(state) for target, (state, _) in states.items() if isinstance(state, Broken)}
        wanted = {target: state for target, state in states.items() if target not in failures}
        for target in wanted:
            self._forget(target)
        answers = self._ask([_Question(target, "adopt", state) for target, state in wanted.items()])
        for target in wanted:
            failures[target] = str(answers[target])  # of `Broken`, its reason; otherwise what `adopt` returns
        return [failures.get(target, "") for _, target, _ in pairs]

    def _lose(self, place: int, reason: Broken) -> None:
        """A place whose environment broke beside its steps: whatever it is asked next fails for the same reason."""
        self._logs.pop(place, None)
        self._lost[place] = str(reason)

    def close(self) -> None:
        """End every process."""
        for channel in self._channels:
            if channel.worker is not None:
                channel.worker.end()
                channel.worker = None
            channel.todo.clear()
            channel.asked.clear()
        self._logs, self._lost, self._sent, self._answers = {}, {}, {}, {}

    def __del__(self) -> None:
        for channel in getattr(self, "_channels", ()):
            if channel.worker is not None:
                channel.worker.end()

    def _ask(self, questions: Sequence[_Question]) -> dict[int, Any]:
        """The answer of each place, or `Broken`; exceptions of an environment are raised here."""
        for question in questions:
            self._channels[question.place % len(self._channels)].todo.append(question)
        while not all(question.place in self._answers for question in questions):
            self._serve(WATCH)
        return {question.place: self._answers.pop(question.place) for question in questions}

    def _serve(self, seconds: float) -> None:
        """Let all processes be asked and heard once.

        Args:
            seconds: How long to wait where none has answered yet.
        """
        try:
            for channel in self._channels:
                self._feed(channel)
            busy = {channel.worker.pipe: channel for channel in self._channels if channel.worker and channel.asked}
            self._gather(busy, seconds)
            self._look()
            self._listened = time.monotonic()
        except BaseException:
            self._interrupt()
            raise

    def _gather(self, busy: dict[Connection, WorkerChannel], seconds: float) -> None:
        """Take what has been answered, after a wait of so many seconds at most; blame who is overdue."""
        for pipe in wait(list(busy), seconds):
            assert isinstance(pipe, Connection)
            channel = busy[pipe]
            assert channel.worker is not None
            try:
                answer = channel.worker.take()
            except Broken as broken:
                del busy[pipe]
                if isinstance(broken, WorkerLost) and channel.asked[0].patience:
                    channel.asked[0].patience -= 1
                    channel.take_back()
                    self._replace(channel)
                else:
                    self._blame(channel, str(broken))
                continue
            if answer is PENDING:
                continue
            del busy[pipe]
            question, now = channel.asked.popleft(), time.monotonic()
            if isinstance(answer, Raised):
                answer = self._raised(answer, question)
            self._spent[question.place] = self._spent.get(question.place, 0.0) + now - channel.since
            channel.since = now
            overdue = self._overdue(question.place, 0.0)
            self._answers[question.place] = Broken(overdue) if overdue else answer
            self._log(question, self._answers[question.place])
        for channel in busy.values():
            overdue = self._overdue(channel.asked[0].place, time.monotonic() - channel.since)
            if overdue:
                self._blame(channel, overdue)

    def _log(self, question: _Question, answer: Any) -> None:
        """Note at once what a place has played, as the next answer may be the last one of its process."""
        place, goes_on = question.place, isinstance(answer, GameStep) and bool(answer.to_act)
        if question.method == "begin" and goes_on:
            self._logs[place] = _Log(question.arguments[0])
        elif question.method == "act" and goes_on:
            self._logs[place].actions.append(question.arguments[0])
        elif question.method == "adopt" and answer == "":
            self._logs[place] = _Log((question.arguments[0], question.arguments[1]))
        elif question.method in ("begin", "act", "adopt"):
            self._logs.pop(place, None)

    def _raised(self, answer: Raised, question: _Question) -> Broken:
        """What was raised as the failure of an episode, where it is contained, such as an answer that cannot be sent.

        Raises:
            Exception: the same, where it is not.
        """
        error = answer.error(question.place)
        if not self._contain or not question.of_place or isinstance(error, AgentGymError):
            raise error
        return Broken(told_of(answer.name, answer.message))

    def _overdue(self, place: int, waited: float) -> str:
        """Why a place has no more time, after so many seconds on the answer under way; "" if it has."""
        whole = self._options.episode_timeout
        if waited >= self._options.timeout:
            return f"it did not answer within {self._options.timeout:g} seconds"
        if whole is not None and self._spent.get(place, 0.0) + waited >= whole:
            return f"it took more than {whole:g} seconds for the answers of one episode"
        return ""

    def _feed(self, channel: WorkerChannel) -> None:
        """Send a process what it may be asked ahead of its answers."""
        while channel.todo and len(channel.asked) < AHEAD:
            question = channel.todo.popleft()
            if question.place in self._lost and question.method != "begin":
                self._answers[question.place] = Broken(self._lost[question.place])
                continue
            try:
                worker = self._started(channel)
            except Broken as broken:
                self._answers[question.place] = broken
                continue
            if not channel.asked:
                channel.since = time.monotonic()
            try:
                worker.ask("call", question.call)
            except Broken as broken:
                if channel.asked:  # the pipe may still hold answers; who is to blame is seen when it has been read
                    channel.todo.appendleft(question)
                    return
                channel.asked.append(question)
                self._blame(channel, str(broken))
                continue
            channel.asked.append(question)

    def _blame(self, channel: WorkerChannel, reason: str) -> None:
        """The question under way broke the process: it fails, the others are asked again in a new process."""
        guilty = channel.asked.popleft()
        self._answers[guilty.place] = Broken(reason)
        self._logs.pop(guilty.place, None)
        channel.take_back()
        self._replace(channel)

    def _look(self) -> None:
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
                self._blame(channel, f"it held {held:.0f} MiB, the limit is {self._options.memory:g} MiB")

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
        worker, question = self._started(channel), _Question(place, method, arguments)
        worker.ask("call", question.call)
        answer = worker.answer(self._options.timeout)
        if isinstance(answer, Raised):
            answer = self._raised(answer, question)
        if isinstance(answer, Broken):
            raise answer

    def _started(self, channel: WorkerChannel) -> WorkerProcess:
        """The process of a channel, started if there is none.

        Raises:
            Broken: if it does not start, though one did before.
            AgentGymError: if none ever did, or too many have failed one after the other.
            Exception: what the first one raised.
        """
        if channel.worker is None:
            worker = (RayWorker if self._options.ray else WorkerProcess)(self._factory)
            try:
                answer = worker.answer(START_LIMIT)
                if isinstance(answer, Raised):
                    if not self._started_once:
                        raise answer.error(0)
                    raise Broken(told_of(answer.name, answer.message))
            except BaseException as error:
                worker.end()
                if not isinstance(error, Broken):
                    raise
                self._failed_starts += 1
                what = f"a process for environments did not start: {error}"
                if not self._started_once or self._failed_starts > FAILED_STARTS:
                    raise AgentGymError(what) from None
                raise Broken(what) from None
            channel.worker, self._started_once, self._failed_starts = worker, True, 0
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
        self._logs, self._sent, self._answers = {}, {}, {}

    def _stepped(self, answer: Any, spec: EpisodeSpec | None) -> GameStep:
        """An answer, or what a broken environment shows in its place."""
        return answer if isinstance(answer, GameStep) else failed_step(str(answer), self._players, spec)
