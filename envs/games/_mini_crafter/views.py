"""What the player sees: the 9 x 7 cells around, in words, as a map, and as a picture of 64 x 64 pixels."""

from __future__ import annotations

from functools import cache, lru_cache
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from agentgym.envs.games._mini_crafter import land
from agentgym.envs.games._mini_crafter.rules import ENERGY, ITEMS, State, daylight, ripe

WIDE, TALL = 9, 7
MIDDLE = TALL // 2 * WIDE + WIDE // 2
FACING = ("north", "south", "west", "east")
THINGS = {
    land.ZOMBIE: "zombie", land.SKELETON: "skeleton", land.ARROW: "arrow", land.COW: "cow", land.WATER: "water",
    land.GRASS: "grass", land.SAND: "sand", land.PATH: "path", land.STONE: "stone", land.TREE: "tree",
    land.COAL: "coal", land.IRON: "iron", land.DIAMOND: "diamond", land.LAVA: "lava", land.TABLE: "table",
    land.FURNACE: "furnace", land.SAPLING: "plant", land.RIPE: "ripe plant",
}  # fmt: skip
WORD = {sign[0]: word for sign, word in THINGS.items()} | {land.VOID[0]: "the edge of the world"}
LEGEND = "Signs: @ you, " + ", ".join(f"{sign.decode()} {word}" for sign, word in THINGS.items())


def _offsets() -> list[tuple[int, int, int]]:
    """Distance, place in the view and direction of each cell but the middle, nearest first."""
    cells = [divmod(place, WIDE) for place in range(WIDE * TALL) if place != MIDDLE]
    return sorted((abs(row - 3) + abs(column - 4), row, column) for row, column in cells)


def _phrase(row: int, column: int, far: int) -> str:
    down = "north" if row < 3 else "south" if row > 3 else ""
    right = "west" if column < 4 else "east" if column > 4 else ""
    return f"{far} step{'s' if far > 1 else ''} to your {'-'.join(filter(None, (down, right)))}"


_ORDER = itemgetter(*(row * WIDE + column for _, row, column in _offsets()))
_PHRASES = tuple(_phrase(row, column, far) for far, row, column in _offsets())
_LINES = tuple((sign[0], tuple(f"- {word} {phrase}" for phrase in _PHRASES)) for sign, word in THINGS.items())


