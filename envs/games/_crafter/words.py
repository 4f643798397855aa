"""What Crafter's player sees and has, in the words of BALROG."""

from __future__ import annotations

from typing import Any

WIDE, TALL = 9, 7
NEEDS = ("health", "food", "drink", "energy")
UNSEEN = "nothing"
ASLEEP = (
    "You are sleeping, and will not be able take actions until energy is full.\n\n\n\n"  # BALROG's, letter by letter
)
DEAD = "You died.\n\n\n\n"


def describe(engine: Any) -> str:
    """The nearest thing of each kind, what is in front, and the inventory."""
    player = engine._player
    column, row = (int(place) for place in player.pos)
    seen: dict[str, tuple[int, str]] = {}  # in the order of a scan column by column, as BALROG lists them
    for right in range(-(WIDE // 2), WIDE // 2 + 1):
        for down in range(-(TALL // 2), TALL // 2 + 1):
            name = thing(engine, column + right, row + down)
            far = abs(down) + abs(right)
            if far and name and (name not in seen or far < seen[name][0]):
                seen[name] = (far, _where(far, down, right))
    lines = [f"- {name} {where}" for name, (_, where) in seen.items()]
    right, down = (int(step) for step in player.facing)
    front = thing(engine, column + right, row + down) or UNSEEN
    state = ASLEEP if player.sleeping else DEAD if player.health <= 0 else ""
    return f"{state}You see:\n" + "\n".join(lines) + f"\n\nYou face {front} at your front.\n\n{_status(player)}"


def thing(engine: Any, column: int, row: int) -> str:
    """The creature or else the ground of a cell, by name; empty outside the land.

    Args:
        engine: The engine, which is only read.
        column, row: The cell in Crafter's order of coordinates; the player is no creature.
    """
    ground, being = engine._world[column, row]
    if being is not None and being is not engine._player:
        return type(being).__name__.lower()
    return ground or ""


def _where(far: int, down: int, right: int) -> str:
    vertical = "north" if down < 0 else "south" if down > 0 else ""
    across = "west" if right < 0 else "east" if right > 0 else ""
    return f"{far} step{'s' if far > 1 else ''} to your {'-'.join(filter(None, (vertical, across)))}"


def _status(player: Any) -> str:
    has = player.inventory
    lines = ["Your status:", *(f"- {name}: {has[name]}/9" for name in NEEDS), ""]
    carried = [f"- {name}: {count}" for name, count in has.items() if name not in NEEDS and count]
    return "\n".join(
        [*lines, "Your inventory:", *carried] if carried else [*lines, "You have nothing in your inventory."]
    )
