"""Questions that group rows: a number for each group, the largest one, those beyond a bound, rows and their parents."""

from __future__ import annotations

from collections.abc import Callable

from agentgym.envs.tools._sql.book import AGGREGATES, DIRECTIONS, Gold, Link, ask, known, name_of
from agentgym.envs.tools._sql.frame import Frame
from agentgym.envs.tools._sql.phrases import Field, Filter, part
from agentgym.envs.tools._sql.schema import Table

Make = Callable[..., Frame]


def grouped(f: Frame, group: Field, select: str, *tests: str, tail: str = "") -> str:
    """A SELECT over the groups of a field.

    Args:
        f: Of the statement.
        group: What groups the rows.
        select: What is asked of each group; `{g}` stands for the field.
        *tests: Conditions on rows.
        tail: What follows GROUP BY.
    """
    side = f.value(group)
    return f"SELECT {select.replace('{g}', side)} {f.source(*tests, known(f, group))} GROUP BY {side}{tail}"


@ask(
    "For each {group}, how many {rows} {where} are there?",
    "Count the {rows} {where} for every {group}: {group}, then number.",
)
def count_each(q: Make, group: Field, rows: Table, where: Filter) -> str:
    """Each `group` with its number of `rows` that pass `where`, none with 0, in one frame of `q`."""
    f = q(rows)
    return grouped(f, group, "{g}, COUNT(*)", f.test(where))


@ask(
    "For each {group}, what is the {a} {number} of {rows} {where}?",
    "By {group}, give the {a} {number} of {rows} {where}: {group}, then number.",
)
def aggregate_each(q: Make, group: Field, a: str, number: Field, rows: Table, where: Filter) -> str:
    """Each `group` with one aggregate, `a` of `AGGREGATES`, of `number` over its `rows` that pass `where`.

    The frame is one of `q`; rows without a value of `number` are left out, and with them groups that have no other.
    """
    f = q(rows)
    value = f.value(number)
    return grouped(f, group, f"{{g}}, {AGGREGATES[a]}({value})", f.test(where), known(f, number))


@ask(
    "For each {group}, give the number of {rows} {where} and their average {number}.",
    "By {group}: how many {rows} {where} are there, and what is their average {number}?",
)
def count_and_average_each(q: Make, group: Field, rows: Table, where: Filter, number: Field) -> str:
    """Each `group` with the count and the mean `number` of its `rows` that pass `where`, in one frame of `q`.

    Rows without a value of `number` are part of the count.
    """
    f = q(rows)
    return grouped(f, group, f"{{g}}, COUNT(*), AVG({f.value(number)})", f.test(where))


@ask(
    "For each combination of {group} and {group2}, how many {rows} {where} are there?",
    "Count the {rows} {where} by {group} and {group2}: {group}, {group2}, number.",
)
def count_each_pair(q: Make, group: Field, group2: Field, rows: Table, where: Filter) -> str:
    """Each pair of `group` and `group2` with its number of `rows` that pass `where`, in one frame of `q`.

    Pairs that do not occur are left out, as are rows that lack one of the two.
    """
    f = q(rows)
    both = f"{f.value(group)}, {f.value(group2)}"
    return f"SELECT {both}, COUNT(*) {f.source(f.test(where), known(f, group), known(f, group2))} GROUP BY {both}"


@ask("Which {group} has the most {rows} {where}?", "Among {rows} {where}, which {group} occurs most often?")
def most_frequent(q: Make, group: Field, rows: Table, where: Filter) -> Gold:
    """The `group` with most of the `rows` that pass `where`, without its count, in one frame of `q`."""
    f = q(rows)
    tail = " ORDER BY COUNT(*) DESC LIMIT "
    keys = grouped(f, group, "COUNT(*)", f.test(where), tail=f"{tail}2")
    return Gold(grouped(f, group, "{g}", f.test(where), tail=f"{tail}1"), False, keys)


