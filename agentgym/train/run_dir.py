"""What a run leaves on disk: lines appended as they happen, and checkpoints that appear whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.pretrained import save_engine
from agentgym.core import ConfigError, DataError
from agentgym.rollout.lines import read_lines

__all__ = ["Run", "read_lines"]


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
        save_engine(engine, partial)
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
