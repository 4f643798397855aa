"""The API reference has every public name of its packages, with what the docstrings say."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from docs import api


class Base:
    """A base."""

    def told(self, one: int, *rest: str, two: Sequence[str] = (), **options: object) -> str:
        """Tell.

        Args:
            one: The first.
            rest, options: The others.

        Returns:
            What was told.

        Raises:
            ValueError: if nothing was,
                or too much.
        """
        return f"{one}{rest}{two}{options}"


class Child(Base):
    """A child."""

    def told(self, one: int, *rest: str, two: Sequence[str] = (), **options: object) -> str:  # its base explains it
        return super().told(one, *rest, two=two, **options)

    @property
    def name(self) -> str:
        """How it is called."""
        return "child"

    @classmethod
    def made(cls, of: list[int] | None = None) -> Child:
        """A new one."""
        return cls()

    def undocumented(self) -> None:
        pass

    def _private(self) -> None:
        """Nobody sees it."""


@dataclass
class Plain:
    size: int
    names: list[str] = field(default_factory=list)


@pytest.fixture(autouse=True)
def _in_this_project(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Base, Child):
        monkeypatch.setattr(kind, "__module__", "agentgym.shown")


@pytest.mark.parametrize("package", api.PACKAGES)
def test_every_public_name_of_a_package_is_in_its_page(package: str) -> None:
    if package == "train":
        pytest.importorskip("torch", reason="the extra train is not installed")
    text = api.page(package)
    names = importlib.import_module(f"agentgym.{package}").__all__
    assert text.startswith(f"# agentgym.{package}\n\n")
    for name in names:
        assert f"(../wrappers/{name.lower()}.md)" in text if package == "wrappers" else f"\n## {name}\n" in text
    assert " at 0x" not in text, "an address in memory differs in every build"
    assert text == api.page(package)


def test_the_entry_of_a_class_says_what_its_docstrings_say() -> None:
    text = "\n\n".join(part for part in api._entry("Child", Child) if part)
    assert "```python\nclass Child()\n```\n\nA child." in text
    assert [line for line in text.splitlines() if line.startswith("###")] == [
        "### Child.made",
        "### Child.name",
        "### Child.told",
    ]
    assert "name: str" in text
    assert "made(of: list[int] | None = None) -> Child" in text
    assert "told(one: int, *rest: str, two: Sequence[str] = (), **options: object) -> str" in text
    assert "| `one` | The first. |\n| `rest`, `options` | The others. |" in text
    assert "**Returns.** What was told." in text
    assert "| `ValueError` | if nothing was, or too much. |" in text


def test_a_module_that_a_package_offers_shows_its_functions() -> None:
    shown = re.findall(r"^### golden\.(\w+)$", api.page("conformance"), re.MULTILINE)
    assert {"update", "verify"} <= set(shown)


def test_long_calls_have_a_line_for_each_parameter() -> None:
    def call(first: dict[str, list[int]], *, second: dict[str, list[int]], third: dict[str, list[int]]) -> None:
        """Do it."""

    assert api.signature("call", call) == (
        "call(\n    first: dict[str, list[int]],\n    *,\n    second: dict[str, list[int]],\n"
        "    third: dict[str, list[int]],\n) -> None"
    )


def test_tables_constants_and_plain_data() -> None:
    assert list(api._entry("KINDS", {"a": Base, "b": 3})) == [
        "| name |  |\n| --- | --- |\n| `a` | A base. |\n| `b` | `3` |"
    ]
    assert list(api._entry("ENDS", ("won", "lost"))) == ["```python\nENDS = ('won', 'lost')\n```"]
    assert list(api._entry("Plain", Plain)) == ["```python\nclass Plain(size: int, names: list[str] = ...)\n```"]
