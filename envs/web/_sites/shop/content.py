"""What the shop holds when an episode begins: 5,000 products with reviews, 1,200 customers, 3,000 orders."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agentgym.envs.web._sites.database import NOW, ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.dice import Dice
from agentgym.envs.web._sites.shop import sales

PRODUCTS, CUSTOMERS = 5_000, 1_200
VISITOR = "emma.lind"  # the customer whose account the agent uses; the id is 1
CLERK = "otto.berg"  # whose account it uses in the administration
PASSWORD = "correct-horse-7"
DAY = 1440  # minutes
RATINGS = (5, 5, 5, 5, 4, 4, 4, 3, 2, 1)
STANDINGS = {"good": (5, 5, 5, 4, 4, 4, 3), "fair": RATINGS, "poor": (5, 4, 3, 3, 2, 2, 1, 1)}
REVIEW_DAYS = 700  # of which reviews are kept


@dataclass(frozen=True)
class Kind:
    """A category of goods, as the word lists describe it."""

    number: int
    given: Mapping[str, Any]


def words() -> dict[str, Any]:
    """The shop's word lists."""
    return read_words(__package__)


def slugged(name: str) -> str:
    """A name as an address writes it."""
    return "-".join(name.lower().replace("-", " ").split())


def _categories(base: sqlite3.Connection) -> list[Kind]:
    """Departments, and below them the categories that hold products."""
    rows: list[tuple[Any, ...]] = []
    kinds = []
    for name, given in words()["departments"].items():
        rows.append((len(rows) + 1, 0, name, slugged(name), given["icon"]))
        department = len(rows)
        for below, facts in given.items():
            if below != "icon":
                rows.append((len(rows) + 1, department, below, slugged(below), given["icon"]))
                kinds.append(Kind(len(rows), facts))
    insert_rows(base, "categories", rows)
    return kinds


def _people(dice: Dice, base: sqlite3.Connection) -> None:
    """Customers with their addresses, the visitor first; then the staff."""
    given = words()
    names = {("Emma", "Lind"): 1}
    while len(names) < CUSTOMERS:
        names.setdefault((dice.pick(given["first"]), dice.pick(given["last"])), len(names) + 1)
    people: list[tuple[Any, ...]] = []
    places: list[tuple[Any, ...]] = []
    for (first, last), number in names.items():
        name = f"{first}.{last}".lower()
        joined = ago(dice.between(740, 1900) * DAY)[:10]
        people.append((number, name, PASSWORD, "Customer", first, last, f"{name}@post.example",
                       dice.pick(given["groups"]), joined, int(dice.chance(45))))  # fmt: skip
        for place in range(3 if number == 1 else 1 + dice.skewed(3)):
            city, postcode = dice.pick(given["cities"])
            street = f"{dice.between(1, 98)} {dice.pick(given['streets'])}"
            places.append((len(places) + 1, number, f"{first} {last}", street, city, postcode,
                           dice.pick(given["countries"]), f"555-{dice.between(1000, 9999)}",
                           int(place == 0)))  # fmt: skip
    for at, (name, first, last, role) in enumerate(given["staff"]):
        people.append((CUSTOMERS + 1 + at, name, PASSWORD, role, first, last, f"{name}@marketway.example", "Staff",
                       ago(dice.between(200, 1500) * DAY)[:10], 0))  # fmt: skip
    insert_rows(base, "users", people)
    insert_rows(base, "addresses", places)


def _filled(dice: Dice, sentence: str, kind: Kind, facts: Mapping[str, str]) -> str:
    text = sentence.format(part=dice.pick(kind.given["parts"]), **facts)
    return text[:1].upper() + text[1:]


