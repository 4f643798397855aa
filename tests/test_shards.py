"""Shards: every test stands in exactly one, they are of about equal length, and the ledger tells what has passed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import shards
from tests.shards import Durations, Test, listed, parse, partition, passed

ROOT = Path(__file__).parents[1]
COMMIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m"]
KNOWN = Durations({"tests/a.py": (10, 20.0), "tests/b.py": (2, 600.0)}, {"tests/a.py::test_long": 500.0})


def suite() -> list[Test]:
    """A long test, ten short ones, many of a module never measured, and some that only the full suite runs."""
    return [
        Test("tests/a.py::test_long"),
        *(Test(f"tests/a.py::test_short[{number}]") for number in range(10)),
        *(Test(f"tests/new.py::test_each[{number}]") for number in range(1000)),
        *(Test(f"tests/new.py::test_full[{number}]", full=True) for number in range(5)),
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_test_stands_in_exactly_one_shard(count: int) -> None:
    cut = partition(suite(), count, KNOWN)
    assert len(cut) == count
    assert sorted(name for shard in cut for name in shard) == sorted(test.id for test in suite())
    assert all(cut)


def test_the_order_in_which_tests_are_found_has_no_influence() -> None:
    shuffled = suite()
    random.Random(0).shuffle(shuffled)
    assert partition(shuffled, 4, KNOWN) == partition(suite(), 4, KNOWN)


def test_shards_are_of_about_equal_length() -> None:
    by_name = {test.id: KNOWN.of(test) for test in suite()}
    lengths = [sum(by_name[name] for name in shard) for shard in partition(suite(), 3, KNOWN)]
    assert sum(lengths) == pytest.approx(500 + 10 * 2 + 1000 * 620 / 12 + 5 * 500)
    assert max(lengths) - min(lengths) <= shards.CHUNK


def test_what_is_longer_than_a_fair_share_runs_beside_its_like() -> None:
    """Of 1,400 s on two cores each of three shards has 233; two tests take twice that by themselves."""
    tests = [Test(f"tests/{name}.py::test") for name in ("long", "longer", *"abcdefgh")]
    known = Durations(tests={"tests/long.py::test": 450.0, "tests/longer.py::test": 500.0})
    known.tests |= {f"tests/{name}.py::test": 56.25 for name in "abcdefgh"}
    first, second, third = partition(tests, 3, known)
    assert first == ["tests/long.py::test", "tests/longer.py::test"]
    assert len(second) == len(third) == 4


def test_short_tests_of_a_module_stay_together() -> None:
    cut = partition(suite(), 4, KNOWN)
    (home,) = [shard for shard in cut if "tests/a.py::test_short[0]" in shard]
    assert {f"tests/a.py::test_short[{number}]" for number in range(10)} <= set(home)


def test_what_a_test_is_expected_to_take() -> None:
    assert KNOWN.of(Test("tests/a.py::test_long")) == 500
    assert KNOWN.of(Test("tests/a.py::test_added_later")) == 2
    assert Durations().of(Test("tests/new.py::test_each[0]")) == shards.UNKNOWN
    assert Durations().of(Test("tests/new.py::test_each[0]", full=True)) == shards.UNKNOWN_FULL


def test_a_test_never_measured_takes_what_its_kind_takes_nearby() -> None:
    known = Durations(
        {"tests/a/x.py": (4, 2.0), "tests/a/y.py": (0, 0.0), "tests/b/z.py": (6, 18.0)},
        {"tests/a/y.py::slow": 30.0, "tests/b/z.py::slow": 90.0},
    )
    assert known.of(Test("tests/a/new.py::test")) == 0.5
    assert known.of(Test("tests/b/new.py::test", full=True)) == 90
    assert known.of(Test("tests/c/new.py::test")) == 2
    assert known.of(Test("tests/c/new.py::test", full=True)) == 60


def test_durations_are_taken_over_by_module_and_survive_the_file(tmp_path: Path) -> None:
    durations = Durations({"tests/a.py": (1, 1.0), "tests/c.py": (3, 6.0)}, {"tests/a.py::gone": 99.0})
    durations.update({"tests/a.py::one": 1.25, "tests/a.py::two": 2.0, "tests/a.py::slow": shards.SLOW + 1})
    assert durations.modules == {"tests/a.py": (2, 3.25), "tests/c.py": (3, 6.0)}
    assert durations.tests == {"tests/a.py::slow": shards.SLOW + 1}
    for known in (durations, Durations()):
        known.save(tmp_path / "durations.json")
        again = Durations.load(tmp_path / "durations.json")
        again.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "durations.json").read_bytes()
        assert set(again.modules) == set(known.modules)
        assert again.tests == known.tests
    assert Durations.load(tmp_path / "none.json") == Durations()


@pytest.mark.parametrize("wrong", ["", "3", "0/4", "5/4", "a/b", "1/0", "-1/2"])
def test_a_shard_is_a_number_of_a_count(wrong: str) -> None:
    assert parse("2/12") == (2, 12)
    with pytest.raises(ValueError, match="a shard is k/n"):
        parse(wrong)


def test_the_committed_durations_are_of_modules_that_exist() -> None:
    durations = Durations.load(shards.DURATIONS)
    assert durations.modules
    modules = {*durations.modules, *(name.partition("::")[0] for name in durations.tests)}
    assert {name for name in modules if not (ROOT / name).exists()} == set()


def test_every_shard_is_planned_within_the_limit() -> None:
    """By what is known: measured tests alone, cut into the default number of shards."""
    durations = Durations.load(shards.DURATIONS)
    tests = [Test(name) for name in durations.tests]
    tests += [Test(f"{name}::{k}") for name, (count, _) in durations.modules.items() for k in range(count)]
    by_name = {test.id: durations.of(test) for test in tests}
    for shard in partition(tests, shards.SHARDS, durations):
        assert sum(by_name[name] for name in shard) / shards.CORES <= shards.LIMIT
        assert max((by_name[name] for name in shard), default=0) <= shards.LIMIT


# The plugin and the command, on a suite of their own


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three small test modules, of which one fails where a file says so."""
    (tmp_path / "tests").mkdir()
    for name in "abc":
        (tmp_path / "tests" / f"test_{name}.py").write_text(
            "import pathlib\ndef test_one(): assert not pathlib.Path('broken').exists()\ndef test_two(): pass\n"
        )
    (tmp_path / ".gitignore").write_text("runs/\n__pycache__/\n.pytest_cache/\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['full', 'bench', 'sampled']\n")
    for command in (["git", "init", "-q"], ["git", "add", "."], [*COMMIT, "first"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    monkeypatch.setattr(shards, "ROOT", tmp_path)
    monkeypatch.setattr(shards, "RUNS", tmp_path / "runs" / "shards")
    monkeypatch.setattr(shards, "DURATIONS", tmp_path / "tests" / "durations.json")
    monkeypatch.setattr(shards, "SHARDS", 3)
    monkeypatch.setattr(shards, "WORKERS", 0)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def ran(project: Path, shard: str) -> set[str]:
    """The tests that pytest runs with the plugin."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.shards", "-p", "no:cacheprovider", "--shard", shard]
    done = subprocess.run([*command, "--collect-only"], cwd=project, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_pytest_runs_the_tests_of_a_shard(project: Path) -> None:
    parts = [ran(project, f"{number}/3") for number in (1, 2, 3)]
    assert [len(part) for part in parts] == [2, 2, 2]
    assert len(set.union(*parts)) == 6


def test_slow_tests_are_begun_first_and_the_others_stay_in_their_order(project: Path) -> None:
    seconds = {"tests/a.py::test_slow": shards.SLOW + 1, "tests/c.py::test_slower": shards.SLOW + 2}
    Durations({"tests/a.py": (1, 1.0), "tests/b.py": (1, shards.SLOW)}, seconds).save(shards.DURATIONS)
    found = ["tests/b.py::test_two", "tests/a.py::test_slow", "tests/a.py::test_one", "tests/c.py::test_slower"]
    items: list[Any] = [SimpleNamespace(nodeid=name, get_closest_marker=lambda name: None) for name in found]
    config: Any = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: None))
    shards.Plugin("1/1", None).pytest_collection_modifyitems(config, items)
    assert [item.nodeid for item in items] == [found[3], found[1], found[0], found[2]]


def test_the_ledger_tells_which_shards_have_passed_at_which_commit(project: Path) -> None:
    head = shards.git("rev-parse", "HEAD")
    assert listed(shards.ledger(), head).count("not passed") == 3
    assert shards.run("2/3")
    assert list(passed(shards.ledger(), head)) == ["2/3"]
    assert f"{head[:10]}  1 of 3 shards passed: 2" in listed(shards.ledger(), head)
    assert shards.main(["run"]) == 0  # the two that are missing
    assert [entry["shard"] for entry in shards.ledger()] == ["2/3", "1/3", "3/3"]
    assert all(entry["tests"] == {"passed": 2} for entry in shards.ledger())
    assert "not passed" not in listed(shards.ledger(), head)
    (project / "broken").write_text("")
    assert shards.main(["run", "1/3"]) == 1
    assert shards.ledger()[-1]["changed"]
    assert len(passed(shards.ledger(), head)) == 3, "a tree with changes says nothing about its commit"
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    subprocess.run([*COMMIT, "second"], cwd=project, check=True)
    assert shards.main(["run"]) == 1
    after = shards.git("rev-parse", "HEAD")
    assert passed(shards.ledger(), after) == {}
    assert len(shards.ledger()) == 5, "it stops at the first shard that fails"
    assert shards.main(["record"]) == 0
    assert set(json.loads(shards.DURATIONS.read_text())["modules"]) == {f"tests/test_{name}.py" for name in "abc"}


def test_a_sample_of_what_another_test_tries_stands_in_no_shard(project: Path) -> None:
    (project / "tests" / "test_a.py").write_text(
        "import pytest\n@pytest.mark.sampled\ndef test_some(): assert False\n@pytest.mark.full\ndef test_all(): pass\n"
    )
    assert shards.run("1/1")
    assert shards.ledger()[-1]["tests"] == {"passed": 5}


def test_modules_that_were_never_measured_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shards.main(["list"]) == 0
    assert "by a guess: 3 modules: tests/test_a.py, tests/test_b.py, tests/test_c.py" in capsys.readouterr().out
    (project / "runs" / "shards").mkdir(parents=True)
    measured = {f"tests/test_{name}.py::test_one": 0.5 for name in "ac"}
    (project / "runs" / "shards" / "seconds.json").write_text(json.dumps(measured))
    assert shards.main(["record"]) == 0
    assert capsys.readouterr().out.endswith("by a guess: 1 modules: tests/test_b.py\n")


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert shards.main(["dance"]) == 2
    assert "python -m tests.shards run 2/12" in capsys.readouterr().err
