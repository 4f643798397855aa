"""What a TextCraft task determines: commands shown, turn limit, stages of progress, and what the expert reads."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agentgym.assets.crafting import Recipe
from agentgym.core.tasks import cut_by_hash
from agentgym.envs._kit.recipe_book import FAR, RecipeBook
from agentgym.envs.text._textcraft.circles import circles, without_circles
from agentgym.envs.text._textcraft.plan import Plan, Planner

SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}
EASY = {"train": 0.9, "val": 0.05, "test": 0.05}  # of goals of depth 1, which show less of who reads
LEAST_TURNS = 30  # the longest limit in use for TextCraft (AgentGym-RL); longer goals get twice their plan
KINDS = {"planks": "_planks", "wool": "_wool", "wooden_slabs": "_slab"}  # words that name a kind, not an item


def words(name: str) -> str:
    """A name as it is shown: `oak_planks` is `oak planks`."""
    return name.replace("_", " ")


def command(product: str, count: int, uses: tuple[tuple[str, int], ...]) -> str:
    """A crafting command in words: `count` pieces of `product` out of what it `uses`, names with counts."""
    return f"craft {count} {words(product)} using " + ", ".join(f"{number} {words(name)}" for name, number in uses)


@dataclass(frozen=True, eq=False)
class Scene:
    """What is fixed while one goal is played.

    Attributes:
        goal: The item to craft.
        shown: The recipes shown, in the order shown.
        text: The first observation.
        turns: The turn limit.
        stages: For each kind of crafting in a shortest plan, the items that count as that stage.
        gets: Gathering commands that the recipes shown suggest.
        circles: Those recipes shown that are in no book.
        between: What stands between the two ends of a circle, which nothing else makes.
        reading: The planner of a player that knows the recipes shown and nothing else.
    """

    goal: str
    shown: tuple[Recipe, ...]
    text: str
    turns: int
    stages: tuple[frozenset[str], ...]
    gets: tuple[str, ...]
    circles: tuple[Recipe, ...]
    between: frozenset[str]
    reading: Planner


@lru_cache(maxsize=8)
def planner(book: RecipeBook) -> Planner:
    """The planner of a book, made once."""
    return Planner(book)


@lru_cache(maxsize=65_536)
def plan(player: Planner, goal: str, carried: frozenset[tuple[str, int]]) -> Plan | None:
    """A plan of `player` for `goal` with what is `carried`, items with counts, remembered."""
    return player.plan(goal, dict(sorted(carried)))


@lru_cache(maxsize=32)
def goals(book: RecipeBook, depths: tuple[int, ...] | None) -> dict[str, list[str]]:
    """The goals of each split: everything that can be crafted, each depth cut on its own, in order of stable hash.

    Args:
        book: The recipes.
        depths: Those that count, 1 for what is made of raw materials alone; None for all.
    """
    by_depth: dict[int, list[str]] = {}
    for item in sorted(book.by_product):
        depth = book.depth.get(item, FAR)
        if depth < FAR and (depths is None or depth in depths):
            by_depth.setdefault(depth, []).append(item)
    cut: dict[str, list[str]] = {split: [] for split in SHARES}
    for depth in sorted(by_depth):
        for split, items in cut_by_hash(by_depth[depth], EASY if depth == 1 else SHARES).items():
            cut[split].extend(items)
    return {split: cut_by_hash(items, {"all": 1.0})["all"] for split, items in cut.items()}


@lru_cache(maxsize=4096)
def scene(book: RecipeBook, goal: str, draw: int, distractors: int, decoys: int) -> Scene:
    """The scene of a goal.

    Args:
        book: The recipes.
        goal: An item that can be crafted.
        draw: Seeds the distractors, the circles and the order of the commands.
        distractors: Most recipes shown that share an ingredient with the goal's tree and do not belong to it.
        decoys: Circles shown that end in the goal: recipes that make it out of things that are made out of it.
    """
    shortest = plan(planner(book), goal, frozenset())
    if shortest is None:
        raise ValueError(f"{goal!r} cannot be crafted")
    shown, loops = _shown(book, goal, draw, distractors, decoys)
    lines = "\n".join(command(each.product, each.count, each.needs) for each in shown)
    needs = {need for each in shown for need in each.needs}
    gets = sorted({f"get {count} {words(name)}" for name, count in needs if name in book.gatherable})
    return Scene(
        goal,
        shown,
        f"Crafting commands:\n{lines}\n\nGoal: craft {words(goal)}.",
        max(LEAST_TURNS, 2 * shortest.length),
        tuple(dict.fromkeys(_stage(book, each.product) for each, _ in shortest.craft)),
        tuple(gets),
        loops,
        frozenset(each.product for each in loops) - {each.product for each in book.tree(goal)},
        Planner(without_circles(_read(shown)) if loops else _read(shown)),
    )


def _shown(
    book: RecipeBook, goal: str, draw: int, distractors: int, decoys: int
) -> tuple[tuple[Recipe, ...], tuple[Recipe, ...]]:
    """The goal's tree, some recipes that share an ingredient with it, and circles, shuffled; the circles alone."""
    rng = np.random.default_rng([int.from_bytes(hashlib.sha256(goal.encode()).digest()[:8], "big"), draw])
    tree = book.tree(goal)
    lines = {(each.product, each.needs) for each in tree}
    near: dict[tuple[str, tuple[tuple[str, int], ...]], Recipe] = {}
    for each in tree:
        for need, _ in each.needs:
            for other in book.uses[need]:
                if (other.product, other.needs) not in lines:
                    near[other.product, other.needs] = other
    others = list(near.values())
    picked = rng.choice(len(others), min(distractors, len(others)), replace=False).tolist() if others else []
    together = [*tree, *(others[place] for place in picked)]
    loops = circles(book, goal, tree, together, decoys, rng)
    together += loops
    return tuple(together[int(place)] for place in rng.permutation(len(together))), loops


def _stage(book: RecipeBook, product: str) -> frozenset[str]:
    """The items that do as well as `product`: those of its crafted tags."""
    return frozenset({product}.union(*(book.tags[tag] for tag in sorted(book.crafted_tags) if book.fits(tag, product))))


def _read(shown: tuple[Recipe, ...]) -> RecipeBook:
    """The book as the commands shown tell it: what has no command is gathered, unless its name is that of a kind."""
    products = dict.fromkeys(each.product for each in shown)
    tags = {}
    for kind, ending in KINDS.items():
        members = [each.product for each in shown if each.product.endswith(ending)]
        if kind == "wooden_slabs":
            wooden = {each.product for each in shown if each.needs[0][0].endswith("_planks")}
            members = [item for item in members if item in wooden]
        if members and kind not in products:
            tags[kind] = tuple(dict.fromkeys(members))
    return RecipeBook(shown, tags)
