"""Players that do not weigh the commands: of those that make a thing they take one by a fixed rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentgym.assets.crafting import Recipe
from agentgym.envs.text._textcraft.scene import KINDS, Scene, command, words

LOST = "inventory"  # said where the rule leads in a circle
Rule = Callable[[Sequence[Recipe], frozenset[str]], Recipe]


def _first(makers: Sequence[Recipe], _: frozenset[str]) -> Recipe:
    return makers[0]


def _rawest(makers: Sequence[Recipe], made: frozenset[str]) -> Recipe:
    return max(makers, key=lambda each: sum(need not in made for need, _ in each.needs) / len(each.needs))


def _largest(makers: Sequence[Recipe], _: frozenset[str]) -> Recipe:
    return max(makers, key=lambda each: sum(count for _, count in each.needs))


RULES: Mapping[str, Rule] = {
    "first matching recipe": _first,
    "rawest recipe": _rawest,
    "largest recipe": _largest,
}


def shortcut(name: str, scene: Scene, carried: Mapping[str, int]) -> str:
    """The next command of a player that follows a rule.

    Args:
        name: One of `RULES`.
        scene: What is shown.
        carried: What is carried.
    """
    made = frozenset(each.product for each in scene.shown)
    wanted, count, above = scene.goal, 1, set[str]()
    while True:
        makers = [each for each in scene.shown if _serves(wanted, each.product, made)]
        if not makers:
            return f"get {count} {words(wanted)}"
        recipe = RULES[name](makers, made)
        if recipe.product in above:
            return LOST
        above.add(recipe.product)
        uses: list[tuple[str, int]] = []
        for need, number in recipe.needs:
            had = next((each for each in carried if _serves(need, each, made) and carried[each] >= number), None)
            if had is None:
                wanted, count = need, number
                break
            uses.append((had, number))
        else:
            return command(recipe.product, recipe.count, tuple(uses))


def _serves(need: str, item: str, made: frozenset[str]) -> bool:
    """Whether an item does for an ingredient, by its name alone: a kind is what no command makes under its own name."""
    return item == need or (need in KINDS and need not in made and item.endswith(KINDS[need]))
