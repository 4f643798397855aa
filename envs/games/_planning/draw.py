"""Draws the problem of a seed: its domain, how it is told, and all that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.envs.games._planning import pddl
from agentgym.envs.games._planning.fields import FIELDS
from agentgym.envs.games._planning.fields._field import TaskRandom
from agentgym.envs.games._planning.strips import Problem

STREAM = 0x91A7  # apart from np_random of an equal seed
FRAMES = (
    "Bring it about that {0}.",
    "Your goal: {0}.",
    "At the end it must be true that {0}. How you get there is up to you.",
    "Act until {0}.",
)


def draw_problem(seed: int, domains: Sequence[str], size: int, evolve: int) -> dict[str, Any]:
    """The specification of a task.

    Args:
        seed: Decides everything.
        domains: Names in `FIELDS` of which one is taken.
        size: Items of the problem.
        evolve: Items more, where positive; parts of the goal fewer, where negative.
    """
    rng = TaskRandom([seed, STREAM])
    name = rng.pick(tuple(domains))
    field = FIELDS[name]
    number, frame = rng.below(len(field.wordings)), rng.below(len(FRAMES))
    sketch = field.draw(rng, size, size + max(evolve, 0), field.wordings[number])
    goals = [atom for group in sketch.goals[: max(1, len(sketch.goals) + min(evolve, 0))] for atom in group]
    problem = Problem(f"{name}-{size}", sketch.objects, tuple(sketch.init), tuple(goals))
    return {"domain": name, "problem": pddl.write_problem(problem, field.domain), "wording": number, "frame": frame}
