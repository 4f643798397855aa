"""A claim is tried as it is written, judged by its numbers, and said to fail where it fails."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import AgentGymError
from agentgym.reproduce import Arm, Check, Claim, answers, claim_names, judge, load_claim, reproduce
from agentgym.train import read_recipe

SMALL = """
claim = "More demonstrations help."
source = "common sense"

[common]
"model.tiny" = { layers = 1, width = 32, heads = 2, vocabulary = 400 }
"clone.episodes" = 16
"clone.batch" = 8
"rollout.groups" = 2
"rollout.group_size" = 2
"update.updates" = 2
"update.learning_rate" = 1e-3
"callback" = []

[arms.plain]
recipe = "grpo"

[arms.live]
recipe = "grpo"
filter = ["drop_zero_variance"]

[[checks]]
metric = "dead_share_learned"
larger = "plain"
smaller = "live"
by = -0.5
"""


@pytest.mark.parametrize("name", claim_names())
def test_every_claim_that_ships_can_be_tried_and_cites_its_source(name: str) -> None:
    claim = load_claim(name)
    assert "arXiv:" in claim.source
    tables = [dict(arm.table) for arm in claim.arms.values()]
    if claim.metrics:
        for table in tables:
            module, _, function = table["function"].partition(":")
            taken = inspect.signature(getattr(importlib.import_module(module), function)).parameters
            assert {"seed", *table["options"]} <= set(taken)
        return
    for table in tables:
        read_recipe(table)
    assert len({json.dumps(table, sort_keys=True) for table in tables}) == len(tables)
    clones = {json.dumps([table["world"], table["model"], table["clone"]], sort_keys=True) for table in tables}
    worlds = {json.dumps(table["world"], sort_keys=True) for table in tables}
    assert len(clones) == len(worlds), "the arms of a seed must begin with the same clone in each world"


def test_scalinginter_s_caps_are_the_published_ones_and_the_other_arm_has_the_last_throughout() -> None:
    claim = load_claim("scalinginter")
    caps = {arm: each.table["rollout"]["horizon"] for arm, each in claim.arms.items()}
    for world, turns in (("craft", [10, 20, 30]), ("grid", [6, 13, 20])):
        stages = caps[f"{world} growing"]["steps"]
        assert [cap for _, cap in stages] == turns
        assert caps[f"{world} full"] == turns[-1]
        updates = claim.arms[f"{world} growing"].table["update"]["updates"]
        assert [begin for begin, _ in stages] == [0, updates // 3, 2 * updates // 3]
    ends = [check for check in claim.checks if check.metric == "pass_at_1"]
    assert {check.by for check in ends} == {-0.05}
    assert {check.larger for check in ends} == {check.smaller for check in claim.checks} - {x.smaller for x in ends}


def test_the_suite_tries_five_claims() -> None:
    wanted = {"gigpo_over_grpo", "growing_horizon", "dynamic_sampling", "branching", "pass_at_k"}
    assert wanted <= set(claim_names())


def judged(larger: list[float], smaller: list[float], by: float = 0.0) -> str:
    arms = {name: Arm(name, {}) for name in ("a", "b")}
    claim = Claim("c", "", "", arms, (Check("success", "a", "b", by),))
    measured = {"a": [{"success": value} for value in larger], "b": [{"success": value} for value in smaller]}
    (finding,), verdict = judge(claim, measured)
    assert finding.verdict == verdict
    return verdict


def test_verdicts_by_hand() -> None:
    """Differences 0.3, 0.2, 0.1: mean 0.2, deviation 0.1, half width 4.303 * 0.1 / sqrt(3) = 0.248."""
    assert judged([0.5, 0.5, 0.5], [0.2, 0.3, 0.4]) == "undecided"
    assert judged([0.5, 0.5, 0.5], [0.2, 0.3, 0.4], by=-0.05) == "holds"
    assert judged([0.5, 0.5, 0.5], [0.2, 0.21, 0.22]) == "holds"
    assert judged([0.2, 0.21, 0.22], [0.5, 0.5, 0.5]) == "does not hold"
    assert judged([0.5, 0.5, 0.5], [0.2, 0.3, 0.4], by=0.5) == "does not hold"


def test_two_seeds_that_agree_by_chance_decide_little() -> None:
    assert judged([0.3, 0.3], [0.2, 0.2]) == "undecided"
    assert judged([0.2, 0.2], [0.3, 0.3]) == "undecided"
    assert judged([0.3, 0.31], [0.2, 0.21]) == "undecided"
    assert judged([0.5, 0.5], [0.2, 0.2]) == "holds"


def test_a_claim_fails_if_one_check_fails() -> None:
    checks = (Check("success", "a", "b"), Check("world_steps", "a", "b"))
    claim = Claim("c", "", "", {name: Arm(name, {}) for name in ("a", "b")}, checks)
    rows = {"a": [{"success": 0.9, "world_steps": 1.0}] * 3, "b": [{"success": 0.1, "world_steps": 9.0}] * 3}
    findings, verdict = judge(claim, rows)
    assert [finding.verdict for finding in findings] == ["holds", "does not hold"]
    assert verdict == "does not hold"


def test_sides_of_several_arms_are_their_mean_and_questions_have_answers_of_their_own() -> None:
    """By seed 0.5 - 0.3 and 0.7 - 0.3 for size, 0.6 - 0.4 twice for shape."""
    arms = {name: Arm(name, {}) for name in ("lake size=4 round", "lake size=4 square", "lake size=8 round")}
    checks = (
        Check("success", "lake size=4 *", "lake size=8 round", question="Is large harder?"),
        Check("success", "lake size=4 round", "lake size=4 square", 0.9, "Is square far harder?"),
        Check("success", "*round", "*size=8*", question="Is large harder?"),
    )
    values = {"lake size=4 round": (0.6, 0.8), "lake size=4 square": (0.4, 0.6), "lake size=8 round": (0.3, 0.3)}
    measured = {name: [{"success": each} for each in row] for name, row in values.items()}
    findings, verdict = judge(Claim("c", "", "", arms, checks), measured)
    assert list(findings[0].larger) == pytest.approx([0.5, 0.7])
    assert list(findings[2].larger) == pytest.approx([0.45, 0.55])
    assert [finding.verdict for finding in findings] == ["undecided", "does not hold", "undecided"]
    assert answers(findings) == {"Is large harder?": "undecided", "Is square far harder?": "does not hold"}
    assert verdict == "does not hold"
    assert findings[1].record()["check"]["question"] == "Is square far harder?"
    (plain,), _ = judge(Claim("c", "", "", arms, (Check("success", *list(arms)[:2]),)), measured)
    assert "question" not in plain.record()["check"], "records of claims without questions stay as they are"


def test_one_table_spreads_into_arms(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(FUNCTIONS.replace("options = { by = 10 }", "over = { by = [10, 20] }").replace('"ten"', '"ten *"'))
    claim = load_claim(str(path))
    assert {name: arm.table["options"] for name, arm in claim.arms.items()} == {
        "ten by=10": {"by": 10}, "ten by=20": {"by": 20}, "one": {"by": 1},
    }  # fmt: skip
    measured = {name: [sized(seed=seed, **arm.table["options"]) for seed in (0, 1)] for name, arm in claim.arms.items()}
    (finding,), _ = judge(claim, measured)
    assert finding.difference.value == pytest.approx(14.0)
    spread = SMALL.replace("[arms.plain]", '[arms.plain]\nover = { "rollout.groups" = [2, 4] }')
    path.write_text(spread.replace('"plain"', '"pl*"'))
    groups = {name: arm.table["rollout"]["groups"] for name, arm in load_claim(str(path)).arms.items()}
    assert groups == {"plain rollout.groups=2": 2, "plain rollout.groups=4": 4, "live": 2}


@pytest.mark.full
def test_a_trial_trains_tests_and_is_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    done: list[tuple[str, int]] = []

    def note(arm: str, seed: int) -> None:
        done.append((arm, seed))

    record = reproduce(load_claim(str(path)), 2, tmp_path / "out", command="x", workers=2, progress=note)
    assert sorted(done) == [("live", 0), ("live", 1), ("plain", 0), ("plain", 1)]
    written: dict[str, Any] = json.loads((tmp_path / "out" / "small.json").read_text())
    assert written == json.loads(json.dumps(record))
    for key in ("claim", "source", "verdict", "world", "arms", "seeds", "findings", "interval", "command", "machine"):
        assert written[key]
    live = written["arms"]["live"]["by_seed"]
    for arm in written["arms"].values():
        for figures in arm["by_seed"]:  # one update of all is the first third
            assert 0 < figures["turns_early"] <= figures["world_steps"]
    assert [run["dead_share_learned"] for run in live] == [0.0, 0.0]
    assert all(0 <= run["success"] <= 1 and run["pass_at_1"] <= run["pass_at_16"] for run in live)
    assert [pair["arms"] for pair in written["support"]] in ([["plain", "live"]], [["live", "plain"]])
    svg = (tmp_path / "out" / "small.svg").read_text()
    assert svg.startswith("<svg xmlns")
    runs = {file: file.stat().st_mtime_ns for file in (tmp_path / "out" / "runs").rglob("*.json")}
    again = reproduce(load_claim(str(path)), 2, tmp_path / "out", command="x", workers=1)
    assert again == record
    assert {file: file.stat().st_mtime_ns for file in runs} == runs


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('recipe = "grpo"', 'recipe = "grpoo"'), "did you mean 'grpo'"),
        (('metric = "dead_share_learned"', 'metric = "dead"'), "metric of the claim"),
        (('larger = "plain"', 'larger = "plane"'), "did you mean 'plain'"),
        (('source = "common sense"', 'source = "x"\ntries = 12'), "power of two of tries, got 64 and 12"),
        (('source = "common sense"', 'source = "x"\ntries = "12"'), "tries of the claim .* must be a whole number"),
        (('metric = "dead_share_learned"', 'metric = "pass_at_32"'), "metric of the claim"),
        (("[common]", "[comon]"), "did you mean 'common'"),
        (('claim = "More', 'clam = "More'), "key of the claim"),
        (("by = -0.5", "buy = 1"), "is not valid"),
        (('recipe = "grpo"\nfilter', "filter"), "needs a recipe"),
        (('recipe = "grpo"\nfilter', 'recipe = "grpo"\nfunction = "a:b"\nfilter'), "and not both"),
        (("[common]", '[metrics]\nx = "y"\n[common]'), "metrics are for functions"),
    ],
)
def test_what_is_no_claim_is_refused(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    assert change[0] in SMALL
    path.write_text(SMALL.replace(*change))
    with pytest.raises(AgentGymError, match=complaint):
        load_claim(str(path))


def test_one_seed_is_no_comparison(tmp_path: Path) -> None:
    with pytest.raises(AgentGymError, match="2 to 48 seeds"):
        reproduce(load_claim("branching"), 1, tmp_path, command="x")


FUNCTIONS = """
claim = "Ten is more than one."
source = "arithmetic"

