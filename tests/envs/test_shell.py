"""Shell: homes, words, gold commands against answers worked out apart from them, what is kept, and hostile commands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from collections import Counter
from dataclasses import replace

import pytest

import agentgym
from agentgym.core import TaskError
from agentgym.envs._kit.sandbox import FOLDER, Entry
from agentgym.envs._kit.sandbox.tool import Lost
from agentgym.envs._kit.tools import Unfit
from agentgym.envs.code import shell
from agentgym.envs.code._shell.book import BOOK, kind_of
from agentgym.envs.code._shell.home import make_home
from agentgym.envs.code._shell.machine import HOME, Machine, Tree, bash
from agentgym.envs.code._shell.processes import _sum
from agentgym.envs.code._shell.repository import Reader, Repository, _index, plain_index
from agentgym.envs.code._shell.stored import MOST, gzipped, members, tarred, unzipped, zlibbed
from agentgym.envs.code._shell.tasks import TOPICS, done, pose, read
from tests.envs.boxes import sandbox

SAMPLE = (
    "slowest_request", "replace_in_notes", "sort_rows", "copied", "mend_links", "set_in_section", "pack_sources",
    "merge", "commit_file", "send_signal", "with_one_more",
)  # fmt: skip


def said(tool: str, /, **arguments) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def posed_of(name: str, number: int = 0):
    """The task of a kind, of the first seeds that make one."""
    found = [posed for posed in (pose(name, seed) for seed in range(24)) if posed is not None]
    return found[number]


@pytest.fixture
def env():
    sandbox()
    return agentgym.make("Shell-v0", split="val").unwrapped


def machine(seed: int = 1) -> Machine:
    sandbox()
    return Machine(Tree(make_home(seed).files))


def spec(name: str) -> dict[str, object]:
    seed = next(seed for seed in range(24) if pose(name, seed) is not None)
    return {"kind": name, "seed": seed, "wording": 0}


def test_gold_commands_and_computations_differ() -> None:
    kinds = [kind_of(name) for name in BOOK.templates]
    assert len(kinds) >= 60
    assert len({kind.gold for kind in kinds}) == len(kinds)
    codes = {kind.program.__code__.co_code + repr(kind.program.__code__.co_consts).encode() for kind in kinds}
    assert len(codes) == len(kinds)
    assert {kind.program.__module__ for kind in kinds} == {topic.__name__ for topic in TOPICS}
    assert all(len(set(kind.wordings)) >= 3 for kind in kinds)
    assert {kind.answer for kind in kinds} == {"number", "name", "list", "state"}


@pytest.mark.parametrize("name", BOOK.templates)
def test_words_are_read_back(name) -> None:
    posed = posed_of(name)
    for wording in range(shell.WORDINGS):
        found = read(BOOK.word(posed.kind, wording, posed.arguments))
        assert found is not None
        assert (found[0].name, found[1]) == (name, dict(posed.arguments))


@pytest.mark.parametrize("name", [
    name if name in SAMPLE else pytest.param(name, marks=pytest.mark.full) for name in BOOK.templates
])  # fmt: skip
def test_gold_commands_do_the_task_and_another_one_does_not(name) -> None:
    sandbox()
    env = agentgym.make("Shell-v0").unwrapped
    env.reset(options={"task": spec(name)})
    begun = env.snapshot()
    while not env.ended:
        info = env.step(env.expert_action())[4]
    assert info["success"]
    env.restore(begun)
    while not env.ended:
        before = env.snapshot()
        info = env.step(env.oracle_action())[4]
    assert info["success"]
    env.restore(before)
    env.step(said("bash", command="echo more > ~/unasked.txt"))
    final = json.loads(env.oracle_action())["arguments"]["answer"]
    assert not env.step(said("finish", answer=final))[4]["success"], "something else was changed"


@pytest.mark.full
@pytest.mark.parametrize("name", BOOK.templates)
def test_the_expert_does_the_task_of_another_seed(name) -> None:
    sandbox()
    posed = posed_of(name, 1)
    work = Machine(Tree(posed.begin.files))
    for command in posed.kind.commands(posed.arguments):
        bash(work, command)
    assert done(posed, work.tree.entries)
    if posed.kind.answer == "state":
        assert not done(posed, posed.begin.files)


def test_homes_are_the_same_in_another_process() -> None:
    code = (
        "from agentgym.core.snapshot import fingerprint\nfrom agentgym.envs.code._shell.home import make_home\n"
        "print(fingerprint([make_home(seed).files for seed in range(3)]))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
    assert len(make_home(0).files) > 60


def test_equal_commands_leave_equal_bytes() -> None:
    commands = (
        "cd repos/* && echo x > new.txt && git add . && git commit -qm 'Add it'",
        "git status --short; ls -la; git log -1",
        "git checkout -q -b other && ls -l ~/data > ~/listing; id -un",
    )
    ends = []
    for _ in range(2):
        work = machine()
        texts = [bash(work, command) for command in commands]
        ends.append((texts, work.folder, work.tree.entries))
    assert ends[0] == ends[1]
    assert ends[0][1].startswith(f"{HOME}/repos/")
    assert "error" not in ends[0][0][0]


def test_the_folder_is_kept_and_variables_are_not() -> None:
    work = machine()
    bash(work, "cd notes; x=1; export y=2")
    assert bash(work, 'pwd; echo "[$x$y]"')["output"] == f"{HOME}/notes\n[]"
    assert bash(work, "exit 3") == {"output": "", "error": "exit status 3", "status": "3"}
    assert bash(work, "ls nowhere")["status"] == "2"
    bash(work, "cd /usr")
    assert work.folder == HOME
    assert bash(work, "cd ~; mkdir a; chmod 0 a; touch 'b c'")["output"] == ""
    assert work.tree.entries["a"] == Entry(b"", FOLDER, 0, work.tree.entries["a"].changed)
    assert bash(work, "stat -c %a a; ls")["output"].startswith("0\n")


HOSTILE = (
    "rm -rf ~ /work/* 2> /dev/null; echo gone", ":(){ :|:& };:", "while :; do echo endless; done",
    'for i in $(seq 60); do mkdir d && cd d; done; pwd | wc -c', "ln -s /etc/passwd out; ln -s / root; mv out in",
    "truncate -s 15M a; truncate -s 15M b; truncate -s 15M c; cp a d", "touch $'new\\nline'", "kill -9 $$",
    "kill -9 -1; kill -9 1", "mkfifo pipe; ln notes/* .", "trap - EXIT; exec sleep 0", "printf '\\xff\\xfe' > $'\\xff'",
    "for i in $(seq 2500); do : > f$i; done", "rm -rf repos/*/.git/objects; echo x > settings/.git",
    "echo /nowhere > /work/.folder; exec true",
)  # fmt: skip


@pytest.mark.parametrize("command", HOSTILE)
def test_hostile_commands_are_answered(env, command) -> None:
    env.reset(options={"task": spec("merge")})
    before = env._state.data.tree
    text, reward, over, _, info = env.step(said("bash", command=command))
    assert (reward, info["success"], info["failure"]) == (0.0, False, "")
    assert over == bool(info["metrics"]["lost"])
    if "home is as it was" in text:
        assert env._state.data.tree is before
    if not over:
        assert json.loads(env.step(said("bash", command="cd ~ && pwd"))[0]) == {"output": HOME}
        assert not env.step(said("finish", answer="done"))[4]["success"]


@pytest.mark.full
def test_a_command_that_ends_its_sandbox_ends_the_episode(env, monkeypatch) -> None:
    def gone(data, command):
        raise Lost

    env.reset(options={"task": 0})
    monkeypatch.setitem(env.toolbox._known, "bash", replace(shell.BASH, run=gone))
    _, reward, over, _, info = env.step(said("bash", command="true"))
    assert (reward, over, info["success"], info["metrics"]["lost"], info["failure"]) == (0.0, True, False, 1.0, "")


def test_snapshots_in_mid_episode(env) -> None:
    env.reset(options={"task": spec("commit_file")})
    env.step(env.oracle_action())
    saved, twin = env.snapshot(), env.fork()
    for each in (env, twin):
        each.step(each.oracle_action())
        assert each.step(each.oracle_action())[4]["success"]
    env.restore(saved)
    assert env.state_key() != twin.state_key()
    assert not env.step(said("finish", answer="done"))[4]["success"], "it was not committed yet"


def test_archives_are_doubted() -> None:
    whole = tarred({"a/b.txt": b"x" * 70_000})
    assert unzipped(gzipped(whole)) == whole
    assert members(gzipped(whole)) == members(whole) == {"a/b.txt": b"x" * 70_000}
    assert unzipped(gzipped(whole)[:-9]) is None
    assert members(b"nothing") is None
    bomb = subprocess.run(["gzip", "-c"], input=bytes(40 << 20), capture_output=True, check=True).stdout
    assert unzipped(bomb) is None
    sparse = tarfile.TarInfo("f")
    sparse.size = MOST + 1
    assert members(sparse.tobuf() + bytes(1024)) is None, "a size that is only said"


def test_a_repository_that_names_itself_over_and_over_is_given_up() -> None:
    repository, name = Repository(), "0" * 40
    for _ in range(38):
        row = b"\0" + bytes.fromhex(name)
        name = repository._put("tree", b"40000 a" + row + b"40000 b" + row)
    files = {f".git/objects/{each[:2]}/{each[2:]}": Entry(data) for each, data in repository.objects.items()}
    files[f".git/objects/00/{'0' * 38}"] = Entry(zlibbed(b"tree 0\0"))
    with pytest.raises(LookupError, match="more than may be read"):
        Reader(files, ".git").tree(name)


def test_an_index_is_made_plain_once() -> None:
    made = _index({"a.txt": b"1", "b/c.txt": b"2"})
    assert plain_index(made) == made
    assert plain_index(b"DIRC no index") == b"DIRC no index"
    stamped = bytearray(made)
    stamped[12:20] = b"\x01" * 8
    assert plain_index(bytes(stamped)) == made


def test_checksums_are_those_of_cksum() -> None:
    told = subprocess.run(["cksum"], input=b"123456789\n", capture_output=True, check=True).stdout
    assert int(told.split()[0]) == _sum(b"123456789\n")


@pytest.mark.full
def test_panels_are_disjoint_and_guesses_are_worth_nothing() -> None:
    sandbox()
    env = agentgym.make("Shell-v0").unwrapped
    keys = [{env.content_key(task.spec) for task in env.tasks(split)} for split in ("val", "test")]
    assert [len(each) for each in keys] == [100, 100]
    assert not keys[0] & keys[1]
    posed = [pose(task.spec["kind"], task.spec["seed"]) for task in env.tasks("test")]
    words = [task.instruction for task in env.tasks("test")]
    for kind in ("number", "name"):
        answers = Counter(str(each.answer) for each in posed if each.kind.answer == kind)
        assert answers.most_common(1)[0][1] <= 3
    for each, text in zip(posed, words, strict=True):
        assert each.kind.answer not in ("number", "name") or str(each.answer) not in text.split()
        assert each.kind.answer != "state" or not done(each, each.begin.files)


def test_a_task_that_is_none_is_refused() -> None:
    sandbox()
    with pytest.raises(TaskError, match="makes no task"):
        agentgym.make("Shell-v0").reset(options={"task": {"kind": "nothing", "seed": 1, "wording": 0}})


def test_a_tie_between_sections_makes_no_task() -> None:
    posed = posed_of("greatest_section")
    home, ini, key = posed.begin.copy(), posed.arguments["ini"], posed.arguments["any_key"]
    home.edit(ini, re.sub(rf"(?m)^{key} = \d+$", f"{key} = 7", home.text(ini)))
    with pytest.raises(Unfit):
        posed.kind.program(home, **posed.arguments)
