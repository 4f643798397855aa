"""The training loop. `Trainer.train_step` is one update, from top to bottom:

    schedules -> episodes -> filters -> replay -> learners -> advantages -> loss -> optimizer step -> callbacks

Everything that it calls is a part that the recipe names (the loss stands in `agentgym.train.losses`), a short
function of this file, or one of a file named after its subject. Axes of tensors: B rows of a batch (a segment each), T
tokens of a row, padded on the right; `logprobs_BT[b, t]` is the log-probability of token t of row b given those before.

What is left out, on purpose: no optimizer but AdamW without decay, which steps in float32 whatever the model's type
(`agentgym.train.optimizer`). What a policy samples depends on the seed, the update, the group and the member alone, so
a run can be cut and taken up anywhere (`agentgym.train.checkpoint`); where episodes go on while the weights are moved,
it depends on when worlds answer as well (`agentgym.train.asynchronous`, which puts its own rounds into this step).

    agentgym train grpo        # FrozenLake, a clone that wins 35 to 50 % of unseen maps and gains 15 to 35 points
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, assign_roles, collect
from agentgym.rollout.counters import take_counts, take_notes
from agentgym.train.advantage_utils import TokenAdvantages, part_of, per_episode, weighted_sum
from agentgym.train.advantage_utils import whole_groups as _whole_groups
from agentgym.train.artifacts import Version
from agentgym.train.batch import Batch, Sample, micro_batches, pad
from agentgym.train.checkpoint import save
from agentgym.train.distributed import SingleProcess, check_processes
from agentgym.train.losses import loss_scales
from agentgym.train.metrics import Metrics, batch_sums, shaded, step_means, step_metrics, update_metrics, world_metrics
from agentgym.train.mixture import PlayedWorld, longest_turns, world_by_world
from agentgym.train.optimizer import MasterAdamW, optimizer_step
from agentgym.train.phase import Pass, Phase
from agentgym.train.policies import Policies
from agentgym.train.recipe import Recipe
from agentgym.train.reference import Reference
from agentgym.train.run_dir import Run
from agentgym.train.schedules import at
from agentgym.train.token_logprobs import token_logprobs

T = TypeVar("T")
Hook = Callable[[Metrics], None]


class Trainer:
    """A policy, a world and a recipe.

    Args:
        recipe: What to do.
        engine: The policy; its model is changed.
        world: Where it plays, on the split that the recipe trains on.
        beside: The worlds of its `[[mixture]]`, in order.
        run: Where updates, episodes and checkpoints are recorded; None records nothing.
        on_update: Called with the metrics of each update.
        distributed: The processes that train together; by default this one alone.

    Attributes:
        update: Rounds done.
        history: Metrics of each.
        saves: Whether checkpoints are written, as `[checkpoint]` of the recipe says. Where several processes train, it
            holds in all of them, though the first alone has the run.
        stopped: Why a callback ended the run; empty otherwise.
        overlaps: Whether episodes go on while the weights are moved.
    """

    overlaps: ClassVar[bool] = False

    def __init__(
        self,
        recipe: Recipe,
        engine: HuggingFaceEngine,
        world: EnvPool,
        *beside: EnvPool,
        run: Run | None = None,
        on_update: Hook | None = None,
        distributed: SingleProcess | None = None,
    ):
        if (recipe.rollout.max_staleness is not None) != self.overlaps:
            raise ConfigError(
                "a recipe with rollout.max_staleness is for AsyncTrainer, one without for Trainer; take the other"
            )
        self.distributed = distributed or SingleProcess()
        self.recipe, self.engine, self.world, self.run, self.on_update = recipe, engine, world, run, on_update
        self.update, self.stopped, self.saves = 0, "", run is not None
        self.played: list[Episode] = []  # of a round, those of who learns
        self.others: list[Episode] = []  # and those of frozen roles, which are recorded
        self.history: list[Metrics] = []
        # What keeps a state of its own is copied, so that a recipe can be used twice.
        self.worlds = PlayedWorld.all(recipe.plans, [world, *beside], recipe.rollout.refill)
        self.tasks, self.opponent = self.worlds[0].tasks, self.worlds[0].opponent
        self.replay, self.between = copy.deepcopy(recipe.replay), copy.deepcopy(recipe.between)
        check_processes(recipe, self.distributed)
        self.artifact = copy.deepcopy(recipe.artifact)
        self.policies = Policies(recipe, engine)
        self.engine = self.policies.first.engine if self.policies.learning else engine

    @property
    def params(self) -> list[torch.nn.Parameter]:
        """The weights that are moved; of several policies, those of the first that learns."""
        return self.policies.first.params

    @property
    def optimizer(self) -> MasterAdamW:
        """What moves them."""
        return self.policies.first.optimizer

    @property
    def reference(self) -> Reference | None:
        """Its model as it was, where the recipe asks for one."""
        return self.policies.first.reference

    @property
    def text(self) -> str:
        """What policies read of the artifact; "" if there is none."""
        return self.artifact.text if self.artifact is not None else ""

    def with_text(self, play: Callable[[str], T]) -> T:
        """What comes of playing with that text, or, where a task leaves no room for it, with the one it was made of."""
        return play("") if self.artifact is None else self.artifact.read_by(play)

    @property
    def world_steps(self) -> int:
        """Steps that this process has played so far in the worlds of the recipe, those of delegates among them."""
        return sum(pool.steps for pool in (*(world.pool for world in self.worlds), *self.policies.pools))

    @property
    def folder(self) -> Path:
        """Where the run is recorded."""
        if self.run is None:
            raise ConfigError("the recipe keeps something on disk, but the run has no folder; give one (--out)")
        return self.run.path

    def train(self) -> list[Metrics]:
        """Go on until the recipe's last update, or until a callback stops the run; metrics of every update."""
        while self.update < self.recipe.update.updates and not self.stopped:
            self.train_step()
        return self.history

    def close(self) -> None:
        """Close its worlds, which open again where they are played in, and let other processes write to the run."""
        try:
            for pool in (*(world.pool for world in self.worlds), *self.policies.pools):
                pool.close()
        finally:
            if self.run is not None:
                self.run.close()

    def train_step(self) -> Metrics:
        """One update: collect episodes, give their tokens advantages, take gradient steps; returns its metrics."""
        recipe, update, began = self.recipe, self.update, time.perf_counter()
        self.policies.set_temperature(at(recipe.rollout.temperature, update))
        world_before, steps_before = sum(world.pool.seconds for world in self.worlds), self.world_steps

        # 1. Episodes: a few of each of a few tasks. Filters and replay say which are learned from.
        played, kept = self._collect(stream("train.filter", recipe.seed, update))
        self.played, collected = played, time.perf_counter()
        world_seconds = sum(world.pool.seconds for world in self.worlds) - world_before
        if self.replay is not None:
            kept = self.replay.mix(kept, stream("train.replay", recipe.seed, update))

        # 2. Advantages, one number a token: each policy's from what it said itself. What is fitted beside it, such as a
        # critic, annotates tokens first. A second loss comes between rounds, on what several of them left.
        passes: list[Pass] = []
        fitted: Metrics = {}
        shown: list[dict[str, Any]] = []
        for policy in self.policies:
            own = self.policies.own(policy, kept)
            for learner in policy.learners:
                fitted |= learner.fit(own)
                learner.annotate(own)
            policy.annotate_logprobs(own, recipe.update)
            passes.append(Pass(policy, recipe.phase, own, self._advantages(own)))
            shown += shaded(own, passes[-1].advantages, policy.engine)
        if self.between is not None:
            passes += self.between.passes(self.policies, kept, update, stream("train.between", recipe.seed, update))

        # 3. Gradient steps: mask and mean of the loss are taken here, and nowhere else.
        for each in passes:
            policy, phase, engine = each.policy, each.phase, each.policy.engine
            policy.set_rate(update)
            regularizers = policy.regularizers if phase.regularized else ()
            entropy_gradient = any(part.needs_entropy_gradient for part in regularizers)
            budget = engine.max_new_tokens * longest_turns(self.worlds, update)
            names = [*([policy.name] if recipe.policies else []), *([phase.name] if phase.name else [])]
            for minibatch in each.minibatches(stream("train.shuffle", recipe.seed, update, *names)):
                scales = loss_scales(minibatch, phase.loss_aggregation, budget)
                sums: list[Metrics] = []
                for batch in self._micro_batches(minibatch, scales, phase):
                    logprobs_BT, entropies_BT = token_logprobs(
                        engine.model, batch, engine.temperature, entropy_gradient=entropy_gradient
                    )
                    mask_BT, scale_B1 = batch.mask_BT, batch.scale_B[:, None]
                    loss_BT, clipped_BT = phase.loss(logprobs_BT, batch)
                    loss = (loss_BT * batch.importance_BT * mask_BT * scale_B1).sum()
                    for part in regularizers:
                        term_BT = part(logprobs_BT, entropies_BT, batch)
                        loss = loss + at(part.coefficient, update) * (term_BT * mask_BT * scale_B1).sum()
                    self.distributed.scale_loss(loss).backward()
                    sums.append(batch_sums(loss, logprobs_BT, entropies_BT, clipped_BT, batch))
                if sums:  # a minibatch without advantages teaches nothing
                    self.distributed.sum_gradients(policy.params)
                    norm = optimizer_step(policy.optimizer, recipe.update.max_grad_norm)
                    each.steps.append({"grad_norm": norm, **step_metrics(sums, self.distributed.sum_of)})

        # 4. Text that is learned in place of weights, or beside them.
        revised = None
        if self.artifact is not None:
            rng = stream("train.artifact", recipe.seed, update)
            versions = [engine.version for engine in self.policies.engines.values()]
            score = partial(self.artifact.play, self)
            revised = self.artifact.revise([*played, *self.others], update, score, versions, rng)

        # 5. What follows an update, and the report.
        self._end_update()
        metrics = {"update": update, **self._metrics(played, kept, passes, fitted, revised)}
        metrics["world_steps"] = self.distributed.sum_of([self.world_steps - steps_before])[0]
        metrics["seconds_world"] = world_seconds
        metrics["seconds_update"] = time.perf_counter() - collected
        metrics["seconds_generation"] = collected - began - world_seconds
        self._report(metrics, [*played, *self.others], shown, began)
        return metrics

    def _collect(self, rng: np.random.Generator) -> tuple[list[Episode], list[Episode]]:
        """All episodes of those who learn, and those of them that are learned from.

        Groups that filters emptied are refilled as often as allowed.
        """
        config = self.recipe.rollout
        played: list[Episode] = []
        kept: list[Episode] = []
        self.others = []
        for world in self.worlds:
            missing = world.plan.groups
            for attempt in range(config.refill + 1):
                starts = self._starts(attempt, missing, world)
                names = {start.group: start.task for start in starts}
                with self.distributed.generating():
                    batch = self._play(self.distributed.own_starts(starts))
                batch = self.distributed.gather_episodes(batch)
                learnable = [episode for episode in batch if episode.segments and not episode.failed]
                whole = _whole_groups(learnable, config.group_size)
                world.tasks.record(whole, [world.tasks.place(names[episode.group]) for episode in whole])
                for part in self.recipe.filters:
                    whole = part(whole, rng)
                played += batch
                kept += whole
                missing -= len({episode.group for episode in whole})
                if missing <= 0:
                    break
        return played, kept

    def _play(self, starts: Sequence[EpisodeSpec]) -> list[Episode]:
        """One episode for every start, in one world, and everyone who learns; frozen roles' are added to `others`."""
        first = starts[0].group if starts else 0
        world = next(world for world in reversed(self.worlds) if world.first_group <= first)
        config, plan = self.recipe.rollout, world.plan

        def play(text: str) -> tuple[Any, list[Episode]]:
            players: Any = self.policies.assign_policies(plan.players, text)
            if world.opponent is not None:
                players = world.opponent.assign_policies(world.pool, self.engine, self.update, self.recipe.seed)
            return players, collect(
                world.pool,
                players,
                starts,
                max_concurrent=config.max_concurrent,
                strategy=config.strategy,
                horizon=None if plan.horizon is None else int(at(plan.horizon, self.update)),
                keys=any(term.needs_keys for term in self.recipe.advantages),
                references=any(part.needs_answers for part in self.recipe.learners),
            )

        players, played = self.with_text(play)
        for episode in played:
            episode.world = plan.name
        learning = assign_roles(players, world.pool).learning
        if self.recipe.loss is None:  # nobody learns, and all are read
            return played
        if plan.players:
            self.others += [episode for episode in played if part_of(episode) not in learning]
        return [episode for episode in played if part_of(episode) in learning]

    def _starts(self, attempt: int, groups: int, world: PlayedWorld | None = None) -> list[EpisodeSpec]:
        """The beginnings of a round, a function of seed, update and attempt (and of what the task sampler recorded)."""
        world = world or self.worlds[0]
        return world.starts(self.recipe.seed, self.update, attempt, groups, self.recipe.rollout.group_size)

    def _advantages(self, episodes: Sequence[Episode]) -> TokenAdvantages:
        """The weighted sum of the recipe's terms; where the loss asks for none, 1 on every sampled token."""
        if not self.recipe.advantages or not episodes:
            return per_episode(episodes, [1.0] * len(episodes))
        terms = [(at(term.weight, self.update), world_by_world(episodes, term)) for term in self.recipe.advantages]
        return weighted_sum(terms)

    def _micro_batches(
        self, minibatch: Sequence[Sample], scales: Sequence[float], phase: Phase | None = None
    ) -> Iterable[Batch]:
        """This process's part of a gradient step, in as many batches as every other's: the missing ones are all mask.

        Rows whose advantages are all 0 are left out, unless a regularizer learns from them, or their tokens belong to
        the ratio of an episode of which other rows teach something.
        """
        phase = phase or self.recipe.phase
        unit, device, config = phase.loss.unit, self.engine.model.device, self.recipe.update
        rows = [replace(sample, scale=scale) for sample, scale in zip(minibatch, scales, strict=True)]
        if not (phase.regularized and self.recipe.regularizers):
            teach = [row.advantages is None or bool(row.advantages.any()) for row in rows]
            whole = {row.episode for row, taught in zip(rows, teach, strict=True) if taught and unit == "episode"}
            rows = [row for row, taught in zip(rows, teach, strict=True) if taught or row.episode in whole]
        if not rows:
            return []
        own, cap = self.distributed.own_samples(rows, unit), config.importance_cap
        batches = list(micro_batches(own, config.micro_tokens, device, unit, cap, config.packing))
        for _ in range(self.distributed.max_of(len(batches)) - len(batches)):
            spare = pad(rows[:1], device)
            nothing_BT = torch.zeros_like(spare.mask_BT)
            batches.append(replace(spare, sampled_BT=nothing_BT, mask_BT=nothing_BT, known_BT=nothing_BT))
        return batches

    def _parts(self) -> list[Any]:
        """The parts that may count something in a round."""
        recipe = self.recipe
        parts = [*recipe.filters, *recipe.learners, *recipe.advantages, recipe.loss, self.replay, self.between]
        parts.append(recipe.rollout.strategy)
        parts += self.between.filters if self.between is not None else ()
        parts += [self.artifact, self.artifact.editor] if self.artifact is not None else []
        parts += [part for world in self.worlds for part in (world.tasks, world.opponent)]
        return parts + [part for policy in self.policies for part in policy.regularizers]

    def _metrics(
        self,
        played: Sequence[Episode],
        kept: Sequence[Episode],
        passes: Sequence[Pass],
        fitted: Metrics,
        revised: Version | None,
    ) -> Metrics:
        """The figures of a round, but for its number and its seconds."""
        main = [each for each in passes if not each.phase.name]
        metrics = {**update_metrics(played, kept, [step for each in main for step in each.steps]), **fitted}
        if self.recipe.policies:
            metrics["policies"] = {
                each.policy.name: {"kept": len(each.episodes), **step_means(each.steps)} for each in main
            }
        if self.recipe.mixture:
            metrics["worlds"] = world_metrics(played)
        if self.artifact is not None:
            metrics["artifact"] = self.artifact.metrics(revised)
        if second := [step for each in passes if each.phase.name for step in each.steps]:
            metrics["between"] = step_means(second)
        if counters := take_counts(self._parts()):
            metrics["counters"] = counters
        return metrics

    def _end_update(self) -> None:
        """Count the update, for the run and for every policy that learns."""
        self.update += 1
        for policy in self.policies:
            policy.end_update(self.update, self.recipe.update.ref_sync_every)

    def _report(
        self, metrics: Metrics, played: Sequence[Episode], shown: Sequence[dict[str, Any]], began: float
    ) -> None:
        """Let the callbacks look, write the round down, then let them keep it."""
        for callback in self.recipe.callbacks:
            callback.on_update_end(self, metrics)
        metrics["seconds"] = time.perf_counter() - began
        metrics["episodes_per_second"] = len(played) / metrics["seconds"]
        metrics["sampled_tokens_per_second"] = metrics["sampled_tokens"] / metrics["seconds"]
        self.history.append(metrics)
        told = take_notes(self._parts())
        if self.run and self.distributed.rank == 0:
            number = {"update": metrics["update"]}
            self.run.append("episodes", *({**number, **episode.record()} for episode in played))
            if shown:
                self.run.append("shaded", *({**number, **record} for record in shown))
            for name, notes in told.items():
                self.run.append(name, *({**number, **record} for record in notes))
            if metrics.get("artifact", {}).get("proposed"):
                self.run.append("artifact", {**number, **metrics["artifact"]["proposed"]})
            self.run.append("updates", metrics)
        if self.distributed.rank == 0:
            for callback in self.recipe.callbacks:
                callback.on_logged(self, metrics)
        last = self.update >= self.recipe.update.updates or bool(self.stopped)
        if self.saves and (last or self.update % self.recipe.checkpoint.every == 0):
            save(self)
        if self.on_update:
            self.on_update(metrics)
