"""Jericho's interpreter behind the contract, on stories that TextWorld compiles; most needs the extra `worlds`."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import signal

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import DataError, MissingExtra, TaskError
from agentgym.core.grammar import Call
from tests.processes import ends

INSTALLED = importlib.util.find_spec("jericho") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='jericho is not installed: run  pip install "agentgym-suite[worlds]"'
)


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """One small story, with what TextWorld writes beside it."""
    from agentgym.envs.text._text_world.library import FACTS, game_file

    folder = tmp_path_factory.mktemp("story")
    spec = {
        "game": "custom", "rooms": 2, "objects": 3, "quest": 2, "only_last_action": True, "fold": "train", "seed": 0,
    }  # fmt: skip
    made = game_file(None, spec)
    shutil.copy(made, folder / "tw-small.z8")
    shutil.copy(made.with_name(FACTS), folder / "tw-small.json")
    return folder / "tw-small.z8"


def make(story, **kwargs):
    return gym.make("AgentGym/Jericho-v0", story=story, **kwargs).unwrapped


def play_out(env):
    results = []
    while not env.ended:
        results.append(env.step(env.oracle_action()))
    return results


def process_of(env):
    with env._episode.world() as world:
        return world.process.process.pid


@pytest.mark.skipif(INSTALLED, reason="jericho is installed here")
def test_without_the_package_one_line_names_the_extra(tmp_path):
    with pytest.raises(MissingExtra) as caught:
        make(tmp_path)
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@pytest.mark.full
@original
def test_the_walkthrough_wins_from_a_single_file_in_every_split(story):
    for split in ("train", "val", "test"):
        env = make(story, split=split)
        env.reset(seed=0)
        results = play_out(env)
        info = results[-1][-1]
        assert info["success"]
        assert info["progress"] == 1.0
        assert sum(result[1] for result in results) == info["metrics"]["score"] == info["metrics"]["max_score"] > 0
        assert info["task_id"] == "tw-small.z8"


@original
def test_lines_of_the_story_are_said_to_it_and_others_are_refused(story):
    env = make(story)
    env.reset(seed=0)
    text, *_, info = env.step("look")
    assert info["action_valid"]
    assert "-=" in text
    line = "I open mailbox."
    assert env.parse(line).said == line, "all of it is said to the story"
    key = env.state_key()
    for line in ("save", "look. SAVE", "restore", "quit", "q", "undo", "script on", "tw-print player id", "$ve",
                 "\\help", "look /etc/passwd", "say é", "x" * 101, ""):  # fmt: skip
        _, reward, *_, info = env.step(line)
        assert (info["action_valid"], reward) == (False, 0.0), line
        assert env.state_key() == key
    assert env.step("save the knight")[-1]["action_valid"]  # of a story, if not of this one
    *_, info = env.step("frobnicate the knight")
    assert info["action_valid"]
    assert info["metrics"]["recognized"] == 0.0
    assert env.step("inventory")[-1]["metrics"]["recognized"] == 1.0


@original
def test_a_story_may_open_no_file(story, tmp_path, monkeypatch):
    """What is refused in words does not work either where it comes through."""
    monkeypatch.chdir(tmp_path)
    env = make(story)
    env.reset(seed=0)
    before = sorted(story.parent.iterdir())
    for line in ("save", "script", "y", "restore"):
        env._episode.step(line)
    assert not list(tmp_path.iterdir())
    assert sorted(story.parent.iterdir()) == before


@original
def test_what_changes_something_is_listed_without_changing_anything(story):
    env = make(story)
    env.reset(seed=0)
    key, listed = env.state_key(), env.admissible_actions()
    assert listed == env.admissible_actions()
    assert env.state_key() == key
    verb, *_, noun = env.oracle_action().split()
    assert f"{verb} {noun}" in listed  # one of the names of a thing
    assert all(isinstance(env.parse(line), Call) for line in listed)
    twin = make(story)
    twin.reset(seed=0)
    assert [result[0] for result in play_out(env)] == [result[0] for result in play_out(twin)]


@original
def test_a_snapshot_replays_the_episode_and_a_story_that_was_taken_away(story):
    env = make(story)
    env.reset(seed=0)
    env.step(env.oracle_action())
    saved, key = env.snapshot(), env.state_key()
    after = [result[0] for result in play_out(env)]
    others = [make(story) for _ in range(9)]  # more than there are interpreters
    for other in others:
        other.reset(seed=0)
    agentgym.restore(env, saved)
    assert env.state_key() == key
    assert [result[0] for result in play_out(env)] == after
    assert play_out(others[0])[-1][0] == after[-1]


@original
def test_an_interpreter_killed_in_mid_episode_is_a_failure_and_the_next_reset_works(story):
    env = make(story)
    first, _ = env.reset(seed=0)
    env.step("look")
    killed = process_of(env)
    os.kill(killed, signal.SIGKILL)
    assert ends(killed)
    _, reward, terminated, truncated, info = env.step("look")
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, True, False)
    assert "ended" in info["failure"]
    assert env.reset(seed=0)[0] == first
    assert env.step("look")[-1]["failure"] == ""


@original
def test_a_damaged_story_ends_its_process_and_no_more(story, tmp_path):
    damaged = tmp_path / "tw-damaged.z8"
    data = bytearray(story.read_bytes())
    data[64:20000] = b"\xff" * (20000 - 64)
    damaged.write_bytes(data)
    env = make(damaged)
    assert env.reset(seed=0)[1]["failure"]
    assert make(story).reset(seed=0)[1]["failure"] == ""


@original
def test_what_is_no_story_that_jericho_can_score_is_one_line(story, tmp_path):
    unknown = tmp_path / "unknown.z8"
    shutil.copy(story, unknown)
    (tmp_path / "notes.txt").write_text("x" * 100)
    (tmp_path / "tw-short.z8").write_bytes(b"\x08")
    for path, said in (
        (unknown, "does not know the score and the end"),
        (tmp_path / "notes.txt", "no story of the Z-machine"),
        (tmp_path / "tw-short.z8", "no story of the Z-machine"),
        (tmp_path / "none.z5", "is no story: give a file"),
        (tmp_path, "there is none in train"),
    ):
        with pytest.raises(DataError, match=said):
            make(path)
    beside = tmp_path / "tw-odd.z8"
    shutil.copy(story, beside)
    beside.with_suffix(".json").write_text("{}")
    with pytest.raises(DataError, match="not what TextWorld writes"):
        make(beside)
    env = make(story)
    with pytest.raises(TaskError, match="has no story"):
        env.reset(options={"task": {"story": "../tw-small.z8", "seed": 0}})


@original
def test_a_story_without_a_walkthrough_is_played_for_100_turns(story, tmp_path):
    alone = tmp_path / "tw-alone.z8"
    shutil.copy(story, alone)
    env = make(alone)
    env.reset(seed=0)
    assert env.max_turns == 100
    assert env.oracle_action() == "look"


@original
def test_a_walkthrough_that_jericho_knows_is_played(story, tmp_path, monkeypatch):
    """It stands in the package's table, by the story's content, as lines with strokes between; here a story of ours."""
    from jericho import defines

    alone = tmp_path / "tw-known.z8"  # without the file that TextWorld writes beside it
    shutil.copy(story, alone)
    way = json.loads(story.with_suffix(".json").read_text())["metadata"]["walkthrough"]
    content = hashlib.md5(alone.read_bytes()).hexdigest()
    table = {"name": "known", "walkthrough": f"Look/ {'/'.join(way)}/"}
    monkeypatch.setitem(defines.BINDINGS_DICT, content, table)
    env = make(alone)
    env.reset(seed=0)
    assert [env.oracle_action(), *way] == ["Look", *env.reference()[1:]]
    assert play_out(env)[-1][-1]["success"]


@original
@pytest.mark.full
def test_a_folder_deals_its_stories_to_the_splits(tmp_path):
    from agentgym.envs.text._text_world.fixture import STORIES, story_files

    folder = story_files(tmp_path)["story"]
    ids = {split: [task.id for task in make(folder, split=split).tasks(split)] for split in ("train", "val", "test")}
    assert {split: len(found) for split, found in ids.items()} == {"train": 2, "val": 1, "test": 1}
    assert sum(map(len, ids.values())) == len(STORIES)
    for split, found in ids.items():
        for task_id in found:
            env = make(folder, split=split)
            env.reset(seed=0, options={"task": task_id})
            assert play_out(env)[-1][-1]["success"], task_id
