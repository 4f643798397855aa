"""Exports in the formats of other libraries, from evaluations, suites and trainings."""

from __future__ import annotations

import io
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import AgentGymError, ConfigError, DataError, MissingExtra
from agentgym.evaluate import FORMATS, evaluate, evaluate_suite, import_run, match, read_episodes, read_run
from agentgym.evaluate import export as export_untrusted
from agentgym.evaluate.exporting import _parquet
from tests.evaluate.worlds import MODULE

export = partial(export_untrusted, trust=True)  # the world stands in a module of the tests


@pytest.fixture
def run(dice: str, tmp_path: Path) -> Path:
    """A run with won and lost episodes."""
    evaluate(dice, f"{MODULE}:Roller", out=tmp_path / "run", workers=0, trials=2)
    return tmp_path / "run"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_openai_has_the_manual_and_alternating_roles(run: Path, tmp_path: Path) -> None:
    done = export(run, "openai", tmp_path / "o.jsonl")
    episodes, written = read_episodes(run), rows(tmp_path / "o.jsonl")
    assert done.rows == done.episodes == len(episodes) == len(written)
    for episode, row in zip(episodes, written, strict=True):
        assert row.keys() == {"messages"}
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["system", *["user", "assistant"] * len(episode.turns)]
        assert "roll the die" in row["messages"][0]["content"]
        said = [message["content"] for message in row["messages"] if message["role"] == "assistant"]
        assert said == [turn.action for turn in episode.turns]


def test_trl_has_a_row_for_each_answer(run: Path, tmp_path: Path) -> None:
    export(run, "trl", tmp_path / "t.jsonl", limit=1)
    (episode, *_), written = read_episodes(run), rows(tmp_path / "t.jsonl")
    assert [row["completion"] for row in written] == [
        [{"role": "assistant", "content": turn.action}] for turn in episode.turns
    ]
    assert written[-1]["prompt"][:2] == written[0]["prompt"]
    assert [len(row["prompt"]) for row in written] == [2 + 2 * number for number in range(len(written))]


def test_verl_and_hf_say_what_was_earned(run: Path, tmp_path: Path) -> None:
    export(run, "verl", tmp_path / "v.jsonl")
    export(run, "hf", tmp_path / "h.jsonl")
    for episode, row, whole in zip(
        read_episodes(run), rows(tmp_path / "v.jsonl"), rows(tmp_path / "h.jsonl"), strict=True
    ):
        assert row.keys() >= {"data_source", "prompt", "ability", "reward_model", "extra_info"}
        assert row["ability"] == "games"
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert row["reward_model"] == {"style": "rule", "ground_truth": episode.task_id}
        assert row["extra_info"]["score"] == episode.score
        assert whole["rewards"] == [turn.reward for turn in episode.turns]
        assert whole["valid"] == [turn.valid for turn in episode.turns]


def test_filters(run: Path, tmp_path: Path) -> None:
    episodes = read_episodes(run)
    won = [episode for episode in episodes if episode.success]
    done = export(run, "hf", tmp_path / "w.jsonl", success=True)
    assert (done.episodes, done.filtered) == (len(won), len(episodes) - len(won))
    assert all(row["success"] for row in rows(tmp_path / "w.jsonl"))
    assert export(run, "hf", tmp_path / "m.jsonl", min_score=0.5).episodes == len(won)
    assert export(run, "hf", tmp_path / "l.jsonl", limit=3).rows == 3
    with pytest.raises(DataError, match=r"no episode of .* passes: 24 are on record"):
        export(run, "hf", tmp_path / "n.jsonl", min_score=2.0)
    assert not (tmp_path / "n.jsonl").exists()


def test_a_suite_is_exported_whole_and_failed_episodes_are_left_out(dice: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        f"[[worlds]]\nid = '{dice}'\nepisodes = 3\noptions = {{ broken = 'd1' }}\n"
        "[[worlds]]\nid = 'FrozenLake-v0'\nepisodes = 2\n"
    )
    evaluate_suite(str(tmp_path / "s.toml"), f"{MODULE}:Roller", out=tmp_path / "run", workers=0)
    done = export(tmp_path / "run", "sharegpt", tmp_path / "s.jsonl")
    assert (done.episodes, done.failed) == (4, 1)
    talk = rows(tmp_path / "s.jsonl")[0]
    assert {message["from"] for message in talk["conversations"]} == {"human", "gpt"}
    assert talk["system"]


def test_games_of_a_suite_are_exported_too(tmp_path: Path) -> None:
    suite = tmp_path / "mine.toml"
    suite.write_text("episodes = 1\n[[worlds]]\nid = 'KuhnPoker-v0'\n[[worlds]]\nid = 'FrozenLake-v0'\n")
    evaluate_suite(str(suite), "random", out=tmp_path / "suite")
    games = read_episodes(tmp_path / "suite" / "KuhnPoker-v0")
    sides = sum(len(game.players) for game in games)
    assert export(tmp_path / "suite", "hf", tmp_path / "h.jsonl").episodes == sides + 1


