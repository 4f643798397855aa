"""A term of the advantage for groups whose episodes branch: a stretch of a path against what it left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import TokenAdvantages, members, per_turn
from agentgym.train.interfaces import Advantage
from agentgym.train.schedules import Schedule

Turned: TypeAlias = tuple[int, int]
"""A turn of a tree: place of the episode that took it first, and number of the turn."""


@dataclass(frozen=True)
class TreeRelative(Advantage):
    """What the leaves beyond a stretch of a tree earned, compared with those of the whole tree and of its last fork.

    A stretch is what lies between two places where paths go apart. It is worth the mean return of all episodes that
    went through it; its turns get the difference from what the group is worth (`root`), from what the stretch before it
    is worth (`parent`), or the sum of both. So what siblings share is paid once for what all of them came to, and a
    turn after a fork answers for what it made of the fork. A stretch lies in as many episodes as it has leaves, each of
    which is learned from; its advantage is divided by the root of their number.

    - TreeRL (Hou et al. 2025, arXiv:2506.11902): the sum of the global and the local advantage, divided by that root.
    - SPO (Guo et al. 2025, arXiv:2505.23564): `against = "parent"`, `scale = "none"`, a difference of two values.

    What filters left out of a group counts no more, as elsewhere.

    Attributes:
        against: What a stretch is compared with.
        scale: Divide by the root of the number of leaves, or by nothing.
        weight: Of this term.
    """

    against: Literal["both", "root", "parent"] = "both"
    scale: Literal["leaves", "none"] = "leaves"
    weight: float | Schedule = 1.0

    def check(self, recipe: Any) -> None:
        """Without branches all episodes are leaves of the root, and what was replayed has its tree elsewhere."""
        if not recipe.rollout.strategy.branches:
            raise ConfigError(
                "TreeRelative compares branches, and no episode branches; set rollout.strategy to 'tree', 'branching' "
                "or 'entropy_branching', or use 'group_relative'"
            )
        if recipe.replay is not None:
            raise ConfigError("TreeRelative needs the tree of a round, which replayed episodes left; drop [replay]")

    def __call__(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """See the class."""
        values: list[list[float]] = [[] for _ in episodes]
        for places in members(episodes).values():
            own = self._group([episodes[place] for place in places])
            for place, turns in zip(places, own, strict=True):
                values[place] = turns
        return per_turn(episodes, values)

    def _group(self, group: Sequence[Episode]) -> list[list[float]]:
        """The advantage of every turn of the episodes of a group."""
        paths = _paths(group)
        leaves: dict[Turned, set[int]] = {}
        for member, path in enumerate(paths):
            for turn in path:
                leaves.setdefault(turn, set()).add(member)
        everyone = set(range(len(group)))
        worth = {turn: _mean(group, through) for turn, through in leaves.items()}
        root, found = _mean(group, everyone), []
        for path in paths:
            before, stretch, through, own = root, root, everyone, []
            for turn in path:
                if leaves[turn] != through:  # a fork lies behind it
                    before, stretch, through = stretch, worth[turn], leaves[turn]
                gains = {"root": stretch - root, "parent": stretch - before, "both": 2 * stretch - root - before}
                own.append(gains[self.against] / (math.sqrt(len(through)) if self.scale == "leaves" else 1.0))
            found.append(own)
            self.count(turns=len(path), turns_shared=sum(len(leaves[turn]) > 1 for turn in path))
        return found


def _paths(group: Sequence[Episode]) -> list[list[Turned]]:
    """The turns of each episode of a group, by the place of the one that took them first."""
    places = {episode.number: place for place, episode in enumerate(group)}
    return [_path(place, len(episode.turns), group, places) for place, episode in enumerate(group)]


def _path(place: int, turns: int, group: Sequence[Episode], places: Mapping[int, int]) -> list[Turned]:
    """The first turns of an episode."""
    parent = group[place].parent
    begun = min(turns, parent.turn) if parent is not None and parent.kind == "branch" else 0
    own: list[Turned] = [(place, turn) for turn in range(begun, turns)]
    if parent is None or not begun:
        return own
    if parent.episode in places:
        return _path(places[parent.episode], begun, group, places) + own
    return [(-1 - parent.episode, turn) for turn in range(begun)] + own  # left out: what branched from it is together


def _mean(group: Sequence[Episode], through: set[int]) -> float:
    return sum(group[place].learned_return for place in sorted(through)) / len(through)
