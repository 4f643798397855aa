"""Games of many seats: each seat has its own episode, and seats learn, stay frozen or are played by a script."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from agentgym.core import ConfigError, card
from agentgym.rollout.context import WHOLE, Context
from agentgym.rollout.episode import Episode, Stop
from agentgym.rollout.guard import Guard
from agentgym.rollout.play import Line
from agentgym.rollout.policy import Dialogue, Role, WordPolicy
from agentgym.rollout.world import HEARD, STEP_TIMEOUT, Seen, Start, check_groups

SCRIPT = 3_000_017  # told to the generators of scripted seats


class SeatWorld:
    """Equal games of many seats, made when needed and used again.

    Args:
        name: An id, with or without the namespace, of a card whose `api` is `aec` or `parallel`.
        knobs: Constructor arguments, `split` among them.

    Attributes:
        seats: Names of the seats.
        size: Number of tasks of the split; None if it is endless.
        seconds: Wall-clock seconds that `collect_seats` has spent inside the games.
    """

    def __init__(self, name: str, **knobs: Any):
        self.card = card(name)
        if self.card.api == "gymnasium":
            raise ConfigError(f"{self.card.id} has one seat; play it through World and collect")
        self.knobs = knobs
        self.seconds = 0.0
        self.guard = Guard(self.card.id, STEP_TIMEOUT, "Mend the game, or ask it for less")
        self._games: list[Any] = [self._make()]
        game = self._games[0]
        self.seats: tuple[str, ...] = tuple(game.possible_agents)
        self.opponents: tuple[str, ...] = tuple(game.opponents)
        self.manual: str = game.manual
        self.line: str = game.grammar.line
        self.size: int | None = game.tasks(game.split).size

    def reminder(self, game: Any, seat: str) -> str:
        """A game's task, the seat, and how actions are written, for contexts that leave out the first observation."""
        return f"{game.task.instruction}\nYou are {seat}.\n{self.line}"

    def games(self, count: int) -> list[Any]:
        """The first `count` games."""
        self._games += [self._make() for _ in range(count - len(self._games))]
        return self._games[:count]

    def close(self) -> None:
        """Close every game."""
        for game in self._games:
            game.close()

    def _make(self) -> Any:
        import pettingzoo

        return pettingzoo.make(self.card.api, self.card.id, **self.knobs)


def collect_seats(
    world: SeatWorld,
    cast: Mapping[str, Role | str],
    starts: Sequence[Start],
    *,
    live: int = 128,
    on_episode: Callable[[int], None] | None = None,
    context: Context = WHOLE,
    keys: bool = False,
) -> list[Episode]:
    """Play one game for every start.

    A turn of a seat holds what it saw, what it said, and all that this earned it until it was its turn again.

    Args:
        world: Where to play.
        cast: By seat, who plays it: a role, or the name of one of the game's scripted opponents.
        starts: Where each game begins.
        live: Most games under way at once.
        on_episode: Called with the number of games that have just ended.
        context: What the policies are shown.
        keys: Whether turns hold the game's state key.

    Returns:
        For each seat that has a role, in the order of the cast, its episodes in the order of `starts`. `Episode.seat`
        and `Episode.role` name the seat, and `Episode.group` is that of the start: compare within group and role.

    Raises:
        TaskError: if two starts of a group differ in task or seed.
        ConfigError: if a seat has nobody to play it, a seat or opponent is unknown, a first prompt does not fit into
            the context, or a reward is no finite number.
    """
    if live < 1:
        raise ConfigError(f"live must be at least 1, got {live}")
    _check_cast(world, cast)
    check_groups(starts)
    tables: list[_Table] = []
    for first in range(0, len(starts), live):
        wave = starts[first : first + live]
        fresh = [
            _Table(world, game, cast, context, start, first + place, len(starts), keys)
            for place, (game, start) in enumerate(zip(world.games(len(wave)), wave, strict=True))
        ]
        _play_out(world, cast, fresh, on_episode)
        tables += fresh
    played = [seat for seat, player in cast.items() if isinstance(player, Role)]
    return [table.episode(seat) for seat in played for table in tables]


