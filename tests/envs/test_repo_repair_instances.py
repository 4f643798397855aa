"""Instances in the formats of SWE-bench and SWE-smith: read from files, and played in an image where Docker runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import agentgym
from agentgym.core import AgentGymError, DataError, EngineFailure, MissingExtra, TaskError
from agentgym.envs._kit.sandbox import images
from agentgym.envs._kit.sandbox.instances import read_statuses
from agentgym.envs.code._repair.instances import read_instances
from tests.envs.boxes import backing

SOUND = "def total(numbers):\n    return sum(numbers)\n"
FAULTY = "def total(numbers):\n    return sum(numbers) + 1\n"
VISIBLE = (
    "import unittest\n\nfrom adding import total\n\n\nclass TotalTest(unittest.TestCase):\n"
    "    def test_is_a_number(self):\n        self.assertIsInstance(total([1]), int)\n"
)
HIDDEN = VISIBLE + "\n    def test_adds(self):\n        self.assertEqual(total([1, 2]), 3)\n"
FAILS = "test_adds (test_adding.TotalTest.test_adds)"
PASSES = "test_is_a_number (test_adding.TotalTest.test_is_a_number)"
COMMAND = "python3 -m unittest -v"


def diff(path: str, old: str, new: str, folder: Path) -> str:
    for name, text in (("a", old), ("b", new)):
        place = folder / "diff" / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf8")
    said = subprocess.run(["diff", "-u", f"a/{path}", f"b/{path}"], cwd=folder / "diff", capture_output=True, text=True)
    return said.stdout


def records(folder: Path) -> list[dict]:
    bench = {
        "instance_id": "someone__adding-1",
        "repo": "someone/adding",
        "base_commit": "HEAD",
        "problem_statement": "The total of 1 and 2 is 4.",
        "patch": diff("adding.py", FAULTY, SOUND, folder),
        "test_patch": diff("test_adding.py", VISIBLE, HIDDEN, folder),
        "FAIL_TO_PASS": json.dumps([FAILS]),
        "PASS_TO_PASS": json.dumps([PASSES]),
        "image_name": "agentgym-test-adding:faulty",
        "test_cmd": COMMAND,
        "workdir": "/work/adding",
    }
    smith = {
        "instance_id": "someone__adding.abc.func_pm_1",
        "repo": "swesmith/someone__adding.abc",
        "problem_statement": "Totals are one too large.",
        "patch": diff("adding.py", SOUND, FAULTY, folder),
        "FAIL_TO_PASS": [FAILS],
        "PASS_TO_PASS": [PASSES],
        "image_name": "agentgym-test-adding:sound",
        "test_cmd": COMMAND,
        "workdir": "/work/adding",
    }
    return [bench, smith]


@pytest.fixture
def folder(tmp_path) -> Path:
    bench, smith = records(tmp_path)
    place = tmp_path / "instances"
    place.mkdir()
    (place / "bench.jsonl").write_text(json.dumps(bench) + "\n", "utf8")
    (place / "smith.json").write_text(json.dumps([smith]), "utf8")
    return place


def test_both_formats_are_read(folder) -> None:
    found = read_instances(folder)
    bench, smith = (found[name] for name in ("someone__adding-1", "someone__adding.abc.func_pm_1"))
    assert (bench.breaks, bool(bench.mends), bool(bench.tests)) == ("", True, True)
    assert (bool(smith.breaks), smith.mends, smith.tests) == (True, "", "")
    assert bench.failing == smith.failing == (FAILS,)
    assert read_instances(folder / "bench.jsonl").keys() == {bench.name}


def test_the_image_of_an_instance_of_swe_bench_has_its_usual_name(folder) -> None:
    record = json.loads((folder / "bench.jsonl").read_text("utf8"))
    del record["image_name"], record["test_cmd"], record["workdir"]
    (folder / "smith.json").write_text(json.dumps(record | {"instance_id": "Some__thing-2"}), "utf8")
    found = read_instances(folder)["Some__thing-2"]
    assert (found.image, found.workdir) == ("swebench/sweb.eval.x86_64.some_1776_thing-2:latest", "/testbed")
    assert "pytest" in found.command


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"instance_id": 3}, "instance_id"),
        ({"FAIL_TO_PASS": "no list"}, "FAIL_TO_PASS"),
        ({"PASS_TO_PASS": [1]}, "PASS_TO_PASS"),
        ({"patch": None}, "patch as text"),
        ({"base_commit": "main; rm -rf /"}, "base_commit"),
        ({"workdir": "somewhere"}, "workdir"),
        ({"test_patch": "", "base_commit": "", "image_name": ""}, "image_name"),
    ],
)
def test_what_is_wrong_with_an_instance_is_said(tmp_path, change, said) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps([records(tmp_path)[0] | change]), "utf8")
    with pytest.raises(DataError, match=said):
        read_instances(file)


def test_files_that_hold_none_are_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="holds no instances"):
        read_instances(tmp_path)
    (tmp_path / "bad.json").write_text("{", "utf8")
    with pytest.raises(DataError, match="cannot be read"):
        read_instances(tmp_path / "bad.json")


def test_statuses_of_pytest_and_unittest_are_read() -> None:
    said = (
        "PASSED tests/test_a.py::test_one[x-1]\nFAILED tests/test_a.py::test_two - AssertionError\n"
        "test_three (tests.A.test_three) ... ok\ntest_four (tests.A.test_four)\n"
        "test_five (tests.A.test_five) ... FAIL\nFAILED (failures=1)\n"
    )
    assert read_statuses(said) == {
        "tests/test_a.py::test_one[x-1]": "PASSED",
        "tests/test_a.py::test_two": "FAILED",
        "test_three (tests.A.test_three)": "ok",
        "test_five (tests.A.test_five)": "FAIL",
    }


def test_without_a_daemon_there_is_one_line(folder, monkeypatch) -> None:
    pytest.importorskip("docker", reason="the SDK of Docker, the extra docker, is not installed")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/d.sock")
    images.connect.cache_clear()
    with pytest.raises(MissingExtra, match="no daemon of Docker answers") as caught:
        agentgym.make("RepoRepair-v0", instances=folder)
    assert "\n" not in str(caught.value)
    images.connect.cache_clear()


@pytest.fixture(scope="module")
def built() -> None:
    """Images of a repository of two files, one faulty and one sound, on the base of our own sandbox's image."""
    made = backing("docker")
    client = made.client
    for tag, text, tests in (("faulty", FAULTY, VISIBLE), ("sound", SOUND, HIDDEN)):
        script = (
            "set -e\ncp -r /agentgym /work/adding\ncd /work/adding\ngit init -q .\ngit add .\n"
            "git -c user.name=a -c user.email=a@example.org commit -q -m all\n"
        )
        container = client.containers.create(
            made.image, ["-c", script], entrypoint="bash", user="0", network_mode="none"
        )
        given = {"adding.py": text.encode(), "test_adding.py": tests.encode()}
        container.put_archive("/", images.packed(given))
        container.start()
        assert container.wait()["StatusCode"] == 0, container.logs()
        container.commit(
            "agentgym-test-adding", tag, conf={"User": "0", "Env": ["HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin"]}
        )
        container.remove()


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "ran", "failed"),
    [("someone__adding-1", 1, []), ("someone__adding.abc.func_pm_1", 2, [FAILS])],  # SWE-smith's tests are in the image
)
def test_an_instance_is_played_in_its_image(folder, built, name, ran, failed) -> None:
    env = agentgym.make("RepoRepair-v0", instances=folder, split="test").unwrapped
    assert env.metadata["sandbox"] == "images of Docker"
    observation, info = env.reset(options={"task": name})
    assert info["instruction"] in observation
    with pytest.raises(AgentGymError, match="no expert"):
        env.expert_action()
    with pytest.raises(AgentGymError, match="no shortcut"):
        env.shortcut_action("quit")
    told = json.loads(env.step(json.dumps({"name": "run_tests", "arguments": {}}))[0])
    assert (told["ran"], told["failed"]) == (ran, failed)
    wrong = env.step(json.dumps({"name": "submit", "arguments": {}}))[4]
    assert not wrong["success"]
    assert (wrong["metrics"]["repaired"], wrong["metrics"]["regressions"]) == (0.0, 0.0)
    env.reset(options={"task": name})
    while not env.ended:
        info = env.step(env.oracle_action())[4]
    assert info["success"]
    assert info["metrics"]["regressions"] == 0
    with pytest.raises(TaskError):
        env.reset(options={"task": {"repair": "x", "wording": 0}})


@pytest.mark.full
def test_what_a_script_in_an_image_may_use_is_bounded(built) -> None:
    image = "agentgym-test-adding:sound"
    left = images.run_in_image(image, "sleep 60", {}, 2.0)
    assert left.code == -1
    left = images.run_in_image(
        image, "cat /agentgym/in; echo x > /tmp/out; exit 3", {"in": b"hello"}, 60.0, ("/tmp/out",)
    )
    assert (left.code, left.output, left.files) == (3, "hello", {"/tmp/out": b"x\n"})
    said = "import socket; socket.create_connection(('1.1.1.1', 80), 3)"
    assert images.run_in_image(image, f'python3 -c "{said}"', {}, 60.0).code == 1
    with pytest.raises(EngineFailure, match="cannot be run"):
        images.run_in_image("agentgym-test-nothing:none", "true", {}, 60.0)
