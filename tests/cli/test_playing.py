"""`agentgym play`: a person or a model at the terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import agentgym
from agentgym.cli import run
from agentgym.core import ConfigError
from agentgym.evaluate import export, keep, read_episodes, replay
from agentgym.report.games import read_match
from agentgym.rollout import EnvPool
from agentgym.train.recorded import recorded
from tests.agents.server import Answer, ChatServer, completion
from tests.cli.test_cli import FIRM, LAKE, PATIENCE, printed


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def played(arguments: list[str], lines: str) -> subprocess.CompletedProcess[str]:
    """`agentgym play` with piped input."""
    return subprocess.run(
        [sys.executable, "-m", "agentgym", "play", LAKE, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_play_with_piped_input() -> None:
    done = played([], ":actions\n:help\nleft\nfly\n:quit\n")
    assert done.returncode == 0
    assert done.stderr == ""
    out = done.stdout
    assert "turn 0 of 20" in out
    assert "> :actions\n:1 down\n:2 left\n:3 right\n:4 up\n" in out
    assert "take a step left" in out
    assert "> left" in out
    assert "'fly' is not an action here" in out
    assert "turn 2 of 20" in out
    assert out.endswith("Left after 2 turns.\n")


def test_play_ends_with_the_input() -> None:
    done = played(["--seed", "1"], "left")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Left after 1 turn." in done.stdout


def test_play_to_the_end_of_an_episode(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "play", LAKE, "--agent", "expert", "--seed", "2", *FIRM)
    assert "Success; score 1 in " in out
    assert "reward 1" in out
    out = printed(capsys, "play", LAKE, "--agent", "nothing", "--max-turns", "2")
    assert "The turns are over; score 0 in 2 turns." in out


def test_play_a_task_of_a_split(capsys: pytest.CaptureFixture[str]) -> None:
    task = agentgym.make(LAKE).unwrapped.tasks("test")[3].id  # type: ignore[attr-defined]
    assert f"task {task}, turn 0" in printed(
        capsys, "play", LAKE, "--split", "test", "--task", task, "--agent", "random"
    )


def test_watching_a_model_think(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: completion("I dare.\x1b[2J\nAction: left")) as server:
        model = ("--agent", "endpoint", "--model", "m", "--base-url", server.base_url)
        out = printed(capsys, "play", LAKE, *model, "--max-turns", "1", *FIRM)
    assert "I dare." in out
    assert "> left" in out
    assert "\x1b[2J" not in out, "a model must not command the terminal"
    assert "10 tokens read, 2 written." in out


def test_a_model_that_fails_while_playing(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: Answer({}, status=404)) as server:
        model = ("--agent", "endpoint", "--model", "m", "--base-url", server.base_url)
        out = printed(capsys, "play", LAKE, *model, code=1)
    assert "Nobody answered for the agent: " in out
    assert "status 404" in out


def test_play_on_a_terminal() -> None:
    """A real terminal: the prompt, an answer, and Ctrl-C, which ends it without a stack of calls."""
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agentgym", "play", LAKE, *FIRM],
        stdin=there, stdout=there, stderr=there, env={**os.environ, "TERM": "dumb", "COLUMNS": "100"},
        start_new_session=True, preexec_fn=_own_the_terminal,
    )  # fmt: skip
    os.close(there)
    screen = _Screen(here)
    screen.wait_for("> ")
    os.write(here, b"left\n")
    screen.wait_for("turn 1 of")
    screen.wait_for("> ")
    screen.wait_for("Left after 1 turn.", press=b"\x03")
    assert process.wait(PATIENCE) == 130
    os.close(here)
    assert "Type an action" in screen.seen
    assert "Traceback" not in screen.seen


def _own_the_terminal() -> None:
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a test run started in the background ignores Ctrl-C
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class _Screen:
    """What a program wrote to its terminal; each wait goes on behind the words found last."""

    def __init__(self, terminal: int):
        self.terminal = terminal
        self.seen = ""
        self.place = 0

    def wait_for(self, words: str, press: bytes = b"") -> None:
        """Read until the words are there. A key is pressed again every two seconds, as a person does: the interpreter
        overlooks a Ctrl-C that comes between its prompt and its wait for input until the next key."""
        patience = 2 if press else PATIENCE
        for _ in range(PATIENCE // patience):
            os.write(self.terminal, press)
            while (found := self.seen.find(words, self.place)) < 0:
                ready, _, _ = select.select([self.terminal], [], [], patience)
                if not ready:
                    break
                self.seen += os.read(self.terminal, 4096).decode(errors="replace")
            else:
                break
        assert found >= 0, f"{words!r} did not appear: {self.seen}"
        self.place = found + len(words)


def person(*arguments: str, keys: list[tuple[bytes, str]]) -> str:
    """A person at a real terminal who presses keys, each time after having seen some words; what the screen showed."""
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agentgym", "play", *arguments],
        stdin=there, stdout=there, stderr=there, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        start_new_session=True, preexec_fn=_own_the_terminal,
    )  # fmt: skip
    os.close(there)
    screen = _Screen(here)
    for pressed, words in keys:
        screen.wait_for("> ")
        os.write(here, pressed)
        screen.wait_for(words)
    assert process.wait(PATIENCE) == 0
    os.close(here)
    assert "Traceback" not in screen.seen
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.seen)


def shop() -> str:
    (name,) = [name for name in agentgym.catalog() if name.startswith("AgentGym/WebShop-")]
    return name


def test_a_shop_is_a_page_on_the_terminal() -> None:
    """Links have numbers, arrow keys and empty lines cost nothing, Tab completes, and a purchase can be taken back."""
    seen = person(
        shop(),
        keys=[
            (b"\n\x1b[B\x1b[C\x1b[D   \nsearch[red shoes]\n", "turn 1 of"),
            (b":3\n", "turn 2 of"),
            (b"\x1b[A\x1b[A\n", "turn 3 of"),  # the arrow keys walk to the search, which is made again
            (b"click[bac\t\n", "turn 4 of"),
            (b":undo\n", "turn 3 of"),
            (b":undo\n", "turn 2 of"),
            (b":hint\n", "The expert would say: "),
            (b"click[buy now]\n", "score 0"),
        ],
    )
    assert ":1 Back to Search" in seen
    assert "[SEP]" not in seen
    assert "Taken back." in seen
    assert "click[back to search]" in seen
    assert seen.rstrip().endswith("in 3 turns.")


def test_a_person_records_demonstrations(tmp_path: Path) -> None:
    """What is played is added to a folder that every reader of runs takes, without what was taken back."""
    for seed in ("0", "1"):
        person(LAKE, "--seed", seed, "--max-turns", "2", "--out", "shown", *FIRM,
               keys=[(b"down\n", "turn 1 of"), (b":undo\n", "turn 0 of"), (b"left\n", "turn 1 of"),
                     (b"left\n", "Added to shown.")])  # fmt: skip
    episodes = read_episodes(tmp_path / "shown")
    assert [[turn.action for turn in each.turns] for each in episodes] == [["left", "left"]] * 2
    assert all(outcome.same for outcome in replay(tmp_path / "shown"))
    shown = recorded(EnvPool(LAKE, slippery=False, max_turns=2), [tmp_path / "shown"], "train", 9)
    assert [len(episode.turns) for _, episode in shown] == [2, 2]


def test_games_are_recorded_as_a_match_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever sits on which side: the folder is replayed, reported and exported like that of a match."""
    for seed, rival in (("0", "strong"), ("0", "random"), ("1", "strong")):
        command = ["play", "KuhnPoker-v0", "--agent", "expert", "--seed", seed, "--opponent", rival, "--out", "shown"]
        assert run(command) == 0
    assert "Added to shown." in capsys.readouterr().out
    games = read_episodes(tmp_path / "shown")
    assert [game.trial for game in games] == [0, 1, 0]
    assert [{one.agent for one in game.players.values()} for game in games] == [
        {"expert", "strong"}, {"expert", "random"}, {"expert", "strong"}
    ]  # fmt: skip
    assert all(outcome.same for outcome in replay(tmp_path / "shown"))
    assert {row.agent for row in read_match(tmp_path / "shown").figures} == {"expert", "random", "strong"}
    assert export(tmp_path / "shown", "hf", tmp_path / "x.jsonl").episodes == 6
    with pytest.raises(ConfigError, match=r"holds games\.jsonl, and this is for episodes\.jsonl"):
        keep(tmp_path / "shown", games[0].side("player_0"))
    assert run(["play", "KuhnPoker-v0", "--agent", "expert", "--split", "val", "--out", "shown"]) == 2
    assert "holds episodes with split" in capsys.readouterr().err


def test_a_folder_that_cannot_take_the_episode_is_refused_before_it_is_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    expert = ["play", LAKE, "--agent", "expert", *FIRM]
    printed(capsys, *expert, "--out", "shown")
    Path("file").write_text("")
    for out, wrong in (("shown", "holds episodes with split"), ("file", "file cannot be written")):
        assert run([*expert, "--split", "val", "--out", out]) == 2
        told = capsys.readouterr()
        assert wrong in told.err
        assert told.out == "", "nothing was played"
