"""Templates over two and three apps: what one tells is put into another."""

from __future__ import annotations

import re

from agentgym.envs.web._device.day_tasks import COMING, later, one_event, put_alarm, put_event, some_day, some_time
from agentgym.envs.web._device.drafts import (
    Ask,
    Draft,
    Template,
    contact,
    done,
    event,
    file,
    fill,
    link,
    note,
    press,
    sent,
    talk,
    told,
    write,
)
from agentgym.envs.web._device.judge import added, changed, removed
from agentgym.envs.web._device.paper_tasks import one_file, one_note
from agentgym.envs.web._device.people_tasks import last_of, person, thread
from agentgym.envs.web._device.setting_tasks import joined
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.content import PASSWORDS
from agentgym.envs.web._sites.plans import Step

PROPOSAL = re.compile(r"Shall we meet on (\S+) at (\d\d:\d\d) at (.+)\?")
NUMBER = re.compile(r"please save it: (\S+)\.")
LAST = "(SELECT body FROM messages WHERE thread = threads.id ORDER BY messages.id DESC LIMIT 1)"


def _proposed(ask: Ask, where: str = "1") -> tuple[Row, str, list[str]]:
    """A conversation whose last message proposes day, time and place of a meeting."""
    row, name = thread(ask, f"{LAST} LIKE 'Shall we meet%' AND {where}")
    found = PROPOSAL.fullmatch(last_of(ask, row)["body"])
    assert found is not None, "the condition asks for a proposal"
    return row, name, list(found.groups())


def meet(ask: Ask) -> Draft:
    """Put what somebody proposes into the calendar."""
    _, name, (day, time, place) = _proposed(ask)
    title, ends = f"Meeting with {name}", later(time, 60)
    ways = (f"put the meeting that {name} proposes in the last message into the calendar as “{title}”, for an hour, "
            "with its place", f"read the last message of {name} and add the event “{title}” on that day, at that time "
            "and place, one hour long")  # fmt: skip
    return done(ways, [*talk(name), *put_event(title, day, time, ends, place)],
                added("events", title=title, day=day, begins=time, ends=ends, place=place))  # fmt: skip


def meet_and_reply(ask: Ask) -> Draft:
    """Put what somebody proposes into the calendar, and agree."""
    row, name, (day, time, place) = _proposed(ask, "contacts.blocked = 0")
    title, ends, said = f"{name}, {place}", later(time, 30), f"Yes, see you on {day} at {time}."
    plan = [*talk(name), fill("Message", said), press("Send"), *put_event(title, day, time, ends)]
    ways = (f"answer “{said}” to the meeting that {name} proposes in the last message, and add an event “{title}” of "
            "30 minutes at that time", f"reply “{said}” to {name}, whose last message proposes "
            f"that meeting, and put it into the calendar as “{title}”, 30 minutes long")  # fmt: skip
    return done(ways, plan, added("events", title=title, day=day, begins=time, ends=ends),
                *sent(ask, row["phone"], said))  # fmt: skip


def wake_for_meeting(ask: Ask) -> Draft:
    """Set an alarm before a meeting that somebody proposes."""
    _, name, (_, time, _) = _proposed(ask)
    before = ask.pick((30, 45, 60, 90))
    rings = later(time, -before)
    ways = (f"set an alarm “{name}” that rings {before} minutes before the time that {name} proposes in the last "
            "message",
            f"look up when {name} wants to meet in the last message, and set an alarm with the label “{name}” {before} "
            "minutes earlier")  # fmt: skip
    return done(ways, [*talk(name), *put_alarm(rings, name)], added("alarms", time=rings, label=name, active=1))


def save_number(ask: Ask) -> Draft:
    """Save the new number that somebody tells."""
    row, name = thread(ask, f"{LAST} LIKE 'I have a new number%'")
    found = NUMBER.search(last_of(ask, row)["body"])
    assert found is not None, "the condition asks for a number"
    owner = ask.store.one("SELECT * FROM contacts WHERE phone = ?", row["phone"])
    assert owner is not None, "conversations are with contacts"
    ways = (f"save in the contacts the new phone number that {name} gave in the last message",
            f"change the phone number of {name} in the contacts to the new one of the last message")  # fmt: skip
    plan = [*talk(name), *contact(name), link("Edit contact"), fill("Phone", found[1]), press("Save contact")]
    return done(ways, plan, changed("contacts", owner["id"], phone=found[1]),
                changed("threads", row["id"], phone=found[1]))  # fmt: skip


