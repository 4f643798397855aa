"""Who meets whom in a game of a tournament, and on which sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agentgym.rollout import EnvPool

Sides: TypeAlias = Mapping[str, Sequence[str]]  # the players of each side


@dataclass(frozen=True)
class Fixture:
    """A game of a tournament: one agent as one side, another one as all other sides.

    Attributes:
        first: Who holds the side `position`.
        second: Who holds all others; it may be the same.
        position: A team's name, or the player where each is a side of its own.
        deal: Place of the task in the split.
        sides: The players of each side.
    """

    first: str
    second: str
    position: str
    deal: int
    sides: Sides

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Which of the tournament's games it is."""
        return self.first, self.second, self.position, self.deal

    @property
    def mine(self) -> Sequence[str]:
        """The players of the side of `first`."""
        return self.sides[self.position]

    @property
    def holders(self) -> dict[str, str]:
        """By player, who holds it."""
        held = {side: self.first if side == self.position else self.second for side in self.sides}
        return {player: held[side] for side, players in self.sides.items() for player in players}

    def fits(self, pool: EnvPool, place: int) -> bool:
        """Whether a game has the sides that were held; one in which each player is a side has no others.

        Args:
            pool: Where it is played.
            place: Of the game, which has ended.
        """
        return self.sides == each_alone(pool.players) or sides_now(pool, place) == self.sides


def each_alone(players: Sequence[str]) -> dict[str, list[str]]:
    """Every player as a side of its own."""
    return {player: [player] for player in players}


def sides_now(pool: EnvPool, place: int) -> dict[str, list[str]]:
    """The sides of a game under way, by the name that the game gives them.

    Args:
        pool: Where it is played.
        place: Of the game.
    """
    found: dict[str, list[str]] = {}
    for player in pool.players:
        found.setdefault(str(pool.ask(place, player, "team")), []).append(player)
    return found
