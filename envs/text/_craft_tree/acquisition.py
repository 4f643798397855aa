"""How everything in this world is had: mined, hunted, filled, crafted or smelted; and what that takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from agentgym.assets.crafting import load_recipes
from agentgym.envs._kit.recipe_book import RecipeBook
from agentgym.envs.text._craft_tree.facts import BIOMES, BLOCKS, CREATURES, DEPTHS, PLENTY, SMELTING, WOODS

FAR = 1e9
TIERS = ("wood", "stone", "iron", "diamond", "beyond")
PICKAXES = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
FILLED = {"water": "water_bucket", "lava": "lava_bucket", "cow": "milk_bucket"}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to have an item.

    Attributes:
        kind: `mine`, `attack`, `fill`, `craft` or `smelt`.
        source: The block, creature or liquid; for the others the item itself.
        count: How many one action of it gives on average; exact for recipes.
        needs: What is used up: items or tags with numbers.
        tools: What must be at hand and stays: tools and stations.
        under: Whether the source lies underground only.
    """

    kind: str
    source: str
    count: float
    needs: tuple[tuple[str, int], ...]
    tools: tuple[str, ...]
    under: bool = False


@cache
def book() -> RecipeBook:
    """The shared crafting recipes."""
    facts = load_recipes()
    return RecipeBook(facts.recipes, facts.tags)


@cache
def lairs() -> dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]]:
    """Where each block, creature or liquid is: biomes that show it, biomes that hide it, levels that hide it."""
    names = {*BLOCKS, *CREATURES, "water", "lava"}
    found = {}
    for name in sorted(names):
        shown = tuple(biome for biome, each in BIOMES.items() if any(item == name for item, _ in each.sight))
        hidden = tuple(biome for biome, each in BIOMES.items() if any(row[0] == name for row in each.finds))
        levels = [level for level, table in enumerate(DEPTHS) if any(row[0] == name for row in table)]
        if name == "stone":
            levels = [1, 2]
        if name == "deepslate":
            levels = [3, 4, 5]
        found[name] = (shown, hidden, tuple(levels))
    return found


def tool_for(kind: str, level: int) -> str:
    """The least tool of a `kind`, such as `axe`, that harvests `level`, which only a pickaxe depends on."""
    if kind == "pickaxe":
        return PICKAXES[level]
    return "shears" if kind == "shears" else f"wooden_{kind}"


@cache
def ways() -> dict[str, tuple[Way, ...]]:
    """Every way to have each item."""
    found: dict[str, list[Way]] = {}
    where = lairs()
    for name, block in BLOCKS.items():
        shown, hidden, levels = where[name]
        under = not shown and not hidden and bool(levels)
        tools = [tool_for(block.tool, block.level)] if block.level >= 0 else []
        if under and block.tool != "pickaxe":
            tools.append("wooden_pickaxe")
        found.setdefault(block.drop, []).append(
            Way("mine", name, (block.low + block.high) / 2, (), tuple(tools), under)
        )
    found["flint"] = [Way("mine", "gravel", 0.1, (), ())]
    for name, creature in CREATURES.items():
        shown, hidden, levels = where[name]
        under = not shown and not hidden and bool(levels)
        for item, low, high in creature.drops:
            tools_of = (("stone_sword",) if creature.damage else ()) + (("wooden_pickaxe",) if under else ())
            found.setdefault(item, []).append(Way("attack", name, (low + high) / 2, (), tools_of, under))
    for source, item in FILLED.items():
        tools_of = ("wooden_pickaxe",) if source == "lava" else ()
        found.setdefault(item, []).append(Way("fill", source, 1, (("bucket", 1),), tools_of, source == "lava"))
    for recipe in book().recipes:
        stations = () if recipe.by_hand else ("crafting_table",)
        found.setdefault(recipe.product, []).append(Way("craft", recipe.product, recipe.count, recipe.needs, stations))
    for raw, product in SMELTING.items():
        found.setdefault(product, []).append(Way("smelt", raw, 1, ((raw, 1),), ("furnace",)))
    return {item: tuple(each) for item, each in found.items()}


