"""Terms of the advantage that compare the return of an episode with those of others in its group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import (
    Floats,
    TokenAdvantages,
    called_tool,
    check_discount,
    check_step_rewards,
    members,
    per_episode,
    per_turn,
    returns_to_go,
    roots_of,
    spans_by_turn,
    standardized,
    turn_rewards,
)
from agentgym.train.interfaces import Advantage
from agentgym.train.players import all_parts
from agentgym.train.schedules import Schedule


@dataclass(frozen=True)
class GroupRelative(Advantage):
    """The return of an episode compared with those of others; all its tokens share the difference.

    - REINFORCE (Williams 1992): no baseline, no scale.
    - RLOO (Ahmadian et al. 2024, arXiv:2402.14740) and LOOP (Chen et al. 2025, arXiv:2502.01600): the mean of the
      others in the group, no scale.
    - GRPO (Shao et al. 2024, arXiv:2402.03300): mean and standard deviation of the group.
    - Dr. GRPO (Liu et al. 2025, arXiv:2503.20783): mean of the group, no scale, which does not favour tasks that are
      nearly always or nearly never solved.
    - Lite PPO (Liu et al. 2025, arXiv:2508.08221): mean of the group, standard deviation of the batch.

    A standard deviation is that of the numbers themselves (divided by their count). In a group whose returns are all
    equal, or in which an episode is alone, the advantage is 0: the group is dead.

    Several of these terms, each with a `reward` of its own, compare each term of the reward by itself before they are
    added up, so that a term of small spread is not lost beside a large one (GDPO, Liu et al. 2026, arXiv:2601.05242).

    Attributes:
        baseline: What is subtracted: the mean of the group, of the others in it, of the batch, or nothing.
        scale: What is divided by: the standard deviation of the group, of the batch, or nothing.
        gamma: Discount of a turn; the returns compared are those from the first turn.
        reward: "" for the world's rewards; else the term of the reward, or the annotation, of this name.
        weight: Of this term.
    """

    baseline: Literal["mean", "leave_one_out", "batch", "none"] = "mean"
    scale: Literal["group", "batch", "none"] = "group"
    gamma: float = 1.0
    reward: str = ""
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
        """Groups of one have no one to be compared with, and somebody must tell the reward."""
        check_step_rewards(self.reward, recipe, "GroupRelative")
        if self.baseline in ("mean", "leave_one_out") and recipe.rollout.group_size < 2:
            raise ConfigError(f"baseline {self.baseline!r} compares within groups; set rollout.group_size above 1")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        earned = [returns_to_go(turn_rewards(each, self.reward), self.gamma)[0] for each in episodes]
        return per_episode(episodes, self._compare(np.array(earned, np.float64), members(episodes)).tolist())

    def _compare(self, scores: Floats, groups: dict[Hashable, list[int]]) -> Floats:
        if self.baseline == "none":
            return scores
        centered = scores - scores.mean()
        if self.baseline != "batch":
            centered = np.zeros_like(scores)
            for places in groups.values():
                own = scores[places]
                others = len(own) / (len(own) - 1) if self.baseline == "leave_one_out" and len(own) > 1 else 1.0
                centered[places] = others * (own - own.mean())
        if self.scale == "batch":
            return standardized(centered, 0.0, float(scores.std()))
        if self.scale == "group":
            for places in groups.values():
                centered[places] = standardized(centered[places], 0.0, float(scores[places].std()))
        return centered


@dataclass(frozen=True)
class RootRelative(GroupRelative):
    """`GroupRelative` among the episodes that others came from, whose advantage all their children share.

    MATPO (Mo et al. 2025, arXiv:2510.04678): a planner and the workers that it calls are one tree, whose outcome is
    compared with those of the group's other trees, however many workers each has called; every token of a tree, the
    workers' included, has the advantage of its tree. `GroupRelative` compares children with children, so that a tree
    counts as often as it has some. What is compared is the return of the root: a delegation whose child is `paid` by
    its `parent` changes nothing here.

    A child whose root is not learned from is compared with others of its own role.
    """

    def check(self, recipe: Any) -> None:
        """Without children it is `GroupRelative`, and what was replayed has its children elsewhere."""
        super().check(recipe)
        if not any(part.delegate for plan in recipe.plans for part in all_parts(plan.players)):
            raise ConfigError(
                "RootRelative has no effect where no part hands anything over; give one a delegate in [players], or "
                "use 'group_relative'"
            )
        if recipe.replay is not None:
            raise ConfigError("RootRelative needs the children of a round, which replay takes apart; drop [replay]")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        place = {id(episode): number for number, episode in enumerate(episodes)}
        roots = [place[id(root)] for root in roots_of(episodes)]
        heads = sorted(set(roots))
        whole = [episodes[head] for head in heads]
        earned = [returns_to_go(turn_rewards(each, self.reward), self.gamma)[0] for each in whole]
        compared = self._compare(np.array(earned, np.float64), members(whole)).tolist()
        of_head = dict(zip(heads, compared, strict=True))
        return per_episode(episodes, [of_head[root] for root in roots])


@dataclass(frozen=True)
class EarlyCall(GroupRelative):
    """`GroupRelative` with a bonus for successes that call a tool early, bounded by what they have earned.

    ASPO, advantage shaping, of the theory of tool-integrated reasoning (Lin and Xu 2025, arXiv:2508.19201, equation 2;
    not the asymmetric importance sampling of Wang et al. 2025, arXiv:2510.06062, which has the same short name): the
    advantage itself is shaped, after it was normalised, for a bonus in the reward would be scaled with everything else,
    and where all of a group succeed it would be all that is left. A success that says p tokens before its first call,
    where the successes of its group that call say m on average and L in all, gets

        A + clip(pull * (m - p) / L, -bound * A, bound * A)

    so that its sign stays what it was. Failures, and successes without a call, keep A. Tokens are those that were
    sampled; what a tool answers is not counted. A call begins where its turn does, or where the action does in a turn
    whose action is marked, behind a thought.

    Attributes:
        tool: Name of the tool.
        pull: What a mean length of an answer is worth; the paper's delta is its negative, -2 in its milder setting.
        bound: Most of the bonus, as a share of A; the paper's k, 0.7 there.
    """

    tool: str = "python"
    pull: float = 2.0
    bound: float = 0.7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pull <= 0 or not 0 < self.bound < 1:
            raise ConfigError(f"EarlyCall needs pull > 0 and 0 < bound < 1, got {self.pull} and {self.bound}")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        groups = members(episodes)
        earned = [returns_to_go(turn_rewards(each, self.reward), self.gamma)[0] for each in episodes]
        shaped = self._compare(np.array(earned, np.float64), groups)
        said = [sum(sum(segment.sampled_mask) for segment in each.segments) for each in episodes]
        before = [self._before(each) for each in episodes]
        for places in groups.values():
            calling = [place for place in places if episodes[place].success and before[place] is not None]
            if not calling:
                continue
            mean = float(np.mean([before[place] for place in calling]))
            length = float(np.mean([said[place] for place in calling]))
            for place in calling:
                most = self.bound * abs(float(shaped[place]))
                shaped[place] += min(most, max(-most, self.pull * (mean - float(before[place] or 0)) / length))
        self.count(
            calls=sum(place is not None for place in before),
            tokens_before_calls=sum(place for place in before if place is not None),
        )
        return per_episode(episodes, shaped.tolist())

    def _before(self, episode: Episode) -> int | None:
        """Tokens that are said before the first call; None if there is no call."""
        count = 0
        for (_, span), turn in zip(spans_by_turn(episode), episode.turns, strict=True):
            if called_tool(turn.action) == self.tool:
                return count + turn.marks.get("action", (0, 0))[0]
            count += span.end - span.start
        return None


@dataclass(frozen=True)
class DurationWeighted(GroupRelative):
    """`GroupRelative`, each turn times what its action took, as a share of the mean over the turns of the round.

    Yang et al. 2025 (arXiv:2509.01684): where actors do not wait for each other, quick actions are made,
    and learned from, more often, so that a policy comes to prefer them to slow ones that earn more. The gradient of an
    action is multiplied by its duration, which makes up for it.

    Attributes:
        duration: Name of the term of the world, or of the annotation, that tells a turn's duration, at least 0.
    """

    duration: str = "duration"

    def check(self, recipe: Any) -> None:
        """Somebody must tell the durations."""
        super().check(recipe)
        check_step_rewards(self.duration, recipe, "DurationWeighted")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        taken = [turn_rewards(each, self.duration) for each in episodes]
        mean = float(np.mean([each for own in taken for each in own]))
        if mean <= 0 or any(each < 0 for own in taken for each in own):
            raise ConfigError(f"durations must be at least 0, and some above, got a mean of {mean:g} {self.duration!r}")
        self.count(duration=sum(map(sum, taken)))
        shares = per_turn(episodes, [[each / mean for each in own] for own in taken])
        plain = super().__call__(episodes)
        return [[row * share for row, share in zip(*rows, strict=True)] for rows in zip(plain, shares, strict=True)]
