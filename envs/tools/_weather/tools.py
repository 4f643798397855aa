"""The tools of the weather world: those of AgentBoard with their names and arguments, and more of the same service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from agentgym.core.rng import stream
from agentgym.envs._kit.tools import FINISH, Toolbox, ToolError, tool
from agentgym.envs.tools._weather.climate import AHEAD, DAYS, FIRST, Series, forecast, hours, series
from agentgym.envs.tools._weather.places import Place, by_country, kilometers, named, nearest, places

QUICK, READ = 0.1, 0.6  # virtual seconds
SPAN = 30  # most days of one query
EARLIEST = 90  # days of history there are at least
REMEMBERED = 256
UNITS = {
    "temperature_2m_max": "°C", "temperature_2m_min": "°C", "temperature_2m_mean": "°C", "rain_sum": "mm",
    "snowfall_sum": "cm", "wind_speed_10m_max": "km/h", "european_aqi_pm2_5": "EAQI",
}  # fmt: skip
FIELDS = {
    "temperature_2m_max": "highest", "temperature_2m_min": "lowest", "temperature_2m_mean": "mean", "rain_sum": "rain",
    "snowfall_sum": "snow", "wind_speed_10m_max": "wind", "european_aqi_pm2_5": "air",
}  # fmt: skip
KINDS = {
    "temp": ("temperature_2m_max", "temperature_2m_min", "temperature_2m_mean"),
    "rain": ("rain_sum",),
    "snow": ("snowfall_sum",),
    "wind": ("wind_speed_10m_max",),
    "air_quality_index": ("european_aqi_pm2_5",),
}
LEVELS = ((20, "good"), (40, "fair"), (60, "moderate"), (80, "poor"), (100, "very poor"))
WORST = "extremely poor"
BERLIN = {"latitude": 52.52, "longitude": 13.41}  # of the worked examples
RULES = (
    "You answer questions about places and their weather with tools. A place is written with the code of its country, "
    'as in "Valencia, ES"; several places may share a name. Records begin on 2022-01-01. What lies before the current '
    f"date is history, what comes after it is forecast, up to {AHEAD} days ahead; a query spans at most {SPAN} days. "
    "Temperatures are in °C, rain in mm, snowfall in cm, wind in km/h. A day is dry if it has 0 mm of rain. Look up "
    "what you need and end with finish."
)


class Setting(NamedTuple):
    """Where and when the user is; `today` counts from `FIRST` on."""

    today: int
    home: Place


@lru_cache(REMEMBERED)
def setting(seed: int) -> Setting:
    """The user's day and city in a task."""
    rng = stream("weather.setting", seed)
    return Setting(int(rng.integers(EARLIEST, DAYS - AHEAD)), places()[int(rng.integers(len(places())))])


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools read: the weather of a seed, which nothing changes."""

    seed: int

    @property
    def today(self) -> date:
        """The user's current date."""
        return day_of(setting(self.seed).today)

    @property
    def home(self) -> Place:
        """The user's city."""
        return setting(self.seed).home


def day_of(number: int) -> date:
    """The date of a day that is counted from `FIRST` on."""
    return FIRST + timedelta(days=number)


def level(index: float) -> str:
    """The level of an air quality index."""
    return next((name for limit, name in LEVELS if index <= limit), WORST)


def _check(latitude: float, longitude: float) -> None:
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise ToolError(
            f"({latitude:g}, {longitude:g}) is no point: latitude is from -90 to 90, longitude from -180 to 180."
        )


def _place(latitude: float, longitude: float) -> Place:
    _check(latitude, longitude)
    found = nearest(float(latitude), float(longitude))
    if found is None:
        raise ToolError(
            f"There is no station near ({latitude:g}, {longitude:g}); get_latitude_longitude gives coordinates."
        )
    return found


def _day(name: str, text: str) -> int:
    """A date in days from `FIRST` on."""
    try:
        said = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        said = None
    if said is None:
        raise ToolError(f"{name} {text[:20]!r} is no date; write it as YYYY-MM-DD, such as 2022-06-30.")
    return (said - FIRST).days


def _days(first: int, last: int) -> range:
    if last < first:
        raise ToolError("start_date should not be later than end_date; exchange them.")
    if last - first >= SPAN:
        raise ToolError(f"A query spans at most {SPAN} days, this one {last - first + 1}; split it into several.")
    return range(first, last + 1)


def _past(desk: Desk, start_date: str, end_date: str) -> range:
    """The days of a query of history."""
    first, last = _day("start_date", start_date), _day("end_date", end_date)
    for name, day in (("start_date", first), ("end_date", last)):
        if day >= setting(desk.seed).today:
            raise ToolError(
                f"{name} should be earlier than the current date {desk.today}; other tools tell today and forecasts."
            )
        if day < 0:
            raise ToolError(f"{name} should be {FIRST} or later, where the records begin.")
    return _days(first, last)


