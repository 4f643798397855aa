"""Weather: places and their climate, answers computed a second time from the series, the published tools, refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.envs._kit.tools.question_world import solve
from agentgym.envs._kit.tools.questions import by_itself
from agentgym.envs.tools._weather.climate import DAYS, FIRST, Series, forecast, hours, series
from agentgym.envs.tools._weather.places import Place, by_country, kilometers, named, nearest, places
from agentgym.envs.tools._weather.tools import TOOLBOX, Desk, level, setting
from agentgym.envs.tools.weather import WeatherEnv

SPAN = ["latitude", "longitude", "start_date", "end_date"]
PUBLISHED = {  # tools of AgentBoard's weather environment with their arguments
    "get_user_current_date": [],
    "get_user_current_location": [],
    "get_latitude_longitude": ["name"],
    "get_elevation": ["latitude", "longitude"],
    "get_distance": ["latitude1", "longitude1", "latitude2", "longitude2"],
    **{f"get_historical_{kind}": SPAN for kind in ("temp", "rain", "snow", "air_quality_index")},
    **{f"get_{kind}_forecast": SPAN for kind in ("temp", "rain", "snow")},
    **{
        f"get_current_{kind}": ["latitude", "longitude", "current_date"]
        for kind in ("temp", "rain", "snow", "air_quality_index")
    },
    "get_air_quality_level": ["air_quality_index"],
    "check_valid_actions": [],
    "finish": ["answer"],
}
SEED = 5
LABELS = {place.label: place for place in places()}


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def asked(template: str) -> Iterator[tuple[Desk, dict[str, Any], Any]]:
    """Data, arguments and answer of some problems of a template, one after the other."""
    found = [solve(WeatherEnv.world, seed, template, 0) for seed in range(400, 408)]
    assert sum(problem is not None for problem in found) >= 4
    for problem in found:
        if problem is not None:
            yield problem.begin, dict(problem.arguments), problem.trace.answer


def period(desk: Desk, arguments: dict[str, Any], name: str = "place", begin: str = "day") -> tuple[Series, slice]:
    """The weather of the place that was named and the days that were named."""
    last = {"day": "last_day", "winter_day": "spring_day"}[begin]
    days = [(date.fromisoformat(arguments[key]) - FIRST).days for key in (begin, last)]
    return series(desk.seed, LABELS[arguments[name]].number), slice(days[0], days[1] + 1)


def on(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def test_the_published_tools_are_there() -> None:
    for name, arguments in PUBLISHED.items():
        (schema,) = [tool["function"] for tool in TOOLBOX.grammar.tools if tool["function"]["name"] == name]
        assert set(arguments) <= set(schema["parameters"]["properties"]), name


def test_there_are_many_places_where_they_are() -> None:
    assert len(places()) >= 200
    assert len(LABELS) == len(places())
    assert all(len(rows) >= 7 for rows in by_country().values())
    for place in places():
        assert nearest(place.latitude, place.longitude) is place
        assert -30 <= place.elevation <= 4000
    assert kilometers(52.52, 13.41, 48.14, 11.58) == pytest.approx(504, abs=2)
    assert kilometers(-34.6, -58.38, 51.51, -0.13) == pytest.approx(11_130, abs=30)
    assert {place.climate.code for place in named("valencia")} == {"ES", "VE"}
    assert nearest(0.0, -30.0) is None


def yearly(place: Place, name: str) -> float:
    return float(getattr(series(SEED, place.number), name).mean())


def test_the_climate_is_that_of_the_globe() -> None:
    """Cold in the north and high up, summer when the sun is there, snow where it freezes, seldom rain in the desert."""
    at = LABELS
    assert yearly(at["Kiruna, SE"], "mean") < yearly(at["Malmo, SE"], "mean") < yearly(at["Seville, ES"], "mean")
    assert yearly(at["Cusco, PE"], "mean") < yearly(at["Iquitos, PE"], "mean") - 80
    january, july = slice(0, 31), slice(181, 212)
    for label, sign in (("Berlin, DE", 1), ("Sydney, AU", -1), ("Chicago, US", 1), ("Ushuaia, AR", -1)):
        known = series(SEED, at[label].number).mean
        assert sign * (known[july].mean() - known[january].mean()) > 40, label
    assert series(SEED, at["Recife, BR"].number).snow.sum() == 0
    assert series(SEED, at["Tromso, NO"].number).snow.sum() > 500
    dry, wet = (series(SEED, at[label].number) for label in ("Cairo, EG", "Bergen, NO"))
    assert (dry.rain > 0).mean() < (wet.rain + wet.snow > 0).mean() / 2
    for label in ("Harbin, CN", "Nairobi, KE", "Quebec, CA"):
        known = series(SEED, at[label].number)
        assert (known.lowest <= known.mean).all()
        assert (known.mean <= known.highest).all()
        assert (known.rain >= 0).all()
        assert known.air.min() >= 1
        assert len(known.mean) == DAYS


def test_weather_lasts_and_is_shared_by_neighbors() -> None:
    labels = ["Zurich, CH", "Basel, CH", "Sydney, AU"]
    changes = [_anomaly(label) for label in labels]
    assert np.corrcoef(changes[0], changes[1])[0, 1] > 0.6 > abs(np.corrcoef(changes[0], changes[2])[0, 1])
    assert np.corrcoef(changes[0][1:], changes[0][:-1])[0, 1] > 0.5
    assert (series(SEED, 3).mean != series(SEED + 1, 3).mean).any()


def _anomaly(label: str) -> Any:
    """Daily means without their season: less the mean of the 31 days around."""
    known = series(SEED, LABELS[label].number).mean / 10
    return known[15:-15] - np.convolve(known, np.ones(31) / 31, "valid")


def test_hours_and_days_agree() -> None:
    for number, day in ((3, 0), (40, 200), (111, 729), (250, 380)):
        known, told = series(SEED, number), hours(SEED, number, day)
        assert (max(told.temperature), min(told.temperature)) == (known.highest[day], known.lowest[day])
        assert np.mean(told.temperature) == pytest.approx(known.mean[day], abs=0.51)
        assert (sum(told.rain), sum(told.snow), max(told.wind)) == (known.rain[day], known.snow[day], known.wind[day])


def test_forecasts_err_more_the_further_ahead() -> None:
    truth, off = [], []
    for number in range(0, 120):
        expected = forecast(SEED, number, 300).highest[301:315]
        off.append(np.abs(expected - series(SEED, number).highest[301:315]))
        truth.append(series(SEED, number).highest[300] == forecast(SEED, number, 300).highest[300])
    mean = np.array(off).mean(0)
    assert all(truth)
    assert 0 < mean[:3].mean() < mean[-3:].mean() / 1.5


def test_levels_of_air_have_no_gap() -> None:
    assert [level(index) for index in (0, 20, 20.5, 40, 40.5, 80.1, 100, 100.1)] == [
        "good", "good", "fair", "fair", "moderate", "very poor", "very poor", "extremely poor",
    ]  # fmt: skip


def test_answers_on_temperature_by_another_way() -> None:
    for desk, arguments, answer in asked("mean_of_period"):
        known, days = period(desk, arguments)
        assert answer == pytest.approx(known.mean[days].mean() / 10, abs=0.0051)
    for desk, arguments, answer in asked("hottest_day"):
        known, days = period(desk, arguments)
        assert answer == on(days.start + int(known.highest[days].argmax()))
    for desk, arguments, answer in asked("longest_cold_spell"):
        known, days = period(desk, arguments)
        marks = "".join("x" if low < 10 * arguments["degrees"] else " " for low in known.lowest[days])
        assert answer == max(map(len, marks.split()))
    for desk, arguments, answer in asked("low_days_ago"):
        setting_of = setting(desk.seed)
        lowest = series(desk.seed, setting_of.home.number).lowest[setting_of.today - arguments["ago"]]
        assert answer == lowest / 10


def test_answers_on_rain_snow_wind_and_air_by_another_way() -> None:
    for desk, arguments, answer in asked("rain_of_month"):
        known = series(desk.seed, LABELS[arguments["place"]].number).rain
        total = sum(int(known[day]) for day in range(DAYS) if on(day).startswith(arguments["month"]))
        assert answer == pytest.approx(total / 10)
    for desk, arguments, answer in asked("snow_of_period"):
        known, days = period(desk, arguments, "cold_place", "winter_day")
        assert answer == pytest.approx(known.snow[days].sum() / 10)
    for desk, arguments, answer in asked("high_of_windiest_day"):
        known, days = period(desk, arguments)
        assert answer == known.highest[days.start + int(known.wind[days].argmax())] / 10
    for desk, arguments, answer in asked("bad_air_days"):
        known, days = period(desk, arguments)
        assert answer == (known.air[days] > arguments["index"]).sum()
    for desk, arguments, answer in asked("hottest_to_come"):
        today, number = setting(desk.seed).today, LABELS[arguments["place"]].number
        coming = forecast(desk.seed, number, today).highest[today + 1 : today + 1 + arguments["ahead"]]
        assert answer == on(today + 1 + int(coming.argmax()))


def test_answers_on_geography_by_another_way() -> None:
    for _, arguments, answer in asked("farthest_in_country"):
        start = LABELS[arguments["place"]]
        rows = [at for at in places() if at.climate.country == by_itself(arguments["country"])]
        ranked = sorted(rows, key=lambda at: kilometers(start.latitude, start.longitude, at.latitude, at.longitude))
        assert answer == ranked[-1].label
    for _, arguments, answer in asked("places_above"):
        rows = [at for at in places() if at.climate.country == by_itself(arguments["country"])]
        assert sorted(answer) == sorted(at.label for at in rows if at.elevation > arguments["meters"])


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (said("get_latitude_longitude", name="Valencia, ES"), "No place is called 'Valencia, ES'; leave out"),
        (said("get_latitude_longitude", name="x" * 400), "No place is called 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"),
        (said("get_latitude_longitude", name=""), "No place is called ''"),
        (said("get_latitude_longitude"), "get_latitude_longitude: arguments lacks 'name'"),
        (said("get_places", country_code="Spain"), "There is no country 'Spain'; get_countries gives the codes."),
        (said("get_elevation", latitude=95, longitude=0), "(95, 0) is no point: latitude is from -90 to 90"),
        (said("get_elevation", latitude=0, longitude=-30), "There is no station near (0, -30)"),
        (said("get_elevation", latitude="52.5", longitude=13), "get_elevation: arguments.latitude must be of type"),
        (said("get_elevation", latitude=10**12, longitude=0), "get_elevation: arguments.latitude must be at most"),
        (said("get_distance", latitude1=0, longitude1=0, latitude2=0), "get_distance: arguments lacks 'longitude2'"),
        (said("get_distance", latitude1=0, longitude1=0, latitude2=0, longitude2=200), "(0, 200) is no point"),
        (said("get_air_quality_level", air_quality_index=-1), "An air quality index is 0 or more, got -1."),
        (said("get_weather", name="x"), "there is no tool 'get_weather'"),
        ("{past:2022-02-01:June}", "end_date 'June' is no date; write it as YYYY-MM-DD"),
        ("{past:2022-02-30:2022-03-01}", "start_date '2022-02-30' is no date"),
        ("{past:2021-12-31:2022-01-02}", "start_date should be 2022-01-01 or later, where the records begin."),
        ("{past:2022-01-01:{today}}", "end_date should be earlier than the current date"),
        ("{past:2022-01-09:2022-01-02}", "start_date should not be later than end_date"),
        ("{past:2022-01-01:2022-01-31}", "A query spans at most 30 days, this one 31; split it into several."),
        ("{coming:{today}:{today}}", "start_date should be later than the current date"),
        ("{coming:{tomorrow}:2031-01-01}", "end_date is too far ahead; forecasts reach"),
        (said("get_current_temp", latitude=52.52, longitude=13.41, current_date="2022-01-01"), "current_date is not"),
        (said("get_hourly_weather", latitude=52.52, longitude=13.41, date="2031-01-01"), "Hours are known from 2022"),
    ],
)  # fmt: skip
def test_refusals_say_what_to_do(action: str, reason: str) -> None:
    env = agentgym.make("Weather-v0").unwrapped
    env.reset(seed=0)
    today = env._state.data.today
    action = action.replace("{today}", str(today)).replace("{tomorrow}", str(today + timedelta(days=1)))
    if action.startswith("{past:") or action.startswith("{coming:"):
        kind, first, last = action.strip("{}").split(":")
        name = {"past": "get_historical_temp", "coming": "get_rain_forecast"}[kind]
        action = said(name, latitude=52.52, longitude=13.41, start_date=first, end_date=last)
    before = env.state_key()
    text, _, _, _, info = env.step(action)
    assert text.startswith(reason)
    assert (info["action_valid"], env.state_key()) == (False, before)
    assert "\n" not in text
    assert len(text) < 700 if "there is no tool" in text else len(text) < 220


def test_coordinates_nearby_belong_to_the_same_station() -> None:
    desk, arguments = Desk(7), {"start_date": "2022-01-03", "end_date": "2022-01-09"}
    answers = [
        TOOLBOX.run("get_historical_rain", desk, {"latitude": at[0], "longitude": at[1], **arguments})
        for at in ((52.52, 13.41), (52.6, 13.5))
    ]
    assert answers[0] == answers[1]
    assert answers[0]["daily"]["time"][0] == "2022-01-03"
    assert answers[0]["daily_units"] == {"time": "iso8601", "rain_sum": "mm"}
