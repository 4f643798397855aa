"""A book of crafting recipes: what makes what, how deep a thing stands in the tree, what must be gathered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from agentgym.assets.crafting import Recipe
from agentgym.core.errors import DataError

FAR = 10**6  # depth of what cannot be made


class RecipeBook:
    """Recipes and tags, with what follows from them; immutable and shared.

    A tag stands for any one of its items. A tag none of whose items can be crafted may be gathered under its own name,
    as in TextCraft (Prasad et al. 2024), besides its items under theirs.

    Args:
        recipes: All recipes; the order is kept.
        tags: Items of each tag.
        others: Items that no recipe names but that exist.

    Raises:
        DataError: if a name is both a product and a tag, or a recipe uses a tag without items.
    """

    def __init__(self, recipes: Sequence[Recipe], tags: Mapping[str, Sequence[str]], others: Iterable[str] = ()):
        self.recipes = tuple(recipes)
        self.tags = {name: tuple(members) for name, members in tags.items()}
        self.by_product: dict[str, list[Recipe]] = {}
        self.uses: dict[str, list[Recipe]] = {}
        for recipe in self.recipes:
            self.by_product.setdefault(recipe.product, []).append(recipe)
            for name, _ in recipe.needs:
                self.uses.setdefault(name, []).append(recipe)
        both = sorted(self.by_product.keys() & self.tags.keys())
        if both:
            raise DataError(f"{both[0]!r} is both a tag and the product of a recipe; give the tag another name")
        self.crafted_tags = frozenset(
            tag for tag, members in self.tags.items() if any(item in self.by_product for item in members)
        )
        named = {name for recipe in self.recipes for name, _ in recipe.needs} | set(others)
        named |= {item for members in self.tags.values() for item in members}
        self.gatherable = frozenset(named - self.by_product.keys() - self.crafted_tags)

    def fits(self, need: str, item: str) -> bool:
        """Whether `item` satisfies an ingredient, `need`, which may be a tag."""
        return need == item or item in self.tags.get(need, ())

    def makers(self, name: str) -> list[Recipe]:
        """The recipes of an item, or of every item of a tag."""
        if name in self.tags:
            return [recipe for item in self.tags[name] for recipe in self.by_product.get(item, ())]
        return self.by_product.get(name, [])

    @cached_property
    def depth(self) -> dict[str, int]:
        """Depth of every name: 0 if gathered, otherwise the least, over its recipes, of the deepest ingredient plus 1.

        `FAR` or more for what cannot be made.
        """
        depth = dict.fromkeys(self.gatherable, 0)
        changed = True
        while changed:  # recipes may go round in a circle; the least depths never do
            changed = False
            for recipe in self.recipes:
                reached = 1 + max(depth.get(name, FAR) for name, _ in recipe.needs)
                if reached < depth.get(recipe.product, FAR):
                    depth[recipe.product] = reached
                    changed = True
            for tag, members in self.tags.items():
                least = min((depth.get(item, FAR) for item in members), default=FAR)
                if least < depth.get(tag, FAR):
                    depth[tag] = least
                    changed = True
        return depth

    def tree(self, goal: str) -> list[Recipe]:
        """Every recipe that may take part in making `goal`, in order of discovery."""
        seen, queue, found = {goal}, [goal], []
        for name in queue:
            for recipe in self.makers(name):
                found.append(recipe)
                for need, _ in recipe.needs:
                    if need not in seen:
                        seen.add(need)
                        queue.append(need)
                seen.add(recipe.product)
        return list(dict.fromkeys(found))
