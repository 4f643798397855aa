"""Matches: models, programs and scripted opponents as the players of a game."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.cli import run
from agentgym.core import AgentGymError, BudgetSpent
from agentgym.evaluate import Agent, evaluate_player, match, read_episodes
from agentgym.evaluate.tournament import tournament
from tests.agents.server import Answer, ChatServer, completion

KUHN, HANABI = "KuhnPoker-v0", "Hanabi-v0"
SHORT = {"hands": 4}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Two models: `bold` bets and `shy` passes."""

    def answer(number: int, request: dict[str, Any]) -> Answer:
        return completion("I think.\nbet" if request["body"]["model"] == "bold" else "pass")

    with ChatServer(answer) as chat:
        yield chat


def last(text: str, admissible: list[str] | None, rng: np.random.Generator) -> str:
    """A player that is a function."""
    assert admissible
    return admissible[-1]


LAST = "tests.evaluate.test_matching:last"


def test_two_models_play_each_other_and_each_sees_its_own_side(server: ChatServer, tmp_path: Path) -> None:
    result = match(
        KUHN,
        {"player_0": "endpoint:bold", "player_1": "endpoint:shy"},
        games=3,
        out=tmp_path,
        agent_options={"base_url": server.base_url},
        env_kwargs=SHORT,
    )
    assert [row.agent for row in result.figures] == ["endpoint:bold", "endpoint:shy"]
    assert [row.held for row in result.figures] == ["player_0", "player_1"]
    assert all(row.scored == 3 and row.prompt_tokens and "draw" in row.metrics for row in result.figures)
    for game in result.games:
        for player, action in (("player_0", "bet"), ("player_1", "pass")):
            one, turns = game.players[player], game.turns_of(player)
            assert {turn.action for turn in turns} == {action}
            assert turns[0].observation.count(f"You are {player}.") == 2  # to begin with, and in each last line
            assert all(turn.observation.count(f"* You are {player}. It is your turn.") == 1 for turn in turns)
            assert one.system.count("The cards are jack, queen and king") == 1
            assert one.score == sum(turn.reward for turn in turns)
    for request in server.requests:
        talk = request["body"]["messages"]
        assert [message["role"] for message in talk].count("system") == 1
        mine = "player_0" if request["body"]["model"] == "bold" else "player_1"
        assert f"You are {mine}." in talk[1]["content"]
        assert talk[-1]["content"].endswith("It is your turn.")
    recorded = {game.task_id: game for game in read_episodes(tmp_path)}  # in the order in which they ended
    assert recorded == {game.task_id: game for game in result.games}


def test_a_match_goes_on_and_plays_outages_again(tmp_path: Path) -> None:
    broken = True

    def answer(number: int, request: dict[str, Any]) -> Answer:
        if broken and number > 4:
            return Answer({"error": {"message": "closed"}}, status=503)
        return completion("pass")

    with ChatServer(answer) as chat:
        options = {"base_url": chat.base_url, "retries": 0, "concurrency": 1}
        players = {"player_0": "endpoint:m", "player_1": LAST}
        asked: dict[str, Any] = {"games": 3, "out": tmp_path, "agent_options": options, "env_kwargs": SHORT}
        first = match(KUHN, players, **asked)
        kinds = Counter(game.failure_kind for game in first.games)
        assert kinds["outage"] >= 1
        assert first.figures[0].scored == kinds[""]
        broken = False
        again = match(KUHN, players, **asked)
        assert not again.failures
        assert again.figures[0].scored == 3
        told: list[Any] = []
        assert match(KUHN, players, **asked, on_game=lambda *news: told.append(news)).games == again.games
        assert told == [(None, 3, 3)]
    with pytest.raises(AgentGymError, match="holds a run with"):
        match(KUHN, {"player_0": "strong", "player_1": LAST}, games=3, out=tmp_path, env_kwargs=SHORT)


def test_a_budget_stops_a_match(server: ChatServer, tmp_path: Path) -> None:
    options = {"base_url": server.base_url, "max_total_tokens": 30, "concurrency": 1}
    with pytest.raises(BudgetSpent, match="of 5 games are saved in"):
        match(KUHN, {"player_0": "endpoint:bold", "player_1": "simple"}, games=5, out=tmp_path, agent_options=options)


