"""Booking flights for a group: drawn calendars and flights, an exact solver, and players that tell costs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from agentgym.envs.multiagent._decision import Known, idle

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SPAN = 3  # days on which one can fly
BLOCKS = range(8, 22, 2)  # hours at which an event may begin
BUSY = 0.35  # probability of an event in a block
SHARED = 0.75  # probability that the assistant sees an event
HEAVIEST = 10  # importance of an event, and weight of arriving together
DEAREST = 20  # weight of the price
TITLES = (
    "band practice", "board meeting", "book club", "brunch", "budget review", "car service", "chess club", "choir",
    "concert", "dentist", "design review", "dinner with parents", "doctor", "driving lesson", "exam", "family call",
    "football", "garden work", "haircut", "house viewing", "job interview", "language class", "lecture", "lunch date",
    "moving help", "opening night", "parents' evening", "physiotherapy", "plumber", "pottery class", "project meeting",
    "running group", "school play", "supervision", "swimming", "tax adviser", "team meeting", "thesis defence",
    "vet", "wedding rehearsal", "workshop", "yoga",
)  # fmt: skip
CITIES = (
    "Athens", "Bergen", "Bilbao", "Cork", "Dresden", "Genoa", "Ghent", "Graz", "Krakow", "Leipzig", "Lisbon", "Lyon",
    "Malmo", "Naples", "Oslo", "Porto", "Riga", "Seville", "Tallinn", "Turin", "Utrecht", "Valencia", "Vienna", "York",
)  # fmt: skip
CHATTER = ("When shall we fly?", "I hope for a window seat.", "Let us find something.")


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of a calendar; times are hours from the first midnight.

    Attributes:
        start, end: When it is.
        title: What it is.
        weight: Points lost if it is missed.
        shared: Whether the assistant sees that it is there.
    """

    start: int
    end: int
    title: str
    weight: int
    shared: bool


@dataclass(frozen=True, slots=True)
class Flight:
    """A flight; times as for events."""

    depart: int
    arrive: int
    price: int


@dataclass(frozen=True, slots=True)
class User:
    """One who flies.

    Attributes:
        events: The calendar, in order of time.
        flights: What can be booked, in order of time.
        thrift: Points lost if a flight costs twice the mean of all, and in proportion.
        company: Points lost for every three hours between own arrival and that of another, on average over the others.
    """

    events: tuple[Event, ...]
    flights: tuple[Flight, ...]
    thrift: int
    company: int


