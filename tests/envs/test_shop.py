"""The shop and its administration: what they hold, carts and orders, roles, grids, reports, and what forms refuse."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites.application import money, session_of
from agentgym.envs.web._sites.backoffice.access import MAY
from agentgym.envs.web._sites.backoffice.app import build_backoffice
from agentgym.envs.web._sites.backoffice.grids import GRIDS, rows_of
from agentgym.envs.web._sites.backoffice.reports import REPORTS, table_of
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.reading import Unreadable, in_cents
from agentgym.envs.web._sites.shop.app import build_shop, new_store
from agentgym.envs.web._sites.shop.content import CLERK, VISITOR, original

ADDRESS = {"recipient": "Emma Lind", "street": "1 New Road", "city": "Tarn End", "postcode": "12345",
           "country": "Norland", "phone": "555-1000"}  # fmt: skip
GROUPS = {grid.name: grid for grid in GRIDS}


class Both:
    """The shop and its administration over one database."""

    def __init__(self):
        self.store = new_store()
        self.shop, self.office = build_shop(self.store), build_backoffice(self.store)

    def ask(self, path, who=VISITOR, **form):
        return self._ask(self.shop, "shop.test", path, who, form)

    def manage(self, path, who=CLERK, **form):
        return self._ask(self.office, "backoffice.test", path, who, form)

    def _ask(self, site, host, path, who, form):
        cookie = {"cookie": f"session={session_of(who)}"} if who else {}
        method, body = ("POST", urlencode(form).encode()) if form else ("GET", b"")
        return site.respond(Request(method, f"http://{host}{path}", cookie, body))


@pytest.fixture
def both():
    return Both()


@pytest.fixture(scope="module")
def base():
    return Store(original(0))


def text(answer):
    return html.unescape(answer.body.decode())


def shown(answer, of):
    """The text of an element of a page."""
    found = re.search(rf'id="{of}"[^>]*>(.*?)</', text(answer), re.S)
    assert found is not None
    return re.sub(r"<[^>]*>", "", found[1])


def told(answer):
    """What a page says after a form was sent: in the address of the next one, or on it."""
    return answer.headers.get("location", "").replace("+", " ") or text(answer)


def product(both, where="stock > 20 AND special = 0", options=False):
    has = "" if options else "NOT"
    return both.store.one(f"SELECT * FROM products WHERE state = 'Enabled' AND {where} AND id {has} IN (SELECT product "
                          "FROM options) ORDER BY id")  # fmt: skip


# What they hold


def test_the_content_is_large_and_agrees_with_itself(base):
    counts = [base.value(f"SELECT count(*) FROM {table}") for table in ("products", "orders", "users")]
    assert counts == [5000, 3000, 1212]
    assert base.value("SELECT count(DISTINCT name) FROM products") == 5000
    assert base.value("SELECT count(*) FROM reviews") > 10_000
    wrong = {
        "an order is the sum of its lines": """SELECT count(*) FROM orders WHERE subtotal != (SELECT sum(price *
            quantity) FROM order_lines WHERE order_id = orders.id) OR total != subtotal - discount + shipping OR
            discount < 0""",
        "ratings are the mean of what is approved": """SELECT count(*) FROM products WHERE reviews != (SELECT count(*)
            FROM reviews WHERE product = products.id AND state = 'Approved') OR abs(rating - coalesce((SELECT
            avg(rating) FROM reviews WHERE product = products.id AND state = 'Approved'), 0)) > 0.051""",
        "what is complete was invoiced and shipped": """SELECT count(*) FROM orders WHERE state = 'Complete' AND (id NOT
            IN (SELECT order_id FROM invoices) OR id NOT IN (SELECT order_id FROM shipments))""",
        "what is pending was not": """SELECT count(*) FROM orders WHERE state = 'Pending' AND (id IN (SELECT order_id
            FROM invoices) OR id IN (SELECT order_id FROM shipments))""",
        "refunds belong to refunded orders": """SELECT count(*) FROM orders WHERE (state = 'Refunded') != (id IN (SELECT
            order_id FROM refunds))""",
        "coupons are used as often as orders say": """SELECT count(*) FROM coupons WHERE uses != (SELECT count(*) FROM
            orders WHERE coupon = code)""",
        "nothing happens later than now": "SELECT count(*) FROM orders WHERE created > '2026-03-14 12:00'",
        "special prices are lower": "SELECT count(*) FROM products WHERE special >= price AND special > 0",
        "everybody has one main address": """SELECT count(*) FROM users WHERE role = 'Customer' AND (SELECT sum(main)
            FROM addresses WHERE user = users.id) != 1""",
    }
    assert {claim: base.value(query) for claim, query in wrong.items()} == dict.fromkeys(wrong, 0)


def test_a_copy_is_made_of_what_was_written_once_and_shares_nothing(both):
    written = original.cache_info().misses
    store = new_store()
    build_shop(store), build_backoffice(store)
    assert original.cache_info().misses == written
    both.ask("/wishlist/add", product="5")
    assert both.store.value("SELECT count(*) FROM wishes WHERE product = 5") == 1
    assert store.value("SELECT count(*) FROM wishes WHERE product = 5") == 0
    assert len(both.office.state()["products"]) == 5000


@pytest.mark.parametrize(("written", "cents"), [("12.50", 1250), ("$3", 300), ("0.05", 5), ("", None),
                                                 ("1,000", 100000), ("1.5", 150), ("$1,204.50", 120450),
                                                 ("12,50", None), ("1,00", None),
                                                 ("-1", None), ("12.", None), ("9" * 12, None),
                                                 ("١٢", None)])  # fmt: skip
def test_amounts_are_read_exactly(written, cents):
    assert in_cents(written) == cents


def test_amounts_are_written():
    assert [money(cents) for cents in (5, 123456, -250)] == ["$0.05", "$1,234.56", "-$2.50"]


# Search


def test_filters_leave_what_they_say_and_orders_sort(both, base):
    page = text(both.ask("/c/cookware?brand=Tarn&color=Red"))
    want = base.value("SELECT count(*) FROM products JOIN categories ON categories.id = category WHERE slug = "
                      "'cookware' AND brand = 'Tarn' AND color = 'Red' AND state = 'Enabled'")  # fmt: skip
    assert f'id="found">{want} product' in page
    dear = text(both.ask("/c/kitchen?sort=price&low=20&high=30"))
    prices = [in_cents(one.replace(",", "")) for one in re.findall(r'class="price">\$([\d.,]+)<', dear)]
    assert prices == sorted(prices)
    assert 2000 <= prices[0] <= prices[-1] <= 3000
    assert "0 products" in text(both.ask("/search?q=100%25+%27"))
    assert both.ask("/c/none").status == both.ask("/p/NONE-1").status == 404


def test_a_search_is_counted_and_may_lead_elsewhere(both):
    before = both.store.value("SELECT uses FROM terms WHERE term = 'mug'")
    both.ask("/search?q=Mug")
    both.ask("/search?q=mug&page=2")
    assert both.store.value("SELECT uses FROM terms WHERE term = 'mug'") == before + 1
    number = both.store.value("SELECT id FROM terms WHERE term = 'mug'")
    assert "begins with /" in told(both.manage(f"/terms/{number}", redirect="http://elsewhere.test/"))
    assert "begins with /" in told(both.manage(f"/terms/{number}", redirect="//elsewhere.test"))
    both.manage(f"/terms/{number}", redirect="/c/tableware")
    assert both.ask("/search?q=mug").headers["location"] == "/c/tableware"


def test_no_search_leads_to_itself(both):
    mug, jar = (both.store.value("SELECT id FROM terms WHERE term = ?", term) for term in ("mug", "storage jar"))
    for way in ("/search?q=mug", "/search?q=+Mug+&sort=price", "/c/../search?q=mug", "/%73earch?q=jug&q=mug"):
        answer = both.manage(f"/terms/{mug}", redirect=way)
        assert answer.status == 422
        assert "leads back to the search" in text(answer)
    assert both.manage(f"/terms/{mug}", redirect="/search?q=storage+jar").status == 303
    assert "leads back to the search" in text(both.manage(f"/terms/{jar}", redirect="/search?q=mug"))
    assert "leads back to the search" in text(both.manage("/terms/new", term="Oh no", redirect="/search?q=oh+no"))
    assert both.manage("/terms/new", term="Oh no", redirect="/search?q=mug").status == 303


def test_what_is_disabled_is_not_sold(both):
    sku = both.store.value("SELECT sku FROM products WHERE state = 'Disabled'")
    assert both.ask(f"/p/{sku}").status == 404
    number = both.store.value("SELECT id FROM products WHERE state = 'Disabled'")
    assert both.ask("/cart/add", product=str(number), quantity="1").status == 404


# From the cart to the refund


def test_an_order_from_the_cart_to_the_refund(both):
    one, other = product(both), product(both, options=True)
    assert "Choose a size first." in told(both.ask("/cart/add", product=str(other["id"]), quantity="1"))
    size = both.store.value("SELECT value FROM options WHERE product = ?", other["id"])
    both.ask("/cart/add", product=str(one["id"]), quantity="2")
    both.ask("/cart/add", product=str(other["id"]), quantity="1", choice=size)
    subtotal = 2 * one["price"] + other["price"]
    assert shown(both.ask("/cart"), "subtotal") == money(subtotal)
    both.manage("/promotions/new", code="TEST10", title="Test", kind="Percent", amount="10", begins="2026-03-01",
                ends="2026-03-31", active="1")  # fmt: skip
    assert "is applied" in told(both.ask("/cart/coupon", code="test10"))
    assert shown(both.ask("/cart"), "discount") == f"-{money(subtotal * 10 // 100)}"
    place = html.unescape(re.findall(r"<option[^>]*>([^<]*)", text(both.ask("/checkout")))[0])
    way = both.ask("/checkout", address=place, method="Express", payment="Card", note="Ring twice").headers["location"]
    number = way.split("?")[0].rpartition("/")[2]
    assert shown(both.ask(f"/account/orders/{number}"), "total") == money(subtotal - subtotal * 10 // 100 + 1290)
    assert both.store.value("SELECT stock FROM products WHERE id = ?", one["id"]) == one["stock"] - 2
    assert both.store.value("SELECT uses FROM coupons WHERE code = 'TEST10'") == 1
    assert "The cart is empty" in text(both.ask("/cart"))
    assert "This takes an order" not in told(both.manage(f"/orders/{number}/invoice", go="1"))
    assert "takes an order that is pending" in told(both.manage(f"/orders/{number}/invoice", go="1"))
    assert "Choose a carrier" in told(both.manage(f"/orders/{number}/ship", carrier="Parcelway", tracking="no"))
    both.manage(f"/orders/{number}/ship", carrier="Parcelway", tracking="PW-123456")
    assert "PW-123456" in text(both.ask(f"/account/orders/{number}"))
    line = both.store.value("SELECT order_lines.id FROM order_lines JOIN orders ON orders.id = order_id WHERE number = "
                            "? AND sku = ?", number, one["sku"])  # fmt: skip
    back = {"line": str(line), "quantity": "3", "reason": "Wrong size", "wish": "Refund"}
    assert "You bought 2" in told(both.ask(f"/account/orders/{number}/return", **back))
    both.ask(f"/account/orders/{number}/return", **{**back, "quantity": "2"})
    assert "There is a return" in told(both.ask(f"/account/orders/{number}/return", **{**back, "quantity": "1"}))
    own = both.store.value("SELECT max(number) FROM returns")
    for state in ("Approved", "Received", "Closed"):
        both.manage(f"/returns/{own}", state=state)
    assert shown(both.manage(f"/returns/{own}"), "state") == "Closed"
    assert both.store.value("SELECT stock FROM products WHERE id = ?", one["id"]) == one["stock"]
    both.manage(f"/orders/{number}/refund", reason="Wrong size")
    assert shown(both.ask(f"/account/orders/{number}"), "state") == "Refunded"


def sizes_of(both, row):
    return [one[0] for one in both.store.all("SELECT value FROM options WHERE product = ?", row["id"])][:2]


def ordered(both):
    place = html.unescape(re.findall(r"<option[^>]*>([^<]*)", text(both.ask("/checkout")))[0])
    return both.ask("/checkout", address=place, method="Express", payment="Card")


def test_nobody_buys_more_than_there_is_in_several_sizes(both):
    row = product(both, "stock BETWEEN 6 AND 20", options=True)
    one, other = sizes_of(both, row)
    given = {"product": str(row["id"])}
    both.ask("/cart/add", **given, choice=one, quantity=str(row["stock"] - 1))
    only = f"There are only {row['stock']} of {row['name']}."
    assert "There are only" in told(both.ask("/cart/add", **given, choice=other, quantity="2"))
    both.ask("/cart/add", **given, choice=other, quantity="1")
    line = both.store.value("SELECT id FROM carts WHERE user = 1 AND choice LIKE ?", f"%: {other}")
    answer = both.ask("/cart/change", line=str(line), quantity="2")
    assert answer.status == 422
    assert only in text(answer)
    both.store.do("UPDATE products SET stock = stock - 1 WHERE id = ?", row["id"])
    assert ordered(both).status == 422
    assert both.store.value("SELECT count(*) FROM carts WHERE user = 1") == 2
    both.store.do("UPDATE products SET stock = stock + 1 WHERE id = ?", row["id"])
    assert ordered(both).status == 303
    assert both.store.value("SELECT stock FROM products WHERE id = ?", row["id"]) == 0


def test_each_size_of_an_order_can_be_sent_back(both):
    row = product(both, options=True)
    sizes = sizes_of(both, row)
    for size in sizes:
        both.ask("/cart/add", product=str(row["id"]), choice=size, quantity="1")
    number = ordered(both).headers["location"].split("?")[0].rpartition("/")[2]
    both.manage(f"/orders/{number}/invoice", go="1")
    both.manage(f"/orders/{number}/ship", carrier="Parcelway", tracking="PW-123456")
    page = text(both.ask(f"/account/orders/{number}"))
    lines = re.findall(r'<option value="(\d+)">([^<]*)<', page)
    assert [name for _, name in lines] == [f"{row['name']}, Size: {size}" for size in sizes]
    for line, name in lines:
        both.ask(f"/account/orders/{number}/return", line=line, quantity="1", reason="Wrong size", wish="Refund")
        assert f"<td>{name}</td>" in text(both.ask("/account/returns"))


def test_a_canceled_order_gives_its_goods_back(both):
    row = both.store.one("SELECT * FROM orders WHERE user = 1 AND state = 'Pending' ORDER BY id")
    line = both.store.one(
        "SELECT product, sum(quantity) AS n FROM order_lines WHERE order_id = ? GROUP BY product", row["id"]
    )
    before = both.store.value("SELECT stock FROM products WHERE id = ?", line["product"])
    both.ask(f"/account/orders/{row['number']}/cancel", go="1")
    assert both.store.value("SELECT stock FROM products WHERE id = ?", line["product"]) == before + line["n"]
    assert both.ask(f"/account/orders/{row['number']}/cancel", go="1").status == 403


def test_orders_and_addresses_of_others_are_not_there(both):
    number = both.store.value("SELECT number FROM orders WHERE user != 1")
    address = both.store.value("SELECT id FROM addresses WHERE user != 1")
    assert both.ask(f"/account/orders/{number}").status == both.ask(f"/account/addresses/{address}").status == 404
    assert both.ask(f"/account/addresses/{address}", **ADDRESS).status == 404
    assert both.ask("/cart", who="").headers["location"].startswith("/sign-in")


@pytest.mark.parametrize(
    ("path", "form", "says"),
    [
        ("/cart/add", {"product": "1", "quantity": "0"}, "A quantity is a whole number from 1 to 99."),
        ("/cart/add", {"product": "1", "quantity": "²"}, "A quantity is a whole number"),
        ("/cart/coupon", {"code": "NOTHING"}, "The coupon “NOTHING” is not valid."),
        ("/account/addresses/new", {**ADDRESS, "postcode": "12"}, "A postcode has five digits."),
        ("/account/addresses/new", {**ADDRESS, "country": "Atlantis"}, "Choose a country"),
        ("/account/addresses/new", {**ADDRESS, "phone": "call me"}, "A phone number has digits"),
        ("/account/edit", {"first": "Emma", "last": "Lind", "email": "nowhere"}, "an email address such as"),
        ("/account/password", {"old": "wrong", "new": "12345678"}, "The old password is wrong."),
        ("/p/TASB-0001/review", {"rating": "6", "nickname": "E", "title": "x", "body": "y"}, "Choose a rating"),
        ("/p/TASB-0001/review", {"rating": "5", "nickname": "E", "title": "x", "body": ""}, "A review has 1 to 2000"),
        ("/contact", {"name": "E", "email": "e", "body": "x"}, "Write an email address"),
        ("/register", {"name": "otto.berg", "first": "A", "last": "B", "email": "a@b.test", "password": "12345678"},
         "There is an account of this name."),
        ("/register", {"name": "new.one", "first": "A", "last": "B", "email": "a@b.test", "password": "short"},
         "at least 8 characters"),
    ],
)  # fmt: skip
def test_forms_of_the_shop_say_what_is_wrong(both, path, form, says):
    before = {table: len(rows) for table, rows in both.shop.state().items()}
    assert says in told(both.ask(path, **form)).replace("%27", "'")
    assert {table: len(rows) for table, rows in both.shop.state().items()} == before


def test_a_review_is_shown_when_it_is_approved(both):
    form = {"rating": "5", "nickname": "Emma", "title": "<b>Fine</b>", "body": "Holds soup."}
    both.ask("/p/TASB-0001/review", **form)
    assert "Holds soup." not in text(both.ask("/p/TASB-0001"))
    count = both.store.value("SELECT reviews FROM products WHERE sku = 'TASB-0001'")
    number = both.store.value("SELECT max(id) FROM reviews")
    both.manage(f"/reviews/{number}", **{key: form[key] for key in ("nickname", "title", "body")}, state="Approved")
    page = both.ask("/p/TASB-0001").body.decode()
    assert "Holds soup." in page
    assert "&lt;b&gt;Fine" in page
    assert both.store.value("SELECT reviews FROM products WHERE sku = 'TASB-0001'") == count + 1


def test_who_registers_is_signed_in_and_gets_a_main_address(both):
    form = {"name": "new.one", "first": "New", "last": "One", "email": "n@post.example", "password": "12345678"}
    answer = both.ask("/register", who="", **form)
    assert session_of("new.one") in answer.headers["set-cookie"]
    both.ask("/account/addresses/new", who="new.one", **ADDRESS)
    assert both.store.value("SELECT main FROM addresses WHERE user = (SELECT max(id) FROM users)") == 1


# The administration


def test_customers_and_guests_stay_outside(both):
    assert both.manage("/", who=VISITOR).status == 403
    assert both.manage("/orders", who="").headers["location"].startswith("/sign-in")


@pytest.mark.parametrize("role", list(MAY))
def test_a_role_opens_its_areas_and_no_others(both, role):
    who = both.store.value("SELECT name FROM users WHERE role = ? ORDER BY id", role)
    for grid in GRIDS:
        assert both.manage(f"/{grid.name}", who=who).status == (200 if grid.area in MAY[role] else 403)
    assert both.manage("/reports", who=who).status == (200 if "reports" in MAY[role] else 403)
    assert both.manage("/settings", who=who).status == (200 if "settings" in MAY[role] else 403)
    denied = both.manage("/products/1/delete", who=who, go="1").status == 403
    assert denied is ("products" not in MAY[role])
    assert (both.store.value("SELECT count(*) FROM products") == 5000) is denied


@pytest.mark.parametrize(
    ("grid", "asked", "query"),
    [
        ("orders", {"state": "Pending"}, "SELECT count(*) FROM orders WHERE state = 'Pending'"),
        ("orders", {"low": "100", "high": "200.50"}, "SELECT count(*) FROM orders WHERE total BETWEEN 10000 AND 20050"),
        ("orders", {"since": "2026-03-01", "until": "2026-03-05"},
         "SELECT count(*) FROM orders WHERE substr(created, 1, 10) BETWEEN '2026-03-01' AND '2026-03-05'"),
        ("products", {"most": "3", "state": "Enabled"},
         "SELECT count(*) FROM products WHERE stock < 4 AND state = 'Enabled'"),
        ("orders", {"low": "$1,204.5"}, "SELECT count(*) FROM orders WHERE total >= 120450"),
        ("customers", {"group": "Wholesale"}, "SELECT count(*) FROM users WHERE kind = 'Wholesale'"),
        ("customers", {}, "SELECT 1200"),
        ("reviews", {"rating": "2", "state": "Pending"},
         "SELECT count(*) FROM reviews WHERE rating = 2 AND state = 'Pending'"),
        ("staff", {"role": "Support"}, "SELECT count(*) FROM users WHERE role = 'Support'"),
        ("terms", {"results": "0"}, "SELECT count(*) FROM terms WHERE results = 0"),
    ],
)  # fmt: skip
def test_filters_of_a_grid(base, grid, asked, query):
    assert len(rows_of(base, GROUPS[grid], asked)) == base.value(query)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/orders?low=dear", "Total from: “dear” is no amount; write it like 12.50."),
        ("/orders?high=12,50", "Total to: “12,50” is no amount"),
        ("/orders?since=01/03/2026", "From day: “01/03/2026” is no day; write it like 2026-03-01."),
        ("/orders?until=2026-3-1", "To day: “2026-3-1” is no day"),
        ("/orders?state=Lost", "State: choose among Pending,"),
        ("/customers?since=2026-13-45", "Since day: “2026-13-45” is no day"),
        ("/products?most=many", "Stock to: “many” is no whole number; write it like 12."),
        ("/products?most=9999999999999", "is no whole number"),
        ("/reports/sales?since=01/03/2026", "“01/03/2026” is no day; write it like 2026-03-01."),
        ("/reports/sales?until=2026-3-1", "“2026-3-1” is no day"),
        ("/reports/sales?period=Week", "Choose a period: Day, Month, Year."),
        ("shop /search?high=cheap", "“cheap” is no price; write it like 12.50."),
        ("shop /c/kitchen?low=12,50", "“12,50” is no price"),
        ("shop /search?rating=1", "“1” is no rating to choose; choose among 2, 3, 4, 4.5."),
    ],
)
def test_a_filter_that_cannot_be_read_is_said_and_nothing_is_listed(both, path, says):
    ask = both.ask if path.startswith("shop ") else both.manage
    answer = ask(path.removeprefix("shop "))
    assert answer.status == 422
    assert says in text(answer)
    assert re.match(r"0 (found|rows|products)", shown(answer, "found"))


def test_rows_of_a_grid_are_not_left_out_by_what_cannot_be_read(base):
    with pytest.raises(Unreadable, match="Price from: “y” is no amount"):
        rows_of(base, GROUPS["products"], {"low": "y"})


def test_an_amount_is_a_filter_however_it_is_written(both):
    for path, ask in (("/search?high=", both.ask), ("/orders?high=", both.manage)):
        counts = [shown(ask(path + amount), "found") for amount in ("18.50", "$18.50", "18.5", "$18.5")]
        assert len(set(counts)) == 1
        assert counts[0] != shown(ask(path), "found")
    assert shown(both.manage("/orders?low=$1,204.50"), "found") == shown(both.manage("/orders?low=1204.5"), "found")


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.name)
def test_grids_sort_by_every_column_and_link_to_their_things(both, grid):
    for heading, what in grid.columns.items():
        rows = [row[heading] for row in rows_of(both.store, grid, {}, heading, down=True)]
        ordered = both.store.all(f"SELECT {what} FROM {grid.source} ORDER BY 1 DESC LIMIT 1")
        assert grid.name in ("customers", "staff") or rows[0] == ordered[0][0]
        assert rows == sorted(rows, key=lambda one: (one is not None, one), reverse=True)
    page = text(both.manage(f"/{grid.name}"))
    link = re.search(r'<tbody><tr[^>]*><td[^>]*><a href="([^"]*)"', page)
    assert both.manage(link[1]).status == 200


def test_reports_count_what_happened(base):
    for name in REPORTS:
        assert table_of(base, name)
    sold = "SELECT sum(total) FROM orders WHERE state NOT IN ('Canceled', 'Refunded')"
    for period in ("Day", "Month", "Year"):
        assert sum(row["Total"] for row in table_of(base, "sales", period=period)) == base.value(sold)
    month = table_of(base, "sales", "2026-02-01", "2026-02-28", "Month")
    assert [row["Period"] for row in month] == ["2026-02"]
    assert not table_of(base, "sales", "2027-01-01")
    best = table_of(base, "bestsellers")
    assert [row["Sold"] for row in best] == sorted((row["Sold"] for row in best), reverse=True)


@pytest.mark.parametrize(
    ("path", "form", "says"),
    [
        ("/products/1", {"price": "0"}, "A price is written like 12.50"),
        ("/products/1", {"special": "9999"}, "a special price is lower"),
        ("/products/1", {"stock": "-1"}, "Stock and weight are whole numbers"),
        ("/products/1", {"category": "Nothing"}, "Choose a category"),
        ("/products/new", {"sku": "x"}, "A SKU is written like TAMU-0001"),
        ("/products/new", {"sku": "TASB-0001"}, "no other product has it"),
        ("/promotions/new", {"code": "a b"}, "A code has 3 to 20 capital letters"),
        ("/promotions/1", {"amount": "95", "kind": "Percent"}, "a percentage from 1 to 90"),
        ("/promotions/1", {"begins": "2026-04-02", "ends": "2026-04-01"}, "a promotion ends after it begins"),
        ("/promotions/1", {"code": "WELCOME02"}, "There is a promotion with this code."),
        ("/terms/new", {"term": "mug"}, "one that is not there"),
        ("/staff/1201", {"role": "Support"}, "Nobody changes the role of their own account."),
        ("/staff/1202", {"role": "King"}, "Choose a role"),
        ("/customers/1", {"kind": "General", "email": "x"}, "write an email address"),
        ("/settings", {"Free shipping from": "much"}, "an amount such as 75.00"),
        ("/reviews/1", {"state": "Fine", "nickname": "a", "title": "b", "body": "c"}, "and a state: Pending"),
    ],
)  # fmt: skip
def test_forms_of_the_administration_say_what_is_wrong(both, path, form, says):
    page = text(both.manage(path)) if not path.startswith("/settings") else ""
    kept = {name: html.unescape(value) for name, value in re.findall(r'<input name="(\w+)" value="([^"]*)"', page)}
    for name, options in re.findall(r'<select name="(\w+)">(.*?)</select>', page, re.S):
        kept[name] = (re.findall(r"selected>([^<]*)", options) or [""])[0]
    if path.startswith("/products/new"):
        kept |= {"name": "A new pan", "brand": "Tarn", "category": "Cookware", "type": "Wok", "price": "9",
                 "stock": "1", "weight": "1", "color": "Red", "material": "Steel", "feature": "20 cm"}  # fmt: skip
    before = both.store.writes
    answer = both.manage(path, **{**kept, **form})
    assert says in text(answer)
    assert answer.status in (403, 422)
    assert both.store.writes == before


def test_settings_change_what_the_shop_does(both):
    row = product(both, "stock > 20 AND special = 0 AND price < 7000")
    both.ask("/cart/add", product=str(row["id"]), quantity="1")
    assert shown(both.ask("/cart"), "shipping") == "$4.95"
    both.manage("/settings", **{"Free shipping from": "1.00", "Low stock below": "3", "Store name": "Corner shop",
                                "Contact email": "us@corner.example"})  # fmt: skip
    assert shown(both.ask("/cart"), "shipping") == "$0.00"
    assert shown(both.ask("/contact"), "store") == "Corner shop"
    assert {row["Stock"] for row in table_of(both.store, "stock")} == {0, 1, 2}
