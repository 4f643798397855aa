"""An agent over a suite: every world in a folder of its own, continued where it was interrupted, and what it scored."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import agentgym
from agentgym.agents import agent_home, agent_kind, check_options
from agentgym.agents.asked import prompt_record
from agentgym.core import BudgetSpent, fingerprint
from agentgym.core.files import write_whole
from agentgym.evaluate.aggregates import WorldScores, aggregate, iqm, mean, optimality_gap
from agentgym.evaluate.metrics import Estimate, share_left_out
from agentgym.evaluate.planning import RUNS
from agentgym.evaluate.store import read_episodes
from agentgym.evaluate.suite_world import Watch, WorldResult, estimate, play_world
from agentgym.evaluate.suites import Suite, load_suite
from agentgym.rollout.record_folder import RecordFolder
from agentgym.rollout.wrapping import wrap_tables

SETTINGS, SUMMARY = "suite.json", "summary.json"
AGGREGATES = {"iqm": iqm, "mean": mean, "optimality_gap": optimality_gap}
BUDGETS = {"max_cost": "cost", "max_total_tokens": "tokens"}  # option of an agent: what of a run counts against it


class SuiteFolder(RecordFolder):
    """The folder of a suite: what is played, a folder for each world, and the summary."""

    advice: ClassVar[str] = "give another folder, or start anew with fresh"


@dataclass(frozen=True)
class SuiteResult:
    """A suite that was played.

    Attributes:
        suite: What was played.
        folder: Where: `suite.json`, `summary.json` and a folder for each world.
        worlds: What came of each, in the order of the suite.
        aggregates: By statistic (`iqm`, `mean`, `optimality_gap`) over the normalised scores; empty without any.
        by_kind: The same for the worlds of each family.
    """

    suite: Suite
    folder: Path
    worlds: tuple[WorldResult, ...]
    aggregates: Mapping[str, Estimate]
    by_kind: Mapping[str, Mapping[str, Estimate]]

    @property
    def not_run(self) -> list[WorldResult]:
        """The worlds that could not be played."""
        return [each for each in self.worlds if each.result is None]

    @property
    def progress(self) -> Estimate | None:
        """Mean progress of the worlds that were played, plus and minus its standard error; None if none was.

        Each world counts alike, and their errors are independent, as BALROG has it (arXiv:2411.13543).
        """
        found = [each.played.progress for each in self.worlds if each.played and each.played.scored]
        if not found:
            return None
        value = math.fsum(each.value for each in found) / len(found)
        error = math.hypot(*(each.high - each.value for each in found)) / len(found)
        return Estimate(value, value - error, value + error)

    @property
    def failed_episodes(self) -> int:
        """Episodes that failed, in all worlds."""
        return sum(each.played.failed for each in self.worlds if each.played)

    def left_out(self, kind: str = "") -> float:
        """Share of the episodes that the aggregates are not of, in the worlds that they are of; see `by_kind`.

        Args:
            kind: Of the worlds; "" for all.
        """
        played = [each.played for each in self.worlds if each.scores is not None and kind in ("", each.world.kind)]
        found = [each for each in played if each is not None]
        return share_left_out(sum(each.scored for each in found), sum(each.episodes for each in found))

    def record(self) -> dict[str, Any]:
        """As JSON-safe data."""
        return {
            "suite": self.suite.name,
            "description": self.suite.description,
            "not_run": [each.world.name for each in self.not_run],
            "in_aggregates": sum(each.scores is not None for each in self.worlds),
            "left_out": self.left_out(),
            "left_out_by_kind": {kind: self.left_out(kind) for kind in self.by_kind},
            "progress": None if self.progress is None else estimate(self.progress),
            "aggregates": {name: estimate(figure) for name, figure in self.aggregates.items()},
            "by_kind": {
                kind: {name: estimate(figure) for name, figure in figures.items()}
                for kind, figures in self.by_kind.items()
            },
            "worlds": [each.record() for each in self.worlds],
        }


def evaluate_suite(
    suite: str | Suite,
    agent: str = "random",
    *,
    episodes: int | None = None,
    trials: int = 1,
    seed: int = 0,
    out: str | Path | None = None,
    fresh: bool = False,
    agent_options: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    on_episode: Watch | None = None,
    **limits: Any,
) -> SuiteResult:
    """Play an agent over every world of a suite, and sum up between the random agent and the oracle.

    In games of several players the agent is each of them in turn against the rival of the game's card, or all of them
    where they play together. A world that cannot be played, as its extra is missing or it needs data, is listed with
    the reason, and the suite goes on. Called again with equal arguments, it goes on where it stopped; worlds that could
    not be played are tried again.

    Args:
        suite: A name of `suite_names()`, the path of a TOML file, or a suite.
        agent: See `evaluate`.
        episodes: At most so many tasks of each world; by default what the suite says.
        trials: Times each task is played.
        seed: Of the run.
        out: Folder of the suite; by default `runs/eval/<name made of the arguments>`.
        fresh: Throw away what the folder holds of the suite.
        agent_options: Keyword arguments of the agent. A budget is that of the whole suite.
        wrap, shots: As in `evaluate`. A world in which a wrapper does not fit is listed with the reason.
        on_episode: Called as in `evaluate`, with the world before its other arguments; in games with their records.
        **limits: `workers`, `step_timeout`, `episode_timeout` and `memory` of `evaluate`.

    Returns:
        What came of each world, and the aggregates, which also stand in `summary.json` of the folder.

    Raises:
        AgentGymError: in one line, if an argument is wrong.
        EndpointError: if nobody answers for the agent; finished episodes are saved.
        Interrupted, BudgetSpent: see `evaluate`.
    """
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    agent_options = dict(agent_options or {})
    check_options(agent, agent_options)
    agent_home(agent)  # a run that is not there is said before anything is played
    kind = agent_kind(agent)
    stored = {key: value for key, value in kind.stored(agent_options).items() if key not in kind.incidental}
    tables = wrap_tables(wrap)
    settings = {
        "suite": suite.name,
        "worlds": suite.record(),
        "agent": agent,
        "agent_options": stored,
        "wrap": [dict(table) for table in tables],
        "shots": shots,
        "prompt": prompt_record(agent_options, tables),
        "episodes": episodes,
        "trials": trials,
        "seed": seed,
        "version": agentgym.__version__,
    }
    path = Path(out) if out is not None else RUNS / f"{suite.name}-{_plain(agent)}-{fingerprint(settings)[:8]}"
    found: list[WorldResult] = []
    with SuiteFolder(path, settings, name=SETTINGS, fresh=fresh):
        if fresh:
            _clear(path, suite)
        for world in suite.worlds:
            options = _budgeted(agent_options, found, path)
            given = {"trials": trials, "seed": seed, "agent_options": options, "wrap": tables, "shots": shots, **limits}
            found.append(play_world(world, agent, path / world.name, episodes, on_episode, given, len(found)))
        result = _summed_up(suite, path, found)
        write_whole(path / SUMMARY, json.dumps(result.record(), indent=1, allow_nan=False) + "\n")
    return result


def _summed_up(suite: Suite, path: Path, found: Sequence[WorldResult]) -> SuiteResult:
    def figures(scores: Sequence[WorldScores]) -> dict[str, Estimate]:
        return {name: aggregate(scores, statistic) for name, statistic in AGGREGATES.items()} if scores else {}

    kinds: dict[str, list[WorldScores]] = {}
    for each in found:
        if each.scores is not None:
            kinds.setdefault(each.world.kind, []).append(each.scores)
    every = [scores for group in kinds.values() for scores in group]
    return SuiteResult(
        suite, path, tuple(found), figures(every), {kind: figures(kinds[kind]) for kind in sorted(kinds)}
    )


def _budgeted(options: Mapping[str, Any], found: Sequence[WorldResult], path: Path) -> dict[str, Any]:
    """The options of the agent with what is left of its budget after the worlds before."""
    folders = [path / each.world.name for each in found if each.played]
    records = [record for folder in folders for record in read_episodes(folder)]  # also of what was played again
    paid = [each for record in records for each in record.spent.values()]
    spent = {"cost": math.fsum(cost for cost, _ in paid), "tokens": sum(tokens for _, tokens in paid)}
    left = {key: options[key] - spent[of] for key, of in BUDGETS.items() if options.get(key) is not None}
    for key, rest in left.items():
        if rest <= 0:
            option = f"--{key.replace('_', '-')}"
            raise BudgetSpent(
                f"{option} {options[key]:g} is spent after {len(found)} worlds; the suite can go on with more"
            )
    return {**options, **left}


def _clear(path: Path, suite: Suite) -> None:
    """Throw away the records of every world, so that none of an earlier run is taken for one of this."""
    for world in suite.worlds:
        if (path / world.name).exists():
            RecordFolder(path / world.name, fresh=True).close()


def _plain(agent: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in agent)
