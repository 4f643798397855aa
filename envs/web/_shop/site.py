"""The shop as a web site: a Starlette application around one customer's visit."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from agentgym.core.errors import require

HOST = "shop.test"
START = f"http://{HOST}/visit/0"

# What the site asks of the shop: the page of a moment of the visit, and what a form sent from there does.
Show = Callable[[int], str | None]
Act = Callable[[int, str, str], int | None]
Draw = Callable[[str], str | None]


def build_site(show: Show, act: Act, draw: Draw) -> Any:
    """The application: `/visit/<n>` is the visit's n-th page, to which its forms are posted; each leads to a new one.

    Every page has an address of its own, so the browser's history works as in any shop.

    Args:
        show: The page of a moment of the visit.
        act: What a form or a link of that page does; the number of the page it leads to.
        draw: The picture of a product, by its asin.
    """
    applications = require("starlette.applications", extra="web", purpose="the shop as a web site")
    responses = require("starlette.responses", extra="web", purpose="the shop as a web site")
    routing = require("starlette.routing", extra="web", purpose="the shop as a web site")
    style = files("agentgym.envs.web._shop.templates").joinpath("shop.css").read_text(encoding="utf8")

    def follow(number: int, fields: dict[str, list[str]]) -> Any:
        """A search or a click; a form of radio buttons sends the value under the name of its option.

        Args:
            number: Of the page on which it was done.
            fields: What its form sends, values by name.
        """
        kind = "search" if "search_query" in fields else "click"
        words = next(iter(fields.values()), [""])[0]
        leads_to = act(number, kind, words)
        if leads_to is None:
            return responses.PlainTextResponse("The shop does not understand this.", 400)
        return responses.RedirectResponse(f"/visit/{leads_to}", 303)

    async def page(request: Any) -> Any:
        number = int(request.path_params["number"])
        if request.url.query:  # a link to a product
            return follow(number, parse_qs(request.url.query))
        html = show(number)
        if html is None:
            return responses.PlainTextResponse("There is no such page.", 404)
        return responses.HTMLResponse(html)

    async def send(request: Any) -> Any:
        fields = parse_qs((await request.body()).decode("utf8", "replace"), keep_blank_values=True)
        return follow(int(request.path_params["number"]), fields)

    async def picture(request: Any) -> Any:
        drawn = draw(request.path_params["asin"])
        if drawn is None:
            return responses.PlainTextResponse("There is no such picture.", 404)
        return responses.Response(drawn, media_type="image/svg+xml")

    async def css(request: Any) -> Any:
        return responses.Response(style, media_type="text/css")

    return applications.Starlette(
        routes=[
            routing.Route("/visit/shop.css", css),
            routing.Route("/picture/{asin}.svg", picture),
            routing.Route("/visit/{number:int}", page, methods=["GET"]),
            routing.Route("/visit/{number:int}", send, methods=["POST"]),
        ]
    )
