"""One round of learning from play, from top to bottom.

    schedules -> collect -> filter -> replay -> learners -> advantages -> gradient steps -> callbacks

`Trainer.round` is that line; everything it calls is either a part that the recipe names or a short function of this
file or of a file named after its subject.

What is left out, on purpose: no optimiser but AdamW without decay, no mixed precision beyond the model's own type, no
asynchronous collection. What a policy samples depends on the seed, the update, the group and the member alone, so a
run can be cut and taken up anywhere (`agentgym.train.checkpoint`).

    agentgym train grpo        # FrozenLake, a clone that wins 35 to 50 % of unseen maps and gains 15 to 35 points
"""

from __future__ import annotations

import copy
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.distributed.tensor import DTensor

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import Episode, Role, SeatWorld, Start, World, collect, collect_seats
from agentgym.train.batch import Batch, Sample, micro_batches, pad, score
from agentgym.train.credit import Credit, add, per_episode, token_scales
from agentgym.train.engine import HuggingFaceEngine
from agentgym.train.losses import kl_from_sampler
from agentgym.train.measures import Metrics, group_metrics, mean_metrics, play_metrics, shaded
from agentgym.train.parallel import Alone, Sharded
from agentgym.train.recipe import Recipe
from agentgym.train.record import Run
from agentgym.train.schedules import at

Hook = Callable[[Metrics], None]


