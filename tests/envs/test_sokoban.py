"""Sokoban: the published reward, pushes and refusals, the solver against plain search, levels, views, options."""

from collections import deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._sokoban import board, levels, solver

CARD = agentgym.card("Sokoban-v0")
LINE = {"rows": ["#######", "#P_X_O#", "#_____#", "#######"]}
TWO = {"rows": ["#######", "#P_XO_#", "#__XO_#", "#_____#", "#######"]}


def make(**kwargs):
    return gym.make("AgentGym/Sokoban-v0", **kwargs).unwrapped


def play(env, actions, spec=None):
    if spec is not None:
        env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def fewest_moves(rows):
    """Breadth-first search over single moves, written the plain way; None if there is no solution."""
    cells = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row)}
    targets = {cell for cell, sign in cells.items() if sign in "O√S"}
    start = next(cell for cell, sign in cells.items() if sign in "PS")
    first = (start, frozenset(cell for cell, sign in cells.items() if sign in "X√"))
    seen, frontier = {first}, deque([(first, 0)])
    while frontier:
        ((row, column), boxes), moves = frontier.popleft()
        if boxes == targets:
            return moves
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            ahead, beyond = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if cells[ahead] == "#" or (ahead in boxes and (cells[beyond] == "#" or beyond in boxes)):
                continue
            after = (ahead, boxes - {ahead} | {beyond} if ahead in boxes else boxes)
            if after not in seen:
                seen.add(after)
                frontier.append((after, moves + 1))
    return None


def test_the_solver_finds_a_shortest_solution():
    for size, boxes in ((6, 1), (6, 2), (7, 2)):
        for seed in range(25):
            rows = levels.make(seed, size, boxes, 90)
            level = board.read(tuple(rows))
            assert len(solver.solve(level, level.player, level.boxes)) == fewest_moves(rows)


def test_the_solver_knows_what_cannot_be_solved():
    for rows in (
        ["#####", "#X_P#", "#__O#", "#####"],
        ["######", "#PXX_#", "#_XX_#", "#_OO_#", "#_OO_#", "######"],
    ):
        level = board.read(tuple(rows))
        assert solver.solve(level, level.player, level.boxes) is None is fewest_moves(rows)


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_levels_are_solved_within_the_turns_with_every_box_off_its_target(level):
    env = make(level=level, split="val")
    for place in range(12):
        env.reset(options={"task": place})
        rows = env.task.spec["rows"]
        options = {"easy": (6, 1), "medium": (8, 2), "hard": (10, 3), "expert": (10, 4)}[level]
        text = "".join(rows)
        assert (len(rows), len(rows[0]), text.count("X")) == (options[0], *options)
        assert text.count("√") == 0
        assert 1 <= len(env.reference()) <= 90
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]


def test_the_published_reward_of_each_move():
    steps = play(make(), ["right", "right", "right"], LINE)
    assert [round(step[1], 6) for step in steps] == [-0.1, -0.1, 10.9]
    assert (steps[-1][2], steps[-1][4]["success"], steps[-1][4]["progress"]) == (True, True, 1.0)
    assert steps[1][4]["events"] == [{"type": "push", "from": [1, 3], "to": [1, 4]}]
    assert steps[-1][0].startswith("You push a box right onto a target. Every box is on a target.\n#######\n#___P√#")
    env = make()
    steps = play(env, ["right", "right"], TWO)
    assert steps[-1][1] == pytest.approx(0.9)
    assert (steps[-1][2], steps[-1][4]["progress"]) == (False, 0.5)
    step = env.step("right")
    assert step[1] == pytest.approx(-1.1)
    assert step[0].startswith("You push a box right off its target.")
    assert step[4]["progress"] == 0.0
    assert "#___SX#" in step[0]


def test_what_cannot_move_is_refused_at_the_price_of_a_turn():
    env = make()
    (text, reward, _, _, info), *_ = play(env, ["up"], LINE)
    assert (info["action_valid"], info["error"]) == (False, "You cannot go up: there is a wall.")
    assert reward == -0.1
    assert "#P_X_O#" in text
    assert env.admissible_actions() == ["down", "right"]
    *_, (_, reward, _, _, info) = play(
        env, ["right", "down"], {"rows": ["#####", "#P__#", "#_X_#", "#_X_#", "#_OO#", "#___#", "#####"]}
    )
    assert (info["error"], reward) == ("You cannot push the box down: another box is behind it.", -0.1)
    assert env.step("gibberish")[1] == -0.1


