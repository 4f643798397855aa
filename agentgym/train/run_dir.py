"""What a run leaves on disk: lines appended as they happen, and checkpoints that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor

from agentgym.agents.address import without_credentials
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.pretrained import save_engine
from agentgym.core import ConfigError, DataError
from agentgym.core.files import MANIFEST, read_object, whole_folder
from agentgym.core.lines import read_lines
from agentgym.rollout.record_folder import RecordFolder

__all__ = ["RECIPE", "Run", "lines_of", "read_lines"]

RECIPE = "recipe.json"


class Run(RecordFolder):
    """A folder of JSON lines and checkpoints, held by one process at a time.

    Every record is on disk before the next step begins, so an interrupted run keeps all updates and episodes that were
    finished. No record holds NaN.

    Args:
        folder: Made if it is not there.
        recipe: The run's; a folder with a run of the same recipe is gone on with. None for a run of no recipe, which
            needs a folder without records. Addresses in it are stored without credentials.

    Raises:
        ConfigError: if the folder holds another run, cannot be written, or another process writes to it.
    """

    own: ClassVar[tuple[str, ...]] = ("*.jsonl",)  # notes of algorithms are of any name
    advice: ClassVar[str] = "choose another folder, or give the same recipe"
    allow_nan: ClassVar[bool] = False

    def __init__(self, folder: str | Path, recipe: Mapping[str, Any] | None = None):
        if recipe is None and any(Path(folder).glob("*.jsonl")):
            raise ConfigError(f"{folder} holds an earlier run; choose another folder or remove it")
        super().__init__(folder, without_credentials(recipe), name=RECIPE)

    def save(self, engine: HuggingFaceEngine, name: str, weights: Mapping[str, Tensor] | None = None) -> Path:
        """Write model, tokenizer and sampling settings to a folder; it takes its name only when it is complete.

        Its manifest says how long the files of lines are by then; see `lines_of`.

        Args:
            engine: Policy and tokenizer.
            name: Of the folder within the run's.
            weights: By name, in place of the model's own; None for those.

        Raises:
            DataError: if it cannot be written.
        """
        with whole_folder(self.path / name, {"lines": self.lengths()}) as folder:
            save_engine(engine, folder, weights)
        return self.path / name


def lines_of(folder: Path) -> dict[str, int]:
    """Bytes of each file of lines of a run when one of its folders was saved.

    Args:
        folder: A checkpoint, or what `Run.save` wrote.

    Raises:
        DataError: if the folder does not say it.
    """
    lines = read_object(folder / MANIFEST).get("lines")
    if not isinstance(lines, dict) or not all(isinstance(size, int) for size in lines.values()):
        raise DataError(
            f"{folder / MANIFEST} does not say what was recorded: it is damaged, or an older version wrote it; give "
            "another folder, or delete that of the run"
        )
    return lines
