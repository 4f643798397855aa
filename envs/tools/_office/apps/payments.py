"""The payments app: a wallet, cards that fill it, money sent and asked for."""

from __future__ import annotations

from typing import Literal

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    cents_of,
    day_of,
    entered,
    me,
    member,
    own,
    page_of,
    select,
    shown_money,
    text_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

HISTORY = (
    "SELECT t.id, s.email AS sender, r.email AS receiver, t.amount, t.note, t.created_at FROM transfers t "
    "JOIN people s ON s.id = t.sender JOIN people r ON r.id = t.receiver"
)
ASKED = (
    "SELECT t.id, s.email AS requester, r.email AS payer, t.amount, t.note, t.created_at, t.status FROM requests t "
    "JOIN people s ON s.id = t.requester JOIN people r ON r.id = t.payer"
)


def _wallet(desk: Desk, person: int) -> Item:
    return desk.row("wallets", person + 1) or {}


def _move(desk: Desk, receiver: int, cents: int, note: str) -> int:
    """Send money out of the wallet."""
    mine, other = _wallet(desk, desk.person), _wallet(desk, receiver)
    if mine["balance"] < cents:
        raise ToolError(
            f"Your balance is ${shown_money(mine['balance'])}, less than ${shown_money(cents)}; payments_top_up adds."
        )
    desk.update("wallets", mine["id"], balance=mine["balance"] - cents)
    desk.update("wallets", other["id"], balance=other["balance"] + cents)
    told = {"amount": cents, "note": note, "created_at": desk.clock.stamp}
    return desk.insert("transfers", sender=desk.person, receiver=receiver, **told)


def _shown(items: list[Item]) -> list[Item]:
    return [{**item, "amount": shown_money(item["amount"])} for item in items]


@tool({}, seconds=READ)
def payments_balance(desk: Desk) -> Item:
    """Get the balance of your wallet, in dollars."""
    entered(desk, "payments")
    return {"balance": shown_money(_wallet(desk, desk.person)["balance"])}


@tool(seconds=READ)
def payments_cards(desk: Desk) -> list[Item]:
    """List your cards with the dollars that are available on each."""
    entered(desk, "payments")
    found = select(desk, "SELECT id, label, last_four, available FROM cards", [("owner = ?", desk.person)], "id")
    return [{**item, "available": shown_money(item["available"])} for item in found]


@tool({"direction": "sent", "since": "2023-06-01", "page_size": 20}, seconds=READ)
def payments_history(
    desk: Desk,
    direction: Literal["sent", "received"],
    email: str | None = None,
    since: str | None = None,
    before: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List payments that you sent or received, the newest first.

    Args:
        desk: Who must have sent or received what is listed; not changed.
        direction: Which of the two.
        email: Mail address of the other.
        since: First day, as YYYY-MM-DD.
        before: The day after the last.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "payments")
    mine, other = ("t.sender", "r.email") if direction == "sent" else ("t.receiver", "s.email")
    where = [
        (f"{mine} = ?", desk.person), (f"{other} = ?", email and email.lower()), ("t.created_at >= ?", day_of(since)),
        ("t.created_at < ?", day_of(before)),
    ]  # fmt: skip
    return page_of(_shown(select(desk, HISTORY, where, "t.created_at DESC, t.id DESC")), page, page_size)


@tool({"email": "ana.costa@post.example", "amount": 12.5, "note": "lunch"}, seconds=WRITE)
def payments_send(desk: Desk, email: str, amount: float, note: str) -> Item:
    """Send money from your wallet.

    Args:
        desk: Whose wallet pays; gets the transfer, and both wallets their new balance.
        email: Mail address of who gets it.
        amount: In dollars.
        note: What it is for.
    """
    entered(desk, "payments")
    number = _move(desk, member(desk, email), cents_of(amount), text_of(note, "note"))
    return {"message": f"Sent ${amount:.2f} to {email.lower()}.", "payment_id": number}


