"""Office: questions about a person's nine apps, and changes in them, by tool calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentgym.core.snapshot import json_key
from agentgym.core.tasks import Spec
from agentgym.envs._kit.tools import QuestionEnv, World
from agentgym.envs._kit.tools.question_world import ATTEMPTS, SEEDS, WORDINGS, solve
from agentgym.envs.tools import OFFICE
from agentgym.envs.tools._office.apps.toolbox import TOOLBOX
from agentgym.envs.tools._office.desk import compared, desk_of
from agentgym.envs.tools._office.people.circle import CIRCLES, PEOPLE
from agentgym.envs.tools._office.templates import days, letters, papers  # each puts its templates into the book
from agentgym.envs.tools._office.templates.slots import BOOK

TEMPLATES = (days, letters, papers)
CIRCLES_OF = {"val": range(16, 20), "test": range(20, CIRCLES), "train": range(16)}
TEMPLATES_OF = {
    "val": ("sum_of_unread_bills", "longest_gap", "last_bills", "archive_old"),
    "test": ("dearest_month", "decline_overlaps", "one_star_each", "minutes_of_events", "sort_downloads"),
}
SHARES = (("train", 0.7), ("val", 0.85), ("test", 1.0))  # of draws, added up


def split_of(template: str) -> str:
    """The only split that has a template."""
    return next((split for split, names in TEMPLATES_OF.items() if template in names), "train")


class OfficeEnv(QuestionEnv):
    """Answer questions about a person's nine apps and change things in them as asked.

    Source: Trivedi et al. 2024, AppWorld (arXiv:2407.18901).
    """

    card = OFFICE
    world = World(BOOK, TOOLBOX, desk_of, compared)

    @classmethod
    def generate(cls, config: Any, rng: np.random.Generator) -> Spec:
        """A template, a person of its split, and a wording that make a task."""
        for _ in range(ATTEMPTS):
            share = rng.random()
            split = next(name for name, most in SHARES if share < most)
            names = [name for name in cls.world.book.templates if split_of(name) == split]
            circle = CIRCLES_OF[split][int(rng.integers(len(CIRCLES_OF[split])))]
            place = int(rng.integers(SEEDS // CIRCLES))
            name, wording = names[int(rng.integers(len(names)))], int(rng.integers(WORDINGS))
            spec: dict[str, Any] = {"seed": place * CIRCLES + circle, "template": name, "wording": wording}
            if solve(cls.world, spec["seed"], name, wording) is not None:
                return spec
        raise AssertionError(f"{cls.card.id}: {ATTEMPTS} draws in a row made no task")

    @classmethod
    def fits(cls, config: Any, split: str, spec: Spec) -> bool:
        """Each split has people and templates of its own."""
        return split_of(spec["template"]) == split and spec["seed"] % CIRCLES in CIRCLES_OF[split]

    @classmethod
    def content_key(cls, spec: Spec) -> str:
        """The task without its wording, and whose it is."""
        problem = cls._problem_of(spec)
        person = [spec["seed"] % CIRCLES, spec["seed"] // CIRCLES % PEOPLE]
        return json_key([problem.template.name, dict(problem.arguments), person])
