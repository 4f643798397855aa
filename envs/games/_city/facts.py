"""Answers about cities: topics that are answered in words, and statements that are true or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from agentgym.assets.cities import City, load_cities, load_facts
from agentgym.envs.games._asking import gist

TROPIC = 23.4  # degrees of latitude
EARTH = 6371  # kilometres, its radius
TOPICS: dict[str, tuple[str, ...]] = {
    "continent": ("What continent is it on?", "which part of the world is it in"),
    "region": ("What region is it in?", "which area is it in", "what part of the continent is it in"),
    "language": (
        "What language is spoken there?",
        "what languages do people speak",
        "what language do they speak",
        "what do people speak",
        "what is the main language",
        "what is the official language",
        "which language",
    ),
    "currency": (
        "What currency is used there?",
        "what money do they use",
        "what do people pay with",
        "what is the currency",
        "how do people pay",
        "what money is used",
    ),
    "side": (
        "Which side of the road do people drive on?",
        "on which side do they drive",
        "what side do cars drive on",
    ),
    "government": (
        "What form of government does the country have?",
        "what is the government",
        "how is the country governed",
        "what is the political system",
    ),
    "script": ("What script is used there?", "what alphabet do they use", "what writing system is used"),
    "sea": (
        "What sea is it on?",
        "which ocean is it near",
        "what body of water is it near",
        "what sea is near it",
        "what is the nearest sea",
        "what ocean does it border",
        "what coast is it on",
    ),
    "river": (
        "What river runs through it?",
        "which river is it on",
        "what river flows through it",
        "what is its river",
    ),
    "landmarks": (
        "What are its landmarks?",
        "what is the most famous landmark",
        "what famous buildings does it have",
        "what sights does it have",
        "what are the main attractions",
        "what can tourists see there",
        "what monuments does it have",
        "what are the tourist attractions",
        "what are the sights",
        "what do tourists visit",
        "what is the most famous building",
        "what landmark is it known for",
    ),
    "food": (
        "What is the local food?",
        "what do people eat there",
        "what is the most popular food",
        "what dish is it known for",
        "what food is it famous for",
        "what is the local cuisine",
        "what dishes are typical",
        "what is the typical dish",
        "what are the most popular foods",
        "what is the cuisine",
    ),
    "known": (
        "What is it known for?",
        "what is it famous for",
        "what makes it famous",
        "why is it famous",
        "what is special about it",
        "what is it best known for",
        "what is notable about it",
    ),
    "population": (
        "How many people live there?",
        "what is the population",
        "how big is it",
        "how large is it",
        "how large is the population",
        "how many inhabitants does it have",
        "what is the size of the city",
    ),
    "founded": (
        "When was it founded?",
        "how old is it",
        "when was it built",
        "what year was it founded",
        "what is its age",
        "when was it established",
    ),
    "height": (
        "How high does it lie?",
        "what is the elevation",
        "what is the altitude",
        "how high is it",
        "how high above the sea is it",
    ),
    "hemisphere": ("Which hemispheres is it in?", "what hemisphere is it in"),
    "climate": (
        "What climate zone is it in?",
        "what is the climate",
        "what is the weather",
        "what climate does it have",
        "what kind of climate",
        "how is the weather",
        "how is the climate",
        "what weather does it have",
    ),
    "olympics": (
        "When did it hold the Olympic Games?",
        "what olympics did it host",
        "when did it host the olympics",
        "which olympic games were held there",
    ),
}


@cache
def facts() -> Mapping[str, frozenset[str]]:
    """Names of the cities of which each fact of `facts.txt` is true."""
    return MappingProxyType({fact.key: fact.cities for fact in load_facts()})


def _listed(parts: tuple[str, ...]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def year(number: int) -> str:
    """A year in words."""
    return f"{-number} BC" if number < 0 else str(number)


def names(city: City) -> set[str]:
    """Words that name the city or its country, in lower case."""
    whole = (city.name, *city.others, city.country.name, *city.country.others)
    return {word for name in whole for word in gist(name)}


def _unnamed(city: City, texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts that do not name the city or its country."""
    return tuple(text for text in texts if not names(city) & set(gist(text)))


def zone(latitude: float) -> str:
    """The zone of a latitude in degrees: tropical up to the tropics, subtropical to 35, temperate to 60, then cold."""
    bounds = {"tropical": TROPIC, "subtropical": 35.0, "temperate": 60.0}
    return next((name for name, bound in bounds.items() if abs(latitude) <= bound), "cold")


