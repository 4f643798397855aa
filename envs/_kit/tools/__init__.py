"""The kit of tool worlds: typed tools, the world around them, questions from templates, and users to talk to."""

from agentgym.envs._kit.tools.answers import EXACT, FINISH
from agentgym.envs._kit.tools.functions import Toolbox, ToolError, ToolFunction, listed_tools, tool
from agentgym.envs._kit.tools.own_world import question_world
from agentgym.envs._kit.tools.question_world import QuestionEnv, World
from agentgym.envs._kit.tools.questions import Book, Program, Slot, Unfit, best, one, pick, several
from agentgym.envs._kit.tools.seats import SeatState, TalkGame
from agentgym.envs._kit.tools.talk import RESPOND, Fact, Goal, ModelUser, Said, ScriptedUser, TalkEnv, TalkState, User
from agentgym.envs._kit.tools.world import ToolConfig, ToolEnv, ToolState

__all__ = [
    "EXACT",
    "FINISH",
    "RESPOND",
    "Book",
    "Fact",
    "Goal",
    "ModelUser",
    "Program",
    "QuestionEnv",
    "Said",
    "ScriptedUser",
    "SeatState",
    "Slot",
    "TalkEnv",
    "TalkGame",
    "TalkState",
    "ToolConfig",
    "ToolEnv",
    "ToolError",
    "ToolFunction",
    "ToolState",
    "Toolbox",
    "Unfit",
    "User",
    "World",
    "best",
    "listed_tools",
    "one",
    "pick",
    "question_world",
    "several",
    "tool",
]
