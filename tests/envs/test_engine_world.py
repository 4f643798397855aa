"""What engine worlds share, on an engine of a few lines: replay, gold paths, names and values that users choose."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
import signal
import tomllib
from pathlib import Path
from typing import ClassVar

import gymnasium as gym
import pytest

import agentgym
from agentgym.conformance import golden
from agentgym.conformance.env_under_test import fixture
from agentgym.core import ConfigError, EngineFailure, MissingExtra, TaskError, UnknownName, errors
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import PLAYER
from agentgym.core.outcome import Outcome
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_world import EngineEnv, EngineEpisode, check_spelling, chosen_names
from tests.processes import below

GOLD = ["left", "left", "right"]
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
RESETS, MOST_GROWN = 400, 24  # of each world with a process; megabytes that three quarters of them may add


class Track:
    """A world: a number that goes up and down."""

    alive = True
    slipped: ClassVar[list[str]] = []

    def begin(self, start):
        self.place = start

    def step(self, action):
        if action == "jump" or (action == "slip" and not self.slipped):
            self.slipped.append(action)
            raise EngineFailure(f"no way to {action}")
        self.place += {"left": -1, "right": 1}.get(action, 0)
        return self.place


class Walk(EngineEpisode):
    @property
    def pool(self):
        return POOL

    def load(self, world):
        world.begin(*self.spec)

    def gold(self):
        return list(GOLD)


POOL = EnginePool(Track, 1)


def walking(*played, kind=EngineEnv):
    """An environment at the end of a walk; of the base class only what needs no task."""
    env = object.__new__(kind)
    env._start_episode(Walk(5))
    with env._episode.world(begin=True) as world:
        env._episode.load(world)
    for action in played:
        env._episode.step(action)
    return env


def test_an_episode_whose_world_was_taken_is_played_again():
    one, two = Walk(5), Walk(50)
    for walk in (one, two):
        with walk.world(begin=True) as world:
            walk.load(world)
    assert [one.step("left"), two.step("right"), one.step("left"), two.step("right")] == [4, 51, 3, 52]
    assert (one.played, two.played) == (["left", "left"], ["right", "right"])
    assert len(POOL) == 1


class WalkEnv(EngineEnv):
    def _step(self, call):
        return Outcome(str(self._episode.step(call.name)))


def test_who_stops_the_engine_each_time_has_lost_and_what_happens_once_is_the_engines():
    Track.slipped.clear()
    env = walking("left", "left", kind=WalkEnv)
    outcome = env._apply({PLAYER: Call("jump", {})})
    assert (outcome.terminated, outcome.success, Track.slipped) == (True, False, ["jump", "jump"])
    assert "The engine stops at this action, each time that it is played; the episode is lost (no way to jump)" in (
        outcome.text
    )
    Track.slipped.clear()
    with pytest.raises(EngineFailure, match="no way to slip"):
        env._apply({PLAYER: Call("slip", {})})
    assert env._apply({PLAYER: Call("right", {})}).text == "4", "neither the failure nor the look for its cause counts"


def test_an_engine_that_fails_while_the_episode_is_played_again_is_the_cause_itself(monkeypatch):
    env = walking("left", kind=WalkEnv)

    def fail(self, *given):
        raise EngineFailure("out of order")

    monkeypatch.setattr(Track, "step", fail)
    with pytest.raises(EngineFailure, match="out of order"):
        env._apply({PLAYER: Call("right", {})})


def test_an_agent_cannot_have_an_episode_left_out_by_stopping_the_engine(monkeypatch):
    from agentgym.envs.text._text_world_express import engine

    step = engine.Games.step

    def stops(self, action):
        if action == "look around":
            raise EngineFailure("the engine is gone")
        return step(self, action)

    monkeypatch.setattr(engine.Games, "step", stops)
    env = gym.make("AgentGym/TextWorldExpress-v0", games="coin")
    env.reset(seed=3)
    seen, reward, terminated, truncated, info = env.step("look around")
    assert (reward, terminated, truncated, info["success"], info["failure"]) == (0.0, True, False, False, "")
    assert "the episode is lost (the engine is gone)" in seen
    assert env.reset(seed=3)[0]
    env.close()


@pytest.mark.parametrize(
    ("played", "following"),
    [
        ([], "left"),
        (["left"], "left"),
        (["look", "left", "look"], "left"),
        (["left", "right", "left"], "right"),
        (GOLD, ""),
        ([*GOLD, "left"], ""),
    ],
)
def test_the_oracle_goes_on_where_the_gold_path_was_left(played, following):
    env = walking(*played)
    assert env._next_of_gold() == following
    assert env._key_state() == list(played)
    assert env._reference() == GOLD
    assert env._reference() is not env._gold_path()


def test_a_new_episode_forgets_the_gold_path_of_the_last():
    env = walking()
    env._gold_path().append("more")
    env._start_episode(Walk(6))
    assert env._gold_path() == GOLD


def test_names_are_chosen_in_the_order_of_all():
    assert chosen_names("games", "coin", "game of X", ["twc", "coin"]) == ("coin",)
    assert chosen_names("games", iter(["coin", "twc", "1"]), "game of X", ["twc", "coin"], {"1": "twc"}) == (
        "twc",
        "coin",
    )
    with pytest.raises(UnknownName, match="unknown game of X 'coins'; did you mean 'coin'"):
        chosen_names("games", ["coins"], "game of X", ["twc", "coin"])
    with pytest.raises(ConfigError, match="games must name at least one game, got none"):
        chosen_names("games", [], "game of X", ["twc", "coin"])


def test_values_of_a_specification_are_written_as_the_option_writes_them():
    check_spelling("params", "a=1", lambda: "a=1")
    with pytest.raises(TaskError, match="params must be written as 'a=1', got 'a=01'"):
        check_spelling("params", "a=01", lambda: "a=1")

    def refuse():
        raise ConfigError("a must be a whole number")

    with pytest.raises(TaskError, match="a must be a whole number"):
        check_spelling("params", "a=x", refuse)


ENGINES = {  # of every world that a package of another project plays: what imports it, and asks for its version
    "AgentGym/ALFWorld-v0": "text.alfworld:check_versions",
    "AgentGym/BabyAI-v0": "text._babyai.levels:package",
    "AgentGym/Crafter-v0": "games._crafter.engine:package",
    "AgentGym/Jericho-v0": "text._jericho.engine:package",
    "AgentGym/MiniHack-v0": "games._nethack.levels:package",
    "AgentGym/NetHack-v0": "games._nethack.engine:package",
    "AgentGym/OpenSpiel-v0": "multiagent._open_spiel.engine:spiel",
    "AgentGym/ReasoningGym-v0": "games._reasoning.package:registry",
    "AgentGym/ScienceWorld-v0": "text._science_world.engine:package",
    "AgentGym/TextWorld-v0": "text._text_world.engine:package",
    "AgentGym/TextWorldExpress-v0": "text._text_world_express.engine:package",
}
NEEDS_PURPOSE = ("AgentGym/MiniHack-v0", "AgentGym/NetHack-v0")  # two worlds share what imports the package


def test_every_world_over_an_engine_is_listed():
    over = {card.id for card in agentgym.catalog().values() if {"worlds", "nethack"} & set(card.extras)}
    assert over == set(ENGINES)


@pytest.mark.parametrize("env_id", ENGINES)
def test_another_version_of_an_engine_is_one_line(env_id, monkeypatch):
    module, _, name = ENGINES[env_id].partition(":")
    found = getattr(importlib.import_module(f"agentgym.envs.{module}"), name)
    ask = getattr(found, "__wrapped__", found)  # one that remembers has been asked before
    given = (env_id,) if env_id in NEEDS_PURPOSE else ()
    try:
        ask(*given)
    except MissingExtra as error:
        pytest.skip(str(error))
    monkeypatch.setattr(errors.metadata, "version", lambda name: "0.0.99")
    errors._require_version.cache_clear()
    try:
        with pytest.raises(MissingExtra, match=r"was made for version .* and 0\.0\.99 is installed: run  pip install"):
            ask(*given)
    finally:
        errors._require_version.cache_clear()


@pytest.mark.parametrize("env_id", ENGINES)
def test_a_golden_record_is_of_the_versions_that_are_pinned(env_id):
    """A bump of a pin alone leaves the record behind, and the check says so."""
    record = golden.read(Path(str(golden.files("agentgym.assets"))) / "golden" / f"{env_id.partition('/')[2]}.json")
    extras = tomllib.loads(PROJECT.read_text(encoding="utf8"))["project"]["optional-dependencies"]
    lines = "\n".join(extras["worlds"] + extras["nethack"])
    pins = {
        name.replace("_", "-"): version for name, version in re.findall(r"^([\w-]+)(?:\[\w+\])?==(.+)$", lines, re.M)
    }
    assert record["engines"]
    assert record["engines"] == {name: pins[name] for name in record["engines"]}
    newer = {**record, "engines": dict.fromkeys(record["engines"], "0.0.99")}
    assert golden.differences(record, newer) == [f"engines {name}" for name in sorted(record["engines"])]


def test_what_was_needed_in_which_version_is_remembered_by_who_needed_it():
    errors._require_version.cache_clear()
    version = errors.metadata.version("numpy")
    errors.require("numpy", extra="none", purpose="Some/World-v0", version=version)
    errors.require("numpy", extra="none", purpose="Another/World-v0")
    assert errors.engine_versions("Some/World-v0") == {"numpy": version}
    assert errors.engine_versions("Another/World-v0") == {}


def test_the_manual_says_what_a_snapshot_costs_that_plays_again():
    page = " ".join((PROJECT.parent / "docs" / "limits.md").read_text(encoding="utf8").split())
    told = page.partition("- Engines that cannot be copied")[2].partition(" - ")[0]
    for env_id in ENGINES:
        card = agentgym.catalog()[env_id]
        if card.snapshot == "replay":
            name = card.name.rpartition("-v")[0]
            assert re.search(rf"\b{name} [\d.]+ and [\d.]+ ms", told), f"{name}: a reset and an action in milliseconds"


PROCESSES = {  # worlds whose engine is a process that the world starts, and what they are made with
    "AgentGym/ALFWorld-v0": {},
    "AgentGym/Jericho-v0": {},
    "AgentGym/ScienceWorld-v0": {"tasks": "find-animal"},
    "AgentGym/TextWorld-v0": {"games": "custom", "rooms": 2, "objects": 3, "quest": 2},
    "AgentGym/TextWorldExpress-v0": {"games": "coin"},
}


def test_worlds_with_a_process_are_all_tried():
    for env_id in ENGINES:
        card = agentgym.catalog()[env_id]
        assert (env_id in PROCESSES) == (bool(card.program) and card.kind == "text")


@pytest.mark.full
@pytest.mark.parametrize("env_id", PROCESSES)
def test_an_engine_killed_in_mid_episode_ends_the_episode_alone(env_id, tmp_path):
    card, given = agentgym.catalog()[env_id], dict(PROCESSES[env_id])
    try:
        if card.requires:
            given |= fixture(card, tmp_path)
        env = gym.make(env_id, **given).unwrapped
    except MissingExtra as error:
        pytest.skip(str(error))
    first, _ = env.reset(seed=0, options={"task": 0})
    env.step(env.oracle_action())
    for pid in below(os.getpid()):
        with contextlib.suppress(ProcessLookupError):  # it ended with the one above it
            os.kill(pid, signal.SIGKILL)
    _, reward, terminated, truncated, info = env.step(env.oracle_action())
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, True, False)
    assert info["failure"]
    assert env.reset(seed=0, options={"task": 0})[0] == first
    assert env.step(env.oracle_action())[-1]["failure"] == ""


def footprint():
    """What this process and all below it hold: how many they are, their threads, descriptors and resident megabytes."""
    gc.collect()
    everyone = [os.getpid(), *below(os.getpid())]
    states = [
        dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()) for pid in everyone
    ]
    threads, descriptors = (
        sum(int(state["Threads"]) for state in states), sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in everyone)
    )  # fmt: skip
    return len(everyone), threads, descriptors, sum(int(state["VmRSS"].split()[0]) for state in states) / 1024


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("env_id", sorted(set(PROCESSES) - {"AgentGym/ScienceWorld-v0"}))  # that one: test_java.py
def test_resets_leave_processes_threads_and_memory_flat(env_id, tmp_path):
    card, given = agentgym.catalog()[env_id], dict(PROCESSES[env_id])
    try:
        if card.requires:
            given |= fixture(card, tmp_path)
        env = gym.make(env_id, **given).unwrapped
    except MissingExtra as error:
        pytest.skip(str(error))
    found, resets = [], RESETS * (6 if "java" in card.program.lower() else 1)  # its heap fills up once, in some 500
    for number in range(resets):
        env.reset(seed=number, options={"task": number % 2})
        for action in env.admissible_actions()[:2]:
            env.step(action)
        if number + 1 in (resets // 4, resets):
            found.append(footprint())
    (*early, held), (*late, holds) = found
    assert all(now <= then for now, then in zip(late, early, strict=True)), (early, late)
    assert holds <= held + MOST_GROWN, f"{holds - held:.1f} MB more after {resets - resets // 4} further resets"


INSIDE = {  # worlds whose engine is a library in the process of Python
    "AgentGym/BabyAI-v0": {},
    "AgentGym/Crafter-v0": {"size": 32},
    "AgentGym/MiniHack-v0": {},
    "AgentGym/NetHack-v0": {},
    "AgentGym/ReasoningGym-v0": {},
}


@pytest.mark.full
@pytest.mark.parametrize("env_id", INSIDE)
def test_an_engine_that_takes_its_process_along_ends_the_episode_alone_in_a_vector(env_id):
    try:
        gym.make(env_id, **INSIDE[env_id]).close()
    except MissingExtra as error:
        pytest.skip(str(error))
    vector = agentgym.make_vec(env_id, num_envs=2, vectorization_mode="async", **INSIDE[env_id])
    try:
        vector.reset(seed=0)
        os.kill(below(os.getpid())[-1], signal.SIGKILL)
        *_, truncated, info = vector.step(["no action", "no action"])
        assert sorted(truncated.tolist()) == [False, True]
        assert "SIGKILL" in "".join(filter(None, info["final_info"]["failure"]))
        *_, truncated, info = vector.step(["no action", "no action"])
        assert not truncated.any()
        assert info["failure"].tolist() == ["", ""]
    finally:
        vector.close()
