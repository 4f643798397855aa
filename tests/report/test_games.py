"""Pages of matches and tournaments: every game as each player saw it, found and filtered, from the folder alone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run
from agentgym.core import DataError
from agentgym.evaluate import evaluate_player, match
from agentgym.evaluate.metrics import Estimate
from agentgym.evaluate.tournament import tournament
from agentgym.report import match as pages
from agentgym.report.cross_play import tournament_page
from agentgym.report.games import games_page, read_match, read_tournament
from agentgym.report.page import Table
from tests.agents.server import ChatServer, completion

KUHN = "KuhnPoker-v0"
SHORT = {"hands": 4}
GAMES = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of a model and a program, six games of it."""
    out = tmp_path_factory.mktemp("match")
    with ChatServer(lambda number, request: completion(f"Thought {number} of mine.\nbet", 700, 30)) as chat:
        options = {"base_url": chat.base_url, "price_in": 2.0, "concurrency": 1}
        players = {"player_0": "endpoint:m", "player_1": "strong"}
        match(KUHN, players, games=GAMES, out=out, agent_options=options, env_kwargs=SHORT)
    return out


def test_every_game_is_found_filtered_and_read_in_a_browser(browser: Any, folder: Path, tmp_path: Path) -> None:
    assert run(["report", str(folder), "--out", str(tmp_path / "page.html")]) == 0
    result = read_match(folder)
    page = browser.new_page()
    page.set_default_timeout(60_000)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    rows = page.locator("#rows a")
    assert rows.count() == 2 * GAMES
    page.select_option("#side", "player_1")
    assert rows.count() == GAMES
    assert all("player_1: strong" in text for text in rows.all_inner_texts())
    page.select_option("#side", "")
    page.select_option("#agent", "endpoint:m")
    page.select_option("#outcome", "lost")
    lost = sum(not game.players["player_0"].success for game in result.games)
    assert rows.count() == lost
    page.select_option("#outcome", "")
    page.fill("#query", "Thought 1 of mine.")
    page.locator("#count", has_text=re.compile(rf"^1 of {2 * GAMES} episodes$")).wait_for()
    rows.first.click()
    reading = page.locator("#reading")
    reading.locator(".turn").first.wait_for()
    (game,) = [game for game in result.games if any("Thought 1 of mine" in str(turn.said) for turn in game.turns)]
    assert reading.locator(".turn").count() == len(game.turns_of("player_0"))
    assert "player_0: endpoint:m" in reading.locator("header").inner_text()
    first = reading.locator(".turn").first.inner_text()
    assert "You are player_0." in first
    assert "700 tokens read, 30 written" in first
    assert re.search(r"\d(\.\d+)? s\b", first), "how long the answer took"
    assert "0.0014 dollars" in first
    reading.locator("summary", has_text="System message").click()
    assert "The cards are jack, queen and king" in reading.locator("details pre").first.inner_text()
    assert asked == [(tmp_path / "page.html").as_uri()]
    page.close()


def test_figures_are_those_of_the_match_and_the_first_of_many_games_are_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_match(folder)
    assert [row.agent for row in found.figures] == ["endpoint:m", "strong"]
    assert (found.env_id, found.split, len(found.games)) == (f"AgentGym/{KUHN}", "test", GAMES)
    summary = json.loads((folder / "summary.json").read_text())
    assert str(found.figures[0].prompt_tokens) in json.dumps(summary)
    assert "All games, each as every player saw it" in games_page(folder).html()
    monkeypatch.setattr(pages, "SHOWN", 4)
    html = games_page(folder).html()
    assert f"The first 2 of {GAMES} games" in html
    assert html.count('<script type="application/json" id="talk') == 4


@pytest.mark.full
def test_metrics_of_a_tournament_stand_under_their_names(tmp_path: Path) -> None:
    played = tournament(KUHN, ["strong", "random"], deals=2, out=tmp_path, env_kwargs=SHORT)
    best, last = played.standings
    metrics = {"bluffs": Estimate(0.25, 0.125, 0.5)}
    other = {"folds": Estimate(0.75, 0.5, 0.875)}
    standings = [replace(best, metrics=metrics), replace(last, metrics=other)]
    (table,) = tournament_page(replace(played, standings=standings)).sections[0].blocks
    assert isinstance(table, Table)
    first, second = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (first["bluffs"], first["folds"]) == ("0.250 (0.125 to 0.500)", "")
    assert (second["bluffs"], second["folds"]) == ("", "0.750 (0.500 to 0.875)")


def test_a_tournament_is_read_from_its_folder(tmp_path: Path) -> None:
    played = tournament(KUHN, ["strong", "simple", "random"], deals=2, out=tmp_path, env_kwargs=SHORT)
    found = read_tournament(tmp_path)
    assert found.standings == played.standings
    assert found.payoffs == played.payoffs
    html = games_page(tmp_path).html()
    assert html.count('<script type="application/json" id="talk') == 2 * len(played.games)
    assert "strong as player_0 against simple, deal 1" in html
    lines = (tmp_path / "games.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "games.jsonl").write_text("".join(lines[:-1]))
    with pytest.raises(DataError, match=r"35 of at least 36 games are on record"):
        games_page(tmp_path)
    record = json.loads(lines[-1])
    record["fixture"]["first"] = "nobody"
    (tmp_path / "games.jsonl").write_text("".join([*lines[:-1], json.dumps(record) + "\n"]))
    with pytest.raises(DataError, match=r"none of this tournament's"):
        games_page(tmp_path)


def test_what_is_no_page_of_games_is_said_in_a_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "run.json").write_bytes((folder / "run.json").read_bytes())
    (other / "games.jsonl").write_text("")
    for words, complaint in (
        ([str(folder), str(other)], "a page of games is of one match or tournament"),
        ([str(other)], "no game in"),
        ([str(folder), "--pictures"], "--pictures is for evaluations"),
    ):
        assert run(["report", *words, "--out", str(tmp_path / "page.html")]) == 2
        said = capsys.readouterr().err
        assert complaint in said
        assert said.count("\n") == 1
    line = json.loads((folder / "games.jsonl").read_text().splitlines()[0])
    line["players"]["player_0"]["agent"] = "nobody"
    (other / "games.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match=r"a game of nobody, who is not in run\.json"):
        games_page(other)


def test_the_figures_of_all_that_an_agent_held_stand_out(tmp_path: Path) -> None:
    result = evaluate_player(KUHN, "expert", opponent="simple", games=2, out=tmp_path, env_kwargs=SHORT, here=True)
    (table,) = pages.match_page(result).sections[0].blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows][:2] == ["expert", "expert as player_0"]
    assert [table.rows[place][0] for place in table.strong] == ["expert", "simple"]
