"""The board in words: the rules that hold, where everything lies as seen from you, and a map."""

from __future__ import annotations

from functools import lru_cache

from agentgym.envs.games._baba.board import EMPTY, GONE, NOUNS, TOGETHER, Board, Position, Rules

FRONT = (
    "you",
    "win",
    "push",
    "defeat",
    "hot",
    "sink",
    "stop",
)  # what a picture or a map shows where things share a cell


def told(active: Rules) -> str:
    """The rules that hold, one a line."""
    return "Active rules:\n" + ("\n".join([f"{noun} is {said}" for noun, said in active.active]) or "none")


def objects(board: Board, active: Rules, position: Position) -> str:
    """Every word and thing in reading order, with the way to it from the first thing that is YOU.

    Args:
        board: The board, for its size and the names of its words.
        active: The rules that hold; they decide what is YOU.
        position: What lies where; what was destroyed is not told.
    """
    words, things, kinds = position
    stride, you = board.stride, active.you
    mine = [(cell, kind) for cell, kind in zip(things, kinds, strict=True) if kind in you and cell]
    found = sorted(zip(words + things, board.names + kinds, strict=True))
    while found and found[0][0] == GONE:
        del found[0]
    if not mine:
        row, column = 1, 1
        lines = ["Nothing is you. Seen from the top left corner:"]
    else:
        own = min(mine)
        found.remove(own)
        row, column = divmod(own[0], stride)
        lines = [f"You are {own[1]} in column {column} of {board.width}, row {row} of {board.height}."]
    lines.append("Objects on the map:")
    lines += [_line(name, cell % stride - column, cell // stride - row) for cell, name in found]
    return "\n".join(lines)


@lru_cache(maxsize=32_768)
def _line(name: str, right: int, down: int) -> str:
    """One thing or word and the way to it."""
    ways = [
        f"{abs(far)} step{'s' * (abs(far) > 1)} {way}"
        for far, way in ((right, "to the right" if right > 0 else "to the left"), (down, "down" if down > 0 else "up"))
        if far
    ]
    return f"{name} {' and '.join(ways) or 'where you are'}"


def rank(active: Rules, kind: str) -> int:
    """How far in front a thing of a `kind` lies, where it shares a cell; the lowest is in front.

    It is the place in `FRONT` of the first property that the rules in `active` give it; behind all of them if none
    does.
    """
    for place, what in enumerate(FRONT):
        if kind in getattr(active, what):
            return place
    return len(FRONT)


def grid(board: Board, active: Rules, position: Position) -> str:
    """The map, a row a line: words in capitals, things in small letters, a point where nothing is.

    Args:
        board: The board, for its size and its words.
        active: The rules that hold; they put things that share a cell in order.
        position: What lies where.
    """
    words, things, kinds = position
    signs, start = _signs(board), board.stride + 1
    cells = [signs[EMPTY]] * len(board.inside)
    if len(set(things)) == len(things) and set(things).isdisjoint(words):
        for cell, kind in zip(things, kinds, strict=True):
            cells[cell] = signs[kind]
        for cell, text in zip(words, board.texts, strict=True):
            cells[cell] = signs[text.upper()]
    else:
        cells = _crowded(board, active, position)
    ends = range(start, start + board.height * board.stride, board.stride)
    return "Map:\n" + "\n".join([" ".join(cells[end : end + board.width]).rstrip() for end in ends])


@lru_cache(maxsize=256)
def _signs(board: Board) -> dict[str, str]:
    """What stands for each thing and word, all of one width."""
    names = [EMPTY, *NOUNS, *(text.upper() for text in board.texts)]
    wide = max(len(name) for name in (*board.texts, *board.first[2]))
    return {name: name.ljust(wide) for name in names}


def _crowded(board: Board, active: Rules, position: Position) -> list[str]:
    """The cells of a map in which things share some, all of one width."""
    words, things, kinds = position
    shown = [""] * len(board.inside)
    for cell, kind in sorted(zip(things, kinds, strict=True), key=lambda pair: rank(active, pair[1])):
        shown[cell] = f"{shown[cell]}{TOGETHER}{kind}" if shown[cell] else kind
    for cell, text in zip(words, board.texts, strict=True):
        shown[cell] = f"{shown[cell]}{TOGETHER}{text.upper()}" if shown[cell] else text.upper()
    shown[GONE] = ""
    wide = max(map(len, shown))
    return [(name or EMPTY).ljust(wide) for name in shown]
