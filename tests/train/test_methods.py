"""Every recipe whole: it says what it is, runs, differs from every other, repeats its golden figures, and learns.

`python -m tests.train.test_methods [NAME ...]` writes golden figures anew, after a change that is meant to move them;
with names, those of these methods alone.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool
from agentgym.train import evaluate_policy, load_recipe, recipe_names
from tests.rollout.worlds import ID, SIZE
from tests.sampling import one_in
from tests.train.methods import METHODS, clumsy, small, trained

GOLDEN = Path(__file__).with_name("golden_methods.json")
NAMED = {
    "clone", "filtered_cloning", "agentevol", "trajectory_dpo", "reinforce", "reinforce_pp", "rloo", "loop", "grpo",
    "dr_grpo", "dapo", "lite_ppo", "gspo", "turn_ppo", "st_ppo", "s_ppo", "cispo", "ppo", "vl_dac", "poad", "gigpo",
    "scaling_inter", "craft_gui", "era", "arpo", "grpo_roc", "success_replay", "entropy_bonus", "epo", "spa", "istar",
    "igpo",
}  # fmt: skip
LEARNED = 0.85  # mean return; seeds differ by some hundredths
UPDATES = {"istar": 200, "reinforce": 200, "success_replay": 100, "trajectory_dpo": 90}  # others learn it in 50
QUICK = ("filtered_cloning",)  # and GRPO in test_trainer


def test_every_named_method_has_a_recipe_with_its_paper() -> None:
    assert set(recipe_names()) >= NAMED
    for name in NAMED:
        recipe = load_recipe(name)
        assert recipe.method
        assert "arXiv:" in recipe.paper or recipe.paper[-4:].isdigit() or "1988" in recipe.paper


@cache
def figures(name: str) -> list[list[float]]:
    """Loss, gradient norm and episodes kept of two updates, with steps large enough to leave every clip's range.

    In float64, for in float32 another processor rounds otherwise, and soon samples another token.
    """
    steps = {"update.steps": 1} if name in ("reinforce", "rloo") else {"update.epochs": 3}
    changes = {key.replace(".", "__"): value for key, value in steps.items()}
    updates = 2 + (name == "scaling_inter")
    recipe = small(name, update__updates=updates, update__learning_rate=3e-3, **changes)
    trainer = trained(recipe, torch.float64)
    return [[entry["loss"], entry["grad_norm"], entry["kept"]] for entry in trainer.history[-2:]]


@pytest.mark.parametrize("name", one_in(4, METHODS))
def test_figures_are_golden(name: str) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf8"))[name]
    for mine, its in zip(figures(name), golden, strict=True):
        assert mine == pytest.approx(its, rel=2e-4, abs=1e-6)


def test_no_two_methods_agree() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf8"))
    assert sorted(golden) == sorted(METHODS)
    seen = {name: tuple(round(number, 4) for entry in entries for number in entry) for name, entries in golden.items()}
    assert len(set(seen.values())) == len(seen)


def learned(name: str) -> float:
    """Mean return on the test panel after the updates; the clone begins at 0.51."""
    engine = trained(small(name, update__updates=UPDATES.get(name, 50), update__learning_rate=3e-3)).engine
    episodes = evaluate_policy(engine, EnvPool(ID, split="test"), range(SIZE), seed=5)
    return sum(episode.total_return for episode in episodes) / SIZE


def test_the_clone_is_clumsy() -> None:
    episodes = evaluate_policy(clumsy(), EnvPool(ID, split="test"), range(SIZE), seed=5)
    assert 0.4 < sum(episode.total_return for episode in episodes) / SIZE < 0.7


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in METHODS]
)
def test_every_method_learns_an_identity(name: str) -> None:
    assert learned(name) > LEARNED


@pytest.mark.parametrize(
    ("name", "changes", "complaint"),
    [
        ("ppo", {"learner": []}, "critic"),
        ("ppo", {"learner__0__level": "turn"}, "level"),
        ("ppo", {"learner__0__gamma": 0.5}, "gamma"),
        ("istar", {"learner": []}, "implicit"),
        ("istar", {"advantage": [{"name": "group_relative"}]}, "no effect"),
        ("grpo", {"rollout__group_size": 1}, "group_size"),
        ("gigpo", {"rollout__group_size": 1}, "group_size"),
        ("grpo_roc", {"filter__0__keep": 8}, "keeps 8 of 8"),
        ("success_replay", {"filter": [{"name": "drop_zero_variance"}]}, "dropped them"),
        ("trajectory_dpo", {"filter": []}, "pairs"),
        ("trajectory_dpo", {"update__loss_aggregation": "token"}, "mean over pairs"),
        ("filtered_cloning", {"filter": [{"name": "pairs"}]}, "dpo"),
        ("reinforce", {"replay": {"name": "success"}}, "no ratio"),
        ("grpo", {"replay": {"name": "archive"}}, "mixes rounds"),
        ("trajectory_dpo", {"replay": "success"}, "puts single episodes among them"),
        ("trajectory_dpo", {"replay": "archive"}, "puts single episodes among them"),
        ("trajectory_dpo", {"filter+": ["successes"]}, "Successes takes them apart"),
        ("trajectory_dpo", {"filter+": [{"name": "clean_resample", "keep": 2}]}, "CleanResample takes them apart"),
        ("grpo", {"advantage__0__baseline": "none"}, "scale"),
    ],
)
def test_compositions_that_contradict_themselves_are_refused(
    name: str, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        small(name, **changes)


if __name__ == "__main__":
    known = json.loads(GOLDEN.read_text(encoding="utf8"))
    anew = {name: figures(name) for name in sys.argv[1:] or METHODS}
    GOLDEN.write_text(json.dumps({name: (known | anew)[name] for name in METHODS}, indent=1) + "\n", encoding="utf8")
