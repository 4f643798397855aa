"""From a recipe to a trainer: the world, the model, what the expert taught it, and the run's folder."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.hugging_face import Home
from agentgym.agents.pretrained import ADAPTERS, WEIGHTLESS, load_engine, load_pretrained, placed
from agentgym.agents.prompt import Prompt
from agentgym.core import ConfigError, DataError, require
from agentgym.core.files import LOG, check_whole
from agentgym.core.rng import stream
from agentgym.rollout import EnvPool, Episode, demonstrate
from agentgym.rollout.counters import take_notes
from agentgym.rollout.records import TaskName
from agentgym.train.asynchronous import AsyncTrainer
from agentgym.train.batch import tokenize
from agentgym.train.checkpoint import checkpoints, newest, remove_old, resume
from agentgym.train.cloning import clone
from agentgym.train.distributed import SingleProcess, check_distributed, join_processes
from agentgym.train.evaluation import make_world
from agentgym.train.metrics import Metrics
from agentgym.train.mixture import WorldPlan
from agentgym.train.plans import FILE as PLANS
from agentgym.train.plans import annotated
from agentgym.train.players import MAIN, PlayerPart, PolicyConfig, learned_wrappers
from agentgym.train.policies import policy_prompt, trainable
from agentgym.train.recipe import Recipe, read_recipe, run_table
from agentgym.train.recorded import imported, recorded
from agentgym.train.records import RecordTrainer
from agentgym.train.run_dir import Run, lines_of
from agentgym.train.served import ServedTrainer
from agentgym.train.tiny import build_decoder, train_tokenizer, transcript_text
from agentgym.train.trainer import Trainer

CLONED = "cloned"
FIRST = "runs"  # folder of the runs that come first
BEFORE = -1  # the update of what is noted before the first
Lesson: TypeAlias = tuple[Prompt, list[Episode]]
Tell = Callable[[str, int, int, Metrics], None]
"""Called with a phase, steps done, steps in all, and the newest metrics.

Phases are `demonstrations`, `clone` and `updates`; those of `clone.runs` have the name of the run before them.
"""


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
        DataError: if the run's records or all its checkpoints are damaged, or nothing can be written.
    """
    trainer = build_trainer(table, folder, begin=begin, tell=tell)
    try:
        trainer.train()
    finally:
        trainer.close()
    return trainer


def build_trainer(
    table: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    begin: Path | None = None,
    tell: Tell | None = None,
) -> Trainer:
    """Do all that a recipe says before its first update: the world, the policy, what the expert teaches it.

    A run that was cut off in `folder` goes on where its newest whole checkpoint was taken. Until the trainer is closed,
    no other process can write there, and its worlds stay open.

    Args:
        table: The recipe as `recipe_table` reads it.
        folder: Where the run is recorded; None records nothing.
        begin: An engine that `Run.save` wrote, to begin with in place of what `[model]` and `[clone]` describe.
        tell: Told of every step.

    Returns:
        The trainer. A recipe without a loss only clones; its trainer has no updates.

    Raises:
        ConfigError: if the recipe is not valid, or `folder` holds a run of another recipe.
        DataError: if the run's records or all its checkpoints are damaged, or nothing can be written.
    """
    recipe = read_recipe(table)
    check_distributed(recipe.model.shard)
    tell = tell or (lambda phase, done, total, metrics: None)
    first = [] if recipe.clone is None or begin is not None else [*recipe.clone.runs]
    if first and (folder is None or "RANK" in os.environ):
        raise ConfigError(
            "clone.runs are trained in one process, and recorded in the folder of the run; give it one (--out), or "
            "train them before and name their folders in clone.transcripts"
        )
    run = open_run(table, folder)
    try:
        if run is not None and cloned(run) is None:
            for name in first:
                run_recipe(run_table(table, name), first_run(run.path, name), tell=_told_of(name, tell))
        return _build(recipe, run, begin, tell, folder)
    except BaseException:
        if run is not None:
            run.close()
        raise


def first_run(folder: Path, name: str) -> Path:
    """Where a run of `clone.runs` is recorded.

    Args:
        folder: Of the run that clones it.
        name: Of the run that comes first.
    """
    return folder / FIRST / name


def _told_of(name: str, tell: Tell) -> Tell:
    """Tells of a run that comes first, by its name."""
    return lambda phase, done, total, metrics: tell(f"{name}: {phase}", done, total, metrics)


