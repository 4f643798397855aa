"""Pictures of coloured cells cut into pieces that fit together in one way only.

A picture is cut so that neighbouring pieces both keep the line of cells between them: where two pieces belong together,
the sides that touch are equal. Pictures in which the pieces would fit in another way too are drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

Piece = tuple[str, ...]  # its rows
COLOURS = "RGBYWKO"
STREAM = 0x1165


def make(seed: int, side: int, cells: int, colours: int) -> tuple[list[Piece], list[int]]:
    """The pieces of a picture in their right order, and the shuffled order: the piece at each place.

    Args:
        seed: Generator seed.
        side: Pieces along each side of the picture.
        cells: Cells along each side of a piece, the shared lines included.
        colours: How many of `COLOURS` the picture may have.
    """
    rng = np.random.default_rng([seed, STREAM])
    while True:
        palette = [COLOURS[place] for place in rng.permutation(len(COLOURS))[:colours].tolist()]
        size = side * (cells - 1) + 1
        numbers = rng.random(3 * (2 * side + colours)).tolist()
        picture = DRAWN[int(rng.integers(len(DRAWN)))](numbers, size, palette)
        pieces = cut(picture, side, cells)
        order = rng.permutation(side * side).tolist()
        if fits_once(pieces, side) and order != sorted(order):
            return pieces, order


def _patches(numbers: Sequence[float], size: int, palette: Sequence[str]) -> list[str]:
    """Each cell has the colour of the nearest of some points."""
    points = [
        (numbers[place] * size, numbers[place + 1] * size, palette[place // 3 % len(palette)])
        for place in range(0, len(numbers) - 2, 3)
    ]
    return [
        "".join(
            [
                min(points, key=lambda point: (point[0] - row) ** 2 + (point[1] - column) ** 2)[2]
                for column in range(size)
            ]
        )
        for row in range(size)
    ]


def _rings(numbers: Sequence[float], size: int, palette: Sequence[str]) -> list[str]:
    """Rings around a point."""
    top, left, width = numbers[0] * size, numbers[1] * size, 1.5 + numbers[2] * 2
    return [
        "".join([palette[int(math.hypot(row - top, column - left) / width) % len(palette)] for column in range(size)])
        for row in range(size)
    ]


def _waves(numbers: Sequence[float], size: int, palette: Sequence[str]) -> list[str]:
    """Bands that run slantwise and sway."""
    down, right = 0.3 + numbers[0], 0.3 + numbers[1]
    sway, pace, width = 1 + 2 * numbers[2], 0.3 + numbers[3] * 0.6, 1.5 + numbers[4] * 2
    return [
        "".join(
            [
                palette[
                    int((row * down + column * right + sway * (1 + math.sin(pace * column + row))) / width)
                    % len(palette)
                ]
                for column in range(size)
            ]
        )
        for row in range(size)
    ]


DRAWN = (_patches, _rings, _waves)


def cut(picture: Sequence[str], side: int, cells: int) -> list[Piece]:
    """The pieces of a picture, row after row; neighbours share a line of cells.

    Args:
        picture: Its rows, a letter a cell; side * (cells - 1) + 1 each way.
        side: Pieces along each side.
        cells: Cells along each side of a piece.
    """
    step = cells - 1
    return [
        tuple(line[left * step : left * step + cells] for line in picture[top * step : top * step + cells])
        for top in range(side)
        for left in range(side)
    ]


def beside(left: Piece, right: Piece) -> bool:
    """Whether two pieces fit side by side: the last cells of the rows of `left` are the first of those of `right`."""
    return all(one[-1] == other[0] for one, other in zip(left, right, strict=True))


def above(top: Piece, bottom: Piece) -> bool:
    """Whether two pieces fit one above the other: the last row of `top` is the first of `bottom`."""
    return top[-1] == bottom[0]


def solutions(pieces: Sequence[Piece], side: int) -> Iterator[list[int]]:
    """Every way to lay all `pieces` so that all sides that touch are equal: the piece at each place.

    The picture has `side` pieces a row; places are counted row after row.
    """
    count = len(pieces)
    right = [[beside(one, other) for other in pieces] for one in pieces]
    below = [[above(one, other) for other in pieces] for one in pieces]
    laid: list[int] = []
    free = [True] * count

    def lay() -> Iterator[list[int]]:
        place = len(laid)
        if place == count:
            yield list(laid)
            return
        for piece in range(count):
            if (
                free[piece]
                and (place % side == 0 or right[laid[-1]][piece])
                and (place < side or below[laid[place - side]][piece])
            ):
                free[piece] = False
                laid.append(piece)
                yield from lay()
                laid.pop()
                free[piece] = True

    yield from lay()


def fits_once(pieces: Sequence[Piece], side: int) -> bool:
    """Whether the `pieces`, `side` of them a row, fit in one way only; two that look the same could be exchanged."""
    if len(set(pieces)) < len(pieces):
        return False
    ways = solutions(pieces, side)
    return next(ways, None) is not None and next(ways, None) is None
