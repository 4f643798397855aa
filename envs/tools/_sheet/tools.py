"""The tools of the spreadsheet world: those of AgentBoard with their names and arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import FINISH, Toolbox, ToolError, tool
from agentgym.envs.tools._sheet.cells import address, place
from agentgym.envs.tools._sheet.formula import FUNCTIONS, compute, kept
from agentgym.envs.tools._sheet.workbook import Cell, Desk, Rows

READ, WRITE = 0.4, 0.8  # virtual seconds
COLUMNS, LONGEST, LONGEST_CELL = 26, 200, 120  # columns and rows of a sheet, characters of a cell
NUMERIC = re.compile(r"\s*[-+]?\d{1,12}(?:\.\d{1,8})?\s*")
OPERATORS = Literal["SUM", "AVERAGE", "COUNT", "MAX", "MIN", "MINUS", "PRODUCT"]
RULES = (
    "You work on a spreadsheet with tools. Open a sheet before anything else. Rows and columns are counted from 1, "
    "cells are named as A1; the first row holds the titles and stays in its place when a sheet is sorted. A text that "
    "is a number becomes one, and a text that begins with = is computed when it is written: the cell keeps the result. "
    "Notes move with their cells when a sheet is sorted or rows or columns are inserted or deleted. For a question, "
    "leave the cells as they are; otherwise change what you are asked to change. End with finish."
)


def _here(desk: Desk) -> Rows:
    """The rows of the open sheet."""
    rows = desk.rows(desk.opened) if desk.opened else None
    if rows is None:
        raise ToolError("Please open a sheet before operating it: open_sheet takes one of " + _names(desk) + ".")
    return rows


def _names(desk: Desk) -> str:
    return ", ".join(repr(name) for name in desk.workbook.sheets if desk.rows(name) is not None)


def _inside(rows: Rows, text: str) -> tuple[int, int]:
    row, column = place(text)
    if row >= len(rows) or column >= len(rows[0]):
        raise ToolError(f"{text} is outside the sheet, which ends at {address(len(rows) - 1, len(rows[0]) - 1)}.")
    return row, column


def _area(rows: Rows, first: str, last: str) -> tuple[int, int, int, int]:
    """Top, left, bottom, right of a range."""
    top, left = _inside(rows, first)
    bottom, right = _inside(rows, last)
    if bottom < top or right < left:
        raise ToolError(f"{last} is before {first}; give the upper left cell first.")
    return top, left, bottom, right


def _numbers(rows: Rows, said: str) -> list[float]:
    """The numbers in a cell or range."""
    first, _, last = said.partition(":")
    top, left, bottom, right = _area(rows, first, last or first)
    cells = [cell for row in rows[top : bottom + 1] for cell in row[left : right + 1]]
    return [float(cell) for cell in cells if not isinstance(cell, str)]


def _value(rows: Rows, value: Any) -> Cell:
    """What a cell keeps of a value that is written into it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return kept(value)
    if not isinstance(value, str) or len(value) > LONGEST_CELL:
        raise ToolError(
            f"A cell takes text of up to {LONGEST_CELL} characters or a number, got {shorten(repr(value), 30)}."
        )
    if value.startswith("="):
        return compute(value[1:], lambda said: _numbers(rows, said))
    return kept(float(value)) if NUMERIC.fullmatch(value) else value


def _write(desk: Desk, rows: list[list[Cell]]) -> list[list[Cell]]:
    """Keep the rows of the open sheet and show them."""
    if len(rows) > LONGEST or len(rows[0]) > COLUMNS:
        raise ToolError(f"A sheet has at most {LONGEST} rows and {COLUMNS} columns.")
    desk.put(desk.opened, tuple(map(tuple, rows)))
    return rows


