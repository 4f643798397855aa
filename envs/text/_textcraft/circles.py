"""Commands that lead in a circle: they make a thing out of what takes that very thing to make."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from agentgym.assets.crafting import Recipe
from agentgym.envs._kit.recipe_book import RecipeBook

OTHERS = 4  # things of the tree beside the goal that get one circle each
LENGTHS = (2, 3)  # commands of a circle
MOST = 9  # pieces of a thing that go in or come out at once


def circles(
    book: RecipeBook, goal: str, tree: Sequence[Recipe], shown: Sequence[Recipe], count: int, rng: np.random.Generator
) -> tuple[Recipe, ...]:
    """Commands that make the goal, and some things on its tree, out of things that are made out of them.

    What goes round comes back at most as it was, so that nothing is gained by it. The things in between are in no other
    command that is shown. The command that ends a circle has the shape of one on the tree: as many ingredients, in such
    numbers.

    Args:
        book: All recipes.
        goal: The item to craft.
        tree: The recipes that may take part in making it.
        shown: All others that are shown, the tree's included.
        count: Circles that end in the goal.
        rng: Draws them.
    """
    if not count:
        return ()
    inner = sorted({each.product for each in tree} - {goal})
    picked = [inner[place] for place in sorted(rng.permutation(len(inner))[:OTHERS].tolist())]
    raw = sorted({need for each in tree for need, _ in each.needs if need in book.gatherable})
    free = _free(book, shown)
    found: list[Recipe] = []
    for target in (*[goal] * count, *picked):
        between = _between(target, free, int(rng.choice(LENGTHS)) - 1, rng)
        free = [name for name in free if name not in between]
        own, shape = (options[int(rng.integers(len(options)))] for options in (book.by_product[target], tree))
        made, (first, *others) = min(own.count, MOST), [number for _, number in shape.needs]
        beside = [(raw[int(place)], number) for place, number in zip(rng.permutation(len(raw)), others, strict=False)]
        found.append(Recipe(target, made, ((between[0], first), *beside)))
        found += [Recipe(name, 1, ((other, 1),)) for name, other in pairwise(between)]
        found.append(Recipe(between[-1], 1, ((target, -(-made // first)),)))
    return tuple(found)


def without_circles(book: RecipeBook) -> RecipeBook:
    """The same book without the recipes that take what cannot be made without their own product."""
    names = {product: _made_without(book, product) for product in book.by_product}
    kept = [each for each in book.recipes if all(need in names[each.product] for need, _ in each.needs)]
    return RecipeBook(kept, book.tags)


def _made_without(book: RecipeBook, product: str) -> set[str]:
    """Every item and kind that can be had although nothing makes one product."""
    had, before = set(book.gatherable), -1
    while len(had) > before:
        before = len(had)
        had |= {
            each.product
            for each in book.recipes
            if each.product != product and all(need in had for need, _ in each.needs)
        }
        had |= {tag for tag, members in book.tags.items() if not had.isdisjoint(members)}
    return had


def _free(book: RecipeBook, shown: Sequence[Recipe]) -> list[str]:
    """Things that must be crafted and that no command shown names, nor any kind of things."""
    named = {each.product for each in shown} | {need for each in shown for need, _ in each.needs}
    kinds = {item for members in book.tags.values() for item in members}
    return sorted(book.by_product.keys() - named - kinds)


def _between(target: str, free: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """Things between the two ends of a circle, such as share a word with the target where there are enough."""
    words = set(target.split("_"))
    alike = [name for name in free if words & set(name.split("_"))]
    among = alike if len(alike) >= 2 * count else free
    return [among[int(place)] for place in rng.permutation(len(among))[:count]]
