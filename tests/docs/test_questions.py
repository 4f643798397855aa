"""The figures on how much questions differ are counted, not stated."""

from __future__ import annotations

import pytest

import agentgym
from docs.questions import BENCHES, HEADS, figures, report, runs


def test_runs_of_four_words() -> None:
    assert runs(["a b c d e", "b c d e", "a b c"]) == {("a", "b", "c", "d"), ("b", "c", "d", "e")}


@pytest.mark.full
def test_a_world_has_a_row_with_its_figures() -> None:
    head, line, row = report(["Weather-v0"]).splitlines()
    assert head == f"| {' | '.join(HEADS)} |"
    assert set(line) <= set("|- ")
    name, *cells = (cell.strip() for cell in row.strip("|").split("|"))
    templates, programs, shapes, traces, questions, grams = (int(cell.replace(",", "")) for cell in cells)
    env = agentgym.make("Weather-v0").unwrapped
    asked = [env.tasks(split)[place].instruction for split in ("val", "test") for place in range(200)]
    assert name == "`Weather-v0`"
    assert (templates, questions) == (len(env.world.book.templates), len(set(asked)))
    assert 40 <= shapes <= programs <= templates
    assert 10 <= traces <= 400
    assert 3_000 < grams <= sum(len(text.split()) for text in asked)


@pytest.mark.full
@pytest.mark.parametrize("name", BENCHES)
def test_every_bench_asks_for_forty_computations(name: str) -> None:
    found = figures(name)
    assert found.programs >= 40
    assert found.questions == 400 or name == "Office-v0", "who asks is no part of the words there"
    assert found.questions > 370
    assert found.runs > 3_000
