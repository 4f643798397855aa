"""Gymnasium wrappers that change how an agent speaks, sees, is paid and remembers; each is imported when it is used.

They stand around a world in this order, innermost first; a wrapper in a wrong place says so:

1. what adds to the world's words: `AdmissibleInText`, `Hints`, `MemoryTools`, `Macros`, `NearestAdmissible`,
   `SeveralActions`, `ChoiceByNumber`;
2. one format of replies: `ReAct`, `Tags`, `CommandTags`, `JsonReply`, `JsonCalls`, `NativeCalls`, `CodeBlocks`,
   `CodeAction`, `Fenced` or `Marked`;
3. what stands around replies: `Workspace`, `Trials`;
4. `Screenshot`, which makes a picture and the text one observation, or the numeric bridge, which makes them numbers:
   `SlotActions`, `VocabularyActions` or `CandidateSelect`, then `HashedText`, `EmbeddedText`, `TokenIds` or
   `ReadableActions`.

`History`, `Truncate`, `Horizon`, `Retries`, `LTLMonitor`, `EventLog`, `CostMeter` and the rewards fit anywhere, but
`EventLog` only inside what plays several actions for one reply.

Around a player of a game the same wrappers stand in the same order, see `agentgym.wrappers.players` and, for
PettingZoo's interfaces, `agentgym.wrappers.games`. Those that step the world themselves, or change what it pays, serve
worlds of one player and say so.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym.wrappers.actions import (
        ChoiceByNumber,
        CodeAction,
        CodeBlocks,
        CommandTags,
        Fenced,
        JsonCalls,
        JsonReply,
        Macros,
        Marked,
        NativeCalls,
        NearestAdmissible,
        ReAct,
        Retries,
        SeveralActions,
        Tags,
    )
    from agentgym.wrappers.hints import Hints
    from agentgym.wrappers.horizon import Horizon
    from agentgym.wrappers.log import CostMeter, EventLog
    from agentgym.wrappers.memory import MemoryTools
    from agentgym.wrappers.monitor import LTLMonitor
    from agentgym.wrappers.numeric import (
        CandidateSelect,
        EmbeddedText,
        HashedText,
        ReadableActions,
        SlotActions,
        TokenIds,
        VocabularyActions,
    )
    from agentgym.wrappers.observations import AdmissibleInText, History, Screenshot, Truncate, Workspace
    from agentgym.wrappers.rewards import (
        FormatReward,
        JudgeReward,
        PotentialShaping,
        ProgressReward,
        StepCost,
        SubgoalReward,
        WithholdReward,
    )
    from agentgym.wrappers.trials import Trials

_NAMES = {
    "actions": (
        "ChoiceByNumber", "CodeAction", "CodeBlocks", "CommandTags", "Fenced", "JsonCalls", "JsonReply", "Macros",
        "Marked", "NativeCalls", "NearestAdmissible", "ReAct", "Retries", "SeveralActions", "Tags",
    ),
    "hints": ("Hints",),
    "horizon": ("Horizon",),
    "log": ("CostMeter", "EventLog"),
    "memory": ("MemoryTools",),
    "monitor": ("LTLMonitor",),
    "numeric": (
        "CandidateSelect", "EmbeddedText", "HashedText", "ReadableActions", "SlotActions", "TokenIds",
        "VocabularyActions",
    ),
    "observations": ("AdmissibleInText", "History", "Screenshot", "Truncate", "Workspace"),
    "rewards": (
        "FormatReward", "JudgeReward", "PotentialShaping", "ProgressReward", "StepCost", "SubgoalReward",
        "WithholdReward",
    ),
    "trials": ("Trials",),
}  # fmt: skip
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "AdmissibleInText",
    "CandidateSelect",
    "ChoiceByNumber",
    "CodeAction",
    "CodeBlocks",
    "CommandTags",
    "CostMeter",
    "EmbeddedText",
    "EventLog",
    "Fenced",
    "FormatReward",
    "HashedText",
    "Hints",
    "History",
    "Horizon",
    "JsonCalls",
    "JsonReply",
    "JudgeReward",
    "LTLMonitor",
    "Macros",
    "Marked",
    "MemoryTools",
    "NativeCalls",
    "NearestAdmissible",
    "PotentialShaping",
    "ProgressReward",
    "ReAct",
    "ReadableActions",
    "Retries",
    "Screenshot",
    "SeveralActions",
    "SlotActions",
    "StepCost",
    "SubgoalReward",
    "Tags",
    "TokenIds",
    "Trials",
    "Truncate",
    "VocabularyActions",
    "WithholdReward",
    "Workspace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
