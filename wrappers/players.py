"""Text wrappers around the players of a game: each player has its own replies, observations and prompts.

    driver = wrap_players(game, {"player_0": [ReAct, partial(History, turns=2)], "player_1": [JsonReply]})
    driver.reset(seed=0)
    while not driver.ended:
        driver.step({player: choose(player, driver.result(player)) for player in driver.to_act})

A player's wrappers stand around a `GamePlayer`, innermost first, as they would around a world. What they read goes to
the game; what the game shows goes through them. A reply that a wrapper refuses is one of the player's tries.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import gymnasium as gym

from agentgym.core import ConfigError, Driver, Snapshot, SnapshotError, StepResult, drive, fingerprint, unknown
from agentgym.core.checks import check_action, check_callable, check_mapping
from agentgym.core.snapshot import copy_state
from agentgym.wrappers._game_player import GamePlayer
from agentgym.wrappers.base import Info, TextWrapper
from agentgym.wrappers.refusal import CarriedOut, Refusal

Wrap: TypeAlias = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]
Formats: TypeAlias = Mapping[str, Iterable[Wrap]]
PROMPTS = frozenset({"manual", "line", "examples", "tools", "reads_replies", "repeats_history", "first_words"})
QUESTIONS = frozenset({"admissible_actions", "sample_action", "oracle_action", "expert_action", "parse"})


def wrap_players(env: Any, formats: Formats) -> Driver:
    """A driver of an environment in which each player has wrappers of its own.

    Args:
        env: A game, or a Gymnasium environment, whose only player is `player_0`.
        formats: Wrappers by player, the innermost first: classes of `agentgym.wrappers`, or functions of an
            environment that put one around it. A player that is not named has none.

    Returns:
        The driver. Its results, prompts and questions speak each player's format, and its snapshots hold the wrappers.

    Raises:
        UnknownName: if a player is not one of the environment.
        ConfigError: if a wrapper is no text wrapper, does not fit, or steps the world itself.
    """
    driver = drive(env)
    chosen = check_players(driver, formats)
    if not isinstance(env, gym.Env):
        return _WrappedPlayersDriver(
            driver, {player: PlayerWrappers(driver, player, wraps) for player, wraps in chosen.items()}
        )
    for wraps in chosen.values():
        for wrap in wraps:
            env = wrap(env)
    return drive(env)


def check_players(driver: Driver, formats: Formats) -> dict[str, list[Wrap]]:
    """The wrappers of each player that has some.

    Args:
        driver: A driver of the environment.
        formats: Wrappers by player, the innermost first.

    Raises:
        UnknownName: if a player is not one of the environment.
        ConfigError: if they are no mapping to lists of what can be put around an environment.
    """
    check_mapping("formats", formats, Iterable, "{'player_0': [ReAct]}")
    chosen = {player: list(wraps) for player, wraps in formats.items()}
    for player, wraps in chosen.items():
        if player not in driver.players:
            raise unknown(f"player of {driver.world}", player, driver.players)
        for wrap in wraps:
            check_callable(f"a wrapper of {player}", wrap, "a class or a function of an environment")
    return {player: wraps for player, wraps in chosen.items() if wraps}


class PlayerWrappers:
    """The wrappers of one player, and what they have read of it that was not shown yet.

    What a player sees changes while others act. Its wrappers take in what it sees when it acts, and no sooner: until
    then each `show` begins with the state in which the last `read` left them.

    Attributes:
        layers: The wrappers, outermost first.
        player: Name of the player.
        shown: Observation and `info` as they were shown last; None if the game has moved on.

    Args:
        driver: A driver of the game.
        player: Name of the player.
        wraps: Its wrappers, innermost first.

    Raises:
        ConfigError: if one of them is no text wrapper, does not fit, or steps the world itself.
    """

    def __init__(self, driver: Driver, player: str, wraps: Iterable[Wrap]):
        env: Any = GamePlayer(driver, player)
        self.layers: list[TextWrapper] = []  # outermost first
        for wrap in wraps:
            env = wrap(env)
            if not isinstance(env, TextWrapper) or env.env is not (self.layers[0] if self.layers else env.unwrapped):
                raise ConfigError(f"{env} is no text wrapper; only those can stand around a player of a game")
            self.layers.insert(0, env)
        self.player = player
        self.start([None] * len(self.layers))

    @property
    def outermost(self) -> TextWrapper:
        """The wrapper that answers for the player."""
        return self.layers[0]

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], list[Any]]:
        """Let the wrappers read the arguments of a reset.

        Args:
            seed: The seed, or None.
            options: The reset options.

        Returns:
            The options that the wrappers leave to the game, and their notes for `start`, outermost first.
        """
        notes = []
        for layer in self.layers:
            options, note = layer.prepare(seed, options)
            notes.append(note)
        return options or {}, notes

    def start(self, notes: list[Any]) -> None:
        """Await the first observation of an episode."""
        self._begun, self._notes = False, notes
        self._refusal: Refusal | None = None
        self._keep()

    def _keep(self) -> None:
        """Keep the state of the wrappers as that with which `show` begins."""
        self._before = [copy_state(dict(layer.get_state())) for layer in self.layers]
        self._moved = False
        self.shown: tuple[Any, Info] | None = None

    def _rewind(self) -> None:
        if self._moved:
            for layer, state in zip(self.layers, self._before, strict=True):
                layer.set_state(copy_state(state))
        self._moved, self.shown = False, None

    def expire(self) -> None:
        """The game has moved on: what was shown is not what the player sees now."""
        self.shown = None

    def show(self, text: str, info: Mapping[str, Any]) -> tuple[Any, Info]:
        """What the player sees; the same until `expire` or `read`.

        Args:
            text: What the game shows the player now.
            info: Its `info`, which stays as it is.

        Returns:
            Observation and `info`.
        """
        if self.shown is None:
            self._rewind()
            seen: Any = text
            told = dict(info)
            if self._refusal is not None:
                seen = self._refusal.explain(text, told)
            self._moved = True
            for layer, note in zip(reversed(self.layers), reversed(self._notes), strict=True):
                seen = layer.show(seen, told, note) if self._begun else layer.begin(seen, told, note)
            self.shown = seen, told
        return self.shown

    def read(self, reply: str) -> str:
        """The action of a reply to what was shown last; empty, which every game refuses, if there is none.

        Raises:
            TypeError: if the reply is no string.
            ConfigError: if nothing was shown.
        """
        check_action(reply)
        if self.shown is None:
            raise ConfigError(f"{self.player} replies to what it was shown; call show() before read()")
        said: Any = reply
        notes = []
        for layer in self.layers:
            said, note = layer.read(said)
            notes.append(note)
        self._begun, self._notes = True, notes
        self._refusal = said if isinstance(said, Refusal) else None
        self._keep()
        return str(said)

    def encode(self, action: str) -> str:
        """An action of the game as the player says it."""
        for layer in reversed(self.layers):
            action = layer.encode(action)
        return action

    def state_key(self, seen: bool) -> str:
        """Names the state of the wrappers: that after what was shown, or else that before it."""
        if not seen:
            self._rewind()
        return self.outermost.state_key()

    def get_state(self) -> dict[str, Any]:
        """All that changes, as plain data."""
        refusal = self._refusal
        told = None if refusal is None else [refusal.reason, refusal.said, isinstance(refusal, CarriedOut)]
        read = {"begun": self._begun, "notes": self._notes, "refusal": told}
        layers = {f"{at} {type(layer).__name__}": state for at, (layer, state) in enumerate(self._pairs())}
        return copy_state({"read": read, **layers})

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave.

        Raises:
            SnapshotError: if it is that of other wrappers.
        """
        read, *layers = copy_state(dict(state)).values()
        here, there = list(self.get_state()), list(state)
        if here != there:
            raise SnapshotError(
                f"the snapshot was taken with the wrappers {there[1:]} of {self.player}, not {here[1:]}"
            )
        self._begun, self._notes, told = read["begun"], list(read["notes"]), read["refusal"]
        self._refusal = None if told is None else (CarriedOut if told[2] else Refusal)(told[0], told[1])
        for layer, saved in zip(self.layers, layers, strict=True):
            layer.set_state(saved)
        self._keep()

    def _pairs(self) -> Iterable[tuple[TextWrapper, Mapping[str, Any]]]:
        return zip(self.layers, self._before, strict=True)

    def copy(self, driver: Driver) -> PlayerWrappers:
        """Equal wrappers in this state around the same player of another game."""
        twin = copy.copy(self)
        env: Any = GamePlayer(driver, self.player)
        twin.layers = []
        for layer in reversed(self.layers):
            outer = copy.copy(layer)
            outer.env = env
            twin.layers.insert(0, outer)
            env = outer
        twin.set_state(self.get_state())
        return twin


