"""Questions of one row or one list: counts, sums, names, ranks, dates, shares."""

from __future__ import annotations

from collections.abc import Callable

from agentgym.envs.tools._sql.book import AGGREGATES, DIRECTIONS, TIMES, Gold, ask, known, name_of
from agentgym.envs.tools._sql.frame import Frame
from agentgym.envs.tools._sql.phrases import Field, Filter, part
from agentgym.envs.tools._sql.schema import Table

Make = Callable[..., Frame]


@ask("How many {rows} {where} are there?", "Count the {rows} {where}.", "What is the number of {rows} {where}?")
def count(q: Make, rows: Table, where: Filter) -> str:
    """The number of `rows` that pass `where`, which may be None, in one frame of `q`."""
    f = q(rows)
    return f"SELECT COUNT(*) {f.source(f.test(where))}"


@ask(
    "How many {rows} {where} and {also} are there?",
    "Of the {rows} {where}, how many are also ones {also}?",
    "Count the {rows} {where} and {also}.",
)
def count_both(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """The number of `rows` that pass both `where` and `also`, joined by AND in one frame of `q`."""
    f = q(rows)
    return f"SELECT COUNT(*) {f.source(f.test(where), f.test(also))}"


@ask("How many {rows} are there {where} or {also}?", "Count the {rows} {where} or {also}, each once.")
def count_either(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """The number of `rows` that pass `where` or `also`, joined by OR in one frame of `q`.

    A filter of None adds nothing; if both are None, the statement is faulty and the database refuses it.
    """
    f = q(rows)
    either = " OR ".join(test for test in (f.test(where), f.test(also)) if test)
    return f"SELECT COUNT(*) {f.source(f'({either})')}"


@ask(
    "How many {rows} {where} are there, leaving out those {also}?",
    "Count the {rows} {where}, but none of those {also}.",
)
def count_but(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """The number of `rows` that pass `where` and for which `also` is false or unknown, in one frame of `q`."""
    f = q(rows)
    barred = f"({f.test(also)}) IS NOT TRUE" if also else ""
    return f"SELECT COUNT(*) {f.source(f.test(where), barred)}"


@ask(
    "What is the {a} {number} of {rows} {where}?",
    "For the {rows} {where}, compute the {a} {number}.",
    "Give the {a} {number} among {rows} {where}.",
)
def aggregate(q: Make, a: str, number: Field, rows: Table, where: Filter) -> str:
    """One aggregate, `a` of `AGGREGATES`, of `number` over the `rows` that pass `where`, in one frame of `q`.

    Rows without a value of it do not count.
    """
    f = q(rows)
    return f"SELECT {AGGREGATES[a]}({f.value(number)}) {f.source(f.test(where))}"


@ask(
    "What are the lowest, the average and the highest {number} of {rows} {where}?",
    "Of the {rows} {where}, give lowest, average and highest {number}, in this order.",
)
def three_aggregates(q: Make, number: Field, rows: Table, where: Filter) -> str:
    """MIN, AVG and MAX, in this order, of `number` over the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    value = f.value(number)
    return f"SELECT MIN({value}), AVG({value}), MAX({value}) {f.source(f.test(where))}"


@ask(
    "How far apart are the highest and the lowest {number} of {rows} {where}?",
    "What is the range of {number} among {rows} {where}?",
)
def spread(q: Make, number: Field, rows: Table, where: Filter) -> str:
    """MAX less MIN of `number` over the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return f"SELECT MAX({f.value(number)}) - MIN({f.value(number)}) {f.source(f.test(where))}"


@ask(
    "What are the names of the {rows} {where}?",
    "List the {rows} {where} by name.",
    "Name all {rows} {where}.",
    named="rows",
)
def names(q: Make, rows: Table, where: Filter) -> str:
    """The names of the `rows` that pass `where`, in any order and with repetitions, in one frame of `q`."""
    f = q(rows)
    return f"SELECT {f.bare(name_of(rows))} {f.source(f.test(where))}"


@ask(
    "Which {rows} {where} and {also} are there? Give their names.", "Name the {rows} {where} and {also}.", named="rows"
)
def names_both(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """The names of the `rows` that pass both `where` and `also`, in any order, in one frame of `q`."""
    f = q(rows)
    return f"SELECT {f.bare(name_of(rows))} {f.source(f.test(where), f.test(also))}"


@ask(
    "List name and {number} of the {rows} {where}.",
    "For all {rows} {where}, give the name and the {number}.",
    named="rows",
)
def names_with_number(q: Make, number: Field, rows: Table, where: Filter) -> str:
    """Name and `number` of the `rows` that pass `where` and have a value of it, in one frame of `q`."""
    f = q(rows)
    return f"SELECT {f.bare(name_of(rows))}, {f.value(number)} {f.source(f.test(where), known(f, number))}"


@ask("Which different values of {group} occur among {rows} {where}?", "List each {group} of {rows} {where} once.")
def distinct(q: Make, group: Field, rows: Table, where: Filter) -> str:
    """The different values of `group` among the `rows` that pass `where`, in any order, in one frame of `q`."""
    f = q(rows)
    return f"SELECT DISTINCT {f.value(group)} {f.source(f.test(where))}"


@ask(
    "How many different values of {group} occur among {rows} {where}?",
    "Count the different {group} values of {rows} {where}.",
)
def count_distinct(q: Make, group: Field, rows: Table, where: Filter) -> str:
    """How many values of `group`, NULL not counted, the `rows` that pass `where` have, in one frame of `q`."""
    f = q(rows)
    return f"SELECT COUNT(DISTINCT {f.value(group)}) {f.source(f.test(where))}"


def _ranked(f: Frame, select: str, rank: str, where: tuple[str, ...], limit: int, ordered: bool) -> Gold:
    source = f.source(*where)
    order = f"ORDER BY {rank} LIMIT"
    keys = f"SELECT {rank.rpartition(' ')[0]} {source} {order} {limit + 1}"
    return Gold(f"SELECT {select} {source} {order} {limit}", ordered, keys, limit)


@ask(
    "Which of the {rows} {where} has the {o} {number}? Give its name.",
    "Name the one with the {o} {number} among the {rows} {where}.",
    named="rows",
)
def first(q: Make, rows: Table, where: Filter, o: str, number: Field) -> Gold:
    """The name of the one of `rows` with the highest or lowest `number`, as `o` says, in one frame of `q`.

    Only rows that pass `where` and have a value of it count; the first two values must differ.
    """
    f = q(rows)
    rank, test, there = f"{f.value(number)} {DIRECTIONS[o]}", f.test(where), known(f, number)
    return _ranked(f, f.bare(name_of(rows)), rank, (test, there), 1, False)


@ask(
    "Name the {k} {rows} {where} with the {o} {number}, beginning with the {o}.",
    "Which {k} {rows} {where} have the {o} {number}? Give the names in order, the {o} first.",
    named="rows",
)
def first_few(q: Make, k: int, rows: Table, where: Filter, o: str, number: Field) -> Gold:
    """The names of the `k` of `rows` with the highest or lowest `number`, as `o` says, in that order.

    Only rows that pass `where` and have a value of it count, in one frame of `q`; the first `k` + 1 values must differ.
    """
    f = q(rows)
    rank, test, there = f"{f.value(number)} {DIRECTIONS[o]}", f.test(where), known(f, number)
    return _ranked(f, f.bare(name_of(rows)), rank, (test, there), k, True)


@ask(
    "What is the {group} of the one with the {o} {number} among the {rows} {where}?",
    "Look for the {o} {number} among the {rows} {where}: which {group} does it have?",
)
def group_of_first(q: Make, group: Field, o: str, number: Field, rows: Table, where: Filter) -> Gold:
    """The `group` of the one of `rows` with the highest or lowest `number`, as `o` says, in one frame of `q`.

    Only rows that pass `where` and have a value of `number` count.
    """
    f = q(rows)
    select, rank = f.value(group), f"{f.value(number)} {DIRECTIONS[o]}"
    return _ranked(f, select, rank, (f.test(where), known(f, number)), 1, False)


@ask(
    "What is the {number} of the one with the {t} {day} among the {rows} {where}?",
    "Take the {rows} {where}: which {number} has the one with the {t} {day}?",
)
def number_of_latest(q: Make, number: Field, t: str, day: Field, rows: Table, where: Filter) -> Gold:
    """The `number` of the one of `rows` with the earliest or latest `day`, as `t` says, in one frame of `q`.

    Only rows that pass `where` and have a value of `day` count.
    """
    f = q(rows)
    select, rank = f.value(number), f"{f.value(day)} {TIMES[t]}"
    return _ranked(f, select, rank, (f.test(where), known(f, day)), 1, False)


@ask(
    "What is the {t} {day} of {rows} {where}, as YYYY-MM-DD?",
    "Give the {t} {day} among {rows} {where}, written YYYY-MM-DD.",
)
def extreme_day(q: Make, t: str, day: Field, rows: Table, where: Filter) -> str:
    """The earliest or latest `day`, as `t` says, of the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return f"SELECT {'MIN' if t == 'earliest' else 'MAX'}({f.value(day)}) {f.source(f.test(where))}"


@ask(
    "How many {rows} {where} have their {day} from {d} to {u}, both included?",
    "Count the {rows} {where} whose {day} lies in the days from {d} to {u}.",
)
def within_days(q: Make, rows: Table, where: Filter, day: Field, d: str, u: str) -> str:
    """The number of `rows` that pass `where` with a `day` from `d` to `u`, in one frame of `q`.

    Both are YYYY-MM-DD, however the column writes its days, and both are included.
    """
    f = q(rows)
    return f"SELECT COUNT(*) {f.source(f'{f.value(day)} BETWEEN {d!r} AND {u!r}', f.test(where))}"


@ask("How many {rows} {where} have their {day} on a {w}?", "Count the {rows} {where} whose {day} is a {w}.")
def on_weekday(q: Make, rows: Table, where: Filter, day: Field, w: str) -> str:
    """The number of `rows` that pass `where` whose `day` is a `w`, one of `WEEKDAYS`, in one frame of `q`."""
    f = q(rows)
    when = f"STRFTIME('%w', {f.value(day)}) = '{WEEKDAYS.index(w)}'"
    return f"SELECT COUNT(*) {f.source(when, f.test(where))}"


WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@ask(
    "How many days lie between the earliest and the latest {day} of {rows} {where}?",
    "Among the {rows} {where}, how many days after the first {day} is the last one?",
)
def days_spanned(q: Make, day: Field, rows: Table, where: Filter) -> str:
    """The days from the first `day` to the last one of the `rows` that pass `where`, in one frame of `q`.

    It is 0 if all are the same, and such an answer makes no question.
    """
    f = q(rows)
    when = f.value(day)
    return f"SELECT JULIANDAY(MAX({when})) - JULIANDAY(MIN({when})) {f.source(f.test(where))}"


@ask(
    "On average, how many days pass from {day} to {day2} of {rows} {where}?",
    "What is the average number of days between {day} and {day2} for {rows} {where}?",
)
def days_between(q: Make, day: Field, day2: Field, rows: Table, where: Filter) -> str:
    """The mean of the days from `day` to `day2` over the `rows` that pass `where`, in one frame of `q`.

    Rows that lack one of the two do not count.
    """
    f = q(rows)
    return f"SELECT AVG(JULIANDAY({f.value(day2)}) - JULIANDAY({f.value(day)})) {f.source(f.test(where))}"


@ask(
    "For how many {rows} {where} do more than {j} days pass from {day} to {day2}?",
    "Count the {rows} {where} with over {j} days between {day} and {day2}.",
)
def slow_ones(q: Make, rows: Table, where: Filter, j: int, day: Field, day2: Field) -> str:
    """The number of `rows` that pass `where` with more than `j` days from `day` to `day2`, in one frame of `q`."""
    f = q(rows)
    passed = f"JULIANDAY({f.value(day2)}) - JULIANDAY({f.value(day)}) > {j}"
    return f"SELECT COUNT(*) {f.source(passed, f.test(where))}"


@ask(
    "What percentage of the {rows} {where} are ones {also}?",
    "Of the {rows} {where}, which percentage are ones {also}?",
    "Give the share, in percent, of those {also} among the {rows} {where}.",
)
def percentage(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """Which share, from 0 to 100, of the `rows` that pass `where` passes `also` too, in one frame of `q`."""
    f = q(rows)
    hit = f.test(also) or "1"
    return f"SELECT 100.0 * SUM(CASE WHEN {hit} THEN 1 ELSE 0 END) / COUNT(*) {f.source(f.test(where))}"


@ask(
    "How many {rows} {where} are there for each of the {rows} {also}? Give the ratio.",
    "Divide the number of {rows} {where} by the number of {rows} {also}.",
)
def ratio(q: Make, rows: Table, where: Filter, also: Filter) -> str:
    """The number of `rows` that pass `where`, divided by that of those that pass `also`, in one frame of `q`.

    Rows that pass both count on both sides.
    """
    f = q(rows)
    one, other = (f"SUM(CASE WHEN {test or '1'} THEN 1 ELSE 0 END)" for test in (f.test(where), f.test(also)))
    return f"SELECT CAST({one} AS REAL) / {other} {f.source()}"


@ask(
    "By how much does the average {number} of {rows} {where} exceed that of {rows} {also}?",
    "Subtract the average {number} of {rows} {also} from that of {rows} {where}.",
)
def difference(q: Make, number: Field, rows: Table, where: Filter, also: Filter) -> str:
    """The mean `number` of the `rows` that pass `where` less that of those that pass `also`, in one frame of `q`."""
    f = q(rows)
    value = f.value(number)
    one, other = (f"AVG(CASE WHEN {test or '1'} THEN {value} END)" for test in (f.test(where), f.test(also)))
    return f"SELECT {one} - {other} {f.source()}"


@ask(
    "How many {rows} {where} have no {gappy} on record, and which percentage of them is that?",
    "Count the {rows} {where} without a recorded {gappy}, and give their percentage of all {rows} {where}.",
)
def missing(q: Make, rows: Table, where: Filter, gappy: Field) -> str:
    """The number and the percentage of those `rows` that pass `where` and have NULL in `gappy`, in one frame of `q`."""
    f = q(rows)
    gone = f"COUNT(*) - COUNT({f.bare(gappy)})"
    return f"SELECT {gone}, 100.0 * ({gone}) / COUNT(*) {f.source(f.test(where))}"


@ask(
    "What is the average {gappy} of {rows} {where} if one that is not recorded counts as 0?",
    "Counting an unrecorded {gappy} as 0, what is the average {gappy} of {rows} {where}?",
)
def average_with_zero(q: Make, gappy: Field, rows: Table, where: Filter) -> str:
    """The mean of `gappy`, with 0 for NULL, over the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return f"SELECT AVG(COALESCE({f.value(gappy)}, 0)) {f.source(f.test(where))}"


@ask(
    "What is the sum over {rows} {where} of {number} times {number2}?",
    "For the {rows} {where}, multiply {number} by {number2} and add everything up.",
)
def product(q: Make, rows: Table, where: Filter, number: Field, number2: Field) -> str:
    """The sum of `number` times `number2` over the `rows` that pass `where` and have both, in one frame of `q`."""
    f = q(rows)
    return f"SELECT SUM({f.value(number)} * {f.value(number2)}) {f.source(f.test(where))}"


@ask(
    "For {rows} {where}, what is the total {number} divided by the total {number2}?",
    "Divide the total {number} of {rows} {where} by their total {number2}.",
)
def quotient(q: Make, rows: Table, where: Filter, number: Field, number2: Field) -> str:
    """The sum of `number` divided by the sum of `number2` over the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return f"SELECT 1.0 * SUM({f.value(number)}) / SUM({f.value(number2)}) {f.source(f.test(where))}"


@ask(
    "Which {rows} {where} have a name that begins with {i}?",
    "List the names of {rows} {where} that start with {i}.",
    named="rows",
)
def begin_with(q: Make, rows: Table, where: Filter, i: str) -> str:
    """The names of the `rows` that pass `where` and begin with the letter `i`, in any case, in one frame of `q`."""
    f = q(rows)
    name = f.bare(name_of(rows))
    begins = f"{name} LIKE '{i}%'"
    return f"SELECT {name} {f.source(begins, f.test(where))}"


@ask(
    "What is the longest name, in characters, among the {rows} {where}, and how long is it?",
    "Give the name with the most characters among the {rows} {where}, and how many it has.",
    named="rows",
)
def longest_name(q: Make, rows: Table, where: Filter) -> Gold:
    """The longest name of the `rows` that pass `where`, with its length in characters, in one frame of `q`."""
    f = q(rows)
    name = f.bare(name_of(rows))
    return _ranked(f, f"{name}, LENGTH({name})", f"LENGTH({name}) DESC", (f.test(where),), 1, False)


@ask(
    "In which year do most {rows} {where} have their {day}?",
    "What is the most frequent year of the {day} among {rows} {where}?",
)
def busiest_year(q: Make, rows: Table, where: Filter, day: Field) -> Gold:
    """The year of `day` with most of the `rows` that pass `where`, as text, in one frame of `q`."""
    f = q(rows)
    year = part(day.column, f.bare(day), "year")
    source = f"{f.source(f.test(where), known(f, day))} GROUP BY {year} ORDER BY COUNT(*) DESC LIMIT"
    return Gold(f"SELECT {year} {source} 1", False, f"SELECT COUNT(*) {source} 2")
