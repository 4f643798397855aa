"""Random stacks of up to five wrappers over random worlds under random and hostile actions."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import StickyAction, TimeLimit

import agentgym
from agentgym import wrappers
from agentgym.core import LanguageEnv
from tests.wrappers.stacks import FEW, IDS, ODD, choose, follow, line, make, stack

STEPS = 14
TOLERANCE = 1e-9  # rounding of sums of rewards


@pytest.mark.parametrize("seed", range(120))
def test_stacks(seed: int) -> None:
    assert differing(seed, FEW) == []


@pytest.mark.parametrize("seed", range(80))
def test_stacks_over_odd_worlds(seed: int) -> None:
    """Worlds whose engine fails or must be played again, that list nothing, or that cannot be copied."""
    assert differing(20_000 + seed, ODD) == []


@pytest.mark.full
@pytest.mark.parametrize("block", range(25))
def test_many_stacks(block: int) -> None:
    for seed in range(40):
        assert differing(10_000 + 40 * block + seed, IDS) == []


def differing(seed: int, ids: tuple[str, ...]) -> list[tuple[str, list[str], list[str]]]:
    """Build a stack, play it, and play its copies the same way: from the spec, from a snapshot, from a fork.

    Returns:
        Of each copy that went another way, where it is from, how it went, and how the stack did.
    """
    rng = np.random.default_rng([seed, 7])
    env, refusals = stack(ids[int(rng.integers(len(ids)))], rng)
    assert all("\n" not in said for said in refusals)
    again: Any = gym.make(EnvSpec.from_json(env.spec.to_json()))
    while not isinstance(again, type(env)):
        again = again.env
    first, info = env.reset(seed=seed)
    copy, told = again.reset(seed=seed)
    assert line(first, 0, 0, 0, info) == line(copy, 0, 0, 0, told)
    kinds = {key: type(value) for key, value in info.items()}
    actions: list[str] = []
    lines: list[str] = []
    cut = int(rng.integers(STEPS))
    saved = twin = key = None
    for turn in range(STEPS):
        if turn == cut and env.unwrapped.card.snapshot != "none":
            saved, twin, key = agentgym.snapshot(env), agentgym.fork(env), env.state_key()
        actions.append(choose(env, rng))
        answer = env.step(actions[-1])
        _sound(env, answer, kinds)
        lines.append(line(*answer))
    copies = [("spec", follow(again, actions), lines)]
    if saved is not None:
        copies.append(("fork", follow(twin, actions[cut:]), lines[cut:]))
        agentgym.restore(env, saved)
        assert env.state_key() == key
        assert agentgym.snapshot(env).digest() == saved.digest()
        copies.append(("snapshot", follow(env, actions[cut:]), lines[cut:]))
        agentgym.restore(again, saved)
        copies.append(("snapshot of another", follow(again, actions[cut:]), lines[cut:]))
    assert line(*env.reset(seed=seed), 0, 0, 0) == line(first, info, 0, 0, 0)
    return [each for each in copies if each[1] != each[2]]


def _sound(env: Any, answer: Any, kinds: dict[str, type]) -> None:
    observation, reward, terminated, truncated, info = answer
    assert observation in env.observation_space
    assert type(reward) is float
    assert type(terminated) is bool
    assert type(truncated) is bool
    assert {key: type(value) for key, value in info.items()} == kinds
    json.dumps(info, allow_nan=False)
    assert terminated or not info["success"]
    assert env.ended == (terminated or truncated)
    if "reward_terms" in info:
        assert abs(sum(info["reward_terms"].values()) - reward) < TOLERANCE
    assert info["action_valid"] == (info["error"] == "")
    text = observation["text"] if isinstance(observation, dict) else observation
    assert info["action_valid"] or "cut ...]" in text or info["error"] in text


def test_stacks_hold_in_vectors() -> None:
    """A vector of equal stacks gives what each stack gives alone."""
    for seed in (3, 4, 5, 6):
        rng = np.random.default_rng([seed, 8])
        alone, _ = stack("AgentGym/TextCraft-v1", rng)
        spec = alone.spec.to_json()
        vector = gym.vector.SyncVectorEnv(
            [lambda spec=spec: gym.make(EnvSpec.from_json(spec)) for _ in range(2)],
            autoreset_mode=gym.vector.AutoresetMode.DISABLED,
        )
        seen, _ = vector.reset(seed=[9, 9])
        first, _ = alone.reset(seed=9)
        for _ in range(5):
            if alone.ended:
                break
            assert line(seen[0], 0, 0, 0, {}) == line(seen[1], 0, 0, 0, {}) == line(first, 0, 0, 0, {})
            action = choose(alone, rng)
            seen = vector.step((action, action))[0]
            first = alone.step(action)[0]
        vector.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_stacks_go_into_our_vectors(mode: Any) -> None:
    stacked = (wrappers.AdmissibleInText, wrappers.ReAct, partial(wrappers.History, turns=1), wrappers.StepCost)
    vector = agentgym.make_vec("TextCraft-v1", 2, vectorization_mode=mode, wrappers=stacked)
    alone: Any = agentgym.make("TextCraft-v1")
    for one in stacked:
        alone = one(alone)
    texts, _ = vector.reset(seed=[1, 1])
    first, _ = alone.reset(seed=1)
    for _ in range(4):
        assert texts[0] == texts[1] == first
        reply = alone.expert_action()
        texts, rewards, terminated, *_, infos = vector.step((reply, reply))
        first, reward, ended, _, info = alone.step(reply)
        assert rewards.tolist() == [reward, reward]
        if ended:
            assert terminated.all()
            break
        assert infos["thought"].tolist() == [info["thought"]] * 2
    vector.close()


def test_other_wrappers_may_stand_in_between() -> None:
    """Gymnasium's own wrappers between ours change neither prompts nor parsers, and refusals stay refusals."""
    env = wrappers.ReAct(TimeLimit(StickyAction(wrappers.MemoryTools(agentgym.make("TextCraft-v1")), 0.5), 5))
    text, _ = env.reset(seed=0)
    assert env.line in text
    for turn in range(1, 6):
        *_, truncated, info = env.step("nonsense")
        assert not info["action_valid"]
        assert "Action:" in info["error"]
        assert truncated == (turn == 5)


def test_every_world_is_drawn() -> None:
    assert set(FEW) <= set(IDS)
    assert isinstance(make(IDS[0]).unwrapped, LanguageEnv)
