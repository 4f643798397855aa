"""A maze with rules that are not told: which word leads where, and which sign is a wall, is for the agent to find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _hidden, maze
from agentgym.envs.games._cards.hidden import MAZE_HIDDEN
from agentgym.envs.games._hidden import HiddenConfig, WalkingRules
from agentgym.envs.games.maze import NAMES, MazeEnv


@dataclass(slots=True)
class State:
    """As in the maze, and what only the expert reads; see `findings`."""

    cell: int
    path: str
    tally: tuple[int, ...] = _hidden.NO_TALLY
    barred: int = 0


@dataclass(frozen=True)
class Config(HiddenConfig, maze.Config):
    """The keyword arguments of `MazeHiddenEnv`."""

    view: str = field(default="map", init=False, compare=False)


class MazeHiddenEnv(WalkingRules, MazeEnv):
    """Find the way through a maze without being told how.

    Description: the mazes of Maze, with the whole map in view. The words `move up`, `move down`, `move left`,
    `move right` lead in the four directions in another order, and the signs of wall, free cell, goal and player are
    exchanged; each task has its own rule.

    Observation: the reward of the last action, and the map: the signs `#`, `.`, `G`, `P` in exchanged places.

    Actions: `move up`, `move down`, `move left`, `move right`; also `up`, `go up`. All of them are possible always; a
    step into a wall has no effect.

    Reward: 1 at the goal, otherwise 0. The episode ends at the goal (success), or after twice as many turns as the maze
    has open cells.

    Splits: `train` without end, `val` and `test` 200 mazes each. No maze stands in two of them under whatever rule, and
    where each task has its own rule, no rule does.

    Oracle: a shortest way, in the task's words. Expert: tries words until a sign moves, which is the player; the sign
    all around is the wall. It then walks a shortest way and tries a new word where it needs a direction it has not
    found yet.

    Args:
        level: Named difficulty as in Maze: `easy`, `medium`, `hard`, `huge`. `rows`, `columns` and `loops` replace what
            it says.
        rows: Rows with the outer walls, odd, 5 to 41.
        columns: Columns with the outer walls, odd, 5 to 41.
        loops: Share of dead ends that are opened into a loop, 0 to 1.
        hide: What is exchanged: `both`, `words`, `signs`, or `untold` (nothing, but nothing is told either).
        rule: A whole number: all tasks share the rule drawn from it, so it can be learned over episodes.
        change_every: Task i of `train` has the rule of number i // change_every (plus `rule`): rules that change while
            training, if tasks are taken in order. To measure one phase, make an environment with its `rule`.

    Source: the mazes of LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232); rules to be found by play after CEL (Wang,
    Wu and Xu 2025, arXiv:2509.25052).
    """

    card = MAZE_HIDDEN
    config = Config()
    grammar = _hidden.walking(NAMES, form="move {}", variants=("{}", "go {}"))
    task_schema: ClassVar[Spec] = _hidden.walking_schema(MazeEnv.task_schema, NAMES)
    signs = "#.GP"
    names = NAMES
    form = "move {}"
    _state: State  # type: ignore[assignment]

    def _reset(self, task: Task) -> str:
        text = super()._reset(task)
        self._state = State(self._state.cell, "")
        return text

    def _place(self) -> int:
        return self._state.cell

    def _heading(self, before: int, after: int) -> int:
        steps = self._maze.steps[before]
        return next(number for number, name in enumerate(NAMES) if steps.get(name) == after)

    def _open(self, place: int) -> list[int]:
        return [NAMES.index(name) for name in self._maze.steps[place]]

    def _expert(self) -> str:
        if not self._moved():
            return self._try()
        maze = self._maze  # by now the expert can read the map: the border is wall, what moved is the player
        steps = maze.steps[self._state.cell]
        return self._try(min(steps, key=lambda name: maze.distance[steps[name]]))
