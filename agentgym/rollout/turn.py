"""A turn of an episode, whoever schedules it: what its players are asked, how answers become its step, what is kept.

Episodes advance in lockstep (`agentgym.rollout.collect`) or each as its answers come (`agentgym.rollout.streaming`).
Both take their turns from here and differ in how they come by answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentgym.agents.policy import Generation
from agentgym.rollout.conversation import Conversation
from agentgym.rollout.run import Rollout
from agentgym.rollout.running import RunningEpisode


@dataclass(frozen=True, slots=True)
class Questions:
    """What one role of every player that is to act has read, and is to answer.

    Attributes:
        part: Which of the roles of a player.
        conversations: By player.
    """

    part: int
    conversations: Mapping[str, Conversation]


Answers: TypeAlias = Callable[[Questions], Generator[Any, Any, Mapping[str, Generation]]]
"""Comes by the answers to questions, by player and in their order; those after one that failed may be missing."""


def play_turn(run: Rollout, running: RunningEpisode, answers: Answers) -> Generator[Any, Any, None]:
    """Play one turn of an episode.

    Args:
        run: What the episodes of a call share.
        running: The episode; it is not over.
        answers: What it waits for is yielded.

    Yields:
        What `answers` does; then None where all have spoken, to be sent the world's `GameStep`.
    """
    for part in range(run.parts):
        speaking = [player for player in running.to_act if part < len(run.cast.roles[player])]
        for player in speaking:
            if not running.over:
                running.ask(player, part)
        if running.error is not None and not run.keep_failures:
            raise running.error
        if running.over:
            break
        questions = Questions(part, {player: running.sides[player].conversations[part] for player in speaking})
        said = (yield from answers(questions)) if speaking else {}
        for player, answer in said.items():
            if answer.error is not None and not run.keep_failures:
                raise answer.error
            running.answer(player, part, answer)
            if running.over:
                break
        if running.over:
            break
    else:
        step = yield None
        running.settle(step, run.horizon)
    run.tell(running)
