"""A local model that answers questions of several clients, those alike together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from agentgym.agents.policy import Generation
from agentgym.core import AgentGymError
from agentgym.serve.errors import FAILED, Refused

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine

T = TypeVar("T")
TOGETHER = 32  # answers that are sampled in one batch at most
Sampled = tuple[int, str]
"""Version and digest of the weights that sampled."""
Listener = Callable[[int, Sequence[int]], None]
"""Told of each token while an answer is made: number of the answer, and the ids that were said in it so far."""


@dataclass(frozen=True)
class _Waiting:
    prompt: Sequence[int]
    generators: Sequence[np.random.Generator]
    temperature: float
    limit: int
    future: asyncio.Future[tuple[list[Generation], Sampled]]
    listen: Listener | None


class Speaker:
    """Samples in one thread. Questions of equal temperature and token limit that wait are answered in one batch.

    Args:
        engine: The model. Its temperature and token limit become those of each question.
    """

    def __init__(self, engine: HuggingFaceEngine):
        self.engine = engine
        self._limit = engine.max_new_tokens
        self._waiting: list[_Waiting] = []
        self._thread = ThreadPoolExecutor(1)
        self._working: asyncio.Task[None] | None = None
        self._sampled: Sampled = engine.version, engine.weights_digest()

    @property
    def weights(self) -> str:
        """What names the weights that sample, or sampled last."""
        return self._sampled[1]

    def limit(self, asked: int | None, prompt: int) -> int:
        """Most tokens of an answer.

        Args:
            asked: What the client allows; None for the model's own limit.
            prompt: Tokens before it.

        Returns:
            At least 1, or less if the prompt leaves no room.
        """
        return min(self._limit if asked is None else asked, self.engine.context_limit - prompt)

    async def answer(
        self,
        prompt: Sequence[int],
        generators: Sequence[np.random.Generator],
        temperature: float,
        limit: int,
        listen: Listener | None = None,
    ) -> tuple[list[Generation], Sampled]:
        """Sample answers to a prompt; they, and who sampled them.

        Args:
            prompt: Token ids.
            generators: One an answer.
            temperature: Of sampling; at 0 the likeliest token is taken.
            limit: Most tokens of an answer.
            listen: Called in the caller's loop while the answers are made; None for nobody.
        """
        self._loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[list[Generation], Sampled]] = self._loop.create_future()
        self._waiting.append(_Waiting(prompt, generators, temperature, limit, future, listen))
        if self._working is None or self._working.done():
            self._working = self._loop.create_task(self._work())
        return await future

    def alone(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do something while nothing is sampled, such as changing the weights; questions from now on wait for its end.

        Args:
            work: Called in the thread that samples.
        """
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        while self._waiting:
            batch: list[Any] = []
            rows = 0
            for each in list(self._waiting):
                like = (each.temperature, each.limit) == (self._waiting[0].temperature, self._waiting[0].limit)
                if like and (not batch or rows + len(each.generators) <= TOGETHER):
                    batch.append(each)
                    rows += len(each.generators)
            for each in batch:
                self._waiting.remove(each)
            try:
                said, sampled = await self.alone(partial(self._speak, batch))
            except (AgentGymError, RuntimeError) as error:  # a model out of memory ends these questions alone
                for each in batch:
                    if not each.future.done():
                        each.future.set_exception(Refused(FAILED, f"the model failed: {error}"))
                continue
            for each, found in zip(batch, said, strict=True):
                if not each.future.done():
                    each.future.set_result((found, sampled))

    def _speak(self, batch: Sequence[_Waiting]) -> tuple[list[list[Generation]], Sampled]:
        engine = self.engine
        if self._sampled[0] != engine.version:
            self._sampled = engine.version, engine.weights_digest()
        engine.temperature, engine.max_new_tokens = batch[0].temperature, batch[0].limit
        prompts = [each.prompt for each in batch for _ in each.generators]
        rows = [(each.listen, number) for each in batch for number in range(len(each.generators))]

        def hear(row: int, ids: Sequence[int]) -> None:
            """Pass new tokens (`ids`) of a `row` of the batch on to who asked for it, in the event loop's thread."""
            listen, number = rows[row]
            if listen is not None:
                self._loop.call_soon_threadsafe(listen, number, tuple(ids))

        before, engine.on_token = engine.on_token, hear
        try:
            said = engine.open([rng for each in batch for rng in each.generators]).generate(prompts)
        finally:
            engine.on_token = before
        found = iter(said)
        return [[next(found) for _ in each.generators] for each in batch], self._sampled
