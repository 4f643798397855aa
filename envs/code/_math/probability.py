"""Probability, as exact fractions."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int

problem = BOOK.topic("probability")


@problem(
    "A die with {a} sides and one with {b} sides, numbered from 1, are rolled. How likely is a sum of at least {t}?",
    "Two fair dice have {a} and {b} sides. What is the probability that they show {t} or more together?",
    "x is drawn from 1 to {a} and y from 1 to {b}, each evenly. What is the probability that x + y >= {t}?",
    a=Int(6, 20), b=Int(6, 20), t=Int(8, 30),
)  # fmt: skip
def _two_dice(a: int, b: int, t: int) -> Answer:
    from fractions import Fraction

    return Fraction(sum(x + y >= t for x in range(1, a + 1) for y in range(1, b + 1)), a * b)


@problem(
    "An urn holds {r} red and {b} blue balls. Of {k} drawn at once, how likely are exactly {j} red ones?",
    "From {r} red and {b} blue balls, {k} are drawn without putting back. What is the chance of exactly {j} red balls?",
    "{k} of {r} + {b} lamps are tested; {b} of all are good and {r} are not. How likely are exactly {j} bad ones?",
    r=Int(5, 20), b=Int(5, 20), k=Int(4, 8), j=Int(1, 4),
)  # fmt: skip
def _urn(r: int, b: int, k: int, j: int) -> Answer:
    from fractions import Fraction
    from math import comb

    return Fraction(comb(r, j) * comb(b, k - j), comb(r + b, k))


@problem(
    "A coin shows heads with probability {p}/{q}. How likely are at least {k} heads in {n} tosses?",
    "Each of {n} trials succeeds with chance {p}/{q}, independently. What is the probability of {k} successes or more?",
    "{n} seeds each grow with probability {p}/{q}. What is the chance that {k} or more of them grow?",
    p=Int(1, 4), q=Int(5, 9), n=Int(4, 8), k=Int(1, 4),
)  # fmt: skip
def _at_least_heads(p: int, q: int, n: int, k: int) -> Answer:
    from fractions import Fraction
    from math import comb

    return Fraction(sum(comb(n, i) * p**i * (q - p) ** (n - i) for i in range(k, n + 1)), q**n)


@problem(
    "{k} people each choose one of {n} days at random. How likely is it that two of them choose the same day?",
    "{k} numbers are drawn from 1 to {n} with putting back. What is the chance that some number comes twice?",
    "{k} keys are hashed evenly into {n} slots. What is the probability of a collision?",
    n=Int(20, 60), k=Int(3, 7),
)  # fmt: skip
def _collision(n: int, k: int) -> Answer:
    from fractions import Fraction
    from math import perm

    return 1 - Fraction(perm(n, k), n**k)


@problem(
    "A walker starts at 0 and steps +1 or -1 with equal chance. How likely is it to be at 0 or above in all {n} steps?",
    "A fair coin is tossed {n} times. What is the probability that tails never lead?",
    "In {n} fair rounds one wins or loses a dollar. What is the chance that one's balance is never below its start?",
    n=Int(8, 46),
)
def _never_behind(n: int) -> Answer:
    from fractions import Fraction
    from math import comb

    return Fraction(comb(n, n // 2), 2**n)


@problem(
    "A player with {a} dollars bets one dollar a round, winning with chance {p}/{q}, until having {n} or nothing. How "
    "likely is reaching {n}?",
    "A walk starts at {a} and goes up with probability {p}/{q}, else down, till it is at 0 or {n}. How likely is {n}?",
    "Each round one of {n} tokens changes hands; the first player has {a} of them and wins a round with probability "
    "{p}/{q}. How likely does that player end with all {n}?",
    a=Int(2, 5), n=Int(6, 9), p=Int(2, 4), q=Int(5, 9),
)  # fmt: skip
def _ruin(a: int, n: int, p: int, q: int) -> Answer | None:
    from fractions import Fraction

    odds = Fraction(q - p, p)
    return (1 - odds**a) / (1 - odds**n) if odds != 1 else Fraction(a, n)


@problem(
    "A fair die with {s} sides is rolled {k} times. What is the expected number of different faces seen?",
    "{k} visitors each take a random one of {s} doors. How many doors are used on average?",
    "How many distinct values does one expect among {k} independent even draws from 1 to {s}?",
    s=Int(6, 20), k=Int(3, 7),
)  # fmt: skip
def _distinct_faces(s: int, k: int) -> Answer:
    from fractions import Fraction

    return s * (1 - Fraction(s - 1, s) ** k)


@problem(
    "{k} dice with {s} sides are rolled. What is the probability that the highest number shown is exactly {m}?",
    "{k} numbers are drawn evenly from 1 to {s}, with putting back. How likely is {m} the largest?",
    "What is the chance that the maximum of {k} fair {s}-sided dice equals {m}?",
    s=Int(8, 20), k=Int(3, 6), m=Int(4, 8),
)  # fmt: skip
def _maximum_is(s: int, k: int, m: int) -> Answer:
    from fractions import Fraction

    return Fraction(m**k - (m - 1) ** k, s**k)


@problem(
    "A fair coin is tossed {n} times. What is the probability of at least one run of {r} heads?",
    "How likely is it that {n} tosses of a fair coin contain {r} heads in a row?",
    "{n} bits are drawn evenly. What is the chance that {r} ones stand next to each other somewhere?",
    n=Int(8, 30), r=Int(3, 5),
)  # fmt: skip
def _run_of_heads(n: int, r: int) -> Answer:
    from fractions import Fraction

    ending = [1] + [0] * (r - 1)
    for _ in range(n):
        ending = [sum(ending), *ending[:-1]]
    return 1 - Fraction(sum(ending), 2**n)


@problem(
    "After a dry day it rains with probability {a}/{q}, after a wet day it is dry with probability {b}/{q}. Day 0 is "
    "dry. How likely is rain on day {n}?",
    "A switch is off. Each second it goes on with chance {a}/{q} if off, and off with chance {b}/{q} if on. How likely "
    "is it on after {n} seconds?",
    "In a chain of two states, one leaves A with probability {a}/{q} and B with {b}/{q}. Starting in A, what is the "
    "probability of B after {n} steps?",
    a=Int(1, 4), b=Int(1, 4), q=Int(5, 9), n=Int(3, 6),
)  # fmt: skip
def _two_states(a: int, b: int, q: int, n: int) -> Answer:
    from fractions import Fraction

    rain = Fraction(0)
    for _ in range(n):
        rain = (1 - rain) * Fraction(a, q) + rain * Fraction(q - b, q)
    return rain


@problem(
    "Of {n} cards numbered from 1, {k} are drawn at once. What is the expected product of the lowest and the highest?",
    "{k} different numbers are chosen from 1 to {n} at random. What is the mean of smallest times largest?",
    "A random subset of size {k} of the numbers 1 to {n} is taken. What is the expectation of its minimum times its "
    "maximum?",
    n=Int(8, 16), k=Int(3, 5),
)  # fmt: skip
def _low_times_high(n: int, k: int) -> Answer:
    from fractions import Fraction
    from math import comb

    total = sum(a * b * comb(b - a - 1, k - 2) for a in range(1, n + 1) for b in range(a + 1, n + 1))
    return Fraction(total, comb(n, k))
