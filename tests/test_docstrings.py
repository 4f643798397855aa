"""The checker of docstrings: what it asks of whom, and that this project gives it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import docstrings
from tests.docstrings import Lack, Tree, named_arguments

SOURCE = '''
import abc

def said(one, two):
    """Do it.

    Args:
        one: The first,
            which goes on: here.
        two: The second.
    """

def together(one, two, *rest, **options):
    """Do it.

    Args:
        one, two: Both.
        *rest: The others.
        options (dict): Passed on.

    Returns:
        other: This is no parameter.
    """

def half(one, two, *, three=1):
    """Do it.

    Args:
        two: The second.

    Returns:
        one: Not the parameter.
    """

def spoken(one, two, *rest):
    """Puts `one` before `two`, and `*rest` behind; a ``three`` is no parameter."""

def few(one):
    """One parameter explains itself."""

def _private(one, two):
    """Nobody else calls it."""

def command(name: Annotated[str, Argument(help="A name.")], out: options.Out):
    """Its help stands in the annotations."""

class Base(abc.ABC):
    """A base."""

    def act(self, observation, info):
        """Act.

        Args:
            observation: What is seen.
            info: What is known.
        """

    def bare(self, one, two):
        """Say nothing."""

class Child(Base[int]):
    """Keeps what its base says."""

    def act(self, observation, info):
        """Act otherwise."""

    def more(self, one, two):
        """Say nothing."""

class Around(gym.Wrapper[str, str]):
    """A wrapper."""

    def reset(self, *, seed=None, options=None):
        """Gymnasium explains it."""

class _Hidden:
    def method(self, one, two):
        """Say nothing."""

    def told(self, one, two):
        """Gives `one`.

        Args:
            two: Taken.
        """

    def _own(self, one, two):
        """Nobody else calls it."""

class _Heir(Base):
    def act(self, observation, info):
        """Act otherwise."""
'''


@pytest.fixture
def lacks() -> list[Lack]:
    modules = {"agentgym/shown.py": SOURCE, "agentgym/_hidden.py": SOURCE, "envs/_kit/shown.py": SOURCE}
    return list(Tree({name: ast.parse(text) for name, text in modules.items()}).lacks())


def _left_out(lacks: list[Lack], module: str) -> dict[str, tuple[str, ...]]:
    return {lack.name: lack.parameters for lack in lacks if lack.module == module}


def test_parameters_that_nothing_is_said_about_are_found(lacks: list[Lack]) -> None:
    assert _left_out(lacks, "agentgym/shown.py") == {
        "half": ("one", "three"),
        "spoken": ("one", "two", "rest"),
        "Base.bare": ("one", "two"),
        "Child.more": ("one", "two"),
        "_Hidden.method": ("one", "two"),
    }
    assert str(lacks[0]) == "agentgym/shown.py:25: half says nothing about one, three"


@pytest.mark.parametrize("module", ["agentgym/_hidden.py", "envs/_kit/shown.py"])
def test_modules_with_an_underscore_may_name_parameters_in_their_text(lacks: list[Lack], module: str) -> None:
    assert _left_out(lacks, module) == {
        "half": ("one", "three"),
        "Base.bare": ("one", "two"),
        "Child.more": ("one", "two"),
        "_Hidden.method": ("one", "two"),
    }


def test_only_whole_words_between_single_backticks_are_named() -> None:
    source = 'def found(one, two, three):\n    """The `one.name` of ``two`` or `three()`, not `one or two`."""\n'
    (lack,) = Tree({"agentgym/_hidden.py": ast.parse(source)}).lacks()
    assert lack.parameters == ("one", "two", "three")


def test_only_the_section_of_arguments_counts() -> None:
    assert named_arguments("Do it.\n\nArgs:\n    one: First.\n\n    two: Second.\n\nRaises:\n    three: No.") == {
        "one",
        "two",
    }
    assert named_arguments("Do it.") == set()
    assert named_arguments("The Args:\n    one: First.") == set()


def test_the_command_fails_with_a_line_for_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "agentgym").mkdir()
    module = tmp_path / "agentgym" / "shown.py"
    monkeypatch.setattr(docstrings, "ROOT", tmp_path)
    module.write_text(SOURCE)
    assert docstrings.main() == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5
    assert said[0] == "agentgym/shown.py:25: half says nothing about one, three"
    module.write_text('def few(one):\n    """One parameter explains itself."""\n')
    assert docstrings.main() == 0
    assert capsys.readouterr().err == ""


@pytest.mark.full
def test_nothing_in_this_project_lacks_anything() -> None:
    tree = Tree.read(docstrings.ROOT)
    assert {module.partition("/")[0] for module in tree.modules} == set(docstrings.ROOMS)
    assert set(docstrings.NOT_ASKED) <= set(tree.modules)
    assert [str(lack) for lack in tree.lacks()] == []
