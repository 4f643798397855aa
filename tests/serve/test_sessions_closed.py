"""What is under way in a session that is closed, or under way with a snapshot that is forgotten."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from agentgym.serve.agentenv import WORLDS, AgentEnv
from agentgym.serve.errors import Refused
from agentgym.serve.openenv import OpenEnv
from agentgym.serve.tools import Tools
from tests.serve.conftest import WORKERS, Inside, Start, inside
from tests.serve.test_sessions_failures import counted
from tests.serve.worlds import ENGINE, FRAGILE, MODULE

BRITTLE, BRITTLE_ENGINE = f"{MODULE}:{FRAGILE}", f"{MODULE}:{ENGINE}"


def test_a_session_that_is_closed_under_way_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    """No process of an engine, and a journal that the next server reads."""
    server = start(BRITTLE, BRITTLE_ENGINE, "--state", str(tmp_path))

    def ask(*told: dict[str, Any]) -> Any:
        return requests.post(f"{server.url}/v1", json=told, timeout=60).json()

    until = time.monotonic() + 30
    while len(server.workers()) < WORKERS and time.monotonic() < until:
        time.sleep(0.05)  # it listens before all of its processes have started
    for env in (FRAGILE, ENGINE):
        named = {"session": ask({"op": "create", "env": env})[0]["session"]}
        ask({"op": "reset", **named, "seed": 1, "options": {"task": "sound"}})
        played, closed = ask({"op": "step", **named, "action": "count"}, {"op": "close", **named})
        assert (played["status"], "closed meanwhile" in played["error"], closed) == (404, True, {})
    until = time.monotonic() + 30
    while len(server.workers()) > WORKERS and time.monotonic() < until:
        time.sleep(0.05)
    ask({"op": "create", "env": FRAGILE})
    assert len(server.workers()) == WORKERS
    assert counted(server)["agentgym_sessions"] == 1
    server.kill()
    assert counted(start(BRITTLE, BRITTLE_ENGINE, "--state", str(tmp_path)))["agentgym_sessions"] == 1


def test_a_snapshot_may_be_forgotten_while_it_is_returned_to(tmp_path: Path) -> None:
    named: dict[str, str] = {}

    async def play(here: Inside) -> None:
        named["session"] = await here.begin(FRAGILE)
        await here.ask({"op": "step", **named, "action": "count"})
        saved = {"snapshot": (await here.ask({"op": "snapshot", **named}))["snapshot"]}
        for _ in range(3):
            await here.ask({"op": "step", **named, "action": "count"})
        restored, forgotten = await here.ask({"op": "restore", **named, **saved}, {"op": "forget", **saved})
        assert (restored["observation"], forgotten) == ("counted 1", {})
        assert (await here.ask({"op": "step", **named, "action": "count"}))["observation"] == "counted 2"

    async def go_on(here: Inside) -> None:
        assert (await here.ask({"op": "step", **named, "action": "count"}))["observation"] == "counted 3"

    inside(play, BRITTLE, state=tmp_path)
    inside(go_on, BRITTLE, state=tmp_path)


def test_a_session_is_closed_once(tmp_path: Path) -> None:
    async def play(here: Inside) -> None:
        session = here.sessions.find("me", await here.begin(FRAGILE))
        here.sessions.close(session)
        here.sessions.close(session)

    async def look(here: Inside) -> None:
        assert not here.sessions.sessions

    inside(play, BRITTLE, state=tmp_path)
    inside(look, BRITTLE, state=tmp_path)


def test_an_openenv_client_begins_anew_after_its_session_was_closed(tmp_path: Path) -> None:
    async def play(here: Inside) -> None:
        talk = OpenEnv(here.sessions, "me", "Wordle-v0", None)

        async def said(text: str) -> str:
            return str(await talk.answer(text))

        assert "observation" in json.loads(await said('{"type":"reset","data":{"seed":1}}'))["type"]
        assert talk.session is not None
        here.sessions.close(talk.session)
        assert "no such session" in await said('{"type":"step","data":{"action":"crane"}}')
        assert not here.sessions.sessions
        assert json.loads(await said('{"type":"reset","data":{"seed":1}}'))["type"] == "observation"
        assert "observation" in await said('{"type":"step","data":{"action":"crane"}}')
        assert len(here.sessions.sessions) == 1

    async def look(here: Inside) -> None:
        assert len(here.sessions.sessions) == 1

    inside(play, "Wordle-v0", state=tmp_path)
    inside(look, "Wordle-v0", state=tmp_path)


def test_other_dialects_close_under_way_as_well(tmp_path: Path) -> None:
    async def play(here: Inside) -> None:
        world = AgentEnv(here.sessions, WORLDS["wordle"], "Wordle-v0", "train")
        number = (await world.create("me", {}))["id"]
        step = asyncio.ensure_future(world.step("me", {"id": number, "action": "crane"}))
        await asyncio.sleep(0)
        assert await world.close("me", {"id": number}) is True
        with pytest.raises(Refused, match="closed meanwhile"):
            await step
        session, _ = await here.sessions.create("me", "Wordle-v0", {})
        call = asyncio.ensure_future(Tools(here.sessions).call(session, "tools/list", {}))
        await asyncio.sleep(0)
        here.sessions.close(session)
        with pytest.raises(Refused, match="closed meanwhile"):
            await call

    async def look(here: Inside) -> None:
        assert not here.sessions.sessions

    inside(play, "Wordle-v0", state=tmp_path)
    inside(look, "Wordle-v0", state=tmp_path)
