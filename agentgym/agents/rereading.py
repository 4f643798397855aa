"""Generation for models whose cache forgets or sums up: sliding windows, recurrent states, convolutions.

Such a cache cannot be masked, cut or taken back, so nothing is kept from turn to turn: a conversation is read whole in
every turn. Rows of equal length are read together and the others apart, so that there are no pads, which a recurrent
state would take in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from agentgym.agents.generation import ModelSession, Reader, SampledTokens


class RereadingSession(ModelSession):
    """Conversations of one batch; what is pending of each are all tokens that it has read and said."""

    def _batches(self, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Rows of equal length."""
        lengths: dict[int, list[int]] = {}
        for row in rows:
            lengths.setdefault(len(self._pending[row]), []).append(row)
        return list(lengths.values())

    def _reader(self, rows: Sequence[int]) -> Reader:
        return _Reading(self.engine.model, {row: self._pending[row] for row in rows})

    def _keep(self, row: int, said: Sequence[int]) -> None:
        self._pending[row] = [*self._pending[row], *said]


class _Reading:
    """Texts of equal length that are read together; a row that has ended goes on unheard until the others have.

    Args:
        model: Of torch.
        texts: By row.
    """

    def __init__(self, model: Any, texts: Mapping[int, Sequence[int]]):
        self._model, self._rows = model, list(texts)
        self._read = torch.tensor(list(texts.values()), device=model.device)
        self._cached: dict[str, Any] = {}

    def __call__(self, rows: Sequence[int], answers: Mapping[int, SampledTokens]) -> torch.Tensor:
        """See `Reader`."""
        if answers[self._rows[0]].ids:
            said = torch.tensor([answers[row].ids[-1:] for row in self._rows], device=self._model.device)
            # a model without such a cache reads it all again
            self._read = said if self._cached else torch.cat([self._read, said], 1)
        out = self._model(input_ids=self._read, use_cache=True, logits_to_keep=1, **self._cached)
        if (cache := getattr(out, "past_key_values", None)) is not None:
            self._cached = {"past_key_values": cache}
        logits: torch.Tensor = out.logits[[self._rows.index(row) for row in rows], -1]
        return logits
