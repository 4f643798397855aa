"""A world of one's own from a list of tools: as the tutorial has it, in under 40 lines, and what it is then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import EnvCard
from agentgym.core.catalog import _CARDS

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "add_tools.md"
ID = "Tutorial/StockRoom-v0"
MOST = 40


def code() -> str:
    """The file that the tutorial begins with."""
    return PAGE.read_text(encoding="utf8").partition("```python\n# stock_room.py\n")[2].partition("```")[0]


def test_a_list_of_tools_makes_a_world_in_under_forty_lines() -> None:
    lines = [line for line in code().splitlines() if line.strip()]
    assert 20 < len(lines) < MOST
    assert max(map(len, lines)) <= 120


@pytest.fixture
def stock_room() -> Iterator[ModuleType]:
    """The tutorial's module, and its id, as long as a test runs."""
    made = ModuleType("stock_room")
    sys.modules["stock_room"] = made
    exec(compile(code(), "stock_room.py", "exec"), made.__dict__)
    yield made
    del sys.modules["stock_room"], _CARDS[ID], gym.registry[ID]


def test_the_world_of_the_tutorial_is_played(stock_room: Any) -> None:
    env = agentgym.make(f"stock_room:{ID}", split="val").unwrapped
    assert type(env) is stock_room.StockRoomEnv
    assert isinstance(env.card, EnvCard)
    for place in range(20):
        for player in ("oracle", "expert"):
            _, info = env.reset(seed=0, options={"task": place})
            while not env.ended:
                *_, info = env.step(getattr(env, f"{player}_action")())
            assert info["success"], (place, player)
    env.reset(seed=0)
    text, *_, info = env.step('{"name": "count", "arguments": {"item": "red cap", "colour": "red"}}')
    assert not info["action_valid"]
    assert "colour" in text
