"""Cities and countries: what Guess My City is played over.

The heads of `countries.txt`, `lands.txt`, `cities.txt` and `facts.txt` say what the columns are. Populations
are of urban areas, rounded; the years of foundation are those usually given.

Licence: the tables were written for this project as a list of facts and are under the MIT licence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from agentgym.core.errors import DataError

__all__ = ["CHECKSUMS", "City", "Country", "Fact", "load_cities", "load_countries", "load_facts", "load_ways"]

CHECKSUMS = {
    "cities.txt": "99a31cd8874d909b9f44ba5b9bc2587d8a7090d2e72043972cdd0dea318aecba",
    "countries.txt": "9219565f58e314174e5f6d778d7fba496f6c13f698c1fa39ff0d3913fd92f26a",
    "facts.txt": "79b1b1514997bc3bce0eb9bd7eccadba94c59ca9a6c7bbf4e9950fed0c38617c",
    "lands.txt": "573b3791d7328343441d853c2486e2f628997f19a6fa61ce4562d1c0a0398db9",
}
"""SHA-256 of each table; `sha256sum assets/cities/*.txt` computes them anew."""


@dataclass(frozen=True, slots=True)
class Country:
    """A country, as far as the game asks for it.

    Attributes:
        side: Of the road, `left` or `right`.
        millions: People.
        area: Thousand square kilometres.
        neighbours: Names of the countries across a border on land.
    """

    name: str
    others: tuple[str, ...]
    continent: str
    region: str
    languages: tuple[str, ...]
    currency: str
    side: str
    government: str
    script: str
    adjectives: tuple[str, ...]
    millions: float
    area: float
    neighbours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class City:
    """A city, as far as the game asks for it.

    Attributes:
        millions: People of the urban area.
        sea, river: Names, empty if there is none.
        height: Metres above the sea.
        founded: Year, negative before Christ.
        olympics: Years in which it held Olympic Games.
    """

    name: str
    others: tuple[str, ...]
    capital: bool
    country: Country
    latitude: float
    longitude: float
    millions: float
    sea: str
    river: str
    height: int
    founded: int
    landmarks: tuple[str, ...]
    food: str
    known: tuple[str, ...]
    olympics: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that is answered with yes or no, or a region beside the one that a country is given.

    Attributes:
        key: Its name.
        text: The question as the game words it.
        same: Other ways to ask it.
        cities: Names of the cities of which it is true.
    """

    key: str
    text: str
    same: tuple[str, ...]
    cities: frozenset[str]


def _rows(name: str) -> list[list[str]]:
    """The cells of a table, row by row.

    Raises:
        DataError: if it is missing or does not match its checksum.
    """
    try:
        data = resources.files(__name__).joinpath(name).read_bytes()
    except FileNotFoundError:
        raise DataError(f"the table {name} is missing from the installation; reinstall agentgym-suite") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != CHECKSUMS[name]:
        raise DataError(
            f"the table {name} has SHA-256 {digest[:12]}…, expected {CHECKSUMS[name][:12]}…; reinstall agentgym-suite"
        )
    lines = [line for line in data.decode("utf8").splitlines() if line and not line.startswith("#")]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def _list(cell: str, between: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(between) if part.strip())


@cache
def load_countries() -> Mapping[str, Country]:
    """Every country by name, in the order of the table.

    Raises:
        DataError: if the table is missing or damaged.
    """
    lands = {name: rest for name, *rest in _rows("lands.txt")}
    countries = {}
    for names, continent, region, languages, currency, side, government, script, adjectives in _rows("countries.txt"):
        name, *others = _list(names, ",")
        spoken = _list(languages, ";")
        known_as = _list(adjectives, ",")
        countries[name] = Country(
            name,
            tuple(others),
            continent,
            region,
            spoken,
            currency,
            side,
            government,
            script,
            known_as,
            float(lands[name][0]),
            float(lands[name][1]),
            _list(lands[name][2], ";"),
        )
    return MappingProxyType(countries)


@cache
def load_cities() -> tuple[City, ...]:
    """Every city, in the order of the table.

    Raises:
        DataError: if a table is missing or damaged.
    """
    cities = []
    for names, country, lat, lon, millions, sea, river, height, founded, landmarks, food, known, years in _rows(
        "cities.txt"
    ):
        name, *others = _list(names.lstrip("*"), ",")
        cities.append(
            City(
                name,
                tuple(others),
                names.startswith("*"),
                load_countries()[country],
                float(lat),
                float(lon),
                float(millions),
                sea.strip("-"),
                river.strip("-"),
                int(height),
                int(founded),
                _list(landmarks, ";"),
                food,
                _list(known, ";"),
                tuple(int(year) for year in years.split()),
            )
        )
    return tuple(cities)


@cache
def load_facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the table.

    Raises:
        DataError: if a table is missing or damaged, or a fact is said of a place that is in neither table.
    """
    facts = []
    for row in _rows("facts.txt"):
        if not row[0].startswith("+"):
            key, text, ways, places = row
            facts.append(Fact(key, text, _list(ways, ";"), _named(_list(places, ";"))))
    return tuple(facts)


@cache
def load_ways() -> Mapping[str, tuple[str, ...]]:
    """More ways to ask for what the columns of the tables give, by kind and value.

    Raises:
        DataError: if the table is missing or damaged.
    """
    rows = [row for row in _rows("facts.txt") if row[0].startswith("+")]
    return MappingProxyType({row[0][1:].strip(): _list(row[1], ";") for row in rows})


def _named(places: tuple[str, ...]) -> frozenset[str]:
    """The cities that a list of countries and cities means."""
    meant: set[str] = set()
    for place in places:
        name = place.lstrip("-= ")
        of_country = {city.name for city in load_cities() if city.country.name == name}
        if place == "= coast":
            meant |= {city.name for city in load_cities() if city.sea}
        elif of_country or name in {city.name for city in load_cities()}:
            meant = meant - {name} if place[0] == "-" else meant | (of_country or {name})
        else:
            raise DataError(f"the table facts.txt names {name!r}, which is neither a country nor a city of the tables")
    return frozenset(meant)
