"""Supervised learning on the tokens of a teacher's actions, each with its end token.

It is what a run begins with, since no pretrained model knows a world's grammar, and a small one knows nothing at all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import Segment
from agentgym.train.batch import Sample, micro_batches, pad
from agentgym.train.config import BETAS, CloneConfig
from agentgym.train.distributed import SingleProcess
from agentgym.train.metrics import Metrics
from agentgym.train.optimizer import MasterAdamW, optimizer_step
from agentgym.train.packing import check_packing
from agentgym.train.run_dir import Run
from agentgym.train.token_logprobs import token_logprobs
from agentgym.train.trainer import Hook

WARM_UP = 0.05  # share of the steps


def clone(
    engine: HuggingFaceEngine,
    segments: Sequence[Segment],
    config: CloneConfig,
    *,
    seed: int = 0,
    micro_tokens: int = 4_096,
    packing: bool = False,
    max_grad_norm: float = 1.0,
    run: Run | None = None,
    on_update: Hook | None = None,
    processes: SingleProcess | None = None,
) -> list[Metrics]:
    """Teach the policy to say what a teacher said.

    Behaviour cloning (Pomerleau 1988): the mean over the said tokens of minus their log-probability.

    Args:
        engine: The policy; its model is changed.
        segments: What was said, from `tokenize`.
        config: How often, how fast.
        seed: Of the order of segments.
        micro_tokens, packing, max_grad_norm: As in `UpdateConfig`.
        run: Where each step is recorded, in `clone.jsonl`.
        on_update: Called with the metrics of each step.
        processes: Those that hold the model together, each of which takes a share of every step; by default this one
            alone.

    Returns:
        One record a step.
    """
    if not segments:
        raise ConfigError("there is nothing to clone: no segments were given")
    processes = processes or SingleProcess()
    if packing:
        check_packing(engine.model)
    weights = [weight for weight in engine.model.parameters() if weight.requires_grad]
    optimizer = MasterAdamW(weights, config.learning_rate, BETAS)
    per_epoch = -(-len(segments) // config.batch)
    history: list[Metrics] = []
    for update in range(config.epochs * per_epoch):
        began = time.perf_counter()
        round_, place = divmod(update, per_epoch)
        order = stream("train.clone", seed, round_).permutation(len(segments))
        chosen = [segments[index] for index in order[place * config.batch : (place + 1) * config.batch]]

        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * warm_cosine(update, config.epochs * per_epoch)
        said = sum(sum(segment.loss_weight) for segment in chosen)
        loss = 0.0
        samples = [Sample(each, scale=1 / said) for each in chosen]
        device = engine.model.device
        own = processes.own_samples(samples, "segment")
        batches = [*micro_batches(own, micro_tokens, device, packing=packing)]
        idle = processes.max_of(len(batches)) - len(batches)  # a sharded model is asked by all, or by nobody
        batches += [pad([replace(samples[0], scale=0.0)], device)] * idle
        for batch in batches:
            logprobs_BT, _ = token_logprobs(engine.model, batch, temperature=1.0)
            part = (-logprobs_BT * batch.mask_BT * batch.scale_B[:, None]).sum()
            processes.scale_loss(part).backward()
            loss += part.item()
        (loss,) = processes.sum_of([loss])
        processes.sum_gradients(weights)
        norm = optimizer_step(optimizer, max_grad_norm)

        metrics = {"update": update, "loss": loss, "grad_norm": norm, "tokens": sum(map(len, chosen))}
        metrics["seconds"] = time.perf_counter() - began
        history.append(metrics)
        if run:
            run.append("clone", metrics)
        if on_update:
            on_update(metrics)
    return history


def warm_cosine(update: int, total: int) -> float:
    """The share of the peak learning rate: a line up over the first 5 % of the steps, then a cosine to 0.

    Args:
        update: Number of the gradient step, from 0.
        total: Gradient steps in all.
    """
    warm = max(1, round(WARM_UP * total))
    if update < warm:
        return (update + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (update - warm) / max(1, total - warm)))
