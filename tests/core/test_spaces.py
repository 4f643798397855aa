"""`UnicodeText` behaves as Gymnasium's own spaces do."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, create_shared_memory, iterate
from hypothesis import given
from hypothesis import strategies as st

from agentgym.core import UnicodeText

SPACE = UnicodeText(50)
any_text = st.text(st.characters(), max_size=50)  # surrogates included


@given(any_text)
def test_any_short_text_is_inside(text: str) -> None:
    assert text in SPACE


@pytest.mark.parametrize("value", [None, 1, b"a", ["a"], "x" * 51, np.array("a"), ("a",)])
def test_what_is_outside(value: Any) -> None:
    assert value not in SPACE


def test_bounds_are_inclusive() -> None:
    assert "" in SPACE
    assert "x" * 50 in SPACE


@pytest.mark.parametrize("length", [0, -1])
def test_a_length_below_one_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="max_length must be at least 1"):
        UnicodeText(length)


def test_samples_are_inside_printable_and_of_every_length() -> None:
    space = UnicodeText(5, seed=0)
    drawn = [space.sample() for _ in range(300)]
    assert all(text in space and text.isascii() and (text.isprintable() or not text) for text in drawn)
    assert {len(text) for text in drawn} == set(range(6))


def test_equal_seeds_give_equal_samples() -> None:
    one, two, three = UnicodeText(50, seed=7), UnicodeText(50), UnicodeText(50, seed=8)
    two.seed(7)
    first = [one.sample() for _ in range(5)]
    assert first == [two.sample() for _ in range(5)]
    assert first != [three.sample() for _ in range(5)]


def test_each_space_draws_from_a_generator_of_its_own() -> None:
    one, two = UnicodeText(50), UnicodeText(50)
    one.seed(7)
    first = [one.sample() for _ in range(5)]
    one.seed(7)
    two.sample()
    assert [one.sample() for _ in range(5)] == first
    assert one.np_random is not two.np_random


def test_samples_take_a_mask() -> None:
    mask = np.zeros(95, np.int8)
    mask[ord("x") - 32] = 1
    assert UnicodeText(9, seed=0).sample(mask=(3, mask)) == "xxx"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_copies_are_equal_and_sample_alike(copied: Any) -> None:
    space = UnicodeText(50, seed=3)
    twin = copied(space)
    assert twin == space
    assert [space.sample() for _ in range(3)] == [twin.sample() for _ in range(3)]


def test_equality_is_by_length() -> None:
    assert UnicodeText(5) == UnicodeText(5, seed=1)
    assert UnicodeText(5) != UnicodeText(6)
    assert UnicodeText(5) != gym.spaces.Text(5, min_length=0)
    assert len({UnicodeText(5), UnicodeText(5), UnicodeText(6)}) == 2


def test_description() -> None:
    assert repr(SPACE) == "UnicodeText(50)"
    assert (SPACE.shape, SPACE.dtype) == (None, str)
    assert len(pickle.dumps(SPACE)) < 20_000
    assert SPACE.is_np_flattenable


@given(any_text)
def test_flatten_and_back(text: str) -> None:
    flat = flatten(SPACE, text)
    box = flatten_space(SPACE)
    assert flat in box
    assert flat.shape == (flatdim(SPACE),)
    assert unflatten(SPACE, flat) == text


def test_flatten_inside_a_dict() -> None:
    space = gym.spaces.Dict({"text": UnicodeText(4), "number": gym.spaces.Discrete(3)})
    value = {"text": "né", "number": np.int64(2)}
    assert unflatten(space, flatten(space, value)) == value


def test_jsonable_and_back() -> None:
    texts = ["", "é\n", "x" * 50]
    assert SPACE.from_jsonable(json.loads(json.dumps(SPACE.to_jsonable(texts)))) == texts


def test_batches_are_tuples_of_text() -> None:
    batch = batch_space(SPACE, 3)
    assert batch == gym.spaces.Tuple([SPACE] * 3)
    texts = ("a", "é" * 50, "")
    out = concatenate(SPACE, texts, create_empty_array(SPACE, 3))
    assert tuple(out) == texts
    assert list(iterate(batch, texts)) == list(texts)


def test_shared_memory_is_refused() -> None:
    for space in (SPACE, gym.spaces.Dict({"text": SPACE}), gym.spaces.Tuple([SPACE])):
        with pytest.raises(CustomSpaceError, match=r"pass shared_memory=False or use agentgym\.make_vec"):
            create_shared_memory(space, n=2)


@given(st.text(max_size=300), st.integers(1, 120))
def test_fit_is_inside_and_leaves_short_text_alone(text: str, length: int) -> None:
    fitted = UnicodeText(length).fit(text)
    assert len(fitted) == min(len(text), length)
    if len(text) <= length:
        assert fitted == text


def test_fit_keeps_both_ends_and_counts_what_is_gone() -> None:
    text = "".join(chr(97 + number % 26) for number in range(1000))
    fitted = UnicodeText(100).fit(text)
    begin, mark, end = fitted.partition("\n[... ")[0], fitted[fitted.index("[") : fitted.index("]") + 1], fitted[-30:]
    kept = sum(character.islower() for character in fitted.replace(mark, ""))
    assert text.startswith(begin)
    assert text.endswith(end)
    assert mark == f"[... {1000 - kept} characters cut ...]"
