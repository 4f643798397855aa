"""The files app."""

from __future__ import annotations

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    day_of,
    entered,
    holding,
    me,
    member,
    own,
    page_of,
    path_of,
    select,
    written_text,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

FILE = "file|files_list"
LISTED = "SELECT id, path, size, modified_at FROM files"


def _file(desk: Desk, file_id: int) -> Item:
    entered(desk, "files")
    row = desk.row("files", file_id)
    if row and row["owner"] != desk.person and _is_shared(desk, file_id):
        raise ToolError(f"File {file_id} is shared with you to be read; only its owner may change it.")
    return own(desk, "files", file_id, FILE)


def _is_shared(desk: Desk, file_id: int) -> bool:
    return bool(desk.ask("SELECT 1 FROM shares WHERE file_id = ? AND email = ?", file_id, me(desk)["email"]))


def readable(desk: Desk, file_id: int) -> Item:
    """A file that the person owns or that is shared with them.

    Args:
        desk: Whose.
        file_id: Its id.

    Raises:
        ToolError: if there is none.
    """
    entered(desk, "files")
    row = desk.row("files", file_id)
    if row and row["owner"] != desk.person and _is_shared(desk, file_id):
        return row
    return own(desk, "files", file_id, FILE)


def _free(desk: Desk, path: str) -> str:
    if desk.ask("SELECT 1 FROM files WHERE owner = ? AND path = ?", desk.person, path_of(path)):
        raise ToolError(f"There is a file {shorten(path, 60)} already; take another path.")
    return path


def new_file(desk: Desk, path: str, content: str, size: int) -> Item:
    """Make a file.

    Args:
        desk: Whose.
        path: Where.
        content: Its text.
        size: In kB.

    Raises:
        ToolError: if there is one.
    """
    made = {"content": content, "modified_at": desk.clock.stamp}
    number = desk.insert("files", owner=desk.person, path=_free(desk, path), size=size, **made)
    return {"message": "Saved the file.", "file_id": number, "path": path}


@tool({"folder": "/bills/water", "page_size": 20}, seconds=READ)
def files_list(
    desk: Desk,
    folder: str = "/",
    query: str | None = None,
    since: str | None = None,
    before: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List your files in a folder and all folders below it, by path; sizes are in kB.

    Args:
        desk: Whose files are listed, without those shared by others; not changed.
        folder: Its path.
        query: A text that the path holds.
        since: First day of the last change, as YYYY-MM-DD.
        before: The day after the last.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "files")
    inside = (holding(folder.rstrip("/") + "/") or "")[1:]
    where = [
        ("owner = ?", desk.person), ("path LIKE ? ESCAPE '\\'", inside), ("path LIKE ? ESCAPE '\\'", holding(query)),
        ("modified_at >= ?", day_of(since)), ("modified_at < ?", day_of(before)),
    ]  # fmt: skip
    return page_of(select(desk, LISTED, where, "path, id"), page, page_size)


@tool({"file_id": 310}, seconds=READ)
def files_show(desk: Desk, file_id: int) -> Item:
    """Get a file, its text, and with whom it is shared.

    Args:
        desk: Who must own the file, or have it shared with them; not changed.
        file_id: Its id.
    """
    row = readable(desk, file_id)
    shared = [each[0] for each in desk.ask("SELECT email FROM shares WHERE file_id = ? ORDER BY id", file_id)]
    return {**{key: value for key, value in row.items() if key != "owner"}, "shared_with": shared}


@tool(seconds=READ)
def files_shared_with_me(desk: Desk, page: int = 1, page_size: int = 10) -> Item:
    """List files of others that are shared with you, by path.

    Args:
        desk: To whose address the files are shared; not changed.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "files")
    found = select(
        desk,
        "SELECT f.id, p.email, f.path, f.size, f.modified_at FROM shares s JOIN files f ON f.id = s.file_id "
        "JOIN people p ON p.id = f.owner",
        [("s.email = ?", me(desk)["email"])],
        "f.path, f.id",
    )
    return page_of([{"owner": item.pop("email"), **item} for item in found], page, page_size)


@tool({"path": "/work/list.txt", "content": "bread"}, seconds=WRITE)
def files_create(desk: Desk, path: str, content: str) -> Item:
    """Write a text into a new file.

    Args:
        desk: Gets the file, with a size of 1 kB whatever its text.
        path: Of the file.
        content: Its text.
    """
    entered(desk, "files")
    return new_file(desk, path, written_text(content), 1)


@tool(seconds=WRITE)
def files_move(desk: Desk, file_id: int, path: str) -> Item:
    """Move or rename a file.

    Args:
        desk: Who must own the file, and have none at `path`; others keep it as shared.
        file_id: Its id.
        path: The new path.
    """
    _file(desk, file_id)
    desk.update("files", file_id, path=_free(desk, path))
    return {"message": "Moved the file.", "file_id": file_id, "path": path}


@tool(seconds=WRITE)
def files_copy(desk: Desk, file_id: int, path: str) -> Item:
    """Copy a file, one of others that is shared with you too.

    Args:
        desk: Gets the copy, which belongs to its person and is shared with nobody.
        file_id: Its id.
        path: Of the copy.
    """
    row = readable(desk, file_id)
    return new_file(desk, path, row["content"], row["size"])


@tool(seconds=WRITE)
def files_delete(desk: Desk, file_id: int) -> Item:
    """Delete a file for good; nobody has it as shared any more.

    Args:
        desk: Who must own the file; loses it and its shares.
        file_id: Its id.
    """
    _file(desk, file_id)
    for (number,) in desk.ask("SELECT id FROM shares WHERE file_id = ? ORDER BY id", file_id):
        desk.delete("shares", number)
    desk.delete("files", file_id)
    return {"message": "Deleted the file."}


@tool({"file_id": 310, "email": "ana.costa@post.example"}, seconds=WRITE)
def files_share(desk: Desk, file_id: int, email: str) -> Item:
    """Let somebody with an account read a file.

    Args:
        desk: Who must own the file; gets a row for the other's right to read it.
        file_id: Its id.
        email: Mail address of the other.
    """
    _file(desk, file_id)
    member(desk, email)
    if desk.ask("SELECT 1 FROM shares WHERE file_id = ? AND email = ?", file_id, email.lower()):
        raise ToolError(f"File {file_id} is shared with {email.lower()} already.")
    desk.insert("shares", file_id=file_id, email=email.lower())
    return {"message": f"Shared with {email.lower()}.", "file_id": file_id}


@tool(seconds=WRITE)
def files_unshare(desk: Desk, file_id: int, email: str) -> Item:
    """Take the right to read a file away.

    Args:
        desk: Who must own the file; loses the row of the other's right to read it.
        file_id: Its id.
        email: Mail address of the other.
    """
    _file(desk, file_id)
    found = desk.ask("SELECT id FROM shares WHERE file_id = ? AND email = ?", file_id, email.lower())
    if not found:
        raise ToolError(f"File {file_id} is not shared with {shorten(email.lower(), 40)}; files_show tells with whom.")
    desk.delete("shares", found[0][0])
    return {"message": f"No longer shared with {email.lower()}.", "file_id": file_id}


TOOLS = (
    files_list, files_show, files_shared_with_me, files_create, files_move, files_copy, files_delete, files_share,
    files_unshare,
)  # fmt: skip
