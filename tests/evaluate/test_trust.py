"""What a run file names is neither imported nor called nor read unless the file is trusted."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentgym.wrappers
from agentgym.core import ConfigError, EnvCard, UnknownName
from agentgym.envs import CARDS
from agentgym.evaluate import evaluate, replay
from agentgym.evaluate.exporting import export
from agentgym.report.evaluation import evaluation_page
from agentgym.report.leaderboard import write_leaderboard

PATIENCE = 120  # seconds for one command
MODULE = """import pathlib
pathlib.Path("imported").write_text("x")


def rule(*given, **more):
    pathlib.Path("called").write_text("x")
    return 1.0
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one episode."""
    out = tmp_path_factory.mktemp("played") / "run"
    evaluate("FrozenLake-v0", "random", split="train", episodes=1, workers=1, out=out)
    return out


@pytest.fixture
def run(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that run in a folder where a module lies whose import leaves a mark; it is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text(MODULE)
    return Path(shutil.copytree(played, tmp_path / "run"))


def change(run: Path, alter: Callable[[dict[str, Any]], object]) -> None:
    file = run / "episodes.jsonl"
    record = json.loads(file.read_text())
    alter(record)
    file.write_text(json.dumps(record) + "\n")


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which finds modules in the current folder as a user's does."""
    code = "from agentgym.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


ALTERED = {
    "the world's module": (
        lambda record: record.update(env="planted:AgentGym/FrozenLake-v0"),
        "names the module 'planted', which would be imported",
    ),
    "a module within the suite's name": (
        lambda record: record.update(env="agentgym.planted:AgentGym/FrozenLake-v0"),
        "names the module 'agentgym.planted'",
    ),
    "a wrapper's function": (
        lambda record: record.update(wrappers=[{"name": "PotentialShaping", "potential": "planted:rule"}]),
        "names 'planted:rule', which may be a function",
    ),
    "an option's function, deep inside": (
        lambda record: record.update(env_kwargs={"pool": {"x": ["planted:rule"]}}),
        "names 'planted:rule', which may be a function",
    ),
    "files of data": (
        lambda record: record.update(env="agentgym:AgentGym/ALFWorld-v0", env_kwargs={"games": "planted"}),
        "names data of its own as the option 'games' ('planted')",
    ),
    "a file that a wrapper writes": (
        lambda record: record.update(wrappers=[{"name": "EventLog", "path": "written_here"}]),
        "names a file or folder as 'path' ('written_here'), an argument of the wrapper EventLog",
    ),
    "a file of a wrapper's tokens": (
        lambda record: record.update(wrappers=[{"name": "Truncate", "tokenizer": "secret.json"}]),
        "names a file or folder as 'tokenizer' ('secret.json'), an argument of the wrapper Truncate",
    ),
    "a file that a world reads": (
        lambda record: record.update(env="agentgym:AgentGym/TextCraft-v1", env_kwargs={"recipes": "secret.json"}),
        "names a file or folder as 'recipes' ('secret.json'), an option of the world",
    ),
    "a folder that a world reads": (
        lambda record: record.update(env="agentgym:AgentGym/SQL-v0", env_kwargs={"folder": "."}),
        "names a file or folder as 'folder' ('.')",
    ),
    "a corpus": (
        lambda record: record.update(env="agentgym:AgentGym/MaskedSpans-v0", env_kwargs={"corpus": "secret.json"}),
        "names a file or folder as 'corpus' ('secret.json')",
    ),
    "an order of games": (
        lambda record: record.update(env="agentgym:AgentGym/ALFWorld-v0", env_kwargs={"order": "secret.json"}),
        "names a file or folder as 'order' ('secret.json')",
    ),
    "a file within a game's name": (
        lambda record: record.update(
            env="agentgym:AgentGym/OpenSpiel-v0", env_kwargs={"game": "nfg_game(filename=secret.json)"}
        ),
        "names a file or folder as 'game' ('nfg_game(filename=secret.json)')",
    ),
    "a file within a table": (
        lambda record: record.update(
            env="agentgym:AgentGym/ReasoningGym-v0",
            env_kwargs={"generators": "spell_backward", "config": {"data_file": "secret.json"}},
        ),
        "names a file or folder as 'config' (",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ALTERED)
def test_what_a_file_names_is_not_touched_without_trust(run: Path, what: str) -> None:
    alter, words = ALTERED[what]
    change(run, alter)
    secret = run.parent / "secret.json"
    secret.write_text("{}")
    os.utime(secret, (0, secret.stat().st_mtime))  # so that reading it would give it another time of access
    there = sorted(run.parent.rglob("*"))
    with pytest.raises(ConfigError) as refused:
        replay(run)
    assert words in str(refused.value)
    assert "--trust" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "planted" not in sys.modules
    assert sorted(run.parent.rglob("*")) == there
    assert secret.stat().st_atime == 0


def test_one_bad_line_among_good_ones_is_found_before_anything_is_played(run: Path) -> None:
    file = run / "episodes.jsonl"
    good = file.read_text()
    change(run, lambda record: record.update(env="planted:AgentGym/FrozenLake-v0"))
    file.write_text(good + file.read_text())
    played: list[object] = []
    with pytest.raises(ConfigError, match="planted"):
        replay(run, lambda outcome, done, total: played.append(outcome))
    assert played == []


def test_what_names_no_file_is_played(run: Path) -> None:
    plain = [{"name": "EventLog", "path": None}, {"name": "Truncate", "tokens": 4000}]
    change(run, lambda record: record.update(wrappers=plain))
    (outcome,) = replay(run)
    assert outcome.same


def told(documented: type) -> set[str]:
    """The arguments that a docstring says are a path, a file or a folder."""
    part = re.search(
        r"^ *Args:\n(.*?)(?=^ *\w+:\n|\n\n|\Z)", inspect.getdoc(documented) or "", re.DOTALL | re.MULTILINE
    )
    entries = re.split(r"^ {4}(?=\w)", part[1] if part else "", flags=re.MULTILINE)
    kinds = re.compile(r"\b(?:path|file|folder)s?\b", re.IGNORECASE)
    return {
        name
        for entry in entries
        if kinds.search(entry.partition(":")[2])
        for name in re.split(r",\s*", entry.partition(":")[0])
    }


@pytest.mark.parametrize("name", agentgym.wrappers.__all__)
def test_a_wrapper_says_which_arguments_name_files(name: str) -> None:
    kind = getattr(agentgym.wrappers, name)
    assert told(kind) == set(getattr(kind, "names_files", ()))


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_says_which_arguments_name_files(card: EnvCard) -> None:
    module, _, name = card.entry_point.partition(":")
    world = getattr(importlib.import_module(module), name)
    shown = inspect.signature(world).parameters
    found = {each for each, parameter in shown.items() if "Path" in str(parameter.annotation)} | told(world)
    assert found - {*card.requires} == {each for each, pattern in card.names_files.items() if not pattern}
    assert {*card.names_files, *card.requires} <= {*shown}


def test_a_world_that_nobody_knows(run: Path) -> None:
    change(run, lambda record: record.update(env="agentgym:AgentGym/FrozenLakes-v0"))
    with pytest.raises(UnknownName, match="FrozenLake-v0"):
        replay(run)


def test_the_command_imports_with_trust_alone(run: Path) -> None:
    change(run, lambda record: record.update(env="planted:AgentGym/FrozenLake-v0"))
    refused = command(run.parent, "replay", "run")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith("agentgym: run names the module 'planted', which would be imported; look at it")
    assert refused.stderr.count("\n") == 1
    assert not (run.parent / "imported").exists()
    trusted = command(run.parent, "replay", "run", "--trust")
    assert trusted.returncode == 0, trusted.stderr
    assert "1 of 1 episodes are the same" in trusted.stdout
    assert (run.parent / "imported").exists()


def test_a_report_imports_nothing_that_a_run_names(run: Path) -> None:
    """A page is made of what was written down; the world, the parts and the functions in it stay names."""
    named = {
        "method": "planted:rule",
        "world": {"id": "planted:AgentGym/FrozenLake-v0", "wrappers": [{"name": "x", "potential": "planted:rule"}]},
        "rollout": {"context": {"name": "explicit", "rule": "planted:rule"}},
    }
    update = {
        "update": 0, "success": 1.0, "return": 1.0, "turns": 1.0, "valid": 1.0, "groups": 1, "dead_groups": 0,
        "episodes": 1, "stops": {"failure": 0},
        "seconds": 1.0, "seconds_generation": 0.1, "seconds_world": 0.1, "seconds_update": 0.1,
        "episodes_per_second": 1.0, "sampled_tokens_per_second": 1.0,
    }  # fmt: skip
    folder = run.parent / "trained"
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps(named))
    (folder / "updates.jsonl").write_text(json.dumps(update) + "\n")
    (folder / "state.pt").write_bytes(b"\x80\x04cplanted\nrule\n.")  # a pickle that would import the module
    done = command(run.parent, "report", "trained", "--out", "page.html")
    assert done.returncode == 0, done.stderr
    assert "planted:rule" in (run.parent / "page.html").read_text()
    assert not (run.parent / "imported").exists()


