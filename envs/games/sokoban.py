"""Sokoban in words: push boxes onto targets in a warehouse of one-way mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import SOKOBAN
from agentgym.envs.games._sokoban import board as boards
from agentgym.envs.games._sokoban import levels, solver
from agentgym.envs.games._sokoban.board import Board

NAMES = solver.NAMES
LEVELS = {
    "easy": {"size": 6, "boxes": 1},  # the two sizes that are published
    "medium": {"size": 8, "boxes": 2},
    "hard": {"size": 10, "boxes": 3},
    "expert": {"size": 10, "boxes": 4},
}
VOCABULARIES = {"symbols": "#_OX√PS", "letters": "W.GCBA@", "xsb": "# .$*@+"}
THINGS = ("wall", "floor", "target", "box", "box on target", "you", "you on target")
VIEWS = ("grid", "coordinates", "both")
STEP, ONTO, OFF, SOLVED = -0.1, 1.0, -1.0, 10.0
TURNS = 100
MOVES = 90  # of the longest solution a generated level may need


@dataclass(slots=True)
class State:
    """Where the player and the boxes stand, as cells of the board; boxes in ascending order."""

    player: int
    boxes: tuple[int, ...]


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `SokobanEnv`."""

    level: str = named_level("easy", LEVELS, of="Sokoban")
    size: int = whole(None, 6, 12)
    boxes: int = whole(None, 1, 4)
    vocabulary: str = one_of("symbols", VOCABULARIES, shapes_tasks=False)
    view: str = one_of("grid", VIEWS, shapes_tasks=False)


