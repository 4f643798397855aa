"""Small games in which two choose at once: payoffs drawn by kind, what is fair, and scripted players."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

import numpy as np

Table: TypeAlias = tuple[tuple[int, ...], ...]  # payoff of one player by its own move and the other's
Past: TypeAlias = Sequence[tuple[int, int]]  # own move and the other's, round by round
KINDS = (
    "prisoners_dilemma", "stag_hunt", "chicken", "battle_of_the_sexes", "coordination", "matching_pennies",
    "rock_paper_scissors",
)  # fmt: skip
NAMES = (
    "red blue green", "north south west", "oak elm ash", "salt honey pepper", "river hill meadow", "lamp bell drum",
    "iron silk glass", "crow swan heron", "plum pear fig", "dawn noon dusk", "harp flute viola", "anchor sail oar",
)  # fmt: skip
FAITHFUL = 0.9  # how often a way to play that explains the other is thought to be kept to
AHEAD = 6  # rounds that the strong player looks ahead
FAR = 10  # rounds that the oracle looks ahead
UNLIKELY = 1e-3  # ways to play that explain the other so much worse than the best are left out


def drawn(kind: str, rng: np.random.Generator) -> tuple[Table, Table]:
    """Payoffs of both players for a `kind` of game, each by its own move and the other's; moves in random order.

    The sizes of the payoffs, the order and who is who are drawn with `rng`.
    """
    low, lower_mid, upper_mid, high = sorted(int(x) for x in rng.choice(np.arange(0, 11), size=4, replace=False))
    one: Table
    other: Table
    if kind == "prisoners_dilemma":  # temptation, reward, punishment, sucker's payoff; alternating does not pay
        reward = max(upper_mid, (high + low) // 2 + 1)
        one = other = ((reward, low), (max(high, reward + 1), min(lower_mid, reward - 1)))
    elif kind == "stag_hunt":
        one = other = ((high, low), (upper_mid, lower_mid))
    elif kind == "chicken":
        one = other = ((upper_mid, lower_mid), (high, low))
    elif kind == "battle_of_the_sexes":
        one, other = ((high, low), (low, upper_mid)), ((upper_mid, low), (low, high))
    elif kind == "coordination":
        one = other = ((high, low), (low, high))
    elif kind == "matching_pennies":
        stake = 1 + low
        one, other = ((stake, -stake), (-stake, stake)), ((-stake, stake), (stake, -stake))
    else:
        stake = 1 + low
        one = other = ((0, -stake, stake), (stake, 0, -stake), (-stake, stake, 0))
    order = [int(place) for place in rng.permutation(len(one))]
    flip = bool(rng.integers(2)) and one != other
    tables = tuple(tuple(tuple(table[row][column] for column in order) for row in order) for table in (one, other))
    return (tables[1], tables[0]) if flip else (tables[0], tables[1])


def fair(one: Table, other: Table) -> float:
    """The most that both can have alike on average, mixing any two outcomes (which is enough: it is an edge).

    Args:
        one, other: Payoffs of either player, by its own move and the other's.
    """
    size = range(len(one))
    points = [(one[mine][theirs], other[theirs][mine]) for mine in size for theirs in size]
    best = -math.inf
    for a in points:
        for b in points:
            lead, trail = a[0] - a[1], b[0] - b[1]
            if lead == trail:
                best = max(best, min(a), min(b))
                continue
            share = min(1.0, max(0.0, -trail / (lead - trail)))  # where both get the same
            for weight in (0.0, share, 1.0):
                best = max(best, min(weight * a[0] + (1 - weight) * b[0], weight * a[1] + (1 - weight) * b[1]))
    return best


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        mine: Its own payoffs by its move and the other's.
        theirs: The other's payoffs, by the other's move and its own.
        names: Names of the moves.
        past: Own move and the other's, round by round.
        left: Rounds left, this one included.
        talking: Whether this is the time to talk.
        heard: What the other said last in this round.
    """

    mine: Table
    theirs: Table
    names: tuple[str, ...]
    past: tuple[tuple[int, int], ...]
    left: int
    talking: bool
    heard: str


Way: TypeAlias = Callable[[Past, Table], int]  # a way to play: from the past and one's payoffs to a move


def reply(past: Past, table: Table) -> int:
    """The best reply to how often the other made each move, each counted once before the game (Brown 1951).

    The other's moves are in `past`, the payoffs of the one who replies in `table`; of equally good replies the first.
    """
    size = len(table)
    seen = [1] * size
    for _, theirs in past:
        seen[theirs] += 1
    worth = [sum(row[place] * seen[place] for place in range(size)) for row in table]
    return worth.index(max(worth))


def copy_cat(past: Past, table: Table) -> int:
    """What the other did last in `past`; at first the move that would be best by `table` if both made it."""
    if past:
        return past[-1][1]
    return max(range(len(table)), key=lambda move: table[move][move])


