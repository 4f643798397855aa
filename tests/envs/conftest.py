"""What the tests of several worlds are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest


@pytest.fixture
def world() -> Iterator[Callable[..., tuple[Any, str]]]:
    """Makes browser worlds over pages given as text, and begins them: the world, and what it shows first."""
    from tests.envs.browsing import PagesEnv  # not at import: most tests here need no browser

    made: list[Any] = []

    def make(pages: str | Mapping[str, str], **given: Any) -> tuple[Any, str]:
        env = PagesEnv({"/": pages} if isinstance(pages, str) else pages, **given)
        made.append(env)
        text, info = env.reset(seed=0)
        assert info["failure"] == ""
        return env, text

    yield make
    for env in made:
        env.close()
