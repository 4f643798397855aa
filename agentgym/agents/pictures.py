"""What worlds draw, as files: named by what is in them, so that equal pictures are kept once."""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIXELS = NDArray[np.uint8]


def png(pixels: PIXELS) -> bytes:
    """A picture of shape (height, width, 3) as a PNG file; equal pixels give equal bytes."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def picture_name(file: bytes) -> str:
    """The first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(file).hexdigest()[:16]


def with_pictures(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages in which a PNG file under `image` is a part of the content, as OpenAI-compatible servers want it."""
    parted = []
    for message in messages:
        plain = {key: value for key, value in message.items() if key != "image"}
        if "image" in message:
            url = "data:image/png;base64," + base64.b64encode(message["image"]).decode("ascii")
            words = {"type": "text", "text": plain["content"]}
            plain["content"] = [words, {"type": "image_url", "image_url": {"url": url}}]
        parted.append(plain)
    return parted
