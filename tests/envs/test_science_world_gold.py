"""The record of ScienceWorld's gold paths is what the program that wrote it finds, and what the manual says of it."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs.text._science_world.tasks import LIMITS, TASKS

pytest.importorskip("scienceworld", reason='run  pip install "agentgym-suite[worlds]"')

from tests.benchmarks import sweep_science_world as sweep

LIMITS_PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
recorded = pytest.mark.skipif(
    not sweep.RECORD.exists(), reason="no record; run tests/benchmarks/sweep_science_world.py"
)


def test_every_variation_has_its_turn_once() -> None:
    order = sweep.order()
    assert len(order) == 7207
    assert set(order) == {(task, number) for task, (_, _, size) in TASKS.items() for number in range(size)}
    assert [task for task, _ in order[: len(TASKS)]] == list(TASKS)
    assert order == sweep.order()


def test_what_was_tried_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    record = sweep.read(path)
    record["tried"] = {"boil": {0, 1, 2, 7}, "melt": {29}}
    record["refused"]["boil/7"] = -100
    sweep.write(record, path)
    assert json.loads(path.read_text())["tried"] == {"boil": [[0, 2], [7, 7]], "melt": [[29, 29]]}
    again = sweep.read(path)
    assert again == {**record, "count": 5}
    path.write_text(path.read_text().replace('"version": "1.2.3"', '"version": "1.1.0"'))
    with pytest.raises(SystemExit, match=r"version 1\.1\.0 of the simulator"):
        sweep.read(path)


@recorded
def test_the_record_is_of_this_simulator_and_the_manual_says_what_it_holds() -> None:
    record = sweep.read()
    count = sum(map(len, record["tried"].values()))
    assert record["count"] == count
    for task, numbers in record["tried"].items():
        assert numbers <= set(range(TASKS[task][2]))
        assert record["longest"][task] <= LIMITS[task]
    tried = {f"{task}/{number}" for task, numbers in record["tried"].items() for number in numbers}
    exceptions = record["mended"] | record["refused"]
    assert set(exceptions) <= tried
    page = " ".join(LIMITS_PAGE.read_text(encoding="utf8").split())
    assert f"{count:,} of the 7,207 variations" in page
    said = f"{len(record['mended'])} that the oracle repairs and {len(record['refused'])} that it does not solve"
    assert said in page


@recorded
@pytest.mark.full
def test_the_program_finds_what_stands_in_the_record() -> None:
    record = sweep.read()
    env = gym.make("AgentGym/ScienceWorld-v0").unwrapped
    some = [(task, min(numbers)) for task, numbers in record["tried"].items()][::6]
    others = [(task, int(number)) for task, _, number in (name.partition("/") for name in record["mended"])][:2]
    for task, number in some + others:
        name = f"{task}/{number}"
        expected = next((verdict for verdict in ("mended", "refused") if name in record[verdict]), "accepted")
        verdict, _, turns = sweep.tried(env, task, number)
        assert verdict == expected, name
        assert turns <= record["longest"][task]
