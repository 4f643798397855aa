"""A maze in words: find the goal with the whole map, with positions, or with nothing but the walls beside you."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.checks import check_whole
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, named_level, object_schema, one_of, share
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import MAZE

LEVELS = {
    "easy": {"rows": 7, "columns": 7, "loops": 0.0},
    "medium": {"rows": 11, "columns": 11, "loops": 0.1},  # as many open cells as the map of LMRL-Gym
    "hard": {"rows": 17, "columns": 21, "loops": 0.1},
    "huge": {"rows": 31, "columns": 41, "loops": 0.2},
}
LARGEST = 41  # rows or columns
VIEWS = ("full", "partial", "map")
REWARDS = ("goal", "moves")
SIDES = {"right": "to your right", "left": "to your left", "up": "above you", "down": "below you"}
NAMES = ("up", "down", "left", "right")
HISTORY = 12  # moves that the partial view recalls
ILLEGAL = -4.0  # LMRL-Gym's price of an action that is none, where each move costs 1
STREAM = 0x3A2E  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """Where the player stands, and the first letter of each move so far."""

    cell: int
    path: str


@dataclass(frozen=True, eq=False)
class Map:
    """What rows determine, computed once and shared by every environment that plays them.

    A cell is the place of its character in the rows joined by newlines. `steps[cell]` are the open directions of an
    open cell with where they lead, `walls[cell]` says in words where it has walls, `distance[cell]` is the length of
    the shortest way to the goal.
    """

    rows: tuple[str, ...]
    stride: int
    text: str
    start: int
    goal: int
    steps: Mapping[int, Mapping[str, int]]
    walls: Mapping[int, str]
    distance: Mapping[int, int]

    def point(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell."""
        return cell // self.stride, cell % self.stride


