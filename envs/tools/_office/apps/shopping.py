"""The shopping app."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    day_of,
    entered,
    flags,
    holding,
    own,
    page_of,
    select,
    shown_money,
    text_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

PRODUCT = "p.id, p.name, p.category, p.brand, p.price, p.rating, p.delivery_days"
ORDER = "order|shop_orders"
MOST = 20  # of one product in a cart


def _product(desk: Desk, product_id: int) -> Item:
    row = desk.row("products", product_id)
    if row is None:
        raise ToolError(f"There is no product {product_id}; shop_search gives the ids.")
    return row


def _priced(items: list[Item], *names: str) -> list[Item]:
    for item in items:
        for name in names:
            item[name] = shown_money(item[name])
    return items


@tool({"category": "garden", "most_price": 40, "page_size": 20}, seconds=READ)
def shop_search(
    desk: Desk,
    query: str | None = None,
    category: Literal["kitchen", "garden", "office", "sports", "travel", "games"] | None = None,
    brand: str | None = None,
    most_price: float | None = None,
    least_rating: float | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """Search products, by name; prices are in dollars.

    Args:
        desk: Who must have logged in; the products found are the same for everybody.
        query: A text that the name holds.
        category: Only this one.
        brand: Only this one.
        most_price: The highest price.
        least_rating: The lowest rating, from 0 to 5.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "shopping")
    where = [
        ("p.id > ?", 0), ("p.name LIKE ? ESCAPE '\\'", holding(query)), ("p.category = ?", category),
        ("p.brand = ?", brand), ("p.price <= ?", None if most_price is None else round(most_price * 100)),
        ("p.rating >= ?", least_rating),
    ]  # fmt: skip
    found = select(desk, f"SELECT {PRODUCT} FROM products p", where, "p.name, p.id")
    return page_of(_priced(found, "price"), page, page_size)


@tool({}, seconds=READ)
def shop_cart(desk: Desk) -> list[Item]:
    """List what is in your cart, in the order in which it was put there."""
    entered(desk, "shopping")
    sql = f"SELECT {PRODUCT}, c.quantity FROM cart c JOIN products p ON p.id = c.product_id"
    return _priced(select(desk, sql, [("c.owner = ?", desk.person)], "c.id"), "price")


@tool({"product_id": 71, "quantity": 2}, seconds=WRITE)
def shop_set_cart(desk: Desk, product_id: int, quantity: int) -> Item:
    """Say how many of a product are to be in your cart.

    Args:
        desk: Whose cart it is; its row for the product is made, changed or deleted.
        product_id: Its id.
        quantity: From 0, which takes it out, to 20.
    """
    entered(desk, "shopping")
    _product(desk, product_id)
    if not 0 <= quantity <= MOST:
        raise ToolError(f"quantity is from 0 to {MOST}, got {quantity}.")
    found = desk.ask("SELECT id FROM cart WHERE owner = ? AND product_id = ?", desk.person, product_id)
    if not found and not quantity:
        raise ToolError(f"Product {product_id} is not in your cart.")
    if not found:
        desk.insert("cart", owner=desk.person, product_id=product_id, quantity=quantity)
    elif quantity:
        desk.update("cart", found[0][0], quantity=quantity)
    else:
        desk.delete("cart", found[0][0])
    return {"message": f"There are {quantity} in the cart.", "product_id": product_id}


@tool(seconds=READ)
def shop_wishes(desk: Desk) -> list[Item]:
    """List the products on your wish list."""
    entered(desk, "shopping")
    sql = f"SELECT {PRODUCT} FROM wishes w JOIN products p ON p.id = w.product_id"
    return _priced(select(desk, sql, [("w.owner = ?", desk.person)], "w.id"), "price")