def test_a_page_reads_no_card_of_a_world_whose_module_hides_behind_ours(run: Path) -> None:
    settings = json.loads((run / "run.json").read_text())
    for env in ("agentgym:planted:AgentGym/FrozenLake-v0", "planted:AgentGym/FrozenLake-v0"):
        (run / "run.json").write_text(json.dumps({**settings, "env": env}))
        change(run, lambda record, env=env: record.update(env=env))  # type: ignore[misc]
        evaluation_page([run]).write(run.parent / "page.html")
        write_leaderboard(run.parent, run.parent / "board")
    assert "planted" not in sys.modules


def test_an_export_makes_no_world_that_a_run_names_unless_it_is_trusted(run: Path) -> None:
    for alter in (
        lambda record: record.update(env="planted:AgentGym/FrozenLake-v0"),
        lambda record: record.update(
            env="agentgym:AgentGym/FrozenLake-v0", wrappers=[{"name": "PotentialShaping", "potential": "planted:rule"}]
        ),
    ):
        change(run, alter)
        with pytest.raises(ConfigError, match=r"planted.*--trust"):
            export(run, "openai", run.parent / "out.jsonl")
        assert "planted" not in sys.modules
    change(run, lambda record: record.update(wrappers=[]))
    assert export(run, "openai", run.parent / "out.jsonl").rows == 1


def test_an_export_of_a_training_imports_nothing_that_its_recipe_names(tmp_path: Path) -> None:
    turn = {"observation": "o", "action": "left", "valid": True, "reward": 1.0, "shades": []}
    shaded = {
        "update": 0, "task_id": "1", "split": "train", "seed": 1, "success": True, "score": 1.0, "final": "f",
        "stop": "terminated", "failure": "", "turns": [turn],
    }  # fmt: skip
    (tmp_path / "recipe.json").write_text(json.dumps({"world": {"id": "planted:AgentGym/FrozenLake-v0"}}))
    (tmp_path / "shaded.jsonl").write_text(json.dumps(shaded) + "\n")
    with pytest.raises(ConfigError, match="names the module 'planted'"):
        export(tmp_path, "openai", tmp_path / "out.jsonl")
