"""Who plays: each player of an environment, and the parts that share the work of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from agentgym.agents.policy import Policy
from agentgym.agents.prompt import Prompt
from agentgym.agents.scripted import OpponentPolicy
from agentgym.core import ConfigError
from agentgym.rollout.env_pool import EnvPool


@dataclass(frozen=True)
class Role:
    """One part in a player's turn; several speak one after the other, and the last one acts.

    Attributes:
        policy: Who speaks. Roles may share one.
        trainable: Whether its episodes keep their tokens, to be learned from.
        prompt: How the world is put into words for it; None for the policy's own.
        instruction: What its part is, said to it before the first observation and whenever the task is repeated.
        guidance: Words that help it, such as rules that were learned, said after the instruction.
        plain: Whether it is learned from as if it had not been helped: its tokens are kept behind the prompts without
            guidance and without hints (`info["hint"]`), and turns that had any are marked off-policy, for they were
            sampled under other prompts (context distillation, Snell et al. 2022, arXiv:2209.15189).
        speaker: Name of the policy, which its turns record; "" records the name of the role.
        delegation: Who answers what it hands over in a turn, in a conversation of several turns; None for nobody.
        every: Turns from one time that it speaks to the next, such as 1 for each; in between, what it said last stands,
            and is paid for what happens then. 0 lets it speak in the first turn alone. Who acts speaks in each.
        call: Words with which a later role calls it, by an answer that begins with them: it then speaks in that turn as
            well, unless it has spoken, and who called it answers again. "" for none. That answer counts as a turn of
            who gave it. Who acts is called by nobody.
    """

    policy: Policy
    trainable: bool = True
    prompt: Prompt | None = None
    instruction: str = ""
    guidance: str = ""
    plain: bool = False
    speaker: str = ""
    delegation: Delegation | None = None
    every: int = 1
    call: str = ""

    def __post_init__(self) -> None:
        check_calling(self)
        if self.plain and not self.trainable:
            raise ConfigError("plain has no effect on a role that is not learned from; leave it out")
        if self.trainable and self.policy.reads != "tokens":
            raise ConfigError(
                f"a {type(self.policy).__name__} has no log-probabilities and cannot be trained; set trainable=False"
            )


def check_calling(given: Any) -> None:
    """Refuse settings of when a role speaks that are out of range.

    Args:
        given: A `Role`, or what has settings of the same names.

    Raises:
        ConfigError: naming the setting.
    """
    if given.every < 0:
        raise ConfigError(f"every of a role must be at least 0 turns, got {given.every}")
    if given.call != given.call.strip():
        raise ConfigError(f"call of a role must be words without space around them, got {given.call!r}")


def check_acting(name: str, given: Any) -> None:
    """Refuse an acting role that would keep silent.

    Args:
        name: Of the role.
        given: A `Role`, or what has settings of the same names.

    Raises:
        ConfigError: naming what has no effect.
    """
    if given.every != 1 or given.call:
        raise ConfigError(f"every and call have no effect on {name or 'the only role'!r}, which acts in each turn")


@dataclass(frozen=True)
class Delegation:
    """A conversation that a part may open in its turn, before it acts; see `agentgym.rollout.children`.

    Attributes:
        name: Of who answers in it, as the role of its episodes.
        role: Who that is; it may hand things over itself.
        call: Words with which an answer begins that hands over what follows them.
        turns: Most turns of the conversation.
        most: Most conversations of this kind that are opened in an episode.
        world: Where it is played: None for no world (until it is said: `answer: ...`), `same` for another instance of
            the parent's own world with its task, or another world of one player, with tasks that are drawn.
        paid: What its last turn earns: what the `parent` came to in the end, what its `own` world gave, or `both`.
    """

    name: str
    role: Role
    call: str = "delegate:"
    turns: int = 4
    most: int = 1
    world: EnvPool | Literal["same"] | None = None
    paid: Literal["parent", "own", "both"] = "parent"

    def __post_init__(self) -> None:
        check_delegation(self)

    @property
    def told(self) -> str:
        """What the part is told of it."""
        return (
            f"To have something found out, say: {self.call} what you want to know. {self.name} answers; then you go on."
        )


def check_delegation(given: Any) -> None:
    """Refuse settings of a delegation that are out of range or have no effect.

    Args:
        given: A `Delegation`, or what has settings of the same names.

    Raises:
        ConfigError: naming the setting.
    """
    if not given.call.strip() or not given.name:
        raise ConfigError("a delegation needs a name, and words for its call, such as 'delegate:'")
    if given.turns < 1 or given.most < 1:
        raise ConfigError(f"turns and most of a delegation must be at least 1, got {given.turns} and {given.most}")
    if given.world is None and given.paid != "parent":
        raise ConfigError(f"a conversation without a world earns nothing, so paid {given.paid!r} has no effect")


Player: TypeAlias = Policy | Role | str | Mapping[str, Role]
"""Who holds a player's place: a policy, a role, the name of a scripted opponent, or several roles by name."""
Players: TypeAlias = Policy | Role | Mapping[str, Role] | Mapping[str, Player]
"""Who plays: by player; or one policy for every player; or, where there is one player, its roles by name."""


