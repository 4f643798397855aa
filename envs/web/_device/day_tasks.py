"""Templates over calendar and clock."""

from __future__ import annotations

from datetime import timedelta

from agentgym.envs.web._device.drafts import (
    Ask,
    Draft,
    Template,
    choose,
    click,
    done,
    event,
    fill,
    link,
    press,
    told,
)
from agentgym.envs.web._device.judge import added, changed, removed
from agentgym.envs.web._sites.database import NOW, Row
from agentgym.envs.web._sites.device.agenda import CALENDARS
from agentgym.envs.web._sites.device.clock import DAYS
from agentgym.envs.web._sites.device.content import words
from agentgym.envs.web._sites.plans import Step

TITLES = ("Choir practice", "Tax appointment", "Rehearsal", "Furniture delivery", "Phone interview", "Ski class",
          "Plumber", "Board game night", "Blood test", "Neighborhood meeting")  # fmt: skip
LABELS = ("Market", "Train", "Water the plants", "Stand up", "Rehearsal", "Night shift", "Vitamins", "Walk the dog")
ALONE = "title IN (SELECT title FROM events GROUP BY title HAVING count(*) = 1)"
COMING = f"day > '{NOW:%Y-%m-%d}'"


def one_event(ask: Ask, where: str = "1") -> Row:
    """An event whose title no other has.

    Args:
        ask: The device.
        where: A condition.
    """
    return ask.row(f"SELECT * FROM events WHERE {ALONE} AND {where} ORDER BY id")


def some_day(ask: Ask) -> str:
    """A day to come."""
    return (NOW + timedelta(days=ask.between(2, 70))).date().isoformat()


def some_time(ask: Ask, low: int = 8, high: int = 20) -> str:
    """A time of day, in quarters of an hour.

    Args:
        ask: The source of chance.
        low, high: The hours.
    """
    return f"{ask.between(low, high):02}:{ask.pick(('00', '15', '30', '45'))}"


def later(time: str, minutes: int) -> str:
    """A time of day so many minutes later.

    Args:
        time: Such as `18:30`.
        minutes: How many; less than none for earlier.
    """
    moment = int(time[:2]) * 60 + int(time[3:]) + minutes
    return f"{moment // 60 % 24:02}:{moment % 60:02}"


def put_event(title: str, day: str, begins: str, ends: str, place: str = "") -> list[Step]:
    """Steps that add an event.

    Args:
        title, day, begins, ends, place: What to fill in.
    """
    plan = [["open", "Calendar"], link("New event"), fill("Title", title), fill("Day", day), fill("Begins", begins),
            fill("Ends", ends)]  # fmt: skip
    return [*plan, *([fill("Place", place)] if place else []), press("Save event")]


def new_event(ask: Ask) -> Draft:
    """Add an event."""
    title, day, begins, place = ask.pick(TITLES), some_day(ask), some_time(ask), ask.pick(words()["places"])
    ends = later(begins, ask.pick((30, 45, 60, 90)))
    ways = (f"add the event “{title}” on {day} from {begins} to {ends} at {place} to my calendar",
            f"put “{title}” into the calendar: {day}, {begins} to {ends}, place {place}")  # fmt: skip
    has = {"title": title, "day": day, "begins": begins, "ends": ends, "place": place}
    return done(ways, put_event(title, day, begins, ends, place), added("events", **has))


def move_event(ask: Ask) -> Draft:
    """Move an event to another day and time."""
    row, day = one_event(ask, COMING), some_day(ask)
    begins = some_time(ask)
    ends = later(begins, 60)
    has = {key: value for key, value in (("day", day), ("begins", begins), ("ends", ends)) if row[key] != value}
    plan = [*event(row["title"]), link("Edit event"), fill("Day", day), fill("Begins", begins), fill("Ends", ends),
            press("Save event")]  # fmt: skip
    ways = (f"move the event “{row['title']}” to {day}, {begins} to {ends}",
            f"reschedule “{row['title']}” from {row['day']} to {day}, {begins} until {ends}")  # fmt: skip
    return done(ways, plan, changed("events", row["id"], **has))


def new_place(ask: Ask) -> Draft:
    """Change where an event is."""
    row = one_event(ask, COMING)
    place = ask.pick([one for one in words()["places"] if one != row["place"]])
    plan = [*event(row["title"]), link("Edit event"), fill("Place", place), press("Save event")]
    ways = (f"change the place of the event “{row['title']}” to {place}",
            f"write down that “{row['title']}” on {row['day']} is at {place} now")  # fmt: skip
    return done(ways, plan, changed("events", row["id"], place=place))


