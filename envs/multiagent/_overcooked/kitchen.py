"""The five standard kitchens, and what can be reached from where."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache

FACES = ("north", "south", "east", "west")
STEPS = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}
LAYOUTS = {
    "cramped_room": ("XXPXX", "O  2O", "X1  X", "XDXSX"),
    "asymmetric_advantages": ("XXXXXXXXX", "O XSXOX S", "X   P 1 X", "X2  P   X", "XXXDXDXXX"),
    "coordination_ring": ("XXXPX", "X 1 P", "D2X X", "O   X", "XOSXX"),
    "forced_coordination": ("XXXPX", "O X1P", "O2X X", "D X X", "XXXSX"),
    "counter_circuit": ("XXXPPXXX", "X  2   X", "D XXXX S", "X  1   X", "XXXOOXXX"),
}
NAMES = {"X": "counter", "P": "pot", "O": "onions", "D": "dishes", "S": "serving window"}


@dataclass(frozen=True, slots=True)
class Kitchen:
    """A kitchen, its cells numbered row by row.

    Attributes:
        name: Its published name.
        width, height: In cells.
        cells: One letter a cell, a space for the floor.
        starts: Where the two cooks start as published.
        ahead: The cell in front of a floor cell by facing (place in `FACES`); None for other cells.
        rooms: Number of the room of each floor cell: cells between which a cook can walk.
        pots: Cells of the pots, in order.
        sides: For each cell that is no floor, the numbers of the rooms from which it can be reached.
    """

    name: str
    width: int
    height: int
    cells: str
    starts: tuple[int, int]
    ahead: tuple[tuple[int, ...] | None, ...]
    rooms: tuple[int, ...]
    pots: tuple[int, ...]
    sides: tuple[frozenset[int], ...]

    @property
    def floor(self) -> tuple[int, ...]:
        """The floor cells in order."""
        return tuple(cell for cell, sign in enumerate(self.cells) if sign == " ")

    def place(self, cell: int) -> str:
        """A cell in words, rows and columns from 1."""
        return f"row {cell // self.width + 1}, column {cell % self.width + 1}"

    def of(self, sign: str, room: int) -> tuple[int, ...]:
        """Cells of a kind, by its `sign` in `NAMES`, that can be reached from a `room`, a number of `rooms`."""
        return tuple(cell for cell, there in enumerate(self.cells) if there == sign and room in self.sides[cell])


@lru_cache(maxsize=8)
def kitchen(name: str) -> Kitchen:
    """The kitchen of a name."""
    rows = LAYOUTS[name]
    width, text = len(rows[0]), "".join(rows)
    cells = text.replace("1", " ").replace("2", " ")
    shifts = [down * width + right for down, right in STEPS.values()]
    ahead = tuple(tuple(cell + shift for shift in shifts) if sign == " " else None for cell, sign in enumerate(cells))
    rooms = [-1] * len(cells)
    for first, sign in enumerate(cells):
        if sign == " " and rooms[first] < 0:
            front, rooms[first] = deque([first]), first
            while front:
                for other in ahead[front.popleft()] or ():
                    if cells[other] == " " and rooms[other] < 0:
                        rooms[other] = first
                        front.append(other)
    sides: list[set[int]] = [set() for _ in cells]
    for cell, faced in enumerate(ahead):
        for other in faced or ():
            sides[other].add(rooms[cell])
    return Kitchen(
        name=name,
        width=width,
        height=len(rows),
        cells=cells,
        starts=(text.index("1"), text.index("2")),
        ahead=ahead,
        rooms=tuple(rooms),
        pots=tuple(cell for cell, sign in enumerate(cells) if sign == "P"),
        sides=tuple(frozenset(each) if cells[cell] != " " else frozenset() for cell, each in enumerate(sides)),
    )


@lru_cache(maxsize=8192)
def field(name: str, targets: tuple[int, ...], blocked: int) -> dict[int, int]:
    """Steps from each floor cell to the nearest one beside a target, around the blocked cell (-1: none).

    Args:
        name: The kitchen's published name.
        targets: Cells to be faced, such as pots.
        blocked: A floor cell that cannot be entered.

    Returns:
        Steps by cell; cells from which no target can be reached are left out.
    """
    place = kitchen(name)
    wanted = set(targets)
    found = {cell: 0 for cell in place.floor if cell != blocked and wanted.intersection(place.ahead[cell] or ())}
    front = deque(found)
    while front:
        cell = front.popleft()
        for other in place.ahead[cell] or ():
            if place.cells[other] == " " and other != blocked and other not in found:
                found[other] = found[cell] + 1
                front.append(other)
    return found
