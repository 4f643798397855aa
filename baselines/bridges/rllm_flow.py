"""rLLM: worlds as an agent flow and its evaluator, for rLLM's trainer and its evaluations.

    from rllm.trainer import AgentTrainer
    from agentgym.baselines.bridges.rllm_flow import WorldEvaluator, WorldFlow, dataset

    train = dataset("TextCraft-v1")
    AgentTrainer(agent_flow=WorldFlow(), evaluator=WorldEvaluator(), train_dataset=train, ...).train()

rLLM's engine gives the flow an address at which it records every call of the model, token by token; the flow talks to
the model there and plays. Written to the protocol of rLLM 0.3.0.pre (`rllm.types`), which is not on PyPI: install it
from its repository.
"""

from __future__ import annotations

from typing import Any

import openai
from rllm.eval.types import EvalOutput, Signal
from rllm.types import AgentConfig, Episode, Step, Task, Trajectory

from agentgym.baselines.bridges.chat import Row, begun, from_row, rows

NAME = "agentgym"


class WorldFlow:
    """Plays the world of a task to its end with the model behind `config.base_url`.

    A step of the trajectory is one call of the model, with the reward of the turn. A conversation that outgrows the
    model (the server answers with status 400) ends the episode with what it has earned.

    Args:
        turns: The most calls of the model; by default the world's own limit.
    """

    name = NAME
    needs_env = False

    def __init__(self, turns: int | None = None):
        self.turns = turns

    async def arun(self, task: Task, config: AgentConfig) -> Episode:
        """One episode; `task.metadata` is a row of `dataset`.

        Args:
            task: What to play.
            config: The endpoint and the model that answer.
        """
        row = task.metadata
        env = from_row(row)
        messages: list[Any] = [
            {"role": "system", "content": env.manual},
            {"role": "user", "content": begun(env, int(row["seed"]))},
        ]
        steps: list[Step] = []
        info: dict[str, Any] = {"success": False, "progress": 0.0}
        # rLLM's engine has its own limits and its own tries, and no key
        async with openai.AsyncOpenAI(base_url=config.base_url, api_key="none", timeout=None, max_retries=0) as client:
            ended = False
            while not ended and (self.turns is None or len(steps) < self.turns):
                try:
                    answer = await client.chat.completions.create(model=config.model, messages=messages)
                except openai.BadRequestError:  # what servers answer to a conversation longer than the model can read
                    if steps:
                        break
                    raise
                reply = answer.choices[0].message.content or ""
                seen, reward, terminated, truncated, info = env.step(reply)
                ended = terminated or truncated
                steps.append(
                    Step(input=messages[-1]["content"], output=reply, action=info["action"], reward=reward, done=ended)
                )
                messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": str(seen)}]
        noted = {"success": bool(info["success"]), "progress": float(info["progress"])}
        total = sum(step.reward for step in steps)
        whole = [Trajectory(name=NAME, task=row, steps=steps, reward=total, metadata=noted)]
        return Episode(id=config.session_uid, task=row, trajectories=whole, is_correct=noted["success"], metadata=noted)


class WorldEvaluator:
    """Reads off what the world said: the return, and whether the task was solved."""

    def evaluate(self, task: Task, episode: Episode) -> EvalOutput:
        """The result of a finished episode.

        Args:
            task: What was played.
            episode: What `WorldFlow` returned.
        """
        reward, noted = float(episode.trajectories[0].reward or 0.0), episode.metadata
        signals = [Signal("success", float(noted["success"])), Signal("progress", float(noted["progress"]))]
        return EvalOutput(reward=reward, is_correct=bool(noted["success"]), signals=signals)


def dataset(world: str, split: str = "train", count: int = 256, **arguments: Any) -> list[Row]:
    """The first tasks of a world as rows of rLLM; each has an id, so that rollouts of one task form a group.

    Args:
        world: An id.
        split: Where tasks come from.
        count: How many.
        arguments: Other constructor arguments.
    """
    made = rows(world, split, count, **arguments)
    return [{**row, "id": f"{world}-{split}-{row['seed']}", "question": row["prompt"][1]["content"]} for row in made]
