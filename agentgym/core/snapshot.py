"""Exact copies of an environment's state: snapshots, digests, and snapshot / restore / fork over wrapper chains."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast, runtime_checkable

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec

from agentgym.core.errors import SnapshotError
from agentgym.core.outcome import PlayerState
from agentgym.core.tasks import Task

if TYPE_CHECKING:
    from agentgym.core.env import BaseEnv

CONFIGURATION = (gym.Space, EnvSpec)  # what a wrapper is built from and never changes while it plays
ATOMS = frozenset({str, int, float, bool, bytes, type(None), np.bool_, np.int64, np.int32, np.float64, np.float32})


class Snapshot(NamedTuple):  # a frozen dataclass takes three times as long to make
    """All that the future of an episode depends on. Plain data: picklable, and restorable in another process.

    Attributes:
        env_id: Id of the world it belongs to.
        task: The task that is played.
        options: Reset options other than the task.
        state: The world's mutable state, copied; None for worlds that replay.
        players: How each player stands, by name.
        agents: Players still in the episode.
        interface: What a PettingZoo interface knows beside that.
        calls: For worlds that replay: turn, actions by player and the generator's state before them, of every step
            since reset that was not refused; otherwise None.
        rng_at_reset: For worlds that replay: the generator's state at reset, otherwise None.
        rng: State of `np_random`.
        turn, max_turns: Steps taken and the limit.
        failure: What broke, if the environment itself failed.
        exchange: The last action and observation, for rendering only; no part of the digest.
        wrappers: Name and state of each wrapper, outermost first; empty for the bare world.
    """

    env_id: str
    task: Task
    options: Mapping[str, Any]
    state: Any
    players: Mapping[str, PlayerState]
    agents: tuple[str, ...]
    interface: Mapping[str, Any]
    calls: tuple[tuple[int, Mapping[str, str], Mapping[str, Any]], ...] | None
    rng_at_reset: Mapping[str, Any] | None
    rng: Mapping[str, Any]
    turn: int
    max_turns: int
    failure: str
    exchange: tuple[str, str]
    wrappers: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    def digest(self, *, turn: bool = True) -> str:
        """Fingerprint of everything but the last exchange; with `turn=False`, of everything but that and the turn."""
        skip = {"exchange"} if turn else {"exchange", "turn"}
        return fingerprint([getattr(self, name) for name in self._fields if name not in skip])


@runtime_checkable
class StatefulWrapper(Protocol):
    """A wrapper whose state is not just its plain attributes says here what to save and how to take it back."""

    def get_state(self) -> Mapping[str, Any]:
        """Plain data that `set_state` understands."""

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave, in new objects: a fork begins by sharing the old ones with its origin."""


def copy_state(value: Any) -> Any:
    """An independent copy of plain data: numbers, text, tuples, lists, dicts, sets, deques, arrays, dataclasses.

    Frozen dataclasses count as immutable and are shared.

    Raises:
        SnapshotError: naming the type that is no plain data.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is list or kind is tuple:
        for item in value:
            if type(item) not in ATOMS:
                copied = [copy_state(each) for each in value]
                return copied if kind is list else tuple(copied)
        return value[:]  # of a tuple, itself
    if kind is dict:
        twin = value.copy()
        for key, item in value.items():
            if type(item) not in ATOMS:
                twin[key] = copy_state(item)
        return twin
    if kind is set or kind is frozenset:
        return kind(value)
    if kind is deque:
        return deque((copy_state(item) for item in value), value.maxlen)
    if kind is np.ndarray and not value.dtype.hasobject:
        return value.copy()
    if isinstance(value, (np.generic, Snapshot)):
        return value
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None:
        raise SnapshotError(f"a state holds a {kind.__module__}.{kind.__qualname__}; it may hold only plain data")
    return value if parameters.frozen else _copy_fields(value, kind)


def _copy_fields(value: Any, kind: type) -> Any:
    """A copy of a dataclass that can change."""
    twin: Any = object.__new__(kind)
    for name in _field_names(kind):
        item = getattr(value, name)
        setattr(twin, name, item if type(item) in ATOMS else copy_state(item))
    return twin


_FIELDS: dict[type, tuple[str, ...]] = {}


def _field_names(kind: type) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(item.name for item in fields(kind))
    return names


def fingerprint(value: Any) -> str:
    """32 hexadecimal digits that are equal for equal plain data in any process, and differ otherwise."""
    hasher = hashlib.blake2b(digest_size=16)
    for piece in _canonical(value):
        hasher.update(piece)
    return hasher.hexdigest()


def _canonical(value: Any) -> Iterator[bytes]:
    """Type-tagged, length-prefixed bytes of plain data; sets and dict keys in sorted order."""
    kind = type(value)
    if kind is str:
        data = value.encode("utf-8", "surrogatepass")
        yield b"s%d:" % len(data) + data
    elif value is None:
        yield b"n;"
    elif isinstance(value, (int, float, np.generic)):
        number = value.item() if isinstance(value, np.generic) else value
        tag = b"b" if isinstance(number, bool) else b"i" if isinstance(number, int) else b"f"
        yield tag + repr(number).encode() + b";"
    elif kind is bytes:
        yield b"y%d:" % len(value) + value
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"a{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, (list, tuple, deque)):
        yield b"l%d:" % len(value)
        for item in value:
            yield from _canonical(item)
    elif isinstance(value, (set, frozenset)):
        yield b"e%d:" % len(value)
        yield from sorted(b"".join(_canonical(item)) for item in value)
    elif isinstance(value, Mapping):
        yield b"d%d:" % len(value)
        yield from sorted(b"".join(_canonical(key)) + b"=" + b"".join(_canonical(item)) for key, item in value.items())
    elif is_dataclass(kind):
        yield b"c%d:" % len(kind.__qualname__) + kind.__qualname__.encode()
        for name in _field_names(kind):
            yield from _canonical(getattr(value, name))
    else:
        raise SnapshotError(f"a state holds a {kind.__module__}.{kind.__qualname__}; it may hold only plain data")


def json_key(value: Any) -> str:
    """Canonical JSON of JSON-safe data: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def check_snapshot(saved: Any, env_id: str = "") -> None:
    """Refuse what is no snapshot, or one of another environment.

    Args:
        saved: What was given.
        env_id: Of the environment that is to be restored; "": any.

    Raises:
        SnapshotError: saying what it is instead.
    """
    if not isinstance(saved, Snapshot):
        raise SnapshotError(f"only what snapshot() returned can be restored, got {type(saved).__name__}")
    if env_id and saved.env_id != env_id:
        raise SnapshotError(f"the snapshot is of {saved.env_id}, this is {env_id}")


