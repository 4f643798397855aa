"""Batched multi-turn generation that keeps its key-value cache from turn to turn.

A conversation mostly grows, so what was read or said once stays in the cache; a turn costs its new tokens. Rows of a
batch have new tokens of different number: they are padded on the left, pads are masked out for good, and positions are
counted without them. A row that ends is dropped from the cache, one that branches is copied, one that begins anew or
takes its last exchange back has it masked; columns that no row sees any more are cut out. Conversations that begin
together with the same words, such as a world's manual, have them read once. Rows that have said all that they say in a
turn, or have nothing to say in it, are spared the computation of the others: these go on in a cache of their own, and
come back at the end of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from agentgym.agents.generation import CachedSequence, ModelSession, Reader, SampledTokens
from agentgym.agents.growing_cache import growing_cache

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine

WASTE = 0.25  # share of unseen columns above which they are cut out
APART = 0.75  # of the rows: where at most so many read something, they go on apart
SHARED = 32  # tokens with which all rows begin, from which on reading them once is worth a pass of its own
READ_AT_ONCE = 8_192  # tokens, pads counted, that are read in one pass; longer prompts are read in pieces


def keeps_everything(config: Any) -> bool:
    """Whether a model's cache holds every token apart; a sliding window forgets, a recurrent state sums up.

    Args:
        config: Of a `transformers` model.
    """
    return {type(layer) for layer in DynamicCache(config=config).layers} <= {DynamicLayer}


@dataclass
class _Apart:
    """Rows that go on by themselves in a turn.

    Attributes:
        rows: Their numbers.
        seen: What each of them sees, shape (rows, columns).
        cache: Those columns.
        width: How many of the newest columns the cache of all rows does not have.
    """

    rows: list[int]
    seen: torch.Tensor
    cache: DynamicCache
    width: int = 0


class CachedSession(ModelSession):
    """Conversations of one batch and their shared key-value cache.

    `seen` has shape (rows, cached tokens) and is False on pads; what is pending is the last token that a row sampled,
    and then the next prompt.
    """

    def __init__(self, engine: HuggingFaceEngine, generators: Sequence[np.random.Generator]):
        super().__init__(engine, generators)
        self._cache = growing_cache(engine.model.config)
        self._apart: _Apart | None = None
        self._device = engine.model.device
        self._seen = torch.zeros(len(self._generators), 0, dtype=torch.bool, device=self._device)
        self._mark = 0  # columns there were before the last answer

    @torch.inference_mode()
    def take_in(self, rows: Sequence[CachedSequence]) -> None:
        """Go on with these conversations; what they keep is put side by side, shorter ones padded on the left."""
        super().take_in(rows)
        sizes = [row.kept[0][0].shape[2] if row.kept else 0 for row in rows]
        columns = max(sizes)
        if not columns:
            return
        model = rows[sizes.index(columns)].kept
        for number, layer in enumerate(model):
            sides = []
            for side, like in enumerate(layer):
                states = like.new_zeros(len(rows), *like.shape[1:])
                for place, (row, size) in enumerate(zip(rows, sizes, strict=True)):
                    if size:
                        states[place, :, columns - size :] = row.kept[number][side][0]
                sides.append(states)
            self._cache.update(sides[0], sides[1], number)
        index = torch.arange(columns, device=self._device)
        self._seen = index[None] >= columns - torch.tensor(sizes, device=self._device)[:, None]

    @torch.inference_mode()
    def hand_back(self, rows: Sequence[CachedSequence]) -> None:
        """Give every conversation what it has seen, without the pads; see `ModelSession.hand_back`."""
        super().hand_back(rows)
        self._rejoin()
        for place, row in enumerate(rows):
            seen = self._seen[place].nonzero()[:, 0]
            row.kept = [(keys[place : place + 1, :, seen], values[place : place + 1, :, seen])
                        for keys, values in _kept(self._cache)]  # fmt: skip

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these, and their part of the cache.

        Args:
            rows: Rows to keep, in their new order. One that is named again gets a copy of the cache.
            generators: By new number, the generator of a row that was named again; the others keep theirs.
        """
        super().select_rows(rows, generators)
        self._rejoin()
        index = torch.tensor(list(rows), dtype=torch.long, device=self._device)
        if self._seen.shape[1]:
            self._cache.batch_select_indices(index)
        self._seen = self._seen[index]

    @torch.inference_mode()
    def rewind(self, rows: Sequence[int]) -> None:
        """Take back what these rows read and said in the last `generate`."""
        super().rewind(rows)
        self._rejoin()
        self._seen[list(rows), self._mark :] = False

    @torch.inference_mode()
    def reset_rows(self, rows: Sequence[int]) -> None:
        """Let these rows begin again with nothing read."""
        super().reset_rows(rows)
        self._rejoin()
        self._seen[list(rows)] = False

    def _batches(self, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """All rows, in order of the cache."""
        return [sorted(rows)]

    def _reader(self, rows: Sequence[int]) -> Reader:
        self._rejoin()
        self._trim()
        self._mark = self._seen.shape[1]
        return self._next

    def _keep(self, row: int, said: Sequence[int]) -> None:
        self._pending[row] = [said[-1]]

    def _next(self, rows: Sequence[int], answers: Mapping[int, SampledTokens]) -> torch.Tensor:
        """Logits of these rows after what is pending, and then after each token that they say."""
        unread: list[list[int]] = [[] for _ in self._pending]
        for row in rows:
            unread[row] = answers[row].ids[-1:] or self._pending[row]
        return self._advance(unread)

    def _trim(self) -> None:
        """Cut columns out of the cache that no row sees."""
        columns = self._seen.shape[1]
        if not columns:
            return
        used = self._seen.any(0)
        count = int(used.sum())
        if count == 0:
            self._cache = growing_cache(self.engine.model.config)
            self._seen = self._seen[:, :0]
        elif columns - count > WASTE * columns:
            index = used.nonzero()[:, 0]
            cut = growing_cache(self.engine.model.config)
            for number, (keys, values) in enumerate(_kept(self._cache)):
                cut.update(keys.index_select(2, index), values.index_select(2, index), number)
            self._cache = cut
            self._seen = self._seen[:, index]

    def _advance(self, unread: Sequence[Sequence[int]]) -> torch.Tensor:
        """Let the model read new tokens; logits after the last of each row that has any, shape (rows, vocabulary)."""
        rows = [row for row, tokens in enumerate(unread) if tokens]
        among = range(len(unread)) if self._apart is None else self._apart.rows
        if len(rows) <= APART * len(among):
            self._rejoin()
            self._apart = self._part(rows)
            among = rows
        new_tokens = [unread[row] for row in among]
        if self._apart is None:
            logits, new = self._read(new_tokens, self._seen, self._cache)
            self._seen = torch.cat([self._seen, new], 1)
        else:
            logits, new = self._read(new_tokens, self._apart.seen, self._apart.cache)
            self._apart.seen = torch.cat([self._apart.seen, new], 1)
            self._apart.width += new.shape[1]
        if len(rows) == len(among):
            return logits
        return logits[[place for place, row in enumerate(among) if unread[row]]]

    def _read(
        self, unread: Sequence[Sequence[int]], seen: torch.Tensor, cache: DynamicCache
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits after each row's new tokens, which go into the cache, and which of the new columns are no pads.

        Where nobody has read anything yet, what several rows read in the same words is read once: whole texts, and
        the beginning that all of them share.
        """
        if seen.shape[1]:
            return self._pass(unread, seen, cache)
        texts = list(dict.fromkeys(map(tuple, unread)))
        shared = _shared([text for text in texts if text])
        if shared < SHARED:
            logits, new = self._pass(texts, seen[: len(texts)], cache)
        else:
            head = max(texts, key=len)[:shared]
            self._pass([head], seen[:1], cache)
            cache.batch_repeat_interleave(len(texts))
            read = torch.tensor([bool(text) for text in texts], device=self._device)
            before = read[:, None].expand(len(texts), shared)
            logits, rest = self._pass([text[shared:] for text in texts], before, cache)
            new = torch.cat([before, rest], 1)
        if len(texts) < len(unread):
            place = {text: row for row, text in enumerate(texts)}
            spread = torch.tensor([place[tuple(tokens)] for tokens in unread], device=self._device)
            cache.batch_select_indices(spread)
            logits, new = logits[spread], new[spread]
        return logits, new

    def _pass(
        self, texts: Sequence[Sequence[int]], before: torch.Tensor, cache: DynamicCache
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Let the model read new tokens of each row, padded on the left, in pieces; as `_read` returns it.

        A pass takes memory for every token that it reads at once.

        Args:
            texts: New tokens, one list a row.
            before: Which columns of the cache each row sees.
            cache: Takes the new tokens in.
        """
        width = max(map(len, texts))
        ids, real = np.zeros((len(texts), width), np.int64), np.zeros((len(texts), width), bool)
        for row, tokens in enumerate(texts):
            if tokens:
                ids[row, width - len(tokens) :] = tokens
                real[row, width - len(tokens) :] = True
        new = torch.from_numpy(real).to(self._device)
        mask, read = torch.cat([before, new], 1).long(), torch.from_numpy(ids).to(self._device)
        positions = (before.sum(1, keepdim=True) + new.cumsum(1) - 1).clamp(min=0)
        for first in range(0, width, piece := max(1, READ_AT_ONCE // len(texts))):
            out = self.engine.model(
                input_ids=read[:, first : first + piece],
                attention_mask=mask[:, : before.shape[1] + first + piece],
                position_ids=positions[:, first : first + piece],
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
        return out.logits[:, -1], new

    def _part(self, rows: list[int]) -> _Apart:
        """What these rows have seen, and a cache with their part of the columns that one of them sees."""
        index = torch.tensor(rows, device=self._device)
        seen = self._seen[index]
        columns = seen.any(0).nonzero()[:, 0]
        cache = growing_cache(self.engine.model.config)
        if len(columns):
            for number, (keys, values) in enumerate(_kept(self._cache)):
                cache.update(keys[index][:, :, columns], values[index][:, :, columns], number)
        return _Apart(rows, seen[:, columns], cache)

    @torch.inference_mode()
    def _rejoin(self) -> None:
        """Take over what rows have read apart; the others have zeros there, which they do not see."""
        apart, self._apart = self._apart, None
        if apart is None or not apart.width:
            return
        everyone, index, width = len(self._seen), torch.tensor(apart.rows, device=self._device), apart.width
        for number, (keys, values) in enumerate(_kept(apart.cache)):
            fresh = []
            for states in (keys, values):
                spread = states.new_zeros(everyone, states.shape[1], width, states.shape[3])
                spread[index] = states[:, :, -width:]
                fresh.append(spread)
            self._cache.update(fresh[0], fresh[1], number)
        shown = self._seen.new_zeros(everyone, width)
        shown[index] = apart.seen[:, -width:]
        self._seen = torch.cat([self._seen, shown], 1)


def _kept(cache: DynamicCache) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Keys and values of every layer, shape (rows, heads, columns, width of a head); none before anything was read."""
    found = []
    for layer in cache.layers:
        assert isinstance(layer, DynamicLayer)
        assert layer.keys is not None
        assert layer.values is not None
        found.append((layer.keys, layer.values))
    return found


def _shared(texts: Sequence[tuple[int, ...]]) -> int:
    """With how many tokens all of several texts begin, so that each keeps one to be read by itself; 0 for one text."""
    if len(texts) < 2:
        return 0
    low, high = min(texts), max(texts)  # the others lie between these two, and begin as both do
    most = min(map(len, texts)) - 1
    return next((place for place in range(most) if low[place] != high[place]), most)