def _play_out(
    world: SeatWorld, cast: Mapping[str, Role | str], tables: list[_Table], on_episode: Callable[[int], None] | None
) -> None:
    """Advance all games until the last has ended."""
    played = {seat: player for seat, player in cast.items() if isinstance(player, Role)}
    dialogues: dict[str, Dialogue] = {
        seat: role.policy.open([table.generator(seat) for table in tables]) for seat, role in played.items()
    }
    while tables:
        began = time.perf_counter()
        world.guard.run(partial(_advance, world, [table.prepare for table in tables]))
        world.seconds += time.perf_counter() - began
        for seat, dialogue in dialogues.items():
            rows = [row for row, table in enumerate(tables) if not table.over and seat in table.movers]
            lines = [tables[row].lines[seat] for row in rows]
            anew = [row for row, line in zip(rows, lines, strict=True) if line.fresh and line.record.said]
            if anew:
                dialogue.forget(anew)
            if rows:
                for line, said in zip(lines, dialogue.speak([line.prompt for line in lines], rows), strict=True):
                    line.said = said
        began = time.perf_counter()
        world.guard.run(partial(_advance, world, [table.step for table in tables]))
        world.seconds += time.perf_counter() - began
        kept = [row for row, table in enumerate(tables) if not table.over]
        if len(kept) < len(tables):
            if on_episode:
                on_episode(len(tables) - len(kept))
            tables = [tables[row] for row in kept]
            for dialogue in dialogues.values():
                dialogue.keep(kept)


def _advance(world: SeatWorld, moves: Sequence[Callable[[], None]]) -> None:
    """Make every move, each in its own time."""
    for move in moves:
        world.guard.touch()
        move()


