"""Scripted players of a discussion."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from agentgym.envs.multiagent._choices import quick_pick
from agentgym.envs.multiagent._discussion.judges import false_steps
from agentgym.envs.multiagent._discussion.problems import EQUATION, NAMES, Problem, plain

SLIP = 0.3  # how likely the simple player errs in a step, or in a problem without steps


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        problem: The problem as it can be worked out from its text, its answer included.
        solving: Whether a solution is asked for, otherwise an evaluation.
        answer, reasons: The solution to be evaluated.
        mine: The player's own answers in earlier rounds, and in this one once it is given.
        others: Answers of all others in earlier rounds.
    """

    problem: Problem
    solving: bool
    answer: str
    reasons: str
    mine: tuple[str, ...]
    others: tuple[str, ...]


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Guesses, and finds fault at random.

    Of the problem in `known` it uses the kind and the names in it; what is said is drawn with `rng`.
    """
    names = [name for name in NAMES if name in known.problem.text]
    guesses = names if known.problem.kind in ("knights", "queue") else [str(int(rng.integers(1, 200)))]
    if known.solving:
        return f"solve {quick_pick(guesses, rng)}"
    return quick_pick(
        ("evaluate I see no mistake.", f"evaluate The answer should be {quick_pick(guesses, rng)}.",
         f"evaluate Step {int(rng.integers(1, 5))} is wrong.", "pass"), rng
    )  # fmt: skip


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Works the problem out with slips, later goes with the majority, and holds its own answer against others.

    Its answers and those of others are in `known`; `rng` decides about slips alone.
    """
    if not known.solving:
        mine = known.mine[-1] if known.mine else ""
        if not mine or plain(mine) == plain(known.answer):
            return "evaluate I see no mistake."
        return f"evaluate The answer should be {mine}."
    if known.mine and known.others:
        votes = Counter(plain(answer) for answer in (*known.others, known.mine[-1]) if answer)
        best = max(votes.values(), default=0)
        if best > 1:
            chosen = next(answer for answer in (*known.others, known.mine[-1]) if votes[plain(answer)] == best)
            return f"solve {chosen}"
    return _slipping(known.problem, rng)


def _slipping(problem: Problem, rng: np.random.Generator) -> str:
    """A solution in which a step may go wrong, with all that follows from it."""
    if rng.random() >= SLIP:
        return strong_opponent(Known(problem, True, "", "", (), ()), rng)
    if not problem.steps:
        return f"solve {quick_pick(problem.wrong, rng)}"
    place = int(rng.random() * len(problem.steps))
    off = 1 + int(rng.random() * 9)
    texts = [step.text for step in problem.steps]
    step = problem.steps[place]
    texts[place] = f"{step.left} {step.sign} {step.right} = {step.result + off}"
    return f"solve {int(problem.answer) + off} because {'; '.join(texts)}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Works the problem out without slips, checks every step of others, and says what is wrong.

    It goes by `known` alone and asks `rng` for nothing.
    """
    problem = known.problem
    if known.solving:
        steps = "; ".join(step.text for step in problem.steps)
        return f"solve {problem.answer} because {steps}" if steps else f"solve {problem.answer}"
    wrong = sorted(false_steps(known.reasons))
    if wrong:
        said = [match[0] for match in EQUATION.finditer(known.reasons)][wrong[0] - 1]
        return f"evaluate Step {wrong[0]} is wrong: {said} does not hold."
    if plain(known.answer) != plain(problem.answer):
        return f"evaluate The answer should be {problem.answer}."
    return "evaluate I checked every step and found no mistake."
