"""Parameters of which the quick suite tries a sample and the full one all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(every: int, values: Iterable[Any]) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: the first and each `every`-th as they are, the others marked `full`.

    Args:
        every: How many stand for one that the quick suite tries, at least 1.
        values: The parameters; a tuple is the values of several arguments.
    """
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=[pytest.mark.full] * bool(place % every))
        for place, value in enumerate(values)
    ]
