"""Hangman: guess a hidden word letter by letter before the lives run out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.assets.words import TIERS, load_words
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.words import HANGMAN

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LEVELS = {
    "standard": {"lives": 6, "words": "common", "shortest": 5, "longest": 12},
    "easy": {"lives": 8, "words": "basic", "shortest": 7, "longest": 12},
    "hard": {"lives": 6, "words": "common", "shortest": 3, "longest": 5},
}
LENGTHS = (3, 12)
STREAM = 0x4A26


@dataclass(slots=True)
class State:
    """Letters tried in order, and whole words tried that were wrong."""

    letters: str = ""
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `HangmanEnv`."""

    level: str = named_level("standard", LEVELS, of="Hangman")
    lives: int = whole(None, 1, 20)
    words: str = one_of(None, TIERS[:2])
    shortest: int = whole(None, *LENGTHS)
    longest: int = whole(None, *LENGTHS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shortest > self.longest:
            raise ConfigError(f"shortest is {self.shortest}, more than longest, {self.longest}; swap them")


class HangmanEnv(LanguageEnv):
    """Guess a hidden English word letter by letter.

    Description: a letter that stands in the word is shown wherever it stands; one that does not costs a life, and so
    does a wrong guess of the whole word.

    Observation: what the last guess found, then `Word: _ r _ _ e`, the wrong guesses and the lives left.

    Actions: `guess e` for a letter, `guess crane` for the word; also the bare letter or word and `[e]`. A letter or
    word that was tried before, or a word of another length, is refused and costs no life.

    Reward: 1 when the word is found, otherwise 0. The episode ends when all letters are shown or the word is guessed
    (success), when no life is left, or after 30 turns.

    Splits: `train` without end, `val` and `test` 200 words each; no word is asked for in two splits.

    Oracle: guesses the word. Expert: knows which words may be asked for, not which one is; it tries the letter that the
    most of the words left hold, and guesses when one is left.

    Args:
        level: `standard` (words of 5 to 12 letters, 6 lives), `easy` (the most common words, of 7 letters or more, 8
            lives) or `hard` (words of 3 to 5 letters, which are the hardest to guess, 6 lives).
        lives: Wrong guesses that lose, 1 to 20, in place of the level's.
        words: `basic` or `common`: the words asked for, in place of the level's.
        shortest, longest: Letters of the words asked for, 3 to 12, in place of the level's.

    Source: the paper-and-pencil game; as a game for language agents in TextArena (Guertler et al. 2025,
    arXiv:2504.11442).
    """

    card = HANGMAN
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "guess <letter or word>",
                "try a letter, or the whole word.",
                examples=("guess e", "guess thunder", "s"),
                variants=("[<letter or word>]", "<letter or word>"),
            )
        ],
        rules="Find the hidden word. A letter that is not in it, and a wrong word, cost a life.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "word": {"type": "string", "minLength": LENGTHS[0], "maxLength": LENGTHS[1]},
            "tier": {"type": "string", "enum": ["basic", "common"]},
            "lives": {"type": "integer", "minimum": 1, "maximum": 20},
        }
    )
    admissible_complete = False  # whole words are too many to list
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A word of the tier and length that `config` asks for, drawn by `rng`."""
        asked = _asked(config.words, config.shortest, config.longest)
        return {"word": asked[int(rng.integers(len(asked)))], "tier": config.words, "lives": config.lives}

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The word."""
        return fingerprint(spec["word"])

    def check_task(self, spec: Spec) -> None:
        """The word must be in the list, so that it can be guessed."""
        if spec["word"] not in _known(spec["tier"]):
            raise TaskError(f"{spec['word']!r} is not among the {spec['tier']} words; ask for one of them")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        lives = "1 life" if spec["lives"] == 1 else f"{spec['lives']} lives"
        return (
            f"Find a hidden English word of {len(spec['word'])} letters by guessing letters, or the whole word. A "
            f"letter that is not in it, and a wrong word, cost a life; you have {lives}."
        )

    def _reset(self, task: Task) -> str:
        self._word: str = task.spec["word"]
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        guess, word, state = call["letter_or_word"].lower(), self._word, self._state
        if not (guess.isascii() and guess.isalpha()) or len(guess) not in (1, len(word)):
            asked = f"a letter or a word of {len(word)} letters"
            return self.refuse(f"{shorten(call['letter_or_word'], 40)!r} is no guess here; say {asked}.")
        if guess in state.letters if len(guess) == 1 else guess in state.words:
            return self.refuse(f"You have tried {guess!r} before; try another.")
        if len(guess) == 1:
            state.letters += guess
            hits = word.count(guess)
            said = f"{guess!r} stands {_times(hits)} in the word." if hits else f"{guess!r} is not in the word."
        elif guess == word:
            hits, said = len(word), f"{guess!r} is the word."
        else:
            state.words.append(guess)
            hits, said = 0, f"{guess!r} is not the word."
        shown = self._pattern()
        won = guess == word or "_" not in shown
        lost = not won and self._lives() == 0
        if won:
            said += " You win."
        elif lost:
            said += " No life is left; you lose."
        event = {"type": "guess", "guess": guess, "hits": hits}
        return Outcome(
            said if guess == word else f"{said}\n{self._view()}",
            reward=float(won),
            terminated=won or lost,
            success=won,
            progress=1 - shown.count("_") / len(word),
            events=(event,),
        )

    def _pattern(self) -> str:
        letters = self._state.letters
        return "".join([letter if letter in letters else "_" for letter in self._word])

    def _wrong(self) -> list[str]:
        return [*(letter for letter in self._state.letters if letter not in self._word), *self._state.words]

    def _lives(self) -> int:
        return int(self.task.spec["lives"]) - len(self._wrong())

    def _view(self) -> str:
        wrong = self._wrong()
        left = self.task.spec["lives"] - len(wrong)
        return f"Word: {' '.join(self._pattern())}\nWrong guesses: {', '.join(wrong) or 'none'}. Lives left: {left}."

    def _admissible(self) -> list[str]:
        return [f"guess {letter}" for letter in ALPHABET if letter not in self._state.letters]

    def _oracle(self) -> str:
        return f"guess {self._word}"

    def _expert(self) -> str:
        pattern, wrong = self._pattern(), "".join(sorted(self._state.letters))
        return f"guess {advice(self.task.spec['tier'], pattern, wrong, tuple(self._state.words))}"

    def _reference(self) -> str:
        return self._word


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


