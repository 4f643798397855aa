"""`agentgym play` and `show` with games of many players."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from agentgym.cli import run


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_person_sits_beside_scripted_opponents(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(":help\n:actions\nplace 99\n:quit\n"))
    out = printed(capsys, "play", "TicTacToe-v0", "--player", "player_1", "--opponent", "simple", "--seed", "3")
    assert "You are player_1 and play O." in out
    assert "this is played for you: the free cell with the lowest number" in " ".join(out.split())
    assert "That was try 1 of 3." in out
    assert "Left after 1 turn." in out


def test_an_agent_plays_one_player_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "play", "KuhnPoker-v0", "--agent", "oracle", "--split", "val", "--opponent", "random")
    assert "The match is over" in out
    assert "score" in out


def test_a_match_that_was_read_from_its_folder_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["match", "TicTacToe-v0", "--player", "player_0=strong", "--player", "player_1=random", "--games", "2"]
    command += ["--out", str(tmp_path)]
    said = "2 of the games were in the folder from before; --fresh plays them anew"
    assert said not in printed(capsys, *command)
    assert said in " ".join(printed(capsys, *command).split())
    assert said not in printed(capsys, *command, "--fresh")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("FrozenLake-v0", "--player", "player_0"), "--player has no effect"),
        (("TicTacToe-v0", "--opponent", "stong"), "did you mean 'strong'?"),
        (("TicTacToe-v0", "--opponent", "os:sep"), "the opponent 'os:sep' is no function but a str"),
        (("TicTacToe-v0", "--opponent", "os:nobody"), "the opponent 'os:nobody' cannot be found"),
        (("TicTacToe-v0", "--player", "north"), "unknown player"),
        (("TicTacToe-v0", "--env", "size=4"), "unknown option of AgentGym/TicTacToe-v0 'size'"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    assert run(("play", *arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_show_tells_players_and_opponents(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "show", "ConnectFour-v0")
    assert "2, in turn" in out
    assert "random, simple, strong" in out
    assert "- drop <column>" in out
