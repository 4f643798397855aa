"""Sudoku: one solution, rules, forms of action, reward that cannot be farmed, options."""

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._sudoku import grids

CARD = agentgym.card("Sudoku-v0")
TINY = {"rows": ["1.3.", "3.12", ".1.3", "..2."]}
SOLVED = ["1234", "3412", "2143", "4321"]


def make(**kwargs):
    return gym.make("AgentGym/Sudoku-v0", **kwargs).unwrapped


def play(env, actions, spec=TINY):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def count_solutions(rows, boxes):
    """Plain backtracking, cell after cell."""
    size = len(rows)
    grid = [list(row) for row in rows]

    def fits(r, c, digit):
        if digit in grid[r] or digit in [row[c] for row in grid]:
            return False
        top, left = r - r % boxes[0], c - c % boxes[1]
        return all(digit not in grid[top + i][left : left + boxes[1]] for i in range(boxes[0]))

    for r in range(size):
        for c in range(size):
            if grid[r][c] == ".":
                total = 0
                for digit in "123456789"[:size]:
                    if fits(r, c, digit):
                        grid[r][c] = digit
                        total += count_solutions(["".join(row) for row in grid], boxes)
                        grid[r][c] = "."
                return total
    return 1


@pytest.mark.parametrize(("size", "removed", "boxes"), [(4, 50, (2, 2)), (6, 50, (2, 3))])
def test_generated_puzzles_have_one_solution(size, removed, boxes):
    env = make(size=size, removed=removed)
    for place in range(25):
        rows = env.tasks("train")[place].spec["rows"]
        assert "".join(rows).count(".") == round(removed * size * size / 100)
        assert count_solutions(rows, boxes) == 1


@pytest.mark.parametrize("level", ["tiny", "easy", "medium", "hard"])
def test_levels_have_one_solution_and_are_solved_by_oracle_and_expert(level):
    size, removed = {"tiny": (4, 8), "easy": (9, 32), "medium": (9, 40), "hard": (9, 49)}[level]
    env = make(level=level, split="val")
    for place in range(6):
        for player in ("oracle", "expert"):
            env.reset(options={"task": place})
            grid = "".join(env.task.spec["rows"])
            assert (len(env.task.spec["rows"]), grid.count("."), env.max_turns) == (size, removed, size * size)
            assert len(grids.solutions(grid, grids.shape(size), 2)) == 1
            while not env.ended:
                *_, info = env.step(getattr(env, f"{player}_action")())
            assert (info["success"], env.turn) == (True, removed)
        solved = env._state.grid
        for unit in grids.shape(size).units:
            assert sorted(solved[cell] for cell in unit) == list("123456789"[:size])


def test_the_grid_is_drawn_with_givens_and_boxes():
    env = make()
    text, _ = env.reset(options={"task": TINY})
    drawn = (
        "SUDOKU PUZZLE\n    1  2   3  4 \n"
        + "1  [1] . |[3] . \n2  [3] . |[1][2]\n   ------+------\n3   . [1]| . [3]\n4   .  . |[2] . \n"
        + "Progress: 0 of 8 cells filled."
    )
    assert drawn.split("\n")[2:] == text.split("\nActions")[0].split("\n")[3:]
    text, *_ = env.step("place 2 at row 1 col 2")
    assert text.startswith("You place 2 at row 1, column 2.\nSUDOKU PUZZLE\n")
    assert "\n1  [1] 2 |[3] . \n" in text
    assert "Progress: 1 of 8 cells filled." in text


