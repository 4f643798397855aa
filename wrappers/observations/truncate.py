"""`Truncate`: observations of at most so many tokens."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core.checks import check_count
from agentgym.wrappers._tokens import token_spans
from agentgym.wrappers.base import Info, TextWrapper

WORDS = "agentgym.wrappers._tokens:word_spans"


class Truncate(TextWrapper):
    """Cuts the middle out of observations that have too many tokens, with a marker that counts what was cut.

    Changes: observations only; `info` gains `cut_tokens` (int).

    Args:
        env: A world that answers text.
        tokens: Most tokens of an observation, the marker included; at least 16.
        tokenizer: Path of a `tokenizer.json` of Hugging Face tokenizers, or `module:function` of a function that gives
            `(begin, end)` of each token of a text; by default words and punctuation marks are counted.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Truncate
    >>> env = Truncate(gym.make("AgentGym/Household-v1"), tokens=32)
    >>> text, info = env.reset(seed=0)
    >>> print(text.splitlines()[-2])
    [... 249 tokens cut ...]
    """

    names_files: ClassVar[frozenset[str]] = frozenset({"tokenizer"})

    def __init__(self, env: gym.Env[Any, Any], *, tokens: int = 1_024, tokenizer: str = WORDS):
        tokens = check_count("tokens", tokens, 16)
        super().__init__(env, extra_length=64, tokens=tokens, tokenizer=tokenizer)
        self.tokens = tokens
        self._spans = token_spans(tokenizer)

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first `observation`, cut; `info` says by how many tokens. No `note` is needed."""
        return self.show(observation, info, note)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The `observation`, cut; `info` says by how many tokens. No `note` is needed."""
        text, info["cut_tokens"] = self._cut(observation)
        return text

    def _cut(self, text: str) -> tuple[str, int]:
        """The text with at most `tokens` tokens, and how many were cut."""
        spans = self._spans(text)
        if len(spans) <= self.tokens:
            return text, 0
        keep = self.tokens - 10
        while True:
            first, last = (keep + 1) // 2, keep // 2
            cut = len(spans) - first - last
            begin = spans[first - 1][1] if first else 0
            end = spans[len(spans) - last][0] if last else len(text)
            short = f"{text[:begin]}\n[... {cut} tokens cut ...]\n{text[end:]}"
            count = len(self._spans(short))
            if count <= self.tokens or keep == 0:
                return short, cut
            keep = max(0, keep - (count - self.tokens))  # the marker, or a seam that makes more tokens
