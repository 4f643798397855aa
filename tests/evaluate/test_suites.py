"""Suites: what their files may say, how they are played, continued and summed up."""

from __future__ import annotations

import io
import json
import math
import statistics
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import agentgym
from agentgym.cli.suites import tables
from agentgym.core import AgentGymError, BudgetSpent, ConfigError, EndpointError, UnknownName
from agentgym.evaluate import (
    EvaluationResult,
    MatchResult,
    SuiteResult,
    evaluate_player,
    evaluate_suite,
    load_suite,
    read_episodes,
    read_run,
    suite_names,
    summarize,
)
from agentgym.evaluate import evaluate as evaluate_world
from agentgym.evaluate.suite_run import SUMMARY
from tests.agents.server import ChatServer, completion
from tests.evaluate.worlds import MODULE

TWO = """
description = "A die and a lake."
episodes = 4

[[worlds]]
id = "{dice}"

[[worlds]]
id = "FrozenLake-v0"
episodes = 6
"""


def written(tmp_path: Path, text: str, name: str = "mine.toml") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def play(suite: str, out: Path, agent: str = "random", **options: Any) -> SuiteResult:
    return evaluate_suite(suite, agent, out=out, workers=0, **options)


def test_every_suite_that_comes_along_can_be_read() -> None:
    assert {"smoke", "text", "web", "games", "multiagent", "agentgym", "balrog", "gem", "spiral", "all"} == set(
        suite_names()
    )
    for name in suite_names():
        suite = load_suite(name)
        assert suite.description.endswith(".") or suite.description.endswith("?")
        assert len(suite.worlds) >= 4


def test_all_is_all() -> None:
    ids = [world.id.partition(":")[2] for world in load_suite("all").worlds]
    assert sorted(ids) == [env_id for env_id in agentgym.catalog() if env_id.startswith("AgentGym/")]


def test_smoke_needs_nothing_but_the_core() -> None:
    cards = [agentgym.catalog()[world.id.partition(":")[2]] for world in load_suite("smoke").worlds]
    assert not any(card.extras or card.requires for card in cards)
    assert {card.kind for card in cards} == {"text", "web", "tools", "games", "multiagent"}


def test_the_suites_of_papers_are_whole_or_say_what_they_lack() -> None:
    published = {
        "agentgym": "WebShop WebArena Maze Wordle ALFWorld ScienceWorld BabyAI TextCraft Weather Movie Academia Sheet "
        "Todo BIRD SearchQA",
        "gem": "GuessTheNumber Mastermind Minesweeper Wordle SlidingPuzzle Hangman Sudoku TowerOfHanoi ReasoningGym "
        "PythonMath SearchQA",
        "balrog": "BabyAI Crafter BabaIsYou MiniHack NetHack TextWorld",
    }
    for name, wanted in published.items():
        suite = load_suite(name)
        played = {world.id.rpartition("/")[2].rpartition("-v")[0] for world in suite.worlds}
        assert set(wanted.split()) <= played | set(suite.left_out), name
        assert not played & set(suite.left_out)
        known = agentgym.catalog()
        assert not any(known[world.id.rpartition(":")[2]].requires for world in suite.worlds)


def test_balrog_is_played_by_its_rules() -> None:
    """Turns, episodes and what counts, as `config.yaml` and the wrappers of BALROG have them."""
    expected = {  # episodes, turns of the longest, what counts
        "BabyAI-v0": (50, None, "info"),  # its turns are the level's own, see tests/envs/test_babyai.py
        "Crafter-v0": (10, 2000, "info"),
        "TextWorld-v0": (30, 80, "info"),
        "BabaIsYou-v0": (120, 100, "success"),
        "MiniHack-v0": (30, 100, "info"),  # five in each of six levels, as two of its eight are left out
        "NetHack-v0": (5, 100_000, "info"),
    }
    found = {}
    for world in load_suite("balrog").worlds:
        env_id, card = world.id.rpartition("/")[2], agentgym.catalog()[world.id.rpartition(":")[2]]
        own = {"BabyAI-v0": None, "TextWorld-v0": 80}  # turns of the style
        turns = own[env_id] if env_id in own else world.options.get("max_turns", card.max_turns)
        found[env_id] = (world.episodes, turns, world.counted)
        size = card.splits[world.split]
        assert size is not None
        assert world.episodes is not None
        assert world.episodes <= size, f"{env_id} asks for more episodes than its split has"
        assert (world.options.get("style") == "balrog") == (env_id not in ("Crafter-v0", "BabaIsYou-v0"))
    assert found == expected


