"""Local models as the players of games: one batch for the games under way, adapters, tokens, cost, and SmolLM2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers", reason="the extra `train` is not installed")

from agentgym.agents.generation import ModelSession
from agentgym.cli import run
from agentgym.evaluate import Agent, evaluate, evaluate_player, match
from agentgym.evaluate.tournament import tournament
from tests.agents.pretrained import need_smollm2, save_small
from tests.agents.server import ChatServer, completion

KUHN = "KuhnPoker-v0"
SHORT = {"hands": 4}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def adapter(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Low-rank adapters that change what the model says."""
    import torch
    import transformers

    peft = pytest.importorskip("peft", reason="the extra `train` is not installed")
    written = tmp_path_factory.mktemp("adapter")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        base = transformers.AutoModelForCausalLM.from_pretrained(folder)
        config = peft.LoraConfig(r=4, lora_alpha=64, target_modules="all-linear", init_lora_weights=False)
        peft.get_peft_model(base, config).save_pretrained(written)
    return written


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """For each question to a model, its adapter-blind name and how many conversations were answered at once."""
    batches: list[tuple[str, int]] = []
    whole = ModelSession.generate

    def generate(self: ModelSession, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> Any:
        batches.append((self.engine.weights_digest(), len(inputs)))
        return whole(self, inputs, rows)

    monkeypatch.setattr(ModelSession, "generate", generate)
    return batches


def options(folder: Path, **more: Any) -> dict[str, Any]:
    return {"model": str(folder), "max_tokens": 3, "device": "cpu", **more}


@pytest.mark.full
def test_a_model_holds_both_players_and_answers_for_all_games_at_once(
    folder: Path, tmp_path: Path, asked: list[tuple[str, int]]
) -> None:
    """A single model in both seats is asked once a round for every game under way."""
    model = Agent("hf", options(folder, concurrency=4))
    result = match(KUHN, {"player_0": model, "player_1": model}, games=6, out=tmp_path, env_kwargs=SHORT)
    assert max(size for _, size in asked) == 4, "as many games at once as its `concurrency`"
    said = sum(len(game.turns) for game in result.games)
    assert sum(size for _, size in asked) == said
    assert len(asked) < said / 2
    for game in result.games:
        for player, one in game.players.items():
            turns = game.turns_of(player)
            assert one.system.count("The cards are jack, queen and king") == 1
            assert all(turn.said is not None for turn in turns)
            assert f"You are {player}." in turns[0].observation
            assert one.completion_tokens <= 3 * len(turns)
    together, *each = result.figures
    assert (together.held, together.games, together.overall) == ("all", 6, True)
    assert together.prompt_tokens == sum(game.prompt_tokens for game in result.games) > 0
    assert {row.held for row in each} == {"player_0", "player_1"}


def test_adapters_and_bare_weights_meet_each_in_its_own_batches(
    folder: Path, adapter: Path, tmp_path: Path, asked: list[tuple[str, int]]
) -> None:
    players = {
        "player_0": Agent(f"hf:{folder}", {"max_tokens": 3, "device": "cpu", "concurrency": 3}),
        "player_1": Agent("hf", options(folder, adapter=str(adapter), concurrency=3)),
    }
    result = match(KUHN, players, games=3, out=tmp_path, env_kwargs=SHORT)
    assert len({weights for weights, _ in asked}) == 2
    assert all(max(size for who, size in asked if who == weights) == 3 for weights, _ in asked)
    words = {player: {turn.said for game in result.games for turn in game.turns_of(player)} for player in players}
    assert words["player_0"] != words["player_1"]
    assert all(row.prompt_tokens and row.completion_tokens for row in result.figures)
    assert [game.players["player_1"].agent_options["adapter"] for game in result.games] == [str(adapter)] * 3


def test_a_match_of_the_command_line_prints_tokens_and_dollars(
    folder: Path, adapter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A local model with its adapter against one behind an endpoint with a price."""
    with ChatServer(lambda number, request: completion("pass", 1000, 500)) as chat:
        command = ["match", KUHN, "--player", f"player_0=hf:{folder}", "--player", "player_1=endpoint:m"]
        command += ["--adapter", str(adapter), "--device", "cpu", "--base-url", chat.base_url, "--max-tokens", "3"]
        command += ["--price-in", "2", "--price-out", "4", "--games", "2", "--env", "hands=4", "--out", str(tmp_path)]
        assert run(command) == 0
        questions = len(chat.requests)
    out = capsys.readouterr().out
    header, rows = next(line for line in out.splitlines() if "dollars" in line), out.splitlines()
    assert "tokens" in header
    (remote,) = [line for line in rows if "endpoint:m" in line]
    assert f"{questions * (1000 * 2 + 500 * 4) / 1e6:.4f}" in remote
    assert f"{1000 * questions:,} + {500 * questions:,}" in remote
    (local,) = [line for line in rows if "0.0000" in line]
    assert " + " in local
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert str(summary).count("completion_tokens") >= 2


@pytest.mark.full
def test_one_player_of_a_game_and_a_tournament(folder: Path, tmp_path: Path, asked: list[tuple[str, int]]) -> None:
    given = options(folder, concurrency=4)
    result = evaluate_player(KUHN, "hf", games=4, out=tmp_path / "one", agent_options=given, env_kwargs=SHORT)
    held = [next(who for who, one in game.players.items() if one.agent == "hf") for game in result.games]
    assert held == ["player_0", "player_1"] * 2
    assert max(size for _, size in asked) == 2, "games in which it is the same player"
    asked.clear()
    del given["model"]
    found = tournament(
        KUHN, [f"hf:{folder}", "strong"], deals=3, out=tmp_path / "all", agent_options=given, env_kwargs=SHORT
    )
    assert max(size for _, size in asked) == 3, "all deals of a pairing"
    assert not found.failures
    assert {each.name: each.tokens > 0 for each in found.standings} == {f"hf:{folder}": True, "strong": False}


def test_a_run_repeats_to_the_byte_in_equal_batches(folder: Path, tmp_path: Path) -> None:
    """Sampled at temperature 1; another seed says other things."""
    lines = []
    for place, seed in enumerate((0, 0, 1)):
        evaluate(
            "FrozenLake-v0", "hf", split="train", episodes=5, seed=seed, out=tmp_path / str(place),
            agent_options=options(folder, temperature=1.0, max_tokens=6, concurrency=4), env_kwargs={"max_turns": 3},
        )  # fmt: skip
        lines.append(timeless(tmp_path / str(place) / "episodes.jsonl"))
    assert lines[0] == lines[1]
    assert lines[0] != lines[2]


@pytest.mark.full
def test_a_match_repeats_to_the_byte_in_equal_batches(folder: Path, tmp_path: Path) -> None:
    lines = []
    for place, seed in enumerate((0, 0, 1)):
        model = Agent("hf", options(folder, temperature=1.0, concurrency=3))
        players = {"player_0": model, "player_1": "simple"}
        match(KUHN, players, games=4, seed=seed, out=tmp_path / str(place), env_kwargs=SHORT)
        lines.append(timeless(tmp_path / str(place) / "games.jsonl"))
    assert lines[0] == lines[1]
    assert lines[0] != lines[2]


def timeless(file: Path) -> list[str]:
    """The lines of a record, without how long anything took."""
    found = []
    for line in file.read_text().splitlines():
        record = json.loads(line)
        assert record.pop("wall_seconds") > 0
        found.append(json.dumps(record))
    assert found
    return found


@pytest.mark.full
def test_smollm2_meets_a_program_and_repeats_to_the_byte(tmp_path: Path, asked: list[tuple[str, int]]) -> None:
    """Through ReAct, after an example, with adapters of zero effect, two games in one batch, sampled."""
    need_smollm2()
    import torch
    import transformers

    peft = pytest.importorskip("peft", reason="the extra `train` is not installed")
    from agentgym.agents.weights import find_weights

    base = transformers.AutoModelForCausalLM.from_pretrained(find_weights("smollm2"), dtype=torch.float32)
    peft.get_peft_model(base, peft.LoraConfig(r=2, target_modules=["q_proj"])).save_pretrained(tmp_path / "adapter")
    del base
    given = {"max_tokens": 16, "temperature": 1.0, "device": "cpu", "adapter": str(tmp_path / "adapter")}
    lines = []
    for place in "ab":
        model = Agent("hf:smollm2", given, wrap=["ReAct"], shots=1)
        players = {"player_0": model, "player_1": "strong"}
        result = match(KUHN, players, games=2, out=tmp_path / place, env_kwargs={**SHORT, "max_turns": 2})
        assert not result.failures
        assert max(size for _, size in asked) == 2
        for game in result.games:
            (first, *_) = game.turns_of("player_0")
            assert first.said
            assert "Reply with a thought" in game.players["player_0"].system
            assert game.players["player_0"].prompt_tokens > 400
        lines.append(timeless(tmp_path / place / "games.jsonl"))
    assert lines[0] == lines[1]
