"""Number theory."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int

problem = BOOK.topic("number theory")


@problem(
    "How many positive divisors does the product {a} * {b} have?",
    "Count the positive integers that divide {a} times {b}.",
    "Let N = {a} * {b}. In how many ways can N be written as an ordered product of two positive integers?",
    a=Int(1000, 9999), b=Int(1000, 9999),
)  # fmt: skip
def _divisors_of_product(a: int, b: int) -> Answer:
    left, count, p = a * b, 1, 2
    while p * p <= left:
        power = 0
        while left % p == 0:
            left, power = left // p, power + 1
        count *= power + 1
        p += 1
    return count * (2 if left > 1 else 1)


@problem(
    "What is the sum of Euler's phi function over the integers from 1 to {n}?",
    "How many pairs (a, b) with 1 <= a <= b <= {n} are coprime?",
    "For each b from 1 to {n}, count the integers from 1 to b that share no factor with b. What is the total?",
    n=Int(60, 900),
)
def _totient_sum(n: int) -> Answer:
    phi = list(range(n + 1))
    for p in range(2, n + 1):
        if phi[p] == p:
            for multiple in range(p, n + 1, p):
                phi[multiple] -= phi[multiple] // p
    return sum(phi[1:])


@problem(
    "What is the remainder when {a} to the power {b} is divided by {m}?",
    "Compute {a}^{b} modulo {m}.",
    "A number is multiplied by {a} again and again, {b} times, starting from 1. What remains modulo {m}?",
    a=Int(12, 999), b=Int(1000, 99999), m=Int(1000, 99999),
)  # fmt: skip
def _power_modulo(a: int, b: int, m: int) -> Answer:
    return pow(a, b, m)


@problem(
    "What is the least positive integer that leaves remainder {a} modulo 97, {b} modulo 101 and {c} modulo 89?",
    "Eggs are packed. In boxes of 97, {a} are left; in boxes of 101, {b}; in boxes of 89, {c}. How many at least?",
    "Find the smallest x > 0 with x = {a} (mod 97), x = {b} (mod 101) and x = {c} (mod 89).",
    a=Int(1, 96), b=Int(1, 100), c=Int(1, 88),
)  # fmt: skip
def _remainders(a: int, b: int, c: int) -> Answer:
    x, step = a, 97
    for wanted, modulus in ((b, 101), (c, 89)):
        while x % modulus != wanted:
            x += step
        step *= modulus
    return x


@problem(
    "What is the sum of all primes between {low} and {low} + {width}, both ends included?",
    "Add up every prime p with {low} <= p <= {low} + {width}.",
    "The primes in the interval from {low} to {low} + {width} are summed. What is the sum?",
    low=Int(500, 9000), width=Int(60, 400),
)  # fmt: skip
def _prime_sum(low: int, width: int) -> Answer:
    def prime(n: int) -> bool:
        return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))

    return sum(n for n in range(low, low + width + 1) if prime(n))


@problem(
    "In base {base}, with how many zeros does {n}! end?",
    "How often is the factorial of {n} divisible by {base}: what is the greatest k such that {base}^k divides {n}!?",
    "{n}! is written in base {base}. Count the zeros at its end.",
    n=Int(200, 5000), base=Int(6, 60),
)  # fmt: skip
def _zeros_of_factorial(n: int, base: int) -> Answer:
    best, left, p = None, base, 2
    while left > 1:
        power = 0
        while left % p == 0:
            left, power = left // p, power + 1
        if power:
            count, q = 0, p
            while q <= n:
                count, q = count + n // q, q * p
            best = count // power if best is None else min(best, count // power)
        p += 1
    return best or 0


@problem(
    "What is the sum of the decimal digits of {a}^{b}?",
    "Write {a} to the power {b} in base ten and add its digits.",
    "Someone prints the number {a}**{b}. What do its digits add up to?",
    a=Int(3, 99), b=Int(20, 200),
)  # fmt: skip
def _digit_sum_of_power(a: int, b: int) -> Answer:
    return sum(int(digit) for digit in str(a**b))


@problem(
    "How many integers from 1 to {n} can be written as {a}x + {b}y with integers x, y >= 0?",
    "Stamps cost {a} and {b}. How many amounts from 1 to {n} can be paid exactly?",
    "A shop packs screws by {a} and by {b}. How many of the orders of 1 to {n} screws can be filled with whole packs?",
    a=Int(11, 60), b=Int(13, 70), n=Int(300, 2000),
)  # fmt: skip
def _payable_amounts(a: int, b: int, n: int) -> Answer:
    return sum(any((total - a * x) % b == 0 for x in range(total // a + 1)) for total in range(1, n + 1))


@problem(
    "What is the multiplicative order of {a} modulo {m}?",
    "Find the least k >= 1 such that {a}^k leaves remainder 1 when divided by {m}.",
    "After how many multiplications by {a}, starting from 1 and reducing modulo {m}, is 1 reached again?",
    a=Int(2, 90), m=Int(101, 4000),
)  # fmt: skip
def _multiplicative_order(a: int, m: int) -> Answer | None:
    power, k = a % m, 1
    while power != 1:
        power, k = power * a % m, k + 1
        if k > m:
            return None
    return k


@problem(
    "What is the sum of all positive integers up to {n} that are divisible by {a} or {b} but not by {c}?",
    "Add the integers from 1 to {n} that are multiples of {a} or of {b}, leaving out multiples of {c}.",
    "Of the numbers 1 to {n}, keep those that {a} or {b} divides, and drop those that {c} divides. What is their sum?",
    a=Int(3, 20), b=Int(5, 30), c=Int(4, 25), n=Int(300, 5000),
)  # fmt: skip
def _sum_of_multiples(a: int, b: int, c: int, n: int) -> Answer:
    return sum(k for k in range(1, n + 1) if (k % a == 0 or k % b == 0) and k % c)


@problem(
    "What is the sum of gcd(k, {n}) over k from 1 to {n}?",
    "For every k from 1 to {n} take the greatest common divisor of k and {n}. What do they add up to?",
    "Add the greatest common divisors of {n} with each of 1, 2, ..., {n}.",
    n=Int(120, 20000),
)
def _sum_of_gcds(n: int) -> Answer:
    from math import gcd

    return sum(gcd(k, n) for k in range(1, n + 1))


@problem(
    "What is the largest prime factor of {a} * {b} + {c}?",
    "Multiply {a} by {b}, add {c}, and factor the result. Which prime factor is the largest?",
    "Find the greatest prime that divides {a} * {b} + {c}.",
    a=Int(100, 9999), b=Int(100, 9999), c=Int(1, 99),
)  # fmt: skip
def _largest_prime_factor(a: int, b: int, c: int) -> Answer:
    left, largest, p = a * b + c, 1, 2
    while p * p <= left:
        while left % p == 0:
            left, largest = left // p, p
        p += 1
    return max(left, largest)
