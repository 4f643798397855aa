"""Questions about cities by measure: people, height, age, distance, and more or less than another city has."""

from __future__ import annotations

import re
from functools import cache

from agentgym.assets.cities import load_cities, load_countries
from agentgym.envs.games._asking import words
from agentgym.envs.games._city.wording import COUNTED, MEASURES, SCALES
from agentgym.envs.games._joined import Reading

THIS_YEAR = 2026  # ages are counted from it
NEAR = 300  # kilometres up to which another city is near
MILE, FOOT = 1.609, 0.3048
NAME_WORDS = 4  # words of the longest name
COUNT = re.compile(rf"\b({'|'.join(COUNTED)}) (?=(?:million|thousand)\b)")
OR_MORE = re.compile(r"\bor (?:more|higher|larger|bigger|above|over)\b")
OR_LESS = re.compile(r"\bor (?:less|fewer|lower|smaller|below|under)\b")
LESS = re.compile(r"\b(?:less|fewer|under|below|smaller|lower|before|older|up to|at most)\b")
YOUNGER = re.compile(r"\b(?:less|fewer|under|younger|newer)\b")
AMOUNT = re.compile(r"(?<![\w.,])(-?\d+(?:[.,]\d+)*) ?(million|thousand|billion|m|k)?\b(?! (?:km|kilomet|mile|degree))")
AGE = re.compile(r"(\d{1,4}(?:,\d{3})?) years? old\b|\b(?:older|younger|newer) than (\d{1,4}(?:,\d{3})?) years?\b")
CENTURY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) century( bc)?")
YEAR = re.compile(r"\b(before|after|in|since|until|by) (?:the )?(?:year )?(\d{1,4})\b( bc)?")
DISTANCE = re.compile(r"\b(\d+(?:,\d{3})?) ?(km|kilometers?|kilometres?|miles?) (?:of|from|to|away from) ")
CLOSE = re.compile(r"\b(?:near|close|next) to |\bnear |\bin the (?:vicinity|neighborhood|neighbourhood) of ")
COMPARED = re.compile(
    r"\b(north|south|east|west|northern|southern|bigger|larger|smaller|older|newer|younger|higher|lower|populous|"
    r"populated|people|inhabitants|residents|population) (?:of|than|that of|as) "
)
OF_THE_SAME = re.compile(r"\bsame (country|continent) as ")
STRONG = frozenset(words("metres meters feet altitude elevation metre meter foot ft"))
HEIGHT = STRONG | {"high", "higher", "m"}
FOUNDED = frozenset(words("founded built established existed exist founding dates date dating settled old existing"))
PEOPLE = frozenset(
    words("people inhabitants residents citizens population populated populous million thousand live lives living")
)
SCALED = {"million": 1.0, "m": 1.0, "thousand": 1e-3, "k": 1e-3, "billion": 1e3, "": 1e-6}


def number(said: str) -> Reading | None:
    """A comparison with a number or with another city or country, or None if the question is none.

    Args:
        said: Words of the question, in lower case, with one space between them.
    """
    said = COUNT.sub(lambda found: f"{COUNTED[found[1]]} ", said)
    said = OR_LESS.sub("at most", OR_MORE.sub("", said))
    beside = _beside(said)
    return beside or _near(said) or _age(said) or _amount(said)


@cache
def cities() -> dict[str, int]:
    """Places of cities in the table by every name, in lower case."""
    return {
        " ".join(words(name)): place for place, city in enumerate(load_cities()) for name in (city.name, *city.others)
    }


@cache
def guesses() -> dict[str, int]:
    """Places of cities by every name, alone and with that of the country behind it: `lima peru`, `lima in peru`."""
    found = dict(cities())
    for name, place in cities().items():
        country = load_cities()[place].country
        for spelt in (country.name, *country.others):
            land = " ".join(words(spelt))
            found |= {told: found.get(told, place) for told in (f"{name} {land}", f"{name} in {land}")}
    return found


@cache
def countries() -> dict[str, str]:
    """Names of countries by every name, in lower case."""
    return {
        " ".join(words(name)): country.name
        for country in load_countries().values()
        for name in (country.name, *country.others)
    }


