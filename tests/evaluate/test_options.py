"""What worlds say they can be told: commands, the manual and cards have it from one place."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agentgym.core import EnvCard
from agentgym.envs import CARDS
from agentgym.evaluate import WorldOption, world_options
from agentgym.evaluate.worlds import check_options
from docs import worlds

BY_NAME = {card.name: card for card in CARDS}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_the_manual_and_the_card_agree_with_the_options(card: EnvCard) -> None:
    options = world_options(card)
    page = worlds.page(card, "left out here").partition("## Options")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (?:`(.*?)`|required) \|", page, re.MULTILINE)
    assert [(each.name, each.default or "") for each in options] == rows
    assert {each.name for each in options if each.default is None} == set(card.requires)
    check_options(card, {each.name: None for each in options if each.name not in ("split", "render_mode")})


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("LiarsDice-v0", {"rounds", "faces", "players", "dice"}),
        ("TexasHoldem-v0", {"hands", "betting", "players", "stack"}),
        ("Commons-v1", {"players", "months", "rounds", "universalize", "allocation", "vary"}),
        ("MatrixGame-v0", {"kind", "rounds", "chat"}),
        ("TicTacToe-v0", set()),
    ],
)
def test_options_stand_in_configs_and_in_constructors(name: str, names: set[str]) -> None:
    assert {each.name for each in world_options(BY_NAME[name])} == names


class Explained:
    """A world.

    Args:
        one, two: What both
            mean: so.
        three: Alone.

    Source: nothing: said.
    """

    def __init__(self, one: int, two: str = "b", three: Any = None, split: str = "train", **more: Any):
        self.one = one


def test_what_a_docstring_says_of_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.evaluate.options.load_env_creator", lambda name: Explained)
    both = "What both mean: so."
    assert world_options(BY_NAME["Bandit-v0"]) == [
        WorldOption("one", None, both), WorldOption("two", "'b'", both), WorldOption("three", "None", "Alone.")
    ]  # fmt: skip
