"""Tournaments: fair deals, figures by hand, nothing lost when they are cut off."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.cli import run
from agentgym.core import AgentGymError, BudgetSpent, ConfigError, EndpointError
from agentgym.evaluate import EpisodeRecord, Interrupted
from agentgym.evaluate.tournament import _paid, tournament
from tests.agents.server import Answer, ChatServer, completion

KUHN, BOARD = "KuhnPoker-v0", "TicTacToe-v0"


def first_legal(text: str, admissible: list[str] | None, rng: np.random.Generator) -> str:
    """A player of one's own."""
    assert text
    assert admissible
    return admissible[0]


MINE = "tests.evaluate.test_tournament:first_legal"


@pytest.mark.full
def test_equal_players_cancel_their_luck_and_stronger_ones_win() -> None:
    result = tournament(KUHN, ["random", "simple", "strong"], deals=10)
    assert len(result.games) == 10 * 2 * (3 + 2 * 3)
    for player in result.players:
        assert result.payoffs[player][player].value == 0  # both players of a deal, the same dice
    for one in result.players:
        for other in result.players:
            assert result.payoffs[one][other].value == pytest.approx(-result.payoffs[other][one].value)
    assert result.standings[-1].name == "random"
    assert math.fsum(each.rating.value for each in result.standings) == pytest.approx(0, abs=1e-6)
    for each in result.standings:
        assert each.rating.low <= each.rating.value <= each.rating.high


@pytest.mark.full
def test_a_tournament_is_the_same_each_time_and_takes_players_of_ones_own() -> None:
    twice = [tournament(BOARD, [MINE, "oracle"], deals=4, seed=3) for _ in range(2)]
    assert twice[0] == twice[1]
    assert twice[0].standings[0].name == "oracle"
    assert twice[0].games != tournament(BOARD, ["random", "oracle"], deals=4, seed=4).games
    assert MINE in {player.agent for player in twice[0].games[0].players.values()}


def test_whole_sides_meet_whole_sides() -> None:
    result = tournament("Werewolf-v1", ["random", "simple"], deals=4)
    assert result.rated_by == "openskill"
    assert len(result.games) == 4 * 2 * 4, "each pairing plays as wolves and as village"
    assert {game.fixture.position for game in result.counted} == {"wolves", "village"}
    held = set()
    for record, game in zip(result.games, result.counted, strict=True):
        fixture = game.fixture
        assert [len(fixture.sides[side]) for side in ("wolves", "village")] == [2, 5]
        assert {game.payoff, game.against} <= {-1.0, 0.0, 1.0}, "a side is paid alike"
        for side, players in fixture.sides.items():
            wanted = fixture.first if side == fixture.position else fixture.second
            assert {record.players[who].agent for who in players} == {wanted}
        held.add(tuple(fixture.sides["wolves"]))
    assert len(held) > 1, "who is a wolf differs between deals"


def test_where_all_play_together_the_return_of_the_own_team_ranks() -> None:
    result = tournament("Hanabi-v0", ["strong", "random", "simple"], deals=3)
    assert result.rated_by == "return"
    assert [each.name for each in result.standings] == ["strong", "simple", "random"]
    for each in result.standings:
        assert each.rating.value == pytest.approx(result.payoffs[each.name][each.name].value)


@pytest.mark.full
def test_the_order_of_agents_changes_nothing() -> None:
    for name, kind in ((KUHN, "elo"), ("BlackjackTable-v0", "openskill")):
        one, other = (tournament(name, order, deals=2) for order in (["random", "simple"], ["simple", "random"]))
        assert one.rated_by == other.rated_by == kind
        assert list(one.standings) == list(other.standings)
        assert sorted(one.games, key=lambda game: game.key) == sorted(other.games, key=lambda game: game.key)


