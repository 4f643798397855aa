"""The published records say what their own numbers say, of the claims as they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym.reproduce import judge, load_claim
from agentgym.train import read_recipe

RESULTS = Path(__file__).parents[2] / "baselines" / "results"


@pytest.mark.parametrize("name", sorted(path.stem for path in RESULTS.glob("*.json")))
def test_a_record_agrees_with_its_claim_and_its_numbers(name: str) -> None:
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf8"))
    claim = load_claim(name)
    assert (record["claim"], record["source"]) == (claim.claim, claim.source)
    assert len(record["seeds"]) >= 5
    read = dict if claim.metrics else read_recipe  # arms of functions, or of recipes
    assert {arm: read(entry["recipe"]) for arm, entry in record["arms"].items()} == {
        arm: read(entry.table) for arm, entry in claim.arms.items()
    }
    findings, verdict = judge(claim, {arm: entry["by_seed"] for arm, entry in record["arms"].items()})
    assert record["verdict"] == verdict
    assert record["findings"] == json.loads(json.dumps([finding.record() for finding in findings]))
    if not claim.metrics:  # functions leave no curves
        assert (RESULTS / f"{name}.svg").read_text(encoding="utf8").startswith("<svg xmlns")
