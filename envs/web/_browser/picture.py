"""Pictures of pages: decoding, and the numbers of elements drawn on them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import require

# White reads well on each of them.
PALETTE = ("#b71c1c", "#0d47a1", "#1b5e20", "#6a1b9a", "#a84300", "#00606b", "#5d4037", "#ad1457")
PURPOSE = "a picture of a page"


def decode(png: bytes) -> NDArray[np.uint8]:
    """A PNG as an array, height x width x 3."""
    images: Any = require("PIL.Image", extra="web", purpose=PURPOSE)
    with images.open(io.BytesIO(png)) as picture:
        return np.array(picture.convert("RGB"))


def draw_words(width: int, height: int, words: str) -> NDArray[np.uint8]:
    """White, with some words on it.

    Args:
        width, height: In pixels.
        words: Lines that are too long are broken.
    """
    images: Any = require("PIL.Image", extra="web", purpose=PURPOSE)
    drawing: Any = require("PIL.ImageDraw", extra="web", purpose=PURPOSE)
    canvas = images.new("RGB", (width, height), "white")
    lines = [part for line in words.splitlines() for part in wrap(line, max(10, (width - 20) // 7))]
    drawing.Draw(canvas).multiline_text((10, 10), "\n".join(lines), fill="black", spacing=6)
    return np.array(canvas)


def draw_marks(picture: NDArray[np.uint8], boxes: Sequence[Sequence[float]]) -> NDArray[np.uint8]:
    """The picture with a frame around each element and its number at the corner.

    Args:
        picture: Height x width x 3.
        boxes: Number, left, top, width and height of each element, in pixels.
    """
    images: Any = require("PIL.Image", extra="web", purpose=PURPOSE)
    drawing: Any = require("PIL.ImageDraw", extra="web", purpose=PURPOSE)
    canvas = images.fromarray(picture)
    pen = drawing.Draw(canvas)
    height, width = picture.shape[:2]
    taken: list[tuple[float, float, float, float]] = []
    for number, left, top, wide, high in boxes:
        if left >= width or top >= height or left + wide <= 0 or top + high <= 0 or wide < 1 or high < 1:
            continue
        color = PALETTE[int(number) % len(PALETTE)]
        pen.rectangle((left, top, min(left + wide, width) - 1, min(top + high, height) - 1), outline=color)
        text = str(int(number))
        label = _free_place(pen.textbbox((0, 0), text), left, top, wide, high, taken, width, height)
        taken.append(label)
        pen.rectangle(label, fill=color)
        pen.text((label[0] + 1, label[1] - 1), text, fill="white")
    return np.array(canvas)


def _free_place(
    size: Sequence[float], left: float, top: float, wide: float, high: float,
    taken: Sequence[tuple[float, float, float, float]], width: int, height: int,
) -> tuple[float, float, float, float]:  # fmt: skip
    """A place for a label at one of the element's corners, if possible one that covers no other label."""
    across, down = size[2] + 2, size[3] + 1
    corners = [
        (left, top - down), (left + wide - across, top - down), (left, top + high), (left + wide - across, top + high),
        (left, top), (left + wide - across, top), (left - across, top), (left + wide, top),
    ]  # fmt: skip
    places = []
    for x, y in corners:
        x, y = min(max(x, 0), width - across), min(max(y, 0), height - down)
        places.append((x, y, x + across, y + down))
    return next((place for place in places if not any(_overlap(place, other) for other in taken)), places[0])


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
