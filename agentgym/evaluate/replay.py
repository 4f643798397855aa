"""Plays records again, in a process of its own, and says whether the world still answers the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentgym.core.snapshot import json_key
from agentgym.evaluate.limits import Limits
from agentgym.evaluate.playing import Job, Players
from agentgym.evaluate.recorded_play import RecordedPlay, end, read_recorded, steps
from agentgym.evaluate.store import Recorded
from agentgym.evaluate.trust import check_trust
from agentgym.rollout import EnvPool, Role, assign_roles
from agentgym.rollout.evaluation import evaluation_spec


@dataclass(frozen=True)
class Replayed:
    """What came of playing one record again.

    Attributes:
        episode: The record: a transcript, or a game of a match or a tournament.
        same: Whether every observation, reward, refusal and the end were as on record.
        skipped: Why it was not played: a failed world cannot be expected to fail again, and of one side of a game the
            others are not on record.
        difference: What differed first, in a sentence.
        name: Which episode of the file it is.
    """

    episode: Recorded
    same: bool
    skipped: str = ""
    difference: str = ""
    name: str = ""


def replay(
    path: str | Path, on_episode: Callable[[Replayed, int, int], None] | None = None, *, trust: bool = False
) -> list[Replayed]:
    """Play every episode of a file or folder again, with the recorded actions.

    Args:
        path: A folder of an evaluation, a match or a tournament, an `episodes.jsonl`, or a `games.jsonl` with the file
            of settings beside it.
        on_episode: Called with each outcome, episodes done and episodes in all.
        trust: Whether modules, functions and data from outside the suite may be used that the file names: they are
            imported, called and read.

    Raises:
        ConfigError: if the file names such without being trusted; nothing is played then.
        DataError: if the file is missing or corrupt.
        AgentGymError: if a world cannot be made.
    """
    plays = read_recorded(path)
    if not trust:
        check_trust(plays, path)
    pools: dict[str, EnvPool] = {}
    outcomes = []
    try:
        for each in plays:
            key = json_key([each.env, each.split, dict(each.env_kwargs), list(each.around), dict(each.formats)])
            if key not in pools:
                pools[key] = Limits().open(each.env, each.split, each.env_kwargs, each.around, each.formats)
            skipped = _skipped(each, pools[key])
            difference = "" if skipped else _difference(each, pools[key])
            outcomes.append(Replayed(each.record, not (skipped or difference), skipped, difference, each.name))
            if on_episode is not None:
                on_episode(outcomes[-1], len(outcomes), len(plays))
    finally:
        for pool in pools.values():
            pool.close()
    return outcomes


def _skipped(play: RecordedPlay, pool: EnvPool) -> str:
    """Why an episode is not played; "" if it is."""
    if play.record.failure_kind == "environment":
        return f"the world failed: {play.record.failure}"
    if len(pool.players) > 1 and [*play.actions] == [""]:
        return "it tells one side of a game, and what the others did is not on record"
    return ""


def _difference(play: RecordedPlay, pool: EnvPool) -> str:
    """What differs first when an episode is played again; "" if nothing does."""
    named = {"": pool.players[0]} if len(pool.players) == 1 else {player: player for player in play.actions}
    if {*named} != {*play.actions} or {*named.values()} != {*pool.players}:
        return f"the players on record are {', '.join(play.actions)}, and the world's {', '.join(pool.players)}"
    cast = assign_roles({named[who]: Role(play.policy(who), trainable=False) for who in play.actions}, pool)
    job = Job((play.name,), evaluation_spec(play.task, play.seed, 0), dict.fromkeys(pool.players, ""))
    found: list[Recorded] = []
    players: Players[Recorded] = Players(
        {}, lambda held: (pool, cast), lambda running, where, job: play.again(running, where), 1
    )
    players.play([job], found.append)
    (again,) = found
    before, now = steps(play.record), steps(again)
    for number, (was, is_now) in enumerate(zip(before, now, strict=False), 1):
        turn = f"turn {number} ({was[0]})" if was[0] else f"turn {number}"
        if was[:2] != is_now[:2]:
            return f"{turn} shows another observation"
        if json_key(was[2]) != json_key(is_now[2]):
            return f"{turn} has another reward or info"
    if again.failure_kind == "environment":
        return f"the world failed before turn {len(now) + 1}: {again.failure}"
    if len(now) < len(before):
        return f"the episode is over before turn {len(now) + 1}"
    return "" if json_key(end(play.record)) == json_key(end(again)) else "the end is another"
