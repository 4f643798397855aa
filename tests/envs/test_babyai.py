"""BabyAI behind the contract: the package's levels, moves and verdicts, in words; plans for every level."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import AgentGymError, ConfigError, MissingExtra, TaskError, UnknownName
from agentgym.envs.text._babyai.levels import BALROG, LEVELS, SECOND
from agentgym.envs.text.babyai import BALROG_MOVES

INSTALLED = importlib.util.find_spec("minigrid") is not None
RECORDED = Path(__file__).with_name("balrog_babyai.json.gz")
original = pytest.mark.skipif(
    not INSTALLED, reason='minigrid is not installed: run  pip install "agentgym-suite[worlds]"'
)


def make(**kwargs):
    return gym.make("AgentGym/BabyAI-v0", **kwargs).unwrapped


def start(level, seed=0, **kwargs):
    env = make(**kwargs)
    return env, env.reset(seed=0, options={"task": {"level": level, "seed": seed}})[0]


def theirs(level, seed):
    """The package's own environment, begun."""
    env = gym.make(f"BabyAI-{level}-{'v1' if level in SECOND else 'v0'}", disable_env_checker=True).unwrapped
    env.reset(seed=seed)
    return env


def play_out(env, ask):
    total = 0.0
    while not env.ended:
        _, reward, _, _, info = env.step(getattr(env, ask)())
        assert info["action_valid"], info["error"]
        total += reward
    return total, info


@pytest.mark.skipif(INSTALLED, reason="minigrid is installed here")
def test_without_the_package_one_line_names_the_extra():
    with pytest.raises(MissingExtra) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@original
@pytest.mark.parametrize("level", LEVELS)
def test_levels_moves_and_verdicts_are_the_packages(level, capfd):
    """The same primitive moves here and in the package, with a state put back in between now and then."""
    env, _ = start(level, seed=5, style="balrog")
    assert capfd.readouterr() == ("", "")
    other = theirs(level, 5)
    assert env.task.instruction == other.mission
    assert env.max_turns == other.max_steps
    names = env.admissible_actions()
    rng = np.random.default_rng(3)
    for turn in range(150):
        number = int(rng.choice([0, 1, 2, 2, 3, 4, 5]))
        action = BALROG_MOVES[number]
        assert action in names
        if turn % 20 == 7:
            saved = env.snapshot()
            env.step("toggle")
            env.step("go forward")
            env.restore(saved)
        _, reward, terminated, truncated, _ = other.step(number)
        mine = env.step(action)
        assert mine[1:4] == (float(reward), terminated, truncated)
        assert (env._board.picture(env._state, 4) == other.get_pov_render(4)).all()
        if terminated or truncated:
            break


PUBLISHED = """
1 GoToRedBallGrey  2 GoToRedBall  3 GoToRedBallNoDists  4 GoToObjS6  5 GoToLocalS8N7  6 GoToObjMazeS7  7 GoToImpUnlock
8 GoToSeqS5R2  9 GoToRedBlueBall  10 GoToDoor  11 GoToObjDoor  12 Open  13 OpenRedDoor  14 OpenDoorLoc
15 OpenRedBlueDoorsDebug  16 OpenDoorsOrderN4Debug  17 Pickup  18 UnblockPickup  19 PickupLoc  20 PickupDistDebug
21 PickupAbove  22 PutNextLocalS6N4  23 PutNextS7N4Carrying  24 Unlock  25 UnlockLocalDist  26 KeyInBox
27 UnlockPickupDist  28 BlockedUnlockPickup  29 UnlockToUnlock  30 ActionObjDoor  31 FindObjS7  32 KeyCorridorS6R3
33 OneRoomS20  34 MoveTwoAcrossS8N9  35 SynthS5R2  36 SynthLoc  37 SynthSeq  38 MiniBossLevel  39 BossLevel
40 BossLevelNoUnlock
"""  # AgentGym's numbers; there a task of index n is in level n % 40 + 1, with the seed n // 40


def test_the_levels_are_those_of_the_published_numbers():
    words = PUBLISHED.split()
    assert [int(word) for word in words[::2]] == list(range(1, 41))
    assert list(LEVELS) == words[1::2]


