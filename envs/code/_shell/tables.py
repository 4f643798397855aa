"""Tasks about tables."""

from __future__ import annotations

from collections import defaultdict

from agentgym.envs._kit.tools import Unfit, best
from agentgym.envs.code._shell.book import BOOK, counted, differing
from agentgym.envs.code._shell.home import Home


@BOOK.task(
    "number", "awk -F, -v r={region} -v p={product} '$3 == r && $4 == p {s += $5} END {print s + 0}' {table}",
    "How many units of {product} were sold in the region {region}, by {table}?",
    "In {table}, add up the units of the rows with region {region} and product {product}.",
    "What is the sum of units for {product} in {region} in the table {table}?",
)  # fmt: skip
def _units(home: Home, table: str, region: str, product: str) -> float:
    rows = [row for row in home.rows(table) if (row["region"], row["product"]) == (region, product)]
    return counted(sum(int(row["units"]) for row in rows))


@BOOK.task(
    "number", "awk -F, -v c={customer} '$7 == c {s += $5 * $6} END {print s + 0}' {table}",
    "What did {customer} pay in all, units times price over the rows of {table}?",
    "In {table}, sum units multiplied by price for the customer {customer}.",
    "How large is the turnover (units times price, added up) with {customer} in {table}?",
)  # fmt: skip
def _turnover(home: Home, table: str, customer: str) -> float:
    rows = [row for row in home.rows(table) if row["customer"] == customer]
    return counted(sum(int(row["units"]) * int(row["price"]) for row in rows))


@BOOK.task(
    "name", "awk -F, -v r={region} '$3 == r {s[$4] += $5} END {for (p in s) print s[p], p}' {table} | sort -rn | "
    "head -1 | "
    "cut -d' ' -f2",
    "Which product sold the most units in the region {region}, by {table}?",
    "By the units in {table}, what is the best-selling product of {region}?",
    "Add up units by product for the rows of {table} in region {region}: which product has the most?",
)  # fmt: skip
def _best_product(home: Home, table: str, region: str) -> str:
    sums: dict[str, int] = defaultdict(int)
    for row in home.rows(table):
        if row["region"] == region:
            sums[row["product"]] += int(row["units"])
    return best(sums, among=3)


@BOOK.task(
    "number", "awk -F, -v n={n} -v p={product} 'NR > 1 && $5 > n && $4 != p' {table} | wc -l",
    "How many rows of {table} have more than {n} units and a product other than {product}?",
    "Leaving {product} out, count the rows of {table} with units above {n}.",
    "In {table}, how many rows that are not about {product} have units greater than {n}?",
)  # fmt: skip
def _large_rows(home: Home, table: str, n: int, product: str) -> float:
    return counted(sum(int(row["units"]) > n and row["product"] != product for row in home.rows(table)))


@BOOK.task(
    "number", "awk -F, -v r={region} '$3 == r {s += $6; n++} END {printf \"%.2f\\n\", s / n}' {table}",
    "What is the mean price over the rows of {table} with region {region}, to two decimals?",
    "Average the price column of {table} for the region {region}; round to two decimals.",
    "Give the average price (two decimals) of the rows of {table} in {region}.",
)  # fmt: skip
def _mean_price(home: Home, table: str, region: str) -> float:
    prices = [int(row["price"]) for row in home.rows(table) if row["region"] == region]
    return counted(sum(prices) / len(prices)) if prices else 0.0


@BOOK.task(
    "list", "awk -F, -v r={region} -v p={product} '$3 == r && $4 == p {print $7}' {table} | sort -u",
    "Which customers bought {product} in the region {region}, by {table}?",
    "List each customer of {table} with a row of product {product} and region {region}.",
    "By {table}, name everyone who is customer of a row with {region} and {product}.",
)  # fmt: skip
def _customers(home: Home, table: str, region: str, product: str) -> list[str]:
    found = [row for row in home.rows(table) if (row["region"], row["product"]) == (region, product)]
    return differing([row["customer"] for row in found])


@BOOK.task(
    "name", "sort -t, -k2,2 -k1,1n {table} | grep ',{product},' | tail -1 | cut -d, -f1",
    "What is the id of the latest row of {table} about {product}? Of several on that date, take the largest id.",
    "Find the row of {table} with product {product} and the last date (then the largest id); give its id.",
    "Which id has the most recent row for {product} in {table}, the larger id winning on equal dates?",
)  # fmt: skip
def _latest(home: Home, table: str, product: str) -> str:
    found = sorted((row["date"], int(row["id"])) for row in home.rows(table) if row["product"] == product)
    return str(found[-1][1]) if len(found) > 2 else ""


@BOOK.task(
    "name", "awk -F'\\t' -v t={team} '$2 == t {print $5, $1}' {staff} | sort -rn | head -1 | cut -d' ' -f2",
    "Who has the highest salary in the team {team}, by {staff}?",
    "In {staff}, name the best-paid member of {team}.",
    "Which person of the team {team} in {staff} earns the most?",
)  # fmt: skip
def _best_paid(home: Home, staff: str, team: str) -> str:
    return best({row["name"]: int(row["salary"]) for row in home.rows(staff) if row["team"] == team}, among=3)


