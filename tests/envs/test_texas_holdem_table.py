"""Hold'em at a table, as it is played: texts, refusals, matches to their end by all players, and graded opponents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.hooks import clashes
from agentgym.core.rng import stream
from agentgym.envs.multiagent._holdem.ranking import DECK
from agentgym.envs.multiagent._holdem.table import HoldemTable
from tests.envs.games import leads, played

THREE = "Ac Ad 7h 8h Kc Kd As 2c 2d 9s Jh"  # aces, eight high, kings; the board pairs twos


def _game(*deals: str, **options: object) -> agentgym.core.LanguageAEC:
    game = agentgym.make("TexasHoldem-v0", **{"betting": "no-limit", "players": 3, "stack": 100, **options})
    made = game.unwrapped.config
    spec = {"betting": made.betting, "players": made.players, "stack": made.stack or 0, "deals": list(deals)}
    game.reset(options={"task": spec})
    return game


@pytest.mark.parametrize(("betting", "players"), [*product(("limit", "no-limit"), range(2, 7))])
def test_every_table_is_played_to_its_end(betting: str, players: int) -> None:
    """Random, scripted, expert and oracle players; what one wins in a hand the others lose, and nobody owes chips."""
    options = {} if betting == "limit" else {"stack": 60}
    game = agentgym.make("TexasHoldem-v0", betting=betting, players=players, hands=6, split="val", **options)
    levels = ["random", "simple", "strong", "expert", "oracle"]
    for number in range(3):
        game.reset(seed=number, options={"task": number})
        totals, rng = dict.fromkeys(game.possible_agents, 0.0), stream("tests.holdem.table", players, number)
        while not game.ended:
            player = game.agent_selection
            level = levels[(game.possible_agents.index(player) + number) % len(levels)]
            if level in game.unwrapped.opponents:
                act = game.opponent_action(player, level, rng)
            else:
                act = getattr(game, f"{level}_action")(player)
            game.step(act)
            assert game.infos[player]["action_valid"], (act, game.infos[player]["error"])
            assert sum(game.rewards.values()) == 0
            for each, reward in game.rewards.items():
                totals[each] += reward
        best = [who for who, won in totals.items() if won == max(totals.values())]
        assert [who for who in totals if game.infos[who]["success"]] == (best if len(best) == 1 else [])
        assert betting == "limit" or min(totals.values()) >= -60
        assert not game.infos["player_0"]["failure"]
        assert all(game.terminations.values()), "the match ends by itself"


def test_random_matches_end_by_themselves() -> None:
    """With the smallest and the largest stacks."""
    for stack, players in ((20, 6), (1000, 6), (1000, 2)):
        game = agentgym.make("TexasHoldem-v0", betting="no-limit", players=players, stack=stack, hands=20)
        for seed in range(2):
            game.reset(seed=seed)
            returns = played(game, dict.fromkeys(game.possible_agents, "random"), seed)
            assert sum(returns.values()) == 0
            assert all(game.terminations.values())


def test_a_hand_in_words() -> None:
    game = _game(THREE, THREE)
    assert game.agent_selection == "player_2", "the button is with player_2, who sits left of the big blind"
    text = game.observe("player_2")["text"]
    assert "player_0 puts in the small blind of 1, player_1 the big blind of 2; player_2 acts first." in text
    assert "Your cards: Kc Kd. It costs 2 to call. You may raise to any amount from 4 to 100." in text
    assert "Ac Ad" not in text
    game.step("bet 6")
    game.step("raise to 20")
    game.step("fold")
    game.step("all-in")
    text = game.observe("player_0")["text"]
    assert "player_2 raises to 100 and is all in." in text
    assert "It costs 80 to call.\n" in text, "nobody is left to raise"
    game.step("call")
    text = game.observe("player_1")["text"]
    assert (
        "player_2 shows Kc Kd: two pairs, kings and twos.\n* player_0 shows Ac Ad: a full house, aces over twos."
        in text
    )
    assert "player_0 wins the pot of 202 chips." in text
    assert "player_2 has no chips left." in text
    assert game.rewards == {"player_0": 102.0, "player_1": -2.0, "player_2": -100.0}
    assert "Hand 2 of 2 begins; player_0 has the button. player_0 puts in the small blind of 1" in text
    assert "You have no chips left." in game.observe("player_2")["text"]
    assert "You are dealt" not in game.observe("player_2")["text"].split("Hand 2")[-1]


def test_side_pots_in_words() -> None:
    game = _game(THREE, THREE, stack=100)
    for act in ("raise to 60", "fold", "fold"):
        game.step(act)
    assert (
        "player_2 gets back 58 chips that nobody called.\n* player_2 wins the pot of 5 chips."
        in game.observe("player_0")["text"]
    )
    assert game.rewards == {"player_0": -1.0, "player_1": -2.0, "player_2": 3.0}
    assert game.agent_selection == "player_0", "the button went on to player_0"
    for act in ("all-in", "all-in", "call"):
        game.step(act)
    text = game.observe("player_1")["text"]
    assert "player_1 calls 97 and is all in." in text
    assert "player_0 wins the main pot of 294 chips.\n* player_0 wins side pot 1 of 2 chips." in text
    assert game.rewards == {"player_0": 197.0, "player_1": -98.0, "player_2": -99.0}


def test_what_is_not_possible_is_refused_with_the_range() -> None:
    game = _game(THREE, tries=20)
    for action, reason in (
        ("raise to 3", "raise to a whole number from 4 to 100, such as: raise to 4."),
        ("raise to 101", "raise to a whole number from 4 to 100"),
        ("raise to ten", "raise to a whole number from 4 to 100"),
        ("raise to ²", "raise to a whole number"),
        ("check", "there is a bet of 2 to call; call, raise or fold."),
    ):
        game.step(action)
        assert reason in game.infos["player_2"]["error"], action
    for action in ("call", "call"):
        game.step(action)
    game.step("fold")
    assert "no bet to fold to" in game.infos["player_1"]["error"]


def test_after_three_refusals_the_default_is_played() -> None:
    """A table is made by the registered class and is none, so the test of all registered worlds does not see it."""
    assert clashes(HoldemTable) == []
    game = _game(THREE)
    player = game.agent_selection
    for _ in range(3):
        assert game.agent_selection == player
        game.step("raise to nothing")
    assert game.agent_selection != player
    assert "'fold' is played for you" in game.observe(player)["text"]
    assert not any(game.truncations.values())


def test_limited_bets_of_three_players() -> None:
    game = _game(THREE, betting="limit", stack=None)
    for action in ("raise", "raise", "raise"):
        game.step(action)
    game.step("raise")
    assert "this round has seen its 3 raises; call or fold." in game.infos["player_2"]["error"]
    text = game.observe("player_2")["text"]
    assert "put in this round: player_0 6, player_1 8, player_2 4. Raises this round: 3 of 3, of 2 each." in text


def test_bad_options_and_tasks_are_one_line() -> None:
    for options, reason in (
        ({"players": 7}, "players must be a whole number from 2 to 6, got 7"),
        ({"betting": "pot-limit"}, "betting must be one of 'limit', 'no-limit', got 'pot-limit'"),
        ({"betting": "no-limit", "stack": 5}, "stack must be a whole number from 20 to 1000, got 5"),
        ({"stack": 100}, "stack has no effect with limited bets"),
        ({"betting": "no-limit", "hands": 1}, "hands must be a whole number from 4 to 100"),
    ):
        with pytest.raises(ConfigError, match=reason) as refused:
            agentgym.make("TexasHoldem-v0", **options)
        assert "\n" not in str(refused.value)
    game = agentgym.make("TexasHoldem-v0", betting="no-limit", players=3)
    task = {"betting": "no-limit", "players": 3, "stack": 200, "deals": [THREE]}
    for change, reason in (
        ({"deals": [THREE + " 3c"]}, "deal 0 must be 11 different cards"),
        ({"deals": [THREE.replace("Ad", "Ac")]}, "deal 0 must be 11 different cards"),
        ({"players": 4}, "the task is for players=4, this game has players=3"),
        ({"stack": 100}, "the task is for stack=100, this game has stack=200"),
        ({"betting": "limit"}, "the task is for betting='limit'"),
    ):
        with pytest.raises(TaskError, match=reason):
            game.reset(options={"task": {**task, **change}})


def test_hidden_cards_tell_nothing() -> None:
    """After other cards are dealt to the others and to come, a player sees and does the same."""
    game = agentgym.make("TexasHoldem-v0", betting="no-limit", players=4, split="val")
    rng = stream("tests.holdem.hidden")
    for seed in range(4):
        game.reset(seed=seed, options={"task": seed})
        for _ in range(12):
            if game.ended:
                break
            player = game.agent_selection
            seen, expert = game.observe(player), game.expert_action(player)
            twin = agentgym.fork(game, reseed=1)
            twin.unwrapped._resample_hidden(player, rng)
            assert twin.observe(player) == seen
            assert twin.expert_action(player) == expert
            deal = twin.unwrapped._state.deals[twin.unwrapped._state.hand].split(" ")
            assert len(set(deal)) == 13
            assert set(deal) <= set(DECK)
            game.step(game.sample_action(player, rng))


@pytest.mark.full
@pytest.mark.parametrize(("betting", "players"), [("no-limit", 2), ("no-limit", 4), ("limit", 3), ("limit", 6)])
@pytest.mark.parametrize(
    ("better", "worse"), [("simple", "random"), pytest.param("strong", "simple", marks=pytest.mark.full)]
)
def test_each_opponent_beats_those_below(betting: str, players: int, better: str, worse: str) -> None:
    """One better player among worse ones, from every place; the mean lead is above zero at 99 %."""
    game = agentgym.make("TexasHoldem-v0", betting=betting, players=players, split="test")
    found = leads(game, better, worse, 200)
    assert np.mean(found) > 2.576 * np.std(found) / np.sqrt(len(found)), (np.mean(found), np.std(found))
