"""Lights Out in words: press buttons until every light is off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.checks import check_whole
from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import LIGHTS_OUT

LEVELS = {
    "easy": {"size": 4, "presses": 4},
    "medium": {"size": 5, "presses": 7},  # the size of the toy
    "hard": {"size": 7, "presses": 14},
    "expert": {"size": 9, "presses": 24},
}
LARGEST = 9
LIT, DARK = "O."
STREAM = 0x1190  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """The lights that are on, a bit a cell, row after row from the lowest."""

    lights: int


@dataclass(frozen=True, eq=False)
class Buttons:
    """What the size determines, by elimination over the field of two elements.

    `effects[i]` are the lights that button i switches. A pattern can be put out if its common lights with each mask of
    `checks` are even in number; then button i of a solution is pressed if the pattern's common lights with `answers[i]`
    are odd in number. `quiet` are the sets of buttons that change nothing, each a bit mask, the empty set among them.
    """

    size: int
    effects: tuple[int, ...]
    answers: tuple[int, ...]
    checks: tuple[int, ...]
    quiet: tuple[int, ...]


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `LightsOutEnv`."""

    level: str = named_level("medium", LEVELS, of="LightsOut")
    size: int = whole(None, 4, LARGEST)
    presses: int = whole(None, 3, LARGEST**2 // 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("presses", self.presses, 3, self.size**2 // 2)


class LightsOutEnv(LanguageEnv):
    """Switch all lights off.

    Description: a square of lights. Pressing one switches it and its neighbours above, below, left and right, on to off
    and off to on. Each task is a pattern made by pressing buttons from the dark, so it can be put out. Order does not
    matter, and pressing a button twice undoes it.

    Observation: a sentence on the last press, how many lights are on, and the square with numbered rows and columns:
    `O` on, `.` off.

    Actions: `press 2 3` (row, column, from 1); also `press (2, 3)`, `press 2,3`, `press row 2 column 3`, `toggle 2 3`.

    Reward: 1 when all lights are off (success), otherwise 0. The episode ends then, or after twice as many turns as
    there are lights.

    Splits: `train` without end, `val` and `test` 200 patterns each.

    Oracle: linear algebra over the field of two elements gives every solution, of which it takes the one with the
    fewest presses. Expert: the same, for nothing is hidden.

    Args:
        level: Named difficulty: `easy` (4 x 4, 4 presses), `medium` (5 x 5, 7), `hard` (7 x 7, 14), `expert` (9 x 9,
            24). `size` and `presses` replace what it says.
        size: Rows and columns, 4 to 9.
        presses: Different buttons pressed to make the pattern, 3 to half the number of lights; a solution needs at most
            so many.

    Source: Lights Out (Tiger Electronics 1995); its algebra: Anderson and Feil 1998, Mathematics Magazine 71(4).
    """

    card = LIGHTS_OUT
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "press <row> <column>",
                "switch the light there and its neighbours above, below, left and right.",
                examples=("press 2 3",),
                variants=(
                    "press <row>,<column>", "press row <row> column <column>", "press row <row>, column <column>",
                    "toggle <row> <column>", "toggle <row>,<column>",
                ),
            )
        ],
        rules="Switch all lights off. Pressing a light switches it and its up to four neighbours. Rows and columns are "
        "counted from 1. Signs: O on, . off.",
    )  # fmt: skip
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 2,
                "maxItems": LARGEST,
                "items": {"type": "string", "minLength": 2, "maxLength": LARGEST},
                "description": "rows of O (on) and . (off)",
            }
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A pattern of lights, of the size of `config` and after as many presses, drawn by `rng`."""
        return {"rows": _generate(rng, config.size, config.presses)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a square with a light on that can be put out."""
        rows = spec["rows"]
        if any(len(row) != len(rows) for row in rows) or set("".join(rows)) - {LIT, DARK}:
            raise TaskError(f"a pattern has as many signs O and . in a row as rows, got {rows}")
        if not _lights(rows):
            raise TaskError(f"a pattern has at least one light on (O), got {rows}")
        if fewest_presses(len(rows), _lights(rows)) is None:
            raise TaskError(f"no presses put out the pattern {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        size = len(spec["rows"])
        return (
            f"Switch off all lights of the {size} x {size} square. Pressing a light switches it and "
            "its neighbours above, below, left and right."
        )

    def _turn_limit(self, task: Task) -> int:
        return 2 * len(task.spec["rows"]) ** 2

    def _reset(self, task: Task) -> str:
        self._buttons = buttons(len(task.spec["rows"]))
        self._state = State(_lights(task.spec["rows"]))
        self._first = (fewest_presses(self._buttons.size, self._state.lights) or 0).bit_count()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        known = self._buttons
        cell = _boards.cell_of(call, known.size, known.size)
        if isinstance(cell, str):
            return self.refuse(cell)
        lights = self._state.lights = self._state.lights ^ known.effects[cell]
        left = (fewest_presses(known.size, lights) or 0).bit_count()
        won = not lights
        return Outcome(
            f"You press {_boards.named(cell, known.size)}.{' All lights are off.' if won else ''}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=max(0.0, 1.0 - left / self._first),
        )

    def _view(self) -> str:
        lights, size = self._state.lights, self._buttons.size
        lines = [f"Lights on: {lights.bit_count()}.", _boards.header(size)]
        every = (1 << size) - 1
        for row, label in enumerate(_boards.labels(size)):
            lines.append(label + _row(lights >> row * size & every, size))
        return "\n".join(lines)

    def _admissible(self) -> list[str]:
        return list(_words(self._buttons.size))

    def _sample(self, rng: np.random.Generator) -> str:
        words = _words(self._buttons.size)
        return words[int(rng.integers(len(words)))]

    def _oracle(self) -> str:
        presses = fewest_presses(self._buttons.size, self._state.lights) or 1
        return _words(self._buttons.size)[(presses & -presses).bit_length() - 1]

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A solution with the fewest presses."""
        lights, words = _lights(self.task.spec["rows"]), _words(self._buttons.size)
        presses = fewest_presses(self._buttons.size, lights) or 0
        return [words[cell] for cell in range(len(words)) if presses >> cell & 1]

    def _picture(self) -> NDArray[np.uint8]:
        """The lights, uint8 of shape (48 * size, 48 * size, 3)."""
        size = self._buttons.size
        frame = _boards.board(size, size, (33, 47, 61))
        for cell in range(size * size):
            part = _boards.tile(frame, *divmod(cell, size))
            on = self._state.lights >> cell & 1
            _boards.disc(part, _boards.GOLD if on else (66, 82, 99), 0.38)
            if on:
                _boards.disc(part, (252, 243, 207), 0.2)
        return frame


def _generate(rng: np.random.Generator, size: int, presses: int) -> list[str]:
    """The pattern that different random buttons make; drawn again if they cancel out."""
    while True:
        lights = 0
        for cell in rng.permutation(size * size)[:presses].tolist():
            lights ^= buttons(size).effects[cell]
        if lights:
            signs = "".join(LIT if lights >> cell & 1 else DARK for cell in range(size * size))
            return [signs[row * size : (row + 1) * size] for row in range(size)]


def _lights(rows: list[str]) -> int:
    return sum(1 << cell for cell, sign in enumerate("".join(rows)) if sign == LIT)


@lru_cache(maxsize=2048)
def _row(lights: int, size: int) -> str:
    return "  ".join(LIT if lights >> column & 1 else DARK for column in range(size))


@cache
def _words(size: int) -> tuple[str, ...]:
    return tuple(f"press {row} {column}" for row in range(1, size + 1) for column in range(1, size + 1))


@cache
def buttons(size: int) -> Buttons:
    """What a size determines."""
    count = size * size
    effects = []
    for cell in range(count):
        row, column = divmod(cell, size)
        near = ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        effects.append(sum(1 << r * size + c for r, c in near if 0 <= r < size and 0 <= c < size))
    # One equation a light: the presses of the buttons that switch it add up to what it shows, modulo 2. `left` are the
    # buttons of an equation, `right` the lights whose equations were added to it.
    left, right = list(effects), [1 << cell for cell in range(count)]
    pivots: list[int] = []  # the button that equation i, counted from the first, determines
    for button in range(count):
        found = next((row for row in range(len(pivots), count) if left[row] >> button & 1), None)
        if found is None:
            continue
        at = len(pivots)
        left[at], left[found], right[at], right[found] = left[found], left[at], right[found], right[at]
        for row in range(count):
            if row != at and left[row] >> button & 1:
                left[row] ^= left[at]
                right[row] ^= right[at]
        pivots.append(button)
    answers = [0] * count
    for row, button in enumerate(pivots):
        answers[button] = right[row]
    free = [button for button in range(count) if button not in pivots]
    basis = [1 << f | sum(1 << b for row, b in enumerate(pivots) if left[row] >> f & 1) for f in free]
    quiet = []
    for chosen in product((0, 1), repeat=len(basis)):
        mask = 0
        for use, vector in zip(chosen, basis, strict=True):
            mask ^= vector * use
        quiet.append(mask)
    return Buttons(size, tuple(effects), tuple(answers), tuple(right[len(pivots) :]), tuple(quiet))


@lru_cache(maxsize=8192)
def fewest_presses(size: int, lights: int) -> int | None:
    """The smallest set of buttons that puts a pattern out, a bit each; None if none does.

    Args:
        size: Cells in a row.
        lights: The lights that are on, a bit each.
    """
    known = buttons(size)
    if any((lights & check).bit_count() & 1 for check in known.checks):
        return None
    presses = 0
    for cell, answer in enumerate(known.answers):
        presses |= ((lights & answer).bit_count() & 1) << cell
    return min([presses ^ quiet for quiet in known.quiet], key=int.bit_count)
