"""The notes app."""

from __future__ import annotations

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    flags,
    holding,
    own,
    page_of,
    select,
    text_of,
    written_text,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

NOTE = "note|notes_list"
LISTED = "SELECT id, title, notebook, updated_at, is_pinned FROM notes"


@tool({"notebook": "travel", "page_size": 20}, seconds=READ)
def notes_list(
    desk: Desk, query: str | None = None, notebook: str | None = None, page: int = 1, page_size: int = 10
) -> Item:
    """List notes without their text, by title.

    Args:
        desk: Whose notes are listed; not changed.
        query: A text that the title holds.
        notebook: travel, lists, habits or work.
        page: From 1.
        page_size: Up to 20.
    """
    where = [
        ("owner = ?", desk.person), ("title LIKE ? ESCAPE '\\'", holding(query)), ("notebook = ?", notebook),
    ]  # fmt: skip
    found = page_of(select(desk, LISTED, where, "title, id"), page, page_size)
    for item in found["items"]:
        flags(item, "is_pinned")
    return found


@tool({"note_id": 88}, seconds=READ)
def notes_show(desk: Desk, note_id: int) -> Item:
    """Get a note with its text.

    Args:
        desk: Whose note it must be; not changed.
        note_id: Its id.
    """
    row = flags(own(desk, "notes", note_id, NOTE), "is_pinned")
    del row["owner"]
    return row


@tool({"title": "Ideas", "body": "A blue door", "notebook": "lists"}, seconds=WRITE)
def notes_create(desk: Desk, title: str, body: str, notebook: str = "lists") -> Item:
    """Write a new note.

    Args:
        desk: Gets the note, dated by its clock and not pinned.
        title: Its title.
        body: Its text.
        notebook: Where it is kept.
    """
    told = {"title": text_of(title, "title"), "notebook": text_of(notebook, "notebook"), "body": written_text(body)}
    number = desk.insert("notes", owner=desk.person, **told, updated_at=desk.clock.stamp, is_pinned=0)
    return {"message": "Wrote the note.", "note_id": number}


@tool({"note_id": 88, "is_pinned": True}, seconds=WRITE)
def notes_update(
    desk: Desk,
    note_id: int,
    title: str | None = None,
    body: str | None = None,
    notebook: str | None = None,
    is_pinned: bool | None = None,
) -> Item:
    """Change a note; what is left out stays as it is.

    Args:
        desk: Whose note it must be; its `updated_at` stays as it was.
        note_id: Its id.
        title: The new title.
        body: The new text, all of it.
        notebook: Where it is to be kept.
        is_pinned: Whether it is pinned.
    """
    own(desk, "notes", note_id, NOTE)
    said = {
        "title": None if title is None else text_of(title, "title"),
        "body": None if body is None else written_text(body),
        "notebook": notebook,
    }
    changes = {key: value for key, value in said.items() if value is not None}
    if is_pinned is not None:
        changes["is_pinned"] = int(is_pinned)  # type: ignore[assignment]
    if not changes:
        raise ToolError("Nothing to change; give title, body, notebook or is_pinned.")
    desk.update("notes", note_id, **changes)
    return {"message": "Changed the note.", "note_id": note_id}


@tool({"note_id": 88, "line": "[ ] bread"}, seconds=WRITE)
def notes_append(desk: Desk, note_id: int, line: str) -> Item:
    """Add a line at the end of a note.

    Args:
        desk: Whose note it must be; its text gets the line, and nothing else of it changes.
        note_id: Its id.
        line: The line.
    """
    row = own(desk, "notes", note_id, NOTE)
    desk.update("notes", note_id, body=f"{row['body']}\n{text_of(line, 'line')}".lstrip("\n"))
    return {"message": "Added the line.", "note_id": note_id}


@tool(seconds=WRITE)
def notes_delete(desk: Desk, note_id: int) -> Item:
    """Delete a note.

    Args:
        desk: Whose note it must be; loses it.
        note_id: Its id.
    """
    own(desk, "notes", note_id, NOTE)
    desk.delete("notes", note_id)
    return {"message": "Deleted the note."}


TOOLS = (notes_list, notes_show, notes_create, notes_update, notes_append, notes_delete)
