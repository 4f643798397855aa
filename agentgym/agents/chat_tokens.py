"""What policies of tokens share whose words a chat template puts into tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.agents.chat_format import Answers, ChatFormat
from agentgym.agents.policy import TokenPolicy


class ChatTokenPolicy(TokenPolicy):
    """A policy that turns conversations into tokens by a chat format, whoever samples its answers.

    Attributes:
        chat: The format.
    """

    chat: ChatFormat

    def encode_first(self, observation: str, system: str = "", tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """The tokens of the first turn.

        Args:
            observation: What the user says.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the chat template is to tell the model.
        """
        return self.chat.encode_first(observation, system, tools)

    def encode_next(self, observation: str, *, closed: bool) -> list[int]:
        """What a later turn adds to the conversation: the new `observation` and what surrounds it in the template.

        Args:
            observation: What the user says.
            closed: Whether the answer before ended with the end token; otherwise what ends an answer is added first.
        """
        return self.chat.encode_next(observation, closed=closed)

    def encode_conversation(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int]:
        """The tokens of a conversation that begins anew.

        Args:
            seen: Observations, one more than answers.
            said: The answers between them: their tokens, and whether the last one ends them.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the chat template is to tell the model.
        """
        return self.chat.encode_conversation(seen, said, system, tools)

    def encode_more(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int] | None:
        """What a later turn adds, or None where the conversation begins anew since the template rewrites earlier turns.

        Args:
            seen, said, system, tools: The conversation, as `encode_conversation` takes it.
        """
        return self.chat.encode_more(seen, said, system, tools)

    def text(self, token_ids: Sequence[int]) -> str:
        """What tokens say, without special ones."""
        return self.chat.text(token_ids)

    def encode_action(self, action: str) -> list[int]:
        """The tokens of an action, its end token included; `ConfigError` if the tokenizer cannot represent it."""
        return self.chat.encode_action(action)
