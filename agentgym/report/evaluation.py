"""The page of one or several evaluations: figures with intervals, how episodes ended, and every transcript to read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from agentgym.core import ConfigError
from agentgym.evaluate import EpisodeRecord, Estimate, count_answers
from agentgym.evaluate.metrics import left_out_words
from agentgym.report.chart import Row, histogram, interval_chart, percent
from agentgym.report.evaluated import Evaluated, command, names, read_evaluated
from agentgym.report.page import Cell, Figure, Page, Section, Table, Tile, number
from agentgym.report.paired import comparison
from agentgym.report.pictures import FRAMES, PICTURED, draws, pictures
from agentgym.report.viewer import Viewer

TONES, EXACT = 4, 4  # tones of runs, and that of players whose success the card tells
KNOWN = ("random", "expert", "oracle")
EMPTY = {"0", "0.0000", "", "–"}  # figures that say nothing
COLUMNS = 30  # at most, of the chart of lengths
ENDS = {
    "terminated": "ended by the world",
    "truncated": "at the turn limit",
    "context": "the model's context was full",
    "refused": "the agent's own words were refused",
    "failure": "the agent could not go on",
}


def evaluation_page(folders: Sequence[Path], *, drawn: bool = False, trust: bool = False) -> Page:
    """The report of one or several runs of `agentgym eval`; the others are compared with the first.

    Args:
        folders: Of the runs.
        drawn: Whether the worlds play the first episodes again, to draw pictures of them.
        trust: Whether files of the runs may then name functions and data from outside the suite.

    Raises:
        DataError: if a folder holds no run, or one of which no episode has ended, or a world plays otherwise.
        ConfigError: if pictures are asked of a world that has none, or of files that are not trusted.
    """
    runs = [read_evaluated(folder, name) for folder, name in zip(folders, names(folders), strict=True)]
    return page_of(runs, drawn=drawn, trust=trust)


def page_of(runs: Sequence[Evaluated], *, drawn: bool = False, trust: bool = False) -> Page:
    """The report of runs that have been read; see `evaluation_page`.

    Args:
        runs: At least one.
        drawn: Whether to draw pictures.
        trust: Whether files of the runs may then name functions and data from outside the suite.
    """
    for run in runs:
        if drawn and not draws(run):
            raise ConfigError(f"{run.world} draws no pictures; leave out --pictures")
    viewer, places = _viewer(runs, drawn, trust)
    paired = comparison(runs, places) if len(runs) > 1 else []
    sections = [_figures(runs), _success(runs), *paired, _length(runs), _ends(runs), _left_out(runs), _answers(runs)]
    text = "Search goes through the task ids and all that was seen, said, thought and refused."
    if drawn:
        text += f" Pictures: up to {FRAMES} of each of a run's first {PICTURED} episodes, drawn by playing them again."
    sections += [Section("Transcripts", [text], [viewer]), _commands(runs)]
    worlds = ", ".join(dict.fromkeys(run.world for run in runs))
    return Page(
        f"{worlds}: {runs[0].config.agent}" if len(runs) == 1 else f"{worlds}: {len(runs)} runs",
        _lead(runs),
        _tiles(runs),
        [section for section in sections if section.blocks or section.text],
    )


def _lead(runs: Sequence[Evaluated]) -> str:
    told = []
    for run in runs:
        config = run.config
        trials = f", {config.trials} trials each" if config.trials > 1 else ""
        told.append(f"{run.agent} on {config.episodes} tasks of the split {config.split}{trials}, seed {config.seed}")
    return "; ".join(dict.fromkeys(told)) + "."


def _tiles(runs: Sequence[Evaluated]) -> list[Tile]:
    if len(runs) > 1:
        return [
            Tile(
                _rate(run.summary.success),
                f"success of {run.name}",
                _noted(run, _between(run.summary.success, 100, ".1f", " %")),
            )
            for run in runs
        ]
    run, summary = runs[0], runs[0].summary
    tokens = summary.prompt_tokens + summary.completion_tokens
    tiles = [
        Tile(_rate(summary.success), "success", _noted(run, _between(summary.success, 100, ".1f", " %"))),
        Tile(number(summary.score.value, ".3f"), "score", _noted(run, _between(summary.score, 1, ".3f", ""))),
        Tile(
            number(summary.turns, ".1f"),
            "turns an episode",
            _noted(run, f"{percent(summary.valid_actions)} of the actions were valid" if summary.scored else ""),
        ),
        Tile(f"{summary.scored:,}", "episodes scored", _counted_out(run)),
    ]
    return [*tiles, *([Tile(f"{tokens:,}", "tokens", f"{summary.cost:.4f} dollars")] if tokens else [])]


def _noted(run: Evaluated, note: str = "", between: str = ", ") -> str:
    """A note to a figure, with the share of the episodes that the figure is not of."""
    return between.join(filter(None, (note, left_out_words(run.summary.left_out))))


def _counted_out(run: Evaluated) -> str:
    parts = [f"{run.summary.episodes - run.summary.scored:,} left out"] if run.summary.left_out else []
    parts += [f"{run.missing:,} not played yet"] if run.missing else []
    return ", ".join(parts) or "none left out"


def _figures(runs: Sequence[Evaluated]) -> Section:
    """A row for each figure that says something of one of the runs, a column for each run."""
    of = [run.summary for run in runs]

    def row(title: str, cells: Sequence[tuple[str, str]]) -> list[str | Cell]:
        """A row of figures that are of scored episodes, each with what it is not of.

        Args:
            title: Of the row.
            cells: For each run the figure as text, and a note on it.
        """
        noted = [Cell(text, _noted(run, note, "\n")) for run, (text, note) in zip(runs, cells, strict=True)]
        return [title, *(cell if cell.text not in EMPTY else cell.text for cell in noted)]

    rows: list[list[str | Cell]] = [
        row("success", [(_rate(each.success), _between(each.success, 100, ".1f", " %")) for each in of]),
        row("score", [(number(each.score.value, ".3f"), _between(each.score, 1, ".3f", "")) for each in of]),
    ]
    for k in sorted({k for each in of for k in each.pass_at} - {1}):
        for title, table in ((f"pass@{k}", "pass_at"), (f"pass^{k}", "pass_hat")):
            rows.append(row(title, [(_share(getattr(each, table).get(k)), "") for each in of]))
    for n in sorted({run.config.trials for run in runs if run.best_of}):
        best = [run.best_of if run.config.trials == n else None for run in runs]
        shown = [(_rate(each), _between(each, 100, ".1f", " %")) if each else ("", "") for each in best]
        rows.append(row(f"best of {n}, picked by a ranker", shown))
    for title, table in (("at the end", "metrics"), ("in an episode", "costs")):
        for name in dict.fromkeys(name for each in of for name in getattr(each, table)):
            found = [getattr(each, table).get(name) for each in of]
            cells = [(number(it.value, ".3g"), _between(it, 1, ".3g", "")) if it else ("", "") for it in found]
            rows.append(row(f"{name}, {title}", cells))
    rows += [
        row("progress at the end", [(_percent(each.progress), "") for each in of]),
        row("valid actions", [(_percent(each.valid_actions), "") for each in of]),
        row("turns an episode", [(number(each.turns, ".2f"), "") for each in of]),
        ["programs ran in", *(run.config.sandbox for run in runs)],
        ["tokens read", *(f"{each.prompt_tokens:,}" for each in of)],
        ["tokens written", *(f"{each.completion_tokens:,}" for each in of)],
        ["cost in dollars", *(f"{each.cost:.4f}" for each in of)],
        row("dollars a success", [(_a_success(run), "") for run in runs]),
        row("episodes with an answer cut off", [(f"{each.cut_answers:,}", "") for each in of]),
        ["tasks scored", *(f"{each.tasks:,}" for each in of)],
        ["episodes scored", *(f"{each.scored:,}" for each in of)],
        [
            "episodes left out",
            *(Cell(f"{e.episodes - e.scored:,}", _percent(e.left_out) if e.left_out else "") for e in of),
        ],
        ["episodes not played yet", *(f"{run.missing:,}" for run in runs)],
    ]
    always = {"success", "score", "episodes scored", "episodes left out"}
    kept = [row for row in rows if row[0] in always or any(_text(cell) not in EMPTY for cell in row[1:])]
    caption = (
        "95 % intervals: Wilson for success, with tasks as units; for the score a bootstrap over tasks, or an exact "
        "bound where all tasks scored alike. Episodes that failed through the world or an outage are left out of all "
        "figures but tokens and cost."
    )
    return Section("Figures", [], [Table(["", *(run.name for run in runs)], kept, caption)])


def _success(runs: Sequence[Evaluated]) -> Section:
    """Success beside that of players of known strength, and by kind of task."""
    legend = [(run.name, place % TONES) for place, run in enumerate(runs)] if len(runs) > 1 else []
    rows = []
    for tone, run in enumerate(runs):
        label = _noted(run, run.name if legend else run.config.agent)
        rows.append(_row(label, run.summary.success, tone % TONES))
    known = runs[0].card if len({(run.config.env, run.config.split) for run in runs}) == 1 else None
    if known is not None and not any(run.config.env_kwargs for run in runs):
        scores = known.scores.get(runs[0].config.split, {})
        exact = {name: scores[name].success for name in KNOWN if name in scores}
        rows += [Row(f"{name} (card)", rate, rate, rate, EXACT) for name, rate in exact.items()]
    said = "; ".join(f"{row.label}: {percent(row.value)}" for row in rows)
    note = "The card's own figures of these players are of the whole split." if len(rows) > len(runs) else ""
    blocks = [Figure(interval_chart("Success", said, rows), f"Success with 95 % intervals. {note}".strip())]
    kinds = sorted({kind for run in runs for kind in run.summary.success_by_kind})
    if kinds:
        rows = []
        for kind in kinds:
            places = [place for place, run in enumerate(runs) if kind in run.summary.success_by_kind]
            for place in places:
                label = kind if place == places[0] else ""
                rows.append(_row(label, runs[place].summary.success_by_kind[kind], place % TONES))
        said = "; ".join(f"{row.label or 'the same kind'}: {percent(row.value)}" for row in rows)
        chart = interval_chart("Success by kind", said, rows, legend=legend)
        blocks.append(Figure(chart, f"Success by kind of task, with 95 % intervals (Wilson).{_all_noted(runs)}"))
    return Section("Success", [], blocks)


def _length(runs: Sequence[Evaluated]) -> Section:
    blocks = []
    most = max(len(each.turns) for run in runs for each in run.episodes)
    wide = max(1, -(-(most + 1) // COLUMNS))
    for run in runs:
        won, lost = (
            Counter(len(each.turns) // wide for each in run.episodes if each.scored and each.success is success)
            for success in (True, False)
        )
        if not won and not lost:
            continue
        spans = [(first, first + wide - 1) for first in range(0, most + 1, wide)]
        bars = [
            (str(low) if low == high else f"{low}–{high}", (won[place], lost[place]))
            for place, (low, high) in enumerate(spans)
        ]
        said = f"{sum(won.values())} won and {sum(lost.values())} lost episodes of {run.name}, by their turns"
        chart = histogram(f"Length of the episodes of {run.name}", said, bars, [("won", 2), ("lost", 1)])
        whose = f" of {run.name}" if len(runs) > 1 else ""
        blocks.append(Figure(chart, f"Episodes{whose} by their number of turns.{_all_noted([run])}"))
    return Section("Length", [], blocks)


def _ends(runs: Sequence[Evaluated]) -> Section:
    stops = [stop for stop in ENDS if any(stop in run.summary.stops for run in runs)]
    rows: list[list[str | Cell]] = []
    for stop in stops:
        counts = [(run.summary.stops.get(stop, 0), run.summary.scored) for run in runs]
        rows.append([ENDS[stop], *(Cell(f"{n:,}", _percent(n / of) if n else "") for n, of in counts)])
    blocks = (
        [Table(["", *(run.name for run in runs)], rows, f"Of the episodes that are scored.{_all_noted(runs)}")]
        if rows
        else []
    )
    failed = [[run.name, str(count), reason] for run in runs for _, reason, count in run.failed]
    if failed:
        caption = "Why the agent could not go on. These episodes are scored, and lost."
        blocks.append(Table(["run", "episodes", "reason"], failed, caption, wrapped=True))
    return Section("How episodes ended", [], blocks)


def _left_out(runs: Sequence[Evaluated]) -> Section:
    """What no figure is of, and why."""
    words = {"environment": "the world failed", "outage": "nobody answered", "budget": "the budget was spent"}
    rows = [[run.name, words.get(kind, kind), str(n), reason] for run in runs for kind, reason, n in run.left_out]
    rows += [[run.name, "not played yet", str(run.missing), "the same command goes on"] for run in runs if run.missing]
    if not rows:
        return Section("What was left out", ["Nothing: every episode that was asked for has been played and scored."])
    text = "What the agent cannot help is no outcome of its own, so these episodes are in no rate, score or length."
    return Section("What was left out", [text], [Table(["run", "", "episodes", "reason"], rows, wrapped=True)])


def _answers(runs: Sequence[Evaluated]) -> Section:
    """What came with the answers of chat models."""
    found = [(run, count_answers([turn for each in run.episodes for turn in each.turns])) for run in runs]
    rows: list[list[str]] = []
    for run, each in found:
        if each.seconds is not None:
            ends = ", ".join(f"{reason} {count:,}" for reason, count in each.finish_reasons.items())
            numbers = (each.reasoning_tokens, each.refusals, each.asked_again)
            rows.append([run.name, ends, *(f"{number:,}" for number in numbers), *(f"{s:.2f}" for s in each.seconds)])
    columns = [
        "run",
        "finish reasons",
        "tokens thought",
        "refusals",
        "asked again",
        "median seconds",
        "95th percentile",
    ]
    caption = "Over all answers, those of episodes that are left out included."
    return Section("Answers of the model", [], [Table(columns, rows, caption)] if rows else [])


def _commands(runs: Sequence[Evaluated]) -> Section:
    rows = [[run.name, command(run.config), run.config.version] for run in runs]
    caption = "Keys, limits of time and memory and the number of processes change no transcript and are not on record."
    return Section("Commands", [], [Table(["run", "command", "version"], rows, caption, wrapped=True)])


def _viewer(runs: Sequence[Evaluated], drawn: bool, trust: bool) -> tuple[Viewer, list[dict[str, list[int]]]]:
    """All episodes, and for each run where those of a task stand."""
    episodes: list[tuple[int, EpisodeRecord]] = []
    shown: dict[int, Mapping[int, str]] = {}
    places: list[dict[str, list[int]]] = []
    for which, run in enumerate(runs):
        frames: Mapping[tuple[str, int], Mapping[int, str]] = pictures(run, trust=trust) if drawn else {}
        where: dict[str, list[int]] = {}
        for episode in run.episodes:
            if episode.scored:
                where.setdefault(episode.task_id, []).append(len(episodes))
            shown[len(episodes)] = frames.get((episode.task_id, episode.trial), {})
            episodes.append((which, episode))
        places.append(where)
    return Viewer([run.name for run in runs], episodes, shown), places


def _all_noted(runs: Sequence[Evaluated]) -> str:
    """A sentence for a caption: what share of each run's episodes the figures are not of; "" if they are of all."""
    noted = [(run.name, left_out_words(run.summary.left_out)) for run in runs]
    said = [f"{words} of {name}" if len(runs) > 1 else words for name, words in noted if words]
    return f" {'; '.join(said)}." if said else ""


def _row(label: str, estimate: Estimate, tone: int) -> Row:
    value = estimate.value if estimate.value == estimate.value else 0.0
    return Row(label, value, estimate.low, estimate.high, tone)


def _rate(estimate: Estimate) -> str:
    return _percent(estimate.value)


def _between(estimate: Estimate, scale: float, form: str, unit: str) -> str:
    if math.isnan(estimate.value):
        return ""
    return f"{scale * estimate.low:{form}} to {scale * estimate.high:{form}}{unit}"


def _percent(share: float) -> str:
    """With one decimal always, so that numbers stand below each other."""
    return number(100 * share, ".1f", " %")


def _share(value: float | None) -> str:
    return "" if value is None else _percent(value)


def _a_success(run: Evaluated) -> str:
    won = sum(each.success for each in run.episodes if each.scored)
    return f"{run.summary.cost / won:.4f}" if won and run.summary.cost else ""


def _text(cell: str | Cell) -> str:
    return cell.text if isinstance(cell, Cell) else cell
