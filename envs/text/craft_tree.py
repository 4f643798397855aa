"""CraftTree: a small survival world in words, whose goals are the items of the overworld's crafting tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, object_schema
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.text import CRAFT_TREE
from agentgym.envs.text._craft_tree import actions, crafting, state
from agentgym.envs.text._craft_tree.acquisition import FILLED, TIERS, chain, goals, obtainable, tier
from agentgym.envs.text._craft_tree.actions import Deed, Refused, words
from agentgym.envs.text._craft_tree.facts import (
    BLOCKS,
    CREATURES,
    DAWN,
    DAY,
    FOOD,
    FOODS,
    FUEL,
    HEIGHTS,
    NIGHT,
    PLENTY,
    SMELTING,
    STATIONS,
)
from agentgym.envs.text._craft_tree.manual import entry
from agentgym.envs.text._craft_tree.map_page import map_page, seen
from agentgym.envs.text._craft_tree.planner import Planner
from agentgym.envs.text._craft_tree.search import AllSeeing, Explorer
from agentgym.envs.text._craft_tree.state import State
from agentgym.envs.text._craft_tree.terrain import SIDE, WAYS, Land, land, neighbour

TURNS = (100, 200, 300, 400, 500)  # by tier
STREAM = 0x6017  # apart from the land's own generator
WORLDS = 2**31

ALONE: dict[str, Callable[[State], Deed]] = {"sleep": actions.sleep, "shelter": actions.shelter}
NAMED: dict[str, tuple[Callable[[State, str], Deed], str]] = {
    "place": (crafting.place_station, "station"),
    "take": (crafting.take_station, "station"),
    "equip": (actions.equip, "item"),
    "fill": (actions.fill, "liquid"),
    "eat": (actions.eat, "food"),
}


def _tiers(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        raise ConfigError(f"{name} must be a list of some of {list(TIERS)}, got {value!r}")
    for each in value:
        if each not in TIERS:
            raise unknown("tier", each, TIERS)
    return tuple(each for each in TIERS if each in value)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `CraftTreeEnv`."""

    tiers: tuple[str, ...] | None = checked(None, _tiers)


