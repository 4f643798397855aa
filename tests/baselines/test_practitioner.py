"""The practitioner's study: what its arms are, what they cost, and that a small one ends with a verdict."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.baselines import practitioner
from agentgym.baselines.practitioner import (
    METHODS,
    TEXT_WORLD,
    clone_table,
    env_kwargs,
    hours,
    measure,
    training_table,
)
from agentgym.core import AgentGymError, ConfigError
from agentgym.reproduce import Arm, Claim, load_claim, playable, reproduce
from agentgym.train import read_recipe

CLAIMS = ("practitioner", "practitioner_household")
SMALL = "practitioner_small"  # of no budgets
HOUSE = "Household-v1"
LITTLE: dict[str, Any] = {
    "model": {"layers": 1, "width": 32, "heads": 2, "context": 1024, "vocabulary": 400, "epochs": 1},
    "demonstrations": 8,
    "episodes": 32,
    "tests": 8,
}
ARM: dict[str, Any] = {
    **LITTLE, "world": HOUSE, "rooms": 1, "objects": 5, "quest": 1, "shown": [[1, 5, 1]], "harder": [1, 5, 2]
}  # fmt: skip


def plans(name: str) -> dict[str, dict[str, Any]]:
    return {arm: dict(each.table["options"]) for arm, each in load_claim(name).arms.items()}


@pytest.mark.parametrize("name", [*CLAIMS, SMALL])
def test_every_arm_is_a_recipe_that_its_world_takes(name: str) -> None:
    for plan in plans(name).values():
        setting = (plan["rooms"], plan["objects"], plan["quest"])
        clone = read_recipe(clone_table(plan["world"], plan["shown"], plan["demonstrations"], plan["model"]))
        assert len(clone.plans) == len(plan["shown"])
        method, reward = plan.get("method", "ppo"), plan.get("reward", "sparse")
        table = training_table(plan["world"], setting, method, reward, 10)
        recipe = read_recipe(table)
        assert recipe.method.lower().startswith(method)
        assert recipe.world.env_kwargs["reward"] == reward
        assert plan["episodes"] % 32 == 0


def test_the_grid_is_whole_in_both_worlds_and_the_methods_meet_the_same_settings() -> None:
    whole = plans("practitioner")
    for world, size in ((TEXT_WORLD, 8), (HOUSE, 12)):
        mine = [plan for plan in whole.values() if plan["world"] == world and "method" in plan]
        for method in METHODS:
            for reward in ("sparse", "dense"):
                own = [plan for plan in mine if (plan["method"], plan["reward"]) == (method, reward)]
                assert len({(plan["rooms"], plan["objects"], plan["quest"]) for plan in own}) == len(own) == size
    assert env_kwargs(TEXT_WORLD, (2, 3, 4)) == {
        "games": "custom", "only_last_action": False, "rooms": 2, "objects": 3, "quest": 4, "reward": "sparse"
    }  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_the_arms_of_a_budget_cost_the_same(name: str) -> None:
    """A demonstration counts as ten episodes."""
    for world in ("text", "house"):
        mine = {arm: plan for arm, plan in plans(name).items() if arm.startswith(world)}
        shared = [plan for arm, plan in mine.items() if arm.endswith((" shown", " played"))]
        assert len(shared) == (3 if mine else 0)
        assert len({10 * plan["demonstrations"] + plan["episodes"] for plan in shared}) == bool(mine)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"world": "FrozenLake-v0"}, "unknown world of the practitioner's study"),
        ({"method": "pop"}, "unknown method of the practitioner's study 'pop'; did you mean 'ppo'"),
        ({"episodes": 40}, "a multiple of 32, one update, got 40"),
        ({"shown": [[1, 5, 1]] * 9}, "9 settings need a demonstration each, got 8"),
    ],
)
def test_what_is_no_arm_is_refused(change: dict[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practitioner, "_before", lambda *given: 0.0)
    monkeypatch.setattr(practitioner, "_cloned", lambda key: None)
    monkeypatch.setattr(practitioner, "_fresh", lambda clone: None)
    with pytest.raises(AgentGymError, match=complaint):
        measure(seed=0, **{**ARM, **change})


def test_hours_count_each_clone_and_each_test_of_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 s a demonstration, 10 s an episode, 100 s a test; tests of longer quests take twice as long.

    Two arms share a clone of 8 demonstrations and its 8 tests; each learns from 32 episodes and is tested 8 times in
    its setting and 8 times in the harder one; the third is another clone, without learning.
    """

    def costs(plan: dict[str, Any]) -> dict[str, float]:
        return {"demonstration": 1.0, "episode": 10.0, "test": 100.0 * plan["quest"]}

    monkeypatch.setattr(practitioner, "pilot", costs)
    arms = {
        name: Arm(name, {"function": "x", "options": {**ARM, **own}})
        for name, own in (("a", {}), ("b", {"method": "rloo"}), ("c", {"demonstrations": 16, "episodes": 0}))
    }
    found = hours(Claim("c", "", "", arms, (), metrics={"success": ""}), 2)
    shared = 8 + 8 * 100
    learned = 32 * 10 + 8 * 100 + 8 * 200
    alone = 16 + 8 * 100 + 8 * 200
    assert found["hours"] == {HOUSE: pytest.approx(2 * (shared + 2 * learned + alone) / 3600)}
    assert set(found["seconds"]) == {f"{HOUSE}, quest 1", f"{HOUSE}, quest 2"}


