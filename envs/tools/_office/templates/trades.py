"""Tasks of two apps: money, music, goods and files with contacts, notes and the calendar."""

from __future__ import annotations

from agentgym.envs._kit.tools import Program, Unfit, best
from agentgym.envs.tools._office.templates.days import minutes_of
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    contact,
    enter,
    event,
    every,
    extreme,
    later,
    money,
    note,
    playlist,
    product,
    project,
    some,
    today,
    total,
    unticked,
)  # fmt: skip


@BOOK.ask(
    "number", 2,
    'How many dollars did "{mate}" pay me since {early_day}, in all?',
    'Add up what "{mate}" has sent me in the payments app from {early_day} on. How many dollars is it?',
    'Since {early_day}, what sum in dollars have I received from "{mate}"?',
)  # fmt: skip
def _received_from(mate: str, early_day: str) -> Program:
    email = (yield from contact(mate))["email"]
    yield from enter("payments")
    rows = yield from every("payments_history", direction="received", email=email, since=early_day)
    return total(row["amount"] for row in some(rows, most=60))


@BOOK.ask(
    "state", 2,
    "Pay the pending requests for money that come from people whom my contacts list as a {group}; leave all others "
    "as they are.",
    "Of the pending payment requests to me, pay those made by someone who is a {group} in my contacts, and no others.",
    "Every {group} of mine who has a pending request for money to me shall be paid. Do not touch other requests.",
)  # fmt: skip
def _pay_group(group: str) -> Program:
    emails = {row["email"] for row in (yield from every("contacts_list", relation=group))}
    yield from enter("payments")
    for row in (yield from every("payments_requests", direction="to_me", status="pending")):
        if row["requester"] in emails:
            yield ("payments_answer", {"request_id": row["id"], "answer": "paid"})


@BOOK.ask(
    "state", 2,
    'Send "{mate}" and "{other_mate}" ${dollars} each for "{purpose}".',
    'Pay ${dollars} to "{mate}" and the same to "{other_mate}"; the note is "{purpose}".',
    '"{mate}" and "{other_mate}" shall each get ${dollars} from my wallet, with the note "{purpose}".',
)  # fmt: skip
def _pay_two(mate: str, other_mate: str, dollars: int, purpose: str) -> Program:
    emails = []
    for name in (mate, other_mate):
        emails.append((yield from contact(name))["email"])
    yield from enter("payments")
    for email in emails:
        yield ("payments_send", {"email": email, "amount": dollars, "note": purpose})


@BOOK.ask(
    "name", 2,
    'Which playlist of mine is the shortest that lasts at least as long as my event "{event}"?',
    'I want music for all of "{event}", an event of mine. Name my shortest playlist that is long enough.',
    'Of my playlists that last as long as my event "{event}" or longer, which one is the shortest?',
)  # fmt: skip
def _playlist_for_event(event: str) -> Program:
    seconds = 60 * minutes_of((yield from _event(event)))
    yield from enter("music")
    lasts = {}
    for each in (yield ("music_playlists", {})):
        rows = yield from every("music_playlist", playlist_id=each["id"])
        lasts[each["title"]] = sum(row["seconds"] for row in rows)
    return best({title: value for title, value in lasts.items() if value >= seconds}, -1)


_event = event


@BOOK.ask(
    "state", 2,
    'Add the songs that are not ticked in my note "Songs to hear" to my playlist "{playlist}", if it lacks them.',
    'My note "Songs to hear" has open entries. Put these songs at the end of the playlist "{playlist}" unless they are '
    "in it.",
    'The unticked songs of the note "Songs to hear" belong on my playlist "{playlist}"; skip those it has.',
)  # fmt: skip
def _songs_to_hear(playlist: str) -> Program:
    titles = unticked((yield from note("Songs to hear"))["body"])
    yield from enter("music")
    number = yield from _playlist(playlist)
    inside = {row["title"] for row in (yield from every("music_playlist", playlist_id=number))}
    wanted = []
    for title in titles:
        if title not in inside:
            found = yield from every("music_search", query=title)
            wanted += [row["id"] for row in found if row["title"] == title]
    yield ("music_add_songs", {"playlist_id": number, "song_ids": some(wanted)})


