"""From a recipe to a trainer: the world, the model, what the expert taught it, and the run's folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.hugging_face import Home
from agentgym.agents.pretrained import load_engine, load_pretrained
from agentgym.core import ConfigError, DataError, require
from agentgym.core.rng import stream, stream_seed
from agentgym.rollout import EnvPool, Episode, demonstrate
from agentgym.train.batch import tokenize
from agentgym.train.callbacks import Checkpoint
from agentgym.train.checkpoint import checkpoints, resume
from agentgym.train.cloning import clone
from agentgym.train.distributed import check_distributed, init_distributed
from agentgym.train.evaluation import make_world
from agentgym.train.metrics import Metrics
from agentgym.train.recipe import Recipe, read_recipe
from agentgym.train.run_dir import Run
from agentgym.train.tiny import build_decoder, train_tokenizer, transcript_text
from agentgym.train.trainer import Trainer

RECIPE, CLONED = "recipe.json", "cloned"
Tell = Callable[[str, int, int, Metrics], None]
"""Called with a phase (`demonstrations`, `clone`, `updates`), steps done, steps in all, and the newest metrics."""


def run_recipe(
    table: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    begin: Path | None = None,
    tell: Tell | None = None,
) -> Trainer:
    """Do everything a recipe says: `build_trainer`, then `Trainer.train`.

    Args:
        table, folder, begin, tell: As in `build_trainer`.

    Returns:
        The trainer after the last update.

    Raises:
        ConfigError: if the recipe is not valid, or `folder` holds a run of another recipe.
        DataError: if the run's newest checkpoint is damaged.
    """
    trainer = build_trainer(table, folder, begin=begin, tell=tell)
    trainer.train()
    return trainer


def build_trainer(
    table: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    begin: Path | None = None,
    tell: Tell | None = None,
) -> Trainer:
    """Do all that a recipe says before its first update: the world, the policy, what the expert teaches it.

    A run that was cut off in `folder` goes on where its last checkpoint was taken.

    Args:
        table: The recipe as `recipe_table` reads it.
        folder: Where the run is recorded; None records nothing.
        begin: An engine that `Run.save` wrote, to begin with in place of what `[model]` and `[clone]` describe.
        tell: Told of every step.

    Returns:
        The trainer. A recipe without a loss only clones; its trainer has no updates.

    Raises:
        ConfigError: if the recipe is not valid, or `folder` holds a run of another recipe.
        DataError: if the run's newest checkpoint is damaged.
    """
    recipe = read_recipe(table)
    check_distributed(recipe.model.shard)
    tell = tell or (lambda phase, done, total, metrics: None)
    run, latest = open_run(table, folder)
    if run is not None:
        wrappers = tuple({"name": each.func.__name__, **each.keywords} for each in recipe.world.wrappers)
        Home(recipe.world.id, recipe.world.knobs, wrappers).write(run.folder)
    world = make_world(recipe.world, recipe.world.split, recipe.rollout.workers)
    engine = trainable(load_engine(begin), recipe) if begin else prepare(recipe, world, run, tell)
    others = init_distributed(engine.model, recipe.model.shard)

    def on_update(metrics: Metrics) -> None:
        tell("updates", metrics["update"] + 1, recipe.update.updates, metrics)

    trainer = Trainer(recipe, engine, world, run=run, on_update=on_update, distributed=others)
    trainer.keeps_last = folder is not None and not any(isinstance(each, Checkpoint) for each in recipe.callbacks)
    chosen = others.broadcast(str(latest or ""))  # the first process knows; the others may look too early
    if chosen:
        resume(trainer, Path(chosen))
    elif run is not None and (run.folder / CLONED).exists():
        run.cut({name: size for name, size in run.lengths().items() if name == "clone.jsonl"})
    elif run is not None:
        run.cut({})
    return trainer


def open_run(table: Mapping[str, Any], folder: str | Path | None) -> tuple[Run | None, Path | None]:
    """The run's records, new or begun earlier, and its newest checkpoint.

    Args:
        table: The recipe.
        folder: Where the run is recorded; None records nothing.
    """
    if folder is None:
        return None, None
    folder = Path(folder)
    if int(os.environ.get("RANK", "0")):  # the first process writes
        return None, None
    text = json.dumps(table, indent=1, sort_keys=True)
    if not (folder / RECIPE).exists():
        run = Run(folder)
        (folder / RECIPE).write_text(text, encoding="utf8")
        return run, None
    if (folder / RECIPE).read_text(encoding="utf8") != text:
        raise ConfigError(f"{folder} holds a run of another recipe; choose another folder, or give the same settings")
    saved = checkpoints(folder)
    return Run.again(folder), saved[-1] if saved else None


def prepare(recipe: Recipe, world: EnvPool, run: Run | None, tell: Tell) -> HuggingFaceEngine:
    """The policy as it is before the first round: loaded or built, and cloned from the expert if the recipe says so.

    Args:
        recipe: What to do.
        world: Where the expert shows what to do.
        run: Where cloning is recorded, and where a clone of an earlier process is found.
        tell: Told of every step.
    """
    if run is not None and (run.folder / CLONED).exists():
        return trainable(load_engine(run.folder / CLONED), recipe)
    shown = _demonstrations(recipe, world, tell)
    engine = _policy(recipe, shown)
    if recipe.clone is None:
        return trainable(engine, recipe)
    if run is not None:
        run.cut({})  # what an earlier process left half done is done again
    system = recipe.prompt.system(world.manual, calls=bool(world.tools))
    segments = tokenize(shown, engine.chat, engine.context_limit, recipe.prompt.context, system)
    steps = recipe.clone.epochs * -(-len(segments) // recipe.clone.batch)
    clone(
        engine,
        segments,
        recipe.clone,
        seed=recipe.seed,
        micro_tokens=recipe.update.micro_tokens,
        run=run,
        on_update=lambda metrics: tell("clone", metrics["update"] + 1, steps, metrics),
    )
    if run is not None:
        run.save(engine, CLONED)
    return trainable(engine, recipe)


def trainable(engine: HuggingFaceEngine, recipe: Recipe) -> HuggingFaceEngine:
    """The engine with low-rank adapters, if the recipe asks for them: they alone are trained (Hu et al. 2021).

    Args:
        engine: The policy; its model is wrapped.
        recipe: Its `model.lora` is the rank of the adapters; 0 trains all weights.
    """
    if not recipe.model.lora:
        return engine
    peft = require("peft", extra="train", purpose="model.lora")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream_seed("train.lora", recipe.seed))
        config = peft.LoraConfig(r=recipe.model.lora, lora_alpha=2 * recipe.model.lora, target_modules="all-linear")
        engine.model = peft.get_peft_model(engine.model, config).eval()
    return engine


def _demonstrations(recipe: Recipe, world: EnvPool, tell: Tell) -> list[Episode]:
    config = recipe.clone
    if config is None:
        return []
    done = [0]

    def count(episodes: int) -> None:
        done[0] += episodes
        tell("demonstrations", done[0], config.episodes, {})

    chosen = recipe.rollout.tasks
    drawn = chosen.demonstrated(stream("train.demonstrations", recipe.seed), config.episodes, world.size)
    tasks = [chosen.name(place) for place in drawn]
    shown = demonstrate(world, tasks, noise=config.noise, seed=recipe.seed, teacher=config.teacher, on_episode=count)
    if not shown:
        raise DataError(f"{recipe.world.id} failed in every demonstration")
    return shown


def _policy(recipe: Recipe, shown: list[Episode]) -> HuggingFaceEngine:
    config = recipe.model
    if config.tiny is not None:
        tokenizer = train_tokenizer(transcript_text(shown), config.tiny.vocabulary)
        model = build_decoder(config.tiny, tokenizer, recipe.seed)
        return HuggingFaceEngine(model, tokenizer, max_new_tokens=config.max_new_tokens, prompt=recipe.prompt)
    dtype = torch.bfloat16 if config.bf16 else torch.float32
    return load_pretrained(str(config.name), config.max_new_tokens, dtype, prompt=recipe.prompt)
