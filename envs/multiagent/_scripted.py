"""Scripted opponents of a game in their three strengths, and the expert that is the strongest of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from agentgym.core.game import Opponent
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Task


def graded(random: Opponent, simple: Opponent, strong: Opponent) -> dict[str, Opponent]:
    """The `OPPONENTS` of a game, weakest first.

    Args:
        random, simple, strong: Functions of what the player knows and a generator, which return an action.
    """
    return {"random": random, "simple": simple, "strong": strong}


class StrongExpert:
    """A game whose expert is its strongest scripted opponent; stands before `LanguageAEC` or `LanguageParallel`.

    The expert's generator is made of the task and of what `_decision` names, so it is the same in any process and
    tells nothing of the generator of the episode.
    """

    OPPONENTS: ClassVar[Mapping[str, Opponent]]
    task: Task
    turn: int
    _known: Any

    def _decision(self, player: str) -> tuple[int, ...]:
        """Numbers that tell a decision of this player from the others of the episode; by default the turn."""
        return (self.turn,)

    def _decision_rng(self, player: str) -> np.random.Generator:
        """The generator of one decision."""
        return np.random.default_rng([int(fingerprint(self.task.id)[:12], 16), *self._decision(player)])

    def _expert(self, player: str) -> str:
        strongest = list(self.OPPONENTS.values())[-1]
        return strongest(self._known(player), self._decision_rng(player))
