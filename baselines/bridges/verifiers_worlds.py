"""Worlds as a taskset of `verifiers`, for its evaluations and prime-rl: the world is the user that the model talks to.

    python -m agentgym.baselines.bridges.verifiers_worlds --base-url http://localhost:8000/v1 --model NAME

`verifiers` finds a taskset by the name of a top-level module. For its own commands, put a file of one line on the path,
`agentgym_worlds.py` with `from agentgym.baselines.bridges.verifiers_worlds import *`, and say

    vf-eval agentgym_worlds --env.taskset.world TextCraft-v1 --env.taskset.split test -n 20

The model answers as `Tags` asks: `<think>...</think><action>...</action>`. Prompt, parser and complaints come from that
one wrapper; another format is a line in `chat.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import verifiers.v1 as vf
from pydantic import Field
from rich.console import Console

from agentgym.baselines.bridges.chat import begun, played_by_replies
from agentgym.core import ConfigError

__all__ = ["WorldsConfig", "WorldsData", "WorldsEnv", "WorldsEnvConfig", "WorldsTask", "WorldsTaskset"]

MODULE = "agentgym_worlds"  # what `verifiers` calls this module; dots are not allowed in its names


class WorldsConfig(vf.TasksetConfig):
    """Which tasks."""

    world: str = "FrozenLake-v0"
    """Id of the world."""
    split: str = "train"
    """Its split."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """What `gym.make` takes besides."""
    count: int = 64
    """How many tasks, the first ones; a task's number is the seed of its random draws."""


class WorldsData(vf.TaskData):
    """What begins one episode."""

    world: str
    split: str
    arguments: dict[str, Any]
    seed: int


class WorldsTask(vf.Task[WorldsData]):
    """One task of a world."""


class WorldsTaskset(vf.Taskset[WorldsTask, WorldsConfig]):
    """The first tasks of a split; the manual is the system prompt."""

    def load(self) -> Iterator[WorldsTask]:
        """One task after the other."""
        chosen = self.config
        manual = played_by_replies(chosen.world, chosen.split, chosen.arguments).manual
        for seed in range(chosen.count):
            data = WorldsData(
                name=f"{chosen.world}#{seed}",
                prompt=None,
                system_prompt=manual,
                world=chosen.world,
                split=chosen.split,
                arguments=chosen.arguments,
                seed=seed,
            )
            yield WorldsTask(data, chosen.task)


class WorldsEnvConfig(vf.EnvConfig):
    """One player, which talks and runs no code."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class WorldsEnv(vf.Env[WorldsEnvConfig]):
    """Plays a task to its end: what the world shows is what the user says."""

    async def run(self, task: WorldsTask, agents: vf.Agents) -> None:
        """One episode; the reward `world` of the trace is its return, and `success` one of its metrics.

        Args:
            task: What to play.
            agents: Whose `player` answers.
        """
        data = task.data
        env = played_by_replies(data.world, data.split, data.arguments)
        seen, total, turns, ended = begun(env, data.seed), 0.0, 0, False
        info: dict[str, Any] = {"success": False, "progress": 0.0}  # what counts if the player says nothing
        async with agents.player.interaction(task) as interaction:
            while not ended:
                segment = await interaction.turn(seen)
                if segment.terminated:  # its own limits, or the end of its context
                    break
                seen, reward, terminated, truncated, info = env.step(segment.last_reply)
                total, turns, ended = total + float(reward), turns + 1, terminated or truncated
        trace = interaction.trace
        trace.record_reward("world", total)
        trace.record_metrics({"success": info["success"], "progress": info["progress"], "turns": turns})


def evaluate(base_url: str, model: str, taskset: dict[str, Any], key: str = "OPENAI_API_KEY") -> list[vf.Episode]:
    """Play every task of a taskset with a model behind an OpenAI-compatible endpoint.

    Args:
        base_url: Of the endpoint.
        model: Its name on the server.
        taskset: Options of the taskset.
        key: Environment variable that holds the key.

    Raises:
        ConfigError: if an episode failed for another reason than its player.
    """
    sys.modules.setdefault(MODULE, sys.modules[__name__])
    config = WorldsEnvConfig.model_validate({"taskset": {"id": MODULE, **taskset}})
    context = vf.ModelContext(model=model, client=vf.EvalClientConfig(base_url=base_url, api_key_var=key))

    async def played() -> list[vf.Episode]:
        env = WorldsEnv(config)
        async with env.serving():
            return [await env.run_episode(task, context) for task in env.taskset]

    episodes = asyncio.run(played())
    for episode in episodes:
        if not episode.ok:
            errors = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
            raise ConfigError(f"an episode of {taskset} failed: {errors[0].message if errors else 'no reason given'}")
    return episodes


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate a model on a world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True, help="an OpenAI-compatible endpoint")
    parser.add_argument("--model", required=True, help="the name of the model there")
    parser.add_argument("--world", default="FrozenLake-v0", help="the world (%(default)s)")
    parser.add_argument("--split", default="test", help="its split (%(default)s)")
    parser.add_argument("--count", type=int, default=20, help="tasks to play (%(default)s)")
    given = parser.parse_args(arguments)
    taskset = {"world": given.world, "split": given.split, "count": given.count}
    episodes = evaluate(given.base_url, given.model, taskset)
    traces = [episode.traces[0] for episode in episodes]
    mean = sum(trace.rewards["world"].score for trace in traces) / len(traces)
    success = sum(trace.metrics["success"] for trace in traces) / len(traces)
    Console().print(
        f"{given.model} on {len(traces)} tasks of {given.world}: success {success:.2f}, mean return {mean:.2f}",
        highlight=False,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
