"""The world of the evaluation tests, in the catalog while a test runs."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest

from agentgym.core import catalog as cards
from agentgym.core.catalog import register
from tests.evaluate.worlds import CARD, NAME


@pytest.fixture
def dice() -> Iterator[str]:
    """The name of the world, which is registered."""
    register(CARD)
    assert CARD.id in cards()
    yield NAME
    from agentgym.core.catalog import _CARDS

    del _CARDS[CARD.id]
    del gym.registry[CARD.id]
