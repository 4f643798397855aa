"""Tasks of four apps."""

from __future__ import annotations

from agentgym.envs._kit.tools import Program, Unfit
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    contact,
    enter,
    event,
    every,
    later,
    money,
    note,
    playlist,
    project,
    some,
    today,
    total,
)  # fmt: skip

_project, _playlist = project, playlist


@BOOK.ask(
    "state", 4,
    'All in one: divide the total of my note "{trip}" by five, request that share (rounded to cents) from "{mate}" and '
    'from "{other_mate}" with the note "{trip}", and make the task "Check the money" in "{project}", due {late_day}, '
    "priority 2.",
    'A fifth of all that my note "{trip}" lists, rounded to cents, is to be requested from "{mate}" and from '
    '"{other_mate}" each, with "{trip}" as the note. Then add "Check the money" to "{project}": due {late_day}, '
    "priority 2.",
    'Sum up my note "{trip}" and ask "{mate}" and "{other_mate}" for a fifth each, rounded to cents (note: "{trip}"). '
    'I also want a task "Check the money" in "{project}", due {late_day} with priority 2.',
)  # fmt: skip
def _fifth_of_trip(trip: str, mate: str, other_mate: str, project: str, late_day: str) -> Program:
    share = round(total(map(money, (yield from note(trip))["body"].splitlines())) / 5, 2)
    emails = []
    for name in (mate, other_mate):
        emails.append((yield from contact(name))["email"])
    number = yield from _project(project)
    yield from enter("payments")
    for email in emails:
        yield ("payments_request", {"email": email, "amount": share, "note": trip})
    told = {"title": "Check the money", "due_on": late_day, "priority": 2}
    yield ("tasks_create", {"project_id": number, **told})


@BOOK.ask(
    "state", 4,
    'Announce a party: an event "House party" at {place} on {late_day} from 19:00 to 23:00 with every {group} of my '
    'contacts invited, a mail to all of them (one mail, subject "House party", text "{text}"), and my playlist '
    '"{playlist}" made anew as a public playlist "House party".',
    'I give a "House party": create the event ({late_day}, 19:00 to 23:00, {place}) and invite each contact who is a '
    '{group}; write them one mail "House party" saying "{text}"; and make a public playlist "House party" of the songs '
    'of my playlist "{playlist}".',
    'For {late_day}, 19:00 to 23:00, enter "House party" at {place}, with all contacts of relation {group} as guests. '
    'They get a single mail, subject "House party", text "{text}". The songs of my playlist "{playlist}" shall also be '
    'a new public playlist "House party".',
)  # fmt: skip
def _house_party(group: str, playlist: str, place: str, late_day: str, text: str) -> Program:
    guests = [row["email"] for row in (yield from every("contacts_list", relation=group))]
    times = {"start": f"{late_day} 19:00", "end": f"{late_day} 23:00"}
    yield ("calendar_create", {"title": "House party", **times, "location": place, "attendees": guests})
    yield from enter("mail", "music")
    yield ("mail_send", {"to": guests, "subject": "House party", "body": text})
    rows = yield from every("music_playlist", playlist_id=(yield from _playlist(playlist)))
    songs = [row["id"] for row in rows]
    yield ("music_create_playlist", {"title": "House party", "song_ids": songs, "is_public": True})


@BOOK.ask(
    "state", 4,
    'Hand "{topic}" over to "{mate}": forward them all inbox mails with "{topic}" in the subject, share '
    'my files whose path holds "{topic}" with them, and make the task "Hand over {topic}" in "{project}", due '
    "{late_day}, priority 3.",
    '"{mate}" takes over everything on "{topic}". Forward each inbox mail with that word in the subject, share the '
    'files with it in their path (as far as that is not so yet), and add the task "Hand over {topic}" to "{project}": '
    "due {late_day}, priority 3.",
    'Give "{topic}" to "{mate}": every inbox mail that has it in the subject is forwarded, every file of mine with it '
    'in the path is shared unless it is already, and "{project}" gets a task "Hand over {topic}", due {late_day}, '
    "priority 3.",
)  # fmt: skip
def _hand_over(topic: str, mate: str, project: str, late_day: str) -> Program:
    email = (yield from contact(mate))["email"]
    number = yield from _project(project)
    yield from enter("mail", "files")
    for row in (yield from every("mail_list", query=topic)):
        yield ("mail_forward", {"mail_id": row["id"], "to": [email]})
    for row in some((yield from every("files_list", query=topic)), most=8):
        if email not in (yield ("files_show", {"file_id": row["id"]}))["shared_with"]:
            yield ("files_share", {"file_id": row["id"], "email": email})
    told = {"title": f"Hand over {topic}", "due_on": late_day, "priority": 3}
    yield ("tasks_create", {"project_id": number, **told})


