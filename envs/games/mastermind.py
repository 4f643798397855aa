"""Mastermind: find a hidden row of coloured pegs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import permutations, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, switch, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.words import MASTERMIND

COLORS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple", "pink", "brown")
LEVELS = {
    "standard": {"pegs": 4, "colors": 6, "repeats": True, "tries": 10},
    "easy": {"pegs": 3, "colors": 6, "repeats": True, "tries": 10},
    "hard": {"pegs": 5, "colors": 8, "repeats": True, "tries": 12},
    "bulls": {"pegs": 4, "colors": 10, "repeats": False, "tries": 10},
}
MOST_PEGS, MOST_TURNS, MOST_CODES = 6, 30, 50_000
LISTED = 5_000  # codes up to which admissible actions are listed
POOL = 200_000  # pairs of guess and code that the expert compares at most for one guess
STREAM = 0x3A57
BETWEEN = re.compile(r"[\s,]+")


@dataclass(slots=True)
class State:
    """Codes guessed, each as colours with spaces between, their marks as (right in place, right elsewhere), and lines
    that tell of both."""

    guesses: list[str] = field(default_factory=list)
    marks: list[tuple[int, int]] = field(default_factory=list)
    told: str = ""


def _too_many(pegs: int, colors: int, repeats: bool) -> str:
    """Why there are too many rows, or none; empty if their number is right."""
    if not repeats and pegs > colors:
        return f"{pegs} pegs of different colours need as many colours, got {colors}"
    if colors**pegs > MOST_CODES:
        return f"{pegs} pegs of {colors} colours make {colors**pegs} rows, at most {MOST_CODES} can be played"
    return ""


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `MastermindEnv`."""

    level: str = named_level("standard", LEVELS, of="Mastermind")
    pegs: int = whole(None, 2, MOST_PEGS)
    colors: int = whole(None, 2, len(COLORS))
    repeats: bool = switch(None)
    tries: int = whole(None, 1, MOST_TURNS)

    def __post_init__(self) -> None:
        super().__post_init__()
        problem = _too_many(self.pegs, self.colors, self.repeats)
        if problem:
            raise ConfigError(problem)


