"""The vLLM engine says what the Hugging Face engine would; where vLLM is missing, one line says what to install."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym.core import ConfigError, MissingExtra
from agentgym.rollout import Branching, Start, Window, World, collect
from agentgym.train import HuggingFaceEngine
from agentgym.train.vllm_engine import VLLMEngine
from tests.rollout.worlds import ID

Make = Callable[..., HuggingFaceEngine]
Pair = tuple[HuggingFaceEngine, VLLMEngine]
KERNEL_TOLERANCE = 2e-2  # between two implementations in float32; within one it is 1e-4
INSTALLED = importlib.util.find_spec("vllm") is not None
needs_vllm = pytest.mark.skipif(not INSTALLED, reason="vLLM is not installed: pip install 'agentgym-suite[vllm]'")


@pytest.mark.skipif(INSTALLED, reason="vLLM is installed, so nothing is missing")
def test_a_missing_vllm_is_one_line(make_engine: Make) -> None:
    with pytest.raises(MissingExtra, match=r"the vLLM engine needs the package 'vllm': run .*agentgym-suite\[vllm\]"):
        VLLMEngine("nowhere", make_engine().tokenizer)


@pytest.mark.parametrize("options", [{"temperature": 0.0}, {"max_new_tokens": 0}])
def test_settings_out_of_range_are_refused(make_engine: Make, options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        VLLMEngine("nowhere", make_engine().tokenizer, **options)  # type: ignore[arg-type]


@pytest.fixture
def pair(make_engine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    monkeypatch.setitem(os.environ, "VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    ours = make_engine()
    ours.model.save_pretrained(tmp_path)
    ours.tokenizer.save_pretrained(tmp_path)
    options = {"dtype": "float32", "enforce_eager": True, "gpu_memory_utilization": 0.2, "max_model_len": 128}
    return ours, VLLMEngine(str(tmp_path), ours.tokenizer, max_new_tokens=3, **options)


@needs_vllm
def test_logprobs_equal_those_of_a_fresh_pass(pair: Pair) -> None:
    ours, theirs = pair
    starts = [Start(group, group, group, (9, group, member)) for group in range(4) for member in range(4)]
    for context in (None, Window(1)):
        options = {} if context is None else {"context": context}
        for episode in collect(World(ID), theirs, starts, strategy=Branching(every=1), **options):  # type: ignore[arg-type]
            for segment in episode.segments:
                assert segment.logprobs is not None
                with torch.no_grad():
                    logits = ours.model(torch.tensor([segment.token_ids])).logits[0, :-1]
                wanted = torch.log_softmax(logits.float(), -1)
                for place, sampled in enumerate(segment.sampled_mask):
                    if sampled:
                        fresh = wanted[place - 1, segment.token_ids[place]].item()
                        assert segment.logprobs[place] == pytest.approx(fresh, abs=KERNEL_TOLERANCE)


@needs_vllm
def test_scores_and_loaded_weights_are_ours(pair: Pair) -> None:
    ours, theirs = pair
    rng = np.random.default_rng(0)
    prompts = [rng.integers(5, 200, size=size).tolist() for size in (3, 9, 1)]
    after = [rng.integers(5, 200, size=size).tolist() for size in (4, 2, 7)]
    for _ in range(2):
        for one, other in zip(ours.score(prompts, after), theirs.score(prompts, after), strict=True):
            assert one == pytest.approx(other, abs=KERNEL_TOLERANCE)
        with torch.no_grad():
            for weight in ours.model.parameters():
                weight.mul_(1.1)
        theirs.load(ours.model.state_dict().items(), version=1)
    assert theirs.version == 1
