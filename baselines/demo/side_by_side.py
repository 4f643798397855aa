"""The seeds of the demo, each in a process of its own with one thread.

A model this small gains little from a second thread and loses much when another program wants the core; two seeds on
two cores gain everything. One thread also makes the figures independent of the number of cores.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from agentgym.baselines.demo.lake import Learned, Plan, learn
from agentgym.core import AgentGymError, require

Tell = Callable[[int, str, int, str], None]


def learn_side_by_side(plan: Plan, seeds: int, out: Path, tell: Tell) -> list[Learned]:
    """One experiment a seed, as many at once as there are cores.

    Args:
        plan: What to do.
        seeds: Seeds 0 to `seeds - 1`.
        out: Each keeps its files in `out/seed-N`.
        tell: Called here with seed, phase, steps just done, and a remark.

    Raises:
        AgentGymError: as raised by an experiment, or because a process died.
        RuntimeError: with the traceback, for any other error of one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    todo = list(range(seeds))
    busy: dict[Connection, tuple[int, BaseProcess]] = {}
    learned: dict[int, Learned] = {}
    try:
        while todo or busy:
            while todo and len(busy) < cores:
                seed = todo.pop(0)
                busy.update(_start(plan, seed, out))
            for pipe in [pipe for pipe in wait(list(busy)) if isinstance(pipe, Connection)]:
                seed, process = busy[pipe]
                kind, content = _receive(pipe, process)
                if kind == "step":
                    tell(seed, *content)
                    continue
                if kind != "done":
                    raise (AgentGymError if kind == "refused" else RuntimeError)(f"seed {seed}: {content}")
                learned[seed] = content
                process.join()
                del busy[pipe]
    finally:
        for _, process in busy.values():
            process.terminate()
            process.join()
    return [learned[seed] for seed in range(seeds)]


def _start(plan: Plan, seed: int, out: Path) -> dict[Connection, tuple[int, BaseProcess]]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, plan, seed, out), daemon=True)
    process.start()
    there.close()  # so that each side notices the other's end
    return {here: (seed, process)}


def _receive(pipe: Connection, process: BaseProcess) -> tuple[str, Any]:
    try:
        message: tuple[str, Any] = pipe.recv()
    except (EOFError, OSError):
        process.join()
        return "refused", f"its process ended by itself (exit code {process.exitcode}); it may have run out of memory"
    return message


def _work(pipe: Connection, plan: Plan, seed: int, out: Path) -> None:
    """What the process of a seed does; if the demo is killed, the next step finds nobody to tell and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is the demo's to handle
    require("torch", extra="train", purpose="the demo").set_num_threads(1)
    try:
        result = learn(plan, seed, out / f"seed-{seed}", lambda *step: pipe.send(("step", step)))
        pipe.send(("done", result))
    except BrokenPipeError:
        return
    except AgentGymError as error:
        pipe.send(("refused", str(error)))
    except Exception:
        pipe.send(("broken", traceback.format_exc()))
