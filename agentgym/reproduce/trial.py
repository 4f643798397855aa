"""Trying a claim: every arm and seed trained and tested, as many at once as there are cores, each run only once."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, DataError, require, unknown
from agentgym.core.catalog import find_card, full_id
from agentgym.core.errors import import_named
from agentgym.core.files import LOG, read_object, write_whole
from agentgym.core.kinds import check_kind
from agentgym.evaluate.metrics import pass_at_k, share_left_out
from agentgym.report import Series, line_chart, machine
from agentgym.report.runs import read_run
from agentgym.reproduce.claim import FUNCTION, Claim, matched
from agentgym.reproduce.metrics import PASS_AT, TESTED, TRAINED, WALKED, TriedTasks, powers
from agentgym.reproduce.support import compared
from agentgym.reproduce.verdict import answers, judge
from agentgym.rollout.episode import Episode
from agentgym.rollout.record_folder import RecordFolder
from agentgym.vector.pool import WorkerPool

TEST_SEED = 4711
MOST_SEEDS = 48
EQUAL_SPENT = 0.1  # share by which arms that are matched may differ in what they spent
INTERVAL = (
    "95 %, Student's t over the paired differences of the seeds, which scatter by 1/64 at least; where figures are of "
    "test tasks, with the standard error of a bootstrap over seeds and tasks. Verdicts after Holm's correction"
)
LEFT_OUT = ("environment", "outage")  # failures that the policy has no part in
Progress = Callable[[str, int], None]


def reproduce(
    claim: Claim, seeds: int, out: Path, *, command: str, workers: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Try a claim and write `NAME.json` and `NAME.svg`.

    Every seed is an experiment of its own: its demonstrations, initial weights, training tasks and sampling. The arms
    of a seed begin with the same clone and are tested on the same tasks with the same random draws.

    Args:
        claim: What to try.
        seeds: How many seeds, 2 to 48.
        out: Folder of the result, held by one process at a time; the runs go to `out/runs`. A run that is there already
            is not repeated, and one that was cut off goes on from its newest checkpoint.
        command: What the record says it was made by.
        workers: Processes; by default one a core.
        progress: Called with an arm and a seed when they are done.

    Returns:
        The record: claim, source, world (of several, a list), metrics, arms, seeds, findings, verdict, what each
        question is answered, what the arms can solve at all, worlds that are absent, command, machine and versions.
    """
    if not 2 <= seeds <= MOST_SEEDS:
        raise ConfigError(f"a comparison needs 2 to {MOST_SEEDS} seeds, got {seeds}")
    with RecordFolder(out):
        measured = measure_arms(claim, seeds, out / "runs", workers or os.cpu_count() or 1, progress)
        record = _record(claim, measured, seeds, command)
        write_whole(out / f"{claim.name}.json", json.dumps(record, indent=1) + "\n")
        curves = _curves(claim, seeds, out / "runs")
        if curves:
            write_whole(out / f"{claim.name}.svg", curves)
    return record


def measure_arms(
    claim: Claim, seeds: int, runs: Path, workers: int, progress: Progress | None
) -> dict[str, list[dict[str, Any]]]:
    """The metrics of every arm, by seed.

    Args:
        claim: Whose arms they are.
        seeds: How many; those measured already are not measured again.
        runs: Folder of the runs.
        workers: Processes.
        progress: Called with an arm and a seed when they are done.

    Raises:
        ConfigError: if a check is of exploitability and an arm is no game whose deals are listed, or no arm has the
            opponent.
    """
    _check_games(claim)
    tables = {(name, seed): {**arm.table, "seed": seed} for seed in range(seeds) for name, arm in claim.arms.items()}
    clones = {str(_clone_of(table, runs)): table for table in tables.values() if _shares_clone(table)}
    measured: dict[str, list[dict[str, Any]]] = {arm: [{}] * seeds for arm in claim.arms}
    walked = tuple(metric for metric in WALKED if any(check.metric == metric for check in claim.checks))
    test = FinalTest(claim.tasks, claim.tries, claim.opponent, walked)
    jobs = [(arm, table, test) for arm, table in tables.items()]

    def keep(found: tuple[tuple[str, int], dict[str, Any]]) -> None:
        (name, seed), figures = found
        measured[name][seed] = figures
        if progress:
            progress(name, seed)

    with WorkerPool(partial(_Trials, runs), min(workers, len(jobs))) as pool:
        pool.run("clone", list(clones.values()), lambda done: None)
        pool.run("measure", jobs, keep)
    return measured


