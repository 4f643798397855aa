"""Tic-Tac-Toe: three in a row on nine cells, from balanced openings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash
from agentgym.envs.multiagent._cards.board import TIC_TAC_TOE
from agentgym.envs.multiagent._choices import decided, pick
from agentgym.envs.multiagent._scripted import graded

MARKS = "XO"
EMPTY = "." * 9
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
DEEPEST = 4  # marks on the board of an opening
SHARES = {"train": 0.5, "val": 0.14, "test": 0.36}
Known = tuple[str, str]  # the board, row by row, and the player's own mark


@dataclass(slots=True)
class State:
    """The board, row by row: `X`, `O`, or `.` for a free cell."""

    board: str


def mover(board: str) -> str:
    """Whose turn it is."""
    return MARKS[board.count("X") > board.count("O")]


def free(board: str) -> list[int]:
    """Free cells."""
    return [cell for cell, mark in enumerate(board) if mark == "."]


def put(board: str, cell: int) -> str:
    """The board after the mover marks a cell.

    Args:
        board: Nine signs.
        cell: Its number, from 0.
    """
    return board[:cell] + mover(board) + board[cell + 1 :]


@cache
def winner(board: str) -> str:
    """The mark with three in a row; empty if there is none. There are 19,683 boards."""
    for one, two, three in LINES:
        if board[one] != "." and board[one] == board[two] == board[three]:
            return board[one]
    return ""


@cache
def value(board: str) -> int:
    """What perfect play gives the mover: 1, 0 or -1."""
    if winner(board):
        return -1
    return max((-value(put(board, cell)) for cell in free(board)), default=0)


def urgent(board: str) -> list[int]:
    """Where the mover wins at once, else where the other would, else every free cell."""
    mark = mover(board)
    for side in (mark, MARKS[1 - MARKS.index(mark)]):
        wins = [cell for cell in free(board) if winner(board[:cell] + side + board[cell + 1 :]) == side]
        if wins:
            return wins
    return free(board)


@cache
def outlook(board: str) -> float:
    """What the player who has just moved may expect of perfect play against one who looks one move ahead."""
    if winner(board) or "." not in board:
        return float(-value(board))
    replies = [put(board, cell) for cell in urgent(board)]
    return sum(_after(reply) for reply in replies) / len(replies)


def _after(board: str) -> float:
    """The same for the player whose turn it now is."""
    if winner(board) or "." not in board:
        return float(value(board))
    return max(outlook(put(board, cell)) for cell in free(board) if -value(put(board, cell)) == value(board))


@cache
def best(board: str) -> tuple[int, ...]:
    """The mover's moves that keep the value of the board and leave the other the most room to err."""
    moves = {cell: outlook(put(board, cell)) for cell in free(board) if -value(put(board, cell)) == value(board)}
    most = max(moves.values())
    return tuple(cell for cell, hope in moves.items() if hope == most)


def _random_opponent(known: Known, rng: np.random.Generator) -> str:
    return f"place {pick(free(known[0]), rng) + 1}"


def _simple_opponent(known: Known, rng: np.random.Generator) -> str:
    return f"place {pick(urgent(known[0]), rng) + 1}"


def _strong_opponent(known: Known, rng: np.random.Generator) -> str:
    return f"place {pick(best(known[0]), rng) + 1}"


