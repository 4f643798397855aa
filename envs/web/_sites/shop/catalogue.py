"""The shop's goods: categories, search with filters and orders, pages of products, and their reviews."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urljoin, urlsplit

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    members_only,
    missing,
    paged,
    show,
    visitor,
)
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.reading import Unreadable, in_cents

SIZE, REVIEWS_SIZE = 24, 10
PRODUCTS = """SELECT products.*, icon FROM products JOIN categories ON categories.id = category WHERE
    products.state = 'Enabled'"""
SORTS = {"position": "products.id", "price": "cost, products.id", "price, highest first": "cost DESC, products.id",
         "name": "products.name", "rating": "rating DESC, reviews DESC, products.id",
         "newest": "products.created DESC, products.id"}  # fmt: skip
FIELDS = ("q", "brand", "color", "material", "type", "low", "high", "rating", "stock", "sale")
RATINGS = ("2", "3", "4", "4.5")
FACETS = ("brand", "color", "material", "type")
COST = "CASE WHEN special > 0 THEN special ELSE price END"
LONGEST = {"nickname": 40, "title": 80, "body": 2000}


def conditions(asked: Mapping[str, str]) -> tuple[str, list[Any]]:
    """What filters ask of products, as a condition and its values.

    Args:
        asked: Values of `FIELDS`; empty for any.

    Raises:
        Unreadable: If one of them cannot be read.
    """
    where = "1"
    given: list[Any] = []
    for word in asked.get("q", "").lower().split()[:12]:
        where += " AND instr(lower(products.name || ' ' || products.sku), ?) > 0"
        given.append(word)
    for key in FACETS:
        if asked.get(key):
            where, given = f"{where} AND products.{key} = ?", [*given, asked[key]]
    for key, sign in (("low", ">="), ("high", "<=")):
        if asked.get(key):
            cents = in_cents(asked[key])
            if cents is None:
                raise Unreadable(f"“{asked[key]}” is no price; write it like 12.50.")
            where, given = f"{where} AND {COST} {sign} ?", [*given, cents]
    if asked.get("rating"):
        if asked["rating"] not in RATINGS:
            raise Unreadable(f"“{asked['rating']}” is no rating to choose; choose among {', '.join(RATINGS)}.")
        where, given = f"{where} AND rating >= ?", [*given, float(asked["rating"])]
    if asked.get("stock"):
        where += " AND stock > 0"
    if asked.get("sale"):
        where += " AND special > 0"
    return where, given


def _listing(
    site: SiteApplication, visit: Visit, way: str, heading: str, within: str, *ids: int, **shown: Any
) -> Answer:
    """A page of products that filters leave.

    Args:
        site, visit: As ever.
        way: Of the page.
        heading: Of the page.
        within: A condition that holds without any filter.
        ids: Its values.
        shown: More for the template.
    """
    store, asked = site.store, {key: visit.query.get(key, "").strip() for key in FIELDS}
    wrong = ""
    try:
        where, given = conditions(asked)
    except Unreadable as error:
        where, given, wrong = "0", [], str(error)
    order = visit.query.get("sort", "position")
    order = order if order in SORTS else "position"
    base = f"FROM products JOIN categories ON categories.id = category WHERE products.state = 'Enabled' AND {within}"
    count = store.value(f"SELECT count(*) {base} AND {where}", *ids, *given)
    place = paged(visit, count, SIZE)
    rows = store.all(f"SELECT products.*, icon, {COST} AS cost {base} AND {where} ORDER BY {SORTS[order]} LIMIT ? "
                     "OFFSET ?", *ids, *given, SIZE, place["start"])  # fmt: skip
    plain, values = conditions({"q": asked["q"]})
    facets = {
        key: [
            row[0] for row in store.all(f"SELECT DISTINCT products.{key} {base} AND {plain} ORDER BY 1", *ids, *values)
        ]
        for key in FACETS
    }
    more = urlencode({key: value for key, value in asked.items() if value})
    return show("listing", 422 if wrong else 200, wrong=wrong, ratings=RATINGS, heading=heading, way=way,
                products=rows, facets=facets, asked=asked, order=order,
                sorts=list(SORTS), more=f"&{more}" if more else "", **place, **shown)  # fmt: skip


def _category(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    row = store.one("SELECT * FROM categories WHERE slug = ?", visit.path["slug"])
    if row is None:
        return missing("category")
    below = store.all(
        "SELECT *, (SELECT count(*) FROM products WHERE category = categories.id AND state = 'Enabled') AS n "
        "FROM categories WHERE parent = ? ORDER BY id", row["id"]
    )  # fmt: skip
    parent = store.one("SELECT * FROM categories WHERE id = ?", row["parent"])
    return _listing(site, visit, f"/c/{row['slug']}", row["name"], "(categories.id = ? OR categories.parent = ?)",
                    row["id"], row["id"], category=row, below=below, parent=parent)  # fmt: skip


def searched(words: str) -> str:
    """The words that a search looks for; in small letters, they are a term that is counted.

    Args:
        words: That were typed.
    """
    return " ".join(words.split()[:12])[:80]


def leads_back(store: Store, term: str, redirect: str) -> bool:
    """Whether a search that goes to an address comes back to itself, maybe over searches that go elsewhere as well.

    Args:
        store: The database.
        term: That is searched for.
        redirect: Path and query in the shop.
    """
    seen, here = {term}, redirect
    while here:
        parts = urlsplit(urljoin("/", here))
        if posixpath.normpath(unquote(parts.path)) != "/search":
            return False
        following = searched(parse_qs(parts.query).get("q", [""])[-1]).lower()
        if following in seen:
            return True
        seen.add(following)
        here = store.value("SELECT redirect FROM terms WHERE term = ?", following) or ""
    return False


def _search(site: SiteApplication, visit: Visit) -> Answer:
    words = searched(visit.query.get("q", ""))
    store, term = site.store, words.lower()
    known = store.one("SELECT * FROM terms WHERE term = ?", term)
    if known is not None and known["redirect"]:
        return go_to(known["redirect"])
    answer = _listing(site, visit, "/search", f"Search results for “{words}”" if words else "All products", "1",
                      category=None, below=[], parent=None)  # fmt: skip
    if term and set(visit.query) == {"q"}:  # a search from the header is counted, filters and pages are not
        store.do("INSERT INTO terms VALUES (NULL, ?, ?, 1, '', ?) ON CONFLICT (term) DO UPDATE SET uses = uses + 1, "
                 "results = excluded.results, latest = excluded.latest", term, answer.values["count"],
                 store.now)  # fmt: skip
    return answer


def found_product(store: Store, sku: str) -> Row | None:
    """The product of a SKU that customers see; None if there is none.

    Args:
        store: The database.
        sku: Of the product.
    """
    return store.one(f"{PRODUCTS} AND sku = ?", sku)


def _product(site: SiteApplication, visit: Visit) -> Answer:
    row = found_product(site.store, visit.path["sku"])
    if row is None:
        return missing("product")
    own = visit.user
    given = {"rating": "", "title": "", "body": "", "nickname": f"{own['first']} {own['last'][0]}." if own else ""}
    return _page(site, visit, row, "", given)


def _page(site: SiteApplication, visit: Visit, row: Row, wrong: str, given: Mapping[str, str]) -> Answer:
    store, number = site.store, row["id"]
    category = store.one("SELECT * FROM categories WHERE id = ?", row["category"])
    assert category is not None, "products are in categories"
    counts = "SELECT rating, count(*) FROM reviews WHERE product = ? AND state = 'Approved' GROUP BY rating"
    spread = {one[0]: one[1] for one in store.all(counts, number)}
    place = paged(visit, sum(spread.values()), REVIEWS_SIZE)
    options: dict[str, list[str]] = {}
    for one in store.all("SELECT * FROM options WHERE product = ? ORDER BY rowid", number):
        options.setdefault(one["name"], []).append(one["value"])
    return show(
        "product", 422 if wrong else 200, product=row, category=category, options=options, spread=spread, wrong=wrong,
        given=given, **place,
        parent=store.one("SELECT * FROM categories WHERE id = ?", category["parent"]),
        reviews=store.all("SELECT * FROM reviews WHERE product = ? AND state = 'Approved' ORDER BY created DESC, id "
                          "DESC LIMIT ? OFFSET ?", number, REVIEWS_SIZE, place["start"]),
        low_stock=int(store.value("SELECT value FROM settings WHERE key = 'Low stock below'")),
        like=store.all(f"{PRODUCTS} AND type = ? AND products.id != ? ORDER BY abs(price - ?), products.id LIMIT 4",
                       row["type"], number, row["price"]),
    )  # fmt: skip


@members_only
def _review(site: SiteApplication, visit: Visit) -> Answer:
    store, row = site.store, found_product(site.store, visit.path["sku"])
    if row is None:
        return missing("product")
    given = {key: visit.form.get(key, "") for key in ("rating", "nickname", "title", "body")}
    wrong = "" if given["rating"] in list("12345") else "Choose a rating from 1 to 5."
    for key, most in LONGEST.items():
        if not wrong and not 1 <= len(given[key]) <= most:
            wrong = (
                f"A {'summary' if key == 'title' else 'review' if key == 'body' else key} has 1 to {most} characters."
            )
    if wrong:
        return _page(site, visit, row, wrong, given)
    store.do("INSERT INTO reviews VALUES (NULL, ?, ?, ?, ?, ?, ?, 'Pending', ?)", row["id"], visitor(visit)["id"],
             given["nickname"], int(given["rating"]), given["title"], given["body"], store.now)  # fmt: skip
    return go_to(f"/p/{row['sku']}", notice="Thank you; your review is shown when it has been approved.")


ROUTES: Routes = [
    ("GET", "/c/{slug}", _category),
    ("GET", "/search", _search),
    ("GET", "/p/{sku}", _product),
    ("POST", "/p/{sku}/review", _review),
]
