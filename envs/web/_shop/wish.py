"""What an instruction asks for, as far as its words alone tell: words, phrases, a price cap, the kind of product."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from agentgym.envs.web._shop.nouns import noun_tokens
from agentgym.envs.web._shop.words import word_list

_BOUND = (
    "under|below|than|over|exceed|exceeding|budget|spend|most|within|to|maximum|max|limit|for|past|above|cap|beyond|is|"
    "of|at|price|cost|costs|costing|priced|inside|around|by|with|have|got|only"
)
_CAP = re.compile(
    rf"(?:(?:{_BOUND})\s+)(?:(?:a|my|is|of|the|about)\s+)?\$?\s?(\d+(?:\.\d+)?)\s*(?:dollars|bucks|usd|\$)"
    r"|\$\s?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:dollars|bucks|usd)"
)
_CLAUSE = re.compile(r"[.?!;]+(?:\s|$)|,? so (?=i\b|please|find|get|show|can)")
# A clause that tells why somebody shops speaks of people or states a fact, and holds no word of asking.
_STORY = re.compile(r"\b(?:i|we|my|our|mine|ours|me|us|am|is|are|was|has|had)\b")
_ASKING = re.compile(
    r"\b(?:show|is there|do you have|need|want|look(?:ing)? (?:for|to)|purchase|shop for|find|buy|get|interested|"
    r"searching|search|shopping|"
    r"after|order|love|like|prefer|choose|pick|take|make|made|should|must|has to|have to|needs to|size|colou?r|flavor|"
    r"scent|style|would|with|\d.*)\b"
)
_PIECE = re.compile(r"[a-z0-9]+(?:[.'/&][a-z0-9]+)*|[,.;:?!()|]")
_VALUE_WORD = re.compile(r"[a-z0-9]+(?:[.'/&-][a-z0-9]+)*")
_HOLDER = re.compile(r"\b(?:packs?|box|bag|package|jar|container|bottle|can|tube|set|pair) of (?:\d+ )?")
_JOINTS = frozenset({"to", "and", "of", "for", "in", "with", "all", "de"})
_LABELS = frozenset({"size", "sized", "color", "shade", "flavor", "scent", "style", "option", "capacity", "quantity"})
_KIND_ENDS = frozenset(
    {
        "in",
        "with",
        "that",
        "thats",
        "which",
        "for",
        "suitable",
        "is",
        "are",
        "made",
        "featuring",
        "good",
        "it",
        "they",
        "sized",
    }
)
_NO_COLORS = frozenset({"natural", "light", "dark", "stone", "soft", "clear"})  # which the published list counts
_SIZES = frozenset({"small", "medium", "large", "xl", "xxl", "xs", "wide", "narrow", "queen", "king", "twin"})


@dataclass(frozen=True, slots=True)
class Wish:
    """An instruction, taken apart. Words are stemmed; a phrase is two or three of them joined by blanks.

    Attributes:
        query: The words that say something about the product, to search for.
        words: The same, stemmed, without the names of options.
        phrases: Neighbours among them: `paraben free`, `easy to use`.
        kind: Up to three words, the last two or the last of which name the kind of product.
        said: All words of the instruction, between blanks.
        cap: The highest price in dollars, infinite if none is named.
        terms: Words, phrases and the words of the kind in one set.
    """

    query: str
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    kind: tuple[str, ...]
    said: str
    cap: float
    terms: frozenset[str]

    def names(self, value: str) -> bool:
        """Whether the instruction holds an option value word for word."""
        return f" {plain(value)} " in self.said


@lru_cache(maxsize=4096)
def read_wish(instruction: str) -> Wish:
    """Take an instruction apart."""
    text = instruction.lower()
    caps = [float(number) for groups in _CAP.findall(text) for number in groups if number]
    clauses = [clause for clause in _CLAUSE.split(_CAP.sub(" | ", text)) if clause.strip(" ,|")]
    asking = [clause for clause in clauses if not _STORY.search(clause) or _ASKING.search(clause)]
    text = " . ".join(asking or clauses)
    query = [word for word in _VALUE_WORD.findall(text) if word not in _talk()]
    runs = _runs(text)
    words = dict.fromkeys(word for run in runs for word in run if word not in _JOINTS and word not in _LABELS)
    found = dict.fromkeys(phrase for run in runs for phrase in _phrases(run))
    phrases = tuple(phrase for phrase in found if _JOINTS.isdisjoint((phrase.split()[0], phrase.split()[-1])))
    kind = _kind(text)
    return Wish(
        query=" ".join(query) or plain(instruction) or "product",
        words=tuple(words),
        phrases=phrases,
        kind=kind,
        said=f" {plain(instruction)} ",
        cap=caps[-1] if caps else float("inf"),
        terms=frozenset((*words, *phrases, *kind)),
    )


@lru_cache(maxsize=16384)
def terms(passage: str) -> frozenset[str]:
    """Stemmed words and phrases in a passage."""
    words = [stem(word) for word in _PIECE.findall(passage.lower().replace("-", " ")) if word[0].isalnum()]
    return frozenset((*words, *_phrases(words)))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without apostrophes and plural ending."""
    word = word.replace("'", "")
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


@lru_cache(maxsize=16384)
def plain(text: str) -> str:
    """Lower-case words joined by blanks, hyphens kept."""
    return " ".join(_VALUE_WORD.findall(text.lower()))


def is_choice(word: str) -> bool:
    """Whether a word smells of an option: a number, a colour or a size."""
    return word[0].isdigit() or word in _SIZES or (word in _colors() and word not in _NO_COLORS)


def _phrases(words: list[str]) -> Iterable[str]:
    """Pairs of neighbours, and triples around a joint."""
    for first, second in pairwise(words):
        yield f"{first} {second}"
    for first, joint, last in zip(words, words[1:], words[2:], strict=False):
        if joint in _JOINTS:
            yield f"{first} {joint} {last}"


def _runs(text: str) -> list[list[str]]:
    """Stretches of stemmed words that say something, joints inside them included."""
    runs: list[list[str]] = [[]]
    for piece in _PIECE.findall(text.replace("-", " ")):
        if piece in _JOINTS or (piece[0].isalnum() and piece not in _talk()):
            runs[-1].append(stem(piece))
        else:
            runs.append([])
    return [run for run in runs if run]


def _kind(text: str) -> tuple[str, ...]:
    """The last three words of the longest run between commas, in the first stretch that nothing else interrupts.

    What it comes in, `a box of`, is no part of it. Of equally long ones the first counts, and one that does not stop
    with a noun only if none does.
    """
    runs: list[list[str]] = [[]]
    for piece in _PIECE.findall(_HOLDER.sub(", ", text.replace("-", " "))):
        if piece == ",":
            runs.append([])
        elif any(runs) and (piece in _KIND_ENDS or (piece in _LABELS and not runs[-1]) or not piece[0].isalpha()):
            break
        elif piece[0].isalnum() and piece not in _talk() and piece not in _JOINTS:
            runs[-1].append(stem(piece))
    return tuple(max(runs, key=lambda run: (bool(run) and bool(noun_tokens(run[-1])), len(run)))[-3:])


@cache
def _talk() -> frozenset[str]:
    return frozenset(word_list("talk"))


@cache
def _colors() -> frozenset[str]:
    return frozenset(word_list("colors"))
