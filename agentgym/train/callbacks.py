"""What happens between updates.

`on_update_end` may add to the metrics or stop the run; `on_logged` comes after they are on disk.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from agentgym.core import ConfigError, find_card, require, unknown
from agentgym.core.files import write_whole
from agentgym.evaluate.worlds import check_options
from agentgym.rollout import Episode
from agentgym.rollout.episode import is_child
from agentgym.rollout.records import TaskName
from agentgym.train.agreement import Agreement, pairs_of_episodes, pairs_of_turns
from agentgym.train.evaluation import evaluate_trained, make_world
from agentgym.train.exploit import exploit, why_not
from agentgym.train.metrics import role_metrics

if TYPE_CHECKING:
    from agentgym.train.mixture import WorldPlan
    from agentgym.train.recipe import Recipe
    from agentgym.train.trainer import Trainer

PANEL = 64  # tasks of an evaluation, unless a recipe says otherwise
NEVER = "it never happens; lower it, or leave the callback out"  # of one that comes up after the last update


class Callback:
    """Base of all callbacks: does nothing. A callback keeps no state but what it reads off `trainer.history`.

    Attributes:
        adds: Names of the metrics that it adds, at whichever updates.
    """

    adds: ClassVar[tuple[str, ...]] = ()

    def check(self, recipe: Recipe) -> None:
        """Refuse a recipe in which it would have no effect."""

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """After the gradient steps of a round, before its metrics are written; `trainer.update` is already counted.

        Args:
            trainer: Who trains; `stopped` may be set to end the run.
            metrics: Of the update; more may be added.
        """

    def on_logged(self, trainer: Trainer, metrics: Mapping[str, Any]) -> None:
        """After the round's metrics have been written; called in the process that writes.

        Args:
            trainer: Who trains.
            metrics: Of the update, as they were written.
        """

    def summary(self, history: Sequence[Mapping[str, Any]]) -> list[str]:
        """What is said of the whole run at its end, in lines.

        Args:
            history: Metrics of each update, those before the run was taken up again included.
        """
        return []


@dataclass(frozen=True)
class Evaluate(Callback):
    """Play a fixed panel every few rounds; adds `eval_success`, `eval_return` and `eval_left_out` to the metrics.

    `eval_left_out` counts the episodes in which the world failed: they are in no mean, and where no others are there is
    none (None). Of a mixture the figures are the means over its worlds, each of which plays its own panel, and the sum
    of what was left out; `eval_worlds` holds them apart. Where roles share the work, `eval_roles` tells how often each
    spoke (`agentgym.train.metrics.role_metrics`). The panel is played in the processes of `rollout.workers`.

    Attributes:
        split: The panel; not `test`, which is for the end.
        tasks: How many of its tasks, from the first; None for 64, or all where there are fewer.
        every: Rounds between evaluations.
        seed: Of the random draws; equal in every evaluation.
        opponent: In a game of several players, the scripted opponent in the other places; the strongest by default.
        specs: Specifications that are played in turn, `tasks` in all, in place of the panel's first.
        temperature: Of sampling; None samples as in training.
        env_kwargs: Constructor arguments of the world, laid over those of `[world]`: what was learned there is tried
            elsewhere, such as on sites that no round has shown.
    """

    split: str = "val"
    tasks: int | None = None
    every: int = 10
    seed: int = 0
    opponent: str = ""
    specs: tuple[Any, ...] = ()
    temperature: float | None = None
    env_kwargs: dict[str, Any] = field(default_factory=dict)
    adds: ClassVar[tuple[str, ...]] = ("eval_success", "eval_return", "eval_left_out")

    def __post_init__(self) -> None:
        if self.split.startswith("test"):
            raise ConfigError("a run may not look at the test panel; evaluate on 'val'")
        if (self.tasks is not None and self.tasks < 1) or self.every < 1:
            raise ConfigError(f"tasks and every must be at least 1, got {self.tasks} and {self.every}")
        if self.temperature is not None and not self.temperature > 0:
            raise ConfigError(f"evaluate.temperature must be above 0, got {self.temperature}")
        if not all(isinstance(spec, Mapping) for spec in self.specs):
            raise ConfigError("evaluate.specs must be a list of task specifications (tables)")

    def check(self, recipe: Recipe) -> None:
        """It must come up at least once, on tasks that there are."""
        if self.every > recipe.update.updates:
            raise ConfigError(f"evaluate.every {self.every} exceeds the {recipe.update.updates} updates: {NEVER}")
        check_panel(recipe, "evaluate", self.split, None if self.specs or self.env_kwargs else self.tasks)
        self._check_elsewhere(recipe)
        cards = [card for plan in recipe.plans if (card := find_card(plan.world.id)) is not None]
        if self.opponent and len(cards) == len(recipe.plans) and all(card.players == 1 for card in cards):
            raise ConfigError(f"evaluate.opponent {self.opponent!r} has no effect: no world of the recipe is a game")
        for card in cards:
            if self.opponent and card.players > 1 and self.opponent not in card.opponents:
                raise unknown("evaluate.opponent", self.opponent, card.opponents)

    def _check_elsewhere(self, recipe: Recipe) -> None:
        """Refuse constructor arguments that the world does not take, or that name no other world."""
        if not self.env_kwargs:
            return
        if recipe.mixture:
            raise ConfigError("evaluate.env_kwargs is of one world, and this recipe has several; leave one of them out")
        if "split" in self.env_kwargs:
            raise ConfigError("evaluate.env_kwargs holds 'split'; write evaluate.split")
        if (known := find_card(recipe.world.id)) is not None:
            check_options(known, {**recipe.world.env_kwargs, **self.env_kwargs})

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """Play the panel when its turn has come; after the first update see that there is one.

        Args:
            trainer: Whose policy plays.
            metrics: Gets `eval_success`, `eval_return` and `eval_left_out`; of a mixture also `eval_worlds`.
        """
        if trainer.update % self.every:
            if trainer.update == 1:
                self._look(trainer)
            return
        own = {plan.name: self.play(trainer, plan) for plan in trainer.recipe.plans}
        for name in ("eval_success", "eval_return"):
            found = [figures[name] for figures in own.values()]
            metrics[name] = None if None in found else sum(found) / len(found)  # no mean over what is left
        metrics["eval_left_out"] = sum(figures["eval_left_out"] for figures in own.values())
        if trainer.recipe.mixture:
            metrics["eval_worlds"] = own
        elif "eval_roles" in (alone := next(iter(own.values()))):
            metrics["eval_roles"] = alone["eval_roles"]

    def play(self, trainer: Trainer, plan: WorldPlan, text: str | None = None) -> dict[str, Any]:
        """How the policies do in one world.

        Args:
            trainer: Who trains.
            plan: The world.
            text: What they read in place of the artifact as it is; None for that.
        """

        def panel(text: str) -> list[Episode]:
            return evaluate_trained(
                trainer, plan, self.split, self._tasks, seed=self.seed, opponent=self.opponent,
                temperature=self.temperature, text=text, env_kwargs=self.env_kwargs, whole=True,
            )  # fmt: skip

        whole = trainer.with_text(panel) if text is None else panel(text)
        played = [episode for episode in whole if not is_child(episode)]
        episodes = [episode for episode in played if not episode.failed]
        count, spoken = len(episodes), role_metrics(whole)
        return {
            "eval_success": sum(episode.success for episode in episodes) / count if count else None,
            "eval_return": sum(episode.total_return for episode in episodes) / count if count else None,
            "eval_left_out": len(played) - count,
            **({"eval_roles": spoken} if spoken else {}),
        }

    def _look(self, trainer: Trainer) -> None:
        """Let a world say now that it has no such panel, where its card does not."""
        for plan in trainer.recipe.plans:
            if find_card(plan.world.id) is None or plan.world.env_kwargs or self.env_kwargs:
                world = make_world(plan.world, self.split, env_kwargs=self.env_kwargs)
                try:
                    self._tasks(world.size)
                finally:
                    world.close()

    def _tasks(self, size: int | None) -> list[TaskName]:
        """What is played of a split with `size` tasks (None: without end)."""
        if self.specs:
            return [dict(self.specs[i % len(self.specs)]) for i in range(self.tasks or PANEL)]
        if self.tasks and size is not None and size < self.tasks:
            raise ConfigError(f"evaluate.tasks is {self.tasks}, but the split {self.split!r} has {size} tasks")
        return list(range(self.tasks or min(PANEL, size or PANEL)))


def check_panel(recipe: Recipe, where: str, split: str, tasks: int | None) -> None:
    """Refuse a panel that a world of a recipe does not have, as far as cards tell.

    Args:
        recipe: Whose worlds.
        where: The table that names the panel.
        split: Its split.
        tasks: How many of its tasks; None for as many as there are.
    """
    for plan in recipe.plans:
        if (known := find_card(plan.world.id)) is None:
            continue
        if split not in known.splits:
            raise unknown(f"{where}.split", split, known.splits)
        size = None if plan.world.env_kwargs else known.splits[split]  # of other arguments the card does not tell it
        if tasks is not None and size is not None and tasks > size:
            raise ConfigError(f"{where}.tasks is {tasks}, but the split {split!r} of {known.id} has {size} tasks")


@dataclass(frozen=True)
class Exploitability(Callback):
    """What best responses to the policy earn, every few rounds: exact, from its chances in all information sets.

    It adds `exploitability`, the mean over the players in units of return, and `named`, the least share of answers that
    name an action; see `agentgym.train.exploit`. The tasks that the recipe lists must be all that chance can bring.

    Attributes:
        every: Rounds between evaluations.
    """

    every: int = 10
    adds: ClassVar[tuple[str, ...]] = ("exploitability", "named")

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ConfigError(f"every must be at least 1, got {self.every}")

    def check(self, recipe: Recipe) -> None:
        """It must come up at least once, in a game whose deals are listed and whose players remember everything."""
        if self.every > recipe.update.updates:
            raise ConfigError(f"exploitability.every {self.every} exceeds the {recipe.update.updates} updates: {NEVER}")
        if reason := why_not(recipe):
            raise ConfigError(reason)

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """Compute it when its turn has come.

        Args:
            trainer: Whose policy, on all deals of the recipe.
            metrics: Gets `exploitability` and `named`.
        """
        if trainer.update % self.every:
            return
        with trainer.distributed.generating():
            found = exploit(trainer.engine, trainer.world, trainer.recipe.rollout.tasks.specs)
        metrics["exploitability"], metrics["named"] = found.value, found.named


@dataclass(frozen=True)
class JudgeAgreement(Callback):
    """How far the judge whose verdicts are learned from agrees with the world; the truth is for this figure alone.

    Each round's metrics have `agreement`: how many verdicts there were (`judged`), how many were right and wrong
    (`true_positives` and so on), and accuracy, precision and recall. At the end of the run all are added up and told
    with 95 % Wilson intervals. Verdict and truth of each episode stand in `episodes.jsonl`, as `terms` and `success`.

    Attributes:
        verdict: The term of the reward that is the verdict, such as `judge` of the wrapper JudgeReward.
        threshold: From which on it calls a success.
        truth: The term that is above 0 in a good turn, such as `progress` of ProgressReward: each turn is then
            compared. "" compares each episode with the world's success.
    """

    verdict: str = "judge"
    threshold: float = 0.5
    truth: str = ""

    def check(self, recipe: Recipe) -> None:
        """The terms must be paid in every world of the recipe."""
        for plan in recipe.plans:
            paid = {getattr(each.func, "term", "") for each in plan.world.wrappers} | {"world"}
            for name in filter(None, (self.verdict, self.truth)):
                if name not in paid:
                    told = ", ".join(sorted(filter(None, paid)))
                    raise ConfigError(
                        f"judge_agreement reads the term {name!r}, which no wrapper around {plan.world.id} pays; there "
                        f"are: {told}"
                    )

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """Count the round's verdicts.

        Args:
            trainer: Whose episodes of this round were judged.
            metrics: Gets `agreement`.
        """
        if self.truth:
            pairs = pairs_of_turns(trainer.played, self.verdict, self.threshold, self.truth)
        else:
            pairs = pairs_of_episodes(trainer.played, self.verdict, self.threshold)
        metrics["agreement"] = Agreement.of(pairs).metrics()

    def summary(self, history: Sequence[Mapping[str, Any]]) -> list[str]:
        """Accuracy, precision and recall of all verdicts."""
        found = Agreement.of_metrics(history, "agreement")
        what = f"turns with {self.truth}" if self.truth else "episodes with the world's success"
        return [f"the verdict {self.verdict!r} on {found.judged} {what}: " + "; ".join(found.lines())]


@dataclass(frozen=True)
class EarlyStop(Callback):
    """End the run when a metric is good enough, or has not got better for a while.

    A name that no metric has is refused with the recipe, as far as that can be known, otherwise after the first update.

    Attributes:
        metric: Its name, such as `eval_success`; larger is better. Who adds it is listed before.
        above: Stop when it reaches this; None: never for this reason.
        patience: Stop after so many measurements without a new best; None: never for this reason.
    """

    metric: str = "success"
    above: float | None = None
    patience: int | None = None

    def __post_init__(self) -> None:
        if self.above is None and self.patience is None:
            raise ConfigError("early_stop needs above or patience, or it never stops anything")
        if self.patience is not None and self.patience < 1:
            raise ConfigError(f"early_stop.patience must be at least 1, got {self.patience}")

    def check(self, recipe: Recipe) -> None:
        """What a callback adds must be there when it is read."""
        place = next(place for place, each in enumerate(recipe.callbacks) if each is self)
        if any(self.metric in each.adds for each in recipe.callbacks[:place]):
            return
        for name, kind in CALLBACKS.items():
            if self.metric in kind.adds:
                raise ConfigError(
                    f"early_stop.metric {self.metric!r} is added by the callback {name!r}; list one before 'early_stop'"
                )

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """Stop if it is time to.

        Args:
            trainer: Whose `stopped` is set; its history holds the measurements before.
            metrics: Of this update. One without the watched metric counts as no measurement.

        Raises:
            ConfigError: if there is no such metric, or it is no number.
        """
        if metrics.get(self.metric) is None:
            self._expect(trainer, metrics)
            return
        if not isinstance(metrics[self.metric], (int, float)):
            there = ", ".join(_numbers(metrics))
            raise ConfigError(f"early_stop.metric {self.metric!r} is no number; there are: {there}")
        seen = [entry[self.metric] for entry in (*trainer.history, metrics) if entry.get(self.metric) is not None]
        if self.above is not None and seen[-1] >= self.above:
            trainer.stopped = f"{self.metric} reached {seen[-1]:.4g}"
        elif self.patience is not None and len(seen) - 1 - seen.index(max(seen)) >= self.patience:
            trainer.stopped = f"{self.metric} has not risen for {self.patience} measurements"

    def _expect(self, trainer: Trainer, metrics: Mapping[str, Any]) -> None:
        """Refuse a name that no update will have; what a learner tells may be missing where nothing is learned from."""
        recipe = trainer.recipe
        fitted = recipe.learners and not metrics["kept"]
        added = any(self.metric in each.adds for each in recipe.callbacks)
        if not (fitted or added or any(self.metric in entry for entry in (*trainer.history, metrics))):
            raise unknown("early_stop.metric", self.metric, _numbers(metrics))

    def summary(self, history: Sequence[Mapping[str, Any]]) -> list[str]:
        """That it was never measured, if so."""
        if not history or any(entry.get(self.metric) is not None for entry in history):
            return []
        return [f"early_stop: {self.metric} was never measured, so it could stop nothing"]


def _numbers(metrics: Mapping[str, Any]) -> list[str]:
    """Names of the metrics that are numbers, or would be if they had been measured."""
    return sorted(name for name, value in metrics.items() if value is None or isinstance(value, (int, float)))


@dataclass(frozen=True)
class RunBudget(Callback):
    """End the run when it has spent enough, whatever the number of its updates: so runs are compared at equal cost.

    Attributes:
        world_steps: Steps of the worlds in all rounds, as `EnvPool.steps` counts them; None for no bound.
        tokens: Tokens that the policy wrote; None for no bound.
    """

    world_steps: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        bounds = [bound for bound in (self.world_steps, self.tokens) if bound is not None]
        if not bounds or min(bounds) < 1:
            raise ConfigError(f"budget needs world_steps or tokens, at least 1, got {self}")

    def on_update_end(self, trainer: Trainer, metrics: dict[str, Any]) -> None:
        """Stop if it is spent.

        Args:
            trainer: Whose `stopped` is set; its history holds what was spent before.
            metrics: Of this update: `world_steps` and `sampled_tokens`.
        """
        for key, bound in (("world_steps", self.world_steps), ("sampled_tokens", self.tokens)):
            spent = sum(entry[key] for entry in (*trainer.history, metrics))
            if bound is not None and spent >= bound:
                trainer.stopped = f"{spent:,} {key.replace('_', ' ')} are spent"


@dataclass(frozen=True)
class TensorBoard(Callback):
    """Write every number of a round's metrics as a TensorBoard event in the run's folder (extra `track`)."""

    def check(self, recipe: Recipe) -> None:
        """The package must be there before the run begins, not after its first round."""
        require("tensorboard", extra="track", purpose="the callback 'tensorboard'")

    def on_logged(self, trainer: Trainer, metrics: Mapping[str, Any]) -> None:
        """Write the round's scalars.

        Args:
            trainer: Into the folder `tensorboard` of its run.
            metrics: Of the update, at whose number they stand.
        """
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(str(trainer.folder / "tensorboard")) as writer:
            for name, value in scalars(metrics).items():
                writer.add_scalar(name, value, metrics["update"])


@dataclass(frozen=True)
class WeightsAndBiases(Callback):
    """Send every number of a round's metrics to Weights & Biases (extra `track`).

    Attributes:
        project: Its name there.
    """

    project: str = "agentgym"

    def check(self, recipe: Recipe) -> None:
        """The package must be there before the run begins, not after its first round."""
        require("wandb", extra="track", purpose="the callback 'wandb'")

    def on_logged(self, trainer: Trainer, metrics: Mapping[str, Any]) -> None:
        """Log the round's scalars. A run that is taken up again goes on with the id that its folder holds.

        Args:
            trainer: Its recipe names the run; after its last update the run is closed.
            metrics: Of the update, at whose number they stand.
        """
        wandb = require("wandb", extra="track", purpose="the callback 'wandb'")
        name = trainer.folder / "wandb_id"
        if not name.exists():
            write_whole(name, secrets.token_hex(4))
        mine = name.read_text(encoding="utf8")
        if wandb.run is None or wandb.run.id != mine:  # none has begun, or that of another trainer
            wandb.finish()
            title = trainer.recipe.method or None
            wandb.init(project=self.project, dir=str(trainer.folder), id=mine, name=title, resume="allow")
        wandb.log(scalars(metrics), step=metrics["update"])
        if trainer.update >= trainer.recipe.update.updates or trainer.stopped:
            wandb.finish()


def scalars(metrics: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """Every number of nested metrics by its path.

    Args:
        metrics: Numbers, nested mappings of them, and other values, which are left out.
        prefix: What the names begin with.
    """
    flat: dict[str, float] = {}
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            flat |= scalars(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)):
            flat[f"{prefix}{name}"] = float(value)
    return flat


CALLBACKS: dict[str, type[Callback]] = {
    "evaluate": Evaluate,
    "exploitability": Exploitability,
    "judge_agreement": JudgeAgreement,
    "early_stop": EarlyStop,
    "budget": RunBudget,
    "tensorboard": TensorBoard,
    "wandb": WeightsAndBiases,
}
