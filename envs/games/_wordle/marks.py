"""Marks: `g` right place, `y` elsewhere in the word, `b` not in the word."""

from __future__ import annotations

from dataclasses import dataclass


def mark(guess: str, word: str) -> str:
    """The marks of a `guess` by the official rule: each letter of the `word` explains one letter of the guess.

    Both are of one length. Letters in place are explained first, then the others from left to right.
    """
    marks = ["g" if letter == hidden else "b" for letter, hidden in zip(guess, word, strict=True)]
    loose = [hidden for letter, hidden in zip(guess, word, strict=True) if letter != hidden]
    for place, letter in enumerate(guess):
        if marks[place] == "b" and letter in loose:
            marks[place] = "y"
            loose.remove(letter)
    return "".join(marks)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the original keeps of all guesses: letters known in place, and letters known not to stand in a place.

    Attributes:
        here: The letter known in each place, or a space.
        barred: By place, the letters known not to stand there, in alphabetical order.
    """

    here: str
    barred: tuple[str, ...]

    @classmethod
    def none(cls, length: int) -> Knowledge:
        """Nothing known."""
        return cls(" " * length, ("",) * length)

    def allows(self, word: str) -> bool:
        """Whether a word agrees with it."""
        return all(
            (known in (" ", letter)) and letter not in barred
            for letter, known, barred in zip(word, self.here, self.barred, strict=True)
        )

    def learn(self, guess: str, word: str) -> Knowledge:
        """What is known after a `guess` was compared with a `word` of the same length; itself is left alone."""
        here, barred = list(self.here), [set(letters) for letters in self.barred]
        for place, letter in enumerate(guess):
            if word[place] == letter:
                here[place] = letter
            elif letter in word:
                barred[place].add(letter)
            else:
                for letters in barred:
                    letters.add(letter)
        return Knowledge("".join(here), tuple("".join(sorted(letters)) for letters in barred))

    def read(self, guess: str) -> str:
        """Marks that say what is known of each letter of a guess: yellow unless it is in place or barred everywhere."""
        return "".join(
            "g" if self.here[place] == letter else "b" if all(letter in barred for barred in self.barred) else "y"
            for place, letter in enumerate(guess)
        )
