"""Vector environments against single ones."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.conformance.play import plain
from agentgym.conformance.players import PlayerAgent, keeps_contract
from agentgym.core import StepResult, drive
from agentgym.core.rng import stream
from agentgym.vector import make_vec

SEEDS = (41, 42)
STEPS = 24
LIMIT = 6  # turns an episode, so that several fit into the steps

Answer = dict[str, Any]


def compare(env_id: str, kwargs: dict[str, Any]) -> str:
    """What differs between single environments and both modes of `make_vec` under equal actions; empty if nothing.

    Args:
        env_id: An id of Gymnasium's with its module prefix.
        kwargs: Constructor arguments.
    """
    single = [_single(env_id, kwargs, seed) for seed in SEEDS]
    actions = [[answers[turn]["action"] for answers in single] for turn in range(1, STEPS + 1)]
    for mode in ("sync", "async"):
        vector = make_vec(env_id, len(SEEDS), vectorization_mode=mode, **_limited(env_id, kwargs))
        try:
            batches = _vector(vector, actions)
        finally:
            vector.close()
        for turn, batch in enumerate(batches):
            for index in range(len(SEEDS)):
                expected = {key: value for key, value in single[index][turn].items() if key != "action"}
                if batch[index] != expected:
                    key = next(key for key in expected if batch[index].get(key) != expected[key])
                    return (
                        f"{mode} environment {index}, step {turn}: {key} is {batch[index].get(key)!r:.200} "
                        f"instead of {expected[key]!r:.200}."
                    )
    return ""


def _limited(env_id: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a low turn limit, so that episodes end; Gymnasium's own where there is no `max_turns`."""
    world = keeps_contract(drive(gym.make(env_id, **kwargs)))
    return {**kwargs, ("max_turns" if world else "max_episode_steps"): LIMIT}


def _single(env_id: str, kwargs: dict[str, Any], seed: int) -> list[Answer]:
    """One environment over several episodes, reset in the step that ends one, as `SAME_STEP` does."""
    env = gym.make(env_id, **_limited(env_id, kwargs))
    observation, info = env.reset(seed=seed)
    answers: list[Answer] = [{"observation": plain(observation), "info": _scalars(info)}]
    driver = drive(env)
    agent = PlayerAgent(driver, driver.players[0], "random", stream("conformance.vectors", seed))
    for _ in range(STEPS):
        action = agent.act(StepResult(observation, 0.0, False, False, info))
        observation, reward, terminated, truncated, info = env.step(action)
        answer: Answer = {"action": action, "reward": float(reward), "flags": [bool(terminated), bool(truncated)]}
        if terminated or truncated:
            answer |= {"final_observation": plain(observation), "final_info": _scalars(info)}
            observation, info = env.reset()
        answers.append({**answer, "observation": plain(observation), "info": _scalars(info)})
    return answers


def _scalars(info: dict[str, Any]) -> dict[str, Any]:
    """The entries of `info` that vector environments batch one by one."""
    return {key: plain(value) for key, value in info.items() if isinstance(value, (bool, int, float, str))}


def _vector(vector: Any, actions: list[list[Any]]) -> list[list[Answer]]:
    """What a vector environment answers, one list entry per environment."""
    count = len(SEEDS)
    observations, infos = vector.reset(seed=list(SEEDS))
    batches = [[{"observation": _at(observations, i), "info": _info_at(infos, i)} for i in range(count)]]
    for chosen in actions:
        action = tuple(chosen) if isinstance(chosen[0], str) else np.array(chosen)
        observations, rewards, terminations, truncations, infos = vector.step(action)
        batch = []
        for i in range(count):
            answer: Answer = {"reward": float(rewards[i]), "flags": [bool(terminations[i]), bool(truncations[i])]}
            if any(answer["flags"]):
                answer["final_observation"] = plain(infos["final_obs"][i])
                answer["final_info"] = _info_at(infos["final_info"], i)
            batch.append({**answer, "observation": _at(observations, i), "info": _info_at(infos, i)})
        batches.append(batch)
    return batches


def _at(observations: Any, index: int) -> Any:
    if isinstance(observations, dict):
        return {key: _at(value, index) for key, value in observations.items()}
    return plain(observations[index])


def _info_at(infos: dict[str, Any], index: int) -> dict[str, Any]:
    """The entries of one environment: those whose mask says they are its own."""
    found = {}
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        own = mask is not None and isinstance(value, np.ndarray) and bool(mask[index])
        if own and not key.startswith(("_", "final_")):
            item = value[index]
            if isinstance(item, (bool, int, float, str, np.generic)):
                found[key] = plain(item)
    return found
