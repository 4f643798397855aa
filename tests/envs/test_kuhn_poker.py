"""Kuhn poker: its exact value, best responses, exploitability, and the deals that players never see."""

from __future__ import annotations

import pytest

import agentgym
from agentgym.core.extensive import BestResponse, equilibrium, expected, exploitability
from agentgym.envs.multiagent._kuhn import DEALS, KuhnTree, balanced, naive, uniform
from tests.envs.games import played

TREE = KuhnTree()


def test_the_value_of_the_game_is_minus_one_eighteenth() -> None:
    assert expected(TREE, [balanced, balanced]) == pytest.approx(-1 / 18, abs=1e-12)
    assert exploitability(TREE, balanced) == pytest.approx(0, abs=1e-12)
    assert BestResponse(TREE, 0, balanced).value == pytest.approx(-1 / 18, abs=1e-12)
    assert BestResponse(TREE, 1, balanced).value == pytest.approx(1 / 18, abs=1e-12)


def test_who_always_bets_with_a_queen_can_be_exploited() -> None:
    assert exploitability(TREE, naive) == pytest.approx(1 / 6)
    assert exploitability(TREE, uniform) == pytest.approx(11 / 24)
    answer = BestResponse(TREE, 1, naive)
    assert answer.choose(("Q", "b")) == "p"
    assert answer.choose(("K", "b")) == "b"


def test_cfr_finds_an_equilibrium() -> None:
    found = equilibrium(TREE, 300)
    assert exploitability(TREE, lambda known: found[known]) < 1e-3
    assert expected(TREE, [lambda known: found[known]] * 2) == pytest.approx(-1 / 18, abs=1e-3)


def test_each_opponent_beats_the_one_below_exactly() -> None:
    for better, worse in ((naive, uniform), (balanced, naive)):
        assert expected(TREE, [better, worse]) - expected(TREE, [worse, better]) > 0.05


def test_the_game_pays_what_the_tree_says() -> None:
    """Every deal and every way of betting, played in the environment, against the tree's payoff."""
    game = agentgym.make("KuhnPoker-v0")
    words = {"p": "pass", "b": "bet"}
    for deal in DEALS:
        for betting in ("pp", "bp", "bb", "pbp", "pbb"):
            game.reset(options={"task": {"deals": [deal]}})
            total = 0.0
            for act in betting:
                assert not game.ended
                game.step(words[act])
                total += game.rewards["player_0"]
            assert game.ended
            assert total == TREE.payoff((deal, betting))
            assert game.infos["player_0"]["success"] == (total > 0)


def test_the_first_to_act_changes_and_cards_are_shown_at_showdowns_only() -> None:
    game = agentgym.make("KuhnPoker-v0")
    game.reset(options={"task": {"deals": ["KJ", "QK"]}})
    assert "Your card: jack." in game.observe("player_1")["text"]
    assert "king" not in game.observe("player_1")["text"].split("each hand")[-1]
    game.step("bet")
    game.step("fold")
    text = game.observe("player_1")["text"]
    assert "player_1 folds." in text
    assert "player_0 shows" not in text
    assert game.agent_selection == "player_1"
    game.step("bet")
    game.step("call")
    assert "player_0 shows the queen, player_1 shows the king." in game.observe("player_0")["text"]
    assert game._state.chips == -1


def test_the_same_match_can_be_played_as_either_player() -> None:
    game = agentgym.make("KuhnPoker-v0", split="test")
    game.reset(seed=1, options={"task": 3})
    first = list(game._state.deals)
    one = played(game, {"player_0": "strong", "player_1": "simple"})
    game.reset(seed=2, options={"task": 3})
    assert game._state.deals == first
    other = played(game, {"player_0": "simple", "player_1": "strong"})
    assert sum(one.values()) == sum(other.values()) == 0


def test_a_word_that_means_another_act_here_is_refused() -> None:
    """Facing a bet `check` does not fold; without one `call` does not bet and `fold` does not check."""
    game = agentgym.make("KuhnPoker-v0").unwrapped
    game.reset(seed=0)
    first, second = game.to_act[0], next(each for each in game.possible_agents if each != game.to_act[0])
    for word in ("call", "fold"):
        game.step(word)
        assert game.to_act == [first]
        assert f"There is no bet to {word}" in game.infos[first]["error"]
    game.step("bet")
    game.step("I think.\nCheck.")
    assert game.to_act == [second]
    assert "There is a bet, so you cannot check" in game.infos[second]["error"]
    game.step("**Fold**.")
    assert f"{second} folds." in game.observe(first)["text"]
