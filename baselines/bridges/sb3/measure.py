"""How a model does: returns on fixed tasks, against the oracle's on the same tasks and random draws."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from agentgym.baselines.bridges.sb3.worlds import Env, Exercise
from agentgym.core.rng import stream

SHARED_THREADS = 1  # the networks are small, and more threads only wait for one another


def options(description: str | None, steps: int) -> argparse.ArgumentParser:
    """The options that every example has.

    Args:
        description: What the example does, for `--help`.
        steps: The default of `--steps`.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=steps, help="steps to train (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of networks, random draws and tasks (%(default)s)")
    parser.add_argument("--tasks", type=int, default=100, help="tasks to evaluate on (%(default)s)")
    return parser


def returns(model: Any, env: Env, tasks: int, masked: bool, rounds: int = 1) -> list[float]:
    """The returns of the first tasks, played by the model's likeliest actions; episode i has seed i.

    All tasks are played `rounds` times, where random draws make one game differ from the next.

    Args:
        model: Of Stable-Baselines3.
        env: Where it plays.
        tasks: How many.
        masked: Whether the model takes masks.
        rounds: How many times each task is played.
    """
    return list(_played(env, tasks, rounds, _player(model, env, masked)))


def oracle_returns(env: Env, tasks: int, rounds: int = 1) -> list[float]:
    """The same for a player that sees the hidden state.

    Args:
        env: Where it plays.
        tasks: How many.
        rounds: How many times each task is played.
    """
    texts = env.unwrapped

    def act(shown: Any, first: bool) -> str:
        """The oracle's action; what is `shown`, and whether it is the `first` turn, the world knows itself."""
        return str(texts.oracle_action())  # type: ignore[attr-defined]

    return list(_played(texts, tasks, rounds, act))


def random_returns(env: Env, tasks: int, rounds: int = 1) -> list[float]:
    """The same for the world's random player.

    Args:
        env: Where it plays.
        tasks: How many.
        rounds: How many times each task is played.
    """
    texts = env.unwrapped
    rng = stream("sb3.random_player")

    def act(shown: Any, first: bool) -> str:
        """A random action; what is `shown`, and whether it is the `first` turn, the world knows itself."""
        return str(texts.sample_action(rng))  # type: ignore[attr-defined]

    return list(_played(texts, tasks, rounds, act))


def _played(env: Env, tasks: int, rounds: int, act: Callable[[Any, bool], Any]) -> Iterator[float]:
    for episode in range(tasks * rounds):
        shown, _ = env.reset(seed=episode, options={"task": episode % tasks})
        total, first, ended = 0.0, True, False
        while not ended:
            shown, reward, terminated, truncated, _ = env.step(act(shown, first))
            total, first, ended = total + float(reward), False, terminated or truncated
        yield total


def _player(model: Any, env: Env, masked: bool) -> Callable[[Any, bool], Any]:
    memory: Any = None

    def act(shown: Any, first: bool) -> Any:
        """The model's likeliest action at what is `shown`; in the `first` turn of an episode it remembers nothing."""
        nonlocal memory
        more = {"action_masks": env.get_wrapper_attr("action_masks")()} if masked else {}
        memory = None if first else memory
        starts = np.array([first])
        action, memory = model.predict(shown, state=memory, episode_start=starts, deterministic=True, **more)
        return int(action)

    return act


class CurveCallback(BaseCallback):
    """Evaluates now and then, and ends the training when its processor time is spent.

    Args:
        exercise: What is evaluated on.
        every: Steps between evaluations.
        seconds: Processor time that training may take, evaluations not counted.
        masked: Whether the model takes masks.
        tell: Is told each point: steps, processor seconds, mean return.

    Attributes:
        points: The same, from the beginning on.
    """

    def __init__(
        self,
        exercise: Exercise,
        every: int,
        seconds: float,
        masked: bool,
        tell: Callable[[int, float, float], None] = lambda steps, seconds, mean: None,
    ):
        super().__init__()
        self.points: list[tuple[int, float, float]] = []
        self._exercise, self._every, self._seconds, self._masked, self._tell = exercise, every, seconds, masked, tell
        self._env = exercise.testing()
        self._due = 0

    def spent(self) -> float:
        """Processor seconds of training so far."""
        return time.process_time() - self._began

    def measure(self) -> None:
        """Evaluate now."""
        spent = self.spent()
        chosen = self._exercise
        mean = float(np.mean(returns(self.model, self._env, chosen.tasks, self._masked, chosen.rounds)))
        self.points.append((self.num_timesteps, round(spent, 1), round(mean, 4)))
        self._tell(*self.points[-1])
        self._began = time.process_time() - spent

    def _on_training_start(self) -> None:
        self._began = time.process_time()

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._due:
            self._due += self._every
            self.measure()

    def _on_step(self) -> bool:
        return self.spent() < self._seconds


def learn_and_tell(name: str, model: BaseAlgorithm, given: argparse.Namespace, env: Env) -> int:
    """Train a model, say what it got before and after; the exit status of an example.

    Args:
        name: Of the algorithm.
        model: What to train.
        given: What `options` parsed.
        env: Where it is evaluated.
    """
    before = float(np.mean(returns(model, env, given.tasks, masked=False)))
    began = time.process_time()
    model.learn(given.steps)
    spent = time.process_time() - began
    after = float(np.mean(returns(model, env, given.tasks, masked=False)))
    best = float(np.mean(oracle_returns(env, given.tasks)))
    Console().print(
        f"{name}: mean return on {given.tasks} unseen maps {before:.2f} before, {after:.2f} after "
        f"{model.num_timesteps:,} steps ({spent:.0f} s of processor time); the oracle gets {best:.2f}.",
        highlight=False,
    )
    return 0
