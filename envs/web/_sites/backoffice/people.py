"""Customers, messages, staff and settings in the administration."""

from __future__ import annotations

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    missing,
    refused,
    show,
    visitor,
)
from agentgym.envs.web._sites.backoffice.access import MAY, for_area
from agentgym.envs.web._sites.backoffice.grids import GROUPS
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.reading import in_cents
from agentgym.envs.web._sites.shop.account import EMAIL
from agentgym.envs.web._sites.shop.app import NAME, SHORTEST_PASSWORD

CUSTOMER = "SELECT * FROM users WHERE id = ? AND role = 'Customer'"
STAFF = "SELECT * FROM users WHERE id = ? AND role != 'Customer'"


@for_area("customers")
def _customer(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(CUSTOMER, visit.path["number"])
    return missing("customer") if row is None else _customer_page(site, row, row["kind"], row["email"], "")


def _customer_page(site: SiteApplication, row: Row, kind: str, email: str, wrong: str) -> Answer:
    store, number = site.store, row["id"]
    spent = "SELECT coalesce(sum(total), 0) FROM orders WHERE user = ? AND state NOT IN ('Canceled', 'Refunded')"
    return show(
        "customer", 422 if wrong else 200, row=row, kind=kind, email=email, wrong=wrong, groups=GROUPS,
        spent=store.value(spent, number),
        addresses=store.all("SELECT * FROM addresses WHERE user = ? ORDER BY main DESC, id", number),
        orders=store.all("SELECT * FROM orders WHERE user = ? ORDER BY id DESC", number),
        reviews=store.all("SELECT reviews.*, name, sku FROM reviews JOIN products ON products.id = product WHERE "
                          "author = ? ORDER BY reviews.created DESC LIMIT 20", number),
    )  # fmt: skip


@for_area("customers")
def _save_customer(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(CUSTOMER, visit.path["number"])
    if row is None:
        return missing("customer")
    kind, email = visit.form.get("kind", ""), visit.form.get("email", "")
    if kind not in GROUPS or not EMAIL.fullmatch(email):
        wrong = f"Choose a group ({', '.join(GROUPS)}) and write an email address such as ada@post.example."
        return _customer_page(site, row, kind, email, wrong)
    site.store.do("UPDATE users SET kind = ?, email = ? WHERE id = ?", kind, email, row["id"])
    return go_to(f"/customers/{row['id']}", notice="The customer is saved.")


@for_area("messages")
def _message(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one("SELECT * FROM messages WHERE id = ?", visit.path["number"])
    return missing("message") if row is None else show("message_page", row=row)


@for_area("messages")
def _answer_message(site: SiteApplication, visit: Visit) -> Answer:
    state = "Answered" if "answered" in visit.form else "Open"
    site.store.do("UPDATE messages SET state = ? WHERE id = ?", state, visit.path["number"])
    return go_to(f"/messages/{visit.path['number']}", notice=f"The message is {state.lower()}.")


@for_area("staff")
def _member(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(STAFF, visit.path["number"])
    return missing("staff account") if row is None else show("staff", row=row, roles=list(MAY), may=MAY)


@for_area("staff")
def _save_member(site: SiteApplication, visit: Visit) -> Answer:
    row, role = site.store.one(STAFF, visit.path["number"]), visit.form.get("role", "")
    if row is None or role not in MAY:
        return missing("staff account") if row is None else refused(f"Choose a role: {', '.join(MAY)}.")
    if row["id"] == visitor(visit)["id"]:
        return refused("Nobody changes the role of their own account.")
    site.store.do("UPDATE users SET role = ? WHERE id = ?", role, row["id"])
    return go_to(f"/staff/{row['id']}", notice=f"{row['name']} is {role}.")


@for_area("staff")
def _new_member_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("staff_form", wrong="", roles=list(MAY), given=dict.fromkeys(("name", "first", "last", "role"), ""))


@for_area("staff")
def _new_member(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("name", "first", "last", "role")}
    password = visit.form.get("password", "")
    wrong = ""
    if not NAME.fullmatch(given["name"]) or site.store.one("SELECT 1 FROM users WHERE name = ?", given["name"]):
        wrong = "An account name has 3 to 30 small letters, digits and dots, and is not taken."
    elif not given["first"] or not given["last"] or given["role"] not in MAY:
        wrong = f"First and last name are needed, and a role: {', '.join(MAY)}."
    elif len(password) < SHORTEST_PASSWORD:
        wrong = f"A password has at least {SHORTEST_PASSWORD} characters."
    if wrong:
        return show("staff_form", 422, wrong=wrong, roles=list(MAY), given=given)
    number = site.store.do(
        "INSERT INTO users VALUES (NULL, ?, ?, ?, ?, ?, ?, 'Staff', ?, 0)", given["name"], password, given["role"],
        given["first"], given["last"], f"{given['name']}@marketway.example", site.store.now[:10],
    )  # fmt: skip
    return go_to(f"/staff/{number}", notice="The account is there.")


@for_area("settings")
def _settings_page(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all("SELECT * FROM settings ORDER BY rowid")
    return show("settings", wrong="", given={row["key"]: row["value"] for row in rows})


@for_area("settings")
def _settings(site: SiteApplication, visit: Visit) -> Answer:
    known = [row[0] for row in site.store.all("SELECT key FROM settings ORDER BY rowid")]
    given = {key: visit.form.get(key, "") for key in known}
    wrong, free = "", in_cents(given["Free shipping from"])
    if free is None:
        wrong = "The order from which shipping is free is an amount such as 75.00."
    elif not (
        given["Low stock below"].isascii() and given["Low stock below"].isdigit() and len(given["Low stock below"]) < 5
    ):
        wrong = "A low stock is a whole number."
    elif not EMAIL.fullmatch(given["Contact email"]) or not given["Store name"]:
        wrong = "A name and an email address such as help@marketway.example are needed."
    if wrong:
        return show("settings", 422, wrong=wrong, given=given)
    assert free is not None, "it was read above"
    given["Free shipping from"] = f"{free // 100}.{free % 100:02}"
    for key, value in given.items():
        site.store.do("UPDATE settings SET value = ? WHERE key = ?", value, key)
    return go_to("/settings", notice="The settings are saved.")


ROUTES: Routes = [
    ("GET", "/customers/{number:int}", _customer),
    ("POST", "/customers/{number:int}", _save_customer),
    ("GET", "/messages/{number:int}", _message),
    ("POST", "/messages/{number:int}", _answer_message),
    ("GET", "/staff/new", _new_member_page),
    ("POST", "/staff/new", _new_member),
    ("GET", "/staff/{number:int}", _member),
    ("POST", "/staff/{number:int}", _save_member),
    ("GET", "/settings", _settings_page),
    ("POST", "/settings", _settings),
]
