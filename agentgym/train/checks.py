"""What no part can see by itself: recipes that contradict themselves, or hold what would have no effect."""

from __future__ import annotations

import itertools
from dataclasses import fields
from typing import TYPE_CHECKING

import gymnasium as gym

from agentgym.core import ConfigError, EnvCard, catalog, find_card, full_id, unknown, unknown_environment
from agentgym.evaluate.worlds import check_options
from agentgym.rollout.demonstrate import EXPERT, ORACLE
from agentgym.train.config import CheckpointConfig, RolloutConfig, UpdateConfig, VLLMConfig, WorldConfig
from agentgym.train.opponents import ScriptedOpponent
from agentgym.train.players import DelegatePart, all_parts, check_players
from agentgym.train.schedules import Schedule, extremes

if TYPE_CHECKING:
    from agentgym.train.mixture import WorldPlan
    from agentgym.train.recipe import Recipe


def check(recipe: Recipe) -> None:
    """Refuse what contradicts itself or would have no effect, unknown worlds, and options that they do not take."""
    for plan in recipe.plans:
        _check_world(plan.world)
    check_players(recipe)
    if recipe.clone is not None and recipe.clone.plans is not None:
        recipe.clone.plans.check(recipe)
    for part in (part for plan in recipe.plans for part in all_parts(plan.players)):
        if isinstance(part, DelegatePart) and isinstance(part.world, WorldConfig):
            known = _check_world(part.world)
            if known is not None and known.players > 1:
                raise ConfigError(f"a delegate answers in a world of one player, and {part.world.id} has several")
    if recipe.records is not None:
        _check_records(recipe)
    if recipe.rollout.max_staleness is not None:
        _check_asynchronous(recipe)
    if recipe.rollout.engine is not None:
        _check_engine(recipe)
    if recipe.loss is None and recipe.artifact is None:
        _only_cloning(recipe)
    else:
        _check_play(recipe)


def _check_world(world: WorldConfig) -> EnvCard | None:
    """Refuse an unknown world, and options that it does not take; its card, if it has one."""
    known = find_card(world.id)
    name = world.id.rpartition(":")[2]
    if known is not None:
        check_options(known, world.env_kwargs)
    elif full_id(name) not in gym.registry:
        raise unknown_environment(name, catalog())
    return known


def _check_play(recipe: Recipe) -> None:
    """What recipes that play have in common, with a loss or with an artifact."""
    if recipe.update.updates < 1:
        raise ConfigError("update.updates must be at least 1 in a recipe with a loss or an artifact")
    if recipe.model.tiny is not None and recipe.clone is None:
        raise ConfigError("a tiny model learns its words from demonstrations; add [clone], or give model.name")
    if recipe.loss is None:
        _only_text(recipe)
    else:
        _check_learning(recipe)


def _check_learning(recipe: Recipe) -> None:
    """What a recipe with a loss needs, and what would have no effect in it."""
    _check_surrogate(recipe)
    _check_schedules(recipe)
    for plan in recipe.plans:
        _check_players(recipe, plan)
    lists = (recipe.filters, recipe.learners, recipe.advantages, recipe.regularizers, recipe.callbacks)
    config = recipe.rollout
    own = [part for plan in recipe.plans for part in (plan.tasks, plan.opponent)]
    single = (recipe.loss, recipe.replay, recipe.between, recipe.artifact, config.strategy, *own)
    for part in (*itertools.chain(*lists), *single):
        if part is not None:
            part.check(recipe)
    if recipe.rollout.refill and not any(part.drops_groups for part in recipe.filters):
        raise ConfigError(
            "rollout.refill has no effect without a filter that drops groups, such as 'drop_zero_variance'"
        )
    if recipe.update.ref_sync_every and not recipe.needs_reference:
        raise ConfigError(
            "update.ref_sync_every has no effect: no part reads a reference model; add [[regularizer]] 'kl'"
        )
    if recipe.update.ref_sync_every and recipe.update.ref_sync_every >= recipe.update.updates:
        raise ConfigError(
            f"update.ref_sync_every is {recipe.update.ref_sync_every}, but the run has only {recipe.update.updates} "
            "updates: the reference would never be renewed"
        )
    if recipe.update.recompute_logprobs and not recipe.loss.uses_ratio:
        _check_correction(recipe)
    if recipe.update.steps > recipe.rollout.groups:
        raise ConfigError(
            f"update.steps {recipe.update.steps} exceeds rollout.groups {recipe.rollout.groups}; some would be empty"
        )