def _moved(
    desk: Desk, rows: list[list[Cell]], *, down: Sequence[int | None] = (), right: Sequence[int | None] = ()
) -> list[list[Cell]]:
    """Keep the rows of the open sheet, and move its notes with their cells.

    Args:
        desk: Its open sheet is kept.
        rows: What stands in it now.
        down, right: Which row or column, as they were, stands at each place now; None for a new one. Empty: as it was.
    """
    notes = desk.noted(desk.opened)
    _write(desk, rows)
    rows_now, columns_now = ({old: new for new, old in enumerate(order)} for order in (down, right))
    for cell in notes:
        desk.annotate(desk.opened, cell, "")
    for cell, text in notes.items():
        row, column = place(cell)
        row_now = rows_now.get(row) if down else row
        column_now = columns_now.get(column) if right else column
        if row_now is not None and column_now is not None:
            desk.annotate(desk.opened, address(row_now, column_now), text)
    return rows


def _opened_up(count: int, first: int, new: int) -> list[int | None]:
    """Which of so many rows or columns stands at each place after new ones have come in before one of them."""
    return [*range(first), *[None] * new, *range(first, count)]


def _operands(rows: Rows, start: str | None, end: str | None, cells: list[str] | None) -> list[float]:
    if cells:
        return [number for cell in cells for number in _numbers(rows, cell)]
    if start is None or end is None:
        raise ToolError("Give position_list, or start_position and end_position.")
    return _numbers(rows, f"{start}:{end}")


@tool({}, seconds=0.1)
def get_sheet_names(desk: Desk) -> list[str]:
    """Get the names of all sheets."""
    return [name for name in desk.workbook.sheets if desk.rows(name) is not None]


@tool({"name": "Grades May"}, seconds=READ)
def open_sheet(desk: Desk, name: str) -> dict[str, Any]:
    """Open a sheet by name.

    Args:
        desk: Its `opened` becomes the sheet, on which all tools without a sheet's name then work.
        name: Of the sheet.
    """
    rows = desk.rows(name)
    if rows is None:
        raise ToolError(f"There is no sheet {shorten(name, 30)!r}; the sheets are {_names(desk)}.")
    desk.opened = name
    return {"message": f"Opened {name}.", "rows": len(rows), "columns": len(rows[0])}


@tool({"name": "Grades May"}, seconds=WRITE)
def del_sheet(desk: Desk, name: str) -> str:
    """Delete a sheet.

    Args:
        desk: Loses the sheet, and has no sheet open if that was the open one.
        name: Of the sheet.
    """
    if desk.rows(name) is None:
        raise ToolError(f"There is no sheet {shorten(name, 30)!r}; the sheets are {_names(desk)}.")
    desk.put(name, None)
    desk.opened = "" if desk.opened == name else desk.opened
    return f"Deleted {name}."


@tool({"dimension": "rows", "num": 1}, seconds=READ)
def freeze_data(desk: Desk, dimension: Literal["rows", "columns"], num: int) -> str:
    """Freeze the first rows, so that they stay where they are when the sheet is sorted, or the first columns.

    Args:
        desk: Keeps the number of frozen rows of its open sheet; of columns none, since nothing sorts them.
        dimension: What is frozen.
        num: How many, from 1; the titles are frozen in any case.
    """
    rows = _here(desk)
    if not 1 <= num <= len(rows):
        raise ToolError(f"Between 1 and {len(rows)} rows or columns can be frozen, got {num}.")
    if dimension == "rows":
        desk.frozen.pop(desk.opened, None)
        if num > 1:
            desk.frozen[desk.opened] = num
    return f"Froze {num} {dimension}."


@tool({"row": 2, "col": 3}, seconds=0.0)
def get_A1_annotation(desk: Desk, row: int, col: int) -> str:  # noqa: N802  # the published name
    """Translate row and column into the name of the cell.

    Args:
        desk: Not read; no sheet need be open.
        row: From 1.
        col: From 1.
    """
    if not (1 <= row <= LONGEST and 1 <= col <= COLUMNS):
        raise ToolError(f"Rows are 1 to {LONGEST}, columns 1 to {COLUMNS}, got {row} and {col}.")
    return address(row - 1, col - 1)


