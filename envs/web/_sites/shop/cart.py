"""Carts, coupons, wish lists and the checkout of the shop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    members_only,
    missing,
    money,
    show,
    visitor,
)
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.reading import in_cents
from agentgym.envs.web._sites.shop.catalogue import COST, PRODUCTS
from agentgym.envs.web._sites.shop.sales import METHODS, PAYMENTS, discount, numbered

MOST = 99  # of one product in a cart
LINES = f"""SELECT carts.*, sku, products.name, {COST} AS each, stock FROM carts JOIN products ON products.id = product
    WHERE user = ? AND products.state = 'Enabled' ORDER BY carts.id"""
WISHES = f"""SELECT wishes.note, products.* FROM wishes JOIN ({PRODUCTS}) AS products ON products.id = product
    WHERE user = ? ORDER BY wishes.id"""


def is_count(text: str) -> bool:
    """Whether a text is a quantity that may be bought at once."""
    return text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= MOST


def free_from(store: Store) -> int:
    """From which subtotal standard shipping is free, in cents."""
    return in_cents(store.value("SELECT value FROM settings WHERE key = 'Free shipping from'")) or 0


def usable(store: Store, code: str, subtotal: int) -> tuple[Row | None, str]:
    """The coupon of a code, and why it cannot be used; empty if it can.

    Args:
        store: The database.
        code: What was typed.
        subtotal: Of the cart, in cents.
    """
    row = store.one("SELECT * FROM coupons WHERE code = ?", code.strip().upper())
    today = store.now[:10]
    if row is None or not row["active"] or not row["begins"] <= today <= row["ends"]:
        return None, f"The coupon “{code}” is not valid."
    if row["most"] and row["uses"] >= row["most"]:
        return None, f"The coupon “{row['code']}” is used up."
    if subtotal < row["least"]:
        return None, f"The coupon “{row['code']}” is for orders from {money(row['least'])}."
    return row, ""


def sums_of(store: Store, user: int, lines: Sequence[Row], method: str = "Standard") -> Mapping[str, Any]:
    """What a cart costs, in cents.

    Args:
        store: The database.
        user: Whose cart.
        lines: Of the cart.
        method: Of shipping.
    """
    subtotal = sum(one["each"] * one["quantity"] for one in lines)
    code = store.value("SELECT code FROM vouchers WHERE user = ?", user) or ""
    coupon = usable(store, code, subtotal)[0] if code else None
    off = 0 if coupon is None else discount(coupon["kind"], coupon["amount"], subtotal)
    shipping = 0 if method == "Standard" and subtotal - off >= free_from(store) else METHODS[method]
    return {"subtotal": subtotal, "discount": off, "shipping": shipping, "total": subtotal - off + shipping,
            "coupon": coupon["code"] if coupon else ""}  # fmt: skip


def too_many(name: str, stock: int, count: int) -> str:
    """Why so many of a product cannot be bought, all its sizes together; empty if they can.

    Args:
        name: Of the product.
        stock: How many there are.
        count: How many are asked for.
    """
    if count <= min(MOST, stock):
        return ""
    return f"There are only {stock} of {name}." if stock < MOST else f"At most {MOST} of a product go into a cart."


def put(store: Store, user: int, product: Row, choice: str, quantity: int) -> str:
    """Put a product into a cart; what is wrong, empty if nothing is.

    Args:
        store: The database.
        user: Whose cart.
        product: What.
        choice: Of its options, such as `Size: M`; empty where there are none.
        quantity: How many.
    """
    held = store.value("SELECT sum(quantity) FROM carts WHERE user = ? AND product = ?", user, product["id"]) or 0
    if wrong := too_many(product["name"], product["stock"], held + quantity):
        return wrong
    store.do("INSERT INTO carts VALUES (NULL, ?, ?, ?, ?) ON CONFLICT (user, product, choice) DO UPDATE SET quantity = "
             "quantity + excluded.quantity", user, product["id"], choice, quantity)  # fmt: skip
    return ""


def _held(lines: Sequence[Row]) -> Counter[int]:
    """How many of each product a cart holds, in whatever size."""
    counts: Counter[int] = Counter()
    for one in lines:
        counts[one["product"]] += one["quantity"]
    return counts


@members_only
def _cart(site: SiteApplication, visit: Visit) -> Answer:
    own = visitor(visit)["id"]
    lines = site.store.all(LINES, own)
    return show("cart", lines=lines, sums=sums_of(site.store, own, lines), wrong="")


@members_only
def _add(site: SiteApplication, visit: Visit) -> Answer:
    store, form = site.store, visit.form
    row = store.one(f"{PRODUCTS} AND products.id = ?", form.get("product", ""))
    if row is None:
        return missing("product")
    back, quantity = f"/p/{row['sku']}", form.get("quantity", "1")
    known = store.all("SELECT * FROM options WHERE product = ? ORDER BY rowid", row["id"])
    if known and form.get("choice", "") not in [one["value"] for one in known]:
        return go_to(back, notice=f"Choose a {known[0]['name'].lower()} first.")
    if not is_count(quantity):
        return go_to(back, notice=f"A quantity is a whole number from 1 to {MOST}.")
    choice = f"{known[0]['name']}: {form['choice']}" if known else ""
    wrong = put(store, visitor(visit)["id"], row, choice, int(quantity))
    return go_to(back, notice=wrong or f"You added {row['name']} to your cart.")


@members_only
def _change(site: SiteApplication, visit: Visit) -> Answer:
    store, own, quantity = site.store, visitor(visit)["id"], visit.form.get("quantity", "")
    lines = store.all(LINES, own)
    row = next((one for one in lines if str(one["id"]) == visit.form.get("line", "")), None)
    if row is None:
        return missing("line in the cart")
    wrong = ""
    if not is_count(quantity):
        wrong = f"A quantity is a whole number from 1 to {MOST}."
    else:
        held = _held(lines)[row["product"]] - row["quantity"]
        wrong = too_many(row["name"], row["stock"], held + int(quantity))
    if wrong:
        return show("cart", 422, lines=lines, sums=sums_of(store, own, lines), wrong=wrong)
    store.do("UPDATE carts SET quantity = ? WHERE id = ?", int(quantity), row["id"])
    return go_to("/cart")


@members_only
def _remove(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM carts WHERE id = ? AND user = ?", visit.form.get("line", ""), visitor(visit)["id"])
    return go_to("/cart")


@members_only
def _clear(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM carts WHERE user = ?", visitor(visit)["id"])
    site.store.do("DELETE FROM vouchers WHERE user = ?", visitor(visit)["id"])
    return go_to("/cart")


@members_only
def _coupon(site: SiteApplication, visit: Visit) -> Answer:
    store, own, code = site.store, visitor(visit)["id"], visit.form.get("code", "")
    lines = store.all(LINES, own)
    if not code:
        store.do("DELETE FROM vouchers WHERE user = ?", own)
        return go_to("/cart", notice="The coupon is removed.")
    row, wrong = usable(store, code, sum(one["each"] * one["quantity"] for one in lines))
    if row is None:
        return show("cart", 422, lines=lines, sums=sums_of(store, own, lines), wrong=wrong)
    store.do("INSERT OR REPLACE INTO vouchers VALUES (?, ?)", own, row["code"])
    return go_to("/cart", notice=f"The coupon {row['code']} is applied.")


def _addresses(store: Store, user: int) -> dict[str, Row]:
    """A customer's addresses, by how they are offered; the main one first."""
    rows = store.all("SELECT * FROM addresses WHERE user = ? ORDER BY main DESC, id", user)
    return {f"{row['recipient']}, {row['street']}, {row['city']}": row for row in rows}


