"""The command of a run plays the same run."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from typer.main import get_command

from agentgym.cli import app, options
from agentgym.cli.agent_options import asking
from agentgym.core import DataError
from agentgym.evaluate import RunConfig
from agentgym.report.evaluated import command, names

CONFIG = RunConfig(
    env="agentgym:AgentGym/FrozenLake-v0",
    env_kwargs={"size": 5, "name": "5", "note": "it's; rm -rf *", "max_turns": 7},
    split="val",
    agent="endpoint",
    agent_options={
        "model": "m x", "temperature": 0.7, "tools": True, "drop": ["seed", "max_tokens"], "extra_body": {"a": [1]},
    },
    episodes=3,
    trials=2,
    seed=11,
    version="0.2.0",
    tasks="t",
    prompt={"hash": "h", "wrap": [{"name": "ReAct"}, {"name": "History", "turns": 4}], "shots": {"player_0": [{}, {}]}},
)  # fmt: skip


def test_the_command_says_the_same_to_the_command_line() -> None:
    program, name, *words = shlex.split(command(CONFIG))
    assert (program, name) == ("agentgym", "eval")
    context = get_command(app).commands["eval"].make_context("eval", words)  # type: ignore[attr-defined]
    given = context.params
    assert {key: given[key] for key in ("env_id", "agent", "split", "episodes", "trials", "seed")} == {
        "env_id": "FrozenLake-v0", "agent": "endpoint", "split": "val", "episodes": 3, "trials": 2, "seed": 11,
    }  # fmt: skip
    assert options.world_options(given["env"], given["max_turns"]) == CONFIG.env_kwargs
    wrap = ["ReAct", 'History={"turns": 4}']
    assert asking(context) == {"agent_options": CONFIG.agent_options, "wrap": wrap, "shots": 2}


def test_a_world_of_another_package_keeps_its_module() -> None:
    assert command(replace(CONFIG, env="mine:Mine/World-v0")).startswith("agentgym eval mine:Mine/World-v0 ")


def test_names_tell_folders_apart() -> None:
    assert names([Path("a/x"), Path("b/y")]) == ["x", "y"]
    assert names([Path("a/x"), Path("b/x")]) == ["a/x", "b/x"]
    with pytest.raises(DataError, match="given twice"):
        names([Path("a/x"), Path("a/x")])
