"""Questions about a city in plain English, read as topics, statements or guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from agentgym.assets.cities import load_cities, load_countries
from agentgym.core.grammar import shorten
from agentgym.envs.games._asking import alternatives, complaint, gist, loose, plain_question, within, words
from agentgym.envs.games._city.facts import TOPICS
from agentgym.envs.games._city.wording import (
    ADJECTIVES,
    ASIDE,
    COUNTED,
    CUES,
    FAME,
    FRAMES,
    MEANT,
    MEASURES,
    NAMING,
    NEAREST,
    NO_SEAS,
    OPEN,
    PLAIN,
    PLAIN_WORDS,
    SCALES,
    STATEMENTS,
    UNITS,
    VAGUE,
)

SUBJECT = re.compile(r"\b(?:the|this|that|your) (?:city|place|town)\b(?! of\b)", re.IGNORECASE)
HAVING = re.compile(r"(?:is|are) there (?:a|an|any|some)\b|(?:does|do) (?:it|they) have (?:any|some)\b")
LESS = re.compile(r"\b(?:less|fewer|under|below|smaller|lower|before|older)\b")
COUNT = re.compile(rf"\b({'|'.join(COUNTED)}) (?=(?:million|thousand)\b)")
YOUNGER = re.compile(r"\b(?:less|fewer|under|younger|newer)\b")
SPELT = re.compile(r"\b(?:start|begin|end)(?:s|ning|ing)? (?:with|in|on)\b|\bletters? (?:are|is) in (?:its|the) name\b")
AGE = re.compile(r"(\d{1,4}(?:,\d{3})?) years? old\b|\b(?:older|younger|newer) than (\d{1,4}(?:,\d{3})?) years")
THIS_YEAR = 2026  # ages are counted from it
PEOPLE = re.compile(r"(\d+(?:[.,]\d+)*) ?(million|m\b|thousand|people|inhabitants|residents|citizens)")
METRES = re.compile(r"(-?\d+(?:\.\d+)?) ?(?:metres|meters|m\b)")
YEAR = re.compile(r"(?:before|after) (?:the year )?(\d{1,4})\b( bc)?")
IS_IT = re.compile(r"(?:is|could|would|might|was) (?:it|this|that|the city)(?: be)?(?: called| named)? (.+)")
COMPARED = re.compile(
    r"(?:further |farther )?(north|south|east|west|bigger|larger|smaller|older|newer|younger|higher|lower) "
    r"(?:of|than) (?P<name>[a-z' ]+)"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that was understood.

    Attributes:
        kind: `guess`, `topic`, or the kind of a statement.
        value: Place of the city guessed, the topic, or what is stated.
    """

    kind: str
    value: str


@cache
def cities() -> dict[str, int]:
    """Places of cities in the table by every name, in lower case."""
    return {
        " ".join(words(name)): place for place, city in enumerate(load_cities()) for name in (city.name, *city.others)
    }


def _core(text: str, drop: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in loose(gist(text)) if word not in drop)


@cache
def _topics() -> dict[tuple[str, ...], str]:
    return {_core(way, OPEN | FRAMES - {"famous"}): topic for topic, ways in TOPICS.items() for way in ways}


@cache
def _statements() -> dict[tuple[str, ...], Reading]:
    """Readings of statements by what is left of each way to make them; the first of equals stands."""
    found: dict[tuple[str, ...], Reading] = {}
    for value, ways in PLAIN.items():
        for way in ways:
            found.setdefault(_core(way, FRAMES), Reading("yes", value))
    for (kind, value), ways in MEANT.items():
        for way in ways:
            found.setdefault(_core(way, FRAMES), Reading(kind, value))
    for kind, value, spellings in values():
        for way in STATEMENTS[kind]:
            for spelling in spellings:
                found.setdefault(_core(way.format(spelling), FRAMES), Reading(kind, value))
    for topic, ways in NEAREST.items():
        for way in ways:
            found.setdefault(_core(way, FRAMES), Reading("topic", topic))
    return found


