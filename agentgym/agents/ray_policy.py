"""A policy whose answers are sampled by actors of Ray, on any machine of a cluster, while its weights are moved here.

Weights travel by the object store: the model once, then after each update the tensors that learn, which are put there
once and read by every actor before it answers next. An actor answers in one batch what has been asked meanwhile, and
each answer carries the version that sampled it: that of the question, or a newer one. An actor that is lost, with its
machine or alone, is replaced by another, which is given the newest weights and asked again what the lost one had not
answered. The seed of an answer is drawn where it was asked, so it does not matter who gives it.
"""

from __future__ import annotations

import copy
import gc
import sys
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.policy import Generation
from agentgym.agents.remote_policy import Pending, RemotePolicy
from agentgym.core import ConfigError, EndpointError
from agentgym.core.rng import stream
from agentgym.vector.pool import START_LIMIT
from agentgym.vector.ray_workers import connected

LOSSES = 5  # actors that one place may lose in a row, nothing answered between
Question = tuple[list[int], int]  # the tokens before an answer, and its seed


@dataclass(frozen=True)
class StoredWeights:
    """Weights in the object store.

    Attributes:
        version: Theirs.
        reference: Of the tensors that learn, by name.
    """

    version: int
    reference: Any


@dataclass
class Unanswered:
    """A question under way.

    Attributes:
        question: What is asked.
        answer: What will hold its `Generation`.
    """

    question: Question
    answer: Future[Generation] = field(default_factory=Future)


class RayPolicy(RemotePolicy):
    """A policy of an engine, sampled by actors that have copies of it.

    Args:
        engine: Whose weights, words and temperature these are.
        actors: How many.
        gpus: Graphics processors of an actor, whole or in part; 0 lets it compute on one CPU.
        batch: Most conversations that an actor answers at once.

    Raises:
        MissingExtra: if ray is not installed.
        ConfigError: if there is no cluster, one of the numbers is out of range, or what the engine says is narrowed.
    """

    def __init__(self, engine: HuggingFaceEngine, actors: int = 1, gpus: float = 0.0, batch: int = 64):
        super().__init__(engine)
        if actors < 1 or batch < 1 or gpus < 0:
            raise ConfigError(f"actors and batch are 1 or more, gpus not negative, got {actors}, {batch}, {gpus}")
        self._ray = connected()
        gc.collect()  # so that the actors of policies that are gone give up their processors
        model = engine.model if engine.model.device.type == "cpu" else copy.deepcopy(engine.model).to("cpu")
        self._queue = _Queue(self._ray, self._ray.put((model, engine.tokenizer)), batch, gpus)
        for _ in range(actors):
            threading.Thread(target=_serve, args=[self._queue], daemon=True).start()
        weakref.finalize(self, self._queue.close)

    @property
    def lost(self) -> int:
        """Actors that were lost, and replaced by others."""
        return self._queue.lost

    def start(self, prompt: Sequence[int], generator: np.random.Generator) -> Pending:
        """Let an actor begin an answer as soon as one is free.

        Args:
            prompt: All tokens before it.
            generator: What its seed, below 2**31, is drawn from.

        Returns:
            What `hear` waits for.
        """
        self.push()
        asked = Unanswered((list(prompt), int(generator.integers(2**31))))
        self._queue.put(asked)
        return Pending(asked.answer)

    def hear(self, pending: Pending) -> Generation:
        """An answer that was begun; see `RemotePolicy.hear`."""
        try:
            said: Generation = pending.future.result()
        except EndpointError as error:
            return Generation("", error=error)
        return said

    def push(self) -> StoredWeights:
        """Put the weights into the object store, unless they are there.

        Returns:
            What actors sample from next.
        """
        weights = self._queue.weights
        if weights is None or weights.version != self.engine.version:
            tensors = {
                name: tensor.detach().to("cpu", copy=True)
                for name, tensor in self.engine.model.named_parameters()
                if tensor.requires_grad
            }
            weights = StoredWeights(self.engine.version, self._ray.put(tensors))
            self._queue.weights = weights
        self._queue.temperature, self._queue.max_new_tokens = self.engine.temperature, self.engine.max_new_tokens
        return weights


