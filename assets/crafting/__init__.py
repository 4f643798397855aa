"""Facts of Minecraft (Java Edition 1.20 and 1.21) that the crafting worlds share: recipes and tags.

`recipes.txt` says in its head how it is written. A recipe is a fact: what goes in, what comes out, and whether the
2 x 2 grid that a player carries is enough.

Licence: the tables were written for this project as a list of facts and are under the MIT licence. Minecraft is a
trademark of Mojang Synergies AB; nothing of the game's code, text or art is here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from types import MappingProxyType

from agentgym.core.errors import DataError

__all__ = ["CHECKSUMS", "Facts", "Recipe", "load_recipes", "read_lines"]

CHECKSUMS = {
    "recipes.txt": "b59be0a534dfb81b22972435b43df8583e7d34cb5941c62f41f8b668354205fe",
}
"""SHA-256 of each table; `sha256sum assets/crafting/*.txt` computes them anew."""

_RECIPE = re.compile(r"(?P<hand>hand )?(?P<count>[1-9]\d?) (?P<product>[a-z_]+) = (?P<needs>.+)")
_NEED = re.compile(r"(?P<count>[1-9]) (?P<name>#?[a-z_]+)")


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to craft something.

    Attributes:
        product: The item made.
        count: How many of it one crafting makes.
        needs: What goes in: items or tags, each with its number.
        by_hand: Whether the 2 x 2 grid is enough; otherwise it takes a crafting table.
    """

    product: str
    count: int
    needs: tuple[tuple[str, int], ...]
    by_hand: bool = False


@dataclass(frozen=True)
class Facts:
    """Recipes in the order of the table, and the items of each tag."""

    recipes: tuple[Recipe, ...]
    tags: Mapping[str, tuple[str, ...]]


def read_lines(name: str) -> list[str]:
    """The lines of a shipped table without comments, every `{word}` of its `let` lines spelt out.

    Raises:
        DataError: if the table is missing, does not match its checksum, or uses a word no `let` line explains.
    """
    try:
        data = resources.files(__name__).joinpath(name).read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"the crafting table {name} is missing from the installation; reinstall agentgym-suite"
        ) from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != CHECKSUMS[name]:
        raise DataError(
            f"the crafting table {name} has SHA-256 {digest[:12]}…, expected {CHECKSUMS[name][:12]}…; "
            "reinstall agentgym-suite"
        )
    words: dict[str, list[str]] = {}
    lines: list[str] = []
    for raw in data.decode("utf8").splitlines():
        line = raw.partition("# ")[0].strip()
        if line.startswith("let "):
            word, _, values = line[4:].partition("=")
            words[word.strip()] = values.split()
        elif line and line != "#":
            lines.extend([line] if line.startswith("tag ") else _spelt_out(line, words))
            if line.startswith("tag "):
                head, _, members = line.partition("=")
                lines[-1] = head + "= " + " ".join(item for part in members.split() for item in _spelt_out(part, words))
    return lines


def _spelt_out(line: str, words: Mapping[str, list[str]]) -> Iterator[str]:
    used = sorted(set(re.findall(r"\{(\w+)\}", line)))
    if unknown := [word for word in used if word not in words]:
        raise DataError(f"the crafting line {line!r} uses {{{unknown[0]}}}, which no `let` line explains")
    for values in product(*(words[word] for word in used)):
        said = dict(zip(used, values, strict=True))
        yield line.format_map(said)


@cache
def load_recipes() -> Facts:
    """The shipped crafting recipes.

    Raises:
        DataError: if the table is missing, damaged, or has a line that is no recipe.
    """
    recipes, tags = [], {}
    for line in read_lines("recipes.txt"):
        if line.startswith("tag "):
            name, _, members = line[4:].partition(" = ")
            tags[name] = tuple(members.split())
        else:
            recipes.append(_recipe(line))
    strange = sorted({name[1:] for recipe in recipes for name, _ in recipe.needs if name[0] == "#"} - tags.keys())
    if strange:
        raise DataError(f"the crafting table uses the tag #{strange[0]}, which no `tag` line explains")
    plain = [
        Recipe(each.product, each.count, tuple((name.lstrip("#"), count) for name, count in each.needs), each.by_hand)
        for each in recipes
    ]
    return Facts(tuple(plain), MappingProxyType(tags))


def _recipe(line: str) -> Recipe:
    match = _RECIPE.fullmatch(line)
    needs = [_NEED.fullmatch(part) for part in match["needs"].split(", ")] if match else [None]
    if match is None or None in needs:
        raise DataError(f"the crafting line {line!r} is no recipe; it reads COUNT PRODUCT = COUNT ITEM, COUNT ITEM")
    return Recipe(
        match["product"],
        int(match["count"]),
        tuple((need["name"], int(need["count"])) for need in needs if need is not None),
        match["hand"] is not None,
    )
