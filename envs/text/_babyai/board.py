"""The package's own level as a function: a state and moves in, the next state and its reward out.

A `State` is plain, immutable data, so it is its own copy. A `Board` holds a level of the package, puts a state into it
unless it stands there already, and lets the package move.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.envs.text._babyai.levels import new_level
from agentgym.envs.text._babyai.views import (
    COLORS,
    DOOR,
    DROP,
    EMPTY,
    FIRST,
    MIDDLE,
    NAMES,
    PICK_UP,
    SIDE,
    STATES,
    TOGGLE,
    TYPES,
    WALL,
    View,
    read,
)  # fmt: skip

MARGIN = SIDE  # walls around the grid, so that no view leaves it
HELD, GONE, INSIDE = -1, -2, -3  # where a thing is that stands in no cell: in hand, opened, in a box
NOBODY = -1
AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))  # columns and rows of a step: facing right, down, left, up


@dataclass(frozen=True, slots=True)
class State:
    """All that changes in a level.

    Attributes:
        cell: Where the agent stands.
        facing: 0 right, 1 down, 2 left, 3 up.
        held: Number of the thing it carries, or -1.
        steps: Moves made.
        places: Cell of each thing, or why it has none.
        doors: 0 open, 1 closed, 2 locked.
        mission: What the package's verifier remembers, by instruction.
        seen: Cells seen so far, a bit each; nothing but the expert reads it.
    """

    cell: int
    facing: int
    held: int
    steps: int
    places: tuple[int, ...]
    doors: tuple[int, ...]
    mission: tuple[tuple[Any, ...], ...]
    seen: int


@dataclass(frozen=True, slots=True)
class Result:
    """What moves led to.

    Attributes:
        state: The new state.
        reward: The package's reward.
        over: Whether the mission is decided.
        won: Whether it is accomplished.
        spent: Whether the package's moves have run out.
    """

    state: State
    reward: float
    over: bool
    won: bool
    spent: bool


class Board:
    """A level of the package.

    Args:
        level: Its name.
        seed: As the package's `reset(seed=...)` takes it.
    """

    def __init__(self, level: str, seed: int):
        self.level = new_level(level, seed)
        self.lock = threading.RLock()
        self._made = level, seed
        self.mission = str(self.level.mission)
        self.width = self.level.width + 2 * MARGIN
        self.things, self.doors = self._inventory()
        self.door_cells = tuple(self.cell(*map(int, door.cur_pos)) for door in self.doors)
        self._number = {id(thing): number for number, thing in enumerate(self.things)}
        self._door_at = {cell: number for number, cell in enumerate(self.door_cells)}
        self.codes = [WALL] * (self.width * (self.level.height + 2 * MARGIN))
        for row in range(self.level.height):
            for column in range(self.level.width):
                self.codes[self.cell(column, row)] = self._code(self.level.grid.get(column, row))
        self.instructions = _parts(self.level.instrs)
        self._views = [tuple(self._offset(facing, place) for place in range(SIDE * SIDE)) for facing in range(4)]
        self._bits: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._places = [INSIDE] * len(self.things)
        for number, thing in enumerate(self.things):
            if thing is self.level.carrying:
                self._places[number] = HELD
        for row in range(self.level.height):
            for column in range(self.level.width):
                number = self._number.get(id(self.level.grid.get(column, row)), NOBODY)
                if number != NOBODY:
                    self._places[number] = self.cell(column, row)
        self._now = self.start = self._dump(0)

    def __reduce__(self) -> Any:
        return board, self._made

    @property
    def most_steps(self) -> int:
        """Moves until the package ends the episode."""
        return int(self.level.max_steps)

    def play(self, state: State, moves: Sequence[int]) -> Result:
        """Make moves, until one ends the episode or changes nothing.

        Args:
            state: Where to begin.
            moves: The package's actions.
        """
        with self.lock:
            self.load(state)
            reward, over, spent = 0.0, False, False
            for move in moves:
                before = self._now
                _, reward, over, spent, _ = self.level.step(move)
                self._follow(move, before)
                self._now = self._dump(before.seen)
                if over or spent or not _moved(before, self._now):
                    break
            return Result(self._now, float(reward), bool(over), bool(over and reward > 0), bool(spent and not over))

    def view(self, state: State) -> View:
        """What the agent sees."""
        with self.lock:
            self.load(state)
            return self._look()

    def picture(self, state: State, tile: int) -> NDArray[np.uint8]:
        """The package's picture of the view.

        Args:
            state: The state.
            tile: Pixels of a cell.
        """
        with self.lock:
            self.load(state)
            frame: NDArray[np.uint8] = self.level.get_pov_render(tile_size=tile)
            return frame

    def _look(self) -> View:
        here, offsets = self._here(), self._views[self.level.agent_dir]
        codes = self.codes
        return read(tuple([codes[here + offset] for offset in offsets]))

    def carried(self, state: State) -> str:
        """Name of what is carried, or empty."""
        return "" if state.held == NOBODY else NAMES[self._code(self.things[state.held])]

    def front(self, state: State) -> int:
        """The cell before the agent."""
        column, row = AHEAD[state.facing]
        return state.cell + row * self.width + column

    def cell_ahead(self, state: State, ahead: int, right: int) -> int:
        """A cell by its distance from the agent.

        Args:
            state: The state.
            ahead, right: Steps ahead, and to the right.
        """
        (columns, rows), (across, down) = AHEAD[state.facing], AHEAD[(state.facing + 1) % 4]
        return state.cell + (rows * ahead + down * right) * self.width + columns * ahead + across * right

    def door_ahead(self, state: State) -> int | None:
        """Number of the door before the agent, if there is one."""
        return self._door_at.get(self.front(state))

    def door_in(self, cell: int) -> int | None:
        """Number of the door in a cell, if there is one."""
        return self._door_at.get(cell)

    def done(self, state: State) -> float:
        """Share of the mission's parts that are done; 0 for a mission of one part."""
        with self.lock:
            self.load(state)
            done, parts = _share(self.level.instrs)
            return done / parts

    # Between the package's objects and plain data.

    def load(self, state: State) -> None:
        """Put a state into the package's level, unless it stands there."""
        now = self._now
        if state is now:
            return
        changed = [n for n, place in enumerate(state.places) if place != now.places[n]]
        for number in changed:
            if now.places[number] >= 0:
                self._set(now.places[number], None)
        for number in changed:
            thing, place = self.things[number], state.places[number]
            self._places[number] = place
            if place >= 0:
                self._set(place, thing)
            thing.cur_pos = self._spot(place) if place >= 0 else (-1, -1)
        for number, door in enumerate(self.doors):
            door.is_open, door.is_locked = state.doors[number] == 0, state.doors[number] == 2
            self.codes[self.door_cells[number]] = self._code(door)
        level = self.level
        level.carrying = self.things[state.held] if state.held != NOBODY else None
        level.agent_pos, level.agent_dir, level.step_count = self._spot(state.cell), state.facing, state.steps
        for part, kept in zip(self.instructions, state.mission, strict=True):
            self._recall(part, kept)
        self._now = state

    def _dump(self, seen: int) -> State:
        level = self.level
        here, facing = self._here(), int(level.agent_dir)
        held = self._number[id(level.carrying)] if level.carrying is not None else NOBODY
        doors = tuple([0 if door.is_open else 2 if door.is_locked else 1 for door in self.doors])
        mission = tuple([self._kept(part) for part in self.instructions])
        seen |= self._seen_from(here, facing)
        return State(here, facing, held, int(level.step_count), tuple(self._places), doors, mission, seen)

    def _follow(self, move: int, before: State) -> None:
        """Take over what a move did to the cell before the agent."""
        if move not in (PICK_UP, DROP, TOGGLE):
            return
        cell = self.front(before)
        there = self.level.grid.get(*self._spot(cell))
        if move == TOGGLE and cell not in self._door_at:
            for number, place in enumerate(self._places):
                if place == cell and self.things[number] is not there:
                    self._places[number] = GONE
        if self.level.carrying is not None:
            self._places[self._number[id(self.level.carrying)]] = HELD
        number = self._number.get(id(there), NOBODY)
        if number != NOBODY:
            self._places[number] = cell
        self.codes[cell] = self._code(there)

    def _kept(self, part: Any) -> tuple[Any, ...]:
        """What an instruction remembers."""
        if hasattr(part, "instr_a"):
            return part.a_done, part.b_done
        carried = getattr(part, "preCarrying", None)
        return (
            NOBODY if carried is None else self._number[id(carried)],
            *[tuple([(int(x), int(y)) for x, y in described.obj_poss]) for described in _described(part)],
        )

    def _recall(self, part: Any, kept: tuple[Any, ...]) -> None:
        if hasattr(part, "instr_a"):
            part.a_done, part.b_done = kept
            return
        if hasattr(part, "preCarrying"):
            part.preCarrying = None if kept[0] == NOBODY else self.things[kept[0]]
        for described, places in zip(_described(part), kept[1:], strict=True):
            described.obj_poss = list(places)

    def _inventory(self) -> tuple[list[Any], list[Any]]:
        """Things and doors of the level, boxes before what they hold."""
        things, doors = [], []
        pending = [self.level.carrying, *self.level.grid.grid]
        for thing in pending:
            if thing is not None and thing.type == "door":
                doors.append(thing)
            while thing is not None and thing.type in TYPES:
                things.append(thing)
                thing = thing.contains
        return things, doors

    def _code(self, thing: Any) -> int:
        if thing is None:
            return EMPTY
        if thing.type == "wall":
            return WALL
        color = COLORS.index(thing.color)
        if thing.type == "door":
            return DOOR + color * len(STATES) + (0 if thing.is_open else 2 if thing.is_locked else 1)
        return FIRST + TYPES.index(thing.type) * len(COLORS) + color

    def _set(self, cell: int, thing: Any) -> None:
        self.level.grid.set(*self._spot(cell), thing)
        self.codes[cell] = self._code(thing)

    def cell(self, column: int, row: int) -> int:
        """The cell of `column` and `row` of the package's grid, whose cell in the upper left is 0, 0."""
        return (row + MARGIN) * self.width + column + MARGIN

    def _spot(self, cell: int) -> tuple[int, int]:
        """Column and row of a cell in the package's grid."""
        return cell % self.width - MARGIN, cell // self.width - MARGIN

    def _here(self) -> int:
        column, row = self.level.agent_pos
        return self.cell(int(column), int(row))

    def _offset(self, facing: int, place: int) -> int:
        """From the agent's cell to that of a place of its view."""
        ahead, right = SIDE - 1 - place // SIDE, place % SIDE - MIDDLE
        (columns, rows), (across, down) = AHEAD[facing], AHEAD[(facing + 1) % 4]
        return (rows * ahead + down * right) * self.width + columns * ahead + across * right

    def _seen_from(self, here: int, facing: int) -> int:
        visible = self._look().visible
        known = self._bits.get((here, facing, visible))
        if known is None:
            offsets = self._views[facing]
            known = sum(1 << (here + offsets[place]) for place in visible)
            self._bits[here, facing, visible] = known
        return known


