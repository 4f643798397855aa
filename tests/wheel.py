"""Builds the wheel and installs it into a folder outside the checkout, for the tests and checks that must run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = {
    "agentgym": "agentgym",
    "envs": "agentgym/envs",
    "wrappers": "agentgym/wrappers",
    "assets": "agentgym/assets",
    "baselines": "agentgym/baselines",
}
NOT_SHIPPED = (  # as in setup.py
    "agentgym/assets/webshop/generate/", "agentgym/envs/code/_repair/generate/",
    "agentgym/envs/code/_tiny_mle/generate/",
)  # fmt: skip
BUILD_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "THIRD_PARTY.md")


def tree_files() -> dict[str, Path]:
    """Where each file of the five rooms would stand in a wheel that held them all, and where it is now."""
    return {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}": path
        for folder, package in ROOMS.items()
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def shipped(name: str) -> bool:
    """Whether a file of the tree belongs into the wheel."""
    return not name.startswith(NOT_SHIPPED)


def add_the_rest(target: Path) -> None:
    """Put beside an installed wheel what the tree has and the wheel has not."""
    for name, path in tree_files().items():
        if not shipped(name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / name)


def build(folder: Path) -> Path:
    """The wheel, built in `folder` from a copy of the tree, so that the checkout stays clean."""
    source = folder / "source"
    source.mkdir()
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BUILD_FILES:
        shutil.copy(ROOT / name, source / name)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, target: Path) -> None:
    """Unpack the wheel into `target`, scripts included; its dependencies are those of this environment."""
    pip("install", "--no-deps", "--no-index", "--target", str(target), str(wheel))


def pip(*arguments: str) -> None:
    """Run pip; its words become the error if it fails."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def names(wheel: Path) -> Iterator[str]:
    """The files in a wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".dist-info/" not in name:
                yield name


def run(target: Path, folder: Path, *command: str) -> str:
    """What a command prints when it runs in `folder` and finds the installed wheel first."""
    environment = {**os.environ, "PYTHONPATH": str(target)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
