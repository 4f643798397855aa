"""Tasks that change the workbook."""

from __future__ import annotations

import re

from agentgym.envs._kit.tools import Program, Unfit
from agentgym.envs.tools._sheet.cells import address
from agentgym.envs.tools._sheet.slots import BOOK, cents, mean, sort, sums, table, top, total

NOTE = re.compile(r"Set (?P<column>.+) to (?P<value>\d+(?:\.\d+)?)\.")


@BOOK.ask(
    "state", 2,
    'In "{sheet}", set the "{column}" of "{key}" to {number}.',
    'Change "{column}" of "{key}" in the sheet "{sheet}" to {number}.',
    'The "{column}" of "{key}" in "{sheet}" is wrong; it should be {number}.',
)  # fmt: skip
def _set_cell(sheet: str, column: str, key: str, number: int) -> Program:
    found = yield from table(sheet)
    yield ("update_cell", {"position": found.cell(found.of(key), column), "value": number})


@BOOK.ask(
    "state", 2,
    'Raise the "{column}" of "{key}" in "{sheet}" by {number}.',
    'Add {number} to the "{column}" of "{key}" ("{sheet}").',
    'In "{sheet}", "{key}" gets {number} more under "{column}".',
)  # fmt: skip
def _raise_cell(sheet: str, column: str, key: str, number: int) -> Program:
    found = yield from table(sheet)
    row = found.of(key)
    yield ("update_cell", {"position": found.cell(row, column), "value": round(row[column] + number, 4)})


@BOOK.ask(
    "state", 2,
    'Sort "{sheet}" by "{column}" in descending order.',
    'Order the rows of "{sheet}" from the greatest to the least "{column}".',
    'Rank the sheet "{sheet}" by "{column}", the highest first.',
)  # fmt: skip
def _sort_down(sheet: str, column: str) -> Program:
    yield sort((yield from table(sheet)), column, "des")


@BOOK.ask(
    "state", 3,
    'Sort "{sheet}" by "{group}" in ascending order, and rows of equal "{group}" by "{column}", the greatest first.',
    'Group the rows of "{sheet}" by "{group}" from A to Z; within each, order them by descending "{column}".',
    'In "{sheet}", bring the rows into ascending order of "{group}" and, inside it, descending order of "{column}".',
)  # fmt: skip
def _sort_twice(sheet: str, group: str, column: str) -> Program:
    found = yield from table(sheet)
    yield sort(found, column, "des")
    yield sort(found, group, "asc")


@BOOK.ask(
    "state", 2,
    'Delete the rows of "{sheet}" whose "{group}" is "{value}".',
    'Remove everything with "{group}" "{value}" from the sheet "{sheet}".',
    'In "{sheet}", drop all rows that have "{value}" under "{group}".',
)  # fmt: skip
def _delete_group(sheet: str, group: str, value: str) -> Program:
    found = yield from table(sheet)
    yield found.delete(found.where(group, value))


@BOOK.ask(
    "state", 3,
    'Keep only the rows of "{sheet}" with a "{column}" above {limit}, sorted by "{other_column}", the greatest first.',
    'Delete the rows of "{sheet}" with a "{column}" of {limit} or less, then sort by "{other_column}", greatest first.',
    'Filter "{sheet}" down to "{column}" above {limit} and order what is left by descending "{other_column}".',
)  # fmt: skip
def _filter_and_sort(sheet: str, column: str, limit: float, other_column: str) -> Program:
    found = yield from table(sheet)
    gone = [row for row in found.rows if row[column] <= limit]
    if len(gone) > len(found.rows) - 2:
        raise Unfit
    yield found.delete(gone)
    yield sort(found, other_column, "des")


@BOOK.ask(
    "state", 3,
    'Delete the {top} rows of "{sheet}" with the least "{column}".',
    'Remove the {top} rows that have the lowest "{column}" from "{sheet}".',
    'In "{sheet}", the last {top} by "{column}" shall go; delete their rows.',
)  # fmt: skip
def _delete_last(sheet: str, top: int, column: str) -> Program:
    found = yield from table(sheet)
    yield found.delete(sorted(_top(found.rows, column, top, -1), key=lambda row: row["line"]))


