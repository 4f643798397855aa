"""Models whose cache forgets or sums up play exactly: what they say is what a pass over the whole text gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.rereading import RereadingSession
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, EpisodeSpec, Segment, collect
from agentgym.train.batch import Sample, micro_batches, pad
from agentgym.train.token_logprobs import token_logprobs
from tests.rollout.worlds import ID

SMALL: dict[str, Any] = {
    "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 8, "max_position_embeddings": 512, "pad_token_id": 0,
}  # fmt: skip
FORGETFUL: dict[str, dict[str, Any]] = {
    "mistral": {"sliding_window": 8},
    "gemma3_text": {"sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]},
    "gpt_oss": {"sliding_window": 8, "num_local_experts": 2, "num_experts_per_tok": 1},
    "lfm2": {"layer_types": ["conv", "full_attention"], "block_ff_dim": 32},
    "qwen3_5_text": {
        "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 1, "linear_num_value_heads": 2,
        "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    },
    "mamba2": {"num_heads": 2, "head_dim": 16, "state_size": 8, "n_groups": 1, "expand": 2},
}  # fmt: skip
LATENT = {"qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8, "kv_lora_rank": 8, "q_lora_rank": 8}
LATENT["num_key_value_heads"] = 2
WHOLE = ("llama", "qwen2", "qwen3", "phi3", "glm4", "granite", "olmo2", "cohere", "deepseek_v3", "qwen3_moe", "gemma")
MIXING = ("gpt_oss", "lfm2", "qwen3_5_text", "mamba2")  # what shares a row: recurrences, and a mask without positions
TOLERANCE = 2e-4  # nats; another order of the same sums


def random_model(kind: str, tokenizer: Any, **more: Any) -> Any:
    """A model of an architecture with small random weights."""
    torch.manual_seed(0)
    sizes = {**SMALL, "vocab_size": len(tokenizer), **more}
    config = AutoConfig.for_model(kind, **sizes)
    return AutoModelForCausalLM.from_config(config).eval()


def play(engine: HuggingFaceEngine, together: int) -> list[Any]:
    specs = [EpisodeSpec(place % 4, place, place, (3, place)) for place in range(6)]
    return collect(EnvPool(ID), engine, specs, max_concurrent=together)


@pytest.mark.parametrize("kind", [*FORGETFUL, *WHOLE])
def test_random_models_of_every_architecture_play_and_are_trained_on_the_same_numbers(
    kind: str, tokenizer: Any
) -> None:
    model = random_model(kind, tokenizer, **FORGETFUL.get(kind, LATENT if "deepseek" in kind else {}))
    engine = HuggingFaceEngine(model, tokenizer, max_new_tokens=4)
    assert isinstance(engine.open([]), RereadingSession) == (kind in FORGETFUL)
    episodes = play(engine, together=6)
    alone = play(engine, together=1)
    assert [[turn.action for turn in each.turns] for each in alone] == [
        [turn.action for turn in each.turns] for each in episodes
    ]
    assert any(len(each.turns) > 1 for each in episodes)
    for segment in (segment for each in episodes for segment in each.segments):
        batch = pad([Sample(segment)], torch.device("cpu"))
        with torch.no_grad():
            again = token_logprobs(engine.model, batch, 1.0)[0][0].numpy()
        assert np.abs(again - np.asarray(segment.logprobs)).max() < TOLERANCE


def test_a_rewound_answer_was_never_said(tokenizer: Any) -> None:
    engine = HuggingFaceEngine(random_model("mistral", tokenizer, sliding_window=4), tokenizer, max_new_tokens=3)

    def session() -> RereadingSession:
        made = engine.open([np.random.default_rng(place) for place in range(2)])
        assert isinstance(made, RereadingSession)
        return made

    first, one, two = engine.encode_first("red"), session(), session()
    one.generate([first, first])
    two.generate([first, first])
    one.generate([[5, 6]], rows=[1])
    one.rewind([1])
    one.reset_rows([0])
    assert one._pending == [[], two._pending[1]]
    one.select_rows([1, 1], {1: np.random.default_rng(9)})
    assert one._pending == [two._pending[1]] * 2


@pytest.mark.parametrize("kind", [*FORGETFUL, *WHOLE])
def test_what_shares_a_row_is_read_as_by_itself_or_refused(kind: str, tokenizer: Any) -> None:
    """Attention is masked where positions begin anew, within a window as well; a recurrence goes on over it."""
    model = random_model(kind, tokenizer, **FORGETFUL.get(kind, LATENT if "deepseek" in kind else {}))
    rng, samples = np.random.default_rng(0), []
    for size in (23, 9, 14, 12, 5):
        segment = Segment()
        segment.read(rng.integers(5, len(tokenizer), size=size - 4).tolist())
        segment.say(0, rng.integers(5, len(tokenizer), size=4).tolist(), [-1.0] * 4)
        samples.append(Sample(segment))
    (batch,) = micro_batches(samples, 3 * 23, torch.device("cpu"), packing=True)
    if kind in MIXING:
        with pytest.raises(ConfigError, match=rf"'{kind}' mixes sequences that share a row"):
            token_logprobs(model, batch, 1.0)
        return
    found = token_logprobs(model, batch, 1.0)[0]
    for row, sample in zip(found, sorted(samples, key=lambda each: -len(each.segment)), strict=True):
        alone = token_logprobs(model, pad([sample], torch.device("cpu")), 1.0)[0][0]
        assert torch.allclose(row[: len(alone)], alone, atol=TOLERANCE)