def distance(one: City, other: City) -> float:
    """Kilometres between the cities `one` and `other` along a great circle."""
    north, south = math.radians(one.latitude), math.radians(other.latitude)
    between = math.radians(one.longitude - other.longitude)
    cosine = math.sin(north) * math.sin(south) + math.cos(north) * math.cos(south) * math.cos(between)
    return EARTH * math.acos(min(1.0, max(-1.0, cosine)))


@lru_cache(maxsize=4096)
def tell(place: int, topic: str) -> str:
    """What is told about a `topic`, a key of `TOPICS`, of the city at a `place` of the table.

    Neither the city nor its country is named.
    """
    city = load_cities()[place]
    country = city.country
    if topic in ("landmarks", "known"):
        found = _unnamed(city, city.landmarks if topic == "landmarks" else city.known)
        head = "Its landmarks are" if topic == "landmarks" else "It is known for"
        return f"{head} {_listed(found)}." if found else "I cannot say without naming it."
    if topic == "river":
        if not city.river:
            return "No river of note runs through it."
        own = not _unnamed(city, (city.river,))
        return "A river of its own name runs through it." if own else f"The river {city.river}."
    if topic == "sea":
        if not city.sea:
            return "It does not lie on the sea."
        own = not _unnamed(city, (city.sea,))
        return "It lies on a sea that is named after its country." if own else f"It lies on or near the {city.sea}."
    return {
        "continent": f"It is in {country.continent}.",
        "region": f"It is in this region: {country.region}.",
        "language": f"{_listed(country.languages)}.",
        "currency": f"People pay in this currency: {country.currency}.",
        "side": f"People drive on the {country.side}.",
        "government": f"The country is a {country.government}.",
        "script": f"People write in this script: {country.script}.",
        "food": f"People eat {city.food}.",
        "population": f"About {city.millions:g} million people live there.",
        "founded": f"It was founded in {year(city.founded)}, as is usually said.",
        "height": f"It lies about {city.height} metres above the sea.",
        "hemisphere": f"It is in the {'northern' if city.latitude >= 0 else 'southern'} and the "
        f"{'eastern' if city.longitude >= 0 else 'western'} hemisphere.",
        "climate": f"By its latitude it lies in the {zone(city.latitude)} zone.",
        "olympics": f"It held the Olympic Games in {_listed(tuple(map(str, city.olympics)))}."
        if city.olympics
        else "It has never held the Olympic Games.",
    }[topic]


@lru_cache(maxsize=65536)
def holds(place: int, kind: str, value: str) -> bool:
    """Whether a statement is true of the city at a place of the table; the kinds are those that `reading.read` gives.

    Args:
        place: Its place in `load_cities()`.
        kind: What is stated; `any` and `all` join several statements.
        value: What it is stated of, as `Reading.value` holds it: a name, a bound such as `population 3`, the place of a
            city, or for `any` and `all` statements such as `sea: Baltic Sea; yes: capital`.
    """
    city = load_cities()[place]
    country = city.country
    if kind in ("any", "all"):
        parts = [part.split(": ", 1) for part in value.split("; ")]
        return (any if kind == "any" else all)(holds(place, of, stated) for of, stated in parts)
    if kind == "guess":
        return int(value) == place
    if kind == "fact":
        return city.name in facts()[value]
    if kind == "borders":
        return value in country.neighbours
    if kind in ("near", "far"):
        km, other = value.split()
        return int(other) != place and (distance(city, load_cities()[int(other)]) <= float(km)) == (kind == "near")
    if kind == "region" and city.name in facts().get(f"region {value}", ()):
        return True
    if kind in ("country", "continent", "region", "currency", "side", "government", "script"):
        return value == (country.name if kind == "country" else getattr(country, kind))
    if kind in ("sea", "river"):
        return bool(value == getattr(city, kind))
    if kind == "language":
        return value in country.languages
    if kind == "about":
        return any(set(value.split()) <= set(gist(text)) for text in (*city.landmarks, *city.known, city.food))
    if kind == "yes":
        return {
            "capital": city.capital,
            "coast": bool(city.sea),
            "inland": not city.sea,
            "on a river": bool(city.river),
            "olympics": bool(city.olympics),
            "north": city.latitude >= 0,
            "south": city.latitude < 0,
            "east": city.longitude >= 0,
            "west": city.longitude < 0,
            "tropics": abs(city.latitude) <= TROPIC,
        }[value]
    measure, _, bound = value.partition(" ")
    mine = {
        "population": city.millions,
        "founded": city.founded,
        "height": city.height,
        "latitude": city.latitude,
        "longitude": city.longitude,
        "people": country.millions,
        "area": country.area,
    }[measure]
    return mine > float(bound) if kind == "more" else mine < float(bound)
