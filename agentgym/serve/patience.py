"""An end to connections that take for ever to say what they want."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def patient_protocol(seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's protocol of HTTP, which closes a connection whose request does not begin in time.

    Uvicorn itself waits for the end of a request's head as long as its connection is there, so that clients which send
    a byte now and then, or nothing, hold all the connections that a server may have.

    Args:
        seconds: From the opening of a connection, or the first byte after a request, to the end of a request's head.
    """

    class PatientProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
        late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()  # a request is under way, whose body and answer have limits of their own
            else:
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self.late is None:
                self.late = self.loop.call_later(seconds, self._close)

        def _stop(self) -> None:
            if self.late is not None:
                self.late.cancel()
                self.late = None

        def _close(self) -> None:
            self.late = None
            begun = self.cycle is not None and not self.cycle.response_complete
            if not begun and self.transport.get_protocol() is self:  # a WebSocket has another one
                self.transport.abort()

    return PatientProtocol
