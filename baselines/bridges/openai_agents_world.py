"""The OpenAI Agents SDK: a world as function tools of an agent, whose run ends with the episode.

python -m agentgym.baselines.bridges.openai_agents_world --base-url http://localhost:8001/sessions/a/v1 --model NAME
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

from agents import Agent, FunctionTool, ModelSettings, OpenAIChatCompletionsModel, RunConfig, Runner, RunResult
from agents.agent import ToolsToFinalOutputResult
from openai import AsyncOpenAI
from rich.console import Console

import agentgym
from agentgym.baselines.bridges.world_tools import WorldTools, parser

MOST_TURNS = 100


def tools(world: WorldTools) -> list[FunctionTool]:
    """The functions of a world as the SDK knows tools.

    Args:
        world: The episode they play.
    """

    def tool(function: dict[str, Any]) -> FunctionTool:
        async def call(context: Any, arguments: str) -> str:
            """Play a call of the model: `arguments` are its JSON; the SDK's `context` is not read."""
            try:
                given = json.loads(arguments or "{}")
            except ValueError:
                given = None
            if not isinstance(given, dict):
                return "The arguments of a call are an object of JSON."
            return world.call(function["name"], given)

        return FunctionTool(
            name=function["name"],
            description=function["description"],
            params_json_schema=dict(function["parameters"]),
            on_invoke_tool=call,
            strict_json_schema=False,
        )

    return [tool(each) for each in world.functions]


def agent(world: WorldTools, model: OpenAIChatCompletionsModel) -> Agent[None]:
    """An agent that plays an episode under way, and is done when that is over.

    Args:
        world: The episode.
        model: Who plays.
    """

    def after(context: Any, results: list[Any]) -> ToolsToFinalOutputResult:
        """The SDK's question after calls: the run ends with the episode, and the last of the `results` is its output.

        Args:
            context: The SDK's, not read.
            results: Of the calls of this turn, in order.
        """
        return ToolsToFinalOutputResult(is_final_output=world.over, final_output=str(results[-1].output))

    return Agent(
        name="player", instructions=world.manual, tools=list(tools(world)), model=model, tool_use_behavior=after
    )


def play(world: WorldTools, client: AsyncOpenAI, model: str, seed: int, turns: int = MOST_TURNS) -> RunResult:
    """Play a task to its end.

    Args:
        world: Where; afterwards it knows the return.
        client: Of the endpoint.
        model: Its name there.
        seed: Of the task.
        turns: Most calls of the model; one more raises the SDK's own error.
    """
    player = agent(world, OpenAIChatCompletionsModel(model, client))
    config = RunConfig(tracing_disabled=True, model_settings=ModelSettings(temperature=1.0))
    return asyncio.run(Runner.run(player, world.begin(seed), max_turns=turns, run_config=config))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a task."""
    asked = parser(__doc__)
    asked.add_argument("--seed", type=int, default=0, help="of the task (%(default)s)")
    given = asked.parse_args(arguments)
    world = WorldTools(agentgym.make(given.world, split="test"))
    play(world, AsyncOpenAI(base_url=given.base_url, api_key="none", max_retries=0), given.model, given.seed)
    line = f"task {given.seed}: return {world.total:.2f}, success {world.info['success']}"
    Console().print(line, highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
