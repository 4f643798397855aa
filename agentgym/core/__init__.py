"""The ground floor: the contract of an environment, and nothing that knows one."""

from agentgym.core.catalog import EnvCard, Score, card, catalog, full_id, register
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

__all__ = [
    "AgentGymError",
    "Call",
    "Cassette",
    "Command",
    "ConfigError",
    "DataError",
    "EndlessPanel",
    "EndpointError",
    "EngineFailure",
    "EnvCard",
    "FinitePanel",
    "Grammar",
    "GrammarError",
    "Invalid",
    "LanguageEnv",
    "Message",
    "MissingExtra",
    "Outcome",
    "Panel",
    "Reply",
    "Score",
    "ScriptedModel",
    "SeededTasks",
    "Snapshot",
    "SnapshotError",
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
    "fingerprint",
    "fork",
    "full_id",
    "register",
    "require",
    "restore",
    "snapshot",
    "unknown",
]
