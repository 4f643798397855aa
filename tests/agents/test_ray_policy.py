"""Actors of Ray say what the same policy says in the process, from the weights of their version, and none is missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents.ray_policy import RayPolicy
from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import EnvPool
from agentgym.train import HuggingFaceEngine, read_recipe
from agentgym.train.asynchronous import AsyncTrainer
from agentgym.train.policies import trainable
from agentgym.train.served import ServedTrainer
from tests.rollout.worlds import ID
from tests.vector.ray_cluster import NODES, Cluster, running_cluster

Make = Callable[..., HuggingFaceEngine]
NEAR = 1e-4  # nats between the same sum in other batches
SEEN = ("red", "blue", "green")
TABLE: dict[str, Any] = {
    "world": {"id": ID},
    "model": {"name": "unused"},
    "rollout": {"groups": 2, "group_size": 2, "engine": {"name": "ray", "actors": 2}},
    "advantage": [{"name": "group_relative"}],
    "loss": {"name": "policy_gradient"},
    "regularizer": [{"name": "entropy", "coefficient": 0.1}],
    "update": {"updates": 3, "learning_rate": 1e-2},
}
pytestmark = [pytest.mark.full, pytest.mark.timeout(900), pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running


def generators(count: int) -> list[np.random.Generator]:
    return [stream("tests.ray_policy", number) for number in range(count)]


def asked(policy: RayPolicy, count: int = 6) -> list[Any]:
    """Answers to a few first turns."""
    session = policy.open(generators(count))
    return session.generate([policy.encode_first(SEEN[number % len(SEEN)]) for number in range(count)])


def as_told(policy: RayPolicy, said: list[Any]) -> None:
    """What was said is found as likely by the trainer's own weights, which are those of its version."""
    prompts = [policy.encode_first(SEEN[number % len(SEEN)]) for number in range(len(said))]
    scored = policy.engine.score(prompts, [answer.token_ids for answer in said])
    for answer, mine in zip(said, scored, strict=True):
        assert answer.version == policy.version
        assert answer.logprobs == pytest.approx(mine, abs=NEAR)


def moved(engine: HuggingFaceEngine) -> None:
    """What an update does."""
    with torch.no_grad():
        for weight in engine.model.parameters():
            if weight.requires_grad:
                weight += 0.3 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(engine.version))
    engine.version += 1


@pytest.mark.parametrize("lora", [0, 2])
def test_each_answer_is_of_the_newest_weights(cluster: Cluster, make_engine: Make, lora: int) -> None:
    engine = trainable(make_engine(0), read_recipe({**TABLE, "model": {"name": "unused", "lora": lora}}))
    policy = RayPolicy(engine, actors=2, batch=2)
    first = asked(policy)
    as_told(policy, first)
    moved(engine)
    second = asked(policy)
    as_told(policy, second)
    assert [answer.logprobs for answer in first] != [answer.logprobs for answer in second]
    assert policy.push() is policy.push(), "they are put there once"
    assert [answer.text for answer in asked(policy)] == [answer.text for answer in second], "seeds decide"
    assert policy.lost == 0


def test_an_actor_that_is_killed_is_replaced_and_nothing_is_missed(cluster: Cluster, make_engine: Make) -> None:
    policy = RayPolicy(make_engine(0), actors=NODES, batch=2)
    before = asked(policy)
    prompts = [policy.encode_first(SEEN[number % len(SEEN)]) for number in range(6)]
    begun = [policy.start(prompt, rng) for prompt, rng in zip(prompts, generators(6), strict=True)]
    cluster.kill()
    after = [policy.hear(pending) for pending in begun]
    as_told(policy, after)
    assert [answer.text for answer in after] == [answer.text for answer in before]
    assert [answer.text for answer in asked(policy)] == [answer.text for answer in before]
    assert policy.lost >= 1


@pytest.mark.parametrize("max_staleness", [None, 0, 1])
def test_updates_learn_from_answers_of_their_version(
    cluster: Cluster, make_engine: Make, max_staleness: int | None
) -> None:
    rollout = {**TABLE["rollout"], "max_staleness": max_staleness}
    update = {**TABLE["update"], "recompute_logprobs": True, "importance_cap": 2.0}
    recipe = read_recipe({**TABLE, "rollout": rollout, "update": update})
    ages: list[int] = []
    kind = ServedTrainer if max_staleness is None else AsyncTrainer

    class Watched(kind):  # type: ignore[misc,valid-type]
        def _collect(self, rng: Any) -> Any:
            found = super()._collect(rng)
            ages.extend(self.engine.version - turn.version for episode in found[0] for turn in episode.turns)
            return found

    history = Watched(recipe, trainable(make_engine(0), recipe), EnvPool(ID)).train()
    assert len(history) == 3
    assert set(ages) <= set(range((max_staleness or 0) + 1))
    assert all(metrics["grad_norm"] > 0 for metrics in history)
    if not max_staleness:
        assert all(abs(metrics["mismatch"]) < NEAR for metrics in history)


def test_a_cluster_without_room_is_told_and_asked_for_nothing(
    cluster: Cluster, make_engine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentgym.agents.ray_policy.START_LIMIT", 3.0)
    (said,) = asked(RayPolicy(make_engine(0), gpus=64), 1)
    assert str(said.error).startswith("the cluster had no room for an actor of one CPU and 64 GPUs for 3 s; take fewer")


def test_what_cannot_be_is_refused(cluster: Cluster, make_engine: Make) -> None:
    engine = make_engine(0)
    with pytest.raises(ConfigError, match="actors and batch are 1 or more"):
        RayPolicy(engine, actors=0)
    engine.narrow(top_k=2)
    with pytest.raises(ConfigError, match="leave out top_p, top_k"):
        RayPolicy(engine)
