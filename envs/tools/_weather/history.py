"""Questions about days that are over: temperature, rain, snowfall, wind."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from agentgym.envs._kit.tools import EXACT, Program, Unfit, best, several
from agentgym.envs.tools._weather.slots import (
    BOOK,
    HIGH,
    LOW,
    MEAN,
    RAIN,
    SNOW,
    WIND,
    column,
    days_of,
    here,
    in_month,
    later,
    longest,
    mean,
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


@BOOK.ask(
    "reading", 2,
    'What was the mean temperature in "{place}" on {day}?',
    'How warm was it on average in "{place}" on {day}, in °C?',
    'Give the average temperature of {day} in "{place}" in °C.',
)  # fmt: skip
def _mean_on_day(place: str, day: str) -> Program:
    return (yield from on("temp", (yield from spot(place)), day))[MEAN]


@BOOK.ask(
    "reading", 4,
    'What was the lowest temperature in my city {ago} days ago?',
    'How cold did it get where I am, {ago} days before the current date? Give the minimum in °C.',
    'Go back {ago} days from the current date: what was the minimum temperature in my current location?',
)  # fmt: skip
def _low_days_ago(ago: int) -> Program:
    day = later((yield from today()), -ago)
    return (yield from on("temp", (yield from here()), day))[LOW]


@BOOK.ask(
    "number", 2,
    'How many degrees lay between the highest and the lowest temperature in "{place}" on {day}?',
    'By how many °C did the maximum exceed the minimum temperature in "{place}" on {day}?',
    'On {day}, what was the daily range of temperature (highest minus lowest) in "{place}"?',
)  # fmt: skip
def _range_on_day(place: str, day: str) -> Program:
    row = yield from on("temp", (yield from spot(place)), day)
    return total([row[HIGH], -row[LOW]])


@BOOK.ask(
    "reading", 2,
    'Average the daily mean temperatures of "{place}" from {day} to {last_day}, both included. Give two decimals.',
    'What is the mean of the daily mean temperatures in "{place}" between {day} and {last_day}, to two decimals?',
    'From {day} until {last_day}, how warm was "{place}" on average over the daily means? Give two decimals.',
)  # fmt: skip
def _mean_of_period(place: str, day: str, last_day: str) -> Program:
    return mean(column((yield from past("temp", (yield from spot(place)), day, last_day)), MEAN))


@BOOK.ask(
    "date", 2,
    'Which day from {day} to {last_day} had the highest maximum temperature in "{place}"?',
    'When was it hottest in "{place}" between {day} and {last_day}, going by the daily maximum?',
    'On what day of the period {day} to {last_day} did "{place}" reach its greatest temperature?',
)  # fmt: skip
def _hottest_day(place: str, day: str, last_day: str) -> Program:
    return best(days_of((yield from past("temp", (yield from spot(place)), day, last_day)), HIGH))


@BOOK.ask(
    "date", 2,
    'Between {day} and {last_day}, on which day did the temperature in "{place}" vary most from minimum to maximum?',
    'Which day from {day} to {last_day} had the widest span from lowest to highest temperature in "{place}"?',
    'In "{place}", on which day of {day} to {last_day} was the maximum farthest above the minimum?',
)  # fmt: skip
def _widest_day(place: str, day: str, last_day: str) -> Program:
    rows = yield from past("temp", (yield from spot(place)), day, last_day)
    return best({row["time"]: total([row[HIGH], -row[LOW]]) for row in rows})


@BOOK.ask(
    "date", 3,
    'From {day} to {last_day}, which day was warmer than the day before by the most in "{place}" (daily means)?',
    'In "{place}", on which day between {day} and {last_day} did the mean temperature rise most over the day before?',
    'Compare the mean of each day from {day} to {last_day} in "{place}" with the day before: which day rose most?',
)  # fmt: skip
def _greatest_rise(place: str, day: str, last_day: str) -> Program:
    before_all = later(date.fromisoformat(day), -1)
    rows = yield from past("temp", (yield from spot(place)), before_all, last_day)
    return best({after["time"]: total([after[MEAN], -before[MEAN]]) for before, after in pairwise(rows)})


@BOOK.ask(
    "number", 2,
    'On how many days from {day} to {last_day} was the maximum temperature in "{place}" above {degrees} °C?',
    'Count the days between {day} and {last_day} (inclusive) on which "{place}" got warmer than {degrees} °C.',
    'How often did the daily maximum of "{place}" exceed {degrees} °C in the period {day} to {last_day}?',
)  # fmt: skip
def _days_above(place: str, day: str, last_day: str, degrees: int) -> Program:
    rows = yield from past("temp", (yield from spot(place)), day, last_day)
    return part_of(sum(row[HIGH] > degrees for row in rows), rows)


@BOOK.ask(
    "number", 3,
    'What is the longest run of days, from {day} to {last_day}, with a minimum below {degrees} °C in "{place}"?',
    'In "{place}", how many days running did the minimum stay under {degrees} °C between {day} and {last_day} at most?',
    'Between {day} and {last_day}, how long was the longest spell of days with lows below {degrees} °C in "{place}"?',
)  # fmt: skip
def _longest_cold_spell(place: str, day: str, last_day: str, degrees: int) -> Program:
    rows = yield from past("temp", (yield from spot(place)), day, last_day)
    return part_of(longest(row[LOW] < degrees for row in rows), rows)


@BOOK.ask(
    "number", 2,
    'By how many degrees did the mean temperatures of "{place}" and "{other_place}" differ on {day}?',
    'What is the difference, without a sign, of the mean temperatures of "{place}" and "{other_place}" on {day}?',
    'On {day}, how many °C lay between the daily means of "{place}" and "{other_place}"?',
)  # fmt: skip
def _difference_of_places(place: str, other_place: str, day: str) -> Program:
    first = (yield from on("temp", (yield from spot(place)), day))[MEAN]
    return abs(total([first, -(yield from on("temp", (yield from spot(other_place)), day))[MEAN]]))


@BOOK.ask(
    "name", 2,
    'Which of "{place}", "{other_place}", "{third_place}" and "{fourth_place}" had the highest maximum on {day}?',
    'On {day}, where was it hottest: "{place}", "{other_place}", "{third_place}" or "{fourth_place}"?',
    'Compare the maxima of {day} in "{place}", "{other_place}", "{third_place}", "{fourth_place}": which place leads?',
)  # fmt: skip
def _hottest_of_places(place: str, other_place: str, third_place: str, fourth_place: str, day: str) -> Program:
    found = {}
    for name, at in (yield from spots(place, other_place, third_place, fourth_place)).items():
        found[name] = (yield from on("temp", at, day))[HIGH]
    return best(found)


@BOOK.ask(
    "name", 3,
    'Which place in {country} had the lowest minimum temperature on {day}?',
    'On {day}, where in {country} did it get coldest?',
    'Name the place of {country} with the least temperature of all on {day}.',
)  # fmt: skip
def _coldest_in_country(country: str, day: str) -> Program:
    found = {}
    for name, at in (yield from within(country)).items():
        found[name] = (yield from on("temp", at, day))[LOW]
    return best(found, -1)


@BOOK.ask(
    "list", 3,
    'In which places of {country} was the mean temperature above {degrees} °C on {day}?',
    'Name the places in {country} that had a daily mean of more than {degrees} °C on {day}.',
    'Where in {country} was it warmer than {degrees} °C on average on {day}? Name the places.',
)  # fmt: skip
def _warm_places(country: str, day: str, degrees: int) -> Program:
    known, found = (yield from within(country)), []
    for name, at in known.items():
        if (yield from on("temp", at, day))[MEAN] > degrees:
            found.append(name)
    return part(found, known)


@BOOK.ask(
    "number", 3,
    'By how many degrees did the months {month} and {other_month} differ in "{place}", by daily means? Two decimals.',
    'Average the daily means of "{place}" over {month} and over {other_month}: how far apart are they? Two decimals.',
    'In "{place}", how many °C apart are the means of the daily means of {month} and {other_month}? Two decimals.',
)  # fmt: skip
def _difference_of_months(place: str, month: str, other_month: str) -> Program:
    at = yield from spot(place)
    first = column((yield from in_month("temp", at, month)), MEAN)
    other = column((yield from in_month("temp", at, other_month)), MEAN)
    return round(abs(sum(first) / len(first) - sum(other) / len(other)), EXACT)


@BOOK.ask(
    "number", 2,
    'How much rain fell in "{place}" from {day} to {last_day}, both days included, in mm?',
    'Add up the daily rain of "{place}" between {day} and {last_day}. How many mm is that?',
    'What was the total rainfall in "{place}" in the period {day} to {last_day}, in mm?',
)  # fmt: skip
def _rain_of_period(place: str, day: str, last_day: str) -> Program:
    return total(column((yield from past("rain", (yield from spot(place)), day, last_day)), RAIN))


@BOOK.ask(
    "number", 3,
    'How much rain fell in "{place}" in the month {month}, in mm?',
    'What is the sum of the daily rain of "{place}" over the whole month {month}, in mm?',
    'In {month}, how many mm of rain did "{place}" get in all?',
)  # fmt: skip
def _rain_of_month(place: str, month: str) -> Program:
    return total(column((yield from in_month("rain", (yield from spot(place)), month)), RAIN))


@BOOK.ask(
    "date", 2,
    'Which day from {day} to {last_day} brought the most rain to "{place}"?',
    'When did it rain most in "{place}" between {day} and {last_day}?',
    'On what day of the period {day} to {last_day} was the rain in "{place}" greatest?',
)  # fmt: skip
def _wettest_day(place: str, day: str, last_day: str) -> Program:
    return best(days_of((yield from past("rain", (yield from spot(place)), day, last_day)), RAIN))


@BOOK.ask(
    "date", 3,
    'On which day from {day} on did "{place}" first have more than {millimeters} mm of rain?',
    'Starting on {day}, when was the first day with over {millimeters} mm of rain in "{place}"?',
    'Find the earliest day, {day} or later, on which it rained more than {millimeters} mm in "{place}".',
)  # fmt: skip
def _first_wet_day(place: str, day: str, millimeters: int) -> Program:
    rows = yield from past("rain", (yield from spot(place)), day, later(date.fromisoformat(day), 20))
    return next((row["time"] for row in rows if row[RAIN] > millimeters), None)


@BOOK.ask(
    "number", 2,
    'How many dry days did "{place}" have from {day} to {last_day}, both days included?',
    'Count the days without any rain in "{place}" between {day} and {last_day}, first and last day included.',
    'On how many days of {day} to {last_day} did no rain fall in "{place}"?',
)  # fmt: skip
def _dry_days(place: str, day: str, last_day: str) -> Program:
    rows = yield from past("rain", (yield from spot(place)), day, last_day)
    return part_of(sum(row[RAIN] == 0 for row in rows), rows)


@BOOK.ask(
    "number", 3,
    'What percentage of the rain that "{place}" had from {day} to {last_day} fell on the wettest day? Two decimals.',
    'Of all rain in "{place}" between {day} and {last_day}, how many percent came on the wettest day? Two decimals.',
    'In "{place}", which percentage of the rain of {day} to {last_day} fell on the rainiest day? Two decimals.',
)  # fmt: skip
def _share_of_wettest_day(place: str, day: str, last_day: str) -> Program:
    values = column((yield from past("rain", (yield from spot(place)), day, last_day)), RAIN)
    if sum(value > 0 for value in values) < 2:
        raise Unfit
    return round(100 * max(values) / sum(values), EXACT)


@BOOK.ask(
    "number", 2,
    'By how many mm did the rain of "{place}" and of "{other_place}" differ from {day} to {last_day}, taken in all?',
    'Sum the rain of {day} to {last_day} in "{place}" and in "{other_place}". How many mm are the sums apart?',
    'Between {day} and {last_day}, what is the difference in total rain of "{place}" and "{other_place}", in mm?',
)  # fmt: skip
def _difference_of_rain(place: str, other_place: str, day: str, last_day: str) -> Program:
    first = column((yield from past("rain", (yield from spot(place)), day, last_day)), RAIN)
    other = column((yield from past("rain", (yield from spot(other_place)), day, last_day)), RAIN)
    return abs(total([*first, *(-value for value in other)]))


@BOOK.ask(
    "list", 3,
    'Which places in {country} had more than {millimeters} mm of rain on {day}?',
    'On {day}, where in {country} did over {millimeters} mm of rain fall? Name the places.',
    'Name all places of {country} whose rain of {day} was above {millimeters} mm.',
)  # fmt: skip
def _wet_places(country: str, day: str, millimeters: int) -> Program:
    known, found = (yield from within(country)), []
    for name, at in known.items():
        if (yield from on("rain", at, day))[RAIN] > millimeters:
            found.append(name)
    return part(found, known)


@BOOK.ask(
    "number", 2,
    'How many cm of snow fell in "{cold_place}" from {winter_day} to {spring_day}, both days included?',
    'Add up the daily snowfall of "{cold_place}" between {winter_day} and {spring_day}. How many cm is that?',
    'What was the total snowfall in "{cold_place}" in the period {winter_day} to {spring_day}, in cm?',
)  # fmt: skip
def _snow_of_period(cold_place: str, winter_day: str, spring_day: str) -> Program:
    return total(column((yield from past("snow", (yield from spot(cold_place)), winter_day, spring_day)), SNOW))


@BOOK.ask(
    "date", 3,
    'What was the last day with snowfall in "{cold_place}" between {winter_day} and {spring_day}?',
    'From {winter_day} to {spring_day}, when did it snow for the last time in "{cold_place}"?',
    'Name the latest day of the period {winter_day} to {spring_day} on which "{cold_place}" had any snowfall.',
)  # fmt: skip
def _last_snow(cold_place: str, winter_day: str, spring_day: str) -> Program:
    rows = yield from past("snow", (yield from spot(cold_place)), winter_day, spring_day)
    return max((row["time"] for row in rows if row[SNOW] > 0), default=None)


@BOOK.ask(
    "number", 2,
    'How many cm of snow did "{cold_place}" and "{other_cold_place}" get in all from {winter_day} to {spring_day}?',
    'Sum the snowfall of {winter_day} to {spring_day} over both "{cold_place}" and "{other_cold_place}", in cm.',
    'Together, how much snow (in cm) fell in "{cold_place}" and "{other_cold_place}", {winter_day} to {spring_day}?',
)  # fmt: skip
def _snow_of_both(cold_place: str, other_cold_place: str, winter_day: str, spring_day: str) -> Program:
    first = column((yield from past("snow", (yield from spot(cold_place)), winter_day, spring_day)), SNOW)
    other = column((yield from past("snow", (yield from spot(other_cold_place)), winter_day, spring_day)), SNOW)
    if not sum(first) or not sum(other):
        raise Unfit
    return total([*first, *other])


@BOOK.ask(
    "reading", 3,
    'What was the least daily mean of the days with snowfall in "{cold_place}" from {winter_day} to {spring_day}?',
    'Of the days from {winter_day} to {spring_day} with snow in "{cold_place}", how cold was the coldest by its mean?',
    'Take the days with snow in "{cold_place}" between {winter_day} and {spring_day}. What is their least daily mean?',
)  # fmt: skip
def _coldest_snow_day(cold_place: str, winter_day: str, spring_day: str) -> Program:
    at = yield from spot(cold_place)
    snowy = {row["time"] for row in (yield from past("snow", at, winter_day, spring_day)) if row[SNOW] > 0}
    rows = yield from past("temp", at, winter_day, spring_day)
    several(len(snowy))
    return min(row[MEAN] for row in rows if row["time"] in snowy)


@BOOK.ask(
    "date", 2,
    'Which day from {day} to {last_day} was the windiest in "{place}"?',
    'When did the wind in "{place}" blow fastest between {day} and {last_day}?',
    'On what day of {day} to {last_day} did "{place}" have its greatest wind speed?',
)  # fmt: skip
def _windiest_day(place: str, day: str, last_day: str) -> Program:
    return best(days_of((yield from past("wind", (yield from spot(place)), day, last_day)), WIND))


@BOOK.ask(
    "reading", 3,
    'What was the maximum temperature in "{place}" on the windiest day from {day} to {last_day}?',
    'Between {day} and {last_day} one day was the windiest in "{place}". How warm did it get there on that day, in °C?',
    'Find the day of {day} to {last_day} with the greatest wind speed in "{place}": what was its maximum temperature?',
)  # fmt: skip
def _high_of_windiest_day(place: str, day: str, last_day: str) -> Program:
    at = yield from spot(place)
    windiest = best(days_of((yield from past("wind", at, day, last_day)), WIND))
    return (yield from on("temp", at, windiest))[HIGH]


@BOOK.ask(
    "number", 3,
    'On how many days from {day} to {last_day} did "{place}" have rain and a wind speed above {speed} km/h?',
    'Count the days between {day} and {last_day} in "{place}" that were not dry and had winds over {speed} km/h.',
    'How often, from {day} to {last_day}, did rain and wind of more than {speed} km/h meet on a day in "{place}"?',
)  # fmt: skip
def _rough_days(place: str, day: str, last_day: str, speed: int) -> Program:
    at = yield from spot(place)
    wet = {row["time"] for row in (yield from past("rain", at, day, last_day)) if row[RAIN] > 0}
    rows = yield from past("wind", at, day, last_day)
    return part_of(sum(row[WIND] > speed and row["time"] in wet for row in rows), rows)


@BOOK.ask(
    "name", 2,
    'Which of "{place}", "{other_place}", "{third_place}" and "{fourth_place}" had the strongest wind on {day}?',
    'On {day}, where did the wind blow fastest: "{place}", "{other_place}", "{third_place}" or "{fourth_place}"?',
    'Compare the wind of {day} in "{place}", "{other_place}", "{third_place}", "{fourth_place}": where is it most?',
)  # fmt: skip
def _windiest_of_places(place: str, other_place: str, third_place: str, fourth_place: str, day: str) -> Program:
    found = {}
    for name, at in (yield from spots(place, other_place, third_place, fourth_place)).items():
        found[name] = (yield from on("wind", at, day))[WIND]
    return best(found)
