"""Wordle: marks, the vocabulary, the redraw of the original, players, and guesses that must not pay."""

import itertools
from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.assets.words import load_words
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games._wordle.marks import Knowledge, mark
from agentgym.envs.games._wordle.player import Player, advice, codes

SPEC = {"word": "crane", "words": [], "tier": "common", "length": 5, "tries": 6, "redraw": False}
LIST = ["crane", "crate", "grape", "shire", "spike"]


def make(**kwargs):
    return gym.make("AgentGym/Wordle-v0", **kwargs).unwrapped


def consistent(words, guesses, marks):
    """The words that would have earned those marks."""
    return [
        word for word in words if all(mark(guess, word) == told for guess, told in zip(guesses, marks, strict=True))
    ]


@pytest.mark.parametrize(
    ("guess", "word", "marks"),
    [
        ("crane", "crane", "ggggg"),
        ("shire", "crane", "bbbyg"),
        ("geese", "crane", "bbbbg"),
        ("geese", "elder", "byybb"),
        ("allay", "label", "yyybb"),
        ("speed", "abide", "bbyby"),
        ("speed", "erase", "ybyyb"),
        ("sassy", "glass", "yybgb"),
        ("sassy", "chess", "ybbgb"),
    ],
)
def test_each_letter_of_the_word_explains_one_of_the_guess(guess, word, marks):
    assert mark(guess, word) == marks


def test_the_players_arithmetic_is_the_rule():
    words = load_words("common", 5)[::37]
    letters = np.array([[ord(letter) for letter in word] for word in words], np.uint8)
    for place, guess in enumerate(words):
        expected = [sum("byg".index(sign) * 3**at for at, sign in enumerate(mark(guess, word))) for word in words]
        assert codes(letters[place], letters).tolist() == expected


def test_an_episode_in_the_originals_words():
    env = make()
    text, _ = env.reset(options={"task": SPEC})
    assert "Let's start Wordle!" in text
    text, reward, terminated, *_ = env.step("s h i r e")
    assert text == "b b b y g\n1. s h i r e -> b b b y g\nTries left: 5"
    assert (reward, terminated) == (0.0, False)
    text, *_, info = env.step("guess zzzzz")
    assert text.startswith("invalid word: 'zzzzz' is not in the vocabulary; guess an English word of 5 letters.")
    assert not info["action_valid"]
    text, reward, terminated, _, info = env.step("[CRANE]")
    assert text.endswith("2. c r a n e -> g g g g g\nTries left: 3\nYou found the word.")
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_six_wrong_guesses_lose_and_six_refused_ones_run_out():
    env = make()
    env.reset(options={"task": SPEC})
    for _ in range(6):
        text, reward, terminated, truncated, info = env.step("guess spike")
        assert reward == 0.0
    assert (terminated, truncated, info["success"]) == (True, False, False)
    assert text.endswith("No tries are left; you have lost.")
    assert "crane" not in text
    env.reset(options={"task": SPEC})
    for _ in range(6):
        _, reward, terminated, truncated, _ = env.step("guess spikes")
    assert (reward, terminated, truncated) == (0.0, False, True)


def test_only_listed_words_may_be_guessed_where_a_list_is_shown():
    env = make(level="listed")
    env.reset(options={"task": SPEC | {"words": LIST}})
    assert "one of: crane, crate, grape, shire, spike." in env.task.instruction
    assert env.admissible_actions() == [f"guess {word}" for word in LIST]
    assert "guess one of the words listed" in env.step("trunk")[0]
    assert env.step("grape")[4]["action_valid"]
    for place in range(30):
        spec = env.tasks("train")[place].spec
        assert len(spec["words"]) == 40
        assert spec["word"] in spec["words"]


def test_knowledge_is_the_originals():
    known = Knowledge.none(5).learn("shire", "crane")
    assert known.here == "    e"
    assert known.barred == ("his", "his", "his", "hirs", "his")
    assert known.read("shire") == "bbbyg"
    assert [word for word in LIST if known.allows(word)] == ["crane", "crate", "grape"]
    assert Knowledge.none(5).learn("geese", "crane").read("geese") == "byybg"  # unlike the official rule


