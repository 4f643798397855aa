"""What the trainer asks of every part of a recipe, with the answers that most of them give.

A part is a dataclass whose fields are its options and whose `__call__` does the work. Each kind has a base here; a part
derives from it and overrides what it does differently. Strategies have theirs in `agentgym.rollout.strategies`,
callbacks theirs in `agentgym.train.callbacks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from agentgym.core.tasks import ENDLESS
from agentgym.rollout import EnvPool, Episode
from agentgym.rollout.counters import Counting

Unit = Literal["segment", "episode", "pair"]
TaskName: TypeAlias = int | Mapping[str, Any]


class Part(Counting):
    """Base of all."""

    def check(self, recipe: Any) -> None:
        """Refuse a recipe (`agentgym.train.Recipe`) in which the part would have no effect, or mislead."""


class Remembering(Part):
    """A part whose state is part of a checkpoint."""

    def state(self) -> Any:
        """What it remembers: numbers, strings, tensors, None, and lists and dictionaries of them."""
        return None

    def load(self, state: Any) -> None:
        """Take up where `state` was taken."""


class TaskSampler(Remembering):
    """Chooses the tasks of a round; what it learns from is part of the checkpoint."""

    @property
    def asks_model(self) -> bool:
        """Whether it asks a language model, whose answers another process might get otherwise."""
        return False

    def enter(self, pool: EnvPool) -> None:
        """Told of the environments of its world, once, before anything is drawn.

        Args:
            pool: They play what is drawn.
        """

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of `count` tasks of a split of `size` tasks (None: endless).

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split; None if it is endless.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement draw(rng, count, size)")

    def name(self, place: int) -> TaskName:
        """The task of an index as worlds are told it: the index itself, or a specification."""
        return place

    def place(self, name: Any) -> int:
        """The index of a task that `name` gave."""
        return int(name)

    def options(self, place: int) -> Mapping[str, Any]:
        """Options with which the environment is reset for the task of an index, beside the task."""
        return {}

    def demonstrated(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of the tasks that a teacher shows before the first round: evenly drawn from the split.

        Args:
            rng: The generator of this draw.
            count: How many, with repeats.
            size: Tasks of the split; None if it is endless.
        """
        drawn: list[int] = rng.integers(size or ENDLESS, size=count).tolist()
        return drawn

    def record(self, episodes: Sequence[Episode], places: Sequence[int]) -> None:
        """Take note of how each episode, begun at the task of the index, ended.

        Args:
            episodes: Episodes that have ended.
            places: The index of each one's task, as `draw` gave it.
        """


class Filter(Part):
    """From the episodes of a round, and a generator of random numbers, to those that are learned from.

    Attributes:
        drops_groups: Whether it leaves out whole groups, which `rollout.refill` can replace.
        makes_pairs: Whether what it returns are pairs, the better episode first.
    """

    drops_groups: ClassVar[bool] = False
    makes_pairs: ClassVar[bool] = False


class Advantage(Part):
    """From episodes to one number a token; see `agentgym.train.advantage_utils`.

    Attributes:
        reward: Name of the annotation on turns that it reads in place of the world's rewards; "" for those.
        needs_keys: Whether it reads the world's state keys.
        needs_reference: Whether it reads log-probabilities of a reference model.
    """

    reward: str = ""
    needs_keys: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False

    @property
    def compares(self) -> bool:
        """Whether an episode's credit depends on how others fared."""
        return True


class Learner(Part):
    """Options of something that is fitted beside the policy; `build(engine, seed)` makes it, which counts through them.

    Attributes:
        writes: Names of the annotations it writes.
        needs_answers: Whether it reads the world's reference answers.
        copies: Whether it keeps a copy of the policy's model.
    """

    writes: ClassVar[tuple[str, ...]] = ()
    copies: ClassVar[bool] = False
    needs_answers: ClassVar[bool] = False


class Loss(Part):
    """From log-probabilities and a batch to the loss.

    Attributes:
        unit: Rows of one unit must be in one batch.
        on_policy: Whether the loss is only right for tokens that the model itself has just sampled.
        uses_ratio: Whether it limits ratios, which are all 1 in the first gradient step of a round.
        uses_advantages: Whether advantages reach the loss.
        needs_reference: Whether it reads log-probabilities of a reference model.
    """

    unit: ClassVar[Unit] = "segment"
    on_policy: ClassVar[bool] = False
    uses_ratio: ClassVar[bool] = True
    uses_advantages: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = False


class Regularizer(Remembering):
    """From log-probabilities, entropies and a batch to a term of the loss; it has a `coefficient`.

    Attributes:
        needs_entropy_gradient: Whether its gradient goes through the entropies.
        remembers: Whether it keeps a history of what its own process saw.
    """

    needs_entropy_gradient: ClassVar[bool] = False
    remembers: ClassVar[bool] = False

    @property
    def needs_reference(self) -> bool:
        """Whether it reads log-probabilities of the reference model."""
        return False

    def end_update(self) -> None:
        """A round's gradient steps are done."""


class Replay(Remembering):
    """Mixes episodes of earlier rounds into a round: `mix(episodes, rng)`."""
