"""A key-value cache with room to grow: a token that is said is written behind the others, and nothing is copied."""

from __future__ import annotations

from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

ROOM = 128  # further columns for which a layer makes room at least
SHARE = 4  # or a part of those it has


class GrowingLayer(DynamicLayer):
    """A layer whose keys and values are the beginning of larger tensors; the library's own copies all for each token.

    Shapes are (rows, heads, columns, width of a head). What others put in place of the keys and values, such as a
    selection of rows, is taken over when the next token comes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._room: tuple[torch.Tensor, torch.Tensor] | None = None

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Put new columns behind those that are there; all of them.

        Args:
            key_states, value_states: The new columns.
            args, kwargs: Not used.
        """
        if not self.is_initialized or self.keys is None or not self.keys.numel():
            self.lazy_initialization(key_states, value_states)
            self.keys, self.values = key_states[:, :, :0], value_states[:, :, :0]
        assert self.keys is not None
        assert self.values is not None
        before = self.keys.shape[2]
        after = before + key_states.shape[2]
        if self._room is None or not self._holds(after):
            self._room = (self._with_room(self.keys, after), self._with_room(self.values, after))
        grown = []
        for room, states in zip(self._room, (key_states, value_states), strict=True):
            room[:, :, before:after] = states
            grown.append(room[:, :, :after])
        self.keys, self.values = grown
        return self.keys, self.values

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep some rows, and let go of the larger tensors that the others have a part in.

        Args:
            indices: Numbers of the rows.
        """
        super().batch_select_indices(indices)
        self._room = None

    def _holds(self, columns: int) -> bool:
        """Whether keys and values are still the beginning of the larger tensors, and these suffice."""
        assert self._room is not None
        kept = zip(self._room, (self.keys, self.values), strict=True)
        same = all(
            now is not None and room.data_ptr() == now.data_ptr() and len(room) == len(now) for room, now in kept
        )
        return same and self._room[0].shape[2] >= columns

    def _with_room(self, states: torch.Tensor, columns: int) -> torch.Tensor:
        rows, heads, before, width = states.shape
        room = states.new_empty(rows, heads, columns + max(ROOM, columns // SHARE), width)
        room[:, :, :before] = states
        return room


def growing_cache(config: Any) -> DynamicCache:
    """An empty cache for a model of which every layer keeps every token.

    Args:
        config: Of the model.
    """
    cache = DynamicCache(config=config)
    cache.layers = [GrowingLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache
