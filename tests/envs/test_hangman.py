"""Hangman: letters, words, lives, players, and guesses that must not pay."""

from collections import Counter

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.assets.words import load_words
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games.hangman import advice

SPEC = {"word": "letter", "tier": "common", "lives": 3}


def make(**kwargs):
    return gym.make("AgentGym/Hangman-v0", **kwargs).unwrapped


def play(env, *actions, **change):
    env.reset(options={"task": SPEC | change})
    return [env.step(action) for action in actions]


def test_letters_are_shown_wherever_they_stand():
    env = make()
    text, _ = env.reset(options={"task": SPEC})
    assert "Word: _ _ _ _ _ _\nWrong guesses: none. Lives left: 3." in text
    first, second, third = play(env, "guess T", "[s]", "e")
    assert first[0] == "'t' stands twice in the word.\nWord: _ _ t t _ _\nWrong guesses: none. Lives left: 3."
    assert second[0] == "'s' is not in the word.\nWord: _ _ t t _ _\nWrong guesses: s. Lives left: 2."
    assert third[4]["progress"] == pytest.approx(4 / 6)
    env.step("l")
    text, reward, terminated, _, info = env.step("r")
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    assert text.startswith("'r' stands once in the word. You win.\nWord: l e t t e r")


def test_the_whole_word_wins_and_a_wrong_one_costs_a_life():
    env = make()
    wrong, right = play(env, "guess better", "guess LETTER")
    assert wrong[0].startswith("'better' is not the word.\nWord: _ _ _ _ _ _\nWrong guesses: better. Lives left: 2.")
    assert right[:3] == ("'letter' is the word. You win.", 1.0, True)


def test_the_lives_run_out():
    env = make()
    text, reward, terminated, truncated, info = play(env, "a", "o", "guess matter")[-1]
    assert text.startswith("'matter' is not the word. No life is left; you lose.")
    assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False)
    assert "letter" not in text


@pytest.mark.parametrize("action", ["t", "guess t", "3", "é", "guess let", "guess letters", "e e", "ᵉ"])
def test_what_is_no_new_guess_costs_no_life(action):
    env = make()
    play(env, "t")
    _, _, terminated, _, info = env.step(action)
    assert not info["action_valid"]
    assert not terminated
    assert env._lives() == 3


def test_repeating_a_letter_that_is_there_pays_nothing():
    env = make()
    steps = play(env, *["e"] * 30)
    assert [step[4]["action_valid"] for step in steps] == [True] + [False] * 29
    assert sum(step[1] for step in steps) == 0.0
    assert steps[-1][2:4] == (False, True)


def test_the_experts_letter_is_in_most_of_the_words_left():
    words = load_words("common", 6)
    left = [w for w in words if w[0] == "l" and "l" not in w[1:] and "a" not in w]
    held = Counter(letter for word in left for letter in set(word) - {"l"})
    assert held[advice("common", "l_____", "al", ())] == max(held.values())
    assert advice("common", "l_tt_r", "lrt", ()) in "aei"
    assert advice("common", "letter", "elrt", ()) == "letter"


def test_more_lives_and_longer_words_make_it_easier():
    wins = {}
    for level in ("easy", "standard", "hard"):
        env = make(level=level, split="val")
        wins[level] = 0
        for place in range(60):
            env.reset(options={"task": place})
            while not env.ended:
                *_, info = env.step(env.expert_action())
            wins[level] += info["success"]
    assert wins["easy"] >= wins["standard"] > wins["hard"]


def test_levels_ask_for_words_of_their_lengths():
    for level, lengths in (("easy", range(7, 13)), ("standard", range(5, 13)), ("hard", range(3, 6))):
        env = make(level=level)
        found = {len(env.tasks("train")[place].spec["word"]) for place in range(200)}
        assert found <= set(lengths)
        assert len(found) > 2


@pytest.mark.parametrize(("change", "wrong"), [({"word": "zzzzz"}, "not among the common"), ({"lives": 0}, "at least")])
def test_words_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": SPEC | change})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="lives must be"):
        make(lives=0)
    with pytest.raises(ConfigError, match="shortest is 9, more than longest, 5; swap them"):
        make(shortest=9, longest=5)
