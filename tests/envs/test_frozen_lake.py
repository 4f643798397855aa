"""FrozenLake: the optimum behind the card's figure, the dice, the views, tasks and options."""

from collections import Counter, deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games.frozen_lake import MOVES, NAMES, optimal_values

OPEN = {"rows": ["SFF", "FFF", "FFG"], "slippery": False}
CARD = agentgym.card("FrozenLake-v0")


def make(**kwargs):
    return gym.make("AgentGym/FrozenLake-v0", **kwargs).unwrapped


def walk(env, actions, **options):
    env.reset(seed=0, options=options)
    return [env.step(action) for action in actions][-1]


def solve(rows, slippery, turns):
    """Backward induction written the plain way: the best chance of reaching G from S within `turns` moves."""
    size, text = len(rows), "".join(rows)

    def reach(cell, move):
        down, right = MOVES[NAMES[move % 4]]
        row, column = divmod(cell, size)
        return min(max(row + down, 0), size - 1) * size + min(max(column + right, 0), size - 1)

    chance = {cell: float(letter == "G") for cell, letter in enumerate(text)}
    for _ in range(turns):
        before = dict(chance)
        for cell, letter in enumerate(text):
            if letter in "SF":
                odds = ((0, 0.8), (1, 0.1), (3, 0.1)) if slippery else ((0, 1.0),)
                chance[cell] = max(
                    sum(share * before[reach(cell, move + turn)] for turn, share in odds) for move in range(4)
                )
    return chance[text.index("S")]


def test_the_cards_oracle_success_is_the_mean_optimum_of_the_test_panel():
    env = make(split="test")
    values = []
    for task in env.tasks("test"):
        rows = tuple(task.spec["rows"])
        turns = 2 * (3 * len(rows) - 2)
        values.append(optimal_values(rows, True, turns)[turns]["".join(rows).index("S")])
    assert np.mean(values) == pytest.approx(CARD.oracle_success, abs=5e-5)
    for place in range(0, 500, 50):
        rows = env.tasks("test")[place].spec["rows"]
        assert values[place] == pytest.approx(solve(rows, True, 20))


def test_on_firm_ice_the_optimum_is_certain_if_the_turns_suffice():
    rows = ("SFF", "HHF", "GFF")
    assert optimal_values(rows, False, 7)[5][0] == 0.0
    assert optimal_values(rows, False, 7)[6][0] == 1.0
    assert solve(rows, False, 5) == 0.0


def test_ice_slips_to_each_side_one_time_in_ten():
    env = make()
    spec = {"rows": ["FFF", "FSF", "FFG"], "slippery": True}
    seen = Counter()
    for seed in range(4000):
        env.reset(seed=seed, options={"task": spec})
        _, _, _, _, info = env.step("up")
        seen[tuple(info["events"][0]["to"]), info["events"][0]["slipped"]] += 1
    assert set(seen) == {((0, 1), False), ((1, 0), True), ((1, 2), True)}
    deviation = (0.1 * 0.9 / 4000) ** 0.5
    for side in ((1, 0), (1, 2)):
        assert abs(seen[side, True] / 4000 - 0.1) < 4 * deviation


def test_the_dice_of_a_seed_do_not_repeat_the_numbers_that_made_its_map():
    env = make(split="val")
    slips = holes = both = 0
    for task in env.tasks("val"):
        env.reset(seed=int(task.id), options={"task": task.id})
        slip = env.step("up")[4]["events"][0]["slipped"]
        hole = task.spec["rows"][0][0] == "H"
        slips, holes, both = slips + slip, holes + hole, both + (slip and hole)
    expected = slips * holes / 500
    assert abs(both - expected) < 4 * expected**0.5


def test_firm_ice_never_slips():
    env = make(slippery=False, split="test")
    for place in range(20):
        env.reset(seed=place, options={"task": place})
        while not env.ended:
            _, reward, _, _, info = env.step(env.oracle_action())
            assert not info["events"][0]["slipped"]
        assert (info["success"], reward, info["progress"]) == (True, 1.0, 1.0)


