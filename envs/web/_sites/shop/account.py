"""What customers of the shop keep: orders and returns, addresses, reviews, and what is known about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Page,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    members_only,
    missing,
    paged,
    refused,
    show,
    visitor,
)
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.shop.cart import is_count, put
from agentgym.envs.web._sites.shop.catalogue import PRODUCTS
from agentgym.envs.web._sites.shop.content import words
from agentgym.envs.web._sites.shop.sales import WISHES, numbered

SIZE = 10
FIELDS = ("recipient", "street", "city", "postcode", "country", "phone")
COUNTRIES = ["Norland", "Westmark", "Sudria"]
EMAIL = re.compile(r"[^@\s]{1,60}@[^@\s]{1,60}\.[a-z]{2,12}")
ORDERS = "SELECT * FROM orders WHERE user = ? ORDER BY id DESC"
SHORTEST_PASSWORD = 8
Deed = Callable[[SiteApplication, Visit, Row], Answer]


def _on_order(deed: Deed) -> Page:
    """A page of an order of the visitor's own."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed on the order that the path of the `visit` names, if the `site` has it for this visitor."""
        row = site.store.one("SELECT * FROM orders WHERE number = ? AND user = ?", visit.path["number"],
                             visitor(visit)["id"])  # fmt: skip
        return missing("order") if row is None else deed(site, visit, row)

    return members_only(page)


@members_only
def _overview(site: SiteApplication, visit: Visit) -> Answer:
    own = visitor(visit)["id"]
    main = site.store.one("SELECT * FROM addresses WHERE user = ? AND main = 1", own)
    nothing = dict.fromkeys(FIELDS, "")
    return show("account", main=main or nothing, orders=site.store.all(f"{ORDERS} LIMIT 5", own))


@members_only
def _orders(site: SiteApplication, visit: Visit) -> Answer:
    own = visitor(visit)["id"]
    place = paged(visit, site.store.value("SELECT count(*) FROM orders WHERE user = ?", own), SIZE)
    return show("orders", orders=site.store.all(f"{ORDERS} LIMIT ? OFFSET ?", own, SIZE, place["start"]), **place)


def followed(store: Store, order: int) -> dict[str, list[Row]]:
    """What became of an order: its lines, invoices, shipments, refunds and notes.

    Args:
        store: The database.
        order: Its id.
    """
    tables = {"lines": "order_lines", **{name: name for name in ("invoices", "shipments", "refunds", "notes")}}
    return {name: store.all(f"SELECT * FROM {table} WHERE order_id = ? ORDER BY id", order)
            for name, table in tables.items()}  # fmt: skip


def _order_page(site: SiteApplication, row: Row, wrong: str = "") -> Answer:
    found = followed(site.store, row["id"])
    found["notes"] = [one for one in found["notes"] if one["told"]]
    return show("order", 422 if wrong else 200, order=row, wrong=wrong, reasons=words()["return_reasons"],
                wanted=WISHES, **found)  # fmt: skip


