"""The policy as it was: what a regularizer pulls towards and preferences are measured from."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from agentgym.train.token_logprobs import is_sharded


class Reference:
    """A policy's model at one moment.

    A model that is trained whole is copied. Of one with low-rank adapters only these are kept, a few thousandths of
    it, and put in while the reference is asked; before anything is learned they add nothing, so the reference is then
    the base with the adapters off. Of a model that processes divide each keeps its part of what is trained, and puts it
    in likewise.

    Args:
        model: The policy's.
    """

    def __init__(self, model: Any):
        trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
        self._swaps = is_sharded(model) or len(trained) < sum(1 for _ in model.parameters())
        self._model = model if self._swaps else copy.deepcopy(model).eval().requires_grad_(False)
        source = trained if self._swaps else dict(self._model.named_parameters())
        self._weights = {
            name: source[name].detach().clone() if self._swaps else source[name].detach() for name in trained
        }

    @contextmanager
    def model(self) -> Iterator[Any]:
        """The model as it was, while the context lasts."""
        if not self._swaps:
            yield self._model
            return
        current = {name: weight for name, weight in self._model.named_parameters() if name in self._weights}
        learned = {name: weight.detach().clone() for name, weight in current.items()}
        _put(current, self._weights)
        try:
            yield self._model
        finally:
            _put(current, learned)

    def state(self) -> dict[str, Tensor]:
        """Its weights that the policy has learned since, by name."""
        return dict(self._weights)

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Take up what `state` gave."""
        _put(self._weights, state)


@torch.no_grad()
def _put(weights: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    for name, weight in weights.items():
        weight.copy_(values[name])
