"""Episodes a second of a training whose world is slow, collected in rounds and asynchronously.

    python tests/benchmarks/bench_asynchronous.py [--delay 0.2] [--processes 16] [--updates 8] [--staleness 1]

Every tool call of `Todo-v0` sleeps for `--delay` seconds, and a policy that knows nothing goes on calling or finishes,
as chance has it: episodes take from none to twelve calls. A round has as many episodes as there are processes. Told
are wall-clock seconds of all updates, episodes a second, and their ratio (asked: 1.5), with what overlapped and how
old tokens became. Processes have been started before.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from typing import Any

import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.rollout import EnvPool, EpisodeSpec, Workers, demonstrate
from agentgym.train import TinyConfig, Trainer, build_decoder, read_recipe, train_tokenizer, transcript_text
from agentgym.train.asynchronous import AsyncTrainer

NAME = "Todo-v0"
SAID = (
    '{"name": "get_user_current_date", "arguments": {}}',
    '{"name": "get_projects", "arguments": {}}',
    '{"name": "finish", "arguments": {"answer": "none"}}',
)
GROUP, TURNS = 2, 12


class OneOf:
    """Lets a policy say one of a few actions.

    Args:
        engine: The policy.
        actions: What it may say.
    """

    def __init__(self, engine: HuggingFaceEngine, actions: Sequence[str]):
        self._spelt = [engine.encode_action(action) for action in actions]

    def __call__(self, read: Sequence[int], said: Sequence[int]) -> list[int]:
        """The tokens that may come next."""
        size = len(said)
        return sorted({ids[size] for ids in self._spelt if ids[:size] == list(said)})


def policy() -> HuggingFaceEngine:
    """It knows nothing but how its actions are spelt."""
    shown = demonstrate(EnvPool(NAME), range(64), noise=0.0, seed=0)
    tokenizer = train_tokenizer(transcript_text(shown), 2048)
    model = build_decoder(TinyConfig(layers=2, width=64, heads=2, context=16_384, vocabulary=2048), tokenizer, 0)
    engine = HuggingFaceEngine(model, tokenizer, max_new_tokens=64)
    engine.constraint = OneOf(engine, SAID)
    return engine


def trained(engine: HuggingFaceEngine, delay: float, processes: int, updates: int, staleness: int | None) -> Trainer:
    """A training with what it took in `seconds` of its last metrics."""
    rollout: dict[str, Any] = {"groups": processes // GROUP, "group_size": GROUP, "max_concurrent": processes}
    rollout |= {"horizon": TURNS, "workers": {"processes": processes}}
    recipe = read_recipe(
        {
            "world": {"id": NAME, "env_kwargs": {"delay": delay}},
            "model": {"name": "built"},
            "rollout": rollout if staleness is None else {**rollout, "max_staleness": staleness},
            "advantage": [{"name": "group_relative"}],
            "loss": {"name": "ppo_clip"},
            "regularizer": [{"name": "entropy", "coefficient": 1e-3}],
            "update": {"updates": updates, "steps": 2, "masked": [], "learning_rate": 1e-5},
        }
    )
    pool = EnvPool(NAME, workers=recipe.rollout.workers or Workers(), delay=delay)
    try:
        pool.begin([EpisodeSpec(place, place, place, (place,)) for place in range(processes)])
        trainer = (Trainer if staleness is None else AsyncTrainer)(recipe, engine, pool)
        began = time.perf_counter()
        trainer.train()
        trainer.history[-1]["seconds_in_all"] = time.perf_counter() - began
    finally:
        pool.close()
    return trainer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--staleness", type=int, default=1)
    given = parser.parse_args()
    print(f"{torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}", flush=True)
    rates = []
    for staleness in (None, given.staleness):
        trainer = trained(policy(), given.delay, given.processes, given.updates, staleness)
        seconds, episodes = trainer.history[-1]["seconds_in_all"], given.processes * given.updates
        turns = sum(metrics["world_steps"] for metrics in trainer.history)
        rates.append(episodes / seconds)
        what = "in rounds" if staleness is None else f"asynchronously, at most {staleness} updates old"
        print(f"{episodes} episodes of {turns / episodes:.1f} turns {what}: {seconds:.1f} s, {rates[-1]:.2f} a second")
        if staleness is not None:
            told = [metrics["asynchronous"] for metrics in trainer.history]
            print(
                ", ".join(f"{name} {sum(each[name] for each in told):g}" for name in ("overlapped", "mixed", "awaited"))
            )
            print(f"staleness {sum(each['staleness'] for each in told) / len(told):.2f} updates in the mean, at most "
                  f"{max(each['max_staleness'] for each in told)}")  # fmt: skip
    print(f"{rates[1] / rates[0]:.2f} times the episodes a second")


if __name__ == "__main__":
    main()
