"""Questions about the tables of a workbook."""

from __future__ import annotations

from collections import Counter

from agentgym.envs._kit.tools import EXACT, Program, Unfit, best, several
from agentgym.envs.tools._sheet.slots import BOOK, mean, sums, table, top, total


@BOOK.ask(
    "number", 2,
    'In "{sheet}", what is the "{column}" of "{key}"?',
    'Look up the "{column}" of "{key}" in the sheet "{sheet}".',
    'Which number stands under "{column}" for "{key}" in "{sheet}"?',
)  # fmt: skip
def _cell_of_key(sheet: str, column: str, key: str) -> Program:
    return (yield from table(sheet)).of(key)[column]


@BOOK.ask(
    "name", 2,
    'In "{sheet}", which "{group}" does "{key}" have?',
    'What stands under "{group}" for "{key}" in the sheet "{sheet}"?',
    'Find the "{group}" of "{key}" ("{sheet}").',
)  # fmt: skip
def _group_of_key(sheet: str, group: str, key: str) -> Program:
    return (yield from table(sheet)).of(key)[group]


@BOOK.ask(
    "name", 1,
    'What is the title of column {top} in "{sheet}"?',
    'What is column number {top} of the sheet "{sheet}" called?',
    'Give the title at the head of column {top} of "{sheet}".',
)  # fmt: skip
def _title_of_column(sheet: str, top: int) -> Program:
    return (yield from table(sheet)).header[top - 1]


@BOOK.ask(
    "number", 2,
    'What is the sum of "{column}" over the rows of "{sheet}" whose "{group}" is "{value}"?',
    'Add up "{column}" in "{sheet}" for "{group}" "{value}".',
    'In the sheet "{sheet}", how much is "{column}" in all where "{group}" is "{value}"?',
    'Total the "{column}" of all rows with "{group}" "{value}" in "{sheet}".',
)  # fmt: skip
def _sum_of_group(sheet: str, column: str, group: str, value: str) -> Program:
    return total((yield from table(sheet)).where(group, value), column)


@BOOK.ask(
    "number", 2,
    'What is the mean "{column}" of the rows of "{sheet}" whose "{group}" is "{value}"? Give two decimals.',
    'On average, how much is "{column}" for "{group}" "{value}" in "{sheet}"? Give two decimals.',
    'In "{sheet}", average the "{column}" where "{group}" is "{value}", to two decimals.',
)  # fmt: skip
def _mean_of_group(sheet: str, column: str, group: str, value: str) -> Program:
    return mean((yield from table(sheet)).where(group, value), column)


@BOOK.ask(
    "number", 2,
    'How many rows of "{sheet}" have a "{column}" above {limit}?',
    'Count the rows in "{sheet}" with more than {limit} under "{column}".',
    'In the sheet "{sheet}", for how many rows is "{column}" greater than {limit}?',
)  # fmt: skip
def _count_above(sheet: str, column: str, limit: float) -> Program:
    return several(sum(row[column] > limit for row in (yield from table(sheet)).rows))


@BOOK.ask(
    "number", 3,
    'How many rows of "{sheet}" with "{group}" "{value}" have a "{column}" of at most {limit}?',
    'Count the rows in "{sheet}" whose "{group}" is "{value}" and whose "{column}" is {limit} or less.',
    'Among the rows of "{sheet}" with "{value}" under "{group}", how many have a "{column}" up to {limit}?',
)  # fmt: skip
def _count_in_group_below(sheet: str, group: str, value: str, column: str, limit: float) -> Program:
    return several(sum(row[column] <= limit for row in (yield from table(sheet)).where(group, value)))


@BOOK.ask(
    "number", 2,
    'How many rows of "{sheet}" have the "{group}" "{value}" or "{other_value}"?',
    'Count the rows in "{sheet}" whose "{group}" is either "{value}" or "{other_value}".',
    'In "{sheet}", how often does "{value}" or "{other_value}" stand under "{group}"?',
)  # fmt: skip
def _count_either(sheet: str, group: str, value: str, other_value: str) -> Program:
    return several(sum(row[group] in (value, other_value) for row in (yield from table(sheet)).rows))


@BOOK.ask(
    "number", 2,
    'How many different pairs of "{group}" and "{other_group}" occur in "{sheet}"?',
    'Count the distinct combinations of "{group}" and "{other_group}" in the sheet "{sheet}".',
    'In "{sheet}", how many combinations of "{group}" with "{other_group}" are there, each counted once?',
)  # fmt: skip
def _different_pairs(sheet: str, group: str, other_group: str) -> Program:
    return len({(row[group], row[other_group]) for row in (yield from table(sheet)).rows})


