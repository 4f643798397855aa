"""What the episodes of one call of the runner share, and how each of them begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from agentgym.agents.policy import Generation, GenerationSession
from agentgym.core import TaskError
from agentgym.core.rng import stream
from agentgym.rollout.conversation import Conversation, Told, without_hint
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.episode import Episode, Parent
from agentgym.rollout.records import EpisodeSpec, GameStep, RecordOptions
from agentgym.rollout.roles import Cast
from agentgym.rollout.running import RunningEpisode, RunningPlayer
from agentgym.rollout.strategies import Strategy
from agentgym.rollout.talk import TalkPool

Watch = Callable[[RunningEpisode], None]
Sessions: TypeAlias = dict[tuple[str, int], GenerationSession]  # by player and part
SharedSessions: TypeAlias = dict[tuple[tuple[str, ...], int], GenerationSession]  # by those who share one, and part
NOBODY: Mapping[int, tuple[RunningEpisode, str]] = {}


@dataclass
class Rollout:
    """All that the episodes of a call share: who plays where, and they themselves by number.

    Attributes:
        pool: Where they are played.
        cast: Who plays.
        specs: Where each begins.
        strategy: How those of a group come about.
        horizon: Turns of a player after which one is truncated.
        options: What is kept beside words.
        on_step, on_end: Who watches.
        keep_failures: Whether a policy that cannot go on ends its episode and not the call.
        episodes: Those that were begun, by number.
        plays: What plays the conversations that parts open: `agentgym.rollout.collect.play`.
        parts: The most roles that a player has.
        talk: Where those are played that have no world.
    """

    pool: EnvPool
    cast: Cast
    specs: Sequence[EpisodeSpec]
    strategy: Strategy
    horizon: int | None
    options: RecordOptions
    on_step: Watch | None
    on_end: Watch | None
    keep_failures: bool
    plays: Any = None

    def __post_init__(self) -> None:
        self.talk = TalkPool()
        roles = [role for roles in self.cast.roles.values() for role in roles.values()]
        if self.horizon is None and any(role.delegation or role.call for role in roles):
            self.horizon = self.pool.limit  # the world does not count the turns of children, nor calls of other roles
        self.episodes: dict[int, RunningEpisode] = {}
        self._first: dict[int, tuple[str, ...]] = {}  # how each group began
        self._numbered = {slot: place for place, slot in enumerate(slots(self.cast))}
        self.parts = max(map(len, self.cast.roles.values()))

    def begin(
        self,
        numbers: Sequence[int],
        after: Mapping[int, tuple[RunningEpisode, str]] = NOBODY,
        places: Sequence[int] | None = None,
        added: Mapping[str, Any] | None = None,
    ) -> list[RunningEpisode]:
        """Episodes of the specs of these numbers.

        Args:
            numbers: Of the specs.
            after: Of those that are tried again, the attempt before and what is told of it.
            places: Where they are played, beside those that are under way elsewhere; None for all anew.
            added: Options of their resets beside those of the specs.
        """
        specs = [self.specs[number] for number in numbers]
        specs = [replace(each, options={**each.options, **added}) for each in specs] if added else specs
        steps = self.pool.begin(specs, self.options, places)
        playing = []
        for place, number, step in zip(places or range(len(numbers)), numbers, steps, strict=True):
            earlier, account = after.get(number, (None, ""))
            running = self._running(place, number, step, account)
            if earlier is not None:
                last = earlier.first.acting.episode
                running.first.acting.episode.parent = Parent(earlier.number, len(last.turns), "trial")
            playing.append(running)
            self.tell(running)
        _check_beginnings(playing, steps, self._first)
        return playing

    def begun(self, place: int, number: int, step: GameStep) -> RunningEpisode:
        """The episode of a spec whose environment has been reset already.

        Args:
            place: Where that stands.
            number: Of the spec.
            step: What the reset led to.
        """
        running = self._running(place, number, step, "")
        self.tell(running)
        _check_beginnings([running], [step], self._first)
        return running

    def _running(self, place: int, number: int, step: GameStep, account: str) -> RunningEpisode:
        spec, pool, many = self.specs[number], self.pool, len(self.pool.players) > 1
        sides = {}
        for player, roles in self.cast.roles.items():
            info, last = step.results[player].info, len(roles) - 1
            told = Told(player, pool, place)
            reminder, conversations = pool.reminder(info["instruction"], player), []
            for part, (name, role) in enumerate(roles.items()):
                episode = Episode(
                    info["task_id"], info["split"], spec.seed, spec.group, player=player if many else "", role=name
                )
                episode.reference = step.reference
                episode.number = number + len(self.specs) * self._numbered.get((player, part), 0)
                if part < last:
                    episode.parent = Parent(number, 0, "child")
                before = "\n".join(filter(None, (spec.told, account)))
                earlier = dict(islice(roles.items(), part))
                conversations.append(Conversation(name, role, told, reminder, episode, before, earlier))
            sides[player] = RunningPlayer(conversations)
        running = RunningEpisode(place, number, spec, step, sides, pool, whole=self.options.infos)
        self.episodes[number] = running
        return running

    def tell(self, running: RunningEpisode) -> None:
        """Let those look who watch."""
        if self.on_step:
            self.on_step(running)
        if self.on_end and running.over:
            self.on_end(running)

    def sessions(self, playing: Sequence[RunningEpisode]) -> Sessions:
        """Begin the conversations of episodes: one session for each role of each player, with a row an episode."""
        return {
            (player, part): role.policy.open([self.generator(running.spec, player, part) for running in playing])
            for player, roles in self.cast.roles.items()
            for part, role in enumerate(roles.values())
        }

    def shared_sessions(self, playing: Sequence[RunningEpisode]) -> SharedSessions:
        """Begin the conversations of episodes that advance together, as `sessions` does.

        Players who act at once and are held by one policy share a session, which answers for all of them in one batch:
        it has a row an episode for the first of them, then one for the second, and so on.
        """
        at_once = bool(playing) and all(len(running.to_act) > 1 for running in playing)
        shared: dict[tuple[int, int | str], list[str]] = {}
        for player, roles in self.cast.roles.items():
            for part, role in enumerate(roles.values()):
                shared.setdefault((part, id(role.policy) if at_once else player), []).append(player)
        found: SharedSessions = {}
        for (part, _), players in shared.items():
            rows = [self.generator(running.spec, player, part) for player in players for running in playing]
            found[tuple(players), part] = [*self.cast.roles[players[0]].values()][part].policy.open(rows)
        return found

    def generate(
        self, session: GenerationSession, conversations: Sequence[Conversation], rows: Sequence[int] | None = None
    ) -> list[Generation]:
        """What a role says; programs that ask the environments do so in the thread that waits for these.

        Args:
            session: Of the role.
            conversations: Those in which it is to answer.
            rows: Which rows of the session they are; None for all.
        """
        inputs = [each.input for each in conversations]
        if conversations[0].policy.reads == "view":
            return self.pool.guard.run(lambda: session.generate(inputs, rows))
        return session.generate(inputs, rows)

    def generator(self, spec: EpisodeSpec, player: str, part: int) -> np.random.Generator:
        """The generator of a role; who else speaks changes nothing for who acts.

        Args:
            spec: Of its episode.
            player: Whose role it is.
            part: Its place among the player's roles.
        """
        acting = part == len(self.cast.roles[player]) - 1
        return stream("rollout.policy", spec.sample, player, 0 if acting else part + 1)


def slots(cast: Cast) -> list[tuple[str, int]]:
    """Player and part of everybody whose episodes are returned: of each player the acting role, then the others."""
    return [
        (player, part)
        for player, roles in cast.roles.items()
        if player not in cast.named
        for part in (len(roles) - 1, *range(len(roles) - 1))
    ]


def _check_beginnings(
    playing: Sequence[RunningEpisode], steps: Sequence[GameStep], first: dict[int, tuple[str, ...]]
) -> None:
    """Equal task and seed must mean an equal beginning, or a group would compare different problems."""
    for running, step in zip(playing, steps, strict=True):
        if running.over:
            continue
        episode = running.first.acting.episode
        shown = (episode.task_id, *(without_hint(each.observation, each.info) for each in step.results.values()))
        if first.setdefault(running.spec.group, shown) != shown:
            raise TaskError(
                f"task {episode.task_id} with seed {episode.seed} began in two ways; the world is not reproducible, "
                "run `agentgym check` on it"
            )
