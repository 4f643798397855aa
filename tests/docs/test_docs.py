"""The manual: every page is there, every code block of it runs, and Sphinx builds it without a warning."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from agentgym import wrappers
from agentgym.cli import run
from agentgym.core import EnvCard
from agentgym.envs import CARDS  # the catalog also holds what other tests registered
from docs import docstring, generate, worlds
from docs.transcript import HEAD, LINES, TAIL, middle_left_out, png, shortened
from tests.agents.server import ChatServer, completion

DOCS = Path(generate.__file__).parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.(?:py|toml))\n")
PAGES = [
    "index.md",
    "wrappers.md",
    "contract.md",
    *(f"tutorials/{path.name}" for path in (DOCS / "tutorials").glob("*")),
]
TINY = (
    '--model.tiny "{ layers = 1, width = 32, heads = 2, vocabulary = 400, context = 1024 }" '
    "--clone.episodes 24 --clone.batch 8 "
    "--rollout.groups 2 --rollout.group_size 2 --update.updates 2 --update.learning_rate 1e-3 --callback []"
)
SMALLER = {  # what the pages take their time for, in little; each must stand on its page
    "tutorials/train_sb3.md": {
        "total_timesteps=100_000": "total_timesteps=256",
        "n_steps=128": "n_steps=16",
        "batch_size=256": "batch_size=64",
        "tasks = 100": "tasks = 3",
        "--episodes 100": "--episodes 3 --workers 1",
    },
    "tutorials/train_llm.md": {
        "--out runs/grpo\n": f"--out runs/grpo {TINY}\n",
        "--rollout.group_size 8 --surrogate.high 0.28": f"--surrogate.high 0.28 {TINY}",
        "--out runs/textcraft\n": f"--out runs/textcraft {TINY}\n",
        "--out runs/sokoban\n": f"--out runs/sokoban {TINY}\n",
        "--out runs/quick\n": f"--out runs/quick {TINY}\n",
        "craft.toml --out runs/craft\n": f"craft.toml --out runs/craft --rollout.horizon 2 {TINY}\n",
    },
    "tutorials/evaluate_endpoint.md": {
        "--episodes 50": "--episodes 2 --workers 1",
        "--episodes 20 --": "--episodes 2 --",
        "--trials 4": "--trials 2 --workers 1",
        "episodes=20": "episodes=2",
    },
    "tutorials/add_a_method.md": {},
    "tutorials/add_a_world.md": {"--split test\n": "--split test --episodes 4 --workers 1\n"},
}
SLOW = ("agentgym check", "agentgym train craft.toml")  # a dozen processes; long prompts. Left out of the fast run


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language and its text."""

    language: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    text = (DOCS / page).read_text(encoding="utf8")
    for long, short in SMALLER.get(page, {}).items():
        assert long in text, f"{page} no longer says {long!r}"
        text = text.replace(long, short)
    yield from (Block(language, code) for language, code in FENCE.findall(text))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder from which modules can be imported; they and the ids they register are forgotten afterwards."""
    before, ids = set(sys.modules), set(gym.registry)
    cards = sys.modules["agentgym.core.catalog"]  # `agentgym.core.catalog` is also the name of a function
    monkeypatch.setattr(cards, "_CARDS", dict(cards._CARDS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    for env_id in set(gym.registry) - ids:
        del gym.registry[env_id]


def execute(page: str, full: bool) -> int:
    """Run the blocks of a page one after the other in one namespace; how many ran."""
    names: dict[str, Any] = {"__name__": "page"}
    ran = 0
    for block in blocks(page):
        named = FILE.match(block.text)
        if named:
            Path(named[1]).write_text(block.text, encoding="utf8")
        elif block.language == "python":
            exec(compile(block.text, page, "exec"), names)
        elif block.language == "console":
            for line in block.text.splitlines():
                command = line.removeprefix("$ ")
                if full or not any(command.startswith(slow) for slow in SLOW):
                    assert run(shlex.split(command)[1:]) == 0, f"{page}: {command}"
        else:
            continue
        ran += 1
    return ran


def recipe_table_in_little(name: str, overrides: dict[str, Any] | None = None) -> dict[str, Any]:
    """`agentgym.train.recipe_table`, for a model and a run that take seconds."""
    from agentgym.cli.training import read_overrides
    from agentgym.train.recipe_files import recipe_table

    return recipe_table(name, {**(overrides or {}), **read_overrides(shlex.split(TINY))})


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_block_of_a_page_runs(page: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "train_" in page or "method" in page:
        pytest.importorskip("torch", reason="the extra train is not installed")
        import agentgym.train

        monkeypatch.setattr(agentgym.train, "recipe_table", recipe_table_in_little)
    if "sb3" in page:
        pytest.importorskip("sb3_contrib", reason="the extra sb3 is not installed")
    if "endpoint" in page:
        with ChatServer(lambda number, request: completion("inventory")) as server:
            monkeypatch.setitem(SMALLER[page], "http://localhost:8000/v1", server.base_url)
            assert execute(page, full=False) >= 5
            lines = (elsewhere / "runs/craft/episodes.jsonl").read_text().splitlines()
            assert [json.loads(line)["turns"][0]["action"] for line in lines] == ["inventory"] * 2
        return
    assert execute(page, full=False) >= 1


@pytest.mark.full
@pytest.mark.parametrize("page", ["tutorials/add_a_world.md", "tutorials/train_llm.md"])
def test_slow_commands_of_a_page_run_too(page: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import agentgym.train

    monkeypatch.setattr(agentgym.train, "recipe_table", recipe_table_in_little)
    assert execute(page, full=True) >= 4


def test_pages_are_found() -> None:
    assert len(PAGES) == 9


# What is generated


@pytest.fixture(scope="module")
def light() -> list[EnvCard]:
    """Worlds of every kind whose episode takes little."""
    wanted = ("FrozenLake-v0", "TextCraft-v0", "Bandit-v0", "KuhnPoker-v0", "TicTacToe-v0", "WebShopOriginal-v0")
    return [card for card in CARDS if card.name in wanted]


def test_every_world_has_a_page_with_what_its_card_says() -> None:
    for card in CARDS:
        text = worlds.page(card, "left out here")
        assert text.startswith(f"# {worlds.title(card)}\n")
        for wanted in (card.id, worlds.sizes(card.splits), "## Knobs", "## Source", *card.metrics, *card.requires):
            assert wanted in text, f"the page of {card.id} lacks {wanted}"
        for scores in card.scores.values():
            assert all(f"{score.success:.3f} / {score.score:.3f}" in text for score in scores.values())


def test_every_knob_of_a_world_is_explained() -> None:
    for card in CARDS:
        world = worlds.load(card)
        names = worlds.meanings(world)
        for name in worlds.parameters(world):
            if name not in worlds.EVERYWHERE[card.api]:
                assert name in names, f"{card.id}: the docstring does not explain {name}"


def test_the_generator_writes_a_page_for_each_world_and_wrapper(light: list[EnvCard], tmp_path: Path) -> None:
    pages = {str(path.relative_to(tmp_path / "source")) for path in generate.generate(tmp_path / "source", light)}
    assert {f"worlds/{card.name.lower()}.md" for card in light} <= pages
    assert {f"wrappers/{name.lower()}.md" for name in wrappers.__all__} <= pages
    index = (tmp_path / "source" / "index.md").read_text()
    assert all(f"(worlds/{card.name.lower()}.md)" in index for card in light)
    listed = (tmp_path / "source" / "wrappers.md").read_text()
    assert all(f"(wrappers/{name.lower()}.md)" in listed for name in wrappers.__all__)
    assert (tmp_path / "source/worlds/frozenlake-v0.png").read_bytes().startswith(b"\x89PNG")
    lake = (tmp_path / "source/worlds/frozenlake-v0.md").read_text()
    assert "played by the oracle" in lake
    assert "`slippery` | `True` | Whether moves may go astray." in lake
    again = generate.generate(tmp_path / "again", light)
    assert [path.read_bytes() for path in again] == [
        (tmp_path / "source" / path.relative_to(tmp_path / "again")).read_bytes() for path in again
    ]


@pytest.mark.parametrize("name", wrappers.__all__)
def test_every_wrapper_has_an_example_that_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "marks", sys)  # EmbeddedText puts a module there; it is forgotten again
    example = docstring.read(getattr(wrappers, name)).example
    assert example, f"{name} has no example in its docstring"
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(example + "\n", {}, name, None, None))
    assert runner.failures == 0


def test_the_catalogue_is_what_the_generator_takes_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    monkeypatch.setattr(generate, "write_world", lambda folder, card: taken.append(card.id))
    generate.generate(tmp_path / "source")
    assert {card.id for card in CARDS} <= set(taken)


@pytest.mark.full
def test_sphinx_builds_every_page_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    pytest.importorskip("furo", reason="the extra docs is not installed")
    generate.generate(tmp_path / "source")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", str(DOCS)]
    built = subprocess.run(
        [*command, str(tmp_path / "source"), str(tmp_path / "html")], cwd=DOCS.parent, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    for card in CARDS:
        assert (tmp_path / "html" / "worlds" / f"{card.name.lower()}.html").exists()


# How it reads docstrings and shows episodes


class Documented:
    """Walk about.

    It takes *a* and <this> into account.

    Reward (`kind="log"`): the sum, `a_b`
    of all.
    Splits: two.

    Args:
        one: First,
            continued.
        two, three: Others.

    Source: somewhere.

    >>> 1 + 1
    2
    """


def test_a_docstring_is_taken_apart() -> None:
    said = docstring.read(Documented)
    assert said.summary == "Walk about."
    assert said.sections == {
        "": "It takes \\*a\\* and \\<this\\> into account.",
        'Reward (`kind="log"`)': "The sum, `a_b`\nof all.",
        "Splits": "Two.",
        "Source": "Somewhere.",
    }
    assert said.arguments == {"one": "First, continued.", "two, three": "Others."}
    assert said.example == ">>> 1 + 1\n2"


def test_a_class_without_a_docstring_is_refused() -> None:
    with pytest.raises(ValueError, match="has no docstring"):
        docstring.read(type("Bare", (), {}))


def test_long_episodes_and_observations_are_cut_and_say_so() -> None:
    turns = [str(number) for number in range(20)]
    cut = middle_left_out(turns)
    assert cut == [*turns[:HEAD], f"[... {20 - HEAD - TAIL} turns ...]", *turns[-TAIL:]]
    assert middle_left_out(turns[:5]) == turns[:5]
    lines = shortened("\n".join(map(str, range(100)))).splitlines()
    assert len(lines) == LINES + 1
    assert f"[... {100 - LINES} lines ...]" in lines


def test_a_block_is_fenced_by_more_than_it_holds() -> None:
    assert docstring.fenced("```python\n1\n```") == "````text\n```python\n1\n```\n````"


def test_pictures_are_png() -> None:
    pillow = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    import io

    import numpy as np

    frame = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    read = np.asarray(pillow.open(io.BytesIO(png(frame))))
    assert (read == frame).all()
