"""`GamePlayer`: one player of a game, in the form in which text wrappers stand around it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.core import Call, ConfigError, Driver, EnvCard, Invalid, UnicodeText
from agentgym.core.grammar import ActionGrammar


class GamePlayer(gym.Env[str, str]):
    """What the innermost text wrapper of a player finds inside: prompts, lists and players, but no step of its own.

    It answers for the present state of the game under the names that a `LanguageEnv` has. The game is stepped by those
    who hold all its players, see `agentgym.wrappers.players`.

    Attributes:
        game: The game.
        player: Name of the player.

    Args:
        driver: A driver of the game.
        player: Name of the player.
    """

    def __init__(self, driver: Driver, player: str):
        self.driver, self.game, self.player = driver, driver.world, player
        self.observation_space = UnicodeText(self.game.observation_length)
        self.action_space = UnicodeText(self.game.action_length)
        self.render_mode = self.game.render_mode
        self.metadata = dict(self.game.metadata)

    @property
    def card(self) -> EnvCard:
        """The game's card."""
        card: EnvCard = self.game.card
        return card

    @property
    def split(self) -> str:
        """Where the game's tasks are drawn from."""
        return str(self.game.split)

    @property
    def turn(self) -> int:
        """Steps of all players in this episode."""
        return int(self.game.turn)

    @property
    def action_length(self) -> int:
        """Most characters of an action."""
        return int(self.game.action_length)

    @property
    def admissible_complete(self) -> bool:
        """Whether lists of admissible actions name all of them."""
        return bool(self.game.admissible_complete)

    @property
    def grammar(self) -> ActionGrammar:
        """What the player's actions look like."""
        grammar: ActionGrammar = self.driver.told("grammar", self.player)
        return grammar

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples."""
        return str(self.driver.told("manual", self.player))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """JSON-Schema tool list; empty where actions are words."""
        tools: list[dict[str, Any]] = self.driver.told("tools", self.player)
        return tools

    def parse(self, action: str) -> Call | Invalid:
        """Read an action without playing it."""
        read: Call | Invalid = self.game.parse(action, self.player)
        return read

    @property
    def ended(self) -> bool:
        """Whether the game is over for the player."""
        game, player = self.game, self.player
        return player not in game.agents or bool(game.terminations[player] or game.truncations[player])

    @property
    def awaits_action(self) -> bool:
        """Whether the player is to act in the next step."""
        return self.player in self.driver.to_act

    def admissible_actions(self) -> list[str] | None:
        """Sorted actions, each valid now; empty while others are to act; None if they cannot be listed."""
        return [] if self.ended else self.driver.admissible_actions(self.player)

    def sample_action(self, rng: np.random.Generator) -> str:
        """A plausible action drawn from `rng`."""
        return self.driver.sample_action(self.player, rng)

    def oracle_action(self) -> str:
        """The next action of a player that may read the hidden state, never the generator."""
        return self.driver.oracle_action(self.player)

    def expert_action(self) -> str:
        """The next action of a good player that knows only what this one has seen."""
        return self.driver.expert_action(self.player)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """A player begins no game, whatever `seed` and `options` say.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(
            f"{self.player} is one player of {self.card.id}; play the game through wrap_players or wrap_game"
        )

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """A player steps no game.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(
            f"{self.player} is one player of {self.card.id}; play the game through wrap_players or wrap_game"
        )

    def state_key(self) -> str:
        """The player's name: the game has a key of its own, to which those of the players' wrappers are added."""
        return self.player

    def render(self) -> Any:
        """What everybody can see, as the game draws it."""
        return self.game.render()
