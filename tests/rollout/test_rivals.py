"""Models and policies as rivals of one agent in a game: what they are shown, what it costs, and exact copies."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.agents import ExpertPolicy
from agentgym.core import ConfigError, UnknownName
from agentgym.wrappers.selfplay import SelfPlay
from tests.agents.server import Answer, ChatServer, call, completion

KUHN = "KuhnPoker-v0"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A model that thinks, and bets as long as it has said little."""

    def answer(number: int, request: dict[str, Any]) -> Answer:
        said = sum(message["role"] == "assistant" for message in request["body"]["messages"])
        return completion("Why not?\nbet" if said < 2 else "pass", 100, 10)

    with ChatServer(answer) as chat:
        yield chat


def factory(**options: Any) -> ExpertPolicy:
    """A factory of policies, by name."""
    return ExpertPolicy()


def against(opponent: Any, **options: Any) -> SelfPlay:
    return SelfPlay(KUHN, opponent=opponent, player="player_0", split="test", hands=4, **options)


def play(env: SelfPlay, seed: int = 0) -> list[Any]:
    """All answers of an episode in which the agent passes."""
    answers: list[Any] = [env.reset(seed=seed)]
    while not env.ended:
        answers.append(env.step("pass"))
    return answers


def test_a_model_is_shown_its_own_side_and_what_it_costs_is_counted(server: ChatServer) -> None:
    rival = {"name": "endpoint:m", "base_url": server.base_url, "system": "Be bold.", "price_in": 1.0, "price_out": 2.0}
    env = against(rival)
    (name,) = env.pool
    assert name.startswith("endpoint:m#")
    answers = play(env)
    assert len(server.requests) >= 4
    talk: list[Any] = []
    for request in server.requests:
        messages = request["body"]["messages"]
        assert messages[0]["content"].startswith("Be bold.\n\n")
        assert "The cards are jack, queen and king" in messages[0]["content"]
        assert "You are player_1." in messages[1]["content"]
        assert "You are player_0." not in messages[1]["content"]
        assert messages[:-1] == (talk or messages[:1]), "the conversation goes on"
        talk = [*messages, {"role": "assistant", "content": "Why not?\nbet" if len(talk) < 4 else "pass"}]
    metrics = answers[-1][4]["metrics"]
    assert metrics["opponent_tokens"] == 110 * len(server.requests)
    assert metrics["opponent_cost"] == pytest.approx(len(server.requests) * (100 * 1.0 + 10 * 2.0) / 1e6)
    assert [metrics.keys() == answer[-1]["metrics"].keys() for answer in answers] == [True] * len(answers)
    assert "player_1 bets" in "".join(answer[0] for answer in answers)


def test_games_with_a_model_are_saved_and_copied_like_any_other(server: ChatServer) -> None:
    env = against({"name": "endpoint:m", "base_url": server.base_url})
    env.reset(seed=1)
    env.step("pass")
    saved, key, asked = pickle.dumps(agentgym.snapshot(env)), env.state_key(), len(server.requests)
    twin = agentgym.fork(env)
    here = env.step("pass")
    assert env.state_key() != key
    assert twin.step("pass") == here
    agentgym.restore(env, pickle.loads(saved))
    assert env.state_key() == key
    assert env.step("pass") == here
    fresh = against({"name": "endpoint:m", "base_url": server.base_url})
    fresh.reset(seed=5)
    fresh.restore(pickle.loads(saved))
    assert fresh.step("pass") == here
    bodies = [request["body"] for request in server.requests[asked:]]
    again = [body["messages"] for body in bodies if len(body["messages"]) > 2]
    assert again.count(again[0]) >= 3, "each copy asks in the same words"


def test_equal_seeds_ask_alike_and_every_player_has_a_talk_of_its_own(server: ChatServer) -> None:
    rival = {"name": "endpoint:m", "base_url": server.base_url}
    assert play(against(rival), 3) == play(against(rival), 3)
    half = len(server.requests) // 2
    first, second = ([request["body"] for request in part] for part in (server.requests[:half], server.requests[half:]))
    assert first == second
    env = SelfPlay("Hanabi-v0", opponent=rival, player="player_0", split="test")
    env.reset(seed=0)
    env.step(env.sample_action(np.random.default_rng(0)))
    talks = env._state.talks
    assert set(talks) == set(env.game.possible_agents) - {"player_0"}


