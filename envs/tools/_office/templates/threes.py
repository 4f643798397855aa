"""Tasks of three and of four apps."""

from __future__ import annotations

from collections import defaultdict

from agentgym.envs._kit.tools import Program, Unfit, best
from agentgym.envs.tools._office.templates.pairs import INVITATION
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    contact,
    enter,
    event,
    every,
    extreme,
    money,
    note,
    product,
    project,
    some,
    unticked,
)  # fmt: skip

_project = project


def _debts(trip: str, me: str) -> Program:
    """What each of the others in a note of expenses paid, by name."""
    paid: dict[str, float] = defaultdict(float)
    for line in (yield from note(trip))["body"].splitlines():
        paid[line.partition(" paid ")[0]] += money(line)
    paid.pop(me, None)
    return {name: round(value, 2) for name, value in paid.items()}


@BOOK.ask(
    "state", 3,
    'Pay everybody else in my note "{trip}" back what they paid in all, through the payments app; the note of each '
    'payment is "{trip}".',
    'My note "{trip}" says who paid what. Send each of the others the sum of what they paid, one payment each, with '
    'the note "{trip}".',
    'I cover all costs of "{trip}" (a note of mine): every other person in it gets back all they paid, in one payment '
    'with "{trip}" as its note.',
)  # fmt: skip
def _pay_trip_back(trip: str) -> Program:
    owed = yield from _debts(trip, (yield ("whoami", {}))["name"])
    emails = {}
    for name in owed:
        emails[name] = (yield from contact(name))["email"]
    yield from enter("payments")
    for name, amount in owed.items():
        yield ("payments_send", {"email": emails[name], "amount": amount, "note": trip})


@BOOK.ask(
    "state", 3,
    "Pay my roommates what their unread bill mails in my inbox ask for: one payment for each mail, whose subject is "
    "the note. Then mark these mails as read.",
    "For every unread mail with the label bills in my inbox, send its sender the share that it names, with the "
    "subject as the note, and mark the mail as read. My contacts list the senders as roommates.",
    "The unread bills in my inbox are to be paid, each to its sender if that is a roommate in my contacts, the note "
    "being the subject of the mail; the mails are read afterwards.",
)  # fmt: skip
def _pay_bill_mails() -> Program:
    mates = {row["email"] for row in (yield from every("contacts_list", relation="roommate"))}
    yield from enter("mail", "payments")
    for row in some((yield from every("mail_list", label="bills", unread=True)), most=6):
        if row["sender"] in mates:
            amount = money((yield ("mail_read", {"mail_id": row["id"]}))["body"])
            yield ("payments_send", {"email": row["sender"], "amount": amount, "note": row["subject"]})
            yield ("mail_update", {"mail_id": row["id"], "is_read": True})


@BOOK.ask(
    "state", 3,
    "Ask each of my roommates for a fourth of my newest {utility} bill (in /bills), rounded to cents, with the note "
    '"{utility} bill".',
    'My latest {utility} bill is in my files under /bills. Request a quarter of it, rounded to cents, from every '
    'contact who is a roommate; the note is "{utility} bill".',
    'Split the last {utility} bill of my files (/bills) by four: request one share, rounded to cents, from each '
    'roommate in my contacts, with "{utility} bill" as the note.',
)  # fmt: skip
def _split_bill(utility: str) -> Program:
    mates = yield from every("contacts_list", relation="roommate")
    yield from enter("files", "payments")
    rows = yield from every("files_list", folder=f"/bills/{utility}")
    due = money((yield ("files_show", {"file_id": rows[-1]["id"]}))["content"])
    if round(100 * due) % 4 == 2:  # half a cent, which some round up and some to even
        raise Unfit
    for each in mates:
        told = {"email": each["email"], "amount": round(due / 4, 2), "note": f"{utility} bill"}
        yield ("payments_request", told)


@BOOK.ask(
    "state", 3,
    'Send "{person}" a mail with the subject "{subject}" and the text "{text}", with the largest file of {folder} '
    "attached.",
    'Mail the biggest file below {folder} to "{person}": subject "{subject}", text "{text}", the file as attachment.',
    '"{person}" needs the largest of my files in {folder}. Attach it to a mail "{subject}" that says "{text}"',
)  # fmt: skip
def _mail_largest_file(folder: str, person: str, subject: str, text: str) -> Program:
    email = (yield from contact(person))["email"]
    yield from enter("files", "mail")
    row = extreme((yield from every("files_list", folder=folder)), lambda row: row["size"])
    yield ("mail_send", {"to": [email], "subject": subject, "body": text, "file_ids": [row["id"]]})


