"""Templates over the administration of the shop that change something, and over it and another site."""

from __future__ import annotations

from agentgym.envs.web._sites.application import money
from agentgym.envs.web._sites.backoffice.access import MAY
from agentgym.envs.web._sites.backoffice.catalogue import plain
from agentgym.envs.web._sites.backoffice.grids import GROUPS
from agentgym.envs.web._sites.shop.content import words
from agentgym.envs.web._suite.drafts import OFFICE, SHOP, TRACKER, Ask, Draft, Template, cells, deed
from agentgym.envs.web._suite.office_questions import WHERE, customer, order
from agentgym.envs.web._suite.shop_tasks import SOLD, STREETS, TOWNS, product, written
from agentgym.envs.web._suite.tracker_questions import NOW, ticket
from agentgym.envs.web._suite.tracker_tasks import REPORTS as MAY_REPORT

REMARKS = ("Your parcel leaves tomorrow.", "We had to order one part again.", "Thank you for your patience.",
           "The carrier will call you first.", "We added a small present.", "Please confirm your address.")  # fmt: skip
CODES = ("SUMMER", "AUTUMN", "PICNIC", "GARDEN", "SNOW", "MOVING", "SCHOOL", "BIKE", "TEA", "LANTERN")
LAST_DAYS = tuple(f"2026-{month:02}-{day:02}" for month in range(4, 13) for day in (5, 12, 20, 28))


def set_price(ask: Ask) -> Draft:
    """Change price and special price."""
    row, way, named = product(ask)
    new = row["price"] + ask.pick((100, 150, 200, 350, 500))
    special = new * ask.pick((60, 70, 75, 80)) // 100
    plan = [["goto", f"{OFFICE}/products/{row['id']}"], ["fill", 'textbox "Price"', plain(new)],
            ["fill", 'textbox "Special price"', plain(special)], ["click", 'button "Save product"']]  # fmt: skip
    asked = f"set the price of {named} in {WHERE} to {money(new)} and its special price to {money(special)}"
    return deed("configuration", OFFICE, asked, plan, (way, "#price .price", money(special)),
                (way, "#price .was", money(new)))  # fmt: skip


def restock(ask: Ask) -> Draft:
    """Add to the stock."""
    row, _, named = product(ask)
    more = ask.pick((12, 24, 30, 48, 60, 120))
    way = f"{OFFICE}/products/{row['id']}"
    plan = [["goto", way], ["fill", 'textbox "Stock"', str(row["stock"] + more)], ["click", 'button "Save product"']]
    return deed("configuration", OFFICE, f"raise the stock of {named} in {WHERE} by {more}", plan,
                (way, "[name=stock]@value", str(row["stock"] + more)))  # fmt: skip


def disable(ask: Ask) -> Draft:
    """Take a product out of the shop."""
    row, way, named = product(ask)
    plan = [["goto", f"{OFFICE}/products/{row['id']}"], ["select", 'combobox "State"', "Disabled"],
            ["click", 'button "Save product"']]  # fmt: skip
    return deed("configuration", OFFICE, f"disable {named} in {WHERE}, without deleting it", plan,
                (way, "h1", "Not found"), (f"{OFFICE}/products/{row['id']}", "#sku", row["sku"]))  # fmt: skip


def new_product(ask: Ask) -> Draft:
    """Add a product like another one."""
    row, _, named = product(ask)
    given, number = words(), 6000 + ask.pick(range(3000))
    line = ask.pick(given["lines"])
    name = f"{row['brand']} {line} {row['type']}, {row['feature']}, two-tone"
    sku, price, count = f"NEW-{number}", ask.pick((990, 1450, 2400, 3990)), ask.pick((8, 15, 40))
    fields = {"SKU": sku, "Name": name, "Price": plain(price), "Stock": str(count), "Weight in grams": "500",
              "Brand": row["brand"], "Type": row["type"], "Material": row["material"],
              "Size": row["feature"]}  # fmt: skip
    plan = [["goto", f"{OFFICE}/products/new"], *(["fill", f'textbox "{key}"', said] for key, said in fields.items()),
            ["select", 'combobox "Category"', row["category_name"]], ["select", 'combobox "Color"', row["color"]],
            ["click", 'button "Save product"']]  # fmt: skip
    asked = f"add a product to {WHERE}: SKU {sku}, name “{name}”, price {money(price)}, stock {count}, weight 500 g; " \
            f"its brand, category, type, color, material and size are those of {named}"  # fmt: skip
    there = f"{SHOP}/p/{sku}"
    alike = [(there, f"#{key}", row[key]) for key in ("brand", "type", "color", "material", "feature")]
    return deed("content", OFFICE, asked, plan, (there, "#name", name), (there, "#price .price", money(price)),
                (there, "#weight", "500 g"), *alike, (there, ".path a:last-child", row["category_name"]),
                *cells(f"{OFFICE}/products?sku={sku}", "#grid tbody tr", *[None] * 6, str(count)))  # fmt: skip