_playlist = playlist


@BOOK.ask(
    "state", 2,
    'Copy the public playlist of "{mate}" that has the most songs into a private playlist of mine with the same '
    "title.",
    'Which public playlist of "{mate}" has the most songs? Make one of the same title with these songs for me, not '
    "public.",
    'I like the taste of "{mate}": take the longest (by songs) of their public playlists and make it anew as mine, '
    "private, with its title.",
)  # fmt: skip
def _copy_playlist(mate: str) -> Program:
    email = (yield from contact(mate))["email"]
    yield from enter("music")
    found = []
    for each in (yield ("music_playlists", {"email": email})):
        rows = yield from every("music_playlist", playlist_id=each["id"])
        found.append({"title": each["title"], "song_ids": [row["id"] for row in rows]})
    yield ("music_create_playlist", {**extreme(found, lambda each: len(each["song_ids"])), "is_public": False})


@BOOK.ask(
    "state", 2,
    'Put what is not ticked on my note "Shopping list" into the cart, {count} of each; what the cart has already is '
    "set to {count}.",
    'The open entries of the note "Shopping list" are names of products. My cart shall hold {count} of each of them.',
    'Shop by my note "Shopping list": for each unticked product, set its number in the cart to {count}.',
)  # fmt: skip
def _fill_cart(count: int) -> Program:
    names = unticked((yield from note("Shopping list"))["body"])
    yield from enter("shopping")
    for name in some(names):
        found = yield from product(name)
        yield ("shop_set_cart", {"product_id": found["id"], "quantity": count})


@BOOK.ask(
    "state", 2,
    'Put the arrival of each order in transit into my calendar: "Parcel <order number>", 18:00 to 18:30 on the day it '
    "arrives.",
    'For every order that is in transit, make an event "Parcel <number of the order>" on its day of arrival, from '
    "18:00 to 18:30.",
    'I must be at home when parcels come: create an event from 18:00 to 18:30 on each arrival day of my orders in '
    'transit, named "Parcel " and the order\'s number.',
)  # fmt: skip
def _arrivals() -> Program:
    yield from enter("shopping")
    for row in some((yield from every("shop_orders", status="in transit"))):
        times = {"start": f"{row['arrives_on']} 18:00", "end": f"{row['arrives_on']} 18:30"}
        yield ("calendar_create", {"title": f"Parcel {row['id']}", **times})


@BOOK.ask(
    "state", 2,
    "Keep a receipt of each delivered order since {past_day}: a file /receipts/<order number>.txt with the total in "
    'dollars and cents as its text, such as "$12.50".',
    "For every delivered order that I placed on or after {past_day}, write a file /receipts/<number of the order>.txt. "
    'Its text is the total, such as "$12.50".',
    'Write the totals of my delivered orders from {past_day} on into files: /receipts/<order number>.txt holds "$" and '
    'the amount with two decimals.',
)  # fmt: skip
def _receipts(past_day: str) -> Program:
    yield from enter("shopping", "files")
    for row in some((yield from every("shop_orders", status="delivered", since=past_day))):
        yield ("files_create", {"path": f"/receipts/{row['id']}.txt", "content": f"${row['total']:.2f}"})


@BOOK.ask(
    "state", 2,
    'Share all my files in {folder} with "{mate}", as far as they are not shared with {mate} yet.',
    '"{mate}" shall be able to read everything in {folder} of my files; {mate} may read some of it already.',
    'Let "{mate}" read each of my files below {folder} that is not open to {mate} so far.',
)  # fmt: skip
def _share_folder(folder: str, mate: str) -> Program:
    email = (yield from contact(mate))["email"]
    yield from enter("files")
    for row in some((yield from every("files_list", folder=folder)), most=13):
        if email not in (yield ("files_show", {"file_id": row["id"]}))["shared_with"]:
            yield ("files_share", {"file_id": row["id"], "email": email})