@BOOK.ask(
    "state", 3,
    'Send "{person}" my {count} most played songs: a mail with the subject "My songs", whose text has a line '
    '"<title> by <artist>" for each, the most played first.',
    'Which {count} songs of my library have I played most? Mail them to "{person}", subject "My songs", one line each '
    'in falling order of plays: "<title> by <artist>".',
    'Tell "{person}" by mail (subject "My songs") what I hear most: the {count} songs of my library with the most '
    'plays, one per line as "<title> by <artist>", in falling order.',
)  # fmt: skip
def _mail_songs(person: str, count: int) -> Program:
    email = (yield from contact(person))["email"]
    yield from enter("music", "mail")
    rows = sorted((yield from every("music_library")), key=lambda row: -row["plays"])
    if len({row["plays"] for row in rows[: count + 1]}) <= count:
        raise Unfit
    body = "\n".join(f"{row['title']} by {row['artist']}" for row in rows[:count])
    yield ("mail_send", {"to": [email], "subject": "My songs", "body": body})


@BOOK.ask(
    "list", 3,
    'Which of those who are invited to my event "{group_event}" have a mail in my inbox? Give the full names from my '
    "contacts.",
    'List the full names (see my contacts) of the guests of my event "{group_event}" who are senders of mails in my '
    "inbox.",
    'Of the people invited to "{group_event}" (my event), who has sent something that lies in my inbox? I want the '
    "full names of the contacts.",
)  # fmt: skip
def _guests_who_wrote(group_event: str) -> Program:
    row = yield from event(group_event)
    guests = {each["email"] for each in (yield ("calendar_show", {"event_id": row["id"]}))["attendees"]}
    names = {each["email"]: each["name"] for each in (yield from every("contacts_list"))}
    yield from enter("mail")
    wrote = {row["sender"] for row in (yield from every("mail_list"))} & guests
    if wrote == guests:
        raise Unfit
    return sorted(names[email] for email in wrote)


@BOOK.ask(
    "state", 3,
    'Share the cost of my latest delivered order with "{mate}" and "{other_mate}": request a third of its total from '
    'each, rounded to cents, with the note "order <number of the order>".',
    'Ask "{mate}" and "{other_mate}" for a third each (rounded to cents) of what my newest delivered order cost in '
    'all; the note is "order " and the order\'s number.',
    'My last delivered order was for three: "{mate}", "{other_mate}" and me. Request a third of its total, rounded to '
    'cents, from both of them, with the note "order <order number>".',
)  # fmt: skip
def _split_order(mate: str, other_mate: str) -> Program:
    emails = []
    for name in (mate, other_mate):
        emails.append((yield from contact(name))["email"])
    yield from enter("shopping", "payments")
    row = (yield from every("shop_orders", status="delivered"))[0]
    for email in emails:
        told = {"amount": round(row["total"] / 3, 2), "note": f"order {row['id']}"}
        yield ("payments_request", {"email": email, **told})


@BOOK.ask(
    "state", 3,
    'I have done my shopping: tick everything in the note "Shopping list", then make the task "Put things away" '
    '(project "{project}", due {coming_day}, priority {priority}) and order what was not ticked, one of each and '
    'nothing else, with the "{card}". The cart is to be emptied before.',
    'Empty my cart, order one of each open entry of the note "Shopping list" with the "{card}", tick all entries of '
    'the note, and add the task "Put things away" to "{project}", due {coming_day}, priority {priority}.',
    'The open entries of my note "Shopping list" are to be ordered (one each, without what the cart holds now, which '
    'goes), paid with the "{card}". Then tick them and create "Put things away" in "{project}": due {coming_day}, '
    "priority {priority}.",
)  # fmt: skip
def _shop_by_note(project: str, card: str, coming_day: str, priority: int) -> Program:
    row = yield from note("Shopping list")
    number = yield from _project(project)
    yield from enter("shopping")
    for each in (yield ("shop_cart", {})):
        yield ("shop_set_cart", {"product_id": each["id"], "quantity": 0})
    for name in some(unticked(row["body"])):
        found = yield from product(name)
        yield ("shop_set_cart", {"product_id": found["id"], "quantity": 1})
    cards = {each["label"]: each["id"] for each in (yield ("shop_cards", {}))}
    yield ("shop_buy", {"card_id": cards[card]})
    yield ("notes_update", {"note_id": row["id"], "body": row["body"].replace("[ ] ", "[x] ")})
    told = {"title": "Put things away", "due_on": coming_day, "priority": priority}
    yield ("tasks_create", {"project_id": number, **told})


