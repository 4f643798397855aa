"""The blackjack table: what hands are worth and pay, exact expectations, and the cards that nobody sees."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.envs.multiagent._blackjack import RANKS, pays, prospects, ranked, total
from tests.envs.games import played

FULL = (*[1 / 13] * 9, 4 / 13)  # a deck without end


def _deck(first: str) -> str:
    """A whole deck that begins with some cards."""
    rest = list(RANKS * 4)
    for rank in first:
        rest.remove(rank)
    return first + "".join(rest)


def test_hands_count_as_they_should() -> None:
    assert total("A7") == (18, True)
    assert total("A7T") == (18, False)
    assert total("AA9") == (21, True)
    assert [ranked(hand) for hand in ("AK", "777", "AT5", "KQ2", "K7")] == [22, 21, 16, 0, 17]


def test_hands_pay_what_the_rules_say() -> None:
    assert pays("AK", "777", 2) == 3
    assert pays("AK", "AT", 2) == 0
    assert pays("777", "AK", 4) == -4
    assert pays("K7", "KQ2", 2) == 2
    assert pays("KQ2", "KQ5", 2) == -2


def test_expectations_are_those_of_published_tables() -> None:
    """Against a deck without end and a dealer who stands on every 17 and has not looked for a natural."""
    assert prospects(16, False, 2, 10, FULL)["hit"] > prospects(16, False, 2, 10, FULL)["stand"]
    assert prospects(20, False, 2, 6, FULL)["stand"] == pytest.approx(0.704, abs=0.002)
    assert prospects(16, False, 2, 6, FULL)["stand"] == pytest.approx(-0.154, abs=0.002)
    eleven = prospects(11, False, 2, 6, FULL)
    assert eleven["double"] == pytest.approx(0.667, abs=0.002)
    assert eleven["double"] > eleven["hit"] > eleven["stand"]
    assert "double" not in prospects(11, False, 3, 6, FULL)


def test_a_round_is_played_player_by_player_and_then_by_the_dealer() -> None:
    game = agentgym.make("BlackjackTable-v0", players=2)
    game.reset(options={"task": {"players": 2, "decks": [_deck("AK65T4" + "T57")]}})
    text = game.observe("player_1")["text"]
    assert "The dealer shows T." in text
    assert "player_0 A K (21, soft), stake 2" in text
    game.step("hit")
    assert "you may: stand" in game.infos["player_0"]["error"]
    game.step("stand")
    game.step("double")
    assert "player_1 doubles and draws T: 21." in game.observe("player_0")["text"]
    assert "The dealer has T 4 5 (19)." in game.observe("player_0")["text"]
    assert game.rewards == {"player_0": 3.0, "player_1": 4.0}
    assert all(game.infos[player]["success"] for player in game.possible_agents)


def test_too_many_lose_before_the_dealer_draws() -> None:
    game = agentgym.make("BlackjackTable-v0", players=2)
    game.reset(options={"task": {"players": 2, "decks": [_deck("T6T7T6" + "KQ")]}})
    game.step("hit")
    assert "player_0 hits and draws K: 26, too many." in game.observe("player_1")["text"]
    game.step("stay")
    assert game.rewards == {"player_0": -2.0, "player_1": 2.0}  # the dealer exceeds 21 as well
    assert not game.infos["player_0"]["success"]
    assert game.infos["player_1"]["success"]


def test_what_nobody_sees_can_be_redrawn_without_a_trace() -> None:
    game = agentgym.make("BlackjackTable-v0")
    game.reset(seed=4)
    game.step("stand")
    seen, holes = game.observe("player_1")["text"], set()
    for seed in range(20):
        twin = game.fork()
        twin._resample_hidden("player_1", np.random.default_rng(seed))
        assert twin.observe("player_1")["text"] == seen
        assert sorted(twin._state.decks[0]) == sorted(game._state.decks[0])
        holes.add(twin._state.dealer[1])
    assert len(holes) > 4


@pytest.mark.parametrize(("better", "worse"), [("simple", "random"), ("strong", "simple")])
def test_each_opponent_beats_the_one_below(better: str, worse: str) -> None:
    """On the same tables; the mean lead is above zero at 99 %."""
    game = agentgym.make("BlackjackTable-v0", split="test", players=2)
    leads = []
    for task in range(100):
        returns = []
        for level in (better, worse):
            game.reset(options={"task": task})
            returns.append(sum(played(game, dict.fromkeys(game.possible_agents, level), seed=task).values()))
        leads.append(returns[0] - returns[1])
    assert np.mean(leads) > 2.576 * np.std(leads) / np.sqrt(len(leads))


def test_bad_decks_and_options_are_refused() -> None:
    game = agentgym.make("BlackjackTable-v0", players=2)
    for spec, reason in (
        ({"players": 3, "decks": [_deck("")]}, "players=3"),
        ({"players": 2, "decks": [_deck("")[1:]]}, "deck 0 must hold each"),
        ({"players": 2, "decks": [_deck("")[1:] + "X"]}, "deck 0 must hold each"),
    ):
        with pytest.raises(TaskError, match=reason):
            game.reset(options={"task": spec})
    for wrong in ({"players": 1}, {"rounds": 0}, {"rounds": True}):
        with pytest.raises(ConfigError, match="must be a whole number"):
            agentgym.make("BlackjackTable-v0", **wrong)
