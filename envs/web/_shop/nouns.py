"""The nouns of a product title, found by word lists and endings instead of a tagging model.

The published reward tags titles with a language model and keeps common and proper nouns. Titles are strings of names,
nouns and modifiers rather than sentences, and taggers read their unknown words as proper nouns. So here every word is a
noun unless something says otherwise, in this order:

1. It starts with a digit, or is a single letter: a number, a measure or a size, not a noun.
2. It is a function word, a unit, a known adjective or a known verb form: not a noun.
3. It is a known noun in spite of its ending (`earring`, `fabric`, `dress`): a noun.
4. It has the ending of an adjective, an adverb or a participle (`washable`, `softly`, `padded`): not a noun.
5. Anything else, model names such as `ht830v` included: a noun.

Words are compared in lower case, without possessive endings, and parted at hyphens, as taggers part them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from agentgym.envs.web._shop.words import word_list

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# Each ending counts only in words of the length at its side or longer: `king`, `bed` and `vest` are nouns.
_ENDINGS = {
    "ing": 5, "ed": 5, "able": 5, "ible": 5, "less": 6, "ful": 5, "ous": 5, "ive": 5, "al": 5, "ish": 5, "ic": 5,
    "ly": 5, "est": 6,
}  # fmt: skip


def nouns(title: str) -> frozenset[str]:
    """The distinct nouns of a title, in lower case."""
    return frozenset(noun_tokens(title))


@lru_cache(maxsize=8192)
def noun_tokens(title: str) -> tuple[str, ...]:
    """The nouns of a title in order, in lower case, repeated as often as they occur."""
    words = (_bare(word) for word in _WORD.findall(title.lower()))
    return tuple(word for word in words if is_noun(word))


def _bare(word: str) -> str:
    """The word without a possessive ending: `men's` and `mens` are one word to a shopper, as are `l'oreal's`."""
    word = word.replace("’", "'")
    return word[:-2] if word.endswith("'s") else word


@lru_cache(maxsize=32768)
def is_noun(word: str) -> bool:
    """Whether one lower-case word counts as a noun, by the rules of this module."""
    if len(word) < 2 or word[0].isdigit() or word in _not_nouns():
        return False
    if word in _nouns_despite_ending():
        return True
    return not any(word.endswith(ending) and len(word) >= length for ending, length in _ENDINGS.items())


@cache
def _not_nouns() -> frozenset[str]:
    return frozenset().union(*map(word_list, ("function_words", "units", "adjectives", "verbs")))


@cache
def _nouns_despite_ending() -> frozenset[str]:
    return frozenset(word_list("nouns"))
