"""Agents without a model, the table of agents, and seeds."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from agentgym.agents import AGENTS, agent_kind, check_options, episode_seed, make_agent
from agentgym.core import ConfigError, UnknownName
from agentgym.rollout import EnvPool, EpisodeSpec, Workers, collect

FIRM = {"rows": ["SFF", "HHF", "HHG"], "slippery": False}
LAKE = "FrozenLake-v0"


def actions(name: str, sample: int, turns: int = 4) -> list[str]:
    (episode,) = collect(EnvPool(LAKE), make_agent(name), [EpisodeSpec(FIRM, 0, 0, (sample,))], horizon=turns)
    return [turn.action for turn in episode.turns]


def test_random_plays_what_its_generator_says() -> None:
    plays = [actions("random", sample) for sample in range(20)]
    assert plays == [actions("random", sample) for sample in range(20)]
    assert {action for play in plays for action in play} == {"left", "down", "right", "up"}


def test_nothing_changes_nothing() -> None:
    specs = [EpisodeSpec(FIRM, 0, 0, (0,))]
    (episode,) = collect(EnvPool(LAKE), make_agent("nothing"), specs, horizon=3, keys=True)
    assert not any(turn.valid for turn in episode.turns)
    assert len({turn.state_key for turn in episode.turns}) == 1


def test_players_that_know_the_way() -> None:
    assert actions("expert", 0) == ["right", "right", "down", "down"]
    assert actions("oracle", 0, turns=100)[-1] == "down", "the last step leads to the goal, the first may dally"


def test_a_world_without_a_rule() -> None:
    with pytest.raises(ConfigError, match=r"no rule-based player for AgentGym/FrozenLake-v0; .*WebShop"):
        actions("rule", 0)


def test_scripted_policies_play_in_other_processes_as_in_this_one() -> None:
    specs = [EpisodeSpec(place, place, place, (place,)) for place in range(4)]
    pool = EnvPool(LAKE, workers=Workers(processes=1))
    try:
        assert collect(pool, make_agent("random"), specs) == collect(EnvPool(LAKE), make_agent("random"), specs)
    finally:
        pool.close()


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


def test_every_agent_is_described() -> None:
    assert list(AGENTS) == [
        "random",
        "nothing",
        "oracle",
        "expert",
        "rule",
        "shortcut",
        "endpoint",
        "poact",
        "hf",
        "run",
    ]
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
    kind = agent_kind("agentgym.agents.scripted:ExpertPolicy")
    assert type(kind.build()).__name__ == "ExpertPolicy"
    assert not kind.alone
    assert not kind.incidental


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"window": "3"}, "'window' of the agent 'endpoint' should be a whole number, not '3'"),
        ({"temperature": "0.5"}, "'temperature' of the agent 'endpoint' should be a number, not '0.5'"),
        ({"tools": "false"}, "'tools' of the agent 'endpoint' should be true or false, not 'false'"),
        ({"drop": 5}, "'drop' of the agent 'endpoint' should be a list, not 5"),
        ({"base_url": 5}, "'base_url' of the agent 'endpoint' should be a text, not 5"),
        ({"max_tokens": 12.5}, "'max_tokens' of the agent 'endpoint' should be a whole number, not 12.5"),
    ],
)
def test_an_option_of_another_type_is_refused_in_one_line(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_options("endpoint", {"model": "m", **given})
    assert str(caught.value) == f"the option {wrong}"
    check_options("endpoint", {"model": "m", "temperature": 0, "drop": "seed", "window": None})


def test_a_name_that_makes_no_policy_is_told_in_a_line() -> None:
    with pytest.raises(ConfigError, match=r"'os:getcwd' returns '/.*, which is no policy; let it return"):
        make_agent("os:getcwd")
    with pytest.raises(ConfigError, match="does not say what it takes; name a Python function"):
        make_agent("builtins:max")
