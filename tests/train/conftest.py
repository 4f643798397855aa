"""A tiny model that has seen the words of the echo world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import HuggingFaceEngine, TinyConfig, build_decoder, train_tokenizer, transcript_text
from tests.rollout.worlds import ID, SIZE

SHAPE = TinyConfig(layers=1, width=32, heads=2, context=128, vocabulary=512)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return train_tokenizer(transcript_text(demonstrate(EnvPool(ID), range(SIZE), noise=0.5, seed=0)), SHAPE.vocabulary)


@pytest.fixture
def make_engine(tokenizer: Any) -> Callable[..., HuggingFaceEngine]:
    def make(seed: int = 0, **options: Any) -> HuggingFaceEngine:
        return HuggingFaceEngine(build_decoder(SHAPE, tokenizer, seed), tokenizer, **{"max_new_tokens": 3, **options})

    return make
