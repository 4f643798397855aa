"""Templates over the shop: what a customer looks for, buys, sends back and changes; and over the shop and the forum."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from agentgym.envs.web._sites.application import money
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.shop.catalogue import COST, conditions
from agentgym.envs.web._sites.shop.content import words
from agentgym.envs.web._sites.shop.sales import METHODS, PAYMENTS, WISHES, discount, numbered
from agentgym.envs.web._suite.drafts import (
    FORUM,
    OFFICE,
    SHOP,
    Ask,
    Draft,
    Step,
    Template,
    answer,
    cells,
    deed,
    letter,
    place,
)

SOLD = "products.state = 'Enabled'"
PLAIN = f"{SOLD} AND stock > 12 AND products.id NOT IN (SELECT product FROM options)"
ALL = f"SELECT products.*, {COST} AS cost, categories.name AS category_name, slug FROM products JOIN categories ON " \
      "categories.id = category"  # fmt: skip
MINE = "SELECT * FROM orders WHERE user = 1"
LINES = "SELECT order_lines.*, orders.number, orders.state, orders.created FROM order_lines JOIN orders ON orders.id " \
        "= order_id WHERE orders.user = 1"  # fmt: skip
VERDICTS = {
    "5": ("Just right", "I would choose it again without a second thought."),
    "4": ("Good buy", "A few scratches aside, it does all that I need."),
    "3": ("Fair enough", "It is neither better nor worse than my old one."),
    "2": ("Not for me", "I had hoped for more at this price."),
    "1": ("Sorry I bought it", "It lasted four days and then gave up."),
}
STREETS = ("12 Poplar Way", "7 Tanner Street", "101 Windmill Lane", "44 Rope Walk", "3 Weaver Court", "29 Bell Street")
TOWNS = ("Stonebridge", "Highfield", "Ashby", "Greenwater", "Lowmill", "Oldport")
QUESTIONS = ("Do you wrap gifts?", "May I pay on delivery?", "How long is the warranty?", "Do you send abroad?",
             "Is there a shop in town?", "Can I change an order?")  # fmt: skip


def product(ask: Ask, where: str = SOLD, *given: Any) -> tuple[Row, str, str]:
    """A product, the way to it, and its words.

    Args:
        ask: What is drawn from.
        where: A condition on products and their categories.
        given: What the condition asks for.
    """
    number = ask.row(ask.shop, "SELECT products.id FROM products JOIN categories ON categories.id = category WHERE "
                     f"{where} ORDER BY products.id", *given)["id"]  # fmt: skip
    row = ask.row(ask.shop, f"{ALL} WHERE products.id = ?", number)
    return row, f"{SHOP}/p/{row['sku']}", f"the product “{row['name']}”"


def _filtered(ask: Ask, **asked: str) -> list[Row]:
    """What filters of a search leave, cheapest first."""
    where, given = conditions(asked)
    return ask.shop.all(f"{ALL} WHERE {SOLD} AND {where} ORDER BY cost, products.id", *given)


def _into_cart(way: str, count: int, size: str = "") -> list[Step]:
    chosen = [["select", 'combobox "Size"', size]] if size else []
    return [["goto", way], *chosen, ["fill", 'textbox "Quantity"', str(count)], ["click", 'button "Add to cart"']]


def written(address: Any) -> str:
    """An address as pages show it, one part a line.

    Args:
        address: A row of addresses, or of orders.
    """
    first, second = (address[key] for key in ("recipient", "street"))
    return f"{first}\n{second}\n{address['postcode']} {address['city']}\n{address['country']}\n{address['phone']}"


def price(ask: Ask) -> Draft:
    """What a product costs, reduced or not."""
    row, way, named = product(ask)
    asked = f"the price of {named} in the shop, the reduced one if it is on sale"
    return answer(SHOP, way, asked, money(row["cost"]), "amount")


def detail(ask: Ask) -> Draft:
    """A detail of a product."""
    row, way, named = product(ask)
    key, said = ask.pick((("material", row["material"]), ("weight", f"{row['weight']} g"), ("SKU", row["sku"]),
                          ("category", row["category_name"])))  # fmt: skip
    return answer(SHOP, way, f"the {key} of {named}", said, "word")


def stars(ask: Ask) -> Draft:
    """How many reviews give so many stars."""
    row, way, named = product(ask, f"{SOLD} AND reviews > 3")
    given = ask.pick((1, 2, 3, 4, 5))
    count = ask.shop.value("SELECT count(*) FROM reviews WHERE product = ? AND state = 'Approved' AND rating = ?",
                           row["id"], given)  # fmt: skip
    unit = "star" if given == 1 else "stars"
    return answer(SHOP, way, f"the number of reviews that give {given} {unit} to {named}", count, "number")


def reviewer(ask: Ask) -> Draft:
    """Who wrote a review."""
    row, way, named = product(ask, f"{SOLD} AND reviews BETWEEN 2 AND 10")
    one = ask.row(ask.shop, "SELECT * FROM reviews WHERE product = ? AND state = 'Approved' ORDER BY id", row["id"])
    alike = ask.shop.value("SELECT count(*) FROM reviews WHERE product = ? AND state = 'Approved' AND title = ? AND "
                           "rating = ?", row["id"], one["title"], one["rating"])  # fmt: skip
    if alike > 1:
        return stars(ask)
    asked = f"the nickname of who wrote the review “{one['title']}” with the rating {one['rating']} of {named}"
    return answer(SHOP, way, asked, one["nickname"], "name")


def cheapest(ask: Ask) -> Draft:
    """The cheapest product of a kind."""
    row, _, _ = product(ask)
    asked = {"type": row["type"], "color": row["color"]}
    found = _filtered(ask, **asked)
    if len(found) > 1 and found[0]["cost"] == found[1]["cost"]:
        return price(ask)
    way = f"{SHOP}/search?{urlencode({**asked, 'sort': 'price'})}"
    named = f"the cheapest product of the type {row['type']} in the color {row['color']}"
    return answer(SHOP, way, f"the name of {named} in the shop, reduced prices counted", found[0]["name"], "name")


def how_many(ask: Ask) -> Draft:
    """How many products filters leave."""
    row, _, _ = product(ask, f"{SOLD} AND stock > 0")
    asked = {"type": row["type"], "material": row["material"]}
    cap = next(cap for cap in (10, 15, 20, 30, 40, 60, 80, 120, 200, 400) if cap * 100 >= row["cost"])
    key, said = ask.pick((("high", f"that cost {money(cap * 100)} or less"), ("stock", "that are in stock"),
                          ("color", f"in the color {row['color']}")))  # fmt: skip
    asked[key] = {"high": str(cap), "stock": "1", "color": row["color"]}[key]
    named = f"the number of products of the type {row['type']} made of {row['material'].lower()} {said}"
    return answer(SHOP, f"{SHOP}/search?{urlencode(asked)}", named, len(_filtered(ask, **asked)), "number")


def order_detail(ask: Ask) -> Draft:
    """Something about an order of one's own."""
    row = ask.row(ask.shop, f"{MINE} AND state IN ('Complete', 'Refunded') ORDER BY id")
    sent = ask.row(ask.shop, "SELECT * FROM shipments WHERE order_id = ?", row["id"])
    key, said, told = ask.pick((
        ("total", money(row["total"]), "amount"), ("tracking number", sent["tracking"], "word"),
        ("carrier", sent["carrier"], "name"), ("payment", row["payment"], "word"),
        ("shipping method", row["method"], "word"), ("city", row["city"], "name"),
    ))  # fmt: skip
    way = f"{SHOP}/account/orders/{row['number']}"
    mine = f"my order {row['number']} in the shop"
    asked = f"the city that {mine} was sent to" if key == "city" else f"the {key} of {mine}"
    return answer(SHOP, way, asked, said, told)