@pytest.mark.parametrize("counted", ["info", "success"])
def test_progress_is_the_mean_over_worlds_with_its_standard_error(tmp_path: Path, counted: str) -> None:
    """Recomputed from the records: each world counts alike, and the errors of worlds are independent."""
    text = "".join(
        f"[[worlds]]\nid = '{name}'\nepisodes = {count}\ncounted = '{counted}'\n"
        for name, count in (("MiniCrafter-v0", 4), ("Household-v1", 6))
    )
    result = play(written(tmp_path, text), tmp_path / "run")
    means, errors, seen = [], [], set()
    for each in result.worlds:
        assert isinstance(each.result, EvaluationResult)
        ends = [float(one.success if counted == "success" else one.progress) for one in each.result.episodes]
        seen |= set(ends)
        assert each.played is not None
        assert each.played.progress.value == pytest.approx(statistics.fmean(ends))
        if len(set(ends)) > 1:
            error = statistics.stdev(ends) / math.sqrt(len(ends))
        else:  # with 95 % confidence at most this share ends otherwise (Clopper and Pearson), as a standard error
            error = (1 - 0.025 ** (1 / len(ends))) / 1.96
        assert each.played.progress.high - each.played.progress.value == pytest.approx(error, rel=1e-4)
        means.append(statistics.fmean(ends))
        errors.append(error)
    assert bool(seen - {0.0, 1.0}) == (counted == "info"), "the two ways to count cannot be told apart"
    whole = result.progress
    assert whole is not None
    assert whole.value == pytest.approx(statistics.fmean(means))
    error = math.hypot(*errors) / 2
    assert (whole.value - whole.low, whole.high - whole.value) == pytest.approx((error, error), rel=1e-4)
    shown = Console(width=200, file=io.StringIO())
    shown.print(tables(result))
    line = f"progress  {whole.value:.3f} ± {error:.3f}  mean over worlds"
    assert line in shown.file.getvalue()  # type: ignore[attr-defined]
    record = json.loads((tmp_path / "run" / SUMMARY).read_text())
    assert record["progress"]["value"] == pytest.approx(whole.value)
    assert [world["counted"] for world in record["worlds"]] == [counted] * 2


