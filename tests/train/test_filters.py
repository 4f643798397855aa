"""What each filter keeps, by hand, and that it differs from keeping everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.train.filters import CleanResample, DropZeroVariance, Overlong, Pairs, Successes
from tests.train.making import episode


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_dynamic_sampling_drops_groups_that_agree() -> None:
    episodes = [
        episode([reward], group) for group, reward in ((0, 1.0), (1, 0.0), (0, 0.0), (1, 0.0), (2, 1.0), (2, 1.0))
    ]
    assert DropZeroVariance()(episodes, rng()) == [episodes[0], episodes[2]]
    episodes[1].bonus = -0.5  # shaping makes a difference as well
    assert DropZeroVariance()(episodes, rng()) == episodes[:4]


def test_filtered_cloning_keeps_successes() -> None:
    episodes = [episode([1.0], success=False), episode([0.2], success=True), episode([0.5], success=False)]
    assert Successes()(episodes, rng()) == [episodes[1]]
    assert Successes(threshold=0.5)(episodes, rng()) == [episodes[0], episodes[2]]


def test_length_shaping_by_hand() -> None:
    """With limit 10 and soft 4: nothing up to 6 tokens, -1/4 a token from there, -1 from 10 on."""
    episodes = [episode([1.0], tokens=count) for count in (1, 6, 7, 9, 10, 15)]
    shaped = Overlong(limit=10, soft=4)
    assert shaped(episodes, rng()) == episodes
    assert [made.bonus for made in episodes] == [0, 0, -0.25, -0.75, -1, -1]
    assert [made.learned_return for made in episodes] == [1, 1, 0.75, 0.25, 0, 0]
    assert all(made.total_return == 1 for made in episodes)
    shaped(episodes, rng())  # a second time changes nothing
    assert episodes[2].bonus == -0.25


def test_clean_resampling_keeps_the_cleanest_successes_and_any_failures() -> None:
    good = [episode([0.0, 1.0], valid=[refused > 0, refused > 1]) for refused in (0, 1, 2, 0)]
    bad = [episode([0.0, 0.0], valid=[number % 2 == 0, True]) for number in range(4)]
    episodes = [*good, *bad]
    kept = CleanResample(keep=4)(episodes, rng())
    assert [made.success for made in kept] == [True, True, False, False]
    assert good[2] in kept  # nothing refused
    assert good[1] in kept  # one of two refused
    drawn = Counter(
        id(made) for seed in range(200) for made in CleanResample(keep=4)(episodes, rng(seed)) if not made.success
    )
    assert len(drawn) == 4  # failures of every kind come up
    assert min(drawn.values()) > 60


def call(tool: str) -> str:
    return f'{{"name": "{tool}", "arguments": {{}}}}'


PYTHON, ANSWER = call("python"), call("answer")


def test_calls_that_failed_count_as_refused_ones_do() -> None:
    """Four successes of two turns, alike but for one that was refused and one whose program raised."""
    clean, refused, raised, both = (
        episode([0.0, 1.0], said=[PYTHON, ANSWER], valid=[ok, True], failed=[count, 0])
        for ok, count in ((True, 0), (False, 0), (True, 1), (False, 1))
    )
    assert [CleanResample(keep=2).penalty(each) for each in (clean, refused, raised, both)] == [0, 0.5, 0.5, 0.5]
    lost = [episode([0.0, 0.0], said=[PYTHON, ANSWER], failed=[1, 0]) for _ in range(4)]
    resample = CleanResample(keep=2)
    for seed in range(5):
        kept = resample([refused, raised, clean, both, *lost], rng(seed))
        assert [each for each in kept if each.success] == [clean]
    told = resample.take_counts()
    assert (told["turns_failed"], told["turns_failed_kept"]) == (5 * 6, 5 * 1)
    assert (told["successes"], told["successes_kept"]) == (5 * 4, 5 * 1)
    assert (told["errors_of_successes"], told["errors_of_successes_kept"]) == (5 * 1.5, 0)


@pytest.mark.parametrize(
    ("said", "valid", "failed", "penalty"),
    [
        ([PYTHON, PYTHON, ANSWER], [True] * 3, [0, 0, 0], 0.0),
        ([PYTHON, PYTHON, ANSWER], [True] * 3, [1, 0, 0], 1 / 2),  # half of its calls failed
        ([PYTHON, PYTHON, PYTHON, ANSWER], [False, True, True, True], [0, 1, 0, 0], 2 / 3),
        ([ANSWER], [True], [0], 0.5),  # no call at all
        ([PYTHON, ANSWER, ANSWER], [True, False, True], [0, 0, 0], 1 / 3),  # one answer too many in three turns
        ([PYTHON, PYTHON], [True] * 2, [0, 0], 1.0),  # no answer at all
        (["nonsense", ANSWER], [False, True], [0, 0], 0.5),  # malformed, and so no call
    ],
)
def test_the_penalty_of_calls_and_answers_by_hand(said, valid, failed, penalty) -> None:
    made = episode([0.0] * len(said), said=said, valid=valid, failed=failed, success=True)
    assert CleanResample(keep=2, tool="python", answer="answer").penalty(made) == pytest.approx(penalty)


@pytest.mark.parametrize(("wins", "expected"), [(0, 0), (1, 1), (4, 2), (7, 3), (8, 4)])
def test_clean_resampling_keeps_the_ratio_and_one_of_each(wins: int, expected: int) -> None:
    episodes = [episode([1.0 if place < wins else 0.0]) for place in range(8)]
    kept = CleanResample(keep=4)(episodes, rng())
    assert len(kept) == 4
    assert sum(made.success for made in kept) == expected
    assert len(CleanResample(keep=8)(episodes, rng())) == 8


def test_refused_and_failed_calls_are_counted_before_and_after() -> None:
    """Two successes with 2 and 0 refused actions, of which the cleaner stays; two failures with 1 each."""
    said = ([False, False, True], [True] * 3, [True, False, True], [False, True, True])
    rows = [episode([0.0, 0.0, worth], 0, valid=valid) for worth, valid in zip((1.0, 1.0, 0.0, 0.0), said, strict=True)]
    part = CleanResample(keep=2)
    kept = part(rows, rng())
    assert rows[1] in kept
    counts = part.take_counts()
    assert {name: count for name, count in counts.items() if "refused" in name or "dropped" in name} == {
        "episodes_dropped": 2.0, "turns_refused": 4.0, "turns_refused_kept": 1.0,
    }  # fmt: skip
    assert (counts["errors_of_successes"], counts["errors_of_successes_kept"]) == (pytest.approx(2 / 3), 0.0)
    assert part.take_counts() == {}


def test_pairs_are_the_best_with_the_worst() -> None:
    returns = [0.0, 3.0, 1.0, 2.0, 1.0, 1.0, 1.0]
    episodes = [episode([earned], int(place > 4)) for place, earned in enumerate(returns)]
    paired = Pairs()(episodes, rng())
    assert [made.total_return for made in paired] == [
        3,
        0,
        2,
        1,
    ]  # the middle one and the equal pair of group 1 are left out
    assert [made.total_return for made in Pairs(margin=2.5)(episodes, rng())] == [3, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Overlong(limit=3, soft=4),
        lambda: Overlong(limit=3, soft=0),
        lambda: CleanResample(keep=1),
        lambda: CleanResample(keep=4, tool="python", answer="python"),
        lambda: Pairs(margin=0),
    ],
)
def test_options_without_meaning_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError):
        make()
