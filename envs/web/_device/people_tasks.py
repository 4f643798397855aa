"""Templates over contacts and messages."""

from __future__ import annotations

from agentgym.envs.web._device.drafts import (
    Ask,
    Draft,
    Template,
    choose,
    click,
    contact,
    done,
    fill,
    link,
    press,
    sent,
    talk,
    told,
    write,
)
from agentgym.envs.web._device.judge import added, changed, removed
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.contacts import GROUPS
from agentgym.envs.web._sites.device.content import words
from agentgym.envs.web._sites.device.forms import full_name

TEXTS = ("I will be {n} minutes late.", "Can you call me on {day}?", "The {thing} is ready.",
         "Please bring the {thing}.", "See you on {day}, {n} minutes past four.", "Happy birthday!",
         "Did you find the {thing}?", "The meeting moved to {day}.")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def text(ask: Ask) -> str:
    """Something to write."""
    said: str = ask.pick(TEXTS)
    return said.format(n=ask.between(5, 55), day=ask.pick(WEEKDAYS), thing=ask.pick(words()["talk"]["things"]))


def person(ask: Ask, where: str = "1") -> tuple[Row, str]:
    """A contact, and the name.

    Args:
        ask: The device.
        where: A condition.
    """
    row = ask.row(f"SELECT * FROM contacts WHERE {where} ORDER BY id")
    return row, full_name(row)


def thread(ask: Ask, where: str = "1") -> tuple[Row, str]:
    """A conversation, and the name of the other.

    Args:
        ask: The device.
        where: A condition.
    """
    query = f"""SELECT threads.*, first, last FROM threads JOIN contacts ON contacts.phone = threads.phone
        WHERE {where} ORDER BY threads.id"""
    row = ask.row(query)
    return row, full_name(row)


def last_of(ask: Ask, row: Row) -> Row:
    """The last message of the conversation whose `row` it is, in the database of `ask`."""
    found = ask.store.one("SELECT * FROM messages WHERE thread = ? ORDER BY id DESC LIMIT 1", row["id"])
    assert found is not None, "every conversation has a message"
    return found


def _place(ask: Ask, row: Row) -> int:
    """The number by which its conversation calls its last message."""
    return int(ask.store.value("SELECT count(*) FROM messages WHERE thread = ?", row["id"]))


def new_contact(ask: Ask) -> Draft:
    """Add a contact."""
    given = words()
    names = {(row["first"], row["last"]) for row in ask.store.all("SELECT first, last FROM contacts")}
    first, last = ask.pick([(one, other) for one in given["first"][:20] for other in given["last"][:20]
                            if (one, other) not in names])  # fmt: skip
    phone, company = f"555-{ask.between(100, 999)}-{ask.between(10, 99)}", ask.pick(given["companies"])
    plan = [["open", "Contacts"], link("New contact"), fill("First name", first), fill("Last name", last),
            fill("Phone", phone), fill("Company", company), press("Save contact")]  # fmt: skip
    ways = (f"add a contact {first} {last} of {company} with the phone number {phone}",
            f"save the number {phone} of {first} {last}, who works for {company}")  # fmt: skip
    return done(ways, plan, added("contacts", first=first, last=last, phone=phone, company=company))


def fact_of(ask: Ask) -> Draft:
    """Read a fact about a contact."""
    column, said, hint = ask.pick((("phone", "phone number", "phone"), ("email", "email address", "text"),
                                   ("birthday", "birthday", "date"), ("company", "company", "name"),
                                   ("city", "city", "name"), ("team", "group in the contacts", "name")))  # fmt: skip
    row, name = person(ask, f"{column} != ''")
    ways = (f"the {said} of {name}", f"the {said} that is saved for {name}", f"{name}'s {said}")
    return told(ways, [*contact(name), ["stop", row[column]]], row[column], hint)


def who_has(ask: Ask) -> Draft:
    """Find out whose number it is."""
    row, name = person(ask)
    plan = [["open", "Contacts"], fill("Search contacts", row["phone"], "searchbox"), press("Search"), ["stop", name]]
    ways = (f"who has the phone number {row['phone']}", f"whose number {row['phone']} is")
    return told(ways, plan, name, "name")


def how_many(ask: Ask) -> Draft:
    """Count the contacts of a group."""
    team = ask.pick(GROUPS)
    count = ask.store.value("SELECT count(*) FROM contacts WHERE team = ?", team)
    plan = [["open", "Contacts"], choose("Group", team), press("Search"), ["stop", str(count)]]
    ways = (f"how many contacts are in the group {team}", f"the number of contacts in the group {team}")
    return told(ways, plan, count, "number")


def change_contact(ask: Ask) -> Draft:
    """Change a field of a contact."""
    given = words()
    row, name = person(ask, "phone NOT IN (SELECT phone FROM threads)")
    column, label, value = ask.pick((
        ("phone", "Phone", f"555-{ask.between(100, 999)}-{ask.between(10, 99)}"),
        ("email", "Email", f"{row['first']}{ask.between(10, 99)}@mail.example".lower()),
        ("company", "Company", ask.pick([one for one in given["companies"] if one != row["company"]])),
        ("city", "City", ask.pick([one for one in given["towns"] if one != row["city"]])),
        ("birthday", "Birthday", f"{ask.between(1950, 2010)}-0{ask.between(1, 9)}-{ask.between(10, 28)}"),
    ))  # fmt: skip
    plan = [*contact(name), link("Edit contact"), fill(label, value), press("Save contact")]
    ways = (f"change the {label.lower()} of {name} to {value}", f"save {value} as the {label.lower()} of {name}")
    return done(ways, plan, changed("contacts", row["id"], **{column: value}))


