"""Terms of the advantage that differ from turn to turn, and need neither critic nor state keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import (
    TokenAdvantages,
    check_discount,
    check_step_rewards,
    members,
    part_of,
    per_turn,
    returns_to_go,
    standardized,
    turn_rewards,
)
from agentgym.train.interfaces import Advantage
from agentgym.train.schedules import Schedule


@dataclass(frozen=True)
class StepRelative(Advantage):
    """Rewards of single turns, standardized over all turns of a group, then summed over what follows.

    - SEAgent (Sun et al. 2025, arXiv:2508.04700): verdicts on steps, `gamma` 0 and `baseline` "none": a verdict of 0 is
      no reproach, whatever the others of the group are.
    - iStar (Liu et al. 2025, arXiv:2509.19199): implicit rewards, `gamma` 0 (a turn answers for itself), added to
      `GroupRelative()`.
    - IGPO (Wang et al. 2025, arXiv:2510.14967): gains of information and, in the last turn, the outcome, discounted.

    Attributes:
        reward: Name of the annotation or the term of the world that holds a turn's reward; its sum over a round is
            counted under its name. "" takes the world's own rewards.
        gamma: Discount of a turn in the sum of standardized rewards; 0 adds nothing.
        baseline: What is taken away first: the mean of the group, or nothing.
        scale: Divide by the standard deviation of the group (from 0 where there is no baseline), or by nothing.
        weight: Of this term.
    """

    reward: str = ""
    gamma: float = 1.0
    baseline: Literal["group", "none"] = "group"
    scale: Literal["group", "none"] = "group"
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma)

    def check(self, recipe: Any) -> None:
        """Somebody must write the rewards, and groups of one have no one to be compared with."""
        check_step_rewards(self.reward, recipe, "StepRelative")
        if recipe.rollout.group_size < 2:
            raise ConfigError("StepRelative compares within groups; set rollout.group_size above 1")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        rewards = [turn_rewards(each, self.reward) for each in episodes]
        if self.reward:
            self.count(**{self.reward: sum(map(sum, rewards))})
        values: list[list[float]] = [[] for _ in episodes]
        for places in members(episodes).values():
            pooled = np.array([reward for place in places for reward in rewards[place]], np.float64)
            center, spread = float(pooled.mean()), float(pooled.std())
            if self.baseline == "none":
                center, spread = 0.0, float(np.sqrt(np.mean(pooled**2)))
            for place in places:
                own = np.array(rewards[place], np.float64)
                scaled = standardized(own, center, spread) if self.scale == "group" else own - center
                values[place] = returns_to_go(scaled.tolist(), self.gamma)
        return per_turn(episodes, values)


@dataclass(frozen=True)
class TurnReturn(Advantage):
    """The return from each turn on, less the mean over all turns of the same player and role in the same world.

    Turn-level credit with a normalisation of its own for every player, as in MARS (Yuan et al. 2025,
    arXiv:2510.15414): rewards are summed over what follows first and centred afterwards, and who moves first in a game,
    or plays another game, is not measured by what others can earn. It needs no group, for a game in which somebody else
    moved differently is another problem after the first turn anyway.

    Attributes:
        reward: "" for the world's rewards; else the term of the reward, or the annotation, of this name.
        gamma: Discount of a turn.
        scale: Divide by the standard deviation of the same turns, or by nothing.
        weight: Of this term.
    """

    reward: str = ""
    gamma: float = 1.0
    scale: Literal["player", "none"] = "none"
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma)

    def check(self, recipe: Any) -> None:
        """Somebody must tell the rewards."""
        check_step_rewards(self.reward, recipe, "TurnReturn")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        returns = [returns_to_go(turn_rewards(each, self.reward), self.gamma) for each in episodes]
        values: list[list[float]] = [[] for _ in episodes]
        for part in dict.fromkeys(part_of(episode) for episode in episodes):
            places = [place for place, episode in enumerate(episodes) if part_of(episode) == part]
            pooled = np.array([value for place in places for value in returns[place]], np.float64)
            center, spread = float(pooled.mean()), float(pooled.std())
            for place in places:
                own = np.array(returns[place], np.float64)
                values[place] = (own - center if self.scale == "none" else standardized(own, center, spread)).tolist()
        return per_turn(episodes, values)


@dataclass(frozen=True)
class InvalidActionPenalty(Advantage):
    """-1 for an action that the world refused, 0 for any other.

    The penalty of invalid actions in the experiments of GiGPO (Feng et al. 2025, arXiv:2505.10978, appendix), put on
    the turn that earned it alone. Where a refused action may be said again it costs nothing by itself, and a policy
    that learns from returns drifts away from the grammar, or puts off a loss by talking nonsense.

    Attributes:
        weight: Of this term: what a refused action costs.
    """

    weight: float | Schedule = 0.1

    @property
    def compares(self) -> bool:
        """No: it is a price."""
        return False

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        self.count(turns_refused=sum(not turn.valid for each in episodes for turn in each.turns))
        return per_turn(episodes, [[0.0 if turn.valid else -1.0 for turn in each.turns] for each in episodes])
