"""From the metrics of all arms and seeds to findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agentgym.evaluate import Estimate
from agentgym.report import mean_over_seeds
from agentgym.reproduce.claim import Check, Claim, matched

Verdict = Literal["holds", "does not hold", "undecided"]
Measured = Mapping[str, Sequence[Mapping[str, float]]]
"""`measured[arm][seed][metric]`."""


@dataclass(frozen=True)
class Finding:
    """What came of a check.

    Attributes:
        check: What was compared.
        larger, smaller: The metric of each side by seed.
        difference: Mean paired difference with its 95 % interval of Student's t over seeds.
        verdict: `holds` if the whole interval lies above what was asked, `does not hold` if it lies below.
    """

    check: Check
    larger: Sequence[float]
    smaller: Sequence[float]
    difference: Estimate
    verdict: Verdict

    def record(self) -> dict[str, Any]:
        """JSON-safe; a check without a question has none."""
        told = asdict(self)
        if not self.check.question:
            del told["check"]["question"]
        return told


def judge(claim: Claim, measured: Measured) -> tuple[list[Finding], Verdict]:
    """Every check's finding, and the claim's: it holds if all do, and does not if one does not.

    Args:
        claim: What is claimed.
        measured: By arm, the metrics of each seed, in the same order of seeds.
    """
    findings = []
    for check in claim.checks:
        larger, smaller = (_by_seed(claim, measured, side, check.metric) for side in (check.larger, check.smaller))
        difference = mean_over_seeds([a - b for a, b in zip(larger, smaller, strict=True)])
        verdict: Verdict = "undecided"
        if difference.low > check.by:
            verdict = "holds"
        elif difference.high < check.by:
            verdict = "does not hold"
        findings.append(Finding(check, larger, smaller, difference, verdict))
    return findings, _together(findings)


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
    whole: Verdict = "does not hold" if "does not hold" in verdicts else "undecided"
    return "holds" if verdicts == {"holds"} else whole


def _by_seed(claim: Claim, measured: Measured, side: str, metric: str) -> list[float]:
    """The metric of a side of a check, seed by seed: of an arm, or the mean of several."""
    rows = [[run[metric] for run in measured[arm]] for arm in matched(claim.arms, side)]
    if len(rows) == 1:
        return rows[0]
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
