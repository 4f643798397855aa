"""The ground floor: the contract of an environment, and nothing that knows one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentgym.core.catalog import EnvCard, card, catalog, find_card, full_id, register, unknown_environment
from agentgym.core.driver import Driver, StepResult, drive
from agentgym.core.env import BaseEnv
from agentgym.core.errors import (
    AgentGymError,
    BudgetSpent,
    ConfigError,
    ContentRefused,
    DataError,
    EndpointError,
    EngineFailure,
    GrammarError,
    HostWarning,
    MissingExtra,
    RequestRefused,
    SnapshotError,
    TaskError,
    Unanswerable,
    UnknownName,
    require,
    unknown,
)
from agentgym.core.game import Game
from agentgym.core.generated import (
    EnvConfig,
    checked,
    expert_is_oracle,
    named_level,
    object_schema,
    one_of,
    share,
    switch,
    whole,
)
from agentgym.core.grammar import Call, Command, Grammar, Invalid
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import JointOutcome, Outcome
from agentgym.core.proposals import TaskProposer, Tried
from agentgym.core.scores import Score, StoredScores
from agentgym.core.snapshot import Snapshot, fingerprint, fork, restore, snapshot
from agentgym.core.spaces import UnicodeText
from agentgym.core.tasks import EndlessTaskSet, FiniteTaskSet, GeneratedTasks, Task, TaskSet, cut_by_hash
from agentgym.core.text_model import Cassette, Message, Reply, ScriptedModel, TextModel, ToolCall

if TYPE_CHECKING:
    from agentgym.core.pettingzoo_envs import LanguageAEC, LanguageParallel
from agentgym.core.tool_grammar import Tool, ToolGrammar

__all__ = [
    "AgentGymError",
    "BaseEnv",
    "BudgetSpent",
    "Call",
    "Cassette",
    "Command",
    "ConfigError",
    "ContentRefused",
    "DataError",
    "Driver",
    "EndlessTaskSet",
    "EndpointError",
    "EngineFailure",
    "EnvCard",
    "EnvConfig",
    "FiniteTaskSet",
    "Game",
    "GeneratedTasks",
    "Grammar",
    "GrammarError",
    "HostWarning",
    "Invalid",
    "JointOutcome",
    "LanguageAEC",
    "LanguageEnv",
    "LanguageParallel",
    "Message",
    "MissingExtra",
    "Outcome",
    "Reply",
    "RequestRefused",
    "Score",
    "ScriptedModel",
    "Snapshot",
    "SnapshotError",
    "StepResult",
    "StoredScores",
    "Task",
    "TaskError",
    "TaskProposer",
    "TaskSet",
    "TextModel",
    "Tool",
    "ToolCall",
    "ToolGrammar",
    "Tried",
    "Unanswerable",
    "UnicodeText",
    "UnknownName",
    "card",
    "catalog",
    "checked",
    "cut_by_hash",
    "drive",
    "expert_is_oracle",
    "find_card",
    "fingerprint",
    "fork",
    "full_id",
    "named_level",
    "object_schema",
    "one_of",
    "register",
    "require",
    "restore",
    "share",
    "snapshot",
    "switch",
    "unknown",
    "unknown_environment",
    "whole",
]


def __getattr__(name: str) -> Any:
    """The bases of games with many players, which bring PettingZoo, are imported when they are asked for."""
    if name in ("LanguageAEC", "LanguageParallel"):
        from agentgym.core import pettingzoo_envs

        return getattr(pettingzoo_envs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
