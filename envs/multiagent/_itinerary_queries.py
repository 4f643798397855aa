"""The data base of a city: queries in words, what they find, and an assistant that asks it what the user wants.

A query is a list of conditions with `;` between: a name, a type, a feature, `open evening`, `at most $20`, or
`near NAME`, which orders what is found by the way from there. It finds at most six places.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from agentgym.core.game import Opponent
from agentgym.core.grammar import Command, Grammar, shorten
from agentgym.envs.multiagent._decision import Known, State, spoken_commands
from agentgym.envs.multiagent._itinerary import FEATURES, SLOTS, TYPES, Site, View, named_kind

SHOWN = 6
UNKNOWN = Site("?", "", (), 0, "", 0, 0)  # a place that was not found yet: never open, named by nobody
MONEY = re.compile(r"(?:at most|up to|under|<=|<)\s*\$?\s*(\d{1,3})\b|\$\s*(\d{1,3})\b")
HELP = (
    "give a name, a type ({types}), a feature ({features}), 'open evening', 'at most $20' or 'near NAME', with ';' "
    "between conditions."
).format(types=", ".join(TYPES), features=", ".join(FEATURES))

RULES = (
    "Plan a day together. player_0 has wishes that only it sees, each with points; player_1 alone {knows}. Find a "
    "schedule with as many points as possible: both get its worth once player_0 accepts it, and nothing without "
    "agreement. Tell wishes with their points, as in 'say at least one museum: +6; each place with live music: -3; at "
    "most $40 in all: +5; each mile on the way: -2'. A proposal must be accepted or rejected before anything else."
)
SPOKEN = spoken_commands(
    "<plan>",
    "(player_1 only) propose a place, or none, for morning, afternoon and evening.",
    "Heron Museum; Laurel Garden; none",
)
SEARCH = Command(
    "search <conditions>",
    f"(player_1 only) ask the data base of places, which costs no move and finds at most {SHOWN}: {HELP}",
    examples=("search museum; open morning; at most $20", "search live music; near Heron Museum"),
)
GRAMMAR = Grammar(SPOKEN, rules=RULES.format(knows="sees the places of the city"))
ASKING = Grammar([*SPOKEN, SEARCH], rules=RULES.format(knows="can ask the data base of the city's places"))


@dataclass(slots=True)
class CityState(State):
    """The dialogue, and what the assistant has found.

    Attributes:
        found: Places by number, in the order in which queries found them.
        asked: Queries so far, in order.
    """

    found: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def search(sites: Sequence[Site], text: str) -> list[int] | str:
    """The places that meet every condition of a query, the cheapest or nearest first; or why it cannot be read.

    Args:
        sites: The places of the city.
        text: The conditions.
    """
    conditions = [part.strip() for part in text.lower().split(";") if part.strip()]
    found = list(range(len(sites)))
    start: Site | None = None
    for condition in conditions:
        named = next((place for place, site in enumerate(sites) if site.name.lower() in condition), None)
        if named is not None and condition.startswith("near "):
            start = sites[named]
            continue
        kept = [place for place in found if place == named] if named is not None else _kept(sites, found, condition)
        if kept is None:
            return f"the data base does not understand {shorten(condition)!r}; {HELP}"
        found = kept
    if not conditions:
        return f"a query needs a condition; {HELP}"

    def order(place: int) -> tuple[int, int, str]:
        site = sites[place]
        way = abs(site.east - start.east) + abs(site.north - start.north) if start else 0
        return way, site.price, site.name

    return sorted(found, key=order)


def _kept(sites: Sequence[Site], found: Sequence[int], condition: str) -> list[int] | None:
    """The places that meet a condition; None if it says nothing that is known."""
    feature = next((name for name in FEATURES if name in condition), None)
    kind = None if feature else named_kind(condition)
    slots = [slot[0] for slot in SLOTS if slot in condition]
    money = MONEY.search(condition)
    if not (feature or kind or slots or money):
        return None
    most = int(money[1] or money[2]) if money else None
    return [
        place
        for place in found
        if (feature is None or feature in sites[place].features)
        and (kind is None or sites[place].kind == kind)
        and all(slot in sites[place].hours for slot in slots)
        and (most is None or sites[place].price <= most)
    ]


def hidden(sites: Sequence[Site], found: Collection[int]) -> tuple[Site, ...]:
    """The places with those blank that were not found.

    Args:
        sites: All places.
        found: The numbers of those that were.
    """
    return tuple(site if place in found else replace(UNKNOWN, name=f"?{place}") for place, site in enumerate(sites))


def next_query(known: Known) -> str:
    """What a good assistant asks its data base next: what the user told, wish by wish; "" if nothing is left to ask.

    Args:
        known: What the assistant knows.
    """
    view: View = known.view
    if not view.queries:
        return ""
    clauses = [
        clause.strip()
        for speaker, words in known.heard
        if speaker != known.place
        for clause in re.split(r"[;\n]", words.lower())
    ]
    wanted = [match[1] for clause in clauses if (match := re.fullmatch(r"(.{1,60}?)\s*:\s*\+\d{1,2}", clause))]
    for text in [*wanted, *TYPES]:
        query = text.removeprefix("see ").removeprefix("each place with ")
        if query not in view.asked and "$" not in query and "mile" not in query:
            return query
    return ""


def researched(level: Opponent) -> Opponent:
    """A scripted player that, as an assistant with a data base, asks it before it proposes.

    Args:
        level: How it plays otherwise.
    """

    def play(known: Known, rng: np.random.Generator) -> str:
        """What the level does with what is `known` and `rng`, or first a question that its proposal leaves open."""
        said = level(known, rng)
        query = next_query(known) if said.startswith("propose ") else ""
        return f"search {query}" if query else said

    return play


def curious(level: Opponent) -> Opponent:
    """A player that, as an assistant with a data base, asks it for a type of place at random every other time.

    Args:
        level: How it plays otherwise.
    """

    def play(known: Known, rng: np.random.Generator) -> str:
        """What the level does with what is `known` and `rng`, or as often a search for a type that `rng` draws."""
        said = level(known, rng)
        asks = known.view.queries and known.plan is None and rng.random() < 0.5
        return f"search {list(TYPES)[int(rng.integers(len(TYPES)))]}" if asks else said

    return play


def hours(site: Site) -> str:
    """When a place is open, in words."""
    return ", ".join(slot for slot in SLOTS if slot[0] in site.hours)


def offer(site: Site) -> str:
    """A place as one offers it: all but where it is and when it is open."""
    price = f"${site.price}" if site.price else "free"
    return f"{site.name} ({site.kind}, {price}; {', '.join(site.features) or 'no features'})"


@lru_cache(maxsize=256)
def guide(sites: tuple[Site, ...]) -> str:
    """The assistant's data base as text."""
    lines = [
        f"{offer(site)}: at {site.east / 10:g} east, {site.north / 10:g} north; open {hours(site)}" for site in sites
    ]
    return "\n".join(["The places of the city:", *lines])
