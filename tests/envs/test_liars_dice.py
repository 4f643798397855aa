"""Liar's dice: the solver over all histories against the one over trees, the rules, and the dice nobody else sees."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.extensive import equilibrium, expected, exploitability
from agentgym.envs.multiagent._liars_dice import DiceTree, balanced, holds, naive, uniform
from tests.envs.games import played

SMALL = DiceTree(3)


def test_a_bid_counts_both_dice_and_the_highest_face_as_any() -> None:
    assert holds(6, 1, (2, 5))  # one 2
    assert holds(6, 1, (6, 5))
    assert not holds(6, 1, (1, 5))
    assert holds(6, 7, (2, 6))  # two 2s
    assert not holds(6, 11, (6, 5))
    assert holds(3, 5, (3, 3))


@pytest.mark.full
def test_both_solvers_agree_on_the_small_game() -> None:
    found = equilibrium(SMALL, 400)
    value = expected(SMALL, [lambda known: found[known]] * 2)
    assert exploitability(SMALL, lambda known: found[known]) < 5e-3
    assert exploitability(SMALL, balanced) < 5e-3
    assert expected(SMALL, [balanced, balanced]) == pytest.approx(value, abs=1e-2)


def test_simple_players_can_be_exploited() -> None:
    assert exploitability(SMALL, naive) == pytest.approx(7 / 9)
    assert exploitability(SMALL, uniform) == pytest.approx(5 / 9)


@pytest.mark.full
def test_the_strong_player_can_hardly_be_exploited_with_six_faces() -> None:
    assert exploitability(DiceTree(6), balanced) < 0.03


@pytest.mark.parametrize("faces", [4, 6])
def test_each_opponent_beats_the_one_below_exactly(faces: int) -> None:
    tree = DiceTree(faces)
    for better, worse in ((naive, uniform), (balanced, naive)):
        assert expected(tree, [better, worse]) - expected(tree, [worse, better]) > 0.1


def test_the_game_pays_what_the_tree_says() -> None:
    game = agentgym.make("LiarsDice-v0", faces=3)
    rng = np.random.default_rng(2)
    for _ in range(100):
        one, other = (int(die) + 1 for die in rng.integers(3, size=2))
        game.reset(options={"task": {"faces": 3, "throws": [f"{one}{other}"]}})
        bids = 0
        while not game.ended:
            low = bids.bit_length()
            act = int(rng.integers(low, 7 if bids else 6))
            game.step("liar" if act == 6 else f"bid {act // 3 + 1} {act % 3 + 1}")
            bids |= 1 << act if act < 6 else 0
        assert game.rewards["player_0"] == SMALL.payoff((one, other, bids, True))


def test_dice_are_shown_when_a_bid_is_doubted_only() -> None:
    game = agentgym.make("LiarsDice-v0")
    game.reset(options={"task": {"faces": 6, "throws": ["25", "61"]}})
    assert "Your die: 2." in game.observe("player_0")["text"]
    assert "5" not in game.observe("player_0")["text"].split("Round 1")[-1]
    game.step("bid 1 5")
    assert "player_0 bids that at least 1 die shows 5." in game.observe("player_1")["text"]
    game.step("2-5")
    game.step("liar")
    text = game.observe("player_0")["text"]
    assert "The dice are 2 (player_0) and 5 (player_1).\n* The bid was a lie." in text
    assert "player_0 wins the round." in text
    assert game.agent_selection == "player_1"
    game.step("bid 2 1")
    game.step("liar")
    assert game.ended
    assert game.infos["player_1"]["metrics"] == {"draw": 1.0}


@pytest.mark.parametrize("said", ["doubt", "Challenge!", "call", "call liar"])
def test_a_bid_is_doubted_in_several_words(said: str) -> None:
    game = agentgym.make("LiarsDice-v0")
    game.reset(seed=1)
    game.step("bid 1 3")
    game.step(said)
    assert game.infos["player_1"]["error"] == ""
    assert "player_1 says liar." in game.observe("player_0")["text"]


def test_what_is_not_possible_is_refused_with_a_reason() -> None:
    game = agentgym.make("LiarsDice-v0", faces=4, tries=9)
    game.reset(seed=1)
    for action, reason in (
        ("liar", "no bid to doubt"),
        ("bid 1 5", "the dice have 4 faces"),
        ("bid 3 1", "'3' is no <count>"),
    ):
        game.step(action)
        assert reason in game.infos["player_0"]["error"]
    game.step("bid 2 3")
    game.step("bid 1 4")
    assert "bid 2 4 or more, or say liar" in game.infos["player_1"]["error"]
    game.step("bid 2 4")
    assert game.admissible_actions("player_0") == ["liar"]
    game.step("bid 2 4")
    assert "higher than the last; say liar." in game.infos["player_0"]["error"]


def test_bad_throws_and_options_are_refused() -> None:
    game = agentgym.make("LiarsDice-v0")
    for throw in ("1", "17", "0 "):
        with pytest.raises(TaskError, match="throw 0 must be two of the faces"):
            game.reset(options={"task": {"faces": 6, "throws": [throw]}})
    for wrong in ({"faces": 2}, {"rounds": 3}, {"faces": True}):
        with pytest.raises(ConfigError, match="must be a whole number"):
            agentgym.make("LiarsDice-v0", **wrong)


def test_the_same_match_can_be_played_as_either_player() -> None:
    game = agentgym.make("LiarsDice-v0", split="test")
    for held in (("strong", "simple"), ("simple", "strong")):
        game.reset(seed=1, options={"task": 3})
        assert sum(played(game, dict(zip(game.possible_agents, held, strict=True))).values()) == 0
