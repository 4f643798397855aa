"""A planner for every level: it opens boxes, fetches keys, clears the way, and explores what it does not know.

It works in the package's level itself. Again and again it asks what the mission wants next, makes the moves that bring
it nearer, and asks anew, so it can begin in any state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from agentgym.envs.text._babyai.board import AHEAD, NOBODY, Board, State
from agentgym.envs.text._babyai.views import DROP, EMPTY, FORWARD, LEFT, PICK_UP, RIGHT, TOGGLE, WALL, free

ROUNDS = 200  # times it asks what to do next
TURN = {1: (RIGHT,), 2: (RIGHT, RIGHT), 3: (LEFT,)}
Pose = tuple[int, int]


class _Ended(Exception):
    """The mission is decided, or the moves have run out."""

    def __init__(self, won: bool):
        super().__init__()
        self.won = won


class _Lost(Exception):
    """Nothing that could be done brings the mission nearer."""


def make_plan(board: Board, state: State, known: int) -> list[tuple[State, int]]:
    """Moves that accomplish the mission, each with the state in which it is made; empty if none were found.

    Args:
        board: The level.
        state: Where to begin.
        known: Cells that the player knows, a bit each; what it comes to see on the way it knows as well.
    """
    planner = _Planner(board, state, known)
    try:
        for _ in range(ROUNDS):
            planner.advance()
    except _Ended as end:
        return planner.made if end.won else []
    except _Lost:
        pass  # no plan is the answer
    return []


class _Planner:
    """A mission under way."""

    def __init__(self, board: Board, state: State, known: int):
        self.board, self.state, self._given = board, state, known
        self.made: list[tuple[State, int]] = []
        self._wanted: list[int] = []  # doors whose keys are sought, which are no way to them

    def advance(self) -> None:
        """Bring the part of the mission that is next nearer to its end."""
        self.board.load(self.state)
        part = next(_pending(self.board.level.instrs))
        kind = type(part).__name__
        if kind == "GoToInstr":
            made = len(self.made)
            if self._face([c for spot in part.desc.obj_poss if self._knows(c := self.board.cell(*spot))]) and (
                made == len(self.made)
            ):
                self._make(LEFT)  # what is faced from the beginning counts when it is faced again
        elif kind == "OpenInstr":
            self._open_one(part)
        elif kind == "PickupInstr":
            self._pick_up_one(part)
        else:
            self._put_next(part)

    def _open_one(self, part: Any) -> None:
        doors = [cell for door, cell in zip(self.board.doors, self.board.door_cells, strict=True)
                 if any(door is wanted for wanted in part.desc.obj_set)]  # fmt: skip
        if not self._face(doors):
            return
        number = self.board.door_ahead(self.state)
        assert number is not None
        if self.state.doors[number] == 2 and not self._holds_key(number):
            self._fetch_key(number)  # which opens the door as well
            return
        for _ in range(2 if self.state.doors[number] == 0 else 1):
            self._make(TOGGLE)

    def _pick_up_one(self, part: Any) -> None:
        self._take(self._standing(part.desc.obj_set))

    def _take(self, cells: list[int]) -> None:
        """Pick up what stands in one of the cells."""
        if not self._face(cells):
            return
        if self.state.held != NOBODY:  # only now: what is in hand may be the key of a door on the way
            self._put_aside()
        else:
            self._make(PICK_UP)

    def _put_next(self, part: Any) -> None:
        wanted = {number for number, thing in enumerate(self.board.things) if _among(thing, part.desc_move.obj_set)}
        held = self.board.things[self.state.held] if self.state.held in wanted else None
        fixed = self._standing([thing for thing in part.desc_fixed.obj_set if thing is not held])
        beside = sorted({cell + step for cell in fixed for step in self._steps if self._knows(cell + step)})
        goals = [cell for cell in beside if self.board.codes[cell] == EMPTY]
        if fixed and not goals:
            self._make_room(beside)
        elif held is None:
            self._take(self._standing(part.desc_move.obj_set))
        elif self._face(goals):
            self._make(DROP)

    def _make_room(self, cells: list[int]) -> None:
        """Take away what stands in one of the cells."""
        things = [cell for cell in cells if cell in self.state.places]
        if not things:
            raise _Lost
        if self.state.held != NOBODY:
            self._put_aside(cells)
        elif self._face(things):
            self._make(PICK_UP)
            self._put_aside(cells)

    # What is known.

    def _knows(self, cell: int) -> bool:
        return bool((self._given | self.state.seen) >> cell & 1)

    def _standing(self, things: Iterable[Any]) -> list[int]:
        """Cells of those among the things that are known to stand somewhere."""
        wanted = list(things)
        cells = [place for thing, place in zip(self.board.things, self.state.places, strict=True)
                 if place >= 0 and _among(thing, wanted)]  # fmt: skip
        cells += [cell for door, cell in zip(self.board.doors, self.board.door_cells, strict=True)
                  if _among(door, wanted)]  # fmt: skip
        return [cell for cell in cells if self._knows(cell)]

    def _holds_key(self, door: int) -> bool:
        held = self.state.held
        thing = self.board.things[held] if held != NOBODY else None
        return thing is not None and thing.type == "key" and thing.color == self.board.doors[door].color

    # Ways.

    @property
    def _steps(self) -> list[int]:
        return [row * self.board.width + column for column, row in AHEAD]

    def _face(self, cells: list[int]) -> bool:
        """Come to face one of the cells; False if that took all the way, or is not done yet."""
        if not cells:
            self._explore()
            return False
        way = self._way(lambda pose: self._front(pose) in cells, self._walkable)
        if way is not None:
            self._walk(way)
            return True
        way = self._barred_way(cells)
        if way is None:
            self._explore()
            return False
        if self.state.held != NOBODY:  # hands are needed on the way
            self._put_aside({pose[0] for pose in way})
            way = self._barred_way(cells)
            assert way is not None
        self._clear(way)
        return False

    def _barred_way(self, cells: list[int]) -> list[Pose] | None:
        """A way to one of the cells on which doors are locked, or things stand in the way if there is no other."""
        for enterable in (self._unlockable, self._passable):
            way = self._way(lambda pose: self._front(pose) in cells, enterable)
            if way is not None:
                return way
        return None

    def _walkable(self, cell: int) -> bool:
        """Whether a cell can be entered, after opening its door if need be."""
        if not self._knows(cell):
            return False
        number = self.board.door_in(cell)
        opens = number is not None and (self.state.doors[number] != 2 or self._holds_key(number))
        return opens or free(self.board.codes[cell])

    def _open(self, cell: int) -> bool:
        """Whether a cell can be entered as it is."""
        return self._knows(cell) and free(self.board.codes[cell])

    def _unlockable(self, cell: int) -> bool:
        """Whether a cell could be entered if doors were unlocked."""
        return self._walkable(cell) or (self.board.door_in(cell) is not None and self._passable(cell))

    def _passable(self, cell: int) -> bool:
        """Whether a cell could be entered if things were out of the way and doors unlocked."""
        return self._knows(cell) and self.board.codes[cell] != WALL and self.board.door_in(cell) not in self._wanted

    def _front(self, pose: Pose) -> int:
        column, row = AHEAD[pose[1]]
        return pose[0] + row * self.board.width + column

    def _way(self, done: Callable[[Pose], bool], enterable: Callable[[int], bool]) -> list[Pose] | None:
        """The shortest way from pose to pose, from the present one to one that is `done`."""
        start = (self.state.cell, self.state.facing)
        before: dict[Pose, Pose | None] = {start: None}
        queue = deque([start])
        while queue:
            pose = queue.popleft()
            if done(pose):
                way = [pose]
                while (previous := before[way[-1]]) is not None:
                    way.append(previous)
                return way[::-1]
            cell, facing = pose
            ahead = self._front(pose)
            onward = [(ahead, facing)] if enterable(ahead) else []
            for following in (*onward, (cell, (facing - 1) % 4), (cell, (facing + 1) % 4)):
                if following not in before:
                    before[following] = pose
                    queue.append(following)
        return None

    def _walk(self, way: list[Pose]) -> None:
        for pose, following in pairwise(way):
            if pose[0] == following[0]:
                self._make(*TURN[(following[1] - pose[1]) % 4])
                continue
            if not free(self.board.codes[following[0]]):
                self._make(TOGGLE)
            self._make(FORWARD)

    def _clear(self, way: list[Pose]) -> None:
        """Remove what first bars a way: unlock a door, or put a thing aside."""
        place = next(i for i, pose in enumerate(way) if i and pose[0] != way[i - 1][0] and not self._walkable(pose[0]))
        barred = way[place][0]
        number = self.board.door_in(barred)
        if number is not None:
            if self.state.held != NOBODY:
                self._put_aside()
            else:
                self._fetch_key(number)
            return
        if self.state.held != NOBODY:
            self._put_aside({pose[0] for pose in way})
            return
        self._walk(way[:place])
        self._make(PICK_UP)
        self._put_aside({pose[0] for pose in way})

    def _fetch_key(self, door: int) -> None:
        """Bring the key of a door nearer, or the box that it is in."""
        if self.state.held != NOBODY:
            self._put_aside()
            return
        if door in self._wanted:
            raise _Lost
        self._wanted.append(door)
        try:
            self._seek_key(door)
        finally:
            self._wanted.remove(door)

    def _seek_key(self, door: int) -> None:
        color = self.board.doors[door].color
        keys = [thing for thing in self.board.things if thing.type == "key" and thing.color == color]
        known = self._standing(keys)
        if known:
            if self._face(known):
                self._make(PICK_UP)
                self._wanted.remove(door)
                try:
                    if self._face([self.board.door_cells[door]]):
                        self._make(TOGGLE)
                finally:
                    self._wanted.append(door)
            return
        boxes = [thing for thing in self.board.things if thing.type == "box" and self._may_hold(thing, keys)]
        if self._face(self._standing(boxes)):
            self._make(TOGGLE)

    def _may_hold(self, box: Any, keys: list[Any]) -> bool:
        """Whether a key may be in a box: known to who knows everything, possible to who does not."""
        return self._given != -1 or _among(box.contains, keys)

    def _put_aside(self, way: Iterable[int] = ()) -> None:
        """Put down what is carried where it bars nothing."""
        kept = set(way)
        here = self._region(self.state.cell, None)

        def empty(pose: Pose) -> bool:
            return bool(self.board.codes[self._front(pose)] == EMPTY)

        def good(pose: Pose) -> bool:
            front = self._front(pose)
            if not empty(pose) or not self._knows(front) or front in kept:
                return False
            return front != self.state.cell and len(self._region(pose[0], front)) >= len(here) - 1

        found = self._way(good, self._walkable)
        ahead = self._front((self.state.cell, self.state.facing))
        if found is None:
            found = self._way(lambda pose: empty(pose) and self._front(pose) not in kept, self._walkable)
        if found is None and ahead in kept and self.board.codes[ahead] == EMPTY:
            self._make(FORWARD, LEFT, LEFT, DROP)  # nowhere else to put it: it changes places with the player
            return
        if found is None:
            found = self._way(empty, self._walkable)
        if found is None:
            raise _Lost
        self._walk(found)
        self._make(DROP)

    def _region(self, start: int, without: int | None) -> set[int]:
        """Cells that can be walked to, and those beside them that hold something."""
        reached, beside, queue = {start}, set(), [start]
        while queue:
            cell = queue.pop()
            for step in self._steps:
                following = cell + step
                if following == without or following in reached:
                    continue
                if self._walkable(following):
                    reached.add(following)
                    queue.append(following)
                elif self.board.codes[following] != WALL:
                    beside.add(following)
        return reached | beside

    def _explore(self) -> None:
        """See something new, with as little as possible: by going there, opening doors, moving things, unlocking."""
        for enterable in (self._open, self._walkable, self._passable):
            way = self._way(lambda pose: not self._knows(self._front(pose)), enterable)
            if way is None:
                continue
            if all(self._walkable(pose[0]) for pose in way[1:]):
                self._walk(way)
            else:
                self._clear(way)
            return
        raise _Lost

    def _make(self, *moves: int) -> None:
        for move in moves:
            self.made.append((self.state, int(move)))
            result = self.board.play(self.state, [move])
            self.state = result.state
            if result.over or result.spent:
                raise _Ended(result.won)


def _among(thing: Any, things: Iterable[Any]) -> bool:
    return any(thing is each for each in things)


def _pending(part: Any) -> Iterator[Any]:
    """The instructions that are not done, in the order in which they are to be done."""
    if not hasattr(part, "instr_a"):
        yield part
        return
    parts = [(part.instr_a, part.a_done), (part.instr_b, part.b_done)]
    if type(part).__name__ == "AfterInstr":
        parts.reverse()
    for each, done in parts:
        if done != "success":
            yield from _pending(each)
