"""What a tournament counts of a game: what the two who met were paid, and who gave up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentgym.core import DataError
from agentgym.evaluate.episode_record import EpisodeRecord, PlayerRecord
from agentgym.evaluate.fixtures import Fixture


@dataclass(frozen=True)
class CrossGame:
    """One game of a tournament in figures.

    Attributes:
        fixture: Who met whom.
        payoff: Mean return of the players of the first one's side.
        against: Mean return of all other players; 0 if the game failed.
        returns: By player.
        success: Whether the game calls all players of the first one's side successful.
        failure: What failed if the game, or the service behind an agent, could not play it to its end; such a game is
            counted and not scored.
        lost_by: Which of the two could not go on or had a full context, and so lost; "" for nobody.
        metrics: The game's own, means over the players of the first one's side at the end.
    """

    fixture: Fixture
    payoff: float
    against: float
    returns: Mapping[str, float]
    success: bool
    failure: str
    lost_by: str
    metrics: Mapping[str, float]

    @classmethod
    def of(cls, record: EpisodeRecord) -> CrossGame:
        """The figures of a game on record.

        Raises:
            DataError: if it is none of a tournament.
        """
        fixture = record.fixture
        if fixture is None:
            raise DataError(f"{record.name} is no game of a tournament")
        returns = {name: player.score for name, player in record.players.items()}
        mine = [record.players[name] for name in fixture.mine]
        rivals = [value for name, value in returns.items() if name not in fixture.mine]
        return cls(
            fixture,
            payoff=math.fsum(player.score for player in mine) / len(mine),
            against=math.fsum(rivals) / len(rivals) if record.scored else 0.0,
            returns=returns,
            success=all(player.success for player in mine),
            failure="" if record.scored else record.failure,
            lost_by=record.players[record.stopped_by].agent if record.scored and record.stopped_by else "",
            metrics=_metrics(mine),
        )

    @property
    def common(self) -> float:
        """Mean return of all players."""
        return math.fsum(self.returns.values()) / len(self.returns)

    def outcomes(self) -> list[tuple[str, float]]:
        """Of each side, its agent and the mean return of its players; who could not play to the end comes last."""
        found = []
        for side, players in self.fixture.sides.items():
            agent = self.fixture.first if side == self.fixture.position else self.fixture.second
            mean = math.fsum(self.returns[who] for who in players) / len(players)
            found.append((agent, -math.inf if agent == self.lost_by else mean))
        return found


def _metrics(players: Sequence[PlayerRecord]) -> dict[str, float]:
    """Means over those players that have one."""
    names = dict.fromkeys(name for player in players for name in player.metrics)
    had = {name: [player.metrics[name] for player in players if name in player.metrics] for name in names}
    return {name: math.fsum(values) / len(values) for name, values in had.items()}
