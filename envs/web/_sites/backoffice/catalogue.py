"""Products, reviews, promotions and search terms in the administration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, money, show
from agentgym.envs.web._sites.backoffice.access import for_area
from agentgym.envs.web._sites.backoffice.grids import PRODUCT_STATES, REVIEW_STATES
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.reading import in_cents, is_day
from agentgym.envs.web._sites.shop.catalogue import leads_back, searched
from agentgym.envs.web._sites.shop.tints import TINTS

SKU = re.compile(r"[A-Z]{2,6}-[0-9]{3,6}")
CODE = re.compile(r"[A-Z0-9]{3,20}")
KINDS = ["Percent", "Amount"]
PRODUCT_FIELDS = ("name", "brand", "category", "type", "price", "special", "stock", "weight", "color", "material",
                  "feature", "description", "state")  # fmt: skip
COUPON_FIELDS = ("code", "title", "kind", "amount", "least", "begins", "ends", "most")
REVIEW_FIELDS = ("nickname", "title", "body", "state")
MOST_STOCK = 100_000


def _whole(text: str, most: int = MOST_STOCK) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= most


def plain(cents: int) -> str:
    """An amount as forms hold it, such as `12.50`; empty for none.

    Args:
        cents: The amount, in hundredths.
    """
    return money(cents)[1:].replace(",", "") if cents else ""


def _categories(store: Store) -> list[str]:
    return [row[0] for row in store.all("SELECT name FROM categories WHERE parent != 0 ORDER BY name")]


def _product_form(site: SiteApplication, number: int, sku: str, given: Mapping[str, Any], wrong: str) -> Answer:
    return show("product_form", 422 if wrong else 200, number=number, sku=sku, given=given, wrong=wrong,
                categories=_categories(site.store), colors=list(TINTS), states=PRODUCT_STATES)  # fmt: skip


def _product_row(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM products WHERE id = ?", visit.path["number"])


def _as_form(store: Store, row: Row) -> dict[str, Any]:
    name = store.value("SELECT name FROM categories WHERE id = ?", row["category"])
    texts = {key: str(row[key]) for key in PRODUCT_FIELDS}
    return {**texts, "category": name, "price": plain(row["price"]), "special": plain(row["special"])}


@for_area("products")
def _product(site: SiteApplication, visit: Visit) -> Answer:
    row = _product_row(site, visit)
    if row is None:
        return missing("product")
    return _product_form(site, row["id"], row["sku"], _as_form(site.store, row), "")


def _product_objection(store: Store, given: Mapping[str, str]) -> str:
    price, special = in_cents(given["price"]), in_cents(given["special"]) if given["special"] else 0
    if not 3 <= len(given["name"]) <= 160:
        return "A name has 3 to 160 characters."
    if not price or special is None or special >= price:
        return "A price is written like 12.50; a special price is lower, or empty."
    if not _whole(given["stock"]) or not _whole(given["weight"]):
        return f"Stock and weight are whole numbers up to {MOST_STOCK}."
    if (
        given["category"] not in _categories(store)
        or given["color"] not in TINTS
        or given["state"] not in PRODUCT_STATES
    ):
        return "Choose a category, a color and a state."
    return "" if all(given[key] for key in ("brand", "type", "material", "feature")) else (
        "Brand, type, material and size are needed.")  # fmt: skip


def _columns(store: Store, given: Mapping[str, str]) -> dict[str, Any]:
    category = store.value("SELECT id FROM categories WHERE parent != 0 AND name = ?", given["category"])
    amounts = {key: in_cents(given[key]) or 0 for key in ("price", "special")}
    return {**given, **amounts, "category": category, "stock": int(given["stock"]), "weight": int(given["weight"])}


@for_area("products")
def _save_product(site: SiteApplication, visit: Visit) -> Answer:
    store, row = site.store, _product_row(site, visit)
    if row is None:
        return missing("product")
    given = {key: visit.form.get(key, "") for key in PRODUCT_FIELDS}
    if wrong := _product_objection(store, given):
        return _product_form(site, row["id"], row["sku"], given, wrong)
    values = _columns(store, given)
    store.do(
        f"UPDATE products SET {', '.join(f'{key} = ?' for key in values)} WHERE id = ?", *values.values(), row["id"]
    )
    return go_to(f"/products/{row['id']}", notice="The product is saved.")


@for_area("products")
def _new_product_page(site: SiteApplication, visit: Visit) -> Answer:
    empty = {**dict.fromkeys(PRODUCT_FIELDS, ""), "state": PRODUCT_STATES[0]}
    return _product_form(site, 0, "", empty, "")


@for_area("products")
def _new_product(site: SiteApplication, visit: Visit) -> Answer:
    store, sku = site.store, visit.form.get("sku", "")
    given = {key: visit.form.get(key, "") for key in PRODUCT_FIELDS}
    wrong = _product_objection(store, given)
    if not SKU.fullmatch(sku) or store.one("SELECT 1 FROM products WHERE sku = ?", sku):
        wrong = "A SKU is written like TAMU-0001, and no other product has it."
    if wrong:
        return _product_form(site, 0, sku, given, wrong)
    values = {**_columns(store, given), "sku": sku, "created": store.now[:10], "rating": 0.0, "reviews": 0}
    number = store.do(f"INSERT INTO products ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                      *values.values())  # fmt: skip
    return go_to(f"/products/{number}", notice="The product is in the shop.")


@for_area("products")
def _delete_product(site: SiteApplication, visit: Visit) -> Answer:
    row = _product_row(site, visit)
    if row is None:
        return missing("product")
    for table in ("options", "reviews", "carts", "wishes"):
        site.store.do(f"DELETE FROM {table} WHERE product = ?", row["id"])
    site.store.do("DELETE FROM products WHERE id = ?", row["id"])
    return go_to("/products", notice=f"{row['name']} is deleted.")


REVIEW = """SELECT reviews.*, products.name, sku FROM reviews JOIN products ON products.id = product
    WHERE reviews.id = ?"""


@for_area("reviews")
def _review(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(REVIEW, visit.path["number"])
    return missing("review") if row is None else show("review", row=row, given=row, wrong="", states=REVIEW_STATES)


def _rate(store: Store, product: int) -> None:
    """Count anew what the approved reviews of a product say."""
    store.do("UPDATE products SET rating = coalesce((SELECT round(avg(rating), 1) FROM reviews WHERE product = ?1 AND "
             "state = 'Approved'), 0), reviews = (SELECT count(*) FROM reviews WHERE product = ?1 AND state = "
             "'Approved') WHERE id = ?1", product)  # fmt: skip


@for_area("reviews")
def _save_review(site: SiteApplication, visit: Visit) -> Answer:
    store, row = site.store, site.store.one(REVIEW, visit.path["number"])
    if row is None:
        return missing("review")
    given = {key: visit.form.get(key, "") for key in REVIEW_FIELDS}
    if given["state"] not in REVIEW_STATES or not all(given.values()):
        wrong = f"Nickname, summary and review are needed, and a state: {', '.join(REVIEW_STATES)}."
        return show("review", 422, row=row, given=given, wrong=wrong, states=REVIEW_STATES)
    store.do("UPDATE reviews SET nickname = ?, title = ?, body = ?, state = ? WHERE id = ?", *given.values(), row["id"])
    _rate(store, row["product"])
    return go_to(f"/reviews/{row['id']}", notice="The review is saved.")


@for_area("reviews")
def _delete_review(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(REVIEW, visit.path["number"])
    if row is None:
        return missing("review")
    site.store.do("DELETE FROM reviews WHERE id = ?", row["id"])
    _rate(site.store, row["product"])
    return go_to("/reviews", notice="The review is deleted.")


def _coupon_form(number: int, given: Mapping[str, Any], active: bool, wrong: str) -> Answer:
    return show("promotion_form", 422 if wrong else 200, number=number, given=given, active=active, wrong=wrong,
                kinds=KINDS)  # fmt: skip


@for_area("promotions")
def _promotion(site: SiteApplication, visit: Visit) -> Answer:
    if "number" not in visit.path:
        given = {**dict.fromkeys(COUPON_FIELDS, ""), "kind": KINDS[0], "begins": site.store.now[:10]}
        return _coupon_form(0, given, True, "")
    row = site.store.one("SELECT * FROM coupons WHERE id = ?", visit.path["number"])
    if row is None:
        return missing("promotion")
    given = {key: str(row[key]) for key in COUPON_FIELDS}
    given |= {"least": plain(row["least"]), "most": str(row["most"] or "")}
    given["amount"] = str(row["amount"]) if row["kind"] == "Percent" else plain(row["amount"])
    return _coupon_form(row["id"], given, bool(row["active"]), "")


def _coupon_objection(store: Store, given: Mapping[str, str], number: str) -> str:
    if not CODE.fullmatch(given["code"]):
        return "A code has 3 to 20 capital letters and digits."
    if store.one("SELECT 1 FROM coupons WHERE code = ? AND id != ?", given["code"], number):
        return "There is a promotion with this code."
    fine = _whole(given["amount"], 90) if given["kind"] == "Percent" else bool(in_cents(given["amount"]))
    if given["kind"] not in KINDS or not fine or given["amount"] == "0":
        return "A discount is a percentage from 1 to 90, or an amount such as 5.00."
    if (given["least"] and in_cents(given["least"]) is None) or (given["most"] and not _whole(given["most"])):
        return "The smallest order is an amount such as 25.00, the most uses are a whole number; both may be empty."
    if not (is_day(given["begins"]) and is_day(given["ends"]) and given["begins"] <= given["ends"]):
        return "Days are written like 2026-05-01, and a promotion ends after it begins."
    return "" if given["title"] else "A title is needed."


@for_area("promotions")
def _save_promotion(site: SiteApplication, visit: Visit) -> Answer:
    store, number = site.store, visit.path.get("number", "0")
    if number != "0" and store.one("SELECT 1 FROM coupons WHERE id = ?", number) is None:
        return missing("promotion")
    given = {key: visit.form.get(key, "") for key in COUPON_FIELDS}
    active = "active" in visit.form
    if wrong := _coupon_objection(store, given, number):
        return _coupon_form(int(number), given, active, wrong)
    amount = int(given["amount"]) if given["kind"] == "Percent" else in_cents(given["amount"])
    values = {**given, "amount": amount, "least": in_cents(given["least"] or "0"), "most": int(given["most"] or 0),
              "active": int(active)}  # fmt: skip
    if number != "0":
        store.do(
            f"UPDATE coupons SET {', '.join(f'{key} = ?' for key in values)} WHERE id = ?", *values.values(), number
        )
    else:
        names = ", ".join((*values, "uses"))
        number = str(store.do(f"INSERT INTO coupons ({names}) VALUES ({', '.join('?' * len(values))}, 0)",
                              *values.values()))  # fmt: skip
    return go_to(f"/promotions/{number}", notice="The promotion is saved.")


@for_area("terms")
def _term(site: SiteApplication, visit: Visit) -> Answer:
    if "number" not in visit.path:
        return show("term_form", number=0, term="", redirect="", wrong="")
    row = site.store.one("SELECT * FROM terms WHERE id = ?", visit.path["number"])
    if row is None:
        return missing("search term")
    return show("term_form", number=row["id"], term=row["term"], redirect=row["redirect"], wrong="")


@for_area("terms")
def _save_term(site: SiteApplication, visit: Visit) -> Answer:
    store, number = site.store, visit.path.get("number", "0")
    row = store.one("SELECT * FROM terms WHERE id = ?", number)
    if number != "0" and row is None:
        return missing("search term")
    term = row["term"] if row else searched(visit.form.get("term", "")).lower()
    redirect, wrong = visit.form.get("redirect", ""), ""
    if (redirect and not re.fullmatch(r"/[a-zA-Z0-9/_.?=&+%-]{0,200}", redirect)) or redirect.startswith("//"):
        wrong = "A redirect is an address of the shop that begins with /, such as /c/kitchen."
    elif not term or (row is None and store.one("SELECT 1 FROM terms WHERE term = ?", term)):
        wrong = "A search term is needed, and one that is not there."
    elif leads_back(store, term, redirect):
        wrong = "This redirect leads back to the search; choose another page of the shop."
    if wrong:
        return show("term_form", 422, number=int(number), term=term, redirect=redirect, wrong=wrong)
    if row:
        store.do("UPDATE terms SET redirect = ? WHERE id = ?", redirect, number)
    else:
        number = str(store.do("INSERT INTO terms VALUES (NULL, ?, 0, 0, ?, ?)", term, redirect, store.now))
    return go_to(f"/terms/{number}", notice="The search term is saved.")


@for_area("terms")
def _delete_term(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM terms WHERE id = ?", visit.path["number"])
    return go_to("/terms", notice="The search term is deleted.")


P, R, C, T = "/products/{number:int}", "/reviews/{number:int}", "/promotions/{number:int}", "/terms/{number:int}"
ROUTES: Routes = [
    ("GET", "/products/new", _new_product_page),
    ("POST", "/products/new", _new_product),
    ("GET", P, _product),
    ("POST", P, _save_product),
    ("POST", P + "/delete", _delete_product),
    ("GET", R, _review),
    ("POST", R, _save_review),
    ("POST", R + "/delete", _delete_review),
    ("GET", "/promotions/new", _promotion),
    ("POST", "/promotions/new", _save_promotion),
    ("GET", C, _promotion),
    ("POST", C, _save_promotion),
    ("GET", "/terms/new", _term),
    ("POST", "/terms/new", _save_term),
    ("GET", T, _term),
    ("POST", T, _save_term),
    ("POST", T + "/delete", _delete_term),
]
