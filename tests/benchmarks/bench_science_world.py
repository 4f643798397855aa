"""Measures ScienceWorld here and through the package's own Python `step`, on the same actions in one run.

    python tests/benchmarks/bench_science_world.py [--tasks N] [--rounds N]

The two play in turns, episode by episode. Rates are steps a second by the clock and by processor time, that of the Java
process included: on a busy machine the latter is the fairer one. Resets are not counted; one round is played before, in
which Java compiles. The package lists all valid actions, view, inventory and task at each step; here they are asked for
when somebody wants them. Exit status 1 where, by processor time, a step here takes more than 5 ms or is not at least 20
times as fast as the package's.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

import gymnasium as gym
from scienceworld import ScienceWorldEnv

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs._kit.java import machine
from agentgym.envs.text._science_world import engine

TASKS = ("boil", "find-animal", "test-conductivity", "chemistry-mix", "lifespan-longest-lived")
STEPS = 20  # of an episode
MOST_MS, LEAST_RATIO = 5.0, 20.0  # of processor time: what a step may cost, and by how much it must beat the package's


def spent(pid: int) -> float:
    """Processor seconds of a process and of this one."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()


class Meter:
    """Adds up steps, seconds and processor seconds."""

    def __init__(self, pid: int):
        self.pid, self.steps, self.clock, self.processor = pid, 0, 0.0, 0.0

    def play(self, step: Callable[[str], object], actions: list[str]) -> None:
        """Play actions and count them."""
        begin, used = time.perf_counter(), spent(self.pid)
        for action in actions:
            step(action)
        self.clock += time.perf_counter() - begin
        self.processor += spent(self.pid) - used
        self.steps += len(actions)


def main() -> int:
    """Print one row for each way to step."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--tasks", type=int, default=len(TASKS))
    reader.add_argument("--rounds", type=int, default=3)
    wanted = reader.parse_args()
    env = gym.make("AgentGym/ScienceWorld-v0", tasks=TASKS[: wanted.tasks]).unwrapped
    gold = {}
    for task in TASKS[: wanted.tasks]:
        env.reset(seed=0, options={"task": f"{task}/0"})
        gold[task] = env.reference()[:STEPS]
    theirs = ScienceWorldEnv("", envStepLimit=1000)
    here = Meter(machine(env.card.id, engine.package().BASEPATH).process.pid)
    there = Meter(theirs._gateway.java_process.pid)
    for number in range(wanted.rounds + 1):
        if number == 1:
            here, there = Meter(here.pid), Meter(there.pid)
        for task, actions in gold.items():
            env.reset(seed=0, options={"task": f"{task}/0"})
            here.play(env.unwrapped.step, actions)
            theirs.load(task, 0, "")
            theirs.server.reset()
            there.play(theirs.step, actions)
    rows = {"here": here, "the package's step": there}
    for name, meter in rows.items():
        clock, processor = meter.clock / meter.steps, meter.processor / meter.steps
        sys.stdout.write(
            f"{name}: {1 / clock:.1f} steps/s by the clock, {1 / processor:.1f} by processor time; "
            f"{1000 * clock:.2f} and {1000 * processor:.2f} ms a step\n"
        )
    ratios = (
        there.clock / there.steps / (here.clock / here.steps),
        there.processor / there.steps / (here.processor / here.steps),
    )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    sys.stdout.write(f"ratio: {ratios[0]:.1f} by the clock, {ratios[1]:.1f} by processor time\n")
    sys.stdout.write(f"load of the machine: {load} on {os.cpu_count()} cores\n")
    theirs.close()
    return int(1000 * here.processor / here.steps > MOST_MS or ratios[1] < LEAST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
