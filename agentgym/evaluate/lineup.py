"""Who plays a game: agents by name with their options, and which of them holds which player."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from agentgym.agents import (
    AGENTS,
    NAMED,
    OF_YOUR_OWN,
    AgentKind,
    OpponentPolicy,
    agent_home,
    agent_kind,
    check_options,
)
from agentgym.agents.asked import asked_words, prompt_record
from agentgym.agents.shots import Shots
from agentgym.core import ConfigError, EnvCard, fingerprint, full_id, unknown
from agentgym.evaluate.examples import check_reader, expert_shots
from agentgym.evaluate.game_pools import GamePools
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.playing import Holders, Players
from agentgym.evaluate.recorder import AgentSetting, RecordHeader
from agentgym.rollout import EnvPool, Role, assign_roles
from agentgym.rollout.roles import Cast
from agentgym.rollout.wrapping import PICTURES, wrap_tables

BESIDE = ("wrap", "shots")  # what is told to whoever plays an agent, and not to the agent
PLAIN = 32  # games that are played together where no model plays


@dataclass(frozen=True)
class Agent:
    """An agent and its options.

    Attributes:
        name: A level of the game's scripted opponents, a name of `agentgym.agents.AGENTS`, `run:FOLDER`, `hf:MODEL`,
            `endpoint:MODEL`, or `module:name` for a callable of your own; see `agentgym.agents.agent_kind`.
        options: Its keyword arguments; JSON-safe.
        wrap: Wrappers through which it plays, the first innermost; as in `evaluate`.
        shots: Episodes of the game's expert that it is shown before a game; as in `evaluate`.
        own: What of the above is its own where others are told more: then what all agents are given (`agent_options`,
            `wrap`, `shots`) goes to it as well, except for what is named here. None leaves it as it stands.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    wrap: Sequence[str | Mapping[str, Any]] = ()
    shots: int = 0
    own: frozenset[str] | None = None

    @classmethod
    def said(cls, name: str, own: Mapping[str, Any] = MappingProxyType({})) -> Agent:
        """An agent that is given what all agents are, but for some options of its own.

        Args:
            name: As in `Agent`.
            own: Its options, and `wrap` and `shots`.
        """
        options = {key: value for key, value in own.items() if key not in BESIDE}
        return cls(name, options, tuple(own.get("wrap", ())), own.get("shots", 0), frozenset(own))

    @property
    def mark(self) -> str:
        """What tells it from another agent of the same name."""
        return fingerprint([dict(self.options)])[:6]

    @property
    def tables(self) -> tuple[Mapping[str, Any], ...]:
        """Tables of its wrappers; those first that an agent of a run brings along."""
        own = (*agent_home(self.name).wrappers, *wrap_tables(self.wrap))
        return (*own, PICTURES) if self.options.get("pictures") else own

    @property
    def label(self) -> str:
        """Its name, and how it is asked where that is out of the usual."""
        asked = asked_words(self.options, wrap_tables(self.wrap), self.shots)
        return f"{self.name} [{' '.join(asked)}]" if asked else self.name


def agent_at(name: str, card: EnvCard) -> AgentKind:
    """How an agent is made that plays a game.

    Args:
        name: See `Agent`. A level comes before an agent of the same name.
        card: Of the game.

    Raises:
        UnknownName: with the nearest known name.
        ConfigError: if what is named cannot be imported.
    """
    if name in card.opponents:
        return AgentKind(partial(OpponentPolicy, name))
    if name not in AGENTS and name != "human" and ":" not in name:
        raise unknown(f"opponent or agent in {card.id}", name, {*card.opponents, *AGENTS, "module:name"})
    return agent_kind(name)


def check_agents(agents: Any) -> None:
    """Refuse what is no list of agents.

    Args:
        agents: What was given.

    Raises:
        ConfigError: if it is none, or one of them is neither a name nor an `Agent`.
    """
    if not isinstance(agents, (list, tuple)):
        raise ConfigError(f"agents are a list such as ['random', 'expert'], got {agents!r}")
    for each in agents:
        if not isinstance(each, (str, Agent)):
            raise ConfigError(f"an agent is a name or an Agent, got {type(each).__name__}; {OF_YOUR_OWN}")


