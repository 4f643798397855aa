"""The drawn map: a window of the region as shapes for SVG, with streets, towns, places and a way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from agentgym.envs.web._sites.atlas.region import HEIGHT, WIDTH
from agentgym.envs.web._sites.atlas.routes import Network, Way
from agentgym.envs.web._sites.database import Store

SPANS = (64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000)  # meters that a window shows, by zoom
SHAPE = 0.55  # height of a window by its width
KINDS = ("trail", "pedestrian", "residential", "main", "road", "motorway")  # drawn in this order
STREETS_FROM, NAMED_FROM, PLACES_FROM = 2, 4, 5  # zoom from which streets are drawn and named, and places drawn
MOST_PLACES = 60


@dataclass(frozen=True)
class Window:
    """What is seen of the region.

    Attributes:
        x, y: The middle, in meters.
        zoom: An index of `SPANS`.
    """

    x: int
    y: int
    zoom: int

    @property
    def span(self) -> int:
        """Meters from left to right."""
        return SPANS[self.zoom]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, in meters."""
        half = self.span / 2
        return self.x - half, self.y - half * SHAPE, self.x + half, self.y + half * SHAPE

    def moved(self, right: float = 0, down: float = 0, closer: int = 0) -> Window:
        """A window beside this one, or of another zoom.

        Args:
            right, down: By how much of its width.
            closer: By how many steps of zoom.
        """
        x = min(WIDTH, max(0, round(self.x + right * self.span)))
        y = min(HEIGHT, max(0, round(self.y + down * self.span)))
        return Window(x, y, min(len(SPANS) - 1, max(0, self.zoom + closer)))

    def query(self, more: Mapping[str, str] | None = None) -> str:
        """As an address has it."""
        return urlencode({**(more or {}), "x": self.x, "y": self.y, "zoom": self.zoom})


def around(spots: Iterable[tuple[int, int]]) -> Window:
    """The closest window that shows all of some spots.

    Args:
        spots: Their x and y, in meters.
    """
    xs, ys = zip(*spots, strict=True)
    x, y = (min(xs) + max(xs)) // 2, (min(ys) + max(ys)) // 2
    need = 1.15 * max(max(xs) - min(xs), (max(ys) - min(ys)) / SHAPE)
    zoom = max((at for at, span in enumerate(SPANS) if span >= need), default=0)
    return Window(x, y, min(zoom, 5))


def drawn(
    store: Store,
    network: Network,
    window: Window,
    path: str,
    kept: Mapping[str, str] | None = None,
    way: Way | None = None,
    marks: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What the template of the map draws.

    Args:
        store: The database.
        network: The streets.
        window: What is seen.
        path: Of the page, for links that move the window.
        kept: What else its address says.
        way: To draw on it.
        marks: Places that are shown at any zoom, with `x`, `y`, `id` and `name`.
    """
    left, top, right, bottom = window.box
    far = window.span / 4
    lines: dict[str, list[str]] = {kind: [] for kind in KINDS}
    inside = store.all(
        "SELECT edges.*, one.x AS x, one.y AS y, other.x AS u, other.y AS v FROM edges JOIN nodes AS one ON one.id = "
        "source JOIN nodes AS other ON other.id = target WHERE max(one.x, other.x) >= ? AND min(one.x, other.x) <= ? "
        "AND max(one.y, other.y) >= ? AND min(one.y, other.y) <= ?", left, right, top, bottom,
    )  # fmt: skip
    shown = KINDS if window.zoom >= STREETS_FROM else ("trail", "road", "motorway")
    for one in inside:
        if one["kind"] in shown:
            lines[one["kind"]].append(f"M{one['x']} {one['y']}L{one['u']} {one['v']}")
    names = _names(inside, network, window) if window.zoom >= NAMED_FROM else []
    places = store.all(
        "SELECT * FROM places WHERE x BETWEEN ? AND ? AND y BETWEEN ? AND ? ORDER BY id LIMIT ?", left, right, top,
        bottom, MOST_PLACES if window.zoom >= PLACES_FROM else 0,
    )  # fmt: skip
    return {
        "window": window,
        "path": path,
        "kept": kept or {},
        "box": f"{left:.0f} {top:.0f} {window.span} {window.span * SHAPE:.0f}",
        "unit": window.span / 1000,
        "lines": {kind: "".join(parts) for kind, parts in lines.items() if parts},
        "towns": store.all("SELECT * FROM towns WHERE x BETWEEN ? AND ? AND y BETWEEN ? AND ? ORDER BY id", left - far,
                           right + far, top - far, bottom + far),
        "names": names,
        "places": places,
        "marks": list(marks),
        "way": "" if way is None else "M" + "L".join("{} {}".format(*network.spots[node]) for node in way.nodes),
        "scale": window.span // 10,
    }  # fmt: skip


def _names(inside: Iterable[Any], network: Network, window: Window) -> list[tuple[int, int, str]]:
    """Each street's name once, at the middle of a stretch of it that is seen."""
    left, top, right, bottom = window.box
    named: dict[str, tuple[int, int, str]] = {}
    for one in inside:
        x, y = (one["x"] + one["u"]) // 2, (one["y"] + one["v"]) // 2
        if left < x < right and top < y < bottom:
            name = network.names[one["street"]]
            named.setdefault(name, (x, y, name))
    return list(named.values())