@BOOK.ask(
    "number", 2,
    'By how much does the "{column}" of "{key}" exceed that of "{other_key}" in "{sheet}"?',
    'In "{sheet}", what is the "{column}" of "{key}" minus the "{column}" of "{other_key}"?',
    'How much greater is "{column}" for "{key}" than for "{other_key}" in the sheet "{sheet}"?',
)  # fmt: skip
def _difference_of_keys(sheet: str, column: str, key: str, other_key: str) -> Program:
    found = yield from table(sheet)
    return round(found.of(key)[column] - found.of(other_key)[column], 4)


@BOOK.ask(
    "number", 2,
    'What is the difference between the greatest and the least "{column}" in "{sheet}" for "{group}" "{value}"?',
    'In "{sheet}", how far apart are the highest and the lowest "{column}" where "{group}" is "{value}"?',
    'Compute the range of "{column}" (greatest minus least) over the rows of "{sheet}" with "{group}" "{value}".',
)  # fmt: skip
def _range_of_group(sheet: str, column: str, group: str, value: str) -> Program:
    values = [row[column] for row in (yield from table(sheet)).where(group, value)]
    return round(max(values) - min(values), 4) if values else 0


@BOOK.ask(
    "number", 3,
    'What percentage of the total "{column}" in "{sheet}" falls to "{group}" "{value}"? Give two decimals.',
    'Of all "{column}" in "{sheet}", how many percent belong to "{group}" "{value}"? Give two decimals.',
    'In "{sheet}", which share of "{column}", in percent to two decimals, has "{value}" under "{group}"?',
)  # fmt: skip
def _percent_of_total(sheet: str, column: str, group: str, value: str) -> Program:
    found = yield from table(sheet)
    whole = total(found.rows, column)
    return round(100 * total(found.where(group, value), column) / whole, EXACT) if whole else 0


@BOOK.ask(
    "number", 3,
    'Multiply "{column}" by "{other_column}" in each row of "{sheet}" with "{group}" "{value}". What is the sum?',
    'In "{sheet}", what is the sum of "{column}" times "{other_column}" over the rows whose "{group}" is "{value}"?',
    'Over the rows of "{sheet}" with "{value}" under "{group}", sum the products of "{column}" and "{other_column}".',
)  # fmt: skip
def _sum_of_products(sheet: str, column: str, other_column: str, group: str, value: str) -> Program:
    rows = (yield from table(sheet)).where(group, value)
    return round(sum(row[column] * row[other_column] for row in rows), 4)


@BOOK.ask(
    "number", 2,
    'What is the median "{column}" in "{sheet}"? With an even number of rows take the mean of the two in the middle.',
    'Find the median of "{column}" over all rows of "{sheet}", the mean of the middle two where their number is even.',
    'Sort "{column}" of "{sheet}" in your head: what is the median, or the mean of the two middle values?',
)  # fmt: skip
def _median(sheet: str, column: str) -> Program:
    values = sorted(row[column] for row in (yield from table(sheet)).rows)
    half = len(values) // 2
    return values[half] if len(values) % 2 else round((values[half - 1] + values[half]) / 2, 4)


@BOOK.ask(
    "number", 2,
    'What is the mean of the {top} greatest values of "{column}" in "{sheet}"? Give two decimals.',
    'In "{sheet}", average the {top} highest "{column}" values, to two decimals.',
    'Take the {top} largest "{column}" values of the sheet "{sheet}". What is their mean, to two decimals?',
)  # fmt: skip
def _mean_of_top(sheet: str, column: str, top: int) -> Program:
    values = sorted((row[column] for row in (yield from table(sheet)).rows), reverse=True)[:top]
    return round(sum(values) / top, EXACT)


@BOOK.ask(
    "number", 4,
    'What is the sum of "{column}" in "{sheet}" and of "{far_column}" in "{other_sheet}" taken together?',
    'Add the total of "{column}" ("{sheet}") to the total of "{far_column}" ("{other_sheet}"). What do you get?',
    'Sum up "{column}" in the sheet "{sheet}" and "{far_column}" in the sheet "{other_sheet}"; how much are both?',
)  # fmt: skip
def _sum_of_two_sheets(sheet: str, other_sheet: str, column: str, far_column: str) -> Program:
    first = total((yield from table(sheet)).rows, column)
    return round(first + total((yield from table(other_sheet)).rows, far_column), 4)


