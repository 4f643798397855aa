"""What an agent is: it is shown an observation and says an action."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from agentgym.core import AgentGymError, ConfigError, LanguageEnv, Reply

Info = Mapping[str, Any]


class AgentFailure(AgentGymError):
    """The agent, not the world, cannot go on with this episode, for example because its model's context is full.

    Evaluation records the episode as failed, counts it apart and goes on; an `EndpointError` counts the same.
    """


class Agent(Protocol):
    """A player of single-seat worlds.

    `begin` is called once an episode, after `reset`; then `act` once a turn until the episode is over. Agents of two
    kinds fit: those that may look at the world (`random`, `oracle`, `expert`) keep `env`; those that see only text
    (`endpoint`, `hf`, `human`, `rule`) take from it what every player is told, the manual and the admissible actions.

    An agent draws random numbers from `rng` alone and carries nothing from one episode to the next, so an episode is
    the same whichever were played before it and in whichever process.

    Attributes:
        name: As shown in results.
        reply: The model's reply behind the last action, with its tokens and cost; None where no model was asked.
    """

    name: str
    reply: Reply | None

    def begin(self, env: gym.Env[Any, Any], observation: str, info: Info, rng: np.random.Generator) -> None:
        """Forget the last episode and get ready for the one that begins with `observation` and `info`."""

    def act(self, observation: str, info: Info) -> str:
        """The next action.

        Raises:
            AgentFailure, EndpointError: if the agent cannot go on with this episode.
        """


def world(env: gym.Env[Any, Any]) -> LanguageEnv:
    """The AgentGym world inside its wrappers.

    Raises:
        ConfigError: if there is none.
    """
    base = env.unwrapped
    if not isinstance(base, LanguageEnv):
        raise ConfigError(f"agents play worlds derived from agentgym.LanguageEnv, got {type(base).__name__}")
    return base


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """The seed of one episode, below 2**32: a pure function of the run's seed, the task and the trial.

    It does not depend on the agent, so different agents meet the same dice and can be compared in pairs.
    """
    digest = hashlib.sha256(json.dumps([seed, task_id, trial]).encode()).digest()
    return int.from_bytes(digest[:4], "big")


def agent_rng(seed: int) -> np.random.Generator:
    """The agent's generator for an episode, independent of the world's, which is made of the same seed."""
    return np.random.default_rng([seed, 1])
