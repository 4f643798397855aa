"""Questions about the current day, its hours, the days to come, and the air."""

from __future__ import annotations

from agentgym.envs._kit.tools import Program, Unfit, best
from agentgym.envs.tools._weather.slots import (
    AIR,
    BOOK,
    HIGH,
    LOW,
    MEAN,
    RAIN,
    WIND,
    column,
    coming,
    days_of,
    here,
    hourly,
    in_month,
    later,
    longest,
    mean,
    now,
    on,
    part,
    part_of,
    past,
    spot,
    spots,
    today,
    total,
    within,
)

TEMPERATURE, HOURLY_RAIN, SPEED = "temperature_2m", "rain", "wind_speed_10m"


@BOOK.ask(
    "reading", 2,
    'What was the temperature in "{place}" at {hour} on {day}?',
    'How warm was it in "{place}" on {day} at {hour}, in °C?',
    'Look at the hours of {day} in "{place}": which temperature belongs to {hour}?',
)  # fmt: skip
def _temperature_at(place: str, hour: str, day: str) -> Program:
    return days_of((yield from hourly((yield from spot(place)), day)), TEMPERATURE)[hour]


@BOOK.ask(
    "number", 2,
    'By how many degrees did the temperatures of {hour} and {other_hour} differ in "{place}" on {day}?',
    'On {day} in "{place}", what is the difference without a sign of the temperatures at {hour} and at {other_hour}?',
    'How many °C lay between {hour} and {other_hour} in "{place}" on {day}, warmer or colder?',
)  # fmt: skip
def _difference_of_hours(place: str, hour: str, other_hour: str, day: str) -> Program:
    known = days_of((yield from hourly((yield from spot(place)), day)), TEMPERATURE)
    return abs(total([known[hour], -known[other_hour]]))


@BOOK.ask(
    "number", 2,
    'For how many hours of {day} was it warmer than {degrees} °C in "{place}"?',
    'Count the hours of {day} with a temperature above {degrees} °C in "{place}".',
    'In "{place}", how many of the 24 values of {day} exceed {degrees} °C?',
)  # fmt: skip
def _hours_above(place: str, day: str, degrees: int) -> Program:
    rows = yield from hourly((yield from spot(place)), day)
    return part_of(sum(row[TEMPERATURE] > degrees for row in rows), rows)


@BOOK.ask(
    "number", 2,
    'How much rain fell in "{place}" on {day} from {hour} to {other_hour}, both hours included, in mm?',
    'Sum the hourly rain of {day} in "{place}" between {hour} and {other_hour} (both count). How many mm is that?',
    'On {day}, how many mm of rain did the hours {hour} up to and including {other_hour} bring to "{place}"?',
)  # fmt: skip
def _rain_of_hours(place: str, day: str, hour: str, other_hour: str) -> Program:
    rows = yield from hourly((yield from spot(place)), day)
    return total(row[HOURLY_RAIN] for row in rows if hour <= row["time"] <= other_hour)


@BOOK.ask(
    "reading", 3,
    'How warm was it in "{place}" in the hour of {day} with the strongest wind?',
    'Find the hour of {day} with the greatest wind speed in "{place}". What was the temperature in that hour, in °C?',
    'On {day}, which temperature did "{place}" have when the wind blew fastest, by the hourly values?',
)  # fmt: skip
def _temperature_in_wind(place: str, day: str) -> Program:
    rows = yield from hourly((yield from spot(place)), day)
    return days_of(rows, TEMPERATURE)[best(days_of(rows, SPEED))]


@BOOK.ask(
    "number", 3,
    'What is the mean of the hourly wind speeds of {day} in "{place}" over the hours from {hour} on? Two decimals.',
    'Average the wind of "{place}" on {day} from {hour} until the end of the day, in km/h to two decimals.',
    'On {day}, how many km/h was the wind in "{place}" on average in the hours {hour} to 23:00? Give two decimals.',
)  # fmt: skip
def _mean_wind_from(place: str, day: str, hour: str) -> Program:
    rows = yield from hourly((yield from spot(place)), day)
    return mean(row[SPEED] for row in rows if row["time"] >= hour)


