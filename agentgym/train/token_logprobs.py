"""A model's log-probabilities of tokens that exist already, in no more memory than their gradient takes.

Logits are the largest tensors of a gradient step: a number for each word of the vocabulary. They are computed for the
tokens alone that somebody sampled, a piece at a time, and the backward pass computes each piece over again (Chen et al.
2016, arXiv:1604.06174) in place of keeping it. Where a model does more to its logits than its last layer, such as
capping them, or is divided between processes, those of all sampled tokens are computed at once.

Axes: B rows of a batch, T tokens of a row, N sampled tokens of all rows, V words of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from agentgym.agents.generation import at_least_single
from agentgym.core import ConfigError
from agentgym.train.batch import Batch
from agentgym.train.packing import check_packing, packed_input

PIECE = 2**24  # numbers of the logits that are worked on at once


def token_logprobs(
    model: Any, batch: Batch, temperature: float, *, entropy_gradient: bool = False
) -> tuple[Tensor, Tensor]:
    """What the model makes of the batch's own tokens.

    Args:
        model: A causal language model.
        batch: The tokens.
        temperature: Of the distribution they were drawn from.
        entropy_gradient: Whether the entropy carries a gradient, which costs memory.

    Returns:
        `logprobs_BT`, the log-probability in nats of each sampled token given all before it, and `entropies_BT`, the
        entropy in nats of the distribution it was drawn from; both after temperature, 0 on tokens not sampled.
    """
    where = batch.sampled_BT[:, 1:] > 0
    head = _last_layer(model, batch.ids_BT)
    given_N, chosen_N = _before_logits(model, batch, where, head), batch.ids_BT[:, 1:][where]
    size = max(1, PIECE // (given_N.shape[1] if head is None else head.weight.shape[0]))
    again = len(given_N) > size and torch.is_grad_enabled()
    found = []
    for given, chosen in zip(given_N.split(size), chosen_N.split(size), strict=True):
        piece = (given, chosen, temperature, entropy_gradient, head)
        found.append(checkpoint(_read_off, *piece, use_reentrant=False) if again else _read_off(*piece))
    logprobs_N, entropies_N = (torch.cat(each) for each in zip(*found, strict=True))
    logprobs_BT = torch.zeros_like(batch.mask_BT, dtype=logprobs_N.dtype)
    entropies_BT = torch.zeros_like(logprobs_BT)
    logprobs_BT[:, 1:] = logprobs_BT[:, 1:].masked_scatter(where, logprobs_N)
    entropies_BT[:, 1:] = entropies_BT[:, 1:].masked_scatter(where, entropies_N)
    return logprobs_BT, entropies_BT


def _read_off(
    given_N: Tensor, chosen_N: Tensor, temperature: float, entropy_gradient: bool, head: Any
) -> tuple[Tensor, Tensor]:
    """Log-probability of each chosen token, and entropy of the distribution that it was drawn from.

    Args:
        given_N: What the last layer reads, or, if there is no `head`, logits.
        chosen_N: The tokens.
        temperature, entropy_gradient: As of `token_logprobs`.
        head: The last layer.
    """
    logits_NV = given_N if head is None else head(given_N)
    distribution = torch.log_softmax(at_least_single(logits_NV) / temperature, -1)
    logprobs = distribution.gather(1, chosen_N[:, None])[:, 0]
    with torch.set_grad_enabled(entropy_gradient and torch.is_grad_enabled()):
        entropies = -(distribution.exp() * distribution).sum(-1)
    return logprobs, entropies


def _last_layer(model: Any, ids_BT: Tensor) -> Any:
    """The layer whose output are the logits, as a pass over one token shows once; None if there is none.

    Args:
        model: A causal language model.
        ids_BT: Tokens that it can read.
    """
    head = model.get_output_embeddings()
    if head is None or is_sharded(model):  # of a sharded model it is gathered in the model's own pass alone
        return None
    if "gives_logits" not in vars(head):
        seen: list[Tensor] = []
        hook = head.register_forward_hook(lambda layer, given, out: seen.append(out))
        try:
            with torch.no_grad():
                logits = model(input_ids=ids_BT[:1, :1], use_cache=False).logits
        finally:
            hook.remove()
        head.gives_logits = [(each.dtype, each.tolist()) for each in seen] == [(logits.dtype, logits.tolist())]
    return head if head.gives_logits else None


def _before_logits(model: Any, batch: Batch, where: Tensor, head: Any) -> Tensor:
    """What the last layer reads before each sampled token, in the order of rows; logits where there is no such layer.

    Args:
        model: A causal language model.
        batch: The tokens.
        where: True where the next token was sampled, shape (B, T - 1).
        head: The last layer, or None.
    """
    read, row, place = _read(model, batch, where)
    columns, column = place.unique(return_inverse=True)
    picked: list[Tensor] = []

    def pick(layer: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Keep what a layer is given before sampled tokens, and let it compute that alone, or one row of it.

        Args:
            layer: The last one; PyTorch names it to the hook.
            given: Its arguments, the first of shape (rows, columns, width).
        """
        picked.append(given[0][row, column])
        shown = picked[0] if head is None else picked[0][:1]
        return (shown[None], *given[1:])

    layer = model.get_output_embeddings()  # None where a model has none of its own; its logits are picked from then
    hook = layer.register_forward_pre_hook(pick) if layer is not None else None
    try:
        with recomputing(model):
            out = model(**read, use_cache=False, logits_to_keep=columns)
    finally:
        if hook is not None:
            hook.remove()
    if head is not None:
        return picked[0]
    logits: Tensor = out.logits[0] if picked else out.logits[row, column]
    return logits


