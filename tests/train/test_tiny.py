"""Tokenizers and decoders made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.train import TinyConfig, build_decoder, train_tokenizer
from tests.train.conftest import SHAPE

TEXTS = ["Walk over the ice.\n_ _ O\nP _ G", "You go left.\n_ _ O\n_ P G"] * 3


def test_frequent_lines_become_one_token_and_lines_never_merge() -> None:
    tokenizer = train_tokenizer(TEXTS, 600)
    assert [tokenizer.decode([i]) for i in tokenizer.encode(TEXTS[0])] == [
        "Walk over the ice.",
        "\n",
        "_ _ O",
        "\n",
        "P _ G",
    ]


@pytest.mark.parametrize("text", ["", "  two  spaces ", "Käse 🧀", "a\r\n\tb", "<end>ish", "\x00"])
def test_every_text_can_be_written(text: str) -> None:
    tokenizer = train_tokenizer(TEXTS, 400)
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_equal_texts_give_an_equal_tokenizer(tmp_path: Path) -> None:
    vocabularies = [train_tokenizer(TEXTS, 400).get_vocab() for _ in range(2)]
    assert vocabularies[0] == vocabularies[1]


def test_a_decoder_is_a_function_of_its_seed(tokenizer: Any) -> None:
    state = torch.get_rng_state()
    first, second, other = (build_decoder(SHAPE, tokenizer, seed) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), state)
    same = [torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True)]
    assert all(same)
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


def test_the_default_shape_is_tiny() -> None:
    tokenizer = train_tokenizer(TEXTS, 1024)
    parameters = sum(p.numel() for p in build_decoder(TinyConfig(), tokenizer, 0).parameters())
    assert 300_000 < parameters < 1_000_000


@pytest.mark.parametrize(
    "changes", [{"layers": 0}, {"width": 30, "heads": 4}, {"width": 12, "heads": 4}, {"vocabulary": 259}]
)
def test_impossible_shapes_are_refused(changes: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=next(iter(changes))):
        TinyConfig(**changes)
