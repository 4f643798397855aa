"""The Hugging Face engine: a causal language model as a policy, and what learners ask of one beside answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from agentgym.agents.cached import CachedSession, keeps_everything
from agentgym.agents.chat_rewriting import chat_format
from agentgym.agents.chat_tokens import ChatTokenPolicy
from agentgym.agents.generation import at_least_single
from agentgym.agents.policy import Reads
from agentgym.agents.prompt import BARE, Prompt
from agentgym.agents.rereading import RereadingSession
from agentgym.core import ConfigError

SCORED = 16_384  # tokens, pads counted, that are scored at once
DIGESTED = 1024  # numbers of each tensor that stand for it in a digest
UNBOUNDED = 2**20  # tokens, where neither a model nor its tokenizer says how many it reads
Constraint = Callable[[Sequence[int], Sequence[int]], Sequence[int] | None]


class HuggingFaceEngine(ChatTokenPolicy):
    """A causal language model and its tokenizer as a policy.

    Args:
        model: A `transformers` causal language model.
        tokenizer: Its tokenizer, with a chat template.
        temperature: Of sampling; log-probabilities are taken after it. At 0 the likeliest token is taken each time,
            and log-probabilities are those at temperature 1.
        max_new_tokens: Most tokens of one answer, the end token included.
        prompt: How worlds are put into words for it.
        calls: Whether its chat template tells it of a world's tools, for it to call them in the way it was taught.

    Attributes:
        version: Number of updates its weights have had; the trainer counts it up.
        context_limit: Most tokens of a conversation.
        on_token: None, or what listens while it speaks: called after each token with the number of the row and the ids
            that the row has said so far in this turn.
        keep_tokens: Whether records of what it plays hold the ids that it read and said.
        constraint: None, or which tokens may be said next: from those read in this turn and those said in it to the
            allowed ids, or None for all. Log-probabilities and entropies stay those of the free policy, and a turn in
            which something was forbidden is marked off-policy.
        top_p, top_k, stop: As `narrow` set them.

    Raises:
        ConfigError: for a temperature or token limit out of range, or a tokenizer that cannot hold a conversation.
    """

    reads: Reads = "tokens"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        temperature: float = 1.0,
        max_new_tokens: int = 8,
        prompt: Prompt = BARE,
        calls: bool = False,
    ):
        if not temperature >= 0:
            raise ConfigError(f"temperature must not be negative, got {temperature!r}")
        if max_new_tokens < 1:
            raise ConfigError(f"max_new_tokens must be at least 1, got {max_new_tokens!r}")
        self.model = model
        self.tokenizer = tokenizer
        self.temperature = temperature
        self.max_new_tokens = max_new_tokens
        self.prompt = prompt
        self.chat = chat_format(tokenizer, _stops(model))
        self.rewrites = self.chat.rewrites
        self.calls = calls
        if calls:
            self.chat.check_tools()
        self.context_limit = _context_limit(model, tokenizer)
        self._session = CachedSession if keeps_everything(model.config) else RereadingSession
        self.version = 0
        self.keep_tokens = False
        self.constraint: Constraint | None = None
        self.top_p, self.top_k = 1.0, 0
        self.stop: tuple[str, ...] = ()
        self.on_token: Callable[[int, Sequence[int]], None] | None = None

    def narrow(self, top_p: float | None = None, top_k: int | None = None, stop: Sequence[str] = ()) -> None:
        """Let it say likely tokens alone, and end an answer at a text.

        Log-probabilities and entropies stay those of the whole distribution; what is said under `top_p` or `top_k` is
        marked off-policy. An answer that stops at a text has the tokens that spell it, and is heard without it.

        Args:
            top_p: Of sampling: the likeliest tokens whose chances add up to this; None for all.
            top_k: Of sampling: so many of the likeliest tokens; None for all.
            stop: Texts at each of which an answer ends.

        Raises:
            ConfigError: if one of them is out of range or has no effect.
        """
        if top_p is not None and not 0 < top_p <= 1:
            raise ConfigError(f"top_p must be above 0 and at most 1, got {top_p}")
        if top_k is not None and top_k < 1:
            raise ConfigError(f"top_k must be at least 1, got {top_k}; leave it out for all tokens")
        if self.temperature == 0 and (top_p is not None or top_k is not None):
            raise ConfigError("top_p and top_k have no effect at temperature 0, where the likeliest token is taken")
        if isinstance(stop, str) or not all(isinstance(text, str) and text for text in stop):
            raise ConfigError(f"stop must be a list of texts, none of them empty, got {stop!r}")
        self.top_p, self.top_k, self.stop = top_p or 1.0, top_k or 0, tuple(stop)

    @property
    def narrowed(self) -> bool:
        """Whether only likely tokens are said."""
        return self.top_k > 0 or self.top_p < 1

    def ends_with_stop(self, token_ids: Sequence[int]) -> bool:
        """Whether one of the texts at which an answer ends has just been spelled out.

        Args:
            token_ids: What was said in the turn, token by token; it is asked after each.
        """
        longest = max(len(text.encode()) for text in self.stop)  # a token spells at least a byte of a text
        said = self.tokenizer.decode(token_ids[-longest - 1 :], skip_special_tokens=True)
        return any(text in said for text in self.stop)

    def open(self, generators: Sequence[np.random.Generator]) -> CachedSession | RereadingSession:
        """Begin a batch of conversations; row i samples with `generators[i]` alone."""
        return self._session(self, generators)

    @torch.inference_mode()
    def weights_digest(self) -> str:
        """What tells these weights from others: the SHA-256, in hex, of evenly spaced numbers of every tensor.

        Numbers are read in float32, so that weights loaded in another type of equal values have the same digest. A
        gradient step changes it; it is no protection against weights that somebody has made to collide.
        """
        digest = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            flat = tensor.detach().reshape(-1)
            digest.update(f"{name} {tuple(tensor.shape)}\n".encode())
            digest.update(flat[:: max(1, len(flat) // DIGESTED)].float().cpu().numpy().tobytes())
        return digest.hexdigest()

    @torch.inference_mode()
    def score(self, prompts: Sequence[Sequence[int]], continuations: Sequence[Sequence[int]]) -> list[list[float]]:
        """Log-probability of each token of each continuation after its prompt, at the engine's temperature.

        Args:
            prompts: Token ids, at least one each.
            continuations: Token ids, one list a prompt; may be empty.
        """
        if len(prompts) != len(continuations):
            raise ConfigError(f"{len(prompts)} prompts came with {len(continuations)} continuations; give one each")
        if not all(map(len, prompts)):
            raise ConfigError("a prompt to score after is empty; it needs at least one token")
        sizes = [len(prompt) + len(after) for prompt, after in zip(prompts, continuations, strict=True)]
        if max(sizes, default=0) > self.context_limit:
            raise ConfigError(f"{max(sizes)} tokens are to be scored, but the context is {self.context_limit}")
        found: list[list[float]] = [[] for _ in prompts]
        rows: list[int] = []
        for row in sorted((row for row in range(len(prompts)) if continuations[row]), key=lambda row: sizes[row]):
            if rows and sizes[row] * (len(rows) + 1) > SCORED:
                self._score(rows, prompts, continuations, found)
                rows = []
            rows.append(row)
        if rows:
            self._score(rows, prompts, continuations, found)
        return found

    def _score(
        self,
        rows: Sequence[int],
        prompts: Sequence[Sequence[int]],
        continuations: Sequence[Sequence[int]],
        found: list[list[float]],
    ) -> None:
        """One batch, padded on the left so that logits are needed only at the end."""
        texts = [[*prompts[row], *continuations[row]] for row in rows]
        width, tail = max(map(len, texts)), max(len(continuations[row]) for row in rows)
        ids, real = np.zeros((len(rows), width), np.int64), np.zeros((len(rows), width), np.int64)
        for place, text in enumerate(texts):
            ids[place, width - len(text) :] = text
            real[place, width - len(text) :] = 1
        device = self.model.device
        mask = torch.from_numpy(real).to(device)
        read = torch.from_numpy(ids).to(device)
        logits = self.model(
            input_ids=read,
            attention_mask=mask,
            position_ids=(mask.cumsum(1) - 1).clamp(min=0),
            use_cache=False,
            logits_to_keep=tail + 1,
        ).logits[:, :-1]
        logprobs = torch.log_softmax(at_least_single(logits) / self.temperature, -1)
        chosen = logprobs.gather(2, read[:, width - tail :, None])[:, :, 0].tolist()
        for place, row in enumerate(rows):
            found[row] = chosen[place][tail - len(continuations[row]) :]


def _stops(model: Any) -> list[int]:
    """Tokens at which the model stops by itself, as its generation config says."""
    config = getattr(model, "generation_config", None)
    stops = getattr(config, "eos_token_id", None)
    return [stops] if isinstance(stops, int) else list(stops or ())


def _context_limit(model: Any, tokenizer: Any) -> int:
    """Most tokens of a conversation: the model's positions, or where it has none, what its tokenizer says."""
    limit: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return limit or min(int(tokenizer.model_max_length), UNBOUNDED)
