"""Measures what a snapshot costs where it plays the episode again: a reset, and so much for every action played.

    python tests/benchmarks/bench_snapshots.py [ID ...]

Of every world over an engine that can be made here, browsers left out. A snapshot is put back at the beginning of an
episode and after 40 random actions, five times each. Figures are of processor time, that of the engine's own process
included, as the clock of a busy machine says little; without other work the two are alike.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import agentgym
from agentgym.conformance.env_under_test import fixture
from agentgym.core import MissingExtra
from agentgym.envs import CARDS

ACTIONS, TIMES = 40, 5
KINDS = ("text", "games")  # the others with such snapshots are pages in a browser


def spent(pid: int | None = None) -> float:
    """Processor seconds of a process, by default this one, and of all below it."""
    base = Path(f"/proc/{pid or os.getpid()}")
    fields = (base / "stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    below = (int(child) for task in (base / "task").iterdir() for child in (task / "children").read_text().split())
    return own + sum(map(spent, below))


def restored(env: Any, saved: Any) -> float:
    """Seconds that it takes to put a snapshot back."""
    agentgym.restore(env, saved)  # once for what is remembered
    begin = spent()
    for _ in range(TIMES):
        agentgym.restore(env, saved)
    return (spent() - begin) / TIMES


def cost(name: str, **kwargs: Any) -> tuple[float, float]:
    """Milliseconds of a snapshot at the beginning, and of each action more."""
    env = agentgym.make(name, **kwargs)
    env.reset(seed=0, options={"task": 0})
    first = restored(env, agentgym.snapshot(env))
    rng, played = np.random.default_rng(0), 0
    while played < ACTIONS and not env.unwrapped.ended:
        env.step(env.unwrapped.sample_action(rng))
        played += 1
    later = restored(env, agentgym.snapshot(env))
    env.close()
    return 1000 * first, 1000 * max(0.0, later - first) / played


def main(names: list[str]) -> int:
    """Print a line for each world."""
    with tempfile.TemporaryDirectory() as folder:
        for card in CARDS:
            if card.snapshot != "replay" or card.kind not in KINDS or (names and card.name not in names):
                continue
            try:
                kwargs = fixture(card, Path(folder) / card.name) if card.requires else {}
                begin, each = cost(card.id, **kwargs)
            except MissingExtra as error:
                sys.stdout.write(f"{card.name}: {error}\n")
                continue
            sys.stdout.write(f"{card.name}: {begin:.1f} ms, and {each:.2f} ms an action\n")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    sys.stdout.write(f"load of the machine: {load} on {os.cpu_count()} cores\n")
    return 0


if __name__ == "__main__":
    sys.exit(main([name.rpartition("/")[2] for name in sys.argv[1:]]))