@BOOK.ask(
    "name", 3,
    'Which of my {group}s (see my contacts) do I owe the most, if I count their pending requests to me and the amounts '
    "in their unread bill mails in my inbox? Give the full name.",
    "Take the pending requests to me and the unread bill mails in my inbox together: which contact of relation {group} "
    "wants the most money from me? Answer with the full name.",
    "Add up, for each contact who is a {group}, their pending requests for money to me and the shares named in their "
    "unread bill mails of my inbox. Who has the largest sum? I want the full name.",
)  # fmt: skip
def _greatest_creditor(group: str) -> Program:
    names = {row["email"]: row["name"] for row in (yield from every("contacts_list", relation=group))}
    yield from enter("payments", "mail")
    owed: dict[str, float] = defaultdict(float)
    for row in (yield from every("payments_requests", direction="to_me", status="pending")):
        owed[row["requester"]] += row["amount"]
    for row in (yield from every("mail_list", label="bills", unread=True)):
        owed[row["sender"]] += money((yield ("mail_read", {"mail_id": row["id"]}))["body"])
    return best({names[email]: round(value, 2) for email, value in owed.items() if email in names}, among=2)


@BOOK.ask(
    "state", 3,
    'Say yes to "{writer}": the newest invitation in my inbox that they sent ("Invitation:" in the subject) goes into '
    'my calendar with its title, times and place, without guests, and gets the reply "{text}".',
    'Take the latest mail from "{writer}" in my inbox with "Invitation:" in its subject. Make an event of what it '
    'says (title, times, place, no guests) and answer the mail with "{text}".',
    '"{writer}" has invited me by mail (inbox, subject with "Invitation:"; the last one counts). Enter the event, '
    'nobody invited, and reply: "{text}"',
)  # fmt: skip
def _accept_mail(writer: str, text: str) -> Program:
    email = (yield from contact(writer))["email"]
    yield from enter("mail")
    row = some((yield from every("mail_list", sender=email, query="Invitation:")))[0]
    match = INVITATION.search((yield ("mail_read", {"mail_id": row["id"]}))["body"])
    if match is None:
        raise Unfit
    title, day, start, end, place = match.groups()
    yield ("calendar_create", {"title": title, "start": f"{day} {start}", "end": f"{day} {end}", "location": place})
    yield ("mail_reply", {"mail_id": row["id"], "body": text})


@BOOK.ask(
    "state", 3,
    'Prepare "{group_event}", an event of mine: for each guest who has not declined make the task "Call <full name>" '
    'in "{project}", due on the day of the event, priority {priority}.',
    'Whoever is invited to my event "{group_event}" and did not say no is to be called: one task "Call <full name>" '
    'each in "{project}", due on the event\'s day, with priority {priority}. Names are in my contacts.',
    'I want to call the guests of "{group_event}" (my event; without those who declined). Make a task for each in '
    '"{project}": "Call " and the full name of the contact, due on the day it takes place, priority {priority}.',
)  # fmt: skip
def _call_guests(group_event: str, project: str, priority: int) -> Program:
    row = yield from event(group_event)
    shown = yield ("calendar_show", {"event_id": row["id"]})
    names = {each["email"]: each["name"] for each in (yield from every("contacts_list"))}
    number = yield from _project(project)
    for each in shown["attendees"]:
        if each["status"] != "declined":
            told = {"title": f"Call {names[each['email']]}", "due_on": row["start"][:10], "priority": priority}
            yield ("tasks_create", {"project_id": number, **told})


@BOOK.ask(
    "state", 3,
    'Back up my note "{ideas}": write its text into the file {new_folder}/ideas.txt, share that file with every '
    "{group} of my contacts, and delete the note.",
    'Move the note "{ideas}" to my files as {new_folder}/ideas.txt (the text as it is), let every contact who is a '
    "{group} read it, and delete the note.",
    'My note "{ideas}" shall become the file {new_folder}/ideas.txt with the same text, shared with each {group} in my '
    "contacts; the note itself goes.",
)  # fmt: skip
def _note_to_file(ideas: str, new_folder: str, group: str) -> Program:
    row = yield from note(ideas)
    mates = yield from every("contacts_list", relation=group)
    yield from enter("files")
    made = yield ("files_create", {"path": f"{new_folder}/ideas.txt", "content": row["body"]})
    for each in mates:
        if each["email"].endswith("@post.example"):
            yield ("files_share", {"file_id": made["file_id"], "email": each["email"]})
    yield ("notes_delete", {"note_id": row["id"]})