def _moved(before: State, after: State) -> bool:
    """Whether a move changed anything but the count of moves."""
    return (before.cell, before.facing, before.held, before.doors, before.places) != (
        after.cell, after.facing, after.held, after.doors, after.places,
    )  # fmt: skip


def _share(part: Any) -> tuple[int, int]:
    """How many instructions are known to be done, and how many there are."""
    if not hasattr(part, "instr_a"):
        return 0, 1
    done, parts = 0, 0
    for each, verdict in ((part.instr_a, part.a_done), (part.instr_b, part.b_done)):
        partly, count = _share(each)
        done += count if verdict == "success" else partly
        parts += count
    return done, parts


def _described(part: Any) -> list[Any]:
    """The descriptions of things in an instruction."""
    return [getattr(part, name) for name in ("desc", "desc_move", "desc_fixed") if hasattr(part, name)]


def _parts(instruction: Any) -> list[Any]:
    """An instruction and those that it is made of."""
    if not hasattr(instruction, "instr_a"):
        return [instruction]
    return [instruction, *_parts(instruction.instr_a), *_parts(instruction.instr_b)]


@lru_cache(maxsize=128)
def board(level: str, seed: int) -> Board:
    """The board of a level and a seed, shared by all who play it in this process.

    Args:
        level: Name of the level.
        seed: Its seed.
    """
    return Board(level, seed)
