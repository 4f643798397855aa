"""The games of a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from agentgym.core import ConfigError, EnvCard, unknown
from agentgym.ui.holders import PERSON, Agents
from agentgym.ui.table import PACES, GameSession, Plan

MOST = 24  # games that are kept; those that have ended make room first
PARTING = 5.0  # seconds that games are waited for at the end
LONGEST = 200  # characters of a task's id


class Tables:
    """Games by id, the newest last.

    Args:
        agents: Who can play in them.
    """

    def __init__(self, agents: Agents):
        self.agents = agents
        self._tables: dict[str, GameSession] = {}
        self._lock = threading.Lock()

    def open(self, plan: Plan) -> GameSession:
        """Begin a game.

        Args:
            plan: What is played.

        Raises:
            ConfigError: if there are too many games.
            AgentGymError: if the world cannot be made.
        """
        table = GameSession(plan, self.agents)
        with self._lock:
            over = [name for name, other in self._tables.items() if other.ended]
            for name in over[: max(0, len(self._tables) - MOST + 1)]:
                self._tables.pop(name).leave()
            if len(self._tables) >= MOST:
                raise ConfigError(f"{MOST} games are under way; leave one of them first")
            self._tables[table.id] = table
        try:
            table.start()
        except BaseException:
            with self._lock:
                self._tables.pop(table.id, None)
            raise
        return table

    def find(self, name: str) -> GameSession | None:
        """The game of an id; None if there is none."""
        return self._tables.get(name)

    def all(self) -> list[GameSession]:
        """Every game, the newest first."""
        with self._lock:
            return list(self._tables.values())[::-1]

    def close(self) -> None:
        """Leave every game; returns at once."""
        for table in self.all():
            table.leave()

    def join(self) -> None:
        """Wait a little until what was left has ended: a model in the middle of a token cannot be stopped."""
        end = time.monotonic() + PARTING
        for table in self.all():
            table.join(max(0.0, end - time.monotonic()))


def plan_of(card: EnvCard, given: Mapping[str, str]) -> Plan:
    """What a form asks to be played.

    Args:
        card: Of the world.
        given: The fields of the form.

    Raises:
        ConfigError, UnknownName: if a field makes no sense.
    """
    split, seed, pace = given.get("split", "train"), given.get("seed", "0"), given.get("pace", "steady")
    if split not in card.splits:
        raise unknown(f"split of {card.id}", split, card.splits)
    if not (seed.isascii() and seed.isdigit() and len(seed) <= 18):
        raise ConfigError(f"the seed must be a whole number from 0 on, got {seed!r}")
    if pace not in PACES:
        raise unknown("pace", pace, PACES)
    task = given.get("task", "").strip()
    if len(task) > LONGEST:
        raise ConfigError(f"a task's id has at most {LONGEST} characters")
    holders = [given.get(f"player{number}", PERSON) for number in range(card.players)]
    return Plan(card, split, task or None, int(seed), holders, pace)
