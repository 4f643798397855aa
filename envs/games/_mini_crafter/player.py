"""The scripted player: keeps itself alive, then works through the achievements in the order of the tools."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from agentgym.envs.games._mini_crafter import rules
from agentgym.envs.games._mini_crafter.land import (
    COAL,
    COW,
    DIAMOND,
    FURNACE,
    GRASS,
    IRON,
    LAVA,
    RIPE,
    SKELETON,
    STONE,
    TABLE,
    TREE,
    TUNNEL,
    VOID,
    WATER,
    ZOMBIE,
)  # fmt: skip
from agentgym.envs.games._mini_crafter.rules import (
    BIT,
    DRINK,
    ENERGY,
    FOOD,
    HEALTH,
    MOST,
    PLACE,
    WALKABLE,
    State,
    daylight,
)  # fmt: skip

UNKNOWN = 0
SIDES = ("north", "south", "west", "east")
HARD = STONE + COAL
BACK = (1, 0, 3, 2)
DUSK, DAWN, MIDNIGHT = 0.45, 0.75, 210  # daylight below which the player hides, before and after the darkest step
AFTERNOON = range(90, 160)  # steps of a day in which it eats and drinks for the night
IN_VIEW = (3, 4)  # rows and columns on each side


def choose(state: State, side: int, *, whole: bool) -> str:
    """The name of the next action in a `state` of a land with rows of `side` cells; `noop` in sleep.

    With `whole` the player knows the land beyond what has been in view.
    """
    return "noop" if state.sleeping else _Player(state, side, whole).act()


class _Player:
    """One decision: what is known now, and the ways through it."""

    def __init__(self, state: State, side: int, whole: bool):
        self.state, self.side, self.items = state, side, state.items
        self.steps = rules.steps(side)
        self.ground = bytearray(_recall(state, whole))
        row, column = divmod(state.cell, side)
        self.seen: dict[int, int] = {}
        for cell, being in state.beings.items():
            down, right = abs(cell // side - row), abs(cell % side - column)
            if whole or (down <= IN_VIEW[0] and right <= IN_VIEW[1]):
                self.seen[cell] = being & 255
                self.ground[cell] = being & 255
        for cell in state.plants:
            if rules.ripe(state, cell):
                self.ground[cell] = RIPE[0]
                continue
            for step in self.steps:  # the fence of a plant is no quarry
                if self.ground[cell + step] == STONE[0]:
                    self.ground[cell + step] = VOID[0]
        self.front = state.cell + self.steps[state.facing]

    def has(self, item: str) -> int:
        return self.items[PLACE[item]]

    def done(self, name: str) -> bool:
        return bool(self.state.unlocked & BIT[name])

    def act(self) -> str:
        for plan in (self._fight, self._rest, self._needs, self._hunt, self._garden, self._craft, self._wait):
            action = plan()
            if action:
                return action
        return "noop"

    # Plans, most urgent first; each answers an action or nothing.

    def _fight(self) -> str:
        for direction, step in enumerate(self.steps):
            if self.seen.get(self.state.cell + step) in (ZOMBIE[0], SKELETON[0]):
                return "do" if self.state.facing == direction else SIDES[direction]
        return ""

    def _needs(self) -> str:
        for need, wanted, enough in ((DRINK, WATER, 3), (FOOD, RIPE + COW, 4)):
            full = 7 if self.has("stone") and self.state.clock % 300 in AFTERNOON else enough
            if self.items[need] <= full and (enough == full or self._near(wanted)):
                action = self._use(wanted) or self._explore()
                if action:
                    return action
        for need, wanted in ((DRINK, WATER), (FOOD, RIPE + COW)):  # in passing
            if self.items[need] <= 7 and self.ground[self.front] in wanted:
                return "do"
        if not self.has("stone"):  # shelter for the first night comes first
            return ""
        if not self.done("eat_cow") and any(sign == COW[0] for sign in self.seen.values()):
            return self._use(COW)
        return "" if self.done("collect_drink") else self._use(WATER)

    def _near(self, signs: bytes) -> bool:
        return any(self.ground[cell] in signs and self._distance(cell) <= 12 for cell in range(len(self.ground)))

    def _rest(self) -> str:
        """Sleep when tired, and hide from the night and while wounded, walled up in the rock."""
        energy = self.items[ENERGY]
        phase = self.state.clock % 300
        dark = daylight(phase) < (DAWN if phase > MIDNIGHT else DUSK)
        weak = self.items[HEALTH] <= 3 or (self.items[HEALTH] <= 6 and self._hidden())
        starving = min(self.items[FOOD], self.items[DRINK]) <= 1
        if not self.done("wake_up") and 7 <= energy < MOST and not dark and not self._threat():
            return "sleep"
        if self._hidden() and (dark or weak or energy <= 7) and not starving:
            return "sleep" if energy < MOST else "noop"
        if (dark or weak or energy <= 3) and not starving:
            action = self._burrow() if self.has("wood_pickaxe") and self.has("stone") else ""
            if action:
                return action
        return "sleep" if energy <= 1 and not self._threat() else ""

    def _hidden(self) -> bool:
        return self._closed(self.state.cell, ())

    def _hunt(self) -> str:
        for name, sign in (("defeat_zombie", ZOMBIE), ("defeat_skeleton", SKELETON)):
            if not self.done(name) and self.items[HEALTH] >= 5 and self.has("wood_sword"):
                armed = sign == ZOMBIE or self.has("stone_sword") or self.has("iron_sword")
                if armed and sign[0] in self.seen.values():
                    return self._use(sign)
        return ""

    def _garden(self) -> str:
        if self.done("eat_plant") or not (self.state.unlocked & BIT["place_stone"]):
            return ""
        if RIPE[0] in self.ground:
            return self._use(RIPE)
        for plant in self.state.plants:
            if self.has("stone"):
                action = self._fence(plant)
                if action:
                    return action
        if self.has("sapling") and len(self.state.plants) < 2:
            return "place_plant" if self.ground[self.front] == GRASS[0] else self._face(GRASS)
        if not self.state.plants and not self.has("sapling"):
            return "do" if self.ground[self.front] == GRASS[0] else self._face(GRASS)
        return ""

    def _craft(self) -> str:
        if not self.done("place_table"):
            if self.has("wood") < 4:
                return self._get(TREE)
            return (
                "place_table"
                if self._can_place(self.front) and self.ground[self.front] in WALKABLE
                else self._face(WALKABLE)
            )
        for tool in ("wood_pickaxe", "wood_sword"):
            if not self.has(tool):
                return self._make(tool)
        if self.has("stone") and not self.done("place_stone"):
            return "place_stone" if self._can_place(self.front) else self._face(WALKABLE + WATER)
        furnace = FURNACE[0] in self.ground
        if self.has("stone") < (6 if not self.has("stone_pickaxe") else 5 if not furnace else 2):
            return self._get(STONE)
        for tool in ("stone_pickaxe", "stone_sword"):
            if not self.has(tool):
                return self._make(tool)
        if not furnace:
            return self._place_furnace()
        return self._iron()

    def _iron(self) -> str:
        """Iron tools and the diamond."""
        for tool in ("iron_pickaxe", "iron_sword"):
            if not self.has(tool):
                for item, sign in (("wood", TREE), ("coal", COAL), ("iron", IRON)):
                    if not self.has(item):
                        return self._get(sign)
                return self._make(tool)
        return "" if self.done("collect_diamond") else self._get(DIAMOND)

    def _wait(self) -> str:
        """What is left needs time or luck: a ripe plant, a skeleton, a zombie at night."""
        if not self.done("defeat_skeleton"):
            return self._explore() or self._roam(TUNNEL)
        if not self.done("defeat_zombie"):
            return self._roam(GRASS)
        if self.items[DRINK] <= 7:
            return self._use(WATER)
        if self.items[FOOD] <= 5:
            return self._use(COW) or self._roam(GRASS)
        if self.state.plants and self._distance(next(iter(self.state.plants))) > 8:
            return self._way(lambda cell: self._distance_from(cell, next(iter(self.state.plants))) <= 6)
        return "noop"

    # Steps of plans.

    def _make(self, tool: str) -> str:
        if not rules.cannot_make(self.state, tool, self.side):
            return f"make_{tool}"
        for item, sign in (("wood", TREE), ("stone", STONE), ("coal", COAL), ("iron", IRON)):
            if item in rules.MADE[tool][0] and not self.has(item):
                return self._get(sign)
        if rules.MADE[tool][1]:
            return self._way(self._by_both)
        return self._way(lambda cell: TABLE[0] in self._around(cell)) or self._explore()

    def _by_both(self, cell: int) -> bool:
        around = self._around(cell)
        return TABLE[0] in around and FURNACE[0] in around

    def _around(self, cell: int) -> bytes:
        ground, side = self.ground, self.side
        return bytes(ground[cell - side - 1 : cell - side + 2] + ground[cell - 1 : cell + 2]
                     + ground[cell + side - 1 : cell + side + 2])  # fmt: skip

    def _place_furnace(self) -> str:
        near = TABLE in rules.near(self.state, self.side)
        if near and self._can_place(self.front) and self.ground[self.front] in WALKABLE:
            return "place_furnace"
        if near and self.ground[self.front] in HARD:
            return "do"
        return self._face(WALKABLE, lambda cell: TABLE[0] in self._around(cell)) or self._way(
            lambda cell: TABLE[0] in self._around(cell)
        )

    def _get(self, sign: bytes) -> str:
        return self._use(sign) or self._explore()

    def _use(self, signs: bytes) -> str:
        """Go to the nearest of some things, turn to it and use it."""
        if self.ground[self.front] in signs:
            return "do"
        return self._way(lambda cell: any(self.ground[cell + step] in signs for step in self.steps), signs)

    def _explore(self) -> str:
        """To the nearest cell beside the unknown."""
        known = self.ground
        return self._way(lambda cell: any(known[cell + step] == UNKNOWN for step in self.steps), bytes([UNKNOWN]))

    def _roam(self, signs: bytes) -> str:
        """To a place of some kind that changes with time."""
        cells = [cell for cell, sign in enumerate(self.ground) if sign in signs]
        if not cells:
            return ""
        goal = cells[self.state.clock // 30 * 7919 % len(cells)]
        return self._way(lambda cell: cell == goal or self._distance_from(cell, goal) <= 1)

    def _face(self, signs: bytes, stand: Callable[[int], bool] | None = None) -> str:
        """Stand before a free cell of some kind, which can only be faced by walking towards it."""
        options = []
        for direction, step in enumerate(self.steps):
            options.append((direction, step))

        def ready(cell: int) -> bool:
            return any(
                self.ground[cell + step] in WALKABLE
                and self.ground[cell + 2 * step] in signs
                and (stand is None or stand(cell + step))
                for _, step in options
            )

        if ready(self.state.cell):
            for direction, step in options:
                cell = self.state.cell + step
                if (
                    self.ground[cell] in WALKABLE
                    and self.ground[cell + step] in signs
                    and (stand is None or stand(cell))
                ):
                    return SIDES[direction]
        return self._way(ready)

    def _fence(self, plant: int) -> str:
        """Put stones on the free sides of a plant."""
        open_sides = [plant + step for step in self.steps if self.ground[plant + step] in WALKABLE]
        for cell in open_sides:
            if cell == self.front and cell not in self.state.arrows:
                return "place_stone"
        if self.state.cell in [plant + step for step in self.steps] and len(open_sides) == 1:
            return next((SIDES[way] for way, step in enumerate(self.steps)
                         if self.ground[self.state.cell + step] in WALKABLE), "")  # fmt: skip
        for cell in open_sides:
            action = self._way(lambda at, cell=cell: any(  # type: ignore[misc]
                at + 2 * step == cell and self.ground[at + step] in WALKABLE for step in self.steps))  # fmt: skip
            if action == "here":
                continue
            if action:
                return action
            for way, step in enumerate(self.steps):
                if self.state.cell + 2 * step == cell and self.ground[self.state.cell + step] in WALKABLE:
                    return SIDES[way]
        return ""

    def _closed(self, start: int, walls: Iterable[int]) -> bool:
        """Whether at most three cells can be walked from a cell, all known and empty, with some cells walled up."""
        region, frontier = {start, *walls}, [start]
        count = 0
        while frontier:
            cell = frontier.pop()
            count += 1
            if count > 3:
                return False
            for step in self.steps:
                after = cell + step
                sign = self.ground[after]
                if sign == UNKNOWN or sign in ZOMBIE + SKELETON + COW:
                    return False
                if sign in WALKABLE and after not in region:
                    region.add(after)
                    frontier.append(after)
        return True

    def _burrow(self) -> str:
        """Dig two cells into the rock, turn round, and wall up the entrance."""
        cell, facing = self.state.cell, self.state.facing
        if self._can_place(self.front) and self._closed(cell, (self.front,)):
            return "place_stone"
        for way, step in enumerate(self.steps):
            behind = cell + self.steps[BACK[way]]
            inner, mouth = cell + step, cell + 2 * step
            if self.ground[inner] in WALKABLE and self.ground[mouth] in WALKABLE and self._closed(cell, (mouth,)):
                return SIDES[way]  # in the inner cell: back to the outer one, towards the mouth
            if self.ground[behind] in WALKABLE and self._closed(cell, (behind,)) and self._pit(cell, step):
                if self.ground[inner] in HARD:
                    return "do" if facing == way else SIDES[way]
                return SIDES[way]
        for way, step in enumerate(self.steps):
            if self._site(cell, step):
                if self.ground[cell + step] in HARD:
                    return "do" if facing == way else SIDES[way]
                return SIDES[way]
        return self._way(lambda at: any(self._site(at, step) for step in self.steps))

    def _site(self, mouth: int, step: int) -> bool:
        """Whether two cells can be dug in a direction with nothing open beside them."""
        outer = mouth + step
        if self.ground[outer] not in HARD and self.ground[outer] not in WALKABLE:
            return False
        across = self.side if abs(step) == 1 else 1
        return all(self._solid(outer + turn) for turn in (across, -across)) and self._pit(outer, step)

    def _pit(self, outer: int, step: int) -> bool:
        inner = outer + step
        across = self.side if abs(step) == 1 else 1
        return self.ground[inner] in HARD and all(self._solid(inner + turn) for turn in (across, -across, step))

    def _solid(self, cell: int) -> bool:
        sign = self.ground[cell]
        return sign != UNKNOWN and sign not in WALKABLE + ZOMBIE + SKELETON + COW

    def _can_place(self, cell: int) -> bool:
        return self.ground[cell] in WALKABLE + WATER + LAVA and cell not in self.state.arrows

    def _threat(self) -> bool:
        row, column = divmod(self.state.cell, self.side)
        return any(
            sign in ZOMBIE + SKELETON and abs(cell // self.side - row) + abs(cell % self.side - column) <= 7
            for cell, sign in self.seen.items()
        )

    def _distance(self, cell: int) -> int:
        return self._distance_from(self.state.cell, cell)

    def _distance_from(self, one: int, other: int) -> int:
        return abs(one // self.side - other // self.side) + abs(one % self.side - other % self.side)

    # Ways.

    def _way(self, goal: Callable[[int], bool], use: bytes = b"") -> str:
        """The first action of a way to a cell that meets the goal, at the last one turning to what is used.

        First over free cells alone; if that fails, also through rock, trees and, with stones to place, over water.
        """
        state, ground = self.state, self.ground
        if goal(state.cell):
            for way, step in enumerate(self.steps):
                if ground[state.cell + step] in use:
                    return SIDES[way]
            return ""
        came: dict[int, int] = {state.cell: -1}
        frontier = deque([state.cell])
        while frontier:
            cell = frontier.popleft()
            for way, step in enumerate(self.steps):
                after = cell + step
                if after not in came and ground[after] in WALKABLE:
                    came[after] = way
                    if goal(after):
                        return self._first(came, after)
                    frontier.append(after)
        return self._dig(goal)

    def _dig(self, goal: Callable[[int], bool]) -> str:
        ground, start = self.ground, self.state.cell
        cost = dict.fromkeys(WALKABLE, 1) | {TREE[0]: 3}
        if self.has("wood_pickaxe"):
            cost |= dict.fromkeys(HARD, 2)
            if self.has("stone"):
                cost |= {WATER[0]: 6, LAVA[0]: 7}
        if self.has("stone_pickaxe"):
            cost[IRON[0]] = 2
        best, came, heap = {start: 0}, {start: -1}, [(0, start)]
        while heap:
            spent, cell = heappop(heap)
            if spent > best[cell]:
                continue
            if cell != start and goal(cell):
                return self._first(came, cell)
            for way, step in enumerate(self.steps):
                after = cell + step
                price = cost.get(ground[after])
                if price is not None and spent + price < best.get(after, 1 << 30):
                    best[after], came[after] = spent + price, way
                    heappush(heap, (spent + price, after))
        return ""

    def _first(self, came: dict[int, int], cell: int) -> str:
        """The first action of the way that leads to a cell."""
        way = came[cell]
        while True:
            before = cell - self.steps[way]
            if before == self.state.cell:
                break
            cell, way = before, came[before]
        if self.ground[cell] in WALKABLE:
            return SIDES[way]
        if self.ground[cell] in WATER + LAVA:  # lava must be faced without walking into it
            if self.state.facing == way:
                return "place_stone"
            return SIDES[way] if self.ground[cell] in WATER else ""
        return "do" if self.state.facing == way else SIDES[way]


def _recall(state: State, whole: bool) -> bytes:
    """The land with `UNKNOWN` where it has never been in view."""
    if whole:
        return state.terrain
    length = len(state.terrain)
    return (int.from_bytes(state.terrain, "little") & state.known).to_bytes(length, "little")
