"""Plays transcripts again and says whether the world still answers the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentgym.core import Driver
from agentgym.core.snapshot import json_key
from agentgym.evaluate.store import read_episodes
from agentgym.evaluate.transcript import Transcript
from agentgym.evaluate.worlds import open_pool
from agentgym.rollout import EnvPool


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


def replay(path: str | Path, on_episode: Callable[[Replayed, int, int], None] | None = None) -> list[Replayed]:
    """Play every transcript of a file or run folder again, with the recorded actions.

    Args:
        path: A folder of a run or an `episodes.jsonl`.
        on_episode: Called with each outcome, episodes done and episodes in all.

    Raises:
        DataError: if the file is missing or corrupt.
        AgentGymError: if a world cannot be made, or has no such task any more.
    """
    episodes = read_episodes(path)
    pools: dict[str, EnvPool] = {}
    outcomes = []
    try:
        for episode in episodes:
            key = json_key([episode.env, episode.split, dict(episode.env_options), list(episode.wrappers)])
            if key not in pools:
                pools[key] = open_pool(episode.env, episode.split, episode.env_options, episode.wrappers)
            outcomes.append(_replay(pools[key].driver(), episode))
            if on_episode is not None:
                on_episode(outcomes[-1], len(outcomes), len(episodes))
    finally:
        for pool in pools.values():
            pool.close()
    return outcomes


def _replay(driver: Driver, episode: Transcript) -> Replayed:
    if episode.failure_kind == "environment":
        return Replayed(episode, same=False, skipped=f"the world failed: {episode.failure}")
    (player,) = driver.players
    driver.reset(seed=episode.seed, options={"task": episode.task_id})
    shown = driver.result(player)
    for number, turn in enumerate(episode.turns, 1):
        if shown.observation != turn.observation:
            return Replayed(episode, same=False, difference=f"turn {number} shows another observation")
        if driver.ended:
            return Replayed(episode, same=False, difference=f"the episode is over before turn {number}")
        driver.step({player: turn.action})
        shown, info = driver.result(player), driver.result(player).info
        now = (shown.reward, info["action_valid"], info["error"], info["events"], info["metrics"], info["costs"])
        if json_key(now) != json_key((turn.reward, turn.valid, turn.error, turn.events, turn.metrics, turn.costs)):
            return Replayed(episode, same=False, difference=f"turn {number} has another reward or info")
    stop = "terminated" if shown.terminated else "truncated"
    if not driver.ended:  # who played it could not go on
        stop = episode.stop if episode.stop in ("failure", "context") else "under way"
    if (shown.observation, stop, shown.info["success"]) != (episode.final_observation, episode.stop, episode.success):
        return Replayed(episode, same=False, difference="the end is another")
    return Replayed(episode, same=True)