@cache
def values() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each kind of statement with each value that some city has, and how the value may be spelt."""
    spelt: dict[tuple[str, str], tuple[str, ...]] = {}
    for country in load_countries().values():
        spelt["country", country.name] = (country.name, *country.others, *country.adjectives)
        spelt["continent", country.continent] = (country.continent, *ADJECTIVES[country.continent])
        spelt["region", country.region] = (country.region,)
        for kind in ("currency", "side", "government", "script"):
            spelt[kind, getattr(country, kind)] = (getattr(country, kind),)
        for language in country.languages:
            spelt["language", language] = (language,)
    taken = {spelling for spellings in spelt.values() for spelling in spellings}
    for city in load_cities():
        for kind in ("sea", "river"):
            if value := getattr(city, kind):
                bare = value.removesuffix(" Sea").removesuffix(" Ocean")
                plain = kind == "sea" and bare != value and " " not in bare and bare not in NO_SEAS | taken
                spelt[kind, value] = (value, bare) if plain else (value,)
    order = list(STATEMENTS)
    keys = sorted(spelt, key=lambda key: (order.index(key[0]), key[1]))
    return tuple((kind, value, spelt[kind, value]) for kind, value in keys)


@cache
def _phrases() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(gist(text)) for city in load_cities() for text in (*city.landmarks, *city.known, city.food))


@cache
def _landmarks() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(gist(text)) for city in load_cities() for text in city.landmarks)


@lru_cache(maxsize=16384)
def read(text: str) -> Reading | str:
    """What a question asks, or a sentence why it cannot be answered.

    Two words joined by `or` are one question where both ask for the same (`Is there a king or queen?`).
    """
    asked = SUBJECT.sub("it", plain_question(text))
    said = words(asked)
    if SPELT.search(" ".join(said)):
        return "I tell no letters of the name; ask about the city."
    if set(said[:2]) & OPEN or set(said[:3]) & {"name", "tell", "describe"}:
        return Reading("topic", "continent") if said[0] == "where" else _open(asked, text)
    if wrong := complaint(asked):
        parts = {_statement(part) for part in alternatives(asked) or () if not complaint(part)}
        same = parts.pop() if len(parts) == 1 else None
        return wrong if same is None else same
    having = HAVING.match(" ".join(said)) is not None and _core(asked, FRAMES) not in _statements()
    found = (_topic(asked) if having else None) or _statement(asked)
    return found or (
        f"I cannot answer {shorten(text.strip(), 60)!r}. Ask about its continent, language, currency, sea, river, "
        "size, age, height, food, landmarks or fame, such as 'What is it known for?', 'Is it in Asia?', 'Do people "
        "speak French there?', 'Is it north of Rome?', 'Do more than 5 million people live there?', or name the city."
    )


def _statement(asked: str) -> Reading | None:
    """What a question with yes or no asks, None if it is not understood."""
    said = words(asked)
    number = _number(" ".join(said))
    if number is not None:
        return number
    named = cities().get(_named(said))
    if named is not None:
        return Reading("guess", str(named))
    core = _core(asked, FRAMES)
    if core in _statements():
        return _statements()[core]
    about = [word for word in core if word not in NAMING]
    phrases = _phrases() if FAME & set(said) else _landmarks()
    if about and not set(about) <= VAGUE and any(set(about) <= phrase for phrase in phrases):
        return Reading("about", " ".join(about))
    longer = within(core, _statements(), ASIDE)
    return None if longer is None else _statements()[longer]


def _named(said: list[str]) -> str:
    """What stands after `is it`, as it was said: the name of a city if the question is a guess."""
    joined = " ".join(said)
    match = IS_IT.fullmatch(joined)
    return match[1].removeprefix("the city of ") if match else joined


def _topic(asked: str) -> Reading | None:
    """The topic that an open question names, None if it names none or says more."""
    core = _core(asked, OPEN | FRAMES - {"famous"})
    said = words(asked)
    if core and (topic := _topics().get(core)):
        return Reading("topic", topic)
    if not core and {"known", "famous"} & set(said):
        return Reading("topic", "known")
    for topic, cues in CUES.items():
        own = set(cues.split())
        if own & set(said) and set(said) <= own | PLAIN_WORDS:
            return Reading("topic", topic)
    return None


def _open(asked: str, text: str) -> Reading | str:
    """What an open question asks, or why it is not answered.

    Args:
        asked: The question without what stands around it.
        text: The question as it came.
    """
    core = _core(asked, OPEN | FRAMES - {"famous"})
    topic = _topic(asked)
    if topic is not None and (topic.value == "known" or core not in ((), ("capital",), ("country",))):
        return topic
    if not core or core == ("capital",):
        return "I will not name the city or its country; ask whether it is in one that you have in mind."
    return (
        f"I cannot answer {shorten(text.strip(), 60)!r}. I answer what its continent, region, language, currency, "
        "script, sea, river, landmarks, food, fame, population, age, height, climate zone, hemisphere and Olympic "
        "Games are."
    )


def _number(said: str) -> Reading | None:
    """A comparison with a number or with another city, or None if the question is none."""
    compared = COMPARED.search(said)
    if compared is not None:
        place = cities().get(" ".join(compared["name"].split()))
        if place is not None:
            kind, measure = SCALES[compared[1]]
            return Reading(kind, f"{measure} {getattr(load_cities()[place], MEASURES[measure])}")
    said = COUNT.sub(lambda found: f"{COUNTED[found[1]]} ", said)
    if match := AGE.search(said):
        years = THIS_YEAR - int((match[1] or match[2]).replace(",", ""))
        return Reading("more" if YOUNGER.search(said) else "less", f"founded {years}")
    kind = "less" if LESS.search(said) else "more"
    if match := PEOPLE.search(said):
        return Reading(kind, f"population {float(match[1].replace(',', '')) * UNITS[match[2]]:g}")
    if match := METRES.search(said):
        return Reading(kind, f"height {float(match[1]):g}")
    if ("founded" in said or "built" in said or "established" in said) and (match := YEAR.search(said)):
        return Reading(kind, f"founded {'-' if match[2] else ''}{match[1]}")
    return None
