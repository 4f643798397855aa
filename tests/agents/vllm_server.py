"""A server of our own that answers the routes of vLLM which training uses, with a real model behind them.

It is not vLLM: it speaks vLLM's protocol as its source and documentation tell it, so that what asks can be tested where
vLLM does not run. It keeps a model of its own, to which weights come from disk alone, and notes what vLLM would not
forgive: weights that are changed under an answer, what was read under other weights, and questions to who sleeps.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import peft
import torch
from safetensors.torch import load_file
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentgym.agents.engine import HuggingFaceEngine

CACHED = 8  # tokens of a prompt by which what was read is known again


class VLLM:
    """The server.

    Args:
        engine: Its own, of which no other has the model.
        name: Of the model.
        key: What `--api-key` says; "" for none.
        raw: Whether it was started without `--logprobs-mode processed_logprobs`.
        development: Whether `VLLM_SERVER_DEV_MODE` is set.
        limit: Its `--max-model-len`.
        slots: Its `--max-loras`: adapters that its engine has at once; the oldest make room for others.
        alias: Another name of the model; it answers under the first.

    Attributes:
        spoil: Changes what it answers to a completion, for tests of what cannot be trusted.
        before: Called before each completion is sampled.
        adapters: Names of those it has.
        orders: The routes that were asked, but for completions, in order.
        asked: By name of the model, completions that were asked of it.
        amiss: By what vLLM would not forgive, how often it happened.
        asleep: Whether it sleeps.
    """

    def __init__(
        self,
        engine: HuggingFaceEngine,
        name: str = "served",
        *,
        key: str = "",
        raw: bool = False,
        development: bool = True,
        limit: int | None = None,
        slots: int = 2,
        alias: str = "",
    ):
        self.engine, self.name, self.key, self.raw = engine, name, key, raw
        self.limit = limit or engine.context_limit
        self.slots, self.names = slots, [name, alias] if alias else [name]
        self._engine_has: list[str] = []
        self.spoil: Callable[[dict[str, Any]], Any] = lambda answer: answer
        self.before: Callable[[], None] = lambda: None
        self.adapters: dict[str, Path] = {}
        self.orders: list[str] = []
        self.asked: Counter[str] = Counter()
        self.amiss: Counter[str] = Counter()
        self.asleep = False
        self._lock, self._under_way = threading.Lock(), Counter[str]()
        self._digests = {name: engine.weights_digest()}  # of the model, and of every adapter there has been
        self._read: dict[tuple[Any, ...], str] = {}  # name and beginning of a prompt: the weights that have read it
        routes = {"load_lora_adapter": self._load, "unload_lora_adapter": self._unload}
        root = {
            "collective_rpc": self._reload, "reset_prefix_cache": self._reset, "sleep": self._sleep,
            "wake_up": self._wake_up,
        }  # fmt: skip
        self.app = Starlette(
            routes=[
                Route("/v1/models", self._models),
                Route("/v1/completions", self._complete, methods=["POST"]),
                *(Route(f"/v1/{path}", self._ordered(path, do), methods=["POST"]) for path, do in routes.items()),
                *(
                    Route(f"/{path}", self._ordered(path, do), methods=["POST"])
                    for path, do in root.items()
                    if development
                ),
            ]
        )

    def _ordered(self, path: str, do: Callable[[Any], Response]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            if refused := self._refuses(request):
                return refused
            self.orders.append(path)
            body = await request.body()
            return await run_in_threadpool(do, json.loads(body) if body else {})

        return answer

    def _refuses(self, request: Request) -> Response | None:
        if (
            self.key
            and request.url.path.startswith("/v1")
            and request.headers.get("authorization") != f"Bearer {self.key}"
        ):
            return JSONResponse({"error": "Unauthorized"}, 401)
        return None

    async def _models(self, request: Request) -> Response:
        if refused := self._refuses(request):
            return refused
        cards: list[dict[str, Any]] = [
            {"id": name, "object": "model", "root": "unused", "parent": None, "max_model_len": self.limit}
            for name in self.names
        ]
        cards += [{"id": name, "object": "model", "root": str(path), "parent": self.name, "max_model_len": None}
                  for name, path in self.adapters.items()]  # fmt: skip
        return JSONResponse({"object": "list", "data": cards})

    async def _complete(self, request: Request) -> Response:
        if refused := self._refuses(request):
            return refused
        body = await request.json()
        body["model"] = self.name if body["model"] in self.names else body["model"]
        name, prompt = body["model"], body["prompt"]
        if name != self.name and name not in self.adapters:
            return _error(f"The model `{name}` does not exist.", "NotFoundError", 404)
        if len(prompt) + body["max_tokens"] > self.limit:
            return _error(f"This model's maximum context length is {self.limit} tokens.", "BadRequestError", 400)
        self._under_way[name] += 1
        try:
            answer = await run_in_threadpool(self._sample, body)
        finally:
            self._under_way[name] -= 1
        spoiled = self.spoil(answer)
        if asyncio.iscoroutine(spoiled):
            spoiled = await spoiled
        return spoiled if isinstance(spoiled, Response) else JSONResponse(spoiled)

    def _sample(self, body: dict[str, Any]) -> dict[str, Any]:
        assert all(type(token) is int for token in body["prompt"]), "a prompt is sent as ids"
        assert set(body["stop_token_ids"]) == self.engine.chat.ends
        assert body["return_token_ids"]
        assert [body[each] for each in ("top_p", "top_k", "min_p", "repetition_penalty")] == [1, 0, 0, 1]
        self.before()
        name, prompt, engine = body["model"], body["prompt"], self.engine
        with self._lock, self._under(name):
            self.amiss["asked while asleep"] += self.asleep
            self.asked[name] += 1
            weights = self._digests[name]
            self.amiss["read under other weights"] += weights != self._read.setdefault(
                (name, *prompt[:CACHED]), weights
            )
            engine.temperature, engine.max_new_tokens = body["temperature"], body["max_tokens"]
            (said,) = engine.open([np.random.default_rng(body["seed"])]).generate([prompt])
            logprobs = list(said.logprobs)
            if self.raw:
                engine.temperature = 1.0
                (logprobs,) = engine.score([prompt], [said.token_ids])
        choice = {
            "index": 0,
            "text": said.text,
            "logprobs": {
                "token_logprobs": [max(each, -9999.0) for each in logprobs],
                "tokens": [f"token_id:{token}" for token in said.token_ids],
            },
            "finish_reason": "stop" if said.closed else "length",
            "stop_reason": None,
            "token_ids": list(said.token_ids),
            "prompt_token_ids": list(prompt),
        }
        return {"id": "cmpl-0", "object": "text_completion", "created": 0, "model": name, "choices": [choice]}

    def _under(self, name: str) -> Any:
        """The model with the adapters of a name, or with none."""
        model: Any = self.engine.model
        if name == self.name:
            return model.disable_adapter() if isinstance(model, peft.PeftModel) else nullcontext()
        model.set_adapter(name)
        return nullcontext()

    def _load(self, body: dict[str, Any]) -> Response:
        name, path = body["lora_name"], Path(body["lora_path"])
        if name in self.adapters:
            said = f"The lora adapter '{name}' has already been loaded. If you want to load the adapter in place, set"
            return _error(f"{said} 'load_inplace' to True.", "InvalidUserInput", 400)
        if not (path / "adapter_config.json").is_file():
            return _error(f"Loading lora {name} failed: No adapter found for {path}", "NotFoundError", 404)
        with self._lock:
            model: Any = self.engine.model
            if isinstance(model, peft.PeftModel):
                model.load_adapter(path, name)
            else:
                self.engine.model = peft.PeftModel.from_pretrained(model, path, adapter_name=name).eval()
            self.adapters[name] = path
            self._engine_has.append(name)
            self.amiss["evicted under an answer"] += sum(
                self._under_way[each] for each in self._engine_has[: -self.slots]
            )
            del self._engine_has[: -self.slots]
            self._digests[name] = hashlib.sha256((path / "adapter_model.safetensors").read_bytes()).hexdigest()
        return Response(f"Success: LoRA adapter '{name}' added successfully.")

    def _unload(self, body: dict[str, Any]) -> Response:
        name = body["lora_name"]
        if name not in self.adapters:
            return _error(f"The lora adapter '{name}' cannot be found.", "NotFoundError", 404)
        if name not in self._engine_has:
            return _error(f"Failed to remove lora adapter '{name}' from the engine.", "InternalServerError", 500)
        self._engine_has.remove(name)
        with self._lock:
            self.amiss["unloaded under an answer"] += self._under_way[name] > 0
            with warnings.catch_warnings():  # it says that another one is active now
                warnings.simplefilter("ignore")
                self.engine.model.delete_adapter(name)
            del self.adapters[name]
        return Response(f"Success: LoRA adapter '{name}' removed successfully.")

    def _reload(self, body: dict[str, Any]) -> Response:
        assert body["method"] == "reload_weights"
        assert body["kwargs"]["is_checkpoint_format"] is True
        with self._lock, torch.no_grad():
            self.amiss["loaded under an answer"] += sum(self._under_way.values()) > 0
            weights = load_file(Path(body["kwargs"]["weights_path"]) / "model.safetensors")
            missing = self.engine.model.load_state_dict(weights, strict=False).missing_keys
            assert set(missing) <= {"lm_head.weight"}, "tied weights are written once"
            self._digests[self.name] = self.engine.weights_digest()
        return JSONResponse({"results": [None]})

    def _reset(self, body: dict[str, Any]) -> Response:
        self._read.clear()
        return Response()

    def _sleep(self, body: dict[str, Any]) -> Response:
        self.amiss["put to sleep under an answer"] += sum(self._under_way.values()) > 0
        self.asleep = True
        return Response()

    def _wake_up(self, body: dict[str, Any]) -> Response:
        self.asleep = False
        return Response()


def _error(message: str, kind: str, status: int) -> Response:
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": status}}, status)
