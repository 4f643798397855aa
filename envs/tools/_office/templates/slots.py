"""The arguments of tasks: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import Book, Program, Slot, Unfit, one, pick
from agentgym.envs.tools._office.desk import Desk
from agentgym.envs.tools._office.people import words

TEXT, DAY, WHOLE, WORD = '[^"]+', r"\d{4}-\d\d-\d\d", r"\d+", r"[a-z]+"
AMOUNT = re.compile(r"\$(\d+\.\d\d)")
Said = Mapping[str, Any]
Item = dict[str, Any]
TITLES = ["Call the bank", "Buy stamps", "Renew the passport", "Water the plants", "Book a table", "Sort the receipts",
          "Learn the new song", "Fix the lamp", "Prepare the slides", "Pick up the parcel"]  # fmt: skip
SUBJECTS = ["Saturday", "The meeting", "Our plan", "A question", "The trip", "Next week", "The keys", "Good news"]
TEXTS = ["I will be there at noon.", "Please call me tonight.", "Thank you for everything.", "Yes, count me in.",
         "I cannot make it, sorry.", "Let us talk on Monday.", "The door code has changed."]  # fmt: skip


def column(desk: Desk, sql: str, *values: Any) -> list[Any]:
    """The first column of what a statement finds.

    Args:
        desk: Whose.
        sql: The statement.
        values: Of its placeholders, after the person's number, which is the first.
    """
    return [row[0] for row in desk.ask(sql, desk.person, *values)]


def _from(sql: str, pattern: str = TEXT) -> Slot:
    """A slot of what a statement finds for a person, other than what was drawn before."""

    def drawn(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
        """A value of the column on this `desk`, drawn by `rng`, that was not `said` before."""
        return pick(rng, [each for each in column(desk, sql) if each not in said.values()])

    return Slot(pattern, str, drawn)


def _of(values: Sequence[str], pattern: str = TEXT) -> Slot:
    return Slot(pattern, str, lambda rng, desk, said: pick(rng, [each for each in values if each not in said.values()]))


def _whole(low: int, high: int, step: int = 1) -> Slot:
    return Slot(WHOLE, int, lambda rng, desk, said: step * int(rng.integers(low, high + 1)))


def _days(low: int, high: int) -> Slot:
    """A slot of a date so many days from now."""
    return Slot(DAY, str, lambda rng, desk, said: desk.clock.day(int(rng.integers(low, high + 1))))


def _topic(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A word of several subjects in the inbox."""
    told = " ".join(column(desk, "SELECT subject FROM mails WHERE owner = ? AND folder = 'inbox' ORDER BY id")).lower()
    return pick(rng, [topic for topic in words.TOPICS if told.count(topic) >= 3])


