"""A page about training runs: how they compare, how they went, and what was said, shaded by what it was credited."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from agentgym.core import DataError
from agentgym.core.files import parse_object, read_object
from agentgym.core.kinds import check_kind
from agentgym.core.lines import read_lines
from agentgym.report.chart import Series, line_chart, percent
from agentgym.report.evaluated import names
from agentgym.report.page import Cell, Exchange, Figure, Page, Section, Table, Tile, TranscriptView

SMOOTH = 5  # updates of the trailing mean
TONES = 5
CURVES = (
    ("success", "Success of the training episodes", "episodes won", True),
    ("eval_success", "Success on the evaluation panel", "tasks solved", True),
    ("return", "Return", "mean return", False),
    ("turns", "Turns of an episode", "turns", False),
    ("valid", "Actions that the world accepted", "actions", True),
    ("entropy", "Entropy of the policy", "nats a token", False),
    ("kl_sampler", "Divergence of the policy from the one that played", "nats a token", False),
    ("kl_reference", "Divergence from where the run began", "nats a token", False),
    ("mismatch", "Sampler and trainer apart before the first step", "nats a token", False),
    ("clip_fraction", "Tokens whose gradient was clipped", "tokens", True),
    ("group_variance", "Variance of the returns within a group", "variance", False),
    ("grad_norm", "Norm of the gradient before it was clipped", "norm", False),
)
_Needed = TypedDict("_Needed", {
    "update": int, "success": float, "return": float, "groups": float, "dead_groups": float, "seconds": float,
    "seconds_generation": float, "seconds_world": float, "seconds_update": float, "episodes_per_second": float,
    "sampled_tokens_per_second": float, "episodes": float, "stops": Mapping[str, float],
})  # fmt: skip


class _Curves(TypedDict, total=False):
    eval_success: float | None
    eval_left_out: int
    turns: float | None
    valid: float | None
    entropy: float | None
    kl_sampler: float | None
    kl_reference: float | None
    mismatch: float | None
    clip_fraction: float | None
    group_variance: float | None
    grad_norm: float | None  # fmt: skip


class OfAnUpdate(_Needed, _Curves):
    """What the page shows of a line of `updates.jsonl`."""


class _OfATurn(TypedDict):
    observation: str
    action: str
    valid: bool
    reward: float
    shades: Sequence[tuple[str, float]]


class OfATranscript(TypedDict):
    """What the page shows of a line of `shaded.jsonl`."""

    update: int
    task_id: str
    success: bool
    score: float
    final: str
    turns: Sequence[_OfATurn]


class _OfAWorld(TypedDict):
    id: str


class _Method(TypedDict, total=False):
    method: str


class OfARecipe(_Method):
    """What the page shows of `recipe.json`."""

    world: _OfAWorld


SHOWN = 4  # transcripts of a run, half from its first updates, half from its last


@dataclass(frozen=True)
class RunRecord:
    """What a folder of `agentgym train` holds: its name, recipe, metrics by update, and shaded transcripts."""

    name: str
    recipe: Mapping[str, Any]
    updates: Sequence[Mapping[str, Any]]
    shaded: Sequence[Mapping[str, Any]]


def runs_page(folders: Sequence[Path]) -> Page:
    """The report of one or several runs.

    Raises:
        DataError: if a folder holds no run, or one that has not finished an update.
    """
    runs = [read_run(folder, name) for folder, name in zip(folders, names(folders), strict=True)]
    best = max(runs, key=lambda run: _last(run, "eval_success", _last(run, "success", 0.0)))
    whose = best.name if len(runs) > 1 else "training episodes"
    tiles = [
        Tile(str(len(runs)), "run" if len(runs) == 1 else "runs"),
        Tile(percent(_late(best, "success")), "success at the end", whose),
        Tile(f"{sum(len(run.updates) for run in runs):,}", "updates"),
        Tile(f"{_mean_rate(runs, 'episodes_per_second'):.1f}", "episodes a second", "mean over all updates"),
    ]
    sections = [_comparison(runs), curves(runs), _time(runs), *(_transcripts(run) for run in runs), _recipes(runs)]
    title = f"Training: {runs[0].name}" if len(runs) == 1 else f"Training: {len(runs)} runs"
    return Page(title, _lead(runs), tiles, [section for section in sections if section.blocks])


def read_run(folder: Path, name: str) -> RunRecord:
    """The records of a run.

    Args:
        folder: Of the run.
        name: What the page calls it.

    Raises:
        DataError: if there is no run, or it has not finished an update.
    """
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder}; give one that `agentgym eval` or `agentgym train` wrote")
    if (folder / "games.jsonl").exists():
        raise DataError(f"{folder} holds games without run.json or tournament.json; give the folder that was written")
    if not (folder / "recipe.json").exists():
        raise DataError(f"{folder} holds no run of `agentgym eval` or `train`: no episodes.jsonl, and no recipe.json")
    recipe = read_object(folder / "recipe.json")
    check_kind(recipe, OfARecipe, f"recipe in {folder / 'recipe.json'}")
    updates = read_lines(folder / "updates.jsonl", lambda line: _record(line, OfAnUpdate, "update of a training"))
    if not updates:
        raise DataError(f"the run in {folder} has not finished an update yet")
    shaded = folder / "shaded.jsonl"
    talks = []
    if shaded.exists():
        talks = read_lines(shaded, lambda line: _record(line, OfATranscript, "transcript of a training"))
    return RunRecord(name, recipe, updates, talks)


def _record(line: bytes, kind: Any, what: str) -> dict[str, Any]:
    """The record of a line, which must hold all that the page shows."""
    record = parse_object(line)
    check_kind(record, kind, what)
    return record


def _lead(runs: Sequence[RunRecord]) -> str:
    methods = dict.fromkeys(run.recipe.get("method") or run.name for run in runs)
    worlds = dict.fromkeys(run.recipe["world"]["id"].removeprefix("AgentGym/") for run in runs)
    return f"{', '.join(methods)} on {', '.join(worlds)}."


def _comparison(runs: Sequence[RunRecord]) -> Section:
    columns = ["run", "method", "updates", "success, first", "last", "best evaluation", "return, last", "dead groups"]
    columns.append("left out")
    rows: list[list[str | Cell]] = []
    for run in runs:
        evaluated = [update for update in run.updates if update.get("eval_success") is not None]
        best = max(evaluated, key=lambda update: update["eval_success"], default={})
        rows.append(
            [
                run.name,
                run.recipe.get("method", ""),
                str(len(run.updates)),
                percent(_early(run, "success")),
                percent(_late(run, "success")),
                Cell(percent(best["eval_success"]), _evaluated_without([best])) if best else "",
                f"{_late(run, 'return'):.3f}",
                percent(sum(u["dead_groups"] for u in run.updates) / max(1, sum(u["groups"] for u in run.updates))),
                percent(_left_out(run)),
            ]
        )
    caption = (
        f"Means over the first and the last {SMOOTH} updates. A group is dead if all its episodes earned the same. "
        "Left out is the share of episodes in which the world failed, which no mean holds."
    )
    return Section("Comparison", [], [Table(columns, rows, caption)])


def _evaluated_without(updates: Sequence[Mapping[str, Any]]) -> str:
    """How many episodes of evaluations the world failed in, which no mean holds; "" if it was none."""
    count = sum(update.get("eval_left_out", 0) for update in updates)
    return f"{count:,} episode{'s' * (count != 1)} left out" if count else ""


def _left_out(run: RunRecord) -> float:
    """Share of a run's episodes in which the world failed."""
    failed = sum(update["stops"]["failure"] for update in run.updates)
    return failed / max(1, failed + sum(update["episodes"] for update in run.updates))


