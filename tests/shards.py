"""The full suite in shards: which tests stand in which, running them, and which have passed at which commit.

    python -m tests.shards run 2/12     # one shard; without a number, each that has not passed at this commit
    python -m tests.shards list         # which shards have passed at which commit, and how long they are
    python -m tests.shards record       # take over what the runs have measured into tests/durations.json

A shard is a share of the tests that `make test-full` runs, by their measured durations, and the same in every process.
Tests marked `sampled` stand in none: another test, marked `full`, tries all of what they try a sample of.
It is planned to take at most `LIMIT` seconds on `CORES` idle cores. The command is also a plugin of pytest (`-p
tests.shards --shard 2/12`), which leaves out the tests of the other shards and notes how long each test takes.

What ran is kept in `runs/shards/`, which git ignores: `ledger.jsonl` has a line for each run of a shard.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DURATIONS = ROOT / "tests" / "durations.json"
RUNS = ROOT / "runs" / "shards"
SHARDS = 12
LIMIT, CORES = 25 * 60, 2
SLOW = 20.0  # seconds; a test that takes longer is planned by itself
CHUNK = 240.0  # seconds; the other tests of a module are kept together up to this length
UNKNOWN, UNKNOWN_FULL = 1.0, 60.0  # seconds of a test where none was ever measured; of one with the mark `full`
TESTS = "not bench and not sampled"
WORKERS = (os.cpu_count() or 1) + 1  # many tests wait for processes of theirs


@dataclass(frozen=True)
class Test:
    """One test: its id, such as `tests/core/test_env.py::test_reset[0]`, and whether it has the mark `full`."""

    __test__ = False
    id: str
    full: bool = False

    @property
    def module(self) -> str:
        """The file that it stands in."""
        return self.id.partition("::")[0]


def room_of(module: str) -> str:
    """The folder of a test module."""
    return module.rpartition("/")[0]


@dataclass
class Durations:
    """What tests take.

    Attributes:
        modules: By file, how many tests were measured and how many seconds they took together, slow ones left out.
        tests: By id, the seconds of each slow test.
    """

    modules: dict[str, tuple[int, float]] = field(default_factory=dict)
    tests: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Durations:
        """Read the file that `save` writes; nothing is known where there is none."""
        if not path.exists():
            return cls()
        table = json.loads(path.read_text(encoding="utf8"))
        return cls({name: (count, seconds) for name, (count, seconds) in table["modules"].items()}, table["tests"])

    def save(self, path: Path) -> None:
        """Write the durations, sorted by name and rounded to tenths of a second."""
        modules = {name: [count, round(seconds, 1)] for name, (count, seconds) in sorted(self.modules.items())}
        tests = {name: round(seconds, 1) for name, seconds in sorted(self.tests.items())}
        lines = [
            "{",
            ' "modules": {',
            ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in modules.items()),
            " },",
            ' "tests": {',
            ",\n".join(f"  {json.dumps(name)}: {seconds}" for name, seconds in tests.items()),
            " }",
            "}",
        ]
        path.write_text("\n".join(line for line in lines if line) + "\n", encoding="utf8")

    def of(self, test: Test) -> float:
        """The seconds that a test is expected to take: as measured, as its neighbors, or as a test of its kind."""
        if test.id in self.tests:
            return self.tests[test.id]
        count, seconds = self.modules.get(test.module, (0, 0.0))
        return seconds / count if count else self._guess(room_of(test.module), test.full)

    def _guess(self, room: str, full: bool) -> float:
        """The mean of the quick tests in a folder, or of its slow ones; where it has none, of all."""
        if full:
            near = [seconds for name, seconds in self.tests.items() if room_of(name.partition("::")[0]) == room]
            known = near or list(self.tests.values())
            return sum(known) / len(known) if known else UNKNOWN_FULL
        here = [entry for name, entry in self.modules.items() if room_of(name) == room]
        for entries in (here, list(self.modules.values())):
            count = sum(number for number, _ in entries)
            if count:
                return sum(seconds for _, seconds in entries) / count
        return UNKNOWN

    def missing(self, root: Path) -> list[str]:
        """The modules of tests that were never measured.

        Args:
            root: The project's folder.
        """
        known = {*self.modules, *(name.partition("::")[0] for name in self.tests)}
        return sorted({path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py")} - known)

    def update(self, measured: Mapping[str, float]) -> None:
        """Take over seconds by test id; what was known of their modules is replaced."""
        by_module: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, seconds in measured.items():
            by_module[name.partition("::")[0]][name] = seconds
        self.tests = {name: s for name, s in self.tests.items() if name.partition("::")[0] not in by_module}
        for module, tests in by_module.items():
            slow = {name: seconds for name, seconds in tests.items() if seconds > SLOW}
            quick = [seconds for seconds in tests.values() if seconds <= SLOW]
            self.tests.update(slow)
            self.modules[module] = (len(quick), sum(quick))


def partition(tests: Iterable[Test], count: int, durations: Durations) -> list[list[str]]:
    """Cut tests into shards that take about as long: the longest unit first, each where it makes least waiting.

    A shard takes as long as its longest unit, and no less than all of them on `CORES` cores. What is longer than a fair
    share of the suite stands with others of that kind, beside which it runs, so that no core waits for it alone.

    Args:
        tests: Each stands in exactly one shard. Their order has no influence.
        count: How many shards.
        durations: What they take.

    Returns:
        The ids of each shard, sorted.
    """
    units = sorted(_units(tests, durations), key=lambda entry: (-entry[0], entry[1]))
    lengths = [seconds for seconds, _ in units]
    fair = max(sum(lengths) / CORES / count, *lengths[count - 1 : count], 0.0)
    shards: list[list[str]] = [[] for _ in range(count)]
    takes, works = [0.0] * count, [0.0] * count
    for seconds, unit in units:
        after = [max(taken, seconds, (work + seconds) / CORES) for taken, work in zip(takes, works, strict=True)]
        waits = [max(later, fair) - max(now, fair) for later, now in zip(after, takes, strict=True)]
        place = min(range(count), key=lambda shard: (waits[shard], after[shard], works[shard]))
        takes[place] = after[place]
        works[place] += seconds
        shards[place] += unit
    return [sorted(shard) for shard in shards]


def _units(tests: Iterable[Test], durations: Durations) -> Iterable[tuple[float, list[str]]]:
    """What is not cut any further: seconds and ids of slow tests, one by one, and of the others by module."""
    modules: defaultdict[str, list[Test]] = defaultdict(list)
    for test in sorted(tests, key=lambda test: test.id):
        modules[test.module].append(test)
    for members in modules.values():
        together, total = list[str](), 0.0
        for test in members:
            seconds = durations.of(test)
            if seconds > SLOW:
                yield seconds, [test.id]
                continue
            if together and total + seconds > CHUNK:
                yield total, together
                together, total = [], 0.0
            together, total = [*together, test.id], total + seconds
        if together:
            yield total, together


def parse(shard: str) -> tuple[int, int]:
    """Number and count of `k/n`.

    Raises:
        ValueError: if it is not from 1/n to n/n.
    """
    number, slash, count = shard.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"a shard is k/n with 1 <= k <= n, such as 2/{SHARDS}, got {shard!r}")
    return int(number), int(count)


# The plugin of pytest


class Plugin:
    """Leaves out the tests of other shards, and sums up how long each test takes."""

    def __init__(self, shard: str, measured: str | None):
        self.number, self.count = parse(shard)
        self.measured = measured
        self.seconds: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the tests of this shard, the slow ones first: a worker that begins one last keeps the others waiting."""
        durations = Durations.load(DURATIONS)
        tests = [Test(item.nodeid, item.get_closest_marker("full") is not None) for item in items]
        mine = set(partition(tests, self.count, durations)[self.number - 1])
        seconds = {test.id: durations.of(test) for test in tests}
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in mine])
        kept = [item for item in items if item.nodeid in mine]
        items[:] = sorted(kept, key=lambda item: -seconds[item.nodeid] if seconds[item.nodeid] > SLOW else 0.0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a phase of a test took and how it ended."""
        self.seconds[report.nodeid.partition("@")[0]] += report.duration  # xdist adds `@group`
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write down what was measured, in the process that has all of it."""
        if self.measured and not hasattr(session.config, "workerinput"):
            text = json.dumps({"seconds": self.seconds, "outcomes": self.outcomes})
            Path(self.measured).write_text(text, encoding="utf8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options `--shard` and `--measured`."""
    parser.addoption("--shard", default="1/1", help="the share of the tests to run, k/n")
    parser.addoption("--measured", help="a file for the seconds of each test and for how many passed")


def pytest_configure(config: pytest.Config) -> None:
    """Put the plugin to work."""
    config.pluginmanager.register(Plugin(config.getoption("--shard"), config.getoption("--measured")), "shards")


# The command


def git(*arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def ledger() -> list[dict[str, Any]]:
    """Every run of a shard, the oldest first."""
    path = RUNS / "ledger.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()] if path.exists() else []


def passed(entries: Iterable[Mapping[str, Any]], commit: str) -> dict[str, Mapping[str, Any]]:
    """By shard, the last run at a commit whose tree had no changes, if it passed."""
    last = {entry["shard"]: entry for entry in entries if entry["commit"] == commit and not entry["changed"]}
    return {shard: entry for shard, entry in last.items() if entry["passed"]}


def run(shard: str) -> bool:
    """Run one shard on all cores, and write a line of the ledger.

    Args:
        shard: `k/n`.

    Returns:
        Whether every test passed.
    """
    parse(shard)
    commit, changed, began = git("rev-parse", "HEAD"), bool(git("status", "--porcelain")), time.monotonic()
    command = [sys.executable, "-m", "pytest", "-n", str(WORKERS), "--dist", "loadgroup", "-m", TESTS]
    command += ["--no-loadscope-reorder"]  # the plugin has put them in order
    RUNS.mkdir(parents=True, exist_ok=True)
    last = RUNS / "last.json"
    last.write_text('{"seconds": {}, "outcomes": {}}', encoding="utf8")  # what stays if pytest itself fails
    command += ["-p", "tests.shards", "--shard", shard, "--measured", str(last)]
    done = subprocess.run(command, cwd=ROOT, check=False)
    measured = json.loads(last.read_text(encoding="utf8"))
    entry = {
        "shard": shard,
        "commit": commit,
        "changed": changed,
        "passed": done.returncode == 0,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "tests": measured["outcomes"],
        "python": ".".join(map(str, sys.version_info[:3])),
        "when": time.strftime("%Y-%m-%d %H:%M"),
    }
    with (RUNS / "ledger.jsonl").open("a", encoding="utf8") as file:
        file.write(json.dumps(entry) + "\n")
    path = RUNS / "seconds.json"
    known = json.loads(path.read_text(encoding="utf8")) if path.exists() else {}
    path.write_text(json.dumps(known | measured["seconds"]), encoding="utf8")
    return done.returncode == 0


def run_missing() -> bool:
    """Run every shard of the default number that has not passed at this commit; stop at the first that fails."""
    done = passed(ledger(), git("rev-parse", "HEAD"))
    missing = [shard for k in range(SHARDS) if (shard := f"{k + 1}/{SHARDS}") not in done]
    return all(run(shard) for shard in missing)


def listed(entries: Sequence[Mapping[str, Any]], head: str) -> str:
    """The ledger as text: every commit at which a shard of the default number passed, then each shard at `head`."""
    lines = []
    for commit in dict.fromkeys(entry["commit"] for entry in entries):
        numbers = sorted(parse(shard)[0] for shard in passed(entries, commit) if parse(shard)[1] == SHARDS)
        if numbers:
            lines.append(f"{commit[:10]}  {len(numbers)} of {SHARDS} shards passed: {', '.join(map(str, numbers))}")
    done = passed(entries, head)
    for number in range(1, SHARDS + 1):
        entry = done.get(f"{number}/{SHARDS}")
        said = f"passed in {entry['minutes']} minutes, {entry['when']}, {entry['tests']}" if entry else "not passed"
        lines.append(f"{number}/{SHARDS} at {head[:10]}: {said}")
    return "\n".join(lines)


def record() -> Durations:
    """Take over what the runs have measured into the file of durations; forget modules that are gone."""
    durations = Durations.load(DURATIONS)
    durations.update(json.loads((RUNS / "seconds.json").read_text(encoding="utf8")))
    durations.modules = {name: entry for name, entry in durations.modules.items() if (ROOT / name).exists()}
    durations.tests = {name: s for name, s in durations.tests.items() if name.partition("::")[0] in durations.modules}
    durations.save(DURATIONS)
    return durations


def unmeasured(durations: Durations) -> str:
    """A line that names the modules whose tests the plan must guess; empty if there are none."""
    missing = durations.missing(ROOT)
    return f"never measured, so planned by a guess: {len(missing)} modules: {', '.join(missing)}\n" if missing else ""


def main(arguments: Sequence[str]) -> int:
    """The command; returns the exit code."""
    match arguments:
        case ["run"]:
            return 0 if run_missing() else 1
        case ["run", shard]:
            return 0 if run(shard) else 1
        case ["list"]:
            sys.stdout.write(listed(ledger(), git("rev-parse", "HEAD")) + "\n")
            sys.stdout.write(unmeasured(Durations.load(DURATIONS)))
        case ["record"]:
            durations = record()
            sys.stdout.write(
                f"{DURATIONS.relative_to(ROOT)}: {len(durations.modules)} modules\n{unmeasured(durations)}"
            )
        case _:
            sys.stderr.write(__doc__ or "")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
