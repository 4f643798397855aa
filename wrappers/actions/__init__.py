"""Wrappers that change how an agent says its actions, one form a module."""

from agentgym.wrappers.actions.calls import JsonCalls, JsonReply, NativeCalls
from agentgym.wrappers.actions.choice import ChoiceByNumber
from agentgym.wrappers.actions.code import CodeBlocks
from agentgym.wrappers.actions.code_action import CodeAction
from agentgym.wrappers.actions.fences import Fenced, Marked
from agentgym.wrappers.actions.macros import Macros
from agentgym.wrappers.actions.nearest import NearestAdmissible
from agentgym.wrappers.actions.react import ReAct
from agentgym.wrappers.actions.retries import Retries
from agentgym.wrappers.actions.several import SeveralActions
from agentgym.wrappers.actions.tags import CommandTags, Tags

__all__ = [
    "ChoiceByNumber",
    "CodeAction",
    "CodeBlocks",
    "CommandTags",
    "Fenced",
    "JsonCalls",
    "JsonReply",
    "Macros",
    "Marked",
    "NativeCalls",
    "NearestAdmissible",
    "ReAct",
    "Retries",
    "SeveralActions",
    "Tags",
]
