"""Levels: a family's pieces laid out at random, together with a plan that is played to prove the level.

After the environments of Baba Is AI (Cloos et al. 2024, arXiv:2407.13729), with rooms of several sizes, rules in many
places, and maps that may be turned over their diagonal, which keeps rules readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.envs.games._baba.board import EMPTY, MOVES, read
from agentgym.envs.games._baba.families import BARRIERS, Family, family
from agentgym.envs.games._baba.plan import Shift, perform

STREAM = 0xBABA  # apart from np_random of an equal seed
PLAIN = ("ball", "door", "flag", "key", "star", "tree")  # things without a part of their own
LEAST, MOST = 3, 70  # moves of the plan
FARTHEST = 3  # cells that a word lies from where it belongs
TRIES = 12  # places tried for one piece
WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
TURNED = {"up": "left", "left": "up", "right": "down", "down": "right"}
Place = tuple[int, int]  # row and column from 0


class Full(Exception):
    """There is no room for a piece; the level is begun anew."""


@dataclass(slots=True)
class Draft:
    """A level in the making: two rooms lie side by side, the barrier between them."""

    rng: np.random.Generator
    height: int
    width: int
    gap: int  # column of the barrier; the width if there is one room
    cells: dict[Place, str] = field(default_factory=dict)
    kept: set[Place] = field(default_factory=set)  # to be walked and pushed over
    shifts: list[tuple[Place, tuple[tuple[str, int], ...]]] = field(default_factory=list)
    goals: list[str] = field(default_factory=list)

    def pick(self, things: Sequence[Any]) -> Any:
        """One at random."""
        if not things:
            raise Full
        return things[int(self.rng.random() * len(things))]

    def columns(self, side: str) -> range:
        """Columns of the left room, the right one, or anywhere."""
        if side == "left" or self.gap == self.width:
            return range(self.gap)
        return range(self.gap + 1, self.width) if side == "right" else range(self.width)

    def free(self, place: Place) -> bool:
        """Whether a place is on the map with nothing on it, and not kept free."""
        return self.on(place) and place not in self.cells and place not in self.kept

    def on(self, place: Place) -> bool:
        """Whether a place is on the map."""
        return 0 <= place[0] < self.height and 0 <= place[1] < self.width

    def edge(self, place: Place) -> bool:
        """Whether a place is at the rim."""
        return place[0] in (0, self.height - 1) or place[1] in (0, self.width - 1)

    def put(self, name: str, side: str) -> Place:
        """Lay something on a free place of a room that is not kept.

        Args:
            name: A thing in small letters or a word in capitals.
            side: The room: `left` or `right`; the left one is the whole map if there is one room.

        Returns:
            Where it lies.

        Raises:
            Full: if no place is free.
        """
        places = [
            (row, column)
            for row in range(self.height)
            for column in self.columns(side)
            if column != self.gap and self.free((row, column))
        ]
        place: Place = self.pick(places)
        self.cells[place] = name
        return place

    def line(self, words: Sequence[str], side: str, *, fixed: bool) -> list[Place]:
        """Lay a rule out: along the rim, where it cannot be taken apart, or off it.

        Args:
            words: Its words in capitals, in the order in which they are read.
            side: The room, as in `put`.
            fixed: Whether it lies along the rim; otherwise no word of it is at the rim.

        Returns:
            The places of the words, in their order.

        Raises:
            Full: if none of the places tried is free.
        """
        columns = self.columns(side)
        places = []
        for row in range(self.height):
            for column in columns:
                for down, right in ((0, 1), (1, 0)):
                    line = [(row + down * step, column + right * step) for step in range(len(words))]
                    if line[-1][0] >= self.height or line[-1][1] not in columns:
                        continue
                    rim = (row in (0, self.height - 1) and right) or (column in (0, self.width - 1) and down)
                    if bool(rim) == fixed and (fixed or not any(map(self.edge, line))):
                        places.append(line)
        for _ in range(TRIES):
            line = self.pick(places)
            if all(map(self.free, line)) and not self._joins(line):
                self.cells.update(zip(line, words, strict=True))
                return list(line)
        raise Full

    def _joins(self, line: Sequence[Place]) -> bool:
        """Whether a word lies right before or behind a line, so that they would read together."""
        down, right = line[1][0] - line[0][0], line[1][1] - line[0][1]
        ends = ((line[0][0] - down, line[0][1] - right), (line[-1][0] + down, line[-1][1] + right))
        return any(self.cells.get(end, "").isupper() for end in ends)

    def away(self, slot: Place, word: str, bends: int) -> None:
        """Lay a word some cells from the slot where it belongs, and keep the way there; the push goes into the plan.

        Args:
            slot: Where the rule that lacks the word would have it.
            word: The word in capitals.
            bends: 1 for a way with a corner, 0 for a straight one.

        Raises:
            Full: if none of the ways tried is free.
        """
        for _ in range(TRIES):
            name = self.pick(MOVES)
            legs = [(name, 1 + int(self.rng.random() * FARTHEST))]
            if bends:
                turn = self.pick([other for other in MOVES if other not in (name, BACK[name])])
                legs.insert(0, (turn, 1 + int(self.rng.random() * FARTHEST)))
            if self.lead(slot, word, tuple(legs)):
                return
        raise Full

    def lead(self, slot: Place, word: str, legs: tuple[tuple[str, int], ...]) -> bool:
        """Lay a word so that these legs bring it to the slot, if all cells that takes are free.

        Args:
            slot: Where the word is to end.
            word: A word in capitals, or a thing that can be pushed.
            legs: Move and number of steps of each straight part of the way, in the order of the pushes.

        Returns:
            Whether it was laid; if not, the draft is as it was.
        """
        row, column = slot
        cells = []
        for name, steps in reversed(legs):
            down, right = WAYS[name]
            for _ in range(steps):
                cells.append((row, column))
                row, column = row - down, column - right
            cells.append((row - down, column - right))  # where the pusher stands
        start = (row, column)
        if not self.free(start) or start in cells:
            return False
        if not all(self.on(cell) and cell not in self.cells for cell in cells):
            return False
        self.cells[start] = word
        self.kept.update(cells)
        self.shifts.append((start, legs))
        return True


def make(seed: int, names: Sequence[str], bends: int) -> dict[str, Any]:
    """The specification of a level of one of the families.

    Args:
        seed: Generator seed.
        names: Families to choose from.
        bends: Corners, 0 or 1, on the way of a word to where it belongs.
    """
    rng = np.random.default_rng([seed, STREAM])
    name = names[int(rng.integers(len(names)))]
    kind = family(name)
    while True:
        try:
            draft = _draft(rng, kind, bends)
        except Full:
            continue
        turned = bool(rng.random() < 0.5)
        rows = _rows(draft, turned)
        moves = perform(read.__wrapped__(rows), _shifts(draft, turned))
        if moves is not None and LEAST <= moves <= MOST:
            return {"family": name, "rows": list(rows), "goals": draft.goals}


def _draft(rng: np.random.Generator, kind: Family, bends: int) -> Draft:
    """A level of a family, not yet proved."""
    height = int(rng.integers(6, 9))
    left = int(rng.integers(5, 7)) if kind.rooms == 2 else int(rng.integers(6, 9))
    right = int(rng.integers(5, 7)) if kind.rooms == 2 else -1
    draft = Draft(rng, height, left + 1 + right, left)
    aim, second, third = (PLAIN[index] for index in rng.permutation(len(PLAIN))[:3].tolist())
    far = kind.rooms == 2 and (kind.cross == "must" or kind.you or (kind.cross == "maybe" and rng.random() < 0.5))
    if kind.rooms == 2:
        _part(draft, kind, far)
    if kind.you:
        _make_you(draft, second)
    else:
        draft.line(("BABA", "IS", "YOU"), "left", fixed=True)
    there = "right" if kind.rooms == 2 else "left"
    _win(draft, kind, aim, second, there, bends)
    draft.put("baba", "left")
    target = second if kind.win == "turn" else aim
    draft.put(target, there if far or kind.win == "wall" else "left")
    if kind.you:
        draft.put(second, there)
    elif kind.distr_obj:
        draft.put(third if kind.win == "turn" else second, there if far else "left")
    if kind.distr_rule:
        other = kind.distr_rule == "irrelevant" or kind.win == "turn"
        draft.put((third if other else second).upper(), there)
    if kind.distr_win:
        draft.line((third.upper(), "IS", "WIN"), there, fixed=True)
    return draft


def _part(draft: Draft, kind: Family, far: bool) -> None:
    """The barrier, the rule that makes it one, and how it is crossed."""
    thing = BARRIERS[kind.barrier]
    for row in range(draft.height):
        draft.cells[row, draft.gap] = thing
    rule = (thing.upper(), "IS", kind.barrier.upper())
    if kind.win == "wall":
        return  # its rule is laid where the word WALL can leave it
    if kind.you:
        draft.line(rule, "left", fixed=True)
    elif kind.cross == "no":
        line = draft.line(rule, "left", fixed=False)
        out = draft.pick(line[1:])
        word = draft.cells.pop(out)
        draft.kept.add(out)
        draft.put(word, "left")
    elif kind.barrier == "sink":
        draft.line(rule, "left", fixed=True)
        draft.line(("ROCK", "IS", "PUSH"), "right", fixed=True)
        row, steps = draft.pick(range(draft.height)), 1 + int(draft.rng.random() * FARTHEST)
        if not draft.lead((row, draft.gap - 1), "rock", (("right", steps),)):
            raise Full
        place, ((name, steps),) = draft.shifts[-1]
        draft.shifts[-1] = (place, ((name, steps + 1),))
    elif kind.barrier == "hot" and draft.rng.random() < 0.5:
        draft.line(rule, "left", fixed=True)
        _breakable(draft, ("BABA", "IS", "MELT"), far)
    else:
        if kind.barrier == "hot":
            draft.line(("BABA", "IS", "MELT"), "left", fixed=True)
        _breakable(draft, rule, far)


def _breakable(draft: Draft, rule: tuple[str, str, str], far: bool) -> None:
    """A rule off the rim, and a push that takes it apart if the way leads that way."""
    line = draft.line(rule, "left", fixed=False)
    ways = ("up", "down") if line[0][0] == line[1][0] else ("left", "right")
    for _ in range(TRIES):
        place, name = draft.pick(line), draft.pick(ways)
        down, right = WAYS[name]
        cells = ((place[0] + down, place[1] + right), (place[0] - down, place[1] - right))
        if all(draft.on(cell) and cell not in draft.cells and cell[1] != draft.gap for cell in cells):
            draft.kept.update(cells)
            if far:
                draft.shifts.append((place, ((name, 1),)))
                draft.goals.append(f"not {' '.join(rule).lower()}")
            return
    raise Full


def _make_you(draft: Draft, thing: str) -> None:
    """BABA IS YOU off the rim, and a noun that can be pushed into the place of BABA, which gives way."""
    row = 2 + int(draft.rng.random() * (draft.height - 3))
    column = int(draft.rng.random() * (draft.gap - 2))
    line = [(row, column + step) for step in range(3)]
    if not all(map(draft.free, line)):
        raise Full
    below, steps = (row + 1, column), 1 + int(draft.rng.random() * FARTHEST)
    draft.kept.update(line)
    if not draft.free(below) or not draft.lead((row, column), thing.upper(), (("down", steps),)):
        raise Full
    draft.kept.add(below)
    draft.cells.update(zip(line, ("BABA", "IS", "YOU"), strict=True))
    draft.goals.append(f"{thing} is you")


def _win(draft: Draft, kind: Family, aim: str, second: str, side: str, bends: int) -> None:
    """The rule that wins, or what it is made of."""
    if kind.win == "wall":
        _wall_win(draft, aim)
    elif kind.win == "make":
        _broken(draft, (aim.upper(), "IS", "WIN"), side, bends)
    else:
        draft.line((aim.upper(), "IS", "WIN"), side, fixed=bool(draft.rng.random() < 0.5))
    if kind.win == "turn":
        _broken(draft, (second.upper(), "IS", aim.upper()), draft.pick(("left", side)), bends)


def _broken(draft: Draft, rule: tuple[str, str, str], side: str, bends: int) -> None:
    """A rule that lacks a word, which lies elsewhere."""
    line = draft.line(rule, side, fixed=bool(draft.rng.random() < 0.5))
    slot = draft.pick(line)
    word = draft.cells.pop(slot)
    draft.away(slot, word, bends)
    draft.goals.append(" ".join(rule).lower())


def _wall_win(draft: Draft, aim: str) -> None:
    """IS WIN in the right room, and in the left one WALL IS STOP, of which WALL is to be brought there."""
    row = int(draft.rng.integers(draft.height))
    column = int(draft.rng.integers(draft.gap + 1, draft.width - 2))
    over = column - int(draft.rng.integers(1, draft.gap))
    sideways, name = ("right", over), draft.pick(("up", "down"))
    upright = bool(draft.rng.random() < 0.5)  # how WALL IS STOP stands; the first leg leads out of it
    legs: tuple[tuple[str, int], ...] = (sideways, (name, 1)) if upright else ((name, 1), sideways)
    if upright and draft.rng.random() < 0.5:
        legs = (sideways,)
    for place, word in (((row, column + 1), "IS"), ((row, column + 2), "WIN")):
        draft.cells[place] = word
    wall = {place: draft.cells.pop(place) for place in list(draft.cells) if place[1] == draft.gap}
    led = draft.lead((row, column), "WALL", legs)
    draft.cells.update(wall)
    start = draft.shifts[-1][0] if led else (0, 0)
    rest = [(start[0] + step, start[1]) if upright else (start[0], start[1] + step) for step in (1, 2)]
    if not led or not all(draft.free(place) and place[1] < draft.gap for place in rest):
        raise Full
    draft.cells.update(zip(rest, ("IS", "STOP"), strict=True))
    draft.goals += ["not wall is stop", "wall is win"]
    corner = draft.pick([place for row in (0, draft.height - 1) if draft.free(place := (row, draft.width - 1))])
    draft.cells[corner] = aim.upper()  # it cannot be moved from there


def _rows(draft: Draft, turned: bool) -> tuple[str, ...]:
    """The map as rows of names, turned over its diagonal if so wanted."""
    if turned:
        return tuple(
            " ".join(draft.cells.get((row, column), EMPTY) for row in range(draft.height))
            for column in range(draft.width)
        )
    return tuple(
        " ".join(draft.cells.get((row, column), EMPTY) for column in range(draft.width)) for row in range(draft.height)
    )


def _shifts(draft: Draft, turned: bool) -> list[Shift]:
    """The plan in cells of the board."""
    stride = (draft.height if turned else draft.width) + 2
    shifts = []
    for (row, column), legs in draft.shifts:
        across, down = (row, column) if turned else (column, row)
        told = tuple((TURNED[name] if turned else name, steps) for name, steps in legs)
        shifts.append(Shift((down + 1) * stride + across + 1, told))
    return shifts