@BOOK.ask(
    "number", 3,
    'By how many degrees did the hours {hour} of {day} differ in temperature between "{place}" and "{other_place}"?',
    'At {hour} on {day}, how many °C lay between "{place}" and "{other_place}"?',
    'Take the temperature at {hour} of {day} in "{place}" and in "{other_place}": how far are they apart?',
)  # fmt: skip
def _difference_at_hour(place: str, other_place: str, day: str, hour: str) -> Program:
    first = days_of((yield from hourly((yield from spot(place)), day)), TEMPERATURE)[hour]
    other = days_of((yield from hourly((yield from spot(other_place)), day)), TEMPERATURE)[hour]
    return abs(total([first, -other]))


@BOOK.ask(
    "reading", 3,
    'What is the mean temperature in "{place}" on the current day?',
    'How warm is "{place}" today on average, in °C?',
    'Give the average temperature of the current date in "{place}" in °C.',
)  # fmt: skip
def _mean_today(place: str) -> Program:
    return (yield from now("temp", (yield from spot(place))))[MEAN]


@BOOK.ask(
    "number", 4,
    'By how many degrees does the maximum of the current day differ from that of {ago} days ago in "{place}"?',
    'How many °C lie between the highest temperatures of today and of the day {ago} days before in "{place}"?',
    'In "{place}", compare the maximum of today and that of {ago} days back: what is the difference without a sign?',
)  # fmt: skip
def _change_since(place: str, ago: int) -> Program:
    at, day = (yield from spot(place)), (yield from today())
    first = (yield from now("temp", at))[HIGH]
    return abs(total([first, -(yield from on("temp", at, later(day, -ago)))[HIGH]]))


@BOOK.ask(
    "number", 4,
    'By how many degrees do the mean temperatures of today differ between my city and "{place}"?',
    'How many °C lie between where I am and "{place}" in the mean temperature of the current day?',
    'Compare the average temperature of the current date at my location and in "{place}": how far are they apart?',
)  # fmt: skip
def _difference_from_here(place: str) -> Program:
    first = (yield from now("temp", (yield from here())))[MEAN]
    return abs(total([first, -(yield from now("temp", (yield from spot(place))))[MEAN]]))


@BOOK.ask(
    "name", 3,
    'Which of "{place}", "{other_place}", "{third_place}" and "{fourth_place}" is the windiest today?',
    'Where does the wind blow fastest today: "{place}", "{other_place}", "{third_place}" or "{fourth_place}"?',
    'Compare the wind of the current date in "{place}", "{other_place}", "{third_place}", "{fourth_place}": who leads?',
)  # fmt: skip
def _windiest_today(place: str, other_place: str, third_place: str, fourth_place: str) -> Program:
    found = {}
    for name, at in (yield from spots(place, other_place, third_place, fourth_place)).items():
        found[name] = (yield from now("wind", at))[WIND]
    return best(found)


@BOOK.ask(
    "reading", 3,
    'Which maximum temperature is forecast for "{place}" on the day {ahead} days from now?',
    'How warm is it expected to get in "{place}" in {ahead} days? Give the maximum in °C.',
    'The forecast for the day {ahead} days after the current date: what is the highest temperature in "{place}"?',
)  # fmt: skip
def _high_to_come(place: str, ahead: int) -> Program:
    return (yield from coming("temp", (yield from spot(place)), ahead))[-1][HIGH]


@BOOK.ask(
    "number", 3,
    'How many mm of rain are forecast for "{place}" in the next {ahead} days together?',
    'Add up the rain expected in "{place}" over the coming {ahead} days, in mm.',
    'By the forecast, what is the total rain of the {ahead} days after the current date in "{place}", in mm?',
)  # fmt: skip
def _rain_to_come(place: str, ahead: int) -> Program:
    return total(column((yield from coming("rain", (yield from spot(place)), ahead)), RAIN))


