"""The sliding puzzle in words: bring the tiles into order through one gap."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import SLIDING_PUZZLE

LEVELS = {
    "easy": {"size": 3, "scramble": 16},
    "medium": {"size": 3, "scramble": 60},
    "hard": {"size": 4, "scramble": 60},
    "expert": {"size": 4, "scramble": 200},
}
NAMES = ("up", "down", "left", "right")
TURNS = {3: 100, 4: 300, 5: 1300}
# Weighted A* finds solutions at most so many times longer than the shortest, which has at most 31, 80 and 208 moves.
WEIGHTS = {3: 1, 4: 3, 5: 6}
GAP = 0
STREAM = 0x5117  # apart from np_random of an equal seed

Tiles = tuple[int, ...]


@dataclass(slots=True)
class State:
    """The tile in each cell, row after row, 0 for the gap."""

    tiles: Tiles


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `SlidingPuzzleEnv`."""

    level: str = named_level("medium", LEVELS, of="SlidingPuzzle")
    size: int = whole(None, 3, 5)
    scramble: int = whole(None, 12, 1000)


class SlidingPuzzleEnv(LanguageEnv):
    """Slide tiles into order.

    Description: a square frame of numbered tiles with one gap. A tile beside the gap can slide into it. The tiles are
    to stand in order, row after row from the top left, with the gap in the last cell. Each task is scrambled by
    sliding, so it can be solved.

    Observation: a sentence on the last move and the frame, one line per row, `_` for the gap.

    Actions: `up`, `down`, `left`, `right`: the direction in which a tile slides into the gap; also `move up`, `slide
    up`. Or the tile by its number, `slide 5`, `move 5`. The admissible actions list directions. What cannot slide is
    refused.

    Reward: 1 when all tiles are in order (success), otherwise 0. The episode ends then, or after 100 turns (3 x 3), 300
    (4 x 4) or 1300 (5 x 5).

    Splits: `train` without end, `val` and `test` 200 puzzles each.

    Oracle: A* on Manhattan distance and linear conflicts: a shortest solution on 3 x 3, one that is at most 3 (4 x 4)
    or 6 times (5 x 5) as long on the larger frames. Expert: the same, for nothing is hidden.

    Args:
        level: Named difficulty: `easy` (3 x 3, scrambled by 16 moves), `medium` (3 x 3, 60), `hard` (4 x 4, 60),
            `expert` (4 x 4, 200). `size` and `scramble` replace what it says.
        size: Rows and columns, 3 to 5.
        scramble: Random moves that make the puzzle, none of which undoes the one before, 12 to 1000.

    Source: the 15 puzzle (Chapman 1880); linear conflicts: Hansson, Mayer and Yung 1992, Information Sciences 63.
    """

    card = SLIDING_PUZZLE
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            *(
                Command(
                    name,
                    f"slide a tile {name} into the gap.",
                    examples=(name,),
                    variants=(f"move {name}", f"slide {name}"),
                )
                for name in NAMES
            ),
            Command("slide <tile>", "slide this tile into the gap.", examples=("slide 5",), variants=("move <tile>",)),
        ],
        rules="Slide the tiles until they stand in order, row after row, with the gap (_) in the last cell. Only a "
        "tile beside the gap can slide.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 3,
                "maxItems": 5,
                "items": {"type": "array", "minItems": 3, "maxItems": 5, "items": {"type": "integer"}},
                "description": "rows of tile numbers, 0 for the gap",
            }
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A puzzle of the size of `config`, scrambled by as many moves as it says, drawn by `rng`."""
        return {"rows": _generate(rng, config.size, config.scramble)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a square of all tiles, out of order, that sliding can bring into order."""
        rows = spec["rows"]
        tiles = tuple(tile for row in rows for tile in row)
        if any(len(row) != len(rows) for row in rows) or sorted(tiles) != list(range(len(rows) ** 2)):
            raise TaskError(f"a frame is a square of the numbers 0 (the gap) to {len(rows) ** 2 - 1}, got {rows}")
        if tiles == _ordered(len(rows)):
            raise TaskError(f"the tiles are in order already: {rows}")
        if not solvable(tiles, len(rows)):
            raise TaskError(f"sliding cannot bring these tiles into order: {rows}; exchange two of them")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        size = len(spec["rows"])
        return (
            f"Slide the tiles 1 to {size * size - 1} of the {size} x {size} frame into order, row after row, with the "
            "gap _ in the last cell. A tile beside the gap can slide into it."
        )

    def _turn_limit(self, task: Task) -> int:
        return TURNS[len(task.spec["rows"])]

    def _reset(self, task: Task) -> str:
        self._size = len(task.spec["rows"])
        self._way: Mapping[Tiles, str] = {}  # the moves of a solution; found anew when the player leaves it
        self._state = State(tuple(tile for row in task.spec["rows"] for tile in row))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        size, tiles = self._size, self._state.tiles
        moves = _moves(size)[tiles.index(GAP)]
        if call.name != "slide":
            if call.name not in moves:
                return self.refuse(f"No tile can slide {call.name}: the gap is at the edge.")
            after = slid(tiles, moves[call.name])
            moved = tiles[moves[call.name]]
        else:
            said = call["tile"]
            found = {str(tiles[cell]): cell for cell in moves.values()}
            if said not in found:
                free = _boards.joined(sorted(found, key=int))
                return self.refuse(f"The tile {shorten(said)!r} cannot slide; beside the gap are {free}.")
            moved = int(said)
            after = slid(tiles, found[said])
        self._state.tiles = after
        won = after == _ordered(size)
        right = sum([tile == place for place, tile in enumerate(after, start=1) if tile])
        return Outcome(
            f"You slide {moved}.{' All tiles are in order.' if won else ''}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=right / (size * size - 1),
        )

    def _view(self) -> str:
        size, tiles = self._size, self._state.tiles
        return "\n".join([_line(tiles[at : at + size]) for at in range(0, size * size, size)])

    def _admissible(self) -> list[str]:
        return list(_moves(self._size)[self._state.tiles.index(GAP)])

    def _oracle(self) -> str:
        tiles = self._state.tiles
        if tiles not in self._way:
            self._way = plan(tiles, self._size)
        return self._way[tiles]

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A solution, move by move."""
        return list(plan(tuple(tile for row in self.task.spec["rows"] for tile in row), self._size).values())

    def _picture(self) -> NDArray[np.uint8]:
        """The frame, uint8 of shape (48 * size, 48 * size, 3)."""
        frame = _boards.board(self._size, self._size, _boards.WOOD_DARK)
        for cell, tile in enumerate(self._state.tiles):
            if tile:
                part = _boards.tile(frame, *divmod(cell, self._size))
                _boards.fill(part, (246, 225, 190) if tile == cell + 1 else _boards.WOOD, 2)
                _boards.number(part, tile, _boards.INK)
        return frame


def _generate(rng: np.random.Generator, size: int, scramble: int) -> list[list[int]]:
    """The order scrambled by random moves; drawn again if they lead back to it."""
    while True:
        tiles, before = list(_ordered(size)), -1
        gap = size * size - 1
        for die in rng.random(scramble).tolist():
            cells = [cell for cell in _moves(size)[gap].values() if cell != before]
            cell = cells[int(die * len(cells))]
            tiles[gap], tiles[cell] = tiles[cell], GAP
            before, gap = gap, cell
        if tuple(tiles) != _ordered(size):
            return [tiles[at : at + size] for at in range(0, size * size, size)]


@cache
def _ordered(size: int) -> Tiles:
    return (*range(1, size * size), GAP)


@cache
def _moves(size: int) -> tuple[Mapping[str, int], ...]:
    """For each place of the gap: the directions in which a tile can slide, and the cell it comes from."""
    found = []
    for gap in range(size * size):
        row, column = divmod(gap, size)
        cells = {
            "up": (row + 1, column),
            "down": (row - 1, column),
            "left": (row, column + 1),
            "right": (row, column - 1),
        }
        found.append({name: r * size + c for name, (r, c) in cells.items() if 0 <= r < size and 0 <= c < size})
    return tuple(found)


def slid(tiles: Tiles, cell: int) -> Tiles:
    """The tiles after the one in a cell has slid into the gap.

    Args:
        tiles: By cell.
        cell: Number of a cell beside the gap.
    """
    gap = tiles.index(GAP)
    low, high = (gap, cell) if gap < cell else (cell, gap)
    return (*tiles[:low], tiles[high], *tiles[low + 1 : high], tiles[low], *tiles[high + 1 :])


@lru_cache(maxsize=8192)
def _line(tiles: Tiles) -> str:
    return " ".join(f"{tile:2}" if tile else " _" for tile in tiles)


def solvable(tiles: Tiles, size: int) -> bool:
    """Whether sliding can bring tiles into order: a parity of exchanges and of the gap's way home (Johnson 1879).

    Args:
        tiles: By cell.
        size: Cells in a row.
    """
    full = [tile for tile in tiles if tile]
    exchanges = sum(one > other for place, one in enumerate(full) for other in full[place + 1 :])
    if size % 2:
        return exchanges % 2 == 0
    return (exchanges + size - 1 - tiles.index(GAP) // size) % 2 == 0


@lru_cache(maxsize=65_536)
def _conflicts(line: Tiles) -> int:
    """The least number of tiles that must leave a line so that the others are in order; each costs two moves.

    A line holds, in order, the home places within it of the tiles that belong to it.
    """
    longest: list[int] = []
    for place, home in enumerate(line):
        longest.append(1 + max([longest[before] for before in range(place) if line[before] < home], default=0))
    return len(line) - max(longest, default=0)


def _distance(tiles: Tiles, size: int) -> int:
    """A lower bound of the moves that remain: Manhattan distance and two for each linear conflict."""
    total = 0
    rows: list[list[int]] = [[] for _ in range(size)]
    columns: list[list[int]] = [[] for _ in range(size)]
    for cell, tile in enumerate(tiles):
        if tile:
            row, column = cell // size, cell % size
            home_row, home_column = (tile - 1) // size, (tile - 1) % size
            total += abs(row - home_row) + abs(column - home_column)
            if row == home_row:
                rows[row].append(home_column)
            if column == home_column:
                columns[column].append(home_row)
    return total + 2 * sum([_conflicts(tuple(line)) for line in rows + columns])


@lru_cache(maxsize=1024)
def plan(tiles: Tiles, size: int) -> Mapping[Tiles, str]:
    """The move of a solution in each position on its way, in order, by weighted A*.

    Args:
        tiles: By cell.
        size: Cells in a row.
    """
    weight, goal = WEIGHTS[size], _ordered(size)
    costs = {tiles: 0}
    parents: dict[Tiles, tuple[Tiles, str]] = {}
    queue = [(weight * _distance(tiles, size), 0, tiles)]
    while queue:
        _, cost, here = heapq.heappop(queue)
        cost = -cost
        if here == goal:
            break
        if cost > costs[here]:
            continue
        for name, cell in _moves(size)[here.index(GAP)].items():
            after = slid(here, cell)
            if cost + 1 < costs.get(after, 1 << 30):
                costs[after] = cost + 1
                parents[after] = (here, name)
                heapq.heappush(queue, (cost + 1 + weight * _distance(after, size), -cost - 1, after))
    way = []
    here = goal
    while here != tiles:
        here, name = parents[here]
        way.append((here, name))
    return dict(reversed(way))
