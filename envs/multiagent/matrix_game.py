"""Matrix games: two choose at once, round after round, with or without talk before each choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, object_schema, one_of, switch
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.talk import MATRIX_GAME
from agentgym.envs.multiagent._matrix import (
    KINDS,
    NAMES,
    Known,
    Table,
    drawn,
    fair,
    leading,
    random_opponent,
    simple_opponent,
    strong_opponent,
)
from agentgym.envs.multiagent._scripted import StrongExpert, graded

ROUNDS = range(2, 101, 2)
STREAM = 0x3A  # apart from np_random of an equal seed
SLACK = 1e-9


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        past: Moves of player_0 and player_1, round by round.
        talking: Whether the players talk before they choose.
        heard: What each player said last in this round.
        totals: Points of each player.
    """

    past: list[list[int]]
    talking: bool
    heard: list[str]
    totals: list[int]


def _even(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in ROUNDS:
        raise ConfigError(f"{name} must be an even number from {ROUNDS[0]} to {ROUNDS[-1]}, got {value!r}")
    return value


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `MatrixGame`."""

    kind: str | None = one_of(None, KINDS)
    rounds: int = checked(10, _even, shapes_tasks=False)
    chat: bool = switch(True, shapes_tasks=False)


class MatrixGame(StrongExpert, LanguageParallel):
    """Matrix games.

    Description: both players choose a move at once and are paid by a table that both know; that is one round of
    several. Tables are drawn anew for each task, of seven kinds: prisoner's dilemma, stag hunt, chicken, battle of
    the sexes, coordination, matching pennies, rock paper scissors; moves have neutral names, so that the kind must be
    read off the payoffs. Before each choice both may say something at the same time; words bind nobody.

    Observation: what was said, chosen and paid in the last step; the table from the player's own side, round, points
    and whether it is time to talk or to choose.

    Actions: in the time to talk `say <words>` or `pass`; in the time to choose `choose <move>`. A refused action counts
    as `pass`, or as the first move of the table. Both act at once.

    Reward: the payoff of each round, to both. At the end a player has succeeded if its mean payoff is at least the fair
    one: the most that both can have alike, mixing or alternating outcomes (computed exactly; 0 where one loses
    what the other wins). Both may succeed. Metrics of the last step: `mean` payoff of the player and the `fair` one.

    Splits: `train` without end, `val` and `test` 200 tables each.

    Opponents: `random`; `simple` makes the best reply to how often the other made each move (fictitious play) and is
    silent; `strong` weighs which of several ways to play explain the other (steady, fictitious play, tit for tat,
    alternating), believes announcements, plays what pays most against them over the rounds left, and announces its move
    where both want to meet. One beats the other if it is paid more than the other over the same tables from both
    players. Expert: `strong`. Oracle: knows that the rival replies to frequencies, and searches the rounds ahead
    against it. Scores of the card are against `simple`.

    Args:
        kind: The kind of every table: `prisoners_dilemma`, `stag_hunt`, `chicken`, `battle_of_the_sexes`,
            `coordination`, `matching_pennies` or `rock_paper_scissors`; by default each task draws its own. The last
            two have few payoffs, so a panel of one of them holds as many tasks as there are different ones.
        rounds: An even number of rounds, 2 to 100; 10 by default.
        chat: Whether the players may talk before each choice; True by default.

    Source: Rapoport and Guyer 1966, A Taxonomy of 2 x 2 Games; Axelrod 1984, The Evolution of Cooperation; talk as in
    Crawford and Sobel 1982, Strategic Information Transmission.
    """

    card = MATRIX_GAME
    config = Config()
    task_stream = STREAM
    talk = True
    default_rule = "pass in the time to talk, the first move of the table in the time to choose"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "choose <move>",
                "make a move, in the time to choose; its name stands in the table, red only where the table has it.",
                examples=("choose red",),
            ),
            Command(
                "say <words>", "say something, in the time to talk.", examples=("say I will choose red.",), free="lines"
            ),
            Command("pass", "say nothing, in the time to talk.", examples=("pass",)),
        ],
        rules="Both choose at once, and the table says what each is paid. Get as much as you can over all rounds. You "
        "succeed if your mean payoff is at least what both could have alike. The names of the moves stand in the "
        "table; each round begins with a time to talk, in which words bind nobody, where there is talk, and ends with "
        "the time to choose.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "kind": {"type": "string", "enum": list(KINDS)},
            "names": {"type": "string", "enum": list(NAMES)},
            **{
                player: {
                    "type": "array",
                    "minItems": 2,
                    "maxItems": 3,
                    "items": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 3,
                        "items": {"type": "integer", "minimum": -100, "maximum": 100},
                    },
                }
                for player in ("player_0", "player_1")
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A kind of game, its payoffs and the names of moves.

        Args:
            config: The kind; None draws one.
            rng: Draws kind, names and payoffs.
        """
        kind = config.kind or KINDS[int(rng.integers(len(KINDS)))]
        names = NAMES[int(rng.integers(len(NAMES)))]
        one, other = drawn(kind, rng)
        return {
            "kind": kind,
            "names": names,
            "player_0": [list(row) for row in one],
            "player_1": [list(row) for row in other],
        }

    def check_task(self, spec: Spec) -> None:
        """Both tables must be square and of one size."""
        size = len(spec["player_0"])
        if any(len(row) != size for player in ("player_0", "player_1") for row in (*spec[player], spec[player])):
            raise TaskError("both tables must be square and of one size, 2 or 3 moves")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        names = spec["names"].split()[: len(spec["player_0"])]
        return (
            f"Choose {', '.join(names[:-1])} or {names[-1]} in each round, at once with the other, and be paid as much "
            "as you can."
        )

    def _turn_limit(self, task: Task) -> int:
        return self.config.rounds * (2 if self.config.chat else 1)

    def _reset(self, task: Task) -> None:
        self._state = State([], self.config.chat, ["", ""], [0, 0])

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.task.spec["names"].split()[: len(self.task.spec["player_0"])])

    def _public(self) -> str:
        state = self._state
        done = len(state.past) == self.config.rounds
        phase = "The rounds are over" if done else f"Round {len(state.past) + 1} of {self.config.rounds}"
        time = "" if done else ". Time to talk" if state.talking else ". Time to choose"
        zero, one = self.possible_agents
        return f"{phase}{time}. Points: {zero} {state.totals[0]}, {one} {state.totals[1]}."

    def _view(self, player: str) -> str:
        place = self.possible_agents.index(player)
        mine, theirs = _table(self.task.spec, place), _table(self.task.spec, 1 - place)
        lines = ["What a round pays, by your move and the other's:"]
        for own, name in enumerate(self._names):
            for b, other in enumerate(self._names):
                pays = f"you get {mine[own][b]}, the other gets {theirs[b][own]}"
                lines.append(f"- you choose {name}, the other chooses {other}: {pays}")
        return "\n".join([*lines, self._public(), *self._asked()])

    def _asked(self) -> list[str]:
        """What is to be said now, in the words of this table."""
        if len(self._state.past) == self.config.rounds:
            return []
        if self._state.talking:
            return [f"Say something, such as `say I will choose {self._names[0]}.`, or `pass`."]
        return [f"Say {' or '.join(f'`choose {name}`' for name in self._names)}."]

    def _objection(self, player: str, call: Call) -> str:
        if self._state.talking:
            return "it is the time to talk: say <words>, or pass." if call.name == "choose" else ""
        if call.name != "choose":
            return f"it is the time to choose one of: {', '.join(self._names)}."
        named = call["move"].lower().rstrip(".") in self._names
        return "" if named else f"that is no move; choose one of: {', '.join(self._names)}."

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, players = self._state, self.possible_agents
        if state.talking:
            for place, player in enumerate(players):
                state.heard[place] = calls[player]["words"] if calls[player].name == "say" else ""
                if state.heard[place]:
                    self.say(player, state.heard[place])
                    self.record({"type": "talk", "seat": player, "words": state.heard[place]})
            state.talking = False
            return JointOutcome()
        moves = [self._names.index(calls[player]["move"].lower().rstrip(".")) for player in players]
        paid = [_table(self.task.spec, place)[moves[place]][moves[1 - place]] for place in (0, 1)]
        for place, player in enumerate(players):
            self.send_message(f"{player} chose {self._names[moves[place]]} and is paid {paid[place]}.")
            state.totals[place] += paid[place]
        self.record({"type": "round", "moves": [self._names[move] for move in moves], "paid": paid})
        state.past.append(moves)
        state.talking, state.heard = self.config.chat, ["", ""]
        rewards = dict(zip(players, map(float, paid), strict=True))
        if len(state.past) < self.config.rounds:
            return JointOutcome(rewards, progress=dict.fromkeys(players, len(state.past) / self.config.rounds))
        return self._close(rewards)

    def _close(self, rewards: Mapping[str, float]) -> JointOutcome:
        """The end of the match."""
        level = fair(_table(self.task.spec, 0), _table(self.task.spec, 1))
        winners = []
        self.set_metric("fair", level)
        for player, total in zip(self.possible_agents, self._state.totals, strict=True):
            self.set_metric("mean", total / self.config.rounds, [player])
            if total / self.config.rounds >= level - SLACK:
                winners.append(player)
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(self.possible_agents, 1.0))

    def _admissible(self, player: str) -> list[str]:
        if self._state.talking:
            return ["pass", *(f"say I will choose {name}." for name in self._names)]
        return [f"choose {name}" for name in self._names]

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return "pass" if self._state.talking else f"choose {self._names[0]}"

    def _known(self, player: str) -> Known:
        place, state = self.possible_agents.index(player), self._state
        return Known(
            _table(self.task.spec, place), _table(self.task.spec, 1 - place), self._names,
            tuple((moves[place], moves[1 - place]) for moves in state.past), self.config.rounds - len(state.past),
            state.talking, state.heard[1 - place],
        )  # fmt: skip

    def _oracle(self, player: str) -> str:
        known = self._known(player)
        return "pass" if known.talking else f"choose {self._names[leading(known)]}"

    def _key_state(self) -> Any:
        state = self._state
        return [self.config.rounds - len(state.past), state.talking, state.totals]


def _table(spec: Spec, place: int) -> Table:
    return tuple(tuple(row) for row in spec[f"player_{place}"])
