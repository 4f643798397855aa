"""What a run leaves on disk: lines appended as they happen, and checkpoints that appear whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from agentgym.core import ConfigError, DataError
from agentgym.rollout.lines import read_lines
from agentgym.train.engine import HuggingFaceEngine

__all__ = ["Run", "load_engine", "load_pretrained", "read_lines", "save_weights"]


class Run:
    """A folder of JSON lines and checkpoints.

    Every record is on disk before the next step begins, so an interrupted run keeps all updates and episodes that were
    finished.

    Args:
        folder: Made if it is not there.

    Raises:
        ConfigError: if the folder holds the lines of an earlier run, which would be mixed with the new ones.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        if any(self.folder.glob("*.jsonl")):
            raise ConfigError(f"{self.folder} holds an earlier run; choose another folder or remove it")
        self.folder.mkdir(parents=True, exist_ok=True)

    @classmethod
    def again(cls, folder: str | Path) -> Run:
        """The run that an earlier process began in `folder`, to be gone on with."""
        run = cls.__new__(cls)
        run.folder = Path(folder)
        if not run.folder.is_dir():
            raise ConfigError(f"there is no run in {run.folder}; check the path")
        return run

    def lengths(self) -> dict[str, int]:
        """Bytes of every file of lines."""
        return {file.name: file.stat().st_size for file in sorted(self.folder.glob("*.jsonl"))}

    def cut(self, lengths: Mapping[str, int]) -> None:
        """Forget the lines written after `lengths` were taken.

        Raises:
            DataError: if a file is shorter than it was then.
        """
        for name, wanted in lengths.items():
            file = self.folder / name
            if not file.exists() or file.stat().st_size < wanted:
                raise DataError(f"{file} has lost lines that its checkpoint counts on; begin the run anew")
        for file in self.folder.glob("*.jsonl"):
            if file.name in lengths and file.stat().st_size == lengths[file.name]:
                continue
            if file.name in lengths:
                os.truncate(file, lengths[file.name])
            else:
                file.unlink()

    def append(self, name: str, record: Mapping[str, Any]) -> None:
        """Write one line to `NAME.jsonl`.

        Args:
            name: Of the file, without its ending.
            record: JSON-safe data without NaN.
        """
        with (self.folder / f"{name}.jsonl").open("a", encoding="utf8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")

    def save(self, engine: HuggingFaceEngine, name: str) -> Path:
        """Write model, tokenizer and sampling settings to a folder; it takes its name only when it is complete.

        Args:
            engine: Policy and tokenizer.
            name: Of the folder within the run's.
        """
        target, partial = self.folder / name, self.folder / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        save_weights(engine, partial)
        for file in partial.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        old = self.folder / f".{name}.old"
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        partial.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        return target


def save_weights(engine: HuggingFaceEngine, folder: Path, weights: Mapping[str, Tensor] | None = None) -> None:
    """Write model, tokenizer and sampling settings into a folder; `weights` in place of the model's own if given.

    Args:
        engine: Policy and tokenizer.
        folder: Where to; it must exist.
        weights: By name, in place of the model's own.
    """
    with _without_bars():
        engine.model.save_pretrained(folder, state_dict=None if weights is None else dict(weights))
    engine.tokenizer.save_pretrained(folder)
    settings = {
        "temperature": engine.temperature,
        "max_new_tokens": engine.max_new_tokens,
        "version": engine.version,
    }
    (folder / "engine.json").write_text(json.dumps(settings), encoding="utf8")


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


def load_engine(folder: str | Path) -> HuggingFaceEngine:
    """The engine that `Run.save` wrote.

    Raises:
        DataError: if the folder is no complete checkpoint.
    """
    folder = Path(folder)
    try:
        settings = json.loads((folder / "engine.json").read_text(encoding="utf8"))
        with _without_bars():
            model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        engine = HuggingFaceEngine(
            model, tokenizer, temperature=settings["temperature"], max_new_tokens=settings["max_new_tokens"]
        )
        engine.version = settings["version"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{folder} is no complete checkpoint ({error})") from None
    return engine


def load_pretrained(name: str, max_new_tokens: int, dtype: torch.dtype) -> HuggingFaceEngine:
    """An engine of weights that `transformers` can load: a folder, or a name it finds in its cache or on its hub.

    Args:
        name: A folder, or a name on the hub.
        max_new_tokens: Most tokens of one answer.
        dtype: Of the weights.

    Raises:
        DataError: if there is no such model.
    """
    try:
        with _without_bars():
            model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype).eval()
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise DataError(f"the model {name!r} cannot be loaded ({str(error).splitlines()[0]})") from None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return HuggingFaceEngine(model.to(device), tokenizer, max_new_tokens=max_new_tokens)
