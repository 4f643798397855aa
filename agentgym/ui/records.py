"""Pages of runs: reports with their transcripts, and curves that grow."""

from __future__ import annotations

import time
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from agentgym.core import ConfigError, DataError
from agentgym.report.evaluation import evaluation_page
from agentgym.report.games import games_page
from agentgym.report.runs import runs_page
from agentgym.ui.runs import FoundRun, find_runs, growth, run_curves
from agentgym.ui.templating import page

EVENTS = "text/event-stream"
REPORT_POLICY = "frame-ancestors 'none'"  # beside the one that stands in the page itself, with hashes of its scripts
COMPARED = 8


def _found(request: Request) -> dict[str, FoundRun]:
    root = request.app.state.settings.runs
    return {} if root is None or not root.is_dir() else find_runs(root)


def _run(request: Request, name: str) -> FoundRun:
    run = _found(request).get(name)
    if run is None:
        raise HTTPException(404, "there is no such run in the folder")
    return run


def _list(request: Request) -> Response:
    runs = [(run, time.strftime("%Y-%m-%d %H:%M", time.localtime(run.changed))) for run in _found(request).values()]
    return page("runs", here="runs", runs=runs, folder=request.app.state.settings.runs)


def _report(request: Request) -> Response:
    """The page of `agentgym report`, of one run or of several."""
    names = list(dict.fromkeys(request.query_params.getlist("run")))
    if not 1 <= len(names) <= COMPARED:
        raise ConfigError(f"choose from 1 to {COMPARED} runs")
    runs = [_run(request, name) for name in names]
    if len({run.kind for run in runs}) > 1:
        raise ConfigError("a page is of evaluations or of trainings; choose runs of one kind")
    folders, kind = [run.folder for run in runs], runs[0].kind
    if kind == "games" and len(folders) > 1:
        raise ConfigError("a page of games is of one match or tournament; choose one")
    if kind == "games":
        made = games_page(folders[0])
    else:
        made = evaluation_page(folders) if kind == "evaluation" else runs_page(folders)
    return HTMLResponse(made.html(), headers={"Content-Security-Policy": REPORT_POLICY})


def _training(request: Request) -> Response:
    """A training run whose curves grow while one looks."""
    return page("training", here="runs", run=_of_training(request), **_curves(request))


def _curves_part(request: Request) -> Response:
    return page("curves", **_curves(request))


def _curves(request: Request) -> dict[str, Any]:
    try:
        return {"section": run_curves(_of_training(request)), "reason": ""}
    except DataError as error:
        return {"section": None, "reason": str(error)}


async def _growth(request: Request) -> Response:
    return StreamingResponse(growth(_of_training(request)), media_type=EVENTS)


def _of_training(request: Request) -> FoundRun:
    run = _run(request, request.query_params.get("run", ""))
    if run.kind != "training":
        raise HTTPException(404, "this run is no training")
    return run


ROUTES = [
    Route("/runs", _list),
    Route("/report", _report),
    Route("/training", _training),
    Route("/training/curves", _curves_part),
    Route("/training/events", _growth),
]
