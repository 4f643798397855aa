"""Countdown: answers in many forms, what each is paid, tasks with an answer, options."""

from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._formula import find, parse, solvable
from agentgym.envs.games.countdown import LEVELS

TASK = {"numbers": [3, 5, 2], "target": 4, "operators": "+-*/"}


def make(**kwargs):
    return gym.make("AgentGym/Countdown-v0", **kwargs).unwrapped


def answer(text, spec=TASK):
    env = make()
    env.reset(options={"task": spec})
    return env.step(text)


def test_the_view_is_the_originals():
    text, _ = make().reset(options={"task": TASK})
    assert "\nTarget: 4, nums: [3, 5, 2]\n" in text


@pytest.mark.parametrize(
    "text",
    [
        "answer 2 + 5 - 3", "2 + 5 - 3", "ANSWER: 2+5-3", "my answer is (2+5)-3", "2 + 5 - 3 = 4", "5 − 3 + 2",
        "the answer is 5-[3-2]", "answer 2+5-3=4",
    ],
)  # fmt: skip
def test_a_right_answer_in_many_forms(text):
    told, reward, terminated, _, info = answer(text)
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert "That is the target" in told


@pytest.mark.parametrize(
    ("text", "reward", "said"),
    [
        (
            "2 + 5 + 3",
            0.1,
            "2 + 5 + 3 = 10. Every number is used once, but that is not 4. Your answer gets 0.1 points.",
        ),
        ("5 / 3 * 2", 0.1, "= 10/3."),
        ("2 + 5 + 3 = 4", 0.1, "= 10."),
        ("2 + 2", 0.0, "does not use each of [3, 5, 2] exactly once"),
        ("4", 0.0, "does not use each of"),
        ("5 - 3 + 2 + 2 - 2", 0.0, "does not use each of"),
    ],
)
def test_wrong_answers(text, reward, said):
    told, paid, terminated, _, info = answer(text)
    assert (paid, terminated, info["success"], info["progress"]) == (reward, True, False, 0.0)
    assert said in told


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2 + 5 - x", "'x' is neither"),
        ("2 + ", "missing at its end"),
        ("5 / (3 - 3)", "divides by zero"),
        ("2 ** 5", "stands where a number"),
        ("2 + 5 - 3 = four", "'f' is neither"),
        ("= 4", "it is empty"),
        ("__import__('os')", "is neither"),
    ],
)
def test_what_is_no_formula_is_refused_and_may_be_mended(text, wrong):
    env = make()
    env.reset(options={"task": TASK})
    told, reward, terminated, _, info = env.step(text)
    assert (reward, terminated, info["action_valid"]) == (0.0, False, False)
    assert wrong in told
    assert env.step("2+5-3")[4]["success"]


def test_operators_outside_the_task_are_refused():
    told, _, _, _, info = answer("3 * 5 / 2", TASK | {"operators": "+-"})
    assert info["error"] == "* and / may not be used here, only + and -."
    assert "nums: [3, 5, 2]" in told


def test_what_is_refused_thrice_is_over_and_a_wrong_formula_is_final():
    env = make()
    env.reset(options={"task": TASK})
    assert [env.step("4!")[3] for _ in range(3)] == [False, False, True]
    env.reset(options={"task": TASK})
    env.step("2+5+3")
    assert env.step("2+5-3")[1:3] == (0.0, True)


@pytest.mark.parametrize("level", LEVELS)
def test_every_task_has_an_answer_of_its_level(level):
    env = make(level=level, split="val")
    options = LEVELS[level]
    seen = Counter()
    for place in range(4 if level == "expert" else 20):
        env.reset(options={"task": place})
        spec = env.task.spec
        assert (len(spec["numbers"]), spec["operators"]) == (options["count"], options["operators"])
        assert max(spec["numbers"]) <= options["largest"]
        assert 1 <= spec["target"] <= 100
        seen.update(parse(env.reference()).operators)
        assert env.step(env.oracle_action())[4]["success"]
    assert set(seen) <= set(options["operators"])
    assert len(seen) >= 2


def test_the_search_from_the_target_down_finds_what_exists_and_no_more():
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(20):
        numbers, target = rng.integers(1, 12, size=5).tolist(), int(rng.integers(200, 700))
        text = find(numbers, target, "+-*")
        assert bool(text) == solvable(numbers, target, "+-*")
        if text:
            found += 1
            assert parse(text).value == target
            assert sorted(parse(text).numbers) == sorted(numbers)
    assert 0 < found < 20


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"target": 999}, "no formula with"),
        ({"numbers": [3]}, "at least 2 items"),
        ({"numbers": [3, 0]}, "at least 1"),
        ({"operators": "**"}, "must be one of"),
    ],
)
def test_tasks_without_an_answer_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": TASK | change})


@pytest.mark.parametrize("wrong", [{"count": 1}, {"count": 7}, {"largest": 4}, {"operators": "+"}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="easy"):
        make(level="eazy")
