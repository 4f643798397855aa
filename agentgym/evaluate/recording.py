"""Demonstrations: episodes of a person, or of anybody who plays an episode now and then, kept as a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import agentgym
from agentgym.core import ConfigError, fingerprint
from agentgym.core.files import read_object, write_whole
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.store import EPISODES, read_episodes
from agentgym.rollout.record_folder import RecordFolder

SETTINGS = "run.json"
SAME = ("env", "env_kwargs", "split", "agent", "agent_options", "wrappers")


def keep(folder: str | Path, episode: EpisodeRecord) -> EpisodeRecord:
    """Add an episode to a folder of demonstrations, which every command takes that reads a run.

    A task that is there already becomes another trial. The settings of the folder tell what it holds, and grow with it.

    Args:
        folder: Where they are kept; made if it is missing.
        episode: A finished episode of one player.

    Returns:
        The episode as it was written, with the number of its trial.

    Raises:
        ConfigError: if the folder holds episodes of another world, split or agent, or what no person recorded.
        DataError: if a file of the folder is damaged, or cannot be written, or the episode is of several players.
    """
    with RecordFolder(folder) as record:
        settings = record.path / SETTINGS
        known = read_episodes(record.path) if (record.path / EPISODES).exists() else []
        if settings.exists():
            _check(settings, asdict(_config(episode, [episode])))
        elif known:
            raise ConfigError(f"{record.path} holds episodes but no {SETTINGS}; give another folder")
        trial = sum(each.task_id == episode.task_id for each in known)
        written = replace(episode, trial=trial)
        record.append("episodes", written.record())
        agreed = asdict(_config(episode, [*known, written]))
        write_whole(settings, json.dumps(agreed, indent=1, sort_keys=True) + "\n")
    return written


def _config(episode: EpisodeRecord, episodes: Sequence[EpisodeRecord]) -> RunConfig:
    """What a run would have been that played these episodes."""
    tasks = list(dict.fromkeys(each.task_id for each in episodes))
    return RunConfig(
        env=episode.env,
        env_kwargs=dict(episode.env_kwargs),
        split=episode.split,
        agent=episode.only.agent,
        agent_options=dict(episode.only.agent_options),
        episodes=len(tasks),
        trials=1 + max(each.trial for each in episodes),
        seed=0,
        version=agentgym.__version__,
        tasks=fingerprint(tasks),
        wrappers=tuple(episode.wrappers),
        prompt={},
    )


def _check(settings: Path, wanted: dict[str, object]) -> None:
    there = read_object(settings)
    for key in SAME:
        one, other = json.loads(json.dumps(there.get(key))), json.loads(json.dumps(wanted.get(key)))
        if one != other:
            raise ConfigError(
                f"{settings.parent} holds episodes with {key} {json.dumps(one)}, this one has {json.dumps(other)}; "
                "give another folder"
            )