def _product(dice: Dice, kind: Kind, number: int, taken: set[str]) -> tuple[tuple[Any, ...], dict[str, str]]:
    """A product's row, and the words that sentences about it are filled with."""
    given = words()
    name = ""
    while not name or name in taken:
        brand, line, color = dice.pick(given["brands"]), dice.pick(given["lines"]), dice.pick(given["colors"])
        type_, feature = dice.pick(kind.given["types"]), dice.pick(kind.given["features"])
        name = f"{brand} {line} {type_}, {feature}, {color}"
    taken.add(name)
    material = dice.pick(kind.given["materials"])
    facts = {"brand": brand, "line": line, "type": type_.lower(), "color": color.lower(), "feature": feature.lower(),
             "material": material.lower()}  # fmt: skip
    low, high = kind.given["price"]
    price = (low + dice.skewed(high - low + 1)) * 100 + dice.pick((0, 49, 90, 95, 99))
    special = price * dice.pick((70, 75, 80, 85)) // 100 if dice.chance(14) else 0
    stock = 0 if dice.chance(5) else dice.between(1, 4) if dice.chance(6) else dice.between(5, 240)
    about = given["about"]
    text = " ".join(_filled(dice, dice.pick(about[key]), kind, facts) for key in ("open", "middle", "close"))
    code = "".join(word[0] for word in type_.replace("-", " ").split())[:2].upper()
    sku = f"{brand[:2].upper()}{code}-{number:04}"
    state = "Disabled" if dice.chance(2) else "Enabled"
    row = (number, sku, name, brand, kind.number, type_, price, special, stock, dice.between(1, 90) * 50, color,
           material, feature, text, state, ago(dice.between(20, 1400) * DAY)[:10], 0.0, 0)  # fmt: skip
    return row, facts


def _review(dice: Dice, kind: Kind, facts: Mapping[str, str], rating: int) -> tuple[str, str]:
    """Title and text of a review."""
    given = words()["reviews"]
    mood = "good" if rating > 3 else "fair" if rating == 3 else "bad"
    said = [*dice.some(given[mood], dice.between(1, 2)), dice.pick(given["ends"])]
    return dice.pick(given[f"titles{rating}"]), " ".join(_filled(dice, one, kind, facts) for one in said if one)


def _products(dice: Dice, base: sqlite3.Connection, kinds: list[Kind]) -> None:
    """Products with what can be chosen of them, and what customers wrote about them."""
    rows, choices = [], []
    reviews: list[tuple[Any, ...]] = []
    taken: set[str] = set()
    nicknames = [f"{row[0]} {row[1][0]}." for row in base.execute("SELECT first, last FROM users ORDER BY id")]
    for number in range(1, PRODUCTS + 1):
        kind = kinds[number % len(kinds)]
        row, facts = _product(dice, kind, number, taken)
        choices += [(number, "Size", value) for value in kind.given.get("options", ())]
        standing, ratings = STANDINGS[dice.pick(("good", "good", "fair", "poor"))], []
        writers = dice.some(range(2, CUSTOMERS + 1), dice.skewed(17)) if dice.chance(88) else []
        moments = sorted((dice.below(REVIEW_DAYS * DAY) for _ in writers), reverse=True)
        for writer, moment in zip(writers, moments, strict=True):
            rating = dice.pick(standing)
            state = "Pending" if moment < 12 * DAY else "Rejected" if dice.chance(2) else "Approved"
            reviews.append((len(reviews) + 1, number, writer, nicknames[writer - 1], rating,
                            *_review(dice, kind, facts, rating), state, ago(moment)))  # fmt: skip
            ratings += [rating] if state == "Approved" else []
        mean = round(sum(ratings) / len(ratings), 1) if ratings else 0.0
        rows.append((*row[:-2], mean, len(ratings)))
    insert_rows(base, "products", rows)
    insert_rows(base, "options", choices)
    insert_rows(base, "reviews", reviews)


@lru_cache(maxsize=2)
def original(seed: int = 0) -> sqlite3.Connection:
    """The shop's database as every episode finds it; to be copied, never changed."""
    base = open_database(__package__)
    dice = Dice("web.sites.shop", seed)
    kinds = _categories(base)
    _people(dice, base)
    _products(dice, base, kinds)
    sales.write_sales(dice, base, words(), NOW)
    insert_rows(base, "settings", words()["settings"].items())
    base.commit()
    return base
