"""What cows, zombies, skeletons and arrows do in a step, and where new ones appear."""

from __future__ import annotations

from collections.abc import Callable

from agentgym.envs.games._mini_crafter.land import COW, EDGE, GRASS, SAPLING, SKELETON, TUNNEL, ZOMBIE
from agentgym.envs.games._mini_crafter.rules import (
    BORN,
    CHUNK,
    REACH,
    SPAWNING,
    WAIT,
    WALKABLE,
    State,
    daylight,
    hurt,
    paint,
    steps,
)  # fmt: skip

Draw = Callable[[], float]
A_COW, A_ZOMBIE = COW[0], ZOMBIE[0]
RARE = {
    sign: max(birth, death) for sign, (_, _, _, birth, death, _) in SPAWNING.items()
}  # chance that one is looked at


def act(state: State, side: int, draw: Draw) -> None:
    """Move every arrow, then every creature within reach of the player, in the order in which they appeared.

    Args:
        state: What changes.
        side: Cells in a row of the land, the edge included.
        draw: Gives a random number from 0 up to 1 whenever one is needed.
    """
    if state.arrows:
        _fly(state, side)
    row, column = divmod(state.cell, side)
    ways = steps(side)
    for cell, being in list(state.beings.items()):
        down, right = row - cell // side, column - cell % side
        far = (down if down > 0 else -down) + (right if right > 0 else -right)
        if far > REACH:
            continue
        sign = being & 255
        if sign == A_COW:
            if draw() < 0.5:
                _move(state, cell, cell + ways[int(draw() * 4)], being, GRASS)
        elif sign == A_ZOMBIE:
            _zombie(state, cell, being, down, right, side, draw)
        elif far <= 9:
            _skeleton(state, cell, being, down, right, side, draw)


def _move(state: State, cell: int, target: int, being: int, ground: bytes) -> int:
    """Move a being if the target is free; where it stands then."""
    if (
        state.terrain[target] in ground
        and target not in state.beings
        and target not in state.arrows
        and target != state.cell
    ):
        del state.beings[cell]
        state.beings[target] = being
        return target
    if being != state.beings[cell]:
        state.beings[cell] = being
    return cell


def _toward(down: int, right: int, long: bool) -> int:
    """The direction of a step towards something, along the longer way or the shorter one."""
    if (abs(down) > abs(right)) == long:
        return 1 if down > 0 else 0
    return 3 if right > 0 else 2


def _zombie(state: State, cell: int, being: int, down: int, right: int, side: int, draw: Draw) -> None:
    far = abs(down) + abs(right)
    if far <= 1:
        if being >= WAIT:
            state.beings[cell] = being - WAIT
        else:
            hurt(state, 7 if state.sleeping else 2)
            state.beings[cell] = being + 5 * WAIT
        return
    chase = far <= 8 and draw() < 0.9
    direction = _toward(down, right, draw() < 0.8) if chase else int(draw() * 4)
    after = _move(state, cell, cell + steps(side)[direction], being, WALKABLE)
    for step in steps(side):
        if state.terrain[after + step] == SAPLING[0]:
            del state.plants[after + step]
            paint(state, after + step, GRASS)


def _skeleton(state: State, cell: int, being: int, down: int, right: int, side: int, draw: Draw) -> None:
    far = abs(down) + abs(right)
    if being >= WAIT:
        being -= WAIT
        state.beings[cell] = being
    rng = draw()
    if far <= 1 and being < WAIT and rng < 0.6:
        hurt(state, 2)
        state.beings[cell] = being + 4 * WAIT
    elif far <= 3 and rng < 0.4:
        _move(state, cell, cell + steps(side)[_toward(down, right, draw() < 0.6)], being, TUNNEL)
    elif far <= 5 and being < WAIT and rng < 0.7:
        direction = _toward(down, right, True)
        target = cell + steps(side)[direction]
        if state.terrain[target] in WALKABLE and target not in state.beings and target != state.cell:
            state.arrows[target] = direction
            state.beings[cell] = being + 4 * WAIT
    elif far <= 8 and rng < 0.8:
        _move(state, cell, cell + steps(side)[_toward(down, right, draw() < 0.6)], being, TUNNEL)
    elif rng > 0.9:
        _move(state, cell, cell + steps(side)[int(draw() * 4)], being, TUNNEL)


def _fly(state: State, side: int) -> None:
    flying: dict[int, int] = {}
    for cell, direction in state.arrows.items():
        target = cell + steps(side)[direction]
        if target == state.cell:
            hurt(state, 2)
        elif state.terrain[target] in WALKABLE and target not in state.beings and target not in flying:
            flying[target] = direction
    state.arrows = flying


def restock(state: State, side: int, draw: Draw) -> None:
    """Let creatures appear and vanish in the chunks whose turn it is: each has one every 10 steps.

    Args:
        state: What changes; its clock says whose turn it is.
        side, draw: As in `act`.
    """
    size = side - 2 * EDGE
    across = -(-size // CHUNK)
    light = daylight(state.clock % 300)
    for chunk in range(state.clock % 10, across * across, 10):
        top, left = EDGE + chunk // across * CHUNK, EDGE + chunk % across * CHUNK
        width, height = min(CHUNK, EDGE + size - left), min(CHUNK, EDGE + size - top)
        for sign, rare in RARE.items():
            rng = draw()
            if rng >= rare:
                continue
            ground, apart, leaves, birth, death, space = SPAWNING[sign]
            here = [
                cell
                for cell, being in state.beings.items()
                if being & 255 == sign and top <= cell // side < top + height and left <= cell % side < left + width
            ]
            least, most = _wanted(sign, light)
            if len(here) < least and rng < birth:
                cells = _ground(state, ground[0], side, top, left, width, height)
                if len(cells) >= space:
                    cell = cells[int(draw() * len(cells))]
                    if cell not in state.beings and cell not in state.arrows and _far(state, cell, side) >= apart:
                        state.beings[cell] = BORN[sign]
            elif len(here) > most and rng < death:
                cell = here[int(draw() * len(here))]
                if _far(state, cell, side) >= leaves:
                    del state.beings[cell]


def _wanted(sign: int, light: float) -> tuple[int, int]:
    """Fewest and most creatures of a kind in a chunk: zombies love the dark, cows the light."""
    if sign == ZOMBIE[0]:
        return int(3.5 - 3 * light), int(3.5 - 3 * light)
    return (1, 2) if sign == SKELETON[0] else (1, int(1.5 + light))


def _ground(state: State, sign: int, side: int, top: int, left: int, width: int, height: int) -> list[int]:
    return [
        cell
        for row in range(top, top + height)
        for cell in range(row * side + left, row * side + left + width)
        if state.terrain[cell] == sign
    ]


def _far(state: State, cell: int, side: int) -> int:
    row, column = divmod(state.cell, side)
    return abs(cell // side - row) + abs(cell % side - column)
