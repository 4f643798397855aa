"""Plans that are read off what somebody did: what a plan is made of, and who reads it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A part of what was done.

    Attributes:
        words: What it was for, as somebody would say it who is yet to do it.
        first: Number of the turn with which it began, from 0.
    """

    words: str
    first: int


class PlanAnnotator(Protocol):
    """Reads a plan off a successful episode; Plan-and-Act, Erdogan et al. 2025, arXiv:2503.09572.

    A recipe names a function that makes one as `module:function`.
    """

    def steps(self, instruction: str, trace: Sequence[tuple[str, str]]) -> Sequence[PlanStep]:
        """The steps of the plan in order, the first of which begins with turn 0; several turns may make a step.

        Args:
            instruction: The task and how actions are written, in words.
            trace: Of each turn what was seen and what was done then; at least one.

        Raises:
            AgentGymError: if nothing came of it, such as an answer of a model that is no plan.
        """