def turn_about(past: Past, table: Table) -> int:
    """Always another move than last time in `past`: the next in `table`, from the last on to the first."""
    return (past[-1][0] + 1) % len(table) if past else 0


@lru_cache(maxsize=8)
def ways(size: int) -> tuple[Way, ...]:
    """Ways in which players are known to play: one move for ever, and those above."""
    steady: list[Way] = [lambda past, table, move=move: move for move in range(size)]  # type: ignore[misc]
    return (*steady, reply, copy_cat, turn_about)


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any move, and now and then any words, drawn with `rng`; of `known` it uses the names and whether all talk."""
    name = known.names[int(rng.integers(len(known.names)))]
    if known.talking:
        return ("pass", f"say I will choose {name}.", "say Good luck.")[int(rng.integers(3))]
    return f"choose {name}"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """The best reply to what the other did so far; says nothing and does not listen.

    It goes by `known` alone and asks `rng` for nothing.
    """
    return "pass" if known.talking else f"choose {known.names[reply(known.past, known.mine)]}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Weighs which known ways to play explain the other, and plays what pays most against them over the rounds left.

    It says what it is about to do where both want to meet, and believes the other's words as far as they were kept to.
    It goes by `known` alone and asks `rng` for nothing.
    """
    move = _planned(known)
    if known.talking:
        # what one gains by being believed, the other must gain too, or the words would be a warning
        shared = known.theirs[reply_to(known.theirs, move)][move] >= max(map(min, known.theirs))
        return f"say I will choose {known.names[move]}." if shared and not _rivals(known) else "pass"
    return f"choose {known.names[move]}"


def reply_to(table: Table, move: int) -> int:
    """The best reply to one `move` of the other by one's own payoffs in `table`; of equally good ones the first."""
    return max(range(len(table)), key=lambda own: table[own][move])


def _rivals(known: Known) -> bool:
    """Whether one always loses what the other wins."""
    size = range(len(known.mine))
    return all(known.mine[a][b] + known.theirs[b][a] == 0 for a in size for b in size)


def promised(known: Known) -> int | None:
    """The one move that the other named in this round."""
    words = set("".join(letter if letter.isalnum() else " " for letter in known.heard.lower()).split())
    named = [place for place, name in enumerate(known.names) if name in words]
    return named[0] if len(named) == 1 else None


def _weights(known: Known) -> list[float]:
    """How well each known way explains what the other did."""
    size = len(known.mine)
    past = [(theirs, mine) for mine, theirs in known.past]
    weights = []
    for way in ways(size):
        weight = 1.0
        for round_, (theirs, _) in enumerate(past):
            kept = way(past[:round_], known.theirs) == theirs
            weight *= FAITHFUL if kept else (1 - FAITHFUL) / (size - 1)
        weights.append(weight)
    return weights


def _planned(known: Known) -> int:
    """The move that begins the best plan."""
    size, horizon = len(known.mine), min(known.left, AHEAD)
    weights, named = _weights(known), None if _rivals(known) else promised(known)
    best = max(weights)
    worth: dict[int, float] = {}
    for first in range(size):
        for plan in ways(size):
            value = 0.0
            for weight, way in zip(weights, ways(size), strict=True):
                if weight > UNLIKELY * best:
                    value += weight * _played_out(known, first, plan, way, named, horizon)
            worth[first] = max(worth.get(first, -math.inf), value)
    return max(worth, key=lambda move: (round(worth[move] / sum(weights), 9), -move))


def _played_out(known: Known, first: int, plan: Way, way: Way, named: int | None, horizon: int) -> float:
    """What a plan earns, from a first move on, against a way to play; the other does first what it promised."""
    mine: list[Any] = list(known.past)
    theirs: list[Any] = [(b, a) for a, b in known.past]
    total = 0.0
    for step in range(horizon):
        own = plan(mine, known.mine) if step else first
        answer = named if named is not None and not step else way(theirs, known.theirs)
        total += known.mine[own][answer]
        mine.append((own, answer))
        theirs.append((answer, own))
    return total


def leading(known: Known) -> int:
    """The first move of the plan that pays most against one who replies to frequencies; ties to the earlier move."""
    size = len(known.mine)
    counts = [1] * size
    for own, _ in known.past:
        counts[own] += 1

    @cache
    def value(seen: tuple[int, ...], left: int) -> tuple[int, int]:
        """Most that `left` more moves pay when moves were `seen` so often, and the move that begins it, negated."""
        if not left:
            return 0, 0
        worth = [sum(row[place] * seen[place] for place in range(size)) for row in known.theirs]
        answer = worth.index(max(worth))
        options = []
        for own in range(size):
            after = (*seen[:own], seen[own] + 1, *seen[own + 1 :])
            options.append((known.mine[own][answer] + value(after, left - 1)[0], -own))
        most, place = max(options)
        return most, -place

    return value(tuple(counts), min(known.left, FAR))[1]