@BOOK.ask(
    "state", 3,
    'Increase the "{column}" of the {top} rows of "{sheet}" with the least "{other_column}" by {number} each.',
    'In "{sheet}", the {top} rows with the lowest "{other_column}" get {number} more "{column}" each.',
    'Give {number} extra under "{column}" to each of the {top} rows of "{sheet}" that have the least "{other_column}".',
)  # fmt: skip
def _raise_last(sheet: str, column: str, top: int, other_column: str, number: int) -> Program:
    found = yield from table(sheet)
    for row in _top(found.rows, other_column, top, -1):
        yield ("update_cell", {"position": found.cell(row, column), "value": round(row[column] + number, 4)})


@BOOK.ask(
    "state", 3,
    'In "{sheet}", raise "{column}" by {percent} percent where "{group}" is "{value}". Round to two decimals.',
    'Increase the "{column}" of all rows of "{sheet}" with "{group}" "{value}" by {percent} percent, to two decimals.',
    'For "{group}" "{value}" in "{sheet}", "{column}" goes up by {percent} percent; keep two decimals.',
)  # fmt: skip
def _raise_group(sheet: str, column: str, percent: int, group: str, value: str) -> Program:
    found = yield from table(sheet)
    for row in found.where(group, value):
        cents(row[column] * (100 + percent) / 100)
        formula = f"=ROUND({found.cell(row, column)}*{100 + percent}/100, 2)"
        yield ("update_cell", {"position": found.cell(row, column), "value": formula})


@BOOK.ask(
    "state", 3,
    'Lower every "{column}" in "{sheet}" that is above {limit} to {limit}.',
    'Cap "{column}" in "{sheet}" at {limit}.',
    'No "{column}" in "{sheet}" may be greater than {limit}; set those that are to {limit}.',
)  # fmt: skip
def _cap(sheet: str, column: str, limit: float) -> Program:
    found = yield from table(sheet)
    yield found.fill(column, [min(row[column], limit) for row in found.rows])


@BOOK.ask(
    "state", 3,
    'Add a column "{title}" on the right of "{sheet}" with the sum of "{column}" and "{other_column}" of each row.',
    'In "{sheet}", append a column "{title}" that holds "{column}" plus "{other_column}".',
    'Give "{sheet}" a last column "{title}": the total of "{column}" and "{other_column}" in every row.',
)  # fmt: skip
def _add_sum_column(sheet: str, title: str, column: str, other_column: str) -> Program:
    found = yield from table(sheet)
    cells = [(found.cell(row, column), found.cell(row, other_column)) for row in found.rows]
    yield found.append(title, [f"={first}+{second}" for first, second in cells])


@BOOK.ask(
    "state", 3,
    'Add a column "{title}" on the right of "{sheet}" with "{column}" times "{other_column}" of each row.',
    'In "{sheet}", append a column "{title}" that holds the product of "{column}" and "{other_column}".',
    'Give "{sheet}" a last column "{title}": "{column}" multiplied by "{other_column}" in every row.',
)  # fmt: skip
def _add_product_column(sheet: str, title: str, column: str, other_column: str) -> Program:
    found = yield from table(sheet)
    cells = [(found.cell(row, column), found.cell(row, other_column)) for row in found.rows]
    yield found.append(title, [f"={first}*{second}" for first, second in cells])


@BOOK.ask(
    "state", 4,
    'Sort "{sheet}" by "{column}", the greatest first, and add a last column "{title}" that numbers the rows from 1.',
    'Rank "{sheet}" by descending "{column}" and number the rows from 1 in a new last column "{title}".',
    'In "{sheet}", order the rows by "{column}" (highest first) and append a column "{title}" counting from 1.',
)  # fmt: skip
def _rank(sheet: str, column: str, title: str) -> Program:
    found = yield from table(sheet)
    yield sort(found, column, "des")
    yield found.append(title, list(range(1, len(found.rows) + 1)))


@BOOK.ask(
    "state", 3,
    'Add a column "{title}" on the right of "{sheet}" that says "high" where "{column}" is above the mean, else "low".',
    'In "{sheet}", append a column "{title}": "high" where "{column}" is above the average, "low" in the other rows.',
    'Mark each row of "{sheet}" in a new last column "{title}" as "high" (its "{column}" is above the mean) or "low".',
)  # fmt: skip
def _mark_above_mean(sheet: str, title: str, column: str) -> Program:
    found = yield from table(sheet)
    whole, count = total(found.rows, column), len(found.rows)
    yield found.append(title, ["high" if row[column] * count > whole else "low" for row in found.rows])


