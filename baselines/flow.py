"""The frozen modules of AgentFlow (Li et al. 2025, arXiv:2510.05592) as programs, and the memory that all share.

    agentgym train flow-grpo

In each turn the planner says what to do, the executor finds the command in it, the verifier gives its opinion, and the
generator acts. They hear each other as lines of the observation, each beginning with the name of a role.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentgym.agents.context import Record

PLAN, FOUND, OPINION = "\nplan: ", "\nexecute: ", "\nverify: "
NOTHING = "no command"
REMEMBERED = 8  # turns


def memory(record: Record) -> str | None:
    """What a module is told of the turns before, in place of the conversation.

    Args:
        record: What it has seen and said.
    """
    done = "; ".join(" ".join(said.split()) for said in record.said[-REMEMBERED:])
    return f"{record.reminder}\nDone so far: {done}\n"


def execute(observation: str, admissible: Sequence[str] | None, rng: np.random.Generator) -> str:
    """The command that the plan names: the plan itself if it is one, otherwise the longest that it holds as words.

    Args:
        observation: What is seen, and the plan.
        admissible: What may be done now; None where it cannot be listed, and then the plan is the command.
        rng: Not used.
    """
    plan = observation.rpartition(PLAN)[2].strip()
    return _command(plan, admissible) or NOTHING


def generate(observation: str, admissible: Sequence[str] | None, rng: np.random.Generator) -> str:
    """The executor's command; where there is none, the verifier's opinion if it names one.

    Args:
        observation: What is seen, and what the other modules said.
        admissible: What may be done now, or None.
        rng: Not used.
    """
    found, _, opinion = observation.rpartition(FOUND)[2].partition(OPINION)
    return found if found != NOTHING else _command(opinion.strip(), admissible) or NOTHING


def _command(text: str, admissible: Sequence[str] | None) -> str:
    """The command in a text; "" if there is none."""
    if admissible is None:
        return text
    words = f" {' '.join(text.casefold().split())} "
    named = [action for action in admissible if f" {action.casefold()} " in words]
    return max(named, key=len, default="")
