"""Liar's dice of more players and dice: rules against OpenSpiel and a plain reading, texts, and graded players."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.rng import stream
from agentgym.envs.multiagent._dice_table import Seen, _tails, careful, is_true
from tests.envs.games import leads

TABLES = list(itertools.product(range(2, 7), range(1, 6)))


def _task(players: int, dice: int, faces: int, *throws: str) -> dict[str, Any]:
    return {"task": {"players": players, "dice": dice, "faces": faces, "throws": list(throws)}}


@pytest.mark.parametrize("dice", range(1, 6))
def test_two_players_play_by_the_rules_of_openspiel(dice: int) -> None:
    """Legal bids at every step and the returns, against OpenSpiel's liars_dice with as many dice."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = stream("tests.liars_dice", dice)
    engine = pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides=6)")
    game = agentgym.make("LiarsDice-v0", dice=dice)
    for _ in range(60):
        node, thrown = engine.new_initial_state(), ""
        while node.is_chance_node():
            move = int(rng.choice(node.legal_actions()))
            thrown += node.action_to_string(move).split()[-1]
            node.apply_action(move)
        faces = [int(face) for face in thrown]
        rolls = faces if dice == 1 else [*sorted(faces[:dice]), *sorted(faces[dice:])]
        task = _task(2, dice, 6, "".join(map(str, rolls)))
        if dice == 1:
            task = {"task": {"faces": 6, "throws": task["task"]["throws"]}}
        game.reset(options=task)
        while not node.is_terminal():
            place = game.possible_agents.index(game.agent_selection)
            assert place == node.current_player()
            words = {}
            for move in node.legal_actions():
                said = "liar" if move == 12 * dice else f"bid {move // 6 + 1} {move % 6 + 1}"
                words[said] = move
            assert sorted(words) == game.admissible_actions(game.agent_selection)
            low = list(words)[: int(rng.integers(1, 9))] if rng.random() < 0.7 else list(words)
            said = low[int(rng.integers(len(low)))] if rng.random() < 0.8 else list(words)[-1]
            node.apply_action(words[said])
            game.step(said)
        assert [game.rewards[player] for player in game.possible_agents] == node.returns()


def _referee(players: int, dice: int, faces: int, throw: str, first: int, acts: list[str]) -> dict[int, int]:
    """Who wins and who loses a round, read off the rules in the plainest words."""
    held = [throw[dice * place : dice * (place + 1)] for place in range(players)]
    count = face = 0
    bidder = -1
    for number, act in enumerate(acts):
        who = (first + number) % players
        if act == "liar":
            shown = sum(each.count(str(face)) + (each.count(str(faces)) if face < faces else 0) for each in held)
            return {bidder: 1, who: -1} if shown >= count else {who: 1, bidder: -1}
        more, other = (int(part) for part in act.split()[1:])
        assert more > count or (more == count and other > face), "bids rise"
        count, face, bidder = more, other, who
    raise AssertionError("nobody doubted")


@pytest.mark.parametrize(("players", "dice"), TABLES)
def test_every_table_is_played_to_its_end_by_the_rules(players: int, dice: int) -> None:
    """Random, scripted, expert and oracle players in turn; every round against the referee, wins and losses equal."""
    faces = 3 + (players + dice) % 4
    game = agentgym.make("LiarsDice-v0", players=players, dice=dice, faces=faces, rounds=4, split="val")
    levels = [*game.unwrapped.opponents, "expert", "oracle"]
    for number in range(3):
        game.reset(seed=number, options={"task": number})
        throws = game.unwrapped.task.spec["throws"]
        totals, acts, rng = Counter[str](), list[str](), stream("tests.liars_dice.table", players, dice, number)
        rounds = 0
        while not game.ended:
            player = game.agent_selection
            level = levels[(game.possible_agents.index(player) + number) % len(levels)]
            if level in game.unwrapped.opponents:
                act = game.opponent_action(player, level, rng)
            else:
                act = getattr(game, f"{level}_action")(player)
            assert act in game.admissible_actions(player)
            game.step(act)
            acts.append(act)
            if act == "liar":
                wanted = _referee(players, dice, faces, throws[rounds], rounds % players, acts)
                found = {place: game.rewards[who] for place, who in enumerate(game.possible_agents)}
                assert found == {place: wanted.get(place, 0) for place in found}
                totals.update(game.rewards)
                acts, rounds = [], rounds + 1
        assert rounds == 4
        best = [who for who in game.possible_agents if totals[who] == max(totals.values())]
        successes = [who for who in game.possible_agents if game.infos[who]["success"]]
        assert successes == (best if len(best) == 1 else [])
        assert game.infos["player_0"]["metrics"]["draw"] == float(len(best) > 1)


