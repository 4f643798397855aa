"""A pilot: a few seeds that say how many seeds and tasks a claim needs, and what they cost."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentgym.core.files import write_whole
from agentgym.reproduce.claim import Check, Claim
from agentgym.reproduce.statistics import ALPHA, Scatter, power
from agentgym.reproduce.trial import MOST_SEEDS, Progress, measure_arms
from agentgym.reproduce.verdict import Measured, difference, side_by_seed, task_differences
from agentgym.rollout.record_folder import RecordFolder

POWER = 0.8
TASKS = (250, 500, 1000)  # of the test panel, that a plan chooses from
MOST_LOOKED_AT = 2000  # seeds; beyond that a difference is called out of reach


@dataclass(frozen=True)
class SamplePlan:
    """What a check needs to be decided with a power of 80 %.

    Attributes:
        check: The comparison.
        effect: The difference that is to be found: the check's margin, or else what the pilot saw beyond `by`.
        scatter: Where the scatter of the difference comes from.
        seeds, tasks: The cheapest numbers of at most 48 seeds; where these are too few, those with the most power.
        power: With them, after correction for all checks of the claim.
        seeds_needed: Seeds for 80 % with as many tasks; None beyond 2,000.
        hours: Of `workers` processes, for `seeds` and `tasks`; None where arms are functions, whose price is not known.
        hours_needed: For `seeds_needed`.
    """

    check: Check
    effect: float
    scatter: Scatter
    seeds: int
    tasks: int
    power: float
    seeds_needed: int | None
    hours: float | None
    hours_needed: float | None


def pilot(
    claim: Claim, seeds: int, out: Path, *, workers: int | None = None, progress: Progress | None = None
) -> list[SamplePlan]:
    """Run a claim with few seeds and plan the rest; writes `NAME.pilot.json`.

    Its runs are those that `reproduce` begins with: none is repeated.

    Args:
        claim: What is to be tried.
        seeds: Of the pilot, 2 or more.
        out: Folder of the result and the runs.
        workers: Processes; by default one a core.
        progress: Called with an arm and a seed when they are done.

    Returns:
        A plan for each check.
    """
    workers = workers or os.cpu_count() or 1
    with RecordFolder(out):
        plans = planned(claim, measure_arms(claim, seeds, out / "runs", workers, progress), workers)
        told = {"claim": claim.claim, "seeds": seeds, "workers": workers, "plans": [asdict(plan) for plan in plans]}
        write_whole(out / f"{claim.name}.pilot.json", json.dumps(told, indent=1) + "\n")
    return plans


def planned(claim: Claim, measured: Measured, workers: int) -> list[SamplePlan]:
    """What each check of a claim needs, by the figures of a pilot.

    Args:
        claim: What is claimed.
        measured: By arm, the metrics of each seed of the pilot.
        workers: Processes that the price is for.
    """
    return [_plan(claim, measured, check, workers) for check in claim.checks]


def _plan(claim: Claim, measured: Measured, check: Check, workers: int) -> SamplePlan:
    larger, smaller = (side_by_seed(claim, measured, side, check.metric) for side in (check.larger, check.smaller))
    seen = difference(claim, measured, check, larger, smaller).estimate.value
    effect = check.margin or abs(seen - check.by)
    table = task_differences(claim, measured, check)
    scatter = Scatter.of([a - b for a, b in zip(larger, smaller, strict=True)], table)
    alpha = ALPHA / len(claim.checks)  # what Holm's correction asks of the first
    choices = TASKS if table is not None else (claim.tasks,)
    options = [(tasks, _seeds_for(effect, scatter, tasks, alpha)) for tasks in choices]
    affordable = [(tasks, seeds) for tasks, seeds in options if seeds is not None and seeds <= MOST_SEEDS]
    if affordable:
        tasks, chosen = min(
            affordable, key=lambda each: (_hours(measured, claim, each[0], each[1], workers) or each[1], each)
        )
    else:
        tasks, chosen = choices[-1], MOST_SEEDS
    needed = dict(options)[tasks]
    return SamplePlan(
        check,
        effect,
        scatter,
        chosen,
        tasks,
        power(effect, scatter.error(chosen, tasks), chosen, alpha),
        needed,
        _hours(measured, claim, tasks, chosen, workers),
        None if needed is None else _hours(measured, claim, tasks, needed, workers),
    )


def _seeds_for(effect: float, scatter: Scatter, tasks: int, alpha: float) -> int | None:
    """The fewest seeds with which the power is 80 %, by bisection: more seeds never have less."""
    if not power(effect, scatter.error(MOST_LOOKED_AT, tasks), MOST_LOOKED_AT, alpha) >= POWER:
        return None
    below, enough = 1, MOST_LOOKED_AT
    while enough - below > 1:
        middle = (below + enough) // 2
        if power(effect, scatter.error(middle, tasks), middle, alpha) >= POWER:
            enough = middle
        else:
            below = middle
    return enough


def _hours(measured: Measured, claim: Claim, tasks: int, seeds: int, workers: int) -> float | None:
    """What so many seeds cost, by what the pilot's took; tests are as long as they have tasks."""
    spent = [_seconds(runs, tasks / claim.tasks) for runs in measured.values()]
    return None if None in spent else seeds * math.fsum(each for each in spent if each is not None) / 3600 / workers


def _seconds(runs: Sequence[Mapping[str, Any]], longer: float) -> float | None:
    if not all("seconds_trained" in run for run in runs):
        return None
    return math.fsum(run["seconds_trained"] + longer * run["seconds_tested"] for run in runs) / len(runs)
