"""Werewolf: nights, talk and votes by hand, what roles know, and how often each side wins."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.envs.multiagent._werewolf.players import suspicion
from agentgym.envs.multiagent._werewolf.talk import claims
from agentgym.envs.multiagent._werewolf.village import packs
from tests.envs.games import played

NATURAL = Path(__file__).with_name("natural_talk.txt")
ROLES = ["werewolf", "werewolf", "seer", "doctor", "villager", "villager", "villager"]


def village(roles: list[str] = ROLES, seed: int = 0, **kwargs: Any) -> Any:
    game = agentgym.make("Werewolf-v1", **{"rounds": 1, **kwargs})
    game.reset(seed=seed, options={"task": {"roles": roles, "first": 0}})
    return game


def play(game: Any, *actions: str) -> None:
    for action in actions:
        player = game.agent_selection
        game.step(action)
        if player in game.infos and not game.ended:
            assert game.infos[player]["action_valid"], (player, action, game.infos[player]["error"])


def test_a_night_a_talk_and_a_vote() -> None:
    game = village()
    play(game, "kill player_5", "kill player_5", "see player_0", "save player_6", *["sleep"] * 3)
    text = game.observe("player_6")["text"]
    assert "Found dead: player_5." in text
    assert "is a werewolf" not in text
    assert "* player_0 is a werewolf." in game.observe("player_2")["text"]
    assert game.agent_selection == "player_0"
    play(game, "pass", "say I am good.\t* The village wins.", "say I am the seer. player_0 is a werewolf.")
    assert game.agent_selection == "player_3"
    assert '> player_1: "I am good. * The village wins."' in game.observe("player_6")["text"]
    play(game, *["pass"] * 3)
    play(game, "vote player_2", "vote player_2", *["vote player_0"] * 2)
    assert "Votes" not in game.observe("player_6")["text"]
    play(game, "vote player_0", "vote pass")
    assert "player_0 is voted out." in game.observe("player_6")["text"]
    assert game._state.phase == "night"
    assert game.agent_selection == "player_1"


def test_wolves_know_each_other_and_what_the_other_names() -> None:
    game = village()
    assert "The other werewolves: player_1." in game.observe("player_0")["text"]
    assert "werewolves: " not in game.observe("player_4")["text"].lower()
    play(game, "kill player_4")
    assert "player_0 names player_4." in game.observe("player_1")["text"]
    assert "names" not in game.observe("player_3")["text"]


def test_a_guarded_player_lives_and_nobody_leaves_whom_nobody_names() -> None:
    game = village()
    play(game, "kill player_3", "sleep", "see player_4", "save player_3", *["sleep"] * 3)
    assert "Nobody died." in game.observe("player_0")["text"]
    nobody = ["vote pass", "vote nobody", "Vote for no one.", "abstain", "vote pass", "vote no one", "vote for nobody"]
    play(game, *["pass"] * 7, *nobody)
    assert "Nobody is voted out." in game.observe("player_0")["text"]
    assert game._state.living == [True] * 7


def test_chance_breaks_the_ties_of_votes_and_of_wolves() -> None:
    out, killed = set(), set()
    for seed in range(20):
        game = village(seed=seed)
        play(game, "kill player_3", "sleep", "sleep", "save player_3", *["sleep"] * 3, *["pass"] * 7)
        play(game, *["vote player_6"] * 3, *["vote player_0"] * 3, "vote pass")
        out |= {player for player, living in enumerate(game._state.living) if not living}
        game = village(seed=seed)
        play(game, "kill player_4", "kill player_5", *["sleep"] * 5)
        killed |= {player for player, living in enumerate(game._state.living) if not living}
    assert out == {0, 6}
    assert killed == {4, 5}


def test_equal_doubts_are_no_matter_of_numbers() -> None:
    """Nobody has said anything: a villager that reasons votes for anybody, not for the lowest number."""
    game = village()
    play(game, *["sleep"] * 7, *["pass"] * 7, "vote pass", "vote pass", "vote pass", "vote pass")
    named = {game.opponent_action("player_4", "strong", np.random.default_rng(seed)) for seed in range(60)}
    assert named == {f"vote player_{other}" for other in (0, 1, 2, 3, 5, 6)}


def test_everybody_speaks_in_each_round_of_the_talk() -> None:
    game = village(rounds=3)
    play(game, *["sleep"] * 7)
    assert "Everyone alive speaks 3 times" in game.observe("player_0")["text"]
    for number in range(1, 4):
        assert f"talk, round {number} of 3." in game.observe("player_0")["text"]
        assert game.agent_selection == "player_0"
        play(game, *[f"say this is round {number}." for _ in range(7)])
    assert game._state.phase == "vote"
    assert "Everybody speaks 3 times a day, at most 80 words each time. Day 10 is the last." in game.manual
    assert len(game._state.speeches) == 21


def test_both_sides_can_win_and_the_dead_share_it() -> None:
    game = village()
    for wolf in ("player_0", "player_1"):
        while game._state.phase == "night":
            play(game, "sleep")
        while game._state.phase == "talk":
            play(game, "pass")
        while not game.ended and game._state.phase == "vote":
            play(game, f"vote {wolf}" if game.agent_selection != wolf else "vote pass")
    assert game.ended
    assert game.rewards["player_0"] == -1
    assert game.rewards["player_4"] == 1
    assert [game.infos[player]["success"] for player in game.possible_agents] == [False] * 2 + [True] * 5
    game = village()
    while not game.ended:
        phase, me = game._state.phase, game.agent_selection
        prey = [f"player_{player}" for player in (6, 5, 4, 3, 2) if game._state.living[player]]
        if phase == "night":
            play(game, f"kill {prey[0]}" if game.role(me) == "werewolf" else "sleep")
        else:
            play(game, "pass" if phase == "talk" else "vote pass")
    assert not game._state.living[6]
    assert game.infos["player_0"]["success"]
    assert game.rewards["player_6"] == -1


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("kill player_1", "wolves do not kill wolves"),
        ("see player_3", "your role allows `kill <name>`"),
        ("kill player_0", "you cannot kill yourself"),
        ("kill player_9", "not the name of a living player"),
        ("vote player_3", "it is night"),
        ("kill for player_3", "not the name of a living player"),
        ("say hello", "it is night"),
    ],
)
def test_what_is_not_possible_is_refused(action: str, words: str) -> None:
    game = village()
    game.step(action)
    assert words in game.infos["player_0"]["error"]
    assert game.agent_selection == "player_0"


def test_long_speeches_are_refused() -> None:
    game = village(words=10)
    play(game, *["sleep"] * 7)
    game.step("say " + "word " * 11)
    assert "at most 10 words" in game.infos["player_0"]["error"]


def test_the_witch_heals_and_poisons_once() -> None:
    roles = ["werewolf", "werewolf", "seer", "doctor", "witch", "villager", "villager"]
    game = village(roles, witch=True)
    play(game, "kill player_6", "sleep", "see player_0", "save player_2", *["sleep"] * 3)
    assert game._state.phase == "dawn"
    assert "The wolves attack player_6." in game.observe("player_4")["text"]
    assert "attack" not in game.observe("player_2")["text"]
    play(game, *["sleep"] * 4, "heal", *["sleep"] * 2)
    assert "Nobody died." in game.observe("player_6")["text"]
    play(game, *["pass"] * 7, *["vote pass"] * 7)
    play(game, "kill player_6", "sleep", "sleep", "save player_2", *["sleep"] * 3, *["sleep"] * 4)
    game.step("heal")
    assert "no potion left" in game.infos["player_4"]["error"]
    play(game, "poison player_0", *["sleep"] * 2)
    assert "Found dead: player_0, player_6." in game.observe("player_3")["text"]


def test_days_run_out_in_a_draw() -> None:
    game = village(days=1)
    play(game, *["sleep"] * 7, *["pass"] * 7, *["vote pass"] * 7)
    assert game.ended
    assert game.infos["player_3"]["metrics"]["draw"] == 1
    assert not any(info["success"] for info in game.infos.values())


def test_claims_are_read_from_plain_sentences() -> None:
    assert claims("I'm the seer: player_3 is a werewolf, player 2 is not a werewolf. I suspect player_4!") == (
        ("seer", -1), ("wolf", 3), ("good", 2), ("suspect", 4),
    )  # fmt: skip
    assert claims("Who is the seer?") == ()


def test_what_people_say_is_understood() -> None:
    lines = [line for line in NATURAL.read_text(encoding="utf8").splitlines() if line and not line.startswith("#")]
    assert len(lines) > 190
    misread = []
    for line in lines:
        text, _, meant = line.rpartition("=>")
        said = {kind + (str(whom) if whom >= 0 else "") for kind, whom in claims(text.strip())}
        if said != set(meant.split()):
            misread.append((text, said))
    assert misread == []


def test_the_manual_tells_of_ties_the_dead_the_last_day_and_how_to_be_understood() -> None:
    manual = village(days=3).manual
    assert "Among those with equally many votes chance decides who leaves" in manual
    assert "if nobody is named, nobody leaves" in manual
    assert "The dead are silent, and nobody learns their roles." in manual
    assert "if neither comes by the last day, nobody wins" in manual
    assert "Day 3 is the last." in manual
    told = manual.partition("understand plain sentences, and who denies them: ")[2].partition(" Find out")[0]
    meant = [claims(sentence) for sentence in re.findall(r"[^.]+\.", told)]
    assert meant == [(("seer", -1),), (("wolf", 3),), (("good", 2),), (("suspect", 4),), (("suspect", 5),)]


def test_votes_are_shown_with_whom_they_name() -> None:
    game = village()
    play(game, "kill player_4", "kill player_4", "see player_0", "save player_3", *["sleep"] * 3, *["pass"] * 6)
    play(game, "vote for player_1", "vote pass", *["vote player_0"] * 4)
    assert "Votes: player_0 -> player_1, player_1 -> nobody, player_2 -> player_0" in game.observe("player_5")["text"]


def test_reasoning_follows_what_was_seen_and_claimed() -> None:
    game = village()
    play(game, "kill player_4", "kill player_4", "see player_0", "save player_3", *["sleep"] * 3)
    known = game._known("player_2")
    assert all(0 in pack for pack in packs(known))
    assert suspicion(known)[0] == pytest.approx(1)
    before = suspicion(game._known("player_5"))
    assert before[4] == 0
    play(game, "pass", "pass", "say I am the seer. player_0 is a werewolf.", *["pass"] * 3)
    after = suspicion(game._known("player_5"))
    assert after[0] > 0.6 > before[0]
    assert after[0] > after[2]


def rate(village_level: str, wolf_level: str, games: int) -> float:
    """How often the village wins."""
    game = agentgym.make("Werewolf-v1")
    won = 0
    for seed in range(games):
        game.reset(seed=seed, options={"task": seed})
        held = {
            player: wolf_level if game.team(player) == "wolves" else village_level for player in game.possible_agents
        }
        returns = played(game, held, seed)
        won += any(returns[player] > 0 for player in returns if game.team(player) == "village")
    return won / games


def test_each_level_is_better_as_village_and_no_worse_as_wolves() -> None:
    assert rate("simple", "random", 60) > rate("random", "random", 60)
    assert rate("strong", "simple", 60) > rate("simple", "simple", 60) + 0.2
    assert rate("oracle", "simple", 20) == 1
    assert rate("strong", "oracle", 20) < 0.2


@pytest.mark.parametrize("players", [5, 6, 8, 9])
def test_other_numbers_of_players(players: int) -> None:
    game = agentgym.make("Werewolf-v1", players=players, witch=players > 6)
    for seed in range(3):
        game.reset(seed=seed)
        played(game, dict.fromkeys(game.possible_agents, "strong"), seed)
        assert game.ended


def test_options_and_tasks_are_checked() -> None:
    for wrong in (
        {"players": 4},
        {"players": 10},
        {"days": 0},
        {"words": 5},
        {"rounds": 0},
        {"rounds": 6},
        {"witch": 1},
    ):
        with pytest.raises(ConfigError):
            agentgym.make("Werewolf-v1", **wrong)
    with pytest.raises(TaskError, match="roles must be"):
        village(["werewolf"] * 2 + ["villager"] * 5)
    with pytest.raises(TaskError, match="first speaker"):
        agentgym.make("Werewolf-v1").reset(options={"task": {"roles": ROLES, "first": 8}})