def _coming(desk: Desk, start_date: str, end_date: str) -> range:
    """The days of a query of forecasts."""
    first, last = _day("start_date", start_date), _day("end_date", end_date)
    today = setting(desk.seed).today
    for name, day in (("start_date", first), ("end_date", last)):
        if day <= today:
            raise ToolError(f"{name} should be later than the current date {desk.today}.")
        if day > today + AHEAD:
            raise ToolError(f"{name} is too far ahead; forecasts reach {day_of(today + AHEAD)}.")
    return _days(first, last)


def _told(place: Place, kind: str, known: Series, days: range) -> dict[str, Any]:
    """Days of a place as the service answers."""
    rows: dict[str, list[Any]] = {"time": [day_of(day).isoformat() for day in days]}
    for name in KINDS[kind]:
        values = getattr(known, FIELDS[name])[days.start : days.stop].tolist()
        rows[name] = values if FIELDS[name] == "air" else [value / 10 for value in values]
    units = {"time": "iso8601", **{name: UNITS[name] for name in KINDS[kind]}}
    return {"latitude": place.latitude, "longitude": place.longitude, "daily_units": units, "daily": rows}


def _history(desk: Desk, kind: str, latitude: float, longitude: float, start_date: str, end_date: str) -> Any:
    place, days = _place(latitude, longitude), _past(desk, start_date, end_date)
    return _told(place, kind, series(desk.seed, place.number), days)


def _forecast(desk: Desk, kind: str, latitude: float, longitude: float, start_date: str, end_date: str) -> Any:
    place, days = _place(latitude, longitude), _coming(desk, start_date, end_date)
    return _told(place, kind, forecast(desk.seed, place.number, setting(desk.seed).today), days)


def _current(desk: Desk, kind: str, latitude: float, longitude: float, current_date: str) -> Any:
    place, day = _place(latitude, longitude), _day("current_date", current_date)
    if day != setting(desk.seed).today:
        raise ToolError("current_date is not the current date; get_user_current_date gives it.")
    return _told(place, kind, series(desk.seed, place.number), range(day, day + 1))


@tool({}, seconds=QUICK)
def get_user_current_date(desk: Desk) -> str:
    """Get the user's current date, as YYYY-MM-DD."""
    return desk.today.isoformat()


@tool({}, seconds=QUICK)
def get_user_current_location(desk: Desk) -> str:
    """Get the user's current city with the code of its country."""
    return desk.home.label


@tool({"name": "Valencia"}, seconds=READ)
def get_latitude_longitude(desk: Desk, name: str) -> dict[str, Any]:
    """Get coordinates and country code of up to three places of a name.

    Args:
        desk: Of the task; not read, since the places of the world are the same for every seed.
        name: Of the place, without its country.
    """
    found = named(name)
    if not found:
        raise ToolError(
            f"No place is called {name[:30]!r}; leave out the country code. get_places lists those of a country."
        )
    rows = [
        {"name": at.name, "latitude": at.latitude, "longitude": at.longitude, "country_code": at.climate.code}
        for at in found
    ]
    return {"results": rows}


@tool({}, seconds=READ)
def get_countries(desk: Desk) -> list[dict[str, str]]:
    """Get all countries with their codes."""
    return [{"name": rows[0].climate.country, "country_code": code} for code, rows in by_country().items()]


@tool({"country_code": "DE"}, seconds=READ)
def get_places(desk: Desk, country_code: str) -> list[dict[str, Any]]:
    """Get all places of a country: name, latitude, longitude.

    Args:
        desk: Of the task; not read, since a country's places are the same for every seed.
        country_code: Two letters, as get_countries gives them.
    """
    found = by_country().get(country_code.strip().upper())
    if found is None:
        raise ToolError(f"There is no country {country_code[:20]!r}; get_countries gives the codes.")
    return [{"name": at.name, "latitude": at.latitude, "longitude": at.longitude} for at in found]


@tool(BERLIN, seconds=READ)
def get_elevation(desk: Desk, latitude: float, longitude: float) -> dict[str, Any]:
    """Get the elevation of a place in meters.

    Args:
        desk: Of the task; not read, since a place lies as high for every seed.
        latitude: In degrees.
        longitude: In degrees.
    """
    return {"elevation": [_place(latitude, longitude).elevation]}


