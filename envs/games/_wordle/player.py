"""A player that knows the words a game may ask for, and guesses what tells most about which it is."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

POOL = 250  # words that are tried as guesses beside those that may be the answer
FEW = 2  # answers left below which asking for information is no better than trying one


class Player:
    """Chooses guesses over a list of possible answers; what it has worked out is kept for the next game.

    Args:
        words: The possible answers, all of one length.
    """

    def __init__(self, words: tuple[str, ...]):
        self.words = words
        self._letters = np.array([[ord(letter) for letter in word] for word in words], np.uint8)
        self._places = {word: place for place, word in enumerate(words)}
        self._rows: dict[int, NDArray[np.int32]] = {}
        self._pool = self._promising()

    def _promising(self) -> list[int]:
        """Places of the words whose different letters are the most frequent."""
        frequency = Counter(letter for word in self.words for letter in set(word))
        worth = [sum(frequency[letter] for letter in set(word)) for word in self.words]
        return sorted(range(len(self.words)), key=lambda place: (-worth[place], place))[:POOL]

    def _row(self, place: int) -> NDArray[np.int32]:
        """Marks of one guess against every word, each as a number in base 3, shape (words,)."""
        if place not in self._rows:
            self._rows[place] = codes(self._letters[place], self._letters)
        return self._rows[place]

    def left(self, guesses: tuple[str, ...], marks: tuple[str, ...]) -> NDArray[np.intp]:
        """Places of the words that would have earned these `marks` for these `guesses`, one text of marks a guess."""
        left = np.arange(len(self.words))
        for guess, marked in zip(guesses, marks, strict=True):
            wanted = sum("byg".index(sign) * 3**place for place, sign in enumerate(marked))
            known = self._places.get(guess)
            if known is not None:
                left = left[self._row(known)[left] == wanted]
            else:  # a word that is no possible answer
                letters = np.array([ord(letter) for letter in guess], np.uint8)
                left = left[codes(letters, self._letters[left]) == wanted]
        return left

    def guess(self, left: NDArray[np.intp]) -> str:
        """The guess that tells most, on average, about which of the words left it is.

        Of equally telling ones that which may be the answer, then the first in the alphabet.
        """
        if len(left) <= FEW:
            return self.words[int(left[0])]
        candidates = set(left.tolist())
        best, most = -1, -1.0
        for place in sorted({*self._pool, *candidates}):
            counts = np.bincount(self._row(place)[left])
            shares = counts[counts > 0] / len(left)
            bits = float(-(shares * np.log2(shares)).sum())
            bits = round(bits, 9) + (1 / len(left) if place in candidates else 0.0)
            if bits > most:
                best, most = place, bits
        return self.words[best]


def codes(guess: NDArray[np.uint8], words: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Official marks of a `guess`, shape (length,), against `words`, shape (words, length), as numbers in base 3.

    Letters are given by their codes. The first letter is the lowest digit: 0 for `b`, 1 for `y`, 2 for `g`.
    """
    green = words == guess
    explained = green.copy()
    total = np.zeros(len(words), np.int32)
    for place, letter in enumerate(guess):
        open_ = ~green[:, place]
        yellow = np.zeros(len(words), np.bool_)
        for other in range(len(guess)):
            hit = open_ & ~explained[:, other] & (words[:, other] == letter)
            explained[:, other] |= hit
            yellow |= hit
            open_ &= ~hit
        total += np.where(green[:, place], 2, yellow.astype(np.int32)) * 3**place
    return total


@lru_cache(maxsize=16)
def player(words: tuple[str, ...]) -> Player:
    """The player of a list of words, shared by all games that ask for them."""
    return Player(words)


@lru_cache(maxsize=8192)
def advice(words: tuple[str, ...], guesses: tuple[str, ...], marks: tuple[str, ...]) -> str:
    """The guess of the player after guesses that earned marks; the first word if no word explains them.

    Args:
        words: The possible answers, all of one length.
        guesses: What was guessed so far, of that length too.
        marks: The marks of each guess, in the same order.
    """
    expert = player(words)
    left = expert.left(guesses, marks)
    return expert.guess(left) if len(left) else words[0]
