"""The manual: what is generated for it, and Sphinx builds it without a warning."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym import wrappers
from agentgym.core import EnvCard
from agentgym.envs import CARDS  # the catalog also holds what other tests registered
from agentgym.evaluate import world_options
from agentgym.evaluate.suites import suite_names
from docs import api, docstring, generate, worlds
from docs.transcript import HEAD, LINES, TAIL, middle_left_out, png, shortened

DOCS = Path(generate.__file__).parent


# What is generated


@pytest.fixture(scope="module")
def light() -> list[EnvCard]:
    """Worlds of every kind whose episode takes little."""
    wanted = ("FrozenLake-v0", "TextCraft-v1", "Bandit-v0", "KuhnPoker-v0", "TicTacToe-v0", "WebShopOriginal-v0")
    return [card for card in CARDS if card.name in wanted]


def test_every_world_has_a_page_with_what_its_card_says() -> None:
    for card in CARDS:
        text = worlds.page(card, "left out here")
        assert text.startswith(f"# {worlds.title(card)}\n")
        for wanted in (card.id, worlds.sizes(card.splits), "## Options", "## Source", *card.metrics, *card.requires):
            assert wanted in text, f"the page of {card.id} lacks {wanted}"
        for scores in card.scores.values():
            assert all(f"{score.success:.3f} / {score.score:.3f}" in text for score in scores.values())


def test_the_table_of_worlds_has_every_agent_that_was_measured() -> None:
    lines = generate.worlds_table(CARDS).splitlines()
    for card in CARDS:
        (row,) = [line for line in lines if f"(worlds/{card.name.lower()}.md)" in line]
        cells = [cell.strip() for cell in row.strip("| ").split(" | ")][-len(worlds.AGENTS) :]
        measured = card.scores.get("test", {})
        for agent, cell in zip(worlds.AGENTS, cells, strict=True):
            known = agent in measured or (agent == "shortcut" and set(measured) - set(worlds.AGENTS))
            assert bool(re.fullmatch(r"\d\.\d\d / -?\d+\.\d\d", cell)) is bool(known), (card.id, agent, cell)
            if agent in measured:
                assert cell == f"{measured[agent].success:.2f} / {measured[agent].score:.2f}"


def test_every_option_of_a_world_is_explained() -> None:
    for card in CARDS:
        unexplained = [each.name for each in world_options(card) if not each.meaning]
        assert not unexplained, f"{card.id}: the docstring does not explain {', '.join(unexplained)}"


@pytest.mark.full
def test_the_generator_writes_a_page_for_each_world_and_wrapper(light: list[EnvCard], tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the reference needs the extra train")
    pages = {str(path.relative_to(tmp_path / "source")) for path in generate.generate(tmp_path / "source", light)}
    assert {f"worlds/{card.name.lower()}.md" for card in light} <= pages
    assert {f"wrappers/{name.lower()}.md" for name in wrappers.__all__} <= pages
    assert {f"api/{package}.md" for package in api.PACKAGES} <= pages
    for name in ("worlds", "gallery"):
        listed = (tmp_path / "source" / f"{name}.md").read_text()
        assert all(f"(worlds/{card.name.lower()}.md)" in listed for card in light)
    pictured = re.findall(r"!\[[^]]*\]\((worlds/[^)]+)\)", listed)
    assert len(pictured) == len(light)
    assert all((tmp_path / "source" / picture).exists() for picture in pictured)
    assert {picture.rpartition(".")[2] for picture in pictured} == {"png", "svg"}
    assert {f"suites/{name}.md" for name in suite_names()} <= pages
    unfilled = [name for name in pages if re.search(r"<!-- \w+ -->", (tmp_path / "source" / name).read_text())]
    assert unfilled == []
    assert [name for name in pages if generate.NOTE in (tmp_path / "source" / name).read_text()] == []
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


@pytest.mark.full
def test_the_catalogue_is_what_the_generator_takes_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="the reference needs the extra train")
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

    **Oracle, expert.** Those of a friend.

    Args:
        one: First,
            continued.
        two, three: Others.

    Attributes:
        three: What is left.

    Raises:
        ValueError: if both are wrong.

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
        "Oracle, expert": "Those of a friend.",
        "Source": "Somewhere.",
    }
    assert said.errors == {"ValueError": "if both are wrong."}
    assert said.attributes == {"three": "What is left."}
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
