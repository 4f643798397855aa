"""What learners check of a recipe."""

from __future__ import annotations

from typing import Any

from agentgym.core import ConfigError


def check_read(learner: Any, recipe: Any) -> None:
    """Refuse a learner whose turn rewards no advantage of the recipe reads.

    Args:
        learner: One that writes a single annotation, named in its `writes`.
        recipe: The recipe in which it stands, for its `advantages`.
    """
    (annotation,) = learner.writes
    if not any(part.reward == annotation for part in recipe.advantages):
        raise ConfigError(
            f"the learner {type(learner).__name__} has no effect: no [[advantage]] of the recipe has reward = "
            f"{annotation!r}"
        )
