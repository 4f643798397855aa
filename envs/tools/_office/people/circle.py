"""Circles of people: who is in them, how they know each other, and all rows of their database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from agentgym.core.rng import stream
from agentgym.envs.tools._office.people import words
from agentgym.envs.tools._office.schema import Row

CIRCLES, PEOPLE = 24, 8  # databases, and people with accounts in each
NAMED = PEOPLE * (1 + len(words.OUTSIDE))  # names that a circle uses up
FIRST_DAY, DAYS = date(2022, 3, 1).toordinal(), 900  # when it may be
APPS = ("mail", "files", "payments", "music", "shopping")  # those that ask for a password
ROLLS = 60_000
T = TypeVar("T")


class Draw:
    """Draws from a generator, many at a time."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rolls = iter(rng.integers(0, 2**40, size=ROLLS).tolist())

    def below(self, count: int) -> int:
        """A number from 0 to below a count."""
        roll = next(self._rolls, None)
        if roll is None:
            self._rolls = iter(self._rng.integers(0, 2**40, size=ROLLS).tolist())
            roll = next(self._rolls)
        return int(roll % count)

    def between(self, least: int, most: int) -> int:
        """A number between two, both included.

        Args:
            least, most: The two.
        """
        return least + self.below(most - least + 1)

    def chance(self, percent: int) -> bool:
        """Whether something happens that does so often."""
        return self.below(100) < percent

    def of(self, values: Sequence[T]) -> T:
        """One of some values."""
        return values[self.below(len(values))]

    def some(self, values: Sequence[T], count: int) -> list[T]:
        """Different ones of some values, in no order.

        Args:
            values: To draw from.
            count: How many.
        """
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]


@dataclass(frozen=True)
class Clock:
    """The moment in which everything of a circle happens."""

    now: datetime

    @property
    def today(self) -> date:
        """The current date."""
        return self.now.date()

    @property
    def stamp(self) -> str:
        """Date and time as the database writes them."""
        return self.now.strftime("%Y-%m-%d %H:%M")

    def day(self, days: int) -> str:
        """The date some days from now."""
        return (self.today + timedelta(days=days)).isoformat()

    def moment(self, minutes: int) -> str:
        """Date and time some minutes from now."""
        return (self.now + timedelta(minutes=minutes)).strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class Person:
    """Somebody with or without accounts; `number` is the id of those with accounts, otherwise -1."""

    number: int
    name: str
    email: str
    phone: str
    birthday: str
    city: str
    company: str


@dataclass
class Town:
    """A circle while its database is made.

    Attributes:
        draw: Where its chances come from.
        clock: What time it is.
        people: Those with accounts.
        known: Whom each of them knows, with the relation.
        rows: What has been made, by table.
    """

    draw: Draw
    clock: Clock
    people: list[Person]
    known: list[list[tuple[Person, str]]]
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, table: str, *values: Any) -> int:
        """Put a row into a table, and give its id.

        Args:
            table: The table.
            values: Of all columns but the id.
        """
        found = self.rows.setdefault(table, [])
        found.append((len(found) + 1, *values))
        return len(found)

    def of(self, person: Person, *relations: str) -> list[Person]:
        """Those whom somebody knows in some way; all of them where no way is named.

        Args:
            person: Who knows them.
            relations: As in contacts.
        """
        return [each for each, relation in self.known[person.number] if not relations or relation in relations]

    def mates(self, person: Person) -> list[Person]:
        """The others with accounts."""
        return [each for each in self.people if each is not person]

    def past(self, days: int, of: int = 0) -> str:
        """A moment of the last days.

        Args:
            days: How many days back at most.
            of: How many days back at least.
        """
        return self.clock.moment(-self.draw.between(of * 1440 + 30, days * 1440))


@lru_cache(1)
def _names() -> list[str]:
    order = stream("office.names").permutation(len(words.FIRST) * len(words.LAST))[: CIRCLES * NAMED].tolist()
    return [f"{words.FIRST[at // len(words.LAST)]} {words.LAST[at % len(words.LAST)]}" for at in order]


def clock_of(circle: int) -> Clock:
    """What time it is in a circle."""
    rng = stream("office.clock", circle)
    day = date.fromordinal(FIRST_DAY + int(rng.integers(DAYS)))
    return Clock(datetime(day.year, day.month, max(day.day, 8), 7 + int(rng.integers(3)), 0))


def _person(draw: Draw, number: int, name: str, city: str, company: str) -> Person:
    host = "post.example" if number >= 0 else draw.of(["mailbox.example", "home.example", "letters.example"])
    email = f"{name.lower().replace(' ', '.')}@{host}"
    phone = f"555-{draw.between(1000, 9999)}"
    birthday = date(draw.between(1955, 2003), draw.between(1, 12), draw.between(1, 28)).isoformat()
    return Person(number, name, email, phone, birthday, city, company)


def relation_of(one: int, other: int) -> str:
    """How two people with accounts know each other; households and offices cut across.

    Args:
        one, other: Their numbers.
    """
    if one // 4 == other // 4:
        return "roommate"
    return "coworker" if one // 2 % 2 == other // 2 % 2 else "friend"


def begin(circle: int) -> Town:
    """A circle with its people, and nothing done yet."""
    draw = Draw(stream("office.circle", circle))
    names = iter(_names()[circle * NAMED : (circle + 1) * NAMED])
    home, companies = draw.of(words.CITIES), draw.some(words.COMPANIES, 2)
    people = [_person(draw, at, next(names), home, companies[at // 2 % 2]) for at in range(PEOPLE)]
    known = []
    for person in people:
        found = [(other, relation_of(person.number, other.number)) for other in people if other is not person]
        for relation in words.OUTSIDE:
            company = person.company if relation == "coworker" else draw.of(words.COMPANIES)
            found.append((_person(draw, -1, next(names), draw.of(words.CITIES), company), relation))
        known.append(draw.some(found, len(found)))
    return Town(draw, clock_of(circle), people, known)


def open_accounts(town: Town) -> None:
    """People, their passwords and address books. A person's id is the number, from 0."""
    town.rows["people"] = [
        (each.number, each.name, each.email, each.phone, each.birthday, each.city, each.company) for each in town.people
    ]
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    for person in town.people:
        for app in APPS:
            town.add("passwords", person.number, app, "".join(town.draw.of(letters) for _ in range(8)))
        for each, relation in town.known[person.number]:
            told = (each.name, each.email, each.phone, relation, each.birthday, each.city, each.company)
            town.add("contacts", person.number, *told)
