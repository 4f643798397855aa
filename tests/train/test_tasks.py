"""Task samplers: those that set how an episode begins."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool
from agentgym.rollout.wrapping import named_wrapper
from agentgym.train import Trainer, load_recipe
from agentgym.train.tasks import Hinted, Staged
from tests.rollout.worlds import ID, TURNS
from tests.train.making import episode
from tests.train.methods import clumsy, small

HINTS = {"name": "Hints", "fraction": 0.0}


def test_a_task_that_all_fail_comes_with_more_of_a_hint_and_one_that_all_solve_with_less() -> None:
    sampler = Hinted(pool=4, step=0.5)
    fail, win = episode([0.0]), episode([1.0])
    for expected in (0.5, 1.0, 1.0):
        sampler.record([fail, fail, win, fail], [0, 0, 1, 1])
        assert sampler.options(0) == {"hint_fraction": expected}
    assert sampler.options(1) == {"hint_fraction": 0.0}  # the group differs, and has something to learn from
    sampler.record([win, win], [0, 0])
    again = Hinted(pool=4, step=0.5)
    again.load(sampler.state())
    assert again.options(0) == {"hint_fraction": 0.5}
    assert set(sampler.draw(np.random.default_rng(0), 64, 2)) == {0, 1}
    assert sampler.take_counts()["hinted"] == 3
    with pytest.raises(AgentGymError, match="needs the wrapper Hints"):
        load_recipe("grpo", {"rollout.tasks": "hinted"})
    with pytest.raises(AgentGymError, match="above 0 and at most 1"):
        Hinted(step=0)


def test_hints_come_where_all_failed_and_are_not_learned_under() -> None:
    recipe = small(
        "filtered_cloning",
        rollout__tasks={"name": "hinted", "pool": 4, "step": 1.0},
        world__wrappers=[HINTS],
        players={"act": {"policy": "policy", "plain": True}},
        update__updates=4,
    )
    engine = clumsy()
    trainer = Trainer(recipe, engine, EnvPool(ID, wrappers=(named_wrapper(HINTS),)))
    seen: list[object] = []
    report = trainer._metrics
    trainer._metrics = lambda *args: seen.extend(each.episodes for each in args[2]) or report(*args)  # type: ignore
    history = trainer.train()
    learned = [one for own in seen for one in own]  # type: ignore[attr-defined]
    assert history[-1]["counters"]["Hinted"]["tasks"] == 8
    for one in learned:
        read = "".join(engine.tokenizer.decode(segment.token_ids) for segment in one.segments)
        assert "Hint" not in read
        assert len(one.turns) <= TURNS


def test_stages_open_from_the_tasks_of_short_successes_to_all() -> None:
    """Task 3 is solved in one turn, 1 in two, 0 in three, and 2 never."""
    sampler, rng = Staged(pool=4, stages=2, look=1, length=2), np.random.default_rng(0)
    assert set(sampler.draw(rng, 64, None)) == {0, 1, 2, 3}
    episodes = [episode([0.0, 0.0, 1.0]), episode([0.0, 1.0]), episode([0.0]), episode([1.0]), episode([0.0, 0.0])]
    sampler.record(episodes, [0, 1, 2, 3, 3])
    again = Staged(pool=4, stages=2, look=1, length=2)
    again.load(json.loads(json.dumps(sampler.state())))
    for each in (sampler, again):
        assert each.stage == 1
        drawn = np.random.default_rng(1)
        assert [set(each.draw(drawn, 64, 100)) for _ in range(3)] == [{1, 3}, {1, 3}, {0, 1, 2, 3}]
        assert each.stage == 2
    assert sampler.take_counts() == {"stage": 0 + 1 + 1 + 2}
    assert set(Staged(pool=4, stages=2).draw(rng, 64, 2)) == {0, 1}, "a split may be smaller than the pool"
    with pytest.raises(AgentGymError, match="stages must be at least 2, got 1"):
        Staged(stages=1)
    with pytest.raises(AgentGymError, match="look must be at least 0"):
        Staged(look=-1)
