"""What games of many players share: the end of a game of two, and choices by dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC

T = TypeVar("T")


def decided(game: LanguageAEC, winner: str | None) -> JointOutcome:
    """The end of a game of two: 1 to the winner and -1 to the other, or a draw, in which nobody succeeds.

    Args:
        game: The game, which tells all players how it ended and counts a draw.
        winner: The player that won; None for a draw.
    """
    if winner is None:
        game.send_message("The game is a draw.")
        game.set_metric("draw", 1.0)
        return JointOutcome(over=True)
    game.send_message(f"{winner} wins.")
    rewards = {player: 1.0 if player == winner else -1.0 for player in game.possible_agents}
    return JointOutcome(rewards, over=True, winners=(winner,))


def pick(choices: Sequence[T], rng: np.random.Generator) -> T:
    """One of some `choices`, each equally likely, drawn with `rng`."""
    return choices[int(rng.integers(len(choices)))]


def quick_pick(choices: Sequence[T], rng: np.random.Generator) -> T:
    """As `pick`, from the same `choices` and `rng`, in a quarter of the time and with other dice."""
    return choices[int(rng.random() * len(choices))]
