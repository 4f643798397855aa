"""The single file is the recipe `grpo`: the same tokens, losses and gradient norms, update by update."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from agentgym.baselines import grpo_minimal
from agentgym.rollout import EnvPool, Episode, demonstrate
from agentgym.train import (
    CloneConfig,
    HuggingFaceEngine,
    Run,
    TinyConfig,
    Trainer,
    build_decoder,
    clone,
    read_lines,
    read_recipe,
    recipe_table,
    tokenize,
    train_tokenizer,
    transcript_text,
)

UPDATES, GROUPS = 4, 6
TOLERANCE = 1e-4  # relative: one file pads differently, has no cache and sums in another order


def cloned() -> HuggingFaceEngine:
    """A tiny model that has seen some noisy demonstrations: it wins on some maps."""
    config = grpo_minimal.Config()
    shown = demonstrate(EnvPool("FrozenLake-v0", **config.env_kwargs), range(200), noise=0.3, seed=0)
    tokenizer = train_tokenizer(transcript_text(shown), 400)
    model = build_decoder(TinyConfig(layers=1, width=64, vocabulary=400), tokenizer, 0)
    engine = HuggingFaceEngine(model, tokenizer, max_new_tokens=config.max_new_tokens)
    segments = tokenize(shown, engine.chat, engine.context_limit)
    clone(engine, segments, CloneConfig(200, epochs=3, batch=16, learning_rate=3e-3))
    return engine


@pytest.mark.full
def test_update_by_update_it_is_the_recipe(tmp_path: Path) -> None:
    engine = cloned()
    copied = copy.deepcopy(engine.model)
    rate = {"linear": [1e-3, 0.0], "over": UPDATES}
    changes = {"rollout.groups": GROUPS, "update.updates": UPDATES, "update.learning_rate": rate, "callback": []}
    recipe = read_recipe(recipe_table("grpo", changes))
    run = Run(tmp_path / "run")
    trainer = Trainer(recipe, engine, EnvPool("FrozenLake-v0", **recipe.world.env_kwargs), run=run)
    collect, rounds = trainer._collect, list[tuple[list[Episode], list[Episode]]]()
    trainer._collect = lambda rng: rounds.append(collect(rng)) or rounds[-1]  # type: ignore
    history = trainer.train()
    recorded = read_lines(run.path / "episodes.jsonl")

    config = grpo_minimal.Config(groups=GROUPS, updates=UPDATES)
    assert config.env_kwargs == recipe.world.env_kwargs
    count = 0
    for update, (episodes, steps) in enumerate(grpo_minimal.train(copied, engine.tokenizer, config)):
        theirs = [record for record in recorded if record["update"] == update]
        for mine, its in zip(episodes, rounds[update][0], strict=True):
            (segment,) = its.segments
            assert segment.sampled_mask == mine.mask
            assert segment.token_ids == mine.tokens
            assert segment.logprobs == pytest.approx(mine.logprobs, abs=TOLERANCE)
        assert [each.total_return for each in episodes] == [record["score"] for record in theirs]
        assert sum(len(each.tokens) for each in episodes) == history[update]["tokens"]
        assert sum(sum(each.mask) for each in episodes) == history[update]["sampled_tokens"]
        assert len(steps) == history[update]["steps"]
        count += len(steps)
        loss, norm = (sum(column) / len(steps) for column in zip(*steps, strict=True))
        assert loss == pytest.approx(history[update]["loss"], rel=TOLERANCE, abs=1e-6)
        assert norm == pytest.approx(history[update]["grad_norm"], rel=TOLERANCE)
    assert count >= UPDATES + 2  # nearly every step had something to learn from
    for mine, its in zip(copied.parameters(), engine.model.parameters(), strict=True):
        assert torch.allclose(mine, its, atol=1e-5)


def test_it_is_short() -> None:
    assert len(Path(grpo_minimal.__file__).read_text(encoding="utf8").splitlines()) <= 150
