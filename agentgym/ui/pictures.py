"""A picture of every world: what it draws, or a drawing of its first words."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from agentgym.agents.pictures import png
from agentgym.core import AgentGymError, EnvCard, MissingExtra
from agentgym.evaluate import open_pool
from agentgym.report.drawing import Line, card, folded
from agentgym.rollout import EnvPool, EpisodeSpec

COLUMNS, ROWS = 60, 14
SEED = 0
SVG, PNG = "image/svg+xml", "image/png"


@dataclass(frozen=True)
class Picture:
    """A file and its media type."""

    file: bytes
    kind: str


class Pictures:
    """Draws each world once, when its picture is first wanted."""

    def __init__(self) -> None:
        self._drawn: dict[str, Picture] = {}
        self._lock = threading.Lock()

    def of(self, world: EnvCard) -> Picture:
        """The beginning of a world's first episode; of one that cannot be played here, what it is and what it needs."""
        with self._lock:  # one after the other, so that a page of worlds leaves the machine room for something else
            if world.id not in self._drawn:
                self._drawn[world.id] = _draw(world)
            return self._drawn[world.id]


def title(world: EnvCard) -> str:
    """The world's name without its version."""
    return world.name.rpartition("-v")[0]


def _draw(world: EnvCard) -> Picture:
    if reason := unplayable(world):
        return _words(world, world.description, reason)
    try:
        pool = open_pool(world.id, next(iter(world.splits)), {}, drawn=not world.program)
    except (MissingExtra, ImportError) as missing:  # its module may be gone since it was registered
        return _words(world, world.description, str(missing))
    try:
        if world.program:  # a browser is not started for the sake of a picture
            return _words(world, world.description, "")
        return _beginning(world, pool)
    except AgentGymError as error:
        return _words(world, world.description, str(error))
    finally:
        pool.close()


def unplayable(world: EnvCard) -> str:
    """Why a world cannot be played from a page, as far as its card tells; empty if it can."""
    needs = "; ".join(f"{option}, the {meaning}" for option, meaning in world.requires.items())
    return f"It needs data of your own: {needs}." if needs else ""


def _beginning(world: EnvCard, pool: EnvPool) -> Picture:
    (step,) = pool.begin([EpisodeSpec(None, SEED, 0, ())])
    if pool.driver().env.render_mode == "rgb_array":
        return Picture(png(pool.driver().env.render()), PNG)
    return _words(world, step.results[(step.to_act or pool.players)[0]].observation, "")


def _words(world: EnvCard, text: str, below: str) -> Picture:
    lines = folded(text, COLUMNS, ROWS - 2 if below else ROWS)
    if below:
        lines = [*lines, Line(""), *folded(below, COLUMNS, 4, "d")][:ROWS]
    return Picture(card(title(world), lines, COLUMNS, ROWS).encode(), SVG)
