"""Plain data: independent copies, and fingerprints that are equal in every process."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentgym.core import SnapshotError, fingerprint
from agentgym.core.snapshot import copy_state, json_key
from tests.core.processes import in_fresh_process


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


def test_fingerprints_are_equal_in_every_process() -> None:
    value = "{'b': {'x', 'y', 'z', 3}, 'a': [1, 2.5, None, True, b'k', frozenset('abcdef')], 7: ('t',)}"
    code = f"from agentgym.core import fingerprint; print(fingerprint({value}), end='')"
    here = fingerprint({"b": {"x", "y", "z", 3}, "a": [1, 2.5, None, True, b"k", frozenset("abcdef")], 7: ("t",)})
    for hash_seed in ("0", "1", "4242"):
        assert in_fresh_process(code, hash_seed=hash_seed).decode() == here


@given(st.dictionaries(st.text(), st.integers() | st.text()))
def test_json_keys_ignore_the_order_of_keys(value: dict[str, Any]) -> None:
    assert json_key(value) == json_key(dict(reversed(value.items())))
