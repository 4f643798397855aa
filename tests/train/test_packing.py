"""Several sequences in a row: little padding, the same numbers and gradients, and none that see each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Segment
from agentgym.train import CloneConfig, Trainer, clone, read_recipe
from agentgym.train.batch import Sample, micro_batches, pad
from agentgym.train.packing import check_packing, pack
from agentgym.train.token_logprobs import recompute_blocks, token_logprobs
from tests.rollout.worlds import ID
from tests.train.methods import clumsy, small
from tests.train.test_batch import random_samples
from tests.train.test_token_logprobs import gradients

Make = Callable[..., HuggingFaceEngine]
CPU = torch.device("cpu")


def sequences(count: int, longest: int, seed: int = 0) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(1_000, size=int(rng.integers(1, longest + 1))).tolist() for _ in range(count)]


@pytest.mark.parametrize("tokens", [1, 300, 2_000])
@pytest.mark.parametrize("together", [1, 3])
def test_every_sequence_has_a_place_and_none_lies_on_another(tokens: int, together: int) -> None:
    every = sequences(90, 60)
    units = [every[first : first + together] for first in range(0, 90, together)]
    met: list[int] = []
    for batch in pack(units, tokens):
        met += [unit for unit, _ in batch]
        places = [(place, len(tokens)) for unit, own in batch for place, tokens in zip(own, units[unit], strict=True)]
        width = max(size for _, size in places)
        rows = 1 + max(place.row for place, _ in places)
        assert rows * width <= tokens or len(batch) == 1 or rows <= together
        for row in range(rows):
            held = sorted((place.start, place.start + size) for place, size in places if place.row == row)
            assert held[-1][1] <= width
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(held))
    assert sorted(met) == list(range(len(units)))


def test_little_is_padding_where_a_row_for_each_wastes_a_quarter() -> None:
    every = sequences(128, 140)
    tokens = sum(map(len, every))
    packed = 0
    for batch in pack([[each] for each in every], 4_096):
        width = max(len(every[unit]) for unit, _ in batch)
        packed += width * (1 + max(place.row for _, (place,) in batch))
    samples = [Sample(segment(each)) for each in every]
    padded = sum(batch.ids_BT.numel() for batch in micro_batches(samples, 4_096, CPU))
    assert tokens < 0.8 * padded
    assert tokens > 0.92 * packed


def segment(ids: list[int]) -> Segment:
    """A conversation whose last token was said."""
    found = Segment()
    found.read(ids[:-1])
    found.say(0, ids[-1:], [-1.0])
    return found


def test_equal_sequences_are_read_once() -> None:
    one, other = [1, 2, 3, 4], [5, 6, 7]
    ((first, second, third),) = pack([[one], [other, one], [other]], 100)
    assert first[1][0] == second[1][1]
    assert second[1][0] == third[1][0]


@pytest.mark.parametrize("unit", ["segment", "episode"])
@pytest.mark.parametrize("recompute", [False, True])
def test_numbers_and_gradients_are_those_of_rows_of_their_own(make_engine: Make, unit: Any, recompute: bool) -> None:
    model = make_engine().model.double()
    samples = [Sample(each.segment, episode=place // 2) for place, each in enumerate(random_samples(0, 12))]
    wanted = {id(each.segment): token_logprobs(model, pad([each], CPU), 0.7, entropy_gradient=True) for each in samples}
    slopes = gradients(model, sum((3 * one + other).sum() for one, other in wanted.values()))
    if recompute:
        recompute_blocks(model)
    read: list[int] = []
    model.register_forward_pre_hook(lambda *given: read.append(given[2]["input_ids"].numel()), with_kwargs=True)
    check_packing(model)
    read.clear()
    total: Any = 0.0
    width = max(len(each.segment) for each in samples)
    batches = list(micro_batches(samples, 2 * width, CPU, unit, packing=True))
    for batch in batches:
        found = token_logprobs(model, batch, 0.7, entropy_gradient=True)
        total = total + (3 * found[0] + found[1]).sum()
        for row, ids in enumerate(batch.ids_BT.tolist()):
            mine = next(each for each in samples if ids[: len(each.segment)] == each.segment.token_ids)
            for got, alone in zip(found, wanted[id(mine.segment)], strict=True):
                assert torch.allclose(got[row, : alone.shape[1]], alone[0], atol=1e-10)
    assert sum(len(batch.ids_BT) for batch in batches) == 12
    passes = [size for size in read if size > 1]  # what the last layer gives is seen in a pass over one token
    assert len(passes) == len(batches) < 6
    assert all(size <= 2 * width for size in passes)
    got = gradients(model, total)
    assert all(torch.allclose(got[name], slopes[name], atol=1e-9) for name in slopes)


def test_a_recipe_learns_the_same_and_reads_less() -> None:
    """Gradient steps, the reference and recomputed log-probabilities."""
    found = []
    for packing in (False, True):
        recipe = small(
            "grpo",
            regularizer=[{"name": "kl", "coefficient": 0.1}],
            update={"updates": 2, "steps": 2, "learning_rate": 1e-3, "recompute_logprobs": True},
            update__packing=packing,
            update__micro_tokens=256,
        )
        trainer = Trainer(recipe, clumsy(torch.float64), EnvPool(ID))
        read: list[int] = []
        model = trainer.engine.model
        model.register_forward_pre_hook(
            lambda *given, read=read: read.append(0 if given[2].get("use_cache") else given[2]["input_ids"].numel()),
            with_kwargs=True,
        )
        history = trainer.train()
        found.append((sum(read), [{k: v for k, v in each.items() if "second" not in k} for each in history]))
    (padded, plain), (packed, other) = found
    assert packed < padded
    for one, two in zip(plain, other, strict=True):
        assert one.keys() == two.keys()
        for name in ("loss", "grad_norm", "entropy", "kl_reference", "return"):  # batches hold some figures in float32
            assert two[name] == pytest.approx(one[name], rel=1e-6, abs=1e-7), name


def test_cloning_learns_the_same(make_engine: Make) -> None:
    segments = [each.segment for each in random_samples(1, 12)]
    losses = []
    for packing in (False, True):
        engine = make_engine()
        engine.model.double()
        history = clone(engine, segments, CloneConfig(12, batch=6), micro_tokens=60, packing=packing)
        losses.append([each["loss"] for each in history])
    assert losses[0] == pytest.approx(losses[1], abs=1e-10)


def test_a_model_that_mixes_sequences_is_refused_before_anything_is_played(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = clumsy()
    forward = engine.model.forward

    def mixing(**given: Any) -> Any:
        out = forward(**given)
        out.logits = out.logits + out.logits.cumsum(1)
        return out

    monkeypatch.setattr(engine.model, "forward", mixing)
    with pytest.raises(ConfigError, match=r"'llama' mixes sequences that share a row; leave update\.packing out"):
        Trainer(small("grpo", update__packing=True), engine, EnvPool(ID))
    with pytest.raises(ConfigError, match="mixes sequences"):
        clone(engine, [each.segment for each in random_samples(1, 2)], CloneConfig(2), packing=True)


def test_it_is_refused_where_no_gradient_step_is_taken() -> None:
    table = {
        "world": {"id": ID},
        "model": {"name": "of nobody"},
        "update": {"updates": 1, "packing": True},
        "artifact": {"kind": "rules", "editor": {"name": "model", "agent": "endpoint:editor"}},
    }
    with pytest.raises(ConfigError, match=r"update\.packing has no effect without \[loss\]"):
        read_recipe(table)
