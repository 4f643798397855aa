"""Clock: alarms, timers, and the time in other cities."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, show
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.forms import is_time, wrong_length

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _alarms(site: SiteApplication, visit: Visit) -> Answer:
    return show("alarms", alarms=site.store.all("SELECT * FROM alarms ORDER BY time, id"))


def _found(site: SiteApplication, visit: Visit, table: str = "alarms") -> Row | None:
    return site.store.one(f"SELECT * FROM {table} WHERE id = ?", visit.path["number"])


def _form(given: Mapping[str, str], number: int, wrong: str = "") -> Answer:
    return show("alarm_form", 422 if wrong else 200, given=given, number=number, wrong=wrong, days=DAYS,
                chosen=given["days"].split())  # fmt: skip


def _new(site: SiteApplication, visit: Visit) -> Answer:
    return _form({"time": "07:00", "label": "", "days": ""}, 0)


def _edit(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    return missing("alarm") if row is None else _form(dict(row), row["id"])


def _save(site: SiteApplication, visit: Visit) -> Answer:
    number = int(visit.path.get("number", "0"))
    if number and _found(site, visit) is None:
        return missing("alarm")
    chosen = [day for day in DAYS if day in visit.lists.get("days", ())]
    given = {"time": visit.form.get("time", ""), "label": visit.form.get("label", ""), "days": " ".join(chosen)}
    wrong = wrong_length("A label", given["label"], "name", 0)
    if not is_time(given["time"]):
        wrong.append("A time is written like 07:30.")
    if wrong:
        return _form(given, number, " ".join(wrong))
    if number:
        site.store.do("UPDATE alarms SET time = ?, label = ?, days = ? WHERE id = ?", *given.values(), number)
    else:
        site.store.do("INSERT INTO alarms VALUES (NULL, ?, ?, ?, 1)", *given.values())
    return go_to("/clock", notice="The alarm is saved.")


def _flip(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE alarms SET active = 1 - active WHERE id = ?", visit.path["number"])
    return go_to("/clock")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM alarms WHERE id = ?", visit.path["number"])
    return go_to("/clock", notice="The alarm is deleted.")


def _timers(site: SiteApplication, visit: Visit, wrong: str = "") -> Answer:
    rows = site.store.all("SELECT * FROM timers ORDER BY id")
    return show("timers", 422 if wrong else 200, timers=rows, wrong=wrong)


def _new_timer(site: SiteApplication, visit: Visit) -> Answer:
    label, minutes = visit.form.get("label", ""), visit.form.get("minutes", "")
    wrong = wrong_length("A label", label, "name", 0)
    if not (minutes.isascii() and minutes.isdigit() and len(minutes) < 5 and 1 <= int(minutes) <= 1440):
        wrong.append("A timer runs for 1 to 1440 minutes.")
    if wrong:
        return _timers(site, visit, " ".join(wrong))
    site.store.do("INSERT INTO timers VALUES (NULL, ?, ?, 1)", label, int(minutes))
    return go_to("/clock/timers")


def _flip_timer(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE timers SET running = 1 - running WHERE id = ?", visit.path["number"])
    return go_to("/clock/timers")


def _delete_timer(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM timers WHERE id = ?", visit.path["number"])
    return go_to("/clock/timers")


def time_in(now: str, ahead: int) -> str:
    """The time of day in a city.

    Args:
        now: The device's time, such as `2026-03-14 12:00`.
        ahead: Minutes by which the city is ahead.
    """
    return (datetime.fromisoformat(now) + timedelta(minutes=ahead)).strftime("%a %H:%M")


def _world(site: SiteApplication, visit: Visit, wrong: str = "") -> Answer:
    rows = site.store.all("SELECT * FROM cities WHERE shown = 1 ORDER BY name")
    names = [row[0] for row in site.store.all("SELECT name FROM cities WHERE shown = 0 ORDER BY name")]
    cities = [(row, time_in(site.store.now, row["ahead"])) for row in rows]
    return show("world", 422 if wrong else 200, cities=cities, names=names, wrong=wrong)


def _add_city(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one("SELECT * FROM cities WHERE name = ?", visit.form.get("city", ""))
    if row is None:
        return _world(site, visit, "Choose a city of the list.")
    site.store.do("UPDATE cities SET shown = 1 WHERE id = ?", row["id"])
    return go_to("/clock/world")


def _drop_city(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE cities SET shown = 0 WHERE id = ?", visit.path["number"])
    return go_to("/clock/world")


ROUTES: Routes = [
    ("GET", "/clock", _alarms),
    ("GET", "/clock/new", _new),
    ("POST", "/clock/new", _save),
    ("GET", "/clock/{number:int}", _edit),
    ("POST", "/clock/{number:int}", _save),
    ("POST", "/clock/{number:int}/flip", _flip),
    ("POST", "/clock/{number:int}/delete", _delete),
    ("GET", "/clock/timers", _timers),
    ("POST", "/clock/timers", _new_timer),
    ("POST", "/clock/timers/{number:int}/flip", _flip_timer),
    ("POST", "/clock/timers/{number:int}/delete", _delete_timer),
    ("GET", "/clock/world", _world),
    ("POST", "/clock/world", _add_city),
    ("POST", "/clock/world/{number:int}/drop", _drop_city),
]
