"""Plays transcripts again, in a process of its own, and says whether the world still answers the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentgym.core.snapshot import json_key
from agentgym.evaluate.limits import Limits
from agentgym.evaluate.store import read_episodes
from agentgym.evaluate.transcript import Transcript
from agentgym.evaluate.trust import check_trust
from agentgym.rollout import EnvPool, EpisodeSpec, RecordOptions

EVERYTHING = RecordOptions(infos=True)


@dataclass(frozen=True)
class Replayed:
    """What came of playing one transcript again.

    Attributes:
        episode: The transcript.
        same: Whether every observation, reward, refusal and the end were as on record.
        skipped: Why it was not played: a failed world cannot be expected to fail again.
        difference: What differed first, in a sentence.
    """

    episode: Transcript
    same: bool
    skipped: str = ""
    difference: str = ""


def replay(
    path: str | Path, on_episode: Callable[[Replayed, int, int], None] | None = None, *, trust: bool = False
) -> list[Replayed]:
    """Play every transcript of a file or run folder again, with the recorded actions.

    Args:
        path: A folder of a run or an `episodes.jsonl`.
        on_episode: Called with each outcome, episodes done and episodes in all.
        trust: Whether modules, functions and data from outside the suite may be used that the file names: they are
            imported, called and read.

    Raises:
        ConfigError: if the file names such without being trusted; nothing is played then.
        DataError: if the file is missing or corrupt.
        AgentGymError: if a world cannot be made.
    """
    episodes = read_episodes(path)
    if not trust:
        check_trust(episodes, path)
    pools: dict[str, EnvPool] = {}
    outcomes = []
    try:
        for episode in episodes:
            key = json_key([episode.env, episode.split, dict(episode.env_kwargs), list(episode.wrappers)])
            if key not in pools:
                pools[key] = Limits().open(episode.env, episode.split, episode.env_kwargs, episode.wrappers)
            outcomes.append(_replay(pools[key], episode))
            if on_episode is not None:
                on_episode(outcomes[-1], len(outcomes), len(episodes))
    finally:
        for pool in pools.values():
            pool.close()
    return outcomes


def _replay(pool: EnvPool, episode: Transcript) -> Replayed:
    if episode.failure_kind == "environment":
        return Replayed(episode, same=False, skipped=f"the world failed: {episode.failure}")
    (player,) = pool.players
    spec = EpisodeSpec(episode.task_id, episode.seed, 0, ())
    step = pool.begin([spec], EVERYTHING)[0]
    for number, turn in enumerate(episode.turns, 1):
        shown = step.results[player]
        if shown.info["failure"]:
            return Replayed(
                episode, same=False, difference=f"the world failed before turn {number}: {shown.info['failure']}"
            )
        if shown.observation != turn.observation:
            return Replayed(episode, same=False, difference=f"turn {number} shows another observation")
        if not step.to_act:
            return Replayed(episode, same=False, difference=f"the episode is over before turn {number}")
        step = pool.act([(0, {player: turn.action})], EVERYTHING)[0]
        info = step.results[player].info
        now = (
            step.rewards[player],
            info["action_valid"],
            info["error"],
            info["events"],
            info["metrics"],
            info["costs"],
        )
        if json_key(now) != json_key((turn.reward, turn.valid, turn.error, turn.events, turn.metrics, turn.costs)):
            return Replayed(episode, same=False, difference=f"turn {number} has another reward or info")
    shown = step.results[player]
    stop = "terminated" if shown.terminated else "truncated"
    if step.to_act:  # who played it could not go on
        stop = episode.stop if episode.stop in ("failure", "context") else "under way"
    if (shown.observation, stop, shown.info["success"]) != (episode.final_observation, episode.stop, episode.success):
        return Replayed(episode, same=False, difference="the end is another")
    return Replayed(episode, same=True)