@BOOK.ask(
    "state", 2,
    'Add a row "{title}" at the end of "{sheet}" with the sum of "{column}" under "{column}", its other cells empty.',
    'Below the last row of "{sheet}", write a row "{title}" that holds only the total of "{column}" in that column.',
    'Close "{sheet}" with a row named "{title}": the sum of "{column}" in its column, nothing else.',
)  # fmt: skip
def _add_total_row(sheet: str, title: str, column: str) -> Program:
    found = yield from table(sheet)
    row: list[str | float] = [title, *[""] * (len(found.header) - 1)]
    row[found.header.index(column)] = total(found.rows, column)
    yield ("insert_rows", {"values_list": [row], "row_idx": len(found.rows) + 2})


@BOOK.ask(
    "state", 3,
    'Insert a row "{title}" as row 2 of "{sheet}": "{group}" "{value}", "{column}" {number}, other cells empty.',
    'Add "{title}" to "{sheet}" right below the titles, with "{group}" "{value}" and "{column}" {number}, else empty.',
    'In "{sheet}", a new row 2 is needed: "{title}", "{value}" under "{group}", {number} under "{column}", else empty.',
)  # fmt: skip
def _insert_row(sheet: str, title: str, group: str, value: str, column: str, number: int) -> Program:
    found = yield from table(sheet)
    given = {found.header[0]: title, group: value, column: number}
    yield ("insert_rows", {"values_list": [[given.get(name, "") for name in found.header]], "row_idx": 2})


@BOOK.ask(
    "state", 2,
    'Delete the column "{column}" from "{sheet}".',
    'Remove "{column}" with all its cells from the sheet "{sheet}".',
    'The column "{column}" of "{sheet}" is not needed; delete it.',
)  # fmt: skip
def _delete_column(sheet: str, column: str) -> Program:
    found = yield from table(sheet)
    yield ("delete_batch_data", {"dimension": "col", "index_list": [found.number(column)]})


@BOOK.ask(
    "state", 2,
    'Rename the column "{column}" of "{sheet}" to "{title}".',
    'In "{sheet}", the title "{column}" shall read "{title}".',
    'Give the column "{column}" in the sheet "{sheet}" the title "{title}".',
)  # fmt: skip
def _rename_column(sheet: str, column: str, title: str) -> Program:
    found = yield from table(sheet)
    yield ("update_cell", {"position": address(0, found.header.index(column)), "value": title})


@BOOK.ask(
    "state", 2,
    'Replace "{value}" by "{other_value}" under "{group}" in "{sheet}".',
    'In "{sheet}", whatever has the "{group}" "{value}" now gets "{other_value}" instead.',
    'Change each "{value}" in the column "{group}" of "{sheet}" to "{other_value}".',
)  # fmt: skip
def _replace_value(sheet: str, value: str, other_value: str, group: str) -> Program:
    found = yield from table(sheet)
    for row in found.where(group, value):
        yield ("update_cell", {"position": found.cell(row, group), "value": other_value})


@BOOK.ask(
    "state", 2,
    'Swap the "{column}" of "{key}" and "{other_key}" in "{sheet}".',
    'In "{sheet}", "{key}" and "{other_key}" shall exchange their "{column}".',
    'The "{column}" values of "{key}" and "{other_key}" in "{sheet}" were mixed up; exchange them.',
)  # fmt: skip
def _swap(sheet: str, column: str, key: str, other_key: str) -> Program:
    found = yield from table(sheet)
    first, second = found.of(key), found.of(other_key)
    yield ("update_cell", {"position": found.cell(first, column), "value": second[column]})
    yield ("update_cell", {"position": found.cell(second, column), "value": first[column]})


@BOOK.ask(
    "state", 2,
    'Put the note "{title}" on the cell of "{key}" in "{sheet}".',
    'In "{sheet}", the cell with "{key}" gets the note "{title}".',
    'Attach a note to "{key}" in the sheet "{sheet}" that reads "{title}".',
)  # fmt: skip
def _write_note(sheet: str, key: str, title: str) -> Program:
    found = yield from table(sheet)
    yield ("update_note", {"position": found.cell(found.of(key), found.header[0]), "content": title})


