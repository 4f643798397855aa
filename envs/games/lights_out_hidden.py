"""Lights Out with rules that are not told: which light a press switches, and which sign is dark, is to be found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards, _hidden, lights_out
from agentgym.envs.games._cards.hidden import LIGHTS_OUT_HIDDEN
from agentgym.envs.games._hidden import HiddenConfig, HiddenRules
from agentgym.envs.games.lights_out import LightsOutEnv, _words, fewest_presses

TURNS = range(8)  # the symmetries of the square: bit 0 mirrors left and right, bit 1 top and bottom, bit 2 the diagonal


@dataclass(slots=True)
class State:
    """The lights that are on, and what only the expert reads.

    `alive` has a bit for each symmetry that agrees with the presses seen; `dark` is `O` or `.` once a board full of the
    other sign did not end the game, and empty before.
    """

    lights: int
    alive: int = 255
    dark: str = ""


@dataclass(frozen=True)
class Config(HiddenConfig, lights_out.Config):
    """The keyword arguments of `LightsOutHiddenEnv`."""


class LightsOutHiddenEnv(HiddenRules, LightsOutEnv):
    """Switch all lights off without being told how.

    Description: the patterns of Lights Out. `press 2 3` presses another cell: rows and columns are mirrored, exchanged,
    or both, one of the eight symmetries of the square; and `O` may mean off and `.` on. Each task has its own rule. A
    press switches a cell and its neighbours above, below, left and right; that is not told either.

    Observation: the reward of the last action, and the square with numbered rows and columns.

    Actions: `press 2 3` (two numbers from 1); also `press (2, 3)`, `press 2,3`.

    Reward: 1 when all lights are off (success), otherwise 0. The episode ends then, or after twice as many turns as
    there are lights.

    Splits: `train` without end, `val` and `test` 200 patterns each. No pattern stands in two of them under whatever
    rule, and where each task has its own rule, no rule does.

    Oracle: the fewest presses, in the task's numbers. Expert: knows that a press switches a cross; it keeps the
    symmetries that agree with what its presses switched, goes for the uniform board that is nearer, and for the other
    one if that was not the end.

    Args:
        level: Named difficulty as in Lights Out: `easy`, `medium`, `hard`, `expert`. `size` and `presses` replace what
            it says.
        size: Rows and columns, 4 to 9.
        presses: Different buttons pressed to make the pattern, 3 to half the number of lights.
        hide: What is exchanged: `both`, `words` (the cells that presses mean), `signs`, or `untold` (nothing, but
            nothing is told either).
        rule: A whole number: all tasks share the rule drawn from it, so it can be learned over episodes.
        change_every: Task i of `train` has the rule of number i // change_every (plus `rule`): rules that change while
            training, if tasks are taken in order. To measure one phase, make an environment with its `rule`.

    Source: Lights Out (Tiger Electronics 1995); rules to be found by play after CEL (Wang, Wu and Xu 2025,
    arXiv:2509.25052).
    """

    card = LIGHTS_OUT_HIDDEN
    config = Config()
    ways = len(TURNS)
    grammar = Grammar(
        [
            Command(
                "press <row> <column>",
                _hidden.UNTOLD,
                examples=("press 2 3",),
                variants=(
                    "press <row>,<column>",
                    "press row <row> column <column>",
                    "press row <row>, column <column>",
                ),
            )
        ],
        rules=f"{_hidden.AIM} The two numbers count from 1.",
    )
    task_schema: ClassVar[Spec] = _hidden.with_rule(
        LightsOutEnv.task_schema,
        {
            "turn": {"type": "integer", "minimum": 0, "maximum": 7, "description": "symmetry from words to cells"},
            "signs": _hidden.SIGNS_SCHEMA,
        },
    )
    signs = "O."
    _state: State  # type: ignore[assignment]

    @classmethod
    def rule_spec(cls, way: int, signs: str) -> Spec:
        """The symmetry from words to cells (`way`, its number), and the `signs` shown."""
        return {"turn": way, "signs": signs}

    def _reset(self, task: Task) -> str:
        text = super()._reset(task)
        self._state = State(self._state.lights)
        return text

    def _read_rule(self, rule: Spec) -> None:
        self._turned: int = rule["turn"]

    def _step(self, call: Call) -> Outcome:
        size = self._buttons.size
        said = _boards.cell_of(call, size, size)
        if isinstance(said, str):
            return self.refuse(said)
        outcome = super()._step(Call("press", {"cell": said}))
        pressed = turned(self._turned, said, size)
        state = self._state
        state.alive &= sum(1 << turn for turn in TURNS if turned(turn, said, size) == pressed)
        if not outcome.terminated and state.lights == (1 << size * size) - 1:
            state.dark = self.task.spec["rule"]["signs"][1]
        return outcome

    def _real(self, call: Call) -> Call:
        row, column = divmod(turned(self._turned, call["cell"], self._buttons.size), self._buttons.size)
        return Call("press", {"row": str(row + 1), "column": str(column + 1)})

    def _view(self) -> str:
        return super()._view().partition("\n")[2]  # the first line counts the lights that are on

    def _key_state(self) -> Any:
        return self._state.lights

    def _oracle(self) -> str:
        return self._press(super()._oracle(), self._turned)

    def _reference(self) -> list[str]:
        return [self._press(said, self._turned) for said in super()._reference()]

    def _press(self, real: str, turn: int) -> str:
        """The words that press a cell under a symmetry."""
        words = _words(self._buttons.size)
        return words[_inverse(turn, self._buttons.size)[words.index(real)]]

    def _expert(self) -> str:
        size, state = self._buttons.size, self._state
        every = (1 << size * size) - 1
        shown = {sign: self._showing(sign) for sign in self.signs}  # cells that show each sign
        goals = [sign for sign in self.signs if state.dark in ("", sign)]
        plans = [fewest_presses(size, every & ~shown[dark]) for dark in goals]
        presses = min([plan for plan in plans if plan], key=int.bit_count, default=1)
        cell = (presses & -presses).bit_length() - 1
        turn = (state.alive & -state.alive).bit_length() - 1
        return self._press(_words(size)[cell], turn)

    def _showing(self, sign: str) -> int:
        """The cells that show a sign, a bit each."""
        lit = self.task.spec["rule"]["signs"][0] == sign
        every = (1 << self._buttons.size**2) - 1
        return self._state.lights if lit else every & ~self._state.lights


@cache
def _turned(turn: int, size: int) -> tuple[int, ...]:
    found = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        row, column = (column, row) if turn & 4 else (row, column)
        row, column = size - 1 - row if turn & 2 else row, size - 1 - column if turn & 1 else column
        found.append(row * size + column)
    return tuple(found)


def turned(turn: int, cell: int, size: int) -> int:
    """Where a symmetry of the square carries a cell.

    Args:
        turn: Number of the symmetry, from 0 to 7.
        cell: Number of the cell.
        size: Cells in a row.
    """
    return _turned(turn, size)[cell]


@cache
def _inverse(turn: int, size: int) -> tuple[int, ...]:
    where = _turned(turn, size)
    return tuple(where.index(cell) for cell in range(size * size))
