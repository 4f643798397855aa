"""Engines on disk: models as `transformers` writes them, with the settings of sampling and the prompt beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.prompt import BARE, Prompt
from agentgym.core import ConfigError, DataError
from agentgym.core.grammar import shorten

SETTINGS = "engine.json"


def save_engine(engine: HuggingFaceEngine, folder: Path, weights: Mapping[str, Tensor] | None = None) -> None:
    """Write model, tokenizer, sampling settings and prompt into a folder.

    Args:
        engine: What to write.
        folder: Where; it is there.
        weights: By name, in place of the model's own; None for those.
    """
    with _without_bars():
        engine.model.save_pretrained(folder, state_dict=None if weights is None else dict(weights))
    engine.tokenizer.save_pretrained(folder)
    settings = {
        "temperature": engine.temperature,
        "max_new_tokens": engine.max_new_tokens,
        "version": engine.version,
        "prompt": engine.prompt.record(),
    }
    (folder / SETTINGS).write_text(json.dumps(settings), encoding="utf8")


def load_engine(folder: str | Path) -> HuggingFaceEngine:
    """The engine that `save_engine` wrote.

    Args:
        folder: Where it was written.

    Raises:
        DataError: if the folder is no complete checkpoint.
    """
    folder = Path(folder)
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf8"))
        with _without_bars():
            model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        engine = HuggingFaceEngine(
            model,
            tokenizer,
            temperature=settings["temperature"],
            max_new_tokens=settings["max_new_tokens"],
            prompt=Prompt.from_record(settings["prompt"]),
        )
        engine.version = settings["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder} is no complete checkpoint ({error})") from None
    return engine


def load_pretrained(
    name: str,
    max_new_tokens: int,
    dtype: torch.dtype | str,
    *,
    device: str | None = None,
    temperature: float = 1.0,
    prompt: Prompt = BARE,
) -> HuggingFaceEngine:
    """An engine of weights that `transformers` can load.

    Args:
        name: A folder, or a name that is found in its cache or on its hub.
        max_new_tokens: Most tokens of one answer.
        dtype: Of the weights; `auto` for that of the file.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any.
        temperature: Of sampling.
        prompt: How worlds are put into words for it.

    Raises:
        DataError: if there is no such model.
        ConfigError: if the device cannot be used, or the tokenizer cannot hold a conversation.
    """
    try:
        with _without_bars():
            model: Any = AutoModelForCausalLM.from_pretrained(name, dtype=dtype).eval()
            tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        reason = shorten(" ".join(str(error).split()), 200)
        raise DataError(f"{name!r} is no model folder and cannot be had from the hub: {reason}") from None
    try:
        model = model.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"the device {device!r} cannot be used: {shorten(str(error))}") from None
    return HuggingFaceEngine(model, tokenizer, temperature=temperature, max_new_tokens=max_new_tokens, prompt=prompt)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep transformers from drawing progress bars of its own, and leave its setting as it was."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
