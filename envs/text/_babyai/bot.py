"""The package's bot, able to begin in the middle of an episode.

Importing this module needs the package `minigrid`; `plan` does it when a level is there.
"""

from __future__ import annotations

from typing import Any

from minigrid.envs.babyai.core.verifier import AfterInstr, PutNextInstr, SeqInstr
from minigrid.utils.baby_ai_bot import BabyAIBot, DisappearedBoxError, DropSubgoal, GoNextToSubgoal, Subgoal

from agentgym.envs.text._babyai.board import NOBODY, Board, State

SEARCHES, VISITS = 100, 200_000  # searches for one move, and cells visited in all; more are going round in circles
LOST = (DisappearedBoxError, AssertionError, TypeError, IndexError, AttributeError, RecursionError)  # how it gives up


class Bot(BabyAIBot):
    """The bot, with what is known, what is done and what is carried at the beginning."""

    def __init__(self, board: Board, state: State):
        super().__init__(board.level)
        if state.held != NOBODY and not self._takes_along():
            self.stack += [DropSubgoal(self), _Aside(self)]
        height, width = board.level.height, board.level.width
        for row in range(height):
            for column in range(width):
                self.vis_mask[column, row] = state.seen >> board.cell(column, row) & 1
        self._searches = 0

    def _process_instr(self, instruction: Any) -> None:
        if isinstance(instruction, SeqInstr):
            both: Any = instruction
            parts = [(both.instr_a, both.a_done), (both.instr_b, both.b_done)]
            if isinstance(instruction, AfterInstr):
                parts.reverse()
            for part, done in reversed(parts):
                if done != "success":
                    self._process_instr(part)
            return
        super()._process_instr(instruction)
        carried = self.mission.carrying
        if isinstance(instruction, PutNextInstr) and carried in instruction.desc_move.obj_set:
            del self.stack[-2:]  # neither go to it nor pick it up

    def _takes_along(self) -> bool:
        """Whether the first thing to do is to bring what is carried somewhere."""
        top = self.stack[-1]
        return isinstance(top, GoNextToSubgoal) and top.reason == "PutNext"

    def replan(self, action_taken: Any = None) -> Any:
        self._searches = 0
        return super().replan(action_taken)

    def _breadth_first_search(self, *args: Any, **kwargs: Any) -> Any:
        self._searches += 1
        if self._searches > SEARCHES or self.bfs_step_counter > VISITS:
            raise RecursionError("the bot goes round in circles")
        return super()._breadth_first_search(*args, **kwargs)


class _Aside(Subgoal):
    """Go to where what is carried is out of the way."""

    def replan_before_action(self) -> Any:
        self.bot.stack.pop()
        self.bot.stack.append(GoNextToSubgoal(self.bot, self.bot._find_drop_pos()))
