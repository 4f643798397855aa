"""A policy whose answers are sampled elsewhere, while the weights that they come from are moved here.

The engine that is trained puts a world into tokens, and scores what was said; another program, or other machines, have
a copy of the weights, read these very tokens and say which they have sampled, so nothing is ever tokenized again. Each
answer comes from one version of the weights, which it carries.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.agents.chat_tokens import ChatTokenPolicy
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.generation import TokenSession
from agentgym.agents.policy import Generation, Reads
from agentgym.core import ConfigError


@dataclass(frozen=True)
class Pending:
    """An answer under way.

    Attributes:
        future: What will hold it.
        version: Of the weights that sample it; None where the answer says so when it is there.
    """

    future: Future[Any]
    version: int | None = None


class RemotePolicy(ChatTokenPolicy):
    """What policies of an engine share that are sampled elsewhere.

    Args:
        engine: Whose weights, words and temperature these are.

    Attributes:
        context_limit: Most tokens of a conversation.

    Raises:
        ConfigError: if what the engine says is narrowed.
    """

    reads: Reads = "tokens"

    def __init__(self, engine: HuggingFaceEngine):
        if engine.narrowed or engine.stop or engine.constraint is not None:
            raise ConfigError(
                "what is sampled elsewhere is sampled from all tokens; leave out top_p, top_k, stop and the constraint"
            )
        self.engine = engine
        self.chat = engine.chat
        self.context_limit = engine.context_limit

    @property
    def version(self) -> int | None:  # type: ignore[override]
        """Of the weights that sample what is asked next."""
        return self.engine.version

    @property
    def prompt(self) -> Any:  # type: ignore[override]
        """How worlds are put into words for it."""
        return self.engine.prompt

    @property
    def max_new_tokens(self) -> int:  # type: ignore[override]
        """Most tokens of one answer."""
        return self.engine.max_new_tokens

    @property
    def rewrites(self) -> bool:  # type: ignore[override]
        """Whether its prompts may write earlier turns anew."""
        return self.engine.rewrites

    @property
    def calls(self) -> bool:
        """Whether its chat template tells it of a world's tools."""
        return self.engine.calls

    def open(self, generators: Sequence[np.random.Generator]) -> RemoteSession:
        """Begin a batch of conversations; row i draws the seeds of its answers from `generators[i]` alone."""
        return RemoteSession(self, generators)

    @abstractmethod
    def start(self, prompt: Sequence[int], generator: np.random.Generator) -> Pending:
        """Let an answer begin, from the weights as they are now or newer ones.

        Args:
            prompt: All tokens before it.
            generator: What its seed is drawn from.

        Raises:
            EndpointError: in one line, if whoever samples cannot be given the weights.
            ConfigError: if what samples turns out to be another model.
        """

    @abstractmethod
    def hear(self, pending: Pending) -> Generation:
        """An answer that was begun; waits for it.

        Args:
            pending: What `start` returned.

        Returns:
            The answer, or why there is none.
        """

    @abstractmethod
    def push(self) -> Any:
        """Let whoever samples have the weights as they are, unless they have them."""

    def rest(self) -> None:
        """Give memory away until the next question, where it is shared with the trainer."""


class RemoteSession(TokenSession):
    """Conversations of one batch; what is pending of each are all tokens that it has read and said.

    Args:
        policy: Who speaks.
        generators: One a row.
    """

    def __init__(self, policy: RemotePolicy, generators: Sequence[np.random.Generator]):
        super().__init__(generators)
        self._policy = policy

    def generate(self, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> list[Generation]:
        """Send what each row has read, and wait for all answers.

        Args:
            inputs: New tokens of each row that answers; what it read and said before is kept here and sent with them.
            rows: Which rows answer; None for all.
        """
        asked = self._take_prompts(inputs, rows)
        begun = {row: self._policy.start(self._pending[row], self._generators[row]) for row in asked}
        said = {row: self._policy.hear(pending) for row, pending in begun.items()}
        for row, answer in said.items():
            self._pending[row] = [*self._pending[row], *answer.token_ids]
        return [*said.values()]
