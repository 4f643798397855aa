"""What a run leaves on disk: lines appended as they happen, and checkpoints that appear whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from agentgym.core import ConfigError, DataError
from agentgym.train.engine import HuggingFaceEngine


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

    def append(self, name: str, record: Mapping[str, Any]) -> None:
        """Write one line to `NAME.jsonl`."""
        with (self.folder / f"{name}.jsonl").open("a", encoding="utf8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")

    def save(self, engine: HuggingFaceEngine, name: str) -> Path:
        """Write model, tokenizer and sampling settings to a folder; it takes its name only when it is complete."""
        target, partial = self.folder / name, self.folder / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        with _without_bars():
            engine.model.save_pretrained(partial)
        engine.tokenizer.save_pretrained(partial)
        settings = {
            "temperature": engine.temperature,
            "max_new_tokens": engine.max_new_tokens,
            "version": engine.version,
        }
        (partial / "engine.json").write_text(json.dumps(settings), encoding="utf8")
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


def read_lines(path: str | Path) -> list[dict[str, Any]]:
    """The records of a JSON-lines file; a last line cut off by a kill is left out.

    Raises:
        DataError: if the file is missing, or another line is no JSON.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf8").split("\n")
    except FileNotFoundError:
        raise DataError(f"there is no file {path}; the run has not recorded anything yet") from None
    records = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise DataError(f"{path}, line {number}, is no JSON ({error})") from None
    return records


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
