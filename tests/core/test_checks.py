"""What the core says to arguments of the wrong kind: one line, whoever is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, SnapshotError, TaskError, drive
from agentgym.core.checks import check_count, check_share, check_switch, check_whole
from tests.core.worlds import Count


@pytest.mark.parametrize("turns", [0, -1, 2.5, "5", True, float("nan")])
def test_a_turn_limit_that_is_no_count_is_refused(turns: Any) -> None:
    with pytest.raises(ConfigError, match=r"max_turns must be a whole number of at least 1, got "):
        Count(max_turns=turns)


def test_numbers_of_numpy_are_kept_as_those_of_python() -> None:
    """A sweep such as `for size in np.arange(3, 6)` makes the environments that plain numbers make."""
    checked = (
        check_count("n", np.uint8(2)), check_whole("n", np.int64(2), 1, 3), check_share("n", np.float32(0.5), 0, 1),
        check_switch("n", np.True_),
    )  # fmt: skip
    assert checked == (2, 2, 0.5, True)
    assert [type(each) for each in checked] == [int, int, float, bool]
    lake = agentgym.make("FrozenLake-v0", size=np.int64(3), slippery=np.False_, max_turns=np.int32(4))
    assert lake.unwrapped.config == agentgym.make("FrozenLake-v0", size=3, slippery=False).unwrapped.config
    assert type(lake.unwrapped.max_turns) is int


@pytest.mark.parametrize("options", ["task", ["task"], 5, b"task", {"task"}])
@pytest.mark.parametrize("name", ["FrozenLake-v0", "TicTacToe-v0", "ColorGrid-v0"])
def test_reset_options_that_are_no_mapping_are_refused(name: str, options: Any) -> None:
    env = agentgym.make(name).unwrapped
    with pytest.raises(
        ConfigError, match=rf"{name}: reset options are a mapping such as .*got {type(options).__name__}"
    ):
        env.reset(seed=0, options=options)


@pytest.mark.parametrize("action", [None, 3, b"add 1", ["add 1"]])
def test_what_is_no_string_is_no_action(action: Any) -> None:
    env = Count()
    env.reset(seed=0)
    message = f"an action is a string, got {type(action).__name__}"
    for ask in (env.parse, env.step):
        with pytest.raises(TypeError, match=message):
            ask(action)


def test_actions_of_a_simultaneous_game_are_a_mapping() -> None:
    game = agentgym.make("ColorGrid-v0")
    game.reset(seed=0)
    for actions in (None, ["up", "up"], "up"):
        with pytest.raises(TypeError, match="actions are a mapping from player to string, got"):
            game.step(actions)
    with pytest.raises(TypeError, match="an action is a string, got int from player_0"):
        game.step({"player_0": 3})


@pytest.mark.parametrize("split", ["train", "val"])
def test_a_task_is_indexed_by_a_number(split: str) -> None:
    tasks: Any = agentgym.make("FrozenLake-v0").unwrapped.tasks(split)
    for index in ("0", 1.0, slice(2), None):
        with pytest.raises(TypeError, match=f"the index of a task is a whole number; .*, got {type(index).__name__}"):
            tasks[index]
    assert tasks[np.int64(1)] == tasks[1]
    with pytest.raises(TaskError, match=r"no task|is indexed from 0"):
        tasks[2**40]


def test_only_snapshots_are_restored() -> None:
    env = agentgym.make("FrozenLake-v0")
    env.reset(seed=0)
    for saved in ("x", None, env.unwrapped.state_key()):
        for restore in (env.unwrapped.restore, lambda what: agentgym.restore(env, what)):
            with pytest.raises(SnapshotError, match=f"only what snapshot.. returned .*, got {type(saved).__name__}"):
                restore(saved)


def test_what_is_driven_is_an_environment() -> None:
    for env in (None, "FrozenLake-v0", agentgym.make):
        with pytest.raises(TypeError, match=f"drive takes an environment, such as .*, got {type(env).__name__}"):
            drive(env)


def test_an_environment_is_named_by_a_string() -> None:
    wanted: Any
    for wanted in (None, 3, agentgym.card("FrozenLake-v0")):
        for ask in (agentgym.make, agentgym.make_vec, agentgym.card):
            with pytest.raises(TypeError, match=f"named by its id, such as 'WebShop-v1', got {type(wanted).__name__}"):
                ask(wanted)
