"""How models are asked that are players of a game, and what tells them apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents.hugging_face import Home
from agentgym.core import AgentGymError, ConfigError
from agentgym.evaluate import Agent, evaluate_player, match
from agentgym.evaluate.tournament import tournament
from tests.agents.server import Answer, ChatServer, completion

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


def test_a_tournament_of_a_model_and_a_program(server: ChatServer, tmp_path: Path) -> None:
    result = tournament(
        KUHN, ["endpoint:m", "strong"], deals=2, out=tmp_path, wrap=["ReAct"], env_kwargs=SHORT,
        agent_options={"base_url": server.base_url},
    )  # fmt: skip
    assert set(result.players) == {"endpoint:m [ReAct]", "strong"}
    assert not result.failures
    said = {(game.players[turn.player].agent, turn.action) for game in result.games for turn in game.turns}
    assert {action.startswith("Thought: I wait.") for agent, action in said if agent == "endpoint:m [ReAct]"} == {True}


def test_what_has_no_effect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="wrap has no effect on programs, such as expert, strong; name a model"):
        evaluate_player(KUHN, "expert", opponent="strong", wrap=["ReAct"], out=tmp_path)
    with pytest.raises(AgentGymError, match="did you mean 'ReAct'"):
        match(KUHN, {"player_0": Agent("hf:m", wrap=["Reakt"]), "player_1": "strong"}, out=tmp_path)
    with pytest.raises(ConfigError, match="SeveralActions"):
        evaluate_player(KUHN, "endpoint:m", wrap=["SeveralActions"], out=tmp_path)


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
