"""Filters: which of the episodes of a round are learned from, and how a return is shaped before it is compared.

A filter is a frozen dataclass; its fields are what a recipe sets. It takes the episodes of a round, none of which the
world failed, and a generator of random numbers, and returns those to keep, in their order unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import SPREAD, called_tool, members
from agentgym.train.interfaces import Filter

WITHOUT_A_CALL = 0.5  # the share of errors of an episode that calls no tool


@dataclass(frozen=True)
class DropZeroVariance(Filter):
    """Keep groups in which returns differ.

    The dynamic sampling of DAPO (Yu et al. 2025, arXiv:2503.14476, section 3.2): a group whose episodes all earned the
    same has no gradient and only thins the batch. With `rollout.refill` dead groups are replaced by new ones.
    """

    drops_groups: ClassVar[bool] = True

    def __call__(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """See the class."""
        returns = [each.learned_return for each in episodes]
        live = {
            place
            for places in members(episodes).values()
            if np.std([returns[place] for place in places]) > SPREAD
            for place in places
        }
        self.count(episodes_dropped=len(episodes) - len(live))
        return [episode for place, episode in enumerate(episodes) if place in live]


@dataclass(frozen=True)
class Successes(Filter):
    """Keep episodes that the world calls a success, or that earned enough.

    What filtered behaviour cloning learns from (Chen et al. 2020, arXiv:1910.12179; Pan et al. 2024, arXiv:2404.06474).

    Attributes:
        threshold: Keep episodes whose score is at least this; None asks the world's verdict.
    """

    threshold: float | None = None

    def __call__(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """See the class."""
        least = self.threshold
        good = [each for each in episodes if (each.success if least is None else each.total_return >= least)]
        self.count(episodes_dropped=len(episodes) - len(good))
        return good


@dataclass(frozen=True)
class Overlong(Filter):
    """Lower the return of episodes that say too much.

    The soft over-length punishment of DAPO (Yu et al. 2025, arXiv:2503.14476, equation 13), over the sampled tokens of
    an episode: nothing up to `limit - soft`, then a line down to -1 at `limit`, and -1 beyond. It goes to the episode's
    `bonus`, apart from the world's reward.

    Attributes:
        limit: Tokens from which the punishment is whole.
        soft: Tokens over which it grows.
    """

    limit: int
    soft: int

    def __post_init__(self) -> None:
        if not 0 < self.soft <= self.limit:
            raise ConfigError(f"Overlong needs 0 < soft <= limit, got soft {self.soft} and limit {self.limit}")

    def __call__(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """See the class."""
        for episode in episodes:
            said = sum(sum(segment.sampled_mask) for segment in episode.segments)
            episode.bonus = -min(1.0, max(0.0, (said - self.limit + self.soft) / self.soft))
            self.count(episodes_punished=episode.bonus < 0)
        return list(episodes)


@dataclass(frozen=True)
class CleanResample(Filter):
    """Of a group played in plenty keep a smaller one: the cleanest successes, and failures of all kinds.

    Resample-on-correct of GRPO-RoC (rStar2-Agent, Shang et al. 2025, arXiv:2508.20722, section 3.2). The share of
    successes stays as it was, with at least one success and one failure where there are any. Successes are kept in the
    order of their penalty, lowest first, ties drawn by lot; failures are drawn evenly, so that there is still every
    mistake to learn from. The penalty of an episode is

        errors:  the share of its turns whose action was refused (malformed calls among them) or whose call failed, as a
                 program does that raises; where a `tool` is named, its failed and refused calls as a share of its
                 calls, and 0.5 without a call
        answers: where the `answer` is named, 1 if none was given, and otherwise min(1, (given - 1) / turns): who has
                 the answer refused and gives it again has more of them than one

    The paper draws successes with odds that fall with the penalty; here the order is strict, so that what is kept can
    be said beforehand. Turns with an error are counted, of all episodes and of those that are kept, and the shares of
    errors of successes are added up, so that those that are kept can be compared with all.

    Attributes:
        keep: Episodes of a group that are left; `rollout.group_size` should be about twice as many.
        tool: Whose calls errors are counted of; "" for every turn.
        answer: The tool that gives the final answer; "" for no penalty on answers.
    """

    keep: int
    tool: str = ""
    answer: str = ""

    def __post_init__(self) -> None:
        if self.keep < 2:
            raise ConfigError(f"keep of CleanResample must be at least 2, got {self.keep}")
        if self.tool and self.tool == self.answer:
            raise ConfigError(f"tool and answer of CleanResample must differ, got {self.tool!r} twice")

    def check(self, recipe: Any) -> None:
        """There must be something to leave out."""
        if self.keep >= recipe.rollout.group_size:
            raise ConfigError(
                f"CleanResample keeps {self.keep} of {recipe.rollout.group_size} episodes; play more or keep less"
            )

    def __call__(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """See the class."""
        kept: set[int] = set()
        for places in members(episodes).values():
            kept |= set(places if len(places) <= self.keep else self._choose(episodes, places, rng))
        refused = [sum(not turn.valid for turn in episode.turns) for episode in episodes]
        failed = [sum(turn.failed_calls > 0 for turn in episode.turns) for episode in episodes]
        errors = [self._errors(episode) for episode in episodes]
        won = [place for place, episode in enumerate(episodes) if episode.success]
        won_kept = [place for place in won if place in kept]
        self.count(
            episodes_dropped=len(episodes) - len(kept),
            turns_refused=sum(refused),
            turns_refused_kept=sum(refused[place] for place in kept),
            turns_failed=sum(failed),
            turns_failed_kept=sum(failed[place] for place in kept),
            successes=len(won),
            successes_kept=len(won_kept),
            errors_of_successes=sum(errors[place] for place in won),
            errors_of_successes_kept=sum(errors[place] for place in won_kept),
        )
        return [episode for place, episode in enumerate(episodes) if place in kept]

    def _choose(self, episodes: Sequence[Episode], places: list[int], rng: np.random.Generator) -> list[int]:
        shuffled = [places[i] for i in rng.permutation(len(places))]
        good = sorted(
            (place for place in shuffled if episodes[place].success), key=lambda place: self.penalty(episodes[place])
        )
        bad = [place for place in shuffled if not episodes[place].success]
        share = round(self.keep * len(good) / len(places))
        share = min(max(share, min(1, len(good))), self.keep - min(1, len(bad)))
        return good[:share] + bad[: self.keep - share]

    def penalty(self, episode: Episode) -> float:
        """How unclean an episode is; see the class.

        Args:
            episode: With at least one turn.
        """
        return self._errors(episode) + self._answers(episode)

    def _errors(self, episode: Episode) -> float:
        turns = [turn for turn in episode.turns if not self.tool or called_tool(turn.action) == self.tool]
        wrong = sum(not turn.valid or turn.failed_calls > 0 for turn in turns)
        return wrong / len(turns) if turns else WITHOUT_A_CALL

    def _answers(self, episode: Episode) -> float:
        if not self.answer:
            return 0.0
        given = sum(called_tool(turn.action) == self.answer for turn in episode.turns)
        return min(1.0, (given - 1) / len(episode.turns)) if given else 1.0


@dataclass(frozen=True)
class Pairs(Filter):
    """Pair the episodes of each group: the best with the worst, the second best with the second worst, and so on.

    The preference pairs of trajectory DPO (ETO, Song et al. 2024, arXiv:2403.02502): the better and the worse of two
    episodes of one task. Episodes that earned the same, and the middle one of an odd number, are left out.

    Returns the episodes in pairs: places 0 and 1 are a pair, the better first, then places 2 and 3, and so on.

    Attributes:
        margin: Least difference of returns within a pair.
    """

    margin: float = SPREAD
    makes_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.margin > 0:
            raise ConfigError(f"margin of Pairs must be above 0, got {self.margin}")

    def check(self, recipe: Any) -> None:
        """Pairs are of use to a loss that compares them."""
        if recipe.loss.unit != "pair":
            raise ConfigError("the filter Pairs is for the loss 'dpo'")

    def __call__(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """See the class."""
        pairs = ranked_pairs(episodes, self.margin)
        self.count(pairs=len(pairs))
        return [episodes[place] for pair in pairs for place in pair]


def ranked_pairs(episodes: Sequence[Episode], margin: float = SPREAD) -> list[tuple[int, int]]:
    """Places of (better, worse) within each group, as `Pairs` describes.

    Args:
        episodes: Those of an update.
        margin: Least difference of returns within a pair.
    """
    pairs = []
    for places in members(episodes).values():
        ranked = sorted(places, key=lambda place: -episodes[place].learned_return)
        for better, worse in zip(ranked[: len(ranked) // 2], reversed(ranked), strict=False):
            if episodes[better].learned_return - episodes[worse].learned_return >= margin:
                pairs.append((better, worse))
    return pairs


FILTERS = {
    "drop_zero_variance": DropZeroVariance,
    "successes": Successes,
    "overlong": Overlong,
    "clean_resample": CleanResample,
    "pairs": Pairs,
}
