"""Questions about a thing in plain English, read as facts, comparisons and guesses; and of what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from agentgym.assets.things import load_asides, load_questions, load_things
from agentgym.core.grammar import shorten
from agentgym.envs.games._asking import by_word, gist, loose, plain_question, spells, within, words
from agentgym.envs.games._joined import LETTERS, UNKNOWN, Reading, understood, whole_or_parts

SUBJECT = re.compile(
    r"\b(?:the|this|that|these|those|your) (?:animal|creature|thing|object|item|plant|food|fruit|product|device|"
    r"instrument|tool|vehicle|machine)s?\b(?= [a-z])",
    re.IGNORECASE,
)  # stands for what is meant, and asks for nothing
IS_IT_A = re.compile(
    r".*\b(?:is|was|could|might|would) (?:it|this|that) (?:be )?(?:an?|the) (?P<name>[a-z][a-z -]*?)[\s?.!]*",
    re.IGNORECASE | re.DOTALL,
)
BESIDE = re.compile(r"\b(bigger|larger|smaller|taller|longer|heavier|lighter) than (?:an? |the |my |your |most )?(.+)")
WEIGHT = re.compile(
    r"\b(?:(more|less|under|over|heavier|lighter)(?: than)?|at (?:least|most)) (?:about )?(an?|one|\d+(?:[.,]\d+)*) ?"
    r"(kg|kilos?|kilograms?|g|grams?|lbs?|pounds?|tons?|tonnes?|ounces?)\b"
)
KILOGRAMS = {"k": 1.0, "g": 0.001, "l": 0.454, "p": 0.454, "t": 1000.0, "o": 0.028}
PERSON = (40.0, 120.0)  # kilograms that a person may weigh
SIZES = ("bread", "person", "car", "house")  # facts of ever larger things; what fits in a hand is smaller than all


@cache
def places() -> Mapping[str, int]:
    """Places of the things in the table by their first names."""
    return MappingProxyType({thing.name: place for place, thing in enumerate(load_things())})


def bare_name(text: str) -> str:
    """A name as it is looked up: its words in lower case without an article."""
    said = words(text)
    return " ".join(said[1:] if said and said[0] in ("a", "an", "the", "some") else said)


@cache
def names() -> Mapping[str, int]:
    """Places of things by every name."""
    found = {
        bare_name(name): place for place, thing in enumerate(load_things()) for name in (thing.name, *thing.others)
    }
    return MappingProxyType(found)


@cache
def _ways() -> dict[tuple[str, ...], str]:
    """Key of the question, after a `!` if the opposite is asked, by the gist of each way to ask it."""
    ways: dict[tuple[str, ...], str] = {}
    for question in load_questions():
        for sign, texts in (("", (question.text, *question.same)), ("!", question.opposite)):
            for text in texts:
                ways.setdefault(gist(text), f"{sign}{question.key}")
    return ways


@cache
def _loose_ways() -> dict[tuple[str, ...], str]:
    """The same without who asks and whether a thing is found, where that leaves one meaning."""
    meanings: dict[tuple[str, ...], set[str]] = {}
    for asked, way in _ways().items():
        meanings.setdefault(loose(asked), set()).add(way)
    return {asked: min(ways) for asked, ways in meanings.items() if asked and len(ways) == 1}


@cache
def _ways_by_word() -> dict[str, list[tuple[str, ...]]]:
    return by_word(_loose_ways())


@cache
def _things_by_gist() -> dict[tuple[str, ...], int]:
    return {gist(name): place for name, place in names().items() if gist(name)}


@lru_cache(maxsize=8192)
def read(text: str) -> Reading | str:
    """What a question asks, or a sentence why it cannot be answered.

    With an article before it the name of a thing is a guess even where it also names a property (`Is it an orange?`).
    Two words joined by `or` are one question where both ask for the same fact (`Does it have fur or hair?`). A question
    that no fact answers is read as `unknown`.

    The value of a `fact` is its key, with a `!` before it if its opposite is asked; of a `guess`, the place of the
    thing; of `any` and `all`, such parts, a guess with a `=` before it, separated by a space. Of a `size` it is `>` or
    `<` and the class of another thing, of a `weight` `>` or `<` and the kilograms.
    """
    asked = plain_question(text)
    if spells(words(asked)):
        return LETTERS
    return understood(asked, _closed) or (
        f"I cannot answer {shorten(text.strip(), 60)!r}. Ask with yes or no in simple words, such as 'Is it alive?', "
        "'Does it have wheels?', 'Is it made of wood?', 'Is it found in a kitchen?', or name the thing."
    )


def _closed(asked: str) -> Reading | None:
    """What a question without a `not` asks, None if it is not understood."""
    return whole_or_parts(asked, _either, _either, _merged)


def _merged(mark: str, found: tuple[Reading, ...]) -> Reading:
    if any(part.kind not in ("fact", "guess") for part in found):
        return UNKNOWN
    return Reading("any" if mark == "or" else "all", " ".join(_atom(part) for part in found))


def _atom(part: Reading) -> str:
    return f"={part.value}" if part.kind == "guess" else part.value


def _either(asked: str) -> Reading | None:
    return _read(asked) or _read(SUBJECT.sub("it", asked)) or _compared(asked)


def _read(text: str) -> Reading | None:
    """What a question without a complaint asks, None if it is not understood."""
    asked = gist(text)
    named = IS_IT_A.fullmatch(" ".join(text.split()))
    if named is not None and bare_name(named["name"]) in names() and gist(named["name"]) == asked:
        return Reading("guess", str(names()[bare_name(named["name"])]))
    way = _ways().get(asked) or _loose_ways().get(loose(asked))
    if way is None and asked not in _things_by_gist():
        longer = within(loose(asked), _ways_by_word(), load_asides())
        way = None if longer is None else _loose_ways()[longer]
    if way is not None:
        return Reading("fact", way)
    place = _things_by_gist().get(asked, -1)
    return Reading("guess", str(place)) if place >= 0 else None


def _compared(asked: str) -> Reading | None:
    """A comparison with another thing, or with a weight."""
    said = " ".join(words(asked))
    if weight := WEIGHT.search(said):
        amount = 1.0 if weight[2][0] in "ao" else float(weight[2].replace(",", ""))
        sign = "<" if weight[1] in ("less", "under", "lighter") or " at most " in said else ">"
        return Reading("weight", f"{sign}{amount * KILOGRAMS[weight[3][0]]:g}")
    beside = BESIDE.search(said)
    place = _things_by_gist().get(gist(beside[2])) if beside else None
    if beside is None or place is None or beside[1] in ("heavier", "lighter"):
        return None
    return Reading("size", f"{'<' if beside[1] == 'smaller' else '>'}{size(place)}")


def size(place: int) -> int:
    """The class of size of a thing: 0 if it fits in a hand, then 1 to 5 by what it is bigger than."""
    true = load_things()[place].true
    return 0 if "small" in true else 1 + sum(fact in true for fact in SIZES)


@lru_cache(maxsize=65536)
def holds(place: int, reading: Reading) -> bool | None:
    """Whether what a `reading` asks is true of the thing at a `place` of the table, None if that is not known."""
    if reading.kind in ("unknown", "withheld"):
        return None
    if reading.kind == "size":
        mine, other = size(place), int(reading.value[1:])
        return None if mine == other else (mine > other) == (reading.value[0] == ">")
    if reading.kind == "weight":
        return _weighs(place, reading.value[0] == ">", float(reading.value[1:]))
    if reading.kind == "guess":
        return int(reading.value) == place
    parts = [_holds(place, atom) for atom in reading.value.split()]
    return any(parts) if reading.kind == "any" else all(parts)


def _holds(place: int, atom: str) -> bool:
    if atom[0] == "=":
        return int(atom[1:]) == place
    return (atom.lstrip("!") in load_things()[place].true) != (atom[0] == "!")


def _weighs(place: int, more: bool, kilograms: float) -> bool | None:
    """Whether a thing weighs more (or less) than an amount, as far as follows from its facts."""
    heavy, small = "heavy" in load_things()[place].true, size(place) == 0
    if (
        PERSON[0] <= kilograms <= PERSON[1]
        or (kilograms > PERSON[1] and not heavy)
        or (kilograms < PERSON[0] and heavy)
    ):
        return heavy == more
    if small and kilograms >= 1:
        return not more
    return None


@lru_cache(maxsize=8192)
def things(reading: Reading) -> int:
    """The things of which a reading is known to hold, as bits."""
    return sum(1 << place for place in range(len(load_things())) if holds(place, reading) is True)


@lru_cache(maxsize=8192)
def unsure(reading: Reading) -> int:
    """The things of which it is not known whether a reading holds, as bits."""
    return sum(1 << place for place in range(len(load_things())) if holds(place, reading) is None)


def left(heard: tuple[tuple[str, str, str], ...]) -> int:
    """The things of which the same would have been answered, as bits.

    Args:
        heard: Kind and value of each question, and `yes`, `no` or `unknown`.
    """
    found = (1 << len(load_things())) - 1
    for kind, value, said in heard:
        reading = Reading(kind, value)
        yes, not_known = things(reading), unsure(reading)
        found &= {"yes": yes, "no": ~yes & ~not_known, "unknown": not_known}[said]
    return found


@lru_cache(maxsize=8192)
def advice(heard: tuple[tuple[str, str, str], ...]) -> str:
    """The question that parts the things left most evenly, or the name of the first of them if no question does.

    Args:
        heard: As in `left`.
    """
    still = left(heard)
    count = still.bit_count()
    uneven = {
        question: abs(2 * (things(Reading("fact", question.key)) & still).bit_count() - count)
        for question in load_questions()
    }
    best = min(uneven, key=lambda question: uneven[question])
    if count > 2 and uneven[best] < count:
        return f"ask {best.text}"
    return f"guess {load_things()[(still & -still).bit_length() - 1].name}"
