"""The contacts app."""

from __future__ import annotations

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    address_of,
    columns,
    holding,
    own,
    page_of,
    select,
    text_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

CONTACT = "contact|contacts_list"


@tool({"relation": "roommate", "page_size": 20}, seconds=READ)
def contacts_list(
    desk: Desk, query: str | None = None, relation: str | None = None, page: int = 1, page_size: int = 10
) -> Item:
    """List your contacts by name: mail address, phone, relation, birthday, city, company.

    Args:
        desk: Whose contacts are listed; not changed.
        query: A text that the name holds.
        relation: Such as roommate, coworker, friend, sibling, parent, cousin or dentist.
        page: From 1.
        page_size: Up to 20.
    """
    where = [
        ("owner = ?", desk.person), ("name LIKE ? ESCAPE '\\'", holding(query)), ("relation = ?", relation),
    ]  # fmt: skip
    return page_of(select(desk, f"SELECT {columns('contacts')} FROM contacts", where, "name, id"), page, page_size)


@tool({"name": "Ana Costa", "email": "ana.costa@post.example", "phone": "555-1234"}, seconds=WRITE)
def contacts_add(desk: Desk, name: str, email: str, phone: str = "", relation: str = "") -> Item:
    """Add a contact.

    Args:
        desk: Gets the row, with birthday, city and company left empty.
        name: Full name.
        email: Mail address.
        phone: Phone number.
        relation: How you know each other.
    """
    if desk.ask("SELECT 1 FROM contacts WHERE owner = ? AND email = ?", desk.person, address_of(email)):
        raise ToolError(f"{email.lower()} is in your contacts already; contacts_update changes it.")
    told = {"name": text_of(name, "name"), "email": email.lower(), "phone": phone, "relation": relation}
    number = desk.insert("contacts", owner=desk.person, **told, birthday="", city="", company="")
    return {"message": "Added the contact.", "contact_id": number}


@tool({"contact_id": 12, "phone": "555-1234"}, seconds=WRITE)
def contacts_update(
    desk: Desk, contact_id: int, phone: str | None = None, relation: str | None = None, email: str | None = None
) -> Item:
    """Change a contact; what is left out stays as it is.

    Args:
        desk: Whose contact it must be; its row is changed.
        contact_id: Its id.
        phone: The new phone number.
        relation: The new relation.
        email: The new mail address.
    """
    own(desk, "contacts", contact_id, CONTACT)
    said = {"phone": phone, "relation": relation, "email": email and address_of(email)}
    changes = {key: value for key, value in said.items() if value is not None}
    if not changes:
        raise ToolError("Nothing to change; give phone, relation or email.")
    desk.update("contacts", contact_id, **changes)
    return {"message": "Changed the contact.", "contact_id": contact_id}


@tool(seconds=WRITE)
def contacts_delete(desk: Desk, contact_id: int) -> Item:
    """Delete a contact.

    Args:
        desk: Whose contact it must be; mails and payments of that person stay.
        contact_id: Its id.
    """
    own(desk, "contacts", contact_id, CONTACT)
    desk.delete("contacts", contact_id)
    return {"message": "Deleted the contact."}


TOOLS = (contacts_list, contacts_add, contacts_update, contacts_delete)
