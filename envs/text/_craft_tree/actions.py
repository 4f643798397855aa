"""What each action does: every deed changes the state and says what happened, or refuses and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentgym.envs.text._craft_tree import state as s
from agentgym.envs.text._craft_tree.acquisition import FILLED
from agentgym.envs.text._craft_tree.facts import (
    BLOCKS,
    CREATURES,
    DAWN,
    DAY,
    FLINT,
    FOOD,
    FOODS,
    HEIGHTS,
    NEEDED,
    NIGHT_CREATURES,
    SPEED,
    STAIRS,
    TUNNEL,
    WALLS,
)
from agentgym.envs.text._craft_tree.state import State
from agentgym.envs.text._craft_tree.terrain import LEVELS, WAYS, Land, between, find, neighbour, rng

STACK = 64
WALK, LOOK_ROUND, REST = 300, 600, 2_400  # ticks
DANGER = 64  # of 256, for every action in the dark
SHELTER_BLOCKS = 8


class Refused(Exception):  # control flow within one action, never seen outside
    """The action cannot be done now; the message is a sentence for the player."""


@dataclass
class Deed:
    """What happened: sentences, events, and the items that came into the bag."""

    text: str
    events: list[dict[str, Any]] = field(default_factory=list)
    gained: dict[str, int] = field(default_factory=dict)


@lru_cache(maxsize=8192)
def words(name: str) -> str:
    """A name as it is shown."""
    return name.replace("_", " ")


def gain(state: State, deed: Deed, item: str, count: int) -> None:
    """Put `count` of an `item` into the bag of `state`, and note it in `deed`."""
    if count:
        state.bag[item] = state.bag.get(item, 0) + count
        deed.gained[item] = deed.gained.get(item, 0) + count


def told(gained: dict[str, int]) -> str:
    """Items in words."""
    return ", ".join([f"{count} {words(item)}" for item, count in gained.items()]) or "nothing"


def number_of(text: str) -> int:
    """The number of an action, 1 to 64."""
    if not text.isascii() or not text.isdigit() or len(text) > 4 or not 1 <= int(text) <= STACK:
        raise Refused(f"A number goes from 1 to {STACK}, not {text[:20]!r}.")
    return int(text)


def name_of(text: str) -> str:
    """The name a text means."""
    return "_".join(text.lower().replace("_", " ").split())


def move(state: State, land: Land, direction: str) -> Deed:
    """Walk to the next area, or climb or dig to the next level.

    Args:
        state: Changed in place.
        land: The land it is about.
        direction: `north`, `east`, `south` or `west`, on the surface only; `up` or `down`.

    Raises:
        Refused: if there is no way, or nothing to dig with.
    """
    if direction in WAYS:
        if state.level:
            raise Refused("You can walk to another area on the surface only; go up first.")
        cell = neighbour(state.cell, direction)
        if cell < 0:
            raise Refused(f"The sea bars the way {direction}.")
        state.cell = cell
        s.arrive(state, land)
        s.pass_time(state, WALK)
        return _danger(state, land, Deed(f"You walk {direction} into the {land.biomes[cell]}."), lit=False)
    if direction == "up":
        if not state.level:
            raise Refused("You are on the surface.")
        state.level -= 1
        s.pass_time(state, WALK)
        return Deed(f"You climb to y {HEIGHTS[state.level]}.")
    if state.level == LEVELS - 1:
        raise Refused("Below is bedrock.")
    below = state.place + 1
    deed = Deed(f"You go down the stairs to y {HEIGHTS[state.level + 1]}.")
    if below in state.here:
        s.pass_time(state, WALK)
    else:
        blocks = STAIRS[state.level + 1]
        deed = _dig(state, blocks, "stairs down", HEIGHTS[state.level + 1] >= 0)
        deed.text += f" You are at y {HEIGHTS[state.level + 1]}."
    state.level += 1
    s.arrive(state, land)
    return deed


def _dig(state: State, blocks: int, what: str, stone: bool) -> Deed:
    """Dig through rock with the pickaxe that is held."""
    if s.tool_kind(state.held) != "pickaxe":
        raise Refused(f"Digging {what} takes a pickaxe in your hand; equip one.")
    if s.in_hand(state) < blocks:
        have = s.in_hand(state)
        raise Refused(f"Digging {what} takes {blocks} uses; your {words(state.held)} has {have} left. Use another.")
    tool, item = state.held, "cobblestone" if stone else "cobbled_deepslate"
    broke = s.wear(state, blocks)
    ticks = -(-blocks * (45 if stone else 90) // SPEED[tool.partition("_")[0]])
    s.pass_time(state, ticks, 5 * blocks)
    deed = Deed(f"You dig {what} through {blocks} blocks.")
    gain(state, deed, item, blocks)
    if broke:
        deed.text += f" Your {words(tool)} breaks."
    deed.text += f" You pick up {told(deed.gained)}."
    deed.events.append({"type": "mine", "block": "stone" if stone else "deepslate", "count": blocks})
    return deed


def explore(state: State, land: Land) -> Deed:
    """Look round on the surface, or dig a tunnel below; `state` changes, and `land` says what is found."""
    place, biome = state.place, land.biomes[state.cell]
    lit = False
    if state.level:
        deed = _dig(state, TUNNEL, "a tunnel", HEIGHTS[state.level] >= 0)
        if "torch" in state.bag:
            s.take(state, "torch", 1)
            deed.text += " You light it with a torch."
            lit = True
    else:
        s.pass_time(state, LOOK_ROUND)
        deed = Deed("You look round.")
    number = state.explored.get(place, 0)
    state.explored[place] = number + 1
    found = find(land.seed, biome, state.cell, state.level, number)
    s.add(state, found)
    deed.text += f" You find {told(dict(found))}."
    deed.events.append({"type": "explore", "found": dict(found)})
    return _danger(state, land, deed, lit)


def _danger(state: State, land: Land, deed: Deed, lit: bool) -> Deed:
    """In the dark a monster may come: at night on the surface, and below where there is no torch."""
    if (state.level and lit) or (not state.level and not state.night):
        return deed
    rolls = rng(land.seed, "danger", state.tick, state.place)
    if rolls[0] >= DANGER:
        return deed
    name = NIGHT_CREATURES[rolls[1] % len(NIGHT_CREATURES)]
    damage = CREATURES[name].damage
    if s.tool_kind(state.held) in ("sword", "axe"):
        damage = -(-damage // 2)
        s.wear(state, 1)
    taken = s.hurt(state, damage)
    s.add(state, {name: 1})
    deed.text += f" A {name} comes out of the dark and hits you for {taken}."
    deed.events.append({"type": "hurt", "by": name, "damage": taken})
    return deed


def mine(state: State, land: Land, number: str, said: str) -> Deed:
    """Break blocks that are here and pick up what they drop.

    Args:
        state: Changed in place.
        land: Its seed decides on the drops.
        number: How many, as the player writes it; there may be fewer, or the tool may break before.
        said: The block, in the player's words.

    Raises:
        Refused: if there is no such block here, or the tool in the hand does not harvest it.
    """
    count, name = number_of(number), name_of(said)
    found = s.around(state)
    if name not in BLOCKS or name not in found:
        raise Refused(f"There is no {words(name)[:40]} here to mine.")
    block, kind = BLOCKS[name], s.tool_kind(state.held)
    fits = kind == block.tool and bool(kind)
    if block.level >= 0 and not (fits and s.tool_level(state.held) >= block.level):
        needed = (
            NEEDED[block.level] if block.tool == "pickaxe" else words(f"a {block.tool}").replace("a shears", "shears")
        )
        raise Refused(
            f"Mining {words(name)} takes {needed} or better in your hand; you hold {words(state.held) or 'nothing'}."
        )
    count = min(count, found[name])
    tool = state.held if state.held in s.TOOL_USES and block.hardness else ""
    if tool:
        count = min(count, s.in_hand(state))
    deed = Deed("")
    for place in range(count):
        rolls = rng(land.seed, "drop", state.mined + place) if block.low < block.high or name == "gravel" else b"\x01"
        drop = "flint" if name == "gravel" and rolls[0] * FLINT < 256 else block.drop
        gain(state, deed, drop, between(rolls[0], block.low, block.high))
    state.mined += count
    s.lessen(state, name, count)
    speed = SPEED.get(state.held.partition("_")[0], 1) if fits else 1
    broke = bool(tool) and s.wear(state, count)
    s.pass_time(state, -(-int(count * block.hardness * 30) // speed) + 10, 5 * count)
    deed.text = f"You mine {count} {words(name)} and pick up {told(deed.gained)}."
    if broke:
        deed.text += f" Your {words(tool)} breaks."
    deed.events.append({"type": "mine", "block": name, "count": count})
    return _danger(state, land, deed, lit=state.level > 0)


def attack(state: State, land: Land, said: str) -> Deed:
    """Fight a creature that is here to its end; dangerous ones hit back at every third blow.

    Args:
        state: Changed in place.
        land: Its seed decides on the drops.
        said: The creature, in the player's words.

    Raises:
        Refused: if there is no such creature here.
    """
    name = name_of(said)
    if name not in CREATURES or name not in s.around(state):
        raise Refused(f"There is no {words(name)[:40]} here to attack.")
    creature = CREATURES[name]
    blows = -(-creature.health // s.blow(state.held))
    tool = state.held if s.tool_kind(state.held) in ("sword", "axe") else ""
    broke = bool(tool) and s.wear(state, blows * (1 if tool.endswith("sword") else 2))
    s.pass_time(state, 13 * blows, 100 * blows)
    s.lessen(state, name, 1)
    deed = Deed(f"You kill the {words(name)} with {blows} blow{'s' * (blows > 1)}")
    taken = sum(s.hurt(state, creature.damage) for _ in range(blows // 3)) if creature.damage else 0
    state.mined += 1
    rolls = rng(land.seed, "loot", name, state.mined)
    for place, (item, low, high) in enumerate(creature.drops):
        gain(state, deed, item, between(rolls[place], low, high))
    deed.text += f" and pick up {told(deed.gained)}."
    if taken:
        deed.text += f" It hits you for {taken}."
    if broke:
        deed.text += f" Your {words(tool)} breaks."
    deed.events.append({"type": "attack", "creature": name, "damage": taken})
    return deed


def equip(state: State, said: str) -> Deed:
    """Take a tool into the hand, or put armour on, out of the bag of `state`; `said` is the player's word for it."""
    name = name_of(said)
    if name in ("hand", "nothing"):
        state.held = ""
        return Deed("Your hands are empty.")
    if name not in state.bag:
        raise Refused(f"You carry no {words(name)[:40]}.")
    if name in s.ARMOUR_POINTS:
        piece = name.rpartition("_")[2]
        state.wearing[:] = sorted([worn for worn in state.wearing if not worn.endswith(piece)] + [name])
        s.pass_time(state, 10)
        return Deed(f"You put on the {words(name)}: {state.armour} armour points.")
    if name not in s.TOOL_USES:
        raise Refused(f"{words(name).capitalize()} is no tool and no armour.")
    state.held = name
    s.pass_time(state, 5)
    return Deed(f"You hold the {words(name)}, {s.in_hand(state)} uses left.")