def moderate(ask: Ask) -> Draft:
    """Approve a review, or reject it."""
    row = ask.row(ask.shop, "SELECT reviews.*, name FROM reviews JOIN products ON products.id = product WHERE "
                  "reviews.state = 'Pending' AND (SELECT count(*) FROM reviews AS other WHERE other.product = "
                  "reviews.product AND other.nickname = reviews.nickname) = 1 ORDER BY reviews.id")  # fmt: skip
    verb, state = ask.pick((("approve", "Approved"), ("reject", "Rejected")))
    way = f"{OFFICE}/reviews/{row['id']}"
    plan = [["goto", way], ["select", 'combobox "State"', state], ["click", 'button "Save review"']]
    asked = f"{verb} the pending review by {row['nickname']} of “{row['name']}” in {WHERE}"
    return deed("content", OFFICE, asked, plan, (way, "#state", state))  # fmt: skip


def bill(ask: Ask) -> Draft:
    """Write an invoice."""
    row, way = order(ask, "orders.state = 'Pending'")
    plan = [["goto", way], ["click", 'button "Write invoice"']]
    asked = f"write the invoice of order {row['number']}, placed by {row['customer']}, in {WHERE}"
    billed = cells(way, "#invoices tbody tr", None, None, money(row["total"]))
    return deed("content", OFFICE, asked, plan, (way, "#state", "Processing"), *billed)


def bill_and_ship(ask: Ask) -> Draft:
    """Ship an order, which takes an invoice first."""
    row, way = order(ask, "orders.state IN ('Pending', 'Processing')")
    carrier = ask.pick(words()["carriers"])
    tracking = f"{carrier[:2].upper()}{ask.pick(range(100000, 999999, 97))}"
    bill_first = [["click", 'button "Write invoice"']] if row["state"] == "Pending" else []
    plan = [["goto", way], *bill_first, ["select", 'combobox "Carrier"', carrier],
            ["fill", 'textbox "Tracking number"', tracking], ["click", 'button "Write shipment"']]  # fmt: skip
    asked = f"ship order {row['number']} with {carrier} under the tracking number {tracking} in {WHERE}; write its " \
            "invoice first if it has none"  # fmt: skip
    return deed("content", OFFICE, asked, plan, (way, "#state", "Complete"),
                *cells(way, "#shipments tbody tr", None, None, carrier, tracking))  # fmt: skip


def halt(ask: Ask) -> Draft:
    """Hold an order, or release it."""
    row, way = order(ask, "orders.state IN ('Pending', 'Processing', 'On hold')")
    verb, button = ("release", "Release") if row["state"] == "On hold" else ("hold", "Hold")
    invoiced = ask.shop.one("SELECT 1 FROM invoices WHERE order_id = ?", row["id"]) is not None
    after = "On hold" if verb == "hold" else "Processing" if invoiced else "Pending"
    said = ask.pick(REMARKS)
    plan = [["goto", way], ["click", f'button "{button}"'], ["fill", 'textbox "Note"', said],
            ["click", 'button "Add note"']]  # fmt: skip
    return deed("content", OFFICE, f"{verb} order {row['number']} in {WHERE} and add the note “{said}” to it", plan,
                (way, "#state", after), (way, "#notes li:last-child .said", said))  # fmt: skip


def tell(ask: Ask) -> Draft:
    """Write a note that the customer sees."""
    row, way = order(ask, "orders.state IN ('Pending', 'Processing', 'On hold', 'Complete')")
    said = ask.pick(REMARKS)
    plan = [["goto", way], ["fill", 'textbox "Note"', said], ["check", 'checkbox "Tell the customer"'],
            ["click", 'button "Add note"']]  # fmt: skip
    asked = f"tell the customer of order {row['number']} “{said}” with a note on the order in {WHERE}"
    return deed("content", OFFICE, asked, plan, (way, "#notes li:last-child", ["otto.berg, customer told"]),
                (way, "#notes li:last-child .said", said))  # fmt: skip


