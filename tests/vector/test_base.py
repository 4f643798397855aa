"""Live masks, resets of some environments, columns, numbers in place of text: what vectors in this process must do."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import agentgym
from agentgym.core import ConfigError
from agentgym.vector.infos import Columns, batch
from agentgym.wrappers.numeric import HashedText, SlotActions

LANES = 4
NUMERIC = (functools.partial(SlotActions, slots=8), functools.partial(HashedText, dim=32))


def lakes(mode: AutoresetMode = AutoresetMode.DISABLED, count: int = LANES, **kwargs: Any) -> Any:
    return agentgym.make_vec("FrozenLake-v0", count, autoreset_mode=mode, slippery=False, **kwargs)


def test_only_live_environments_are_stepped() -> None:
    envs = lakes()
    before, _ = envs.reset(seed=0)
    live = np.array([True, False, True, False])
    texts, rewards, terminated, _, infos = envs.step(["right", None, "nonsense", None], live=live)
    assert [env.unwrapped.turn for env in envs.envs] == [1, 0, 1, 0]
    assert (texts[1], texts[3]) == (before[1], before[3])
    assert infos["_task_id"].tolist() == live.tolist()
    assert infos["task_id"][1] is None
    assert infos["action_valid"].tolist() == [True, False, False, False]
    assert not rewards[~live].any()
    assert not terminated[~live].any()


def test_without_a_mask_environments_that_have_ended_wait_for_their_reset() -> None:
    envs = lakes(max_turns=2)
    envs.reset(seed=0)
    one = np.array([True, False, False, False])
    for _ in range(2):
        envs.step(["nonsense"] * LANES, live=one)
    assert envs.live.tolist() == [False, True, True, True]
    texts, rewards, _, truncated, infos = envs.step(["nonsense"] * LANES)
    assert truncated.tolist() == [True, False, False, False]
    assert not infos["_task_id"][0]
    assert rewards[0] == 0
    with pytest.raises(ResetNeeded, match=r"episodes of environments \[0\] are over"):
        envs.step(["left"] * LANES, live=one)
    options = {"reset_mask": one}
    shown, infos = envs.reset(seed=[7, None, None, None], options=options)
    assert options == {"reset_mask": one}
    assert shown[1:] == texts[1:]
    assert infos["_task_id"].tolist() == one.tolist()
    assert envs.live.all()


def test_a_rollout_of_unequal_episodes_steps_each_environment_to_its_own_end() -> None:
    envs = agentgym.make_vec("TextCraft-v1", LANES, split="val", autoreset_mode="Disabled")
    envs.reset(seed=3)
    turns = np.zeros(LANES, int)
    while envs.live.any():
        turns += envs.live
        live = envs.live
        said = [env.unwrapped.oracle_action() if live[index] else None for index, env in enumerate(envs.envs)]
        _, rewards, *_ = envs.step(said, live=live)
        assert rewards.sum() == (live & ~envs.live).sum()
    assert turns.tolist() == [env.unwrapped.turn for env in envs.envs]
    assert len(set(turns.tolist())) > 1


def test_options_and_seeds_reach_the_environments() -> None:
    envs = lakes(split="val")
    _, infos = envs.reset(seed=1, options={"task": 3})
    assert len(set(infos["task_id"].tolist())) == 1
    first, _ = envs.reset(seed=[5, 5, 6, 6])
    assert first[0] == first[1] != first[2] == first[3]
    second, _ = envs.reset(seed=5)
    assert second[0] == first[0]
    assert second[1] == first[2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda envs: envs.step(["left"] * 3), ConfigError, "4 environments, but 3 actions"),
        (lambda envs: envs.step("left"), TypeError, "actions are 4 strings, got str"),
        (lambda envs: envs.step(["left"] * 4, live=[True] * 4), ConfigError, "live must be a bool array of shape"),
        (lambda envs: envs.step(["left"] * 4, live=np.ones(3, bool)), ConfigError, r"got bool of shape \(3,\)"),
        (lambda envs: envs.reset(options={"reset_mask": np.ones(4)}), ConfigError, "reset_mask must be a bool array"),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(4, bool)}), ConfigError, "names no environment"),
        (lambda envs: envs.reset(seed=[1, 2]), ConfigError, "4 environments, but 2 seeds"),
        (lambda envs: envs.set_attr("x", [1]), ConfigError, "4 environments, but 1 values"),
    ],
)
def test_what_does_not_fit_the_environments_is_refused(call: Any, error: type[Exception], message: str) -> None:
    envs = lakes()
    envs.reset(seed=0)
    with pytest.raises(error, match=message):
        call(envs)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_one_action_that_is_no_string_stops_all_before_any_is_stepped(mode: Any) -> None:
    envs = agentgym.make_vec("FrozenLake-v0", 2, vectorization_mode=mode)
    envs.reset(seed=0)
    before = envs.call("turn")
    for wrong in (3, None, b"up"):
        with pytest.raises(TypeError, match=f"an action is a string, got {type(wrong).__name__} from environment 1"):
            envs.step(["up", wrong])
    assert envs.call("turn") == before == (0, 0)
    envs.step(["sing", wrong], live=np.array([True, False]))
    assert envs.call("turn") == (1, 0)
    envs.close()


def test_the_first_reset_begins_every_environments() -> None:
    envs = lakes()
    with pytest.raises(ResetNeeded, match="before step"):
        envs.step(["left"] * LANES)
    with pytest.raises(ResetNeeded, match="first reset begins every environment"):
        envs.reset(options={"reset_mask": np.array([True, False, False, False])})


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_the_number_of_environments_is_whole_and_positive(count: Any) -> None:
    with pytest.raises(ConfigError, match="num_envs must be a whole number of at least 1"):
        agentgym.make_vec("FrozenLake-v0", count)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_numbers_arrive_as_in_gymnasium(mode: AutoresetMode) -> None:
    """Observations, rewards, flags, masks and final observations are those of SyncVectorEnv."""

    def one() -> Any:
        env = agentgym.make("FrozenLake-v0")
        for wrapper in NUMERIC:
            env = wrapper(env)
        return env

    ours = agentgym.make_vec("FrozenLake-v0", LANES, wrappers=NUMERIC, autoreset_mode=mode)
    theirs = SyncVectorEnv([one] * LANES, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    np.testing.assert_array_equal(ours.reset(seed=2)[0], theirs.reset(seed=2)[0])
    rng, ended = np.random.default_rng(0), np.zeros(LANES, bool)
    for _ in range(30):
        if mode is AutoresetMode.DISABLED and ended.any():
            for envs in (ours, theirs):
                envs.reset(options={"reset_mask": ended.copy()})
        actions = rng.integers(0, 4, LANES)
        mine, other = ours.step(actions), theirs.step(actions)
        for left, right in zip(mine[:4], other[:4], strict=True):
            np.testing.assert_array_equal(left, right)
        _same(mine[4], other[4])
        ended = mine[2] | mine[3]


def _same(mine: dict[str, Any], other: dict[str, Any]) -> None:
    assert set(mine) == set(other)
    for key, value in other.items():
        if isinstance(value, dict):
            _same(mine[key], value)
            continue
        assert mine[key].dtype == value.dtype
        for left, right in zip(mine[key], value, strict=True):
            np.testing.assert_array_equal(left, right)


def test_columns_are_a_dict_in_every_respect() -> None:
    def fresh() -> dict[str, Any]:
        return batch(3, [2, 0], [{"a": 1, "b": "x", "c": {"d": 1.5}}, {"a": 2.5, "b": "y", "c": {"d": 2}}])

    columns = fresh()
    assert isinstance(columns, Columns)
    assert list(columns) == ["a", "_a", "b", "_b", "c", "_c"]
    assert columns["a"].tolist() == [2.5, 0.0, 1.0]  # wide enough for every environment
    assert columns["_a"].tolist() == [True, False, True]
    assert columns["b"].tolist() == ["y", None, "x"]
    assert columns["c"]["d"].tolist() == [2.0, 0.0, 1.5]
    assert columns["a"] is columns["a"]
    with pytest.raises(KeyError):
        columns["e"]
    for way in (
        dict,
        lambda given: {**given},
        copy.copy,
        copy.deepcopy,
        lambda given: {} | given,
        lambda given: given | {},
    ):
        plain = way(fresh())
        assert plain["a"].tolist() == [2.5, 0.0, 1.0]
        assert set(plain) == set(columns)
    assert pickle.loads(pickle.dumps(fresh()))["b"].tolist() == ["y", None, "x"]
    assert dict(fresh().items())["b"].tolist() == ["y", None, "x"]
    assert next(iter(fresh().values())).tolist() == [2.5, 0.0, 1.0]
    assert "object at" not in repr(fresh())
    given = fresh()
    assert given.pop("b").tolist() == ["y", None, "x"]
    assert given.pop("b", 5) == 5
    assert given.setdefault("f", 1) == 1
    assert given.popitem() == ("f", 1)
    assert given.get("zz") is None


def test_infos_of_different_keys_and_kinds_are_batched_apart() -> None:
    columns = batch(2, [0, 1], [{"a": 1, "n": 2**70}, {"b": np.ones(2)}])
    assert columns["a"].tolist() == [1, 0]
    assert columns["_b"].tolist() == [False, True]
    assert columns["b"].shape == (2, 2)
    assert columns["n"].tolist() == [2**70, None]
    ragged = batch(2, [0, 1], [{"a": np.ones(2)}, {"a": np.ones(3)}])
    assert ragged["a"].dtype == object
    assert batch(2, [0, 1], [{"a": [1]}, {"a": None}])["a"].tolist() == [[1], None]


def test_gymnasiums_vector_wrappers_fit() -> None:
    envs = gym.wrappers.vector.RecordEpisodeStatistics(lakes(AutoresetMode.SAME_STEP, max_turns=2))
    envs.reset(seed=0)
    envs.step(["nonsense"] * LANES)
    *_, infos = envs.step(["nonsense"] * LANES)
    assert infos["episode"]["l"].tolist() == [2] * LANES
    assert envs.unwrapped.spec.id == "AgentGym/FrozenLake-v0"
    envs.close()
    envs.close()


def test_render_and_attributes() -> None:
    envs = lakes(render_mode="ansi")
    envs.reset(seed=0)
    assert len(envs.render()) == LANES
    assert envs.get_attr("turn") == (0,) * LANES
    assert all(len(actions) == 4 for actions in envs.call("admissible_actions"))
    assert len(envs.np_random) == LANES
    assert envs.np_random_seed == tuple(range(LANES))