def regroup(ask: Ask) -> Draft:
    """Put a contact into another group."""
    row, name = person(ask)
    team = ask.pick([one for one in GROUPS if one != row["team"]])
    plan = [*contact(name), link("Edit contact"), choose("Group", team), press("Save contact")]
    ways = (f"put {name} into the group {team}", f"move {name} from the group {row['team']} to {team}")
    return done(ways, plan, changed("contacts", row["id"], team=team))


def favor(ask: Ask) -> Draft:
    """Make a contact a favorite, or no longer."""
    row, name = person(ask)
    ways = (f"make {name} a favorite", f"add {name} to my favorite contacts")
    if row["favorite"]:
        ways = (f"remove {name} from my favorite contacts", f"make sure that {name} is no favorite any more")
    return done(ways, [*contact(name), click("switch", "Favorite")],
                changed("contacts", row["id"], favorite=1 - row["favorite"]))  # fmt: skip


def block(ask: Ask) -> Draft:
    """Block a contact."""
    row, name = person(ask, "blocked = 0")
    ways = (f"block {name}", f"block the number {row['phone']} of {name}")
    return done(ways, [*contact(name), click("switch", "Blocked")], changed("contacts", row["id"], blocked=1))


def delete_contact(ask: Ask) -> Draft:
    """Delete a contact."""
    row, name = person(ask)
    ways = (f"delete {name} from the contacts", f"remove the contact {name} of {row['city']}")
    return done(ways, [*contact(name), press("Delete contact")], removed("contacts", row["id"]))


def send(ask: Ask) -> Draft:
    """Send a message."""
    row, name = person(ask, "blocked = 0")
    said = text(ask)
    ways = (f"send {name} the message “{said}”", f"write “{said}” to {name}", f"text {name}: “{said}”")
    return done(ways, write(name, said), *sent(ask, row["phone"], said))


def send_two(ask: Ask) -> Draft:
    """Send two people the same message."""
    first, name = person(ask, "blocked = 0")
    second, other = person(ask, f"blocked = 0 AND id != {first['id']} AND phone IN (SELECT phone FROM threads)")
    said = text(ask)
    ways = (f"send the message “{said}” to {name} and to {other}", f"write “{said}” to both {name} and {other}")
    return done(ways, [*write(name, said), *write(other, said)], *sent(ask, first["phone"], said),
                *sent(ask, second["phone"], said))  # fmt: skip


def last_message(ask: Ask) -> Draft:
    """Read the last message of somebody."""
    row, name = thread(ask)
    said = last_of(ask, row)["body"]
    ways = (f"the last message of {name}", f"what {name} wrote last")
    return told(ways, [*talk(name), ["stop", said]], said, "text")


def who_wrote(ask: Ask) -> Draft:
    """Find out who wrote something."""
    query = """SELECT messages.*, first, last FROM messages JOIN threads ON threads.id = thread JOIN contacts ON
        contacts.phone = threads.phone WHERE mine = 0 AND length(body) > 24 AND body IN (SELECT body FROM messages GROUP
        BY body HAVING count(*) = 1) ORDER BY messages.id"""
    row = ask.row(query)
    name = full_name(row)
    plan = [["open", "Messages"], fill("Search messages", row["body"], "searchbox"), press("Search"), ["stop", name]]
    ways = (f"who wrote me “{row['body']}”", f"which contact sent me the message “{row['body']}”")
    return told(ways, plan, name, "name")


def mute(ask: Ask) -> Draft:
    """Mute a conversation, or no longer."""
    row, name = thread(ask)
    verb = "unmute" if row["muted"] else "mute"
    ways = (f"{verb} the conversation with {name}", f"{verb} the messages of {name}")
    return done(ways, [*talk(name), click("switch", "Muted")], changed("threads", row["id"], muted=1 - row["muted"]))


def archive(ask: Ask) -> Draft:
    """Archive a conversation."""
    row, name = thread(ask, "archived = 0")
    ways = (f"archive the conversation with {name}", f"put the messages of {name} into the archive")
    return done(ways, [*talk(name), click("switch", "Archived")], changed("threads", row["id"], archived=1))


def delete_talk(ask: Ask) -> Draft:
    """Delete a conversation."""
    row, name = thread(ask)
    numbers = [one["id"] for one in ask.store.all("SELECT id FROM messages WHERE thread = ? ORDER BY id", row["id"])]
    ways = (f"delete the whole conversation with {name}", f"delete all messages from and to {name}")
    return done(ways, [*talk(name), press("Delete conversation")], removed("threads", row["id"]),
                *(removed("messages", number) for number in numbers))  # fmt: skip


def star(ask: Ask) -> Draft:
    """Star the last message of somebody."""
    row, name = thread(ask)
    ways = (f"star the last message of {name}", f"mark the newest message of {name} with a star")
    return done(ways, [*talk(name), press(f"Star message {_place(ask, row)}")],
                changed("messages", last_of(ask, row)["id"], starred=1))  # fmt: skip


def forward(ask: Ask) -> Draft:
    """Forward the last message of somebody."""
    row, name = thread(ask)
    to, other = person(ask, f"blocked = 0 AND phone != '{row['phone']}'")
    plan = [*talk(name), link(f"Forward message {_place(ask, row)}"), fill("To", other), press("Send")]
    ways = (f"forward the last message of {name} to {other}", f"send {other} the last message that {name} wrote to me")
    return done(ways, plan, *sent(ask, to["phone"], last_of(ask, row)["body"]))


TEMPLATES: tuple[Template, ...] = (
    new_contact, fact_of, who_has, how_many, change_contact, regroup, favor, block, delete_contact, send, send_two,
    last_message, who_wrote, mute, archive, delete_talk, star, forward,
)  # fmt: skip
