"""What the engine samples is what the model says, token by token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, collect
from agentgym.train import HuggingFaceEngine
from agentgym.train.batch import Sample, pad
from agentgym.train.token_logprobs import token_logprobs
from tests.rollout.worlds import ID

Make = Callable[..., HuggingFaceEngine]
LOGPROB_TOLERANCE = 1e-4


def play(engine: HuggingFaceEngine, order: list[int], live: int = 128) -> list[Episode]:
    starts = [EpisodeSpec(place, place, place, (9, place)) for place in range(12)]
    return collect(EnvPool(ID), engine, [starts[place] for place in order], max_concurrent=live)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_recomputed_logprobs_equal_the_sampled_ones(make_engine: Make, temperature: float) -> None:
    engine = make_engine(temperature=temperature)
    episodes = play(engine, list(range(12)))
    assert len({len(episode.segments[0]) for episode in episodes}) > 1  # rows were padded in the cache
    batch = pad([Sample(episode.segments[0]) for episode in episodes], torch.device("cpu"))
    with torch.no_grad():
        logprobs, entropies = token_logprobs(engine.model, batch, temperature)
    sampled = batch.sampled_BT > 0
    assert (logprobs - batch.old_logprobs_BT)[sampled].abs().max() < LOGPROB_TOLERANCE
    assert (entropies[sampled] > 0).all()
    assert (logprobs[~sampled] == 0).all()
    assert (entropies[~sampled] == 0).all()


def test_text_is_the_decoded_ids_and_ids_are_never_made_of_text(make_engine: Make) -> None:
    engine = make_engine()
    for episode in play(engine, list(range(12))):
        segment = episode.segments[0]
        for turn, span in zip(episode.turns, segment.spans, strict=True):
            ids = segment.token_ids[span.start : span.end]
            assert engine.tokenizer.decode(ids, skip_special_tokens=True) == turn.action
            closed = ids[-1] == engine.chat.end
            assert closed or len(ids) == engine.max_new_tokens
            assert engine.chat.end not in ids[:-1]
            following = segment.token_ids[span.end : span.end + 1]
            if following and not closed:
                assert following == [engine.chat.end]  # given, not sampled


def test_rows_do_not_feel_each_other(make_engine: Make) -> None:
    engine = make_engine()
    together = {episode.task_id: episode for episode in play(engine, list(range(12)))}
    for live in (1, 5):
        for episode in play(engine, [7, 3, 11, 0, 5], live):
            twin = together[episode.task_id].segments[0]
            assert episode.segments[0].token_ids == twin.token_ids
            assert episode.segments[0].logprobs == pytest.approx(twin.logprobs, abs=LOGPROB_TOLERANCE)


def test_sampling_follows_the_distribution(make_engine: Make) -> None:
    engine = make_engine(max_new_tokens=1, temperature=0.5)
    prompt, draws = engine.encode_first("red"), 3000
    with torch.no_grad():
        logits = engine.model(torch.tensor([prompt])).logits[0, -1]
    wanted = torch.softmax(logits / 0.5, -1).numpy()
    said = engine.open([np.random.default_rng(i) for i in range(draws)]).generate([prompt] * draws)
    seen = np.bincount([speech.token_ids[0] for speech in said], minlength=len(wanted)) / draws
    assert np.abs(seen - wanted).sum() / 2 < np.sqrt(wanted * (1 - wanted) / draws).sum()  # total variation
    assert said[0].logprobs[0] == pytest.approx(np.log(wanted[said[0].token_ids[0]]), abs=LOGPROB_TOLERANCE)


def test_who_has_spoken_is_not_computed_any_more(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight rows all but two end with their first token: the others go on alone, and come back for the next turn."""
    engine = make_engine(max_new_tokens=6, temperature=0.0)
    sizes: list[int] = []
    forward = engine.model.forward

    def count(*args: object, **kwargs: object) -> object:
        sizes.append(len(kwargs["input_ids"]))  # type: ignore[arg-type]
        return forward(*args, **kwargs)

    monkeypatch.setattr(engine.model, "forward", count)
    prompts = [[5 + row, 6, 7] for row in range(8)]
    free = engine.open([np.random.default_rng(0)] * 8).generate(prompts)
    long = [row for row, each in enumerate(free) if each.token_ids[0] != free[0].token_ids[0]][:2] or [0]
    end = engine.chat.end
    engine.constraint = lambda read, said: None if read[0] - 5 in long else [end]
    sizes.clear()
    talk = engine.open([np.random.default_rng(0)] * 8)
    spoken = talk.generate(prompts)
    assert [len(each.token_ids) for each in spoken].count(1) == 8 - len(long)
    assert sizes[0] == 8
    assert set(sizes[1:]) == {len(long)}
    engine.constraint = None
    again = talk.generate([[9]] * 8)
    for row, each in enumerate(again):
        alone = engine.open([np.random.default_rng(0)]).generate([[*prompts[row], *spoken[row].token_ids, 9]])[0]
        assert each.token_ids == alone.token_ids
        assert each.logprobs == pytest.approx(alone.logprobs, abs=LOGPROB_TOLERANCE)


def test_the_cache_is_read_once_and_shrinks(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine(max_new_tokens=2)
    read: list[int] = []
    forward = engine.model.forward

    def count(*args: object, **kwargs: object) -> object:
        read.append(int(kwargs["input_ids"].numel()))  # type: ignore[attr-defined]
        return forward(*args, **kwargs)

    monkeypatch.setattr(engine.model, "forward", count)
    engine.open([np.random.default_rng(i) for i in range(4)]).generate([[5, 6, 7]] * 3 + [[5, 6]])
    assert read.pop(0) == 2 * 3  # what three read in the same words, and the other, padded
    read.clear()
    talk = engine.open([np.random.default_rng(i) for i in range(4)])
    talk.generate([[5, 6, 7 + i] for i in range(4)])
    assert read[0] == 12
    talk.select_rows([2])
    before = sum(read)
    talk.generate([[8]])
    assert read[-1] <= 1
    assert sum(read) - before <= 2 + 1  # the end of the last answer, the prompt, and one token of the new answer
    (held,) = talk._caches
    assert held._cache.get_seq_length() == held.columns
    assert len(held.rows) == 1


@pytest.mark.parametrize("options", [{"temperature": -0.5}, {"temperature": float("nan")}, {"max_new_tokens": 0}])
def test_settings_out_of_range_are_refused(make_engine: Make, options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        make_engine(**options)