def test_an_agent_is_each_player_in_turn_or_all_where_there_is_no_rival(tmp_path: Path) -> None:
    result = evaluate_player(KUHN, "expert", games=4, trials=2, out=tmp_path / "turns", env_kwargs=SHORT)
    held = [next(who for who, one in game.players.items() if one.agent == "expert") for game in result.games]
    assert held == ["player_0", "player_1", "player_0", "player_1", "player_1", "player_0", "player_1", "player_0"]
    assert {one.agent for game in result.games for one in game.players.values()} == {"expert", "simple"}
    together = evaluate_player(HANABI, "strong", games=1, out=tmp_path / "all", here=True)
    assert [one.agent for one in together.games[0].players.values()] == ["strong", "strong"]
    assert [(row.held, row.overall) for row in together.figures] == [
        ("all", True), ("player_0", False), ("player_1", False)
    ]  # fmt: skip


def test_two_agents_of_one_name_are_told_apart(server: ChatServer, tmp_path: Path) -> None:
    bold, shy = (
        Agent("endpoint:bold", {"base_url": server.base_url, "temperature": heat, "concurrency": 2})
        for heat in (0.0, 1.0)
    )
    result = match(KUHN, {"player_0": bold, "player_1": shy}, games=1, out=tmp_path, env_kwargs=SHORT)
    one, other = result.agents
    assert one != other
    assert one.startswith("endpoint:bold#")


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("match Kuhn --player player_0=strong --player player_0=oracle", "given to two agents"),
        ("match Kuhn --player player_0=strong --player player_7=oracle", "unknown player of AgentGym/KuhnPoker-v0"),
        ("match Kuhn --player player_0=strong", "nobody plays player_1"),
        ("match Kuhn --player strong", "--player takes PLAYER=AGENT"),
        ("match Kuhn --player player_0=strong --player player_1=stron", "did you mean 'strong'"),
        ("match Kuhn --player player_0=strong --player player_1=simple --temperature 1", "has no effect on any of"),
        ("match FrozenLake-v0 --player player_0=strong", "has one player"),
        ("eval FrozenLake-v0 --player player_0", "leave out --player"),
        ("eval FrozenLake-v0 --opponent strong", "leave out --opponent"),
        ("eval Kuhn --player player_9", "unknown player"),
        ("eval Kuhn --workers 3", "leave out --workers"),
        ("eval Kuhn --workers ray:2", "leave out --workers"),
        ("eval Hanabi-v0 --player player_0", "name an opponent"),
    ],
)
def test_bad_input_is_one_line(
    command: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([KUHN if word == "Kuhn" else word for word in command.split()]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_the_commands_print_a_table_and_write_a_page(
    server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", KUHN, "--agent", "endpoint", "--model", "bold", "--base-url", server.base_url]
    assert run([*command, "--episodes", "2", "--env", "hands=4", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("endpoint", "simple", "draw", "player_0", "player_1", "tokens"))
    page = (tmp_path / "report.html").read_text()
    assert "I think." in page
    assert '"action":"bet"' in page
    assert "You are player_1." in page


@pytest.mark.full
def test_models_meet_in_tournaments(server: ChatServer, tmp_path: Path) -> None:
    options = {"base_url": server.base_url}
    names = ["endpoint:bold", "endpoint:shy", LAST]
    result = tournament(KUHN, names, deals=2, out=tmp_path, agent_options=options, env_kwargs=SHORT)
    assert {each.name for each in result.standings} == set(names)
    assert all((each.tokens > 0) == each.name.startswith("endpoint") for each in result.standings)
    assert all("draw" in each.metrics for each in result.standings)
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    asked = len(server.requests)
    assert len(lines) == 2 * 2 * 9
    assert tournament(KUHN, names, deals=2, out=tmp_path, agent_options=options, env_kwargs=SHORT) == result
    assert len(server.requests) == asked


def test_a_context_that_is_full_loses_the_game_for_its_agent_alone(tmp_path: Path) -> None:
    def answer(number: int, request: dict[str, Any]) -> Answer:
        if len(request["body"]["messages"]) > 2:
            error = {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}
            return Answer({"error": error}, status=400)
        return completion("pass")

    with ChatServer(answer) as chat:
        options = {"base_url": chat.base_url}
        players = {"player_0": "endpoint:m", "player_1": "strong"}
        result = match(KUHN, players, games=2, out=tmp_path, agent_options=options, env_kwargs={"hands": 8})
        assert all((game.stop, game.stopped_by) == ("context", "player_0") for game in result.games)
        model, other = result.figures
        assert (model.scored, model.lost, model.success.value) == (2, 2, 0.0)
        assert other.scored == 0
        ranked = tournament(KUHN, ["endpoint:m", "strong"], deals=2, agent_options=options, env_kwargs={"hands": 8})
        assert ranked.standings[0].name == "strong"
        assert ranked.standings[0].points == 1.0
