"""Measures a user's corpus in SearchQA: passages read from a file into a cache folder, then opened and searched.

    python tests/benchmarks/bench_retrieval.py --passages 1000000 [--folder DIR]

The file is generated: each passage has a title of its own and some thirty words drawn by Zipf's law from 200,000. One
query is two words of a passage. Each step runs in a process of its own. Prints one JSON line and deletes what it wrote.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

WORDS, LENGTH, QUERIES, RESULTS = 200_000, 30, 2_000, 3


def write(folder: Path, passages: int) -> None:
    """The file of passages, and one of questions about them."""
    rng = np.random.default_rng(0)
    with (folder / "passages.jsonl").open("w", encoding="utf8") as file:
        for number in range(passages):
            words = " ".join(f"w{word % WORDS:x}" for word in rng.zipf(1.2, LENGTH))
            file.write(json.dumps({"title": f"Case {number}", "text": f"{words}."}) + "\n")
    rows = [
        {"question": f"Which case is number {number}?", "answer": f"Case {number}"}
        for number in range(0, passages, max(1, passages // QUERIES))
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf8")


def opened(folder: Path) -> Any:
    """The world over the files."""
    import gymnasium as gym

    import agentgym  # noqa: F401  (registers the ids)

    files = {"corpus": folder / "passages.jsonl", "questions": folder / "questions.jsonl"}
    return gym.make("AgentGym/SearchQA-v0", split="train", **files).unwrapped


def step(name: str, folder: Path) -> dict[str, Any]:
    """What one step takes, in this process."""
    begin, used = time.perf_counter(), time.process_time()
    env = opened(folder)
    figures = {
        f"{name}_s": round(time.perf_counter() - begin, 2),
        f"{name}_cpu_s": round(time.process_time() - used, 2),
        f"{name}_peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    if name == "build":
        cache = Path(os.environ["AGENTGYM_CACHE"])
        figures["disk_mb"] = round(sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / 1e6)
        return figures
    rng, times = np.random.default_rng(1), []
    for _ in range(QUERIES):
        env.reset(seed=0)
        number = int(rng.integers(len(env._corpus)))
        query = " ".join([*env._corpus.get(number).text.split()[:2], str(number)])
        used = time.thread_time()
        text = env.step(f"search[{query}]")[0]
        times.append(time.thread_time() - used)
        assert f"(Title: Case {number})" in text, query
    for percent in (50, 95, 99):
        figures[f"search_cpu_p{percent}_ms"] = round(float(np.percentile(np.array(times) * 1e3, percent)), 2)
    return figures


def measure(passages: int, folder: Path) -> dict[str, Any]:
    """All figures for a corpus of so many passages."""
    write(folder, passages)
    figures: dict[str, Any] = {"passages": passages}
    for name in ("build", "open"):
        command = [sys.executable, __file__, "--step", name, "--folder", str(folder)]
        given = {**os.environ, "AGENTGYM_CACHE": str(folder / "cache")}
        figures |= json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=given).stdout)
    return figures


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--step", choices=("build", "open"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step is not None:
        print(json.dumps(step(given.step, given.folder)))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        print(json.dumps(measure(given.passages, Path(folder))))


if __name__ == "__main__":
    main()
