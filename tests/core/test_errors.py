"""Errors say what was wrong, what was expected and what to do, in one line."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentgym.core import (
    AgentGymError,
    ConfigError,
    DataError,
    EndpointError,
    EngineFailure,
    GrammarError,
    MissingExtra,
    SnapshotError,
    TaskError,
    UnknownName,
    errors,
    require,
    unknown,
)


def test_a_near_name_is_suggested() -> None:
    assert str(unknown("split", "tran", ["train", "val"])) == "unknown split 'tran'; did you mean 'train'?"
    assert str(unknown("world", "frozenlake", ["FrozenLake", "Maze"])).endswith("did you mean 'FrozenLake'?")


def test_without_a_near_name_all_are_listed_in_order() -> None:
    assert str(unknown("split", "xyz", {"val", "train"})) == "unknown split 'xyz'; expected one of: train, val"
    assert str(unknown("split", "xyz", [])) == "unknown split 'xyz'; expected one of: none is known"


def test_names_that_are_no_text_are_shown() -> None:
    assert str(unknown("agent", 3, ["oracle"])) == "unknown agent 3; expected one of: oracle"


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (UnknownName, LookupError),
        (TaskError, ValueError),
        (ConfigError, ValueError),
        (GrammarError, ValueError),
        (MissingExtra, ImportError),
        (DataError, Exception),
        (SnapshotError, Exception),
        (EndpointError, Exception),
    ],
)
def test_every_error_is_ours_and_of_the_fitting_builtin_kind(error: type, builtin: type) -> None:
    assert issubclass(error, AgentGymError)
    assert issubclass(error, builtin)
    assert str(error("words")) == "words"


def test_an_engine_failure_is_no_error_of_ours() -> None:
    assert not issubclass(EngineFailure, AgentGymError)


def test_require_gives_the_module() -> None:
    assert require("json", extra="x", purpose="y").loads("1") == 1
    assert require("os.path", extra="x", purpose="y").join("a", "b") == str(Path("a", "b"))


@pytest.mark.parametrize("module", ["no_such_package", "no_such_package.inner"])
@pytest.mark.parametrize(
    ("origin", "beside"),
    [
        (None, ""),
        ('{"archive_info": {}, "url": "https://a.test/b.whl"}', ""),
        ('{"dir_info": {"editable": true}, "url": "file:///a"}', ', or in its checkout  pip install ".[train]"'),
    ],
    ids=["index", "archive", "checkout"],
)
def test_a_missing_extra_names_what_to_install(
    module: str, origin: str | None, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(read_text=lambda name: origin if name == "direct_url.json" else None)
    monkeypatch.setattr(metadata, "distributions", lambda name: [found] if name == "agentgym-suite" else [])
    errors.in_checkout.cache_clear()
    with pytest.raises(MissingExtra) as caught:
        require(module, extra="train", purpose="training")
    errors.in_checkout.cache_clear()
    expected = "training needs the package 'no_such_package': run  pip install \"agentgym-suite[train]\""
    assert str(caught.value) == expected + beside


@pytest.mark.parametrize("version", ["", version("numpy"), version("numpy").rpartition(".")[0]])
def test_require_takes_the_version_or_its_beginning(version: str) -> None:
    assert require("numpy.random", extra="x", purpose="y", version=version).__name__ == "numpy.random"


def test_another_version_is_one_line_that_says_which_to_install() -> None:
    with pytest.raises(MissingExtra) as caught:
        require("numpy", extra="worlds", purpose="AgentGym/Some-v0", version="0.9.1")
    assert str(caught.value) == (
        f"AgentGym/Some-v0 was made for version 0.9.1 of 'numpy', and {version('numpy')} is installed: run  "
        'pip install "numpy==0.9.1"'
    )
    with pytest.raises(MissingExtra, match=r'pip install "numpy==0\.9\.\*"$'):
        require("numpy", extra="worlds", purpose="AgentGym/Some-v0", version="0.9")


def test_the_beginning_of_a_version_ends_at_a_dot() -> None:
    with pytest.raises(MissingExtra):
        require("numpy", extra="x", purpose="y", version=version("numpy")[:1] + "0")


def test_a_module_may_have_another_name_than_its_distribution() -> None:
    assert require("yaml", extra="x", purpose="y", version=version("PyYAML")).__name__ == "yaml"


def test_a_fault_inside_an_installed_package_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_another.py").write_text("import no_such_package")
    (tmp_path / "is_broken.py").write_text("raise ImportError('bad build')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package'") as missing:
        require("needs_another", extra="x", purpose="y")
    assert not isinstance(missing.value, MissingExtra)
    with pytest.raises(ImportError, match="bad build"):
        require("is_broken", extra="x", purpose="y")
