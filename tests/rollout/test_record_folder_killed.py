"""Trainings, evaluations, tournaments and reproductions that are killed at random moments end as unbroken ones."""

from __future__ import annotations

import pytest

from tests.kills import soak


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        pytest.param("train", 4, marks=pytest.mark.full),
        ("eval", 6),
        pytest.param("tournament", 6, marks=pytest.mark.full),
        pytest.param("reproduce", 3, marks=pytest.mark.full),
    ],
)
def test_killed_at_random_moments(kind: str, kills: int) -> None:
    assert soak(kind, kills) >= 1
