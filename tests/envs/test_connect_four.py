"""Connect Four: bit boards against plain rules, the search against the truth, openings that are open."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._connect_four.board import COLUMNS, ROWS, Board
from agentgym.envs.multiagent._connect_four.search import best_column, urgent
from tests.envs.games import played


def grid(board: Board) -> list[str]:
    return [line.replace(" ", "") for line in board.text("m", "o").splitlines()[:ROWS]]


def plain_four(rows: list[str], sign: str) -> bool:
    """Four in a row by looking at every line of four cells."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + down * far, column + right * far) for far in range(4)]
                if all(0 <= y < ROWS and 0 <= x < COLUMNS and rows[y][x] == sign for y, x in cells):
                    return True
    return False


def random_boards(count: int) -> list[Board]:
    rng = np.random.default_rng(0)
    boards = []
    for _ in range(count):
        board = Board()
        while board.open() and not board.lost():
            boards.append(board)
            board = board.drop(int(rng.choice(board.open())))
    return boards


@pytest.mark.full
def test_bit_boards_agree_with_plain_rules() -> None:
    for board in random_boards(60):
        after = [board.drop(column) for column in board.open()]
        assert [each.lost() for each in after] == [plain_four(grid(each), "o") for each in after]
        wins = {column for column in board.open() if board.drop(column).lost()}
        assert bool(board.wins()) == bool(wins)
        if wins:
            assert set(urgent(board)) == wins


def exact(board: Board, depth: int) -> int:
    """1, 0 or -1 by plain minimax over a few plies; undecided counts 0."""
    if board.lost():
        return -1
    if not board.open() or not depth:
        return 0
    return max(-exact(board.drop(column), depth - 1) for column in board.open())


def test_search_finds_every_forced_win_within_its_sight() -> None:
    boards = [board for board in random_boards(40) if board.discs >= 12][::9]
    forced = 0
    for board in boards:
        truth = {column: -exact(board.drop(column), 3) for column in board.open()}
        if 1 in truth.values():
            forced += 1
            assert truth[best_column(board, 4)] == 1
        elif 0 in truth.values():
            assert truth[best_column(board, 4)] == 0
    assert forced > 5


def test_openings_are_undecided_and_playable() -> None:
    game = agentgym.make("ConnectFour-v0", split="val")
    for task in list(game.tasks("val"))[:30]:
        game.reset(options={"task": task.id})
        board = Board(game._state.mine, game._state.all)
        assert board.discs == 6
        assert exact(board, 3) == 0
    assert agentgym.make("ConnectFour-v0", discs=3).reset(seed=0) is None
    with pytest.raises(ConfigError, match="discs must be"):
        agentgym.make("ConnectFour-v0", discs=13)


def test_strong_beats_simple_as_either_player() -> None:
    game = agentgym.make("ConnectFour-v0", split="val")
    won = 0.0
    for place in range(6):
        for mine, other in (("player_0", "player_1"), ("player_1", "player_0")):
            game.reset(seed=0, options={"task": place})
            won += played(game, {mine: "strong", other: "simple"}, seed=place)[mine]
    assert won >= 8


def test_full_columns_and_bad_openings_are_refused() -> None:
    game = agentgym.make("ConnectFour-v0")
    game.reset(options={"task": {"columns": "111111"}})
    game.step("drop 1")
    assert "column 1 is full; columns with room: 2, 3, 4, 5, 6, 7." in game.observe("player_0")["text"]
    for columns in ("1111111", "8", "a", "1212121"):
        with pytest.raises(TaskError):
            game.reset(options={"task": {"columns": columns}})
    game.reset(options={"task": {"columns": ""}})
    assert game.observe("player_0")["text"].count(". . . . . . .") == 6
