"""Games under way: played by orders as a browser gives them."""

from __future__ import annotations

from pathlib import Path

from agentgym.core import card
from agentgym.evaluate import read_episodes, replay
from agentgym.report.evaluation import evaluation_page
from agentgym.ui.holders import Agents
from agentgym.ui.orders import Act, Hint, Leave, TakeBack
from agentgym.ui.table import GameSession, Plan
from tests.ui.conftest import Site, until

LAKE = "AgentGym/FrozenLake-v0"


def table_of(world: str, *holders: str, seed: int = 0, pace: str = "fast") -> GameSession:
    table = GameSession(Plan(card(world), "train", None, seed, holders or ("person",), pace), Agents())
    table.start()
    until(lambda: table.shown.state != "starting")
    return table


def say(table: GameSession, action: str) -> None:
    turns = len(table.shown.board.history)
    assert table.order(Act(action))
    until(lambda: table.shown.state == "over" or len(table.shown.board.history) > turns or table.ended)


def test_a_person_plays_to_the_end_and_takes_the_end_back() -> None:
    table = table_of(LAKE)
    first = table.shown.board
    assert first.actions == ["down", "left", "right", "up"]
    assert first.picture.startswith(b"\x89PNG")
    assert "Walk over the ice" in first.manual
    assert not table.order(TakeBack()), "there is nothing to take back"
    while table.shown.state != "over":
        assert table.order(Hint())
        until(lambda: table.shown.note != "" or table.shown.state != "person")
        say(table, table.shown.note.removeprefix("The expert would say: "))
        assert len(table.shown.board.history) < 50
    turns = len(table.shown.board.history)
    assert table.shown.success
    assert table.record is not None
    assert len(table.record.turns) == turns
    assert table.order(TakeBack())
    until(lambda: table.shown.state == "person")
    assert table.record is None
    assert len(table.shown.board.history) == turns - 1
    for _ in range(turns - 1):
        assert table.order(TakeBack())
        until(lambda: table.shown.state == "person")
    assert table.shown.board == first, "all the way back, to the byte"
    table.leave()
    until(lambda: table.shown.state == "left")


def test_orders_out_of_turn_are_refused() -> None:
    table = table_of(LAKE)
    table.leave()
    until(lambda: table.shown.state == "left")
    assert not table.order(Act("left"))
    assert not table.order(Hint())
    assert not table.order(TakeBack())


def test_a_refused_action_is_shown_as_refused() -> None:
    table = table_of(LAKE)
    say(table, "fly <away>")
    (entry,) = table.shown.board.history
    assert not entry.valid
    assert "not an action here" in entry.error
    table.leave()


def test_a_game_of_programs_is_watched_and_can_be_held() -> None:
    table = table_of("AgentGym/KuhnPoker-v0", "expert", "random", pace="slow")
    table.pause(True)
    until(lambda: table.shown.board is not None)
    table.pause(False)
    table.leave()
    until(lambda: table.ended)
    table = table_of("AgentGym/KuhnPoker-v0", "expert", "random")
    until(lambda: table.ended)
    assert table.shown.state == "over"
    history = table.shown.board.history
    assert {entry.player for entry in history} == {"player_0", "player_1"}
    assert [entry.number for entry in history] == list(range(1, len(history) + 1))
    assert table.record is not None
    assert {player: one.agent for player, one in table.record.players.items()} == {
        "player_0": "expert",
        "player_1": "random",
    }


def test_people_hand_the_machine_over_and_see_their_own_cards_only() -> None:
    table = table_of("AgentGym/KuhnPoker-v0", "person", "person")
    until(lambda: table.shown.state == "person")
    assert not table.shown.ready
    assert not table.order(Act("bet")), "nobody has taken over"
    table.take_over()
    first = table.shown.board
    assert first.player == "player_0"
    say_and_wait(table, "bet")
    second = table.shown.board
    assert (second.player, table.shown.ready) == ("player_1", False)
    assert [entry.player for entry in second.history] == [], "what the other did stands in what is seen"
    table.take_over()
    assert table.order(TakeBack()), "what one did, either may take back"
    until(lambda: table.shown.state == "person" and table.shown.board.player == "player_0")
    assert table.shown.board == first
    table.leave()


def say_and_wait(table: GameSession, action: str) -> None:
    before = table.shown.board
    assert table.order(Act(action))
    until(lambda: table.shown.state == "person" and table.shown.board is not before)


def test_what_the_world_or_a_player_lacks_is_said(site: Site) -> None:
    status, _, text = site.ask("POST", "/worlds/AgentGym/Browser-v0/start", {"seed": "0"})
    assert status == 400
    assert "needs the option" in text
    assert site.app.state.tables.all() == []


def test_a_saved_game_is_a_run_for_every_reader(site: Site, runs: Path) -> None:
    for seed in ("0", "0", "1"):
        table = site.begin(LAKE, player0="person", seed=seed)
        until(lambda table=table: table.shown.state == "person")
        while table.shown.state != "over":
            table.order(Hint())
            until(lambda table=table: table.shown.note != "")
            say(table, table.shown.note.removeprefix("The expert would say: "))
        assert site.ask("POST", f"/games/{table.id}/save", {})[0] == 303
        assert site.ask("POST", f"/games/{table.id}/save", {})[0] == 303, "twice is once"
        table.order(Leave())
    folder = runs / "people" / "FrozenLake-v0-train-human"
    episodes = read_episodes(folder)
    assert [each.trial for each in episodes] == [0, 1, 0]
    assert {each.only.agent for each in episodes} == {"human"}
    assert [outcome.difference for outcome in replay(folder)] == [""] * 3
    assert "human" in evaluation_page([folder]).html()
    status, _, text = site.ask("GET", "/runs")
    assert status == 200
    assert "people/FrozenLake-v0-train-human" in text


def test_games_are_saved_as_a_match_is(site: Site, runs: Path) -> None:
    for rival in ("random", "strong"):
        table = site.begin("AgentGym/KuhnPoker-v0", player0="expert", player1=rival, pace="fast")
        until(lambda table=table: table.ended)
        assert site.ask("POST", f"/games/{table.id}/save", {})[0] == 303
    folder = runs / "people" / "KuhnPoker-v0-train-games"
    games = read_episodes(folder)
    assert [game.players["player_1"].agent for game in games] == ["random", "strong"]
    assert [outcome.difference for outcome in replay(folder)] == ["", ""]
    status, _, text = site.ask("GET", "/report?run=people/KuhnPoker-v0-train-games")
    assert status == 200
    assert "each as every player saw it" in text