class _Queue:
    """What is asked and by which weights it is answered; shared with the threads that each speak to an actor."""

    def __init__(self, ray: Any, parts: Any, batch: int, gpus: float):
        self.ray, self.parts, self.gpus = ray, parts, gpus
        self.weights: StoredWeights | None = None
        self.temperature, self.max_new_tokens = 1.0, 1
        self.lost = 0
        self._batch = batch
        self._asked: deque[Unanswered] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, asked: Unanswered) -> None:
        """Let somebody answer it."""
        with self._changed:
            self._asked.append(asked)
            self._changed.notify()

    def take(self) -> list[Unanswered]:
        """What is asked, as soon as there is something, at most a batch; nothing once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked or self._closed)
            return [self._asked.popleft() for _ in range(min(self._batch, len(self._asked)))]

    def lose(self) -> None:
        """Count an actor that is gone."""
        with self._changed:
            self.lost += 1

    def close(self) -> None:
        """Let the threads end, and their actors with them."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _serve(queue: _Queue) -> None:
    """Let one actor after the other answer what is asked, until the queue is closed."""
    actor: Any = None
    while batch := queue.take():
        losses = 0
        while batch:
            try:
                actor = actor or _begin(queue)
                said = _answers(queue, actor, [asked.question for asked in batch])
            except queue.ray.exceptions.RayTaskError as error:  # a fault of the model, which asking again repeats
                _refuse(batch, error.as_instanceof_cause())
                break
            except queue.ray.exceptions.GetTimeoutError:
                line = f"the cluster had no room for an actor of one CPU and {queue.gpus:g} GPUs for {START_LIMIT:g} s"
                _refuse(batch, EndpointError(f"{line}; take fewer actors, or add a node"))
                break
            except queue.ray.exceptions.RayError as error:
                actor, losses = None, losses + 1
                queue.lose()
                if losses > LOSSES:
                    line = f"{losses} actors were lost one after the other ({type(error).__name__}); see to the cluster"
                    _refuse(batch, EndpointError(line))
                    break
            else:
                for asked, answer in zip(batch, said, strict=True):
                    asked.answer.set_result(answer)
                break


def _refuse(batch: Sequence[Unanswered], error: BaseException) -> None:
    """Let those who asked hear why there is no answer."""
    for asked in batch:
        asked.answer.set_exception(error)


def _begin(queue: _Queue) -> Any:
    """A new actor that stands ready."""
    kind = queue.ray.remote(max_restarts=0, max_task_retries=0, num_cpus=1, num_gpus=queue.gpus)(SamplingActor)
    actor = kind.options(scheduling_strategy="SPREAD").remote(queue.parts, [str(folder) for folder in sys.path])
    queue.ray.get(actor.__ray_ready__.remote(), timeout=START_LIMIT)
    return actor


def _answers(queue: _Queue, actor: Any, questions: Sequence[Question]) -> list[Generation]:
    """What an actor answers under the newest weights."""
    weights = queue.weights
    assert weights is not None, "they are pushed before anything is asked"
    given = weights.version, [weights.reference], queue.temperature, queue.max_new_tokens
    said: list[Generation] = queue.ray.get(actor.answer.remote(questions, *given))
    return said


class SamplingActor:
    """The actor: has a copy of the model, and answers under the weights that it is told of.

    Args:
        parts: Model, on the CPU, and tokenizer.
        path: Where the caller finds modules; folders that exist here as well are looked into.
    """

    def __init__(self, parts: tuple[Any, Any], path: list[str]):
        sys.path += [folder for folder in path if folder not in sys.path and Path(folder).exists()]
        model, tokenizer = parts
        self._engine = HuggingFaceEngine(model.to("cuda" if torch.cuda.is_available() else "cpu").eval(), tokenizer)
        self._version: int | None = None

    def answer(
        self, questions: Sequence[Question], version: int, weights: list[Any], temperature: float, most: int
    ) -> list[Generation]:
        """Answer in one batch.

        Args:
            questions: Tokens and seeds.
            version: Of the weights.
            weights: A reference to them, which is followed only if they are not these already.
            temperature: Of sampling.
            most: Most tokens of an answer.
        """
        if self._version != version:
            self._load(weights[0])
            self._version = version
        engine = self._engine
        engine.temperature, engine.max_new_tokens = temperature, most
        session = engine.open([stream("agents.ray_policy.answer", seed) for _, seed in questions])
        return [replace(answer, version=version) for answer in session.generate([prompt for prompt, _ in questions])]

    @torch.no_grad()
    def _load(self, reference: Any) -> None:
        """Take over the tensors of the object store."""
        tensors = connected().get(reference)
        for name, tensor in self._engine.model.named_parameters():
            if name in tensors:
                tensor.copy_(tensors[name])
