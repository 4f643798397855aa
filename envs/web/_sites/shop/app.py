"""The shop: its routes, its front page, accounts that are made there, and what visitors write to it."""

from __future__ import annotations

import re

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    session_of,
    show,
    sign_in,
    sign_in_page,
    sign_out,
)
from agentgym.envs.web._sites.database import Store, ago, fresh_store
from agentgym.envs.web._sites.shop import account, cart, catalogue
from agentgym.envs.web._sites.shop.content import original
from agentgym.envs.web._sites.shop.tints import TINTS

HOST = "shop.test"
NAME = re.compile(r"[a-z][a-z0-9.]{2,29}")
EMAIL = re.compile(r"[^@\s]{1,60}@[^@\s]{1,60}\.[a-z]{2,12}")
SHORTEST_PASSWORD, LONGEST_MESSAGE = 8, 2000
MONTH = ago(30 * 1440)


def new_store(seed: int = 0) -> Store:
    """The database of the shop and of its administration at the beginning of an episode.

    Args:
        seed: Of the content.
    """
    return fresh_store(original(seed))


def build_shop(store: Store) -> SiteApplication:
    """The shop over a database.

    Args:
        store: Of `new_store`; the administration may have the same.
    """
    departments = store.all("SELECT * FROM categories WHERE parent = 0 ORDER BY id")
    return SiteApplication("shop", ROUTES, store, {"departments": departments, "tints": TINTS})


def _home(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    below = "SELECT * FROM categories WHERE parent = ? ORDER BY id"
    departments = store.all("SELECT * FROM categories WHERE parent = 0 ORDER BY id")
    best = store.all(
        f"{catalogue.PRODUCTS} AND products.id IN (SELECT product FROM order_lines JOIN orders ON orders.id = order_id "
        "WHERE orders.created > ? GROUP BY product ORDER BY sum(quantity) DESC, product LIMIT 8) ORDER BY products.id",
        MONTH,
    )
    sale = store.all(f"{catalogue.PRODUCTS} AND special > 0 AND stock > 0 ORDER BY products.created DESC, products.id "
                     "LIMIT 8")  # fmt: skip
    tree = [(one, store.all(below, one["id"])) for one in departments]
    return show("home", tree=tree, best=best, sale=sale)


def _contact_page(site: SiteApplication, visit: Visit) -> Answer:
    own = visit.user
    given = {"name": f"{own['first']} {own['last']}" if own else "", "email": own["email"] if own else "", "body": ""}
    return show("contact", wrong="", given=given, **_imprint(site))


def _imprint(site: SiteApplication) -> dict[str, str]:
    """Name and address of the shop, as its settings say."""
    rows = site.store.all("SELECT key, value FROM settings")
    known = {row["key"]: row["value"] for row in rows}
    return {"store": known["Store name"], "contact": known["Contact email"]}


def _contact(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("name", "email", "body")}
    wrong = ""
    if not EMAIL.fullmatch(given["email"]):
        wrong = "Write an email address such as ada@post.example."
    elif not given["name"] or not 1 <= len(given["body"]) <= LONGEST_MESSAGE:
        wrong = f"A message has a name and 1 to {LONGEST_MESSAGE} characters."
    if wrong:
        return show("contact", 422, wrong=wrong, given=given, **_imprint(site))
    site.store.do("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, 'Open')", *given.values(), site.store.now)
    return go_to("/contact", notice="Thank you; we will answer soon.")


def _register_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("register", wrong="", given=dict.fromkeys(("name", "first", "last", "email"), ""))


def _register(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("name", "first", "last", "email")}
    password = visit.form.get("password", "")
    wrong = ""
    if not NAME.fullmatch(given["name"]):
        wrong = "An account name has 3 to 30 small letters, digits and dots, and begins with a letter."
    elif site.store.one("SELECT 1 FROM users WHERE name = ?", given["name"]):
        wrong = "There is an account of this name."
    elif not given["first"] or not given["last"] or not EMAIL.fullmatch(given["email"]):
        wrong = "First name, last name and an email address are needed."
    elif len(password) < SHORTEST_PASSWORD:
        wrong = f"A password has at least {SHORTEST_PASSWORD} characters."
    if wrong:
        return show("register", 422, wrong=wrong, given=given)
    site.store.do(
        "INSERT INTO users VALUES (NULL, ?, ?, 'Customer', ?, ?, ?, 'General', ?, 0)", given["name"], password,
        given["first"], given["last"], given["email"], site.store.now[:10],
    )  # fmt: skip
    return Answer(
        way="/account/addresses/new?notice=Welcome.+Where+do+we+send+to%3F", session=session_of(given["name"])
    )


ROUTES: Routes = [
    ("GET", "/", _home),
    ("GET", "/contact", _contact_page),
    ("POST", "/contact", _contact),
    ("GET", "/register", _register_page),
    ("POST", "/register", _register),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    *catalogue.ROUTES,
    *cart.ROUTES,
    *account.ROUTES,
]
