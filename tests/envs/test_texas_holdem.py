"""Heads-up limit Texas hold'em: what hands are worth, how the betting goes, who gets the pot, what players see."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import TaskError
from agentgym.envs.multiagent._betting import standing
from agentgym.envs.multiagent._holdem.players import RULES, expected_share
from agentgym.envs.multiagent._holdem.ranking import DECK, NUMBERS, SHIFT, describe, worth
from agentgym.envs.multiagent._poker import Known
from tests.envs.games import played

LADDER = [
    ("7c 5d 4h 3s 2c", "seven high"),
    ("Ac Kd Qh Js 9c", "ace high"),
    ("2c 2d 5h 4s 3c", "a pair of twos"),
    ("Ac Ad Kh Qs Jc", "a pair of aces"),
    ("6c 6d 2h 2s 3c", "two pairs, sixes and twos"),
    ("Ac Ad Kh Ks Qc", "two pairs, aces and kings"),
    ("2c 2d 2h 4s 3c", "three twos"),
    ("Ac 2d 3h 4s 5c", "a straight to the five"),
    ("Tc Jd Qh Ks Ac", "a straight to the ace"),
    ("7c 5c 4c 3c 2c", "a flush, seven high"),
    ("2c 2d 2h 3s 3c", "a full house, twos over threes"),
    ("Kc Kd Kh As Ac", "a full house, kings over aces"),
    ("2c 2d 2h 2s 3c", "four twos"),
    ("Ac 2c 3c 4c 5c", "a straight flush to the five"),
    ("Td Jd Qd Kd Ad", "a straight flush to the ace"),
]
DEAL = "As Ah Kd Kc Ac Kh 2s 2d 9c"  # aces over twos against kings over twos


def _worth(cards: str) -> int:
    return worth(NUMBERS[card] for card in cards.split(" "))


def test_hands_are_ranked_and_named() -> None:
    values = [_worth(cards) for cards, _ in LADDER]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
    assert [describe(value) for value in values] == [name for _, name in LADDER]


def test_kickers_count_and_suits_do_not() -> None:
    assert _worth("Ac Ad Kh Qs Jc") > _worth("Ah As Kc Qd Tc")
    assert _worth("Ac Ad Kh Qs Jc") == _worth("Ah As Kc Qd Jd")


def test_five_of_seven_are_the_best_five() -> None:
    rng = np.random.default_rng(3)
    for _ in range(400):
        cards = [int(place) for place in rng.permutation(52)[:7]]
        assert worth(cards) == max(worth(five) for five in combinations(cards, 5))


def test_categories_are_as_frequent_as_they_should_be() -> None:
    """All hands of five cards of a deck of ten ranks in two suits, by category, against counting by hand."""
    cards = [NUMBERS[card] for card in DECK if card[0] in "56789" and card[1] in "cd"]
    found: dict[int, int] = {}
    for five in combinations(cards, 5):
        found[worth(five) >> SHIFT] = found.get(worth(five) >> SHIFT, 0) + 1
    assert found == {4: 30, 8: 2, 1: 5 * 4 * 2**3, 2: 10 * 3 * 2}


def test_the_betting_goes_round_as_the_rules_say() -> None:
    assert standing(RULES, "").mover == 0
    assert standing(RULES, "c").round == 0  # the big blind may still raise
    flop = standing(RULES, "cc")
    assert (flop.round, flop.mover, flop.put) == (1, 1, (2, 2))
    assert standing(RULES, "rrrc").put == (8, 8)
    assert standing(RULES, "rrrc" + 3 * "rrrrc").put == (48, 48)
    assert standing(RULES, "rrrc" + 3 * "rrrrc").over
    assert standing(RULES, "f").folded == 0


def _game(*deals: str) -> agentgym.core.LanguageAEC:
    game = agentgym.make("TexasHoldem-v0")
    game.reset(options={"task": {"deals": list(deals)}})
    return game


def test_the_best_hand_takes_the_pot_at_the_cap() -> None:
    game = _game(DEAL)
    for act in "rrrc" + 3 * "rrrrc":
        assert not game.ended
        game.step({"r": "raise", "c": "call"}[act])
    assert game.rewards == {"player_0": 48.0, "player_1": -48.0}
    assert game.infos["player_0"]["success"]
    assert "player_1 shows Kd Kc: a full house, kings over twos." in game.observe("player_1")["text"]


def test_cards_stay_hidden_until_a_showdown() -> None:
    game = _game(DEAL, DEAL)
    assert "Your cards: As Ah. It costs 1 to call." in game.observe("player_0")["text"]
    assert "Ac" not in game.observe("player_0")["text"].split("Hand 1")[-1]
    game.step("call")
    game.step("check")
    assert "The board: Ac Kh 2s." in game.observe("player_1")["text"]
    assert game.agent_selection == "player_1"
    game.step("bet")
    game.step("fold")
    text = game.observe("player_1")["text"]
    assert "player_1 wins 2 chips." in text
    assert "As" not in text
    assert game.agent_selection == "player_1"  # the other has the button now


def test_a_board_that_beats_both_is_shared() -> None:
    game = _game("2c 3d 2d 3h Ts Js Qs Ks As")
    for action in ("call", *["check"] * 7):
        game.step(action)
    assert game.ended
    assert game.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert game.infos["player_0"]["metrics"] == {"draw": 1.0}
    assert not game.infos["player_0"]["success"]


def test_the_share_to_expect_is_that_of_known_tables() -> None:
    """A pair of aces wins 85.2 % against any two cards, seven-two of two suits 34.6 %."""
    rng = np.random.default_rng(1)
    for held, share in ((("As", "Ah"), 0.852), (("7s", "2h"), 0.346)):
        drawn = [expected_share(Known(held, (), "", 0), rng) for _ in range(25)]
        assert np.mean(drawn) == pytest.approx(share, abs=0.035)


@pytest.mark.full
@pytest.mark.parametrize(("better", "worse"), [("simple", "random"), ("strong", "simple")])
def test_each_opponent_beats_the_one_below(better: str, worse: str) -> None:
    """The same deals as either player; the mean lead is above zero at 99 %."""
    game = agentgym.make("TexasHoldem-v0", split="test")
    leads = []
    for task in range(80):
        lead = 0.0
        for mine, other in (("player_0", "player_1"), ("player_1", "player_0")):
            game.reset(seed=task, options={"task": task})
            lead += played(game, {mine: better, other: worse}, seed=task)[mine]
        leads.append(lead)
    assert np.mean(leads) > 2.576 * np.std(leads) / np.sqrt(len(leads))


def test_bad_deals_are_refused() -> None:
    game = agentgym.make("TexasHoldem-v0")
    for deal in (DEAL.replace("Ah", "As"), DEAL + " 3c", DEAL.replace("Ah", "1h")):
        with pytest.raises(TaskError, match="deal 0 must be 9 different cards"):
            game.reset(options={"task": {"deals": [deal]}})
