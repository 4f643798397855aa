"""Tasks of two apps: mails with contacts, the calendar, tasks and files."""

from __future__ import annotations

import re
from collections import Counter

from agentgym.envs._kit.tools import Program, Unfit, best, several
from agentgym.envs.tools._office.people.words import MONTHS
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    contact,
    enter,
    event,
    every,
    later,
    note,
    project,
    some,
    today,
    unticked,
)  # fmt: skip

INVITATION = re.compile(r"invited: (.+) on (\d{4}-\d\d-\d\d) from (\d\d:\d\d) to (\d\d:\d\d), ([^.]+)\.")
PHONE = re.compile(r"\d{3}-\d{4}")


@BOOK.ask(
    "number", 2,
    'How many mails from "{writer}" are in my inbox?',
    'Count the mails in my inbox that "{writer}" has sent.',
    'My inbox holds how many mails by "{writer}"? The address is in my contacts.',
)  # fmt: skip
def _mails_from(writer: str) -> Program:
    email = (yield from contact(writer))["email"]
    yield from enter("mail")
    return several(len((yield from every("mail_list", sender=email))))


@BOOK.ask(
    "name", 2,
    "Which of my contacts with the relation {relation} has written me the most mails that are in my inbox? Give the "
    "full name.",
    "Of the people whom my contacts list as {relation}, whose mails are the most frequent in my inbox? Answer with the "
    "full name.",
    "Who, among my contacts of relation {relation}, is the sender of most mails in my inbox? I need the full name.",
)  # fmt: skip
def _most_mails_by_relation(relation: str) -> Program:
    names = {row["email"]: row["name"] for row in (yield from every("contacts_list", relation=relation))}
    yield from enter("mail")
    senders = [row["sender"] for row in (yield from every("mail_list"))]
    return best(Counter(names[sender] for sender in senders if sender in names), among=2)


@BOOK.ask(
    "state", 2,
    'Send a mail with the subject "{subject}" and the text "{text}" to everybody whom my contacts list as a {relation} '
    "(one mail to all of them).",
    'Write one mail to all contacts of mine with the relation {relation}: subject "{subject}", text "{text}".',
    'Everyone who is a {relation} in my contacts shall get the same single mail, "{subject}", saying "{text}".',
)  # fmt: skip
def _mail_to_relation(relation: str, subject: str, text: str) -> Program:
    rows = some((yield from every("contacts_list", relation=relation)), 2)
    yield from enter("mail")
    yield ("mail_send", {"to": [row["email"] for row in rows], "subject": subject, "body": text})


@BOOK.ask(
    "state", 2,
    'Forward the newest mail in my inbox that mentions "{topic}" in its subject to "{person}".',
    'Please forward to "{person}" the latest inbox mail with "{topic}" in the subject.',
    '"{person}" should see the last mail on "{topic}" (subject) from my inbox; forward it.',
)  # fmt: skip
def _forward_to(topic: str, person: str) -> Program:
    email = (yield from contact(person))["email"]
    yield from enter("mail")
    row = some((yield from every("mail_list", query=topic)), 2, 40)[0]
    yield ("mail_forward", {"mail_id": row["id"], "to": [email]})


@BOOK.ask(
    "state", 2,
    'Some people wrote "My new phone number" into my inbox. Put the new numbers into my contacts, the newest one for '
    "each of them.",
    'Update my contacts: mails in my inbox with the subject "My new phone number" tell new numbers. If one person '
    "wrote twice, the later mail counts.",
    'Bring the phone numbers of my contacts up to date with the inbox mails "My new phone number"; the most recent one '
    "of a sender counts.",
)  # fmt: skip
def _new_phones() -> Program:
    yield from enter("mail")
    found: dict[str, str] = {}
    for row in (yield from every("mail_list", query="My new phone number")):
        if row["sender"] not in found:
            match = PHONE.search((yield ("mail_read", {"mail_id": row["id"]}))["body"])
            found[row["sender"]] = match[0] if match else ""
    for row in (yield from every("contacts_list")):
        if row["email"] in found:
            yield ("contacts_update", {"contact_id": row["id"], "phone": found[row["email"]]})


@BOOK.ask(
    "state", 2,
    "Every starred work mail in my inbox needs a task: make one in the project \"{project}\", titled as the mail's "
    "subject, due {days} days from today, priority {priority}.",
    'For each inbox mail that has a star and the label work, create a task in "{project}" with its subject as the '
    "title; due in {days} days from today, with priority {priority}.",
    'Turn the starred mails labelled work of my inbox into tasks of "{project}": the subject is the title, the due '
    "date is {days} days from now, the priority {priority}.",
)  # fmt: skip
def _mails_to_tasks(project: str, days: int, priority: int) -> Program:
    now = yield from today()
    number = yield from _project(project)
    yield from enter("mail")
    for row in some((yield from every("mail_list", label="work", starred=True))):
        told = {"title": row["subject"], "due_on": later(now.isoformat(), days), "priority": priority}
        yield ("tasks_create", {"project_id": number, **told})


