"""How the map finds what is searched for, and what addresses of pages name: towns, streets and places."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from agentgym.envs.web._sites.database import Row, Store

FULL = """SELECT places.*, towns.name AS town_name, towns.county, streets.name AS street_name FROM places JOIN towns ON
    towns.id = places.town JOIN streets ON streets.id = street"""
LETTERS = {"p": "place", "s": "street", "t": "town"}


@dataclass(frozen=True)
class Spot:
    """What a search finds: a town, a street or a place.

    Attributes:
        key: As addresses name it, such as `p12`.
        kind: `town`, `street`, or the category of a place.
        name: Of it.
        where: In words, so that it can be told from others of its name.
        node: Where ways begin and end.
        x, y: In meters.
    """

    key: str
    kind: str
    name: str
    where: str
    node: int
    x: int
    y: int

    @property
    def way(self) -> str:
        """The path of its page."""
        return f"/{LETTERS[self.key[0]]}/{self.key[1:]}"

    @property
    def label(self) -> str:
        """Its name, and where it is."""
        return f"{self.name}, {self.where}"


def place_spot(row: Row) -> Spot:
    """A row of `FULL` as what a search finds."""
    where = f"{row['number']} {row['street_name']}, {row['town_name']}"
    return Spot(f"p{row['id']}", row["category"], row["name"], where, row["node"], row["x"], row["y"])


def spot_of(store: Store, key: str) -> Spot | None:
    """What a key such as `p12` names; None if there is nothing.

    Args:
        store: The database.
        key: Of a place, street or town.
    """
    number = key[1:]
    if key[:1] not in LETTERS or not (number.isascii() and number.isdigit() and len(number) < 8):
        return None
    if key[0] == "p":
        row = store.one(f"{FULL} WHERE places.id = ?", number)
        return None if row is None else place_spot(row)
    if key[0] == "t":
        row = store.one("SELECT * FROM towns WHERE id = ?", number)
        return None if row is None else _town(row)
    row = store.one(f"{STREETS} WHERE streets.id = ?", number)
    return None if row is None else _street(row)


STREETS = """SELECT streets.*, towns.name AS town_name, nodes.x, nodes.y FROM streets LEFT JOIN towns ON
    towns.id = streets.town JOIN nodes ON nodes.id = streets.node"""


def _town(row: Row) -> Spot:
    return Spot(f"t{row['id']}", "town", row["name"], row["county"], row["node"], row["x"], row["y"])


def _street(row: Row) -> Spot:
    where = row["town_name"] or "between towns"
    return Spot(f"s{row['id']}", "street", row["name"], where, row["node"], row["x"], row["y"])


def search(store: Store, words: str, town: str = "", category: str = "") -> list[Spot]:
    """What has all of some words in its name, town, street or category; whose name is meant best comes first.

    Args:
        store: The database.
        words: What is searched for.
        town: The name of the town it must be in; empty for any.
        category: Of the place; empty for towns and streets too.
    """
    asked = words.lower().replace(",", " ").split()[:8]
    found: list[Spot] = []
    if not category and asked:
        found += [_town(row) for row in store.all("SELECT * FROM towns ORDER BY id") if town in ("", row["name"])]
        rows = store.all(f"{STREETS} ORDER BY streets.id")
        found += [_street(row) for row in rows if town in ("", row["town_name"])]
    where = "1"
    given: list[Any] = []
    for column, value in (("towns.name", town), ("category", category)):
        if value:
            where, given = f"{where} AND {column} = ?", [*given, value]
    text = "lower(places.name || ' ' || category || ' ' || number || ' ' || streets.name || ' ' || towns.name)"
    for word in asked:
        where, given = f"{where} AND instr({text}, ?) > 0", [*given, word]
    found = [one for one in found if all(word in one.label.lower() for word in asked)]
    found += [place_spot(row) for row in store.all(f"{FULL} WHERE {where} ORDER BY places.id", *given)]
    plain = " ".join(asked)
    return sorted(found, key=lambda one: _rank(one, plain))


def _rank(spot: Spot, words: str) -> int:
    name = spot.name.lower()
    whole = spot.label.lower().replace(",", "")
    return 0 if words in (name, whole) else 1 if name.startswith(words) else 2 if words in name else 3


def near(store: Store, x: int, y: int, meters: int, category: str = "", but: str = "") -> list[tuple[int, Spot]]:
    """Places by their distance as the crow flies, nearest first.

    Args:
        store: The database.
        x, y: Where from.
        meters: How far at most.
        category: Of them; empty for all.
        but: The key of one that is left out.
    """
    rows = store.all(
        f"{FULL} WHERE places.x BETWEEN ? AND ? AND places.y BETWEEN ? AND ? AND ? IN ('', category) "
        "ORDER BY places.id", x - meters, x + meters, y - meters, y + meters, category,
    )  # fmt: skip
    found: list[tuple[int, Any]] = []
    for row in rows:
        far = round(math.dist((x, y), (row["x"], row["y"])))
        if far <= meters and f"p{row['id']}" != but:
            found.append((far, place_spot(row)))
    return sorted(found, key=lambda one: (one[0], int(one[1].key[1:])))