def share_options(
    agents: Sequence[str | Agent],
    options: Mapping[str, Any],
    card: EnvCard,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
) -> list[Agent]:
    """The agents in order, each of those given by name with those of some common options that it takes.

    Args:
        agents: Names, or agents, which keep what is their own.
        options: The options.
        card: Of the game.
        wrap: Wrappers through which models and callables of your own play.
        shots: Examples that they are shown.

    Raises:
        ConfigError: if one of them is neither, or an option has an effect on none of them.
    """
    check_agents(agents)
    given = [Agent.said(each) if isinstance(each, str) else each for each in agents]
    named = [each.name for each in given if each.own is not None]
    found: list[Agent] = []
    used: set[str] = set()
    for agent in given:
        if agent.own is None:
            found.append(agent)
            continue
        taken = _taken(agent.name, card)
        common = {key: value for key, value in options.items() if taken is None or key in taken}
        asked = agent.name not in card.opponents and (agent.name not in AGENTS or AGENTS[agent.name].alone)
        beside: dict[str, Any] = {"wrap": tuple(wrap), "shots": shots} if asked else {}
        used |= {key for key in (*common, *beside) if key not in agent.own}
        for name in BESIDE:
            if not asked and name in agent.own:
                raise ConfigError(f"{name} has no effect on the program {agent.name}; name a model")
        kept = {name: value for name, value in beside.items() if name not in agent.own}
        found.append(replace(agent, options={**common, **agent.options}, own=None, **kept))
    for option in options:
        if option not in used:
            raise ConfigError(f"the option {option!r} has no effect on any of: {', '.join(named)}")
    for option, value in (("wrap", wrap), ("shots", shots)):
        if value and option not in used:
            raise ConfigError(f"{option} has no effect on programs, such as {', '.join(named)}; name a model")
    return found


def _taken(name: str, card: EnvCard) -> frozenset[str] | None:
    """The options that an agent takes, without what its name says already; None if it takes any."""
    parameters = inspect.signature(agent_at(name, card).build).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return None
    kind, named, _ = name.partition(":")
    return frozenset(parameters) - {NAMED.get(kind, "") if named else ""}