@BOOK.ask(
    "number", 2,
    'How many kilobytes of files does "{mate}" share with me?',
    'Add up the sizes (kB) of the files of "{mate}" that I may read.',
    'What is the total size in kB of all files that "{mate}" lets me read?',
)  # fmt: skip
def _size_shared_by(mate: str) -> Program:
    email = (yield from contact(mate))["email"]
    yield from enter("files")
    rows = yield from every("files_shared_with_me")
    return sum(row["size"] for row in some([row for row in rows if row["owner"] == email]))


@BOOK.ask(
    "number", 1,
    'How many dollars of the expenses in my note "{trip}" were paid by other people than me?',
    'My note "{trip}" says who paid what. Leave my own payments out: how many dollars are the rest?',
    'Going by the note "{trip}", what have the others paid together, in dollars?',
)  # fmt: skip
def _paid_by_others(trip: str) -> Program:
    mine = (yield ("whoami", {}))["name"]
    lines = (yield from note(trip))["body"].splitlines()
    return total(money(line) for line in lines if not line.startswith(f"{mine} paid "))


@BOOK.ask(
    "state", 2,
    'Make tasks of the coming invitations that I have not answered: "Answer <title of the event>" in "{project}", due '
    "today, priority {priority}, for each from {coming_day} on.",
    'For each event from {coming_day} on that I am invited to and have not answered, create the task "Answer <its '
    'title>" in "{project}" with priority {priority}, due today.',
    'Unanswered invitations for {coming_day} and later need tasks in "{project}": title "Answer " and the title of the '
    "event, due today, priority {priority}.",
)  # fmt: skip
def _answer_tasks(project: str, coming_day: str, priority: int) -> Program:
    now = (yield from today()).isoformat()
    number = yield from _project(project)
    for row in (yield from every("calendar_list", since=coming_day)):
        if row["answer"] == "pending":
            told = {"title": f"Answer {row['title']}", "due_on": now, "priority": priority}
            yield ("tasks_create", {"project_id": number, **told})


_project = project


@BOOK.ask(
    "state", 2,
    'My note "Chores" is up to date, my tasks are not: move every open chore into the project "{project}" as a task, '
    "due in {days} days from today with priority {priority}, and tick the chore in the note.",
    'Every unticked line of the note "Chores" becomes a task in "{project}" (same words, due {days} days from today, '
    "priority {priority}); then tick all of these lines in the note.",
    'Turn the open entries of my note "Chores" into tasks of "{project}" that are due {days} days from now and have '
    'priority {priority}. Afterwards the note has them ticked: [x] for [ ].',
)  # fmt: skip
def _chores_to_tasks(project: str, days: int, priority: int) -> Program:
    now = (yield from today()).isoformat()
    row = yield from note("Chores")
    number = yield from _project(project)
    for each in some(unticked(row["body"])):
        told = {"title": each, "due_on": later(now, days), "priority": priority}
        yield ("tasks_create", {"project_id": number, **told})
    yield ("notes_update", {"note_id": row["id"], "body": row["body"].replace("[ ] ", "[x] ")})


@BOOK.ask(
    "number", 2,
    "What is the difference, in dollars, between the balance of my wallet and the price of all that is in my cart?",
    "How far are the balance of my wallet and the price of my whole cart apart, in dollars? Give it without a sign.",
    "By how many dollars do the price of all that is in my cart and the balance of my wallet differ?",
)  # fmt: skip
def _cart_and_wallet() -> Program:
    yield from enter("shopping", "payments")
    price = total(row["price"] * row["quantity"] for row in (yield ("shop_cart", {})))
    balance = (yield ("payments_balance", {}))["balance"]
    if price == balance:
        raise Unfit
    return round(abs(price - balance), 2)
