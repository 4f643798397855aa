"""Every format of replies on every tool world: what its oracle plays is read back as the same call."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import Call
from agentgym.envs.tools import CARDS

WORLDS = tuple(card.id for card in CARDS if card.tools and not card.requires)
FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "ReAct": ("ReAct", {}),
    "Tags": ("Tags", {}),
    "JsonReply": ("JsonReply", {}),
    "JsonCalls": ("JsonCalls", {}),
    "NativeCalls hermes": ("NativeCalls", {"style": "hermes"}),
    "NativeCalls openai": ("NativeCalls", {"style": "openai"}),
    "CodeBlocks": ("CodeBlocks", {}),
    "Fenced": ("Fenced", {}),
    "Marked": ("Marked", {}),
    "SeveralActions": ("SeveralActions", {"most": 4}),
}
SEVERAL: dict[str, tuple[str, dict[str, Any]]] = {  # formats in which one reply may hold several calls
    "NativeCalls hermes": ("NativeCalls", {"style": "hermes", "most": 4}),
    "NativeCalls openai": ("NativeCalls", {"style": "openai", "most": 4}),
    "CodeBlocks": ("CodeBlocks", {"most": 4}),
    "SeveralActions": ("SeveralActions", {"most": 4}),
}
PLACES = range(0, 60, 6)  # of the panel `val`


@cache
def played(name: str) -> dict[int, tuple[tuple[str, ...], float]]:
    """What the oracle plays in some tasks of a world, and how many virtual seconds that takes."""
    env = agentgym.make(name, split="val").unwrapped
    found = {}
    for place in PLACES:
        env.reset(seed=0, options={"task": place})
        actions, seconds = [], 0.0
        while not env.ended:
            actions.append(env.oracle_action())
            info = env.step(actions[-1])[4]
            assert info["action_valid"]
            seconds += info["costs"]["duration"]
        found[place] = tuple(actions), seconds
    return found


def made(name: str, form: tuple[str, dict[str, Any]]) -> Any:
    kind, arguments = form
    return getattr(wrappers, kind)(agentgym.make(name, split="val"), **arguments)


def reply(env: Any, actions: list[str]) -> str:
    """The actions as one reply."""
    if isinstance(env, wrappers.SeveralActions):
        return f" {env.separator} ".join(actions)
    return str(env.format_reply(actions))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", WORLDS)
def test_a_call_in_a_format_is_the_call(name: str, form: str) -> None:
    env = made(name, FORMATS[form])
    bare = env.unwrapped
    for place, (actions, _) in played(name).items():
        env.reset(seed=0, options={"task": place})
        for action in actions:
            call = bare.parse(action)
            assert isinstance(call, Call)
            assert env.parse(reply(env, [action])) == call


@pytest.mark.parametrize("name", WORLDS)
def test_a_call_with_one_text_in_a_tag_is_the_call(name: str) -> None:
    """A tag holds one text; calls with more, or with a number or a list, are not said in it."""
    env = made(name, ("CommandTags", {}))
    said = 0
    for place, (actions, _) in played(name).items():
        env.reset(seed=0, options={"task": place})
        for action in actions:
            given = list(json.loads(action)["arguments"].values())
            if not given or (len(given) == 1 and isinstance(given[0], str)):
                shown = env.format_reply([action])
                if shown != action:
                    said += 1
                    assert env.parse(shown) == env.unwrapped.parse(action)
    assert said


@pytest.mark.parametrize("form", SEVERAL)
@pytest.mark.parametrize("name", WORLDS)
def test_several_calls_a_turn_come_to_the_same(name: str, form: str) -> None:
    """Four calls a reply: the same turns, the same events, the same costs, the same end."""
    env = made(name, SEVERAL[form])
    for place, (actions, seconds) in played(name).items():
        env.reset(seed=0, options={"task": place})
        events: list[Any] = []
        taken = 0.0
        for at in range(0, len(actions), 4):
            some = list(actions[at : at + 4])
            _, _, _, _, info = env.step(reply(env, some))
            assert info["action_valid"], (some, info["error"])
            events += info["events"]
            taken += info["costs"]["duration"]
        assert info["success"], (place, form)
        assert env.unwrapped.turn == len(actions)
        assert taken == pytest.approx(seconds)
        calls = [event for event in events if event["type"] == "tool_call"]
        assert [each["tool"] for each in calls] == [json.loads(action)["name"] for action in actions]
