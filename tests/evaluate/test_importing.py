"""Published trajectories become transcripts; what is damaged is refused whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run as cli
from agentgym.core import AgentGymError, ConfigError, DataError, UnknownName
from agentgym.evaluate import import_run, read_episodes, replay, summarize
from tests.evaluate.test_exporting import TAU

TRAJ: dict[str, Any] = {
    "item_id": "webshop_17",
    "conversations": [
        {"from": "human", "loss": None, "value": "You are web shopping."},
        {"from": "gpt", "loss": False, "value": "Ok."},
        {"from": "human", "loss": None, "value": "Find shoes."},
        {"from": "gpt", "loss": True, "value": "Thought: search.\nAction: search[shoes]"},
        {"from": "human", "loss": None, "value": "Results."},
        {"from": "gpt", "loss": True, "value": "Thought: buy.\nAction: click[buy now]"},
    ],
}
ETO: dict[str, Any] = {
    "id": 5,
    "reward": 0.5,
    "conversations": [
        {"from": "human", "value": "Interact."},
        {"from": "gpt", "value": "OK"},
        {"from": "human", "value": "You are in a room."},
        {"from": "gpt", "value": "Thought: go.\nAction: go to desk 1"},
    ],
}


def read(tmp_path: Path, items: Any, form: str) -> Any:
    (tmp_path / "file.json").write_text(json.dumps(items))
    return import_run(tmp_path / "file.json", form, tmp_path / "run")


def test_agenttraj(tmp_path: Path) -> None:
    found, unrated = read(tmp_path, [TRAJ, TRAJ, {**TRAJ, "item_id": "babyai_2", "reward": 0.4}], "agenttraj")
    assert unrated == 0
    assert read_episodes(tmp_path / "run") == found
    first = found[0]
    assert [turn.action for turn in first.turns] == ["search[shoes]", "click[buy now]"]
    assert first.turns[0].observation == "You are web shopping.\n\nFind shoes."
    assert first.turns[1].said == "Thought: buy.\nAction: click[buy now]"
    assert [turn.reward for turn in first.turns] == [0.0, 1.0]
    assert [(each.env, each.task_id, each.trial, each.success) for each in found] == [
        ("imported:agenttraj/webshop", "webshop_17", 0, True),
        ("imported:agenttraj/webshop", "webshop_17", 1, True),
        ("imported:agenttraj/babyai", "babyai_2", 0, False),
    ]
    assert summarize(found, 2).success.value == 0.5, "tasks are the unit"


def test_eto(tmp_path: Path) -> None:
    played = {"meta": {"reward": None, "id": 9}, "conversations": ETO["conversations"]}
    solved = {"game_file": "a/b/trial_1", "conversations": ETO["conversations"]}
    found, unrated = read(tmp_path, [ETO, played, solved], "eto")
    assert unrated == 1
    assert [(each.task_id, each.score) for each in found] == [("5", 0.5), ("a/b/trial_1", 1.0)]
    assert [turn.action for turn in found[0].turns] == ["go to desk 1"]


def test_tau_bench(tmp_path: Path) -> None:
    found, _ = read(tmp_path, [TAU, {**TAU, "trial": 1, "reward": 0.0}], "tau-bench")
    assert [(each.task_id, each.trial, each.success) for each in found] == [("3", 0, True), ("3", 1, False)]
    first = found[0]
    assert first.turns[0].observation == "Policy.\n\nHello."
    assert json.loads(first.turns[0].action) == {"name": "get_user", "arguments": {"id": 3}}
    assert first.turns[1].observation == "Ann"
    assert first.only.final_observation == "###STOP###"
    assert read_episodes(tmp_path / "run") == found


def test_json_lines_and_single_objects_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text(json.dumps(TRAJ) + "\n" + json.dumps(TRAJ) + "\n")
    assert len(import_run(tmp_path / "lines.jsonl", "agenttraj", tmp_path / "1")[0]) == 2
    assert len(read(tmp_path, ETO, "eto")[0]) == 1


def test_importing_again_changes_nothing_and_another_file_is_refused(tmp_path: Path) -> None:
    read(tmp_path, [TRAJ], "agenttraj")
    before = (tmp_path / "run" / "episodes.jsonl").read_bytes()
    read(tmp_path, [TRAJ], "agenttraj")
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == before
    with pytest.raises(ConfigError, match="holds a run with"):
        read(tmp_path, [TRAJ, TRAJ], "agenttraj")


def test_its_page_is_written(tmp_path: Path) -> None:
    read(tmp_path, [TRAJ, {**TRAJ, "item_id": "babyai_2", "reward": 0.0}], "agenttraj")
    assert cli(["report", str(tmp_path / "run"), "--out", str(tmp_path / "page.html")]) == 0
    assert "search[shoes]" in (tmp_path / "page.html").read_text()


def test_nothing_of_it_can_be_replayed(tmp_path: Path) -> None:
    read(tmp_path, [TRAJ], "agenttraj")
    with pytest.raises(AgentGymError, match="imported"):
        replay(tmp_path / "run")


def changed(item: dict[str, Any], **entries: Any) -> dict[str, Any]:
    return {key: value for key, value in {**item, **entries}.items() if value is not ...}


@pytest.mark.parametrize(
    ("form", "item", "complaint"),
    [
        ("agenttraj", changed(TRAJ, item_id=...), "it lacks 'item_id'"),
        ("agenttraj", changed(TRAJ, conversations=...), "it lacks 'conversations'"),
        ("agenttraj", changed(TRAJ, conversations=[]), "says nothing"),
        ("agenttraj", changed(TRAJ, conversations=TRAJ["conversations"][:2]), "says nothing"),
        ("agenttraj", changed(TRAJ, conversations=[{"from": "cat", "value": "miau"}]), "from 'cat'"),
        ("agenttraj", changed(TRAJ, conversations=[{"from": "gpt", "value": 3.5}]), "expected a text, got 3.5"),
        ("agenttraj", changed(TRAJ, conversations=["hello"]), "item 2"),
        ("agenttraj", changed(TRAJ, reward="much"), "must be a number"),
        ("agenttraj", changed(TRAJ, reward=float("nan")), "must be a number"),
        ("agenttraj", ETO, "it lacks 'item_id'"),
        ("tau-bench", TRAJ, "it lacks 'traj'"),
        ("tau-bench", changed(TAU, traj=[{"role": "assistant", "content": 3}]), "content must be a text"),
        ("tau-bench", changed(TAU, trial=...), "it lacks 'trial'"),
        ("eto", changed(ETO, id=True), "expected a text, got True"),
    ],
)
def test_a_damaged_item_is_named_and_nothing_is_written(
    tmp_path: Path, form: str, item: dict[str, Any], complaint: str
) -> None:
    whole = {"agenttraj": TRAJ, "eto": ETO, "tau-bench": TAU}[form]
    with pytest.raises(DataError, match="item 2 is no trajectory") as refused:
        read(tmp_path, [whole, item], form)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_files_that_are_none(tmp_path: Path) -> None:
    for content, complaint in (("[]", "a list of"), ("[3]", "a list of"), ("{", "line"), ("", "no traj")):
        (tmp_path / "f.json").write_text(content)
        with pytest.raises(DataError) as refused:
            import_run(tmp_path / "f.json", "eto", tmp_path / "run")
        assert str(tmp_path / "f.json") in str(refused.value), complaint
    with pytest.raises(DataError, match="cannot be read"):
        import_run(tmp_path / "none.json", "eto", tmp_path / "run")
    with pytest.raises(UnknownName, match="did you mean 'eto'"):
        import_run(tmp_path / "f.json", "etoo", tmp_path / "run")
    assert not (tmp_path / "run").exists()
