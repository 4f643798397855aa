"""PettingZoo environments whose players have text wrappers of their own; see `agentgym.wrappers.players`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from agentgym.core import ConfigError, Snapshot, SnapshotError, drive, fork, restore, snapshot
from agentgym.core.checks import check_action
from agentgym.wrappers.base import Info
from agentgym.wrappers.players import (
    Formats,
    PlayerWrappers,
    ask_player,
    check_players,
    key_of_players,
    prepare_all,
    tell_player,
)

Observation = dict[str, Any]


def wrap_game(game: Any, formats: Formats) -> WrappedAEC | WrappedParallel:
    """A game whose players have wrappers of their own, with the game's own interface of PettingZoo.

    Args:
        game: A game of AgentGym, AEC or parallel.
        formats: Wrappers by player, the innermost first, as in `wrap_players`.

    Raises:
        UnknownName: if a player is not one of the game.
        ConfigError: if it is no such game, or a wrapper is no text wrapper, does not fit, or steps the world itself.
    """
    if isinstance(game, AECEnv):
        return WrappedAEC(game, formats)
    if isinstance(game, ParallelEnv):
        return WrappedParallel(game, formats)
    raise ConfigError(f"wrap_game wraps games of PettingZoo's interfaces, got {type(game).__name__}")


class _Players:
    """What both interfaces share: the players' wrappers, their spaces, what is asked of them, and exact copies."""

    env: Any

    def _wrap(self, game: Any, formats: Formats) -> None:
        self.driver = drive(game)
        self.player_wrappers = {
            player: PlayerWrappers(self.driver, player, wraps)
            for player, wraps in check_players(self.driver, formats).items()
        }
        self.spaces = {player: _spaces(each) for player, each in self.player_wrappers.items()}

    def observation_space(self, agent: str) -> Any:
        """`Dict` with the key `text`, the same object on every call."""
        return self.spaces[agent][0] if agent in self.spaces else self.env.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """`UnicodeText`, the same object on every call."""
        return self.spaces[agent][1] if agent in self.spaces else self.env.action_space(agent)

    def ask(self, name: str, player: str, *arguments: Any) -> Any:
        """Call the method `name`, with `arguments`, that is asked of `player`, in its own words; see `Driver.ask`."""
        return ask_player(self.driver, self.player_wrappers, name, player, *arguments)

    def told(self, name: str, player: str) -> Any:
        """What `player` is told beside observations, `name` of it, in its own words; see `Driver.told`."""
        return tell_player(self.driver, self.player_wrappers, name, player)

    def snapshot(self) -> Snapshot:
        """The exact state of the game and of the players' wrappers."""
        return snapshot(self)

    def restore(self, saved: Snapshot) -> None:
        """Return to a state that was saved.

        Args:
            saved: A snapshot of an equal game in equal wrappers.

        Raises:
            SnapshotError: if it is not.
        """
        restore(self, saved)

    def fork(self, reseed: int | None = None) -> Any:
        """A second game in this state, in wrappers of its own; the two are independent.

        Args:
            reseed: Seed of the fork's generator; give one for look-ahead.
        """
        return fork(self, reseed)

    def state_key(self) -> str:
        """Names all that the future depends on except generator and turn, the players' wrappers included."""
        acting = self.driver.to_act
        for player in acting:
            if player in self.player_wrappers:
                self._shown(player)
        return key_of_players(self.driver, self.player_wrappers, acting)

    def get_state(self) -> Mapping[str, Any]:
        """What `agentgym.snapshot` saves of the wrappers, by player."""
        return {player: each.get_state() for player, each in self.player_wrappers.items()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave.

        Args:
            state: By player, for the same players.

        Raises:
            SnapshotError: if it is that of other wrappers.
        """
        there, here = list(state), list(self.player_wrappers)
        if there != here:
            raise SnapshotError(f"the snapshot was taken with wrappers around the players {there}, here around {here}")
        if self.driver.env is not self.env:  # a fork has put another game inside
            self.driver = drive(self.env)
            self.player_wrappers = {player: each.copy(self.driver) for player, each in self.player_wrappers.items()}
        for player, saved in state.items():
            self.player_wrappers[player].set_state(saved)

    def _shown(self, agent: str) -> tuple[Any, Info]:
        wrappers = self.player_wrappers[agent]
        return wrappers.shown or wrappers.show(self.env.observe(agent)["text"], self.env.infos[agent])

    def _expire(self) -> None:
        for each in self.player_wrappers.values():
            each.expire()

    def _start(self, notes: Mapping[str, list[Any]]) -> None:
        for player, note in notes.items():
            self.player_wrappers[player].start(note)


class WrappedAEC(_Players, BaseWrapper[str, Observation, str]):
    """A game of turns whose players have wrappers of their own; see `wrap_game`.

    Args:
        game: The game.
        formats: Wrappers by player, the innermost first.
    """

    def __init__(self, game: AECEnv[str, Observation, str], formats: Formats):
        BaseWrapper.__init__(self, game)
        self._wrap(game, formats)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: Seed of the game's generator; None goes on with the one it has.
            options: Reset options; those that a wrapper knows are kept from the game.
        """
        notes, left = prepare_all(self.player_wrappers, seed, options)
        self.env.reset(seed=seed, options=left)
        self._start(notes)

    def step(self, action: str | None) -> None:
        """Play what the wrappers of `agent_selection` read in its reply; None of a player that leaves."""
        game: Any = self.env
        player = game.agent_selection if game.agents else ""
        live = player and not (game.terminations[player] or game.truncations[player])
        if live and player in self.player_wrappers:
            self._shown(player)
            action = self.player_wrappers[player].read(action)  # type: ignore[arg-type]
        game.step(action)
        self._expire()

    def observe(self, agent: str) -> Observation:
        """What a player sees now, in its own form; changes nothing."""
        game: Any = self.env
        wrapped = agent in self.player_wrappers and agent in game.infos
        return _as_dict(self._shown(agent)[0]) if wrapped else game.observe(agent)

    @property
    def infos(self) -> dict[str, Info]:
        """The `info` of every player still in, with the keys of its wrappers."""
        game: Any = self.env
        wrapped = self.player_wrappers
        return {agent: self._shown(agent)[1] if agent in wrapped else info for agent, info in game.infos.items()}


class WrappedParallel(_Players, BaseParallelWrapper[str, Observation, str]):
    """A simultaneous game whose players have wrappers of their own; see `wrap_game`.

    Args:
        game: The game.
        formats: Wrappers by player, the innermost first.
    """

    def __init__(self, game: ParallelEnv[str, Observation, str], formats: Formats):
        BaseParallelWrapper.__init__(self, game)
        self._wrap(game, formats)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin a game.

        Args:
            seed: Seed of the game's generator; None goes on with the one it has.
            options: Reset options; those that a wrapper knows are kept from the game.

        Returns:
            Observations and infos by player.
        """
        notes, left = prepare_all(self.player_wrappers, seed, options)
        observations, infos = self.env.reset(seed=seed, options=left)
        self._start(notes)
        return self._show_all(observations, infos)

    def step(
        self, actions: Mapping[str, str | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Play what the wrappers of every player read in its reply.

        Returns:
            Observations, rewards, terminations, truncations and infos of the players that acted.
        """
        said = dict(actions)
        wrapped = [player for player in self.env.agents if player in self.player_wrappers]
        replies = {player: "" if actions.get(player) is None else actions[player] for player in wrapped}
        for reply in replies.values():
            check_action(reply)
        for player, reply in replies.items():
            self._shown(player)
            said[player] = self.player_wrappers[player].read(str(reply))
        observations, rewards, terminations, truncations, infos = self.env.step(said)
        self._expire()
        observations, infos = self._show_all(observations, infos)
        return observations, rewards, terminations, truncations, infos

    def _show_all(
        self, observations: Mapping[str, Observation], infos: Mapping[str, Info]
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        seen, told = dict(observations), dict(infos)
        for player, wrappers in self.player_wrappers.items():
            if player in observations:
                shown, told[player] = wrappers.show(observations[player]["text"], infos[player])
                seen[player] = _as_dict(shown)
        return seen, told


def _as_dict(seen: Any) -> Observation:
    """An observation of a player in the form in which games have them."""
    return seen if isinstance(seen, dict) else {"text": seen}


def _spaces(wrappers: PlayerWrappers) -> tuple[gym.spaces.Dict, gym.Space[Any]]:
    """The spaces of a player, in the form in which games have them."""
    space = wrappers.outermost.observation_space
    seen = space if isinstance(space, gym.spaces.Dict) else gym.spaces.Dict({"text": space})
    return seen, wrappers.outermost.action_space
