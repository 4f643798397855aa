"""Templates over the administration of the shop that ask for information, or for a page."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from agentgym.envs.web._sites.application import money
from agentgym.envs.web._sites.backoffice.grids import GRIDS, rows_of
from agentgym.envs.web._sites.backoffice.reports import REPORTS, table_of
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._suite.drafts import OFFICE, Ask, Draft, Template, answer, place
from agentgym.envs.web._suite.shop_tasks import product

GRID = {grid.name: grid for grid in GRIDS}
WHERE = "the administration of the shop"
FIRST, LAST = date(2024, 4, 1), date(2026, 3, 10)


def order(ask: Ask, where: str = "1", *given: Any) -> tuple[Row, str]:
    """An order with its customer, and the way to it.

    Args:
        ask: What is drawn from.
        where: A condition on orders.
        given: What the condition asks for.
    """
    row = ask.row(ask.shop, "SELECT orders.*, first || ' ' || last AS customer FROM orders JOIN users ON users.id = "
                  f"user WHERE {where} ORDER BY orders.id", *given)  # fmt: skip
    return row, f"{OFFICE}/orders/{row['number']}"


def customer(ask: Ask, where: str = "1") -> tuple[Row, str, str]:
    """A customer, the way to the page, and the full name.

    Args:
        ask: What is drawn from.
        where: A condition on users.
    """
    row = ask.row(ask.shop, f"SELECT * FROM users WHERE role = 'Customer' AND {where} ORDER BY id")
    return row, f"{OFFICE}/customers/{row['id']}", f"{row['first']} {row['last']}"


def days(ask: Ask, *lengths: int) -> tuple[str, str]:
    """First and last day of a while.

    Args:
        ask: What is drawn from.
        lengths: In days, of which one is drawn.
    """
    length = ask.pick(lengths)
    begin = FIRST + timedelta(days=ask.pick(range((LAST - FIRST).days - length)))
    return begin.isoformat(), (begin + timedelta(days=length - 1)).isoformat()


def _grid(name: str, **asked: str) -> str:
    return f"{OFFICE}/{name}?{urlencode(asked)}"


def _count(ask: Ask, name: str, said: str, /, **asked: str) -> Draft:
    """How many rows the filters of a grid leave; of none, something else is asked."""
    count = len(rows_of(ask.shop, GRID[name], asked))
    if not count:
        return ordered_by(ask)
    return answer(OFFICE, _grid(name, **asked), f"the number of {said} in {WHERE}", count, "number")


def ordered_by(ask: Ask) -> Draft:
    """Who placed an order."""
    row, way = order(ask)
    key, said, told = ask.pick((("name of the customer who placed order", row["customer"], "name"),
                                ("total of order", money(row["total"]), "amount"),
                                ("city that is the goal of order", row["city"], "name"),
                                ("day of order", row["created"][:10], "day")))  # fmt: skip
    return answer(OFFICE, way, f"the {key} {row['number']} in {WHERE}", said, told)


def orders_like(ask: Ask) -> Draft:
    """How many orders filters leave."""
    since, until = days(ask, 20, 30, 60, 90)
    low = ask.pick((50, 100, 150, 200, 300))
    state = ask.pick(("Complete", "Canceled", "Refunded", "Complete"))
    words = f"orders from {since} to {until} with the state {state} and a total of at least {money(low * 100)}"
    return _count(ask, "orders", words, state=state, low=str(low), since=since, until=until)


def stock(ask: Ask) -> Draft:
    """How many of a product are there."""
    row, _, named = product(ask, "1")
    return answer(OFFICE, f"{OFFICE}/products/{row['id']}", f"the stock of {named} in {WHERE}", row["stock"], "number")


def scarce(ask: Ask) -> Draft:
    """How many products of a category are nearly sold out."""
    row, _, _ = product(ask)
    most = ask.pick((0, 2, 4, 10, 20, 40))
    words = f"products of the category {row['category_name']} with a stock of {most} or less, enabled or not,"
    return _count(ask, "products", words, category=row["category_name"], most=str(most))


def reviews_like(ask: Ask) -> Draft:
    """How many reviews are like that."""
    kept = ask.pick(("", "Pending", "Rejected"))
    row = ask.row(ask.shop, "SELECT reviews.state, reviews.rating, type FROM reviews JOIN products ON products.id = "
                  "product WHERE ?1 IN ('', reviews.state) ORDER BY reviews.id", kept)  # fmt: skip
    words = f"reviews with the state {row['state']} and the rating {row['rating']} of products named {row['type']}"
    return _count(ask, "reviews", words, state=row["state"], rating=str(row["rating"]), product=row["type"])


def sales_sum(ask: Ask) -> Draft:
    """What was sold in some days."""
    since, until = days(ask, 7, 10, 14, 30, 45)
    rows = table_of(ask.shop, "sales", since, until)
    key, said, told = ask.pick((("total", money(sum(row["Total"] for row in rows)), "amount"),
                                ("number of orders", sum(row["Orders"] for row in rows), "number"),
                                ("sum of discounts", money(sum(row["Discounts"] for row in rows)),
                                 "amount")))  # fmt: skip
    way = f"{OFFICE}/reports/sales?{urlencode({'since': since, 'until': until})}"
    return answer(
        OFFICE, way, f"the {key} that the report on sales of {WHERE} gives for {since} to {until}", said, told
    )


def best(ask: Ask) -> Draft:
    """What sold best in some days."""
    name, column = ask.pick((("bestsellers", "Product"), ("brands", "Brand"), ("categories", "Category"),
                             ("customers", "Customer")))  # fmt: skip
    since, until = days(ask, 60, 90, 120, 180)
    rows = table_of(ask.shop, name, since, until)
    measure = "Sold" if name == "bestsellers" else "Orders" if name == "customers" else "Total"
    if len(rows) < 2 or rows[0][measure] == rows[1][measure]:
        return sales_sum(ask)
    way = f"{OFFICE}/reports/{name}?{urlencode({'since': since, 'until': until})}"
    most = {"Sold": "was sold most often", "Orders": "placed most orders", "Total": "sold for the largest total"}[
        measure
    ]
    words = f"the {column.lower()} that {most} from {since} to {until} by the report of {WHERE}"
    return answer(OFFICE, way, words, rows[0][column], "name")


def spent(ask: Ask) -> Draft:
    """What a customer has spent, or since when there is one."""
    row, way, named = customer(ask, "id IN (SELECT user FROM orders)")
    total = ask.shop.value("SELECT coalesce(sum(total), 0) FROM orders WHERE user = ? AND state NOT IN ('Canceled', "
                           "'Refunded')", row["id"])  # fmt: skip
    key, said, told = ask.pick((("amount spent by", money(total), "amount"), ("group of", row["kind"], "word"),
                                ("day of registration of", row["joined"], "day")))  # fmt: skip
    return answer(OFFICE, way, f"the {key} the customer {named} in {WHERE}", said, told)


def term(ask: Ask) -> Draft:
    """How often something was searched for."""
    row = ask.row(ask.shop, "SELECT * FROM terms ORDER BY id")
    key, said = ask.pick((("uses", row["uses"]), ("results", row["results"])))
    return answer(OFFICE, f"{OFFICE}/terms?term={row['term'].replace(' ', '+')}", f"the number of {key} of the search "
                  f"term “{row['term']}” in {WHERE}", said, "number")  # fmt: skip


def coupon_effect(ask: Ask) -> Draft:
    """What a coupon took off in a while."""
    since, until = days(ask, 180, 240, 300, 400)
    rows = table_of(ask.shop, "coupons", since, until)
    row = ask.pick(rows)
    key, said, told = ask.pick((("sum of discounts", money(row["Discounts"]), "amount"),
                                ("number of orders", row["Orders"], "number")))  # fmt: skip
    way = f"{OFFICE}/reports/coupons?{urlencode({'since': since, 'until': until})}"
    words = f"the {key} with the coupon {row['Coupon']} from {since} to {until} by the report of {WHERE}"
    return answer(OFFICE, way, words, said, told)


def parcel(ask: Ask) -> Draft:
    """What a tracking number belongs to."""
    row = ask.row(ask.shop, "SELECT shipments.*, orders.number AS order_number FROM shipments JOIN orders ON orders.id "
                  "= order_id ORDER BY shipments.id")  # fmt: skip
    return answer(OFFICE, _grid("shipments", tracking=row["tracking"]), "the number of the order that was sent with "
                  f"the tracking number {row['tracking']}, in {WHERE}", row["order_number"], "number")  # fmt: skip


def open_customer(ask: Ask) -> Draft:
    """The page of a customer."""
    _, way, named = customer(ask)
    return place(OFFICE, way, f"the page of the customer {named} in {WHERE}")


def open_review(ask: Ask) -> Draft:
    """The page of a review that waits."""
    row = ask.row(ask.shop, "SELECT reviews.*, name FROM reviews JOIN products ON products.id = product WHERE "
                  "reviews.state = 'Pending' AND (SELECT count(*) FROM reviews AS other WHERE other.product = "
                  "reviews.product AND other.nickname = reviews.nickname) = 1 ORDER BY reviews.id")  # fmt: skip
    return place(OFFICE, f"{OFFICE}/reviews/{row['id']}", f"the pending review by {row['nickname']} of “{row['name']}” "
                 f"in {WHERE}")  # fmt: skip


def open_orders(ask: Ask) -> Draft:
    """The grid of orders with filters."""
    state, low = ask.pick(("Pending", "Processing", "On hold", "Canceled", "Refunded")), ask.pick(range(20, 300, 10))
    return place(OFFICE, _grid("orders", state=state, low=str(low)), f"the list of orders in {WHERE}, filtered to "
                 f"those with the state {state} and a total from {low}")  # fmt: skip


def open_report(ask: Ask) -> Draft:
    """A report for some days."""
    name, report = ask.pick([(name, one) for name, one in REPORTS.items() if one.dated])
    since, until = days(ask, 28, 60, 90)
    return place(OFFICE, f"{OFFICE}/reports/{name}?{urlencode({'since': since, 'until': until})}", f"the report "
                 f"“{report.title}” of {WHERE} for the days from {since} to {until}")  # fmt: skip


TEMPLATES: tuple[Template, ...] = (
    ordered_by, orders_like, stock, scarce, reviews_like, sales_sum, best, spent, term, coupon_effect, parcel,
    open_customer, open_review, open_orders, open_report,
)  # fmt: skip