def test_a_training_is_exported_from_what_it_has_kept(tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps({"world": {"id": "FrozenLake-v0"}}))
    with pytest.raises(DataError, match="holds no episode yet"):
        export(tmp_path, "openai", tmp_path / "o.jsonl")
    turn = {"observation": "A lake.", "action": "right", "reward": 1.0, "valid": True, "shades": []}
    record = {"task_id": "7", "split": "train", "seed": 1, "success": True, "score": 1.0, "stop": "terminated"}
    record |= {"failure": "", "final": "Done.", "turns": [turn]}
    (tmp_path / "shaded.jsonl").write_text(json.dumps(record) + "\n")
    export(tmp_path, "openai", tmp_path / "o.jsonl")
    assert rows(tmp_path / "o.jsonl")[0]["messages"][1:] == [
        {"role": "user", "content": "A lake."},
        {"role": "assistant", "content": "right"},
    ]
    recipe = {"world": {"id": "FrozenLake-v0", "wrappers": [{"name": "ReAct"}]}}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    (episode,) = read_run(tmp_path)
    assert episode.wrappers == ({"name": "ReAct"},), "else the manual would not say how answers are written"
    export(tmp_path, "openai", tmp_path / "o.jsonl")
    assert "Action:" in rows(tmp_path / "o.jsonl")[0]["messages"][0]["content"]
    del record["seed"]
    (tmp_path / "shaded.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(DataError, match="it has no 'seed'"):
        export(tmp_path, "openai", tmp_path / "o.jsonl")


def test_calls_of_tools_keep_their_roles(tmp_path: Path) -> None:
    (tmp_path / "tau.json").write_text(json.dumps([TAU]))
    import_run(tmp_path / "tau.json", "tau-bench", tmp_path / "run")
    export(tmp_path / "run", "openai", tmp_path / "o.jsonl")
    (row,) = rows(tmp_path / "o.jsonl")
    assert [message["role"] for message in row["messages"]] == ["user", "assistant", "tool", "assistant"]
    call, answer = row["messages"][1]["tool_calls"][0], row["messages"][2]
    assert json.loads(call["function"]["arguments"]) == {"id": 3}
    assert answer["tool_call_id"] == call["id"]
    export(tmp_path / "run", "sharegpt", tmp_path / "s.jsonl")
    talk = rows(tmp_path / "s.jsonl")[0]["conversations"]
    assert [message["from"] for message in talk] == ["human", "function_call", "observation", "gpt"]
    assert json.loads(talk[1]["value"]) == {"name": "get_user", "arguments": {"id": 3}}


def test_an_agent_without_words_calls_tools_too(tmp_path: Path) -> None:
    (episode,) = evaluate("Todo-v0", "expert", episodes=1, workers=0, out=tmp_path / "run").episodes
    export(tmp_path / "run", "openai", tmp_path / "o.jsonl")
    (row,) = rows(tmp_path / "o.jsonl")
    assert [message["role"] for message in row["messages"][:5]] == ["system", "user", "assistant", "tool", "assistant"]
    asked = [message["tool_calls"][0] for message in row["messages"] if message["role"] == "assistant"]
    for call, turn in zip(asked, episode.turns, strict=True):
        function = {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
        assert function == json.loads(turn.action)
    names = {tool["function"]["name"] for tool in row["tools"]}
    assert {call["function"]["name"] for call in asked} <= names


TAU = {
    "task_id": 3,
    "reward": 1.0,
    "trial": 0,
    "info": {},
    "traj": [
        {"role": "system", "content": "Policy."},
        {"role": "user", "content": "Hello."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_user", "arguments": '{"id": 3}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "get_user", "content": "Ann"},
        {"role": "assistant", "content": "Hello Ann."},
        {"role": "user", "content": "###STOP###"},
    ],
}


@pytest.mark.parametrize("form", FORMATS)
def test_parquet_holds_what_json_lines_hold(run: Path, tmp_path: Path, form: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(run, form, tmp_path / "x.parquet", limit=4)
    export(run, form, tmp_path / "x.jsonl", limit=4)
    assert parquet.read_table(tmp_path / "x.parquet").to_pylist() == rows(tmp_path / "x.jsonl")


def test_what_is_wrong_is_said_in_one_line(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"agentgym-suite\[parquet\]"):
        export(run, "hf", tmp_path / "x.parquet")
    with pytest.raises(AgentGymError, match="did you mean 'sharegpt'"):
        export(run, "shargpt", tmp_path / "x.jsonl")
    with pytest.raises(ConfigError, match=r"must end in \.jsonl or \.parquet"):
        export(run, "hf", tmp_path / "x.json")
    lines = (run / "episodes.jsonl").read_text().splitlines(keepends=True)
    (run / "episodes.jsonl").write_text("".join([lines[0], '{"env": 3}\n', *lines[1:]]))
    with pytest.raises(DataError, match="line 2: no record of an episode"):
        export(run, "hf", tmp_path / "x.jsonl")
    assert not list(tmp_path.glob("x.*"))


def test_a_game_is_an_episode_for_each_of_its_players(tmp_path: Path) -> None:
    """As that player saw it, with its own manual and its own reward; won sides can be taken alone."""
    players = {"player_0": "strong", "player_1": "random"}
    games = match("KuhnPoker-v0", players, games=3, out=tmp_path / "match", env_kwargs={"hands": 4}).games
    done = export(tmp_path / "match", "hf", tmp_path / "x.jsonl")
    assert (done.rows, done.episodes, done.failed) == (6, 6, 0)
    found = rows(tmp_path / "x.jsonl")
    for game in games:
        for player, agent in players.items():
            (row,) = [row for row in found if (row["task_id"], row["player"]) == (game.task_id, player)]
            assert (row["agent"], row["score"]) == (agent, game.players[player].score)
            assert row["actions"] == [turn.action for turn in game.turns_of(player)]
            system, first, *_ = row["messages"]
            assert system["role"] == "system"
            assert "The cards are jack, queen and king" in system["content"]
            assert f"You are {player}." in first["content"]
            other = {"player_0": "player_1", "player_1": "player_0"}[player]
            assert not any(f"You are {other}." in message["content"] for message in row["messages"])
    won = export(tmp_path / "match", "openai", tmp_path / "won.jsonl", success=True)
    assert won.episodes == sum(one.success for game in games for one in game.players.values()) < 6


@pytest.mark.parametrize("window", [None, 0])
def test_ids_of_a_local_model_are_exported_as_it_sampled_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int | None
) -> None:
    """In one part where each prompt extends the one before, and in a part for each turn where none does."""
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    from agentgym.agents.generation import ModelSession
    from tests.agents.pretrained import save_small

    said: list[tuple[list[int], list[float]]] = []
    whole = ModelSession.generate

    def generate(self: ModelSession, inputs: Any, rows: Any = None) -> Any:
        found = whole(self, inputs, rows)
        said.extend((list(each.token_ids), list(each.logprobs)) for each in found)
        return found

    monkeypatch.setattr(ModelSession, "generate", generate)
    options = {"model": str(save_small(tmp_path / "model")), "max_tokens": 4, "device": "cpu", "keep_tokens": True}
    options |= {} if window is None else {"window": window}
    (episode,) = evaluate(
        "FrozenLake-v0", "hf", episodes=1, workers=0, out=tmp_path / "run", agent_options=options,
        env_kwargs={"max_turns": 3},
    ).episodes  # fmt: skip
    assert read_episodes(tmp_path / "run") == [episode]
    parts = 1 if window is None else 3
    for form in ("hf", "trl", "verl"):
        export(tmp_path / "run", form, tmp_path / f"{form}.jsonl")
    answers, segments = rows(tmp_path / "trl.jsonl"), rows(tmp_path / "hf.jsonl")[0]["segments"]
    assert [(row["completion_ids"], row["logprobs"]) for row in answers] == said
    assert len(segments) == len(rows(tmp_path / "verl.jsonl")) == parts
    masked = [
        token
        for segment in segments
        for token, sampled in zip(segment["input_ids"], segment["loss_mask"], strict=True)
        if sampled
    ]
    assert masked == [token for ids, _ in said for token in ids]
    assert [turn for segment in segments for turn in segment["turns"]] == [0, 1, 2]
    for row in rows(tmp_path / "verl.jsonl"):
        assert row["response_mask"][0] == 1
        assert len(row["response_ids"]) == len(row["response_mask"]) == len(row["rollout_log_probs"])
    export(tmp_path / "run", "openai", tmp_path / "openai.jsonl")
    assert rows(tmp_path / "openai.jsonl")[0].keys() == {"messages"}


def test_without_ids_there_are_no_columns_of_them(run: Path, tmp_path: Path) -> None:
    for form in ("hf", "trl", "verl"):
        export(run, form, tmp_path / f"{form}.jsonl", limit=1)
        for row in rows(tmp_path / f"{form}.jsonl"):
            assert row.keys().isdisjoint({"segments", "prompt_ids", "completion_ids", "response_ids", "logprobs"})
    assert all('"tokens"' not in line for line in (run / "episodes.jsonl").read_text().splitlines())


def test_parquet_holds_tools_of_different_schemas() -> None:
    pytest.importorskip("pyarrow")
    tools = [{"name": "a", "of": {"x": 1}}], [{"name": "b", "of": ["y"]}]
    content = _parquet([{"id": 1}, {"id": 2, "tools": tools[0]}, {"id": 3, "tools": tools[1]}])
    found = pyarrow_rows(content)
    assert [row["id"] for row in found] == [1, 2, 3]
    assert found[0]["tools"] is None
    assert [json.loads(row["tools"]) for row in found[1:]] == list(tools)


def pyarrow_rows(content: bytes) -> list[dict[str, Any]]:
    import pyarrow.parquet

    return list(pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist())