def curves(runs: Sequence[RunRecord]) -> Section:
    """What the runs measured, update by update, as charts."""
    figures = []
    for key, title, unit, rates in CURVES:
        series = []
        for place, run in enumerate(runs):
            points = [(u["update"] + 1, float(u[key])) for u in run.updates if u.get(key) is not None]
            if not points:
                continue
            smooth = points if key == "eval_success" else _smooth(points)
            if smooth != points and len(runs) == 1:
                series.append(Series("", points, tone=place % TONES))
            series.append(Series(run.name, smooth, tone=place % TONES))
        if series:
            said = "; ".join(f"{line.name}: {line.points[0][1]:.3g} to {line.points[-1][1]:.3g}" for line in series)
            chart = line_chart(title, said, series, x_label="updates", y_label=unit, rates=rates)
            if key == "eval_success":
                note = _evaluated_without([update for run in runs for update in run.updates])
            else:
                note = f"mean of the last {SMOOTH} updates"
            figures.append(Figure(chart, f"{', '.join(filter(None, (title, note)))}."))
    return Section("Curves", [], figures)


def _time(runs: Sequence[RunRecord]) -> Section:
    columns = ["run", "generation", "environment", "update", "other", "seconds an update", "episodes/s", "tokens/s"]
    rows = []
    for run in runs:
        total = sum(update["seconds"] for update in run.updates) or 1.0
        shares = [sum(u[f"seconds_{part}"] for u in run.updates) / total for part in ("generation", "world", "update")]
        rows.append(
            [
                run.name,
                *(percent(share) for share in (*shares, max(0.0, 1 - sum(shares)))),
                f"{total / len(run.updates):.2f}",
                f"{_mean_rate([run], 'episodes_per_second'):.1f}",
                f"{_mean_rate([run], 'sampled_tokens_per_second'):,.0f}",
            ]
        )
    return Section("Where the time went", [], [Table(columns, rows, "Tokens are those that the policy sampled.")])


