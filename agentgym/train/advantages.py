"""From rewards to credit: each term gives every sampled token a number, and their weighted sum is the advantage.

A term is a frozen dataclass; its fields are what a recipe sets. It takes the episodes of a round, none of which the
world failed, and returns one array a segment. Episodes are compared within groups: same task, same seed and, where
several roles play, same role.

    published method                                   term of the advantage
    REINFORCE                                          GroupRelative(baseline="none", scale="none")
    REINFORCE++                                        WhitenedReturn(kl_coefficient=0.001)
    RLOO, LOOP                                         GroupRelative(baseline="leave_one_out", scale="none")
    GRPO, DAPO, GSPO, CISPO                            GroupRelative()
    Dr. GRPO                                           GroupRelative(scale="none")
    Lite PPO                                           GroupRelative(scale="batch")
    ASPO                                               EarlyCall("python")
    RL for MLE agents                                  DurationWeighted()
    GiGPO                                              GroupRelative() + GiGPOStep()
    iStar                                              GroupRelative() + StepRelative("implicit", gamma=0)
    IGPO                                               StepRelative("information")
    PPO; VL-DAC; POAD                                  GAE("token"); GAE("turn"); GAE("action")
    SPA                                                GroupRelative() + StepRelative("progress")
    TreeRL; SPO                                        TreeRelative(); TreeRelative("parent", "none")
    MARS                                               TurnReturn()
    invalid-action penalty of GiGPO's experiments      ... + InvalidActionPenalty(weight=0.1)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode, Segment
from agentgym.rollout.episode import Span
from agentgym.train.advantage_utils import (
    SPREAD,
    Floats,
    TokenAdvantages,
    check_discount,
    check_step_rewards,
    generalized_advantages,
    part_of,
    per_turn,
    returns_to_go,
    spans_by_turn,
    standardized,
    turn_rewards,
    value_after,
)
from agentgym.train.batch import REFERENCE
from agentgym.train.group_advantages import DurationWeighted, EarlyCall, GroupRelative, RootRelative
from agentgym.train.interfaces import Advantage
from agentgym.train.schedules import Schedule
from agentgym.train.tree_advantages import TreeRelative
from agentgym.train.turn_advantages import InvalidActionPenalty, StepRelative, TurnReturn

Level = Literal["token", "turn", "action"]
AfterCut = Literal["critic", "nothing"]


@dataclass(frozen=True)
class WhitenedReturn(Advantage):
    """The return of an episode, less what its later tokens cost in divergence, standardized over all tokens.

    REINFORCE++ (Hu et al. 2025, arXiv:2501.03262, equations 5 to 8). The reward of a token is minus `kl_coefficient`
    times its log-ratio of sampler to reference, and with the last token comes the episode's return; what a token gets
    is the sum of its own reward and all later ones, less the mean over all tokens of the round that were sampled,
    divided by their standard deviation. So an episode weighs in the mean by its length, and a token answers for the
    divergence of those it led to, which a regularizer cannot say.

    Attributes:
        kl_coefficient: Price of a nat of divergence; 0 needs no reference model.
        weight: Of this term.
    """

    kl_coefficient: float = 0.0
    weight: float | Schedule = 1.0

    def __post_init__(self) -> None:
        if self.kl_coefficient < 0:
            raise ConfigError(f"kl_coefficient of WhitenedReturn must be at least 0, got {self.kl_coefficient}")

    @property
    def needs_reference(self) -> bool:  # type: ignore[override]
        """Whether divergence has a price."""
        return self.kl_coefficient > 0

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        credit = [self._returns(episode) for episode in episodes]
        sampled = [np.asarray(part.sampled_mask, bool) for episode in episodes for part in episode.segments]
        rows = [row for own in credit for row in own]
        said = np.concatenate([row[mask] for row, mask in zip(rows, sampled, strict=True)])
        center, spread = float(said.mean()), float(said.std())
        for row, mask in zip(rows, sampled, strict=True):
            row[mask] = standardized(row[mask], center, spread)
        return credit

    def _returns(self, episode: Episode) -> list[Floats]:
        rows = {id(segment): np.zeros(len(segment)) for segment in episode.segments}
        total = sum(turn_rewards(episode))
        for segment, span in reversed(spans_by_turn(episode)):
            ratios = _log_ratios(segment, span) if self.kl_coefficient else np.zeros(span.end - span.start)
            earned = total - self.kl_coefficient * np.cumsum(ratios[::-1])[::-1]  # at each token, of it and all later
            rows[id(segment)][span.start : span.end] = earned
            total = float(earned[0]) if len(earned) else total
        return [rows[id(segment)] for segment in episode.segments]


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
        found = self.anchors(episodes)
        sizes = [len(each) for each in found.values()]
        self.count(turns=sum(sizes), turns_anchored=sum(size for size in sizes if size > 1))
        for anchors in found.values():
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
                found.setdefault((episode.group, *part_of(episode), turn.state_key), []).append((place, number))
        return found


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
        check_step_rewards(self.reward, recipe, "GAE")
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


def _log_ratios(segment: Segment, span: Span) -> Floats:
    """Log-probability of each token of a span when it was sampled, less that under the reference model."""
    if segment.logprobs is None:
        raise ConfigError("WhitenedReturn prices divergence of what a policy said; a teacher has no log-probabilities")
    own = np.asarray(segment.logprobs[span.start : span.end], np.float64)
    return own - np.asarray(segment.annotations[REFERENCE][span.start : span.end], np.float64)


def _values(annotations: dict[str, list[float]], start: int, end: int) -> list[float]:
    if "value" not in annotations:
        raise ConfigError("no learner wrote 'value' on the tokens; add [[learner]] name = 'critic'")
    return annotations["value"][start:end]


ADVANTAGES = {
    "group_relative": GroupRelative,
    "root_relative": RootRelative,
    "early_call": EarlyCall,
    "duration_weighted": DurationWeighted,
    "whitened_return": WhitenedReturn,
    "gigpo_step": GiGPOStep,
    "step_relative": StepRelative,
    "turn_return": TurnReturn,
    "tree_relative": TreeRelative,
    "gae": GAE,
    "invalid_action_penalty": InvalidActionPenalty,
}
