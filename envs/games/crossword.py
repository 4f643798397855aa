"""Crossword: fill a diagram of crossing words from their definitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from agentgym.assets.words import TIERS, load_clues, load_words
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task, cut_by_hash
from agentgym.envs.games._cards.words import CROSSWORD
from agentgym.envs.games._crossword.diagram import Diagram, Entry, Placed, compose, diagram, spread

LEVELS = {
    "standard": {"size": 9, "count": 8, "words": "basic"},
    "small": {"size": 7, "count": 4, "words": "basic"},
    "large": {"size": 13, "count": 16, "words": "common"},
}
SIZES, COUNTS, LENGTHS = (5, 15), (2, 24), (3, 10)
TURNS = 3  # for each word
SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}
STREAM = 0xC205


@dataclass(slots=True)
class State:
    """The letter in each cell, `_` where there is none."""

    letters: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `CrosswordEnv`."""

    level: str = named_level("standard", LEVELS, of="Crossword")
    size: int = whole(None, *SIZES)
    count: int = whole(None, *COUNTS)
    words: str = one_of(None, TIERS[:2])

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count > 2 * self.size:
            raise ConfigError(f"{self.count} words do not fit on a side of {self.size} cells; ask for fewer")


class CrosswordEnv(LanguageEnv):
    """Fill a crossword.

    Description: words cross on a grid; each has a definition as its clue. Words are written and overwritten freely;
    nobody says whether a word is right until the grid is full, and then only whether all of it is.

    Observation: what the last action did; the clues, `3 down (row 2, column 5): an animal with two feet: _ i _ _ _`;
    and the grid, `#` a black square, `_` an empty one.

    Actions: `fill 3 down biped`, also `3 down biped`, `3 down: biped`; `clear 3 down` empties a word. Letters of
    crossing words change with it. A word of another length is refused.

    Reward: 1 when the whole grid is right, otherwise 0. The episode ends then (success), or after three turns a word.

    Splits: `train` without end, `val` and `test` 100 crosswords each; no word stands in two splits.

    Oracle: writes the words. Expert: looks the definitions up in the dictionary that they come from.

    Args:
        level: `standard` (8 common words on 9 by 9 cells), `small` (4 on 7 by 7) or `large` (16 on 13 by 13, rarer
            words too).
        size: Cells along a side, 5 to 15, in place of the level's.
        count: Words, 2 to 24, in place of the level's; where so many do not fit, as many as do.
        words: `basic` or `common`: how common the words are, in place of the level's.

    Source: the newspaper puzzle; as a game for language agents in TextArena (Guertler et al. 2025, arXiv:2504.11442).
    Definitions: WordNet 3.0 (Miller 1995).
    """

    card = CROSSWORD
    config = Config()
    grammar = Grammar(
        [
            Command(
                "fill <number> <direction> <word>",
                "write a word.",
                examples=("fill 3 down biped", "fill 1 across candle"),
                variants=("<number> <direction>: <word>", "<number> <direction> <word>"),
                choices={"direction": ("across", "down")},
            ),
            Command(
                "clear <number> <direction>",
                "empty a word.",
                examples=("clear 3 down",),
                choices={"direction": ("across", "down")},
            ),
        ],
        rules="Fill the crossword. Where words cross they share a letter; a word written over another changes it.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "words": {
                "type": "array",
                "minItems": 1,
                "maxItems": COUNTS[1],
                "items": object_schema(
                    {
                        "row": {"type": "integer", "minimum": 0, "maximum": SIZES[1] - 1},
                        "column": {"type": "integer", "minimum": 0, "maximum": SIZES[1] - 1},
                        "direction": {"type": "string", "enum": ["across", "down"]},
                        "word": {"type": "string", "minLength": LENGTHS[0], "maxLength": LENGTHS[1]},
                    }
                ),
            }
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """Words of one split that cross each other.

        Args:
            config: The tier of words, how many, and the side of the grid.
            seed: Its last digit says whose words are drawn: 8 those of `val`, 9 of `test`, others of `train`.
        """
        part = {8: "val", 9: "test"}.get(seed % 10, "train")
        parts = _parts(config.words, config.size)
        placed = compose(parts[part], config.size, config.count, np.random.default_rng([seed, STREAM]))
        keys = ("row", "column", "direction", "word")
        return {"words": [dict(zip(keys, one, strict=True)) for one in placed]}

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """No word stands in two splits: those of `spec` are all in `split`'s part of the words of `config`."""
        own = _parts(config.words, config.size)[split]
        return all(one["word"] in own for one in spec["words"])

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The words, wherever they stand."""
        return fingerprint(sorted(one["word"] for one in spec["words"]))

    def check_task(self, spec: Spec) -> None:
        """Every word must have a definition, stand once, overlap none of its direction and agree where it crosses."""
        placed = _placed(spec)
        for *_, word in placed:
            if word not in load_clues():
                raise TaskError(f"{word!r} has no definition in the list of clues; use another word")
        if len({word for *_, word in placed}) < len(placed):
            raise TaskError("a word may stand in the diagram only once")
        try:
            spread(placed)
        except ValueError as error:
            raise TaskError(f"{error}; words may only cross, in a letter they share") from None

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"Fill the crossword of {len(spec['words'])} words from their definitions. Rows and columns are counted "
            f"from 1 at the upper left; you have {TURNS * len(spec['words'])} turns."
        )

    def _turn_limit(self, task: Task) -> int:
        return TURNS * len(task.spec["words"])

    def _reset(self, task: Task) -> str:
        self._diagram = diagram(_placed(task.spec))
        self._state = State(["_"] * len(self._diagram.letters))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        name = f"{call['number']} {call['direction']}"
        entry = self._diagram.named.get(name)
        if entry is None:
            known = ", ".join(self._diagram.named)
            return self.refuse(f"There is no {shorten(name, 40)}; the words are {known}.")
        if call.name == "fill":
            word = call["word"].lower()
            if len(word) != len(entry.word) or not (word.isascii() and word.isalpha()):
                asked = f"{name} takes a word of {len(entry.word)} letters"
                return self.refuse(f"{shorten(call['word'], 40)!r} does not fit: {asked}.")
            said = f"You write {word} at {name}."
        else:
            word, said = "_" * len(entry.word), f"You empty {name}."
        letters = self._state.letters
        for cell, letter in zip(entry.cells, word, strict=True):
            letters[cell] = letter
        won = "".join(letters) == self._diagram.letters
        if won:
            said += " The crossword is solved."
        elif "_" not in letters:
            said += " The grid is full, but not all of it is right."
        right = sum(self._right(one) for one in self._diagram.entries)
        return Outcome(
            f"{said}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=right / len(self._diagram.entries),
            events=({"type": call.name, "entry": name, "word": word},),
        )

    def _right(self, entry: Entry) -> bool:
        letters = self._state.letters
        return all(letters[cell] == letter for cell, letter in zip(entry.cells, entry.word, strict=True))

    def _view(self) -> str:
        letters = self._state.letters
        clues = [
            f"{head}{' '.join([letters[cell] for cell in entry.cells])}"
            for head, entry in zip(_heads(self._diagram), self._diagram.entries, strict=True)
        ]
        grid = [" ".join(["#" if cell < 0 else letters[cell] for cell in row]) for row in self._diagram.rows]
        return "\n".join([*clues, "Grid:", *grid])

    def _sample(self, rng: np.random.Generator) -> str:
        entries = self._diagram.entries
        entry = entries[int(rng.integers(len(entries)))]
        words = load_words("basic", len(entry.word))
        return f"fill {entry.name} {words[int(rng.integers(len(words)))]}"

    def _oracle(self) -> str:
        for entry in self._diagram.entries:
            if not self._right(entry):
                return f"fill {entry.name} {entry.word}"
        raise AssertionError("a solved crossword has ended")

    def _expert(self) -> str:
        letters = self._state.letters
        for entry in self._diagram.entries:
            answer = _dictionary()[len(entry.word), load_clues()[entry.word]]
            if "".join(letters[cell] for cell in entry.cells) != answer:
                return f"fill {entry.name} {answer}"
        raise AssertionError("a crossword filled by its dictionary has ended")

    def _reference(self) -> dict[str, str]:
        return {entry.name: entry.word for entry in self._diagram.entries}


def _placed(spec: Spec) -> tuple[Placed, ...]:
    return tuple((one["row"], one["column"], one["direction"], one["word"]) for one in spec["words"])


@lru_cache(maxsize=1024)
def _heads(shape: Diagram) -> tuple[str, ...]:
    """Name, place and clue of each entry."""
    return tuple(
        f"{entry.name} (row {entry.row + 1}, column {entry.column + 1}): {load_clues()[entry.word]}: "
        for entry in shape.entries
    )


@lru_cache(maxsize=1)
def _dictionary() -> dict[tuple[int, str], str]:
    """The word of each length and definition; no two of a length share one."""
    return {(len(word), clue): word for word, clue in load_clues().items()}


@lru_cache(maxsize=64)
def _parts(words: str, size: int) -> dict[str, list[str]]:
    """The words of each split that have a clue and fit on a side."""
    return cut_by_hash([word for word in load_words(words) if word in load_clues() and len(word) <= size], SHARES)
