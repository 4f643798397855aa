"""A policy without a model: it answers by a function and counts who is in the batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.agents import Generation, Prompt
from agentgym.agents.policy import Reads, TokenPolicy

END = 0


class Scripted(TokenPolicy):
    """Speaks the characters of a word as tokens; tokens are code points, `END` ends an answer.

    Args:
        answer: From everything a row has read since its last answer, and its generator, to a word.
    """

    reads: Reads = "tokens"
    version: int | None = 7
    max_new_tokens = 8

    def __init__(
        self,
        answer: Callable[[str, np.random.Generator], str],
        context_limit: int = 1000,
        prompt: Prompt = Prompt(),  # noqa: B008 (frozen)
    ):
        self.answer, self.prompt = answer, prompt
        self.context_limit = context_limit
        self.batches: list[int] = []
        self.read: list[str] = []  # what a row had read whenever it spoke
        self.entropy: Callable[[str], float] | None = None

    def encode_first(self, observation: str, system: str = "", tools: Any = ()) -> list[int]:
        return [ord(character) for character in f"{system}<{observation}>"]

    def encode_next(self, observation: str, *, closed: bool) -> list[int]:
        return ([] if closed else [END]) + self.encode_first(observation)

    def text(self, token_ids: Sequence[int]) -> str:
        return "".join(map(chr, token_ids)).replace(chr(END), "")

    def encode_action(self, action: str) -> list[int]:
        return [*map(ord, action), END]

    def open(self, generators: Sequence[np.random.Generator]) -> _Talk:
        return _Talk(self, list(generators))


class _Talk:
    def __init__(self, player: Scripted, generators: list[np.random.Generator]):
        self.player, self.generators = player, generators
        self.read: list[list[str]] = [[] for _ in generators]  # of each row, what it read since it began anew

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        fresh = generators or {}
        self.generators = [fresh.get(place, self.generators[row]) for place, row in enumerate(rows)]
        self.read = [self.read[row].copy() for row in rows]

    def rewind(self, rows: Sequence[int]) -> None:
        for row in rows:
            self.read[row].pop()

    def reset_rows(self, rows: Sequence[int]) -> None:
        for row in rows:
            self.read[row].clear()

    def generate(self, inputs: Sequence[Sequence[int]], rows: Sequence[int] | None = None) -> list[Generation]:
        speaking = range(len(self.generators)) if rows is None else rows
        self.player.batches.append(len(inputs))
        said = []
        for row, new in zip(speaking, inputs, strict=True):
            generator, read = self.generators[row], self.read[row]
            read.append("".join(map(chr, new)))
            self.player.read.append("".join(read))
            word = self.player.answer(read[-1], generator)
            ids = [ord(character) for character in word] + [END]
            closed = len(ids) <= self.player.max_new_tokens
            ids = ids[: self.player.max_new_tokens]
            surprise = self.player.entropy
            entropies = None if surprise is None else tuple(surprise(read[-1]) for _ in ids)
            said.append(Generation(word, tuple(ids), tuple(-0.5 for _ in ids), closed, entropies))
        return said


def echo(prompt: str, generator: np.random.Generator) -> str:
    """The first word of what was shown: always right."""
    return prompt.strip("\x00<>").split()[0]
