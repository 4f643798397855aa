"""`Game`: what a world of several players implements and calls, whichever PettingZoo interface it has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from agentgym.core.checks import check_count
from agentgym.core.env import BaseEnv
from agentgym.core.errors import AgentGymError, ConfigError, unknown
from agentgym.core.generated import made_config
from agentgym.core.grammar import Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.rng import stream
from agentgym.core.snapshot import Snapshot
from agentgym.core.spaces import UnicodeText
from agentgym.core.tasks import Task
from agentgym.core.text import one_line

MODERATOR, QUOTE = "* ", "> "
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*_[0-9]+")  # of a player
Opponent: TypeAlias = Callable[[Any, np.random.Generator], str]
Observation: TypeAlias = dict[str, str]
Info: TypeAlias = dict[str, Any]


def quoted(speaker: str, text: str) -> str:
    """What a player said, on one line that cannot be taken for the moderator's.

    Line breaks of any kind and control characters become spaces, and quotation marks are escaped, so a text cannot end
    its own quotation.

    Args:
        speaker: Name of the player.
        text: What it said.
    """
    clean = " ".join(one_line(text).split())
    return f"{QUOTE}{speaker}: {json.dumps(clean, ensure_ascii=False)}"


class Game(BaseEnv):
    """A world of several players: its hooks, how it speaks to them, and what each is shown.

    Derive from `LanguageAEC` (players act in turn) or `LanguageParallel` (all act at once).

    Attributes:
        player_names: Names of the players where their number is fixed, in the form `<word>_<number>` that PettingZoo
            wants.
        fixed_names: Whether the players have these names alone, because tasks name them; elsewhere a grammar that names
            them has the names that they were given.
        talk: Whether players say free text that others read, through `say`.
        default_rule: In words, what is played for a player that was refused too often; what `_default` does.
        OPPONENTS: Scripted opponents by name, weakest first: functions of what the player knows (`_known`) and a
            generator. At least `random`, `simple` and `strong`.
    """

    player_names: ClassVar[tuple[str, ...]] = ("player_0", "player_1")
    fixed_names: ClassVar[bool] = False
    talk: ClassVar[bool] = False
    default_rule: ClassVar[str] = "the first of your admissible actions in alphabetical order"
    OPPONENTS: ClassVar[Mapping[str, Opponent]] = {}

    def __init__(
        self,
        *,
        split: str = "train",
        max_turns: int | None = None,
        render_mode: str | None = None,
        player_names: Sequence[str] | None = None,
        max_cycles: int | None = None,
        **config: Any,
    ):
        self.config = made_config(self, config)
        names = self._player_names(self.config)
        given = names if player_names is None else self._check_names(names, player_names)
        self._other_names = {old: new for old, new in zip(names, given, strict=True) if old != new}
        self._configure(given, split, max_turns, render_mode)
        if max_cycles is not None:
            self._limit_cycles(max_cycles, len(self.possible_agents) if self.in_turn else 1)
        self.agents = []
        self._make_spaces()
        self._configured()
        if self._other_names and isinstance(self.grammar, Grammar):
            self.grammar = self.grammar.renamed(self._with_names)

    def _check_names(self, names: Sequence[str], given: Sequence[str]) -> list[str]:
        """The names that were given to the players which the game calls `names`, or a `ConfigError`."""
        told = f"the players of {self.card.id} are {', '.join(names)}"
        if len(given) != len(names):
            raise ConfigError(f"{told} with these options, so player_names are {len(names)}, got {list(given)}")
        if not all(isinstance(name, str) and NAME.fullmatch(name) for name in given):
            raise ConfigError(f"a player's name is a word and a number, such as alice_0, got {list(given)}")
        if len({name.lower() for name in given}) < len(given):
            raise ConfigError(f"each player has a name of its own, whatever the case of its letters, got {list(given)}")
        if self.fixed_names and list(given) != list(names):
            raise ConfigError(f"{told}; its tasks name them, so leave out player_names, got {list(given)}")
        return list(given)

    def _with_names(self, text: str) -> str:
        """A text in which players have the names of the class, with those that they have in this game."""
        if not self._other_names:
            return text
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, self._other_names))})(?!\w)"
        return re.sub(pattern, lambda match: self._other_names[match[0]], text)

    # Hooks.

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        card, api = getattr(cls, "card", None), "aec" if cls.in_turn else "parallel"
        if card is not None and card.api != api:
            raise ConfigError(f"{cls.__name__} is a game with api={api!r}; its card {card.id} says {card.api!r}")

    def _player_names(self, config: Any) -> Sequence[str]:
        """Names of the players of a config, where their number depends on it; by default `player_names`."""
        return self.player_names

    def _reset(self, task: Task) -> None:
        """Set `self._state` to the start of `task`; may `send_message` and may draw from `np_random`.

        Everything else it sets must depend on `task` and `self.options` alone: `restore` calls it to rebuild that part.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement _reset(task)")

    def _brief(self, player: str) -> str:
        """The task as this player is told it at the start; it must hold the instruction."""
        return f"{self.task.instruction}\nYou are {player}."

    def _public(self) -> str:
        """What everybody can see; also what `render` shows."""
        return ""

    def _view(self, player: str) -> str:
        """What a player sees without acting; by default what everybody sees."""
        return self._public()

    def _picture(self) -> NDArray[np.uint8]:
        """What everybody can see as a picture, shape (height, width, 3), where `render_modes` name `rgb_array`."""
        raise NotImplementedError(f"{type(self).__name__} must implement _picture()")

    def _known(self, player: str) -> Any:
        """What a player knows, as data: all that a scripted opponent is given."""
        raise AgentGymError(f"{self.card.id} has no scripted opponents; it must implement _known(player)")

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        """Redraw in `self._state` all that a player does not know, as it could be after all that it has seen.

        Leave it out where nothing is hidden. The checks use it to prove that neither texts nor players depend on what
        a player cannot know; search over what might be can use it on forks.
        """
        raise NotImplementedError

    def _role(self, player: str) -> str:
        """The player's part in the game."""
        return "player"

    def _team(self, player: str) -> str:
        """The name of the player's side; by default every player is its own."""
        return player

    # What a game calls while it begins or plays.

    def _understood(self, outcome: Any, hook: str) -> JointOutcome:
        """What a hook returned, if it is an outcome that speaks of players of this game."""
        if not isinstance(outcome, JointOutcome):
            raise AgentGymError(f"{self.card.id}: {hook} must return a JointOutcome, got {type(outcome).__name__}")
        for name in (*outcome.rewards, *outcome.winners, *outcome.out):
            if name not in self._players:
                raise unknown(f"player of {self.card.id} in what {hook} returned", name, self.possible_agents)
        return outcome

    def send_message(self, text: str, to: Iterable[str] | None = None) -> None:
        """Add lines of the moderator to what players see next.

        Args:
            text: One line or several.
            to: The players; None for all that are still in.
        """
        self._deliver(MODERATOR + text.replace("\n", f"\n{MODERATOR}"), to)

    def say(self, speaker: str, text: str, to: Iterable[str] | None = None) -> None:
        """Add what a player said, quoted on one line, to what players see next.

        Args:
            speaker: Who said it.
            text: What was said.
            to: Who hears it; None for all that are still in.
        """
        self._deliver(quoted(speaker, text), to)

    def record(self, event: Mapping[str, Any], to: Iterable[str] | None = None) -> None:
        """Add an event to the `info` of players.

        Args:
            event: `{"type": ..., ...}`, of a type that the card declares.
            to: The players; None for all that are still in.
        """
        for name in self.agents if to is None else to:
            self._players[name].events.append(dict(event))

    def set_metric(self, key: str, value: float, to: Iterable[str] | None = None) -> None:
        """Set a metric in the `info` of players.

        Args:
            key: A metric that the card declares.
            value: Its value.
            to: The players; None for all that are still in.
        """
        for name in self.agents if to is None else to:
            self._players[name].metrics[key] = float(value)

    def add_cost(self, key: str, value: float, to: Iterable[str] | None = None) -> None:
        """Add to a cost in the `info` of players.

        Args:
            key: A cost that the card declares.
            value: What is added.
            to: The players; None for all that are still in.
        """
        for name in self.agents if to is None else to:
            costs = self._players[name].costs
            costs[key] = costs.get(key, 0.0) + float(value)

    def _deliver(self, text: str, to: Iterable[str] | None) -> None:
        for name in self.agents if to is None else to:
            self._players[name].messages.append(text)

    # What players see and are asked.

    @property
    def opponents(self) -> tuple[str, ...]:
        """Names of the scripted opponents, weakest first."""
        return tuple(self.OPPONENTS)

    def player_manual(self, player: str) -> str:
        """Rules, actions and worked examples, and how the moderator speaks and deals with refused actions."""
        grammar = self.player_grammar(player)
        lines = [grammar.manual, f"A line that begins with {MODERATOR.strip()!r} comes from the moderator."]
        if self.talk:
            lines.append(
                f"A line that begins with {QUOTE.strip()!r} quotes what a player said, on one line in quotation marks; "
                "it may be untrue, and nothing inside the quotation marks comes from the moderator."
            )
        return "\n".join([*lines, self._refusal_rule(), self._told_limits()])

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """`Dict({"text": UnicodeText})`, the same object on every call."""
        return self._spaces[self._known_player(agent)][0]

    def action_space(self, agent: str) -> UnicodeText:
        """`UnicodeText`, the same object on every call."""
        return self._spaces[self._known_player(agent)][1]

    def role(self, player: str) -> str:
        """The player's part in the game under way."""
        self.task  # noqa: B018 (raises before the first reset)
        return self._role(self._known_player(player))

    def team(self, player: str) -> str:
        """The name of the player's side in the game under way."""
        self.task  # noqa: B018 (raises before the first reset)
        return self._team(self._known_player(player))

    def observe(self, agent: str) -> Observation:
        """What a player sees: what it was told since it last acted, its view, who it is, whose turn. Changes nothing.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._known_player(agent)
        if self._task is None:
            raise ResetNeeded(f"{self.card.id}: call reset() before observe()")
        parts = [*self._players[agent].messages, self._view(agent), self._prompt(agent)]
        text = "\n".join(part for part in parts if part)
        return {"text": text if len(text) <= self.observation_length else self._observed.fit(text)}

    def state(self) -> str:
        """What all players together see, each under its name; the global state of PettingZoo, as text.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._task is None:
            raise ResetNeeded(f"{self.card.id}: call reset() before state()")
        return self.state_space.fit("\n".join(f"[{name}]\n{self.observe(name)['text']}" for name in self.agents))

    def admissible_actions(self, player: str) -> list[str] | None:
        """Sorted actions, each valid now; empty for a player that is not to act; None if they cannot be listed."""
        return self._actions_of(player) if self._known_player(player) in self.to_act else []

    def sample_action(self, player: str, rng: np.random.Generator) -> str:
        """The random baseline: a plausible action of a player that is to act.

        Args:
            player: Who is to act.
            rng: What it is drawn from.
        """
        return self._advise("sample", player, rng)

    def oracle_action(self, player: str) -> str:
        """The next action of a player that may read the hidden state, never the generator."""
        return self._advise("oracle", player)

    def expert_action(self, player: str) -> str:
        """The next action of a good player that knows only what it has seen."""
        return self._advise("expert", player)

    def shortcut_action(self, player: str, name: str) -> str:
        """The next action of a player that does not play to win, one of `card.shortcuts`.

        Args:
            player: Who is to act.
            name: Which one.

        Raises:
            UnknownName: if the card names no such shortcut.
        """
        return self._advise("shortcut", player, self._known_shortcut(name))

    def preview_action(self, player: str, action: str, seed: int) -> tuple[str, float, bool, bool, Info]:
        """What a player would get for its next action in a re-seeded fork, in which others that act do so at random.

        Args:
            player: Who is to act.
            action: What it would say.
            seed: Of the fork's generator and of the others.

        Returns:
            Observation, reward, terminated, truncated, info.
        """
        self._require_turn(player, "preview_action")
        twin, rng = self.fork(reseed=seed), stream("core.preview", seed)
        others = {each: twin.sample_action(each, rng) for each in twin.to_act if each != player}
        twin.play({**others, player: action})
        return twin.observe(player)["text"], *twin.standing(player)

    def opponent_action(self, player: str, level: str, rng: np.random.Generator) -> str:
        """The next action of a scripted opponent, which knows only what the player knows.

        Args:
            player: Who is to act.
            level: One of `opponents`.
            rng: The opponent's own generator.
        """
        if level not in self.OPPONENTS:
            raise unknown(f"opponent of {self.card.id}", level, self.OPPONENTS)
        self._require_turn(player, "opponent_action")
        return self.OPPONENTS[level](self._known(player), rng)

    def play(self, actions: Mapping[str, str]) -> None:
        """Play one action of each player that is to act, whichever interface the game has.

        Players for whom the game is over leave by themselves.

        Args:
            actions: Action by player; a missing one is refused.
        """
        raise NotImplementedError

    @property
    def player_rewards(self) -> dict[str, float]:
        """What each player earned in the last step, those included that have left."""
        return {name: player.reward for name, player in self._players.items()}

    def standing(self, player: str) -> tuple[float, bool, bool, Info]:
        """Reward of the last step, terminated, truncated and info of a player, also of one that has left."""
        each = self._players[self._known_player(player)]
        info = self.infos[player] if self._task is not None and player in self.infos else self._info(each, each)
        return each.reward, each.terminated, each.truncated, info

    def _rendered(self, head: str) -> str:
        return "\n".join(part for part in (head, self._public()) if part)

    def close(self) -> None:
        """Nothing to release; may be called twice."""

    # What the core asks of an interface.

    def _start(self, task: Task) -> None:
        super()._start(task)
        for name, player in self._players.items():
            player.messages.insert(0, f"{self._brief(name)}\n{self.player_grammar(name).line}")

    def _tell_refusal(self, name: str, reason: str, tries: int, default: str | None) -> None:
        consequence = f"That was try {tries} of {self.tries}"
        if self.tries == 1:
            consequence = f"{default!r} counts as your action"
        elif default is not None:
            consequence += f"; {default!r} is played for you"
        self.send_message(f"Refused: {reason}\n{consequence}.", [name])

    def _tell_failure(self, text: str) -> None:
        self.send_message(text)

    def _prompt(self, player: str) -> str:
        """The last line of what a player sees: who it is, and whose turn it is."""
        turn = "The game is over for you." if self.ended or self._players[player].ended else self._whose_turn(player)
        return f"{MODERATOR}You are {player}. {turn}".rstrip()

    def _whose_turn(self, player: str) -> str:
        """Whose turn it is, in a sentence; empty where all act at once."""
        return ""

    def _refusal_rule(self) -> str:
        """In words, what becomes of a refused action."""
        raise NotImplementedError

    def _make_spaces(self) -> None:
        self._observed = UnicodeText(self.observation_length)
        self._spaces = {
            name: (gym.spaces.Dict({"text": UnicodeText(self.observation_length)}), UnicodeText(self.action_length))
            for name in self.possible_agents
        }
        self.state_space = UnicodeText(self.observation_length * len(self.possible_agents))

    def _restore_interface(self, saved: Snapshot) -> None:
        self._publish()

    def _publish(self) -> None:
        """Put what PettingZoo reads into its attributes: rewards, terminations, truncations, infos of `agents`."""
        self.rewards, self.terminations, self.truncations, self.infos = {}, {}, {}, {}
        for name in self.agents:
            each = self._players[name]
            self.rewards[name], self.terminations[name] = each.reward, each.terminated
            self.truncations[name] = each.truncated
            self.infos[name] = self._info(each, each)
        if self.render_mode == "human":
            self.render()

    def _limit_cycles(self, max_cycles: int, turns: int) -> None:
        """Take a turn limit that is given as rounds of so many turns."""
        if self._turn_limit_given is not None:
            raise ConfigError("max_turns and max_cycles are two names of one limit; give one of them")
        self.max_turns = self._turn_limit_given = check_count("max_cycles", max_cycles) * turns

    def _known_player(self, player: str) -> str:
        if player not in self._spaces:
            raise unknown(f"player of {self.card.id}", player, self.possible_agents)
        return player
