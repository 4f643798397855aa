"""Minesweeper: openings, numbers, flags, losing and winning, inference against enumeration, options."""

from fractions import Fraction
from itertools import combinations

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._minesweeper.inference import deduce, probabilities

CARD = agentgym.card("Minesweeper-v0")
SMALL = {"rows": ["S...", "....", "..*.", "...*"]}
GUESS = {"rows": ["S.*.", "....", "*...", "...."]}


def make(**kwargs):
    return gym.make("AgentGym/Minesweeper-v0", **kwargs).unwrapped


def play(env, actions, spec):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions][-1]


def test_the_start_is_open_with_all_that_follows():
    env = make()
    text, info = env.reset(options={"task": SMALL})
    board = "Mines: 2. Flags: 0.\n    1  2  3  4\n 1  .  .  .  .\n 2  .  1  1  1\n 3  .  1  #  #\n 4  .  1  #  #\n"
    assert board in text
    assert (
        info["instruction"] == "Open every cell without a mine of a field of 4 rows and 4 columns that hides 2 mines."
    )


def test_numbers_flags_and_the_win():
    env = make()
    text, reward, terminated, _, info = play(env, ["reveal 3 4"], SMALL)
    assert (reward, terminated, info["progress"]) == (0.0, False, 0.5)
    assert text.startswith("You reveal row 3, column 4.\nMines: 2. Flags: 0.")
    assert "\n 3  .  1  #  2\n" in text
    text, *_ = env.step("flag (3, 3)")
    assert text.startswith("You flag row 3, column 3.\nMines: 2. Flags: 1.")
    assert "\n 3  .  1  F  2\n" in text
    assert env.step("unflag 3,3")[0].startswith("You take the flag off row 3, column 3.")
    assert env.step("flag row 3 column 3")[4]["action_valid"]
    text, reward, terminated, _, info = env.step("open 4,3")
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert "you win" in text
    assert info["events"] == [{"type": "reveal", "cells": 1, "mine": False}]


@pytest.mark.parametrize(
    "action",
    [
        "reveal 3 4",
        "REVEAL (3, 4)",
        "reveal 3,4",
        "reveal row 3 column 4",
        "open 3 4",
        "open (3,4)",
        "reveal row 3, col 4",
    ],
)
def test_forms_of_revealing(action):
    assert play(make(), [action], SMALL)[0].startswith("You reveal row 3, column 4.")


def test_a_mine_ends_the_game():
    text, reward, terminated, _, info = play(make(), ["reveal 3 3"], SMALL)
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert "\n 3  .  1  *  #\n" in text
    assert " 4  .  1  #  #" in text


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (["reveal 1 1"], "The cell row 1, column 1 is open already; choose a hidden one."),
        (["flag 1 1"], "The cell row 1, column 1 is open already; choose a hidden one."),
        (["flag 3 3", "reveal 3 3"], "The cell row 3, column 3 is flagged; say unflag first if you mean to open it."),
        (["flag 3 3", "flag 3 3"], "The cell row 3, column 3 is flagged already."),
        (["unflag 3 3"], "The cell row 3, column 3 is not flagged."),
        (["reveal 0 3"], "There is no row '0'; it is a whole number from 1 to 4."),
        (["reveal 3 ²"], "There is no column '²'; it is a whole number from 1 to 4."),
        (["flag 3 99999999999"], "There is no column '99999999999'; it is a whole number from 1 to 4."),
    ],
)
def test_what_cannot_be_done_is_refused(actions, reason):
    env = make()
    text, reward, terminated, _, info = play(env, actions, SMALL)
    assert (info["action_valid"], info["error"], reward, terminated) == (False, reason, 0.0, False)
    assert text.startswith(reason)


def enumerate_chances(numbers, around, hidden, mines):
    """Every placement, one by one."""
    hits, count = dict.fromkeys(hidden, 0), 0
    for placed in combinations(sorted(hidden), mines):
        if all(sum(other in placed for other in around[cell]) == number for cell, number in numbers.items()):
            count += 1
            for cell in placed:
                hits[cell] += 1
    return {cell: Fraction(hit, count) for cell, hit in hits.items()}


