"""Ctrl-C and sudden death, on a real process: no finished episode is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentgym.evaluate import read_episodes
from tests.evaluate.worlds import MODULE, NAME, TASKS

SCRIPT = f"""
import sys
from agentgym.evaluate import Interrupted, evaluate

def main():
    try:
        evaluate("{NAME}", "{MODULE}:Slow", workers=int(sys.argv[1]), out=sys.argv[2],
                 agent_options={{"seconds": float(sys.argv[3]), "notes": sys.argv[4]}})
    except Interrupted as stop:
        print(stop)
        sys.exit(130)

if __name__ == "__main__":
    main()
"""
ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds


def start(tmp_path: Path, workers: int, seconds: float) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "notes").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, script, str(workers), tmp_path / "run", str(seconds), tmp_path / "notes"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
    )


def _hear_interrupts() -> None:
    """A test run started in the background ignores Ctrl-C, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_episodes(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    until = time.monotonic() + PATIENCE
    file = folder / "episodes.jsonl"
    while not file.exists() or file.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "no episodes were played"
        time.sleep(0.01)


@pytest.mark.full
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.full)])
def test_ctrl_c(tmp_path: Path, workers: int) -> None:
    """The signal goes to every process of the terminal's group, as it does when a person presses the keys."""
    process = start(tmp_path, workers, seconds=0.05)
    wait_for_episodes(process, tmp_path / "run", 3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    saved = read_episodes(tmp_path / "run")
    assert process.returncode == 130, err
    assert out.strip() == (
        f"interrupted; {len(saved)} of {TASKS} episodes are saved in {tmp_path / 'run'}; "
        "the same command goes on from there"
    )
    assert 3 <= len(saved) < TASKS
    assert err == "", "no worker complains"
    begun = len(list((tmp_path / "notes").iterdir()))
    assert begun - len(saved) <= workers, "only episodes under way were dropped"
    again = start(tmp_path, workers, seconds=0.05)
    assert again.wait(PATIENCE) == 0
    assert len({(e.task_id, e.trial) for e in read_episodes(tmp_path / "run")}) == TASKS
    assert len(read_episodes(tmp_path / "run")) == TASKS, "nothing was played twice"
    for pipe in (again.stdout, again.stderr):
        assert pipe is not None
        pipe.close()


def test_sudden_death(tmp_path: Path) -> None:
    """Kill the parent: what was finished is on disk, the workers end by themselves."""
    process = start(tmp_path, 2, seconds=0.05)
    wait_for_episodes(process, tmp_path / "run", 2)
    process.kill()
    process.communicate(timeout=PATIENCE)  # returns when the last worker has closed the pipes it inherited
    assert len(read_episodes(tmp_path / "run")) >= 2
