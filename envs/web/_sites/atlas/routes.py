"""Ways through the region: shortest in time by car, by bicycle and on foot, with what to follow and how far."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentgym.envs.web._sites.database import Store

MODES = {"car": "by car", "bike": "by bicycle", "foot": "on foot"}
SPEEDS = {  # kilometers an hour by kind of street and mode; what is missing is not allowed
    "motorway": {"car": 110},
    "road": {"car": 70, "bike": 18, "foot": 5},
    "main": {"car": 40, "bike": 16, "foot": 5},
    "residential": {"car": 25, "bike": 15, "foot": 5},
    "pedestrian": {"bike": 8, "foot": 5},
    "trail": {"bike": 14, "foot": 5},
}
Arc = tuple[int, int, int, int]  # target, milliseconds, street, meters


@dataclass
class Leg:
    """A stretch of a way along one street."""

    street: str
    meters: int


@dataclass
class Way:
    """A way from one node to another.

    Attributes:
        meters: Its length.
        milliseconds: What it takes.
        legs: What to follow, in order.
        nodes: All on the way.
    """

    meters: int
    milliseconds: int
    legs: list[Leg]
    nodes: list[int]


@dataclass
class Network:
    """The graph of streets, by mode.

    Attributes:
        arcs: Mode to node to what leads away from it.
        names: Of streets.
        spots: Node to x and y.
    """

    arcs: Mapping[str, Mapping[int, Sequence[Arc]]]
    names: Mapping[int, str]
    spots: Mapping[int, tuple[int, int]]
    _known: dict[tuple[int, int, str], Way | None] = field(default_factory=dict)

    def way(self, start: int, goal: int, mode: str) -> Way | None:
        """The way that takes the least time; None if there is none.

        Args:
            start, goal: Nodes.
            mode: A key of `MODES`.
        """
        key = (start, goal, mode)
        if key not in self._known:
            if len(self._known) > 500:
                self._known.clear()
            self._known[key] = self._search(start, goal, mode)
        return self._known[key]

    def _search(self, start: int, goal: int, mode: str) -> Way | None:
        """Dijkstra's algorithm; of equally quick ways, the one over smaller nodes."""
        arcs, spent = self.arcs[mode], {start: 0}
        came: dict[int, tuple[int, int, int]] = {}
        queue, done = [(0, start)], set()
        while queue:
            time, node = heapq.heappop(queue)
            if node == goal:
                return self._told(start, goal, time, came)
            if node in done:
                continue
            done.add(node)
            for target, takes, street, meters in arcs.get(node, ()):
                if target not in done and time + takes < spent.get(target, time + takes + 1):
                    spent[target] = time + takes
                    came[target] = (node, street, meters)
                    heapq.heappush(queue, (time + takes, target))
        return None

    def _told(self, start: int, goal: int, time: int, came: Mapping[int, tuple[int, int, int]]) -> Way:
        nodes, steps = [goal], []
        while nodes[-1] != start:
            before, street, meters = came[nodes[-1]]
            steps.append((street, meters))
            nodes.append(before)
        legs: list[Leg] = []
        for street, meters in reversed(steps):
            if legs and legs[-1].street == self.names[street]:
                legs[-1].meters += meters
            else:
                legs.append(Leg(self.names[street], meters))
        return Way(sum(meters for _, meters in steps), time, legs, nodes[::-1])

    def reach(self, start: int, mode: str, back: bool = False) -> set[int]:
        """All nodes that can be reached from one; with `back`, those that it can be reached from.

        Args:
            start: The node.
            mode: A key of `MODES`.
            back: Which direction.
        """
        ways: dict[int, list[int]] = {}
        for node, arcs in self.arcs[mode].items():
            for target, *_ in arcs:
                one, other = (target, node) if back else (node, target)
                ways.setdefault(one, []).append(other)
        found, left = {start}, [start]
        while left:
            new = [node for node in ways.get(left.pop(), ()) if node not in found]
            found.update(new)
            left += new
        return found


def network_of(store: Store) -> Network:
    """The graph of the streets in a database.

    Args:
        store: The map's.
    """
    arcs: dict[str, dict[int, list[Arc]]] = {mode: {} for mode in MODES}
    for one in store.all("SELECT * FROM edges ORDER BY id"):
        for mode, speed in SPEEDS[one["kind"]].items():
            takes = one["length"] * 3600 // speed
            ends = [(one["source"], one["target"])]
            if not one["oneway"] or mode != "car":
                ends.append((one["target"], one["source"]))
            for source, target in ends:
                arcs[mode].setdefault(source, []).append((target, takes, one["street"], one["length"]))
    names = {row["id"]: row["name"] for row in store.all("SELECT id, name FROM streets")}
    spots = {row["id"]: (row["x"], row["y"]) for row in store.all("SELECT * FROM nodes")}
    return Network(arcs, names, spots)


def as_distance(meters: int) -> str:
    """A distance as the map writes it: `850 m`, `12.4 km`."""
    return f"{meters} m" if meters < 1000 else f"{(meters + 50) // 100 / 10:.1f} km"


def as_duration(milliseconds: int) -> str:
    """A duration as the map writes it: `18 min`, `1 h 5 min`."""
    minutes = max(1, (milliseconds + 30_000) // 60_000)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
