"""`summary.json`: seed, retries, tokens, cost, latency, refusals and failed tools beside success."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.evaluate import evaluate, match, read_episodes
from tests.agents.server import Answer, ChatServer, call, completion
from tests.agents.tool_world import NAME as DRAWERS

PRICES = {"price_in": 2.0, "price_out": 4.0}


def written(folder: Path) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads((folder / "summary.json").read_text(), parse_constant=refuse)


def test_what_a_run_took_stands_beside_what_it_achieved(tmp_path: Path) -> None:
    """Task 1: the service is busy once, a drawer that is none, a refusal, then the drawers in order."""
    answers = [
        Answer({"error": "busy"}, status=503, headers={"Retry-After": "0"}),
        completion(None, tool_calls=[call({"drawer": 7})]),
        completion(None, refusal="I would rather not."),
        completion(None, tool_calls=[call({"drawer": 1})]),
    ]
    with ChatServer(lambda number, request: answers[number - 1]) as chat:
        options = {"model": "m", "base_url": chat.base_url, "concurrency": 1, "tools": True, **PRICES}
        evaluate(DRAWERS, "endpoint", episodes=1, seed=3, workers=0, out=tmp_path, agent_options=options)
    found = written(tmp_path)
    assert (found["seed"], found["agent"], found["split"]) == (3, "endpoint", "test")
    assert found["success"]["value"] == 1.0
    assert (found["prompt_tokens"], found["completion_tokens"], found["played_turns"]) == (30, 6, 3)
    assert found["cost"] == pytest.approx((30 * 2 + 6 * 4) / 1e6)
    assert (found["retries"], found["refusals"]) == (1, 1)
    assert (found["tool_calls"], found["tool_failures"]) == (3, 2), "a refusal is a turn in which no tool ran"
    assert found["latency"]["p95"] >= found["latency"]["median"] > 0
    assert found["per_turn"]["retries"] == pytest.approx(1 / 3)
    assert found["per_turn"]["tool_failures"] == pytest.approx(2 / 3)
    assert "success_under_rules" not in found
    turns = read_episodes(tmp_path)[0].turns
    assert [turn.answer and turn.answer.tries for turn in turns] == [2, 1, 1]
    assert [bool(turn.tool_failure) for turn in turns] == [True, True, False]
    assert "drawer" in str(turns[0].tool_failure)
    assert turns[2].tool_failure == ""


def test_a_player_without_a_model_and_a_world_without_tools(tmp_path: Path) -> None:
    evaluate("FrozenLake-v0", "random", episodes=2, workers=0, out=tmp_path)
    found = written(tmp_path)
    assert (found["tool_calls"], found["retries"], found["latency"]) == (0, 0, None)
    assert "latency" not in found["per_turn"]
    assert read_episodes(tmp_path)[0].turns[0].tool_failure is None


def test_a_match_says_it_of_each_agent(tmp_path: Path) -> None:
    match("TicTacToe-v0", {"player_0": "random", "player_1": "strong"}, games=2, out=tmp_path)
    found = written(tmp_path)
    assert sorted(found["agents"]) == ["random", "strong"]
    assert found["agents"]["strong"]["success"]["value"] >= found["agents"]["random"]["success"]["value"]
    assert found["agents"]["random"]["played_turns"] > 0