@pytest.mark.parametrize(
    "action",
    [
        "place 2 at row 1 col 2",
        "PLACE 2 at row 1, column 2",
        "place 2 at (1,2)",
        "place 2 at (1, 2)",
        "2 at 1,2",
        "1,2,2",
    ],
)
def test_forms_of_placing(action):
    env = make()
    ((_, reward, _, _, info),) = play(env, [action])
    assert (info["action_valid"], reward, info["progress"]) == (True, 1.0, 1 / 8)
    assert env._state.grid[1] == "2"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("place 2 at row 1 col 1", "The cell row 1, column 1 is given as 1 and cannot be changed."),
        ("clear row 1 col 1", "The cell row 1, column 1 is given as 1 and cannot be changed."),
        ("clear row 1 col 2", "The cell row 1, column 2 is empty already."),
        ("place 3 at row 1 col 2", "The number 3 at row 1, column 2 clashes with the 3 at row 1, column 3."),
        ("place 5 at row 1 col 2", "Only the numbers 1 to 4 can be placed, not '5'."),
        ("place 2 at row 5 col 2", "There is no row '5'; it is a whole number from 1 to 4."),
    ],
)
def test_what_breaks_a_rule_is_refused_at_the_published_price(action, reason):
    env = make()
    ((text, reward, _, _, info),) = play(env, [action])
    assert (info["action_valid"], info["error"], reward) == (False, reason, -0.1)
    assert text.startswith(reason)
    assert env._state.grid == "".join(TINY["rows"])


def test_the_reward_of_a_solution():
    env = make()
    total = []
    env.reset(options={"task": TINY})
    while not env.ended:
        _, reward, terminated, _, info = env.step(env.oracle_action())
        total.append(reward)
    assert total == [1.0] * 7 + [11.0]
    assert (terminated, info["success"]) == (True, True)
    env.reset(options={"task": {"rows": TINY["rows"]}})
    assert env.reference() == SOLVED


def test_placing_and_taking_back_pays_nothing():
    env = make()
    steps = play(env, ["place 2 at (1,2)", "clear (1,2)"] * 4)
    assert sum(step[1] for step in steps) == 0.0
    steps = play(env, ["place 4 at (1,2)", "place 2 at (1,2)", "place 4 at (1,2)", "place 2 at (1,2)"])
    assert [step[1] for step in steps] == [0.5, 0.5, -0.5, 0.5]
    assert sum(env.step("noise")[1] for _ in range(3)) == pytest.approx(-0.3)


def test_a_wrong_number_is_taken_back_by_both_players():
    for player in ("oracle", "expert"):
        env = make()
        play(env, ["place 4 at (1,2)"])
        assert getattr(env, f"{player}_action")() == "clear row 1 col 2"
        while not env.ended:
            *_, info = env.step(getattr(env, f"{player}_action")())
        assert info["success"]


def test_admissible_actions_break_no_rule_and_do_not_tell_the_solution():
    env = make()
    play(env, ["place 4 at (1,2)"])
    assert env.admissible_actions() == sorted(
        [
            "clear row 1 col 2", "place 2 at row 1 col 2", "place 2 at row 3 col 1", "place 4 at row 3 col 1",
            "place 4 at row 3 col 3", "place 4 at row 4 col 1", "place 3 at row 4 col 2", "place 1 at row 4 col 4",
            "place 4 at row 4 col 4",
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["1.3.", "3.1.", ".1.3", "..2.1"], "rows of as many signs"),
        (["1...."] * 5, "rows of as many signs"),
        (["1.3.", "3.1.", ".1.3", "..5."], "digits from 1 to 4"),
        (SOLVED, "at least one empty cell"),
        (["....", "....", "....", "1..."], "these givens have more"),
        (["11..", "....", "....", "...."], "these givens have none"),
    ],
)
def test_grids_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize("wrong", [{"size": 5}, {"size": 16}, {"size": True}, {"removed": 9}, {"removed": 63}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="medium"):
        make(level="mediun")


def test_pictures_show_a_number_appear():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": TINY})
    before = env.render()
    assert (before.shape, before.dtype) == ((192, 192, 3), np.uint8)
    env.step("2 at 1,2")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert changed[:, 0].max() < 48 <= changed[:, 1].min() <= changed[:, 1].max() < 96
