"""MaskablePPO of sb3-contrib on one world of every family, within two minutes of processor time each.

python -m agentgym.baselines.bridges.sb3.maskable_ppo --world craft [--out runs/maskable_ppo]

Writes a learning curve as JSON and SVG. The published ones stand in baselines/results/maskable_ppo.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from torch import nn

from agentgym.baselines.bridges.sb3 import measure
from agentgym.baselines.bridges.sb3.curve import write_curve
from agentgym.baselines.bridges.sb3.slot_policy import SlotPolicy
from agentgym.baselines.bridges.sb3.worlds import EXERCISES, Exercise

SECONDS = 120.0  # processor time of training
ENVS = 16
POINTS = 10  # evaluations of a full training


def falling(rate: float) -> Callable[[float], float]:
    """A learning rate that falls from `rate` to a tenth of it over the training, so that its end is no chance.

    Args:
        rate: Of the first step.
    """
    return lambda left: rate * (0.1 + 0.9 * left)


MAP = {
    "policy": "MlpPolicy",
    "n_steps": 256,
    "batch_size": 256,
    "n_epochs": 10,
    "learning_rate": falling(1.3e-3),
    "gamma": 0.95,
    "gae_lambda": 0.9,
    "ent_coef": 0.005,
    "policy_kwargs": {"net_arch": [512, 128], "activation_fn": nn.ReLU},
}
SLOTS = {
    "policy": SlotPolicy,
    "n_steps": 64,
    "batch_size": 256,
    "n_epochs": 4,
    "learning_rate": falling(1.5e-3),
    "gamma": 0.9,  # what was looked up pays off within a few turns
    "gae_lambda": 0.8,
    "ent_coef": 0.01,
}


@dataclass(frozen=True)
class Trained:
    """What came out: the points of the curve and the returns it is compared with."""

    points: list[tuple[int, float, float]]
    random: float
    oracle: float

    @property
    def share(self) -> float:
        """The last mean return as a share of the oracle's."""
        return self.points[-1][2] / self.oracle


def train(exercise: Exercise, steps: int, seed: int, console: Console | None = None) -> Trained:
    """Train on an exercise and evaluate on the way, at the beginning and at the end.

    Args:
        exercise: Where to train and to evaluate.
        steps: Steps of the environment.
        seed: Of networks, random draws and tasks.
        console: Where figures are printed; by default nowhere.
    """
    torch.set_num_threads(measure.SHARED_THREADS)
    envs = make_vec_env(exercise.training, n_envs=ENVS, seed=seed)
    readable = "actions" in getattr(exercise.testing().observation_space, "spaces", {})
    settings: dict[str, Any] = dict(SLOTS if readable else MAP)
    model = MaskablePPO(settings.pop("policy"), envs, seed=seed, device="cpu", **settings)

    def tell(done: int, seconds: float, mean: float) -> None:
        """Print a line: steps `done`, `seconds` taken, and the `mean` return of the episodes of late."""
        if console is not None:
            console.print(f"{done:>8,} steps {seconds:>5.0f} s  mean return {mean:.3f}", highlight=False)

    callback = measure.CurveCallback(exercise, max(1, exercise.steps // POINTS), SECONDS, True, tell)
    model.learn(steps, callback=callback)
    callback.measure()
    env = exercise.testing()
    oracle = float(np.mean(measure.oracle_returns(env, exercise.tasks, exercise.rounds)))
    chance = float(np.mean(measure.random_returns(env, exercise.tasks, exercise.rounds)))
    return Trained(callback.points, chance, oracle)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train on one world and write its curve."""
    parser = measure.options(__doc__, steps=0)
    parser.set_defaults(steps=None)
    parser.add_argument("--world", choices=sorted(EXERCISES), default="lake", help="what to train on (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs/maskable_ppo"), help="folder of the curve (%(default)s)")
    given = parser.parse_args(arguments)
    exercise = EXERCISES[given.world]
    console = Console()
    console.print(f"{exercise.title}, seed {given.seed}", highlight=False)
    trained = train(exercise, given.steps or exercise.steps, given.seed, console)
    command = f"python -m agentgym.baselines.bridges.sb3.maskable_ppo --world {given.world} --seed {given.seed}"
    place = write_curve(given.out, given.world, exercise.title, trained.points, trained.random, trained.oracle, command)
    console.print(
        f"{trained.share:.2f} of the oracle's {trained.oracle:.3f} on {exercise.tasks} tasks (at random "
        f"{trained.random:.3f}); the curve: {place}",
        highlight=False,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
