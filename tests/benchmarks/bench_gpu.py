"""How fast a pretrained model learns on a GPU, and where the time goes; written into `BENCHMARKS.md`.

    make gpu            # the tests of the GPU, then python tests/benchmarks/bench_gpu.py
    python tests/benchmarks/bench_gpu.py [--model smollm2] [--updates 4] [--device cuda] [--out BENCHMARKS.md]

GRPO on two worlds, all weights in bfloat16. The first update of each world is not counted. Tokens are all that the
episodes hold, read and sampled; model FLOP utilisation is 6 operations a weight and token of the gradient steps, over
their seconds, as a share of what the device is specified to do in bfloat16 without sparsity.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from agentgym.train import recipe_table, run_recipe

WORLDS = ("FrozenLake-v0", "TextCraft-v1")
SETTINGS: dict[str, Any] = {
    "world.env_kwargs": {}, "clone": "none", "callback": [], "model.bf16": True, "model.max_new_tokens": 64,
    "rollout.groups": 16, "rollout.group_size": 8, "rollout.horizon": 8, "update.steps": 2,
    "update.micro_tokens": 16_384, "update.learning_rate": 1e-6,
}  # fmt: skip
PEAK_FLOPS = {"H100": 989e12, "H200": 989e12, "A100": 312e12, "L40S": 362e12, "RTX 4090": 165e12}  # dense bfloat16
HEAD, UNTIL = "## On a GPU\n", "\n## "
COLUMNS = (
    "world", "tokens a second", "sampled tokens a second", "generation, world, learning", "memory", "FLOP utilisation"
)  # fmt: skip


def peak_flops(device: str) -> float | None:
    """Operations a second that the device is specified for; None where it is not known."""
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else ""
    return next((flops for part, flops in PEAK_FLOPS.items() if part in name), None)


def train(model: str, world: str, device: str, updates: int) -> dict[str, Any]:
    """Figures of a short run, the first update not counted.

    Args:
        model: Pretrained weights.
        world: Where it plays.
        device: Where it computes.
        updates: That are counted.
    """
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
    place = {"world.id": world, "model.name": model, "model.device": device, "update.updates": updates + 1}
    trainer = run_recipe(recipe_table("grpo", {**SETTINGS, **place}))
    counted = trainer.history[1:]
    total = {name: sum(each[name] for each in counted) for name in counted[0] if name.startswith("seconds")}
    tokens, sampled = (sum(each[name] for each in counted) for name in ("tokens", "sampled_tokens"))
    weights = sum(weight.numel() for weight in trainer.engine.model.parameters())
    flops = peak_flops(device)
    return {
        "world": world,
        "rate": tokens / total["seconds"],
        "sampled_rate": sampled / total["seconds"],
        "shares": [total[f"seconds_{part}"] / total["seconds"] for part in ("generation", "world", "update")],
        "memory": torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else None,
        "utilisation": 6 * weights * tokens / total["seconds_update"] / flops if flops else None,
    }


def section(model: str, device: str, figures: Sequence[Mapping[str, Any]]) -> str:
    """The part of `BENCHMARKS.md`.

    Args:
        model: What was trained.
        device: Where, in words.
        figures: Of each world.
    """
    lines = [HEAD, "    make gpu", "", f"GRPO with `{model}`, all weights in bfloat16, {device}.", ""]
    lines += [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    for each in figures:
        shares = ", ".join(f"{share:.0%}".replace("%", " %") for share in each["shares"])
        memory = "not measured" if each["memory"] is None else f"{each['memory'] / 1e9:.1f} GB"
        used = "not known" if each["utilisation"] is None else f"{each['utilisation']:.1%}".replace("%", " %")
        rates = f"{each['rate']:,.0f} | {each['sampled_rate']:,.0f}"
        lines.append(f"| {each['world']} | {rates} | {shares} | {memory} | {used} |")
    return "\n".join(lines) + "\n"


def put(text: str, page: str) -> str:
    """A page with a section in the place of the one that has its heading, or at its end.

    Args:
        text: The section.
        page: The page.
    """
    before, found, rest = page.partition(HEAD)
    if not found:
        return f"{page.rstrip()}\n\n{text}"
    _, more, after = rest.partition(UNTIL)
    return before + text + (more + after if more else "")


def main() -> int:
    """Train on both worlds and write; 1 where there is no such device."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, default=Path("BENCHMARKS.md"))
    given = parser.parse_args()
    if given.device.startswith("cuda") and not torch.cuda.is_available():
        print("no CUDA device here: nothing was measured and nothing written; run `make gpu` where there is one")
        return 1
    figures = [train(given.model, world, given.device, given.updates) for world in WORLDS]
    name = torch.cuda.get_device_name(given.device) if given.device.startswith("cuda") else "on the processor"
    text = section(given.model, name, figures)
    given.out.write_text(put(text, given.out.read_text(encoding="utf8")), encoding="utf8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
