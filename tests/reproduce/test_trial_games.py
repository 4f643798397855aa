"""Arms that play games: tested from every place against a scripted opponent, and small games walked through."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from agentgym.baselines.self_play import exploitability
from agentgym.core import AgentGymError, ConfigError
from agentgym.reproduce import load_claim, reproduce
from agentgym.reproduce.trial import TEST_SEED, FinalTest, _clone, _clone_of, _digest, _measure
from agentgym.rollout import EnvPool
from agentgym.train import evaluate_policy, run_recipe

GAME = """
claim = "More demonstrations help."
source = "common sense"
tasks = 5
tries = 2
opponent = "{opponent}"

[common]
"clone.epochs" = 1
"rollout.groups" = 6
"rollout.group_size" = 2
"update.updates" = 1
"update.ref_sync_every" = 0
"update.learning_rate" = 1e-3
"callback" = []

[arms.few]
recipe = "kuhn_self_play"
"clone.episodes" = 32

[arms.many]
recipe = "kuhn_self_play"
"clone.episodes" = 64

[[checks]]
metric = "exploitability"
larger = "few"
smaller = "many"

[[checks]]
metric = "return"
larger = "many"
smaller = "few"
"""


def claim_of(folder: Path, opponent: str) -> Any:
    file = folder / "more.toml"
    file.write_text(GAME.format(opponent=opponent))
    return load_claim(str(file))


@pytest.mark.full
def test_a_game_is_tried_from_every_place_and_walked_through(tmp_path: Path) -> None:
    record = reproduce(claim_of(tmp_path, "simple"), 2, tmp_path / "out", command="a test", workers=1)
    assert record["test"] == {"split": "test", "tasks": 5, "tries": 2, "seed": TEST_SEED, "opponent": "simple"}
    assert {finding["check"]["metric"] for finding in record["findings"]} == {"exploitability", "return"}
    runs = tmp_path / "out" / "runs"
    for arm in record["arms"].values():
        for seed, figures in enumerate(arm["by_seed"]):
            assert figures["played"] == [2 * 2] * 5, "twice as either player"
            table = {**arm["recipe"], "seed": seed}
            trained = run_recipe(table, runs / _digest(table), begin=_clone_of(table, runs) / "cloned")
            assert figures["exploitability"] == pytest.approx(exploitability(trained.engine, trained.recipe))
            world = EnvPool("KuhnPoker-v0", split="test")
            tasks = [task for task in range(5) for _ in range(2)]
            played = evaluate_policy(trained.engine, world, tasks, seed=TEST_SEED, opponent="simple")
            firsts = [episode.total_return for episode in played if episode.group % 2 == 0]
            assert figures["return"] == pytest.approx(math.fsum(firsts) / 10)


@pytest.mark.full
def test_another_opponent_is_another_test(tmp_path: Path) -> None:
    table = {**claim_of(tmp_path, "").arms["few"].table, "seed": 0}
    _clone(table, tmp_path)
    _measure(table, tmp_path, FinalTest(5, 2, "", ("exploitability",)))
    _measure(table, tmp_path, FinalTest(5, 2, "random", ("exploitability",)))
    kept = [json.loads(file.read_text()) for file in sorted(tmp_path.glob("*/measured*"))]
    assert len(kept) == 2
    assert kept[0]["exploitability"] == kept[1]["exploitability"]
    assert kept[0]["return"] != kept[1]["return"]


def test_what_cannot_be_walked_through_has_no_exploitability(tmp_path: Path) -> None:
    text = GAME.format(opponent="").replace("kuhn_self_play", "grpo").replace('metric = "return"', 'metric = "turns"')
    (tmp_path / "lake.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"^arm 'few' of the claim lake: exploitability needs a game of two players"):
        reproduce(load_claim(str(tmp_path / "lake.toml")), 2, tmp_path / "out", command="a test")


@pytest.mark.full
def test_a_game_is_walked_through_only_where_a_check_asks(tmp_path: Path) -> None:
    table = {**claim_of(tmp_path, "").arms["few"].table, "seed": 0}
    _clone(table, tmp_path)
    assert "exploitability" not in _measure(table, tmp_path, FinalTest(2, 1))


@pytest.mark.parametrize(
    ("opponent", "said"),
    [
        ('"grandmaster"', r"opponent of the claim more for arm 'few'.*grandmaster.*simple"),
        ('"../../elsewhere"', "opponent of the claim more for arm 'few'"),
        ("5", "opponent of the claim more must be a text, got 5"),
    ],
)
def test_an_opponent_that_there_is_not_is_refused_before_anything_runs(
    tmp_path: Path, opponent: str, said: str
) -> None:
    (tmp_path / "more.toml").write_text(GAME.replace('"{opponent}"', opponent))
    with pytest.raises(AgentGymError, match=said):
        reproduce(load_claim(str(tmp_path / "more.toml")), 2, tmp_path / "out", command="a test")
    assert not list((tmp_path / "out").glob("runs/*"))


def test_an_opponent_of_arms_without_a_game_is_refused(tmp_path: Path) -> None:
    text = GAME.format(opponent="simple").replace("kuhn_self_play", "grpo").replace("exploitability", "turns")
    (tmp_path / "lake.toml").write_text(text)
    with pytest.raises(
        ConfigError, match=r"opponent of the claim lake has no effect: AgentGym/FrozenLake-v0 of arm 'few' has none"
    ):
        reproduce(load_claim(str(tmp_path / "lake.toml")), 2, tmp_path / "out", command="a test")
