"""Questions about where places lie: coordinates, elevations, distances."""

from __future__ import annotations

from agentgym.envs._kit.tools import EXACT, Program, best, several
from agentgym.envs.tools._weather.slots import BOOK, height, here, part, spot, spots, way, within


@BOOK.ask(
    "number", 1,
    'How many degrees of latitude lie between "{place}" and "{other_place}"? Give two decimals.',
    'By how many degrees do the latitudes of "{place}" and "{other_place}" differ, to two decimals?',
    'What is the difference in latitude of "{place}" and "{other_place}", in degrees without a sign, to two decimals?',
)  # fmt: skip
def _latitude_difference(place: str, other_place: str) -> Program:
    first = yield from spot(place)
    return round(abs(first["latitude"] - (yield from spot(other_place))["latitude"]), 2)


@BOOK.ask(
    "name", 1,
    'Which of "{place}", "{other_place}", "{third_place}" and "{fourth_place}" lies farthest east by longitude?',
    'Of the places "{place}", "{other_place}", "{third_place}" and "{fourth_place}", whose longitude is the greatest?',
    'Compare "{place}", "{other_place}", "{third_place}", "{fourth_place}": which has the highest longitude?',
)  # fmt: skip
def _easternmost(place: str, other_place: str, third_place: str, fourth_place: str) -> Program:
    known = yield from spots(place, other_place, third_place, fourth_place)
    return best({name: at["longitude"] for name, at in known.items()})


@BOOK.ask(
    "name", 2,
    'Which place in {country} comes closest to the latitude of "{place}"? Leave out "{place}" itself.',
    'Of all places in {country}, other than "{place}", name the one whose latitude is nearest to that of "{place}".',
    'Looking at the other places of {country}, which lies almost at the latitude of "{place}", the least off of all?',
)  # fmt: skip
def _same_latitude(place: str, country: str) -> Program:
    start, known = (yield from spot(place)), (yield from within(country))
    return best({name: abs(at["latitude"] - start["latitude"]) for name, at in known.items() if at != start}, -1)


@BOOK.ask(
    "number", 2,
    'How many meters lie between the elevations of "{place}" and "{other_place}"?',
    'By how many meters do "{place}" and "{other_place}" differ in elevation?',
    'What is the difference in height above the sea, in meters without a sign, of "{place}" and "{other_place}"?',
)  # fmt: skip
def _elevation_difference(place: str, other_place: str) -> Program:
    first = yield from height((yield from spot(place)))
    return abs(first - (yield from height((yield from spot(other_place)))))


@BOOK.ask(
    "number", 3,
    'By how many meters do my city and "{place}" differ in elevation?',
    'What is the difference in elevation, in meters without a sign, between where I am and "{place}"?',
    'If I move from my current location to "{place}", by how many meters does my height above the sea change?',
)  # fmt: skip
def _climb_from_here(place: str) -> Program:
    first = yield from height((yield from here()))
    return abs(first - (yield from height((yield from spot(place)))))


@BOOK.ask(
    "name", 3,
    'Which place in {country} has the elevation closest to that of "{place}"? Leave out "{place}" itself.',
    'Name the place of {country}, other than "{place}", whose height above the sea is nearest to that of "{place}".',
    'Of the other places in {country}, which one lies most nearly as high as "{place}"?',
)  # fmt: skip
def _same_elevation(place: str, country: str) -> Program:
    start, found = (yield from spot(place)), {}
    wanted = yield from height(start)
    for name, at in (yield from within(country)).items():
        if at != start:
            found[name] = abs(wanted - (yield from height(at)))
    return best(found, -1)


@BOOK.ask(
    "list", 3,
    'Which places in {country} have an elevation above {meters} meters?',
    'Name the places of {country} that lie more than {meters} meters above the sea.',
    'Where in {country} is the elevation greater than {meters} meters? Name the places.',
)  # fmt: skip
def _places_above(country: str, meters: int) -> Program:
    known, found = (yield from within(country)), []
    for name, at in known.items():
        if (yield from height(at)) > meters:
            found.append(name)
    return part(found, known)