class _WrappedPlayersDriver(Driver):
    """A driver of a game through the wrappers of its players; see `wrap_players`."""

    def __init__(self, driver: Driver, wrappers: Mapping[str, PlayerWrappers]):
        self.env, self.world, self.players = driver.env, driver.world, driver.players
        self.rewards = driver.rewards
        self._driver, self._wrappers = driver, dict(wrappers)
        self._results: dict[str, StepResult] = {}

    @property
    def to_act(self) -> list[str]:
        return self._driver.to_act

    @property
    def active(self) -> list[str]:
        return self._driver.active

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game; `seed` and `options` are read by every player's wrappers before they reach it."""
        notes, options = prepare_all(self._wrappers, seed, options)
        self._driver.reset(seed=seed, options=options)
        for player, note in notes.items():
            self._wrappers[player].start(note)
        self._forget_results()

    def step(self, actions: Mapping[str, str]) -> None:
        said = dict(actions)
        wrapped = [player for player in self.to_act if player in self._wrappers]
        for player in wrapped:
            check_action(actions.get(player, ""))
        for player in wrapped:
            self.result(player)
            said[player] = self._wrappers[player].read(actions.get(player, ""))
        self._driver.step(said)
        self._forget_results()

    def _forget_results(self) -> None:
        """The game has moved on."""
        self.rewards = self._driver.rewards
        self._results.clear()
        for each in self._wrappers.values():
            each.expire()

    def result(self, player: str) -> StepResult:
        if player not in self._wrappers:
            return self._driver.result(player)
        if player not in self._results:
            plain = self._driver.result(player)
            seen, info = self._wrappers[player].show(plain.observation, plain.info)
            self._results[player] = replace(plain, observation=seen, info=info)
        return self._results[player]

    def ask(self, name: str, player: str, *arguments: Any) -> Any:
        """What the method called `name` says of this `player`, in the words of its wrappers."""
        return ask_player(self._driver, self._wrappers, name, player, *arguments)

    def told(self, name: str, player: str) -> Any:
        """A fact called `name` as the wrappers of this `player` tell it."""
        return tell_player(self._driver, self._wrappers, name, player)

    def observation_space(self, player: str) -> Any:
        wrapped = self._wrappers.get(player)
        return self._driver.observation_space(player) if wrapped is None else wrapped.outermost.observation_space

    def action_space(self, player: str) -> Any:
        wrapped = self._wrappers.get(player)
        return self._driver.action_space(player) if wrapped is None else wrapped.outermost.action_space

    @property
    def task_kind(self) -> str:
        return self._driver.task_kind

    def state_key(self) -> str:
        acting = self.to_act
        for player in acting:
            self.result(player)
        self._results = {player: seen for player, seen in self._results.items() if player in acting}
        return key_of_players(self._driver, self._wrappers, acting)

    def snapshot(self) -> Snapshot:
        saved = self._driver.snapshot()
        return saved._replace(wrappers=tuple((player, each.get_state()) for player, each in self._wrappers.items()))

    def restore(self, saved: Snapshot, reseed: int | None = None) -> None:
        """Go back to a saved state of the game and of all wrappers.

        Args:
            saved: Taken with wrappers around the same players.
            reseed: Seed of a generator in place of the saved one.

        Raises:
            SnapshotError: if other players were wrapped.
        """
        there, here = [player for player, _ in saved.wrappers], list(self._wrappers)
        if there != here:
            raise SnapshotError(f"the snapshot was taken with wrappers around the players {there}, here around {here}")
        self._driver.restore(saved._replace(wrappers=()), reseed)
        for player, state in saved.wrappers:
            self._wrappers[player].set_state(state)
        self._forget_results()

    def reseed(self, seed: int) -> None:
        self._driver.reseed(seed)

    def fork(self, reseed: int | None = None) -> Driver:
        twin = self._driver.fork(reseed)
        return _WrappedPlayersDriver(twin, {player: each.copy(twin) for player, each in self._wrappers.items()})

    def close(self) -> None:
        for each in self._wrappers.values():
            each.outermost.close()
        self._driver.close()