_project = project


@BOOK.ask(
    "state", 2,
    "Put the invitations that lie unread in my inbox (their subjects begin with \"Invitation:\") into my calendar: "
    "title, time and place as the mail says, nobody invited.",
    "For every unread inbox mail whose subject begins with \"Invitation:\", make an event with the title, the times "
    "and the place that its text names, without guests.",
    "Unread mails in my inbox with \"Invitation:\" in the subject name an occasion, a time and a place. Create each as "
    "an event of mine (title is the occasion, no attendees).",
)  # fmt: skip
def _invitations_to_calendar() -> Program:
    yield from enter("mail")
    for row in some((yield from every("mail_list", query="Invitation:", unread=True))):
        match = INVITATION.search((yield ("mail_read", {"mail_id": row["id"]}))["body"])
        if match is None:
            raise Unfit
        title, day, start, end, place = match.groups()
        yield ("calendar_create", {"title": title, "start": f"{day} {start}", "end": f"{day} {end}", "location": place})


@BOOK.ask(
    "state", 2,
    'Save all attachments of the mails in my inbox whose subject mentions "{topic}" into the folder {new_folder} of my '
    "files, under their names.",
    'The attachments of inbox mails with "{topic}" in the subject shall be in {new_folder} of my files; names stay.',
    'Store each attachment of my inbox mails on "{topic}" (in the subject) as {new_folder}/<name of the attachment>.',
)  # fmt: skip
def _save_attachments(topic: str, new_folder: str) -> Program:
    yield from enter("mail", "files")
    saved = 0
    for row in (yield from every("mail_list", query=topic)):
        if row["attachments"]:
            for each in (yield ("mail_read", {"mail_id": row["id"]}))["attachments"]:
                yield ("mail_save_attachment", {"attachment_id": each["id"], "path": f"{new_folder}/{each['name']}"})
                saved += 1
    if not saved:
        raise Unfit


@BOOK.ask(
    "state", 2,
    'Send "{text}" with the subject "{subject}" to all who are invited to my event "{group_event}" and did not decline '
    "(one mail to all).",
    'Write one mail, subject "{subject}" and text "{text}", to everybody on the guest list of my event "{group_event}" '
    "except those who declined.",
    'The guests of "{group_event}", which I organize, shall get a single mail "{subject}": "{text}" Leave out whoever '
    "declined.",
)  # fmt: skip
def _mail_guests(group_event: str, subject: str, text: str) -> Program:
    row = yield from event(group_event)
    shown = yield ("calendar_show", {"event_id": row["id"]})
    to = [each["email"] for each in shown["attendees"] if each["status"] != "declined"]
    yield from enter("mail")
    yield ("mail_send", {"to": list(some(to)), "subject": subject, "body": text})


@BOOK.ask(
    "state", 2,
    'Invite all contacts of mine with the relation {relation} to my event "{event}", as far as they are not invited '
    "yet.",
    'Every {relation} in my contacts shall be invited to "{event}" (my own event); some may be already.',
    'My event "{event}" needs more guests: invite each contact listed as {relation} who is not on its list.',
)  # fmt: skip
def _invite_relation(relation: str, event: str) -> Program:
    row = yield from _event(event)
    known = {each["email"] for each in (yield ("calendar_show", {"event_id": row["id"]}))["attendees"]}
    for each in (yield from every("contacts_list", relation=relation)):
        if each["email"] not in known:
            yield ("calendar_invite", {"event_id": row["id"], "email": each["email"]})


_event = event


@BOOK.ask(
    "text", 2,
    'What is the phone number of the one who organizes the next event that I am invited to, from {coming_day} on?',
    "Take the first event on {coming_day} or later to which somebody else has invited me. What is that person's phone "
    "number?",
    "From {coming_day} on, who organizes the first event that is not my own? I need the phone number from my contacts.",
)  # fmt: skip
def _phone_of_organizer(coming_day: str) -> Program:
    rows = yield from every("calendar_list", since=coming_day)
    invited = some([row for row in rows if row["answer"] != "organizer"], most=60)
    if len(invited) > 1 and invited[0]["start"] == invited[1]["start"]:
        raise Unfit
    for row in (yield from every("contacts_list")):
        if row["email"] == invited[0]["organizer"]:
            return row["phone"]
    raise Unfit


