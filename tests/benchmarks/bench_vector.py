"""Vector environments side by side: ours in this process, Gymnasium's SyncVectorEnv, Gymnasium's AsyncVectorEnv.

    python tests/benchmarks/bench_vector.py [--environments 32] [--turns 40] [--json FILE]

All three play the same actions in the same episodes, half of the environments as the expert, half at random, in one run
and in turns, so that other work on the machine meets all alike. Wall-clock time is what a user waits; processor time
counts this process and those it started, and is disturbed less by other work. Steps are those of single environments;
resets are part of them. Async gets `shared_memory=False`, without which it corrupts text.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

import agentgym

WORLDS = ("FrozenLake-v0", "TextCraft-v1", "Household-v1", "CraftTree-v0", "WebShop-v1")
KINDS = ("ours", "sync", "async")
REPEATS = 5
TICK = os.sysconf("SC_CLK_TCK")
EARLIER = 2  # rounds played before the first that counts


def script(world: str, indices: int, turns: int) -> list[list[str]]:
    """The actions of each turn, by environment: what the expert or a random player does in its episodes."""
    played = []
    for index in range(indices):
        env, rng, said = agentgym.make(world, split="val"), np.random.default_rng(index), []
        env.reset(seed=index)
        for _ in range(turns):
            inside: Any = env.unwrapped
            said.append(inside.expert_action() if index % 2 else inside.sample_action(rng))
            _, _, terminated, truncated, _ = env.step(said[-1])
            if terminated or truncated:
                env.reset()
        played.append(said)
    return [list(row) for row in zip(*played, strict=True)]


def make(kind: str, world: str, indices: int) -> Any:
    if kind == "ours":
        return agentgym.make_vec(world, indices, split="val", vectorization_mode="sync")
    how: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}
    if kind == "async":
        how["shared_memory"] = False
    return gym.make_vec(f"AgentGym/{world}", indices, vectorization_mode=kind, vector_kwargs=how, split="val")


def processor(envs: Any) -> float:
    """Processor seconds of this process and of the environment's own."""
    used = time.process_time()
    for process in getattr(envs, "processes", ()):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        used += (int(fields[11]) + int(fields[12])) / TICK
    return used


def play(envs: Any, actions: list[list[str]]) -> tuple[float, float]:
    """Wall and processor seconds of one round."""
    envs.reset(seed=0)
    wall, used = time.perf_counter(), processor(envs)
    for row in actions:
        _, _, _, _, infos = envs.step(row)
        assert len(infos["success"]) == envs.num_envs  # what every program reads
    return time.perf_counter() - wall, processor(envs) - used


def compare(world: str, indices: int, turns: int) -> dict[str, dict[str, float]]:
    """Steps a second of each kind: by the clock (median), and by the processor (all rounds together)."""
    actions = script(world, indices, turns)
    vectors = {kind: make(kind, world, indices) for kind in KINDS}
    rounds: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for number in range(EARLIER + REPEATS):
        for kind, envs in vectors.items():
            taken = play(envs, actions)
            if number >= EARLIER:
                rounds[kind].append(taken)
    for envs in vectors.values():
        envs.close()
    steps = indices * turns
    return {
        kind: {
            "wall": steps / statistics.median(wall for wall, _ in taken),
            "processor": steps * len(taken) / sum(used for _, used in taken),
        }
        for kind, taken in rounds.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=int, default=32)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"{given.environments} environments, {given.turns} turns, {REPEATS} rounds; load {os.getloadavg()[0]:.1f}")
    print("| world | ours | sync | async | ours / async, wall | ours / async, processor |\n|---|---|---|---|---|---|")
    found = {}
    for world in WORLDS:
        found[world] = rates = compare(world, given.indices, given.turns)
        walls = " | ".join(f"{rates[kind]['wall']:,.0f}" for kind in KINDS)
        ratio = [rates["ours"][by] / rates["async"][by] for by in ("wall", "processor")]
        print(f"| {world} | {walls} | {ratio[0]:.1f} | {ratio[1]:.1f} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