@ask(
    "Which {group} has the {o} average {number} of {rows} {where}, and what is that average?",
    "Of {rows} {where}, find the {group} with the {o} average {number}; give both.",
)
def best_average(q: Make, group: Field, o: str, number: Field, rows: Table, where: Filter) -> Gold:
    """The `group` with the highest or lowest mean `number`, as `o` says, and that mean, in one frame of `q`.

    Only `rows` that pass `where` and have a value of `number` count.
    """
    f = q(rows)
    average = f"AVG({f.value(number)})"
    tail = f" ORDER BY {average} {DIRECTIONS[o]} LIMIT "
    tests = (f.test(where), known(f, number))
    keys = grouped(f, group, average, *tests, tail=f"{tail}2")
    return Gold(grouped(f, group, f"{{g}}, {average}", *tests, tail=f"{tail}1"), False, keys)


@ask(
    "Rank the values of {group} by the total {number} of {rows} {where}, greatest first: {group}, then total.",
    "For each {group}, give the total {number} of {rows} {where}, and begin with the greatest.",
)
def ranked_totals(q: Make, group: Field, number: Field, rows: Table, where: Filter) -> Gold:
    """Each `group` with the sum of `number` over its `rows` that pass `where`, the greatest first, in one frame of `q`.

    No two sums may be equal, since the order of all of them is asked for.
    """
    f = q(rows)
    total = f"SUM({f.value(number)})"
    tests = (f.test(where), known(f, number))
    keys = grouped(f, group, total, *tests, tail=f" ORDER BY {total} DESC")
    return Gold(grouped(f, group, f"{{g}}, {total}", *tests, tail=f" ORDER BY {total} DESC"), True, keys, 0)


