"""Steps a second of the worlds of tools and searches, as one Markdown table.

    python tests/benchmarks/bench_tools.py [ID ...]

Random and expert episodes of `val` are recorded and stepped again, so that only the world is timed; `new tasks` are
tasks of `train` that come up for the first time, stepped by what the expert said, the reset and the expert not counted.
`slowest` is the longest of those steps in milliseconds. Figures are of processor time, the best of three rounds, each
id in a fresh process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

WORLDS = ("Weather", "Movie", "Academia", "Sheet", "Todo", "SQL", "SearchQA", "MaskedSpans")
BUDGET, ROUNDS, EPISODES, NEW = 1.0, 3, 12, 60
LONGEST = 60  # turns of a random episode
HEADS = ("world", "random, replayed", "expert, replayed", "expert, new tasks", "slowest, ms")


def recorded(env: Any, who: str) -> list[list[str]]:
    """What a player says in some episodes."""
    import numpy as np

    episodes = []
    for place in range(EPISODES):
        rng = np.random.default_rng(place)
        env.reset(seed=place, options={"task": place})
        said: list[str] = []
        while not env.ended and len(said) < LONGEST:
            said.append(env.sample_action(rng) if who == "random" else env.expert_action())
            env.step(said[-1])
        episodes.append(said)
    return episodes


def replayed(env: Any, episodes: list[list[str]]) -> float:
    """Steps a processor second over recorded episodes."""
    rates = []
    for _ in range(ROUNDS):
        count, used = 0, 0.0
        while used < BUDGET:
            for place, said in enumerate(episodes):
                env.reset(seed=place, options={"task": place})
                begin = time.process_time()
                for action in said:
                    env.step(action)
                used += time.process_time() - begin
                count += len(said)
        rates.append(count / used)
    return max(rates)


def new_tasks(env: Any) -> tuple[float, float]:
    """Steps a processor second on tasks that come up for the first time, and the slowest step in milliseconds."""
    count, used, slowest = 0, 0.0, 0.0
    for place in range(NEW):
        env.reset(seed=place, options={"task": place})
        while not env.ended:
            action = env.expert_action()
            begin = time.process_time()
            env.step(action)
            took = time.process_time() - begin
            used, slowest, count = used + took, max(slowest, took), count + 1
    return count / used, 1e3 * slowest


def measure(name: str) -> dict[str, float]:
    """The figures of a world, in this process."""
    import agentgym

    fresh = new_tasks(agentgym.make(f"{name}-v0", split="train").unwrapped)
    env = agentgym.make(f"{name}-v0", split="val").unwrapped
    random, expert = (replayed(env, recorded(env, who)) for who in ("random", "expert"))
    return dict(zip(HEADS[1:], (random, expert, *fresh), strict=True))


def main(names: list[str]) -> None:
    """Measure each world in a process of its own, and print the table."""
    if names[:1] == ["--one"]:
        print(json.dumps(measure(names[1])))
        return
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for name in names or WORLDS:
        name = name.removeprefix("AgentGym/").removesuffix("-v0")
        command = [sys.executable, __file__, "--one", name]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        print(f"| {name} | {' | '.join(f'{value:,.0f}' for value in found.values())} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
