"""Files in which any one part is of another kind, and files of another command, are one clear line and no traceback."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run
from agentgym.core import AgentGymError
from agentgym.evaluate import evaluate, match, read_episodes
from agentgym.evaluate.tournament import tournament
from agentgym.evaluate.trajectories import read_run
from agentgym.evaluate.trust import check_trust
from agentgym.report.evaluation import evaluation_page
from agentgym.report.runs import runs_page

pytestmark = pytest.mark.full  # it reads files of every kind with every part wrong, two thousand times
KUHN = "KuhnPoker-v0"
OTHERS: list[Any] = ["12", [{"a": [1]}], {"a": {"b": []}}, None, 10**400, True]
UPDATE = {
    "update": 0, "success": 0.5, "return": 0.5, "groups": 2, "dead_groups": 1, "seconds": 1.0,
    "seconds_generation": 0.5, "seconds_world": 0.2, "seconds_update": 0.3, "episodes_per_second": 4.0,
    "sampled_tokens_per_second": 9.0, "episodes": 4, "stops": {"failure": 0, "terminated": 4}, "entropy": 0.5,
}  # fmt: skip
TURN = {"observation": "o", "action": "a", "valid": True, "reward": 1.0, "shades": [["a", 0.5]]}
SHADED = {
    "update": 0, "task_id": "1", "split": "train", "seed": 1, "success": True, "score": 1.0, "final": "f",
    "stop": "terminated", "failure": "", "turns": [TURN],
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of each command."""
    home = tmp_path_factory.mktemp("runs")
    evaluate("FrozenLake-v0", "random", episodes=2, workers=1, out=home / "eval")
    match(KUHN, {"player_0": "random", "player_1": "random"}, games=1, out=home / "match")
    tournament(KUHN, ["random", "expert"], deals=1, out=home / "tournament")
    train = home / "train"
    train.mkdir()
    (train / "recipe.json").write_text(json.dumps({"method": "grpo", "world": {"id": "FrozenLake-v0"}}))
    (train / "updates.jsonl").write_text(json.dumps(UPDATE) + "\n")
    (train / "shaded.jsonl").write_text(json.dumps(SHADED) + "\n")
    return home


def replayed(folder: Path) -> None:
    check_trust(read_episodes(folder), folder)


def reported(folder: Path) -> None:
    evaluation_page([folder]).html()


def trained(folder: Path) -> None:
    runs_page([folder]).html()


READERS: list[tuple[str, str, Callable[[Path], Any]]] = [
    ("eval", "episodes.jsonl", replayed),
    ("eval", "episodes.jsonl", reported),
    ("eval", "run.json", reported),
    ("match", "games.jsonl", replayed),
    ("tournament", "games.jsonl", replayed),
    ("train", "recipe.json", trained),
    ("train", "updates.jsonl", trained),
    ("train", "shaded.jsonl", trained),
    ("train", "shaded.jsonl", read_run),
    ("train", "recipe.json", read_run),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every part of a record, of lists the first alone."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def changed(record: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    record = copy.deepcopy(record)
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = other
    return record


@pytest.mark.parametrize(("kind", "name", "read"), READERS)
def test_any_part_of_another_kind_is_one_line(
    runs: Path, tmp_path: Path, kind: str, name: str, read: Callable[[Path], Any]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs / kind, folder)
    read(folder)
    file = folder / name
    first, *others = file.read_text().splitlines() if name.endswith(".jsonl") else [file.read_text()]
    record, refused = json.loads(first), 0
    several: list[Any] = []
    for path in places(record):
        for other in OTHERS:
            file.write_text("\n".join([json.dumps(changed(record, path, other)), *others, ""]))
            try:
                read(folder)
            except AgentGymError as error:
                refused += 1
                several += [path] * ("\n" in str(error))
            except Exception as error:
                pytest.fail(f"{'/'.join(map(str, path))} = {str(other)[:40]}: {type(error).__name__}: {error}")
    assert refused
    assert several == []


@pytest.mark.parametrize("kind", ["eval", "match", "tournament", "train"])
@pytest.mark.parametrize("command", ["report", "replay", "leaderboard", "export"])
def test_a_file_of_one_command_given_to_another_is_one_line(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, command: str
) -> None:
    """Also one kind's files in the other's place; whatever can be read is, and nothing raises."""
    swapped = tmp_path / "swapped"
    shutil.copytree(runs / kind, swapped)
    for lines in swapped.glob("*.jsonl"):
        lines.write_text((swapped / next(swapped.glob("*.json")).name).read_text().replace("\n", "") + "\n")
    for number, folder in enumerate((runs / kind, swapped)):
        words = [command, str(folder), "--out", str(tmp_path / f"out{number}")]
        if command == "replay":
            words = words[:2]
        if command == "export":
            words += ["--format", "openai"]
        code = run(words)
        told = capsys.readouterr()
        assert "Traceback" not in told.err + told.out
        assert code in (0, 1, 2)
