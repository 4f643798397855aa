"""FrozenLake with rules that are not told: which word leads where, and which sign is a hole, is to be found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.core.generated import switch
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _hidden, frozen_lake
from agentgym.envs.games._cards.hidden import FROZEN_LAKE_HIDDEN
from agentgym.envs.games._hidden import HiddenConfig, WalkingRules
from agentgym.envs.games.frozen_lake import NAMES, FrozenLakeEnv, _lake

LONGER = 2  # times the turns of the world, for experiments


@dataclass(slots=True)
class State:
    """Where the player stands, and what only the expert reads; see `findings`."""

    cell: int
    tally: tuple[int, ...] = _hidden.NO_TALLY
    barred: int = 0


@dataclass(frozen=True)
class Config(HiddenConfig, frozen_lake.Config):
    """The keyword arguments of `FrozenLakeHiddenEnv`."""

    slippery: bool = switch(False)


class FrozenLakeHiddenEnv(WalkingRules, FrozenLakeEnv):
    """Cross a frozen lake without being told how.

    Description: the maps of FrozenLake. The words `left`, `down`, `right`, `up` lead in the four directions in another
    order, and the signs of player, ice, hole and goal are exchanged; each task has its own rule. The agent has to find
    out by experiment which word leads where, which sign is itself, and which it must not step on.

    Observation: the reward of the last action, and one line per row, cells separated by spaces: the signs `P`, `_`,
    `O`, `G` in exchanged places, `X` and `√` at the end of a walk.

    Actions: `left`, `down`, `right`, `up`; also `move left`, `go left`. All of them are possible always; a step against
    the edge has no effect.

    Reward: 1 at the goal, otherwise 0. The episode ends at the goal (success), in a hole, or after twice the turns of
    FrozenLake.

    Splits: `train` without end, `val` and `test` 300 maps each. No map stands in two of them under whatever rule, and
    where each task has its own rule, no rule does.

    Oracle: the shortest way in the task's words; on slippery ice FrozenLake's optimum. Expert: tries words and watches
    which sign moves and what it leaves behind; that is ice, and of the other two signs the rarer one is taken for the
    goal. It then walks the shortest way, and where it needs a word it has not found yet, it goes to try one where no
    hole is beside it. Its first steps are blind, and some end in a hole.

    Args:
        size: Rows and columns, 3 to 8.
        slippery: Whether moves may go astray; then a word's direction shows in what it does most often.
        frozen: Probability that a cell is ice and no hole, above 0 and at most 1.
        hide: What is exchanged: `both`, `words`, `signs`, or `untold` (nothing, but nothing is told either).
        rule: A whole number: all tasks share the rule drawn from it, so it can be learned over episodes.
        change_every: Task i of `train` has the rule of number i // change_every (plus `rule`): rules that change while
            training, if tasks are taken in order. To measure one phase, make an environment with its `rule`.

    Source: after CEL (Wang, Wu and Xu 2025, arXiv:2509.25052), which learns FrozenLake's rules from play.
    """

    card = FROZEN_LAKE_HIDDEN
    config = Config()
    grammar = _hidden.walking(NAMES, variants=("move {}", "go {}"))
    task_schema: ClassVar[Spec] = _hidden.walking_schema(FrozenLakeEnv.task_schema, NAMES)
    signs = "P_OG"
    names = NAMES
    _state: State  # type: ignore[assignment]

    def _turn_limit(self, task: Task) -> int:
        return LONGER * super()._turn_limit(task)

    def _reset(self, task: Task) -> str:
        text = super()._reset(task)
        self._state = State(self._state.cell)
        return text

    def _place(self) -> int:
        return self._state.cell

    def _heading(self, before: int, after: int) -> int:
        return self._lake.steps[before].index(after)

    def _open(self, place: int) -> list[int]:
        if self._slippery:  # there a word may have no effect because of a slip
            return []
        return [way for way, other in enumerate(self._lake.steps[place]) if other != place]

    def _key_state(self) -> Any:
        return self._state.cell

    def _oracle(self) -> str:
        if self._slippery:
            return super()._oracle()
        return self._words[FrozenLakeEnv._expert(self)]  # on firm ice the shortest way is the optimum

    def _expert(self) -> str:
        if not self._moved():
            return self._try()
        lake, cell = _lake(self._guess()), self._state.cell

        def leads(cell: int, way: int) -> int | None:
            """The cell next to `cell` on this `way`, or None for a hole or the edge."""
            other = lake.steps[cell][way]
            return None if other in lake.holes or other == cell else other

        wanted = min(NAMES, key=lambda name: lake.distance[lake.steps[cell][NAMES.index(name)]])
        return self._go(wanted, leads, lambda cell, way: lake.steps[cell][way] in lake.holes)

    def _guess(self) -> tuple[str, ...]:
        """The map as the signs and the steps seen so far suggest."""
        rows = [row.split(" ") for row in self._view().split("\n")]
        shown = [sign for row in rows for sign in row]
        player = shown[self._state.cell]
        ice = chr(self._shown[ord("_")])  # what the player left behind at its first step
        others = Counter(sign for sign in shown if sign not in (player, ice))
        goal = min(sorted(others), key=lambda sign: others[sign])
        letters = {player: "S", ice: "F", goal: "G"}
        return tuple("".join(letters.get(sign, "H") for sign in row) for row in rows)
