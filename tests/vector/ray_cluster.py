"""A cluster of Ray whose nodes are processes on this machine, for tests that kill one of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

WHY = "ray is not installed: pip install -c constraints.txt '.[ray]'"
NODES = 3
ROOM = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


class Cluster:
    """Node processes on this machine, of which those that are no head can be killed."""

    def __init__(self, ray: Any, made: Any):
        self.ray, self._made = ray, made
        self.nodes = [made.add_node(**ROOM) for _ in range(NODES - 1)]
        made.wait_for_nodes()

    def kill(self) -> None:
        """Kill a node that holds an actor, and put another in its place."""
        self._made.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self._made.add_node(**ROOM))


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A cluster of `NODES` nodes to which this process is connected; the test is skipped without ray."""
    niceness = pytest.MonkeyPatch()
    niceness.setenv("RAY_worker_niceness", "0")  # on a busy machine the default of 15 starves its workers
    ray = pytest.importorskip("ray", reason=WHY)
    from ray.cluster_utils import Cluster as Local

    made = Local(initialize_head=True, head_node_args={**ROOM, "include_dashboard": False})
    try:
        running = Cluster(ray, made)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield running
    finally:
        ray.shutdown()
        made.shutdown()
        niceness.undo()
