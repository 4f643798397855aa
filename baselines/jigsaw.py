"""Reinforcement learning puts a 2 x 2 jigsaw together: from chance to nearly always, within three exchanges.

    python -m agentgym.baselines.jigsaw --episodes 8000 --seed 0
    agentgym reproduce jigsaw

The player looks at the picture that the world draws and knows nothing of jigsaws but what it sees: for each two places,
how alike the pixels are of the sides that would touch if one piece lay right of, or below, the other. A network with
one hidden layer scores the six exchanges; policy gradients with a running mean as baseline (REINFORCE, Williams 1992)
train it on the pictures of `train`, and the panel of `test` is played before and after. Three exchanges put any four
pieces right, and whoever exchanges at random succeeds with them in about one picture of eight.

Source: AGILE (Zeng et al. 2025, arXiv:2510.01304), whose agents go from 9.5 % to 82.8 % of 2 x 2 jigsaws.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import agentgym
from agentgym.core.rng import stream
from agentgym.wrappers import Horizon

ENV = "AgentGym/Jigsaw-v0"
PLACES = range(4)
SWAPS = tuple(combinations(PLACES, 2))
PAIRS = tuple(permutations(PLACES, 2))
LINE = 4  # pixels between pieces
EXCHANGES, HIDDEN, BATCH, RATE, MIXED = 3, 64, 32, 0.01, 0.01
Vector = NDArray[np.float64]
Picture = NDArray[np.uint8]


def world(split: str) -> Any:
    """The jigsaw of 2 x 2 pieces that shows the board after each exchange, of which there are three.

    Args:
        split: Where its pictures come from.
    """
    made = gym.make(ENV, split=split, level="easy", feedback="always", render_mode="rgb_array")
    return Horizon(made, turns=EXCHANGES)


def features(picture: Picture) -> Vector:
    """What the player sees: for each ordered pair of places, the share of equal pixels on the sides that would touch.

    Args:
        picture: The board as it is drawn, uint8 (height, width, 3), with a line of `LINE` pixels between pieces.

    Returns:
        Shape (24,): 12 pairs side by side, then 12 one above the other, from -1 to 1.
    """
    side = (len(picture) - LINE) // 2
    ends = ((0, side), (side + LINE, 2 * side + LINE))
    pieces = [picture[top:bottom, left:right] for top, bottom in ends for left, right in ends]
    right = [_alike(pieces[one][:, -1], pieces[other][:, 0]) for one, other in PAIRS]
    below = [_alike(pieces[one][-1], pieces[other][0]) for one, other in PAIRS]
    return np.array(right + below)


def _alike(one: Picture, other: Picture) -> float:
    return 2 * float((one == other).all(-1).mean()) - 1


@dataclass
class Policy:
    """A network with one hidden layer, and Adam's running means (Kingma and Ba 2015).

    Attributes:
        weights: Of both layers, each with its biases in the last row.
    """

    weights: list[Vector]
    means: list[Vector] = field(default_factory=list)
    squares: list[Vector] = field(default_factory=list)
    updates: int = 0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Policy:
        """A policy that prefers nothing."""
        width = 2 * len(PAIRS) + 1
        return cls([rng.normal(0, width**-0.5, (width, HIDDEN)), np.zeros((HIDDEN + 1, len(SWAPS)))])

    def chances(self, seen: Vector) -> tuple[Vector, Vector]:
        """Chances of the six exchanges, and the hidden layer; shapes (rows, 6) and (rows, 65)."""
        hidden = _biased(np.tanh(_biased(seen) @ self.weights[0]))
        logits = hidden @ self.weights[1]
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True), hidden

    def learn(self, seen: Vector, taken: NDArray[np.int64], advantages: Vector) -> None:
        """One step up the policy gradient, with a small bonus for entropy.

        Args:
            seen: Shape (rows, 24).
            taken: The exchange of each row, shape (rows,).
            advantages: Shape (rows,).
        """
        chances, hidden = self.chances(seen)
        slope = (np.eye(len(SWAPS))[taken] - chances) * advantages[:, None]
        logs = np.log(chances + 1e-12)
        slope -= MIXED * chances * (logs - (chances * logs).sum(-1, keepdims=True))
        slope /= len(seen)
        inner = (slope @ self.weights[1][:-1].T) * (1 - hidden[:, :-1] ** 2)
        self._climb([_biased(seen).T @ inner, hidden.T @ slope])

    def _climb(self, slopes: Sequence[Vector]) -> None:
        if not self.means:
            self.means, self.squares = ([np.zeros_like(slope) for slope in slopes] for _ in range(2))
        self.updates += 1
        for layer, slope in enumerate(slopes):
            self.means[layer] = 0.9 * self.means[layer] + 0.1 * slope
            self.squares[layer] = 0.999 * self.squares[layer] + 0.001 * slope**2
            mean = self.means[layer] / (1 - 0.9**self.updates)
            square = self.squares[layer] / (1 - 0.999**self.updates)
            self.weights[layer] += RATE * mean / (np.sqrt(square) + 1e-8)


def _biased(rows: Vector) -> Vector:
    return np.concatenate([rows, np.ones((len(rows), 1))], 1)


def play(env: Any, policy: Policy, task: int, rng: np.random.Generator) -> tuple[list[Vector], list[int], bool]:
    """One episode: what was seen, which exchanges were made, and whether the picture became whole.

    Args:
        env: What `world` made.
        policy: Who plays.
        task: Index of the picture.
        rng: Draws the exchanges.
    """
    _, info = env.reset(seed=task, options={"task": task})
    seen: list[Vector] = []
    taken: list[int] = []
    ended = False
    while not ended:
        seen.append(features(env.render()))
        chances, _ = policy.chances(seen[-1][None])
        taken.append(int(rng.choice(len(SWAPS), p=chances[0])))
        one, other = SWAPS[taken[-1]]
        *_, terminated, truncated, info = env.step(f"swap {one + 1} and {other + 1}")
        ended = terminated or truncated
    return seen, taken, info["success"]


def success(env: Any, policy: Policy, tasks: int, seed: int) -> float:
    """Share of the first pictures of the panel that become whole.

    Args:
        env: What `world` made.
        policy: Who plays.
        tasks: How many.
        seed: Of the exchanges drawn.
    """
    won = [play(env, policy, task, stream("jigsaw.test", seed, task))[2] for task in range(tasks)]
    return sum(won) / tasks


def train(env: Any, policy: Policy, episodes: int, seed: int) -> list[float]:
    """Train on pictures of `train`, a new one each episode; the share of whole ones in each tenth of the episodes.

    Args:
        env: What `world` made.
        policy: Is changed.
        episodes: How many.
        seed: Of pictures and exchanges.
    """
    usual = 0.0
    won: list[float] = []
    tasks = stream("jigsaw.pictures", seed)
    for first in range(0, episodes, BATCH):
        games = [
            play(env, policy, int(tasks.integers(2**31)), stream("jigsaw.train", seed, first + place))
            for place in range(min(BATCH, episodes - first))
        ]
        returns = np.array([float(whole) for *_, whole in games])
        won += returns.tolist()
        lengths = [len(taken) for _, taken, _ in games]
        advantages = np.repeat(returns - usual, lengths)
        usual += 0.1 * (float(returns.mean()) - usual)
        policy.learn(
            np.array([row for seen, *_ in games for row in seen]),
            np.array([swap for _, taken, _ in games for swap in taken]),
            advantages,
        )
    part = max(1, episodes // 10)
    return [round(sum(won[at : at + part]) / len(won[at : at + part]), 4) for at in range(0, episodes, part)]


def measure(*, seed: int, episodes: int, tasks: int = 200) -> dict[str, float]:
    """Train, and play the panel; for `agentgym reproduce jigsaw`.

    Args:
        seed: Of all random draws.
        episodes: Of training; 0 for none.
        tasks: Pictures of the panel of `test`.

    Returns:
        `success` on the panel.
    """
    policy = Policy.drawn(stream("jigsaw.weights", seed))
    train(world("train"), policy, episodes, seed)
    return {"success": success(world("test"), policy, tasks, seed)}


def run(episodes: int = 8000, seed: int = 0, tasks: int = 200) -> dict[str, Any]:
    """Play the panel, train, and play it again.

    Args:
        episodes: Of training.
        seed: Of all random draws.
        tasks: Pictures of the panel of `test`.

    Returns:
        Success before and after, and during training.
    """
    policy = Policy.drawn(stream("jigsaw.weights", seed))
    panel, pictures = world("test"), world("train")
    before = success(panel, policy, tasks, seed)
    curve = train(pictures, policy, episodes, seed)
    after = success(panel, policy, tasks, seed)
    return {
        "env": ENV, "version": agentgym.__version__, "seed": seed, "episodes": episodes, "tasks": tasks,
        "before": before, "after": after, "curve": curve,
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Run and print the figures as JSON; 1 unless the panel is solved beyond 80 %."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.jigsaw", description="Learn to put jigsaws together.")
    parser.add_argument("--episodes", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=200)
    found = run(**vars(parser.parse_args(arguments)))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0 if found["after"] > 0.8 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