@tool({"product_id": 71, "wished": True}, seconds=WRITE)
def shop_wish(desk: Desk, product_id: int, wished: bool) -> Item:
    """Put a product on your wish list, or take it off.

    Args:
        desk: Whose wish list it is; one that is so already is refused.
        product_id: Its id.
        wished: Which of the two.
    """
    entered(desk, "shopping")
    _product(desk, product_id)
    found = desk.ask("SELECT id FROM wishes WHERE owner = ? AND product_id = ?", desk.person, product_id)
    if bool(found) == wished:
        raise ToolError(f"Product {product_id} is {'' if wished else 'not '}on your wish list already.")
    if wished:
        desk.insert("wishes", owner=desk.person, product_id=product_id)
    else:
        desk.delete("wishes", found[0][0])
    return {"message": "Put on the list." if wished else "Taken off the list.", "product_id": product_id}


@tool({"status": "delivered", "page_size": 20}, seconds=READ)
def shop_orders(
    desk: Desk,
    status: Literal["in transit", "delivered", "cancelled"] | None = None,
    since: str | None = None,
    before: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List orders, the newest first.

    Args:
        desk: Whose orders are listed; not changed.
        status: Only those.
        since: First day on which they were placed, as YYYY-MM-DD.
        before: The day after the last.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "shopping")
    where = [
        ("owner = ?", desk.person), ("status = ?", status), ("placed_at >= ?", day_of(since)),
        ("placed_at < ?", day_of(before)),
    ]  # fmt: skip
    found = select(
        desk, "SELECT id, placed_at, status, total, card_id, arrives_on FROM orders", where, "placed_at DESC, id DESC"
    )
    return page_of(_priced(found, "total"), page, page_size)


@tool({"order_id": 18}, seconds=READ)
def shop_order(desk: Desk, order_id: int) -> Item:
    """Get an order with its products; `price` is what one of each cost.

    Args:
        desk: Whose order it must be; not changed.
        order_id: Its id.
    """
    entered(desk, "shopping")
    row = own(desk, "orders", order_id, ORDER)
    del row["owner"]
    sql = (
        "SELECT i.product_id, p.name, p.category, p.brand, i.quantity, i.price, i.is_returned FROM order_items i "
        "JOIN products p ON p.id = i.product_id"
    )
    items = [flags(item, "is_returned") for item in select(desk, sql, [("i.order_id = ?", order_id)], "i.id")]
    return {**row, "total": shown_money(row["total"]), "items": _priced(items, "price")}


@tool(seconds=READ)
def shop_cards(desk: Desk) -> list[Item]:
    """List the cards that can pay an order."""
    entered(desk, "shopping")
    found = select(desk, "SELECT id, label, last_four, available FROM cards", [("owner = ?", desk.person)], "id")
    return _priced(found, "available")


@tool({"card_id": 5}, seconds=WRITE)
def shop_buy(desk: Desk, card_id: int) -> Item:
    """Order what is in your cart and pay with a card; the cart is empty then.

    Args:
        desk: Whose cart and card they are; gets the order, while the card loses its total.
        card_id: The card's id.
    """
    entered(desk, "shopping")
    card = own(desk, "cards", card_id, "card|shop_cards")
    rows = desk.ask("SELECT id, product_id, quantity FROM cart WHERE owner = ? ORDER BY id", desk.person)
    if not rows:
        raise ToolError("Your cart is empty; shop_set_cart puts products into it.")
    goods = [_product(desk, row[1]) for row in rows]
    total = sum(each["price"] * row[2] for each, row in zip(goods, rows, strict=True))
    if card["available"] < total:
        raise ToolError(f"The cart costs ${shown_money(total)}; card {card_id} has ${shown_money(card['available'])}.")
    arrives = desk.clock.today + timedelta(days=max(each["delivery_days"] for each in goods))
    told = {"placed_at": desk.clock.stamp, "status": "in transit", "arrives_on": arrives.isoformat()}
    order = desk.insert("orders", owner=desk.person, total=total, card_id=card_id, **told)
    for each, (number, product, quantity) in zip(goods, rows, strict=True):
        bought = {"product_id": product, "quantity": quantity, "price": each["price"], "is_returned": 0}
        desk.insert("order_items", order_id=order, **bought)
        desk.delete("cart", number)
    desk.update("cards", card_id, available=card["available"] - total)
    return {"message": "Ordered.", "order_id": order, "total": shown_money(total), "arrives_on": arrives.isoformat()}