def _check_games(claim: Claim) -> None:
    """Refuse an opponent that an arm's world does not have, and exploitability of what cannot be walked through."""
    from agentgym.train import read_recipe
    from agentgym.train.exploit import why_not

    if claim.opponent and claim.metrics:
        raise ConfigError(f"opponent of the claim {claim.name} has no effect: functions test its arms")
    for name, arm in claim.arms.items() if claim.opponent else ():
        card = find_card(full_id(arm.table["world"]["id"]))
        if card is not None and not card.opponents:
            raise ConfigError(f"opponent of the claim {claim.name} has no effect: {card.id} of arm {name!r} has none")
        if card is not None and claim.opponent not in card.opponents:
            raise unknown(f"opponent of the claim {claim.name} for arm {name!r}", claim.opponent, card.opponents)
    for check in claim.checks:
        for name in (*matched(claim.arms, check.larger), *matched(claim.arms, check.smaller)):
            reason = check.metric in WALKED and not claim.metrics and why_not(read_recipe(claim.arms[name].table))
            if reason:
                raise ConfigError(f"arm {name!r} of the claim {claim.name}: {reason}")


def _record(claim: Claim, measured: Mapping[str, Sequence[Mapping[str, Any]]], seeds: int, command: str) -> Any:
    for arm, seeds_of in measured.items():
        missing = [metric for metric in claim.metrics for each in seeds_of if metric not in each]
        if missing:
            raise ConfigError(f"the function of arm {arm!r} of the claim {claim.name} measured no {missing[0]!r}")
    findings, verdict = judge(claim, measured)
    told: dict[str, Any] = {"metrics": dict(claim.metrics), "support": []}
    if not claim.metrics:
        worlds = _by_world(claim)
        told = {
            "world": json.loads(next(iter(worlds))) if len(worlds) == 1 else [json.loads(each) for each in worlds],
            "test": {
                "split": "test",
                "tasks": claim.tasks,
                "tries": claim.tries,
                "seed": TEST_SEED,
                **({"opponent": claim.opponent} if claim.opponent else {}),
            },
            "support": [
                pair for arms in worlds.values() for pair in compared({arm: measured[arm] for arm in arms}, claim.tries)
            ],
        }
    return {
        "claim": claim.claim,
        "source": claim.source,
        "verdict": verdict,
        **told,
        "questions": answers(findings),
        "findings": [finding.record() for finding in findings],
        "arms": {
            name: {
                "recipe": dict(arm.table),
                "by_seed": list(measured[name]),
                "left_out": _share_left_out(measured[name]),
            }
            for name, arm in claim.arms.items()
        },
        "seeds": list(range(seeds)),
        "absent": dict(claim.absent),
        **({"matched": _spent(claim, measured)} if claim.matched else {}),
        "interval": INTERVAL,
        "command": command,
        "machine": machine(),
    }


