"""Inspect AI: worlds as a task with a solver and a scorer.

    inspect eval baselines/bridges/inspect_worlds.py -T world=TextCraft-v1 --model openai/NAME

That is the place of this file in a checkout; where the package is installed it is `agentgym/baselines/bridges` there.
The model answers as `Tags` asks, `<think>...</think><action>...</action>`; what the world shows is the user's message.
The solver plays to the end, the scorer reads off what the world said.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ContentReasoning, ContentText
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from agentgym.baselines.bridges.chat import begun, from_row, rows

SCORES = ("success", "progress", "return", "turns")


@task
def worlds(world: str = "FrozenLake-v0", split: str = "test", count: int = 20, **arguments: Any) -> Task:
    """The first tasks of a split.

    Args:
        world: An id.
        split: Where tasks come from.
        count: How many.
        arguments: Other constructor arguments.
    """
    samples = [
        Sample(id=f"{world}-{split}-{row['seed']}", input=row["prompt"][1]["content"], metadata={"row": row})
        for row in rows(world, split, count, **arguments)
    ]
    return Task(dataset=MemoryDataset(samples, name=world), solver=play_world(), scorer=world_score())


@solver
def play_world() -> Solver:
    """Plays the world of a sample to its end."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Play the episode of the sample: the model answers (`generate`), the world shows what that led to.

        Args:
            state: Inspect's sample; its metadata name world and seed, and its store gets scores and failure.
            generate: Inspect's call of the model under test, which keeps its limits.
        """
        row = state.metadata["row"]
        env = from_row(row)
        state.messages = [ChatMessageSystem(content=env.manual), ChatMessageUser(content=begun(env, row["seed"]))]
        info: dict[str, Any] = {"success": False, "progress": 0.0}
        total, turns, ended = 0.0, 0, False
        while not ended and not state.completed:  # Inspect's own limits complete a state
            state = await generate(state)
            seen, reward, terminated, truncated, info = env.step(whole_reply(state.output.message))
            state.messages.append(ChatMessageUser(content=str(seen)))
            total, turns, ended = total + float(reward), turns + 1, terminated or truncated
        figures = (float(info["success"]), float(info["progress"]), total, float(turns))
        state.store.set("scores", dict(zip(SCORES, figures, strict=True)))
        state.store.set("failure", str(info.get("failure", "")))
        return state

    return solve


def whole_reply(message: ChatMessageAssistant) -> str:
    """A reply as the model wrote it: Inspect takes `<think>...</think>` out of it, and `Tags` reads it there.

    Args:
        message: Of the model.
    """
    if isinstance(message.content, str):
        return message.content
    parts = []
    for part in message.content:
        if isinstance(part, ContentReasoning):
            parts.append(f"<think>{part.reasoning}</think>")
        elif isinstance(part, ContentText):
            parts.append(part.text)
    return "".join(parts)


@scorer(metrics={"*": [mean(), stderr()]})
def world_score() -> Scorer:
    """Success, progress, return and number of turns, as the world said; where that failed, the sample has no score."""

    async def score(state: TaskState, target: Target) -> Score | None:
        """The figures that the solver left in `state`, None for a failure; there is no `target` to compare with."""
        if state.store.get("failure"):
            return None
        return Score(value=state.store.get("scores"))

    return score