@BOOK.ask(
    "state", 4,
    'Update the rows of "{key}" and "{other_key}" in "{sheet}" as the notes on these two names say.',
    'In "{sheet}", there may be notes on "{key}" and on "{other_key}". Do what they say.',
    'Carry out the notes on the cells of "{key}" and "{other_key}" in the sheet "{sheet}".',
)  # fmt: skip
def _follow_notes(sheet: str, key: str, other_key: str) -> Program:
    found = yield from table(sheet)
    for name in (key, other_key):
        row = found.of(name)
        note = NOTE.fullmatch((yield ("get_note", {"position": found.cell(row, found.header[0])})))
        if note:
            yield ("update_cell", {"position": found.cell(row, note["column"]), "value": float(note["value"])})


@BOOK.ask(
    "state", 3,
    'Write the note "{title}" on every name of "{sheet}" with "{group}" "{value}" and a "{column}" above {limit}.',
    'In "{sheet}", attach the note "{title}" to each name whose "{group}" is "{value}" and whose "{column}" '
    "exceeds {limit}.",
    'Each first cell of "{sheet}" in a row with "{value}" under "{group}" and over {limit} under "{column}" gets the '
    'note "{title}".',
)  # fmt: skip
def _note_many(sheet: str, title: str, group: str, value: str, column: str, limit: float) -> Program:
    found = yield from table(sheet)
    for row in found.where(group, value):
        if row[column] > limit:
            yield ("update_note", {"position": found.cell(row, found.header[0]), "content": title})


@BOOK.ask(
    "state", 4,
    'Set the "{column}" of each row of "{sheet}" with "{group}" "{value}" to the mean of these rows, to two decimals.',
    'In "{sheet}", give all rows with "{group}" "{value}" the same "{column}": their mean, rounded to two decimals.',
    'Level "{column}" in "{sheet}" for "{group}" "{value}": each such row gets the mean of them, to two decimals.',
)  # fmt: skip
def _level(sheet: str, column: str, group: str, value: str) -> Program:
    found = yield from table(sheet)
    rows = found.where(group, value)
    level = cents(mean(rows, column))
    for row in rows:
        yield ("update_cell", {"position": found.cell(row, column), "value": level})


@BOOK.ask(
    "state", 4,
    'Keep only the rows of "{sheet}" whose "{group}" has the greatest total "{column}"; delete the others.',
    'In "{sheet}", find the "{group}" with the highest sum of "{column}" and delete all rows of any other "{group}".',
    'Reduce "{sheet}" to the rows of the one "{group}" that leads by total "{column}".',
)  # fmt: skip
def _keep_best_group(sheet: str, group: str, column: str) -> Program:
    found = yield from table(sheet)
    sizes = sums(found.rows, group, column)
    leaders = [key for key, value in sizes.items() if value == max(sizes.values())]
    if len(leaders) != 1:
        raise Unfit
    yield found.delete(row for row in found.rows if row[group] != leaders[0])


@BOOK.ask(
    "state", 2,
    'Merge the cells of "{group}" and "{other_group}" in the title row of "{sheet}" into one.',
    'In "{sheet}", the titles "{group}" and "{other_group}" stand side by side; merge the two cells.',
    'Merge the title cells of the columns "{group}" and "{other_group}" in the sheet "{sheet}".',
)  # fmt: skip
def _merge_titles(sheet: str, group: str, other_group: str) -> Program:
    found = yield from table(sheet)
    left, right = sorted((found.header.index(group), found.header.index(other_group)))
    yield ("merge_cells", {"start_position": address(0, left), "end_position": address(0, right)})


@BOOK.ask(
    "state", 1,
    'Delete the sheet "{sheet}".',
    'The sheet "{sheet}" is not needed any more; remove it as a whole.',
    'Take the sheet "{sheet}" out of the workbook.',
)  # fmt: skip
def _delete_sheet(sheet: str) -> Program:
    yield ("del_sheet", {"name": sheet})


@BOOK.ask(
    "state", 4,
    'Write the total "{far_column}" of "{other_sheet}" into the "{column}" of "{key}" in "{sheet}".',
    'Sum up "{far_column}" in "{other_sheet}" and make the result the "{column}" of "{key}" in "{sheet}".',
    'In "{sheet}", the "{column}" of "{key}" shall be the sum of "{far_column}" over all rows of "{other_sheet}".',
)  # fmt: skip
def _copy_total(sheet: str, other_sheet: str, column: str, far_column: str, key: str) -> Program:
    amount = total((yield from table(other_sheet)).rows, far_column)
    found = yield from table(sheet)
    yield ("update_cell", {"position": found.cell(found.of(key), column), "value": amount})


_top = top  # under a name that no argument has
