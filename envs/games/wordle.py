"""Wordle: find a hidden word in six guesses, each answered by marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from agentgym.assets.words import TIERS, load_words
from agentgym.core.checks import check_whole
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, named_level, object_schema, one_of, switch, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.words import WORDLE
from agentgym.envs.games._wordle.marks import Knowledge, mark
from agentgym.envs.games._wordle.player import advice, player

LEVELS = {
    "standard": {"length": 5, "tries": 6, "words": "common", "listed": 0, "redraw": False},
    "basic": {"length": 5, "tries": 6, "words": "basic", "listed": 0, "redraw": False},
    "short": {"length": 4, "tries": 7, "words": "common", "listed": 0, "redraw": False},
    "long": {"length": 7, "tries": 6, "words": "common", "listed": 0, "redraw": False},
    "listed": {"length": 5, "tries": 6, "words": "basic", "listed": 40, "redraw": False},
    "original": {"length": 5, "tries": 6, "words": "basic", "listed": 40, "redraw": True},
}
LENGTHS = (4, 7)
MOST_TRIES, MOST_LISTED = 20, 200
STREAM = 0x30D1
GAPS = re.compile(r"[\s,\-]+")
GREETING = "Let's start Wordle!"


@dataclass(slots=True)
class State:
    """Guesses and their marks; in the redraw game also what is known, see `Knowledge`."""

    guesses: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    here: str = ""
    barred: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `WordleEnv`."""

    level: str = named_level("standard", LEVELS, of="Wordle")
    length: int = whole(None, *LENGTHS)
    tries: int = whole(None, 1, MOST_TRIES)
    words: str = one_of(None, TIERS[:2])
    listed: int = checked(None, lambda name, value: value and check_whole(name, value, 2, MOST_LISTED))
    redraw: bool = switch(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.redraw and not self.listed:
            raise ConfigError("redraw=True needs a list of words to draw from; give listed, such as listed=40")


class WordleEnv(LanguageEnv):
    """Find a hidden English word.

    Description: the word is fixed for the episode. Each guess is marked letter by letter: `g` the letter stands here,
    `y` it stands elsewhere in the word, `b` it is not in the word. Each letter of the word explains one letter of the
    guess: those in place first, then the others from left to right. With `listed` the word is one of a list that the
    instruction shows, and only those may be guessed; otherwise about 5,000 five-letter words may be, of which 2,043 are
    asked for.

    With `redraw` there is no fixed word, as in the original: at every guess a word is drawn from those that agree with
    what is known (letters in place, letters not in a place), the guess is compared with it, and the marks tell the
    updated knowledge: `g` in place, `b` in no place, otherwise `y`. The game is won by guessing the only word left.

    Observation: `Let's start Wordle!`; after a guess its marks, `b y g g b`, then all guesses with their marks and the
    tries left.

    Actions: `guess crane`, `guess c r a n e`; also the bare word and `[crane]`. What is no word of the vocabulary is an
    `invalid word` and uses up a try.

    Reward: 1 for the solving guess, otherwise 0. The episode ends when the word is found (success) or the tries are
    used up.

    Splits: `train` without end, `val` and `test` 200 words each; no word is asked for in two splits.

    Oracle: guesses the word (in the redraw game: plays like the expert). Expert: knows which words may be asked for,
    not which one is, and guesses what tells most, in bits, about those left.

    Args:
        level: `standard`; `basic` asks for the 887 most common words only; `short` and `long` have 4 and 7 letters;
            `listed` shows 40 words; `original` shows 40 words and redraws.
        length: Letters, 4 to 7, in place of the level's.
        tries: Guesses, 1 to 20, in place of the level's.
        words: `basic` or `common`: the words asked for, in place of the level's.
        listed: How many words are shown, 2 to 200, or 0 for none, in place of the level's.
        redraw: The original's redraw in place of the level's; needs listed words.

    Source: Wordle (Josh Wardle); words, marks and redraw after LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232) as
    AgentGym (Xi et al. 2024, arXiv:2406.04151) serves it.
    """

    card = WORDLE
    config = Config()
    has_tries = True
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "guess <word>",
                "guess this word.",
                examples=("guess c r a n e", "guess spilt", "t r u n k"),
                variants=("[<word>]", "<word>"),
            )
        ],
        rules="Find the hidden word. Marks answer each guess: g the letter stands here, y it stands elsewhere in the "
        "word, b it is not in the word.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "word": {"type": "string", "maxLength": LENGTHS[1]},
            "words": {"type": "array", "maxItems": MOST_LISTED, "items": {"type": "string", "maxLength": LENGTHS[1]}},
            "tier": {"type": "string", "enum": ["basic", "common"]},
            "length": {"type": "integer", "minimum": LENGTHS[0], "maximum": LENGTHS[1]},
            "tries": {"type": "integer", "minimum": 1, "maximum": MOST_TRIES},
            "redraw": {"type": "boolean"},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A word, and a list that it stands in.

        Args:
            config: Tier, length and tries; how many words are listed, 0 for none; with `redraw` no word is fixed yet.
            rng: Draws the word and the rest of the list.
        """
        listed = config.listed
        answers = load_words(config.words, config.length)
        word = answers[int(rng.integers(len(answers)))]
        shown: list[str] = []
        if listed:
            others = [other for other in rng.permutation(len(answers))[:listed].tolist() if answers[other] != word]
            shown = sorted([word, *(answers[other] for other in others[: listed - 1])])
        return {
            "word": "" if config.redraw else word,
            "words": shown,
            "tier": config.words,
            "length": config.length,
            "tries": config.tries,
            "redraw": config.redraw,
        }

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The word, or where it is redrawn, the list."""
        return fingerprint([spec["words"]] if spec["redraw"] else spec["word"])

    def check_task(self, spec: Spec) -> None:
        """The word must be of the length and one that may be guessed; the redraw game has a list and no word."""
        listed, word = spec["words"], spec["word"]
        for one in listed:
            if one not in load_words("known", spec["length"]):
                raise TaskError(f"{one!r} is not in the vocabulary of {spec['length']}-letter words")
        if listed != sorted(set(listed)):
            raise TaskError("the words listed must be in alphabetical order, each once")
        if spec["redraw"] and (word or len(listed) < 2):
            raise TaskError('the redraw game has the word "" and at least two words listed')
        if not spec["redraw"] and word not in (listed or load_words("known", spec["length"])):
            raise TaskError(f"{word!r} is not among the {spec['length']}-letter words that may be guessed")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        head = f"Find a hidden {'' if spec['words'] else 'common English '}word of {spec['length']} letters"
        listed = f", one of: {', '.join(spec['words'])}" if spec["words"] else ""
        how = (
            " At every guess a word is drawn anew from those that agree with what is known; you win by guessing the "
            "only word left. A letter is marked g if it is known to stand here, b if in no place, otherwise y."
            if spec["redraw"]
            else " Each letter of a guess is marked g if it stands here, y if elsewhere in the word, b if not in it."
        )
        return f"{head} in at most {spec['tries']} guesses{listed}.{how} An invalid word uses up a guess."

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["tries"])

    def _reset(self, task: Task) -> str:
        spec = task.spec
        self._word: str = spec["word"]
        self._length: int = spec["length"]
        self._listed = tuple(spec["words"])
        self._allowed = frozenset(self._listed) if self._listed else _vocabulary(self._length)
        self._state = State(here=" " * self._length, barred=[""] * self._length) if spec["redraw"] else State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        guess, state, spec = GAPS.sub("", call["word"].lower()), self._state, self.task.spec
        if guess not in self._allowed:
            among = "one of the words listed" if self._listed else f"an English word of {self._length} letters"
            return self.refuse(f"invalid word: {shorten(call['word'], 40)!r} is not in the vocabulary; guess {among}.")
        if spec["redraw"]:
            marks, won = self._redraw(guess)
        else:
            marks, won = mark(guess, self._word), guess == self._word
        state.guesses.append(guess)
        state.marks.append(marks)
        lost = not won and self.turn >= spec["tries"]
        verdict = "\nYou found the word." if won else "\nNo tries are left; you have lost." if lost else ""
        return Outcome(
            f"{' '.join(marks)}\n{self._view()}{verdict}",
            reward=float(won),
            terminated=won or lost,
            success=won,
            progress=marks.count("g") / self._length,
            events=({"type": "guess", "word": guess, "marks": marks},),
        )

    def _redraw(self, guess: str) -> tuple[str, bool]:
        """Marks of a guess by what is known after a word was drawn and compared; whether the game is solved."""
        state = self._state
        known = Knowledge(state.here, tuple(state.barred))
        left = [word for word in self._listed if known.allows(word)]
        known = known.learn(guess, left[int(self.np_random.integers(len(left)))])
        state.here, state.barred = known.here, list(known.barred)
        return known.read(guess), [word for word in left if known.allows(word)] == [guess]

    def _view(self) -> str:
        if not self._state.guesses:
            return GREETING
        rows = [
            f"{place}. {' '.join(guess)} -> {' '.join(marks)}"
            for place, (guess, marks) in enumerate(zip(self._state.guesses, self._state.marks, strict=True), 1)
        ]
        return "\n".join([*rows, f"Tries left: {max(0, self.max_turns - self.turn)}"])

    def _admissible(self) -> list[str]:
        return list(_actions(self._listed or load_words("known", self._length)))

    def _sample(self, rng: np.random.Generator) -> str:
        words = self._listed or load_words("common", self._length)
        return f"guess {words[int(rng.integers(len(words)))]}"

    def _oracle(self) -> str:
        return f"guess {self._word}" if self._word else self._expert()

    def _expert(self) -> str:
        state, spec = self._state, self.task.spec
        words = self._listed or load_words(spec["tier"], self._length)
        if spec["redraw"]:
            known = Knowledge(state.here, tuple(state.barred))
            left = [place for place, word in enumerate(words) if known.allows(word)]
            return f"guess {player(words).guess(np.array(left))}"
        return f"guess {advice(words, tuple(state.guesses), tuple(state.marks))}"

    def _reference(self) -> str:
        return self._word


@lru_cache(maxsize=8)
def _vocabulary(length: int) -> frozenset[str]:
    return frozenset(load_words("known", length))


@lru_cache(maxsize=64)
def _actions(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"guess {word}" for word in words)
