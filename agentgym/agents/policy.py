"""What plays: policies that read tokens, messages or the game itself, all asked in batches by the same call.

    policy.open(generators) -> session          a batch of conversations, one row a generator
    session.generate(inputs, rows) -> [Generation]

The runner (`agentgym.rollout.collect`) prepares each input in the form that `policy.reads` names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from agentgym.agents.prompt import BARE, Prompt
from agentgym.core import AgentGymError, BudgetSpent, EndpointError, Message, Reply, Unanswerable

Reads = Literal["tokens", "messages", "view"]


class PolicyFailure(AgentGymError):
    """The policy, not the world, cannot go on with this episode.

    Evaluation records the episode as lost and goes on. An `EndpointError` says that nobody was there to answer: such an
    episode is left out of the figures and counted apart.
    """


class ContextOverflow(PolicyFailure, Unanswerable):
    """A conversation does not fit into the model's context; the episode ends there with the stop `context`."""


FAILURES = (PolicyFailure, EndpointError, BudgetSpent)


@dataclass(frozen=True, slots=True)
class Generation:
    """What a policy said in one turn.

    Attributes:
        text: The answer, decoded once, without special tokens.
        token_ids: The sampled ids; the end token is one of them, unless the token limit came first.
        logprobs: Their log-probabilities, after temperature.
        closed: Whether the last token is the end token.
        entropies: Entropy in nats of the distribution each was sampled from; None if unknown.
        off_policy: Whether tokens were kept from being said, so that these come from another distribution.
        stopped: Whether a text ended it at which an answer stops.
        reply: What a chat model read, wrote and cost; None where none was asked.
        error: Why there is no answer; None if there is one.
        version: Of the weights that sampled it, where the policy's may have moved meanwhile; None for the policy's.
    """

    text: str
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    closed: bool = True
    entropies: tuple[float, ...] | None = None
    off_policy: bool = False
    stopped: bool = False
    reply: Reply | None = None
    error: AgentGymError | None = None
    version: int | None = None


