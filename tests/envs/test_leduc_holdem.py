"""Leduc hold'em: its exact value, the stored equilibrium's exploitability, and the cards that players never see."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.extensive import CHANCE, BestResponse, equilibrium, expected, exploitability
from agentgym.envs.multiagent._betting import RAISE, possible, standing
from agentgym.envs.multiagent._leduc import RULES, LeducTree, _stored, balanced, naive, uniform
from tests.envs.games import played

TREE = LeducTree()
VALUE = -0.085606  # of the first to act, chips a hand


def _sets(node: object = TREE.root) -> set[object]:
    player = TREE.player(node)  # type: ignore[arg-type]
    if player is None:
        return set()
    below = {each for _, after, _ in TREE.moves(node) for each in _sets(after)}  # type: ignore[arg-type]
    return below if player == CHANCE else below | {TREE.known(node)}  # type: ignore[arg-type]


def test_the_tree_has_the_published_information_sets_and_each_has_its_row() -> None:
    assert len(_sets()) == 288
    assert set(_stored()) == _sets()
    assert all(sum(shares.values()) == pytest.approx(1) for shares in _stored().values())


def test_the_stored_equilibrium_has_the_value_of_the_game_and_cannot_be_exploited() -> None:
    assert expected(TREE, [balanced, balanced]) == pytest.approx(VALUE, abs=1e-3)
    assert exploitability(TREE, balanced) < 1e-3
    assert BestResponse(TREE, 0, balanced).value == pytest.approx(VALUE, abs=2e-3)
    assert exploitability(TREE, naive) > 0.2
    assert exploitability(TREE, uniform) > 2


@pytest.mark.full
def test_cfr_finds_the_equilibrium_again() -> None:
    found = equilibrium(TREE, 80)
    assert exploitability(TREE, lambda known: found[known]) < 0.03


def test_each_opponent_beats_the_one_below_exactly() -> None:
    for better, worse in ((naive, uniform), (balanced, naive)):
        assert expected(TREE, [better, worse]) - expected(TREE, [worse, better]) > 0.2


def test_the_game_pays_what_the_tree_says() -> None:
    """Random betting over random deals, played in the environment, against the tree's payoff."""
    game = agentgym.make("LeducHoldem-v0")
    rng = np.random.default_rng(5)
    for seed in range(60):
        game.reset(seed=seed)
        first = game._state.deals[0].split(" ")
        total, betting = 0.0, ""
        game.reset(options={"task": {"deals": [game._state.deals[0]]}})
        while not game.ended:
            acts = possible(RULES, standing(RULES, betting))
            act = acts[int(rng.integers(len(acts)))]
            betting += act
            game.step({"f": "fold", "c": "call", "r": "raise"}[act])
            total += game.rewards["player_0"]
        assert total == TREE.payoff((first[0][0] + first[1][0], first[2][0], betting))
        assert game.infos["player_0"]["success"] == (total > 0)
        assert game.infos["player_0"]["metrics"] == {"draw": float(total == 0)}


def test_cards_are_shown_when_they_may_be() -> None:
    game = agentgym.make("LeducHoldem-v0")
    game.reset(options={"task": {"deals": ["Kh Js Ks", "Qh Jh Js"]}})
    assert "Your cards: Kh." in game.observe("player_0")["text"]
    assert "Js" not in game.observe("player_0")["text"].split("Hand 1")[-1]
    assert "Ks" not in game.observe("player_1")["text"].split("Hand 1")[-1]
    game.step("raise")
    game.step("call")
    assert "The board: Ks." in game.observe("player_1")["text"]
    game.step("bet")
    game.step("fold")
    text = game.observe("player_1")["text"]
    assert "player_0 wins 3 chips." in text
    assert "Kh" not in text
    assert game.agent_selection == "player_1"
    for action in ("check", "check", "check", "check"):
        game.step(action)
    assert "player_0 shows Qh: queen high." in game.observe("player_0")["text"]
    assert "player_1 shows Jh: a pair of jacks." in game.observe("player_0")["text"]
    assert game._state.chips == 2


def test_what_is_not_possible_is_refused_with_a_reason() -> None:
    game = agentgym.make("LeducHoldem-v0")
    game.reset(seed=1)
    for action, reason in (("fold", "no bet to fold to"), ("shove", "not an action here")):
        game.step(action)
        assert reason in game.infos["player_0"]["error"]
    for _ in range(RULES.caps[0]):
        game.step("raise")
    assert "raise" not in game.admissible_actions("player_0")
    game.step("raise")
    assert "2 raises" in game.infos["player_0"]["error"]
    game.step("check")
    assert "a bet of 2 to call" in game.infos["player_0"]["error"]
    game.step("")
    assert "'fold' is played for you" in game.observe("player_0")["text"]
    assert game._state.hand == 1
    assert RAISE not in possible(RULES, standing(RULES, "rr"))


def test_bad_deals_and_options_are_refused() -> None:
    game = agentgym.make("LeducHoldem-v0")
    for deal in ("Kh Kh Js", "Kh Js", "Kh  Js Qs", "Ah Js Qs"):
        with pytest.raises(TaskError, match="deal 0 must be 3 different cards"):
            game.reset(options={"task": {"deals": [deal]}})
    with pytest.raises(ConfigError, match="hands"):
        agentgym.make("LeducHoldem-v0", hands=3)


def test_the_same_match_can_be_played_as_either_player() -> None:
    game = agentgym.make("LeducHoldem-v0", split="test")
    for held in (("strong", "simple"), ("simple", "strong")):
        game.reset(seed=1, options={"task": 3})
        returns = played(game, dict(zip(game.possible_agents, held, strict=True)))
        assert sum(returns.values()) == 0