def bought_in(ask: Ask) -> Draft:
    """The order that holds a product."""
    alone = "AND (SELECT count(*) FROM order_lines AS other JOIN orders AS others ON others.id = other.order_id " \
            "WHERE others.user = 1 AND other.product = order_lines.product) = 1"  # fmt: skip
    row = ask.row(ask.shop, f"{LINES} {alone} ORDER BY order_lines.id")
    key, said, told = ask.pick((("number of the order", row["number"], "number"),
                                ("date of the order", row["created"][:10], "date"),
                                ("state of the order", row["state"], "word")))  # fmt: skip
    asked = f"the {key} in which I bought “{row['name']}” in the shop"
    return answer(SHOP, f"{SHOP}/account/orders/{row['number']}", asked, said, told)


def open_product(ask: Ask) -> Draft:
    """The page of a product."""
    _, way, named = product(ask)
    return place(SHOP, way, f"the page of {named}")


def open_category(ask: Ask) -> Draft:
    """A category with filters."""
    row, _, _ = product(ask)
    url = f"{SHOP}/c/{row['slug']}?{urlencode({'brand': row['brand'], 'color': row['color']})}"
    asked = f"the category {row['category_name']} of the shop with products of the brand {row['brand']} in the color " \
            f"{row['color']} only"  # fmt: skip
    return place(SHOP, url, asked)


