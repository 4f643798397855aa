"""What the apps share: pages of a list, checks of arguments, logging in, who is who."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.desk import Desk
from agentgym.envs.tools._office.people.circle import APPS
from agentgym.envs.tools._office.schema import TABLES

READ, WRITE = 0.3, 0.6  # virtual seconds
LARGEST_PAGE = 20
EMAIL = re.compile(r"[a-z0-9._-]{1,64}@[a-z0-9.-]{1,64}")
PATH = re.compile(r"(/[A-Za-z0-9_. -]{1,60}){1,6}")
Item = dict[str, Any]


def page_of(items: Sequence[Item], page: int, page_size: int) -> Item:
    """One page of a list, as all lists are shown.

    Args:
        items: All of them.
        page: From 1.
        page_size: Most on a page.

    Raises:
        ToolError: if there is no such page.
    """
    if not 1 <= page_size <= LARGEST_PAGE:
        raise ToolError(f"page_size is from 1 to {LARGEST_PAGE}, got {page_size}.")
    pages = max(1, -(-len(items) // page_size))
    if not 1 <= page <= pages:
        raise ToolError(f"There is no page {page}; with page_size {page_size} the pages are 1 to {pages}.")
    return {"found": len(items), "page": page, "pages": pages, "items": items[(page - 1) * page_size :][:page_size]}


def select(desk: Desk, sql: str, where: Sequence[tuple[str, Any]], order: str) -> list[Item]:
    """Rows by column that meet all conditions.

    Args:
        desk: Whose.
        sql: `SELECT ... FROM ...`.
        where: Conditions with one placeholder each and its value; one whose value is None is left out.
        order: By which columns.
    """
    kept = [(condition, value) for condition, value in where if value is not None]
    conditions = " AND ".join(condition for condition, _ in kept)
    names = [each.split()[-1].split(".")[-1].strip('"') for each in sql[7:].partition(" FROM ")[0].split(", ")]
    found = desk.ask(f"{sql} WHERE {conditions} ORDER BY {order}", *(value for _, value in kept))
    return [dict(zip(names, row, strict=True)) for row in found]


def holding(text: str | None) -> str | None:
    """The pattern of texts that hold a text; None for None."""
    if text is None:
        return None
    plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"


def flags(item: Item, *names: str) -> Item:
    """A row whose numbers 0 and 1 of some columns are shown as false and true.

    Args:
        item: The row, which is changed.
        names: Of the columns.
    """
    for name in names:
        item[name] = bool(item[name])
    return item


def shown_money(cents: int) -> float:
    """An amount in dollars."""
    return round(cents / 100, 2)


def cents_of(amount: float) -> int:
    """An amount as whole cents.

    Raises:
        ToolError: if it is none, or not above 0.
    """
    cents = round(amount * 100)
    if cents <= 0 or abs(cents - amount * 100) > 1e-6 or cents > 10**8:
        raise ToolError(f"An amount is in dollars, above 0 and with at most two decimals, got {amount}.")
    return cents


def day_of(text: str | None) -> str | None:
    """A date as it was written; None for None.

    Raises:
        ToolError: if it is none.
    """
    if text is None:
        return None
    try:
        if len(text) == 10 and date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass  # said below
    raise ToolError(f"{shorten(text, 20)!r} is no date; write it as YYYY-MM-DD, such as 2023-06-30.")


def time_of(text: str) -> str:
    """Date and time as they were written.

    Raises:
        ToolError: if they are none.
    """
    try:
        if datetime.strptime(text, "%Y-%m-%d %H:%M").strftime("%Y-%m-%d %H:%M") == text:
            return text
    except ValueError:
        pass  # said below
    raise ToolError(f"{shorten(text, 20)!r} is no time; write it as YYYY-MM-DD HH:MM, such as 2023-06-30 14:00.")


def text_of(text: str, what: str) -> str:
    """A text that is not empty.

    Args:
        text: The text.
        what: What it is.

    Raises:
        ToolError: if it is.
    """
    if not text.strip():
        raise ToolError(f"{what} must not be empty.")
    return text


def written_text(text: str) -> str:
    """A text of several lines as it is kept: whether its last line has an end makes no difference."""
    return text.rstrip("\n")


def address_of(text: str) -> str:
    """A mail address in small letters.

    Raises:
        ToolError: if it is none.
    """
    if not EMAIL.fullmatch(text.lower()):
        raise ToolError(f"{shorten(text, 30)!r} is no mail address; contacts_list gives those of people.")
    return text.lower()


def path_of(text: str) -> str:
    """The path of a file.

    Raises:
        ToolError: if it is none.
    """
    if not PATH.fullmatch(text) or "/." in text:
        raise ToolError(
            f"{shorten(text, 40)!r} is no path; write it as /folder/name.txt, letters, digits and ._- only."
        )
    return text


def member(desk: Desk, email: str) -> int:
    """The person with an account under an address.

    Args:
        desk: Who asks.
        email: The address.

    Raises:
        ToolError: if there is none, or it is that of the one who asks.
    """
    found = desk.ask("SELECT id FROM people WHERE email = ?", address_of(email))
    if not found:
        raise ToolError(f"{email.lower()} has no account here; only people at post.example have one.")
    if found[0][0] == desk.person:
        raise ToolError("That is your own address; give that of somebody else.")
    return int(found[0][0])


def me(desk: Desk) -> Item:
    """The row of the person whose accounts these are."""
    return desk.row("people", desk.person) or {}


def own(desk: Desk, table: str, number: int, what: str) -> Item:
    """A row that belongs to the person.

    Args:
        desk: Whose.
        table: Its table.
        number: Its id.
        what: What it is and which tool lists it, for the refusal.

    Raises:
        ToolError: if there is none.
    """
    row = desk.row(table, number)
    if row is None or row["owner"] != desk.person:
        raise ToolError(f"You have no {what.partition('|')[0]} {number}; {what.partition('|')[2]} gives the ids.")
    return row


def entered(desk: Desk, app: str) -> None:
    """See that the person has logged in to an app.

    Args:
        desk: Whose.
        app: Its name.

    Raises:
        ToolError: if not.
    """
    if app not in desk.opened:
        raise ToolError(f"You are not logged in to {app}; call login with app {app!r} and its password.")


def columns(table: str) -> str:
    """The columns of a table but the owner, for a SELECT."""
    return ", ".join(f'"{column}"' for column in TABLES[table] if column != "owner")


@tool({}, seconds=0.1)
def whoami(desk: Desk) -> Item:
    """Get the name, mail address and city of the user whose apps these are, and the current date and time."""
    found = me(desk)
    return {"name": found["name"], "email": found["email"], "city": found["city"], "now": desk.clock.stamp}


@tool({}, seconds=0.1)
def account_passwords(desk: Desk) -> dict[str, str]:
    """Get the user's password of each app that asks for one."""
    found = desk.ask("SELECT app, password FROM passwords WHERE owner = ? ORDER BY id", desk.person)
    return dict(found)


@tool({"app": "mail", "password": "k3wq7xzu"}, seconds=READ)
def login(desk: Desk, app: str, password: str) -> Item:
    """Log in to an app; it stays open until the end.

    Args:
        desk: Whose password is asked for; its `opened` gets the app, for the rest of the episode.
        app: mail, files, payments, music or shopping; the other apps are open already.
        password: The user's own for this app.
    """
    if app not in APPS:
        raise ToolError(f"{shorten(app, 20)!r} asks for no password; those that do are {', '.join(APPS)}.")
    (known,) = desk.ask("SELECT password FROM passwords WHERE owner = ? AND app = ?", desk.person, app)
    if known[0] != password:
        raise ToolError(f"That is not the password of {app}; account_passwords gives it.")
    if app not in desk.opened:
        desk.opened = sorted([*desk.opened, app])
    return {"message": f"Logged in to {app}."}


TOOLS = (whoami, account_passwords, login)
