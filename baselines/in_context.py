"""Learning in context: a policy that attends to all its attempts at a hidden task does better in each further one.

    python -m agentgym.baselines.in_context --memory true --seed 0
    agentgym reproduce in_context

A lake without holes whose four words lead in directions that each task exchanges and nobody tells. An episode is eight
attempts at one task in one context (`Trials`), and weights do not change in it. For each step the policy attends, with
two heads, to all earlier steps of the episode by where they led, and reads which word was said there: the words that
led where the goal lies, or those that have been tried. Each head has a sink, so that it can attend to nothing. Policy
gradients (REINFORCE, with the mean of the batch at each step as baseline) train it. Without memory the same policy sees
where the goal lies and nothing of what came before.

Source: ReLIC (Elawady et al. 2024, arXiv:2410.02751): attention over whole trials with sinks, and returns that rise
within a context.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import agentgym
from agentgym.core.rng import stream, stream_seed
from agentgym.wrappers import Horizon, Trials

GAME = "FrozenLakeHidden-v0"
WORDS = ("left", "down", "right", "up")
WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # columns and lines
SIZE, TURNS, TRIALS = 4, 10, 8
STEPS, BATCH, TESTS = TURNS * TRIALS, 24, 60
HEADS, WIDTH, DISCOUNT, RATE, ENTROPY = 2, 8, 0.95, 0.02, 0.01
Array = NDArray[np.float32]


def world(split: str) -> Any:
    """Eight attempts at a lake of which the words are to be found out.

    Args:
        split: Where its tasks come from.
    """
    lake = agentgym.make(GAME, split=split, size=SIZE, frozen=1.0, hide="words")
    return Trials(Horizon(lake, turns=TURNS), trials=TRIALS, reflect=False, until_success=False)


def maps(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Player and goal on each map of a text, as column and line; at the goal both are one.

    Args:
        text: What is seen.
    """
    rows = [row.split(" ") for row in text.split("\n") if len(row) == 2 * SIZE - 1 and set(row) <= set("P_OGX√ ")]
    found = []
    for first in range(0, len(rows) - SIZE + 1, SIZE):
        cells = {cell: (x, y) for y, row in enumerate(rows[first : first + SIZE]) for x, cell in enumerate(row)}
        me = cells.get("P", cells.get("√", (0, 0)))
        found.append((me, cells.get("G", me)))
    return found


class Policy(nn.Module):
    """Scores of the four words, equally for whichever word it is.

    Args:
        memory: Whether it attends to earlier steps.
    """

    def __init__(self, memory: bool):
        super().__init__()
        self.memory = memory
        self.query, self.key = nn.Linear(5, HEADS * WIDTH), nn.Linear(5, HEADS * WIDTH)
        self.sink, self.weigh = nn.Parameter(torch.zeros(HEADS)), nn.Parameter(torch.tensor([1.0, -1.0]))
        self.plain = nn.Linear(4, 4)

    def forward(self, goals: Tensor, led: Tensor, said: Tensor) -> Tensor:
        """Log-probabilities of the words at each step, shape (episodes, steps, 4).

        Args:
            goals: Whether the goal lies left, below, right, above at each step, shape (episodes, steps, 4).
            led: In which of these directions each step led, and whether nowhere, shape (episodes, steps, 5).
            said: Which word was said, shape (episodes, steps, 4).
        """
        scores = self.plain(goals)
        if not self.memory:
            return torch.log_softmax(scores, -1)
        episodes, steps, _ = goals.shape
        asked = torch.cat([goals, torch.ones(episodes, steps, 1)], -1)
        query = self.query(asked).view(episodes, steps, HEADS, WIDTH).transpose(1, 2)
        key = self.key(led).view(episodes, steps, HEADS, WIDTH).transpose(1, 2)
        alike = query @ key.transpose(2, 3)  # (episodes, heads, steps, earlier steps)
        alike = alike.masked_fill(torch.ones(steps, steps, dtype=torch.bool).triu(), float("-inf"))
        sink = self.sink.view(1, HEADS, 1, 1).expand(episodes, -1, steps, 1)
        shares = torch.softmax(torch.cat([alike, sink], -1), -1)[..., :-1]
        read = shares @ said[:, None]  # (episodes, heads, steps, 4)
        return torch.log_softmax(scores + 4 * (read * self.weigh.view(1, HEADS, 1, 1)).sum(1), -1)


@dataclass
class Played:
    """Episodes: what the policy is given, shape (episodes, steps, ...), and what came of them.

    Attributes:
        goals, led, said: As `Policy.forward` takes them.
        words: Which word was said, shape (episodes, steps).
        rewards: At each step; 0 after the end.
        alive: Whether the episode was under way.
        won: Whether each attempt succeeded, shape (episodes, TRIALS).
    """

    goals: Array
    led: Array
    said: Array
    words: NDArray[np.int64]
    rewards: Array
    alive: Array
    won: Array