@tool({"values_list": [["Total", 12, 15]], "col_idx": 8}, seconds=WRITE)
def insert_cols(desk: Desk, values_list: list[list[Any]], col_idx: int = 1) -> list[list[Cell]]:
    """Insert columns before a column; missing cells stay empty.

    Args:
        desk: Its open sheet gets the columns.
        values_list: A list of columns, each a list of its values, the title first; formulas are allowed.
        col_idx: The place of the first new column, from 1.
    """
    rows = _here(desk)
    if not values_list or not 1 <= col_idx <= len(rows[0]) + 1:
        raise ToolError(f"Give columns and a col_idx from 1 to {len(rows[0]) + 1}, got {col_idx}.")
    if any(len(column) > len(rows) for column in values_list):
        raise ToolError(f"A column has at most {len(rows)} values, as many as there are rows.")
    filled = [[_value(rows, value) for value in column] for column in values_list]
    made = [[column[at] if at < len(column) else "" for column in filled] for at in range(len(rows))]
    wider = [[*row[: col_idx - 1], *made[at], *row[col_idx - 1 :]] for at, row in enumerate(rows)]
    return _moved(desk, wider, right=_opened_up(len(rows[0]), col_idx - 1, len(filled)))


@tool({"values_list": [["Ada Young", "Class 1", "Red", 90, 85, 77, 93]], "row_idx": 2}, seconds=WRITE)
def insert_rows(desk: Desk, values_list: list[list[Any]], row_idx: int = 1) -> list[list[Cell]]:
    """Insert rows before a row; missing cells stay empty.

    Args:
        desk: Its open sheet gets the rows.
        values_list: A list of rows, each a list of its values; formulas are allowed.
        row_idx: The place of the first new row, from 1.
    """
    rows = _here(desk)
    if not values_list or not 1 <= row_idx <= len(rows) + 1:
        raise ToolError(f"Give rows and a row_idx from 1 to {len(rows) + 1}, got {row_idx}.")
    width = len(rows[0])
    if any(len(row) > width for row in values_list):
        raise ToolError(f"A row has at most {width} values, as many as there are columns.")
    made = [[_value(rows, value) for value in row] + [""] * (width - len(row)) for row in values_list]
    longer = [*map(list, rows[: row_idx - 1]), *made, *map(list, rows[row_idx - 1 :])]
    return _moved(desk, longer, down=_opened_up(len(rows), row_idx - 1, len(made)))


@tool({"dimension": "row", "index_list": [3, 5]}, seconds=WRITE)
def delete_batch_data(desk: Desk, dimension: Literal["row", "col"], index_list: list[int]) -> list[list[Cell]]:
    """Delete rows or columns.

    Args:
        desk: Its open sheet loses the rows or columns.
        dimension: What is deleted.
        index_list: Their numbers, from 1, as they are before anything is deleted.
    """
    rows = _here(desk)
    count = len(rows) if dimension == "row" else len(rows[0])
    gone = {index - 1 for index in index_list}
    if not gone or not all(0 <= index < count for index in gone):
        raise ToolError(f"index_list needs numbers from 1 to {count}, got {shorten(str(index_list), 30)}.")
    if len(gone) == count:
        raise ToolError("The whole sheet cannot be deleted this way; use del_sheet.")
    left = [at for at in range(count) if at not in gone]
    if dimension == "row":
        return _moved(desk, [list(rows[at]) for at in left], down=left)
    return _moved(desk, [[row[at] for at in left] for row in rows], right=left)


@tool({"position": "B2", "value": "=SUM(D2:G2)"}, seconds=WRITE)
def update_cell(desk: Desk, position: str, value: str | float) -> list[list[Cell]]:
    """Write a value or a formula into a cell.

    Args:
        desk: Its open sheet keeps the value, or what the formula gives now.
        position: The cell, such as B2.
        value: Text, a number, or a formula such as =D2*1.1 or =SUM(D2:G2), which is computed when it is written.
    """
    rows = _here(desk)
    row, column = _inside(rows, position)
    changed = [list(each) for each in rows]
    changed[row][column] = _value(rows, value)
    return _write(desk, changed)


