"""Counting."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int, Ints

problem = BOOK.topic("counting")


@problem(
    "How many shortest paths lead from (0, 0) to ({w}, {h}) by unit steps right and up without passing ({x}, {y})?",
    "A robot walks right or up on a grid from (0, 0) to ({w}, {h}) and must not enter ({x}, {y}). In how many ways?",
    "Count the lattice paths with steps (1, 0) and (0, 1) from the origin to ({w}, {h}) that avoid ({x}, {y}).",
    w=Int(6, 14), h=Int(6, 14), x=Int(1, 5), y=Int(1, 5),
)  # fmt: skip
def _paths_around(w: int, h: int, x: int, y: int) -> Answer:
    from math import comb

    return comb(w + h, w) - comb(x + y, x) * comb(w + h - x - y, w - x)


@problem(
    "In how many ways can {n} beads on a fixed ring be painted with {k} colors so that neighbors differ?",
    "{n} seats stand around a table. Each gets one of {k} colors, and no two neighbors the same. How many ways?",
    "Count the proper colorings of a cycle of {n} labeled vertices with {k} colors.",
    n=Int(4, 14), k=Int(3, 9),
)  # fmt: skip
def _ring_colorings(n: int, k: int) -> Answer:
    return (k - 1) ** n + (-1) ** n * (k - 1)


@problem(
    "How many partitions of {n} have no part larger than {k}?",
    "In how many ways is {n} a sum of positive integers of at most {k} each, whatever their order?",
    "{n} identical coins are put into piles of at most {k} coins. How many different collections of piles are there?",
    n=Int(15, 70), k=Int(3, 12),
)  # fmt: skip
def _partitions(n: int, k: int) -> Answer:
    ways = [1] + [0] * n
    for part in range(1, k + 1):
        for total in range(part, n + 1):
            ways[total] += ways[total - part]
    return ways[n]


@problem(
    "How many permutations of {n} objects leave exactly {k} of them in place?",
    "{n} letters are put into {n} envelopes. In how many ways do exactly {k} letters reach their own envelope?",
    "Count the permutations of 1 to {n} with exactly {k} fixed points.",
    n=Int(6, 14), k=Int(1, 5),
)  # fmt: skip
def _fixed_points(n: int, k: int) -> Answer:
    from math import comb

    derangements = [1, 0]
    for size in range(2, n + 1):
        derangements.append((size - 1) * (derangements[-1] + derangements[-2]))
    return comb(n, k) * derangements[n - k]


@problem(
    "How many functions from a set of {n} elements onto a set of {k} elements are there?",
    "{n} different tasks go to {k} workers, and every worker gets at least one. In how many ways?",
    "In how many ways can {n} labeled balls fill {k} labeled boxes so that no box stays empty?",
    n=Int(5, 13), k=Int(3, 7),
)  # fmt: skip
def _onto_functions(n: int, k: int) -> Answer:
    from math import comb

    return sum((-1) ** j * comb(k, j) * (k - j) ** n for j in range(k + 1))


@problem(
    "How many compositions of {n} (ordered sums of positive integers) do not use the part {k}?",
    "In how many ways can {n} be written as an ordered sum of positive integers, none of them equal to {k}?",
    "A staircase has {n} steps. One climbs any number of steps at once except {k}. In how many ways?",
    n=Int(10, 32), k=Int(1, 6),
)  # fmt: skip
def _compositions_without(n: int, k: int) -> Answer:
    ways = [1]
    for total in range(1, n + 1):
        ways.append(sum(ways[total - part] for part in range(1, total + 1) if part != k))
    return ways[n]


@problem(
    "How many binary strings of length {n} contain no {k} ones in a row?",
    "A coin is tossed {n} times. How many sequences have no run of {k} heads?",
    "Count the words of {n} letters over a, b in which b never stands {k} times in succession.",
    n=Int(10, 36), k=Int(2, 5),
)  # fmt: skip
def _no_long_runs(n: int, k: int) -> Answer:
    ending = [1] + [0] * (k - 1)
    for _ in range(n):
        ending = [sum(ending), *ending[:-1]]
    return sum(ending)


@problem(
    "How many integers from 1 to {n} have digits that sum to {s}?",
    "Among the numbers 1 to {n}, how many have digit sum {s}?",
    "A lock shows the numbers 1 to {n}. For how many of them do the digits add up to exactly {s}?",
    n=Int(2000, 60000), s=Int(8, 26),
)  # fmt: skip
def _digits_that_sum(n: int, s: int) -> Answer:
    return sum(sum(map(int, str(number))) == s for number in range(1, n + 1))


@problem(
    "Coins are worth {coins}. In how many ways can {n} be paid, whatever the order of coins?",
    "With coins of the values {coins}, any number of each, how many ways are there to make {n}?",
    "How many multisets of numbers from the list {coins} add up to {n}?",
    coins=Ints(4, 2, 30, different=True), n=Int(120, 400),
)  # fmt: skip
def _ways_to_pay(coins: list[int], n: int) -> Answer:
    ways = [1] + [0] * n
    for coin in coins:
        for total in range(coin, n + 1):
            ways[total] += ways[total - coin]
    return ways[n]


@problem(
    "In how many ways can a 3 by {n} board be covered with 1 by 2 dominoes and at most {k} single squares?",
    "A floor of 3 by {n} is tiled with dominoes and with single squares, of which {k} at most are used. How many ways?",
    "Count the tilings of a 3 x {n} rectangle by dominoes and unit squares with no more than {k} unit squares.",
    n=Int(3, 9), k=Int(1, 7),
)  # fmt: skip
def _tilings(n: int, k: int) -> Answer:
    from functools import lru_cache

    @lru_cache(None)
    def ways(cell: int, filled: int, singles: int) -> int:
        if cell == 3 * n:
            return int(filled == 0)
        if filled & 1:
            return ways(cell + 1, filled >> 1, singles)
        total = ways(cell + 1, filled >> 1, singles - 1) if singles else 0
        if cell % 3 < 2 and not filled & 2:
            total += ways(cell + 1, filled >> 1 | 1, singles)
        if cell + 3 < 3 * n:
            total += ways(cell + 1, filled >> 1 | 4, singles)
        return total

    return ways(0, 0, k)


@problem(
    "How many subsets of the numbers 1 to {n} have a sum divisible by {m}? The empty set counts.",
    "Count the subsets of 1, 2, ..., {n}, the empty one included, whose elements add up to a multiple of {m}.",
    "Cards are numbered 1 to {n}. How many selections, also of no card, have a total that {m} divides?",
    n=Int(10, 34), m=Int(3, 17),
)  # fmt: skip
def _subsets_by_sum(n: int, m: int) -> Answer:
    ways = [1] + [0] * (m - 1)
    for number in range(1, n + 1):
        ways = [ways[rest] + ways[(rest - number) % m] for rest in range(m)]
    return ways[0]


@problem(
    "A committee of {k} is chosen from {a} teachers and {b} parents, with at least {c} parents. How many ways?",
    "From {a} red and {b} blue cards, all different, {k} are drawn with at least {c} blue ones. How many hands?",
    "In how many ways can {k} people be picked out of {a} adults and {b} children, {c} children or more?",
    a=Int(6, 16), b=Int(6, 16), k=Int(4, 8), c=Int(1, 4),
)  # fmt: skip
def _committees(a: int, b: int, k: int, c: int) -> Answer:
    from math import comb

    return sum(comb(b, parents) * comb(a, k - parents) for parents in range(c, k + 1))
