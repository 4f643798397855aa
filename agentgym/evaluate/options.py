"""What a world can be told when it is made: for `agentgym show` and the manual."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from gymnasium.envs.registration import load_env_creator

from agentgym.core import EnvCard

EVERYWHERE = {  # arguments that every world has and that the contract explains
    "gymnasium": ("split", "max_turns", "render_mode"),
    "aec": ("split", "max_turns", "max_cycles", "render_mode", "player_names", "tries"),
    "parallel": ("split", "max_turns", "max_cycles", "render_mode", "player_names", "tries"),
}
CONTRACT = ("agentgym.core.", "gymnasium.", "pettingzoo.")  # whose classes explain what every world has
ENTRY = re.compile(r" {4}(\w+(?:, \w+)*): *(.*)")
DEEPER = " " * 5


@dataclass(frozen=True, slots=True)
class WorldOption:
    """One keyword argument of a world.

    Attributes:
        name: Of the argument.
        default: As Python writes it; None if it must be given.
        meaning: What the docstring of the world, or of a class above it, says of it; or the card, if it must be given.
    """

    name: str
    default: str | None
    meaning: str


def world_options(known: EnvCard) -> list[WorldOption]:
    """The keyword arguments of a world, without those of every world unless its docstring says more of them.

    Args:
        known: The card of the world, whose class is imported.
    """
    world = load_env_creator(known.entry_point)
    meanings = dict(known.requires)
    for owner in getattr(world, "__mro__", (world,)):
        if not owner.__module__.startswith(CONTRACT):
            for name, meaning in _explained(vars(owner).get("__doc__") or "").items():
                meanings.setdefault(name, meaning)
    found = []
    for item in inspect.signature(world).parameters.values():
        if item.kind in (item.VAR_KEYWORD, item.VAR_POSITIONAL):
            continue
        if item.name not in EVERYWHERE[known.api] or item.name in meanings:
            default = None if item.default is item.empty else repr(item.default)
            found.append(WorldOption(item.name, default, meanings.get(item.name, "")))
    return found


def _explained(docstring: str) -> dict[str, str]:
    """Name to meaning of each argument that a docstring lists under `Args:`, each in one line."""
    listed = inspect.cleandoc(docstring).partition("\nArgs:\n")[2]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in listed.splitlines():
        entry = ENTRY.fullmatch(line)
        if entry:
            names = entry[1].split(", ")
            found |= dict.fromkeys(names, entry[2].strip())
        elif line.startswith(DEEPER) and names:
            found |= dict.fromkeys(names, f"{found[names[0]]} {line.strip()}")
        elif line.strip():
            break
    return found
