"""Rush Hour positions, and the search backwards that tells the exact least number of moves of each.

A position is a whole number, 3 bits a vehicle: the first of its cells along its line. A set of positions is an array,
so that a step of the search is done for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

SIDE, EXIT_ROW = 6, 2
Vehicle = tuple[int, int, int, int]  # whether it lies across, its row or column, its length, its first cell there
Words = NDArray[np.int64]
LARGEST = 30_000  # positions of a component that is searched


def distances(vehicles: list[Vehicle]) -> tuple[Words, NDArray[np.int16]] | None:
    """Every position that can be reached, 3 bits a vehicle, and its least number of moves to the exit, -1 for none.

    None if there are more than 30,000 positions.
    """
    masks = [
        np.array([cells(across, line, length, place) for place in range(SIDE - length + 1)], np.int64)
        for across, line, length, _ in vehicles
    ]
    start = np.array([code([place for *_, place in vehicles])], np.int64)
    known = start
    frontier = start
    while frontier.size:
        frontier = np.setdiff1d(_neighbours(frontier, masks), known, assume_unique=True)
        known = np.union1d(known, frontier)
        if known.size > LARGEST:
            return None
    away = np.full(known.size, -1, np.int16)
    frontier = known[(known & 7) == SIDE - 2]
    steps = 0
    while frontier.size:
        away[np.searchsorted(known, frontier)] = steps
        near = _neighbours(frontier, masks)
        frontier = near[away[np.searchsorted(known, near)] < 0]
        steps += 1
    return known, away


def code(places: Iterable[int]) -> int:
    """The position in which the vehicles stand at these places."""
    return sum(place << 3 * index for index, place in enumerate(places))


def cells(across: int, line: int, length: int, place: int) -> int:
    """The cells of a vehicle as a mask, bit row * 6 + column.

    Args:
        across: Whether it lies in a row, 1 or 0.
        line: That row, or else its column.
        length: Its cells.
        place: The first of them along the line.
    """
    spots = [(line, place + part) if across else (place + part, line) for part in range(length)]
    return sum(1 << row * SIDE + column for row, column in spots)


def _neighbours(states: Words, masks: list[Words]) -> Words:
    """What one slide of one vehicle, by any number of cells, makes of positions."""
    full = np.zeros_like(states)
    for index, mask in enumerate(masks):
        full |= mask[states >> 3 * index & 7]
    found = []
    for index, mask in enumerate(masks):
        shift = 3 * index
        place = states >> shift & 7
        others = full & ~mask[place]
        for step in (-1, 1):
            moving, at, block = states, place, others
            while moving.size:
                at = at + step
                inside = (at >= 0) & (at < mask.size)
                moving, at, block = moving[inside], at[inside], block[inside]
                free = (mask[at] & block) == 0
                moving, at, block = moving[free], at[free], block[free]
                found.append(moving & ~np.int64(7 << shift) | at << shift)
    return np.unique(np.concatenate(found))


def moved(vehicles: Sequence[Vehicle], places: Sequence[int], index: int, place: int) -> bool:
    """Whether a vehicle can slide to another place on its line.

    Args:
        vehicles: All vehicles; where they stood at first does not count.
        places: Where each of them stands now.
        index: The vehicle that slides.
        place: Where it is to stand; where it stands already is no slide.
    """
    if place == places[index]:
        return False
    across, line, length, _ = vehicles[index]
    low, high = sorted((place, places[index]))
    swept = cells(across, line, high - low + length, low)
    others = 0
    for other, (way, its_line, its_length, _) in enumerate(vehicles):
        if other != index:
            others |= cells(way, its_line, its_length, places[other])
    return not swept & others
