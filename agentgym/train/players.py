"""The tables `[policies]` and `[players]` of a recipe: whose weights speak, and who speaks when.

    [policies.planner]                     # the weights of [model], which learn
    [policies.helper]                      # the same as they are before the first update
    trainable = false

    [players]                              # of a world of one player: its roles, the last of which acts
    planner = { policy = "planner", instruction = "Say what to do." }
    executor = "helper"

In a game the keys of `[players]` are its players, and each is a policy, a scripted opponent of the game, or a table of
roles as above. A policy may hold several places, and several policies may share the work of one player. A player of a
game speaks through wrappers of its own: `player_0 = { policy = "planner", wrappers = [{ name = "ReAct" }] }`.

A part may hand something over in its turn, to be worked out in a conversation of several turns:

A part that does not act may speak now and then: what it said last stands meanwhile, and the act part, or any other
after it, can have it speak again within a turn:

    [players]
    plan = { policy = "policy", every = 4, call = "replan" }   # or every = 0: in the first turn, and when it is called
    act = "policy"

    [players.act]
    policy = "policy"
    delegate = { name = "helper", policy = "policy", instruction = "Answer what you are asked.", turns = 3 }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentgym.agents import check_options
from agentgym.agents.context import CONTEXTS
from agentgym.agents.prompt import Answer
from agentgym.core import ConfigError, find_card, unknown
from agentgym.rollout import Delegation, EnvPool, Role
from agentgym.rollout.roles import check_acting, check_calling, check_delegation
from agentgym.rollout.wrapping import named_wrapper
from agentgym.train.adapters import FIRST
from agentgym.train.config import WorldConfig
from agentgym.train.config_parser import build, pick
from agentgym.train.schedules import Schedule, extremes

if TYPE_CHECKING:
    from agentgym.train.mixture import WorldPlan
    from agentgym.train.recipe import Recipe

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")  # of a policy: part of the names of weights and folders
MAIN = "policy"  # the one of a recipe without [policies]


@dataclass(frozen=True)
class PolicyConfig:
    """Whose words these are.

    Attributes:
        model: Weights of its own: a folder, a GGUF file or a hub id; None for those of `[model]` as cloning left them.
            Where `model.lora` is set, all policies of `[model]` stand on one base, each with adapters of its own;
            otherwise the first that learns has the model itself, every other that learns a copy, and all that are
            frozen share one.
        adapter: A folder with adapters to begin with, in place of those that cloning left; needs `model.lora`.
        agent: A frozen policy by name, such as `expert`, `endpoint:MODEL` or `run:FOLDER`; "" for a model that is
            trained or frozen here.
        options: Of that agent, such as the `base_url` of an endpoint.
        trainable: Whether it learns; None for every model that is no `agent`.
        system: Words with which its system message begins.
        manual, answer, max_new_tokens: As in `[model]`; None for what stands there.
        context: As in `[rollout]`; None for what stands there.
        learning_rate: Of its own optimizer; None for that of `[update]`.
    """

    model: str | None = None
    adapter: str | None = None
    agent: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    trainable: bool | None = None
    system: str = ""
    manual: bool | None = None
    answer: Answer | None = None
    max_new_tokens: int | None = None
    context: Any = None
    learning_rate: float | Schedule | None = None

    def __post_init__(self) -> None:
        if self.context is not None:
            object.__setattr__(self, "context", pick(CONTEXTS, self.context, "policies.context"))
        if self.agent:
            self._check_agent()
        elif self.options:
            raise ConfigError("options of a policy have no effect without agent, whose options they are")
        if self.adapter is not None and self.model is not None:
            raise ConfigError("adapter of a policy stands on the weights of [model]; leave out its own model")
        if self.max_new_tokens is not None and self.max_new_tokens < 1:
            raise ConfigError(f"max_new_tokens of a policy must be at least 1, got {self.max_new_tokens}")
        if self.learning_rate is not None:
            if not self.learns:
                raise ConfigError("learning_rate has no effect on a policy that does not learn")
            if extremes(self.learning_rate)[0] < 0 or not extremes(self.learning_rate)[1] > 0:
                raise ConfigError(f"learning_rate of a policy must be above 0, got {self.learning_rate}")

    def _check_agent(self) -> None:
        if self.trainable:
            raise ConfigError(f"the agent {self.agent!r} is frozen; leave out trainable, or give model in its place")
        for name in ("model", "adapter", "manual", "answer", "max_new_tokens", "context"):
            if getattr(self, name) is not None:
                raise ConfigError(f"{name} has no effect on the agent {self.agent!r}; give it what it takes as options")
        if self.system:
            raise ConfigError(f"system has no effect on the agent {self.agent!r}; give it as an option of that agent")
        check_options(self.agent, self.options)

    @property
    def learns(self) -> bool:
        """Whether its weights are moved."""
        return not self.agent if self.trainable is None else self.trainable


@dataclass(frozen=True)
class PlayerPart:
    """A part in a player's turn.

    Attributes:
        policy: Name of the policy that speaks, or, of a player of a game, of a scripted opponent.
        instruction: What its part is, said to it before the first observation and whenever the task is repeated.
        guidance: Words that help it, said after the instruction.
        plain: Whether it learns as if it had neither guidance nor hints (the wrapper `Hints`); see
            `agentgym.rollout.Role`. Turns that were helped are then `off_policy`: a loss with ratios leaves them out
            unless `update.masked` does not name them, and then corrects for the other prompt.
        wrappers: Of a player of a game, tables as those of `world.wrappers`; of several roles the last has them.
        delegate: Whom it may have work something out in its turn, a `DelegatePart`; None for nobody.
        every, call: When it speaks; see `agentgym.rollout.Role`.
    """

    policy: str
    instruction: str = ""
    guidance: str = ""
    plain: bool = False
    wrappers: tuple[Any, ...] = ()
    delegate: Any = None
    every: int = 1
    call: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self, DelegatePart):  # whose call is another thing
            check_calling(self)
        object.__setattr__(self, "wrappers", tuple(named_wrapper(table) for table in self.wrappers))
        if self.delegate is not None and not isinstance(self.delegate, DelegatePart):
            object.__setattr__(self, "delegate", build(DelegatePart, self.delegate, "delegate of a player"))


@dataclass(frozen=True)
class DelegatePart(PlayerPart):
    """Who answers what a part hands over; as a part of the work, it is that of a `PlayerPart` without wrappers.

    Attributes:
        call: Words with which an answer begins that hands over what follows them.
        name: Its own, as the role of its episodes.
        turns, most, paid: As of `agentgym.rollout.Delegation`.
        world: `same` for another instance of the world that is played, a table as `[world]` for another one of one
            player; None for none.
    """

    call: str = "delegate:"
    name: str = "helper"
    turns: int = 4
    most: int = 1
    world: Any = None
    paid: Literal["parent", "own", "both"] = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_delegation(self)
        if self.wrappers:
            raise ConfigError("wrappers have no effect on a delegate; write them into the table of its world")
        if self.every != 1:
            raise ConfigError("every has no effect on a delegate, which speaks when it is asked")
        if self.world not in (None, "same"):
            object.__setattr__(self, "world", build(WorldConfig, self.world, "world of a delegate"))

    def delegation(self, role: Role, world: EnvPool | None) -> Delegation:
        """What the runner takes.

        Args:
            role: Who answers.
            world: Where, if it is another one than that of the parent.
        """
        where: EnvPool | Literal["same"] | None = "same" if self.world == "same" else world
        return Delegation(self.name, role, self.call, self.turns, self.most, where, self.paid)


PlayerParts: TypeAlias = PlayerPart | dict[str, PlayerPart]
"""Who plays a player: one part, or its roles by name, the last of which acts."""


def read_policies(tables: Any) -> dict[str, PolicyConfig]:
    """The table `[policies]`.

    Args:
        tables: By name, the table of each.

    Raises:
        ConfigError: if it is no such table.
    """
    if not isinstance(tables, Mapping) or not all(isinstance(table, Mapping) for table in tables.values()):
        raise ConfigError("policies must hold a table by name of a policy: write [policies.planner]")
    for name in tables:
        if not NAME.fullmatch(name) or name == FIRST:
            raise ConfigError(f"a policy is named by letters, digits, - and _, and not {FIRST!r}; got {name!r}")
    return {name: build(PolicyConfig, table, f"policies.{name}") for name, table in tables.items()}


def read_players(table: Any) -> dict[str, PlayerParts]:
    """The table `[players]`.

    Args:
        table: By player or role, a policy's name, a part, or a table of roles.

    Raises:
        ConfigError: if it is no such table.
    """
    if not isinstance(table, Mapping) or not table:
        raise ConfigError("players must say who speaks, by player or role: write [players] and planner = 'policy'")
    return {name: _parts(holder, f"players.{name}") for name, holder in table.items()}


def _parts(holder: Any, where: str) -> PlayerParts:
    if isinstance(holder, Mapping) and "policy" not in holder:
        return {role: _part(each, f"{where}.{role}") for role, each in holder.items()}
    return _part(holder, where)


def _part(holder: Any, where: str) -> PlayerPart:
    return PlayerPart(holder) if isinstance(holder, str) else build(PlayerPart, holder, where)


def all_parts(players: Mapping[str, PlayerParts]) -> Iterator[PlayerPart]:
    """Every part of every player, in the order of the table."""
    for parts in players.values():
        for part in parts.values() if isinstance(parts, dict) else [parts]:
            while part is not None:
                yield part
                part = part.delegate


def acting_part(parts: PlayerParts) -> PlayerPart:
    """The part of a player that acts: its only one, or the last of its roles."""
    return [*parts.values()][-1] if isinstance(parts, dict) else parts


def formats(players: Mapping[str, PlayerParts]) -> dict[str, tuple[Any, ...]]:
    """The wrappers of each player of a game that has some."""
    return {name: part.wrappers for name, parts in players.items() if (part := acting_part(parts)).wrappers}


def learned_wrappers(recipe: Recipe) -> tuple[dict[str, Any], ...]:
    """Tables of the wrappers through which a policy of a recipe learns: those of its world, or of its player."""
    policies = recipe.policies or {MAIN: PolicyConfig()}
    found = list(recipe.world.wrappers)
    for part in map(acting_part, recipe.players.values()):
        if not found and part.policy in policies and policies[part.policy].learns:
            found = list(part.wrappers)
    return tuple(_table(each) for each in found)


def _table(wrapper: Any) -> dict[str, Any]:
    return {"name": wrapper.func.__name__, **wrapper.keywords}


def check_players(recipe: Recipe) -> None:
    """Refuse policies and players that contradict themselves, the world, or other tables.

    Args:
        recipe: The recipe.

    Raises:
        ConfigError: naming what is wrong.
    """
    players = [plan.players for plan in recipe.plans]
    if recipe.policies and not all(players):
        raise ConfigError("[policies] has no effect without [players] in every world, which says who of them speaks")
    if not any(players):
        return
    names = recipe.policies or {MAIN: PolicyConfig()}
    for plan in recipe.plans:
        _check_players(plan, names)
    speaking = {part.policy for own in players for part in all_parts(own)}
    for name, config in names.items():
        if name not in speaking and all(players):
            raise ConfigError(f"the policy {name!r} has no effect: nobody in [players] is it")
        if config.adapter is not None and not recipe.model.lora:
            raise ConfigError(f"policies.{name}.adapter needs model.lora, the rank of adapters on the base they share")
    if recipe.loss is not None and not any(names[name].learns for name in speaking if name in names):
        raise ConfigError("no policy in [players] learns; let one be trainable, or leave out [loss]")
    if recipe.model.shard:
        raise ConfigError("a sharded model plays by itself; leave out model.shard, or [players]")


def _check_players(plan: WorldPlan, names: Mapping[str, PolicyConfig]) -> None:
    """Refuse parts of nobody that a world knows."""
    if plan.players and plan.opponent:
        raise ConfigError("opponent has no effect beside players, which says who holds every place")
    known = find_card(plan.world.id)
    levels = known.opponents if known is not None and known.players > 1 else ()
    _check_formats(plan, names, several=known is None or known.players > 1)
    for part in all_parts(plan.players):
        if part.policy not in names and (part.policy not in levels or isinstance(part, DelegatePart)):
            raise unknown("policy in [players]", part.policy, [*names, *levels])
        if part.policy not in names and part != PlayerPart(part.policy):
            raise ConfigError(
                f"instruction, guidance and wrappers have no effect on the scripted opponent {part.policy!r}"
            )
        if isinstance(part, DelegatePart) and part.world == "same" and known is not None and known.players > 1:
            raise ConfigError(f"a delegate answers in a world of one player, and {plan.world.id} has several")
        if part.plain and not names[part.policy].learns:
            raise ConfigError(f"plain has no effect on the frozen policy {part.policy!r}; leave it out")
    if known is not None and known.players == 1 and any(isinstance(each, dict) for each in plan.players.values()):
        raise ConfigError(f"{plan.world.id} has one player; the keys of [players] are its roles, each one policy")
    if known is not None and known.players == 1 and plan.players:
        check_acting(*[*plan.players.items()][-1])
    elif known is not None:
        for name, parts in plan.players.items():
            check_acting(name, acting_part(parts))


def _check_formats(plan: WorldPlan, names: Mapping[str, PolicyConfig], *, several: bool) -> None:
    """Refuse wrappers that cannot stand around a player, or that leave unclear how a policy is to be asked later."""
    own = formats(plan.players)
    if sum(bool(part.wrappers) for part in all_parts(plan.players)) > len(own):
        raise ConfigError("wrappers stand around a whole player; give them to the last of its roles, which acts")
    if own and not several:
        raise ConfigError(f"{plan.world.id} has one player; write world.wrappers in place of wrappers in [players]")
    for each in (each for wrappers in own.values() for each in wrappers):
        if not getattr(each.func, "serves_games", False):
            raise ConfigError(f"{each.func.__name__} cannot stand around a player of a game; leave it out of wrappers")
    parts = [acting_part(parts) for parts in plan.players.values()]
    learning = [part for part in parts if part.policy in names and names[part.policy].learns]
    learned = [[_table(each) for each in part.wrappers] for part in learning]
    if any(tables != learned[0] for tables in learned):
        raise ConfigError("players that learn must have equal wrappers: a run is asked in one way wherever it plays")
