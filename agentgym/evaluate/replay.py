"""Plays records again, in a process of its own, and says whether the world still answers the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.agents import ActionPolicy, PolicyFailure, View
from agentgym.agents.policy import ContextOverflow
from agentgym.core import AgentGymError, ContentRefused, DataError, EndpointError
from agentgym.core.snapshot import json_key
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.playing import EpisodeJob, Players
from agentgym.evaluate.recorder import AgentSetting, RecordHeader
from agentgym.evaluate.store import read_episodes
from agentgym.evaluate.trust import check_trust
from agentgym.rollout import EnvPool, Role, assign_roles
from agentgym.rollout.evaluation import evaluation_spec


@dataclass(frozen=True)
class Replayed:
    """What came of playing one record again.

    Attributes:
        episode: The record.
        same: Whether every observation, reward, refusal and the end were as on record.
        skipped: Why it was not played: a failed world cannot be expected to fail again.
        difference: What differed first, in a sentence.
    """

    episode: EpisodeRecord
    same: bool
    skipped: str = ""
    difference: str = ""


class RecordedPolicy(ActionPolicy):
    """Says what is on record.

    Args:
        actions: What it says, in order.
        error: Why it cannot go on then; None if another player is to stop the episode in that turn, in which nothing
            that is said is played.
    """

    def __init__(self, actions: Sequence[str], error: AgentGymError | None):
        self._actions, self._error = actions, error

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action.

        Args:
            view: What the player is given.
            rng: Not drawn from.

        Raises:
            PolicyFailure, EndpointError: after the last.
        """
        turn = len(view.said)
        if turn < len(self._actions):
            return self._actions[turn]
        if self._error is not None:
            raise self._error
        if turn > len(self._actions):
            raise PolicyFailure("the record of the player ends before that of who gave up")
        return ""


def replay(
    path: str | Path, on_episode: Callable[[Replayed, int, int], None] | None = None, *, trust: bool = False
) -> list[Replayed]:
    """Play every episode of a file or folder again, with the recorded actions.

    Args:
        path: As in `read_episodes`.
        on_episode: Called with each outcome, episodes done and episodes in all.
        trust: Whether modules, functions and data from outside the suite may be used that the file names: they are
            imported, called and read.

    Raises:
        ConfigError: if the file names such without being trusted; nothing is played then.
        DataError: if the file is missing or corrupt, or holds no episode.
        AgentGymError: if a world cannot be made.
    """
    records = read_episodes(path)
    if not records:
        raise DataError(f"{path} holds no episode yet, so there is nothing to verify; give a run that has played some")
    if not trust:
        check_trust(records, path)
    pools: dict[str, EnvPool] = {}
    outcomes = []
    try:
        for record in records:
            formats = {name: player.wrappers for name, player in record.players.items() if player.wrappers}
            world = record.env, record.split, record.env_kwargs, record.wrappers, formats
            key = json_key(list(world))
            if key not in pools:
                pools[key] = EpisodeLimits().open(*world)
            skipped = f"the world failed: {record.failure}" if record.failure_kind == "environment" else ""
            difference = "" if skipped else _difference(record, pools[key])
            outcomes.append(Replayed(record, not (skipped or difference), skipped, difference))
            if on_episode is not None:
                on_episode(outcomes[-1], len(outcomes), len(records))
    finally:
        for pool in pools.values():
            pool.close()
    return outcomes


def _difference(record: EpisodeRecord, pool: EnvPool) -> str:
    """What differs first when an episode is played again; "" if nothing does."""
    if {*record.players} != {*pool.players}:
        return f"the players on record are {', '.join(record.players)}, and the world's {', '.join(pool.players)}"
    again = _played_again(record, pool)
    before, now = record.turns, again.turns
    for number, (was, is_now) in enumerate(zip(before, now, strict=False), 1):
        turn = f"turn {number} ({was.player})" if len(record.players) > 1 else f"turn {number}"
        if (was.player, was.observation) != (is_now.player, is_now.observation):
            return f"{turn} shows another observation"
        told = ("reward", "valid", "error", "events", "metrics", "costs")
        if json_key([getattr(was, name) for name in told]) != json_key([getattr(is_now, name) for name in told]):
            return f"{turn} has another reward or info"
    if again.failure_kind == "environment":
        return f"the world failed before turn {len(now) + 1}: {again.failure}"
    if len(now) < len(before):
        return f"the episode is over before turn {len(now) + 1}"
    return "" if json_key(_end(record)) == json_key(_end(again)) else "the end is another"


def _played_again(record: EpisodeRecord, pool: EnvPool) -> EpisodeRecord:
    """The record of an episode in which every player says what it said in another one."""
    holders = {name: player.agent for name, player in record.players.items()}
    agents = {each.agent: AgentSetting(each.agent_options, each.wrappers) for each in record.players.values()}
    header = RecordHeader(record.env, record.env_kwargs, record.split, agents, record.wrappers)
    cast = assign_roles({name: Role(_policy(record, name), trainable=False) for name in record.players}, pool)
    spec = evaluation_spec(record.task_id, record.seed, 0)
    job = EpisodeJob(record.key, spec, holders, trial=record.trial, fixture=record.fixture)
    (played,) = Players({}, lambda held: (pool, cast), header, 1).played([job])
    return played


def _policy(record: EpisodeRecord, player: str) -> RecordedPolicy:
    """What says again what a player said."""
    error: AgentGymError | None = None
    if not record.stopped_by:
        error = PolicyFailure("the record ends here and the episode does not")
    elif player == record.stopped_by:
        error = _error(record)
    return RecordedPolicy([turn.action for turn in record.turns_of(player)], error)


def _error(record: EpisodeRecord) -> AgentGymError:
    """Why the agent that stopped an episode could not go on."""
    if record.stop == "context":
        return ContextOverflow(record.failure)
    if record.stop == "refused":
        return ContentRefused(record.failure)
    return (EndpointError if record.failure_kind in ("outage", "budget") else PolicyFailure)(record.failure)


def _end(record: EpisodeRecord) -> list[Any]:
    """What a record says of how the episode ended, without what the answers of models cost; JSON-safe."""
    told = ("role", "success", "score", "progress", "metrics", "costs", "final_observation")
    players = {name: [getattr(player, entry) for entry in told] for name, player in record.players.items()}
    return [record.stop, record.task_kind, record.stopped_by, players]
