"""What stands around the code: commits, continuous integration, and what the pages for contributors name."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from agentgym.envs import CARDS

ROOT = Path(__file__).parents[1]
FIRST = "e77ed2dabb8f2de01e859605ae58d75ce59f4893"  # subjects are held to the limit after this commit
EXPLAINED = "6493384b126ed6f07713406cca12dbf7eecfbf7b"  # commits have a body after this one
LONGEST = 72  # characters
SIGNED = re.compile(r"[a-z]+(-[a-z]+)*-by:", re.IGNORECASE)  # such as `Co-authored-by:`, which says nothing of why
PATH = re.compile(r"`([\w./-]+/[\w.-]*|[\w-]+\.(?:md|py|txt|toml))`")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf8")


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def since(first: str, *arguments: str) -> list[list[str]]:
    """Short hash, subject and body of each commit after one; skips where the history does not reach back to it."""
    if git("merge-base", "--is-ancestor", first, "HEAD").returncode:
        pytest.skip(f"commits are checked from {first[:7]} on, which this clone does not have (shallow, or rewritten)")
    told = git("log", "--format=%h%x00%s%x00%b%x01", *arguments, f"{first}..HEAD").stdout
    return [entry.strip("\n").split("\0") for entry in told.split("\1") if entry.strip()]


def test_subjects_of_commits_are_short() -> None:
    for commit, subject, _ in since(FIRST):
        assert len(subject) <= LONGEST, f"{commit} has a subject of {len(subject)} characters: {subject}"


def test_bodies_of_commits_say_why() -> None:
    for commit, subject, body in since(EXPLAINED, "--no-merges"):
        said = [line for line in body.splitlines() if line.strip() and not SIGNED.match(line)]
        assert said, f"{commit} ({subject}) has no body; write why it was done, with  git rebase -i {commit}~"


def checked(message: str, folder: Path) -> tuple[int, str]:
    """Exit status and words of the hook, in a folder that may be a repository of its own."""
    (folder / "message").write_text(message)
    hook = [ROOT / ".ci" / "check-subject", folder / "message"]
    done = subprocess.run(hook, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("length", "code"), [(LONGEST, 0), (LONGEST + 1, 1)])
def test_the_hook_refuses_long_subjects(tmp_path: Path, length: int, code: int) -> None:
    status, said = checked(f"{'x' * length}\n\n{'a body may have longer lines ' * 5}\n", tmp_path)
    assert status == code
    assert ("keep it to 72" in said) == bool(code)


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("", 1),
        ("\n\n \n# Please enter the message\n", 1),
        ("\n\nCo-authored-by: Somebody\n", 1),
        ("\n\n# ------------------------ >8 ------------------------\ndiff --git\n", 1),
        ("\n\nTwo files had the same lines.\n", 0),
        (f"\n\nBefore: 2 s.\n{'after: 1 s' * 20000}\n# Please enter the message\n", 0),
    ],
    ids=["subject", "comment", "trailer", "diff", "reason", "long"],
)
def test_the_hook_refuses_commits_without_a_body(tmp_path: Path, rest: str, code: int) -> None:
    status, said = checked(f"A subject{rest}", tmp_path)
    assert status == code, said
    assert ("the commit has no body" in said) == bool(code)


def test_the_hook_lets_a_merge_be(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert checked("Merge games", tmp_path)[0] == 1
    (tmp_path / ".git" / "MERGE_HEAD").write_text(f"{FIRST}\n")
    assert checked("Merge games", tmp_path) == (0, "")


def test_continuous_integration_runs_our_command_on_each_supported_python() -> None:
    workflow = text(".github/workflows/test.yml")
    versions = re.findall(r"Python :: (\d\.\d+)", " ".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13"]
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"[\d.]+", matrix) == versions
    assert "run: .ci/run" in workflow
    assert "make test\n" in text(".ci/run")


def test_continuous_integration_checks_what_is_installed() -> None:
    steps = re.findall(r"- run: (.*)", text(".github/workflows/test.yml"))
    (audit,) = [step for step in steps if "pip-audit" in step]
    assert "--requirement requirements.lock --require-hashes" in audit
    assert "python -m tests.supply.licences" in steps


def test_the_changelog_names_at_its_head_every_world_that_has_a_new_version() -> None:
    """And no other: what keeps `-v0` has the reason that stands there, since nothing was released before."""
    head = (ROOT / "CHANGELOG.md").read_text(encoding="utf8").partition("\n## ")[0]
    named = set(re.findall(r"`([A-Za-z0-9]+-v[1-9]\d*)`", head))
    assert named == {card.name for card in CARDS if not card.name.endswith("-v0")}


def test_the_citation_is_of_this_version() -> None:
    citation = text("CITATION.cff")
    assert f"\nversion: {PROJECT['version']}\n" in citation
    assert [author["name"] for author in PROJECT["authors"]] == re.findall(r"- name: (.*)", citation)
    assert f"\nlicense: {PROJECT['license']}\n" in citation


def test_hooks_call_programs_that_exist() -> None:
    for entry in re.findall(r"entry: (\S+)", text(".pre-commit-config.yaml")):
        assert entry.startswith(".venv/bin/") or (ROOT / entry).exists(), entry


def test_what_the_page_for_contributors_names_exists() -> None:
    page = text("CONTRIBUTING.md")
    named = [path for path in PATH.findall(page) if "my_game" not in path]
    folders = [ROOT, ROOT / "agentgym", ROOT / "agentgym" / "train"]  # the parts of methods stand in the last
    missing = [path for path in named if not any((folder / path).exists() for folder in folders)]
    assert missing == []
    assert len(named) > 40
    targets = set(re.findall(r"^([\w-]+):", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make ([\w-]+)", page)) <= targets


def test_every_folder_of_the_package_is_explained_to_contributors() -> None:
    page = text("CONTRIBUTING.md")
    floors = [path for path in (ROOT / "agentgym").iterdir() if (path / "__init__.py").exists()]
    assert all(f"| `agentgym/{path.name}/` | `agentgym.{path.name}` |" in page for path in floors)


def pins(lines: str) -> dict[str, str]:
    """The exact versions among requirements, one a line."""
    found = re.findall(r'^\s*"?([\w-]+)(?:\[\w+\])?==([\d.]+)', lines, re.MULTILINE)
    return {name.replace("_", "-").lower(): version for name, version in found}


def required_versions() -> dict[str, str]:
    """Module and version of each `require(..., version=NAME)` below envs, NAME being a constant of its file."""
    found = {}
    for path in sorted((ROOT / "envs").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "require":
                for keyword in node.keywords:
                    if keyword.arg == "version":
                        name = ast.literal_eval(node.args[0]).split(".")[0]
                        found[name] = constants[keyword.value.id]  # type: ignore[attr-defined]
    return found


DISTRIBUTIONS = {"pyspiel": "open-spiel"}  # where the module is called otherwise


def test_the_tests_install_every_engine() -> None:
    """What `make test` does not install it skips, and nobody sees what breaks."""
    extras = PROJECT["optional-dependencies"]
    asked = {name: {line for line in extras[name] if "agentgym" not in line} for name in ("worlds", "dev")}
    assert asked["worlds"] <= asked["dev"]


def test_worlds_ask_for_the_versions_of_engines_that_are_pinned_and_declared() -> None:
    tested, declared = pins(text("constraints.txt")), pins(text("pyproject.toml"))
    asked = required_versions()
    assert {"alfworld", "textworld", "crafter", "reasoning_gym", "pyspiel", "scienceworld", "textworld_express"} <= set(
        asked
    )
    for module, version in asked.items():
        name = DISTRIBUTIONS.get(module, module).replace("_", "-")
        assert tested[name] == version, f"constraints.txt has {name} {tested[name]}, the world asks for {version}"
        assert declared[name] == version, f"pyproject.toml has {name} {declared[name]}, the world asks for {version}"


def test_benchmarks_that_use_the_tests_are_run_as_modules() -> None:
    """By its path a file finds no module of `tests`."""
    told = text("Makefile") + text("BENCHMARKS.md")
    files = [file for file in (ROOT / "tests" / "benchmarks").glob("*.py") if "from tests." in file.read_text("utf8")]
    assert {"bench_endpoint", "bench_browser"} <= {file.stem for file in files}
    for file in files:
        assert f"python -m tests.benchmarks.{file.stem} " in file.read_text(encoding="utf8")
        assert f"python tests/benchmarks/{file.name}" not in told
    assert "python -m tests.benchmarks.bench_endpoint\n" in told


def test_make_gpu_trains_on_two_worlds_and_writes_one_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the processor, with a small model; without a GPU the command itself says so and writes nothing."""
    torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
    from tests.agents.pretrained import save_small
    from tests.benchmarks import bench_gpu

    assert "bench_gpu.py" in text("Makefile").partition("\ngpu:")[2].partition("\n\n")[0]
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n## First\n\nwords\n\n## On a GPU\n\nold\n\n## Last\n\nmore\n", encoding="utf8")
    (tmp_path / "model").mkdir()
    model = str(save_small(tmp_path / "model"))
    own = {"rollout.groups": 1, "rollout.group_size": 2, "rollout.horizon": 2, "model.max_new_tokens": 24}
    own |= {"model.bf16": False, "update.steps": 1, "update.epochs": 2}
    monkeypatch.setattr(bench_gpu, "SETTINGS", {**bench_gpu.SETTINGS, **own})
    monkeypatch.setattr("sys.argv", ["x", "--model", model, "--updates", "1", "--device", "cpu", "--out", str(page)])
    assert bench_gpu.main() == 0
    written = page.read_text(encoding="utf8")
    assert written.startswith("# Page\n\n## First\n\nwords\n\n## On a GPU\n")
    assert written.endswith("\n\n## Last\n\nmore\n")
    assert "old" not in written
    rows = [line.split(" | ") for line in written.splitlines() if line.startswith(("| FrozenLake", "| TextCraft"))]
    assert [row[0] for row in rows] == ["| FrozenLake-v0", "| TextCraft-v1"]
    for row in rows:
        assert float(row[1].replace(",", "")) > float(row[2].replace(",", "")) > 0
        shares = [int(share.removesuffix(" %")) for share in row[3].split(", ")]
        assert 60 < sum(shares) <= 101
    if not torch.cuda.is_available():
        monkeypatch.setattr("sys.argv", ["x", "--out", str(page)])
        assert bench_gpu.main() == 1
        assert "no CUDA device here" in capsys.readouterr().out
        assert page.read_text(encoding="utf8") == written
