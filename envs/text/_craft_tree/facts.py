"""Facts of the game (Java Edition 1.20): blocks, tools, creatures, food, fuel, smelting, ores by depth, biomes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

WOODS = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak", "mangrove", "cherry")
LEVEL = {"wooden": 0, "golden": 0, "stone": 1, "iron": 2, "diamond": 3}  # what a pickaxe can harvest
NEEDED = ("a wooden pickaxe", "a stone pickaxe", "an iron pickaxe", "a diamond pickaxe")
SPEED = {"wooden": 2, "golden": 12, "stone": 4, "iron": 6, "diamond": 8}
DURABILITY = {"wooden": 59, "golden": 32, "stone": 131, "iron": 250, "diamond": 1561}
SWORD_DAMAGE = {"wooden": 4, "golden": 4, "stone": 5, "iron": 6, "diamond": 7}
AXE_DAMAGE = {"wooden": 7, "golden": 7, "stone": 9, "iron": 9, "diamond": 9}
SHEARS = 238  # uses
ARMOUR = {  # armour points of helmet, chestplate, leggings, boots
    "leather": (1, 3, 2, 1),
    "golden": (2, 5, 3, 1),
    "iron": (2, 6, 5, 2),
    "diamond": (3, 8, 6, 3),
}
PIECES = ("helmet", "chestplate", "leggings", "boots")

DAY = 24_000  # ticks, 20 a second
BEDTIME, NIGHT, DAWN = 12_542, 13_000, 23_000
HEALTH = FOOD = 20


class Block(NamedTuple):
    """What mining a block takes and gives.

    `tool` is the kind that speeds it up; `level` is -1 where bare hands get the drop, otherwise the least level of
    that tool; `low` and `high` bound the number dropped; `hardness` gives the time.
    """

    drop: str
    low: int
    high: int
    tool: str
    level: int
    hardness: float


def _blocks() -> dict[str, Block]:
    found = {f"{wood}_log": Block(f"{wood}_log", 1, 1, "axe", -1, 2.0) for wood in WOODS}
    for name, drop, low, high, level in (
        ("coal", "coal", 1, 1, 0),
        ("copper", "raw_copper", 2, 5, 1),
        ("iron", "raw_iron", 1, 1, 1),
        ("lapis", "lapis_lazuli", 4, 9, 1),
        ("gold", "raw_gold", 1, 1, 2),
        ("redstone", "redstone", 4, 5, 2),
        ("diamond", "diamond", 1, 1, 2),
        ("emerald", "emerald", 1, 1, 2),
    ):
        found[f"{name}_ore"] = Block(drop, low, high, "pickaxe", level, 3.0)
    for name, hardness in (
        ("andesite", 1.5), ("diorite", 1.5), ("granite", 1.5), ("tuff", 1.5), ("sandstone", 0.8),
        ("red_sandstone", 0.8), ("terracotta", 1.25), ("mossy_cobblestone", 2.0),
    ):  # fmt: skip
        found[name] = Block(name, 1, 1, "pickaxe", 0, hardness)
    found["stone"] = Block("cobblestone", 1, 1, "pickaxe", 0, 1.5)
    found["deepslate"] = Block("cobbled_deepslate", 1, 1, "pickaxe", 0, 3.0)
    found["obsidian"] = Block("obsidian", 1, 1, "pickaxe", 3, 50.0)
    found["amethyst_cluster"] = Block("amethyst_shard", 4, 4, "pickaxe", 0, 1.5)
    for name, drop, count in (
        ("dirt", "dirt", 1), ("sand", "sand", 1), ("red_sand", "red_sand", 1), ("gravel", "gravel", 1),
        ("clay", "clay_ball", 4), ("mud", "mud", 1),
    ):  # fmt: skip
        found[name] = Block(drop, count, count, "shovel", -1, 0.6)
    found["snow"] = Block("snowball", 1, 1, "shovel", 0, 0.1)
    for name in (
        "dandelion", "poppy", "azure_bluet", "oxeye_daisy", "cornflower", "allium", "orange_tulip", "red_tulip",
        "white_tulip", "pink_tulip", "lily_of_the_valley", "blue_orchid", "sunflower", "lilac", "rose_bush", "peony",
        "sugar_cane", "red_mushroom", "brown_mushroom", "wheat", "carrot", "potato", "beetroot", "kelp",
        "moss_block",
    ):  # fmt: skip
        found[name] = Block(name, 1, 1, "", -1, 0.0)
    found["cocoa_beans"] = Block("cocoa_beans", 3, 3, "axe", -1, 0.2)
    found["bamboo"] = Block("bamboo", 1, 1, "axe", -1, 1.0)
    found["cactus"] = Block("cactus", 1, 1, "", -1, 0.4)
    found["pumpkin"] = Block("pumpkin", 1, 1, "axe", -1, 1.0)
    found["melon"] = Block("melon_slice", 3, 7, "axe", -1, 1.0)
    found["mangrove_roots"] = Block("mangrove_roots", 1, 1, "axe", -1, 0.7)
    found["sweet_berry_bush"] = Block("sweet_berries", 2, 3, "", -1, 0.0)
    found["vine"] = Block("vine", 1, 1, "shears", 0, 0.2)
    found["bee_nest"] = Block("honeycomb", 3, 3, "shears", 0, 0.0)
    found["cobweb"] = Block("string", 1, 1, "sword", 0, 4.0)
    return found


BLOCKS: Mapping[str, Block] = MappingProxyType(_blocks())
FLINT = 10  # one gravel in ten gives a flint in place of itself


class Creature(NamedTuple):
    """Health, damage of a blow (0 for peaceful ones), and drops as (item, low, high)."""

    health: int
    damage: int
    drops: tuple[tuple[str, int, int], ...]


CREATURES: Mapping[str, Creature] = MappingProxyType(
    {
        "cow": Creature(10, 0, (("beef", 1, 3), ("leather", 0, 2))),
        "pig": Creature(10, 0, (("porkchop", 1, 3),)),
        "sheep": Creature(8, 0, (("mutton", 1, 2), ("white_wool", 1, 1))),
        "chicken": Creature(4, 0, (("chicken", 1, 1), ("feather", 0, 2))),
        "rabbit": Creature(3, 0, (("rabbit", 0, 1), ("rabbit_hide", 0, 1))),
        "squid": Creature(10, 0, (("ink_sac", 1, 3),)),
        "glow_squid": Creature(10, 0, (("glow_ink_sac", 1, 3),)),
        "slime": Creature(16, 4, (("slime_ball", 0, 2),)),
        "zombie": Creature(20, 3, (("rotten_flesh", 0, 2),)),
        "skeleton": Creature(20, 4, (("bone", 0, 2), ("arrow", 0, 2))),
        "spider": Creature(16, 2, (("string", 0, 2), ("spider_eye", 0, 1))),
        "creeper": Creature(20, 8, (("gunpowder", 0, 2),)),
        "enderman": Creature(40, 7, (("ender_pearl", 0, 1),)),
    }
)
NIGHT_CREATURES = ("zombie", "skeleton", "spider", "creeper")
BURNING = frozenset({"zombie", "skeleton"})  # gone from the surface at daylight

FOODS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {  # food and, rounded, saturation
        "bread": (5, 6), "cooked_beef": (8, 13), "cooked_porkchop": (8, 13), "cooked_mutton": (6, 10),
        "cooked_chicken": (6, 7), "cooked_rabbit": (5, 6), "baked_potato": (5, 6), "beef": (3, 2), "porkchop": (3, 2),
        "mutton": (2, 1), "rabbit": (3, 2), "carrot": (3, 4), "potato": (1, 1), "beetroot": (1, 1),
        "melon_slice": (2, 1), "sweet_berries": (2, 0), "cookie": (2, 0), "pumpkin_pie": (8, 5),
        "dried_kelp": (1, 1), "mushroom_stew": (6, 7), "rabbit_stew": (10, 12), "beetroot_soup": (6, 7),
        "golden_carrot": (6, 14),
    }
)  # fmt: skip

SMELTING: Mapping[str, str] = MappingProxyType(
    {
        "raw_iron": "iron_ingot", "raw_gold": "gold_ingot", "raw_copper": "copper_ingot", "sand": "glass",
        "red_sand": "glass", "cobblestone": "stone", "stone": "smooth_stone", "cobbled_deepslate": "deepslate",
        "clay_ball": "brick", "clay": "terracotta", "sandstone": "smooth_sandstone",
        "red_sandstone": "smooth_red_sandstone", "stone_bricks": "cracked_stone_bricks",
        "deepslate_bricks": "cracked_deepslate_bricks", "deepslate_tiles": "cracked_deepslate_tiles",
        "cactus": "green_dye", "kelp": "dried_kelp", "potato": "baked_potato", "beef": "cooked_beef",
        "porkchop": "cooked_porkchop", "mutton": "cooked_mutton", "chicken": "cooked_chicken",
        "rabbit": "cooked_rabbit", "quartz_block": "smooth_quartz", "wet_sponge": "sponge",
        **{f"{wood}_log": "charcoal" for wood in WOODS},
        **{
            f"{color}_terracotta": f"{color}_glazed_terracotta"
            for color in (
                "white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "light_gray", "cyan",
                "purple", "blue", "brown", "green", "red", "black",
            )
        },
    }
)  # fmt: skip
SMELT_TICKS = 200

FUEL: Mapping[str, int] = MappingProxyType(
    {  # burning time in ticks; one item smelts in 200
        "lava_bucket": 20_000, "coal_block": 16_000, "dried_kelp_block": 4_000, "coal": 1_600, "charcoal": 1_600,
        "stick": 100, "bamboo": 50, "bowl": 100, "crafting_table": 300, "chest": 300, "bookshelf": 300,
        "wooden_pickaxe": 200, "wooden_axe": 200, "wooden_shovel": 200, "wooden_hoe": 200, "wooden_sword": 200,
        **{f"{wood}_log": 300 for wood in WOODS},
        **{f"{wood}_planks": 300 for wood in (*WOODS, "bamboo")},
        **{f"{wood}_slab": 150 for wood in (*WOODS, "bamboo")},
    }
)  # fmt: skip

STATIONS = ("crafting_table", "furnace")
WALLS = frozenset(
    {"dirt", "cobblestone", "cobbled_deepslate", "stone", "sandstone", "andesite", "diorite", "granite", "tuff"}
    | {f"{wood}_planks" for wood in (*WOODS, "bamboo")}
    | {f"{wood}_log" for wood in WOODS}
)

HEIGHTS = (64, 40, 16, -16, -40, -58)  # y of the surface and of the levels below it
STAIRS = (0, 24, 24, 32, 24, 18)  # blocks between a level and the one above it
TUNNEL = 16  # blocks of a tunnel dug to explore a level

# Finds per tunnel of 16 blocks: (block or creature, chance in 256, low, high), by level; ores as they lie since 1.18.
DEPTHS: tuple[tuple[tuple[str, int, int, int], ...], ...] = (
    (),
    (
        ("coal_ore", 150, 4, 14), ("copper_ore", 110, 4, 12), ("iron_ore", 80, 2, 7), ("gravel", 60, 8, 20),
        ("andesite", 60, 10, 30), ("diorite", 60, 10, 30), ("granite", 60, 10, 30), ("dirt", 40, 8, 20),
        ("spider", 24, 1, 1), ("zombie", 24, 1, 2), ("skeleton", 20, 1, 1), ("creeper", 14, 1, 1),
        ("cobweb", 16, 3, 8), ("mossy_cobblestone", 12, 6, 20), ("moss_block", 14, 6, 16),
    ),
    (
        ("iron_ore", 150, 3, 9), ("coal_ore", 80, 4, 10), ("copper_ore", 60, 3, 9), ("lapis_ore", 40, 2, 5),
        ("gold_ore", 26, 2, 5), ("andesite", 50, 10, 30), ("diorite", 50, 10, 30), ("granite", 50, 10, 30),
        ("spider", 26, 1, 1), ("zombie", 26, 1, 2), ("skeleton", 24, 1, 2), ("creeper", 18, 1, 1),
        ("cobweb", 22, 3, 10), ("amethyst_cluster", 14, 3, 8), ("water", 40, 1, 1), ("glow_squid", 20, 1, 3),
        ("moss_block", 14, 6, 16), ("mossy_cobblestone", 12, 6, 20),
    ),
    (
        ("gold_ore", 80, 3, 7), ("iron_ore", 70, 3, 7), ("lapis_ore", 60, 2, 6), ("redstone_ore", 60, 3, 7),
        ("diamond_ore", 14, 1, 3), ("tuff", 60, 10, 30), ("amethyst_cluster", 18, 3, 8), ("lava", 30, 1, 1),
        ("spider", 24, 1, 2), ("zombie", 28, 1, 2), ("skeleton", 28, 1, 2), ("creeper", 20, 1, 1),
        ("enderman", 8, 1, 1), ("water", 30, 1, 1), ("glow_squid", 18, 1, 3),
    ),
    (
        ("redstone_ore", 110, 3, 8), ("gold_ore", 50, 2, 6), ("iron_ore", 40, 2, 5), ("lapis_ore", 30, 2, 5),
        ("diamond_ore", 40, 1, 4), ("tuff", 60, 10, 30), ("lava", 70, 1, 2), ("obsidian", 24, 2, 6),
        ("zombie", 28, 1, 2), ("skeleton", 28, 1, 2), ("creeper", 22, 1, 1), ("enderman", 10, 1, 1),
    ),
    (
        ("redstone_ore", 150, 4, 8), ("diamond_ore", 90, 1, 6), ("gold_ore", 24, 1, 4), ("lapis_ore", 14, 1, 4),
        ("tuff", 60, 10, 30), ("lava", 110, 1, 3), ("obsidian", 40, 2, 8), ("iron_ore", 20, 1, 4),
        ("zombie", 28, 1, 2), ("skeleton", 28, 1, 2), ("creeper", 24, 1, 1), ("enderman", 12, 1, 1),
    ),
)  # fmt: skip
PLENTY = 1_000_000  # what a level or a biome is made of does not run out


class Biome(NamedTuple):
    """What is in sight on arrival, and what exploring finds: (name, weight, low, high)."""

    sight: tuple[tuple[str, int], ...]
    finds: tuple[tuple[str, int, int, int], ...]


_PASTURE = (("cow", 5, 2, 4), ("sheep", 6, 2, 4), ("pig", 4, 2, 4), ("chicken", 4, 2, 4))
_VILLAGE = (("wheat", 4, 8, 20), ("carrot", 3, 4, 10), ("potato", 3, 4, 10), ("beetroot", 3, 4, 10))
BIOMES: Mapping[str, Biome] = MappingProxyType(
    {
        "forest": Biome(
            (("oak_log", 48), ("birch_log", 16), ("dirt", PLENTY)),
            (*_PASTURE, ("poppy", 3, 2, 5), ("dandelion", 3, 2, 5), ("rose_bush", 3, 1, 3), ("lilac", 3, 1, 3),
             ("peony", 3, 1, 3), ("brown_mushroom", 2, 1, 3), ("bee_nest", 2, 1, 2), ("oak_log", 4, 16, 32)),
        ),
        "birch forest": Biome(
            (("birch_log", 60), ("dirt", PLENTY)),
            (*_PASTURE, ("lily_of_the_valley", 4, 2, 5), ("lilac", 3, 1, 3), ("peony", 3, 1, 3),
             ("rose_bush", 3, 1, 3), ("bee_nest", 3, 1, 2), ("birch_log", 4, 16, 32)),
        ),
        "dark forest": Biome(
            (("dark_oak_log", 64), ("oak_log", 8), ("dirt", PLENTY)),
            (("red_mushroom", 5, 3, 8), ("brown_mushroom", 5, 3, 8), ("rose_bush", 3, 1, 3), ("sheep", 3, 2, 4),
             ("cow", 3, 2, 4), ("pumpkin", 1, 3, 8), ("dark_oak_log", 4, 16, 32)),
        ),
        "plains": Biome(
            (("oak_log", 8), ("dirt", PLENTY)),
            (*_PASTURE, *_VILLAGE, ("dandelion", 3, 3, 7), ("poppy", 3, 3, 7), ("azure_bluet", 2, 2, 5),
             ("oxeye_daisy", 2, 2, 5), ("cornflower", 2, 2, 5), ("sunflower", 2, 2, 5), ("water", 2, 1, 1)),
        ),
        "flower forest": Biome(
            (("oak_log", 24), ("birch_log", 12), ("dirt", PLENTY)),
            (("allium", 4, 3, 7), ("orange_tulip", 3, 3, 7), ("red_tulip", 3, 3, 7), ("white_tulip", 3, 3, 7),
             ("pink_tulip", 3, 3, 7), ("cornflower", 3, 3, 7), ("oxeye_daisy", 3, 3, 7), ("azure_bluet", 3, 3, 7),
             ("bee_nest", 4, 1, 3), ("rabbit", 4, 1, 3)),
        ),
        "taiga": Biome(
            (("spruce_log", 56), ("dirt", PLENTY)),
            (("rabbit", 5, 1, 3), ("sheep", 4, 2, 4), ("chicken", 3, 2, 4), ("sweet_berry_bush", 5, 2, 5),
             ("pumpkin", 3, 2, 6), ("brown_mushroom", 2, 1, 3), ("spruce_log", 4, 16, 32), *_VILLAGE),
        ),
        "snowy plains": Biome(
            (("snow", PLENTY), ("spruce_log", 8), ("dirt", PLENTY)),
            (("rabbit", 6, 1, 3), ("sheep", 3, 1, 3), ("spruce_log", 4, 6, 12), ("water", 2, 1, 1)),
        ),
        "savanna": Biome(
            (("acacia_log", 30), ("dirt", PLENTY)),
            (*_PASTURE, ("poppy", 2, 1, 4), *_VILLAGE, ("acacia_log", 4, 10, 20)),
        ),
        "jungle": Biome(
            (("jungle_log", 60), ("vine", 40), ("dirt", PLENTY)),
            (("bamboo", 6, 12, 40), ("cocoa_beans", 6, 2, 6), ("melon", 6, 2, 6), ("pig", 3, 2, 4),
             ("chicken", 4, 2, 4), ("jungle_log", 4, 16, 32), ("mossy_cobblestone", 2, 10, 40)),
        ),
        "swamp": Biome(
            (("oak_log", 20), ("vine", 30), ("water", PLENTY), ("dirt", PLENTY)),
            (("blue_orchid", 6, 2, 6), ("clay", 6, 6, 16), ("sugar_cane", 5, 3, 10), ("slime", 4, 1, 3),
             ("red_mushroom", 3, 1, 4), ("brown_mushroom", 3, 1, 4), ("pumpkin", 1, 2, 6)),
        ),
        "mangrove swamp": Biome(
            (("mangrove_log", 40), ("mud", PLENTY), ("mangrove_roots", 40), ("water", PLENTY), ("vine", 20)),
            (("slime", 4, 1, 3), ("sugar_cane", 4, 3, 8), ("bee_nest", 2, 1, 2), ("clay", 3, 6, 16)),
        ),
        "cherry grove": Biome(
            (("cherry_log", 40), ("dirt", PLENTY)),
            (("sheep", 6, 2, 5), ("pig", 4, 2, 4), ("rabbit", 3, 1, 3), ("bee_nest", 3, 1, 2),
             ("cherry_log", 4, 12, 24)),
        ),
        "desert": Biome(
            (("sand", PLENTY), ("sandstone", PLENTY), ("cactus", 12)),
            (("rabbit", 5, 1, 3), ("cactus", 6, 4, 10), ("sugar_cane", 2, 3, 8), *_VILLAGE, ("water", 2, 1, 1)),
        ),
        "badlands": Biome(
            (("red_sand", PLENTY), ("terracotta", PLENTY), ("red_sandstone", PLENTY)),
            (("gold_ore", 5, 2, 6), ("cactus", 5, 3, 8), ("rabbit", 3, 1, 2), ("sugar_cane", 2, 2, 6)),
        ),
        "windswept hills": Biome(
            (("stone", PLENTY), ("spruce_log", 12), ("coal_ore", 10), ("dirt", PLENTY)),
            (("coal_ore", 6, 5, 14), ("iron_ore", 5, 2, 6), ("emerald_ore", 4, 1, 2), ("sheep", 4, 2, 4),
             ("gravel", 4, 8, 20), ("snow", 2, 20, 40), ("copper_ore", 3, 4, 10)),
        ),
        "beach": Biome(
            (("sand", PLENTY), ("water", PLENTY), ("gravel", 40)),
            (("kelp", 6, 8, 24), ("squid", 6, 1, 4), ("clay", 4, 6, 16), ("sugar_cane", 5, 3, 9)),
        ),
    }
)  # fmt: skip