def window(state: State, side: int) -> bytearray:
    """The signs of the cells in view, row after row; tunnels look like paths, the player is in the middle.

    The player's own sign is not among them: its cell shows what it stands on. A row of the land of `state` has `side`
    cells.
    """
    base = state.cell - TALL // 2 * side - WIDE // 2
    terrain = state.terrain
    seen = bytearray(b"".join([terrain[base + side * row : base + side * row + WIDE] for row in range(TALL)]))
    span = side * (TALL - 1) + WIDE
    for cell, being in state.beings.items():
        away = cell - base
        if 0 <= away < span and away % side < WIDE:
            seen[away // side * WIDE + away % side] = being & 255
    for cell in state.arrows:
        row, column = divmod(cell - base, side)
        if 0 <= row < TALL and column < WIDE:
            seen[row * WIDE + column] = land.ARROW[0]
    for cell in state.plants:
        row, column = divmod(cell - base, side)
        if 0 <= row < TALL and column < WIDE and ripe(state, cell):
            seen[row * WIDE + column] = land.RIPE[0]
    return seen.replace(land.TUNNEL, land.PATH)


@cache
def footprint(side: int) -> int:
    """A byte 255 for each cell of the view whose first cell is 0."""
    row = int.from_bytes(b"\xff" * WIDE, "little")
    return sum(row << 8 * side * line for line in range(TALL))


def notice(state: State, side: int) -> None:
    """Remember in `state` which cells have been in view; a row of the land has `side` cells."""
    state.known |= footprint(side) << 8 * (state.cell - TALL // 2 * side - WIDE // 2)


def describe(state: State, side: int, view: str) -> str:
    """What the player sees and has, in words, as a map or both.

    Args:
        state: The state; in sleep nothing is seen.
        side: Cells in a row of the land.
        view: `words`, `map` or `both`.
    """
    if state.sleeping:
        return f"You are asleep and see nothing.\n\n{_status(tuple(state.items))}"
    seen = window(state, side)
    parts = []
    if view != "map":
        parts.append(_nearest(bytes(_ORDER(seen))))
    step = (-WIDE, WIDE, -1, 1)[state.facing]
    parts.append(f"You face {WORD[seen[MIDDLE + step]]} to the {FACING[state.facing]}. {_hour(state.clock % 300)}")
    if view != "words":
        parts.append(_map(seen))
    parts.append(_status(tuple(state.items)))
    return "\n\n".join(parts)


def _nearest(seen: bytes) -> str:
    lines = ["You see:"]
    for sign, told in _LINES:
        place = seen.find(sign)
        if place >= 0:
            lines.append(told[place])
    return "\n".join(lines)


def _map(seen: bytearray) -> str:
    seen[MIDDLE] = land.YOU[0]
    text = seen.decode()
    return "Map:\n" + "\n".join([text[start : start + WIDE] for start in range(0, WIDE * TALL, WIDE)])


@cache
def _hour(phase: int) -> str:
    light = daylight(phase)
    return "It is day." if light > 0.6 else "It is dusk." if light > 0.3 else "It is night."


@lru_cache(maxsize=4096)
def _status(items: tuple[int, ...]) -> str:
    lines = ["Your status:", *(f"- {ITEMS[item]}: {items[item]}/9" for item in range(ENERGY + 1)), ""]
    carried = [f"- {name}: {count}" for name, count in zip(ITEMS[4:], items[4:], strict=True) if count]
    return "\n".join([*lines, "Your inventory:", *carried] if carried else [*lines, "You have nothing."])


# Pictures

UNIT = 7  # pixels a cell; nine of them and one pixel of margin make 64
TONES = {
    land.GRASS: (86, 152, 64), land.SAND: (224, 208, 150), land.PATH: (176, 154, 124), land.WATER: (66, 120, 200),
    land.LAVA: (226, 88, 34), land.STONE: (122, 122, 122), land.COAL: (122, 122, 122), land.IRON: (122, 122, 122),
    land.DIAMOND: (122, 122, 122), land.TREE: (86, 152, 64), land.TABLE: (150, 100, 52), land.FURNACE: (90, 90, 96),
    land.SAPLING: (86, 152, 64), land.RIPE: (86, 152, 64), land.VOID: (16, 16, 20),
}  # fmt: skip
MARKS = {  # colour and a 5 x 5 stencil, a row a digit of base 32
    land.COAL: ((30, 30, 30), (0, 10, 4, 10, 0)), land.IRON: ((222, 170, 130), (0, 10, 4, 10, 0)),
    land.DIAMOND: ((235, 250, 255), (4, 14, 31, 14, 4)), land.TREE: ((30, 92, 40), (14, 31, 31, 14, 4)),
    land.TABLE: ((98, 62, 28), (31, 17, 17, 17, 0)), land.FURNACE: ((240, 130, 40), (0, 0, 14, 14, 14)),
    land.SAPLING: ((36, 104, 36), (0, 4, 14, 4, 4)), land.RIPE: ((230, 80, 110), (4, 14, 31, 14, 4)),
    land.COW: ((92, 58, 40), (17, 31, 31, 31, 10)), land.ZOMBIE: ((40, 110, 60), (14, 14, 31, 14, 10)),
    land.SKELETON: ((238, 238, 230), (14, 10, 31, 4, 10)), land.ARROW: ((240, 240, 200), (4, 4, 4, 14, 4)),
}  # fmt: skip
HEAD = {0: (4, 14, 31, 14, 14), 1: (14, 14, 31, 14, 4), 2: (4, 12, 31, 12, 4), 3: (4, 6, 31, 6, 4)}
DIGITS = (0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71122, 0o75757, 0o75717)
ICONS = (
    (214, 60, 70), (200, 140, 70), (70, 140, 230), (245, 210, 70), (80, 190, 80), (150, 100, 52), (150, 150, 150),
    (50, 50, 50), (222, 170, 130), (225, 245, 255), (150, 100, 52), (150, 150, 150), (222, 170, 130), (150, 100, 52),
    (150, 150, 150), (222, 170, 130),
)  # fmt: skip


@cache
def _tile(sign: int, ground: int) -> NDArray[np.uint8]:
    """The picture of a cell, shape (7, 7, 3)."""
    tone = TONES.get(bytes([sign]), TONES[bytes([ground])])
    part = np.empty((UNIT, UNIT, 3), np.uint8)
    part[:] = tone
    part[-1], part[:, -1] = [max(0, shade - 12) for shade in tone], [max(0, shade - 12) for shade in tone]
    if bytes([sign]) in MARKS:
        color, stencil = MARKS[bytes([sign])]
        part[1:6, 1:6][_stencil(stencil)] = color
    return part


@cache
def _stencil(rows: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.array([[bool(row >> bit & 1) for bit in range(4, -1, -1)] for row in rows])


@cache
def _digit(value: int) -> NDArray[np.bool_]:
    return np.array([[bool(DIGITS[value] >> 3 * (4 - row) + 2 - bit & 1) for bit in range(3)] for row in range(5)])


def picture(state: State, side: int) -> NDArray[np.uint8]:
    """The view above, what the player has below: uint8 of shape (64, 64, 3). Darker at night, black in sleep.

    A row of the land of `state` has `side` cells.
    """
    frame = np.zeros((64, 64, 3), np.uint8)
    base = state.cell - TALL // 2 * side - WIDE // 2
    if not state.sleeping:
        for place, sign in enumerate(window(state, side)):
            row, column = divmod(place, WIDE)
            ground = land.PATH[0] if sign == land.SKELETON[0] else state.terrain[base + row * side + column]
            ground = land.PATH[0] if ground == land.TUNNEL[0] else ground
            frame[row * UNIT : (row + 1) * UNIT, column * UNIT : (column + 1) * UNIT] = _tile(sign, ground)
        top, left = TALL // 2 * UNIT, WIDE // 2 * UNIT
        frame[top + 1 : top + 6, left + 1 : left + 6][_stencil(HEAD[state.facing])] = (192, 57, 43)
        light = 0.35 + 0.65 * daylight(state.clock % 300)
        frame[: TALL * UNIT] = (frame[: TALL * UNIT] * light).astype(np.uint8)
    for item, count in enumerate(state.items):
        if count:
            row, column = divmod(item, WIDE)
            top, left = (TALL + row) * UNIT, column * UNIT
            frame[top + 1 : top + 6, left : left + 3] = ICONS[item]
            frame[top + 1 : top + 6, left + 3 : left + 6][_digit(count)] = (255, 255, 255)
    return frame
