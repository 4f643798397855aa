"""Break the repositories, see what fails, and write the repairs.

    python -m agentgym.envs.code._repair.generate.build [REPOSITORY ...] [--check]

Each fault is played alone, and the faults of a repair together, in the sandbox. The same sources give the same file:
every repository has its own stream. Those that are named are made anew, the others are kept; `--check` compares, and
writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import agentgym.assets.repositories as assets
from agentgym.assets.repositories import SPLITS, Fault, Repair, Repository, broken, load_repository
from agentgym.core.rng import stream
from agentgym.envs.code._repair.generate.mutants import apart, mutants
from agentgym.envs.code._repair.generate.operators import OPERATORS
from agentgym.envs.code._repair.judge import NOTHING, run_cases, run_tests

HOME = Path(assets.__file__).parent
PER_OPERATOR = 6  # faults of one operator in a repository that are tried
PER_REPOSITORY = {"train": 60, "val": 40, "test": 60}
SHARES = {"train": 5, "val": 3, "test": 4}  # of the mixes of operators
SIZES, ODDS = (2, 3, 4), (0.55, 0.35, 0.1)  # faults of a repair
LEAST, MOST = 2, 0.6  # cases that a fault breaks: how many, and which share
TRIED, MOST_USES, LONGEST_QUOTE, LONGEST_GOT = 12_000, 8, 9, 400
THREADS = 3
CHECKSUM_MODULE = '''"""Written by `generate.build`: what the shipped repairs must hash to."""

CHECKSUM = "{digest}"
"""SHA-256 of `repairs.json.gz`."""
'''


@dataclass(frozen=True, eq=False)
class Single:
    """A fault with the cases that it breaks when it is alone."""

    fault: Fault
    failing: frozenset[int]


def split_of(operators: Sequence[str]) -> str:
    """The split to which a mix of operators belongs, whatever the repository.

    Args:
        operators: Names, in any order.
    """
    names = [name for name, share in SHARES.items() for _ in range(share)]
    return names[zlib.crc32(" ".join(sorted(operators)).encode()) % len(names)]


def sources(repository: Repository) -> dict[str, str]:
    """The files of a repository that may be broken."""
    return {path: text for path, text in repository.files.items() if path.startswith(f"{repository.name}/")}


def drawn(repository: Repository) -> list[Fault]:
    """Faults to try: of each operator some, wherever in the repository."""
    found: list[Fault] = []
    every = [each for path, text in sources(repository).items() for each in mutants(path, text)]
    for name in OPERATORS:
        rng = stream("code.repair.faults", zlib.crc32(repository.name.encode()), zlib.crc32(name.encode()))
        known = [each for each in every if each.operator == name]
        made = 0
        for at in rng.permutation(len(known)):
            fault = known[int(at)].fault()
            if fault is not None and all(
                (fault.path, fault.first, fault.faulty) != (f.path, f.first, f.faulty) for f in found
            ):
                found.append(fault)
                made += 1
            if made == PER_OPERATOR:
                break
    return found


def failing(
    repository: Repository, answers: Sequence[str], faults: Sequence[Fault]
) -> tuple[frozenset[int], list[tuple[str, str]]]:
    """The cases that give something else than they should, and what each gives.

    Args:
        repository: The sound one.
        answers: What each case should give.
        faults: What is wrong.
    """
    got = list(run_cases(repository, broken(repository.files, faults)))
    return frozenset(at for at, (said, _) in enumerate(got) if said != answers[at]), got


def singles(repository: Repository, answers: Sequence[str]) -> list[Single]:
    """Faults that break some cases and leave others.

    Args:
        repository: The sound one.
        answers: What each case should give.
    """
    faults = drawn(repository)
    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(lambda fault: failing(repository, answers, [fault]), faults))
    kept = []
    for fault, (wrong, got) in zip(faults, results, strict=True):
        ended = all(said != NOTHING for said, _ in got)
        if ended and LEAST <= len(wrong) <= MOST * len(answers):
            kept.append(Single(fault, wrong))
    return kept


def interacting(chosen: Sequence[Single]) -> bool:
    """Whether every fault breaks a case that another one breaks too, and all hang together in this way."""
    reached, waiting = {0}, [0]
    while waiting:
        here = chosen[waiting.pop()]
        for at, other in enumerate(chosen):
            if at not in reached and here.failing & other.failing:
                reached.add(at)
                waiting.append(at)
    return len(reached) == len(chosen) and len({single.failing for single in chosen}) > 1


def combinations(found: Sequence[Single], split: str, rng: np.random.Generator) -> Iterator[tuple[Single, ...]]:
    """Faults that interact, each set once, with mixes of operators that belong to a split.

    Args:
        found: The faults to combine; each is used `MOST_USES` times at most.
        split: One of `SPLITS`; sets whose mix belongs to another one are passed over.
        rng: Draws how many faults a set has, and which.
    """
    seen, uses = set(), dict.fromkeys(range(len(found)), 0)
    for _ in range(TRIED):
        size = int(rng.choice(SIZES, p=ODDS))
        places = sorted(int(at) for at in rng.choice(len(found), size=size, replace=False))
        chosen = tuple(found[at] for at in places)
        names = [single.fault.operator for single in chosen]
        if tuple(places) in seen or len(set(names)) < size or split_of(names) != split:
            continue
        if (
            max(uses[at] for at in places) < MOST_USES
            and apart([single.fault for single in chosen])
            and interacting(chosen)
        ):
            seen.add(tuple(places))
            for at in places:
                uses[at] += 1
            yield chosen


def quotes(
    repository: Repository, chosen: Sequence[Single], wrong: frozenset[int], got: Sequence[tuple[str, str]]
) -> list[int] | None:
    """Cases for the issue: every fault shows in one, and in another one that is not told; None if there are none.

    Args:
        repository: Whose cases; one with long code is not told.
        chosen: The faults, each with the cases that it breaks when it is alone.
        wrong: Places of the cases that fail with all faults together.
        got: What each case gives then, and the message of its error; a long one is not told.

    Returns:
        Places among the cases, as few as will do, in order.
    """
    fit = [
        at for at in sorted(wrong)
        if len(repository.cases[at].code.splitlines()) <= LONGEST_QUOTE and len(got[at][0]) <= LONGEST_GOT
    ]  # fmt: skip
    for count in range(1, len(chosen) + 1):
        for told in itertools.combinations(fit, count):
            shown = all(any(at in single.failing for at in told) for single in chosen)
            if shown and all((single.failing & wrong) - set(told) for single in chosen):
                return list(told)
    return None


def repairs(repository: Repository, split: str, answers: Sequence[str]) -> list[Repair]:
    """The repairs of a repository.

    Args:
        repository: The sound one.
        split: To which it belongs.
        answers: What each case should give.
    """
    found = singles(repository, answers)
    rng = stream("code.repair.mixes", zlib.crc32(repository.name.encode()))
    made: list[Repair] = []
    for chosen in combinations(found, split, rng):
        faults = tuple(single.fault for single in chosen)
        wrong, got = failing(repository, answers, faults)
        if len(wrong) > MOST * len(answers) or any(said == NOTHING for said, _ in got):
            continue
        told = quotes(repository, chosen, wrong, got)
        if told is None:
            continue
        visible = len(run_tests(broken(repository.files, faults)).failed)
        said = tuple((at, got[at][0] + (f": {got[at][1]}" if got[at][1] else "")) for at in told)
        name = f"{repository.name}-{len(made) + 1:03d}"
        made.append(Repair(name, repository.name, faults, tuple(sorted(wrong)), said, visible))
        if len(made) == PER_REPOSITORY[split]:
            break
    report(f"{repository.name}: {len(found)} faults, {len(made)} repairs")
    return made


def report(line: str) -> None:
    """Say how far it is."""
    sys.stderr.write(f"{line}\n")


def sound(repository: Repository) -> list[str]:
    """What each case gives where nothing is wrong, twice the same; the repository's tests hold."""
    tested = run_tests(repository.files)
    assert tested.ran, f"{repository.name} has no tests"
    assert (tested.failed, tested.error) == ((), ""), f"{repository.name}: {tested}"
    first, second = run_cases(repository, repository.files), run_cases(repository, repository.files)
    assert first == second, f"{repository.name}: its cases differ from run to run"
    assert all(said not in (NOTHING, "does not end") for said, _ in first), repository.name
    return [said for said, _ in first]