@pytest.mark.full
def test_the_record_shows_what_each_player_saw(tmp_path: Path) -> None:
    result = tournament(KUHN, ["random", "simple"], deals=2, out=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    by_key = {EpisodeRecord.from_line(json.dumps(line)).key: line for line in lines}
    assert len(by_key) == len(lines) == len(result.games)
    for game in result.games:
        assert [turn.observation for turn in game.turns] == [turn["observation"] for turn in by_key[game.key]["turns"]]
        for turn in game.turns:
            other = "player_1" if turn.player == "player_0" else "player_0"
            assert "Your card: " in turn.observation
            assert f"You are {other}." not in turn.observation
        assert all("The match is over" in player.final_observation for player in game.players.values())


def test_giving_up_pays_no_more_than_losing(tmp_path: Path) -> None:
    """Who holds chips when it can say no more has lost them: the worst on its side of the deal counts."""
    played = tournament(KUHN, ["random", "simple"], deals=2).counted
    given_up = [
        replace(game, payoff=99.0, lost_by="random") if game.fixture.first == "random" else game for game in played
    ]
    paid = _paid(given_up)
    for before, after in zip(given_up, paid, strict=True):
        place = before.fixture.position, before.fixture.deal
        alike = [game.payoff for game in given_up if (game.fixture.position, game.fixture.deal) == place]
        assert after.payoff == (min(alike) if before.lost_by == before.fixture.first else before.payoff)
    assert max(game.payoff for game in paid) < 99.0


def untimed(file: Path) -> list[str]:
    """The lines of a record without the duration, which is their last entry, in alphabetical order."""
    return sorted(line.rpartition('"wall_seconds"')[0] for line in file.read_text().splitlines())


def test_a_tournament_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 7:
            raise Stop

    whole = tournament(KUHN, ["random", "simple"], deals=3, out=tmp_path / "whole")
    with pytest.raises(Stop):
        tournament(KUHN, ["random", "simple"], deals=3, out=tmp_path / "cut", on_game=stop)
    path = tmp_path / "cut" / "games.jsonl"
    assert len(path.read_text().splitlines()) == 7, "games are kept as they end"
    path.write_text(path.read_text() + '{"format": 2, "en')  # a kill in the middle of a line
    done: list[int] = []
    again = tournament(
        KUHN, ["random", "simple"], deals=3, out=tmp_path / "cut", on_game=lambda count, _: done.append(count)
    )
    assert done[0] == 8
    assert again == whole
    assert untimed(path) == untimed(tmp_path / "whole" / "games.jsonl")
    with pytest.raises(AgentGymError, match="holds a run with deals 3, this one has 4"):
        tournament(KUHN, ["random", "simple"], deals=4, out=tmp_path / "cut")


@pytest.mark.parametrize(
    ("name", "players", "complaint"),
    [
        ("FrozenLake-v0", ["random", "oracle"], "has one player"),
        (KUHN, ["random"], "at least two players"),
        (KUHN, ["random", "random"], "each named once"),
        (KUHN, ["random", "simpel"], "did you mean 'simple'"),
        (KUHN, ["random", "tests.evaluate.test_tournament:nobody"], "cannot be imported"),
    ],
)
def test_bad_input_is_refused_in_one_line(name: str, players: list[str], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint) as refused:
        tournament(name, players, deals=2)
    assert "\n" not in str(refused.value)


def test_what_was_refused_before_the_first_game_leaves_the_folder_free(tmp_path: Path) -> None:
    models = {"base_url": "http://127.0.0.1:9/v1", "tools": True}
    with pytest.raises(ConfigError, match="has no tools to call"):
        tournament(BOARD, ["endpoint:m", "random"], deals=2, agent_options=models, out=tmp_path)
    assert len(tournament(BOARD, ["oracle", "random"], deals=2, out=tmp_path).games) == 16
    with pytest.raises(ConfigError, match="holds a run with"):
        tournament(BOARD, ["expert", "random"], deals=2, out=tmp_path)


def test_the_command_prints_standings_and_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["tournament", BOARD, "--deals", "2", "--agents", "random,oracle"]) == 0
    out = capsys.readouterr().out
    assert out.index("oracle") < out.index("random")
    folder = tmp_path / "runs" / "tournament" / "TicTacToe-v0"
    games: list[dict[str, Any]] = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert len(games) == 2 * 2 * 4
    html = (folder / "report.html").read_text()
    assert "Cross-play" in html
    assert games[2]["turns"][0]["action"] in html
    assert games[2]["turns"][1]["observation"].splitlines()[0] in html
    assert "Elo by maximum likelihood" in html
    assert run(["tournament", BOARD, "--deals", "100000"]) == 2
    assert "ask for fewer deals" in capsys.readouterr().err


@pytest.mark.full
def test_a_damaged_record_of_games_is_one_line_and_no_game_is_lost(tmp_path: Path) -> None:
    whole = tournament(KUHN, ["random", "simple"], deals=2, out=tmp_path)
    path = tmp_path / "games.jsonl"
    lines, known = path.read_bytes().splitlines(keepends=True), untimed(path)
    for bad in (b"{", b"[" * 100_000, b"{}", b"\0\0"):
        path.write_bytes(b"".join([*lines[:3], bad + b"\n", *lines[4:]]))
        with pytest.raises(AgentGymError, match=r"games\.jsonl, line 4: .*; mend or remove the line") as refused:
            tournament(KUHN, ["random", "simple"], deals=2, out=tmp_path)
        assert "\n" not in str(refused.value)
    path.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    assert tournament(KUHN, ["random", "simple"], deals=2, out=tmp_path) == whole, "only what is missing is played"
    assert untimed(path) == known
    stranger = json.loads(lines[0])
    stranger["fixture"]["first"] = "nobody"
    path.write_bytes(b"".join(lines) + json.dumps(stranger).encode() + b"\n")
    with pytest.raises(AgentGymError, match="a game that is none of this tournament's"):
        tournament(KUHN, ["random", "simple"], deals=2, out=tmp_path)


