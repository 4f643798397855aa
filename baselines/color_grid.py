"""Independent PPO on ColorGrid: a leader and a follower learn by themselves, each its own network.

    python -m agentgym.baselines.color_grid --told false --nonstationary true --seed 0
    agentgym reproduce colorgrid

Each reads the board as the game writes it: for each color, which move brings it nearer to the nearest block and which
would take one, the color that counts if it is told, what the leader has taken last, and what its own last move earned.
A network scores the four moves and says what is still to come; clipped policy gradients train it
(PPO, Schulman et al. 2017) on its own observations and rewards, and the other player is part of its world (IPPO, de
Witt et al. 2020). `share` is what both take together on the first tasks of `test`, as a share of what the oracle takes.

Source: ColorGrid (arXiv:2501.10593), where IPPO learns with a goal that switches or a follower that is not told it, and
not with both.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import agentgym
from agentgym.core.rng import stream, stream_seed

GAME = "AgentGym/ColorGrid-v0"
MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}  # columns and lines from the top
COLORS = {"red": "R", "blue": "B", "green": "G"}
SIZE, HORIZON, GAMES, TESTS = 8, 64, 8, 20
DISCOUNT, TRACE, CLIP, EPOCHS, BATCH, RATE, ENTROPY, VALUE = 0.9, 0.9, 0.2, 8, 128, 5e-3, 0.01, 0.5
ROW, COUNTS = re.compile(r"^[.RBGLF]+$"), re.compile(r"\b(red|blue|green) counts", re.IGNORECASE)
TAKES = re.compile(r"The leader takes a (red|blue|green) block")
PER_COLOR, COMMON = 12, 5  # numbers that are seen of each color, and besides
WIDTH = len(COLORS) * PER_COLOR + COMMON
Vector = NDArray[np.float32]


def features(text: str, sign: str, led: str, earned: float) -> Vector:
    """What a player sees, shape (41,).

    Args:
        text: Its observation.
        sign: Its own sign on the board, `L` or `F`.
        led: The color that the leader took last; "" for none.
        earned: Its last reward.
    """
    rows = [line for line in text.split("\n") if ROW.match(line)][-SIZE:]
    ((x, y),) = [(row.index(sign), y) for y, row in enumerate(rows) if sign in row]
    colors, common = np.zeros((len(COLORS), PER_COLOR), np.float32), np.zeros(COMMON, np.float32)
    told, taken = COUNTS.findall(text), TAKES.findall(text)
    for number, (color, letter) in enumerate(COLORS.items()):
        blocks = [(bx - x, by - y) for by, row in enumerate(rows) for bx, cell in enumerate(row) if cell == letter]
        near = min(blocks, key=lambda block: abs(block[0]) + abs(block[1]), default=(0, 0))
        for move, (dx, dy) in enumerate(MOVES.values()):
            colors[number, move] = near[0] * dx + near[1] * dy > 0
            colors[number, 4 + move] = (dx, dy) in blocks
        colors[number, 8] = (abs(near[0]) + abs(near[1])) / SIZE
        colors[number, 9] = bool(told) and told[-1].lower() == color
        colors[number, 10] = led == color
        colors[number, 11] = bool(taken) and taken[-1] == color
    for move, (dx, dy) in enumerate(MOVES.values()):
        inside = 0 <= x + dx < SIZE and 0 <= y + dy < SIZE
        common[move] = not inside or rows[y + dy][x + dx] in "LF"
    common[4] = earned
    return np.concatenate([colors.ravel(), common])


class Network(nn.Module):
    """Scores of the four moves, and what is still to come; the same weights read every color and every move."""

    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
        self.value = nn.Sequential(nn.Linear(WIDTH, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities (rows, 4) and values (rows,) of what is seen (rows, 41)."""
        rows, moves = len(seen), len(MOVES)
        colors, common = seen[:, :-COMMON].view(rows, len(COLORS), PER_COLOR), seen[:, -COMMON:]
        by_move = colors[:, :, : 2 * moves].view(rows, -1, 2, moves).transpose(2, 3)  # whether it nears, it takes
        of_color = colors[:, :, None, 2 * moves :].expand(-1, -1, moves, -1)
        blocked = common[:, None, :moves, None].expand(-1, len(COLORS), -1, -1)
        earned = common[:, None, None, moves:].expand(-1, len(COLORS), moves, -1)
        scores = self.scores(torch.cat([by_move, of_color, blocked, earned], -1)).sum(1)[..., 0]
        return torch.log_softmax(scores, -1), self.value(seen)[:, 0]


@dataclass
class Played:
    """What a player did in some games; arrays of shape (games, steps) but `seen` (games, steps, 41)."""

    seen: Vector
    moves: NDArray[np.int64]
    logprobs: Vector
    values: Vector
    rewards: Vector

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Played:
        """Room for so many games and steps."""
        numbers = [np.zeros(shape, np.float32) for _ in range(3)]
        return cls(np.zeros((*shape, WIDTH), np.float32), np.zeros(shape, np.int64), *numbers)


