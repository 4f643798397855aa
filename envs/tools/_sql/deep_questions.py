"""Questions with sub-queries, set operations and windows."""

from __future__ import annotations

from collections.abc import Callable

from agentgym.envs.tools._sql.book import DIRECTIONS, Gold, Link, ask, known, name_of
from agentgym.envs.tools._sql.frame import Frame
from agentgym.envs.tools._sql.group_questions import joined
from agentgym.envs.tools._sql.phrases import Field, Filter, part
from agentgym.envs.tools._sql.schema import Table

Make = Callable[..., Frame]


def _having(q: Make, parents: Table, children: Link, where: Filter | None) -> str:
    """The keys of the rows of parents that have such children."""
    f = q(children.child, "S")
    key, test = f"{f.at(())}.{children.key}", f.test(where)
    return f"SELECT {key} {f.source(f'{key} NOTNULL', test)}"


def _chosen(q: Make, parents: Table, test: str) -> str:
    """The names of the parents whose key passes a test."""
    p = q(parents)
    return f"SELECT {p.bare(name_of(parents))} {p.source(f'{p.at(())}.{parents.key} {test}')}"


@ask(
    "Which {rows} {where} have {number} above the average of all {rows}? Give their names.",
    "Name the {rows} {where} whose {number} is more than the mean over all {rows}.",
    named="rows",
)
def above_average(q: Make, rows: Table, where: Filter, number: Field) -> str:
    """The names of the `rows` that pass `where` with `number` above the mean over all rows of the table.

    A sub-query, the second frame of `q`, finds the mean without the filter.
    """
    f, s = q(rows), q(rows, "S")
    mean = f"SELECT AVG({s.value(number)}) {s.source()}"
    return f"SELECT {f.bare(name_of(rows))} {f.source(f'{f.value(number)} > ({mean})', f.test(where))}"


@ask(
    "How many {rows} {where} have {number} below the average of the {rows} {where}?",
    "Of the {rows} {where}, count those whose {number} is less than the mean of that same set.",
)
def count_below_average(q: Make, rows: Table, where: Filter, number: Field) -> str:
    """How many of the `rows` that pass `where` have `number` below the mean of these rows, in two frames of `q`."""
    f, s = q(rows), q(rows, "S")
    mean = f"SELECT AVG({s.value(number)}) {s.source(s.test(where))}"
    return f"SELECT COUNT(*) {f.source(f'{f.value(number)} < ({mean})', f.test(where))}"


@ask(
    "What is the second highest {number} among the {rows} {where}, equal ones counted once?",
    "Leaving out the highest value, what is the highest {number} of {rows} {where}?",
)
def second_highest(q: Make, number: Field, rows: Table, where: Filter) -> str:
    """The greatest `number` below the greatest of all, among the `rows` that pass `where`, in two frames of `q`."""
    f, s = q(rows), q(rows, "S")
    most = f"SELECT MAX({s.value(number)}) {s.source(s.test(where))}"
    return f"SELECT MAX({f.value(number)}) {f.source(f'{f.value(number)} < ({most})', f.test(where))}"


@ask(
    "How many {rows} {where} have the highest {number} within their {group}, among the {rows} {where}? Count ties.",
    "Among {rows} {where}, count those whose {number} nobody with the same {group} exceeds.",
)
def count_best_in_group(q: Make, rows: Table, where: Filter, number: Field, group: Field) -> str:
    """How many of the `rows` that pass `where` have the greatest `number` of their `group`, in two frames of `q`.

    The sub-query looks at the same filtered rows, and several rows of a group may share its greatest value.
    """
    f, s = q(rows), q(rows, "S")
    same = f"{s.value(group)} = {f.value(group)}"
    most = f"SELECT MAX({s.value(number)}) {s.source(same, s.test(where))}"
    return f"SELECT COUNT(*) {f.source(f'{f.value(number)} = ({most})', f.test(where))}"