@BOOK.task(
    "number", "awk -F'\\t' -v c={city} '$3 == c {s += $5} END {print s + 0}' {staff}",
    "How much is paid in all to the people in {city}, by {staff}?",
    "Add up the salaries of {staff} for the city {city}.",
    "What do the salaries of everybody in {city} come to in {staff}?",
)  # fmt: skip
def _payroll(home: Home, staff: str, city: str) -> float:
    return counted(sum(int(row["salary"]) for row in home.rows(staff) if row["city"] == city))


@BOOK.task(
    "name", "awk -F'\\t' -v c={city} 'NR > 1 && $3 != c {print $4, $1}' {staff} | sort -n | awk 'NR == 1 {y = $1} $1 "
    "== y {print $2}'",
    "Leaving out {city}, who started first, by {staff}?",
    "In {staff}, who has the earliest year of starting among people who are not in {city}?",
    "Name the person of {staff}, outside {city}, with the smallest value in the column started.",
)  # fmt: skip
def _first_to_start(home: Home, staff: str, city: str) -> str:
    return best({row["name"]: int(row["started"]) for row in home.rows(staff) if row["city"] != city}, -1, 3)


@BOOK.task(
    "state", 'mkdir -p "$(dirname {tsv})" && tr , \'\\t\' < {table} > {tsv}',
    "Write {table} with tabs instead of commas into the new file {tsv}.",
    "Convert {table} to tab-separated values as {tsv}, header and order unchanged.",
    "Make {tsv}, a copy of {table} whose columns are separated by tabs.",
)  # fmt: skip
def _to_tabs(home: Home, table: str, tsv: str) -> None:
    home.put(tsv, home.text(table).replace(",", "\t"))


@BOOK.task(
    "state", 'mkdir -p "$(dirname {csv})" && awk -F, -v r={region} \'NR == 1 || $3 == r\' {table} > {csv}',
    "Put the header and the rows of {table} with region {region} into the new file {csv}, in the same order.",
    "Make {csv} out of {table}: its header line, and then only the rows of {region}.",
    "Write a table {csv} that has the header of {table} and all its rows of the region {region}.",
)  # fmt: skip
def _filter_rows(home: Home, table: str, region: str, csv: str) -> None:
    head, *rest = home.lines(table)
    home.put(csv, "\n".join([head, *(line for line in rest if line.split(",")[2] == region)]) + "\n")


@BOOK.task(
    "state", 'mkdir -p "$(dirname {text})" && tail -n +2 {table} | cut -d, -f7 | sort -u > {text}',
    "Write the different customers of {table} into the new file {text}, sorted by letters, one on a line.",
    "Make {text} with every customer of {table} once, in alphabetical order, one a line.",
    "Collect the customer column of {table} in {text}: sorted, no repeats, no header.",
)  # fmt: skip
def _column(home: Home, table: str, text: str) -> None:
    home.put(text, "\n".join(sorted({row["customer"] for row in home.rows(table)})) + "\n")


@BOOK.task(
    "state", 'mkdir -p "$(dirname {csv})" && { head -1 {table}; tail -n +2 {table} | sort -t, -k5,5nr -k1,1n; } > '
    '{csv}',
    "Write {table} into the new file {csv}, its header first, then the rows by units from large to small, equal ones "
    "by id.",
    "Make {csv}: the rows of {table} below its header, sorted by falling units and, where equal, by rising id.",
    "Sort {table} by units, the most first (ties: smaller id first), into {csv}, with the header on top.",
)  # fmt: skip
def _sort_rows(home: Home, table: str, csv: str) -> None:
    head, *rest = home.lines(table)
    rest.sort(key=lambda line: (-int(line.split(",")[4]), int(line.split(",")[0])))
    home.put(csv, "\n".join([head, *rest]) + "\n")


@BOOK.task(
    "state", "sed -i '/,{customer}$/d' {table}",
    "{customer} wants to be forgotten: delete all rows of that customer from {table}.",
    "Take every row whose customer is {customer} out of {table}.",
    "Remove the customer {customer} with all rows from {table}; leave the others as they are.",
)  # fmt: skip
def _forget(home: Home, table: str, customer: str) -> None:
    home.edit(table, "".join(f"{line}\n" for line in home.lines(table) if not line.endswith(f",{customer}")))


@BOOK.task(
    "state", "awk -F, -v OFS=, -v p={product} '$4 == p {$6 += 10} {print}' {table} > /tmp/new && cat /tmp/new > "
    "{table}",
    "Raise the price of {product} by 10 in every row of {table}.",
    "In {table}, the price of each row about {product} shall be 10 higher.",
    "Add 10 to the price wherever the product is {product} in {table}.",
)  # fmt: skip
def _raise_price(home: Home, table: str, product: str) -> None:
    lines = []
    for line in home.lines(table):
        cells = line.split(",")
        if cells[3] == product:
            cells[5] = str(int(cells[5]) + 10)
        lines.append(",".join(cells))
    if lines == home.lines(table):
        raise Unfit
    home.edit(table, "\n".join(lines) + "\n")
