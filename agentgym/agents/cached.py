"""Batched multi-turn generation that keeps its key-value caches from turn to turn.

A conversation mostly grows, so what was read or said once stays in a cache; a turn costs its new tokens. Rows of a
cache have new tokens of different number: they are padded on the left, pads are masked out for good, and positions are
counted without them. A row that ends is dropped from the cache, one that branches is copied, one that begins anew or
takes its last exchange back has it masked; columns that no row sees any more are cut out. Conversations that begin
together with the same words, such as a world's manual, have them read once. Rows that have said all that they say in a
turn, or have nothing to say in it, are spared the computation of the others: these go on in a cache of their own, and
come back at the end of the turn.

All rows share a cache while it is small. In a large one, a single row that reads a long text would make pads of the
same length for all others, so there rows of like lengths share, and little more is kept than was read and said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
TOGETHER = 65_536  # tokens, pads counted, up to which all rows share a cache
PADDED = 2  # times the tokens of its rows that a larger cache may have of columns, all rows counted


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


class SharedCache:
    """Rows that share a key-value cache, each known by its place among them.

    `seen` has shape (rows, cached tokens) and is False on pads.

    Args:
        engine: Whose model reads.
        rows: Their numbers in the session, by place.
    """

    def __init__(self, engine: HuggingFaceEngine, rows: Sequence[int]):
        self._engine, self.rows = engine, list(rows)
        self._cache = growing_cache(engine.model.config)
        self._apart: _Apart | None = None
        self._device = engine.model.device
        self._seen = torch.zeros(len(self.rows), 0, dtype=torch.bool, device=self._device)
        self._mark = 0  # columns there were before the last answer

    @property
    def columns(self) -> int:
        """Tokens that it holds of each row, pads counted."""
        return int(self._seen.shape[1])

    @property
    def lengths(self) -> list[int]:
        """Tokens that each row has read and said."""
        found: list[int] = self._seen.sum(1).tolist()
        return found

    def places(self, rows: Sequence[int]) -> list[int]:
        """Where those of some rows stand that are here."""
        wanted = set(rows)
        return [place for place, row in enumerate(self.rows) if row in wanted]

    @torch.inference_mode()
    def take_in(self, rows: Sequence[CachedSequence]) -> None:
        """Hold these conversations, side by side, shorter ones padded on the left.

        Args:
            rows: By place; nothing was read here yet.
        """
        sizes = [row.kept[0][0].shape[2] if row.kept else 0 for row in rows]
        columns = max(sizes, default=0)
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
        self._mark = columns

    @torch.inference_mode()
    def hand_back(self, rows: Sequence[CachedSequence]) -> None:
        """Give every conversation what it has seen, without the pads.

        Args:
            rows: By place.
        """
        self._rejoin()
        for place, row in enumerate(rows if self.columns else ()):
            seen = self._seen[place].nonzero()[:, 0]
            row.kept = [(keys[place : place + 1, :, seen], values[place : place + 1, :, seen])
                        for keys, values in _kept(self._cache)]  # fmt: skip

    def select_rows(self, rows: Sequence[int]) -> None:
        """Drop every row but those that the session keeps.

        Args:
            rows: Of the session, in their new order; each that is named here stays, once for each time.
        """
        where = {row: place for place, row in enumerate(self.rows)}
        kept = [(number, where[row]) for number, row in enumerate(rows) if row in where]
        self._rejoin()
        index = torch.tensor([place for _, place in kept], dtype=torch.long, device=self._device)
        if self.columns:
            self._cache.batch_select_indices(index)
        self._seen = self._seen[index]
        self.rows = [number for number, _ in kept]

    @torch.inference_mode()
    def rewind(self, places: Sequence[int]) -> None:
        """Take back what rows have read and said since `begin`."""
        self._rejoin()
        self._seen[list(places), self._mark :] = False

    @torch.inference_mode()
    def reset(self, places: Sequence[int]) -> None:
        """Let rows begin again with nothing read."""
        self._rejoin()
        self._seen[list(places)] = False

    def begin(self) -> None:
        """Make ready for what is read and said next."""
        self._rejoin()
        self._trim()
        self._mark = self.columns

    def _trim(self) -> None:
        """Cut columns out of the cache that no row sees."""
        columns = self._seen.shape[1]
        if not columns:
            return
        used = self._seen.any(0)
        count = int(used.sum())
        if count == 0:
            self._cache = growing_cache(self._engine.model.config)
            self._seen = self._seen[:, :0]
        elif columns - count > WASTE * columns:
            index = used.nonzero()[:, 0]
            cut = growing_cache(self._engine.model.config)
            for number, (keys, values) in enumerate(_kept(self._cache)):
                cut.update(keys.index_select(2, index), values.index_select(2, index), number)
            self._cache = cut
            self._seen = self._seen[:, index]

    def advance(self, unread: Sequence[Sequence[int]]) -> torch.Tensor:
        """Let the model read new tokens.

        Args:
            unread: By row; nothing for rows that stay as they are.

        Returns:
            Logits after the last of each row that has any, shape (rows, vocabulary).
        """
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
            out = self._engine.model(
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
        cache = growing_cache(self._engine.model.config)
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


class CachedSession(ModelSession):
    """Conversations of one batch and their key-value caches.

    What is pending is the last token that a row sampled, and then the next prompt.
    """

    def __init__(self, engine: HuggingFaceEngine, generators: Sequence[np.random.Generator]):
        super().__init__(engine, generators)
        self._caches = [SharedCache(engine, range(len(self._generators)))]

    def take_in(self, rows: Sequence[CachedSequence]) -> None:
        """Go on with these conversations; see `ModelSession.take_in`."""
        super().take_in(rows)
        sizes = [row.kept[0][0].shape[2] if row.kept else 0 for row in rows]
        self._share(rows, of_like_lengths(sizes))

    def hand_back(self, rows: Sequence[CachedSequence]) -> None:
        """Give every conversation what it has seen; see `ModelSession.hand_back`."""
        super().hand_back(rows)
        for cache in self._caches:
            cache.hand_back([rows[row] for row in cache.rows])

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these, and their part of the caches.

        Args:
            rows: Rows to keep, in their new order. One that is named again gets a copy of what is cached of it.
            generators: By new number, the generator of a row that was named again; the others keep theirs.
        """
        super().select_rows(rows, generators)
        for cache in self._caches:
            cache.select_rows(rows)
        self._caches = [cache for cache in self._caches if cache.rows]

    def rewind(self, rows: Sequence[int]) -> None:
        """Take back what these rows read and said in the last `generate`."""
        super().rewind(rows)
        for cache in self._caches:
            if places := cache.places(rows):
                cache.rewind(places)

    def reset_rows(self, rows: Sequence[int]) -> None:
        """Let these rows begin again with nothing read."""
        super().reset_rows(rows)
        for cache in self._caches:
            if places := cache.places(rows):
                cache.reset(places)

    def _batches(self, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """The rows of each cache, in its order."""
        for cache in self._caches:
            cache.begin()
        self._fit(rows)
        found = [[cache.rows[place] for place in cache.places(rows)] for cache in self._caches]
        return [together for together in found if together]

    def _reader(self, rows: Sequence[int]) -> Reader:
        (cache,) = [cache for cache in self._caches if rows[0] in cache.rows]
        return partial(self._next, cache)

    def _keep(self, row: int, said: Sequence[int]) -> None:
        self._pending[row] = [said[-1]]

    def _next(self, cache: SharedCache, rows: Sequence[int], answers: Mapping[int, SampledTokens]) -> torch.Tensor:
        """Logits of rows of a cache after what is pending, and then after each token that they say."""
        speaking = set(rows)
        return cache.advance(
            [(answers[row].ids[-1:] or self._pending[row]) if row in speaking else [] for row in cache.rows]
        )

    def _fit(self, rows: Sequence[int]) -> None:
        """Let rows share caches anew where what these are about to read and say would be mostly pads otherwise."""
        new = [0] * len(self._pending)
        for row in rows:
            new[row] = len(self._pending[row]) + self.engine.max_new_tokens
        padded = sum(
            len(cache.rows) * (cache.columns + max((new[row] for row in cache.rows), default=0))
            for cache in self._caches
        )
        if padded <= TOGETHER and len(self._caches) == 1:
            return
        read = {row: size for cache in self._caches for row, size in zip(cache.rows, cache.lengths, strict=True)}
        sizes = [read[row] + new[row] for row in range(len(new))]
        groups = of_like_lengths(sizes)
        tight = all(cache.columns == max(cache.lengths) for cache in self._caches)
        same = tight and sorted(groups) == sorted(sorted(cache.rows) for cache in self._caches)
        if same or (padded <= max(TOGETHER, PADDED * sum(sizes)) and len(self._caches) <= len(groups)):
            return
        kept = [CachedSequence(generator) for generator in self._generators]
        for cache in self._caches:
            cache.hand_back([kept[row] for row in cache.rows])
        self._share(kept, groups)

    def _share(self, kept: Sequence[CachedSequence], groups: Sequence[Sequence[int]]) -> None:
        """Put rows into caches.

        Args:
            kept: What each row has read.
            groups: Rows that are to share a cache.
        """
        self._caches = []
        for group in groups:
            cache = SharedCache(self.engine, group)
            cache.take_in([kept[row] for row in group])
            self._caches.append(cache)


def of_like_lengths(sizes: Sequence[int]) -> list[list[int]]:
    """Which rows are to share a cache: all, while it is small; else those of which it holds few pads.

    Args:
        sizes: Tokens of each row.

    Returns:
        Numbers of rows, in ascending order in each group. The columns of a group, all its rows counted, are `PADDED`
        times its tokens at most.
    """
    if len(sizes) * max(sizes, default=0) <= TOGETHER:
        return [list(range(len(sizes)))]
    groups: list[list[int]] = []
    longest = tokens = 0
    for row in sorted(range(len(sizes)), key=lambda row: -sizes[row]):
        if not groups or (len(groups[-1]) + 1) * longest > PADDED * (tokens + sizes[row]):
            groups.append([])
            longest, tokens = sizes[row], 0
        groups[-1].append(row)
        tokens += sizes[row]
    return [sorted(group) for group in groups]


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
