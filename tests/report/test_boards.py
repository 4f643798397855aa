"""What may stand in one table, and the scale from the random player to the oracle."""

from __future__ import annotations

import math
from typing import Any

import pytest

from agentgym.core import card
from agentgym.report.boards import Entry, boards, mean_normalized
from agentgym.report.evaluated import read_evaluated
from tests.report.conftest import Make, episode


@pytest.fixture
def entry(make_run: Make) -> Any:
    """Makes the entry of a run of `won` successes in `of` tasks."""

    def make(name: str, won: int = 1, of: int = 2, model: str = "m", **settings: Any) -> Entry:
        episodes = [episode(str(n), n < won, agent_options={"model": model}) for n in range(of)]
        return Entry.of(read_evaluated(make_run(name, episodes, **settings), name), f"{name}.html")

    return make


def test_success_is_measured_between_the_random_player_and_the_oracle(entry: Any) -> None:
    scores = card("FrozenLake-v0").scores["test"]
    low, high = scores["random"].success, scores["oracle"].success
    found = entry("run", won=3, of=4)
    assert found.normalized.value == pytest.approx((0.75 - low) / (high - low))
    assert found.normalized.low == pytest.approx((found.summary.success.low - low) / (high - low))
    assert found.normalized.high == pytest.approx((found.summary.success.high - low) / (high - low))


def test_a_world_with_other_options_has_no_scale(entry: Any) -> None:
    assert entry("run", env_kwargs={"size": 9}).normalized is None
    assert entry("train", split="train").normalized is None
    assert entry("mine", env="mine:Mine/World-v0").normalized is None


def test_runs_of_other_tasks_stand_apart(entry: Any) -> None:
    entries = [
        entry("a", model="a"),
        entry("b", model="b"),
        entry("short", of=1, model="c"),
        entry("other", model="e", tasks="u"),
        entry("options", model="f", env_kwargs={"size": 9}),
        entry("unfinished", model="g", episodes=5),
        entry("again", model="a", seed=3),
        entry("val", model="a", split="val"),
    ]
    tables, apart = boards(entries)
    assert [(table.split, sorted(table.rows)) for table in tables] == [
        ("test", ["endpoint model=a", "endpoint model=b"]),
        ("val", ["endpoint model=a"]),
    ]
    assert tables[0].rows["endpoint model=a"]["FrozenLake-v0"].name == "a"
    assert apart == {
        "short": "1 tasks, the column has 2",
        "other": "other tasks than the column's",
        "options": "the world was made with other options than the column's",
        "unfinished": "not finished: 2 of 5 episodes are played",
        "again": "the same agent as a, played again",
    }


def test_the_panel_that_most_agents_played_is_the_column(entry: Any) -> None:
    entries = [entry("large", of=6, model="a"), *(entry(name, model=name) for name in "bc")]
    tables, apart = boards(entries)
    assert set(tables[0].rows) == {"endpoint model=b", "endpoint model=c"}
    assert apart == {"large": "6 tasks, the column has 2"}


def test_the_mean_is_for_agents_that_played_every_world(entry: Any) -> None:
    lake, maze = entry("lake"), entry("maze", env="agentgym:AgentGym/Maze-v0")
    mean = mean_normalized({"lake": lake, "maze": maze}, ["lake", "maze"])
    assert mean is not None
    assert mean.value == pytest.approx((lake.normalized.value + maze.normalized.value) / 2)
    halves = [(each.normalized.high - each.normalized.low) / 2 for each in (lake, maze)]
    assert mean.high - mean.value == pytest.approx(math.hypot(*halves) / 2)
    assert mean_normalized({"lake": lake}, ["lake", "maze"]) is None