def prepare_all(
    wrappers: Mapping[str, PlayerWrappers], seed: int | None, options: Mapping[str, Any] | None
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Let the wrappers of all players read the arguments of a reset.

    Args:
        wrappers: Wrappers by player.
        seed: The seed, or None.
        options: The reset options.

    Returns:
        Their notes by player, and the options that all of them leave to the game.
    """
    prepared = {player: each.prepare(seed, options) for player, each in wrappers.items()}
    left = {
        name: value for name, value in (options or {}).items() if all(name in kept for kept, _ in prepared.values())
    }
    return {player: note for player, (_, note) in prepared.items()}, left


def key_of_players(driver: Driver, wrappers: Mapping[str, PlayerWrappers], acting: Collection[str]) -> str:
    """Names all that the future of a game depends on except generator and turn.

    Args:
        driver: A driver of the game.
        wrappers: Wrappers by player.
        acting: The players that are to act, all of which were shown what they see.
    """
    keys = {player: each.state_key(player in acting) for player, each in wrappers.items()}
    return fingerprint([driver.state_key(), keys])


def ask_player(driver: Driver, wrappers: Mapping[str, PlayerWrappers], name: str, player: str, *arguments: Any) -> Any:
    """Call a method that is asked of a player, in the words of its wrappers; see `Driver.ask`.

    Args:
        driver: A driver of the game.
        wrappers: Wrappers by player.
        name: The method.
        player: Whom it is about.
        arguments: What it takes besides.
    """
    if player not in wrappers:
        return driver.ask(name, player, *arguments)
    if name in QUESTIONS:
        return getattr(wrappers[player].outermost, name)(*arguments)
    answer = driver.ask(name, player, *arguments)
    return wrappers[player].encode(answer) if name == "opponent_action" else answer


def tell_player(driver: Driver, wrappers: Mapping[str, PlayerWrappers], name: str, player: str) -> Any:
    """What a player is told beside observations, wrappers included; see `Driver.told`.

    Args:
        driver: A driver of the game.
        wrappers: Wrappers by player.
        name: As in `Driver.told`.
        player: Whom.
    """
    if player in wrappers and name in PROMPTS:
        return getattr(wrappers[player].outermost, name)
    return driver.told(name, player)