def _build(recipe: Recipe, run: Run | None, begin: Path | None, tell: Tell, folder: str | Path | None) -> Trainer:
    """The trainer, where its run stands."""
    if recipe.rollout.engine is not None:
        recipe.rollout.engine.check()  # before anything that takes long
    latest = newest(run, recipe.checkpoint.every) if run is not None else None
    if latest is not None:  # a run that was cut off while it saved has one too many
        remove_old(latest, recipe.checkpoint.keep)
    if run is not None:
        Home(recipe.world.id, recipe.world.env_kwargs, learned_wrappers(recipe)).write(run.path)
        if latest is None:  # what is recorded of updates is done again, and of a clone that was not finished
            clone_of = cloned(run)
            run.cut(lines_of(clone_of) if clone_of is not None else {})
    workers = recipe.rollout.workers
    with ExitStack() as opened:  # what cannot be built leaves no world behind
        worlds = []
        for plan in recipe.plans:
            worlds.append(make_world(plan.world, plan.world.split, workers, plan.formats))
            opened.callback(worlds[-1].close)
        others = join_processes(recipe.model.shard, recipe.model.device)
        if begin:
            engine = _saved_policy(begin, recipe, others.load_device(recipe.model.device))
            others.share(engine.model)
        else:
            engine = prepare(recipe, worlds, run, tell, others)

        def on_update(metrics: Metrics) -> None:
            tell("updates", metrics["update"] + 1, recipe.update.updates, metrics)

        trainer = _kind(recipe)(recipe, engine, *worlds, run=run, on_update=on_update, distributed=others)
        trainer.saves = folder is not None
        chosen = others.broadcast(str(latest or ""))  # the first process knows; the others may look too early
        if chosen:
            resume(trainer, Path(chosen))
        opened.pop_all()
    return trainer


def _kind(recipe: Recipe) -> type[Trainer]:
    """Where the trainer's rounds come from."""
    if recipe.records is not None:
        return RecordTrainer
    if recipe.rollout.max_staleness is not None:
        return AsyncTrainer
    return Trainer if recipe.rollout.engine is None else ServedTrainer


def open_run(table: Mapping[str, Any], folder: str | Path | None) -> Run | None:
    """The run's records, new or begun earlier; None in a process that does not write.

    Args:
        table: The recipe.
        folder: Where the run is recorded; None records nothing.
    """
    if folder is None or int(os.environ.get("RANK", "0")):  # the first process writes
        return None
    return Run(folder, table)


def cloned(run: Run) -> Path | None:
    """The clone that an earlier process made; None if there is none that is whole."""
    folder = run.path / CLONED
    if not folder.exists():
        return None
    try:
        check_whole(folder)
    except DataError as error:
        LOG.warning("%s; it is made again", error)
        return None
    return folder


