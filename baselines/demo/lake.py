"""The second half of the demo: a tiny model clones a clumsy expert of FrozenLake, then improves by GRPO.

Each seed is a whole experiment of its own: other demonstrations, another tokenizer, other initial weights, other
training maps. All seeds and stages are evaluated on the same held-out maps with the same dice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.rollout import Episode, World, demonstrate
from agentgym.train import (
    CloneConfig,
    GRPOConfig,
    HuggingFaceEngine,
    Run,
    TinyConfig,
    build_decoder,
    clone,
    evaluate_policy,
    improve,
    tokenise,
    train_tokenizer,
    transcript_text,
)

WORLD, KNOBS = "FrozenLake-v0", {"size": 4, "slippery": False, "frozen": 0.8}
STAGES = ("untrained", "cloned", "improved")
EVALUATION_SEED = 2024
MODEL = TinyConfig()
CLONE = CloneConfig(passes=1, batch=16, learning_rate=3e-3)
IMPROVE = GRPOConfig(updates=60, groups=32, group_size=4, steps=2, clip=0.2, learning_rate=1e-3)


@dataclass(frozen=True)
class Plan:
    """What one seed costs.

    Attributes:
        demonstrations: Episodes of the expert.
        noise: Probability that the expert's action is replaced by a random one.
        test_maps: Held-out maps of each evaluation.
        model, clone, improve: Shapes and settings; their seeds are set by the seed of the experiment.
    """

    demonstrations: int = 2000
    noise: float = 0.3
    test_maps: int = 250
    model: TinyConfig = MODEL
    clone: CloneConfig = CLONE
    improve: GRPOConfig = IMPROVE

    def settings(self) -> dict[str, Any]:
        """Every setting, JSON-safe."""
        return {"world": WORLD, **KNOBS, **asdict(self)}


@dataclass(frozen=True)
class Learned:
    """What one seed came to.

    Attributes:
        seed: Of the experiment.
        teacher: Success rate of the noisy expert on its own, training, maps.
        parameters, vocabulary: Size of the model and of its tokenizer.
        test: By stage, the episodes on the test maps, in the order of the maps.
        clone_history, improve_history: Metrics of each update.
        seconds: Wall-clock seconds of each phase.
    """

    seed: int
    teacher: float
    parameters: int
    vocabulary: int
    test: dict[str, list[Episode]]
    clone_history: list[dict[str, Any]]
    improve_history: list[dict[str, Any]]
    seconds: dict[str, float]

    def successes(self, stage: str) -> list[bool]:
        """Success on each test map."""
        return [episode.success for episode in self.test[stage]]

    def rate(self, stage: str) -> float:
        """Success rate on the test maps."""
        return sum(self.successes(stage)) / len(self.test[stage])


class Steps:
    """Where the experiment reports to: how many steps of a phase are done, and a remark."""

    def __init__(self, tell: Callable[[str, int, str], None], phase: str):
        self._tell, self._phase = tell, phase

    def count(self, steps: int) -> None:
        """So many more steps are done."""
        self._tell(self._phase, steps, "")

    def update(self, metrics: dict[str, Any]) -> None:
        """One more update is done."""
        success = f"success {metrics['success']:.0%}" if "success" in metrics else f"loss {metrics['loss']:.2f}"
        self._tell(self._phase, 1, success)


def phases(plan: Plan) -> dict[str, int]:
    """The phases of a seed and the steps of each."""
    batches = -(-plan.demonstrations * plan.clone.passes // plan.clone.batch)
    return {
        "demonstrations": plan.demonstrations,
        "untrained": plan.test_maps,
        "clone": batches,
        "cloned": plan.test_maps,
        "improve": plan.improve.updates,
        "improved": plan.test_maps,
    }


def learn(plan: Plan, seed: int, folder: Path, tell: Callable[[str, int, str], None]) -> Learned:
    """One whole experiment.

    Args:
        plan: What to do.
        seed: Of everything but the evaluation.
        folder: Where metrics, episodes and the two models are kept.
        tell: Called with phase, steps just done, and a remark.
    """
    train, test = World(WORLD, split="train", **KNOBS), World(WORLD, split="test", **KNOBS)
    run, seconds, stages = Run(folder), {}, {}

    def timed(phase: str, began: float) -> None:
        seconds[phase] = time.perf_counter() - began

    def examine(engine: HuggingFaceEngine, stage: str) -> None:
        began = time.perf_counter()
        steps = Steps(tell, stage)
        maps = range(plan.test_maps)
        stages[stage] = evaluate_policy(engine, test, maps, seed=EVALUATION_SEED, on_episode=steps.count)
        for episode in stages[stage]:
            run.append("test", {"stage": stage, **episode.record()})
        timed(stage, began)

    began = time.perf_counter()
    maps = np.random.default_rng(seed).integers(2**31, size=plan.demonstrations).tolist()
    shown = demonstrate(train, maps, noise=plan.noise, seed=seed, on_episode=Steps(tell, "demonstrations").count)
    tokenizer = train_tokenizer(transcript_text(shown), plan.model.vocabulary)
    engine = HuggingFaceEngine(build_decoder(plan.model, tokenizer, seed), tokenizer, max_new_tokens=3)
    segments = tokenise(shown, engine.chat, engine.context_limit)
    timed("demonstrations", began)
    examine(engine, "untrained")

    began = time.perf_counter()
    config = replace(plan.clone, seed=seed)
    cloning = clone(engine, segments, config, run=run, on_update=Steps(tell, "clone").update)
    timed("clone", began)
    examine(engine, "cloned")
    run.save(engine, "cloned")

    began = time.perf_counter()
    practice = replace(plan.improve, seed=seed)
    improving = improve(engine, train, practice, run=run, on_update=Steps(tell, "improve").update)
    timed("improve", began)
    examine(engine, "improved")
    run.save(engine, "improved")

    teacher = sum(episode.success for episode in shown) / len(shown)
    parameters = sum(weight.numel() for weight in engine.model.parameters())
    return Learned(seed, teacher, parameters, len(tokenizer), stages, cloning, improving, seconds)
