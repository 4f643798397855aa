"""Intervals over seeds and tasks, a correction for several comparisons, and what is needed to tell a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.evaluate import Estimate
from agentgym.evaluate.metrics import CONFIDENCE
from agentgym.report.compare import LEAST_SCATTER

DRAWS = 4000  # of the bootstrap
ALPHA = 1 - CONFIDENCE
FAR = 5.0  # standard errors, beyond which the other tail is below 1e-8 and its figures are not computed reliably
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Paired:
    """A mean difference between two arms.

    Attributes:
        estimate: The difference with its 95 % interval of Student's t, whose unit is the seed.
        error: Its standard error.
        seeds: How many there are.
    """

    estimate: Estimate
    error: float
    seeds: int

    def p_value(self, against: float) -> float:
        """Of the two-sided test that the difference is `against`."""
        from scipy import stats  # half a second, so only where a test is asked for

        return float(2 * stats.t.sf(abs(self.estimate.value - against) / self.error, self.seeds - 1))


def paired(differences: Sequence[float], by_task: Floats | None = None) -> Paired:
    """The mean difference over seeds.

    With one value a seed the standard error is that of their mean. With one value a seed and task it is found by a
    bootstrap that draws seeds and, crossed with them, tasks (the pigeonhole bootstrap, Owen 2007, Annals of Applied
    Statistics 1): a panel of few tasks is a sample as well. It is a little too wide rather than too narrow. Drawn seeds
    spread less than seeds do, by (n - 1) / n of the variance, which is made good. In either case seeds scatter by 1/64
    at least, as in `mean_over_seeds`.

    Args:
        differences: One a seed, in figures.
        by_task: Of shape (seeds, tasks): the difference in each task, NaN where one side has none.

    Raises:
        ConfigError: if there are fewer than 2 seeds.
    """
    from scipy import stats

    count = len(differences)
    if count < 2:
        raise ConfigError(f"an interval over seeds needs at least 2 of them, got {count}")
    value = math.fsum(differences) / count
    error = (
        float(stats.sem(differences)) if by_task is None else crossed_error(by_task) * math.sqrt(count / (count - 1))
    )
    error = max(error, LEAST_SCATTER / math.sqrt(count))
    half = float(stats.t.ppf(1 - ALPHA / 2, count - 1)) * error
    return Paired(Estimate(value, value - half, value + half), error, count)


def crossed_error(by_task: Floats) -> float:
    """Standard deviation of the mean over drawn seeds and drawn tasks.

    Args:
        by_task: Of shape (seeds, tasks), NaN where there is no value.
    """
    there = ~np.isnan(by_task)
    values = np.where(there, by_task, 0.0)
    rng = stream("reproduce.bootstrap")  # equal figures have equal intervals
    seeds, tasks = by_task.shape
    drawn_seeds = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=DRAWS).astype(float)
    drawn_tasks = rng.multinomial(tasks, np.full(tasks, 1 / tasks), size=DRAWS).astype(float)
    sums = np.einsum("bt,bt->b", drawn_seeds @ values, drawn_tasks)
    counts = np.einsum("bt,bt->b", drawn_seeds @ there.astype(float), drawn_tasks)
    return float(np.std(sums[counts > 0] / counts[counts > 0], ddof=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values that hold for all comparisons together (Holm 1979).

    Args:
        p_values: Of each comparison by itself.

    Returns:
        In the same order; a comparison is decided where its value is below 0.05.
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


@dataclass(frozen=True)
class Scatter:
    """Where the scatter of a difference comes from, as variances of one seed, one task, and one task of one seed."""

    seed: float
    task: float
    rest: float

    @classmethod
    def of(cls, differences: Sequence[float], by_task: Floats | None) -> Scatter:
        """Estimated by the analysis of variance of a two-way table, negative estimates as 0.

        Args:
            differences: One a seed.
            by_task: Of shape (seeds, tasks); tasks with a NaN are left out. None where a figure is not of tasks.
        """
        least = LEAST_SCATTER**2
        if by_task is None:
            return cls(max(float(np.var(differences, ddof=1)), least), 0.0, 0.0)
        table = by_task[:, ~np.isnan(by_task).any(axis=0)]
        seeds, tasks = table.shape
        if seeds < 2 or tasks < 2:
            raise ConfigError(f"a pilot needs 2 seeds and 2 tasks that all of them played, got {seeds} and {tasks}")
        rows, columns, whole = table.mean(axis=1), table.mean(axis=0), table.mean()
        rest = float(((table - rows[:, None] - columns[None, :] + whole) ** 2).sum()) / ((seeds - 1) * (tasks - 1))
        seed = float(rows.var(ddof=1)) - rest / tasks
        task = float(columns.var(ddof=1)) - rest / seeds
        return cls(max(seed, least), max(task, 0.0), rest)

    def error(self, seeds: int, tasks: int) -> float:
        """Standard error that `paired` will find for so many seeds and tasks.

        The bootstrap counts `rest` three times, once for seeds, tasks and their crossing each.

        Args:
            seeds: How many.
            tasks: How many.
        """
        if not self.rest and not self.task:
            return math.sqrt(self.seed / seeds)
        found = self.seed / seeds + self.task / tasks + 3 * self.rest / (seeds * tasks)
        return math.sqrt(found * seeds / (seeds - 1))


def power(effect: float, error: float, seeds: int, alpha: float = ALPHA) -> float:
    """Chance that a two-sided test finds a difference, by the noncentral t distribution.

    Args:
        effect: The true difference.
        error: Standard error of its estimate.
        seeds: How many there are.
        alpha: Level of the test.
    """
    from scipy import stats

    bound, shift = float(stats.t.ppf(1 - alpha / 2, seeds - 1)), abs(effect) / error
    found = float(stats.nct.sf(bound, seeds - 1, shift))
    return found if shift > FAR else found + float(stats.nct.cdf(-bound, seeds - 1, shift))
