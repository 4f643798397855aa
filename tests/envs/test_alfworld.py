"""ALFWorld's own engine behind the contract; most of it needs the extra `worlds`."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import ConfigError, DataError, MissingExtra, TaskError

INSTALLED = importlib.util.find_spec("alfworld") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='the original engine is not installed: run  pip install "agentgym-suite[worlds]"'
)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    from agentgym.envs.text._household.export import game_files

    return game_files(tmp_path_factory.mktemp("games"))["games"]


@pytest.mark.skipif(INSTALLED, reason="the original engine is installed here")
def test_without_the_extra_one_line_names_it(tmp_path):
    with pytest.raises(MissingExtra) as caught:
        gym.make("AgentGym/ALFWorld-v0", games=str(tmp_path))
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@original
def test_a_folder_without_games_is_refused(tmp_path):
    with pytest.raises(DataError, match="no folder 'train'"):
        gym.make("AgentGym/ALFWorld-v0", games=str(tmp_path))


@original
def test_splits_are_the_published_folders(games):
    world = gym.make("AgentGym/ALFWorld-v0", games=games).unwrapped
    found = {split: [task.id for task in world.tasks(split)] for split in world.card.splits}
    assert all(name.startswith("valid_seen/") for name in found["test_seen"])
    assert all(name.startswith("valid_unseen/") for name in found["test_unseen"])
    assert found["test"] == found["test_seen"] + found["test_unseen"]
    assert len(found["val"]) == 1
    assert not set(found["train"]) & set(found["val"])
    with pytest.raises(TaskError, match="no playable game"):
        world.reset(options={"task": {"game": "../elsewhere"}})


@original
def test_the_engine_answers_as_its_packages_do(games):
    """What they do again and again is done once, in a process of its own; not a word of an answer changes."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_alfworld", "--games", games, "--count", "1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["27 answers, all equal"]), done.stderr


@pytest.mark.full
@original
def test_an_episode_reads_like_the_household_s(games):
    """The expert plays; each answer equals the native engine's on the same game."""
    from agentgym.envs.text.household import load_game

    env = gym.make("AgentGym/ALFWorld-v0", games=games)
    task = env.unwrapped.tasks("train")[0]
    native = gym.make("AgentGym/Household-v1", max_turns=50)  # its own limit follows the plan
    texts = [
        env.reset(options={"task": task.id})[0],
        native.reset(options={"task": load_game(f"{games}/{task.id}/game.tw-pddl")})[0],
    ]
    assert texts[0] == texts[1]
    for action in ("take nothing", "PUT mug 9 in/on desk 1", "open fridge 9"):
        assert env.step(action)[0] == native.step(action)[0]
    while not env.unwrapped.ended:
        assert env.unwrapped.admissible_actions() == native.unwrapped.admissible_actions()
        action = env.unwrapped.expert_action()
        one, other = env.step(action), native.step(action)
        assert one[:4] == other[:4]
    assert env.step("look")[-1]["success"] == native.step("look")[-1]["success"]


@original
@pytest.mark.full
def test_a_snapshot_replays_the_episode(games):
    env = gym.make("AgentGym/ALFWorld-v0", games=games)
    env.reset(seed=0, options={"task": 1})
    for _ in range(3):
        env.step(env.unwrapped.oracle_action())
    saved, listed = agentgym.snapshot(env), env.unwrapped.admissible_actions()
    action = env.unwrapped.oracle_action()
    text = env.step(action)[0]
    agentgym.restore(env, saved)
    assert env.unwrapped.admissible_actions() == listed
    assert env.step(action)[0] == text


@original
@pytest.mark.full
def test_the_words_of_published_agents(games):
    old, new = (gym.make("AgentGym/ALFWorld-v0", games=games, wording=wording) for wording in ("react", "0.4"))
    first, other = (env.reset(options={"task": 0})[0] for env in (old, new))
    assert first.startswith("You are in the middle of a room. Looking quickly around you, you see ")
    assert f"{other[: other.index('Actions: ')]}" == "-= Welcome to TextWorld, ALFRED! =-\n\n" + first[
        : first.index("Actions: ")
    ].replace("\nYour task", "\n\nYour task")
    assert old.step("think: where is it?")[0] == "OK."
    new.step("think: where is it?")
    while not new.unwrapped.ended:
        assert len(old.unwrapped.admissible_actions()) == len(new.unwrapped.admissible_actions())
        action = old.unwrapped.expert_action()
        text, later = old.step(action)[0], new.step(new.unwrapped.expert_action())[0]
        if action.startswith("go to "):
            assert later.endswith(text)
            assert later.startswith("You arrive at ")
            assert not text.startswith("You arrive")
        elif action.startswith("put "):
            _, thing, number, _, place, which = action.split()
            assert text == f"You put the {thing} {number} in/on the {place} {which}."
        else:
            assert text == later
    assert old.unwrapped.ended
    with pytest.raises(ConfigError, match="wording"):
        gym.make("AgentGym/ALFWorld-v0", games=games, wording="0.3")


@original
def test_tasks_come_in_the_order_of_a_published_list(games, tmp_path):
    names = [task.id for task in gym.make("AgentGym/ALFWorld-v0", games=games).unwrapped.tasks("train")][::-1]
    assert len(names) > 1
    pairs = [name.split("/")[-2:] for name in names]
    mappings, lines = tmp_path / "mappings_train.json", tmp_path / "gamefile_id.txt"
    mappings.write_text(
        json.dumps([{"item_id": n, "task_type": kind, "task_id": trial} for n, (kind, trial) in enumerate(pairs)])
    )
    lines.write_text("".join(f"{kind}/{trial}\n" for kind, trial in pairs[1:]))
    for order, expected in ((mappings, names), (lines, names[1:])):
        world = gym.make("AgentGym/ALFWorld-v0", games=games, order=str(order))
        assert [task.id for task in world.unwrapped.tasks("train")] == expected
        assert world.reset(options={"task": 0})[1]["task_id"] == expected[0]
    for text in ("[{}]", "[", "", "pick/trial_1"):
        lines.write_text(text)
        with pytest.raises(DataError, match=r"gamefile_id\.txt"):
            gym.make("AgentGym/ALFWorld-v0", games=games, order=str(lines)).unwrapped.tasks("train")
