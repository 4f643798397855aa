"""Which runs may stand in one table, and what they score between a random player and the oracle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.evaluate import Estimate, RunConfig, Summary
from agentgym.report.evaluated import Evaluated, command

Panel = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A run of a leaderboard, without its episodes.

    Attributes:
        name: Path of the run within the folder.
        world, agent: The world's id and who played, with its options.
        panel: What it has in common with the runs it may be compared with.
        config, summary: What was played, and its figures.
        normalized: Success, 0 at the card's random player and 1 at its oracle, with the interval; None where the card
            has no such figures, or they are not of the world as it was made.
        missing: Episodes that have not been played yet.
        report: Path of its page, seen from the leaderboard.
    """

    name: str
    world: str
    agent: str
    panel: Panel
    config: RunConfig
    summary: Summary
    normalized: Estimate | None
    missing: int
    report: str

    @classmethod
    def of(cls, run: Evaluated, report: str) -> Entry:
        """What a leaderboard keeps of a run.

        Args:
            run: The run.
            report: Path of its page, seen from the leaderboard.
        """
        return cls(
            run.name,
            run.world,
            run.agent,
            run.panel,
            run.config,
            run.summary,
            normalized(run),
            run.missing,
            report,
        )

    def record(self, apart: str) -> dict[str, Any]:
        """The entry as JSON-safe data; a figure that does not exist is None.

        Args:
            apart: Why it stands in no table; empty if it stands in one.
        """
        config, summary = self.config, self.summary
        return {
            "run": self.name,
            "world": self.world,
            "env": config.env,
            "env_kwargs": dict(config.env_kwargs),
            "split": config.split,
            "tasks": config.episodes,
            "trials": config.trials,
            "seed": config.seed,
            "agent": config.agent,
            "agent_options": dict(config.agent_options),
            "asked": config.asked,
            "prompt": config.prompt.get("hash", ""),
            "version": config.version,
            "success": _numbers(summary.success),
            "normalized": None if self.normalized is None else _numbers(self.normalized),
            "score": _numbers(summary.score),
            "turns": _number(summary.turns),
            "valid_actions": _number(summary.valid_actions),
            "prompt_tokens": summary.prompt_tokens,
            "completion_tokens": summary.completion_tokens,
            "cost": summary.cost,
            "episodes": summary.episodes,
            "scored": summary.scored,
            "left_out": summary.left_out,
            "missing": self.missing,
            "command": command(config),
            "report": self.report,
            "apart": apart,
        }


@dataclass(frozen=True)
class Board:
    """Agents by worlds on one split; in a column all runs are of the same tasks.

    Attributes:
        split: Of all its worlds.
        columns: The panel of each world.
        rows: For each agent its run in each world where there is one.
    """

    split: str
    columns: Mapping[str, Entry]
    rows: Mapping[str, Mapping[str, Entry]]


def normalized(run: Evaluated) -> Estimate | None:
    """Success on the scale from the card's random player, 0, to its oracle, 1, which are taken as exact."""
    known = run.card
    scores = known.scores.get(run.config.split) if known is not None and not run.config.env_kwargs else None
    if scores is None or not {"random", "oracle"} <= scores.keys():
        return None
    floor, span = scores["random"].success, scores["oracle"].success - scores["random"].success
    if span <= 0:
        return None
    success = run.summary.success
    return Estimate(*((figure - floor) / span for figure in (success.value, success.low, success.high)))


def boards(entries: Sequence[Entry]) -> tuple[list[Board], dict[str, str]]:
    """Tables of what can be compared, and the rest.

    In each split, the runs of a world that are of the same tasks, options and number of trials form a panel, and the
    panel that most agents played is its column. A run that is of another panel, not finished, without a scored
    episode, or of an agent that has a run of more scored episodes in the column, stands apart.

    Args:
        entries: The runs.

    Returns:
        The tables, by split, and for each run that stands apart why.
    """
    apart = {entry.name: reason for entry in entries if (reason := _unfit(entry))}
    fit = [entry for entry in entries if entry.name not in apart]
    found = []
    for split in sorted({entry.config.split for entry in fit}):
        here = [entry for entry in fit if entry.config.split == split]
        columns = {world: _main([each for each in here if each.world == world]) for world in _worlds(here)}
        rows: dict[str, dict[str, Entry]] = {}
        for entry in sorted(here, key=lambda each: (-each.summary.scored, each.config.seed, each.name)):
            main = columns[entry.world]
            if entry.panel != main.panel:
                apart[entry.name] = _difference(entry, main)
            elif entry.world in rows.setdefault(entry.agent, {}):
                apart[entry.name] = f"the same agent as {rows[entry.agent][entry.world].name}, played again"
            else:
                rows[entry.agent][entry.world] = entry
        found.append(Board(split, columns, {agent: row for agent, row in rows.items() if row}))
    return found, apart


def mean_normalized(row: Mapping[str, Entry], worlds: Sequence[str]) -> Estimate | None:
    """The mean over worlds, for an agent that has played them all.

    The interval takes the worlds as independent: its half-width is the root of the sum of the squares of theirs, by
    their number.

    Args:
        row: The agent's runs by world.
        worlds: Those that count, at least one.
    """
    known = [row[world].normalized for world in worlds if world in row]
    estimates = [each for each in known if each is not None]
    if not worlds or len(estimates) < len(worlds):
        return None
    mean = math.fsum(each.value for each in estimates) / len(estimates)
    half = math.sqrt(math.fsum(((each.high - each.low) / 2) ** 2 for each in estimates)) / len(estimates)
    return Estimate(mean, mean - half, mean + half)


def _worlds(entries: Sequence[Entry]) -> list[str]:
    return sorted({entry.world for entry in entries})


def _unfit(entry: Entry) -> str:
    if entry.missing:
        played = entry.config.episodes * entry.config.trials - entry.missing
        return f"not finished: {played:,} of {played + entry.missing:,} episodes are played"
    return "" if entry.summary.scored else "no episode is scored"


def _main(entries: Sequence[Entry]) -> Entry:
    """An entry of the panel that most agents played, of these the largest one."""
    agents: dict[Panel, set[str]] = {}
    for entry in entries:
        agents.setdefault(entry.panel, set()).add(entry.agent)
    return max(
        entries, key=lambda each: (len(agents[each.panel]), each.config.episodes, each.config.trials, each.panel)
    )


def _difference(entry: Entry, main: Entry) -> str:
    one, other = entry.config, main.config
    if one.episodes != other.episodes:
        return f"{one.episodes} tasks, the column has {other.episodes}"
    if one.trials != other.trials:
        return f"{one.trials} trials of each task, the column has {other.trials}"
    if one.tasks != other.tasks:
        return "other tasks than the column's"
    return "the world was made with other options than the column's"


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    return {name: _number(getattr(estimate, name)) for name in ("value", "low", "high")}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
