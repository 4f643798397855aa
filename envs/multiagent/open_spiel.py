"""Any of OpenSpiel's games, by name, through its own words for moves and views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError
from agentgym.core.generated import EnvConfig, checked, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.prose import peelings
from agentgym.core.rng import stream
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.board import OPEN_SPIEL
from agentgym.envs.multiagent._open_spiel.engine import Engine, Node, load, thrown
from agentgym.envs.multiagent._open_spiel.players import (
    Known,
    guessed,
    random_opponent,
    simple_opponent,
    sought,
    strong_opponent,
)
from agentgym.envs.multiagent._open_spiel.rules import rules
from agentgym.envs.multiagent._open_spiel.shown import board, ranged
from agentgym.envs.multiagent._scripted import StrongExpert, graded

DEFAULT = "goofspiel(imp_info=True,num_cards=8,points_order=random)"
STREAM = 0x05  # apart from np_random of an equal seed
SHOWN = 200  # legal moves that are listed in an observation
OPENINGS = range(0, 65)
OWN = "[P0]"  # before moves of player_0 in games in which all act at once


@dataclass(slots=True)
class State:
    """The game.

    Attributes:
        history: All actions so far, chance included, by OpenSpiel's numbers.
        seed: What chance is drawn from.
        throws: How often it was drawn.
        marks: For each player short names of what it has seen, one after another, in a game that hides something.
        paid: The return of each player so far.
    """

    history: list[int]
    seed: int
    throws: int
    marks: list[list[str]]
    paid: list[float]


def _named(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name} must be the name of one of OpenSpiel's games, got {value!r}")
    return value.strip()


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `OpenSpiel`."""

    game: str = checked(DEFAULT, _named)
    opening: int = whole(0, 0, OPENINGS[-1], shapes_tasks=False)