class SokobanEnv(LanguageEnv):
    """Push every box onto a target.

    Description: a warehouse seen from above. You walk up, down, left and right; walking into a box pushes it if the
    cell behind it is free. Boxes cannot be pulled, so a push may be a mistake for ever. Each task is a level made by
    playing backwards from its solution, so it can be solved.

    Observation (`view="grid"`): a sentence on the last move, then one line per row. In the vocabulary `symbols`: `#`
    wall, `_` floor, `O` target, `X` box, `√` box on target, `P` you, `S` you on a target; `letters`: `W . G C B A @`;
    `xsb`, the usual notation of level files: `#`, space, `. $ * @ +`. `view="coordinates"` lists targets, boxes, player
    and inner walls as zero-indexed (row, column); `view="both"` gives both. The first observation explains the signs.

    Actions: `up`, `down`, `left`, `right`; also `move up`, `go up`, `push up`. A move against a wall or a box that
    cannot move is refused.

    Reward: -0.1 each turn, refused or not, +1 for a box pushed onto a target, -1 for a box pushed off one, +10 when all
    boxes are on targets. The episode ends then (success), or after 100 turns; give `max_turns` for the 10 or 15 of
    RAGEN and verl-agent. A position that can no longer be solved does not end the episode.

    Splits: `train` without end, `val` and `test` 200 levels each.

    Oracle: A* over pushes, which finds a solution with the fewest moves. Expert: the same, for nothing is hidden; where
    no solution is left, both take the first move that is possible.

    Args:
        level: Named difficulty: `easy` (6 x 6, one box), `medium` (8 x 8, two), `hard` (10 x 10, three), `expert`
            (10 x 10, four). `size` and `boxes` replace what it says.
        size: Rows and columns with the outer walls, 6 to 12.
        boxes: Boxes and targets, 1 to 4.
        vocabulary: Signs of the map: `symbols`, `letters` or `xsb`.
        view: `grid`, `coordinates` or `both`.

    Source: reward and generator after gym-sokoban (Schrader 2018) and Weber et al. 2017 (arXiv:1707.06203); symbols,
    sizes and coordinate view after RAGEN (Wang et al. 2025, arXiv:2504.20073).
    """

    card = SOKOBAN
    config = Config()
    grammar = Grammar(
        [
            Command(
                name,
                f"walk {name}, pushing a box that stands there.",
                examples=(name,),
                variants=(f"move {name}", f"go {name}", f"push {name}"),
            )
            for name in NAMES
        ],
        rules="Push every box onto a target. Boxes can be pushed one at a time and never pulled; walls stop you and "
        "them. A box in a corner that is no target is lost.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 3,
                "maxItems": 12,
                "items": {"type": "string", "minLength": 3, "maxLength": 12},
                "description": "rows in the vocabulary `symbols`, the outermost cells walls",
            }
        }
    )
    _state: State

    def _configured(self) -> None:
        self._signs = VOCABULARIES[self.config.vocabulary]
        self._table = str.maketrans(boards.WALL + boards.FLOOR + boards.TARGET, self._signs[:3])

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A level that can be solved, of the size and with the boxes of `config`, made by `seed`."""
        return {"rows": levels.make(seed, config.size, config.boxes, MOVES)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a closed, unsolved level of one player and as many boxes as targets that can be solved."""
        rows = tuple(spec["rows"])
        text = "".join(rows)
        if len({len(row) for row in rows}) > 1 or set(text) - set(VOCABULARIES["symbols"]):
            raise TaskError(
                f"a level has rows of equal length, made of the signs {VOCABULARIES['symbols']}, got {rows}"
            )
        if set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) != {boards.WALL}:
            raise TaskError(f"the outermost cells of a level are walls (#), got {rows}")
        if text.count(boards.PLAYER) + text.count(boards.PLAYER_ON_TARGET) != 1:
            raise TaskError(f"a level has exactly one player, P or S on a target, got {rows}")
        free, open_targets = text.count(boards.BOX), text.count(boards.TARGET) + text.count(boards.PLAYER_ON_TARGET)
        if not 1 <= free == open_targets or free + text.count(boards.STORED) > 4:
            raise TaskError(f"a level has as many boxes as targets, up to 4, and one box off its target, got {rows}")
        level = boards.read(rows)
        if solver.solve(level, level.player, level.boxes) is None:
            raise TaskError(f"no solution was found within {solver.LIMIT} positions of the level {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        text = "".join(spec["rows"])
        count = text.count(boards.BOX) + text.count(boards.STORED)
        what = (
            ("the box onto the target", "both boxes onto the targets")[count - 1]
            if count < 3
            else f"all {count} boxes onto the targets"
        )
        return f"Push {what}. You can push one box at a time, by walking into it, and never pull."

    def _turn_limit(self, task: Task) -> int:
        return TURNS

    def _reset(self, task: Task) -> str:
        self._board = boards.read(tuple(task.spec["rows"]))
        self._map = self._board.text.translate(self._table)
        self._steps = dict(zip(NAMES, self._board.steps, strict=True))
        self._way: Any = {}  # the moves of a solution by position; found anew when the player leaves it
        self._state = State(self._board.player, self._board.boxes)
        if self.config.view == "coordinates":
            return f"{task.instruction}\n{self._view()}"
        legend = ", ".join(f"{sign} {thing}" for sign, thing in zip(self._signs, THINGS, strict=True))
        if self.config.vocabulary == "xsb":
            legend = legend.replace("  floor", " a space is floor")
        return f"{task.instruction}\nSigns: {legend}.\n{self._view()}"

    def _refusal_reward(self) -> float:
        """A turn costs 0.1 whether or not it was refused: talking nonsense must not be cheaper."""
        return STEP

    def _idle_reward(self) -> float:
        """Every turn has this price."""
        return STEP

    def _step(self, call: Call) -> Outcome:
        level, state, name = self._board, self._state, call.name
        step = self._steps[name]
        ahead = state.player + step
        if ahead not in level.floor:
            return self.refuse(f"You cannot go {name}: there is a wall.")
        if ahead not in state.boxes:
            state.player = ahead
            return Outcome(f"You go {name}.\n{self._view()}", STEP)
        beyond = ahead + step
        if beyond not in level.floor or beyond in state.boxes:
            what = "another box" if beyond in state.boxes else "a wall"
            return self.refuse(f"You cannot push the box {name}: {what} is behind it.")
        state.player = ahead
        state.boxes = tuple(sorted([beyond if box == ahead else box for box in state.boxes]))
        return self._pushed(name, ahead, beyond)

    def _pushed(self, name: str, before: int, after: int) -> Outcome:
        """The outcome of a push that moved a box."""
        level, targets = self._board, self._board.targets
        was, now = before in targets, after in targets
        stored = sum([box in targets for box in self._state.boxes])
        won = stored == len(targets)
        reward, told = STEP, f"You push a box {name}"
        if now and not was:
            reward, told = reward + ONTO, told + " onto a target"
        elif was and not now:
            reward, told = reward + OFF, told + " off its target"
        if won:
            reward, told = reward + SOLVED, told + ". Every box is on a target"
        return Outcome(
            f"{told}.\n{self._view()}",
            reward,
            terminated=won,
            success=won,
            progress=stored / len(targets),
            events=({"type": "push", "from": list(level.point(before)), "to": list(level.point(after))},),
        )

    def _view(self) -> str:
        if self.config.view == "grid":
            return self._grid()
        if self.config.view == "coordinates":
            return self._coordinates()
        return f"Coordinates:\n{self._coordinates()}\nGrid Map:\n{self._grid()}"

    def _grid(self) -> str:
        state, targets, signs = self._state, self._board.targets, self._signs
        cells = list(self._map)
        for box in state.boxes:
            cells[box] = signs[4] if box in targets else signs[3]
        cells[state.player] = signs[6] if state.player in targets else signs[5]
        return "".join(cells)

    def _coordinates(self) -> str:
        level, state, targets = self._board, self._state, self._board.targets
        rows, columns = len(level.rows), level.stride - 1
        on = "Player on target" if state.player in targets else "Player"
        return (
            f"Board size: {rows} rows x {columns} cols (zero-indexed).\n{_walls(level)}\n"
            f"Targets: {_boards.points(map(level.point, targets))}\n"
            f"Boxes: {_boards.points(level.point(box) for box in state.boxes if box not in targets)}\n"
            f"Boxes on target: {_boards.points(level.point(box) for box in state.boxes if box in targets)}\n"
            f"{on}: {_boards.point(level.point(state.player))}"
        )

    def _admissible(self) -> list[str]:
        level, state = self._board, self._state
        floor, boxes = level.floor, state.boxes
        found = []
        for name, step in self._steps.items():
            ahead = state.player + step
            if ahead in floor and (ahead not in boxes or (ahead + step in floor and ahead + step not in boxes)):
                found.append(name)
        return found

    def _oracle(self) -> str:
        position = (self._state.player, self._state.boxes)
        if position not in self._way:
            self._way = solver.plan(self._board, *position)
        return self._way.get(position) or self._admissible()[0]

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A solution with the fewest moves."""
        return list(solver.solve(self._board, self._board.player, self._board.boxes) or ())

    def _picture(self) -> NDArray[np.uint8]:
        """The warehouse, uint8 of shape (48 * rows, 48 * columns, 3).

        The warehouse from above: grey walls, ringed targets, brown boxes that turn green when stored, a red player.
        """
        level, state = self._board, self._state
        frame = _boards.board(len(level.rows), level.stride - 1)
        for cell, sign in enumerate(level.text):
            if sign == "\n":
                continue
            part = _boards.tile(frame, *level.point(cell))
            if sign == boards.WALL:
                _boards.fill(part, _boards.WALL)
            if cell in level.targets:
                _boards.disc(part, _boards.GREEN, 0.3, 0.22)
            if cell in state.boxes:
                stored = cell in level.targets
                _boards.fill(part, _boards.GREEN if stored else _boards.WOOD_DARK, 5)
                _boards.fill(part, (88, 214, 141) if stored else _boards.WOOD, 9)
                _boards.cross(part, _boards.GREEN if stored else _boards.WOOD_DARK, 0.3, 3)
            if cell == state.player:
                _boards.disc(part, _boards.RED, 0.28)
        return frame


@lru_cache(maxsize=256)
def _walls(level: Board) -> str:
    """The walls inside the outermost ring."""
    inner = [
        (row, column)
        for row, signs in enumerate(level.rows[1:-1], start=1)
        for column, sign in enumerate(signs[1:-1], start=1)
        if sign == boards.WALL
    ]
    return f"Walls: the outermost cells, and inside: {_boards.points(inner)}"
