"""`question_world`: a world of questions from tools, a book and data, without a class to write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentgym.core import EnvCard, register
from agentgym.core.snapshot import copy_state
from agentgym.envs._kit.tool_records import COSTS, EVENTS, METRICS
from agentgym.envs._kit.tools.answers import FINISH
from agentgym.envs._kit.tools.functions import Toolbox, ToolFunction
from agentgym.envs._kit.tools.question_world import QuestionEnv, World
from agentgym.envs._kit.tools.questions import Book


def question_world(
    env_id: str,
    entry_point: str,
    tools: Sequence[ToolFunction],
    book: Book,
    fill: Callable[[int], Any],
    rules: str,
    *,
    compare: Callable[[Any], Any] = copy_state,
    tasks: int = 20,
    max_turns: int = 12,
) -> type[QuestionEnv]:
    """Make the class of a world, and register it. Whoever wants more of it than this derives from `QuestionEnv`.

    Args:
        env_id: Such as `Mine/World-v0`.
        entry_point: `module:Name`, where the result is put.
        tools: Its tools, from `listed_tools` or `tool`; `finish` is added.
        book: Its templates.
        fill: Data of a seed, plain data that the tools may change.
        rules: A sentence for the head of the manual.
        compare: What of the data counts when two states are compared; by default all.
        tasks: Of each of the splits `val` and `test`; `train` has no end.
        max_turns: The limit.

    Returns:
        The class.

    Raises:
        ConfigError: if `entry_point` is no `module:Name`, or the card does not fit.
    """
    card = EnvCard(
        id=env_id, kind="tools", entry_point=entry_point, citation="none", description=rules,
        splits={"train": None, "val": tasks, "test": tasks}, max_turns=max_turns, deterministic=True, tools=True,
        events=EVENTS, metrics=METRICS, costs=COSTS,
    )  # fmt: skip
    module, _, name = entry_point.partition(":")
    inner = {
        "__module__": module, "__qualname__": name, "__doc__": rules, "card": card,
        "world": World(book, Toolbox(tools, FINISH, rules), fill, compare),
    }  # fmt: skip
    made: type[QuestionEnv] = type(name, (QuestionEnv,), inner)
    register(card)
    return made
