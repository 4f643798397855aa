"""The arguments of questions on the weather: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import EXACT, Book, Program, Slot, Unfit, one, pick
from agentgym.envs._kit.tools.questions import by_itself, in_a_sentence
from agentgym.envs.tools._weather.climate import AHEAD, FIRST, series
from agentgym.envs.tools._weather.places import by_country, named, places
from agentgym.envs.tools._weather.tools import EARLIEST, SPAN, Desk, day_of, setting

PLACE, COUNTRY, DAY, MONTH, HOUR, WHOLE = (
    '[^"]+',
    "(?:the )?[A-Z][A-Za-z ]+",
    r"\d{4}-\d\d-\d\d",
    r"\d{4}-\d\d",
    r"\d\d:00",
    r"-?\d+",
)
HIGH, LOW, MEAN = "temperature_2m_max", "temperature_2m_min", "temperature_2m_mean"
RAIN, SNOW, WIND, AIR = "rain_sum", "snowfall_sum", "wind_speed_10m_max", "european_aqi_pm2_5"
SPANS = (6, 24)  # days between the first and the last of a period
Row = dict[str, Any]
At = dict[str, float]


def _place(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A place of another name than those that were named before."""
    taken = {value.partition(",")[0] for value in said.values() if isinstance(value, str)}
    return pick(rng, [place.label for place in places() if place.name not in taken])


