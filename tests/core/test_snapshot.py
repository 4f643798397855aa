"""Snapshots are exact, independent and portable, for worlds that copy and for worlds that replay."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import agentgym
from agentgym.core import Snapshot, SnapshotError, fingerprint
from agentgym.core.snapshot import copy_state, json_key
from tests.core.worlds import Count, Replay, Sealed

ROOT = Path(__file__).parents[2]
LOOK_AHEAD = 40  # enough equal rolls of a three-sided die to rule out chance


@dataclass
class Box:
    """A mutable part of a state."""

    inside: Any = None
    more: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Slotted:
    """The same with slots."""

    inside: Any = None


@dataclass(frozen=True)
class Fixed:
    """An immutable part of a state."""

    name: str = "x"


atoms = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=5)
plain = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(deque)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=4)
        | st.builds(Box, inner)
        | st.builds(Slotted, inner)
    ),
    max_leaves=12,
)
others = st.sets(st.integers()) | st.frozensets(st.text()) | st.builds(Fixed) | st.just(np.arange(6.0).reshape(2, 3))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other)) and one.dtype == other.dtype
    return type(one) is type(other) and bool(one == other)


def spoil(value: Any) -> None:
    """Change every mutable part in place."""
    if isinstance(value, (list, deque)):
        for item in value:
            spoil(item)
        value.append("spoilt")
    elif isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoilt"] = 1
    elif isinstance(value, set):
        value.add("spoilt")
    elif isinstance(value, tuple):
        for item in value:
            spoil(item)
    elif isinstance(value, (Box, Slotted)):
        spoil(value.inside)
        value.inside = "spoilt"
    elif isinstance(value, np.ndarray):
        value += 1


# Copies of plain data


@given(plain | others)
@example([1, [2, {"a": (3, [4])}]])
@example({"a": deque([[1]], maxlen=2)})
def test_a_copy_is_equal_and_independent(value: Any) -> None:
    print_before = fingerprint(value)
    twin = copy_state(value)
    assert same(twin, value)
    assert fingerprint(twin) == print_before
    spoil(twin)
    assert fingerprint(value) == print_before


def test_a_copied_deque_keeps_its_bound() -> None:
    assert copy_state(deque([1], maxlen=2)).maxlen == 2


def test_frozen_dataclasses_are_shared() -> None:
    fixed = Fixed()
    assert copy_state([fixed])[0] is fixed


@pytest.mark.parametrize("value", [np.uint8(3), np.int16(-2), np.float16(0.5), np.bool_(True), np.str_("x")])
def test_numbers_of_numpy_are_plain_data(value: Any) -> None:
    assert copy_state([value]) == [value]
    fingerprint(value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "builtins.object"),
        (threading.Lock(), "_thread.lock"),
        (lambda: 1, "builtins.function"),
        (np.random.default_rng(), "numpy.random._generator.Generator"),
        (np.array([object()]), "numpy.ndarray"),
        (np.array([(1, "x")], dtype=[("a", int), ("b", object)]), "numpy.ndarray"),
        (Box, "builtins.type"),
    ],
    ids=["object", "lock", "function", "generator", "array of objects", "array with objects", "class"],
)
def test_anything_else_is_refused_by_name(value: Any, name: str) -> None:
    for ask in (copy_state, fingerprint):
        for held in (value, [value], {"a": (value,)}, Box(value)):
            with pytest.raises(SnapshotError, match=f"a state holds a {name}; it may hold only plain data"):
                ask(held)


# Fingerprints


@given(plain | others, plain | others)
@example([], {})
@example("a", b"a")
@example([1, 23], [12, 3])
@example(["a", "bc"], ["ab", "c"])
@example([[1], 2], [[1, 2]])
@example({"a": 1}, {"a": "1"})
@example(1, True)
@example(None, "None")
def test_different_data_have_different_fingerprints(one: Any, other: Any) -> None:
    if fingerprint(one) == fingerprint(other):
        assert json_like(one) == json_like(other)


def json_like(value: Any) -> Any:
    """Lists, tuples and deques are the same to a fingerprint; text with types tells everything else apart."""
    if isinstance(value, (list, tuple, deque)):
        return ["l", *map(json_like, value)]
    if isinstance(value, dict):
        return ["d", *sorted((repr(json_like(key)), repr(json_like(item))) for key, item in value.items())]
    if isinstance(value, (set, frozenset)):
        return ["e", *sorted(map(repr, value))]
    if isinstance(value, (Box, Slotted, Fixed)):
        return [type(value).__name__, *(json_like(getattr(value, item.name)) for item in fields(value))]
    return repr(value)


def test_order_matters_in_lists_and_not_in_dicts_and_sets() -> None:
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint({"x", "y", "z"}) == fingerprint({"z", "y", "x"})
    assert fingerprint([1, 2]) != fingerprint([2, 1])


def test_numpy_numbers_count_as_their_value() -> None:
    assert fingerprint(np.int64(3)) == fingerprint(3)
    assert fingerprint(np.float64(0.1)) == fingerprint(0.1)
    assert fingerprint(np.bool_(True)) == fingerprint(True)


def test_arrays_differ_by_type_shape_and_content() -> None:
    arrays = [np.zeros(4), np.zeros((2, 2)), np.zeros(4, np.float32), np.zeros(4, int), np.ones(4)]
    assert len({fingerprint(array) for array in arrays}) == len(arrays)
    assert fingerprint(np.arange(6).reshape(2, 3).T) == fingerprint(np.arange(6).reshape(2, 3).T.copy())


def in_fresh_process(code: str, *, data: bytes = b"", hash_seed: str = "0") -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_fingerprints_are_equal_in_every_process() -> None:
    value = "{'b': {'x', 'y', 'z', 3}, 'a': [1, 2.5, None, True, b'k', frozenset('abcdef')], 7: ('t',)}"
    code = f"from agentgym.core import fingerprint; print(fingerprint({value}), end='')"
    here = fingerprint({"b": {"x", "y", "z", 3}, "a": [1, 2.5, None, True, b"k", frozenset("abcdef")], 7: ("t",)})
    for hash_seed in ("0", "1", "4242"):
        assert in_fresh_process(code, hash_seed=hash_seed).decode() == here


@given(st.dictionaries(st.text(), st.integers() | st.text()))
def test_json_keys_ignore_the_order_of_keys(value: dict[str, Any]) -> None:
    assert json_key(value) == json_key(dict(reversed(value.items())))


# Worlds


PLAY = ["add 1", "roll", "nonsense", "undo", "roll", "add 1", "roll", "undo"]
WORLDS = pytest.mark.parametrize("kind", [Count, Replay], ids=["copy", "replay"])


def make(kind: type[Count], **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make(kind.card.id, max_turns=100, **kwargs)


def played(kind: type[Count], turns: int, target: int = 90) -> gym.Env[Any, Any]:
    env = make(kind)
    env.reset(seed=11, options={"task": {"target": target}, "start": 1})
    for action in PLAY[:turns]:
        env.step(action)
    return env


def future(env: gym.Env[Any, Any], actions: list[str] | None = None) -> list[Any]:
    return [env.step(action) for action in actions or PLAY]


@WORLDS
@pytest.mark.parametrize("turns", range(len(PLAY) + 1))
def test_restore_brings_back_the_same_future(kind: type[Count], turns: int) -> None:
    env = played(kind, turns)
    saved = agentgym.snapshot(env)
    expected = future(env)
    agentgym.restore(env, saved)
    assert agentgym.snapshot(env) == saved
    assert future(env) == expected
    env.reset(seed=3, options={"task": "to-4"})
    agentgym.restore(env, saved)
    assert future(env) == expected


@WORLDS
def test_restore_into_an_environment_that_was_never_reset(kind: type[Count]) -> None:
    env = played(kind, 5)
    other = gym.make(kind.card.id, split="test", disable_env_checker=True)
    plain_env = other.unwrapped
    assert isinstance(plain_env, Count)
    plain_env.restore(env.unwrapped.snapshot())  # type: ignore[attr-defined]
    assert future(plain_env) == future(env.unwrapped)
    assert plain_env.max_turns == 100


@WORLDS
def test_restore_in_another_process(kind: type[Count]) -> None:
    env = played(kind, 5)
    code = (
        "import sys, pickle, gymnasium as gym, agentgym, tests.core.worlds\n"
        f"env = gym.make({kind.card.id!r})\n"
        "agentgym.restore(env, pickle.load(sys.stdin.buffer))\n"
        f"sys.stdout.buffer.write(pickle.dumps([env.step(action) for action in {PLAY!r}]))\n"
    )
    saved = pickle.dumps(agentgym.snapshot(env))
    assert pickle.loads(in_fresh_process(code, data=saved, hash_seed="77")) == future(env)


@WORLDS
def test_restored_ends_stay_ends(kind: type[Count]) -> None:
    env = played(kind, 0, target=2)
    env.step("add 1")
    saved = agentgym.snapshot(env)
    env.reset()
    agentgym.restore(env, saved)
    _, reward, terminated, truncated, info = env.step("add 1")
    assert (reward, terminated, truncated, info["success"], info["progress"]) == (0.0, True, False, True, 1.0)


@WORLDS
def test_a_failure_is_part_of_the_snapshot(kind: type[Count]) -> None:
    env = played(kind, 3)
    env.step("jam")
    saved = agentgym.snapshot(env)
    env.reset()
    agentgym.restore(env, saved)
    assert env.step("add 1")[4]["failure"] == "the wheels are stuck"


def test_a_snapshot_does_not_change_when_play_goes_on() -> None:
    env = played(Count, 4)
    saved = agentgym.snapshot(env)
    before = pickle.dumps(saved)
    future(env)
    agentgym.restore(env, saved)
    future(env)
    assert pickle.dumps(saved) == before


def test_the_task_part_is_rebuilt_exactly_when_task_or_options_differ() -> None:
    env = Count()
    env.reset(options={"task": "to-5", "start": 1})
    saved, task = env.snapshot(), env.task
    begun = env.begun
    env.step("add 1")
    env.restore(saved)
    assert env.begun == begun
    env.tasks = lambda split: FixedPanel(task)  # type: ignore[method-assign, assignment]
    env.reset(options={"start": 3})
    assert env.task is task
    env.restore(saved)
    assert (env.start, env.begun) == (1, begun + 2)


class FixedPanel:
    """Hands out one task object again and again, as panels that remember their tasks do."""

    def __init__(self, task: Any):
        self.draw = lambda rng: task


@WORLDS
def test_a_fork_and_its_origin_are_independent(kind: type[Count]) -> None:
    env = played(kind, 4)
    expected = future(agentgym.fork(env))
    twin = agentgym.fork(env)
    env.step("add 3")
    env.step("roll")
    assert future(twin) == expected
    other = agentgym.fork(env)
    here = agentgym.snapshot(env)
    future(other)
    other.reset(seed=5)
    other.unwrapped.np_random.random(7)
    assert agentgym.snapshot(env) == here


@WORLDS
def test_a_copied_generator_throws_the_same_dice_and_a_reseeded_one_others(kind: type[Count]) -> None:
    env = played(kind, 2)
    rolls = ["roll", "undo"] * (LOOK_AHEAD // 2)

    def thrown(twin: gym.Env[Any, Any]) -> list[str]:
        return [text for text, *_ in future(twin, rolls)]

    before = agentgym.snapshot(env)
    assert thrown(agentgym.fork(env)) == thrown(agentgym.fork(env))
    assert thrown(agentgym.fork(env, reseed=1)) == thrown(agentgym.fork(env, reseed=1))
    assert len({tuple(thrown(agentgym.fork(env, reseed=seed))) for seed in (None, 1, 2, 3)}) == 4
    assert agentgym.snapshot(env) == before


def test_replay_remembers_every_turn() -> None:
    env = played(Replay, 6)
    saved = agentgym.snapshot(env)
    assert (saved.state, saved.calls) == (None, tuple(PLAY[:6]))
    assert played(Count, 6).unwrapped.snapshot().calls is None  # type: ignore[attr-defined]


def test_an_engine_that_fails_in_replay_is_reported() -> None:
    env = played(Replay, 2)
    saved = agentgym.snapshot(env)
    for wrong in (replace(saved, calls=("jam",)), replace(saved, options={"broken": "no power"})):
        with pytest.raises(SnapshotError, match=r"the engine failed while the episode was replayed: (the|no)"):
            agentgym.restore(env, wrong)


def test_a_replaying_world_forks_only_if_gymnasium_made_it() -> None:
    env = Replay()
    env.reset(seed=0)
    with pytest.raises(SnapshotError, match=r"can be forked only if it was made by gym\.make"):
        env.fork()


def test_worlds_that_cannot_be_copied_say_so() -> None:
    env = Sealed()
    env.reset(seed=0)
    for ask in (env.snapshot, env.fork, lambda: agentgym.snapshot(env), lambda: agentgym.fork(env)):
        with pytest.raises(SnapshotError, match="Sealed-v0 cannot be copied"):
            ask()


def test_snapshots_of_other_worlds_are_refused() -> None:
    env = Count()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(SnapshotError, match=r"the snapshot is of .*Replay-v0, this is .*Count-v0"):
        env.restore(played(Replay, 1).unwrapped.snapshot())  # type: ignore[attr-defined]
    assert env.snapshot() == before


def test_digests_cover_all_but_the_last_exchange() -> None:
    env = played(Count, 4)
    saved: Snapshot = env.unwrapped.snapshot()  # type: ignore[attr-defined]
    changed: dict[str, Any] = {
        "state": None,
        "options": {},
        "rng": {},
        "turn": 9,
        "max_turns": 1,
        "terminated": True,
        "truncated": True,
        "success": True,
        "progress": 0.25,
        "failure": "x",
        "calls": (),
        "begun": {},
        "env_id": "x",
        "task": replace(saved.task, id="x"),
        "wrappers": (("w", {}),),
    }
    digests = {saved.digest(), *(replace(saved, **{name: value}).digest() for name, value in changed.items())}
    assert len(digests) == len(changed) + 1
    assert replace(saved, text="x", said="y").digest() == saved.digest()
    assert {item.name for item in fields(Snapshot)} == {*changed, "text", "said"}
    assert replace(saved, turn=9).digest(turn=False) == saved.digest(turn=False)


@WORLDS
def test_state_keys_ignore_turn_and_generator_and_nothing_else(kind: type[Count]) -> None:
    env = played(Count, 0).unwrapped
    assert isinstance(env, Count)
    first = env.state_key()
    env.step("nonsense")
    env.np_random.random()
    assert env.state_key() == first
    env.step("add 1")
    second = env.state_key()
    env.step("undo")
    assert env.state_key() == first
    env.step("jam")
    third = env.state_key()
    env.reset(options={"task": {"target": 90}, "start": 2})
    fourth = env.state_key()
    env.reset(options={"task": {"target": 91}, "start": 1})
    assert len({first, second, third, fourth, env.state_key()}) == 5


# Wrappers


class Plain(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps plain data as attributes; needs no methods."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.heard: list[str] = []
        self.decorate = str.upper

    def step(self, action: str) -> Any:
        text, *rest = self.env.step(action)
        self.heard.append(text)
        return (f"{len(self.heard)} {text}", *rest)


class Telling(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps something that is no plain data and says what matters of it."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.counter = iter(range(1000))
        self.lock = threading.Lock()

    def step(self, action: str) -> Any:
        text, *rest = self.env.step(action)
        return (f"{next(self.counter)} {text}", *rest)

    def get_state(self) -> dict[str, int]:
        at = next(self.counter)
        self.counter = iter(range(at, 1000))
        return {"at": at}

    def set_state(self, state: dict[str, int]) -> None:
        self.counter = iter(range(state["at"], 1000))


class Silent(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps something that is no plain data and says nothing."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.lock = threading.Lock()


def wrapped(turns: int) -> gym.Env[Any, Any]:
    env = Plain(Telling(gym.wrappers.TimeLimit(make(Count), 90)))
    env.reset(seed=11, options={"task": {"target": 90}, "start": 1})
    for action in PLAY[:turns]:
        env.step(action)
    return env


def test_wrappers_are_saved_restored_and_forked() -> None:
    env = wrapped(4)
    saved = agentgym.snapshot(env)
    assert [name.rpartition(":")[2] for name, _ in saved.wrappers][:3] == ["Plain", "Telling", "TimeLimit"]
    twin = agentgym.fork(env)
    expected = future(env)
    assert future(twin) == expected
    agentgym.restore(env, saved)
    assert future(env) == expected
    fresh = wrapped(0)
    agentgym.restore(fresh, pickle.loads(pickle.dumps(saved)))
    assert future(fresh) == expected


def test_a_forks_wrappers_are_its_own() -> None:
    env = wrapped(3)
    before = agentgym.snapshot(env)
    twin = agentgym.fork(env)
    future(twin)
    assert agentgym.snapshot(env) == before
    assert twin.unwrapped is not env.unwrapped
    assert isinstance(twin, Plain)
    assert isinstance(twin.env, Telling)


def test_a_wrapper_that_hides_its_state_is_refused_in_one_line() -> None:
    env = Silent(make(Count))
    env.reset(seed=0)
    message = "the wrapper Silent keeps lock in a lock, which is no plain data; give the wrapper get_state"
    for ask in (agentgym.snapshot, agentgym.fork):
        with pytest.raises(SnapshotError, match=message) as caught:
            ask(env)
        assert "\n" not in str(caught.value)


def test_snapshots_are_refused_by_other_wrappers() -> None:
    saved = agentgym.snapshot(wrapped(2))
    env = Plain(make(Count))
    env.reset(seed=0)
    before = agentgym.snapshot(env)
    with pytest.raises(SnapshotError, match="the snapshot was taken inside the wrappers"):
        agentgym.restore(env, saved)
    assert agentgym.snapshot(env) == before


def test_other_environments_are_refused() -> None:
    for ask in (agentgym.snapshot, agentgym.fork):
        with pytest.raises(SnapshotError, match=r"CartPoleEnv is no agentgym\.core\.LanguageEnv"):
            ask(gym.make("CartPole-v1"))
