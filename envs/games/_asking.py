"""Questions in plain English brought to one form, so that many ways to ask one thing are read alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

SHORT = {"d": " would", "re": " are", "ll": " will", "ve": " have"}
SHORTENED = re.compile(r"'(d|re|ll|ve)\b")
WORD = re.compile(r"[a-z0-9]+(?:[.,]\d+)*")
NEGATED = frozenset({"not", "never", "nor", "neither", "without", "cannot"})
EITHER = frozenset({"or", "and", "both", "either"})
FILLERS = frozenset(
    WORD.findall(
        "a an the it its s this that thing things object item something anything answer is are be being was were am do "
        "does did doing can could would will shall should may might must has have had having got get been to of some "
        "any kind type sort usually typically normally generally often commonly mostly sometimes ever always mainly "
        "frequently primarily very really actually also just only so called known considered able possible please tell "
        "my there then well ok okay hmm now about as by from for most typical common normal general average likely "
        "right correct true in on at into onto inside out up your his her their our category belong under ability "
        "capable they them those these he she him somewhere something's it's else such own itself"
    )
)
ALIKE = {
    "larger": "bigger", "human": "person", "humans": "person", "people": "person", "man": "person", "men": "person",
    "someone": "person", "somebody": "person", "me": "person", "one": "who", "we": "who", "you": "who",
    "anyone": "who", "i": "who", "myself": "who", "yourself": "who", "used": "use", "using": "use", "uses": "use",
    "require": "need", "2": "two", "4": "four", "requires": "need", "colour": "color", "coloured": "color",
    "colored": "color", "colors": "color", "colours": "color", "grey": "gray", "jewellery": "jewelry",
    "aeroplane": "airplane", "automobile": "car",
    "ocean": "sea", "photo": "picture", "kids": "child", "kid": "child", "children": "child", "located": "found",
    "seen": "found", "kept": "found", "situated": "found", "americas": "americas",
}  # fmt: skip


ASIDES = re.compile(r"(?:(?:ok|okay|hmm|so|well|now|then|alright|great|please|and)\b[ ,.!]*)+", re.IGNORECASE)
THOUGHTS = re.compile(
    r"(?:are you thinking (?:of|about)|is (?:the|your) answer|do you mean|(?:i (?:think|believe|guess|suppose|bet)|"
    r"would you say|do you think|is it (?:true|right|correct)|(?:can|could) you (?:please )?tell me|i wonder|"
    r"do you know)(?: that| if| whether)? (?:it is|it's|it|this is|that is|this))\b",
    re.IGNORECASE,
)  # what people put before a thing or a property that they ask for
CLOSERS = (
    "is that right", "is that correct", "is that it", "am i right", "right", "correct", "at all", "in general",
    "most of the time", "these days", "nowadays", "by any chance", "perhaps", "maybe", "please",
)  # fmt: skip
CHANCE = re.compile(r"\b(?:by any chance|perhaps|maybe)\b", re.IGNORECASE)
ITS = re.compile(r"^(it|that|this|there|they)['’]s\b", re.IGNORECASE)
TAG = re.compile(
    r"(?:,| -) ?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|am)(?:n?['’]?t| not)? "
    r"(?:it|they|you|there|one|people|we|he|she|that|i)(?: not)?$",
    re.IGNORECASE,
)  # `It has wheels, doesn't it?`
YES_OR_NO = re.compile(
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|would|will|should|may|might|must)(?:n['’]t)? "
    r"\S+ .*[a-z]{2}|(?:it|it['’]s|there|they|people|you|one|its)\b \S+ .*[a-z]{2}",
    re.IGNORECASE,
)
SPELT = re.compile(
    r"\b(?:start|begin|end)(?:s|ning|ing)? (?:with|in|on)\b|\bletters? (?:are|is) in (?:its|the) name\b|"
    r"\b(?:more|less|fewer) than (?:one|two|[a-z]+|\d+) (?:word|letter|syllable)s?\b"
)
ABOUT_NAMES = frozenset(
    WORD.findall("word words letter letters long longer short shorter contain contains vowel rhyme")
)
LONGEST_WAY = 12  # words of a way to ask, at the most
JOINED = re.compile(r"([^ ]+) (?:or|and) (?:an? |the )?([^ ]+)", re.IGNORECASE)


def plain_question(text: str) -> str:
    """A question without what people put around it: `I think it is a piano, right?` becomes `is it a piano`."""
    asked = ITS.sub(r"\1 is", TAG.sub("", " ".join(text.split()).rstrip(" ?.!,")))
    for closer in CLOSERS:
        if asked.lower().endswith(f" {closer}"):
            asked = asked[: -len(closer)].rstrip(" ,.?!")
    if aside := ASIDES.match(asked):
        asked = asked[aside.end() :]
    if thought := THOUGHTS.match(asked):
        asked = f"is it{asked[thought.end() :]}"
    return CHANCE.sub("", asked)


def is_yes_or_no(text: str) -> bool:
    """Whether a text has the form of a question that is answered with yes or no, or of a statement about it."""
    return YES_OR_NO.match(text) is not None


def spells(said: Sequence[str]) -> bool:
    """Whether a question, given by its words, asks how the name of what is meant is spelt."""
    return SPELT.search(" ".join(said)) is not None or ("name" in said and bool(ABOUT_NAMES & set(said)))


def alternatives(text: str) -> tuple[str, str] | None:
    """The two questions that one `or` or `and` joins (`Is it furry or hairy?`), None if there is no single one."""
    asked = text.rstrip(" ?.!")
    if sum(word in EITHER for word in words(asked)) != 1 or (found := JOINED.search(asked)) is None:
        return None
    return tuple(asked[: found.start()] + part + asked[found.end() :] for part in found.groups())  # type: ignore[return-value]


def by_word(ways: Iterable[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    """The ways to ask that hold each word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for way in ways:
        for word in dict.fromkeys(way):
            found.setdefault(word, []).append(way)
    return found