@tool({"latitude1": 52.52, "longitude1": 13.41, "latitude2": 48.14, "longitude2": 11.58}, seconds=QUICK)
def get_distance(desk: Desk, latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """Get the distance between two points in kilometers.

    Args:
        desk: Of the task; not read, since the distance is computed from the arguments alone.
        latitude1: Of the first point, in degrees.
        longitude1: Of the first point.
        latitude2: Of the second point.
        longitude2: Of the second point.
    """
    _check(latitude1, longitude1)
    _check(latitude2, longitude2)
    return round(kilometers(latitude1, longitude1, latitude2, longitude2), 2)


ABOUT = {
    "temp": "greatest, least and mean temperature of each day",
    "rain": "rain of each day",
    "snow": "snowfall of each day",
    "wind": "greatest wind speed of each day",
    "air_quality_index": "air quality index (PM2.5, at noon) of each day",
}


def _of_past(kind: str) -> Any:
    def read(desk: Desk, latitude: float, longitude: float, start_date: str, end_date: str) -> dict[str, Any]:
        return _history(desk, kind, latitude, longitude, start_date, end_date)

    read.__doc__ = f"""Get the {ABOUT[kind]} at a place in the past.

    Args:
        latitude: In degrees.
        longitude: In degrees.
        start_date: First day, as YYYY-MM-DD, before the current date.
        end_date: Last day, as YYYY-MM-DD, before the current date.
    """
    example = {**BERLIN, "start_date": "2022-01-03", "end_date": "2022-01-09"}
    return tool(example if kind == "temp" else None, name=f"get_historical_{kind}", seconds=READ)(read)


def _of_future(kind: str) -> Any:
    def read(desk: Desk, latitude: float, longitude: float, start_date: str, end_date: str) -> dict[str, Any]:
        return _forecast(desk, kind, latitude, longitude, start_date, end_date)

    read.__doc__ = f"""Get a forecast of the {ABOUT[kind]} at a place.

    Args:
        latitude: In degrees.
        longitude: In degrees.
        start_date: First day, as YYYY-MM-DD, after the current date.
        end_date: Last day, as YYYY-MM-DD, at most {AHEAD} days after the current date.
    """
    return tool(name=f"get_{kind}_forecast", seconds=READ)(read)


def _of_today(kind: str) -> Any:
    def read(desk: Desk, latitude: float, longitude: float, current_date: str) -> dict[str, Any]:
        return _current(desk, kind, latitude, longitude, current_date)

    read.__doc__ = f"""Get the {ABOUT[kind].replace("each day", "today")} at a place.

    Args:
        latitude: In degrees.
        longitude: In degrees.
        current_date: The current date, as YYYY-MM-DD.
    """
    return tool(name=f"get_current_{kind}", seconds=READ)(read)


@tool({"latitude": 52.52, "longitude": 13.41, "date": "2022-01-03"}, seconds=READ)
def get_hourly_weather(desk: Desk, latitude: float, longitude: float, date: str) -> dict[str, Any]:
    """Get temperature, rain, snowfall and wind speed of each hour of a past day or today, from 00:00 to 23:00.

    Args:
        desk: Its seed decides the weather, and the current date after which no hours are known.
        latitude: In degrees.
        longitude: In degrees.
        date: As YYYY-MM-DD, not after the current date.
    """
    place, day = _place(latitude, longitude), _day("date", date)
    if not 0 <= day <= setting(desk.seed).today:
        raise ToolError(f"Hours are known from {FIRST} to the current date {desk.today}; forecasts are of days only.")
    known = hours(desk.seed, place.number, day)
    rows = {
        "time": [f"{hour:02}:00" for hour in range(24)],
        "temperature_2m": [value / 10 for value in known.temperature],
        "rain": [value / 10 for value in known.rain],
        "snowfall": [value / 10 for value in known.snow],
        "wind_speed_10m": [value / 10 for value in known.wind],
    }
    return {"latitude": place.latitude, "longitude": place.longitude, "hourly": rows}


@tool({"air_quality_index": 35}, seconds=QUICK)
def get_air_quality_level(desk: Desk, air_quality_index: float) -> str:
    """Get the level of an air quality index: good, fair, moderate, poor, very poor or extremely poor.

    Args:
        desk: Of the task; not read, since the bounds of the levels are fixed.
        air_quality_index: Of PM2.5, 0 or more.
    """
    if air_quality_index < 0:
        raise ToolError(f"An air quality index is 0 or more, got {air_quality_index:g}.")
    return level(air_quality_index)


@tool({}, seconds=0.0)
def check_valid_actions(desk: Desk) -> list[str]:
    """Get the names of all tools."""
    return TOOLBOX.names


TOOLBOX = Toolbox(
    (
        get_user_current_date, get_user_current_location, get_latitude_longitude, get_countries, get_places,
        get_elevation, get_distance,
        *(make(kind) for kind in ("temp", "rain", "snow", "wind") for make in (_of_past, _of_today, _of_future)),
        _of_past("air_quality_index"), _of_today("air_quality_index"), get_hourly_weather, get_air_quality_level,
        check_valid_actions,
    ),
    FINISH,
    RULES,
)  # fmt: skip
