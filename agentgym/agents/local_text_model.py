"""A local model where worlds and wrappers ask for a `TextModel`: to propose, to judge, or to be a simulated user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentgym.agents.hugging_face import hugging_face_policy
from agentgym.core import ConfigError, Message, Reply
from agentgym.core.rng import stream

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine


class LocalTextModel:
    """A model of this machine as a `TextModel`: equal messages and seeds give equal replies.

    Args:
        engine: The model.
    """

    def __init__(self, engine: HuggingFaceEngine):
        self._engine = engine

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """Answer a conversation.

        Args:
            messages: A system message or none, then user and assistant in turn, the last from the user.
            seed: Of sampling.
            max_tokens: The most tokens of the reply.

        Raises:
            ConfigError: for another order of messages, or a conversation that leaves no room for the reply.
        """
        engine = self._engine
        told = [dict(message) for message in messages]
        system = told.pop(0)["content"] if told and told[0]["role"] == "system" else ""
        roles = [message["role"] for message in told]
        if (
            not roles
            or roles != [("user", "assistant")[place % 2] for place in range(len(roles))]
            or len(roles) % 2 == 0
        ):
            raise ConfigError(
                f"a local model answers user and assistant in turn, the user last; got {', '.join(roles)}"
            )
        seen, said = [message["content"] for message in told[::2]], [message["content"] for message in told[1::2]]
        asked = engine.encode_conversation(seen, [(engine.encode_action(text), True) for text in said], system)
        if len(asked) + max_tokens > engine.context_limit:
            raise ConfigError(
                f"{len(asked)} tokens were to be read and {max_tokens} written, but the context is "
                f"{engine.context_limit}; show less"
            )
        engine.max_new_tokens = max_tokens
        (answer,) = engine.open([stream("agents.text_model", seed)]).generate([asked])
        reason = "stop" if answer.closed or answer.stopped else "length"
        return Reply(answer.text, len(asked), len(answer.token_ids), finish_reason=reason)


def local_text_model(
    *, model: str, temperature: float = 1.0, device: str | None = None, adapter: str | None = None
) -> LocalTextModel:
    """A local model for arguments such as `model="agentgym.agents.local_text_model:local_text_model"`.

    Args:
        model: `smollm2`, or a folder, a GGUF file or a hub id.
        temperature: Of sampling; 0 takes the likeliest token each time.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any.
        adapter: A folder with low-rank adapters; None for none.

    Raises:
        DataError, ConfigError, MissingExtra: as `hugging_face_policy` does.
    """
    return LocalTextModel(hugging_face_policy(model=model, temperature=temperature, device=device, adapter=adapter))
