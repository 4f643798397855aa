"""A day in a city: drawn cities and wishes, an exact solver over all schedules, and players that tell wishes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agentgym.envs.multiagent._decision import Known, idle

SLOTS = ("morning", "afternoon", "evening")
HOURS = ("morning, afternoon", "afternoon, evening", "morning, afternoon, evening", "morning", "evening")
TYPES: dict[str, tuple[str, ...]] = {
    "museum": ("Museum", "Collection", "Archive"),
    "park": ("Park", "Garden", "Meadow"),
    "restaurant": ("Kitchen", "Grill", "Table"),
    "cafe": ("Cafe", "Roastery", "Tearoom"),
    "theatre": ("Theatre", "Playhouse", "Stage"),
    "gallery": ("Gallery", "Atelier", "Studio"),
    "market": ("Market", "Bazaar", "Arcade"),
    "landmark": ("Tower", "Bridge", "Gate"),
    "bar": ("Bar", "Taproom", "Cellar"),
}
NAMES = (
    "Amber", "Anchor", "Birch", "Canal", "Cedar", "Copper", "Crown", "Dove", "Eagle", "Ember", "Falcon", "Fern",
    "Fountain", "Granite", "Harbour", "Heron", "Iris", "Ivory", "Juniper", "Lantern", "Laurel", "Linden", "Lion",
    "Marble", "Mill", "Moon", "Oak", "Olive", "Orchard", "Otter", "Pearl", "Pine", "Raven", "River", "Rose",
    "Saffron", "Silver", "Station", "Swan", "Thistle", "Tulip", "Velvet", "Violet", "Walnut", "Willow", "Wren",
)  # fmt: skip
CITIES = (
    "Alder Bay", "Brookfield", "Calder", "Dunmore", "Eastwick", "Fairhaven", "Glenrock", "Hartwell", "Kingsport",
    "Lakeside", "Millbrook", "Northgate", "Oakham", "Port Ellis", "Ridgeway", "Stonebridge", "Thornbury", "Westmere",
)  # fmt: skip
FEATURES = (  # none is part of the name of another
    "live music", "outdoor seating", "a view", "guided tours", "vegetarian food", "step-free access", "a playground",
    "a gift shop", "late opening", "local crafts", "quiet corners", "big crowds", "long queues", "a dress code",
    "card payment", "air conditioning",
)  # fmt: skip
EACH = 5  # features of a site
WISHES = 10
HEAVIEST = 10
BUDGETS = (20, 30, 40, 50, 60, 80)
NOWHERE = "none"


@dataclass(frozen=True, slots=True)
class Site:
    """A place: where it is in tenths of a mile east and north, when it is open (letters m, a, e) and what it offers."""

    name: str
    kind: str
    features: tuple[str, ...]
    price: int
    hours: str
    east: int
    north: int


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish and its weight in points.

    Attributes:
        about: `site` (each visit of it), `feature` (each site with it), `type` (at least one site), `slot` (a type at a
            time, such as `bar in the evening`), `budget` (all prices together at most that much) or `mile` (each).
        what: A name, feature, type, type and time, or amount; empty for `mile`.
        weight: Points, negative for what is not wanted.
    """

    about: str
    what: str
    weight: int