@original
def test_the_published_numbering():
    tasks = make().tasks("train")
    for number in (1000, 1041, 1999):
        spec = tasks.by_id(str(number)).spec
        assert spec == {"level": LEVELS[number % 40], "seed": number // 40}


@original
@pytest.mark.parametrize("seed", [1, 2])
def test_plans_win_in_every_level(seed):
    for level in (*LEVELS, *BALROG):
        env, _ = start(level, seed)
        if level == "OpenDoorsOrderN4Debug" and not env.fits(env.config, "train", env.task.spec):
            continue
        reward, info = play_out(env, "expert_action" if seed == 1 else "oracle_action")
        assert info["success"], (level, env.task.instruction)
        assert reward == pytest.approx(1 - 0.9 * info["metrics"]["steps"] / other_limit(level, seed))


def other_limit(level, seed):
    from agentgym.envs.text._babyai.board import board

    return board(level, seed).most_steps


@original
@pytest.mark.parametrize(
    "level", ["KeyInBox", "PutNextS7N4Carrying", "UnlockToUnlock", "MiniBossLevel", "KeyCorridorS6R3"]
)
def test_plans_win_from_the_middle_of_an_episode(level):
    env, _ = start(level, 4)
    rng = np.random.default_rng(0)
    for _ in range(25):
        env.step(env.sample_action(rng))
    assert not env.ended
    assert play_out(env, "oracle_action")[1]["success"]


@original
@pytest.mark.parametrize(
    ("index", "why"),
    [
        (66, "what bars the way is moved before the box is fetched"),
        (100, "there is a way around the key, but for its door"),
        (106, "nothing is free beside the ball: room is made"),
    ],
)
def test_plans_win_where_things_are_in_the_way(index, why):
    env = make()
    env.reset(options={"task": index})
    assert play_out(env, "oracle_action")[1]["success"], why


@original
@pytest.mark.parametrize(
    ("level", "seed", "why"),
    [
        ("SynthS5R2", 10_004, "in a corner among things, what is taken up changes places with the player"),
        ("SynthS5R2", 10_009, "the same, with a door to open"),
        ("GoToObjDoor", 10_012, "the door is faced from the beginning"),
    ],
)
def test_plans_win_from_a_corner(level, seed, why):
    env, _ = start(level, seed)
    assert play_out(env, "oracle_action")[1]["success"], why


@original
def test_a_key_behind_its_own_door_is_in_no_split():
    env = make()
    assert not env.fits(env.config, "train", {"level": "GoToImpUnlock", "seed": 6})
    assert not env.fits(env.config, "train", {"level": "Unlock", "seed": 53_687_104})
    assert env.fits(env.config, "train", {"level": "Unlock", "seed": 0})


def fits(env, seed):
    return env.fits(env.config, "train", {"level": "OpenDoorsOrderN4Debug", "seed": seed})


@original
def test_a_mission_of_two_doors_that_the_package_fails_is_in_no_split():
    env = make()
    tasks = env.tasks("train")
    with pytest.raises(TaskError, match="no part of split"):
        tasks.by_id(str(15 + 40 * 10_000 + 40 * next(n for n in range(99) if not fits(env, 10_000 + n))))
    env.reset(options={"task": {"level": "OpenDoorsOrderN4Debug", "seed": 0}})
    assert env.task.instruction == "open the purple door after you open the red door"
    with pytest.raises(AgentGymError, match="no plan was found"):
        env.reference()


@original
def test_the_words_of_a_view():
    env, text = start("GoToLocalS8N7", 0)
    assert text.startswith("Your goal: go to ")
    body = text.split("\n")[1]
    assert body.endswith("You are not carrying anything.")
    assert "The room has walls around you. You are facing a wall " in body
    seen = env._seen().sights
    assert [abs(each.right) + each.ahead for each in seen] == sorted(abs(each.right) + each.ahead for each in seen)
    for each in seen:
        assert f"There is a {each.label} " in body
    assert "You can take the following actions: " in env.step("check available actions")[0]


@original
@pytest.mark.parametrize("spelling", ["pick up", "pickup", "PICK UP"])
def test_both_spellings_of_pick_up(spelling):
    env, _ = start("PickupLoc", 3)
    while not env._seen().sights:
        env.step("turn left")
    name = env._seen().sights[0].label
    text, *_, info = env.step(f"{spelling} {name}")
    assert info["action_valid"]
    assert f"You are carrying a {name.rsplit(' ', 1)[0]}." in text
    assert env.step("drop")[4]["action_valid"]
    text, *_, info = env.step(spelling)
    assert info["action_valid"]
    assert "You are carrying a " in text


@original
def test_an_action_that_stands_for_several_counts_their_moves():
    env, _ = start("GoToLocalS8N7", 0)
    while not env._seen().sights:
        env.step("turn left")
    before = env._state.steps
    far = max(env._seen().sights, key=lambda each: each.ahead)
    *_, info = env.step(f"go to {far.label}")
    assert info["metrics"]["steps"] - before > 1
    facing = next(each for each in env._seen().sights if (each.ahead, each.right) == (1, 0))
    text, *_, info = env.step(f"go to {facing.label}")
    assert not info["action_valid"]
    assert text.startswith(f"No change in state. You are in front of {facing.label}.\n")


@original
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("drop", "You cannot drop the object, as you are not carrying anything."),
        ("toggle", "There is no door or box in front of you to toggle."),
        ("pick up red ball 9", "You do not see 'red ball 9'."),
        ("go through grey wall 1", "You do not see 'grey wall 1'."),
        ("dance", "'dance' is not an action here."),
    ],
)
def test_what_is_refused_says_why_and_moves_nothing(action, reason):
    env, _ = start("GoToRedBallNoDists", 0)
    key, steps = env.state_key(), env._state.steps
    text, reward, _, _, info = env.step(action)
    assert (info["action_valid"], reward, env.state_key(), env._state.steps) == (False, 0.0, key, steps)
    assert text.startswith(reason)
    assert info["metrics"]["steps"] == steps


