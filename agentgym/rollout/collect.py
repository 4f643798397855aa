"""Playing many episodes at once, in lockstep, and letting each leave as it ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np

from agentgym.core import ConfigError, TaskError
from agentgym.rollout.context import WHOLE, Context
from agentgym.rollout.episode import Episode, Parent
from agentgym.rollout.play import Game, Line
from agentgym.rollout.policy import Dialogue, Policy, Role, WordPolicy, cast
from agentgym.rollout.strategies import Independent, Point, Strategy
from agentgym.rollout.world import Seen, Start, Wants, World, check_groups, grouped

Progress = Callable[[int], None]
DICE, PART = 1_000_003, 2_000_003  # told to generators, so that those of a branch's dice and of earlier roles differ
ALONE = Independent()
ENDED = ("terminated", "truncated")
NOBODY: Mapping[int, tuple[Game, str]] = {}


def collect(
    world: World,
    policy: Policy | WordPolicy | Mapping[str, Role],
    starts: Sequence[Start],
    *,
    live: int = 128,
    on_episode: Progress | None = None,
    strategy: Strategy = ALONE,
    context: Context = WHOLE,
    horizon: int | None = None,
    keys: bool = False,
    digests: bool = False,
    references: bool = False,
    group_by: Callable[[Start], Hashable] | None = None,
) -> list[Episode]:
    """Play one episode for every start.

    Up to `live` episodes advance together: the policy answers all of them in one batch, then every world steps. An
    episode that ends leaves the batch, so the cost of a turn is that of the episodes still under way. What a policy
    samples depends on its own group alone, never on who else is in the batch.

    Args:
        world: Where to play.
        policy: Who plays; or roles by name, which speak in this order, each hearing those before it, and the last acts.
        starts: Where each episode begins; those of a group are its budget.
        live: Most episodes under way at once.
        on_episode: Called with the number of episodes that have just ended.
        strategy: How the episodes of a group come about.
        context: What the policy is shown.
        horizon: Turns after which an episode is truncated, if the world does not end it before.
        keys, digests: Whether turns hold the world's state key, and the digest of its snapshot.
        references: Whether episodes hold the gold answer; the worlds refuse it on test.
        group_by: A key function that numbers the groups in place of `Start.group`.

    Returns:
        The acting role's episodes in the order of `starts`, then those of the other roles, their children. Those with
        `stop == "failure"` are for the caller to count and leave out. Only what may be learned from has segments.

    Raises:
        TaskError: if two starts of a group differ in task, seed or first observation.
        ConfigError: if a first prompt does not fit into the context, the policy cannot say the world's actions, or a
            reward is no finite number.
    """
    if horizon is not None and horizon < 1:
        raise ConfigError(f"horizon must be at least 1 turn, got {horizon}")
    if live < 1:
        raise ConfigError(f"live must be at least 1, got {live}")
    starts = grouped(starts, group_by) if group_by else list(starts)
    check_groups(starts)
    roles = cast(policy)
    _check_sight(world, roles)
    _check_words(world, [*roles.values()][-1])
    stage = _Collection(world, roles, starts, strategy, context, horizon, Wants(keys, digests, references), on_episode)
    spare: list[int] = []
    for wave in _waves(starts, strategy, live):
        spare += stage.play(wave)
    stage.strategy = ALONE
    for first in range(0, len(spare), live):
        stage.play(spare[first : first + live])
    return stage.episodes()


class _Collection:
    """All that a collection shares: who plays where, and the games by number."""

    def __init__(
        self,
        world: World,
        roles: Mapping[str, Role],
        starts: Sequence[Start],
        strategy: Strategy,
        context: Context,
        horizon: int | None,
        wants: Wants,
        on_episode: Progress | None,
    ):
        self.world, self.roles, self.starts, self.strategy = world, roles, starts, strategy
        self.context, self.horizon, self.wants, self.on_episode = context, horizon, wants, on_episode
        self.games: dict[int, Game] = {}

    def play(self, wave: Sequence[int]) -> list[int]:
        """Play the starts of these numbers to their end; those that no branch took are returned."""
        members: dict[int, list[int]] = {}
        for number in wave:
            members.setdefault(self.starts[number].group, []).append(number)
        spare = {group: numbers[self.strategy.initial(len(numbers)) :] for group, numbers in members.items()}
        waiting = {number for numbers in spare.values() for number in numbers}
        first = [number for number in wave if number not in waiting]
        games = self._reset(first)
        _Round(self, games, spare).play()
        accounts = dict.fromkeys(first, "")
        for attempt in range(1, self.strategy.attempts):
            again = {}
            for game in games:
                rest = spare.get(game.start.group, [])
                if rest and game.lines[-1].episode.stop in ENDED and not game.lines[-1].episode.success:
                    again[rest.pop(0)] = game
            for number, game in again.items():
                told = (accounts[game.number], game.account(attempt, self.strategy.attempts))
                accounts[number] = "\n".join(filter(None, told))
            games = self._reset([*again], {number: (again[number], accounts[number]) for number in again})
            _Round(self, games, spare).play()
        return [number for number in wave if number not in self.games]

    def _reset(self, numbers: Sequence[int], after: Mapping[int, tuple[Game, str]] = NOBODY) -> list[Game]:
        """Games of the starts of these numbers; of those in `after`, the attempt before and what is told of it."""
        seen = self.world.begin([self.starts[number] for number in numbers], self.wants)
        games = []
        for place, number in enumerate(numbers):
            earlier, account = after.get(number, (None, ""))
            game = self._game(place, number, seen[place], account)
            if earlier is not None:
                last = earlier.lines[-1].episode
                game.lines[-1].episode.parent = Parent(earlier.number, len(last.turns), "trial")
            games.append(game)
        _check_beginnings(games)
        return games

    def _game(self, place: int, number: int, seen: Seen, account: str) -> Game:
        start, info, last = self.starts[number], seen.info, len(self.roles) - 1
        reminder = self.world.reminder(info["instruction"])
        lines = []
        for part, (name, role) in enumerate(self.roles.items()):
            episode = Episode(info["task_id"], info["split"], start.seed, start.group, role=name)
            episode.number, episode.reference = number, seen.reference
            if part < last:
                episode.number = number + len(self.starts) * (part + 1)
                episode.parent = Parent(number, 0, "child")
            system = role.policy.system(self.world.manual) if isinstance(role.policy, WordPolicy) else ""
            lines.append(Line(name, role, role.context or self.context, system, reminder, episode, account))
        game = self.games[number] = Game(place, number, start, seen, lines)
        return game

    def episodes(self) -> list[Episode]:
        """The acting role's by number, then each other role's."""
        found = []
        for part in (len(self.roles) - 1, *range(len(self.roles) - 1)):
            for number in range(len(self.starts)):
                line = self.games[number].lines[part]
                if not line.role.trainable:
                    line.episode.segments = []
                found.append(line.episode)
        return found


class _Round:
    """Games that advance together, and one dialogue a role."""

    def __init__(self, collection: _Collection, games: list[Game], spare: dict[int, list[int]]):
        self.all, self.spare = collection, spare
        self.places = len(games)
        self.games = [game for game in games if not game.over]
        self.dialogues: list[Dialogue] = [
            role.policy.open([self._generator(game.start, part) for game in self.games])
            for part, role in enumerate(self.all.roles.values())
        ]
        self._tell(len(games) - len(self.games))

    def play(self) -> None:
        """Advance all games until the last has ended."""
        while self.games:
            self._branches: list[Game] = []
            for part in range(len(self.dialogues)):
                self._speak(part)
            if self.all.strategy.branches:
                self._branch()
            moves = [(game.place, game.lines[-1].words) for game in self.games]
            for game, seen in zip(self.games, self.all.world.act(moves, self.all.wants), strict=True):
                game.settle(seen, self.all.horizon)
            self.games += self._branches
            self._drop()

    def _speak(self, part: int) -> None:
        """Let one role of every game read and answer."""
        for game in self.games:
            game.ask(part)
        self._drop()
        if not self.games:
            return
        lines = [game.lines[part] for game in self.games]
        dialogue = self.dialogues[part]
        anew = [row for row, line in enumerate(lines) if line.fresh and line.record.said]
        if anew:
            dialogue.forget(anew)
        for line, said in zip(lines, dialogue.speak([line.prompt for line in lines]), strict=True):
            line.said = said

    def _branch(self) -> None:
        """Copy games where the strategy says so, as long as their groups have starts to spare."""
        pairs, sources = [], []
        for row, game in enumerate(self.games):
            spare = self.spare.get(game.start.group, [])
            if not spare or game.branched == game.turn:
                continue
            acting = game.lines[-1]
            point = Point(game.turn, acting.surprise, acting.first_surprise)
            for _ in range(min(len(spare), self.all.strategy.copies(point))):
                number = spare.pop(0)
                start = self.all.starts[number]
                twin = game.branch(number, self.places, start, len(self.all.starts), self.all.strategy.reach)
                self.all.games[number] = twin
                self._branches.append(twin)
                sources.append(row)
                pairs.append((game.place, twin.place, _dice(start)))
                self.places += 1
        if not pairs:
            return
        for twin, failure in zip(self._branches, self.all.world.copy(pairs), strict=True):
            if failure:
                twin.fail(failure)
        count = len(self.games)
        rows = [*range(count), *sources]
        for part, dialogue in enumerate(self.dialogues):
            dice = {count + i: self._generator(twin.start, part) for i, twin in enumerate(self._branches)}
            dialogue.keep(rows, dice)
            dialogue.rewind(range(count, len(rows)))

    def _drop(self) -> None:
        """Let the games that have ended leave."""
        rows = [row for row, game in enumerate(self.games) if not game.over]
        ended = len(self.games) - len(rows)
        if ended:
            self.games = [self.games[row] for row in rows]
            for dialogue in self.dialogues:
                dialogue.keep(rows)
            self._tell(ended)

    def _generator(self, start: Start, part: int) -> np.random.Generator:
        acting = part == len(self.all.roles) - 1
        return np.random.default_rng(start.sample if acting else (*start.sample, PART, part))

    def _tell(self, ended: int) -> None:
        if ended and self.all.on_episode:
            self.all.on_episode(ended)


def _dice(start: Start) -> int:
    """The seed of a branch's dice."""
    return int(np.random.default_rng((*start.sample, DICE)).integers(2**31))


