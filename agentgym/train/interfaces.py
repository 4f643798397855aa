"""What the trainer asks of every part of a recipe, with the answers that most of them give.

A part is a dataclass whose fields are its options and whose `__call__` does the work. Each kind has a base here; a part
derives from it and overrides what it does differently. Strategies have theirs in `agentgym.rollout.strategies`,
callbacks theirs in `agentgym.train.callbacks`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from agentgym.rollout.counters import Counting

Unit = Literal["segment", "episode", "pair"]


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
