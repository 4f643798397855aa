"""The mail app."""

from __future__ import annotations

from typing import Literal

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    address_of,
    day_of,
    entered,
    flags,
    holding,
    me,
    own,
    page_of,
    path_of,
    select,
    text_of,
    written_text,
)  # fmt: skip
from agentgym.envs.tools._office.apps.files import new_file, readable
from agentgym.envs.tools._office.desk import Desk

Folder = Literal["inbox", "archive", "sent", "trash"]
LISTED = "SELECT id, sender, recipients, subject, sent_at, is_read, is_starred, label FROM mails"
MAIL = "mail|mail_list"
MOST_RECIPIENTS = 20


def _mail(desk: Desk, mail_id: int) -> Item:
    entered(desk, "mail")
    return own(desk, "mails", mail_id, MAIL)


def _attached(desk: Desk, mail_id: int) -> list[Item]:
    return select(desk, "SELECT id, name, size FROM attachments", [("mail_id = ?", mail_id)], "id")


@tool({"folder": "inbox", "unread": True, "page_size": 20}, seconds=READ)
def mail_list(
    desk: Desk,
    folder: Folder = "inbox",
    sender: str | None = None,
    query: str | None = None,
    label: str | None = None,
    since: str | None = None,
    before: str | None = None,
    unread: bool | None = None,
    starred: bool | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List mails without their text, the newest first.

    Args:
        desk: Whose mails are listed; none becomes read by it.
        folder: Where they are.
        sender: Mail address of who wrote them.
        query: A text that the subject holds.
        label: work, personal, bills, orders or promotions.
        since: First day, as YYYY-MM-DD.
        before: The day after the last.
        unread: Only those that are not read (true) or are (false).
        starred: Only those with a star (true) or without (false).
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "mail")
    where = [
        ("owner = ?", desk.person), ("folder = ?", folder), ("sender = ?", sender and sender.lower()),
        ("subject LIKE ? ESCAPE '\\'", holding(query)), ("label = ?", label), ("sent_at >= ?", day_of(since)),
        ("sent_at < ?", day_of(before)), ("is_read = ?", None if unread is None else int(not unread)),
        ("is_starred = ?", None if starred is None else int(starred)),
    ]  # fmt: skip
    found = page_of(select(desk, LISTED, where, "sent_at DESC, id DESC"), page, page_size)
    for item in found["items"]:
        flags(item, "is_read", "is_starred")["attachments"] = len(_attached(desk, item["id"]))
    return found


@tool({"mail_id": 214}, seconds=READ)
def mail_read(desk: Desk, mail_id: int) -> Item:
    """Get a mail with its text and its attachments; it is not marked as read.

    Args:
        desk: Whose mail it must be; not changed.
        mail_id: Its id.
    """
    row = flags(_mail(desk, mail_id), "is_read", "is_starred")
    del row["owner"]
    return {**row, "attachments": _attached(desk, mail_id)}


def _send(desk: Desk, to: list[str], subject: str, body: str, attached: list[Item]) -> Item:
    """Put a mail into the sender's folder and into those of whoever has an account."""
    to = sorted({address_of(each) for each in to})
    if not 1 <= len(to) <= MOST_RECIPIENTS:
        raise ToolError(f"A mail goes to 1 to {MOST_RECIPIENTS} addresses.")
    text_of(subject, "subject")
    text_of(body, "body")
    sender = me(desk)["email"]
    told = {"sender": sender, "recipients": ", ".join(to), "subject": subject, "body": written_text(body)}
    people: dict[str, int] = dict(desk.ask("SELECT email, id FROM people"))
    boxes = [(desk.person, "sent", 1), *((people[each], "inbox", 0) for each in to if each in people)]
    made = []
    for owner, folder, read in boxes:
        marks = {"sent_at": desk.clock.stamp, "is_read": read, "is_starred": 0, "label": "personal"}
        made.append(desk.insert("mails", owner=owner, folder=folder, **told, **marks))
        for each in attached:
            parts = {key: each[key] for key in ("name", "size", "content")}
            desk.insert("attachments", mail_id=made[-1], **parts)
    return {"message": f"Sent to {told['recipients']}.", "mail_id": made[0]}


