"""Several processes that train one policy: each plays and learns from a part, all take the same step.

Every process plays whole groups, then all exchange their episodes, so filters, learners and advantages see exactly what
a single process would; only the gradient steps are divided again, and their gradients added up. The result is that of
one process but for the order of floating-point sums. What is divided is the work, not the model: this is data
parallelism, by `accelerate` (`DataParallel`), unless `model.shard` also divides the weights, gradients and optimizer
state, by `torch.distributed.fsdp.fully_shard` (`FSDP`).

The first process alone reads weights from disk; the others begin with none and are sent theirs: all of them, or of a
sharded model their part, one tensor at a time. While a sharded model learns, a process puts together one block after
the other, and never holds all of them. While it plays it is put together whole in every process, for the processes
generate different numbers of tokens and would wait for each other at every one. The first process also holds it whole
while it reads it, and, beside the device, while it writes a checkpoint.

    torchrun --nproc-per-node 2 --no-python agentgym train grpo
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor

from agentgym.agents.pretrained import WEIGHTLESS
from agentgym.core import ConfigError, require
from agentgym.rollout import Episode, EpisodeSpec
from agentgym.rollout.episode import is_child
from agentgym.train.batch import Sample
from agentgym.train.interfaces import Unit
from agentgym.train.token_logprobs import decoder_blocks

if TYPE_CHECKING:
    from agentgym.train.recipe import Recipe


class SingleProcess:
    """One process: everything is its own.

    Attributes:
        rank: Number of this process; 0 is the one that writes.
        size: How many there are.
        divides: Whether each holds a part of the model.
    """

    rank = 0
    size = 1
    divides: ClassVar[bool] = False

    def load_device(self, device: str | None) -> str | None:
        """Where this process loads a model; `share` brings it to where it computes.

        Args:
            device: Where it is to compute; see `agentgym.agents.pretrained.placed`.

        Returns:
            The device; `meta` in a process that is sent its weights.
        """
        return device

    def share(self, model: torch.nn.Module) -> None:
        """Give every process the weights of the first: all of them, or its part.

        Args:
            model: The policy's, loaded where `load_device` says.
        """

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

    def whole_weights(self, model: torch.nn.Module) -> dict[str, Tensor] | None:
        """What is saved of a model, by name, tied weights once; None where the process has it all anyway.

        Args:
            model: The policy's; all processes ask, and what they get is of use in the first.
        """
        return None


class DataParallel(SingleProcess):
    """Data-parallel processes, joined by `accelerate`.

    Args:
        device: Where they compute; see `agentgym.agents.pretrained.placed`.
    """

    def __init__(self, device: str | None = None):
        accelerate = require("accelerate", extra="train", purpose="training in several processes")
        on_cpu = not torch.cuda.is_available() if device is None else torch.device(device).type == "cpu"
        self._accelerator = accelerate.Accelerator(cpu=on_cpu)
        self._gather, self._send = accelerate.utils.gather_object, accelerate.utils.broadcast
        self.rank: int = self._accelerator.process_index
        self.size: int = self._accelerator.num_processes

    def load_device(self, device: str | None) -> str | None:
        """See `SingleProcess`; the first alone reads weights."""
        return WEIGHTLESS if self.rank else device

    @torch.no_grad()
    def share(self, model: torch.nn.Module) -> None:
        """See `SingleProcess`."""
        if self.rank:
            _make_room(model, self._accelerator.device)
        else:
            model.to(self._accelerator.device)
        for tensor in (*model.parameters(), *model.buffers()):
            self._send(tensor.data)

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
    """

    divides: ClassVar[bool] = True

    def load_device(self, device: str | None) -> str | None:
        """See `SingleProcess`; the first reads into the machine's memory, for a device may not hold the whole."""
        return WEIGHTLESS if self.rank else "cpu"

    @torch.no_grad()
    def share(self, model: torch.nn.Module) -> None:
        """See `SingleProcess`; the model's parameters become `DTensor`s."""
        from torch.distributed.fsdp import fully_shard
        from torch.distributed.tensor import distribute_tensor

        whole = {name: weight.detach() for name, weight in model.named_parameters()}
        blocks = decoder_blocks(model, "sharded")
        self._parts: list[Any] = [fully_shard(each, reshard_after_forward=True) for each in (*blocks, model)]
        if self.rank:
            _make_room(model, self._accelerator.device)
        part: Any
        for name, part in model.named_parameters():
            sent = whole.pop(name)  # so that the first process lets go of what it has sent
            sent = torch.empty_like(sent, device=part.device) if self.rank else sent.to(part.device)
            part.copy_(distribute_tensor(sent, part.device_mesh, part.placements))
        for buffer in model.buffers():
            self._send(buffer)

    def scale_loss(self, loss: Tensor) -> Tensor:
        """The backward pass takes the mean over the processes; times their number it is the sum."""
        return loss * self.size

    def sum_gradients(self, weights: Sequence[torch.nn.Parameter]) -> None:
        """The backward pass has done it."""

    @contextmanager
    def generating(self) -> Iterator[None]:
        """Put the model together, so that no process waits for another while it generates."""
        for part in self._parts:
            part.set_reshard_after_forward(False, recurse=False)
            part.unshard()
        try:
            yield
        finally:
            for part in self._parts:
                part.set_reshard_after_forward(True, recurse=False)
                part.reshard()

    def full_tensor(self, tensor: Tensor) -> Tensor:
        """See `SingleProcess`; the others keep nothing of what the first writes."""
        from torch.distributed.tensor import DTensor

        if not isinstance(tensor, DTensor):
            return tensor.detach()
        whole: Tensor = tensor.full_tensor()
        return whole.new_empty(0) if self.rank else whole.detach().cpu()

    def own_part(self, whole: Tensor, like: Tensor) -> Tensor:
        """The part of a whole tensor that this process holds; as every process has read the same, nothing is sent.

        Args:
            whole: A whole tensor, of the same checkpoint in each process.
            like: A tensor divided as the part shall be. One that is not divided, or of another shape, leaves it whole.
        """
        from torch.distributed.tensor import DTensor, distribute_tensor

        if not isinstance(like, DTensor) or whole.shape != like.shape:
            return whole
        return distribute_tensor(whole, like.device_mesh, like.placements, src_data_rank=None).clone()

    def whole_weights(self, model: torch.nn.Module) -> dict[str, Tensor] | None:
        """See `SingleProcess`; of a model with adapters these alone."""
        named = model.state_dict(keep_vars=True)
        if any(not weight.requires_grad for weight in model.parameters()):
            named = {name: weight for name, weight in named.items() if weight.requires_grad}
        found: dict[int, Tensor] = {}
        for weight in named.values():
            if id(weight) not in found:
                found[id(weight)] = self.full_tensor(weight)
        return {name: found[id(weight)] for name, weight in named.items()}


