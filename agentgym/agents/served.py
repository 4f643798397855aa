"""A policy whose answers a vLLM server samples, while its weights are moved here.

Before anything is asked, the server is given the weights as they are, if they have moved: they are written into a
folder that both see. Low-rank adapters get a name of their own for every version, made of the version and of what the
file holds: a server keeps what it has read by name, and would answer for new weights under an old name from what the
old ones have read (vLLM's issue 42125). What is being sampled under earlier adapters goes on under them; they are
unloaded when nothing is. Where all weights learn, they are loaded over those before, for which answers under way are
waited for.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.policy import FAILURES, Generation
from agentgym.agents.remote_policy import Pending, RemotePolicy
from agentgym.agents.vllm import Sampled, Sampling, VLLMServer
from agentgym.agents.weights import progress_bars
from agentgym.core import ConfigError
from agentgym.core.files import MANIFEST, cannot_write, read_object, remove, whole_folder
from agentgym.core.rng import stream

ADAPTER_FILE = "adapter_model.safetensors"
PROBE, PROBED = "Name a few words that come to your mind.", 16  # tokens of the answer
APART = 0.5  # nats a token, on average, from which on a server samples from other weights, or tells other numbers


@dataclass
class LoadedWeights:
    """Weights that the server has.

    Attributes:
        name: What they are asked by.
        version: Theirs.
        folder: Where they stand on disk.
        asked: Answers that are sampled from them.
    """

    name: str
    version: int
    folder: Path
    asked: set[Future[Sampled]] = field(default_factory=set)

    @property
    def busy(self) -> bool:
        """Whether something is sampled from them."""
        return not all(answer.done() for answer in list(self.asked))

    def wait(self) -> None:
        """Wait until nothing is sampled from them."""
        wait(list(self.asked))


class ServedPolicy(RemotePolicy):
    """A policy of an engine, sampled by a server.

    Args:
        engine: Whose weights, words and temperature these are.
        server: Who samples; it serves the same model, whatever its weights.
        folder: Where weights are left for it; it sees it under the same path.
        shares_device: Whether it sleeps when `rest` is called, and is woken up when it is asked.

    Attributes:
        context_limit: Most tokens of a conversation, for the engine and for the server.

    Raises:
        EndpointError: in one line, if there is no such server.
        ConfigError: if it does not serve the model that is named, or what the engine says is narrowed.
    """

    def __init__(self, engine: HuggingFaceEngine, server: VLLMServer, folder: str | Path, shares_device: bool = False):
        super().__init__(engine)
        self.server, self.folder = server, Path(folder).resolve()
        self._served = server.describe()
        self.context_limit = min(engine.context_limit, self._served.limit)
        self._shares, self._asleep = shares_device, shares_device
        self._vocabulary = int(engine.model.get_input_embeddings().num_embeddings)
        self._loaded: LoadedWeights | None = None
        self._before: list[LoadedWeights] = []  # adapters that the server still has
        self._agrees = False

    def start(self, prompt: Sequence[int], generator: np.random.Generator) -> Pending:
        """Let the server begin an answer, from the weights as they are now.

        Args:
            prompt: All tokens before it.
            generator: What its seed is drawn from.

        Raises:
            EndpointError: in one line, if the server cannot be given the weights.
            DataError: if they cannot be written.
            ConfigError: if the server turns out to tell other numbers than the engine.
        """
        return self._ask(self.push(), prompt, generator, self.max_new_tokens)

    def hear(self, pending: Pending) -> Generation:
        """An answer that was begun; see `RemotePolicy.hear`."""
        try:
            said = pending.future.result()
        except FAILURES as error:
            return Generation("", error=error)
        return Generation(self.text(said.ids), said.ids, said.logprobs, closed=said.closed, version=pending.version)

    def push(self) -> LoadedWeights:
        """Let the server have the weights as they are, unless it has them.

        Returns:
            What it has.

        Raises:
            EndpointError: in one line, if it cannot be given them.
            DataError: if they cannot be written.
            ConfigError: if it tells other numbers than the engine.
        """
        self._wake_up()
        if self._loaded is None or self._loaded.version != self.engine.version:
            self._loaded = self._load(self._loaded)
        if not self._agrees and self.engine.temperature > 0:
            self._check_agreement(self._loaded)
            self._agrees = True
        return self._loaded

    def rest(self) -> None:
        """Let the server give its memory away until it is asked again, if it shares the device with the trainer."""
        if self._shares and not self._asleep and self._loaded is not None:
            self._loaded.wait()
            self.server.sleep()
            self._asleep = True

    def _wake_up(self) -> None:
        if self._asleep:
            self.server.wake_up()
            self._asleep = False

    def _ask(self, loaded: LoadedWeights, prompt: Sequence[int], generator: np.random.Generator, most: int) -> Pending:
        how = Sampling(self.engine.temperature, most, self.engine.chat.ends, self._vocabulary)
        names = self._served.names if loaded.name == self._served.name else ()
        future = self.server.sample(prompt, loaded.name, int(generator.integers(2**31)), how, names)
        loaded.asked.add(future)
        future.add_done_callback(loaded.asked.discard)
        return Pending(future, loaded.version)

    def _load(self, last: LoadedWeights | None) -> LoadedWeights:
        """Let the server have the weights as they are, after others or as the first."""
        version, adapters = self.engine.version, hasattr(self.engine.model, "peft_config")
        folder = self._write(adapters)
        if adapters:
            digest = read_object(folder / MANIFEST)["files"][ADAPTER_FILE]
            loaded = LoadedWeights(f"agentgym-{version}-{digest[:12]}", version, folder)
            self._before += [last] if last is not None else []
            self._forget()
            self.server.load_adapter(loaded.name, folder)
            return loaded
        if last is not None:
            last.wait()
        self.server.load_weights(folder)
        if last is not None and last.folder != folder:
            remove(last.folder)
        return LoadedWeights(self._served.name, version, folder)

    def _write(self, adapters: bool) -> Path:
        """The folder into which the weights have been written, whole."""
        target = self.folder / f"weights-{self.engine.version}"
        options: dict[str, Any] = {"save_embedding_layers": False} if adapters else {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from None
        with whole_folder(target) as folder, progress_bars(shown=False):
            self.engine.model.save_pretrained(folder, **options)
        return target

    def _forget(self) -> None:
        """Let the server forget earlier adapters, but for the newest of them while something is sampled from it.

        So it needs room for two; one that has less drops the oldest by itself, and cannot be told to forget it then.
        """
        kept = [each for each in self._before[-1:] if each.busy]
        for each in self._before[: len(self._before) - len(kept)]:
            each.wait()
            self.server.unload_adapter(each.name)
            remove(each.folder)
        self._before = kept

    def _check_agreement(self, loaded: LoadedWeights) -> None:
        """See that the server finds as likely as the engine does what it samples."""
        prompt, rng = self.encode_first(PROBE), stream("agents.served.probe")
        said = self._ask(loaded, prompt, rng, min(PROBED, self.max_new_tokens)).future.result()
        (scored,) = self.engine.score([prompt], [said.ids])
        apart = sum(abs(mine - told) for mine, told in zip(scored, said.logprobs, strict=True)) / len(scored)
        if apart > APART:
            raise ConfigError(
                f"{self.server.url} finds its tokens {apart:.2f} nats less or more likely than the trainer does, on "
                "average; let it serve the model of the recipe, and start it with --logprobs-mode processed_logprobs"
            )