def _read(model: Any, batch: Batch, where: Tensor) -> tuple[dict[str, Any], Tensor, Tensor]:
    """What the model is given of a batch, and row and place in it of the token before each sampled one.

    Args:
        model: A causal language model.
        batch: The tokens.
        where: True where the next token was sampled, shape (B, T - 1).
    """
    row, column = where.nonzero(as_tuple=True)
    if batch.packed_row_B is not None and batch.packed_start_B is not None:
        check_packing(model)
        read = packed_input(batch.ids_BT, batch.attention_mask_BT, batch.packed_row_B, batch.packed_start_B)
        return read, batch.packed_row_B[row], batch.packed_start_B[row] + column
    both = torch.cat([batch.ids_BT, batch.attention_mask_BT], 1)
    unique, held = torch.unique(both, dim=0, return_inverse=True)  # equal rows are read once
    ids, attention = unique.chunk(2, 1)
    return {"input_ids": ids, "attention_mask": attention}, held[row], column


def is_sharded(model: Any) -> bool:
    """Whether processes divide the model between them.

    Args:
        model: A causal language model.
    """
    return hasattr(model, "unshard")  # what `fully_shard` adds; its class takes long to import, and few need it


def decoder_blocks(model: Any, use: str) -> list[torch.nn.Module]:
    """The decoder blocks of a model: the longest list of modules in it.

    Args:
        model: Of torch.
        use: What they are needed for, for the message.

    Raises:
        ConfigError: if it has none.
    """
    lists = [list(module) for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    if not lists:
        raise ConfigError(f"{type(model).__name__} has no list of decoder blocks, so it cannot be {use}")
    return max(lists, key=len)


def recompute_blocks(model: Any) -> None:
    """Let gradient steps keep the inputs of a model's blocks alone, and compute the rest again in the backward pass.

    Args:
        model: A causal language model.

    Raises:
        ConfigError: if it has no blocks.
    """
    for block in decoder_blocks(model, "computed block by block; leave out model.gradient_checkpointing"):
        block.recompute = True  # type: ignore[assignment]


@contextmanager
def recomputing(model: torch.nn.Module) -> Iterator[None]:
    """While it lasts, the blocks of which `recompute_blocks` has spoken forget what they compute.

    Args:
        model: A causal language model.
    """
    blocks = [each for each in model.modules() if vars(each).get("recompute")] if torch.is_grad_enabled() else []
    for block in blocks:
        block.forward = partial(checkpoint, block.forward, use_reentrant=False, preserve_rng_state=False)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward
