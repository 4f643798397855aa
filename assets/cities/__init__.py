"""Cities and countries: what Guess My City is played over.

The heads of `countries.txt` and `cities.txt` say what the columns are. Populations are of urban areas, rounded; the
years of foundation are those usually given.

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

__all__ = ["CHECKSUMS", "City", "Country", "load_cities", "load_countries"]

CHECKSUMS = {
    "cities.txt": "99a31cd8874d909b9f44ba5b9bc2587d8a7090d2e72043972cdd0dea318aecba",
    "countries.txt": "9219565f58e314174e5f6d778d7fba496f6c13f698c1fa39ff0d3913fd92f26a",
}
"""SHA-256 of each table; `sha256sum assets/cities/*.txt` computes them anew."""


@dataclass(frozen=True, slots=True)
class Country:
    """A country, as far as the game asks for it; `side` of the road is `left` or `right`."""

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
    countries = {}
    for names, continent, region, languages, currency, side, government, script, adjectives in _rows("countries.txt"):
        name, *others = _list(names, ",")
        spoken = _list(languages, ";")
        known_as = _list(adjectives, ",")
        countries[name] = Country(
            name, tuple(others), continent, region, spoken, currency, side, government, script, known_as
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
