"""Connect Four: four in a row on a board of six rows and seven columns, from seeded openings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.board import CONNECT_FOUR
from agentgym.envs.multiagent._choices import decided, pick
from agentgym.envs.multiagent._connect_four.board import COLUMNS, ROWS, Board
from agentgym.envs.multiagent._connect_four.search import best_column, urgent
from agentgym.envs.multiagent._scripted import graded

SIGNS = "XO"
STREAM = 0xC4  # apart from np_random of an equal seed
OPENINGS = range(0, 13)  # discs that may lie on the board at the start
DEPTH = {"strong": 4, "oracle": 6}  # plies searched


@dataclass(slots=True)
class State:
    """Discs of the player to move and of both players, each a set of cells as bits of a whole number"""

    mine: int
    all: int


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `ConnectFour`."""

    discs: int = whole(6, OPENINGS[0], OPENINGS[-1])


class ConnectFour(LanguageAEC):
    """Four in a row.

    Description: the players drop discs in turn into a standing board of seven columns and six rows; a disc falls to the
    lowest free cell. Four of one's own discs in a row, column or diagonal win; a full board is a draw. player_0 plays X
    and moves first on an empty board. A task is an opening of some discs dropped at random, from which neither side
    wins within its next two moves by force; after an odd number of discs player_1 moves first.

    Observation: the last moves, the board (rows from the top, `.` for a free cell, column numbers below), and whose
    turn it is. Nothing is hidden.

    Actions: `drop <column>` with a column from 1 (left) to 7 (right), also `play 4`, `[4]` and `4`. A full column
    is refused. After three refused tries in a row a disc is dropped into the leftmost column that is not full.

    Reward: at the end 1 to the winner and -1 to the loser; 0 in a draw, in which nobody succeeds and the metric `draw`
    is 1.

    Splits: `train` without end, `val` and `test` 100 openings each, none the mirror image of another's.

    Opponents: `random`; `simple` wins if it can at once, blocks if it must, and is random otherwise; `strong` looks
    four plies ahead (alpha-beta on bit boards, threats and middle columns counted at the end) and breaks ties at
    random. Expert: as `strong`, ties to the middle. Oracle: six plies. Scores of the card are against `simple`, half of
    the games as either player.

    Args:
        discs: Discs on the board at the start, 0 to 12; 6 by default. With few, the panels hold fewer tasks.

    Source: Howard Wexler and Ned Strongin 1974; the first player wins from the empty board (Allis 1988).
    """

    card = CONNECT_FOUR
    config = Config()
    task_stream = STREAM
    default_rule = "the leftmost column that is not full"
    grammar = Grammar(
        [
            Command(
                "drop <column>",
                "drop a disc into a column, numbered from 1 on the left to 7 on the right.",
                examples=("drop 4",),
                variants=("play <column>", "[<column>]", "<column>"),
                choices={"column": tuple("1234567")},
            )
        ],
        rules="Get four of your discs in a row, a column or a diagonal before the other player does.",
    )
    task_schema: ClassVar[Spec] = object_schema({"columns": {"type": "string", "maxLength": ROWS * COLUMNS - 1}})
    OPPONENTS = graded(
        lambda known, rng: f"drop {pick(known.open(), rng) + 1}",
        lambda known, rng: f"drop {pick(urgent(known), rng) + 1}",
        lambda known, rng: f"drop {best_column(known, DEPTH['strong'], rng) + 1}",
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """Columns of random discs, drawn again until nobody has won or wins by force at once.

        Args:
            config: How many discs.
            rng: Draws a column that is not full, for each.
        """
        while True:
            board, columns = Board(), ""
            while len(columns) < config.discs and not board.lost():
                column = pick(board.open(), rng)
                board, columns = board.drop(column), f"{columns}{column + 1}"
            if not board.lost() and board.quiet():
                return {"columns": columns}

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The board, or its mirror image if that comes first."""
        mirrored = "".join(str(COLUMNS + 1 - int(letter)) for letter in spec["columns"])
        boards = [_opening(columns) for columns in (spec["columns"], mirrored)]
        return fingerprint(min((board.mine, board.all) for board in boards))

    def check_task(self, spec: Spec) -> None:
        """The columns must be playable one after the other, and leave the game undecided."""
        board = Board()
        for place, letter in enumerate(spec["columns"]):
            if letter not in "1234567":
                raise TaskError(f"columns are digits from 1 to 7, one a disc, got {letter!r} at place {place + 1}")
            if int(letter) - 1 not in board.open():
                raise TaskError(f"disc {place + 1} of {spec['columns']!r} goes into a full column")
            board = board.drop(int(letter) - 1)
            if board.lost():
                raise TaskError(f"the game is over after disc {place + 1} of {spec['columns']!r}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        discs = len(spec["columns"])
        opening = "The board is empty" if not discs else "One disc lies" if discs == 1 else f"{discs} discs lie"
        return (
            "Play Connect Four on seven columns and six rows: be the first with four discs in a row, column or "
            f"diagonal. {opening}{' on the board' if discs else ''} at the start."
        )

    def _reset(self, task: Task) -> None:
        board = _opening(task.spec["columns"])
        self._state = State(board.mine, board.all)

    def _brief(self, player: str) -> str:
        return f"{self.task.instruction}\nYou are {player} and play {self._role(player)}."

    def _role(self, player: str) -> str:
        return SIGNS[self.possible_agents.index(player)]

    def _board(self) -> Board:
        return Board(self._state.mine, self._state.all)

    def _public(self) -> str:
        board = self._board()
        mover = board.discs % 2
        return board.text(SIGNS[mover], SIGNS[1 - mover])

    def _to_move(self) -> str:
        return self.possible_agents[self._state.all.bit_count() % 2]

    def _step(self, player: str, call: Call) -> JointOutcome:
        column = int(call["column"]) - 1
        board = self._board()
        if column not in board.open():
            free = ", ".join(str(each + 1) for each in sorted(board.open()))
            return self.refuse(f"column {column + 1} is full; columns with room: {free}.")
        board = board.drop(column)
        self._state = State(board.mine, board.all)
        self.send_message(f"{player} drops {self._role(player)} into column {column + 1}.")
        self.record({"type": "drop", "seat": player, "column": column + 1})
        if board.lost():
            return decided(self, player)
        return JointOutcome() if board.open() else decided(self, None)

    def _admissible(self, player: str) -> list[str]:
        return [f"drop {column + 1}" for column in self._board().open()]

    def _known(self, player: str) -> Board:
        return self._board()

    def _default(self, player: str) -> str:
        return f"drop {min(self._board().open()) + 1}"

    def _oracle(self, player: str) -> str:
        return f"drop {best_column(self._board(), DEPTH['oracle']) + 1}"

    def _expert(self, player: str) -> str:
        return f"drop {best_column(self._board(), DEPTH['strong']) + 1}"


@lru_cache(maxsize=4096)
def _opening(columns: str) -> Board:
    board = Board()
    for letter in columns:
        board = board.drop(int(letter) - 1)
    return board
