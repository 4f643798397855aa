"""Questions about a city in plain English, read as topics, statements or guesses."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from agentgym.assets.cities import load_cities, load_countries, load_facts, load_ways
from agentgym.core.grammar import shorten
from agentgym.envs.games._asking import by_word, complaint, gist, loose, plain_question, spells, within, words
from agentgym.envs.games._city.facts import TOPICS
from agentgym.envs.games._city.measures import guesses, number
from agentgym.envs.games._city.wording import (
    ADJECTIVES,
    ASIDE,
    CUES,
    FAME,
    FRAMES,
    MEANT,
    NAMING,
    NEAREST,
    NO_SEAS,
    OPEN,
    PLAIN,
    PLAIN_WORDS,
    STATEMENTS,
    VAGUE,
)
from agentgym.envs.games._joined import LETTERS, UNKNOWN, Reading, understood, whole_or_parts

SUBJECT = re.compile(r"\b(?:the|this|that|your) (?:city|place|town)\b(?! of\b)", re.IGNORECASE)
HAVING = re.compile(r"(?:is|are) there (?:a|an|any|some)\b|(?:does|do) (?:it|they) have (?:any|some)\b")
IS_IT = re.compile(r"(?:is|could|would|might|was) (?:it|this|that|the city)(?: be)?(?: called| named)? (.+)")
LAND = frozenset({"country", "nation"})
KNOWN_FOR = re.compile(r"\b(?:known|famous|renowned|celebrated) for\b")
NAMES = Reading("withheld", "names")


def _core(text: str, drop: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in loose(gist(text)) if word not in drop)


@cache
def _topics() -> dict[tuple[str, ...], str]:
    return {_core(way, OPEN | FRAMES - {"famous"}): topic for topic, ways in TOPICS.items() for way in ways}


@cache
def _statements() -> dict[tuple[str, ...], Reading]:
    """Readings of statements by what is left of each way to make them; the first of equals stands.

    A way stands twice: with the word `country`, where it is said, and without.
    """
    exact: dict[tuple[str, ...], Reading] = {}
    found: dict[tuple[str, ...], Reading] = {}

    def note(ways: tuple[str, ...], reading: Reading) -> None:
        """Let each of the `ways` to say something stand for its `reading`, unless it stands for another already."""
        for way in ways:
            exact.setdefault(_core(way, FRAMES - LAND), reading)
            found.setdefault(_core(way, FRAMES), reading)

    for value, ways in PLAIN.items():
        note(ways, Reading("yes", value))
    for (kind, value), ways in MEANT.items():
        note(ways, Reading(kind, value))
    for fact in load_facts():
        region = fact.key.startswith("region ")
        note((fact.text, *fact.same), Reading("region" if region else "fact", fact.key.removeprefix("region ")))
    for asked, ways in load_ways().items():
        kind, _, value = asked.partition(" ")
        note(ways, Reading(kind, value))
    for kind, value, spellings in values():
        for way in STATEMENTS[kind]:
            note(tuple(way.format(spelling) for spelling in spellings), Reading(kind, value))
    for topic, ways in NEAREST.items():
        note(ways, Reading("topic", topic))
    return found | exact


@cache
def _ways_by_word() -> dict[str, list[tuple[str, ...]]]:
    return by_word(_statements())


@cache
def values() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each kind of statement with each value that some city has, and how the value may be spelt."""
    spelt: dict[tuple[str, str], tuple[str, ...]] = {}
    for country in load_countries().values():
        names = (country.name, *country.others)
        spelt["country", country.name] = (*names, *country.adjectives)
        spelt["borders", country.name] = names
        spelt["continent", country.continent] = (country.continent, *ADJECTIVES[country.continent])
        spelt["region", country.region] = (country.region,)
        for kind in ("currency", "side", "government", "script"):
            spelt[kind, getattr(country, kind)] = (getattr(country, kind),)
        for language in country.languages:
            spelt["language", language] = (language,)
        for neighbour in country.neighbours:
            spelt.setdefault(("borders", neighbour), (neighbour,))
    for fact in load_facts():
        if fact.key.startswith("region "):
            spelt["region", fact.key.removeprefix("region ")] = (fact.key.removeprefix("region "),)
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

    A question that no fact answers is read as `unknown`. Two words joined by `or` are one question where both ask for
    the same (`Is there a king or queen?`).

    The value of a `guess` is the place of the city; of a `topic`, its name; of a statement, what is stated; of `any`
    and `all`, statements as `kind: value`, separated by a ";".
    """
    asked = SUBJECT.sub("it", plain_question(text))
    said = words(asked)
    if spells(said):
        return LETTERS
    if set(said[:2]) & OPEN or set(said[:3]) & {"name", "tell", "describe"}:
        return Reading("topic", "continent") if said[0] == "where" else _open(asked)
    return understood(asked, _closed) or (
        f"I cannot answer {shorten(text.strip(), 60)!r}. Ask about its continent, language, currency, sea, river, "
        "size, age, height, food, landmarks or fame, such as 'What is it known for?', 'Is it in Asia?', 'Do people "
        "speak French there?', 'Is it north of Rome?', 'Do more than 5 million people live there?', or name the city."
    )


def _closed(asked: str) -> Reading | None:
    """What a question with yes or no and without a `not` asks, None if it is not understood."""
    measured = number(" ".join(words(asked))) if complaint(asked) else None  # such as `between 1 and 3 million`
    return measured or whole_or_parts(asked, _whole, _statement, _merged)


def _whole(asked: str) -> Reading | None:
    having = HAVING.match(" ".join(words(asked))) is not None and _core(asked, FRAMES) not in _statements()
    return (_topic(asked) if having else None) or _statement(asked)


def _merged(mark: str, found: tuple[Reading, ...]) -> Reading:
    if any(part.kind == "topic" for part in found):
        return UNKNOWN
    return Reading("any" if mark == "or" else "all", "; ".join(f"{part.kind}: {part.value}" for part in found))


def _statement(asked: str) -> Reading | None:
    """What a question with yes or no asks, None if it is not understood."""
    said = words(asked)
    measured = number(" ".join(said))
    if measured is not None:
        return measured
    named = guesses().get(_named(said))
    if named is not None:
        return Reading("guess", str(named))
    core = _core(asked, FRAMES)
    about = [word for word in core if word not in NAMING]
    phrases = _phrases() if FAME & set(said) else _landmarks()
    fitting = bool(about) and not set(about) <= VAGUE and any(set(about) <= phrase for phrase in phrases)
    stated = _statements().get(_core(asked, FRAMES - LAND)) or _statements().get(core)
    if stated is not None and not (fitting and KNOWN_FOR.search(" ".join(said))):
        return stated
    if fitting:
        return Reading("about", " ".join(about))
    longer = within(core, _ways_by_word(), ASIDE)
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


def _open(asked: str) -> Reading:
    """What an open question asks."""
    core = _core(asked, OPEN | FRAMES - {"famous"})
    topic = _topic(asked)
    if topic is not None and (topic.value == "known" or core not in ((), ("capital",), ("country",))):
        return topic
    return NAMES if not core or core == ("capital",) or "called" in words(asked) else UNKNOWN