class MastermindEnv(LanguageEnv):
    """Find a hidden row of coloured pegs.

    Description: after each guess you are told how many pegs have the right colour in the right place, and how many
    more would be right in another place. Each hidden peg explains one peg of the guess.

    Observation: all guesses so far, one a line: `1. red red blue green -> 1 in place, 2 elsewhere`, then the guesses
    left.

    Actions: `guess red red blue green`; also the bare colours, with or without commas, and in square brackets.
    Anything else is refused and uses up a guess.

    Reward: 1 for the right row, otherwise 0. The episode ends when the row is found (success) or the guesses are used
    up.

    Splits: `train` without end, `val` and `test` 100 rows each; no row is asked for in two splits.

    Oracle: guesses the row. Expert: guesses what tells most, in bits, about the rows that agree with all marks so far.

    Args:
        level: `standard` (4 pegs of 6 colours, 10 guesses), `easy` (3 of 6), `hard` (5 of 8, 12 guesses) or `bulls` (4
            of 10, no colour twice, as in bulls and cows).
        pegs: Length of the row, 2 to 6, in place of the level's.
        colors: Number of colours, 2 to 10, in place of the level's; at most 50,000 rows.
        repeats: Whether a colour may stand twice in the hidden row, in place of the level's. Guesses may repeat.
        tries: Guesses, 1 to 30, in place of the level's.

    Source: the board game of 1970; five guesses always suffice for the standard game (Knuth 1977).
    """

    card = MASTERMIND
    config = Config()
    has_tries = True
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "guess <colors>",
                "guess the row, colour by colour from the left.",
                examples=("guess red red blue green", "white, blue, blue, yellow"),
                variants=("[<colors>]", "<colors>"),
            )
        ],
        rules="Find the hidden row of coloured pegs. After each guess you are told how many pegs are right in place, "
        "and how many more are right elsewhere.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "code": {"type": "array", "minItems": 2, "maxItems": MOST_PEGS, "items": {"type": "string"}},
            "colors": {"type": "integer", "minimum": 2, "maximum": len(COLORS)},
            "repeats": {"type": "boolean"},
            "turns": {"type": "integer", "minimum": 1, "maximum": MOST_TURNS},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A row of pegs drawn by `rng`; `config` says how many, of how many colors, and whether one may come twice."""
        colors = config.colors
        chosen = rng.integers(colors, size=config.pegs) if config.repeats else rng.permutation(colors)[: config.pegs]
        code = [COLORS[color] for color in chosen.tolist()]
        return {"code": code, "colors": colors, "repeats": config.repeats, "turns": config.tries}

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The row and the rules, the turn limit left out."""
        return fingerprint([spec["code"], spec["colors"], spec["repeats"]])

    def check_task(self, spec: Spec) -> None:
        """The row must be made of the colours in play, and the rows must not be too many."""
        colors = COLORS[: spec["colors"]]
        for color in spec["code"]:
            if color not in colors:
                raise TaskError(f"{color!r} is no colour in play; they are: {', '.join(colors)}")
        if not spec["repeats"] and len(set(spec["code"])) < len(spec["code"]):
            raise TaskError(f"no colour may stand twice in the row, got {spec['code']}")
        problem = _too_many(len(spec["code"]), spec["colors"], spec["repeats"])
        if problem:
            raise TaskError(problem)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        colors, pegs = COLORS[: spec["colors"]], len(spec["code"])
        twice = "a colour may stand in it more than once" if spec["repeats"] else "no colour stands in it twice"
        return (
            f"Find a hidden row of {pegs} coloured pegs in at most {spec['turns']} guesses. The colours are "
            f"{', '.join(colors)}; {twice}. Each guess is answered by how many pegs are right in place and how many "
            "more are right elsewhere."
        )

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["turns"])

    def _reset(self, task: Task) -> str:
        spec = task.spec
        self._code: tuple[str, ...] = tuple(spec["code"])
        self._colors = COLORS[: spec["colors"]]
        self._known = frozenset(self._colors)
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        guess, state = _heard(call["colors"]), self._state
        if len(guess) != len(self._code) or not self._known.issuperset(guess):
            strange = [color for color in guess if color not in self._known]
            wrong = f"{shorten(strange[0], 40)!r} is no colour in play" if strange else f"{len(guess)} colours are said"
            return self.refuse(f"{wrong}; say {len(self._code)} of: {', '.join(self._colors)}.")
        place, elsewhere = marks = compare(guess, self._code)
        said = " ".join(guess)
        state.guesses.append(said)
        state.marks.append(marks)
        state.told += f"{len(state.marks)}. {said} -> {place} in place, {elsewhere} elsewhere\n"
        won = place == len(self._code)
        lost = not won and self.turn >= self.task.spec["turns"]
        verdict = "\nYou found the row." if won else "\nNo guess is left; you have lost." if lost else ""
        return Outcome(
            f"{self._view()}{verdict}",
            reward=float(won),
            terminated=won or lost,
            success=won,
            progress=place / len(self._code),
            events=({"type": "guess", "code": list(guess), "place": place, "elsewhere": elsewhere},),
        )

    def _view(self) -> str:
        return f"{self._state.told}Guesses left: {max(0, self.max_turns - self._turn)}"

    def _admissible(self) -> list[str] | None:
        return _actions(len(self._code), len(self._colors))

    def _sample(self, rng: np.random.Generator) -> str:
        chosen = rng.integers(len(self._colors), size=len(self._code)).tolist()
        return f"guess {' '.join(self._colors[color] for color in chosen)}"

    def _oracle(self) -> str:
        return f"guess {' '.join(self._code)}"

    def _expert(self) -> str:
        state = self._state
        return f"guess {advice(self._space(), tuple(state.guesses), tuple(state.marks))}"

    def _space(self) -> tuple[int, int, bool]:
        return len(self._code), len(self._colors), self.task.spec["repeats"]

    def _reference(self) -> str:
        return " ".join(self._code)


def compare(guess: list[str] | tuple[str, ...], code: tuple[str, ...]) -> tuple[int, int]:
    """How many pegs are right in place, and how many more are right elsewhere.

    Args:
        guess: Colors in order.
        code: The hidden row.
    """
    place, elsewhere, rest = 0, 0, list(code)
    for one, other in zip(guess, code, strict=True):
        place += one == other
        if one in rest:
            rest.remove(one)
            elsewhere += 1
    return place, elsewhere - place


