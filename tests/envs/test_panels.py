"""Panels are large enough to tell agents apart: at least 100 test tasks, or a reason why there are fewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.core import EnvCard
from agentgym.envs import CARDS

ENOUGH = 100
LIMITS = Path(__file__).parents[2] / "docs" / "limits.md"
FEWER = {  # what keeps the panel small; each is also what a run of it costs
    "NetHack-v0": "twice what BALROG plays; a game takes thousands of turns of its engine",
    "MiniHack-v0": "as many as BALROG plays, five of each level",
    "Crafter-v0": "as many as BALROG plays; to make a land takes over a second, and an episode has up to 10,000 steps",
    "OpenSpiel-v0": "its players search a tree before each move; to be raised to 100 when they are measured",
    "BabyAI-v0": "two of each of the 40 levels; to be raised to three when they are measured",
    "TextWorld-v0": "a game is compiled when it is first played, some seconds each",
    "TinyMLE-v0": "51 kinds of data, none in two splits, and a task fits some ten models",
    "WebSuite-v0": "a browser answers each step",
    "Phone-v0": "a browser answers each step",
    "Desktop-v0": "a browser answers each step",
    "WebShopBrowser-v1": "a browser answers each step; the twin in text, over the same shop, has 500",
    "WikiNavBrowser-v0": "a browser answers each step; the twin in text, over the same pages, has 300",
}
OF_OTHERS = {"Browser-v0", "Jericho-v0", "WebArena-v0"}  # their tasks are what the user gives


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_panel_has_a_hundred_test_tasks_or_a_reason_for_fewer(card: EnvCard) -> None:
    if card.name in OF_OTHERS:
        assert card.requires or card.names_files
        return
    size = card.splits["test"]
    assert (size is None or size < ENOUGH) == (card.name in FEWER)


@pytest.mark.parametrize("card", [card for card in CARDS if card.name in FEWER], ids=lambda card: card.name)
def test_the_manual_says_which_panels_are_small(card: EnvCard) -> None:
    words = " ".join(LIMITS.read_text(encoding="utf8").split())
    assert f"`{card.name}` ({card.splits['test']})" in words


def test_every_reason_is_of_a_world() -> None:
    assert FEWER.keys() | OF_OTHERS <= {card.name for card in CARDS}
