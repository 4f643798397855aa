"""Names of players: every game under other names than its own, and names that are refused."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, Grammar
from agentgym.core.errors import MissingExtra
from agentgym.envs import CARDS
from tests.core.worlds import Count

WORDS = ("Alice", "bob", "carol", "Dave", "erin", "frank", "grace")
FIXED = {"AgentGym/Mediation-v0", "AgentGym/Werewolf-v1"}  # their tasks name the players
GAMES = sorted(card.id for card in CARDS if card.api != "gymnasium" and not card.requires)


def made(name: str, **options: Any) -> Any:
    try:
        return agentgym.make(name, **options)
    except MissingExtra as missing:
        pytest.skip(str(missing))


def texts(game: Any) -> list[str]:
    """All that players are told now."""
    told = [game.render() or ""]
    for player in game.agents:
        grammar = game.player_grammar(player)
        told += [game.player_manual(player), grammar.line, *grammar.examples, str(grammar.tools)]
        told += [game.observe(player)["text"], str(game.infos[player]), *(game.admissible_actions(player) or ())]
    return told


@pytest.mark.parametrize("name", sorted(set(GAMES) - FIXED))
def test_a_game_calls_its_players_by_the_names_they_were_given(name: str) -> None:
    old = made(name).possible_agents
    names = [f"{word}_{place}" for place, word in enumerate(WORDS[: len(old)])]
    game = made(name, player_names=names, render_mode="ansi")
    assert game.possible_agents == names
    own = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, old))})(?!\w)")
    rng = np.random.default_rng(0)
    for seed, who in enumerate((None, *game.opponents, "expert")):
        game.reset(seed=seed)
        for _ in range(25):
            if game.ended:
                break
            assert not [text for text in texts(game) if own.search(text)]
            said = {}
            for player in game.to_act:
                listed = game.admissible_actions(player)
                if who is None:
                    said[player] = listed[int(rng.integers(len(listed)))] if listed else game.sample_action(player, rng)
                elif who == "expert":
                    said[player] = game.expert_action(player)
                else:
                    said[player] = game.opponent_action(player, who, rng)
            game.play(said)
            for player, action in said.items():
                assert game.standing(player)[3]["action_valid"], (action, game.standing(player)[3]["error"])


@pytest.mark.parametrize("name", GAMES)
def test_names_that_cannot_be_are_refused_in_one_line(name: str) -> None:
    old = made(name).possible_agents
    names = [f"{word}_{place}" for place, word in enumerate(WORDS[: len(old)])]
    wrong = (
        (names[:-1], "so player_names are"), ([*names, "zoe_9"], "so player_names are"),
        ([names[0].lower(), *names[:-1]], "a name of its own"), (["alice", *names[1:]], "a word and a number"),
        (["* You\nare_0", *names[1:]], "a word and a number"), ("ab"[: len(old)], None),
        ([5, *names[1:]], "a word and"),
    )  # fmt: skip
    for given, reason in wrong:
        with pytest.raises(ConfigError, match=reason) as refused:
            agentgym.make(name, player_names=given)
        assert "\n" not in str(refused.value)
    assert made(name, player_names=old).possible_agents == old
    if name in FIXED:
        with pytest.raises(ConfigError, match="its tasks name them"):
            agentgym.make(name, player_names=names)


def test_names_may_be_those_of_others() -> None:
    game = agentgym.make("Hanabi-v0", player_names=["player_1", "player_0"])
    assert game.player_grammar("player_1").examples[2:] == ("clue player_0 red", "clue player_0 3")
    plain = agentgym.make("Hanabi-v0")
    assert plain.grammar is type(plain).grammar
    assert plain.player_grammar("player_0").examples[2:] == ("clue player_1 red", "clue player_1 3")


def test_a_renamed_grammar_is_the_same_but_for_the_names() -> None:
    grammar = Count.grammar
    assert isinstance(grammar, Grammar)
    same, other = grammar.renamed(str), grammar.renamed(lambda text: text.replace("add", "ADD"))
    assert (same.manual, same.line) == (grammar.manual, grammar.line)
    assert other.line == grammar.line
    for example in itertools.chain(grammar.examples, ["hm"]):
        assert other.parse(example) == grammar.parse(example)
