"""The household against the original engine: recorded games everywhere, live ones where `alfworld` is installed.

`tests/benchmarks/agree_household.py --record` wrote the recording: the PDDL problems of twelve games, two of each task
type, and what the original (alfworld 0.4.2, textworld 1.7.0) answered to each command.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
from functools import cache
from pathlib import Path

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs.text._household.export import write_game
from agentgym.envs.text._household.game import TASK_TYPES
from agentgym.envs.text._household.generate import HomeOptions, generate
from agentgym.envs.text._household.pddl import specification
from tests.envs.original_household import Native, compare

RECORDED = Path(__file__).parent / "household_transcripts.json.gz"
GAMES = 12
original = pytest.mark.skipif(
    importlib.util.find_spec("alfworld") is None,
    reason='the original engine is not installed: run  pip install "agentgym-suite[worlds]"',
)


@cache
def recorded():
    return json.loads(gzip.decompress(RECORDED.read_bytes()))


def test_the_recording_covers_all_task_types_and_many_commands():
    games = recorded()
    types = [specification(game["problem"], game["sentence"])["goals"][0]["type"] for game in games]
    assert sorted(types) == sorted(TASK_TYPES * 2)
    steps = [step for game in games for episode in game["episodes"] for step in episode]
    verbs = {step[0].split()[0] for step in steps}
    assert verbs >= {"go", "open", "close", "take", "move", "examine", "look", "inventory", "use"}
    assert len(steps) > 400
    assert sum(step[3] for step in steps) >= GAMES  # each game was won at least once


@pytest.mark.parametrize("number", range(GAMES))
def test_the_native_engine_answers_as_recorded(number):
    game = recorded()[number]
    native = Native(specification(game["problem"], game["sentence"]))
    for episode in game["episodes"]:
        shown = native.reset()
        assert ["", shown.feedback, shown.reward, shown.won, list(shown.commands)] == game["first"]
        for step in episode:
            shown = native.step(step[0])
            assert [step[0], shown.feedback, shown.reward, shown.won, list(shown.commands)] == step


@original
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))])
def test_both_engines_agree_on_a_generated_household(tmp_path, seed):
    path = write_game(generate(seed, HomeOptions()), tmp_path / "home-0" / "trial_0")
    found = compare(path, seed, limit=12)
    assert found.differences == ()
    assert sum(map(len, found.episodes)) > 12


@original
def test_an_exported_household_is_read_back_as_it_was(tmp_path):
    for seed in range(10):
        spec = generate(seed, HomeOptions())
        path = write_game(spec, tmp_path / str(seed))
        env = gym.make("AgentGym/Household-v1")
        from agentgym.envs.text.household import load_game

        texts = [env.reset(options={"task": task})[0] for task in (spec, load_game(path))]
        assert texts[0] == texts[1]