@BOOK.ask(
    "number", 4,
    'How many more rows than "{other_sheet}" does "{sheet}" have?',
    'By how many rows is the sheet "{sheet}" longer than "{other_sheet}"?',
    'What is the number of rows of "{sheet}" minus that of "{other_sheet}"?',
)  # fmt: skip
def _more_rows(sheet: str, other_sheet: str) -> Program:
    first = yield ("open_sheet", {"name": sheet})
    return first["rows"] - (yield ("open_sheet", {"name": other_sheet}))["rows"]


@BOOK.ask(
    "number", 3,
    'How many rows of "{sheet}" have a "{column}" above the mean "{column}" of the sheet?',
    'Count the rows in "{sheet}" whose "{column}" is greater than the average "{column}" of all rows.',
    'In "{sheet}", for how many rows does "{column}" lie above the mean of "{column}"?',
)  # fmt: skip
def _count_above_mean(sheet: str, column: str) -> Program:
    rows = (yield from table(sheet)).rows
    return sum(row[column] * len(rows) > total(rows, column) for row in rows)


@BOOK.ask(
    "name", 2,
    'Which row of "{sheet}" with "{group}" "{value}" has the greatest "{column}"? Name its first cell.',
    'In "{sheet}", who or what has the highest "{column}" among those with "{group}" "{value}"?',
    'Among the rows of "{sheet}" with "{value}" under "{group}", which one is first by "{column}"?',
)  # fmt: skip
def _greatest_in_group(sheet: str, group: str, value: str, column: str) -> Program:
    found = yield from table(sheet)
    return found.name(top(found.where(group, value), column, 1)[0])


@BOOK.ask(
    "name", 2,
    'Which row of "{sheet}" has the least "{column}" among those with a "{other_column}" above the mean?',
    'In "{sheet}", take the rows whose "{other_column}" is above the mean. Which of them has the lowest "{column}"?',
    'Of the rows of "{sheet}" with more "{other_column}" than the average row, name the one with the least "{column}".',
)  # fmt: skip
def _least_above_mean(sheet: str, column: str, other_column: str) -> Program:
    found = yield from table(sheet)
    above = [row for row in found.rows if row[other_column] * len(found.rows) > total(found.rows, other_column)]
    return found.name(top(above, column, 1, -1)[0])


@BOOK.ask(
    "name", 3,
    'Which "{group}" has the greatest total "{column}" in "{sheet}"?',
    'In "{sheet}", for which "{group}" is the sum of "{column}" the highest?',
    'Sum "{column}" by "{group}" in the sheet "{sheet}": which "{group}" comes first?',
)  # fmt: skip
def _group_with_most(sheet: str, group: str, column: str) -> Program:
    return best(sums((yield from table(sheet)).rows, group, column))


@BOOK.ask(
    "name", 3,
    'Which "{group}" has the highest mean "{column}" in "{sheet}"?',
    'In "{sheet}", for which "{group}" is the average "{column}" the greatest?',
    'Compare the mean "{column}" of each "{group}" in "{sheet}": which "{group}" leads?',
)  # fmt: skip
def _group_with_best_mean(sheet: str, group: str, column: str) -> Program:
    rows = (yield from table(sheet)).rows
    sizes = Counter(row[group] for row in rows)
    return best({key: round(value / sizes[key], 6) for key, value in sums(rows, group, column).items()})


@BOOK.ask(
    "name", 3,
    'Which "{group}" occurs most often in "{sheet}" among rows with a "{column}" of at least {limit}?',
    'In "{sheet}", look at the rows with {limit} or more under "{column}". Which "{group}" is the most frequent there?',
    'Counting only rows of "{sheet}" whose "{column}" is {limit} or above, which "{group}" comes up most?',
)  # fmt: skip
def _most_frequent_group(sheet: str, group: str, column: str, limit: float) -> Program:
    return best(Counter(row[group] for row in (yield from table(sheet)).rows if row[column] >= limit))


@BOOK.ask(
    "name", 3,
    'Which row of "{sheet}" has the highest ratio of "{column}" to "{other_column}"?',
    'In "{sheet}", for whom or what is "{column}" divided by "{other_column}" the greatest?',
    'Divide "{column}" by "{other_column}" in every row of "{sheet}": which row has the largest quotient?',
)  # fmt: skip
def _best_ratio(sheet: str, column: str, other_column: str) -> Program:
    found = yield from table(sheet)
    if any(row[other_column] == 0 for row in found.rows):
        raise Unfit
    return best({found.name(row): round(row[column] / row[other_column], 6) for row in found.rows})


