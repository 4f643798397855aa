"""TRL's OpenEnv path: its GRPO trainer plays worlds of `agentgym serve` through OpenEnv's own client.

    agentgym serve FrozenLake-v0 --env size=3 --env slippery=false --port 8123
    python -m agentgym.baselines.bridges.trl_openenv --url http://127.0.0.1:8123 --model Qwen/Qwen3-0.6B

TRL makes one environment for each rollout and resets it with the columns of the data set's row. Each has a connection
to the server of its own, and so a session; the rollouts of one row play one task with the same random draws.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from openenv.core import GenericEnvClient
from trl import GRPOTrainer

import agentgym
from agentgym.baselines.bridges.trl_grpo import TASKS, World, dataset, grpo, parser


def connected(address: str) -> Any:
    """A connected client of OpenEnv whose calls wait for their answers.

    From its release 0.2.2 on the client itself is asynchronous, and `sync()` makes one that waits.

    Args:
        address: Of a world on the server, `URL/openenv/ID/SPLIT`.

    Raises:
        ConnectionError: if no server answers there.
    """
    client = GenericEnvClient(base_url=address)
    return (client.sync() if hasattr(client, "sync") else client).connect()


def environment(url: str, env: str, split: str = "train") -> type[World]:
    """An environment factory for TRL.

    Args:
        url: Of the server.
        env: What is played, as the server names it.
        split: Where tasks come from.
    """

    class Served(World):
        """An episode on the server."""

        def __init__(self) -> None:
            self._client = connected(f"{url.rstrip('/')}/openenv/{env}/{split}")
            self._total, self._over = 0.0, True

        def _begin(self, task: int) -> str:
            return str(self._client.reset(seed=task, task=task).observation["text"])

        def _play(self, action: str) -> tuple[str, float, bool]:
            step = self._client.step({"action": action})
            return str(step.observation["text"]), float(step.reward or 0.0), bool(step.done)

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
    return dataset(manual, count)


def trainer(
    url: str, env: str, model: Any, steps: int, out: str, tokenizer: Any = None, **settings: Any
) -> GRPOTrainer:
    """A trainer over a served world.

    Args:
        url: Of the server.
        env: What is played.
        model: A name, a folder or a model.
        steps: Updates.
        out: Folder for checkpoints.
        tokenizer: Of the model; by default the one that TRL loads for it.
        settings: Of `GRPOConfig`.
    """
    return grpo(environment(url, env), rows(url, env, TASKS), model, steps, out, tokenizer, **settings)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; TRL writes its own log."""
    asked = parser(__doc__, "runs/trl-openenv")
    asked.add_argument("--url", required=True, help="the server of worlds")
    asked.add_argument("--env", default="FrozenLake-v0", help="what is played there (%(default)s)")
    given = asked.parse_args(arguments)
    run = trainer(given.url, given.env, given.model, given.steps, given.out)
    run.train()
    run.save_model(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
