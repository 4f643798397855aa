"""Jigsaw: exchanges, looking, pictures that fit in one way only, the fewest exchanges, pictures of the board."""

from collections import deque
from itertools import combinations, permutations

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._jigsaw import pictures

CARD = agentgym.card("Jigsaw-v0")
PIECES = [["RRG", "RRG", "BBY"], ["GGW", "GGW", "YWW"], ["BBY", "BKY", "BKK"], ["YWW", "YWO", "KOO"]]
FOUR = {"pieces": PIECES, "order": [2, 1, 0, 3]}


def make(**kwargs):
    return gym.make("AgentGym/Jigsaw-v0", **kwargs).unwrapped


def play(env, actions, spec=FOUR):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def fewest_swaps(order):
    """Breadth-first search over orders."""
    seen, frontier = {tuple(order)}, deque([(tuple(order), 0)])
    while frontier:
        here, steps = frontier.popleft()
        if list(here) == sorted(here):
            return steps
        for one, other in combinations(range(len(here)), 2):
            after = list(here)
            after[one], after[other] = after[other], after[one]
            if tuple(after) not in seen:
                seen.add(tuple(after))
                frontier.append((tuple(after), steps + 1))
    return None


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_levels_are_solved_by_who_has_only_seen_the_pieces(level):
    env = make(level=level, split="val")
    side = {"easy": 2, "medium": 3, "hard": 4, "expert": 5}[level]
    for place in range(8):
        env.reset(options={"task": place})
        order = env.task.spec["order"]
        assert (len(order), env.max_turns) == (side * side, 3 * side * side + 6)
        swaps = env.reference()
        if side == 2:
            assert len(swaps) == fewest_swaps(order)
        while not env.ended:
            assert env.expert_action() == env.oracle_action()
            *_, info = env.step(env.expert_action())
        assert (info["success"], env.turn) == (True, len(swaps))


def test_pieces_fit_in_one_way_only():
    for seed in range(15):
        pieces, _ = pictures.make(seed, 2, 4, 4)
        fitting = [
            order
            for order in permutations(range(4))
            if pictures.beside(pieces[order[0]], pieces[order[1]])
            and pictures.beside(pieces[order[2]], pieces[order[3]])
            and pictures.above(pieces[order[0]], pieces[order[2]])
            and pictures.above(pieces[order[1]], pieces[order[3]])
        ]
        assert fitting == [(0, 1, 2, 3)]
    for seed in range(10):
        pieces, order = pictures.make(seed, 4, 3, 4)
        assert list(pictures.solutions(pieces, 4)) == [list(range(16))]
        laid = [pieces[piece] for piece in order]
        assert [laid[order.index(place)] for place in range(16)] == pieces
    assert len({tuple(pictures.make(seed, 3, 4, 4)[0]) for seed in range(30)}) == 30


def test_the_board_and_an_exchange():
    env = make()
    text, _ = env.reset(options={"task": FOUR})
    assert "Colours: B blue, G green, K black, O orange, R red, W white, Y yellow.\n" in text
    assert text.splitlines()[2:5] == ["B B Y | G G W", "B K Y | G G W", "B K K | Y W W"]
    assert text.splitlines()[5] == "------+------"
    for said in ("swap 1 and 2", "swap 1 2", "Swap 2, 1", "swap 1, 2"):
        ((text, reward, terminated, _, info),) = play(env, [said])
        assert text.splitlines()[1] == "Pieces by place: 2 1 3 4"
        assert (reward, terminated, info["action_valid"]) == (0.0, False, True)
    text, reward, terminated, _, info = play(env, ["swap 1 and 3"])[0]
    assert text == "You exchange the pieces at 1 and 3. The picture is whole.\nPieces by place: 3 2 1 4"
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    text = play(make(feedback="always"), ["swap 1 and 3"])[0][0]
    assert text.splitlines()[1] == "R R G | G G W"


def test_looking_shows_the_board_as_it_lies():
    env = make()
    steps = play(env, ["swap 1 and 2", "observe", "zoom 2", "look at 4", "crop 2 3 4 5"])
    assert steps[1][0].splitlines()[:2] == ["The board:", "G G W | B B Y"]
    assert steps[2][0] == "The piece at place 2:\nB B Y\nB K Y\nB K K"
    assert steps[3][0] == "The piece at place 4:\nY W W\nY W O\nK O O"
    assert steps[4][0] == "Rows 2 to 4, columns 3 to 5:\nW B K\nW B K\nG Y W"
    assert all(step[1] == 0 and step[4]["action_valid"] for step in steps)
    assert steps[-1][4]["progress"] == 0.25


def test_what_cannot_be_done_is_refused():
    for action, reason in (
        ("swap 1 and 5", "There is no place '5'; the places are 1 to 4."),
        ("swap x and 2", "There is no place 'x'; the places are 1 to 4."),
        ("swap 2 and 2", "A piece cannot be exchanged with itself; name two places."),
        ("zoom 0", "There is no place '0'; the places are 1 to 4."),
        ("crop 1 1 7 2", "Rows and columns are whole numbers from 1 to 6, the smaller first."),
        ("crop 3 1 2 2", "Rows and columns are whole numbers from 1 to 6, the smaller first."),
    ):
        ((text, _, _, _, info),) = play(make(), [action])
        assert (info["action_valid"], info["error"]) == (False, reason)
        assert text.endswith("\nPieces by place: 1 2 3 4")


def test_exchanging_back_and_forth_and_looking_pay_nothing():
    for said in (("swap 1 and 2",), ("observe", "zoom 1", "crop 1 1 2 2")):
        env = make()
        env.reset(options={"task": FOUR})
        total = 0.0
        while not env.ended:
            total += env.step(said[env.turn % len(said)])[1]
        assert (total, env.turn) == (0.0, 18)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"pieces": PIECES, "order": [0, 1, 2, 3]}, "not in order"),
        ({"pieces": PIECES, "order": [0, 1, 2, 2]}, "each of 0 to 3 once"),
        ({"pieces": [*PIECES, PIECES[0]], "order": [0, 2, 1, 3, 4]}, "4, 9, 16 or 25"),
        ({"pieces": [PIECES[0], PIECES[2], PIECES[1], PIECES[3]], "order": [1, 0, 2, 3]}, "must fit together"),
        ({"pieces": [["RRR"] * 3] * 4, "order": [1, 0, 2, 3]}, "must fit together"),
        ({"pieces": [["abc"] * 3] * 4, "order": [1, 0, 2, 3]}, "the letters RGBYWKO"),
        ({"pieces": [["RRRR"] * 3] * 4, "order": [1, 0, 2, 3]}, "of one size"),
    ],
)
def test_jigsaws_that_cannot_be_played_are_refused(spec, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": spec})


@pytest.mark.parametrize("wrong", [{"size": 1}, {"cells": 2}, {"colors": 8}, {"feedback": "never"}, {"size": True}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="expert"):
        make(level="exprt")


def test_pictures_show_an_exchange():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": FOUR})
    before = env.render()
    assert (before.shape, before.dtype) == ((76, 76, 3), np.uint8)
    env.step("swap 1 and 3")
    after = env.render()
    assert (before[:36, :36] == after[40:, :36]).all()
    assert (before[:, 40:] == after[:, 40:]).all()
