"""The examples of other libraries: each runs, and MaskablePPO learns what its curves say."""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.wrappers.numeric import ReadableActions, SlotActions

pytest.importorskip("stable_baselines3", reason="the extra sb3 is not installed")
torch = pytest.importorskip("torch")

from agentgym.baselines.bridges import cleanrl_ppo  # noqa: E402
from agentgym.baselines.bridges.sb3 import maskable_ppo, measure, worlds  # noqa: E402
from agentgym.baselines.bridges.sb3.slot_policy import SlotPolicy  # noqa: E402

RESULTS = Path(maskable_ppo.__file__).parents[2] / "results" / "maskable_ppo"
BOUND = 0.8  # share of the oracle's return
REACHED = ("lake", "craft", "shop", "tic-tac-toe")  # one world of every family


@pytest.mark.parametrize("name", ["ppo", "a2c", "dqn", "recurrent_ppo"])
def test_examples_of_stable_baselines_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = importlib.import_module(f"agentgym.baselines.bridges.sb3.{name}")
    assert example.main(["--steps", "600", "--tasks", "5"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "on 5 unseen maps" in said
    assert "the oracle gets" in said


def test_the_single_file_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanrl_ppo, "TURNS", 16)
    monkeypatch.setattr(cleanrl_ppo, "EPOCHS", 1)
    assert cleanrl_ppo.main(["--steps", "512"]) == 0
    assert "after 512 steps" in " ".join(capsys.readouterr().out.split())


def test_advantages_are_those_worked_out_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanrl_ppo, "TURNS", 3)
    monkeypatch.setattr(cleanrl_ppo, "ENVS", 1)
    store = {
        "reward": torch.tensor([[0.0], [1.0], [0.0]]),
        "value": torch.tensor([[0.5], [0.4], [0.2]]),
        "ended": torch.tensor([[0.0], [1.0], [0.0]]),
    }
    gamma, lam = cleanrl_ppo.GAMMA, cleanrl_ppo.LAMBDA
    last, middle = gamma * 0.3 - 0.2, 1.0 - 0.4  # nothing flows over an episode's end
    first = gamma * 0.4 - 0.5 + gamma * lam * middle
    found = cleanrl_ppo.advantages(store, torch.tensor([0.3]))
    torch.testing.assert_close(found, torch.tensor([[first], [middle], [last]]))


@pytest.mark.parametrize("world", sorted(worlds.EXERCISES))
def test_every_exercise_can_be_played_by_oracle_and_model(world: str) -> None:
    exercise = worlds.EXERCISES[world]
    env = exercise.testing()
    best = np.mean(measure.oracle_returns(env, 5))
    assert best >= np.mean(measure.random_returns(env, 5))
    env = exercise.training()
    _, info = env.reset(seed=1)
    assert (info["split"] == exercise.tested_on) == exercise.panel
    assert env.get_wrapper_attr("action_masks")().any()


@pytest.mark.full
def test_maskable_ppo_writes_its_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert maskable_ppo.main(["--world", "craft", "--steps", "1024", "--out", str(tmp_path)]) == 0
    record = json.loads((tmp_path / "craft.json").read_text(encoding="utf8"))
    assert record["columns"] == ["steps", "processor_seconds", "mean_return"]
    assert record["points"][0][0] == 0
    assert record["points"][-1][0] >= 1024
    assert record["oracle"] == 1.0
    drawn = (tmp_path / "craft.svg").read_text(encoding="utf8")
    assert drawn.startswith("<svg ")
    assert "MaskablePPO" in drawn
    assert "of the oracle's" in capsys.readouterr().out


def test_scores_belong_to_what_an_action_says_not_to_its_place() -> None:
    env = ReadableActions(SlotActions(agentgym.make("TextCraft-v1"), slots=20, overflow="cut"), dim=32, context=(2, 2))
    policy = SlotPolicy(env.observation_space, env.action_space, lambda _: 1e-3)
    shown, _ = env.reset(seed=0)
    order = np.random.default_rng(0).permutation(21)
    moved = dict(shown)
    for key in ("actions", "contexts"):
        moved[key] = shown[key].reshape(21, 32)[order].ravel()
    for key in ("tried", "mask"):
        moved[key] = shown[key][order]
    scores = [_scores(policy, each) for each in (shown, moved)]
    np.testing.assert_allclose(scores[1], scores[0][order], atol=1e-5)
    assert len(np.unique(scores[0][shown["mask"] > 0].round(6))) > 1


def _scores(policy: Any, shown: dict[str, Any]) -> Any:
    tensors, _ = policy.obs_to_tensor(shown)
    with torch.no_grad():
        return policy.get_distribution(tensors).distribution.logits[0].numpy()


@pytest.mark.parametrize("world", REACHED)
def test_published_curves_reach_the_bound(world: str) -> None:
    record = json.loads((RESULTS / f"{world}.json").read_text(encoding="utf8"))
    assert record["share_of_oracle"] >= BOUND
    assert record["points"][-1][1] <= maskable_ppo.SECONDS + 15  # the last rollout is finished and learnt from
    assert record["random"] < record["points"][-1][2]


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("world", REACHED)
def test_maskable_ppo_reaches_four_fifths_of_the_oracle_within_two_minutes(world: str) -> None:
    exercise = worlds.EXERCISES[world]
    began = time.process_time()
    trained = maskable_ppo.train(exercise, exercise.steps, seed=1)
    assert trained.points[0][2] < trained.points[-1][2]
    assert trained.share >= BOUND
    assert (
        time.process_time() - began < 10 * maskable_ppo.SECONDS
    )  # training is held to its limit, evaluation comes on top
