"""`LanguageAEC` and `LanguageParallel`: games of several players as PettingZoo environments that speak in text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv, ParallelEnv

from agentgym.core.checks import check_action, check_count
from agentgym.core.errors import AgentGymError, ConfigError
from agentgym.core.game import Game, Info, Observation
from agentgym.core.grammar import Call
from agentgym.core.outcome import JointOutcome
from agentgym.core.snapshot import Snapshot, copy_state

TRIES = 3


class LanguageAEC(Game, AECEnv[str, Observation, str]):
    """Base of every game in which players act one after the other; the rules are those of `BaseEnv`.

    A game keeps all that changes in `self._state`, sets `card` and `grammar`, implements `seeded` or `tasks`, `_reset`,
    `_to_move` and `_step`, and, as far as it can, the other hooks. While it begins or plays it may `send_message` (the
    moderator speaks), `say` (a player is quoted), `record` events, `set_metric` and `add_cost`, each for all players or
    for those named.

    Observation of a player, `Dict({"text": UnicodeText})`: what it was told since it last acted, its view, and whose
    turn it is. Lines of the moderator begin with `* `, quoted talk with `> `. The first observation holds the task, the
    player's part and the grammar in one line.

    `step(action)`: any string of the player `agent_selection` is answered. A refused action changes nothing but the
    turn, and the player may try again; after `tries` refused actions in a row the game's stated default is played for
    it (`_default`, in words `default_rule`). A player that is terminated or truncated must step with None and leaves,
    as PettingZoo has it; another action of it raises `ValueError`. A non-string raises `TypeError`, a step after every
    player has left `ResetNeeded`.

    `infos[player]` has the keys that docs/contract.md lists; events, metrics and costs are those since the player last
    acted. `success` is said of each player, as its game documents; in a draw nobody succeeds.

    Args:
        split: Where tasks are drawn from: a split of the card.
        max_turns: Turn limit in place of the game's own; it counts the steps of all players, refused ones included,
            and truncates every player.
        max_cycles: The same, counted in rounds of all players, as PettingZoo does.
        render_mode: `ansi` (what everybody can see, as text), `human` (the same on the terminal), `rgb_array` where the
            card has images, or None.
        player_names: Names of the players in place of the class's, as many and each another: a word and a number, such
            as `alice_0`. Games whose tasks name the players have fixed ones.
        tries: Refused actions in a row until the default is played, at least 1.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    in_turn = True
    tries: int

    def __init__(self, *, tries: int = TRIES, **kwargs: Any):
        self.tries = check_count("tries", tries)
        super().__init__(**kwargs)
        self.agent_selection = self.possible_agents[0]

    def _to_move(self) -> str:
        """The player that acts next, read from the state."""
        raise NotImplementedError(f"{type(self).__name__} must implement _to_move()")

    def _step(self, player: str, call: Call) -> JointOutcome:
        """Do what a well-formed action of the player to move asks, or refuse it with `refuse`, leaving all alone."""
        raise NotImplementedError(f"{type(self).__name__} must implement _step(player, call)")

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game; `options["task"]` as in `LanguageEnv.reset`.

        Args:
            seed: Seed of the game's generator; None goes on with the one it has.
            options: Reset options.

        Raises:
            TaskError: if the task cannot be played.
            ConfigError: if an option is unknown.
        """
        self._begin_episode(seed, _without_test_key(options))
        self._skip_agent_selection = None
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._publish()
        self._select()

    def step(self, action: str | None) -> None:
        """Play one action of `agent_selection`; see the class."""
        if not self.agents:
            raise ResetNeeded(f"{self.card.id}: nobody is left in the game; call reset()")
        player = self.agent_selection
        if self.terminations[player] or self.truncations[player]:
            self._was_dead_step(action)
            return
        self._play_turn(player, check_action(action, player))
        self._cumulative_rewards[player] = 0.0
        self._publish()
        if self._failure:
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._accumulate_rewards()
        self._select()

    def play(self, actions: Mapping[str, str]) -> None:
        """Play the action of the player whose turn it is; see `Game.play`."""
        self.step(actions.get(self.agent_selection, ""))
        while self.agents and self._players[self.agent_selection].ended:
            self.step(None)

    def _apply(self, calls: Mapping[str, Call]) -> JointOutcome:
        [(player, call)] = calls.items()
        return self._understood(self._step(player, call), "_step")

    def _select(self) -> None:
        """Let the player to move be selected, or the first of those that have to leave."""
        if not self.ended:
            self.agent_selection = mover = self._to_move()
            if mover not in self.agents:
                known = ", ".join(self.agents)
                raise AgentGymError(f"{self.card.id}: _to_move must name a player still in ({known}), got {mover!r}")
        self._deads_step_first()

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.agents, 0.0)

    def _whose_turn(self, player: str) -> str:
        mover = self._to_move()
        return "It is your turn." if mover == player else f"It is the turn of {mover}."

    def _refusal_rule(self) -> str:
        return (
            f"An action that is refused may be put right; after {self.tries} refused tries in a row this is played for "
            f"you: {self.default_rule}."
        )

    def _interface_state(self) -> Mapping[str, Any]:
        return {
            "agent_selection": self.agent_selection,
            "_skip_agent_selection": self._skip_agent_selection,
            "rewards": dict(self.rewards),
            "_cumulative_rewards": dict(self._cumulative_rewards),
        }

    def _restore_interface(self, saved: Snapshot) -> None:
        self._publish()
        self.__dict__.update(copy_state(dict(saved.interface)))


class LanguageParallel(Game, ParallelEnv[str, Observation, str]):
    """Base of every game in which all players act at once; see `LanguageAEC` for all that is the same.

    A game implements `_step_all(calls)` in place of `_to_move` and `_step`, and `_objection(player, call)` where a
    well-formed action may be impossible.

    `step(actions)` takes one string of each player in `agents`. Nobody waits for anybody: a refused or missing action
    counts as the game's stated default in the same step (`_default`, in words `default_rule`), the observation and
    `info["error"]` say why. A player that has left may be named with None only; an unknown player raises `UnknownName`.

    Args:
        split: Where tasks are drawn from: a split of the card.
        max_turns: Turn limit in place of the game's own; a turn is a step of all players.
        max_cycles: The same, in PettingZoo's word.
        render_mode: `ansi` (what everybody can see, as text), `human` (the same on the terminal), `rgb_array` where the
            card has images, or None.
        player_names: As in `LanguageAEC`.
    """

    tries = 1

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        """Do what the players ask, one well-formed, possible action of each player still in."""
        raise NotImplementedError(f"{type(self).__name__} must implement _step_all(calls)")

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin a game; `options["task"]` as in `LanguageEnv.reset`.

        Args:
            seed: Seed of the game's generator; None goes on with the one it has.
            options: Reset options.

        Returns:
            Observations and infos by player.

        Raises:
            TaskError: if the task cannot be played.
            ConfigError: if an option is unknown.
        """
        self._begin_episode(seed, _without_test_key(options))
        self._publish()
        return {name: self.observe(name) for name in self.agents}, self.infos

    def step(
        self, actions: Mapping[str, str | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Play one action of every player; see the class.

        Returns:
            Observations, rewards, terminations, truncations and infos of the players that acted.
        """
        if not self.agents:
            raise ResetNeeded(f"{self.card.id}: nobody is left in the game; call reset()")
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions are a mapping from player to string, got {type(actions).__name__}")
        for name, action in actions.items():
            if self._known_player(name) not in self.agents and action is not None:
                raise ConfigError(f"{self.card.id}: {name} has left the game; its only action is None")
            if action is not None:
                check_action(action, name)
        self._play_round(actions)
        self._publish()
        observations = {name: self.observe(name) for name in self.agents}
        answer = observations, self.rewards, self.terminations, self.truncations, self.infos
        self.agents = [name for name in self.agents if not self._players[name].ended]
        for shown in ("rewards", "terminations", "truncations", "infos"):
            setattr(self, shown, {name: getattr(self, shown)[name] for name in self.agents})
        return answer

    def play(self, actions: Mapping[str, str]) -> None:
        """Play one action of every player still in; see `Game.play`."""
        self.step(dict(actions))

    def _apply(self, calls: Mapping[str, Call]) -> JointOutcome:
        return self._understood(self._step_all(calls), "_step_all")

    def _refusal_rule(self) -> str:
        return f"All act at once. An action that is refused or missing counts as: {self.default_rule}."


def _without_test_key(options: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Options without the key `options`, which PettingZoo's `api_test` gives."""
    if isinstance(options, Mapping) and "options" in options:
        return {key: value for key, value in options.items() if key != "options"}
    return options
