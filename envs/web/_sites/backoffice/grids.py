"""The grids of the administration: tables of orders, products, customers and so on, with filters and orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from agentgym.envs.web._sites.application import Answer, Page, Routes, SiteApplication, Visit, paged, show
from agentgym.envs.web._sites.backoffice.access import MAY, for_area
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.reading import Unreadable, holds, in_cents, is_day
from agentgym.envs.web._sites.shop.sales import PAYMENTS, RETURN_STATES, STATES

REVIEW_STATES = ["Pending", "Approved", "Rejected"]
PRODUCT_STATES = ["Enabled", "Disabled"]
GROUPS = ["General", "Member", "Wholesale"]
MESSAGE_STATES = ["Open", "Answered"]
COUPON_STATES = ["Active", "Inactive"]
WHO = "users.first || ' ' || users.last"
SIZE, LONGEST = 20, 10  # rows of a page; digits of a whole number


@dataclass(frozen=True)
class Filter:
    """A field above a grid.

    Attributes:
        label: What people read.
        test: A condition with one `?`.
        kind: `has` for words, `is` for all of a text, `money` for an amount, `count` for a whole number,
            `day` for a date.
        options: To choose from; empty for free text.
    """

    label: str
    test: str
    kind: str = "is"
    options: tuple[str, ...] = ()

    def read(self, value: str) -> str | int:
        """What its condition is given for something that was written or chosen.

        Args:
            value: Not empty.

        Raises:
            Unreadable: If it is none of the options, or nothing of its kind.
        """
        if self.options:
            if value not in self.options:
                raise Unreadable(f"{self.label}: choose among {', '.join(self.options)} in place of “{value}”.")
        elif self.kind == "money":
            cents = in_cents(value)
            if cents is None:
                raise Unreadable(f"{self.label}: “{value}” is no amount; write it like 12.50.")
            return cents
        elif self.kind == "count":
            if not (value.isascii() and value.isdigit() and len(value) < LONGEST):
                raise Unreadable(f"{self.label}: “{value}” is no whole number; write it like 12.")
            return int(value)
        elif self.kind == "day" and not is_day(value):
            raise Unreadable(f"{self.label}: “{value}” is no day; write it like 2026-03-01.")
        return value


def has(label: str, what: str) -> Filter:
    """A filter for words.

    Args:
        label: What people read.
        what: The expression that must hold them.
    """
    return Filter(label, holds(what), "has")


@dataclass(frozen=True)
class Grid:
    """A table of one kind of thing.

    Attributes:
        name: Of its address.
        title: What people read.
        area: Who may see it.
        source: What stands behind FROM, a join.
        columns: Heading to expression; of amounts in cents the expression is named `money`.
        filters: By key.
        order: Of the rows, unless another column is asked for.
        key: The expression that its rows' pages are named by; empty where rows have none.
        new: The words of the link to the form for a new one; empty where none is made by hand.
    """

    name: str
    title: str
    area: str
    source: str
    columns: Mapping[str, str]
    filters: Mapping[str, Filter]
    order: str
    key: str = ""
    way: str = ""
    amounts: Sequence[str] = field(default_factory=tuple)
    new: str = ""


ORDER = "JOIN orders ON orders.id = order_id JOIN users ON users.id = orders.user"
SINCE, UNTIL = "substr({}.created, 1, 10) >= ?", "substr({}.created, 1, 10) <= ?"


def _days(table: str) -> dict[str, Filter]:
    return {"since": Filter("From day", SINCE.format(table), "day"),
            "until": Filter("To day", UNTIL.format(table), "day")}  # fmt: skip


def _documents(name: str, title: str, more: Mapping[str, str], filters: Mapping[str, Filter]) -> Grid:
    """A grid of what orders lead to: invoices, shipments, refunds."""
    columns = {"Number": f"{name}.number", "Date": f"{name}.created", "Order": "orders.number", "Customer": WHO, **more}
    found = {"number": Filter("Number", f"{name}.number = ?"), "order": Filter("Order", "orders.number = ?"),
             "customer": has("Customer", WHO), **filters, **_days(name)}  # fmt: skip
    amounts = ("Total",) if "Total" in more else ()
    return Grid(name, title, "orders", f"{name} {ORDER}", columns, found, f"{name}.id DESC", "orders.number", "orders",
                amounts)  # fmt: skip


GRIDS = (
    Grid(
        "orders", "Orders", "orders", "orders JOIN users ON users.id = orders.user",
        {"Number": "orders.number", "Date": "orders.created", "Customer": WHO, "Email": "users.email",
         "State": "orders.state",
         "Products": "(SELECT sum(quantity) FROM order_lines WHERE order_id = orders.id)", "Coupon": "coupon",
         "Payment": "payment", "Total": "total"},
        {"number": Filter("Number", "orders.number = ?"), "customer": has("Customer", WHO),
         "email": has("Email", "users.email"), "state": Filter("State", "orders.state = ?", options=tuple(STATES)),
         "payment": Filter("Payment", "payment = ?", options=tuple(PAYMENTS)), "coupon": Filter("Coupon", "coupon = ?"),
         "low": Filter("Total from", "total >= ?", "money"), "high": Filter("Total to", "total <= ?", "money"),
         **_days("orders")},
        "orders.id DESC", "orders.number", "orders", ("Total",),
    ),
    _documents("invoices", "Invoices", {"Total": "invoices.total"}, {}),
    _documents("shipments", "Shipments", {"Carrier": "carrier", "Tracking number": "tracking"},
               {"carrier": has("Carrier", "carrier"), "tracking": Filter("Tracking number", "tracking = ?")}),
    _documents("refunds", "Refunds", {"Reason": "reason", "Total": "refunds.total"},
               {"reason": has("Reason", "reason")}),
    Grid(
        "products", "Products", "products", "products JOIN categories ON categories.id = category",
        {"ID": "products.id", "SKU": "sku", "Name": "products.name", "Category": "categories.name", "Price": "price",
         "Special price": "special", "Stock": "stock", "State": "products.state"},
        {"sku": Filter("SKU", "sku = ?"), "name": has("Name", "products.name"), "brand": has("Brand", "brand"),
         "category": has("Category", "categories.name"),
         "state": Filter("State", "products.state = ?", options=tuple(PRODUCT_STATES)),
         "low": Filter("Price from", "price >= ?", "money"), "high": Filter("Price to", "price <= ?", "money"),
         "least": Filter("Stock from", "stock >= ?", "count"), "most": Filter("Stock to", "stock <= ?", "count")},
        "products.id", "products.id", "products", ("Price", "Special price"), "Add product",
    ),
    Grid(
        "customers", "Customers", "customers",
        "users LEFT JOIN addresses ON addresses.user = users.id AND addresses.main = 1",
        {"ID": "users.id", "Name": WHO, "Account": "users.name", "Email": "users.email", "Group": "users.kind",
         "City": "addresses.city", "Since": "joined",
         "Orders": "(SELECT count(*) FROM orders WHERE orders.user = users.id)",
         "Newsletter": "CASE newsletter WHEN 1 THEN 'Yes' ELSE 'No' END"},
        {"name": has("Name", WHO), "email": has("Email", "users.email"),
         "group": Filter("Group", "users.kind = ?", options=tuple(GROUPS)), "city": has("City", "addresses.city"),
         "since": Filter("Since day", "joined >= ?", "day"), "until": Filter("Until day", "joined <= ?", "day")},
        "users.id", "users.id", "customers",
    ),
    Grid(
        "reviews", "Reviews", "reviews", "reviews JOIN products ON products.id = product",
        {"ID": "reviews.id", "Date": "reviews.created", "Product": "products.name", "SKU": "sku",
         "Nickname": "nickname", "Rating": "reviews.rating", "Summary": "title", "State": "reviews.state"},
        {"state": Filter("State", "reviews.state = ?", options=tuple(REVIEW_STATES)),
         "rating": Filter("Rating", "reviews.rating = CAST(? AS INTEGER)", options=tuple("12345")),
         "product": has("Product", "products.name"), "sku": Filter("SKU", "sku = ?"),
         "nickname": has("Nickname", "nickname"), "words": has("Words", "title || ' ' || body"), **_days("reviews")},
        "reviews.created DESC, reviews.id DESC", "reviews.id", "reviews",
    ),
    Grid(
        "returns", "Returns", "returns", f"returns JOIN order_lines ON order_lines.id = line {ORDER}",
        {"Number": "returns.number", "Date": "returns.created", "Order": "orders.number", "Customer": WHO,
         "Product": "order_lines.name", "Reason": "reason", "Wanted": "wish", "State": "returns.state"},
        {"number": Filter("Number", "returns.number = ?"), "order": Filter("Order", "orders.number = ?"),
         "customer": has("Customer", WHO), "reason": has("Reason", "reason"),
         "state": Filter("State", "returns.state = ?", options=tuple(RETURN_STATES)), **_days("returns")},
        "returns.created DESC, returns.id DESC", "returns.number", "returns",
    ),
    Grid(
        "promotions", "Promotions", "promotions", "coupons",
        {"Code": "code", "Title": "title", "Discount": "CASE kind WHEN 'Percent' THEN amount || ' %' ELSE "
         "printf('$%d.%02d', amount / 100, amount % 100) END", "From": "begins", "To": "ends", "Uses": "uses",
         "State": "CASE active WHEN 1 THEN 'Active' ELSE 'Inactive' END"},
        {"code": has("Code", "code"), "title": has("Title", "title"),
         "state": Filter("State", "CASE active WHEN 1 THEN 'Active' ELSE 'Inactive' END = ?",
                         options=tuple(COUPON_STATES))},
        "coupons.id", "coupons.id", "promotions", (), "Add promotion",
    ),
    Grid(
        "terms", "Search terms", "terms", "terms",
        {"Term": "term", "Results": "results", "Uses": "uses", "Redirect": "redirect", "Latest": "latest"},
        {"term": has("Term", "term"), "results": Filter("Results to", "results <= ?", "count"),
         "uses": Filter("Uses from", "uses >= ?", "count")},
        "terms.uses DESC, terms.id", "terms.id", "terms", (), "Add search term",
    ),
    Grid(
        "messages", "Messages", "messages", "messages",
        {"ID": "messages.id", "Date": "created", "Name": "name", "Email": "email", "Message": "body", "State": "state"},
        {"name": has("Name", "name"), "words": has("Words", "body"),
         "state": Filter("State", "state = ?", options=tuple(MESSAGE_STATES))},
        "messages.created DESC, messages.id DESC", "messages.id", "messages",
    ),
    Grid(
        "staff", "Staff", "staff", "users",
        {"Account": "users.name", "Name": WHO, "Role": "role", "Email": "email", "Since": "joined"},
        {"name": has("Name", f"users.name || ' ' || {WHO}"), "role": Filter("Role", "role = ?", options=tuple(MAY))},
        "users.id", "users.id", "staff", (), "Add staff account",
    ),
)  # fmt: skip
WITHIN = {"customers": "users.role = 'Customer'", "staff": "users.role != 'Customer'"}


def rows_of(store: Store, grid: Grid, asked: Mapping[str, str], order: str = "", down: bool = False) -> list[Any]:
    """The rows that filters leave.

    Args:
        store: The database.
        grid: Which.
        asked: Values of the filters by key; empty for any.
        order: The heading of the column that they are ordered by; empty for the grid's own order.
        down: Whether the largest comes first.

    Raises:
        Unreadable: If the value of a filter cannot be read.
    """
    where = WITHIN.get(grid.name, "1")
    given: list[Any] = []
    for key, one in grid.filters.items():
        value = asked.get(key, "").strip()
        if value:
            where += f" AND {one.test}"
            given.append(one.read(value))
    columns = ", ".join(f"{what} AS '{heading}'" for heading, what in grid.columns.items())
    by = f"{grid.columns[order]} {'DESC' if down else 'ASC'}, {grid.order}" if order in grid.columns else grid.order
    query = f"SELECT {grid.key} AS row_key, {columns} FROM {grid.source} WHERE {where} ORDER BY {by}"
    return store.all(query, *given)


def _page(grid: Grid) -> Page:
    """The page of a grid."""

    @for_area(grid.area)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """The rows of the `site` that the query of the `visit` asks for, sorted, a page of them."""
        asked = {key: visit.query.get(key, "").strip() for key in grid.filters}
        order, down = visit.query.get("sort", ""), visit.query.get("down", "") == "1"
        wrong = ""
        try:
            rows = rows_of(site.store, grid, asked, order, down)
        except Unreadable as error:
            rows, wrong = [], str(error)
        place = paged(visit, len(rows), SIZE)
        more = urlencode({key: value for key, value in asked.items() if value})
        kept = urlencode({"sort": order, "down": "1" if down else "0"}) if order in grid.columns else ""
        return show("grid", 422 if wrong else 200, wrong=wrong, grid=grid, asked=asked, order=order, down=down,
                    rows=rows[place["start"] : place["start"] + SIZE], more=f"&{more}" if more else "",
                    kept=f"&{kept}" if kept else "", **place)  # fmt: skip

    return page


ROUTES: Routes = [("GET", f"/{grid.name}", _page(grid)) for grid in GRIDS]
