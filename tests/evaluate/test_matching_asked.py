"""How models are asked that are players of a game, and what tells them apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents.hugging_face import Home
from agentgym.cli import run
from agentgym.core import AgentGymError, ConfigError
from agentgym.evaluate import Agent, evaluate_player, match
from agentgym.evaluate.tournament import tournament
from tests.agents.server import Answer, ChatServer, call, completion

KUHN = "KuhnPoker-v0"
SHORT = {"hands": 4}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A model that follows ReAct where it was told of it."""

    def answer(number: int, request: dict[str, Any]) -> Answer:
        told = "Reply with a thought" in request["body"]["messages"][0]["content"]
        return completion("Thought: I wait.\nAction: pass" if told else "pass")

    with ChatServer(answer) as chat:
        yield chat


@pytest.mark.full
def test_wrappers_stand_around_the_models_players_alone(server: ChatServer, tmp_path: Path) -> None:
    result = evaluate_player(
        KUHN, "endpoint:m", opponent="strong", games=2, out=tmp_path, wrap=["ReAct"], shots=1, env_kwargs=SHORT,
        agent_options={"base_url": server.base_url},
    )  # fmt: skip
    assert result.agents == ["endpoint:m [ReAct shots=1]", "strong"]
    held = []
    for game in result.games:
        for player, one in game.players.items():
            ours = one.agent != "strong"
            held += [player] if ours else []
            assert all(turn.action.startswith("Thought: ") == ours for turn in game.turns_of(player))
            assert all(turn.valid for turn in game.turns_of(player))
            assert ("Reply with a thought" in one.system) == ours
    assert held == ["player_0", "player_1"], "each in turn, and each with its own wrappers and examples"
    for request in server.requests:
        messages = request["body"]["messages"]
        mine = next(who for who in ("player_0", "player_1") if f"You are {who}." in messages[1]["content"])
        other = {"player_0": "player_1", "player_1": "player_0"}[mine]
        shown = [each["content"] for each in messages if each["role"] == "user"]
        assert all(f"You are {mine}." in text for text in shown), "in the example and in the task"
        assert not any(f"You are {other}." in text for text in shown)
        assert messages[1]["content"].startswith("[Example]\n")
    record = json.loads((tmp_path / "run.json").read_text())["agents"]["endpoint:m [ReAct shots=1]"]
    assert record["wrappers"] == [{"name": "ReAct"}]
    assert set(record["prompt"]["shots"]) == {"player_0", "player_1"}
    with pytest.raises(ConfigError, match="holds a run with agents"):
        evaluate_player(
            KUHN, "endpoint:m", opponent="strong", games=2, out=tmp_path, wrap=["Tags"], shots=1, env_kwargs=SHORT,
            agent_options={"base_url": server.base_url},
        )  # fmt: skip


def test_one_model_asked_in_two_ways_meets_itself(server: ChatServer, tmp_path: Path) -> None:
    options = {"base_url": server.base_url}
    players = {
        "player_0": Agent("endpoint:m", options, wrap=["ReAct"]),
        "player_1": Agent("endpoint:m", {**options, "system": "Be bold."}),
    }
    result = match(KUHN, players, games=1, out=tmp_path, env_kwargs=SHORT)
    one, other = result.agents
    assert one == "endpoint:m [ReAct]"
    assert other.startswith("endpoint:m [system=#")
    (game,) = result.games
    assert game.players["player_1"].system.startswith("Be bold.\n\n")
    assert game.turns_of("player_0")[0].action == "Thought: I wait.\nAction: pass"
    assert game.turns_of("player_1")[0].action == "pass"


@pytest.mark.full
def test_a_tournament_of_a_model_and_a_program(server: ChatServer, tmp_path: Path) -> None:
    result = tournament(
        KUHN, ["endpoint:m", "strong"], deals=2, out=tmp_path, wrap=["ReAct"], env_kwargs=SHORT,
        agent_options={"base_url": server.base_url},
    )  # fmt: skip
    assert set(result.players) == {"endpoint:m [ReAct]", "strong"}
    assert not result.failures
    said = {(game.players[turn.player].agent, turn.action) for game in result.games for turn in game.turns}
    assert {action.startswith("Thought: I wait.") for agent, action in said if agent == "endpoint:m [ReAct]"} == {True}


