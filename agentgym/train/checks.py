"""What no part can see by itself: recipes that contradict themselves, or hold what would have no effect."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from agentgym.core import ConfigError, catalog, full_id, unknown
from agentgym.evaluate.worlds import check_options
from agentgym.train.opponents import Script
from agentgym.train.plans import RolloutPlan
from agentgym.train.schedules import Schedule, extremes

if TYPE_CHECKING:
    from agentgym.train.recipe import Recipe


def check(recipe: Recipe) -> None:
    """Refuse what contradicts itself or would have no effect, and options that the world does not take."""
    known = catalog().get(full_id(recipe.world.id))
    if known is not None:
        check_options(known, recipe.world.knobs)
    if recipe.surrogate is None:
        _only_cloning(recipe)
        return
    if recipe.update.updates < 1:
        raise ConfigError("update.updates must be at least 1 in a recipe with a surrogate")
    if recipe.model.tiny is not None and recipe.clone is None:
        raise ConfigError("a tiny model learns its words from demonstrations; add [clone], or give model.name")
    _check_surrogate(recipe)
    _check_schedules(recipe)
    _check_seats(recipe)
    lists = (recipe.filters, recipe.learners, recipe.advantages, recipe.regularisers, recipe.callbacks)
    plan = recipe.rollout
    single = (recipe.surrogate, recipe.replay, plan.strategy, plan.tasks, plan.opponent)
    for part in (*itertools.chain(*lists), *single):
        if part is not None:
            part.check(recipe)
    if recipe.rollout.refill and not any(part.drops_groups for part in recipe.filters):
        raise ConfigError("rollout.refill has no effect without a filter that drops groups, such as 'live_groups'")
    if recipe.update.renew_reference and not recipe.needs_reference:
        raise ConfigError(
            "update.renew_reference has no effect: no part reads a reference model; add [[regulariser]] 'kl'"
        )
    if recipe.update.renew_reference and recipe.update.renew_reference >= recipe.update.updates:
        raise ConfigError(
            f"update.renew_reference is {recipe.update.renew_reference}, but the run has only {recipe.update.updates} "
            "updates: the reference would never be renewed"
        )
    if recipe.update.steps > recipe.rollout.groups:
        raise ConfigError(
            f"update.steps {recipe.update.steps} exceeds rollout.groups {recipe.rollout.groups}; some would be empty"
        )


def _only_cloning(recipe: Recipe) -> None:
    idle = [
        kind for kind in ("filters", "learners", "advantages", "regularisers", "callbacks") if getattr(recipe, kind)
    ]
    if recipe.rollout != RolloutPlan():
        idle.append("rollout")
    if recipe.replay is not None:
        idle.append("replay")
    if recipe.update.updates:
        idle.append("update.updates")
    if idle:
        raise ConfigError(f"{idle[0]} has no effect without [surrogate], which says what the policy learns from play")
    if recipe.clone is None:
        raise ConfigError("the recipe teaches nothing: it has neither [clone] nor [surrogate]")


def _check_surrogate(recipe: Recipe) -> None:
    surrogate, several = recipe.surrogate, recipe.update.steps * recipe.update.epochs > 1
    name = type(surrogate).__name__
    if surrogate.uses_advantages and not recipe.advantages:
        raise ConfigError(f"the surrogate {name} needs at least one [[advantage]]")
    if not surrogate.uses_advantages and recipe.advantages:
        raise ConfigError(f"[[advantage]] has no effect with the surrogate {name}")
    if surrogate.uses_ratio and not several and recipe.replay is None:
        raise ConfigError(
            f"the surrogate {name} clips ratios, which are all 1 with one gradient step a round; raise update.steps or "
            "update.epochs, or use 'policy_gradient'"
        )
    if surrogate.on_policy and several:
        raise ConfigError(f"the surrogate {name} is for one gradient step a round; set update.steps and epochs to 1")


def _check_seats(recipe: Recipe) -> None:
    known = catalog().get(full_id(recipe.world.id))
    seats = known is not None and known.api != "gymnasium"
    plan = recipe.rollout
    if seats and not plan.opponent:
        levels = ", ".join(known.opponents) if known else ""
        raise ConfigError(f"{recipe.world.id} has many seats; set rollout.opponent to self or one of: past, {levels}")
    if not seats and plan.opponent:
        raise ConfigError(f"rollout.opponent has no effect: {recipe.world.id} has one seat")
    if seats and known is not None and isinstance(plan.opponent, Script) and plan.opponent.level not in known.opponents:
        raise unknown("rollout.opponent", plan.opponent.level, ["self", "past", *known.opponents])
    if seats and (plan.horizon is not None or plan.workers or plan.strategy.branches or recipe.world.wrappers):
        raise ConfigError(
            "in a game of many seats, rollout.horizon, workers, strategies that branch and wrappers have no effect"
        )
    if not seats and recipe.clone is not None and recipe.clone.teacher != "expert":
        raise ConfigError(f"clone.teacher must be expert: {recipe.world.id} has one seat, and no other teacher")
    if seats and any(part.needs_answers for part in recipe.learners):
        raise ConfigError("games of many seats have no reference answers, which a learner of the recipe needs")


def _check_schedules(recipe: Recipe) -> None:
    values = {
        "rollout.horizon": recipe.rollout.horizon,
        "rollout.temperature": recipe.rollout.temperature,
        "update.learning_rate": recipe.update.learning_rate,
        **{f"the coefficient of {type(part).__name__}": part.coefficient for part in recipe.regularisers},
    }
    for where, value in values.items():
        if isinstance(value, Schedule) and value.kind == "steps" and value.at[-1] >= recipe.update.updates:
            raise ConfigError(
                f"{where} changes at update {value.at[-1]}, but the run has only {recipe.update.updates} updates"
            )
    weights = [(part, part.coefficient) for part in recipe.regularisers]
    weights += [(part, part.weight) for part in recipe.advantages]
    for part, weight in weights:
        if extremes(weight) == (0, 0):
            raise ConfigError(f"{type(part).__name__} with weight 0 has no effect; leave it out")
