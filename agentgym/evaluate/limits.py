"""What a world may take of time and memory before its episode counts as failed, in evaluations and tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core import ConfigError
from agentgym.core.checks import LARGEST_MEMORY, check_limit
from agentgym.evaluate.worlds import open_pool
from agentgym.rollout import EnvPool, Workers
from agentgym.rollout.env_pool import STEP_TIMEOUT


@dataclass(frozen=True)
class EpisodeLimits:
    """What a world may take; none of it changes what is played.

    Attributes:
        step_timeout: Seconds for one answer.
        episode_timeout: Seconds for all answers of an episode together; None for no limit.
        memory: MiB that the process of a world may hold together with those it started; None for no limit.
        here: Whether worlds play in this process, where one that hangs, ends its process or eats its memory cannot be
            contained: it ends the run.
    """

    step_timeout: float = STEP_TIMEOUT
    episode_timeout: float | None = None
    memory: float | None = None
    here: bool = False

    def __post_init__(self) -> None:
        check_limit("step_timeout", self.step_timeout, "seconds")
        if self.episode_timeout is not None:
            check_limit("episode_timeout", self.episode_timeout, "seconds")
        if self.memory is not None:
            check_limit("memory", self.memory, "MiB", LARGEST_MEMORY)
        if self.here and (self.episode_timeout is not None or self.memory is not None):
            raise ConfigError(
                "episode_timeout and memory need worlds in processes of their own; give at least 1 worker"
            )

    def open(
        self,
        env: str,
        split: str,
        options: Mapping[str, Any],
        wrappers: Sequence[Mapping[str, Any]] = (),
        formats: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> EnvPool:
        """A world that is kept within the limits, whatever it does; an episode in which it breaks them fails.

        Args:
            env: Id of the world.
            split: Where tasks come from.
            options: Constructor arguments of the world.
            wrappers: Tables of the wrappers around it.
            formats: Tables of the wrappers of each player of a game.
        """
        workers = None if self.here else Workers(1, self.step_timeout, self.memory, self.episode_timeout)
        return open_pool(
            env, split, options, wrappers, formats, workers=workers, step_timeout=self.step_timeout, contain=True
        )
