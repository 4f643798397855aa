"""The recipes of `agentgym.baselines.recipes`, cut down to the echo world and a model that learns in seconds."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import torch

from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import (
    CloneConfig,
    HuggingFaceEngine,
    build_decoder,
    clone,
    tokenize,
    train_tokenizer,
    transcript_text,
)
from agentgym.train.recipe import Recipe, read_recipe
from agentgym.train.recipe_files import recipe_names, recipe_table
from agentgym.train.trainer import Trainer
from tests.rollout.worlds import ID, SIZE
from tests.train.conftest import SHAPE

METHODS = [  # all but those that apply another recipe to a world, are for many players, several policies or records
    name
    for name, table in ((name, recipe_table(name)) for name in recipe_names())
    if "loss" in table and table["world"]["id"] == "FrozenLake-v0" and not {"policies", "records"} & set(table)
]
FITTED: dict[str, dict[str, Any]] = {  # what is made for a longer run or a larger world
    "arpo": {"rollout.strategy": {"name": "branching", "every": 1}},
    "craft_gui": {"rollout.tasks": {"name": "staged", "pool": 64, "stages": 2, "look": 1, "length": 8}},
    "dapo": {"filter.1": {"name": "overlong", "limit": 9, "soft": 3}},
    "scaling_inter": {"rollout.horizon": {"steps": [[0, 2], [2, 3]]}},
    "spa": {"learner.0.learning_rate": 2e-2},
    "success_replay": {"rollout.tasks": {"name": "frontier", "pool": 32}},  # of 64: fewer are learned by heart
}


def small(name: str, **changes: Any) -> Recipe:
    """A recipe in the echo world: 8 groups of 8; `changes` are overrides with `__` for a dot."""
    table = recipe_table(
        name,
        {
            "world": {"id": ID},
            "model": {"tiny": {"layers": SHAPE.layers, "width": SHAPE.width, "heads": SHAPE.heads}},
            "rollout.groups": 8,
            "rollout.group_size": 8,
            "callback": [],
            **FITTED.get(name, {}),
            **{key.replace("__", "."): value for key, value in changes.items()},
        },
    )
    return read_recipe(table)


@cache
def _clumsy(dtype: torch.dtype) -> HuggingFaceEngine:
    """A policy that says about half of the words right."""
    shown = demonstrate(EnvPool(ID), range(SIZE), noise=0.5, seed=0)
    tokenizer = train_tokenizer(transcript_text(shown), SHAPE.vocabulary)
    engine = HuggingFaceEngine(build_decoder(SHAPE, tokenizer, 0).to(dtype), tokenizer, max_new_tokens=3)
    segments = tokenize(demonstrate(EnvPool(ID), range(SIZE), noise=0.5, seed=1), engine.chat, engine.context_limit)
    clone(engine, segments, CloneConfig(SIZE, epochs=24, batch=8, learning_rate=1e-2))
    return engine


def clumsy(dtype: torch.dtype = torch.float32) -> HuggingFaceEngine:
    """A fresh copy of a policy that says about half of the words right.

    Args:
        dtype: Of its weights; with float64 what it says does not hang on the last bits, which processors round as they
            like.
    """
    engine = _clumsy(dtype)
    return HuggingFaceEngine(copy.deepcopy(engine.model), engine.tokenizer, max_new_tokens=3)


def trained(recipe: Recipe, dtype: torch.dtype = torch.float32) -> Trainer:
    """The trainer after the recipe's last update, from a clumsy policy.

    Args:
        recipe: What is done.
        dtype: Of its weights.
    """
    trainer = Trainer(recipe, clumsy(dtype), EnvPool(ID))
    trainer.train()
    return trainer
