"""Pages of games under way, and what a browser asks of them."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from agentgym.evaluate import keep
from agentgym.ui.orders import Act, Hint, Order, TakeBack
from agentgym.ui.pictures import title
from agentgym.ui.requests import fields
from agentgym.ui.table import GameSession
from agentgym.ui.templating import page
from agentgym.ui.tools import tool_call, tool_forms

EVENTS = "text/event-stream"
DEMONSTRATIONS = "people"  # folder of the runs in which what people played is kept
LOOK, LOOKS = 0.05, 60  # seconds between two looks whether a game has gone on, and how many there are
SCRIPT = "x-agentgym"  # a header that only the script of our pages sends


def _table(request: Request) -> GameSession:
    table: GameSession | None = request.app.state.tables.find(request.path_params["table"])
    if table is None:
        raise HTTPException(404, "this game is over and forgotten, or never was")
    return table


def _all(request: Request) -> Response:
    """Every game of this server."""
    return page("games", here="games", tables=request.app.state.tables.all(), title=title)


def _shown(request: Request, table: GameSession, template: str) -> Response:
    shown = table.shown
    tools = tool_forms(shown.board.tools) if shown.board else []
    kept = request.app.state.settings.runs is not None and table.record is not None
    return page(template, here="games", table=table, shown=shown, tools=tools, name=title(table.plan.card), kept=kept)


def _game(request: Request) -> Response:
    return _shown(request, _table(request), "game")


def _board(request: Request) -> Response:
    """The part of the page that changes."""
    return _shown(request, _table(request), "board")


def _picture(request: Request) -> Response:
    board = _table(request).shown.board
    if board is None or not board.picture:
        raise HTTPException(404, "there is no picture")
    return Response(board.picture, media_type="image/png")


async def _events(request: Request) -> Response:
    return StreamingResponse(_table(request).feed.stream(), media_type=EVENTS)


async def _act(request: Request) -> Response:
    """Play an action that was typed or chosen."""
    return await _ordered(request, Act((await fields(request)).get("action", "")))


async def _call(request: Request) -> Response:
    """Play the call of a tool whose form was filled."""
    table, given = _table(request), await fields(request)
    board = table.shown.board
    named = {name.removeprefix("arg."): value for name, value in given.items() if name.startswith("arg.")}
    return await _ordered(request, Act(tool_call(board.tools if board else [], given.get("tool", ""), named)))


async def _hint(request: Request) -> Response:
    return await _ordered(request, Hint())


async def _undo(request: Request) -> Response:
    return await _ordered(request, TakeBack())


async def _ordered(request: Request, order: Order) -> Response:
    table = _table(request)
    if isinstance(order, Act) and not order.action.strip():
        return await _back(request, table)  # an empty line is no action and costs nothing
    if not table.order(order):
        raise HTTPException(409, "it is not your turn, or the game has gone on meanwhile")
    return await _back(request, table)


async def _back(request: Request, table: GameSession) -> Response:
    """Nothing for our script, which hears of what happens; for a browser without it, the game when it has gone on."""
    if SCRIPT in request.headers:
        return Response(status_code=204)
    for _ in range(LOOKS):
        if table.shown.state != "thinking":
            break
        await asyncio.sleep(LOOK)
    return RedirectResponse(f"/games/{table.id}", 303)


async def _ready(request: Request) -> Response:
    """The next person has taken the place."""
    table = _table(request)
    table.take_over()
    return await _back(request, table)


async def _pause(request: Request) -> Response:
    table = _table(request)
    table.pause(not table.shown.paused)
    return await _back(request, table)


async def _leave(request: Request) -> Response:
    table = _table(request)
    table.leave()
    return await _back(request, table)


async def _save(request: Request) -> Response:
    """Write the transcript into the folder of runs."""
    table, runs = _table(request), request.app.state.settings.runs
    if runs is None or table.record is None:
        raise HTTPException(409, "there is nothing to save, or no folder for it: start  agentgym ui --runs FOLDER")
    if not table.shown.saved:
        episode = table.record
        who = "games" if len(episode.players) > 1 else episode.only.agent
        name = f"{table.plan.card.name}-{episode.split}-{who}".replace("/", "_").replace(":", "_")
        await run_in_threadpool(keep, runs / DEMONSTRATIONS / name, episode)
        table.note_saved(f"{DEMONSTRATIONS}/{name}")
    return await _back(request, table)


ROUTES = [
    Route("/games", _all),
    Route("/games/{table}", _game),
    Route("/games/{table}/board", _board),
    Route("/games/{table}/picture", _picture),
    Route("/games/{table}/events", _events),
    *(
        Route(f"/games/{{table}}/{name}", work, methods=["POST"])
        for name, work in {
            "act": _act, "call": _call, "hint": _hint, "undo": _undo, "ready": _ready, "pause": _pause,
            "leave": _leave, "save": _save,
        }.items()
    ),
]  # fmt: skip
