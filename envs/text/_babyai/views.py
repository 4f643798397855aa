"""What the agent sees: the 7 x 7 cells before it, what hides what, names and numbers of things, ways to them.

A cell's content is a code; a view is 49 of them, row by row from the farthest, each row from left to right, the agent
in the middle of the last. Everything here depends on a view alone, so that it is computed once for each.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache

SIDE, MIDDLE = 7, 3  # cells of a row; the agent's column
AGENT = SIDE * SIDE - SIDE + MIDDLE  # the agent's cell of a view
EMPTY, WALL, FIRST, DOOR = 0, 1, 2, 20  # codes; things from FIRST on, doors from DOOR on
TYPES = ("key", "ball", "box")
COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
STATES = ("open", "closed", "locked")
OPEN = 0
LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE = range(6)  # the package's actions
ROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))  # column and row of a step ahead: straight on, right, back, left

NAMES = {FIRST + kind * len(COLORS) + color: f"{COLORS[color]} {TYPES[kind]}"
         for kind in range(len(TYPES)) for color in range(len(COLORS))}  # fmt: skip
DOOR_NAMES = {DOOR + color * len(STATES) + state: (COLORS[color], STATES[state])
              for color in range(len(COLORS)) for state in range(len(STATES))}  # fmt: skip


def is_open_door(code: int) -> bool:
    """Whether a code is of an open door."""
    return code >= DOOR and (code - DOOR) % len(STATES) == OPEN


def hides(code: int) -> bool:
    """Whether what stands behind such a cell is hidden: walls and doors that are not open."""
    return code == WALL or (code >= DOOR and not is_open_door(code))


def free(code: int) -> bool:
    """Whether such a cell can be entered."""
    return code == EMPTY or is_open_door(code)


@dataclass(frozen=True, slots=True)
class Sight:
    """A thing in view.

    Attributes:
        name: Color and type, of a door with its state between them.
        number: Its number among those in view with the same name, from 1, the nearest first.
        code: What it is.
        ahead, right: Steps ahead, and to the right (negative: to the left).
    """

    name: str
    number: int
    code: int
    ahead: int
    right: int

    @property
    def label(self) -> str:
        """Name and number."""
        return f"{self.name} {self.number}"


@dataclass(frozen=True, slots=True)
class View:
    """A view, read.

    Attributes:
        visible: Cells that are seen, by their places in the view.
        sights: The things among them, the nearest first.
        codes: Codes of the cells that are seen; `EMPTY` for the others.
        barrier: Name and steps of the first wall or box straight ahead; None if none is seen.
    """

    visible: tuple[int, ...]
    sights: tuple[Sight, ...]
    codes: tuple[int, ...]
    barrier: tuple[str, int] | None

    @property
    def front(self) -> int:
        """The code of the cell straight ahead."""
        return self.codes[AGENT - SIDE]


@lru_cache(maxsize=8192)
def read(codes: tuple[int, ...]) -> View:
    """Read a view.

    Args:
        codes: What stands in each of the 49 cells, seen or not.
    """
    lit = _lit(codes)
    shown = tuple(codes[place] if lit[place] and place != AGENT else EMPTY for place in range(SIDE * SIDE))
    things = sorted(
        (abs(place % SIDE - MIDDLE) + SIDE - 1 - place // SIDE, place) for place in range(AGENT + MIDDLE + 1)
        if shown[place] >= FIRST
    )  # fmt: skip
    counts: dict[str, int] = {}
    sights = []
    for _, place in things:
        code = shown[place]
        name = NAMES.get(code) or "{} {} door".format(*DOOR_NAMES[code])
        counts[name] = counts.get(name, 0) + 1
        sights.append(Sight(name, counts[name], code, SIDE - 1 - place // SIDE, place % SIDE - MIDDLE))
    ahead = ((shown[AGENT - SIDE * steps], steps) for steps in range(1, SIDE))
    barrier = next((("wall" if code == WALL else "box", steps) for code, steps in ahead if _bars(code)), None)
    return View(tuple(place for place, seen in enumerate(lit) if seen), tuple(sights), shown, barrier)


def _bars(code: int) -> bool:
    return code == WALL or NAMES.get(code, "").endswith("box")


def _lit(codes: tuple[int, ...]) -> list[bool]:
    """Which cells are seen: light spreads from the agent, sideways and away from it, through what does not hide."""
    lit = [False] * len(codes)
    lit[AGENT] = True
    for row in range(SIDE - 1, -1, -1):
        for columns, side in ((range(SIDE - 1), 1), (range(SIDE - 1, 0, -1), -1)):
            for column in columns:
                place = row * SIDE + column
                if not lit[place] or hides(codes[place]):
                    continue
                lit[place + side] = True
                if row:
                    lit[place - SIDE + side] = lit[place - SIDE] = True
    return lit


@lru_cache(maxsize=8192)
def ways(codes: tuple[int, ...]) -> dict[tuple[int, int], tuple[int, ...]]:
    """The shortest ways from where the agent stands, within its view.

    Args:
        codes: `View.codes`; cells that are not seen count as free.

    Returns:
        For each place and direction (0 straight on, 1 right, 2 back, 3 left) the moves that lead there: forward before
        left before right where they are equally short.
    """
    start = (AGENT, 0)
    found: dict[tuple[int, int], tuple[int, ...]] = {start: ()}
    queue = deque([start])
    while queue:
        place, facing = queue.popleft()
        moves = found[place, facing]
        column, row = place % SIDE + ROUND[facing][0], place // SIDE + ROUND[facing][1]
        inside = 0 <= column < SIDE and 0 <= row < SIDE
        onward = (row * SIDE + column, facing) if inside and free(codes[row * SIDE + column]) else None
        for move, pose in ((FORWARD, onward), (LEFT, (place, (facing - 1) % 4)), (RIGHT, (place, (facing + 1) % 4))):
            if pose is not None and pose not in found:
                found[pose] = (*moves, move)
                queue.append(pose)
    return found


@lru_cache(maxsize=8192)
def approach(codes: tuple[int, ...], target: int) -> tuple[int, ...] | None:
    """The shortest way to face a place of the view; None if there is none.

    Args:
        codes: `View.codes`.
        target: The place.
    """
    best: tuple[int, ...] | None = None
    known = ways(codes)
    for facing, (right, down) in enumerate(ROUND):
        column, row = target % SIDE - right, target // SIDE - down
        if not (0 <= column < SIDE and 0 <= row < SIDE):
            continue
        moves = known.get((row * SIDE + column, facing))
        if moves is not None and (best is None or len(moves) < len(best)):
            best = moves
    return best


@lru_cache(maxsize=8192)
def arrive(codes: tuple[int, ...], target: int) -> tuple[int, ...] | None:
    """The shortest way to a place of the view; None if there is none.

    Args:
        codes: `View.codes`.
        target: The place.
    """
    known = ways(codes)
    moves = [known[target, facing] for facing in range(4) if (target, facing) in known]
    return min(moves, key=len) if moves else None