def build(names: Sequence[str], known: dict[str, Any]) -> dict[str, Any]:
    """The record of all repositories, of which some are made anew.

    Args:
        names: Of these.
        known: An earlier record.
    """
    record: dict[str, Any] = {"repositories": {}, "repairs": []}
    for split, members in SPLITS.items():
        for name in members:
            repository = load_repository(name)
            if name in names or name not in known["repositories"]:
                answers = sound(repository)
                record["repositories"][name] = {"digest": repository.digest, "answers": answers}
                record["repairs"] += [list(astuple(each)) for each in repairs(repository, split, answers)]
            else:
                record["repositories"][name] = known["repositories"][name]
                record["repairs"] += [each for each in known["repairs"] if each[1] == name]
    return json.loads(json.dumps(record))


def packed(record: dict[str, Any]) -> bytes:
    """The bytes of a record, the same at any time."""
    return gzip.compress(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(), 9, mtime=0)


def main() -> int:
    """Write the repairs, or compare them."""
    parser = argparse.ArgumentParser(description="break the repositories, and write the repairs")
    parser.add_argument("names", nargs="*", help="repositories to make anew; all if none is named")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    file = HOME / "repairs.json.gz"
    known: dict[str, Any] = {"repositories": {}, "repairs": []}
    if given.names and file.exists():
        known = json.loads(gzip.decompress(file.read_bytes()))
    data = packed(build(given.names or [name for members in SPLITS.values() for name in members], known))
    if given.check:
        return int(gzip.decompress(data) != gzip.decompress(file.read_bytes()))
    file.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    (HOME / "checksum.py").write_text(CHECKSUM_MODULE.format(digest=digest), encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
