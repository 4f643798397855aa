"""`gymnasium.make_vec` makes our vectors, which keep Gymnasium's vector interface."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec, VectorizeMode
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import agentgym
from agentgym.core import ConfigError
from agentgym.vector import LocalVectorEnv, ProcessVectorEnv, entry_points

NAME = "AgentGym/FrozenLake-v0"
COUNT = 4


def lakes(**kwargs: object) -> VectorEnv:
    return gym.make_vec(NAME, num_envs=COUNT, split="train", slippery=False, **kwargs)


def test_gymnasium_makes_ours_by_default_and_by_name() -> None:
    for mode in (None, "vector_entry_point", VectorizeMode.VECTOR_ENTRY_POINT):
        envs = lakes(vectorization_mode=mode)
        assert isinstance(envs, LocalVectorEnv)
        assert envs.num_envs == COUNT
        assert envs.spec is not None
        assert envs.spec.kwargs["vectorization_mode"] == "vector_entry_point"
    assert isinstance(lakes(vectorization_mode="sync"), SyncVectorEnv)


def test_options_of_ours_are_passed_on() -> None:
    envs = lakes(autoreset_mode=AutoresetMode.DISABLED, max_turns=1)
    envs.reset(seed=0)
    assert envs.step(["nonsense"] * COUNT)[3].all()
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    with pytest.raises(ConfigError, match="num_envs must be a whole number"):
        gym.make_vec(NAME, num_envs=0)


def test_engines_get_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.vector._is_engine", lambda name: name == NAME)
    envs = gym.make_vec(NAME, num_envs=2)
    try:
        assert isinstance(envs, ProcessVectorEnv)
        assert len(envs.reset(seed=0)[0]) == 2
    finally:
        envs.close()


def test_the_specification_makes_an_equal_vector_also_from_a_file() -> None:
    envs = lakes()
    assert envs.spec is not None
    again = gym.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert isinstance(again, LocalVectorEnv)
    assert again.num_envs == COUNT
    assert again.reset(seed=3)[0] == envs.reset(seed=3)[0]


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_vector_interface_of_gymnasium_is_kept(mode: AutoresetMode) -> None:
    envs = lakes(autoreset_mode=mode)
    assert isinstance(envs, VectorEnv)
    assert envs.metadata["autoreset_mode"] is mode
    observations, infos = envs.reset(seed=7)
    assert observations in envs.observation_space
    assert all(observation in envs.single_observation_space for observation in observations)
    assert infos["_task_id"].tolist() == [True] * COUNT
    envs.action_space.seed(0)
    ended = np.zeros(COUNT, bool)
    episodes = 0
    for _ in range(50):
        if mode is AutoresetMode.DISABLED and ended.any():
            envs.reset(options={"reset_mask": ended})
        observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        ended = terminated | truncated
        episodes += int(ended.sum())
        assert observations in envs.observation_space
        assert (rewards.shape, rewards.dtype) == ((COUNT,), np.float64)
        assert all((flags.shape, flags.dtype) == ((COUNT,), np.bool_) for flags in (terminated, truncated))
        if mode is AutoresetMode.SAME_STEP and ended.any():
            assert infos["_final_obs"].tolist() == ended.tolist()
    assert episodes >= COUNT
    assert envs.unwrapped is envs
    envs.close()
    assert envs.closed


def test_equal_seeds_give_the_observations_of_gymnasiums_own_vector() -> None:
    ours, theirs = lakes(autoreset_mode="NextStep"), lakes(vectorization_mode="sync")
    assert ours.reset(seed=11)[0] == theirs.reset(seed=11)[0]
    rng = np.random.default_rng(0)
    for _ in range(60):
        words = tuple(str(word) for word in rng.choice(["left", "right", "up", "down", "?"], COUNT))
        mine, other = ours.step(words), theirs.step(words)
        assert mine[0] == other[0]
        for left, right in zip(mine[1:4], other[1:4], strict=True):
            np.testing.assert_array_equal(left, right)


def test_vector_wrappers_of_gymnasium_fit_around_it() -> None:
    envs = RecordEpisodeStatistics(lakes(max_turns=3, autoreset_mode="NextStep"))
    envs.reset(seed=0)
    for _ in range(3):
        *_, infos = envs.step(["nonsense"] * COUNT)
    assert infos["episode"]["l"].tolist() == [3] * COUNT


def test_only_registered_ids_have_an_entry_point() -> None:
    assert callable(getattr(entry_points, NAME))
    with pytest.raises(AttributeError, match="no such id is registered"):
        getattr(entry_points, "AgentGym/Nothing-v0")
    for card in agentgym.catalog().values():
        alone = card.api == "gymnasium"
        assert (gym.spec(card.id).vector_entry_point is not None) == alone
