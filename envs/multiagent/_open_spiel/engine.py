"""One of OpenSpiel's games, loaded and checked: its moves in words, its views, its chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from agentgym.core.errors import ConfigError, require, unknown
from agentgym.core.snapshot import fingerprint

NAME = "AgentGym/OpenSpiel-v0"
VERSION = "2.0.2"
LONGEST = 10_000  # moves of a game that sets no limit of its own
UNPLAYABLE = {
    "crossword": "its moves are structured data, not a list that can be shown",
    "morpion_solitaire": "OpenSpiel 2.0 crashes where one of its states is copied",
}

Node: TypeAlias = Any  # a pyspiel.State; one that has been stored is never changed, only cloned


def spiel() -> Any:
    """The package `pyspiel`.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("pyspiel", extra="worlds", purpose=NAME, version=VERSION)


@dataclass(frozen=True)
class Engine:
    """A game that can be played in turns.

    Attributes:
        text: The game with its parameters, in OpenSpiel's own form.
        name: Its short name.
        title: Its long name.
        game: The `pyspiel.Game`; games in which all act at once are played one player after the other, hidden from
            each.
        players: How many play.
        hidden: Whether there is something that a player does not see.
        chance: Whether dice or deals take part.
        sampled: Whether the game throws its dice itself, from a seed among its parameters.
        cooperative: Whether all win and lose together, or one plays alone.
        best: The most a player can get.
        longest: The most moves of a game.
        recalls: Whether it says all that a player remembers (information state), rather than what it sees now.
    """

    text: str
    name: str
    title: str
    game: Any = field(repr=False)
    players: int
    hidden: bool
    chance: bool
    sampled: bool
    cooperative: bool
    best: float
    longest: int
    recalls: bool

    def start(self, seed: int) -> Node:
        """A new game; of one that throws its own dice, the one of `seed`, in an engine of its own."""
        if not self.sampled:
            return self.game.new_initial_state()
        module = spiel()
        parameters = module.game_parameters_from_string(self.text)
        return module.load_game(parameters.pop("name"), parameters | {"rng_seed": seed}).new_initial_state()

    def after(self, node: Node, history: list[int], seed: int) -> Node:
        """The state behind a node after one more action; the node stays as it is.

        Args:
            node: The state before it.
            history: All actions from the start, the new one last.
            seed: Seed of the game's own dice, for one that throws them itself.
        """
        if self.sampled:  # copies of such a state would share its dice
            again = self.start(seed)
            for action in history:
                again.apply_action(action)
            return again
        later = node.clone()
        later.apply_action(history[-1])
        return later

    def replayed(self, history: list[int], seed: int) -> Node:
        """The state after all of a `history`, those of chance included; `seed` is that of the game's own dice."""
        node = self.start(seed)
        for action in history:
            node.apply_action(action)
        return node

    def view(self, node: Node, place: int) -> str:
        """What a player sees: its information state where the game hides something and says it, else an observation.

        Args:
            node: The state.
            place: The player, from 0.
        """
        if self.hidden and self.recalls:
            return str(node.information_state_string(place)).strip("\n")
        if self.game.get_type().provides_observation_string:
            return str(node.observation_string(place)).strip("\n")
        return str(node).strip("\n")

    def mark(self, node: Node, place: int) -> str:
        """A short name of what the player at a `place` sees of a `node`: equal for what looks the same."""
        return fingerprint(self.view(node, place))[:16]

    def moves(self, node: Node) -> dict[str, int]:
        """The legal moves of the player to move by their words, in the engine's order."""
        place = node.current_player()
        return {" ".join(node.action_to_string(place, act).split()): act for act in node.legal_actions()}


def thrown(node: Node, luck: float) -> int:
    """The outcome of a chance `node` at a number `luck` from 0 to 1, in the engine's order of outcomes."""
    outcomes = node.chance_outcomes()
    for outcome, chance in outcomes:
        luck -= chance
        if luck < 0:
            return int(outcome)
    return int(outcomes[-1][0])


