"""`agentgym check` reports a world that breaks its process, and leaves nothing of it behind."""

import signal

import pytest

from agentgym.cli import run
from agentgym.conformance import check_apart
from agentgym.conformance.apart import LIVES
from agentgym.conformance.checks import CHECKS
from agentgym.core import ConfigError, UnknownName
from tests.vector.attacks import NAME, alive, killed

CHECK = "from agentgym.conformance import check_apart\ncheck_apart({name!r}, kwargs={kwargs!r})"


@pytest.mark.parametrize(("kind", "reason"), [("segfault", "ended by SIGSEGV"), ("end", "exit status 3")])
def test_a_world_that_ends_its_process_fails_checks_and_not_the_report(kind, reason):
    report = check_apart(NAME, kwargs={"kinds": f"{kind}|{kind} too"})
    assert [result.check for result in report.results] == ["construction", *(name for name, _, _ in CHECKS)]
    broken = [result for result in report.failures if "broke the process of the check" in result.detail]
    assert 1 <= len(broken) <= LIVES
    assert reason in broken[0].detail
    assert " Fix: " in broken[0].detail
    assert not report.passed


@pytest.mark.full
@pytest.mark.parametrize("kind", ["lock", "sleep"])
def test_a_world_that_hangs_fails_once_it_is_made(kind):
    report = check_apart(NAME, kwargs={"kinds": kind, "where": "reset"}, timeout=2.0)
    assert [result.check for result in report.failures] == ["construction"]
    assert "did not answer within 2 seconds" in report.failures[0].detail


def test_a_world_that_forks_leaves_nothing(tmp_path):
    note = tmp_path / "note"
    report = check_apart(NAME, kwargs={"kinds": "daemon, end", "where": "reset", "note": str(note)})
    assert [result.check for result in report.failures] == ["construction"]
    assert len(note.read_text().split()) == 2
    assert alive(note) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_check_that_is_killed_leaves_nothing(tmp_path, number):
    note = tmp_path / "note"
    kwargs = {"kinds": "daemon, lock", "where": "reset", "note": str(note)}
    killed(CHECK.format(name=NAME, kwargs=kwargs), note, 2, number)


def test_mistakes_of_the_caller_are_said_in_one_line(capsys):
    with pytest.raises(UnknownName, match=r"did you mean 'AgentGym/FrozenLake-v0'\?"):
        check_apart("AgentGym/FrozenLakes-v0")
    with pytest.raises(ConfigError, match="timeout must be above 0"):
        check_apart(NAME, timeout=0.0)
    assert run(["check", "FrozenLake-v0", "--timeout", "-1"]) == 2
    assert "timeout must be above 0" in capsys.readouterr().err