def prepare(
    recipe: Recipe,
    worlds: EnvPool | Sequence[EnvPool],
    run: Run | None,
    tell: Tell,
    processes: SingleProcess | None = None,
) -> HuggingFaceEngine:
    """The policy as it is before the first round: loaded or built, and cloned from the expert if the recipe says so.

    Args:
        recipe: What to do.
        worlds: Where the expert shows what to do: the recipe's world, or all of its mixture.
        run: Where cloning is recorded, and where a clone of an earlier process is found.
        tell: Told of every step.
        processes: Those that train together; by default this one alone.
    """
    processes = processes or SingleProcess()
    device = processes.load_device(recipe.model.device)
    known = processes.broadcast(str((cloned(run) if run is not None else None) or ""))
    if known:
        engine = _saved_policy(Path(known), recipe, device)
        processes.share(engine.model)
        return engine
    pools = [worlds] if isinstance(worlds, EnvPool) else worlds
    records = None if run is None or checkpoints(run.path) else run  # else the lines of the clone stand already
    firsts = [] if run is None or recipe.clone is None else [first_run(run.path, name) for name in recipe.clone.runs]
    shown = [
        _demonstrations(recipe, plan, pool, tell, records, firsts)
        for plan, pool in zip(recipe.plans, pools, strict=True)
    ]
    episodes = [episode for lessons in shown for _, own in lessons for episode in own]
    engine = trainable(_policy(recipe, episodes, device), recipe)
    processes.share(engine.model)
    if recipe.clone is None:
        return engine
    segments = []
    for pool, lessons in zip(pools, shown, strict=True):
        for prompt, own in lessons:
            told = prompt.system_message(pool.manual, calls=bool(pool.tools))
            system = "" if recipe.clone.imported else told  # what was published says itself what its model was told
            segments += tokenize(own, engine.chat, engine.context_limit, prompt.context, system)
    steps = recipe.clone.epochs * -(-len(segments) // recipe.clone.batch)
    clone(
        engine,
        segments,
        recipe.clone,
        seed=recipe.seed,
        micro_tokens=recipe.update.micro_tokens,
        packing=recipe.update.packing,
        run=records,
        on_update=lambda metrics: tell("clone", metrics["update"] + 1, steps, metrics),
        processes=processes,
    )
    weights = processes.whole_weights(engine.model)
    if run is not None:
        run.save(engine, CLONED, weights)
    return engine


def _saved_policy(folder: Path, recipe: Recipe, device: str | None) -> HuggingFaceEngine:
    """A policy that a run saved, to be trained; if it was saved as adapters, these on what the recipe names."""
    if not (recipe.model.lora and (folder / ADAPTERS).is_file()):
        return trainable(load_engine(folder, device), recipe)
    peft = require("peft", extra="train", purpose="model.lora")
    engine = trainable(_policy(recipe, [], device), recipe)
    if device != WEIGHTLESS:
        peft.set_peft_model_state_dict(engine.model, peft.load_peft_weights(str(folder), device="cpu"))
    return engine


def _demonstrations(
    recipe: Recipe, plan: WorldPlan, world: EnvPool, tell: Tell, records: Run | None, firsts: Sequence[Path]
) -> list[Lesson]:
    """What is taught before the first round: of each who is taught, how it is asked and what it is shown."""
    config = recipe.clone
    if config is None:
        return []
    done = [0]

    def count(episodes: int) -> None:
        done[0] += episodes
        tell("demonstrations", done[0], config.episodes * max(1, len(config.transcripts or firsts)), {})

    if config.transcripts is not None and config.imported:
        if len(recipe.plans) > 1:
            raise ConfigError("clone.imported is of no world, and this recipe has several; clone in a recipe of one")
        return [(recipe.prompt, imported(config.transcripts, config.episodes, count))]
    if paths := config.transcripts or firsts:
        return _lessons(
            recipe, plan, world, recorded(world, paths, recipe.world.split, config.episodes, count), records
        )
    chosen = copy.deepcopy(plan.tasks)  # what it remembers of demonstrations is none of the run's business
    chosen.enter(world)
    drawn = chosen.demonstrated(stream("train.demonstrations", recipe.seed), config.episodes, world.size)
    tasks = [chosen.name(place) for place in drawn]
    for name, notes in take_notes([chosen]).items():
        if records is not None:
            records.append(name, *({"update": BEFORE, **record} for record in notes))
    shown = demonstrate(world, tasks, noise=config.noise, seed=recipe.seed, teacher=config.teacher, on_episode=count)
    if not shown:
        raise DataError(f"{plan.world.id} failed in every demonstration")
    return _lessons(recipe, plan, world, [(tasks[episode.group], episode) for episode in shown], records)


def _lessons(
    recipe: Recipe, plan: WorldPlan, world: EnvPool, shown: Sequence[tuple[TaskName, Episode]], records: Run | None
) -> list[Lesson]:
    """Demonstrations as those are shown them who are to learn from them."""
    config = recipe.clone.plans if recipe.clone is not None else None
    if config is None:
        return [(recipe.prompt, [episode for _, episode in shown])]

    def note(record: Mapping[str, Any]) -> None:
        if records is not None:
            records.append(PLANS, {"update": BEFORE, **record})

    parts = {role: part for role, part in plan.players.items() if isinstance(part, PlayerPart)}
    policies = recipe.policies or {MAIN: PolicyConfig()}
    found = annotated(world, parts, shown, config, note)
    taught = {role: policies[part.policy] for role, part in parts.items()}
    return [
        (policy_prompt(recipe, policy), found[role])
        for role, policy in taught.items()
        if not policy.agent and policy.model is None  # cloning teaches the model of [model] alone
    ]


def _policy(recipe: Recipe, shown: list[Episode], device: str | None) -> HuggingFaceEngine:
    config = recipe.model
    if config.tiny is not None:
        tokenizer = train_tokenizer(transcript_text(shown), config.tiny.vocabulary)
        model = build_decoder(config.tiny, tokenizer, recipe.seed)
        model = placed(model, "cpu" if device == WEIGHTLESS else device)  # it is small: every process makes it
        return HuggingFaceEngine(model, tokenizer, max_new_tokens=config.max_new_tokens, prompt=recipe.prompt)
    dtype = torch.bfloat16 if config.bf16 else torch.float32
    return load_pretrained(
        str(config.name),
        config.max_new_tokens,
        dtype,
        device=device,
        prompt=recipe.prompt,
        adapter=config.adapter,
    )
