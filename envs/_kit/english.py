"""English words for search, as Lucene's English analyser has them: no possessives or stop words, Porter stems.

A dot or an apostrophe inside a word, and a dot or a comma inside a number, do not break it. Stop words come from bm25s
(Lucene's 33), stems from the Snowball project's Porter stemmer.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache

import Stemmer
from bm25s.stopwords import STOPWORDS_EN

WORD = re.compile(r"\w+(?:(?:(?<=[^\W\d_])[.'’:](?=[^\W\d_])|(?<=\d)[.,;'](?=\d))\w+)*")
LONGEST_WORD = 255  # a longer run of letters is no word anybody searches for; it is cut here
_STEMMERS = threading.local()  # a stemmer must not be used by two threads at once


def words_of(text: str) -> list[str]:
    """The lower-cased words of a text in order, possessive endings cut off, stop words included."""
    return [word[:LONGEST_WORD].removesuffix("'s").removesuffix("’s") for word in WORD.findall(text.lower())]


@lru_cache(maxsize=65_536)
def term_of(word: str) -> str:
    """The index term of one word of `words_of`; empty for stop words and for words without a letter or digit."""
    if word in STOPWORDS_EN or not word.strip("_"):
        return ""
    if not hasattr(_STEMMERS, "porter"):
        _STEMMERS.porter = Stemmer.Stemmer("porter")
    return str(_STEMMERS.porter.stemWord(word))


def terms_of(text: str) -> list[str]:
    """The index terms of a text in order."""
    return [term for term in map(term_of, words_of(text)) if term]
