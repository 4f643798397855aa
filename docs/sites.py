"""Pictures of the web worlds' sites, as an agent sees them with marks: python -m docs.sites FOLDER

The same pages from the same seeds make the same pictures. `docs.generate` puts them into the manual.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from agentgym.agents.pictures import png
from agentgym.core import AgentGymError

SUITE, PHONE, DESKTOP = "AgentGym/WebSuite-v0", "AgentGym/Phone-v0", "AgentGym/Desktop-v0"
SEED = 3


class Shot(NamedTuple):
    """A page: name of its file, what it shows, the world, and steps to it; `click` names an element by its words."""

    name: str
    shows: str
    world: str
    steps: tuple[str, ...]


def _at(name: str, shows: str, *steps: str) -> Shot:
    return Shot(name, shows, SUITE, steps)


SITES: Mapping[str, Sequence[Shot]] = {
    "Forum": (
        _at("forum-front", "the boards that are followed", "goto http://forum.test/"),
        _at("forum-post", "a post with its replies", "goto http://forum.test/b/guitar/2855"),
        _at("forum-submit", "a post to be written", "goto http://forum.test/submit"),
    ),
    "Code host": (
        _at("forge-project", "a project", "goto http://forge.test/p/walnut/quiet-mail"),
        _at("forge-issue", "an issue", "goto http://forge.test/p/walnut/quiet-mail/issues/37"),
        _at("forge-requests", "merge requests", "goto http://forge.test/p/walnut/sharp-parser/requests"),
    ),
    "Project tracker": (
        _at("tracker-home", "what is to be done", "goto http://tracker.test/"),
        _at("tracker-ticket", "a ticket", "goto http://tracker.test/browse/QUE-210"),
        _at("tracker-search", "the search", "goto http://tracker.test/search"),
    ),
    "Shop": (
        _at("shop-front", "the shop", "goto http://shop.test/"),
        _at("shop-list", "a list with filters", "goto http://shop.test/c/lighting"),
        _at("shop-product", "a product", "goto http://shop.test/p/JUGC-0013"),
    ),
    "Administration of the shop": (
        _at("office-front", "the day's figures", "goto http://backoffice.test/"),
        _at("office-orders", "orders", "goto http://backoffice.test/orders"),
        _at("office-order", "an order", "goto http://backoffice.test/orders/1003000"),
    ),
    "Map": (
        _at("map-front", "the map", "goto http://map.test/"),
        _at("map-town", "a town", "goto http://map.test/town/3"),
        _at("map-directions", "the form for a way", "goto http://map.test/directions"),
    ),
    "Phone": (
        Shot("phone-home", "the apps", PHONE, ()),
        Shot("phone-messages", "messages", PHONE, ("click Messages",)),
        Shot("phone-settings", "settings", PHONE, ("click Settings",)),
    ),
    "Desktop": (
        Shot("desktop-home", "the desk", DESKTOP, ()),
        Shot("desktop-files", "files", DESKTOP, ("click Files",)),
        Shot("desktop-calendar", "the calendar", DESKTOP, ("click Calendar",)),
    ),
}


def drawn() -> dict[str, bytes]:
    """Every shot as a PNG, by its name.

    Raises:
        AgentGymError: if there is no browser here, or a page is not what the list says.
    """
    pictures = {}
    for world in (SUITE, PHONE, DESKTOP):
        env: Any = gym.make(world, split="val", picture="marks", render_mode="rgb_array").unwrapped
        try:
            for shot in (shot for shots in SITES.values() for shot in shots if shot.world == world):
                pictures[shot.name] = png(_picture(env, shot))
        finally:
            env.close()
    return pictures


def _picture(env: Any, shot: Shot) -> NDArray[np.uint8]:
    env.reset(seed=SEED)
    for step in shot.steps:
        text, *_, info = env.step(_in_numbers(env, step))
        if info["error"] or info["failure"] or "(HTTP status" in text:
            raise AgentGymError(f"{shot.name}: {step} leads to no page: {info['error'] or text[:200]}")
    picture: NDArray[np.uint8] = env.render()
    return picture


def _in_numbers(env: Any, step: str) -> str:
    """A step as an action: `click` with the words of an element becomes a click on its number."""
    verb, _, words = step.partition(" ")
    if verb != "click":
        return step
    found = [line for _, line, _, _ in env.page.lines if f'"{words}"' in line]
    if not found:
        raise AgentGymError(f"there is no {words!r} to click on this page")
    return f"click {found[0].split(' ')[0]}"


def page(pictures: Mapping[str, bytes] | str) -> str:
    """What the manual shows of the sites: their pictures, or why there are none.

    Args:
        pictures: From `drawn`, or words in their place.
    """
    if isinstance(pictures, str):
        return f"No pictures were drawn here: {pictures}"
    parts = []
    for site, shots in SITES.items():
        shown = [f"- ![{site}: {shot.shows}](sites/{shot.name}.png)\n\n  {shot.shows}" for shot in shots]
        parts += [f"## {site}", ":::{container} gallery\n" + "\n".join(shown) + "\n:::"]
    return "\n\n".join(parts)


def write(folder: Path) -> str:
    """Draw the pictures into a folder, where a browser is; the words of the page that shows them.

    Args:
        folder: It is made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        pictures = drawn()
    except AgentGymError as reason:
        return page(str(reason))
    for name, picture in pictures.items():
        (folder / f"{name}.png").write_bytes(picture)
    return page(pictures)


if __name__ == "__main__":
    sys.stdout.write(write(Path(sys.argv[1])) + "\n")
