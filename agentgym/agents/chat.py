"""Chat models behind words as policies: for evaluation, and for roles that are not trained."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from agentgym.agents.budget import Budget
from agentgym.agents.context import WHOLE, Context, SingleTurn, Window
from agentgym.agents.endpoint import Endpoint
from agentgym.agents.pictures import with_pictures
from agentgym.agents.policy import ChatPolicy, settled
from agentgym.agents.prompt import CHAT, Prompt
from agentgym.core import AgentGymError, ConfigError, Message, Reply, TextModel, ToolCall
from agentgym.core.prose import without_thinking


class EndpointPolicy(ChatPolicy):
    """A `TextModel`, such as `agentgym.agents.endpoint.Endpoint`, as a policy.

    It gives neither tokens nor log-probabilities, so its episodes have no segments.

    What a model thought is kept in transcripts. Of earlier answers it is shown again what follows the last `</think>`;
    of an answer that ended before that tag, nothing.

    Args:
        model: Answers conversations.
        max_tokens: Most tokens of one answer.
        parallel: Questions under way at once, where the model itself asks one at a time; an `Endpoint` has its own
            `concurrency`.
        prompt: How worlds are put into words for it; by default with the manual, and the last line of an answer is
            the action.
        sees: Whether the model reads pictures; they are sent as parts of the messages.
        calls: Whether the world's tools are offered to the model, which calls them natively; for an `Endpoint`. The
            first call of an answer is played and the others are left out; an answer without one is read as words.
        keep_thinking: Whether it is shown its earlier thoughts as well.

    Raises:
        ConfigError: for a number out of range, or tools for a model that cannot call them.
    """

    streams = True

    def __init__(
        self,
        model: TextModel,
        *,
        max_tokens: int = 512,
        parallel: int = 8,
        prompt: Prompt = CHAT,
        sees: bool = False,
        calls: bool = False,
        keep_thinking: bool = False,
    ):
        if max_tokens < 1 or parallel < 1:
            raise ConfigError(f"max_tokens and parallel must be at least 1, got {max_tokens} and {parallel}")
        if calls and not isinstance(model, Endpoint):
            raise ConfigError(f"a {type(model).__name__} is offered no tools; leave out calls, or use an Endpoint")
        self._model, self._max_tokens = model, max_tokens
        self._threads = None if isinstance(model, Endpoint) else ThreadPoolExecutor(parallel)  # starts them when asked
        self.prompt, self.sees, self.calls, self._keep_thinking = prompt, sees, calls, keep_thinking

    @property
    def budget(self) -> Budget | None:
        """What may be spent; None if nobody counts."""
        return self._model.budget if isinstance(self._model, Endpoint) else None

    def start(self, conversation: Sequence[Message], seed: int) -> Future[Reply]:
        """Ask without waiting.

        Args:
            conversation: From its system message to the newest observation.
            seed: Of sampling.
        """
        tools: Sequence[Mapping[str, Any]] = conversation[0].get("tools", ())  # type: ignore[assignment]
        messages = [self._sent(message) for message in conversation]
        if self.sees:
            messages = with_pictures(messages)
        if isinstance(self._model, Endpoint):
            return self._model.start(messages, seed=seed, max_tokens=self._max_tokens, tools=tools)
        assert self._threads is not None
        return self._threads.submit(self._model.complete, messages, seed=seed, max_tokens=self._max_tokens)

    def answer(
        self, conversations: Sequence[Sequence[Message]], seeds: Sequence[int]
    ) -> Sequence[Reply | AgentGymError]:
        """Ask for all answers, several at once; they come back in order.

        Args:
            conversations: Each from its system message to the newest observation.
            seeds: One a conversation.

        Returns:
            Answers; where the model has none after all its tries, what it said instead.
        """
        asked = [self.start(talk, seed) for talk, seed in zip(conversations, seeds, strict=True)]
        try:
            return [settled(future) for future in asked]
        finally:
            for future in asked:
                future.cancel()

    def _sent(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A message without what is not for the model."""
        sent = {key: value for key, value in message.items() if key not in ("tools", "reasoning")}
        if message["role"] != "assistant":
            return sent
        if self._keep_thinking:
            return {**sent, "reasoning_content": message["reasoning"]} if message.get("reasoning") else sent
        return {**sent, "content": without_thinking(sent["content"])}


def said_message(text: str, reply: Reply | None, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """An earlier answer as a message.

    Args:
        text: What was said.
        reply: What came with it, if a chat model said it.
        calls: The calls that it made. Arguments that are no JSON object are shown as none, since servers refuse such a
            conversation; the world has said what was wrong with them.
    """
    message: dict[str, Any] = {"role": "assistant", "content": text or (reply.refusal if reply else "")}
    if reply and reply.reasoning:
        message["reasoning"] = reply.reasoning
    if calls:
        message["tool_calls"] = [shown_call(call) for call in calls]
    return message


def shown_call(call: ToolCall) -> dict[str, Any]:
    """A call as chat interfaces write it; arguments that are no JSON object count as none, as they did when played.

    Args:
        call: As the model wrote it.
    """
    given = json.loads(call.action)["arguments"]
    function = {"name": call.name, "arguments": json.dumps(given if isinstance(given, dict) else {})}
    return {"id": call.id, "type": "function", "function": function}


def window_context(window: int | None) -> Context:
    """The context mode of the option `window`.

    Args:
        window: Earlier turns that are shown besides the current one; None for all.

    Raises:
        ConfigError: if it is negative.
    """
    if window is None:
        return WHOLE
    if window < 0:
        raise ConfigError(f"window must be at least 0 turns, got {window}")
    return Window(window) if window else SingleTurn()


def chat_prompt(
    window: int | None = None, system: str = "", prompt: str = "", max_prompt_tokens: int | None = None
) -> Prompt:
    """How a chat model is asked that is shown the manual and ends its answer with its action.

    Args:
        window: See `window_context`.
        system: Words with which the system message begins, or all of it where there is a prompt.
        prompt: A Jinja template of what is shown in a turn, in place of a conversation; see `agentgym.agents.template`.
        max_prompt_tokens: Most tokens that are shown in a turn; the oldest turns are left out first. None for no limit
            but the model's own. Where the model's tokens cannot be counted, `estimated_tokens` of
            `agentgym.rollout.wording` are meant.

    Raises:
        ConfigError: if a number is out of range, or the template is none.
    """
    context = window_context(window)
    return Prompt(True, "last_line", context, system, prompt, most_tokens=max_prompt_tokens)
