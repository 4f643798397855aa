"""Rush Hour in words: slide cars and trucks aside until the red car can leave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.assets.rush_hour import load_boards
from agentgym.core.checks import check_whole
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.planning import RUSH_HOUR
from agentgym.envs.games._rush_hour import board as boards
from agentgym.envs.games._rush_hour.search import EXIT_ROW, LARGEST, SIDE

LEVELS = {
    "easy": {"fewest": 3, "most": 6},
    "medium": {"fewest": 7, "most": 11},
    "hard": {"fewest": 12, "most": 17},
    "expert": {"fewest": 18, "most": 60},
}
WAYS = {"left": (1, -1), "right": (1, 1), "up": (0, -1), "down": (0, 1)}
LENGTHS = ("1", "2", "3", "4")
TURNS = 150
EVALUATION = 10_000  # seeds below this belong to val (even) and test (odd), the others to train
STRIDE = 7919  # a prime, so that neighbouring seeds give positions of different boards
RED, EXIT = boards.RED, ">"
COLORS = (
    (52, 152, 219), (46, 204, 113), (241, 196, 15), (155, 89, 182), (230, 126, 34), (26, 188, 156), (149, 165, 166),
    (127, 140, 141), (210, 180, 140), (39, 111, 191), (22, 120, 80), (183, 149, 11), (108, 52, 131), (147, 81, 22),
)  # fmt: skip


@dataclass(slots=True)
class State:
    """Where each vehicle stands on its line, the red car first; and the signs of all cells, row after row."""

    places: tuple[int, ...]
    signs: list[str]


@lru_cache(maxsize=1)
def _pools() -> dict[int, int]:
    """Which split each chain of boards belongs to: 0 val, 1 test, 2 train; ranked by difficulty."""
    hardest: dict[int, int] = {}
    for chain, moves, _ in load_boards():
        hardest[chain] = max(moves, hardest.get(chain, 0))
    order = sorted(hardest, key=lambda chain: (-hardest[chain], chain))
    return {chain: {0: 0, 5: 1}.get(rank % 10, 2) for rank, chain in enumerate(order)}


@lru_cache(maxsize=64)
def _positions(fewest: int, most: int) -> tuple[list[str], list[str], list[str]]:
    """The positions of val, test and train that are so many moves from the exit, each in a fixed order."""
    pools: tuple[list[str], list[str], list[str]] = ([], [], [])
    for chain, moves, signs in load_boards():
        if fewest <= moves <= most:
            pools[_pools()[chain]].append(signs)
    return pools


@cache
def _homes() -> dict[str, int]:
    """Which split each position belongs to, as in `_pools`."""
    return {signs: _pools()[chain] for chain, _, signs in load_boards()}


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `RushHourEnv`."""

    level: str = named_level("medium", LEVELS, of="RushHour")
    fewest: int = whole(None, 3, 60)
    most: int = whole(None, 3, 60)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("most", self.most, self.fewest, 60)
        if not all(_positions(self.fewest, self.most)):
            raise ConfigError(
                f"not every split has a position {self.fewest} to {self.most} moves from the exit; widen the bounds"
            )


