"""A game under way: the thread that plays it, and what browsers see of it."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

from agentgym.agents import Quit, Script, View
from agentgym.core import AgentGymError, EnvCard
from agentgym.evaluate import AgentSetting, EpisodeRecord, RecordHeader, open_pool, record_episode, resolve
from agentgym.rollout import Cast, EnvPool, EpisodeSpec, RunningEpisode, assign_roles, can_take_back, play_with_people
from agentgym.ui.board import GameView, faced, watched
from agentgym.ui.feed import Feed
from agentgym.ui.holders import PERSON, Agents, PagePerson
from agentgym.ui.orders import Hint, Leave, Order, TakeBack

LOG = logging.getLogger(__name__)
START = 300.0  # seconds until a world must stand
PACES = {"slow": 1.5, "steady": 0.5, "fast": 0.0}  # seconds between the turns of a game that is watched


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Attributes:
        card: Of the world.
        split: Where the task comes from.
        task: Its id; None draws one with the seed.
        seed: Of the episode.
        holders: Who holds each player, in the order of the players: `person`, an opponent or an agent.
        pace: How fast a game that is watched goes on, a key of `PACES`.
    """

    card: EnvCard
    split: str
    task: str | None
    seed: int
    holders: Sequence[str]
    pace: str = "steady"


@dataclass(frozen=True)
class Shown:
    """All that a page shows of a game at a moment.

    Attributes:
        board: The moment; None before the first.
        task_id: The task; "" before the first board.
        state: `starting`, `person` (one is to act), `thinking` (somebody else is), `over`, `left` or `failed`.
        note: What the program says to the person: a hint, or what went wrong.
        speech: What a model has said so far in its turn.
        paused: Whether the game waits to be let go on.
        ready: Whether the person whose turn it is has taken the place, where several share the machine.
        undo: Whether an action can be taken back.
        success, score: How it ended.
        stop: Why it ended.
        saved: Where its transcript was written.
    """

    board: GameView | None = None
    task_id: str = ""
    state: str = "starting"
    note: str = ""
    speech: str = ""
    paused: bool = False
    ready: bool = True
    undo: bool = False
    success: bool = False
    score: float = 0.0
    stop: str = ""
    saved: str = ""