def test_probabilities_equal_the_count_of_all_placements():
    env = make(rows=5, columns=5, mines=5)
    compared = guessed = 0
    for seed in range(40):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(4):
            signs = env._state.signs
            hidden = frozenset(cell for cell, sign in enumerate(signs) if sign in "#F")
            numbers = {cell: 0 if sign == "." else int(sign) for cell, sign in enumerate(signs) if cell not in hidden}
            around = env._field.around
            found = probabilities(numbers, around, hidden, 5)
            assert found == enumerate_chances(numbers, around, hidden, 5)
            assert all(found[cell] == int(mine) for cell, mine in deduce(numbers, around, hidden).items())
            compared += 1
            guessed += not any(chance == 0 for chance in found.values())
            safe = [cell for cell in sorted(hidden) if cell not in env._field.mines]
            cell = safe[int(rng.integers(len(safe)))]
            if env.step(f"reveal {cell // 5 + 1} {cell % 5 + 1}")[2]:
                break
    assert compared > 60
    assert guessed > 0


def test_the_expert_never_takes_a_risk_that_it_need_not_take():
    env = make(level="intermediate", split="val")
    wins = 0
    for place in range(6):
        env.reset(options={"task": place})
        while not env.ended:
            signs, field = env._state.signs, env._field
            hidden = frozenset(cell for cell, sign in enumerate(signs) if sign == "#")
            numbers = {cell: 0 if sign == "." else int(sign) for cell, sign in enumerate(signs) if cell not in hidden}
            chances = probabilities(numbers, field.around, hidden, len(field.mines))
            assert all(chances[mine] > 0 for mine in field.mines)
            assert sum(chances.values()) == len(field.mines)
            row, column = map(int, env.expert_action().split()[1:])
            assert chances[(row - 1) * field.columns + column - 1] == min(chances.values())
            *_, info = env.step(f"reveal {row} {column}")
        wins += info["success"]
    assert wins >= 3


@pytest.mark.parametrize("level", ["easy", "beginner", "intermediate", "expert"])
def test_the_oracle_opens_every_field_and_levels_have_their_sizes(level):
    rows, columns, mines = {"easy": (6, 6, 5), "beginner": (9, 9, 10), "intermediate": (16, 16, 40)}.get(
        level, (16, 30, 99)
    )
    env = make(level=level, split="val")
    for place in range(5):
        env.reset(options={"task": place})
        spec = env.task.spec["rows"]
        assert (len(spec), len(spec[0]), "".join(spec).count("*"), env.max_turns) == (
            rows,
            columns,
            mines,
            rows * columns,
        )
        assert len(env.reference()) == mines
        if place:
            env.step(env.admissible_actions()[0].replace("reveal", "flag"))
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]


def test_the_oracle_takes_a_flag_off_a_safe_cell():
    env = make()
    play(env, ["flag 3 4", "flag 4 3"], SMALL)
    actions = []
    while not env.ended:
        actions.append(env.oracle_action())
        env.step(actions[-1])
    assert actions == ["unflag 3 4", "reveal 3 4", "unflag 4 3", "reveal 4 3"]


def test_flagging_without_end_wins_nothing():
    env = make()
    env.reset(options={"task": GUESS})
    total = 0.0
    while not env.ended:
        total += env.step(("flag 3 1", "unflag 3 1")[env.turn % 2])[1]
    assert (total, env.turn) == (0.0, 16)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["S..", ".*"], "equal length"),
        (["S?", ".*"], "made of"),
        (["..", ".*"], "exactly one S"),
        (["S.", ".."], "at least one mine"),
        (["S*", "**"], "opening the start opens every cell"),
    ],
)
def test_fields_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize("wrong", [{"rows": 3}, {"columns": 31}, {"mines": 0}, {"mines": 25}, {"mines": 5.0}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="beginner"):
        make(level="beginers")


def test_pictures_hide_the_mines():
    twin = {"rows": ["S...", "....", "..*.", "...*"]}
    other = {"rows": ["S...", "....", "..*.", "..*."]}
    shown = []
    for spec in (twin, other):
        env = make(render_mode="rgb_array")
        env.reset(options={"task": spec})
        shown.append(env.render())
    assert (shown[0].shape, shown[0].dtype) == ((192, 192, 3), np.uint8)
    assert np.array_equal(shown[0][96:, 96:], shown[1][96:, 96:])
    assert not np.array_equal(shown[0], shown[1])
