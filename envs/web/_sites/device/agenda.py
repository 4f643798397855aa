"""Calendar: days and months of events, which are added, moved, deleted, and answered where others invite."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, show
from agentgym.envs.web._sites.database import NOW, Row
from agentgym.envs.web._sites.device.forms import is_time, wrong_length
from agentgym.envs.web._sites.reading import is_day

CALENDARS = ("Personal", "Work", "Family")
ANSWERS = ("Accepted", "Declined", "Maybe")
FIELDS = ("title", "day", "begins", "ends", "place", "calendar", "note")
WEEK = 7
TODAY = NOW.date()


def _from(visit: Visit) -> date:
    asked = visit.query.get("day", "")
    return date.fromisoformat(asked) if is_day(asked) and "1990" < asked < "2090" else TODAY


def _week(site: SiteApplication, visit: Visit) -> Answer:
    first = _from(visit)
    days = [first + timedelta(days=number) for number in range(WEEK)]
    query = "SELECT * FROM events WHERE day = ? ORDER BY begins, id"
    shown = [(f"{day:%A}, {day.isoformat()}", site.store.all(query, day.isoformat())) for day in days]
    return show("week", days=shown, first=first.isoformat(), before=first - timedelta(days=WEEK),
                after=first + timedelta(days=WEEK), month=first.isoformat()[:7])  # fmt: skip


def _month(site: SiteApplication, visit: Visit) -> Answer:
    asked = visit.query.get("month", "") + "-01"
    first = date.fromisoformat(asked) if is_day(asked) and "1990" < asked < "2090" else TODAY.replace(day=1)
    query = "SELECT day, count(*) FROM events WHERE substr(day, 1, 7) = ? GROUP BY day"
    counts = {row[0]: row[1] for row in site.store.all(query, first.isoformat()[:7])}
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    return show("month", weeks=weeks, counts=counts, first=first, before=first - timedelta(days=1),
                after=first + timedelta(days=31))  # fmt: skip


def _search(site: SiteApplication, visit: Visit) -> Answer:
    words = visit.query.get("q", "").strip()
    query = """SELECT * FROM events WHERE instr(lower(title || ' ' || place || ' ' || host), lower(?)) > 0
        ORDER BY day, begins, id LIMIT 60"""
    return show("event_search", events=site.store.all(query, words) if words else [], q=words)


def _found(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM events WHERE id = ?", visit.path["number"])


def _event(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("event")
    return show("event", row=row, answers=ANSWERS, weekday=f"{date.fromisoformat(row['day']):%A}")


def _form(given: Mapping[str, Any], number: int, wrong: str = "") -> Answer:
    return show("event_form", 422 if wrong else 200, given=given, number=number, wrong=wrong, calendars=CALENDARS)


def _new(site: SiteApplication, visit: Visit) -> Answer:
    given = dict.fromkeys(FIELDS, "") | {"day": _from(visit).isoformat(), "begins": "09:00", "ends": "10:00"}
    return _form({**given, "calendar": "Personal"}, 0)


def _edit(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    return missing("event") if row is None else _form(dict(row), row["id"])


def _objections(given: Mapping[str, str]) -> list[str]:
    wrong = wrong_length("A title", given["title"]) + wrong_length("A place", given["place"], least=0)
    wrong += wrong_length("A note", given["note"], "text", 0)
    if not is_day(given["day"]):
        wrong.append("A day is written like 2026-05-01.")
    if not (is_time(given["begins"]) and is_time(given["ends"])):
        wrong.append("A time is written like 07:30.")
    elif given["begins"] >= given["ends"]:
        wrong.append("An event ends after it begins.")
    if given["calendar"] not in CALENDARS:
        wrong.append(f"Choose a calendar: {', '.join(CALENDARS)}.")
    return wrong


def _save(site: SiteApplication, visit: Visit) -> Answer:
    number = int(visit.path.get("number", "0"))
    if number and _found(site, visit) is None:
        return missing("event")
    given = {key: visit.form.get(key, "") for key in FIELDS}
    wrong = _objections(given)
    if wrong:
        return _form(given, number, " ".join(wrong))
    if number:
        columns = ", ".join(f"{key} = ?" for key in FIELDS)
        site.store.do(f"UPDATE events SET {columns} WHERE id = ?", *given.values(), number)
    else:
        *first, note = given.values()
        number = site.store.do("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, '', '', ?)", *first, note)
    return go_to(f"/calendar/{number}", notice="Saved.")


def _answer(site: SiteApplication, visit: Visit) -> Answer:
    row, given = _found(site, visit), visit.form.get("answer", "")
    if row is None or not row["host"] or given not in ANSWERS:
        return missing("invitation")
    site.store.do("UPDATE events SET answer = ? WHERE id = ?", given, row["id"])
    return go_to(f"/calendar/{row['id']}", notice=f"{row['host']} is told: {given}.")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("event")
    site.store.do("DELETE FROM events WHERE id = ?", row["id"])
    return go_to("/calendar", day=row["day"], notice=f"“{row['title']}” is deleted.")


ROUTES: Routes = [
    ("GET", "/calendar", _week),
    ("GET", "/calendar/month", _month),
    ("GET", "/calendar/search", _search),
    ("GET", "/calendar/new", _new),
    ("POST", "/calendar/new", _save),
    ("GET", "/calendar/{number:int}", _event),
    ("GET", "/calendar/{number:int}/edit", _edit),
    ("POST", "/calendar/{number:int}/edit", _save),
    ("POST", "/calendar/{number:int}/answer", _answer),
    ("POST", "/calendar/{number:int}/delete", _delete),
]
