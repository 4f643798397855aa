"""What changes in the world during an episode, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentgym.envs.text._craft_tree.facts import (
    ARMOUR,
    AXE_DAMAGE,
    BEDTIME,
    BURNING,
    DAWN,
    DAY,
    DURABILITY,
    FOOD,
    HEALTH,
    LEVEL,
    NIGHT,
    PIECES,
    PLENTY,
    SHEARS,
    SWORD_DAMAGE,
)
from agentgym.envs.text._craft_tree.terrain import LEVELS, Land, sight

KINDS = ("pickaxe", "axe", "shovel", "hoe", "sword")
TOOL_USES = {f"{material}_{kind}": uses for material, uses in DURABILITY.items() for kind in KINDS} | {"shears": SHEARS}
ARMOUR_POINTS = {
    f"{material}_{piece}": points for material, row in ARMOUR.items() for piece, points in zip(PIECES, row, strict=True)
}


@dataclass(slots=True)
class State:
    """The player and the changed parts of the land.

    A place is `cell * LEVELS + level`. `worn` holds the uses taken from the tool in use of each name; `here` what is
    known and left at each place; `explored` how often each place was explored; `built` the stations by place and name;
    `reached` has a bit for each step on the way to the goal that was made; `exhaustion` is in thousandths, and four
    cost one food.
    """

    cell: int
    level: int = 0
    tick: int = 0
    health: int = HEALTH
    food: int = FOOD
    saturation: int = 5
    exhaustion: int = 0
    mined: int = 0
    held: str = ""
    reached: int = 0
    bag: dict[str, int] = field(default_factory=dict)
    worn: dict[str, int] = field(default_factory=dict)
    wearing: list[str] = field(default_factory=list)
    here: dict[int, dict[str, int]] = field(default_factory=dict)
    explored: dict[int, int] = field(default_factory=dict)
    built: dict[str, int] = field(default_factory=dict)

    @property
    def place(self) -> int:
        """Where the player is."""
        return self.cell * LEVELS + self.level

    @property
    def hour(self) -> int:
        """Ticks since the morning."""
        return self.tick % DAY

    @property
    def night(self) -> bool:
        """Whether monsters roam the surface."""
        return NIGHT <= self.tick % DAY < DAWN

    @property
    def bedtime(self) -> bool:
        """Whether one can sleep."""
        return BEDTIME <= self.hour < DAWN

    @property
    def armour(self) -> int:
        """Armour points worn."""
        return sum(ARMOUR_POINTS[piece] for piece in self.wearing)


def uses_left(state: State, tool: str) -> int:
    """Uses left in all of `state`'s tools called `tool`: when one breaks, the next is taken into the hand."""
    return state.bag.get(tool, 0) * TOOL_USES[tool] - state.worn.get(tool, 0)


def in_hand(state: State) -> int:
    """Uses left in the tool that is held and those like it."""
    return uses_left(state, state.held)


def tool_kind(tool: str) -> str:
    """`pickaxe` for `iron_pickaxe`; `shears` for itself; empty for a bare hand."""
    return tool.rpartition("_")[2]


def tool_level(tool: str) -> int:
    """The level a tool harvests."""
    return LEVEL.get(tool.partition("_")[0], 0)


def blow(tool: str) -> int:
    """Damage of a blow with what is held."""
    material, _, kind = tool.rpartition("_")
    if kind == "sword":
        return SWORD_DAMAGE[material]
    if kind == "axe":
        return AXE_DAMAGE[material]
    return 2 if tool else 1


def wear(state: State, uses: int) -> bool:
    """Use what is held in `state` so many times, `uses`; whether it, or one after the other, broke."""
    tool = state.held
    if tool not in TOOL_USES or not uses:
        return False
    broken, worn = divmod(state.worn.get(tool, 0) + uses, TOOL_USES[tool])
    broken = min(broken, state.bag[tool])
    state.worn[tool] = worn
    if broken:
        take(state, tool, broken)
    if tool not in state.bag:
        state.held = ""
    if not worn or tool not in state.bag:
        del state.worn[tool]
    return broken > 0


def take(state: State, item: str, count: int) -> None:
    """Take `count` of an `item` out of the bag of `state`, which holds them."""
    left = state.bag[item] - count
    if left:
        state.bag[item] = left
    else:
        del state.bag[item]


def arrive(state: State, land: Land) -> None:
    """Look at the place of `state`, if for the first time: it is as `land` has made it."""
    if state.place not in state.here:
        state.here[state.place] = sight(land.biomes[state.cell], state.level)


def around(state: State) -> dict[str, int]:
    """What is here and can be used now: at daylight the undead are gone from the surface."""
    found = state.here[state.place]
    if state.level == 0 and not BURNING.isdisjoint(found) and not state.night:
        return {name: count for name, count in found.items() if name not in BURNING}
    return found


def lessen(state: State, name: str, count: int) -> None:
    """Take `count` of what is called `name` from the place of `state`; of what is there in plenty as much is left."""
    found = state.here[state.place]
    if found[name] < PLENTY:
        found[name] -= count
        if found[name] <= 0:
            del found[name]


def add(state: State, found: dict[str, int] | tuple[tuple[str, int], ...]) -> None:
    """Add finds, `found` with the amount of each, to the place of `state`."""
    place = state.here[state.place]
    for name, count in found.items() if isinstance(found, dict) else found:
        if place.get(name, 0) < PLENTY:
            place[name] = place.get(name, 0) + count


def station(state: State, name: str) -> bool:
    """Whether the station called `name` stands at the place of `state`."""
    return f"{state.place}:{name}" in state.built


def healing(state: State) -> int:
    """How much one can heal until one is no longer well fed: 6 of exhaustion for each, at food 18 or more."""
    return max(0, (state.saturation + state.food - 17) * 4_000 - state.exhaustion) // 6_000


def pass_time(state: State, ticks: int, exhaustion: int = 0) -> None:
    """Let time pass: hunger, healing (one heart's half in 80 ticks while well fed) and starving, down to one.

    Args:
        state: Changed in place.
        ticks: How long; a day has `DAY`.
        exhaustion: What the work takes out of the player, in thousandths; four cost one food.
    """
    state.tick += ticks
    state.exhaustion += exhaustion
    if state.food >= 18 and state.health < HEALTH:
        healed = min(HEALTH - state.health, ticks // 80, healing(state))
        state.health += healed
        state.exhaustion += 6_000 * healed
    elif state.food == 0:
        state.health = max(min(state.health, 1), state.health - ticks // 80)
    while state.exhaustion >= 4_000:
        state.exhaustion -= 4_000
        if state.saturation:
            state.saturation -= 1
        elif state.food:
            state.food -= 1


def hurt(state: State, damage: int) -> int:
    """Take a blow of `damage`, in health, from `state`; what it really took: armour keeps off 4 in 100 a point."""
    taken = max(1, -(-damage * (100 - 4 * state.armour) // 100))
    state.health = max(0, state.health - taken)
    state.exhaustion += 100
    return taken