@BOOK.ask(
    "date", 3,
    'On which of the next {ahead} days is the highest temperature expected in "{place}"?',
    'The forecast for "{place}": which of the coming {ahead} days will be the hottest by its maximum?',
    'Within the next {ahead} days, when will "{place}" reach its greatest temperature, by the forecast?',
)  # fmt: skip
def _hottest_to_come(place: str, ahead: int) -> Program:
    return best(days_of((yield from coming("temp", (yield from spot(place)), ahead)), HIGH))


@BOOK.ask(
    "date", 3,
    'Which of the next {ahead} days is the first without rain in "{place}", by the forecast?',
    'I want a dry day in "{place}". Which is the earliest in the forecast of the next {ahead} days?',
    'By the forecast of {ahead} days, when does "{place}" have its next dry day after the current date?',
)  # fmt: skip
def _next_dry_day(place: str, ahead: int) -> Program:
    rows = yield from coming("rain", (yield from spot(place)), ahead)
    if rows[0][RAIN] == 0:  # tomorrow would be guessed
        raise Unfit
    return next((row["time"] for row in rows if row[RAIN] == 0), None)


@BOOK.ask(
    "name", 3,
    'Of "{place}", "{other_place}", "{third_place}" and "{fourth_place}", which is to be hottest tomorrow, by maxima?',
    'Where will it be hottest tomorrow: "{place}", "{other_place}", "{third_place}" or "{fourth_place}"?',
    'By the forecast of tomorrow, which of "{place}", "{other_place}", "{third_place}", "{fourth_place}" gets warmest?',
)  # fmt: skip
def _hottest_tomorrow(place: str, other_place: str, third_place: str, fourth_place: str) -> Program:
    found = {}
    for name, at in (yield from spots(place, other_place, third_place, fourth_place)).items():
        found[name] = (yield from coming("temp", at, 1))[0][HIGH]
    return best(found)


@BOOK.ask(
    "number", 4,
    'By how many degrees does the forecast minimum of the day in {ahead} days differ from that of today in "{place}"?',
    'In "{place}", how many °C lie between the minimum of today and the one forecast for {ahead} days ahead?',
    'Compare the minimum of today in "{place}" and the minimum expected in {ahead} days: what is the difference?',
)  # fmt: skip
def _change_to_come(place: str, ahead: int) -> Program:
    at = yield from spot(place)
    first = (yield from now("temp", at))[LOW]
    return abs(total([first, -(yield from coming("temp", at, ahead))[-1][LOW]]))


@BOOK.ask(
    "list", 4,
    'In which places of {country} is a minimum below {degrees} °C forecast for tomorrow?',
    'Name the places in {country} that expect less than {degrees} °C at the coldest tomorrow.',
    'Where in {country} will the temperature fall under {degrees} °C tomorrow, by the forecast? Name the places.',
)  # fmt: skip
def _cold_places_tomorrow(country: str, degrees: int) -> Program:
    known, found = (yield from within(country)), []
    for name, at in known.items():
        if (yield from coming("temp", at, 1))[0][LOW] < degrees:
            found.append(name)
    return part(found, known)


@BOOK.ask(
    "number", 4,
    'In the next {ahead} days, how many in "{place}" are forecast dry with a wind speed of at most {speed} km/h?',
    'By the forecast of {ahead} days for "{place}", count the days without rain and with winds up to {speed} km/h.',
    'I sail only on dry days with at most {speed} km/h of wind. How many of the next {ahead} days suit "{place}"?',
)  # fmt: skip
def _calm_dry_days(place: str, ahead: int, speed: int) -> Program:
    at = yield from spot(place)
    dry = {row["time"] for row in (yield from coming("rain", at, ahead)) if row[RAIN] == 0}
    rows = yield from coming("wind", at, ahead)
    return part_of(sum(row[WIND] <= speed and row["time"] in dry for row in rows), rows)


