"""Sudoku in words: fill the grid so that every row, column and box holds each number once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import eq, itemgetter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import SUDOKU
from agentgym.envs.games._sudoku import grids
from agentgym.envs.games._sudoku.grids import BOXES, EMPTY, Shape, shape

LEVELS = {
    "tiny": {"size": 4, "removed": 50},
    "easy": {"size": 9, "removed": 40},
    "medium": {"size": 9, "removed": 50},
    "hard": {"size": 9, "removed": 60},
}
MOST_REMOVED = 62  # percent; few grids can lose more and keep one solution
RIGHT, LEGAL, REFUSED, SOLVED = 1.0, 0.5, -0.1, 10.0


@dataclass(slots=True)
class State:
    """The grid, a digit a cell and `.` where empty, row after row."""

    grid: str


@dataclass(frozen=True, eq=False)
class Puzzle:
    """What a grid of givens determines."""

    shape: Shape
    givens: str
    solution: str
    blank: tuple[int, ...]  # the cells to fill
    open: Callable[[str], Sequence[str]]  # takes the signs of those cells out of a grid
    wanted: tuple[str, ...]  # what belongs there
    text: str  # the view, with %s for each of those cells and for how many are filled


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `SudokuEnv`."""

    level: str = named_level("easy", LEVELS, of="Sudoku")
    size: int = one_of(None, BOXES)
    removed: int = whole(None, 10, MOST_REMOVED)


