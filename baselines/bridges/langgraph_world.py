"""LangGraph: a world as the tools of a graph, which ends with the episode.

    python -m agentgym.baselines.bridges.langgraph_world --base-url http://localhost:8001/sessions/first/v1 --model NAME

With the address of an endpoint that records (`agentgym record`), every token of the model is kept. The graph has two
nodes, the model and the world. It ends when the episode is over, or when the model calls no tool.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from rich.console import Console

import agentgym
from agentgym.baselines.bridges.world_tools import WorldTools, parser

STEPS_A_TURN = 2  # of the graph: the model, and the world
MOST_TURNS = 100


def tools(world: WorldTools) -> list[StructuredTool]:
    """The functions of a world as LangChain knows tools.

    Args:
        world: The episode they play.
    """

    def tool(function: dict[str, Any]) -> StructuredTool:
        def call(**arguments: Any) -> str:
            return world.call(function["name"], arguments)

        return StructuredTool.from_function(
            call, name=function["name"], description=function["description"], args_schema=function["parameters"]
        )

    return [tool(each) for each in world.functions]


def graph(world: WorldTools, model: ChatOpenAI, tool_choice: str | None = None) -> Any:
    """A compiled graph that plays an episode under way.

    Args:
        world: The episode.
        model: Who plays.
        tool_choice: Name of a tool that must be called, or `any`; None lets the model choose.
    """
    own = tools(world)
    player = model.bind_tools(own, tool_choice=tool_choice)

    def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [player.invoke(state["messages"])]}

    def called(state: MessagesState) -> Literal["world", "__end__"]:
        return "world" if getattr(state["messages"][-1], "tool_calls", None) else END

    def ended(state: MessagesState) -> Literal["model", "__end__"]:
        return END if world.over else "model"

    made = StateGraph(MessagesState)
    made.add_node("model", speak)
    made.add_node("world", ToolNode(own))
    made.add_edge(START, "model")
    made.add_conditional_edges("model", called)
    made.add_conditional_edges("world", ended)
    return made.compile()


def play(
    world: WorldTools, model: ChatOpenAI, seed: int, turns: int = MOST_TURNS, tool_choice: str | None = None
) -> list[Any]:
    """Play a task to its end; the messages of the conversation.

    Args:
        world: Where; afterwards it knows the return.
        model: Who.
        seed: Of the task.
        turns: Most calls of the model; one more raises LangGraph's own error.
        tool_choice: See `graph`.
    """
    first = [SystemMessage(world.manual), HumanMessage(world.begin(seed))]
    done = graph(world, model, tool_choice).invoke({"messages": first}, {"recursion_limit": STEPS_A_TURN * turns})
    return list(done["messages"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Play some tasks."""
    asked = parser(__doc__)
    asked.add_argument("--count", type=int, default=1, help="tasks to play (%(default)s)")
    given = asked.parse_args(arguments)
    model = ChatOpenAI(model=given.model, base_url=given.base_url, api_key="none", max_retries=0)
    world = WorldTools(agentgym.make(given.world, split="test"))
    for seed in range(given.count):
        said = play(world, model, seed)
        line = f"task {seed}: {len(said)} messages, return {world.total:.2f}, success {world.info['success']}"
        Console().print(line, highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
