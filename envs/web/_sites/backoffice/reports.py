"""Reports of the administration: tables that are counted from orders, products, reviews and searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, missing, show
from agentgym.envs.web._sites.backoffice.access import for_area
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.reading import is_day

PERIODS = {"Day": 10, "Month": 7, "Year": 4}  # how much of a moment names it
ALL_DAYS = ("2000-01-01", "2099-12-31")
SOLD = "orders.state NOT IN ('Canceled', 'Refunded')"
WITHIN = "substr(orders.created, 1, 10) BETWEEN ?1 AND ?2"


@dataclass(frozen=True)
class Report:
    """A table that is counted.

    Attributes:
        title: What people read.
        query: Its columns are named as they are shown; `?1` and `?2` are the first and the last day, `{width}` is the
            length of a period's name.
        amounts: Columns that are amounts in cents.
        dated: Whether it asks for days.
        periods: Whether it is summed over days, months or years.
        sums: Columns that are summed below the table.
    """

    title: str
    query: str
    amounts: tuple[str, ...] = ()
    dated: bool = True
    periods: bool = False
    sums: tuple[str, ...] = ()


LINES = "order_lines JOIN orders ON orders.id = order_id"
REPORTS: Mapping[str, Report] = {
    "sales": Report(
        "Sales",
        f"""SELECT substr(orders.created, 1, {{width}}) AS Period, count(*) AS Orders, sum(subtotal) AS Goods,
            sum(discount) AS Discounts, sum(shipping) AS Shipping, sum(total) AS Total FROM orders
            WHERE {SOLD} AND {WITHIN} GROUP BY 1 ORDER BY 1""",
        ("Goods", "Discounts", "Shipping", "Total"),
        periods=True,
        sums=("Orders", "Goods", "Discounts", "Shipping", "Total"),
    ),
    "bestsellers": Report(
        "Bestsellers",
        f"""SELECT order_lines.name AS Product, order_lines.sku AS SKU, sum(quantity) AS Sold,
            sum(quantity * order_lines.price) AS Total FROM {LINES} WHERE {SOLD} AND {WITHIN}
            GROUP BY order_lines.product ORDER BY Sold DESC, Total DESC, SKU LIMIT 50""",
        ("Total",),
    ),
    "brands": Report(
        "Sales by brand",
        f"""SELECT brand AS Brand, sum(quantity) AS Sold, sum(quantity * order_lines.price) AS Total FROM {LINES}
            JOIN products ON products.id = product WHERE {SOLD} AND {WITHIN} GROUP BY brand
            ORDER BY Total DESC, brand""",
        ("Total",),
    ),
    "categories": Report(
        "Sales by category",
        f"""SELECT categories.name AS Category, sum(quantity) AS Sold, sum(quantity * order_lines.price) AS Total
            FROM {LINES} JOIN products ON products.id = product JOIN categories ON categories.id = category
            WHERE {SOLD} AND {WITHIN} GROUP BY categories.id ORDER BY Total DESC, categories.id""",
        ("Total",),
    ),
    "customers": Report(
        "Customers by orders",
        f"""SELECT users.first || ' ' || users.last AS Customer, users.email AS Email, count(*) AS Orders,
            sum(total) AS Total FROM orders JOIN users ON users.id = user WHERE {SOLD} AND {WITHIN}
            GROUP BY users.id ORDER BY Orders DESC, Total DESC, users.id LIMIT 50""",
        ("Total",),
    ),
    "coupons": Report(
        "Coupons",
        f"""SELECT coupon AS Coupon, count(*) AS Orders, sum(discount) AS Discounts, sum(total) AS Total FROM orders
            WHERE coupon != '' AND {SOLD} AND {WITHIN} GROUP BY coupon ORDER BY Orders DESC, coupon""",
        ("Discounts", "Total"),
    ),
    "refunds": Report(
        "Refunds",
        """SELECT reason AS Reason, count(*) AS Refunds, sum(refunds.total) AS Total FROM refunds
            WHERE substr(refunds.created, 1, 10) BETWEEN ?1 AND ?2 GROUP BY reason ORDER BY Refunds DESC, reason""",
        ("Total",),
    ),
    "stock": Report(
        "Low stock",
        """SELECT sku AS SKU, name AS Product, stock AS Stock FROM products WHERE state = 'Enabled' AND stock <
            (SELECT CAST(value AS INTEGER) FROM settings WHERE key = 'Low stock below')
            ORDER BY stock, id LIMIT 500""",
        dated=False,
    ),
    "reviews": Report(
        "Products by reviews",
        """SELECT sku AS SKU, products.name AS Product, count(*) AS Reviews, round(avg(reviews.rating), 1) AS Rating
            FROM reviews JOIN products ON products.id = product WHERE reviews.state = 'Approved' AND
            substr(reviews.created, 1, 10) BETWEEN ?1 AND ?2 GROUP BY product
            ORDER BY Reviews DESC, product LIMIT 50""",
    ),
    "searches": Report(
        "Searches",
        "SELECT term AS Term, uses AS Uses, results AS Results FROM terms ORDER BY uses DESC, id LIMIT 100",
        dated=False,
    ),
}


def table_of(store: Store, name: str, since: str = "", until: str = "", period: str = "Month") -> list[dict[str, Any]]:
    """The rows of a report, by column.

    Args:
        store: The database.
        name: Of the report.
        since, until: First and last day; empty for no bound.
        period: That sales are summed over: `Day`, `Month` or `Year`.
    """
    report = REPORTS[name]
    query = report.query.replace("{width}", str(PERIODS[period]))
    days = (since or ALL_DAYS[0], until or ALL_DAYS[1]) if report.dated else ()
    return [dict(row) for row in store.all(query, *days)]


@for_area("reports")
def _reports(site: SiteApplication, visit: Visit) -> Answer:
    return show("reports", reports=REPORTS)


@for_area("reports")
def _report(site: SiteApplication, visit: Visit) -> Answer:
    name = visit.path["name"]
    if name not in REPORTS:
        return missing("report")
    since, until = (visit.query.get(key, "").strip() for key in ("since", "until"))
    period = visit.query.get("period", "") or "Month"
    wrong = next((f"“{day}” is no day; write it like 2026-03-01." for day in (since, until) if day and not is_day(day)),
                 "" if period in PERIODS else f"Choose a period: {', '.join(PERIODS)}.")  # fmt: skip
    rows = [] if wrong else table_of(site.store, name, since, until, period)
    sums = {key: sum(row[key] or 0 for row in rows) for key in REPORTS[name].sums}
    return show("report", 422 if wrong else 200, wrong=wrong, name=name, report=REPORTS[name], rows=rows,
                sums=sums, since=since, until=until, period=period, periods=list(PERIODS))  # fmt: skip


ROUTES: Routes = [("GET", "/reports", _reports), ("GET", "/reports/{name}", _report)]
