"""The rules of the survival world: what the player can do, what the body needs, what the creatures do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import cos, pi

from agentgym.envs.games._cards.survival import ACHIEVEMENTS
from agentgym.envs.games._mini_crafter.land import (
    ARROW,
    COAL,
    COW,
    DIAMOND,
    FURNACE,
    GRASS,
    IRON,
    LAVA,
    PATH,
    RIPE,
    SAND,
    SAPLING,
    SKELETON,
    STONE,
    TABLE,
    TREE,
    TUNNEL,
    WATER,
    ZOMBIE,
    Land,
)  # fmt: skip

ITEMS = (
    "health", "food", "drink", "energy", "sapling", "wood", "stone", "coal", "iron", "diamond", "wood_pickaxe",
    "stone_pickaxe", "iron_pickaxe", "wood_sword", "stone_sword", "iron_sword",
)  # fmt: skip
PLACE = {name: number for number, name in enumerate(ITEMS)}
HEALTH, FOOD, DRINK, ENERGY, SAPLINGS = range(5)
WOOD_SWORD, STONE_SWORD, IRON_SWORD = (PLACE[f"{stuff}_sword"] for stuff in ("wood", "stone", "iron"))
BIT = {name: 1 << number for number, name in enumerate(ACHIEVEMENTS)}
ALL = (1 << len(ACHIEVEMENTS)) - 1
MOST = 9  # of any item
WALKABLE = GRASS + SAND + PATH + TUNNEL
COLLECT = {  # item got, tool needed, what is left
    TREE[0]: ("wood", "", GRASS), STONE[0]: ("stone", "wood_pickaxe", PATH), COAL[0]: ("coal", "wood_pickaxe", PATH),
    IRON[0]: ("iron", "stone_pickaxe", PATH), DIAMOND[0]: ("diamond", "iron_pickaxe", PATH),
}  # fmt: skip
PLACED = {  # thing: cell it makes, item used, how many, where
    "stone": (STONE, "stone", 1, WALKABLE + WATER + LAVA), "table": (TABLE, "wood", 2, WALKABLE),
    "furnace": (FURNACE, "stone", 4, WALKABLE), "plant": (SAPLING, "sapling", 1, GRASS),
}  # fmt: skip
USES = {"wood": ("wood",), "stone": ("wood", "stone"), "iron": ("wood", "coal", "iron")}
MADE = {  # tool: items used, whether a furnace must be near
    f"{stuff}_{tool}": (uses, stuff == "iron") for tool in ("pickaxe", "sword") for stuff, uses in USES.items()
}
RIPENS = 300  # steps
REACH = 18  # creatures farther away stand still
CHUNK = 12  # cells; each is restocked with creatures every 10 steps
SPAWNING = {  # creature: ground, distance to appear and to vanish, chances, fewest cells of its ground
    ZOMBIE[0]: (GRASS, 6, 0, 0.3, 0.4, 50), SKELETON[0]: (TUNNEL, 7, 7, 0.1, 0.1, 6),
    COW[0]: (GRASS, 5, 5, 0.01, 0.1, 30),
}  # fmt: skip
BORN = {ZOMBIE[0]: ZOMBIE[0] + 256 * 5, SKELETON[0]: SKELETON[0] + 256 * 3, COW[0]: COW[0] + 256 * 3}
# an arrow is one number: its byte and 256 * direction; a being: its byte, 256 * health, and
WAIT = 4096  # times the steps until it can hit or shoot again


@dataclass(slots=True)
class State:
    """All that changes. `beings` and `arrows` by cell, one number each; counters of needs in half steps.

    `known` has a byte 255 for each cell that has been in view; only the expert reads it.
    """

    cell: int
    facing: int
    terrain: bytes
    beings: dict[int, int]
    arrows: dict[int, int]
    plants: dict[int, int]
    items: list[int]
    hunger: int
    thirst: int
    fatigue: int
    recovery: int
    sleeping: bool
    unlocked: int
    clock: int
    known: int


def begin(land: Land) -> State:
    """The state at the beginning of a task."""
    beings = {cell: BORN[sign] for cell, sign in land.beings}
    items = [MOST] * 4 + [0] * (len(ITEMS) - 4)
    return State(land.start, 1, land.terrain, beings, {}, {}, items, 0, 0, 0, 0, False, 0, 0, 0)


@cache
def daylight(phase: int) -> float:
    """Light from 0 to 1 at a step modulo 300."""
    return 1 - abs(cos(pi * (phase / 300 + 0.3))) ** 3


@cache
def steps(side: int) -> tuple[int, int, int, int]:
    """North, south, west, east."""
    return -side, side, -1, 1


def unlock(state: State, name: str) -> None:
    """Note the achievement of that `name` in `state`; one that is noted already stays."""
    state.unlocked |= BIT[name]


def paint(state: State, cell: int, sign: bytes) -> None:
    """Change the ground of a `cell` in `state` to a `sign`, one byte."""
    terrain = state.terrain
    state.terrain = terrain[:cell] + sign + terrain[cell + 1 :]


def ripe(state: State, cell: int) -> bool:
    """Whether the plant of a `cell` can be eaten: in `state` it has stood there for more than `RIPENS` steps."""
    return state.clock - state.plants[cell] > RIPENS


def strength(items: list[int]) -> int:
    """Damage of one hit by the best sword."""
    return 5 if items[IRON_SWORD] else 3 if items[STONE_SWORD] else 2 if items[WOOD_SWORD] else 1


def near(state: State, side: int) -> bytes:
    """The ground of the nine cells around and below the player of a `state`, row after row; a row has `side` cells."""
    cell, terrain = state.cell, state.terrain
    return (
        terrain[cell - side - 1 : cell - side + 2]
        + terrain[cell - 1 : cell + 2]
        + terrain[cell + side - 1 : cell + side + 2]
    )


# What the player does. Each answers why it cannot be done, or an empty text.


def cannot_do(state: State, target: int) -> str:
    """Why `do` has no effect in `state` on a `target`, the cell in front."""
    if target in state.beings:
        return ""
    sign = state.terrain[target]
    if sign in COLLECT:
        item, tool, _ = COLLECT[sign]
        if tool and not state.items[PLACE[tool]]:
            return f"You need a {tool.replace('_', ' ')} to collect {item}."
        return ""
    if sign == WATER[0]:
        return ""
    if sign == GRASS[0]:
        return "" if state.items[SAPLINGS] < MOST else f"You cannot carry more than {MOST} saplings."
    if sign == SAPLING[0]:
        return "" if ripe(state, target) else "The plant is not ripe yet."
    return "There is nothing in front of you that you can use, collect or fight."


def do(state: State, target: int, draw: Callable[[], float]) -> str:
    """Use, collect or fight what is in front; says what happened.

    Args:
        state: What changes; `cannot_do` has no objection in it.
        target: The cell in front.
        draw: Gives a random number from 0 up to 1; grass asks for one.
    """
    if target in state.beings:
        return _hit(state, target)
    sign, items = state.terrain[target], state.items
    if sign in COLLECT:
        item, _, leaves = COLLECT[sign]
        items[PLACE[item]] = min(items[PLACE[item]] + 1, MOST)  # what cannot be carried is lost
        paint(state, target, leaves)
        unlock(state, f"collect_{item}")
        return f"You collect {item}."
    if sign == WATER[0]:
        items[DRINK], state.thirst = min(items[DRINK] + 1, MOST), 0
        unlock(state, "collect_drink")
        return "You drink water."
    if sign == GRASS[0]:
        if draw() >= 0.1:
            return "You find nothing in the grass."
        items[SAPLINGS] += 1
        unlock(state, "collect_sapling")
        return "You collect a sapling."
    state.plants[target] = state.clock
    items[FOOD], state.hunger = min(items[FOOD] + 4, MOST), 0
    unlock(state, "eat_plant")
    return "You eat the ripe plant."


def _hit(state: State, target: int) -> str:
    being = state.beings[target]
    sign, health = being & 255, being // 256 % 16 - strength(state.items)
    name = NAMES[sign]
    if health > 0:
        state.beings[target] = being - being // 256 % 16 * 256 + 256 * health
        return f"You hit the {name}."
    del state.beings[target]
    if sign == COW[0]:
        state.items[FOOD], state.hunger = min(state.items[FOOD] + 6, MOST), 0
        unlock(state, "eat_cow")
        return "You eat the cow."
    unlock(state, f"defeat_{name}")
    return f"You defeat the {name}."


NAMES = {COW[0]: "cow", ZOMBIE[0]: "zombie", SKELETON[0]: "skeleton", ARROW[0]: "arrow", RIPE[0]: "ripe plant"}


def cannot_place(state: State, thing: str, target: int, side: int) -> str:
    """Why a thing cannot be placed in front.

    Args:
        state: The state as it is.
        thing: What is to be placed, a key of `PLACED`.
        target: The cell in front.
        side: Cells in a row of the land.
    """
    _, item, count, where = PLACED[thing]
    if state.items[PLACE[item]] < count:
        return f"You need {count} {item} to place a {thing}; you have {state.items[PLACE[item]]}."
    if target in state.beings or target in state.arrows or state.terrain[target] not in where:
        return f"You cannot place a {thing} in front of you."
    return "You need a table beside you." if thing == "furnace" and TABLE not in near(state, side) else ""


def place(state: State, thing: str, target: int) -> str:
    """Place a `thing`, a key of `PLACED`, on the `target` in front; `state` pays and notes when it was planted."""
    sign, item, count, _ = PLACED[thing]
    state.items[PLACE[item]] -= count
    paint(state, target, sign)
    if thing == "plant":
        state.plants[target] = state.clock
    unlock(state, f"place_{thing}")
    return f"You place a {thing}."


def cannot_make(state: State, tool: str, side: int) -> str:
    """Why a `tool`, a key of `MADE`, cannot be made where the player of `state` is; a row has `side` cells."""
    uses, hot = MADE[tool]
    around = near(state, side)
    if TABLE not in around or (hot and FURNACE not in around):
        return f"You need a table{' and a furnace' if hot else ''} beside you."
    lacking = [item for item in uses if not state.items[PLACE[item]]]
    if lacking:
        return f"You need {' and '.join(f'1 {item}' for item in lacking)} more to make that."
    return "" if state.items[PLACE[tool]] < MOST else f"You cannot carry more than {MOST}."


def make(state: State, tool: str) -> str:
    """Make a `tool`, a key of `MADE`: `state` pays one of each item that it uses."""
    for item in MADE[tool][0]:
        state.items[PLACE[item]] -= 1
    state.items[PLACE[tool]] += 1
    unlock(state, f"make_{tool}")
    return f"You make a{'n' if tool.startswith('iron') else ''} {tool.replace('_', ' ')}."


def walk(state: State, direction: int, side: int) -> str:
    """Turn, and go one cell if it is free; lava is free and kills.

    Args:
        state: What changes.
        direction: Place of the direction in `steps`.
        side: Cells in a row of the land.
    """
    state.facing = direction
    target = state.cell + steps(side)[direction]
    sign = state.terrain[target]
    if target in state.beings or target in state.arrows or (sign not in WALKABLE and sign != LAVA[0]):
        return "You turn."
    state.cell = target
    if sign == LAVA[0]:
        state.items[HEALTH] = 0
        return "You walk into lava."
    return "You move."


# What happens by itself.


def live(state: State) -> None:
    """One step of the body: hunger, thirst, tiredness and recovery; waking up."""
    items, asleep = state.items, state.sleeping
    pace = 1 if asleep else 2
    state.hunger += pace
    if state.hunger > 50:
        state.hunger, items[FOOD] = 0, max(0, items[FOOD] - 1)
    state.thirst += pace
    if state.thirst > 40:
        state.thirst, items[DRINK] = 0, max(0, items[DRINK] - 1)
    state.fatigue = min(state.fatigue - 1, 0) if asleep else state.fatigue + 1
    if state.fatigue < -10:
        state.fatigue, items[ENERGY] = 0, min(items[ENERGY] + 1, MOST)
    elif state.fatigue > 30:
        state.fatigue, items[ENERGY] = 0, max(0, items[ENERGY] - 1)
    if items[FOOD] and items[DRINK] and (items[ENERGY] or asleep):
        state.recovery += 4 if asleep else 2
    else:
        state.recovery -= 1 if asleep else 2
    if state.recovery > 50:
        state.recovery, items[HEALTH] = 0, min(items[HEALTH] + 1, MOST)
    elif state.recovery < -30:
        state.recovery, items[HEALTH] = 0, max(0, items[HEALTH] - 1)
    if asleep and items[ENERGY] == MOST:
        state.sleeping = False
        unlock(state, "wake_up")


def hurt(state: State, damage: int) -> None:
    """Take a wound, which also ends sleep: `state` loses so much health as the `damage`, down to 0."""
    state.items[HEALTH] = max(0, state.items[HEALTH] - damage)
    state.sleeping = False
