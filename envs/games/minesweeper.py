"""Minesweeper in words: open every cell without a mine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import MINESWEEPER
from agentgym.envs.games._minesweeper.inference import probabilities

LEVELS = {
    "easy": {"rows": 6, "columns": 6, "mines": 5},
    "beginner": {"rows": 9, "columns": 9, "mines": 10},  # the three sizes of Microsoft's game
    "intermediate": {"rows": 16, "columns": 16, "mines": 40},
    "expert": {"rows": 16, "columns": 30, "mines": 99},
}
TALLEST, WIDEST = 24, 30
DENSEST = 0.3  # mines a cell
HIDDEN, FLAG, CLEAR, MINE = "#F.*"
FLAGGING = 0.1  # how often the random baseline flags a cell
STREAM = 0x3195  # apart from np_random of an equal seed
INKS = (
    (36, 113, 163),
    (39, 134, 76),
    (192, 57, 43),
    (91, 44, 111),
    (125, 60, 20),
    (20, 120, 120),
    (44, 62, 80),
    (90, 90, 90),
)


@dataclass(slots=True)
class State:
    """What the agent sees: one sign a cell, row after row."""

    signs: str


@dataclass(frozen=True, eq=False)
class Field:
    """What rows determine: mines, the number in each cell, and the signs after the start cell is open."""

    rows: int
    columns: int
    mines: frozenset[int]
    around: tuple[tuple[int, ...], ...]
    numbers: str
    opened: str


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `MinesweeperEnv`."""

    level: str = named_level("beginner", LEVELS, of="Minesweeper")
    rows: int = whole(None, 4, TALLEST)
    columns: int = whole(None, 4, WIDEST)
    mines: int = whole(None, 1, TALLEST * WIDEST)

    def __post_init__(self) -> None:
        super().__post_init__()
        cells = self.rows * self.columns
        if self.mines > DENSEST * cells:
            raise ConfigError(f"mines must be at most 3 in 10 of the {cells} cells, got {self.mines}")


