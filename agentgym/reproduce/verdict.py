"""From the metrics of all arms and seeds to findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from agentgym.evaluate import Estimate
from agentgym.reproduce.claim import Check, Claim, matched
from agentgym.reproduce.metrics import by_task
from agentgym.reproduce.statistics import ALPHA, Floats, Paired, holm, paired

Verdict = Literal["holds", "does not hold", "no difference", "undecided"]
Measured = Mapping[str, Sequence[Mapping[str, Any]]]
"""`measured[arm][seed][metric]`."""


@dataclass(frozen=True)
class Finding:
    """What came of a check.

    Attributes:
        check: What was compared.
        larger, smaller: The metric of each side by seed.
        difference: Mean paired difference with its 95 % interval, see `agentgym.reproduce.statistics.paired`.
        p: Of the two-sided test that the difference is what was asked, after Holm's correction for all checks of the
            claim.
        verdict: `no difference` if the check has a margin and the whole interval lies within it; else `holds` if the
            difference lies above what was asked and `p` below 0.05, `does not hold` if below so, else `undecided`.
    """

    check: Check
    larger: Sequence[float]
    smaller: Sequence[float]
    difference: Estimate
    p: float
    verdict: Verdict

    def record(self) -> dict[str, Any]:
        """JSON-safe; a check without a question or a margin has none."""
        told = asdict(self)
        for key in ("question", "margin"):
            if not told["check"][key]:
                del told["check"][key]
        return told


def judge(claim: Claim, measured: Measured) -> tuple[list[Finding], Verdict]:
    """Every check's finding, and the claim's: it holds if all do, and does not if one does not.

    Args:
        claim: What is claimed.
        measured: By arm, the metrics of each seed, in the same order of seeds.
    """
    sides = [
        [side_by_seed(claim, measured, side, check.metric) for side in (check.larger, check.smaller)]
        for check in claim.checks
    ]
    compared = [
        difference(claim, measured, check, larger, smaller)
        for check, (larger, smaller) in zip(claim.checks, sides, strict=True)
    ]
    adjusted = holm([found.p_value(check.by) for check, found in zip(claim.checks, compared, strict=True)])
    findings = [
        Finding(check, larger, smaller, found.estimate, p, _verdict(check, found.estimate, p))
        for check, (larger, smaller), found, p in zip(claim.checks, sides, compared, adjusted, strict=True)
    ]
    return findings, _together(findings)


def difference(
    claim: Claim, measured: Measured, check: Check, larger: Sequence[float], smaller: Sequence[float]
) -> Paired:
    """The paired difference that a check asks about.

    Args:
        claim: Whose check it is.
        measured: By arm, the metrics of each seed.
        check: What is compared.
        larger, smaller: The metric of each side by seed.
    """
    return paired([a - b for a, b in zip(larger, smaller, strict=True)], task_differences(claim, measured, check))


def task_differences(claim: Claim, measured: Measured, check: Check) -> Floats | None:
    """The difference of a check by seed and task, NaN where a side has none; None where it is not of tasks.

    Args:
        claim: Whose check it is.
        measured: By arm, the metrics of each seed.
        check: What is compared.
    """
    tables = [_task_table(claim, measured, side, check.metric) for side in (check.larger, check.smaller)]
    if tables[0] is None or tables[1] is None or tables[0].shape != tables[1].shape:
        return None
    return tables[0] - tables[1]


def _task_table(claim: Claim, measured: Measured, side: str, metric: str) -> Floats | None:
    tables = []
    for arm in matched(claim.arms, side):
        rows = [by_task(metric, run, claim.tries) for run in measured[arm]]
        if None in rows or len({len(row) for row in rows if row is not None}) != 1:
            return None
        tables.append(np.array(rows, dtype=float))
    if len({table.shape for table in tables}) != 1:
        return None  # arms in worlds with panels of different length
    mean: Floats = np.mean(tables, axis=0)
    return mean


def _verdict(check: Check, found: Estimate, p: float) -> Verdict:
    if check.margin is not None and -check.margin < found.low and found.high < check.margin:
        return "no difference"
    if p >= ALPHA:
        return "undecided"
    return "holds" if found.value > check.by else "does not hold"


def answers(findings: Sequence[Finding]) -> dict[str, Verdict]:
    """By question, what its checks say together.

    Args:
        findings: Of all checks.
    """
    questions = dict.fromkeys(finding.check.question for finding in findings if finding.check.question)
    return {
        question: _together([finding for finding in findings if finding.check.question == question])
        for question in questions
    }


def _together(findings: Sequence[Finding]) -> Verdict:
    verdicts = {finding.verdict for finding in findings}
    if verdicts == {"holds"}:
        return "holds"
    decided: Sequence[Verdict] = ("does not hold", "no difference")
    return next((verdict for verdict in decided if verdict in verdicts), "undecided")


def side_by_seed(claim: Claim, measured: Measured, side: str, metric: str) -> list[float]:
    """The metric of a side of a check, seed by seed: of an arm, or the mean of several.

    Args:
        claim: Whose check it is.
        measured: By arm, the metrics of each seed.
        side: A name, or a pattern with `*`.
        metric: Its name.
    """
    rows = [[run[metric] for run in measured[arm]] for arm in matched(claim.arms, side)]
    if len(rows) == 1:
        return rows[0]
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
