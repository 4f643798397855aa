"""How the episodes of a group come about: each from the beginning, as branches of one another, or one after another.

A group has a budget: the number of its starts. A strategy says how many of them begin at the beginning; the others wait
to become branches. A branch is a copy of an episode just before an action of its: the world with other random draws,
the conversation with what was read and said, and an own generator. Starts that found no place to branch from begin at
the beginning in the end, so a group always comes back whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.core import ConfigError
from agentgym.rollout.counters import Counting


@dataclass(frozen=True, slots=True)
class Point:
    """A place where an episode could branch: the policy has spoken, the world has not yet heard it.

    Attributes:
        turn: The turn, counted from 0.
        entropy: Mean entropy in nats of the tokens of this turn; None if the policy does not tell.
        first: The same of turn 0.
        entropies, first_entropies: Those of each token of this turn, and of turn 0; empty if the policy does not tell.
        draw: A number from 0 to 1 that is drawn for this turn of this episode, for strategies that branch by chance.
        budget: Starts of its group.
        spare: How many of them wait to become branches; at most so many leave here.
    """

    turn: int
    entropy: float | None
    first: float | None
    entropies: Sequence[float] = ()
    first_entropies: Sequence[float] = ()
    draw: float = 0.0
    budget: int = 0
    spare: int = 0


class Strategy(Counting):
    """Base of the strategies. Each process counts the `branches` and the later `attempts` that it has played.

    Attributes:
        branches: Whether episodes of a group come from one another, so that a group is played as a whole.
        reach: Turns that a branch plays before it is cut off; None lets it play to its end.
        attempts: Episodes that follow one another at most, each begun because the one before it failed.
    """

    branches: ClassVar[bool] = True
    reach: int | None = None
    attempts: int = 1

    def check(self, recipe: Any) -> None:
        """Refuse a recipe (`agentgym.train.Recipe`) in which it would have no effect or mislead."""
        size = recipe.rollout.group_size
        if self.branches and self.initial(size) >= size:
            raise ConfigError(
                f"{type(self).__name__} has no effect in groups of {size}, whose episodes all begin at the beginning; "
                "raise rollout.group_size"
            )

    def reset_options(self, attempt: int) -> Mapping[str, Any]:
        """Options of the reset that are added for a later attempt, counted from 1 for the second."""
        return {}

    def initial(self, budget: int) -> int:
        """How many of a group's starts begin at the beginning."""
        raise NotImplementedError(f"{type(self).__name__} must implement initial(budget)")

    def copies(self, point: Point) -> int:
        """How many branches leave here, as far as the budget allows."""
        raise NotImplementedError(f"{type(self).__name__} must implement copies(point)")


@dataclass(frozen=True)
class Independent(Strategy):
    """Every episode begins at the beginning."""

    branches: ClassVar[bool] = False

    def initial(self, budget: int) -> int:
        """All."""
        return budget

    def copies(self, point: Point) -> int:
        """None."""
        return 0


