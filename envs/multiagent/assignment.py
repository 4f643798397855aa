"""Assignment: two players who each see a part of a table agree on who reviews which paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema, whole
from agentgym.core.grammar import Grammar, shorten
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._assignment import (
    HIGHEST,
    UNSEEN,
    Problem,
    View,
    counted,
    drawn,
    part,
    random_opponent,
    redrawn,
    simple_opponent,
    solved,
    spelled,
    strong_opponent,
    total,
)
from agentgym.envs.multiagent._cards.talk import ASSIGNMENT
from agentgym.envs.multiagent._decision import Dialogue, DialogueConfig, nearest, spoken_commands
from agentgym.envs.multiagent._scripted import graded

SIZES = range(3, 11)
STREAM = 0xA551  # apart from np_random of an equal seed
NAME: Spec = {"type": "string", "minLength": 1, "maxLength": 40}


def _square(items: Spec) -> Spec:
    row = {"type": "array", "minItems": SIZES[0], "maxItems": SIZES[-1], "items": items}
    return {"type": "array", "minItems": SIZES[0], "maxItems": SIZES[-1], "items": row}


@dataclass(frozen=True)
class Config(DialogueConfig):
    """The keyword arguments of `Assignment`."""

    size: int = whole(8, SIZES[0], SIZES[-1])


class Assignment(Dialogue):
    """Reviewers to papers (the decision-oriented dialogue "optimization").

    Description: as many papers as reviewers have to be assigned to each other, one to one. How well a reviewer fits a
    paper is a number from 0 to 99. Each player sees a pair with probability 0.4, and sees its number multiplied by a
    secret factor of its own, so what one reads 90 the other may read 300. Both propose; a proposal that the other
    accepts ends the game. In every task what both can reach together is at least 1.1 times what either could alone
    (where 100 drawn tables hold none, the best of them).

    Observation: what was said and proposed since the player last acted; the standing proposal, the moves left, and the
    player's own numbers by paper. Pairs that it does not see are not listed.

    Actions: `propose <paper>: <reviewer>; <paper>: <reviewer>; ...` for all papers (names misspelt by up to a fifth
    are understood), with ` saying <words>` behind it if wanted; `say <words>`; `accept`; `reject`, also
    `reject saying <words>`; `pass`. A proposal has to be answered before anything else. After three refused tries in a
    row `reject` is played where a proposal stands, otherwise `pass`. The admissible list holds a few proposals only.

    Reward: at an agreement, to both, the sum of the true numbers of the pairs over that of the best assignment, from
    an exact solver; a pair that neither player sees counts 50. Without an agreement when the moves are used up, 0. Both
    succeed with at least 0.95. Metrics of the last step: `score`, `points` (the sum itself), `agreed` and
    `messages`; cost: `words`.

    Splits: `train` without end, `val` and `test` 200 tables each.

    Opponents (whole teams): `random`; `simple` says nothing, proposes the best by its own numbers and accepts
    everything; `strong` tells all its numbers in the form `<paper>: <reviewer> <number>, ...`, understands what is told
    in that form, finds the ratio of the scales from pairs that both see and the scale itself from the largest number,
    and accepts what is nearly as good as the best by that. Expert: as `strong`. Oracle: sees the whole table; best
    assignment.

    Args:
        size: Papers and reviewers, 3 to 10; 8 as published.
        moves: Moves of each player, 2 to 50; 10 by default.

    Errors: `ConfigError` for an option outside its range, `TaskError` for a table whose parts do not fit together.

    Source: Lin, Tomlin, Andreas, Eisner 2023, Decision-Oriented Dialogue for Human-AI Collaboration; as published, but
    with the gain from talking measured by true points and a lower bound on it that seldom makes drawing fail.
    """

    card = ASSIGNMENT
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        spoken_commands(
            "<plan>",
            "propose a reviewer for every paper.",
            "Sparse Retrieval: Amara; Causal Planning: Jonas; Neural Search: Vera",
        ),
        rules="Assign each paper its own reviewer so that the fit of all pairs is as large as possible. Each of you "
        f"sees only some of the numbers, in a scale of your own: the true numbers, 0 to {HIGHEST}, times a constant "
        f"that nobody knows. A pair that neither of you sees counts {UNSEEN} in truth. Tell numbers as in "
        "'say Sparse Retrieval: Amara 120, Jonas 33'. A proposal must be accepted or rejected before anything else; "
        "both get its worth once it is accepted, and nothing without agreement.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "papers": {"type": "array", "minItems": SIZES[0], "maxItems": SIZES[-1], "items": NAME},
            "reviewers": {"type": "array", "minItems": SIZES[0], "maxItems": SIZES[-1], "items": NAME},
            "table": _square({"type": "integer", "minimum": 0, "maximum": HIGHEST}),
            "seen": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": _square({"type": "integer", "minimum": 0, "maximum": 1}),
            },
            "scales": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "number", "minimum": 1, "maximum": 10},
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A table of scores, and what of it each side sees.

        Args:
            config: How many papers, and as many reviewers.
            rng: Draws names, scores, what is seen and the scales.
        """
        problem = drawn(rng, config.size)
        return {
            "papers": list(problem.papers),
            "reviewers": list(problem.reviewers),
            "table": [list(row) for row in problem.table],
            "seen": [[list(row) for row in mask] for mask in problem.seen],
            "scales": list(problem.scales),
        }

    def check_task(self, spec: Spec) -> None:
        """Refuse names that repeat or cannot be told apart in a proposal, and tables of another size than the names."""
        papers, reviewers = spec["papers"], spec["reviewers"]
        for kind, names in (("papers", papers), ("reviewers", reviewers)):
            if len({name.lower() for name in names}) < len(names):
                raise TaskError(f"the {kind} must have different names, got {names}")
            unfit = [name for name in names if name != name.strip() or any(sign in name for sign in ":;,\n")]
            if unfit:
                raise TaskError(f"a name has no ':', ';' or ',' and no space at its ends, got {unfit[0]!r}")
        for name, rows in (("table", spec["table"]), *((f"seen[{k}]", rows) for k, rows in enumerate(spec["seen"]))):
            if len(rows) != len(papers) or any(len(row) != len(reviewers) for row in rows):
                raise TaskError(f"{name} must have a row for each of {len(papers)} papers, each as long as reviewers")
        if len(papers) != len(reviewers):
            raise TaskError(f"there must be as many papers as reviewers, got {len(papers)} and {len(reviewers)}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        papers = len(spec["papers"])
        return (
            f"Agree on who of {papers} reviewers gets which of {papers} papers, so that they fit as well as possible."
        )

    def _problem(self, task: Task) -> Problem:
        spec = task.spec
        table, one, other = (tuple(map(tuple, rows)) for rows in (spec["table"], *spec["seen"]))
        scales = tuple(float(scale) for scale in spec["scales"])
        return Problem(tuple(spec["papers"]), tuple(spec["reviewers"]), table, (one, other), (scales[0], scales[1]))

    def _part(self, place: int) -> View:
        return part(self._state.problem, place)

    def _view(self, player: str) -> str:
        return f"{self._public()}\n{_sheet(self._part(self.possible_agents.index(player)))}"

    def _understand(self, text: str) -> list[int] | str:
        problem: Problem = self._state.problem
        plan: dict[int, int] = {}
        for pair in text.replace(",", ";").split(";"):
            title, colon, name = pair.partition(":")
            if not pair.strip():
                continue
            paper, reviewer = nearest(title, problem.papers), nearest(name, problem.reviewers)
            if not colon or paper is None or reviewer is None:
                return (
                    f"{shorten(pair.strip())!r} is not '<paper>: <reviewer>'; the papers are "
                    f"{', '.join(problem.papers)}, the reviewers {', '.join(problem.reviewers)}."
                )
            if paper in plan or reviewer in plan.values():
                twice = problem.papers[paper] if paper in plan else problem.reviewers[reviewer]
                return f"{twice} is named twice; each paper gets one reviewer, and each reviewer one paper."
            plan[paper] = reviewer
        missing = [name for place, name in enumerate(problem.papers) if place not in plan]
        if missing:
            return f"a proposal names a reviewer for every paper; missing: {', '.join(missing)}."
        return [plan[place] for place in range(len(problem.papers))]

    def _spell(self, plan: Sequence[int]) -> str:
        problem: Problem = self._state.problem
        return spelled(problem.papers, problem.reviewers, plan)

    def _rate(self, plan: Sequence[int]) -> tuple[float, float]:
        values = counted(self._state.problem)
        points = total(values, plan)
        return points, points / max(1, total(values, solved(self._state.problem)))

    def _best(self) -> list[int]:
        return list(solved(self._state.problem))

    def _offers(self) -> list[list[int]]:
        size = len(self._state.problem.papers)
        return [[(row + shift) % size for row in range(size)] for shift in range(size)]

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        self._state.problem = redrawn(self._state.problem, self.possible_agents.index(player), rng)


@lru_cache(maxsize=512)
def _sheet(view: View) -> str:
    """What a player sees as text."""
    lines = [f"Reviewers: {', '.join(view.reviewers)}.", "Your numbers, in your own scale:"]
    for paper, row in zip(view.papers, view.scores, strict=True):
        pairs = [f"{name} {score}" for name, score in zip(view.reviewers, row, strict=True) if score >= 0]
        lines.append(f"{paper}: {', '.join(pairs) or 'nothing seen'}")
    return "\n".join(lines)
