"""The Tower of Hanoi: moves, shortest solutions against what is proved, tasks, options, pictures."""

from itertools import product

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games.tower_of_hanoi import LEVELS

TOWER = {"start": [[3, 2, 1], [], []], "goal": [[], [], [3, 2, 1]]}


def make(**kwargs):
    return gym.make("AgentGym/TowerOfHanoi-v0", **kwargs).unwrapped


def tower(disks, pegs=3):
    empty = [[] for _ in range(pegs - 1)]
    return {"start": [list(range(disks, 0, -1)), *empty], "goal": [*empty, list(range(disks, 0, -1))]}


def play(env, actions, spec=TOWER):
    env.reset(options={"task": spec})
    return [env.step(action) for action in actions]


def test_the_classic_solution_wins_and_every_view_is_right():
    env = make()
    moves = ["A to C", "A to B", "C to B", "A to C", "B to A", "B to C", "A to C"]
    replies = play(env, moves)
    assert replies[0][0] == "You move disk 1 from A to C.\nA: 3 2\nB: -\nC: 1\nGoal: A: - | B: - | C: 3 2 1"
    text, reward, terminated, _, info = replies[-1]
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert text.startswith("You move disk 1 from A to C. All disks lie as the goal says.\nA: -\nB: -\nC: 3 2 1\n")
    assert sum(reply[1] for reply in replies) == 1.0


@pytest.mark.parametrize(
    "action",
    [
        "move A to C",
        "MOVE a TO c",
        "move from A to C",
        "move A C",
        "A -> C",
        "move A->C",
        "move the top disk from A to C",
    ],
)
def test_forms_of_moving(action):
    assert "\nC: 1\n" in play(make(), [action])[0][0]


@pytest.mark.parametrize(
    ("actions", "wrong"),
    [
        (["B to C"], "Peg B is empty."),
        (["A to A"], "moves to another peg"),
        (["A to D"], "'D' is no <other peg> of 'move <peg> to <other peg>'; it is one of: a, b, c."),
        (["A to C", "A to C"], "Disk 2 is larger than disk 1, the top of C."),
        (["A to E"], "'E' is no <other peg>"),
    ],
)
def test_moves_against_the_rules_are_refused(actions, wrong):
    env = make()
    text, reward, _, _, info = play(env, actions)[-1]
    assert (info["action_valid"], reward) == (False, 0.0)
    assert wrong in text.replace("_", " ")
    assert "Goal: " in text


def test_the_manual_names_the_pegs_that_there_are():
    env = make()
    assert "The pegs are A, B, C. " in env.grammar.manual
    assert "d." not in env.grammar.manual.split("<peg> is one of")[1].split("<other peg> is")[0]
    env.reset(options={"task": {"start": [[3, 2, 1], [], [], []], "goal": [[], [], [], [3, 2, 1]]}})
    assert env.step("A to D")[-1]["action_valid"]
    assert "The pegs are A, B, C, D. " in env.grammar.manual
    env.reset(seed=0)
    assert not env.step("A to D")[-1]["action_valid"]


def test_a_whole_tower_takes_the_known_number_of_moves():
    env = make()
    for disks, pegs in product(range(1, 9), (3, 4)):
        if pegs == 4 and disks > 6:
            continue
        env.reset(options={"task": tower(disks, pegs)})
        fewest = 2**disks - 1 if pegs == 3 else (1, 3, 5, 9, 13, 17)[disks - 1]  # Frame and Stewart 1941
        assert len(env.reference()) == fewest
        assert env.max_turns == 2 ** (disks + 1) + 4


def test_the_largest_disk_may_have_to_move_twice():
    """Romik: here the way through the third peg takes five moves, the direct one seven."""
    spec = {"start": [[3], [], [2, 1]], "goal": [[2, 1], [], [3]]}
    env = make()
    env.reset(options={"task": spec})
    assert len(env.reference()) == 5
    told = [env.step(action)[0] for action in env.reference()]
    assert sum(text.startswith("You move disk 3") for text in told) == 2
    assert env.ended


@pytest.mark.parametrize(("level", "pegs"), [*((level, 3) for level in LEVELS), ("easy", 4), ("hard", 4)])
def test_levels_are_solved_from_wherever_one_stands(level, pegs):
    env = make(level=level, pegs=pegs, split="val")
    disks = LEVELS[level]["disks"]
    rng = np.random.default_rng(0)
    for place in range(3):
        env.reset(options={"task": place})
        assert sum(map(len, env.task.spec["start"])) == disks
        assert len(env.task.spec["goal"]) == pegs
        for _ in range(6):
            if not env.ended:
                action = env.sample_action(rng)
                assert env.step(action)[4]["action_valid"]
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]


def test_the_admissible_moves_are_those_that_are_not_refused():
    env = make()
    rng = np.random.default_rng(1)
    env.reset(options={"task": tower(4, 4)})
    for _ in range(15):
        every = [f"move {one} to {other}" for one, other in product("ABCD", repeat=2)]
        accepted = [action for action in every if env.fork(reseed=0).step(action)[4]["action_valid"]]
        assert env.admissible_actions() == accepted
        env.step(accepted[int(rng.integers(len(accepted)))])


def test_swinging_leads_nowhere():
    env = make()
    env.reset(options={"task": TOWER})
    rewards = []
    while not env.ended:
        rewards.append(env.step(("A to B", "B to A")[env.turn % 2])[1])
    assert (sum(rewards), len(rewards)) == (0.0, 20)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"goal": [[3, 2, 1], [], []]}, "the same"),
        ({"goal": [[], [3, 2], []]}, "same pegs and disks"),
        ({"goal": [[], [1, 2, 3], []]}, "larger disks first"),
        ({"goal": [[], [], [], [3, 2, 1]]}, "same pegs and disks"),
        ({"start": [[4, 2, 1], [], []], "goal": [[], [4, 2, 1], []]}, "numbered 1 to"),
        ({"start": [[2, 2], [], []], "goal": [[], [2, 2], []]}, "numbered 1 to"),
        (tower(7, 4), "at most 6 on 4 pegs"),
        ({"start": [[], [], []], "goal": [[], [], []]}, "numbered 1 to"),
    ],
)
def test_arrangements_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": TOWER | change})


@pytest.mark.parametrize("wrong", [{"disks": 2}, {"disks": 9}, {"disks": 7, "pegs": 4}, {"pegs": 5}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="easy"):
        make(level="eezy")


def test_pictures_show_a_disk_move():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": TOWER})
    before = env.render()
    assert (before.shape, before.dtype) == ((240, 576, 3), np.uint8)
    env.step("A to B")
    changed = (before != env.render()).any(axis=(0, 2))
    assert changed[:192].any()
    assert changed[192:384].any()
    assert not changed[384:].any()
