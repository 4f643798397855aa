"""Worlds of text as worlds of numbers, one for each kind of bridge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

import agentgym
from agentgym.core.rng import stream
from agentgym.wrappers.numeric import HashedText, ReadableActions, SlotActions, VocabularyActions
from agentgym.wrappers.selfplay import SelfPlay

Env = gym.Env[Any, Any]
PLACES = [f"place {cell}" for cell in range(1, 10)]


class FixedPanel(gym.Wrapper[Any, Any, Any, Any]):
    """Draws every episode from the first tasks of the split.

    Args:
        env: A world.
        tasks: How many tasks.
    """

    def __init__(self, env: Env, tasks: int):
        super().__init__(env)
        self._tasks = tasks
        self._rng = stream("sb3.panel", 0)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's; a task in `options` goes before the draw.

        Args:
            seed: Begins the draws of tasks anew; None goes on with them, and with the world's generator.
            options: Reset options of the world.
        """
        if seed is not None:
            self._rng = stream("sb3.panel", seed)
        drawn = {"task": int(self._rng.integers(self._tasks))}
        return self.env.reset(seed=seed, options={**drawn, **(options or {})})


@dataclass(frozen=True)
class Exercise:
    """A world with its bridge, and what it is trained and evaluated on.

    Attributes:
        title: In charts.
        make: The world of a split, as numbers.
        tested_on: The split of the evaluation.
        tasks: How many tasks of it are played, the first ones.
        panel: Train on the first tasks of `tested_on` as well, so that what counts is remembering; otherwise no task
            of the evaluation is trained on.
        steps: How many steps are trained.
        rounds: How often each task is played in an evaluation, with other random draws.
    """

    title: str
    make: Callable[[str], Env]
    tested_on: str
    tasks: int
    panel: bool
    steps: int
    rounds: int = 1

    def training(self) -> Env:
        """An environment to train on."""
        if self.panel:
            return FixedPanel(self.make(self.tested_on), self.tasks)
        return self.make("train")

    def testing(self) -> Env:
        """The environment of the evaluation; tasks are given by index."""
        return self.make(self.tested_on)


def lake(split: str = "train", **kwargs: Any) -> Env:
    """FrozenLake as a bag of words that know their place on the map, and four commands.

    Args:
        split: Where tasks come from.
        kwargs: Constructor arguments of the lake.
    """
    env = VocabularyActions(agentgym.make("FrozenLake-v0", split=split, **kwargs))
    return HashedText(env, dim=256, ngrams=1, places=True)


def small_lake(split: str = "train") -> Env:
    """The same with maps of three by three."""
    return lake(split, size=3)


def craft(split: str = "train", **kwargs: Any) -> Env:
    """TextCraft; the policy reads each admissible action and the recipes around what it names.

    Args:
        split: Where tasks come from.
        kwargs: Constructor arguments of TextCraft.
    """
    env = SlotActions(agentgym.make("TextCraft-v1", split=split, **kwargs), slots=64, overflow="cut")
    return ReadableActions(env, dim=128, context=(10, 10))


def shallow_craft(split: str = "train") -> Env:
    """The same with goals that take one level of crafting, or two."""
    return craft(split, depths=[1, 2])


def shop(split: str = "train") -> Env:
    """WebShop; the policy reads each button and the words after it on the pages of the episode."""
    env = SlotActions(agentgym.make("WebShop-v1", split=split), slots=40, overflow="cut")
    return ReadableActions(env, dim=128, ngrams=1, context=(0, 20))


def tic_tac_toe(split: str = "train") -> Env:
    """Either player of Tic-Tac-Toe against a rival that plays at random; cells by their place, nine commands."""
    env = VocabularyActions(SelfPlay("TicTacToe-v0", opponent="random", split=split), PLACES)
    return HashedText(env, dim=256, ngrams=1, places=True)


EXERCISES = {
    "lake": Exercise("FrozenLake 3 x 3, slippery, unseen maps", small_lake, "val", 200, False, 150_000),
    "lake-4x4": Exercise("FrozenLake 4 x 4, slippery, unseen maps", lake, "val", 200, False, 170_000),
    "craft": Exercise("TextCraft of depths 1 and 2, unseen goals", shallow_craft, "val", 53, False, 48_000),
    "craft-deep": Exercise("TextCraft, unseen goals of every depth", craft, "val", 75, False, 60_000),
    "tic-tac-toe": Exercise(
        "Tic-Tac-Toe against a random rival, unseen openings", tic_tac_toe, "val", 32, False, 96_000, 8
    ),
    "shop": Exercise("WebShop, a panel of 20 goals, trained on", shop, "val", 20, True, 60_000),
    "shop-unseen": Exercise("WebShop, unseen goals", shop, "val", 100, False, 60_000),
}
