"""Who holds the other places of a game while a policy learns: itself, its earlier selves, or a script."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import torch
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import EnvPool, Role
from agentgym.train.config_parser import pick
from agentgym.train.interfaces import Remembering

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine

Assignment: TypeAlias = dict[str, Role | str]


class Opponent(Remembering):
    """Says who plays which player in a round.

    Attributes:
        copies: Whether it keeps a copy of the policy's model.
    """

    copies: ClassVar[bool] = False

    def assign_policies(self, world: EnvPool, engine: HuggingFaceEngine, update: int, seed: int) -> Assignment:
        """By player, who holds its place in the round after `update` updates; `seed` is the recipe's.

        Args:
            world: The game.
            engine: The policy as it is now.
            update: Updates done.
            seed: Of the recipe.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement assign_policies(world, engine, update, seed)")


@dataclass(frozen=True)
class SelfPlayOpponent(Opponent):
    """The policy holds every place, and learns from each."""

    def assign_policies(self, world: EnvPool, engine: HuggingFaceEngine, update: int, seed: int) -> Assignment:
        """The policy for every player, in every round.

        Args:
            world: The game.
            engine: The policy as it is now.
            update, seed: Of no account, as nothing changes or is drawn.
        """
        return {player: Role(engine) for player in world.players}


@dataclass(frozen=True)
class ScriptedOpponent(Opponent):
    """The policy holds one place, another each round; a scripted opponent of the game holds the others.

    Attributes:
        level: Which one.
    """

    level: str

    def assign_policies(self, world: EnvPool, engine: HuggingFaceEngine, update: int, seed: int) -> Assignment:
        """The policy for one player, the next in turn each round, and the scripted opponent for the others.

        Args:
            world: The game.
            engine: The policy as it is now.
            update: Updates done; says whose turn it is to learn.
            seed: Of no account: the opponent draws from the generators of its episodes.
        """
        return {player: Role(engine) if player == _turn(world, update) else self.level for player in world.players}


@dataclass(frozen=True)
class PolicyPool(Opponent):
    """The policy holds one place, another each round; an earlier self, drawn for the round, holds the others.

    Fictitious self-play in its simplest form (Brown 1951; Heinrich and Silver 2016, arXiv:1603.01121): to do well
    against the mixture of all it has been keeps a policy from going in circles. The first self is the policy before its
    first update.

    Attributes:
        every: Updates from one self that is kept to the next.
        kept: Most selves; the oldest is forgotten first.
    """

    every: int = 10
    kept: int = 8
    copies: ClassVar[bool] = True
    _selves: list[tuple[int, dict[str, Tensor]]] = field(default_factory=list, init=False, repr=False, compare=False)
    _rival: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.every < 1 or self.kept < 1:
            raise ConfigError(f"every and kept of 'policy_pool' must be at least 1, got {self.every} and {self.kept}")

    def check(self, recipe: Any) -> None:
        """There must be more than one self to meet."""
        if self.every >= recipe.update.updates:
            raise ConfigError(
                f"rollout.opponent 'policy_pool' keeps a self every {self.every} updates, and the run has "
                f"{recipe.update.updates}: it would only ever meet its first"
            )

    @property
    def selves(self) -> tuple[int, ...]:
        """The updates after which the selves that are kept were taken, oldest first."""
        return tuple(update for update, _ in self._selves)

    def assign_policies(self, world: EnvPool, engine: HuggingFaceEngine, update: int, seed: int) -> Assignment:
        """The policy for one player, the next in turn each round, and an earlier self for the others.

        Args:
            world: The game.
            engine: The policy as it is now; every so many updates its weights are copied and join the pool.
            update: Updates done; says whose turn it is to learn.
            seed: Of the recipe; with `update` it names the stream from which the self is drawn.
        """
        if update % self.every == 0 and update not in self.selves:
            self._selves.append((update, _weights(engine.model)))
            del self._selves[: -self.kept]
        drawn = int(stream("train.opponent", seed, update).integers(len(self._selves)))
        rival = Role(self._awake(engine, *self._selves[drawn]), trainable=False)
        return {player: Role(engine) if player == _turn(world, update) else rival for player in world.players}

    def _awake(self, engine: HuggingFaceEngine, update: int, weights: Mapping[str, Tensor]) -> HuggingFaceEngine:
        """The engine of an earlier self; all of them share one copy of the model."""
        if not self._rival:
            twin = copy.copy(engine)
            twin.model = copy.deepcopy(engine.model).eval().requires_grad_(False)
            self._rival.append(twin)
        rival: HuggingFaceEngine = self._rival[0]
        rival.temperature, rival.version = engine.temperature, update
        own = dict(rival.model.named_parameters())
        with torch.no_grad():
            for name, value in weights.items():
                own[name].copy_(value)
        return rival

    def state(self) -> list[dict[str, Any]]:
        """The selves that are kept."""
        return [{"update": update, "weights": weights} for update, weights in self._selves]

    def load(self, state: Any) -> None:
        """See `Remembering`."""
        self._selves[:] = [(each["update"], each["weights"]) for each in state]


def _turn(world: EnvPool, update: int) -> str:
    return world.players[update % len(world.players)]


def _weights(model: Any) -> dict[str, Tensor]:
    """The weights that are trained, as they are now."""
    return {name: each.detach().clone() for name, each in model.named_parameters() if each.requires_grad}


OPPONENTS: dict[str, type[Opponent]] = {
    "self_play": SelfPlayOpponent,
    "policy_pool": PolicyPool,
    "scripted": ScriptedOpponent,
}


def opponent_of(table: Any) -> Opponent:
    """The opponent that a recipe names: one of `OPPONENTS`, or a level of the game's scripted opponents."""
    if isinstance(table, Opponent):
        return table
    if isinstance(table, str) and table not in OPPONENTS:
        return ScriptedOpponent(table)
    opponent: Opponent = pick(OPPONENTS, table, "rollout.opponent")
    return opponent
