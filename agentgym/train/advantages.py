"""From rewards to credit: each term gives every sampled token a number, and their weighted sum is the advantage.

A term is a frozen dataclass; its fields are what a recipe sets. It takes the episodes of a round, none of which the
world failed, and returns one array a segment. Episodes are compared within groups: same task, same seed and, where
several roles play, same role.

    published method                                   term of the advantage
    REINFORCE                                          GroupRelative(baseline="none", scale="none")
    REINFORCE++                                        GroupRelative(baseline="batch", scale="batch")
    RLOO, LOOP                                         GroupRelative(baseline="leave_one_out", scale="none")
    GRPO, DAPO, GSPO, CISPO                            GroupRelative()
    Dr. GRPO                                           GroupRelative(scale="none")
    Lite PPO                                           GroupRelative(scale="batch")
    GiGPO                                              GroupRelative() + GiGPOStep()
    iStar                                              GroupRelative() + StepRelative("implicit", gamma=0)
    IGPO                                               StepRelative("information")
    PPO; VL-DAC; POAD                                  GAE("token"); GAE("turn"); GAE("action")
    SPA                                                GroupRelative() + StepRelative("progress")
    invalid-action penalty of GiGPO's experiments      ... + InvalidActionPenalty(weight=0.1)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import (
    SPREAD,
    Floats,
    TokenAdvantages,
    check_discount,
    check_step_rewards,
    generalized_advantages,
    members,
    per_episode,
    per_turn,
    returns_to_go,
    spans_by_turn,
    standardized,
    turn_rewards,
    value_after,
)
from agentgym.train.interfaces import Advantage
from agentgym.train.schedules import Schedule

Level = Literal["token", "turn", "action"]
AfterCut = Literal["critic", "nothing"]


@dataclass(frozen=True)
class GroupRelative(Advantage):
    """The return of an episode compared with those of others; all its tokens share the difference.

    - REINFORCE (Williams 1992): no baseline, no scale.
    - REINFORCE++ (Hu et al. 2025, arXiv:2501.03262): mean and standard deviation of the batch.
    - RLOO (Ahmadian et al. 2024, arXiv:2402.14740) and LOOP (Chen et al. 2025, arXiv:2502.01600): the mean of the
      others in the group, no scale.
    - GRPO (Shao et al. 2024, arXiv:2402.03300): mean and standard deviation of the group.
    - Dr. GRPO (Liu et al. 2025, arXiv:2503.20783): mean of the group, no scale, which does not favour tasks that are
      nearly always or nearly never solved.
    - Lite PPO (Liu et al. 2025, arXiv:2508.08221): mean of the group, standard deviation of the batch.

    A standard deviation is that of the numbers themselves (divided by their count). In a group whose returns are all
    equal, or in which an episode is alone, the advantage is 0: the group is dead.

    Attributes:
        baseline: What is subtracted: the mean of the group, of the others in it, of the batch, or nothing.
        scale: What is divided by: the standard deviation of the group, of the batch, or nothing.
        gamma: Discount of a turn; the returns compared are those from the first turn.
        weight: Of this term.
    """

    baseline: Literal["mean", "leave_one_out", "batch", "none"] = "mean"
    scale: Literal["group", "batch", "none"] = "group"
    gamma: float = 1.0
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma)
        if self.baseline == "none" and self.scale != "none":
            raise ConfigError(f"scale {self.scale!r} needs a baseline; set scale = 'none' or another baseline")
        if self.baseline == "batch" and self.scale == "group":
            raise ConfigError("baseline 'batch' with scale 'group' has no meaning in a group of equal returns")

    @property
    def compares(self) -> bool:
        """Unless there is no baseline."""
        return self.baseline != "none"

    def check(self, recipe: Any) -> None:
        """Groups of one have no one to be compared with."""
        if self.baseline in ("mean", "leave_one_out") and recipe.rollout.group_size < 2:
            raise ConfigError(f"baseline {self.baseline!r} compares within groups; set rollout.group_size above 1")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        scores = np.array([returns_to_go(turn_rewards(each), self.gamma)[0] for each in episodes], np.float64)
        return per_episode(episodes, self._compare(scores, members(episodes)).tolist())

    def _compare(self, scores: Floats, groups: dict[Hashable, list[int]]) -> Floats:
        if self.baseline == "none":
            return scores
        centred = scores - scores.mean()
        if self.baseline != "batch":
            centred = np.zeros_like(scores)
            for places in groups.values():
                own = scores[places]
                others = len(own) / (len(own) - 1) if self.baseline == "leave_one_out" and len(own) > 1 else 1.0
                centred[places] = others * (own - own.mean())
        if self.scale == "batch":
            return standardized(centred, 0.0, float(scores.std()))
        if self.scale == "group":
            for places in groups.values():
                centred[places] = standardized(centred[places], 0.0, float(scores[places].std()))
        return centred


@dataclass(frozen=True)
class GiGPOStep(Advantage):
    """What followed an action compared with what followed others that were taken in the very same state of the world.

    The step-level advantage of GiGPO (Feng et al. 2025, arXiv:2505.10978, section 4.2): turns of a group that began in
    an equal state, in whichever episode and however often, are anchors for each other; the return-to-go of a turn is
    standardized among them. A state that was seen once says nothing: its turn gets 0. GiGPO is this term added to
    `GroupRelative()`.

    Attributes:
        gamma: Discount of a turn.
        scale: Divide by the standard deviation of the anchor group, or by nothing.
        weight: Of this term.
    """

    gamma: float = 0.95
    scale: Literal["group", "none"] = "group"
    weight: float | Schedule = 1.0
    needs_keys: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma)

    def check(self, recipe: Any) -> None:
        """Groups of one have no one to be compared with."""
        if recipe.rollout.group_size < 2:
            raise ConfigError("GiGPOStep compares within groups; set rollout.group_size above 1")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        returns = [returns_to_go(turn_rewards(each), self.gamma) for each in episodes]
        values = [[0.0] * len(each.turns) for each in episodes]
        for anchors in self.anchors(episodes).values():
            own = np.array([returns[episode][turn] for episode, turn in anchors], np.float64)
            spread = float(own.std())
            if spread <= SPREAD:
                continue
            for (episode, turn), value in zip(anchors, own - own.mean(), strict=True):
                values[episode][turn] = value / spread if self.scale == "group" else value
        return per_turn(episodes, values)

    @staticmethod
    def anchors(episodes: Sequence[Episode]) -> dict[Hashable, list[tuple[int, int]]]:
        """(episode, turn) of the turns that began in each state of each group.

        Raises:
            ConfigError: if the episodes were collected without keys.
        """
        found: dict[Hashable, list[tuple[int, int]]] = {}
        for place, episode in enumerate(episodes):
            for number, turn in enumerate(episode.turns):
                if not turn.state_key:
                    raise ConfigError("turns have no state_key; collect the episodes with keys=True")
                found.setdefault((episode.group, episode.role, turn.state_key), []).append((place, number))
        return found


@dataclass(frozen=True)
class StepRelative(Advantage):
    """Rewards of single turns, standardized over all turns of a group, then summed over what follows.

    - iStar (Liu et al. 2025, arXiv:2509.19199): implicit rewards, `gamma` 0 (a turn answers for itself), added to
      `GroupRelative()`.
    - IGPO (Wang et al. 2025, arXiv:2510.14967): gains of information and, in the last turn, the outcome, discounted.

    Attributes:
        reward: Name of the annotation that holds a turn's reward; "" takes the world's own rewards.
        gamma: Discount of a turn in the sum of standardized rewards; 0 adds nothing.
        scale: Divide by the standard deviation of the group, or by nothing.
        weight: Of this term.
    """

    reward: str = ""
    gamma: float = 1.0
    scale: Literal["group", "none"] = "group"
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma)

    def check(self, recipe: Any) -> None:
        """Somebody must write the rewards, and groups of one have no one to be compared with."""
        check_step_rewards(self.reward, recipe.learners, "StepRelative")
        if recipe.rollout.group_size < 2:
            raise ConfigError("StepRelative compares within groups; set rollout.group_size above 1")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        rewards = [turn_rewards(each, self.reward) for each in episodes]
        values: list[list[float]] = [[] for _ in episodes]
        for places in members(episodes).values():
            pooled = np.array([reward for place in places for reward in rewards[place]], np.float64)
            centre, spread = float(pooled.mean()), float(pooled.std())
            for place in places:
                own = np.array(rewards[place], np.float64)
                scaled = standardized(own, centre, spread) if self.scale == "group" else own - centre
                values[place] = returns_to_go(scaled.tolist(), self.gamma)
        return per_turn(episodes, values)


@dataclass(frozen=True)
class GAE(Advantage):
    """Generalized advantage estimation (Schulman et al. 2016, arXiv:1506.02438) with a critic's values.

    The three levels differ in what a step is:

    - `token`: every sampled token, as in PPO on language models (Ziegler et al. 2019, arXiv:1909.08593); the discount
      counts tokens.
    - `turn`: a whole turn, valued where it begins; its tokens share the advantage. VL-DAC (Bredis et al. 2025,
      arXiv:2508.04280), whose clip still works on single tokens.
    - `action`: every sampled token, but only the step from one action to the next is discounted and only an action's
      last token is rewarded, so that credit within an action does not depend on how many tokens it takes. POAD (Wen et
      al. 2024, arXiv:2405.15821, Bellman backup with action decomposition).

    An episode that was cut off (turns or context ran out) is continued by the critic's value of what comes next; one
    that the world ended is not. That is right where the limit is the trainer's. Where it is the world's own and the
    policy can count its turns, nothing comes next: with `after_cut = "nothing"` a cut is an end. (With `critic` and a
    discount near 1 a policy can learn to waste its turns, for the sake of what the critic promises afterwards.)

    Attributes:
        level: See above; the critic's must be the same.
        gamma: Discount of a step; the critic's must be the same.
        lam: 0 trusts the critic for everything after one step, 1 for nothing.
        reward: Name of the annotation that holds a turn's reward; "" takes the world's own.
        after_cut: What an episode that was cut off is worth from there on; the critic's must be the same.
        weight: Of this term.
    """

    level: Level = "token"
    gamma: float = 1.0
    lam: float = 0.95
    reward: str = ""
    after_cut: AfterCut = "critic"
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        check_discount(self, gamma=self.gamma, lam=self.lam)

    @property
    def compares(self) -> bool:
        """Only with what a critic expected."""
        return False

    def check(self, recipe: Any) -> None:
        """The critic must value what this term reads."""
        check_step_rewards(self.reward, recipe.learners, "GAE")
        critics = [part for part in recipe.learners if "value" in part.writes]
        if len(critics) != 1:
            raise ConfigError(f"GAE needs one [[learner]] name = 'critic', the recipe has {len(critics)}")
        for name in ("level", "gamma", "reward", "after_cut"):
            mine, its = getattr(self, name), getattr(critics[0], name)
            if mine != its:
                raise ConfigError(f"GAE has {name} {mine!r} and its critic {its!r}; they must be equal")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        if self.level == "turn":
            return per_turn(episodes, [self.steps(each) for each in episodes])
        return [self._tokens(each) for each in episodes]

    def steps(self, episode: Episode) -> list[float]:
        """The advantage of each step of an episode: of each turn, or of each sampled token in the order of turns."""
        rewards, values, gammas = [], [], []
        for reward, (segment, span) in zip(turn_rewards(episode, self.reward), spans_by_turn(episode), strict=True):
            own = _values(segment.annotations, span.start, span.start + 1 if self.level == "turn" else span.end)
            within = self.gamma if self.level == "token" else 1.0
            values += own
            rewards += [0.0] * (len(own) - 1) + [reward]
            gammas += [within] * (len(own) - 1) + [self.gamma]
        after = value_after(episode) if self.after_cut == "critic" else 0.0
        return generalized_advantages(rewards, values, after, gammas, self.lam)

    def _tokens(self, episode: Episode) -> list[Floats]:
        rows = {id(segment): np.zeros(len(segment)) for segment in episode.segments}
        advantages = self.steps(episode)
        for segment, span in spans_by_turn(episode):
            count = span.end - span.start
            rows[id(segment)][span.start : span.end] = advantages[:count]
            advantages = advantages[count:]
        return [rows[id(segment)] for segment in episode.segments]


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
        return per_turn(episodes, [[0.0 if turn.valid else -1.0 for turn in each.turns] for each in episodes])


def _values(annotations: dict[str, list[float]], start: int, end: int) -> list[float]:
    if "value" not in annotations:
        raise ConfigError("no learner wrote 'value' on the tokens; add [[learner]] name = 'critic'")
    return annotations["value"][start:end]


ADVANTAGES = {
    "group_relative": GroupRelative,
    "gigpo_step": GiGPOStep,
    "step_relative": StepRelative,
    "gae": GAE,
    "invalid_action_penalty": InvalidActionPenalty,
}
