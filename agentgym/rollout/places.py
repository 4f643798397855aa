"""Environments by place, in this process or in a worker: what they are asked, and what becomes of one that raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import gymnasium as gym

from agentgym.core import AgentGymError, Driver, EndlessTaskSet, EnvCard, FiniteTaskSet, Snapshot, StepResult, TaskSet
from agentgym.core.prose import FirstWords
from agentgym.rollout.records import EpisodeSpec, GameStep, RecordOptions, act, adopt, begin, unsound
from agentgym.vector.pool import Broken
from agentgym.vector.worker import EnvFactory

T = TypeVar("T")
REASON = 400  # characters of what an environment raised


@dataclass(frozen=True)
class Briefing:
    """What a player is told beside observations.

    Attributes:
        manual: Rules, actions and examples.
        line: How actions are written, in one line.
        examples: Actions.
        tools: JSON-Schema tools where actions are tool calls; otherwise empty.
        reads_replies: Which part of an answer wrappers read: "" for none but an action, `answer` for all but what was
            thought before it, `whole` for all.
        repeats_history: The wrapper that makes observations repeat earlier turns; "" for none.
        first_words: The words with which commands begin, each with how free the text at its end is; None where
            any text is an action.
    """

    manual: str
    line: str
    examples: tuple[str, ...]
    tools: Sequence[Mapping[str, Any]]
    reads_replies: str
    repeats_history: str
    first_words: FirstWords | None


TOPICS = ("manual", "line", "examples", "tools", "reads_replies", "repeats_history", "first_words")


@dataclass(frozen=True)
class Facts:
    """What is the same in every place of a pool; see the attributes of `EnvPool` of the same names."""

    players: tuple[str, ...]
    opponents: tuple[str, ...]
    max_turns: int | None
    size: int | None
    shows: bool
    historian: str
    sandbox: str
    briefings: Mapping[str, Briefing]


def briefing(driver: Driver, player: str) -> Briefing:
    """What a player is told before it plays.

    Args:
        driver: Of the environment.
        player: Its id.
    """
    return Briefing(*(driver.told(topic, player) for topic in TOPICS))


def reminder(told: Briefing, instruction: str, player: str, *, many: bool) -> str:
    """A task and how actions are written, for contexts that leave out the first observation.

    Args:
        told: What the player is told.
        instruction: The task in words.
        player: Who is told.
        many: Whether it is one of several, and is named.
    """
    named = f"You are {player}." if many else ""
    return "\n".join(line for line in (instruction, named, told.line) if line)


def told_of(name: str, message: str) -> str:
    """What an environment raised, in one line.

    Args:
        name: Of the exception's class.
        message: Of the exception.
    """
    said = " ".join(message.split())[:REASON]
    return f"it raised {name}{': ' if said else ''}{said}"


class Places:
    """Equal environments by place, made when they are needed.

    Args:
        factory: Makes an environment.
        contain: Whether what raises, or answers what cannot be scored, is answered as `Broken`; its environment is
            closed, and its place gets another one.
    """

    def __init__(self, factory: EnvFactory, *, contain: bool = False):
        self._factory, self._contain = factory, contain
        self._drivers: dict[int, Driver] = {}

    def driver(self, place: int) -> Driver:
        """The environment of a place."""
        if place not in self._drivers:
            self._drivers[place] = self._factory.drive()
        return self._drivers[place]

    def facts(self) -> Facts:
        """What the environment of place 0 tells of all.

        Raises:
            AgentGymError: if it raises and is contained; `TypeError` and `ValueError`, with which a constructor refuses
                its arguments, are raised as they are.
        """
        try:
            return self._facts()
        except (TypeError, ValueError):
            raise
        except (Exception, SystemExit) as error:
            self._refuse("", error)

    def _facts(self) -> Facts:
        driver = self.driver(0)
        card: EnvCard | None = getattr(driver.world, "card", None)
        told = {who: briefing(driver, who) for who in driver.players}
        return Facts(
            driver.players,
            card.opponents if card else (),
            card.max_turns if card else None,
            driver.world.tasks(driver.world.split).size,
            card is not None and any(map(_has_pictures, map(driver.observation_space, driver.players))),
            _historian(driver.env) or next(filter(None, (each.repeats_history for each in told.values())), ""),
            str((getattr(driver.env, "metadata", None) or {}).get("sandbox", "")),
            told,
        )

    def task_ids(self, count: int | None) -> list[str]:
        """Ids of the first tasks of the split; of all if `count` is None.

        A task that raises when it is made has an id nevertheless, so that its episode fails and no other.

        Args:
            count: How many.

        Raises:
            AgentGymError: if a panel that tells no ids but those of its tasks raises and is contained.
        """
        world = self.driver(0).world
        try:
            panel = world.tasks(world.split)
            if isinstance(panel, FiniteTaskSet) and (count is None or count <= len(panel)):
                return list(panel.ids[:count])
            places = range(len(panel) if count is None else count)
        except (Exception, SystemExit) as error:
            self._refuse(f"asked for its split {world.split!r}, ", error)
        return [self._task_id(panel, place) for place in places]

    def _task_id(self, panel: TaskSet, place: int) -> str:
        try:
            return panel[place].id
        except (Exception, SystemExit) as error:
            if self._contain and isinstance(panel, EndlessTaskSet):
                return str(place)  # the seed that is tried first for a place
            self._refuse(f"asked for task {place} of its split {panel.split!r}, ", error)

    def _refuse(self, what: str, error: BaseException) -> NoReturn:
        """End the run, as nothing can be played: with the exception itself, unless it is to be contained."""
        if not self._contain or isinstance(error, AgentGymError):
            raise error
        raise AgentGymError(
            f"{self._factory.spec.id} cannot be played: {what}{told_of(type(error).__name__, str(error))}"
        ) from error

    def begin(self, place: int, spec: EpisodeSpec, options: RecordOptions) -> GameStep | Broken:
        """Reset the environment of a place.

        Args:
            place: Which.
            spec: Where the episode begins.
            options: What is asked for.
        """
        return self._played(place, lambda: begin(self.driver(place), spec, options))

    def act(self, place: int, actions: Mapping[str, str], options: RecordOptions) -> GameStep | Broken:
        """Play one step.

        Args:
            place: Where.
            actions: Action by player.
            options: What is asked for.
        """
        return self._played(place, lambda: act(self._drivers[place], actions, options))

    def ask(self, place: int, player: str, name: str, arguments: tuple[Any, ...]) -> Any:
        """The answer to a question about a player; `Broken` if it raises anything but an error of AgentGym.

        Args:
            place: Where.
            player: Whom it is about.
            name: The method.
            arguments: What it takes besides.
        """
        return self._kept(place, lambda: self._drivers[place].ask(name, player, *arguments))

    def result(self, place: int, player: str) -> StepResult:
        """What a player got last.

        Args:
            place: Where.
            player: Who.
        """
        return self._drivers[place].result(player)

    def save(self, place: int) -> Snapshot | Broken:
        """The state of a place; `Broken` if it raises anything but an error of AgentGym."""
        return self._kept(place, lambda: self._drivers[place].snapshot())

    def adopt(self, place: int, saved: Snapshot, seed: int) -> str | Broken:
        """Put a place into a state, with a generator of its own; see `agentgym.rollout.records.adopt`.

        Args:
            place: Which.
            saved: A snapshot of an equal environment.
            seed: Of the generator.
        """
        return self._kept(place, lambda: adopt(self.driver(place), saved, seed))

    def close(self) -> None:
        """Close every environment; others are made when they are needed."""
        drivers, self._drivers = self._drivers, {}
        for driver in drivers.values():
            driver.close()

    def _played(self, place: int, work: Callable[[], GameStep]) -> GameStep | Broken:
        try:
            step = work()
            wrong = unsound(step) if self._contain else ""
        except (Exception, SystemExit) as error:
            return self._broken(place, error)
        return self._discard(place, wrong) if wrong else step

    def _kept(self, place: int, work: Callable[[], T]) -> T | Broken:
        """What an environment does beside its steps; who asks for what the world does not do is told so."""
        try:
            return work()
        except AgentGymError:
            raise
        except (Exception, SystemExit) as error:
            return self._broken(place, error)

    def _broken(self, place: int, error: BaseException) -> Broken:
        """An exception as an answer, where it is to be contained."""
        if not self._contain:
            raise error
        return self._discard(place, told_of(type(error).__name__, str(error)))

    def _discard(self, place: int, reason: str) -> Broken:
        """Close an environment that cannot be trusted any more."""
        driver = self._drivers.pop(place, None)
        if driver is not None:
            try:
                driver.close()
            except Exception as error:
                reason += f"; and closing it raised {type(error).__name__}"
        return Broken(reason)


def _has_pictures(space: Any) -> bool:
    return isinstance(space, gym.spaces.Dict)


def _historian(env: Any) -> str:
    """The outermost wrapper around all players that keeps history; "" if there is none."""
    while isinstance(env, gym.Wrapper):
        if getattr(type(env), "keeps_history", False):
            return type(env).__name__
        env = env.env
    return ""