def _transcripts(run: RunRecord) -> Section:
    picked = [*run.shaded[: SHOWN // 2], *run.shaded[SHOWN // 2 :][-SHOWN // 2 :]]
    talks = [_talk(record, shown=place < 2) for place, record in enumerate(picked)]
    text = (
        "Two episodes of one task, the better and the worse, from the first updates and from the last. Each token is "
        "shaded by its advantage: green tokens were made more likely, red ones less; hover for the number."
    )
    return Section(f"Transcripts of {run.name}", [text], [talks] if talks else [])


def _talk(record: Mapping[str, Any], *, shown: bool) -> TranscriptView:
    largest = max((abs(value) for turn in record["turns"] for _, value in turn["shades"]), default=0.0) or 1.0
    exchanges = [
        Exchange(
            turn["observation"],
            turn["action"],
            turn["valid"],
            turn["reward"],
            [(piece, value / largest) for piece, value in turn["shades"]],
        )
        for turn in record["turns"]
    ]
    verdict = "success" if record["success"] else f"return {record['score']:.2f}"
    title = f"update {record['update'] + 1}, task {record['task_id']}"
    return TranscriptView(title, verdict, record["success"], exchanges, record["final"], shown)


def _recipes(runs: Sequence[RunRecord]) -> Section:
    rows = [[run.name, json.dumps(run.recipe, sort_keys=True)] for run in runs]
    return Section("Recipes", [], [Table(["run", "recipe"], rows, wrapped=True)])


def _smooth(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    values = [y for _, y in points]
    windows = [values[max(0, place - SMOOTH + 1) : place + 1] for place in range(len(values))]
    return [(x, math.fsum(window) / len(window)) for (x, _), window in zip(points, windows, strict=True)]


def _early(run: RunRecord, key: str) -> float:
    return _mean([update[key] for update in run.updates[:SMOOTH]])


def _late(run: RunRecord, key: str) -> float:
    return _mean([update[key] for update in run.updates[-SMOOTH:]])


def _last(run: RunRecord, key: str, default: float) -> float:
    return next((float(update[key]) for update in reversed(run.updates) if update.get(key) is not None), default)


def _mean_rate(runs: Sequence[RunRecord], key: str) -> float:
    """Things a second over all updates of all runs: total things by total seconds."""
    pairs = [(update[key] * update["seconds"], update["seconds"]) for run in runs for update in run.updates]
    return sum(things for things, _ in pairs) / sum(seconds for _, seconds in pairs)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
