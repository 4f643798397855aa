"""Assigning reviewers to papers: drawn tables, an exact solver, and players that share what they see of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym.envs.multiagent._decision import Known, idle

HIGHEST = 99  # the best that a reviewer can fit a paper
UNSEEN = 50  # what a pair counts that nobody sees
SIGHT = 0.4  # probability that a player sees a pair
GAIN = 1.1  # the best of both players together over what the better of them can reach alone, at least
DRAWS = 100  # tables drawn until one has that gain; otherwise the one with the most stands
REVIEWERS = (
    "Abel", "Ada", "Akira", "Amara", "Anouk", "Arlo", "Asta", "Bela", "Bodil", "Bruno", "Carmen", "Chidi", "Clara",
    "Dario", "Dina", "Edda", "Elio", "Emeka", "Esra", "Farid", "Fiona", "Goran", "Greta", "Hana", "Hugo", "Ida",
    "Ines", "Ivan", "Jana", "Jonas", "Kaja", "Kofi", "Lars", "Leila", "Lien", "Luca", "Maeve", "Malik", "Marta",
    "Mina", "Nadia", "Nils", "Noor", "Odile", "Oskar", "Paola", "Petra", "Priya", "Quentin", "Rafael", "Rosa", "Sami",
    "Selma", "Sven", "Tariq", "Thea", "Tomas", "Uma", "Vera", "Wanda", "Xenia", "Yara", "Yusuf", "Zita",
)  # fmt: skip
METHODS = (
    "Sparse", "Causal", "Robust", "Latent", "Neural", "Bayesian", "Federated", "Adaptive", "Private", "Spectral",
    "Symbolic", "Streaming", "Modular", "Contrastive", "Stochastic", "Quantum", "Hybrid", "Continual", "Online",
    "Geometric",
)  # fmt: skip
SUBJECTS = (
    "Attention", "Retrieval", "Planning", "Parsing", "Grasping", "Translation", "Ranking", "Clustering", "Sampling",
    "Search", "Dialogue", "Vision", "Pruning", "Alignment", "Forecasting", "Scheduling", "Summaries", "Diffusion",
    "Matching", "Navigation",
)  # fmt: skip
Table = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """The whole truth.

    Attributes:
        papers, reviewers: Their names.
        table: How well each reviewer (column) fits each paper (row), 0 to 99.
        seen: By player, row and column, whether the player sees the pair.
        scales: By player, the factor by which its numbers are multiplied.
    """

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    table: Table
    seen: tuple[Table, Table]
    scales: tuple[float, float]


@dataclass(frozen=True, slots=True)
class View:
    """What one player sees.

    Attributes:
        papers, reviewers: Their names.
        scores: By paper and reviewer, the number in the player's own scale; -1 where it sees nothing.
    """

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    scores: Table


@lru_cache(maxsize=1024)
def part(problem: Problem, place: int) -> View:
    """What the player at a `place`, 0 or 1, sees of a `problem`: its pairs, rounded in its own scale."""
    scale, mask = problem.scales[place], problem.seen[place]
    scores = tuple(
        tuple(round(value * scale) if seen else -1 for value, seen in zip(row, shown, strict=True))
        for row, shown in zip(problem.table, mask, strict=True)
    )
    return View(problem.papers, problem.reviewers, scores)


def counted(problem: Problem) -> list[list[int]]:
    """The table by which an assignment is scored: `UNSEEN` where neither player sees the pair."""
    one, other = problem.seen
    return [
        [value if one[row][column] or other[row][column] else UNSEEN for column, value in enumerate(values)]
        for row, values in enumerate(problem.table)
    ]


def assign(values: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row in an assignment of the largest sum: shortest augmenting paths with potentials.

    Kuhn 1955, The Hungarian Method for the Assignment Problem, in the form of Jonker and Volgenant 1987.
    """
    size, far = len(values), float("inf")
    rows, columns = [0.0] * (size + 1), [0.0] * (size + 1)
    held = [0] * (size + 1)  # row (from 1) that holds each column (from 1); 0 is free
    for row in range(1, size + 1):
        held[0], column = row, 0
        cheapest, came, done = [far] * (size + 1), [0] * (size + 1), [False] * (size + 1)
        while held[column]:
            done[column] = True
            mine, least, best = held[column], far, 0
            costs, base = values[mine - 1], rows[mine]
            for other in range(1, size + 1):
                if done[other]:
                    continue
                reduced = -costs[other - 1] - base - columns[other]
                if reduced < cheapest[other]:
                    cheapest[other], came[other] = reduced, column
                if cheapest[other] < least:
                    least, best = cheapest[other], other
            for other in range(size + 1):
                if done[other]:
                    rows[held[other]] += least
                    columns[other] -= least
                else:
                    cheapest[other] -= least
            column = best
        while column:
            held[column] = held[came[column]]
            column = came[column]
    plan = [0] * size
    for column in range(1, size + 1):
        plan[held[column] - 1] = column - 1
    return plan


