"""Annotators for any world: one that repeats what was done, and a language model that says what it was for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.core import AgentGymError, ConfigError, TextModel
from agentgym.core.json_text import last_value
from agentgym.core.plans import PlanStep
from agentgym.core.verdict import QUOTED, quoted

SHOWN = 2_000  # characters of an observation
PROMPT = """You write the plan that somebody could have made before doing what is told below. A plan has few steps. A
step says what is to be reached, not which key is pressed, and takes one turn or several. It tells nothing that can be
known only after it was done, such as an answer that was found. Answer with a JSON list of objects like
{{"step": "find the account page", "first": 0}}, in order, where "first" is the number of the turn with which the step
begins; the first step begins with turn 0. Write nothing after the list. {quoted}

Task: {task}

{turns}"""


class ActionAnnotator:
    """The plan is what was done, in the same words: a step is an action, with how often it comes in a row."""

    def steps(self, instruction: str, trace: Sequence[tuple[str, str]]) -> Sequence[PlanStep]:
        """See `agentgym.core.plans.PlanAnnotator`.

        Args:
            instruction: Not used.
            trace: What was done.
        """
        done = [" ".join(action.split()) for _, action in trace]
        firsts = [turn for turn in range(len(done)) if turn == 0 or done[turn] != done[turn - 1]]
        counts = [after - first for first, after in zip(firsts, [*firsts[1:], len(done)], strict=True)]
        return [
            PlanStep(done[first] if count == 1 else f"{done[first]} ({count} times)", first)
            for first, count in zip(firsts, counts, strict=True)
        ]


class ModelAnnotator:
    """Asks a language model, as the plan generation of Plan-and-Act does (Erdogan et al. 2025, arXiv:2503.09572).

    Args:
        model: Any text model.
        max_tokens: Of an answer.
        seed: Of its sampling.
    """

    def __init__(self, model: TextModel, max_tokens: int = 1024, seed: int = 0):
        if max_tokens < 1:
            raise ConfigError(f"max_tokens of an annotator must be at least 1, got {max_tokens}")
        self._model, self._max_tokens, self._seed = model, max_tokens, seed

    def steps(self, instruction: str, trace: Sequence[tuple[str, str]]) -> Sequence[PlanStep]:
        """The model's plan; see `agentgym.core.plans.PlanAnnotator`.

        Args:
            instruction: The task and how actions are written, in words.
            trace: What was seen and done.

        Raises:
            AgentGymError: if its answer is no JSON list of steps.
        """
        turns = [
            f"Turn {turn}\nSeen: {quoted(seen[:SHOWN])}\nDone: {quoted(done)}"
            for turn, (seen, done) in enumerate(trace)
        ]
        asked = PROMPT.format(quoted=QUOTED, task=quoted(instruction), turns="\n\n".join(turns))
        message = {"role": "user", "content": asked}
        said = self._model.complete([message], seed=self._seed, max_tokens=self._max_tokens).text
        found: Any = last_value(said, "[")
        if not isinstance(found, list) or not all(map(_is_step, found)):
            raise AgentGymError(f"the annotating model must answer a JSON list of steps; it said {said[:80]!r}")
        return [PlanStep(each["step"], each["first"]) for each in found]


def _is_step(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("step"), str)
        and isinstance(value.get("first"), int)
        and not isinstance(value["first"], bool)
    )
