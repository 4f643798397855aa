"""Plans backwards from the goal: what is lacking, what that takes, and so the next thing to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentgym.envs.text._craft_tree import state as s
from agentgym.envs.text._craft_tree.acquisition import PICKAXES, Book, Way, book, chain, guide, ways
from agentgym.envs.text._craft_tree.actions import SHELTER_BLOCKS, STACK, digs, words
from agentgym.envs.text._craft_tree.facts import (
    BEDTIME,
    BLOCKS,
    CREATURES,
    DAWN,
    FOOD,
    FOODS,
    FUEL,
    SMELT_TICKS,
    STAIRS,
    STATIONS,
    TUNNEL,
    WALLS,
    WOODS,
)
from agentgym.envs.text._craft_tree.search import Scout, Spot
from agentgym.envs.text._craft_tree.state import State
from agentgym.envs.text._craft_tree.terrain import LEVELS, SIDE, Land

WEAK, HUNGRY, STARVING = 8, 12, 6
LASTING = 48  # uses worth having before going down
MEAT = ("cow", "pig", "sheep", "chicken")
TORCHES = 6


@dataclass
class Demand:
    """What has to be used up, what only has to be there, and what is lacking with the way to get it."""

    used: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, tuple[int, Way]] = field(default_factory=dict)


class Planner:
    """A player of this world; `scout` decides what it knows of the land."""

    def __init__(self, scout: Scout):
        self.scout = scout

    def next(self, state: State, land: Land, goal: str) -> str:
        """The next action in `state`, towards having the item `goal`; of `land` it reads what the scout knows."""
        return self._stay_alive(state, land) or self._work(state, land, goal)

    def _stay_alive(self, state: State, land: Land) -> str:
        """What hunger, wounds and the night ask for; empty if nothing."""
        food = max((item for item in state.bag if item in FOODS), key=lambda item: (FOODS[item], item), default="")
        if food and state.food <= (HUNGRY if state.health > WEAK else FOOD - 1):
            return f"eat {words(food)}"
        here = s.around(state)
        if not food and state.food <= HUNGRY:
            prey = next((name for name in MEAT if name in here), "")
            if prey:
                return f"attack {prey}"
            if state.food <= STARVING:
                spots = [(spot, name) for name in MEAT if (spot := self.scout.locate(state, land, name))]
                if spots and not state.bedtime:
                    return self._go(state, land, min(spots)[0])
        if state.level == 0 and BEDTIME <= state.hour < DAWN:
            return self._night(state, here)
        return self._recover(state, land) if state.health <= WEAK else ""

    def _night(self, state: State, here: dict[str, int]) -> str:
        if any(item.endswith("_bed") for item in state.bag):
            return "sleep"
        if _walls(state) >= SHELTER_BLOCKS:
            return "shelter"
        for name in sorted(here):
            if name in WALLS and (name == "dirt" or name.endswith("_log")):
                return f"mine {SHELTER_BLOCKS} {words(name)}"
        return ""

    def _work(self, state: State, land: Land, goal: str) -> str:
        """The next step towards the goal: make what can be made, otherwise get what is nearest."""
        cheap = guide(self._wood(state, land))
        demand = self._demand(state, cheap, goal)
        for item in sorted(demand.lacking, key=lambda item: (cheap.effort[item], item)):
            count, way = demand.lacking[item]
            if way.kind in ("craft", "smelt"):
                action = self._make(state, item, count, way, cheap, demand)
                if action:
                    return action
        spots: list[tuple[Spot, str, int, Way]] = []
        for item, (count, way) in demand.lacking.items():
            if way.kind in ("mine", "attack", "fill") and all(_has(state, tool) for tool in way.tools):
                if way.kind == "fill" and "bucket" not in state.bag:
                    continue
                for each in self._sources(item, way, state):
                    spot = self.scout.locate(state, land, each.source)
                    if spot is not None:
                        spots.append((spot, item, count, each))
        if not spots:
            return "explore" if not state.level else "move up"
        spot, _, count, way = min(spots, key=lambda each: (each[0], each[1], each[3].source))
        if way.kind == "attack" and (rest := self._before_fight(state, land, way.source)):
            return rest
        if way.source in s.around(state):
            return self._gather(state, count, way)
        return self._go(state, land, spot)

    def _sources(self, item: str, way: Way, state: State) -> list[Way]:
        """The way decided on, and the other ways to gather the same that the tools at hand allow."""
        others = [
            each
            for each in ways()[item]
            if each.kind in ("mine", "attack") and each != way and all(_has(state, tool) for tool in each.tools)
            and (each.kind == "mine" or not CREATURES[each.source].damage)
        ]  # fmt: skip
        return [way, *others]

    def _wood(self, state: State, land: Land) -> str:
        """The kind of wood that is nearest, or carried."""
        carried = [
            wood for wood in WOODS if state.bag.get(f"{wood}_planks", 0) + 4 * state.bag.get(f"{wood}_log", 0) > 3
        ]
        if carried:
            return max(
                carried, key=lambda wood: state.bag.get(f"{wood}_planks", 0) + 4 * state.bag.get(f"{wood}_log", 0)
            )
        here = [wood for wood in WOODS if f"{wood}_log" in s.around(state)]
        if here:
            return here[0]
        spots = [(spot, wood) for wood in WOODS if (spot := self.scout.locate(state, land, f"{wood}_log"))]
        return min(spots)[1] if spots else WOODS[0]

    def _demand(self, state: State, cheap: Book, goal: str) -> Demand:
        """Everything that is lacking, counted from the goal downwards."""
        demand = Demand(used={goal: 1})
        pickaxes = [pickaxe for pickaxe in PICKAXES if any(pickaxe in step for step in chain(goal)) and pickaxe != goal]
        if "stone_pickaxe" in pickaxes:
            demand.kept["stick"] = 4  # to make another pickaxe below
            demand.kept["crafting_table"] = 1
            if "iron_pickaxe" in pickaxes and _has(state, "stone_pickaxe"):
                demand.kept["torch"] = 1
        done: set[str] = set()
        while True:
            open_names = (demand.used.keys() | demand.kept.keys()) - done
            if not open_names:
                return demand
            name = max(open_names, key=lambda each: (cheap.effort[each], each))
            done.add(name)
            self._break_down(state, cheap, name, demand)

    def _break_down(self, state: State, cheap: Book, name: str, demand: Demand) -> None:
        """Find how much of one thing is lacking, and ask for what it is made of."""
        used, kept = demand.used.get(name, 0), demand.kept.get(name, 0)
        if name in cheap.kind:
            left = used + kept
            free = {item: _stock(state, item) - demand.used.get(item, 0) for item in book().tags[name]}
            for item in sorted(free, key=lambda item: -free[item]):
                part = max(0, min(left, free[item]))
                _ask(demand.used, item, part)
                left -= part
            _ask(demand.used, cheap.kind[name], left)
            return
        count = used + kept - _stock(state, name)
        if kept and name in STATIONS and _has(state, name):
            count = used - state.bag.get(name, 0)
        if kept and name in s.TOOL_USES and _has(state, name):
            count = used - max(0, state.bag.get(name, 0) - 1) if used else 0
        if count <= 0:
            return
        if name == "torch":
            count = TORCHES
        way = cheap.best[name]
        demand.lacking[name] = (count, way)
        for tool in way.tools:
            if not _has(state, tool):
                demand.kept[tool] = max(demand.kept.get(tool, 0), 1)
        times = -(-count // int(way.count)) if way.kind == "craft" else count
        for need, each in way.needs:
            _ask(demand.used, need, each * times)
        if way.kind == "smelt" and not _burnable(state, times, demand):
            _ask(demand.used, "planks", -(-times * SMELT_TICKS // FUEL["oak_planks"]))

    def _make(self, state: State, item: str, count: int, way: Way, cheap: Book, demand: Demand) -> str:
        """Craft or smelt, if all that goes in is there; first put down the station it takes."""
        for need, each in way.needs:
            stock = sum(state.bag.get(name, 0) for name in book().tags.get(need, (need,)))
            if stock < each:
                return ""
        tool = next(iter(way.tools), "")
        if tool and not s.station(state, tool):
            return f"place {words(tool)}" if tool in state.bag else ""
        if way.kind == "craft":
            times = min(
                sum(state.bag.get(name, 0) for name in book().tags.get(need, (need,))) // each
                for need, each in way.needs
            )
            number = min(count, times * int(way.count), STACK)
            if _overlap(way, state, number):
                number = min(number, int(way.count))
            return f"craft {number} {words(item)}"
        number = min(count, state.bag[way.source], STACK)
        fuel = _fuel(state, number, way.source)
        while not fuel and number > 1:
            number //= 2
            fuel = _fuel(state, number, way.source)
        return f"smelt {number} {words(way.source)} with {words(fuel)}" if fuel else ""

    def _gather(self, state: State, count: int, way: Way) -> str:
        """Take what is here with the right tool in the hand."""
        if way.kind == "attack":
            weapon = _weapon(state)
            return _hold(state, weapon) or f"attack {words(way.source)}"
        if way.kind == "fill":
            return f"fill {words(way.source)}"
        block = BLOCKS[way.source]
        if block.tool == "pickaxe" and block.level >= 0:
            tool = _pickaxe(state, block.level, 1)
        else:
            owned = [name for name in state.bag if s.tool_kind(name) == block.tool and name in s.TOOL_USES]
            tool = min(owned, default="")
        number = min(STACK, max(1, -(-count // max(1, block.low))))
        return _hold(state, tool) or f"mine {number} {words(way.source)}"

    def _go(self, state: State, land: Land, spot: Spot) -> str:
        """One step towards a place, with the stations taken along; there, explore."""
        arrived = (spot.cell, spot.level) == (state.cell, state.level)
        action = "explore"
        if not arrived:
            below = spot.cell == state.cell and spot.level > state.level
            leaves = state.level and not below
            action = "move down" if below else "move up" if leaves else f"move {_towards(state.cell, spot.cell)}"
        blocks = digs(state, action) if action in ("explore", "move down") else 0
        ahead = max(blocks, _digging(state, spot)) if spot.level >= state.level else blocks
        if ahead and not _pickaxe(state, 0, ahead):
            return self._pickaxe_first(state, land, ahead)
        tool = _pickaxe(state, 0, blocks) if blocks else ""
        return ("" if arrived else _pack(state)) or _hold(state, tool) or action

    def _pickaxe_first(self, state: State, land: Land, uses: int) -> str:
        """Make a pickaxe that can dig on: of stone where there is stone."""
        stock = sum(state.bag.get(name, 0) for name in book().tags["stone_tool_materials"])
        twin = s.State(**{name: getattr(state, name) for name in State.__slots__})
        twin.bag = {
            item: count for item, count in state.bag.items() if item not in PICKAXES or s.uses_left(state, item) >= uses
        }
        return self._work(twin, land, "stone_pickaxe" if stock >= 3 else "wooden_pickaxe")

    def _before_fight(self, state: State, land: Land, name: str) -> str:
        """What to do first where a fight might be the last."""
        creature = CREATURES[name]
        blows = -(-creature.health // s.blow(_weapon(state)))
        risk = creature.damage * (blows // 3)
        return self._recover(state, land) if risk and state.health <= risk + 2 else ""

    def _recover(self, state: State, land: Land) -> str:
        """Rest behind walls where one is fed; eat, or hunt, before. Empty if nothing can be done."""
        here = s.around(state)
        food = max((item for item in state.bag if item in FOODS), key=lambda item: (FOODS[item], item), default="")
        if not s.healing(state) and state.food < FOOD:
            prey = next((name for name in MEAT if name in here), "")
            if food or prey:
                return f"eat {words(food)}" if food else f"attack {prey}"
            spots = [(spot, name) for name in MEAT if (spot := self.scout.locate(state, land, name))]
            return self._go(state, land, min(spots)[0]) if spots else ""
        if _walls(state) >= SHELTER_BLOCKS:
            return "shelter"
        soil = next((name for name in sorted(here) if name in WALLS and (name == "dirt" or name.endswith("_log"))), "")
        return f"mine {SHELTER_BLOCKS} {words(soil)}" if soil else ""


def _digging(state: State, spot: Spot) -> int:
    """Uses a pickaxe should have for the way to a place below and a tunnel there, as far as a wooden one goes."""
    if spot.level == 0:
        return 0
    begin = state.level if spot.cell == state.cell else 0
    undug = [level for level in range(begin + 1, spot.level + 1) if spot.cell * LEVELS + level not in state.here]
    return min(sum(STAIRS[level] for level in undug) + TUNNEL, LASTING)


def _ask(wanted: dict[str, int], name: str, count: int) -> None:
    if count:
        wanted[name] = wanted.get(name, 0) + count


def _stock(state: State, name: str) -> int:
    return state.bag.get(name, 0)


def _walls(state: State) -> int:
    return sum(count for item, count in state.bag.items() if item in WALLS)


def _has(state: State, tool: str) -> bool:
    """Whether a tool or station is at hand; a better pickaxe does for a lesser one."""
    if tool in STATIONS:
        return tool in state.bag or s.station(state, tool)
    if tool in PICKAXES:
        return bool(_pickaxe(state, PICKAXES.index(tool), 1))
    if s.tool_kind(tool) in ("sword", "shovel"):
        alike = [item for item in state.bag if s.tool_kind(item) == s.tool_kind(tool) and item in s.TOOL_USES]
        return any(s.blow(item) >= s.blow(tool) for item in alike)
    return tool in state.bag


def _pickaxe(state: State, level: int, uses: int) -> str:
    """The least pickaxe carried that harvests a level and lasts; golden ones are left alone."""
    for tool in PICKAXES[level:]:
        if tool in state.bag and s.uses_left(state, tool) >= uses:
            return tool
    return ""


def _weapon(state: State) -> str:
    owned = [item for item in state.bag if s.tool_kind(item) in ("sword", "axe") and item in s.TOOL_USES]
    return max(owned, key=lambda item: (s.blow(item), item), default="")


def _hold(state: State, tool: str) -> str:
    return f"equip {words(tool)}" if tool and tool != state.held else ""


def _pack(state: State) -> str:
    """Take the stations here along."""
    for name in STATIONS:
        if s.station(state, name):
            tool = _pickaxe(state, 0, 1)
            if name != "furnace":
                return f"take {words(name)}"
            if tool:
                return _hold(state, tool) or f"take {words(name)}"
    return ""


def _fuel(state: State, count: int, source: str) -> str:
    """The fuel to burn: coal if it is there, else planks, else logs."""
    for kind in ("coals", "planks", "logs"):
        for item in book().tags[kind]:
            pieces = -(-count * SMELT_TICKS // FUEL.get(item, 1))
            if state.bag.get(item, 0) >= pieces + (count if item == source else 0):
                return item
    return ""


def _burnable(state: State, count: int, demand: Demand) -> bool:
    """Whether coal enough is there that nothing else needs."""
    spare = sum(state.bag.get(item, 0) for item in ("coal", "charcoal")) - demand.used.get("coals", 0)
    return spare - demand.used.get("coal", 0) >= -(-count * SMELT_TICKS // FUEL["coal"])


def _overlap(way: Way, state: State, number: int) -> bool:
    """Whether two ingredients draw on the same items, so that they cannot be counted apart."""
    names = [name for need, _ in way.needs for name in book().tags.get(need, (need,))]
    return len(set(names)) < len(names)


def _towards(cell: int, goal: int) -> str:
    down = goal // SIDE - cell // SIDE
    right = goal % SIDE - cell % SIDE
    if abs(down) >= abs(right):
        return "south" if down > 0 else "north"
    return "east" if right > 0 else "west"
