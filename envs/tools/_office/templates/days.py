"""Tasks of the calendar alone, and of contacts alone."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from agentgym.envs._kit.tools import Program, Unfit, best, several
from agentgym.envs.tools._office.people.words import MONTHS
from agentgym.envs.tools._office.templates.slots import BOOK, contact, event, every, extreme, some, today

STAMP = "%Y-%m-%d %H:%M"


def minutes_of(row: dict) -> int:
    """How long an event takes."""
    return int((datetime.strptime(row["end"], STAMP) - datetime.strptime(row["start"], STAMP)).total_seconds()) // 60


def _overlap(one: dict, other: dict) -> bool:
    return one["start"] < other["end"] and other["start"] < one["end"]


@BOOK.ask(
    "number", 1,
    "How many minutes of events do I have from {past_day} to {recent_day}, both days included? Leave out those that I "
    "declined.",
    "Add up the length, in minutes, of all events in my calendar between {past_day} and {recent_day} (inclusive) that "
    "I have not declined.",
    "From {past_day} until {recent_day}, first and last day included, how many minutes do the events in my calendar "
    "take, declined ones left out?",
)  # fmt: skip
def _minutes_of_events(past_day: str, recent_day: str) -> Program:
    rows = yield from every("calendar_list", since=past_day, until=recent_day)
    return sum(minutes_of(row) for row in rows if row["answer"] != "declined")


@BOOK.ask(
    "number", 1,
    "What is the longest free time, in minutes, between 08:00 and 18:00 on {busy_day}? Events that I declined do not "
    "count.",
    "On {busy_day}, how many minutes is the longest gap without an event between 08:00 and 18:00? I am free during "
    "events that I have declined.",
    "Between 08:00 and 18:00 on {busy_day}, how long is my longest stretch without events, in minutes, if declined "
    "ones are ignored?",
)  # fmt: skip
def _longest_gap(busy_day: str) -> Program:
    rows = yield from every("calendar_list", since=busy_day, until=busy_day)
    free, longest = datetime.strptime(f"{busy_day} 08:00", STAMP), timedelta()
    evening = free + timedelta(hours=10)
    for row in rows:
        if row["answer"] != "declined":
            longest = max(longest, min(datetime.strptime(row["start"], STAMP), evening) - free)
            free = max(free, datetime.strptime(row["end"], STAMP))
    return int(max(longest, evening - free).total_seconds()) // 60


@BOOK.ask(
    "text", 1,
    "Which mail address has invited me to the most events from today on?",
    "Of all events from today on, who is the organizer of most that I am invited to? Give the mail address.",
    "Who organizes most of the events to which I am invited, today and later? Answer with the mail address.",
)  # fmt: skip
def _busiest_organizer() -> Program:
    now = yield from today()
    rows = yield from every("calendar_list", since=now.isoformat())
    return best(Counter(row["organizer"] for row in rows if row["answer"] != "organizer"), among=2)


@BOOK.ask(
    "state", 1,
    'I must be at "{event}", which I organize. Decline every invitation that I have not declined yet and that overlaps '
    "with it.",
    'Nothing may collide with my own event "{event}": decline whatever invitation overlaps with it, unless I did.',
    'Events of others that overlap with my event "{event}" shall be declined, where I have not done so already.',
)  # fmt: skip
def _decline_overlaps(event: str) -> Program:
    mine = yield from _named(event)
    day = mine["start"][:10]
    for row in (yield from every("calendar_list", since=day, until=day)):
        if row["answer"] in ("accepted", "pending") and _overlap(row, mine):
            yield ("calendar_respond", {"event_id": row["id"], "answer": "declined"})


_named = event


@BOOK.ask(
    "state", 1,
    "Accept all invitations from {coming_day} on that I have not answered yet and that overlap with no event which I "
    "organize.",
    "From {coming_day} on, say yes to each unanswered invitation unless it collides with an event of my own making.",
    "Go through my pending invitations for {coming_day} and later: accept those that do not overlap with events that I "
    "made myself.",
)  # fmt: skip
def _accept_free(coming_day: str) -> Program:
    rows = yield from every("calendar_list", since=coming_day)
    mine = [row for row in rows if row["answer"] == "organizer"]
    for row in rows:
        if row["answer"] == "pending" and not any(_overlap(row, other) for other in mine):
            yield ("calendar_respond", {"event_id": row["id"], "answer": "accepted"})


@BOOK.ask(
    "state", 1,
    'Let my event "{event}" begin {hours} hours later and take as long as planned.',
    'Move "{event}" back by {hours} hours; its length stays the same. It is my own event.',
    'My event "{event}" is put off by {hours} hours, beginning and end.',
)  # fmt: skip
def _put_off(event: str, hours: int) -> Program:
    row = yield from _named(event)
    times = {key: datetime.strptime(row[key], STAMP) + timedelta(hours=hours) for key in ("start", "end")}
    yield ("calendar_update", {"event_id": row["id"], **{key: f"{at:{STAMP}}" for key, at in times.items()}})


@BOOK.ask(
    "state", 1,
    "I am ill on {busy_day}: cancel the events of that day that I organize and decline all others.",
    "Clear my calendar for {busy_day}. What I organize is cancelled; invitations are declined unless they are already.",
    "On {busy_day} I cannot work. Cancel my own events of the day and say no to every invitation not yet declined.",
)  # fmt: skip
def _ill(busy_day: str) -> Program:
    for row in some((yield from every("calendar_list", since=busy_day, until=busy_day)), 2):
        if row["answer"] == "organizer":
            yield ("calendar_cancel", {"event_id": row["id"]})
        elif row["answer"] != "declined":
            yield ("calendar_respond", {"event_id": row["id"], "answer": "declined"})


@BOOK.ask(
    "state", 1,
    'Take everybody who declined off my event "{group_event}".',
    'Those who said no to "{group_event}" shall no longer be on its list of guests. I organize it.',
    'Clean the guest list of my event "{group_event}": remove whoever has declined.',
)  # fmt: skip
def _remove_decliners(group_event: str) -> Program:
    row = yield from _named(group_event)
    for each in (yield ("calendar_show", {"event_id": row["id"]}))["attendees"]:
        if each["status"] == "declined":
            yield ("calendar_uninvite", {"event_id": row["id"], "email": each["email"]})


@BOOK.ask(
    "list", 1,
    "Whose birthdays in {month} are in my contacts? I want the full names.",
    "Which of my contacts were born in {month}? Give their full names.",
    "List the names of all contacts of mine who have their birthday in {month}.",
)  # fmt: skip
def _birthdays(month: str) -> Program:
    number = f"{MONTHS.index(month) + 1:02}"
    return [row["name"] for row in (yield from every("contacts_list")) if row["birthday"][5:7] == number]


@BOOK.ask(
    "name", 1,
    "Which of my contacts with the relation {relation} is the youngest? Give the full name.",
    "Among my contacts, who is the youngest {relation}? I need the full name.",
    "Look at the birthdays of my contacts: who is my youngest {relation}? Answer with the full name.",
)  # fmt: skip
def _youngest(relation: str) -> Program:
    return extreme((yield from every("contacts_list", relation=relation)), lambda row: row["birthday"])["name"]


@BOOK.ask(
    "number", 1,
    'How many of my contacts work for "{company}" or live in {city}?',
    'Count the contacts of mine whose company is "{company}" or whose city is {city}.',
    'In my contacts, how many people are there who live in {city} or belong to the company "{company}"?',
)  # fmt: skip
def _in_company_or_city(company: str, city: str) -> Program:
    rows = yield from every("contacts_list")
    return several(len([row for row in rows if row["company"] == company or row["city"] == city]), 3)


@BOOK.ask(
    "state", 1,
    'Of my contacts with the relation {relation}, those who live in the city of "{person}" are to be family now.',
    'Change the relation to family for every {relation} in my contacts who lives where "{person}" lives.',
    'Whoever in my contacts is a {relation} and has the same city as "{person}" shall get the relation family.',
)  # fmt: skip
def _make_family(relation: str, person: str) -> Program:
    city = (yield from contact(person))["city"]
    rows = [row for row in (yield from every("contacts_list", relation=relation)) if row["city"] == city]
    if not rows:
        raise Unfit
    for row in rows:
        yield ("contacts_update", {"contact_id": row["id"], "relation": "family"})
