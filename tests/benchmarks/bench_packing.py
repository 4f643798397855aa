"""How much of what gradient steps compute is padding, with a row for each sequence and packed (`update.packing`).

    python -m tests.benchmarks.bench_packing [--rounds 1] [--demonstrations 50]

Nothing is trained. Rounds of a recipe are played in its world by the expert and by nobody who knows anything, or by
players in between (a random action in 0, 20, 50 or 100 % of the turns), and cut into micro-batches as the recipe says.
Positions are those that the model would read: equal sequences once, pads counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from agentgym.agents.chat_format import ChatFormat
from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import read_recipe, recipe_table, tokenize, train_tokenizer, transcript_text
from agentgym.train.batch import Batch, Sample, micro_batches
from agentgym.train.evaluation import make_world
from agentgym.train.packing import packed_input
from agentgym.train.recipe import Recipe
from agentgym.train.schedules import at

CASES = (
    ("grpo", "FrozenLake-v0"), ("grpo", "SearchQA-v0"), ("grpo", "WebShop-v1"),
    ("smollm2_grpo", "FrozenLake-v0"), ("smollm2_grpo", "SearchQA-v0"), ("smollm2_grpo", "TextCraft-v1"),
)  # fmt: skip
PLAYERS = {"expert": (0.0,), "in between": (0.0, 0.2, 0.5, 1.0), "random": (1.0,)}
CONTEXT = 2_048  # of a pretrained model
CPU = torch.device("cpu")


def tokenizer_of(recipe: Recipe, world: EnvPool, demonstrations: int) -> tuple[Any, int]:
    """The tokenizer of a recipe's policy, and the most tokens of a conversation."""
    if recipe.model.tiny is None:
        from transformers import AutoTokenizer

        from agentgym.agents.weights import find_weights

        return AutoTokenizer.from_pretrained(find_weights(str(recipe.model.name))), CONTEXT
    assert recipe.clone is not None
    shown = demonstrate(world, range(demonstrations), noise=recipe.clone.noise, seed=0)
    return train_tokenizer(transcript_text(shown), recipe.model.tiny.vocabulary), recipe.model.tiny.context


def minibatches(
    recipe: Recipe, world: EnvPool, chat: ChatFormat, limit: int, noises: Sequence[float], rng: np.random.Generator
) -> list[list[Sample]]:
    """A round, dealt to gradient steps group by group."""
    config, steps = recipe.rollout, recipe.update.steps
    found: list[list[Sample]] = [[] for _ in range(steps)]
    for group in range(config.groups):
        task = int(rng.integers(world.size or 10**6))
        for _ in range(config.group_size):
            seed, noise = int(rng.integers(2**31)), float(rng.choice(noises))
            played = demonstrate(world, [task], noise=noise, seed=seed)
            for episode in played:
                if config.horizon is not None:
                    del episode.turns[int(at(config.horizon, 0)) :]
            segments = tokenize(played, chat, limit, recipe.prompt.context)
            found[group % steps] += [Sample(segment) for segment in segments]
    return found


def positions(batch: Batch) -> tuple[int, int]:
    """What the model reads of a batch, and how much of it is padding."""
    both = torch.unique(torch.cat([batch.ids_BT, batch.attention_mask_BT], 1), dim=0)
    tokens = int(both.chunk(2, 1)[1].sum())
    if batch.packed_row_B is None or batch.packed_start_B is None:
        read = both.numel() // 2
    else:
        given = packed_input(batch.ids_BT, batch.attention_mask_BT, batch.packed_row_B, batch.packed_start_B)
        read = given["input_ids"].numel()
    return read, read - tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--demonstrations", type=int, default=50, help="that a tiny model's tokenizer is trained on")
    given = parser.parse_args()
    print("| recipe | world | players | tokens | padding | packed | positions, packed over not |\n" + "|---" * 7 + "|")
    for name, world_id in CASES:
        recipe = read_recipe(recipe_table(name, {"world.id": world_id}))
        (plan,) = recipe.plans
        world = make_world(plan.world, plan.world.split, None, plan.formats)
        tokenizer, limit = tokenizer_of(recipe, world, given.demonstrations)
        chat = ChatFormat(tokenizer)
        for player, noises in PLAYERS.items():
            sums = np.zeros((2, 2), np.int64)  # with and without packing: what is read, and padding
            for round_ in range(given.rounds):
                for samples in minibatches(recipe, world, chat, limit, noises, np.random.default_rng(round_)):
                    for row, packing in enumerate((False, True)):
                        batches = micro_batches(samples, recipe.update.micro_tokens, CPU, packing=packing)
                        sums[row] += np.sum([positions(batch) for batch in batches], axis=0)
            (plain, padding), (packed, rest) = sums.tolist()
            print(
                f"| {name} | {world_id} | {player} | {plain - padding:,} | {padding / plain:.1%} | {rest / packed:.1%} "
                f"| {packed / plain:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
