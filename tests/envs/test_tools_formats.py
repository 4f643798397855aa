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
from tests.envs.boxes import sandbox

WORLDS = tuple(card.id for card in CARDS if card.tools and not card.requires)
SPOKEN = ("AgentGym/SearchQA-v0", "AgentGym/MaskedSpans-v0")  # tool worlds whose actions are words
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
            seconds += info["costs"].get("duration", 0.0)
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
@pytest.mark.parametrize("name", [*WORLDS, *SPOKEN])
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


@pytest.mark.parametrize("form", SEVERAL)
@pytest.mark.parametrize("name", SPOKEN)
def test_several_searches_a_turn_come_to_the_same(name: str, form: str) -> None:
    env = made(name, SEVERAL[form])
    for place, (actions, _) in played(name).items():
        env.reset(seed=0, options={"task": place})
        events: list[Any] = []
        for at in range(0, len(actions), 4):
            _, _, _, _, info = env.step(reply(env, list(actions[at : at + 4])))
            assert info["action_valid"], info["error"]
            events += info["events"]
        assert info["success"], (place, form)
        assert [event["type"] for event in events] == [action.partition("[")[0] for action in actions]


@pytest.mark.full
@pytest.mark.parametrize("name", WORLDS)
def test_a_program_of_python_plays_the_calls(name: str) -> None:
    """All calls of the oracle in one program, run in a sandbox: the same events, and the task is done."""
    sandbox()
    env = wrappers.CodeAction(agentgym.make(name, split="val"), most=40)
    for place in list(PLACES)[:2]:
        actions, _ = played(name)[place]
        env.reset(seed=0, options={"task": place})
        _, _, terminated, _, info = env.step(env.format_reply(list(actions)))
        assert (terminated, info["success"], info["program"]) == (True, True, "exit"), info["error"]
        calls = [event["tool"] for event in info["events"] if event["type"] == "tool_call"]
        assert calls == [json.loads(action)["name"] for action in actions]


@pytest.mark.parametrize("name", WORLDS)
def test_several_calls_in_one_action_are_refused_in_one_line(name: str) -> None:
    env = agentgym.make(name, split="val").unwrapped
    env.reset(seed=0, options={"task": 0})
    first, last = env.oracle_action(), played(name)[0][0][-1]
    before = env.state_key()
    for action in (first + last, f"{first}\n{last}", f"[{first}, {last}]", f"{first}, {last}"):
        text, _, terminated, _, info = env.step(action)
        assert not terminated
        assert not info["action_valid"]
        assert text.startswith("the reply calls tools ")
        assert "a turn takes one call: first one, then the next" in text
        assert "\n" not in text
        assert env.state_key() == before


@pytest.mark.parametrize("name", SPOKEN)
@pytest.mark.parametrize(
    "action",
    [
        "search[Lima] search[Peru]",
        "search[Lima]; search[Peru]",
        "search[Lima] and then answer[x; y]",
        "search[answer[x; y]]",
        "answer[search[Lima]; y]",
        "answer[x; y] search[Lima]",
        "answer[x; y], judge[yes]",
    ],
)
def test_several_actions_in_the_words_of_a_search_are_refused_in_one_line(name: str, action: str) -> None:
    env = agentgym.make(name, split="val").unwrapped
    env.reset(seed=0, options={"task": 0})
    before = env.state_key()
    text, _, terminated, _, info = env.step(action)
    assert text == "A turn takes one action, and no action stands inside another: first one, then the next."
    assert (terminated, info["action_valid"], env.state_key()) == (False, False, before)
