"""The land of CraftTree as a page: the map, the player's things, and, outside of tests, the way to the goal."""

from __future__ import annotations

from agentgym.envs._kit.html import bar, chip, page
from agentgym.envs.text._craft_tree import state as player
from agentgym.envs.text._craft_tree.acquisition import chain
from agentgym.envs.text._craft_tree.actions import words
from agentgym.envs.text._craft_tree.facts import FOOD, HEALTH, HEIGHTS, STATIONS
from agentgym.envs.text._craft_tree.state import State
from agentgym.envs.text._craft_tree.terrain import LEVELS, SIDE, WAYS, Land, neighbour

COLORS = {
    "forest": "#8cb369", "birch forest": "#b5d99c", "dark forest": "#5f8a52", "flower forest": "#cfe1a2",
    "taiga": "#7fa99b", "jungle": "#6fbf4b", "savanna": "#cfc376", "cherry grove": "#f3c6d9", "plains": "#bfe08f",
    "snowy plains": "#eef4f8", "windswept hills": "#b8bfb6", "desert": "#ecd9a0", "badlands": "#d98e5f",
    "swamp": "#8f9a6b", "mangrove swamp": "#7f9f86", "beach": "#f4e7bd",
}  # fmt: skip
STYLE = f"""
.both {{ display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 18px; align-items: start }}
.map {{ display: grid; grid-template-columns: repeat({SIDE}, 1fr); gap: 2px }}
.cell {{ aspect-ratio: 1; padding: 4px; border-radius: 4px; font-size: 10px; line-height: 1.15; overflow: hidden }}
.cell.fog {{ opacity: .35 }} .cell.unseen {{ background: var(--line) }}
.cell.here {{ outline: 3px solid #1d4ed8; font-weight: 700 }}
.worn td {{ padding: 1px 10px 1px 0; font-size: 12px }}
"""


def map_page(land: Land, mine: State, goal: str, clock: str, tested: bool) -> str:
    """The land, areas never visited in pale colours.

    Args:
        land: The biomes.
        mine: The player, and what stands where.
        goal: Name of the item wanted, as in the task.
        clock: The time of day, in words.
        tested: Whether the task is one of a test: then the page shows only the areas that the player was at or beside,
            and no way to the goal.
    """
    where = f"{land.biomes[mine.cell].capitalize()}, y {HEIGHTS[mine.level]}. {clock}."
    shown = seen(mine) if tested else set(range(len(land.biomes)))
    left = f'<div class="map">{_cells(land, mine, shown)}</div>'
    right = f'<div class="side">{_side(mine)}{"" if tested else _way(mine, goal)}</div>'
    return page(f"Goal: {words(goal)}", where, f'<div class="both">{left}{right}</div>', STYLE)


def _visited(mine: State) -> set[int]:
    return {place // LEVELS for place in mine.here}


def seen(mine: State) -> set[int]:
    """The areas that the player was at or beside."""
    visited = _visited(mine)
    return visited | {near for cell in visited for way in WAYS if (near := neighbour(cell, way)) >= 0}


def _cells(land: Land, mine: State, shown: set[int]) -> str:
    visited = _visited(mine)
    told = []
    for cell, biome in enumerate(land.biomes):
        if cell not in shown:
            told.append('<div class="cell unseen"></div>')
            continue
        stands = [words(name) for name in STATIONS for level in range(LEVELS) if _stands(mine, cell, level, name)]
        lines = [biome, *stands, *(["you"] if cell == mine.cell else [])]
        classes = "cell" + " fog" * (cell not in visited) + " here" * (cell == mine.cell)
        told.append(f'<div class="{classes}" style="background:{COLORS[biome]}">{"<br>".join(lines)}</div>')
    return "".join(told)


def _stands(mine: State, cell: int, level: int, name: str) -> bool:
    there = State(cell=cell, level=level, built=mine.built)
    return player.station(there, name)


def _side(mine: State) -> str:
    held = words(mine.held) if mine.held else "nothing"
    tools = [_tool(mine, item, count) for item, count in sorted(mine.bag.items()) if item in player.TOOL_USES]
    rest = [chip(f"{count} {words(item)}") for item, count in sorted(mine.bag.items()) if item not in player.TOOL_USES]
    return (
        f"<h2>Health {mine.health} of {HEALTH}</h2>{bar(mine.health / HEALTH)}"
        f"<h2>Food {mine.food} of {FOOD}</h2>{bar(mine.food / FOOD)}<h2>In the hand</h2>{chip(held)}"
        f'<h2>Tools</h2><table class="worn">{"".join(tools)}</table><h2>Carried</h2>{"".join(rest)}'
    )


def _way(mine: State, goal: str) -> str:
    steps = [
        chip(words(sorted(step)[0]), "done" if mine.reached >> place & 1 else "wanted" if goal in step else "")
        for place, step in enumerate(chain(goal))
    ]
    return f"<h2>The way to the goal; green is what you have had</h2>{''.join(steps)}"


def _tool(mine: State, item: str, count: int) -> str:
    left = player.uses_left(mine, item)
    share = bar(left / (count * player.TOOL_USES[item]))
    return f"<tr><td>{count} {words(item)}</td><td>{share}</td><td>{left} uses</td></tr>"