def snapshot(env: Any) -> Snapshot:
    """The exact state of `env`, whatever wrappers of Gymnasium or PettingZoo stand around it.

    Raises:
        SnapshotError: if the world cannot be copied or a wrapper holds something that is no plain data.
    """
    chain, base = _chain(env)
    saved = base.snapshot()
    return saved._replace(wrappers=_wrapper_states(chain)) if chain else saved


def restore(env: Any, saved: Snapshot) -> None:
    """Put `env` into the state `saved`; both must be the same world in the same wrappers.

    Args:
        env: An environment, with its wrappers.
        saved: What `snapshot` returned.

    Raises:
        SnapshotError: if they are not, or `saved` is no snapshot.
    """
    check_snapshot(saved)
    chain, base = _chain(env)
    here, there = [_name(wrapper) for wrapper in chain], [name for name, _ in saved.wrappers]
    if here != there:
        raise SnapshotError(f"the snapshot was taken inside the wrappers {there}, this environment has {here}")
    base.restore(saved)
    for wrapper, (_, state) in zip(chain, saved.wrappers, strict=True):
        _set_wrapper_state(wrapper, state)


def fork(env: Any, reseed: int | None = None) -> Any:
    """A second environment in the state of `env`, wrappers included; the two are independent.

    Args:
        env: Any AgentGym world, wrapped or not.
        reseed: Seed of the fork's generator. Give one for look-ahead: a fork with a copied generator sees what
            `env` is about to draw.
    """
    chain, base = _chain(env)
    states = _wrapper_states(chain)
    twin: Any = base.fork(reseed)
    for wrapper, (_, state) in zip(reversed(chain), reversed(states), strict=True):
        outer = copy.copy(wrapper)
        outer.env = twin
        _set_wrapper_state(outer, state)
        twin = outer
    return twin


def _chain(env: Any) -> tuple[list[Any], BaseEnv]:
    """The wrappers, outermost first, and the world inside."""
    wrappers: list[Any] = []
    while _is_wrapper(env):
        wrappers.append(env)
        env = env.env
    if not (hasattr(env, "snapshot") and hasattr(env, "restore") and hasattr(env, "fork")):
        raise SnapshotError(f"{type(env).__name__} is no AgentGym environment; only those can be copied")
    return wrappers, env


def _is_wrapper(env: Any) -> bool:
    return isinstance(env, gym.Wrapper) or (not isinstance(env, gym.Env) and isinstance(env, _pettingzoo_wrappers()))


def _wrapper_states(chain: Sequence[Any]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Name and state of each wrapper, outermost first."""
    return tuple((_name(wrapper), _wrapper_state(wrapper)) for wrapper in chain)


@cache
def _pettingzoo_wrappers() -> tuple[type, ...]:
    from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper  # only who plays a game has it loaded

    return BaseParallelWrapper, BaseWrapper


def _name(wrapper: Any) -> str:
    return f"{type(wrapper).__module__}:{type(wrapper).__qualname__}"


def _wrapper_state(wrapper: Any) -> Mapping[str, Any]:
    if _says_its_state(cast(Hashable, type(wrapper))):
        return copy_state(dict(cast(StatefulWrapper, wrapper).get_state()))
    state = {}
    for name, value in vars(wrapper).items():
        if type(value) in ATOMS:
            state[name] = value
            continue
        if name in ("env", "_metadata", "_saved_kwargs") or callable(value) or isinstance(value, CONFIGURATION):
            continue
        try:
            state[name] = copy_state(value)
        except SnapshotError:
            raise SnapshotError(
                f"the wrapper {type(wrapper).__name__} keeps {name} in a {type(value).__name__}, "
                "which is no plain data; give the wrapper get_state() and set_state()"
            ) from None
    return state


def _set_wrapper_state(wrapper: Any, state: Mapping[str, Any]) -> None:
    if _says_its_state(cast(Hashable, type(wrapper))):
        cast(StatefulWrapper, wrapper).set_state(copy_state(dict(state)))
    else:
        vars(wrapper).update(copy_state(dict(state)))


@cache
def _says_its_state(kind: Hashable) -> bool:
    return issubclass(cast(type, kind), StatefulWrapper)