@BOOK.ask(
    "number", 3,
    'By how many meters, to two decimals, is the elevation of "{place}" off the mean elevation of places in {country}?',
    'Average the elevations of all places of {country}. How many meters is "{place}" off from that? Two decimals.',
    'How far apart, in meters, are the elevation of "{place}" and the mean of the places in {country}? Two decimals.',
)  # fmt: skip
def _off_mean_elevation(place: str, country: str) -> Program:
    mark, found = (yield from height((yield from spot(place)))), []
    for at in (yield from within(country)).values():
        found.append((yield from height(at)))
    return round(abs(mark - sum(found) / len(found)), EXACT)


@BOOK.ask(
    "number", 2,
    'How far is it from "{place}" to "{other_place}", in kilometers?',
    'What is the distance between "{place}" and "{other_place}" in kilometers?',
    'How many kilometers separate "{place}" from "{other_place}"?',
)  # fmt: skip
def _distance(place: str, other_place: str) -> Program:
    return (yield from way((yield from spot(place)), (yield from spot(other_place))))


@BOOK.ask(
    "number", 3,
    'How many kilometers is my city away from "{place}"?',
    'What is the distance, in kilometers, between where I am and "{place}"?',
    'I travel from my current location straight to "{place}". How many kilometers is that?',
)  # fmt: skip
def _distance_from_here(place: str) -> Program:
    return (yield from way((yield from here()), (yield from spot(place))))


@BOOK.ask(
    "number", 2,
    'A flight goes from "{place}" to "{other_place}", on to "{third_place}" and back. How many kilometers is it?',
    'How long, in kilometers, is the round trip "{place}", "{other_place}", "{third_place}" and back to the start?',
    'Add up the distances of the triangle "{place}", "{other_place}", "{third_place}". How many kilometers are they?',
)  # fmt: skip
def _round_trip(place: str, other_place: str, third_place: str) -> Program:
    one, two, three = list((yield from spots(place, other_place, third_place)).values())
    legs = [(yield from way(one, two)), (yield from way(two, three)), (yield from way(three, one))]
    return round(sum(legs), 2)


@BOOK.ask(
    "number", 2,
    'By how many kilometers is "{other_place}" farther from "{place}" than "{third_place}" is, whichever is closer?',
    'How much do the distances from "{place}" to "{other_place}" and to "{third_place}" differ, in kilometers?',
    'From "{place}" I may go to "{other_place}" or "{third_place}". How many kilometers does the closer one save?',
)  # fmt: skip
def _detour(place: str, other_place: str, third_place: str) -> Program:
    start, two, three = list((yield from spots(place, other_place, third_place)).values())
    return round(abs((yield from way(start, two)) - (yield from way(start, three))), 2)


@BOOK.ask(
    "name", 3,
    'Which place in {country} is farthest from "{place}"?',
    'Of the places in {country}, name the one with the greatest distance to "{place}".',
    'Measured from "{place}", which place of {country} is the most distant?',
)  # fmt: skip
def _farthest_in_country(place: str, country: str) -> Program:
    start, found = (yield from spot(place)), {}
    for name, at in (yield from within(country)).items():
        found[name] = yield from way(start, at)
    return best(found)


@BOOK.ask(
    "name", 4,
    'Which other place in {country} with an elevation of at least {meters} meters is closest to the city I am in?',
    'Of the places of {country} that lie {meters} meters or higher, which is least far from my location, itself aside?',
    'I am looking for another place in {country}, the nearest to me that is at {meters} meters or above. Which is it?',
)  # fmt: skip
def _nearest_high_place(country: str, meters: int) -> Program:
    start, found = (yield from here()), {}
    for name, at in (yield from within(country)).items():
        if at != start and (yield from height(at)) >= meters:
            found[name] = yield from way(start, at)
    several(len(found))
    return best(found, -1)


@BOOK.ask(
    "list", 3,
    'Which places in {country} are less than {kilometers} kilometers away from "{place}"? Leave out "{place}" itself.',
    'Name the places of {country} within {kilometers} kilometers of "{place}", leaving out "{place}" itself.',
    'From "{place}", which other places in {country} are less than {kilometers} kilometers off as the crow flies?',
)  # fmt: skip
def _places_near(place: str, country: str, kilometers: int) -> Program:
    start, known, found = (yield from spot(place)), (yield from within(country)), []
    for name, at in known.items():
        if at != start and (yield from way(start, at)) < kilometers:
            found.append(name)
    return part(found, known)
