"""TextWorld's own generator and engine behind the contract: its games, sizes, rewards, walkthroughs and folder."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections import Counter
from pathlib import Path

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import ConfigError, DataError, EngineFailure, MissingExtra, TaskError, UnknownName
from agentgym.core.grammar import Call
from tests.processes import ends

INSTALLED = importlib.util.find_spec("textworld") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='textworld is not installed: run  pip install "agentgym-suite[worlds]"'
)
SMALL = {"games": "custom", "rooms": 2, "objects": 3, "quest": 2}  # made in a second


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("text_world")


def make(folder, **kwargs):
    return gym.make("AgentGym/TextWorld-v0", folder=folder, **kwargs).unwrapped


def play_out(env):
    results = []
    while not env.ended:
        results.append(env.step(env.oracle_action()))
    return results


@pytest.mark.skipif(INSTALLED, reason="textworld is installed here")
def test_without_the_package_one_line_names_the_extra(tmp_path):
    with pytest.raises(MissingExtra) as caught:
        make(tmp_path)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@original
@pytest.mark.full
@pytest.mark.parametrize("game", ["custom", "coin_collector", "treasure_hunter", "cooking"])
@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_the_oracle_wins_and_so_does_the_walkthrough(folder, game, split, recwarn):
    env = make(folder, games=game, split=split, reward="dense")
    env.reset(seed=0)
    assert not recwarn.list, "making a game is nothing to be warned of"
    total = 0.0
    while not env.ended:
        assert all(isinstance(env.parse(action), Call) for action in env.admissible_actions())
        _, reward, *_, info = env.step(env.oracle_action())
        assert info["action_valid"], info["error"]
        total += reward
    assert info["success"]
    assert total == pytest.approx(1)
    assert env.task_kind == game
    if split != "test":
        env.reset(seed=0)
        for action in env.reference():
            *_, info = env.step(action)
        assert info["success"]


@original
@pytest.mark.full
def test_dense_reward_is_the_share_of_the_way_and_sparse_is_success(folder):
    for reward, expected in (("dense", [0.5, 0.5]), ("sparse", [0.0, 1.0])):
        env = make(folder, **SMALL, reward=reward)
        env.reset(seed=0, options={"task": "0"})
        assert [result[1] for result in play_out(env)] == expected
        env.reset(seed=0, options={"task": "0"})
        away = next(action for action in env.admissible_actions() if action.startswith(("examine", "look")))
        assert env.step(away)[1] == 0


@pytest.mark.full
@original
def test_what_is_not_possible_is_refused_and_changes_nothing(folder):
    env = make(folder, **SMALL)
    env.reset(seed=0, options={"task": "0"})
    key = env.state_key()
    for action in ("take the moon", "fly", "restart", "tw-print all", "look\nrestart"):
        _, reward, *_, info = env.step(action)
        assert (info["action_valid"], reward) == (False, 0.0), action
        assert env.state_key() == key
    assert env.step("  LOOK ")[-1]["action_valid"]


@original
@pytest.mark.full
def test_a_game_is_made_once_and_outside_of_the_home_directory(folder, tmp_path, monkeypatch):
    home, games = tmp_path / "home", tmp_path / "games"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    env = make(games, **SMALL)
    first, _ = env.reset(seed=0, options={"task": "0"})
    (made,) = (path for path in games.iterdir() if path.is_dir())
    story = made / "game.z8"
    when = story.stat().st_mtime_ns
    assert make(games, **SMALL).reset(seed=0, options={"task": "0"})[0] == first
    assert story.stat().st_mtime_ns == when
    assert not list(home.iterdir())
    assert make(folder, **SMALL).reset(seed=0, options={"task": "0"})[0] == first
    facts = made / "game.json"
    facts.write_text("{}")  # damaged, so it is made anew
    assert make(games, **SMALL).reset(seed=0, options={"task": "0"})[0] == first
    assert facts.stat().st_size > 1000


@original
@pytest.mark.full
def test_without_a_folder_nothing_but_the_cache_is_in_the_home_directory(tmp_path, monkeypatch):
    """`folder=None` keeps games where the package keeps all that it derives; neither compiler leaves anything there."""
    for name in ("AGENTGYM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    make(None, **SMALL).reset(seed=0, options={"task": "0"})
    found = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in found} >= {"game.z8", "game.json"}
    assert all(path.is_relative_to(Path(".cache") / "agentgym" / "text_world") for path in found), found


@original
@pytest.mark.full
def test_many_games_are_made_at_a_time_with_a_bar(tmp_path, capsys):
    env = make(tmp_path, **SMALL)
    env.prepare("train", 3, workers=2)
    assert sum(path.is_dir() for path in tmp_path.iterdir()) == 3
    captured = capsys.readouterr()
    assert "games" in captured.err
    assert not captured.out


@original
@pytest.mark.full
def test_a_snapshot_replays_the_episode_and_a_world_that_was_taken_away(folder):
    env = make(folder, **SMALL)
    env.reset(seed=0, options={"task": "0"})
    env.step(env.oracle_action())
    saved, key = env.snapshot(), env.state_key()
    after = [result[0] for result in play_out(env)]
    others = [make(folder, **SMALL) for _ in range(9)]  # more than there are interpreters
    for other in others:
        other.reset(seed=0, options={"task": "0"})
    agentgym.restore(env, saved)
    assert env.state_key() == key
    assert [result[0] for result in play_out(env)] == after
    assert [result[0] for result in play_out(others[0])][-1] == after[-1]


@pytest.mark.full
@original
def test_an_engine_that_fails_in_mid_episode_is_a_failure_and_the_next_reset_works(folder):
    env = make(folder, **SMALL)
    first, _ = env.reset(seed=0, options={"task": "0"})
    with env._episode.world() as world:
        os.kill(world.process.process.pid, signal.SIGKILL)
        assert ends(world.process.process.pid)
    _, reward, terminated, truncated, info = env.step("look")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "ended" in info["failure"]
    assert env.reset(seed=0, options={"task": "0"})[0] == first


@original
def test_a_compiler_that_fails_is_a_failure_of_the_environment(tmp_path):
    from agentgym.envs.text._text_world import library

    with pytest.raises(EngineFailure, match="failed with 3: no"):
        library._run(["/bin/sh", "-c", "echo no; exit 3"], tmp_path)
    with pytest.raises(EngineFailure, match="nowhere"):
        library._run([Path("/nowhere")], tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.full
@original
def test_what_the_generator_cannot_make_is_one_line(folder):
    for kwargs, said in (
        ({"games": "cooking", "rooms": 7}, "rooms of cooking must be one of 1, 6, 9, 12, got 7"),
        ({"games": "cooking", "objects": 3, "quest": 2}, "at most quest"),
        ({"games": "cooking", "only_last_action": False}, "tells no single steps"),
        ({"games": "coin_collector", "objects": 2}, "no other objects than the coin"),
        ({"games": "coin_collector", "rooms": 100, "quest": 5}, "1 to 4 for each step"),
        ({"games": "treasure_hunter", "objects": 7}, "one of 0, 10, 20"),
        ({"games": "custom", "rooms": 31}, "one of 1 to 30, got 31"),
    ):
        with pytest.raises(ConfigError, match=said):
            make(folder, **kwargs)
    with pytest.raises(UnknownName, match="did you mean 'cooking'"):
        make(folder, games="coking")
    env = make(folder, **SMALL)
    env.reset(seed=0, options={"task": "0"})
    with pytest.raises(TaskError, match="rooms of custom"):
        env.reset(options={"task": {**env.task.spec, "rooms": 90}})


@original
@pytest.mark.full
def test_a_quest_that_no_map_allows_is_one_line(folder):
    from agentgym.envs.text._text_world.games import make_game

    spec = {**make(folder, games="treasure_hunter", rooms=2, objects=0, quest=20).tasks("train")[0].spec}
    with pytest.raises(DataError, match="more rooms or a shorter quest"):
        make_game(spec)


@original
def test_a_seed_s_last_digit_says_its_split(folder):
    env = make(folder)
    assert {task.id[-1] for task in env.tasks("val")} == {"8"}
    assert {task.id[-1] for task in env.tasks("test")} == {"9"}
    assert {env.tasks("train")[index].id[-1] for index in range(30)} <= set("01234567")
    kinds = [task.spec["game"] for task in env.tasks("val")]
    assert set(kinds) == {"custom", "coin_collector", "treasure_hunter", "cooking"}
    for split in ("val", "test"):
        panel = make(folder, style="balrog").tasks(split)
        first = Counter(panel[index].spec["game"] for index in range(30))
        assert first == dict.fromkeys(("treasure_hunter", "cooking", "coin_collector"), 10), "as many as BALROG plays"


@original
@pytest.mark.full
def test_the_task_is_told_by_its_last_step_or_step_by_step(folder):
    last, steps = (
        make(folder, **SMALL, only_last_action=told).reset(seed=0, options={"task": "0"})[0] for told in (True, False)
    )
    assert len(last.partition("\n\n")[0]) < len(steps.partition("\n\n")[0])
