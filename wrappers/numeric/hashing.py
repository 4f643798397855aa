"""Words and n-grams as numbers: feature hashing that is equal in every process and needs no vocabulary."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agentgym.core.checks import check_switch, check_whole

WORD = re.compile(r"\w+|[^\w\s]")
LARGEST = 1 << 20  # dimensions; a float vector of that size is 4 MB
LINES = 16_384  # lines whose hashes are remembered: text of a world repeats most of its lines
ANYWHERE = -1

Counts = NDArray[np.int64]
Vector = NDArray[np.float32]


class HashedWords:
    """Text as a vector of shape `(dim,)`, each entry `n / (n + 1)` for the n features that fall on it.

    Features are words, pairs of neighbouring words and so on up to `ngrams` words, within a line, without regard to
    case; a sign that is no letter, digit or space counts as a word. They are hashed by CRC-32 (Weinberger et al. 2009,
    arXiv:0902.2206, without signs), so that no vocabulary must be learnt and equal texts give equal vectors anywhere.

    Args:
        dim: Length of the vector, 2 to 1,048,576.
        ngrams: Longest run of words that is a feature, 1 to 5.
        places: Whether each word counts once more together with its line and its place in the line. Maps and tables
            need it: a bag of words does not know where the hole is.
    """

    def __init__(self, dim: int = 512, ngrams: int = 2, places: bool = False):
        dim = check_whole("dim", dim, 2, LARGEST)
        ngrams = check_whole("ngrams", ngrams, 1, 5)
        self.dim, self.ngrams, self.places = dim, ngrams, check_switch("places", places)

    def counts(self, text: str) -> Counts:
        """How many features of `text` fall on each entry, int64 of shape `(dim,)`."""
        lines = text.split("\n")
        found = [_features(line, self.dim, self.ngrams, ANYWHERE) for line in lines]
        if self.places:
            found += [_features(line, self.dim, 1, number) for number, line in enumerate(lines)]
        return np.bincount(np.concatenate(found), minlength=self.dim)

    def __call__(self, text: str) -> Vector:
        """The vector of `text`."""
        return squash(self.counts(text))


def squash(counts: Counts) -> Vector:
    """Counts as numbers from 0 to below 1: `n / (n + 1)`."""
    return (counts / (counts + 1)).astype(np.float32)


def words(text: str) -> list[str]:
    """The words of a text in lower case, signs apart."""
    return WORD.findall(text.lower())


@lru_cache(maxsize=LINES)
def _features(line: str, dim: int, ngrams: int, number: int) -> Counts:
    """The entries on which the features of a line fall; `number` is that of the line where places count."""
    said = words(line)
    if number != ANYWHERE:
        keys = [f"{number}:{place}:{word}" for place, word in enumerate(said)]
    else:
        keys = [
            "\x1f".join(said[start : start + length])
            for length in range(1, ngrams + 1)
            for start in range(len(said) - length + 1)
        ]
    return np.array([zlib.crc32(key.encode("utf-8", "surrogatepass")) % dim for key in keys], np.int64)
