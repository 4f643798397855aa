"""Engines on disk: models as `transformers` writes them, with the settings of sampling and the prompt beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer

from agentgym.agents.chat_rewriting import chat_format
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.prompt import BARE, Prompt
from agentgym.agents.weights import find_weights, progress_bars
from agentgym.core import ConfigError, DataError, require
from agentgym.core.grammar import shorten

SETTINGS, ADAPTERS = "engine.json", "adapter_config.json"
WEIGHTLESS = "meta"  # the device of a model that has shapes and no values


def save_engine(engine: HuggingFaceEngine, folder: Path, weights: Mapping[str, Tensor] | None = None) -> None:
    """Write model, tokenizer, sampling settings and prompt into a folder; of a model with adapters these alone.

    Args:
        engine: What to write.
        folder: Where; it is there.
        weights: By name, in place of the model's own; None for those.
    """
    with progress_bars(shown=False):
        options: dict[str, Any] = {"save_embedding_layers": False} if hasattr(engine.model, "peft_config") else {}
        engine.model.save_pretrained(folder, state_dict=None if weights is None else dict(weights), **options)
    engine.tokenizer.save_pretrained(folder)
    settings = {
        "temperature": engine.temperature,
        "max_new_tokens": engine.max_new_tokens,
        "version": engine.version,
        "dtype": str(engine.model.dtype).removeprefix("torch."),
        "prompt": engine.prompt.record(),
    }
    (folder / SETTINGS).write_text(json.dumps(settings), encoding="utf8")


def load_engine(folder: str | Path, device: str | None = None) -> HuggingFaceEngine:
    """The engine that `save_engine` wrote.

    Args:
        folder: Where it was written.
        device: Where it goes; see `placed`.

    Raises:
        DataError: if the folder is no complete checkpoint.
        ConfigError: if the device cannot be used.
    """
    folder = Path(folder)
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf8"))
        with progress_bars(shown=False):
            model = _saved_model(folder, settings["dtype"], device)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        engine = HuggingFaceEngine(
            placed(model, device),
            tokenizer,
            temperature=settings["temperature"],
            max_new_tokens=settings["max_new_tokens"],
            prompt=Prompt.from_record(settings["prompt"]),
        )
        engine.version = settings["version"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{folder} is no complete checkpoint ({error})") from None
    return engine


def _saved_model(folder: Path, dtype: str, device: str | None) -> Any:
    """The model that was saved: whole, or adapters with the weights they stand on."""
    options = {"dtype": dtype, "local_files_only": True, **_unread(device)}
    if not (folder / ADAPTERS).is_file():
        return AutoModelForCausalLM.from_pretrained(folder, **options).eval()
    base = json.loads((folder / ADAPTERS).read_text(encoding="utf8"))["base_model_name_or_path"]
    peft = require("peft", extra="train", purpose="a run with adapters")
    model = AutoModelForCausalLM.from_pretrained(base, **options)
    if device == WEIGHTLESS:
        return peft.get_peft_model(model, peft.PeftConfig.from_pretrained(folder)).eval()
    return peft.PeftModel.from_pretrained(model, folder).eval()


def _unread(device: str | None) -> dict[str, str]:
    """What lets `transformers` leave weights unread where nobody wants their values."""
    return {"device_map": WEIGHTLESS} if device == WEIGHTLESS else {}


def load_pretrained(
    name: str,
    max_new_tokens: int,
    dtype: torch.dtype | str,
    *,
    device: str | None = None,
    temperature: float = 1.0,
    prompt: Prompt = BARE,
    adapter: str | None = None,
    calls: bool = False,
) -> HuggingFaceEngine:
    """An engine of pretrained weights.

    Args:
        name: `smollm2`, a GGUF file, a folder, or a name on the hub; see `find_weights`.
        max_new_tokens: Most tokens of one answer.
        dtype: Of the weights; `auto` for that of the file.
        device: Where it goes; see `placed`. On `meta` a model has shapes alone, and no weights are read.
        temperature: Of sampling.
        prompt: How worlds are put into words for it.
        adapter: A folder with low-rank adapters as `peft` writes them, which are added into the weights; None for none.
        calls: See `HuggingFaceEngine`.

    Raises:
        DataError: if there is no such model, or the adapter is none or of another model.
        ConfigError: if the device cannot be used, or the tokenizer cannot hold a conversation.
        MissingExtra: if a package that it needs is not installed.
    """
    found = find_weights(name)
    tokenizer = had(name, partial(AutoTokenizer.from_pretrained, found))
    chat = chat_format(tokenizer)  # before the weights, which may take minutes
    if calls:
        chat.check_tools()
    model = had(name, partial(AutoModelForCausalLM.from_pretrained, found, dtype=dtype, **_unread(device))).eval()
    if adapter is not None and device != WEIGHTLESS:  # it changes no shape
        model = _adapted(model, adapter)
    return HuggingFaceEngine(
        placed(model, device),
        tokenizer,
        temperature=temperature,
        max_new_tokens=max_new_tokens,
        prompt=prompt,
        calls=calls,
    )


def placed(model: Any, device: str | None = None) -> Any:
    """The model where it is to compute.

    Args:
        model: Of torch.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any, of several devices the one of this process's
            number on its machine.

    Raises:
        ConfigError: if the device cannot be used.
    """
    if device is None:
        device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"
    try:
        return model.to(device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"the device {device!r} cannot be used: {shorten(str(error))}") from None


def had(name: str, load: Callable[[], Any]) -> Any:
    """What transformers loads for a model of this name.

    Args:
        name: Of the model, for the message.
        load: Loads it.

    Raises:
        DataError: if it cannot.
    """
    try:
        with progress_bars(shown=False):
            return load()
    except (OSError, ValueError, SafetensorError) as error:
        reason = shorten(" ".join(str(error).split()), 200)
        raise DataError(f"{name!r} is no model folder and cannot be had from the hub: {reason}") from None


def _adapted(model: Any, adapter: str) -> Any:
    """The model with low-rank adapters added into its weights.

    Raises:
        DataError: if the folder holds no adapters, or those of another model.
    """
    peft = require("peft", extra="train", purpose="an adapter")
    if not (Path(adapter) / ADAPTERS).is_file():
        raise DataError(f"{adapter} holds no adapter (no {ADAPTERS}); give a folder that peft has written")
    try:
        return peft.PeftModel.from_pretrained(model, adapter).merge_and_unload().eval()
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        reason = shorten(" ".join(str(error).split()), 200)
        raise DataError(f"the adapter {adapter} does not fit the model: {reason}") from None