class Lineup:
    """The agents of a match, under the names that records and tables give them.

    Args:
        lineups: Who holds each player; where there are several, games take turns through them.
        card: Of the game.

    Attributes:
        agents: By label: the name, and a mark of the options where two agents share a name.
        holders: The label of who holds each player, one mapping for each of `lineups`.
        shots: By label, examples of the agents that are shown some, once `show_examples` was called.

    Raises:
        UnknownName, ConfigError: in one line, if an agent is unknown or an option is wrong.
    """

    def __init__(self, lineups: Sequence[Mapping[str, Agent]], card: EnvCard):
        distinct: list[Agent] = []
        for lineup in lineups:
            for agent in lineup.values():
                if agent not in distinct:
                    self._check(agent, card)
                    distinct.append(agent)
        names = [agent.label for agent in distinct]
        labels = [each.label if names.count(each.label) == 1 else f"{each.label}#{each.mark}" for each in distinct]
        self.agents: dict[str, Agent] = dict(zip(labels, distinct, strict=True))
        self.holders = [
            {player: labels[distinct.index(agent)] for player, agent in lineup.items()} for lineup in lineups
        ]
        self.shots: dict[str, Shots] = {}
        self._card = card

    def _check(self, agent: Agent, card: EnvCard) -> None:
        wrap_tables(agent.wrap)
        agent_at(agent.name, card)
        if agent.name not in card.opponents:
            check_options(agent.name, agent.options)
        elif agent.options:
            raise ConfigError(f"the options {', '.join(agent.options)} have no effect on the opponent {agent.name!r}")

    def record(self) -> dict[str, Any]:
        """Who plays, as JSON-safe data without what is secret or incidental."""
        told = {}
        for label, agent in self.agents.items():
            kind = agent_at(agent.name, self._card)
            options = {key: value for key, value in kind.stored(agent.options).items() if key not in kind.incidental}
            tables = [dict(table) for table in agent.tables]
            told[label] = {"name": agent.name, "options": options, "wrappers": tables}
            told[label]["prompt"] = prompt_record(agent.options, wrap_tables(agent.wrap), self.shots.get(label))
        return {"agents": told, "players": self.holders}

    def formats(self, holders: Mapping[str, str]) -> dict[str, Sequence[Mapping[str, Any]]]:
        """Tables of the wrappers of each player that has some.

        Args:
            holders: The label of who holds each player.
        """
        return {player: tables for player, label in holders.items() if (tables := self.agents[label].tables)}

    def show_examples(
        self, env_id: str, split: str, seed: int, limits: EpisodeLimits, env_kwargs: Mapping[str, Any]
    ) -> None:
        """Let the expert play what agents are to be shown.

        Args:
            env_id: The game.
            split: Which is played.
            seed: Of the run.
            limits: Of the game.
            env_kwargs: Its constructor arguments.

        Raises:
            ConfigError: if there are no such examples.
        """
        for label, agent in self.agents.items():
            if agent.shots:
                held = {player for holders in self.holders for player, who in holders.items() if who == label}
                found = expert_shots(
                    env_id, agent.shots, split=split, seed=seed, limits=limits, env_kwargs=env_kwargs,
                    formats=dict.fromkeys(held, agent.tables),
                )  # fmt: skip
                self.shots[label] = {player: shots for player, shots in found.items() if player in held}

    def env_kwargs(self) -> dict[str, Any]:
        """Options of the game that agents were trained with, of those that were trained in it.

        Raises:
            ConfigError: if two of them were trained with different ones.
        """
        found: dict[str, Any] = {}
        for agent in self.agents.values():
            home = agent_home(agent.name)
            if not home.id or full_id(home.id.rpartition(":")[2]) != self._card.id:
                continue
            for key, value in home.options.items():
                if found.setdefault(key, value) != value:
                    raise ConfigError(f"the runs were trained with different {key}; give --env {key}=VALUE")
        return found

    def header(self, env: str, env_kwargs: Mapping[str, Any], split: str) -> RecordHeader:
        """What records say of game and agents.

        Args:
            env: Id of the game as `module:id`.
            env_kwargs: Its constructor arguments.
            split: Where its tasks come from.
        """
        agents = {
            label: AgentSetting(agent_at(agent.name, self._card).stored(agent.options), agent.tables)
            for label, agent in self.agents.items()
        }
        return RecordHeader(env, env_kwargs, split, agents)

    def players(self, pools: GamePools, header: RecordHeader) -> Players:
        """The agents, ready to play.

        Args:
            pools: Where the game is played; open.
            header: What records say of game and agents.
        """
        policies = {
            label: agent_at(agent.name, self._card).build(**agent.options) for label, agent in self.agents.items()
        }

        def role(label: str) -> Role:
            shots = self.shots.get(label)
            prompt = replace(check_reader(policies[label], label), shots=shots) if shots else None
            return Role(policies[label], trainable=False, prompt=prompt)

        def assign(holders: Holders) -> tuple[EnvPool, Cast]:
            pool = pools.open(None, self.formats(holders))
            return pool, assign_roles({player: role(label) for player, label in holders.items()}, pool)

        return Players(policies, assign, header, self._at_once())

    def _at_once(self) -> int:
        """Games that are best played together."""
        wanted = []
        for agent in self.agents.values():
            kind = agent_at(agent.name, self._card)
            if kind.alone:
                wanted.append(int(agent.options.get("concurrency", kind.concurrent)))
        return min(wanted, default=PLAIN)
