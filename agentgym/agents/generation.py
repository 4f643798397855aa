"""The one loop in which a model speaks: reads, samples with a constraint, and is listened to, token by token.

What is kept of what was read is the session's business: a cache (`agentgym.agents.cached`) or nothing at all
(`agentgym.agents.rereading`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch

from agentgym.agents.policy import Generation, GenerationSession
from agentgym.core import ConfigError

if TYPE_CHECKING:
    from agentgym.agents.chat_format import ChatFormat
    from agentgym.agents.engine import HuggingFaceEngine


def at_least_single(logits: torch.Tensor) -> torch.Tensor:
    """Logits in float32, or in float64 if they are in that: a softmax in fewer bits is too coarse."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


class SampledTokens:
    """What a row has said so far in a turn."""

    __slots__ = ("bound", "entropies", "ids", "logprobs", "stopped")

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.entropies: list[float] = []
        self.bound = self.stopped = False

    def say(self, token: int, logprob: float, entropy: float, *, bound: bool) -> None:
        """Take a token down.

        Args:
            token: Its id.
            logprob: Of the free policy, in nats.
            entropy: Of the distribution it was drawn from, in nats.
            bound: Whether something was forbidden.
        """
        self.ids.append(token)
        self.logprobs.append(logprob)
        self.entropies.append(entropy)
        self.bound |= bound

    def generation(self, chat: ChatFormat, stop: Sequence[str] = ()) -> Generation:
        """The whole answer, in the words of a chat format.

        Args:
            chat: The format.
            stop: Texts of which the first ends what is heard of it.
        """
        ids, text = tuple(self.ids), chat.text(self.ids)
        for each in stop:
            text = text.partition(each)[0]
        return Generation(
            text, ids, tuple(self.logprobs), ids[-1] in chat.ends, tuple(self.entropies), self.bound, self.stopped
        )


class CachedSequence:
    """A conversation between two turns, apart from those it was answered with: what a session takes in and hands back.

    Args:
        generator: What it draws from.

    Attributes:
        pending: Tokens that the model has to read before it says more.
        kept: Of every layer, keys and values of what it has read, shape (1, heads, tokens, width of a head); empty
            where nothing was read or nothing is kept.
        version: Of the weights that have read it.
    """

    __slots__ = ("generator", "kept", "pending", "version")

    def __init__(self, generator: np.random.Generator):
        self.generator = generator
        self.pending: list[int] = []
        self.kept: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.version = 0


Reader: TypeAlias = Callable[[Sequence[int], Mapping[int, SampledTokens]], torch.Tensor]
"""Reads what rows have not read: what is pending, and then the last token of each row's answer.

Called with the rows that go on and with what all rows have said so far; gives the logits of the former, in order, shape
(rows, vocabulary).
"""


