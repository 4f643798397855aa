"""Agents without a model, the table of agents, and seeds."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401
from agentgym.agents import AGENTS, agent_kind, agent_rng, check_options, episode_seed, make_agent, world
from agentgym.core import ConfigError, LanguageEnv, UnknownName

FIRM = {"rows": ["SFF", "HHF", "HHG"], "slippery": False}


def started(task: Any = FIRM) -> tuple[gym.Env[Any, Any], str, dict[str, Any]]:
    env = gym.make("agentgym:AgentGym/FrozenLake-v0")
    observation, info = env.reset(seed=0, options={"task": task})
    return env, observation, info


def actions(name: str, rng: int, turns: int = 4) -> list[str]:
    env, observation, info = started()
    agent = make_agent(name)
    agent.begin(env, observation, info, np.random.default_rng(rng))
    said = []
    for _ in range(turns):
        said.append(agent.act(observation, info))
        observation, _, terminated, truncated, info = env.step(said[-1])
        assert agent.reply is None
        if terminated or truncated:
            break
    return said


def test_random_plays_what_its_generator_says() -> None:
    plays = [actions("random", rng) for rng in range(20)]
    assert plays == [actions("random", rng) for rng in range(20)]
    assert {action for play in plays for action in play} == {"left", "down", "right", "up"}


def test_nothing_changes_nothing() -> None:
    env, observation, info = started()
    agent = make_agent("nothing")
    agent.begin(env, observation, info, agent_rng(0))
    base = world(env)
    before = base.state_key()
    *_, info = env.step(agent.act(observation, info))
    assert not info["action_valid"]
    assert base.state_key() == before


def test_players_that_know_the_way() -> None:
    assert actions("expert", rng=0) == ["right", "right", "down", "down"]
    assert actions("oracle", rng=0, turns=100)[-1] == "down", "the last step leads to the goal, the first may dally"


def test_a_world_without_a_rule() -> None:
    env, observation, info = started()
    with pytest.raises(ConfigError, match=r"no rule-based player for FrozenLake-v0; .*WebShop"):
        make_agent("rule").begin(env, observation, info, agent_rng(0))


def test_the_seed_of_an_episode_is_a_function_of_its_place() -> None:
    assert episode_seed(0, "7", 0) == 144_713_142, "recorded: another value would orphan every published run"
    seeds = {episode_seed(seed, task, trial) for seed in (0, 1) for task in ("1", "11") for trial in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**32 for seed in seeds)
    code = "from agentgym.agents import episode_seed; print(episode_seed(3, 'a/b', 2))"
    outs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": hashing}, capture_output=True, text=True)
        for hashing in ("1", "2")
    ]
    assert {out.stdout.strip() for out in outs} == {str(episode_seed(3, "a/b", 2))}


def test_agent_and_world_do_not_share_dice() -> None:
    seed = episode_seed(0, "1", 0)
    theirs, _ = gym.utils.seeding.np_random(seed)
    assert agent_rng(seed).integers(2**62) != theirs.integers(2**62)
    assert agent_rng(seed).integers(2**62) == agent_rng(seed).integers(2**62)


def test_every_agent_is_described() -> None:
    assert list(AGENTS) == ["random", "nothing", "oracle", "expert", "rule", "endpoint", "hf"]
    assert all(kind.description for kind in AGENTS.values())


def test_unknown_agents() -> None:
    with pytest.raises(UnknownName, match="did you mean 'expert'"):
        make_agent("exprt")
    with pytest.raises(ConfigError, match="agentgym play"):
        make_agent("human")
    with pytest.raises(ConfigError, match="cannot be imported"):
        make_agent("no_such_module:Agent")
    with pytest.raises(ConfigError, match="cannot be imported"):
        make_agent("math:Agent")


def test_options_are_checked_before_anything_is_built() -> None:
    with pytest.raises(ConfigError, match="'model' has no effect on the agent 'random'; its options: none"):
        check_options("random", {"model": "m"})
    with pytest.raises(ConfigError, match="'base_url' has no effect on the agent 'hf'"):
        check_options("hf", {"model": "m", "base_url": "http://x"})
    with pytest.raises(ConfigError, match="'endpoint' needs the option 'model'"):
        check_options("endpoint", {})
    check_options("hf", {"model": "m", "temperature": 1.0})


def test_an_agent_of_ones_own() -> None:
    kind = agent_kind("agentgym.agents.scripted:ExpertAgent")
    assert type(kind.build()).__name__ == "ExpertAgent"
    assert not kind.alone
    assert not kind.incidental


def test_only_language_environments_are_played() -> None:
    cart = gym.make("CartPole-v1")
    with pytest.raises(ConfigError, match="LanguageEnv"):
        world(cart)
    cart.close()
    assert issubclass(type(world(started()[0])), LanguageEnv)
