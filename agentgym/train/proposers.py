"""A proposer for any world: a language model that has read the manual and what a walk at random showed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.core import AgentGymError, ConfigError, LanguageEnv, TextModel
from agentgym.core.json_text import last_value
from agentgym.core.proposals import Tried
from agentgym.core.verdict import QUOTED, quoted

SHOWN = 2_000  # characters of an observation
PROMPT = """You invent tasks for an agent in a world. Below are the manual of the world, the JSON Schema that a task
must fit, what somebody saw who walked about at random, and tasks that were tried with what they earned. New tasks must
be possible there, and a little harder than those that earn much. Answer with a JSON list of at most {most} tasks and
nothing else. {quoted}

Manual:
{manual}

Schema:
{schema}

Seen:
{seen}

Tried:
{tried}"""


class ModelProposer:
    """Asks a language model for tasks, as the task proposer of PAE does (Zhou et al. 2024, arXiv:2412.13194).

    The walk plays actions at random. The instruction of the task under way is left out of what the model is shown; a
    world may draw its random actions from its words, though.

    Args:
        model: Any text model.
        most: Tasks of an answer that are read.
        turns: Actions of the walk.
        tried: Tasks tried before that it is told of, the newest.
        max_tokens: Of an answer.
    """

    def __init__(self, model: TextModel, most: int = 10, turns: int = 8, tried: int = 10, max_tokens: int = 2048):
        if min(most, turns, max_tokens) < 1 or tried < 0:
            raise ConfigError("most, turns and max_tokens of a proposer must be at least 1, and tried at least 0")
        self._model, self._most, self._turns, self._tried = model, most, turns, tried
        self._max_tokens = max_tokens

    def propose(
        self, world: LanguageEnv, rng: np.random.Generator, tried: Sequence[Tried]
    ) -> Sequence[Mapping[str, Any]]:
        """The model's tasks.

        Args:
            world: To walk about in.
            rng: Of the walk and of the model.
            tried: Tasks that were played so far.

        Raises:
            AgentGymError: if its answer is no JSON list of objects.
        """
        told = [f"{json.dumps(dict(each.task))} earned {each.mean_return:.2f}" for each in tried]
        asked = PROMPT.format(
            most=self._most,
            quoted=QUOTED,
            manual=world.manual,
            schema=json.dumps(world.task_schema),
            seen="\n".join(self._walk(world, rng)),
            tried="\n".join(told[len(told) - min(len(told), self._tried) :]) or "(none)",
        )
        seed = int(rng.integers(2**31))
        said = self._model.complete([{"role": "user", "content": asked}], seed=seed, max_tokens=self._max_tokens).text
        tasks = last_value(said, "[")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise AgentGymError(f"the proposing model must answer a JSON list of tasks; it said {said[:80]!r}")
        return tasks[: self._most]

    def _walk(self, world: LanguageEnv, rng: np.random.Generator) -> list[str]:
        """What was done and seen, a line each."""
        text, info = world.reset(seed=int(rng.integers(2**31)))
        hidden = str(info["instruction"])
        lines = [f"World: {quoted(_without(text, hidden))}"]
        for _ in range(self._turns):
            if world.ended:
                break
            action = world.sample_action(rng)
            text = world.step(action)[0]
            lines.append(f"Player: {quoted(action)}\nWorld: {quoted(_without(text, hidden))}")
        return lines


def _without(text: str, instruction: str) -> str:
    """A text as a proposer may see it: no task of the world's panel is told to it."""
    return (text.replace(instruction, "(a task)") if instruction else text)[:SHOWN]