@dataclass(frozen=True, slots=True)
class Problem:
    """The whole truth: the city and what the user wants."""

    city: str
    sites: tuple[Site, ...]
    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a player sees: the assistant the sites, the user its wishes and what the standing proposal brings it.

    An assistant with a data base sees the sites that it has found, knows what it has `asked`, and how many `queries`
    are left.
    """

    sites: tuple[Site, ...]
    wishes: tuple[Wish, ...]
    points: float | None = None
    asked: tuple[str, ...] = ()
    queries: int = 0


PHRASES = {
    "feature": "each place with {}",
    "type": "at least one {}",
    "slot": "a {}",
    "budget": "at most ${} in all",
    "mile": "each mile on the way",
}


def phrase(wish: Wish) -> str:
    """A wish in the words that scripted players say and understand."""
    seen = "see {}" if wish.weight > 0 else "not {}"
    return f"{PHRASES.get(wish.about, seen).format(wish.what)}: {wish.weight:+d}"


def wished(sites: Sequence[Site], words: str) -> list[Wish]:
    """The wishes that a text tells: clauses that name something known and end with points.

    Args:
        sites: Sites that may be named; types, features and amounts are known without them.
        words: The text, in any case.

    Returns:
        The wishes in the order of the clauses; a clause that is not understood gives none.
    """
    found = []
    names = {site.name.lower(): site.name for site in sites}
    for clause in re.split(r"[;\n]|\.(?=\s|$)|(?<=\d),(?!\d)", words.lower()):
        number = re.search(r"([+-]?\d{1,2})\s*(?:points?)?\s*$", clause)
        if number is None:
            continue
        text, weight = clause[: number.start()], int(number[1])
        amount = re.search(r"\$\s*(\d{1,3})", text)
        site = next((name for name in names if name in text), None)
        feature = next((name for name in FEATURES if name in text), None)
        kind = named_kind(text)
        slot = next((name for name in SLOTS if name in text), None)
        if site:
            found.append(Wish("site", names[site], weight))
        elif amount:
            found.append(Wish("budget", amount[1], weight))
        elif "mile" in text:
            found.append(Wish("mile", "", weight))
        elif feature:
            found.append(Wish("feature", feature, weight))
        elif kind:
            found.append(Wish("slot", f"{kind} in the {slot}", weight) if slot else Wish("type", kind, weight))
    return found


def named_kind(text: str) -> str | None:
    """The first type of place that a text in lower case names."""
    return next((name for name in TYPES if re.search(rf"\b{name}s?\b", text)), None)


def distance(sites: Sequence[Site], plan: Sequence[int]) -> int:
    """Tenths of a mile along the streets between the `sites` of a `plan`, in its order, empty slots left out."""
    stops = [sites[place] for place in plan if place < len(sites)]
    return sum(abs(one.east - other.east) + abs(one.north - other.north) for one, other in itertools.pairwise(stops))


def points(sites: Sequence[Site], wishes: Sequence[Wish], plan: Sequence[int]) -> float:
    """What a plan is worth; a place past the last site is an empty slot.

    Args:
        sites: All sites of the city.
        wishes: What the user wants.
        plan: For morning, afternoon and evening, the place of a site.
    """
    stops = [(slot, sites[place]) for slot, place in zip(SLOTS, plan, strict=True) if place < len(sites)]
    worth = 0.0
    for wish in wishes:
        weight, what = wish.weight, wish.what
        if wish.about == "site":
            worth += weight * sum(site.name == what for _, site in stops)
        elif wish.about == "feature":
            worth += weight * sum(what in site.features for _, site in stops)
        elif wish.about == "type":
            worth += weight * any(site.kind == what for _, site in stops)
        elif wish.about == "slot":
            worth += weight * any(f"{site.kind} in the {slot}" == what for slot, site in stops)
        elif wish.about == "budget":
            worth += weight * (sum(site.price for _, site in stops) <= int(what))
        else:
            worth += weight * distance(sites, plan) / 10
    return worth


@dataclass(frozen=True, slots=True)
class Solution:
    """The best plan, and points of the best and the worst."""

    plan: tuple[int, ...]
    best: float
    worst: float


@lru_cache(maxsize=256)
def solve(sites: tuple[Site, ...], wishes: tuple[Wish, ...]) -> Solution:
    """The exact solution over every schedule of open sites, no site twice, slots left empty included.

    Of several best plans the first by the places of its sites stands.

    Args:
        sites: All sites that may be visited.
        wishes: What the plan is to be worth; a wish about another site counts for nothing.
    """
    count = len(sites) + 1
    shapes = ((count, 1, 1), (1, count, 1), (1, 1, count))

    def spread(values: Sequence[float]) -> list[NDArray[np.float64]]:
        line = np.array([*values, 0.0])
        return [line.reshape(shape) for shape in shapes]

    worth = np.zeros((count, count, count))
    for wish in wishes:
        weight, what = float(wish.weight), wish.what
        if wish.about in ("site", "feature"):
            each = [weight * (site.name == what or what in site.features) for site in sites]
            worth += sum(spread(each))
        elif wish.about == "type":
            one, two, three = spread([site.kind == what for site in sites])
            worth += weight * np.maximum(np.maximum(one, two), three)
        elif wish.about == "slot":
            for slot, line in enumerate(SLOTS):
                worth += weight * spread([f"{site.kind} in the {line}" == what for site in sites])[slot]
        elif wish.about == "budget":
            worth += weight * (sum(spread([site.price for site in sites])) <= int(what))
        else:
            worth += weight * _miles(sites)
    open_now = [
        np.array([*(slot[0] in site.hours for site in sites), True]).reshape(shape)
        for slot, shape in zip(SLOTS, shapes, strict=True)
    ]
    fits = open_now[0] & open_now[1] & open_now[2] & ~_twice(count)
    best = np.where(fits, worth, -np.inf)
    plan = np.unravel_index(int((best > best.max() - 1e-9).argmax()), worth.shape)
    return Solution(tuple(map(int, plan)), float(best.max()), float(np.where(fits, worth, np.inf).min()))


def _miles(sites: Sequence[Site]) -> NDArray[np.float64]:
    """Miles of every schedule."""
    count = len(sites) + 1
    east, north = np.array([site.east for site in sites]), np.array([site.north for site in sites])
    legs = np.zeros((count, count))
    legs[:-1, :-1] = (np.abs(east[:, None] - east) + np.abs(north[:, None] - north)) / 10
    miles = legs[:, :, None] + legs[None, :, :]
    miles[:, -1, :] = legs
    return miles


@lru_cache(maxsize=32)
def _twice(count: int) -> NDArray[np.bool_]:
    """Which schedules visit a site twice."""
    same = np.eye(count, dtype=bool)
    same[-1, -1] = False
    return same[:, :, None] | same[:, None, :] | same[None, :, :]


def drawn(rng: np.random.Generator, count: int, known: Problem | None = None) -> Problem:
    """A city of so many sites, or one that is known, and the wishes of a user, such that plans differ in worth.

    Args:
        rng: Draws sites, wishes and the name of the city until they do.
        count: Sites of a new city.
        known: A problem whose city and sites are kept, so that only wishes are drawn; None for a new city.
    """
    while True:
        sites = known.sites if known else _sites(rng, count)
        wishes = wanted(rng, sites)
        solution = solve(sites, wishes)
        if solution.best > solution.worst:
            return Problem(known.city if known else CITIES[int(rng.integers(len(CITIES)))], sites, wishes)


def redrawn(problem: Problem, shown: Collection[int], rng: np.random.Generator) -> tuple[Site, ...]:
    """Another city for the same user: sites that it was shown, or has a wish about, are still there.

    Args:
        problem: The problem as it is.
        shown: Places of the sites that are to stay as they are.
        rng: Draws the others.

    Returns:
        As many sites in the same order; of one that was not shown at most the name is kept.
    """
    named = {wish.what for wish in problem.wishes if wish.about == "site"}
    names = {site.name for site in problem.sites}
    sites = []
    for place, (old, new) in enumerate(zip(problem.sites, _sites(rng, len(problem.sites)), strict=True)):
        keeps = old.name in named or new.name in names
        sites.append(old if place in shown else replace(new, name=old.name) if keeps else new)
    return tuple(sites)


def _sites(rng: np.random.Generator, count: int) -> tuple[Site, ...]:
    kinds = list(TYPES)
    chosen = [kinds[int(place)] for place in rng.integers(len(kinds), size=count)]
    names = [NAMES[int(place)] for place in rng.choice(len(NAMES), count, replace=False)]
    sites = []
    for name, kind in zip(names, chosen, strict=True):
        words = TYPES[kind]
        features = sorted(int(place) for place in rng.choice(len(FEATURES), EACH, replace=False))
        hours = HOURS[int(rng.integers(len(HOURS)))]
        sites.append(
            Site(
                f"{name} {words[int(rng.integers(len(words)))]}",
                kind,
                tuple(FEATURES[place] for place in features),
                5 * int(rng.integers(8)),
                "".join(slot[0] for slot in SLOTS if slot in hours),
                int(rng.integers(31)),
                int(rng.integers(31)),
            )
        )
    return tuple(sorted(sites, key=lambda site: site.name))


def wanted(rng: np.random.Generator, sites: Sequence[Site]) -> tuple[Wish, ...]:
    """Ten different wishes about a city: money and way always, the rest of any kind.

    Args:
        rng: Draws the wishes and their weights.
        sites: The city, for wishes about a site of it.
    """

    def weight() -> int:
        return int(rng.integers(1, HEAVIEST + 1))

    wishes = {("budget", str(BUDGETS[int(rng.integers(len(BUDGETS)))])): weight(), ("mile", ""): -weight()}
    kinds = list(TYPES)
    while len(wishes) < WISHES:
        about = ("site", "feature", "feature", "feature", "type", "slot")[int(rng.integers(6))]
        sign = -1 if rng.random() < 0.35 else 1
        kind = kinds[int(rng.integers(len(kinds)))]
        what = {
            "site": sites[int(rng.integers(len(sites)))].name,
            "feature": FEATURES[int(rng.integers(len(FEATURES)))],
            "type": kind,
            "slot": f"{kind} in the {SLOTS[int(rng.integers(3))]}",
        }[about]
        points_of = weight() * (sign if about in ("site", "feature") else 1)
        wishes.setdefault((about, what), points_of)
    return tuple(Wish(about, what, worth) for (about, what), worth in wishes.items())


def spelled(sites: Sequence[Site], plan: Sequence[int]) -> str:
    """A `plan`, places among the `sites`, in the words of the grammar; a place past the last is `none`."""
    return "; ".join(sites[place].name if place < len(sites) else NOWHERE for place in plan)


def possible(sites: Sequence[Site], rng: np.random.Generator) -> list[int]:
    """Any schedule of open `sites`, none twice, drawn with `rng`; a slot is empty if no other is open then."""
    plan: list[int] = []
    for slot in SLOTS:
        free = [place for place, site in enumerate(sites) if slot[0] in site.hours and place not in plan]
        plan.append(free[int(rng.integers(len(free)))] if free else len(sites))
    return plan


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Proposes any schedule if it may, and answers by a coin.

    It may if `known` shows it sites; schedule and coin are thrown with `rng`.
    """
    view: View = known.view

    def plan() -> str:
        return spelled(view.sites, possible(view.sites, rng)) if view.sites else ""

    return idle(known, rng, plan, ("What shall we do?", "I like the sun.", "Let me think."))


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """The user names the three heaviest wishes once and accepts anything; the assistant does its best with that.

    It goes by `known` alone and asks `rng` for nothing.
    """
    if known.plan is not None:
        return "accept"
    view: View = known.view
    if not view.sites:
        heavy = sorted(view.wishes, key=lambda wish: -abs(wish.weight))[:3]
        return "pass" if known.spoke else f"say {'; '.join(phrase(wish) for wish in heavy)}"
    return _served(known, view)


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """The user tells every wish and turns down what is poor; the assistant asks, and proposes the best it can.

    It goes by `known` alone and asks `rng` for nothing.
    """
    view: View = known.view
    if known.plan is not None:
        if view.points is None or known.left <= known.players or (known.spoke and len(known.refused) >= 3):
            return "accept"
        if not known.spoke:
            return f"reject saying {'; '.join(phrase(wish) for wish in view.wishes)}"
        good = sum(wish.weight for wish in view.wishes if wish.weight > 0)
        return "accept" if view.points >= (0.2 - 0.1 * len(known.refused)) * good else "reject"
    if not view.sites:
        return "pass" if known.spoke else f"say {'; '.join(phrase(wish) for wish in view.wishes)}"
    return _served(known, view)


def _served(known: Known, view: View) -> str:
    """What an assistant does: ask once, then propose the best schedule for the wishes told, but none twice."""
    told: dict[tuple[str, str], Wish] = {}
    for speaker, words in known.heard:
        if speaker != known.place:
            told |= {(wish.about, wish.what): wish for wish in wished(view.sites, words)}
    if not told and known.left > 3 * known.players:
        if not known.spoke:
            return "say What do you want of the day? Give each wish its points, as in 'at least one museum: +6'."
        return "pass"
    spared = tuple(
        Wish("site", view.sites[place].name, -1) for plan in known.refused for place in plan if place < len(view.sites)
    )
    return f"propose {spelled(view.sites, solve(view.sites, (*told.values(), *spared)).plan)}"