class TokenSession(GenerationSession):
    """Conversations of one batch, and what of each is to be read before more is said.

    `pending[row]` are tokens of the row that the model has to read before it says more.

    Args:
        generators: One a row.
    """

    def __init__(self, generators: Sequence[np.random.Generator]):
        self._generators = list(generators)
        self._pending: list[list[int]] = [[] for _ in self._generators]
        self._held = self._pending  # as it was before the last answer

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these.

        Args:
            rows: Rows to keep, in their new order. One that is named again becomes a second row that has read the same.
            generators: By new number, the generator of a row that was named again; the others keep theirs.
        """
        fresh = generators or {}
        self._generators = [fresh.get(place, self._generators[row]) for place, row in enumerate(rows)]
        self._pending = [self._pending[row] for row in rows]
        self._held = [self._held[row] for row in rows]

    def rewind(self, rows: Sequence[int]) -> None:
        """Take back what these rows read and said in the last `generate`."""
        for row in rows:
            self._pending[row] = self._held[row]

    def reset_rows(self, rows: Sequence[int]) -> None:
        """Let these rows begin again with nothing read."""
        for row in rows:
            self._pending[row] = []

    def _take_prompts(self, inputs: Sequence[Sequence[int]], rows: Sequence[int] | None) -> dict[int, Sequence[int]]:
        """Note what rows are to read; by row."""
        self._held = self._pending.copy()
        asked = dict(zip(range(len(self._pending)) if rows is None else rows, inputs, strict=True))
        for row, prompt in asked.items():
            self._pending[row] = [*self._pending[row], *prompt]
        return asked


class ModelSession(TokenSession):
    """Conversations of one batch with a model: how they are drawn, whatever is kept of what was read.

    Args:
        engine: Whose model speaks.
        generators: One a row.
    """

    def __init__(self, engine: HuggingFaceEngine, generators: Sequence[np.random.Generator]):
        super().__init__(generators)
        self.engine = engine

    def take_in(self, rows: Sequence[CachedSequence]) -> None:
        """Go on with conversations that were handed back before, here or in other sessions, in place of fresh ones.

        Args:
            rows: One for each row of a session that has read nothing yet; they were read by the weights as they are.
        """
        self._pending = [row.pending for row in rows]

    def hand_back(self, rows: Sequence[CachedSequence]) -> None:
        """Set down in what `take_in` was given how far its conversations have come; the session ends with that.

        Args:
            rows: The same.
        """
        for row, pending in zip(rows, self._pending, strict=True):
            row.pending, row.version = pending, self.engine.version

    @abstractmethod
    def _batches(self, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        """Which of the rows that are to answer are read together."""

    @abstractmethod
    def _reader(self, rows: Sequence[int]) -> Reader:
        """What reads for a batch."""

    @abstractmethod
    def _keep(self, row: int, said: Sequence[int]) -> None:
        """Set down what is pending when a row has spoken."""

    @torch.inference_mode()
    def generate(self, inputs: Sequence[Sequence[int]], rows: Sequence[int] | None = None) -> list[Generation]:
        """Read the new tokens of each row and sample one answer a row; with `rows`, the others stay silent.

        Args:
            inputs: Token ids, one list a row that answers.
            rows: Which rows answer; None for all.
        """
        asked = self._take_prompts(inputs, rows)
        answers = {row: SampledTokens() for row in asked}
        for together in self._batches(list(asked)):
            self._speak(together, asked, answers)
        for row, answer in answers.items():
            self._keep(row, answer.ids)
        return [answer.generation(self.engine.chat, self.engine.stop) for answer in answers.values()]

    def _speak(
        self, rows: Sequence[int], asked: Mapping[int, Sequence[int]], answers: Mapping[int, SampledTokens]
    ) -> None:
        """Let rows answer token by token, each until its end token."""
        engine, read = self.engine, self._reader(rows)
        for _ in range(engine.max_new_tokens):
            logits = read(rows, answers)
            allowed = [engine.constraint(asked[row], answers[row].ids) for row in rows] if engine.constraint else None
            generators = [self._generators[row] for row in rows]
            drawn = sample(logits, engine.temperature, generators, allowed, engine.top_p, engine.top_k)
            for place, (row, token, logprob, entropy) in enumerate(zip(rows, *drawn, strict=True)):
                bound = engine.narrowed or (allowed is not None and allowed[place] is not None)
                answers[row].say(token, logprob, entropy, bound=bound)
                if engine.on_token:
                    engine.on_token(row, answers[row].ids)
            if engine.stop:
                for row in rows:
                    answers[row].stopped = engine.ends_with_stop(answers[row].ids)
            rows = [row for row in rows if answers[row].ids[-1] not in engine.chat.ends and not answers[row].stopped]
            if not rows:
                return


@torch.inference_mode()
def sample(
    logits: torch.Tensor,
    temperature: float,
    generators: Sequence[np.random.Generator],
    allowed: Sequence[Sequence[int] | None] | None = None,
    top_p: float = 1.0,
    top_k: int = 0,
) -> tuple[list[int], list[float], list[float]]:
    """One token a row by inverting its distribution function with its own generator.

    Args:
        logits: Shape (rows, vocabulary).
        temperature: Above 0; at 0 the likeliest token is taken, and the rest is that of temperature 1.
        generators: One a row.
        allowed: Of each row the only tokens that may be said, or None for all.
        top_p, top_k: Of these only the likeliest: see `likeliest`.

    Returns:
        Tokens, and the free policy's log-probabilities of them and entropies, in nats.
    """
    logprobs = torch.log_softmax(at_least_single(logits) / (temperature or 1.0), -1)
    chances = logprobs.double().exp()
    entropies = -(chances * logprobs).sum(-1)
    for place, ids in enumerate(allowed or ()):
        if ids is not None:
            chances[place] = _only(chances[place], ids)
    if temperature == 0:
        best = chances.argmax(-1, keepdim=True)
        return best[:, 0].tolist(), logprobs.gather(1, best)[:, 0].tolist(), entropies.tolist()
    if top_k or top_p < 1:
        chances = likeliest(chances, top_p, top_k)
    mass = chances.cumsum(-1)
    drawn = torch.tensor([[rng.random()] for rng in generators], dtype=torch.double)
    target = drawn.to(mass.device) * mass[:, -1:]
    tokens = torch.searchsorted(mass, target, right=True).clamp(max=mass.shape[1] - 1)
    chosen = logprobs.gather(1, tokens)
    return tokens[:, 0].tolist(), chosen[:, 0].tolist(), entropies.tolist()


def likeliest(chances: torch.Tensor, top_p: float, top_k: int) -> torch.Tensor:
    """Chances of the likeliest tokens of each row, and 0 for the others.

    Args:
        chances: Shape (rows, vocabulary).
        top_p: Of those that `top_k` leaves, the likeliest whose chances add up to this share, one more than reaches it
            at most (nucleus sampling, Holtzman et al. 2020, arXiv:1904.09751); 1 leaves all.
        top_k: How many at most (Fan et al. 2018, arXiv:1805.04833); 0 for all.
    """
    ordered, ids = chances.sort(dim=-1, descending=True, stable=True)
    if top_k:
        ordered[:, top_k:] = 0
    before = ordered.cumsum(-1) - ordered
    ordered[before >= top_p * ordered.sum(-1, keepdim=True)] = 0
    return torch.zeros_like(chances).scatter(1, ids, ordered)


def _only(chances: torch.Tensor, ids: Sequence[int]) -> torch.Tensor:
    """The chances of these tokens; equal ones if the policy gives them none at all.

    Raises:
        ConfigError: if no token is allowed.
    """
    if not ids:
        raise ConfigError("the constraint allows no token; let it allow the end token when nothing may follow")
    index = torch.tensor(list(ids), device=chances.device)
    kept = torch.zeros_like(chances)
    kept[index] = chances[index]
    if kept.sum() == 0:
        kept[index] = 1.0
    return kept
