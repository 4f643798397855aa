"""The second half of the demo: a tiny model clones a clumsy expert of FrozenLake, then improves by GRPO.

Each seed is a whole experiment of its own: other demonstrations, another tokenizer, other initial weights, other
training maps. All seeds and stages are evaluated on the same held-out maps with the same random draws.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from agentgym.core.rng import stream
from agentgym.rollout import EnvPool, Episode, demonstrate
from agentgym.train import (
    HuggingFaceEngine,
    Recipe,
    Run,
    Trainer,
    build_decoder,
    clone,
    evaluate_policy,
    read_recipe,
    recipe_table,
    tokenize,
    train_tokenizer,
    transcript_text,
)

STAGES = ("untrained", "cloned", "improved")
EVALUATION_SEED = 2024


def published() -> dict[str, Any]:
    """The recipe of the demo: GRPO as the suite ships it, looked at only when it is over."""
    return recipe_table("grpo", {"callback": []})


@dataclass(frozen=True)
class Plan:
    """What one seed costs.

    Attributes:
        table: The recipe; its seed is set by the seed of the experiment. It needs a tiny model and `[clone]`.
        test_maps: Held-out maps of each evaluation.
    """

    table: Mapping[str, Any] = field(default_factory=published)
    test_maps: int = 250

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe, checked."""
        return read_recipe(self.table)

    def settings(self) -> dict[str, Any]:
        """Every setting, JSON-safe."""
        return {"test_maps": self.test_maps, **self.table}


@dataclass(frozen=True)
class Learned:
    """What one seed came to.

    Attributes:
        seed: Of the experiment.
        teacher: Success rate of the noisy expert on its own, training, maps.
        parameters, vocabulary: Size of the model and of its tokenizer.
        test: By stage, the episodes on the test maps, in the order of the maps.
        improve_history: Metrics of each update of GRPO.
        seconds: Wall-clock seconds of each phase.
    """

    seed: int
    teacher: float
    parameters: int
    vocabulary: int
    test: dict[str, list[Episode]]
    improve_history: list[dict[str, Any]]
    seconds: dict[str, float]

    def successes(self, stage: str) -> list[bool]:
        """Success on each test map."""
        return [episode.success for episode in self.test[stage]]

    def rate(self, stage: str) -> float:
        """Success rate on the test maps."""
        return sum(self.successes(stage)) / len(self.test[stage])


def steps(plan: Plan) -> int:
    """How many steps a seed takes: those of cloning, the updates of GRPO, and the three tests."""
    cloning, updates = plan.recipe.clone, plan.recipe.update.updates
    assert cloning is not None
    return -(-cloning.episodes // cloning.batch) * cloning.epochs + updates + len(STAGES)


def steps_done(plan: Plan, folder: Path) -> int:
    """How many of these are done, from the files that `learn` is writing.

    Args:
        plan: What is done.
        folder: Where its files are kept.
    """
    clone, updates, test = (_lines(folder / f"{name}.jsonl") for name in ("clone", "updates", "test"))
    return clone + updates + test // plan.test_maps


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def learn(plan: Plan, seed: int, folder: Path) -> Learned:
    """One whole experiment.

    Args:
        plan: What to do.
        seed: Of everything but the evaluation.
        folder: Where metrics, episodes and the two models are kept.
    """
    recipe = read_recipe({**plan.table, "seed": seed})
    assert recipe.clone is not None
    assert recipe.model.tiny is not None
    where = recipe.world
    train, test = (
        EnvPool(where.id, split="train", **where.env_kwargs),
        EnvPool(where.id, split="test", **where.env_kwargs),
    )
    run, seconds, stages = Run(folder), {}, {}

    def timed(phase: str, began: float) -> None:
        """Note how long a `phase` took that `began` at this reading of the clock."""
        seconds[phase] = time.perf_counter() - began

    def examine(engine: HuggingFaceEngine, stage: str) -> None:
        """Play all test maps with the `engine` and keep the episodes under the name of the `stage`."""
        began = time.perf_counter()
        stages[stage] = evaluate_policy(engine, test, range(plan.test_maps), seed=EVALUATION_SEED)
        for episode in stages[stage]:
            run.append("test", {"stage": stage, **episode.record()})
        timed(stage, began)

    began = time.perf_counter()
    maps = stream("train.demonstrations", seed).integers(2**31, size=recipe.clone.episodes).tolist()
    shown = demonstrate(train, maps, noise=recipe.clone.noise, seed=seed)
    tokenizer = train_tokenizer(transcript_text(shown), recipe.model.tiny.vocabulary)
    decoder = build_decoder(recipe.model.tiny, tokenizer, seed)
    engine = HuggingFaceEngine(decoder, tokenizer, max_new_tokens=recipe.model.max_new_tokens)
    segments = tokenize(shown, engine.chat, engine.context_limit)
    timed("demonstrations", began)
    examine(engine, "untrained")

    began = time.perf_counter()
    clone(engine, segments, recipe.clone, seed=seed, run=run)
    timed("clone", began)
    examine(engine, "cloned")
    run.save(engine, "cloned")

    began = time.perf_counter()
    improving = Trainer(recipe, engine, train, run=run).train()
    timed("improve", began)
    examine(engine, "improved")
    run.save(engine, "improved")

    teacher = sum(episode.success for episode in shown) / len(shown)
    parameters = sum(weight.numel() for weight in engine.model.parameters())
    return Learned(seed, teacher, parameters, len(tokenizer), stages, improving, seconds)
