"""Named streams: equal names and coordinates are one stream in every process, different ones never share a draw."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.core.rng import Coordinate, stream, stream_seed
from tests.core.processes import in_fresh_process

integers = st.integers(-(2**70), 2**70)
coordinates = st.recursive(
    integers | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6
)
places = st.tuples(st.text(min_size=1, max_size=3), st.lists(coordinates, max_size=4).map(tuple))


def first(name: str, *place: Coordinate) -> int:
    return int(stream(name, *place).integers(2**63))


def structured() -> set[tuple[str, tuple[Coordinate, ...]]]:
    """Places that a careless encoding confuses: padded, split, grouped, written as another type, or large."""
    numbers: list[Coordinate] = [
        0,
        1,
        2,
        10,
        127,
        128,
        255,
        256,
        2**31,
        2**32,
        2**32 + 1,
        2**64,
        2**128,
        -1,
        -128,
        -256,
    ]
    words: list[Coordinate] = [
        "",
        "0",
        "1",
        "10",
        "s",
        "i",
        "a",
        "b",
        "ab",
        "\0",
        "a\0",
        "\0a",
        "é",
        "e\u0301",
        "\ud800",
    ]
    atoms = [*numbers, *words]
    found: list[tuple[Coordinate, ...]] = [()]
    found += [(atom,) for atom in atoms]
    found += itertools.product(atoms, repeat=2)
    found += itertools.product(range(12), repeat=3)
    found += [(*place, 0) for place in list(found)] + [(*place, 0, 0) for place in list(found)]
    found += [(place,) for place in list(found)] + [((), place) for place in list(found)[:1000]]
    return {(name, place) for name in ("a", "ab", "train.shuffle") for place in found}


def test_different_places_never_share_a_stream() -> None:
    wanted = structured()
    assert len(wanted) > 20_000
    assert len({stream_seed(name, *place) for name, place in wanted}) == len(wanted)
    drawn = {first(name, *place) for name, place in itertools.islice(sorted(wanted, key=repr), 0, None, 5)}
    assert len(drawn) == len(range(0, len(wanted), 5))


@given(places, places)
def test_two_places_share_a_stream_only_if_they_are_equal(
    one: tuple[str, tuple[Coordinate, ...]], other: tuple[str, tuple[Coordinate, ...]]
) -> None:
    same = one == other
    assert (stream_seed(one[0], *one[1]) == stream_seed(other[0], *other[1])) is same
    assert (first(one[0], *one[1]) == first(other[0], *other[1])) is same


def test_a_longer_place_is_another_stream() -> None:
    assert first("a", 3, 5, 1) != first("a", 3, 5, 1, 0)
    assert first("a", 3, 5) != first("3", "a", 5)
    assert first("a", 1) != first("a", "1") != first("a", (1,))
    assert first("a", "bc") != first("ab", "c")


def test_no_stream_is_a_generator_of_the_worlds() -> None:
    worlds = {int(np.random.default_rng(seed).integers(2**63)) for seed in range(1000)}
    assert not worlds & {first("play", seed) for seed in range(1000)}


def test_every_call_begins_anew_and_numpy_integers_are_integers() -> None:
    assert stream("a", 1).integers(1000, size=8).tolist() == stream("a", np.int64(1)).integers(1000, size=8).tolist()
    assert stream_seed("a", np.uint8(200)) == stream_seed("a", 200)


def test_streams_are_equal_in_every_process() -> None:
    code = (
        "from agentgym.core.rng import stream, stream_seed;"
        "print(stream('train.shuffle', 7, 'seat', (2, -3)).integers(2**63), stream_seed('world', 2**80, 'é'))"
    )
    here = f"{first('train.shuffle', 7, 'seat', (2, -3))} {stream_seed('world', 2**80, 'é')}"
    for hash_seed in ("0", "1234"):
        assert in_fresh_process(code, hash_seed=hash_seed).decode().strip() == here


def test_the_numbers_stay_what_they_are() -> None:
    assert first("train.shuffle", 0, 1) == 5807581684909701870
    assert stream_seed("train.shuffle", 0, 1) == 2023053017947490002


def test_a_seed_fits_into_a_signed_integer_and_is_spread_over_its_range() -> None:
    seeds = np.array([stream_seed("world", number) for number in range(4096)], dtype=np.int64)
    assert seeds.min() >= 0
    assert seeds.max() > 0.99 * 2**63
    assert abs(seeds.astype(float).mean() / 2**62 - 1) < 0.05


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1), None, b"a", [1, 2], np.array(1), (1, [2])])
def test_a_coordinate_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="a coordinate of a random stream is an integer, a string or a tuple"):
        stream("a", value)  # type: ignore[arg-type]


def test_a_stream_needs_a_name() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        stream_seed("", 1)
