"""`drive(env)`: one way to play any environment, whatever its interface and however many players it has.

A Gymnasium environment, wrapped or not, is a game of one player, `player_0`. Everything that plays (evaluation,
rollouts, tournaments, demonstrations, conformance, the terminal) plays through a `Driver` and never asks which
interface it is:

    driver = drive(env)
    driver.reset(seed=0, options={"task": 3})
    while not driver.ended:
        driver.step({player: choose(player, driver.result(player)) for player in driver.to_act})
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.core import snapshot as states
from agentgym.core.env import PLAYER, BaseEnv
from agentgym.core.game import Game
from agentgym.core.prose import NONE
from agentgym.core.snapshot import Snapshot

OF_WRAPPERS = frozenset({"reads_replies", "repeats_history"})


@dataclass(slots=True)
class StepResult:
    """What one player gets from a reset or a step.

    Attributes:
        observation: What it sees now: text, or what the outermost wrapper makes of it.
        reward: What it earned in the last step, as the environment gave it.
        terminated, truncated: Whether the episode is over for it, as the environment gave it.
        info: Its `info`, with the keys of every AgentGym environment.
    """

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]


class Driver(ABC):
    """An environment played by the names of its players.

    Attributes:
        env: The environment, with its wrappers.
        world: The environment without them.
        players: Names of all players.
        rewards: What each player earned in the last step.
    """

    env: Any
    world: Any
    players: tuple[str, ...]
    rewards: Mapping[str, float]

    @property
    @abstractmethod
    def to_act(self) -> list[str]:
        """The players that act in the next step; empty when the episode is over."""

    @property
    @abstractmethod
    def active(self) -> list[str]:
        """The players still in; empty when the episode is over."""

    @property
    def ended(self) -> bool:
        """Whether the episode is over for every player."""
        return not self.to_act

    @abstractmethod
    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Seed of the environment's generator; None goes on with the one it has.
            options: Reset options; `options["task"]` is an id, an index or a specification.
        """

    @abstractmethod
    def step(self, actions: Mapping[str, str]) -> None:
        """Play one action of each player that is to act; a player that has left the game leaves by itself.

        Args:
            actions: Action by player. A missing one counts as refused.
        """

    @abstractmethod
    def result(self, player: str) -> StepResult:
        """What a player got from the last reset or step; also of a player that has left the game."""

    @abstractmethod
    def ask(self, name: str, player: str, *arguments: Any) -> Any:
        """Call a method that is asked of a player, such as `oracle_action` or `admissible_actions`.

        Args:
            name: The method.
            player: Whom it is about.
            arguments: What it takes besides.
        """

    def admissible_actions(self, player: str) -> list[str] | None:
        """Sorted actions of a player, each valid now; None if they cannot be listed."""
        actions: list[str] | None = self.ask("admissible_actions", player)
        return actions

    def sample_action(self, player: str, rng: np.random.Generator) -> str:
        """A plausible action of a player that is to act, drawn from `rng`.

        Args:
            player: Who is to act.
            rng: Where chance comes from.
        """
        return str(self.ask("sample_action", player, rng))

    def oracle_action(self, player: str) -> str:
        """The next action of a player that may read the hidden state, never the generator."""
        return str(self.ask("oracle_action", player))

    def expert_action(self, player: str) -> str:
        """The next action of a good player that knows only what it has seen."""
        return str(self.ask("expert_action", player))

    def shortcut_action(self, player: str, name: str) -> str:
        """The next action of a player that does not do the task, one of the card's `shortcuts`.

        Args:
            player: Whom it plays for.
            name: Which one.
        """
        return str(self.ask("shortcut_action", player, name))

    def opponent_action(self, player: str, level: str, rng: np.random.Generator) -> str:
        """The next action of a scripted opponent of the card, drawn from `rng`.

        Args:
            player: Who is to act.
            level: Name of the opponent on the card.
            rng: Where chance comes from.
        """
        return str(self.ask("opponent_action", player, level, rng))

    @abstractmethod
    def told(self, name: str, player: str) -> Any:
        """What a player is told beside observations.

        Args:
            name: `manual`, `grammar`, `line` (the grammar in one line), `examples`, `tools`, `first_words`, `role` or
                `team`; and what wrappers say of themselves, `reads_replies` and `repeats_history`, "" without them.
            player: Whom.
        """

    @abstractmethod
    def observation_space(self, player: str) -> Any:
        """The space in which the observations of a player lie."""

    @abstractmethod
    def action_space(self, player: str) -> Any:
        """The space of a player's actions."""

    @property
    def task_kind(self) -> str:
        """The kind of the present task, by which success is counted apart; empty if all are of one kind."""
        return str(getattr(self.world, "task_kind", ""))

    @abstractmethod
    def state_key(self) -> str:
        """Names all that the future depends on except generator and turn, wrappers included."""

    def snapshot(self) -> Snapshot:
        """The exact state, wrappers included."""
        return states.snapshot(self.env)

    def restore(self, saved: Snapshot, reseed: int | None = None) -> None:
        """Return to a saved state.

        Args:
            saved: A snapshot of an equal environment in equal wrappers.
            reseed: Seed of a generator in place of the saved one; give one for look-ahead.
        """
        states.restore(self.env, saved)
        if reseed is not None:
            self.reseed(reseed)

    @abstractmethod
    def reseed(self, seed: int) -> None:
        """Give the environment a new generator."""

    @abstractmethod
    def fork(self, reseed: int | None = None) -> Driver:
        """A second, independent environment in this state, driven; `reseed` as in `restore`."""

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def drive(env: Any) -> Driver:
    """A driver of an environment: a Gymnasium environment, wrapped or not, or a game of several players."""
    if not hasattr(env, "unwrapped"):  # other people's environments of PettingZoo are looked at by `agentgym check`
        raise TypeError(f"drive takes an environment, such as agentgym.make gives, got {type(env).__name__}")
    return _GameDriver(env) if isinstance(env, Game) else _GymnasiumDriver(env)