class _Table:
    """One game under way.

    Attributes:
        lines: By seat, the roles' conversations and records.
        movers: Game that act in the next step.
        over: Whether the game has ended.
    """

    def __init__(
        self,
        world: SeatWorld,
        game: Any,
        cast: Mapping[str, Role | str],
        context: Context,
        start: Start,
        number: int,
        of: int,
        keys: bool,
    ):
        self._game, self._cast, self._start, self._keys = game, cast, start, keys
        self.movers: list[str] = []
        self.over = False
        self._earned = dict.fromkeys(world.seats, 0.0)
        self._key: dict[str, str] = {}
        self._scripts = {
            seat: np.random.default_rng((*start.sample, SCRIPT, place)) for place, seat in enumerate(world.seats)
        }
        self._parallel = world.card.api == "parallel"
        game.reset(seed=start.seed, options={"task": start.task})
        self.lines: dict[str, Line] = {}
        for seat, role in cast.items():
            if isinstance(role, Role):
                episode = Episode(game.task.id, game.task.split, start.seed, start.group, seat=seat, role=seat)
                episode.number = number + of * len(self.lines)
                system = role.policy.system(world.manual) if isinstance(role.policy, WordPolicy) else ""
                self.lines[seat] = Line(
                    seat, role, role.context or context, system, world.reminder(game, seat), episode
                )

    def generator(self, seat: str) -> np.random.Generator:
        """The generator of a seat's policy."""
        return np.random.default_rng((*self._start.sample, list(self._earned).index(seat)))

    def prepare(self) -> None:
        """Let scripts play until a role is to act, and ask those that are."""
        game = self._game
        while not self.over:
            if game.ended or not game.agents:
                self._finish("", game.infos)
                return
            self.movers = list(game.to_act)
            if self._parallel or any(seat in self.lines for seat in self.movers):
                break
            self._play({seat: self._script(seat) for seat in self.movers})
        for seat in self.movers:
            line = self.lines.get(seat)
            if line is not None:
                self._settle(seat, game.infos[seat], "")
                self._key[seat] = game.state_key() if self._keys else ""
                if not line.ask(game.observe(seat)["text"]):
                    self._finish("context", game.infos)
                    return

    def step(self) -> None:
        """Play what the movers said."""
        if not self.over:
            self._play({
                seat: self.lines[seat].words if seat in self.lines else self._script(seat) for seat in self.movers
            })  # fmt: skip

    def episode(self, seat: str) -> Episode:
        """A seat's episode, with tokens only if it may be learned from."""
        line = self.lines[seat]
        if not line.role.trainable:
            line.episode.segments = []
        return line.episode

    def _script(self, seat: str) -> str:
        level = self._cast[seat]
        assert isinstance(level, str)
        action: str = self._game.opponent_action(seat, level, self._scripts[seat])
        return action

    def _play(self, actions: Mapping[str, str]) -> None:
        game = self._game
        if self._parallel:
            _, rewards, terminations, truncations, infos = game.step(dict(actions))
        else:
            ((_, action),) = actions.items()
            game.step(action)
            rewards, terminations, truncations, infos = game.rewards, game.terminations, game.truncations, game.infos
        for seat, reward in rewards.items():
            if not math.isfinite(reward):
                raise ConfigError(f"{game.card.id} gave {seat} the reward {reward}; rewards must be finite")
            self._earned[seat] += float(reward)
        gone = {seat: terminations[seat] for seat in infos if terminations[seat] or truncations[seat]}
        for seat, terminated in gone.items():
            self._leave(seat, infos[seat], "terminated" if terminated else "truncated")
        while (
            not self._parallel
            and game.agents
            and (game.terminations[game.agent_selection] or game.truncations[game.agent_selection])
        ):
            game.step(None)  # as PettingZoo has it, who is out says so
        if not game.agents or game.ended:
            self.over = True

    def _leave(self, seat: str, info: Mapping[str, Any], stop: Stop) -> None:
        """A seat is out: its last turn is settled."""
        if seat in self.lines and not self.lines[seat].episode.stop:
            stop = "failure" if info["failure"] else stop
            self._settle(seat, info, stop)
            episode = self.lines[seat].episode
            episode.stop, episode.success, episode.failure = stop, info["success"], info["failure"]
            episode.final = self._game.observe(seat)["text"]

    def _finish(self, stop: Literal["context", ""], infos: Mapping[str, Any]) -> None:
        """The game is cut off, or could not begin."""
        self.over = True
        for seat, line in self.lines.items():
            if not line.episode.stop:
                info = infos[seat]
                reason: Stop = "failure" if info["failure"] else stop or "truncated"
                self._settle(seat, info, "failure" if info["failure"] else "")
                line.episode.stop, line.episode.failure = reason, info["failure"]
                line.episode.final = self._game.observe(seat)["text"]

    def _settle(self, seat: str, info: Mapping[str, Any], stop: Stop | Literal[""]) -> None:
        """Take down the last turn of a seat, now that all it earned is known."""
        line = self.lines[seat]
        if line.said is not None:
            heard = {key: info[key] for key in HEARD if key in info}
            seen = Seen("", heard, self._earned[seat])
            line.settle(self._key[seat], "", seen, stop, line.words)
            self._earned[seat] = 0.0


def _check_cast(world: SeatWorld, cast: Mapping[str, Role | str]) -> None:
    for seat in world.seats:
        if seat not in cast:
            raise ConfigError(
                f"nobody plays {seat} of {world.card.id}; give a Role, or one of its opponents: "
                f"{', '.join(world.opponents) or 'it has none'}"
            )
    for seat, player in cast.items():
        if seat not in world.seats:
            raise ConfigError(f"{world.card.id} has no seat {seat!r}; it has: {', '.join(world.seats)}")
        if isinstance(player, str):
            if player not in world.opponents:
                known = ", ".join(world.opponents) or "none"
                raise ConfigError(f"{world.card.id} has no opponent {player!r}; it has: {known}")
        elif not isinstance(player, Role):
            raise ConfigError(
                f"{seat} is played by a {type(player).__name__}; write Role(policy) or an opponent's name"
            )
    if not any(isinstance(player, Role) for player in cast.values()):
        raise ConfigError("only scripts play, so there is nothing to collect; give a seat a Role")