class SudokuEnv(LanguageEnv):
    """Fill a Sudoku.

    Description: a grid of 4 x 4, 6 x 6 or 9 x 9 cells, some of them given. Every row, column and box must hold each
    number once. Each puzzle has exactly one solution.

    Observation: a sentence on the last action, the header `SUDOKU PUZZLE`, the grid with numbered rows and columns,
    boxes parted by `|` and dashes: `[5]` given, ` 5 ` placed, ` . ` empty; then `Progress:`, the cells that are filled.

    Actions: `place 5 at row 2 col 3`, rows and columns from 1; also `place 5 at (2,3)`, `5 at 2,3`, `2,3,5` (row,
    column, number). Placing on a placed number replaces it; `clear row 2 col 3` takes it away. A number that stands in
    the row, column or box already, and any change of a given cell, are refused.

    Reward: a cell is worth 1 with the number of the solution, 0.5 with another number that broke no rule when it was
    placed, 0 when empty, and each action pays the difference it makes: what is taken back is paid back. A refused
    action costs 0.1. Solving the puzzle pays 10 more and ends the episode (success), as does a turn for every cell.

    Splits: `train` without end, `val` and `test` 150 puzzles each.

    Oracle: sees the solution. Expert: fills a cell that has one number left, or a number that has one cell left in its
    row, column or box; where neither helps it works out the solution by trial, and takes back what contradicts it.

    Args:
        level: Named difficulty: `tiny` (4 x 4, 50 % removed), `easy` (9 x 9, 40 %), `medium` (9 x 9, 50 %), `hard`
            (9 x 9, 60 %). `size` and `removed` replace what it says.
        size: Rows, columns and numbers: 4, 6 or 9.
        removed: Percent of the cells that are empty at the start, 10 to 62; fewer where no more can go without a second
            solution.

    Source: rules and forms of action after the Sudoku of published agent suites, whose puzzles may have several
    solutions and whose wrong numbers pay for ever; both are mended here. Uniqueness by exact search.
    """

    card = SUDOKU
    config = Config()
    grammar = Grammar(
        [
            Command(
                "place <number> at row <row> col <column>",
                "write a number into an empty cell or over one you placed.",
                examples=("place 5 at row 2 col 3",),
                variants=(
                    "place <number> at row <row> column <column>", "place <number> at row <row>, column <column>",
                    "place <number> at (<row>,<column>)", "<number> at <row>,<column>", "<row>,<column>,<number>",
                ),
            ),
            Command(
                "clear row <row> col <column>",
                "take away a number you placed.",
                examples=("clear row 2 col 3",),
                variants=("clear row <row> column <column>", "clear (<row>,<column>)", "clear <row>,<column>"),
            ),
        ],
        rules="Fill every cell so that each row, each column and each box holds every number once. Given numbers, in "
        "brackets, cannot be changed. Rows and columns are counted from 1. There is one solution.",
    )  # fmt: skip
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 4,
                "maxItems": 9,
                "items": {"type": "string", "minLength": 4, "maxLength": 9},
                "description": "rows of digits, . where a cell is empty",
            }
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A puzzle with one solution, of the size of `config` and with its share of cells removed, made by `seed`."""
        size = config.size
        return {"rows": grids.generate(seed, shape(size), round(config.removed * size * size / 100))}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a square grid of digits with exactly one solution and something to fill."""
        rows = spec["rows"]
        if len(rows) not in BOXES or any(len(row) != len(rows) for row in rows):
            raise TaskError(f"a grid has {', '.join(map(str, BOXES))} rows of as many signs, got {rows}")
        givens = "".join(rows)
        strange = set(givens) - set("123456789"[: len(rows)] + EMPTY)
        if strange or EMPTY not in givens:
            raise TaskError(f"a grid has digits from 1 to {len(rows)} and at least one empty cell (.), got {rows}")
        count = len(grids.solutions(givens, shape(len(rows)), 2))
        if count != 1:
            raise TaskError(
                f"a puzzle has exactly one solution, these givens have {'more' if count else 'none'}: {rows}"
            )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        form = shape(len(spec["rows"]))
        return (
            f"Fill the grid with the numbers 1 to {form.size} so that every row, every column and every box of "
            f"{form.height} rows and {form.width} columns holds each number once."
        )

    def _turn_limit(self, task: Task) -> int:
        return len(task.spec["rows"]) ** 2

    def _reset(self, task: Task) -> str:
        self._puzzle = _puzzle(tuple(task.spec["rows"]))
        self._state = State(self._puzzle.givens)
        return f"{task.instruction}\n{self._view()}"

    def _refusal_reward(self) -> float:
        """The published price."""
        return REFUSED

    def _step(self, call: Call) -> Outcome:
        puzzle, grid = self._puzzle, self._state.grid
        size = puzzle.shape.size
        cell = _boards.cell_of(call, size, size)
        if isinstance(cell, str):
            return self.refuse(cell)
        where = _boards.named(cell, size)
        if puzzle.givens[cell] != EMPTY:
            return self.refuse(f"The cell {where} is given as {puzzle.givens[cell]} and cannot be changed.")
        if call.name == "clear":
            if grid[cell] == EMPTY:
                return self.refuse(f"The cell {where} is empty already.")
            return self._write(cell, EMPTY, f"You clear {where}.")
        number = call["number"].strip("(),[]")
        if len(number) != 1 or number not in puzzle.shape.digits:
            return self.refuse(f"Only the numbers 1 to {size} can be placed, not {call['number'][:20]!r}.")
        if grid[cell] == number:
            return self.refuse(f"The cell {where} holds {number} already.")
        clash = next((c for c in puzzle.shape.peers[cell] if grid[c] == number), None)
        if clash is not None:
            return self.refuse(
                f"The number {number} at {where} clashes with the {number} at {_boards.named(clash, size)}."
            )
        return self._write(cell, number, f"You place {number} at {where}.")

    def _write(self, cell: int, sign: str, told: str) -> Outcome:
        """Change a cell and pay the difference."""
        puzzle, before = self._puzzle, self._state.grid
        grid = self._state.grid = f"{before[:cell]}{sign}{before[cell + 1 :]}"
        won = grid == puzzle.solution
        reward = _worth(puzzle, cell, sign) - _worth(puzzle, cell, before[cell]) + (SOLVED if won else 0.0)
        told += " The puzzle is solved." if won else ""
        right = sum(map(eq, puzzle.open(grid), puzzle.wanted))
        return Outcome(
            f"{told}\n{self._view()}",
            reward=reward,
            terminated=won,
            success=won,
            progress=right / len(puzzle.blank),
        )

    def _view(self) -> str:
        puzzle = self._puzzle
        signs = puzzle.open(self._state.grid)
        return puzzle.text % (*signs, len(signs) - signs.count(EMPTY))

    def _admissible(self) -> list[str]:
        puzzle, grid = self._puzzle, self._state.grid
        words = _words(puzzle.shape.size)
        found: list[str] = []
        for cell in puzzle.blank:
            taken = {grid[peer] for peer in puzzle.shape.peers[cell]}
            taken.add(grid[cell])
            found += [words[cell][digit] for digit in puzzle.shape.digits if digit not in taken]
            if grid[cell] != EMPTY:
                found.append(words[cell][EMPTY])
        return found

    def _oracle(self) -> str:
        puzzle, grid = self._puzzle, self._state.grid
        words = _words(puzzle.shape.size)
        wrong = [cell for cell, sign in enumerate(grid) if sign not in (EMPTY, puzzle.solution[cell])]
        if wrong:
            return words[wrong[0]][EMPTY]
        cell = grid.index(EMPTY)
        return words[cell][puzzle.solution[cell]]

    def _expert(self) -> str:
        puzzle, grid = self._puzzle, self._state.grid
        words = _words(puzzle.shape.size)
        found = grids.single(grid, puzzle.shape)
        if found is not None and self._sound(grid):
            return words[found[0]][found[1]]
        return self._oracle()  # a search from the givens, which are in sight, finds the same as the stored solution

    def _sound(self, grid: str) -> bool:
        """Whether what stands there can still be completed, found by search and not by looking at the solution."""
        return bool(grids.solutions(grid, self._puzzle.shape, 1))

    def _reference(self) -> list[str]:
        """The rows of the solution."""
        size = self._puzzle.shape.size
        return [self._puzzle.solution[row * size : (row + 1) * size] for row in range(size)]

    def _picture(self) -> NDArray[np.uint8]:
        """The grid, uint8 of shape (48 * size, 48 * size, 3).

        Givens dark on grey, placed numbers blue, thick lines between boxes.
        """
        puzzle, grid = self._puzzle, self._state.grid
        form = puzzle.shape
        frame = _boards.board(form.size, form.size)
        for cell, sign in enumerate(grid):
            part = _boards.tile(frame, *divmod(cell, form.size))
            if puzzle.givens[cell] != EMPTY:
                _boards.fill(part, (230, 228, 220), 1)
            if sign != EMPTY:
                _boards.number(part, int(sign), _boards.INK if puzzle.givens[cell] != EMPTY else _boards.BLUE)
        for line in range(form.height, form.size, form.height):
            frame[line * _boards.CELL - 1 : line * _boards.CELL + 2] = _boards.INK
        for line in range(form.width, form.size, form.width):
            frame[:, line * _boards.CELL - 1 : line * _boards.CELL + 2] = _boards.INK
        return frame


