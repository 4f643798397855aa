"""What holds for every wrapper: Gymnasium's checker, specs, prompts, `info`, refusals at construction, the import."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import agentgym
from agentgym import wrappers
from agentgym.core import Call, ConfigError, LanguageEnv, unknown
from tests.envs.boxes import sandbox
from tests.wrappers.stacks import CHOICES, FEW, IDS, choose, fits, follow, line, make, wrap

MODULES = sorted({f"agentgym.wrappers.{home}" for home in wrappers._HOME.values()})
SHOWN = re.compile(r"^- .*For example: (.*)$", re.MULTILINE)
OURS = sorted(CHOICES)
ALL = [pytest.param(name, marks=() if name in FEW else pytest.mark.full) for name in IDS]


def test_the_table_of_these_tests_names_every_wrapper() -> None:
    assert set(OURS) == set(wrappers.__all__) & {kind for kind in wrappers.__all__ if _is_text(kind)}


def _is_text(kind: str) -> bool:
    return issubclass(getattr(wrappers, kind), wrappers.base.TextWrapper)


@pytest.mark.parametrize("kind", OURS)
def test_docstrings_say_what_changes_and_their_example_runs(kind: str) -> None:
    found = getattr(wrappers, kind)
    text = inspect.getdoc(found) or ""
    assert "Changes:" in text
    assert "Args:" in text
    parameters = set(inspect.signature(found).parameters)
    for name in parameters:
        assert f"{name}" in text.split("Args:")[1], f"{kind} does not explain {name}"
    module = importlib.import_module(found.__module__)
    runner = doctest.DocTestRunner(verbose=False)
    tests = [test for test in doctest.DocTestFinder(recurse=False).find(found, kind, module) if test.examples]
    assert tests, f"{kind} has no example"
    if kind == "CodeAction":
        sandbox()
    for test in tests:
        runner.run(test)
    assert runner.failures == 0


def test_the_package_imports_nothing_of_its_own_until_a_name_is_used() -> None:
    code = "import agentgym.wrappers, sys; print(*(n for n in sys.modules if n.startswith('agentgym.wrappers')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["agentgym.wrappers"]
    assert set(dir(wrappers)) >= set(OURS)
    with pytest.raises(AttributeError, match="NoSuchWrapper"):
        wrappers.NoSuchWrapper  # noqa: B018


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kind", OURS)
def test_wrapper_over_world(kind: str, name: str) -> None:
    """Over every world it fits: the checker, the spec, the prompt, `info`; over the others: one line that says so."""
    base = make(name)
    world = base.unwrapped
    assert isinstance(world, LanguageEnv)
    if not fits(kind, world):
        with pytest.raises((ConfigError, type(unknown("", "", [])))) as caught:
            wrap(base, kind)
        assert "\n" not in str(caught.value)
        assert name in str(caught.value)
        return
    if kind == "CodeAction":
        sandbox()
    for variant in range(len(CHOICES[kind])):
        env = wrap(make(name), kind, variant)
        _passes_the_checker(env)
        _comes_back_from_its_spec(env)
        _prompt_parses(env)
        _info_is_regular(env)


def _passes_the_checker(env: gym.Env[Any, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        warnings.filterwarnings("ignore", message=".*out of date.*")
        check_env(env, skip_render_check=isinstance(env, wrappers.Screenshot))


def _comes_back_from_its_spec(env: Any) -> None:
    assert env.spec is not None
    again: Any = gym.make(EnvSpec.from_json(env.spec.to_json()))
    while not isinstance(again, type(env)):
        again = again.env
    rng = np.random.default_rng(3)
    first, second = env.reset(seed=5), again.reset(seed=5)
    assert line(first[0], 0, 0, 0, first[1]) == line(second[0], 0, 0, 0, second[1])
    actions = []
    lines = []
    for _ in range(8):
        actions.append(choose(env, rng))
        lines.append(line(*env.step(actions[-1])))
    assert lines == follow(again, actions)


def _prompt_parses(env: Any) -> None:
    observation, info = env.reset(seed=1)
    text = observation["text"] if isinstance(observation, dict) else observation
    assert env.examples
    for example in env.examples:
        assert isinstance(env.parse(example), Call), example
        assert example in env.manual, example
    if hasattr(env, "format_reply"):
        for example in env.inner_examples:
            if isinstance(env, wrappers.CodeAction):
                assert env.call(example) in env.parse(env.format_reply([example]))["code"]
            elif type(env).__name__ != "CommandTags" or env._tagged(example):
                assert env.parse(env.format_reply([example])) == env.inner.parse(example)
    for call in SHOWN.findall(env.manual) if hasattr(env, "called") else ():
        assert isinstance(env.parse(call), Call), call
    if not isinstance(env, wrappers.Truncate):
        assert env.line in text
        assert info["instruction"] in text
    for player in (env.sample_action(np.random.default_rng(0)), *(env.admissible_actions() or [])[:20]):
        assert isinstance(env.parse(player), Call), player


def _info_is_regular(env: Any) -> None:
    rng = np.random.default_rng(8)
    _, first = env.reset(seed=2)
    kinds = {key: type(value) for key, value in first.items()}
    for _ in range(12):
        observation, reward, terminated, truncated, info = env.step(choose(env, rng))
        assert observation in env.observation_space
        assert type(reward) is float
        assert type(terminated) is bool
        assert type(truncated) is bool
        assert {key: type(value) for key, value in info.items()} == kinds
        for key, value in info.items():
            if isinstance(value, dict):
                assert set(value) == set(first[key]), key
        json.dumps(info, allow_nan=False)
        assert terminated or not info["success"]


def test_wrappers_say_which_worlds_they_serve() -> None:
    with pytest.raises(ConfigError, match=r"ReAct wraps worlds derived from agentgym\.LanguageEnv, got CartPoleEnv"):
        wrappers.ReAct(gym.make("CartPole-v1"))


def test_wrappers_say_where_they_stand() -> None:
    lake = agentgym.make("FrozenLake-v0", render_mode="rgb_array")
    with pytest.raises(ConfigError, match="put ReAct further inside"):
        wrappers.ReAct(wrappers.Screenshot(lake))
    with pytest.raises(ConfigError, match="ChoiceByNumber must stand inside ReAct"):
        wrappers.ChoiceByNumber(wrappers.ReAct(lake))
    with pytest.raises(ConfigError, match="use ReAct or Tags, not both"):
        wrappers.Tags(wrappers.ReAct(lake))
    with pytest.raises(ConfigError, match="Fenced must stand inside Trials"):
        wrappers.Fenced(wrappers.Trials(lake))


def test_only_wrappers_that_repeat_earlier_turns_keep_history() -> None:
    assert {kind for kind in OURS if getattr(wrappers, kind).keeps_history} == {"History", "Workspace"}


def test_arguments_are_refused_in_one_line() -> None:
    lake = agentgym.make("FrozenLake-v0")
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("ReAct", {"several": "some"}), ("Tags", {"thought": "a b"}), ("Tags", {"action": "think"}),
        ("JsonReply", {"thought": "x", "action": "x"}), ("NativeCalls", {"style": "soap"}), ("CodeBlocks", {"most": 0}),
        ("Fenced", {"language": "a b"}), ("SeveralActions", {"most": 1}), ("SeveralActions", {"separator": " "}),
        ("NearestAdmissible", {"cutoff": 0}), ("Retries", {"tries": 0}), ("Retries", {"default": "fly"}),
        ("History", {"turns": -1}), ("History", {"length": 10}), ("Truncate", {"tokens": 1}), ("Horizon", {"turns": 0}),
        ("Truncate", {"tokenizer": "nothing"}), ("Truncate", {"tokenizer": "no_such.json"}),
        ("Workspace", {"length": 0}),
        ("Screenshot", {"height": 1}), ("Screenshot", {}), ("FormatReward", {"valid": float("nan")}),
        ("StepCost", {"cost": -1}), ("PotentialShaping", {"gamma": 2}), ("PotentialShaping", {"potential": "math:pi"}),
        ("PotentialShaping", {"potential": "math:nothing"}), ("SubgoalReward", {"subgoals": {}}),
        ("SubgoalReward", {"subgoals": {"a": {"type": "fly"}}}), ("JudgeReward", {"model": "x"}),
        ("JudgeReward", {"model": "math:sqrt", "record": True}), ("Hints", {"by": "oracle2"}),
        ("Hints", {"fraction": 2}),
        ("Trials", {"trials": 1}), ("MemoryTools", {"capacity": 0}), ("LTLMonitor", {"rules": {}}),
        ("LTLMonitor", {"rules": {"a": "F ("}}), ("LTLMonitor", {"rules": {"a": "fly"}}),
        ("LTLMonitor", {"rules": {"a": "move"}, "penalty": -1}), ("EventLog", {"path": "/no/such/folder/x"}),
        ("CostMeter", {"read_price": -1}), ("Macros", {}), ("Macros", {"file": "/no/such/file"}),
    ]  # fmt: skip
    for kind, arguments in wrong:
        with pytest.raises(agentgym.core.AgentGymError) as caught:
            getattr(wrappers, kind)(lake, **arguments)
        assert "\n" not in str(caught.value), kind
        assert len(str(caught.value)) < 300, kind
