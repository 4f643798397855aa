"""Many conversations at once: all of them wait for their answers together (how long that takes: bench_endpoint)."""

from __future__ import annotations

import urllib.request

import pytest

from tests.agents.slow_server import slow_server
from tests.benchmarks.bench_endpoint import TURNS, timed


@pytest.mark.full
@pytest.mark.parametrize(("count", "concurrency", "seconds"), [(64, 64, 2.0), (24, 8, 0.5)])
def test_conversations_wait_together(count: int, concurrency: int, seconds: float) -> None:
    with slow_server(seconds, seconds, "left") as url:
        assert timed(url, count, concurrency)[0] >= TURNS * seconds * count / concurrency
        with urllib.request.urlopen(url) as answer:
            assert int(answer.read()) == concurrency
