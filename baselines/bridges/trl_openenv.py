"""TRL's OpenEnv path: its GRPO trainer plays worlds of `agentgym serve` through OpenEnv's own client.

    agentgym serve FrozenLake-v0 --env size=3 --env slippery=false --port 8123
    python -m agentgym.baselines.bridges.trl_openenv --url http://127.0.0.1:8123 --model Qwen/Qwen3-0.6B

TRL makes one environment for each rollout and resets it with the columns of the data set's row. Each has a connection
to the server of its own, and so a session; the rollouts of one row play one task with the same random draws.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from openenv.core import GenericEnvClient
from trl import GRPOConfig, GRPOTrainer

import agentgym
from agentgym.baselines.bridges.trl_grpo import GROUP, Played


def environment(url: str, env: str, split: str = "train") -> type[Any]:
    """An environment factory for TRL.

    Args:
        url: Of the server.
        env: What is played, as the server names it.
        split: Where tasks come from.
    """

    class Served:
        """An episode on the server: `reset` with the row, the tool `act`, and `get_reward` at the end."""

        def __init__(self) -> None:
            self._client = GenericEnvClient(base_url=f"{url.rstrip('/')}/openenv/{env}/{split}")
            self._client.connect()
            self._total, self._over = 0.0, True

        def reset(self, task: int, **columns: Any) -> str:
            """Begin the task of a row; the text stands behind the row's prompt."""
            begun = self._client.reset(seed=task, task=task)
            self._total, self._over = 0.0, False
            return str(begun.observation["text"])

        def act(self, action: str) -> str:
            """Play one action of the world.

            Args:
                action: The action, in the words that the manual gives.

            Returns:
                What the world answers.
            """
            if self._over:
                raise Played("The episode is over. Answer with a short text and call no tool.")
            step = self._client.step({"action": action})
            self._total, self._over = self._total + float(step.reward or 0.0), bool(step.done)
            return str(step.observation["text"])

        def get_reward(self) -> float:
            """The return of the episode so far."""
            return self._total

    return Served


def rows(url: str, env: str, count: int) -> Dataset:
    """A data set of the first tasks: the manual as prompt, and the seed of the task.

    Args:
        url: Of the server.
        env: What is played.
        count: How many tasks.
    """
    served = agentgym.connect(url, env)
    manual = served.get_wrapper_attr("manual")
    served.close()
    prompt = [
        {"role": "system", "content": f"{manual}\n\nPlay by calling the tool `act`, one action a call."},
        {"role": "user", "content": ""},
    ]
    return Dataset.from_dict({"prompt": [prompt] * count, "task": list(range(count))})


def trainer(
    url: str, env: str, model: Any, steps: int, out: str, tokenizer: Any = None, **settings: Any
) -> GRPOTrainer:
    """A trainer over a served world; `settings` go to `GRPOConfig`.

    Args:
        url: Of the server.
        env: What is played.
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
        model=model,
        args=config,
        train_dataset=rows(url, env, 256),
        processing_class=tokenizer,
        environment_factory=environment(url, env),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; TRL writes its own log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True, help="the server of worlds")
    parser.add_argument("--env", default="FrozenLake-v0", help="what is played there (%(default)s)")
    parser.add_argument("--model", required=True, help="a model that calls tools, by hub id or folder")
    parser.add_argument("--steps", type=int, default=100, help="optimizer steps (%(default)s)")
    parser.add_argument("--out", default="runs/trl-openenv", help="folder of the trained model (%(default)s)")
    given = parser.parse_args(arguments)
    run = trainer(given.url, given.env, given.model, given.steps, given.out)
    run.train()
    run.save_model(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
