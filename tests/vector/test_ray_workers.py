"""Actors of Ray in the place of processes: the same answers, and nothing lost when a machine of the cluster is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import ConfigError
from agentgym.evaluate import EpisodeRecord, evaluate
from agentgym.rollout import EnvPool, EpisodeSpec, Workers, collect
from agentgym.vector.pool import WorkerLost, WorkerPool, WorkerProcess
from agentgym.vector.ray_workers import RayWorker, read_workers
from tests.rollout.players import Scripted
from tests.vector.ray_cluster import NODES, Cluster, running_cluster

LAKE = "FrozenLake-v0"


@pytest.mark.parametrize("given", ["ray:0", "ray:", "ray:x", "-1", "two", "ray:-2"])
def test_what_is_no_number_of_workers_is_refused(given: str) -> None:
    with pytest.raises(ConfigError, match="workers must be a number from 0, or ray:N"):
        read_workers(given)


def test_workers_are_processes_or_actors() -> None:
    assert read_workers(None) == (None, WorkerProcess)
    assert read_workers(3) == read_workers("3") == (3, WorkerProcess)
    assert read_workers("ray:3") == (3, RayWorker)
    with pytest.raises(ConfigError, match="memory is watched on this machine alone"):
        Workers(ray=True, memory=100.0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running


def lines(folder: Path) -> list[str]:
    """The records of a run without how long they took."""
    return sorted(line.rpartition('"wall_seconds"')[0] for line in (folder / "episodes.jsonl").read_text().splitlines())


class Slow:
    """What a job holds; it tells where it was made."""

    def double(self, number: int) -> int:
        return 2 * number

    def fail(self, number: int) -> int:
        raise ConfigError(f"no {number}")

    def close(self) -> None:
        pass


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("ray")
def test_an_evaluation_loses_nothing_when_a_node_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    done: list[str] = []

    def watch(record: EpisodeRecord | None, count: int, total: int) -> None:
        if record is not None:
            done.append(record.task_id)
            if len(done) == 5:
                cluster.kill()

    options: dict[str, Any] = {"episodes": 24, "seed": 3}
    evaluate(LAKE, "random", out=tmp_path / "here", workers=1, **options)
    there = evaluate(LAKE, "random", out=tmp_path / "there", workers=f"ray:{NODES}", on_episode=watch, **options)
    assert sorted(done) == sorted(record.task_id for record in there.episodes)
    assert len(done) == 24
    assert lines(tmp_path / "there") == lines(tmp_path / "here")


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("ray")
def test_rollouts_go_on_where_they_were_when_a_node_is_killed(cluster: Cluster) -> None:
    said: list[int] = []

    def wander(prompt: str, rng: Any) -> str:
        said.append(0)
        if len(said) == 40 and not watched:
            watched.append(True)
            cluster.kill()
        return ("left", "down", "right", "up")[int(rng.integers(4))]

    begins = [EpisodeSpec(place, place, place, (3, place)) for place in range(12)]
    watched = [True]
    here = collect(EnvPool(LAKE), Scripted(wander, 10**6), begins, keys=True, digests=True)
    watched.clear()
    said.clear()
    world = EnvPool(LAKE, workers=Workers(processes=NODES, ray=True))
    there = collect(world, Scripted(wander, 10**6), begins, keys=True, digests=True)
    world.close()
    assert watched
    assert len(said) > 40
    assert there == here
    assert world.respawns >= 1
    assert all(not episode.failed for episode in there)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("ray")
def test_an_actor_answers_as_a_process_does(cluster: Cluster) -> None:
    found: list[int] = []
    with WorkerPool(Slow, 2, kind=RayWorker, spare=1) as pool:
        pool.run("double", range(9), found.append)
        with pytest.raises(ConfigError, match="no 7"):
            pool.run("fail", [7], found.append)
    assert sorted(found) == [2 * number for number in range(9)]
    worker = RayWorker(Slow)
    worker.answer(120.0)
    cluster.ray.kill(worker._actor)
    worker.ask("call", ("double", (1,), {}))
    with pytest.raises(WorkerLost, match="its actor was lost"):
        worker.answer(60.0)
    worker.end()
