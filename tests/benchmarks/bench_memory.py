"""What training takes in memory: computed for models of 0.5, 1.5 and 7 billion weights, and measured for what fits.

    python tests/benchmarks/bench_memory.py [--tokens 4096] [--conversations 32] [--context 4096]
    python tests/benchmarks/bench_memory.py --measure SHAPE [--tokens 256] [--lora 16] [--bf16]
                                            [--gradient-checkpointing] [--device cuda]

The first prints a table; no weight is made for it. The second makes a model of a shape with random weights, takes one
gradient step, and prints the most memory that this took in a process of its own, beside what was computed. On a CUDA
device that is the most that tensors held; on the processor it is resident memory, above that before there was a model.
"""

from __future__ import annotations

import argparse
import gc
import resource
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

from agentgym.core import require
from agentgym.rollout import Segment
from agentgym.train.batch import Sample, pad
from agentgym.train.memory import GB, Memory, estimate_shape
from agentgym.train.optimizer import MasterAdamW, optimizer_step
from agentgym.train.token_logprobs import recompute_blocks, token_logprobs

# Those of SmolLM2-135M and of Qwen2.5 in three sizes, as their configurations say.
SHAPES: dict[str, Any] = {
    "0.1B": LlamaConfig(
        hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
        vocab_size=49_152, tie_word_embeddings=True, max_position_embeddings=8_192,
    ),
    "0.5B": Qwen2Config(
        hidden_size=896, intermediate_size=4_864, num_hidden_layers=24, num_attention_heads=14, num_key_value_heads=2,
        vocab_size=151_936, tie_word_embeddings=True, max_position_embeddings=32_768,
    ),
    "1.5B": Qwen2Config(
        hidden_size=1_536, intermediate_size=8_960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2,
        vocab_size=151_936, tie_word_embeddings=True, max_position_embeddings=32_768,
    ),
    "7B": Qwen2Config(
        hidden_size=3_584, intermediate_size=18_944, num_hidden_layers=28, num_attention_heads=28,
        num_key_value_heads=4, vocab_size=152_064, tie_word_embeddings=False, max_position_embeddings=32_768,
    ),
}  # fmt: skip
WAYS: dict[str, dict[str, Any]] = {
    "all weights, float32": {},
    "all weights, bf16": {"bf16": True},
    "all weights, bf16, gradient checkpointing": {"bf16": True, "gradient_checkpointing": True},
    "adapters of rank 16, bf16": {"lora": 16, "bf16": True},
    "adapters of rank 16, bf16, gradient checkpointing": {"lora": 16, "bf16": True, "gradient_checkpointing": True},
}
USUAL: dict[str, Any] = {"lora": 0, "bf16": False, "gradient_checkpointing": False, "reference": False}


def table(tokens: int, conversations: int, context: int) -> str:
    """Gigabytes of each shape, trained in each way.

    Args:
        tokens: Of a backward pass.
        conversations, context: How many are under way at once, and their length in tokens.
    """
    lines = ["| weights | trained | weights, GB | gradients | optimizer | activations | cache | at most |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for shape, config in SHAPES.items():
        for way, settings in WAYS.items():
            found = estimate_shape(
                config, **USUAL | settings, tokens=tokens, conversations=conversations, context=context
            )
            sizes = (found.weights, found.gradients, found.optimizer, found.activations, found.cache, found.peak)
            lines.append(f"| {shape} | {way} | {' | '.join(f'{size / GB:.1f}' for size in sizes)} |")
    return "\n".join(lines)


def now() -> int:
    """Bytes of resident memory of this process."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def measure(config: Any, device: str, *, tokens: int, lora: int, bf16: bool, again: bool) -> tuple[Memory, float]:
    """What a gradient step over one row was computed to take, and the bytes that it took.

    Args:
        config: Of `transformers`.
        device: Where it is taken.
        tokens: Of the row.
        lora, bf16, again: As in `[model]`; `again` is its gradient_checkpointing.
    """
    ways = {"lora": lora, "bf16": bf16, "gradient_checkpointing": again, "reference": False}
    expected = estimate_shape(config, **ways, tokens=tokens, conversations=0, context=0)
    before = now()
    model: Any = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16 if bf16 else torch.float32).to(device)
    if lora:
        peft = require("peft", extra="train", purpose="--lora")
        model = peft.get_peft_model(model, peft.LoraConfig(r=lora, target_modules="all-linear"))
    if again:
        recompute_blocks(model)
    model.eval()
    gc.collect()
    segment = Segment()
    segment.read([5])
    segment.say(0, [7] * (tokens - 1), [0.0] * (tokens - 1))
    batch = pad([Sample(segment)], torch.device(device))
    optimizer = MasterAdamW([weight for weight in model.parameters() if weight.requires_grad], 1e-6)
    for _ in range(2):  # the first makes the moments
        token_logprobs(model, batch, 1.0)[0].sum().backward()
        optimizer_step(optimizer, 1.0)
    if device.startswith("cuda"):
        return expected, float(torch.cuda.max_memory_allocated())
    return expected, float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before)


def main() -> None:
    """Print the table, or what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", choices=SHAPES)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--conversations", type=int, default=32)
    parser.add_argument("--context", type=int, default=4_096)
    parser.add_argument("--lora", type=int, default=0)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--gradient-checkpointing", action="store_true")
    given = parser.parse_args()
    if given.measure is None:
        print(table(given.tokens or 4_096, given.conversations, given.context))
        return
    expected, taken = measure(
        SHAPES[given.measure],
        given.device,
        tokens=given.tokens or 256,
        lora=given.lora,
        bf16=given.bf16,
        again=given.gradient_checkpointing,
    )
    computed = expected.weights + expected.optimizer + expected.gradients + expected.activations
    print(f"{given.measure}: {taken / GB:.2f} GB measured, {computed / GB:.2f} GB computed")


if __name__ == "__main__":
    main()
