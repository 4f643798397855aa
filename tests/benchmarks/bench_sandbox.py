"""What a one-line program costs in bubblewrap beside a bare process, and how many a pool runs in a second.

    python tests/benchmarks/bench_sandbox.py [--runs 100]

A bare process is the same interpreter, started for the same program without a sandbox. Processor time is that of this
process and of everything that was started for the runs, the start of the fork server shared out among them; it hardly
depends on what else the machine computes. Times by the clock are taken in turn with bare processes, so that a busy
machine slows both.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from agentgym.envs._kit.sandbox import Limits, Sandbox
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap

CODE, SHOWN = "print(1 + 1)", "2\n"
CORES = 2  # of the budget
PAUSE = 0.2  # seconds between two runs that are timed, in which the next keeper becomes ready


def spent() -> float:
    """Processor seconds of this process and of those that it has waited for, and they."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def checked(run: Callable[[], str]) -> float:
    """Milliseconds that a run takes."""
    start = time.perf_counter()
    assert run() == SHOWN
    return 1000 * (time.perf_counter() - start)


def bare(python: str) -> str:
    """The program without a sandbox."""
    command = [python, "-S", "-s", "-P", "-c", CODE]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def cost(run: Callable[[], str], runs: int, close: Callable[[], None] = lambda: None) -> float:
    """Milliseconds of processor time that one of some runs costs, all that is started for them included."""
    before = spent()
    for _ in range(runs):
        checked(run)
    close()
    return 1000 * (spent() - before) / runs


def cost_of(forks: bool, runs: int) -> float:
    """The same of a pool, whose keepers are forked or started anew."""
    backing = Bubblewrap(forks=forks)
    box = Sandbox(backing, Limits())

    def close() -> None:
        box.close()
        backing.close()

    return cost(lambda: box.python(CODE).stdout, runs, close)


def by_the_clock(box: Sandbox, python: str, runs: int) -> tuple[float, float]:
    """Median milliseconds of bare processes and of runs in the sandbox, one after the other."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        time.sleep(PAUSE)
        times[0].append(checked(lambda: bare(python)))
        times[1].append(checked(lambda: box.python(CODE).stdout))
    return statistics.median(times[0]), statistics.median(times[1])


def rate(box: Sandbox, runs: int) -> float:
    """Runs a second, by the clock, asked for by as many threads as there are cores in the budget."""
    start = time.perf_counter()
    with ThreadPoolExecutor(CORES) as threads:
        for shown in threads.map(lambda _: box.python(CODE).stdout, range(runs)):
            assert shown == SHOWN
    return runs / (time.perf_counter() - start)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    backing = Bubblewrap()
    alone = cost(lambda: bare(backing.python), runs)
    rows = [("a bare process: processor time", f"{alone:.1f} ms", "")]
    anew = cost_of(False, max(1, runs // 5))
    rows.append(("a run, each keeper started anew: processor time", f"{anew:.1f} ms", ""))
    if backing.forks:
        forked = cost_of(True, runs)
        rows.append(("a run, keepers forked: processor time", f"{forked:.1f} ms", f"at most {alone + 30:.0f} ms"))
        rows.append((f"runs a second that {CORES} cores can bear", f"{CORES * 1000 / forked:.0f}", "at least 200"))
    box = Sandbox(backing, Limits(), warm=2 * CORES)
    box.fill()
    one, other = by_the_clock(box, backing.python, max(1, runs // 4))
    rows.append(("a bare process, a run: by the clock", f"{one:.1f} ms, {other:.1f} ms", "30 ms apart"))
    rows.append((f"runs a second, by the clock, {CORES} threads", f"{rate(box, runs):.0f}", "at least 200"))
    box.close()
    backing.close()
    sys.stdout.write(f"load {os.getloadavg()[0]:.0f}; keepers {'forked' if backing.forks else 'started anew'}\n\n")
    sys.stdout.write("| figure | measured | budget |\n|---|---|---|\n")
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    main()
