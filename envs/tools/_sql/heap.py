"""A bound on the memory of SQLite that holds while a statement runs, and no longer.

SQLite knows one bound for all databases of the process, and `PRAGMA hard_heap_limit` can lower it but never lift it:
set so, it fails whatever another world or library keeps in SQLite as well. The C function behind it lifts it again.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

ASK, NONE = -1, 0  # in place of bytes

_lock = threading.Lock()
_under_way: list[int] = []  # the bounds of the statements that run now
_before = [NONE]  # the bound of the process before the first of them


def bound_where_it_stays(size: int, connection: sqlite3.Connection) -> None:
    """Bound the process where an interpreter hides the C function, so that `bounded` cannot do it.

    Args:
        size: Bytes.
        connection: Any.
    """
    if _library() is None:
        connection.execute(f"PRAGMA hard_heap_limit={size}").fetchall()


@contextmanager
def bounded(size: int) -> Iterator[None]:
    """SQLite takes at most so many bytes more than it holds now; a statement that would take more raises MemoryError.

    What other threads take meanwhile counts as well.

    Args:
        size: Bytes.
    """
    library = _library()
    if library is None:
        yield
        return
    with _lock:
        if not _under_way:
            _before[0] = library.sqlite3_hard_heap_limit64(ASK)
        _under_way.append(size)
        library.sqlite3_hard_heap_limit64(library.sqlite3_memory_used() + sum(_under_way))
    try:
        yield
    finally:
        with _lock:
            _under_way.remove(size)
            if not _under_way:
                library.sqlite3_hard_heap_limit64(_before[0])


@lru_cache(1)
def _library() -> Any:
    """SQLite as this interpreter uses it; None if its functions cannot be reached."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    try:
        limit, used = library.sqlite3_hard_heap_limit64, library.sqlite3_memory_used
    except AttributeError:
        return None
    limit.argtypes, limit.restype, used.restype = [ctypes.c_int64], ctypes.c_int64, ctypes.c_int64
    return library