def within(
    asked: Sequence[str], ways: Mapping[str, Sequence[tuple[str, ...]]], aside: Collection[str]
) -> tuple[str, ...] | None:
    """The longest of the ways to ask that a question holds in this order, where all its other words are set aside.

    Args:
        asked: Words of the question.
        ways: Words of each way, by each of them.
        aside: Words that say nothing of their own.
    """
    told = set(asked)
    needed = {word for word in told if word not in aside}
    if not needed or len(needed) > LONGEST_WAY:
        return None
    best: tuple[str, ...] | None = None
    for way in min((ways.get(word, ()) for word in sorted(needed)), key=len):
        if needed <= set(way) <= told and (best is None or len(way) > len(best)) and _in_order(way, asked):
            best = way
    return best


def _in_order(way: Sequence[str], asked: Sequence[str]) -> bool:
    left = iter(asked)
    return all(word in left for word in way)


def words(text: str) -> list[str]:
    """The words of a text in lower case, without accents."""
    plain = (
        unicodedata.normalize("NFKD", text.replace("’", "'")).encode("ascii", "ignore").decode()
        if not text.isascii()
        else text
    )
    spoken = plain.lower().replace("n't", " not")
    return WORD.findall(SHORTENED.sub(lambda found: SHORT[found[1]], spoken))


def stem(word: str) -> str:
    """A word without the ending of the plural or third person."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=16384)
def gist(text: str) -> tuple[str, ...]:
    """What is left of a question without fillers, endings and the difference between words used alike."""
    kept = [ALIKE.get(word, stem(word)) for word in words(text) if word not in FILLERS]
    return tuple(kept)


def loose(asked: tuple[str, ...]) -> tuple[str, ...]:
    """A gist without who asks and whether a thing is found."""
    return tuple(word for word in asked if word not in ("person", "who", "find", "found"))


def complaint(text: str) -> str:
    """Why a question cannot be answered with one yes or no; empty if it can."""
    said = set(words(text))
    if said & NEGATED:
        return "Ask without 'not', so that yes and no are clear."
    if said & EITHER:
        return "Ask about one thing at a time, without 'or' and 'and'."
    return ""
