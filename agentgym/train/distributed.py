"""Several processes that train one policy: each plays and learns from a part, all take the same step.

Every process plays whole groups, then all exchange their episodes, so filters, learners and advantages see exactly what
a single process would; only the gradient steps are divided again, and their gradients added up. The result is that of
one process but for the order of floating-point sums. What is divided is the work, not the model: this is data
parallelism, by `accelerate` (`DataParallel`), unless `model.shard` also divides the weights, gradients and optimizer
state, by `torch.distributed.fsdp.fully_shard` (`FSDP`). A sharded model is put together while it plays, for the
processes generate different numbers of tokens.

    torchrun --nproc-per-node 2 --no-python agentgym train grpo
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from agentgym.core import ConfigError, require
from agentgym.rollout import Episode, EpisodeSpec
from agentgym.rollout.episode import is_child
from agentgym.train.batch import Sample
from agentgym.train.interfaces import Unit
from agentgym.train.token_logprobs import decoder_blocks


class SingleProcess:
    """One process: everything is its own.

    Attributes:
        rank: Number of this process; 0 is the one that writes.
        size: How many there are.
    """

    rank = 0
    size = 1

    def own_starts(self, starts: Sequence[EpisodeSpec]) -> list[EpisodeSpec]:
        """This process's part of a round's beginnings: whole groups."""
        order = {group: place for place, group in enumerate(dict.fromkeys(start.group for start in starts))}
        return [start for start in starts if order[start.group] % self.size == self.rank]

    def gather_episodes(self, episodes: Sequence[Episode]) -> list[Episode]:
        """The episodes of all processes, in the order in which one process would have played them."""
        return list(episodes)

    def own_samples(self, samples: Sequence[Sample], unit: Unit) -> list[Sample]:
        """This process's part of a gradient step; what belongs together stays together.

        Args:
            samples: All samples of the gradient step; every process has the same.
            unit: What stays together.
        """
        if self.size == 1:
            return list(samples)
        keys = [(number, sample.episode, sample.pair)[("segment", "episode", "pair").index(unit)]
                for number, sample in enumerate(samples)]  # fmt: skip
        order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        return [sample for key, sample in zip(keys, samples, strict=True) if order[key] % self.size == self.rank]

    def max_of(self, count: int) -> int:
        """The largest of the processes' numbers."""
        return count

    def broadcast(self, text: str) -> str:
        """What the first process says."""
        return text

    def sum_of(self, numbers: Sequence[float]) -> list[float]:
        """Sums over the processes."""
        return list(numbers)

    def scale_loss(self, loss: Tensor) -> Tensor:
        """The loss whose gradients, put together as `sum_gradients` and `backward` do, are those of one process."""
        return loss

    def sum_gradients(self, weights: Sequence[torch.nn.Parameter]) -> None:
        """Add up the gradients of all processes."""

    @contextmanager
    def generating(self) -> Iterator[None]:
        """While the policy generates."""
        yield

    def full_tensor(self, tensor: Tensor) -> Tensor:
        """All of a tensor of the model or its optimizer, of which this process may hold a part; all processes ask."""
        return tensor.detach()

    def own_part(self, whole: Tensor, like: Tensor) -> Tensor:
        """The part of a whole tensor that this process holds, divided as `like` is.

        Args:
            whole: A whole tensor.
            like: A tensor of the same shape, divided as the part shall be.
        """
        return whole