class TicTacToe(LanguageAEC):
    """Three in a row.

    Description: player_0 plays X and player_1 plays O on a board of nine cells; three of one's own marks in a row,
    column or diagonal win. A task is an opening: a position with up to four marks from which neither side can force a
    win, so that a game between perfect players is a draw from every task and for both players. X and O have moved in
    turn, so player_1 begins where X has one mark more. The classic game is the task `{"board": "........."}`.

    Observation: the last moves, the board in three lines (`X`, `O`, or the number of a free cell), and whose turn it
    is. Nothing is hidden.

    Actions: `place <cell>` with a cell from 1 (top left) to 9 (bottom right), also `mark 5`, `[5]` and `5`. After three
    refused tries in a row the free cell with the lowest number is marked.

    Reward: at the end 1 to the winner and -1 to the loser; 0 in a draw, in which the metric `draw` is 1. Success is not
    to lose: a draw is all that can be had against a perfect player, so both succeed in it.

    Splits: the 308 balanced openings, cut 50/14/36 so that openings that are turns or mirror images of each other stand
    in one split.

    Oracle and opponent `strong`: exact minimax; among moves of equal value those that promise most against `simple`
    (ties: `strong` at random, the oracle the lowest cell). Neither ever loses. Opponent `simple` wins if it can at
    once, blocks if it must, and is random otherwise. Expert: as the oracle, since nothing is hidden. Scores of the card
    are against `simple`, half of the games as either player.

    Source: traditional.
    """

    card = TIC_TAC_TOE
    default_rule = "the free cell with the lowest number"
    grammar = Grammar(
        [
            Command(
                "place <cell>",
                "mark a free cell, numbered from 1 at the top left, row by row, to 9 at the bottom right.",
                examples=("place 5",),
                variants=("mark <cell>", "[<cell>]", "<cell>"),
                choices={"cell": tuple("123456789")},
            )
        ],
        rules="Get three of your marks in a row, a column or a diagonal before the other player does. Whoever does not "
        "lose has succeeded: a win pays 1, a draw 0, a loss -1.",
    )
    task_schema: ClassVar[Spec] = object_schema({"board": {"type": "string", "minLength": 9, "maxLength": 9}})
    OPPONENTS = graded(_random_opponent, _simple_opponent, _strong_opponent)
    _state: State

    def tasks(self, split: str) -> FiniteTaskSet:
        """The openings of a split."""
        return _panels()[split]

    def check_task(self, spec: Spec) -> None:
        """The board must be one that play can reach, with a move left."""
        board = spec["board"]
        if set(board) - {*MARKS, "."}:
            raise TaskError(f"a board is nine letters X, O or '.', got {board!r}")
        if board.count("X") - board.count("O") not in (0, 1):
            raise TaskError(f"X moves first and they take turns, so {board!r} cannot come about")
        if winner(board) or "." not in board:
            raise TaskError(f"the game is over on the board {board!r}; give one with a move left")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        marks = 9 - spec["board"].count(".")
        opening = (
            "the board is empty" if not marks else "one cell is marked" if marks == 1 else f"{marks} cells are marked"
        )
        return f"Play Tic-Tac-Toe: be the first with three marks in a row, column or diagonal. At the start {opening}."

    def _reset(self, task: Task) -> None:
        self._state = State(task.spec["board"])

    def _brief(self, player: str) -> str:
        return f"{self.task.instruction}\nYou are {player} and play {self._mark(player)}."

    def _role(self, player: str) -> str:
        return self._mark(player)

    def _mark(self, player: str) -> str:
        return MARKS[self.possible_agents.index(player)]

    def _public(self) -> str:
        return "\n".join(
            " ".join(
                str(cell + 1) if self._state.board[cell] == "." else self._state.board[cell]
                for cell in range(row, row + 3)
            )
            for row in (0, 3, 6)
        )

    def _to_move(self) -> str:
        return self.possible_agents[MARKS.index(mover(self._state.board))]

    def _step(self, player: str, call: Call) -> JointOutcome:
        cell = int(call["cell"]) - 1
        board = self._state.board
        if board[cell] != ".":
            return self.refuse(f"cell {cell + 1} is taken by {board[cell]}; mark a free cell.")
        mark = mover(board)
        board = self._state.board = put(board, cell)
        self.send_message(f"{player} marks cell {cell + 1} with {mark}.")
        self.record({"type": "mark", "seat": player, "cell": cell + 1})
        if winner(board):
            return decided(self, player)
        if "." in board:
            return JointOutcome()
        drawn = decided(self, None)
        drawn.winners = self.possible_agents  # from a balanced opening nobody can ask for more
        return drawn

    def _admissible(self, player: str) -> list[str]:
        return [f"place {cell + 1}" for cell in free(self._state.board)]

    def _known(self, player: str) -> Known:
        return self._state.board, self._mark(player)

    def _oracle(self, player: str) -> str:
        return f"place {best(self._state.board)[0] + 1}"

    def _expert(self, player: str) -> str:
        return f"place {best(self._state.board)[0] + 1}"


def _images(board: str) -> Iterator[str]:
    """The board turned and mirrored in all eight ways."""
    for _ in range(4):
        board = "".join(board[6 - 3 * (cell % 3) + cell // 3] for cell in range(9))
        yield board
        yield board[6:] + board[3:6] + board[:3]


def openings() -> list[str]:
    """Every reachable board of up to four marks that is a draw under perfect play."""
    found, front = [], {EMPTY}
    for _ in range(DEEPEST + 1):
        found += sorted(board for board in front if not winner(board) and value(board) == 0)
        front = {put(board, cell) for board in front if not winner(board) for cell in free(board)}
    return found


@lru_cache(maxsize=1)
def _panels() -> dict[str, FiniteTaskSet]:
    classes: dict[str, list[str]] = {}
    for board in openings():
        classes.setdefault(min(_images(board)), []).append(board)
    panels = {}
    for split, names in cut_by_hash(list(classes), SHARES).items():
        boards = [board for name in names for board in classes[name]]

        def make(board: str, split: str = split) -> Task:
            """The task of this `split` that begins at a `board`, by which it is called."""
            return Task(board, split, TicTacToe.instruction({"board": board}), {"board": board})

        panels[split] = FiniteTaskSet(split, boards, make)
    return panels