class OpenSpiel(StrongExpert, LanguageAEC):
    """OpenSpiel.

    Description: one of the games of the OpenSpiel package, with its parameters, in its own words for moves and states.
    About 110 can be played: board games, card games, dice, auctions, matrix games, games of one player. Games in which
    all act at once are played one player after the other, none seeing what the others chose. Chance is drawn from the
    task, so two players can meet on the same deal, each as either player.

    The default is Goofspiel with eight cards and hidden bids. Each player holds bid cards 1 to 8; eight prize cards,
    also 1 to 8, are turned up one by one in random order. Both bid a card for each; the higher bid wins the prize,
    equal bids nobody, and who bid what stays hidden, only who won is told. Most prize points win.

    Observation: what OpenSpiel says of the player's information (the board where all is open, otherwise the player's
    information state or observation), the moves of others where all is open, and its legal moves. Chess, its kin and
    shogi, which OpenSpiel tells as one line of letters, are drawn as boards; amounts in a row are listed as a range.

    Actions: a legal move as it is listed, such as `[P0]Bid: 3`, `x(1,1)` or `Raise`; `play <move>` as well, and the
    move's number in OpenSpiel as `#<number>`. Case matters only where two moves differ in nothing else. After three
    refused tries in a row the first legal move in alphabetical order is played.

    Reward: what OpenSpiel pays, when it pays it; in many games 1 or -1 at the end. A player succeeds if at the end its
    return is the highest and another's is lower; if all returns are equal nobody does and the metric `draw` is 1. In
    games played together, and games of one player, success is the highest return the game can give.

    Splits: `train` without end, `val` and `test` 60 seeds each. In a game without chance seeds differ only in their
    openings, so give `opening` there.

    Opponents: `random`; `simple` plays the game out at random after each of its moves, 16 times in all; `strong` is
    tree search: OpenSpiel's UCT where all is open, information-set search over guesses at the hidden otherwise. Where
    no history that fits what the player saw is found among 3,000 states (hearts, spades, skat, dou_dizhu, crazy_eights,
    often gin_rummy, go_fish, hanabi and cribbage), and in games that throw their own dice, both play at random. Expert:
    `strong`, its dice made of the task. Oracle: UCT that sees what is hidden, but not the chance to come. Scores of the
    card are of the default game against `simple`, half of the games as either player.

    Not playable, and said so in one line: mean-field games, `crossword` and `morpion_solitaire`, games that need a file
    or another game as a parameter and get none, and games whose dice no seed governs.

    Args:
        game: Name and parameters in OpenSpiel's form, such as `hex(board_size=5)`; parameters are checked.
        opening: Random moves, 0 to 64, played before the first player acts, for variety in games without chance; fewer
            where the game would be over.

    Source: Lanctot et al. 2019, OpenSpiel: A Framework for Reinforcement Learning in Games (arXiv:1908.09453); package
    `open_spiel` 2.0. Search: Cowling, Powley, Whitehouse 2012, Information Set Monte Carlo Tree Search.
    """

    card = OPEN_SPIEL
    config = Config()
    grammar = Grammar(
        [
            Command("#<number>", "play a move by its number in OpenSpiel.", examples=("#2",), name="number"),
            Command("play <move>", "play a move.", examples=("play [P0]Bid: 3",), variants=("<move>",), free="line"),
        ],
        rules="Play one of the legal moves that are listed for you, in exactly those words.",
    )
    task_schema: ClassVar[Spec] = object_schema({"seed": {"type": "integer", "minimum": 0, "maximum": 2**53}})
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    def _configured(self) -> None:
        self._engine = load(self.config.game)
        self.grammar = _grammar(self._engine.text)
        self._spot: tuple[list[int], int, Node] | None = None
        self._listed: tuple[Node, dict[str, int]] | None = None

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """The `seed` of its chance alone tells a task from another; which game it is, `config` says."""
        return {"seed": seed}

    @classmethod
    def instruction_for(cls, config: Config) -> Callable[[Spec], str]:
        """The words depend on the game."""
        engine = load(config.game)
        aim = "as high a return as you can" if engine.cooperative else "a higher return than the others"
        words = f"Play {engine.title} (OpenSpiel: {engine.text}) and end with {aim}."
        return lambda spec: words

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(load(config.game).players)]

    def _team(self, player: str) -> str:
        return "all" if self._engine.cooperative else player

    @property
    def engine(self) -> Engine:
        """The game's facts."""
        return self._engine

    def instruction(self, spec: Spec) -> str:
        """The task in words."""
        return self.instruction_for(self.config)(spec)

    def _turn_limit(self, task: Task) -> int:
        return self._engine.longest * self.tries

    # The engine's state follows from history and seed; stored states are never changed, so copies of the world share.

    @property
    def _node(self) -> Node:
        state = self._state
        if self._spot is None or self._spot[1] != state.seed or self._spot[0] != state.history:
            self._spot = (list(state.history), state.seed, self._engine.replayed(state.history, state.seed))
        return self._spot[2]

    def _act(self, action: int) -> None:
        """Let an action happen, and note what every player then sees."""
        state, before = self._state, self._node
        state.history.append(int(action))
        node = self._engine.after(before, state.history, state.seed)
        self._spot = (list(state.history), state.seed, node)
        self._note(node)

    def _note(self, node: Node) -> None:
        if self._engine.hidden:
            for place, marks in enumerate(self._state.marks):
                mark = self._engine.mark(node, place)
                if not marks or marks[-1] != mark:
                    marks.append(mark)

    def _chance(self) -> None:
        """Draw what chance brings until a player has to move; each draw from the seed and its number."""
        while self._node.is_chance_node():
            rng = np.random.default_rng([self._state.seed, STREAM, self._state.throws])
            self._state.throws += 1
            act = thrown(self._node, rng.random())
            words = " ".join(self._node.action_to_string(self._node.current_player(), act).split())
            self._act(act)
            if not self._engine.hidden:
                self.send_message(f"Chance: {words}.")

    def _reset(self, task: Task) -> None:
        players = self._engine.players
        self._state = State([], int(task.spec["seed"]), 0, [[] for _ in range(players)], [0.0] * players)
        self._spot = None
        self._note(self._node)
        self._chance()
        rng = np.random.default_rng([self._state.seed, STREAM])
        for _ in range(self.config.opening):
            node = self._node
            actions = node.legal_actions()
            action = actions[int(rng.random() * len(actions))]
            ahead = node.clone()
            ahead.apply_action(action)
            if ahead.is_terminal():
                break
            self._act(action)
            self._chance()
            if self._node.is_terminal():
                raise ConfigError(
                    f"an opening of {self.config.opening} moves can end {self._engine.text}; give a smaller one"
                )
        self._state.paid = [float(value) for value in self._node.returns()]

    def _to_move(self) -> str:
        return self.possible_agents[max(0, self._node.current_player())]

    def _moves(self) -> dict[str, int]:
        node = self._node
        if self._listed is None or self._listed[0] is not node:
            self._listed = (node, self._engine.moves(node))
        return self._listed[1]

    def _public(self) -> str:
        node = self._node
        if self._engine.hidden and not node.is_terminal():
            return f"{self._engine.title}; what lies on the table is told to each seat by itself."
        return self._with_names(board(str(node).strip("\n") if self._engine.hidden else self._engine.view(node, 0)))

    def _view(self, player: str) -> str:
        node, place = self._node, self.possible_agents.index(player)
        text = self._with_names(board(self._engine.view(node, place)))
        if node.is_terminal() or node.current_player() != place:
            return text
        words = ranged(list(self._moves()))
        more = f" and {len(words) - SHOWN} more of the same kinds" if len(words) > SHOWN else ""
        return f"{text}\nYour legal moves: {' | '.join(words[:SHOWN])}{more}"

    def _meant(self, call: Call) -> int | str:
        """The legal move that an action names, or why it names none."""
        moves = self._moves()
        if call.name == "number":
            number = call["number"]
            if number.isdecimal() and len(number) < 10 and int(number) in moves.values():
                return int(number)
            return f"#{shorten(number)} is not the number of a legal move; give a move in words as it is listed."
        said = " ".join(call["move"].split())
        own = f"[P{self._node.current_player()}]"  # as some games begin a player's moves
        for less in peelings(said):
            for words in (less, f"{own}{less}", f"play {less}", f"Play {less}", f"(Play {less})"):
                if words in moves:
                    return moves[words]
        folded = {less.removeprefix(own).casefold() for less in peelings(said)}
        alike = [action for words, action in moves.items() if words.removeprefix(own).casefold() in folded]
        if len(alike) == 1:
            return alike[0]
        if alike:
            return f"{shorten(said)!r} can mean several moves that differ in case; write it exactly as it is listed."
        return f"{shorten(said)!r} is not a legal move now; choose one of those listed for you, in exactly those words."

    def _step(self, player: str, call: Call) -> JointOutcome:
        meant = self._meant(call)
        if isinstance(meant, str):
            return self.refuse(meant)
        if not self._engine.hidden:
            words = next(words for words, action in self._moves().items() if action == meant)
            self.send_message(f"{player} plays {words}.")
        self.record({"type": "move", "seat": player, "action": meant}, None if not self._engine.hidden else [player])
        self._act(meant)
        self._chance()
        node, players = self._node, self.possible_agents
        returns = [float(value) for value in node.returns()]
        rewards = {
            each: now - old for each, now, old in zip(players, returns, self._state.paid, strict=True) if now != old
        }
        self._state.paid = returns
        return self._end(returns, rewards) if node.is_terminal() else JointOutcome(rewards)

    def _end(self, returns: list[float], rewards: dict[str, float]) -> JointOutcome:
        """The game is over: who has succeeded."""
        players = self.possible_agents
        self.send_message(
            "The game is over. Returns: " + ", ".join(f"{s} {v:g}" for s, v in zip(players, returns, strict=True))
        )
        if self._engine.cooperative:
            winners = [player for player, value in zip(players, returns, strict=True) if value >= self._engine.best]
        elif min(returns) == max(returns):
            winners = []
            self.set_metric("draw", 1.0)
        else:
            winners = [player for player, value in zip(players, returns, strict=True) if value == max(returns)]
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _admissible(self, player: str) -> list[str]:
        return list(self._moves())

    def _known(self, player: str) -> Known:
        engine, place = self._engine, self.possible_agents.index(player)
        history = () if engine.hidden or engine.sampled else tuple(self._state.history)
        return Known(engine.text, place, history, tuple(self._state.marks[place]), self._moves())

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        """Another history that the player would have seen alike, where one is found, and other chance to come."""
        state, engine = self._state, self._engine
        if self._node.is_terminal() or engine.sampled:
            return
        mover = self._node.current_player()
        state.seed = int(rng.integers(2**53))
        history = guessed(self._known(player), rng, mover) if engine.hidden else None
        if history is not None:
            state.history, state.marks = [], [[] for _ in state.marks]
            self._note(self._node)
            for action in history:
                self._act(action)

    def _oracle(self, player: str) -> str:
        if self._engine.sampled:
            return random_opponent(self._known(player), self._decision_rng(player))
        return sought(self._engine, self._node, self._decision_rng(player))

    def _key_state(self) -> Any:
        state = self._state
        return [state.history, state.seed if self._engine.chance else 0, state.throws]


@lru_cache(maxsize=16)
def _grammar(text: str) -> Grammar:
    """The commands with examples of this very game: a legal move of one of its first positions."""
    engine, luck = load(text), stream("envs.open_spiel.example")
    node = engine.start(0)
    while node.is_chance_node():
        node.apply_action(thrown(node, luck.random()))
    moves = engine.moves(node)
    move, number = next(iter(moves.items()))
    by_number, by_words = OpenSpiel.grammar.commands
    span = next((shown for shown in ranged(list(moves)) if shown not in moves), "")
    example = f", such as {span}," if span else ""
    told = (
        f"{rules(engine.name)} {OpenSpiel.grammar.rules} Where a range is listed{example} each whole number in it is a "
    )
    told += f"move of its own: {move}." if span else "move of its own."
    if OWN in move:
        told += f" In the examples {OWN} is player_0; your own moves bear your number."
    examples = (replace(by_number, examples=(f"#{number}",)), replace(by_words, examples=(f"play {move}", move)))
    return Grammar(examples, rules=told.strip())