def _first(text: str, names: dict[str, int] | dict[str, str]) -> int | str | None:
    """What the longest name stands for with which a text begins, without an article."""
    said = text.removeprefix("the ").removeprefix("city of ").split(maxsplit=NAME_WORDS)[:NAME_WORDS]
    found = (names.get(" ".join(said[:length])) for length in range(len(said), 0, -1))
    return next((place for place in found if place is not None), None)


def _beside(said: str) -> Reading | None:
    if same := OF_THE_SAME.search(said):
        place = _first(said[same.end() :], cities())
        country = load_cities()[int(place)].country if place is not None else None
        kind = same[1]
        return None if country is None else Reading(kind, country.name if kind == "country" else country.continent)
    compared = COMPARED.search(said)
    if compared is None:
        return None
    rest, word = said[compared.end() :], compared[1]
    kind, measure = SCALES.get(word, ("more", "population"))
    if measure == "population" and word not in SCALES and {"less", "fewer"} & set(said.split()):
        kind = "less"
    land = _first(rest, countries())
    if land is not None and {"country", "nation", "state"} & set(said[: compared.start()].split()):
        country = load_countries()[str(land)]
        about = "area" if word in SCALES and measure == "population" else "people"
        return Reading(kind, f"{about} {country.area if about == 'area' else country.millions:g}")
    place = _first(rest, cities())
    if place is None:
        return None
    return Reading(kind, f"{measure} {getattr(load_cities()[int(place)], MEASURES[measure])}")


def _near(said: str) -> Reading | None:
    if far := DISTANCE.search(said):
        place = _first(said[far.end() :], cities())
        km = float(far[1].replace(",", "")) * (MILE if far[2].startswith("mile") else 1)
        kind = "far" if re.search(r"\b(?:more|over|farther|further)\b", said) else "near"
        return None if place is None else Reading(kind, f"{km:g} {place}")
    close = CLOSE.search(said)
    place = None if close is None else _first(said[close.end() :], cities())
    return None if place is None else Reading("near", f"{NEAR} {place}")


def _age(said: str) -> Reading | None:
    if match := AGE.search(said):
        years = THIS_YEAR - int((match[1] or match[2]).replace(",", ""))
        return Reading("more" if YOUNGER.search(said) else "less", f"founded {years}")
    told = set(said.split())
    if not FOUNDED & told:
        return None
    if match := CENTURY.search(said):
        first, last = (int(match[1]) - 1) * 100, int(match[1]) * 100
        if match[2]:
            first, last = -last, -first
        before, after = {"before", "older"} & told, {"after", "since", "newer", "younger"} & told
        if before or after:
            return Reading("less" if before else "more", f"founded {first if before else last}")
        return Reading("all", f"more: founded {first}; less: founded {last + 1}")
    match = YEAR.search(said)
    if match is None:
        return None
    if match[1] == "in":
        year = int(f"{'-' if match[3] else ''}{match[2]}")
        return Reading("all", f"more: founded {year - 1}; less: founded {year + 1}")
    kind = "less" if match[1] in ("before", "until", "by") else "more"
    return Reading(kind, f"founded {'-' if match[3] else ''}{match[2]}")


def _amount(said: str) -> Reading | None:
    """More or less than an amount of people or metres."""
    told = set(said.split())
    of_country = bool({"country", "nation", "country's"} & told or "country s" in said)
    amounts = AMOUNT.findall(said)
    if STRONG & told or "sea level" in said or (HEIGHT & told and not PEOPLE & told):
        measure = "height"
    elif PEOPLE & told:
        measure = "people" if of_country else "population"
    else:
        return None
    if not amounts:
        return None
    unit = amounts[-1][1]
    bounds = [_scaled(text, own or unit, measure, "feet" in told or "ft" in told) for text, own in amounts[:2]]
    if "between" in told:
        if len(bounds) < 2:
            return None
        return Reading("all", f"more: {measure} {min(bounds):g}; less: {measure} {max(bounds):g}")
    return Reading("less" if LESS.search(said) else "more", f"{measure} {bounds[0]:g}")


def _scaled(text: str, unit: str, measure: str, feet: bool) -> float:
    amount = float(text.replace(",", ""))
    if measure == "height":
        return amount * (1000 if unit in ("thousand", "k") else 1) * (FOOT if feet else 1)
    return amount * SCALED[unit]
