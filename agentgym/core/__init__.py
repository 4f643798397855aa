"""The ground floor: the contract of an environment, and nothing that knows one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentgym.core._ruling import Ruling
from agentgym.core._table import Seats
from agentgym.core.catalog import EnvCard, Score, card, catalog, full_id, register, unknown_environment
from agentgym.core.driver import Driver, StepResult, drive
from agentgym.core.env import LanguageEnv
from agentgym.core.errors import (
    AgentGymError,
    ConfigError,
    DataError,
    EndpointError,
    EngineFailure,
    GrammarError,
    MissingExtra,
    SnapshotError,
    TaskError,
    UnknownName,
    require,
    unknown,
)
from agentgym.core.grammar import Call, Command, Grammar, Invalid, Tool, ToolGrammar
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import Snapshot, fingerprint, fork, restore, snapshot
from agentgym.core.spaces import Utterance
from agentgym.core.tasks import EndlessPanel, FinitePanel, Panel, SeededTasks, Task, cut_by_hash
from agentgym.core.text_model import Cassette, Message, Reply, ScriptedModel, TextModel

if TYPE_CHECKING:
    from agentgym.core.seats import LanguageAEC, LanguageParallel

__all__ = [
    "AgentGymError",
    "Call",
    "Cassette",
    "Command",
    "ConfigError",
    "DataError",
    "Driver",
    "EndlessPanel",
    "EndpointError",
    "EngineFailure",
    "EnvCard",
    "FinitePanel",
    "Grammar",
    "GrammarError",
    "Invalid",
    "LanguageAEC",
    "LanguageEnv",
    "LanguageParallel",
    "Message",
    "MissingExtra",
    "Outcome",
    "Panel",
    "Reply",
    "Ruling",
    "Score",
    "ScriptedModel",
    "Seats",
    "SeededTasks",
    "Snapshot",
    "SnapshotError",
    "StepResult",
    "Task",
    "TaskError",
    "TextModel",
    "Tool",
    "ToolGrammar",
    "UnknownName",
    "Utterance",
    "card",
    "catalog",
    "cut_by_hash",
    "drive",
    "fingerprint",
    "fork",
    "full_id",
    "register",
    "require",
    "restore",
    "snapshot",
    "unknown",
    "unknown_environment",
]


def __getattr__(name: str) -> Any:
    """The bases of games with many seats, which bring PettingZoo, are imported when they are asked for."""
    if name in ("LanguageAEC", "LanguageParallel"):
        from agentgym.core import seats

        return getattr(seats, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
