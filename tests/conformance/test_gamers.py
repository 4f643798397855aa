"""Shortcuts stand on every card with what they win, under its bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import agentgym
from agentgym.agents.shortcuts import GENERIC
from agentgym.conformance import gamers
from agentgym.conformance.env_under_test import open_env
from agentgym.conformance.errors import Violation
from agentgym.conformance.players import SHORTCUT
from agentgym.conformance.scores import EPSILON
from agentgym.core import ConfigError, EnvCard, Score
from agentgym.envs import CARDS

NOT_MEASURED = {"MiniHack-v0", "NetHack-v0"}  # yet: they need packages that are not installed
NO_TEST_OF_THEIR_OWN = {"ALFWorld-v0", "Browser-v0", "Jericho-v0", "WebArena-v0", "WebShopOriginal-v0"}
FAR = 0.1  # above random actions, within which a shortcut of so few tasks may stand by chance
SLACK = 0.15  # of a bound above what the strongest shortcut wins
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


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_bound_is_near_what_is_won_and_one_above_random_actions_has_a_reason(card: EnvCard) -> None:
    known = card.scores.get("test", {})
    chance = known["random"].success if "random" in known else 0.0
    best = max((score.success for _, score in stated(card)), default=0.0)
    if card.shortcut_bound is None:
        assert best <= chance + FAR, "state shortcut_bound and shortcut_reason, or mend the world"
        return
    if card.name not in NOT_MEASURED:
        assert card.shortcut_bound <= best + SLACK, "a bound so far above what is won bounds nothing"
    if card.shortcut_bound > chance + EPSILON:
        assert len(card.shortcut_reason) > 20
        assert card.shortcut_reason[-1] != "."


def test_a_reason_without_a_bound_is_refused() -> None:
    with pytest.raises(ConfigError, match="shortcut_reason is the reason of a shortcut_bound"):
        replace(agentgym.card("Wordle-v0"), shortcut_reason="words are short")


def test_a_bound_is_what_the_card_says_or_what_random_actions_win() -> None:
    card = agentgym.card("Wordle-v0")
    assert gamers.bound_of(replace(card, shortcut_bound=0.5)) == 0.5
    assert gamers.bound_of(card) == pytest.approx(card.scores["test"]["random"].success + 0.05)
    assert "allowed: 0.500" in gamers.exceeds(replace(card, shortcut_bound=0.5), "shortcut:first", Score(0.55, 0.0), 20)
    assert gamers.exceeds(card, "shortcut:first", Score(0.1, 0.1), 20) == "", "2 of 20 may be chance"
    assert gamers.exceeds(card, "shortcut:first", Score(0.5, 0.5), 20)


@pytest.mark.usefixtures("_worlds_on_the_path")
@pytest.mark.parametrize("behind", [{"program": "a shop"}, {"requires": {"things": ""}, "fixture": "here:it"}])
def test_what_stands_behind_a_program_is_compared_as_it_is_seen(monkeypatch, behind) -> None:
    for name, wrong in (("broken_scores:Vault/Metering-v0", True), ("vault_world:Vault/Vault-v0", False)):
        with open_env(name, full=True) as env, monkeypatch.context() as patched:
            patched.setattr(type(env), "card", replace(env.card, **behind))
            if wrong:
                with pytest.raises(Violation, match="look the same, and info tells them apart"):
                    gamers.hidden_truth(env)
            else:
                assert gamers.hidden_truth(env) == "progress and metrics of what is seen on test"