@pytest.mark.full
def test_an_arm_is_the_same_again_and_begins_where_the_clone_stands() -> None:
    first, again = (measure(seed=0, **ARM) for _ in range(2))
    assert {key: first[key] for key in first if key != "seconds"} == {
        key: again[key] for key in again if key != "seconds"
    }
    idle = measure(seed=0, **{**ARM, "episodes": 0})
    assert (idle["success"], idle["gain"]) == (idle["before"], 0.0)
    assert idle["before"] == first["before"], "learning leaves the clone as it was"
    assert first["gain"] == first["success"] - first["before"]


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("world", ["house", "text"])
def test_a_small_study_goes_from_demonstrations_to_an_answer_of_every_question(
    world: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if world == "text" and find_spec("textworld") is None:
        pytest.skip('textworld is not installed: run  pip install "agentgym-suite[worlds]"')
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    claim = playable(load_claim("practitioner"))
    small = {**LITTLE, **({"shown": [[2, 3, 4]], "harder": [2, 3, 4]} if world == "text" else {"shown": [[1, 10, 1]]})}
    wanted = [arm for arm in claim.arms if arm.startswith(world) and ("grid" not in arm or few(arm))]
    arms = {}
    for name in wanted:
        table = claim.arms[name].table
        options = {**table["options"], **small, "episodes": 32 * bool(table["options"]["episodes"])}
        arms[name] = Arm(name, {**table, "options": options})
    checks = tuple(check for check in claim.checks if check.larger.startswith(world))
    record = reproduce(replace(claim, arms=arms, checks=checks), 2, tmp_path / "out", command="x", workers=1)
    assert set(record["questions"]) == {check.question for check in checks}
    assert len(record["questions"]) == 9
    for arm in record["arms"].values():
        for run in arm["by_seed"]:
            assert 0 <= run["success"] <= 1
            assert 0 <= run["harder"] <= 1


def few(arm: str) -> bool:
    """Of a grid, PPO in each setting that is compared, and the methods and rewards in the smallest."""
    smallest = any(start in arm for start in ("rooms=2 objects=3 quest=4 ", "rooms=1 objects=10 quest=1 "))
    grown = (
        "rooms=8 objects=3 quest=4 ", "rooms=2 objects=12 quest=4 ", "rooms=2 objects=3 quest=8 ",
        "rooms=2 objects=10 quest=1 ", "rooms=1 objects=40 quest=1 ", "rooms=1 objects=10 quest=3 ",
    )  # fmt: skip
    return smallest or (arm.endswith("method=ppo reward=sparse") and any(each in arm for each in grown))


def test_the_study_says_in_one_line_what_is_missing() -> None:
    claim = playable(load_claim("practitioner"))
    if find_spec("textworld") is not None:
        assert not claim.absent
        return
    assert not [arm for arm in claim.arms if arm.startswith("text")]
    (line,) = claim.absent.values()
    assert "pip install" in line
    assert "\n" not in line
    assert not [check for check in claim.checks if check.larger.startswith("text")]


def test_a_claim_of_text_alone_cannot_be_tried_without_the_engine() -> None:
    if find_spec("textworld") is not None:
        pytest.skip("textworld is installed here")
    whole = load_claim("practitioner")
    arms = {name: arm for name, arm in whole.arms.items() if name.startswith("text")}
    checks = tuple(check for check in whole.checks if check.larger.startswith("text"))
    with pytest.raises(ConfigError, match="cannot be tried here"):
        playable(replace(whole, arms=arms, checks=checks))
