"""Pictures of rule-word puzzles: things as simple figures, words as tiles of letters."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from agentgym.envs.games import _boards
from agentgym.envs.games._baba.board import PROPERTIES, Board, Position, Rules
from agentgym.envs.games._baba.views import rank
from agentgym.envs.games._boards import CELL, Color, Picture

DARK, LIGHT = (24, 26, 34), (236, 236, 232)
COLORS: dict[str, Color] = {
    "baba": (245, 238, 232), "ball": (52, 120, 200), "door": (176, 58, 46), "flag": (241, 196, 15),
    "key": (224, 168, 20), "lava": (224, 96, 24), "rock": (160, 118, 72), "skull": (170, 60, 90),
    "star": (250, 220, 90), "tree": (46, 139, 87), "wall": (96, 106, 124), "water": (48, 110, 180),
}  # fmt: skip
PROPERTY, IS_COLOR = (180, 130, 220), LIGHT
LETTERS = {  # 3 x 5 pixels, a row a digit of base 8
    "A": 0o25755, "B": 0o65656, "C": 0o34443, "D": 0o65556, "E": 0o74647, "F": 0o74644, "G": 0o34553, "H": 0o55755,
    "I": 0o72227, "K": 0o55655, "L": 0o44447, "M": 0o57755, "N": 0o65555, "O": 0o25552, "P": 0o65644, "R": 0o65655,
    "S": 0o34216, "T": 0o72222, "U": 0o55557, "V": 0o55552, "W": 0o55775, "Y": 0o55222,
}  # fmt: skip
FIGURES = {  # 12 x 12 pixels of a thing
    "baba": "...#...#.... ...#...#.... ..##..##.... .#########.. ############ ##.####.#### ############ "
    "############ .##########. .##########. ..##....##.. ..##....##..",
    "door": ".########### .#.........# .#.#######.# .#.#######.# .#.#######.# .#.#######.# .#.#####.#.# "
    ".#.#######.# .#.#######.# .#.#######.# .#.#######.# .###########",
    "flag": "..#......... ..####...... ..#######... ..#########. ..########## ..########.. ..######.... ..####...... "
    "..#......... ..#......... ..#......... .###........",
    "key": "............ ..####...... .##..##..... ##....##.... ##....###### ##....###### .##..##..#.# ..####...#.# "
    "............ ............ ............ ............",
    "skull": "..########.. .##########. ############ ##...##...## ##...##...## ############ .####..####. ..########.. "
    "..#.#.#.#... ..########.. ............ ............",
    "star": ".....##..... .....##..... ....####.... ############ .##########. ..########.. ...######... ..########.. "
    "..###..###.. .##......##. ............ ............",
    "tree": "....####.... ..########.. .##########. ############ ############ .##########. ..########.. .....##..... "
    ".....##..... .....##..... .....##..... ....####....",
    "rock": "............ ...#####.... ..########.. .##########. .##########. ############ ############ ############ "
    "############ .##########. ..########.. ............",
    "wall": "############ ############ ......#..... ######.##### ######.##### ......#..... ###.#######. ###.#######. "
    "............ ######.##### ######.##### ############",
    "water": "............ .##...##...# #..#.#..#.#. ............ ............ .##...##...# #..#.#..#.#. ............ "
    "............ .##...##...# #..#.#..#.#. ............",
}


def picture(board: Board, active: Rules, position: Position) -> Picture:
    """The map, uint8 of shape (48 * rows, 48 * columns, 3); where things share a cell, what matters most on top.

    Args:
        board: The board, for its size and its words.
        active: The rules that hold; they decide what matters.
        position: What lies where.
    """
    words, things, kinds = position
    frame = _boards.board(board.height, board.width, DARK)
    frame[::CELL], frame[:, ::CELL] = (40, 43, 54), (40, 43, 54)
    behind = sorted(zip(things, kinds, strict=True), key=lambda pair: -rank(active, pair[1]))
    for cell, kind in behind:
        if cell:
            _thing(_tile(frame, board, cell), kind)
    for cell, text in zip(words, board.texts, strict=True):
        if cell:
            _word(_tile(frame, board, cell), text)
    return frame


def _tile(frame: Picture, board: Board, cell: int) -> Picture:
    row, column = divmod(cell, board.stride)
    return _boards.tile(frame, row - 1, column - 1)


def _thing(part: Picture, kind: str) -> None:
    if kind in ("lava", "water"):
        _boards.fill(part, COLORS[kind])
        part[_figure("water")] = tuple(min(255, tone + 70) for tone in COLORS[kind])
    elif kind == "ball":
        _boards.disc(part, COLORS[kind], 0.36)
    else:
        part[_figure(kind)] = COLORS[kind]


@cache
def _figure(kind: str) -> NDArray[np.bool_]:
    """The pixels of a cell that show a thing."""
    small = np.array([[sign == "#" for sign in row] for row in FIGURES[kind].split()])
    margin = (CELL - 3 * len(small)) // 2
    return np.pad(np.kron(small, np.ones((3, 3), bool)), margin)


def _word(part: Picture, text: str) -> None:
    """A tile in the colour of the noun, or of properties, with the word on it."""
    color = COLORS.get(text, PROPERTY if text in PROPERTIES else IS_COLOR)
    _boards.fill(part, color, 3)
    _boards.fill(part, DARK, 5)
    ink = _letters(text.upper())
    top, left = (CELL - ink.shape[0]) // 2, (CELL - ink.shape[1]) // 2
    part[top : top + ink.shape[0], left : left + ink.shape[1]][ink] = color


@cache
def _letters(text: str) -> NDArray[np.bool_]:
    """The pixels of a word, in one line or two."""
    lines = [text] if len(text) <= 3 else [text[: (len(text) + 1) // 2], text[(len(text) + 1) // 2 :]]
    ink = np.zeros((6 * len(lines) - 1, 4 * len(lines[0]) - 1), bool)
    for place, line in enumerate(lines):
        for column, letter in enumerate(line):
            for row in range(5):
                bits = LETTERS[letter] >> 3 * (4 - row) & 7
                ink[6 * place + row, 4 * column : 4 * column + 3] = [bool(bits & 4), bool(bits & 2), bool(bits & 1)]
    return np.kron(ink, np.ones((3, 3), bool))
