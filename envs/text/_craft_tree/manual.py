"""The handbook: how an item is had, in words."""

from __future__ import annotations

from functools import lru_cache

from agentgym.envs.text._craft_tree.acquisition import Way, book, lairs, ways
from agentgym.envs.text._craft_tree.actions import words
from agentgym.envs.text._craft_tree.facts import HEIGHTS


@lru_cache(maxsize=4096)
def entry(item: str) -> str:
    """Every way to have an item, with what it takes and where it is found."""
    if item in book().tags:
        return f"{words(item).capitalize()}: any of {', '.join(map(words, book().tags[item]))}."
    found = ways().get(item)
    if not found:
        return f"The handbook knows no way to have {words(item)[:40]}."
    return f"{words(item).capitalize()}: {'; '.join(_line(way) for way in found)}."


def _line(way: Way) -> str:
    takes = f" (takes {' and '.join(map(words, way.tools))})" if way.tools else ""
    needs = ", ".join(f"{count} {words(name)}" for name, count in way.needs)
    if way.kind == "craft":
        return f"craft {int(way.count)} from {needs}{takes}"
    if way.kind == "smelt":
        return f"smelt {words(way.source)}{takes}"
    shown, hidden, levels = lairs()[way.source]
    places = [*sorted(shown), *(f"{biome} (explore)" for biome in sorted(set(hidden) - set(shown)))]
    places += [f"below at y {HEIGHTS[level]}" for level in levels]
    return f"{way.kind} {words(way.source)}{takes}, found in: {', '.join(places)}"