def _busy_day(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A day with several events of one's own."""
    sql = "SELECT substr(start, 1, 10) AS d FROM events WHERE owner = ? GROUP BY d HAVING COUNT(*) >= 2 ORDER BY d"
    return pick(rng, column(desk, sql))


def _folder(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    paths = column(desk, "SELECT path FROM files WHERE owner = ? ORDER BY path")
    found = dict.fromkeys(path.rpartition("/")[0] for path in paths if not path.startswith("/bills"))
    return pick(rng, list(found))


def _new_folder(rng: np.random.Generator, desk: Desk, said: Said) -> str:
    return f"/{pick(rng, ['archive', 'inbox', 'saved', 'old', 'mixed'])}/{pick(rng, words.TOPICS)}"


def _month(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A month of a contact's birthday."""
    sql = "SELECT DISTINCT substr(birthday, 6, 2) AS m FROM contacts WHERE owner = ? AND m != '' ORDER BY m"
    found = pick(rng, column(desk, sql))
    return found and words.MONTHS[int(found) - 1]


def _past_month(rng: np.random.Generator, desk: Desk, said: Said) -> str:
    first = desk.clock.today.replace(day=1)
    for _ in range(int(rng.integers(1, 6))):
        first = (first - timedelta(days=1)).replace(day=1)
    return f"{first:%Y-%m}"


WRITERS = """
    SELECT c.name FROM contacts c JOIN mails m ON m.owner = c.owner AND m.sender = c.email
    WHERE c.owner = ? AND m.folder = 'inbox' GROUP BY c.id HAVING COUNT(*) >= 2 ORDER BY c.id
"""
MATES = "SELECT name FROM contacts WHERE owner = ? AND email LIKE '%@post.example' ORDER BY id"
OWN_EVENTS = """
    SELECT title FROM events WHERE owner = ? AND start > (SELECT MAX(sent_at) FROM mails) GROUP BY title
    HAVING COUNT(*) = 1 ORDER BY title
"""
GROUPS = """
    SELECT e.title FROM events e JOIN attendees a ON a.event_id = e.id WHERE e.owner = ? GROUP BY e.id
    HAVING COUNT(*) BETWEEN 2 AND 5 ORDER BY e.id
"""
BOUGHT = """
    SELECT p.name FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
    WHERE o.owner = ? AND o.status = 'delivered' GROUP BY p.id HAVING COUNT(*) = 1 ORDER BY p.id
"""
KEPT_OF = """
    SELECT a.{0} FROM library l JOIN songs s ON s.id = l.song_id JOIN albums a ON a.id = s.album_id
    WHERE l.owner = ? GROUP BY a.{0} HAVING COUNT(*) BETWEEN 2 AND 9 ORDER BY a.{0}
"""
NOTES = "SELECT title FROM notes WHERE owner = ? AND title LIKE '{}' ORDER BY id"
SLOTS: Mapping[str, Slot] = {
    "person": _from("SELECT name FROM contacts WHERE owner = ? ORDER BY id"),
    "other_person": _from("SELECT name FROM contacts WHERE owner = ? ORDER BY id"),
    "mate": _from(MATES),
    "other_mate": _from(MATES),
    "writer": _from(WRITERS),
    "relation": _of(["roommate", "coworker", "friend", "sibling", "parent", "cousin"], WORD),
    "group": _of(["roommate", "coworker", "friend"], WORD),  # relations to people with accounts
    "label": _of(["work", "personal", "bills", "orders", "promotions"], WORD),
    "topic": Slot(WORD, str, _topic),
    "utility": _of(words.UTILITIES[:3], WORD),
    "purpose": _from("SELECT DISTINCT note FROM transfers WHERE sender = ? ORDER BY note"),
    "month": Slot("[A-Z][a-z]+", str, _month),
    "past_month": Slot(r"\d{4}-\d\d", str, _past_month),
    "past_day": _days(-45, -8),
    "recent_day": _days(-14, -3),
    "early_day": _days(-300, -60),
    "busy_day": Slot(DAY, str, _busy_day),
    "coming_day": _days(2, 14),
    "late_day": _days(4, 20),
    "event": _from(OWN_EVENTS),
    "group_event": _from(GROUPS),
    "trip": _from(NOTES.format("Expenses of %")),
    "packing": _from(NOTES.format("Packing list for %")),
    "list_note": _of(["Chores", "Shopping list", "Songs to hear"]),
    "ideas": _from(NOTES.format("Ideas for %")),
    "habit": _of(words.HABITS),
    "folder": Slot(r"/[\w/]+", str, _folder),
    "new_folder": Slot(r"/[\w/]+", str, _new_folder),
    "city": _of(words.CITIES, "[A-Z][a-z]+"),
    "company": _of(words.COMPANIES),
    "project": _from("SELECT name FROM projects WHERE owner = ? ORDER BY id"),
    "other_project": _from("SELECT name FROM projects WHERE owner = ? ORDER BY id"),
    "playlist": _from("SELECT title FROM playlists WHERE owner = ? ORDER BY id"),
    "other_playlist": _from("SELECT title FROM playlists WHERE owner = ? ORDER BY id"),
    "genre": _from(KEPT_OF.format("genre"), WORD),
    "artist": _from(KEPT_OF.format("artist")),
    "category": _of(list(words.GOODS), WORD),
    "brand": _of(words.BRANDS),
    "bought": _from(BOUGHT),
    "card": _from("SELECT label FROM cards WHERE owner = ? ORDER BY id"),
    "place": _of(words.PLACES),
    "title": _of(TITLES),
    "subject": _of(SUBJECTS),
    "text": _of(TEXTS),
    "count": _whole(2, 5),
    "days": _whole(2, 9),
    "hours": _whole(1, 3),
    "minutes": _whole(2, 9, 10),
    "stars": _whole(2, 4),
    "priority": _whole(2, 4),
    "dollars": _whole(3, 12, 10),
    "kilobytes": _whole(2, 20, 100),
    "plays": _whole(2, 10, 10),
}
BOOK = Book(SLOTS)


# What programs look up. Each yields the calls it needs and returns what it found.


def enter(*apps: str) -> Program:
    """Log in to some apps."""
    known = yield ("account_passwords", {})
    for app in apps:
        yield ("login", {"app": app, "password": known[app]})


def every(tool: str, **arguments: Any) -> Program:
    """All items of a list that comes in pages.

    Args:
        tool: What lists them.
        arguments: Its other arguments.
    """
    found: list[Item] = []
    page, pages = 1, 1
    while page <= pages:
        said = yield (tool, {**arguments, "page": page, "page_size": 20})
        found, pages, page = [*found, *said["items"]], said["pages"], page + 1
    return found


def today() -> Program:
    """The current date."""
    return date.fromisoformat((yield ("whoami", {}))["now"][:10])


def contact(name: str) -> Program:
    """A contact by name."""
    return one([each for each in (yield from every("contacts_list", query=name)) if each["name"] == name])


def note(title: str) -> Program:
    """A note with its text, by title."""
    found = one([each for each in (yield from every("notes_list", query=title)) if each["title"] == title])
    return (yield ("notes_show", {"note_id": found["id"]}))


def project(name: str) -> Program:
    """The id of a project."""
    return one([each["id"] for each in (yield ("tasks_projects", {})) if each["name"] == name])


def playlist(title: str) -> Program:
    """The id of a playlist of one's own."""
    return one([each["id"] for each in (yield ("music_playlists", {})) if each["title"] == title])


def event(title: str) -> Program:
    """An event of one's own, by title."""
    rows = yield from every("calendar_list", query=title)
    return one([each for each in rows if each["title"] == title and each["answer"] == "organizer"])


def card(label: str, tool: str) -> Program:
    """A card by label.

    Args:
        label: Its label.
        tool: What lists the cards.
    """
    return one([each for each in (yield (tool, {})) if each["label"] == label])


def product(name: str) -> Program:
    """A product by name."""
    return one([each for each in (yield from every("shop_search", query=name)) if each["name"] == name])


def unticked(body: str) -> list[str]:
    """What is not ticked in a checklist."""
    return [line[4:] for line in body.splitlines() if line.startswith("[ ] ")]


def later(day: str, days: int) -> str:
    """A date some days after another.

    Args:
        day: The other.
        days: How many.
    """
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def some(found: Sequence[Any], least: int = 1, most: int = 12) -> Sequence[Any]:
    """A list of a length that makes a good task.

    Args:
        found: The list.
        least, most: How long it may be.

    Raises:
        Unfit: if it is shorter or longer.
    """
    if not least <= len(found) <= most:
        raise Unfit
    return found


def extreme(found: Iterable[Item], of: Callable[[Item], Any], sign: int = 1) -> Item:
    """The only item that has the most of something.

    Args:
        found: The items, two or more.
        of: What is compared.
        sign: -1 for the least.

    Raises:
        Unfit: if there are too few, or a tie.
    """
    rows = list(found)
    if len(rows) < 2:
        raise Unfit
    top = max(map(of, rows)) if sign > 0 else min(map(of, rows))
    return one([row for row in rows if of(row) == top])


def money(text: str) -> float:
    """The first amount of dollars in a text.

    Raises:
        Unfit: if there is none.
    """
    match = AMOUNT.search(text)
    if match is None:
        raise Unfit
    return float(match[1])


def total(values: Iterable[float]) -> float:
    """The sum of amounts, in whole cents."""
    return round(sum(values), 2)
