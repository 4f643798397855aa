"""No world ends, stalls or voids an evaluation or a tournament, and nothing that it starts outlives it."""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run
from agentgym.core import AgentGymError, ConfigError
from agentgym.evaluate import EvaluationResult, evaluate, open_pool, replay
from agentgym.evaluate.tournament import tournament
from tests.vector.attacks import ENDS, FORKS, GAME, HANGS, NAME, RAISES, Besieged, alive, killed, registered

QUICK = {"step_timeout": 1.0}  # for worlds that hang; a world's process is made before the time runs
LATE = "it did not answer within 1 seconds"


@pytest.fixture(autouse=True)
def worlds() -> Iterator[None]:
    with registered():
        yield


def played(
    out: Path, kinds: str, workers: int = 1, where: str = "step", note: str = "", **limits: Any
) -> EvaluationResult:
    options = {"kinds": kinds, "where": where, "note": note}
    return evaluate(NAME, "random", workers=workers, out=out, env_kwargs=options, **limits)


def check_failed(result: EvaluationResult, reason: str) -> None:
    """The first task failed for a reason, the other is scored."""
    bad, good = result.episodes
    assert (bad.failure_kind, bad.stop, bad.success) == ("environment", "failure", False)
    assert reason in bad.failure
    assert (good.failure_kind, good.success) == ("", True)
    summary = result.summary
    assert (summary.environment_failures, summary.scored, summary.success.value) == (1, 1, 1.0)
    assert result.failures == {("environment", bad.failure): 1}


@pytest.mark.parametrize(("kind", "reason"), [*RAISES.items(), *ENDS.items()])
def test_a_task_that_raises_or_ends_its_process_fails_alone(tmp_path: Path, kind: str, reason: str) -> None:
    result = played(tmp_path, f"{kind}|fine")
    check_failed(result, reason)
    assert len(result.episodes[0].turns) == 2


@pytest.mark.parametrize("kind", HANGS)
def test_a_task_that_hangs_fails_alone(tmp_path: Path, kind: str) -> None:
    began = time.monotonic()
    check_failed(played(tmp_path, f"{kind}|fine", **QUICK), LATE)
    assert time.monotonic() - began < 60


def test_a_task_that_eats_memory_fails_alone(tmp_path: Path) -> None:
    check_failed(played(tmp_path, "memory|fine", memory=300.0), "MiB, the limit is 300 MiB")


def test_time_for_the_whole_episode_is_that_of_the_world(tmp_path: Path) -> None:
    result = played(tmp_path, "sleep|fine", episode_timeout=1.0)
    check_failed(result, "it took more than 1 seconds for the answers of one episode")


@pytest.mark.parametrize("kind", FORKS)
def test_a_task_that_leaves_processes_behind_is_played_and_they_end(tmp_path: Path, kind: str) -> None:
    note = tmp_path / "note"
    result = played(tmp_path / "run", f"{kind}|fine", note=str(note))
    assert [episode.success for episode in result.episodes] == [True, True]
    assert note.read_text()
    assert alive(note) == []


def test_a_reset_that_ends_its_process_is_a_failure_of_its_task(tmp_path: Path) -> None:
    check_failed(played(tmp_path, "end|fine", where="reset"), "its process ended with exit status 3")


@pytest.mark.parametrize(("kind", "workers"), [("raise", 0), ("raise", 1), ("segfault", 1)])
def test_a_task_that_cannot_be_made_fails_alone(tmp_path: Path, kind: str, workers: int) -> None:
    reason = {**RAISES, **ENDS}[kind]
    check_failed(played(tmp_path, f"{kind}|fine", workers=workers, where="task"), reason)