@dataclass(frozen=True, slots=True)
class Problem:
    """The whole truth: where they fly, the weekday of the first day, and who flies."""

    city: str
    first: int
    users: tuple[User, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a player sees.

    Attributes:
        users: The user itself, or, for the assistant, all of them without points and with shared events only.
        rating: What the standing proposal is worth to the user; None if there is none.
    """

    users: tuple[User, ...]
    rating: float | None = None


def clashes(user: User, flight: Flight) -> list[Event]:
    """Events that a `flight` makes a `user` miss, in order of time: those that overlap with it."""
    return [event for event in user.events if event.start < flight.arrive and flight.depart < event.end]


@lru_cache(maxsize=1024)
def costs(user: User) -> tuple[float, ...]:
    """Points of each flight to a user, apart from company: 0 or less, but for cheap flights."""
    mean = sum(flight.price for flight in user.flights) / len(user.flights)
    return tuple(
        -sum(event.weight for event in clashes(user, flight)) - user.thrift * (flight.price - mean) / mean
        for flight in user.flights
    )


def rating(users: Sequence[User], plan: Sequence[int], place: int) -> float:
    """What a plan is worth to one user.

    Args:
        users: All who fly, at least two.
        plan: By user, the place of its flight.
        place: The user in question.
    """
    arrivals = [user.flights[flight].arrive for user, flight in zip(users, plan, strict=True)]
    apart = sum(abs(arrival - arrivals[place]) for arrival in arrivals) / (len(users) - 1)
    return costs(users[place])[plan[place]] - users[place].company * apart / 3


@dataclass(frozen=True, slots=True)
class Solution:
    """The best plan, and points of the best and the worst."""

    plan: tuple[int, ...]
    best: float
    worst: float


def optimum(values: Sequence[Sequence[float]], arrivals: Sequence[Sequence[int]], hourly: Sequence[float]) -> Solution:
    """The exact solution over every choice of a flight for each user.

    Args:
        values: By user and flight, its points apart from company.
        arrivals: By user and flight, when it arrives.
        hourly: By user, points lost for an hour apart from the others on average.
    """
    count = len(values)
    shapes = [tuple(len(values[place]) if axis == place else 1 for axis in range(count)) for place in range(count)]
    lines = [np.array(each, float).reshape(shape) for each, shape in zip(values, shapes, strict=True)]
    times = [np.array(each, float).reshape(shape) for each, shape in zip(arrivals, shapes, strict=True)]
    worth = sum(lines[1:], lines[0])
    for one in range(count):
        for other in range(one):
            worth = worth - np.abs(times[one] - times[other]) * (hourly[one] + hourly[other]) / (count - 1)
    plan = np.unravel_index(int((worth > worth.max() - 1e-9).argmax()), worth.shape)
    return Solution(tuple(map(int, plan)), float(worth.max()), float(worth.min()))


@lru_cache(maxsize=256)
def solve(users: tuple[User, ...]) -> Solution:
    """The exact solution of a problem."""
    return optimum(
        [costs(user) for user in users],
        [[flight.arrive for flight in user.flights] for user in users],
        [user.company / 3 for user in users],
    )


def drawn(rng: np.random.Generator, users: int, flights: int) -> Problem:
    """A city, and so many users with as many flights each, such that plans differ in worth.

    Args:
        rng: Draws calendars, flights and weights until they do.
        users: How many fly.
        flights: Flights that each can book.
    """
    while True:
        people = tuple(_user(rng, flights) for _ in range(users))
        solution = solve(people)
        if solution.best > solution.worst:
            return Problem(CITIES[int(rng.integers(len(CITIES)))], int(rng.integers(len(DAYS))), people)


def _user(rng: np.random.Generator, flights: int) -> User:
    """A calendar, and flights each of which clashes with something in it."""
    events = _calendar(rng)
    while not events:
        events = _calendar(rng)
    hours, usual = int(rng.integers(2, 6)), int(rng.integers(15, 46))
    user = User(events, (), int(rng.integers(1, DEAREST + 1)), int(rng.integers(1, HEAVIEST + 1)))
    found: list[Flight] = []
    while len(found) < flights:
        flight = _flight(rng, hours, usual)
        if clashes(user, flight):
            found.append(flight)
    return replace(user, flights=_ordered(found))


def _ordered(flights: Sequence[Flight]) -> tuple[Flight, ...]:
    return tuple(sorted(flights, key=lambda flight: (flight.depart, flight.arrive, flight.price)))


def _flight(rng: np.random.Generator, hours: int, usual: int) -> Flight:
    depart = 24 * int(rng.integers(SPAN)) + int(rng.integers(6, 20))
    return Flight(depart, depart + hours + int(rng.integers(2)), 5 * (usual + int(rng.integers(-12, 37))))


def _calendar(rng: np.random.Generator) -> tuple[Event, ...]:
    events = []
    for day in range(SPAN):
        for hour in BLOCKS:
            if rng.random() < BUSY:
                start = 24 * day + hour
                title = TITLES[int(rng.integers(len(TITLES)))]
                weight, length = int(rng.integers(1, HEAVIEST + 1)), int(rng.integers(1, 3))
                events.append(Event(start, start + length, title, weight, bool(rng.random() < SHARED)))
    return tuple(events)


def reweighed(user: User, rng: np.random.Generator) -> User:
    """The same `user` as far as the assistant sees it, with other wishes and other events that are not shared.

    Both are drawn with `rng`; the flights and the times and titles of shared events stay.
    """
    events = [replace(each, weight=int(rng.integers(1, HEAVIEST + 1))) for each in user.events if each.shared]
    taken = {event.start for event in events}
    events += [event for event in _calendar(rng) if event.start not in taken and not event.shared]
    return User(
        tuple(sorted(events, key=lambda event: event.start)), user.flights, int(rng.integers(1, DEAREST + 1)),
        int(rng.integers(1, HEAVIEST + 1)),
    )  # fmt: skip


def stranger(user: User, shown: Collection[int], rng: np.random.Generator) -> User:
    """Another user with as many flights, those among them that were proposed to all.

    Args:
        user: The user in whose place it stands.
        shown: Places of the flights that stay as they are.
        rng: Draws the rest.
    """
    other = _user(rng, len(user.flights))
    pairs = enumerate(zip(user.flights, other.flights, strict=True))
    flights = [old if place in shown else new for place, (old, new) in pairs]
    return replace(other, flights=tuple(flights))


def redacted(user: User) -> User:
    """A user as the assistant sees it."""
    events = tuple(replace(event, weight=0) for event in user.events if event.shared)
    return User(events, user.flights, 0, 0)


def clock(time: int, first: int) -> str:
    """A time of the calendar in words, such as `Mon 14:00`.

    Args:
        time: Hours from the first midnight.
        first: Weekday of the first day, 0 for Monday.
    """
    return f"{DAYS[(first + time // 24) % len(DAYS)][:3]} {time % 24}:00"


def spelled(plan: Sequence[int]) -> str:
    """A plan in the words of the grammar; users and flights count from 1."""
    return ", ".join(f"user_{place}: {flight + 1}" for place, flight in enumerate(plan, 1))


FLIGHT = re.compile(r"\bflight\s+(\d{1,2})\s*(?::|is|=)\s*([+-]?\d{1,3}(?:\.\d)?)\b")
HOUR = re.compile(r"\bhours? apart\s*(?::|is|=)\s*([+-]?\d{1,2}(?:\.\d)?)")


def told(words: str) -> dict[int, float]:
    """What a text says flights are worth: by number of the flight, and by 0 an hour apart from the others."""
    found = {int(match[1]): float(match[2]) for match in FLIGHT.finditer(words.lower())}
    hour = HOUR.search(words.lower())
    if hour:
        found[0] = float(hour[1])
    return found


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Proposes any flights if it may, and answers by a coin.

    It may if it is the assistant, which `known` tells; flights and coin are thrown with `rng`.
    """
    view: View = known.view

    def plan() -> str:
        return "" if known.place else spelled([int(rng.integers(len(user.flights))) for user in view.users])

    return idle(known, rng, plan, CHATTER)


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """A user names the flight it likes best and accepts anything; the assistant takes these, or the cheapest.

    It goes by `known` alone and asks `rng` for nothing.
    """
    view: View = known.view
    if known.plan is not None:
        return "accept"
    if known.place:
        best = max(range(len(view.users[0].flights)), key=costs(view.users[0]).__getitem__)
        return "pass" if known.spoke else f"say I would like flight {best + 1}."
    if not known.heard:
        return "say Which flight would you like?"
    plan = []
    for place, user in enumerate(view.users, 1):
        said = " ".join(words for speaker, words in known.heard if speaker == place)
        named = [int(number) for number in re.findall(r"\bflight\s+(\d{1,2})\b", said.lower())]
        named = [number - 1 for number in named if 1 <= number <= len(user.flights)]
        cheapest = min(range(len(user.flights)), key=lambda flight: user.flights[flight].price)
        plan.append(named[-1] if named else cheapest)
    return f"propose {spelled(plan)}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """A user tells what each flight is worth to it; the assistant asks, and proposes the best for all by that.

    It goes by `known` alone and asks `rng` for nothing.
    """
    view: View = known.view
    if known.place:
        return _strong_user(known, view)
    told_by = {
        place: told(" ; ".join(words for speaker, words in known.heard if speaker == place))
        for place in range(1, known.players)
    }
    if not all(told_by.values()) and known.left > 4 * known.players:
        if known.spoke < 2:
            return (
                "say Tell me what each flight is worth to you, and an hour apart from the others, as in "
                "'flight 1: -7.5; flight 2: -3; an hour apart: -1.5'."
            )
        return "pass"
    values = []
    for place, user in enumerate(view.users, 1):
        mean = sum(flight.price for flight in user.flights) / len(user.flights)
        guess = [
            -(HEAVIEST + 1) / 2 * len(clashes(user, flight)) - DEAREST / 2 * (flight.price - mean) / mean
            for flight in user.flights
        ]
        values.append([told_by[place].get(flight, worth) for flight, worth in enumerate(guess, 1)])
    hourly = [abs(told_by[place].get(0, HEAVIEST / 6)) for place in range(1, known.players)]
    arrivals = [[flight.arrive for flight in user.flights] for user in view.users]
    for plan in known.refused:
        for place, flight in enumerate(plan):
            values[place][flight] -= 1.0
    return f"propose {spelled(optimum(values, arrivals, hourly).plan)}"


def _strong_user(known: Known, view: View) -> str:
    """Tell once; then accept all that is not far below the best, and in the end anything."""
    user = view.users[0]
    worths = costs(user)
    words = "; ".join(f"flight {place}: {worth:.1f}" for place, worth in enumerate(worths, 1))
    words += f"; an hour apart: {-user.company / 3:.1f}"
    if known.plan is None:
        return "pass" if known.spoke else f"say {words}"
    assert view.rating is not None, "a proposal that has to be answered has been rated"
    if known.left <= known.players:
        return "accept"
    if not known.spoke:
        return f"reject saying {words}"
    lowest = min(worths) + (max(worths) - min(worths)) * (0.3 - 0.15 * len(known.refused))
    return "accept" if len(known.refused) >= 3 or view.rating >= lowest - user.company * 4 else "reject"
