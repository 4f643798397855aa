"""What the map shows when an episode begins: 20 towns with their streets, 2,500 places, lists, ratings and reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agentgym.envs.web._sites.atlas.region import Region, Town, build_region
from agentgym.envs.web._sites.atlas.routes import MODES, Network, network_of
from agentgym.envs.web._sites.database import Store, ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.dice import Dice

PLACES = 2_500
VISITOR = "lark"  # whose account the agent uses; its id is 1
PASSWORD = "correct-horse-7"
DAY = 1440  # minutes
ONCE = ("Hospital", "Library", "Museum", "Station", "Swimming Pool", "Town Hall")  # every town has one


def words() -> dict[str, Any]:
    """The map's word lists."""
    return read_words(__package__)


def _region(dice: Dice, base: sqlite3.Connection) -> Region:
    region = build_region(dice, words())
    insert_rows(base, "nodes", region.nodes)
    insert_rows(base, "streets", (tuple(row) for row in region.streets))
    insert_rows(base, "edges", region.edges)
    counties = words()["counties"]
    insert_rows(base, "towns", (
        (one.number, one.name, counties[min(2, one.x * 3 // 64_000)], one.size**2 * dice.between(90, 130),
         one.x, one.y, one.size * 72, one.grid[one.size // 2, one.size // 2])
        for one in region.towns
    ))  # fmt: skip
    return region


def _reachable(network: Network, region: Region) -> set[int]:
    """Nodes that can be reached, and left, in every mode."""
    first = region.towns[0]
    middle = first.grid[first.size // 2, first.size // 2]
    return set.intersection(*(network.reach(middle, mode, back) for mode in MODES for back in (False, True)))


def _shares(towns: list[Town]) -> dict[int, int]:
    """How many places each town has."""
    whole = sum(one.size**2 for one in towns)
    shares = {one.number: PLACES * one.size**2 // whole for one in towns}
    shares[towns[0].number] += PLACES - sum(shares.values())
    return shares


def _named(dice: Dice, category: Mapping[str, Any], town: str, street: str, taken: set[str]) -> str:
    given = words()
    for _ in range(60):
        name = str(dice.pick(category["names"])).format(
            adjective=dice.pick(given["adjectives"]), noun=dice.pick(given["nouns"]), other=dice.pick(given["nouns"]),
            chain=dice.pick(given["chains"]), town=town, street=street,
            theme=dice.pick(category.get("themes", ["Time"])),
        )  # fmt: skip
        if name not in taken:
            return name
    return ""


def _places(dice: Dice, base: sqlite3.Connection, region: Region, open_to_all: set[int]) -> None:
    """Places of every town, each at a house of a street."""
    given = words()
    kinds = [name for name, one in given["categories"].items() for _ in range(one["share"])]
    stretches: dict[int, list[tuple[int, int]]] = {}  # town to node and street
    for _, source, _, street, _, _, _ in region.edges:
        if source in open_to_all and region.streets[street - 1][1]:
            stretches.setdefault(region.nodes[source - 1][1], []).append((source, street))
    places: list[tuple[Any, ...]] = []
    hours: list[tuple[Any, ...]] = []
    shares = _shares(region.towns)
    for town in region.towns:
        taken: set[str] = set()
        left, kinds_here = shares[town.number], [*ONCE]
        while left:
            kind = kinds_here.pop(0) if kinds_here else dice.pick(kinds)
            node, street = dice.pick(stretches[town.number])
            name = _named(dice, given["categories"][kind], town.name, region.streets[street - 1][2], taken)
            if not name:
                continue
            taken.add(name)
            left -= 1
            places.append(_place(dice, len(places) + 1, name, kind, town, street, node, region))
            hours += _hours(dice, len(places), given["categories"][kind])
    insert_rows(base, "places", places)
    insert_rows(base, "hours", hours)


def _place(
    dice: Dice, number: int, name: str, kind: str, town: Town, street: int, node: int, region: Region
) -> tuple[Any, ...]:
    _, _, x, y = region.nodes[node - 1]
    site = "".join(sign for sign in name.lower().replace("é", "e") if sign.isalnum())
    site = f"{site}.{town.name.split()[0].lower()}.example"
    about = " ".join(dice.some(words()["about"], dice.below(3)))
    return (number, name, kind, town.number, street, dice.between(1, 120), node, x + dice.between(-38, 38),
            y + dice.between(-38, 38), f"555-{dice.between(10000, 99999)}", site,
            dice.pick(("Yes", "Yes", "No", "Limited")), about)  # fmt: skip


def _hours(dice: Dice, number: int, category: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """When a place is open, by day, Monday first."""
    opens, closes = str(dice.pick(category["hours"])).split("-")
    short = opens != "00:00" and dice.chance(40)  # on Saturdays
    closed = set(category["closed"]) if dice.chance(80) else set(category["closed"][:1])
    rows = []
    for day in range(7):
        if day not in closed:
            early = short and day == 5 and closes > "15:00" and opens < "11:00"
            rows.append((number, day, opens, "13:00" if early else closes))
    return rows


def _people(dice: Dice, base: sqlite3.Connection) -> None:
    """Accounts with their lists, and what they said about places."""
    given = words()
    count = len(given["users"])
    insert_rows(base, "users", (
        (number, name, PASSWORD, ago(dice.between(300, 2000) * DAY)[:10], 0, "car" if number == 1 else
         dice.pick(list(MODES)), "")
        for number, name in enumerate(given["users"], 1)
    ))  # fmt: skip
    lists: list[tuple[Any, ...]] = []
    kept: list[tuple[Any, ...]] = []
    for owner in range(1, count + 1):
        for name, about in given["lists"] if owner == 1 else dice.some(given["lists"], dice.below(4)):
            shared = int(owner != 1 and dice.chance(50))
            lists.append((len(lists) + 1, owner, name, about, shared, ago(dice.below(500 * DAY))[:10]))
            for place in dice.some(range(1, PLACES + 1), dice.between(3, 8)):
                kept.append((len(kept) + 1, len(lists), place, ""))
    insert_rows(base, "lists", lists)
    insert_rows(base, "kept", kept)
    rated: set[tuple[int, int]] = set()
    while len(rated) < 6000:
        rated.add((dice.between(1, PLACES), dice.between(2, count)))
    insert_rows(base, "ratings", (
        (number, place, author, dice.pick((5, 5, 4, 4, 4, 3, 2, 1)), dice.pick(given["remarks"]),
         ago(dice.below(800 * DAY)))
        for number, (place, author) in enumerate(sorted(rated), 1)
    ))  # fmt: skip
    insert_rows(base, "reports", (
        (number, dice.between(1, PLACES), dice.between(2, count), dice.pick(given["report_kinds"]),
         dice.pick(given["report_texts"]), "Done" if dice.chance(60) else "Open", ago(dice.below(200 * DAY)))
        for number in range(1, 201)
    ))  # fmt: skip


@lru_cache(maxsize=2)
def original(seed: int = 0) -> sqlite3.Connection:
    """The map's database as every episode finds it; to be copied, never changed."""
    base = open_database(__package__)
    dice = Dice("web.sites.atlas", seed)
    region = _region(dice, base)
    _places(dice, base, region, _reachable(network_of(Store(base)), region))
    _people(dice, base)
    base.commit()
    return base


@lru_cache(maxsize=2)
def network(seed: int = 0) -> Network:
    """The graph of the map's streets, which no visitor changes."""
    return network_of(Store(original(seed)))
