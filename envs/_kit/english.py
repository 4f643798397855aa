"""English text analysis for search: words, stop words and Porter stems, as Lucene's default English analyser has them.

Text is lower-cased and cut into words by the parts of Unicode's word-break rules that matter for English (a dot or an
apostrophe inside a word and a dot or a comma inside a number do not break it); a possessive `'s` falls off; the 33 stop
words of Lucene fall out; what remains is stemmed (Porter 1980, "An algorithm for suffix stripping", with the two later
changes its author made). Two rules of Lucene's tokenizer are left out: Chinese and Japanese characters are not cut one
by one, and emoji are no words.
"""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"\w+(?:[.,:;'’](?:(?<=[^\W\d_][.'’:])(?=[^\W\d_])|(?<=\d[.,;'])(?=\d))\w+)*")
_STOP_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
LONGEST_WORD = 255  # a longer run of letters is no word anybody searches for; it is cut here

# Suffixes and what replaces them, tried in this order within a step; no two suffixes of a step can match in an order
# that hides a longer one.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4_SUFFIXES = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize"
_STEP_4 = tuple((suffix, "") for suffix in _STEP_4_SUFFIXES.split())

_STEPS = tuple(
    (rules, tuple(suffix for suffix, _ in rules), above) for rules, above in ((_STEP_2, 0), (_STEP_3, 0), (_STEP_4, 1))
)


def words_of(text: str) -> list[str]:
    """The lower-cased words of a text, stop words included, in order."""
    return WORD.findall(text.lower())


def term_of(word: str) -> str:
    """The index term of one lower-cased word; empty for stop words and for words without a letter or digit."""
    word = word[:LONGEST_WORD]
    if word.endswith(("'s", "’s")):
        word = word[:-2]
    if word in STOP_WORDS or not word.strip("_"):
        return ""
    return stem(word)


@lru_cache(maxsize=32_768)
def cached_term_of(word: str) -> str:
    """`term_of`, remembered: for queries, whose words repeat."""
    return term_of(word)


class _Shapes(dict[int, str]):
    """Letter to its kind, for `str.translate`; `y` depends on its neighbour and stays."""

    def __missing__(self, letter: int) -> str:
        return "c"


_SHAPES = _Shapes({ord("y"): "y"} | dict.fromkeys(map(ord, "aeiou"), "v"))


def _shape(word: str) -> str:
    """One letter for each of the word's: `c` for a consonant, `v` for a vowel (`y` after a consonant is one)."""
    shape = word.translate(_SHAPES)
    while (place := shape.find("y")) >= 0:
        shape = shape[:place] + ("v" if shape[:place].endswith("c") else "c") + shape[place + 1 :]
    return shape


def _measure(stem_part: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant."""
    return _shape(stem_part).count("vc")


def _ends_short(word: str) -> bool:
    """Porter's *o: ends consonant, vowel, consonant, and the last is not w, x or y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _replace(word: str, rules: tuple[tuple[str, str], ...], above: int) -> str:
    """Apply the first rule whose suffix the word has, provided the measure before the suffix is above `above`."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            kept = word[: len(word) - len(suffix)]
            if suffix in ("sion", "tion"):  # "ion" falls only after s or t, which stay
                kept += suffix[0]
            return kept + replacement if _measure(kept) > above else word
    return word


def _plural_and_past(word: str) -> str:
    """Steps 1a to 1c: plurals, -ed, -ing, and a final y."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _measure(word[:-3]) > 0:
            word = word[:-1]
    else:
        cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
        if cut and "v" in _shape(word[:-cut]):
            word = word[:-cut]
            if word.endswith(("at", "bl", "iz")):
                word += "e"
            elif len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c":
                word = word if word[-1] in "lsz" else word[:-1]
            elif _measure(word) == 1 and _ends_short(word):
                word += "e"
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def stem(word: str) -> str:
    """The Porter stem of a lower-cased word; words of one or two letters stay as they are."""
    if len(word) <= 2 or not word[-1].isalpha():
        return word
    word = _plural_and_past(word)
    for rules, suffixes, above in _STEPS:
        if word.endswith(suffixes):  # few words do; asked at once, it costs little
            word = _replace(word, rules, above)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
