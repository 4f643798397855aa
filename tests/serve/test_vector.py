from __future__ import annotations

import numpy as np

import agentgym
from agentgym.core.rng import stream
from tests.serve.conftest import Running


def test_a_vector_plays_as_it_plays_here(server: Running) -> None:
    here = agentgym.make_vec("FrozenLake-v0", 40)
    there = agentgym.connect(server.url, "FrozenLake-v0", 40)
    (texts, infos), (shown, told) = here.reset(seed=7), there.reset(seed=7)
    rng = stream("tests.serve.vector")
    for _ in range(12):
        assert texts == shown
        assert list(infos["task_id"]) == list(told["task_id"])
        actions = [("up", "down", "left", "right")[number] for number in rng.integers(4, size=40)]
        live = rng.random(40) < 0.8
        texts, *arrays, infos = here.step(actions, live=live)
        shown, *others, told = there.step(actions, live=live)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(arrays, others, strict=True))
    assert here.call("admissible_actions") == there.call("admissible_actions")
    there.close()
