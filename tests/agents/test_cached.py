"""Caches of a session: one row's long text makes no pads for all others, and what is said does not depend on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.agents import cached
from agentgym.core.rng import stream

ROWS, SHORT, LONG = 12, 4, 60


def generators(rows: int) -> list[Any]:
    return [stream("test.cached", row) for row in range(rows)]


def prompts(engine: Any, rows: int, turn: int, long: int) -> list[list[int]]:
    """One a row, of a few tokens but for one row."""
    words = engine.tokenizer("left right up down go look", add_special_tokens=False).input_ids
    wanted = [LONG if row == long else SHORT + (row + turn) % 3 for row in range(rows)]
    return [[words[(row + place) % len(words)] for place in range(size)] for row, size in enumerate(wanted)]


def positions(session: Any) -> int:
    """Of keys and values that are held, pads counted."""
    return sum(len(cache.rows) * cache.columns for cache in session._caches)


def talk(engine: Any) -> tuple[list[Any], list[int]]:
    """All that is said in some turns with rows that end, branch, begin anew and take back; and what is held then."""
    session, said, held = engine.open(generators(ROWS)), [], []
    said += session.generate(prompts(engine, ROWS, 0, long=3))
    held.append(positions(session))
    session.rewind([3, 5])
    said += session.generate(prompts(engine, 2, 1, long=9), rows=[3, 5])
    session.select_rows([11, 3, 5, 5, 0, 1, 2, 4], {3: stream("test.cached", 99)})
    said += session.generate(prompts(engine, 8, 2, long=6))
    held.append(positions(session))
    session.reset_rows([1, 7])
    said += session.generate(prompts(engine, 3, 3, long=9), rows=[1, 2, 7])
    session.rewind([0, 2])  # of these the second alone has spoken
    said += session.generate(prompts(engine, 8, 4, long=9))
    held.append(positions(session))
    return said, held


def test_a_long_text_of_one_row_makes_no_pads_for_the_others(
    make_engine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine()
    together, wide = talk(engine)
    monkeypatch.setattr(cached, "TOGETHER", 2 * ROWS * SHORT)
    apart, narrow = talk(engine)
    assert [answer.token_ids for answer in apart] == [answer.token_ids for answer in together]
    for mine, its in zip(apart, together, strict=True):
        assert mine.logprobs == pytest.approx(its.logprobs, abs=1e-4)
    assert wide[0] >= ROWS * LONG
    tokens = LONG + ROWS * (SHORT + 2 + engine.max_new_tokens)
    assert narrow[0] <= cached.PADDED * tokens < wide[0] / 2
    assert all(mine < its for mine, its in zip(narrow, wide, strict=True))


def test_conversations_that_are_taken_in_share_with_those_of_like_lengths(
    make_engine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentgym.agents.generation import CachedSequence

    engine = make_engine()
    said = []
    for most in (cached.TOGETHER, 2 * ROWS * SHORT):
        monkeypatch.setattr(cached, "TOGETHER", most)
        rows = [CachedSequence(generator) for generator in generators(ROWS)]
        for turn in range(3):
            session = engine.open([row.generator for row in rows])
            session.take_in(rows)
            said.append([answer.token_ids for answer in session.generate(prompts(engine, ROWS, turn, long=turn))])
            session.hand_back(rows)
            rows = rows[1:] + rows[:1]
    assert said[:3] == said[3:]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([5, 5, 5], [[0, 1, 2]]),
        ([100, 1, 1, 1], [[0, 1], [2, 3]]),
        ([10] * 10 + [90], [[0, 10], list(range(1, 10))]),
        ([40, 30, 20, 40, 35], [[0, 1, 2, 3, 4]]),
        ([], [[]]),
    ],
)
def test_rows_of_like_lengths_share(sizes: list[int], groups: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "TOGETHER", 64)
    assert cached.of_like_lengths(sizes) == groups
