"""Runs on the same tasks side by side: paired differences, and the tasks that changed sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from agentgym.evaluate import EpisodeRecord
from agentgym.evaluate.metrics import alike, left_out_words
from agentgym.report.compare import changed_sides, paired_lift
from agentgym.report.evaluated import Evaluated
from agentgym.report.page import Cell, Section, Table

MEASURES: tuple[tuple[str, float, str, Callable[[EpisodeRecord], float]], ...] = (  # name, scale, how it is written
    ("success", 100.0, "{:+.1f}", lambda episode: episode.success),
    ("score", 1.0, "{:+.3f}", lambda episode: episode.score),
    ("turns", 1.0, "{:+.2f}", lambda episode: len(episode.turns)),
    ("refused actions", 1.0, "{:+.2f}", lambda episode: sum(not turn.valid for turn in episode.turns)),
    ("tokens", 1.0, "{:+,.0f}", lambda episode: episode.prompt_tokens + episode.completion_tokens),
)


def comparison(runs: Sequence[Evaluated], places: Sequence[dict[str, list[int]]]) -> list[Section]:
    """Every run beside the first one, on the tasks that are scored in both.

    Args:
        runs: At least two.
        places: For each run, where the page shows the episodes of a task.

    Returns:
        A section for each of the other runs.
    """
    first = runs[0]
    sections = []
    for other, theirs in zip(runs[1:], places[1:], strict=True):
        title = f"{other.name} against {first.name}"
        reason = _incomparable(first, other)
        common = [task for task in first.by_task if task in other.by_task]
        if reason or not common:
            sections.append(Section(title, [f"Not compared: {reason or 'no task is scored in both'}."]))
        else:
            sections.append(_pair(title, first, other, common, (places[0], theirs)))
    return sections


def _incomparable(one: Evaluated, other: Evaluated) -> str:
    """Why two runs are not of the same tasks; empty if they are."""
    phrases = (
        "they are of different worlds",
        "the world was made with other options",
        "they are of different splits",
        "they are of different numbers of tasks",
        "they are of different tasks",
        "they have different numbers of trials",
    )
    pairs = zip(phrases, one.panel, other.panel, strict=True)
    return next((phrase for phrase, a, b in pairs if a != b), "")


def _pair(
    title: str,
    first: Evaluated,
    other: Evaluated,
    common: Sequence[str],
    places: tuple[dict[str, list[int]], dict[str, list[int]]],
) -> Section:
    sides = changed_sides(_means(first, common, MEASURES[0][3]), _means(other, common, MEASURES[0][3]))
    rows = []
    for name, scale, form, measure in MEASURES:
        before, after = _means(first, common, measure), _means(other, common, measure)
        if not any(before) and not any(after):
            continue
        lift = paired_lift(before, after)
        shown = [form.format(scale * each).replace("-", "−") for each in (lift.value, lift.low, lift.high)]
        same = alike([b - a for a, b in zip(before, after, strict=True)])
        bounded = not same or name in ("success", "score")
        unit = " points" if name == "success" else ""
        rows.append([name, shown[0] + unit, f"{shown[1]} to {shown[2]}" if bounded else "the same on every task"])
    p = f"{sides.p:.3f}" if sides.p >= 0.001 else "below 0.001"
    test = "McNemar's exact test" if first.config.trials == 1 else "the exact sign test over tasks"
    text = [
        f"{len(common)} tasks are scored in both. {other.name} does better on {sides.gained} of them and worse on "
        f"{sides.lost}; if neither were better, a split as uneven would come about with probability {p} ({test}).",
    ]
    alone = len({*first.by_task, *other.by_task}) - len(common)
    if alone:
        text.append(f"{alone} tasks are scored in one of the two only, and left out here.")
    caption = f"{other.name} minus {first.name}, each task with itself. 95 % bootstrap intervals over tasks."
    noted = [(run.name, left_out_words(run.summary.left_out)) for run in (first, other)]
    caption += "".join(f" {words} of {name}." for name, words in noted if words)
    table = Table(["", "difference", "95 % interval"], rows, caption)
    changed = _changed(first, other, common, places)
    return Section(title, text, [table, *([changed] if changed.rows else [])])


def _changed(
    first: Evaluated,
    other: Evaluated,
    common: Sequence[str],
    places: tuple[dict[str, list[int]], dict[str, list[int]]],
) -> Table:
    """The tasks on which the two succeed differently often, gained ones first, with the way to their transcripts."""
    kinds = any(first.by_task[task][0].task_kind for task in common)
    rows: list[tuple[float, list[str | Cell]]] = []
    for task in common:
        before, after = (_means(run, [task], MEASURES[0][3])[0] for run in (first, other))
        if before != after:
            cells = [
                _outcome(run, task, share, where[task])
                for run, share, where in ((first, before, places[0]), (other, after, places[1]))
            ]
            kind = [first.by_task[task][0].task_kind] if kinds else []
            rows.append((before - after, [task, *kind, *cells]))
    rows.sort(key=lambda row: row[0])
    columns = ["task", *(["kind"] if kinds else []), first.name, other.name]
    return Table(
        columns, [row for _, row in rows], "Tasks that changed sides.", sortable=True, tall=True, texts=len(columns) - 2
    )


def _outcome(run: Evaluated, task: str, share: float, places: Sequence[int]) -> Cell:
    trials = run.by_task[task]
    words = ("won" if share else "lost") if len(trials) == 1 else f"{round(share * len(trials))} of {len(trials)} won"
    return Cell(words, href=f"#e{places[0]}", order=share)


def _means(run: Evaluated, tasks: Sequence[str], measure: Callable[[EpisodeRecord], float]) -> list[float]:
    return [math.fsum(map(measure, run.by_task[task])) / len(run.by_task[task]) for task in tasks]
