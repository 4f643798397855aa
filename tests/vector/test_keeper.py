"""Workers end with all that they started, whatever they do, and with whoever started them."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym.core import AgentGymError
from agentgym.vector.pool import Broken, WorkerPool, WorkerProcess
from tests.vector.attacks import CARD, ENDS, MODULE, alive, attack, killed, registered

READY = 60.0  # seconds
VECTOR = """
import agentgym
from {module} import CARD
envs = agentgym.make_vec(CARD.id, 2, vectorization_mode="async", kinds="daemon, lock", note={note!r})
envs.reset(seed=0)
for _ in range(2):
    envs.step(["go", "go"])
"""


class Held:
    """Something that a process can hold."""

    def attack(self, kind: str, note: str) -> int:
        """See `tests.vector.attacks.attack`; its own process id."""
        attack(kind, note)
        return os.getpid()

    def variables(self) -> tuple[str | None, int]:
        """An environment variable; how readily the kernel ends this process when memory is short."""
        return os.environ.get("PYTHONHASHSEED"), int(Path("/proc/self/oom_score_adj").read_text())

    def double(self, number: int) -> int:
        """Twice a number; ends its process at 3."""
        if number == 3:
            os._exit(9)
        return 2 * number

    def unsendable(self) -> Any:
        """What cannot be pickled."""
        return lambda: None

    def close(self) -> None:
        """Say so."""
        print("closed", flush=True)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    output = (tmp_path / "out", tmp_path / "err")
    worker = WorkerProcess(Held, environment={"PYTHONHASHSEED": "7"}, output=output)
    assert worker.answer(READY) is None
    yield worker
    worker.end()


def call(worker: WorkerProcess, method: str, *arguments: Any) -> Any:
    worker.ask("call", (method, arguments, {}))
    return worker.answer(READY)


@pytest.mark.parametrize(("kind", "reason"), ENDS.items())
def test_how_a_worker_ended_is_said(worker: WorkerProcess, kind: str, reason: str) -> None:
    with pytest.raises(Broken, match=re.escape(reason)):
        call(worker, "attack", kind, "")


def test_a_fork_of_a_worker_that_comes_back_answers_nothing_and_closes_nothing(
    worker: WorkerProcess, tmp_path: Path
) -> None:
    pid = call(worker, "attack", "fork that comes back", "")
    for number in range(4, 8):
        assert call(worker, "double", number) == 2 * number, "one answer to each question"
    assert call(worker, "attack", "", "") == pid
    assert (tmp_path / "out").read_text() == ""


def test_a_worker_that_stops_its_keeper_is_ended_at_once(
    worker: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentgym.vector.pool.KEEPER_LIMIT", READY)  # the test would take as long
    note = tmp_path / "note"
    call(worker, "attack", "fork", str(note))
    call(worker, "attack", "stop the keeper", "")
    worker.end()
    assert alive(note) == [], "the keeper went on, and took the others along"


@pytest.mark.parametrize("kind", ["fork", "daemon"])
@pytest.mark.parametrize("end", ["end", "close", "by itself"])
def test_what_a_worker_left_behind_ends_with_it(worker: WorkerProcess, tmp_path: Path, kind: str, end: str) -> None:
    note = tmp_path / "note"
    pid = call(worker, "attack", kind, str(note))
    while not note.exists() or not note.read_text():
        time.sleep(0.01)
    assert len(alive(note)) == 1
    if end == "by itself":
        with pytest.raises(Broken, match="exit status 3"):
            call(worker, "attack", "end", "")
        worker.process.wait(READY)
    else:
        getattr(worker, end)()
    assert alive(note) == []
    assert not Path(f"/proc/{pid}").exists()
    assert ("closed" in (tmp_path / "out").read_text()) == (end == "close")


def test_a_worker_that_holds_the_interpreter_lock_is_ended_at_once(worker: WorkerProcess, tmp_path: Path) -> None:
    note = tmp_path / "note"
    worker.ask("call", ("attack", ("daemon, lock", str(note)), {}))
    while not note.exists() or len(note.read_text().split()) < 2:
        time.sleep(0.01)
    worker.end()
    assert alive(note) == []


def test_variables_output_and_answers_that_cannot_be_sent(worker: WorkerProcess) -> None:
    assert call(worker, "variables") == ("7", 1000)
    assert "pickle" in call(worker, "unsendable").message
    assert call(worker, "double", 2) == 4


def test_a_pool_deals_jobs_twice_and_says_that_a_worker_died() -> None:
    found: list[int] = []
    with WorkerPool(Held, 2) as pool:
        pool.run("double", [1, 2], found.append)
        seen: list[int] = []
        pool.run("double", [4, 5, 6], found.append, lambda: seen.append(len(found)))
    assert sorted(found) == [2, 4, 8, 10, 12]
    assert seen[-1] == 5
    died = "exit status 9.*; end other programs"
    with (
        pytest.raises(AgentGymError, match=died),
        WorkerPool(partial(Held), 1, advice="end other programs") as pool,
    ):
        pool.run("double", [1, 3], found.append)


class Slow(Held):
    """Something that is never ready."""

    def __init__(self) -> None:
        time.sleep(READY)


def test_a_pool_whose_process_is_not_ready_in_time_does_not_say_that_it_died(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.vector.pool.START_LIMIT", 0.5)
    late = r"does not get ready \(it did not answer within 0.5 seconds\): the machine is too busy"
    with pytest.raises(AgentGymError, match=late), WorkerPool(Slow, 1) as pool:
        pool.run("double", [1], print)


def test_environments_go_on_after_a_fault_of_the_process_and_leave_nothing(tmp_path: Path) -> None:
    with registered():
        envs: Any = agentgym.make_vec(
            CARD.id, 1, vectorization_mode="async", step_timeout=1.0, note=str(tmp_path / "note"),
            kinds="segfault|lock|daemon",
        )  # fmt: skip
        failures = []
        for task in range(3):
            envs.reset(options={"task": task})
            envs.step(["go"])
            *_, infos = envs.step(["go"])
            failures.append(infos["final_info"]["failure"][0])
        envs.close()
    assert failures == ["its process was ended by SIGSEGV", "it did not answer within 1 seconds", ""]
    assert alive(tmp_path / "note") == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_when_the_parent_of_a_vector_is_killed_nothing_stays(tmp_path: Path, number: signal.Signals) -> None:
    note = tmp_path / "note"
    assert killed(VECTOR.format(module=MODULE, note=str(note)), note, 4, number) == []