def total(values: Sequence[Sequence[float]], plan: Sequence[int]) -> float:
    """The sum of an assignment: by the table `values`, with the column of each row in `plan`."""
    return sum(values[row][column] for row, column in enumerate(plan))


@lru_cache(maxsize=256)
def solved(problem: Problem) -> tuple[int, ...]:
    """The best assignment."""
    return tuple(assign(counted(problem)))


def gain(problem: Problem) -> float:
    """How much better both players can do together than the better of them alone."""
    values = counted(problem)
    alone = 0.0
    for mask in problem.seen:
        own = [
            [value if seen else UNSEEN for value, seen in zip(row, shown, strict=True)]
            for row, shown in zip(problem.table, mask, strict=True)
        ]
        alone = max(alone, total(values, assign(own)))
    return total(values, assign(values)) / max(alone, 1.0)


def drawn(rng: np.random.Generator, size: int) -> Problem:
    """A problem in which talking pays: joint knowledge is worth `GAIN` times either player's own.

    Args:
        rng: Draws names, scales, and tables until one has that gain, `DRAWS` at most.
        size: Papers, and as many reviewers.
    """
    reviewers = sorted(REVIEWERS[int(place)] for place in rng.choice(len(REVIEWERS), size, replace=False))
    methods = rng.choice(len(METHODS), size, replace=False)
    subjects = rng.choice(len(SUBJECTS), size, replace=False)
    papers = sorted(f"{METHODS[int(one)]} {SUBJECTS[int(two)]}" for one, two in zip(methods, subjects, strict=True))
    scales = tuple(float(number) / 10 for number in rng.integers(10, 101, size=2))
    problem, most = None, 0.0
    for _ in range(DRAWS):
        table = rng.integers(HIGHEST + 1, size=(size, size)).tolist()
        seen = (rng.random((2, size, size)) < SIGHT).astype(int).tolist()
        drawing = Problem(
            tuple(papers), tuple(reviewers), _frozen(table), (_frozen(seen[0]), _frozen(seen[1])),
            (scales[0], scales[1]),
        )  # fmt: skip
        better = gain(drawing)
        if problem is None or better > most:
            problem, most = drawing, better
        if most >= GAIN:
            break
    assert problem is not None, "at least one table is drawn"
    return problem


def _frozen(rows: Sequence[Sequence[int]]) -> Table:
    return tuple(tuple(row) for row in rows)


def redrawn(problem: Problem, place: int, rng: np.random.Generator) -> Problem:
    """Another problem that looks the same to a player.

    Args:
        problem: The problem as it is.
        place: The player, 0 or 1, whose pairs and scale are kept.
        rng: Draws what this player does not see, and what the other one does.
    """
    size, mine = len(problem.papers), problem.seen[place]
    fresh = rng.integers(HIGHEST + 1, size=(size, size)).tolist()
    table = [
        [kept if mine[row][column] else fresh[row][column] for column, kept in enumerate(values)]
        for row, values in enumerate(problem.table)
    ]
    masks, scales = list(problem.seen), list(problem.scales)
    masks[1 - place] = _frozen((rng.random((size, size)) < SIGHT).astype(int).tolist())
    scales[1 - place] = float(rng.integers(10, 101)) / 10
    return Problem(
        problem.papers, problem.reviewers, _frozen(table), (masks[0], masks[1]), (scales[0], scales[1])
    )  # fmt: skip


def spelled(papers: Sequence[str], reviewers: Sequence[str], plan: Sequence[int]) -> str:
    """An assignment in the words of the grammar.

    Args:
        papers, reviewers: Their names.
        plan: By paper, the place of its reviewer.
    """
    return "; ".join(f"{paper}: {reviewers[column]}" for paper, column in zip(papers, plan, strict=True))


