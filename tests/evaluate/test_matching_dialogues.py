"""Models that talk: both sides of the dialogues of DialOp, a data base asked, and a whole group in the commons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run
from agentgym.evaluate import evaluate_player, match
from tests.agents.server import Answer, ChatServer, completion

NONE_STANDS = "No proposal stands."


def negotiator(number: int, request: dict[str, Any]) -> Answer:
    """A model that reads what it is shown: it asks, tells, proposes what it can name, and accepts what stands."""
    messages = request["body"]["messages"]
    shown = [message["content"] for message in messages if message["role"] != "assistant"]
    return completion(f"I have read it all.\n{_move(shown, messages)}", 500, 20)


def _move(shown: list[str], messages: list[dict[str, Any]]) -> str:
    task, last = "\n".join(shown[1:]), shown[-1]
    if NONE_STANDS not in last:
        return "accept"
    if papers := re.findall(r"^([A-Z]\w+ [A-Z]\w+): [A-Z]\w+ \d", task, re.MULTILINE):
        listed = re.search(r"^Reviewers: (.*)\.$", task, re.MULTILINE)
        assert listed
        pairs = zip(dict.fromkeys(papers), listed[1].split(", "), strict=False)
        return "propose " + "; ".join(f"{paper}: {reviewer}" for paper, reviewer in pairs)
    if users := re.findall(r"^Calendar of (user_\d)", task, re.MULTILINE):
        return "propose " + ", ".join(f"{user}: 1" for user in dict.fromkeys(users))
    if "Your wishes:" in task:
        return "say " + "; ".join(re.findall(r"^([^*>\n]+: [+-]\d+)$", task, re.MULTILINE))
    found = re.findall(r"^(\w+ \w+) \(\w+, [^)]*\): at .*open morning", task, re.MULTILINE)
    return f"propose {found[0]}; none; none" if found else "search open morning"


@pytest.mark.parametrize(
    ("world", "options", "players"),
    [
        ("Assignment-v0", {}, ("player_0", "player_1")),
        ("Itinerary-v0", {"queries": 3}, ("player_0", "player_1")),
        ("Mediation-v0", {}, ("assistant_0", "user_1", "user_2")),
    ],
)
def test_models_on_all_sides_of_a_dialogue_come_to_an_agreement(
    world: str, options: dict[str, Any], players: tuple[str, ...], tmp_path: Path
) -> None:
    """Each behind an endpoint of its own name; what only one may see is in the questions to that one alone."""
    with ChatServer(negotiator) as chat:
        holders = {player: f"endpoint:{player}" for player in players}
        result = match(
            world, holders, games=1, out=tmp_path, agent_options={"base_url": chat.base_url}, env_kwargs=options
        )
        (game,) = result.games
        asked = chat.requests
    assert not game.failure
    assert game.stop == "terminated"
    assert all(turn.valid for turn in game.turns), [turn.error for turn in game.turns if not turn.valid]
    assert {row.metrics["agreed"].value for row in result.figures} == {1.0}
    assert {request["body"]["model"] for request in asked} == set(players), "each has said something"
    for request in asked:
        first = request["body"]["messages"][1]["content"]
        assert f"You are {request['body']['model']}" in first
    secrets = {"Your wishes:": "player_0", "The data base finds:": "player_1", "Your calendar": "user_"}
    for words, who in secrets.items():
        readers = {
            request["body"]["model"]
            for request in asked
            if any(words in message["content"] for message in request["body"]["messages"][1:])
        }
        assert all(reader.startswith(who) for reader in readers)
    if world == "Itinerary-v0":
        assert game.players["player_1"].metrics["queries"] == 1
        actions = [turn.action for turn in game.turns]
        assert actions[1] == "search open morning"
        assert actions[2].startswith("propose ")


def test_a_group_of_models_keeps_or_ruins_the_commons_and_it_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """How long the resource survived is a column of the table, on the page and in the figures."""

    def harvest(number: int, request: dict[str, Any]) -> Answer:
        return completion("harvest 10" if request["body"]["model"] == "modest" else "harvest 100", 300, 5)

    survived = {}
    with ChatServer(harvest) as chat:
        for model in ("modest", "greedy"):
            command = ["eval", "Commons-v1", "--agent", f"endpoint:{model}", "--base-url", chat.base_url]
            command += [
                "--episodes",
                "1",
                "--env",
                "months=3",
                "--env",
                "rounds=0",
                "--env",
                "vary=false",
                "--out",
                str(tmp_path / model),
            ]
            assert run(command) == 0
            out = capsys.readouterr().out
            assert "survived" in out
            survived[model] = (tmp_path / model / "report.html").read_text()
        result = evaluate_player(
            "Commons-v1", "endpoint:modest", games=1, out=tmp_path / "again",
            agent_options={"base_url": chat.base_url}, env_kwargs={"months": 3, "rounds": 1, "vary": False},
        )  # fmt: skip
        bodies = [request["body"] for request in chat.requests]
    assert "survived" in survived["modest"]
    assert result.figures[0].metrics["survived"].value == 3
    assert result.figures[0].metrics["equality"].value == 1.0
    assert len(result.games[0].players) == 5
    own = {re.search(r"You are (player_\d)", body["messages"][1]["content"])[1] for body in bodies}  # type: ignore[index]
    assert own == {f"player_{place}" for place in range(5)}, "each has a conversation of its own"
