"""Where episodes are played: equal environments of one id, for one player or many, in this process or in others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from agentgym.core import ConfigError, Driver, LanguageEnv, StepResult, full_id
from agentgym.core.checks import check_limit
from agentgym.rollout.guard import Guard
from agentgym.rollout.places import Facts, Places, reminder
from agentgym.rollout.records import WORDS, EpisodeSpec, GameStep, RecordOptions, failed_step
from agentgym.vector.pool import Broken
from agentgym.vector.worker import NO_FORMATS, EnvFactory, Wrap

T = TypeVar("T")
Question = tuple[int, str, str, tuple[Any, ...]]
"""Place, player, method, arguments."""
STEP_TIMEOUT = 300.0  # seconds: more than any world's own limits on what it waits for
INSTEAD = (
    "Play in other processes, where such an episode fails alone: EnvPool(..., workers=Workers()), or "
    "rollout.workers = {} in a recipe"
)


class EnvBackend(Protocol):
    """Numbered places, each with an environment under way or none.

    Attributes:
        respawns: Processes that were started again.
    """

    respawns: int

    def facts(self) -> Facts:
        """What is the same in every place."""

    def task_ids(self, count: int | None) -> list[str]:
        """Ids of the first tasks of the split; of all if `count` is None."""

    def begin(
        self, specs: Sequence[EpisodeSpec], options: RecordOptions, places: Sequence[int] | None = None
    ) -> list[GameStep]:
        """Reset environments.

        Args:
            specs: One a place.
            options: What is asked for beside words.
            places: Which ones, while the others go on; None for 0, 1, ... and an end to all others.
        """

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions) -> list[GameStep]:
        """Play one step in each of some places.

        Args:
            moves: Places, each with its players' actions.
            options: What is asked for beside words.
        """

    def send(self, place: int, told: EpisodeSpec | Mapping[str, str], options: RecordOptions) -> None:
        """Begin an episode in a place, or play a step there, without waiting for what that leads to.

        Args:
            place: Which; it has answered all that it was told before.
            told: Where the episode begins, or the players' actions.
            options: What is asked for beside words.
        """

    def heard(self, seconds: float) -> list[tuple[int, GameStep]]:
        """What places have answered to `send` since the last call, in the order in which they were heard.

        Args:
            seconds: How long to wait where nothing has been answered yet.
        """

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """Call methods that are asked of a player; generators among the arguments move on."""

    def results(self, places: Sequence[tuple[int, str]]) -> list[StepResult]:
        """What some players got from the last reset or step of their place."""

    def copy(self, pairs: Sequence[tuple[int, int, int]]) -> list[str]:
        """Put copies into other places: from, to, seed of the copy's generator. What failed, or "", for each."""

    def close(self) -> None:
        """Close every environment."""


class BackendFactory(Protocol):
    """How environments run elsewhere; `agentgym.rollout.Workers`."""

    def start(self, name: str, factory: EnvFactory, *, contain: bool) -> EnvBackend:
        """Make the places ready.

        Args:
            name: Of the world.
            factory: Makes an environment.
            contain: See `EnvPool`.
        """


