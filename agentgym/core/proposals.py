"""Tasks that somebody invents for a world: who does it, and what becomes of what was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.tasks import Spec


@dataclass(frozen=True, slots=True)
class Tried:
    """A task that was proposed earlier, and how those who learn fared.

    Attributes:
        task: Its specification.
        tries: Episodes that have ended.
        mean_return: What they earned on average; where a judge pays, its verdict.
    """

    task: Spec
    tries: int
    mean_return: float


class TaskProposer(Protocol):
    """Makes tasks for a world out of what it sees there; Proposer-Agent-Evaluator, Zhou et al. 2024, arXiv:2412.13194.

    A recipe names a function that makes one as `module:function`.
    """

    def propose(
        self, world: LanguageEnv, rng: np.random.Generator, tried: Sequence[Tried]
    ) -> Sequence[Mapping[str, Any]]:
        """Task specifications, as `reset(options={"task": ...})` takes them; those the world refuses are left out.

        Args:
            world: To look around in: an environment of its own, without wrappers, which it resets and steps as it
                likes. What a task of the world asks for is none of its business.
            rng: Where chance comes from.
            tried: The tasks that were played so far and how that went, in the order in which they were proposed.

        Raises:
            AgentGymError: if nothing came of it, such as an answer of a model that is no list of tasks.
        """
