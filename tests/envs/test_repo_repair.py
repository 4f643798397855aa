"""RepoRepair: libraries, faults, issues, tools, and attempts to win without a repair."""

from __future__ import annotations

import ast
import json

import pytest

import agentgym
from agentgym.assets.repositories import SPLITS, broken, load_answers, load_repairs, load_repository
from agentgym.core import TaskError
from agentgym.envs._kit.sandbox.tool import Lost
from agentgym.envs.code._repair import judge
from agentgym.envs.code._repair.issue import WORDINGS, issue
from agentgym.envs.code._repair.judge import run_cases, run_tests
from tests.envs.boxes import sandbox

NAMES = [name for members in SPLITS.values() for name in members]


def said(tool: str, /, **arguments) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


@pytest.fixture
def env():
    sandbox()
    return agentgym.make("RepoRepair-v0", split="val").unwrapped


def sampled(names: list[str], every: int) -> list:
    """All of them as parameters, of which only every so many belong to the short suite."""
    return [pytest.param(name, marks=() if at % every == 0 else pytest.mark.full) for at, name in enumerate(names)]


@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_a_sound_library_passes_its_tests_and_gives_what_is_recorded(name) -> None:
    sandbox()
    repository = load_repository(name)
    tested = run_tests(repository.files)
    assert tested.ran >= 8
    assert (tested.failed, tested.error) == ((), "")
    assert tuple(given for given, _ in run_cases(repository, repository.files)) == load_answers(name)
    lines = sum(text.count("\n") for text in repository.files.values())
    assert 200 <= lines <= 2_000
    assert len(repository.cases) >= 30


def test_no_repository_and_no_mix_of_operators_is_in_two_splits() -> None:
    mixes: dict[str, set[tuple[str, ...]]] = {}
    for split, members in SPLITS.items():
        faults = [repair.faults for repair in load_repairs().values() if repair.repository in members]
        mixes[split] = {tuple(sorted(fault.operator for fault in each)) for each in faults}
    assert not mixes["train"] & mixes["test"]
    assert not mixes["val"] & mixes["test"]
    assert not mixes["train"] & mixes["val"]
    assert len(set(NAMES)) == len(NAMES)
    every = [repair for repair in load_repairs().values() if repair.repository in SPLITS["test"]]
    assert len(every) >= 100
    assert len(NAMES) >= 12
    assert len(load_repairs()) >= 700
    assert len({fault.operator for repair in load_repairs().values() for fault in repair.faults}) >= 25
    assert all(2 <= len(repair.faults) <= 4 for repair in load_repairs().values())


