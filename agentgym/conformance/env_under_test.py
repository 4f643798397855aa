"""The environment under test: how to make it, what its card says, and how much to play."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import gymnasium as gym

import agentgym
from agentgym.conformance.errors import NotApplicable, describe
from agentgym.conformance.play import Play, PlayRecord, Step, episode, transcribe
from agentgym.conformance.players import LEVEL, keeps_contract
from agentgym.conformance.workers import WitnessProcesses
from agentgym.core import (
    ConfigError,
    Driver,
    EnvCard,
    StepResult,
    catalog,
    drive,
    find_card,
    full_id,
    unknown_environment,
)
from agentgym.core.catalog import NAMESPACE
from agentgym.core.hooks import implements

WALKERS = ("random", "admissible", "hostile")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is played.

    Attributes:
        tasks: Tasks of each finite split for oracle and expert; None for all, as `scores.measure` plays them.
        draws: Tasks of an endless split.
        episodes: Episodes of the random and the exploiting agents on each split with stated scores.
        steps: Steps of each random, admissible and hostile walk.
        keys: Tasks of each split whose content is compared; None for all of a finite split.
        states: States collected for the comparisons of states.
        compared: Steps of each transcript that is compared between processes.
        attacks: Long actions whose reading is timed, if one for each place and word is not more; None for all.
    """

    tasks: int | None
    draws: int
    episodes: int
    steps: int
    keys: int | None
    states: int
    compared: int = 30
    attacks: int | None = None


SAMPLED = Size(tasks=12, draws=4, episodes=10, steps=200, keys=40, states=40, attacks=2_000)
FULL = Size(tasks=None, draws=200, episodes=200, steps=1000, keys=None, states=200)
# Where another program, such as a browser, answers each step: a page takes as long as a thousand steps of other worlds.
SAMPLED_SLOW = Size(tasks=3, draws=2, episodes=3, steps=40, keys=10, states=8, compared=10, attacks=2_000)
FULL_SLOW = Size(tasks=None, draws=20, episodes=20, steps=200, keys=None, states=20, compared=10)


@dataclass(slots=True)
class Walk:
    """What an agent met over several episodes, and what stopped it if the environment raised.

    Attributes:
        agent: Who walked.
        episodes: The answers of each episode, the reset first.
        crash: Where it was and the exception, or empty.
    """

    agent: str
    episodes: list[list[Step]] = field(default_factory=list)
    crash: str = ""


