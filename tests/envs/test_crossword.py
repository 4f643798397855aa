"""Crossword: diagrams, writing and overwriting, what a full grid tells, players, and words kept apart by split."""

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.assets.words import load_clues, load_words
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games._crossword.diagram import STEP, compose, diagram, fits, spread

WORDS = [
    {"row": 0, "column": 0, "direction": "across", "word": "lamp"},
    {"row": 0, "column": 1, "direction": "down", "word": "aim"},
    {"row": 2, "column": 1, "direction": "across", "word": "milk"},
]


def make(**kwargs):
    return gym.make("AgentGym/Crossword-v0", **kwargs).unwrapped


def play(env, *actions):
    env.reset(options={"task": {"words": WORDS}})
    return [env.step(action) for action in actions]


def test_the_words_of_these_tests_have_definitions():
    assert {entry["word"] for entry in WORDS} <= set(load_clues())


def test_clues_and_grid_are_shown_and_no_answer():
    text, _ = make().reset(options={"task": {"words": WORDS}})
    assert f"1 across (row 1, column 1): {load_clues()['lamp']}: _ _ _ _" in text
    assert f"2 down (row 1, column 2): {load_clues()['aim']}: _ _ _" in text
    assert f"3 across (row 3, column 2): {load_clues()['milk']}: _ _ _ _" in text
    assert "Grid:\n_ _ _ _ #\n# _ # # #\n# _ _ _ _\n" in text


def test_words_are_written_overwritten_and_emptied():
    env = make()
    first, second, third, fourth = play(env, "fill 1 across LAMP", "2 down: ear", "clear 2 down", "3 across milk")
    assert first[0].startswith("You write lamp at 1 across.\n")
    assert "Grid:\nl a m p #" in first[0]
    assert first[4]["progress"] == pytest.approx(1 / 3)
    assert "Grid:\nl e m p #\n# a # # #\n# r _ _ _" in second[0]
    assert second[4]["progress"] == 0.0
    assert "Grid:\nl _ m p #\n# _ # # #\n# _ _ _ _" in third[0]
    assert "Grid:\nl _ m p #\n# _ # # #\n# m i l k" in fourth[0]
    text, reward, terminated, _, info = env.step("fill 2 down aim")
    assert text.startswith("You write aim at 2 down. The crossword is solved.")
    assert (reward, terminated, info["success"]) == (1.0, True, True)


def test_a_full_grid_that_is_wrong_tells_no_more_than_that():
    env = make()
    *_, last = play(env, "fill 1 across lamp", "fill 3 across mild", "fill 2 down aim")
    assert last[0].startswith("You write aim at 2 down. The grid is full, but not all of it is right.\n")
    assert last[1:3] == (0.0, False)
    for _ in range(6):
        _, reward, _, truncated, _ = env.step("fill 3 across mild")
        assert reward == 0.0
    assert truncated


@pytest.mark.parametrize(
    ("action", "wrong"),
    [
        ("fill 4 across lamp", "There is no 4 across; the words are 1 across, 3 across, 2 down."),
        ("fill 1 down lamp", "There is no 1 down"),
        ("fill 1 across lamps", "'lamps' does not fit: 1 across takes a word of 4 letters."),
        ("fill 1 across l4mp", "does not fit"),
        ("fill 1 upwards lamp", "it is one of: across, down"),
        ("clear 9 down", "There is no 9 down"),
    ],
)
def test_what_cannot_be_written_is_refused(action, wrong):
    env = make()
    text, _, _, _, info = play(env, action)[0]
    assert wrong in text
    assert not info["action_valid"]
    assert set(env._state.letters) == {"_"}


@pytest.mark.parametrize("level", ["small", "standard", pytest.param("large", marks=pytest.mark.full)])
def test_generated_diagrams_are_proper(level):
    env = make(level=level)
    for place in range(12):
        placed = [tuple(one.values()) for one in env.tasks("train")[place].spec["words"]]
        cells = spread(placed)
        assert len(placed) == {"small": 4, "standard": 8, "large": 16}[level]
        assert len({word for *_, word in placed}) == len(placed)
        runs = set()
        for row, column in cells:  # every run of two cells or more is one of the words
            for direction, (down, right) in STEP.items():
                if (row - down, column - right) not in cells and (row + down, column + right) in cells:
                    length = 1
                    while (row + down * length, column + right * length) in cells:
                        length += 1
                    word = "".join(cells[row + down * step, column + right * step] for step in range(length))
                    runs.add((row, column, direction, word))
        assert runs == set(placed)
        assert max(max(cell) for cell in cells) < {"small": 7, "standard": 9, "large": 13}[level]


def test_words_fit_where_they_cross_and_touch_nothing_else():
    cells = spread([(4, 2, "across", "blind")])
    assert fits(cells, 9, 3, 2, "down", "able")
    assert not fits(cells, 9, 3, 2, "down", "cable")
    assert not fits(cells, 9, 4, 2, "across", "blindly")
    assert not fits(cells, 9, 4, 3, "across", "lind")
    assert not fits(cells, 9, 5, 2, "across", "blind")
    assert not fits(cells, 9, 0, 1, "down", "candle")
    assert not fits(cells, 5, 3, 2, "down", "able")
    assert compose(["zzz"], 5, 2, np.random.default_rng(0))[0][3] == "zzz"


def test_numbers_go_row_by_row_and_may_be_shared():
    shape = diagram(((0, 0, "across", "arm"), (0, 0, "down", "ant"), (2, 0, "across", "ten")))
    assert [entry.name for entry in shape.entries] == ["1 across", "2 across", "1 down"]


def test_no_word_stands_in_two_splits_and_the_expert_solves_all():
    env = make()
    asked = {
        split: {one["word"] for place in range(60) for one in env.tasks(split)[place].spec["words"]}
        for split in ("train", "val", "test")
    }
    assert not asked["train"] & (asked["val"] | asked["test"])
    assert not asked["val"] & asked["test"]
    assert asked["train"] <= set(load_words("basic"))
    for place in range(10):
        env.reset(options={"task": place})
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"]
        assert env.turn <= 8


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ([WORDS[0], WORDS[0]], "only once"),
        ([WORDS[0], WORDS[1] | {"column": 0}], "two words disagree in row 1, column 1"),
        ([WORDS[0], WORDS[2] | {"row": 0}], "two words across overlap"),
        ([WORDS[0] | {"word": "qqqq"}], "has no definition"),
        ([], "at least 1 items"),
    ],
)
def test_diagrams_that_cannot_be_played_are_refused(words, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"words": words}})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="size must be a whole number from 5 to 15"):
        make(size=4)
    with pytest.raises(ConfigError, match="24 words do not fit on a side of 5 cells"):
        make(size=5, count=24)