def test_a_panel_that_raises_is_one_clear_error(tmp_path: Path) -> None:
    for workers in (0, 1):
        with pytest.raises(AgentGymError, match="Besieged-v0 cannot be played: it raised ZeroDivisionError") as error:
            played(tmp_path, "raise|fine", workers=workers, where="panel")
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("type", "TypeError: kinds must be a list,"),
        ("value", "ValueError: it does not say why"),
        ("json", "JSONDecodeError: Expecting value"),
        pytest.param("endless", f"ValueError: [2J{'x' * 396}...; give other values", id="endless"),
    ],
)
def test_a_constructor_that_refuses_its_arguments_is_one_clear_error(
    tmp_path: Path, kind: str, reason: str, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the world and the options; it is no traceback and no failure of an episode."""
    words = ["eval", NAME, "--env", f"kinds={kind}", "--env", "where=constructor", "--workers", str(workers)]
    assert run([*words, "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    assert said.startswith(f"agentgym: AgentGymTests/Besieged-v0 cannot be made with the options {{'kinds': '{kind}'")
    assert reason in said
    assert not (tmp_path / "run").exists()


def test_a_constructor_that_fails_without_options_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, **options: Any) -> None:
        raise ValueError("out of order\nfor good")

    monkeypatch.setattr(Besieged, "__init__", refuse)
    with pytest.raises(ConfigError, match="Besieged-v0 cannot be made with its defaults: ValueError: out of order;"):
        evaluate(NAME, "random", workers=0, out=tmp_path)
    with pytest.raises(ConfigError, match="cannot be made with its defaults"):
        open_pool(NAME, "test", {})


def test_a_panel_that_ends_its_process_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AgentGymError, match=r"Besieged-v0 cannot be played: .* ended by SIGSEGV") as error:
        played(tmp_path, "segfault|fine", where="panel")
    assert "\n" not in str(error.value)


def test_a_reward_that_is_no_number_is_a_failure_and_no_score(tmp_path: Path) -> None:
    result = played(tmp_path, "not a number|fine")
    check_failed(result, "rewards must be finite")
    assert result.summary.score.value == 1.0


def test_in_this_process_what_raises_fails_alone_too(tmp_path: Path) -> None:
    for kind, reason in RAISES.items():
        check_failed(played(tmp_path / kind, f"{kind}|fine", workers=0), reason)


@pytest.mark.full
def test_several_workers_and_a_run_that_goes_on(tmp_path: Path) -> None:
    """Failed episodes are played again by the same command; what was scored is not."""
    kinds = "end|raise|fine 1|fine 2"
    for _ in range(2):
        result = played(tmp_path, kinds, workers=2)
        assert [episode.failure_kind for episode in result.episodes] == ["environment", "environment", "", ""]
    assert len((tmp_path / "episodes.jsonl").read_text().splitlines()) == 4 + 2
    outcomes = replay(tmp_path, trust=True)
    assert [bool(outcome.skipped) for outcome in outcomes].count(True) == 4
    assert [outcome.same for outcome in outcomes].count(True) == 2


def test_the_command_counts_failures_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["eval", NAME, "--env", "kinds=end|fine", "--workers", "1", "--out", str(tmp_path)]
    assert run(command) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "of the environment (left out): 1" in out
    assert "50.0 % left out" in out
    assert "1 of the environment: its process ended with exit status 3" in out
    assert run([*command, "--fail-on-error", "1", "--step-timeout", "20", "--memory", "2000"]) == 0
    assert run([*command, "--step-timeout", "0"]) == 2
    assert "step_timeout must be above 0" in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "reason"), [("raise", RAISES["raise"]), ("lock", LATE)])
def test_a_game_that_breaks_is_counted_and_its_deal_not_scored(tmp_path: Path, kind: str, reason: str) -> None:
    env_kwargs = {"kinds": f"{kind}|fine"}
    result = tournament(GAME, ["one", "two"], deals=2, out=tmp_path, env_kwargs=env_kwargs, **QUICK)
    assert result.failures == {reason: 4}, "different numbers are shown from both places, either way round"
    assert len(result.games) == 2 * 2 * 4
    assert result.scored == len(result.games) - 4
    assert result.payoffs["two"]["one"].value == 0.5
    assert [standing.games for standing in result.standings] == [2, 2]
    assert tournament(GAME, ["one", "two"], deals=2, out=tmp_path, env_kwargs=env_kwargs) == result


@pytest.mark.full
def test_a_tournament_of_which_nothing_is_left_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["tournament", GAME, "--env", "kinds=end|fine", "--deals", "2", "--memory", "2000"]
    assert run(command) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "4 of 16 games failed (25.0%); 4 are not scored" in out
    assert ENDS["end"] in out
    page = (tmp_path / "runs" / "tournament" / "Board-v0" / "report.html").read_text()
    assert "4 (25.0%) failed and 4 are not scored" in page
    assert out.count("2, 50.0 % left out") == 2, "beside the rating of each"
    assert out.count("0, 50.0 % left out") + out.count("00, 50.0 % left out") >= 2, "and beside their payoffs"
    assert page.count("50.0 % left out") == 1 + 2 + 2
    lost = tournament(GAME, ["one", "two"], deals=2, env_kwargs={"kinds": "end|raise"})
    assert math.isnan(lost.payoffs["one"]["two"].value)
    assert [standing.rating.value for standing in lost.standings] == [0.0, 0.0]


def test_the_share_of_games_left_out_stands_beside_the_figures_of_a_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["match", GAME, "--player", "player_0=one", "--player", "player_1=two", "--env", "kinds=raise|fine"]
    assert run([*command, "--games", "2", "--out", str(tmp_path)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("2, 1 (50.0%) left out") == 2
    assert (tmp_path / "report.html").read_text().count("50.0 % left out") == 2 + 2, "tiles and rows"
    agents = json.loads((tmp_path / "summary.json").read_text())["agents"]
    assert [each["left_out"] for each in agents.values()] == [0.5, 0.5]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("workers", [1, 2])
def test_when_the_evaluation_is_killed_nothing_stays(tmp_path: Path, workers: int, number: signal.Signals) -> None:
    """While a worker holds the interpreter lock, and a daemon that it started runs."""
    note = tmp_path / "note"
    kinds = "daemon, lock" if workers == 1 else "daemon, lock|sleep"
    options = {"kinds": kinds, "note": str(note)}
    program = f"from agentgym.evaluate import evaluate\nevaluate({NAME!r}, 'random', workers={workers}, "
    program += f"out={str(tmp_path / 'run')!r}, env_kwargs={options!r})"
    assert killed(program, note, workers + 1, number) == []