@tool(seconds=WRITE)
def shop_cancel(desk: Desk, order_id: int) -> Item:
    """Cancel an order that is in transit; the card gets its money back.

    Args:
        desk: Whose order it must be; the card that paid it gets the total back.
        order_id: Its id.
    """
    entered(desk, "shopping")
    row = own(desk, "orders", order_id, ORDER)
    if row["status"] != "in transit":
        raise ToolError(f"Order {order_id} is {row['status']}; only orders in transit can be cancelled.")
    desk.update("orders", order_id, status="cancelled")
    card = desk.row("cards", row["card_id"]) or {}
    desk.update("cards", row["card_id"], available=card["available"] + row["total"])
    return {"message": "Cancelled.", "order_id": order_id}


@tool({"order_id": 18, "product_id": 71}, seconds=WRITE)
def shop_return(desk: Desk, order_id: int, product_id: int) -> Item:
    """Send a product of a delivered order back; the card gets its money back.

    Args:
        desk: Whose order it must be; the card that paid it gets the price of all pieces back.
        order_id: The order's id.
        product_id: The product's id.
    """
    entered(desk, "shopping")
    row = own(desk, "orders", order_id, ORDER)
    found = desk.ask(
        "SELECT id, quantity, price, is_returned FROM order_items WHERE order_id = ? AND product_id = ?",
        order_id, product_id,
    )  # fmt: skip
    if row["status"] != "delivered" or not found or found[0][3]:
        raise ToolError(f"Order {order_id} has no delivered product {product_id} to send back; shop_order lists them.")
    desk.update("order_items", found[0][0], is_returned=1)
    card = desk.row("cards", row["card_id"]) or {}
    desk.update("cards", row["card_id"], available=card["available"] + found[0][1] * found[0][2])
    return {"message": "Sent back.", "order_id": order_id, "product_id": product_id}


@tool({"product_id": 71, "stars": 4, "text": "A good buy."}, seconds=WRITE)
def shop_review(desk: Desk, product_id: int, stars: int, text: str) -> Item:
    """Review a product, or change your review of it.

    Args:
        desk: Keeps one review of its person for each product; it need not have been bought.
        product_id: Its id.
        stars: From 1 to 5.
        text: What you think.
    """
    entered(desk, "shopping")
    _product(desk, product_id)
    if not 1 <= stars <= 5:
        raise ToolError(f"stars is from 1 to 5, got {stars}.")
    found = desk.ask("SELECT id FROM reviews WHERE owner = ? AND product_id = ?", desk.person, product_id)
    told = {"stars": stars, "text": text_of(text, "text")}
    if found:
        desk.update("reviews", found[0][0], **told)
    else:
        desk.insert("reviews", owner=desk.person, product_id=product_id, **told)
    return {"message": "Reviewed.", "product_id": product_id}


@tool(seconds=READ)
def shop_reviews(desk: Desk, page: int = 1, page_size: int = 10) -> Item:
    """List your own reviews.

    Args:
        desk: Whose reviews are listed; not changed.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "shopping")
    sql = "SELECT r.product_id, p.name, r.stars, r.text FROM reviews r JOIN products p ON p.id = r.product_id"
    return page_of(select(desk, sql, [("r.owner = ?", desk.person)], "r.id"), page, page_size)


TOOLS = (
    shop_search, shop_cart, shop_set_cart, shop_wishes, shop_wish, shop_orders, shop_order, shop_cards, shop_buy,
    shop_cancel, shop_return, shop_review, shop_reviews,
)  # fmt: skip
