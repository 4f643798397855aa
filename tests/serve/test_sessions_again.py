"""What is asked again is done once, and what is refused changes nothing, also after a new start of the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Inside, inside
from tests.serve.worlds import ENGINE, FRAGILE, MODULE

BRITTLE, BRITTLE_ENGINE = f"{MODULE}:{FRAGILE}", f"{MODULE}:{ENGINE}"


def test_what_is_under_way_is_shared_with_who_asks_again() -> None:
    async def play(here: Inside) -> None:
        named = {"session": await here.begin(FRAGILE)}
        first = {"op": "step", **named, "action": "count", "turn": 1}
        once, again, other = await here.ask(first, first, {**first, "action": "raise"})
        assert once == again
        assert (once["observation"], once["turn"]) == ("counted 1", 2)
        assert (other["status"], "under way" in other["error"]) == (409, True)
        assert await here.ask(first) == once  # and with who asks later
        late = await here.ask({**first, "action": "wait"})
        assert (late["status"], "another request was that of turn 1" in late["error"]) == (409, True)

    inside(play, BRITTLE)


def test_who_ceases_to_wait_takes_the_answer_from_nobody_else() -> None:
    async def play(here: Inside) -> None:
        session = here.sessions.find("me", await here.begin(FRAGILE))
        first, second = (here.sessions.step(session, "count", 1) for _ in range(2))
        first.cancel()
        assert "counted 1" in (await second).body

    inside(play, BRITTLE)


@pytest.mark.parametrize("again", [False, True])
def test_a_restore_and_a_reset_are_done_once(tmp_path: Path, again: bool) -> None:
    asked: list[tuple[dict[str, Any], Any]] = []

    async def play(here: Inside) -> None:
        named = {"session": await here.begin(FRAGILE)}
        saved = (await here.ask({"op": "snapshot", **named}))["snapshot"]
        await here.ask({"op": "step", **named, "action": "count", "turn": 1})
        requests = [
            {"op": "restore", **named, "snapshot": saved, "turn": 2},
            {"op": "reset", **named, "seed": 3, "options": {"task": "sound"}, "turn": 3},
        ]
        for request in requests[: 1 + again]:
            asked.append((request, await here.ask(request)))
            assert await here.ask(request) == asked[-1][1]
            other = {"reseed": 4} if request["op"] == "restore" else {"seed": 4}
            assert (await here.ask({**request, **other}))["status"] == 409

    async def ask_again(here: Inside) -> None:
        request, answer = asked[-1]
        assert await here.ask(request) == answer

    inside(play, BRITTLE, state=tmp_path)
    inside(ask_again, BRITTLE, state=tmp_path)


def test_a_turn_is_a_whole_number() -> None:
    async def play(here: Inside) -> None:
        named = {"session": (await here.ask({"op": "create", "env": FRAGILE}))["session"]}
        for turn in (-1, 1.0, True, "0", [0]):
            answer = await here.ask({"op": "reset", **named, "turn": turn})
            assert (answer["status"], "turn must be a whole number" in answer["error"]) == (400, True)
        assert (await here.ask({"op": "reset", **named, "turn": 0}))["turn"] == 1

    inside(play, BRITTLE)


@pytest.mark.parametrize("env", [FRAGILE, ENGINE])
def test_a_refused_reset_after_a_new_start_keeps_the_episode(tmp_path: Path, env: str) -> None:
    named: dict[str, str] = {}

    async def play(here: Inside) -> None:
        named["session"] = await here.begin(env)
        await here.ask({"op": "step", **named, "action": "count"})

    async def go_on(here: Inside) -> None:
        refused = await here.ask({"op": "reset", **named, "seed": 1, "options": {"task": "none such"}})
        assert refused["status"] == 400
        assert (await here.ask({"op": "step", **named, "action": "count"}))["observation"] == "counted 2"

    inside(play, BRITTLE, BRITTLE_ENGINE, state=tmp_path)
    inside(go_on, BRITTLE, BRITTLE_ENGINE, state=tmp_path)


@pytest.mark.parametrize("failing", ["step", "reset"])
def test_the_answer_of_a_failure_comes_again_after_a_new_start(tmp_path: Path, failing: str) -> None:
    request: dict[str, Any] = {"turn": 1}
    failed: list[Any] = []

    async def play(here: Inside) -> None:
        request["session"] = await here.begin(FRAGILE)
        more = {"action": "raise"} if failing == "step" else {"options": {"task": "stillborn"}}
        request.update({"op": failing, **more})
        failed.append(await here.ask(request))
        assert failed[0]["info"]["failure"]

    async def ask_again(here: Inside) -> None:
        assert await here.ask(request) == failed[0]
        other = {"action": "count"} if failing == "step" else {"options": {"task": "sound"}}
        assert (await here.ask({**request, **other}))["status"] == 409

    for look in (play, ask_again, ask_again):  # the second new start reads what the first has written anew
        inside(look, BRITTLE, state=tmp_path)
