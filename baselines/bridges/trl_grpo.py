"""TRL's GRPO trainer on FrozenLake in words, through its environment factory.

    python -m agentgym.baselines.bridges.trl_grpo --model Qwen/Qwen3-0.6B [--steps 100] [--out runs/trl]

TRL makes one `Lake` for each rollout and resets it with the columns of the data set's row, so that the rollouts of one
row play one task with the same random draws. The model acts by the tool `act`; TRL feeds what the world answers back to
it and asks `get_reward` once at the end. A world of its own is a class like `Lake` with another id.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

import agentgym
from agentgym.baselines.bridges.world_tools import OVER
from agentgym.core import ConfigError

GROUP = 4  # rollouts of one task
TASKS = 256  # in the data set of a training


class Played(ConfigError):
    """The episode is over; TRL shows the model this text as the tool's answer."""


class World:
    """An episode as TRL wants it: `reset` with the row, tools as public methods, `get_reward` at the end.

    Subclasses name the id and what `gym.make` takes.
    """

    name = ""
    arguments: dict[str, Any] = {}  # noqa: RUF012 # a subclass sets it once

    def __init__(self) -> None:
        self._env = agentgym.make(self.name, **self.arguments)
        self._total, self._over = 0.0, True

    def _begin(self, task: int) -> str:
        seen, _ = self._env.reset(seed=task, options={"task": task})
        return str(seen)

    def _play(self, action: str) -> tuple[str, float, bool]:
        """What the world answers, the reward, and whether the episode is over."""
        seen, reward, terminated, truncated, _ = self._env.step(action)
        return str(seen), float(reward), terminated or truncated

    def reset(self, task: int, **columns: Any) -> str:
        """Begin the task of a row; the text stands behind the row's prompt.

        Args:
            task: The seed in the row, also of the environment's generator.
            columns: The row's other columns; not used.
        """
        seen = self._begin(task)
        self._total, self._over = 0.0, False
        return seen

    def act(self, action: str) -> str:
        """Play one action of the world.

        Args:
            action: The action, in the words that the manual gives.

        Returns:
            What the world answers.
        """
        if self._over:
            raise Played(OVER)
        seen, reward, self._over = self._play(action)
        self._total += reward
        return seen

    def get_reward(self) -> float:
        """The return of the episode so far; what was never finished keeps what it earned."""
        return self._total


class Lake(World):
    """A firm lake of three by three."""

    name = "FrozenLake-v0"
    arguments = {"size": 3, "slippery": False}  # noqa: RUF012


def rows(world: type[World], count: int) -> Dataset:
    """A data set of the first tasks: the manual as prompt, and the seed of the task.

    Args:
        world: Whose tasks.
        count: How many.
    """
    return dataset(agentgym.make(world.name, **world.arguments).unwrapped.manual, count)


def dataset(manual: str, count: int) -> Dataset:
    """Rows of the tasks 0, 1, ... of a world, each with a prompt that tells how it is played.

    Args:
        manual: The rules of the world.
        count: How many rows.
    """
    prompt = [
        {"role": "system", "content": f"{manual}\n\nPlay by calling the tool `act`, one action a call."},
        {"role": "user", "content": ""},
    ]
    return Dataset.from_dict({"prompt": [prompt] * count, "task": list(range(count))})


def trainer(model: Any, steps: int, out: str, tokenizer: Any = None, **settings: Any) -> GRPOTrainer:
    """A trainer over the lake.

    Args:
        model: A name, a folder or a model.
        steps: Updates.
        out: Folder for checkpoints.
        tokenizer: Of the model; by default the one that TRL loads for it.
        settings: Of `GRPOConfig`.
    """
    return grpo(Lake, rows(Lake, TASKS), model, steps, out, tokenizer, **settings)


def grpo(
    played: type[World], data: Dataset, model: Any, steps: int, out: str, tokenizer: Any = None, **settings: Any
) -> GRPOTrainer:
    """A trainer over the rows of a data set.

    Args:
        played: Whose instances play an episode each.
        data: The rows.
        model: A name, a folder or a model.
        steps: Updates.
        out: Folder for checkpoints.
        tokenizer: Of the model; by default the one that TRL loads for it.
        settings: Of `GRPOConfig`.
    """
    chosen = {"max_completion_length": 2048, "learning_rate": 1e-6, "logging_steps": 1, **settings}
    config = GRPOConfig(
        output_dir=out,
        max_steps=steps,
        num_generations=GROUP,
        per_device_train_batch_size=GROUP,
        report_to="none",
        save_strategy="no",
        **chosen,
    )
    return GRPOTrainer(
        model=model, args=config, train_dataset=data, processing_class=tokenizer, environment_factory=played
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; TRL writes its own log."""
    given = parser(__doc__, "runs/trl").parse_args(arguments)
    run = trainer(given.model, given.steps, given.out)
    run.train()
    run.save_model(given.out)
    return 0


def parser(description: str | None, out: str) -> argparse.ArgumentParser:
    """Options of a training: `--model`, `--steps` and `--out`.

    Args:
        description: What the program does.
        out: Where the trained model is laid by default.
    """
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--model", required=True, help="a model that calls tools, by hub id or folder")
    made.add_argument("--steps", type=int, default=100, help="optimizer steps (%(default)s)")
    made.add_argument("--out", default=out, help="folder of the trained model (%(default)s)")
    return made


if __name__ == "__main__":
    sys.exit(main())