def listed(view: View) -> str:
    """Every number that a player sees, in the form that scripted players understand."""
    lines = []
    for paper, row in zip(view.papers, view.scores, strict=True):
        pairs = [f"{name} {score}" for name, score in zip(view.reviewers, row, strict=True) if score >= 0]
        if pairs:
            lines.append(f"{paper}: {', '.join(pairs)}")
    return "; ".join(lines)


def understood(view: View, words: str) -> dict[tuple[int, int], float]:
    """The numbers that a text gives for pairs of paper and reviewer: a title, then names each followed by a number.

    Args:
        view: The names to look for; its numbers are not read.
        words: The text, in any case; the last number for a pair stands.

    Returns:
        The numbers in the scale of the speaker, by places of paper and reviewer.
    """
    papers = {name.lower(): place for place, name in enumerate(view.papers)}
    people = {name.lower(): place for place, name in enumerate(view.reviewers)}
    names = "|".join(re.escape(name) for name in (*papers, *people))
    found: dict[tuple[int, int], float] = {}
    paper = person = -1
    for match in re.finditer(rf"\b(?:{names})\b|(?<![\w.])\d{{1,4}}(?![\w])", words.lower()):
        text = match[0]
        if text in papers:
            paper, person = papers[text], -1
        elif text in people:
            person = people[text]
        elif paper >= 0 and person >= 0:
            found[paper, person] = float(text)
            person = -1
    return found


def believed(known: Known) -> list[list[float]]:
    """The table as a player can piece it together, in true points: its own numbers and those it was told.

    The other's scale follows from pairs that both see, and the own from the largest number of all, which is about as
    far below the highest possible as the count of numbers suggests.
    """
    view: View = known.view
    size = len(view.papers)
    own = {(row, column): float(view.scores[row][column]) for row, column in np.ndindex(size, size)}
    own = {pair: score for pair, score in own.items() if score >= 0}
    told: dict[tuple[int, int], float] = {}
    for speaker, words in known.heard:
        if speaker != known.place:
            told |= understood(view, words)
    both = [pair for pair in told if pair in own and told[pair] > 0]
    if both:
        rate = sum(own[pair] for pair in both) / sum(told[pair] for pair in both)
    else:
        rate = _mean(own.values()) / max(1.0, _mean(told.values()))
    merged = {pair: score * rate for pair, score in told.items()} | own
    count = len(merged)
    unit = max(merged.values(), default=1.0) / (HIGHEST * (count + 1) / (count + 2))
    values = [[float(UNSEEN)] * size for _ in range(size)]
    for (row, column), score in merged.items():
        values[row][column] = score / max(unit, 1e-9)
    return values


def _mean(numbers: Any) -> float:
    held = list(numbers)
    return sum(held) / len(held) if held else 1.0


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Proposes any assignment, and answers by a coin.

    The names come from `known`, the assignment and the coin from `rng`.
    """
    view: View = known.view

    def plan() -> str:
        return spelled(view.papers, view.reviewers, [int(place) for place in rng.permutation(len(view.papers))])

    return idle(known, rng, plan, ("What do your numbers say?", f"I know {view.reviewers[0]} well.", "Let us begin."))


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Says nothing, proposes the best assignment by its own numbers, and accepts whatever the other proposes.

    It goes by `known` alone and asks `rng` for nothing.
    """
    if known.plan is not None:
        return "accept"
    view: View = known.view
    seen = [score for row in view.scores for score in row if score >= 0]
    usual = _mean(seen)
    values = [[float(score) if score >= 0 else usual for score in row] for row in view.scores]
    return f"propose {spelled(view.papers, view.reviewers, assign(values))}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Tells all its numbers, puts both tables on one scale, and agrees to what is as good as the best by that.

    It goes by `known` alone and asks `rng` for nothing.
    """
    view: View = known.view
    told = any(understood(view, words) for speaker, words in known.heard if speaker != known.place)
    if known.plan is not None:
        values = believed(known)
        share = total(values, known.plan) / max(1.0, total(values, assign(values)))
        wanted = (0.97 if told else 0.9) - 0.05 * len(known.refused)
        if share >= wanted or known.left <= known.players:
            return "accept"
        return "reject" if known.spoke else f"reject saying My numbers are: {listed(view)}"
    if not known.spoke:
        return f"say My numbers are: {listed(view)}"
    if not told and known.left > 3 * known.players:
        return "say Which numbers do you see? Tell me each paper with its reviewers and their numbers."
    return f"propose {spelled(view.papers, view.reviewers, assign(believed(known)))}"
