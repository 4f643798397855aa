"""Scores of agents on worlds: data, measured by a command and read when somebody asks.

They stand in a file `scores.json` in the package that the world's module is in, by id, split and agent:

    {"AgentGym/FrozenLake-v0": {"test": {"random": {"success": 0.02, "score": 0.02}, ...}, ...}, ...}

`agentgym golden --update ID` writes it; `agentgym.conformance.update_scores` is the function behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agentgym.core.errors import DataError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FILE = "scores.json"


class Score(NamedTuple):
    """Mean results of one agent on one split: share of successful episodes, and mean return."""

    success: float
    score: float


class StoredScores(Mapping[str, Mapping[str, Score]]):
    """The scores of one world by split and agent, read from its package's file when they are first looked at.

    Args:
        entry_point: `module:Class` of the world.
        env_id: Its id, under which its scores stand; a world that is not in the file has none.

    Raises:
        DataError: when looked at, if the file is no table of scores.
    """

    def __init__(self, entry_point: str = "", env_id: str = ""):
        self.entry_point = entry_point
        self.env_id = env_id

    def __getitem__(self, split: str) -> Mapping[str, Score]:
        return self._read()[split]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return f"StoredScores({self.entry_point!r}, {self.env_id!r})"

    def _read(self) -> Mapping[str, Mapping[str, Score]]:
        return read_scores(package_of(self.entry_point)).get(self.env_id, {})


def package_of(entry_point: str) -> str:
    """The package whose file holds the scores of a world; empty for a module that stands in none."""
    return entry_point.partition(":")[0].rpartition(".")[0]


def score_file(package: str) -> Traversable:
    """The file of a package, whether it is there or not."""
    from importlib.resources import files  # 3 ms that `import agentgym` does not pay

    return files(package).joinpath(FILE)


@cache
def read_scores(package: str) -> Mapping[str, Mapping[str, Mapping[str, Score]]]:
    """All scores of a package's file by id, split and agent; none where there is no file.

    Raises:
        DataError: if the file is no table of scores.
    """
    path = score_file(package) if package else None
    if path is None or not path.is_file():
        return {}
    try:
        table: Any = json.loads(path.read_text(encoding="utf8"))
        return {
            env_id: {split: {agent: Score(**entry) for agent, entry in row.items()} for split, row in splits.items()}
            for env_id, splits in table.items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path} is no table of scores ({error}); write it with  agentgym golden --update ID") from None
