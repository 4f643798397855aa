"""Measures the budgets of the design through `gym.make`, one fresh process per figure.

    python tests/benchmarks/run.py [--only NAME] [--json FILE]

Rates are medians over repeated runs and count the processor time of the measuring process, so that other work on the
machine disturbs them little. `bench_search.py` measures search over a million products by itself.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

WORLDS = {
    "FrozenLake": "AgentGym/FrozenLake-v0",
    "WebShop": "AgentGym/WebShop-v1",
    "Household": "AgentGym/Household-v1",
    "TextCraft": "AgentGym/TextCraft-v1",
    "CraftTree": "AgentGym/CraftTree-v0",
}
REPEATS = 5


def rate(action: Callable[[], int]) -> float:
    """Median over repeats of how many things a second `action` does; it returns how many it did."""
    rates = []
    for _ in range(REPEATS):
        begin = time.process_time()
        done = action()
        rates.append(done / (time.process_time() - begin))
    return statistics.median(rates)


def make(world: str, **kwargs: object):
    import gymnasium as gym

    import agentgym  # noqa: F401  (registers the ids)

    return gym.make(WORLDS[world], **kwargs)


def recorded(env, episodes: int = 40) -> list[tuple[int, list[str]]]:
    """Task index and actions of expert and random episodes, so that stepping alone can be timed."""
    import numpy as np

    played = []
    for index in range(episodes):
        rng = np.random.default_rng(index)
        env.reset(seed=index, options={"task": index})
        actions: list[str] = []
        while not env.unwrapped.ended:
            world = env.unwrapped
            actions.append(world.expert_action() if index % 2 else world.sample_action(rng))
            env.step(actions[-1])
        played.append((index, actions))
    return played


def steps(world: str, admissible: bool = False, **kwargs: object) -> float:
    """Steps a second, resets not counted."""
    env = make(world, split="val", **kwargs)
    episodes = recorded(env)
    rates = []
    for _ in range(REPEATS):
        count, used = 0, 0.0
        for index, actions in episodes * 5:
            env.reset(seed=index, options={"task": index})
            begin = time.process_time()
            for action in actions:
                env.step(action)
                if admissible:
                    env.unwrapped.admissible_actions()
            used += time.process_time() - begin
            count += len(actions)
        rates.append(count / used)
    return statistics.median(rates)


def reset_ms(world: str) -> float:
    env = make(world)
    env.reset(seed=0)

    def play() -> int:
        for _ in range(200):
            env.reset()
        return 200

    return 1000 / rate(play)


def snapshot_us(world: str) -> float:
    import agentgym

    return _copy_us(world, lambda env: agentgym.restore(env, agentgym.snapshot(env)))


def fork_us(world: str) -> float:
    import agentgym

    return _copy_us(world, agentgym.fork)


def _copy_us(world: str, work: Callable[[Any], Any]) -> float:
    """Microseconds of a copy after three turns of the expert."""
    env = make(world, split="val")
    env.reset(seed=0, options={"task": 0})
    while not env.unwrapped.ended and env.unwrapped.turn < 3:
        env.step(env.unwrapped.expert_action())

    def play() -> int:
        for _ in range(1000):
            work(env)
        return 1000

    return 1e6 / rate(play)


def search_rate() -> float:
    env = make("WebShop", split="val")
    instructions = [task.instruction for task in env.unwrapped.tasks("val")]
    search = env.unwrapped.catalog.search
    rounds = iter(range(10**6))

    def play() -> int:
        number = next(rounds)  # a new word each round, so that no query is remembered
        for text in instructions:
            search(f"{text} round{number}", 50)
        return len(instructions)

    return rate(play)


def import_ms() -> float:
    """Import of agentgym over gymnasium, by the clock: the least of many fresh interpreters, the least disturbed one.

    The first of them compiles to bytecode, which an installation does, whatever the environment says.
    """
    import os

    timed = "import time, gymnasium; b = time.perf_counter(); import agentgym; print(time.perf_counter() - b)"
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        runs = [
            subprocess.run([sys.executable, "-c", timed], env=environment, capture_output=True, text=True, check=True)
            for _ in range(10)
        ]
    return 1000 * min(float(run.stdout) for run in runs)


def memory_mb(world: str) -> float:
    """Growth of the resident set per further environment, after the first, in MB."""
    import os

    def resident() -> float:
        with open(f"/proc/{os.getpid()}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    first = make(world)
    first.reset(seed=0)
    before = resident()
    others = [make(world) for _ in range(50)]
    for index, env in enumerate(others):
        env.reset(seed=index)
    return (resident() - before) / len(others)


def first_mb(world: str) -> float:
    """Growth of the resident set by the first environment, shared data included, over `import agentgym`, in MB."""
    import os

    import agentgym  # noqa: F401

    def resident() -> float:
        with open(f"/proc/{os.getpid()}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    before = resident()
    env = make(world)
    env.reset(seed=0)
    return resident() - before


FIGURES: dict[str, tuple[Callable[[], float], str, str]] = {
    "import over gymnasium": (import_ms, "ms", "at most 50"),
    "FrozenLake steps": (lambda: steps("FrozenLake"), "1/s", "at least 20000"),
    "FrozenLake steps with admissible list": (lambda: steps("FrozenLake", admissible=True), "1/s", "at least 5000"),
    "FrozenLake reset": (lambda: reset_ms("FrozenLake"), "ms", "at most 5"),
    "FrozenLake snapshot + restore": (lambda: snapshot_us("FrozenLake"), "us", "at most 100"),
    "FrozenLake fork": (lambda: fork_us("FrozenLake"), "us", ""),
    "FrozenLake memory per further env": (lambda: memory_mb("FrozenLake"), "MB", "at most 50"),
    "WebShop steps, text": (lambda: steps("WebShop"), "1/s", "at least 5000"),
    "WebShop steps, text_rich": (lambda: steps("WebShop", observation_mode="text_rich"), "1/s", "at least 5000"),
    "WebShop steps, html": (lambda: steps("WebShop", observation_mode="html"), "1/s", "at least 5000"),
    "WebShop steps with admissible list": (lambda: steps("WebShop", admissible=True), "1/s", "at least 5000"),
    "WebShop reset": (lambda: reset_ms("WebShop"), "ms", "at most 5"),
    "WebShop snapshot + restore": (lambda: snapshot_us("WebShop"), "us", "at most 100"),
    "WebShop fork": (lambda: fork_us("WebShop"), "us", ""),
    "WebShop search, 1,000 products": (search_rate, "queries/s", ""),
    "Household steps": (lambda: steps("Household"), "1/s", "at least 20000"),
    "Household steps with admissible list": (lambda: steps("Household", admissible=True), "1/s", "at least 5000"),
    "Household reset": (lambda: reset_ms("Household"), "ms", "at most 5"),
    "Household snapshot + restore": (lambda: snapshot_us("Household"), "us", "at most 100"),
    "Household fork": (lambda: fork_us("Household"), "us", ""),
    "TextCraft steps": (lambda: steps("TextCraft"), "1/s", "at least 20000"),
    "TextCraft steps with admissible list": (lambda: steps("TextCraft", admissible=True), "1/s", "at least 5000"),
    "TextCraft reset": (lambda: reset_ms("TextCraft"), "ms", "at most 5"),
    "TextCraft snapshot + restore": (lambda: snapshot_us("TextCraft"), "us", "at most 100"),
    "TextCraft fork": (lambda: fork_us("TextCraft"), "us", ""),
    "CraftTree steps": (lambda: steps("CraftTree"), "1/s", "at least 20000"),
    "CraftTree steps with admissible list": (lambda: steps("CraftTree", admissible=True), "1/s", "at least 5000"),
    "CraftTree reset": (lambda: reset_ms("CraftTree"), "ms", "at most 5"),
    "CraftTree snapshot + restore": (lambda: snapshot_us("CraftTree"), "us", "at most 100"),
    "CraftTree fork": (lambda: fork_us("CraftTree"), "us", ""),
    "WebShop memory of the first env": (lambda: first_mb("WebShop"), "MB", "at most 50"),
    "WebShop memory per further env": (lambda: memory_mb("WebShop"), "MB", "at most 50"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="measure the figures whose name contains this")
    parser.add_argument("--json", help="also append the figures to this file, one JSON object a line")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(FIGURES[arguments.one][0]())
        return
    print(f"{platform.machine()}, Python {platform.python_version()}, {platform.system()}")
    print(f"| {'figure':40} | {'measured':>12} | unit      | budget         |")
    print(f"|{'-' * 42}|{'-' * 14}|-----------|----------------|")
    for name, (_, unit, budget) in FIGURES.items():
        if arguments.only and arguments.only.lower() not in name.lower():
            continue
        run = subprocess.run([sys.executable, __file__, "--one", name], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"{name} failed:\n{run.stderr}")
        value = float(run.stdout)
        print(f"| {name:40} | {value:12,.2f} | {unit:9} | {budget:14} |", flush=True)
        if arguments.json:
            with open(arguments.json, "a", encoding="utf8") as file:
                file.write(json.dumps({"figure": name, "value": value, "unit": unit, "budget": budget}) + "\n")


if __name__ == "__main__":
    main()