@BOOK.ask(
    "number", 4,
    "What do I have to pay in all, in dollars: the pending requests to me, the shares named in the unread bill mails "
    "of my inbox, the newest {utility} bill in my files (/bills), and what is in my cart?",
    "Add up four things in dollars: pending requests for money to me, the amounts in unread mails of my inbox labelled "
    "bills, my latest {utility} bill (file under /bills), and the price of my cart.",
    "How many dollars are these together: all pending requests to me, the unread bill mails in my inbox, the last "
    "{utility} bill among my files in /bills, the products in my cart?",
)  # fmt: skip
def _all_to_pay(utility: str) -> Program:
    yield from enter("payments", "mail", "files", "shopping")
    found = [row["amount"] for row in (yield from every("payments_requests", direction="to_me", status="pending"))]
    for row in (yield from every("mail_list", label="bills", unread=True)):
        found.append(money((yield ("mail_read", {"mail_id": row["id"]}))["body"]))
    newest = (yield from every("files_list", folder=f"/bills/{utility}"))[-1]
    found.append(money((yield ("files_show", {"file_id": newest["id"]}))["content"]))
    found += [row["price"] * row["quantity"] for row in (yield ("shop_cart", {}))]
    return total(found)


@BOOK.ask(
    "state", 4,
    "Write my day into a note \"Briefing\" of the notebook work, four lines: \"Events: n\" (events of today that I "
    'have not declined), "Tasks: n" (open tasks due today or before), "Mails: n" (unread in the inbox), "Requests: n" '
    "(pending requests for money to me).",
    'Make a note "Briefing" in the notebook work with the lines "Events: n", "Tasks: n", "Mails: n" and "Requests: n": '
    "events of today that I did not decline, open tasks due until today, unread mails in the inbox, pending requests "
    "for money to me.",
    'I want a note titled "Briefing" (notebook work). Its four lines count: "Events: n" for today\'s events without '
    'declined ones, "Tasks: n" for open tasks that are due today or overdue, "Mails: n" for unread inbox mails, '
    '"Requests: n" for pending requests for money to me.',
)  # fmt: skip
def _briefing() -> Program:
    now = (yield from today()).isoformat()
    rows = yield from every("calendar_list", since=now, until=now)
    events = len([row for row in rows if row["answer"] != "declined"])
    tasks = len((yield from every("tasks_list", done=False, until=now)))
    yield from enter("mail", "payments")
    mails = (yield ("mail_list", {"unread": True}))["found"]
    asked = (yield ("payments_requests", {"direction": "to_me", "status": "pending"}))["found"]
    body = f"Events: {events}\nTasks: {tasks}\nMails: {mails}\nRequests: {asked}"
    yield ("notes_create", {"title": "Briefing", "body": body, "notebook": "work"})