def recalendar(ask: Ask) -> Draft:
    """Move an event to another calendar."""
    row = one_event(ask)
    name = ask.pick([one for one in CALENDARS if one != row["calendar"]])
    plan = [*event(row["title"]), link("Edit event"), choose("Calendar", name), press("Save event")]
    ways = (f"move the event “{row['title']}” into the calendar {name}",
            f"file “{row['title']}” under {name} instead of {row['calendar']} in the calendar")  # fmt: skip
    return done(ways, plan, changed("events", row["id"], calendar=name))


def delete_event(ask: Ask) -> Draft:
    """Delete an event."""
    row = one_event(ask)
    ways = (f"delete the event “{row['title']}” from the calendar", f"cancel “{row['title']}” on {row['day']}")
    return done(ways, [*event(row["title"]), press("Delete event")], removed("events", row["id"]))


def fact_of_event(ask: Ask) -> Draft:
    """Read a fact about an event."""
    column, said, hint = ask.pick((("place", "place", "text"), ("day", "day", "date"), ("begins", "beginning", "time"),
                                   ("ends", "end", "time"), ("host", "host", "name")))  # fmt: skip
    row = one_event(ask, f"{column} != ''")
    asked = {"place": f"where the event “{row['title']}” is", "day": f"on which day “{row['title']}” is",
             "begins": f"when the event “{row['title']}” begins", "ends": f"when the event “{row['title']}” ends",
             "host": f"who invited me to “{row['title']}”"}[column]  # fmt: skip
    ways = (f"the {said} of the event “{row['title']}” in the calendar", asked)
    return told(ways, [*event(row["title"]), ["stop", row[column]]], row[column], hint)


def count_day(ask: Ask) -> Draft:
    """Count the events of a day."""
    row = ask.row("SELECT day, count(*) AS n FROM events GROUP BY day HAVING n > 1 ORDER BY day")
    ways = (f"how many events there are on {row['day']}", f"the number of events in my calendar on {row['day']}")
    return told(ways, [["open", "Calendar"], fill("From day", row["day"]), press("Show"), ["stop", str(row["n"])]],
                row["n"], "number")  # fmt: skip


def first_of_day(ask: Ask) -> Draft:
    """Find the first or the last event of a day."""
    last = ask.pick((True, False))
    order = "DESC" if last else "ASC"
    day = ask.row("SELECT day FROM events GROUP BY day HAVING count(*) > 2 AND count(DISTINCT begins) = count(*) "
                  "ORDER BY day")["day"]  # fmt: skip
    title = ask.store.value(f"SELECT title FROM events WHERE day = ? ORDER BY begins {order} LIMIT 1", day)
    name = "last" if last else "first"
    ways = (f"the {name} event on {day}", f"what my calendar has {name} on {day}")
    return told(ways, [["open", "Calendar"], fill("From day", day), press("Show"), ["stop", title]], title, "text")


def reply(ask: Ask) -> Draft:
    """Answer an invitation."""
    row = one_event(ask, "answer = 'Open'")
    button, answer = ask.pick((("Accept", "Accepted"), ("Decline", "Declined"), ("Maybe", "Maybe")))
    ways = (f"answer the invitation to “{row['title']}” with {answer}",
            f"tell {row['host']} “{answer}” in answer to the invitation to “{row['title']}”")  # fmt: skip
    return done(ways, [*event(row["title"]), press(button)], changed("events", row["id"], answer=answer))


def _name(row: Row) -> str:
    return f"{row['time']} {row['label']}"


def put_alarm(time: str, label: str, days: tuple[str, ...] = ()) -> list[Step]:
    """Steps that add an alarm.

    Args:
        time: When it rings.
        label: Its name.
        days: On which days.
    """
    ticks = [["check", f'checkbox "{day}"'] for day in days]
    return [["open", "Clock"], link("New alarm"), fill("Time", time), fill("Label", label), *ticks, press("Save alarm")]