@dataclass(eq=False)
class EnvUnderTest:
    """One environment id under test.

    Attributes:
        name: Its id without a module prefix.
        module: The module whose import registers the id.
        kwargs: Constructor arguments, JSON-safe.
        folder: A temporary folder for files that the checks write.
        leave: What is to be done when the checks are over.
        size: How much to play.
        workers: The fresh processes that play beside this one, once they are started.
    """

    name: str
    module: str
    kwargs: Mapping[str, Any]
    folder: Path
    leave: ExitStack
    size: Size = field(default=SAMPLED)
    workers: WitnessProcesses = field(init=False)

    @property
    def prefixed(self) -> str:
        """The id in the form that works in a fresh process."""
        return f"{self.module}:{self.name}"

    @property
    def ours(self) -> bool:
        """Whether the id belongs to this package, whose cards must state scores and whose records are shipped."""
        return self.name.startswith(f"{NAMESPACE}/")

    def make(self, **kwargs: Any) -> Any:
        """A new environment, as the library of its interface makes it."""
        return agentgym.make(self.name, **{**self.kwargs, **kwargs})

    def drive(self, **kwargs: Any) -> Driver:
        """The same, driven."""
        return drive(self.make(**kwargs))

    def world(self, **kwargs: Any) -> Driver:
        """A new bare world, driven.

        Raises:
            NotApplicable: if the id is an ordinary Gymnasium environment.
        """
        if not self.is_world:
            raise NotApplicable(f"{type(self.sample.world).__name__} is no world of agentgym.core")
        return drive(self.make(**kwargs).unwrapped)

    def copyable(self, **kwargs: Any) -> Driver:
        """A new bare world whose state can be saved, driven.

        Raises:
            NotApplicable: if its card says that it cannot.
        """
        driver = self.world(**kwargs)
        if driver.world.card.snapshot == "none":
            raise NotApplicable("the card says snapshot='none': this engine cannot be copied")
        return driver

    @cached_property
    def sample(self) -> Driver:
        """One environment for looking at players, spaces, class and card; never played."""
        return drive(self.make().unwrapped)

    @property
    def is_world(self) -> bool:
        """Whether it is a world with a card."""
        return keeps_contract(self.sample)

    @property
    def card(self) -> EnvCard:
        """The world's card.

        Raises:
            NotApplicable: if the id is an ordinary Gymnasium environment, which has none.
        """
        if not self.is_world:
            raise NotApplicable(f"{type(self.sample.world).__name__} is no world of agentgym.core and has no card")
        card: EnvCard = self.sample.world.card
        return card

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the players."""
        return self.sample.players

    @property
    def alone(self) -> bool:
        """Whether there is one player only."""
        return len(self.players) == 1

    @cached_property
    def simultaneous(self) -> bool:
        """Whether several players act in one step."""
        driver = self.drive()
        driver.reset(seed=0)
        return len(driver.to_act) > 1

    @property
    def in_turns(self) -> bool:
        """Whether several players act one after the other."""
        return not self.alone and not self.simultaneous

    def has(self, hook: str) -> bool:
        """Whether the world implements a hook that the base class leaves out, such as `_oracle`."""
        return self.is_world and implements(self.sample.world, hook)

    def drive_for(self, play: Play) -> Driver:
        """A new environment of the split that a play names, driven."""
        return self.drive(split=play.split) if play.split else self.drive()

    @cached_property
    def scripts(self) -> list[Play]:
        """The episodes that every process plays."""
        limit = self.size.compared
        if not self.is_world:
            return [Play("random", seed, limit=limit) for seed in (11, 12)]
        agents = [*WALKERS, *(f"{LEVEL}{level}" for level in self.card.opponents)]
        agents += [agent for agent in ("oracle", "expert") if self.has(f"_{agent}")]
        plays = [Play(agent, 11 + place, limit=limit) for place, agent in enumerate(agents)]
        return [*plays, *(Play("random", 31, split=split, limit=limit) for split in self.card.splits)]

    @cached_property
    def reference(self) -> list[PlayRecord]:
        """The scripts played in this process, by which the others are judged."""
        return [transcribe(self.drive_for(play), play) for play in self.scripts]

    @cached_property
    def walks(self) -> list[Walk]:
        """Walks of `size.steps` steps each: random, admissible and hostile in a world, random elsewhere."""
        return [self._walk(agent) for agent in (WALKERS if self.is_world else WALKERS[:1])]

    @cached_property
    def walked(self) -> list[tuple[str, Step]]:
        """Every answer of the walks, with where it was given.

        Raises:
            NotApplicable: if an environment that raises left none.
        """
        answers = [
            (f"the {walk.agent} walk, answer {number}, to {list(step.actions.values())!r:.80}", step)
            for walk in self.walks
            for number, step in enumerate(step for steps in walk.episodes for step in steps)
        ]
        if not answers:
            raise NotApplicable("the environment raised before its first answer, as other checks say")
        return answers

    @property
    def results(self) -> list[tuple[str, str, StepResult]]:
        """What every player got in every answer of the walks: where, who, what."""
        return [
            (where if self.alone else f"{where}, {player}", player, result)
            for where, step in self.walked
            for player, result in step.results.items()
        ]

    def _walk(self, agent: str) -> Walk:
        walk, driver, left, seed = Walk(agent), self.drive(), self.size.steps, 100
        while left > 0:
            walk.episodes.append([])
            try:
                for step in episode(driver, Play(agent, seed, limit=left)):
                    walk.episodes[-1].append(step)
                    left -= bool(step.actions)
            except Exception as error:  # whatever a world raises is a finding, reported by the check of hostile actions
                walk.crash = f"episode {len(walk.episodes)}, turn {len(walk.episodes[-1])}: {describe(error)}"
                break
            seed += 1
            left -= 1
        return walk

    @property
    def finite(self) -> list[str]:
        """The card's splits that have an end."""
        return [split for split, size in self.card.splits.items() if size is not None]

    def places(self, split: str, wanted: int | None) -> list[int]:
        """Places of tasks spread evenly over a split; all of a finite one where `wanted` is None.

        Args:
            split: A split of the card.
            wanted: How many.
        """
        size = self.world(split=split).world.tasks(split).size
        if size is None:
            return list(range(self.size.draws if wanted is None else wanted))
        if wanted is None or wanted >= size:
            return list(range(size))
        return sorted({round(place * (size - 1) / max(1, wanted - 1)) for place in range(wanted)})


@contextmanager
def open_env(env_id: str, *, full: bool = False, kwargs: Mapping[str, Any] | None = None) -> Iterator[EnvUnderTest]:
    """The environment of an id, with a temporary folder and, where the card requires data, fixture data in it.

    Args:
        env_id: An id; a third party's with its module, as in `mypkg:NS/Echo-v0`.
        full: Play all tasks of every panel, and more of everything.
        kwargs: Constructor arguments, JSON-safe.

    Raises:
        UnknownName: if no such id is registered.
    """
    module, _, name = (env_id if env_id in gym.registry else full_id(env_id)).rpartition(":")
    if not module:  # what Gymnasium registers itself needs no prefix, but takes its own
        module = "agentgym" if name.startswith(f"{NAMESPACE}/") else "gymnasium"
    card = find_card(f"{module}:{name}")
    if card is None and name not in gym.registry:
        raise unknown_environment(env_id, {*gym.registry, *catalog()})
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder, ExitStack() as leave:
        arguments = dict(kwargs or {})
        if card is not None and card.requires:
            arguments = {**fixture(card, Path(folder)), **arguments}
        slow = card is not None and bool(card.program)
        size = (FULL_SLOW if full else SAMPLED_SLOW) if slow else (FULL if full else SAMPLED)
        yield EnvUnderTest(name, module, arguments, Path(folder), leave, size)


def fixture(card: EnvCard, folder: Path) -> dict[str, Any]:
    """Constructor arguments over small data, which the card's fixture writes.

    Args:
        card: Of the environment; it names the fixture.
        folder: Where the data go.

    Raises:
        ConfigError: if the fixture gives less than the card requires.
    """
    module, _, function = card.fixture.partition(":")
    arguments = getattr(importlib.import_module(module), function)(folder)
    missing = sorted(set(card.requires) - set(arguments))
    if missing:
        raise ConfigError(f"the fixture {card.fixture} of {card.id} gives no {missing[0]!r}, which the card requires")
    return {name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()}
