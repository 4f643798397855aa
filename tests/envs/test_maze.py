"""Maze: the published sentences on the published map, ways against plain search, views, generated mazes, options."""

from collections import deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName

CARD = agentgym.card("Maze-v0")
PUBLISHED = [
    "#############",
    "#.....#.....#",
    "###.#####.###",
    "###.#####.###",
    "###.#####.###",
    "###.......###",
    "######.######",
    "######.######",
    "######G######",
    "#############",
]
STARTS = [(1, c) for c in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)] + [
    (2, 3), (3, 3), (4, 3), (5, 3), (5, 4), (5, 5), (5, 6), (6, 6), (7, 6), (5, 7), (5, 8), (5, 9), (4, 9), (3, 9),
    (2, 9),
]  # fmt: skip
HALL = {"rows": ["#####", "#S..#", "#...#", "#..G#", "#####"]}


def make(**kwargs):
    return gym.make("AgentGym/Maze-v0", **kwargs).unwrapped


def published(row, column):
    rows = [list(line) for line in PUBLISHED]
    rows[row][column] = "S"
    return {"rows": ["".join(line) for line in rows]}


def shortest(rows):
    cells = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row)}
    start = next(cell for cell, sign in cells.items() if sign == "S")
    steps, frontier = {start: 0}, deque([start])
    while frontier:
        row, column = frontier.popleft()
        if cells[row, column] == "G":
            return steps[row, column]
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if cells[other] != "#" and other not in steps:
                steps[other] = steps[row, column] + 1
                frontier.append(other)
    return None


def test_the_published_map_is_played_in_the_published_words():
    env = make()
    for start in STARTS:
        text, _ = env.reset(options={"task": published(*start)})
        assert f"The goal is at position 8, 6. Your current position is at position {start[0]}, {start[1]}. " in text
        while not env.ended:
            text, reward, _, _, info = env.step(env.oracle_action())
        assert (reward, info["success"], env.turn) == (1.0, True, shortest(published(*start)["rows"]))
        assert text.startswith("Success\n")
    text, _ = env.reset(options={"task": published(6, 6)})
    assert "There are walls to your right, to your left." in text
    text, *_ = env.step("move up")
    assert text == (
        "The goal is at position 8, 6. Your current position is at position 5, 6. There is a wall above you."
    )
    env.reset(options={"task": {"rows": ["#####", "#...#", "#.S.#", "#..G#", "#####"]}})
    assert env.step("left")[0].endswith("There is a wall to your left.")
    assert env.step("go right")[0].endswith("There are no walls near you.")


def test_a_move_into_a_wall_is_refused():
    env = make()
    env.reset(options={"task": published(5, 5)})
    text, reward, terminated, _, info = env.step("move up")
    assert (info["action_valid"], info["error"], reward, terminated) == (
        False,
        "You cannot move up: there is a wall.",
        0.0,
        False,
    )
    assert "position 5, 5" in text
    assert env.admissible_actions() == ["move left", "move right"]


def test_the_reward_of_moves_is_the_published_one():
    env = make(reward="moves")
    env.reset(options={"task": published(6, 6)})
    rewards = [env.step(action)[1] for action in ("move up", "move up", "jump", "move down", "move down", "move down")]
    assert rewards == [-1.0, -4.0, -4.0, -1.0, -1.0, 0.0]


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "huge"])
def test_mazes_are_connected_and_the_oracle_takes_a_shortest_way(level):
    env = make(level=level, split="val")
    sizes = {"easy": (7, 7), "medium": (11, 11), "hard": (17, 21), "huge": (31, 41)}
    for place in range(8):
        env.reset(options={"task": place})
        rows = env.task.spec["rows"]
        assert (len(rows), len(rows[0])) == sizes[level]
        cells = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "#"}
        seen, frontier = set(), [next(iter(cells))]
        while frontier:
            row, column = cell = frontier.pop()
            if cell in cells - seen:
                seen.add(cell)
                frontier += [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        assert seen == cells
        assert len(env.reference()) == shortest(rows) <= env.max_turns / 2
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]
        assert env.turn == shortest(rows)


