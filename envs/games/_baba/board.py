"""A board of things and words, and the rules that the words make where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

NOUNS = ("baba", "ball", "door", "flag", "key", "lava", "rock", "skull", "star", "tree", "wall", "water")
PROPERTIES = ("you", "win", "stop", "push", "defeat", "sink", "hot", "melt")
IS = "is"
WORDS = frozenset([*NOUNS, *PROPERTIES, IS])
EMPTY = "."
TOGETHER = "+"  # between what shares a cell
GONE = 0  # the cell of what was destroyed: a corner of the rim, where nothing ever is
MOVES = ("up", "right", "down", "left")

Cells = tuple[int, ...]
Position = tuple[Cells, Cells, tuple[str, ...]]  # where the words are, where the things are, of what kind these are
Rule = tuple[str, str]


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """What never changes during an episode, and the position at the start.

    A cell is row * stride + column. A rim of one cell, in which nothing can be, surrounds the map.
    """

    height: int
    width: int
    texts: tuple[str, ...]
    names: tuple[str, ...]  # of the words, as they are told
    first: Position
    inside: bytes  # 1 for each cell of the map, 0 for the rim
    steps: tuple[int, int, int, int]  # what up, right, down and left add to a cell

    @property
    def stride(self) -> int:
        """From a cell to the one below."""
        return self.width + 2


@dataclass(frozen=True, eq=False, slots=True)
class Rules:
    """The rules that hold, in reading order, and by property the kinds that have it."""

    active: tuple[Rule, ...]
    you: frozenset[str]
    win: frozenset[str]
    stop: frozenset[str]
    push: frozenset[str]
    defeat: frozenset[str]
    sink: frozenset[str]
    hot: frozenset[str]
    melt: frozenset[str]
    becomes: tuple[Rule, ...]  # kinds that turn into others
    harm: bool  # whether anything can be destroyed
    alone: bool  # whether something destroys itself


@lru_cache(maxsize=256)
def read(rows: tuple[str, ...]) -> Board:
    """The board of rows such as `BABA IS YOU . baba+flag`: words in capitals, things in small letters."""
    cells = [row.split() for row in rows]
    height, width = len(cells), len(cells[0])
    stride = width + 2
    texts, words, kinds, things = [], [], [], []
    for row, line in enumerate(cells, start=1):
        for column, signs in enumerate(line, start=1):
            for sign in signs.split(TOGETHER) if signs != EMPTY else ():
                if sign.isupper():
                    texts.append(sign.lower())
                    words.append(row * stride + column)
                else:
                    kinds.append(sign)
                    things.append(row * stride + column)
    rim = bytes(stride)
    inside = rim + (b"\0" + b"\1" * width + b"\0") * height + rim
    first = (tuple(words), tuple(things), tuple(kinds))
    names = tuple(f"rule `{text}`" for text in texts)
    return Board(height, width, tuple(texts), names, first, inside, (-stride, 1, stride, -1))


@lru_cache(maxsize=16_384)
def rules(texts: tuple[str, ...], words: Cells, stride: int) -> Rules:
    """The rules of words in these cells: a noun, IS, and a noun or property, read to the right and downwards.

    Args:
        texts: The words themselves, in small letters.
        words: The cell of each of them, in the same order; one that was destroyed stands in `GONE` and makes no rule.
        stride: From a cell to the one below, as `Board.stride` says it.
    """
    at = dict(zip(words, texts, strict=True))
    at.pop(GONE, None)
    found: dict[Rule, None] = {}
    for cell in sorted(at):
        if at[cell] in NOUNS:
            for step in (1, stride):
                last = at.get(cell + 2 * step, IS)
                if at.get(cell + step) == IS and last != IS:
                    found[at[cell], last] = None
    return _sorted_out(tuple(found))


@lru_cache(maxsize=2048)
def _sorted_out(active: tuple[Rule, ...]) -> Rules:
    have = {what: frozenset(noun for noun, said in active if said == what) for what in PROPERTIES}
    turns: dict[str, str] = {}
    for noun, said in active:
        if said in NOUNS:
            turns.setdefault(noun, said)
    kept = {noun for noun, said in active if noun == said}  # X is X: it stays what it is
    becomes = tuple((noun, said) for noun, said in turns.items() if noun not in kept)
    harm = bool(have["sink"] or have["defeat"] or (have["hot"] and have["melt"]))
    alone = bool(have["melt"] & have["hot"] or have["you"] & have["defeat"])
    return Rules(active, **have, becomes=becomes, harm=harm, alone=alone)