def _make_room(model: torch.nn.Module, device: torch.device) -> None:
    """Give a model without weights room for them; those that were tied stay so.

    Args:
        model: On the device `meta`; its parameters are new ones afterwards.
        device: Where the weights are to be.
    """
    tied: dict[int, list[str]] = {}
    for name, weight in model.named_parameters(remove_duplicate=False):
        tied.setdefault(id(weight), []).append(name)
    model.to_empty(device=device)
    for first, *others in tied.values():
        for module, _, name in (other.rpartition(".") for other in others):
            setattr(model.get_submodule(module), name, model.get_parameter(first))


def check_distributed(shard: bool) -> None:
    """Refuse to shard a model where there is nobody to share it with.

    Raises:
        ConfigError: if this process was started alone.
    """
    if shard and not _is_distributed():
        raise ConfigError("model.shard needs several processes: torchrun --nproc-per-node N --no-python agentgym train")


def join_processes(shard: bool, device: str | None) -> SingleProcess:
    """How this process trains: alone, or with others that `torchrun` or `accelerate launch` has started.

    Args:
        shard: Whether the processes divide the model.
        device: Where they compute; see `agentgym.agents.pretrained.placed`.
    """
    if not _is_distributed():
        return SingleProcess()
    return FSDP(device) if shard else DataParallel(device)


def check_processes(recipe: Recipe, processes: SingleProcess) -> None:
    """Refuse parts of a recipe that several processes cannot have, or that a sharded model cannot be asked for.

    Args:
        recipe: The recipe.
        processes: Who trains.

    Raises:
        ConfigError: naming the part.
    """
    remembering = [type(part).__name__ for part in recipe.regularizers if part.remembers]
    remembering += [type(plan.tasks).__name__ for plan in recipe.plans if plan.tasks.asks_model]
    if processes.size > 1 and (remembering or recipe.policies or recipe.artifact):
        what = f"{remembering[0]} remembers" if remembering else "[policies] and [artifact] keep"
        raise ConfigError(f"{what} what one process saw; train with one process")
    copying = [type(part).__name__ for part in (*recipe.learners, *(plan.opponent for plan in recipe.plans))
               if part is not None and part.copies]  # fmt: skip
    if processes.divides and copying:
        raise ConfigError(f"a sharded model cannot be copied, as {copying[0]} asks; leave out that or model.shard")


def _is_distributed() -> bool:
    return int(os.environ.get("WORLD_SIZE", "1")) > 1
