"""Who may ask: the pages of this server, and nobody else's.

A page of another site can send requests to a server on this machine, and by a name of its own that it lets point here
even read the answers. So every request must name this server as its host, and one that changes something, or comes from
a page at all, must come from a page of this server.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
READING = ("GET", "HEAD")


class OwnPagesOnly:
    """Refuses requests that other sites cause, and tells browsers what a page may do.

    Args:
        app: What answers the others.
        hosts: How this server is called, each as `name:port`.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]):
        self._app, self._hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {**HEADERS, "Content-Security-Policy": POLICY}.items():
                    headers.setdefault(name, value)
            await send(message)

        if reason := self._objection(scope["method"], Headers(scope=scope)):
            await PlainTextResponse(f"{reason}\n", 403)(scope, receive, dressed)
        else:
            await self._app(scope, receive, dressed)

    def _objection(self, method: str, headers: Headers) -> str:
        """Why a request is refused; empty if it is not."""
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return "this server is not called so; open the address that `agentgym ui` printed"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        opened = method in READING and headers.get("sec-fetch-mode") == "navigate" and origin is None
        if origin is not None and origin.lower() != f"http://{host}":
            return "requests from pages of other sites are refused"
        if site not in ("same-origin", "none") and not opened:
            return "requests from pages of other sites are refused"
        if method not in READING and origin is None:
            return "a request that changes something must say which page it comes from"
        return ""