def fill(state: State, said: str) -> Deed:
    """Fill a bucket of `state` with what `said` names, in the player's words; milk and cow mean the same."""
    name = {"milk": "cow"}.get(name_of(said), name_of(said))
    if name not in FILLED or name not in s.around(state):
        raise Refused(f"There is no {words(name)[:40]} here to fill a bucket with.")
    if "bucket" not in state.bag:
        raise Refused("You carry no bucket.")
    s.take(state, "bucket", 1)
    if name == "lava":
        s.lessen(state, name, 1)
    s.pass_time(state, 20)
    deed = Deed("")
    gain(state, deed, FILLED[name], 1)
    deed.text = f"You fill the bucket: {told(deed.gained)}."
    deed.events.append({"type": "fill", "source": name})
    return deed


def eat(state: State, said: str) -> Deed:
    """Eat one of what `said` names, in the player's words, out of the bag of `state`."""
    name = name_of(said)
    if name not in FOODS or name not in state.bag:
        raise Refused(f"You carry no {words(name)[:40]} that can be eaten.")
    if state.food >= FOOD:
        raise Refused("You are not hungry.")
    s.take(state, name, 1)
    food, saturation = FOODS[name]
    state.food = min(FOOD, state.food + food)
    state.saturation = min(state.food, state.saturation + saturation)
    s.pass_time(state, 32)
    return Deed(f"You eat the {words(name)}.", [{"type": "eat", "item": name}])


