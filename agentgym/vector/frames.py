"""Frames of `multiprocessing.connection`: read piece by piece, so that half a frame keeps nobody waiting."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

LIMIT = 1 << 31  # bytes of the longest frame that is believed
_LENGTH, _LONG = struct.Struct("!i"), struct.Struct("!Q")
_FOLLOWS = -1  # a length that says that a long one follows


class FrameError(Exception):
    """What came is no frame; the message says why."""


def packed(data: bytes | memoryview) -> bytes:
    """A frame of at most 2 GiB.

    Args:
        data: What it holds.
    """
    return _LENGTH.pack(len(data)) + data


def unpacked(frame: bytes) -> Any:
    """What a frame says, pickled by a process that was started from here.

    Args:
        frame: Without its length.

    Raises:
        FrameError: whatever reading it raised, for the other process wrote it.
    """
    try:
        return ForkingPickler.loads(frame)
    except Exception as error:
        raise FrameError(f"it sent an answer that cannot be read: {type(error).__name__}: {error}") from None


class FrameReader:
    """Puts frames together from the pieces in which they come.

    Attributes:
        wanted: Bytes that are still to come until the frame, or its length, is whole.
    """

    def __init__(self) -> None:
        self._begun = bytearray()  # what there is of the next `wanted` bytes
        self._read: struct.Struct | None = _LENGTH  # how these are read; None if they are what a frame holds
        self.wanted = _LENGTH.size

    @property
    def between(self) -> bool:
        """Whether all frames that have begun are whole."""
        return self._read is _LENGTH and not self._begun

    def put(self, piece: bytes) -> bytes | None:
        """Take some bytes.

        Args:
            piece: At most `wanted` bytes.

        Returns:
            What the frame holds that they end; None if they end none.

        Raises:
            FrameError: if a length makes no sense.
        """
        if self._begun or len(piece) < self.wanted:
            self._begun += piece
            self.wanted -= len(piece)
            if self.wanted:
                return None
            piece = bytes(self._begun)
            self._begun.clear()
        if self._read is None:
            self._read, self.wanted = _LENGTH, _LENGTH.size
            return piece
        (length,) = self._read.unpack(piece)
        if length == _FOLLOWS and self._read is _LENGTH:
            self._read, self.wanted = _LONG, _LONG.size
            return None
        if not 0 < length <= LIMIT:
            raise FrameError(f"it announced an answer of {length} bytes")
        self._read, self.wanted = None, length
        return None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take any number of bytes.

        Args:
            data: They.

        Yields:
            What each frame holds that they end.

        Raises:
            FrameError: if a length makes no sense.
        """
        view, at = memoryview(data), 0
        while at < len(view):
            piece = bytes(view[at : at + self.wanted])
            at += len(piece)
            if (frame := self.put(piece)) is not None:
                yield frame
