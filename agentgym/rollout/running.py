"""One episode under way, with every player's side of it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentgym.agents.policy import ContextOverflow, Generation, PolicyFailure
from agentgym.core import AgentGymError, ConfigError, ContentRefused, StepResult
from agentgym.rollout.conversation import Conversation
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.episode import Kind, Parent, Stop
from agentgym.rollout.records import EpisodeSpec, GameStep
from agentgym.rollout.roles import Delegation

NOTHING: Mapping[str, Any] = {"action_valid": True, "failure": "", "metrics": {}, "events": [], "costs": {}}


@dataclass(frozen=True, slots=True)
class RoleCall:
    """A call of an earlier role.

    Attributes:
        caller: Name of the role that calls.
        part: Which of its player's roles is called.
        words: What it said.
    """

    caller: str
    part: int
    words: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a part hands over in its turn.

    Attributes:
        player, part: Whose role.
        delegation: To whom.
        words: What is asked.
        turns: Most turns that may be taken for it.
        number: How many the part has handed over before.
    """

    player: str
    part: int
    delegation: Delegation
    words: str
    turns: int
    number: int


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation that a part has opened.

    Attributes:
        player, part: Whose role.
        delegation: To whom it was handed over.
        turn: Of the part's own episode, in which it asked.
        running: How it went; None where nobody was left to answer.
    """

    player: str
    part: int
    delegation: Delegation
    turn: int
    running: RunningEpisode | None


@dataclass(slots=True)
class RunningPlayer:
    """A player's side of an episode under way.

    Attributes:
        conversations: One a role, in the order in which they speak; the last one acts.
        earned: What it earned since it last acted.
        total: What it earned in all.
        key, digest: Of the state in which it was asked.
        spent: Turns that conversations took which its parts have opened, beside those of its acting role.
    """

    conversations: list[Conversation]
    earned: float = 0.0
    total: float = 0.0
    key: str = ""
    digest: str = ""
    spent: int = 0

    @property
    def acting(self) -> Conversation:
        """The conversation of the role that acts."""
        return self.conversations[-1]


class RunningEpisode:
    """One episode under way.

    Args:
        place: The place of its environment.
        number: Its place in the collected list.
        spec: Where it began; of a branch, whose budget it took.
        step: What stood there after the reset.
        sides: By player.
        pool: Where it is played.
        whole: Whether turns keep all of `info`.

    Attributes:
        over: Whether it has ended.
        error: Why a policy could not go on; None if none failed.
        stopped_by: The player whose policy could not go on, or whose context was full; "" if none.
        log: Who said what, in order.
        task_kind: The kind of its task.
        seconds: Wall-clock seconds from its beginning to its end.
        branched: The last turn at which it branched or from which it came.
        limit: Turns after which it is cut off, if any.
        opened: The conversations that its parts have opened.
    """

    def __init__(
        self,
        place: int,
        number: int,
        spec: EpisodeSpec,
        step: GameStep,
        sides: dict[str, RunningPlayer],
        pool: EnvPool,
        *,
        whole: bool = False,
    ):
        self.place, self.number, self.spec, self.sides = place, number, spec, sides
        self.to_act, self.results, self.images = step.to_act, dict(step.results), step.images
        self._key, self._digest, self._pool, self._whole = step.key, step.digest, pool, whole
        self.task_kind = step.task_kind
        self.over = False
        self.error: AgentGymError | None = None
        self.stopped_by = ""
        self.log: list[tuple[str, str]] = []
        self.branched = -1
        self.limit: int | None = None
        self.opened: list[Opened] = []
        self.seconds, self._began = 0.0, time.perf_counter()
        if not step.to_act:
            self._end(step)

    @property
    def first(self) -> RunningPlayer:
        """The first player's side; the only one where there is one player."""
        return next(iter(self.sides.values()))

    @property
    def turn(self) -> int:
        """Turns that the first player has taken."""
        return len(self.first.acting.episode.turns)

    def ask(self, player: str, part: int, call: RoleCall | None = None) -> None:
        """Show a player's role what it sees, and what earlier roles made of it; the episode ends if that does not fit.

        Args:
            player: Whom.
            part: Which of its roles.
            call: By which it was called, if it was.
        """
        side, result = self.sides[player], self.results[player]
        side.key, side.digest = self._key, self._digest
        heard = [(conversation.name, conversation.heard) for conversation in side.conversations[:part]]
        if call is not None:
            heard.append((call.caller, call.words))
            side.conversations[part].caller = call.caller
        shown = "\n".join([result.observation, *(f"{name}: {words}" for name, words in heard)])
        self._show(player, part, shown, self.images.get(player))

    def take_call(self, player: str, part: int, room: float) -> RoleCall | None:
        """What a role has just said to call an earlier one, taken down as a turn of its own; None if it did not.

        An answer that would call a role which has spoken in this turn, or that leaves no turn to act in, calls nobody:
        it is heard as what it is.

        Args:
            player: Whose role.
            part: Which of its roles has spoken.
            room: Turns that the episode may have.
        """
        side = self.sides[player]
        conversation = side.conversations[part]
        if conversation.said is None or room - side.spent - side.acting.turns - (conversation is not side.acting) < 1:
            return None
        words = conversation.words.strip()
        for earlier, other in enumerate(side.conversations[:part]):
            call = other.role.call
            if call and other.said is None and words.lower().startswith(call.lower()):
                side.spent += conversation is not side.acting
                conversation.settle(0.0, NOTHING, "", key=side.key, digest=side.digest, whole=self._whole)
                return RoleCall(conversation.name, earlier, words)
        return None

    def hear(self, request: Request, words: str, child: RunningEpisode | None) -> None:
        """Show a part what came of what it handed over, in the same turn; the episode ends if that does not fit.

        Args:
            request: What it handed over.
            words: What came of it.
            child: The conversation about it; None where there was none.
        """
        side = self.sides[request.player]
        conversation = side.conversations[request.part]
        turn = len(conversation.episode.turns)
        self.opened.append(Opened(request.player, request.part, request.delegation, turn, child))
        side.spent += conversation is not side.acting
        if child is not None:
            side.spent += child.turn + child.first.spent
        conversation.settle(0.0, NOTHING, "", key=side.key, digest=side.digest, whole=self._whole)
        self._show(request.player, request.part, words, None)

    def _show(self, player: str, part: int, shown: str, image: bytes | None) -> None:
        try:
            fits = self.sides[player].conversations[part].ask(shown, self.results[player].info, image)
        except ContextOverflow as error:
            fits, self.error = False, error
        if not fits:
            self.stopped_by = player
            self._withdraw()
            self._cut("context")

    def answer(self, player: str, part: int, said: Generation) -> None:
        """Take down what a role said; an answer that failed ends the episode, and so does a context that is full.

        Args:
            player: Whose role.
            part: Which of its roles.
            said: The answer.
        """
        if said.error is not None:
            self.error, self.stopped_by = said.error, player
            stop = self._stop_of(said.error, player)
            self._withdraw()
            self._cut(stop)
        else:
            conversation = self.sides[player].conversations[part]
            conversation.said = said
            conversation.version = conversation.policy.version if said.version is None else said.version

    def _stop_of(self, error: AgentGymError, player: str) -> Stop:
        """How an episode ends in which a player has no answer."""
        if isinstance(error, ContextOverflow):
            return "context"
        spoken = any(conversation.turns for conversation in self.sides[player].conversations)
        return "refused" if isinstance(error, ContentRefused) and spoken else "failure"

    def actions(self) -> dict[str, str]:
        """What the players that are to act say."""
        actions = {player: self.sides[player].acting.words for player in self.to_act}
        self.log += actions.items()
        return actions

    def settle(self, step: GameStep, horizon: int | None) -> None:
        """Take the world's answer down.

        Args:
            step: The answer.
            horizon: Turns after which the episode is cut off; None for no limit.
        """
        for player, reward in step.rewards.items():
            if not math.isfinite(reward):
                task = self.first.acting.episode.task_id
                raise ConfigError(f"{player} was given the reward {reward} in task {task}; rewards must be finite")
            side = self.sides[player]
            side.earned += reward
            side.total += reward
        movers = self.to_act
        self.to_act, self.images = step.to_act, step.images
        self.results.update(step.results)
        self._key, self._digest = step.key, step.digest
        if not step.to_act:
            self._end(step)
            return
        if horizon is not None or self.limit is not None:
            limit = min(limit for limit in (horizon, self.limit) if limit is not None)
            if max(self.sides[player].acting.turns + self.sides[player].spent for player in movers) >= limit:
                self._cut("truncated")
                return
        for player in step.to_act:
            self._settle(player, step.results[player], "")

    def branch(self, number: int, place: int, spec: EpisodeSpec, of: int, reach: int | None) -> RunningEpisode:
        """A copy as it was before the turn under way; of an episode of one player.

        Args:
            number: Of the copy.
            place: Where its environment is.
            spec: Whose budget it takes.
            of: How far apart the numbers of the roles' episodes are.
            reach: Turns after which it is cut off; None for none.
        """
        twin = object.__new__(RunningEpisode)
        twin.__dict__.update(self.__dict__)
        twin.number, twin.place, twin.spec = number, place, spec
        twin.results, twin.log, twin.branched = self.results.copy(), self.log.copy(), self.turn
        twin.limit = None if reach is None else self.turn + reach
        kind: Kind = "branch" if reach is None else "proposal"
        ((player, side),) = self.sides.items()
        last = len(side.conversations) - 1
        conversations = [
            conversation.branch(
                place,
                number if part == last else number + of * (part + 1),
                Parent(self.number, self.turn, kind) if part == last else Parent(number, 0, "child"),
            )
            for part, conversation in enumerate(side.conversations)
        ]
        twin.sides = {player: RunningPlayer(conversations, side.earned, side.total)}
        self.branched = self.turn
        return twin

    def account(self, attempt: int, of: int) -> str:
        """What the next attempt is told of this one.

        Args:
            attempt: Which one this was, from 1.
            of: How many there may be.
        """
        episode = self.first.acting.episode
        said = "; ".join(turn.action for turn in episode.turns)
        return f"Attempt {attempt} of {of} ended without success. You said: {said}. At the end: {episode.final}"

    def fail(self, reason: str) -> None:
        """End it because its environment could not be had."""
        self.over = True
        for player, side in self.sides.items():
            for conversation in side.conversations:
                episode = conversation.episode
                episode.stop, episode.failure, episode.failure_kind = "failure", reason, "environment"
                episode.final = self.results[player].observation

    def _end(self, step: GameStep) -> None:
        """The environment has ended the episode."""
        for player in self.sides:
            result = step.results[player]
            stop: Stop = "terminated" if result.terminated else "truncated"
            if result.info["failure"]:
                stop = "failure"
            self._settle(player, result, stop)
            self._close(player, result, stop)
        self._stop()

    def _cut(self, stop: Stop) -> None:
        """The runner ends the episode."""
        for player in self.sides:
            result = self.results[player] if player in self.to_act else self._pool.result(self.place, player)
            last: Stop = "failure" if result.info["failure"] else stop
            self._settle(player, result, last if last in ("failure", "truncated") else "")
            self._close(player, result, last)
        self._stop()

    def _withdraw(self) -> None:
        """What has been said in this turn is not played."""
        for player in self.to_act:
            for conversation in self.sides[player].conversations:
                conversation.said = None

    def _settle(self, player: str, result: StepResult, stop: Stop | Literal[""]) -> None:
        side = self.sides[player]
        if side.acting.said is None:
            return
        for conversation in side.conversations:
            if conversation.said is None:
                conversation.stand(side.earned, result.info, stop)
                continue
            conversation.settle(side.earned, result.info, stop, key=side.key, digest=side.digest, whole=self._whole)
        side.earned = 0.0

    def _close(self, player: str, result: StepResult, stop: Stop) -> None:
        for conversation in self.sides[player].conversations:
            episode = conversation.episode
            episode.stop, episode.final, episode.progress = stop, result.observation, result.info.get("progress", 0.0)
            episode.success, episode.failure = bool(result.info["success"]), result.info["failure"]
            if stop == "failure":
                if episode.failure:
                    episode.failure_kind = "environment"
                else:
                    episode.failure_kind = "policy" if isinstance(self.error, PolicyFailure) else "outage"
                episode.failure = episode.failure or str(self.error)

    def _stop(self) -> None:
        self.over, self.seconds = True, time.perf_counter() - self._began
