"""Instances in the formats of InterCode and Terminal-Bench: read from files, scored, and played where Docker runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentgym
from agentgym.core import AgentGymError, DataError, MissingExtra, TaskError
from agentgym.core.rng import stream
from agentgym.envs._kit.sandbox import images
from agentgym.envs.code._shell.container import Changed, compared, gold_commands, likeness
from agentgym.envs.code._shell.instances import built_from, judging_files, read_instances
from tests.envs.boxes import backing

BASE = "agentgym-test-shell"
INTERCODE = [
    {"query": "How many lines does notes.txt have?", "gold": "wc -l < /workspace/notes.txt"},
    {"query": "Copy notes.txt to copy.txt.", "gold": ["cd /workspace", "cp notes.txt copy.txt"]},
]
TASK = {
    "task.yaml": "instruction: |\n  Write 42 into answer.txt.\ncategory: files\nparser_name: pytest\n"
    "max_test_timeout_sec: 90.0\ntags:\n  - easy\n",
    "Dockerfile": f"FROM {BASE}:base\nWORKDIR /app\nCOPY start.txt /app/\n",
    "start.txt": "begin\n",
    "run-tests.sh": '#!/bin/bash\npython3 "$TEST_DIR/check.py"\n',
    "tests/check.py": "import pathlib\nplace = pathlib.Path('/app/answer.txt')\n"
    "right = place.exists() and place.read_text().strip() == '42'\n"
    "print('=== short test summary info ===')\n"
    "print('PASSED' if right else 'FAILED', 'test_outputs.py::test_answer')\n",
    "solution.sh": "#!/bin/bash\ncat start.txt\necho 42 > answer.txt\n",
}


def said(tool: str, /, **arguments) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def written(folder: Path, changes: dict[str, str | None] | None = None) -> Path:
    """A task of Terminal-Bench, with some of its files changed or left out."""
    for name, text in {**TASK, **(changes or {})}.items():
        if text is not None:
            place = folder / "task" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf8")
    return folder


def intercode(folder: Path, records: object = INTERCODE) -> Path:
    file = folder / "lines.json"
    file.write_text(json.dumps(records), "utf8")
    return file


def test_both_formats_are_read(tmp_path) -> None:
    found = read_instances(intercode(tmp_path))
    assert [*found] == ["lines-0", "lines-1"]
    assert found["lines-1"].gold == ("cd /workspace", "cp notes.txt copy.txt")
    assert found["lines-0"].image == "intercode-nl2bash"
    (task,) = read_instances(written(tmp_path / "bench")).values()
    assert (task.name, task.task, task.kind, task.seconds) == ("task", "Write 42 into answer.txt.", "files", 90.0)
    assert built_from(task) == ("Dockerfile", "start.txt", "task.yaml")
    assert sorted(judging_files(task)) == ["check.py", "run-tests.sh"]
    assert [*read_instances(tmp_path / "bench" / "task")] == ["task"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"query": ""}, "must have query"),
        ({"gold": 3}, "must have gold"),
        ({"gold": []}, "must have gold"),
        ({"image_name": 1}, "must have image_name"),
    ],
)
def test_what_is_wrong_with_a_record_is_said(tmp_path, change, wrong) -> None:
    with pytest.raises(DataError, match=wrong):
        read_instances(intercode(tmp_path, [INTERCODE[0] | change]))


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"task.yaml": "tags: []\n"}, "must have instruction"),
        ({"task.yaml": "- a\n"}, "must hold a table"),
        ({"task.yaml": "a: [\n"}, "cannot be read as YAML"),
        ({"task.yaml": "instruction: &a x\nb: *a\n"}, "has aliases"),
        ({"task.yaml": "instruction: !!python/object/apply:os.getcwd []\n"}, "cannot be read as YAML"),
        ({"task.yaml": "instruction: x\nparser_name: swebench\n"}, "only pytest"),
        ({"task.yaml": "instruction: x\nmax_test_timeout_sec: true\n"}, "max_test_timeout_sec"),
        ({"Dockerfile": None}, "has no Dockerfile"),
        ({"docker-compose.yaml": "services:\n  client: {}\n  database: {}\n"}, "needs 2 containers"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(tmp_path, changes, wrong) -> None:
    with pytest.raises(DataError, match=wrong) as caught:
        read_instances(written(tmp_path, changes))
    assert "\n" not in str(caught.value)


def test_folders_without_instances_are_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="holds no instances"):
        read_instances(tmp_path)


def test_likeness_is_the_cosine_of_scikit_learn() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text", reason="the extra mle is not installed")
    rng = stream("test.shell.likeness")
    words = ("home", "a1", "notes", "txt", "42", "drwxr", "Total")
    for _ in range(20):
        first, second = (" ".join(rng.choice(words, int(rng.integers(1, 9)))) for _ in range(2))
        table = text.TfidfVectorizer().fit_transform([first, second])
        assert likeness(first, second) == pytest.approx((table @ table.T).toarray()[0, 1])
    assert (likeness("", ""), likeness("1", "2"), likeness("", "word")) == (1.0, 0.0, 0.0)


def test_the_score_is_that_of_intercode() -> None:
    gold = Changed("12 notes\n", {"b.txt": "??"}, {"b.txt": "one"})
    assert compared(gold, gold).score == 1.0
    assert compared(gold, gold).solved
    other = compared(Changed("12 notes\n", {"b.txt": "??"}, {"b.txt": "two"}), gold)
    assert (other.score, other.solved) == (0.67, False)
    idle = compared(Changed("12 notes\n", {}, {}), gold)
    assert idle.parts == {"file_diff": 0.05, "file_changes": 0.33, "answer_similarity": 0.33}
    assert not idle.solved


def test_a_long_solution_is_sent_in_pieces(tmp_path) -> None:
    (task,) = read_instances(written(tmp_path, {"solution.sh": "# long\n" * 2_000 + "echo 42 > answer.txt\n"})).values()
    commands = gold_commands(task)
    assert len(commands) > 2
    assert all(len(each) <= 6_000 for each in commands)


def test_without_a_daemon_there_is_one_line(tmp_path, monkeypatch) -> None:
    pytest.importorskip("docker", reason="the SDK of Docker, the extra docker, is not installed")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/d.sock")
    images.connect.cache_clear()
    with pytest.raises(MissingExtra, match="no daemon of Docker answers") as caught:
        agentgym.make("Shell-v0", instances=intercode(tmp_path))
    assert "\n" not in str(caught.value)
    images.connect.cache_clear()


@pytest.fixture(scope="module")
def built() -> None:
    """Images on the base of our own sandbox's: a plain one, and one that keeps its files in Git, as InterCode's do."""
    made = backing("docker")
    client = made.client
    script = (
        "set -e\nmkdir -p /workspace /app\nprintf 'one\\ntwo\\n' > /workspace/notes.txt\ncd /\ngit init -q .\n"
        "printf '/*\\n!/workspace\\n' > .gitignore\ngit add -f workspace .gitignore\n"
        "git -c user.name=a -c user.email=a@example.org commit -q -m all\n"
    )
    for tag, text in (("base", "mkdir -p /app"), ("kept", script)):
        container = client.containers.create(made.image, ["-c", text], entrypoint="bash", user="0", network_mode="none")
        container.start()
        assert container.wait()["StatusCode"] == 0, container.logs()
        container.commit(
            BASE,
            tag,
            conf={"User": "0", "WorkingDir": "/", "Env": ["HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin"]},
        )
        container.remove()


def played(env, task: str, *commands: str) -> dict:
    env.reset(options={"task": task})
    for command in commands:
        env.step(said("bash", command=command))
    _, reward, *_, info = env.step(said("submit"))
    return {**info, "reward": reward}


@pytest.mark.full
def test_intercode_is_played_in_its_image(tmp_path, built) -> None:
    file = intercode(tmp_path, [{**each, "image_name": f"{BASE}:kept"} for each in INTERCODE])
    env = agentgym.make("Shell-v0", instances=file, split="test").unwrapped
    assert env.metadata["sandbox"] == "images of Docker"
    assert {tool["function"]["name"] for tool in env.tools} == {"bash", "submit"}
    for task in ("lines-0", "lines-1"):
        env.reset(options={"task": task})
        with pytest.raises(AgentGymError, match="no expert"):
            env.expert_action()
        while not env.ended:
            _, reward, *_, info = env.step(env.oracle_action())
        assert (info["success"], reward) == (True, 1.0)
    assert played(env, "lines-1", "cd /workspace", "cat notes.txt > copy.txt", "true")["success"]
    wrong = played(env, "lines-1", "cp /workspace/notes.txt /workspace/copy.txt; echo more >> /workspace/copy.txt")
    assert (wrong["success"], wrong["reward"]) == (False, 0.67)
    extra = played(env, "lines-0", "wc -l < /workspace/notes.txt; rm /workspace/notes.txt")
    assert not extra["success"]
    env.reset(options={"task": "lines-0"})
    text, *_, info = env.step(said("bash", command="cd /workspace; pwd; ls; exit 3"))
    assert json.loads(text) == {"output": "/workspace\nnotes.txt", "status": "3"}
    copied = agentgym.fork(env)
    assert json.loads(copied.step(said("bash", command="pwd"))[0])["output"] == "/workspace"
    with pytest.raises(TaskError, match="its instances"):
        env.reset(options={"task": {"kind": "x", "seed": 0, "wording": 0}})


@pytest.mark.full
def test_terminal_bench_is_played_in_an_image_built_from_its_folder(tmp_path, built) -> None:
    env = agentgym.make("Shell-v0", instances=written(tmp_path), split="val").unwrapped
    env.reset(options={"task": "task"})
    while not env.ended:
        _, reward, *_, info = env.step(env.oracle_action())
    assert (info["success"], reward) == (True, 1.0)
    assert not played(env, "task", "echo 41 > answer.txt")["success"]
    looked = env.reset(options={"task": "task"})[0]
    assert "Write 42" in looked
    told = json.loads(env.step(said("bash", command="pwd; ls; ls /tests /agentgym/tests"))[0])
    assert told["output"].startswith("/app\nstart.txt\n")
    assert "check.py" not in told["output"]
    lost = env.step(said("bash", command="kill -9 -1; sleep 100"))[4]
    assert (lost["metrics"]["lost"], env.ended, lost["success"]) == (1.0, True, False)


@pytest.mark.full
def test_tests_that_say_nothing_are_the_worlds_failure(tmp_path, built) -> None:
    folder = written(tmp_path, {"run-tests.sh": "uv run pytest /tests\n"})
    env = agentgym.make("Shell-v0", instances=folder).unwrapped
    info = env.reset(options={"task": "task"})[1]
    assert "say nothing in its image" in info["failure"]
