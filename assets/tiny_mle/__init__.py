"""What is known of the tasks of TinyMLE: the loss of who knows nothing, the least loss found, and the models behind it.

The tables are drawn by `envs/code/_tiny_mle/`, each time anew from the name of a task. What searched for the best
models stands in `envs/code/_tiny_mle/generate/` of the repository and is not installed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from agentgym.assets.tiny_mle.checksum import CHECKSUM
from agentgym.core.errors import DataError

__all__ = ["Known", "load_known"]

_FILE = "best.json"


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a task.

    Attributes:
        data: Digest of its tables and its truth, as they were when the models were searched for.
        baseline: Loss of a constant prediction.
        best: Least loss found.
        models: Recipes of the models behind it, whose predictions are averaged.
        threshold: Chance of `yes` from which on that is said; None for the most likely label.
    """

    data: str
    baseline: float
    best: float
    models: Sequence[Mapping[str, Any]]
    threshold: float | None


@cache
def load_known() -> Mapping[str, Known]:
    """What is known, by the name of the task.

    Raises:
        DataError: if the file is damaged.
    """
    text = resources.files(__name__).joinpath(_FILE).read_bytes()
    if hashlib.sha256(text).hexdigest() != CHECKSUM:
        raise DataError(f"{_FILE} is not the file that was shipped; reinstall agentgym-suite")
    return {name: Known(**given) for name, given in json.loads(text).items()}
