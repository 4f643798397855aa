"""Where things are: for a player that sees the whole land, and for one that knows only what it has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from agentgym.envs.text._craft_tree.acquisition import lairs
from agentgym.envs.text._craft_tree.facts import BIOMES, BURNING, DEPTHS
from agentgym.envs.text._craft_tree.state import State, around
from agentgym.envs.text._craft_tree.terrain import CELLS, LEVELS, WAYS, Land, distance, find, neighbour, sight

AHEAD = 30  # explorations that the all-seeing scout looks ahead
PATIENCE = 8  # explorations of one area before the explorer looks elsewhere


class Spot(NamedTuple):
    """A place to get something, and about how many actions it takes to have it before one."""

    cost: float
    cell: int
    level: int


class Scout(Protocol):
    """Says where to get something."""

    def locate(self, state: State, land: Land, source: str) -> Spot | None:
        """The best place for a block, creature or liquid; None if it is not known where to look.

        Args:
            state: Where the player is, and what is known and left at each place.
            land: The true land, of which a scout reads what its kind may know.
            source: Name of what is wanted, a key of `lairs`.
        """


def way_to(state: State, cell: int, level: int) -> int:
    """Moves from where `state` is to `level` of `cell`: up, over the surface and down, unless it is the same area."""
    if cell == state.cell:
        return abs(level - state.level)
    return state.level + distance(state.cell, cell) + level


def _known(state: State, source: str) -> Iterator[Spot]:
    """Places where the source is known to be."""
    if source in around(state):
        yield Spot(0.0, state.cell, state.level)
        return
    for place, found in state.here.items():
        cell, level = divmod(place, LEVELS)
        if source in found and not (level == 0 and source in BURNING):
            yield Spot(float(way_to(state, cell, level)), cell, level)


class AllSeeing:
    """Knows every biome and what every exploration will find."""

    def locate(self, state: State, land: Land, source: str) -> Spot | None:
        """The place where `source` is had with the fewest moves and explorations from `state`, all of `land` known."""
        best = min(_known(state, source), default=None)
        shown, hidden, levels = lairs()[source]
        for cell in sorted(range(CELLS), key=lambda cell: (distance(state.cell, cell), cell)):
            if best is not None and distance(state.cell, cell) >= best.cost:
                break
            biome = land.biomes[cell]
            if biome in shown and cell * LEVELS not in state.here:
                spot = Spot(float(way_to(state, cell, 0)), cell, 0)
                best = spot if best is None else min(best, spot)
            for level in ((0,) if biome in hidden else ()) + levels:
                steps = way_to(state, cell, level)
                if source in sight(biome, level) and level:
                    spot = Spot(float(steps), cell, level)
                    best = spot if best is None else min(best, spot)
                    continue
                limit = AHEAD if best is None else min(AHEAD, int(best.cost - steps) + 1)
                begun = state.explored.get(cell * LEVELS + level, 0)
                for number in range(limit):
                    if any(name == source for name, _ in find(land.seed, biome, cell, level, begun + number)):
                        spot = Spot(steps + number + 1.0, cell, level)
                        best = spot if best is None else min(best, spot)
                        break
        return best


class Explorer:
    """Knows the places it has been to, the biomes next to them, and what each biome and depth holds in general."""

    def locate(self, state: State, land: Land, source: str) -> Spot | None:
        """A place where the source was seen; else the best guess among biomes and depths; else unknown land.

        Args:
            state: What was seen, and what is left of it.
            land: Read for the biomes of areas visited and those next to them.
            source: Name of what is wanted.
        """
        best = min(_known(state, source), default=None)
        if best is not None:
            return best
        shown, hidden, levels = lairs()[source]
        spots = []
        for level in levels:
            rows = [row for row in DEPTHS[level] if row[0] == source]
            chance = rows[0][1] / 256 if rows else 1.0
            spots.append(Spot(abs(level - state.level) + 1 / chance, state.cell, level))
        visited = {place // LEVELS for place in state.here}
        seen = visited | {neighbour(cell, way) for cell in visited for way in WAYS} - {-1}
        for cell in sorted(seen):
            biome = land.biomes[cell]
            steps = way_to(state, cell, 0)
            if biome in shown and cell not in visited:
                spots.append(Spot(float(steps), cell, 0))
            if biome in hidden:
                tried = state.explored.get(cell * LEVELS, 0)
                table = BIOMES[biome].finds
                share = 2 * next(row[1] for row in table if row[0] == source) / sum(row[1] for row in table)
                spots.append(Spot(steps + 1 / share + 3 * max(0, tried - PATIENCE), cell, 0))
        for cell in sorted(seen - visited):
            spots.append(Spot(way_to(state, cell, 0) + 9.0, cell, 0))
        return min(spots, default=None)
