"""The calendar app."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    address_of,
    day_of,
    holding,
    me,
    page_of,
    select,
    text_of,
    time_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

LISTED = 'SELECT id, title, start, "end", location, owner FROM events'


def _seen(desk: Desk, event_id: int) -> Item:
    """An event that the person made or is invited to, with what they answered."""
    row = desk.row("events", event_id)
    mine = row is not None and row["owner"] == desk.person
    said = [] if row is None else _answer(desk, event_id)
    if row is None or not (mine or said):
        raise ToolError(f"You have no event {event_id}; calendar_list gives the ids.")
    return {**row, "answer": "organizer" if mine else said[0][1]}


def _answer(desk: Desk, event_id: int) -> list[tuple]:
    return desk.ask("SELECT id, status FROM attendees WHERE event_id = ? AND email = ?", event_id, me(desk)["email"])


def _own(desk: Desk, event_id: int) -> Item:
    row = _seen(desk, event_id)
    if row["answer"] != "organizer":
        raise ToolError(f"Event {event_id} was made by somebody else; you can only answer with calendar_respond.")
    return row


def _span(start: str, end: str) -> None:
    if time_of(end) <= time_of(start):
        raise ToolError(f"The end {end} must be after the start {start}.")


@tool({"since": "2023-06-05", "until": "2023-06-09", "page_size": 20}, seconds=READ)
def calendar_list(
    desk: Desk,
    since: str | None = None,
    until: str | None = None,
    query: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List events that you made or are invited to, by start; `answer` is organizer, accepted, declined or pending.

    Args:
        desk: Whose events, made and invited to, are listed; not changed.
        since: First day, as YYYY-MM-DD.
        until: Last day.
        query: A text that the title holds.
        page: From 1.
        page_size: Up to 20.
    """
    email, last = me(desk)["email"], day_of(until)
    after = None if last is None else (date.fromisoformat(last) + timedelta(days=1)).isoformat()
    mine = f"(owner = {int(desk.person)} OR id IN (SELECT event_id FROM attendees WHERE email = ?))"
    where = [
        (mine, email), ("start >= ?", day_of(since)), ("start < ?", after),
        ("title LIKE ? ESCAPE '\\'", holding(query)),
    ]  # fmt: skip
    found = page_of(select(desk, LISTED, where, "start, id"), page, page_size)
    for item in found["items"]:
        owner = item.pop("owner")
        item["organizer"] = desk.base.rows["people"][owner][2]
        item["answer"] = "organizer" if owner == desk.person else _answer(desk, item["id"])[0][1]
    return found


@tool({"event_id": 57}, seconds=READ)
def calendar_show(desk: Desk, event_id: int) -> Item:
    """Get an event with those who are invited and what they answered.

    Args:
        desk: Whose event it must be, made or invited to; not changed.
        event_id: Its id.
    """
    row = _seen(desk, event_id)
    row["organizer"] = desk.base.rows["people"][row.pop("owner")][2]
    row["attendees"] = select(desk, "SELECT email, status FROM attendees", [("event_id = ?", event_id)], "id")
    return row


@tool(
    {"title": "Lunch", "start": "2023-06-08 12:30", "end": "2023-06-08 13:30", "location": "Cafe Luna"}, seconds=WRITE
)
def calendar_create(
    desk: Desk, title: str, start: str, end: str, location: str = "", attendees: list[str] | None = None
) -> Item:
    """Make an event.

    Args:
        desk: Gets the event, and one pending row for each of `attendees`.
        title: Its title.
        start: As YYYY-MM-DD HH:MM.
        end: The same.
        location: Where.
        attendees: Mail addresses of those who are invited.
    """
    _span(start, end)
    invited = sorted({address_of(each) for each in attendees or []})
    told = {"title": text_of(title, "title"), "start": start, "end": end, "location": location, "note": ""}
    number = desk.insert("events", owner=desk.person, **told)
    for email in invited:
        desk.insert("attendees", event_id=number, email=email, status="pending")
    return {"message": "Made the event.", "event_id": number}


@tool({"event_id": 57, "start": "2023-06-08 15:00", "end": "2023-06-08 16:00"}, seconds=WRITE)
def calendar_update(
    desk: Desk,
    event_id: int,
    title: str | None = None,
    start: str | None = None,
    end: str | None = None,
    location: str | None = None,
) -> Item:
    """Change an event of your own; what is left out stays as it is.

    Args:
        desk: Whose event it must be; the answers of those who are invited stay.
        event_id: Its id.
        title: The new title.
        start: As YYYY-MM-DD HH:MM.
        end: The same.
        location: The new place.
    """
    row = _own(desk, event_id)
    said = {"title": title, "start": start, "end": end, "location": location}
    changes: Item = {key: value for key, value in said.items() if value is not None}
    if not changes:
        raise ToolError("Nothing to change; give title, start, end or location.")
    text_of(row["title"] if title is None else title, "title")
    _span(row["start"] if start is None else start, row["end"] if end is None else end)
    desk.update("events", event_id, **changes)
    return {"message": "Changed the event.", "event_id": event_id}


@tool(seconds=WRITE)
def calendar_cancel(desk: Desk, event_id: int) -> Item:
    """Cancel an event of your own.

    Args:
        desk: Loses the event and all answers to it.
        event_id: Its id.
    """
    _own(desk, event_id)
    for (number,) in desk.ask("SELECT id FROM attendees WHERE event_id = ? ORDER BY id", event_id):
        desk.delete("attendees", number)
    desk.delete("events", event_id)
    return {"message": "Cancelled the event."}


@tool(seconds=WRITE)
def calendar_invite(desk: Desk, event_id: int, email: str) -> Item:
    """Invite somebody to an event of your own.

    Args:
        desk: Whose event it must be; gets a pending row for the address.
        event_id: Its id.
        email: Mail address.
    """
    _own(desk, event_id)
    email = address_of(email)
    if desk.ask("SELECT 1 FROM attendees WHERE event_id = ? AND email = ?", event_id, email):
        raise ToolError(f"{email} is invited to event {event_id} already.")
    desk.insert("attendees", event_id=event_id, email=email, status="pending")
    return {"message": f"Invited {email}.", "event_id": event_id}


@tool(seconds=WRITE)
def calendar_uninvite(desk: Desk, event_id: int, email: str) -> Item:
    """Take somebody off an event of your own.

    Args:
        desk: Whose event it must be; loses the answer of the address.
        event_id: Its id.
        email: Mail address.
    """
    _own(desk, event_id)
    found = desk.ask("SELECT id FROM attendees WHERE event_id = ? AND email = ?", event_id, email.lower())
    if not found:
        raise ToolError(f"{shorten(email.lower(), 40)} is not invited to event {event_id}; calendar_show tells who is.")
    desk.delete("attendees", found[0][0])
    return {"message": f"Took {email.lower()} off.", "event_id": event_id}


@tool(seconds=WRITE)
def calendar_respond(desk: Desk, event_id: int, answer: Literal["accepted", "declined"]) -> Item:
    """Answer an invitation.

    Args:
        desk: Whose own answer is changed, as often as they like.
        event_id: The event's id.
        answer: Whether you come.
    """
    if _seen(desk, event_id)["answer"] == "organizer":
        raise ToolError(f"Event {event_id} is your own; calendar_cancel cancels it.")
    desk.update("attendees", _answer(desk, event_id)[0][0], status=answer)
    return {"message": f"Answered: {answer}.", "event_id": event_id}


TOOLS = (
    calendar_list, calendar_show, calendar_create, calendar_update, calendar_cancel, calendar_invite,
    calendar_uninvite, calendar_respond,
)  # fmt: skip
