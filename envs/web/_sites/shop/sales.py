"""What was sold before an episode begins: orders with invoices, shipments, refunds and returns; coupons, searches."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from agentgym.envs.web._sites.database import ago, insert_rows, stamp
from agentgym.envs.web._sites.dice import Dice

ORDERS, VISITOR_ORDERS, YEARS = 3_000, 44, 2
METHODS = {"Standard": 495, "Express": 1290, "Pick-up point": 290}  # ways of shipping, and their prices in cents
PAYMENTS = ["Invoice", "Card", "Bank transfer"]
STATES = ["Pending", "Processing", "On hold", "Complete", "Canceled", "Refunded"]
RETURN_STATES = ["Requested", "Approved", "Received", "Closed", "Declined"]
WISHES = ["Refund", "Exchange", "Store credit"]
DAY = 1440  # minutes


@dataclass
class Book:
    """Rows of what was sold, by table."""

    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def add(self, table: str, *values: Any) -> int:
        """Put a row of `values` behind those of `table`; its id, from 1, which is its first column."""
        known = self.rows.setdefault(table, [])
        known.append((len(known) + 1, *values))
        return len(known)


def discount(kind: str, amount: int, subtotal: int) -> int:
    """What a coupon takes off, in cents.

    Args:
        kind: `Percent` or `Amount`.
        amount: Percents, or cents.
        subtotal: Of the goods, in cents.
    """
    return min(subtotal, subtotal * amount // 100 if kind == "Percent" else amount)


def numbered(table: str, number: int) -> str:
    """The number of an order, invoice, shipment, refund or return as people see it.

    Args:
        table: Which of them.
        number: Its id.
    """
    first = {"orders": 1, "invoices": 2, "shipments": 3, "refunds": 4, "returns": 5}[table]
    return f"{first}{number:06}"


def write_sales(dice: Dice, base: sqlite3.Connection, words: Mapping[str, Any], now: datetime) -> None:
    """Fill the tables of what was sold.

    Args:
        dice: The draws.
        base: With people and products.
        words: The shop's word lists.
        now: When an episode begins.
    """
    coupons = _coupons(dice, words, now)
    people = base.execute(
        "SELECT users.id, recipient, street, city, postcode, country, phone FROM users JOIN addresses ON "
        "user = users.id AND main = 1 ORDER BY users.id"
    ).fetchall()
    goods = base.execute("SELECT id, sku, name, price, special FROM products WHERE state = 'Enabled'").fetchall()
    choices: dict[int, list[str]] = {}
    for product, name, value in base.execute("SELECT product, name, value FROM options ORDER BY rowid"):
        choices.setdefault(product, []).append(f"{name}: {value}")
    popular = dice.some(goods, 260)
    book, uses = Book(), [0] * len(coupons)
    spans = (YEARS * 365, YEARS * 365, YEARS * 365, 45)  # days; business is better of late
    moments = sorted((dice.below(dice.pick(spans) * DAY) for _ in range(ORDERS)), reverse=True)
    late = next(at for at, moment in enumerate(moments) if moment < 14 * DAY)
    visits = {*dice.some(range(late), VISITOR_ORDERS - 6), *dice.some(range(late, ORDERS), 6)}
    for at, moment in enumerate(moments):
        person = people[0] if at in visits else people[1 + dice.skewed(len(people) - 1)]
        lines = []
        for item in dice.some(popular if dice.chance(45) else goods, 1 + dice.skewed(6)):
            choice = dice.pick(choices[item["id"]]) if item["id"] in choices else ""
            lines.append((item, choice, 1 + dice.skewed(4)))
        _order(dice, book, words, now - timedelta(minutes=moment), person, lines, coupons, uses)
    rows = [(number, *coupon[:7], used, *coupon[7:]) for number, (coupon, used) in
            enumerate(zip(coupons, uses, strict=True), 1)]  # fmt: skip
    insert_rows(base, "coupons", rows)
    for table, found in book.rows.items():
        insert_rows(base, table, found)
    _rest(dice, base, words, goods)


def _coupons(dice: Dice, words: Mapping[str, Any], now: datetime) -> list[tuple[Any, ...]]:
    """Without their numbers and uses."""
    rows: list[tuple[Any, ...]] = []
    for at, title in enumerate(words["coupon_titles"] * 3):
        begins = now - timedelta(days=dice.between(20, 700))
        ends = begins + timedelta(days=dice.between(20, 260)) if at % 3 else now + timedelta(days=dice.between(20, 200))
        kind = dice.pick(("Percent", "Amount"))
        amount = dice.pick((5, 10, 15, 20, 25)) if kind == "Percent" else dice.pick((500, 800, 1000, 1500))
        code = f"{title.split()[0]}{at + 1:02}"
        active = int(stamp(ends) > stamp(now) and not dice.chance(15))
        rows.append((code.upper(), f"{title} {begins.year}", kind, amount, dice.pick((0, 0, 2500, 5000)),
                     stamp(begins)[:10], stamp(ends)[:10], dice.pick((0, 0, 500)), active))  # fmt: skip
    return rows


def _order(
    dice: Dice, book: Book, words: Mapping[str, Any], begun: datetime, person: Any,
    lines: list[tuple[Any, str, int]], coupons: list[tuple[Any, ...]], uses: list[int],
) -> None:  # fmt: skip
    """An order with all that followed it."""
    moment = stamp(begun)
    subtotal = sum((item["special"] or item["price"]) * count for item, _, count in lines)
    fitting = [at for at, one in enumerate(coupons) if one[5] <= moment[:10] <= one[6] and one[4] <= subtotal]
    used = dice.pick(fitting) if fitting and dice.chance(18) else None
    off = 0 if used is None else discount(coupons[used][2], coupons[used][3], subtotal)
    method = dice.pick(("Standard", "Standard", "Standard", "Express", "Pick-up point"))
    shipping = 0 if subtotal - off >= 7500 and method == "Standard" else METHODS[method]
    if used is not None:
        uses[used] += 1
    age = (datetime(2026, 3, 14, 12) - begun) // timedelta(minutes=1)
    state = _state(dice, age)
    number = book.add(
        "orders", numbered("orders", len(book.rows.get("orders", ())) + 1), person["id"], state, moment, subtotal, off,
        shipping, subtotal - off + shipping, "" if used is None else coupons[used][0], method, dice.pick(PAYMENTS),
        *list(person)[1:],
    )  # fmt: skip
    own = [book.add("order_lines", number, item["id"], item["sku"], item["name"], choice,
                    item["special"] or item["price"], count) for item, choice, count in lines]  # fmt: skip
    _followed(dice, book, words, number, state, begun, age, subtotal - off + shipping)
    if state == "Complete" and dice.chance(14) and age > 9 * DAY:
        at = dice.below(len(own))
        recent = age < 100 * DAY
        book.add("returns", numbered("returns", len(book.rows.get("returns", ())) + 1), own[at],
                 1 + dice.below(lines[at][2]), dice.pick(words["return_reasons"]), dice.pick(WISHES),
                 dice.pick(RETURN_STATES[:3] if recent else RETURN_STATES[3:]),
                 stamp(begun + timedelta(minutes=dice.between(5 * DAY, min(age, 30 * DAY)))))  # fmt: skip


def _state(dice: Dice, age: int) -> str:
    """Of an order of some minutes ago."""
    if dice.chance(6):
        return "Canceled"
    if age < 4 * DAY:
        return "Pending"
    if age < 14 * DAY:
        return dice.pick(("Pending", "Processing", "Processing", "Complete", "On hold"))
    return "Refunded" if dice.chance(4) else "On hold" if age < 40 * DAY and dice.chance(6) else "Complete"


def _followed(
    dice: Dice, book: Book, words: Mapping[str, Any], number: int, state: str, begun: datetime, age: int, total: int
) -> None:
    """Invoice, shipment, refund and notes of an order."""

    def after(low: int, high: int) -> str:
        """A moment from `low` to `high` minutes after the order, but never after now."""
        return stamp(begun + timedelta(minutes=min(age, dice.between(low, high))))

    def add(table: str, moment: str, *values: Any) -> None:
        """Add a row about the order to a `table`: its own number, the order's, the `moment` and further values."""
        book.add(table, numbered(table, len(book.rows.get(table, ())) + 1), number, moment, *values)

    if state in ("Processing", "Complete", "Refunded"):
        add("invoices", after(30, DAY), total)
    if state in ("Complete", "Refunded"):
        add("shipments", after(DAY, 3 * DAY), dice.pick(words["carriers"]),
            f"{dice.pick('ABCDEFGH')}{dice.between(10**8, 10**9 - 1)}")  # fmt: skip
    if state == "Refunded":
        add("refunds", after(6 * DAY, 30 * DAY), total, dice.pick(words["return_reasons"]))
    if state == "Canceled":
        book.add("notes", number, "Staff", dice.pick(words["cancel"]), 1, after(60, 2 * DAY))
    elif dice.chance(12):
        book.add("notes", number, "Staff", dice.pick(words["order_notes"]), int(dice.chance(50)), after(20, DAY))