def test_words_edges_holes_and_the_goal():
    env = make()
    text, reward, terminated, _, info = walk(env, ["go LEFT"], task=OPEN)
    assert (reward, terminated, info["action_valid"]) == (0.0, False, True)
    assert text.startswith("You go left, against the edge, and stay where you are.\nP _ _")
    text, reward, terminated, _, info = walk(env, ["down", "move down", "right", "right"], task=OPEN)
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    assert text == "You go right. You are at the goal.\n_ _ _\n_ _ _\n_ _ √"
    text, reward, terminated, _, info = walk(env, ["down"], task={"rows": ["SFF", "HFF", "FFG"], "slippery": False})
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert text == "You go down. You fall into a hole.\n_ _ _\nX _ _\n_ _ G"


def test_the_reference_and_the_expert_take_a_shortest_way():
    env = make(slippery=False, split="val")
    for place in range(20):
        env.reset(options={"task": place})
        way, rows = env.reference(), env.task.spec["rows"]
        size, text = len(rows), "".join(rows)
        steps, frontier = {text.index("S"): 0}, deque([text.index("S")])
        while frontier:
            cell = frontier.popleft()
            row, column = divmod(cell, size)
            for down, right in MOVES.values():
                if 0 <= row + down < size and 0 <= column + right < size:
                    other = (row + down) * size + column + right
                    if text[other] != "H" and other not in steps:
                        steps[other] = steps[cell] + 1
                        frontier.append(other)
        assert len(way) == steps[text.index("G")]
        for action in way:
            *_, info = env.step(action)
        assert info["success"]
        env.reset(options={"task": place})
        for _ in way:
            *_, info = env.step(env.expert_action())
        assert info["success"]


def test_the_coordinates_view_says_the_same_in_words():
    env = make(view="coordinates")
    text, _ = env.reset(options={"task": {"rows": ["SFH", "FFF", "HFG"], "slippery": False}})
    assert "Board size: 3 rows x 3 columns, (row, column), zero-indexed." in text
    assert "Start: (0, 0)\nGoal: (2, 2)\nHoles: (0, 2), (2, 0)\nPlayer: (0, 0)" in text
    assert "Player: (1, 0)" in env.step("down")[0]
    assert "Holes: none" in env.reset(options={"task": OPEN})[0]


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["SFF", "FFF", "FF"], "as many letters"),
        (["SFF", "FXF", "FFG"], "as many letters"),
        (["SFF", "FSF", "FFG"], "exactly one S"),
        (["SFF", "FFF", "FFF"], "exactly one S"),
        (["SHF", "HFF", "FFG"], "no way from S to G"),
        (["SG", "FF"], "at least 3 items"),
        (["SFF", "FFF", 7], "must be of type string"),
    ],
)
def test_maps_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows, "slippery": False}})


def test_options_change_what_they_name():
    for size in (3, 8):
        env = make(size=size, slippery=False)
        env.reset(seed=1)
        assert (len(env.task.spec["rows"]), env.max_turns) == (size, 3 * size - 2)
    slippery = make(size=8)
    slippery.reset(seed=1)
    assert (slippery.max_turns, CARD.max_turns) == (44, 44)
    holes = {}
    for frozen in (0.5, 1.0):
        env = make(frozen=frozen)
        holes[frozen] = sum("".join(env.tasks("train")[place].spec["rows"]).count("H") for place in range(50))
    assert holes[1.0] == 0 < holes[0.5]


@pytest.mark.parametrize(
    "wrong",
    [{"size": 2}, {"size": 9}, {"size": 4.0}, {"slippery": 1}, {"frozen": 0.2}, {"frozen": 1.1}, {"view": "picture"}],
)
def test_impossible_options_are_refused(wrong):
    name = next(iter(wrong))
    with pytest.raises(ConfigError, match=f"{name} must be"):
        make(**wrong)


def test_pictures_show_the_player_move():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": OPEN})
    before = env.render()
    assert (before.shape, before.dtype) == ((144, 144, 3), np.uint8)
    env.step("right")
    after = env.render()
    changed = np.argwhere((before != after).any(axis=2))
    assert changed[:, 0].max() < 48
    assert 48 < changed[:, 1].max() < 96
    assert not np.shares_memory(before, after)
    lines = make(render_mode="ansi")
    lines.reset(options={"task": OPEN})
    lines.step("right")
    assert "turn 1 of 7]\n> right\nYou go right.\n_ P _" in lines.render()
