"""Independent PPO on ColorGrid: what is read of the board, that a step of it learns, and that figures repeat."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

import agentgym  # noqa: E402
from agentgym.baselines.color_grid import GAME, HORIZON, SIZE, WIDTH, Network, Played, features, learn, measure, play  # noqa: E402

BOARD = "\n".join(["....R...", "........", "..LB....", "........", "........", "..F.....", "........", "G......."])


def test_what_is_read_of_the_board() -> None:
    seen = features(f"{BOARD}\nYou are L at (2, 5). Red counts.", "L", "green", -1.0)
    assert seen.shape == (WIDTH,)
    red, blue, green = seen[:12], seen[12:24], seen[24:36]
    assert red[:4].tolist() == [1, 0, 0, 1], "the red block lies above and to the right"
    assert not red[4:8].any()
    assert blue[4:8].tolist() == [0, 0, 0, 1], "a step to the right takes the blue one"
    assert (red[9], blue[9], green[9]) == (1, 0, 0), "red counts"
    assert (red[10], blue[10], green[10]) == (0, 0, 1), "the leader took green last"
    assert seen[-1] == -1
    followed = features(f"The leader takes a blue block.\n{BOARD}\nYou are F at (2, 2).", "F", "blue", 0.0)
    assert followed[12 + 11] == 1
    assert not followed[[9, 21, 33]].any(), "it is not told"


def test_what_is_rewarded_becomes_likelier() -> None:
    """Whoever is paid for taking the color that counts comes to take it, wherever it lies."""
    torch.manual_seed(0)
    network, rng = Network(), np.random.default_rng(0)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    seen = np.zeros((2, HORIZON, WIDTH), np.float32)
    seen[:, :, 12 + 9] = 1  # blue counts
    where = rng.integers(4, size=(2, HORIZON))
    np.put_along_axis(seen[:, :, 12 + 4 : 12 + 8], where[..., None], 1, 2)
    flat = torch.from_numpy(seen.reshape(-1, WIDTH))

    def chance() -> float:
        with torch.no_grad():
            return float(network(flat)[0].exp().gather(1, torch.from_numpy(where.reshape(-1, 1))).mean())

    assert chance() == pytest.approx(0.25, abs=0.1)
    for _ in range(15):
        with torch.no_grad():
            logprobs, values = network(flat)
        moves = rng.integers(4, size=(2, HORIZON))
        taken = np.take_along_axis(logprobs.numpy().reshape(2, HORIZON, 4), moves[..., None], 2)[..., 0]
        rewards = (moves == where).astype(np.float32)
        learn(network, optimizer, Played(seen, moves, taken, values.numpy().reshape(2, HORIZON), rewards), rng)
    assert chance() > 0.6


def test_games_are_those_of_the_world_and_repeat() -> None:
    games = [agentgym.make(GAME, split="test", size=SIZE, horizon=HORIZON) for _ in range(2)]
    networks = {who: Network() for who in games[0].possible_agents}
    one, points = play(games, [0, 1], networks, 0)
    other, again = play(games, [0, 1], networks, 0)
    assert points == again
    for who in networks:
        assert (one[who].moves == other[who].moves).all()
        assert one[who].rewards.sum() / 2 == pytest.approx(points), "both are paid what both take"


@pytest.mark.full
def test_figures_are_shares_of_the_oracles() -> None:
    found = measure(seed=0, nonstationary=True, told=False, updates=1)
    assert found["oracle"] > 5
    assert found["share"] == pytest.approx(found["points"] / found["oracle"])
