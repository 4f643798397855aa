"""The jigsaw's learner: what it sees, and that learning is what makes it solve pictures that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.baselines.jigsaw import PAIRS, Policy, features, run, world
from agentgym.core.rng import stream

BOARD = """Places.
A B | B C
A B | C C
----+----
B B | A A
C C | C B
You have 3 turns."""


def test_what_is_seen_is_how_alike_sides_are() -> None:
    seen = dict(zip([(way, *pair) for way in ("right", "below") for pair in PAIRS], features(BOARD), strict=True))
    assert len(seen) == 24
    assert seen["right", 0, 1] == 0, "B over B beside B over C"
    assert seen["right", 2, 3] == 0
    assert seen["right", 1, 0] == -1
    assert seen["below", 0, 2] == 0, "A B above B B"
    assert seen["below", 3, 1] == -1, "C B above B C"
    assert seen["below", 1, 3] == -1


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


def test_learning_solves_pictures_of_the_panel() -> None:
    found = run(episodes=1600, seed=0, tasks=50)
    assert found["before"] < 0.3
    assert found["after"] > found["before"] + 0.3
    assert found["curve"][-1] > found["curve"][0]