class RushHourEnv(LanguageEnv):
    """Bring the red car out of a traffic jam.

    Description: a yard of 6 x 6 cells full of cars (two cells long) and trucks (three). Each vehicle slides along its
    own line, forwards and backwards, as far as the cells are free. Slide the others aside until the red car X stands at
    the exit, at the right end of the third row.

    Observation: a sentence on the last move and the yard, one line per row: `X` the red car, other letters other
    vehicles, `.` a free cell, `>` the exit.

    Actions: `move A up 2`: a vehicle, `up`, `down`, `left` or `right`, and how many cells; without a number, one. Also
    `A up 2`, `slide A up 2`. What is in the way is named. The admissible actions list every slide with its number.

    Reward: 1 when the red car stands at the exit (success), otherwise 0. The episode ends then, or after 150 turns.

    Splits: `train`, `val` and `test`, the last two of 100 positions each (fewer with other levels). The positions come
    from a shipped table of 2,400 with their exact distances, so `train` repeats itself; those of train, val and test
    were made from different boards.

    Oracle: the way out with the fewest slides, by search backwards from every position at the exit. Expert: the same,
    for nothing is hidden.

    Args:
        level: Named difficulty, by the least number of slides to the exit: `easy` (3 to 6), `medium` (7 to 11), `hard`
            (12 to 17), `expert` (18 to 33, the most in the table). `fewest` and `most` replace what it says.
        fewest, most: Bounds of that number, 3 to 60; there must be positions between them.

    Source: Rush Hour (Yoshigahara 1996, ThinkFun); PSPACE-complete in general (Flake and Baum 2002).
    """

    card = RUSH_HOUR
    config = Config()
    grammar = Grammar(
        [
            Command(
                "move <vehicle> <direction>",
                "slide a vehicle by one cell.",
                examples=("move A up", "X right"),
                variants=("slide <vehicle> <direction>", "<vehicle> <direction>"),
                choices={"direction": tuple(WAYS)},
            ),
            Command(
                "move <vehicle> <direction> <cells>",
                "slide it by so many cells.",
                examples=("move A up 2", "X right 3"),
                variants=("slide <vehicle> <direction> <cells>", "<vehicle> <direction> <cells>"),
                choices={"direction": tuple(WAYS), "cells": LENGTHS},
                name="slide",
            ),
        ],
        rules="Slide vehicles along their own lines until the red car X stands at the exit (>), at the right end of "
        "its row. Vehicles do not turn and do not jump.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": SIDE,
                "maxItems": SIDE,
                "items": {"type": "string", "minLength": SIDE, "maxLength": SIDE},
                "description": "rows of the yard: X the red car, a letter for another vehicle, a dot for a free cell",
            }
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A position, in an order that brings a split's own in turn.

        Args:
            config: Fewest and most moves of a solution.
            seed: Below `EVALUATION` even ones count through the positions of `val`, odd ones through those of `test`;
                from there on all count through those of `train`.
        """
        pool = _positions(config.fewest, config.most)[2 if seed >= EVALUATION else seed % 2]
        turn = (seed if seed >= EVALUATION else seed // 2) * STRIDE % len(pool)
        return {"rows": [pool[turn][at : at + SIDE] for at in range(0, SIDE * SIDE, SIDE)]}

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """A chain of positions belongs to one split: that of `spec` must be `split`'s, whatever the `config`."""
        return _homes()["".join(spec["rows"])] == {"val": 0, "test": 1, "train": 2}[split]

    def check_task(self, spec: Spec) -> None:
        """The rows must hold straight vehicles and a red car that is not out yet and can get out."""
        rows = tuple(spec["rows"])
        board = boards.read(rows)
        if board.places[0] == SIDE - 2:
            raise TaskError(f"the red car stands at the exit already: {rows}")
        if boards.away(board, board.places) < 0:
            raise TaskError(f"no way out was found for the red car within {LARGEST} positions: {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        count = len(boards.read(tuple(spec["rows"])).signs)
        row = EXIT_ROW + 1
        return f"Move the red car X to the exit at the right end of row {row}. {count - 1} other vehicles block it."

    def _turn_limit(self, task: Task) -> int:
        return TURNS

    def _reset(self, task: Task) -> str:
        self._board = board = boards.read(tuple(task.spec["rows"]))
        self._index = {sign: index for index, sign in enumerate(board.signs)}
        self._state = State(board.places, board.drawn(board.places))
        signs = "X is your red car, other letters are other vehicles, . is a free cell, > is the exit."
        return f"{task.instruction}\n{signs}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        sign, direction = call["vehicle"].upper(), call["direction"]
        count = int(call.slots.get("cells", "1"))
        index = self._index.get(sign)
        if index is None:
            return self.refuse(f"There is no vehicle {shorten(call['vehicle'])!r}; there are {', '.join(self._index)}.")
        across, way = WAYS[direction]
        if self._board.vehicles[index][0] != across:
            ways = "left and right" if self._board.vehicles[index][0] else "up and down"
            return self.refuse(f"{sign} cannot move {direction}: it slides {ways} only.")
        reach, ahead = self._reach(index, way, count)
        if reach < count:
            if not reach:
                return self.refuse(f"{sign} cannot move {direction}: {ahead} is in the way.")
            return self.refuse(f"{sign} cannot move {direction} by {count}, only by {reach}: {ahead} is in the way.")
        state = self._state
        before = state.places[index]
        state.places = (*state.places[:index], before + way * count, *state.places[index + 1 :])
        signs = list(state.signs)
        for cell in self._board.cells(index, before):
            signs[cell] = boards.FREE
        for cell in self._board.cells(index, before + way * count):
            signs[cell] = sign
        state.signs = signs
        won = state.places[0] == SIDE - 2
        told = f"You move {sign} {direction} {count}.{' The red car is out.' if won else ''}"
        return Outcome(f"{told}\n{self._view()}", reward=float(won), terminated=won, success=won)

    def _reach(self, index: int, way: int, most: int) -> tuple[int, str]:
        """How many cells a vehicle can slide, at most so many, and what stops it."""
        across, line, length, _ = self._board.vehicles[index]
        step = way if across else way * SIDE
        place = self._state.places[index]
        first = place + length - 1 if way > 0 else place
        cell = line * SIDE + first if across else first * SIDE + line
        room = SIDE - 1 - first if way > 0 else first
        signs = self._state.signs
        for count in range(1, most + 1):
            if count > room:
                return count - 1, "the wall"
            sign = signs[cell + step * count]
            if sign != boards.FREE:
                return count - 1, sign
        return most, ""

    def _view(self) -> str:
        signs = self._state.signs
        return (
            f"{' '.join(signs[:6])}\n{' '.join(signs[6:12])}\n{' '.join(signs[12:18])} {EXIT}\n"
            f"{' '.join(signs[18:24])}\n{' '.join(signs[24:30])}\n{' '.join(signs[30:])}"
        )

    def _admissible(self) -> list[str]:
        found = []
        for index, sign in enumerate(self._board.signs):
            for direction, (across, way) in WAYS.items():
                if self._board.vehicles[index][0] == across:
                    reach, _ = self._reach(index, way, SIDE)
                    found += [f"move {sign} {direction} {count}" for count in range(1, reach + 1)]
        return found

    def _oracle(self) -> str:
        return self._first(self._state.places)

    def _first(self, places: tuple[int, ...]) -> str:
        """The first move of a shortest way out."""
        move = boards.best(self._board, places)
        assert move is not None  # every move can be taken back, so there is a way out from everywhere
        index, cells = move
        across = self._board.vehicles[index][0]
        direction = next(name for name, way in WAYS.items() if way == (across, 1 if cells > 0 else -1))
        return f"move {self._board.signs[index]} {direction} {abs(cells)}"

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A way out with the fewest moves."""
        places, way = self._board.places, []
        while (move := boards.best(self._board, places)) is not None:
            way.append(self._first(places))
            index, cells = move
            places = (*places[:index], places[index] + cells, *places[index + 1 :])
        return way

    def _picture(self) -> NDArray[np.uint8]:
        """The yard with the wall around it, uint8 of shape (384, 384, 3).

        The yard from above inside its wall, open at the exit: the red car, the others in colours of their own.
        """
        board, places = self._board, self._state.places
        frame = _boards.board(SIDE + 2, SIDE + 2)
        for row in range(SIDE + 2):
            for column in range(SIDE + 2):
                edge = row in (0, SIDE + 1) or column in (0, SIDE + 1)
                if edge and (row, column) != (EXIT_ROW + 1, SIDE + 1):
                    _boards.fill(_boards.tile(frame, row, column), _boards.WALL, 0)
        for index, place in enumerate(places):
            cells = board.cells(index, place)
            top, left = divmod(cells[0], SIDE)
            bottom, right = divmod(cells[-1], SIDE)
            size = _boards.CELL
            part = frame[(top + 1) * size + 5 : (bottom + 2) * size - 4, (left + 1) * size + 5 : (right + 2) * size - 4]
            color = _boards.RED if index == 0 else COLORS[(index - 1) % len(COLORS)]
            part[:] = [tone * 2 // 3 for tone in color]
            part[3:-3, 3:-3] = color
            along = part if board.vehicles[index][0] else part.swapaxes(0, 1)
            along[8:-8, 8:16] = along[8:-8, -16:-8] = [min(255, tone + 60) for tone in color]  # front and rear window
        return frame
