"""All problems, and one of them by name and seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agentgym.core.rng import stream
from agentgym.envs.code._math import (  # each puts its problems into the book
    counting,
    geometry,
    graphs,
    number_theory,
    optimization,
    probability,
    sequences,
)
from agentgym.envs.code._math.book import BOOK, Answer, Problem

TOPICS = (number_theory, counting, geometry, probability, sequences, graphs, optimization)
TRIES, REMEMBERED = 40, 1024


@dataclass(frozen=True)
class Posed:
    """A problem with its arguments and the answer."""

    problem: Problem
    arguments: Mapping[str, Any]
    answer: Answer


@lru_cache(REMEMBERED)
def pose(name: str, seed: int) -> Posed | None:
    """A problem of a kind; None if there is no such kind, or none of the first draws is worth asking.

    Args:
        name: Of the kind.
        seed: Of its arguments.
    """
    problem = BOOK.problems.get(name)
    if problem is None:
        return None
    rng = stream("code.math", seed, name)
    for _ in range(TRIES):
        arguments = problem.draw(rng)
        answer = problem.solve(arguments)
        if answer is not None:
            return Posed(problem, arguments, answer)
    return None


def read(question: str) -> tuple[Problem, dict[str, Any]] | None:
    """A question as its words say it: the kind and the arguments; None if it is none of the book's."""
    for problem in BOOK.problems.values():
        arguments = problem.read(question)
        if arguments is not None:
            return problem, arguments
    return None
