"""What came with the turns of a run: how answers ended, thoughts and refusals, retries, latency, failed tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.evaluate.episode_record import TurnRecord


@dataclass(frozen=True)
class Answers:
    """Counts over all answers of a run, those of failed episodes included.

    Attributes:
        finish_reasons: Answers by the server's word for why they ended, the most frequent first.
        reasoning_tokens: Tokens that were thought.
        refusals: Answers in which the model refused.
        asked_again: Answers that came after more than one try.
        answers: Answers of a chat model.
        retries: Tries that were not answered, and so repeated.
        tool_calls, tool_failures: Calls of tools, by any player, and those that the world did not run.
        seconds: Median and 95th percentile from question to answer; None if there is no answer.
    """

    finish_reasons: Mapping[str, int]
    reasoning_tokens: int
    refusals: int
    asked_again: int
    answers: int
    retries: int
    tool_calls: int
    tool_failures: int
    seconds: tuple[float, float] | None


def count_answers(turns: Sequence[TurnRecord]) -> Answers:
    """The counts of some turns."""
    calls = [turn.tool_failure for turn in turns if turn.tool_failure is not None]
    asked = [turn for turn in turns if turn.answer is not None]
    answers = [turn.answer for turn in asked if turn.answer is not None]
    seconds = None
    if answers:
        median, high = np.quantile([answer.seconds for answer in answers], (0.5, 0.95))
        seconds = float(median), float(high)
    return Answers(
        dict(Counter(turn.finish_reason for turn in asked if turn.finish_reason).most_common()),
        sum(answer.reasoning_tokens for answer in answers),
        sum(bool(answer.refusal) for answer in answers),
        sum(answer.tries > 1 for answer in answers),
        len(answers),
        sum(answer.tries - 1 for answer in answers),
        len(calls),
        sum(map(bool, calls)),
        seconds,
    )
