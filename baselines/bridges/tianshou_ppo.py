"""Tianshou: masked PPO on FrozenLake in words, and two DQN players that learn Tic-Tac-Toe from one another.

    python -m agentgym.baselines.bridges.tianshou_ppo [--steps 60000] [--turns 8000] [--seed 0]

Tianshou looks for masks in the observation, under `mask`. Its DQN uses them by itself; for PPO the actor does it here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console
from tianshou.algorithm import DQN, PPO, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams, OnPolicyTrainerParams
from tianshou.utils.net.common import MLP, Net
from torch import Tensor, nn

from agentgym.baselines.bridges.masked import masked_lake
from agentgym.baselines.bridges.numeric_game import tic_tac_toe

ENVS, TURNS, EPOCHS, MINIBATCH, EPISODES = 16, 4096, 8, 256, 200
RATE, GAMMA, LAMBDA, ENTROPY, NORM = 5e-4, 0.95, 0.9, 0.005, 0.5
DUEL_TURNS, DUEL_BATCH, EXPLORE = 160, 64, 0.1
NEVER = -1e8  # logit of an action that cannot be played


class Actor(nn.Module):
    """Logits of the actions, those that cannot be played out of reach."""

    def __init__(self, inputs: int, actions: int):
        super().__init__()
        self.body = MLP(input_dim=inputs, output_dim=actions, hidden_sizes=(512, 128))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Logits of shape (batch, actions), and the state as it came.

        Args:
            obs: Observations (`obs`, shape (batch, inputs)) and masks (`mask`, shape (batch, actions)).
            state, info: Tianshou's; a network without memory has no use for them.
        """
        mask = torch.as_tensor(np.asarray(obs.mask), dtype=torch.bool)
        return self.body(torch.as_tensor(np.asarray(obs.obs))).masked_fill(~mask, NEVER), state


class Critic(nn.Module):
    """Expected return."""

    def __init__(self, inputs: int):
        super().__init__()
        self.body = MLP(input_dim=inputs, output_dim=1, hidden_sizes=(512, 128))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Tensor:
        """Values of shape (batch, 1).

        Args:
            obs: Observations (`obs`, shape (batch, inputs)).
            state, info: Tianshou's; a network without memory has no use for them.
        """
        return self.body(torch.as_tensor(np.asarray(obs.obs)))


def learner() -> PPO:
    """PPO with a masked actor for the lake."""
    env = masked_lake()
    inputs, actions = int(env.observation_space["obs"].shape[0]), int(env.action_space.n)  # type: ignore[index,attr-defined]
    actor: Any = Actor(inputs, actions)
    policy = DiscreteActorPolicy(actor=actor, action_space=env.action_space, deterministic_eval=True)
    return PPO(
        policy=policy,
        critic=Critic(inputs),
        optim=AdamOptimizerFactory(lr=RATE),
        gamma=GAMMA,
        gae_lambda=LAMBDA,
        ent_coef=ENTROPY,
        max_grad_norm=NORM,
    )


def evaluate(algorithm: PPO, seed: int = 0, episodes: int | None = None) -> float:
    """Mean return over episodes of the validation split, by the likeliest actions.

    Args:
        algorithm: What was trained.
        seed: Of the first episode.
        episodes: How many; by default `EPISODES`.
    """
    envs = DummyVectorEnv([lambda: masked_lake("val")] * ENVS)
    envs.seed(seed)
    stats = Collector[Any](algorithm.policy, envs).collect(n_episode=episodes or EPISODES, reset_before_collect=True)
    return float(stats.returns.mean())


def train(steps: int, seed: int) -> PPO:
    """A player of the lake.

    Args:
        steps: Steps of the environment.
        seed: Of networks, random draws and tasks.
    """
    torch.manual_seed(seed)
    np.random.seed(seed)  # Tianshou shuffles with it
    torch.set_num_threads(1)
    algorithm = learner()
    envs = DummyVectorEnv([masked_lake] * ENVS)
    envs.seed(seed)
    collector = Collector[Any](algorithm.policy, envs, VectorReplayBuffer(TURNS, ENVS))
    collector.reset()
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=max(TURNS, steps),
            collection_step_num_env_steps=TURNS,
            update_step_num_repetitions=EPOCHS,
            batch_size=MINIBATCH,
            show_progress=False,
            verbose=False,
        )
    )
    return algorithm


def table() -> PettingZooEnv:
    """Tic-Tac-Toe as Tianshou wants games of two players."""
    return PettingZooEnv(tic_tac_toe())  # type: ignore[arg-type]


def duel(steps: int, seed: int) -> tuple[MultiAgentOffPolicyAlgorithm, int]:
    """Two DQN players that learn from their games, and how many games they finished.

    Args:
        steps: Steps of the game.
        seed: Of networks, random draws and tasks.
    """
    torch.manual_seed(seed)
    np.random.seed(seed)
    game = table()
    inputs, actions = game.observation_space["observation"].shape, int(game.action_space.n)
    players = []
    for _ in game.agents:
        net = Net(state_shape=inputs, action_shape=actions, hidden_sizes=(128, 128))
        policy = DiscreteQLearningPolicy(model=net, action_space=game.action_space, eps_training=EXPLORE)
        players.append(DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.9, target_update_freq=100))
    both = MultiAgentOffPolicyAlgorithm(algorithms=players, env=game)  # type: ignore[arg-type]
    envs = DummyVectorEnv([table] * ENVS)
    envs.seed(seed)
    collector = Collector[Any](both.policy, envs, VectorReplayBuffer(20_000, ENVS), exploration_noise=True)
    collector.reset()
    both.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=max(DUEL_TURNS, steps),
            collection_step_num_env_steps=DUEL_TURNS,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=DUEL_BATCH,
            compute_score_fn=lambda stats: float(stats.returns[:, 0].mean()),
            show_progress=False,
            verbose=False,
        )
    )
    return both, int(collector.collect_episode)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and evaluate on the lake; then let two players learn a game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="steps on the lake (%(default)s)")
    parser.add_argument("--turns", type=int, default=8_000, help="turns of Tic-Tac-Toe (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of networks, random draws and maps (%(default)s)")
    given = parser.parse_args(arguments)
    before, after = evaluate(learner()), evaluate(train(given.steps, given.seed))
    console = Console()
    console.print(
        f"Tianshou PPO: mean return on unseen maps {before:.2f} before, {after:.2f} after {given.steps:,} steps",
        highlight=False,
    )
    _, games = duel(given.turns, given.seed)
    console.print(f"Two DQN players finished {games} games of Tic-Tac-Toe in {given.turns:,} turns", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
