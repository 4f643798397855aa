"""Sequences."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int, Ints

problem = BOOK.topic("sequences")


@problem(
    "a(0) = {x}, a(1) = {y}, and a(n) = {p}*a(n-1) + {q}*a(n-2). What is a({n}) modulo {m}?",
    "A sequence starts with {x}, {y}; each later term is {p} times the last plus {q} times the one before it. What "
    "remains of the term with index {n}, counted from 0, modulo {m}?",
    "Let u_0 = {x}, u_1 = {y} and u_k = {p} u_(k-1) + {q} u_(k-2). Find the remainder of u_{n} divided by {m}.",
    x=Int(1, 20), y=Int(1, 20), p=Int(2, 9), q=Int(2, 9), n=Int(30, 400), m=Int(500, 9999),
)  # fmt: skip
def _recurrence(x: int, y: int, p: int, q: int, n: int, m: int) -> Answer:
    for _ in range(n):
        x, y = y, (p * y + q * x) % m
    return x % m


@problem(
    "Halve even numbers and replace odd n by 3n + 1. How many steps lead from {n} to 1?",
    "How long is the Collatz path of {n}: how many steps until 1 is reached?",
    "Start with {n}. If it is even, divide by 2; if odd, triple it and add 1. After how many steps is it 1?",
    n=Int(100, 99999),
)
def _collatz(n: int) -> Answer:
    steps = 0
    while n > 1:
        n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
    return steps


@problem(
    "Of the positive integers divisible neither by {a} nor by {b}, which is number {n}? (1 is number 1 of them.)",
    "Strike all multiples of {a} and of {b} from 1, 2, 3, ... Which of what is left stands in place {n}?",
    "List the positive integers that neither {a} nor {b} divides. Which one has position {n}?",
    a=Int(2, 9), b=Int(3, 13), n=Int(200, 5000),
)  # fmt: skip
def _left_over(a: int, b: int, n: int) -> Answer:
    number = 0
    while n:
        number += 1
        n -= bool(number % a and number % b)
    return number


@problem(
    "What is the sum of floor({a}*k/{b}) for k from 1 to {n}?",
    "Add the integer parts of {a}k/{b} for all k from 1 through {n}.",
    "For k = 1, ..., {n} divide {a}k by {b} and drop the remainder. What is the total of the quotients?",
    a=Int(3, 40), b=Int(5, 60), n=Int(30, 500),
)  # fmt: skip
def _floors(a: int, b: int, n: int) -> Answer:
    return sum(a * k // b for k in range(1, n + 1))


@problem(
    "Starting from {s}, describe the digits again and again (look and say: 21 becomes 1211). How many digits are "
    "there after {n} steps?",
    "The look-and-say sequence starts with {s}. How long is the term after {n} steps?",
    "Read {s} aloud by runs of equal digits and write it down as digits; repeat {n} times. How many digits come out?",
    s=Int(1, 999), n=Int(6, 22),
)  # fmt: skip
def _look_and_say(s: int, n: int) -> Answer:
    from itertools import groupby

    text = str(s)
    for _ in range(n):
        text = "".join(f"{len(list(run))}{digit}" for digit, run in groupby(text))
    return len(text)


@problem(
    "Start with {x} and again and again add the product of its nonzero digits. What is the number after {n} steps?",
    "From {x}, each number is followed by itself plus the product of its digits other than 0. Which comes after {n} "
    "steps?",
    "Let f(m) be m plus the product of the nonzero digits of m. Apply f {n} times to {x}. What comes out?",
    x=Int(11, 999), n=Int(10, 90),
)  # fmt: skip
def _digit_products(x: int, n: int) -> Answer:
    from math import prod

    for _ in range(n):
        x += prod(int(digit) for digit in str(x) if digit != "0")
    return x


@problem(
    "{n} people stand in a ring, numbered from 1. Count to {k}, remove that one, go on from the next. Who is left?",
    "In the Josephus problem with {n} people and step {k}, which position survives?",
    "Cards 1 to {n} lie in a ring. Count to {k} from card 1 on, take that card away, and go on so. Which card is last?",
    n=Int(40, 4000), k=Int(3, 30),
)  # fmt: skip
def _josephus(n: int, k: int) -> Answer:
    place = 0
    for size in range(2, n + 1):
        place = (place + k) % size
    return place + 1


@problem(
    "What fraction does the continued fraction with the terms {terms} equal?",
    "Evaluate a0 + 1/(a1 + 1/(a2 + ...)) exactly for the terms {terms}.",
    "The partial quotients of a number are {terms}. Which fraction is it?",
    terms=Ints(6, 1, 9),
)
def _continued_fraction(terms: list[int]) -> Answer:
    from fractions import Fraction

    value = Fraction(terms[-1])
    for term in reversed(terms[:-1]):
        value = term + 1 / value
    return value


@problem(
    "What is the sum of 1/(k(k+{d})) for k from 1 to {n}?",
    "Add 1/(k * (k + {d})) over k = 1, ..., {n} exactly.",
    "The k-th term of a series is 1/(k(k+{d})). What is its {n}th partial sum?",
    d=Int(1, 4), n=Int(6, 14),
)  # fmt: skip
def _telescope(d: int, n: int) -> Answer:
    from fractions import Fraction

    return sum((Fraction(1, k * (k + d)) for k in range(1, n + 1)), Fraction(0))


@problem(
    "With what period do the Fibonacci numbers repeat modulo {m}?",
    "What is the Pisano period of {m}?",
    "Reduce 0, 1, 1, 2, 3, 5, ... modulo {m}. After how many terms does the pair 0, 1 come again?",
    m=Int(20, 3000),
)
def _pisano(m: int) -> Answer:
    a, b, period = 1, 1, 1
    while (a, b) != (0, 1):
        a, b, period = b, (a + b) % m, period + 1
    return period


@problem(
    "Terms: {x}, then each is the previous one squared plus {c}, modulo {m}. How many different values occur?",
    "Iterate x -> x^2 + {c} modulo {m} from {x}. How many distinct numbers are visited, the first one included?",
    "The map that sends t to (t*t + {c}) mod {m} is applied for ever, starting at {x}. How large is the orbit?",
    x=Int(2, 90), c=Int(1, 50), m=Int(2000, 90000),
)  # fmt: skip
def _orbit(x: int, c: int, m: int) -> Answer:
    seen = set()
    while x not in seen:
        seen.add(x)
        x = (x * x + c) % m
    return len(seen)