@ask(
    "Which values of {group} have more than {k} {rows} {where}?",
    "List each {group} that occurs more than {k} times among {rows} {where}.",
)
def frequent(q: Make, group: Field, k: int, rows: Table, where: Filter) -> str:
    """Each `group` with more than `k` of the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return grouped(f, group, "{g}", f.test(where), tail=f" HAVING COUNT(*) > {k}")


@ask(
    "Which values of {group} have {rows} {where} with an average {number} above {x}?",
    "List each {group} for which the {rows} {where} average more than {x} in {number}.",
)
def high_average(q: Make, group: Field, rows: Table, where: Filter, number: Field, x: float) -> str:
    """Each `group` whose `rows` that pass `where` have a mean `number` above `x`, in one frame of `q`."""
    f = q(rows)
    average = f"AVG({f.value(number)})"
    return grouped(f, group, "{g}", f.test(where), tail=f" HAVING {average} > {x}")


@ask(
    "How many values of {group} have at least {k} {rows} {where}?",
    "For how many {group} values are there {k} or more {rows} {where}?",
)
def count_frequent(q: Make, group: Field, k: int, rows: Table, where: Filter) -> str:
    """How many values of `group` have at least `k` of the `rows` that pass `where`, in one frame of `q`."""
    f = q(rows)
    return f"SELECT COUNT(*) FROM ({grouped(f, group, '{g}', f.test(where), tail=f' HAVING COUNT(*) >= {k}')})"


@ask(
    "Averaging over the values of {group}, how many {rows} {where} does one have?",
    "What is the mean number of {rows} {where} per {group} that occurs among them?",
)
def mean_group(q: Make, group: Field, rows: Table, where: Filter) -> str:
    """The mean number of `rows` that pass `where`, over each `group` that has any, in one frame of `q`."""
    f = q(rows)
    return f"SELECT AVG(size) FROM ({grouped(f, group, 'COUNT(*) AS size', f.test(where))})"


@ask(
    "For each year of the {day}, how many {rows} {where} are there? Order by year.",
    "Count the {rows} {where} by the year of their {day}, the first year first.",
)
def count_by_year(q: Make, day: Field, rows: Table, where: Filter) -> Gold:
    """Each year of `day` with its number of `rows` that pass `where`, the first year first, in one frame of `q`."""
    f = q(rows)
    year = part(day.column, f.bare(day), "year")
    return Gold(
        f"SELECT {year}, COUNT(*) {f.source(f.test(where), known(f, day))} GROUP BY {year} ORDER BY {year}", True
    )


@ask(
    "For each month of {y}, as two digits, how many {rows} {where} have their {day} in it? Leave out "
    "months without any.",
    "Break the {rows} {where} with their {day} in {y} down by month (two digits), without empty months: month, number.",
)
def count_by_month(q: Make, y: int, rows: Table, where: Filter, day: Field) -> str:
    """Each month of the year `y` of `day` with its number of `rows` that pass `where`, in one frame of `q`.

    Months are two digits, and those without any row do not appear.
    """
    f = q(rows)
    month, year = (part(day.column, f.bare(day), unit) for unit in ("month", "year"))
    return f"SELECT {month}, COUNT(*) {f.source(f'{year} = {str(y)!r}', f.test(where))} GROUP BY {month}"


@ask(
    "How many {rows} {where} have {number} below {x}, from {x} to {z}, or above {z}? Call the three low, "
    "middle and high; "
    "leave out what is empty.",
    "Sort the {rows} {where} by {number} into low (below {x}), middle (from {x} to {z}) and high (above "
    "{z}) and count each that "
    "occurs.",
)
def buckets(q: Make, rows: Table, where: Filter, number: Field, x: float, z: float) -> str:
    """How many of the `rows` that pass `where` have a low, middle and high `number`, in one frame of `q`.

    Low is below `x`, high above `z`, and middle what lies between, both bounds included.
    """
    f = q(rows)
    value = f.value(number)
    case = f"CASE WHEN {value} < {x} THEN 'low' WHEN {value} <= {z} THEN 'middle' ELSE 'high' END"
    return f"SELECT {case}, COUNT(*) {f.source(f.test(where), known(f, number))} GROUP BY {case}"


@ask(
    "For each {group}, what percentage of its {rows} {where} are ones {also}?",
    "By {group}, give the percentage of {rows} {where} that are also ones {also}: {group}, then percentage.",
)
def percentage_each(q: Make, group: Field, rows: Table, where: Filter, also: Filter) -> str:
    """Each `group` with the share, from 0 to 100, of its `rows` that pass `also` among those that pass `where`.

    Groups without any that pass `where` do not appear; the frame is one of `q`.
    """
    f = q(rows)
    hits = f"SUM(CASE WHEN {f.test(also) or '1'} THEN 1 ELSE 0 END)"
    return grouped(f, group, f"{{g}}, 100.0 * {hits} / COUNT(*)", f.test(where))


# A table and the rows of another one that refer to it.


def joined(q: Make, parents: Table, children: Link, where: Filter | None) -> tuple[Frame, str, str]:
    """A frame over the children with their parent: the frame, the parent's name and the condition.

    Args:
        q: Makes frames.
        parents: The parent.
        children: The children.
        where: On the children.
    """
    f = q(children.child)
    assert parents.label is not None
    name, test = f"{f.at((children.key,))}.{parents.label.name}", f.test(where)
    there = f"{f.at(())}.{children.key} NOTNULL" if f.gaps((children.key,)) else ""
    return f, name, " AND ".join(part for part in (there, test) if part)


@ask(
    "For each {parents.one} that has any, how many {children} {where} are there? Give the name and the number.",
    "List the {parents} that have {children} {where} by name, each with how many it has.",
    named="parents",
)
def children_each(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """Each name of `parents` with its number of `children` that pass `where`, none with 0, in one frame of `q`.

    Parents of one name count together.
    """
    f, name, test = joined(q, parents, children, where)
    return f"SELECT {name}, COUNT(*) {f.source(test)} GROUP BY {name}"


@ask(
    "How many {children} {where} does each of the {parents} have? Give name and number, 0 for those without any.",
    "List all {parents} by name with their number of {children} {where}, those with none included.",
    named="parents",
)
def children_each_or_none(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The name of each of `parents` with its number of `children` that pass `where`, in two frames of `q`.

    One with none has 0; parents of one name have a row each.
    """
    f = q(children.child, "S")
    key, test = f"{f.at(())}.{children.key}", f.test(where)
    p = q(parents)
    inner = f"SELECT COUNT(*) {f.source(f'{key} = {p.at(())}.{parents.key}', test)}"
    return f"SELECT {p.bare(name_of(parents))}, ({inner}) {p.source()}"