def play(envs: Sequence[Any], tasks: Sequence[int], policy: Policy, rng: np.random.Generator) -> Played:
    """Play an episode of each task, side by side.

    Args:
        envs: One a task.
        tasks: Indices.
        policy: Who plays.
        rng: Draws the words.
    """
    count = len(tasks)
    found = Played(
        np.zeros((count, STEPS, 4), np.float32), np.zeros((count, STEPS, 5), np.float32),
        np.zeros((count, STEPS, 4), np.float32), np.zeros((count, STEPS), np.int64),
        np.zeros((count, STEPS), np.float32), np.zeros((count, STEPS), np.float32),
        np.zeros((count, TRIALS), np.float32),
    )  # fmt: skip
    seen = [maps(env.reset(seed=task, options={"task": task})[0])[-1] for env, task in zip(envs, tasks, strict=True)]
    ended = [False] * count
    for step in range(STEPS):
        for place, (me, goal) in enumerate(seen):
            away = (goal[0] - me[0], goal[1] - me[1])
            found.goals[place, step] = [away[0] * dx + away[1] * dy > 0 for dx, dy in WAYS]
        with torch.no_grad():
            given = (torch.from_numpy(each[:, : step + 1]) for each in (found.goals, found.led, found.said))
            chances = policy(*given)[:, -1].double().exp().numpy()
        drawn = (chances.cumsum(1) < rng.random((count, 1)) * chances.sum(1, keepdims=True)).sum(1).clip(max=3)
        for place, env in enumerate(envs):
            if ended[place]:
                continue
            text, reward, terminated, truncated, info = env.step(WORDS[drawn[place]])
            shown, before = maps(text), seen[place][0]
            way = (shown[0][0][0] - before[0], shown[0][0][1] - before[1])
            found.led[place, step, WAYS.index(way) if way in WAYS else 4] = 1
            found.said[place, step, drawn[place]] = found.alive[place, step] = 1
            found.words[place, step], found.rewards[place, step] = drawn[place], reward
            seen[place], ended[place] = shown[-1], terminated or truncated
            if ended[place]:
                found.won[place, : len(info["trial_successes"])] = info["trial_successes"]
        if all(ended):
            break
    return found


def learn(policy: Policy, optimizer: torch.optim.Optimizer, played: Played) -> None:
    """One step up the policy gradient.

    Args:
        policy: Is changed.
        optimizer: Of its weights.
        played: What it did.
    """
    returns, later = np.zeros_like(played.rewards), np.zeros(len(played.rewards), np.float32)
    for step in reversed(range(STEPS)):
        later = played.rewards[:, step] + DISCOUNT * later
        returns[:, step] = later
    alive = torch.from_numpy(played.alive)
    gains = torch.from_numpy(returns - (returns * played.alive).sum(0) / np.maximum(played.alive.sum(0), 1)) * alive
    logprobs = policy(*(torch.from_numpy(each) for each in (played.goals, played.led, played.said)))
    chosen = logprobs.gather(2, torch.from_numpy(played.words)[..., None])[..., 0]
    entropy = -(logprobs.exp() * logprobs).sum(-1)
    loss = -((chosen * gains / (gains.std() + 1e-6) + ENTROPY * entropy) * alive).sum() / alive.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def run(*, seed: int, memory: bool, updates: int = 40) -> list[float]:
    """Train on tasks of `train`; the share of tasks of `test` solved in each attempt.

    Args:
        seed: Of weights, tasks and words.
        memory: Whether the policy attends to earlier steps.
        updates: Of the policy.
    """
    with torch.random.fork_rng():
        torch.manual_seed(stream_seed("in_context.weights", seed))
        policy = Policy(memory)
    optimizer = torch.optim.Adam(policy.parameters(), RATE)
    envs, draws = [world("train") for _ in range(BATCH)], stream("in_context", seed)
    for _ in range(updates):
        learn(policy, optimizer, play(envs, [int(task) for task in draws.integers(2**31, size=BATCH)], policy, draws))
    tested = play([world("test") for _ in range(TESTS)], range(TESTS), policy, stream("in_context.test", seed))
    return [round(float(share), 4) for share in tested.won.mean(0)]


def measure(*, seed: int, memory: bool, updates: int = 40) -> dict[str, float]:
    """For `agentgym reproduce in_context`.

    Args:
        seed: Of all random draws.
        memory: Whether the policy attends to earlier steps.
        updates: Of the policy.

    Returns:
        `first` and `last`, the shares of tasks solved in these attempts, and `rise`, by how much they differ.
    """
    curve = run(seed=seed, memory=memory, updates=updates)
    return {"first": curve[0], "last": curve[-1], "rise": curve[-1] - curve[0]}


def main(arguments: Sequence[str]) -> int:
    """Run and print the curve as JSON."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.in_context", description="Learning in context.")
    parser.add_argument("--memory", type=json.loads, default=True, metavar="true|false")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=40)
    torch.set_num_threads(1)
    given = vars(parser.parse_args(arguments))
    sys.stdout.write(json.dumps({**given, "solved_by_attempt": run(**given)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
