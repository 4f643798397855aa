"""Matrix games: two choose at once, round after round, with or without talk before each choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.game import Opponent
from agentgym.core.generated import EnvConfig, checked, object_schema, switch
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
    random_player,
    simple_player,
    strong_player,
)

ROUNDS = range(2, 101, 2)
STREAM = 0x3A  # apart from np_random of an equal seed
SLACK = 1e-9


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        past: Moves of player_0 and player_1, round by round.
        talking: Whether the seats talk before they choose.
        heard: What each seat said last in this round.
        totals: Points of each seat.
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

    rounds: int = checked(10, _even, shapes_tasks=False)
    chat: bool = switch(True, shapes_tasks=False)


class MatrixGame(LanguageParallel):
    """Matrix games.

    Description: both seats choose a move at once and are paid by a table that both know; that is one round of
    several. Tables are drawn anew for each task, of seven kinds: prisoner's dilemma, stag hunt, chicken, battle of
    the sexes, coordination, matching pennies, rock paper scissors; moves have neutral names, so that the kind must be
    read off the payoffs. Before each choice both may say something at the same time; words bind nobody.

    Observation: what was said, chosen and paid in the last step; the table from the seat's own side, round, points and
    whether it is time to talk or to choose.

    Actions: in the time to talk `say <words>` or `pass`; in the time to choose `choose <move>`. A refused action counts
    as `pass`, or as the first move of the table. Both act at once.

    Reward: the payoff of each round, to both. At the end a seat has succeeded if its mean payoff is at least the fair
    one: the most that both can have alike, mixing or alternating outcomes (computed exactly; 0 where one loses
    what the other wins). Both may succeed. Metrics of the last step: `mean` payoff of the seat and the `fair` one.

    Splits: `train` without end, `val` and `test` 200 tables each.

    Opponents: `random`; `simple` makes the best reply to how often the other made each move (fictitious play) and is
    silent; `strong` weighs which of several ways to play explain the other (steady, fictitious play, tit for tat,
    alternating), believes announcements, plays what pays most against them over the rounds left, and announces its
    move where both want to meet. One beats the other if it is paid more than the other over the same tables from both
    seats. Expert: `strong`. Oracle: knows that the rival replies to frequencies, and searches the rounds ahead against
    it. Scores of the card are against `simple`.

    Args:
        rounds: An even number of rounds, 2 to 100; 10 by default.
        chat: Whether the seats may talk before each choice; True by default.

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
            Command("choose <move>", "make a move, in the time to choose.", examples=("choose red",)),
            Command("say <words>", "say something, in the time to talk.", examples=("say I will choose red.",)),
            Command("pass", "say nothing, in the time to talk.", examples=("pass",)),
        ],
        rules="Both choose at once, and the table says what each is paid. Get as much as you can over all rounds. The "
        "names of the moves stand in the table; words bind nobody.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "kind": {"type": "string", "enum": list(KINDS)},
            "names": {"type": "string", "enum": list(NAMES)},
            **{
                seat: {
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
                for seat in ("player_0", "player_1")
            },
        }
    )
    OPPONENTS: ClassVar[Mapping[str, Opponent]] = {
        "random": random_player,
        "simple": simple_player,
        "strong": strong_player,
    }
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A kind of game, its payoffs and the names of moves."""
        kind = KINDS[int(rng.integers(len(KINDS)))]
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
        if any(len(row) != size for seat in ("player_0", "player_1") for row in (*spec[seat], spec[seat])):
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
        return f"{phase}{time}. Points: player_0 {state.totals[0]}, player_1 {state.totals[1]}."

    def _view(self, seat: str) -> str:
        place = self.possible_agents.index(seat)
        mine, theirs = _table(self.task.spec, place), _table(self.task.spec, 1 - place)
        lines = ["Your payoff, then the other's:"]
        for own, name in enumerate(self._names):
            cells = (f"{other}: {mine[own][b]}, {theirs[b][own]}" for b, other in enumerate(self._names))
            lines.append(f"you {name} and the other " + "; ".join(cells))
        return "\n".join([*lines, self._public()])

    def _objection(self, seat: str, call: Call) -> str:
        if self._state.talking:
            return "it is the time to talk: say <words>, or pass." if call.name == "choose" else ""
        if call.name != "choose":
            return f"it is the time to choose one of: {', '.join(self._names)}."
        named = call["move"].lower().rstrip(".") in self._names
        return "" if named else f"that is no move; choose one of: {', '.join(self._names)}."

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, seats = self._state, self.possible_agents
        if state.talking:
            for place, seat in enumerate(seats):
                state.heard[place] = calls[seat]["words"] if calls[seat].name == "say" else ""
                if state.heard[place]:
                    self.say(seat, state.heard[place])
                    self.record({"type": "talk", "seat": seat, "words": state.heard[place]})
            state.talking = False
            return JointOutcome()
        moves = [self._names.index(calls[seat]["move"].lower().rstrip(".")) for seat in seats]
        paid = [_table(self.task.spec, place)[moves[place]][moves[1 - place]] for place in (0, 1)]
        for place, seat in enumerate(seats):
            self.send_message(f"{seat} chose {self._names[moves[place]]} and is paid {paid[place]}.")
            state.totals[place] += paid[place]
        self.record({"type": "round", "moves": [self._names[move] for move in moves], "paid": paid})
        state.past.append(moves)
        state.talking, state.heard = self.config.chat, ["", ""]
        rewards = dict(zip(seats, map(float, paid), strict=True))
        if len(state.past) < self.config.rounds:
            return JointOutcome(rewards, progress=dict.fromkeys(seats, len(state.past) / self.config.rounds))
        return self._close(rewards)

    def _close(self, rewards: Mapping[str, float]) -> JointOutcome:
        """The end of the match."""
        level = fair(_table(self.task.spec, 0), _table(self.task.spec, 1))
        winners = []
        self.set_metric("fair", level)
        for seat, total in zip(self.possible_agents, self._state.totals, strict=True):
            self.set_metric("mean", total / self.config.rounds, [seat])
            if total / self.config.rounds >= level - SLACK:
                winners.append(seat)
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(self.possible_agents, 1.0))

    def _admissible(self, seat: str) -> list[str]:
        if self._state.talking:
            return ["pass", *(f"say I will choose {name}." for name in self._names)]
        return [f"choose {name}" for name in self._names]

    def _sample(self, seat: str, rng: np.random.Generator) -> str:
        return random_player(self._known(seat), rng)

    def _default(self, seat: str) -> str:
        return "pass" if self._state.talking else f"choose {self._names[0]}"

    def _known(self, seat: str) -> Known:
        place, state = self.possible_agents.index(seat), self._state
        return Known(
            _table(self.task.spec, place), _table(self.task.spec, 1 - place), self._names,
            tuple((moves[place], moves[1 - place]) for moves in state.past), self.config.rounds - len(state.past),
            state.talking, state.heard[1 - place],
        )  # fmt: skip

    def _expert(self, seat: str) -> str:
        return strong_player(self._known(seat), np.random.default_rng(0))

    def _oracle(self, seat: str) -> str:
        known = self._known(seat)
        return "pass" if known.talking else f"choose {self._names[leading(known)]}"

    def _key_state(self) -> Any:
        state = self._state
        return [self.config.rounds - len(state.past), state.talking, state.totals]


def _table(spec: Spec, place: int) -> Table:
    return tuple(tuple(row) for row in spec[f"player_{place}"])
