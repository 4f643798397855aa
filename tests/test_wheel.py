"""The wheel holds the whole tree, save what only writes its data, and runs from outside the checkout."""

from __future__ import annotations

import ast
import os
import sys
import tomllib
from pathlib import Path

import pytest

import agentgym
from agentgym.core import EnvCard
from agentgym.envs import CARDS  # the catalog also holds what other tests registered
from tests import wheel
from tests.sampling import one_in

pytestmark = pytest.mark.xdist_group("wheel")  # one process builds it for all of these tests

RUN = """
import sys, gymnasium as gym, numpy as np, agentgym
assert agentgym.__file__.startswith({target!r}), agentgym.__file__
env = gym.make({name!r}, **{arguments!r})
rng = np.random.default_rng(0)
for episode in range(2):
    text, info = env.reset(seed=episode)
    assert text and not info["failure"], text
    ended = False
    while not ended:
        text, reward, terminated, truncated, info = env.step(env.unwrapped.sample_action(rng))
        plausible = bool(env.unwrapped.tools)  # calls of tools are drawn without knowing what they may ask for
        assert (info["action_valid"] or plausible) and not info["failure"], info
        ended = terminated or truncated
print("played", [name for name in sys.modules if name.split(".")[0] in ("torch", "transformers")])
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.build(tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    wheel.install(built, target)
    return target


def test_the_wheel_holds_exactly_the_tree(built: Path) -> None:
    packed, tree = sorted(wheel.names(built)), sorted(wheel.tree_files())
    assert packed == [name for name in tree if wheel.shipped(name)]
    assert sum(name.endswith(".py") for name in packed) > 50


def test_what_only_writes_data_stays_behind_and_nothing_that_ships_needs_it(built: Path) -> None:
    left = [name for name in wheel.tree_files() if not wheel.shipped(name)]
    assert "agentgym/assets/webshop/generate/build.py" in left
    assert {"agentgym/assets/webshop/catalogue.json.gz", "agentgym/assets/webshop/phrasing.json"} <= {
        *wheel.names(built)
    }
    modules = {name.rpartition("/")[0].replace("/", ".") for name in left}
    for name, path in wheel.tree_files().items():
        if wheel.shipped(name) and path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    named = {node.module} if isinstance(node, ast.ImportFrom) else {one.name for one in node.names}
                    assert not any(str(one).startswith(tuple(modules)) for one in named), f"{name}:{node.lineno}"


def test_the_wheel_is_for_every_supported_python(built: Path) -> None:
    version = tomllib.loads((wheel.ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["version"]
    assert built.name == f"agentgym_suite-{version}-py3-none-any.whl"
    assert version == agentgym.__version__


def test_the_wheel_is_typed(built: Path) -> None:
    assert "agentgym/py.typed" in wheel.names(built)


@pytest.mark.parametrize("card", one_in(4, CARDS), ids=lambda card: card.id)
def test_every_world_without_original_data_plays_from_the_wheel(installed: Path, tmp_path: Path, card: EnvCard) -> None:
    if card.api != "gymnasium":
        pytest.skip(f"{card.id} has many players; its own tests play it")
    if card.extras:
        pytest.skip(f"{card.id} needs the extras {', '.join(card.extras)}")
    arguments: dict[str, object] = {}
    if card.requires:
        module, _, function = card.fixture.partition(":")
        arguments = getattr(__import__(module, fromlist=[function]), function)(tmp_path)
    code = RUN.format(target=str(installed), name=card.id, arguments=arguments)
    assert wheel.run(installed, tmp_path, sys.executable, "-c", code) == "played []\n"


def test_the_command_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    script = installed / ("Scripts" if os.name == "nt" else "bin") / "agentgym"
    shown = wheel.run(installed, tmp_path, sys.executable, str(script), "list")
    for card in CARDS:
        assert card.name in shown
