"""What the records of the study say: success before and after, what was gained, and which gains hold over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.baselines.pretrained.study import ARMS, SEEDS, UNTRAINED, WORLDS
from agentgym.core.files import read_object
from agentgym.evaluate import Estimate
from agentgym.report import paired_lift
from agentgym.reproduce.statistics import Floats, paired

GAIN = 0.2  # what is asked for, in every one of `SEEDS` seeds
HEADS = ("environment", "policy", "success on test (95 % interval)", "over the model as it comes", "over its clone")


def read(out: Path) -> list[dict[str, Any]]:
    """The records of a folder, in the order of `WORLDS`."""
    files = [out / f"{world}.json" for world in WORLDS]
    return [read_object(file) for file in files if file.exists()]


@dataclass(frozen=True)
class Lift:
    """What one arm adds to another.

    Attributes:
        estimate: In the mean over seeds, with an interval over seeds and tasks; of one seed, over tasks.
        by_seed: Of each seed, with an interval over tasks.
    """

    estimate: Estimate
    by_seed: tuple[Estimate, ...]

    def __str__(self) -> str:
        value, low, high = (100 * each for each in (self.estimate.value, self.estimate.low, self.estimate.high))
        count = len(self.by_seed)
        seeds = f"; {count} seeds, least {100 * self.least:+.0f}" if count > 1 else ""
        return f"{value:+.0f} points ({low:+.0f} to {high:+.0f}{seeds})"

    @property
    def least(self) -> float:
        """That of the seed which gained least."""
        return min(each.value for each in self.by_seed)

    @property
    def holds(self) -> bool:
        """Whether each of `SEEDS` seeds or more gained `GAIN` or more, and has an interval above 0."""
        return len(self.by_seed) >= SEEDS and self.least >= GAIN and min(each.low for each in self.by_seed) > 0


def lift(record: Mapping[str, Any], before: str, after: str) -> Lift | None:
    """What an arm adds to another one of a world, paired by test task; of several seeds, over seeds and tasks.

    Args:
        record: Of the world.
        before, after: Arms; a model as it comes stands beside every seed.

    Returns:
        None where one of them was not measured.
    """
    sides = [record["arms"].get(arm) for arm in (before, after)]
    if None in sides:
        return None
    first, second = (side["seeds"] for side in sides)
    shared = [seed for seed in sorted(second, key=int) if before in UNTRAINED or seed in first]
    pairs = [
        (np.array(first["0" if before in UNTRAINED else seed]["wins"], float), np.array(second[seed]["wins"], float))
        for seed in shared
    ]
    if not pairs:
        return None
    gained = np.array([later - earlier for earlier, later in pairs])  # shape (seeds, tasks)
    by_seed = tuple(_over_tasks(*pair) for pair in pairs)
    if len(pairs) == 1:
        return Lift(by_seed[0], by_seed)
    return Lift(paired([each.value for each in by_seed], gained).estimate, by_seed)


def _over_tasks(earlier: Floats, later: Floats) -> Estimate:
    """What was gained in the tasks in which the world failed on neither side."""
    there = ~np.isnan(later - earlier)
    return paired_lift(earlier[there].tolist(), later[there].tolist())


def as_it_comes(record: Mapping[str, Any]) -> str:
    """The better of the two ways to play the model as it comes; "" where none was measured."""
    known = [arm for arm in UNTRAINED if arm in record["arms"]]
    return max(known, key=lambda arm: record["arms"][arm]["seeds"]["0"]["success"]["value"], default="")


def rows(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The cells under `HEADS`, one line for each arm of each world.

    Args:
        records: What `read` gives.
    """
    found = []
    for record in records:
        for arm in (arm for arm in ARMS if arm in record["arms"]):
            seeds = record["arms"][arm]["seeds"]
            rates = [seeds[seed]["success"] for seed in sorted(seeds, key=int)]
            gains = [lift(record, before, arm) if before else None for before in _before(record, arm)]
            told = ["" if gain is None else str(gain) for gain in gains]
            found.append((record["world"], ARMS[arm].title, "; ".join(map(_rate, rates)), *told))
    return found


def _rate(rate: Mapping[str, float]) -> str:
    value, low, high = (100 * rate[name] for name in ("value", "low", "high"))
    return f"{value:.0f} % ({low:.0f} to {high:.0f})"


def _before(record: Mapping[str, Any], arm: str) -> tuple[str, str]:
    """What an arm is compared with: the model as it comes, and its clone; "" for nothing."""
    return "" if arm in UNTRAINED else as_it_comes(record), ARMS[arm].cloned


def verdicts(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each gain of `GAIN` or more that holds over `SEEDS` seeds, in a sentence.

    Args:
        records: What `read` gives.
    """
    found = []
    for record in records:
        for arm in (arm for arm in ARMS if arm in record["arms"]):
            for before, words in zip(_before(record, arm), HEADS[3:], strict=True):
                gain = lift(record, before, arm) if before else None
                if gain is not None and gain.holds:
                    found.append(f"{record['world']}, {ARMS[arm].title}, {words}: {gain}.")
    return found
