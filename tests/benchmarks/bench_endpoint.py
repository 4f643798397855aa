"""How much longer many conversations with an endpoint take than one, where each answer comes after a while.

    python -m tests.benchmarks.bench_endpoint [--count 64] [--seconds 0.2]

A server in a process of its own answers after the given time. Each conversation has six turns. Told are wall-clock
seconds of one conversation and of all at once, their ratio (asked: 1.3), and this process's CPU seconds.
"""

from __future__ import annotations

import argparse
import time

from agentgym.agents import make_agent
from agentgym.rollout import EnvPool, EpisodeSpec, RecordOptions, assign_roles, play
from tests.agents.slow_server import slow_server

TURNS = 6
TASK = {"rows": ["SFF", "HHF", "HHG"], "slippery": False}


def timed(url: str, count: int, concurrency: int) -> tuple[float, float]:
    """Wall-clock seconds and seconds of this process's CPU for so many conversations of equal length.

    Args:
        url: Base URL of the server.
        count: Conversations.
        concurrency: How many may be in flight.
    """
    pool = EnvPool("FrozenLake-v0", max_turns=TURNS)
    policy = make_agent("endpoint", model="m", base_url=url, concurrency=concurrency)
    cast = assign_roles(policy, pool)
    specs = [EpisodeSpec(TASK, 0, place, (place,)) for place in range(count)]
    wall, cpu = time.perf_counter(), time.process_time()
    done = play(pool, cast, specs, max_concurrent=count, options=RecordOptions())
    assert all(len(running.first.acting.episode.turns) == TURNS for running in done)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.2)
    given = parser.parse_args()
    with slow_server(given.seconds, given.seconds, "left") as url:
        timed(url, 1, 1)  # imports
        one = min(timed(url, 1, 1)[0] for _ in range(3))
        many, cpu = min(timed(url, given.count, given.count) for _ in range(3))
    print(f"one {one:.2f} s, {given.count} at once {many:.2f} s ({many / one:.2f} times; {cpu:.2f} s of CPU)")


if __name__ == "__main__":
    main()