def tell_fact(ask: Ask) -> Draft:
    """Tell somebody where or when an event is."""
    column, said = ask.pick(
        (("place", "place"), ("begins", "starting time"), ("day", "day (written as in 2026-03-20)"))
    )
    row = one_event(ask, f"{column} != ''")
    to, name = person(ask, "blocked = 0")
    ways = (f"send {name} the {said} of the event “{row['title']}”, and nothing else",
            f"look up the {said} of “{row['title']}” in the calendar and write it to {name}, no more")  # fmt: skip
    return done(ways, [*event(row["title"]), *write(name, row[column])], *sent(ask, to["phone"], row[column]))


def tell_number(ask: Ask) -> Draft:
    """Tell somebody the number of somebody else."""
    row, name = person(ask)
    to, other = person(ask, f"blocked = 0 AND id != {row['id']}")
    ways = (f"send {other} the phone number of {name}, and nothing else",
            f"look up the number of {name} and write it to {other}, without another word")  # fmt: skip
    return done(ways, [*contact(name), *write(other, row["phone"])], *sent(ask, to["phone"], row["phone"]))


def birthday(ask: Ask) -> Draft:
    """Put a birthday into the calendar."""
    row, name = person(ask, "birthday != ''")
    day = f"2027-{row['birthday'][5:]}"
    title = f"Birthday of {name}"
    ways = (f"add the event “{title}” from 09:00 to 10:00 on the day of {name}'s birthday in 2027",
            f"look up the birthday of {name} and put “{title}” into the calendar for 2027, 09:00 to 10:00")  # fmt: skip
    return done(ways, [*contact(name), *put_event(title, day, "09:00", "10:00")],
                added("events", title=title, day=day, begins="09:00", ends="10:00"))  # fmt: skip


def alarm_before(ask: Ask) -> Draft:
    """Set an alarm before an event."""
    row, before = one_event(ask, COMING), ask.pick((20, 30, 45, 60))
    rings, label = later(row["begins"], -before), row["title"]
    ways = (f"set an alarm {before} minutes before the event “{label}” begins, with the title of the event as label",
            f"look up when “{label}” begins and set an alarm “{label}” {before} minutes earlier")  # fmt: skip
    return done(ways, [*event(label), *put_alarm(rings, label)], added("alarms", time=rings, label=label, active=1))


def _put_note(title: str, body: str) -> list[Step]:
    return [["open", "Notes"], link("New note"), fill("Title", title), fill("Text", body), press("Save note")]


def note_number(ask: Ask) -> Draft:
    """Write a number down."""
    row, name = person(ask)
    column, said = ask.pick((("phone", "phone number"), ("email", "email address")))
    title = f"Reach {name}"
    ways = (f"write a note “{title}” whose text is the {said} of {name}, and nothing else",
            f"look up the {said} of {name} and keep it as the text of a new note “{title}”")  # fmt: skip
    return done(ways, [*contact(name), *_put_note(title, row[column])], added("notes", title=title, body=row[column]))


def send_note(ask: Ask) -> Draft:
    """Send somebody the text of a note."""
    row = one_note(ask, "body NOT LIKE '%' || char(10) || '%' AND body != ''")
    to, name = person(ask, "blocked = 0")
    ways = (f"send {name} the text of the note “{row['title']}”",
            f"write to {name} what the note “{row['title']}” says, word for word")  # fmt: skip
    return done(ways, [*note(row["title"]), *write(name, row["body"])], *sent(ask, to["phone"], row["body"]))


def address_of_file(ask: Ask) -> Draft:
    """Put an address that stands in a file into the calendar."""
    row = one_file(ask, "body LIKE '%Address: %'")
    place = row["body"].split("Address: ")[1].split("\n")[0].rstrip(".")
    title, day, begins = "Viewing", some_day(ask), some_time(ask)
    ends = later(begins, 45)
    ways = (f"add the event “{title}” on {day} from {begins} to {ends} with the address of the file {row['name']} as "
            "its place", f"take the address that stands in {row['name']} as the place of a new event “{title}” on "
            f"{day}, {begins} to {ends}")  # fmt: skip
    return done(ways, [*file(row["name"]), *put_event(title, day, begins, ends, place)],
                added("events", title=title, day=day, begins=begins, ends=ends, place=place))  # fmt: skip


def password(ask: Ask) -> Draft:
    """Join a network whose password is in the notes."""
    row = ask.row("SELECT * FROM networks WHERE saved = 0 ORDER BY id")
    ways = (f"connect to the Wi-Fi network “{row['name']}”, whose password is in the note “{PASSWORDS}”",
            f"look up the password of “{row['name']}” in my notes and join this network")  # fmt: skip
    plan = [*note(PASSWORDS), ["open", "Settings"], link("Wi-Fi networks"), link(row["name"]),
            fill("Password", row["password"]), press("Join")]  # fmt: skip
    return done(ways, plan, *joined(ask, row["id"]))


