"""Episodes of a model that go on as their worlds answer: a slow world does not hold up the other conversations.

In lockstep (`agentgym.rollout.collect`) a turn takes as long as its slowest world. Here the model answers those whose
worlds have answered, in one batch, while the others wait for theirs; a place that an episode leaves is taken by the
next at once. Who trains lets all go on between other work (`Continuous.go_on`), and may move the weights between two
turns: a conversation that other weights have read is then read again as a whole, so that a turn is sampled from the
weights whose version it carries, and from nothing that others have left in a cache.

A policy that is sampled elsewhere (`agentgym.agents.remote_policy`) is sent each question as it comes, and each
conversation goes on when its own answer is there; other work, such as a gradient step, holds up none that is under way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Any

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.generation import CachedSequence
from agentgym.agents.policy import Generation
from agentgym.agents.remote_policy import Pending, RemotePolicy
from agentgym.core import ConfigError
from agentgym.rollout.collect import check_rollout
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.records import GameStep
from agentgym.rollout.run import Rollout
from agentgym.rollout.running import RunningEpisode
from agentgym.rollout.turn import Questions, play_turn

TICK = 0.02  # seconds after which worlds are listened to again while answers are waited for


class Continuous:
    """Plays episodes of one player and one role, more of which may come at any time.

    Args:
        pool: Where to play.
        engine: Who plays; the one role of every rollout that is added.
        most: Most episodes under way at once.

    Attributes:
        turns: Turns that the model has taken.
    """

    def __init__(self, pool: EnvPool, engine: HuggingFaceEngine | RemotePolicy, most: int):
        self._pool, self._engine = pool, engine
        self._waiting: deque[tuple[Rollout, int]] = deque()  # with the number of a spec
        self._places = deque(range(most))
        self._begun: dict[int, tuple[Rollout, int]] = {}  # by place: whose world is being reset
        self._playing: dict[int, RunningEpisode] = {}  # by place, as are the next three
        self._turns: dict[int, Generator[Any, Any, None]] = {}
        self._asked: dict[int, Questions] = {}
        self._rows: dict[int, CachedSequence] = {}
        self._sent: dict[int, tuple[Questions, Pending]] = {}  # by place: what a server is answering
        self._rollouts: dict[int, Rollout] = {}
        self.turns = 0

    @property
    def room(self) -> int:
        """How many more episodes could begin at once."""
        return max(0, len(self._places) - len(self._waiting))

    def add(self, run: Rollout) -> None:
        """Let the episodes of a rollout begin as soon as there is room; `run.episodes` holds those that have begun.

        Args:
            run: Its specs are played independently of one another.

        Raises:
            TaskError, ConfigError: as `agentgym.rollout.collect` does.
        """
        check_rollout(run)
        if any(role.delegation for roles in run.cast.roles.values() for role in roles.values()):
            raise ConfigError("conversations that a part opens are played in rounds; leave out rollout.max_staleness")
        self._waiting.extend((run, number) for number in range(len(run.specs)))

    def go_on(self, seconds: float = 0.0) -> None:
        """Let every episode go on as far as it can without waiting.

        Args:
            seconds: How long to wait for a world, or a server, where there is nothing else to do.

        Raises:
            TaskError: if two episodes of a group begin in different ways.
            ContextOverflow: if not even a first prompt fits.
            ConfigError: if a reward is no finite number.
            EndpointError: if a server does not answer as it should.
        """
        while self._waiting and self._places:
            place, (run, number) = self._places.popleft(), self._waiting.popleft()
            self._begun[place] = run, number
            self._pool.send(place, run.specs[number], run.options)
        busy = self._asked or self._sent
        for place, step in self._pool.heard(0.0 if busy else seconds):
            if place in self._begun:
                self._enter(place, step)
            else:
                self._advance(place, step)
        if isinstance(self._engine, RemotePolicy):
            self._send(self._engine)
            self._hear(self._engine, min(seconds, TICK))
        elif self._asked:
            self._answer(self._engine)

    def _enter(self, place: int, step: GameStep) -> None:
        """An episode whose world stands ready takes its first turn."""
        run, number = self._begun.pop(place)
        running = run.begun(place, number, step)
        (player,) = running.sides
        self._playing[place], self._rollouts[place] = running, run
        self._rows[place] = CachedSequence(run.generator(running.spec, player, 0))
        self._next_turn(place)

    def _next_turn(self, place: int) -> None:
        """Begin the next turn of an episode, or let it leave where it is over."""
        running, run = self._playing[place], self._rollouts[place]
        if not running.over:
            self._turns[place] = play_turn(run, running, _answers, _answers)
            self._advance(place, None)
            return
        for kept in (self._playing, self._rollouts, self._rows):
            del kept[place]
        self._places.append(place)

    def _advance(self, place: int, heard: Mapping[str, Generation] | GameStep | None) -> None:
        """Let the turn of an episode go on until it has a question, waits for its world, or is over."""
        try:
            questions = self._turns[place].send(heard)
        except StopIteration:
            del self._turns[place]
            self._next_turn(place)
            return
        if questions is not None:
            self._asked[place] = questions
        else:
            self._pool.send(place, self._playing[place].actions(), self._rollouts[place].options)

    def _send(self, policy: RemotePolicy) -> None:
        """Let everybody who has asked be answered elsewhere."""
        asked = sorted(self._asked.items())
        self._asked = {}
        for place, questions in asked:
            (conversation,) = questions.conversations.values()
            pending = policy.start(conversation.whole_input, self._rows[place].generator)
            self._sent[place] = questions, pending

    def _hear(self, policy: RemotePolicy, seconds: float) -> None:
        """Let everybody go on whose answer is there, in the order of places; with none, wait for the first."""
        wait([pending.future for _, pending in self._sent.values()], seconds, FIRST_COMPLETED)
        for place in sorted(place for place, (_, pending) in self._sent.items() if pending.future.done()):
            questions, pending = self._sent.pop(place)
            self.turns += 1
            self._advance(place, dict.fromkeys(questions.conversations, policy.hear(pending)))

    def _answer(self, engine: HuggingFaceEngine) -> None:
        """Let the model answer everybody who has asked, in one batch, in the order of places."""
        asked = sorted(self._asked.items())
        self._asked = {}
        inputs, rows = [], []
        for place, questions in asked:
            (conversation,) = questions.conversations.values()
            anew = conversation.fresh or self._rows[place].version != engine.version
            if anew:
                self._rows[place] = CachedSequence(self._rows[place].generator)
            inputs.append(conversation.whole_input if anew else conversation.input)
            rows.append(self._rows[place])
        session = engine.open([row.generator for row in rows])
        session.take_in(rows)
        answers = session.generate(inputs)
        session.hand_back(rows)
        self.turns += len(answers)
        for (place, questions), answer in zip(asked, answers, strict=True):
            self._advance(place, dict.fromkeys(questions.conversations, answer))


def _answers(questions: Any) -> Generator[Any, Any, Any]:
    """The answers that are sent."""
    return (yield questions)
