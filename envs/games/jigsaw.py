"""A jigsaw in words: exchange the pieces of a picture until it is whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.planning import JIGSAW
from agentgym.envs.games._jigsaw import pictures

LEVELS = {
    "easy": {"size": 2, "cells": 4, "colors": 4},  # AGILE's own sizes are 2 x 2 and 3 x 3
    "medium": {"size": 3, "cells": 4, "colors": 4},
    "hard": {"size": 4, "cells": 4, "colors": 4},
    "expert": {"size": 5, "cells": 4, "colors": 5},
}
FEEDBACK = ("asked", "always")
PAINT = {
    "R": (192, 57, 43), "G": (39, 174, 96), "B": (36, 113, 163), "Y": (241, 196, 15), "W": (236, 240, 241),
    "K": (44, 62, 80), "O": (230, 126, 34),
}  # fmt: skip
NAMES = {"R": "red", "G": "green", "B": "blue", "Y": "yellow", "W": "white", "K": "black", "O": "orange"}
NUMBER = re.compile(r"[0-9]{1,3}")
PIXELS = 12  # of a cell in the picture


@dataclass(slots=True)
class State:
    """The piece at each place; pieces are counted in their right order, from 0."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `JigsawEnv`."""

    level: str = named_level("medium", LEVELS, of="Jigsaw")
    size: int = whole(None, 2, 5)
    cells: int = whole(None, 3, 8)
    colors: int = whole(None, 3, len(pictures.COLOURS))
    feedback: str = one_of("asked", FEEDBACK, shapes_tasks=False)


