"""A panel may be played in another world than the one that is trained in: the same with other options."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.core import AgentGymError, ConfigError
from agentgym.rollout import EnvPool
from agentgym.train import Run, Trainer
from tests.rollout.worlds import ID
from tests.train.methods import clumsy, small

BROKEN = {"name": "evaluate", "every": 1, "tasks": 4, "env_kwargs": {"jam": [0, 1, 2]}}


def test_the_panel_is_played_with_options_of_its_own(tmp_path: Path) -> None:
    recipe = small("filtered_cloning", update__updates=1, callback=[BROKEN])
    trainer = Trainer(recipe, clumsy(), EnvPool(ID), run=Run(tmp_path))
    (update,) = trainer.train()
    assert update["eval_left_out"] == 3, "the panel's world is jammed in three of its tasks"
    assert update["stops"]["failure"] == 0, "and the one that is trained in is not"


def test_options_that_mean_nothing_are_refused() -> None:
    lake = {"id": "FrozenLake-v0"}
    with pytest.raises(AgentGymError, match=r"unknown option of AgentGym/FrozenLake-v0.*did you mean 'size'"):
        small("filtered_cloning", world=lake, callback=[{"name": "evaluate", "env_kwargs": {"sizes": 5}}])
    with pytest.raises(ConfigError, match=r"evaluate.env_kwargs holds 'split'; write evaluate.split"):
        small("filtered_cloning", world=lake, callback=[{"name": "evaluate", "env_kwargs": {"split": "val"}}])
    with pytest.raises(ConfigError, match=r"evaluate.env_kwargs is of one world, and this recipe has several"):
        small(
            "filtered_cloning", world=lake, mixture=[lake], callback=[{"name": "evaluate", "env_kwargs": {"size": 5}}]
        )
    assert small("filtered_cloning", world=lake, callback=[{"name": "evaluate", "env_kwargs": {"size": 5}}])