@lru_cache(maxsize=4096)
def _heard(colors: str) -> tuple[str, ...]:
    return tuple(BETWEEN.split(colors.lower()))


@lru_cache(maxsize=16)
def _listed(pegs: int, colors: int) -> tuple[str, ...]:
    return tuple(sorted(f"guess {' '.join(code)}" for code in product(COLORS[:colors], repeat=pegs)))


def _actions(pegs: int, colors: int) -> list[str] | None:
    """Every guess that may be made, or None if they are too many to list."""
    return list(_listed(pegs, colors)) if colors**pegs <= LISTED else None


class Codes:
    """All rows of a game as arrays, for comparing a guess with all of them at once."""

    def __init__(self, pegs: int, colors: int, repeats: bool):
        every = product(range(colors), repeat=pegs) if repeats else permutations(range(colors), pegs)
        self.pegs = np.array(list(every), np.int8)
        self.places = {" ".join(COLORS[color] for color in code): at for at, code in enumerate(self.pegs.tolist())}
        self.names = tuple(self.places)
        self._colors = colors

    @cached_property
    def counts(self) -> NDArray[np.int8]:
        """How often each colour stands in each row, shape (rows, colors)."""
        return np.stack([(self.pegs == color).sum(axis=1) for color in range(self._colors)], axis=1).astype(np.int8)

    def marks(self, guesses: NDArray[np.int8], among: NDArray[np.intp]) -> NDArray[np.int16]:
        """Marks of guesses, shape (guesses, pegs), against rows: 16 for each peg in place, 1 for each elsewhere.

        Args:
            guesses: Numbers of colors, shape (guesses, pegs).
            among: Indices of the rows to compare with, shape (rows,).

        Returns:
            Shape (guesses, rows).
        """
        rows, counts = self.pegs[among], self.counts[among]
        marks = np.zeros((len(guesses), len(among)), np.int16)
        for peg in range(rows.shape[1]):
            marks += 15 * (guesses[:, peg, None] == rows[:, peg]).astype(np.int16)
        for color in range(self._colors):
            marks += np.minimum((guesses == color).sum(axis=1, dtype=np.int8)[:, None], counts[:, color])
        return marks


@lru_cache(maxsize=8)
def _codes(pegs: int, colors: int, repeats: bool) -> Codes:
    return Codes(pegs, colors, repeats)


@lru_cache(maxsize=8192)
def advice(space: tuple[int, int, bool], guesses: tuple[str, ...], marks: tuple[tuple[int, int], ...]) -> str:
    """The guess that tells most, on average, about which of the rows left it is.

    Where comparing every guess with every row left would take too long, an even choice of guesses is compared. Of
    equally telling guesses one that may be right, then the first in order.

    Args:
        space: Number of pegs, number of colors, and whether a color may stand twice.
        guesses: Made so far.
        marks: Of each guess: pegs in place, and pegs elsewhere.
    """
    codes = _codes(*space)
    left = np.arange(len(codes.names))
    for guess, (place, elsewhere) in zip(guesses, marks, strict=True):
        said = np.array([[COLORS.index(color) for color in guess.split()]], np.int8)
        left = left[codes.marks(said, left)[0] == 16 * place + elsewhere]
    if len(left) <= 2:
        return codes.names[int(left[0])]
    stride = max(1, len(codes.names) * len(left) // POOL)
    among = left[:: max(1, len(left) ** 2 // POOL)]
    tried = np.union1d(np.arange(0, len(codes.names), stride), among)
    bits = _bits(codes.marks(codes.pegs[tried], left)) + np.isin(tried, left) / len(left)
    return codes.names[int(tried[int(np.argmax(bits))])]


def _bits(marks: NDArray[np.int16]) -> NDArray[np.float64]:
    """How many bits each guess tells on average: the entropy of its marks, shape (guesses,)."""
    guesses, rows = marks.shape
    width = 16 * MOST_PEGS + 1
    counts = np.bincount((marks + width * np.arange(guesses)[:, None]).ravel(), minlength=guesses * width)
    shares = counts.reshape(guesses, width) / rows
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.round(-(shares * logs).sum(axis=1), 9)
