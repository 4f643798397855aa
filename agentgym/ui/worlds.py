"""Pages of worlds: all of them by picture, and each with what can be done in it."""

from __future__ import annotations

from importlib.util import find_spec

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import agentgym
from agentgym.core import EnvCard, find_card
from agentgym.ui.holders import PERSON
from agentgym.ui.pictures import title, unplayable
from agentgym.ui.requests import fields
from agentgym.ui.table import PACES
from agentgym.ui.tables import plan_of
from agentgym.ui.templating import page

LONGEST = 200  # characters of a search


def _worlds() -> list[EnvCard]:
    return sorted(agentgym.catalog().values(), key=lambda card: (card.kind, card.name.casefold()))


def _browse(request: Request) -> Response:
    """Every world that fits."""
    cards = _worlds()
    family, words = request.query_params.get("family", ""), request.query_params.get("q", "")[:LONGEST]
    shown = [
        card
        for card in cards
        if family in ("", card.kind)
        and all(word in f"{card.id} {card.description}".casefold() for word in words.casefold().split())
    ]
    families = sorted({card.kind for card in cards})
    return page(
        "worlds", here="worlds", cards=shown, all=len(cards), families=families, family=family, words=words, title=title
    )


def _card(request: Request) -> EnvCard:
    card = find_card("{space}/{name}".format_map(request.path_params))
    if card is None:
        raise HTTPException(404, "there is no such world")
    return card


def _show(request: Request) -> Response:
    """A world, and a form to begin a game."""
    card = _card(request)
    offered = request.app.state.tables.agents.offered(card)
    usual = [PERSON, *[card.opponents[-1] if card.opponents else PERSON] * (card.players - 1)]
    return page(
        "world", here="worlds", card=card, title=title(card), offered=[PERSON, *offered], usual=usual, paces=PACES,
        unplayable=unplayable(card), browser=card.program and find_spec("playwright") is None,
    )  # fmt: skip


def _picture(request: Request) -> Response:
    drawn = request.app.state.pictures.of(_card(request))
    return Response(drawn.file, media_type=drawn.kind, headers={"Cache-Control": "max-age=3600"})


async def _start(request: Request) -> Response:
    """Begin a game, and go there."""
    card, given = _card(request), await fields(request)
    table = await run_in_threadpool(request.app.state.tables.open, plan_of(card, given))
    return RedirectResponse(f"/games/{table.id}", 303)


ROUTES = [
    Route("/", _browse),
    Route("/worlds/{space}/{name}", _show),
    Route("/worlds/{space}/{name}/picture", _picture),
    Route("/worlds/{space}/{name}/start", _start, methods=["POST"]),
]