@pytest.mark.parametrize("view", ["full", "partial", "map"])
def test_the_expert_finds_the_goal_in_time_with_what_the_view_tells(view):
    lengths = []
    for level in ("medium", "hard"):
        env = make(level=level, view=view, split="val")
        for place in range(25):
            env.reset(options={"task": place})
            while not env.ended:
                *_, info = env.step(env.expert_action())
            assert info["success"]
            lengths.append(env.turn)
    known = make(level="hard", split="val")
    if view == "map":
        for place, length in enumerate(lengths[25:]):
            known.reset(options={"task": place})
            assert length == shortest(known.task.spec["rows"])


def test_the_expert_does_not_look_through_walls():
    """Two mazes that differ only in cells the player has not been beside: the expert goes the same way in both."""
    one = ["#######", "#.....#", "#.###.#", "#S#.#.#", "#.###.#", "#....G#", "#######"]
    other = ["#######", "#.#...#", "#.###.#", "#S#.#.#", "#.###.#", "#....G#", "#######"]
    first = make(view="partial")
    first.reset(options={"task": {"rows": one}})
    second = make(view="partial")
    second.reset(options={"task": {"rows": other}})
    assert first.expert_action() == second.expert_action() == "move up"
    assert first.oracle_action() == "move down"


def test_the_partial_view_tells_walls_and_moves_only():
    env = make(view="partial")
    text, _ = env.reset(options={"task": HALL})
    assert "position" not in text
    assert "\nThere are walls to your left, above you.\n" in text
    assert env.step("right")[0] == "There is a wall above you. Your last moves: right."
    for _ in range(7):
        env.step("left")
        text, *_ = env.step("right")
    assert text.endswith("Your last moves: " + ", ".join(["left", "right"] * 6) + ".")


def test_the_map_view_draws_the_maze():
    env = make(view="map")
    text, _ = env.reset(options={"task": HALL})
    assert "\n#####\n#P..#\n#...#\n#..G#\n#####\n" in text
    assert env.step("down")[0] == "#####\n#...#\n#P..#\n#..G#\n#####"


def test_pacing_up_and_down_pays_nothing():
    env = make()
    env.reset(options={"task": published(1, 1)})
    total = 0.0
    while not env.ended:
        total += env.step(("right", "left")[env.turn % 2])[1]
    assert total == 0.0
    assert env.turn == env.max_turns == 2 * 26


def test_loops_open_dead_ends():
    def dead_ends(loops):
        env = make(level="hard", loops=loops)
        count = 0
        for place in range(20):
            rows = env.tasks("train")[place].spec["rows"]
            for r in range(1, len(rows), 2):
                for c in range(1, len(rows[0]), 2):
                    count += [rows[r - 1][c], rows[r + 1][c], rows[r][c - 1], rows[r][c + 1]].count("#") == 3
        return count

    assert dead_ends(1.0) == 0 < dead_ends(0.5) < dead_ends(0.0)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["####", "#SG#", "###"], "equal length"),
        (["####", "#SX#", "#.G#", "####"], "made of"),
        (["####", "#SG.", "####"], "outermost"),
        (["####", "#.G#", "####"], "exactly one S"),
        (["#####", "#SSG#", "#####"], "exactly one S"),
        (["#####", "#S#G#", "#####"], "no way from S to G"),
    ],
)
def test_mazes_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": 8},
        {"rows": 3},
        {"columns": 43},
        {"loops": 1.5},
        {"loops": True},
        {"view": "bird"},
        {"reward": "sparse"},
    ],
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="huge"):
        make(level="hugh")


def test_pictures_show_what_the_view_shows():
    shown = {}
    for view in ("full", "partial", "map"):
        env = make(view=view, render_mode="rgb_array")
        env.reset(options={"task": published(1, 1)})
        shown[view] = env.render()
        assert (shown[view].shape, shown[view].dtype) == ((480, 624, 3), np.uint8)
    goal = (slice(8 * 48, 9 * 48), slice(6 * 48, 7 * 48))
    assert len({shown[view].tobytes() for view in shown}) == 3
    assert (shown["full"][goal] == shown["map"][goal]).mean() > 0.2
    assert len(np.unique(shown["partial"][goal].reshape(-1, 3), axis=0)) == 1
