"""Best of n: a ranker fitted to recorded attempts, what it reads, what its picks come to, and what they cost."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents import ChatPolicy
from agentgym.cli import run
from agentgym.core import ConfigError, DataError, Message, Reply
from agentgym.evaluate import EpisodeRecord, EvaluationResult, evaluate
from agentgym.evaluate.ranker import DIM, PARTS, BestOf, Fitted, Ranker, best_of, features, fit_ranker, read_ranker

BANDIT, LAKE = "Bandit-v0", "FrozenLake-v0"
TRIALS = 4
READ, WRITTEN = 7, 3  # tokens of an answer of the talker
CHANCE = 0.5
MUCH = 0.15  # by which picks must succeed more often than attempts do


class Talker(ChatPolicy):
    """A chat model that goes anywhere and says what it took."""

    def answer(self, conversations: Sequence[Sequence[Message]], seeds: Sequence[int]) -> Sequence[Reply]:
        return [Reply(("left", "right", "up", "down")[seed % 4], READ, WRITTEN) for seed in seeds]


def played(out: Path, agent: str = "random", world: str = BANDIT, **options: Any) -> EvaluationResult:
    given: dict[str, Any] = {"split": "val", "episodes": 40, "trials": TRIALS, "workers": 0, **options}
    return evaluate(world, agent, out=out, **given)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Fitted]:
    """The file of a ranker, and what is known of it."""
    folder = tmp_path_factory.mktemp("learned")
    played(folder / "train", split="train", episodes=60)
    return folder / "new" / "ranker.json", fit_ranker([folder / "train"], folder / "new" / "ranker.json")


def test_a_ranker_picks_better_than_chance_on_tasks_that_it_has_not_seen(
    learned: tuple[Path, Fitted], tmp_path: Path
) -> None:
    file, fitted = learned
    assert fitted.attempts == 60 * TRIALS
    assert fitted.told_apart > CHANCE + MUCH
    assert read_ranker(file) == fitted.ranker
    result = played(tmp_path, ranker=file)
    assert result.best_of is not None
    assert result.best_of.n == TRIALS
    assert result.best_of.success.value > result.summary.success.value + MUCH
    assert result.best_of.success.value <= result.summary.pass_at[TRIALS]
    assert len(result.best_of.picked) == 40
    written = json.loads((tmp_path / "summary.json").read_text())["best_of"]
    assert written["success"]["value"] == result.best_of.success.value
    assert written["picked"] == result.best_of.picked


def test_the_outcome_is_not_read(learned: tuple[Path, Fitted], tmp_path: Path) -> None:
    """Picks are the same where all that a world says of success is turned round."""
    ranker = learned[1].ranker
    episodes = played(tmp_path, episodes=10).episodes

    def turned(each: EpisodeRecord) -> EpisodeRecord:
        player = each.only
        other = replace(
            player, success=not player.success, score=1 - player.score, progress=1 - player.progress,
            final_observation="You win!",
        )  # fmt: skip
        turns = [replace(turn, reward=1 - turn.reward, metrics={"won": 1.0}) for turn in each.turns]
        return replace(each, players={next(iter(each.players)): other}, turns=turns)

    found = best_of(ranker, episodes, TRIALS)
    assert found.picked == best_of(ranker, [turned(each) for each in episodes], TRIALS).picked
    assert found.picked != dict.fromkeys(found.picked, 0)


def test_tokens_of_all_attempts_count(learned: tuple[Path, Fitted], tmp_path: Path) -> None:
    result = played(tmp_path, f"{__name__}:Talker", LAKE, episodes=3, trials=3, ranker=learned[0])
    turns = sum(len(each.turns) for each in result.episodes)
    assert result.best_of is not None
    picked = sum(len(each.turns) for each in result.episodes if result.best_of.picked[each.task_id] == each.trial)
    assert picked < turns
    assert (result.summary.prompt_tokens, result.summary.completion_tokens) == (READ * turns, WRITTEN * turns)


def test_a_finished_run_is_ranked_without_being_played_again(learned: tuple[Path, Fitted], tmp_path: Path) -> None:
    alone = played(tmp_path, episodes=4)
    assert alone.best_of is None
    assert "best_of" not in json.loads((tmp_path / "summary.json").read_text())
    ranked = played(tmp_path, episodes=4, ranker=learned[0])
    assert ranked.best_of is not None
    assert [each.wall_seconds for each in ranked.episodes] == [each.wall_seconds for each in alone.episodes]


def test_failed_attempts_are_no_choice_and_of_equal_ones_the_first_is_picked(tmp_path: Path) -> None:
    blind = Ranker((), (0.0,) * (PARTS * DIM), 0.0)
    episodes = played(tmp_path, episodes=2).episodes
    lost = [replace(each, failure_kind="environment") if each.trial == 0 else each for each in episodes]
    assert set(best_of(blind, lost, TRIALS).picked.values()) == {1}
    nothing = best_of(blind, [replace(each, failure_kind="outage") for each in episodes], TRIALS)
    assert nothing.picked == {}
    assert math.isnan(nothing.success.value)
    assert isinstance(nothing, BestOf)


def test_the_order_in_which_episodes_ended_changes_nothing(learned: tuple[Path, Fitted], tmp_path: Path) -> None:
    lines = (learned[0].parents[1] / "train" / "episodes.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "episodes.jsonl").write_text("".join(lines[::-1]))
    assert fit_ranker([tmp_path], tmp_path / "ranker.json") == learned[1]


def test_what_was_seen_and_what_was_said_are_told_apart(tmp_path: Path) -> None:
    attempt = played(tmp_path, episodes=1, trials=2).episodes[0]
    first = replace(attempt, turns=[replace(attempt.turns[0], observation="left", action="right")])
    row = features(first)
    assert not row[:DIM].any(), "the first observation is the same for all attempts"
    assert row[DIM : 2 * DIM].sum() == row[2 * DIM :].sum() == CHANCE, "one word, said once"


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    played(tmp_path / "test", split="test", episodes=2)
    with pytest.raises(DataError, match="played on test, whose outcomes nothing may learn from"):
        fit_ranker([tmp_path / "test"], tmp_path / "r.json")
    played(tmp_path / "lost", "nothing", episodes=2)
    with pytest.raises(DataError, match="0 of the 8 scored episodes succeeded"):
        fit_ranker([tmp_path / "lost"], tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"format": 1}, "no ranker in"),
        ({"format": 1, "worlds": [], "weights": [0.0], "bias": 0.0}, "it is of another version"),
        ({"format": 1, "worlds": [], "weights": ["a"] * (PARTS * DIM), "bias": 0.0}, "no ranker in"),
    ],
)
def test_a_file_that_is_no_ranker_is_refused_before_anything_is_played(
    tmp_path: Path, record: dict[str, Any], reason: str
) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(json.dumps(record))
    with pytest.raises(DataError, match=reason):
        played(tmp_path / "run", ranker=file)
    assert not (tmp_path / "run").exists()


def test_a_ranker_needs_something_to_choose_from(learned: tuple[Path, Fitted], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give trials of at least 2, got 1"):
        played(tmp_path, trials=1, ranker=learned[0])


def test_the_commands_fit_rank_and_show_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ask = ["eval", BANDIT, "--workers", "0", "--trials", "2"]
    assert run([*ask, "--split", "train", "--episodes", "20", "--out", "train"]) == 0
    assert run(["ranker", "train", "--out", "ranker.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "ranker.json: fitted to 40 attempts" in out
    assert "a success scores above a failure with a chance of" in out
    assert run([*ask, "--episodes", "5", "--ranker", "ranker.json", "--out", "ranked"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "best of 2" in out
    assert "tokens and cost are of all attempts" in out
    assert run(["report", "ranked", "--out", "page.html"]) == 0
    assert "best of 2, picked by a ranker" in (tmp_path / "page.html").read_text()
    assert run(["report", "train", "--out", "page.html"]) == 0
    assert "picked by a ranker" not in (tmp_path / "page.html").read_text()
    capsys.readouterr()
    for wrong, reason in ((["--suite", "smoke"], "leave out --ranker"), (["KuhnPoker-v0"], "leave --ranker out")):
        assert run(["eval", *wrong, "--trials", "2", "--ranker", "ranker.json"]) == 2
        assert reason in capsys.readouterr().err
