"""What becomes of a request: a site of this process answers it, it goes to the network, or it is stopped."""

from __future__ import annotations

import base64
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.downloads import saves
from agentgym.envs.web._browser.hosts import split
from agentgym.envs.web._browser.site import PLAIN, Request, Response, Site

if TYPE_CHECKING:
    from agentgym.envs.web._browser.context import Context
    from agentgym.envs.web._browser.tab import Tab

UNAUTHORIZED = 401
NO_SCRIPTS = "script-src 'none'; worker-src 'none'; object-src 'none'"


def answer_request(context: Context, tab: Tab, params: Mapping[str, Any]) -> None:
    """Answer for a site of this process, let an allowed request through, stop any other.

    Args:
        context: Whose sites and hosts count.
        tab: The page that asks.
        params: The browser's event `Fetch.requestPaused`.
    """
    request, number = params["request"], params["requestId"]
    _, host, _ = split(request["url"])
    if host in context.sites:
        main = params["frameId"] == tab.target and params["resourceType"] == "Document"
        context.desk.submit(_serve, weakref.ref(context), context.sites[host], params, main)
    elif context.hosts.allows(request["url"]):
        context.wire.send("Fetch.continueRequest", {"requestId": number})
    else:
        if params["resourceType"] == "Document":
            wanted = request["url"][:200]
            context.note(f"The page wanted to open {wanted}, which is not allowed here (allowed: {context.hosts}).")
            context.record("blocked", url=request["url"][:500])
            tab.blocked.add(params.get("networkId", ""))
        # A tab that has no page yet gets that of an error: Playwright hands over none without.
        reason = "Aborted" if tab.ready else "BlockedByClient"
        context.wire.send("Fetch.failRequest", {"requestId": number, "errorReason": reason})


def _serve(reference: weakref.ref[Context], site: Site, params: Mapping[str, Any], main: bool) -> None:
    """Answer one request, on the thread for sites."""
    context = reference()
    if context is None:
        return
    asked = params["request"]
    body = b"".join(base64.b64decode(entry["bytes"]) for entry in asked.get("postDataEntries", ()) if "bytes" in entry)
    sent = {name.lower(): value for name, value in asked["headers"].items()}
    request = Request(asked["method"], asked["url"], sent, body or asked.get("postData", "").encode())
    try:
        given = site.respond(request)
        known = context.known_at(request.url)
        if known and given.status == UNAUTHORIZED and "authorization" not in sent and _asks_basic(given):
            proof = base64.b64encode(":".join(known).encode()).decode()
            given = site.respond(replace(request, headers={**sent, "authorization": f"Basic {proof}"}))
    except EngineFailure as error:
        context.lose(f"the site failed: {error}")
        return
    except Exception as error:  # as any server answers: what an agent asks for must not be able to end its episode
        context.faults.append(f"{type(error).__name__}: {error}")
        given = Response(f"500 Internal Server Error ({type(error).__name__})".encode(), 500, PLAIN)
    headers = {**given.headers, "content-security-policy": NO_SCRIPTS} if context.still else given.headers
    if main and saves(headers):
        with context.changed:
            context.downloads.expect(params.get("networkId", ""))
    answer = {
        "requestId": params["requestId"],
        "responseCode": given.status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
        "body": base64.b64encode(given.body).decode(),
    }
    context.wire.send("Fetch.fulfillRequest", answer)


def _asks_basic(given: Response) -> bool:
    """Whether a site asks for name and password."""
    asked = next((value for name, value in given.headers.items() if name.lower() == "www-authenticate"), "")
    return asked.strip().lower().startswith("basic")
