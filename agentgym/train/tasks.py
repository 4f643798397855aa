"""Which tasks a round plays: drawn evenly, where there is most to learn, from easy to hard, or from a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.core import ConfigError
from agentgym.core.tasks import ENDLESS
from agentgym.rollout import Episode
from agentgym.train.interfaces import TaskName, TaskSampler
from agentgym.train.proposals import Proposed


@dataclass
class Uniform(TaskSampler):
    """Every task is as likely as every other."""

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Tasks of the whole split, each as likely as every other.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split; None if it is endless.
        """
        return [int(task) for task in rng.integers(size or ENDLESS, size=count)]


@dataclass
class Frontier(TaskSampler):
    """A curriculum over a fixed pool of tasks: those solved sometimes come up most.

    A task is drawn with a probability in proportion to p (1 - p) + floor, where p is a running mean of its success that
    starts at one half. It is the variance of a Bernoulli reward, the signal a group-relative advantage lives on.

    Args:
        pool: The first `pool` tasks of the split take part.
        rate: How fast the running mean follows, above 0 and at most 1.
        floor: What keeps solved and hopeless tasks in play, above 0.
    """

    pool: int = 256
    rate: float = 0.3
    floor: float = 0.02
    _mean: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.pool < 2:
            raise ConfigError(f"pool must be at least 2 tasks, got {self.pool}")
        if not 0 < self.rate <= 1:
            raise ConfigError(f"rate must be above 0 and at most 1, got {self.rate}")
        if not self.floor > 0:
            raise ConfigError(f"floor must be above 0, got {self.floor}")

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Tasks of the pool, by how near to one half their success is.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split, which may be fewer than `pool`; None if it is endless.
        """
        pool = min(self.pool, size or self.pool)
        success = np.array([self._mean.get(task, 0.5) for task in range(pool)])
        weights = success * (1 - success) + self.floor
        return [int(task) for task in rng.choice(pool, size=count, p=weights / weights.sum())]

    def record(self, episodes: Sequence[Episode], places: Sequence[int]) -> None:
        """Move the running mean of each episode's task towards its success.

        Args:
            episodes: Episodes that have ended.
            places: The index of each one's task, as `draw` gave it.
        """
        for episode, place in zip(episodes, places, strict=True):
            before = self._mean.get(place, 0.5)
            self._mean[place] = before + self.rate * (episode.success - before)

    def state(self) -> dict[str, float]:
        """Running mean by task."""
        return {str(task): mean for task, mean in self._mean.items()}

    def load(self, state: dict[str, float]) -> None:
        """See `TaskSampler`."""
        self._mean = {int(task): mean for task, mean in state.items()}


@dataclass
class Staged(TaskSampler):
    """A curriculum in stages over a fixed pool of tasks: first the easiest alone, then harder ones with them, then all.

    CRAFT-GUI (Nong et al. 2025, arXiv:2508.11360) trains on easy trajectories before hard ones, and the number of their
    steps tells them apart. Here it is learned on the way: a task is as hard as its successes are long, and those not
    solved yet are the hardest, in the order of their numbers. Before anything is known all take part.

    Counts as `stage` the stage of each draw, from 1 on; 0 while all take part to be looked at.

    Args:
        pool: The first `pool` tasks of the split take part.
        stages: How many there are; in stage k the easiest k / stages of the pool are drawn.
        look: Draws before the first stage, usually one a round.
        length: Draws that a stage lasts; the last goes on.
    """

    pool: int = 256
    stages: int = 3
    look: int = 4
    length: int = 16
    _drawn: int = field(default=0, init=False, repr=False)
    _solved: dict[int, tuple[int, int]] = field(default_factory=dict, init=False, repr=False)  # successes, their turns

    def __post_init__(self) -> None:
        for name, least in (("pool", 2), ("stages", 2), ("look", 0), ("length", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}")

    @property
    def stage(self) -> int:
        """The stage of the next draw, from 1 to `stages`; 0 before the first."""
        return 0 if self._drawn < self.look else min(self.stages, 1 + (self._drawn - self.look) // self.length)

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Tasks of the stage that is reached, each as likely as every other; a call is a step towards the next one.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split, which may be fewer than `pool`; None if it is endless.
        """
        pool, stage = min(self.pool, size or self.pool), self.stage
        open_tasks = sorted(range(pool), key=self._hardness)
        if stage:
            open_tasks = open_tasks[: max(1, round(pool * stage / self.stages))]
        self._drawn += 1
        self.count(stage=stage)
        return [open_tasks[int(place)] for place in rng.integers(len(open_tasks), size=count)]

    def _hardness(self, task: int) -> tuple[float, int]:
        solved, turns = self._solved.get(task, (0, 0))
        return (turns / solved if solved else float("inf"), task)

    def record(self, episodes: Sequence[Episode], places: Sequence[int]) -> None:
        """Note how many turns each success took.

        Args:
            episodes: Episodes that have ended; failures change nothing.
            places: The index of each one's task, as `draw` gave it.
        """
        for episode, place in zip(episodes, places, strict=True):
            if episode.success:
                solved, turns = self._solved.get(place, (0, 0))
                self._solved[place] = (solved + 1, turns + len(episode.turns))

    def state(self) -> dict[str, Any]:
        """Draws so far, and by task its successes and their turns."""
        return {"drawn": self._drawn, "solved": {str(task): list(pair) for task, pair in self._solved.items()}}

    def load(self, state: dict[str, Any]) -> None:
        """See `TaskSampler`."""
        self._drawn = state["drawn"]
        self._solved = {int(task): (pair[0], pair[1]) for task, pair in state["solved"].items()}