def _odd(name: str, value: Any) -> int:
    if check_whole(name, value, 5, LARGEST) % 2 == 0:
        raise ConfigError(f"{name} must be odd, for walls and corridors take turns, got {value}")
    return int(value)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `MazeEnv`."""

    level: str = named_level("medium", LEVELS, of="Maze")
    rows: int = checked(None, _odd)
    columns: int = checked(None, _odd)
    loops: float = share(None)
    view: str = one_of("full", VIEWS, shapes_tasks=False)
    reward: str = one_of("goal", REWARDS, shapes_tasks=False)


class MazeEnv(LanguageEnv):
    """Find the way through a maze.

    Description: corridors one cell wide between walls, a start and a goal. Each task is a maze of its own, with a way
    to the goal; mazes with loops have more than one.

    Observation: with `view="full"` the published sentences, `The goal is at position 8, 6. Your current position is at
    position 5, 6. There is a wall above you.`, where a position is row, column, counted from 0 at the top left; the map
    is not shown. `view="partial"` gives the sentence on walls and the last 12 moves only. `view="map"` draws the map:
    `#` wall, `.` free, `G` goal, `P` you.

    Actions: `move up`, `move down`, `move left`, `move right`; also `up`, `go up`. A move into a wall is refused.

    Reward (`reward="goal"`): 1 at the goal, otherwise 0. `reward="moves"`: LMRL-Gym's -1 for each move, 0 for the one
    that reaches the goal, -4 for a refused action. The episode ends at the goal (success), or after twice as many turns
    as the maze has open cells, which suffice to walk through all of it.

    Splits: `train` without end, `val` and `test` 200 mazes each.

    Oracle: a shortest way, by breadth-first search over the map. Expert: knows the cells it has been to; it explores
    depth first, towards the goal where its position is told. With `view="map"` it walks a shortest way.

    Args:
        level: Named difficulty: `easy` (7 x 7), `medium` (11 x 11), `hard` (17 x 21), `huge` (31 x 41). `rows`,
            `columns` and `loops` replace what it says.
        rows: Rows with the outer walls, odd, 5 to 41.
        columns: Columns with the outer walls, odd, 5 to 41.
        loops: Share of dead ends that are opened into a loop, 0 to 1.
        view: `full`, `partial` or `map`.
        reward: `goal` or `moves`.

    Source: LMRL-Gym's Maze (Abdulhai et al. 2023, arXiv:2311.18232), whose one map is a task specification here;
    generated mazes by the growing-tree algorithm.
    """

    card = MAZE
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                f"move {name}",
                f"go one cell {name}.",
                examples=(f"move {name}",),
                variants=(name, f"go {name}"),
                name=name,
            )
            for name in NAMES
        ],
        rules="Find the goal of the maze. Each action moves you one cell; walls cannot be passed.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 3,
                "maxItems": LARGEST,
                "items": {"type": "string", "minLength": 3, "maxLength": LARGEST},
                "description": "rows of # wall, . free, S start, G goal, the outermost cells walls",
            }
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A maze drawn by `rng`, with the rows, columns and loops of `config`."""
        return {"rows": _generate(rng, config.rows, config.columns, config.loops)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a closed maze with one start, one goal and a way between them."""
        rows = tuple(spec["rows"])
        text = "".join(rows)
        if len({len(row) for row in rows}) > 1 or set(text) - set("#.SG"):
            raise TaskError(f"a maze has rows of equal length, made of #, ., S and G, got {rows}")
        if set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) != {"#"}:
            raise TaskError(f"the outermost cells of a maze are walls (#), got {rows}")
        if text.count("S") != 1 or text.count("G") != 1:
            raise TaskError(f"a maze has exactly one S (start) and one G (goal), got {rows}")
        maze = read(rows)
        if maze.start not in maze.distance:
            raise TaskError(f"the maze has no way from S to G: {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return "Find the goal of the maze."

    def _turn_limit(self, task: Task) -> int:
        return 2 * len(read(tuple(task.spec["rows"])).steps)

    def _reset(self, task: Task) -> str:
        self._maze = read(tuple(task.spec["rows"]))
        self._state = State(self._maze.start, "")
        told = {
            "full": "Positions are row, column, counted from 0 at the top left.",
            "partial": "You feel the walls beside you and remember your last moves.",
            "map": "Signs: # wall, . free, G goal, P you.",
        }
        return f"{task.instruction} {told[self.config.view]}\n{self._view()}"

    def _refusal_reward(self) -> float:
        """Where moves cost 1, a refused action costs 4."""
        return ILLEGAL if self.config.reward == "moves" else 0.0

    def _step(self, call: Call) -> Outcome:
        maze, state, name = self._maze, self._state, call.name
        after = maze.steps[state.cell].get(name)
        if after is None:
            return self.refuse(f"You cannot move {name}: there is a wall.")
        state.cell = after
        state.path += name[0]
        won = after == maze.goal
        return Outcome(
            f"Success\n{self._view()}" if won else self._view(),
            reward=float(won) if self.config.reward == "goal" else float(won) - 1.0,
            terminated=won,
            success=won,
            progress=max(0.0, 1.0 - maze.distance[after] / maze.distance[maze.start]),
        )

    def _view(self) -> str:
        maze, state = self._maze, self._state
        if self.config.view == "map":
            return f"{maze.text[: state.cell]}P{maze.text[state.cell + 1 :]}"
        walls = maze.walls[state.cell]
        if self.config.view == "full":
            row, column = maze.point(state.cell)
            goal_row, goal_column = maze.point(maze.goal)
            return (
                f"The goal is at position {goal_row}, {goal_column}. "
                f"Your current position is at position {row}, {column}. {walls}"
            )
        if not state.path:
            return walls
        recalled = ", ".join(_LETTERS[letter] for letter in state.path[-HISTORY:])
        return f"{walls} Your last moves: {recalled}."

    def _key_state(self) -> Any:
        return [self._state.cell, self._state.path[-HISTORY:] if self.config.view == "partial" else ""]

    def _admissible(self) -> list[str]:
        return [f"move {name}" for name in self._maze.steps[self._state.cell]]

    def _oracle(self) -> str:
        maze = self._maze
        steps = maze.steps[self._state.cell]
        return f"move {min(steps, key=lambda name: maze.distance[steps[name]])}"

    def _expert(self) -> str:
        if self.config.view == "map":
            return self._oracle()
        return f"move {_explore(self._maze, self._state, towards_goal=self.config.view == 'full')}"

    def _reference(self) -> list[str]:
        """A shortest way, move by move."""
        maze, cell, way = self._maze, self._maze.start, []
        while cell != maze.goal:
            name, cell = min(maze.steps[cell].items(), key=lambda step: maze.distance[step[1]])
            way.append(f"move {name}")
        return way

    def _picture(self) -> NDArray[np.uint8]:
        """The maze, uint8 of shape (48 * rows, 48 * columns, 3).

        The picture shows what the view shows: the whole map only with `view="map"`, otherwise the cells the player has
        been to and their neighbours, and the goal with `view="full"`.

        Dark walls, pale corridors, a green goal, a red player; grey where the view tells nothing.
        """
        maze, state, view = self._maze, self._state, self.config.view
        frame = _boards.board(len(maze.rows), maze.stride - 1)
        been = _been(maze, state)
        around = (0, 1, -1, maze.stride, -maze.stride)
        for cell, sign in enumerate(maze.text):
            if sign == "\n":
                continue
            part = _boards.tile(frame, *maze.point(cell))
            if view != "map" and not any(cell + step in been for step in around):
                _boards.fill(part, _boards.GRID, 0)
            elif sign == "#":
                _boards.fill(part, _boards.WALL, 0)
            if sign == "G" and (view != "partial" or cell in been):
                _boards.disc(part, _boards.GREEN, 0.35)
            if cell == state.cell:
                _boards.disc(part, _boards.RED, 0.25)
        return frame


_LETTERS = {name[0]: name for name in NAMES}


def _generate(rng: np.random.Generator, rows: int, columns: int, loops: float) -> list[str]:
    """A maze by the growing tree: corridors grow from the newest cell or from any, as often as the task says."""
    newest = float(rng.random())
    draws = iter(rng.random(12 * rows * columns).tolist())
    signs = [["#"] * columns for _ in range(rows)]
    row, column = (1 + 2 * int(next(draws) * (side // 2)) for side in (rows, columns))
    signs[row][column] = "."
    growing = [(row, column)]
    while growing:
        place = len(growing) - 1 if next(draws) < newest else int(next(draws) * len(growing))
        row, column = growing[place]
        ways = [
            (down, right)
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
            if 0 < row + 2 * down < rows and 0 < column + 2 * right < columns
            if signs[row + 2 * down][column + 2 * right] == "#"
        ]
        if not ways:
            growing.pop(place)
            continue
        down, right = ways[int(next(draws) * len(ways))]
        signs[row + down][column + right] = signs[row + 2 * down][column + 2 * right] = "."
        growing.append((row + 2 * down, column + 2 * right))
    rooms = [(row, column) for row in range(1, rows, 2) for column in range(1, columns, 2)]
    _open_dead_ends(signs, rooms, loops, iter(rng.random(2 * len(rooms)).tolist()))
    start, goal = _far_apart(rooms, iter(rng.random(256).tolist()))
    signs[start[0]][start[1]], signs[goal[0]][goal[1]] = "S", "G"
    return ["".join(line) for line in signs]


def _open_dead_ends(signs: list[list[str]], rooms: list[tuple[int, int]], loops: float, draws: Any) -> None:
    for row, column in rooms:
        ways = ((-1, 0), (1, 0), (0, -1), (0, 1))
        walls = [(down, right) for down, right in ways if signs[row + down][column + right] == "#"]
        inner = [
            (down, right)
            for down, right in walls
            if 0 < row + down < len(signs) - 1 and 0 < column + right < len(signs[0]) - 1
        ]
        if len(walls) == 3 and inner and next(draws) < loops:
            down, right = inner[int(next(draws) * len(inner))]
            signs[row + down][column + right] = "."


def _far_apart(rooms: list[tuple[int, int]], draws: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two rooms, drawn until they are at least half as far apart as the most distant ones, as the crow walks."""
    most = rooms[-1][0] + rooms[-1][1] - 2
    start, goal = rooms[0], rooms[-1]
    for one, other in zip(draws, draws, strict=True):
        first, second = rooms[int(one * len(rooms))], rooms[int(other * len(rooms))]
        if 2 * (abs(first[0] - second[0]) + abs(first[1] - second[1])) >= most:
            return first, second
    return start, goal


@lru_cache(maxsize=2048)
def read(rows: tuple[str, ...]) -> Map:
    """The maze of rows."""
    text = "\n".join(rows)
    stride = len(rows[0]) + 1
    moves = dict(zip(NAMES, (-stride, stride, -1, 1), strict=True))
    steps: dict[int, dict[str, int]] = {}
    walls: dict[int, str] = {}
    for cell, sign in enumerate(text):
        if sign in ".SG":
            steps[cell] = {name: cell + step for name, step in moves.items() if text[cell + step] in ".SG"}
            shut = [told for name, told in SIDES.items() if name not in steps[cell]]
            if not shut:
                walls[cell] = "There are no walls near you."
            else:
                walls[cell] = f"There {'is a wall' if len(shut) == 1 else 'are walls'} {', '.join(shut)}."
    start, goal = text.index("S"), text.index("G")
    distance = {goal: 0}
    frontier = deque([goal])
    while frontier:
        cell = frontier.popleft()
        for other in steps[cell].values():
            if other not in distance:
                distance[other] = distance[cell] + 1
                frontier.append(other)
    return Map(rows, stride, text.replace("S", "."), start, goal, steps, walls, distance)


def _been(maze: Map, state: State) -> dict[int, int]:
    """The cells the player has been to, each with the turn it was last there."""
    cell, been = maze.start, {maze.start: 0}
    for turn, letter in enumerate(state.path, start=1):
        cell = maze.steps[cell][_LETTERS[letter]]
        been[cell] = turn
    return been


def _explore(maze: Map, state: State, towards_goal: bool) -> str:
    """The next move of a depth-first search that knows the cells it has been to and their walls."""
    been = _been(maze, state)
    goal_row, goal_column = maze.point(maze.goal)

    def away(cell: int) -> int:
        row, column = maze.point(cell)
        return abs(row - goal_row) + abs(column - goal_column) if towards_goal else 0

    here = maze.steps[state.cell]
    fresh = [name for name in here if here[name] not in been]
    if fresh:
        return min(fresh, key=lambda name: away(here[name]))
    open_ends = [cell for cell in been if any(other not in been for other in maze.steps[cell].values())]
    if not open_ends:
        return next(iter(here))
    wanted = max(open_ends, key=lambda cell: been[cell])
    first: dict[int, str] = {other: name for name, other in here.items() if other in been}
    frontier = deque(first)
    while wanted not in first:
        cell = frontier.popleft()
        for other in maze.steps[cell].values():
            if other in been and other not in first and other != state.cell:
                first[other] = first[cell]
                frontier.append(other)
    return first[wanted]
