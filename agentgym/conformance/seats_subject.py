"""A game of many seats under test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentgym.conformance import seats_play
from agentgym.conformance.play import Play, Transcript
from agentgym.conformance.seats_play import LEVEL, Answer, game, make_any, transcribe
from agentgym.conformance.subject import WALKERS, Subject
from agentgym.conformance.verdict import NotApplicable, describe
from agentgym.core import EnvCard, Game


@dataclass(frozen=True, eq=False)
class SeatsSubject(Subject):
    """One id with many seats; the checks of tasks, processes and records see it as they see one with a single seat."""

    def make(self, **kwargs: Any) -> Any:
        """A new game through `pettingzoo.make`."""
        return make_any(self.name, {**self.kwargs, **kwargs})

    def world(self, **kwargs: Any) -> Any:
        """A new game."""
        return self.make(**kwargs)

    def other_view(self) -> Any:
        """The game as the other of PettingZoo's two interfaces shows it."""
        import pettingzoo

        return pettingzoo.make("parallel" if self.in_turns else "aec", self.name, **self.kwargs)

    @cached_property
    def sample(self) -> Any:
        """One game for looking at spaces, class and card; never played."""
        return self.make()

    @property
    def is_world(self) -> bool:
        """Always: PettingZoo environments of others are not checked here."""
        return True

    @property
    def in_turns(self) -> bool:
        """Whether seats act one after the other."""
        return self.card.api == "aec"

    @property
    def card(self) -> EnvCard:
        """The game's card."""
        return self.sample.card

    def has(self, hook: str) -> bool:
        """Whether the game implements a hook that the base class leaves out."""
        return getattr(type(self.sample), hook) is not getattr(Game, hook)

    @cached_property
    def scripts(self) -> list[Play]:
        """The games that every process plays."""
        agents = [*WALKERS, *(f"{LEVEL}{level}" for level in self.card.opponents)]
        agents += [agent for agent in ("oracle", "expert") if self.has(f"_{agent}")]
        plays = [Play(agent, 11 + place, limit=self.size.compared) for place, agent in enumerate(agents)]
        return [*plays, *(Play("random", 31, split=split, limit=self.size.compared) for split in self.card.splits)]

    @cached_property
    def reference(self) -> list[Transcript]:
        """The scripts played in this process, by which the others are judged."""
        return [transcribe(self.make_for(play), play) for play in self.scripts]

    @cached_property
    def games(self) -> list[tuple[str, list[Answer], str]]:
        """Walks of `size.steps` steps each: who walked, the answers, and what was raised."""
        found = []
        for agent in WALKERS:
            left, seed = self.size.steps, 100
            while left > 0:
                answers: list[Answer] = []
                crash = ""
                try:
                    answers.extend(game(self.world(), Play(agent, seed, limit=left)))
                except (
                    Exception
                ) as error:  # whatever a game raises is a finding, reported by the check of invalid actions
                    crash = f"the {agent} walk of seed {seed}: {describe(error)}"
                found.append((agent, answers, crash))
                if crash:
                    break
                left -= len(answers)
                seed += 1
        return found

    @property
    def answered(self) -> list[tuple[str, Answer]]:
        """Every answer of the walks, with where it was given.

        Raises:
            NotApplicable: if a game that raises left none.
        """
        told = [
            (f"the {agent} walk, answer {number}", answer)
            for agent, answers, _ in self.games
            for number, answer in enumerate(answers)
        ]
        if not told:
            raise NotApplicable("the game raised before its first answer, as other checks say")
        return told


def middle(world: Any, seed: int, steps: int) -> None:
    """Stand some random steps into the game of a seed, or at its start if it is over by then."""
    import numpy as np

    seats_play.begin(world, Play("random", seed))
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        seats_play.stroll(world, rng)
        if world.ended:
            seats_play.begin(world, Play("random", seed))
            return