def _trouble(source: str) -> tuple[float, float]:
    """Actions to find a source, and how many are found at once."""
    shown, hidden, levels = lairs()[source]
    best = (FAR, 1.0)
    for biome in shown:
        amount = next(count for item, count in BIOMES[biome].sight if item == source)
        best = min(best, (10 / len(shown), min(amount, 64)))
    for biome in hidden:
        table = BIOMES[biome].finds
        total = sum(row[1] for row in table)
        row = next(row for row in table if row[0] == source)
        best = min(best, (10 / len(hidden) + total / (2 * row[1]), (row[2] + row[3]) / 2))
    for level in levels:
        rows = [row for row in DEPTHS[level] if row[0] == source]
        best = min(
            best, (2 * level + (256 / rows[0][1] if rows else 0), (rows[0][2] + rows[0][3]) / 2 if rows else PLENTY)
        )
    return best


@dataclass(frozen=True, eq=False)
class Book:
    """The cheapest way of everything when one kind of wood is at hand.

    `effort` grows from ingredients and tools to what is made of them, so its order is a working order.
    """

    best: dict[str, Way]
    effort: dict[str, float]
    kind: dict[str, str]


@cache
def guide(wood: str) -> Book:
    """The cheapest ways for a kind of wood."""
    effort: dict[str, float] = {}
    best: dict[str, Way] = {}
    kind: dict[str, str] = {}
    sources: dict[str, tuple[float, float]] = {}
    changed = True
    while changed:
        changed = False
        for item, each in ways().items():
            for way in each:
                cost = _effort(way, effort, sources, wood)
                if cost < effort.get(item, FAR) - 1e-9:
                    effort[item], best[item] = cost, way
                    changed = True
        for tag, members in book().tags.items():
            for item in members:
                if effort.get(item, FAR) + 1e-4 < effort.get(tag, FAR) - 1e-9:
                    effort[tag], kind[tag] = effort[item] + 1e-4, item
                    changed = True
    return Book(best, effort, kind)


def _effort(way: Way, effort: dict[str, float], sources: dict[str, tuple[float, float]], wood: str) -> float:
    needs = sum(effort.get(name, FAR) * count for name, count in way.needs)
    tools = max((effort.get(name, FAR) for name in way.tools), default=0.0)
    if needs >= FAR or tools >= FAR:
        return FAR
    own = 0.05
    if way.kind in ("mine", "attack", "fill"):
        if way.source not in sources:
            sources[way.source] = _trouble(way.source)
        search, amount = sources[way.source]
        if search >= FAR:
            return FAR
        if way.source.endswith("_log") and way.source != f"{wood}_log":
            search += 20
        own += search / min(amount, 8) + (1.0 if way.kind == "attack" and CREATURES[way.source].damage else 0.2)
    return max(
        (needs + own) / way.count + 1e-3, tools + 1e-3, max((effort[name] for name, _ in way.needs), default=0) + 1e-3
    )


@cache
def obtainable() -> tuple[str, ...]:
    """Every item that can be had in this world, in alphabetical order."""
    return tuple(sorted(item for item in guide(WOODS[0]).best))


@cache
def chain(goal: str) -> tuple[frozenset[str], ...]:
    """The items on the way to a goal, cheapest first; each with those that do as well, such as other woods."""
    cheap = guide(WOODS[0])
    seen, queue = {goal}, [goal]
    for name in queue:
        way = cheap.best[name]
        for need in (*(need for need, _ in way.needs), *way.tools):
            item = cheap.kind.get(need, need)
            if item not in seen:
                seen.add(item)
                queue.append(item)
    ordered = sorted(seen, key=lambda item: (cheap.effort[item], item))
    return tuple(dict.fromkeys(_alike(item, goal) for item in ordered))


def _alike(item: str, goal: str) -> frozenset[str]:
    tags = ("planks", "logs", "coals", "stone_tool_materials")
    return frozenset({item}.union(*(book().tags[tag] for tag in tags if item in book().tags[tag] and item != goal)))


@cache
def tier(goal: str) -> int:
    """The place in `TIERS`: 0 if no pickaxe is needed, 1 for a wooden one, up to 4 for a diamond one."""
    steps = {item for step in chain(goal) for item in step} - {goal}
    return max((place + 1 for place, pickaxe in enumerate(PICKAXES) if pickaxe in steps), default=0)


@cache
def goals() -> tuple[tuple[str, ...], ...]:
    """The goals of each tier."""
    sorted_in: list[list[str]] = [[] for _ in TIERS]
    for item in obtainable():
        sorted_in[tier(item)].append(item)
    return tuple(tuple(each) for each in sorted_in)
