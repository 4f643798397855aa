"""The checker of docstrings: what it asks of whom, and that the allowance can only shrink."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import docstrings
from tests.docstrings import Lack, Tree, faults, named_arguments, read_allowance

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
        """Nobody sees it."""
'''


@pytest.fixture
def lacks() -> list[Lack]:
    modules = {"agentgym/shown.py": SOURCE, "agentgym/_hidden.py": SOURCE, "envs/_kit/shown.py": SOURCE}
    return list(Tree({name: ast.parse(text) for name, text in modules.items()}).lacks())


def test_parameters_that_nothing_is_said_about_are_found(lacks: list[Lack]) -> None:
    found = {lack.name: lack.parameters for lack in lacks}
    assert found == {"half": ("one", "three"), "Base.bare": ("one", "two"), "Child.more": ("one", "two")}


def test_modules_with_an_underscore_are_not_asked(lacks: list[Lack]) -> None:
    assert {lack.module for lack in lacks} == {"agentgym/shown.py"}
    assert str(lacks[0]) == "agentgym/shown.py:25: half says nothing about one, three"


def test_only_the_section_of_arguments_counts() -> None:
    assert named_arguments("Do it.\n\nArgs:\n    one: First.\n\n    two: Second.\n\nRaises:\n    three: No.") == {
        "one",
        "two",
    }
    assert named_arguments("Do it.") == set()
    assert named_arguments("The Args:\n    one: First.") == set()


def test_an_allowance_may_be_used_up_but_not_overdrawn(lacks: list[Lack]) -> None:
    assert faults(lacks, {"agentgym/shown.py": 3}) == []
    assert faults(lacks, {"agentgym/shown.py": 4}) == []
    over = faults(lacks, {"agentgym/shown.py": 2})
    assert over[0] == "agentgym/shown.py has 3 functions with undocumented parameters, 2 allowed:"
    assert over[1:] == [f"  {lack}" for lack in lacks]
    assert faults(lacks, {})[0].endswith("0 allowed:")


def test_a_clean_module_leaves_the_list(lacks: list[Lack]) -> None:
    assert faults(lacks, {"agentgym/shown.py": 3, "agentgym/gone.py": 1}) == [
        "agentgym/gone.py is clean; take it out of docstrings.txt"
    ]


def test_an_update_never_grows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "agentgym").mkdir()
    (tmp_path / "agentgym" / "new_name.py").write_text(SOURCE)
    monkeypatch.setattr(docstrings, "ROOT", tmp_path)
    monkeypatch.setattr(docstrings, "ALLOWED", tmp_path / "docstrings.txt")
    docstrings.ALLOWED.write_text("agentgym/old_name.py 2\n")
    assert docstrings.main(["--update"]) == 1
    assert read_allowance(docstrings.ALLOWED.read_text()) == {"agentgym/old_name.py": 2}
    docstrings.ALLOWED.write_text("agentgym/old_name.py 5\n")
    assert docstrings.main([]) == 1
    assert docstrings.main(["--update"]) == 0
    assert read_allowance(docstrings.ALLOWED.read_text()) == {"agentgym/new_name.py": 3}
    assert docstrings.main([]) == 0


def test_this_project_keeps_to_its_allowance() -> None:
    tree = Tree.read(docstrings.ROOT)
    assert {module.partition("/")[0] for module in tree.modules} == set(docstrings.ROOMS)
    assert set(docstrings.NOT_ASKED) <= set(tree.modules)
    allowed = read_allowance(docstrings.ALLOWED.read_text(encoding="utf8"))
    assert faults(list(tree.lacks()), allowed) == []
