"""Tic-Tac-Toe: the rules, the exact player, and openings that are fair."""

from __future__ import annotations

import pytest

import agentgym
from agentgym.envs.multiagent.tic_tac_toe import EMPTY, _images, best, free, openings, put, value, winner
from tests.envs.games import played


def test_the_solver_knows_the_game() -> None:
    assert value(EMPTY) == 0
    assert value("XX.OO....") == 1
    assert value("X...O...X") == 0
    assert best("XX.OO....") == (2,)
    assert winner("O..XOX..O") == "O"
    assert winner(EMPTY) == ""


def test_the_exact_player_never_loses_whatever_the_other_does() -> None:
    def outcomes(board: str, mine: str) -> set[str]:
        if winner(board) or not free(board):
            return {winner(board)}
        mover = "XO"[board.count("X") > board.count("O")]
        cells = best(board) if mover == mine else free(board)
        return set().union(*(outcomes(put(board, cell), mine) for cell in cells))

    for mine, other in (("X", "O"), ("O", "X")):
        assert other not in outcomes(EMPTY, mine)


def test_openings_are_fair_and_images_stay_in_one_split() -> None:
    boards = openings()
    assert len(set(boards)) == len(boards) == 308
    assert all(value(board) == 0 for board in boards)
    game = agentgym.make("TicTacToe-v0")
    classes = {
        split: {min(_images(task.spec["board"])) for task in game.tasks(split)} for split in ("train", "val", "test")
    }
    assert not classes["train"] & classes["val"]
    assert not (classes["train"] | classes["val"]) & classes["test"]


def test_perfect_players_draw_from_every_test_opening() -> None:
    game = agentgym.make("TicTacToe-v0", split="test")
    for place in range(len(game.tasks("test"))):
        game.reset(seed=0, options={"task": place})
        assert played(game, {"player_0": "oracle", "player_1": "strong"}) == {"player_0": 0.0, "player_1": 0.0}
        assert {info["metrics"]["draw"] for info in game.infos.values()} == {1.0}
        assert all(info["success"] for info in game.infos.values())


def test_success_is_not_to_lose() -> None:
    game = agentgym.make("TicTacToe-v0")
    game.reset(seed=0, options={"task": {"board": "XX.OO...."}})
    game.step("3")
    assert {player: info["success"] for player, info in game.infos.items()} == {"player_0": True, "player_1": False}
    assert {info["metrics"]["draw"] for info in game.infos.values()} == {0.0}


@pytest.mark.parametrize("action", ["place 5", " PLACE 5 ", "mark 5", "[5]", "5"])
def test_known_ways_to_say_it(action: str) -> None:
    game = agentgym.make("TicTacToe-v0")
    game.reset(options={"task": {"board": EMPTY}})
    game.step(action)
    assert game._state.board[4] == "X"
    assert game.infos["player_1"]["events"] == [{"type": "mark", "seat": "player_0", "cell": 5}]


def test_repeating_oneself_does_not_win() -> None:
    game = agentgym.make("TicTacToe-v0")
    for action in ("place 5", "", "place 0"):
        game.reset(options={"task": {"board": EMPTY}})
        assert played(game, {"player_0": action, "player_1": "strong"})["player_0"] <= 0