def cancel(ask: Ask) -> Draft:
    """Cancel an order."""
    row, way = order(ask, "orders.state IN ('Pending', 'On hold')")
    return deed("content", OFFICE, f"cancel order {row['number']} by {row['customer']} in {WHERE}", [["goto", way],
                ["click", 'button "Cancel order"']], (way, "#state", "Canceled"))  # fmt: skip


def refund(ask: Ask) -> Draft:
    """Refund an order."""
    row, way = order(ask, "orders.state = 'Complete' AND orders.created > '2025-09-01'")
    reason = ask.pick(words()["return_reasons"])
    plan = [["goto", way], ["select", 'combobox "Reason"', reason], ["click", 'button "Write refund"']]
    return deed("content", OFFICE, f"refund order {row['number']} in {WHERE} with the reason “{reason}”", plan,
                (way, "#state", "Refunded"),
                *cells(way, "#refunds tbody tr", None, None, money(row["total"]), reason))  # fmt: skip


def redirect_parcel(ask: Ask) -> Draft:
    """Change the address of an order."""
    row, way = order(ask, "orders.state IN ('Pending', 'Processing', 'On hold')")
    street, city, postcode = ask.pick(STREETS), ask.pick(TOWNS), str(ask.pick(range(10100, 99900, 117)))
    plan = [["goto", f"{way}/address"], ["fill", 'textbox "Street"', street], ["fill", 'textbox "City"', city],
            ["fill", 'textbox "Postcode"', postcode], ["click", 'button "Save address"']]  # fmt: skip
    asked = f"change the address of order {row['number']} in {WHERE} to {street}, {postcode} {city}, and keep " \
            "recipient, country and phone"  # fmt: skip
    goes = written({**dict(row), "street": street, "postcode": postcode, "city": city})
    return deed("content", OFFICE, asked, plan, (way, "#address", goes))


def promote(ask: Ask) -> Draft:
    """Add a promotion."""
    percent, title = ask.pick((5, 10, 12, 15, 20, 30)), ask.pick(words()["coupon_titles"])
    code, ends, least = f"{ask.pick(CODES)}{ask.pick(range(40, 99))}", ask.pick(LAST_DAYS), ask.pick((20, 30, 50))
    last = ask.shop.value("SELECT max(id) FROM coupons")
    plan = [["goto", f"{OFFICE}/promotions/new"], ["fill", 'textbox "Code"', code], ["fill", 'textbox "Title"', title],
            ["fill", 'textbox "Discount"', str(percent)], ["fill", 'textbox "Smallest order"', f"{least}.00"],
            ["fill", 'textbox "Last day"', ends], ["click", 'button "Save promotion"']]  # fmt: skip
    asked = f"add an active promotion “{title}” to {WHERE} with the code {code}: {percent} percent off orders from " \
            f"{money(least * 100)}, from today until {ends}"  # fmt: skip
    there = f"{OFFICE}/promotions/{last + 1}"
    fields = {"title": title, "kind": "Percent", "amount": str(percent), "least": f"{least}.00", "begins": NOW,
              "ends": ends}  # fmt: skip
    return deed("configuration", OFFICE, asked, plan, (there, "#code", code), (there, "#state", "Active"),
                *((there, f"[name={key}]@value", said) for key, said in fields.items()))  # fmt: skip


def prolong(ask: Ask) -> Draft:
    """Let a promotion run longer."""
    row = ask.row(ask.shop, "SELECT * FROM coupons WHERE ends < '2026-04-01' ORDER BY id")
    way, ends = f"{OFFICE}/promotions/{row['id']}", ask.pick(LAST_DAYS)
    plan = [["goto", way], ["fill", 'textbox "Last day"', ends], ["check", 'checkbox "Active"'],
            ["click", 'button "Save promotion"']]  # fmt: skip
    asked = f"let the promotion with the code {row['code']} in {WHERE} run until {ends}, and make it active"
    return deed("configuration", OFFICE, asked, plan, (way, "#code", row["code"]), (way, "[name=begins]@value",
                row["begins"]), (way, "[name=ends]@value", ends), (way, "#state", "Active"))  # fmt: skip


def lead_search(ask: Ask) -> Draft:
    """Lead a search to a category."""
    row = ask.row(ask.shop, "SELECT * FROM terms ORDER BY id")
    goal = ask.row(ask.shop, "SELECT * FROM categories ORDER BY id")
    way = f"{OFFICE}/terms/{row['id']}"
    plan = [["goto", way], ["fill", 'textbox "Redirect to"', f"/c/{goal['slug']}"],
            ["click", 'button "Save search term"']]  # fmt: skip
    asked = f"let the search term “{row['term']}” redirect to /c/{goal['slug']} in {WHERE}"
    return deed("configuration", OFFICE, asked, plan, (way, "#redirect", f"/c/{goal['slug']}"))


