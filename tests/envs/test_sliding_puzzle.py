"""The sliding puzzle: slides, the solver against plain search, parity, options."""

from collections import deque
from itertools import permutations

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games.sliding_puzzle import plan, solvable

CARD = agentgym.card("SlidingPuzzle-v0")
NEAR = {"rows": [[1, 2, 3], [4, 0, 6], [7, 5, 8]]}


def make(**kwargs):
    return gym.make("AgentGym/SlidingPuzzle-v0", **kwargs).unwrapped


def play(env, actions, spec=NEAR):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def all_distances():
    """Breadth-first search over every position of the 3 x 3 frame from the order."""
    first = (1, 2, 3, 4, 5, 6, 7, 8, 0)
    steps, frontier = {first: 0}, deque([first])
    while frontier:
        tiles = frontier.popleft()
        gap = tiles.index(0)
        for other in (gap - 3, gap + 3, gap - 1, gap + 1):
            if 0 <= other < 9 and (gap // 3 == other // 3 or gap % 3 == other % 3):
                after = list(tiles)
                after[gap], after[other] = after[other], 0
                if tuple(after) not in steps:
                    steps[tuple(after)] = steps[tiles] + 1
                    frontier.append(tuple(after))
    return steps


def test_the_solver_is_optimal_on_three_by_three_and_parity_tells_what_can_be_solved():
    steps = all_distances()
    assert (len(steps), max(steps.values())) == (181440, 31)
    rng = np.random.default_rng(2)
    reached = sorted(steps)
    for place in rng.integers(0, len(reached), 25):
        assert len(plan(reached[place], 3)) == steps[reached[place]]
    for number, tiles in enumerate(permutations(range(9))):
        if number % 211 == 0:
            assert solvable(tiles, 3) == (tiles in steps)


def test_parity_on_four_by_four():
    order = (*range(1, 16), 0)
    assert solvable(order, 4)
    assert not solvable((*range(1, 14), 15, 14, 0), 4)
    assert solvable((*range(1, 12), 0, 13, 14, 15, 12), 4)
    assert not solvable((*range(1, 11), 12, 11, 13, 14, 15, 0), 4)


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_levels_are_solved_within_the_turns(level):
    size = {"easy": 3, "medium": 3, "hard": 4, "expert": 4}[level]
    env = make(level=level, split="val")
    for place in range(6):
        env.reset(options={"task": place})
        assert (len(env.task.spec["rows"]), env.max_turns) == (size, {3: 100, 4: 300}[size])
        length = len(env.reference())
        assert level != "easy" or length <= 16
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert (info["success"], env.turn) == (True, length)


def test_five_by_five_is_solved_too():
    env = make(size=5, scramble=100)
    env.reset(seed=1)
    assert env.max_turns == 1300
    while not env.ended:
        *_, info = env.step(env.oracle_action())
    assert info["success"]


def test_directions_are_those_of_the_tile():
    env = make()
    assert env.reset(options={"task": NEAR})[0].endswith(
        "\n 1  2  3\n 4  _  6\n 7  5  8\nActions: up, down, left, right, slide <tile>"
    )
    for action, moved, board in (
        ("up", 5, " 1  2  3\n 4  5  6\n 7  _  8"),
        ("down", 2, " 1  _  3\n 4  2  6\n 7  5  8"),
        ("left", 6, " 1  2  3\n 4  6  _\n 7  5  8"),
        ("right", 4, " 1  2  3\n _  4  6\n 7  5  8"),
    ):
        ((text, reward, terminated, _, info),) = play(env, [action])
        assert text == f"You slide {moved}.\n{board}"
        assert (reward, terminated, info["action_valid"]) == (0.0, False, True)
        for variant in (f"move {action}", f"Slide {action.upper()}", f"slide {moved}", f"move {moved}"):
            assert play(env, [variant])[-1][0] == text


def test_the_win():
    env = make()
    text, reward, terminated, _, info = play(env, ["up", "slide 8"])[-1]
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert text == "You slide 8. All tiles are in order.\n 1  2  3\n 4  5  6\n 7  8  _"


def test_what_cannot_slide_is_refused():
    env = make()
    for action, reason in (
        ("slide 1", "The tile '1' cannot slide; beside the gap are 2, 4, 5 and 6."),
        ("slide the tile", "The tile 'the tile' cannot slide; beside the gap are 2, 4, 5 and 6."),
        ("slide 0", "The tile '0' cannot slide; beside the gap are 2, 4, 5 and 6."),
    ):
        ((text, _, _, _, info),) = play(env, [action])
        assert (info["action_valid"], info["error"]) == (False, reason)
        assert text.endswith(" 4  _  6\n 7  5  8")
    steps = play(env, ["down", "down"])
    assert steps[-1][4]["error"] == "No tile can slide down: the gap is at the edge."
    assert env.admissible_actions() == ["left", "right", "up"]


def test_sliding_back_and_forth_pays_nothing():
    env = make()
    env.reset(options={"task": NEAR})
    total = 0.0
    while not env.ended:
        total += env.step(("up", "down")[env.turn % 2])[1]
    assert (total, env.turn) == (0.0, 100)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([[1, 2, 3], [4, 5, 6], [7, 8, 0, 9]], "square of the numbers"),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 8]], "square of the numbers"),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], "square of the numbers"),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 0]], "in order already"),
        ([[1, 2, 3], [4, 5, 6], [8, 7, 0]], "cannot bring these tiles"),
    ],
)
def test_frames_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize("wrong", [{"size": 2}, {"size": 6}, {"scramble": 11}, {"scramble": True}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="expert"):
        make(level="exprt")


def test_pictures_show_a_tile_slide():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": NEAR})
    before = env.render()
    assert (before.shape, before.dtype) == ((144, 144, 3), np.uint8)
    env.step("up")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert changed[:, 0].min() >= 48
    assert 48 <= changed[:, 1].min() <= changed[:, 1].max() < 96
