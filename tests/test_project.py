"""What stands around the code: commits, continuous integration, and what the pages for contributors name."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIRST = "e77ed2dabb8f2de01e859605ae58d75ce59f4893"  # subjects are held to the limit after this commit
LONGEST = 72  # characters
PATH = re.compile(r"`([\w./-]+/[\w.-]*|[\w-]+\.(?:md|py|txt|toml))`")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf8")


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_subjects_of_commits_are_short() -> None:
    if git("merge-base", "--is-ancestor", FIRST, "HEAD").returncode:
        pytest.skip("the history from which on subjects are checked is not here")
    for line in git("log", "--format=%h %s", f"{FIRST}..HEAD").stdout.splitlines():
        commit, _, subject = line.partition(" ")
        assert len(subject) <= LONGEST, f"{commit} has a subject of {len(subject)} characters: {subject}"


@pytest.mark.parametrize(("length", "code"), [(LONGEST, 0), (LONGEST + 1, 1)])
def test_the_hook_refuses_long_subjects(tmp_path: Path, length: int, code: int) -> None:
    (tmp_path / "message").write_text(f"{'x' * length}\n\n{'a body may have longer lines ' * 5}\n")
    done = subprocess.run(
        [ROOT / ".ci" / "check-subject", tmp_path / "message"], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert ("keep it to 72" in done.stderr) == bool(code)


def test_continuous_integration_runs_our_command_on_each_supported_python() -> None:
    workflow = text(".github/workflows/test.yml")
    versions = re.findall(r"Python :: (\d\.\d+)", " ".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13"]
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"[\d.]+", matrix) == versions
    assert "run: .ci/run" in workflow
    assert "make test\n" in text(".ci/run")


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