@BOOK.ask(
    "number", 2,
    'What was the air quality index in "{place}" on {day}?',
    'Look up the air quality index (PM2.5) of {day} for "{place}".',
    'How high was the index of air quality on {day} in "{place}"?',
)  # fmt: skip
def _air_on_day(place: str, day: str) -> Program:
    return (yield from on("air_quality_index", (yield from spot(place)), day))[AIR]


@BOOK.ask(
    "name", 4,
    'Which level had the mean air quality index of "{place}" in the month {month}?',
    'Average the daily air quality index of "{place}" over {month}. What level does that mean stand for?',
    'Over {month} as a whole, what was the air quality level in "{place}", going by the mean index?',
)  # fmt: skip
def _level_of_month(place: str, month: str) -> Program:
    values = column((yield from in_month("air_quality_index", (yield from spot(place)), month)), AIR)
    return (yield ("get_air_quality_level", {"air_quality_index": mean(values)}))


@BOOK.ask(
    "date", 2,
    'Which day from {day} to {last_day} had the worst (highest) air quality index in "{place}"?',
    'When was the air in "{place}" at its worst between {day} and {last_day}?',
    'On what day of {day} to {last_day} was the air quality index of "{place}" the greatest?',
)  # fmt: skip
def _worst_air(place: str, day: str, last_day: str) -> Program:
    return best(days_of((yield from past("air_quality_index", (yield from spot(place)), day, last_day)), AIR))


@BOOK.ask(
    "number", 3,
    'On how many days from {day} to {last_day} was the air quality index of "{place}" above {index}?',
    'Count the days between {day} and {last_day} (inclusive) with an air quality index over {index} in "{place}".',
    'How often did the index of air quality exceed {index} in "{place}" in the period {day} to {last_day}?',
)  # fmt: skip
def _bad_air_days(place: str, day: str, last_day: str, index: int) -> Program:
    rows = yield from past("air_quality_index", (yield from spot(place)), day, last_day)
    return part_of(sum(row[AIR] > index for row in rows), rows)


@BOOK.ask(
    "name", 3,
    'Which of "{place}", "{other_place}", "{third_place}" and "{fourth_place}" has the lowest air quality index today?',
    'Where is the air cleanest on the current day: "{place}", "{other_place}", "{third_place}" or "{fourth_place}"?',
    'Compare the current air of "{place}", "{other_place}", "{third_place}", "{fourth_place}": whose index is least?',
)  # fmt: skip
def _best_air_today(place: str, other_place: str, third_place: str, fourth_place: str) -> Program:
    found = {}
    for name, at in (yield from spots(place, other_place, third_place, fourth_place)).items():
        found[name] = (yield from now("air_quality_index", at))[AIR]
    return best(found, -1)


@BOOK.ask(
    "list", 3,
    'In which places of {country} was the air quality index above {index} on {day}?',
    'Name the places in {country} with an air quality index over {index} on {day}.',
    'On {day}, where in {country} did the index of air quality exceed {index}? Name the places.',
)  # fmt: skip
def _bad_air_places(country: str, day: str, index: int) -> Program:
    known, found = (yield from within(country)), []
    for name, at in known.items():
        if (yield from on("air_quality_index", at, day))[AIR] > index:
            found.append(name)
    return part(found, known)


@BOOK.ask(
    "number", 3,
    'How many days in a row was the index of air quality in "{place}" {index} or less at most, {day} to {last_day}?',
    'What is the longest run of days from {day} to {last_day} with an air quality index up to {index} in "{place}"?',
    'Between {day} and {last_day}, how many days running was the air index in "{place}" at most {index} at best?',
)  # fmt: skip
def _longest_clean_spell(place: str, day: str, last_day: str, index: int) -> Program:
    rows = yield from past("air_quality_index", (yield from spot(place)), day, last_day)
    return part_of(longest(row[AIR] <= index for row in rows), rows)
