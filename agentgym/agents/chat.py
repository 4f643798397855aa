"""Chat models behind words as policies: for evaluation, and for roles that are not trained."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from agentgym.agents.context import WHOLE, Context, SingleTurn, Window
from agentgym.agents.pictures import with_pictures
from agentgym.agents.policy import ChatPolicy, PolicyFailure
from agentgym.agents.prompt import CHAT, Prompt
from agentgym.core import AgentGymError, ConfigError, EndpointError, Message, Reply, TextModel


class EndpointPolicy(ChatPolicy):
    """A `TextModel`, such as `agentgym.agents.endpoint.Endpoint`, as a policy.

    It gives neither tokens nor log-probabilities, so its episodes have no segments.

    Args:
        model: Answers conversations.
        max_tokens: Most tokens of one answer.
        parallel: Questions under way at once.
        prompt: How worlds are put into words for it; by default with the manual, and the last line of an answer is
            the action.
        sees: Whether the model reads pictures; they are sent as parts of the messages.

    Raises:
        ConfigError: for a number out of range.
    """

    def __init__(
        self,
        model: TextModel,
        *,
        max_tokens: int = 512,
        parallel: int = 8,
        prompt: Prompt = CHAT,
        sees: bool = False,
    ):
        if max_tokens < 1 or parallel < 1:
            raise ConfigError(f"max_tokens and parallel must be at least 1, got {max_tokens} and {parallel}")
        self._model, self._max_tokens, self._parallel = model, max_tokens, parallel
        self.prompt, self.sees = prompt, sees

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

        def ask(conversation: Sequence[Message], seed: int) -> Reply | AgentGymError:
            if self.sees:
                conversation = with_pictures(conversation)
            try:
                return self._model.complete(conversation, seed=seed, max_tokens=self._max_tokens)
            except (EndpointError, PolicyFailure) as error:
                return error

        if len(conversations) == 1:
            return [ask(conversations[0], seeds[0])]
        with ThreadPoolExecutor(min(self._parallel, len(conversations))) as pool:
            return list(pool.map(ask, conversations, seeds))


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
