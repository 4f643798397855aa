"""What a run in bubblewrap costs over a bare process, and how many runs a pool makes.

    python tests/benchmarks/bench_sandbox.py

The two are measured in turn, so that a busy machine slows both. It prints medians in milliseconds and runs a second.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from agentgym.envs._kit.sandbox import Limits, Sandbox
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap

CODE, SHOWN = "print(1 + 1)", "2\n"
ROUNDS, PAUSE, IN_A_ROW = 30, 0.4, 40  # a pause lets the pool start another one ahead


def timed(work) -> float:
    """Milliseconds that some work takes."""
    start = time.perf_counter()
    assert work() == SHOWN
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    """Measure, and print."""
    backing = Bubblewrap()
    box = Sandbox(backing, Limits(), warm=4)
    box.fill()
    command = [backing.python, "-S", "-s", "-P", "-c", CODE]
    bare, warm = [], []
    for _ in range(ROUNDS):
        time.sleep(PAUSE)
        bare.append(timed(lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        warm.append(timed(lambda: box.python(CODE).stdout))
    start = time.perf_counter()
    for _ in range(IN_A_ROW):
        assert box.python(CODE).stdout == SHOWN
    rate = IN_A_ROW / (time.perf_counter() - start)
    box.close()
    one, other = statistics.median(bare), statistics.median(warm)
    sys.stdout.write(
        f"bare {one:.0f} ms, started ahead {other:.0f} ms: {other - one:+.0f} ms; {rate:.0f} runs a second\n"
    )


if __name__ == "__main__":
    main()
