"""Mastermind: marks, refusals, the expert's strength, and options."""

from itertools import product

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games.mastermind import COLORS, Codes, advice, compare

SPEC = {"code": ["red", "red", "blue", "green"], "colors": 6, "repeats": True, "turns": 10}


def make(**kwargs):
    return gym.make("AgentGym/Mastermind-v0", **kwargs).unwrapped


@pytest.mark.parametrize(
    ("guess", "marks"),
    [
        ("red red blue green", (4, 0)),
        ("red red red red", (2, 0)),
        ("blue red red yellow", (1, 2)),
        ("green blue red red", (0, 4)),
        ("white white black black", (0, 0)),
        ("blue blue blue red", (1, 1)),
    ],
)
def test_each_hidden_peg_explains_one_of_the_guess(guess, marks):
    assert compare(guess.split(), tuple(SPEC["code"])) == marks


def test_the_experts_arithmetic_is_the_rule():
    codes = Codes(3, 4, True)
    every = np.arange(64)
    for guess in codes.names[::5]:
        expected = [16 * place + elsewhere for place, elsewhere in
                    (compare(guess.split(), tuple(name.split())) for name in codes.names)]  # fmt: skip
        pegs = np.array([[COLORS.index(color) for color in guess.split()]], np.int8)
        assert codes.marks(pegs, every)[0].tolist() == expected
    assert len(Codes(3, 4, False).names) == 24


def test_an_episode_in_words():
    env = make()
    text, _ = env.reset(options={"task": SPEC})
    assert "Guesses left: 10" in text
    text, reward, *_ = env.step("Guess blue, red, red, yellow")
    assert (text, reward) == ("1. blue red red yellow -> 1 in place, 2 elsewhere\nGuesses left: 9", 0.0)
    text, *_, info = env.step("blue red red")
    assert text.startswith("3 colours are said; say 4 of: red, blue, green, yellow, white, black.")
    assert not info["action_valid"]
    assert env.step("[blue red red pink]")[0].startswith("'pink' is no colour in play")
    text, reward, terminated, _, info = env.step("[red red blue green]")
    assert text.endswith("2. red red blue green -> 4 in place, 0 elsewhere\nGuesses left: 6\nYou found the row.")
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_wrong_guesses_to_the_last_lose_without_telling_the_row():
    env = make()
    env.reset(options={"task": SPEC})
    for _ in range(10):
        text, reward, terminated, truncated, _ = env.step("guess white white black black")
        assert reward == 0.0
    assert (terminated, truncated) == (True, False)
    assert text.endswith("No guess is left; you have lost.")


def test_the_expert_needs_few_guesses():
    needed = []
    for code in list(product(COLORS[:6], repeat=4))[::29]:
        guesses, marks = [], []
        while not marks or marks[-1] != (4, 0):
            guesses.append(advice((4, 6, True), tuple(guesses), tuple(marks)))
            marks.append(compare(guesses[-1].split(), code))
        needed.append(len(guesses))
    assert max(needed) <= 6
    assert np.mean(needed) < 4.7  # the best possible mean over all rows is 4.34 (Koyama and Lai 1993)


@pytest.mark.parametrize(("level", "pegs", "colors"), [("easy", 3, 6), ("hard", 5, 8), ("bulls", 4, 10)])
def test_other_levels_are_won_by_the_expert(level, pegs, colors):
    env = make(level=level, split="val")
    for place in range(3):
        env.reset(options={"task": place})
        assert (len(env.task.spec["code"]), env.task.spec["colors"]) == (pegs, colors)
        assert level != "bulls" or len(set(env.task.spec["code"])) == 4
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"]


def test_too_many_rows_are_not_listed():
    env = make(pegs=5, colors=8)
    env.reset(seed=0)
    assert env.admissible_actions() is None
    small = make()
    small.reset(seed=0)
    assert len(small.admissible_actions()) == 6**4


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"code": ["red", "pink"]}, "no colour in play"),
        ({"repeats": False}, "may stand twice"),
        ({"code": ["red"] * 6, "colors": 10}, "1000000 rows"),
        ({"code": ["red"]}, "at least 2 items"),
    ],
)
def test_rows_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": SPEC | change})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="pegs must be a whole number from 2 to 6"):
        make(pegs=7)
    with pytest.raises(ConfigError, match="at most 50000 can be played"):
        make(pegs=6, colors=7)
    with pytest.raises(ConfigError, match="5 pegs of different colours need as many colours, got 4"):
        make(pegs=5, colors=4, repeats=False)
