"""Learning in context: what is read of a lake, that attention looks back alone, and that attempts teach."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.baselines.in_context import STEPS, TRIALS, WORDS, Policy, maps, play, run, world  # noqa: E402
from agentgym.core.rng import stream  # noqa: E402


def test_maps_are_read_where_an_attempt_ends_and_the_next_begins() -> None:
    env = world("test")
    text, info = env.reset(seed=0, options={"task": 0})
    ((me, goal),) = maps(text)
    assert me != goal
    for _ in range(200):
        text, *_, info = env.step(WORDS[0])
        if info["trial"] == 2:
            break
    assert len(maps(text)) == 2, "where the first attempt ended, and where the second begins"
    assert maps(text)[1] == (me, goal), "at the same place again"


def test_a_won_attempt_does_not_end_the_episode() -> None:
    env = world("test")
    env.reset(seed=0, options={"task": 0})
    ended, info = False, {}
    while not ended:
        *_, terminated, truncated, info = env.step(env.oracle_action())
        ended = terminated or truncated
    assert info["trial_successes"] == [True] * TRIALS
    assert info["trial_returns"] == [1.0] * TRIALS


def test_attention_sees_earlier_steps_alone() -> None:
    policy, rng = Policy(True), np.random.default_rng(0)
    goals, led, said = (torch.from_numpy(rng.random((2, 6, n)).astype(np.float32)) for n in (4, 5, 4))
    whole = policy(goals, led, said)
    assert torch.allclose(whole[:, :4], policy(goals[:, :4], led[:, :4], said[:, :4]), atol=1e-6)
    said[:, 3, 0] += 1
    changed = policy(goals, led, said)
    assert torch.allclose(changed[:, :4], whole[:, :4])
    assert not torch.allclose(changed[:, 4:], whole[:, 4:])
    blind = Policy(False)
    assert torch.allclose(blind(goals, led, said), blind(goals, led, said.flip(2))), "no memory, no difference"


def test_episodes_stay_within_their_steps() -> None:
    found = play([world("test"), world("test")], [0, 1], Policy(True), stream("tests.in_context", 0))
    assert found.alive.sum(1).max() <= STEPS
    assert ((found.said.sum(-1) == 1) == (found.alive == 1)).all()
    assert (found.rewards.sum(1) == found.won.sum(1)).all(), "each success pays 1"


@pytest.mark.full
def test_returns_rise_over_attempts_with_memory_and_not_without() -> None:
    attending, blind = (run(seed=0, memory=memory, updates=25) for memory in (True, False))
    assert attending[-1] > attending[0] + 0.15
    assert attending[-1] > blind[-1] + 0.15
    assert abs(blind[-1] - blind[0]) < 0.2
