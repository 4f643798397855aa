"""Measures BabyAI here and in the package, on the same moves in one run: all 40 levels, primitive and longer actions.

    python tests/benchmarks/bench_babyai.py [--seeds N] [--rounds N]

Rates are the package's moves a second of processor time, the best of some rounds; resets are not counted. Random
primitive moves are played here (in the words of `style="words"` and of `style="balrog"`) and by the package's `step`,
which makes an observation of numbers where we make one of words. Longer actions, such as `go to red ball 1`, are drawn
from what is possible; the package plays the moves that they stand for, and is not charged for finding them. Each round
plays other episodes, so that no view is remembered from an earlier one. Exit status 1 where one is slower than the
package's step.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import time
from typing import Any

import gymnasium as gym
import numpy as np

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs.text._babyai.actions import Choices
from agentgym.envs.text._babyai.levels import LEVELS, SECOND
from agentgym.envs.text.babyai import BALROG_MOVES, MOVES

TURNS = 60  # of an episode
LEAST = 1.0  # of the package's own rate
VERBS = ("go to", "pick up", "go through", "toggle and go through")

Played = tuple[int, float]  # moves, and processor seconds


def theirs(level: str, seed: int, moves: list[int]) -> Played:
    """The package's own environment plays moves."""
    env = gym.make(f"BabyAI-{level}-{'v1' if level in SECOND else 'v0'}", disable_env_checker=True).unwrapped
    with contextlib.redirect_stdout(io.StringIO()):  # it tells which missions it drew in vain
        env.reset(seed=seed)
    begin = time.process_time()
    for move in moves:
        env.step(move)
    return len(moves), time.process_time() - begin


def primitive(env: Any, level: str, seed: int, words: tuple[str, ...]) -> tuple[Played, list[int]]:
    """Random primitive moves: what they cost, and which they were; what is refused is no move."""
    env.reset(seed=0, options={"task": {"level": level, "seed": seed}})
    rng, used = np.random.default_rng(seed), 0.0
    moves: list[int] = []
    for number in rng.choice([0, 1, 2, 2, 2, 3, 4, 5], size=TURNS):
        if env.ended:
            break
        begin = time.process_time()
        *_, info = env.step(words[number])
        if info["action_valid"]:
            used += time.process_time() - begin
            moves.append(int(number))
    return (len(moves), used), moves


def longer(env: Any, level: str, seed: int) -> tuple[Played, list[int]]:
    """Random actions that stand for several moves: what they cost, and the moves; a turn where nothing is in sight."""
    env.reset(seed=0, options={"task": {"level": level, "seed": seed}})
    rng, used = np.random.default_rng(seed), 0.0
    moves: list[int] = []
    for _ in range(TURNS):
        if env.ended:
            break
        state, sights = env._state, env._seen().sights
        said = MOVES[int(rng.integers(3))]
        if sights and rng.random() < 0.8:
            said = f"{VERBS[int(rng.integers(len(VERBS)))]} {sights[int(rng.integers(len(sights)))].label}"
        begin = time.process_time()
        *_, info = env.step(said)
        if info["action_valid"]:
            used += time.process_time() - begin
            planned = Choices(env._board, state).moves(env.parse(said))  # afterwards, so that nothing was remembered
            moves += planned[: env._state.steps - state.steps]
    return (len(moves), used), moves


def main() -> int:
    """Print a row for each way to play."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--seeds", type=int, default=3, help="episodes of each level in a round")
    reader.add_argument("--rounds", type=int, default=3)
    wanted = reader.parse_args()
    ways = {
        "words": gym.make("AgentGym/BabyAI-v0", disable_env_checker=True).unwrapped,
        "balrog": gym.make("AgentGym/BabyAI-v0", style="balrog", disable_env_checker=True).unwrapped,
        "longer actions": gym.make("AgentGym/BabyAI-v0", disable_env_checker=True).unwrapped,
    }
    slow = False
    for name, env in ways.items():
        rates: list[tuple[float, float]] = []
        for number in range(wanted.rounds):
            here, there = (0, 0.0), (0, 0.0)
            for level in LEVELS:
                for seed in range(number * wanted.seeds, (number + 1) * wanted.seeds):
                    if name == "longer actions":
                        mine, moves = longer(env, level, seed)
                    else:
                        mine, moves = primitive(env, level, seed, BALROG_MOVES if name == "balrog" else MOVES)
                    other = theirs(level, seed, moves)
                    here = (here[0] + mine[0], here[1] + mine[1])
                    there = (there[0] + other[0], there[1] + other[1])
            rates.append((here[0] / here[1], there[0] / there[1]))
        ours, package = (max(each) for each in zip(*rates, strict=True))
        slow = slow or ours / package < LEAST
        sys.stdout.write(
            f"{name}: {ours:,.0f} moves/s here, {package:,.0f} in the package's step; ratio {ours / package:.2f}\n"
        )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    sys.stdout.write(f"load of the machine: {load} on {os.cpu_count()} cores\n")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
