"""Who plays: each player of an environment, and the parts that share the work of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

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
    """

    policy: Policy
    trainable: bool = True
    prompt: Prompt | None = None
    instruction: str = ""
    guidance: str = ""
    plain: bool = False
    speaker: str = ""

    def __post_init__(self) -> None:
        if self.plain and not self.trainable:
            raise ConfigError("plain has no effect on a role that is not learned from; leave it out")
        if self.trainable and self.policy.reads != "tokens":
            raise ConfigError(
                f"a {type(self.policy).__name__} has no log-probabilities and cannot be trained; set trainable=False"
            )


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
        return holder
    if isinstance(holder, Role):
        return {name: holder}
    if isinstance(holder, str):
        if holder not in pool.opponents:
            known = ", ".join(pool.opponents) or "none"
            raise ConfigError(f"{pool.id} has no opponent {holder!r}; it has: {known}")
        return {name: Role(OpponentPolicy(holder), trainable=False)}
    return {name: Role(holder, trainable=holder.reads == "tokens")}
