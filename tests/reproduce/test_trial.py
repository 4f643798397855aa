"""What the world does wrong in a test episode is neither a loss of the policy nor the end of a reproduction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest

from agentgym.agents import ActionPolicy, View
from agentgym.cli import run
from agentgym.core import Call, DataError, Outcome
from agentgym.core.catalog import _CARDS, register
from agentgym.reproduce import Check, load_claim, trial
from agentgym.reproduce.metrics import TRAINED
from agentgym.reproduce.trial import FinalTest
from agentgym.rollout import EnvPool, Episode, Workers, collect
from agentgym.rollout.evaluation import evaluation_specs
from agentgym.train.config import RolloutConfig, WorldConfig
from agentgym.train.mixture import plans
from tests.evaluate.worlds import CARD, NAME, Dice

TRIES = 4


class Roller(ActionPolicy):
    """Rolls until the number comes up."""

    def act(self, view: View, rng: Any) -> str:
        return "roll"


def play(engine: Any, world: EnvPool, tasks: Sequence[int], *, seed: int, **given: Any) -> list[Episode]:
    return collect(world, engine, evaluation_specs(world, tasks, seed), max_concurrent=3)


@pytest.fixture(autouse=True)
def without_a_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The world is registered, and the policy scripted, so that who wins is a matter of the world alone."""
    monkeypatch.setattr("agentgym.train.evaluation.evaluate_policy", play)
    register(CARD)
    yield
    del _CARDS[CARD.id]
    del gym.registry[CARD.id]


def trained(workers: Workers | None = None, **env_kwargs: Any) -> Any:
    rollout = RolloutConfig(workers=workers)
    (plan,) = plans(WorldConfig(NAME, env_kwargs=env_kwargs), rollout, {}, ())
    return SimpleNamespace(
        engine=Roller(), recipe=SimpleNamespace(plans=[plan], rollout=rollout), text="",
        policies=SimpleNamespace(assign_policies=lambda players, text: {}),
        distributed=SimpleNamespace(generating=nullcontext),
    )  # fmt: skip


def without(wins: list[Any], task: int) -> list[Any]:
    return wins[:task] + wins[task + 1 :]


def test_episodes_in_which_the_world_failed_are_left_out_and_counted() -> None:
    whole = trial._tested(trained(), FinalTest(6, TRIES))
    assert whole["left_out"] == 0
    assert whole["pass_at_1"] == pytest.approx(sum(whole["wins"]) / (6 * TRIES))
    found = trial._tested(trained(stillborn="d2"), FinalTest(6, TRIES))
    assert found["left_out"] == TRIES
    assert found["wins"] == [*whole["wins"][:2], None, *whole["wins"][3:]]
    assert found["pass_at_1"] == pytest.approx(sum(without(whole["wins"], 2)) / (5 * TRIES))


@pytest.mark.parametrize("workers", [None, Workers(1, 60.0)])
def test_an_exception_of_the_world_ends_its_episode_alone(
    monkeypatch: pytest.MonkeyPatch, workers: Workers | None
) -> None:
    whole, step = trial._tested(trained(), FinalTest(3, TRIES)), Dice._step

    def raise_once(self: Dice, call: Call) -> Outcome:
        if self.task.id == "d1" and self.np_random.bit_generator.state["state"]["state"] % 2:
            raise ZeroDivisionError("a bug")
        return step(self, call)

    monkeypatch.setattr(Dice, "_step", raise_once)
    found = trial._tested(trained(workers), FinalTest(3, TRIES))
    assert without(found["wins"], 1) == without(whole["wins"], 1), "what failed moves no other episode to its place"
    if workers is None:
        assert 0 < found["left_out"] <= TRIES
        assert 0 <= found["success"] <= 1


def test_where_everything_is_left_out_there_is_no_verdict() -> None:
    with pytest.raises(DataError, match=r"4 of 4 test episodes are left out, because .*the box is empty") as refused:
        trial._tested(trained(stillborn="d0"), FinalTest(1, TRIES))
    assert "\n" not in str(refused.value)


def test_the_share_left_out_stands_beside_each_figure_by_arm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of one arm the world failed in 3 of 12 episodes; the other's are all there."""
    claim = load_claim("branching")
    few = replace(claim, checks=(Check("success", *claim.arms), Check("world_steps", *claim.arms)), tries=2)

    def measured(*given: object) -> dict[str, list[dict[str, Any]]]:
        figures = {"success": 0.5, "pass_at_1": 0.5, "pass_at_2": 0.5, "world_steps": 7.0, "wins": [1, 1, None]}
        lost = [(0, 0), (1, 2)]  # by arm and seed
        return {
            arm: [{**figures, "left_out": left, "played": [6 - left]} for left in own]
            for arm, own in zip(few.arms, lost, strict=True)
        }

    monkeypatch.setattr(trial, "measure_arms", measured)
    monkeypatch.setattr("agentgym.reproduce.load_claim", lambda name: few)
    assert run(["reproduce", "branching", "--seeds", "2", "--out", str(tmp_path)]) == 0
    first, second = few.arms
    record = json.loads((tmp_path / f"{few.name}.json").read_text())
    assert (record["arms"][first]["left_out"], record["arms"][second]["left_out"]) == (0.0, 0.25)
    out = capsys.readouterr().out
    assert out.count("25.0 %") == 1 + 2, "beside its success and both of its pass@k, not beside steps of training"
    assert f"3 of {second}" in " ".join(out.split())


def test_what_branches_take_over_is_a_share_of_all_turns() -> None:
    """Two rounds of 4 episodes of 3 turns on average; in the second, branches took over 4 of the 12."""
    rounds = [
        {
            "world_steps": steps,
            "inherited_turns": taken,
            "turns": 3.0,
            "episodes": 4,
            "groups_learned": 2,
            "dead_groups_learned": 1,
        }
        for steps, taken in ((13, 0), (8, 4))
    ]
    found = {name: metric.measure(rounds) for name, metric in TRAINED.items()}
    assert found["world_steps"] == 21, "one of an episode that failed"
    assert found["shared_steps"] == pytest.approx(4 / 24)
    assert found["dead_share_learned"] == 0.5
    assert TRAINED["shared_steps"].measure([]) == 0.0