@ask(
    "Which {parents} have no {children} {where}? Give their names.",
    "Name the {parents} without any {children} {where}.",
    named="parents",
)
def childless(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The names of the `parents` that no row of `children` that passes `where` refers to, in two frames of `q`."""
    return _chosen(q, parents, f"NOT IN ({_having(q, parents, children, where)})")


@ask("How many {parents} have no {children} {where}?", "Count the {parents} without {children} {where}.")
def count_childless(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """How many of `parents` no row of `children` that passes `where` refers to, in two frames of `q`."""
    f = q(children.child, "S")
    key, test = f"{f.at(())}.{children.key}", f.test(where)
    p = q(parents)
    inner = f"SELECT 1 {f.source(f'{key} = {p.at(())}.{parents.key}', test)}"
    return f"SELECT COUNT(*) {p.source(f'NOT EXISTS ({inner})')}"


@ask(
    "Which {parents} have at least one of the {children} {where}? Name each once.",
    "List the {parents} with any {children} {where}, each once.",
    named="parents",
)
def parents_with(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The name of each of `parents` that some row of `children` that passes `where` refers to, in two frames of `q`."""
    return _chosen(q, parents, f"IN ({_having(q, parents, children, where)})")


@ask(
    "Which {parents} have both {children} {where} and {children} {also}? Give their names.",
    "Name the {parents} that have some {children} {where} and also some {children} {also}.",
    named="parents",
)
def parents_with_both(q: Make, parents: Table, children: Link, where: Filter, also: Filter) -> str:
    """The names of the `parents` with `children` that pass `where` and, perhaps other, ones that pass `also`.

    The keys are intersected in a sub-query; each set of children has a frame of `q`.
    """
    some, others = _having(q, parents, children, where), _having(q, parents, children, also)
    return _chosen(q, parents, f"IN ({some} INTERSECT {others})")


@ask(
    "Which {parents} have {children} {where} but no {children} {also}? Give their names.",
    "Name the {parents} that have some {children} {where} and none of the {children} {also}.",
    named="parents",
)
def parents_with_but(q: Make, parents: Table, children: Link, where: Filter, also: Filter) -> str:
    """The names of the `parents` with `children` that pass `where` and none that pass `also`.

    The keys of the second set are taken from those of the first; each has a frame of `q`.
    """
    some, others = _having(q, parents, children, where), _having(q, parents, children, also)
    return _chosen(q, parents, f"IN ({some} EXCEPT {others})")


@ask(
    "Which {parents} have {children} and only such {where}? Give their names.",
    "Name the {parents} that have {children}, every one of which is one {where}.",
    named="parents",
)
def parents_with_only(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The names of `parents` with `children` all of which pass `where`; those without any are left out.

    One frame of `q` counts all children of a name, and those that pass.
    """
    f, name, there = joined(q, parents, children, None)
    hits = f"SUM(CASE WHEN {f.test(where) or '1'} THEN 1 ELSE 0 END)"
    return f"SELECT {name} {f.source(there)} GROUP BY {name} HAVING COUNT(*) = {hits}"


@ask(
    "Which {parents} have more {children} {where} than the {parents} with such {children} have on average? "
    "Give their names.",
    "Name the {parents} whose number of {children} {where} is above the mean of those that have any.",
    named="parents",
)
def busy_parents(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The names of `parents` with more `children` that pass `where` than the mean over the names that have any.

    The counts are a common table expression over one frame of `q`.
    """
    f, name, test = joined(q, parents, children, where)
    counts = f"SELECT {name} AS name, COUNT(*) AS size {f.source(test)} GROUP BY {name}"
    return f"WITH counts AS ({counts}) SELECT name FROM counts WHERE size > (SELECT AVG(size) FROM counts)"


@ask(
    "Which values of {group} occur among both {rows} {where} and {rows} {also}?",
    "List each {group} that is found with {rows} {where} and with {rows} {also} as well.",
)
def common_groups(q: Make, group: Field, rows: Table, where: Filter, also: Filter) -> str:
    """The values of `group` found with `rows` that pass `where` and with ones that pass `also`.

    INTERSECT of two frames of `q`, so that no row need pass both.
    """
    return _two(q, group, rows, where, also, "INTERSECT")


@ask(
    "Which values of {group} occur among {rows} {where} but not among {rows} {also}?",
    "List each {group} that is found with {rows} {where} and never with {rows} {also}.",
)
def groups_but(q: Make, group: Field, rows: Table, where: Filter, also: Filter) -> str:
    """The values of `group` found with `rows` that pass `where` and with none that pass `also`.

    EXCEPT of two frames of `q`, each without NULL.
    """
    return _two(q, group, rows, where, also, "EXCEPT")


@ask(
    "Which values of {group} occur among {rows} {where} or among {rows} {also}? Give each once.",
    "List every {group} that is found with {rows} {where} or with {rows} {also}, once each.",
)
def either_groups(q: Make, group: Field, rows: Table, where: Filter, also: Filter) -> str:
    """The values of `group` found with `rows` that pass `where` or with ones that pass `also`.

    UNION of two frames of `q`, which gives each value once.
    """
    return _two(q, group, rows, where, also, "UNION")


def _two(q: Make, group: Field, rows: Table, where: Filter | None, also: Filter | None, how: str) -> str:
    one, other = q(rows), q(rows, "S")
    first = f"SELECT {one.value(group)} {one.source(one.test(where), known(one, group))}"
    return f"{first} {how} SELECT {other.value(group)} {other.source(other.test(also), known(other, group))}"


@ask(
    "How many pairs of different {rows} {where} have the same {group}?",
    "Count the unordered pairs of {rows} {where} that agree in {group}.",
)
def pairs(q: Make, rows: Table, where: Filter, group: Field) -> str:
    """How many pairs of two of the `rows` that pass `where` have one value of `group`, in two frames of `q`.

    A pair counts once, whichever row is first; NULL equals nothing.
    """
    f, s = q(rows), q(rows, "S")
    one = f"SELECT {f.at(())}.{rows.key} AS id, {f.value(group)} AS side {f.source(f.test(where))}"
    other = f"SELECT {s.at(())}.{rows.key} AS id, {s.value(group)} AS side {s.source(s.test(where))}"
    return f"SELECT COUNT(*) FROM ({one}) AS a JOIN ({other}) AS b ON a.side = b.side AND a.id < b.id"


@ask(
    "For each {group}, which of the {rows} {where} has the {o} {number}? Give {group} and name.",
    "By {group}, name the one with the {o} {number} among the {rows} {where}: {group}, then name.",
    named="rows",
)
def best_in_each(q: Make, group: Field, rows: Table, where: Filter, o: str, number: Field) -> Gold:
    """Each `group` with the name of the one of its `rows` with the highest or lowest `number`, as `o` says.

    Only rows that pass `where` count; `q` makes the frame below the window, and no first place may be tied.
    """
    return _nth(q, group, rows, where, o, number, 1)


@ask(
    "For each {group} with at least two {rows} {where}, which one has the second {o} {number}? Give {group} and name.",
    "By {group}, name the {rows.one} that comes second if the {rows} {where} are ordered by {number}, {o} "
    "first: {group}, then name.",
    named="rows",
)
def second_in_each(q: Make, group: Field, rows: Table, where: Filter, o: str, number: Field) -> Gold:
    """Each `group` of two `rows` or more with the name of the one with the second highest or lowest `number`.

    Which of the two, `o` says; only rows that pass `where` count, in a frame of `q`, and no tie may touch that place.
    """
    return _nth(q, group, rows, where, o, number, 2)


def _nth(q: Make, group: Field, rows: Table, where: Filter | None, o: str, number: Field, place: int) -> Gold:
    f = q(rows)
    over = f"OVER (PARTITION BY {f.value(group)} ORDER BY {f.value(number)} {DIRECTIONS[o]})"
    columns = f"{f.value(group)} AS side, {f.bare(name_of(rows))} AS name, ROW_NUMBER() {over} AS place"
    inner = f"SELECT {columns}, RANK() {over} AS tied {f.source(f.test(where), known(f, number), known(f, group))}"
    keys = f"SELECT place FROM ({inner}) WHERE place <= {place + 1} AND tied < place UNION ALL SELECT -1"
    plain = inner.replace(f", RANK() {over} AS tied", "")
    return Gold(f"SELECT side, name FROM ({plain}) WHERE place = {place}", False, keys, -1)


@ask(
    "For each year of the {day}, how many {rows} {where} were there up to and including it? Order by year.",
    "Give the running total of {rows} {where} by the year of their {day}, first year first: year, total so far.",
)
def running_total(q: Make, day: Field, rows: Table, where: Filter) -> Gold:
    """Each year of `day` with the number of `rows` that pass `where` in it and in all years before.

    Years without any such row do not appear; the first year is first, and one frame of `q` will do.
    """
    f = q(rows)
    year = part(day.column, f.bare(day), "year")
    total = f"SUM(COUNT(*)) OVER (ORDER BY {year})"
    source = f"{f.source(f.test(where), known(f, day))} GROUP BY {year} ORDER BY {year}"
    return Gold(f"SELECT {year}, {total} {source}", True)


@ask(
    "By how much did the number of {rows} {where} change from one year of the {day} that occurs to the "
    "next that does? Give "
    "the later year and the change, in the order of years.",
    "For each year of the {day} but the first one that occurs, give year and change in the number of "
    "{rows} {where} since the "
    "one before it that occurs, first year first.",
)
def yearly_change(q: Make, day: Field, rows: Table, where: Filter) -> Gold:
    """Each year of `day` but the first with its count of `rows` that pass `where` less that of the year before it.

    Years without any such row are passed over; years are in order, in one frame of `q`.
    """
    f = q(rows)
    year = part(day.column, f.bare(day), "year")
    change = f"COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY {year})"
    inner = f"SELECT {year} AS year, {change} AS change {f.source(f.test(where), known(f, day))} GROUP BY {year}"
    return Gold(f"SELECT year, change FROM ({inner}) WHERE change NOTNULL ORDER BY year", True)


@ask(
    "For each {group}, which percentage of all {rows} {where} does it have?",
    "Give each {group} with its percentage of the {rows} {where}.",
)
def share_of_all(q: Make, group: Field, rows: Table, where: Filter) -> str:
    """Each `group` with its share, from 0 to 100, of the `rows` that pass `where`, in one frame of `q`.

    Rows without a group are no part of the whole.
    """
    f = q(rows)
    side = f.value(group)
    share = "100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()"
    return f"SELECT {side}, {share} {f.source(f.test(where), known(f, group))} GROUP BY {side}"


@ask(
    "How many {rows} {where} exceed the average {number} of the {rows} {where} with the same {group}?",
    "Of the {rows} {where}, count those whose {number} is above the mean of their {group} within that set.",
)
def above_own_group(q: Make, rows: Table, where: Filter, number: Field, group: Field) -> str:
    """How many of the `rows` that pass `where` have `number` above the mean of their `group`, in one frame of `q`.

    The mean is that of the filtered rows.
    """
    f = q(rows)
    mean = f"AVG({f.value(number)}) OVER (PARTITION BY {f.value(group)})"
    inner = f"SELECT {f.value(number)} AS own, {mean} AS mean {f.source(f.test(where), known(f, group))}"
    return f"SELECT COUNT(*) FROM ({inner}) WHERE own > mean"


@ask(
    "What is the average {number} of the half of the {rows} {where} with the higher {number}? With an odd "
    "number the one in the "
    "middle is left out.",
    "Average the {number} over the upper half of the {rows} {where} by {number}, without the middle one if "
    "their number is odd.",
)
def upper_half(q: Make, number: Field, rows: Table, where: Filter) -> str:
    """The mean of the greater half of the values of `number` of the `rows` that pass `where`, in one frame of `q`.

    NTILE puts the middle one of an odd number into the lower half.
    """
    f = q(rows)
    value = f.value(number)
    half = f"NTILE(2) OVER (ORDER BY {value})"
    inner = f"SELECT {value} AS own, {half} AS half {f.source(f.test(where), known(f, number))}"
    return f"SELECT AVG(own) FROM ({inner}) WHERE half = 2"


@ask(
    "Which {group} has the greatest difference between highest and lowest {number} of {rows} {where}, and "
    "how great is it?",
    "Find the {group} in which the {number} of {rows} {where} varies most from lowest to highest; give it "
    "and that range.",
)
def widest_group(q: Make, group: Field, number: Field, rows: Table, where: Filter) -> Gold:
    """The `group` whose `rows` that pass `where` differ most from least to greatest `number`, and that width.

    The two greatest widths must differ; the frame is one of `q`.
    """
    f = q(rows)
    value, side = f.value(number), f.value(group)
    source = f.source(f.test(where), known(f, group))
    inner = f"SELECT {side} AS side, MAX({value}) - MIN({value}) AS width {source} GROUP BY {side}"
    tail = f"FROM ({inner}) ORDER BY width DESC LIMIT"
    return Gold(f"SELECT side, width {tail} 1", False, f"SELECT width {tail} 2")


@ask(
    "What is the highest average {number} that any {group} reaches among {rows} {where}?",
    "Average the {number} of {rows} {where} by {group}: what is the greatest of these averages?",
)
def greatest_average(q: Make, number: Field, group: Field, rows: Table, where: Filter) -> str:
    """The greatest of the means of `number`, by `group`, over the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    side = f.value(group)
    inner = f"SELECT AVG({f.value(number)}) AS mean {f.source(f.test(where), known(f, group))} GROUP BY {side}"
    return f"SELECT MAX(mean) FROM ({inner})"


@ask(
    "How many {rows} have the same {group} as the one with the {o} {number} among the {rows} {where}, that "
    "one included?",
    "Find the one with the {o} {number} among the {rows} {where}; how many {rows} share its {group}, itself counted?",
)
def like_the_first(q: Make, rows: Table, group: Field, o: str, number: Field, where: Filter) -> Gold:
    """How many `rows`, whatever `where` says, have the `group` of the one with the highest or lowest `number`.

    That one is looked for among those that pass `where`, at the end that `o` names, in the second frame of `q`.
    """
    f, s = q(rows), q(rows, "S")
    rank = f"{s.value(number)}"
    side = s.value(group)
    tail = f"{s.source(s.test(where), known(s, number))} ORDER BY {rank} {DIRECTIONS[o]} LIMIT"
    mine = f"{f.value(group)} = (SELECT {side} {tail} 1)"
    return Gold(f"SELECT COUNT(*) {f.source(mine)}", False, f"SELECT {rank} {tail} 2")
