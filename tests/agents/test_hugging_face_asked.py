"""How a local model is asked: examples as tokens, tools by its chat template, history cut to a number of tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers", reason="the extra `train` is not installed")

from agentgym.agents import Prompt, hugging_face_policy
from agentgym.agents.pretrained import load_engine, save_engine
from agentgym.agents.shots import Shot
from agentgym.core import ConfigError
from agentgym.evaluate import open_pool
from agentgym.rollout import EnvPool, EpisodeSpec, Role, collect
from tests.agents.pretrained import TEMPLATE, save_small
from tests.agents.tool_world import NAME as DRAWERS

TOOLS = "{% if tools %}<|system|>Tools: {{ tools | tojson }}<|end|>{% endif %}" + TEMPLATE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("model"))


def read(engine: Any, episode: Any, segment: int = 0) -> str:
    """What the model read and said in a segment, special tokens included."""
    return str(engine.tokenizer.decode(episode.segments[segment].token_ids))


def lake(**env_kwargs: Any) -> EnvPool:
    return EnvPool("FrozenLake-v0", split="train", size=3, slippery=False, **env_kwargs)


def test_examples_are_read_before_the_task_and_none_of_their_tokens_is_sampled(folder: Path) -> None:
    engine = hugging_face_policy(model=str(folder), max_tokens=4, device="cpu")
    shots = {"player_0": (Shot(("where?", "there"), ("left",)),)}
    role = Role(engine, prompt=Prompt(True, "last_line", shots=shots))
    (episode,) = collect(lake(), {"": role}, [EpisodeSpec(0, 0, 0, (0,))], horizon=2)
    text = read(engine, episode)
    assert "<|user|>[Example]\nwhere?<|end|><|assistant|>left<|end|><|user|>there\n\n[Your task]\n" in text
    assert len(episode.segments) == 1, "the conversation goes on with the tokens that were read"
    sampled = episode.segments[0]
    first = sampled.sampled_mask.index(True)
    assert "[Your task]" in engine.tokenizer.decode(sampled.token_ids[:first])


def test_the_oldest_turns_are_left_out_where_tokens_are_counted(folder: Path) -> None:
    engine = hugging_face_policy(model=str(folder), max_tokens=4, max_prompt_tokens=800, device="cpu")
    (episode,) = collect(lake(max_turns=12), engine, [EpisodeSpec(0, 0, 0, (0,))])
    assert len(episode.turns) == 12
    assert len(episode.segments) > 1
    for segment in episode.segments:
        prompt = segment.token_ids[: len(segment) - segment.sampled_mask[::-1].index(True)]
        assert len(prompt) - 4 <= 800
    later = read(engine, episode, -1)
    assert later.startswith("<|system|>Walk over the ice")
    assert "left out here]" in later
    with pytest.raises(ConfigError, match=r"turn 1 of task .* without any earlier turn, more than the 30"):
        collect(
            lake(), hugging_face_policy(model=str(folder), max_tokens=4, max_prompt_tokens=30, device="cpu"),
            [EpisodeSpec(0, 0, 0, (0,))],
        )  # fmt: skip
    with pytest.raises(ConfigError, match="max_prompt_tokens is 4095, but of the context of 4096 an answer of 4"):
        hugging_face_policy(model=str(folder), max_tokens=4, max_prompt_tokens=4_095, device="cpu")


def test_a_template_is_a_new_conversation_in_every_turn(folder: Path) -> None:
    engine = hugging_face_policy(
        model=str(folder), max_tokens=4, prompt="TURN {{ turn }}\n{{ observation }}", system="Be bold.", device="cpu"
    )
    (episode,) = collect(lake(), engine, [EpisodeSpec(0, 0, 0, (0,))], horizon=3)
    assert len(episode.segments) == len(episode.turns) == 3
    for turn, _ in enumerate(episode.segments):
        opening = "<|system|>Be bold.<|end|><|user|>TURN"
        assert read(engine, episode, turn).startswith(f"{opening} {turn + 1}\n{episode.turns[turn].observation}<|end|>")


def test_tools_are_told_by_the_chat_template(folder: Path, tmp_path: Path) -> None:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.save_pretrained(tmp_path)
    tokenizer.chat_template = TOOLS
    tokenizer.save_pretrained(tmp_path)
    engine = hugging_face_policy(model=str(tmp_path), max_tokens=48, tools=True, device="cpu")
    (episode,) = collect(open_pool(DRAWERS, "test", {}), engine, [EpisodeSpec("1", 0, 0, (0,))], horizon=2)
    text = read(engine, episode)
    assert text.startswith('<|system|>Tools: [{"')
    assert '"look"' in text.partition("<|end|>")[0]
    assert text.count("Tools: [") == 1
    with pytest.raises(ConfigError, match="chat template tells it nothing of tools; leave out tools"):
        hugging_face_policy(model=str(folder), tools=True, device="cpu")
    with pytest.raises(ConfigError, match=r"FrozenLake-v0 has no tools to call"):
        collect(lake(), engine, [EpisodeSpec(0, 0, 0, (0,))])


def test_how_it_is_asked_is_saved_with_it(folder: Path, tmp_path: Path) -> None:
    engine = hugging_face_policy(
        model=str(folder),
        max_tokens=4,
        prompt="{{ observation }}",
        system="Be bold.",
        max_prompt_tokens=99,
        device="cpu",
    )
    save_engine(engine, tmp_path)
    assert load_engine(tmp_path).prompt == engine.prompt
