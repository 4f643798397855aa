"""Sokoban with rules that are not told: which word leads where, and which sign is a box, is for the agent to find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _hidden, sokoban
from agentgym.envs.games._cards.hidden import SOKOBAN_HIDDEN
from agentgym.envs.games._hidden import HiddenConfig, WalkingRules
from agentgym.envs.games._sokoban import board as boards
from agentgym.envs.games._sokoban import solver
from agentgym.envs.games.sokoban import NAMES, SokobanEnv


@dataclass(slots=True)
class State:
    """As in Sokoban, and what only the expert reads.

    For `tally` and `barred` see `findings`; `seen` is whether a box was pushed or a target walked on, which tells the
    two apart.
    """

    player: int
    boxes: tuple[int, ...]
    tally: tuple[int, ...] = _hidden.NO_TALLY
    barred: int = 0
    seen: bool = False


@dataclass(frozen=True)
class Config(HiddenConfig, sokoban.Config):
    """The keyword arguments of `SokobanHiddenEnv`."""


class SokobanHiddenEnv(WalkingRules, SokobanEnv):
    """Push every box onto a target without being told how.

    Description: the levels of Sokoban. The words `up`, `down`, `left`, `right` lead in the four directions in another
    order, and the seven signs are exchanged; each task has its own rule. Which sign can be pushed, and where to, shows
    in what happens and in the reward.

    Observation: the reward of the last action, and one line per row: the signs `# _ O X √ P S` in exchanged places.

    Actions: `up`, `down`, `left`, `right`; also `move up`, `go up`, `push up`. All of them are possible always; a step
    against a wall or a box that cannot move has no effect.

    Reward: -0.1 each turn, +1 for a box pushed onto a target, -1 for a box pushed off one, +10 when all boxes are on
    targets. The episode ends then (success), or after 100 turns.

    Splits: `train` without end, `val` and `test` 200 levels each. No level stands in two of them under whatever rule,
    and where each task has its own rule, no rule does.

    Oracle: a shortest solution, in the task's words. Expert: tries words until a sign moves, which is the player, and
    leaves floor behind; the sign all around is the wall. Boxes and targets are equal in number, so it takes the sign
    that comes first for the boxes, walks around both, and makes a push that does no harm in either case; then it knows
    them apart and plans with a solver. Where it needs a word it has not found yet, it goes to try one where no box is
    beside it. Its first steps are blind, and some push a box where it is lost.

    Args:
        level: Named difficulty as in Sokoban: `easy`, `medium`, `hard`, `expert`. `size` and `boxes` replace what it
            says.
        size: Rows and columns with the outer walls, 6 to 12.
        boxes: Boxes and targets, 1 to 4.
        hide: What is exchanged: `both`, `words`, `signs`, or `untold` (nothing, but nothing is told either).
        rule: A whole number: all tasks share the rule drawn from it, so it can be learned over episodes.
        change_every: Task i of `train` has the rule of number i // change_every (plus `rule`): rules that change while
            training, if tasks are taken in order. To measure one phase, make an environment with its `rule`.

    Source: after CEL (Wang, Wu and Xu 2025, arXiv:2509.25052), which learns Sokoban's rules from play; exchanged labels
    as in Baba in Wonderland (Seo et al. 2026, arXiv:2605.16725).
    """

    card = SOKOBAN_HIDDEN
    config = Config()
    grammar = _hidden.walking(NAMES, variants=("move {}", "go {}", "push {}"))
    task_schema: ClassVar[Spec] = _hidden.walking_schema(SokobanEnv.task_schema, NAMES)
    signs = "#_OX√PS"
    names = NAMES
    _state: State  # type: ignore[assignment]

    def _reset(self, task: Task) -> str:
        text = super()._reset(task)
        self._state = State(self._state.player, self._state.boxes)
        return text

    def _step(self, call: Call) -> Outcome:
        before = self._state.boxes
        outcome = super()._step(call)
        self._state.seen |= self._state.boxes != before or self._state.player in self._board.targets
        return outcome

    def _place(self) -> int:
        return self._state.player

    def _heading(self, before: int, after: int) -> int:
        return self._board.steps.index(after - before)

    def _open(self, place: int) -> list[int]:
        level, boxes = self._board, self._state.boxes
        free = level.floor - set(boxes)
        return [
            way
            for way, step in enumerate(level.steps)
            if place + step in free or (place + step in boxes and place + 2 * step in free)
        ]

    def _key_state(self) -> Any:
        return [self._state.player, self._state.boxes]

    def _expert(self) -> str:
        if not self._moved():
            return self._try()
        level, boxes = self._taken()
        player, seen = self._state.player, self._state.seen
        wanted = "" if seen else _contact(level, player, boxes)
        wanted = wanted or solver.plan(level, player, boxes).get((player, boxes), "")
        things = {*boxes} if seen else {*boxes, *level.targets}

        def leads(cell: int, way: int) -> int | None:
            """The cell next to `cell` on this `way`, or None for a wall or a box."""
            other = cell + level.steps[way]
            return other if other in level.floor and other not in things else None

        return self._go(wanted, leads, lambda cell, way: cell + level.steps[way] in things)

    def _taken(self) -> tuple[boards.Board, tuple[int, ...]]:
        """The level and its boxes as the expert takes them: until it knows better, the sign that comes first is a box.

        Unless the level had no solution then, or it would stand on a box.
        """
        level, state = self._board, self._state
        if state.seen or self._shown[ord("X")] < self._shown[ord("O")] or state.player in level.targets:
            return level, state.boxes
        other, boxes = _exchanged(level.rows, state.player, state.boxes)
        solvable = solver.solve(other, state.player, boxes) is not None
        return (other, boxes) if solvable else (level, state.boxes)


@lru_cache(maxsize=4096)
def _contact(level: boards.Board, player: int, boxes: tuple[int, ...]) -> str:
    """The next step to a first push that does no harm if the boxes are boxes, and none if they are targets.

    On its way the player touches neither boxes nor targets, for each may be the other. Empty if there is no such push.
    """
    things = tuple({*boxes, *level.targets})
    walks = boards.reach(level.floor, level.steps, things, player)
    pushes = []
    for box in boxes:
        for step in level.steps:
            behind, ahead = box - step, box + step
            if behind in walks and ahead in level.floor and ahead not in boxes:
                pushed = tuple(sorted([ahead if other == box else other for other in boxes]))
                if solver.solve(level, box, pushed) is not None:
                    pushes.append((walks[behind], behind, step))
    if not pushes:
        return ""
    _, cell, step = min(pushes)
    while cell != player:  # walk back from where the push begins
        step = next(each for each in level.steps if walks.get(cell - each, boards.FAR) == walks[cell] - 1)
        cell -= step
    return NAMES[level.steps.index(step)]


@lru_cache(maxsize=512)
def _exchanged(rows: tuple[str, ...], player: int, boxes: tuple[int, ...]) -> tuple[boards.Board, tuple[int, ...]]:
    """The level, and its boxes, as one sees it who takes targets for boxes and boxes for targets."""
    board = boards.read(rows)
    signs = list(board.text)
    for cell in {*boxes, *board.targets}:
        both = cell in boxes and cell in board.targets
        signs[cell] = boards.STORED if both else boards.TARGET if cell in boxes else boards.BOX
    signs[player] = boards.PLAYER
    taken = boards.read(tuple("".join(signs).split("\n")))
    return taken, taken.boxes
