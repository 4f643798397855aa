"""Every published template on a random model of its architecture: what is read and kept is what the template says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents.chat_format import CALENDAR, ChatFormat
from agentgym.agents.chat_rewriting import chat_format
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.prompt import Prompt
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, collect
from agentgym.train.batch import Sample, pad
from agentgym.train.token_logprobs import token_logprobs
from tests.agents.test_chat_rewriting import published, tokenizer_of
from tests.agents.test_rereading import FORGETFUL, LATENT, TOLERANCE, random_model
from tests.rollout.worlds import ID

RULES = "Say what is shown."
TOOL = {"name": "move", "description": "Go a step.", "parameters": {"type": "object", "properties": {}}}
TOOLS = [{"type": "function", "function": TOOL}]
OTHER = "<|other_end|>"
SPARSE = {"n_routed_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16, "first_k_dense_replace": 1}
SLIDING = {"sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]}
MAMBA = {"layers_block_type": ["mamba", "attention"], "mamba_num_heads": 2, "mamba_head_dim": 16, "ssm_state_size": 8}
ARCHITECTURES: dict[str, tuple[str, dict[str, Any]]] = {  # by the beginning of a template's name, the longest first
    "cohere2": ("cohere2", SLIDING),
    "cohere": ("cohere", {}),
    "deepseekv3": ("deepseek_v3", LATENT),
    "deepseek_r1_distill": ("qwen2", {}),
    "gemma3": ("gemma3_text", FORGETFUL["gemma3_text"]),
    "gemma4": ("gemma4_text", {**SLIDING, "hidden_size_per_layer_input": 0, "global_head_dim": 8}),
    "diffusion_gemma": ("gemma3_text", FORGETFUL["gemma3_text"]),
    "gemma": ("gemma", {}),
    "glm4moe": ("glm4_moe", {**SPARSE, "n_shared_experts": 1}),
    "gptoss": ("gpt_oss", FORGETFUL["gpt_oss"]),
    "lfm2": ("lfm2", FORGETFUL["lfm2"]),
    "llava_next": ("mistral", FORGETFUL["mistral"]),
    "nemotron_3": ("nemotron_h", {**MAMBA, "n_groups": 1, "expand": 2}),
    "phi3": ("phi3", {}),
    "qwen2_5": ("qwen2", {}),
    "qwen3_5": ("qwen3_5_text", FORGETFUL["qwen3_5_text"]),
    "qwen3_6": ("qwen3_5_text", FORGETFUL["qwen3_5_text"]),
    "qwen3": ("qwen3", {}),
}
KINDS = pytest.mark.parametrize("file", published(), ids=lambda file: file.stem)
NEEDS_TRL = pytest.mark.skipif(not published(), reason="trl is not installed, whose chat templates are tried")


def architecture(name: str) -> tuple[str, dict[str, Any]]:
    """The kind of model that a template is for; those for pictures are tried on a Llama, for the text they read."""
    return next((kind for begin, kind in ARCHITECTURES.items() if name.startswith(begin)), ("llama", {}))


def rendered(chat: ChatFormat, messages: Sequence[dict[str, Any]], tools: Any = None) -> str:
    """What the tokenizer's own library makes of a conversation, with the days that conversations are told."""
    tokenizer = chat.tokenizer
    template = tokenizer.get_chat_template(tools=tools)
    template = CALENDAR + template if "strftime_now" in template else template
    shown = [
        {**each, "content": [{"type": "text", "text": each["content"]}]} if chat._parts else each for each in messages
    ]
    text: str = tokenizer.apply_chat_template(
        shown, tools=tools, chat_template=template, tokenize=False, add_generation_prompt=True
    )
    return text


def answers(chat: ChatFormat, word: str) -> list[tuple[str, dict[str, Any]]]:
    """A plain answer and one with a thought, as the model would write them and as messages."""
    lead, begun = chat._lead, chat.tokenizer.decode(chat.encode_first("red")).rstrip()
    plain = (lead + word, {"content": word})
    if chat._channels:
        thought = f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant{lead}{word}"
        return [plain, (thought, {"content": word})]
    if "</think>" in lead and begun.endswith("<think>"):
        apart = {"content": word, "reasoning_content": "hm"}
        whole = {"content": f"<think>\nhm{lead}{word}"}
        return [plain, (f"hm{lead}{word}", whole if chat.rewrites else apart)]
    begin, end = chat._thoughts[0] if chat._thoughts else ("<think>\n", "\n</think>\n\n")
    if lead.strip():  # a thought in the place of the empty one, or after what always stands before an answer
        begin, end = (begin, end) if "</think>" in lead else (lead + begin, end)
    elif lead:
        begin = lead + begin
    said = f"{begin}hm{end}{word}"
    return [plain, (said, {"content": said.removeprefix(lead)})]


