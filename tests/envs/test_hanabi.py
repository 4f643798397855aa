"""Hanabi: the deck, clues and what they leave possible, lives and points, and hands their owners do not see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError, UnknownName
from agentgym.envs.multiagent._hanabi.cards import deck, describe, name, number, possible, redraw
from tests.envs.games import played

SMALL = [
    "red 1",
    "yellow 3",
    "red 2",
    "yellow 1",
    "red 3",
    "red 1",
    "yellow 1",
    "red 4",
    "yellow 2",
    "red 5",
    "red 1",
    "red 2",
    "red 3",
    "red 4",
    "yellow 1",
    "yellow 2",
    "yellow 3",
    "yellow 4",
    "yellow 4",
    "yellow 5",
]
TASK = {"players": 2, "colors": 2, "hand": 2, "clues": 3, "lives": 2, "deck": SMALL}


def _game(**changes: Any) -> Any:
    game = agentgym.make("Hanabi-v0", level="small", tries=9)
    game.reset(options={"task": {**TASK, **changes}})
    return game


def test_cards_and_their_names() -> None:
    assert len(deck(5)) == 50
    assert all(number(name(card)) == card for card in deck(5))
    assert describe((0b11, 0b11111), 2) == "nothing known"
    assert describe((0b01, 0b10001), 2) == "red, 1 or 5"
    assert [name(card) for card in possible((0b10, 0b11))] == ["yellow 1", "yellow 2"]


def test_a_redrawn_hand_fits_what_was_told_and_loses_no_card() -> None:
    rng = np.random.default_rng(0)
    told = [(0b00001, 0b00001, False), (0b11111, 0b00001, False), (0b11110, 0b11110, True)]
    cards = [number(text) for text in ("red 1", "blue 1", "green 5", "red 2", "white 4")]
    seen = set()
    for _ in range(50):
        hand, rest = redraw(told, cards, rng)
        assert all(card in possible(facts) for card, facts in zip(hand, told, strict=True))
        assert sorted([*hand, *rest]) == sorted(cards)
        seen.add(hand[2])
    assert seen == {number("green 5"), number("white 4")}


def test_clues_tell_of_touched_cards_and_of_the_others() -> None:
    game = _game()
    assert "1: red 2 (nothing known); 2: yellow 1 (nothing known)" in game.observe("player_0")["text"]
    assert "red 2" not in game.observe("player_1")["text"].split("Fireworks")[-1]
    game.step("hint player_1 red")
    text = game.observe("player_1")["text"]
    assert "player_0 tells player_1: red is card 1." in text
    assert "You know of your cards: 1: red; 2: yellow." in text
    assert "Clues: 2 of 3." in text
    game.step("clue player_0 3")
    assert "1: 1 or 2 or 4 or 5; 2: 3." in game.observe("player_0")["text"]


def test_the_manual_says_how_cards_are_numbered_and_what_a_clue_may_tell() -> None:
    """Each sentence, and that the game keeps to it."""
    game = _game()
    manual = game.manual
    assert "Cards are numbered from 1, the oldest, on; when one leaves a hand those behind it move up" in manual
    assert "the new card is the last" in manual
    hand = [name(card) for card in game._state.hands[0]]
    game.step("play 1")
    assert [name(card) for card in game._state.hands[0]][:-1] == hand[1:]
    assert "names one color or one rank that the other holds at least once" in manual
    assert "you cannot give yourself one, and none while no clue is left" in manual
    game.step("clue player_1 1")
    assert "another seat" in game.infos["player_1"]["error"]
    assert "Nothing is discarded while all clues are there" in manual
    game.step("discard 1")
    assert "nothing may be discarded" in game.infos["player_1"]["error"]


def test_plays_and_discards_do_what_the_rules_say() -> None:
    game = _game()
    game.step("play 1")
    assert game.rewards == {"player_0": 1.0, "player_1": 1.0}
    assert "player_0 plays its card 1: red 1. It fits." in game.observe("player_1")["text"]
    game.step("play 1")
    game.step("play 1")  # yellow 3
    assert "It does not fit; a life is lost." in game.observe("player_1")["text"]
    assert (game._state.fireworks, game._state.lives) == ([2, 0], 1)
    game.step("clue player_0 3")
    game.step("discard 1")
    assert game._state.clues == 3
    game.step("play 2")  # red 1
    assert game.ended
    assert game.rewards == {"player_0": -2.0, "player_1": -2.0}
    assert "all points with it" in game.observe("player_0")["text"]
    assert game.infos["player_0"]["progress"] == 0.0


def test_what_is_not_possible_is_refused_with_a_reason() -> None:
    game = _game(clues=1)
    for action, reason in (
        ("discard 1", "nothing may be discarded"),
        ("play 3", "you hold 2 cards"),
        ("play one", "you hold 2 cards"),
        ("clue player_0 red", "another seat: player_1"),
        ("clue player_1 5", "holds no such card"),
        ("clue player_1 purple", "no <what>"),
    ):
        game.step(action)
        assert reason in game.infos["player_0"]["error"]
    game.step("clue player_1 1")
    game.step("clue player_0 1")
    assert "no clue is left" in game.infos["player_1"]["error"]
    assert game.admissible_actions("player_1") == ["discard 1", "discard 2", "play 1", "play 2"]


@pytest.mark.parametrize("said", ["play card 2", "play my card 2", "play card number 2", "play #2"])
def test_a_card_may_be_called_a_card(said: str) -> None:
    played, called = _game(), _game()
    played.step("play 2")
    called.step(said)
    assert called._state == played._state
    called.step("play card 9")
    assert "name one by its number" in called.infos["player_1"]["error"]


def test_everybody_has_one_turn_after_the_last_card_is_drawn() -> None:
    game = _game()
    turns = 0
    while game._state.deck:
        game.step("discard 1" if game._state.clues < 3 else _clue(game))
    while not game.ended:
        game.step("discard 1" if game._state.clues < 3 else _clue(game))
        turns += 1
    assert turns == 2
    assert "The game ends with 0 points." in game.observe("player_0")["text"]


def _clue(game: Any) -> str:
    return next(action for action in game.admissible_actions(game.agent_selection) if action.startswith("clue"))


@pytest.mark.parametrize("players", [2, 3])
def test_each_team_beats_the_one_below(players: int) -> None:
    game = agentgym.make("Hanabi-v0", players=players)
    points: dict[str, list[float]] = {}
    for level in game.opponents:
        for seed in range(80 // (players - 1)):
            game.reset(seed=seed)
            points.setdefault(level, []).append(played(game, dict.fromkeys(game.possible_agents, level))["player_0"])
    for worse, better in (("random", "simple"), ("simple", "strong")):
        leads = np.subtract(points[better], points[worse])
        assert leads.mean() > 2.576 * leads.std() / np.sqrt(len(leads))


def test_complete_fireworks_are_a_success_of_everybody() -> None:
    game = agentgym.make("Hanabi-v0")
    for seed in range(10):
        game.reset(seed=seed)
        points = played(game, dict.fromkeys(game.possible_agents, "oracle"))["player_0"]
        assert all(game.infos[player]["success"] == (points == 25) for player in game.possible_agents)
        if points == 25:
            return
    pytest.fail("no game of ten was won by a player who sees its cards")


def test_bad_decks_and_options_are_refused() -> None:
    game = agentgym.make("Hanabi-v0", level="small")
    for changes, reason in (
        ({"deck": SMALL[1:]}, "must hold three 1s"),
        ({"deck": ["red 6", *SMALL[1:]]}, "a card is a color and a rank"),
        ({"players": 3}, "players=3"),
    ):
        with pytest.raises(TaskError, match=reason):
            game.reset(options={"task": {**TASK, **changes}})
    with pytest.raises(ConfigError, match="players"):
        agentgym.make("Hanabi-v0", players=6)
    with pytest.raises(UnknownName, match="level of Hanabi"):
        agentgym.make("Hanabi-v0", level="tiny")