@BOOK.ask(
    "state", 2,
    'Remember birthdays: for each contact born in {month}, make an event "Birthday of <full name>" from 09:00 to 09:30 '
    "on that day of the year {coming_day} lies in.",
    "For every contact whose birthday is in {month}, create an event from 09:00 to 09:30 on the birthday, in the year "
    'of {coming_day}, titled "Birthday of " and the full name.',
    'Enter the {month} birthdays of my contacts into the calendar, in the year of {coming_day}: 09:00 to 09:30, title '
    '"Birthday of <full name>".',
)  # fmt: skip
def _birthday_events(month: str, coming_day: str) -> Program:
    number = f"{MONTHS.index(month) + 1:02}"
    for row in (yield from every("contacts_list")):
        if row["birthday"][5:7] == number:
            day = f"{coming_day[:4]}-{row['birthday'][5:]}"
            times = {"start": f"{day} 09:00", "end": f"{day} 09:30"}
            yield ("calendar_create", {"title": f"Birthday of {row['name']}", **times})


@BOOK.ask(
    "state", 2,
    'Write a note "Agenda {busy_day}" in the notebook work with my events of that day that I have not declined: a line '
    '"HH:MM title" for each, in the order of their beginnings.',
    'I want a note of the title "Agenda {busy_day}" (notebook work): one line per event of that day, time of its '
    'beginning as HH:MM, a space, its title; without those I declined.',
    'Make the note "Agenda {busy_day}" in the notebook work. It lists the events of the day in order, declined ones '
    'left out, each line the start (HH:MM), a space and the title.',
)  # fmt: skip
def _agenda(busy_day: str) -> Program:
    rows = yield from every("calendar_list", since=busy_day, until=busy_day)
    lines = [f"{row['start'][11:]} {row['title']}" for row in rows if row["answer"] != "declined"]
    starts = [row["start"] for row in rows]
    if len(set(starts)) < len(starts):
        raise Unfit
    told = {"title": f"Agenda {busy_day}", "body": "\n".join(some(lines, 2)), "notebook": "work"}
    yield ("notes_create", told)


@BOOK.ask(
    "state", 2,
    'Make a task in "{project}" for everything that is still open in my note "{packing}"; due {late_day}, priority 1.',
    'Each unticked line of the note "{packing}" becomes a task of the project "{project}", due {late_day}, with '
    "priority 1.",
    'For all entries of "{packing}" (a note) that are not ticked, create tasks of the same title in "{project}": due '
    "{late_day}, priority 1.",
)  # fmt: skip
def _packing_to_tasks(packing: str, project: str, late_day: str) -> Program:
    things = unticked((yield from note(packing))["body"])
    number = yield from _project(project)
    for each in some(things):
        yield ("tasks_create", {"project_id": number, "title": each, "due_on": late_day, "priority": 1})


@BOOK.ask(
    "state", 2,
    "Block time for my urgent tasks: for each open task of priority 4 that is due in the next {days} days (today not "
    'counted), an event with its title from 08:00 to 08:45 on the due date.',
    "Open tasks with priority 4 that are due from tomorrow until {days} days from today shall each be an event of the "
    "same title, 08:00 to 08:45 on the day they are due.",
    "Put what is urgent into my calendar: every open priority 4 task due within {days} days after today, on its due "
    "date from 08:00 to 08:45, named like the task.",
)  # fmt: skip
def _block_time(days: int) -> Program:
    now = (yield from today()).isoformat()
    rows = yield from every("tasks_list", done=False, since=later(now, 1), until=later(now, days))
    for row in some([row for row in rows if row["priority"] == 4]):
        times = {"start": f"{row['due_on']} 08:00", "end": f"{row['due_on']} 08:45"}
        yield ("calendar_create", {"title": row["title"], **times})


@BOOK.ask(
    "list", 2,
    "Which of my open tasks are due on a day on which I organize an event, from today to {late_day}? Give the titles.",
    "List the open tasks due from today until {late_day} whose due date is also the day of an event that I organize.",
    "From today to {late_day} (inclusive), which open tasks fall due on days with an event of my own making? I want "
    "the titles.",
)  # fmt: skip
def _tasks_on_event_days(late_day: str) -> Program:
    now = (yield from today()).isoformat()
    rows = yield from every("calendar_list", since=now, until=late_day)
    busy = {row["start"][:10] for row in rows if row["answer"] == "organizer"}
    return [
        row["title"]
        for row in (yield from every("tasks_list", done=False, since=now, until=late_day))
        if row["due_on"] in busy
    ]