def test_neither_noise_nor_pushing_on_and_off_pays():
    env = make(max_turns=40)
    env.reset(options={"task": LINE})
    assert sum(env.step("nonsense")[1] for _ in range(40)) == pytest.approx(-4.0)
    room = {"rows": ["########", "#P_____#", "#_XO___#", "#__X___#", "#__O___#", "########"]}
    around = ["down", "right", "up", "right", "right", "right", "down", "left", "left", "up", "left", "left"]
    env = make()
    env.reset(options={"task": room})
    total, ons = 0.0, 0
    for turn in range(96):
        _, reward, terminated, _, _ = env.step(around[turn % len(around)])
        assert not terminated
        total, ons = total + reward, ons + (reward > 0)
    assert ons > 1
    assert total < 0


def test_vocabularies_and_views_say_the_same():
    room = ["#######", "#_____#", "#P_X__#", "#O√___#", "#__#__#", "#######"]
    shown = {}
    for name, signs in (("symbols", "#_OX√PS"), ("letters", "W.GCBA@"), ("xsb", "# .$*@+")):
        env = make(vocabulary=name)
        text, _ = env.reset(options={"task": {"rows": room}})
        assert "wall" in text.split("\n")[1]
        grid = "\n".join(text.split("\n")[2:8])
        shown[name] = grid.translate(str.maketrans(signs, "#_OX√PS"))
    assert len(set(shown.values())) == 1
    assert shown["xsb"] == "\n".join(room)
    room = ["#######", "#_____#", "#S_X__#", "#_√___#", "#__#__#", "#######"]
    text, _ = make(view="coordinates").reset(options={"task": {"rows": room}})
    assert "Board size: 6 rows x 7 cols (zero-indexed).\nWalls: the outermost cells, and inside: (4, 3)\n" in text
    assert "Targets: (2, 1), (3, 2)\nBoxes: (2, 3)\nBoxes on target: (3, 2)\nPlayer on target: (2, 1)\n" in text
    assert "#" not in text
    text, _ = make(view="both").reset(options={"task": LINE})
    assert "Coordinates:\nBoard size: 4 rows" in text
    assert "Grid Map:\n#######\n#P_X_O#" in text


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["####", "#PX#", "###"], "equal length"),
        (["####", "#P?#", "####"], "made of the signs"),
        (["#####", "#PXO_", "#####"], "outermost cells"),
        (["#####", "#_XO#", "#####"], "exactly one player"),
        (["######", "#PP__#", "#_XO_#", "######"], "exactly one player"),
        (["#####", "#P√_#", "#####"], "one box off its target"),
        (["######", "#PX_X#", "#___O#", "######"], "as many boxes as targets"),
        (["#####", "#X_P#", "#__O#", "#####"], "no solution"),
    ],
)
def test_levels_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize(
    "wrong", [{"size": 5}, {"size": 13}, {"boxes": 0}, {"boxes": 5}, {"view": "map"}, {"vocabulary": "emoji"}]
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="easy"):
        make(level="eazy")


def test_options_stand_above_the_level():
    env = make(level="medium", boxes=3)
    env.reset(seed=0)
    assert (len(env.task.spec["rows"]), "".join(env.task.spec["rows"]).count("X")) == (8, 3)


def test_the_oracle_goes_on_after_a_detour_and_after_a_mistake_that_cannot_be_mended():
    env = make(split="val")
    env.reset(options={"task": LINE})
    play(env, ["down", "right", "up", "left"])
    while not env.ended:
        *_, info = env.step(env.oracle_action())
    assert info["success"]
    env.reset(options={"task": {"rows": ["#####", "#___#", "#_XO#", "#_P_#", "#####"]}})
    env.step("up")
    assert env.oracle_action() in env.admissible_actions()


def test_pictures_show_boxes_move():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": LINE})
    env.step("right")
    before = env.render()
    assert (before.shape, before.dtype) == ((192, 336, 3), np.uint8)
    env.step("right")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert 48 <= changed[:, 0].min() <= changed[:, 0].max() < 96
    assert 96 <= changed[:, 1].min() <= changed[:, 1].max() < 240
