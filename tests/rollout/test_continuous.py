"""Episodes that go on as their worlds answer are those that lockstep plays, whoever is answered beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.rereading import RereadingSession
from agentgym.core import ConfigError
from agentgym.rollout import (
    EnvPool,
    Episode,
    EpisodeSpec,
    Independent,
    RecordOptions,
    assign_roles,
    collect,
    demonstrate,
)
from agentgym.rollout.continuous import Continuous
from agentgym.rollout.run import Rollout
from agentgym.train import TinyConfig, build_decoder, train_tokenizer, transcript_text
from tests.rollout.worlds import ID, SIZE

SHAPE = TinyConfig(layers=2, width=32, heads=2, context=128, vocabulary=512)


@pytest.fixture(scope="module")
def engine() -> HuggingFaceEngine:
    """A policy that knows nothing; with float64 what it says does not hang on the last bits."""
    tokenizer = train_tokenizer(
        transcript_text(demonstrate(EnvPool(ID), range(SIZE), noise=0.5, seed=0)), SHAPE.vocabulary
    )
    return HuggingFaceEngine(build_decoder(SHAPE, tokenizer, 0).double(), tokenizer, max_new_tokens=3)


def turns(episode: Episode) -> list[dict[str, Any]]:
    """What was seen and said, without figures whose last bits hang on who is answered beside it."""
    return [{key: value for key, value in turn.items() if key != "entropy"} for turn in episode.record()["turns"]]


def rollout(pool: EnvPool, engine: HuggingFaceEngine, specs: Sequence[EpisodeSpec], horizon: int | None) -> Rollout:
    cast = assign_roles(engine, pool)
    return Rollout(pool, cast, specs, Independent(), horizon, RecordOptions(), None, None, keep_failures=False)


@pytest.mark.parametrize("rereads", [False, True])
@pytest.mark.parametrize("most", [1, 3, 16])
def test_the_same_episodes_as_in_lockstep(
    engine: HuggingFaceEngine, monkeypatch: pytest.MonkeyPatch, most: int, rereads: bool
) -> None:
    specs = [EpisodeSpec(place // 2, 7, place // 2, (place,)) for place in range(12)]
    told = collect(EnvPool(ID), engine, specs)
    assert len({len(segment) for episode in told for segment in episode.segments}) > 1, "rows differ in length"
    if rereads:
        monkeypatch.setattr(engine, "_session", RereadingSession)
    pool = EnvPool(ID)
    playing = Continuous(pool, engine, most)
    early, late = rollout(pool, engine, specs[:4], None), rollout(pool, engine, specs[4:], None)
    playing.add(early)
    playing.go_on()
    assert len(early.episodes) == min(4, most)
    playing.add(late)
    while not all(running.over for run in (early, late) for running in run.episodes.values()) or len(late.episodes) < 8:
        playing.go_on()
    assert playing.room == most
    played: list[Any] = [run.episodes[number].first.acting.episode
                         for run in (early, late) for number in range(len(run.specs))]  # fmt: skip
    assert [turns(each) for each in played] == [turns(each) for each in told]
    for mine, other in zip(played, told, strict=True):
        (one,), (two,) = mine.segments, other.segments
        assert one.token_ids == two.token_ids
        assert one.logprobs == pytest.approx(two.logprobs, abs=1e-9)
    assert playing.turns == sum(len(each.turns) for each in played)


def test_what_cannot_be_played_is_refused_before_it_begins(engine: HuggingFaceEngine) -> None:
    pool = EnvPool(ID)
    with pytest.raises(ConfigError, match="horizon must be at least 1"):
        Continuous(pool, engine, 2).add(rollout(pool, engine, [EpisodeSpec(0, 7, 0, (0,))], 0))
