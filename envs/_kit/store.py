"""Keeps many JSON records on disk: read by number or key through a memory map, written in one pass.

A store is a folder of files: `records` (compact JSON, one record a line), `ends` (where each record ends), and, where
records have keys, `keys.npy` (sorted) with `numbers.npy` (the record of each key).
"""

from __future__ import annotations

import json
import mmap
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from agentgym.core.errors import DataError

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RecordWriter:
    """Writes a store into a new folder; a context manager. Memory: the keys and eight bytes per record."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._file = (folder / "records").open("wb")
        self._ends: list[int] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, record: Any, key: str | None = None) -> bool:
        """Append `record`, which is JSON-safe; False, and nothing written, if its `key` is already there.

        Without a key it is found by number alone.
        """
        if key is not None:
            encoded = key.encode(errors="surrogatepass")
            if b"\0" in encoded:
                raise DataError(f"the key {key!r} contains a NUL character; remove it from the data")
            if encoded in self._numbers:
                return False
            self._numbers[encoded] = len(self._ends)
        self._file.write(_COMPACT(record).encode(errors="surrogatepass") + b"\n")
        self._ends.append(self._file.tell())
        return True

    def __len__(self) -> int:
        return len(self._ends)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if error is not None:
            return
        np.array(self._ends, dtype="<i8").tofile(self._folder / "ends")
        if self._numbers:
            keys = np.array(list(self._numbers))
            order = np.argsort(keys, kind="stable")
            np.save(self._folder / "keys.npy", keys[order])
            np.save(self._folder / "numbers.npy", np.fromiter(self._numbers.values(), dtype="<u4")[order])


class RecordStore:
    """Reads the store in a folder. Safe for threads and forked processes: nothing is written, no position shared."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ends = np.fromfile(folder / "ends", dtype="<i8")
        self._keys: np.ndarray | None = None
        if (folder / "keys.npy").exists():
            self._keys = np.load(folder / "keys.npy", mmap_mode="r")
            self._numbers = np.load(folder / "numbers.npy", mmap_mode="r")
        self._map: mmap.mmap | None = None
        if len(self._ends):
            with (folder / "records").open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self._ends)

    def get(self, number: int) -> Any:
        """The record with this number, from 0.

        Raises:
            IndexError: if there is no such record.
            DataError: if the record cannot be read.
        """
        if not 0 <= number < len(self._ends) or self._map is None:
            raise IndexError(f"no record {number}: the store has {len(self._ends)}")
        begin = int(self._ends[number - 1]) if number else 0
        try:
            return json.loads(self._map[begin : int(self._ends[number])].decode(errors="surrogatepass"))
        except ValueError as error:
            raise DataError(
                f"record {number} of {self._folder} is damaged ({error}); delete the folder and build it again"
            ) from None

    def number(self, key: str) -> int | None:
        """The number of the record with this key, None if there is none."""
        if self._keys is None:
            return None
        encoded = key.encode(errors="surrogatepass")
        if len(encoded) > self._keys.dtype.itemsize or b"\0" in encoded:
            return None
        place = int(np.searchsorted(self._keys, np.array(encoded, dtype=self._keys.dtype)))
        if place == len(self._keys) or bytes(self._keys[place]) != encoded:
            return None
        return int(self._numbers[place])

    def close(self) -> None:
        """Let go of the files; reading afterwards raises IndexError."""
        if self._map is not None:
            self._map.close()
        self._map = self._keys = None
