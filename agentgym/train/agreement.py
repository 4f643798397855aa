"""How far the verdicts that are learned from agree with the truth that the world keeps: counts, shares, intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core import ConfigError
from agentgym.evaluate import wilson
from agentgym.rollout import Episode

COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")


@dataclass(frozen=True)
class Agreement:
    """Verdicts and truths, counted; a positive is what the verdict calls a success.

    Attributes:
        true_positives, false_positives, true_negatives, false_negatives: How many there were.
    """

    true_positives: int = 0
    false_positives: int = 0
    true_negatives: int = 0
    false_negatives: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Agreement:
        """Counted pairs of a verdict and the truth."""
        found = list(pairs)
        return cls(
            sum(verdict and truth for verdict, truth in found),
            sum(verdict and not truth for verdict, truth in found),
            sum(not verdict and not truth for verdict, truth in found),
            sum(not verdict and truth for verdict, truth in found),
        )

    @classmethod
    def of_metrics(cls, history: Sequence[Mapping[str, Any]], name: str) -> Agreement:
        """The sum over updates.

        Args:
            history: Metrics of each; those without agreement count for nothing.
            name: Under which it stands in them.
        """
        told = [entry[name] for entry in history if name in entry]
        return cls(*(sum(int(each[count]) for each in told) for count in COUNTS))

    @property
    def judged(self) -> int:
        """How many verdicts there were."""
        return sum(getattr(self, name) for name in COUNTS)

    @property
    def shares(self) -> dict[str, tuple[int, int]]:
        """Accuracy, precision and recall, each as what was right and of how many."""
        right = self.true_positives + self.true_negatives
        return {
            "accuracy": (right, self.judged),
            "precision": (self.true_positives, self.true_positives + self.false_positives),
            "recall": (self.true_positives, self.true_positives + self.false_negatives),
        }

    def metrics(self) -> dict[str, float | int | None]:
        """Counts and shares; None for a share of nothing."""
        shares = {name: right / of if of else None for name, (right, of) in self.shares.items()}
        return {"judged": self.judged, **{name: getattr(self, name) for name in COUNTS}, **shares}

    def lines(self) -> list[str]:
        """Each share with its 95 % Wilson interval and what it is of, in words."""
        told = []
        for name, (right, of) in self.shares.items():
            if not of:
                told.append(f"{name}: none to judge by")
                continue
            found = wilson(right / of, of)
            told.append(f"{name} {found.value:.3f} ({found.low:.3f} to {found.high:.3f}), {right} of {of}")
        return told


def pairs_of_episodes(episodes: Sequence[Episode], verdict: str, threshold: float) -> list[tuple[bool, bool]]:
    """Of each episode whether its verdict calls it a success, and whether the world does.

    Args:
        episodes: Those of a round; what the world failed has no truth and is left out.
        verdict: The term of the reward that is the verdict; terms of all turns are added up.
        threshold: What it must reach.

    Raises:
        ConfigError: if an episode has no such term.
    """
    return [
        (sum(_term(turn.terms, verdict) for turn in episode.turns) >= threshold, episode.success)
        for episode in episodes
        if episode.turns and not episode.failed
    ]


def pairs_of_turns(episodes: Sequence[Episode], verdict: str, threshold: float, truth: str) -> list[tuple[bool, bool]]:
    """Of each turn whether its verdict calls it good, and whether another term of the reward paid for it.

    Args:
        episodes, verdict, threshold: As in `pairs_of_episodes`.
        truth: The term that is above 0 where the turn was good.

    Raises:
        ConfigError: if a turn lacks one of the terms.
    """
    return [
        (_term(turn.terms, verdict) >= threshold, _term(turn.terms, truth) > 0)
        for episode in episodes
        if not episode.failed
        for turn in episode.turns
    ]


def _term(terms: Mapping[str, float], name: str) -> float:
    if name not in terms:
        told = ", ".join(terms) or "none"
        raise ConfigError(f"no wrapper pays the term {name!r} that agreement is measured by; there are: {told}")
    return terms[name]
