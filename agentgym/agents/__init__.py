"""Agents by name: who plays, from the random baseline to any chat model."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.agents.base import Agent, AgentFailure, Info, agent_rng, episode_seed, world
from agentgym.agents.chat import ChatAgent, extract_action
from agentgym.agents.endpoint import Endpoint, endpoint_agent
from agentgym.agents.hugging_face import HuggingFaceModel, hugging_face_agent
from agentgym.agents.human import HumanAgent, Quit
from agentgym.agents.rule import RuleAgent
from agentgym.agents.scripted import ExpertAgent, NothingAgent, OracleAgent, RandomAgent
from agentgym.core import ConfigError, unknown

__all__ = [
    "AGENTS",
    "Agent",
    "AgentFailure",
    "AgentKind",
    "ChatAgent",
    "Endpoint",
    "ExpertAgent",
    "HuggingFaceModel",
    "HumanAgent",
    "Info",
    "NothingAgent",
    "OracleAgent",
    "Quit",
    "RandomAgent",
    "RuleAgent",
    "agent_kind",
    "agent_rng",
    "check_options",
    "episode_seed",
    "extract_action",
    "make_agent",
    "world",
]


@dataclass(frozen=True)
class AgentKind:
    """An entry of `AGENTS`.

    Attributes:
        build: Makes the agent from its options, which are its keyword arguments.
        description: In one sentence.
        incidental: Options that change how the agent reaches its model and not what it says: a run may be continued
            with other values.
        alone: Whether one process should play all episodes, because the agent fills the machine by itself.
    """

    build: Callable[..., Agent]
    description: str = ""
    incidental: frozenset[str] = frozenset()
    alone: bool = False


AGENTS: dict[str, AgentKind] = {
    "random": AgentKind(RandomAgent, "plausible actions at random"),
    "nothing": AgentKind(NothingAgent, "says nothing until the turns are over"),
    "oracle": AgentKind(OracleAgent, "reads the hidden state: the upper bound"),
    "expert": AgentKind(ExpertAgent, "a good player that knows what the agent has seen"),
    "rule": AgentKind(RuleAgent, "the published rule-based player of the world, where there is one"),
    "endpoint": AgentKind(
        endpoint_agent,
        "a chat model behind an OpenAI-compatible endpoint",
        incidental=frozenset({"api_key_env", "timeout", "retries"}),
    ),
    "hf": AgentKind(
        hugging_face_agent, "a local Hugging Face chat model", incidental=frozenset({"device"}), alone=True
    ),
}


def agent_kind(name: str) -> AgentKind:
    """The entry of `AGENTS`, or one for `module:factory`, a callable of your own that returns an agent.

    Raises:
        UnknownName: with the nearest known name.
        ConfigError: if the module or the factory cannot be found, or the name is `human`.
    """
    if name in AGENTS:
        return AGENTS[name]
    if name == "human":
        raise ConfigError("a person plays one episode at a time, with  agentgym play ID")
    module, colon, factory = name.partition(":")
    if not colon:
        raise unknown("agent", name, AGENTS)
    try:
        build = getattr(importlib.import_module(module), factory)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(f"the agent {name!r} cannot be imported: {error}") from None
    return AgentKind(build)


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options the agent does not take, and the lack of one it needs, without building it.

    Raises:
        ConfigError: naming the option.
    """
    known = inspect.signature(agent_kind(name).build).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for option in options:
        if option not in known:
            taken = ", ".join(known) or "none"
            raise ConfigError(f"the option {option!r} has no effect on the agent {name!r}; its options: {taken}")
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in options:
            raise ConfigError(f"the agent {name!r} needs the option {option!r}")


def make_agent(name: str, **options: Any) -> Agent:
    """The agent of a name with its options.

    Raises:
        UnknownName, ConfigError, MissingExtra: in one line that says what to do.
    """
    check_options(name, options)
    return agent_kind(name).build(**options)