[metrics]
size = "how large"

[arms.ten]
function = "tests.reproduce.test_reproduce:sized"
options = { by = 10 }

[arms.one]
function = "tests.reproduce.test_reproduce:sized"
options = { by = 1 }

[[checks]]
metric = "size"
larger = "ten"
smaller = "one"
by = 5
"""


def sized(*, seed: int, by: int) -> dict[str, float]:
    return {"size": float(by + seed)}


@pytest.mark.full
def test_functions_measure_arms_once(tmp_path: Path) -> None:
    path = tmp_path / "sizes.toml"
    path.write_text(FUNCTIONS)
    record = reproduce(load_claim(str(path)), 2, tmp_path / "out", command="x", workers=1)
    assert record["verdict"] == "holds"
    assert record["arms"]["ten"]["by_seed"] == [{"size": 10.0}, {"size": 11.0}]
    assert record["metrics"] == {"size": "how large"}
    (finding,) = record["findings"]
    assert finding["difference"]["value"] == 9.0
    path.write_text(FUNCTIONS.replace("how large", "how very large"))
    assert reproduce(load_claim(str(path)), 2, tmp_path / "out", command="x", workers=1)["verdict"] == "holds"
    assert len([*(tmp_path / "out" / "runs").rglob("measured.json")]) == 4


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ((":sized", ":size"), "there is no function"),
        (('size = "how large"', 'size = "how large"\nweight = "x"'), "measured no 'weight'"),
        (('metric = "size"', 'metric = "sice"'), "did you mean 'size'"),
        (('[metrics]\nsize = "how large"', ""), "a function needs metrics"),
        (("options = { by = 10 }", "options = 3"), "and options, a table"),
        (("options = { by = 10 }", "options = 3\nover = { by = [1] }"), "and options, a table"),
        (("options = { by = 10 }", "over = { by = 10 }"), "over of arm 'ten' .* must be a table of lists"),
        (("options = { by = 10 }", "over = { by = [] }"), "over of arm 'ten' .* must be a table of lists"),
        (('larger = "ten"', 'larger = "tan*"'), "unknown arm of the claim"),
        (('size = "how large"', "size = 3"), "must be a table of texts"),
    ],
)
def test_what_is_no_claim_of_functions_is_refused(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "sizes.toml"
    assert change[0] in FUNCTIONS
    path.write_text(FUNCTIONS.replace(*change))
    with pytest.raises(AgentGymError, match=complaint):
        reproduce(load_claim(str(path)), 2, tmp_path / "out", command="x", workers=1)