@tool({"to": ["ana.costa@post.example"], "subject": "Saturday", "body": "I can come."}, seconds=WRITE)
def mail_send(desk: Desk, to: list[str], subject: str, body: str, file_ids: list[int] | None = None) -> Item:
    """Send a mail.

    Args:
        desk: Gets the sent mail, and a copy in the inbox of each recipient with an account.
        to: Mail addresses.
        subject: Its subject.
        body: Its text.
        file_ids: Files of yours to be attached; this wants a login to files too.
    """
    entered(desk, "mail")
    attached = []
    for file_id in file_ids or []:
        row = readable(desk, file_id)
        attached.append({"name": row["path"].rpartition("/")[2], "size": row["size"], "content": row["content"]})
    return _send(desk, to, subject, body, attached)


@tool(seconds=WRITE)
def mail_reply(desk: Desk, mail_id: int, body: str) -> Item:
    """Answer the sender of a mail; the subject becomes "Re: " and the old one.

    Args:
        desk: Whose mail it must be; gets the answer as `mail_send` does, without attachments.
        mail_id: The mail's id.
        body: The text.
    """
    row = _mail(desk, mail_id)
    return _send(desk, [row["sender"]], f"Re: {row['subject']}", body, [])


@tool(seconds=WRITE)
def mail_forward(desk: Desk, mail_id: int, to: list[str]) -> Item:
    """Forward a mail with its text and attachments; the subject becomes "Fwd: " and the old one.

    Args:
        desk: Whose mail it must be; gets the new one as `mail_send` does, with copies of the attachments.
        mail_id: The mail's id.
        to: Mail addresses.
    """
    row = _mail(desk, mail_id)
    attached = select(desk, "SELECT name, size, content FROM attachments", [("mail_id = ?", mail_id)], "id")
    return _send(desk, to, f"Fwd: {row['subject']}", row["body"], attached)


@tool({"mail_id": 214, "is_starred": True}, seconds=WRITE)
def mail_update(
    desk: Desk,
    mail_id: int,
    is_read: bool | None = None,
    is_starred: bool | None = None,
    folder: Folder | None = None,
    label: str | None = None,
) -> Item:
    """Mark, move or label a mail; what is left out stays as it is.

    Args:
        desk: Whose mail it must be; copies that others have stay as they are.
        mail_id: Its id.
        is_read: Whether it counts as read.
        is_starred: Whether it has a star.
        folder: Where it is to be.
        label: Its label.
    """
    _mail(desk, mail_id)
    said = {"is_read": is_read, "is_starred": is_starred, "folder": folder, "label": label}
    changes = {
        key: int(value) if isinstance(value, bool) else value for key, value in said.items() if value is not None
    }
    if not changes:
        raise ToolError("Nothing to change; give is_read, is_starred, folder or label.")
    row = desk.update("mails", mail_id, **changes)
    return {"message": "Updated the mail.", "mail_id": mail_id, "folder": row["folder"], "label": row["label"]}


@tool(seconds=WRITE)
def mail_save_attachment(desk: Desk, attachment_id: int, path: str) -> Item:
    """Save an attachment as a file; this wants a login to files too.

    Args:
        desk: Whose mail must hold the attachment; gets the file.
        attachment_id: Its id, as mail_read gives it.
        path: Of the new file, such as /work/plan.pdf.
    """
    row = desk.row("attachments", attachment_id)
    entered(desk, "mail")
    mail = desk.row("mails", row["mail_id"]) if row else None
    if row is None or mail is None or mail["owner"] != desk.person:
        raise ToolError(f"You have no attachment {attachment_id}; mail_read gives the ids.")
    entered(desk, "files")
    return new_file(desk, path_of(path), row["content"], row["size"])


TOOLS = (mail_list, mail_read, mail_send, mail_reply, mail_forward, mail_update, mail_save_attachment)
