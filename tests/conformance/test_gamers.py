"""Shortcuts stand on every card with what they win, under its bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import agentgym
from agentgym.agents.shortcuts import GENERIC
from agentgym.conformance import gamers
from agentgym.conformance.players import SHORTCUT
from agentgym.core import EnvCard, Score
from agentgym.envs import CARDS

NOT_MEASURED = {  # yet: they need a browser, Java, an image, a package that is not installed, or minutes
    "MiniHack-v0", "MiniWoB-v1", "NetHack-v0", "Office-v0", "PythonMath-v0", "RepoRepair-v0", "ScienceWorld-v0",
    "Shell-v0", "TextWorld-v0", "TextWorldExpress-v0", "WebShopBrowser-v1", "WebSuite-v0", "WikiNavBrowser-v0",
}  # fmt: skip
NO_TEST_OF_THEIR_OWN = {"ALFWorld-v0", "Browser-v0", "Jericho-v0", "WebArena-v0", "WebShopOriginal-v0"}
LISTED = ("first", "lexical")  # which every world can be tried with


def stated(card: EnvCard) -> Iterator[tuple[str, Score]]:
    """The scores of shortcuts on a card's test panel."""
    yield from ((agent, score) for agent, score in card.scores.get("test", {}).items() if agent.startswith(SHORTCUT))


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_states_what_shortcuts_win_and_its_bound_holds_them(card: EnvCard) -> None:
    if card.name in NO_TEST_OF_THEIR_OWN:
        assert card.requires
        assert not list(stated(card))
        return
    names = {agent.removeprefix(SHORTCUT) for agent, _ in stated(card)}
    assert set(card.shortcuts) <= names
    if card.name in NOT_MEASURED:
        assert names.isdisjoint(GENERIC), "measured, so it is no longer among those that are not"
    else:
        assert set(LISTED) <= names
    if card.name not in NOT_MEASURED and card.snapshot == "copy":
        assert "climber" in names
    size = card.splits["test"]
    played = min(gamers.TASKS_SLOW if card.program else gamers.TASKS, size or gamers.TASKS)
    for agent, score in stated(card):
        own = agent.removeprefix(SHORTCUT) in card.shortcuts
        assert own or agent.removeprefix(SHORTCUT) in GENERIC
        assert gamers.exceeds(card, agent, score, (size or played) if own else played) == ""


def test_a_bound_is_what_the_card_says_or_what_random_actions_win() -> None:
    card = agentgym.card("Wordle-v0")
    assert gamers.bound_of(replace(card, shortcut_bound=0.5)) == 0.5
    assert gamers.bound_of(card) == pytest.approx(card.scores["test"]["random"].success + 0.05)
    assert "allowed: 0.500" in gamers.exceeds(replace(card, shortcut_bound=0.5), "shortcut:first", Score(0.55, 0.0), 20)
    assert gamers.exceeds(card, "shortcut:first", Score(0.1, 0.1), 20) == "", "2 of 20 may be chance"
    assert gamers.exceeds(card, "shortcut:first", Score(0.5, 0.5), 20)
