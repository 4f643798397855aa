"""A scripted player that explores, fights what stands beside it and goes down, from what it has seen alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from agentgym.envs.games._nethack.engine import COLUMNS, ROWS, Engine
from agentgym.envs.games._nethack.glyphs import (
    BOULDER,
    CLOSED,
    DARK,
    DOOR,
    LIQUID,
    MONSTER,
    OBJECT,
    PET,
    TRAP,
    WALKABLE,
    WALL,
    Names,
)
from agentgym.envs.games._nethack.words import COMPASS

CELLS = ROWS * COLUMNS
STEPS = {name: down * COLUMNS + right for name, (right, down) in COMPASS.items()}
BESIDE = tuple(  # of each cell: direction, neighbour, whether the step is straight
    tuple(
        (name, cell + STEPS[name], not (right and down))
        for name, (right, down) in COMPASS.items()
        if 0 <= cell % COLUMNS + right < COLUMNS and 0 <= cell // COLUMNS + down < ROWS
    )
    for cell in range(CELLS)
)
STRAIGHT = ("north", "east", "south", "west")
DANGEROUS = ("floating eye", "acid blob", "blue jelly", "spotted jelly", "cockatrice", "chickatrice", "gas spore")
FOOD = ("ration", "apple", "orange", "pear", "melon", "banana", "carrot", "wafer", "cake", "cookie", "egg", "pancake")
WEAK, HUNGRY = 3, 2
FIRST_PRAYER, BETWEEN_PRAYERS = 110, 900  # turns; gods dislike being asked sooner
TRIES = 2  # of a step that does not succeed, before it counts as impossible
RETREAT = 8  # steps to a narrow place, at most
STUCK = 12  # actions without time passing, before it just lets time pass
OFFERED = re.compile(r"\[([^\]]*?)(?: or \?\*)?\]")


@dataclass(slots=True)
class Memory:
    """What the player keeps in mind; places are numbers of a level and a cell.

    Attributes:
        visited: Places it has stood on.
        stairs: Place of the staircase down, by level.
        failed: How often a step from a place (first) in a direction (second) led nowhere.
        locked: Places of locked doors.
        searched: Searches made, by place.
        peaceful: Glyphs of those it is asked whether to attack.
        spent: Letters of wands and horns that do nothing.
        prayed: Turn of the last prayer.
        aim: The place of the last step.
        beside: Directions in which somebody stands beside the player.
    """

    visited: set[int] = field(default_factory=set)
    stairs: dict[int, int] = field(default_factory=dict)
    failed: dict[tuple[int, str], int] = field(default_factory=dict)
    locked: set[int] = field(default_factory=set)
    searched: dict[int, int] = field(default_factory=dict)
    peaceful: set[int] = field(default_factory=set)
    spent: set[str] = field(default_factory=set)
    prayed: int = 0
    aim: int = -1
    beside: tuple[str, ...] = ()


def where(game: Engine) -> int:
    """The place of the player."""
    stats = game.stats
    return (stats[23] * 64 + stats[24]) * CELLS + stats[1] * COLUMNS + stats[0]


def notice(memory: Memory, game: Engine, names: Names, before: int, word: str, passed: bool) -> None:
    """Keep what an action taught.

    Args:
        memory: What is added to.
        game: The game after the action.
        names: What glyphs are.
        before: The place of the player before the action, as `where` gives it.
        word: What was done; empty when the game has just begun.
        passed: Whether time passed in the game.
    """
    now = where(game)
    level = now // CELLS
    memory.visited.add(now)
    if level not in memory.stairs:
        seen = (game.glyphs.ravel() == names.down).nonzero()[0]
        if len(seen):
            memory.stairs[level] = level * CELLS + int(seen[0])
    said = " ".join(game.said)
    if word in STEPS:
        memory.aim = before + STEPS[word]
        if now == before and not passed and word not in memory.beside:
            memory.failed[(before, word)] = memory.failed.get((before, word), 0) + 1
            if "locked" in said:
                memory.locked.add(memory.aim)
        if "Really attack" in said:
            memory.peaceful.add(int(game.glyphs.ravel()[memory.aim % CELLS]))
    elif word == "search":
        memory.searched[now] = memory.searched.get(now, 0) + 1
    elif word == "type 9s":
        memory.searched[now] = memory.searched.get(now, 0) + 9
    elif word == "pray":
        memory.prayed = game.stats[20]
    elif len(word) == 1 and ("nothing happens" in said.lower() or "wrest" in said):
        memory.spent.add(word)
    memory.beside = _beside(game, names)


def _beside(game: Engine, names: Names) -> tuple[str, ...]:
    x, y = game.stats[0], game.stats[1]
    around = names.kinds[game.glyphs[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2]]
    if around.max() < MONSTER or game.over:
        return ()
    top, left = max(0, y - 1), max(0, x - 1)
    found = {(left + column - x, top + row - y) for row, column in zip(*(around >= MONSTER).nonzero(), strict=True)}
    return tuple(name for name, step in COMPASS.items() if step in found)


def offered(asked: str) -> list[str]:
    """The letters that a question names as answers, such as `b` and `e` of `[b-de or ?*]`."""
    found = OFFERED.search(asked)
    return [letter for letter in found[1] if letter.isalpha()] if found else []


class Player:
    """Chooses one action.

    Args:
        memory: What it keeps in mind; not changed.
        game: The game, of which it reads what is shown.
        names: What glyphs are called.
        words: Actions there are.
        collects: Whether it walks over things to pick them up.
        still: Actions in a row in which no time passed.
    """

    def __init__(
        self, memory: Memory, game: Engine, names: Names, words: Collection[str], *, collects: bool, still: int
    ):
        self._memory, self._game, self._names, self._words = memory, game, names, words
        self._collects, self._still = collects, still
        self._here = where(game)
        self._level = self._here // CELLS
        self._cell = self._here % CELLS
        self._glyphs = memoryview(game.glyphs.tobytes()).cast("h")
        self._kinds = names.kinds[game.glyphs].tobytes()
        self._spread = {traps: (list[tuple[int, str, int]](), self._search(traps)) for traps in (False, True)}

    def act(self) -> str:
        """The next action."""
        if self._game.menu:
            return "esc"
        if self._game.asking:
            return self._answer(self._game.asking)
        rest = "search" if "search" in self._words else "north"
        if self._still >= STUCK:
            return rest
        return self._survive() or self._fight() or self._travel() or rest

    def _answer(self, asked: str) -> str:
        """What to say to a question."""
        letters = offered(asked)
        if "pray" in asked:
            return "y"
        if "direction" in asked:
            return self._pointed()
        if "Improvise" in asked:
            return "y" if "y" in letters else "n"
        if letters and "eat" in asked and "here" not in asked:
            return letters[0]
        tool = self._tool()
        if letters and tool and ("zap" in asked or "apply" in asked):
            return tool[0]
        if "here" in asked and "n" in letters:
            return "n"
        return "esc" if "esc" in self._words else "south"

    def _pointed(self) -> str:
        """The direction of a locked door beside the player, or of what bars the way."""
        for name in STRAIGHT:
            if self._here + STEPS[name] in self._memory.locked:
                return name
        return self._beside(LIQUID) or "east"

    def _beside(self, kind: int) -> str:
        """The straight direction in which a kind of place lies beside the player; empty if none does."""
        return next(
            (name for name, other, straight in BESIDE[self._cell] if straight and self._kinds[other] == kind), ""
        )

    def _survive(self) -> str:
        """Pray when weak or nearly dead, eat when hungry."""
        stats, words = self._game.stats, self._words
        hurt = stats[10] < 6 or stats[10] * 7 < stats[11]
        waited = stats[20] - self._memory.prayed
        may_pray = waited > (BETWEEN_PRAYERS if self._memory.prayed else FIRST_PRAYER)
        if "pray" in words and may_pray and (hurt or stats[21] >= WEAK):
            return "pray"
        if "eat" in words and stats[21] >= HUNGRY and self._item(FOOD):
            return "eat"
        return ""

    def _item(self, kinds: Collection[str]) -> str:
        """The letter of something carried whose name holds one of the words."""
        for number, letter in enumerate(self._game.letters.tobytes()):
            if not letter:
                break
            item = self._game.items[number].tobytes().decode("latin-1")
            if chr(letter) not in self._memory.spent and any(kind in item for kind in kinds):
                return chr(letter)
        return ""

    def _fight(self) -> str:
        """Attack what stands beside the player, unless it is tame, peaceful or deadly to touch; many in a narrow."""
        narrow = self._narrow()
        if narrow:
            return narrow
        for name, other, _ in BESIDE[self._cell]:
            if self._kinds[other] == MONSTER:
                glyph = self._glyphs[other]
                known = glyph in self._memory.peaceful or self._names.called[glyph] in DANGEROUS
                stuck = self._memory.failed.get((self._here, name), 0) > 5 * TRIES
                if not known and not stuck:
                    return name
        return ""

    def _narrow(self) -> str:
        """A step towards a narrow place, when two or more are beside the player in the open."""
        if sum(self._kinds[other] == MONSTER for _, other, _ in BESIDE[self._cell]) < 2 or self._room(self._cell) <= 2:
            return ""
        for cell, first, distance in self._ways(traps=False):
            if distance > RETREAT:
                break
            if self._room(cell) <= 2 and self._kinds[self._cell + STEPS[first]] != MONSTER:
                return first
        return ""

    def _room(self, cell: int) -> int:
        """How many places beside a cell can be stood on."""
        kinds = self._kinds
        return sum(kinds[other] in WALKABLE or kinds[other] >= MONSTER for _, other, _ in BESIDE[cell])

    def _travel(self) -> str:
        """Towards the stairs, the unknown, and last to where something may be hidden."""
        memory = self._memory
        if memory.stairs.get(self._level) == self._here and "down" in self._words:
            return "down"
        down = memory.stairs[self._level] % CELLS if self._level in memory.stairs else -1
        for traps in (False, True):
            step = self._towards(lambda cell: cell == down, traps) or self._towards(self._unknown, traps)
            if step:
                return step
        return self._freeze() or self._kick() or self._push() or self._seek()

    def _unknown(self, cell: int) -> bool:
        """Whether something new can be seen, or taken, from a cell."""
        place = self._level * CELLS + cell
        if place in self._memory.visited:
            return False
        if self._collects and self._kinds[cell] == OBJECT:
            return True
        return self._kinds[cell] == CLOSED or any(self._kinds[other] == DARK for _, other, _ in BESIDE[cell])

    def _push(self) -> str:
        """Towards a boulder in the way, and against it."""
        for cell, first, _ in ((self._cell, "", 0), *self._ways(traps=True)):
            for name, other, straight in BESIDE[cell]:
                if self._kinds[other] == BOULDER and straight and not self._failed(cell, name):
                    return first or name
        return ""

    def _freeze(self) -> str:
        """Zap or blow what is carried at the lava or water that bars the way."""
        tool = self._tool()
        if not tool or tool[1] not in self._words:
            return ""
        if self._beside(LIQUID):
            return tool[1]
        return self._towards(
            lambda cell: any(straight and self._kinds[other] == LIQUID for _, other, straight in BESIDE[cell]), True
        )

    def _tool(self) -> tuple[str, str] | None:
        """The letter of a wand or a horn, and the action that uses it."""
        wand, horn = self._item(("wand",)), self._item(("horn",))
        return (wand, "zap") if wand else (horn, "apply") if horn else None

    def _kick(self) -> str:
        """Kick a locked door in, or go where that can be done."""
        doors = {place % CELLS for place in self._memory.locked if place // CELLS == self._level}
        doors = {cell for cell in doors if self._kinds[cell] == CLOSED}
        if not doors or "kick" not in self._words:
            return ""
        if any(self._cell + STEPS[name] in doors for name in STRAIGHT):
            return "kick"
        return self._towards(lambda cell: any(cell + STEPS[name] in doors for name in STRAIGHT), True)

    def _seek(self) -> str:
        """Search where a way may be hidden: at dead ends and along walls, at the least searched place first."""
        if "search" not in self._words:
            return ""
        best, chosen, step = float("inf"), self._cell, ""
        for cell, first, distance in ((self._cell, "", 0), *self._ways(traps=True)):
            shut = sum(self._kinds[other] in (WALL, DARK) for _, other, _ in BESIDE[cell])
            if shut >= 2:
                cost = distance + 8 * self._memory.searched.get(self._level * CELLS + cell, 0) // 2 - 8 * (shut >= 7)
                if cost < best:
                    best, chosen, step = cost, cell, first
        if chosen == self._cell:
            return "type 9s" if "down" in self._words else "search"
        return step

    def _towards(self, wanted: Callable[[int], bool], traps: bool) -> str:
        """The first step of a shortest way to a cell that is wanted; empty if there is no way or it is here."""
        return next((first for cell, first, _ in self._ways(traps=traps) if wanted(cell)), "")

    def _ways(self, *, traps: bool) -> Iterator[tuple[int, str, int]]:
        """Every cell that can be walked to, nearest first: the cell, the first step and the distance."""
        found, more = self._spread[traps]
        number = 0
        while True:
            if number == len(found):
                following = next(more, None)
                if following is None:
                    return
                found.append(following)
            yield found[number]
            number += 1

    def _search(self, traps: bool) -> Iterator[tuple[int, str, int]]:
        """Breadth first."""
        known = {self._cell}
        frontier = deque([(self._cell, "", 0)])
        while frontier:
            cell, first, distance = frontier.popleft()
            for name, other, straight in BESIDE[cell]:
                if other not in known and self._passable(cell, name, other, straight, traps):
                    known.add(other)
                    step = (other, first or name, distance + 1)
                    yield step
                    if self._kinds[other] != CLOSED:
                        frontier.append(step)

    def _passable(self, cell: int, name: str, other: int, straight: bool, traps: bool) -> bool:
        """Whether a step seems possible."""
        kind = self._kinds[other]
        if kind not in WALKABLE and kind not in (CLOSED, PET) and not (kind == MONSTER and self._far(other)):
            return False
        if kind == TRAP and not traps:
            return False
        if not straight and (kind in (DOOR, CLOSED) or self._kinds[cell] == DOOR):
            return False
        burst = kind != CLOSED and self._level * CELLS + other in self._memory.locked
        return burst or not self._failed(cell, name)

    def _failed(self, cell: int, name: str) -> bool:
        return self._memory.failed.get((self._level * CELLS + cell, name), 0) >= TRIES

    def _far(self, cell: int) -> bool:
        """Whether a cell is out of reach: who stands there now may have gone by the time the player comes."""
        return max(abs(cell % COLUMNS - self._cell % COLUMNS), abs(cell // COLUMNS - self._cell // COLUMNS)) > 1
