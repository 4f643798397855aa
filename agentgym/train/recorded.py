"""Demonstrations on record: transcripts of a person, or of anybody, as episodes that are cloned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from agentgym.agents import ActionPolicy, View
from agentgym.core import ConfigError, DataError, ToolCall, full_id
from agentgym.evaluate import EpisodeRecord, TurnRecord, read_episodes
from agentgym.evaluate.trajectories import IMPORTED
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Turn, collect


def recorded(
    pool: EnvPool, path: str | Path, split: str, most: int, on_episode: Callable[[int], None] | None = None
) -> list[Episode]:
    """Episodes of a record, played again, so that they are words of the world as it is trained in.

    Args:
        pool: The world.
        path: A folder that `agentgym play --out`, `agentgym ui` or `agentgym eval` wrote, or its `episodes.jsonl`.
        split: Where tasks come from.
        most: Of more episodes, the first so many are taken.
        on_episode: Called with the number of episodes that have just ended.

    Returns:
        Episodes in words, without segments.

    Raises:
        ConfigError: if they are of another world or split, or the world is a game of several players.
        DataError: if the record is missing or damaged, or the world answers otherwise than it did.
    """
    if len(pool.players) > 1:
        raise ConfigError(f"clone.transcripts is for worlds of one player; {pool.id} has {len(pool.players)}")
    found = []
    for number, episode in enumerate([each for each in read_episodes(path) if each.scored][:most]):
        if episode.env.startswith(f"{IMPORTED}:"):
            raise ConfigError(
                f"clone.transcripts: {path} holds an episode of {episode.env}, which no world here has played; set "
                "clone.imported = true, and it is cloned as it stands"
            )
        played = full_id(episode.env.rpartition(":")[2]), episode.split
        if played != (pool.id, split):
            raise ConfigError(
                f"clone.transcripts: {path} holds an episode of {' '.join(played)}, but the recipe is of {pool.id} "
                f"{split}; give a record of that"
            )
        spec = EpisodeSpec(episode.task_id, episode.seed, number, ("recorded", number))
        found += collect(pool, _Reader(episode), [spec], on_episode=on_episode)
    if not found:
        raise DataError(f"clone.transcripts: {path} holds no finished episode yet; record some first")
    return found


def imported(path: str | Path, most: int, on_episode: Callable[[int], None] | None = None) -> list[Episode]:
    """Published trajectories as they stand, since no world here has played them.

    What was said is the whole answer of their model, thoughts included; a call of a tool stands in it as the JSON
    object with which worlds of tools are answered here.

    Args:
        path: A folder that `agentgym import` wrote, or its `episodes.jsonl`.
        most: Of more episodes, the first so many are taken.
        on_episode: Called with the number of episodes that have just been read.

    Returns:
        Episodes in words, without segments.

    Raises:
        ConfigError: if they were played here.
        DataError: if the record is missing, damaged or empty.
    """
    found = []
    for number, episode in enumerate(read_episodes(path)[:most]):
        if not episode.env.startswith(f"{IMPORTED}:"):
            raise ConfigError(
                f"clone.imported: {path} holds an episode of {episode.env}, which was played here; leave "
                "clone.imported out, so that it is played again"
            )
        player = episode.only
        turns = [Turn(turn.observation, _whole_answer(turn), turn.reward, turn.valid) for turn in episode.turns]
        shown = Episode(episode.task_id, episode.split, episode.seed, number, turns, stop="terminated")
        shown.success, shown.progress, shown.final = player.success, player.progress, player.final_observation
        found.append(shown)
        if on_episode is not None:
            on_episode(1)
    if not found:
        raise DataError(f"clone.transcripts: {path} holds no episode; import some first")
    return found


def _whole_answer(turn: TurnRecord) -> str:
    """What a model said in a turn, with the calls that it made through an interface for them."""
    calls = [ToolCall(**call).action for call in turn.answer.calls] if turn.answer is not None else []
    said = turn.action if turn.said is None else turn.said
    return "\n".join([*([said] if said else []), *calls])


class _Reader(ActionPolicy):
    """Says what was said."""

    def __init__(self, episode: EpisodeRecord):
        self._task, self._left = episode.task_id, iter(episode.turns)

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action on record, if this `view` shows what was seen before it then; nothing is drawn from `rng`.

        Raises:
            DataError: if the episode goes another way than on record.
        """
        turn = next(self._left, None)
        if turn is None or turn.observation != view.observation:
            what = "goes on after its end" if turn is None else "shows another observation than on record"
            raise DataError(
                f"clone.transcripts: task {self._task} {what}; world.env_kwargs and world.wrappers must be those with "
                "which it was played, and the version of the world the same"
            )
        return turn.action
