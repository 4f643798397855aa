"""Episodes that go on as their answers come: a slow conversation does not hold up the others.

For policies whose every question is answered by itself, such as a model behind an endpoint. An episode that ends makes
room for the next at once, so as many are under way as may be until none are left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeAlias

from agentgym.agents.policy import Generation, generation, settled
from agentgym.core import BudgetSpent, Reply
from agentgym.rollout.children import open_conversations
from agentgym.rollout.records import GameStep
from agentgym.rollout.roles import Cast
from agentgym.rollout.run import Rollout, Sessions
from agentgym.rollout.running import RunningEpisode
from agentgym.rollout.strategies import Strategy
from agentgym.rollout.turn import Questions, Requests, play_turn

Futures: TypeAlias = set[Future[Reply]]
Turns: TypeAlias = Generator[Futures | None, GameStep | None, None]
"""An episode under way: yields the answers that it waits for, or None where the world is to answer to its actions."""


def streams(cast: Cast, strategy: Strategy) -> bool:
    """Whether episodes need not wait for each other: somebody answers one by one, and nobody wants a batch.

    Args:
        cast: Who plays.
        strategy: How the episodes of a group come about; those of some depend on others.
    """
    policies = [role.policy for roles in cast.roles.values() for role in roles.values()]
    alone = not strategy.branches and strategy.attempts == 1
    return alone and any(map(_answers_singly, policies)) and all(each.reads != "tokens" for each in policies)


def _answers_singly(policy: Any) -> bool:
    return bool(getattr(policy, "streams", False))


class Stream:
    """Plays the specs of a run.

    Args:
        run: What they share.
        most: Most episodes under way at once.
    """

    def __init__(self, run: Rollout, most: int):
        self._run = run
        self._places = deque(range(min(most, len(run.specs))))
        self._playing: dict[int, RunningEpisode] = {}  # by place, as are the next three
        self._turns: dict[int, Turns] = {}
        self._missing: dict[int, Futures] = {}
        self._moves: dict[int, dict[str, str]] = {}
        self._whose: dict[Future[Reply], int] = {}
        self._heard: SimpleQueue[Future[Reply]] = SimpleQueue()
        self._spent = False

    def play(self) -> None:
        """Play all specs to their end, or until a budget is spent."""
        left = deque(range(len(self._run.specs)))
        try:
            while self._turns or (left and not self._spent):
                room = 0 if self._spent else min(len(left), len(self._places))
                if room:
                    self._begin([left.popleft() for _ in range(room)])
                elif self._moves:
                    self._act()
                else:
                    self._hear()
        finally:
            for future in self._whose:
                future.cancel()

    def _begin(self, numbers: Sequence[int]) -> None:
        places = [self._places.popleft() for _ in numbers]
        for running in self._run.begin(numbers, places=places):
            self._playing[running.place], self._turns[running.place] = running, self._episode(running)
            self._go_on(running.place, None)

    def _act(self) -> None:
        """Let the worlds of all episodes that have their actions answer."""
        moves = sorted(self._moves.items())
        self._moves = {}
        for (place, _), step in zip(moves, self._run.pool.act(moves, self._run.options), strict=True):
            self._go_on(place, step)

    def _hear(self) -> None:
        """Wait for an answer, and let the episodes go on that have all of theirs."""
        done = {self._heard.get()}
        while not self._heard.empty():
            done.add(self._heard.get())
        for place in sorted({self._whose.pop(future) for future in done}):
            self._missing[place] -= done
            if not self._missing[place]:
                self._go_on(place, None)

    def _go_on(self, place: int, step: GameStep | None) -> None:
        """Let an episode go on until it waits, or is over."""
        try:
            wanted = self._turns[place].send(step)
        except StopIteration:
            del self._turns[place]
            self._places.append(place)
            return
        if wanted is None:
            self._moves[place] = self._playing[place].actions()
            return
        self._missing[place] = wanted
        for future in wanted:
            self._whose[future] = place
            future.add_done_callback(self._heard.put)

    def _episode(self, running: RunningEpisode) -> Turns:
        """Play an episode."""
        answers = partial(self._answers, self._run.sessions([running]))
        while not running.over:
            yield from play_turn(self._run, running, answers, self._children)

    def _children(self, requests: Requests) -> Generator[Futures, None, list[RunningEpisode | None]]:
        """The conversations that parts of an episode open, while the other episodes wait."""
        yield from ()
        asked = [(requests.running, request) for request in requests.by_player.values()]
        return open_conversations(self._run, asked)

    def _answers(self, sessions: Sessions, questions: Questions) -> Generator[Futures, None, dict[str, Generation]]:
        """The answers to questions; those to which others come later are waited for together."""
        begun: dict[str, Future[Reply] | Generation] = {}
        for player, conversation in questions.conversations.items():
            session: Any = sessions[player, questions.part]
            if _answers_singly(conversation.policy):
                begun[player] = session.start(conversation.input)
            else:
                (begun[player],) = self._run.generate(session, [conversation])
        if missing := {answer for answer in begun.values() if isinstance(answer, Future)}:
            yield missing
        said = {
            player: generation(settled(answer)) if isinstance(answer, Future) else answer
            for player, answer in begun.items()
        }
        self._spent |= any(isinstance(answer.error, BudgetSpent) for answer in said.values())
        return said
