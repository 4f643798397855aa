"""Episodes of a person, or of anybody who plays one now and then, kept as a run; games of several, as a match."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import agentgym
from agentgym.core import ConfigError, fingerprint
from agentgym.core.files import read_object, write_whole
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.recorder import RecordHeader
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
    with RecordFolder(folder) as record:
        game = len(episode.players) > 1
        lines, told = (GAMES, _match) if game else (EPISODES, _config)
        settings = record.path / SETTINGS
        known = _known(record.path, told(episode, [episode]), game)
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


def check_place(folder: str | Path, header: RecordHeader, holders: Mapping[str, str]) -> None:
    """Refuse a folder to which `keep` could not add an episode, before that is played.

    Args:
        folder: Where it is to be kept; made if it is missing.
        header: What the record will say of world and agents.
        holders: By player, the name of its agent in `header`.

    Raises:
        ConfigError: if the folder holds episodes of another world, split or agent, or what no person recorded.
        DataError: if a file of the folder is damaged, or cannot be written.
    """
    agent = next(iter(holders.values()))
    wanted = {
        "env": header.env,
        "env_kwargs": header.env_kwargs,
        "split": header.split,
        "agent": agent,
        "agent_options": header.agents[agent].options,
        "wrappers": header.wrappers,
    }
    with RecordFolder(folder) as record:
        _known(record.path, wanted, len(holders) > 1)


def _known(folder: Path, wanted: Mapping[str, Any], game: bool) -> list[EpisodeRecord]:
    """The episodes of a folder, which must be of the settings of those that are to be added."""
    lines, other = (GAMES, EPISODES) if game else (EPISODES, GAMES)
    if (folder / other).exists():
        raise ConfigError(f"{folder} holds {other}, and this is for {lines}; give another folder")
    known = read_episodes(folder / lines) if (folder / lines).exists() else []
    if (folder / SETTINGS).exists():
        _check(folder / SETTINGS, wanted, SAME_GAME if game else SAME)
    elif known:
        raise ConfigError(f"{folder} holds episodes but no {SETTINGS}; give another folder")
    return known


def _check(settings: Path, wanted: Mapping[str, Any], same: Sequence[str]) -> None:
    there = read_object(settings)
    for key in same:
        one, other = there.get(key), json.loads(json.dumps(wanted[key], default=_plain))
        if one != other:
            raise ConfigError(
                f"{settings.parent} holds episodes with {key} {json.dumps(one)}, this one has {json.dumps(other)}; "
                "give another folder"
            )


def _plain(value: Any) -> Any:
    """A mapping or sequence as JSON knows it."""
    return dict(value) if isinstance(value, Mapping) else list(value)