def test_an_entry_replaces_what_its_family_says(tmp_path: Path) -> None:
    text = 'kinds = ["text"]\nepisodes = 9\n[[worlds]]\nid = "Household-v1"\nsplit = "test_unseen"\nepisodes = 3\n'
    worlds = {world.name: world for world in load_suite(written(tmp_path, text)).worlds}
    assert worlds["Household-v1-test_unseen"].episodes == 3
    assert "Household-v1" not in worlds
    assert worlds["TextCraft-v1"].episodes == 9


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[worlds]]\nid = 'FrozenLak-v0'", "did you mean 'FrozenLake-v0'"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\nsplit = 'tset'", "did you mean 'test'"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\nepisode = 4", "did you mean 'episodes'"),
        ("[[world]]\nid = 'FrozenLake-v0'", "did you mean 'worlds'"),
        ("kinds = ['game']", "did you mean 'games'"),
        ("[[worlds]]\nid = 'nowhere_to_be_found:Lab/Lake-v0'", "cannot be imported"),
        ("[[worlds]]\nid = 7", "id must be a text, got 7"),
        ("[[worlds]]\nsplit = 'test'", "a table with an id"),
        ("worlds = ['FrozenLake-v0']", "a table with an id"),
        ("worlds = 'FrozenLake-v0'", "worlds must be a list"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 0", "whole number above 0, got 0"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = true", "whole number above 0, got True"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\noptions = 'slippery'", "options must be a table"),
        ("[[worlds]]\nid = 'FrozenLake-v0'\n[[worlds]]\nid = 'FrozenLake-v0'", "stands there twice"),
        ("description = 'none'", "no worlds"),
        ("kinds = ['text']\n[left_out]\nALFWorld = 1", "left_out must say why ALFWorld is left out"),
        ("worlds = [", "no TOML"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(AgentGymError) as refused:
        load_suite(written(tmp_path, text))
    assert complaint in str(refused.value)
    assert "mine" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_suite_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'smoke'"):
        load_suite("smoek")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_suite(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b"description = '\xe9'")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_suite(str(tmp_path / "latin.toml"))


def test_each_world_is_played_as_if_alone(dice: str, tmp_path: Path) -> None:
    result = play(written(tmp_path, TWO.format(dice=dice)), tmp_path / "run", seed=3)
    alone = evaluate_world("FrozenLake-v0", "random", episodes=6, seed=3, workers=1, out=tmp_path / "alone")
    assert result.worlds[1].result is not None
    assert result.worlds[1].result.episodes == alone.episodes
    assert read_episodes(tmp_path / "run" / "FrozenLake-v0") == read_episodes(tmp_path / "alone")


def test_scores_stand_between_random_and_oracle(dice: str, tmp_path: Path) -> None:
    result = play(written(tmp_path, TWO.format(dice=dice)), tmp_path / "run", "oracle")
    lake = result.worlds[1]
    card = agentgym.catalog()["AgentGym/FrozenLake-v0"].scores["test"]
    assert lake.result is not None
    assert lake.normalized is not None
    success = lake.result.summary.success
    span = card["oracle"].success - card["random"].success
    assert lake.normalized.value == pytest.approx((success.value - card["random"].success) / span)
    assert lake.normalized.low == pytest.approx((success.low - card["random"].success) / span)
    assert result.aggregates["mean"].value == pytest.approx(lake.normalized.value), "the only one that has scores"
    assert list(result.by_kind) == ["games"]


def test_nothing_is_left_out_in_silence(dice: str, tmp_path: Path) -> None:
    text = TWO.format(dice=dice) + "\n[[worlds]]\nid = 'ALFWorld-v0'\n[[worlds]]\nid = 'FrozenLake-v0'\n"
    text += "options = { slippery = false }\n"
    result = play(written(tmp_path, text), tmp_path / "run")
    reasons = [each.reason for each in result.worlds]
    assert "no scores of random and oracle" in reasons[0]
    assert reasons[1] == ""
    assert "needs the option 'games'" in reasons[2]
    assert "default options" in reasons[3]
    assert [each.world.name for each in result.not_run] == ["ALFWorld-v0"]
    record = json.loads((tmp_path / "run" / SUMMARY).read_text())
    assert [world["reason"] for world in record["worlds"]] == reasons
    assert [world["played"] for world in record["worlds"]] == [True, True, False, True]
    assert record["not_run"] == ["ALFWorld-v0"]
    assert record["in_aggregates"] == 1


def test_a_missing_extra_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nle", None)
    text = "[[worlds]]\nid = 'NetHack-v0'\n[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 2\n"
    result = evaluate_suite(written(tmp_path, text), "random", out=tmp_path / "run", workers=0)
    assert "agentgym-suite[nethack]" in result.worlds[0].reason
    assert result.worlds[1].result is not None


def test_what_was_played_is_not_played_again(dice: str, tmp_path: Path) -> None:
    file, seen = written(tmp_path, TWO.format(dice=dice)), []

    def watch(world: Any, episode: Any, done: int, total: int) -> None:
        if episode is not None:
            seen.append((world.name, episode.task_id))
        if len(seen) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="1 worlds were finished"):
        play(file, tmp_path / "run", on_episode=watch)
    assert not (tmp_path / "run" / SUMMARY).exists()
    first = list(seen)
    again = play(file, tmp_path / "run", on_episode=lambda w, e, d, t: seen.append((w.name, e and e.task_id)))
    later = [each for each in seen[6:] if each[1] is not None]
    assert len(first) + len(later) == 10
    assert not set(first) & set(later)
    whole = play(file, tmp_path / "whole")
    assert again.record() == whole.record()


def test_another_run_in_the_same_folder_is_refused(dice: str, tmp_path: Path) -> None:
    file = written(tmp_path, TWO.format(dice=dice))
    play(file, tmp_path / "run", episodes=1)
    with pytest.raises(ConfigError, match="holds a run with seed 0, this one has 1"):
        play(file, tmp_path / "run", episodes=1, seed=1)
    changed = written(tmp_path, TWO.format(dice=dice).replace("episodes = 6", "episodes = 5"))
    with pytest.raises(ConfigError, match="holds a run with worlds"):
        play(changed, tmp_path / "run", episodes=1)
    fresh = play(file, tmp_path / "run", episodes=1, seed=1, fresh=True)
    assert all(each.result and each.result.config.seed == 1 for each in fresh.worlds)


def test_starting_anew_leaves_nothing_of_before(dice: str, tmp_path: Path) -> None:
    """Also when the new start is interrupted before it reaches the second world."""
    file = written(tmp_path, TWO.format(dice=dice))
    play(file, tmp_path / "run")

    def stop(world: Any, episode: Any, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(file, tmp_path / "run", fresh=True, on_episode=stop)
    assert not (tmp_path / "run" / "FrozenLake-v0" / "episodes.jsonl").exists()
    assert not (tmp_path / "run" / SUMMARY).exists()


def test_fewer_episodes_and_small_splits(tmp_path: Path) -> None:
    text = "[[worlds]]\nid = 'NumberLine-v0'\nepisodes = 200\n[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 2\n"
    for most, played in ((4, [4, 2]), (None, [106, 2])):
        result = play(written(tmp_path, text), tmp_path / f"run{most}", episodes=most)
        assert [each.result and each.result.config.episodes for each in result.worlds] == played


def test_nobody_answers(dice: str, tmp_path: Path) -> None:
    """An endpoint that is gone ends the suite; it does not fail in one world after the other."""
    text = TWO.format(dice=dice).replace("= 4", "= 6")
    with pytest.raises(EndpointError, match="my head hurts"):
        play(written(tmp_path, text), tmp_path / "run", f"{MODULE}:Unlucky")
    gives_up = play(written(tmp_path, text), tmp_path / "other", f"{MODULE}:Unlucky", agent_options={"gives_up": True})
    assert all("my head hurts" in each.reason for each in gives_up.not_run)
    assert len(gives_up.not_run) == 2
    assert gives_up.aggregates == {}


def test_an_agent_that_is_none_is_said_before_anything_is_played(dice: str, tmp_path: Path) -> None:
    file = written(tmp_path, TWO.format(dice=dice))
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        play(file, tmp_path / "run", "randon")
    with pytest.raises(ConfigError):
        play(file, tmp_path / "run", "random", agent_options={"colour": 1})
    assert not (tmp_path / "run").exists()


def test_failed_episodes_are_counted(dice: str, tmp_path: Path) -> None:
    text = f"[[worlds]]\nid = '{dice}'\nepisodes = 4\noptions = {{ stillborn = 'd1' }}\n"
    result = play(written(tmp_path, text), tmp_path / "run")
    assert result.failed_episodes == 1
    assert result.record()["worlds"][0]["left_out"] == 1
    shown = Console(width=200, file=io.StringIO())
    shown.print(tables(result))
    assert "1 (25.0 %)" in shown.file.getvalue()  # type: ignore[attr-defined]


def test_aggregates_say_what_share_they_are_not_of(dice: str, tmp_path: Path) -> None:
    worlds = "[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 4\n[[worlds]]\nid = 'Bandit-v0'\nepisodes = 4\n"
    whole = play(written(tmp_path, worlds), tmp_path / "run")
    first, second = whole.worlds
    assert isinstance(first.result, EvaluationResult)
    assert None not in (first.scores, second.scores)
    episodes = [replace(first.result.episodes[0], failure_kind="outage"), *first.result.episodes[1:]]
    short = replace(first.result, episodes=episodes, summary=summarize(episodes, 1))
    result = replace(whole, worlds=(replace(first, result=short), second))
    assert (whole.left_out(), result.left_out()) == (0.0, 1 / 8)
    screen = Console(width=200, file=io.StringIO())
    screen.print(tables(result))
    last = [line for line in screen.file.getvalue().splitlines() if " all " in line]  # type: ignore[attr-defined]
    assert last[0].rstrip("│ ").endswith("12.5 %")
    assert result.record()["left_out"] == result.left_out()
    assert result.record()["left_out_by_kind"] == {kind: result.left_out(kind) for kind in result.by_kind}


def test_a_budget_is_that_of_the_whole_suite(tmp_path: Path) -> None:
    """Two turns in each of six episodes, ten tokens read in each turn: a cent. Ten turns are allowed, then all."""
    world = "[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 3\noptions = {{ max_turns = 2, slippery = {} }}\n"
    file = written(tmp_path, world.format("false") + world.format("true"))
    with ChatServer(lambda number, request: completion("sleep", written=0)) as server:
        options = {"model": "m", "base_url": server.base_url, "concurrency": 1, "price_in": 1000.0, "price_out": 0.0}
        with pytest.raises(BudgetSpent, match="dollars is spent"):
            play(file, tmp_path / "run", "endpoint", agent_options={**options, "max_cost": 0.095})
        assert len(server.requests) == 10
        with pytest.raises(BudgetSpent, match=r"--max-cost 0\.06 is spent after 1 worlds"):
            play(file, tmp_path / "run", "endpoint", agent_options={**options, "max_cost": 0.06})
        assert len(server.requests) == 10
        (first, *_) = (
            folder for folder in sorted((tmp_path / "run").iterdir()) if (folder / "episodes.jsonl").exists()
        )
        lines = (first / "episodes.jsonl").read_text()
        (first / "episodes.jsonl").write_text(lines + lines)  # as if all had been played again after an outage
        with pytest.raises(BudgetSpent, match=r"--max-cost 0\.11 is spent after 1 worlds"):
            play(file, tmp_path / "run", "endpoint", agent_options={**options, "max_cost": 0.11})
        (first / "episodes.jsonl").write_text(lines)
        whole = play(file, tmp_path / "run", "endpoint", agent_options={**options, "max_cost": 5.0})
        assert len(server.requests) <= 10 + 4
    assert [each.result and each.result.summary.scored for each in whole.worlds] == [3, 3]


def test_games_of_several_players_are_played_as_their_cards_were_measured(tmp_path: Path) -> None:
    text = "episodes = 2\n" + "".join(
        f"[[worlds]]\nid = '{name}-v0'\n" for name in ("KuhnPoker", "Hanabi", "FrozenLake")
    )
    file, seen = written(tmp_path, text), []
    result = play(file, tmp_path / "run", "expert", on_episode=lambda w, e, d, t: seen.append((w.name, d, t)))
    assert result.not_run == []
    kuhn, hanabi, _ = result.worlds
    alone = evaluate_player("KuhnPoker-v0", "expert", games=2, out=tmp_path / "alone", here=True)
    assert isinstance(kuhn.result, MatchResult)
    assert kuhn.result.games == alone.games
    assert kuhn.played is not None
    assert kuhn.played.success == alone.figures[0].success
    card = agentgym.catalog()["AgentGym/KuhnPoker-v0"].scores["test"]
    low, high = card["random"].success, card["oracle"].success
    assert kuhn.normalized is not None
    assert kuhn.normalized.value == pytest.approx((kuhn.played.success.value - low) / (high - low))
    assert isinstance(hanabi.result, MatchResult)
    assert {one.agent for game in hanabi.result.games for one in game.players.values()} == {"expert"}
    assert ("KuhnPoker-v0", 2, 2) in seen
    record = json.loads((tmp_path / "run" / SUMMARY).read_text())
    assert [world["played"] for world in record["worlds"]] == [True, True, True]
    again = play(file, tmp_path / "run", "expert")
    assert again.record() == result.record()
    counted = Counter(episode.env.rpartition("/")[2] for episode in read_run(tmp_path / "run"))
    assert counted == {
        "FrozenLake-v0": 2,
        "KuhnPoker-v0": len(kuhn.result.games),
        "Hanabi-v0": len(hanabi.result.games),
    }


def test_a_model_plays_a_suite_through_a_wrapper(tmp_path: Path) -> None:
    text = "episodes = 1\n[[worlds]]\nid = 'KuhnPoker-v0'\n[[worlds]]\nid = 'FrozenLake-v0'\n"
    with ChatServer(lambda number, request: completion("Thought: so.\nAction: pass")) as chat:
        options = {"model": "m", "base_url": chat.base_url}
        result = play(written(tmp_path, text), tmp_path / "run", "endpoint", agent_options=options, wrap=["ReAct"])
    game, lake = (world.result for world in result.worlds)
    assert isinstance(game, MatchResult)
    assert isinstance(lake, EvaluationResult)
    assert game.agents[0] == "endpoint [ReAct]"
    assert lake.config.asked == ["ReAct"]
    with pytest.raises(ConfigError, match="holds a run with "):
        play(written(tmp_path, text), tmp_path / "run", "endpoint", agent_options=options)


@pytest.mark.full
def test_a_suite_is_played_by_smollm2(tmp_path: Path) -> None:
    """One episode of two turns in a world of words, one of tools, and one of several players."""
    from tests.agents.pretrained import need_smollm2

    need_smollm2()
    worlds = ("LightsOut-v0", "Todo-v0", "KuhnPoker-v0")
    suite = written(tmp_path, "".join(
        f"[[worlds]]\nid = '{world}'\nepisodes = 1\noptions = {{ max_turns = 2 }}\n" for world in worlds
    ))  # fmt: skip
    options = {"model": "smollm2", "device": "cpu", "max_tokens": 16, "max_prompt_tokens": 3000}
    result = play(suite, tmp_path / "run", "hf", agent_options=options)
    assert result.not_run == []
    assert result.failed_episodes == 0
    for world in result.worlds:
        assert world.played is not None
        assert world.played.prompt_tokens > 100
        assert 1 <= world.played.completion_tokens <= 2 * options["max_tokens"]
    again = play(suite, tmp_path / "run", "hf", agent_options=options)
    assert [world.played for world in again.worlds] == [world.played for world in result.worlds], (
        "nothing was played anew"
    )
