"""What text wrappers say to arguments of the wrong kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import ConfigError
from agentgym.wrappers.players import wrap_players
from agentgym.wrappers.selfplay import SelfPlay

SWITCHES = [
    ("AdmissibleInText", {"first_only": "false"}), ("ReAct", {"bare": "no"}), ("Tags", {"need_thought": 1}),
    ("Tags", {"allow_cjk": None}), ("Marked", {"bare": "false"}), ("MemoryTools", {"lasting": "yes"}),
    ("Trials", {"reflect": "no"}), ("Trials", {"until_success": 0}),
]  # fmt: skip
COUNTS = [
    ("CodeBlocks", "most"), ("HashedText", "dim"), ("Hints", "fade"), ("History", "turns"), ("Horizon", "turns"),
    ("MemoryTools", "capacity"), ("Retries", "tries"), ("SeveralActions", "most"), ("Trials", "trials"),
    ("Trials", "length"), ("Truncate", "tokens"), ("Workspace", "length"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), SWITCHES)
def test_a_switch_is_true_or_false(name: str, arguments: dict[str, Any]) -> None:
    """The text "false", which a command line or a file may give, would otherwise count as true."""
    ((key, value),) = arguments.items()
    with pytest.raises(ConfigError, match=f"{key} must be True or False, got {value!r}"):
        getattr(wrappers, name)(agentgym.make("FrozenLake-v0"), **arguments)


@pytest.mark.parametrize(("name", "argument"), COUNTS)
def test_a_count_is_whole(name: str, argument: str) -> None:
    """A memory of 2.5 notes, which no number of notes equals, would never be full."""
    for value in (20.5, "20", True, float("inf")):
        with pytest.raises(ConfigError, match=f"{argument} must be a whole number .*, got {value!r}"):
            getattr(wrappers, name)(agentgym.make("FrozenLake-v0"), **{argument: value})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda env: wrappers.LTLMonitor(env, rules="G !theft"), "rules must be a mapping such as .*, got 'G !theft'"),
        (lambda env: wrappers.LTLMonitor(env, rules={"a": 5}), r"rules must be a mapping such as .*, got {'a': 5}"),
        (
            lambda env: wrappers.SubgoalReward(env, subgoals=["a"]),
            r"subgoals must be a mapping such as .*, got \['a'\]",
        ),
        (lambda env: wrappers.CommandTags(env, tags=["a"]), r"tags must be a mapping such as .*, got \['a'\]"),
        (lambda env: wrap_players(env, None), "formats must be a mapping such as .*, got None"),
        (lambda env: wrap_players(env, {"player_0": wrappers.ReAct}), "formats must be a mapping such as"),
        (
            lambda env: wrap_players(env, {"player_0": ["ReAct"]}),
            "a wrapper of player_0 must be a class .*'ReAct'",
        ),
        (lambda env: SelfPlay("KuhnPoker-v0", opponent=5), "an opponent is a name, a table, .*, got 5"),
        (lambda env: SelfPlay("KuhnPoker-v0", opponent=None), "an opponent is a name, a table, .*, got None"),
    ],
)
def test_what_is_of_another_kind_is_named(make: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(agentgym.make("TextCraft-v1"))


def test_numbers_of_numpy_are_recorded_as_those_of_python() -> None:
    env = wrappers.Horizon(agentgym.make("FrozenLake-v0"), turns=np.int64(2))
    assert env.spec.to_json() == wrappers.Horizon(agentgym.make("FrozenLake-v0"), turns=2).spec.to_json()
