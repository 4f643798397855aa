"""The jigsaw's learner: what it sees, and that learning is what makes it solve pictures that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.baselines.jigsaw import PAIRS, Policy, features, run, world
from agentgym.core.rng import stream

BOARD = ("AB", "AB"), ("BC", "CC"), ("BB", "CC"), ("AA", "CB")  # the rows of the four pieces
COLORS = {"A": (36, 113, 163), "B": (39, 174, 96), "C": (241, 196, 15)}


def drawn() -> np.ndarray:
    """The board with cells of 12 pixels and lines of 4, as the world draws it."""
    picture = np.full((2 * 24 + 4, 2 * 24 + 4, 3), 255, np.uint8)
    for place, rows in enumerate(BOARD):
        top, left = place // 2 * 28, place % 2 * 28
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                picture[top + 12 * y : top + 12 * y + 12, left + 12 * x : left + 12 * x + 12] = COLORS[cell]
    return picture


def test_what_is_seen_is_how_alike_sides_are() -> None:
    seen = dict(zip([(way, *pair) for way in ("right", "below") for pair in PAIRS], features(drawn()), strict=True))
    assert len(seen) == 24
    assert seen["right", 0, 1] == 0, "B over B beside B over C"
    assert seen["right", 2, 3] == 0, "B over C beside A over C"
    assert seen["right", 1, 0] == -1
    assert seen["below", 0, 2] == 0, "A B above B B"
    assert seen["right", 2, 1] == 1, "B over C twice"
    assert seen["below", 3, 1] == -1, "C B above B C"


def test_the_picture_is_that_of_the_world() -> None:
    env = world("test")
    env.reset(seed=0, options={"task": 0})
    while not env.unwrapped.ended:
        one = env.render()
        assert one.shape == (100, 100, 3)
        assert (one[48:52] == 255).all()
        assert (one[:, 48:52] == 255).all()
        env.step(env.oracle_action())
    seen = dict(
        zip([(way, *pair) for way in ("right", "below") for pair in PAIRS], features(env.render()), strict=True)
    )
    assert seen["right", 0, 1] == seen["right", 2, 3] == seen["below", 0, 2] == seen["below", 1, 3] == 1, "it is whole"


def test_the_world_gives_three_exchanges_and_all_pictures_can_be_put_right_with_them() -> None:
    env = world("test")
    for task in range(20):
        _, info = env.reset(seed=task, options={"task": task})
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(env.oracle_action())
            ended = terminated or truncated
        assert info["success"]


def test_the_gradient_raises_what_was_rewarded() -> None:
    rng = stream("tests.jigsaw", 0)
    policy = Policy.drawn(rng)
    seen = rng.normal(size=(6, 24))
    before, _ = policy.chances(seen)
    assert before == pytest.approx(np.full((6, 6), 1 / 6)), "nothing is preferred at first"
    for _ in range(20):
        policy.learn(seen, np.arange(6), np.ones(6))
    after, _ = policy.chances(seen)
    assert (after.argmax(1) == np.arange(6)).all()


@pytest.mark.full
def test_learning_solves_pictures_of_the_panel() -> None:
    found = run(episodes=1600, seed=0, tasks=50)
    assert found["before"] < 0.3
    assert found["after"] > found["before"] + 0.3
    assert found["curve"][-1] > found["curve"][0]
