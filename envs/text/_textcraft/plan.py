"""Planning with unlimited raw materials: the fewest `get` and `craft` commands that make a thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentgym.assets.crafting import Recipe
from agentgym.envs._kit.recipe_book import FAR, RecipeBook

OPTIONS = 3  # ways to make one thing that are weighed against each other


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do: first all that is gathered, then every crafting with the items that go in, in working order."""

    get: tuple[tuple[str, int], ...]
    craft: tuple[tuple[Recipe, tuple[tuple[str, int], ...]], ...]

    @property
    def length(self) -> int:
        """Commands in all."""
        return len(self.get) + len(self.craft)


@dataclass
class _Choices:
    """The recipe decided for an item and the item decided for a tag, and what that costs."""

    recipe: dict[str, Recipe] = field(default_factory=dict)
    item: dict[str, str] = field(default_factory=dict)

    def extended(self, name: str, way: Recipe | str) -> _Choices:
        """A copy in which `name` is decided too: `way` is the recipe of an item, or the item of a tag."""
        twin = _Choices(dict(self.recipe), dict(self.item))
        if isinstance(way, Recipe):
            twin.recipe[name] = way
        else:
            twin.item[name] = way
        return twin


class Planner:
    """Plans with one book of recipes.

    The search over recipes of items and items of tags is exhaustive up to the `OPTIONS` cheapest of each, plus, for a
    tag, its items that are carried or that the goal needs anyway; for what is chosen, the number of commands is least.
    """

    def __init__(self, book: RecipeBook):
        self.book = book
        self.effort = self._efforts()

    def plan(self, goal: str, carried: Mapping[str, int]) -> Plan | None:
        """The shortest plan found to make one more `goal` out of what is carried; None if there is none.

        Args:
            goal: Name of the item.
            carried: What is at hand, items with counts; unchanged.
        """
        if self.effort.get(goal, FAR) >= FAR:
            return None
        best: Plan | None = None
        open_choices = [_Choices()]
        while open_choices:
            choices = open_choices.pop()
            undecided, plan = self._expand(goal, carried, choices)
            if best is not None and plan.length >= best.length:
                continue  # commands only grow with what is still to be decided
            if undecided is None:
                best = plan
                continue
            ways = self._ways(undecided, carried, choices)
            open_choices.extend(choices.extended(undecided, way) for way in reversed(ways))
        return best

    def _ways(self, name: str, carried: Mapping[str, int], choices: _Choices) -> Sequence[Recipe | str]:
        """What can be decided for a name, cheapest first."""
        if name in self.book.crafted_tags:
            members = sorted(self.book.tags[name], key=lambda item: self.effort.get(item, FAR))
            decided = {need for recipe in choices.recipe.values() for need, _ in recipe.needs} | choices.recipe.keys()
            kept = [item for item in members if self.effort.get(item, FAR) < FAR]
            return [item for place, item in enumerate(kept) if place < OPTIONS or item in carried or item in decided]
        recipes = [each for each in self.book.by_product[name] if self._cost(each) < FAR]
        return sorted(recipes, key=self._cost)[:OPTIONS]

    def _expand(self, goal: str, carried: Mapping[str, int], choices: _Choices) -> tuple[str | None, Plan]:
        """The first undecided name, if any, and the plan as far as it is decided."""
        order: list[str] = []
        undecided = self._order(goal, choices, order, set())
        stock, demand = dict(carried), {goal: carried.get(goal, 0) + 1}
        get: list[tuple[str, int]] = []
        craft: list[tuple[Recipe, tuple[tuple[str, int], ...]]] = []
        for name in reversed(order):
            lacking = demand.get(name, 0) - stock.get(name, 0)
            if lacking <= 0:
                continue
            if name in self.book.gatherable:
                get.append((name, lacking))
                continue
            recipe = choices.recipe.get(name)
            if recipe is None:
                continue
            batches = -(-lacking // recipe.count)
            uses = tuple((self._chosen(need, choices) or need, count) for need, count in recipe.needs)
            craft.extend([(recipe, uses)] * batches)
            for need, count in uses:
                demand[need] = demand.get(need, 0) + count * batches
        get.reverse()
        craft.reverse()
        return undecided, Plan(tuple(get), tuple(craft))

    def _order(self, name: str, choices: _Choices, order: list[str], above: set[str]) -> str | None:
        """Append the decided names below `name`, ingredients first; the first undecided name."""
        if name in order or name in self.book.gatherable or name in above:
            if name not in order:
                order.append(name)
            return None
        if name in self.book.crafted_tags:
            item = choices.item.get(name)
            return name if item is None else self._order(item, choices, order, above)
        recipe = choices.recipe.get(name)
        if recipe is None:
            order.append(name)
            return name
        undecided = None
        for need, _ in recipe.needs:
            found = self._order(need, choices, order, above | {name})
            undecided = undecided or found
        order.append(name)
        return undecided

    def _chosen(self, need: str, choices: _Choices) -> str | None:
        return choices.item.get(need) if need in self.book.crafted_tags else need

    def _cost(self, recipe: Recipe) -> int:
        return 1 + sum(self.effort.get(need, FAR) for need, _ in recipe.needs)

    def _efforts(self) -> dict[str, int]:
        """Commands that each name takes alone, one piece of each ingredient: the order in which ways are tried."""
        effort = dict.fromkeys(self.book.gatherable, 1)
        changed = True
        while changed:
            changed = False
            for recipe in self.book.recipes:
                cost = 1 + sum(effort.get(need, FAR) for need, _ in recipe.needs)
                if cost < effort.get(recipe.product, FAR):
                    effort[recipe.product] = cost
                    changed = True
            for tag, members in self.book.tags.items():
                least = min((effort.get(item, FAR) for item in members), default=FAR)
                if least < effort.get(tag, FAR):
                    effort[tag] = least
                    changed = True
        return effort