@pytest.mark.full
def test_a_tournament_says_what_is_saved_when_it_stops(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"deals": 3, "env_kwargs": {"hands": 4}}
    players = ["endpoint:m", "simple"]

    def options(server: ChatServer, **more: Any) -> dict[str, Any]:
        return {"base_url": server.base_url, "retries": 0, "concurrency": 1, **more}

    with ChatServer(lambda number, request: Answer({"error": {"message": "closed"}}, status=503)) as server:
        with pytest.raises(EndpointError, match="in each of the first 5 episodes"):
            tournament(KUHN, players, **asked, out=tmp_path / "down", agent_options=options(server))
        lines = (tmp_path / "down" / "games.jsonl").read_text().splitlines()
        assert [json.loads(line)["failure_kind"] for line in lines] == ["outage"] * 5
    with ChatServer(lambda number, request: completion("pass")) as server:
        limited = options(server, max_total_tokens=300)
        with pytest.raises(BudgetSpent, match=r"[1-9]\d* of 24 games are saved in .*paid, and the command goes on"):
            tournament(KUHN, players, **asked, out=tmp_path / "paid", agent_options=limited)
        with pytest.raises(BudgetSpent, match=r"; [1-9]\d* of 24 games were played"):
            tournament(KUHN, players, **asked, agent_options=limited)
        whole = tournament(KUHN, players, **asked, out=tmp_path / "paid", agent_options=options(server))
    assert len(whole.games) == 24
    assert not whole.failures

    def interrupt(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match=r"3 of 24 games are saved in .*; the same command goes on from there"):
        tournament(KUHN, ["random", "simple"], **asked, out=tmp_path / "cut", on_game=interrupt)


@pytest.mark.parametrize(
    ("stop", "code", "why"),
    [
        ("interrupt", 130, "interrupted"),
        ("time", 1, "the time of 1e-09 minutes is over; raise --max-minutes"),
        ("tokens", 1, "the budget of 300 tokens is spent"),
    ],
)
def test_the_command_stops_with_one_line_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stop: str, code: int, why: str
) -> None:
    """Ctrl-C printed a bare `interrupted`: what was saved, and how to go on, was lost."""
    with ChatServer(lambda number, request: completion("pass")) as server:
        players = ["endpoint:m", "simple"] if stop == "tokens" else ["random", "simple"]
        asked = ["--base-url", server.base_url, "--concurrency", "1"] if stop == "tokens" else []
        command = ["tournament", KUHN, "--agents", ",".join(players), "--deals", "3", "--env", "hands=4", *asked]
        command += ["--out", str(tmp_path)]
        limit = {"time": ["--max-minutes", "1e-9"], "tokens": ["--max-total-tokens", "300"], "interrupt": []}[stop]
        with monkeypatch.context() as patch:
            if stop == "interrupt":
                patch.setattr("agentgym.cli.tournaments.progress", interrupting)
            assert run([*command, *limit]) == code
        said = capsys.readouterr().err.strip()
        records = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
        saved = sum(record["failure_kind"] == "" for record in records)  # the game under way is played again
        assert 0 < saved < 24
        assert "\n" not in said
        assert why in said
        assert f"{saved} of 24 games are saved in {tmp_path}" in said
        assert "command goes on from there" in said
        before = (tmp_path / "games.jsonl").read_bytes()
        assert run(command) == 0
        after = (tmp_path / "games.jsonl").read_bytes()
        assert after.startswith(before)
        assert len(after.splitlines()) == 24 + len(records) - saved
    if stop == "time":
        assert run([*command, "--max-minutes", "0"]) == 2
        assert "max_minutes must be above 0" in capsys.readouterr().err


def test_a_record_that_is_a_broken_link_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "games.jsonl").symlink_to("nowhere")
    assert run(["tournament", "KuhnPoker-v0", "--agents", "random,simple", "--deals", "2", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("agentgym: ")


@contextmanager
def interrupting(what: str) -> Iterator[Any]:
    """A bar during whose third game somebody presses Ctrl-C."""

    def bar(done: int, total: int, note: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    yield bar