def test_the_redraw_draws_among_what_agrees_and_is_won_by_the_only_word_left():
    env = make(level="original")
    spec = SPEC | {"word": "", "words": LIST, "redraw": True}
    drawn = Counter()
    for seed in range(1500):
        env.reset(seed=seed, options={"task": spec})
        text, *_ = env.step("crate")
        drawn[text.split("\n")[0].replace(" ", "")] += 1
    assert set(drawn) == {"ggggg", "gggbg", "bggbg", "bybbg", "bbbbg"}
    assert all(abs(count / 1500 - 0.2) < 4 * (0.16 / 1500) ** 0.5 for count in drawn.values())
    for seed in range(50):
        env.reset(seed=seed, options={"task": spec})
        while not env.ended:
            action = env.expert_action()
            *_, info = env.step(action)
        left = [word for word in LIST if Knowledge(env._state.here, tuple(env._state.barred)).allows(word)]
        assert info["success"] == (left == [action.removeprefix("guess ")])


def test_the_expert_finds_nearly_every_word_and_beats_the_first_word_that_agrees():
    words = load_words("common", 5)
    tries, plain = [], []
    for word in words[::83]:
        for record, choose in ((tries, advice), (plain, lambda w, g, m: consistent(w, g, m)[0])):
            guesses, marks = [], []
            while not guesses or guesses[-1] != word:
                guesses.append(choose(words, tuple(guesses), tuple(marks)))
                marks.append(mark(guesses[-1], word))
            record.append(len(guesses))
    assert np.mean(tries) < 3.9 < np.mean(plain)
    assert sum(count <= 6 for count in tries) >= len(tries) - 1


def test_the_player_asks_for_the_most_bits():
    words = tuple(load_words("basic", 5)[::9])
    expert = Player(words)
    left = expert.left(("crane",), (mark("crane", words[40]),))
    assert [words[place] for place in left] == consistent(words, ["crane"], [mark("crane", words[40])])

    def bits(guess):
        counts = Counter(mark(guess, words[place]) for place in left)
        return -sum(count / len(left) * np.log2(count / len(left)) for count in counts.values())

    assert bits(expert.guess(left)) >= max(bits(guess) for guess in words) - 1 / len(left)


def test_other_lengths_and_lists_by_level():
    for level, length, tier in (("short", 4, "common"), ("long", 7, "common"), ("basic", 5, "basic")):
        env = make(level=level, split="val")
        for place in range(10):
            env.reset(options={"task": place})
            assert len(env.reference()) == length
            assert env.reference() in load_words(tier)
            *_, info = env.step(env.oracle_action())
            assert info["success"]


def test_the_splits_ask_for_different_words():
    env = make()
    asked = {split: {task.spec["word"] for task in env.tasks(split)} for split in ("val", "test")}
    train = {env.tasks("train")[place].spec["word"] for place in range(1000)}
    for one, other in itertools.combinations([*asked.values(), train], 2):
        assert not one & other
    assert agentgym.card("Wordle-v0").splits["val"] == len(asked["val"]) == 200


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"word": "zzzzz"}, "not among the 5-letter words"),
        ({"word": "crane", "length": 4}, "not among the 4-letter words"),
        ({"words": ["crane", "zzzzz"]}, "'zzzzz' is not in the vocabulary"),
        ({"words": ["spike", "crane"]}, "alphabetical order"),
        ({"words": ["grape", "spike"]}, "not among"),
        ({"redraw": True}, "redraw game has the word"),
        ({"tries": 0}, "at least 1"),
    ],
)
def test_words_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": SPEC | change})


@pytest.mark.parametrize("wrong", [{"length": 3}, {"tries": 0}, {"words": "known"}, {"listed": 1}, {"redraw": 1}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)


def test_a_redraw_needs_a_list():
    with pytest.raises(ConfigError, match="redraw=True needs a list"):
        make(redraw=True)