@dataclass
class Listed(TaskSampler):
    """Tasks that the recipe writes out, each as likely as every other: a corner of a world, such as all deals.

    Args:
        specs: Specifications that fit the world's `task_schema`.
        share: Chance that a task is one of them; the others come from the whole split, evenly.
    """

    specs: tuple[Any, ...]
    share: float = 1.0

    def __post_init__(self) -> None:
        if not self.specs or not all(isinstance(spec, Mapping) for spec in self.specs):
            raise ConfigError("rollout.tasks 'listed' needs specs, a list of task specifications (tables)")
        if not 0 < self.share <= 1:
            raise ConfigError(f"share of rollout.tasks 'listed' must be above 0 and at most 1, got {self.share}")

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of specifications; those from the number of specifications on mean tasks of the split.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split; None if it is endless.
        """
        listed = rng.integers(len(self.specs), size=count)
        if self.share == 1:
            return [int(place) for place in listed]
        others = len(self.specs) + rng.integers(size or ENDLESS, size=count)
        return [int(place) for place in np.where(rng.random(count) < self.share, listed, others)]

    def name(self, place: int) -> TaskName:
        """See `TaskSampler`."""
        return dict(self.specs[place]) if place < len(self.specs) else place - len(self.specs)

    def place(self, name: Any) -> int:
        """See `TaskSampler`."""
        return self.specs.index(name) if isinstance(name, Mapping) else len(self.specs) + int(name)

    def demonstrated(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of tasks that a teacher shows: as they are played.

        Args:
            rng, count, size: See `draw`.
        """
        return self.draw(rng, count, size)


@dataclass
class Hinted(TaskSampler):
    """Tasks that nobody solves come again with a longer hint, those that everybody solves with a shorter one.

    The difficulty of a task is set by how much of a solution is given (GHPO, Liu et al. 2025, arXiv:2507.10628; SEELE,
    Li et al. 2025, arXiv:2509.06923): a group of failures has nothing to learn from. It sets `hint_fraction`, which the
    wrapper `Hints` reads.

    Args:
        pool: The first `pool` tasks of the split take part.
        step: By how much the share of a task that is given rises or falls, above 0 and at most 1.
    """

    pool: int = 256
    step: float = 0.25
    _share: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.pool < 1:
            raise ConfigError(f"pool must be at least 1 task, got {self.pool}")
        if not 0 < self.step <= 1:
            raise ConfigError(f"step of rollout.tasks 'hinted' must be above 0 and at most 1, got {self.step}")

    def check(self, recipe: Any) -> None:
        """Somebody must give the hints."""
        for plan in recipe.plans:
            wrapped = any(each.func.__name__ == "Hints" for each in plan.world.wrappers)
            if isinstance(plan.tasks, Hinted) and not wrapped:
                raise ConfigError(f"rollout.tasks 'hinted' needs the wrapper Hints around {plan.world.id}")

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Tasks of the pool, each as likely as every other, however long its hint.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split, which may be fewer than `pool`; None if it is endless.
        """
        return [int(task) for task in rng.integers(min(self.pool, size or self.pool), size=count)]

    def options(self, place: int) -> Mapping[str, Any]:
        """The share of a hint that the task has come to."""
        self.count(tasks=1, hinted=place in self._share and self._share[place] > 0)
        return {"hint_fraction": self._share.get(place, 0.0)}

    def record(self, episodes: Sequence[Episode], places: Sequence[int]) -> None:
        """Give more of what all failed at, and less of what all solved.

        Args:
            episodes: Episodes that have ended.
            places: The index of each one's task, as `draw` gave it; those of one index are judged together.
        """
        for place in dict.fromkeys(places):
            won = {episode.success for episode, own in zip(episodes, places, strict=True) if own == place}
            if len(won) == 1:
                change = -self.step if won == {True} else self.step
                self._share[place] = min(1.0, max(0.0, self._share.get(place, 0.0) + change))

    def state(self) -> dict[str, float]:
        """Share by task."""
        return {str(task): share for task, share in self._share.items()}

    def load(self, state: dict[str, float]) -> None:
        """See `TaskSampler`."""
        self._share = {int(task): share for task, share in state.items()}


TASKS: dict[str, type[TaskSampler]] = {
    "uniform": Uniform,
    "frontier": Frontier,
    "staged": Staged,
    "listed": Listed,
    "hinted": Hinted,
    "proposed": Proposed,
}