def open_search(ask: Ask) -> Draft:
    """Search results in an order."""
    term = ask.row(ask.shop, "SELECT term FROM terms WHERE results > 0 ORDER BY id")["term"]
    order = ask.pick(("price", "price, highest first", "rating", "newest"))
    url = f"{SHOP}/search?{urlencode({'q': term, 'sort': order})}"
    return place(SHOP, url, f"the search results of the shop for “{term}”, ordered by {order}")


def to_cart(ask: Ask) -> Draft:
    """Put something into the cart, in a size where there are some."""
    sized = ask.pick((True, False))
    row, way, named = product(ask, f"{SOLD} AND stock > 12 AND products.id {'' if sized else 'NOT'} IN (SELECT product "
                              "FROM options)")  # fmt: skip
    count = ask.pick((1, 2, 3, 4, 5))
    size = ask.row(ask.shop, "SELECT value FROM options WHERE product = ?", row["id"])["value"] if sized else ""
    there, line = f"{SHOP}/cart", f"#line-{row['sku']}"
    wanted = [(there, f"{line} a", row["name"]), (there, f"{line} [name=quantity]@value", str(count))]
    wanted += [(there, f"{line} .meta", f"Size: {size}")] if size else []
    asked = f"put {count} of {named} into my cart" + (f", in the size {size}" if size else "")
    return deed("content", SHOP, asked, _into_cart(way, count, size), *wanted)


def wish(ask: Ask) -> Draft:
    """Put something on the wish list."""
    row, way, named = product(ask, f"{SOLD} AND products.id NOT IN (SELECT product FROM wishes WHERE user = 1)")
    count = ask.shop.value("SELECT count(*) FROM wishes WHERE user = 1")
    there = f"{SHOP}/wishlist"
    plan = [["goto", way], ["click", 'button "Add to wish list"']]
    return deed("content", SHOP, f"put {named} on my wish list", plan,
                (there, f"#wish-{row['sku']}", [row["name"]]), (there, "#count", str(count + 1)))  # fmt: skip


def review(ask: Ask) -> Draft:
    """Write a review."""
    row, way, named = product(ask)
    rating, (title, body) = ask.pick(list(VERDICTS.items()))
    nickname = ask.pick(("Emma L.", "emma77", "A reader", "E. from the north"))
    plan = [["goto", way], ["select", 'combobox "Rating"', rating], ["fill", 'textbox "Nickname"', nickname],
            ["fill", 'textbox "Summary"', title], ["fill", 'textbox "Review"', body],
            ["click", 'button "Send review"']]  # fmt: skip
    asked = f"review {named} with {rating} of 5, the nickname “{nickname}”, the summary “{title}” and the text “{body}”"
    there = f"{SHOP}/account/reviews"
    told = cells(there, "#reviews tbody tr", row["name"], f"{rating} of 5", nickname, title, body)
    return deed("content", SHOP, asked, plan, *told)


def order(ask: Ask) -> Draft:
    """Buy something."""
    row, way, named = product(ask, PLAIN)
    count, method, payment = ask.pick((1, 2, 3)), ask.pick(list(METHODS)), ask.pick(PAYMENTS)
    goes = ask.row(ask.shop, "SELECT * FROM addresses WHERE user = 1 ORDER BY id")
    plan = [*_into_cart(way, count), ["goto", f"{SHOP}/checkout"],
            ["select", 'combobox "Ship to"', f"{goes['recipient']}, {goes['street']}, {goes['city']}"],
            ["select", 'combobox "Shipping method"', method], ["select", 'combobox "Payment"', payment],
            ["click", 'button "Place order"']]  # fmt: skip
    there = f"{SHOP}/account/orders/{numbered('orders', 3001)}"
    asked = f"order {count} of {named}, sent to {goes['street']} with the shipping method {method} and the payment " \
            f"{payment}"  # fmt: skip
    return deed("content", SHOP, asked, plan,
                *cells(there, "#lines tbody tr", row["name"], row["sku"], None, str(count)),
                (there, "#subtotal", money(row["cost"] * count)), (there, "#method", method),
                (there, "#payment", payment), (there, "#address", written(goes)))  # fmt: skip


