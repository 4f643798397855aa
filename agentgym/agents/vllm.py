"""vLLM servers: token ids in, sampled ids with log-probabilities out, and other weights while they run.

What `vllm serve` answers, and is asked here:

    GET  /v1/models                  the model that it serves, and the most tokens of a sequence
    POST /v1/completions             a prompt of ids; with `return_token_ids` the ids that were read and sampled
    POST /v1/load_lora_adapter       needs --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, as does the next
    POST /v1/unload_lora_adapter
    POST /collective_rpc             `reload_weights` from a folder; needs VLLM_SERVER_DEV_MODE=1, as do the next
    POST /reset_prefix_cache
    POST /sleep, /wake_up            need --enable-sleep-mode too

Nothing is sampled but what the model itself finds likely: parameters that a server takes from a model's
`generation_config.json` are sent with each question. Log-probabilities are asked for after temperature, which a server
tells if it was started with `--logprobs-mode processed_logprobs`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from agentgym.agents.completion import NoCompletion
from agentgym.agents.endpoint import Endpoint, T
from agentgym.core import ConfigError, RequestRefused
from agentgym.core.json_text import read_json

PLAIN = {  # of sampling: nothing but temperature changes what a model finds likely
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
ADAPTERS = "start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"
DEVELOPMENT = "start vLLM with VLLM_SERVER_DEV_MODE=1"
SLEEPING = f"{DEVELOPMENT} and --enable-sleep-mode"
LOADED = "already been loaded"  # what a server says of an adapter that it has
SLACK = 1e-3  # nats that a log-probability may lie above 0, by rounding


@dataclass(frozen=True, slots=True)
class ServedModel:
    """What a server serves.

    Attributes:
        name: Of the model without adapters.
        limit: Most tokens of a sequence.
        names: All that it serves it under; it answers under the first, whichever it was asked by.
    """

    name: str
    limit: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sampled:
    """An answer in tokens.

    Attributes:
        ids: What was sampled, the end token included.
        logprobs: Of each, in nats.
        closed: Whether the last one ends the answer.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    closed: bool


@dataclass(frozen=True)
class Sampling:
    """How answers are sampled.

    Attributes:
        temperature: At 0 the likeliest token is taken.
        max_tokens: Most tokens of an answer.
        ends: Tokens each of which ends it.
        vocabulary: How many tokens there are.
    """

    temperature: float
    max_tokens: int
    ends: Collection[int]
    vocabulary: int


class VLLMServer(Endpoint):
    """A vLLM server, asked with the deadlines, tries, caps and secrets of `Endpoint`.

    Args:
        base_url: Such as `http://localhost:8000/v1`; what it holds of credentials is sent, and stands in no message.
        model: The name under which it serves the model; "" for the one that it names first.
        options: As of `Endpoint`.

    Raises:
        ConfigError: if an argument is out of range, or the address does not end in /v1.
        MissingExtra: if openai or tenacity is not installed.
    """

    purpose: ClassVar[str] = "rollout.engine"

    def __init__(self, base_url: str, model: str = "", **options: Any):
        super().__init__(base_url, model, **options)
        v1 = self._address.shown
        if not v1.endswith("/v1"):
            raise ConfigError(f"base_url of a vLLM server ends in /v1, such as http://localhost:8000/v1, got {v1!r}")
        self.url, self._v1, self._root = f"{v1}/completions", v1, v1.removesuffix("/v1")

    def describe(self) -> ServedModel:
        """What it serves.

        Raises:
            EndpointError: in one line, if it does not say so.
            ConfigError: if it serves no model of the name that was given.
        """
        models = self._do(f"{self._v1}/models", None, self._reading(_read_models))
        for model in models:
            if self._model in ("", model.name):
                return model
        raise ConfigError(f"{self._v1} serves no model {self._model!r}; it serves: {', '.join(models[0].names)}")

    def sample(
        self, prompt: Sequence[int], model: str, seed: int, how: Sampling, names: Collection[str] = ()
    ) -> Future[Sampled]:
        """Sample an answer, without waiting for it.

        Args:
            prompt: Token ids.
            model: Name of the model, or of an adapter.
            seed: Of sampling, and of the waits between tries.
            how: Of sampling.
            names: Others under which that model may answer.

        Returns:
            What will hold the answer, or raise `EndpointError` in one line, or `ContextOverflow`.
        """
        body = {
            "model": model,
            "prompt": list(prompt),
            "max_tokens": how.max_tokens,
            "temperature": how.temperature,
            **PLAIN,
            "seed": seed,
            "stop_token_ids": sorted(how.ends),
            "logprobs": 0,  # of the sampled token alone
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
        }
        read = self._reading(partial(_read_sampled, prompt=prompt, names={model, *names}, how=how))
        return self._thread.submit(self._sampled(body, seed, read))

    def load_adapter(self, name: str, folder: Path) -> None:
        """Let it have low-rank adapters under a name; one of that name which it has already stays.

        Args:
            name: Of the adapters.
            folder: Where `peft` has written them; the server sees it under the same path.

        Raises:
            EndpointError: in one line, if it cannot load them.
        """
        body = {"lora_name": name, "lora_path": str(folder)}
        try:
            self._do(f"{self._v1}/load_lora_adapter", body, bytes, ADAPTERS)
        except RequestRefused as error:
            if LOADED not in str(error):
                raise

    def unload_adapter(self, name: str) -> None:
        """Let it forget adapters, in which nothing is being sampled.

        Args:
            name: Of the adapters.

        Raises:
            EndpointError: in one line, if it has none of that name.
        """
        self._do(f"{self._v1}/unload_lora_adapter", {"lora_name": name}, bytes, ADAPTERS)

    def load_weights(self, folder: Path) -> None:
        """Let it have other weights of the same shape, and forget what it has read under those before.

        Args:
            folder: Where `transformers` has written them; the server sees it under the same path.

        Raises:
            EndpointError: in one line, if it cannot load them.
        """
        options = {"weights_path": str(folder), "is_checkpoint_format": True}
        body = {"method": "reload_weights", "kwargs": options}
        self._do(f"{self._root}/collective_rpc", body, bytes, DEVELOPMENT)
        self._do(f"{self._root}/reset_prefix_cache", {}, bytes, DEVELOPMENT)

    def sleep(self) -> None:
        """Let it give its memory on the device away; its weights are kept in that of the machine.

        Raises:
            EndpointError: in one line, if it cannot.
        """
        self._do(f"{self._root}/sleep", {}, bytes, SLEEPING)

    def wake_up(self) -> None:
        """Let it take its memory again.

        Raises:
            EndpointError: in one line, if it cannot.
        """
        self._do(f"{self._root}/wake_up", {}, bytes, SLEEPING)

    async def _sampled(self, body: Mapping[str, Any], seed: int, read: Callable[[bytes], Sampled]) -> Sampled:
        return (await self._asked(self.url, body, seed, read))[0]

    def _do(self, url: str, body: Mapping[str, Any] | None, read: Callable[[bytes], T], hint: str = "") -> T:
        """Ask, and wait for the answer."""
        return self._thread.submit(self._asked(url, body, 0, read, hint)).result()[0]

    def _reading(self, read: Callable[[Any], T]) -> Callable[[bytes], T]:
        """Reads JSON; what is none, or not what was asked for, ends the question in one line."""

        def reading(body: bytes) -> T:
            try:
                return read(_json(body))
            except NoCompletion as wrong:
                what = str(wrong)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                what = f"it is none of vLLM's answers ({type(error).__name__})"
            raise self._no_completion(
                f"{self._v1} answered amiss", what, body, "check base_url, the model and the version of vLLM"
            )

        return reading

    def _without(self, parameter: str) -> str:
        return "use a newer vLLM"

    def _advice(self, status: int) -> str:
        if status in (401, 403) and not self._address.authorization:
            return "name the variable that holds its key with rollout.engine.api_key_env"
        if status == 404:
            return (
                "check base_url and model; a server that was started again has lost its adapters: start the run again"
            )
        return super()._advice(status)


