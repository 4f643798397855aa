"""FrozenLake in words: a small grid, holes, and ice that may carry you elsewhere."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, one_of, share, switch, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.puzzles import FROZEN_LAKE

MOVES = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}
NAMES = tuple(MOVES)
SIZES = range(3, 9)
INTENDED, ASTRAY = 0.8, 0.1  # slippery ice: as meant, and to either side (RAGEN)
CELL = 48  # pixels
STREAM = 0x1CE  # apart from np_random of an equal seed, whose dice would otherwise repeat the numbers that made the map
ICE, WATER, GOAL, PLAYER, EDGE = (214, 234, 248), (27, 79, 114), (39, 174, 96), (192, 57, 43), (255, 255, 255)


@dataclass(slots=True)
class State:
    """Where the player stands: row * size + column."""

    cell: int


@dataclass(frozen=True, eq=False)
class Lake:
    """What a map determines, computed once and shared by every environment that plays it.

    `steps[cell][move]` is the cell a move leads to, `distance[cell]` the length of the shortest way to the goal
    (infinite if there is none), `text` the map without the player.
    """

    size: int
    rows: tuple[str, ...]
    start: int
    goal: int
    holes: frozenset[int]
    steps: tuple[tuple[int, ...], ...]
    distance: tuple[float, ...]
    text: str


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `FrozenLakeEnv`."""

    size: int = whole(4, SIZES[0], SIZES[-1])
    slippery: bool = switch(True)
    frozen: float = share(0.8, 0.3, 1)
    view: str = one_of("grid", ("grid", "coordinates"), shapes_tasks=False)


