"""Where a training step spends its time, and what an episode costs that has ended.

    python tests/benchmarks/bench_train.py [--updates 3]

First table: processor time of rounds of GRPO on FrozenLake with the model of the recipe `grpo` (2 layers, width 128):
in the model (its forward passes, the backward pass, the optimizer), in the world, and in everything else, which are
prompts, sampling, records, advantages and batches. Second table: generating with answers of equal length (4 layers,
width 256), with a known number of episodes alive in each turn; the cost should follow those alive, not those begun.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import (
    HuggingFaceEngine,
    TinyConfig,
    Trainer,
    build_decoder,
    read_recipe,
    train_tokenizer,
    transcript_text,
)

NAME = "FrozenLake-v0"
ENV_KWARGS: dict[str, Any] = {"size": 4, "slippery": False, "frozen": 0.8}
TURNS = 8


class Spent:
    """Processor seconds by what they went into."""

    def __init__(self) -> None:
        self.seconds = Counter[str]()

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work`, its time counted under `name`."""

        def run(*arguments: Any, **options: Any) -> Any:
            began = time.process_time()
            try:
                return work(*arguments, **options)
            finally:
                self.seconds[name] += time.process_time() - began

        return run


def engine(layers: int, width: int, tokens: int) -> HuggingFaceEngine:
    """A policy that knows nothing, with a tokenizer that knows the world's words."""
    shown = demonstrate(EnvPool(NAME, **ENV_KWARGS), range(200), noise=0.3, seed=0)
    tokenizer = train_tokenizer(transcript_text(shown), 1024)
    model = build_decoder(TinyConfig(layers=layers, width=width), tokenizer, 0)
    return HuggingFaceEngine(model, tokenizer, max_new_tokens=tokens)


def split(updates: int) -> dict[str, float]:
    """Share of the processor time of a round by what it went into; the first round is not counted."""
    policy, world, spent = engine(2, 128, 3), EnvPool(NAME, **ENV_KWARGS), Spent()
    table = {
        "world": {"id": NAME},
        "model": {"name": "built"},
        "rollout": {"groups": 32, "group_size": 4},
        "advantage": [{"name": "group_relative"}],
        "loss": {"name": "ppo_clip"},
        # Untaught, every group is dead and would be left out; with this term all episodes are learned from.
        "regularizer": [{"name": "entropy", "coefficient": 1e-3}],
        "update": {"updates": updates + 1, "steps": 2},
    }
    trainer = Trainer(read_recipe(table), policy, world)
    policy.model.forward = spent.timed("model", policy.model.forward)
    trainer.optimizer.step = spent.timed("model", trainer.optimizer.step)  # type: ignore[method-assign]
    backward, torch.Tensor.backward = torch.Tensor.backward, spent.timed("model", torch.Tensor.backward)  # type: ignore[method-assign]
    for part in ("begin", "act"):
        setattr(world, part, spent.timed("world", getattr(world, part)))
    try:
        trainer.train_step()
        spent.seconds.clear()
        began = time.process_time()
        for _ in range(updates):
            trainer.train_step()
        whole = time.process_time() - began
    finally:
        torch.Tensor.backward = backward  # type: ignore[method-assign]
    shares = {name: seconds / whole for name, seconds in spent.seconds.items()}
    return {"seconds a round": whole / updates, **shares, "everything else": 1 - sum(shares.values())}


def generation(alive: list[int]) -> tuple[int, float]:
    """Episodes times turns that were played with so many alive in each turn, and the processor seconds that took."""
    policy = engine(4, 256, 4)
    policy.constraint = lambda read, said: [5 + len(said)]  # equal lengths in every turn
    prompt = policy.encode_first("_ _ _ _\n_ O _ O\n_ G _ _\nP O _ O\nActions: left, down, right, up")
    after = policy.encode_next("You go down.\n_ _ _ _\n_ O _ O\n_ G _ _\nP O _ O", closed=False)
    session = policy.open([np.random.default_rng(row) for row in range(alive[0])])
    began, rows = time.process_time(), alive[0]
    for turn, wanted in enumerate(alive):
        if wanted < rows:
            session.select_rows(range(wanted))
            rows = wanted
        session.generate([after if turn else prompt] * rows)
    return sum(alive), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=3)
    given = parser.parse_args()
    print(f"{torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}")
    for name, value in split(given.updates).items():
        print(f"| {name:16} | {f'{value:.2f} s' if name.startswith('seconds') else f'{value:.1%}':>8} |")
    print("| alive in the turns | turns played | cpu s | ms a turn |\n|---|---|---|---|")
    generation([8] * TURNS)
    plans = {f"{rows} to the end": [rows] * TURNS for rows in (16, 32, 64, 128)}
    plans["128, then half as many each turn"] = [128 >> turn for turn in range(TURNS)]
    for name, alive in plans.items():
        turns, seconds = generation(alive)
        print(f"| {name} | {turns} | {seconds:.2f} | {1000 * seconds / turns:.2f} |", flush=True)


if __name__ == "__main__":
    main()