class EnvPool:
    """Equal environments of one id, made when needed and used again.

    Args:
        name: An id, with or without the namespace, of an environment of any interface.
        wrappers: Put around each environment, the first innermost; importable by name if `workers` is given.
        workers: How environments run in other processes; None plays in this one, which is faster for light worlds.
        step_timeout: Seconds that an environment in this process may take for an answer. One that hangs cannot be
            stopped here, so it ends the run with an error; None waits for ever. `workers` have a limit of their own.
        contain: Whether an environment that raises an exception, or answers what cannot be scored, fails its episode as
            one does whose engine fails. Otherwise its exception ends the run, as a bug should while one is at it.
        formats: Wrappers of each player of a game, the first innermost; as `wrappers` for the rest.
        history: Whether wrappers may keep history. Policies are then shown each observation alone, as the wrapper
            repeats what came before.
        env_kwargs: Constructor arguments, `split` among them.

    Attributes:
        players: Names of the players; one, `player_0`, for Gymnasium environments.
        opponents: Names of the scripted opponents, weakest first.
        size: Number of tasks of the split; None if it is endless.
        max_turns: The environment's own turn limit; None if it has no card.
        limit: The turn limit it was made with; None if it has no card.
        briefings: By player, what it is told beside observations.
        manual, line, examples, tools: What the first player is told; see `Briefing`.
        shows: Whether its observations have pictures, which only some policies see.
        sandbox: Which sandbox programs of players run in, as `metadata["sandbox"]` names it; "" where none is run.
        guard: What waits for the environments of this process.
        seconds: Wall-clock seconds that have been spent inside the environments.

    Raises:
        ConfigError: if a wrapper keeps history, which would be shown twice, unless `history` allows it.
    """

    def __init__(
        self,
        name: str,
        *,
        wrappers: Sequence[Wrap] = (),
        workers: BackendFactory | None = None,
        step_timeout: float | None = STEP_TIMEOUT,
        contain: bool = False,
        formats: Mapping[str, Sequence[Wrap]] = NO_FORMATS,
        history: bool = False,
        **env_kwargs: Any,
    ):
        if step_timeout is not None:
            check_limit("step_timeout", step_timeout, "seconds")
        self.factory = EnvFactory.of(full_id(name), env_kwargs, tuple(wrappers), formats)
        self.id = full_id(name.rpartition(":")[2])
        self.guard = Guard(self.id, step_timeout, INSTEAD)
        self.env_kwargs, self.wrappers = env_kwargs, tuple(wrappers)
        self.seconds, self._steps = 0.0, 0
        given: dict[str, Any] = {"step_timeout": step_timeout, "contain": contain, "history": history, **env_kwargs}
        self._again = partial(EnvPool, name, wrappers=wrappers, workers=workers, formats=formats, **given)
        self._twin: EnvPool | None = None
        self._here = InProcessBackend(self, Places(self.factory, contain=contain))
        self._backend: EnvBackend = self._here
        if workers is not None:
            self._backend = workers.start(self.id, self.factory, contain=contain)
        facts = self._backend.facts()
        if facts.historian and not history:
            self.close()
            raise ConfigError(
                f"the wrapper {facts.historian} keeps history, and so do rollouts: the policy would read it "
                "twice; leave it out and choose a context mode"
            )
        self.players, self.opponents, self.max_turns = facts.players, facts.opponents, facts.max_turns
        self.limit: int | None = env_kwargs.get("max_turns") or self.max_turns
        self.size, self.shows, self.sandbox = facts.size, facts.shows, facts.sandbox
        self.briefings = facts.briefings
        first = facts.briefings[facts.players[0]]
        self.manual, self.line, self.examples, self.tools = first.manual, first.line, first.examples, first.tools

    @property
    def respawns(self) -> int:
        """Processes that were started again because one hung, ended by itself or grew too large."""
        return self._backend.respawns

    @property
    def steps(self) -> int:
        """Steps that environments here and in the `twin` were asked to play, failed ones included.

        A step of a game is one, whoever acts in it; what a copy of an episode takes over is not played again, and
        neither a reset nor what brings an environment back in a new process is a step.
        """
        return self._steps + (self._twin.steps if self._twin is not None else 0)

    @property
    def twin(self) -> EnvPool:
        """Equal environments beside these, made when they are first asked for."""
        if self._twin is None:
            self._twin = self._again()
        return self._twin

    def reminder(self, instruction: str, player: str) -> str:
        """A task and how actions are written, for contexts that leave out the first observation.

        Args:
            instruction: The task in words.
            player: Who is told; it is named in games of several.
        """
        return reminder(self.briefings[player], instruction, player, many=len(self.players) > 1)

    def driver(self, place: int = 0) -> Driver:
        """The environment of a place in this process."""
        return self._here.places.driver(place)

    def bare(self) -> LanguageEnv:
        """A new environment of this world without wrappers, apart from those that play; who asks for it closes it.

        Raises:
            ConfigError: if the world is a game of several players, or none of AgentGym's.
        """
        env = replace(self.factory, wrappers=(), formats={})()
        world = getattr(env, "unwrapped", env)
        if not isinstance(world, LanguageEnv):
            env.close()
            raise ConfigError(f"{self.id} is no AgentGym world of one player; choose one that is")
        return world

    def drivers(self, count: int) -> list[Driver]:
        """The first `count` environments of this process."""
        return [self.driver(place) for place in range(count)]

    def task_ids(self, count: int | None = None) -> list[str]:
        """Ids of the first `count` tasks of the split; of all if None."""
        return self._backend.task_ids(count)

    def begin(
        self, specs: Sequence[EpisodeSpec], options: RecordOptions = WORDS, places: Sequence[int] | None = None
    ) -> list[GameStep]:
        """Begin episodes; see `EnvBackend.begin`.

        Args:
            specs: One a place.
            options: What is asked for beside words.
            places: Which ones; None for 0, 1, ...
        """
        return self._timed(lambda: self._backend.begin(specs, options, places))

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions = WORDS) -> list[GameStep]:
        """Play a step in each of some places.

        Args:
            moves: Places, each with its players' actions.
            options: What is asked for beside words.
        """
        self._steps += len(moves)
        return self._timed(lambda: self._backend.act(moves, options))

    def send(self, place: int, told: EpisodeSpec | Mapping[str, str], options: RecordOptions = WORDS) -> None:
        """Begin an episode or play a step without waiting; see `EnvBackend.send`. `heard` tells what it led to.

        Args:
            place: Which; it has answered all that it was told before.
            told: Where the episode begins, or the players' actions.
            options: What is asked for beside words.
        """
        self._steps += not isinstance(told, EpisodeSpec)
        self._timed(lambda: self._backend.send(place, told, options))

    def heard(self, seconds: float = 0.0) -> list[tuple[int, GameStep]]:
        """What places have answered to `send`; environments of this process are played in this call.

        Args:
            seconds: How long to wait where nothing has been answered yet.
        """
        return self._timed(lambda: self._backend.heard(seconds))

    def ask(self, place: int, player: str, name: str, *arguments: Any) -> Any:
        """Call a method that is asked of a player, such as `expert_action`.

        Args:
            place: Where.
            player: Whom it is about.
            name: The method.
            arguments: What it takes besides; a generator among them moves on.
        """
        return self._timed(lambda: self._backend.ask([(place, player, name, arguments)]))[0]

    def result(self, place: int, player: str) -> StepResult:
        """What a player got from the last reset or step of its place.

        Args:
            place: Where.
            player: Who.
        """
        found: StepResult = self._backend.results([(place, player)])[0]
        return found

    def copy(self, pairs: Sequence[tuple[int, int, int]]) -> list[str]:
        """Copy episodes under way to other places; see `EnvBackend.copy`."""
        return self._timed(lambda: self._backend.copy(pairs))

    def close(self) -> None:
        """Close every environment; the pool can be used again."""
        if self._twin is not None:
            self._twin.close()
        self._backend.close()
        self._here.close()

    def _timed(self, work: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds += time.perf_counter() - began


class InProcessBackend(EnvBackend):
    """Environments in this process.

    Args:
        pool: Whose they are; its guard ends the wait for those that hang.
        places: The environments.
    """

    respawns = 0

    def __init__(self, pool: EnvPool, places: Places):
        self._pool, self.places = pool, places
        self._players: tuple[str, ...] = ()
        self._lost: dict[int, str] = {}  # why the environment of a place cannot go on
        self._sent: list[tuple[int, EpisodeSpec | Mapping[str, str], RecordOptions]] = []

    def facts(self) -> Facts:
        """See `EnvBackend`."""
        facts = self.places.facts()
        self._players = facts.players
        return facts

    def task_ids(self, count: int | None) -> list[str]:
        """See `EnvBackend`."""
        return self.places.task_ids(count)

    def begin(
        self, specs: Sequence[EpisodeSpec], options: RecordOptions, places: Sequence[int] | None = None
    ) -> list[GameStep]:
        """Reset environments, one after another in this process; one that breaks says so in its step.

        Args:
            specs: One a place.
            options: What is asked for beside words.
            places: Which ones, while the others go on; None for 0, 1, ..., after which no place counts as lost.
        """
        wanted = range(len(specs)) if places is None else places
        self._lost = {} if places is None else {at: why for at, why in self._lost.items() if at not in places}

        def work() -> list[GameStep]:
            asked = self._each(zip(wanted, specs, strict=True), "reset")
            return [self._step(self.places.begin(place, spec, options), spec) for place, spec in asked]

        return self._pool.guard.run(work)

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions) -> list[GameStep]:
        """Play one step in each of some places, one after another; a place that was lost says why again.

        Args:
            moves: Places, each with its players' actions.
            options: What is asked for beside words.
        """

        def play(place: int, actions: Mapping[str, str]) -> GameStep:
            """The step to which `actions` lead in a `place`, or again why it was lost."""
            if place in self._lost:
                return self._step(Broken(self._lost[place]))
            return self._step(self.places.act(place, actions, options))

        return self._pool.guard.run(lambda: [play(place, actions) for place, actions in self._each(moves, "step")])

    def send(self, place: int, told: EpisodeSpec | Mapping[str, str], options: RecordOptions) -> None:
        """Keep what a place is told; nothing is played before `heard`.

        Args:
            place: Which.
            told: Where an episode begins, or the players' actions.
            options: What is asked for beside words.
        """
        self._sent.append((place, told, options))

    def heard(self, seconds: float) -> list[tuple[int, GameStep]]:
        """See `EnvBackend`; all that was told is played now, in the order in which it was told."""
        sent, self._sent = self._sent, []
        found: list[tuple[int, GameStep]] = []
        for place, told, options in sent:
            if isinstance(told, EpisodeSpec):
                found += [(place, step) for step in self.begin([told], options, [place])]
            else:
                found += [(place, step) for step in self.act([(place, told)], options)]
        return found

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """See `EnvBackend`."""

        def answer(place: int, player: str, name: str, given: tuple[Any, ...]) -> Any:
            """What a method called `name` says of a `player` in a `place`, `given` arguments; "" where it was lost."""
            if place in self._lost:
                return ""
            found = self.places.ask(place, player, name, given)
            if isinstance(found, Broken):
                self._lost[place], found = str(found), ""
            return found

        return self._pool.guard.run(lambda: [answer(*question) for question in self._each(questions, "question")])

    def results(self, places: Sequence[tuple[int, str]]) -> list[StepResult]:
        """See `EnvBackend`."""
        return [
            self._step(Broken(self._lost[place])).results[player]
            if place in self._lost
            else self.places.result(place, player)
            for place, player in places
        ]

    def copy(self, pairs: Sequence[tuple[int, int, int]]) -> list[str]:
        """See `EnvBackend`."""

        def work() -> list[str]:
            return [self._copy(*pair) for pair in self._each(pairs, "snapshot")]

        return self._pool.guard.run(work)

    def _copy(self, source: int, target: int, seed: int) -> str:
        """Put a copy into another place; what failed, or ""."""
        saved = Broken(self._lost[source]) if source in self._lost else self.places.save(source)
        if isinstance(saved, Broken):
            self._lost[source] = str(saved)
            return str(saved)
        self._lost.pop(target, None)
        return str(self.places.adopt(target, saved, seed))

    def close(self) -> None:
        """See `EnvBackend`."""
        self._sent = []
        self.places.close()

    def _step(self, answer: GameStep | Broken, spec: EpisodeSpec | None = None) -> GameStep:
        return failed_step(str(answer), self._players, spec) if isinstance(answer, Broken) else answer

    def _each(self, questions: Iterable[T], kind: str) -> Iterator[T]:
        """The questions, each of which is given its own time."""
        for question in questions:
            self._pool.guard.touch(f" ({kind})")
            yield question
