"""The pocket cube: turns, the solver against known counts, tasks, options, pictures."""

import re
from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games.pocket_cube import FACES, LEVELS, SOLVED, _holds, _table, _turns, solve

ONE_TURN = {"faces": ["WWWW", "GGOO", "RRGG", "BBRR", "OOBB", "YYYY"]}  # U done


def make(**kwargs):
    return gym.make("AgentGym/PocketCube-v0", **kwargs).unwrapped


def turned(stickers, *names):
    for name in names:
        stickers = "".join(_turns()[name](stickers))
    return stickers


def play(env, actions, spec=ONE_TURN):
    env.reset(options={"task": spec})
    return [env.step(action) for action in actions]


def test_turns_carry_stickers_as_on_a_cube():
    assert turned(SOLVED, "U") == "".join(ONE_TURN["faces"])
    assert turned(SOLVED, "R") == "WGWG" + "OOOO" + "GYGY" + "RRRR" + "WBWB" + "YBYB"
    assert turned(SOLVED, "F") == "WWOO" + "OYOY" + "GGGG" + "WRWR" + "BBBB" + "RRYY"
    for face in FACES:
        assert turned(SOLVED, *face * 4) == SOLVED
        assert turned(SOLVED, face, face + "'") == SOLVED
    assert turned(SOLVED, *["R", "U", "R'", "U'"] * 6) == SOLVED  # the commutator of neighbouring faces has order six
    assert turned(SOLVED, *["R", "U", "R'", "U'"] * 3) != SOLVED


def test_the_manual_says_how_faces_are_shown_and_where_a_turn_carries_the_upper_row():
    manual = make().manual
    assert "Each line shows a face as `[a, b] [c, d]`, its upper row and then its lower row." in manual
    assert "looked at from outside with the up face above; the up face with the front below it" in manual
    for letter, color in zip("WOGRBY", ("white", "orange", "green", "red", "blue", "yellow"), strict=True):
        assert f"{letter} {color}" in manual
    sides = ("front", "left", "back", "right")
    told = re.search(
        r"U moves the upper row of the (\w+) to the (\w+), of the \w+ to the (\w+), .*?to the (\w+)", manual
    )
    assert told.groups() == sides
    faces = {name: number * 4 for number, name in enumerate(("up", "left", "front", "right", "back", "down"))}
    after = turned(SOLVED, "U")
    for source, target in zip(sides, (*sides[1:], sides[0]), strict=True):
        assert after[faces[target]] == SOLVED[faces[source]]


def test_opposite_faces_together_turn_the_whole_cube():
    assert turned(SOLVED, "U", "D'") == "WWWW" + "GGGG" + "RRRR" + "BBBB" + "OOOO" + "YYYY"
    assert len({"".join(hold(SOLVED)) for hold, _ in _holds()}) == 24


def test_the_table_has_as_many_cubes_at_each_distance_as_are_known():
    """Cubes by the quarter turns they need, as published (Cooperman, Finkelstein and Sarawagi 1990)."""
    distance = {SOLVED: 0}
    for stickers, name in _table().items():
        if name:
            distance[stickers] = distance[turned(stickers, name)] + 1
    assert sorted(Counter(distance.values()).items()) == list(enumerate((1, 6, 27, 120, 534, 2256, 8969, 33058)))


def test_the_win():
    env = make()
    text, reward, terminated, _, info = play(env, ["U'"])[-1]
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert text.startswith(
        "You turn U'. Every face has one colour.\nUp (U):    [W, W] [W, W]\nLeft (L):  [O, O] [O, O]\n"
    )


def test_a_solved_cube_may_be_held_anyhow():
    assert play(make(), ["D'"])[-1][4]["success"]


@pytest.mark.parametrize("action", ["U'", "u'", "U’", "turn U'", "rotate u prime", "Ui", "move U'"])
def test_forms_of_turning(action):
    assert play(make(), [action])[-1][4]["success"]


@pytest.mark.parametrize("action", ["X", "U2", "UU", "turn", "U ' '"])
def test_other_turns_are_refused(action):
    text, reward, _, _, info = play(make(), [action])[-1]
    assert (info["action_valid"], reward) == (False, 0.0)
    assert "Up (U):    [W, W] [W, W]" in text


@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_solved_with_at_most_the_turns_that_made_them(level):
    scramble = LEVELS[level]["scramble"]
    env = make(level=level, split="val")
    for place in range(10):
        env.reset(options={"task": place})
        reference = env.reference()
        assert 1 <= len(reference) <= min(scramble, 14)
        for left in range(len(reference), 0, -1):
            assert len(solve(env._state.stickers)) == left
            *_, info = env.step(env.oracle_action())
        assert info["success"]


def test_the_oracle_wins_from_wherever_one_stands():
    rng = np.random.default_rng(0)
    env = make(max_turns=30)
    for place in range(5):
        env.reset(options={"task": place})
        for _ in range(12):
            if not env.ended:
                env.step(env.sample_action(rng))
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]


def test_turning_to_and_fro_leads_nowhere():
    env = make()
    for actions in (("U", "U'"), ("R", "R"), ("R", "U")):
        env.reset(options={"task": {"faces": env.tasks("val")[3].spec["faces"]}})
        rewards = []
        while not env.ended:
            rewards.append(env.step(actions[env.turn % 2])[1])
        assert (sum(rewards), len(rewards)) == (0.0, 20)


@pytest.mark.parametrize(
    ("faces", "wrong"),
    [
        (["WWWW", "OOOO", "GGGG", "RRRR", "BBBB", "YYYW"], "four stickers of each"),
        (["WWWW", "OOOO", "GGGG", "RRRR", "BBBB", "YYYY"], "solved already"),
        (["WWWW", "RRRR", "GGGG", "OOOO", "BBBB", "YYYY"], "solved already"),
        (["WWWG", "OOOO", "GRGG", "WRRR", "BBBB", "YYYY"], "turning cannot solve"),
    ],
)
def test_cubes_that_cannot_be_played_are_refused(faces, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"faces": faces}})


@pytest.mark.parametrize("wrong", [{"scramble": 1}, {"scramble": 101}, {"scramble": 3.0}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match="scramble must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="easy"):
        make(level="eazy")


def test_pictures_show_a_turn():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": ONE_TURN})
    before = env.render()
    assert (before.shape, before.dtype) == ((288, 384, 3), np.uint8)
    env.step("D")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert changed[:, 0].min() >= 3 * 48  # the lower row of the four sides
    assert changed[:, 0].max() < 4 * 48
