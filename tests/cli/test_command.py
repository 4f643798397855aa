"""How the commands read their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from agentgym.cli import app, run

FEWEST = 20  # paths that the commands take


def _is_path(parameter: inspect.Parameter) -> bool:
    kind = get_args(parameter.annotation)[0] if get_args(parameter.annotation) else parameter.annotation
    return kind is Path or Path in get_args(kind)


def _words(parameter: inspect.Parameter, said: str) -> list[str]:
    """How a value of a parameter is said: behind the name of the option, or alone."""
    info = parameter.annotation.__metadata__[0]
    if type(info).__name__ == "ArgumentInfo":
        return [said]
    given = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
    return [given[0] if given else f"--{parameter.name.replace('_', '-')}", said]


def empty_paths() -> Iterator[Any]:
    """Every command line in which one path is empty and all else that is needed is said."""
    for command in app.registered_commands:
        callback: Callable[..., Any] | None = command.callback
        assert callback is not None
        assert command.name is not None
        parameters = inspect.signature(callback, eval_str=True).parameters.values()
        needed = [each for each in parameters if each.default is each.empty and get_args(each.annotation)]
        for empty in filter(_is_path, parameters):
            others = [word for each in needed if each is not empty for word in _words(each, "some")]
            yield pytest.param([command.name, *others, *_words(empty, "")], id=f"{command.name}-{empty.name}")


LINES = list(empty_paths())


def test_there_are_paths() -> None:
    assert len(LINES) >= FEWEST


@pytest.mark.parametrize("arguments", LINES)
def test_an_empty_path_is_refused_in_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("agentgym: Invalid value for '")
    assert err.endswith(
        "it is empty, as an unset variable of a shell is; give the path of a file or folder, '.' for the current one\n"
    )
    assert not list(tmp_path.iterdir())


def test_one_empty_path_among_several_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "a", "", "b"]) == 2
    assert "it is empty" in capsys.readouterr().err


def test_the_current_folder_and_empty_texts_can_be_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["eval", "FrozenLake-v0", "--episodes", "1", "--workers", "0", "--out", "."]) == 0
    assert (tmp_path / "episodes.jsonl").is_file()
    assert run(["list", "--family", ""]) == 2
    assert "it is empty" not in capsys.readouterr().err
