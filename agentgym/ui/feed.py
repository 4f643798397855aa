"""News of something that goes on in a thread, for the browsers that look at it: server-sent events."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

ALIVE = 15.0  # seconds after which a silent stream says that it is still there
END = "event: end\ndata: null\n\n"
MOST = 2_000  # pieces of news that one reader may leave unread before it is left behind


class Feed:
    """Tells all readers what happens; a reader that stalls is dropped, and never waited for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers: set[_Reader] = set()
        self._closed = False

    def tell(self, kind: str, data: Any = None) -> None:
        """Send news to every reader, from any thread.

        Args:
            kind: Name of the event.
            data: JSON-safe data of it.
        """
        event = f"event: {kind}\ndata: {json.dumps(data)}\n\n"
        with self._lock:
            self._readers = {reader for reader in self._readers if reader.put(event)}

    def close(self) -> None:
        """End every stream."""
        with self._lock:
            self._closed = True
            for reader in self._readers:
                reader.put(END)
            self._readers = set()

    async def stream(self) -> AsyncIterator[str]:
        """Events for one reader, in the format `text/event-stream`; the first asks it to look."""
        reader = _Reader(asyncio.get_running_loop())
        with self._lock:
            if self._closed:
                reader.put(END)
            else:
                self._readers.add(reader)
        try:
            yield "event: board\ndata: null\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(reader.events.get(), ALIVE)
                except TimeoutError:
                    event = ": alive\n\n"
                yield event
                if event == END:
                    return
        finally:
            with self._lock:
                self._readers.discard(reader)


class _Reader:
    """The end of a stream, in the loop of the server."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self._loop = loop
        self.events: asyncio.Queue[str] = asyncio.Queue()

    def put(self, event: str) -> bool:
        """Hand an event over; False if nobody reads any more."""
        if self._loop.is_closed() or self.events.qsize() > MOST:
            return False
        self._loop.call_soon_threadsafe(self.events.put_nowait, event)
        return True