def test_the_texts_of_a_table() -> None:
    game = agentgym.make("LiarsDice-v0", players=3, dice=2)
    manual = game.unwrapped.player_manual("player_0")
    assert "<count> is a whole number from 1 to 6, <face> one from 1 to 6" in manual
    assert "all 3 players throw 2 dice" in manual
    game.reset(options=_task(3, 2, 6, "255361", "111111"))
    text = game.observe("player_1")["text"]
    assert "You throw 5 3." in text
    assert "Your dice: 5 3." in text
    assert "Play a match of liar's dice of 3 players over 2 rounds with 2 dice of 6 faces each" in text
    game.step("4-5")
    game.step("liar")
    text = game.observe("player_2")["text"]
    assert "The dice are 2 5 (player_0), 5 3 (player_1) and 6 1 (player_2).\n* The bid was a lie." in text
    assert "player_1 wins the round from player_0." in text
    assert game.rewards == {"player_0": -1.0, "player_1": 1.0, "player_2": 0.0}
    assert game.agent_selection == "player_1"


def test_bids_out_of_range_are_refused_with_a_reason() -> None:
    game = agentgym.make("LiarsDice-v0", players=3, dice=2, faces=4, tries=9)
    game.reset(seed=1)
    for action, reason in (
        ("bid 7 1", "there are 6 dice; bid from 1 to 6 of them"),
        ("bid 0 1", "there are 6 dice"),
        ("bid 1 5", "the dice have 4 faces"),
        ("bid two 3", "count and face are whole numbers, such as bid 1 1"),
        ("liar", "no bid to doubt"),
    ):
        game.step(action)
        assert reason in game.infos["player_0"]["error"]


def test_bad_tasks_and_options_are_one_line() -> None:
    game = agentgym.make("LiarsDice-v0", players=3, dice=2)
    for task, reason in (
        (_task(3, 2, 6, "12345"), "throw 0 must be 6 of the faces 123456, such as '123456'"),
        (_task(4, 2, 6, "12345612"), "the task is for players=4, this game has players=3"),
        (_task(3, 1, 6, "123"), "the task is for dice=1, this game has dice=2"),
        (_task(3, 2, 5, "123451"), "make it with faces=5"),
        ({"task": {"faces": 6, "throws": ["12"]}}, "the task is for players=2"),
    ):
        with pytest.raises(TaskError, match=reason) as refused:
            game.reset(options=task)
        assert "\n" not in str(refused.value)
    for options, reason in (
        ({"players": 7}, "players must be a whole number from 2 to 6, got 7"),
        ({"players": 1}, "players must be a whole number from 2 to 6"),
        ({"dice": 0}, "dice must be a whole number from 1 to 5"),
        ({"dice": 2.0}, "dice must be a whole number from 1 to 5"),
    ):
        with pytest.raises(ConfigError, match=reason):
            agentgym.make("LiarsDice-v0", **options)


@pytest.mark.parametrize("seen", [Seen(4, 2, (1, 4), 0), Seen(3, 3, (2,), 0b1), Seen(6, 2, (6, 2), 0)])
def test_odds_without_bids_of_others_are_those_of_all_throws(seen: Seen) -> None:
    """Against counting every throw of the other dice; a bid by the player itself tells it nothing."""
    others = (seen.players - 1) * len(seen.dice)
    if seen.bids:
        seen = seen._replace(bids=0)
    odds = _tails(seen, own=True)
    throws = list(itertools.product(range(1, seen.faces + 1), repeat=others))
    for bid in range(seen.top):
        true = sum(is_true(bid, seen.faces, (*seen.dice, *throw)) for throw in throws)
        assert odds[bid] == pytest.approx(true / len(throws))


def test_the_careful_player_doubts_what_cannot_be_and_not_what_it_holds() -> None:
    cannot, holds = Seen(6, 2, (1, 2, 3), 1 << 5 * 6 + 4), Seen(6, 2, (5, 5, 6), 1 << 2 * 6 + 4)  # six 5s, three 5s
    assert careful(cannot) == {cannot.top: 1.0}
    assert careful(holds) != {holds.top: 1.0}


@pytest.mark.parametrize(("players", "dice"), [(2, 5), (3, 1), (3, 2), (4, 3), (6, 5)])
@pytest.mark.parametrize(("better", "worse"), [("simple", "random"), ("strong", "simple")])
def test_each_opponent_beats_those_below(players: int, dice: int, better: str, worse: str) -> None:
    """One better player among worse ones, from every place; the mean lead is above zero at 99 %."""
    game = agentgym.make("LiarsDice-v0", players=players, dice=dice, split="test")
    found = leads(game, better, worse, 40)
    assert np.mean(found) > 2.576 * np.std(found) / np.sqrt(len(found)), (np.mean(found), np.std(found))