def _worth(puzzle: Puzzle, cell: int, sign: str) -> float:
    if sign == EMPTY:
        return 0.0
    return RIGHT if sign == puzzle.solution[cell] else LEGAL


@lru_cache(maxsize=2048)
def _puzzle(rows: tuple[str, ...]) -> Puzzle:
    givens, form = "".join(rows), shape(len(rows))
    blank = tuple(cell for cell, sign in enumerate(givens) if sign == EMPTY)
    solution, take = grids.solutions(givens, form, 1)[0], itemgetter(*blank)
    return Puzzle(form, givens, solution, blank, take, tuple(take(solution)), _text(givens, form))


def _text(givens: str, form: Shape) -> str:
    """The view of a puzzle with `%s` where something may change."""
    cells = [" %s " if sign == EMPTY else f"[{sign}]" for sign in givens]
    lines = ["SUDOKU PUZZLE", form.header]
    for row in range(form.size):
        if row and row % form.height == 0:
            lines.append(form.rule)
        line = cells[row * form.size : (row + 1) * form.size]
        boxes = ["".join(line[at : at + form.width]) for at in range(0, form.size, form.width)]
        lines.append(f"{row + 1}  {'|'.join(boxes)}")
    lines.append(f"Progress: %s of {givens.count(EMPTY)} cells filled.")
    return "\n".join(lines)


@lru_cache(maxsize=8)
def _words(size: int) -> tuple[Mapping[str, str], ...]:
    """For each cell the action that writes each digit, or clears it."""
    return tuple(
        {digit: f"place {digit} at row {row} col {column}" for digit in shape(size).digits}
        | {EMPTY: f"clear row {row} col {column}"}
        for row in range(1, size + 1)
        for column in range(1, size + 1)
    )
