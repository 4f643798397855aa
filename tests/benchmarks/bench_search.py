"""Measures search and product look-up over shops of any size, in the published file format, end to end.

    python tests/benchmarks/bench_search.py --products 1000000 [--queries FILE] [--folder DIR]

Files are generated (`shop_files.py`), read into a cache folder in one process, and searched in another with the 12,087
instructions that people wrote for WebShop. One query is one search and the decoding of the ten products of its first
page. Prints one JSON line and deletes what it wrote; a million products need 6 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PAGE, FOUND = 10, 50
QUERIES = Path(__file__).parents[3] / "shared" / "data" / "webshop" / "human_goals.json"


def memory(*names: str) -> dict[str, int]:
    """Figures of this process from the system's status file, in MiB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(lines[name].split()[0]) // 1024 for name in names}


def opened(folder: Path) -> Any:
    from agentgym.envs.web._shop.loading import ShopFiles, StoredCatalog

    files = ShopFiles(*(folder / f"{name}.json" for name in ("items_shuffle", "items_ins_v2", "items_human_ins")))
    return StoredCatalog.open(files, folder / "cache")


def build(folder: Path) -> dict[str, Any]:
    """Read the files into the cache folder."""
    begin, used = time.perf_counter(), time.process_time()
    catalog = opened(folder)
    return {
        "build_s": round(time.perf_counter() - begin, 1),
        "build_cpu_s": round(time.process_time() - used, 1),
        "build_peak_mib": memory("VmHWM")["VmHWM"],
        "build_end_private_mib": memory("RssAnon")["RssAnon"],
        "disk_mb": round(sum(path.stat().st_size for path in (folder / "cache").rglob("*") if path.is_file()) / 1e6),
        "human_goals": len(catalog.human_goals()),
        "synthetic_goals": len(catalog.synthetic_goals()),
    }


def query(folder: Path, queries: Path) -> dict[str, Any]:
    """Open the cache folder, then time each different query once."""
    import numpy as np

    begin = time.perf_counter()
    catalog = opened(folder)
    opening = time.perf_counter() - begin
    after_opening = memory("VmRSS")["VmRSS"]
    texts = list(dict.fromkeys(json.loads(queries.read_text(encoding="utf-8"))))
    wall, cpu = [], []
    for text in texts:
        begin, used = time.perf_counter(), time.thread_time()
        for position in catalog.search(text, FOUND)[:PAGE]:
            catalog.get(position)
        cpu.append(time.thread_time() - used)
        wall.append(time.perf_counter() - begin)
    figures: dict[str, Any] = {"queries": len(texts), "open_s": round(opening, 2), "open_rss_mib": after_opening}
    for name, times in (("", wall), ("cpu_", cpu)):
        milliseconds = np.array(times) * 1e3
        for percent in (50, 95, 99, 100):
            figures[f"{name}p{percent}_ms"] = round(float(np.percentile(milliseconds, percent)), 3)
    figures["queries_per_s"] = round(len(wall) / sum(wall))
    return figures | {f"end_{name.lower()}_mib": value for name, value in memory("VmRSS", "RssAnon", "RssFile").items()}


def step(name: str, folder: Path, queries: Path) -> dict[str, Any]:
    """Run one step in a process of its own and return its figures."""
    command = [sys.executable, __file__, "--step", name, "--folder", str(folder), "--queries", str(queries)]
    figures: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def measure(products: int, folder: Path, queries: Path) -> dict[str, Any]:
    """All figures for a shop of `products` products."""
    from shop_files import write_shop

    files = write_shop(folder, products, json.loads(queries.read_text(encoding="utf-8")))
    size = round(sum(path.stat().st_size for path in files) / 1e6)
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    return (
        {"products": products, "input_mb": size}
        | step("build", folder, queries)
        | step("query", folder, queries)
        | machine
    )


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=int, default=1_000_000)
    parser.add_argument("--queries", type=Path, default=QUERIES, help="JSON list of instructions")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--step", choices=("build", "query"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.queries.is_file():
        parser.error(f"{given.queries} does not exist; give WebShop's human_goals.json with --queries")
    if given.step is not None:
        figures = build(given.folder) if given.step == "build" else query(given.folder, given.queries)
    else:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            figures = measure(given.products, Path(folder), given.queries)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
