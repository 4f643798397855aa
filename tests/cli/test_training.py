"""`agentgym train` and `agentgym report`: they run, they go on, they refuse in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym.cli import run
from agentgym.cli.training import _note, read_overrides
from agentgym.core import ConfigError

SMALL = [
    "--model.tiny", "{ layers = 1, width = 32, heads = 2, vocabulary = 400 }", "--clone.episodes", "32",
    "--clone.batch=8", "--rollout.groups", "2", "--rollout.group_size", "2", "--update.updates", "2",
    "--update.learning_rate", "1e-3", "--callback", "[]",
]  # fmt: skip


def test_train_report_and_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert run(["train", "grpo", "--out", str(out), *SMALL]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "success" in said
    assert f"what it learned is in {out}/checkpoint-000002; play it with: agentgym eval FrozenLake-v0" in said
    assert json.loads((out / "recipe.json").read_text())["rollout"]["group_size"] == 2
    lines = (out / "updates.jsonl").read_bytes()
    assert run(["report", str(out), "--out", str(tmp_path / "page.html")]) == 0
    assert "page.html: 1 run, " in capsys.readouterr().out
    assert "GRPO" in (tmp_path / "page.html").read_text()
    assert run(["train", "grpo", "--out", str(out), *SMALL]) == 0
    assert "went on after update 2" in capsys.readouterr().out
    assert (out / "updates.jsonl").read_bytes() == lines
    play = ["eval", "FrozenLake-v0", "--agent", f"run:{out}", "--episodes", "2", "--out", str(tmp_path / "eval")]
    assert run(play) == 0
    assert len((tmp_path / "eval" / "episodes.jsonl").read_text().splitlines()) == 2
    (out / "updates.jsonl").write_bytes(b"[" * 100_000 + b"\n" + lines)
    (out / "checkpoint-000002" / "model.safetensors").write_bytes(b"")
    (tmp_path / "eval" / "episodes.jsonl").write_bytes(b"[" * 100_000 + b"\n{}\n")
    capsys.readouterr()
    for command in (
        ["report", str(out)],
        ["train", "grpo", "--out", str(out), *SMALL],
        play,
        ["replay", str(tmp_path / "eval")],
    ):
        assert run(command) == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith("agentgym: ")


def test_the_share_that_is_left_out_stands_beside_what_is_told_of_an_update() -> None:
    told = {"success": 0.5, "return": 0.25, "episodes": 3, "stops": {"failure": 1}}
    assert _note(told) == "success 50%  return 0.250  25.0% left out"
    assert _note({**told, "stops": {"failure": 0}}) == "success 50%  return 0.250"


def test_without_a_recipe_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train"]) == 0
    assert "grpo" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["train", "grpoo"], "did you mean 'grpo'"),
        (["train", "grpo", "--update.stepz", "1"], "did you mean 'steps'"),
        (["train", "grpo", "--update.steps"], "needs a value"),
        (["train", "grpo", "stray"], "'stray' is no setting"),
        (["report", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_values_are_toml_or_texts() -> None:
    words = ["--a.b", "1e-3", "--c={ linear = [1, 0], over = 3 }", "--d", "grpo", "--e=true", "--f", "[1, 2]"]
    wanted = {"a.b": 1e-3, "c": {"linear": [1, 0], "over": 3}, "d": "grpo", "e": True, "f": [1, 2]}
    assert read_overrides(words) == wanted
    assert read_overrides(["--a+", "x", "--a+={ b = 1 }"]) == {"a+": ["x", {"b": 1}]}
    with pytest.raises(ConfigError, match="given twice"):
        read_overrides(["--a", "1", "--a", "2"])


def test_a_wrapped_world_in_other_processes_is_trained_in(tmp_path: Path) -> None:
    """The clone says what the wrapper reads: a thought and an action, not the bare word."""
    more = ["--world.wrappers", '[{ name = "ReAct" }]', "--rollout.workers", "{ processes = 1 }"]
    out = tmp_path / "run"
    assert run(["train", "grpo", "--out", str(out), *SMALL, *more, "--model.max_new_tokens", "16"]) == 0
    assert len((out / "updates.jsonl").read_text().splitlines()) == 2
