"""Demonstrations on record: of a person, of anybody, or what trained policies did well, as episodes that are cloned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.agents import ActionPolicy, View
from agentgym.core import ConfigError, DataError, ToolCall, find_card, full_id
from agentgym.core.files import read_object
from agentgym.core.lines import read_lines
from agentgym.core.snapshot import json_key
from agentgym.core.task_request import CUSTOM, custom_id
from agentgym.evaluate import EpisodeRecord, TurnRecord, read_episodes
from agentgym.evaluate.trajectories import IMPORTED, RECIPE, read_training
from agentgym.evaluate.trust import check_trust
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Turn, collect
from agentgym.rollout.records import TaskName
from agentgym.train.proposals import FILE as PROPOSALS


def recorded(
    pool: EnvPool, paths: Sequence[str | Path], split: str, most: int, on_episode: Callable[[int], None] | None = None
) -> list[tuple[TaskName, Episode]]:
    """Episodes of records, played again, so that they are words of the world as it is trained in.

    A task that a record names in other constructor arguments, such as one of few apps, is played by its specification.

    Args:
        pool: The world.
        paths: Folders that `agentgym play --out`, `agentgym ui`, `agentgym eval` or `agentgym train` wrote, or files
            `episodes.jsonl` of the first three. Of a training, the newest successes are taken.
        split: Where tasks come from.
        most: Of more episodes of a record, so many are taken: the first, or of a training the last.
        on_episode: Called with the number of episodes that have just ended.

    Returns:
        Tasks, each with its episode in words, without segments.

    Raises:
        ConfigError: if they are of another world or split, or the world is a game of several players.
        DataError: if a record is missing or damaged, or the world answers otherwise than it did.
    """
    if len(pool.players) > 1:
        raise ConfigError(f"clone.transcripts is for worlds of one player; {pool.id} has {len(pool.players)}")
    found: list[tuple[TaskName, Episode]] = []
    for path in map(Path, paths):
        for task, episode in _tasks(pool, path, split, most):
            spec = EpisodeSpec(task, episode.seed, len(found), ("recorded", len(found)))
            (again,) = collect(pool, _Reader(episode), [spec], on_episode=on_episode)
            found.append((task, again))
    if not found:
        kind = "success" if all((Path(path) / RECIPE).is_file() for path in paths) else "finished episode"
        told = ", ".join(map(str, paths))
        raise DataError(f"there is nothing to clone: {told} holds no {kind} yet; train longer, or record some first")
    return found


def _tasks(pool: EnvPool, path: Path, split: str, most: int) -> Iterator[tuple[TaskName, EpisodeRecord]]:
    """What is taken of a record, each with the name of its task in the pool's world."""
    if (path / RECIPE).is_file():
        episodes = [each for each in read_training(path) if each.success][-most:]
        known = _specified(path)
    else:
        episodes, known = [each for each in read_episodes(path) if each.scored][:most], {}
    own = json_key({name: value for name, value in pool.env_kwargs.items() if name != "split"})
    for episode in episodes:
        _check_world(pool, path, CUSTOM if episode.task_id in known else split, episode)
        if episode.task_id in known:
            yield known[episode.task_id], episode
        elif json_key(dict(episode.env_kwargs)) == own:
            yield episode.task_id, episode
        else:
            yield _specification(pool, path, episode), episode


def _check_world(pool: EnvPool, path: Path, split: str, episode: EpisodeRecord) -> None:
    if episode.env.startswith(f"{IMPORTED}:"):
        raise ConfigError(
            f"clone.transcripts: {path} holds an episode of {episode.env}, which no world here has played; set "
            "clone.imported = true, and it is cloned as it stands"
        )
    played = full_id(episode.env.rpartition(":")[2])
    if played != pool.id or episode.split != split:
        raise ConfigError(
            f"clone.transcripts: {path} holds an episode of {played} {episode.split}, but the recipe is of {pool.id} "
            f"{split}; give a record of that"
        )


def _specified(path: Path) -> dict[str, Mapping[str, Any]]:
    """The tasks of a training that are none of a panel, by id: those that its recipe lists, and those proposed.

    Raises:
        ConfigError: if an episode of it is not all that there is of a play.
    """
    recipe = read_object(path / RECIPE)
    for table in ("players", "mixture"):
        if recipe.get(table):
            raise ConfigError(
                f"clone.transcripts: {path} is a training with [{table}], and an episode on record is only one part of "
                "it; record what the policy does with agentgym eval, and give that folder"
            )
    tasks = recipe.get("rollout", {}).get("tasks", {})
    specs = [*(tasks.get("specs", ()) if isinstance(tasks, Mapping) else ())]
    file = path / f"{PROPOSALS}.jsonl"
    if file.exists():
        notes: list[dict[str, Any]] = read_lines(file)
        specs += [note["task"] for note in notes if not note["refused"]]
    return {custom_id(spec): spec for spec in specs}


def _specification(pool: EnvPool, path: Path, episode: EpisodeRecord) -> Mapping[str, Any]:
    """What the task of an episode is, in the pool's world with the arguments on record."""
    if find_card(pool.id) is not None:  # the world is the recipe's; its arguments may name files and functions
        check_trust([replace(episode, env=pool.id, wrappers=())], path)
    other = EnvPool(pool.id, split=episode.split, **episode.env_kwargs)
    try:
        world = other.bare()
        try:
            return dict(world.tasks(episode.split).by_id(episode.task_id).spec)
        finally:
            world.close()
    finally:
        other.close()


def imported(paths: Sequence[str | Path], most: int, on_episode: Callable[[int], None] | None = None) -> list[Episode]:
    """Published trajectories as they stand, since no world here has played them.

    What was said is the whole answer of their model, thoughts included; a call of a tool stands in it as the JSON
    object with which worlds of tools are answered here.

    Args:
        paths: Folders that `agentgym import` wrote, or their `episodes.jsonl`.
        most: Of more episodes of a folder, the first so many are taken.
        on_episode: Called with the number of episodes that have just been read.

    Returns:
        Episodes in words, without segments.

    Raises:
        ConfigError: if they were played here.
        DataError: if a record is missing, damaged or empty.
    """
    found: list[Episode] = []
    for path in paths:
        kept = read_episodes(path)[:most]
        if not kept:
            raise DataError(f"clone.transcripts: {path} holds no episode; import some first")
        for episode in kept:
            if not episode.env.startswith(f"{IMPORTED}:"):
                raise ConfigError(
                    f"clone.imported: {path} holds an episode of {episode.env}, which was played here; leave "
                    "clone.imported out, so that it is played again"
                )
            player = episode.only
            turns = [Turn(turn.observation, _whole_answer(turn), turn.reward, turn.valid) for turn in episode.turns]
            shown = Episode(episode.task_id, episode.split, episode.seed, len(found), turns, stop="terminated")
            shown.success, shown.progress, shown.final = player.success, player.progress, player.final_observation
            found.append(shown)
            if on_episode is not None:
                on_episode(1)
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
