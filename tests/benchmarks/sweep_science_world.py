"""Plays the simulator's gold path of ScienceWorld's variations, and writes which of them the simulator refuses.

    python tests/benchmarks/sweep_science_world.py [--minutes M] [--tasks NAME ...]

Goes on where it stopped: what was tried stands in `tests/envs/science_world_gold.json`, which is written anew every
minute and at the end. The order is the same in every run: tasks in turn, the variations of each in a shuffled order, so
that what was tried so far is a fair sample of each task. A variation takes one to five seconds.

A gold path is `accepted` where the simulator itself, asked for the path and begun anew, ends the task with full score.
Where it does not, the world's oracle plays the task, which knows two ways to mend a path: then it is `mended`, or, if
the oracle fails too, `refused`. The file lists the last two with the score that the path reached; of each task it has
the variations that were tried and the most turns that a way took, which must be within the world's limit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core.errors import EngineFailure
from agentgym.core.files import write_whole
from agentgym.core.rng import stream
from agentgym.envs.text._science_world.engine import UNKNOWN, VERSION, Episode
from agentgym.envs.text._science_world.tasks import LIMITS, TASKS

RECORD = Path(__file__).parents[1] / "envs" / "science_world_gold.json"
EVERY = 60  # seconds from one writing of the record to the next
FAILURES = 3  # of the engine in a row that end the sweep
ACCEPTED, MENDED, REFUSED = "accepted", "mended", "refused"

Record = dict[str, Any]


def read(path: Path = RECORD) -> Record:
    """The record as it stands, or an empty one; `tried` as sets."""
    record: Record = {"version": VERSION, "tried": {}, MENDED: {}, REFUSED: {}, "longest": {}}
    if path.exists():
        record = json.loads(path.read_text(encoding="utf8"))
    if record["version"] != VERSION:
        raise SystemExit(f"{path} is of version {record['version']} of the simulator; delete it to begin anew")
    record["tried"] = {
        task: {number for first, last in ranges for number in range(first, last + 1)}
        for task, ranges in record["tried"].items()
    }
    return record


def write(record: Record, path: Path = RECORD) -> None:
    """Write the record, what was tried as pairs of the first and the last of a run of numbers."""
    tried = {}
    for task, numbers in record["tried"].items():
        runs: list[list[int]] = []
        for number in sorted(numbers):
            if runs and runs[-1][1] == number - 1:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        tried[task] = runs
    whole = {**record, "count": sum(map(len, record["tried"].values())), "tried": tried}
    lines = [f"{json.dumps(key)}: {json.dumps(whole[key], sort_keys=True)}" for key in sorted(whole)]
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


def order() -> list[tuple[str, int]]:
    """All variations, a task after the other and round again, those of a task in a shuffled order."""
    shuffled = {
        task: [int(number) for number in stream("science_world.sweep", place).permutation(size)]
        for place, (task, (_, _, size)) in enumerate(TASKS.items())
    }
    most = max(map(len, shuffled.values()))
    return [(task, numbers[turn]) for turn in range(most) for task, numbers in shuffled.items() if turn < len(numbers)]


def gold(task: str, variation: int) -> tuple[float, int]:
    """What the simulator's own path scores in the simulator, at most 1, and how many turns it takes."""
    with Episode(task, variation, "").world(begin=True) as world:
        world.load(task, variation, "", gold=True)
        path = world.gold()
        world.load(task, variation, "")  # looking for the path drew random numbers
        score, turns = 0.0, 0
        for action in path:
            answer = world.step(action)
            turns += answer.text != UNKNOWN
            score = answer.score
            if answer.completed or score < 0:
                break
        return score, turns


def oracle(env: Any, task: str, variation: int) -> tuple[bool, int]:
    """Whether the world's oracle does a task, and in how many turns."""
    env.reset(seed=0, options={"task": f"{task}/{variation}"})
    turns, info = 0, {"success": False}
    while not env.ended:
        *_, info = env.step(env.oracle_action())
        turns += 1
    if info.get("failure"):
        raise EngineFailure(str(info["failure"]))
    return bool(info["success"]), turns


def tried(env: Any, task: str, variation: int) -> tuple[str, float, int]:
    """What came of a variation: the verdict, what the simulator's own path scores, and the turns of the way taken."""
    score, turns = gold(task, variation)
    if round(100 * score) == 100 and turns <= LIMITS[task]:
        return ACCEPTED, score, turns
    done, turns = oracle(env, task, variation)
    return (MENDED if done else REFUSED), score, turns


def main() -> int:
    """Try what was not tried yet, as long as is allowed; print what is known. Exit status 1 if any is refused."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many")
    reader.add_argument("--tasks", nargs="*", choices=list(TASKS), default=list(TASKS))
    wanted = reader.parse_args()
    record, env = read(), gym.make("AgentGym/ScienceWorld-v0").unwrapped
    end, saved, failures = time.monotonic() + 60 * wanted.minutes, time.monotonic(), 0
    try:
        for task, variation in order():
            if task not in wanted.tasks or variation in record["tried"].get(task, ()):
                continue
            if time.monotonic() > end:
                break
            try:
                verdict, score, turns = tried(env, task, variation)
            except EngineFailure as error:
                failures += 1
                sys.stderr.write(f"{task}/{variation}: {error}\n")
                if failures == FAILURES:
                    raise
                continue
            failures = 0
            record["tried"].setdefault(task, set()).add(variation)
            record["longest"][task] = max(record["longest"].get(task, 0), turns)
            if verdict != ACCEPTED:
                record[verdict][f"{task}/{variation}"] = round(100 * score)
            if time.monotonic() - saved > EVERY:
                write(record)
                saved = time.monotonic()
    finally:
        write(record)
    count = sum(map(len, record["tried"].values()))
    whole = sum(size for _, _, size in TASKS.values())
    sys.stdout.write(f"{count:,} of {whole:,} tried: {len(record[MENDED])} mended, {len(record[REFUSED])} refused\n")
    return int(bool(record[REFUSED]))


if __name__ == "__main__":
    sys.exit(main())
