"""What a phone or a desktop computer holds when an episode begins: every seed is another owner's."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any

from agentgym.envs.web._sites.database import NOW, ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.device.clock import DAYS
from agentgym.envs.web._sites.device.contacts import GROUPS
from agentgym.envs.web._sites.device.folders import FOLDER, ROOT
from agentgym.envs.web._sites.device.settings import sections
from agentgym.envs.web._sites.dice import Dice

OWNERS = 8  # contents that tasks are set on
CONTACTS, THREADS, EVENTS, FILES, NOTES = 140, 56, 260, 240, 64
DAY = 1440  # minutes
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PASSWORDS = "Wi-Fi passwords"  # the note with the passwords of networks
KINDS = {"text": ("txt", "pdf", "docx"), "picture": ("jpg", "png"), "sound": ("mp3", "wav")}
SIZES = {"text": (4, 900), "picture": (600, 9000), "sound": (1500, 60000)}


def words() -> dict[str, Any]:
    """The word lists of the device."""
    return read_words(__package__)


class Filler:
    """Fills sentences of the word lists.

    Args:
        dice: The source of chance.
        people: Names of the contacts.
    """

    def __init__(self, dice: Dice, people: list[str]):
        self._dice, self._people = dice, people

    def fill(self, sentence: str, **given: str) -> str:
        """A sentence with something in each of its places.

        Args:
            sentence: With names in braces.
            given: What stands in some of them.
        """
        dice, of = self._dice, words()
        return sentence.format(**{
            "n": str(dice.between(3, 60)), "number": str(dice.between(100, 9999)),
            "thing": dice.pick(of["talk"]["things"]), "town": dice.pick(of["towns"]),
            "weekday": dice.pick(WEEKDAYS), "company": dice.pick(of["companies"]),
            "place": dice.pick(of["places"]), "person": dice.pick(self._people),
            "street": dice.pick(of["files"]["streets"]), "month": dice.pick(of["files"]["months"]), **given,
        })  # fmt: skip


def _number(dice: Dice, taken: set[str]) -> str:
    while (phone := f"555-{dice.between(10000, 99999)}") in taken:
        pass
    taken.add(phone)
    return phone


def _settings(dice: Dice, base: sqlite3.Connection) -> None:
    rows: list[tuple[Any, ...]] = []
    fixed = {"Wi-Fi": "on", "Bluetooth": "on", "Airplane mode": "off"}
    for all_ in sections().values():
        for one in all_:
            drawn = {"switch": dice.pick(("on", "off")), "level": str(dice.between(0, 20) * 5)}.get(one["kind"])
            value = fixed.get(one["name"], drawn or dice.pick(one.get("options", ("",))))
            rows.append((len(rows) + 1, one["name"], value))
    insert_rows(base, "settings", rows)
    given = words()
    versions = f"{dice.between(11, 16)}.{dice.below(9)}.{dice.below(9)}"
    about = {"Device name": f"{dice.pick(given['first'])}'s device",
             "Model": f"Aster {dice.pick('ABCDEFG')}{dice.between(2, 30)}", "System version": versions,
             "Serial number": f"{dice.pick('KLMNPQRT')}{dice.between(10**7, 10**8 - 1)}",
             "Storage": f"{dice.pick((64, 128, 256, 512))} GB",
             "Free storage": f"{dice.between(5, 60)}.{dice.below(10)} GB",
             "Memory": f"{dice.pick((4, 6, 8, 12))} GB", "Battery health": f"{dice.between(71, 99)} %"}  # fmt: skip
    insert_rows(base, "about", ((number, *pair) for number, pair in enumerate(about.items(), 1)))
    sizes = dice.some(range(12, 1900), len(given["apps"]))
    insert_rows(base, "apps", (
        (number, name, f"{dice.between(1, 9)}.{dice.below(20)}.{dice.below(10)}", sizes[number - 1],
         *(int(dice.chance(60)) for _ in range(4)))
        for number, name in enumerate(given["apps"], 1)
    ))  # fmt: skip
    joined = dice.below(len(given["networks"]))
    insert_rows(base, "networks", (
        (number + 1, name, f"{dice.pick(given['towns']).lower()}-{dice.between(1000, 9999)}", strength,
         int(number == joined or dice.chance(25)), int(number == joined))
        for number, (name, strength) in enumerate(given["networks"])
    ))  # fmt: skip
    insert_rows(base, "gadgets", ((number, *pair, int(dice.chance(45)))
                                  for number, pair in enumerate(given["gadgets"], 1)))  # fmt: skip


def _contacts(dice: Dice, base: sqlite3.Connection, taken: set[str]) -> dict[str, str]:
    """People; their numbers by name."""
    given, names = words(), set()
    rows: list[tuple[Any, ...]] = []
    while len(rows) < CONTACTS:
        first, last = dice.pick(given["first"]), dice.pick(given["last"])
        if (first, last) in names:
            continue
        names.add((first, last))
        born = (
            f"{dice.between(1948, 2012)}-{dice.between(1, 12):02}-{dice.between(1, 28):02}" if dice.chance(75) else ""
        )
        company = dice.pick(given["companies"]) if dice.chance(65) else ""
        rows.append((len(rows) + 1, first, last, _number(dice, taken), f"{first}.{last}@post.example".lower(), company,
                     dice.pick(given["towns"]), born, dice.pick(GROUPS), int(dice.chance(12)),
                     int(dice.chance(4))))  # fmt: skip
    insert_rows(base, "contacts", rows)
    return {f"{row[1]} {row[2]}": row[3] for row in rows}


def _messages(dice: Dice, base: sqlite3.Connection, filler: Filler, phones: Mapping[str, str], taken: set[str]) -> None:
    talk, threads = words()["talk"], []
    rows: list[list[Any]] = []
    people = dice.some(sorted(phones.values()), THREADS)
    for number, phone in enumerate(people, 1):
        moments = sorted((dice.below(240 * DAY) for _ in range(dice.between(4, 26))), reverse=True)
        for moment in moments:
            mine = int(dice.chance(45))
            body = filler.fill(dice.pick(talk["mine" if mine else "theirs"]))
            rows.append([len(rows) + 1, number, mine, body, ago(moment + 60), int(dice.chance(3))])
        last = dice.below(100)
        if last < 40:
            day = (NOW + timedelta(days=dice.between(2, 40))).date().isoformat()
            body = filler.fill(
                talk["proposal"], day=day, time=f"{dice.between(8, 20):02}:{dice.pick(('00', '15', '30', '45'))}"
            )
        else:
            body = filler.fill(talk["number"], phone=_number(dice, taken)) if last < 60 else rows[-1][3]
        rows.append([len(rows) + 1, number, 0, body, ago(dice.below(50)), 0])
        threads.append((number, phone, int(dice.chance(15)), int(dice.chance(15)), int(dice.chance(40))))
    insert_rows(base, "threads", threads)
    insert_rows(base, "messages", (tuple(row) for row in rows))


def _events(dice: Dice, base: sqlite3.Connection, filler: Filler, people: list[str]) -> None:
    given, rows = words(), []
    for number in range(1, EVENTS + 1):
        calendar = dice.pick(("Personal", "Work", "Work", "Family"))
        day = (NOW + timedelta(days=dice.between(-45, 75))).date().isoformat()
        begins = dice.between(28, 76) * 15  # minutes of the day
        ends = begins + dice.pick((30, 45, 60, 60, 90, 120))
        host = dice.pick(people) if dice.chance(25) else ""
        answer = ("Open" if day > f"{NOW:%Y-%m-%d}" and dice.chance(70) else "Accepted") if host else ""
        times = [f"{moment // 60:02}:{moment % 60:02}" for moment in (begins, ends)]
        note = filler.fill(dice.pick(given["notes"]["bodies"])) if dice.chance(30) else ""
        place = dice.pick(given["places"]) if dice.chance(85) else ""
        rows.append(
            (
                number,
                filler.fill(dice.pick(given["events"][calendar])),
                day,
                *times,
                place,
                calendar,
                host,
                answer,
                note,
            )
        )
    insert_rows(base, "events", rows)


def _clock(dice: Dice, base: sqlite3.Connection) -> None:
    labels = ("Wake up", "Medicine", "Bus", "School", "Laundry", "Call home", "Feed the cat", "Yoga", "Oven", "Bins")
    rows = []
    for number, label in enumerate(dice.some(labels, 8), 1):
        days = {"all": DAYS, "week": DAYS[:5], "end": DAYS[5:], "once": ()}[dice.pick(("all", "week", "end", "once"))]
        time = f"{dice.between(5, 22):02}:{dice.below(12) * 5:02}"
        rows.append((number, time, label, " ".join(days), int(dice.chance(60))))
    insert_rows(base, "alarms", rows)
    timers = dice.some(("Eggs", "Tea", "Pasta", "Nap", "Stretching"), 3)
    insert_rows(base, "timers", ((number, label, dice.between(2, 40), 0) for number, label in enumerate(timers, 1)))
    shown = dice.some(range(1, len(words()["cities"]) + 1), 6)
    insert_rows(base, "cities", ((number, name, ahead, int(number in shown))
                                 for number, (name, ahead) in enumerate(words()["cities"], 1)))  # fmt: skip


def _files(dice: Dice, base: sqlite3.Connection, filler: Filler) -> None:
    given = words()["files"]
    rows: list[tuple[Any, ...]] = [(ROOT, 0, "", FOLDER, 0, ago(400 * DAY), "", 0, 0)]
    folders = []
    for name, below in given["folders"]:
        rows.append((len(rows) + 1, ROOT, name, FOLDER, 0, ago(dice.below(300 * DAY)), "", 0, 0))
        top = len(rows)
        folders.append(top)
        for one in below:
            rows.append((len(rows) + 1, top, one, FOLDER, 0, ago(dice.below(300 * DAY)), "", 0, 0))
            folders.append(len(rows))
    taken: set[str] = set()
    while len(taken) < FILES:
        kind = dice.pick(("text", "text", "picture", "sound"))
        name = f"{filler.fill(dice.pick(given[kind]))}.{dice.pick(KINDS[kind])}".lower()
        if name in taken:
            continue
        taken.add(name)
        body = "\n".join(filler.fill(line) for line in dice.some(given["lines"], 4)) if kind == "text" else ""
        rows.append((len(rows) + 1, dice.pick(folders), name, kind, dice.between(*SIZES[kind]),
                     ago(dice.below(500 * DAY)), body, int(dice.chance(8)), int(dice.chance(5))))  # fmt: skip
    insert_rows(base, "files", rows)


def _notes(dice: Dice, base: sqlite3.Connection, filler: Filler) -> None:
    given = words()["notes"]
    rows: list[tuple[Any, ...]] = []
    items: list[tuple[Any, ...]] = []
    taken: set[str] = set()
    folders = [name for name in given if name not in ("bodies", "items")]
    while len(rows) < NOTES:
        folder = dice.pick(folders)
        title = filler.fill(dice.pick(given[folder]))
        if title in taken:
            continue
        taken.add(title)
        body = "\n".join(filler.fill(line) for line in dice.some(given["bodies"], dice.between(1, 3)))
        rows.append((len(rows) + 1, title, body, folder, int(dice.chance(8)), ago(dice.below(300 * DAY))))
        for item in dice.some(given["items"], dice.between(3, 8)) if dice.chance(55) else ():
            items.append((len(items) + 1, len(rows), item, int(dice.chance(35))))
    said = base.execute("SELECT name, password FROM networks ORDER BY name").fetchall()
    body = "\n".join(f"{row[0]}: {row[1]}" for row in said)
    rows.append((len(rows) + 1, PASSWORDS, body, "Home", 0, ago(dice.below(300 * DAY))))
    insert_rows(base, "notes", rows)
    insert_rows(base, "items", items)


@lru_cache(maxsize=OWNERS)
def original(seed: int = 0) -> sqlite3.Connection:
    """The device's database as every episode with this owner finds it; to be copied, never changed.

    Args:
        seed: The owner.
    """
    base = open_database(__package__)
    dice = Dice("web.sites.device", seed)
    insert_rows(base, "users", [(1, "owner", "")])
    _settings(dice, base)
    taken: set[str] = set()
    phones = _contacts(dice, base, taken)
    filler = Filler(dice, list(phones))
    _messages(dice, base, filler, phones, taken)
    _events(dice, base, filler, list(phones))
    _clock(dice, base)
    _files(dice, base, filler)
    _notes(dice, base, filler)
    base.commit()
    return base