@tool({"operator": "SUM", "result_position": "H2", "start_position": "D2", "end_position": "G2"}, seconds=WRITE)
def update_cell_by_formula(
    desk: Desk,
    operator: OPERATORS,
    result_position: str,
    start_position: str | None = None,
    end_position: str | None = None,
    position_list: list[str] | None = None,
) -> list[list[Cell]]:
    """Write the result of an operator over some cells into a cell.

    Args:
        desk: Its open sheet holds the cells, and gets the result.
        operator: What is computed; MINUS is the first number less all others.
        result_position: The cell that gets the result.
        start_position: Upper left cell of a range.
        end_position: Lower right cell of the range.
        position_list: Cells, in place of a range.
    """
    rows = _here(desk)
    row, column = _inside(rows, result_position)
    changed = [list(each) for each in rows]
    changed[row][column] = kept(FUNCTIONS[operator](_operands(rows, start_position, end_position, position_list)))
    return _write(desk, changed)


@tool({"start_position": "D2", "end_position": "D3", "values_list": [[12], ["=E3*2"]]}, seconds=WRITE)
def update_range(desk: Desk, start_position: str, end_position: str, values_list: list[list[Any]]) -> list[list[Cell]]:
    """Write values into a range.

    Args:
        desk: Its open sheet gets the values; formulas among them see the cells as they were before.
        start_position: Upper left cell.
        end_position: Lower right cell.
        values_list: A list of rows of the range's size; formulas are allowed.
    """
    rows = _here(desk)
    top, left, bottom, right = _area(rows, start_position, end_position)
    height, width = bottom - top + 1, right - left + 1
    if len(values_list) != height or any(len(row) != width for row in values_list):
        raise ToolError(f"values_list must have {height} rows of {width} values, as the range has.")
    changed = [list(each) for each in rows]
    for at, row in enumerate(values_list):
        changed[top + at][left : right + 1] = [_value(rows, value) for value in row]
    return _write(desk, changed)


@tool({"col_num": 4, "order": "des"}, seconds=WRITE)
def sort_sheet_by_col(desk: Desk, col_num: int, order: Literal["asc", "des"]) -> list[list[Cell]]:
    """Sort the rows below the frozen ones by a column: numbers, then texts; equal rows keep their order.

    Args:
        desk: Its open sheet is sorted, and its `frozen` tells how many rows on top stay.
        col_num: The column, from 1.
        order: Ascending or descending.
    """
    rows = _here(desk)
    if not 1 <= col_num <= len(rows[0]):
        raise ToolError(f"col_num is from 1 to {len(rows[0])}, got {col_num}.")
    fixed = desk.frozen.get(desk.opened, 1)
    key = [_rank(row[col_num - 1]) for row in rows[fixed:]]
    places = sorted(range(len(key)), key=key.__getitem__, reverse=order == "des")
    down = [*range(fixed), *(fixed + at for at in places)]
    return _moved(desk, [list(rows[at]) for at in down], down=down)


def _rank(cell: Cell) -> tuple[int, float, str]:
    return (1, 0.0, cell) if isinstance(cell, str) else (0, float(cell), "")


@tool({"start_position": "A1", "end_position": "B1"}, seconds=WRITE)
def merge_cells(desk: Desk, start_position: str, end_position: str) -> list[list[Cell]]:
    """Merge cells: all of them show what the upper left one holds.

    Args:
        desk: Its open sheet gets the upper left value into all cells of the range.
        start_position: Upper left cell.
        end_position: Lower right cell.
    """
    rows = _here(desk)
    top, left, bottom, right = _area(rows, start_position, end_position)
    changed = [list(each) for each in rows]
    for row in changed[top : bottom + 1]:
        row[left : right + 1] = [rows[top][left]] * (right - left + 1)
    return _write(desk, changed)


