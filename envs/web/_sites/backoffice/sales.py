"""Orders in the administration: notes, hold, cancel, invoice, ship, refund; returns of what was sold."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps

from agentgym.envs.web._sites.application import (
    Answer,
    Page,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    missing,
    show,
    visitor,
)
from agentgym.envs.web._sites.backoffice.access import for_area
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.shop.account import COUNTRIES, FIELDS, address_objection, cancel_order, followed
from agentgym.envs.web._sites.shop.content import words
from agentgym.envs.web._sites.shop.sales import RETURN_STATES, numbered

LONGEST_NOTE = 1000
TRACKING = re.compile(r"[A-Za-z0-9-]{6,30}")
FOLLOWING = {"Requested": ["Approved", "Declined"], "Approved": ["Received"], "Received": ["Closed"], "Closed": [],
             "Declined": []}  # fmt: skip
Deed = Callable[[SiteApplication, Visit, Row], Answer]
FULL = """SELECT orders.*, users.first, users.last, users.email, users.kind FROM orders JOIN users ON
    users.id = orders.user WHERE orders.number = ?"""


def _on_order(deed: Deed) -> Page:
    """A page of an order."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed on the order that the path of the `visit` names, if the `site` has it."""
        row = site.store.one(FULL, visit.path["number"])
        return missing("order") if row is None else deed(site, visit, row)

    return for_area("orders")(page)


def _back(row: Row, notice: str) -> Answer:
    return go_to(f"/orders/{row['number']}", notice=notice)


@_on_order
def _order(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    returns = site.store.all("SELECT returns.* FROM returns JOIN order_lines ON order_lines.id = line WHERE order_id = "
                             "? ORDER BY returns.id", row["id"])  # fmt: skip
    return show("order", order=row, returns=returns, carriers=words()["carriers"], reasons=words()["return_reasons"],
                **followed(site.store, row["id"]))  # fmt: skip


@_on_order
def _note(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    body = visit.form.get("body", "")
    if not 1 <= len(body) <= LONGEST_NOTE:
        return _back(row, f"A note has 1 to {LONGEST_NOTE} characters.")
    site.store.do("INSERT INTO notes VALUES (NULL, ?, ?, ?, ?, ?)", row["id"], visitor(visit)["name"], body,
                  int("told" in visit.form), site.store.now)  # fmt: skip
    return _back(row, "The note is added.")


def _moved(state: str, *allowed: str) -> Page:
    """Put an order into a state; from some others only."""

    @_on_order
    def page(site: SiteApplication, visit: Visit, row: Row) -> Answer:
        """Move the order (`row`) to its next state, whatever else the `visit` says, or tell why the `site` does not."""
        if row["state"] not in allowed:
            return _back(row, f"This takes an order that is {' or '.join(allowed).lower()}.")
        after = state
        if state == "released":
            invoiced = site.store.one("SELECT 1 FROM invoices WHERE order_id = ?", row["id"])
            after = "Processing" if invoiced else "Pending"
        if state == "Canceled":
            cancel_order(site.store, row["id"])
        else:
            site.store.do("UPDATE orders SET state = ? WHERE id = ?", after, row["id"])
        return _back(row, f"The order is {after.lower()}.")

    return page


def _document(table: str, before: str, after: str) -> Page:
    """Write an invoice, shipment or refund, and put the order into the next state."""

    @_on_order
    def page(site: SiteApplication, visit: Visit, row: Row) -> Answer:
        """Write the document of an order (`row`) with the form of the `visit`, or tell why the `site` does not."""
        store, form = site.store, visit.form
        if row["state"] != before:
            return _back(row, f"This takes an order that is {before.lower()}.")
        values: list[object] = [row["total"]]
        if table == "shipments":
            values = [form.get("carrier", ""), form.get("tracking", "")]
            if values[0] not in words()["carriers"] or not TRACKING.fullmatch(form.get("tracking", "")):
                return _back(row, "Choose a carrier and write a tracking number of 6 to 30 letters, digits or hyphens.")
        elif table == "refunds":
            values.append(form.get("reason", ""))
            if values[1] not in words()["return_reasons"]:
                return _back(row, f"Choose a reason: {', '.join(words()['return_reasons'])}.")
        last = store.value(f"SELECT max(id) FROM {table}") or 0
        gaps = ", ".join("?" * len(values))
        store.do(f"INSERT INTO {table} VALUES (?, ?, ?, ?, {gaps})", last + 1, numbered(table, last + 1), row["id"],
                 store.now, *values)  # fmt: skip
        store.do("UPDATE orders SET state = ? WHERE id = ?", after, row["id"])
        return _back(row, f"{numbered(table, last + 1)} is written.")

    return page


@_on_order
def _address_page(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    return show("order_address", wrong="", order=row, given=row, countries=COUNTRIES)


@_on_order
def _address(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    given = {key: visit.form.get(key, "") for key in FIELDS}
    wrong = address_objection(given)
    if row["state"] not in ("Pending", "Processing", "On hold"):
        wrong = "What was sent or canceled keeps its address."
    if wrong:
        return show("order_address", 422, wrong=wrong, order=row, given=given, countries=COUNTRIES)
    sets = ", ".join(f"{key} = ?" for key in FIELDS)
    site.store.do(f"UPDATE orders SET {sets} WHERE id = ?", *given.values(), row["id"])
    return _back(row, "The address is changed.")


RETURN = """SELECT returns.*, order_lines.name, order_lines.sku, order_lines.price, order_lines.choice, orders.number AS
    order_number, users.first, users.last, users.email FROM returns JOIN order_lines ON order_lines.id = line JOIN
    orders ON orders.id = order_id JOIN users ON users.id = orders.user WHERE returns.number = ?"""


@for_area("returns")
def _return(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(RETURN, visit.path["number"])
    return missing("return") if row is None else show("return", row=row, following=FOLLOWING[row["state"]])


@for_area("returns")
def _move_return(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(RETURN, visit.path["number"])
    if row is None:
        return missing("return")
    state = visit.form.get("state", "")
    if state not in FOLLOWING[row["state"]]:
        known = ", ".join(RETURN_STATES)
        return go_to(f"/returns/{row['number']}", notice=f"A return goes through {known}; it is {row['state']}.")
    site.store.do("UPDATE returns SET state = ? WHERE id = ?", state, row["id"])
    if state == "Received":
        site.store.do("UPDATE products SET stock = stock + ? WHERE sku = ?", row["quantity"], row["sku"])
    return go_to(f"/returns/{row['number']}", notice=f"The return is {state.lower()}.")


ORDER = "/orders/{number}"
ROUTES: Routes = [
    ("GET", ORDER, _order),
    ("POST", ORDER + "/note", _note),
    ("POST", ORDER + "/hold", _moved("On hold", "Pending", "Processing")),
    ("POST", ORDER + "/release", _moved("released", "On hold")),
    ("POST", ORDER + "/cancel", _moved("Canceled", "Pending", "On hold")),
    ("POST", ORDER + "/invoice", _document("invoices", "Pending", "Processing")),
    ("POST", ORDER + "/ship", _document("shipments", "Processing", "Complete")),
    ("POST", ORDER + "/refund", _document("refunds", "Complete", "Refunded")),
    ("GET", ORDER + "/address", _address_page),
    ("POST", ORDER + "/address", _address),
    ("GET", "/returns/{number}", _return),
    ("POST", "/returns/{number}", _move_return),
]