def _waves(starts: Sequence[Start], strategy: Strategy, live: int) -> Iterator[list[int]]:
    """Numbers of starts that are played together: any, or whole groups where episodes branch within them."""
    if not strategy.branches:
        for first in range(0, len(starts), live):
            yield list(range(first, min(first + live, len(starts))))
        return
    members: dict[int, list[int]] = {}
    for number, start in enumerate(starts):
        members.setdefault(start.group, []).append(number)
    wave: list[int] = []
    for group, numbers in members.items():
        if len(numbers) > live:
            raise ConfigError(
                f"group {group} has {len(numbers)} episodes, which branch from one another and must be under way "
                f"together, but live is {live}; raise it"
            )
        if len(wave) + len(numbers) > live:
            yield sorted(wave)
            wave = []
        wave += numbers
    if wave:
        yield sorted(wave)


def _check_sight(world: World, roles: Mapping[str, Role]) -> None:
    """Pictures go to players that see them."""
    for role in roles.values():
        if world.shows and not (isinstance(role.policy, WordPolicy) and role.policy.sees):
            raise ConfigError(
                f"{world.id} shows pictures, and {type(role.policy).__name__} reads text alone; leave out the wrapper "
                "Screenshot, or play with a policy that sees, such as EndpointPolicy(..., sees=True)"
            )


def _check_words(world: World, acting: Role) -> None:
    """The player must be able to say at least the actions that the world's manual gives as examples."""
    policy = acting.policy
    if isinstance(policy, WordPolicy) or not world.examples:
        return
    sizes = {action: len(policy.spelling(action)) for action in world.examples}
    shortest = min(sizes, key=lambda action: sizes[action])
    if sizes[shortest] > policy.max_new_tokens:
        raise ConfigError(
            f"the policy says at most {policy.max_new_tokens} tokens a turn, but {shortest!r}, the shortest example of "
            f"{world.id}, takes {sizes[shortest]}; raise max_new_tokens"
        )


def _check_beginnings(games: Sequence[Game]) -> None:
    """Equal task and seed must mean an equal beginning, or a group would compare different problems."""
    first: dict[int, Game] = {}
    for game in games:
        if game.over:
            continue
        twin = first.setdefault(game.start.group, game)
        here, there = game.lines[-1].episode, twin.lines[-1].episode
        if (twin.observation, there.task_id) != (game.observation, here.task_id):
            raise TaskError(
                f"task {here.task_id} with seed {here.seed} began in two ways; the world is not reproducible, "
                "run `agentgym check` on it"
            )
