"""What worlds share whose episodes an engine plays that cannot be copied: replay, gold paths, pools."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agentgym.core.errors import ActionStopsEngine, ConfigError, EngineFailure, TaskError, unknown
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.envs._kit.engine_pool import EnginePool


class EngineEpisode(ABC):
    """A task and what was played in it: it can be played again in any world of its pool.

    Worlds have a method `step` that plays an action in the engine's own words.

    Args:
        spec: What the engine makes the task from.
    """

    def __init__(self, *spec: Any):
        self.spec = spec
        self.played: list[str] = []

    @property
    @abstractmethod
    def pool(self) -> EnginePool:
        """The worlds that it is played in."""

    @abstractmethod
    def load(self, world: Any) -> None:
        """Begin the task in a world.

        Args:
            world: One of the pool.
        """

    @abstractmethod
    def gold(self) -> list[str]:
        """The engine's own solution from the beginning, as far as it can be played."""

    def replay(self, world: Any) -> None:
        """Bring a world to where the episode stands."""
        self.load(world)
        for action in self.played:
            world.step(action)

    @contextmanager
    def world(self, *, begin: bool = False) -> Iterator[Any]:
        """A world in which the episode stands where it stands.

        Args:
            begin: Whether the episode begins, so that nothing is played again.
        """
        with self.pool.world(self, begin=begin) as world:
            yield world

    def step(self, action: str) -> Any:
        """Play an action; what the world says to it.

        Raises:
            EngineFailure: if the engine failed, and did not when the episode was played again.
            ActionStopsEngine: if it failed at this action both times, so that whoever chose it is the cause.
        """
        try:
            with self.world() as world:
                answer = world.step(action)
        except EngineFailure as failure:
            self._find_cause(action, failure)
            raise
        self.played.append(action)
        return answer

    def _find_cause(self, action: str, failure: EngineFailure) -> None:
        """Play the episode again in another world, and the action on which the engine failed."""
        played_again = False
        try:
            with self.world() as world:
                played_again = True
                world.step(action)
                raise failure  # so that the world, which is a step ahead of the episode, is given up
        except EngineFailure as again:
            if played_again and again is not failure:
                raise ActionStopsEngine(str(again)) from again


class EngineEnv(LanguageEnv):
    """A world whose episode an engine plays.

    The oracle follows the engine's gold path, which is asked for when it is first needed; a history is its state.
    """

    _episode: EngineEpisode
    _gold: list[str] | None

    def _start_episode(self, episode: EngineEpisode) -> None:
        """Begin with an episode."""
        self._episode, self._gold = episode, None

    def _key_state(self) -> Any:
        return list(self._episode.played)

    def _gold_path(self) -> list[str]:
        if self._gold is None:
            self._gold = self._episode.gold()
        return self._gold

    def _next_of_gold(self) -> str:
        """The first action of the gold path that has not been played in its turn; after its end, nothing."""
        left = iter(self._gold_path())
        following = next(left, "")
        for action in self._episode.played:
            if action == following:
                following = next(left, "")
        return following

    def _reference(self) -> list[str]:
        """The engine's gold path."""
        return list(self._gold_path())


def chosen_names(
    name: str, given: str | Iterable[str], kind: str, known: Sequence[str], others: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Names that a user chose, in the order of all names.

    Args:
        name: The keyword argument, for messages.
        given: One name, or several.
        kind: What they name, such as `game of TextWorldExpress`.
        known: All names.
        others: Other words for some of them.

    Raises:
        UnknownName: if one is not known.
        ConfigError: if there is none.
    """
    others = others or {}
    wanted = [others.get(each, each) for each in ((given,) if isinstance(given, str) else given)]
    for each in wanted:
        if each not in known:
            raise unknown(kind, each, [*known, *others])
    if not wanted:
        raise ConfigError(f"{name} must name at least one {kind.split()[0]}, got none")
    return tuple(each for each in known if each in wanted)


def check_spelling(name: str, given: str, read: Callable[[], str]) -> None:
    """A value of a specification must be written as the option of that name writes it.

    Args:
        name: Its name.
        given: As it stands in the specification.
        read: Reads it as the option does.

    Raises:
        TaskError: if it is wrong, or written otherwise.
    """
    try:
        kept = read()
    except (ConfigError, LookupError) as error:
        raise TaskError(str(error)) from None
    if kept != given:
        raise TaskError(f"{name} must be written as {kept!r}, got {given!r}")