def wrote_and_works(ask: Ask) -> Draft:
    """Find out where the person works who wrote something."""
    query = """SELECT messages.body, company, first, last FROM messages JOIN threads ON threads.id = thread JOIN
        contacts ON contacts.phone = threads.phone WHERE mine = 0 AND company != '' AND length(body) > 24 AND body IN
        (SELECT body FROM messages GROUP BY body HAVING count(*) = 1) ORDER BY messages.id"""
    row = ask.row(query)
    ways = (f"the company of the person who wrote me “{row['body']}”",
            f"where the person works who sent me the message “{row['body']}”")  # fmt: skip
    plan = [["open", "Messages"], fill("Search messages", row["body"], "searchbox"), press("Search"),
            *contact(f"{row['first']} {row['last']}"), ["stop", row["company"]]]  # fmt: skip
    return told(ways, plan, row["company"], "name")


def host_number(ask: Ask) -> Draft:
    """Find the number of who invited to an event."""
    row = one_event(ask, "host != ''")
    phone = ask.store.value("SELECT phone FROM contacts WHERE first || ' ' || last = ?", row["host"])
    ways = (f"the phone number of the person who invited me to “{row['title']}”",
            f"which number to call about “{row['title']}”, that of the person who invited me")  # fmt: skip
    return told(ways, [*event(row["title"]), *contact(row["host"]), ["stop", phone]], phone, "phone")


def cancel(ask: Ask) -> Draft:
    """Delete an event and tell the host."""
    row = one_event(ask, f"{COMING} AND host IN (SELECT first || ' ' || last FROM contacts WHERE blocked = 0)")
    phone = ask.store.value("SELECT phone FROM contacts WHERE first || ' ' || last = ?", row["host"])
    said = f"Sorry, I cannot come on {row['day']}."
    ways = (f"delete the event “{row['title']}” and write “{said}” to the person who invited me",
            f"tell the host of “{row['title']}” in a message “{said}”, and delete the event")  # fmt: skip
    plan = [*event(row["title"]), press("Delete event"), *write(row["host"], said)]
    return done(ways, plan, removed("events", row["id"]), *sent(ask, phone, said))


def brief(ask: Ask) -> Draft:
    """Three apps: note the number of the host and the place of an event."""
    row = one_event(ask, "host != '' AND place != ''")
    phone = ask.store.value("SELECT phone FROM contacts WHERE first || ' ' || last = ?", row["host"])
    title, body = f"Call about {row['title']}", f"{phone}, {row['place']}"
    ways = (f"write a note “{title}” whose text is the phone number of the person who invited me to “{row['title']}”, "
            f"a comma, and the place of that event", f"look up who invited me to “{row['title']}”, and write a note "
            f"“{title}” that says the number of that person and the place of the event, with a comma between them",
            )  # fmt: skip
    return done(ways, [*event(row["title"]), *contact(row["host"]), *_put_note(title, body)],
                added("notes", title=title, body=body))  # fmt: skip


def file_to_friend(ask: Ask) -> Draft:
    """Three apps: what a file says goes to somebody, and into the calendar."""
    row = one_file(ask, "body LIKE '%Meeting point: %'")
    place = row["body"].split("Meeting point: ")[1].split("\n")[0].rstrip(".")
    to, name = person(ask, "blocked = 0")
    title, day, begins = "Excursion", some_day(ask), some_time(ask)
    ends = later(begins, 90)
    ways = (f"send {name} the meeting point of the file {row['name']}, and nothing else, and add the event “{title}” "
            f"on {day} from {begins} to {ends} there", f"look up the meeting point in {row['name']}, write it to "
            f"{name}, and make it the place of a new event “{title}” on {day}, {begins} to {ends}")  # fmt: skip
    plan = [*file(row["name"]), *write(name, place), *put_event(title, day, begins, ends, place)]
    return done(ways, plan, *sent(ask, to["phone"], place),
                added("events", title=title, day=day, begins=begins, ends=ends, place=place))  # fmt: skip


TEMPLATES: tuple[Template, ...] = (
    meet, meet_and_reply, wake_for_meeting, save_number, tell_fact, tell_number, birthday, alarm_before, note_number,
    send_note, address_of_file, password, wrote_and_works, host_number, cancel, brief, file_to_friend,
)  # fmt: skip
