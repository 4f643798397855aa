"""No reply holds up a format: the longest that are read, made of repeated openers, take milliseconds."""

from __future__ import annotations

import time
from typing import Any

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym import wrappers

LENGTH = 40_000  # more than any format reads
SECONDS = 2.0  # of processor time; what is not linear takes minutes
UNITS = (
    "{", '{"', '{"a":', "[", "(", "<think>", "<action>", "<tool_call>", "</think>", "<search>", "```", "```python\n",
    "```sql ", "Action:", "action ", "Thought:", "thought ", "Observation:", "\nobservation ", "\n", " ", "\t", '"',
    "'", '"\\', "\\", "|| ", "-", "not ", "lambda:", "f(", "a.", "**", "@x\n", "try:\n", 'f"{', '"""', "1", "0x1",
    "<report>", "memory ", "get 1 ", "<|ACTION|>", "<|END|>",
)  # fmt: skip
FORMATS = {
    "ReAct": ("TextCraft-v1", wrappers.ReAct, {}),
    "ReAct refuse": ("TextCraft-v1", wrappers.ReAct, {"several": "refuse", "bare": True}),
    "Tags": ("TextCraft-v1", wrappers.Tags, {}),
    "CommandTags": ("WebShop-v1", wrappers.CommandTags, {}),
    "Fenced": ("TextCraft-v1", wrappers.Fenced, {}),
    "Fenced sql": ("TextCraft-v1", wrappers.Fenced, {"language": "sql"}),
    "Marked": ("TextCraft-v1", wrappers.Marked, {"bare": True}),
    "JsonReply": ("TextCraft-v1", wrappers.JsonReply, {}),
    "JsonCalls": ("TextCraft-v1", wrappers.JsonCalls, {}),
    "NativeCalls": ("TextCraft-v1", wrappers.NativeCalls, {}),
    "CodeBlocks": ("TextCraft-v1", wrappers.CodeBlocks, {}),
}


@pytest.fixture(params=FORMATS)
def env(request: pytest.FixtureRequest) -> Any:
    world, kind, arguments = FORMATS[request.param]
    made = kind(gym.make(f"AgentGym/{world}"), **arguments)
    made.reset(seed=0)
    yield made
    made.close()


def test_a_reader_takes_linear_time(env: Any) -> None:
    for unit in UNITS:
        begin = time.process_time()
        env.parse_reply((unit * LENGTH)[:LENGTH])
        assert time.process_time() - begin < SECONDS, unit


@pytest.mark.parametrize("kind", ["Workspace", "MemoryTools", "Trials", "SeveralActions", "NearestAdmissible"])
def test_other_wrappers_that_read_replies(kind: str) -> None:
    made = getattr(wrappers, kind)(gym.make("AgentGym/FrozenLake-v0"))
    made.reset(seed=0)
    for unit in UNITS:
        begin = time.process_time()
        made.step((unit * LENGTH)[:LENGTH])
        assert time.process_time() - begin < SECONDS, unit
        if made.ended:
            made.reset(seed=0)
    made.close()