def _checkout_form(site: SiteApplication, own: int, wrong: str, given: Mapping[str, str]) -> Answer:
    store = site.store
    lines = store.all(LINES, own)
    if not lines:
        return go_to("/cart", notice="Put something into the cart first.")
    return show("checkout", 422 if wrong else 200, lines=lines, sums=sums_of(store, own, lines), wrong=wrong,
                given=given, addresses=list(_addresses(store, own)), methods=list(METHODS), payments=PAYMENTS,
                costs=METHODS, free=free_from(store))  # fmt: skip


@members_only
def _checkout_page(site: SiteApplication, visit: Visit) -> Answer:
    given = {"address": "", "method": "Standard", "payment": PAYMENTS[0], "note": ""}
    return _checkout_form(site, visitor(visit)["id"], "", given)


@members_only
def _checkout(site: SiteApplication, visit: Visit) -> Answer:
    """Place the order: the cart becomes one, and the stock falls."""
    store, own = site.store, visitor(visit)["id"]
    given = {key: visit.form.get(key, "") for key in ("address", "method", "payment", "note")}
    lines, places = store.all(LINES, own), _addresses(store, own)
    wrong = ""
    if given["address"] not in places:
        wrong = "Choose an address, or add one to your account first."
    elif given["method"] not in METHODS or given["payment"] not in PAYMENTS:
        wrong = "Choose a shipping method and a payment."
    held = _held(lines)
    for one in lines:
        wrong = too_many(one["name"], one["stock"], held[one["product"]]) or wrong
    if wrong or not lines:
        return _checkout_form(site, own, wrong, given)
    number = _ordered(store, own, lines, places[given["address"]], given)
    return go_to(f"/account/orders/{number}", notice=f"Thank you for your order {number}.")


