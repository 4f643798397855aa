"""How the shipped table of Rush Hour boards was made: exact distances over everything that can be reached.

A board is filled with vehicles at random, and then changed, some vehicles at a time, as long as its farthest position
does not come nearer. Each time all positions that sliding can reach are found, and the search goes backwards from all
in which the red car stands at the exit, which gives the exact least number of moves of every position. Some of each
wanted distance are kept. `python -m agentgym.envs.games._rush_hour.table FILE CHAINS` writes such a table.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from agentgym.envs.games._rush_hour.search import EXIT_ROW, SIDE, Vehicle, cells, distances

BANDS = ((3, 7), (8, 14), (15, 24), (25, 60))  # moves, by level
STEP = (1, 3, 3, 10)  # positions of a board in each band, at most
KEPT = (12, 24, 32, 60)  # positions of a chain in each band, at most
CHANGES = 32  # of the board of a chain
STAY = 0.85  # chance of a vehicle to stay through a change
SHORT = 0.7  # share of the vehicles that are two cells long
STREAM = 0x125A


def fill(rng: np.random.Generator, vehicles: list[Vehicle], wanted: int) -> list[Vehicle]:
    """A board with vehicles more at random, the red car first, until there are so many or no room is found.

    Args:
        rng: Draws the vehicles and where they stand.
        vehicles: Those that stand already, the red car first; the list is left as it is.
        wanted: Vehicles in all.
    """
    vehicles = list(vehicles)
    taken = 0
    for across, line, length, place in vehicles:
        taken |= cells(across, line, length, place)
    for _ in range(100):
        if len(vehicles) == wanted:
            break
        across, line = int(rng.integers(2)), int(rng.integers(SIDE))
        length = 2 if rng.random() < SHORT else 3
        place = int(rng.integers(SIDE - length + 1))
        if vehicles and across and line == EXIT_ROW:
            continue  # nothing but the red car stands along the way out
        if not vehicles:
            across, line, length, place = 1, EXIT_ROW, 2, place % 3
        mask = cells(across, line, length, place)
        if not taken & mask:
            taken |= mask
            vehicles.append((across, line, length, place))
    return vehicles


def drawn(vehicles: list[Vehicle], state: int) -> str:
    """A position as 36 signs: `.` for free, X for the red car, A and so on for the others in reading order.

    Args:
        vehicles: The vehicles, the red car first.
        state: Where each of them stands, three bits a vehicle, as `search.code` makes it.
    """
    signs = ["."] * (SIDE * SIDE)
    for index, (across, line, length, _) in enumerate(vehicles):
        for cell in range(SIDE * SIDE):
            if cells(across, line, length, state >> 3 * index & 7) >> cell & 1:
                signs[cell] = "X" if index == 0 else chr(200 + index)
    names: dict[str, str] = {".": ".", "X": "X"}
    for sign in signs:
        names.setdefault(sign, chr(ord("A") + len(names) - 2))
    return "".join(names[sign] for sign in signs)


def chain(number: int) -> Iterator[tuple[int, str]]:
    """The positions that are kept of the chain of a number, with their distances."""
    rng = np.random.default_rng([number, STREAM])
    board: list[Vehicle] = []
    best = -2
    kept: list[dict[str, int]] = [{} for _ in BANDS]
    for _ in range(CHANGES):
        left = [vehicle for place, vehicle in enumerate(board) if not place or rng.random() < STAY]
        after = fill(rng, left, int(rng.integers(10, 14)))
        found = distances(after)
        if found is None or int(found[1].max()) < best:
            continue
        board, (states, away) = after, found
        best = int(away.max())
        for band, (low, high) in enumerate(BANDS):
            places = np.flatnonzero((away >= low) & (away <= high))
            for place in rng.choice(places, min(STEP[band], places.size), replace=False).tolist():
                kept[band][drawn(board, int(states[place]))] = int(away[place])
    for band, positions in enumerate(kept):
        for signs in list(positions)[-KEPT[band] :]:  # of the last boards, which are the hardest
            yield positions[signs], signs


def main() -> None:
    """Write the table of so many chains: a JSON list a line, with chain, distance and signs of a position."""
    target, count = Path(sys.argv[1]), int(sys.argv[2])
    rows = [[number, moves, signs] for number in range(count) for moves, signs in chain(number)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
