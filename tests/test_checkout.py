"""A checkout works where it stands: not installed at all, installed, and installed as editable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agentgym._checkout import ROOMS, _CheckoutFinder
from agentgym.core import EnvCard, MissingExtra
from agentgym.envs import CARDS  # the catalog also holds what other tests registered

ROOT = Path(__file__).parents[1]
WORLDS = [shown for shown in CARDS if shown.api == "gymnasium"]
SOME = WORLDS[::10]
FOLDERS = sorted(room.rpartition(".")[2] for room in ROOMS)
CODE = """
import sys
sys.path[:0] = {path!r}
import gymnasium, agentgym, agentgym.envs, agentgym.wrappers, agentgym.assets, agentgym.baselines
env = gymnasium.make("AgentGym/FrozenLake-v0", split="test")
assert env.reset(seed=0)[0] and env.step("left")
for room in ("", ".envs", ".wrappers", ".assets", ".baselines", ".envs.games.frozen_lake"):
    print(sys.modules["agentgym" + room].__file__)
print([type(finder).__name__ for finder in sys.meta_path].count("_CheckoutFinder"))
"""


def imported(folder: Path, path: list[Path], *options: str) -> tuple[list[Path], int]:
    """Where the package and its rooms come from in a fresh process that has `path` first; how many finders it has."""
    code = CODE.format(path=[str(place) for place in path])
    command = [sys.executable, *options, "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *files, finders = done.stdout.split()
    return [Path(file) for file in files], int(finders)


@pytest.fixture
def libraries() -> list[Path]:
    """Where the dependencies stand. With `-S` no file there that installs a checkout is read."""
    return [Path(place) for place in sys.path if place.endswith("-packages")]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that holds the package as an installation does, with the rooms inside it."""
    package = tmp_path / "site" / "agentgym"
    package.mkdir(parents=True)
    for inner in (ROOT / "agentgym").iterdir():
        (package / inner.name).symlink_to(inner)
    for folder in FOLDERS:
        (package / folder).symlink_to(ROOT / folder)
    return package.parent


def test_a_checkout_works_without_installation(tmp_path: Path, libraries: list[Path]) -> None:
    files, finders = imported(tmp_path, [ROOT, *libraries], "-S")
    assert files[0] == ROOT / "agentgym" / "__init__.py"
    assert files[1:5] == [ROOT / room / "__init__.py" for room in ("envs", "wrappers", "assets", "baselines")]
    assert files[5] == ROOT / "envs" / "games" / "frozen_lake.py"
    assert finders == 1


def test_an_installation_works_without_the_checkout(tmp_path: Path, libraries: list[Path], installed: Path) -> None:
    files, finders = imported(tmp_path, [installed, *libraries], "-S")
    assert all(file.is_relative_to(installed) for file in files)
    assert finders == 0


def test_a_checkout_comes_whole_before_an_installation(tmp_path: Path, libraries: list[Path], installed: Path) -> None:
    files, _ = imported(tmp_path, [ROOT, installed, *libraries], "-S")
    assert all(file.is_relative_to(ROOT) for file in files)


def test_an_editable_installation_works_from_any_folder(tmp_path: Path) -> None:
    origins = [json.loads(found.read_text("direct_url.json") or "{}") for found in distributions(name="agentgym-suite")]
    if not any(origin.get("dir_info", {}).get("editable") for origin in origins):
        pytest.skip("this environment has no editable installation")
    files, finders = imported(tmp_path, [])
    assert all(file.is_relative_to(ROOT) for file in files)
    assert finders == 1


def test_only_the_four_rooms_are_let_in() -> None:
    finder = _CheckoutFinder()
    assert FOLDERS == ["assets", "baselines", "envs", "wrappers"]
    for room in ROOMS:
        spec = finder.find_spec(room, None)
        assert spec is not None
        assert spec.submodule_search_locations == [str(ROOT / room.rpartition(".")[2])]
    for other in ("agentgym.tests", "agentgym.docs", "agentgym.setup", "envs", "agentgym.envs.games", "json"):
        assert finder.find_spec(other, None) is None
    for other in ("tests", "docs", "setup"):
        assert find_spec(f"agentgym.{other}") is None


# From another folder


MAKER = """
import json, os, sys
import gymnasium as gym
for name, arguments in json.load(sys.stdin).items():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    try:
        env = gym.make(f"agentgym:{name}", **arguments)
        text, info = env.reset(seed=0)
        print(json.dumps({name: [env.spec.id, len(text) > 0, info["failure"]]}), flush=True)
    except Exception as error:
        if type(error).__name__ != "MissingExtra":
            raise
        print(json.dumps({name: str(error)}), flush=True)
    break
"""


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """By id, what came of making it, in a process of its own that had imported Gymnasium alone; and their errors.

    Each process is a fork of one that has done no more than that, which saves most of what starting it costs.
    """
    worlds: list[EnvCard] = request.param
    folder, arguments = tmp_path_factory.mktemp("ids"), dict[str, Any]()
    found: dict[str, Any] = {}
    for shown in worlds:
        module, _, function = shown.fixture.partition(":")
        try:
            fixture = getattr(import_module(module), function) if shown.requires else None
            arguments[shown.id] = fixture(tmp_path_factory.mktemp("data")) if fixture else {}
        except MissingExtra as error:
            found[shown.id] = str(error)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", MAKER],
        cwd=folder, env=environment, input=json.dumps(arguments), capture_output=True, text=True, check=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        found |= json.loads(line)
    return found, done.stderr


def check(shown: EnvCard, made: tuple[dict[str, Any], str]) -> None:
    found, errors = made
    assert shown.id in found, errors
    if isinstance(found[shown.id], str):
        assert shown.extras or shown.requires
        pytest.skip(found[shown.id])
    assert found[shown.id] == [shown.id, True, ""]


@pytest.mark.full
@pytest.mark.xdist_group("ids")  # one process, so that they are made once
@pytest.mark.parametrize("made", [WORLDS], ids=["all"], indirect=True)
@pytest.mark.parametrize("shown", WORLDS, ids=lambda shown: shown.id)
def test_every_id_is_made_by_its_prefix_from_another_folder(shown: EnvCard, made: tuple[dict[str, Any], str]) -> None:
    check(shown, made)


@pytest.mark.sampled
@pytest.mark.xdist_group("ids")
@pytest.mark.parametrize("made", [SOME], ids=["some"], indirect=True)
@pytest.mark.parametrize("shown", SOME, ids=lambda shown: shown.id)
def test_some_ids_are_made_by_their_prefix_from_another_folder(
    shown: EnvCard, made: tuple[dict[str, Any], str]
) -> None:
    check(shown, made)