def _ordered(store: Store, own: int, lines: Sequence[Row], place: Row, given: Mapping[str, str]) -> str:
    sums = sums_of(store, own, lines, given["method"])
    last = store.value("SELECT max(id) FROM orders") or 0
    number, moment = numbered("orders", last + 1), store.now
    order = store.do(
        "INSERT INTO orders VALUES (?, ?, ?, 'Pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", last + 1, number,
        own, moment, sums["subtotal"], sums["discount"], sums["shipping"], sums["total"], sums["coupon"],
        given["method"], given["payment"],
        *(place[key] for key in ("recipient", "street", "city", "postcode", "country", "phone")),
    )  # fmt: skip
    for one in lines:
        store.do("INSERT INTO order_lines VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", order, one["product"], one["sku"],
                 one["name"], one["choice"], one["each"], one["quantity"])  # fmt: skip
        store.do("UPDATE products SET stock = stock - ? WHERE id = ?", one["quantity"], one["product"])
    if sums["coupon"]:
        store.do("UPDATE coupons SET uses = uses + 1 WHERE code = ?", sums["coupon"])
    if given["note"]:
        store.do("INSERT INTO notes VALUES (NULL, ?, 'Customer', ?, 1, ?)", order, given["note"], moment)
    store.do("DELETE FROM carts WHERE user = ?", own)
    store.do("DELETE FROM vouchers WHERE user = ?", own)
    return number


@members_only
def _wishlist(site: SiteApplication, visit: Visit) -> Answer:
    return show("wishlist", wishes=site.store.all(WISHES, visitor(visit)["id"]))


@members_only
def _wish(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(f"{PRODUCTS} AND products.id = ?", visit.form.get("product", ""))
    if row is None:
        return missing("product")
    site.store.do("INSERT OR IGNORE INTO wishes VALUES (NULL, ?, ?, '', ?)", visitor(visit)["id"], row["id"],
                  site.store.now)  # fmt: skip
    return go_to("/wishlist", notice=f"{row['name']} is on your wish list.")


@members_only
def _note_wish(site: SiteApplication, visit: Visit) -> Answer:
    note = visit.form.get("note", "")[:200]
    site.store.do("UPDATE wishes SET note = ? WHERE user = ? AND product = ?", note, visitor(visit)["id"],
                  visit.form.get("product", ""))  # fmt: skip
    return go_to("/wishlist")


@members_only
def _unwish(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM wishes WHERE user = ? AND product = ?", visitor(visit)["id"],
                  visit.form.get("product", ""))  # fmt: skip
    return go_to("/wishlist")


ROUTES: Routes = [
    ("GET", "/cart", _cart),
    ("POST", "/cart/add", _add),
    ("POST", "/cart/change", _change),
    ("POST", "/cart/remove", _remove),
    ("POST", "/cart/clear", _clear),
    ("POST", "/cart/coupon", _coupon),
    ("GET", "/checkout", _checkout_page),
    ("POST", "/checkout", _checkout),
    ("GET", "/wishlist", _wishlist),
    ("POST", "/wishlist/add", _wish),
    ("POST", "/wishlist/note", _note_wish),
    ("POST", "/wishlist/remove", _unwish),
]
