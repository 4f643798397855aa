"""`summary.json` of an evaluation or a match: what was achieved, and beside it what that took and what went wrong.

A success rate alone hides how often a service was asked again, how long answers took, which tools failed and what was
paid. Here they stand together, with the seed, as totals and per turn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agentgym.core.files import write_whole
from agentgym.evaluate.answers import count_answers
from agentgym.evaluate.episode_record import EpisodeRecord, PlayerRecord, TurnRecord
from agentgym.evaluate.figures import Figures
from agentgym.evaluate.metrics import Estimate, Summary
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.ranker import BestOf

SUMMARY = "summary.json"
VIOLATION = "violation"  # the event with which a monitor reports a broken rule


def run_summary(
    config: RunConfig, summary: Summary, episodes: Sequence[EpisodeRecord], best: BestOf | None = None
) -> dict[str, Any]:
    """The summary of an evaluation as JSON-safe data.

    `sandbox`, which one the agent's programs ran in, is there where it wrote some. `success_under_rules`, the share of
    the scored episodes that succeeded without breaking a rule, is there where a monitor watched rules. `best_of` is
    there where a ranker picked one attempt at each task; tokens and cost are of all attempts.

    Args:
        config: What was played.
        summary: Its figures.
        episodes: Failed ones included.
        best: What a ranker's picks come to.
    """
    asked = ("env", "split", "agent", "seed", "trials", "version")
    found = {name: getattr(config, name) for name in asked} | effort(
        [turn for episode in episodes for turn in episode.turns],
        [player for episode in episodes for player in episode.players.values()],
    )
    found |= {name: value for name, value in asdict(summary).items() if name not in found}
    found["left_out"] = summary.left_out
    if best is not None:
        found["best_of"] = asdict(best)
    if config.sandbox:
        found["sandbox"] = config.sandbox
    if any(table["name"] == "LTLMonitor" for table in config.wrappers):
        scored = [episode for episode in episodes if episode.scored]
        broken = [_violations(episode) for episode in scored]
        kept = sum(episode.success and not count for episode, count in zip(scored, broken, strict=True))
        found |= {"violations": sum(broken), "success_under_rules": kept / len(scored) if scored else math.nan}
    return found


def match_summary(settings: dict[str, Any], rows: Sequence[Figures], games: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """The summary of a match: by agent, its figures over all that it held.

    Args:
        settings: What was played.
        rows: Figures.
        games: The games, failed ones included.
    """
    asked = {name: settings[name] for name in ("env", "split", "seed", "trials", "version")}
    agents = {}
    for row in rows:
        if row.overall:
            held = [(game, who) for game in games for who, one in game.players.items() if one.agent == row.agent]
            turns = [turn for game, who in held for turn in game.turns_of(who)]
            own = effort(turns, [game.players[who] for game, who in held])
            own["left_out"] = row.left_out
            agents[row.agent] = own | {name: value for name, value in asdict(row).items() if name not in own}
    return {**asked, "agents": agents}


def effort(turns: Sequence[TurnRecord], players: Sequence[PlayerRecord]) -> dict[str, Any]:
    """What was read, written, paid, waited for, repeated and refused: totals, and means per turn.

    `latency` holds the median and the 95th percentile in seconds, None where no chat model answered.

    Args:
        turns: All turns of some players.
        players: The players, of one episode or of several.
    """
    count = count_answers(turns)
    answers = [turn.answer for turn in turns if turn.answer is not None]
    totals = {
        "prompt_tokens": sum(each.prompt_tokens for each in players),
        "completion_tokens": sum(each.completion_tokens for each in players),
        "cost": math.fsum(each.cost for each in players),
        "retries": count.retries,
        "refusals": count.refusals,
        "tool_calls": count.tool_calls,
        "tool_failures": count.tool_failures,
    }
    waited = math.fsum(answer.seconds for answer in answers)
    per_turn = {**totals, "latency": waited} if answers else totals
    return {
        **totals,
        "reasoning_tokens": count.reasoning_tokens,
        "latency": count.seconds and dict(zip(("median", "p95"), count.seconds, strict=True)),
        "played_turns": len(turns),
        "per_turn": {name: value / len(turns) if turns else math.nan for name, value in per_turn.items()},
    }


def write_summary(folder: Path, data: dict[str, Any]) -> None:
    """Write `summary.json`; a figure that there is none of is null.

    Args:
        folder: Of the run.
        data: What `run_summary` or `match_summary` gave.
    """
    write_whole(folder / SUMMARY, json.dumps(_plain(data), indent=1, allow_nan=False) + "\n")


def _violations(episode: EpisodeRecord) -> int:
    return sum(event["type"] == VIOLATION for turn in episode.turns for event in turn.events)


def _plain(value: Any) -> Any:
    """The value as JSON knows it: no NaN, and no keys but text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, Estimate):
        return _plain(asdict(value))
    return None if isinstance(value, float) and not math.isfinite(value) else value
