"""The Sokoban level generator: carve rooms, put every box on its target, play backwards by pulling.

After the generator of gym-sokoban (Schrader 2018; Weber et al. 2017, arXiv:1707.06203), with the search for the hardest
position replaced by a bounded random walk of pulls, and with every box off its targets at the start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agentgym.envs.games._sokoban.board import BOX, FLOOR, PLAYER, PLAYER_ON_TARGET, TARGET, WALL, reach

STREAM = 0x50C0  # apart from np_random of an equal seed
TURN = 0.35  # chance that the carver changes direction
CARVE = 1.7  # steps of the carver for each row and column
PULLS = 14  # for each box, at most
STAY = 0.6  # chance that the box pulled last is pulled again, if it can be
WALKS = 4  # backward walks from one solved position; the hardest start is taken
MASKS = (  # what the carver digs around it: (down, right)
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
    ((-1, 0), (0, 0), (0, -1), (0, 1)),
)


def make(seed: int, size: int, boxes: int, moves: int) -> list[str]:
    """Rows of a level that can be solved in at most `moves` moves, every box off its targets.

    Args:
        seed: Generator seed.
        size: Rows and columns, the outer walls included.
        boxes: Boxes, and as many targets.
        moves: Of the solution that pulling backwards found, walks included; there may be a shorter one.
    """
    rng = np.random.default_rng([seed, STREAM])
    while True:
        draws = iter(rng.random(4096).tolist())
        level = _attempt(draws, size, boxes, moves)
        if level is not None:
            return level


def _attempt(draws: Iterator[float], size: int, count: int, moves: int) -> list[str] | None:
    stride = size + 1
    floor = _carve(draws, size)
    if len(floor) < 2 * count + 4:
        return None
    order = sorted(floor)
    targets: list[int] = []
    while len(targets) < count:
        cell = _draw(draws, order)
        if cell not in targets:
            targets.append(cell)
    free = [cell for cell in order if cell not in targets]
    steps = (-stride, stride, -1, 1)
    pulled = moves - len(floor)  # the walk to the first push comes on top
    score, player, boxes = max(_pull(draws, floor, targets, _draw(draws, free), steps, pulled) for _ in range(WALKS))
    if not score:
        return None
    player = _draw(draws, sorted(reach(floor, steps, boxes, player)))
    signs = [FLOOR if cell in floor else WALL for cell in range(size * stride)]
    for cell in targets:
        signs[cell] = TARGET
    for cell in boxes:
        signs[cell] = BOX
    signs[player] = PLAYER_ON_TARGET if player in targets else PLAYER
    return ["".join(signs[row * stride : row * stride + size]) for row in range(size)]


def _draw(draws: Iterator[float], cells: list[int]) -> int:
    return cells[int(next(draws) * len(cells))]


def _carve(draws: Iterator[float], size: int) -> set[int]:
    """Floor cells dug by a random walk that leaves the outermost cells alone."""
    stride, inner = size + 1, range(1, size - 1)
    row, column = 1 + int(next(draws) * (size - 2)), 1 + int(next(draws) * (size - 2))
    ways = ((-1, 0), (1, 0), (0, -1), (0, 1))
    way = ways[int(next(draws) * 4)]
    floor = set()
    for _ in range(round(CARVE * 2 * size)):
        for down, right in MASKS[int(next(draws) * len(MASKS))]:
            if row + down in inner and column + right in inner:
                floor.add((row + down) * stride + column + right)
        if next(draws) < TURN:
            way = ways[int(next(draws) * 4)]
        row = min(max(row + way[0], 1), size - 2)
        column = min(max(column + way[1], 1), size - 2)
    return floor


def _pull(
    draws: Iterator[float], floor: set[int], targets: list[int], player: int, steps: tuple[int, ...], moves: int
) -> tuple[int, int, list[int]]:
    """Pull boxes at random; of all positions on the way the one with the highest score, with player and boxes.

    The score is the number of changes of box or direction times how far the boxes are from where they were; 0 unless
    every box is off the targets and they are two cells away from home on average.
    """
    boxes = list(targets)
    best = (0, player, boxes)
    last, back, changes, spent = -1, 0, 0, 0
    for _ in range(PULLS * len(boxes)):
        walks = reach(floor, steps, boxes, player)
        pulls = [
            (index, step)
            for index, box in enumerate(boxes)
            for step in steps
            if box + step in walks and box + 2 * step in floor and box + 2 * step not in boxes
            if index != last or step != back
        ]
        if not pulls:
            break
        same = [pull for pull in pulls if pull[0] == last]
        pulls = same if same and next(draws) < STAY else pulls
        index, step = pulls[int(next(draws) * len(pulls))]
        spent += walks[boxes[index] + step] + 1
        if spent > moves:
            break
        changes += index != last or step != -back
        last, back = index, -step
        boxes[index] += step
        player = boxes[index] + step
        if not any(box in targets for box in boxes):
            apart = sum(_apart(box, home, -steps[0]) for box, home in zip(boxes, targets, strict=True))
            if changes * apart > best[0] and apart >= 2 * len(boxes):
                best = (changes * apart, player, list(boxes))
    return best


def _apart(one: int, other: int, stride: int) -> int:
    return abs(one // stride - other // stride) + abs(one % stride - other % stride)
