"""The Hugging Face engine: batched multi-turn generation that keeps its key-value cache from turn to turn.

A conversation only ever grows, so what was read or said once stays in the cache; a turn costs its new tokens. Rows of
a batch have new tokens of different number: they are padded on the left, pads are masked out for good, and positions
are counted without them. A row that ends is dropped from the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from agentgym.core import ConfigError
from agentgym.rollout import Speech
from agentgym.train.chat import ChatFormat


class HuggingFaceEngine:
    """A causal language model and its tokenizer as a policy.

    Args:
        model: A `transformers` causal language model.
        tokenizer: Its tokenizer, with a chat template.
        temperature: Of sampling; log-probabilities are taken after it.
        max_new_tokens: Most tokens of one answer, the end token included.

    Attributes:
        version: Number of updates its weights have had; the trainer counts it up.
        context_limit: Most tokens of a conversation.

    Raises:
        ConfigError: for a temperature or token limit out of range, or a tokenizer that cannot hold a conversation.
    """

    def __init__(self, model: Any, tokenizer: Any, *, temperature: float = 1.0, max_new_tokens: int = 8):
        if not temperature > 0:
            raise ConfigError(f"temperature must be above 0, got {temperature!r}")
        if max_new_tokens < 1:
            raise ConfigError(f"max_new_tokens must be at least 1, got {max_new_tokens!r}")
        self.model = model
        self.tokenizer = tokenizer
        self.temperature = temperature
        self.max_new_tokens = max_new_tokens
        self.chat = ChatFormat(tokenizer)
        self.context_limit: int = model.config.max_position_embeddings
        self.version = 0

    def opening(self, observation: str) -> list[int]:
        """The prompt of the first turn."""
        return self.chat.opening(observation)

    def following(self, observation: str, *, closed: bool) -> list[int]:
        """What a later turn adds to the conversation."""
        return self.chat.following(observation, closed=closed)

    def open(self, generators: Sequence[np.random.Generator]) -> CachedDialogue:
        """Begin a batch of conversations; row i samples with `generators[i]` alone."""
        return CachedDialogue(self, generators)


class CachedDialogue:
    """Conversations of one batch and their shared key-value cache.

    `seen` has shape (rows, cached tokens) and is False on pads; `pending[row]` are tokens of the row that the model has
    not read yet: the last one it sampled, and then the next prompt.
    """

    def __init__(self, engine: HuggingFaceEngine, generators: Sequence[np.random.Generator]):
        self.engine = engine
        self._generators = list(generators)
        self._cache = DynamicCache(config=engine.model.config)
        self._device = engine.model.device
        self._seen = torch.zeros(len(self._generators), 0, dtype=torch.bool, device=self._device)
        self._pending: list[list[int]] = [[] for _ in self._generators]

    def keep(self, rows: Sequence[int]) -> None:
        """Drop every row but these."""
        index = torch.tensor(list(rows), dtype=torch.long, device=self._device)
        self._cache.batch_select_indices(index)
        self._seen = self._seen[index]
        self._generators = [self._generators[row] for row in rows]
        self._pending = [self._pending[row] for row in rows]

    @torch.inference_mode()
    def speak(self, prompts: Sequence[Sequence[int]]) -> list[Speech]:
        """Read one prompt a row and sample one answer a row."""
        end = self.engine.chat.end
        ids: list[list[int]] = [[] for _ in prompts]
        logprobs: list[list[float]] = [[] for _ in prompts]
        open_rows = list(range(len(prompts)))
        unread = [pending + list(prompt) for pending, prompt in zip(self._pending, prompts, strict=True)]
        for said in range(1, self.engine.max_new_tokens + 1):
            logits = self._advance(unread)
            tokens, chances = self._sample(logits, open_rows)
            unread = [[] for _ in prompts]
            for row, token, chance in zip(open_rows, tokens, chances, strict=True):
                ids[row].append(token)
                logprobs[row].append(chance)
                self._pending[row] = [token]
                unread[row] = [token]
            open_rows = [row for row in open_rows if ids[row][-1] != end]
            if not open_rows or said == self.engine.max_new_tokens:
                break
            for row in open_rows:
                self._pending[row] = []
            unread = [unread[row] if row in set(open_rows) else [] for row in range(len(prompts))]
        return [
            Speech(self.engine.chat.text(said), tuple(said), tuple(chances), said[-1] == end)
            for said, chances in zip(ids, logprobs, strict=True)
        ]

    def _advance(self, unread: Sequence[Sequence[int]]) -> torch.Tensor:
        """Let the model read new tokens of every row; logits after the last, shape (rows, vocabulary)."""
        width = max(map(len, unread))
        ids = np.zeros((len(unread), width), np.int64)
        real = np.zeros((len(unread), width), bool)
        for row, tokens in enumerate(unread):
            if tokens:
                ids[row, width - len(tokens) :] = tokens
                real[row, width - len(tokens) :] = True
        new = torch.from_numpy(real).to(self._device)
        before = self._seen.sum(1, keepdim=True)
        self._seen = torch.cat([self._seen, new], 1)
        positions = (before + new.cumsum(1) - 1).clamp(min=0)
        out = self.engine.model(
            input_ids=torch.from_numpy(ids).to(self._device),
            attention_mask=self._seen.long(),
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: torch.Tensor = out.logits[:, -1]
        return logits

    def _sample(self, logits: torch.Tensor, rows: Sequence[int]) -> tuple[list[int], list[float]]:
        """One token a row by inverting its distribution function, each row with its own generator."""
        logprobs = torch.log_softmax(logits[list(rows)].float() / self.engine.temperature, -1)
        mass = logprobs.double().exp().cumsum(-1)
        dice = torch.tensor([[self._generators[row].random()] for row in rows], dtype=torch.double)
        target = dice.to(mass.device) * mass[:, -1:]
        tokens = torch.searchsorted(mass, target, right=True).clamp(max=mass.shape[1] - 1)
        chances = logprobs.gather(1, tokens)
        return tokens[:, 0].tolist(), chances[:, 0].tolist()
