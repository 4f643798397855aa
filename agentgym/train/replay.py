"""Replay: what is kept of earlier rounds, and where it joins the episodes of a new one.

A replay is a frozen dataclass whose fields are what a recipe sets; its memory is part of the checkpoint. Episodes keep
the log-probabilities of the policy that played them, so a clipped ratio corrects for their age.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from agentgym.core import ConfigError
from agentgym.rollout import Episode, Segment, Turn
from agentgym.rollout.episode import Parent, Span
from agentgym.train.advantage_utils import members, part_of
from agentgym.train.interfaces import Replay

Solved: TypeAlias = tuple[str, str, str, str]
"""World, task, player and role."""


@dataclass(frozen=True)
class SuccessReplay(Replay):
    """Put a stored success into every group in which all episodes failed.

    ARPO for GUI agents (Lu et al. 2025, arXiv:2505.16282, section 3.3): the last success of each task is kept, and
    where a whole group fails on the task it takes the place of one failure, drawn by lot, so that the group has
    something to compare. It helps only where tasks come up again: use `rollout.tasks` with a pool. A task is that of a
    world, and of a player and role where there are several: nobody is handed the success of another.

    Attributes:
        size: Most tasks whose success is kept; the one stored longest ago is forgotten first.
    """

    size: int = 1024
    _stored: dict[Solved, Episode] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ConfigError(f"size of SuccessReplay must be at least 1, got {self.size}")

    def check(self, recipe: Any) -> None:
        """A filter that drops failed groups would leave nothing to do."""
        if any(part.drops_groups for part in recipe.filters):
            raise ConfigError("replay 'success' fills groups that failed, and a filter of the recipe has dropped them")

    def mix(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """The episodes of a round, with successes in place of some failures; its own successes are stored.

        Args:
            episodes: Those of an update, in groups.
            rng: Draws which failure is replaced.
        """
        mixed = list(episodes)
        for places in members(episodes).values():
            stored = self._stored.get(_solved(episodes[places[0]]))
            if stored is not None and not any(episodes[place].success for place in places):
                place = places[int(rng.integers(len(places)))]
                self.count(episodes_replayed=1)
                mixed[place] = replace(stored, group=episodes[place].group)
        for episode in episodes:
            if episode.success:
                self._stored.pop(_solved(episode), None)
                self._stored[_solved(episode)] = episode
        for task in list(self._stored)[: -self.size]:
            del self._stored[task]
        return mixed

    def state(self) -> list[dict[str, Any]]:
        """The stored episodes, JSON-safe."""
        return [pack_episode(episode) for episode in self._stored.values()]

    def load(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Take up where `state` was taken."""
        self._stored.clear()
        for record in state:
            episode = unpack_episode(record)
            self._stored[_solved(episode)] = episode


def _solved(episode: Episode) -> Solved:
    """What a success of an episode is one of: ids of tasks are those of a world, and each part does its own work."""
    return episode.world, episode.task_id, *part_of(episode)


@dataclass(frozen=True)
class Archive(Replay):
    """Learn from everything that was kept so far, not only from the last round.

    The growing set of trajectories that AgentEvol learns from (Xi et al. 2024, arXiv:2406.04151, section 4.2): new ones
    join, the oldest leave when there is no more room.

    Attributes:
        size: Most episodes.
    """

    size: int = 4096
    _stored: deque[Episode] = field(default_factory=deque, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ConfigError(f"size of Archive must be at least 1, got {self.size}")

    def check(self, recipe: Any) -> None:
        """Groups of different rounds must not be compared."""
        if any(part.compares for part in recipe.advantages):
            raise ConfigError("replay 'archive' mixes rounds; use it with advantages that compare nobody, or with none")

    def mix(self, episodes: Sequence[Episode], rng: np.random.Generator) -> list[Episode]:
        """All that is stored, the new episodes last.

        Args:
            episodes: Those of an update.
            rng: Not used: nothing is drawn.
        """
        self._stored.extend(episodes)
        while len(self._stored) > self.size:
            self._stored.popleft()
        return list(self._stored)

    def state(self) -> list[dict[str, Any]]:
        """The stored episodes, JSON-safe."""
        return [pack_episode(episode) for episode in self._stored]

    def load(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Take up where `state` was taken."""
        self._stored.clear()
        self._stored.extend(unpack_episode(record) for record in state)


def set_aside(episode: Episode) -> Episode:
    """A copy to be learned from in a later round, as a checkpoint would bring it back: without what learners wrote."""
    turns = [replace(turn, annotations={}) for turn in episode.turns]
    return replace(episode, turns=turns, segments=[segment.copy() for segment in episode.segments])


def pack_episode(episode: Episode) -> dict[str, Any]:
    """An episode with its tokens as JSON-safe data; what learners wrote is left out, for it is written anew."""
    record = asdict(episode)
    for part in (*record["turns"], *record["segments"]):
        part["annotations"] = {}
    return record


def unpack_episode(record: Mapping[str, Any]) -> Episode:
    """The episode that `pack_episode` packed."""
    turns = [
        Turn(
            **{
                **turn,
                "messages": tuple(turn["messages"]),
                "images": tuple(turn["images"]),
                "marks": {name: (start, end) for name, (start, end) in turn["marks"].items()},
                "rewards": dict(turn["rewards"]),
                "terms": dict(turn["terms"]),
                "annotations": {},
            }
        )
        for turn in record["turns"]
    ]
    segments = [
        Segment(**{**segment, "spans": [Span(**span) for span in segment["spans"]], "annotations": {}})
        for segment in record["segments"]
    ]
    parent = Parent(**record["parent"]) if record["parent"] else None
    return Episode(**{**record, "turns": turns, "segments": segments, "parent": parent})


REPLAYS = {"success": SuccessReplay, "archive": Archive}
