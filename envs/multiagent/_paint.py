"""Pictures of boards of square tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Color = tuple[int, int, int]
EDGE = 40  # how much darker the lines between tiles are


def paint(rows: Sequence[str], colors: Mapping[str, Color], side: int) -> NDArray[np.uint8]:
    """One tile of `side` pixels a letter, shape (rows * side, columns * side, 3), with a line between tiles.

    Args:
        rows: The board, all rows of one length.
        colors: The colour of each letter that stands in it.
        side: Pixels, the line at the upper and left edge included.
    """
    small = np.array([[colors[letter] for letter in row] for row in rows], dtype=np.uint8)
    picture = small.repeat(side, axis=0).repeat(side, axis=1)
    lines = np.zeros(picture.shape[:2], dtype=bool)
    lines[::side] = lines[:, ::side] = True
    picture[lines] = np.maximum(picture[lines], EDGE) - EDGE
    return picture