@ask(
    "Which of the {parents} has the most {children} {where}? Give its name.",
    "Name the {parents.one} with the most {children} {where}.",
    named="parents",
)
def most_children(q: Make, parents: Table, children: Link, where: Filter) -> Gold:
    """The name of `parents` with most `children` that pass `where`, in one frame of `q`."""
    f, name, test = joined(q, parents, children, where)
    tail = f"{f.source(test)} GROUP BY {name} ORDER BY COUNT(*) DESC LIMIT"
    return Gold(f"SELECT {name} {tail} 1", False, f"SELECT COUNT(*) {tail} 2")


@ask(
    "Name the {k} {parents} with the greatest total {number} of {children} {where}, greatest first.",
    "Which {k} {parents} have the largest sum of {number} over their {children} {where}? Order the names "
    "by it, largest first.",
    named="parents",
)
def top_parents(q: Make, k: int, parents: Table, number: Field, children: Link, where: Filter) -> Gold:
    """The `k` names of `parents` with the greatest sum of `number` over their `children` that pass `where`.

    The greatest is first, no two of the first `k` + 1 sums may be equal, and the frame is one of `q`.
    """
    f, name, test = joined(q, parents, children, where)
    total, there = f"SUM({f.value(number)})", known(f, number)
    tail = f"{f.source(test, there)} GROUP BY {name} ORDER BY {total} DESC LIMIT"
    return Gold(f"SELECT {name} {tail} {k}", True, f"SELECT {total} {tail} {k + 1}", k)


@ask(
    "Which {parents} have {k} or more {children} {where}? Give their names.",
    "Name the {parents} with at least {k} {children} {where}.",
    named="parents",
)
def parents_with_many(q: Make, k: int, parents: Table, children: Link, where: Filter) -> str:
    """The names of `parents` with at least `k` of the `children` that pass `where`, in one frame of `q`."""
    f, name, test = joined(q, parents, children, where)
    return f"SELECT {name} {f.source(test)} GROUP BY {name} HAVING COUNT(*) >= {k}"


@ask(
    "Which {parents} have {children} {where} with a total {number} above {s}? Give their names.",
    "Name the {parents} whose {children} {where} add up to more than {s} in {number}.",
    named="parents",
)
def parents_with_total(q: Make, parents: Table, children: Link, where: Filter, number: Field, s: float) -> str:
    """The names of `parents` whose `children` that pass `where` have a sum of `number` above `s`.

    Parents of one name are added up together, in one frame of `q`.
    """
    f, name, test = joined(q, parents, children, where)
    total = f"SUM({f.value(number)})"
    return f"SELECT {name} {f.source(test)} GROUP BY {name} HAVING {total} > {s}"


@ask(
    "On average over all {parents}, also those without any, how many {children} {where} are there for one?",
    "Count the {children} {where} that belong to one of the {parents}, and divide by the number of all {parents}.",
)
def children_per_parent(q: Make, parents: Table, children: Link, where: Filter) -> str:
    """The number of `children` that pass `where` and have a parent, divided by the number of all `parents`.

    The frame of the children is one of `q`.
    """
    f = q(children.child)
    test = f.test(where)
    source = f.source(f"{f.at(())}.{children.key} NOTNULL", test)
    return f"SELECT 1.0 * COUNT(*) / (SELECT COUNT(*) FROM {parents.name}) {source}"