def coupon(ask: Ask) -> Draft:
    """Use a coupon whose title and not whose code is known, after a look into the administration."""
    today = "2026-03-14"
    one = ask.row(ask.shop, "SELECT * FROM coupons WHERE active = 1 AND begins <= ?1 AND ends >= ?1 AND (most = 0 OR "
                  "uses < most) AND (SELECT count(*) FROM coupons AS other WHERE other.title = coupons.title) = 1 "
                  "ORDER BY id", today)  # fmt: skip
    row, way, named = product(ask, f"{PLAIN} AND {COST} >= ?", max(one["least"], 1))
    off = discount(one["kind"], one["amount"], row["cost"])
    plan = [["goto", f"{OFFICE}/promotions"], *_into_cart(way, 1), ["goto", f"{SHOP}/cart"],
            ["fill", 'textbox "Coupon"', one["code"]], ["click", 'button "Apply coupon"']]  # fmt: skip
    asked = f"put one of {named} into my cart and apply the coupon of the promotion “{one['title']}”, whose code " \
            f"stands in the administration on {OFFICE}"  # fmt: skip
    there = f"{SHOP}/cart"
    return deed("content", SHOP, asked, plan, (there, f"#line-{row['sku']} a", row["name"]),
                (there, f"#line-{row['sku']} [name=quantity]@value", "1"),
                (there, "#discount", f"-{money(off)}"))  # fmt: skip


def again(ask: Ask) -> Draft:
    """Order something again, and change how much of it."""
    whole = "state != 'Canceled' AND NOT EXISTS (SELECT 1 FROM order_lines JOIN products ON products.id = product " \
            "WHERE order_id = orders.id AND (products.state != 'Enabled' OR stock < 12))"  # fmt: skip
    row = ask.row(ask.shop, f"{MINE} AND {whole} ORDER BY id")
    lines = ask.shop.all("SELECT * FROM order_lines WHERE order_id = ? ORDER BY id", row["id"])
    one, count = ask.pick(lines), ask.pick((6, 7, 8, 9))
    plan = [["goto", f"{SHOP}/account/orders/{row['number']}"], ["click", 'button "Order again"'],
            ["fill", f'textbox "Quantity of {one["name"]}"', str(count)],
            ["click", f'button "Update {one["name"]}"']]  # fmt: skip
    counts = {each["sku"]: count if each["id"] == one["id"] else each["quantity"] for each in lines}
    held = [(f"{SHOP}/cart", f"#line-{sku} [name=quantity]@value", str(each)) for sku, each in counts.items()]
    asked = f"put the products of my order {row['number']} into the cart again, but {count} of “{one['name']}”"
    return deed("content", SHOP, asked, plan, *held)


def send_back(ask: Ask) -> Draft:
    """Ask for a return."""
    row = ask.row(ask.shop, f"{LINES} AND orders.state = 'Complete' AND order_lines.id NOT IN (SELECT line FROM "
                  "returns) ORDER BY order_lines.id")  # fmt: skip
    reason, wanted = ask.pick(words()["return_reasons"]), ask.pick(WISHES)
    last = ask.shop.value("SELECT max(id) FROM returns")
    goods = f"{row['name']}, {row['choice']}" if row["choice"] else row["name"]
    plan = [["goto", f"{SHOP}/account/orders/{row['number']}"], ["select", 'combobox "Product"', goods],
            ["select", 'combobox "Reason"', reason], ["select", 'combobox "I want"', wanted],
            ["click", 'button "Request return"']]  # fmt: skip
    asked = f"request the return of one of “{row['name']}” of my order {row['number']}, with the reason “{reason}” " \
            f"and “{wanted}” as what I want"  # fmt: skip
    asked_for = cells(f"{SHOP}/account/returns", f"#return-{numbered('returns', last + 1)}", None, None, row["number"],
                      goods, "1", reason, wanted)  # fmt: skip
    return deed("content", SHOP, asked, plan, *asked_for)