class MinesweeperEnv(LanguageEnv):
    """Open every cell of a minefield that holds no mine.

    Description: each open cell says how many of its up to eight neighbours hold mines. The cell where you start, and
    all around it, are free of mines and open already; from there on logic carries far, and sometimes not to the end.

    Observation: a sentence on the last action, the number of mines and flags, and the field with numbered rows and
    columns: `#` hidden, `F` flagged, `.` no mine around, `1` to `8` mines around, `*` the mine you hit.

    Actions: `reveal 3 5` (row, column, from 1), `flag 3 5`, `unflag 3 5`; also `reveal (3, 5)`, `open 3,5`,
    `reveal row 3 column 5`. Revealing a cell with no mine around it opens its neighbours too. A flagged cell must be
    unflagged before it can be revealed.

    Reward: 1 when every cell without a mine is open (success), otherwise 0. A revealed mine ends the episode, as does a
    turn for every cell.

    Splits: `train` without end, `val` and `test` 200 fields each.

    Oracle: sees the mines. Expert: counts every placement of mines that agrees with the numbers, reveals a cell that is
    proved safe, and where none is, one with the lowest probability of a mine.

    Args:
        level: Named difficulty: `easy` (6 x 6, 5 mines), `beginner` (9 x 9, 10), `intermediate` (16 x 16, 40), `expert`
            (16 x 30, 99). `rows`, `columns` and `mines` replace what it says.
        rows: 4 to 24.
        columns: 4 to 30.
        mines: 1 up to three in ten cells.

    Source: Microsoft's Minesweeper, whose sizes these are; that its consistency problem is NP-complete: Kaye 2000
    (doi:10.1007/BF03025367).
    """

    card = MINESWEEPER
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "reveal <row> <column>",
                "open a hidden cell.",
                examples=("reveal 3 5",),
                variants=(
                    "reveal <row>,<column>", "reveal row <row> column <column>", "open <row> <column>",
                    "open <row>,<column>",
                ),
            ),
            Command(
                "flag <row> <column>",
                "mark a hidden cell as a mine.",
                examples=("flag 1 2",),
                variants=("flag <row>,<column>", "flag row <row> column <column>"),
            ),
            Command(
                "unflag <row> <column>",
                "take a mark away.",
                examples=("unflag 1 2",),
                variants=("unflag <row>,<column>", "unflag row <row> column <column>"),
            ),
        ],
        rules="Open every cell that holds no mine. A number says how many of the eight cells around it hold mines. "
        "Opening a mine loses. Rows and columns are counted from 1. Signs: # hidden, F flagged, . no mine around.",
    )  # fmt: skip
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 2,
                "maxItems": TALLEST,
                "items": {"type": "string", "minLength": 2, "maxLength": WIDEST},
                "description": "rows of * mine, . free, S free and open from the start",
            }
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A minefield drawn by `rng`, with the rows, columns and mines of `config`."""
        return {"rows": _generate(rng, config.rows, config.columns, config.mines)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a field with a start, a mine, and something left to open."""
        rows = tuple(spec["rows"])
        text = "".join(rows)
        if len({len(row) for row in rows}) > 1 or set(text) - set("*.S"):
            raise TaskError(f"a field has rows of equal length, made of *, . and S, got {rows}")
        if text.count("S") != 1 or "*" not in text:
            raise TaskError(f"a field has exactly one S (start) and at least one mine (*), got {rows}")
        if read(rows).opened.count(HIDDEN) == text.count("*"):
            raise TaskError(f"opening the start opens every cell without a mine of {rows}; add a mine or a cell")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        rows = spec["rows"]
        mines = "".join(rows).count("*")
        return (
            f"Open every cell without a mine of a field of {len(rows)} rows and {len(rows[0])} columns that hides "
            f"{mines} {'mine' if mines == 1 else 'mines'}."
        )

    def _turn_limit(self, task: Task) -> int:
        return len(task.spec["rows"]) * len(task.spec["rows"][0])

    def _reset(self, task: Task) -> str:
        self._field = read(tuple(task.spec["rows"]))
        self._state = State(self._field.opened)
        signs = "Signs: # hidden, F flagged, . no mine around, 1 to 8 mines around."
        return f"{task.instruction} {signs}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        field, signs = self._field, self._state.signs
        cell = _boards.cell_of(call, field.rows, field.columns)
        if isinstance(cell, str):
            return self.refuse(cell)
        sign, where = signs[cell], _boards.named(cell, field.columns)
        if sign not in (HIDDEN, FLAG):
            return self.refuse(f"The cell {where} is open already; choose a hidden one.")
        if call.name == "reveal":
            if sign == FLAG:
                return self.refuse(f"The cell {where} is flagged; say unflag first if you mean to open it.")
            return self._reveal(cell, where)
        if (call.name == "flag") == (sign == FLAG):
            return self.refuse(f"The cell {where} is {'flagged already' if sign == FLAG else 'not flagged'}.")
        self._state.signs = f"{signs[:cell]}{FLAG if sign == HIDDEN else HIDDEN}{signs[cell + 1 :]}"
        told = "You flag" if sign == HIDDEN else "You take the flag off"
        return Outcome(f"{told} {where}.\n{self._view()}")

    def _reveal(self, cell: int, where: str) -> Outcome:
        field, before = self._field, self._state.signs
        if cell in field.mines:
            self._state.signs = f"{before[:cell]}{MINE}{before[cell + 1 :]}"
            text = f"You reveal {where}: a mine. The game is lost.\n{self._view()}"
            return Outcome(text, terminated=True, events=({"type": "reveal", "cells": 0, "mine": True},))
        signs = self._state.signs = opened(field, before, cell)
        left = signs.count(HIDDEN) + signs.count(FLAG) - len(field.mines)
        count = before.count(HIDDEN) - signs.count(HIDDEN)
        told = f"You reveal {where}" + (f" and {count - 1} cells around it" if count > 1 else "")
        first = field.opened.count(HIDDEN) - len(field.mines)
        return Outcome(
            f"{told}.{' Every cell without a mine is open: you win.' if not left else ''}\n{self._view()}",
            reward=float(not left),
            terminated=not left,
            success=not left,
            progress=1.0 - left / first,
            events=({"type": "reveal", "cells": count, "mine": False},),
        )

    def _view(self) -> str:
        field, signs = self._field, self._state.signs
        wide, spread = 3 * field.columns, "  ".join(signs)
        lines = [f"Mines: {len(field.mines)}. Flags: {signs.count(FLAG)}.", _boards.header(field.columns)]
        for row, label in enumerate(_boards.labels(field.rows)):
            lines.append(label + spread[row * wide : (row + 1) * wide - 2])
        return "\n".join(lines)

    def _admissible(self) -> list[str]:
        words = _words(self._field.rows, self._field.columns)
        found: list[str] = []
        for cell, sign in enumerate(self._state.signs):
            if sign == HIDDEN:
                found += words[cell][:2]
            elif sign == FLAG:
                found.append(words[cell][2])
        return found

    def _sample(self, rng: np.random.Generator) -> str:
        signs = self._state.signs
        hidden = [cell for cell, sign in enumerate(signs) if sign == HIDDEN]
        words = _words(self._field.rows, self._field.columns)
        if not hidden:
            return words[signs.index(FLAG)][2]
        return words[hidden[int(rng.integers(len(hidden)))]][int(rng.random() < FLAGGING)]

    def _open(self, cell: int) -> str:
        """The action that brings a covered cell nearer to being open."""
        words = _words(self._field.rows, self._field.columns)[cell]
        return words[2] if self._state.signs[cell] == FLAG else words[0]

    def _oracle(self) -> str:
        field = self._field
        safe = [c for c, sign in enumerate(self._state.signs) if sign in (HIDDEN, FLAG) and c not in field.mines]
        return self._open(next((cell for cell in safe if field.numbers[cell] == CLEAR), safe[0]))

    def _expert(self) -> str:
        field, signs = self._field, self._state.signs
        hidden = frozenset(cell for cell, sign in enumerate(signs) if sign in (HIDDEN, FLAG))
        numbers = {cell: 0 if sign == CLEAR else int(sign) for cell, sign in enumerate(signs) if cell not in hidden}
        chances = probabilities(numbers, field.around, hidden, len(field.mines))
        return self._open(min(sorted(chances), key=lambda cell: chances[cell]))

    def _reference(self) -> list[list[int]]:
        """Row and column, from 1, of each mine."""
        return [[cell // self._field.columns + 1, cell % self._field.columns + 1] for cell in sorted(self._field.mines)]

    def _picture(self) -> NDArray[np.uint8]:
        """The field, uint8 of shape (48 * rows, 48 * columns, 3).

        Grey hidden cells, red flags, numbers in their colours, a black mine on red.
        """
        field, signs = self._field, self._state.signs
        frame = _boards.board(field.rows, field.columns)
        for cell, sign in enumerate(signs):
            part = _boards.tile(frame, *divmod(cell, field.columns))
            if sign in (HIDDEN, FLAG):
                _boards.fill(part, (170, 178, 189), 2)
            if sign == FLAG:
                part[12:36, 18:21] = _boards.INK
                part[12:24, 21:36] = _boards.RED
            elif sign == MINE:
                _boards.fill(part, _boards.RED, 1)
                _boards.disc(part, _boards.INK, 0.3)
            elif sign.isdecimal():
                _boards.number(part, int(sign), INKS[int(sign) - 1])
        return frame


def _generate(rng: np.random.Generator, rows: int, columns: int, mines: int) -> list[str]:
    """Mines at random places that are not beside the start; drawn again if that leaves nothing to open."""
    while True:
        start = int(rng.integers(rows * columns))
        near = {start, *_around(rows, columns)[start]}
        free = [cell for cell in range(rows * columns) if cell not in near]
        signs = ["."] * (rows * columns)
        for place in rng.permutation(len(free))[:mines].tolist():
            signs[free[place]] = "*"
        signs[start] = "S"
        field = tuple("".join(signs[row * columns : (row + 1) * columns]) for row in range(rows))
        if read(field).opened.count(HIDDEN) > mines:
            return list(field)


@lru_cache(maxsize=64)
def _around(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """The up to eight neighbours of each cell."""
    return tuple(
        tuple(
            other_row * columns + other_column
            for other_row in range(max(row - 1, 0), min(row + 2, rows))
            for other_column in range(max(column - 1, 0), min(column + 2, columns))
            if (other_row, other_column) != (row, column)
        )
        for row in range(rows)
        for column in range(columns)
    )


@lru_cache(maxsize=64)
def _words(rows: int, columns: int) -> tuple[tuple[str, str, str], ...]:
    """For each cell the actions reveal, flag and unflag."""
    places = [f"{row} {column}" for row in range(1, rows + 1) for column in range(1, columns + 1)]
    return tuple((f"reveal {place}", f"flag {place}", f"unflag {place}") for place in places)


@lru_cache(maxsize=2048)
def read(rows: tuple[str, ...]) -> Field:
    """The field of rows."""
    text = "".join(rows)
    around = _around(len(rows), len(rows[0]))
    mines = frozenset(cell for cell, sign in enumerate(text) if sign == "*")
    counts = [0] * len(text)
    for mine in mines:
        for cell in around[mine]:
            counts[cell] += 1
    numbers = "".join(str(count) if count else CLEAR for count in counts)
    bare = Field(len(rows), len(rows[0]), mines, around, numbers, HIDDEN * len(text))
    return Field(len(rows), len(rows[0]), mines, around, numbers, opened(bare, bare.opened, text.index("S")))


def opened(field: Field, signs: str, cell: int) -> str:
    """The signs after a cell without a mine is opened; flagged cells stay as they are.

    Args:
        field: The mines.
        signs: What is shown, a sign for each cell.
        cell: Number of the cell.
    """
    numbers = field.numbers
    if numbers[cell] != CLEAR:
        return f"{signs[:cell]}{numbers[cell]}{signs[cell + 1 :]}"
    seen = list(signs)
    seen[cell] = CLEAR
    spreading = [cell]
    for clear in spreading:  # grows while it is read
        for other in field.around[clear]:
            if seen[other] == HIDDEN:
                seen[other] = numbers[other]
                if numbers[other] == CLEAR:
                    spreading.append(other)
    return "".join(seen)