def regroup(ask: Ask) -> Draft:
    """Put a customer into another group."""
    row, way, named = customer(ask)
    new = ask.pick([one for one in GROUPS if one != row["kind"]])
    plan = [["goto", way], ["select", 'combobox "Group"', new], ["click", 'button "Save customer"']]
    return deed("configuration", OFFICE, f"put the customer {named} into the group {new} in {WHERE}", plan,
                (way, "#group", new))  # fmt: skip


def hire(ask: Ask) -> Draft:
    """Make an account for somebody of the staff."""
    given = words()
    first, last, role = ask.pick(given["first"]), ask.pick(given["last"]), ask.pick(list(MAY))
    name = f"{first[0]}.{last}.staff".lower()
    number = 1 + ask.shop.value("SELECT max(id) FROM users")
    fields = {"Account name": name, "First name": first, "Last name": last}
    plan = [["goto", f"{OFFICE}/staff/new"], *(["fill", f'textbox "{key}"', said] for key, said in fields.items()),
            ["select", 'combobox "Role"', role], ["fill", 'password box "Password"', "winter-rain-22"],
            ["click", 'button "Create account"']]  # fmt: skip
    asked = f"create a staff account in {WHERE} for {first} {last} with the account name {name}, the role {role} and " \
            "a password of your own choice"  # fmt: skip
    there = f"{OFFICE}/staff/{number}"
    return deed("configuration", OFFICE, asked, plan, (there, "#account", name), (there, "#role", role),
                (there, "#name", f"{first} {last}"))  # fmt: skip


def house_rules(ask: Ask) -> Draft:
    """Change the settings."""
    free, low = f"{ask.pick(range(30, 120, 5))}.00", str(ask.pick(range(6, 30)))
    way = f"{OFFICE}/settings"
    plan = [["goto", way], ["fill", 'textbox "Free shipping from"', free], ["fill", 'textbox "Low stock below"', low],
            ["click", 'button "Save settings"']]  # fmt: skip
    asked = f"set in {WHERE} that shipping is free from ${free} and that a stock below {low} counts as low"
    return deed("configuration", OFFICE, asked, plan, (way, "[name='Free shipping from']@value", free),
                (way, "[name='Low stock below']@value", low))  # fmt: skip


def decide_return(ask: Ask) -> Draft:
    """Approve or decline a return."""
    row = ask.row(ask.shop, "SELECT returns.*, orders.number AS order_number, name FROM returns JOIN order_lines ON "
                  "order_lines.id = line JOIN orders ON orders.id = order_id WHERE returns.state IN ('Requested', "
                  "'Approved', 'Received') ORDER BY returns.id")  # fmt: skip
    moves = {"Requested": (("approve", "Approve", "Approved"), ("decline", "Decline", "Declined")),
             "Approved": (("note the arrival of the goods of", "Goods received", "Received"),),
             "Received": (("close", "Close return", "Closed"),)}  # fmt: skip
    verb, button, after = ask.pick(moves[row["state"]])
    way = f"{OFFICE}/returns/{row['number']}"
    return deed("content", OFFICE, f"{verb} the return of “{row['name']}” of order {row['order_number']} in {WHERE}",
                [["goto", way], ["click", f'button "{button}"']], (way, "#state", after))  # fmt: skip


def stock_to_ticket(ask: Ask) -> Draft:
    """Read a stock in the administration, and write it on a ticket of the project tracker."""
    row, _, named = product(ask, f"{SOLD} AND stock > 9")
    _, way, named_ticket = ticket(ask, MAY_REPORT)
    plan = [["goto", f"{OFFICE}/products/{row['id']}"], ["goto", way],
            ["fill", 'textbox "Your comment"', str(row["stock"])], ["click", 'button "Add comment"']]  # fmt: skip
    asked = f"look up the stock of {named} in the administration of the shop on {OFFICE} and comment with that " \
            f"number alone on {named_ticket} on {TRACKER}"  # fmt: skip
    return deed("content", TRACKER, asked, plan, (way, ".comments li:last-child .said", str(row["stock"])))


TEMPLATES: tuple[Template, ...] = (
    set_price, restock, disable, new_product, moderate, bill, bill_and_ship, halt, tell, cancel, refund,
    redirect_parcel, promote, prolong, lead_search, regroup, hire, house_rules, decide_return, stock_to_ticket,
)  # fmt: skip