def _cold_place(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A place where it snows."""
    taken = {value.partition(",")[0] for value in said.values() if isinstance(value, str)}
    code = {place.climate.code for place in places() if place.climate.continental >= 0.5 and place.latitude > 40}
    return pick(rng, [place.label for place in places() if place.climate.code in code and place.name not in taken])


def _country(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [in_a_sentence(rows[0].climate.country) for rows in by_country().values()])


def _day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> str:
    """A day of history, far enough from its end for a period to begin."""
    return day_of(int(rng.integers(0, setting(desk.seed).today - SPANS[1] - 1))).isoformat()


def _last_day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> str:
    return (date.fromisoformat(said["day"]) + timedelta(days=int(rng.integers(*SPANS)))).isoformat()


def _winter_day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A day of the northern winter."""
    days = [day_of(number) for number in range(setting(desk.seed).today - SPANS[1] - 1)]
    found = pick(rng, [day for day in days if day.month in (11, 12, 1, 2, 3)])
    return found and found.isoformat()


def _spring_day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> str:
    return (date.fromisoformat(said["winter_day"]) + timedelta(days=int(rng.integers(*SPANS)))).isoformat()


def _month(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A month that is over."""
    over = (desk.today.year - FIRST.year) * 12 + desk.today.month - FIRST.month
    months = [f"{FIRST.year + at // 12}-{at % 12 + 1:02}" for at in range(over)]
    return pick(rng, [month for month in months if month != said.get("month")])


def _hour(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> str:
    first = int(said["hour"][:2]) + 2 if "hour" in said else 0
    return f"{int(rng.integers(first, 24 if first else 20)):02}:00"


def _degrees(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> int:
    """A whole temperature that occurs: in the period at the place that was named, otherwise somewhere mild."""
    if not {"place", "day"} <= set(said):
        return int(rng.integers(5, 28))
    name = said["place"].partition(",")[0]
    (number,) = [place.number for place in named(name) if place.label == said["place"]]
    first = (date.fromisoformat(said["day"]) - FIRST).days
    known = series(desk.seed, number).mean[first : first + SPANS[1]]
    return round(int(known[int(rng.integers(len(known)))]) / 10)


def _whole(low: int, high: int, step: int = 1) -> Slot:
    return Slot(WHOLE, int, lambda rng, desk, said: step * int(rng.integers(low, high + 1)))


SLOTS: Mapping[str, Slot] = {
    "place": Slot(PLACE, str, _place),
    "other_place": Slot(PLACE, str, _place),
    "third_place": Slot(PLACE, str, _place),
    "fourth_place": Slot(PLACE, str, _place),
    "cold_place": Slot(PLACE, str, _cold_place),
    "other_cold_place": Slot(PLACE, str, _cold_place),
    "country": Slot(COUNTRY, str, _country),
    "day": Slot(DAY, str, _day),
    "last_day": Slot(DAY, str, _last_day),
    "winter_day": Slot(DAY, str, _winter_day),
    "spring_day": Slot(DAY, str, _spring_day),
    "month": Slot(MONTH, str, _month),
    "other_month": Slot(MONTH, str, _month),
    "hour": Slot(HOUR, str, _hour),
    "other_hour": Slot(HOUR, str, _hour),
    "degrees": Slot(WHOLE, int, _degrees),
    "millimeters": _whole(1, 12),
    "speed": _whole(12, 30),
    "kilometers": _whole(8, 60, 50),
    "meters": _whole(1, 24, 50),
    "ahead": _whole(2, AHEAD),
    "ago": _whole(2, EARLIEST - 1),
    "index": _whole(15, 60),
}
BOOK = Book(SLOTS)


# What programs look up. Each yields the calls it needs and returns what it found.


def spot(label: str) -> Program:
    """Coordinates of a place as questions write it, the country code last."""
    name, _, code = label.rpartition(", ")
    rows = (yield ("get_latitude_longitude", {"name": name}))["results"]
    at = one([row for row in rows if (row["name"], row["country_code"]) == (name, code)])
    return {"latitude": at["latitude"], "longitude": at["longitude"]}


def spots(*labels: str) -> Program:
    """Coordinates of places by what questions call them."""
    found = {}
    for label in labels:
        found[label] = yield from spot(label)
    return found


def here() -> Program:
    """Coordinates of the user's city."""
    return (yield from spot((yield ("get_user_current_location", {}))))


def within(country: str) -> Program:
    """Coordinates of the places of a country by name and country code."""
    named, rows = by_itself(country), (yield ("get_countries", {}))
    code = one([row["country_code"] for row in rows if row["name"] == named])
    rows = yield ("get_places", {"country_code": code})
    return {f"{row['name']}, {code}": {"latitude": row["latitude"], "longitude": row["longitude"]} for row in rows}


def today() -> Program:
    """The current date."""
    return date.fromisoformat((yield ("get_user_current_date", {})))


def height(at: At) -> Program:
    """Meters above the sea."""
    return (yield ("get_elevation", at))["elevation"][0]


def way(one_end: At, other_end: At) -> Program:
    """Kilometers from `one_end` to `other_end`, each a latitude and a longitude; both ways are as long."""
    ends = {f"{name}{number}": end[name] for number, end in ((1, one_end), (2, other_end)) for name in end}
    return (yield ("get_distance", ends))


def table(answer: Any) -> list[Row]:
    """Days or hours, a row each, out of an answer of columns."""
    columns = answer["daily"] if "daily" in answer else answer["hourly"]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def past(kind: str, at: At, first: str, last: str) -> Program:
    """Days of history, asked for in as many queries as it takes.

    Args:
        kind: As in the names of tools, such as `temp`.
        at: Where.
        first: First day.
        last: Last day.
    """
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    found: list[Row] = []
    while begin <= end:
        until = min(end, begin + timedelta(days=SPAN - 1))
        said = {**at, "start_date": begin.isoformat(), "end_date": until.isoformat()}
        found += table((yield (f"get_historical_{kind}", said)))
        begin = until + timedelta(days=1)
    return found


def on(kind: str, at: At, day: str) -> Program:
    """One day of history.

    Args:
        kind: As in `past`.
        at: Where.
        day: Which.
    """
    return (yield from past(kind, at, day, day))[0]


def in_month(kind: str, at: At, month: str) -> Program:
    """The days of a month.

    Args:
        kind: As in `past`.
        at: Where.
        month: As YYYY-MM.
    """
    first = date.fromisoformat(f"{month}-01")
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return (yield from past(kind, at, first.isoformat(), last.isoformat()))


def now(kind: str, at: At) -> Program:
    """The current day.

    Args:
        kind: As in `past`.
        at: Where.
    """
    day = yield from today()
    return table((yield (f"get_current_{kind}", {**at, "current_date": day.isoformat()})))[0]


def coming(kind: str, at: At, days: int) -> Program:
    """Forecast of the next days.

    Args:
        kind: As in `past`.
        at: Where.
        days: How many, from tomorrow on.
    """
    day = yield from today()
    first, last = later(day, 1), later(day, days)
    return table((yield (f"get_{kind}_forecast", {**at, "start_date": first, "end_date": last})))


def hourly(at: At, day: str) -> Program:
    """The hours of a day.

    Args:
        at: Where.
        day: Which.
    """
    return table((yield ("get_hourly_weather", {**at, "date": day})))


# What they do with it.


def later(day: date, days: int) -> str:
    """The date that many `days` after `day`, before it if they are negative, in words of the tools: YYYY-MM-DD."""
    return (day + timedelta(days=days)).isoformat()


def column(rows: Iterable[Row], name: str) -> list[Any]:
    """The value that each of `rows`, days or hours, has under `name`, with repetitions and in their order."""
    return [row[name] for row in rows]


def days_of(rows: Iterable[Row], name: str) -> dict[str, Any]:
    """The value that each of `rows` has under `name`, by its date or, if rows are hours, by its time of day."""
    return {row["time"]: row[name] for row in rows}


def mean(values: Iterable[float]) -> float:
    """The mean; answers may round it to two decimals."""
    known = list(values)
    if not known:
        raise Unfit
    return round(sum(known) / len(known), EXACT)


def total(values: Iterable[float]) -> float:
    """The sum, to the tenth that the tools tell."""
    return round(sum(values), 1)


def longest(marks: Iterable[bool]) -> int:
    """Length of the longest run of marks."""
    run = most = 0
    for mark in marks:
        run = run + 1 if mark else 0
        most = max(most, run)
    return most


def part(found: list[str], whole: Iterable[Any]) -> list[str]:
    """What was `found`, a part of `whole`; where it is all of that, nobody need look, and the question is not asked."""
    if len(found) == len(list(whole)):
        raise Unfit
    return found


def part_of(count: int, rows: list[Row]) -> int:
    """The `count` of some of `rows`; where it is none, one or all of them, it is guessed too easily."""
    if not 2 <= count < len(rows):
        raise Unfit
    return count