@tool({"direction": "to_me", "status": "pending", "page_size": 20}, seconds=READ)
def payments_requests(
    desk: Desk,
    direction: Literal["to_me", "by_me"],
    status: Literal["pending", "paid", "declined", "cancelled"] | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List requests for money, the newest first.

    Args:
        desk: Who is to pay what is listed, or has asked for it; not changed.
        direction: Those that you are to pay (to_me) or that you made (by_me).
        status: Only those.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "payments")
    mine = "t.payer" if direction == "to_me" else "t.requester"
    found = select(
        desk, ASKED, [(f"{mine} = ?", desk.person), ("t.status = ?", status)], "t.created_at DESC, t.id DESC"
    )
    return page_of(_shown(found), page, page_size)


@tool({"email": "ana.costa@post.example", "amount": 12.5, "note": "lunch"}, seconds=WRITE)
def payments_request(desk: Desk, email: str, amount: float, note: str) -> Item:
    """Ask somebody for money.

    Args:
        desk: Gets the request as pending; no money moves.
        email: Mail address of who is to pay.
        amount: In dollars.
        note: What it is for.
    """
    entered(desk, "payments")
    told = {"amount": cents_of(amount), "note": text_of(note, "note"), "created_at": desk.clock.stamp}
    number = desk.insert("requests", requester=desk.person, payer=member(desk, email), **told, status="pending")
    return {"message": f"Asked {email.lower()} for ${amount:.2f}.", "request_id": number}


def _pending(desk: Desk, request_id: int, role: str) -> Item:
    entered(desk, "payments")
    row = desk.row("requests", request_id)
    if row is None or row[role] != desk.person:
        direction = "to_me" if role == "payer" else "by_me"
        raise ToolError(f"There is no request {request_id} {direction}; payments_requests gives the ids.")
    if row["status"] != "pending":
        raise ToolError(f"Request {request_id} is {row['status']} already.")
    return row


@tool({"request_id": 9, "answer": "paid"}, seconds=WRITE)
def payments_answer(desk: Desk, request_id: int, answer: Literal["paid", "declined"]) -> Item:
    """Pay or decline a request that you are to pay.

    Args:
        desk: Whose wallet pays a request that is answered with paid; keeps the new status.
        request_id: Its id.
        answer: Which of the two.
    """
    row = _pending(desk, request_id, "payer")
    if answer == "paid":
        _move(desk, row["requester"], row["amount"], row["note"])
    desk.update("requests", request_id, status=answer)
    return {"message": f"Request {request_id} is {answer}."}


@tool(seconds=WRITE)
def payments_cancel(desk: Desk, request_id: int) -> Item:
    """Take back a request that you made.

    Args:
        desk: Who must have made the request; keeps it as cancelled.
        request_id: Its id.
    """
    _pending(desk, request_id, "requester")
    desk.update("requests", request_id, status="cancelled")
    return {"message": f"Request {request_id} is cancelled."}


@tool(seconds=WRITE)
def payments_top_up(desk: Desk, card_id: int, amount: float) -> Item:
    """Move money from a card into your wallet.

    Args:
        desk: Whose card and wallet they are; both get their new amounts.
        card_id: The card's id.
        amount: In dollars.
    """
    entered(desk, "payments")
    card, cents = own(desk, "cards", card_id, "card|payments_cards"), cents_of(amount)
    if card["available"] < cents:
        raise ToolError(f"Only ${shown_money(card['available'])} are available on card {card_id}.")
    desk.update("cards", card_id, available=card["available"] - cents)
    row = _wallet(desk, desk.person)
    desk.update("wallets", row["id"], balance=row["balance"] + cents)
    return {"message": f"Added ${amount:.2f}.", "owner": me(desk)["email"]}


TOOLS = (
    payments_balance, payments_cards, payments_history, payments_send, payments_requests, payments_request,
    payments_answer, payments_cancel, payments_top_up,
)  # fmt: skip
