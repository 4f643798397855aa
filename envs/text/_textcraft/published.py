"""Reads the published TextCraft recipes (the game's own JSON) by the rules of TextCraft's loader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.assets.crafting import Recipe
from agentgym.core.errors import DataError
from agentgym.envs._kit.recipe_book import RecipeBook

SHAPED, SHAPELESS = "minecraft:crafting_shaped", "minecraft:crafting_shapeless"


def open_book(path: str | Path) -> RecipeBook:
    """The recipes of a file that maps names to recipe objects of the game's data format.

    Raises:
        DataError: if the file is missing, is no JSON object, or holds a recipe of another form.
    """
    file = Path(path).expanduser()
    try:
        stat = file.stat()
    except OSError as error:
        raise DataError(
            f"the recipes cannot be read from '{path}' ({error.strerror}); give the path of TextCraft's recipes.json"
        ) from None
    return _open(str(file.resolve()), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _open(path: str, changed: int, size: int) -> RecipeBook:
    try:
        records = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as JSON ({error}); give the path of TextCraft's recipes.json") from None
    if not isinstance(records, dict) or not records:
        raise DataError(f"{path} must hold a JSON object that maps names to recipes")
    try:
        return _Loader().load(records)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise DataError(
            f"{path} holds a recipe of another form ({type(error).__name__}: {error}); expected the crafting recipes "
            "of the game's data packs"
        ) from None


class _Loader:
    """TextCraft's rules, with names in sorted order so that nothing depends on the order of files.

    Shaped and shapeless crafting alone; the first of alternative ingredients; an item joins the tag named by its
    recipe's group; recipes from one block alone and recipes that close a circle, as far as seen, are left out.
    """

    def __init__(self) -> None:
        self.recipes: list[Recipe] = []
        self.items: set[str] = set()
        self.tags: set[str] = set()
        self.tag_of: dict[str, str] = {}
        self.below: dict[str, set[str]] = {}

    def load(self, records: Mapping[str, Any]) -> RecipeBook:
        """The book of all records."""
        for name in sorted(records):
            if records[name]["type"] in (SHAPED, SHAPELESS):
                self._add(records[name])
        members: dict[str, list[str]] = {tag: [] for tag in sorted(self.tags)}
        for item, tag in self.tag_of.items():
            members[tag].append(item)
        made = {recipe.product for recipe in self.recipes}
        wanted = {name for recipe in self.recipes for name, _ in recipe.needs}
        bare = {tag for tag in wanted & self.tags if not made & set(members[tag])}
        tags = {tag: items for tag, items in members.items() if tag not in bare and tag not in made}
        return RecipeBook(self.recipes, tags, self.items | bare)

    def _add(self, record: Mapping[str, Any]) -> None:
        needs = self._needs(record)
        result = record["result"]
        product = _bare(result if isinstance(result, str) else result["item"])
        count = 1 if isinstance(result, str) else result.get("count", 1)
        self.items.add(product)
        if len(needs) == 1 and next(iter(needs)).endswith("_block"):
            return
        group = record.get("group", product)
        if group != product:
            self.tags.add(group)
            self.tag_of[product] = group
        below = self.below.setdefault(product, set())
        if any(product in self.below.get(name, ()) for name in needs):
            return
        self.recipes.append(Recipe(product, count, tuple(needs.items())))
        for name in needs:
            below.add(name)
            below |= self.below.get(name, set())

    def _needs(self, record: Mapping[str, Any]) -> dict[str, int]:
        """Ingredients with their numbers, noting which are items and which tags."""
        needs: dict[str, int] = {}
        if record["type"] == SHAPED:
            rows = "".join(record["pattern"])
            named = [(wanted, rows.count(letter)) for letter, wanted in record["key"].items()]
        else:
            named = [(wanted, 1) for wanted in record["ingredients"]]
        for wanted, count in named:
            first = wanted[0] if isinstance(wanted, list) else wanted
            is_item = "item" in first
            name = _bare(first["item"] if is_item else first["tag"])
            (self.items if is_item else self.tags).add(name)
            needs[name] = needs.get(name, 0) + count
        return needs


def _bare(name: str) -> str:
    return name.removeprefix("minecraft:")
