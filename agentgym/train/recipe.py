"""A recipe: everything a run depends on, as data. A published method is a recipe of a few lines.

    method, paper, seed      what it is called, where it comes from, and the seed of everything
    axis                     of RL for search agents, the one it stands for: see `AXES`
    [world]                  where to play
    [[mixture]]              worlds that a round plays beside it; see `agentgym.train.mixture`
    [model]                  who plays: a folder or a name of pretrained weights, or the shape of a tiny model
    [policies], [players]    several policies, and who speaks when; see `agentgym.train.players`
    [clone]                  what the policy learns from the world's expert first; clone = "none" leaves it out
    [records]                sessions of agent programs that are learned from instead; see `agentgym.train.records`
    [rollout]                how episodes are played: groups, strategy, context, horizon, temperature, tasks, engine
    [[filter]]               which of them are learned from
    [[learner]]              what is fitted beside the policy: a critic, a reward model
    [[advantage]]            terms whose weighted sum is the advantage of a token
    [loss]                   the loss
    [[regularizer]]          terms added to it
    [replay]                 what is kept from earlier rounds
    [between]                a second loss between rounds; see `agentgym.train.phase`
    [artifact]               text that is learned in place of weights; see `agentgym.train.artifacts`
    [update]                 gradient steps
    [checkpoint]             how often the run is saved, and how many of the newest checkpoints are kept
    [[callback]]             what happens between rounds: evaluation, early stop, logs elsewhere

`agentgym train NAME` finds the recipes of `agentgym.baselines.recipes` by name, others by path; on the command line
`--update.steps 2` replaces a value, and `--callback+ "{ name = 'early_stop', above = 0.9 }"` adds an entry to a list. A
file may also name the `base` that it changes, and say what counts in one world alone (`[per_world."Household-v1"]`):
see `agentgym.train.recipe_files`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.agents.prompt import Prompt
from agentgym.core import AgentGymError, ConfigError, unknown
from agentgym.core.checks import check_count
from agentgym.train.advantages import ADVANTAGES
from agentgym.train.artifacts import Artifact
from agentgym.train.callbacks import CALLBACKS
from agentgym.train.checks import check
from agentgym.train.config import (
    CheckpointConfig,
    CloneConfig,
    ModelConfig,
    RecordsConfig,
    RolloutConfig,
    UpdateConfig,
    WorldConfig,
)
from agentgym.train.config_parser import build, fit, pick
from agentgym.train.filters import FILTERS
from agentgym.train.learners import LEARNERS
from agentgym.train.losses import LOSSES
from agentgym.train.mixture import MixtureConfig, WorldPlan, plans, read_mixture
from agentgym.train.phase import Between, Phase
from agentgym.train.players import PlayerParts, PolicyConfig, read_players, read_policies
from agentgym.train.pretrained_defaults import NO_CLONE
from agentgym.train.recipe_files import merge, recipe_table
from agentgym.train.regularizers import REGULARIZERS
from agentgym.train.replay import REPLAYS

AXES = ("", "reward", "credit", "long-context", "multi-objective")
"""Axes of the survey of RL for deep research (Li et al. 2025, arXiv:2509.06733) that a recipe may stand for."""
MANY = {
    "filter": FILTERS,
    "learner": LEARNERS,
    "advantage": ADVANTAGES,
    "regularizer": REGULARIZERS,
    "callback": CALLBACKS,
}


@dataclass(frozen=True)
class Recipe:
    """A whole run as data; see the module. Parts are objects of the classes that the tables of their kind name."""

    world: WorldConfig
    model: ModelConfig
    method: str = ""
    paper: str = ""
    axis: str = ""
    seed: int = 0
    clone: CloneConfig | None = None
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    records: RecordsConfig | None = None
    filters: tuple[Any, ...] = ()
    learners: tuple[Any, ...] = ()
    advantages: tuple[Any, ...] = ()
    loss: Any = None
    regularizers: tuple[Any, ...] = ()
    replay: Any = None
    update: UpdateConfig = field(default_factory=lambda: UpdateConfig(0))
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)
    callbacks: tuple[Any, ...] = ()
    between: Between | None = None
    artifact: Artifact | None = None
    mixture: tuple[MixtureConfig, ...] = ()
    policies: dict[str, PolicyConfig] = field(default_factory=dict)
    players: dict[str, PlayerParts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise unknown("axis", self.axis, AXES[1:])
        check_count("seed", self.seed, 0)
        check(self)

    @property
    def prompt(self) -> Prompt:
        """How the world is put into words for the policy, in training and whenever it plays."""
        return Prompt(self.model.manual, self.model.answer, self.rollout.context)

    @property
    def plans(self) -> tuple[WorldPlan, ...]:
        """The worlds of a run: that of `[world]`, and those of `[[mixture]]`."""
        return plans(self.world, self.rollout, self.players, self.mixture)

    @property
    def needs_reference(self) -> bool:
        """Whether a part reads log-probabilities of a reference model."""
        parts = (self.loss, *self.advantages, *self.regularizers)
        return any(part.needs_reference for part in parts if part is not None)

    @property
    def phase(self) -> Phase:
        """The gradient steps of every round."""
        update = self.update
        return Phase("", self.loss, update.steps, update.epochs, update.loss_aggregation, self.masked, True)

    @property
    def masked(self) -> tuple[str, ...]:
        """Kinds of turns that are not learned from; see `update.masked`."""
        if self.update.masked is not None:
            return self.update.masked
        return ("off_policy",) if self.loss is not None and (self.loss.uses_ratio or self.loss.on_policy) else ()


def load_recipe(name: str | Path, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """The recipe of a name or path.

    Args:
        name: A recipe of `agentgym.baselines.recipes` without its ending, or the path of a TOML file.
        overrides: Values by dotted key, such as `{"update.updates": 10, "advantage.0.weight": 2.0}`.

    Raises:
        ConfigError: if there is no such recipe, or it is not valid; the message names the key.
    """
    return read_recipe(recipe_table(name, overrides))


def read_recipe(table: Mapping[str, Any]) -> Recipe:
    """The recipe that a table describes; see `load_recipe`."""
    rest = dict(table)
    values: dict[str, Any] = {}
    if rest.get("clone") == NO_CLONE:
        del rest["clone"]
    for kind, parts in MANY.items():
        entries = rest.pop(kind, [])
        if not isinstance(entries, list):
            raise ConfigError(f"{kind} must be a list of tables: write [[{kind}]]")
        values[f"{kind}s"] = tuple(pick(parts, entry, kind) for entry in entries)
    readers: dict[str, Callable[[Any], Any]] = {
        "loss": partial(pick, LOSSES, where="loss"),
        "replay": partial(pick, REPLAYS, where="replay"),
        "between": partial(build, Between, where="between"),
        "artifact": partial(build, Artifact, where="artifact"),
        "mixture": read_mixture,
        "policies": read_policies,
        "players": read_players,
    }
    values |= {kind: read(rest.pop(kind)) for kind, read in readers.items() if kind in rest}
    configs = {
        "world": WorldConfig,
        "model": ModelConfig,
        "clone": CloneConfig,
        "rollout": RolloutConfig,
        "records": RecordsConfig,
        "update": UpdateConfig,
        "checkpoint": CheckpointConfig,
    }
    for name, config in configs.items():
        if name in rest:
            values[name] = build(config, rest.pop(name), name)
        elif name in ("world", "model"):
            raise ConfigError(f"a recipe needs the table [{name}]")
    for name, hint in (("method", str), ("paper", str), ("axis", str), ("seed", int)):
        if name in rest:
            values[name] = fit(rest.pop(name), hint, name)
    if rest:
        known = [*configs, *MANY, *readers, "method", "paper", "axis", "seed"]
        raise unknown("table of a recipe", next(iter(rest)), sorted(known))
    recipe = Recipe(**values)
    runs = recipe.clone.runs if recipe.clone is not None else {}
    for name in runs:
        _check_run(name, run_table(table, name))
    return recipe


def run_table(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The recipe of a run that comes first: that of the run which clones it, with its own settings over it.

    Args:
        table: The recipe as `recipe_table` reads it.
        name: Of the run, in `clone.runs`.
    """
    clone_ = {key: value for key, value in table["clone"].items() if key != "runs"}
    return merge({**table, "clone": clone_}, table["clone"]["runs"][name])


def _check_run(name: str, table: Mapping[str, Any]) -> None:
    """Refuse a run that cannot come first."""
    try:
        recipe = read_recipe(table)
    except AgentGymError as error:
        raise ConfigError(f"clone.runs.{name}: {error}") from None
    if recipe.loss is None or recipe.players or recipe.mixture:
        raise ConfigError(
            f"clone.runs.{name}: what is cloned are successes of a policy that learns by playing, alone and in one "
            "world; give it a [loss], and no [players] and [[mixture]]"
        )
