"""How a token is drawn, and where an answer ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agentgym.agents import hugging_face_policy, run_policy
from agentgym.agents.pretrained import save_engine
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, EpisodeSpec, collect
from tests.agents.pretrained import save_small
from tests.rollout.worlds import ID

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.agents.engine import HuggingFaceEngine  # noqa: E402
from agentgym.agents.generation import likeliest, sample  # noqa: E402

Make = Callable[..., HuggingFaceEngine]
CHANCES = [0.1, 0.4, 0.2, 0.3]


@pytest.mark.parametrize(
    ("top_p", "top_k", "left"),
    [
        (1.0, 0, [0.1, 0.4, 0.2, 0.3]),
        (1.0, 2, [0.0, 0.4, 0.0, 0.3]),
        (0.3, 0, [0.0, 0.4, 0.0, 0.0]),  # at least one stays
        (0.41, 0, [0.0, 0.4, 0.0, 0.3]),
        (0.75, 0, [0.0, 0.4, 0.2, 0.3]),
        (0.6, 3, [0.0, 0.4, 0.0, 0.3]),  # of 0.9
        (0.5, 1, [0.0, 0.4, 0.0, 0.0]),
    ],
)
def test_the_likeliest_by_hand(top_p: float, top_k: int, left: list[float]) -> None:
    found = likeliest(torch.tensor([CHANCES, CHANCES[::-1]], dtype=torch.double), top_p, top_k)
    assert found.tolist() == [left, left[::-1]]


def test_draws_follow_what_is_left_and_say_what_the_free_policy_thinks() -> None:
    logits = torch.tensor([CHANCES]).log()
    drawn = [sample(logits, 1.0, [np.random.default_rng(seed)], top_p=0.75, top_k=2) for seed in range(400)]
    tokens = [token for (token,), *_ in drawn]
    assert set(tokens) == {1, 3}
    assert tokens.count(1) / len(tokens) == pytest.approx(4 / 7, abs=0.08)
    by_token = {token: logprob for (token,), (logprob,), _ in drawn}
    assert by_token == {1: pytest.approx(np.log(0.4), abs=1e-5), 3: pytest.approx(np.log(0.3), abs=1e-5)}


def test_what_was_narrowed_is_off_policy(make_engine: Make) -> None:
    for options, off in (({}, False), ({"top_k": 3}, True), ({"top_p": 0.5}, True), ({"stop": ["red"]}, False)):
        engine = make_engine()
        engine.narrow(**options)
        (episode,) = collect(EnvPool(ID), engine, [EpisodeSpec(0, 0, 0, (1,))])
        assert {turn.off_policy for turn in episode.turns} == {off}


def test_an_answer_ends_at_a_text_and_is_heard_without_it(tmp_path: Any) -> None:
    """The tokens that were sampled stay, whatever bytes the text was cut into, and the conversation goes on."""
    save_small(tmp_path)
    free = hugging_face_policy(model=str(tmp_path), max_tokens=24, temperature=1.0, device="cpu")
    prompt = free.encode_first("where to?")
    seeds = [np.random.default_rng(seed) for seed in range(6)]
    whole = free.open(seeds).generate([prompt] * 6)
    (stop, *_) = (found.group() for answer in whole if (found := re.search(r"(?<=..)[!-~]{2}", answer.text, re.S)))
    bound = hugging_face_policy(model=str(tmp_path), max_tokens=24, temperature=1.0, device="cpu", stop=[stop, "never"])
    session = bound.open([np.random.default_rng(seed) for seed in range(6)])
    ended = session.generate([prompt] * 6)
    assert any(answer.stopped for answer in ended)
    for mine, its in zip(ended, whole, strict=True):
        assert mine.token_ids == its.token_ids[: len(mine.token_ids)]  # as it would have been said
        assert mine.stopped == (stop in its.text)
        assert mine.text == its.text.partition(stop)[0]
        if mine.stopped:
            assert not mine.closed
            assert stop in bound.tokenizer.decode(mine.token_ids)
            assert stop not in bound.tokenizer.decode(mine.token_ids[:-1])
        else:
            assert mine.token_ids == its.token_ids
    again = session.generate([bound.encode_next("and now?", closed=answer.closed) for answer in ended])
    assert len(again) == 6


def test_a_turn_that_stopped_was_not_cut_off(make_engine: Make) -> None:
    engine = make_engine(max_new_tokens=8)
    (free,) = collect(EnvPool(ID), engine, [EpisodeSpec(0, 0, 0, (1,))])
    text = free.turns[0].action[:1]
    engine.narrow(stop=[text])
    (ended,) = collect(EnvPool(ID), engine, [EpisodeSpec(0, 0, 0, (1,))])
    assert ended.turns[0].finish_reason == "stop"
    assert ended.turns[0].action == ""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"top_p": 0.0}, "top_p must be above 0"),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1"),
        ({"top_k": 0}, "top_k must be at least 1"),
        ({"stop": "end"}, "a list of texts"),
        ({"stop": [""]}, "none of them empty"),
        ({"temperature": 0.0, "top_p": 0.9}, "no effect at temperature 0"),
    ],
)
def test_settings_without_sense_are_refused(make_engine: Make, tmp_path: Any, options: Any, complaint: str) -> None:
    save_engine(make_engine(), tmp_path)
    with pytest.raises(ConfigError, match=complaint):
        run_policy(path=str(tmp_path), device="cpu", **options)