class DataParallel(SingleProcess):
    """Data-parallel processes, joined by `accelerate`.

    Args:
        model: The policy's; every process ends up with the weights of the first.
    """

    def __init__(self, model: torch.nn.Module):
        accelerate = require("accelerate", extra="train", purpose="training in several processes")
        self._accelerator = accelerate.Accelerator(cpu=next(model.parameters()).device.type == "cpu")
        self._gather = accelerate.utils.gather_object
        self.rank: int = self._accelerator.process_index
        self.size: int = self._accelerator.num_processes
        model.to(self._accelerator.device)
        with torch.no_grad():
            for weight in model.parameters():
                accelerate.utils.broadcast(weight.data)

    def gather_episodes(self, episodes: Sequence[Episode]) -> list[Episode]:
        """See `SingleProcess`; numbers, and the parents that point to them, are those of the whole list."""
        shared: list[tuple[int, Episode]] = self._gather([(self.rank, episode) for episode in episodes])
        acting = sorted((each for each in shared if not is_child(each[1])), key=lambda each: each[1].group)
        whole = acting + [each for each in shared if is_child(each[1])]
        number = {(rank, episode.number): place for place, (rank, episode) in enumerate(whole)}
        for rank, episode in whole:
            if episode.parent is not None:
                episode.parent = replace(episode.parent, episode=number[rank, episode.parent.episode])
        for place, (_, episode) in enumerate(whole):
            episode.number = place
        return [episode for _, episode in whole]

    def max_of(self, count: int) -> int:
        """See `SingleProcess`."""
        counts: list[int] = self._gather([count])
        return max(counts)

    def broadcast(self, text: str) -> str:
        """See `SingleProcess`."""
        texts: list[str] = self._gather([text])
        return texts[0]

    def sum_of(self, numbers: Sequence[float]) -> list[float]:
        """See `SingleProcess`; added up in the order of the processes, so the same in each."""
        rows: list[list[float]] = self._gather([list(numbers)])
        return [sum(column) for column in zip(*rows, strict=True)]

    def sum_gradients(self, weights: Sequence[torch.nn.Parameter]) -> None:
        """See `SingleProcess`."""
        for weight in weights:
            if weight.grad is None:
                weight.grad = torch.zeros_like(weight)
            weight.grad = self._accelerator.reduce(weight.grad, reduction="sum")


class FSDP(DataParallel):
    """Processes that also divide the model: weights, gradients and optimizer state (fully sharded data parallelism).

    Zhao et al. 2023, arXiv:2304.11277; here by `fully_shard`, block by block.

    Args:
        model: The policy's; its parameters become `DTensor`s.
    """

    def __init__(self, model: torch.nn.Module):
        super().__init__(model)
        from torch.distributed.fsdp import fully_shard

        self._parts: list[Any] = []
        for block in decoder_blocks(model, "sharded"):
            self._parts.append(fully_shard(block, reshard_after_forward=False))
        self._parts.append(fully_shard(model, reshard_after_forward=False))

    def scale_loss(self, loss: Tensor) -> Tensor:
        """The backward pass takes the mean over the processes; times their number it is the sum."""
        return loss * self.size

    def sum_gradients(self, weights: Sequence[torch.nn.Parameter]) -> None:
        """The backward pass has done it."""

    @contextmanager
    def generating(self) -> Iterator[None]:
        """Put the model together, so that no process waits for another while it generates."""
        for part in self._parts:
            part.unshard()
        try:
            yield
        finally:
            for part in self._parts:
                part.reshard()

    def full_tensor(self, tensor: Tensor) -> Tensor:
        """See `SingleProcess`."""
        from torch.distributed.tensor import DTensor

        if not isinstance(tensor, DTensor):
            return tensor.detach()
        whole: Tensor = tensor.full_tensor()
        return whole.detach().cpu()

    def own_part(self, whole: Tensor, like: Tensor) -> Tensor:
        """See `SingleProcess`; every process has read the same checkpoint, so nothing is sent."""
        from torch.distributed.tensor import DTensor, distribute_tensor

        if not isinstance(like, DTensor) or whole.shape != like.shape:
            return whole
        return distribute_tensor(whole, like.device_mesh, like.placements, src_data_rank=None)


def check_distributed(shard: bool) -> None:
    """Refuse to shard a model where there is nobody to share it with.

    Raises:
        ConfigError: if this process was started alone.
    """
    if shard and not _is_distributed():
        raise ConfigError("model.shard needs several processes: torchrun --nproc-per-node N --no-python agentgym train")


def init_distributed(model: torch.nn.Module, shard: bool) -> SingleProcess:
    """How this process trains `model`: alone, or with others that `torchrun` or `accelerate launch` has started.

    Args:
        model: The policy's; several processes end up with equal weights.
        shard: Whether the processes divide the model.
    """
    if not _is_distributed():
        return SingleProcess()
    return FSDP(model) if shard else DataParallel(model)


def _is_distributed() -> bool:
    return int(os.environ.get("WORLD_SIZE", "1")) > 1