def open_server(
    base_url: str, model: str, api_key_env: str, timeout: float, retries: int, concurrency: int
) -> VLLMServer:
    """A vLLM server, as the options of a recipe tell it.

    Args:
        base_url, model, timeout, retries, concurrency: As of `VLLMServer`.
        api_key_env: Environment variable with its key; "" for none.

    Raises:
        ConfigError: if the variable is not set, or an option is out of range.
    """
    if api_key_env and not os.environ.get(api_key_env):
        raise ConfigError(f"the environment variable {api_key_env} is not set; put the API key into it")
    key = os.environ.get(api_key_env, "") if api_key_env else ""
    return VLLMServer(base_url, model, api_key=key, timeout=timeout, retries=retries, concurrency=concurrency)


def _json(body: bytes) -> Any:
    """What a body holds.

    Raises:
        NoCompletion: if it is no JSON.
    """
    try:
        return read_json(body)
    except ValueError:
        raise NoCompletion("it is no JSON") from None


def _read_models(told: Any) -> list[ServedModel]:
    """The models of a server, without its adapters, each of which has a parent."""
    bases = [each for each in told["data"] if each.get("parent") is None]
    if not bases:
        raise NoCompletion("it serves no model")
    names = tuple(str(each["id"]) for each in bases)
    return [ServedModel(name, int(each["max_model_len"]), names) for name, each in zip(names, bases, strict=True)]


def _read_sampled(told: Any, prompt: Sequence[int], names: Collection[str], how: Sampling) -> Sampled:
    """The one answer of a completion, which must be of the very tokens that were sent.

    Raises:
        NoCompletion: saying what is wrong with it.
    """
    (choice,) = told["choices"]
    if told["model"] not in names:
        raise NoCompletion(f"the model {min(names)} was asked, and another one answered")
    if choice.get("prompt_token_ids") is None or choice.get("token_ids") is None:
        raise NoCompletion("it tells no token ids (return_token_ids)")
    if list(choice["prompt_token_ids"]) != list(prompt):
        raise NoCompletion("it has read other tokens than it was sent")
    ids = tuple(choice["token_ids"])
    logprobs = tuple(choice["logprobs"]["token_logprobs"])
    if not ids or len(ids) > how.max_tokens or len(ids) != len(logprobs):
        raise NoCompletion(
            f"it has {len(ids)} tokens of at most {how.max_tokens}, and {len(logprobs)} log-probabilities"
        )
    for token in ids:
        if type(token) is not int or not 0 <= token < how.vocabulary:
            raise NoCompletion(f"{token!r} is none of the model's {how.vocabulary:,} tokens")
    if not all(type(each) in (int, float) and math.isfinite(each) and each <= SLACK for each in logprobs):
        raise NoCompletion("a log-probability is no number up to 0")
    reason, closed = choice["finish_reason"], ids[-1] in how.ends
    if any(token in how.ends for token in ids[:-1]):
        raise NoCompletion("it goes on after an end token")
    if reason not in ("stop", "length") or not (closed or (reason == "length" and len(ids) == how.max_tokens)):
        raise NoCompletion(
            f"it ended for the reason {str(reason)[:40]!r} after {len(ids)} tokens, without an end token"
        )
    return Sampled(ids, tuple(min(0.0, float(each)) for each in logprobs), closed)