class GenerationSession(Protocol):
    """A batch of conversations under way; rows are numbered by place."""

    def generate(self, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> list[Generation]:
        """Let rows read an input each and answer.

        Args:
            inputs: One a row that answers. For a policy that reads tokens, those that are new since the row last
                spoke; for one that reads messages, the whole conversation; otherwise a `View`.
            rows: Which rows answer, while the others stay silent; None for all.

        Returns:
            One answer an input, in order.
        """

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these, which are numbered anew in the given order.

        Args:
            rows: Rows to keep. One that is named again becomes a second row.
            generators: By new number, the generator of a row that was named again.
        """

    def rewind(self, rows: Sequence[int]) -> None:
        """Take back what these rows read and said in the last `generate`."""

    def reset_rows(self, rows: Sequence[int]) -> None:
        """Let these rows begin again with nothing read."""


class Policy(Protocol):
    """Anything that plays.

    A policy draws random numbers from the generators of its sessions alone and carries nothing from one conversation
    to another, so an episode is the same whichever are played beside it.

    Attributes:
        reads: The form of its input: `tokens` (a model that is given ids and samples ids, a `TokenPolicy`),
            `messages` (a chat model behind words) or `view` (a program).
        prompt: How the world is put into words for it.
        version: Counts the updates of its weights; None where there are none.
    """

    reads: Reads
    prompt: Prompt
    version: int | None

    def open(self, generators: Sequence[np.random.Generator]) -> GenerationSession:
        """Begin a batch of conversations, one a generator; row i draws from `generators[i]` alone."""


class TokenPolicy(Policy, Protocol):
    """A model: tokens in, tokens with log-probabilities out.

    Attributes:
        context_limit: Most tokens a conversation may have.
        max_new_tokens: Most tokens it says in one turn.
        rewrites: Whether its prompts may write earlier turns anew, so that `encode_more` has to be asked.
    """

    context_limit: int
    max_new_tokens: int
    rewrites: bool = False

    def encode_first(self, observation: str, system: str = "", tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """The tokens of the first turn.

        Args:
            observation: What the user says.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the chat template is to tell the model.
        """

    def encode_next(self, observation: str, *, closed: bool) -> list[int]:
        """What a later turn adds to the conversation.

        Args:
            observation: What the user says.
            closed: Whether the answer before ended with the end token.
        """

    def encode_conversation(
        self,
        seen: Sequence[str],
        said: Sequence[tuple[Sequence[int], bool]],
        system: str = "",
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> list[int]:
        """A conversation that begins anew, up to where the next answer begins.

        Args:
            seen: Observations, one more than answers.
            said: The answers between them: their tokens, and whether the last one ends them.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the chat template is to tell the model.
        """
        ids = self.encode_first(seen[0], system, tools)
        for (tokens, closed), after in zip(said, seen[1:], strict=True):
            ids += [*tokens, *self.encode_next(after, closed=closed)]
        return ids

    def encode_more(
        self,
        seen: Sequence[str],
        said: Sequence[tuple[Sequence[int], bool]],
        system: str = "",
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> list[int] | None:
        """What follows the newest answer, or None where the conversation has to begin anew.

        Args:
            seen, said, system, tools: The conversation, as `encode_conversation` takes it.
        """
        return self.encode_next(seen[-1], closed=said[-1][1])

    def encode_action(self, action: str) -> Sequence[int]:
        """The tokens with which it would say an action, its end token included.

        Raises:
            ConfigError: if it cannot say it.
        """

    def text(self, token_ids: Sequence[int]) -> str:
        """What tokens say, without special ones."""


@dataclass(slots=True)
class View:
    """What a player is given when it is to act.

    Attributes:
        env_id: Of the environment.
        player: Its name.
        observation: What it sees.
        info: Its `info`.
        manual: Rules, actions and examples.
        tools: JSON-Schema tools where actions are tool calls; otherwise empty.
        seen: What it has seen since the episode began, the observation last.
        said: What it has said, one fewer.
        ask: Asks the environment something about the player, such as `ask("admissible_actions")`; `oracle_action`
            reads the hidden state.
    """

    env_id: str
    player: str
    observation: str
    info: Mapping[str, Any]
    manual: str
    tools: Sequence[Mapping[str, Any]]
    seen: Sequence[str]
    said: Sequence[str]
    ask: Callable[..., Any]


class ActionPolicy(ABC):
    """A program that plays: from what a player is given to its action. It has no log-probabilities."""

    reads: Reads = "view"
    prompt: Prompt = BARE
    version: int | None = None

    @abstractmethod
    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action.

        Args:
            view: What the player is given.
            rng: The conversation's own generator.

        Raises:
            PolicyFailure, EndpointError: if it cannot go on with this episode.
        """

    def open(self, generators: Sequence[np.random.Generator]) -> ActionSession:
        """Begin a batch of conversations."""
        return ActionSession(self, generators)


class ChatPolicy(ABC):
    """A chat model behind words. It has no log-probabilities and cannot be trained.

    Attributes:
        sees: Whether messages may hold a picture: a PNG file under the key `image`.
        calls: Whether it calls tools natively. Then the first message holds the world's tools under the key `tools`, an
            answer's first call is the action, and what the world says to it has the role `tool`.
        streams: Whether it has `start`, so that each episode goes on as soon as its own answer is there.
    """

    reads: Reads = "messages"
    prompt: Prompt = BARE
    version: int | None = None
    sees: bool = False
    calls: bool = False
    streams: bool = False

    @abstractmethod
    def answer(
        self, conversations: Sequence[Sequence[Message]], seeds: Sequence[int]
    ) -> Sequence[Reply | AgentGymError]:
        """One answer a conversation.

        Args:
            conversations: Each from its system message to the newest observation.
            seeds: One a conversation, below 2**31.

        Returns:
            In order, answers, or why there is none.
        """

    def start(self, conversation: Sequence[Message], seed: int) -> Future[Reply]:
        """Ask without waiting for the answer; for policies that stream.

        Args:
            conversation: From its system message to the newest observation; thoughts that were told apart from an
                answer stand under the key `reasoning`.
            seed: Below 2**31.

        Returns:
            What will hold the answer, or raise one of `FAILURES`.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement start(conversation, seed)")

    def open(self, generators: Sequence[np.random.Generator]) -> ChatSession:
        """Begin a batch of conversations."""
        return ChatSession(self, generators)


class _Stateless(GenerationSession):
    """Rows that hold nothing but their generators."""

    def __init__(self, generators: Sequence[np.random.Generator]):
        self._generators = list(generators)

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these; nothing but generators is kept here.

        Args:
            rows: Rows to keep, in their new order.
            generators: By new number, the generator of a row that was named again; the others keep theirs.
        """
        fresh = generators or {}
        self._generators = [fresh.get(place, self._generators[row]) for place, row in enumerate(rows)]

    def rewind(self, rows: Sequence[int]) -> None:
        """Nothing is kept that could be taken back."""

    def reset_rows(self, rows: Sequence[int]) -> None:
        """Nothing is kept that could be forgotten."""


class ActionSession(_Stateless):
    """Conversations of an `ActionPolicy`, asked one after the other."""

    def __init__(self, policy: ActionPolicy, generators: Sequence[np.random.Generator]):
        super().__init__(generators)
        self._policy = policy

    def generate(self, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> list[Generation]:
        """One action a view; a row whose policy cannot go on answers with the error.

        Args:
            inputs: `View`s, one a row that answers.
            rows: Which rows answer; None for all.
        """
        answering = range(len(self._generators)) if rows is None else rows
        found = []
        for row, view in zip(answering, inputs, strict=True):
            try:
                found.append(Generation(self._policy.act(view, self._generators[row])))
            except (PolicyFailure, EndpointError) as error:
                found.append(Generation("", error=error))
        return found


class ChatSession(_Stateless):
    """Conversations that are sent whole in each turn."""

    def __init__(self, policy: ChatPolicy, generators: Sequence[np.random.Generator]):
        super().__init__(generators)
        self._policy = policy

    def generate(self, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> list[Generation]:
        """One answer a conversation, all of them asked for at once with seeds drawn from the generators of their rows.

        Args:
            inputs: Whole conversations, one a row that answers.
            rows: Which rows answer; None for all.
        """
        answering = range(len(self._generators)) if rows is None else rows
        seeds = [self._seed(row) for row in answering]
        return [generation(reply) for reply in self._policy.answer(inputs, seeds)]

    def start(self, conversation: Sequence[Message], row: int = 0) -> Future[Reply]:
        """Let a row begin to answer, of a policy that streams.

        Args:
            conversation: What it reads.
            row: Which row.
        """
        return self._policy.start(conversation, self._seed(row))

    def _seed(self, row: int) -> int:
        return int(self._generators[row].integers(2**31))


def settled(future: Future[Reply]) -> Reply | AgentGymError:
    """What came of a question: the answer, or why there is none; waits for it."""
    try:
        return future.result()
    except FAILURES as error:
        return error


def generation(reply: Reply | AgentGymError) -> Generation:
    """What a chat model's answer, or the lack of one, is to the runner."""
    return Generation(reply.text, reply=reply) if isinstance(reply, Reply) else Generation("", error=reply)
