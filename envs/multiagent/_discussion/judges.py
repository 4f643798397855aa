"""Judges of a solution and its evaluation: by rule, or any language model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from agentgym.core.errors import Unanswerable
from agentgym.core.text_model import TextModel
from agentgym.core.verdict import QUOTED, TRIES, quoted
from agentgym.envs.multiagent._discussion.problems import EQUATION, Problem, plain, worked

SCORES = (1, 2, 3)
UNSCORED = 0  # what a solution with its evaluation gets when the judge names no score, however often it is asked
OTHER = 2**31  # between the seeds of two questions about the same
STEP = re.compile(r"\bstep\s+(\d{1,3})\b", re.IGNORECASE)
SHOULD = re.compile(r"\banswer\s+(?:is|should be|must be|would be)\s+([^.;!?]+)", re.IGNORECASE)
TAG = re.compile(r"<score>\s*([123])\s*</score>[\s.*_`]*\Z", re.IGNORECASE)  # with which an answer ends
PROMPT = """You judge a discussion. Read the problem, the solution, and what another said of the solution.
{quoted}
Give a whole number from 1 to 3:
3: the solution is right throughout, and nothing said against it holds.
2: something said against it holds but does not change the answer, or it is wrong and nobody has shown why.
1: something said against it holds and makes the answer wrong.
End with your number between <score> and </score>.

Problem: {problem}
Solution: {solution}
Evaluation: {evaluation}"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a judge reads: answer and reasons of a solution, and what was said of it; all empty if nothing was said."""

    answer: str
    reasons: str
    evaluation: str

    @property
    def solution(self) -> str:
        """Answer and reasons as one text."""
        if not self.answer:
            return "(no solution)"
        return f"{self.answer}, because {self.reasons}" if self.reasons else self.answer


class Judge(Protocol):
    """Gives a score from 1 to 3, or `UNSCORED`, and says what the judgement cost in US dollars."""

    def score(self, problem: Problem, entry: Entry, seed: int) -> tuple[int, float]:
        """Judge one solution with its evaluation.

        Args:
            problem: What was to be solved, its answer included.
            entry: What the players wrote.
            seed: Of whatever the judge draws.

        Returns:
            The score, and what it cost in US dollars.
        """


class RuleJudge:
    """Knows the answer and reckons every step after.

    3 if the answer is right and no false step was pointed out; 2 if the answer is right and a false step was; 1 if the
    answer is wrong and the evaluation shows it, by a step that is false or by the right answer; 2 if it is wrong and
    nobody shows it. An evaluation with a false claim shows nothing. No solution is a 1.
    """

    def score(self, problem: Problem, entry: Entry, seed: int) -> tuple[int, float]:
        """Judge one solution with its evaluation; nothing is drawn, and it costs nothing.

        Args:
            problem: The problem, for its answer.
            entry: What the players wrote.
            seed: Ignored.
        """
        if not entry.answer:
            return 1, 0.0
        right = plain(entry.answer) == plain(problem.answer)
        return (2 if shown(problem, entry) else 3) if right else (1 if shown(problem, entry) else 2), 0.0


def false_steps(reasons: str) -> set[int]:
    """Numbers of the steps, from 1, whose equation does not hold."""
    found = set()
    for number, match in enumerate(EQUATION.finditer(reasons), 1):
        left, sign, right, result = int(match[1]), match[2], int(match[3]), int(match[4])
        exact = sign != "/" or (right != 0 and left % right == 0)
        if not exact or worked(left, sign, right) != result:
            found.add(number)
    return found


def shown(problem: Problem, entry: Entry) -> bool:
    """Whether an evaluation names a fault that is there, and none that is not.

    Args:
        problem: The problem, for its answer.
        entry: The solution and its evaluation; steps count from 1.
    """
    steps = {int(match[1]) for match in STEP.finditer(entry.evaluation)}
    answers = [match[1] for match in SHOULD.finditer(entry.evaluation)]
    fine = steps <= false_steps(entry.reasons) and all(plain(said) == plain(problem.answer) for said in answers)
    against = steps or any(plain(said) != plain(entry.answer) for said in answers)
    return bool(fine and against)


class ModelJudge:
    """Asks a language model, with the three grades of the source in our words.

    Args:
        model: Any text model; a cassette records and replays it.
    """

    def __init__(self, model: TextModel):
        self._model = model

    def score(self, problem: Problem, entry: Entry, seed: int) -> tuple[int, float]:
        """Judge one solution with its evaluation.

        What the players wrote may keep a model from naming a score, or from answering at all, so that voids nothing: it
        is asked three times, with other seeds, and then what it was asked about stays unscored, which pays nobody.

        Args:
            problem: The problem, of which the model is shown the text and not the answer.
            entry: What the players wrote, which is shown as quoted text.
            seed: Of the first question; the later ones are `OTHER` apart.

        Returns:
            The score, `UNSCORED` if none was named, and the cost of all replies in US dollars.
        """
        said = quoted(entry.evaluation) if entry.evaluation else "(nothing)"
        prompt = PROMPT.format(quoted=QUOTED, problem=problem.text, solution=quoted(entry.solution), evaluation=said)
        cost = 0.0
        for attempt in range(TRIES):
            try:
                reply = self._model.complete([{"role": "user", "content": prompt}], seed=seed + OTHER * attempt)
            except Unanswerable:  # the same words would be refused again
                break
            cost += reply.cost
            if found := TAG.search(reply.text):
                return int(found[1]), cost
        return UNSCORED, cost
