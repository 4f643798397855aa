"""The variants with hidden rules: what is exchanged, what is told, splits of boards and rules, changes, the expert."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games._hidden import AIM, NO_TALLY, Hidden, arrange, findings
from agentgym.envs.games.lights_out_hidden import turned

WORLDS = ("FrozenLake", "LightsOut", "Maze", "Sokoban")
WALKS = ("FrozenLake", "Maze", "Sokoban")
RULE = {"words": {"left": "down", "down": "right", "right": "up", "up": "left"}, "signs": "P_OG"}
EASY = {"FrozenLake": 0.6, "LightsOut": 1.0, "Maze": 1.0, "Sokoban": 0.7}  # what the expert reaches at least, of 40


def make(world, **kwargs):
    return gym.make(f"AgentGym/{world}Hidden-v0", **kwargs).unwrapped


def rules(env, split, count):
    panel = env.tasks(split)
    return [{key: value for key, value in panel[place].spec["rule"].items() if key != "rank"} for place in range(count)]


def test_arrangements_are_all_there_and_the_first_is_as_things_stand():
    found = {"".join(arrange(rank, "abcd")) for rank in range(factorial(4))}
    assert found == {"".join(order) for order in permutations("abcd")}
    assert arrange(0, "abcd") == list("abcd")


def test_the_symmetries_of_the_square_are_eight_different_ones():
    seen = {tuple(turned(turn, cell, 4) for cell in range(16)) for turn in range(8)}
    assert len(seen) == 8
    assert all(sorted(way) == list(range(16)) for way in seen)
    assert tuple(turned(0, cell, 4) for cell in range(16)) == tuple(range(16))


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_of_the_rules_is_told(world):
    env = make(world, split="val")
    text, info = env.reset(seed=0)
    assert text.startswith(AIM)
    assert info["instruction"] == AIM
    for word in ("goal", "hole", "wall", "box", "target", "push", "light", "mirror"):
        assert word not in f"{text}\n{env.manual}".lower()
    rng = np.random.default_rng(0)
    while not env.ended:
        text, reward, terminated, _, info = env.step(env.sample_action(rng))
        assert text.splitlines()[0] == f"Reward: {reward:g}.{' The game is over.' if terminated else ''}"
        assert (info["action_valid"], info["error"], info["events"]) == (True, "", [])


def test_words_lead_where_the_rule_says_and_signs_are_exchanged():
    env = make("FrozenLake")
    rows = ["FFF", "FSF", "HFG"]
    env.reset(options={"task": {"rows": rows, "slippery": False, "rule": {**RULE, "signs": "GP_O"}}})
    assert env.step("right")[0] == "Reward: 0.\nP G P\nP P P\n_ P O"
    assert env.step("go down")[0] == "Reward: 0.\nP P G\nP P P\n_ P O"
    assert env.step("up")[0] == "Reward: 0.\nP G P\nP P P\n_ P O"
    env.step("left")
    text, reward, terminated, _, info = env.step("left")
    assert (reward, terminated) == (0.0, False)
    text, reward, terminated, _, info = env.step("down")
    assert (text.splitlines()[0], reward, info["success"]) == ("Reward: 1. The game is over.", 1.0, True)


@pytest.mark.parametrize("world", WALKS)
def test_an_action_without_effect_is_possible_and_costs_a_turn(world):
    env = make(world, split="val")
    blocked = 0
    for place in range(4):
        env.reset(options={"task": place})
        for action in env.admissible_actions():
            before, cell, turn = env.state_key(), env._place(), env.turn
            if env.ended:
                break
            *_, info = env.step(action)
            assert (info["action_valid"], env.turn) == (True, turn + 1)
            if env._place() == cell:
                blocked += 1
                assert env.state_key() == before
    assert blocked


def test_lights_are_switched_where_the_symmetry_says():
    env = make("LightsOut")
    base = {"rows": ["OO...", "O....", ".....", ".....", "....."]}
    env.reset(options={"task": {**base, "rule": {"turn": 1, "signs": ".O"}}})
    text, reward, *_, info = env.step("press 1 5")
    assert (reward, info["success"]) == (1.0, True)
    assert text.count("O") == 25
    assert env.reset(options={"task": {**base, "rule": {"turn": 4, "signs": "O."}}})[0].count("O") == 3
    assert not env.step("press 9 9")[4]["action_valid"]


@pytest.mark.parametrize("world", WORLDS)
def test_splits_share_no_board_and_no_rule(world):
    boards, seen = {}, {}
    for split in ("train", "val", "test"):
        env = make(world, split=split)
        panel = env.tasks(split)
        boards[split] = {env.content_key(panel[place].spec) for place in range(60)}
        seen[split] = {str(rule) for rule in rules(env, split, 60)}
    for one, other in (("train", "val"), ("train", "test"), ("val", "test")):
        assert not boards[one] & boards[other]
        assert not seen[one] & seen[other]
    env = make(world, split="train")
    task = make(world, split="val").tasks("val")[0]
    with pytest.raises(TaskError, match="held out"):
        env.tasks("train").by_id(task.id)


@pytest.mark.full
@pytest.mark.parametrize("world", WORLDS)
def test_a_rule_of_ones_own_holds_for_all_tasks_of_all_splits(world):
    found = {str(rules(make(world, split=split, rule=7), split, 20)) for split in ("train", "val", "test")}
    assert len(found) == 1
    assert len({str(rule) for rule in rules(make(world, rule=7), "train", 20)}) == 1
    others = {str(rules(make(world, rule=number), "train", 1)) for number in range(20)}
    assert len(others) > 5


@pytest.mark.parametrize("world", WORLDS)
def test_rules_change_after_as_many_tasks_as_asked(world):
    env = make(world, change_every=10, rule=3)
    found = [str(rule) for rule in rules(env, "train", 50)]
    phases = [set(found[start : start + 10]) for start in range(0, 50, 10)]
    assert all(len(phase) == 1 for phase in phases)
    assert len(set.union(*phases)) > 2
    for number, phase in enumerate(phases):
        assert {str(rule) for rule in rules(make(world, rule=3 + number), "train", 1)} == phase


def test_what_is_exchanged_can_be_chosen():
    names = ("left", "down", "right", "up")
    same = dict(zip(names, names, strict=True))
    for hide, many_words, many_signs in (
        ("untold", False, False),
        ("words", True, False),
        ("signs", False, True),
        ("both", True, True),
    ):
        found = rules(make("FrozenLake", hide=hide), "train", 200)
        words, signs = {str(rule["words"]) for rule in found}, {rule["signs"] for rule in found}
        assert len(words) > 12 if many_words else words == {str(same)}
        assert len(signs) > 12 if many_signs else signs == {"P_OG"}


@pytest.mark.parametrize("world", WORLDS)
def test_the_expert_finds_the_rules_and_random_actions_do_not(world):
    env = make(world)
    wins = {"expert": 0, "random": 0, "oracle": 0}
    for place in range(40):
        for agent in wins:
            rng = np.random.default_rng(place)
            env.reset(seed=place, options={"task": place})
            while not env.ended:
                action = env.sample_action(rng) if agent == "random" else getattr(env, f"{agent}_action")()
                *_, info = env.step(action)
            wins[agent] += info["success"]
    assert wins["oracle"] == 40
    assert wins["expert"] >= max(EASY[world] * 40, wins["random"] + 10)


def test_the_expert_of_a_walk_knows_no_more_than_was_seen():
    """Equal views and equal effects so far: equal actions, whatever the rule is that has not shown yet."""
    rows, said = ["FFFF", "FSFF", "FFFF", "FFFG"], set()
    for words in permutations(("left", "down", "right", "up")):
        env = make("FrozenLake")
        rule = {"words": dict(zip(("left", "down", "right", "up"), words, strict=True)), "signs": "P_OG"}
        env.reset(options={"task": {"rows": rows, "slippery": False, "rule": rule}})
        said.add(env.expert_action())
    assert len(said) == 1


def test_findings_follow_from_steps_seen_and_words_without_effect():
    tally = list(NO_TALLY)
    for word, way in ((0, 2), (1, 0)):
        tally[4 * word + way] = 1
    found = findings(tuple(tally), 0)
    assert (found.words, found.chances) == ((1, None, 0, None), {2: frozenset({1, 3}), 3: frozenset({1, 3})})
    assert findings(tuple(tally), 1 << 4 * 2 + 1).words == (1, 3, 0, 2)
    assert findings(NO_TALLY, 0).words == (None,) * 4


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"hide": "nothing"}, "hide must be"),
        ({"rule": -1}, "rule must be"),
        ({"change_every": 0}, "change_every must be"),
        ({"change_every": 5, "hide": "untold"}, "has no effect"),
    ],
)
def test_impossible_options_are_refused(wrong, said):
    with pytest.raises(ConfigError, match=said):
        make("Maze", **wrong)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({**RULE, "signs": "P_O"}, "arrangement"),
        ({**RULE, "words": {**RULE["words"], "up": "down"}}, "each direction once"),
        ({**RULE, "words": {**RULE["words"], "up": "away"}}, "up"),
    ],
)
def test_rules_that_exchange_nothing_rightly_are_refused(rule, said):
    with pytest.raises(TaskError, match=said):
        make("FrozenLake").reset(options={"task": {"rows": ["SFF", "FFF", "FFG"], "slippery": False, "rule": rule}})


def test_without_enough_rules_the_splits_share_them():
    assert Hidden(24, "P_OG").apart
    assert not Hidden(24, "P_OG", hide="untold").apart
    assert not Hidden(8, "O.", hide="signs").apart
    assert not Hidden(24, "P_OG", rule=1).apart


def test_on_slippery_ice_the_expert_still_learns_words():
    env, wins = make("FrozenLake", slippery=True, frozen=1.0), 0
    for place in range(20):
        env.reset(seed=place, options={"task": place})
        while not env.ended:
            *_, info = env.step(env.expert_action())
        wins += info["success"]
    assert wins >= 14