class JigsawEnv(LanguageEnv):
    """Put the shuffled pieces of a picture back in order.

    Description: a picture of coloured cells has been cut into square pieces, which lie on a square board in the wrong
    order, none turned. Exchange pieces until the picture is whole. Neighbours keep the line of cells between them, so
    sides that belong together are equal, and the pieces fit in one way only.

    Observation: the first shows the board: letters for colours, `|` and `-` between pieces. Later (`feedback="asked"`)
    only what was asked for is shown: after an exchange the order of the pieces, by the numbers of the places where they
    lay at first. With `feedback="always"` the board is shown after every exchange.

    Actions: `swap 2 and 5` exchanges the pieces at two places, counted row after row from 1 (also `swap 2 5`);
    `observe` shows the board; `zoom 3` shows the piece at a place; `crop 1 2 4 6` shows rows 1 to 4 of columns 2 to 6
    of the picture as it lies, counted in cells from 1. The admissible actions list exchanges, `observe` and `zoom`.

    Reward: 1 when the picture is whole (success), otherwise 0. The episode ends then, or after three turns a piece and
    six more.

    Splits: `train` without end, `val` and `test` 200 pictures each.

    Oracle: every exchange puts a piece into its place, two where possible: the fewest exchanges. Expert: finds from the
    pieces that were shown how they fit, and does the same.

    Args:
        level: Named difficulty: `easy` (2 x 2 pieces of 4 x 4 cells, 4 colours), `medium` (3 x 3), `hard` (4 x 4),
            `expert` (5 x 5, 5 colours). `size`, `cells` and `colors` replace what it says.
        size: Pieces in a row and in a column, 2 to 5.
        cells: Cells in a row and a column of a piece, 3 to 8.
        colors: Colours of a picture, 3 to 7.
        feedback: `asked` or `always`.

    Source: AGILE (Zeng et al. 2025, arXiv:2510.01304), whose agents write code to swap, observe, crop and zoom.
    """

    card = JIGSAW
    config = Config()
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "swap <place> and <other>",
                "exchange the pieces at two places.",
                examples=("swap 1 and 4", "swap 2 3"),
                variants=("swap <place> <other>", "swap <place>, <other>"),
            ),
            Command("observe", "see the board as it lies now.", examples=("observe",), variants=("look", "view")),
            Command(
                "zoom <place>",
                "see the piece at a place.",
                examples=("zoom 3",),
                variants=("view <place>", "zoom in on <place>", "look at <place>"),
            ),
            Command(
                "crop <top> <left> <bottom> <right>",
                "see these rows and columns of cells of the picture as it lies, counted from 1.",
                examples=("crop 1 2 4 6",),
                variants=("crop <top>, <left>, <bottom>, <right>",),
            ),
        ],
        rules="Put the picture together by exchanging pieces. Places are counted row after row from the top left, from "
        "1. Pieces are not turned. Where two pieces belong together, the sides that touch are equal.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "pieces": {
                "type": "array",
                "minItems": 4,
                "maxItems": 25,
                "items": {
                    "type": "array",
                    "minItems": 3,
                    "maxItems": 8,
                    "items": {"type": "string", "minLength": 3, "maxLength": 8},
                },
                "description": "the pieces in their right order, each as rows of the letters RGBYWKO",
            },
            "order": {
                "type": "array",
                "minItems": 4,
                "maxItems": 25,
                "items": {"type": "integer", "minimum": 0, "maximum": 24},
                "description": "the piece at each place at first, counted from 0",
            },
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A picture of the size and colours of `config`, in pieces, and their order; the `seed` decides both."""
        pieces, order = pictures.make(seed, config.size, config.cells, config.colors)
        return {"pieces": [list(piece) for piece in pieces], "order": order}

    def check_task(self, spec: Spec) -> None:
        """The pieces must be squares of one size that fit in the given order only, and lie in another one."""
        pieces = [tuple(piece) for piece in spec["pieces"]]
        side, size = int(len(pieces) ** 0.5), len(pieces[0])
        if side * side != len(pieces) or any(len(row) != size for piece in pieces for row in (piece, *piece)):
            raise TaskError(f"a jigsaw has 4, 9, 16 or 25 square pieces of one size, got {len(pieces)}")
        if set("".join(row for piece in pieces for row in piece)) - set(pictures.COLOURS):
            raise TaskError(f"pieces are made of the letters {pictures.COLOURS} alone")
        if sorted(spec["order"]) != list(range(len(pieces))) or spec["order"] == sorted(spec["order"]):
            raise TaskError(f"the order must hold each of 0 to {len(pieces) - 1} once, not in order: {spec['order']}")
        ways = pictures.solutions(pieces, side)
        if next(ways, None) != sorted(spec["order"]) or next(ways, None) is not None:
            raise TaskError("the pieces must fit together in the order in which they are given, and in no other")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        side = int(len(spec["order"]) ** 0.5)
        return (
            f"Exchange the {side * side} pieces of this jigsaw, {side} x {side}, until the picture is whole. Places "
            "are counted row after row from 1; sides that touch must be equal."
        )

    def _turn_limit(self, task: Task) -> int:
        return 3 * len(task.spec["order"]) + 6

    def _reset(self, task: Task) -> str:
        spec = task.spec
        self._pieces = tuple(tuple(piece) for piece in spec["pieces"])
        self._side, self._cells = int(len(self._pieces) ** 0.5), len(self._pieces[0])
        self._first = {piece: place for place, piece in enumerate(spec["order"], start=1)}
        self._state = State(tuple(spec["order"]))
        used = sorted({sign for piece in self._pieces for row in piece for sign in row})
        colours = ", ".join(f"{sign} {NAMES[sign]}" for sign in used)
        return f"{task.instruction}\nColours: {colours}.\n{self._board()}"

    def _step(self, call: Call) -> Outcome:
        if call.name == "observe":
            return Outcome(f"The board:\n{self._board()}")
        if call.name == "crop":
            return self._crop(call)
        places = []
        for slot in ("place", "other") if call.name == "swap" else ("place",):
            place = _number(call[slot], len(self._pieces))
            if place is None:
                return self.refuse(
                    f"There is no place {shorten(call[slot])!r}; the places are 1 to {len(self._pieces)}."
                )
            places.append(place - 1)
        if call.name == "zoom":
            rows = self._pieces[self._state.order[places[0]]]
            return Outcome("\n".join([f"The piece at place {places[0] + 1}:", *map(" ".join, rows)]))
        one, other = places
        if one == other:
            return self.refuse("A piece cannot be exchanged with itself; name two places.")
        order = list(self._state.order)
        order[one], order[other] = order[other], order[one]
        self._state.order = tuple(order)
        right = sum([piece == place for place, piece in enumerate(order)])
        won = right == len(order)
        told = f"You exchange the pieces at {one + 1} and {other + 1}.{' The picture is whole.' if won else ''}"
        shown = f"{told}\n{self._view()}"
        return Outcome(shown, reward=float(won), terminated=won, success=won, progress=right / len(order))

    def _crop(self, call: Call) -> Outcome:
        """A part of the picture as it lies."""
        size = self._side * self._cells
        found = [_number(call[slot], size) for slot in ("top", "left", "bottom", "right")]
        top, left, bottom, right = found
        if top is None or left is None or bottom is None or right is None or top > bottom or left > right:
            return self.refuse(f"Rows and columns are whole numbers from 1 to {size}, the smaller first.")
        lines = [
            "".join([self._pieces[piece][row] for piece in self._state.order[first : first + self._side]])
            for first in range(0, len(self._pieces), self._side)
            for row in range(self._cells)
        ]
        part = [" ".join(line[left - 1 : right]) for line in lines[top - 1 : bottom]]
        return Outcome("\n".join([f"Rows {top} to {bottom}, columns {left} to {right}:", *part]))

    def _view(self) -> str:
        if self.config.feedback == "always":
            return self._board()
        return f"Pieces by place: {' '.join([str(self._first[piece]) for piece in self._state.order])}"

    def _board(self) -> str:
        """All pieces as they lie, parted by lines."""
        return _drawn(self._pieces, self._state.order, self._side)

    def _admissible(self) -> list[str]:
        count = len(self._pieces)
        swaps = [f"swap {one} and {other}" for one in range(1, count) for other in range(one + 1, count + 1)]
        return [*swaps, "observe", *(f"zoom {place}" for place in range(1, count + 1))]

    def _oracle(self) -> str:
        return _next_swap(self._state.order)

    def _expert(self) -> str:
        shown = [
            self._pieces[piece] for piece in self._state.order
        ]  # all pieces have been seen; how they fit is found out
        wanted = _solved(tuple(shown), self._side)
        place = {piece: place for place, piece in enumerate(wanted)}
        return _next_swap(tuple(place[piece] for piece in range(len(shown))))

    def _reference(self) -> list[str]:
        """The fewest exchanges."""
        order, way = list(self.task.spec["order"]), []
        while order != sorted(order):
            way.append(_next_swap(tuple(order)))
            one, other = (int(number) - 1 for number in NUMBER.findall(way[-1]))
            order[one], order[other] = order[other], order[one]
        return way

    def _picture(self) -> NDArray[np.uint8]:
        """The board, uint8: coloured cells of 12 pixels, light lines of 4 between pieces."""
        pieces, order, side = self._pieces, self._state.order, self._side
        cells = len(pieces[0])
        pitch = cells * PIXELS + 4
        frame: _boards.Picture = _boards.np.full((side * pitch - 4, side * pitch - 4, 3), 255, _boards.np.uint8)
        for place, piece in enumerate(order):
            top, left = place // side * pitch, place % side * pitch
            for row, line in enumerate(pieces[piece]):
                for column, sign in enumerate(line):
                    down, right = top + row * PIXELS, left + column * PIXELS
                    frame[down : down + PIXELS, right : right + PIXELS] = PAINT[sign]
        return frame


def _number(said: str, most: int) -> int | None:
    """A whole number from 1 to `most`, or None."""
    word = said.strip(" ,.()[]#")
    return int(word) if NUMBER.fullmatch(word) and 1 <= int(word) <= most else None


def _next_swap(order: tuple[int, ...]) -> str:
    """An exchange that puts a piece into its place, and a second one where that is possible."""
    wrong = [place for place, piece in enumerate(order) if piece != place]
    one = next((place for place in wrong if order[order[place]] == place), wrong[0])
    low, high = sorted((one, order[one]))
    return f"swap {low + 1} and {high + 1}"


@lru_cache(maxsize=256)
def _solved(pieces: tuple[pictures.Piece, ...], side: int) -> list[int]:
    """The piece that belongs at each place."""
    return next(pictures.solutions(pieces, side))


@lru_cache(maxsize=4096)
def _line(rows: tuple[str, ...]) -> str:
    return " | ".join([" ".join(row) for row in rows])


def _drawn(pieces: tuple[pictures.Piece, ...], order: tuple[int, ...], side: int) -> str:
    cells = len(pieces[0])
    rule = "-+-".join(["-" * (2 * cells - 1)] * side)
    blocks = []
    for first in range(0, len(order), side):
        row = [pieces[piece] for piece in order[first : first + side]]
        blocks.append("\n".join([_line(lines) for lines in zip(*row, strict=True)]))
    return f"\n{rule}\n".join(blocks)