def test_a_model_calls_the_tools_of_its_player() -> None:
    def answer(number: int, request: dict[str, Any]) -> Answer:
        return completion("", tool_calls=[call({"item": "book"}, name="nothing", number=number)])

    with ChatServer(answer) as chat, pytest.raises(ConfigError, match="KuhnPoker-v0 has no tools to call for player_"):
        against({"name": "endpoint:m", "base_url": chat.base_url, "tools": True})


def test_a_rival_without_an_answer_is_nobodys_loss() -> None:
    with ChatServer(lambda number, request: Answer({"error": {"message": "closed"}}, status=500)) as chat:
        env = against({"name": "endpoint:m", "base_url": chat.base_url, "retries": 0})
        last = play(env)[-1]
    assert "the rival player_1 has no answer" in last[-1]["failure"]
    assert not last[-1]["success"]


def test_policies_and_factories_play_as_rivals() -> None:
    by_level = play(SelfPlay("TicTacToe-v0", opponent="strong", player="player_0"))
    assert by_level[-1][4]["metrics"].keys().isdisjoint({"opponent_tokens"})
    answers = []
    for opponent in (f"{__name__}:factory", {"name": "expert"}, ExpertPolicy()):
        env = SelfPlay("TicTacToe-v0", opponent=opponent, player="player_0")
        rng = np.random.default_rng(0)
        answers.append([env.reset(seed=0)])
        while not env.ended:
            answers[-1].append(env.step(env.sample_action(rng)))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][-1][4]["metrics"]["opponent_tokens"] == 0.0
    env = SelfPlay("TicTacToe-v0", opponent="random", player="player_0")
    env.add_to_pool("expert of old", ExpertPolicy())
    env.reset(seed=0, options={"opponent": "expert of old"})
    env.step(env.sample_action(rng))
    assert env.opponent == "expert of old"


@pytest.mark.parametrize(
    ("opponent", "kind", "complaint"),
    [
        ({"model": "m"}, ConfigError, "a table of an opponent has a name"),
        ({"name": "endpoint:m", "wrap": ["ReAct"]}, ConfigError, "the option 'wrap' has no effect on the agent"),
        ({"name": "endpoin", "model": "m"}, UnknownName, "did you mean 'endpoint'"),
        ({"name": "endpoint:m", "base_url": object()}, ConfigError, "must be JSON-safe"),
        ("no.such.module:player", ConfigError, "cannot be imported"),
    ],
)
def test_wrong_rivals_are_one_line(opponent: Any, kind: type[Exception], complaint: str) -> None:
    with pytest.raises(kind, match=complaint) as caught:
        against(opponent)
    assert "\n" not in str(caught.value)


def test_a_local_model_reads_its_whole_side_and_its_own_tokens_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    from agentgym.agents.generation import ModelSession
    from tests.agents.pretrained import save_small

    asked: list[tuple[list[int], list[int]]] = []
    whole = ModelSession.generate

    def generate(self: ModelSession, inputs: Any, rows: Any = None) -> Any:
        (said,) = found = whole(self, inputs, rows)
        asked.append((list(inputs[0]), list(said.token_ids)))
        return found

    monkeypatch.setattr(ModelSession, "generate", generate)
    rival = {"name": f"hf:{save_small(tmp_path)}", "max_tokens": 4, "device": "cpu", "temperature": 1.0}
    env = against(rival)
    answers = play(env)
    first = asked.copy()
    assert len(first) >= 2
    for (read, said), (after, _) in pairwise(first):
        assert after[: len(read) + len(said)] == [*read, *said], "what it said stands as it was sampled"
    assert answers[-1][4]["metrics"]["opponent_tokens"] == sum(len(read) + len(said) for read, said in first)
    asked.clear()
    assert play(env) == answers
    assert asked == first
