"""Policies by name: who plays, from the random baseline to any chat model and what a run has learned."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, get_type_hints

from agentgym.agents.address import stored_options
from agentgym.agents.asked import marked_options
from agentgym.agents.chat import EndpointPolicy
from agentgym.agents.endpoint import Endpoint
from agentgym.agents.endpoint_agent import endpoint_policy
from agentgym.agents.hugging_face import Home, hugging_face_policy, run_home, run_policy
from agentgym.agents.human import HumanPolicy, Person, Quit, Script, Undo
from agentgym.agents.poact import PoActPolicy, poact_policy
from agentgym.agents.policy import (
    ActionPolicy,
    ChatPolicy,
    ContextOverflow,
    Generation,
    GenerationSession,
    Policy,
    PolicyFailure,
    TokenPolicy,
    View,
)
from agentgym.agents.prompt import Prompt, extract_action
from agentgym.agents.rule import RulePolicy
from agentgym.agents.scripted import (
    ExpertPolicy,
    FunctionPolicy,
    NoisyPolicy,
    NothingPolicy,
    OpponentPolicy,
    OraclePolicy,
    RandomPolicy,
)
from agentgym.agents.seeds import episode_seed
from agentgym.agents.shortcuts import shortcut_policy
from agentgym.core import ConfigError, unknown
from agentgym.core.errors import import_named
from agentgym.core.grammar import shorten
from agentgym.core.kinds import misfit

__all__ = [
    "AGENTS",
    "ActionPolicy",
    "AgentKind",
    "ChatPolicy",
    "ContextOverflow",
    "Endpoint",
    "EndpointPolicy",
    "ExpertPolicy",
    "FunctionPolicy",
    "Generation",
    "GenerationSession",
    "Home",
    "HumanPolicy",
    "NoisyPolicy",
    "NothingPolicy",
    "OpponentPolicy",
    "OraclePolicy",
    "Person",
    "PoActPolicy",
    "Policy",
    "PolicyFailure",
    "Prompt",
    "Quit",
    "RandomPolicy",
    "RulePolicy",
    "Script",
    "TokenPolicy",
    "Undo",
    "View",
    "agent_home",
    "agent_kind",
    "check_options",
    "episode_seed",
    "extract_action",
    "make_agent",
]
OF_YOUR_OWN = "name one of your own as 'module:factory', so that other processes can make it too"
READS = ("tokens", "messages", "view")  # see `Policy`
RUN, LOCAL, REMOTE, SHORTCUT, POACT = "run", "hf", "endpoint", "shortcut", "poact"
NAMED = {
    RUN: "path",
    LOCAL: "model",
    REMOTE: "model",
    POACT: "model",
    SHORTCUT: "name",
}  # whose name may say an option: hf:MODEL


@dataclass(frozen=True)
class AgentKind:
    """An entry of `AGENTS`.

    Attributes:
        build: Makes the policy from its options, which are its keyword arguments.
        description: In one sentence.
        incidental: Options that change how the policy reaches its model and not what it says: a run may be continued
            with other values.
        alone: Whether one process should play all episodes, because the policy fills the machine by itself.
        concurrent: Episodes that are best played at once, unless the option `concurrency` says otherwise.
        stored: Options as they may be written down, without what is secret.
        wrappers: Tables of the wrappers that it brings along, by `name`, the first innermost.
    """

    build: Callable[..., Policy]
    description: str = ""
    incidental: frozenset[str] = frozenset()
    alone: bool = False
    concurrent: int = 1
    stored: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    wrappers: tuple[Mapping[str, Any], ...] = ()


def _stored_endpoint(options: Mapping[str, Any]) -> dict[str, Any]:
    return marked_options(stored_options(options))


_OF_AN_ENDPOINT = frozenset({"api_key_env", "timeout", "retries", "concurrency", "max_cost", "max_total_tokens"})
AGENTS: dict[str, AgentKind] = {
    "random": AgentKind(RandomPolicy, "plausible actions at random"),
    "nothing": AgentKind(NothingPolicy, "says nothing until the turns are over"),
    "oracle": AgentKind(OraclePolicy, "reads the hidden state: the upper bound"),
    "expert": AgentKind(ExpertPolicy, "a good player that knows what the agent has seen"),
    "rule": AgentKind(RulePolicy, "the published rule-based player of the world, where there is one"),
    SHORTCUT: AgentKind(shortcut_policy, "a player that does not do the task, as shortcut:memory"),
    REMOTE: AgentKind(
        endpoint_policy,
        "a chat model behind an OpenAI-compatible endpoint, also as endpoint:MODEL",
        incidental=_OF_AN_ENDPOINT,
        alone=True,
        concurrent=8,
        stored=_stored_endpoint,
    ),
    POACT: AgentKind(
        poact_policy,
        "such a model that plans, thinks or codes by turns, with few tools at a time, also as poact:MODEL",
        incidental=_OF_AN_ENDPOINT,
        alone=True,
        concurrent=8,
        stored=_stored_endpoint,
        wrappers=({"name": "CodeAction"},),
    ),
    LOCAL: AgentKind(
        hugging_face_policy,
        "a local Hugging Face chat model, also as hf:MODEL",
        incidental=frozenset({"device"}),
        alone=True,
        concurrent=16,
        stored=marked_options,
    ),
    RUN: AgentKind(
        run_policy,
        "what a training run has learned, as run:FOLDER",
        incidental=frozenset({"device"}),
        alone=True,
        concurrent=128,
    ),
}


def agent_kind(name: str) -> AgentKind:
    """The entry of `AGENTS`, or one for a callable of your own, `module:name`.

    A callable with three parameters without default is asked for every action, with what is seen, the admissible
    actions (None if they cannot be listed) and a generator. Any other is a factory: called with the options, it returns
    a policy.

    Args:
        name: Of the agent; `run:FOLDER` names the run as well, `hf:MODEL` and `endpoint:MODEL` the model.

    Raises:
        UnknownName: with the nearest known name.
        ConfigError: if it is no name, the module or the factory cannot be found, or the name is `human`.
    """
    if not isinstance(name, str):
        raise ConfigError(f"an agent is named, such as 'expert', got {type(name).__name__}; {OF_YOUR_OWN}")
    if name in AGENTS:
        return AGENTS[name]
    if name == "human":
        raise ConfigError("a person plays one episode at a time, with  agentgym play ID")
    module, colon, factory = name.partition(":")
    if not colon:
        raise unknown("agent", name, AGENTS)
    if module in NAMED:
        kind, option = AGENTS[module], NAMED[module]
        return replace(kind, build=partial(kind.build, **{option: factory}))
    try:
        build = getattr(import_named(module), factory)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(f"the agent {name!r} cannot be imported: {error}") from None
    if not callable(build):
        raise ConfigError(f"the agent {name!r} is a {type(build).__name__}; name a function or a factory of policies")
    return AgentKind(partial(FunctionPolicy, build) if _acts(build) else _Factory(name, build))


@dataclass(frozen=True)
class _Factory:
    """A callable of somebody's own that is to make a policy.

    Attributes:
        name: As it was written down.
        factory: The callable.
    """

    name: str
    factory: Callable[..., Any]

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.factory)

    def __call__(self, **options: Any) -> Policy:
        """The policy; a `ConfigError` if it is none."""
        made = self.factory(**options)
        if isinstance(made, type) or getattr(made, "reads", None) not in READS:
            raise ConfigError(
                f"the agent {self.name!r} returns {shorten(repr(made), 60)}, which is no policy; let it return an "
                "ActionPolicy, or name a function of what is seen, the admissible actions and a generator"
            )
        policy: Policy = made
        return policy


def _acts(named: Callable[..., Any]) -> bool:
    """Whether a callable is a player itself, of what is seen, admissible actions and a generator."""
    try:
        given = inspect.signature(named).parameters.values()
    except ValueError:
        raise ConfigError(f"{named!r} does not say what it takes; name a Python function that calls it") from None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is each.empty for each in given) == 3


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options the agent does not take, and the lack of one it needs, without building it.

    Args:
        name: See `agent_kind`.
        options: The options.

    Raises:
        ConfigError: naming the option.
    """
    known = inspect.signature(agent_kind(name).build).parameters
    kind, named, _ = name.partition(":")
    if named and NAMED.get(kind) in options:
        raise ConfigError(f"the agent {name!r} names its {NAMED[kind]} already; leave the option {NAMED[kind]!r} out")
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for option in options:
        if option not in known:
            taken = ", ".join(known) or "none"
            raise ConfigError(f"the option {option!r} has no effect on the agent {name!r}; its options: {taken}")
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in options:
            raise ConfigError(f"the agent {name!r} needs the option {option!r}")
    if kind in AGENTS:
        _check_values(name, agent_kind(name).build, options)


def _check_values(name: str, build: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse options of another type than one of our own agents takes."""
    function = getattr(build, "func", build)
    said = {option: kind for option, kind in getattr(function, "__annotations__", {}).items() if option in options}
    kinds = get_type_hints(SimpleNamespace(__annotations__=said), getattr(function, "__globals__", {}))
    for option, kind in kinds.items():
        value = options[option]
        spoken = option == "extra_body" or (option == "drop" and isinstance(value, str))  # which the agent reads itself
        if not spoken and (wrong := misfit(value, kind)):
            raise ConfigError(f"the option {option!r} of the agent {name!r} {wrong}")


def agent_home(name: str) -> Home:
    """Where the agent of a name was trained; for those that are not of a run, the wrappers that it brings along."""
    kind, _, path = name.partition(":")
    if kind == RUN:
        return run_home(path)
    return Home(wrappers=AGENTS[kind].wrappers) if kind in AGENTS else Home()


def make_agent(name: str, **options: Any) -> Policy:
    """The policy of a name with its options.

    Args:
        name: See `agent_kind`.
        options: Keyword arguments of the policy.

    Raises:
        UnknownName, ConfigError, MissingExtra: in one line that says what to do.
    """
    check_options(name, options)
    return agent_kind(name).build(**options)