class _GymnasiumDriver(Driver):
    """One player behind `gymnasium.Env`."""

    def __init__(self, env: gym.Env[Any, Any]):
        self.env, self.world, self.players = env, env.unwrapped, (PLAYER,)
        self.rewards = {PLAYER: 0.0}
        self._result: StepResult | None = None

    @property
    def to_act(self) -> list[str]:
        last = self._result
        return [] if last is None or last.terminated or last.truncated else [PLAYER]

    @property
    def active(self) -> list[str]:
        return self.to_act

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; `seed` and `options` go to the environment as they are."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.rewards = {PLAYER: 0.0}
        self._result = StepResult(observation, 0.0, False, bool(info.get("failure")), info)

    def step(self, actions: Mapping[str, str]) -> None:
        observation, reward, terminated, truncated, info = self.env.step(actions.get(PLAYER, ""))
        self.rewards = {PLAYER: float(reward)}
        self._result = StepResult(observation, reward, terminated, truncated, info)

    def result(self, player: str) -> StepResult:
        if self._result is None:
            raise gym.error.ResetNeeded("call reset() first")
        return self._result

    def ask(self, name: str, player: str, *arguments: Any) -> Any:
        """Call the outermost method called `name`, of a wrapper or the world; it needs no `player`."""
        return self.env.get_wrapper_attr(name)(*arguments)

    def told(self, name: str, player: str) -> Any:
        """A fact called `name`, from the outermost wrapper that has it, or from the world; `player` is its own team."""
        if name == "role":
            return "player"
        if name == "team":
            return player
        if name in OF_WRAPPERS and not self.env.has_wrapper_attr(name):
            return ""
        if not isinstance(self.world, BaseEnv):
            return {"tools": [], "examples": (), "first_words": NONE}.get(name, "")
        if name in ("manual", "tools") or self.env.has_wrapper_attr(name):
            return self.env.get_wrapper_attr(name)
        return getattr(self.world.grammar, name)

    def observation_space(self, player: str) -> Any:
        return self.env.observation_space

    def action_space(self, player: str) -> Any:
        return self.env.action_space

    def state_key(self) -> str:
        return str(self.env.get_wrapper_attr("state_key")())

    def fork(self, reseed: int | None = None) -> Driver:
        twin = _GymnasiumDriver(states.fork(self.env, reseed))
        twin.rewards, twin._result = self.rewards, self._result
        return twin

    def restore(self, saved: Snapshot, reseed: int | None = None) -> None:
        """Go back to `saved`, where the reward is 0 and `info` empty; `reseed` gives the world a new generator."""
        super().restore(saved, reseed)
        player = saved.players[PLAYER]
        self._result = StepResult(saved.exchange[1], 0.0, player.terminated, player.truncated, {})

    def reseed(self, seed: int) -> None:
        self.world.np_random, _ = gym.utils.seeding.np_random(seed)


class _GameDriver(Driver):
    """Several players, in turn or all at once."""

    def __init__(self, game: Game):
        self.env = self.world = game
        self.players = tuple(game.possible_agents)
        self.rewards = dict.fromkeys(self.players, 0.0)
        self._left: dict[str, StepResult] = {}

    @property
    def to_act(self) -> list[str]:
        return self.world.to_act

    @property
    def active(self) -> list[str]:
        return [] if self.world.ended else list(self.world.agents)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game; `seed` and `options` go to it as they are."""
        self.world.reset(seed=seed, options=options)
        self.rewards, self._left = dict.fromkeys(self.players, 0.0), {}

    def step(self, actions: Mapping[str, str]) -> None:
        self.world.play(actions)
        self.rewards = self.world.player_rewards
        for player in self.players:
            if player not in self.world.agents and player not in self._left:
                self._left[player] = self._look(player)

    def result(self, player: str) -> StepResult:
        return self._left.get(player) or self._look(player)

    def _look(self, player: str) -> StepResult:
        return StepResult(self.world.observe(player)["text"], *self.world.standing(player))

    def ask(self, name: str, player: str, *arguments: Any) -> Any:
        """Call the game's method called `name` for this `player`."""
        return getattr(self.world, name)(player, *arguments)

    def told(self, name: str, player: str) -> Any:
        """A fact called `name` about this `player`: its part, its manual, or something of its grammar."""
        if name in ("role", "team"):
            return getattr(self.world, name)(player)
        if name == "manual":
            return self.world.player_manual(player)
        if name in OF_WRAPPERS:
            return ""
        grammar = self.world.player_grammar(player)
        return grammar if name == "grammar" else getattr(grammar, name)

    def observation_space(self, player: str) -> Any:
        return self.world.observation_space(player)["text"]

    def action_space(self, player: str) -> Any:
        return self.world.action_space(player)

    def state_key(self) -> str:
        return str(self.world.state_key())

    def fork(self, reseed: int | None = None) -> Driver:
        twin = _GameDriver(states.fork(self.env, reseed))
        twin.rewards, twin._left = self.rewards, dict(self._left)
        return twin

    def restore(self, saved: Snapshot, reseed: int | None = None) -> None:
        """Go back to `saved`, rewards included; `reseed` gives the game a new generator."""
        super().restore(saved, reseed)
        self.rewards, self._left = dict.fromkeys(self.players, 0.0) | self.world.rewards, {}

    def reseed(self, seed: int) -> None:
        self.world._np_random, _ = gym.utils.seeding.np_random(seed)