def _check_records(recipe: Recipe) -> None:
    """What has no effect where no episodes are played."""
    known = find_card(recipe.world.id)
    if known is not None and known.players > 1:
        raise ConfigError(f"[records] are of one player; {recipe.world.id} is a game of several players")
    if recipe.loss is None or recipe.artifact is not None:
        raise ConfigError("[records] needs a [loss], and no [artifact]: sessions are what weights learn from")
    usual = RolloutConfig()
    heeded = ("groups", "group_size", "temperature")
    names = [each.name for each in fields(usual) if each.name not in heeded]
    idle = [f"rollout.{name}" for name in names if getattr(recipe.rollout, name) != getattr(usual, name)]
    idle += [name for name in ("mixture", "policies", "players") if getattr(recipe, name)]
    idle += ["world.wrappers"] if recipe.world.wrappers and recipe.clone is None else []
    if idle:
        raise ConfigError(f"{idle[0]} has no effect with [records]: the agent program plays; leave it out")
    if isinstance(recipe.rollout.temperature, Schedule):
        raise ConfigError("rollout.temperature must be one number with [records]: the program asks for that one")
    if any(part.needs_keys for part in recipe.advantages) or any(part.needs_answers for part in recipe.learners):
        raise ConfigError("[records] hold no state keys and no reference answers, which a part of the recipe reads")


def _check_asynchronous(recipe: Recipe) -> None:
    """What goes on while the weights are moved: independent episodes of one policy in one world of one player."""
    config, known = recipe.rollout, find_card(recipe.world.id)
    others = [f"[{name}]" for name in ("mixture", "policies", "players", "artifact") if getattr(recipe, name)]
    others += ["a game of several players"] if known is not None and known.players > 1 else []
    others += ["a recipe without [loss]"] if recipe.loss is None else []
    branching = config.strategy.branches or config.strategy.attempts > 1
    others += [f"the strategy {type(config.strategy).__name__}"] if branching else []
    for name in ("temperature", "horizon"):
        others += [f"a schedule of rollout.{name}"] if isinstance(getattr(config, name), Schedule) else []
    if others:
        raise ConfigError(f"rollout.max_staleness does not go with {others[0]}; leave one of the two out")
    if config.max_staleness and recipe.loss.on_policy and recipe.update.importance_cap is None:
        raise ConfigError(
            f"the loss {type(recipe.loss).__name__} is for the policy's own samples, and rollout.max_staleness "
            f"{config.max_staleness} lets earlier weights speak; set update.recompute_logprobs = true and "
            "update.importance_cap, take a loss with ratios such as 'ppo_clip', or set rollout.max_staleness = 0"
        )


def _check_engine(recipe: Recipe) -> None:
    """What can be sampled elsewhere: the one policy that learns, in every place."""
    others = [f"[{name}]" for name in ("policies", "players", "artifact") if getattr(recipe, name)]
    others += ["rollout.opponent"] if any(plan.opponent for plan in recipe.plans) else []
    others += ["a recipe without [loss]"] if recipe.loss is None else []
    others += ["model.shard"] if recipe.model.shard else []
    if others:
        raise ConfigError(f"rollout.engine does not go with {others[0]}; leave one of the two out")
    engine = recipe.rollout.engine
    if isinstance(engine, VLLMConfig) and engine.shares_device and recipe.rollout.max_staleness is not None:
        raise ConfigError(
            "rollout.engine.shares_device lets the server sleep while the weights are moved, and rollout.max_staleness "
            "lets it answer meanwhile; leave one of the two out"
        )


def _check_correction(recipe: Recipe) -> None:
    """A loss without ratios is corrected for another sampler by its weights alone, if it is for its own samples."""
    name = type(recipe.loss).__name__
    if not recipe.loss.on_policy:
        raise ConfigError(f"update.recompute_logprobs has no effect: the loss {name} takes no ratio")
    if recipe.update.importance_cap is None:
        raise ConfigError(
            f"update.recompute_logprobs has no effect: the loss {name} takes no ratio; set update.importance_cap, "
            "which weighs tokens by how much likelier they are than they were to the sampler"
        )


def _only_cloning(recipe: Recipe) -> None:
    idle = [
        kind for kind in ("filters", "learners", "advantages", "regularizers", "callbacks") if getattr(recipe, kind)
    ]
    if recipe.rollout != RolloutConfig():
        idle.append("rollout")
    idle += [kind for kind in ("replay", "between") if getattr(recipe, kind) is not None]
    idle += [f"update.{name}" for name in _changed(recipe.update, UpdateConfig(0))]
    if recipe.checkpoint != CheckpointConfig():
        idle.append("checkpoint")
    if idle:
        raise ConfigError(f"{idle[0]} has no effect without [loss], which says what the policy learns from play")
    if recipe.clone is None:
        raise ConfigError("the recipe teaches nothing: it has neither [clone] nor [loss]")


