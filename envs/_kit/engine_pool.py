"""A bounded number of engine worlds for any number of environments of a process."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from agentgym.core.errors import EngineFailure


class EngineWorld(Protocol):
    """One world of an engine."""

    @property
    def alive(self) -> bool:
        """Whether its engine runs."""


class Session(Protocol):
    """What an environment has played: enough to play it once more."""

    def replay(self, world: Any) -> None:
        """Bring a world to where the episode stands."""


class _Place:
    """A world, and who holds it."""

    def __init__(self, world: Any):
        self.world = world
        self.holder: weakref.ref[Any] | None = None
        self.lock = threading.Lock()

    @property
    def held(self) -> bool:
        return self.holder is not None and self.holder() is not None


class EnginePool:
    """Worlds that are kept between episodes and lent to the environments that play.

    An environment keeps its world from one action to the next. When all are lent, the one that was used longest ago is
    taken away, and its episode is played again, in another, when it is asked for. Threads may use it at once. A pool is
    kept as long as its process.

    Args:
        make: Makes a world.
        most: Worlds there may be.
    """

    def __init__(self, make: Callable[[], EngineWorld], most: int):
        self._make, self._most = make, most
        self._places: list[_Place] = []  # the one used longest ago first
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forked)

    def __len__(self) -> int:
        return len(self._places)

    @contextmanager
    def world(self, session: Session, *, begin: bool = False) -> Iterator[Any]:
        """The world of a session, for one call.

        Args:
            session: Whose.
            begin: Whether an episode begins, so that nothing is played again.

        Raises:
            EngineFailure: if the engine that had the world has ended, unless an episode begins.
        """
        place, fresh = self._claim(session, begin)
        try:
            if fresh and not begin:
                session.replay(place.world)
            yield place.world
        except EngineFailure:
            self._drop(place)
            raise
        finally:
            place.lock.release()

    def _claim(self, session: Session, begin: bool) -> tuple[_Place, bool]:
        """A place for the session, its lock held, and whether its world is at another point than the session."""
        with self._lock:
            own = next((each for each in self._places if each.holder is not None and each.holder() is session), None)
            lost = own is not None and not own.world.alive
            self._places = [each for each in self._places if each.world.alive]
            if lost and not begin:
                raise EngineFailure("the process of the engine ended in mid-episode")
            place = None if lost else own
            if place is not None:
                self._places.remove(place)
            else:
                place = self._spare()
            place.lock.acquire()
            self._places.append(place)
            place.holder = weakref.ref(session)
            return place, place is not own

    def _spare(self) -> _Place:
        """A place that nobody holds, a new one, or the one used longest ago; no longer in the list."""
        free = next((each for each in self._places if not each.held), None)
        if free is None and len(self._places) < self._most:
            return _Place(self._make())
        place = free or self._places[0]
        self._places.remove(place)
        return place

    def _drop(self, place: _Place) -> None:
        """Forget a world that failed."""
        with self._lock:
            self._places = [each for each in self._places if each is not place]

    def _forked(self) -> None:
        """The worlds are those of the parent; an episode under way is played again in a world of this process."""
        self._lock = threading.Lock()
        self._places = []
