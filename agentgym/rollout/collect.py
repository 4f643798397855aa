"""The runner: many episodes at once, each leaving as it ends.

Where a model answers a batch, episodes advance in lockstep; where each question is answered by itself, each episode
goes on as soon as it can (`agentgym.rollout.streaming`).

Everything that plays (training, demonstrations, evaluation, tournaments, the terminal) plays through `play`; `collect`
is `play` for those who want episodes alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentgym.agents.policy import Generation
from agentgym.core import ConfigError
from agentgym.core.rng import stream_seed
from agentgym.rollout.children import children_of, open_conversations
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.episode import Episode
from agentgym.rollout.records import EpisodeSpec, RecordOptions, check_groups, grouped
from agentgym.rollout.roles import Cast, Players, Role, assign_roles
from agentgym.rollout.run import Rollout, Watch, slots
from agentgym.rollout.running import RunningEpisode
from agentgym.rollout.strategies import Independent, Strategy
from agentgym.rollout.streaming import Stream, streams
from agentgym.rollout.turn import Questions, Requests, play_turn

Progress = Callable[[int], None]
ALONE = Independent()
ENDED = ("terminated", "truncated")


def collect(
    pool: EnvPool,
    players: Players,
    specs: Sequence[EpisodeSpec],
    *,
    max_concurrent: int = 128,
    on_episode: Progress | None = None,
    strategy: Strategy = ALONE,
    horizon: int | None = None,
    keys: bool = False,
    digests: bool = False,
    references: bool = False,
    group_by: Callable[[EpisodeSpec], Hashable] | None = None,
) -> list[Episode]:
    """Play one episode for every spec.

    Up to `max_concurrent` episodes advance together: each policy answers all of them in one batch, then every
    environment steps. An episode that ends leaves the batch, so the cost of a turn is that of the episodes still under
    way. What a policy samples depends on its own group alone, never on who else is in the batch.

    Args:
        pool: Where to play.
        players: Who plays; see `agentgym.rollout.roles.Players`. Roles of one player speak in the order given, each
            hearing those before it, and the last acts.
        specs: Where each episode begins; those of a group are its budget.
        max_concurrent: Most episodes under way at once.
        on_episode: Called with the number of episodes that have just ended.
        strategy: How the episodes of a group come about; other than independently for one player alone.
        horizon: Turns of a player after which an episode is truncated, if the world does not end it before.
        keys, digests: Whether turns hold the world's state key, and the digest of its snapshot.
        references: Whether episodes hold the gold answer; the worlds refuse it on test.
        group_by: A key function that numbers the groups in place of `EpisodeSpec.group`.

    Returns:
        By player, except those held by a named opponent: the acting role's episodes in the order of `specs`, then those
        of the player's other roles, their children; and last the conversations that parts have opened, which are their
        children as well. A turn holds all that it earned until the player's next one. Those with `stop == "failure"`
        are for the caller to count and leave out. Only what may be learned from has segments.

    Raises:
        TaskError: if two specs of a group differ in task, seed or first observation.
        ConfigError: if a player has nobody to play it, a policy cannot say the world's actions, or a reward is no
            finite number.
        PolicyFailure, EndpointError: if a policy cannot go on; `ContextOverflow` if not even a first prompt fits.
    """
    specs = grouped(specs, group_by) if group_by else list(specs)
    cast = assign_roles(players, pool)
    played = play(
        pool,
        cast,
        specs,
        max_concurrent=max_concurrent,
        on_end=None if on_episode is None else lambda episode: on_episode(1),
        strategy=strategy,
        horizon=horizon,
        options=RecordOptions(keys, digests, references),
    )
    found = []
    for player, part in slots(cast):
        for running in played:
            conversation = running.sides[player].conversations[part]
            if not conversation.role.trainable:
                conversation.episode.segments = []
            found.append(conversation.episode)
    return found + children_of(played, len(found))


def play(
    pool: EnvPool,
    cast: Cast,
    specs: Sequence[EpisodeSpec],
    *,
    max_concurrent: int = 128,
    on_step: Watch | None = None,
    on_end: Watch | None = None,
    strategy: Strategy = ALONE,
    horizon: int | None = None,
    options: RecordOptions,
    keep_failures: bool = False,
) -> list[RunningEpisode]:
    """Play one episode for every spec, as `collect` does, and return them whole, with every player's side.

    Args:
        pool: Where to play.
        cast: Who plays, from `assign_roles`.
        specs: Where each episode begins.
        max_concurrent: Most episodes under way at once.
        on_step: Called with each episode after its reset and after each of its steps.
        on_end: Called with each episode when it has ended.
        strategy: How the episodes of a group come about.
        horizon: Turns of a player after which an episode is truncated.
        options: What is kept beside words.
        keep_failures: Whether a policy that cannot go on ends its episode (`error` says why) and not the call.

    Returns:
        In the order of `specs`. Where a budget was spent, those that were never begun are missing.
    """
    if max_concurrent < 1:
        raise ConfigError(f"max_concurrent must be at least 1, got {max_concurrent}")
    run = Rollout(pool, cast, specs, strategy, horizon, options, on_step, on_end, keep_failures, play)
    check_rollout(run)
    if streams(cast, strategy):
        Stream(run, max_concurrent).play()
        return [run.episodes[number] for number in range(len(specs)) if number in run.episodes]
    spare: list[int] = []
    for wave in _waves(specs, strategy, max_concurrent):
        spare += _play_wave(run, wave)
    run.strategy = ALONE
    for first in range(0, len(spare), max_concurrent):
        _play_wave(run, spare[first : first + max_concurrent])
    return [run.episodes[number] for number in range(len(specs))]


def check_rollout(run: Rollout) -> None:
    """Refuse what cannot be played, before anything is.

    Args:
        run: What the episodes share.

    Raises:
        TaskError: if two specs of a group differ in task or seed.
        ConfigError: if a policy cannot read or say what this takes, or a strategy cannot do with it.
    """
    pool, cast, strategy, horizon = run.pool, run.cast, run.strategy, run.horizon
    if horizon is not None and horizon < 1:
        raise ConfigError(f"horizon must be at least 1 turn, got {horizon}")
    if len(pool.players) > 1 and (strategy.branches or strategy.attempts > 1):
        raise ConfigError(f"{type(strategy).__name__} is for environments of one player; {pool.id} has several")
    helped = any(role.plain for roles in cast.roles.values() for role in roles.values())
    if helped and strategy.branches and strategy.attempts == 1:
        raise ConfigError(f"{type(strategy).__name__} copies conversations; it cannot be learned from as if not helped")
    members = [role for roles in cast.roles.values() for role in roles.values()]
    if any(role.delegation for role in members) and strategy.branches and strategy.attempts == 1:
        raise ConfigError(f"{type(strategy).__name__} copies turns, and parts that open conversations are not copied")
    if any(role.every != 1 or role.call for role in members) and strategy.branches and strategy.attempts == 1:
        raise ConfigError(f"{type(strategy).__name__} copies turns in which all speak; leave out every and call")
    check_groups(run.specs)
    for player, roles in cast.roles.items():
        _check_sight(pool, roles)
        _check_tools(pool, player, roles)
        _check_words(pool, player, [*roles.values()][-1])


def _play_wave(run: Rollout, wave: Sequence[int]) -> list[int]:
    """Play the specs of these numbers to their end; those that no branch took are returned."""
    members: dict[int, list[int]] = {}
    for number in wave:
        members.setdefault(run.specs[number].group, []).append(number)
    spare = {group: numbers[run.strategy.initial(len(numbers)) :] for group, numbers in members.items()}
    waiting = {number for numbers in spare.values() for number in numbers}
    first = [number for number in wave if number not in waiting]
    playing = run.begin(first)
    _Wave(run, playing, spare).play()
    accounts = dict.fromkeys(first, "")
    for attempt in range(1, run.strategy.attempts):
        again = {}
        for running in playing:
            rest, episode = spare.get(running.spec.group, []), running.first.acting.episode
            if rest and episode.stop in ENDED and not episode.success:
                again[rest.pop(0)] = running
        for number, running in again.items():
            told = (accounts[running.number], running.account(attempt, run.strategy.attempts))
            accounts[number] = "\n".join(filter(None, told))
        told_before = {number: (again[number], accounts[number]) for number in again}
        run.strategy.count(attempts=len(again))
        playing = run.begin([*again], told_before, added=run.strategy.reset_options(attempt))
        _Wave(run, playing, spare).play()
    return [number for number in wave if number not in run.episodes]


class _Wave:
    """Episodes that advance together, and one session for each role of each player, or for all who share it."""

    def __init__(self, run: Rollout, playing: list[RunningEpisode], spare: dict[int, list[int]]):
        self.run, self.spare = run, spare
        self.places = len(playing)
        self.playing = [running for running in playing if not running.over]
        self.sessions = run.shared_sessions(self.playing)
        self.budgets = Counter(spec.group for spec in run.specs)
        self._turns: dict[int, Generator[Any, Any, None]] = {}  # by place, as are the next two
        self._asked: dict[int, Questions] = {}
        self._said: dict[int, dict[str, Generation]] = {}
        self._handed: dict[int, Requests] = {}

    def play(self) -> None:
        """Advance all episodes until the last has ended."""
        while self.playing:
            for running in self.playing:
                self._turns[running.place] = play_turn(self.run, running, _answers, _answers)
                self._go_on(running.place, None)
            self._drop()
            while any(running.place in self._asked for running in self.playing):  # again where an answer was a call
                for part in range(self.run.parts):
                    self._speak(part)
                    while self._open():
                        self._speak(part)
            branches = self._branch() if self.run.strategy.branches else []
            moves = [(running.place, running.actions()) for running in self.playing]
            steps = self.run.pool.act(moves, self.run.options) if moves else []
            for (place, _), step in zip(moves, steps, strict=True):
                self._go_on(place, step)
            self.playing += branches
            self._drop()

    def _speak(self, part: int) -> None:
        """Let every role of a number answer where it is asked."""
        for players, spoken in self.sessions:
            if spoken == part:
                self._generate(players, part)
        self._drop()

    def _open(self) -> bool:
        """Play the conversations that parts ask for, and tell them what came of it; whether there were any."""
        handed, self._handed = self._handed, {}
        asked = [(each.running, request) for each in handed.values() for request in each.by_player.values()]
        opened = iter(open_conversations(self.run, asked) if asked else ())
        for place, each in handed.items():
            self._go_on(place, [next(opened) for _ in each.by_player])
        self._drop()
        return bool(asked)

    def _go_on(self, place: int, heard: Any) -> None:
        """Let the turn of an episode go on until it asks for something, waits for the world, or is over.

        Args:
            place: Where it is played.
            heard: What it has waited for: answers, conversations, or a step of its world; None to begin.
        """
        self._asked.pop(place, None)
        try:
            questions = self._turns[place].send(heard)
        except StopIteration:
            return
        if isinstance(questions, Requests):
            self._handed[place] = questions
        elif questions is not None:
            self._asked[place], self._said[place] = questions, {}

    def _generate(self, players: tuple[str, ...], part: int) -> None:
        """Let the roles that share a session answer in every episode in which they are asked."""
        session, count = self.sessions[players, part], len(self.playing)
        rows, asked = [], []
        for block, player in enumerate(players):
            for row, running in enumerate(self.playing):
                if self._asks(running.place, player, part):
                    rows.append(block * count + row)
                    asked.append((running.place, player, running.sides[player].conversations[part]))
        if not rows:
            return
        conversations = [conversation for *_, conversation in asked]
        anew = [row for row, each in zip(rows, conversations, strict=True) if each.fresh and each.record.said]
        if anew:
            session.reset_rows(anew)
        everyone = None if len(rows) == count * len(players) else rows
        for (place, player, _), answer in zip(asked, self.run.generate(session, conversations, everyone), strict=True):
            if self._asks(place, player, part):  # otherwise another player's answer has ended the episode
                said = self._said[place]
                said[player] = answer
                if answer.error is not None or len(said) == len(self._asked[place].conversations):
                    self._go_on(place, said)

    def _asks(self, place: int, player: str, part: int) -> bool:
        """Whether an episode has a question to a role."""
        asked = self._asked.get(place)
        return asked is not None and asked.part == part and player in asked.conversations

    def _branch(self) -> list[RunningEpisode]:
        """Copies of episodes where the strategy says so, as long as their groups have specs to spare."""
        run, pairs, sources = self.run, [], []
        branches: list[RunningEpisode] = []
        for row, running in enumerate(self.playing):
            spare = self.spare.get(running.spec.group, [])
            if not spare or running.branched == running.turn:
                continue
            acting = running.first.acting
            point = acting.point(running.turn, running.spec.sample)
            point = replace(point, budget=self.budgets[running.spec.group], spare=len(spare))
            for _ in range(min(len(spare), run.strategy.copies(point))):
                number = spare.pop(0)
                spec = run.specs[number]
                twin = running.branch(number, self.places, spec, len(run.specs), run.strategy.reach)
                run.episodes[number] = twin
                branches.append(twin)
                sources.append(row)
                pairs.append((running.place, twin.place, stream_seed("rollout.branch", spec.sample)))
                self.places += 1
        if not pairs:
            return branches
        run.strategy.count(branches=len(pairs))
        for twin, failure in zip(branches, run.pool.copy(pairs), strict=True):
            if failure:
                twin.fail(failure)
                run.tell(twin)
        count = len(self.playing)
        rows = [*range(count), *sources]
        for ((player,), part), session in self.sessions.items():
            fresh = {count + i: run.generator(twin.spec, player, part) for i, twin in enumerate(branches)}
            session.select_rows(rows, fresh)
            session.rewind(range(count, len(rows)))
        return branches

    def _drop(self) -> None:
        """Let the episodes that have ended leave."""
        count, rows = len(self.playing), [row for row, running in enumerate(self.playing) if not running.over]
        if len(rows) < count:
            self.playing = [self.playing[row] for row in rows]
            for (players, _), session in self.sessions.items():
                session.select_rows([block * count + row for block in range(len(players)) for row in rows])


def _answers(questions: Any) -> Generator[Any, Any, Any]:
    """The answers, or the conversations, that the wave sends."""
    return (yield questions)


def _waves(specs: Sequence[EpisodeSpec], strategy: Strategy, most: int) -> Iterator[list[int]]:
    """Numbers of specs that are played together: any, or whole groups where episodes branch within them."""
    if not strategy.branches:
        for first in range(0, len(specs), most):
            yield list(range(first, min(first + most, len(specs))))
        return
    members: dict[int, list[int]] = {}
    for number, spec in enumerate(specs):
        members.setdefault(spec.group, []).append(number)
    wave: list[int] = []
    for group, numbers in members.items():
        if len(numbers) > most:
            raise ConfigError(
                f"group {group} has {len(numbers)} episodes, which branch from one another and must be under way "
                f"together, but max_concurrent is {most}; raise it"
            )
        if len(wave) + len(numbers) > most:
            yield sorted(wave)
            wave = []
        wave += numbers
    if wave:
        yield sorted(wave)


def _check_sight(pool: EnvPool, roles: Mapping[str, Role]) -> None:
    """Pictures go to policies that see them."""
    for role in roles.values():
        if pool.shows and role.policy.reads != "view" and not getattr(role.policy, "sees", False):
            raise ConfigError(
                f"{pool.id} shows pictures, and {type(role.policy).__name__} reads text alone; leave out the wrapper "
                "Screenshot, or play with a policy that sees, such as EndpointPolicy(..., sees=True)"
            )


def _check_tools(pool: EnvPool, player: str, roles: Mapping[str, Role]) -> None:
    """Tools are called where there are some."""
    if not pool.briefings[player].tools and any(getattr(role.policy, "calls", False) for role in roles.values()):
        raise ConfigError(f"{pool.id} has no tools to call, its actions are words; leave out tools (--tools)")


def _check_words(pool: EnvPool, player: str, acting: Role) -> None:
    """A model must be able to say at least the actions that the world's manual gives as examples."""
    policy, examples = acting.policy, pool.briefings[player].examples
    if policy.reads != "tokens" or not examples:
        return
    # without the end token: an answer that is cut where it would have ended says the same
    sizes = {action: len(policy.encode_action(action)) - 1 for action in examples}  # type: ignore[attr-defined]
    shortest = min(sizes, key=lambda action: sizes[action])
    most = policy.max_new_tokens  # type: ignore[attr-defined]
    if sizes[shortest] > most:
        raise ConfigError(
            f"the policy says at most {most} tokens a turn, but {shortest!r}, the shortest example of {pool.id}, takes "
            f"{sizes[shortest]}; raise max_new_tokens (of an agent, max_tokens)"
        )