class CraftTreeEnv(LanguageEnv):
    """Survive, gather, craft and smelt until you hold an item.

    Description: a land of 9 x 9 areas in sixteen biomes, and below each area five levels down to y -58, where ores lie
    as deep as they do in the game. Trees and ground are in sight; animals, plants and ores must be found by exploring.
    Tools wear out and harvest only what they are good for; most recipes take a crafting table, smelting a furnace and
    fuel; day and night pass with what one does. In the dark (at night, and in tunnels without a torch) monsters come;
    wounds heal while one is well fed; at health 0 the task is lost. Durabilities, mining levels, times, drops, fuel
    values, food, damage and recipes are those of the game. Left out: the Nether, enchanting, farming, boats at sea.

    Observation: what the action did, then where you are, the time, health and food, what is in the hand, what is here,
    which biomes lie around, and what you carry.

    Actions: `move <direction>` (north, east, south, west; down digs stairs, up climbs them), `explore` (look round, or
    dig a tunnel of 16 blocks), `mine <number> <block>`, `attack <creature>`, `craft <number> <item>`, `smelt <number>
    <item> with <fuel>`, `place <station>`, `take <station>`, `equip <item>`, `fill <liquid>`, `eat <food>`, `sleep`,
    `shelter`, `recipe <item>` (the handbook; takes a turn but no time), `look`.

    Reward: 1 when the goal is in the bag, otherwise 0. `progress` is the share of the things on the cheapest way to
    the goal that were had at some time. The episode ends with the goal (success), at health 0, or after 100, 200, 300,
    400 or 500 turns by tier.

    Goals and tiers: every one of the 681 items that can be had, by the best pickaxe its cheapest way takes: `wood`
    (none), `stone` (a wooden one), `iron` (a stone one), `diamond` (an iron one) and `beyond` (a diamond one).
    `metrics["tier"]` is the place of the goal's tier, 0 to 4; `metrics["milestones"]` counts the things had.

    Splits: `train` without end, `val` and `test` 200 tasks each; a task is a goal and a land, and no land is in two
    splits. Tiers are drawn in the shares 20, 25, 25, 25 and 5 in 100.

    Oracle: plans backwards from the goal (what is lacking, what that takes, with which tools and stations) and knows
    every biome and what every exploration will find. Expert: the same planner, knowing recipes and what lives and lies
    where in general, but only those parts of the land it has seen.

    Args:
        tiers: Only goals of these tiers.

    Source: after Ghost in the Minecraft (Zhu et al. 2023, arXiv:2305.17144), whose agent plays the game itself through
    structured actions; this is a world of its own in words.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi", "html"], "render_fps": 4}  # type: ignore[misc]
    card = CRAFT_TREE
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "move <direction>",
                "walk to the next area, dig or climb down, or climb up.",
                examples=("move north", "move down"),
                variants=("go <direction>",),
                choices={"direction": ("north", "east", "south", "west", "up", "down")},
            ),
            Command(
                "explore", "look round on the surface; below, dig a tunnel with your pickaxe.", examples=("explore",)
            ),
            Command("mine <number> <block>", "break blocks that are here.", examples=("mine 4 oak log",)),
            Command("attack <creature>", "fight a creature that is here.", examples=("attack sheep",)),
            Command("craft <number> <item>", "craft at least so many of an item.", examples=("craft 4 stick",)),
            Command(
                "smelt <number> <item> with <fuel>",
                "smelt items in the furnace that stands here.",
                examples=("smelt 3 raw iron with coal",),
            ),
            Command("place <station>", "put down a crafting table or a furnace.", examples=("place crafting table",)),
            Command("take <station>", "take a station along again.", examples=("take furnace",)),
            Command(
                "equip <item>", "hold a tool, put on armour, or empty your hand.", examples=("equip stone pickaxe",)
            ),
            Command("fill <liquid>", "fill a bucket with water, lava or milk.", examples=("fill water",)),
            Command("eat <food>", "eat something you carry.", examples=("eat bread",)),
            Command("sleep", "sleep in your bed until the morning.", examples=("sleep",)),
            Command("shelter", "wall yourself in until dawn, or for a rest.", examples=("shelter",)),
            Command("recipe <item>", "read in the handbook how an item is had.", examples=("recipe iron pickaxe",)),
            Command("look", "look at where you are and what you carry.", examples=("look",), variants=("inventory",)),
        ],
        rules="Get the goal into your bag. Mind your health: monsters come at night and in dark tunnels.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "goal": {"type": "string", "minLength": 1, "maxLength": 80},
            "world": {"type": "integer", "minimum": 0, "maximum": WORLDS - 1},
        }
    )
    admissible_complete: ClassVar[bool] = False
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A goal, its tier drawn first, and a land.

        Args:
            config: Tiers to draw from; all if there are none.
            rng: Draws tier, goal and land.
        """
        shares = np.array(
            [share * (name in (config.tiers or TIERS)) for share, name in zip(SHARES, TIERS, strict=True)]
        )
        names = goals()[int(rng.choice(len(shares), p=shares / shares.sum()))]
        return {"goal": names[int(rng.integers(len(names)))], "world": int(rng.integers(WORLDS))}

    def check_task(self, spec: Spec) -> None:
        """The goal must be an item that this world has."""
        if spec["goal"] not in obtainable():
            raise TaskError(f"{shorten(spec['goal'])!r} cannot be had in this world; a goal reads like 'iron_pickaxe'")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Goal: get 1 {words(spec['goal'])}."

    def _kind(self, spec: Spec) -> str:
        """The goal's tier."""
        place = tier(spec["goal"])
        return f"tier {place} ({TIERS[place]})"

    def _turn_limit(self, task: Task) -> int:
        return TURNS[tier(task.spec["goal"])]

    def _reset(self, task: Task) -> str:
        self._goal: str = task.spec["goal"]
        self._land = land(task.spec["world"])
        self._bits = _bits(self._goal)
        self._steps = len(chain(self._goal))
        self._tier = float(tier(self._goal))
        self._state = State(self._land.start)
        state.arrive(self._state, self._land)
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        try:
            deed = self._do(call)
        except Refused as reason:
            return self.refuse(str(reason))
        mine = self._state
        for item in deed.gained:
            mine.reached |= self._bits.get(item, 0)
        done = self._goal in deed.gained
        dead = mine.health <= 0 and not done
        text = f"{deed.text} You die." if dead else f"{deed.text} You have the goal." if done else deed.text
        return Outcome(
            f"{text}\n{self._view()}",
            reward=float(done),
            terminated=done or dead,
            success=done,
            progress=mine.reached.bit_count() / self._steps,
            events=deed.events,
        )

    def _do(self, call: Call) -> Deed:
        mine, ground, name = self._state, self._land, call.name
        if name == "move":
            return actions.move(mine, ground, call["direction"])
        if name == "explore":
            return actions.explore(mine, ground)
        if name == "mine":
            return actions.mine(mine, ground, call["number"], call["block"])
        if name == "attack":
            return actions.attack(mine, ground, call["creature"])
        if name == "craft":
            return crafting.craft(mine, call["number"], call["item"])
        if name == "smelt":
            return crafting.smelt(mine, call["number"], call["item"], call["fuel"])
        if name == "recipe":
            return Deed(entry(actions.name_of(call["item"])))
        if name == "look":
            return Deed("You look about.")
        if name in ALONE:
            return ALONE[name](mine)
        deed, slot = NAMED[name]
        return deed(mine, call[slot])

    def _metrics(self) -> dict[str, float]:
        mine = self._state
        return {"tier": self._tier, "milestones": float(mine.reached.bit_count()), "health": float(mine.health)}

    def _view(self) -> str:
        mine = self._state
        place = _place(self._land, mine.cell, mine.level)
        held = f"{words(mine.held)} ({state.in_hand(mine)} uses left)" if mine.held else "nothing"
        worn = f" Wearing {', '.join(map(words, mine.wearing))}." if mine.wearing else ""
        stands = tuple([name for name in STATIONS if state.station(mine, name)]) if mine.built else ()
        return (
            f"{place} {_clock(mine.tick // 100)}. "
            f"Health {mine.health}/20, food {mine.food}/20. In your hand: {held}.{worn}\n"
            f"Here: {_here(tuple(state.around(mine).items()), stands)}.\nYou carry: {_bag(tuple(mine.bag.items()))}."
        )

    def _admissible(self) -> list[str]:
        mine = self._state
        found = ["look", f"recipe {words(self._goal)}", *self._ways_on(), *self._at_hand()]
        for name in state.around(mine):
            if name in CREATURES:
                found.append(f"attack {words(name)}")
            elif name in BLOCKS and actions.can_mine(mine, name):
                found += [f"mine 1 {words(name)}", f"mine 8 {words(name)}"]
            if name in FILLED and "bucket" in mine.bag:
                found.append(f"fill {words(name)}")
        found += [f"craft 1 {words(item)}" for item in crafting.craftable(mine)]
        if state.station(mine, "furnace"):
            found += self._smeltable()
        if actions.can_sleep(mine):
            found.append("sleep")
        if actions.can_shelter(mine):
            found.append("shelter")
        return found

    def _ways_on(self) -> list[str]:
        """Where one can go, and whether one can explore."""
        mine = self._state
        found = ["move up"] if mine.level else [f"move {way}" for way in WAYS if neighbour(mine.cell, way) >= 0]
        for action in ("explore", "move down"):
            blocks = actions.digs(mine, action)
            able = state.tool_kind(mine.held) == "pickaxe" and state.in_hand(mine) >= blocks
            if blocks == 0 or (blocks > 0 and able):
                found.append(action)
        return found

    def _at_hand(self) -> list[str]:
        """What can be done with stations, tools, armour and food."""
        mine, found = self._state, []
        for name in STATIONS:
            if not state.station(mine, name):
                found += [f"place {words(name)}"] if name in mine.bag else []
            elif name != "furnace" or state.tool_kind(mine.held) == "pickaxe":
                found.append(f"take {words(name)}")
        for item in mine.bag:
            if item in state.TOOL_USES or item in state.ARMOUR_POINTS:
                found.append(f"equip {words(item)}")
            elif item in FOODS and mine.food < FOOD:
                found.append(f"eat {words(item)}")
        return found

    def _smeltable(self) -> list[str]:
        bag = self._state.bag
        return [
            f"smelt 1 {words(item)} with {words(fuel)}"
            for item in bag
            if item in SMELTING
            for fuel in bag
            if fuel in FUEL and bag[fuel] >= -(-crafting.SMELT_TICKS // FUEL[fuel]) + (1 if fuel == item else 0)
        ]

    def _oracle(self) -> str:
        return ORACLE.next(self._state, self._land, self._goal)

    def _expert(self) -> str:
        return EXPERT.next(self._state, self._land, self._goal)

    def _reference(self) -> dict[str, Any]:
        """The things on the cheapest way to the goal, in working order; one of each group does."""
        return {"steps": {sorted(step)[0]: len(step) for step in chain(self._goal)}}

    def render(self) -> str | None:
        """`ansi`: the last exchange, and a map of what has been seen; `html`: a page.

        The page has the whole land and the way to the goal, on test only the part of the land that was seen.
        """
        if self.render_mode == "html" and self._task is not None:
            clock, tested = _clock(self._state.tick // 100), self._task.split.startswith("test")
            return map_page(self._land, self._state, self._goal, clock, tested)
        text = super().render()
        if text is None or self._task is None:
            return text
        return f"{text}\n(goal: {words(self._goal)})\n{_map(self._land.biomes, self._state)}"


ORACLE, EXPERT = Planner(AllSeeing()), Planner(Explorer())


@lru_cache(maxsize=4096)
def _clock(time: int) -> str:
    """The day and the time of day, given in hundreds of ticks, which are six minutes each."""
    tick = 100 * time
    hours, minutes = divmod((tick + 6_000) % DAY * 60 // 1_000, 60)
    night = ", night" if NIGHT <= tick % DAY < DAWN else ""
    return f"Day {(tick + 6_000) // DAY + 1}, {hours:02d}:{minutes:02d}{night}"


@lru_cache(maxsize=1024)
def _here(found: tuple[tuple[str, int], ...], stands: tuple[str, ...]) -> str:
    """What is at a place, in alphabetical order, and the stations that stand there."""
    told = [f"{words(name)} ({_many(count)})" for name, count in sorted(found)]
    return ", ".join([*told, *(f"your {words(name)}" for name in stands)]) or "nothing"


@lru_cache(maxsize=1024)
def _bag(carried: tuple[tuple[str, int], ...]) -> str:
    """What is carried, in alphabetical order."""
    return ", ".join([f"{count} {words(item)}" for item, count in sorted(carried)]) or "nothing"


def _many(count: int) -> str:
    return "plenty" if count >= PLENTY else str(count)


@cache
def _bits(goal: str) -> dict[str, int]:
    """For each item the bits of the steps towards the goal that having it means."""
    bits: dict[str, int] = {}
    for place, step in enumerate(chain(goal)):
        for item in sorted(step):
            bits[item] = bits.get(item, 0) | 1 << place
    return bits


@lru_cache(maxsize=4096)
def _place(ground: Land, cell: int, level: int) -> str:
    """Where the player is, and what lies around."""
    biomes, start = ground.biomes, ground.start
    south, east = cell // SIDE - start // SIDE, cell % SIDE - start % SIDE
    away = [f"{abs(south)} {'south' if south > 0 else 'north'}"] if south else []
    away += [f"{abs(east)} {'east' if east > 0 else 'west'}"] if east else []
    where = f"{' and '.join(away)} of where you began" if away else "where you began"
    if level:
        return f"Under the {biomes[cell]} ({where}), y {HEIGHTS[level]}."
    sides = [f"{way} {biomes[near] if (near := neighbour(cell, way)) >= 0 else 'sea'}" for way in WAYS]
    return f"{biomes[cell].capitalize()} ({where}), y {HEIGHTS[0]}; around: {', '.join(sides)}."


def _map(biomes: tuple[str, ...], mine: State) -> str:
    """The areas that were visited or seen, by the first letters of their biomes; `@` marks the player."""
    known, rows = seen(mine), []
    for row in range(SIDE):
        cells = range(row * SIDE, row * SIDE + SIDE)
        marks = [
            ("@" if cell == mine.cell else " ") + (biomes[cell][:4] if cell in known else "   .") for cell in cells
        ]
        rows.append("".join(f"{mark:<6}" for mark in marks).rstrip())
    return "\n".join(rows)


SHARES = (0.2, 0.25, 0.25, 0.25, 0.05)  # of the tiers