def _only_text(recipe: Recipe) -> None:
    """What a recipe whose weights stay as they are may hold."""
    idle = [kind for kind in ("filters", "learners", "advantages", "regularizers") if getattr(recipe, kind)]
    idle += [kind for kind in ("replay", "between") if getattr(recipe, kind) is not None]
    idle += [f"update.{name}" for name in _changed(recipe.update, UpdateConfig(recipe.update.updates))]
    idle += ["update.packing"] if recipe.update.packing and recipe.clone is None else []
    if idle:
        raise ConfigError(f"{idle[0]} has no effect without [loss]: an artifact alone leaves the weights as they are")
    for plan in recipe.plans:
        _check_players(recipe, plan)
        plan.tasks.check(recipe)
    for part in (recipe.artifact, *recipe.callbacks):
        part.check(recipe)


def _changed(config: UpdateConfig, other: UpdateConfig) -> list[str]:
    """Names of the settings in which two tables differ, but for those that cloning heeds as well."""
    names = [field.name for field in fields(config) if field.name not in ("micro_tokens", "packing", "max_grad_norm")]
    return [name for name in names if getattr(config, name) != getattr(other, name)]


def _check_surrogate(recipe: Recipe) -> None:
    loss, several = recipe.loss, recipe.update.steps * recipe.update.epochs > 1
    name = type(loss).__name__
    if loss.uses_advantages and not recipe.advantages:
        raise ConfigError(f"the loss {name} needs at least one [[advantage]]")
    if not loss.uses_advantages and recipe.advantages:
        raise ConfigError(f"[[advantage]] has no effect with the loss {name}")
    stale = recipe.replay is not None or recipe.rollout.max_staleness
    if loss.uses_ratio and not several and not stale:
        raise ConfigError(
            f"the loss {name} clips ratios, which are all 1 with one gradient step a round; raise update.steps or "
            "update.epochs, or use 'policy_gradient'"
        )
    if loss.on_policy and several:
        raise ConfigError(f"the loss {name} is for one gradient step a round; set update.steps and epochs to 1")


def _check_players(recipe: Recipe, plan: WorldPlan) -> None:
    known = find_card(plan.world.id)
    several = known is not None and known.players > 1
    strategy, opponent, world = recipe.rollout.strategy, plan.opponent, plan.world.id
    where = "rollout.opponent" if plan.world is recipe.world else "mixture.opponent"
    if not several and opponent:
        raise ConfigError(f"{where} has no effect: {world} has one player")
    scripted = isinstance(opponent, ScriptedOpponent)
    if several and known is not None and scripted and opponent.level not in known.opponents:
        raise unknown(where, opponent.level, ["self_play", "policy_pool", *known.opponents])
    if several and (strategy.branches or strategy.attempts > 1 or plan.world.wrappers):
        raise ConfigError("a game of several players is played without wrappers and with the strategy independent")
    if not several and recipe.clone is not None and recipe.clone.teacher not in (EXPERT, ORACLE):
        raise ConfigError(f"clone.teacher must be expert or oracle: {world} has one player, and no other teacher")
    if plan.formats and recipe.clone is not None and recipe.clone.teacher not in (EXPERT, ORACLE):
        raise ConfigError(f"clone.teacher {recipe.clone.teacher!r} speaks without wrappers; let it be 'expert'")
    if several and any(part.needs_answers for part in recipe.learners):
        raise ConfigError("games of several players have no reference answers, which a learner of the recipe needs")


def _check_schedules(recipe: Recipe) -> None:
    values = {
        "rollout.horizon": recipe.rollout.horizon,
        "rollout.temperature": recipe.rollout.temperature,
        "update.learning_rate": recipe.update.learning_rate,
        **{f"the coefficient of {type(part).__name__}": part.coefficient for part in recipe.regularizers},
    }
    for where, value in values.items():
        if isinstance(value, Schedule) and value.kind == "steps" and value.at[-1] >= recipe.update.updates:
            raise ConfigError(
                f"{where} changes at update {value.at[-1]}, but the run has only {recipe.update.updates} updates"
            )
    weights = [(part, part.coefficient) for part in recipe.regularizers]
    weights += [(part, part.weight) for part in recipe.advantages]
    for part, weight in weights:
        if extremes(weight) == (0, 0):
            raise ConfigError(f"{type(part).__name__} with weight 0 has no effect; leave it out")
