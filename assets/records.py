"""Records that `agentgym golden --update ID` writes: the seed lists of fixed panels, and golden transcript hashes."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from agentgym.core.errors import DataError

HELD_OUT = ("val", "test")


@cache
def seeds(name: str) -> dict[str, list[int]]:
    """Seed list of each finite split of a generated world; empty lists before the first `agentgym golden --update`."""
    return {split: [] for split in HELD_OUT} | _read("panels", name)


@cache
def golden(name: str) -> dict[str, Any]:
    """Golden record of a world: panel checksums and transcript hashes; empty before the first update."""
    return _read("golden", name)


def _read(folder: str, name: str) -> dict[str, Any]:
    path = files("agentgym.assets") / folder / f"{name}.json"
    try:
        record = json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise DataError(f"{path} is no JSON ({error}); write it anew with  agentgym golden --update {name}") from None
    if not isinstance(record, dict):
        raise DataError(f"{path} must hold a JSON object; write it anew with  agentgym golden --update {name}")
    return record
