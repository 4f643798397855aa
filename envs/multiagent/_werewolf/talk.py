"""What a speech claims: read clause by clause, with negations, doubts, questions, conditions and reports of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["seer", "wolf", "good", "suspect"]
Claim: TypeAlias = tuple[Kind, int]
"""What is claimed, and of whom: the number of a player, or -1 for the speaker, who says to be the seer."""


def _words(*choices: str) -> re.Pattern[str]:
    """Any of the words, which may be patterns, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(choices)})\b")


NAME = re.compile(r"@(\d)")
PLAYER = re.compile(r"\bplayer[_ ]?(\d)(?!\d)")
FULL_FORMS = (  # what is written shorter than it is meant
    (_words("can't", "cannot"), "can not"),
    (_words("won't"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (_words("dont"), "do not"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'s\b"), " is"),
    (_words("(?:no|without(?: a)?) doubt"), "surely"),
    (re.compile(r"(@\d) ?, (?:and )?(?=@\d)"), r"\1 and "),
    (re.compile(r" than (?:for )?@\d"), ""),
)
SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
CLAUSE = re.compile(r",|:| - |\bbut\b|\bbecause\b|\bso\b|\band (?=(?:i|they|he|she|it|not)\b)")
PRONOUN = re.compile(r"\b(?:they|he|she|it) (?=(?:are|is|was|were)\b)|\b(?:them|him|her)$|^which (?=(?:is|was)\b)")
REPORT = re.compile(
    r"^according to @|^(?:and )?@\d (?:also |has |have |had |just )?"
    r"(?:said|says|claim(?:s|ed)?|accuse[sd]|vote[sd]|thinks?|thought|told|wants?|suspect(?:s|ed)|believe[sd]|"
    r"defend(?:s|ed)|named|names|called|calls)\b"
)
CONDITION = _words("if", "unless", "whether", "suppose")
SEER = re.compile(
    r"\bi am (?:really |indeed )?(?:the )?(?:real |true )?seer\b|^seer here\b|\b(?:as|my role is) (?:the )?seer\b|"
    r"\bi (?:claim|have the|hold the) (?:to be )?(?:the )?seer\b"
)
NOT = _words("not", "never", "no", "nor", "neither", "nobody", "stop", "doubt")
WOLF = _words("(?:were)?wol(?:f|ves)", "evil")
HEDGE = _words(
    "either", r"one of @\d", "might", "may", "maybe", "perhaps", "probably", "possibly", "likely", "could", "looks?",
    "looked", "seems?", "sounds?", "appears?",
)  # fmt: skip
SUSPECT = _words(
    "vot(?:e|ing)", r"voted (?:for|against) @\d", "eliminat(?:e|ed|ing)", "lynch(?:ed)?", "get rid of",
    r"send @\d away", "(?:should|must|has to) (?:go|leave)", "accus(?:e|ing)", "suspect(?:ed|ing)?", "suspicion",
    "suspicious(?:ly)?", "distrust", "bad feeling", "evidence against", "careful with", "l(?:ies|ying|iar)", "false",
    "strange(?:ly)?", "odd(?:ly)?", "off",
)  # fmt: skip
GOOD = _words(
    "innocent", "good", "clear(?:ed)?", "clean", "villager", "on our side", "trust(?:worthy)?", "vouch", "safe",
    "harmless", r"believe @\d(?! (?:is|was|can))",
)  # fmt: skip
CHECKED = _words("checked", "looked at", "saw", "investigated", "inspected", "examined")
BALLOT = re.compile(r"\bvote(?: is)?$")
OPPOSITE: dict[Kind, Kind] = {"wolf": "good", "suspect": "good", "good": "suspect"}


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """What a speech claims, in its order, as far as it is said plainly.

    A denied `wolf` or `suspect` is `good`, a denied `good` is `suspect`, and who only may be a wolf is a `suspect`.
    Questions, conditions and what is told of others' words and votes claim nothing.

    Args:
        text: The speech; players are `player_3` or `player 3`.
    """
    said = PLAYER.sub(r"@\1", text.lower().replace("’", "'").replace("@", " "))
    for short, full in FULL_FORMS:
        said = short.sub(full, said)
    found: dict[Claim, None] = {}
    last = -1
    for sentence in SENTENCE.findall(said):
        if not sentence.endswith("?") and not CONDITION.search(sentence):
            found.update(dict.fromkeys(_claimed(sentence.strip(" .!;\n"), last)))
        names = NAME.findall(sentence)
        last = int(names[-1]) if names else -1
    return tuple(found)


def _claimed(sentence: str, last: int) -> Iterator[Claim]:
    """The claims of one sentence.

    Args:
        sentence: In lower case, with names such as `@3`.
        last: Who was named last in the sentence before it; -1 for nobody.
    """
    clauses = [clause.strip() for clause in CLAUSE.split(sentence)]
    if REPORT.match(clauses[0]):
        return
    checked = CHECKED.search(sentence) is not None
    before, waiting = "", list[int]()
    kind: Kind | None = None
    for clause in clauses:
        if last >= 0:
            clause = PRONOUN.sub(f"@{last} ", clause)
        denied = NOT.search(clause) is not None
        if SEER.search(clause) and not denied:
            yield "seer", -1
        names = [int(name) for name in NAME.findall(clause)]
        about = _kind(clause)
        if about in ("wolf", "good") and not names and last >= 0 and checked:
            names = [last]  # I checked player_5: not a wolf
        if about is None and denied and kind is None:
            waiting += names  # not player_2, but player_4 is the wolf
        elif about is None and not denied:
            about = "suspect" if BALLOT.search(before) else None  # my vote: player_0
        else:
            kind = about = about or kind  # I suspect player_1, not player_2
        if about is not None:
            yield from ((OPPOSITE[about] if denied else about, name) for name in names)
        last, before = names[-1] if names else last, clause
    if kind is not None:
        yield from ((OPPOSITE[kind], name) for name in waiting)


def _kind(clause: str) -> Kind | None:
    """What a clause is about, before it is denied."""
    if SUSPECT.search(clause):
        return "suspect"
    if WOLF.search(clause):
        return "suspect" if HEDGE.search(clause) and not NOT.search(clause) else "wolf"
    return "good" if GOOD.search(clause) else None