@lru_cache(maxsize=16)
def load(text: str) -> Engine:
    """The game of a text such as `hex` or `goofspiel(num_cards=5,imp_info=True)`.

    Raises:
        MissingExtra: if OpenSpiel is not installed.
        UnknownName: if it has no such game.
        ConfigError: if the parameters are wrong, or the game cannot be played in words.
    """
    module = spiel()
    kinds = {kind.short_name: kind for kind in module.registered_games()}
    name = text.partition("(")[0].strip()
    if name not in kinds:
        raise unknown("game of OpenSpiel", name, kinds)
    parameters = _parameters(module, text, kinds[name])
    if kinds[name].dynamics == module.GameType.Dynamics.MEAN_FIELD:
        raise ConfigError(
            f"{name} is a mean-field game of populations, which players cannot play in words; take another"
        )
    if name in UNPLAYABLE:
        raise ConfigError(f"{name} cannot be played here: {UNPLAYABLE[name]}; take another game")
    try:
        game = module.load_game(name, parameters)
    except (module.SpielError, RuntimeError) as error:
        raise ConfigError(f"OpenSpiel refuses the game {text!r}: {_short(error)}") from None
    if game.get_type().dynamics == module.GameType.Dynamics.SIMULTANEOUS:
        game = module.convert_to_turn_based(game)
    return _built(module, text, kinds[name], game)


def _parameters(module: Any, text: str, kind: Any) -> dict[str, Any]:
    """The parameters in a text, each known to the game and of the type of its default value."""
    if text.count("(") != text.count(")") or (")" in text and not text.rstrip().endswith(")")):
        raise ConfigError(f"the game {text!r} must have the form name or name(parameter=value,...)")
    try:
        parameters: dict[str, Any] = module.game_parameters_from_string(text)
    except (module.SpielError, RuntimeError) as error:
        raise ConfigError(f"OpenSpiel cannot read the game {text!r}: {_short(error)}") from None
    parameters.pop("name", None)
    known = kind.parameter_specification
    for key, value in parameters.items():
        if key not in known:
            raise unknown(f"parameter of {kind.short_name}", key, known)
        kinds = (int, float) if isinstance(known[key], float) else (type(known[key]),)
        if (isinstance(value, bool) and bool not in kinds) or not isinstance(value, kinds):
            raise ConfigError(f"{key} of {kind.short_name} must be like its default {known[key]!r}, got {value!r}")
    lacking = [key for key, value in known.items() if value in ({}, "") and key in ("game", "stage_game", "filename")]
    for key in lacking:
        if not parameters.get(key):
            raise ConfigError(f"{kind.short_name} needs the parameter {key}, such as {kind.short_name}({key}=...)")
    if "ansi_color_output" in known:
        parameters.setdefault("ansi_color_output", False)
    players = parameters.get("players")
    if players is not None and not kind.min_num_players <= players <= kind.max_num_players:
        raise ConfigError(
            f"{kind.short_name} has {kind.min_num_players} to {kind.max_num_players} players, got {players}"
        )
    return parameters


def _built(module: Any, text: str, kind: Any, game: Any) -> Engine:
    facts = game.get_type()
    modes, utilities = module.GameType.ChanceMode, module.GameType.Utility
    sampled = facts.chance_mode == modes.SAMPLED_STOCHASTIC
    if sampled and "rng_seed" not in kind.parameter_specification:
        raise ConfigError(f"{text} throws dice that no seed governs, so no game of it could be played again")
    players = int(game.num_players())
    recalls, observes = facts.provides_information_state_string, facts.provides_observation_string
    hidden = facts.information != module.GameType.Information.PERFECT_INFORMATION
    if hidden and not (recalls or observes):
        raise ConfigError(f"{text} has hidden information and no text of what a player sees of it; take another game")
    return Engine(
        text=text,
        name=kind.short_name,
        title=kind.long_name,
        game=game,
        players=players,
        hidden=hidden,
        chance=facts.chance_mode != modes.DETERMINISTIC,
        sampled=sampled,
        cooperative=players == 1 or facts.utility == utilities.IDENTICAL,
        best=float(game.max_utility()),
        longest=min(LONGEST, int(game.max_game_length())),
        recalls=recalls,
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
