"""EZPoints and Points24: the original's rules, its faults mended, and players that recover from odd beginnings."""

from itertools import product

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games._formula import parse

EZ = {"cards": ["H2", "C6"], "target": 12, "faces": "ten"}
FOUR = {"cards": ["HJ", "C6", "D2", "S2"], "target": 24, "faces": "ten"}
KINDS = ("EZPoints", "Points24")


def make(kind, **kwargs):
    return gym.make(f"AgentGym/{kind}-v0", **kwargs).unwrapped


def write(env, text, task):
    env.reset(options={"task": task})
    return [env.step(token) for token in text.split()][-1]


def test_the_view_is_the_originals():
    text, _ = make("EZPoints").reset(options={"task": EZ})
    assert "Cards: ['H2', 'C6']. Numbers: [2, 6]. Current formula: .\n" in text
    assert write(make("EZPoints"), "2 *", EZ)[0] == "Cards: ['H2', 'C6']. Numbers: [2, 6]. Current formula: 2*."
    assert "Numbers: [10, 6, 2, 2]" in make("Points24").reset(options={"task": FOUR})[0]


@pytest.mark.parametrize(
    ("kind", "task", "text", "reward", "said"),
    [
        ("EZPoints", EZ, "2 * 6 =", 10.0, "2*6=12. That is 12, and every card is used."),
        ("EZPoints", EZ, "write 6 * 2 =", 10.0, "6*2=12"),
        ("EZPoints", EZ, "2 + 6 =", 0.0, "2+6=8. That is not 12."),
        ("EZPoints", EZ, "2 * =", 0.0, "2* is no formula: a number or an opening bracket is missing at its end."),
        ("EZPoints", EZ, "=", 0.0, "Nothing is no formula: it is empty."),
        ("Points24", FOUR, "10 + 6 * 2 + 2 =", 10.0, "10+6*2+2=24. That is 24"),
        ("Points24", FOUR, "( 10 - 6 ) * 2 / 2 =", 0.0, "(10-6)*2/2=4. That is not 24."),
        ("Points24", FOUR, "2 * ( 6 + 10 ) / 2 =", 0.0, "=16. That"),
        ("Points24", FOUR, "10 / 6 =", 0.0, "10/6=5/3. That is not 24."),
        ("Points24", FOUR, "10 / ( 2 - 2 ) =", 0.0, "10/(2-2) is no formula: it divides by zero."),
    ],
)
def test_the_equals_sign_ends_the_game(kind, task, text, reward, said):
    env = make(kind)
    answer, paid, terminated, _, info = write(env, text.replace("write 6", "6"), task)
    assert said in answer
    assert (paid, terminated, info["success"]) == (reward, True, reward > 0)


def test_a_card_left_over_does_not_win():
    task = {"cards": ["HQ", "C2", "D2", "S6"], "target": 24, "faces": "own"}
    answer, reward, terminated, _, info = write(make("Points24"), "12 * 2 =", task)
    assert answer == "12*2=24, but not every card is used."
    assert (reward, terminated, info["success"]) == (0.0, True, False)


def test_a_number_without_a_card_is_refused_not_written_and_costs_a_turn():
    env = make("EZPoints")
    answer, _, _, _, info = write(env, "2 2", EZ)
    assert info["error"] == "2 is on no card that you have not used; numbers left: 6."
    assert answer.endswith("Current formula: 2.")
    env.reset(options={"task": EZ})
    for _ in range(10):
        _, reward, terminated, truncated, _ = env.step("7")
        assert reward == 0.0
    assert (terminated, truncated) == (False, True)


def test_signs_without_end_lose():
    for kind, task, limit in (("EZPoints", EZ, 5), ("Points24", FOUR, 20)):
        env = make(kind)
        env.reset(options={"task": task})
        for turn in range(limit + 1):
            answer, reward, terminated, *_ = env.step("+")
            assert terminated == (turn == limit)
        assert reward == 0.0
        assert answer.endswith(f"longer than {limit} numbers and signs; the game is over.")


def test_every_deal_has_a_solution_and_face_cards_count_as_the_level_says():
    for kind, level in product(KINDS, ("original", "faces")):
        env = make(kind, level=level)
        highest = 0
        for place in range(40):
            env.reset(options={"task": place})
            formula = parse(env.reference())
            assert formula.value == env.task.spec["target"]
            assert sorted(formula.numbers) == sorted(env._numbers)
            highest = max(highest, *env._numbers)
        assert highest <= (10 if level == "original" else 13)
        assert (level, kind) == ("faces", "EZPoints") or highest == (10 if level == "original" else 13)


def test_the_oracle_recovers_where_a_formula_can_still_end_well():
    env = make("Points24")
    for beginning in ("(", "( (", "2 *", "6 *", "( 6 *", "2", "10 +"):
        write(env, beginning, FOUR)
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"], beginning
    write(env, ") )", FOUR)
    assert env.oracle_action() == "="


def test_the_oracle_never_writes_what_is_refused():
    env = make("Points24")
    for seed in range(30):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        for _ in range(3):
            if not env.ended:
                env.step(env.sample_action(rng))
        while not env.ended:
            assert env.step(env.oracle_action())[4]["action_valid"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"cards": ["H2", "H2"]}, "dealt once"),
        ({"cards": ["HA", "CA"]}, "no formula over"),
        ({"cards": ["H2"]}, "at least 2 items"),
        ({"cards": ["H2", "X6"]}, "must be one of"),
        ({"target": 0}, "at least 1"),
        ({"faces": "eleven"}, "must be one of"),
    ],
)
def test_deals_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make("EZPoints").reset(options={"task": EZ | change})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="target must be a whole number from 1 to 100"):
        make("Points24", target=101)
    with pytest.raises(ConfigError, match="faces must be one of 'ten', 'own'"):
        make("Points24", faces="eleven")


def test_the_manual_lists_numbers_that_cards_can_have():
    for level, highest in (("original", "10"), ("faces", "13")):
        env = gym.make("AgentGym/Points24-v0", level=level).unwrapped
        listed = env.grammar.manual.split("is one of: ")[1].split(", +")[0].split(", ")
        assert listed[-1] == highest
        env.reset(seed=0)
        said = env.step("11")[0]
        assert ("is no <number or sign> of" in said) == (level == "original")