@BOOK.ask(
    "list", 2,
    'Which rows of "{sheet}" have the "{group}" "{value}" and a "{column}" below {limit}?',
    'Name everything in "{sheet}" whose "{group}" is "{value}" and whose "{column}" is less than {limit}.',
    'In "{sheet}", what has "{value}" under "{group}" and less than {limit} under "{column}"?',
)  # fmt: skip
def _names_in_group_below(sheet: str, group: str, value: str, column: str, limit: float) -> Program:
    found = yield from table(sheet)
    return found.names(row for row in found.where(group, value) if row[column] < limit)


@BOOK.ask(
    "list", 2,
    'Which {top} rows of "{sheet}" have the greatest "{column}"?',
    'Name the top {top} of "{sheet}" by "{column}".',
    'In "{sheet}", who or what takes the first {top} places when ranked by "{column}", the greatest first?',
)  # fmt: skip
def _names_of_top(sheet: str, column: str, top: int) -> Program:
    found = yield from table(sheet)
    return found.names(_top(found.rows, column, top))


_top = top  # under a name that no argument has


@BOOK.ask(
    "list", 3,
    'Which values of "{group}" have a total "{column}" above the mean of these totals in "{sheet}"?',
    'Sum "{column}" by "{group}" in "{sheet}". For which "{group}" is the sum above the average sum?',
    'In "{sheet}", name every "{group}" whose total "{column}" is greater than the mean total over all of them.',
)  # fmt: skip
def _groups_above_mean(sheet: str, group: str, column: str) -> Program:
    found = sums((yield from table(sheet)).rows, group, column)
    return [key for key, value in found.items() if value * len(found) > sum(found.values())]


@BOOK.ask(
    "list", 3,
    'Which rows of "{sheet}" have the same "{group}" and "{other_group}" as "{key}"?',
    'In "{sheet}", who or what shares both "{group}" and "{other_group}" with "{key}"? Leave out "{key}".',
    'Name the other rows of "{sheet}" that agree with "{key}" in "{group}" and "{other_group}".',
)  # fmt: skip
def _names_like_key(sheet: str, group: str, other_group: str, key: str) -> Program:
    found = yield from table(sheet)
    mark = found.of(key)
    alike = [row for row in found.rows if all(row[title] == mark[title] for title in (group, other_group))]
    return found.names(row for row in alike if row is not mark)


@BOOK.ask(
    "text", 2,
    'What does the note on "{key}" in "{sheet}" say?',
    'Read the note on the cell of "{key}" in the sheet "{sheet}". What is its text?',
    'Which note is there on "{key}" in "{sheet}"?',
)  # fmt: skip
def _note_of_key(sheet: str, key: str) -> Program:
    found = yield from table(sheet)
    return (yield ("get_note", {"position": found.cell(found.of(key), found.header[0])}))


@BOOK.ask(
    "date", 2,
    'Which date stands under "{day}" for "{key}" in "{sheet}"?',
    'In "{sheet}", what is the "{day}" date of "{key}"?',
    'Look up "{key}" in the sheet "{sheet}": which day does it have under "{day}"?',
)  # fmt: skip
def _date_of_key(sheet: str, day: str, key: str) -> Program:
    return (yield from table(sheet)).of(key)[day]


@BOOK.ask(
    "date", 3,
    'In "{sheet}", what is the latest "{day}" of the rows whose "{group}" is "{value}"?',
    'Of all rows with "{group}" "{value}" in "{sheet}", which "{day}" comes last?',
    'Find the last day under "{day}" among the rows of "{sheet}" with "{value}" as the "{group}".',
)  # fmt: skip
def _latest_of_group(sheet: str, day: str, group: str, value: str) -> Program:
    found = (yield from table(sheet)).where(group, value)
    if len(found) < 2:
        raise Unfit
    return max(row[day] for row in found)


@BOOK.ask(
    "date", 3,
    'What is the "{day}" of the row with the greatest "{column}" in "{sheet}"?',
    'Which date stands under "{day}" where "{column}" is highest in the sheet "{sheet}"?',
    'In "{sheet}", find the row whose "{column}" tops all others: which day is its "{day}"?',
)  # fmt: skip
def _day_of_greatest(sheet: str, day: str, column: str) -> Program:
    (first,) = top((yield from table(sheet)).rows, column, 1)
    return first[day]


@BOOK.ask(
    "number", 3,
    'How many rows of "{sheet}" with "{group}" "{value}" have a "{day}" after {date}?',
    'Count the rows of "{sheet}" whose "{group}" is "{value}" and whose "{day}" is later than {date}.',
    'In "{sheet}", for how many rows with "{value}" under "{group}" does the "{day}" come after {date}?',
)  # fmt: skip
def _count_after(sheet: str, group: str, value: str, day: str, date: str) -> Program:
    return several(sum(row[day] > date for row in (yield from table(sheet)).where(group, value)))
