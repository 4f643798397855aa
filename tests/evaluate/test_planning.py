"""What evaluations, matches and tournaments say to arguments of the wrong kind, before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.evaluate import Agent, evaluate, evaluate_player, evaluate_suite, load_suite, match, tournament

LAKE, KUHN = "FrozenLake-v0", "KuhnPoker-v0"
SEATS = {"player_0": "random", "player_1": "simple"}


class Mine:
    """Somebody's own agent, which cannot be named."""


@pytest.mark.parametrize("agent", [None, 3, Mine(), Agent("expert"), lambda text, actions, rng: "up"])
def test_an_agent_is_named(agent: Any, tmp_path: Path) -> None:
    message = f"an agent is named, such as 'expert', got {type(agent).__name__}; name one of your own as 'module:"
    with pytest.raises(ConfigError, match=message):
        evaluate(LAKE, agent, out=tmp_path / "x")
    with pytest.raises(ConfigError, match=message):
        evaluate_suite("smoke", agent, out=tmp_path / "y")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["episodes", "trials", "seed", "shots"])
@pytest.mark.parametrize("value", ["5", 1.5, True, -1])
def test_counts_of_an_evaluation(name: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be a whole number of at least .*, got {value!r}"):
        evaluate(LAKE, "expert", out=tmp_path / "x", **{name: value})
    assert not (tmp_path / "x").exists()


def test_numbers_of_numpy_make_the_same_run(tmp_path: Path) -> None:
    first = evaluate(LAKE, "expert", episodes=np.int64(2), seed=np.uint8(3), workers=0, out=tmp_path)
    again = evaluate(LAKE, "expert", episodes=2, seed=3, workers=0, out=tmp_path)
    assert [each.seed for each in first.episodes] == [each.seed for each in again.episodes]


@pytest.mark.parametrize("wrap", ["ReAct", {"name": "ReAct"}, 5])
def test_wrappers_are_a_list(wrap: Any) -> None:
    message = r"wrap is a list of wrappers such as \['ReAct'\], got "
    with pytest.raises(ConfigError, match=message):
        evaluate(LAKE, "random", wrap=wrap)
    with pytest.raises(ConfigError, match=message):
        match(KUHN, SEATS | {"player_0": Agent("random", wrap=wrap)})


@pytest.mark.parametrize("limit", ["step_timeout", "episode_timeout", "memory"])
def test_limits_are_numbers(limit: str) -> None:
    for value in ("5", True):
        with pytest.raises(ConfigError, match=f"{limit} must be above 0 .*, got {value!r}"):
            evaluate(LAKE, "random", **{limit: value})


@pytest.mark.parametrize(
    ("play", "message"),
    [
        (
            lambda: match(KUHN, ["random", "simple"]),
            "players must be a mapping such as",
        ),
        (lambda: match(KUHN, None), "players must be a mapping such as .*, got None"),
        (
            lambda: match(KUHN, SEATS | {"player_1": None}),
            "an agent is a name or an Agent, got NoneType; name one of your",
        ),
        (lambda: match(KUHN, SEATS, games="2"), "games must be a whole number of at least 1, got '2'"),
        (lambda: match(KUHN, SEATS, seed=-1), "seed must be a whole number of at least 0, got -1"),
        (lambda: evaluate_player(KUHN, Mine()), "an agent is a name or an Agent, got Mine"),
        (lambda: tournament(KUHN, "random"), r"agents are a list such as .*, got 'random'"),
        (lambda: tournament(KUHN, ["random", None]), "an agent is a name or an Agent, got NoneType"),
        (
            lambda: tournament(KUHN, ["random", "simple"], deals=2.5),
            "deals must be a whole number of at least 1, got 2.5",
        ),
    ],
)
def test_players_and_counts_of_games(play: Callable[[], Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        play()


def test_a_suite_is_named_by_a_path_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'[[worlds]]\nid = "{LAKE}"\n')
    assert load_suite(file) == load_suite(str(file))