@lru_cache(maxsize=2)
def _known(tier: str) -> frozenset[str]:
    return frozenset(load_words(tier))


@lru_cache(maxsize=32)
def _letters(tier: str, length: int) -> NDArray[np.uint8]:
    """The words of a length as letter codes, shape (words, length)."""
    return np.array([[ord(letter) for letter in word] for word in load_words(tier, length)], np.uint8)


@lru_cache(maxsize=8192)
def advice(tier: str, pattern: str, tried: str, wrong: tuple[str, ...]) -> str:
    """The expert's guess, given the letters shown, the letters tried and the words that were wrong.

    Args:
        tier: The list that the word is from.
        pattern: Letters found, `_` for the others.
        tried: Letters tried.
        wrong: Words tried.
    """
    words, letters = load_words(tier, len(pattern)), _letters(tier, len(pattern))
    agrees = np.ones(len(words), np.bool_)
    for place, shown in enumerate(pattern):
        column = letters[:, place]
        if shown != "_":
            agrees &= column == ord(shown)
        elif tried:
            agrees &= ~np.isin(column, np.frombuffer(tried.encode(), np.uint8))
    left = [place for place in np.flatnonzero(agrees).tolist() if words[place] not in wrong]
    if len(left) == 1:
        return words[left[0]]
    held = {letter: int((letters[left] == ord(letter)).any(axis=1).sum()) for letter in ALPHABET if letter not in tried}
    return max(held, key=lambda letter: held[letter])


@lru_cache(maxsize=64)
def _asked(words: str, shortest: int, longest: int) -> list[str]:
    return [word for word in load_words(words) if shortest <= len(word) <= longest]