@original
def test_a_locked_door_asks_for_its_key():
    env, _ = start("UnlockToUnlock", 0)
    for _ in range(200):
        door = next((each for each in env._seen().sights if "locked door" in each.name), None)
        if door is not None:
            break
        env.step(env.oracle_action())
    text = env.step(f"toggle and go through {door.label}")[0]
    assert text.startswith(f"You cannot toggle and go through {door.label}, as ")
    assert env.step(f"go through {door.label}")[0].startswith(
        f"You cannot go through {door.label}, as it is closed. You should toggle it first."
    )


@original
def test_missions_keep_their_order():
    told = [start("SynthSeq", seed)[0].task.instruction for seed in range(12)]
    assert any(", then " in mission for mission in told)
    assert any(" after you " in mission for mission in told)


@original
def test_moves_that_run_out_truncate():
    env, _ = start("GoToObjS6", 1)
    for turn in range(36):
        *_, terminated, truncated, info = env.step("turn left" if turn % 2 else "turn right")
    assert (terminated, truncated, info["success"], env.turn) == (False, True, False, 36)
    env, _ = start("PutNextLocalS6N4", 1)
    rng = np.random.default_rng(1)
    while not env.ended:
        _, _, terminated, truncated, info = env.step(env.sample_action(rng))
    assert truncated
    assert info["metrics"]["steps"] == 72
    assert env.turn < 72


@original
def test_balrogs_tasks_and_actions():
    env = make(style="balrog", split="test")
    assert {env.tasks("test")[index].spec["level"] for index in range(5)} == set(BALROG)
    text, _ = env.reset(options={"task": {"level": "goto", "seed": 1}})
    assert text.startswith("Your goal is to go to ")
    assert env.admissible_actions() == ["drop", "go forward", "pick up", "toggle", "turn left", "turn right"]
    assert env.max_turns == 64
    assert not env.step("go to red ball 1")[4]["action_valid"]
    *_, info = env.step("drop")  # does nothing, but is a move, as in BALROG
    assert (info["action_valid"], info["metrics"]["steps"]) == (True, 1.0)
    _, info = play_out(env, "oracle_action")
    assert info["metrics"]["progression"] == 100.0
    assert env.task_kind == "goto"


@original
def test_frames_are_balrogs_own():
    """Random moves, recorded from BALROG's wrapper over its own branch of Minigrid: 20 episodes."""
    env = make(style="balrog")
    for episode in json.loads(gzip.decompress(RECORDED.read_bytes())):
        task = {"level": episode["task"], "seed": episode["seed"]}
        text, _ = env.reset(options={"task": task})
        assert (env.task.instruction, env.max_turns) == (episode["mission"], episode["limit"])
        assert text.startswith(f"Your goal is to {episode['mission']}\n{episode['frames'][0]}\nActions: ")
        for action, frame, (reward, over, cut) in zip(
            episode["acts"], episode["frames"][1:], episode["ends"], strict=True
        ):
            mine, paid, terminated, truncated, _ = env.step(action)
            if over:
                frame = f"{frame}\nThe task is completed." if frame else "\nThe task is completed."
            assert (mine, paid, terminated, truncated) == (frame, reward, over, cut and not over)


@original
def test_unknown_names_are_told():
    with pytest.raises(UnknownName, match="did you mean 'GoToRedBall'"):
        make(levels=["gotoredball"])
    with pytest.raises(ConfigError, match="style must be one of"):
        make(style="balrogs")
    with pytest.raises(ConfigError, match="levels is empty"):
        make(levels=[])
    with pytest.raises(TaskError, match="unknown level"):
        make().reset(options={"task": {"level": "GoToTheMoon", "seed": 0}})


@original
def test_pictures_are_of_the_view():
    env, _ = start("BossLevel", 0, render_mode="rgb_array")
    frame = env.render()
    assert (frame.shape, frame.dtype) == ((112, 112, 3), np.uint8)
    assert (frame == theirs("BossLevel", 0).get_pov_render(16)).all()


@original
def test_importing_the_package_greets_nobody():
    code = "from agentgym.envs.text._babyai.levels import package, new_level; package(); new_level('BossLevel', 2)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert (ran.stdout, ran.stderr) == ("", "")


@original
def test_other_rules_of_the_environment_are_refused(monkeypatch):
    from minigrid.envs.babyai.core import verifier

    from agentgym.envs.text._babyai import levels

    monkeypatch.setattr(verifier, "use_done_actions", True)
    levels.package.cache_clear()
    with pytest.raises(ConfigError, match="BABYAI_DONE_ACTIONS"):
        levels.package()
    levels.package.cache_clear()
