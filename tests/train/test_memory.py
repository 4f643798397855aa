"""Memory of training, from the shape of a model alone."""

from __future__ import annotations

import pytest
import torch

from agentgym.train.memory import GB, estimate_shape
from tests.benchmarks.bench_memory import SHAPES, USUAL, WAYS, measure, table

SIZES = {"0.1B": 0.1345, "0.5B": 0.494, "1.5B": 1.544, "7B": 7.616}  # billions of weights, as published


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_those_of_published_models(shape: str) -> None:
    found = estimate_shape(SHAPES[shape], **USUAL, tokens=1, conversations=1, context=1)
    assert found.weights / 4e9 == pytest.approx(SIZES[shape], rel=2e-3)
    assert found.gradients == found.weights
    assert found.optimizer == 2 * found.weights


def test_what_saves_memory_does_so_in_every_size() -> None:
    lines = table(4_096, 1, 4_096).splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines[2:]]
    assert [row[:2] for row in rows] == [[shape, way] for shape in SHAPES for way in WAYS]
    for shape in SHAPES:
        whole, halved, blocks, adapters, both = (float(row[-1]) for row in rows if row[0] == shape)
        assert whole > halved > blocks
        assert halved > adapters > both
        assert both < whole / 4
    assert rows[-1][2] == "15.4"  # weights of 7B in two bytes, and adapters


def test_gradients_of_few_bits_are_whole_when_a_step_is_taken() -> None:
    settings = USUAL | WAYS["all weights, bf16, gradient checkpointing"]
    found = estimate_shape(SHAPES["7B"], **settings, tokens=1_024, conversations=1, context=1_024)
    assert found.step == 2 * found.gradients > found.gradients + found.activations
    assert found.peak == found.weights + found.optimizer + found.step


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("way", WAYS)
def test_what_a_gpu_held_is_what_was_computed(way: str) -> None:
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    settings = USUAL | WAYS[way]
    expected, taken = measure(
        SHAPES["0.5B"],
        "cuda",
        tokens=2_048,
        lora=settings["lora"],
        bf16=settings["bf16"],
        again=settings["gradient_checkpointing"],
    )
    computed = expected.weights + expected.optimizer + expected.gradients + expected.activations
    assert 0.6 * computed < taken < 1.3 * computed, f"{taken / GB:.2f} GB, {computed / GB:.2f} GB computed"
