"""Transcripts are enough to play an episode again, and a changed world is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import ConfigError, DataError
from agentgym.evaluate import evaluate, match, replay
from agentgym.evaluate.tournament import tournament
from tests.evaluate.worlds import MODULE, TASKS


@pytest.fixture
def recorded(dice: str, tmp_path: Path) -> Path:
    evaluate(dice, f"{MODULE}:Roller", workers=1, out=tmp_path, env_kwargs={"broken": "d1"})
    return tmp_path / "episodes.jsonl"


def test_equal_worlds_answer_equally(recorded: Path) -> None:
    news: list[tuple[int, int]] = []
    outcomes = replay(recorded, lambda outcome, done, total: news.append((done, total)), trust=True)
    assert [outcome.same for outcome in outcomes].count(True) == TASKS - 1
    (skipped,) = [outcome for outcome in outcomes if outcome.skipped]
    assert skipped.episode.task_id == "d1"
    assert not any(outcome.difference for outcome in outcomes)
    assert news[-1] == (TASKS, TASKS)
    assert replay(recorded.parent, trust=True) == outcomes


def only(record: Any) -> Any:
    return record["players"]["player_0"]


def end(record: Any) -> Any:
    return only(record)["final_observation"]


def test_frozen_lake(tmp_path: Path) -> None:
    evaluate("FrozenLake-v0", "random", split="train", episodes=20, workers=1, out=tmp_path)
    assert all(outcome.same for outcome in replay(tmp_path))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda record: record["turns"][0].update(observation="?"), "turn 1 shows another observation"),
        (lambda record: record["turns"][0].update(reward=0.5), "turn 1 has another reward or info"),
        (lambda record: record["turns"][0]["events"][0].update(number=9), "turn 1 has another reward or info"),
        (lambda record: only(record).update(final_observation="?"), "the end is another"),
        (lambda record: only(record).update(success=not only(record)["success"]), "the end is another"),
        (lambda record: record.update(stop="failure"), "the end is another"),
        (lambda record: record["turns"].append(dict(record["turns"][-1], observation=end(record))),
         "the episode is over before turn"),
    ],
)  # fmt: skip
def test_every_difference_is_found(recorded: Path, change: Callable[[Any], None], difference: str) -> None:
    records = [json.loads(line) for line in recorded.read_text().splitlines()]
    change(records[0])
    recorded.write_text("".join(json.dumps(record) + "\n" for record in records))
    outcomes = replay(recorded, trust=True)
    assert difference in outcomes[0].difference
    assert not outcomes[0].same
    assert sum(outcome.same for outcome in outcomes) == TASKS - 2


def test_files_that_are_no_transcripts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        replay(tmp_path)
    (tmp_path / "x").write_text("hello\n")
    with pytest.raises(DataError, match="x, line 1"):
        replay(tmp_path / "x")
    for content in ("", '{"task_id": "cut off'):  # to verify nothing is no success
        (tmp_path / "x").write_text(content)
        with pytest.raises(DataError, match="holds no episode yet, so there is nothing to verify"):
            replay(tmp_path / "x")


PLAYERS = {
    "KuhnPoker-v0": {"player_0": "random", "player_1": "simple"},  # in turn
    "MatrixGame-v0": {"player_0": "random", "player_1": "random"},  # at once
}


def alter(file: Path, change: Callable[[Any], object]) -> None:
    """Change the first line of a file."""
    first, *rest = file.read_text().splitlines(keepends=True)
    record = json.loads(first)
    change(record)
    file.write_text("".join([json.dumps(record) + "\n", *rest]))


def turn_of(game: Any, player: str) -> Any:
    return next(turn for turn in game["turns"] if turn["player"] == player)


@pytest.mark.parametrize("game", PLAYERS)
def test_a_match_is_played_again(game: str, tmp_path: Path) -> None:
    match(game, PLAYERS[game], games=3, out=tmp_path)
    outcomes = replay(tmp_path)
    assert [(outcome.same, outcome.difference) for outcome in outcomes] == [(True, "")] * 3
    assert replay(tmp_path / "games.jsonl") == outcomes
    alter(tmp_path / "games.jsonl", lambda game: turn_of(game, "player_1").update(reward=7.5))
    assert [outcome.same for outcome in replay(tmp_path)] == [False, True, True]
    assert "(player_1) has another reward or info" in replay(tmp_path)[0].difference


@pytest.mark.full
@pytest.mark.parametrize("game", PLAYERS)
def test_a_tournament_is_played_again(game: str, tmp_path: Path) -> None:
    played = tournament(game, ["random", "nothing"], deals=2, out=tmp_path)
    outcomes = replay(tmp_path)
    assert len(outcomes) == len(played.games)
    assert all(outcome.same for outcome in outcomes)
    alter(tmp_path / "games.jsonl", lambda game: game["players"]["player_0"].update(score=99.0))
    assert replay(tmp_path)[0].difference == "the end is another"


def test_a_tournament_of_teams_is_played_again(tmp_path: Path) -> None:
    tournament("Werewolf-v1", ["random", "simple"], deals=2, out=tmp_path)
    assert all(outcome.same for outcome in replay(tmp_path))


def test_a_record_says_itself_which_game_was_played(tmp_path: Path) -> None:
    match("KuhnPoker-v0", PLAYERS["KuhnPoker-v0"], games=1, out=tmp_path)
    (tmp_path / "run.json").unlink()
    assert replay(tmp_path)[0].same
    good = (tmp_path / "games.jsonl").read_text()
    hint = [{"name": "Hints", "hint": "planted:hint"}]
    changes: list[tuple[Callable[[Any], object], str]] = [
        (lambda game: game.update(env="planted:AgentGym/KuhnPoker-v0"), "names the module 'planted'"),
        (lambda game: game["players"]["player_1"].update(wrappers=hint), "names 'planted:hint'"),
    ]
    for change, named in changes:
        (tmp_path / "games.jsonl").write_text(good)
        alter(tmp_path / "games.jsonl", change)
        with pytest.raises(ConfigError, match=named):
            replay(tmp_path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda game: game["players"].pop("player_1"), "'player_1' is none of its players"),
        (lambda game: game.update(players={}, turns=[]), "it has no player"),
        (lambda game: game.update(stopped_by="nobody"), "'nobody' is none of its players"),
        (lambda game: game["turns"][0].update(action=3), "'turns' at place 0 'action' should be a text"),
        (lambda game: game["turns"][0].pop("valid"), "KeyError: 'valid'"),
        (lambda game: game.update(colour="red"), "it has an entry 'colour', which is unknown"),
    ],
)
def test_damaged_records_are_told(change: Callable[[Any], object], named: str, tmp_path: Path) -> None:
    match("KuhnPoker-v0", PLAYERS["KuhnPoker-v0"], games=1, out=tmp_path)
    alter(tmp_path / "games.jsonl", change)
    with pytest.raises(DataError, match=f"line 1: no record of an episode.*{named}"):
        replay(tmp_path)
