"""Self-search: a policy that learned to search its own memory is given a search engine in its place.

    agentgym reproduce ssrl

A tiny decoder clones the expert of SearchQA, which searches with an engine, and then goes on by the recipe `ssrl`: it
writes itself what its searches find, and no engine is asked. What became of it answers the questions of `test` from
memory and with the engine, as does the clone that it began with.

Source: SSRL, Fan et al. 2025, arXiv:2508.10874, sections 4 and 5 (there Llama and Qwen models of 3 to 8 billion
parameters, which know the answers to many questions; here the questions are on a world that nobody has read about, so
memory is what the demonstrations showed).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agentgym.core import DataError, unknown
from agentgym.rollout import EnvPool
from agentgym.train import HuggingFaceEngine, Trainer, build_trainer, evaluate_policy, read_recipe, recipe_table

WORLD, BACKENDS, TEST_SEED = "SearchQA-v0", ("self", "bm25"), 4711


def tables(
    seed: int, updates: int, world: Mapping[str, Any], settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The recipes of the clone and of its training.

    Args:
        seed: Of everything.
        updates: Of the policy.
        world: Options of the world beside `backend`.
        settings: Of the recipe, by dotted name.
    """
    options = {f"world.env_kwargs.{name}": value for name, value in world.items()}
    learning = {"update.updates": max(1, updates), "callback": [], **settings, **options}
    trained = {**recipe_table("ssrl", learning), "seed": seed}
    trained["update"]["learning_rate"] = {"linear": [1e-3, 0.0], "over": max(1, updates)}
    cloned = {name: copy.deepcopy(trained[name]) for name in ("world", "model", "clone", "seed")}
    cloned["world"]["env_kwargs"]["backend"] = "bm25"
    return cloned, trained


@lru_cache(maxsize=2)
def _cloned(key: str) -> HuggingFaceEngine:
    """The clone of a recipe, written as JSON; the arms of a seed come one after the other and share it."""
    trainer = build_trainer(json.loads(key))
    trainer.close()
    return trainer.engine


@lru_cache(maxsize=4)
def _learned(cloned: str, trained: str, updates: int) -> HuggingFaceEngine:
    """What a clone becomes."""
    clone = _cloned(cloned)
    engine = HuggingFaceEngine(copy.deepcopy(clone.model), clone.tokenizer, max_new_tokens=clone.max_new_tokens)
    if updates:
        table = json.loads(trained)
        pool = EnvPool(WORLD, split="train", **table["world"]["env_kwargs"])
        try:
            Trainer(read_recipe(table), engine, pool).train()
        finally:
            pool.close()
    return engine


def measure(
    *,
    seed: int,
    backend: str,
    updates: int,
    world: Mapping[str, Any],
    settings: Mapping[str, Any],
    tests: int = 100,
) -> dict[str, float]:
    """For `agentgym reproduce ssrl`: one arm, cloned, trained on its memory, and tested.

    Args:
        seed: Of demonstrations, weights, tasks and sampling.
        backend: That answers searches in the test: `self` or `bm25`.
        updates: Of the training; 0 leaves the clone as it is.
        world: Options of the world beside `backend`.
        settings: Of the recipe, by dotted name.
        tests: Questions of `test`.

    Returns:
        `success`, the share of the questions answered rightly; `searches`, how many were made for one.

    Raises:
        UnknownName: if there is no such back end.
        DataError: if the world failed in all of the tests.
    """
    if backend not in BACKENDS:
        raise unknown("back end", backend, BACKENDS)
    cloned, trained = tables(seed, updates, world, settings)
    engine = _learned(json.dumps(cloned), json.dumps(trained), updates)
    options = {**trained["world"]["env_kwargs"], "backend": backend}
    pool = EnvPool(WORLD, split="test", **options)
    try:
        horizon = trained["rollout"]["horizon"]
        tasks = [task % (pool.size or tests) for task in range(tests)]
        played = evaluate_policy(engine, pool, tasks, seed=TEST_SEED, horizon=horizon)
    finally:
        pool.close()
    counted = [episode for episode in played if not episode.failed]
    if not counted:
        raise DataError(f"{WORLD} failed in every test episode ({played[0].failure}); mend it and start again")
    searches = sum(turn.action.startswith("search[") for episode in counted for turn in episode.turns)
    return {
        "success": sum(episode.success for episode in counted) / len(counted),
        "searches": searches / len(counted),
    }
