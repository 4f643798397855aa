"""The seeds of the demo, each in a process of its own with one thread.

A model this small gains little from a second thread and loses much when another program wants the core; two seeds on
two cores gain everything. One thread also makes the figures independent of the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from agentgym.baselines.demo.lake import Learned, Plan, learn, steps_done
from agentgym.core import AgentGymError, require
from agentgym.vector.pool import WorkerPool


def learn_side_by_side(plan: Plan, seeds: int, out: Path, tell: Callable[[int, int], None]) -> list[Learned]:
    """One experiment a seed, as many at once as there are cores.

    Args:
        plan: What to do.
        seeds: Seeds 0 to `seeds - 1`.
        out: Each keeps its files in `out/seed-N`.
        tell: Called here with a seed and how many of its `steps` are done, again and again.

    Raises:
        AgentGymError: as raised by an experiment, or because a process died.
        Exception: any other that an experiment raises, with the traceback as a note.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    learned: dict[int, Learned] = {}

    def keep(result: Learned) -> None:
        learned[result.seed] = result

    def look() -> None:
        for seed in range(seeds):
            tell(seed, steps_done(plan, _folder(out, seed)))

    advice = "end other programs, or try a single seed with --seeds 1"
    with WorkerPool(partial(Seeds, plan, out), min(cores, seeds), advice=advice) as pool:
        pool.run("learn", range(seeds), keep, look)
    return [learned[seed] for seed in range(seeds)]


def _folder(out: Path, seed: int) -> Path:
    return out / f"seed-{seed}"


class Seeds:
    """In a process of its own, which computes on one core: does the experiments of seeds.

    Args:
        plan: What to do.
        out: Folder of the demo.
    """

    def __init__(self, plan: Plan, out: Path):
        self._plan, self._out = plan, out
        require("torch", extra="train", purpose="the demo").set_num_threads(1)

    def learn(self, seed: int) -> Learned:
        """One whole experiment."""
        try:
            return learn(self._plan, seed, _folder(self._out, seed))
        except AgentGymError as error:
            raise AgentGymError(f"seed {seed}: {error}") from error

    def close(self) -> None:
        """It holds nothing."""