def play(
    games: Sequence[Any], tasks: Sequence[Any], networks: Mapping[str, Network], seed: int
) -> tuple[dict[str, Played], float]:
    """Play games side by side; what each player did, and the mean of the points that both took.

    Args:
        games: One a task.
        tasks: Tasks.
        networks: By player.
        seed: Of the games and the moves drawn.
    """
    players = list(networks)
    begun = enumerate(zip(games, tasks, strict=True))
    texts = [game.reset(seed=seed + place, options={"task": task})[0] for place, (game, task) in begun]
    rng, shape = stream("color_grid.moves", seed), (len(games), HORIZON)
    kept = {who: Played.empty(shape) for who in players}
    led, earned = [""] * len(games), {who: np.zeros(len(games)) for who in players}
    points = 0.0
    for step in range(HORIZON):
        for place, text in enumerate(texts):
            led[place] = [led[place], *TAKES.findall(text[players[0]]["text"])][-1]
        for who, sign in zip(players, "LF", strict=True):
            shown = zip(texts, led, earned[who], strict=True)
            seen = np.stack([features(text[who]["text"], sign, leader, last) for text, leader, last in shown])
            with torch.no_grad():
                logprobs, values = networks[who](torch.from_numpy(seen))
            chances = logprobs.double().exp().numpy()
            drawn = (chances.cumsum(1) < rng.random((len(games), 1)) * chances.sum(1, keepdims=True)).sum(1).clip(max=3)
            one = kept[who]
            one.seen[:, step], one.moves[:, step], one.values[:, step] = seen, drawn, values.numpy()
            one.logprobs[:, step] = logprobs.numpy()[np.arange(len(games)), drawn]
        for place, game in enumerate(games):
            said = {who: list(MOVES)[kept[who].moves[place, step]] for who in players}
            texts[place], rewards, _, _, infos = game.step(said)
            points += sum(infos[who]["metrics"]["own"] for who in players)
            for who in players:
                kept[who].rewards[place, step] = earned[who][place] = rewards[who]
    return kept, points / len(games)


def learn(network: Network, optimizer: torch.optim.Optimizer, played: Played, rng: np.random.Generator) -> None:
    """Some passes of clipped policy gradients over what a player did.

    Args:
        network: Is changed.
        optimizer: Of its weights.
        played: What it did.
        rng: Deals the minibatches.
    """
    advantages = np.zeros_like(played.rewards)
    ahead = later = np.zeros(len(advantages), np.float32)
    for step in reversed(range(HORIZON)):
        error = played.rewards[:, step] + DISCOUNT * later - played.values[:, step]
        ahead = error + DISCOUNT * TRACE * ahead
        advantages[:, step], later = ahead, played.values[:, step]
    returns = torch.from_numpy((advantages + played.values).ravel())
    gains = torch.from_numpy(((advantages - advantages.mean()) / (advantages.std() + 1e-6)).ravel())
    seen, moves = torch.from_numpy(played.seen.reshape(-1, WIDTH)), torch.from_numpy(played.moves.ravel())
    before = torch.from_numpy(played.logprobs.ravel())
    for _ in range(EPOCHS):
        order = torch.from_numpy(rng.permutation(len(moves)))
        for rows in order.split(BATCH):
            logprobs, values = network(seen[rows])
            ratio = (logprobs.gather(1, moves[rows, None])[:, 0] - before[rows]).exp()
            gain = torch.minimum(ratio * gains[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * gains[rows]).mean()
            entropy = -(logprobs.exp() * logprobs).sum(-1).mean()
            loss = VALUE * (values - returns[rows]).square().mean() - gain - ENTROPY * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def oracle_points(game: Any, tasks: int) -> float:
    """What two oracles take on the first tasks.

    Args:
        game: The game.
        tasks: How many.
    """
    points = 0.0
    for task in range(tasks):
        game.reset(seed=task, options={"task": task})
        while game.agents:
            _, _, _, _, infos = game.step({who: game.unwrapped.oracle_action(who) for who in game.agents})
            points += sum(info["metrics"]["own"] for info in infos.values())
    return points / tasks


def measure(*, seed: int, nonstationary: bool, told: bool, updates: int = 30) -> dict[str, float]:
    """Train both players, and play tasks of `test` before and after.

    Args:
        seed: Of networks, games and moves.
        nonstationary: Whether the color that counts switches.
        told: Whether the follower is told it.
        updates: Of each network.

    Returns:
        `share` and `share_before`, `points`, `oracle`: points of both a game.
    """
    options = {"size": SIZE, "horizon": HORIZON, "nonstationary": nonstationary, "told": told}
    with torch.random.fork_rng():
        torch.manual_seed(stream_seed("color_grid.weights", seed))
        networks = {who: Network() for who in agentgym.make(GAME).possible_agents}
    optimizers = {who: torch.optim.Adam(network.parameters(), RATE) for who, network in networks.items()}
    games = [agentgym.make(GAME, split="train", **options) for _ in range(GAMES)]
    panel = [agentgym.make(GAME, split="test", **options) for _ in range(TESTS)]
    before = play(panel, range(TESTS), networks, 0)[1]
    draws = stream("color_grid.games", seed)
    for _ in range(updates):
        tasks, start = [int(task) for task in draws.integers(2**31, size=GAMES)], int(draws.integers(2**31))
        for who, played in play(games, tasks, networks, start)[0].items():
            learn(networks[who], optimizers[who], played, draws)
    points, best = play(panel, range(TESTS), networks, 0)[1], oracle_points(panel[0], TESTS)
    return {"share": points / best, "share_before": before / best, "points": points, "oracle": best}


def main(arguments: Sequence[str]) -> int:
    """Run and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.color_grid", description="Independent PPO on ColorGrid.")
    for name in ("nonstationary", "told"):
        parser.add_argument(f"--{name}", type=json.loads, default=name == "nonstationary", metavar="true|false")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=30)
    torch.set_num_threads(1)
    given = vars(parser.parse_args(arguments))
    sys.stdout.write(json.dumps({**given, **measure(**given)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