@dataclass(frozen=True)
class Branching(Strategy):
    """Some episodes from the beginning, the others as branches of them: the same group for fewer steps of the world.

    Exactly one of `every`, `turns` and `rise` says where. With `rise`: where the policy is less sure, over all tokens
    of a turn, than it was in its first turn; by the first tokens alone and by chance it is `EntropyBranching`.

    Attributes:
        every: Branch at each turn that is a multiple of this, except the first.
        turns: Branch at these turns, counted from 0.
        rise: Branch where the entropy exceeds that of turn 0 by more than this, in nats.
        share: Share of the budget that begins at the beginning, above 0 and below 1; at least one episode does.
        width: Paths that go on from a branching point, the one that was there included.
        reach: Turns that a branch plays before it is cut off, and is then called a proposal: what else could have been
            done here, for the price of a few steps. None lets branches play to their end.
    """

    every: int | None = None
    turns: tuple[int, ...] = ()
    rise: float | None = None
    share: float = 0.5
    width: int = 2
    reach: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", tuple(self.turns))
        given = [self.every is not None, bool(self.turns), self.rise is not None]
        if sum(given) != 1:
            raise ConfigError("branching needs exactly one of every, turns and rise, which say where to branch")
        if self.every is not None and self.every < 1:
            raise ConfigError(f"every must be at least 1, got {self.every}")
        if any(turn < 0 for turn in self.turns):
            raise ConfigError(f"turns are counted from 0, got {min(self.turns)}")
        if not 0 < self.share < 1:
            raise ConfigError(f"share must lie between 0 and 1, got {self.share}; use Independent() for 1")
        if self.width < 2:
            raise ConfigError(f"width must be at least 2, or nothing branches; got {self.width}")
        if self.reach is not None and self.reach < 1:
            raise ConfigError(f"reach must be at least 1 turn, got {self.reach}")

    def check(self, recipe: Any) -> None:
        """Returns of proposals are those of fewer turns: they are no measure beside whole episodes."""
        super().check(recipe)
        if self.reach is not None and (not recipe.advantages or any(term.compares for term in recipe.advantages)):
            raise ConfigError(
                "branching.reach cuts branches off, so their returns cannot be compared with those of whole episodes; "
                "use [[advantage]] name = 'gae', which asks the critic what would have followed"
            )

    def initial(self, budget: int) -> int:
        """The share, rounded up."""
        return max(1, -int(-budget * self.share // 1))

    def copies(self, point: Point) -> int:
        """`width - 1` where the rule says so."""
        return self.width - 1 if self._wanted(point) else 0

    def _wanted(self, point: Point) -> bool:
        if self.every is not None:
            return point.turn > 0 and point.turn % self.every == 0
        if self.turns:
            return point.turn in self.turns
        assert self.rise is not None
        if point.entropy is None or point.first is None:
            raise ConfigError("branching by rise needs a policy that tells its entropies; use every or turns")
        return point.turn > 0 and point.entropy - point.first > self.rise


@dataclass(frozen=True)
class EntropyBranching(Strategy):
    """Branches leave where the first tokens after a result of a tool are less sure than those of the first turn.

    ARPO (Dong et al. 2025, arXiv:2507.19849, section 3.1, with the settings of the published code): a turn after the
    first branches if clip(u - weight * (H - H_0), 0, 1) <= threshold, where u is drawn evenly from 0 to 1 for the turn,
    H is the mean entropy of its first tokens and H_0 that of the first turn, both as a share of the entropy of ten
    equally likely tokens and at most 1. Difference: theirs is the entropy of the ten likeliest tokens, here it is that
    of all tokens, which is the same where no others are likely.

    Attributes:
        tokens: How many of a turn's first tokens are looked at.
        weight: Of the rise of the entropy; 0 branches by chance alone.
        threshold: From 0 to 1: the chance to branch where the entropy is as it was.
        share: Share of the budget that begins at the beginning, above 0 and below 1; at least one episode does.
        width: Paths that go on from a branching point, the one that was there included.
    """

    tokens: int = 20
    weight: float = 0.2
    threshold: float = 0.5
    share: float = 0.5
    width: int = 2

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise ConfigError(f"tokens must be at least 1, got {self.tokens}")
        if self.weight < 0 or not 0 <= self.threshold <= 1:
            raise ConfigError(
                f"weight must be at least 0 and threshold from 0 to 1, got {self.weight} and {self.threshold}"
            )
        if not 0 < self.share < 1:
            raise ConfigError(f"share must lie between 0 and 1, got {self.share}; use Independent() for 1")
        if self.width < 2:
            raise ConfigError(f"width must be at least 2, or nothing branches; got {self.width}")

    def initial(self, budget: int) -> int:
        """The share, rounded up."""
        return max(1, -int(-budget * self.share // 1))

    def copies(self, point: Point) -> int:
        """`width - 1` where the rule says so."""
        if not point.turn:
            return 0
        if not point.entropies or not point.first_entropies:
            raise ConfigError("entropy_branching needs a policy that tells its entropies; use branching with every")
        rise = self._opening(point.entropies) - self._opening(point.first_entropies)
        return self.width - 1 if min(1.0, max(0.0, point.draw - self.weight * rise)) <= self.threshold else 0

    def _opening(self, entropies: Sequence[float]) -> float:
        """Mean entropy of the first tokens, as a share of that of ten equally likely ones."""
        first = entropies[: self.tokens]
        return min(1.0, sum(first) / len(first) / math.log(10))


@dataclass(frozen=True)
class Tree(Strategy):
    """Every path divides at the same turns, so that siblings share all that came before.

    Attributes:
        depths: Turns at which each path divides, counted from 0, ascending.
        width: Paths that go on from each.
    """

    depths: tuple[int, ...]
    width: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "depths", tuple(self.depths))
        if not self.depths or self.depths[0] < 0 or list(self.depths) != sorted(set(self.depths)):
            raise ConfigError(f"depths are ascending turns counted from 0, got {self.depths}")
        if self.width < 2:
            raise ConfigError(f"width must be at least 2, or nothing divides; got {self.width}")

    def initial(self, budget: int) -> int:
        """The number of trees whose leaves make up the budget.

        Raises:
            ConfigError: if no whole number of trees does.
        """
        leaves = self.width ** len(self.depths)
        if budget % leaves:
            raise ConfigError(
                f"a tree of width {self.width} that divides {len(self.depths)} times has {leaves} leaves; "
                f"make the group size a multiple of it, not {budget}"
            )
        return budget // leaves

    def copies(self, point: Point) -> int:
        """`width - 1` at the depths."""
        return self.width - 1 if point.turn in self.depths else 0


@dataclass(frozen=True)
class Attempts(Strategy):
    """Who fails tries again in an episode of its own, told what it did and how that ended.

    Learning from trial and error within a context, as in Reflexion (Shinn et al. 2023, arXiv:2303.11366), with the
    record itself in place of a reflection; for reflections in words, within one episode, there is the wrapper `Trials`.

    Attributes:
        attempts: Most of them at one task, the first included.
    """

    attempts: int = 2

    def __post_init__(self) -> None:
        if self.attempts < 2:
            raise ConfigError(f"attempts must be at least 2, or nobody tries again; got {self.attempts}")

    def initial(self, budget: int) -> int:
        """So many that each could have all its attempts.

        Raises:
            ConfigError: if a group is smaller than the number of attempts.
        """
        if budget < self.attempts:
            raise ConfigError(f"a group of {budget} leaves no room for {self.attempts} attempts; make it larger")
        return -(-budget // self.attempts)

    def copies(self, point: Point) -> int:
        """None: later attempts begin at the beginning."""
        return 0


@dataclass(frozen=True)
class GuidedAttempts(Attempts):
    """Who fails tries again, told how it went and now helped by hints, so that hard tasks are solved now and then.

    Agent-RLVR (Da et al. 2025, arXiv:2506.11425): a first attempt without help; where tests fail, another one with
    guidance beside the errors of the first, and what both earned is learned from. The hints are those of the wrapper
    `Hints`, which must give none by itself. Difference: guidance is what an expert or the oracle would do, and not
    written by a teacher model.

    Attributes:
        attempts: Most of them at one task, the first included.
        fraction: Share of the way for which there are hints in the second attempt and all later ones.
    """

    fraction: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.fraction <= 1:
            raise ConfigError(f"fraction must lie above 0 and at most at 1, got {self.fraction}; use attempts for 0")

    def check(self, recipe: Any) -> None:
        """Hints are given by a wrapper, and to nobody who has not failed."""
        super().check(recipe)
        given = [each.keywords.get("fraction") for each in recipe.world.wrappers if each.func.__name__ == "Hints"]
        if given != [0.0]:
            raise ConfigError(
                "guided_attempts helps through the wrapper Hints; set world.wrappers = "
                "[{ name = 'Hints', fraction = 0.0 }], with the fraction of the help in rollout.strategy"
            )

    def reset_options(self, attempt: int) -> Mapping[str, Any]:
        """The share of the hints."""
        return {"hint_fraction": self.fraction}


STRATEGIES: dict[str, type[Strategy]] = {
    "independent": Independent,
    "branching": Branching,
    "entropy_branching": EntropyBranching,
    "tree": Tree,
    "attempts": Attempts,
    "guided_attempts": GuidedAttempts,
}
