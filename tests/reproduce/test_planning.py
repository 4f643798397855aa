"""A pilot plans with its own figures, and says the price where a plan is out of reach."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.cli import run
from agentgym.core import ConfigError
from agentgym.reproduce import Arm, Check, Claim, judge, load_claim, pilot, planned

TASKS, TRIES = 64, 16


def measured(gap: float, *, spread: float = 0.02, seeds: int = 4) -> dict[str, list[dict[str, Any]]]:
    """Two arms whose chances in each task differ by `gap`, and by chance."""
    rng = np.random.default_rng(1)
    found: dict[str, list[dict[str, Any]]] = {}
    for arm, more in (("a", gap), ("b", 0.0)):
        found[arm] = []
        for _ in range(seeds):
            chances = np.clip(0.4 + more + spread * rng.standard_normal() + np.zeros(TASKS), 0, 1)
            wins = rng.binomial(TRIES, chances)
            told = {"pass_at_1": float(wins.mean()) / TRIES, "wins": wins.tolist(), "world_steps": 100.0 + 10 * more}
            found[arm].append({**told, "seconds_trained": 360.0, "seconds_tested": 36.0})
    return found


def claimed(*checks: Check) -> Claim:
    return Claim("c", "said", "somewhere", {name: Arm(name, {}) for name in ("a", "b")}, checks, TASKS, TRIES)


def test_a_plan_reaches_its_power_and_its_price_is_what_was_paid() -> None:
    (plan,) = planned(claimed(Check("pass_at_1", "a", "b")), measured(0.2), 2)
    assert plan.effect == pytest.approx(0.2, abs=0.05)
    assert plan.seeds <= 8
    assert plan.power >= 0.8
    assert plan.seeds_needed == plan.seeds
    each = 360 + 36 * plan.tasks / TASKS  # seconds of an arm and a seed
    assert plan.hours == pytest.approx(plan.seeds * 2 * each / 3600 / 2)


def test_a_smaller_margin_needs_more_and_what_is_out_of_reach_is_priced() -> None:
    rows = measured(0.01, spread=0.08)
    (some,) = planned(claimed(Check("pass_at_1", "a", "b", margin=0.1)), rows, 1)
    (many,) = planned(claimed(Check("pass_at_1", "a", "b", margin=0.02)), rows, 1)
    assert some.seeds < many.seeds_needed
    assert (many.seeds, many.tasks) == (48, 1000)
    assert many.power < 0.8
    assert many.hours_needed > many.hours
    (never,) = planned(claimed(Check("pass_at_1", "a", "b", margin=0.001)), rows, 1)
    assert (never.seeds_needed, never.hours_needed) == (None, None)


def test_checks_together_need_more_than_one_alone() -> None:
    rows = measured(0.05, spread=0.05)
    one = Check("pass_at_1", "a", "b", margin=0.1)
    (alone,) = planned(claimed(one), rows, 1)
    together = planned(claimed(one, Check("world_steps", "a", "b"), Check("pass_at_1", "b", "a", -0.04)), rows, 1)
    assert together[0].seeds_needed > alone.seeds_needed
    assert together[1].hours is not None


def test_a_difference_within_the_margin_is_none() -> None:
    same = measured(0.0, spread=0.01, seeds=8)
    for margin, verdict in ((0.15, "no difference"), (0.005, "undecided"), (None, "undecided")):
        (finding,), whole = judge(claimed(Check("pass_at_1", "a", "b", margin=margin)), same)
        assert (finding.verdict, whole) == (verdict, verdict)
    (finding,), _ = judge(claimed(Check("pass_at_1", "a", "b", margin=0.05)), measured(0.3, seeds=8))
    assert finding.verdict == "holds"
    assert finding.record()["check"]["margin"] == 0.05
    with pytest.raises(ConfigError, match=r"margin of a check must be above its `by`, -0\.05, got 0\.05"):
        Check("pass_at_1", "a", "b", by=-0.05, margin=0.05)


def test_several_checks_are_judged_together() -> None:
    """One of p = 0.03 holds by itself; of five such none does after the correction."""
    rows = {"a": [{"x": each} for each in (0.3, 0.1, 0.25, 0.15)], "b": [{"x": 0.0}] * 4}
    claim = Claim("c", "", "", claimed().arms, (Check("x", "a", "b"),), metrics={"x": "a figure"})
    (alone,), verdict = judge(claim, rows)
    assert 0.01 < alone.p < 0.05
    assert verdict == "holds"
    findings, together = judge(replace(claim, checks=claim.checks * 5), rows)
    assert {finding.verdict for finding in findings} == {"undecided"}
    assert together == "undecided"
    assert findings[0].p == pytest.approx(5 * alone.p)


def test_the_command_prints_the_plan(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    claim = replace(load_claim("gigpo_over_grpo"), name="gigpo_over_grpo")
    first, second = claim.arms
    rows = dict(zip((second, first), measured(0.2).values(), strict=True))
    monkeypatch.setattr("agentgym.reproduce.planning.measure_arms", lambda *given: rows)
    assert run(["reproduce", "gigpo_over_grpo", "--pilot", "--seeds", "4", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Planned for a power of 80 %" in out
    told = json.loads((tmp_path / "gigpo_over_grpo.pilot.json").read_text())
    assert told["plans"][0]["seeds"] <= 8
    assert pilot(claim, 4, tmp_path, workers=2)[0].seeds == told["plans"][0]["seeds"]