@NEEDS_TRL
@KINDS
def test_a_conversation_reads_as_the_template_writes_it(file: Path) -> None:
    """With and without rules, tools and thoughts: either it goes on token by token, or it begins anew as a whole."""
    chat = chat_format(tokenizer_of(file.read_text(encoding="utf8")))
    tried = 0
    for rules, tools in (("", None), (RULES, None), ("", TOOLS), (RULES, TOOLS)):
        try:
            if tools:
                chat.check_tools()
            first = chat.encode_first("red", rules, tools or ())
        except ConfigError:
            continue
        for text, message in answers(chat, "pink"):
            tried += 1
            told: list[dict[str, Any]] = [{"role": "system", "content": rules}] if rules else []
            told.append({"role": "user", "content": "red"})
            assert chat.tokenizer.decode(first) == rendered(chat, told, tools)
            said = ([*chat._tokenize(text), *chat.closing], True)
            assert chat.text(said[0]).endswith("pink")
            told += [{"role": "assistant", **message}, {"role": "user", "content": "blue"}]
            more = chat.encode_more(["red", "blue"], [said], rules, tools or ())
            if more is None:
                now = chat.encode_conversation(["red", "blue"], [said], rules, tools or ())
            else:
                now = [*first, *said[0], *more]
            assert chat.tokenizer.decode(now) == rendered(chat, told, tools)
    assert tried >= 2


def exchanges(episode: Episode) -> list[tuple[list[int], list[int]]]:
    """Of each turn all tokens of its segment before what was said, and what was said."""
    found = {
        span.turn: (segment.token_ids[: span.start], segment.token_ids[span.start : span.end])
        for segment in episode.segments
        for span in segment.spans
    }
    return [found[turn] for turn in sorted(found)]


@pytest.mark.full
@NEEDS_TRL
@KINDS
def test_random_models_play_under_their_template_and_are_trained_on_the_same_numbers(file: Path) -> None:
    """Answers are plain or with a thought, and end with the template's end token or another of the model's."""
    tokenizer = tokenizer_of(file.read_text(encoding="utf8"))
    tokenizer.add_special_tokens({"additional_special_tokens": [OTHER]}, replace_extra_special_tokens=False)
    kind, sizes = architecture(file.stem)
    if kind == "gemma4_text":
        sizes = {**sizes, "vocab_size_per_layer_input": len(tokenizer)}
    model = random_model(kind, tokenizer, **{"max_position_embeddings": 4096, **sizes})
    other = tokenizer.convert_tokens_to_ids(OTHER)
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, other]
    engine = HuggingFaceEngine(model, tokenizer, max_new_tokens=256)
    chat = engine.chat
    try:
        chat.encode_first("red", RULES)
        engine.prompt = Prompt(system=RULES)
    except ConfigError:
        pass  # it refuses system messages, and says so
    messages = dict(answers(chat, "pink"))
    script = [(text, end) for text in messages for end in (chat.closing, [other])]
    asked: dict[tuple[int, ...], int] = {}
    met: set[tuple[str, int]] = set()

    def forced(read: Sequence[int], said: Sequence[int]) -> list[int] | None:
        text, end = script[asked.setdefault(tuple(read), len(asked)) % len(script)]
        ids = [*chat._tokenize(text), *end]
        return [ids[len(said)]] if len(said) < len(ids) else None

    engine.constraint = forced
    specs = [EpisodeSpec(place, place, place, (3, place)) for place in range(3)]
    episodes = collect(EnvPool(ID), engine, specs)
    assert sum(len(episode.turns) for episode in episodes) == 9
    for episode in episodes:
        told: list[dict[str, Any]] = [{"role": "system", "content": RULES}] if engine.prompt.system else []
        for turn, (read, said) in zip(episode.turns, exchanges(episode), strict=True):
            told.append({"role": "user", "content": turn.observation})
            assert tokenizer.decode(read).replace(OTHER, chat._close) == rendered(chat, told)
            ((text, end),) = [each for each in script if [*chat._tokenize(each[0]), *each[1]] == said]
            assert turn.action.endswith("pink")
            met.add((text, end[-1]))
            told.append({"role": "assistant", **messages[text]})
        for segment in episode.segments:
            batch = pad([Sample(segment)], torch.device("cpu"))
            with torch.no_grad():
                again = token_logprobs(model, batch, 1.0)[0][0].numpy()
            assert np.abs(again - np.asarray(segment.logprobs)).max() < TOLERANCE
    assert len(met) > 1
