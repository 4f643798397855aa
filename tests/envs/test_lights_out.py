"""Lights Out: presses, the algebra against trying everything, patterns, options."""

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games.lights_out import buttons, fewest_presses

CARD = agentgym.card("LightsOut-v0")
CROSS = {"rows": [".O..", "OOO.", ".O..", "...."]}


def make(**kwargs):
    return gym.make("AgentGym/LightsOut-v0", **kwargs).unwrapped


def play(env, actions, spec=CROSS):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def pressed(rows, row, column):
    """A press, written with lists."""
    grid = [list(line) for line in rows]
    for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= r < len(grid) and 0 <= c < len(grid):
            grid[r][c] = "." if grid[r][c] == "O" else "O"
    return ["".join(line) for line in grid]


def test_a_press_switches_a_light_and_its_neighbours():
    env = make()
    rng = np.random.default_rng(0)
    for place in range(5):
        env.reset(options={"task": place})
        rows = env.task.spec["rows"]
        for _ in range(20):
            row, column = (int(number) for number in rng.integers(0, 5, 2))
            rows = pressed(rows, row, column)
            text, *_ = env.step(f"press {row + 1} {column + 1}")
            board = text.split("\n")[3:] if "\n" in text else []
            assert [line[4:].replace("  ", "") for line in board] == rows
            assert f"Lights on: {''.join(rows).count('O')}." in text


def test_the_fewest_presses_are_those_that_trying_everything_finds():
    for size in (2, 3, 4):
        known = buttons(size)
        best = {}
        for presses in range(1 << size * size):
            lights = 0
            for cell in range(size * size):
                if presses >> cell & 1:
                    lights ^= known.effects[cell]
            best[lights] = min(best.get(lights, 99), presses.bit_count())
        for lights in range(1 << size * size):
            found = fewest_presses(size, lights)
            assert (found is None) == (lights not in best)
            assert found is None or found.bit_count() == best[lights]


def test_the_known_number_of_quiet_patterns():
    """Anderson and Feil: 5 x 5 has four, so a quarter of all patterns can be put out; 6, 7 and 8 have one each."""
    assert {size: len(buttons(size).quiet) for size in range(2, 10)} == {
        2: 1, 3: 1, 4: 16, 5: 4, 6: 1, 7: 1, 8: 1, 9: 256,
    }  # fmt: skip


def test_the_win():
    env = make()
    text, reward, terminated, _, info = play(env, ["press 2 2"])[-1]
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert text.startswith(
        "You press row 2, column 2. All lights are off.\nLights on: 0.\n    1  2  3  4\n 1  .  .  .  ."
    )


@pytest.mark.parametrize(
    "action",
    [
        "press (2, 2)",
        "PRESS 2,2",
        "press row 2 column 2",
        "press row 2, column 2",
        "toggle 2 2",
        "toggle 2,2",
        "press (2,2)",
    ],
)
def test_forms_of_pressing(action):
    assert play(make(), [action])[-1][4]["success"]


@pytest.mark.parametrize(
    ("action", "what"), [("press 0 2", "row '0'"), ("press 2 5", "column '5'"), ("press 2 x", "'x'")]
)
def test_lights_that_are_not_there_are_refused(action, what):
    env = make()
    text, reward, _, _, info = play(env, [action])[-1]
    assert (info["action_valid"], reward) == (False, 0.0)
    assert what in text
    assert "from 1 to 4" in text


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_levels_are_solved_with_at_most_the_presses_that_made_them(level):
    size, presses = {"easy": (4, 4), "medium": (5, 7), "hard": (7, 14), "expert": (9, 24)}[level]
    env = make(level=level, split="val")
    for place in range(10):
        env.reset(options={"task": place})
        assert (len(env.task.spec["rows"]), env.max_turns) == (size, 2 * size * size)
        assert 1 <= len(env.reference()) <= presses
        progress = []
        for action in env.reference()[::-1]:
            *_, info = env.step(action)
            progress.append(info["progress"])
        assert info["success"]
        assert progress == sorted(progress)
        env.reset(options={"task": place})
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert (info["success"], env.turn) == (True, len(env.reference()))


def test_pressing_twice_leads_nowhere():
    env = make()
    env.reset(options={"task": CROSS})
    rewards = []
    while not env.ended:
        rewards.append(env.step("press 1 1")[1])
    assert (sum(rewards), len(rewards)) == (0.0, 32)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["..", "..", "O."], "as many signs"),
        (["O#", ".."], "as many signs"),
        (["..", ".."], "at least one light"),
        (["O...", "....", "....", "...."], "no presses put out"),
    ],
)
def test_patterns_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize("wrong", [{"size": 3}, {"size": 10}, {"presses": 2}, {"presses": 13}, {"presses": 4.0}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="medium"):
        make(level="mediom")


def test_pictures_show_lights_go_on():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": CROSS})
    before = env.render()
    assert (before.shape, before.dtype) == ((192, 192, 3), np.uint8)
    env.step("press 4 4")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert changed.min() >= 96