def sleep(state: State) -> Deed:
    """Sleep through the night in a bed."""
    if not any(item.endswith("_bed") for item in state.bag):
        raise Refused("You carry no bed.")
    if not state.bedtime:
        raise Refused("You can sleep at night only.")
    state.tick += DAY - state.hour
    return Deed("You sleep until the morning.", [{"type": "sleep"}])


def shelter(state: State) -> Deed:
    """Wall yourself in: until dawn when it is night, otherwise for a rest of two minutes."""
    if sum(count for item, count in state.bag.items() if item in WALLS) < SHELTER_BLOCKS:
        raise Refused(
            f"A shelter takes {SHELTER_BLOCKS} blocks, such as dirt, cobblestone or planks; you get them back."
        )
    s.pass_time(state, DAWN - state.hour if state.bedtime else REST)
    return Deed("You wall yourself in, rest, and come out again.", [{"type": "shelter"}])


def digs(state: State, action: str) -> int:
    """Blocks that `action`, `explore` or `move down`, digs in `state`: 0 if none, -1 if it cannot be done at all."""
    if action == "explore":
        return TUNNEL if state.level else 0
    if state.level == LEVELS - 1:
        return -1
    return 0 if state.place + 1 in state.here else STAIRS[state.level + 1]


def can_mine(state: State, name: str) -> bool:
    """Whether the block called `name` drops something when it is mined with what is held in `state`."""
    block = BLOCKS[name]
    return block.level < 0 or (s.tool_kind(state.held) == block.tool and s.tool_level(state.held) >= block.level)


def can_sleep(state: State) -> bool:
    """Whether there are a bed and a night."""
    return state.bedtime and any(item.endswith("_bed") for item in state.bag)


def can_shelter(state: State) -> bool:
    """Whether there are blocks enough for a shelter."""
    return sum(count for item, count in state.bag.items() if item in WALLS) >= SHELTER_BLOCKS