class GameSession:
    """A game and the thread that plays it.

    Args:
        plan: What is played.
        agents: Who can be asked to play.
    """

    def __init__(self, plan: Plan, agents: Agents):
        self.id = secrets.token_hex(8)
        self.plan, self.feed = plan, Feed()
        self.shown = Shown()
        self.record: EpisodeRecord | None = None
        self._agents = agents
        self._lock = threading.Lock()
        self._script = Script()
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self._go_on, self._leaving = threading.Event(), threading.Event()
        self._go_on.set()
        self._running: RunningEpisode | None = None
        self._last_person, self._undo = "", False
        self._began: Future[None] = Future()
        self.people: list[str] = []
        self._thread = threading.Thread(target=self._play, name=f"table {self.id}", daemon=True)

    def start(self) -> None:
        """Begin; returns when the world shows its first observation.

        Raises:
            AgentGymError: if it cannot be made or has no such task, or a player has nobody who can hold it.
        """
        self._thread.start()
        self._began.result(START)

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.shown.state in ("over", "left", "failed")

    def order(self, order: Order) -> bool:
        """Hand over what a browser asks for.

        Args:
            order: What it is.

        Returns:
            Whether somebody was there to take it: a person is to act, or the game is over and an action is taken back.
        """
        with self._lock:
            if isinstance(order, TakeBack):
                taken = self.shown.undo and self.shown.state in ("person", "over")
            else:
                taken = self.shown.ready and self.shown.state == "person"
            if taken and not isinstance(order, Hint):
                self.shown = replace(self.shown, state="thinking", note="")
        if taken:
            self._orders.put(order)
        return taken

    def take_over(self) -> None:
        """The person whose turn it is sits in front of the screen now."""
        self._show(ready=True)

    def pause(self, paused: bool) -> None:
        """Hold a game that is watched, or let it go on."""
        self._show(paused=paused)
        (self._go_on.clear if paused else self._go_on.set)()

    def leave(self) -> None:
        """End the game, whoever is to act; returns at once."""
        self._leaving.set()
        self._go_on.set()
        self._orders.put(Leave())

    def join(self, seconds: float) -> None:
        """Wait until the thread of a game that was left has ended, as long as that."""
        self._thread.join(seconds)

    def note_saved(self, place: str) -> None:
        """Say where the transcript was written."""
        self._show(saved=place)

    # What the thread of the game does.

    def _play(self) -> None:
        try:
            pool = open_pool(self.plan.card.id, self.plan.split, {}, drawn=True)
            try:
                cast = self._cast(pool)
                self._episodes(pool, cast)
            finally:
                pool.close()
        except Quit:
            if not self._began.done():
                self._began.set_exception(AgentGymError("the game was left before it began"))
            self._show(state="left", speech="")
        except AgentGymError as error:
            self._fail(error, str(error))
        except Exception as error:  # a bug of a world or an agent: told here, for nobody else waits for this thread
            LOG.exception("the game %s ended with an error", self.id)
            self._fail(error, f"{type(error).__name__}: {error}")
        finally:
            self.feed.close()

    def _fail(self, error: Exception, reason: str) -> None:
        if not self._began.done():
            self._began.set_exception(error)
        self._show(state="failed", note=reason, speech="")

    def _cast(self, pool: EnvPool) -> Cast:
        held = dict(zip(pool.players, self.plan.holders, strict=True))
        self.people = [player for player, holder in held.items() if holder == PERSON]
        assigned: dict[str, Any] = {}
        for player, holder in held.items():
            if holder == PERSON:
                assigned[player] = PagePerson(
                    self._orders, lambda view: self._face(pool, view), self._say, self._script
                )
            else:
                assigned[player] = self._agents.role(holder, pool, self._hear)
        cast = assign_roles(assigned, pool)
        self._undo = bool(self.people) and can_take_back(pool, cast)
        return cast

    def _episodes(self, pool: EnvPool, cast: Cast) -> None:
        """Play to the end, and on from there if an action is taken back after it."""
        spec = EpisodeSpec(self.plan.task, self.plan.seed, 0, (self.plan.seed,))
        while True:
            running = play_with_people(
                pool, cast, spec, self._script,
                on_step=lambda running: self._watch(running, pool), on_undo=self._forget,
            )  # fmt: skip
            self._end(running, pool)
            if not self._undo or not isinstance(self._orders.get(), TakeBack):
                return
            self._script.take_back()
            self._forget()

    def _watch(self, running: RunningEpisode, pool: EnvPool) -> None:
        self._running = running
        if self._leaving.is_set():
            raise Quit
        if self.people:
            return
        self._show(
            board=watched(running, pool), task_id=running.first.acting.episode.task_id, state="thinking", speech=""
        )
        if not running.over:
            self._leaving.wait(PACES[self.plan.pace])
            self._go_on.wait()
        if self._leaving.is_set():
            raise Quit

    def _face(self, pool: EnvPool, view: View) -> None:
        """A person is to act: show what the player sees, once the person sits there."""
        assert self._running is not None
        board = faced(self._running, pool, view)
        ready = len(self.people) < 2 or view.player == self._last_person
        self._last_person = view.player
        self._show(
            board=board, task_id=view.info["task_id"], state="person", ready=ready, speech="",
            undo=self._undo and bool(self._script.lines), success=False, score=0.0, stop="", saved="",
        )  # fmt: skip

    def _hear(self, text: str) -> None:
        """A model has said another token."""
        if self._leaving.is_set():
            raise Quit
        if self.people:
            return  # a rival's thoughts are its own
        with self._lock:
            self.shown = replace(self.shown, speech=text)
        self.feed.tell("speech", text)

    def _say(self, text: str) -> None:
        self._show(note=text)

    def _forget(self) -> None:
        self.record = None
        self._show(state="thinking", note="")

    def _end(self, running: RunningEpisode, pool: EnvPool) -> None:
        """Show how the game ended; what one player must not know need not be hidden from anybody now."""
        plan, board = self.plan, watched(running, pool)
        if len(self.people) == 1 and len(running.sides) > 1:
            board = replace(board, player=self.people[0], observation=running.results[self.people[0]].observation)
        episode = running.sides[self.people[0] if self.people else board.player].acting.episode
        names = ["human" if holder == PERSON else holder for holder in plan.holders]
        header = RecordHeader(resolve(plan.card.id)[0], {}, plan.split, dict.fromkeys(names, AgentSetting()))
        self.record = record_episode(running, pool, header, dict(zip(pool.players, names, strict=True)))
        score = sum(turn.reward for turn in episode.turns)
        note = episode.failure or ""
        self._show(
            board=board, state="over", speech="", ready=True, success=episode.success, score=score, stop=episode.stop,
            note=note, undo=self._undo and bool(self._script.lines),
        )  # fmt: skip

    def _show(self, **news: object) -> None:
        with self._lock:
            self.shown = replace(self.shown, **news)  # type: ignore[arg-type]
        if "board" in news and not self._began.done():
            self._began.set_result(None)
        self.feed.tell("board")