def new_address(ask: Ask) -> Draft:
    """Add an address, and send to it from now on."""
    street, city, postcode = ask.pick(STREETS), ask.pick(TOWNS), str(ask.pick(range(10100, 99900, 117)))
    phone = f"555-{ask.pick(range(2000, 9000, 37))}"
    last = ask.shop.value("SELECT max(id) FROM addresses")
    plan = [["goto", f"{SHOP}/account/addresses/new"], ["fill", 'textbox "Street"', street],
            ["fill", 'textbox "City"', city], ["fill", 'textbox "Postcode"', postcode],
            ["fill", 'textbox "Phone"', phone], ["click", 'button "Save address"'],
            ["click", f'button "Make {street} the main address"']]  # fmt: skip
    asked = f"add the address {street}, {postcode} {city}, Norland, phone {phone} to my account in the shop and make " \
            "it the main address"  # fmt: skip
    there, own = f"{SHOP}/account/addresses", f"#address-{last + 1}"
    goes = written({"recipient": "Emma Lind", "street": street, "postcode": postcode, "city": city,
                    "country": "Norland", "phone": phone})  # fmt: skip
    return deed("configuration", SHOP, asked, plan, (there, f"{own} address", goes), (there, f"{own} .mark",
                "Main address"))  # fmt: skip


def change_account(ask: Ask) -> Draft:
    """Change email and newsletter."""
    email = f"emma.{ask.pick(('lind', 'l', 'post', 'home', 'work', 'new'))}{ask.pick(range(10, 99))}@mail.example"
    wants = not ask.shop.value("SELECT newsletter FROM users WHERE id = 1")
    box = [["check" if wants else "uncheck", 'checkbox "Newsletter"']]
    plan = [["goto", f"{SHOP}/account/edit"], ["fill", 'textbox "Email"', email], *box,
            ["click", 'button "Save account"']]  # fmt: skip
    asked = f"change the email address of my account in the shop to {email} and " \
            f"{'subscribe to' if wants else 'leave'} the newsletter"  # fmt: skip
    said = "You get our newsletter." if wants else "You do not get our newsletter."
    return deed("configuration", SHOP, asked, plan, (f"{SHOP}/account", "#email", email),
                (f"{SHOP}/account", "#newsletter", said))  # fmt: skip


def write_shop(ask: Ask) -> Draft:
    """Write to the shop about a product; the staff finds the message."""
    row, _, named = product(ask)
    text = f"{ask.pick(QUESTIONS)} It is about {row['sku']}."
    last = ask.shop.value("SELECT max(id) FROM messages")
    plan = [["goto", f"{SHOP}/contact"], ["fill", 'textbox "Message"', text], ["click", 'button "Send message"']]
    asked = f"write to the shop with its contact form: “{text.replace(row['sku'], '…')}”, with the SKU of {named} in " \
            "place of the dots"  # fmt: skip
    return deed("content", SHOP, asked, plan, (f"{OFFICE}/messages/{last + 1}", "#body", text),
                (f"{OFFICE}/messages/{last + 1}", "#email", "emma.lind@post.example"))  # fmt: skip


def tell_price(ask: Ask) -> Draft:
    """Read what a product costs, and write it to somebody in the forum."""
    row, way, named = product(ask)
    person = ask.row(ask.forum, "SELECT * FROM users WHERE id > 1 ORDER BY id")["name"]
    said = money(row["cost"])
    plan = [["goto", way], ["goto", f"{FORUM}/messages/new"], ["fill", 'textbox "To"', person],
            ["fill", 'textbox "Subject"', row["sku"]], ["fill", 'textbox "Message"', said],
            ["click", 'button "Send message"']]  # fmt: skip
    asked = f"find out what {named} costs on {SHOP} now and send the amount, such as $12.50, without another word to " \
            f"{person} of the forum, in a message whose subject is its SKU"  # fmt: skip
    return deed("content", FORUM, asked, plan, *letter(person, row["sku"], said))


TEMPLATES: tuple[Template, ...] = (
    price, detail, stars, reviewer, cheapest, how_many, order_detail, bought_in, open_product, open_category,
    open_search, to_cart, wish, review, order, coupon, again, send_back, new_address, change_account, write_shop,
    tell_price,
)  # fmt: skip