@_on_order
def _order(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    return _order_page(site, row)


@_on_order
def _cancel(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    if row["state"] != "Pending":
        return refused("Only orders that are pending can be canceled.")
    cancel_order(site.store, row["id"])
    return go_to(f"/account/orders/{row['number']}", notice="The order is canceled.")


def cancel_order(store: Store, order: int) -> None:
    """Cancel an order: its goods go back into the stock.

    Args:
        store: The database.
        order: Its id.
    """
    store.do("UPDATE orders SET state = 'Canceled' WHERE id = ?", order)
    store.do("UPDATE products SET stock = stock + (SELECT sum(quantity) FROM order_lines WHERE order_id = ?1 AND "
             "product = products.id) WHERE id IN (SELECT product FROM order_lines WHERE order_id = ?1)",
             order)  # fmt: skip


@_on_order
def _again(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    """Put what was ordered into the cart once more."""
    store, wrong = site.store, []
    for line in store.all("SELECT * FROM order_lines WHERE order_id = ? ORDER BY id", row["id"]):
        product = store.one(f"{PRODUCTS} AND products.id = ?", line["product"])
        if product is None:
            wrong.append(f"{line['name']} is not sold any more.")
        elif said := put(store, visitor(visit)["id"], product, line["choice"], line["quantity"]):
            wrong.append(said)
    return go_to("/cart", notice=" ".join(wrong) or f"The products of order {row['number']} are in your cart.")


@_on_order
def _return(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    store, form = site.store, visit.form
    lines = store.all("SELECT * FROM order_lines WHERE order_id = ? ORDER BY id", row["id"])
    line = next((one for one in lines if str(one["id"]) == form.get("line", "")), None)
    if row["state"] != "Complete":
        return refused("Only what was delivered can be returned.")
    wrong = ""
    if line is None or form.get("reason") not in words()["return_reasons"] or form.get("wish") not in WISHES:
        wrong = "Choose a product, a reason and what you want."
    elif not is_count(form.get("quantity", "")) or int(form["quantity"]) > line["quantity"]:
        wrong = f"You bought {line['quantity']} of this product."
    elif store.one("SELECT 1 FROM returns WHERE line = ?", line["id"]):
        wrong = "There is a return of this product."
    if wrong or line is None:
        return _order_page(site, row, wrong)
    last = store.value("SELECT max(id) FROM returns") or 0
    store.do("INSERT INTO returns VALUES (?, ?, ?, ?, ?, ?, 'Requested', ?)", last + 1, numbered("returns", last + 1),
             line["id"], int(form["quantity"]), form["reason"], form["wish"], store.now)  # fmt: skip
    return go_to("/account/returns", notice="The return is requested.")


@members_only
def _returns(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all(
        "SELECT returns.*, order_lines.name, choice, orders.number AS order_number FROM returns JOIN order_lines ON "
        "order_lines.id = line JOIN orders ON orders.id = order_id WHERE user = ? ORDER BY returns.created DESC, "
        "returns.id DESC", visitor(visit)["id"]
    )  # fmt: skip
    return show("returns", returns=rows)


@members_only
def _reviews(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all(
        "SELECT reviews.*, products.name, sku FROM reviews JOIN products ON products.id = product WHERE author = ? "
        "ORDER BY reviews.id DESC", visitor(visit)["id"]
    )  # fmt: skip
    return show("my_reviews", reviews=rows)


@members_only
def _addresses(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all("SELECT * FROM addresses WHERE user = ? ORDER BY main DESC, id", visitor(visit)["id"])
    return show("addresses", addresses=rows)


def _own_address(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM addresses WHERE id = ? AND user = ?", visit.path["number"],
                          visitor(visit)["id"])  # fmt: skip


def address_objection(given: Mapping[str, str]) -> str:
    """What is wrong with an address; empty if nothing is."""
    if not all(1 <= len(given[key]) <= 80 for key in ("recipient", "street", "city")):
        return "Recipient, street and city are needed, each of at most 80 characters."
    if not (given["postcode"].isascii() and given["postcode"].isdigit() and len(given["postcode"]) == 5):
        return "A postcode has five digits."
    if given["country"] not in COUNTRIES:
        return f"Choose a country: {', '.join(COUNTRIES)}."
    return "" if re.fullmatch(r"[0-9+ -]{5,20}", given["phone"]) else "A phone number has digits and hyphens."


@members_only
def _address_page(site: SiteApplication, visit: Visit) -> Answer:
    own, row = visitor(visit), None
    if "number" in visit.path:
        row = _own_address(site, visit)
        if row is None:
            return missing("address")
    empty = {**dict.fromkeys(FIELDS, ""), "recipient": f"{own['first']} {own['last']}", "country": COUNTRIES[0]}
    return show("address_form", wrong="", number=row["id"] if row else 0, given=row or empty, countries=COUNTRIES)


@members_only
def _save_address(site: SiteApplication, visit: Visit) -> Answer:
    store, own, row = site.store, visitor(visit)["id"], None
    given = {key: visit.form.get(key, "") for key in FIELDS}
    if "number" in visit.path:
        row = _own_address(site, visit)
        if row is None:
            return missing("address")
    if wrong := address_objection(given):
        return show("address_form", 422, wrong=wrong, number=row["id"] if row else 0, given=given, countries=COUNTRIES)
    if row:
        sets = ", ".join(f"{key} = ?" for key in FIELDS)
        store.do(f"UPDATE addresses SET {sets} WHERE id = ?", *given.values(), row["id"])
    else:
        first = store.one("SELECT 1 FROM addresses WHERE user = ?", own) is None
        store.do("INSERT INTO addresses VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", own, *given.values(), int(first))
    return go_to("/account/addresses", notice="The address is saved.")


@members_only
def _main_address(site: SiteApplication, visit: Visit) -> Answer:
    row = _own_address(site, visit)
    if row is None:
        return missing("address")
    site.store.do("UPDATE addresses SET main = (id = ?) WHERE user = ?", row["id"], row["user"])
    return go_to("/account/addresses")


@members_only
def _delete_address(site: SiteApplication, visit: Visit) -> Answer:
    row = _own_address(site, visit)
    if row is None or row["main"]:
        return refused("The main address cannot be deleted.") if row else missing("address")
    site.store.do("DELETE FROM addresses WHERE id = ?", row["id"])
    return go_to("/account/addresses", notice="The address is deleted.")


@members_only
def _edit_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("account_form", wrong="", given=visitor(visit))


@members_only
def _edit(site: SiteApplication, visit: Visit) -> Answer:
    given: dict[str, Any] = {key: visit.form.get(key, "") for key in ("first", "last", "email")}
    given["newsletter"] = int("newsletter" in visit.form)
    fine = all(1 <= len(given[key]) <= 40 for key in ("first", "last")) and EMAIL.fullmatch(given["email"])
    if not fine:
        wrong = "First name, last name and an email address such as ada@post.example are needed."
        return show("account_form", 422, wrong=wrong, given=given)
    site.store.do("UPDATE users SET first = ?, last = ?, email = ?, newsletter = ? WHERE id = ?", *given.values(),
                  visitor(visit)["id"])  # fmt: skip
    return go_to("/account", notice="Your account is saved.")


@members_only
def _password(site: SiteApplication, visit: Visit) -> Answer:
    own, new = visitor(visit), visit.form.get("new", "")
    wrong = "" if visit.form.get("old") == own["password"] else "The old password is wrong."
    if not wrong and len(new) < SHORTEST_PASSWORD:
        wrong = f"A password has at least {SHORTEST_PASSWORD} characters."
    if wrong:
        return show("account_form", 422, wrong=wrong, given=own)
    site.store.do("UPDATE users SET password = ? WHERE id = ?", new, own["id"])
    return go_to("/account", notice="Your password is changed.")


ORDER, A = "/account/orders/{number}", "/account/addresses"
ROUTES: Routes = [
    ("GET", "/account", _overview),
    ("GET", "/account/orders", _orders),
    ("GET", ORDER, _order),
    ("POST", ORDER + "/cancel", _cancel),
    ("POST", ORDER + "/again", _again),
    ("POST", ORDER + "/return", _return),
    ("GET", "/account/returns", _returns),
    ("GET", "/account/reviews", _reviews),
    ("GET", A, _addresses),
    ("GET", A + "/new", _address_page),
    ("POST", A + "/new", _save_address),
    ("GET", A + "/{number:int}", _address_page),
    ("POST", A + "/{number:int}", _save_address),
    ("POST", A + "/{number:int}/main", _main_address),
    ("POST", A + "/{number:int}/delete", _delete_address),
    ("GET", "/account/edit", _edit_page),
    ("POST", "/account/edit", _edit),
    ("POST", "/account/password", _password),
]