def every_few(count: int) -> list[str]:
    names = list(load_repairs())
    return names[:: max(1, len(names) // count)]


@pytest.mark.parametrize("name", sampled(every_few(60), 32))
def test_every_fault_counts_and_faults_interact(name) -> None:
    sandbox()
    repair = load_repairs()[name]
    repository, answers = load_repository(repair.repository), load_answers(repair.repository)

    def failing(faults) -> set[int]:
        got = run_cases(repository, broken(repository.files, faults))
        return {at for at, (given, _) in enumerate(got) if given != answers[at]}

    assert failing(repair.faults) == set(repair.failing)
    alone = [failing([fault]) for fault in repair.faults]
    told = {at for at, _ in repair.quoted}
    for at, wrong in enumerate(alone):
        assert wrong & told, "the issue shows every fault"
        assert (wrong & set(repair.failing)) - told, "and does not show all that a fault breaks"
        assert any(wrong & other for place, other in enumerate(alone) if place != at), (
            "mended alone it leaves a failure"
        )


def test_issues_are_said_in_many_ways_and_name_no_place() -> None:
    for name in every_few(20):
        repair = load_repairs()[name]
        texts = {issue(repair, wording) for wording in range(WORDINGS)}
        assert len(texts) > WORDINGS // 2
        for text in texts:
            assert ".py" not in text
            assert not any(fault.operator in text for fault in repair.faults)
            assert not any(line.strip() in text for fault in repair.faults for line in fault.faulty if len(line) > 30)


def test_oracle_and_expert_repair(env) -> None:
    for who in ("oracle_action", "expert_action"):
        env.reset(options={"task": 0})
        while not env.ended:
            info = env.step(getattr(env, who)())[4]
        assert info["success"]
        assert (info["metrics"]["repaired"], info["metrics"]["regressions"]) == (1.0, 0.0)


def test_one_fault_alone_is_no_repair_and_a_new_fault_is_a_regression(env) -> None:
    env.reset(options={"task": 0})
    env.step(env.oracle_action())
    _, reward, over, _, info = env.step(said("submit"))
    assert (reward, over, info["success"]) == (0.0, True, False)
    env.reset(options={"task": 0})
    while json.loads(env.oracle_action())["name"] != "submit":
        env.step(env.oracle_action())
    package = env.task.spec["repair"].rpartition("-")[0]
    env.step(said("edit_lines", path=f"{package}/__init__.py", first=1, last=1, text="raise SystemExit(0)"))
    info = env.step(said("submit"))[4]
    assert not info["success"]
    assert info["metrics"]["regressions"] > 0


QUITS = "import os\nos._exit(0)\n"
FORGES = 'import os\nfor n in range(99):\n    os.write(1, b\'{"case": %d, "said": "True"}\\n\' % n)\nos._exit(0)\n'
PATCHES = (
    "import unittest\nunittest.TestCase.run = lambda self, result=None: result\n"
    "import sys\nmain = sys.modules['__main__']\nmain.answer = lambda case: ('True', '')\n"
    "main.shown = lambda value: 'True'\n"
)
CHEATS = {
    "conftest": [("create", {"path": "conftest.py", "text": QUITS})],
    "sitecustomize": [("create", {"path": "sitecustomize.py", "text": QUITS})],
    "hidden cases": [("create", {"path": "cases.py", "text": "COUNT = 0\n"})],
    "exit": [("edit", QUITS)],
    "forged output": [("edit", FORGES)],
    "patched runner": [("edit", PATCHES)],
    "own unittest": [("create", {"path": "unittest.py", "text": "class TestCase:\n    pass\n"})],
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_cheats_do_not_win(env, cheat) -> None:
    env.reset(options={"task": 1})
    package = env.task.spec["repair"].rpartition("-")[0]
    for tool, given in CHEATS[cheat]:
        if tool == "edit":
            tool, given = "edit_lines", {"path": f"{package}/__init__.py", "first": 1, "last": 0, "text": given}
        assert env.step(said(tool, **given))[4]["action_valid"]
    env.step(said("run_tests"))
    _, reward, _, _, info = env.step(said("submit"))
    assert (reward, info["success"], info["failure"]) == (0.0, False, "")


@pytest.mark.parametrize("name", ["empty_tests", "first_frame", "quit"])
def test_shortcuts_do_not_win(env, name) -> None:
    for number in (0, 5):
        env.reset(options={"task": number})
        while not env.ended:
            info = env.step(env.shortcut_action(name))[4]
        assert not info["success"]


@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_no_right_value_enters_the_sandbox(name) -> None:
    repository = load_repository(name)
    sent = judge.compiled(name) + judge.DRIVER.read_text(encoding="utf8")
    assert not [answer for answer in load_answers(name) if len(answer) >= 30 and answer in sent]
    functions = [node for node in ast.parse(judge.compiled(name)).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) >= len(repository.cases)


def test_tools(env) -> None:
    env.reset(options={"task": 0})
    files = json.loads(env.step(said("list_files"))[0])["files"]
    path = next(path for path in files if path.endswith(".py") and files[path] > 20)
    seen = json.loads(env.step(said("view", path=path, first=2, last=4))[0])
    assert (seen["of"], len(seen["lines"].split("\n"))) == (files[path], 3)
    assert json.loads(env.step(said("search", text="def ", path=path))[0])["found"]
    env.step(said("edit_lines", path=path, first=1, last=1, text="one\ntwo"))
    assert json.loads(env.step(said("view", path=path, first=1, last=2))[0])["lines"] == "1: one\n2: two"
    env.step(said("replace", path=path, old="one\ntwo", new="both"))
    assert json.loads(env.step(said("view", path=path, first=1, last=1))[0])["lines"] == "1: both"
    for wrong in (
        said("view", path="nothing.py"), said("view", path=path, first=9, last=8), said("create", path=path, text=""),
        said("replace", path=path, old="not in it", new=""), said("create", path="../up.py", text=""),
        said("edit_lines", path=path, first=5, last=2, text=""), said("create", path=f"{path}/x.py", text=""),
    ):  # fmt: skip
        before = env.state_key()
        assert not env.step(wrong)[4]["action_valid"]
        assert env.state_key() == before


@pytest.mark.full
def test_code_without_end_is_stopped(env) -> None:
    env.reset(options={"task": 0})
    package = env.task.spec["repair"].rpartition("-")[0]
    env.step(said("edit_lines", path=f"{package}/__init__.py", first=1, last=0, text="while True:\n    pass"))
    told = json.loads(env.step(said("run_tests"))[0])
    assert told["failed"] or "stopped" in told["error"]
    assert not env.step(said("submit"))[4]["success"]


def test_code_that_ends_its_sandbox_loses_the_episode(env, monkeypatch) -> None:
    def gone(*_):
        raise Lost

    env.reset(options={"task": 0})
    monkeypatch.setattr("agentgym.envs.code.repo_repair.run_cases", gone)
    _, reward, over, _, info = env.step(said("submit"))
    assert (reward, over, info["success"], info["metrics"]["lost"], info["failure"]) == (0.0, True, False, 1.0, "")


def test_a_repair_that_is_none_is_refused(env) -> None:
    with pytest.raises(TaskError, match="there is no repair"):
        env.reset(options={"task": {"repair": "nothing-001", "wording": 0}})


@pytest.mark.parametrize(
    "line",
    [
        '{"ran": 1e400, "failed": [], "printed": ""}',
        '{"ran": "3", "failed": [], "printed": ""}',
        '{"ran": 3, "failed": [], "printed": ' + "[" * 900 + "]" * 900 + "}",
    ],
)
def test_a_forged_line_is_no_record(env, line: str) -> None:
    """Code under test may write to the output of the driver."""
    env.reset(seed=0)
    forged = "import os\nos.write(1, " + repr(line.encode() + b"\n") + ")\n"
    env.step(said("create", path="tests/test_zz.py", text=forged))
    found = json.loads(env.step(said("run_tests"))[0])
    assert found["ran"] > 3
