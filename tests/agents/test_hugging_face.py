"""Local models: a small random decoder with a tokenizer trained here, saved and loaded like any other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from agentgym.agents import ContextOverflow, extract_action, hugging_face_policy, make_agent
from agentgym.core import AgentGymError, ConfigError
from agentgym.evaluate import EpisodeRecord, evaluate
from agentgym.rollout import EnvPool, EpisodeSpec, collect

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
transformers = pytest.importorskip("transformers", reason="the extra `train` is not installed")

from agentgym.agents.chat_format import ChatFormat  # noqa: E402
from tests.agents.pretrained import TEMPLATE, save_small  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("model"))


def test_greedy_answers_are_those_of_transformers_in_a_batch_as_alone(folder: Path) -> None:
    """The batched loop with its cache against the library's generation."""
    engine = hugging_face_policy(model=str(folder), max_tokens=20, device="cpu")
    asked = ["where to?", "and now, after a much longer question?", "hm"]
    inputs = [engine.encode_first(text, "walk") for text in asked]
    said = engine.open([np.random.default_rng(0)] * 3).generate(inputs)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    for text, ids, answer in zip(asked, inputs, said, strict=True):
        talk = [{"role": "system", "content": "walk"}, {"role": "user", "content": text}]
        whole = tokenizer.apply_chat_template(talk, add_generation_prompt=True, return_tensors="pt", return_dict=True)
        assert whole["input_ids"][0].tolist() == ids
        out = model.generate(**whole, max_new_tokens=20, do_sample=False)[0, len(ids) :]
        assert answer.token_ids == tuple(out.tolist())


def test_it_plays_in_batches_and_stops_where_its_context_ends(folder: Path, tmp_path: Path) -> None:
    options = {"model": str(folder), "max_tokens": 4, "window": 0, "device": "cpu"}
    result = evaluate(
        "FrozenLake-v0", "hf", split="train", episodes=3, out=tmp_path, agent_options=options,
        env_kwargs={"max_turns": 2},
    )  # fmt: skip
    assert [len(episode.turns) for episode in result.episodes] == [2, 2, 2]
    for episode in result.episodes:
        assert episode.stop == "truncated"
        assert 1 <= episode.completion_tokens <= 8
        assert episode.prompt_tokens > 500, "the manual is shown"
        for turn in episode.turns:
            assert turn.said is not None
            assert turn.action == extract_action(turn.said)
    small = hugging_face_policy(model=str(folder), max_tokens=4, device="cpu")
    small.context_limit = 64
    with pytest.raises(ContextOverflow, match="exceeds the context of 64"):
        collect(EnvPool("FrozenLake-v0"), small, [EpisodeSpec(0, 0, 0, (0,))])


def test_a_context_that_is_full_and_answers_cut_off_are_lost_and_shown(folder: Path, tmp_path: Path) -> None:
    """A context that a few turns fill, and one that not even the first prompt fits into."""
    for context, turns in ((3_000, True), (64, False)):
        narrow = tmp_path / str(context)
        shutil.copytree(folder, narrow)
        config = json.loads((folder / "config.json").read_text()) | {"max_position_embeddings": context}
        (narrow / "config.json").write_text(json.dumps(config))
        result = evaluate(
            "FrozenLake-v0", "hf", split="train", episodes=3, out=tmp_path / f"run{context}",
            agent_options={"model": str(narrow), "max_tokens": 60, "device": "cpu"},
        )  # fmt: skip
        summary = result.summary
        assert summary.stops == {"context": 3}
        assert (summary.scored, summary.left_out, summary.success.value) == (3, 0.0, 0.0)
        assert summary.success.high < 1.0
        assert all(bool(episode.turns) == turns for episode in result.episodes)
        reasons = {turn.finish_reason for episode in result.episodes for turn in episode.turns}
        assert reasons <= {"stop", "length"}
        assert bool(summary.cut_answers) == ("length" in reasons) == turns
        assert [EpisodeRecord.from_line(episode.to_line()) for episode in result.episodes] == result.episodes


def test_models_that_cannot_be_used(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(AgentGymError, match="is no model folder") as caught:
        make_agent("hf", model=str(tmp_path))
    assert "\n" not in str(caught.value)
    with pytest.raises(AgentGymError, match="cannot be had from the hub"):
        make_agent("hf", model="nobody/no-such-model")
    with pytest.raises(ConfigError, match="device"):
        make_agent("hf", model=str(folder), device="abacus")
    with pytest.raises(ConfigError, match="temperature"):
        make_agent("hf", model=str(folder), temperature=-1.0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    transformers.AutoModelForCausalLM.from_pretrained(folder).save_pretrained(tmp_path)
    (tmp_path / "chat_template.jinja").unlink(missing_ok=True)
    with pytest.raises(ConfigError, match="has no chat template; use an instruction-tuned model"):
        make_agent("hf", model=str(tmp_path))


def test_a_template_that_refuses(folder: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system message, please') }}{% endif %}"
        + TEMPLATE
    )
    chat = ChatFormat(tokenizer)
    assert chat.encode_first("where to?")
    with pytest.raises(ConfigError, match="no system message, please"):
        chat.encode_first("where to?", "walk")
    tokenizer.chat_template = TEMPLATE.replace("for m in messages", "for m in messages if m['role'] != 'system'")
    with pytest.raises(ConfigError, match="drops the system message"):
        ChatFormat(tokenizer).encode_first("where to?", "walk")