def _spent(claim: Claim, measured: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """What the arms were matched by, what each spent of it on average, and whether that is about as much."""
    spent = {arm: math.fsum(run[claim.matched] for run in runs) / len(runs) for arm, runs in measured.items()}
    return {
        "by": claim.matched,
        "spent": spent,
        "equal": max(spent.values()) <= (1 + EQUAL_SPENT) * min(spent.values()),
    }


def _by_world(claim: Claim) -> dict[str, list[str]]:
    """The arms of each world, which is written as JSON: only they are tested on the same tasks."""
    found: dict[str, list[str]] = {}
    for name, arm in claim.arms.items():
        found.setdefault(json.dumps(arm.table["world"], sort_keys=True), []).append(name)
    return found


def _share_left_out(seeds: Sequence[Mapping[str, Any]]) -> float:
    """Share of an arm's test episodes that no figure is of."""
    episodes = sum(sum(each.get("played", ())) + each.get("left_out", 0) for each in seeds)
    if not episodes:
        return 0.0  # what functions measure leaves nothing out
    return share_left_out(episodes - sum(each["left_out"] for each in seeds), episodes)


@dataclass(frozen=True)
class FinalTest:
    """How an arm is tested: the claim's `tasks`, `tries` and `opponent`, and which metrics of `WALKED` it asks for."""

    tasks: int
    tries: int
    opponent: str = ""
    walked: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """What the figures are kept as, beside the run."""
        return "-".join(["measured", str(self.tasks), str(self.tries), *([self.opponent] if self.opponent else [])])


class _Trials:
    """In a process of its own, which computes on one core: trains and tests.

    Args:
        runs: Folder of the runs.
    """

    def __init__(self, runs: Path):
        self._runs = runs
        require("torch", extra="train", purpose="agentgym reproduce").set_num_threads(1)

    def clone(self, table: Mapping[str, Any]) -> None:
        """Make the clone that the arms of a seed begin with, if it is not there."""
        _clone(table, self._runs)

    def measure(self, job: tuple[tuple[str, int], Mapping[str, Any], FinalTest]) -> tuple[tuple[str, int], Any]:
        """An arm's name and seed, and the figures of its table, tested like this."""
        arm, table, test = job
        if FUNCTION in table:
            return arm, _called(table, self._runs)
        return arm, _measure(table, self._runs, test)

    def close(self) -> None:
        """It holds nothing."""


def _shares_clone(table: Mapping[str, Any]) -> bool:
    """Whether an arm begins with a clone that others may begin with: of a teacher, not of runs of its own."""
    return "clone" in table and not (isinstance(table["clone"], Mapping) and table["clone"].get("runs"))


def _clone_table(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: table[name] for name in ("world", "model", "clone", "seed") if name in table}


def _clone_of(table: Mapping[str, Any], runs: Path) -> Path:
    """Where the clone stands that a run begins with."""
    return runs / f"clone-{_digest(_clone_table(table))}"


def _clone(table: Mapping[str, Any], runs: Path) -> None:
    """Make the clone that the arms of a seed begin with, unless it is made."""
    from agentgym.train import run_recipe

    run_recipe(_clone_table(table), _clone_of(table, runs))


def _measure(table: Mapping[str, Any], runs: Path, test: FinalTest) -> dict[str, Any]:
    """Train one arm with one seed, or find it trained, and test it."""
    from agentgym.train import run_recipe

    folder = runs / _digest(table)
    done = folder / f"{test.file}.json"
    wanted = {*TESTED, *TRAINED, *test.walked}
    if done.exists():
        try:
            figures = read_object(done)
            check_kind(figures, dict[str, float | list[int | None]], f"figures of a trial in {done}")
            if wanted <= figures.keys():
                return figures
            LOG.warning("%s lacks %s; it is measured again", done, min(wanted - figures.keys()))
        except DataError as error:
            LOG.warning("%s; it is measured again", error)
    trainer = run_recipe(table, folder, begin=_clone_of(table, runs) / "cloned" if _shares_clone(table) else None)
    trained = time.perf_counter()
    figures = {
        **{name: metric.measure(trainer.history) for name, metric in TRAINED.items()},
        **{name: WALKED[name].measure(trainer) for name in test.walked},
        **_tested(trainer, test),
        "seconds_trained": math.fsum(update["seconds"] for update in trainer.history),
        "seconds_tested": time.perf_counter() - trained,
    }
    write_whole(done, json.dumps(figures))
    return figures


def _called(table: Mapping[str, Any], runs: Path) -> dict[str, float]:
    """What an arm's function measures with one seed, or has measured.

    Raises:
        ConfigError: if there is no such function, or it does not take the options.
        DataError: if it returns no figures.
    """
    done = runs / _digest(table) / "measured.json"
    if done.exists():
        figures = read_object(done)
        check_kind(figures, dict[str, float], f"figures of a trial in {done}")
        return figures
    module, _, name = table[FUNCTION].partition(":")
    try:
        function = getattr(import_named(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"there is no function {table[FUNCTION]!r}: {error}") from None
    figures = function(seed=table["seed"], **table["options"])
    check_kind(figures, dict[str, float], f"what {table[FUNCTION]} measured")
    done.parent.mkdir(parents=True, exist_ok=True)
    write_whole(done, json.dumps(figures))
    return figures


def _tested(trainer: Any, test: FinalTest) -> dict[str, Any]:
    """Every test task played so many times, the first of which is the one for `success`; `wins` counts by task.

    A game is played from every place so many times. An episode in which the world failed says nothing of the policy: it
    is left out, counted as `left_out`, and each figure is a mean over the tasks that have enough others. A task that
    has none has None among the `wins`.

    Raises:
        DataError: if so much was left out that a figure would be of nothing.
    """
    from agentgym.train import evaluate_trained

    plan, tries = trainer.recipe.plans[0], test.tries

    def tasks(size: int | None) -> list[int]:
        return [task for task in range(min(test.tasks, size or test.tasks)) for _ in range(tries)]

    episodes = evaluate_trained(trainer, plan, "test", tasks, seed=TEST_SEED, opponent=test.opponent, contain=True)
    count = 1 + max(episode.group for episode in episodes) // tries
    played: list[list[tuple[int, Episode]]] = [[] for _ in range(count)]  # by task, which try
    failures = [episode.failure for episode in episodes if episode.failure_kind in LEFT_OUT]
    for episode in episodes:
        if episode.failure_kind not in LEFT_OUT:
            played[episode.group // tries].append((episode.group % tries, episode))
    tried = TriedTasks(played)
    if not tried.episodes or not any(number == 0 for each in played for number, _ in each):
        raise _nothing_left(plan.world.id, episodes, failures)
    figures = {name: metric.measure(tried) for name, metric in TESTED.items()}
    for k in powers(tries):
        enough = [[won for _, won in each] for each in tried.wins() if len(each) >= k]
        if not enough:
            raise _nothing_left(plan.world.id, episodes, failures)
        figures[f"{PASS_AT}{k}"] = math.fsum(pass_at_k(len(each), sum(each), k) for each in enough) / len(enough)
    return {
        **figures,
        "wins": [sum(won for _, won in each) if each else None for each in tried.wins()],
        "played": [len(each) for each in played],
        "left_out": len(failures),
    }


def _nothing_left(world: str, episodes: Sequence[Episode], failures: Sequence[str]) -> DataError:
    return DataError(
        f"{len(failures)} of {len(episodes)} test episodes are left out, because {world} failed in them "
        f"({failures[0]}), and nothing can be said of the rest; mend the world and start the same command again"
    )


def _curves(claim: Claim, seeds: int, runs: Path) -> str:
    """Training success by update: the mean of the seeds, and their range shaded."""
    series = []
    for tone, (name, arm) in enumerate(claim.arms.items()):
        folders = [runs / _digest({**arm.table, "seed": seed}) for seed in range(seeds)]
        if not all((folder / "updates.jsonl").exists() for folder in folders):
            continue
        curves = [[update["success"] for update in read_run(folder, name).updates] for folder in folders]
        columns = list(zip(*curves, strict=True))
        points = [(place + 1.0, math.fsum(values) / len(values)) for place, values in enumerate(columns)]
        band = [(place + 1.0, min(values), max(values)) for place, values in enumerate(columns)]
        series.append(Series(name, points, band, tone))
    if not series:
        return ""
    svg = line_chart(claim.claim, claim.source, series, x_label="updates", y_label="training episodes won")
    return (
        str(svg)
        .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        .replace("</title>", f"</title>{STYLE}", 1)
    )


STYLE = (
    "<style>svg{font:13px sans-serif;background:#fff}text{fill:#1b2430}.grid{stroke:#e1e5ea;fill:none}"
    ".line{fill:none;stroke-width:2.6}.band{opacity:.13}.mark path{stroke-width:2.4;fill:none}"
    + "".join(
        f".line.tone{n},.mark.tone{n} path{{stroke:{color}}}.band.tone{n},.ink{n}{{fill:{color}}}"
        for n, color in enumerate(("#0b63b5", "#c2500a", "#0a7d5c", "#7a4fb0", "#6b7683"))
    )
    + "</style>"
)


def _digest(table: Mapping[str, Any]) -> str:
    """Equal recipes have equal names."""
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:12]
