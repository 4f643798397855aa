"""The region of the map: towns with their streets, and roads, motorways and trails between them, as a graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agentgym.envs.web._sites.dice import Dice

WIDTH, HEIGHT = 64_000, 35_000  # of the region, in meters; y grows to the south
APART = 6_200  # towns are at least so far from each other
BLOCK = 130  # meters between crossings of a town


@dataclass
class Town:
    """A town while it is built.

    Attributes:
        grid: Node by row and column.
    """

    number: int
    name: str
    size: int
    x: int
    y: int
    grid: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass
class Region:
    """Rows of the tables, as they grow."""

    towns: list[Town] = field(default_factory=list)
    nodes: list[tuple[int, int, int, int]] = field(default_factory=list)
    streets: list[list[Any]] = field(default_factory=list)
    edges: list[tuple[int, int, int, int, str, int, int]] = field(default_factory=list)

    def node(self, town: int, x: float, y: float) -> int:
        """A new node of `town`, by number, at `x` and `y`, meters from the north-western corner; its id."""
        self.nodes.append((len(self.nodes) + 1, town, round(x), round(y)))
        return len(self.nodes)

    def street(self, town: int, name: str, kind: str) -> int:
        """A new street, road or trail, as its `kind` says, of `town`, by number, called `name`; its id."""
        self.streets.append([len(self.streets) + 1, town, name, kind, 0, 0])
        return len(self.streets)

    def edge(self, source: int, target: int, street: int, oneway: bool = False, bends: float = 1.0) -> None:
        """Join two nodes by a stretch of a street.

        Args:
            source, target: The nodes.
            street: Which.
            oneway: Whether cars may go from source to target only.
            bends: How much longer it is than the straight line.
        """
        length = max(1, round(self.distance(source, target) * bends))
        row = self.streets[street - 1]
        self.edges.append((len(self.edges) + 1, source, target, street, row[3], length, int(oneway)))
        row[4] += length
        row[5] = row[5] or source

    def distance(self, one: int, other: int) -> float:
        """Meters between node `one` and node `other`, by id, as the crow flies."""
        return math.dist(self.nodes[one - 1][2:], self.nodes[other - 1][2:])


def build_region(dice: Dice, words: Mapping[str, Any]) -> Region:
    """Draw a region.

    Args:
        dice: The draws.
        words: The map's word lists.
    """
    region = Region()
    for number, (name, size) in enumerate(words["towns"], 1):
        x, y = _site(dice, region.towns)
        town = Town(number, name, size, x, y)
        region.towns.append(town)
        _streets(dice, region, town, words)
    _roads(dice, region, words)
    return region


def _site(dice: Dice, towns: Sequence[Town]) -> tuple[int, int]:
    """Where a town may lie."""
    while True:
        x, y = dice.between(3000, WIDTH - 3000), dice.between(3000, HEIGHT - 2000)
        if all(math.dist((x, y), (one.x, one.y)) >= APART for one in towns):
            return x, y


def _streets(dice: Dice, region: Region, town: Town, words: Mapping[str, Any]) -> None:
    """A crooked grid of streets; some stretches are missing, none that cuts a crossing off."""
    size, middle = town.size, town.size // 2
    for row in range(size):
        for column in range(size):
            dx, dy = (BLOCK * (at - (size - 1) / 2) + dice.between(-34, 34) for at in (column, row))
            town.grid[row, column] = region.node(town.number, town.x + dx, town.y + dy)
    names = dice.some(words["streets"], 2 * size - 2)
    stretches = []
    for across in (True, False):
        for at in range(size):
            name = words["central"][int(across)] if at == middle else names.pop()
            oneway = at != middle and dice.chance(18)
            quiet = "pedestrian" if abs(at - middle) == 1 and dice.chance(25) else "residential"
            kind = "main" if at == middle else quiet
            street = region.street(town.number, name, kind)
            line = [town.grid[(at, step) if across else (step, at)] for step in range(size)]
            line = line[::-1] if dice.chance(50) else line
            only = oneway and kind == "residential"
            stretches += [(a, b, street, only) for a, b in pairwise(line)]
    held = _spanning(dice, stretches, {row[0] for row in region.streets if row[3] == "pedestrian"})
    for place, (source, target, street, oneway) in enumerate(stretches):
        if place in held or not dice.chance(16):
            region.edge(source, target, street, oneway and place not in held, 1 + dice.below(12) / 100)


def _spanning(dice: Dice, stretches: Sequence[tuple[int, int, int, bool]], walked: set[int]) -> set[int]:
    """Which stretches are enough to reach every crossing, most of them by car: they are open in both directions."""
    leader: dict[int, int] = {}

    def find(node: int) -> int:
        while leader.setdefault(node, node) != node:
            node = leader[node]
        return node

    held = set()
    order = dice.some(range(len(stretches)), len(stretches))
    for place in sorted(order, key=lambda place: stretches[place][2] in walked):
        source, target = find(stretches[place][0]), find(stretches[place][1])
        if source != target:
            leader[source] = target
            held.add(place)
    return held


def _roads(dice: Dice, region: Region, words: Mapping[str, Any]) -> None:
    """Roads that reach every town, motorways between large ones, trails between near ones."""
    towns = region.towns
    pairs = sorted((round(math.dist((a.x, a.y), (b.x, b.y))), a.number, b.number)
                   for a in towns for b in towns if a.number < b.number)  # fmt: skip
    near = {one.number: sorted(pair for pair in pairs if one.number in pair[1:])[:3] for one in towns}
    leader = {one.number: one.number for one in towns}
    roads, number = set(), 10
    for far, one, other in pairs:  # a shortest net of roads, and some more
        joins = leader[one] != leader[other]
        if joins:
            old, new = leader[one], leader[other]
            leader = {town: new if head == old else head for town, head in leader.items()}
        if joins or ((far, one, other) in near[one] and dice.chance(70)):
            number += dice.between(1, 9)
            _way(dice, region, towns[one - 1], towns[other - 1], f"Route {number}", "road", 1.12)
            roads.add((one, other))
    large = [one for one in towns if one.size >= 8]
    for place, name in enumerate(words["motorways"]):
        first, last = large[place % len(large)], large[(place * 2 + 3) % len(large)]
        if first is not last:
            _way(dice, region, first, last, name, "motorway", 1.04)
    trails = dice.some(sorted(roads), len(words["trails"]))
    for name, (one, other) in zip(words["trails"], trails, strict=False):
        _way(dice, region, towns[one - 1], towns[other - 1], name, "trail", 1.01)


def _way(dice: Dice, region: Region, one: Town, other: Town, name: str, kind: str, bends: float) -> None:
    """A road outside of towns, with bends, from the edge of one town to the edge of the other."""
    start = min(one.grid.values(), key=lambda node: (math.dist(region.nodes[node - 1][2:], (other.x, other.y)), node))
    end = min(other.grid.values(), key=lambda node: (math.dist(region.nodes[node - 1][2:], (one.x, one.y)), node))
    (x, y), (u, v) = region.nodes[start - 1][2:], region.nodes[end - 1][2:]
    pieces = max(2, round(region.distance(start, end) / 2600))
    street, last = region.street(0, name, kind), start
    for piece in range(1, pieces):
        share, sway = piece / pieces, dice.between(-420, 420)
        far = math.dist((x, y), (u, v))
        node = region.node(0, x + (u - x) * share - sway * (v - y) / far, y + (v - y) * share + sway * (u - x) / far)
        region.edge(last, node, street, False, bends)
        last = node
    region.edge(last, end, street, False, bends)
