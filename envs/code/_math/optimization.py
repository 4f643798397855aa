"""Optimization."""

from __future__ import annotations

from agentgym.envs.code._math.book import BOOK, Answer, Int, Ints, Points

problem = BOOK.topic("optimization")


@problem(
    "Items weigh {weights} and are worth {values}, in this order. What is the greatest worth of total weight at most "
    "{limit}?",
    "A bag holds {limit} kilograms. Things weigh {weights} kilograms and bring {values} dollars. How much at most?",
    "Solve the 0-1 knapsack problem with weights {weights}, values {values} and capacity {limit}: what is best?",
    weights=Ints(9, 5, 40), values=Ints(9, 10, 99), limit=Int(50, 120),
)  # fmt: skip
def _knapsack(weights: list[int], values: list[int], limit: int) -> Answer:
    best = [0] * (limit + 1)
    for weight, value in zip(weights, values, strict=True):
        for room in range(limit, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[limit]


@problem(
    "{n} is split into at most {k} positive integers. What is their greatest product?",
    "A rope of length {n} is cut into no more than {k} pieces of whole length. How large can their product be?",
    "What is the maximum of x1 * ... * xm over m <= {k} positive integers with sum {n}?",
    n=Int(20, 90), k=Int(3, 9),
)  # fmt: skip
def _greatest_product(n: int, k: int) -> Answer:
    return max((n // m) ** (m - n % m) * (n // m + 1) ** (n % m) for m in range(1, k + 1))


@problem(
    "What is the greatest sum of a strictly increasing subsequence of {numbers}?",
    "Cross out numbers of {numbers} so that the rest rises strictly. How large can its sum be?",
    "From the list {numbers}, in this order, pick terms that strictly increase, with the largest total. What is it?",
    numbers=Ints(14, 5, 99),
)
def _rising_sum(numbers: list[int]) -> Answer:
    best: list[int] = []
    for at, number in enumerate(numbers):
        best.append(number + max([best[i] for i in range(at) if numbers[i] < number], default=0))
    return max(best)


@problem(
    "Five workers do five tasks. The costs, worker by worker, are {costs} (five for each). What is the least total?",
    "A 5 by 5 table, row by row: {costs}. Pick one entry in each row and column with the least sum. What is the sum?",
    "Solve the assignment problem whose cost matrix has the rows, five entries each, {costs}. What is the minimum?",
    costs=Ints(25, 5, 60),
)
def _assignment(costs: list[int]) -> Answer:
    from itertools import permutations

    return min(sum(costs[5 * row + column] for row, column in enumerate(order)) for order in permutations(range(5)))


@problem(
    "What is the largest sum of consecutive terms of {numbers}?",
    "Gains and losses of days in a row: {numbers}. What is the best total over one unbroken stretch of days?",
    "Find the maximum sum of a contiguous part of the list {numbers}.",
    numbers=Ints(18, -50, 50),
)
def _best_stretch(numbers: list[int]) -> Answer:
    best = ending = numbers[0]
    for number in numbers[1:]:
        ending = max(number, ending + number)
        best = max(best, ending)
    return best


@problem(
    "Jobs take {times} hours and have the weights {weights}. One machine does them one after the other. What is the "
    "least sum of weight times completion time?",
    "A printer has jobs of {times} minutes; waiting costs {weights} per minute until each is done. What is the least "
    "total cost over all orders?",
    "Minimize the weighted sum of completion times on one machine for durations {times} and weights {weights}.",
    times=Ints(8, 2, 30), weights=Ints(8, 1, 12),
)  # fmt: skip
def _schedule(times: list[int], weights: list[int]) -> Answer:
    jobs = sorted(zip(times, weights, strict=True), key=lambda job: job[0] / job[1])
    now = total = 0
    for time, weight in jobs:
        now += time
        total += weight * now
    return total


@problem(
    "Matrices have the sizes p0 x p1, p1 x p2, ... with p = {sizes}. How few multiplications of numbers does their "
    "product take?",
    "What is the least number of scalar multiplications for a chain of matrices whose dimensions are {sizes}?",
    "A chain of matrices, the i-th of p(i-1) rows and p(i) columns for the list p = {sizes}, is multiplied. What is "
    "the cheapest bracketing worth?",
    sizes=Ints(7, 5, 50),
)
def _matrix_chain(sizes: list[int]) -> Answer:
    from functools import lru_cache

    @lru_cache(None)
    def cost(first: int, last: int) -> int:
        ways = range(first + 1, last)
        return min(
            (cost(first, at) + cost(at, last) + sizes[first] * sizes[at] * sizes[last] for at in ways), default=0
        )

    return cost(0, len(sizes) - 1)


@problem(
    "A drone visits all of {points} and returns, moving along the axes only. How long is the shortest round trip?",
    "What is the length of the shortest closed tour through {points}, if distance is |x1 - x2| + |y1 - y2|?",
    "A cab in a city of square blocks must pass the corners {points} and come back. How many blocks at least?",
    points=Points(7, 30),
)
def _round_trip(points: list[list[int]]) -> Answer:
    from itertools import pairwise, permutations

    first, *rest = points

    def length(order: tuple[list[int], ...]) -> int:
        tour = [first, *order, first]
        return sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(tour))

    return min(length(order) for order in permutations(rest))


@problem(
    "The list {numbers} is cut into {k} consecutive parts. How small can the largest sum of a part be?",
    "Chapters of {numbers} pages go, in order, to {k} translators. What is the least possible largest number of pages?",
    "Divide {numbers} into {k} blocks without changing the order, such that the heaviest block is lightest. How heavy?",
    numbers=Ints(12, 5, 60), k=Int(3, 5),
)  # fmt: skip
def _fair_cut(numbers: list[int], k: int) -> Answer:
    def blocks(limit: int) -> int:
        count, filled = 1, 0
        for number in numbers:
            if filled + number > limit:
                count, filled = count + 1, 0
            filled += number
        return count

    limit = max(numbers)
    while blocks(limit) > k:
        limit += 1
    return limit


@problem(
    "A workshop earns {a} for a chair and {b} for a desk. A chair takes {c} boards and {e} hours, a desk {d} boards "
    "and {f} hours; there are {n} boards and {m} hours. What can it earn at most?",
    "Maximize {a}x + {b}y over integers x, y >= 0 with {c}x + {d}y <= {n} and {e}x + {f}y <= {m}.",
    "Products X and Y bring {a} and {b}. Each X needs {c} of steel and {e} of labor, each Y {d} and {f}. With {n} of "
    "steel and {m} of labor, what is the best return?",
    a=Int(5, 40), b=Int(5, 40), c=Int(3, 15), d=Int(3, 15), e=Int(3, 15), f=Int(3, 15), n=Int(80, 300), m=Int(80, 300),
)  # fmt: skip
def _production(a: int, b: int, c: int, d: int, e: int, f: int, n: int, m: int) -> Answer:
    return max(
        a * x + b * min((n - c * x) // d, (m - e * x) // f) for x in range(min(n // c, m // e) + 1)
    )  # fmt: skip


@problem(
    "Cards with the values {numbers} lie in a row. Two players take turns taking the first or the last card, each for "
    "the greatest own total. How much does the first player get?",
    "In a game, one takes a number from either end of {numbers}, then the other does, and so on. What does the first "
    "player collect if both play perfectly?",
    "Both play best: what is the first player's sum when numbers are removed from the ends of {numbers} in turn?",
    numbers=Ints(10, 5, 60),
)
def _ends_of_a_row(numbers: list[int]) -> Answer:
    from functools import lru_cache

    @lru_cache(None)
    def lead(first: int, last: int) -> int:
        if first > last:
            return 0
        return max(numbers[first] - lead(first + 1, last), numbers[last] - lead(first, last - 1))

    return (sum(numbers) + lead(0, len(numbers) - 1)) // 2
