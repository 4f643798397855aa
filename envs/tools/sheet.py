"""Sheet: questions about a workbook, and changes of it, by tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from agentgym.envs._kit.tools import QuestionEnv, World
from agentgym.envs.tools import SHEET
from agentgym.envs.tools._sheet import edits, questions  # each puts its templates into the book
from agentgym.envs.tools._sheet.slots import BOOK
from agentgym.envs.tools._sheet.tools import TOOLBOX
from agentgym.envs.tools._sheet.workbook import Desk, Rows, compared

TEMPLATES = (questions, edits)


class SheetEnv(QuestionEnv):
    """Answer questions about a workbook and change it as asked.

    Description: a workbook of three or four sheets (an inventory, grades, staff, orders, trips, plants), each with a
    table of up to 28 rows: a name, two columns that sort the rows into groups, four columns of numbers, one of dates,
    and notes on some names. A task asks for a number, a name, a date or a list, or for a change: cells to be written or
    computed, rows to be sorted, filtered, inserted or deleted, columns to be added, notes to be read and followed. Each
    is one of some sixty computations, some over two sheets, in several wordings.

    Observation: the result of the call as JSON; edits answer with the whole table. The first observation is the
    request.

    Actions: one tool call, `{"name": "update_cell", "arguments": {"position": "B2", "value": "=SUM(D2:G2)"}}`. A
    formula has numbers, cells, ranges, `+ - * /`, brackets and functions (SUM, AVERAGE, COUNT, MAX, MIN, MINUS,
    PRODUCT, ABS, ROUND); it is computed when it is written. `finish` ends the episode with the answer, or with "done"
    after a change. A call that cannot be done is refused, with what to do instead.

    Reward: 1 at `finish` (success) for the right answer, with all cells and notes left as they were, or for a workbook
    whose cells and notes are as they should be; 0 otherwise. At the end `info["metrics"]["cell_match"]` tells the share
    of equal cells of the sheets that were to be changed, above what doing nothing has; missing and surplus cells count
    as wrong. `progress` is the share of the gold calls whose results were seen.

    Splits: `train` without end, `val` and `test` 200 tasks each. No question is asked in two splits, in whatever words.

    Oracle: plays the gold calls. Expert: reads the request, looks up what it needs call by call, and finishes.

    Args:
        budget: Tool calls that may be made; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the tools, their arguments and the kinds of task are those of the spreadsheet environment of AgentBoard (Ma
    et al. 2024), which AgentGym (Xi et al. 2024) serves; its sheets live at a web service. Differences: generated
    workbooks, questions beside changes, formulas that are parsed and computed when they are written, patterns with `*`
    and `|` in place of regular expressions, all cells compared and not just those that overlap, and the score of what
    stands at `finish` and not the best of the episode.
    """

    card = SHEET
    world = World(BOOK, TOOLBOX, Desk, compared)

    def _scored(self) -> Mapping[str, float]:
        """The share of equal cells, above what the untouched workbook has."""
        goal, desk = self._problem.goal[0], self._state.data
        if not goal:
            return {"cell_match": 0.0}
        before = sum(map(_match, (desk.workbook.sheets[name] for name in goal), goal.values())) / len(goal)
        now = sum(map(_match, (desk.rows(name) for name in goal), goal.values())) / len(goal)
        return {"cell_match": max(0.0, (now - before) / (1 - before))}


def _match(rows: Rows | None, wanted: Rows | None) -> float:
    """The share of cells that are equal, of all that stand in either; of a sheet that is to be deleted, 1 if it is."""
    if rows is None or wanted is None:
        return float(rows is wanted)
    pairs = [pair for both in zip_longest(rows, wanted, fillvalue=()) for pair in zip_longest(*both)]
    return sum(one == other for one, other in pairs) / len(pairs)