@BOOK.ask(
    "state", 4,
    'Call "{group_event}" off, which I organize: write one mail to all its guests who did not decline (subject '
    '"Called off", text "{text}"), cancel the event, pay each of them who has an account $5.00 with the note "Called '
    'off", and make the task "Find a new date" in "{project}", due {days} days from today, priority 3.',
    'My event "{group_event}" cannot take place. Its guests, without those who declined, get one mail "Called off": '
    '"{text}" Those of them who have an account in payments (addresses at post.example) also get $5.00 each, note '
    '"Called off". Cancel the event and add "Find a new date" to "{project}", due {days} days from today, priority 3.',
    'Cancel "{group_event}" (my event), after one mail to the guests who did not say no, subject "Called off", text '
    '"{text}", and $5.00 with the note "Called off" to each of them whose address is at post.example. The project '
    '"{project}" gets the task "Find a new date", due {days} days from now, priority 3.',
)  # fmt: skip
def _call_off(group_event: str, project: str, text: str, days: int) -> Program:
    now = yield from today()
    row = yield from event(group_event)
    shown = yield ("calendar_show", {"event_id": row["id"]})
    guests = [each["email"] for each in shown["attendees"] if each["status"] != "declined"]
    number = yield from _project(project)
    yield from enter("mail", "payments")
    yield ("mail_send", {"to": list(some(guests)), "subject": "Called off", "body": text})
    yield ("calendar_cancel", {"event_id": row["id"]})
    for email in guests:
        if email.endswith("@post.example"):
            yield ("payments_send", {"email": email, "amount": 5, "note": "Called off"})
    told = {"title": "Find a new date", "due_on": later(now.isoformat(), days), "priority": 3}
    yield ("tasks_create", {"project_id": number, **told})


@BOOK.ask(
    "list", 4,
    "Which contacts of relation {group} are invited to an event of mine from {coming_day} on, have shared a file with "
    "me and have got money from me since {early_day}? Give the full names.",
    "List the full names of those {group}s in my contacts who share a file with me, to whom I have sent money on or "
    "after {early_day}, and who are guests of an event that I organize from {coming_day} on.",
    "Who of my contacts with the relation {group} (full names) is on the guest list of an event of my own on "
    "{coming_day} or later, lets me read at least one file, and was paid by me since {early_day}?",
)  # fmt: skip
def _close_people(group: str, coming_day: str, early_day: str) -> Program:
    names = {row["email"]: row["name"] for row in (yield from every("contacts_list", relation=group))}
    guests: set[str] = set()
    for row in (yield from every("calendar_list", since=coming_day)):
        if row["answer"] == "organizer":
            shown = yield ("calendar_show", {"event_id": row["id"]})
            guests |= {each["email"] for each in shown["attendees"]}
    yield from enter("files", "payments")
    owners = {row["owner"] for row in (yield from every("files_shared_with_me"))}
    paid = {row["receiver"] for row in (yield from every("payments_history", direction="sent", since=early_day))}
    found = [name for email, name in names.items() if email in guests & owners & paid]
    if len(found) == len(names):
        raise Unfit
    return found


@BOOK.ask(
    "state", 4,
    'Start a reading group: the file {new_folder}/members.txt with the mail address of each {group} of my contacts, '
    'one a line in the order of their names, shared with all of them; an event "Reading group" on {late_day} from '
    '20:00 to 21:30 with them invited; and a new last line "Reading group, 0 pages" in my note "Reading list".',
    'My {group}s (see contacts) form a "Reading group". Write their mail addresses, by name order, one a line, into '
    '{new_folder}/members.txt and share it with each; invite them to an event "Reading group" on {late_day}, 20:00 to '
    '21:30; add the line "Reading group, 0 pages" to the note "Reading list".',
    'Set up the "Reading group" with every contact who is a {group}: addresses in order of the names, one per line, in '
    'the new file {new_folder}/members.txt, which all of them may read; event of that name on {late_day}, 20:00 to '
    '21:30, with all as guests; "Reading group, 0 pages" at the end of my note "Reading list".',
)  # fmt: skip
def _reading_group(group: str, new_folder: str, late_day: str) -> Program:
    emails = [row["email"] for row in (yield from every("contacts_list", relation=group))]
    yield from enter("files")
    made = yield ("files_create", {"path": f"{new_folder}/members.txt", "content": "\n".join(emails)})
    for email in emails:
        if not email.endswith("@post.example"):
            raise Unfit
        yield ("files_share", {"file_id": made["file_id"], "email": email})
    times = {"start": f"{late_day} 20:00", "end": f"{late_day} 21:30"}
    yield ("calendar_create", {"title": "Reading group", **times, "attendees": emails})
    row = yield from note("Reading list")
    yield ("notes_append", {"note_id": row["id"], "line": "Reading group, 0 pages"})
