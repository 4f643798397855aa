"""A turn of an episode, whoever schedules it: what its players are asked, how answers become its step, what is kept.

Episodes advance in lockstep (`agentgym.rollout.collect`) or each as its answers come (`agentgym.rollout.streaming`).
Both take their turns from here and differ in how they come by answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentgym.agents.policy import Generation
from agentgym.rollout.children import outcome, requests
from agentgym.rollout.conversation import Conversation
from agentgym.rollout.run import Rollout
from agentgym.rollout.running import Request, RoleCall, RunningEpisode


@dataclass(frozen=True, slots=True)
class Questions:
    """What one role of every player that is to act has read, and is to answer.

    Attributes:
        part: Which of the roles of a player.
        conversations: By player.
    """

    part: int
    conversations: Mapping[str, Conversation]


@dataclass(frozen=True, slots=True)
class Requests:
    """What one role of every player that is to act hands over, and is to hear of.

    Attributes:
        running: The episode.
        by_player: What each hands over.
    """

    running: RunningEpisode
    by_player: Mapping[str, Request]


Answers: TypeAlias = Callable[[Questions], Generator[Any, Any, Mapping[str, Generation]]]
"""Comes by the answers to questions, by player and in their order; those after one that failed may be missing."""


Children: TypeAlias = Callable[[Requests], Generator[Any, Any, Sequence[RunningEpisode | None]]]
"""Comes by the conversations about what was handed over, in its order."""


def play_turn(run: Rollout, running: RunningEpisode, answers: Answers, children: Children) -> Generator[Any, Any, None]:
    """Play one turn of an episode.

    Args:
        run: What the episodes of a call share.
        running: The episode; it is not over.
        answers: What it waits for is yielded.
        children: Likewise.

    Yields:
        What `answers` and `children` do; then None where all have spoken, to be sent the world's `GameStep`.
    """
    room = math.inf if run.horizon is None else run.horizon
    for part in range(run.parts):
        speaking = [
            player
            for player in running.to_act
            if part < len(run.cast.roles[player]) and running.sides[player].conversations[part].due
        ]
        yield from _play_part(run, running, part, dict.fromkeys(speaking), answers, children)
        calls = {} if running.over else {player: running.take_call(player, part, room) for player in speaking}
        called = {player: call for player, call in calls.items() if call is not None}
        for earlier in range(part if called else 0):
            own = {player: call for player, call in called.items() if call.part == earlier}
            yield from _play_part(run, running, earlier, own, answers, children)
        yield from _play_part(run, running, part, dict.fromkeys(called), answers, children)
        if running.over:
            break
    else:
        step = yield None
        running.settle(step, run.horizon)
    run.tell(running)


def _play_part(
    run: Rollout,
    running: RunningEpisode,
    part: int,
    asked: Mapping[str, RoleCall | None],
    answers: Answers,
    children: Children,
) -> Generator[Any, Any, None]:
    """Let a role of some players speak, and all whom it hands something over to; `asked` says by which calls."""
    for player, call in asked.items():
        if not running.over:
            running.ask(player, part, call)
    if running.error is not None and not run.keep_failures:
        raise running.error
    speaking = list(asked)
    while speaking and not running.over:
        yield from _speak(run, running, part, speaking, answers)
        handed = {} if running.over else requests(run, running, part, speaking)
        speaking = []
        if handed:
            opened = yield from children(Requests(running, handed))
            for request, child in zip(handed.values(), opened, strict=True):
                if not running.over:
                    running.hear(request, outcome(request, child), child)
                    speaking.append(request.player)
            if running.error is not None and not run.keep_failures:
                raise running.error


def _speak(
    run: Rollout, running: RunningEpisode, part: int, players: Sequence[str], answers: Answers
) -> Generator[Any, Any, None]:
    """Take down what a role of each of some players says to what it has been shown."""
    said = yield from answers(
        Questions(part, {player: running.sides[player].conversations[part] for player in players})
    )
    for player, answer in said.items():
        if answer.error is not None and not run.keep_failures:
            raise answer.error
        running.answer(player, part, answer)
        if running.over:
            break