def new_alarm(ask: Ask) -> Draft:
    """Add an alarm."""
    time, label = some_time(ask, 4, 22), ask.pick(LABELS)
    days, said = ask.pick((((), "once"), (DAYS[:5], "from Monday to Friday"), (DAYS[5:], "on Saturday and Sunday")))
    ways = (f"set an alarm for {time} with the label “{label}” that rings {said}",
            f"add an alarm “{label}” at {time}, {said}")  # fmt: skip
    return done(
        ways, put_alarm(time, label, days), added("alarms", time=time, label=label, days=" ".join(days), active=1)
    )


def flip_alarm(ask: Ask) -> Draft:
    """Turn an alarm on or off."""
    row = ask.row("SELECT * FROM alarms ORDER BY id")
    word = "off" if row["active"] else "on"
    ways = (f"turn {word} the alarm “{row['label']}”", f"switch the alarm at {row['time']} (“{row['label']}”) {word}")
    return done(ways, [["open", "Clock"], click("switch", f"Alarm {_name(row)}")],
                changed("alarms", row["id"], active=1 - row["active"]))  # fmt: skip


def move_alarm(ask: Ask) -> Draft:
    """Change when an alarm rings."""
    row = ask.row("SELECT * FROM alarms ORDER BY id")
    time = later(row["time"], ask.pick((-40, -25, -10, 15, 35, 50)))
    plan = [["open", "Clock"], link(_name(row)), fill("Time", time), press("Save alarm")]
    ways = (f"change the alarm “{row['label']}” to {time}", f"let the alarm “{row['label']}” ring at {time} instead")
    return done(ways, plan, changed("alarms", row["id"], time=time))


def delete_alarm(ask: Ask) -> Draft:
    """Delete an alarm."""
    row = ask.row("SELECT * FROM alarms ORDER BY id")
    ways = (f"delete the alarm “{row['label']}”", f"remove the alarm “{row['label']}” at {row['time']}")
    return done(ways, [["open", "Clock"], link(_name(row)), press("Delete alarm")], removed("alarms", row["id"]))


def alarm_of(ask: Ask) -> Draft:
    """Read when an alarm rings."""
    row = ask.row("SELECT * FROM alarms ORDER BY id")
    ways = (f"when the alarm “{row['label']}” rings", f"the time of the alarm “{row['label']}”")
    return told(ways, [["open", "Clock"], ["stop", row["time"]]], row["time"], "time")


def timer(ask: Ask) -> Draft:
    """Start a new timer."""
    label, minutes = ask.pick(("Bread", "Laundry", "Break", "Oven", "Parking", "Homework")), ask.between(3, 180)
    plan = [
        ["open", "Clock"],
        link("Timers"),
        fill("Label", label),
        fill("Minutes", str(minutes)),
        press("Start timer"),
    ]
    ways = (
        f"start a timer “{label}” of {minutes} minutes",
        f"set a timer with the label “{label}” to {minutes} minutes",
    )
    return done(ways, plan, added("timers", label=label, minutes=minutes, running=1))


def run_timer(ask: Ask) -> Draft:
    """Start a timer that is there."""
    row = ask.row("SELECT * FROM timers WHERE running = 0 ORDER BY id")
    ways = (f"start the timer “{row['label']}”", f"let the timer “{row['label']}” of {row['minutes']} minutes run")
    plan = [["open", "Clock"], link("Timers"), press(f"Start {row['label']}")]
    return done(ways, plan, changed("timers", row["id"], running=1))


def add_city(ask: Ask) -> Draft:
    """Add a city to the world clock."""
    row = ask.row("SELECT * FROM cities WHERE shown = 0 ORDER BY id")
    plan = [["open", "Clock"], link("World clock"), choose("City", row["name"]), press("Add city")]
    ways = (f"add {row['name']} to the world clock", f"show the time of {row['name']} in the world clock")
    return done(ways, plan, changed("cities", row["id"], shown=1))


def drop_city(ask: Ask) -> Draft:
    """Remove a city from the world clock."""
    row = ask.row("SELECT * FROM cities WHERE shown = 1 ORDER BY id")
    plan = [["open", "Clock"], link("World clock"), press(f"Remove {row['name']}")]
    ways = (f"remove {row['name']} from the world clock", f"stop showing the time of {row['name']} in the world clock")
    return done(ways, plan, changed("cities", row["id"], shown=0))


TEMPLATES: tuple[Template, ...] = (
    new_event, move_event, new_place, recalendar, delete_event, fact_of_event, count_day, first_of_day, reply,
    new_alarm, flip_alarm, move_alarm, delete_alarm, alarm_of, timer, run_timer, add_city, drop_city,
)  # fmt: skip