def _rest(dice: Dice, base: sqlite3.Connection, words: Mapping[str, Any], goods: list[Any]) -> None:
    """Searches, messages, and what the visitor keeps."""
    types = [row[0] for row in base.execute("SELECT DISTINCT type FROM products ORDER BY type")]
    searched = [*(one.lower() for one in types), *(f"{brand} {dice.pick(types)}".lower() for brand in words["brands"]),
                *(f"{color} {dice.pick(types)}".lower() for color in words["colors"]), "gift", "sale", "hom decor",
                "birthday present", "xmas", "eco"]  # fmt: skip
    lower = [row[0].lower() for row in base.execute("SELECT name FROM products WHERE state = 'Enabled' ORDER BY id")]
    rows: list[tuple[Any, ...]] = []
    for term in dict.fromkeys(searched):
        found = sum(all(word in name for word in term.split()) for name in lower)
        rows.append((len(rows) + 1, term, found, 1 + dice.skewed(900), "", ago(dice.below(60 * DAY))))
    insert_rows(base, "terms", rows)
    senders = base.execute("SELECT first, last, email FROM users WHERE role = 'Customer' ORDER BY id").fetchall()
    insert_rows(base, "messages", (
        (number, f"{who['first']} {who['last']}", who["email"],
         dice.pick(words["contact"]).format(city=dice.pick(words["cities"])[0], type=dice.pick(types).lower()),
         ago(dice.below(90 * DAY)), "Answered" if dice.chance(60) else "Open")
        for number, who in enumerate(dice.some(senders, 60), 1)
    ))  # fmt: skip
    kept = dice.some(goods, 9)
    insert_rows(base, "wishes", ((at, 1, one["id"], "", ago((40 - at) * DAY)) for at, one in enumerate(kept, 1)))