@tool({"position": "A4", "content": "checked"}, seconds=WRITE)
def update_note(desk: Desk, position: str, content: str) -> str:
    """Put a note on a cell, in place of the one it has.

    Args:
        desk: Keeps the note for the cell of its open sheet, unless the workbook has the same one.
        position: The cell.
        content: The note; empty takes it away.
    """
    cell = address(*_inside(_here(desk), position))
    desk.annotate(desk.opened, cell, content)
    return f"Updated! the {cell}'s note is {content}"


@tool({"position": "A4"}, seconds=READ)
def get_note(desk: Desk, position: str) -> str:
    """Get the note on a cell; empty if it has none.

    Args:
        desk: Its open sheet is looked at; not changed.
        position: The cell.
    """
    row, column = _inside(_here(desk), position)
    return desk.note(desk.opened, address(row, column))


@tool({}, seconds=READ)
def get_all_values(desk: Desk) -> list[list[Cell]]:
    """Get all values of the open sheet, row by row."""
    return [list(row) for row in _here(desk)]


@tool({"start_position": "A1", "end_position": "C4"}, seconds=READ)
def get_range_values(desk: Desk, start_position: str, end_position: str) -> list[list[Cell]]:
    """Get the values of a range, row by row.

    Args:
        desk: Its open sheet is read; not changed.
        start_position: Upper left cell.
        end_position: Lower right cell.
    """
    rows = _here(desk)
    top, left, bottom, right = _area(rows, start_position, end_position)
    return [list(row[left : right + 1]) for row in rows[top : bottom + 1]]


@tool({"position": "B2"}, seconds=READ)
def get_cell_value(desk: Desk, position: str) -> Cell:
    """Get the value of a cell.

    Args:
        desk: Its open sheet is read; not changed.
        position: The cell.
    """
    rows = _here(desk)
    row, column = _inside(rows, position)
    return rows[row][column]


@tool({"operator": "MAX", "start_position": "D2", "end_position": "D9"}, seconds=READ)
def get_value_by_formula(
    desk: Desk,
    operator: OPERATORS,
    start_position: str | None = None,
    end_position: str | None = None,
    position_list: list[str] | None = None,
) -> int | float:
    """Compute an operator over some cells without writing it.

    Args:
        desk: Its open sheet holds the cells; not changed.
        operator: What is computed; MINUS is the first number less all others.
        start_position: Upper left cell of a range.
        end_position: Lower right cell of the range.
        position_list: Cells, in place of a range.
    """
    return kept(FUNCTIONS[operator](_operands(_here(desk), start_position, end_position, position_list)))


@tool({"query": "Class 1|Class 2", "in_column": 2}, seconds=READ)
def filter_cells(desk: Desk, query: str, in_row: int | None = None, in_column: int | None = None) -> list[str]:
    """Find cells that hold a text, and get their names.

    Args:
        desk: Its open sheet is searched, titles included; not changed.
        query: The whole text of a cell in any case; * stands for any characters, | parts alternatives.
        in_row: Only in this row, from 1.
        in_column: Only in this column, from 1.
    """
    wanted = [part.casefold() for part in query.split("|")]
    return [
        address(row, column)
        for row, cells in enumerate(_here(desk))
        for column, cell in enumerate(cells)
        if in_row in (None, row + 1) and in_column in (None, column + 1)
        if any(_matches(part, str(cell).casefold()) for part in wanted)
    ]


def _matches(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern in which * stands for anything; the parts between are looked for from the left."""
    first, *parts = pattern.split("*")
    if not parts:
        return text == first
    *middle, last = parts
    at = len(first)
    if not text.startswith(first) or not text.endswith(last) or len(text) < at + len(last):
        return False
    end = len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


TOOLBOX = Toolbox(
    (
        get_sheet_names, open_sheet, del_sheet, freeze_data, get_A1_annotation, insert_cols, insert_rows,
        delete_batch_data, update_cell, update_cell_by_formula, update_range, sort_sheet_by_col, merge_cells,
        update_note, get_note, get_all_values, get_range_values, get_cell_value, get_value_by_formula, filter_cells,
    ),
    FINISH,
    RULES,
)  # fmt: skip