@dataclass(frozen=True)
class Cast:
    """Who holds each player's place.

    Attributes:
        roles: By player, its roles by name; the last one acts.
        named: Players held by a scripted opponent that was given by name; their episodes are not returned.
    """

    roles: Mapping[str, Mapping[str, Role]]
    named: frozenset[str] = frozenset()

    @property
    def learning(self) -> set[tuple[str, str]]:
        """Player (as episodes name it: "" where there is one) and role of everybody who may be learned from."""
        many = len(self.roles) > 1
        found = [(player, name, role) for player, roles in self.roles.items() for name, role in roles.items()]
        for player, _, role in found:  # it grows by those who are asked, and by whom they ask
            if role.delegation is not None:
                found.append((player, role.delegation.name, role.delegation.role))
        return {(player if many else "", name) for player, name, role in found if role.trainable}


def assign_roles(players: Players, pool: EnvPool) -> Cast:
    """The cast of an environment.

    Args:
        players: Who plays.
        pool: Where.

    Raises:
        ConfigError: if a player has nobody to hold its place, or a player or opponent is unknown.
    """
    if not isinstance(players, Mapping):
        return Cast({player: _roles(players, player, pool) for player in pool.players})
    if not players:
        raise ConfigError("there is no role; give {name: Role(policy)}")
    if len(pool.players) == 1 and pool.players[0] not in players:
        return Cast({pool.players[0]: _roles(cast(Player, players), pool.players[0], pool)})
    for player in pool.players:
        if player not in players:
            raise ConfigError(
                f"nobody plays {player} of {pool.id}; give a Role, or one of its opponents: "
                f"{', '.join(pool.opponents) or 'it has none'}"
            )
    for player in players:
        if player not in pool.players:
            raise ConfigError(f"{pool.id} has no player {player!r}; it has: {', '.join(pool.players)}")
    named = frozenset(player for player, holder in players.items() if isinstance(holder, str))
    return Cast({player: _roles(holder, player, pool) for player, holder in players.items()}, named)


def _roles(holder: Player, player: str, pool: EnvPool) -> Mapping[str, Role]:
    """The roles of one player; a single one has the player's name, or none where there is one player."""
    name = player if len(pool.players) > 1 else ""
    if isinstance(holder, Mapping):
        for role, given in holder.items():
            if not isinstance(given, Role):
                raise ConfigError(f"the role {role!r} is a {type(given).__name__}; write Role(policy)")
        check_acting(*[*holder.items()][-1])
        return holder
    if isinstance(holder, Role):
        check_acting(name, holder)
        return {name: holder}
    if isinstance(holder, str):
        if holder not in pool.opponents:
            known = ", ".join(pool.opponents) or "none"
            raise ConfigError(f"{pool.id} has no opponent {holder!r}; it has: {known}")
        return {name: Role(OpponentPolicy(holder), trainable=False)}
    return {name: Role(holder, trainable=holder.reads == "tokens")}
