"""Measures the household and, where it is installed, the original engine, on the same games and actions in one run.

    python tests/benchmarks/bench_household.py [--games N] [--json FILE]

Rates are steps a second of process time, so that a busy machine disturbs them little. The original lists its admissible
commands at each step whether they are asked for or not.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "envs"))

import agentgym
from agentgym.envs.text._household.generate import HomeOptions, generate

Games = list[tuple[dict[str, object], list[str]]]


def timed(action: Callable[[], int]) -> float:
    """How many things a second of process time `action` does; it returns how many it did. Best of three."""
    rates = []
    for _ in range(3):
        begin = time.process_time()
        done = action()
        rates.append(done / (time.process_time() - begin))
    return max(rates)


def recorded(count: int) -> Games:
    """Generated games, each with 50 actions: random ones, and every other time the expert's."""
    world = gym.make("AgentGym/Household-v1").unwrapped
    games = []
    for seed in range(count):
        spec, rng = generate(seed, HomeOptions()), np.random.default_rng(seed)
        world.reset(seed=seed, options={"task": spec})
        actions: list[str] = []
        while not world.ended:
            actions.append(world.expert_action() if seed % 2 else world.sample_action(rng))
            world.step(actions[-1])
        games.append((spec, actions))
    return games


def native(games: Games, admissible: bool) -> float:
    """Steps a second through `gym.make`, resets left out."""
    env = gym.make("AgentGym/Household-v1")
    starts = []
    for spec, _ in games:
        env.reset(seed=0, options={"task": spec})
        starts.append(agentgym.snapshot(env))

    def play() -> int:
        count = 0
        for start, (_, actions) in zip(starts, games, strict=True):
            agentgym.restore(env, start)
            for action in actions:
                env.step(action)
                if admissible:
                    env.unwrapped.admissible_actions()
            count += len(actions)
        return count

    return timed(play)


def original(games: Games) -> float:
    """Steps a second of the original engine, resets left out."""
    from original_household import Original

    from agentgym.envs.text._household.export import write_game

    steps, seconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, (spec, actions) in enumerate(games):
            engine = Original(write_game(spec, Path(folder) / str(number)), exact=True)
            engine.reset()
            begin = time.process_time()
            for action in actions:
                engine.step(action)
            seconds += time.process_time() - begin
            steps += len(actions)
    return steps / seconds


def reset_ms() -> float:
    env = gym.make("AgentGym/Household-v1")
    env.reset(seed=0)

    def play() -> int:
        for _ in range(100):
            env.reset()
        return 100

    return 1000 / timed(play)


def snapshot_us() -> float:
    env = gym.make("AgentGym/Household-v1", split="val")
    env.reset(seed=0, options={"task": 0})
    env.step(env.unwrapped.expert_action())

    def play() -> int:
        for _ in range(1000):
            agentgym.restore(env, agentgym.snapshot(env))
        return 1000

    return 1e6 / timed(play)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--original-games", type=int, default=4)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    games = recorded(arguments.games)
    found = {
        "native, steps/s": native(games, admissible=False),
        "native with admissible actions, steps/s": native(games, admissible=True),
        "native reset, ms": reset_ms(),
        "native snapshot and restore, us": snapshot_us(),
    }
    if importlib.util.find_spec("alfworld") is not None:
        found["original, steps/s"] = original(games[: arguments.original_games])
    for name, value in found.items():
        print(f"{name:42} {value:12.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
