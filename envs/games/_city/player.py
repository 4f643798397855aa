"""A player that knows the facts of all cities, not which one is meant, and asks what tells most."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache, lru_cache

from agentgym.assets.cities import load_cities, load_facts
from agentgym.envs.games._city.facts import TOPICS, holds, tell
from agentgym.envs.games._city.reading import read, values
from agentgym.envs.games._city.wording import PLAIN, STATEMENTS
from agentgym.envs.games._joined import Reading

FEW = 2  # cities left from which on naming one is no worse than asking
MEASURED = (
    "Do more than 1 million people live there?", "Do more than 3 million people live there?",
    "Do more than 8 million people live there?", "Was it founded after 1000?", "Was it founded after 1600?",
    "Is it higher than 100 metres?", "Is it higher than 500 metres?",
)  # fmt: skip
UNTOLD: dict[str, dict[str, str]] = {
    "unknown": {},
    "withheld": {
        "letters": "I tell no letters of the name; ask about the city.",
        "names": "I will not name the city or its country; ask whether it is in one that you have in mind.",
    },
}
SAID = {
    "": ("No.", "Yes."),
    "any": ("No, none of them.", "Yes, one of them at least."),
    "all": ("No, not all of that.", "Yes, all of that."),
}


@cache
def questions(closed: bool) -> tuple[tuple[str, Reading], ...]:
    """The questions as the game words them, those answered in words first; `closed` leaves those out."""
    texts = [] if closed else [ways[0] for ways in TOPICS.values()]
    texts += [ways[0] for ways in PLAIN.values()]
    texts += [STATEMENTS[kind][0].format(value) for kind, value, _ in values()]
    texts += [fact.text for fact in load_facts()]
    texts += MEASURED
    found = [(text, read(text)) for text in texts]
    return tuple((text, reading) for text, reading in found if isinstance(reading, Reading))


@cache
def _answers(closed: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is answered to each question about each city."""
    places = range(len(load_cities()))
    return tuple((text, tuple(answer(place, reading) for place in places)) for text, reading in questions(closed))


def answer(place: int, reading: Reading) -> str:
    """What the game answers to a `reading` about the city at a `place` of the table, as if it had not been negated."""
    if reading.kind in UNTOLD:
        return UNTOLD[reading.kind].get(reading.value, "I do not know.")
    if reading.kind == "topic":
        return tell(place, reading.value)
    return SAID[reading.kind if reading.kind in SAID else ""][holds(place, reading.kind, reading.value)]


@lru_cache(maxsize=8192)
def left(heard: tuple[tuple[str, str, str], ...]) -> tuple[int, ...]:
    """Places of the cities about which the same would have been answered, given (kind, value, answer)."""
    if not heard:
        return tuple(range(len(load_cities())))
    kind, value, said = heard[-1]
    return tuple(place for place in left(heard[:-1]) if answer(place, Reading(kind, value)) == said)


@lru_cache(maxsize=8192)
def advice(heard: tuple[tuple[str, str, str], ...], closed: bool) -> str:
    """The question whose answer tells most about which of the cities left is meant, or the name of the first.

    Args:
        heard: Kind, value and answer of each question so far.
        closed: Whether only questions that are answered by yes or no may be asked.
    """
    cities = left(heard)
    best, most = "", 0.0
    if len(cities) > FEW:
        for text, answers in _answers(closed):
            counts = Counter(answers[place] for place in cities)
            bits = round(-sum(count / len(cities) * math.log2(count / len(cities)) for count in counts.values()), 9)
            if bits > most:
                best, most = text, bits
    return f"ask {best}" if best else f"guess {load_cities()[cities[0]].name}"
