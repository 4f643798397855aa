"""What collection needs of a language policy; `agentgym.train.HuggingFaceEngine` is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Speech:
    """What a policy said in one turn.

    Attributes:
        text: The action, decoded once, without special tokens.
        token_ids: The sampled ids; the end token is one of them, unless the token limit came first.
        logprobs: Their log-probabilities, after temperature.
        closed: Whether the last token is the end token.
    """

    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    closed: bool


class Dialogue(Protocol):
    """A batch of conversations under way; rows are numbered by place."""

    def speak(self, prompts: Sequence[Sequence[int]]) -> list[Speech]:
        """Let every row read its prompt, the tokens that are new since it last spoke, and answer."""

    def keep(self, rows: Sequence[int]) -> None:
        """Drop every row but these; they are numbered anew in the given order."""


class Policy(Protocol):
    """A player that reads and writes tokens.

    Attributes:
        version: Counts the updates of its weights.
        context_limit: Most tokens a conversation may have.
        max_new_tokens: Most tokens it says in one turn.
    """

    version: int
    context_limit: int
    max_new_tokens: int

    def opening(self, observation: str) -> list[int]:
        """The prompt of the first turn."""

    def following(self, observation: str, *, closed: bool) -> list[int]:
        """What a later turn adds to the conversation; `closed` as in the speech before."""

    def open(self, generators: Sequence[np.random.Generator]) -> Dialogue:
        """Begin a batch of conversations, one a generator; row i draws from `generators[i]` alone."""
