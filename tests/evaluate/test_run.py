"""Evaluation end to end: what is played, what is kept, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents import episode_seed
from agentgym.core import AgentGymError, ConfigError, DataError, UnknownName
from agentgym.evaluate import EpisodeRecord, EvaluationResult, RunFolder, evaluate, read_episodes
from agentgym.evaluate.episode_record import FORMAT
from agentgym.evaluate.playing import FIRST
from tests.evaluate.worlds import MODULE, TASKS

ROLLER = f"{MODULE}:Roller"
UNLUCKY = f"{MODULE}:Unlucky"


def lines(folder: Path) -> list[str]:
    """The lines of a run without the duration, which is their last entry, in alphabetical order."""
    return sorted(line.rpartition('"wall_seconds"')[0] for line in (folder / "episodes.jsonl").read_text().splitlines())


def run(world: str, out: Path, agent: str = ROLLER, workers: int = 0, **options: Any) -> EvaluationResult:
    """A run whose world plays in this process, where a test does not ask for others."""
    return evaluate(world, agent, out=out, workers=workers, **options)


def test_every_task_and_trial_is_played_once(dice: str, tmp_path: Path) -> None:
    result = run(dice, tmp_path, trials=3, seed=5)
    assert [(e.task_id, e.trial) for e in result.episodes] == [(f"d{n}", t) for t in range(3) for n in range(TASKS)]
    assert all(e.seed == episode_seed(5, e.task_id, e.trial) for e in result.episodes)
    assert result.folder == tmp_path
    assert len(read_episodes(tmp_path)) == 3 * TASKS
    to_line = EpisodeRecord.to_line
    assert sorted(map(to_line, read_episodes(tmp_path))) == sorted(map(to_line, result.episodes))


def test_a_record_holds_the_episode(dice: str, tmp_path: Path) -> None:
    result = run(dice, tmp_path, env_kwargs={"max_turns": 4})
    episode = next(e for e in result.episodes if e.stop == "truncated")
    assert [turn.action for turn in episode.turns] == ["roll", "roll", "hm", "roll"]
    assert [turn.valid for turn in episode.turns] == [True, True, False, True]
    assert episode.turns[0].observation.startswith("Roll a ")
    assert episode.turns[1].observation == f"A {episode.turns[0].events[0]['number']}."
    assert "not an action" in episode.turns[2].error
    assert episode.only.final_observation == f"A {episode.turns[3].events[0]['number']}."
    assert episode.turns[0].metrics == {"pips": episode.turns[0].events[0]["number"]}
    record = json.loads(episode.to_line())
    assert record["format"] == FORMAT
    assert record["env"] == dice
    assert record["env_kwargs"] == {"max_turns": 4}
    assert list(record)[-1] == "wall_seconds"
    won = next(e for e in result.episodes if e.success)
    assert (won.stop, won.score, won.progress) == ("terminated", 1.0, 1.0)


def test_results_do_not_depend_on_the_workers(dice: str, tmp_path: Path) -> None:
    one = run(dice, tmp_path / "1", trials=2, workers=1)
    three = run(dice, tmp_path / "3", trials=2, workers=3)
    assert lines(tmp_path / "1") == lines(tmp_path / "3")
    assert one.episodes == three.episodes, "and stand in the order of the panel"
    assert one.summary == three.summary


def test_frozen_lake_in_processes_under_its_own_name(tmp_path: Path) -> None:
    one = run("FrozenLake-v0", tmp_path / "1", "random", split="train", episodes=6)
    two = run("AgentGym/FrozenLake-v0", tmp_path / "2", "random", workers=2, split="train", episodes=6)
    assert one.episodes == two.episodes
    assert one.config.env == "agentgym:AgentGym/FrozenLake-v0"


def test_other_seeds_other_dice(dice: str, tmp_path: Path) -> None:
    assert run(dice, tmp_path / "1", seed=1).episodes != run(dice, tmp_path / "2", seed=2).episodes


def test_agents_meet_the_same_dice(dice: str, tmp_path: Path) -> None:
    """So that they can be compared in pairs."""
    one, two = run(dice, tmp_path / "1"), run(dice, tmp_path / "2", "random")
    assert [episode.seed for episode in one.episodes] == [episode.seed for episode in two.episodes]


def test_a_finished_run_is_not_played_again(dice: str, tmp_path: Path) -> None:
    first = run(dice, tmp_path)
    told: list[Any] = []
    second = run(dice, tmp_path, on_episode=lambda *news: told.append(news))
    assert told == [(None, TASKS, TASKS)]
    assert second.episodes == first.episodes
    assert [e.wall_seconds for e in second.episodes] == [e.wall_seconds for e in first.episodes]


@pytest.mark.parametrize("kept", [0, 1, 7])
def test_an_interrupted_run_goes_on(dice: str, tmp_path: Path, kept: int) -> None:
    """Interrupted between episodes, and in the middle of writing a line."""
    whole = run(dice, tmp_path / "whole")
    file = tmp_path / "cut" / "episodes.jsonl"
    run(dice, tmp_path / "cut")
    content = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(content[:kept]) + content[kept][:-1])
    played: list[Any] = []
    result = run(dice, tmp_path / "cut", on_episode=lambda *news: played.append(news))
    assert played[0] == (None, kept, TASKS)
    assert len(played) == 1 + TASKS - kept
    assert result.episodes == whole.episodes
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")


def test_fresh_starts_anew(dice: str, tmp_path: Path) -> None:
    run(dice, tmp_path, seed=1)
    result = run(dice, tmp_path, seed=2, fresh=True)
    assert len(read_episodes(tmp_path)) == TASKS
    assert result.config.seed == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "seed 0, this one has 1"),
        ({"trials": 2}, "trials 1, this one has 2"),
        ({"episodes": 3}, "episodes 12, this one has 3"),
        ({"agent": "random"}, 'agent "tests.evaluate.worlds:Roller", this one has "random"'),
        ({"env_kwargs": {"max_turns": 3}}, 'env_kwargs {}, this one has {"max_turns": 3}'),
    ],
)
def test_another_run_in_the_folder_is_refused(dice: str, tmp_path: Path, change: Any, named: str) -> None:
    run(dice, tmp_path)
    before = (tmp_path / "episodes.jsonl").read_bytes()
    with pytest.raises(ConfigError, match="give another folder, or start anew with fresh") as caught:
        run(dice, tmp_path, **change)
    assert named in str(caught.value)
    assert (tmp_path / "episodes.jsonl").read_bytes() == before


def test_incidental_options_may_change(dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run may be continued with more patience, not with another model."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    options = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "retries": 0}
    gone = "the agent failed in each of the first 5 episodes"
    with pytest.raises(AgentGymError, match=gone):
        run(dice, tmp_path, "endpoint", agent_options=options)
    with pytest.raises(AgentGymError, match=gone):
        run(dice, tmp_path, "endpoint", agent_options={**options, "timeout": 5.0})
    with pytest.raises(ConfigError, match="agent_options"):
        run(dice, tmp_path, "endpoint", agent_options={**options, "model": "n"})


def test_failures_of_the_world_are_counted_apart(dice: str, tmp_path: Path) -> None:
    result = run(dice, tmp_path, workers=1, env_kwargs={"broken": "d1", "stillborn": "d2"}, seed=3)
    failed = [episode for episode in result.episodes if episode.failure_kind]
    assert [(e.task_id, e.failure_kind, e.stop) for e in failed] == [
        ("d1", "environment", "failure"),
        ("d2", "environment", "failure"),
    ]
    assert failed[0].failure == "the die fell off the table"
    assert len(failed[0].turns) == 1
    assert (failed[1].failure, failed[1].turns) == ("the box is empty", [])
    summary = result.summary
    assert (summary.environment_failures, summary.agent_failures, summary.scored) == (2, 0, TASKS - 2)
    rest = [episode for episode in result.episodes if not episode.failure_kind]
    assert summary.success.value == pytest.approx(sum(e.success for e in rest) / len(rest)), "not scored 0"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("gives_up", [False, True])
def test_an_agent_that_gives_up_loses_and_one_nobody_answers_for_is_left_out(
    dice: str, tmp_path: Path, workers: int, gives_up: bool
) -> None:
    result = run(dice, tmp_path, UNLUCKY, workers, agent_options={"tasks": ["d3", "d11"], "gives_up": gives_up})
    kind = "agent" if gives_up else "outage"
    failed = [episode for episode in result.episodes if episode.failure_kind]
    assert [(e.task_id, e.failure_kind, e.failure) for e in failed] == [
        ("d3", kind, "my head hurts"),
        ("d11", kind, "my head hurts"),
    ]
    summary, won = result.summary, sum(episode.success for episode in result.episodes)
    assert (summary.environment_failures, summary.agent_failures, summary.outages) == (
        0,
        2 * gives_up,
        2 - 2 * gives_up,
    )
    assert summary.scored == (TASKS if gives_up else TASKS - 2)
    assert summary.left_out == pytest.approx(0 if gives_up else 2 / TASKS)
    assert summary.success.value == pytest.approx(won / summary.scored)
    assert summary.stops.get("failure", 0) == 2 * gives_up


def test_failed_episodes_are_played_again(dice: str, tmp_path: Path) -> None:
    """The file keeps both; the last one counts."""
    options: dict[str, Any] = {"agent_options": {"tasks": ["d3"]}}
    run(dice, tmp_path, UNLUCKY, **options)
    played: list[Any] = []
    result = run(dice, tmp_path, UNLUCKY, **options, on_episode=lambda *news: played.append(news))
    assert played[0] == (None, TASKS - 1, TASKS)
    assert [news[0].task_id for news in played[1:]] == ["d3"]
    assert len(read_episodes(tmp_path)) == TASKS + 1
    assert result.summary.episodes == TASKS


def test_an_agent_that_fails_from_the_first_stops_the_run(dice: str, tmp_path: Path) -> None:
    with pytest.raises(AgentGymError, match=f"each of the first {FIRST} episodes, so the run stops: my head hurts"):
        run(dice, tmp_path, UNLUCKY)
    assert len(read_episodes(tmp_path)) == FIRST
    result = run(dice, tmp_path / "few", UNLUCKY, episodes=FIRST - 1)
    assert result.summary.outages == FIRST - 1


def test_failures_that_last_do_not_hide_the_results(dice: str, tmp_path: Path) -> None:
    """All that is left to play again fails again; the run still ends with its figures."""
    last = {"agent_options": {"tasks": [f"d{number}" for number in range(TASKS - FIRST - 1, TASKS)]}}
    first, second = (run(dice, tmp_path, UNLUCKY, **last) for _ in range(2))
    assert first.summary == second.summary
    assert second.summary.outages == FIRST + 1


def test_one_good_episode_lets_the_run_go_on(dice: str, tmp_path: Path) -> None:
    all_but_one = [f"d{number}" for number in range(TASKS) if number != 2]
    result = run(dice, tmp_path, UNLUCKY, agent_options={"tasks": all_but_one})
    assert result.summary.outages == TASKS - 1


@pytest.mark.parametrize("workers", [1, 2])
def test_bugs_are_not_swallowed(dice: str, tmp_path: Path, workers: int) -> None:
    with pytest.raises((ZeroDivisionError, RuntimeError), match=r"modulo by zero|in Buggy|ZeroDivisionError"):
        run(dice, tmp_path, f"{MODULE}:Buggy", workers)


def test_a_dead_worker_is_reported(dice: str, tmp_path: Path) -> None:
    with pytest.raises(AgentGymError, match=r"a worker process ended by itself \(.* exit status 7\)"):
        run(dice, tmp_path, f"{MODULE}:Mortal", 2)


def test_errors_of_workers_are_those_of_the_agent(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no rule-based player"):
        run("FrozenLake-v0", tmp_path, "rule", 2, split="train", episodes=4)


def test_how_many_episodes(dice: str, tmp_path: Path) -> None:
    assert run(dice, tmp_path / "all").config.episodes == TASKS, "the whole split if it has fewer than 200"
    assert [e.task_id for e in run(dice, tmp_path / "2", episodes=2).episodes] == ["d0", "d1"]
    with pytest.raises(ConfigError, match=f"split 'test' of .* has {TASKS} tasks; ask for at most {TASKS} episodes"):
        run(dice, tmp_path / "x", episodes=TASKS + 1)
    with pytest.raises(ConfigError, match=r"split 'empty' of .* is empty"):
        run(dice, tmp_path / "x", split="empty")
    assert not (tmp_path / "x").exists(), "nothing is written before the arguments are checked"
    endless = run(
        "FrozenLake-v0", tmp_path / "endless", "nothing", split="train", episodes=3, env_kwargs={"max_turns": 1}
    )
    assert len(endless.episodes) == 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"env_id": "Dise-v0"}, UnknownName, "unknown environment"),
        ({"env_id": "no_such_module:X/Y-v0"}, ConfigError, "cannot be imported"),
        ({"agent": "expret"}, UnknownName, "did you mean 'expert'"),
        ({"split": "tets"}, UnknownName, "did you mean 'test'"),
        ({"trials": 0}, ConfigError, "at least 1"),
        ({"episodes": 0}, ConfigError, "at least 1"),
        ({"seed": -1}, ConfigError, "at least 0"),
        ({"workers": -1}, ConfigError, "workers must be a number from 0"),
        ({"step_timeout": 0.0}, ConfigError, "step_timeout must be above 0"),
        ({"workers": 0, "memory": 100.0}, ConfigError, "give at least 1 worker"),
        ({"agent_options": {"model": "m"}}, ConfigError, "no effect"),
        ({"env_kwargs": {"brokn": "d1"}}, UnknownName, "did you mean 'broken'"),
        ({"env_kwargs": {"max_turns": "many"}}, ConfigError, "max_turns must be a whole number of at least 1"),
        ({"env_kwargs": {"broken": object()}}, ConfigError, "plain JSON"),
    ],
)
def test_bad_input(dice: str, tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        evaluate(**{"env_id": dice, "agent": "random", "out": tmp_path / "x", "workers": 1, **options})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "x").exists()


def test_the_default_folder_names_the_run(dice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plain = evaluate(dice, ROLLER, workers=1, seed=4)
    assert plain.folder == Path("runs/eval/Dice-v0-tests.evaluate.worlds_Roller-test-12x1-seed4")
    assert (plain.folder / "episodes.jsonl").exists()
    other = evaluate(dice, ROLLER, workers=1, seed=4, env_kwargs={"max_turns": 2})
    assert other.folder != plain.folder


def test_one_writer_at_a_time(dice: str, tmp_path: Path) -> None:
    result = run(dice, tmp_path)
    with RunFolder(tmp_path, result.config.agreement()), pytest.raises(ConfigError, match="another process is writing"):
        run(dice, tmp_path)
    run(dice, tmp_path)


def test_corrupt_files(dice: str, tmp_path: Path) -> None:
    run(dice, tmp_path)
    episodes, config = tmp_path / "episodes.jsonl", tmp_path / "run.json"
    good, good_config = episodes.read_bytes(), config.read_bytes()
    for bad in (b"{}\n", b"nonsense\n", b"\xff\xfe\n", b"[1]\n", b'{"format": 2, "turns": 3}\n'):
        episodes.write_bytes(bad + good)
        with pytest.raises(DataError, match=r"episodes.jsonl, line 1: .*mend or remove the line"):
            run(dice, tmp_path)
        assert episodes.read_bytes() == bad + good, "nothing is thrown away"
    episodes.write_bytes(good)
    for bad in (b"", b"[]", b"{"):
        config.write_bytes(bad)
        with pytest.raises(DataError, match=r"run\.json"):
            run(dice, tmp_path)
    config.unlink()
    with pytest.raises(DataError, match=r"holds records but no run\.json"):
        run(dice, tmp_path)
    config.write_bytes(good_config)
    assert len(run(dice, tmp_path).episodes) == TASKS


def test_records_of_another_format_are_refused_in_one_line(dice: str, tmp_path: Path) -> None:
    from agentgym.evaluate import replay

    run(dice, tmp_path)
    file = tmp_path / "episodes.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    words = "holds records in format {}, and this version of agentgym reads format {}; play them anew"
    for change, named in ((lambda record: record.pop("format"), 1), (lambda record: record.update(format=3), 3)):
        for record in records:
            change(record)
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        for read in (read_episodes, replay, lambda path: run(dice, path)):
            with pytest.raises(DataError, match=words.format(named, FORMAT)):
                read(tmp_path)
    assert len(run(dice, tmp_path, fresh=True).episodes) == TASKS


def test_a_folder_that_cannot_be_written(dice: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        run(dice, tmp_path / "file" / "x")


def test_a_task_that_is_gone(dice: str, tmp_path: Path) -> None:
    from agentgym.evaluate import replay

    run(dice, tmp_path, episodes=1)
    file = tmp_path / "episodes.jsonl"
    file.write_text(file.read_text().replace('"d0"', '"d99"'))
    (outcome,) = replay(file, trust=True)
    assert outcome.difference.startswith(
        "the world failed before turn 1: it raised TaskError: split 'test' has no task 'd99'"
    )
