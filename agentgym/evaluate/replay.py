"""Plays transcripts again and says whether the world still answers the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from agentgym.core.snapshot import json_key
from agentgym.evaluate.store import read_episodes
from agentgym.evaluate.transcript import Transcript
from agentgym.evaluate.worlds import open_world


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
    worlds: dict[str, gym.Env[Any, Any]] = {}
    outcomes = []
    try:
        for episode in episodes:
            key = json_key([episode.env, episode.split, dict(episode.env_options)])
            if key not in worlds:
                worlds[key] = open_world(episode.env, episode.split, episode.env_options)
            outcomes.append(_replay(worlds[key], episode))
            if on_episode is not None:
                on_episode(outcomes[-1], len(outcomes), len(episodes))
    finally:
        for env in worlds.values():
            env.close()
    return outcomes


def _replay(env: gym.Env[Any, Any], episode: Transcript) -> Replayed:
    if episode.failure_kind == "environment":
        return Replayed(episode, same=False, skipped=f"the world failed: {episode.failure}")
    observation, info = env.reset(seed=episode.seed, options={"task": episode.task_id})
    over = bool(info["failure"])
    for number, turn in enumerate(episode.turns, 1):
        if observation != turn.observation:
            return Replayed(episode, same=False, difference=f"turn {number} shows another observation")
        if over:
            return Replayed(episode, same=False, difference=f"the episode is over before turn {number}")
        observation, reward, terminated, truncated, info = env.step(turn.action)
        over = terminated or truncated
        now = (float(reward), info["action_valid"], info["error"], info["events"], info["metrics"], info["costs"])
        if json_key(now) != json_key((turn.reward, turn.valid, turn.error, turn.events, turn.metrics, turn.costs)):
            return Replayed(episode, same=False, difference=f"turn {number} has another reward or info")
    stop = "failure" if not over else "terminated" if episode.turns and terminated else "truncated"
    if (observation, stop, info["success"]) != (episode.final_observation, episode.stop, episode.success):
        return Replayed(episode, same=False, difference="the end is another")
    return Replayed(episode, same=True)