class Trainer:
    """A policy, a world and a recipe.

    Args:
        recipe: What to do.
        engine: The policy; its model is changed.
        world: Where it plays, on the split that the recipe trains on.
        run: Where updates, episodes and checkpoints are recorded; None records nothing.
        on_update: Called with the metrics of each update.
        company: The processes that train together; by default this one alone.

    Attributes:
        update: Rounds done.
        history: Metrics of each.
        stopped: Why a callback ended the run; empty otherwise.
    """

    def __init__(
        self,
        recipe: Recipe,
        engine: HuggingFaceEngine,
        world: World | SeatWorld,
        *,
        run: Run | None = None,
        on_update: Hook | None = None,
        company: Alone | None = None,
    ):
        self.company = company or Alone()
        self.recipe, self.engine, self.world, self.run, self.on_update = recipe, engine, world, run, on_update
        self.update, self.stopped = 0, ""
        self.history: list[Metrics] = []
        self.weights = [weight for weight in engine.model.parameters() if weight.requires_grad]
        self.optimiser = torch.optim.AdamW(
            self.weights, at(recipe.update.learning_rate, 0), recipe.update.betas, weight_decay=0.0
        )
        # What keeps a state of its own is copied, so that a recipe can be used twice.
        self.tasks = copy.deepcopy(recipe.rollout.tasks)
        self.opponent = copy.deepcopy(recipe.rollout.opponent)
        self.replay = copy.deepcopy(recipe.replay)
        self.regularisers = copy.deepcopy(recipe.regularisers)
        self.memories = [part for part in self.regularisers if part.remembers]
        referring = recipe.needs_reference
        if self.company.size > 1 and self.memories:
            raise ConfigError(
                f"{type(self.memories[0]).__name__} remembers what one process saw; train with one process"
            )
        copying = any(part is not None and part.copies for part in (*recipe.learners, self.opponent))
        if isinstance(self.company, Sharded) and (referring or copying):
            raise ConfigError(
                "a sharded model cannot be copied; leave out what needs a reference or a copy of it, or do not shard"
            )
        self.reference: Any = frozen(engine.model) if referring else None
        self.learners = [part.build(engine, recipe.seed) for part in recipe.learners]

    @property
    def folder(self) -> Path:
        """Where the run is recorded."""
        if self.run is None:
            raise ConfigError("the recipe keeps something on disk, but the run has no folder; give one (--out)")
        return self.run.folder

    def train(self) -> list[Metrics]:
        """Go on until the recipe's last update, or until a callback stops the run; metrics of every update."""
        while self.update < self.recipe.update.updates and not self.stopped:
            self.round()
        return self.history

    def round(self) -> Metrics:
        """Play, judge, learn: one update."""
        recipe, update, began = self.recipe, self.update, time.perf_counter()
        self.engine.temperature = at(recipe.rollout.temperature, update)
        in_world = self.world.seconds

        # Play: a few episodes of each of a few tasks.
        played, kept = self._collect(stream("train.filter", recipe.seed, update))
        collected = time.perf_counter()

        # Mix in what earlier rounds left.
        if self.replay is not None:
            kept = self.replay.mix(kept, stream("train.replay", recipe.seed, update))

        # Judge: what is fitted beside the policy writes its notes, then the terms of the advantage are added up.
        fitted: Metrics = {}
        for learner in self.learners:
            fitted |= learner.fit(kept)
            learner.annotate(kept)
        credit = self._credit(kept)

        # Learn: each share of the episodes once an epoch.
        for group in self.optimiser.param_groups:
            group["lr"] = at(recipe.update.learning_rate, update)
        samples = self._samples(kept, credit)
        shuffle = stream("train.shuffle", recipe.seed, update)
        learned = [
            self._gradient_step(share)
            for _ in range(recipe.update.epochs)
            for share in self._shares(kept, samples, shuffle)
        ]
        for part in self.memories:
            part.end_update()
        self.engine.version += 1
        self.update += 1
        if recipe.update.renew_reference and self.update % recipe.update.renew_reference == 0:
            self.reference = frozen(self.engine.model)

        seconds = {"world": self.world.seconds - in_world, "update": time.perf_counter() - collected}
        seconds["generation"] = collected - began - seconds["world"]
        metrics = {
            "update": update,
            **play_metrics(played),
            **group_metrics(played, kept),
            "kept": len(kept),
            **mean_metrics([step for step in learned if step]),
            **fitted,
            **{f"seconds_{phase}": spent for phase, spent in seconds.items()},
        }
        self._report(metrics, played, shaded(kept, credit, self.engine), began)
        return metrics

    def _collect(self, rng: np.random.Generator) -> tuple[list[Episode], list[Episode]]:
        """All episodes played, and those that are learned from; emptied groups are refilled as often as allowed."""
        plan = self.recipe.rollout
        played: list[Episode] = []
        kept: list[Episode] = []
        missing = plan.groups
        for attempt in range(plan.refill + 1):
            starts = self._starts(attempt, missing)
            names = {start.group: start.task for start in starts}
            with self.company.playing():
                batch = self._play(self.company.starts(starts))
            batch = self.company.gather(batch)
            learnable = [episode for episode in batch if episode.segments and not episode.failed]
            whole = _whole_groups(learnable, plan.group_size)
            self.tasks.record(whole, [self.tasks.place(names[episode.group]) for episode in whole])
            for part in self.recipe.filters:
                whole = part(whole, rng)
            played += batch
            kept += whole
            missing -= len({episode.group for episode in whole})
            if missing <= 0:
                break
        return played, kept

    def _play(self, starts: Sequence[Start]) -> list[Episode]:
        """One episode for every start; in a game of many seats, one for every seat that learns."""
        plan = self.recipe.rollout
        keys = any(term.needs_keys for term in self.recipe.advantages)
        if isinstance(self.world, SeatWorld):
            cast = self.opponent.cast(self.world, self.engine, self.update, self.recipe.seed)
            played = collect_seats(self.world, cast, starts, live=plan.live, context=plan.context, keys=keys)
            learning = {seat for seat, player in cast.items() if isinstance(player, Role) and player.trainable}
            return [episode for episode in played if episode.seat in learning]
        return collect(
            self.world,
            self.engine,
            starts,
            live=plan.live,
            strategy=plan.strategy,
            context=plan.context,
            horizon=None if plan.horizon is None else int(at(plan.horizon, self.update)),
            keys=keys,
            references=any(part.needs_answers for part in self.recipe.learners),
        )

    def _starts(self, attempt: int, groups: int) -> list[Start]:
        """The beginnings of a round, a function of seed, update and attempt (and of what the task sampler recorded)."""
        plan, place = self.recipe.rollout, (self.recipe.seed, self.update, attempt)
        tasks = self.tasks.draw(stream("train.tasks", *place), groups, self.world.size)
        seeds = stream("train.world", *place).integers(2**31, size=groups)
        return [
            Start(self.tasks.name(tasks[group]), int(seeds[group]), attempt * plan.groups + group, (*place, group, k))
            for group in range(groups)
            for k in range(plan.group_size)
        ]

    def _credit(self, episodes: Sequence[Episode]) -> Credit:
        """The weighted sum of the recipe's terms; where the surrogate asks for none, 1 on every sampled token."""
        if not self.recipe.advantages or not episodes:
            return per_episode(episodes, [1.0] * len(episodes))
        return add([(at(term.weight, self.update), term(episodes)) for term in self.recipe.advantages])

    def _samples(self, episodes: Sequence[Episode], credit: Credit) -> list[list[Sample]]:
        """Each episode's segments with their advantages and, where needed, the reference model's log-probabilities."""
        paired = self.recipe.surrogate.unit == "pair"  # the filter that pairs lays them side by side, the better first
        samples = [
            [
                Sample(segment, 1.0, row, number, *((number // 2, 1 - 2 * (number % 2)) if paired else (-1, 0)))
                for segment, row in zip(episode.segments, rows, strict=True)
                if any(segment.sampled_mask)
            ]
            for number, (episode, rows) in enumerate(zip(episodes, credit, strict=True))
        ]
        if self.reference is not None:
            known = self._reference_logprobs([sample for own in samples for sample in own])
            samples = [[replace(each, reference=known[id(each.segment)]) for each in own] for own in samples]
        return samples

    @torch.no_grad()
    def _reference_logprobs(self, samples: Sequence[Sample]) -> dict[int, NDArray[np.float32]]:
        """Log-probabilities of the segments' tokens under the policy as it was when the run began."""
        tagged = [replace(sample, episode=number) for number, sample in enumerate(samples)]
        known: dict[int, NDArray[np.float32]] = {}
        for batch in micro_batches(tagged, self.recipe.update.micro_tokens, self.engine.model.device):
            logprobs = score(self.reference, batch, self.engine.temperature)[0].cpu().numpy()
            for row, number in zip(logprobs, batch.episode.tolist(), strict=True):
                segment = samples[number].segment
                known[id(segment)] = row[: len(segment)]
        return known

    def _shares(
        self, episodes: Sequence[Episode], samples: Sequence[Sequence[Sample]], rng: np.random.Generator
    ) -> list[list[Sample]]:
        """The round's samples, dealt group by group to the gradient steps, with the scale of the mean they are in."""
        plan = self.recipe.update
        groups = sorted({episode.group for episode in episodes})
        deal = {groups[place]: rank % plan.steps for rank, place in enumerate(rng.permutation(len(groups)))}
        shares = []
        for step in range(plan.steps):
            mine = [number for number, episode in enumerate(episodes) if deal[episode.group] == step]
            scales = token_scales([episodes[i] for i in mine], plan.aggregate, self._token_budget())
            shares.append([replace(each, scale=k) for i, k in zip(mine, scales, strict=True) for each in samples[i]])
        return shares

    def _token_budget(self) -> float:
        """Most tokens that an episode may say: what the aggregate 'constant' divides by."""
        if isinstance(self.world, SeatWorld):
            turns: float = self.world.card.max_turns
        else:
            inner: Any = self.world.envs(1)[0].unwrapped
            turns = inner.card.max_turns
        if self.recipe.rollout.horizon is not None:
            turns = at(self.recipe.rollout.horizon, self.update)
        return float(self.engine.max_new_tokens * turns)

    def _gradient_step(self, share: Sequence[Sample]) -> Metrics | None:
        """One step on the surrogate and its regularisers; None if the share teaches nothing."""
        recipe, engine = self.recipe, self.engine
        if not self.regularisers:
            share = [sample for sample in share if sample.advantages is None or sample.advantages.any()]
        if not share:
            return None
        sums = dict.fromkeys(("loss", "tokens", "entropy", "kl_sampler", "clip_fraction", "kl_reference"), 0.0)
        gradients = any(part.needs_entropy_gradient for part in self.regularisers)
        for batch in self._micro_batches(share):
            logprobs, entropies = score(engine.model, batch, engine.temperature, entropy_gradient=gradients)
            result = recipe.surrogate(logprobs, batch)
            total = result.loss
            for part in self.regularisers:
                total = total + at(part.coefficient, self.update) * part(logprobs, entropies, batch)
            self.company.scale_loss(total).backward()
            with torch.no_grad():
                sums["loss"] += total.item()
                sums["tokens"] += batch.sampled.sum().item()
                sums["entropy"] += entropies.sum().item()
                sums["kl_sampler"] += (kl_from_sampler(logprobs, batch.old_logprobs) * batch.sampled).sum().item()
                sums["clip_fraction"] += result.clipped.sum().item()
                if batch.reference is not None:
                    sums["kl_reference"] += (kl_from_sampler(logprobs, batch.reference) * batch.sampled).sum().item()
        self.company.sum_gradients(self.weights)
        norm = step(self.optimiser, self.weights, recipe.update.max_grad_norm)
        sums = dict(zip(sums, self.company.total(list(sums.values())), strict=True))
        loss, tokens = sums.pop("loss"), sums.pop("tokens")
        if self.reference is None:
            del sums["kl_reference"]
        return {"loss": loss, "grad_norm": norm, **{name: value / tokens for name, value in sums.items()}}

    def _micro_batches(self, share: Sequence[Sample]) -> list[Batch]:
        """This process's part of a share, in as many batches as every other's: the missing ones weigh nothing."""
        unit, device = self.recipe.surrogate.unit, self.engine.model.device
        batches = list(micro_batches(self.company.part(share, unit), self.recipe.update.micro_tokens, device, unit))
        for _ in range(self.company.most(len(batches)) - len(batches)):
            spare = pad([replace(share[0], scale=0.0)], device)
            batches.append(replace(spare, sampled=torch.zeros_like(spare.sampled)))
        return batches

    def _report(
        self, metrics: Metrics, played: Sequence[Episode], shown: Sequence[dict[str, Any]], began: float
    ) -> None:
        """Let the callbacks look, write the round down, then let them keep it."""
        for callback in self.recipe.callbacks:
            callback.look(self, metrics)
        metrics["seconds"] = time.perf_counter() - began
        metrics["episodes_per_second"] = len(played) / metrics["seconds"]
        metrics["sampled_tokens_per_second"] = metrics["sampled_tokens"] / metrics["seconds"]
        self.history.append(metrics)
        if self.run and self.company.rank == 0:
            for episode in played:
                self.run.append("episodes", {"update": metrics["update"], **episode.record()})
            for record in shown:
                self.run.append("shaded", {"update": metrics["update"], **record})
            self.run.append("updates", metrics)
        for callback in self.recipe.callbacks:
            if self.company.rank == 0 or callback.together:
                callback.keep(self, metrics)
        if self.on_update:
            self.on_update(metrics)


def step(optimiser: torch.optim.Optimizer, weights: Sequence[torch.nn.Parameter], max_grad_norm: float) -> float:
    """Clip, step and clear the gradient; its norm before clipping."""
    total = torch.nn.utils.clip_grad_norm_(weights, max_grad_norm)
    norm = (total.full_tensor() if isinstance(total, DTensor) else total).item()
    if not math.isfinite(norm):
        raise ConfigError(f"the gradient norm is {norm}; lower the learning rate or look for NaN in the model")
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return norm


def frozen(model: Any) -> Any:
    """A copy of the model that does not learn."""
    return copy.deepcopy(model).eval().requires_grad_(False)


def _whole_groups(episodes: Sequence[Episode], group_size: int) -> list[Episode]:
    """Episodes that have company: a group that environment failures left with one cannot be compared."""
    sizes = Counter((episode.group, episode.role) for episode in episodes)
    return [episode for episode in episodes if sizes[episode.group, episode.role] > 1 or group_size == 1]