class FrozenLakeEnv(LanguageEnv):
    """Cross a frozen lake.

    Description: a square grid of ice with holes, given as a map in every observation. Each task is a map that has a
    safe way from start to goal; start and goal are random cells.

    Observation (`view="grid"`): a sentence on the last move, then one line per row, cells separated by spaces: `P` you,
    `_` ice, `O` hole, `G` goal, `X` you in a hole, `√` you on the goal. With `view="coordinates"`: the same in words,
    zero-indexed (row, column).

    Actions: `left`, `down`, `right`, `up`; also `move left`, `go left`. A move against the edge stays. On slippery ice
    a move goes as meant with probability 0.8 and to either side with 0.1 each.

    Reward: 1 at the goal, otherwise 0. The episode ends at the goal (success), in a hole, or after `3 * size - 2`
    turns, twice that on slippery ice.

    Splits: `train` without end, `val` and `test` 500 maps each.

    Oracle: value iteration over the turns left, which is optimal and does not see the dice; `oracle_success` of the
    card is the mean optimal value of the test panel. Expert: the shortest safe way, as if the ice were not slippery.

    Args:
        size: Rows and columns, 3 to 8.
        slippery: Whether moves may go astray.
        frozen: Probability that a cell is ice and no hole, above 0 and at most 1.
        view: `grid` or `coordinates`.

    Source: Gymnasium's FrozenLake; sizes, symbols, slip probabilities and random start after RAGEN (arXiv:2504.20073).
    """

    card = FROZEN_LAKE
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(name, f"take a step {name}.", examples=(name,), variants=(f"move {name}", f"go {name}"))
            for name in NAMES
        ],
        rules="Walk over the ice to the goal G. A hole O ends the walk. The map shows you as P; the edge stops you.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {"type": "array", "minItems": 3, "maxItems": 8, "items": {"type": "string"}},
            "slippery": {"type": "boolean"},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A map with a safe way; drawn again until it has one.

        Args:
            config: Side of the map, chance that a cell is ice, and whether ice is slippery.
            rng: Draws ice, start and goal.
        """
        size = config.size
        while True:
            cells = ["F" if ice else "H" for ice in rng.random(size * size) < config.frozen]
            start, goal = (int(cell) for cell in rng.choice(size * size, 2, replace=False))
            cells[start], cells[goal] = "S", "G"
            rows = tuple("".join(cells[row * size : (row + 1) * size]) for row in range(size))
            lake = _lake(rows)
            if lake.distance[lake.start] < float("inf"):
                return {"rows": list(rows), "slippery": config.slippery}

    def check_task(self, spec: Spec) -> None:
        """The map must be square, made of S, G, F and H, with one start, one goal and a way between them."""
        rows = spec["rows"]
        if any(len(row) != len(rows) for row in rows) or set("".join(rows)) - set("SFHG"):
            raise TaskError(f"a map has as many letters S, F, H, G in a row as rows, got {rows}")
        if "".join(rows).count("S") != 1 or "".join(rows).count("G") != 1:
            raise TaskError(f"a map has exactly one S (start) and one G (goal), got {rows}")
        lake = _lake(tuple(rows))
        if lake.distance[lake.start] == float("inf"):
            raise TaskError(f"the map has no way from S to G around the holes: {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        ice = (
            "The ice is slippery: a step goes as meant 8 times in 10, otherwise to one side."
            if spec["slippery"]
            else "The ice is firm: every step goes as meant."
        )
        return f"Walk over the frozen lake to the goal G and keep out of the holes O. {ice}"

    def _turn_limit(self, task: Task) -> int:
        return (3 * len(task.spec["rows"]) - 2) * (2 if task.spec["slippery"] else 1)

    def _reset(self, task: Task) -> str:
        self._lake = _lake(tuple(task.spec["rows"]))
        self._slippery: bool = task.spec["slippery"]
        self._state = State(self._lake.start)
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        lake, before = self._lake, self._state.cell
        meant = NAMES.index(call.name)
        taken = meant
        if self._slippery:
            rng = self.np_random.random()
            if rng >= INTENDED:
                taken = (meant + (1 if rng < INTENDED + ASTRAY else 3)) % 4
        cell = self._state.cell = lake.steps[before][taken]
        feedback = f"You go {call.name}." if taken == meant else f"You slip and go {NAMES[taken]}."
        if cell == before:
            feedback = feedback[:-1] + ", against the edge, and stay where you are."
        elif cell == lake.goal:
            feedback += " You are at the goal."
        elif cell in lake.holes:
            feedback += " You fall into a hole."
        size, won = lake.size, cell == lake.goal
        event = {
            "type": "move",
            "from": list(divmod(before, size)),
            "to": list(divmod(cell, size)),
            "slipped": taken != meant,
        }
        return Outcome(
            f"{feedback}\n{self._view()}",
            reward=float(won),
            terminated=won or cell in lake.holes,
            success=won,
            progress=max(0.0, 1.0 - lake.distance[cell] / lake.distance[lake.start]),
            events=(event,),
        )

    def _view(self) -> str:
        lake, cell = self._lake, self._state.cell
        if self.config.view == "coordinates":
            return _coordinates(lake, cell)
        mark = "√" if cell == lake.goal else "X" if cell in lake.holes else "P"
        return lake.text[: 2 * cell] + mark + lake.text[2 * cell + 1 :]

    def _admissible(self) -> list[str]:
        return list(NAMES)

    def _oracle(self) -> str:
        values = optimal_values(self._lake.rows, self._slippery, self.max_turns)
        return NAMES[
            int(
                np.argmax(
                    _action_values(self._lake, values[self.max_turns - self.turn - 1], self._slippery)[self._state.cell]
                )
            )
        ]

    def _expert(self) -> str:
        lake, cell = self._lake, self._state.cell
        return min(NAMES, key=lambda name: lake.distance[lake.steps[cell][NAMES.index(name)]])

    def _reference(self) -> list[str]:
        """A shortest safe way, move by move."""
        lake, cell, way = self._lake, self._lake.start, []
        while cell != lake.goal:
            move = min(range(4), key=lambda move: lake.distance[lake.steps[cell][move]])
            way.append(NAMES[move])
            cell = lake.steps[cell][move]
        return way

    def _picture(self) -> NDArray[np.uint8]:
        """The lake, uint8 of shape (48 * size, 48 * size, 3).

        The lake from above: pale ice, dark holes, a green flagged goal, a red player.
        """
        lake, cell = self._lake, self._state.cell
        frame = np.empty((lake.size * CELL, lake.size * CELL, 3), np.uint8)
        frame[:] = EDGE
        down, right = np.mgrid[0:CELL, 0:CELL]
        radius = np.hypot(down - CELL / 2 + 0.5, right - CELL / 2 + 0.5)
        for place in range(lake.size**2):
            row, column = divmod(place, lake.size)
            tile = frame[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
            tile[1:-1, 1:-1] = ICE
            if place in lake.holes:
                tile[radius < 0.42 * CELL] = WATER
            if place == lake.goal:
                tile[CELL // 6 : CELL - CELL // 6, CELL // 3 : CELL // 3 + 3] = WATER
                tile[CELL // 6 : CELL // 2, CELL // 3 + 3 : CELL - CELL // 5] = GOAL
            if place == cell:
                tile[radius < 0.26 * CELL] = PLAYER
                tile[(radius >= 0.26 * CELL) & (radius < 0.30 * CELL)] = EDGE
        return frame


@cache
def _steps(size: int) -> tuple[tuple[int, ...], ...]:
    """Where each move leads from each cell of an empty board."""
    return tuple(
        tuple(
            min(max(row + down, 0), size - 1) * size + min(max(column + right, 0), size - 1)
            for down, right in MOVES.values()
        )
        for row in range(size)
        for column in range(size)
    )


@lru_cache(maxsize=4096)
def _lake(rows: tuple[str, ...]) -> Lake:
    size, cells = len(rows), "".join(rows)
    steps = _steps(size)
    holes = frozenset(cell for cell, letter in enumerate(cells) if letter == "H")
    goal = cells.index("G")
    distance = [float("inf")] * len(cells)
    distance[goal] = 0.0
    frontier = deque([goal])
    while frontier:
        cell = frontier.popleft()
        for neighbour in steps[cell]:  # moves are symmetric, so distances from the goal are distances to it
            if neighbour not in holes and distance[neighbour] == float("inf"):
                distance[neighbour] = distance[cell] + 1
                frontier.append(neighbour)
    signs = {"S": "_", "F": "_", "H": "O", "G": "G"}
    text = "\n".join(" ".join(signs[letter] for letter in row) for row in rows)
    return Lake(size, rows, cells.index("S"), goal, holes, steps, tuple(distance), text)


def _action_values(lake: Lake, after: NDArray[np.float64], slippery: bool) -> NDArray[np.float64]:
    """Expected value of each move from each cell, shape (cells, 4), given the values `after` it, shape (cells,)."""
    reached = after[np.array(lake.steps)]
    if not slippery:
        return reached
    return INTENDED * reached + ASTRAY * (np.roll(reached, -1, axis=1) + np.roll(reached, 1, axis=1))


@lru_cache(maxsize=1024)
def optimal_values(rows: tuple[str, ...], slippery: bool, turns: int) -> NDArray[np.float64]:
    """Best probability of success by turns left and cell, shape (turns + 1, cells): backward value iteration.

    Args:
        rows: The map, a string of signs for each row.
        slippery: Whether moves may go astray.
        turns: The most turns left.
    """
    lake = _lake(rows)
    values = np.zeros((turns + 1, lake.size**2))
    values[:, lake.goal] = 1.0
    over = [lake.goal, *sorted(lake.holes)]
    for left in range(1, turns + 1):
        best = _action_values(lake, values[left - 1], slippery).max(axis=1)
        best[over] = values[0, over]
        values[left] = best
    return values


def _coordinates(lake: Lake, cell: int) -> str:
    def place(cell: int) -> str:
        row, column = divmod(cell, lake.size)
        return f"({row}, {column})"

    holes = ", ".join(place(hole) for hole in sorted(lake.holes)) or "none"
    return (
        f"Board size: {lake.size} rows x {lake.size} columns, (row, column), zero-indexed.\n"
        f"Start: {place(lake.start)}\nGoal: {place(lake.goal)}\nHoles: {holes}\nPlayer: {place(cell)}"
    )