def test_each_player_of_the_command_line_has_a_server_a_prompt_and_words_of_its_own(
    server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What goes to all is overruled by what stands behind a name, for that agent alone."""
    template, words = tmp_path / "turn.jinja", tmp_path / "words.txt"
    template.write_text("NOW {{ observation }}")
    words.write_text("Be shy.")
    with ChatServer(lambda number, request: completion("bet")) as other:
        one = json.dumps({"base_url": server.base_url, "system": f"@{words}", "temperature": 0.5})
        two = json.dumps({"base_url": other.base_url, "prompt": str(template), "system": "Be bold."})
        command = ["match", KUHN, "--player", f"player_0=endpoint:m {one}", "--player", f"player_1=endpoint:m {two}"]
        command += ["--temperature", "1", "--games", "2", "--env", "hands=4", "--out", str(tmp_path / "out")]
        assert run(command) == 0
        first, second = ([request["body"] for request in chat.requests] for chat in (server, other))
    assert first
    assert second
    assert all(body["messages"][0]["content"].startswith("Be shy.\n\n") for body in first)
    assert all("You are player_0." in body["messages"][1]["content"] for body in first)
    assert {body["temperature"] for body in first} == {0.5}
    assert {body["temperature"] for body in second} == {1.0}
    for body in second:
        system, shown = body["messages"]
        assert system["content"] == "Be bold."
        assert shown["content"].startswith("NOW ")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert len(record["agents"]) == 2
    assert {told["prompt"]["system"] for told in record["agents"].values()} == {"Be shy.", "Be bold."}
    assert "endpoint:m [system=#" in capsys.readouterr().out


@pytest.mark.full
def test_one_model_asked_in_two_ways_is_two_players_of_a_tournament(
    server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = ['endpoint:m {"wrap": ["ReAct"], "shots": 1}', "endpoint:m,strong"]
    command = ["tournament", KUHN, *(word for each in agents for word in ("--agents", each))]
    command += ["--base-url", server.base_url, "--deals", "2", "--env", "hands=4", "--out", str(tmp_path)]
    assert run(command) == 0
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    held = {one["agent"] for game in lines for one in game["players"].values()}
    assert held == {"endpoint:m [ReAct shots=1]", "endpoint:m", "strong"}
    for game in lines:
        thoughtful = {who for who, one in game["players"].items() if "ReAct" in one["agent"]}
        for turn in game["turns"]:
            assert turn["action"].startswith("Thought: ") == (turn["player"] in thoughtful)
    assert "endpoint:m [ReAct" in capsys.readouterr().out


def test_two_models_of_a_game_call_their_own_tools(server: ChatServer, tmp_path: Path) -> None:
    """Each is told the tools that its own wrapper makes of its words, and neither is told of the other's."""

    def other_answer(number: int, request: dict[str, Any]) -> Answer:
        return completion("", tool_calls=[call({}, name="bet", number=number)])

    def answer(number: int, request: dict[str, Any]) -> Answer:
        return completion("", tool_calls=[call({}, name="pass_", number=number)])

    with ChatServer(answer) as one, ChatServer(other_answer) as two:
        command = ["match", KUHN, "--games", "1", "--env", "hands=4", "--tools", "--out", str(tmp_path)]
        style = 'NativeCalls={"style": "openai", "most": 1}'
        for place, chat in enumerate((one, two)):
            own = json.dumps({"base_url": chat.base_url, "wrap": [style], "system": f"You are model {place}."})
            command += ["--player", f"player_{place}=endpoint:m {own}"]
        assert run(command) == 0
        for place, chat in enumerate((one, two)):
            assert chat.requests
            for number, request in enumerate(chat.requests):
                body = request["body"]
                assert {"bet", "pass_"} == {tool["function"]["name"] for tool in body["tools"]}
                assert body["messages"][0]["content"].startswith(f"You are model {place}.")
                asked = [message["content"] for message in body["messages"] if message["role"] == "user"]
                assert f"You are player_{place}." in asked[0]
                calls = [each["tool_calls"][0] for each in body["messages"] if each["role"] == "assistant"]
                assert [each["function"]["name"] for each in calls] == [("pass_", "bet")[place]] * number
    (game,) = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert all(turn["valid"] for turn in game["turns"])


def test_a_rival_has_options_of_its_own(server: ChatServer, tmp_path: Path) -> None:
    with ChatServer(lambda number, request: completion("bet")) as other:
        own = json.dumps({"base_url": other.base_url, "system": "Be bold."})
        command = [
            "eval",
            KUHN,
            "--agent",
            "endpoint:m",
            "--base-url",
            server.base_url,
            "--opponent",
            f"endpoint:m {own}",
        ]
        command += ["--episodes", "2", "--env", "hands=4", "--out", str(tmp_path)]
        assert run(command) == 0
        told = {request["body"]["messages"][0]["content"].startswith("Be bold.") for request in other.requests}
    assert told == {True}
    assert not any(request["body"]["messages"][0]["content"].startswith("Be") for request in server.requests)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ('player_0=endpoint:m {"base_url": }', "what follows 'endpoint:m' must be a JSON object"),
        ('player_0=endpoint:m {"wrap": "ReAct"}', "wrap of 'endpoint:m' must be a list"),
        ('player_0=endpoint:m {"shots": -1}', "shots of 'endpoint:m' must be a whole number"),
        ('player_0=endpoint:m {"system": 3}', "system of 'endpoint:m' must be a text"),
        ('player_0=endpoint:m {"base_urk": "x"}', "the option 'base_urk' has no effect on the agent 'endpoint:m'"),
        ('player_0=endpoint:m {"prompt": "no such file"}', "--prompt no such file cannot be read"),
        ('player_0=strong {"wrap": ["ReAct"]}', "wrap has no effect on the program strong"),
        ('player_0=strong {"temperature": 1}', "the options temperature have no effect on the opponent 'strong'"),
    ],
)
def test_wrong_options_of_a_player_are_one_line(
    words: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["match", KUHN, "--player", words, "--player", "player_1=simple"]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_what_every_agent_has_of_its_own_is_of_no_effect_for_all(tmp_path: Path) -> None:
    own = {"base_url": "http://localhost:1/v1", "temperature": 1.0}
    players = {"player_0": Agent.said("endpoint:m", own), "player_1": "strong"}
    with pytest.raises(ConfigError, match="the option 'temperature' has no effect on any of: endpoint:m, strong"):
        match(KUHN, players, out=tmp_path, agent_options={"temperature": 0.0})


def test_what_has_no_effect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="wrap has no effect on programs, such as expert, strong; name a model"):
        evaluate_player(KUHN, "expert", opponent="strong", wrap=["ReAct"], out=tmp_path)
    with pytest.raises(AgentGymError, match="did you mean 'ReAct'"):
        match(KUHN, {"player_0": Agent("hf:m", wrap=["Reakt"]), "player_1": "strong"}, out=tmp_path)
    with pytest.raises(ConfigError, match="SeveralActions"):
        evaluate_player(KUHN, "endpoint:m", wrap=["SeveralActions"], out=tmp_path)


@pytest.mark.full
def test_a_run_brings_its_wrappers_to_a_game(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    from agentgym.agents.pretrained import load_pretrained, save_engine
    from tests.agents.pretrained import save_small

    run = tmp_path / "run"
    (run / "cloned").mkdir(parents=True)
    save_engine(load_pretrained(str(save_small(tmp_path / "model")), 48, "auto", device="cpu"), run / "cloned")
    Home(f"AgentGym/{KUHN}", SHORT, ({"name": "ReAct"},)).write(run)
    result = evaluate_player(KUHN, f"run:{run}/cloned", opponent="strong", games=1, out=tmp_path / "out")
    (game,) = result.games
    player = next(player for player, one in game.players.items() if one.agent != "strong")
    assert "Reply with a thought and one action" in game.turns_of(player)[0].observation
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["env_kwargs"] == SHORT
    assert record["agents"][f"run:{run}/cloned"]["wrappers"] == [{"name": "ReAct"}]
