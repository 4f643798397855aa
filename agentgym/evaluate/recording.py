"""Episodes of a person, or of anybody who plays one now and then, kept as a run; games of several, as a match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import agentgym
from agentgym.core import ConfigError, fingerprint
from agentgym.core.files import read_object, write_whole
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.store import EPISODES, GAMES, read_episodes
from agentgym.rollout.record_folder import RecordFolder

SETTINGS = "run.json"
SAME_GAME = ("env", "env_kwargs", "split")  # what the settings of a folder and of an episode have in common
SAME = (*SAME_GAME, "agent", "agent_options", "wrappers")


def keep(folder: str | Path, episode: EpisodeRecord) -> EpisodeRecord:
    """Add an episode to a folder of demonstrations, which every command takes that reads a run.

    A task that is there already becomes another trial. The settings of the folder tell what it holds, and grow with it.
    A game of several players is kept as a match is, whoever holds its players from game to game.

    Args:
        folder: Where they are kept; made if it is missing.
        episode: A finished episode.

    Returns:
        The episode as it was written, with the number of its trial.

    Raises:
        ConfigError: if the folder holds episodes of another world, split or agent, or what no person recorded.
        DataError: if a file of the folder is damaged, or cannot be written.
    """
    game = len(episode.players) > 1
    lines, other = (GAMES, EPISODES) if game else (EPISODES, GAMES)
    told, same = (_match, SAME_GAME) if game else (_config, SAME)
    with RecordFolder(folder) as record:
        settings = record.path / SETTINGS
        if (record.path / other).exists():
            raise ConfigError(f"{record.path} holds {other}, and this is for {lines}; give another folder")
        known = read_episodes(record.path / lines) if (record.path / lines).exists() else []
        if settings.exists():
            _check(settings, told(episode, [episode]), same)
        elif known:
            raise ConfigError(f"{record.path} holds episodes but no {SETTINGS}; give another folder")
        trial = sum(each.task_id == episode.task_id for each in known)
        written = replace(episode, trial=trial)
        record.append(lines.removesuffix(".jsonl"), written.record())
        agreed = told(episode, [*known, written])
        write_whole(settings, json.dumps(agreed, indent=1, sort_keys=True) + "\n")
    return written


def _match(game: EpisodeRecord, games: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """What a match would have been in which these games were played."""
    tasks = list(dict.fromkeys(each.task_id for each in games))
    lineups = [{player: one.agent for player, one in each.players.items()} for each in games]
    agents = {
        one.agent: {
            "name": one.agent,
            "options": dict(one.agent_options),
            "wrappers": [dict(table) for table in one.wrappers],
            "prompt": {},
        }
        for each in games
        for one in each.players.values()
    }
    return {
        "env": game.env,
        "env_kwargs": dict(game.env_kwargs),
        "split": game.split,
        "agents": agents,
        "players": [lineup for place, lineup in enumerate(lineups) if lineup not in lineups[:place]],
        "games": len(tasks),
        "trials": 1 + max(each.trial for each in games),
        "seed": 0,
        "version": agentgym.__version__,
        "tasks": fingerprint(tasks),
    }


def _config(episode: EpisodeRecord, episodes: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """What a run would have been that played these episodes."""
    tasks = list(dict.fromkeys(each.task_id for each in episodes))
    config = RunConfig(
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
    return asdict(config)


def _check(settings: Path, wanted: dict[str, Any], same: Sequence[str]) -> None:
    there = read_object(settings)
    for key in same:
        one, other = json.loads(json.dumps(there.get(key))), json.loads(json.dumps(wanted.get(key)))
        if one != other:
            raise ConfigError(
                f"{settings.parent} holds episodes with {key} {json.dumps(one)}, this one has {json.dumps(other)}; "
                "give another folder"
            )
