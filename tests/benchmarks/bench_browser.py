"""Measures the browser: steps and resets of MiniWoB++ pages, memory of contexts, and BrowserGym on the same pages.

    python -m tests.benchmarks.bench_browser [--browsergym PYTHON] [--json FILE]

Wall time, on an otherwise idle machine: most of the work is done by the browser's processes. `PYTHON` is an interpreter
with `browsergym-miniwob` in it, best of an environment of its own, for it pins other versions; both then play the same
actions on the same pages in one run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

PAGES = ("click-button", "click-checkboxes", "enter-text", "click-tab-2", "email-inbox")
STEPS = 200
MEMORY = (1, 8, 32)

# What runs in the other interpreter: reset, then clicks at one place that does nothing, as ours are.
BROWSERGYM = """
import json, sys, time
import gymnasium as gym, browsergym.miniwob
from playwright.sync_api import BrowserType
program, pages, steps = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
launch = BrowserType.launch
BrowserType.launch = lambda self, **given: launch(self, **{**given, "executable_path": program})  # its own is not here
told = {}
for page in pages:
    env = gym.make(f"browsergym/miniwob.{page}", headless=True)
    began = time.perf_counter(); env.reset(seed=3); reset = time.perf_counter() - began
    began = time.perf_counter()
    for _ in range(steps):
        env.step("mouse_click(150, 205)")
    told[page] = [reset, steps / (time.perf_counter() - began)]
    env.close()
print("RESULT" + json.dumps(told))
"""


def rates() -> dict[str, dict[str, float]]:
    """Steps a second (an action and the outline after it) and milliseconds of a reset, page by page."""
    import gymnasium as gym

    import agentgym  # noqa: F401  (registers the ids)

    env = gym.make("AgentGym/MiniWoB-v1", max_turns=10**6)
    told = {}
    for page in PAGES:
        env.reset(seed=0, options={"task": {"page": page, "seed": 3}})
        for _ in range(20):
            env.step("click_at 150,205")
        began = time.perf_counter()
        for _ in range(STEPS):
            env.step("click_at 150,205")
        steps = STEPS / (time.perf_counter() - began)
        resets = []
        for seed in range(40):
            began = time.perf_counter()
            env.reset(seed=0, options={"task": {"page": page, "seed": seed}})
            resets.append(1000 * (time.perf_counter() - began))
        told[page] = {"steps a second": round(steps, 1), "reset ms": round(statistics.median(resets), 2)}
    env.close()
    return told


def real_clicks() -> float:
    """Steps a second of real work on a small page of one's own: find a button, click it, read the change."""
    from tests.envs.browsing import PagesEnv

    page = (
        "<h1>Count</h1><button onclick='n.textContent=+n.textContent+1'>More</button><p id=n>0</p>" + "<p>text</p>" * 20
    )
    env = PagesEnv({"/": page}, max_turns=10**6)
    env.reset(seed=0)
    for _ in range(20):
        env.step("click [2]")
    began = time.perf_counter()
    for _ in range(STEPS):
        text = env.step("click [2]")[0]
    rate = STEPS / (time.perf_counter() - began)
    assert str(20 + STEPS) in text
    env.close()
    return round(rate, 1)


def wiped() -> dict[str, float]:
    """Milliseconds of a reset of the worlds whose pages run no scripts: one context, wiped, and a new one each time."""
    import gymnasium as gym

    import agentgym  # noqa: F401  (registers the ids)

    told = {}
    for name in ("WebShopBrowser-v1", "WikiNavBrowser-v0"):
        for still in (True, False):
            env = gym.make(f"AgentGym/{name}")
            env.unwrapped.still = still
            times = []
            for number in range(22):
                began = time.perf_counter()
                env.reset(seed=number % 2)
                times.append(1000 * (time.perf_counter() - began))
            told[f"{name}, {'wiped' if still else 'new'} context"] = round(statistics.median(times[2:]))
            env.close()
    return told


def memory() -> dict[str, float]:
    """Megabytes (proportional set size) of the whole browser, per context, at several numbers of contexts."""
    from tests.envs.browsing import PagesEnv

    told, worlds = {}, []
    for count in MEMORY:
        while len(worlds) < count:
            worlds.append(PagesEnv({"/": "<h1>Page</h1>" + "<p>text</p>" * 20}))
            worlds[-1].reset(seed=0)
        total = sum(_size(pid) for pid in _family(worlds[0].context.wire.pid))
        told[f"{count} contexts, MB each"] = round(total / count, 1)
    for world in worlds:
        world.close()
    return told


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(inner for child in children for inner in _family(int(child)))]


def _size(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def browsergym(python: str, steps: int = 8) -> dict[str, dict[str, float]]:
    """The same of BrowserGym, in its own interpreter."""
    import os

    import miniwob

    from agentgym.envs.web._browser.find import find_browser

    pages = Path(miniwob.__file__).parent / "html" / "miniwob"
    done = subprocess.run(
        [python, "-c", BROWSERGYM, find_browser(), json.dumps(PAGES), str(steps)],
        env={**os.environ, "MINIWOB_URL": f"file://{pages}/"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not lines:
        raise SystemExit(f"BrowserGym did not run: {done.stderr[-600:]}")
    told = json.loads(lines[0].removeprefix("RESULT"))
    return {
        page: {"steps a second": round(rate, 2), "reset ms": round(1000 * reset)}
        for page, (reset, rate) in told.items()
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browsergym", help="interpreter with browsergym-miniwob")
    parser.add_argument("--json", help="file to write the figures to")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2]))
    figures: dict[str, object] = {
        "clicks on a small page, steps a second": real_clicks(),
        "MiniWoB++": rates(),
        "reset, ms": wiped(),
        "memory": memory(),
    }
    if options.browsergym:
        figures["BrowserGym"] = theirs = browsergym(options.browsergym)
        ours = figures["MiniWoB++"]
        figures["times as many steps as BrowserGym"] = {
            page: round(ours[page]["steps a second"] / theirs[page]["steps a second"]) for page in theirs
        }
    for name, value in figures.items():
        print(f"{name}: {json.dumps(value)}")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
